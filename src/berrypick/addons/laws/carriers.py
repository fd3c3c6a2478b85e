"""The same truth and the same run in every format and Python object that can hold them.

What is carried goes through the same door as what a user passes: it is read, checked and prepared again.
"""

from __future__ import annotations

import csv
import json
import os
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from types import SimpleNamespace
from typing import Any

from berrypick import formats
from berrypick.addons.laws.case import Case
from berrypick.addons.laws.law import Variant
from berrypick.addons.laws.orders import Measures, Rng
from berrypick.addons.laws.rows import Result, results_of
from berrypick.core.errors import BerrypickError
from berrypick.core.run import Run, span_name
from berrypick.documents.texts import Texts
from berrypick.evaluation.evaluation import Evaluation
from berrypick.formats.span_run import SpanRun
from berrypick.formats.span_truth import SpanTruth
from berrypick.inputs.convert import RunFile, TruthFile

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
#: What records of such names are held by, with the ending of a file.
HOLDERS = {"records": "", "JSON Lines": ".jsonl", "CSV": ".csv"}

Record = dict[str, Any]


class NotHeldError(BerrypickError):
    """A carrier that cannot hold what there is to hold."""


@dataclass(frozen=True)
class Carrier:
    """One way to hold a run or a truth."""

    name: str
    of_run: bool
    #: What a user would pass: an object, or a file in a folder; NotHeldError where it cannot be held.
    made: Callable[[Any, Case, str], Any]
    #: Whether an error is an answer as good as the same value: nobody is misled.
    may_refuse: bool = False


def carriers(case: Case) -> list[Carrier]:
    """Every carrier, those of registered formats included, whether or not it can hold the case."""
    found = [*_files("run"), *_files("truth"), *_objects(True), *_objects(False)]
    found += [_spelled(held, *ends, of_run) for held in HOLDERS for ends in PLACES for of_run in (True, False)]
    if case.evaluation.context.reader.texts is not None and case.run.start is not None:
        found += [
            Carrier(f"run as {held} with {name}", True, partial(_quoting, held, name), True)
            for held in HOLDERS
            for name in TEXTS
        ]
        found.append(Carrier("run as LangChain documents", True, _langchain, True))
        found += [Carrier(f"run as {held} with offsets and text", True, partial(_both, held)) for held in HOLDERS]
    found.append(Carrier("run as hits of a search engine", True, _hits, True))
    return found


def carried(case: Case, measures: Measures, rng: Rng, number: int) -> Variant | None:
    """The run or the truth in one carrier."""
    found = carriers(case)
    if number >= len(found):
        return None
    one = found[number]
    try:
        with tempfile.TemporaryDirectory() as folder:
            made = _opened(case, one.of_run, one.made(case.run if one.of_run else case.truth, case, folder))
    except NotHeldError:
        return None
    except BerrypickError as error:
        if one.may_refuse:
            return None
        raise BerrypickError(f"{one.name}: {str(error).partition(chr(10))[0]}") from None
    return Variant(made, one.name, may_refuse=one.may_refuse)


def _opened(case: Case, of_run: bool, given: Any) -> Case:
    """The case with what a carrier holds, read as an evaluation reads it."""
    old, reader = case.evaluation, case.evaluation.context.reader
    applied: Any = dict.fromkeys(_APPLIED)
    options = replace(
        old.options,
        documents=reader.texts,
        collection=None if old.options.collection is None else reader.collection,
        duplicates=old.options.duplicates or case.run.duplicates,
        **applied,
    )
    truth, run = (case.truth, given) if of_run else (given, case.run)
    read = Evaluation._from_options(truth, run, None, options)
    [found] = read.runs.values()
    return case.changed(run=found) if of_run else case.changed(truth=read.truth)


#: Options that have had their effect, or belong to the contexts of the case.
_APPLIED = ("offsets", "annotators", "min_score", "repair", "by", "topic_table", "user", "navigation", "chunks")


# --- files ------------------------------------------------------------------------------------------------------------


def _files(role: str) -> Iterable[Carrier]:
    for one in formats.registry:
        if one.role == role:
            yield Carrier(f"{role} as {one.name()}", role == "run", partial(_written, one, ""))
            if ".parquet" in one.suffixes and find_spec("pyarrow") is not None:
                yield Carrier(f"{role} as {one.name()}, Parquet", role == "run", partial(_written, one, ".parquet"))


def _written(format: type[formats.Format], suffix: str, value: Any, case: Case, folder: str) -> RunFile | TruthFile:
    path = os.path.join(folder, f"file{suffix}")
    try:
        formats.write(value, path, format)
    except BerrypickError as error:
        raise NotHeldError(str(error)) from None
    return RunFile(path, format.name()) if format.role == "run" else TruthFile(path, format.name())


# --- objects of Python ------------------------------------------------------------------------------------------------


def _objects(of_run: bool) -> Iterable[Carrier]:
    what = "run" if of_run else "truth"
    yield Carrier(f"{what} as records", of_run, lambda value, case, folder: _records(value))
    yield Carrier(f"{what} as a dictionary", of_run, lambda value, case, folder: _by_topic(value))
    for library in ("pandas", "polars"):
        if find_spec(library) is not None:
            yield Carrier(f"{what} as a {library} frame", of_run, partial(_framed, library))


