"""The programs of TVR and of Ego4D's language queries, by hand and by slow twins of what they count."""

from __future__ import annotations

import json
import random
from collections import Counter

import numpy as np
import pytest

import berrypick as bp

VIDEOS = {"garden": 4, "hedge": 0, "pond": 9}


# --- twins ----------------------------------------------------------------------------------------------------------


def tvr_hits(gold, predicted, iou, k, task):
    """Whether one of the first k of at most 100 predictions is right, a query at a time, in single precision."""
    found = {}
    for one in gold:
        video = VIDEOS[one["vid_name"]]
        rows = predicted[one["desc_id"]][:100]
        if not rows:
            raise IndexError("the program stops at a query without predictions")
        if task == "SVMR":
            rows = [row for row in rows if row[0] == video]
        low, high = np.float32(one["ts"][0]), np.float32(one["ts"][1])
        right = []
        for name, start, end, _ in rows:
            start, end = np.float32(start), np.float32(end)
            both = max(np.float32(0), min(end, high) - max(start, low))
            hull = max(end, high) - min(start, low)
            ratio = both / hull if hull != 0 else np.float32(0)
            right.append(name == video if task == "VR" else bool(name == video and ratio >= np.float32(iou)))
        found[str(one["desc_id"])] = any(right[:k])
    return found


def ego4d_hits(gold, predicted, iou, k):
    """The same for the queries that are predicted for, in double precision: more than the threshold is asked for."""
    found = {}
    for topic, rows in predicted.items():
        low, high = gold[topic]
        ratios = [
            max(0.0, min(end, high) - max(start, low)) / (max(end, high) - min(start, low)) for start, end in rows
        ]
        found[topic] = any(ratio > iou for ratio in ratios[:k])
    return found


def mean(found):
    return sum(map(float, found.values())) / len(found)


# --- files ----------------------------------------------------------------------------------------------------------


def tvr_files(folder, gold, predicted):
    """Gold as lines, and the lists of each task."""
    (folder / "gold.jsonl").write_text("".join(json.dumps({"duration": 99, **one}) + "\n" for one in gold))
    lists = {
        task: [{"desc_id": name, "predictions": rows} for name, rows in of.items()] for task, of in predicted.items()
    }
    (folder / "run.json").write_text(json.dumps({"video2idx": VIDEOS, **lists}))
    return folder / "gold.jsonl", folder / "run.json"


def ego4d_files(folder, gold, predicted):
    queries = [{"query": "?", "clip_start_sec": low, "clip_end_sec": high} for low, high in gold.values()]
    note = {"annotation_uid": "a", "language_queries": queries}
    clip = {"clip_uid": "c", "annotations": [note]}
    (folder / "gold.json").write_text(json.dumps({"videos": [{"video_uid": "v", "clips": [clip]}]}))
    results = [
        {"clip_uid": "c", "annotation_uid": "a", "query_idx": int(topic[2:]), "predicted_times": rows}
        for topic, rows in predicted.items()
    ]
    head = {"version": "1.0", "challenge": "ego4d_nlq_challenge"}
    (folder / "run.json").write_text(json.dumps({**head, "results": results}))
    return folder / "gold.json", folder / "run.json"


def window(chance, step):
    """A stretch on a grid, so that many ratios lie at a threshold; now and then without length, or turned round."""
    start = chance.randrange(0, 12) * step
    return start, max(0, start + chance.choice([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, -1]) * step)


# --- TVR ------------------------------------------------------------------------------------------------------------


def made_tvr(chance, size):
    step = chance.choice([1, 0.25, 1.5])
    gold = [
        {"desc_id": i, "vid_name": chance.choice([*VIDEOS]), "ts": [*window(chance, step)], "type": chance.choice("vt")}
        for i in range(size)
    ]

    def rows(videos):
        made = [[chance.choice(videos), *window(chance, step), chance.random()] for _ in range(chance.randint(1, 12))]
        return made + chance.choices(made, k=chance.randint(0, 3))  # some of them twice

    predicted = {
        "VCMR": {one["desc_id"]: rows([*VIDEOS.values()]) for one in gold},
        "SVMR": {one["desc_id"]: rows([VIDEOS[one["vid_name"]]]) for one in gold},
    }
    return gold, predicted


