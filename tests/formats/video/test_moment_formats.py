"""TVR, Charades-STA, ActivityNet Captions and Ego4D's queries, as their files are."""

import json

import pytest
from format_samples import sample

import berrypick as bp
from berrypick import formats

TVR = [
    {"desc_id": 7, "desc": "A berry.", "vid_name": "garden", "ts": [10, 20], "duration": 60.5, "type": "v"},
    {"desc_id": 8, "desc": "Rain.", "vid_name": "hedge", "ts": [0, 4], "duration": 50, "type": "vt"},
    {"desc_id": 9, "desc": "A blink.", "vid_name": "hedge", "ts": [4, 4], "duration": 50, "type": "v"},
]
PREDICTED = {
    "video2idx": {"garden": 3, "hedge": 5},
    "VCMR": [
        # the scores rise: as in the official program the order is that of the list
        {"desc_id": 7, "desc": "A berry.", "predictions": [[5, 10.0, 20.0, 0.1], [3, 10.0, 15.0, 0.2]]},
        {"desc_id": 8, "desc": "Rain.", "predictions": [[5, 1.0, 4.0, 0.9]]},
    ],
    "SVMR": [
        {"desc_id": 7, "desc": "A berry.", "predictions": [[3, 12.0, 20.0, 0.9]]},
        {"desc_id": 8, "desc": "Rain.", "predictions": []},
    ],
    "VR": [{"desc_id": 7, "predictions": [[3, 0, 0, 1.0]]}],
}
ACTIVITYNET = {
    "v_garden": {
        "duration": 82.5,
        "timestamps": [[0.5, 20], [17, 60.5], [9, 9]],
        "sentences": [" A berry.", "B.", "C."],
    },
    "v_hedge": {"duration": 30, "timestamps": [[12, 3]], "sentences": ["Turned."]},
}
CHARADES = "GARDEN 24.3 30.4##a person picks a berry.\nHEDGE 0.0 12.1##rain.\nGARDEN 3.0 3.0##blink.\n"


def query(start, end, text="Where is it?"):
    return {"clip_start_sec": start, "clip_end_sec": end, "video_start_sec": 99, "query": text, "template": "t"}


def ego4d(*queries, **clip):
    note = {"annotation_uid": "a", "language_queries": list(queries)}
    return {"version": "1", "videos": [{"video_uid": "v", "clips": [{"clip_uid": "c", "annotations": [note], **clip}]}]}


def answered(*windows, **changes):
    one = {"clip_uid": "c", "annotation_uid": "a", "query_idx": 0, "predicted_times": list(windows), **changes}
    return {"version": "1.0", "challenge": "ego4d_nlq_challenge", "results": [one]}


def lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def test_tvr(files, berrypick):
    written = files(truth_jsonl=lines(TVR), run_json=json.dumps(PREDICTED))
    truth = bp.read_truth(written["truth_jsonl"])
    assert truth.format == "tvr" and list(truth) == ["7", "8", "9"] and not len(truth["9"])
    assert truth.lengths == {"garden": 60.5, "hedge": 50}
    assert truth.skipped == {"moments without length, which no result can hit: their topics have no target": 1}
    names = [f"spanHit(iou={iou})@{k}" for iou in (0.5, 0.7) for k in (1, 5)]
    results = bp.evaluate(truth, written["run_json"], names, by="type")
    assert results.mean() == {
        "VCMR": dict(zip(names, (0.5, 1.0, 0.5, 0.5), strict=True)),
        "SVMR": dict(zip(names, (0.5, 0.5, 0.5, 0.5), strict=True)),
    }
    first = bp.read_run(written["run_json"])
    assert [one["doc"] for one in first["7"]] == ["hedge", "garden"]
    assert first.skipped["queries of another task (SVMR), ignored"] == 2
    assert first.skipped["lists of whole videos (VR), ignored"] == 1
    shown = berrypick("evaluate", written["truth_jsonl"], written["run_json"], "-m", "spanHit(iou=0.5)@1")
    assert (
        shown.code == 0
        and "moments without length, which no result can hit: their topics have no target: 1" in shown.err
    )


