"""Truths and runs as records and dictionaries: what :mod:`berrypick.given.convert` reads, given back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np

from berrypick.data.errors import UsageError
from berrypick.data.run import Missing, Ranking, Run
from berrypick.data.truth import TopicTruth, Truth
from berrypick.documents.texts import Texts, read_texts
from berrypick.files.problems import Problems
from berrypick.inputs.column_tables import TextSearch, costs_in, runs_of_table, truth_of_table, with_absent
from berrypick.inputs.frames import is_record, one_run, records_table
from berrypick.rows.field_parser import FieldParser
from berrypick.rows.json_lines import are_span_names, place_of_name, plain, span_fields
from berrypick.rows.run_rows import rows_of_run, run_of_rows
from berrypick.rows.truth_rows import rows_of_truth, truth_of_rows

# --- records ----------------------------------------------------------------------------------------------------------


def run_records(run: Run) -> list[dict[str, Any]]:
    """Return a dictionary for each result, as the lines of span-run have it; elements by their paths."""
    if run.path is None:
        return [{key: value for key, value in record.items() if key != "tag"} for record in rows_of_run(run)]
    return [{"topic": topic, **record} for topic, ranking in run.rankings() for record in ranking]


def truth_records(truth: Truth) -> list[dict[str, Any]]:
    """Return a dictionary for each judgement, as the lines of span-truth have it; elements by their paths."""
    if truth.units != "elements":
        return list(rows_of_truth(truth))
    return [{"topic": name, **record} for name, topic in truth.topics.items() for record in _element_records(topic)]


def _element_records(topic: TopicTruth) -> Iterator[dict[str, Any]]:
    yield from topic
    for passage in topic.passages:
        yield {"doc": passage.document, "passage_start": passage.start, "passage_end": passage.end,
               "size": passage.size}  # fmt: skip
    for point in topic.entry_points:
        yield {"doc": point.document, "entry_point": point.point, "offset": point.offset}


def run_of_records(
    records: Iterable[Any],
    tag: str = "",
    documents: Texts | Mapping[str, str] | str | PathLike[str] | None = None,
    quotes: str | None = None,
) -> Run:
    """Build a run from records; one with ``results`` that are an empty list names a topic without any."""
    rows = list(records)
    empty = [row["topic"] for row in rows if _is_empty(row)]
    costs = {str(row["topic"]): costs_in(row, "records") for row in rows if _is_empty(row)}
    costs = {topic: own for topic, own in costs.items() if own}
    held = [row for row in rows if not _is_empty(row)]
    if not held:
        if not empty:
            raise UsageError("no topic has any result: there are no records")
        run = with_absent(run_of_rows((), Problems("records"), ""), empty, "records")
        return run.changed(tag=tag, missing="absent", costs=costs)
    _check_records(held, "run")
    search = TextSearch(None if documents is None else read_texts(documents), quotes)
    made = one_run(runs_of_table(records_table(held, "run"), search, tag), "the records hold")
    missing: Missing = "absent" if empty else made.of_topics.missing
    return with_absent(made, empty, "records").changed(missing=missing, costs={**made.of_topics.costs, **costs})


def _is_empty(row: Any) -> bool:
    return isinstance(row, Mapping) and "topic" in row and isinstance(row.get("results"), list) and not row["results"]


def truth_of_records(records: Iterable[Any]) -> Truth:
    """Build a truth from records."""
    rows = list(records)
    if not rows:
        raise UsageError("the truth judges nothing: there are no records")
    if any(isinstance(row, Mapping) and "checksum" in row for row in rows):  # lines of span-truth, as it writes them
        lines = ((number, str(row), dict(row)) for number, row in enumerate(rows, start=1))
        problems = Problems("records")
        return truth_of_rows(span_fields(lines, FieldParser("truth"), problems), problems, "")
    _check_records(rows, "truth")
    return truth_of_table(records_table(rows, "truth"))


def _check_records(rows: Sequence[Any], role: str) -> None:
    if not is_record(rows[0]):
        what = "a named tuple or a dictionary that names topic and doc"
        raise UsageError(f"a {role} of records is a list, each of them {what}, not {type(rows[0]).__name__}")


# --- dictionaries -----------------------------------------------------------------------------------------------------


def run_dict(run: Run) -> dict[str, Any]:
    """Return ``{topic: {name: score}}``, or lists in ranked order where scores do not say the order.

    What would come back as another ranking is refused.
    """
    if run.path is not None:
        raise UsageError("a dictionary holds documents and spans, not elements: to_records() has their paths")
    if run.ordering.ties == "score" and not run.texts.quoted and not run.unit and (found := _by_score(run)) is not None:
        return found
    if run.grouped or (run.ordering.ties == "score" and _has_equal_scores(run)):
        why = "several results share a rank" if run.grouped else "equal scores"
        raise UsageError(f"a dictionary cannot hold this run ({why}): to_records() does")
    lists: dict[str, list[dict[str, Any]]] = {topic: [] for topic in run.topics}
    for record in run_records(run):
        if "results" not in record:
            lists[record.pop("topic")].append({key: value for key, value in record.items() if key != "rank"})
    return lists


def _by_score(run: Run) -> dict[str, dict[str, float]] | None:
    """Names to scores; None if they would be read as another ranking."""
    found: dict[str, dict[str, float]] = {}
    for topic, ranking in run.rankings():
        names, scores = [ranking.name(row) for row in range(len(ranking))], _scores(ranking)
        pairs = list(zip(scores, names, strict=True))
        ordered = sorted(pairs, reverse=True) if ranking.of_documents else sorted(pairs, key=lambda pair: -pair[0])
        if len(set(names)) < len(names) or ordered != pairs:
            return None
        found[topic] = dict(zip(names, scores, strict=True))
    return found if _named_alike(run.start is not None, (name for names in found.values() for name in names)) else None


def _scores(ranking: Ranking) -> list[float]:
    return [] if ranking.score is None else ranking.score.tolist()


def _has_equal_scores(run: Run) -> bool:
    return any(len(np.unique(scores)) < len(scores) for scores in map(_scores, (one for _, one in run.rankings())))


def _named_alike(spans: bool, names: Iterable[str]) -> bool:
    """Whether names are read as what they name: all of them spans of whole numbers, or not all of them like that."""
    listed = list(names)
    return not listed or are_span_names(listed) == spans


def truth_dict(truth: Truth) -> dict[str, Any]:
    """Return ``{topic: {name: grade}}``, or lists of judgements where there are quotes or documents beside spans."""
    if truth.units == "elements":
        raise UsageError("a dictionary holds documents and spans, not elements: to_records() has their paths")
    found = {name: _by_grade(topic) for name, topic in truth.topics.items()}
    names = [name for grades in found.values() for name in grades or ()]
    simple = all(grades is not None for grades in found.values()) and _named_alike(truth.units == "spans", names)
    if simple and truth.offsets is None:
        bare = {name for name, topic in truth.topics.items() if topic.no_answer}
        return {name: None if name in bare else grades for name, grades in found.items()}
    lists: dict[str, list[dict[str, Any]]] = {name: [] for name in truth.topics}
    for record in rows_of_truth(replace(truth, annotators={})):
        if "topic" in record:
            lists[record.pop("topic")].append(_judgement(record))
    return lists


def _by_grade(topic: TopicTruth) -> dict[str, float] | None:
    """Names to grades; None where there is more to it."""
    more = (topic.quotes, topic.empty_documents, topic.judged_documents, topic.judged_whole, topic.names_sets)
    if any(more) or topic.unit or (topic.no_answer and len(topic)) or not (topic.no_answer or len(topic)):
        return None
    names = [topic.name(row) for row in range(len(topic))]
    exact = topic.start is None or all(_is_exact(topic, row, name) for row, name in enumerate(names))
    if not exact or len(set(names)) < len(names):
        return None
    return dict(zip(names, map(plain, topic.grade.tolist()), strict=True))


def _is_exact(topic: TopicTruth, row: int, name: str) -> bool:
    assert topic.start is not None and topic.end is not None
    place = place_of_name(name, True)
    read = (place["doc"], place.get("start"), place.get("end"))
    return read == (topic.document[row], topic.start[row], topic.end[row])


def _judgement(record: dict[str, Any]) -> dict[str, Any]:
    """A judgement of a list; a dictionary of a table cannot say that there is no answer by None."""
    return {"is_impossible": True} if record.get("answer", "") is None and "doc" not in record else record
