"""Strings in lists of results are names where documents are judged, and texts where text is judged."""

from __future__ import annotations

import json

import pandas
import polars
import pytest

import berrypick as bp

DOCUMENTS = {"a": "Cut old canes in March.", "b": "Pick berries when dry.", "x": "Water the beds at dawn."}
QUESTIONS = {"1": "When are canes cut?", "2": "When are berries picked?"}
OF_DOCUMENTS = [
    {"topic": "1", "question": QUESTIONS["1"], "doc": "a"},
    {"topic": "2", "question": QUESTIONS["2"], "doc": "b"},
]
OF_TEXT = [
    {"topic": "1", "question": QUESTIONS["1"], "doc": "a", "start": 0, "end": 13},
    {"topic": "2", "question": QUESTIONS["2"], "doc": "b", "start": 0, "end": 12},
]
#: The relevant document is first for topic 1, and second for topic 2; so is the relevant text.
NAMES = {"1": ["a", "x"], "2": ["x", "b"]}
TEXTS = {"1": ["old canes", "Water the beds"], "2": ["at dawn.", "Pick berries"]}
LISTS = (
    "results", "retrieved", "contexts", "retrieved_contexts", "retrieval_context", "context", "documents", "docs",
    "hits", "nodes", "chunks", "passages", "source_documents", "retrieved_docs", "search_results",
)  # fmt: skip
HOLDERS = ("JSON", "indented JSON", "JSON Lines", "Python", "pandas", "polars", "Parquet")


def held(holder: str, records: list[dict], folder):
    if holder == "Python":
        return records
    if holder in ("pandas", "polars"):
        return {"pandas": pandas, "polars": polars}[holder].DataFrame(records)
    if holder == "Parquet":
        polars.DataFrame(records).write_parquet(folder / "run.parquet")
        return folder / "run.parquet"
    path = folder / ("run.jsonl" if holder == "JSON Lines" else "run.json")
    lines = "".join(json.dumps(record) + "\n" for record in records)
    path.write_text(lines if holder == "JSON Lines" else json.dumps(records, indent=1 if "ind" in holder else None))
    return path


def shapes(found: dict[str, list[str]], folder):
    """The same strings in every shape."""
    for name in LISTS:
        for key, topics in (("topic", dict(zip(QUESTIONS, QUESTIONS, strict=True))), ("question", QUESTIONS)):
            records = [{key: topics[topic], name: strings} for topic, strings in found.items()]
            for holder in HOLDERS:
                yield f"{holder} of {key} and {name}", held(holder, records, folder)
    yield "dictionary", found
    yield "pairs", {topic: [(one, 1 / rank) for rank, one in enumerate(strings, 1)] for topic, strings in found.items()}
    (folder / "lists.json").write_text(json.dumps(found))
    yield "JSON by topic", folder / "lists.json"
    yield "Run", bp.Run.from_dict(found)


def value(truth, run, measure, **options) -> float:
    return bp.evaluate(truth, {"run": run}, measure, **options).mean()["run"][measure]


@pytest.mark.parametrize("given", [None, DOCUMENTS])
def test_strings_are_names_where_documents_are_judged(given, tmp_path):
    for shape, run in shapes(NAMES, tmp_path):
        assert value(OF_DOCUMENTS, run, "RR", documents=given) == 0.75, shape


def test_strings_are_texts_where_text_is_judged(tmp_path):
    for shape, run in shapes(TEXTS, tmp_path):
        assert value(OF_TEXT, run, "spanRR", documents=DOCUMENTS) == 0.75, shape


def test_texts_need_their_documents(tmp_path):
    for shape, run in shapes(TEXTS, tmp_path):
        with pytest.raises(bp.InputError, match=r"only its text[\s\S]*documents="):
            value(OF_TEXT, run, "spanRR")
        assert shape


def test_strings_that_are_all_names_are_names_where_text_is_judged(tmp_path):
    """They are whole documents, which measures of text count when asked to."""
    for shape, run in shapes(NAMES, tmp_path):
        found = value(OF_TEXT, run, "charR", documents=DOCUMENTS, whole_documents=True)
        assert found == 1, shape