def test_activitynet(files):
    path = files(x_json=json.dumps(ACTIVITYNET, indent=1))["x_json"]
    truth = bp.read_truth(path)
    assert truth.format == "activitynet" and sorted(truth.relevant_topics) == ["v_garden-0", "v_garden-1"]
    assert list(truth) == ["v_garden-0", "v_garden-1", "v_garden-2", "v_hedge-0"]
    assert list(truth["v_garden-1"]) == [{"doc": "v_garden", "start_time": 17, "end_time": 60.5, "grade": 1.0}]
    assert truth.lengths == {"v_garden": 82.5, "v_hedge": 30}
    assert truth.skipped == {
        "moments without length, which no result can hit: their topics have no target": 1,
        "moments that end before they start: their topics have no target": 1,
    }
    assert truth.fields["question"].values["v_garden-0"] == "A berry."
    assert bp.score("spanHit(iou=0.5)@1", truth, {"v_garden-0": {"v_garden#0-20": 1}}, topics="run") == 1.0


def test_charades_sta(files):
    truth = bp.read_truth(files(x_txt=CHARADES)["x_txt"])
    assert truth.format == "charades-sta" and list(truth) == ["1", "2", "3"]
    assert next(iter(truth["1"]))["end_time"] == 30.4 and truth.fields["question"].values["2"] == "rain."
    assert truth.skipped == {"moments without length, which no result can hit: their topics have no target": 1}


def test_ego4d(files):
    content = ego4d(
        query(4, 8), query(5, 5), query(None, None), query(1, 2, None), video_start_sec=10, video_end_sec=30
    )
    written = files(t_json=json.dumps(content, indent=1), r_json=json.dumps(answered([20, 30], [9, 3], [4, 7])))
    truth, run = bp.read_truth(written["t_json"]), bp.read_run(written["r_json"])
    assert (truth.format, run.format) == ("ego4d-nlq", "ego4d-nlq-run")
    assert list(truth) == ["a_0", "a_1", "a_3"] and truth.lengths == {"c": 20}
    assert truth.skipped == {
        "moments without length, which no result can hit: their topics have no target": 1,
        "queries without times, skipped": 1,
    }
    assert run.skipped == {"results that end before they start, which hit nothing": 1}
    for k, value in ((1, 0.0), (2, 0.0), (3, 1.0)):
        assert bp.score(f"spanHit(iou=0.5)@{k}", truth, run, topics="run") == value


def test_a_moment_behind_the_end_of_its_video_is_counted(files):
    path = files(x_jsonl=lines([*TVR[:2], {**TVR[1], "desc_id": 3, "ts": [50, 60]}]))["x_jsonl"]
    assert bp.read_truth(path).skipped == {
        "moments that start after the end of their video: their topics have no target": 1
    }


