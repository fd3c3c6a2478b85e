"""FEVER in the flat shape of Hugging Face is the same truth as in its own."""

import csv
import json
import random

import pytest
from format_samples import flat
from many_cases import each

import berrypick as bp
from berrypick import formats

SETS = [[[131, 44, "Station", 0]], [[131, 48, "Station", 1]], [[131, 50, "Station", 4], [131, 50, "Us", 0]]]
CLAIMS = [
    {"id": 111897, "label": "REFUTES", "claim": "The station sends in English, only.", "evidence": SETS},
    {"id": 8, "label": "NOT ENOUGH INFO", "claim": "Hedges sing.", "evidence": [[[2, None, None, None]]]},
    {"id": 9, "label": "SUPPORTS", "claim": 'It is "jam".', "evidence": [[[5, 6, "Jam", 3]], [[7, 8, "Jam", 3]]]},
]
NAMES = ("evidence_annotation_id", "evidence_id", "evidence_wiki_url", "evidence_sentence_id")


def flattened(claims):
    """Rows as the converter makes them: whatever is false becomes -1 or an empty text, sentence 0 included."""
    for claim in claims:
        about = {name: claim[name] for name in ("id", "label", "claim")}
        for annotation, evidence, page, line in (one for group in claim["evidence"] for one in group):
            values = (annotation or -1, evidence or -1, page or "", line or -1)
            yield {**about, **dict(zip(NAMES, values, strict=True))}


def written(path, rows, ending):
    path = path.with_suffix(f".{ending}")
    rows = list(rows)
    if ending == "csv":
        with path.open("w", newline="") as out:
            table = csv.DictWriter(out, list(rows[0]))
            table.writeheader()
            table.writerows(rows)
    elif ending == "parquet":
        pytest.importorskip("pandas").DataFrame(rows).to_parquet(path)
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def nested(path, claims):
    path.write_text("".join(json.dumps(claim) + "\n" for claim in claims))
    return bp.read_truth(path)


@each("ending", ["jsonl", "csv", "parquet"])
def test_the_same_truth_as_the_nested_shape(tmp_path, ending):
    own = nested(tmp_path / "own.jsonl", CLAIMS)
    path = written(tmp_path / "rows", flattened(CLAIMS), ending)
    rows = bp.read_truth(path, "fever-rows" if ending == "parquet" else None)
    assert rows.format == "fever-rows" and own.format == "fever"
    assert flat(rows.topics) == flat(own.topics) and rows.unanswerable == own.unanswerable == ("8",)
    assert {name: one.values for name, one in rows.fields.items()} == {n: o.values for n, o in own.fields.items()}
    assert [(one["doc"], one["set"]) for one in rows["111897"]][2:] == [("Station", "3"), ("Us", "3")]
    assert rows.skipped == {"sentences -1 of a page, read as sentence 0": 2, **own.skipped}


def made(chance, name):
    label = chance.choice(["SUPPORTS", "REFUTES", "NOT ENOUGH INFO"])
    if label == "NOT ENOUGH INFO":
        return {"id": name, "label": label, "claim": f"c{name}", "evidence": [[[1, None, None, None]]]}
    sets = []
    for number in range(1, chance.randint(2, 5)):
        annotation = chance.randint(1, 3)  # which makes several sets
        places = [(chance.choice("AB"), chance.randint(0, 3)) for _ in range(chance.choice([1, 1, 2, 3]))]
        sets.append([[annotation, 100 * name + number, page, line] for page, line in places])
    return {"id": name, "label": label, "claim": f"c{name}", "evidence": sets}


@pytest.mark.slow
def test_generated_claims_in_any_order_of_rows(tmp_path):
    chance = random.Random(9)
    claims = [made(chance, name) for name in range(40)]
    own = nested(tmp_path / "own.jsonl", claims)
    guess = [
        {"id": name, "predicted_evidence": [[chance.choice("AB"), chance.randint(0, 3)] for _ in range(4)]}
        for name in range(40)
    ]
    run = written(tmp_path / "run", guess, "jsonl")
    expected = bp.evaluate(own, run, "Enough@5 Sets@5 charP@5").per_topic()
    rows = [*flattened(claims)]
    for _ in range(2):
        found = bp.read_truth(written(tmp_path / "rows", rows, "jsonl"))
        values = bp.evaluate(found, run, "Enough@5 Sets@5 charP@5").per_topic()
        for measure, topics in expected["run"].items():
            assert values["run"][measure] == pytest.approx(topics)
        assert {*found.unanswerable} == {*own.unanswerable}
        chance.shuffle(rows)
    assert 0 < bp.evaluate(own, run, "Enough@5").mean()["run"]["Enough@5"] < 1


BAD = [
    ({"label": "MAYBE"}, "rows.jsonl:2: label must be one of SUPPORTS, REFUTES, NOT ENOUGH INFO, not 'MAYBE'"),
    ({"claim": "Another."}, "rows.jsonl:2: claim 111897 has another text or label in line 1"),
    ({"evidence_sentence_id": "x"}, "rows.jsonl:2: evidence has no place"),
    ({"evidence_wiki_url": ""}, "rows.jsonl:2: evidence has no place"),
    ({"id": None}, "rows.jsonl:2: id is missing"),
]


@each(("change", "message"), BAD)
def test_what_cannot_be_understood(tmp_path, change, message):
    rows = [*flattened(CLAIMS)]
    with pytest.raises(bp.InputError, match=message):
        bp.read_truth(written(tmp_path / "rows", [rows[0], {**rows[2], **change}], "jsonl"))


def test_losses_are_counted_and_it_is_converted(tmp_path, berrypick):
    rows = [*flattened(CLAIMS)]
    unlabelled = {**rows[0], "id": 3, "label": "", "evidence_wiki_url": "", "evidence_sentence_id": -1}
    odd = {**rows[0], "id": 8, "label": "NOT ENOUGH INFO", "claim": "Hedges sing."}
    path = written(tmp_path / "rows", [*rows, unlabelled, odd], "jsonl")
    said = berrypick("check", path)
    assert said.code == 0 and "fever-rows, 4 topics" in said.out and "1 topic without an answer" in said.out
    assert "1 claims without evidence, not judged" in said.out
    assert "1 rows of evidence for claims with the label NOT ENOUGH INFO, skipped" in said.out
    assert [one.name() for one in formats.sniff_all(str(path))] == ["fever-rows"]
    assert berrypick("convert", path, tmp_path / "again.jsonl", "--to", "span-truth").code == 0
    again, own = (flat(bp.read_truth(one).topics, ("extra", "line")) for one in (tmp_path / "again.jsonl", path))
    assert again == own
