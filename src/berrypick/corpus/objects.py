"""Runs from what retrieval libraries return, by the attributes of their objects; no such library is imported.

For each topic a list in ranked order, of

* LangChain documents: ``page_content``, ``metadata["start_index"]`` (add_start_index=True), and ``metadata["source"]``;
* LlamaIndex nodes, with scores or without: ``start_char_idx``, ``end_char_idx``, ``ref_doc_id``;
* Haystack documents: ``content``, ``meta["split_idx_start"]``, ``meta["source_id"]``, ``score``;
* pairs of one of these and a score; dictionaries with our own names (doc, start, end, text, score);
* plain texts, which are looked up in the documents, as is everything without offsets;

or, as BEIR and MTEB have it, a dictionary of ``document#start-end`` to score.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np

from berrypick import formats
from berrypick.core.errors import InputError, UsageError, shorten
from berrypick.core.run import Run, assemble
from berrypick.core.truth import Quote, Truth
from berrypick.core.words import counted
from berrypick.corpus.locate import Locator, Unresolved, UnresolvedQuotes, check_quotes
from berrypick.corpus.texts import Texts, read_texts
from berrypick.formats._spans import plain
from berrypick.formats.base import Problems
from berrypick.formats.span_run import SpanRun
from berrypick.formats.span_truth import SpanTruth

#: Where the name of the document is looked for in metadata, in this order.
NAMES = ("doc", "doc_id", "document_id", "source", "source_id", "file_path", "file_name")
_SPAN = re.compile(r"(.+)#(\d+)-(\d+)\Z", re.DOTALL)

Row = tuple[int, str, dict[str, Any]]


def run_from_objects(
    results: Mapping[str, Sequence[Any] | Mapping[str, float]],
    *,
    tag: str = "",
    doc: str | Callable[[Any], str] | None = None,
    documents: Texts | Mapping[str, str] | str | PathLike[str] | None = None,
    quotes: str | None = None,
) -> Run:
    """A run from ``{topic: results in ranked order}``; what results may be is told above.

    ``doc`` names the key of the metadata that holds the document's name, or is a function of the object. What has no
    offsets is looked up in ``documents``, as ``quotes`` says; what is missing there or ambiguous is an error.
    """
    if not isinstance(results, Mapping):
        raise UsageError(f"results are a dictionary of topic to list, not {type(results).__name__}")
    rows: list[Row] = []
    for topic, found in results.items():
        if isinstance(found, (str, bytes)) or not isinstance(found, (Mapping, Sequence)):
            raise UsageError(f"the results of topic {topic} are a list or a dictionary, not {type(found).__name__}")
        named = _by_name(found) if isinstance(found, Mapping) else (_fields(one, doc) for one in found)
        for rank, fields in enumerate(named, start=1):
            shown = shorten(str({key: value for key, value in fields.items() if key != "text"}))
            rows.append((rank, f"topic {topic}, rank {rank}: {shown}", {"topic": str(topic), "rank": rank, **fields}))
    if not rows:
        raise UsageError("no topic has any result")
    return run_of_rows(_scored_alike(rows), tag, documents, quotes, "results", list(map(str, results)))


# --- whatever stands for a truth or a run ---------------------------------------------------------------------------


def as_truth(given: Truth | Mapping[str, Mapping[str, float]] | str | PathLike[str]) -> Truth:
    """A truth as it is, from a file, or from a dictionary of topic to document to grade, as pytrec_eval has it.

    Documents that are all called ``document#start-end`` are spans.
    """
    if isinstance(given, Truth):
        return given
    if not isinstance(given, Mapping):
        return formats.read_truth(_file(given, "truth", "bp.truth_from_frame"))
    spans = _are_spans(_nested(given, "grade"))
    rows: list[Row] = []
    for topic, grades in _nested(given, "grade").items():
        for name, grade in grades.items():
            match = _SPAN.match(name) if spans else None
            place = {"doc": match[1], "start": int(match[2]), "end": int(match[3])} if match else {"doc": name}
            fields = {"topic": topic, **place, "grade": plain(grade)}
            rows.append((len(rows) + 1, str(fields), fields))
    if not rows:
        raise UsageError("the truth is a dictionary that judges nothing")
    return replace(SpanTruth.from_records(rows, Problems("truth"), "truth"), source="")


def as_run(given: Any) -> Run:
    """A run as it is, from a file, or from a dictionary: of topic to document to score, or as run_from_objects has it.

    Whole documents are ordered as in a TREC run: by score, then by name, both falling.
    """
    if isinstance(given, Run):
        return given
    if not isinstance(given, Mapping):
        return formats.read_run(_file(given, "run", "bp.run_from_frame"))
    if not all(isinstance(found, Mapping) for found in given.values()):
        return run_from_objects(given)
    scores = _nested(given, "score")
    if _are_spans(scores) or not any(scores.values()):
        return run_from_objects(scores)
    found = [(topic, name, score) for topic, ranked in scores.items() for name, score in ranked.items()]
    run = assemble(
        tag="",
        topic=[topic for topic, _, _ in found],
        document=[name for _, name, _ in found],
        score=np.array([score for _, _, score in found], dtype=np.float64),
        order="trec",
    )
    return replace(run, notes=(*run.notes, *_unanswered(list(scores), run)))


def as_runs(given: Any) -> list[Run]:
    """One run, or several of them."""
    if isinstance(given, (Run, str, Mapping, PathLike)) or not isinstance(given, Iterable) or hasattr(given, "columns"):
        return [as_run(given)]
    runs = [as_run(run) for run in given]
    if not runs:
        raise UsageError("there is no run: name at least one")
    return runs


def _file(given: Any, what: str, of_frames: str) -> str | PathLike[str]:
    if isinstance(given, (str, PathLike)):
        return given
    remedy = f"; {of_frames} makes one of a data frame" if hasattr(given, "columns") else ""
    raise UsageError(f"a {what} is a file, a {what.title()} or a dictionary, not {type(given).__name__}{remedy}")


def _nested(given: Mapping[Any, Any], what: str) -> dict[str, dict[str, float]]:
    """Names as texts, numbers as numbers; what is none is told."""
    found: dict[str, dict[str, float]] = {}
    for topic, values in given.items():
        if not isinstance(values, Mapping):
            kind = type(values).__name__
            raise UsageError(f"topic {topic}: a dictionary of document to {what} is expected, not {kind}")
        for name, value in values.items():
            if not _is_number(value) or not math.isfinite(value):
                where = f"topic {topic}: the {what} of {shorten(str(name))}"
                raise UsageError(f"{where} is {value!r:.40}, which is no number")
        found[str(topic)] = {str(name): float(value) for name, value in values.items()}
    return found


def _are_spans(found: Mapping[str, Mapping[str, float]]) -> bool:
    names = [name for values in found.values() for name in values]
    return bool(names) and all(_SPAN.match(name) for name in names)


def _by_name(found: Mapping[str, float]) -> Iterator[dict[str, Any]]:
    """``document#start-end`` to score, the highest first; equal ones as they stand."""
    for name, score in sorted(found.items(), key=lambda item: -float(item[1])):
        match = _SPAN.match(name)
        if match is None:
            raise InputError(
                f"{shorten(name)} is no span", remedy="results in a dictionary are called document#start-end"
            )
        yield {"doc": match[1], "start": int(match[2]), "end": int(match[3]), "score": float(score)}