def _records(value: Any) -> list[Record]:
    """As lines of span-run or span-truth have them, without the name of the run."""
    lines = SpanRun if isinstance(value, Run) else SpanTruth
    if why := lines.refusal(value):
        raise NotHeldError(why)
    return [{k: v for k, v in record.items() if k != "tag"} for record in lines.to_records(value)]


def _rectangular(value: Any) -> list[Record]:
    """Records that all have the same fields."""
    found = _records(value)
    if not found or any(record.keys() != found[0].keys() for record in found):
        raise NotHeldError("not a table")
    return found


def _framed(library: str, value: Any, case: Case, folder: str) -> Any:
    return import_module(library).DataFrame(_rectangular(value))


def _by_topic(value: Any) -> Mapping[str, Any]:
    """{topic: {document or document#start-end: grade or score}}."""
    found: dict[str, dict[str, Any]] = {}
    if isinstance(value, Run) and (value.ties != "score" or any(not value.size(topic) for topic in value.topics)):
        raise NotHeldError("ranks and empty lists have no place in a dictionary of scores")
    for record in _rectangular(value):
        number = record.get("score", record.get("grade", 1))
        if record.keys() - {"topic", "doc", "start", "end", "score", "grade", "offsets"}:
            raise NotHeldError("more than a number for each document")
        held, span = found.setdefault(record["topic"], {}), "start" in record
        name = span_name(record["doc"], record["start"], record["end"]) if span else record["doc"]
        if name in held:
            raise NotHeldError("a result twice")
        held[name] = number
    return found


# --- other names ------------------------------------------------------------------------------------------------------


def _spelled(holder: str, start: str, end: str, of_run: bool) -> Carrier:
    def made(value: Any, case: Case, folder: str) -> Any:
        records = _rectangular(value)
        if "start" not in records[0]:
            raise NotHeldError("no spans")
        new = {"start": start, "end": end}
        return _held(holder, [{new.get(k, k): v for k, v in record.items()} for record in records], folder)

    return Carrier(f"{'run' if of_run else 'truth'} as {holder} with {start} and {end}", of_run, made, True)


def _held(holder: str, records: list[Record], folder: str) -> Any:
    """Records as they are, or a file of them."""
    if holder == "records":
        return records
    path = os.path.join(folder, f"file{HOLDERS[holder]}")
    with open(path, "w", encoding="utf-8", newline="") as out:
        if holder == "CSV":
            table = csv.DictWriter(out, list(records[0]))
            table.writeheader()
            table.writerows(records)
        else:
            out.writelines(json.dumps(record) + "\n" for record in records)
    return path


def _quoting(holder: str, name: str, run: Run, case: Case, folder: str) -> Any:
    """Results by their texts instead of their offsets."""
    records = [
        {"topic": topic, "doc": row.document, name: text, "rank": row.rank + 1}
        for topic, rows in _quotes(run, case).items()
        for row, text in rows
    ]
    return _held(holder, records, folder)


def _both(holder: str, run: Run, case: Case, folder: str) -> Any:
    """Results by their offsets, with their texts beside them."""
    texts = {(topic, row.name): text for topic, rows in _quotes(run, case).items() for row, text in rows}
    records = _rectangular(run)
    for record in records:
        place = span_name(record["doc"], record["start"], record["end"])
        record["text"] = texts[record["topic"], place]
    return _held(holder, records, folder)


def _hits(run: Run, case: Case, folder: str) -> Any:
    """Results as Elasticsearch and OpenSearch answer."""
    if run.ties != "score":
        raise NotHeldError("no scores")
    found: dict[str, list[Record]] = {topic: [] for topic in run.topics}
    for number, record in enumerate(_rectangular(run)):
        source = {name: record[name] for name in ("doc", "start", "end") if name in record}
        found[record["topic"]].append({"_id": f"hit {number}", "_score": record["score"], "_source": source})
    return {topic: {"took": 1, "hits": {"hits": hits}} for topic, hits in found.items()}


def _langchain(run: Run, case: Case, folder: str) -> Any:
    """Results as LangChain has them: page_content and metadata."""
    return {
        topic: [
            SimpleNamespace(page_content=text, metadata={"source": row.document, "start_index": int(row.start)})
            for row, text in rows
        ]
        for topic, rows in _quotes(run, case).items()
    }


def _quotes(run: Run, case: Case) -> dict[str, list[tuple[Result, str]]]:
    """Results with their texts; each of them occurs once in its document, and has a rank of its own."""
    texts = case.evaluation.context.reader.texts
    assert texts is not None
    if run.grouped or not all(run.size(topic) for topic in run.topics):
        raise NotHeldError("several results of one rank, or none")
    return {topic: [(row, _quoted(row, texts)) for row in results_of(run, topic)] for topic in run.topics}


def _quoted(row: Result, texts: Texts) -> str:
    whole = texts.get(row.document, "")
    text = whole[int(row.start) : int(row.end)]
    if not text.strip() or whole.find(text) != whole.rfind(text):
        raise NotHeldError("a text that occurs twice")
    return text
