"""QVHighlights: moments and highlights, truth and predictions."""

import json

import numpy as np
import pytest

import berrypick as bp
from berrypick import formats
from berrypick.measures.video.highlightap import average_precision


def test_qvhighlights_truth_and_predictions(files, berrypick, tmp_path):
    moments = [
        {
            "qid": 1,
            "query": "q",
            "duration": 150,
            "vid": "v",
            "relevant_windows": [[10, 20], [80, 90]],
            "saliency_scores": [],
        },
        {"qid": 2, "query": "q", "duration": 140.5, "vid": "w", "relevant_windows": [[0, 10]]},
    ]
    predicted = [
        {"qid": 1, "query": "q", "vid": "v", "pred_relevant_windows": [[100.0, 120.0, 0.2], [10.0, 18.0, 0.9]]},
        {"qid": 2, "query": "q", "vid": "w", "pred_relevant_windows": [[0.0, 5.0, 0.9]], "pred_saliency_scores": [1.0]},
    ]
    written = files(**{f"{name}_jsonl": "".join(json.dumps(row) + "\n" for row in rows)
                       for name, rows in (("truth", moments), ("run", predicted))})  # fmt: skip
    truth, run = bp.read_truth(written["truth_jsonl"]), bp.read_run(written["run_jsonl"])
    assert (truth.format, run.format) == ("qvhighlights", "qvhighlights-run")
    assert truth.lengths == {"v": 150, "w": 140.5}
    assert run.ranking("1").start.tolist() == [10, 100]  # by score
    found = bp.evaluate(truth, run, "spanHit(iou=.7)@1 spanHit(iou=.5)@1 T2I").mean()
    assert next(iter(found.values()))["spanHit(iou=.7)@1"] == 0.5
    assert next(iter(found.values()))["spanHit(iou=.5)@1"] == 1.0
    for name in written.values():
        assert berrypick("convert", name, tmp_path / f"{name.stem}.out.jsonl").code == 0
    again = bp.evaluate(tmp_path / "truth.out.jsonl", tmp_path / "run.out.jsonl", "spanHit(iou=.7)@1").mean()
    assert next(iter(again.values()))["spanHit(iou=.7)@1"] == 0.5
    bad = files(bad_jsonl='{"qid": 1, "vid": "v", "relevant_windows": [[1, "x"]]}\n')["bad_jsonl"]
    with pytest.raises(bp.InputError, match="something else than numbers"):
        bp.read_truth(bad)


def test_unknown_json_is_answered_with_this_format(files):
    path = files(odd_json='{"id": 1, "vid": "v", "windows": [[1, 2]], "duration": 3}')["odd_json"]
    with pytest.raises(bp.InputError, match="the nearest formats are") as error:
        formats.read_any(path, "truth")
    assert str(error.value).splitlines()[3].split(":")[0].strip() == "qvhighlights"


def test_a_name_that_stands_twice_is_refused(files):
    line = '{"qid": 1, "query": "x", "vid": "v", "duration": 150, "relevant_windows": [[0, 4]]}\n'
    path = files(twice_jsonl=line + line.replace('"vid"', '"vid": "w", "vid"'))["twice_jsonl"]
    with pytest.raises(bp.InputError, match=r":2: .*vid"):
        bp.read_truth(path)


# --- highlights -------------------------------------------------------------------------------------------------------


def slow_average_precision(scores, wanted, ties):
    """By every threshold: recall and precision of the clips above it, the best precision at that recall or more."""
    if not any(wanted) or all(wanted):
        return float(any(wanted))
    points = []
    for least in sorted(set(scores), reverse=True):
        above = [good for score, good in zip(scores, wanted, strict=True) if score >= least]
        points.append((sum(above), sum(above) / len(above)))
    values, before = [], 0
    for i, (found, _) in enumerate(points):
        best = max(precision for _, precision in points[i:])
        values += [best] * (found > before) if ties == "step" else [best] * (found - before)
        before = found
    return sum(values) / len(values)


