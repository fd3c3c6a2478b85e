"""Commands that move judgements keep their sets, or refuse to make these smaller."""

import pytest

import berrypick as bp


def meaning(truth):
    return {name: topic.sets or topic.hops for name, topic in truth.topics.items()}


def test_relocated_spans_keep_their_sets():
    truth = [{"topic": "1", "doc": "a", "start": 0, "end": 3, "set": "x"},
             {"topic": "1", "doc": "a", "start": 8, "end": 17, "set": "x"}]  # fmt: skip
    old, new = {"a": "Cut the old canes."}, {"a": "In autumn: Cut the old canes."}
    assert meaning(bp.relocate(truth, old, new).truth) == {"1": (("x",), ("x",))}
    with pytest.raises(bp.UsageError, match="which would look complete without a#8-17"):
        bp.relocate(truth, old, {"a": "In autumn: Cut the grass."})


GUIDE = {"guide.md": "Cut the old canes in autumn. Water in July."}


def test_adopted_gold_keeps_its_sets():
    golden = [
        {"question": "When?", "doc": "guide.md", "quote": "old canes", "set": "x"},
        {"question": "When?", "doc": "guide.md", "quote": "Water in July", "set": ["x", "y"]},
        {"question": "What?", "doc": "guide.md", "quote": ["old canes", "Water"], "hop": ["1", "2"]},
    ]
    adopted = bp.adopt(golden, documents=GUIDE)
    assert meaning(adopted) == {"1": (("x",), ("x", "y")), "2": (("1",), ("2",))}
    golden[1]["quote"] = "Nobody mows the lawn here"
    with pytest.raises(bp.InputError, match="topic 1 names sets or hops, which would look complete without"):
        bp.adopt(golden, documents=GUIDE, partial=True)
    golden[2]["hop"] = ["1", "2", "3"]
    with pytest.raises(bp.InputError, match="hop is a list of 3, but there are 2 quotes"):
        bp.adopt(golden, documents=GUIDE)