@pytest.mark.slow
def test_tvr_against_its_twin(tmp_path):
    chance, seen = random.Random(30), Counter()
    for size in (1, 2, 3, 40, 40, 40):
        gold, predicted = made_tvr(chance, size)
        truth, run = tvr_files(tmp_path, gold, predicted)
        results = bp.evaluate(truth, run, protocol="tvr", by="type")
        means, groups = results.mean(), results.by_group()
        for task in predicted:
            for iou in (0.5, 0.7):
                for k in (1, 5, 10, 100):
                    expected = tvr_hits(gold, predicted[task], iou, k, task)
                    found = means[task][f"spanHit(iou={iou})@{k}"]
                    assert found == pytest.approx(mean(expected), abs=1e-15), (gold, predicted[task], iou, k)
                    for kind in {one["type"] for one in gold}:
                        of = {str(one["desc_id"]) for one in gold if one["type"] == kind}
                        part = groups[task][f"spanHit(iou={iou})@{k}"][kind]
                        assert part == pytest.approx(mean({topic: expected[topic] for topic in of}), abs=1e-15)
                    seen[0 < mean(expected) < 1] += 1
    assert seen[True] > 50  # values that are neither 0 nor 1


def test_tvr_by_hand(tmp_path):
    gold = [
        {"desc_id": 1, "vid_name": "garden", "ts": [0, 10], "type": "v"},
        {"desc_id": 2, "vid_name": "hedge", "ts": [2, 12], "type": "t"},
        {"desc_id": 3, "vid_name": "pond", "ts": [5, 5], "type": "t"},  # hit by nothing
    ]
    rows = {1: [[4, 0, 5, 9], [4, 3, 10, 8]], 2: [[4, 2, 12, 9], [0, 2, 9, 8]], 3: [[9, 5, 5, 9]]}
    truth, run = tvr_files(tmp_path, gold, {"VCMR": rows})
    values = next(iter(bp.evaluate(truth, run, protocol="tvr").mean().values()))
    assert values["spanHit(iou=0.5)@1"] == pytest.approx(1 / 3)  # at the threshold is a hit
    assert values["spanHit(iou=0.5)@5"] == pytest.approx(2 / 3)
    assert values["spanHit(iou=0.7)@1"] == 0
    assert values["spanHit(iou=0.7)@5"] == pytest.approx(2 / 3)  # 7 of 10 is .7, in single precision as well
    own = bp.evaluate(truth, run, "spanHit(iou=0.5)@5")
    assert next(iter(own.mean().values()))["spanHit(iou=0.5)@5"] == 1.0  # the moment without length is left out


def test_rounding_does_not_decide_at_the_threshold(tmp_path):
    gold = [{"desc_id": 1, "vid_name": "garden", "ts": [5.16, 8.46], "type": "v"}]
    rows = {1: [[4, 5.16, 7.47, 1.0]]}
    truth, run = tvr_files(tmp_path, gold, {"VCMR": rows})
    assert tvr_hits(gold, rows, 0.7, 1, "VCMR") == {"1": False}  # .6999999
    assert bp.evaluate(truth, run, protocol="tvr").mean()["run"]["spanHit(iou=0.7)@1"] == 1
    moment, rows = {"a_0": (18.08, 19.76)}, {"a_0": [[18.08, 18.92]]}
    truth, run = ego4d_files(tmp_path, moment, rows)
    assert ego4d_hits(moment, rows, 0.5, 1) == {"a_0": True}  # .5000000000000011
    assert bp.evaluate(truth, run, protocol="ego4d-nlq").mean()["run"]["spanHit(iou=0.5)@1"] == 0


def test_tvr_where_ours_differs_it_is_said(tmp_path):
    gold = [{"desc_id": 1, "vid_name": "garden", "ts": [0, 10], "type": "v"}]
    rows = {1: [[0, 0, 10, 9], [4, 0, 10, 8]]}
    truth, run = tvr_files(tmp_path, gold, {"VCMR": rows, "SVMR": rows, "VR": {1: [[0, 0, 0, 2], [0, 0, 0, 2]]}})
    results = bp.evaluate(truth, run, "spanHit(iou=0.5)@1")
    assert tvr_hits(gold, rows, 0.5, 1, "SVMR") == {"1": True} and results.mean()["SVMR"]["spanHit(iou=0.5)@1"] == 0
    said = [note.text for note in results.notes]
    assert sum("SVMR lists with moments of several videos" in text for text in said) == 1
    videos = bp.read_run(run, "tvr-run(task='VR')")
    assert any("with a repeated video" in what for what in videos.skipped)


def test_tvr_queries_without_predictions(tmp_path):
    gold = [{"desc_id": 1, "vid_name": "garden", "ts": [0, 10], "type": "v"}]
    with pytest.raises(IndexError):
        tvr_hits(gold, {1: []}, 0.5, 1, "VCMR")
    truth, run = tvr_files(tmp_path, gold, {"VCMR": {1: []}})
    assert bp.evaluate(truth, run, protocol="tvr").mean()["run"]["spanHit(iou=0.5)@100"] == 0


