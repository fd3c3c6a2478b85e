"""Passages that a golden file marks as irrelevant are judged, and not relevant, in every shape of golden file."""

import csv
import json

import pandas
import polars
import pytest
from many_cases import each

import berrypick as bp

NAMES = ["relevant", "is_relevant", "relevance", "relevance_label", "is_selected", "is_supporting", "is_positive",
         "label", "labels", "judgement", "judgment", "grade", "rel", "isRelevant", "is-relevant", "LABEL"]  # fmt: skip
VALUES = {
    "numbers": (1, 0),
    "booleans": (True, False),
    "words true": ("True", "false"),
    "words yes": ("YES", "no"),
    "words relevant": ("relevant", "irrelevant"),
    "words not relevant": ("Relevant", "Not relevant"),
    "words positive": ("positive", "negative"),
    "words support": ("SUPPORT", "NOT_SUPPORT"),
    "partially": ("partially relevant", "irrelevant"),
}
TEXTS = {
    "guide.md": "Cut the old canes in autumn. Water the young ones in July.",
    "faq.md": "Nets keep birds away. Mulch keeps the roots cool.",
}
#: Question, and its passages with whether they are relevant.
ASKED = [
    ("When are canes cut?", [("Cut the old canes in autumn.", True), ("Water the young ones in July.", False)]),
    ("What keeps roots cool?", [("Nets keep birds away.", False), ("Mulch keeps the roots cool.", True)]),
]
#: Place and grade, by hand.
EXPECTED = {
    ("1", "guide.md", 0, 28): 1,
    ("1", "guide.md", 29, 58): 0,
    ("2", "faq.md", 0, 21): 0,
    ("2", "faq.md", 22, 49): 1,
}


def one_a_row(name, yes, no):
    return [
        {"question": asked, "context": text, name: yes if relevant else no}
        for asked, passages in ASKED
        for text, relevant in passages
    ]


def lists(name, yes, no, question="question", quotes="contexts"):
    return [
        {question: asked, quotes: [text for text, _ in held], name: [yes if relevant else no for _, relevant in held]}
        for asked, held in ASKED
    ]


def objects(name, yes, no, passages="contexts", text="text"):
    return [
        {"question": asked, passages: [{text: one, name: yes if relevant else no} for one, relevant in held]}
        for asked, held in ASKED
    ]


def ms_marco(name, yes, no):
    return [
        {
            "query": asked,
            "query_id": number,
            "query_type": "DESCRIPTION",
            "answers": ["No Answer Present."],
            "passages": {
                name: [yes if relevant else no for _, relevant in held],
                "passage_text": [text for text, _ in held],
                "url": [f"https://example.org/{i}" for i in range(len(held))],
            },
        }
        for number, (asked, held) in enumerate(ASKED, 1)
    ]


def langsmith(name, yes, no):
    return [
        {"inputs": {"question": row["question"]}, "outputs": {key: row[key] for key in ("contexts", name)}}
        for row in lists(name, yes, no)
    ]


SHAPES = {
    "one a row": one_a_row,
    "parallel lists": lists,
    "ragas": lambda *given: lists(*given, question="user_input", quotes="reference_contexts"),
    "DeepEval": lambda *given: lists(*given, question="input", quotes="context"),
    "passages": lambda *given: lists(*given, question="query", quotes="passages"),
    "objects": objects,
    "objects as passages": lambda *given: objects(*given, passages="passages", text="passage_text"),
    "Haystack": lambda *given: objects(*given, passages="ground_truth_documents", text="content"),
    "MS MARCO": ms_marco,
    "LangSmith": langsmith,
}


def graded(truth):
    records = [record for record in truth.to_records() if "start" in record]
    return {(one["topic"], one["doc"], one["start"], one["end"]): one["grade"] for one in records}


@pytest.mark.slow
@each(["shape", "name"], [(shape, name) for shape in SHAPES for name in NAMES])
def test_every_shape_with_every_name_and_value(shape, name):
    for style, (yes, no) in VALUES.items():
        truth = bp.adopt(SHAPES[shape](name, yes, no), TEXTS)
        assert graded(truth) == EXPECTED, style
        [guess] = [one for one in truth.guesses if one.role == "grade"]
        assert guess.certain and guess.field.rpartition(".")[2] == name, style


def as_csv(rows, folder, mark):
    path = folder / "golden.csv"
    with path.open("w", newline="") as out:
        table = csv.DictWriter(out, list(rows[0]), delimiter=mark)
        table.writeheader()
        table.writerows(rows)
    return path


