"""The same truth and the same run in every format and Python object that can hold them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from types import SimpleNamespace
from typing import Any

from berrypick import formats
from berrypick.addons.laws.case import Case
from berrypick.addons.laws.law import Variant
from berrypick.addons.laws.orders import Measures, Rng
from berrypick.addons.laws.rows import results_of
from berrypick.core.errors import BerrypickError
from berrypick.core.run import Run, span_name
from berrypick.core.truth import Truth
from berrypick.corpus.convert import as_run, as_truth
from berrypick.corpus.resolve import resolve_run, resolve_truth
from berrypick.corpus.table import Search
from berrypick.corpus.texts import Texts
from berrypick.formats.span_run import SpanRun
from berrypick.formats.span_truth import SpanTruth

#: Names that people give to the ends of a span and to the text of a result: read as such, or refused.
PLACES = (
    ("begin", "end"),
    ("char_start", "char_end"),
    ("start_char", "end_char"),
    ("start_offset", "end_offset"),
    ("startOffset", "endOffset"),
    ("start_index", "end_index"),
    ("start_char_idx", "end_char_idx"),
)
TEXTS = ("text", "page_content", "content", "chunk", "passage", "snippet")


class NotHeldError(BerrypickError):
    """A carrier that cannot hold what there is to hold."""


@dataclass(frozen=True)
class Carrier:
    """One way to hold a run or a truth."""

    name: str
    of_run: bool
    #: What the value is after it was written and read; NotHeldError where it cannot be held.
    carried: Callable[[Any, Case], Any]
    #: Whether an error is an answer as good as the same value: nobody is misled.
    may_refuse: bool = False


def carriers(case: Case) -> list[Carrier]:
    """Every carrier, those of registered formats included, whether or not it can hold the case."""
    texts = case.evaluation.context.reader.texts
    found = [*_files("run"), *_files("truth"), *_objects(True), *_objects(False)]
    found += [_spelled(start, end, of_run) for start, end in PLACES for of_run in (True, False)]
    if texts is not None and case.run.start is not None:
        found += [Carrier(f"run as records with {name}", True, partial(_quoting, name), True) for name in TEXTS]
        found.append(Carrier("run as LangChain documents", True, _documents, True))
    return found


def carried(case: Case, measures: Measures, rng: Rng, number: int) -> Variant | None:
    """The run or the truth in one carrier."""
    found = carriers(case)
    if number >= len(found):
        return None
    one = found[number]
    try:
        value = one.carried(case.run if one.of_run else case.truth, case)
    except NotHeldError:
        return None
    except BerrypickError:
        if one.may_refuse:
            return None
        raise
    return Variant(_with_value(case, value), one.name)


def _with_value(case: Case, value: Run | Truth) -> Case:
    known = case.evaluation.context.reader.collection
    structured = known is not None and known.structures
    if isinstance(value, Run):
        assert known is not None or not structured
        value = resolve_run(value, known) if structured and known is not None else value
        return case.changed(run=value.changed(duplicates=case.run.duplicates, task=case.run.task))
    value = resolve_truth(value, known) if structured and known is not None else value
    return case.changed(truth=value)


# --- files ------------------------------------------------------------------------------------------------------------


def _files(role: str) -> Iterable[Carrier]:
    for one in formats.registry:
        if one.role == role:
            yield Carrier(f"{role} as {one.name()}", role == "run", partial(_written, one, ""))
            if role in ("run", "truth") and ".parquet" in one.suffixes and find_spec("pyarrow") is not None:
                yield Carrier(f"{role} as {one.name()}, Parquet", role == "run", partial(_written, one, ".parquet"))


def _written(format: type[formats.Format], suffix: str, value: Any, case: Case) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, f"file{suffix}")
        if why := format.accepts(value):
            raise NotHeldError(why)
        try:
            formats.write(value, path, format)
        except BerrypickError as error:  # what a format finds out when it writes
            raise NotHeldError(str(error)) from None
        return formats.read_any(path, format.role, format)


# --- objects of Python ------------------------------------------------------------------------------------------------


def _objects(of_run: bool) -> Iterable[Carrier]:
    what = "run" if of_run else "truth"
    yield Carrier(f"{what} as records", of_run, lambda value, case: _read(_records(value), of_run))
    yield Carrier(f"{what} as a dictionary", of_run, lambda value, case: _read(_by_topic(value, case), of_run))
    for library in ("pandas", "polars"):
        if find_spec(library) is not None:
            yield Carrier(f"{what} as a {library} frame", of_run, partial(_framed, library, of_run))


def _read(given: Any, of_run: bool, search: Search | None = None) -> Any:
    return as_run(given, search) if of_run else as_truth(given)


def _records(value: Any) -> list[dict[str, Any]]:
    """As lines of span-run or span-truth have them."""
    lines = SpanRun if isinstance(value, Run) else SpanTruth
    if why := lines.accepts(value):
        raise NotHeldError(why)
    return list(lines.to_records(value))


def _rectangular(value: Any) -> list[dict[str, Any]]:
    """Records that all have the same fields."""
    found = _records(value)
    if any(record.keys() != found[0].keys() for record in found):
        raise NotHeldError("not a table")
    return found


def _framed(library: str, of_run: bool, value: Any, case: Case) -> Any:
    from importlib import import_module

    return _read(import_module(library).DataFrame(_rectangular(value)), of_run)


def _by_topic(value: Any, case: Case) -> Mapping[str, Any]:
    """{topic: {document or document#start-end: grade or score}}."""
    found: dict[str, dict[str, Any]] = {}
    if isinstance(value, Run) and (value.ties == "rank" or value.score is None or len(value.topics) != _filled(value)):
        raise NotHeldError("ranks have no place in a dictionary of scores")
    for record in _rectangular(value):
        if record.keys() - {"topic", "doc", "start", "end", "score", "grade"} or "doc" not in record:
            raise NotHeldError("more than a number for each document")
        span = "start" in record
        name = span_name(record["doc"], record["start"], record["end"]) if span else record["doc"]
        held = found.setdefault(record["topic"], {})
        if name in held:
            raise NotHeldError("a result twice")
        held[name] = record.get("score", record.get("grade", 1))
    return found


def _filled(run: Run) -> int:
    return sum(run.size(topic) > 0 for topic in run.topics)


# --- other names ------------------------------------------------------------------------------------------------------


def _spelled(start: str, end: str, of_run: bool) -> Carrier:
    what = "run" if of_run else "truth"

    def made(value: Any, case: Case) -> Any:
        records = _rectangular(value)
        if not records or "start" not in records[0]:
            raise NotHeldError("no spans")
        spelled = [{{"start": start, "end": end}.get(k, k): v for k, v in record.items()} for record in records]
        return _found(_read(spelled, of_run, _search(case)), case)

    return Carrier(f"{what} as records with {start} and {end}", of_run, made, True)


def _search(case: Case) -> Search:
    texts = case.evaluation.context.reader.texts
    return Search(texts, case.evaluation.options.quotes, case.truth.units == "spans")


def _found(value: Any, case: Case) -> Any:
    """Quotes located, as when an evaluation reads them."""
    return case.evaluation.inputs.prepare(value) if isinstance(value, Run) and value.quoted else value


def _quoting(name: str, run: Run, case: Case) -> Run:
    """Results by their texts instead of their offsets."""
    lists = {
        topic: [{"doc": row.document, name: text} for row, text in rows] for topic, rows in _quotes(run, case).items()
    }
    return _found(as_run(lists, _search(case)), case)


def _documents(run: Run, case: Case) -> Run:
    """Results as LangChain has them: page_content and metadata."""
    lists = {
        topic: [
            SimpleNamespace(page_content=text, metadata={"source": row.document, "start_index": int(row.start)})
            for row, text in rows
        ]
        for topic, rows in _quotes(run, case).items()
    }
    return _found(as_run(lists, _search(case)), case)


def _quotes(run: Run, case: Case) -> dict[str, list[tuple[Any, str]]]:
    """Results with their texts; each of them occurs once in its document, and has a rank of its own."""
    texts = case.evaluation.context.reader.texts
    assert texts is not None
    if run.grouped or not len(run):
        raise NotHeldError("several results of one rank")
    found: dict[str, list[tuple[Any, str]]] = {}
    for topic in run.topics:
        for row in results_of(run, topic):
            text = _quoted(row, texts)
            found.setdefault(topic, []).append((row, text))
    if len(found) != len(run.topics):
        raise NotHeldError("topics without results")
    return found


def _quoted(row: Any, texts: Texts) -> str:
    whole = texts[row.document] if row.document in texts else ""
    text = whole[int(row.start) : int(row.end)]
    if not text.strip() or whole.find(text) != whole.rfind(text):
        raise NotHeldError("a text that occurs twice")
    return text
