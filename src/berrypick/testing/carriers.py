"""The same truth and the same run in every format and Python object that can hold them.

What is carried goes through the same door as what a user passes: it is read, checked and prepared again.
"""

from __future__ import annotations

import csv
import json
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
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
from berrypick.evaluation.options import EvaluationOptions
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
#: The response to one query, made of its results.
Answer = Callable[[list[Record]], Any]


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
    #: Whether nothing but an error is right: it holds two things that contradict each other.
    must_refuse: bool = False


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
    found += [
        Carrier(f"run as {held} with a text of another length", True, partial(_mistaken, held), must_refuse=True)
        for held in (*HOLDERS, *STORES)
    ]
    return [*found, *(Carrier(f"run as {name}", True, partial(_hits, answer)) for name, answer in STORES.items())]


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
        if one.must_refuse:
            return Variant(case, one.name)  # it was, as it should be
        raise BerrypickError(f"{one.name}: {str(error).partition(chr(10))[0]}") from None
    if one.must_refuse:
        raise BerrypickError(f"{one.name}: it is read, although its offsets and its texts contradict each other")
    return Variant(made, one.name, may_refuse=one.may_refuse)


def _opened(case: Case, of_run: bool, given: Any) -> Case:
    """The case with what a carrier holds, read as an evaluation reads it."""
    old, reader = case.evaluation, case.evaluation.context.reader
    given_now: Any = {
        **vars(old.options),
        **dict.fromkeys(_APPLIED),
        "documents": reader.texts,
        "collection": None if old.options.collection is None else reader.collection,
        "duplicates": old.options.duplicates or case.run.duplicates,
    }
    truth, run = (case.truth, given) if of_run else (given, case.run)
    read = Evaluation._from_options(truth, run, None, EvaluationOptions(**given_now))
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
    if format.positions == "seconds" and "seconds" not in value.beside:
        raise NotHeldError("positions are read as seconds")
    if why := format.refusal(value):  # also where it would be written with a warning
        raise NotHeldError(why)
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


def _mistaken(holder: str, run: Run, case: Case, folder: str) -> Any:
    """Results by their offsets, and beside them a text that is not as long."""
    if run.start is None or run.start.dtype.kind != "i" or run.unit:
        raise NotHeldError("no spans of characters")
    if case.evaluation.options.text_mismatch == "note":
        raise NotHeldError("contradictions are allowed")
    records = _rectangular(run)
    for record in records:
        record["text"] = "x" * int(record["end"] - record["start"] + 7)
    return _held(holder, records, folder) if holder in HOLDERS else _answers(STORES[holder], records)


def _hits(answer: Answer, run: Run, case: Case, folder: str) -> Any:
    """Results as a store answers."""
    if run.ties != "score":
        raise NotHeldError("no scores")
    if any(len({*scores}) < len(scores) for scores in _scores(run)):
        raise NotHeldError("equal scores: a response is a list in its order")
    return {**{topic: [] for topic in run.topics}, **_answers(answer, _rectangular(run))}


def _scores(run: Run) -> Iterator[list[float]]:
    """The scores of each list."""
    for _, ranking in run.rankings():
        yield [] if ranking.score is None else ranking.score.tolist()


def _answers(answer: Answer, records: list[Record]) -> dict[str, Any]:
    found: dict[str, list[Record]] = {}
    for record in records:
        found.setdefault(record["topic"], []).append(record)
    return {topic: answer(rows) for topic, rows in found.items()}


def _source(record: Record) -> Record:
    return {name: record[name] for name in ("doc", "start", "end", "text") if name in record}


def _elasticsearch(rows: list[Record]) -> Record:
    """Also what OpenSearch answers."""
    hits = [{"_id": f"hit {i}", "_score": row.get("score"), "_source": _source(row)} for i, row in enumerate(rows)]
    return {"took": 1, "hits": {"hits": hits}}


def _elasticsearch_client(rows: list[Record]) -> Any:
    """Not a dictionary, but an object that has keys and items, and iterates into the names of its fields."""
    return _Response(_elasticsearch(rows))


class _Response:
    def __init__(self, body: Record) -> None:
        self.body = body

    def __getitem__(self, name: str) -> Any:
        return self.body[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.body)

    def keys(self) -> Iterable[str]:
        return self.body.keys()


def _inner_hits(rows: list[Record]) -> Record:
    """Documents with the parts that were found in them; their own source says nothing of places."""
    hits = []
    for row in rows:
        if "start" not in row:
            raise NotHeldError("no spans")
        part = {"_id": row["doc"], "_nested": {"field": "chunks", "offset": 0}, "_score": row.get("score")}
        inner = {"chunks": {"hits": {"hits": [{**part, "_source": _source(row)}]}}}
        hits.append({"_id": row["doc"], "_score": row.get("score"), "_source": {}, "inner_hits": inner})
    return {"took": 1, "hits": {"hits": hits}}


def _qdrant(rows: list[Record]) -> Any:
    """As its client returns them."""
    points = [
        SimpleNamespace(id=i, version=1, score=row.get("score"), payload=_source(row)) for i, row in enumerate(rows)
    ]
    return SimpleNamespace(points=points)


def _chroma(rows: list[Record]) -> Record:
    texts = [row.get("text") for row in rows]
    metadata = [{name: value for name, value in _source(row).items() if name != "text"} for row in rows]
    distances = [-row.get("score", 0.0) for row in rows]
    return {"ids": [[f"hit {i}" for i in range(len(rows))]], "documents": [texts], "metadatas": [metadata],
            "distances": [distances]}  # fmt: skip


#: What answers a search, and how.
STORES: Mapping[str, Answer] = {
    "hits of Elasticsearch": _elasticsearch,
    "a response of Elasticsearch's client": _elasticsearch_client,
    "inner hits of Elasticsearch": _inner_hits,
    "a response of Qdrant's client": _qdrant,
    "hits of Chroma": _chroma,
}


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