def written(path, text):
    path.write_text(text)
    return path


def as_parquet(rows, folder):
    polars.DataFrame(rows).write_parquet(folder / "golden.parquet")
    return folder / "golden.parquet"


CARRIERS = {
    "JSON": lambda rows, folder: written(folder / "golden.json", json.dumps(rows)),
    "JSON, wrapped": lambda rows, folder: written(folder / "golden.json", json.dumps({"examples": rows})),
    "JSON Lines": lambda rows, folder: written(folder / "golden.jsonl", "\n".join(map(json.dumps, rows))),
    "YAML": lambda rows, folder: written(folder / "golden.yaml", json.dumps(rows)),  # YAML is a superset of JSON
    "CSV": lambda rows, folder: as_csv(rows, folder, ","),
    "CSV with semicolons": lambda rows, folder: as_csv(rows, folder, ";"),
    "Parquet": as_parquet,
    "pandas": lambda rows, folder: pandas.DataFrame(rows),
    "polars": lambda rows, folder: polars.DataFrame(rows),
    "records": lambda rows, folder: rows,
}


@pytest.mark.slow
@each(["carrier", "shape"], [(c, s) for c in CARRIERS for s in ("one a row", "parallel lists", "objects", "MS MARCO")])
def test_every_carrier(carrier, shape, tmp_path):
    if carrier.startswith("CSV") and shape in ("objects", "MS MARCO"):
        return  # cells hold no objects
    for yes, no in VALUES.values():
        given = CARRIERS[carrier](SHAPES[shape]("is_selected", yes, no), tmp_path)
        assert graded(bp.adopt(given, TEXTS)) == EXPECTED


def test_relevant_is_two_where_partially_relevant_is_one():
    rows = one_a_row("label", "relevant", "partially relevant")
    assert graded(bp.adopt(rows, TEXTS)) == {place: 2 if grade else 1 for place, grade in EXPECTED.items()}


def test_grades_stay():
    rows = lists("relevance", 3, 0.5)
    assert graded(bp.adopt(rows, TEXTS)) == {place: 3 if grade else 0.5 for place, grade in EXPECTED.items()}


@each(["carrier", "bad"], [(carrier, bad) for carrier in CARRIERS for bad in ("perhaps", None)])
def test_another_value_is_an_error_with_its_line(carrier, bad, tmp_path):
    rows = one_a_row("is_relevant", "yes", "no")
    rows[2]["is_relevant"] = bad
    with pytest.raises(bp.InputError) as error:
        bp.adopt(CARRIERS[carrier](rows, tmp_path), TEXTS)
    assert "is_relevant is null" in str(error.value) if bad is None else "not 'perhaps'" in str(error.value)
    line = {"CSV": 4, "CSV with semicolons": 4, "JSON": 1, "JSON, wrapped": 1, "YAML": 1}.get(carrier, 3)
    assert error.value.line == line
    if bad is not None:
        assert graded(bp.adopt(CARRIERS[carrier](rows, tmp_path), TEXTS, fields="is_relevant=")) == dict.fromkeys(
            EXPECTED, 1
        )


def test_nothing_but_nulls_is_an_error():
    with pytest.raises(bp.InputError, match="is_relevant is null"):
        bp.adopt(one_a_row("is_relevant", None, None), TEXTS)
    with pytest.raises(bp.InputError, match=r"contexts\.relevant is null"):
        bp.adopt(objects("relevant", None, None), TEXTS)
    with pytest.raises(bp.InputError, match=r"contexts\.relevant is null"):
        bp.adopt(objects("relevant", True, None), TEXTS)


def test_a_list_of_another_length_is_an_error():
    rows = lists("labels", 1, 0)
    rows[1]["labels"] = [1]
    with pytest.raises(bp.InputError, match="labels is a list of 1, but there are 2 quotes"):
        bp.adopt(rows, TEXTS)


def test_words_of_another_kind_are_refused():
    """A label that is not one of relevance would make every passage relevant."""
    with pytest.raises(bp.InputError, match="label must be a number or a word of relevance, not 'pruning'") as error:
        bp.adopt(one_a_row("label", "pruning", "watering"), TEXTS)
    assert "label=" in str(error.value)
    rows = one_a_row("label", "pruning", "watering")
    assert graded(bp.adopt(rows, TEXTS, fields="label=")) == dict.fromkeys(EXPECTED, 1)


