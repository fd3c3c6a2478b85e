"""FEVER's scorer, by hand and by a slow twin."""

from __future__ import annotations

import json
import random

import pytest

import berrypick as bp


def precision(evidence, predicted):
    """Of the first five predictions the share that is evidence; repeated ones count each; 1 without any."""
    good = {(page, line) for one in evidence for page, line in one}
    first = predicted[:5]
    return sum((page, line) in good for page, line in first) / len(first) if first else 1.0


def recall(evidence, predicted):
    """Whether some set is complete in the first five; a claim without evidence counts as complete."""
    first = {tuple(one) for one in predicted[:5]}
    return float(not evidence or any({*map(tuple, one)} <= first for one in evidence))


def files(folder, claims):
    """Gold and predictions of (label, sets, predicted)."""
    gold = [
        {"id": i, "label": label, "claim": "..", "evidence": [[[0, 0, *one] for one in group] for group in sets]}
        for i, (label, sets, _) in enumerate(claims)
    ]
    guess = [{"id": i, "predicted_evidence": predicted} for i, (_, _, predicted) in enumerate(claims)]
    for name, rows in (("gold.jsonl", gold), ("guess.jsonl", guess)):
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder / "gold.jsonl", folder / "guess.jsonl"


BY_HAND = [
    # half of what is predicted is evidence, and completes the second set
    ("SUPPORTS", [[["Jam", 0], ["Pot", 3]], [["Lid", 1]]], [["Lid", 1], ["Lid", 2]]),
    # one sentence of two: precise, and worth nothing to recall
    ("REFUTES", [[["Jam", 0], ["Pot", 3]]], [["Jam", 0]]),
    # nothing is predicted: precision 1
    ("SUPPORTS", [[["Jam", 0]]], []),
    # no evidence: recall 1, and what is predicted is wrong
    ("REFUTES", [], [["Jam", 0]]),
    # the sixth prediction is not read
    ("SUPPORTS", [[["Jam", 9]]], [["Jam", line] for line in (0, 1, 2, 3, 4, 9)]),
    # repeated predictions count each: 2 of 3
    ("SUPPORTS", [[["Jam", 0]]], [["Jam", 0], ["Jam", 0], ["Jam", 1]]),
]
PRECISION = [0.5, 1.0, 1.0, 0.0, 0.0, 2 / 3]
RECALL = [1.0, 0.0, 0.0, 1.0, 0.0, 1.0]


def test_by_hand(tmp_path):
    for i, (_, sets, predicted) in enumerate(BY_HAND):
        assert precision(sets, predicted) == pytest.approx(PRECISION[i])
        assert recall(sets, predicted) == RECALL[i]
    nothing = ("NOT ENOUGH INFO", [[[None, None]]], [["Jam", 0]])
    results = bp.evaluate(*files(tmp_path, [*BY_HAND, nothing]), None, protocol="fever")
    found = results.per_topic()["guess"]
    names = [str(i) for i in range(len(BY_HAND))]
    assert [found["charP@5"][name] for name in names] == pytest.approx(PRECISION)
    assert [found["Enough@5"][name] for name in names] == RECALL
    assert found["charP@5"]["6"] is None and found["Enough@5"]["6"] is None, "left out"
    means = results.mean()["guess"]
    assert means == pytest.approx({"charP@5": sum(PRECISION) / 6, "Enough@5": sum(RECALL) / 6})
    said = str(results)
    assert "1 where nothing is relevant, as protocol fever does" in said
    assert "1 judged topic has nothing relevant; its value is undefined" in said


def test_without_the_protocol_an_empty_prediction_has_no_precision(tmp_path):
    results = bp.evaluate(*files(tmp_path, BY_HAND), "charP@5 Enough@5 charP(empty=1)@5")
    found = results.per_topic()["guess"]
    assert found["charP@5"]["2"] == 0.0 and found["charP(empty=1)@5"]["2"] == 1.0
    assert found["charP@5"]["3"] is None and found["Enough@5"]["3"] is None
    assert found["charP@5"]["5"] == 0.5, "text counts once"
    with pytest.raises(bp.UsageError, match="a precision from 0 to 1"):
        bp.evaluate(*files(tmp_path, BY_HAND), "charP(empty=2)")


@pytest.mark.slow
def test_generated_claims_against_the_twin(tmp_path):
    chance = random.Random(30)
    sentences = [["Jam", 0], ["Jam", 1], ["Pot", 0], ["Pot", 2], ["Lid", 5]]
    claims = []
    for _ in range(300):
        sets = [chance.sample(sentences, chance.randint(1, 3)) for _ in range(chance.randrange(4))]
        claims.append((chance.choice(["SUPPORTS", "REFUTES"]), sets, chance.choices(sentences, k=chance.randrange(8))))
    found = bp.evaluate(*files(tmp_path, claims), None, protocol="fever").per_topic()["guess"]
    for i, (_, sets, predicted) in enumerate(claims):
        assert found["charP@5"][str(i)] == pytest.approx(precision(sets, predicted), abs=1e-12), claims[i]
        assert found["Enough@5"][str(i)] == recall(sets, predicted), claims[i]


def test_explained(tmp_path):
    gold, guess = files(tmp_path, BY_HAND)
    shown = str(bp.explain(gold, guess, measure="charP@5", topic="2", protocol="fever"))
    assert "charP" in shown and "1" in shown
    assert "0: nothing is relevant, as protocol fever counts it" in str(
        bp.explain(gold, guess, measure="charP@5", topic="3", protocol="fever")
    )