BAD = [
    ("tvr", lines([{**TVR[0], "ts": [[1, 2], [3, 4]]}]), ":1: ts must be a list of start and end"),
    ("tvr", lines([{**TVR[0], "duration": -4}]), ":1: duration must be a number of seconds above 0"),
    ("tvr", lines([TVR[0], {**TVR[1], "vid_name": "garden"}]), ":2:"),
    ("tvr", lines([{**TVR[0], "vid_name": None}]), ":1: vid_name is missing"),
    ("tvr-run", json.dumps({**PREDICTED, "video2idx": {"garden": 3}}), ":1: video2idx has no video 5"),
    ("tvr-run", json.dumps({**PREDICTED, "video2idx": {"a": 3, "b": 3}}), "two videos of video2idx have one number"),
    ("tvr-run", json.dumps({"video2idx": {}, "VR": []}), "has neither VCMR nor SVMR"),
    ("tvr-run", json.dumps({**PREDICTED, "VCMR": [{"desc_id": 7, "predictions": [[3, 1]]}]}), "predictions must be"),
    ("tvr-run", json.dumps({**PREDICTED, "VCMR": PREDICTED["VCMR"][:1] * 2}), "desc_id 7 is given twice in VCMR"),
    ("activitynet", json.dumps({"v": {"duration": 3, "timestamps": [[1, "2"]], "sentences": ["x"]}}), "timestamps mus"),
    ("activitynet", json.dumps({"v": {"duration": 3, "timestamps": [[1, 2]], "sentences": []}}), "sentences must be"),
    ("activitynet", json.dumps({"v": 3}), "timestamps must"),
    ("charades-sta", "GARDEN 1 2##x\nHEDGE one 2##y\n", ":2: is not VIDEO start end##sentence"),
    ("ego4d-nlq", json.dumps(ego4d(query("x", 3))), "clip_start_sec and clip_end_sec must be numbers"),
    ("ego4d-nlq", json.dumps(ego4d(query(1, 2), clip_uid=None)), "clip_uid is missing"),
    ("ego4d-nlq", json.dumps({"videos": [{"video_uid": "v", "clips": [{"clip_uid": "c", "annotations": [{}]}]}]}),
     "annotation_uid is missing"),
    ("ego4d-nlq-run", json.dumps(answered([1, 2], query_idx="0")), "query_idx must be a whole number"),
    ("ego4d-nlq-run", json.dumps(answered([1])), "predicted_times must be"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "content", "said"), BAD)
def test_what_is_wrong_is_said_with_its_line(files, name, content, said):
    path = files(bad_x=content)["bad_x"]
    with pytest.raises(bp.InputError) as error:
        formats.read_any(path, None, name)
    assert said in str(error.value) and str(path) in str(error.value)


def test_an_annotation_of_two_clips_is_refused(files):
    one, two = ego4d(query(1, 2)), ego4d(query(1, 2), clip_uid="d")
    one["videos"] += two["videos"]
    with pytest.raises(bp.InputError, match="annotation a belongs to clips c and d"):
        bp.read_truth(files(x_json=json.dumps(one))["x_json"])


NAMES = ["tvr", "tvr-run", "charades-sta", "activitynet", "ego4d-nlq", "ego4d-nlq-run", "qvhighlights"]


@pytest.mark.parametrize("name", NAMES)
def test_a_file_is_of_one_format(tmp_path, name):
    path = tmp_path / "x"
    path.write_text(sample(formats.by_name(name)))
    assert [one.name() for one in formats.sniff_all(str(path))] == [name]


@pytest.mark.parametrize(
    "text",
    [
        '{"videos": [{"video_uid": "v", "clips": [{"clip_uid": "c", "annotations": [{"labels": []}]}]}]}',
        '{"videos": ["a", "b"], "clips": 3}',
        '{"results": [{"clip_uid": "c"}]}',
        '{"v": {"duration": 3, "subset": "training", "annotations": []}}',
        '{"desc_id": 7, "desc": "x"}',
        "GARDEN 24.3 30.4 # a person",
        "1 0 a 1##x",
    ],
)
def test_what_is_none_of_them_is_not_taken_for_one(files, text):
    path = files(x_x=text)["x_x"]
    assert not {one.name() for one in formats.sniff_all(str(path))} & set(NAMES)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_they_are_checked_and_converted(tmp_path, berrypick, name):
    cls = formats.by_name(name)
    path, out = tmp_path / "x", tmp_path / "out.jsonl"
    path.write_text(sample(cls))
    assert berrypick("check", path).code == 0
    assert berrypick("convert", path, out, "--to", f"span-{cls.role}").code == 0
    before, after = formats.read_any(path, cls.role), formats.read_any(out, cls.role)
    assert list(before) == list(after)
    assert [list(before[topic]) for topic in before] == [list(after[topic]) for topic in after]