def test_a_list_under_relevant_may_be_the_gold():
    rows = [{"question": asked, "relevant": [text for text, yes in held if yes]} for asked, held in ASKED]
    assert graded(bp.adopt(rows, TEXTS, yes=True)) == {place: 1 for place, grade in EXPECTED.items() if grade}


@pytest.mark.slow
@each("name", ["score", "rating", "target", "gold", "verdict"])
def test_an_open_field_is_asked_about(name, tmp_path, berrypick):
    for yes, no in ((1, 0), (True, False), ("yes", "no"), ("relevant", "irrelevant")):
        rows = one_a_row(name, yes, no)
        with pytest.raises(bp.UsageError) as error:
            bp.adopt(rows, TEXTS)
        assert f"grade: {name}" in str(error.value) and f"{name}=" in str(error.value)
        assert graded(bp.adopt(rows, TEXTS, yes=True)) == EXPECTED
        assert graded(bp.adopt(rows, TEXTS, fields={"grade": name})) == EXPECTED
        for ignored in (f"{name}=", "grade="):
            assert graded(bp.adopt(rows, TEXTS, fields=ignored)) == dict.fromkeys(EXPECTED, 1)
    others = one_a_row(name, "Prune in autumn, after the harvest.", "Berlin")
    assert graded(bp.adopt(others, TEXTS)) == dict.fromkeys(EXPECTED, 1)
    golden = written(tmp_path / "golden.json", json.dumps(one_a_row(name, 1, 0)))
    documents = tmp_path / "texts"
    documents.mkdir()
    for document, text in TEXTS.items():
        (documents / document).write_text(text)
    target = tmp_path / "truth.jsonl"
    refused = berrypick("adopt", golden, "--documents", documents, "-o", target)
    assert refused.code == 2 and not target.exists() and f"--fields {name}=" in refused.err
    done = berrypick("adopt", golden, "--documents", documents, "-o", target, "--fields", f"grade={name}")
    assert done.code == 0 and graded(bp.read_truth(target)) == EXPECTED


def test_an_open_field_beside_a_grade_is_not_asked_about():
    rows = [{**row, "score": 0.3} for row in one_a_row("is_relevant", True, False)]
    assert graded(bp.adopt(rows, TEXTS)) == EXPECTED


def test_two_fields_of_relevance_that_differ_are_asked_about():
    rows = [{**row, "label": 1} for row in one_a_row("is_relevant", True, False)]
    with pytest.raises(bp.UsageError, match="could also be"):
        bp.adopt(rows, TEXTS)
    assert graded(bp.adopt(rows, TEXTS, fields="grade=is_relevant")) == EXPECTED
    rows = [{**row, "label": "yes" if row["is_relevant"] else "no"} for row in one_a_row("is_relevant", True, False)]
    assert graded(bp.adopt(rows, TEXTS)) == EXPECTED


def test_a_group_is_the_same_in_all_rows_of_a_topic():
    rows = [
        {**row, "area": "pruning" if "cut" in row["question"] else "soil", "stage": "a" if i % 2 else "b"}
        for i, row in enumerate(one_a_row("is_relevant", True, False))
    ]
    truth = bp.adopt(rows, TEXTS)
    assert [guess.field for guess in truth.guesses if guess.role == "group"] == ["area"]
    assert truth.fields["area"].values == {"1": "pruning", "2": "soil"}
    with pytest.raises(bp.InputError, match="stage differs within a topic"):
        bp.adopt(rows, TEXTS, fields="group=stage")
    with pytest.raises(bp.UsageError, match="reads is_relevant as a grade"):
        bp.adopt(rows, TEXTS, fields="group=is_relevant")


def test_a_perfect_run_is_perfect():
    """The number of the report: passages marked false were gold, and a perfect run got half of it."""
    truth = bp.adopt(one_a_row("is_relevant", True, False), TEXTS)
    perfect = {"1": [("guide.md", 0, 28)], "2": [("faq.md", 22, 49)]}
    assert bp.evaluate(truth, perfect, "charR charP").mean() == {"run": {"charR": 1.0, "charP": 1.0}}
    assert sum(int((topic.grade > 0).sum()) for topic in truth.topics.values()) == 2


def test_a_question_with_only_irrelevant_passages_has_no_answer():
    rows = one_a_row("is_selected", 0, 0)
    assert bp.adopt(rows, TEXTS).unanswerable == ("1", "2")