@pytest.mark.slow
@pytest.mark.parametrize("ties", ["step", "each"])
def test_average_precision_of_clips_against_its_slow_twin(ties):
    rng = np.random.default_rng(7)
    for _ in range(500):
        clips = int(rng.integers(1, 12))
        scores = rng.integers(0, rng.integers(1, 9), clips) / 4 - 1
        wanted = rng.random(clips) < rng.random()
        expected = slow_average_precision(scores.tolist(), wanted.tolist(), ties)
        assert average_precision(scores, wanted, ties) == pytest.approx(expected, abs=1e-12)


def test_tied_clips_by_hand():
    """One clip first, a highlight; three tied behind it, two of them highlights: precisions 1 and 3/4."""
    scores, wanted = np.array([0.9, 0.5, 0.5, 0.5]), np.array([True, True, True, False])
    assert average_precision(scores, wanted, "step") == (1 + 3 / 4) / 2
    assert average_precision(scores, wanted, "each") == (1 + 3 / 4 + 3 / 4) / 3


def video(**more):
    return {"qid": 1, "query": "q", "duration": 7, "vid": "v", "relevant_windows": [[0, 4]], **more}


def predicted(scores, windows=((0.0, 4.0, 0.9),), **more):
    return {"qid": 1, "vid": "v", "pred_relevant_windows": list(windows), "pred_saliency_scores": scores, **more}


def written(files, truth, run):
    return files(t_jsonl=json.dumps(truth) + "\n", r_jsonl=json.dumps(run) + "\n").values()


CLIPS = {"relevant_clip_ids": [0, 2], "saliency_scores": [[4, 2, 0], [3, 3, 1]]}


@pytest.mark.parametrize(
    ("scores", "expected", "hit", "note"),
    [
        # Good: clips 0 and 2 to annotator 1, clip 2 to annotator 2, nothing to annotator 3
        ([0.1, 0.2, 0.3], ((1 + 2 / 3) / 2 + 1 + 0) / 3, 1.0, ""),
        ([0.3, 0.2, 0.1], ((1 + 2 / 3) / 2 + 1 / 3 + 0) / 3, 1.0, ""),
        # 1/2 after clip 2 is raised to the 2/3 after clip 0
        ([0.1, 0.3, 0.2], (2 / 3 + 1 / 2 + 0) / 3, 0.0, ""),
        # the clip without a score has 0, the largest one; for the hit it has none
        ([-0.3, -0.2], ((1 + 2 / 3) / 2 + 1 + 0) / 3, 0.0, "gives no score to the last clips"),
        ([0.1, 0.2, 0.3, 0.9], ((1 + 2 / 3) / 2 + 1 + 0) / 3, 0.0, "after the end of the video"),
    ],
)
def test_highlights_by_hand(files, scores, expected, hit, note):
    truth, run = written(files, video(**CLIPS), predicted(scores))
    results = bp.evaluate(truth, run, "HighlightAP(label='Good') HighlightHit(label='Good')")
    (values,) = results.mean().values()
    assert values["HighlightAP(label='Good')"] == pytest.approx(expected, abs=1e-12)
    assert values["HighlightHit(label='Good')"] == hit
    assert note in str(results)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"relevant_clip_ids": [0, 3]}, "relevant_clip_ids must be a list of clips, from 0 to 2 in 7 seconds"),
        ({"relevant_clip_ids": [0]}, "saliency_scores must hold, for each clip"),
        ({"relevant_clip_ids": [0, 0]}, "saliency_scores must hold, for each clip"),
        ({"saliency_scores": [[4, 2], [1]]}, "saliency_scores must hold, for each clip"),
        ({"saliency_scores": [[4, 2], [1, 5]]}, "a number from 0 to 4"),
        ({"saliency_scores": 3}, "saliency_scores must hold, for each clip"),
        ({"duration": None}, "need the duration"),
    ],
)
def test_wrong_saliency_has_its_line(files, changes, said):
    truth, _ = written(files, video(**{**CLIPS, **changes}), {})
    with pytest.raises(bp.InputError) as error:
        bp.read_truth(truth)
    assert said in str(error.value) and ":1:" in str(error.value)


