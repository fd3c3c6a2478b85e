"""Labels beside evidence: FEVER's score and SciFact's abstracts, by hand and by slow twins of their programs."""

from __future__ import annotations

import json
import random
from collections import Counter

import pytest
from many_cases import each

import berrypick as bp

NO_INFO = "NOT ENOUGH INFO"
SENTENCES = [["Jam", 0], ["Jam", 1], ["Pot", 0], ["Pot", 2], ["Lid", 5]]


def put(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


# --- FEVER ----------------------------------------------------------------------------------------------------------


def strict(label, sets, said, predicted):
    """The label is right; unless there is not enough information, the first five hold all of some set."""
    if label.upper() != said.upper():
        return False
    return label.upper() == NO_INFO or any(all(one in predicted[:5] for one in group) for group in sets)


def in_order(values):
    return [values[str(i)] for i in range(len(values))]


def fever(folder, claims):
    gold = [
        {"id": i, "label": label, "claim": "..", "evidence": [[[0, 0, *one] for one in group] for group in sets]}
        for i, (label, sets, _, _) in enumerate(claims)
    ]
    guess = [{"id": i, "predicted_label": said, "predicted_evidence": of} for i, (_, _, said, of) in enumerate(claims)]
    return put(folder / "gold.jsonl", gold), put(folder / "guess.jsonl", guess)


def test_fever_score_by_hand(tmp_path):
    claims = [
        ("SUPPORTS", [[["Jam", 0], ["Pot", 2]], [["Lid", 5]]], "SUPPORTS", [["Jam", 1], ["Lid", 5]]),
        ("SUPPORTS", [[["Jam", 0], ["Pot", 2]]], "SUPPORTS", [["Jam", 0]]),  # half a set
        ("REFUTES", [[["Jam", 0]]], "SUPPORTS", [["Jam", 0]]),  # another label
        (NO_INFO, [], "not enough info", [["Jam", 0]]),  # evidence does not matter
        (NO_INFO, [], "REFUTES", []),
        ("SUPPORTS", [[["Jam", 0]]], "SUPPORTS", [["Pot", line] for line in range(5)] + [["Jam", 0]]),  # the sixth
        ("REFUTES", [], "REFUTES", [["Jam", 0]]),  # no evidence: never complete
    ]
    results = bp.evaluate(*fever(tmp_path, claims), None, protocol="fever-labels")
    assert in_order(results.per_topic()["guess"]["Verified@5"]) == [1, 0, 0, 1, 0, 0, 0]
    assert results.mean()["guess"]["Verified@5"] == pytest.approx(2 / 7)
    assert results.mean()["guess"]["Verified(evidence=False)"] == pytest.approx(5 / 7)
    shown = str(bp.explain(tmp_path / "gold.jsonl", tmp_path / "guess.jsonl", "Verified@5", "2"))
    assert "The label is REFUTES, the predicted one SUPPORTS." in shown


def test_fever_score_of_generated_claims(tmp_path):
    chance = random.Random(5)
    claims = []
    for _ in range(200):
        label, said = (chance.choice(["SUPPORTS", "REFUTES", NO_INFO]) for _ in "12")
        sets = [chance.sample(SENTENCES, chance.randint(1, 2)) for _ in range(0 if label == NO_INFO else 2)]
        claims.append((label, sets, chance.choice([label, said]), chance.choices(SENTENCES, k=chance.randrange(8))))
    found = bp.evaluate(*fever(tmp_path, claims), "Verified@5 Verified(evidence=False)").per_topic()["guess"]
    expected = [strict(*one) for one in claims]
    assert in_order(found["Verified@5"]) == expected and 20 < sum(expected) < 180
    assert in_order(found["Verified(evidence=False)"]) == [label == said for label, _, said, _ in claims]


def test_labels_that_are_missing_or_foreign(tmp_path, berrypick):
    gold, guess = fever(tmp_path, [("REFUTES", [[["Jam", 0]]], "REFUTED", [["Jam", 0]])])
    said = berrypick("evaluate", gold, guess, "-m", "Verified@5", "-o", "tsv")
    assert said.out.split()[-1] == "0.0"
    assert "predicted labels other than SUPPORTS, REFUTES, NOT ENOUGH INFO, and never right ('REFUTED')" in said.err
    rows = [{"id": 0, "predicted_label": "REFUTES", "predicted_evidence": []}, {"id": 1, "predicted_evidence": []}]
    half = bp.read_run(put(guess, rows))
    assert (
        half.skipped == {"predictions without a label, although others have one: labels are ignored": 1}
        and not half.of_topics.extra
    )
    bare = {"id": 0, "predicted_evidence": [["Jam", 0]]}
    said = berrypick("evaluate", gold, put(guess, [bare]), "-m", "Verified@5")
    assert said.out.split()[-1] == "0.0000" and "results but no labels, which count as wrong" in said.err
    refused = berrypick(
        "evaluate", put(tmp_path / "t.jsonl", [{"topic": "0", "doc": "Jam"}]), guess, "-m", "Verified@5"
    )
    assert refused.code == 2


def test_labels_are_left_out_of_other_formats_and_that_is_said(tmp_path, berrypick):
    gold, guess = fever(tmp_path, [("REFUTES", [[["Jam", 0]]], "REFUTES", [["Jam", 0]])])
    for path, form in ((gold, "span-truth"), (guess, "span-run")):
        said = berrypick("convert", path, tmp_path / "again.jsonl", "--to", form)
        assert said.code == 0 and "has no labels: not written" in said.err


# --- SciFact --------------------------------------------------------------------------------------------------------


def scifact_counts(gold, guess):
    """What the program adds up, claim by claim."""
    total = Counter()
    for wanted, said in zip(gold, guess, strict=True):
        total["wanted"] += len(wanted)
        for name, (label, sentences) in said.items():
            total["returned"] += 1
            if name not in wanted or wanted[name][0] != label:
                continue
            sets = [{*one} for one in wanted[name][1]]
            total["labelled"] += 1
            total["reasoned"] += any(one <= {*sentences[:3]} for one in sets)
            total["sentences"] += sum(any(at in one and one <= {*sentences} for one in sets) for at in {*sentences})
    return total


def test_scifact_of_generated_claims(tmp_path):
    chance = random.Random(8)
    gold, guess = [], []
    for _ in range(60):
        labels = ["SUPPORT", "CONTRADICT"]
        wanted = {}
        for name in chance.sample(["41", "42", "43"], chance.randrange(3)):
            pool = chance.sample(range(6), 4)  # a sentence is in one rationale
            wanted[name] = (chance.choice(labels), [pool[:2], pool[2 : 2 + chance.randint(1, 2)]])
        gold.append(wanted)
        some = chance.sample(["41", "42", "43"], chance.randrange(4))
        guess.append({name: (chance.choice(labels), chance.sample(range(6), chance.randrange(6))) for name in some})
    truth = [
        {
            "id": i,
            "claim": "..",
            "evidence": {n: [{"sentences": s, "label": lb} for s in sets] for n, (lb, sets) in one.items()},
        }
        for i, one in enumerate(gold)
    ]
    run = [
        {"id": i, "evidence": {name: {"sentences": of, "label": label} for name, (label, of) in one.items()}}
        for i, one in enumerate(guess)
    ]
    files = put(tmp_path / "gold.jsonl", truth), put(tmp_path / "guess.jsonl", run)
    found = bp.evaluate(*files, None, protocol="scifact-labels").mean()["guess"]
    expected = scifact_counts(gold, guess)
    assert {of: found[f"Abstracts(of='{of}')"] for of in expected} == expected and len(expected) == 5
    assert expected["reasoned"] < expected["labelled"] < expected["returned"]


@each(
    ("label", "of", "value"),
    [("NOT_ENOUGH_INFO", "returned", 0), ("SUPPORT", "reasoned", 0), ("CONTRADICT", "labelled", 0)],
)
def test_scifact_by_hand(tmp_path, label, of, value):
    """The rationale is complete with the fourth sentence, which is one too many for an abstract."""
    evidence = {"41": [{"sentences": [2, 5], "label": "SUPPORT"}]}
    truth = put(tmp_path / "gold.jsonl", [{"id": 7, "claim": "..", "evidence": evidence}])
    said = {"41": {"sentences": [2, 1, 0, 5], "label": label}}
    run = put(tmp_path / "guess.jsonl", [{"id": 7, "evidence": said}])
    assert bp.score(f"Abstracts(of='{of}')", truth, run) == value
    assert bp.score("Abstracts(of='sentences')", truth, run) == (2 if label == "SUPPORT" else 0)
    assert "SUPPORT 2 5" in str(bp.explain(truth, run, f"Abstracts(of='{of}')", "7"))