def _scored_alike(rows: list[Row]) -> list[Row]:
    """Scores are kept where every result has one; the order of the lists counts either way."""
    if all(fields.get("score") is not None for _, _, fields in rows):
        return rows
    return [(n, text, {key: value for key, value in fields.items() if key != "score"}) for n, text, fields in rows]


# --- one object -----------------------------------------------------------------------------------------------------


def _fields(one: Any, doc: str | Callable[[Any], str] | None) -> dict[str, Any]:
    """doc, start, end, text and score of an object, as far as it has them."""
    if isinstance(one, tuple) and len(one) == 2 and _is_number(one[1]):
        return {**_fields(one[0], doc), "score": float(one[1])}
    if isinstance(one, str):
        return {"text": one}
    if isinstance(one, Mapping):
        return {key: one[key] for key in ("doc", "start", "end", "text", "score") if one.get(key) is not None}
    node = getattr(one, "node", None)
    if node is not None:  # LlamaIndex: a node with its score
        score: Any = getattr(one, "score", None)
        return {**_fields(node, doc), **({"score": float(score)} if _is_number(score) else {})}
    if hasattr(one, "page_content"):
        return _langchain(one, doc)
    if hasattr(one, "start_char_idx"):
        return _llama_index(one, doc)
    if hasattr(one, "content") and hasattr(one, "meta"):
        return _haystack(one, doc)
    raise UsageError(
        f"{type(one).__name__} is nothing that is known here: results are LangChain, LlamaIndex or Haystack documents, "
        "texts, dictionaries with doc, start and end, or pairs of one of these and a score"
    )