def test_one_other_string_makes_them_texts(tmp_path):
    """Documents are called canes and berries; none is called Cut old."""
    documents = {"canes": "Cut old canes.", "berries": "Pick berries now."}
    truth = [
        {**OF_TEXT[0], "doc": "canes", "start": 8, "end": 13},
        {**OF_TEXT[1], "doc": "berries", "start": 5, "end": 12},
    ]
    for shape, run in shapes({"1": ["canes"], "2": ["Cut old", "berries"]}, tmp_path):
        assert value(truth, run, "spanRR", documents=documents) == 0.75, shape


def test_texts_name_documents_where_these_are_judged_and_given(tmp_path):
    """No string is the name of a document: they are looked up, as before."""
    for shape, run in shapes(TEXTS, tmp_path):
        assert value(OF_DOCUMENTS, run, "RR", documents=DOCUMENTS) == 0.75, shape


def test_names_that_nobody_judged(tmp_path):
    """Short strings without documents to look in are names; long texts are refused with a remedy."""
    for shape, run in shapes({"1": ["y"], "2": ["z"]}, tmp_path):
        assert value(OF_DOCUMENTS, run, "RR") == 0, shape
    text = "a sentence of quite a few words, which is not a name"
    with pytest.raises(bp.InputError, match=r"only its text[\s\S]*documents="):
        value(OF_DOCUMENTS, {"1": [text]}, "RR")


def test_strings_beside_objects(tmp_path):
    """They are what the objects are."""
    names = {"1": [{"doc": "x"}, "a"], "2": ["b"]}
    texts = {"1": [{"text": "Water the beds"}, "old canes"], "2": ["Pick berries"]}
    for holder in ("JSON", "JSON Lines", "Python"):
        rows = [{"topic": topic, "results": found} for topic, found in names.items()]
        assert value(OF_DOCUMENTS, held(holder, rows, tmp_path), "RR") == 0.75
        rows = [{"topic": topic, "results": found} for topic, found in texts.items()]
        assert value(OF_TEXT, held(holder, rows, tmp_path), "spanRR", documents=DOCUMENTS) == 0.75
    assert value(OF_DOCUMENTS, names, "RR") == value(OF_TEXT, texts, "spanRR", documents=DOCUMENTS) == 0.75


def test_ids_that_carry_places(tmp_path):
    """With a pattern strings are ids, whatever is judged."""
    run = {"1": ["a_0_13"], "2": ["x_0_5", "b_0_12"]}
    pattern = r"(?P<doc>\w+)_(?P<start>\d+)_(?P<end>\d+)"
    for shape, one in shapes(run, tmp_path):
        assert value(OF_TEXT, one, "spanRR", id_pattern=pattern) == 0.75, shape


def test_blank_strings_are_refused(tmp_path):
    records = [{"topic": "1", "results": ["a", " "]}]
    for run in ({"1": ["a", " "]}, *(held(holder, records, tmp_path) for holder in HOLDERS)):
        with pytest.raises(bp.InputError, match="a string of the list of results is blank"):
            value(OF_DOCUMENTS, run, "RR")


def test_errors_show_the_fields_that_were_given():
    with pytest.raises(bp.InputError) as error:
        value(OF_DOCUMENTS, {"1": [{"doc": "", "score": 1}]}, "RR")
    assert "'topic': '1', 'doc': '', 'score': 1" in str(error.value) and "_" not in str(error.value)


def test_pools_and_checks_read_texts(tmp_path, berrypick):
    for shape, run in shapes(TEXTS, tmp_path):
        tasks = bp.pool(run, documents=DOCUMENTS).tasks
        assert {task.document for task in tasks} == {"a", "b", "x"}, shape
    (tmp_path / "texts.jsonl").write_text(
        "".join(json.dumps({"doc": name, "text": text}) + "\n" for name, text in DOCUMENTS.items())
    )
    run = held("JSON Lines", [{"topic": topic, "results": found} for topic, found in TEXTS.items()], tmp_path)
    done = berrypick("check", run, "--documents", tmp_path / "texts.jsonl")
    assert done.code == 0 and "4 texts found in the documents" in done.out


def test_the_command(tmp_path, berrypick):
    (tmp_path / "truth.qrels").write_text("1 0 a 1\n2 0 b 1\n")
    (tmp_path / "lists.json").write_text(json.dumps(NAMES))
    done = berrypick("evaluate", tmp_path / "truth.qrels", tmp_path / "lists.json", "-m", "RR")
    assert done.code == 0 and ".75" in done.out
