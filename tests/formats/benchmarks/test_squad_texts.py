"""Answers of SQuAD are checked against the texts beside them."""

from __future__ import annotations

import json

import pytest

import berrypick as bp
from berrypick.data.words import counted


def lines(records) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


SENTENCES = "It rained. Cut the old canes in autumn. Then rest. \n Compost needs air. It does."


def squad(shift: int, short: str = "") -> str:
    answers = ["old canes", "autumn", "Compost needs air"]
    asked = [{"id": f"q{i}", "question": "?", "answers": [{"text": one, "answer_start": SENTENCES.index(one) + shift}]}
             for i, one in enumerate(answers)]  # fmt: skip
    context = SENTENCES + " Here it ends." * 5 + short
    return json.dumps({"data": [{"title": "B", "paragraphs": [{"context": context, "qas": asked}]}]}, indent=1)


@pytest.mark.slow
@pytest.mark.parametrize("shift", [40, -1, 1, 3000, -8])
def test_squad_is_checked_against_itself(files, berrypick, tmp_path, shift):
    result = {"topic": "q0", "doc": "B/0", "start": 0, "end": 9, "rank": 1}
    written = files(bad_json=squad(shift), good_json=squad(0), run_jsonl=lines([result]))
    bad, good, run = (written[name] for name in ("bad_json", "good_json", "run_jsonl"))
    found = berrypick("check", bad)
    assert found.code == 2 and f"{bad}:10: topic q0: the span" in found.out
    way = "low, a" if shift < 0 else "high, a"
    said = "a constant shift of 1" if shift == 1 else f"all are {counted(abs(shift), 'character')} too {way} constant"
    assert f"3 of 3 quotes are not at their offsets: {said}" in found.out
    for command in (("evaluate",), ("explain", "--topic", "q0")):
        done = berrypick(command[0], bad, run, "-m", "charR", *command[1:])
        assert done.code == 2 and f"{bad}:10: topic q0: the span" in done.err, command
    said = berrypick("evaluate", bad, run, "-m", "charR", "--text-mismatch", "note")
    if shift < 100:  # beyond the end nothing can be used as it is
        assert said.code == 0 and "3 of 3 quotes are not at their offsets" in said.err
    fine = berrypick("check", good)
    assert fine.code == 0 and "3 quotes compared with the file itself" in fine.out
    assert berrypick("evaluate", good, run, "-m", "charR").code == 0
    repaired = berrypick("locate", bad, tmp_path / "out.jsonl", "--documents", bad, "--repair", abs(shift))
    assert repaired.code == 0, repaired.err
    assert [json.loads(line)["start"] for line in (tmp_path / "out.jsonl").read_text().splitlines()] == [19, 32, 53]
    if abs(shift) <= 100:
        assert f"locate with --repair {abs(shift)} moves them" in found.out
    converted = berrypick("convert", bad, tmp_path / "converted.jsonl")
    assert converted.code == 0 and "3 of 3 quotes are not at their offsets" in converted.err


def test_two_texts_of_one_document_in_squad(files, berrypick):
    both = json.loads(squad(0))
    both["data"] += json.loads(squad(0, " More."))["data"]
    found = berrypick("check", files(both_json=json.dumps(both))["both_json"])
    assert found.code == 2 and "document B/0 has two texts" in found.out


def test_a_relocated_truth_is_not_checked_against_the_old_texts(files):
    path = files(good_json=squad(0))["good_json"]
    old = bp.read_truth(path)
    new = {"B/0": "A new beginning. " + SENTENCES}
    moved = bp.relocate(old, path, new).truth
    run = {"q0": [{"doc": "B/0", "start": 0, "end": len(new["B/0"])}]}
    for more in ({}, {"documents": new}):
        assert bp.score("charR", moved, run, topics="run", **more) == 1