def _langchain(one: Any, doc: str | Callable[[Any], str] | None) -> dict[str, Any]:
    metadata = one.metadata or {}
    fields = _with_name(one, metadata, doc, NAMES)
    return _with_span(fields, metadata.get("start_index"), None, one.page_content)


def _llama_index(one: Any, doc: str | Callable[[Any], str] | None) -> dict[str, Any]:
    metadata = one.metadata or {}
    named = {**metadata, "ref_doc_id": getattr(one, "ref_doc_id", None)}
    fields = _with_name(one, named, doc, ("ref_doc_id", *NAMES))
    text = one.text if hasattr(one, "text") else one.get_content()
    return _with_span(fields, one.start_char_idx, one.end_char_idx, text)


def _haystack(one: Any, doc: str | Callable[[Any], str] | None) -> dict[str, Any]:
    meta = one.meta or {}
    fields = _with_name(one, meta, doc, ("source_id", *NAMES))
    if _is_number(getattr(one, "score", None)):
        fields["score"] = float(one.score)
    return _with_span(fields, meta.get("split_idx_start"), None, one.content)


def _with_name(
    one: Any, metadata: Mapping[str, Any], doc: str | Callable[[Any], str] | None, keys: Sequence[str]
) -> dict[str, Any]:
    if callable(doc):
        return {"doc": str(doc(one))}
    for key in [doc] if doc is not None else keys:
        if metadata.get(key) is not None:
            return {"doc": str(metadata[key])}
    if doc is not None:
        raise InputError(f"a result has no {doc!r} in its metadata", remedy=f"it has {', '.join(map(str, metadata))}")
    return {}


def _with_span(fields: dict[str, Any], start: Any, end: Any, text: Any) -> dict[str, Any]:
    if isinstance(text, str) and text:
        fields["text"] = text
    if _is_number(start) and start >= 0:  # LangChain has -1 for what it could not find
        fields["start"] = int(start)
        fields["end"] = int(end) if _is_number(end) else int(start) + len(text or "")
    return fields


def _is_number(value: Any) -> bool:
    return hasattr(value, "__float__") and not isinstance(value, (bool, str))


# --- rows to a run ----------------------------------------------------------------------------------------------------


def run_of_rows(
    rows: list[Row],
    tag: str,
    documents: Texts | Mapping[str, str] | str | PathLike[str] | None,
    quotes: str | None,
    where: str,
    topics: Sequence[str] = (),
) -> Run:
    """Rows with our names to a run; those without offsets are looked up by their text."""
    texts = None if documents is None else read_texts(documents)
    placed = _placed(rows, texts, quotes, where)
    run = SpanRun.from_records(placed, Problems(where), where)
    notes = _unanswered(topics, run)
    return replace(run, tag=tag or run.tag, source="", line=None, notes=(*run.notes, *notes))


def _unanswered(topics: Sequence[str], run: Run) -> tuple[str, ...]:
    empty = sum(topic not in run for topic in topics)
    return (f"{counted(empty, 'topic')} {'has' if empty == 1 else 'have'} no results",) if empty else ()


def _placed(rows: list[Row], texts: Texts | None, quotes: str | None, where: str) -> list[Row]:
    waiting = [row for row in rows if "start" not in row[2] and "text" in row[2]]
    if waiting and texts is None:
        raise InputError(
            "a result has no offsets, only its text",
            path=where,
            text=waiting[0][1],
            remedy="give the documents to find it in (documents=...), or offsets "
            "(LangChain: add_start_index=True; Haystack: split_idx_start; LlamaIndex: start_char_idx)",
        )
    if texts is None or not waiting:
        return rows
    locator = Locator(texts, check_quotes(quotes))
    problems: list[InputError] = []
    found: list[Row] = []
    for number, text, fields in rows:
        if "start" in fields or "text" not in fields:
            found.append((number, text, fields))
            continue
        place = locator.resolve(fields["topic"], Quote(fields["text"], fields.get("doc")))
        if isinstance(place, Unresolved):
            problems.append(place.error(texts, text.partition(":")[0]))
        else:
            found.append((number, text, {**fields, "doc": place.document, "start": place.start, "end": place.end}))
    if problems:
        raise UnresolvedQuotes(problems, len(waiting), where)
    return found