def test_tvr_whole_videos(tmp_path):
    chance = random.Random(7)
    for size in (1, 2, 30):
        gold, predicted = made_tvr(chance, size)
        gold = [{**one, "ts": [0, 5]} for one in gold]
        lists = {
            name: [[number, 0, 0, 1.0] for number in chance.sample([*VIDEOS.values()], chance.randint(1, 3))]
            for name in predicted["VCMR"]
        }
        truth, run = tvr_files(tmp_path, gold, {**predicted, "VR": lists})
        results = bp.evaluate(truth, bp.read_run(run, "tvr-run(task='VR')"), "Success@1 Success@2 Success@5")
        for k in (1, 2, 5):
            found = next(iter(results.mean().values()))[f"Success@{k}"]
            assert found == pytest.approx(mean(tvr_hits(gold, lists, 0.5, k, "VR")))


def test_tvr_tasks_are_named(tmp_path, berrypick):
    gold = [{"desc_id": 1, "vid_name": "garden", "ts": [0, 10], "type": "v"}]
    truth, run = tvr_files(tmp_path, gold, {"VCMR": {1: [[0, 0, 10, 9]]}, "SVMR": {1: [[4, 0, 10, 9]]}})
    chosen = berrypick(
        "evaluate", truth, run, "--format-run", "tvr-run(task='SVMR')", "-m", "spanHit(iou=0.5)@1", "-o", "tsv"
    )
    assert chosen.code == 0 and chosen.out.split()[-1] == "1.0"
    for task, message in (("VR", "has no VR"), ("vr", "task is VCMR, SVMR or VR, not 'vr'")):
        with pytest.raises(bp.BerrypickError, match=message):
            bp.read_run(run, f"tvr-run(task='{task}')")


# --- Ego4D ----------------------------------------------------------------------------------------------------------


def test_ego4d_against_its_twin(tmp_path):
    chance, seen = random.Random(4), Counter()
    for size in (1, 2, 3, 40, 40, 60):
        step = chance.choice([1, 0.25, 1.5])
        gold = {f"a_{i}": window(chance, step) for i in range(size)}
        answered = chance.sample([*gold], chance.randint(1, len(gold)))  # the others are not asked about
        predicted = {}
        for topic in answered:
            rows = [[*window(chance, step)] for _ in range(chance.randint(1, 8))]
            kept = [row for row in rows if hull(gold[topic], row) > 0]  # the program divides by it, and has nan then
            predicted[topic] = (kept or [[0, 99]]) + kept[:1]
        truth, run = ego4d_files(tmp_path, gold, predicted)
        results = bp.evaluate(truth, run, protocol="ego4d-nlq").mean()["run"]
        for iou in (0.3, 0.5):
            for k in (1, 5):
                expected = ego4d_hits(gold, predicted, iou, k)
                assert results[f"spanHit(iou={iou})@{k}"] == pytest.approx(mean(expected), abs=1e-15), (gold, predicted)
                seen[0 < mean(expected) < 1] += 1
        first = [first_ratio(gold[topic], rows[0]) for topic, rows in predicted.items()]
        assert results["BestIoU@1"] == pytest.approx(sum(first) / len(first), abs=1e-15)
    assert seen[True] > 8


def hull(gold, row):
    return max(gold[1], row[1]) - min(gold[0], row[0])


def first_ratio(gold, row):
    """The program's mIoU is the ratio of the first prediction: it sorts a list of one."""
    (low, high), (start, end) = gold, row
    return max(0.0, min(end, high) - max(start, low)) / hull(gold, row)


def test_ego4d_by_hand(tmp_path):
    gold = {"a_0": (0, 8), "a_1": (3, 3), "a_2": (0, 10), "a_3": (0, 10)}
    predicted = {"a_0": [[0, 4], [0, 5]], "a_1": [[0, 4]], "a_2": [[0, 3]]}  # .5 and .625; a point; .3; nothing
    truth, run = ego4d_files(tmp_path, gold, predicted)
    results = bp.evaluate(truth, run, protocol="ego4d-nlq")
    values = results.mean()["run"]
    assert values["spanHit(iou=0.5)@1"] == 0 and values["spanHit(iou=0.5)@5"] == pytest.approx(1 / 3)
    assert values["spanHit(iou=0.3)@1"] == pytest.approx(1 / 3)  # .3 is not above .3
    assert values["BestIoU@1"] == pytest.approx((0.5 + 0 + 0.3) / 3)
    assert any("1 judged topic missing from the run, excluded from means" in note.text for note in results.notes)
    own = bp.evaluate(truth, run, "spanHit(iou=0.3)@1 spanHit(iou=0.5)@1").mean()["run"]
    assert own == {"spanHit(iou=0.3)@1": pytest.approx(2 / 3), "spanHit(iou=0.5)@1": pytest.approx(1 / 3)}
    shown = bp.explain(truth, run, "spanHit(iou=0.5)@1", "a_0", protocol="ego4d-nlq")
    assert "is above 0.5" in str(shown)
