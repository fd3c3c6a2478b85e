"""Exports of annotation tools as truths: offsets, labels, several annotators, agreement."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from label_tasks import FIELDS, OFFSET, QUOTE, START, TEXT, annotation, label_studio, region, write

import berrypick as bp
from berrypick import formats
from berrypick.data.errors import InputError
from berrypick.formats import sniff

EXPECTED = [("guide.md", OFFSET + START, OFFSET + START + len(QUOTE), 1.0)]


def spans(truth: bp.Truth, topic: str = "q1") -> list[tuple[str, int, int, float]]:
    found = truth.topics[topic]
    return sorted(
        (d, int(a), int(b), g)
        for d, a, b, g in zip(found.document, found.start, found.end, found.grade.tolist(), strict=True)
    )


@pytest.mark.parametrize("shift", [0, 1], ids=["characters", "utf16"])
@pytest.mark.parametrize("text", [QUOTE, None, " Cut the  old canes"], ids=["quoted", "bare", "white space"])
def test_label_studio(tmp_path, shift, text):
    path = write(tmp_path / "export.json", [label_studio(region(START + shift, text=text))])
    assert sniff(path, "truth").name() == "label-studio"
    assert spans(bp.read_truth(path)) == EXPECTED


def test_label_studio_minimal(tmp_path):
    task = {"id": 3, **FIELDS, "text": TEXT, "label": [region(START + 1)], "annotator": 7, "annotation_id": 9}
    assert spans(bp.read_truth(write(tmp_path / "export.json", [task]))) == EXPECTED


def test_label_studio_skips_and_counts(tmp_path):
    cancelled = label_studio(region(START), was_cancelled=True)
    bare = {"id": 4, "data": {"text": TEXT, **FIELDS}, "annotations": []}
    other = label_studio(region(START, label="PER"), region(START))
    truth = bp.read_truth(write(tmp_path / "export.json", [cancelled, bare, other]))
    assert spans(truth) == EXPECTED
    assert truth.skipped == {
        "cancelled annotations, skipped": 1,
        "tasks without annotations, skipped": 1,
        "spans with the label PER, skipped": 1,
    }


@pytest.mark.parametrize("odd", [5, "relevant", {"a": 1}, [5], [[]], True])
def test_odd_values_where_lists_are_expected_are_counted(tmp_path, odd):
    """Numbers and texts in place of lists raised bare exceptions, or were skipped without a count."""
    data = {"text": "Cut.", "topic": "q", "doc": "d"}
    value = {"start": 0, "end": 3, "labels": ["relevant"], "text": 5}
    for number, held in enumerate(
        (odd, [odd], [{"result": odd}], [{"result": [odd]}], [{"result": [{"value": odd}]}],
         [{"result": [{"value": {**value, "labels": odd}}]}], [{"result": [{"value": {"labels": odd}}]}])
    ):  # fmt: skip
        path = tmp_path / f"{number}.json"
        path.write_text(json.dumps([odd, {"id": 1, "data": data, "annotations": held}]))
        problems = formats.Problems(str(path), strict=False)
        found = formats.by_name("label-studio").read(str(path), problems)
        marked = sum(len(topic) for topic in found.topics.values())
        assert marked or problems.counts or problems.found, held
    path.write_text(json.dumps({**data, "answer": "accept", "spans": [{**value, "label": odd}]}) + "\n")
    formats.by_name("prodigy").read(str(path), formats.Problems(str(path), strict=False))


@pytest.mark.slow
@pytest.mark.parametrize("place", ["tags", "body", "target", "items", "start"])
@pytest.mark.parametrize("odd", [5, "x", [5], 2**63, -1, None])
def test_odd_values_in_web_annotations_are_counted(tmp_path, place, odd):
    annotation = {"tags": ["topic:q", "relevant"], "target": {"source": "d", "selector": [
        {"type": "TextPositionSelector", "start": 0, "end": odd if place == "start" else 5}]}}  # fmt: skip
    if place in ("tags", "body", "target"):
        annotation[place] = odd
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"items": odd} if place == "items" else [annotation]))
    problems = formats.Problems(str(path), strict=False)
    found = formats.by_name("w3c").read(str(path), problems)
    assert place == "body" or (place, odd) in [("start", 5), ("items", None)] or problems.counts or problems.found
    assert all(topic.end.max(initial=0) < 2**53 for topic in found.topics.values() if topic.end is not None)


def test_a_choice_says_that_the_whole_text_was_judged(tmp_path):
    task = label_studio(region(START))
    task["annotations"][0]["result"].append({"type": "choices", "value": {"choices": ["judged"]}})
    truth = bp.read_truth(write(tmp_path / "export.json", [task]))
    assert spans(truth) == [("guide.md", OFFSET, OFFSET + len(TEXT), 0.0), *EXPECTED]
    assert bp.score("charJudged", truth, {"q1": {f"guide.md#{OFFSET}-{OFFSET + len(TEXT)}": 1}}) == 1.0


def test_a_span_that_is_not_what_it_says_is_an_error(tmp_path):
    with pytest.raises(InputError, match="is not 'Prune the old'"):
        bp.read_truth(write(tmp_path / "export.json", [label_studio(region(START, text="Prune the old"))]))
    with pytest.raises(InputError, match="goes beyond its text"):
        bp.read_truth(write(tmp_path / "export.json", [label_studio(region(START + 30, text=None))]))
    task = label_studio(region(START))
    del task["data"]["topic"]
    with pytest.raises(InputError, match="task 3 has no topic"):
        bp.read_truth(write(tmp_path / "export.json", [task]), "label-studio")


@pytest.mark.parametrize("shift", [0, 1], ids=["characters", "utf16"])
@pytest.mark.parametrize("dialect", ["label", "labels", "entities", "objects", "meta", "data"])
def test_doccano(tmp_path, dialect, shift):
    place = [START + shift, START + shift + len(QUOTE), "relevant"]
    line = {
        "label": {"id": 1, "text": TEXT, "label": [place], **FIELDS, "Comments": []},
        "labels": {"id": 1, "text": TEXT, "labels": [place], **FIELDS},
        "entities": {"doc_id": 1, "text": TEXT, "entities": [place], "username": "a", "metadata": FIELDS},
        "objects": {"id": 1, "text": TEXT, **FIELDS, "relations": [], "entities": [
            {"id": 4, "label": "relevant", "start_offset": place[0], "end_offset": place[1]}]},
        "meta": {"id": 1, "text": TEXT, "meta": FIELDS, "annotations": [
            {"label": "relevant", "start_offset": place[0], "end_offset": place[1], "user": 1}]},
        "data": {"id": 1, "data": TEXT, "label": [place], **FIELDS},
    }[dialect]  # fmt: skip
    path = write(tmp_path / "export.jsonl", (line, {"id": 2, "text": "Nothing.", "label": [], **FIELDS}))
    assert sniff(path, "truth").name() == "doccano"
    truth = bp.read_truth(path)
    assert spans(truth) == EXPECTED
    assert truth.skipped == {"lines without spans, possibly not judged, skipped": 1}
    assert truth.notes == (f"offsets are read as {'UTF-16 units' if shift else 'characters'}",)


def test_prodigy(tmp_path):
    line = {"text": TEXT, "meta": FIELDS, "spans": [{"start": START, "end": START + len(QUOTE), "label": "relevant",
            "token_start": 4, "token_end": 7}], "answer": "accept", "_annotator_id": "db-ann"}  # fmt: skip
    rejected = {**line, "answer": "reject"}
    empty = {**line, "spans": [], "meta": {**FIELDS, "topic": "q2"}}
    path = write(tmp_path / "export.jsonl", (line, rejected, empty))
    assert sniff(path, "truth").name() == "prodigy"
    truth = bp.read_truth(path)
    assert spans(truth) == EXPECTED
    assert spans(truth, "q2") == [("guide.md", OFFSET, OFFSET + len(TEXT), 0.0)]
    assert truth.unanswerable == ("q2",)
    assert truth.skipped == {"tasks with the answer reject, skipped": 1}


def test_brat(tmp_path):
    folder = tmp_path / "project" / "q1"
    folder.mkdir(parents=True)
    (folder / "guide.txt").write_text(TEXT, encoding="utf-8")
    marks = f"T1\trelevant {START} {START + 3};{START + 4} {START + 7}\tCut the\nT2\tirrelevant 2 9\tGrapes.\n"
    marks += "#1\tNote T1\t!\n"
    (folder / "guide.ann").write_text(marks, encoding="utf-8")
    truth = bp.read_truth(tmp_path / "project")
    assert truth.format == "brat"
    assert spans(truth) == [
        ("guide", 2, 9, 0.0),
        ("guide", START, START + 3, 1.0),
        ("guide", START + 4, START + 7, 1.0),
    ]
    assert truth.skipped == {"lines that mark no text, skipped": 1}


@pytest.mark.parametrize("shape", ["list", "one", "page", "lines"])
def test_web_annotations(tmp_path, shape):
    other = annotation(body="a remark")
    value = {"list": [annotation(), other], "one": annotation(), "lines": (annotation(), other),
             "page": {"type": "AnnotationPage", "items": [annotation(), other]}}[shape]  # fmt: skip
    path = write(tmp_path / "export.json", value)
    assert sniff(path, "truth").name() == "w3c"
    truth = bp.read_truth(path)
    assert truth.skipped == ({} if shape == "one" else {"annotations without a topic, skipped": 1})
    run = {"q1": {f"guide.md#{START}-{START + 20}": 1}}
    assert bp.score("charR", truth, run, documents={"guide.md": TEXT}) == 1.0
    with pytest.raises(InputError, match="does not match its quote"):
        bp.score("charR", truth, run, documents={"guide.md": "x" + TEXT})


def test_hypothesis_quotes_are_chosen_by_prefix_and_suffix(tmp_path):
    text = f"{QUOTE} in winter. {TEXT} {QUOTE} in spring."
    row = {"uri": "guide.md", "user": "acct:me@hypothes.is", "tags": ["topic:q1", "relevant"], "text": "",
           "target": [{"source": "guide.md", "selector": [
               {"type": "TextPositionSelector", "start": 900, "end": 917},
               {"type": "TextQuoteSelector", "exact": QUOTE, "prefix": "Grapes. ",
                "suffix": " in autumn"}]}]}  # fmt: skip
    truth = bp.read_truth(write(tmp_path / "export.json", {"total": 1, "rows": [row]}))
    at = text.index("Grapes.  ") + 9
    assert spans(bp.locate(truth, {"guide.md": text})) == [("guide.md", at, at + len(QUOTE), 1.0)]


# --- several annotators -----------------------------------------------------------------------------------------------


def two(tmp_path: Path, *marks: tuple[Any, int, int, str]) -> str:
    tasks = [label_studio(region(a, b - a, None, label), who=who, text="x" * 60) for who, a, b, label in marks]
    for task in tasks:
        task["data"]["offset"] = 0
    return write(tmp_path / "export.json", tasks)


def test_annotators_are_kept_apart_and_merged(tmp_path):
    # ann: 0-10 relevant, 10-20 not; ben: 5-20 relevant; eve: 0-20 not; nobody else judged 30-40 than ben
    path = two(tmp_path, ("ann", 0, 10, "relevant"), ("ann", 10, 20, "irrelevant"), ("ben", 5, 20, "relevant"),
               ("eve", 0, 20, "irrelevant"), ("ben", 30, 40, "relevant"))  # fmt: skip
    truth = bp.read_truth(path)
    assert list(truth.annotators) == ["ann", "ben", "eve"]
    assert spans(bp.Truth("spans", truth.annotators["ann"])) == [("guide.md", 0, 10, 1.0), ("guide.md", 10, 20, 0.0)]
    run = {"q1": {"guide.md#0-50": 1}}
    rows = {
        "union": [("guide.md", 0, 20, 1.0), ("guide.md", 30, 40, 1.0)],
        "majority": [("guide.md", 0, 5, 0.0), ("guide.md", 5, 10, 1.0), ("guide.md", 10, 20, 0.0),
                     ("guide.md", 30, 40, 1.0)],
        "intersection": [("guide.md", 0, 20, 0.0), ("guide.md", 30, 40, 1.0)],
    }  # fmt: skip
    for rule, expected in rows.items():
        prepared = bp.Evaluation.prepare(truth, run, "charP", annotators=rule)
        assert spans(prepared.truth) == expected, rule
        value = sum(b - a for _, a, b, grade in expected if grade) / 50
        assert prepared.run().mean()["run"]["charP"] == pytest.approx(value)
    assert (
        bp.evaluate(truth, run, "charP", annotators="majority").mean_rows[0].signature.get("annotators") == "majority"
    )
    alone = bp.evaluate({"q1": {"guide.md#0-9": 1}}, run, "charP", annotators="majority")
    assert any("has one annotator" in str(note) for note in alone.notes)


def test_annotators_of_documents_are_refused(tmp_path, berrypick):
    (tmp_path / "t.jsonl").write_text(
        '{"topic": "q", "doc": "d", "start": 0, "end": 1, "annotator": "a"}\n'
        '{"topic": "q", "doc": "d", "grade": 1, "annotator": "b"}\n'
    )
    done = berrypick("check", tmp_path / "t.jsonl")
    assert done.code == 2 and "annotator b judge whole documents" in done.out
    (tmp_path / "t.jsonl").write_text('{"topic": "q", "doc": "d", "start": 0, "end": 1, "annotator": ["a"]}\n')
    with pytest.raises(InputError, match="annotator must be a non-empty string"):
        bp.read_truth(tmp_path / "t.jsonl")


VOTES = st.lists(st.tuples(st.sampled_from(["ann", "ben", "eve"]), st.integers(0, 20), st.integers(1, 9),
                           st.sampled_from(["relevant", "irrelevant"])), min_size=1, max_size=7)  # fmt: skip


@given(VOTES)
def test_merging_is_what_votes_on_characters_give(tmp_path_factory, votes):
    tmp_path = tmp_path_factory.getbasetemp()
    unique = {(who, start, length): label for who, start, length, label in votes}
    path = two(tmp_path, *((who, a, a + n, label) for (who, a, n), label in unique.items()))
    truth = bp.read_truth(path)
    said: dict[int, dict[str, float]] = {}
    for (who, start, length), label in unique.items():
        for at in range(start, start + length):
            mine = said.setdefault(at, {})
            mine[who] = max(mine.get(who, 0.0), float(label == "relevant"))
    for rule in ("union", "majority", "intersection"):
        merged = bp.Evaluation.prepare(truth, {"q1": {"guide.md#0-1": 1}}, "charP", annotators=rule).truth
        found: dict[int, float] = {}
        for _, start, end, grade in spans(merged):
            for at in range(start, end):
                found[at] = max(found.get(at, 0.0), grade)
        for at, grades in said.items():
            relevant = sum(grades.values())
            expected = {"union": relevant > 0, "intersection": relevant == len(grades),
                        "majority": 2 * relevant > len(grades)}[rule]  # fmt: skip
            assert found[at] == float(expected), (rule, at, grades)
        assert found.keys() == said.keys()


@pytest.mark.slow
@pytest.mark.parametrize("first", ["text", "topic"])
def test_labels_after_a_long_document_are_read_or_the_file_is_refused(tmp_path, first):
    """What is looked at to recognise a format ends somewhere: labels behind it are never passed over."""
    for length, known in ((200_000, True), (2_000_000, False)):
        line = {"topic": "q", "doc": "d", "text": "Cut the canes. " * (length // 15), "label": [[0, 3, "relevant"]]}
        ordered = {first: line[first], **line}
        path = tmp_path / f"{length}.jsonl"
        path.write_text(json.dumps(ordered) + "\n", encoding="utf-8")
        if known:
            truth = bp.read_truth(path)
            assert truth.format == "doccano" and truth.topics["q"].end.tolist() == [3]
            continue
        for read in (bp.read_truth, bp.read_run):
            with pytest.raises(bp.InputError, match=r"annotation tool, whose labels would be ignored|not a recognised"):
                read(path)
        assert bp.read_truth(path, "doccano").topics["q"].end.tolist() == [3]