def test_saliency_of_some_topics_only_is_not_read(files):
    path = files(x_jsonl=json.dumps(video(**CLIPS)) + "\n" + json.dumps(video(qid=2)) + "\n")["x_jsonl"]
    truth = bp.read_truth(path)
    assert truth.skipped == {"lines have no clips, although others do: highlights are ignored": 1}
    assert not any(topic.extra for topic in truth.topics.values())
    run = json.dumps(predicted([1])) + "\n" + json.dumps(predicted("x", qid=2)) + "\n"
    with pytest.raises(bp.InputError, match=r":2: pred_saliency_scores must be a list of numbers"):
        bp.read_run(files(y_jsonl=run)["y_jsonl"])


def test_highlights_without_saliency_are_refused(files):
    truth, run = written(files, video(**CLIPS), predicted(None))
    with pytest.raises(bp.UsageError, match="the run gives no scores to clips"):
        bp.score("HighlightAP", truth, run)
    with pytest.raises(bp.UsageError, match="the truth has no saliency of clips"):
        bp.score("HighlightHit", {"1": {"v#0-4": 1}}, run)


def test_converted_without_saliency_it_says_so(files, tmp_path, berrypick):
    truth, _ = written(files, video(**CLIPS), predicted([1]))
    told = berrypick("convert", truth, tmp_path / "out.jsonl", "--to", "span-truth")
    assert told.code == 0 and "has no saliency" in told.err


# --- lengths of moments -----------------------------------------------------------------------------------------------


def test_lengths_by_hand():
    """Targets of 10, 10.5, 30 and 151 seconds; the last one has no length that is asked for."""
    truth = {"q": {"v#0-10": 1, "v#20-30.5": 1, "v#40-70": 1, "v#100-251": 1}, "r": {"v#0-200": 1}}
    run = {"q": {"v#20-30.5": 3, "v#0-10": 2, "v#40-70": 1}}
    for length, ap, hit in (("short", 1 / 2, 0.0), ("middle", (1 + 2 / 3) / 2, 1.0), ("long", None, None)):
        results = bp.evaluate(truth, run, [f"spanAP(length='{length}')", f"spanHit(iou=0.5,length='{length}')@1"])
        (values,) = results.per_topic().values()
        assert values[f"spanAP(length='{length}')"] == {"q": ap, "r": None}
        assert values[f"spanHit(iou=0.5,length='{length}')@1"] == {"q": hit, "r": None}
    told = str(bp.explain(truth, run, "spanAP(length='middle')", "q"))
    assert "v#40-70" in told and "with 2 targets" in told
    assert "no target is long" in str(bp.explain(truth, run, "spanAP(length='long')", "q"))


def test_lengths_count_seconds():
    with pytest.raises(bp.UsageError, match="counts seconds, and positions count chars"):
        bp.score("spanAP(length='short')", {"q": {"d#0-5": 1}}, {"q": {"d#0-5": 1}}, documents={"d": "some text"})


@pytest.mark.slow
def test_official_numbers_of_qvhighlights(data):
    """Moments by length and highlights by label: what the official program printed, to its two digits."""
    folder = data / "qvhighlights"
    official = json.loads((folder / "sample_val_preds_metrics_raw.json").read_text())
    wanted = {}
    for group, length in (("full", ""), ("short", "short"), ("middle", "middle"), ("long", "long")):
        more = f",length='{length}'" if length else ""
        for iou, value in official[group]["MR-mAP"].items():
            wanted[f"spanAP(iou={iou if iou != 'average' else repr('0.5:0.95')}{more})@10"] = value
        for iou, value in official[group]["MR-R1"].items():
            wanted[f"spanHit(iou={iou}{more})@1"] = value
    for label in ("Fair", "Good", "VeryGood"):
        wanted[f"HighlightAP(label='{label}')"] = official[f"HL-min-{label}"]["HL-mAP"]
        wanted[f"HighlightHit(label='{label}')"] = official[f"HL-min-{label}"]["HL-Hit1"]
    results = bp.evaluate(folder / "highlight_val_release.jsonl", folder / "sample_val_preds.jsonl", [*wanted])
    (means,) = results.mean().values()
    assert len(wanted) == 4 * 21 + 6
    assert {name: float(f"{100 * value:.2f}") for name, value in means.items()} == wanted


def test_the_protocol_prints_what_the_program_prints(files):
    truth, run = written(files, video(**CLIPS), predicted([0.1, 0.2, 0.3]))
    results = bp.evaluate(truth, run, protocol="qvhighlights")
    assert len(results.measures) == 14
