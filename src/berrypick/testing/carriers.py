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
from itertools import cycle
from types import SimpleNamespace
from typing import Any

from berrypick import formats
from berrypick.data.columns import unpacked
from berrypick.data.errors import BerrypickError
from berrypick.data.pointers import span_name
from berrypick.data.run import Run
from berrypick.data.words import plain_title
from berrypick.documents.texts import Texts
from berrypick.evaluation.evaluation import Evaluation
from berrypick.evaluation.options import EvaluationOptions
from berrypick.formats.spans.span_run import SpanRun
from berrypick.formats.spans.span_truth import SpanTruth
from berrypick.given.convert import RunFile, TruthFile
from berrypick.inputs.titles import titles_of
from berrypick.rows.relevance_fields import NAMES as GRADES
from berrypick.rows.run_rows import rows_of_run
from berrypick.rows.truth_rows import rows_of_truth
from berrypick.testing.case import Case
from berrypick.testing.law import Variant
from berrypick.testing.orders import Measures, Rng
from berrypick.testing.rows import Result, results_of

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
#: Values by which people say that a row of a truth is relevant, and that it is not.
RELEVANCE = ((True, False), ("yes", "no"), ("relevant", "irrelevant"), ("Relevant", "not relevant"),
             ("positive", "negative"), ("support", "not_support"), (1, 0))  # fmt: skip
#: Names that people give to the list of results of a topic.
LISTS = ("results", "contexts", "documents")
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
    found += [_judged(held, *judged) for held in HOLDERS for judged in zip(GRADES, cycle(RELEVANCE), strict=False)]
    if case.evaluation.context.reader.texts is not None and case.run.start is not None:
        found += [
            Carrier(f"run as {held} with {name}", True, partial(_quoting, held, name), True)
            for held in HOLDERS
            for name in TEXTS
        ]
        found.append(Carrier("run as LangChain documents", True, _langchain, True))
        found += [Carrier(f"run as {held} with offsets and text", True, partial(_both, held)) for held in HOLDERS]
        found += [
            Carrier(f"run as {held} with offsets, text and pages", True, partial(_both, held, left=LEFT))
            for held in HOLDERS
        ]
        found += [Carrier(f"run as {held} with text and pages", True, partial(_quoting, held, "text", left=LEFT))
                  for held in HOLDERS]  # fmt: skip
        found += [Carrier(f"run as {held} with lists of texts", True, partial(_listed_texts, held))
                  for held in ("records", "JSON Lines")]  # fmt: skip
    for held in ("records", "JSON Lines"):
        found += [Carrier(f"run as {held} with lists of {name}", True, partial(_listed, held, name)) for name in LISTS]
        found.append(Carrier(f"run as {held} with lists of names", True, partial(_listed_names, held)))
    found += [
        Carrier(f"run as {held} with a text of another length", True, partial(_mistaken, held), must_refuse=True)
        for held in (*HOLDERS, *STORES)
    ]
    found += [Carrier(f"run as entries in {held}", True, partial(_entries, held, False)) for held in ENTRIES]
    found += [Carrier(f"run as {held} by question", True, partial(_entries, held, True)) for held in ENTRIES]
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
        "duplicates": old.options.duplicates or case.run.ordering.duplicates,
        "missing": case.run.of_topics.missing,  # what carriers can state differs
    }
    truth, run = (case.truth, given) if of_run else (given, case.run)
    read = Evaluation._from_options(truth, run, None, EvaluationOptions(**given_now))
    [found] = read.runs.values()
    return case.changed(run=found) if of_run else case.changed(truth=read.truth)


#: Options that have had their effect, or belong to the contexts of the case.
_APPLIED = (
    "fields",
    "offsets",
    "annotators",
    "order",
    "min_score",
    "repair",
    "by",
    "topic_table",
    "user",
    "navigation",
    "chunks",
)


def _installed(name: str) -> bool:
    try:
        import_module(name)
    except ImportError:
        return False
    return True


# --- files ------------------------------------------------------------------------------------------------------------


def _files(role: str) -> Iterable[Carrier]:
    for one in formats.registry:
        if one.role == role:
            yield Carrier(f"{role} as {one.name()}", role == "run", partial(_written, one, ""))
            if ".parquet" in one.suffixes and _installed("pyarrow"):
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
        if _installed(library):
            yield Carrier(f"{what} as a {library} frame", of_run, partial(_framed, library))


def _records(value: Any) -> list[Record]:
    """As lines of span-run or span-truth have them, without the name of the run."""
    lines = SpanRun if isinstance(value, Run) else SpanTruth
    if why := lines.refusal(value):
        raise NotHeldError(why)
    records = rows_of_run(value) if isinstance(value, Run) else rows_of_truth(value)
    return [{k: v for k, v in record.items() if k != "tag"} for record in records]


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
    if isinstance(value, Run) and (
        value.ordering.ties != "score" or any(not value.size(topic) for topic in value.topics)
    ):
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


# --- lists, and questions ---------------------------------------------------------------------------------------------

#: What holds entries, each with the list of results of its topic, with the ending of a file.
ENTRIES = {"a list": "", "JSON": ".json", "JSON Lines": ".jsonl"}


def _entries(holder: str, by_question: bool, run: Run, case: Case, folder: str) -> Any:
    """A list of results for each topic, which may be empty, in ranked order; or for each question, with white space."""
    if run.grouped or (run.ordering.ties == "score" and any(len({*scores}) < len(scores) for scores in _scores(run))):
        raise NotHeldError("several results of one rank")
    lists: dict[str, list[Record]] = {topic: [] for topic in run.topics}
    for record in _records(run):
        if "results" not in record:
            one = {name: value for name, value in record.items() if name not in ("topic", "rank", "score")}
            lists[record["topic"]].append(one)
    asked = _unique_questions(case) if by_question else {}
    if by_question and not asked.keys() >= lists.keys():
        raise NotHeldError("topics without questions of their own")
    entries = [{"question": f" {asked[topic]}\t", "results": held} if by_question else
               {"topic": topic, "results": held} for topic, held in lists.items()]  # fmt: skip
    if holder == "a list":
        return entries
    path = os.path.join(folder, f"file{ENTRIES[holder]}")
    with open(path, "w", encoding="utf-8", newline="") as out:
        lines = [json.dumps(entry) + "\n" for entry in entries]
        out.writelines([json.dumps(entries)] if holder == "JSON" else lines)
    return path


def _unique_questions(case: Case) -> dict[str, str]:
    """The questions of topics, where no two topics have the same."""
    found = titles_of(case.truth)
    return dict(found) if len({*map(plain_title, found.values())}) == len(found) else {}


# --- other names ------------------------------------------------------------------------------------------------------


def _spelled(holder: str, start: str, end: str, of_run: bool) -> Carrier:
    def made(value: Any, case: Case, folder: str) -> Any:
        records = _rectangular(value)
        if "start" not in records[0]:
            raise NotHeldError("no spans")
        new = {"start": start, "end": end}
        return _held(holder, [{new.get(k, k): v for k, v in record.items()} for record in records], folder)

    return Carrier(f"{'run' if of_run else 'truth'} as {holder} with {start} and {end}", of_run, made, True)


def _judged(holder: str, name: str, values: tuple[Any, Any]) -> Carrier:
    """A truth whose grades have another name, and say by a word or a switch what is relevant."""

    def made(value: Any, case: Case, folder: str) -> Any:
        records = _rectangular(value)
        if not {record.get("grade") for record in records} <= {0, 1}:
            raise NotHeldError("grades that words do not tell apart")
        judged = [{**record, "grade": values[not record["grade"]]} for record in records]
        return _held(holder, [{name if k == "grade" else k: v for k, v in record.items()} for record in judged], folder)

    return Carrier(f"truth as {holder} with {name} {values[0]} or {values[1]}", False, made)


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


def _quoting(holder: str, name: str, run: Run, case: Case, folder: str, left: Record | None = None) -> Any:
    """Results by their texts instead of their offsets, with what a loader ``left`` beside them."""
    records = [
        {"topic": topic, "doc": row.document, name: text, "rank": row.rank + 1, **(left or {})}
        for topic, rows in _quotes(run, case).items()
        for row, text in rows
    ]
    return _held(holder, records, folder)


def _listed(holder: str, name: str, run: Run, case: Case, folder: str) -> Any:
    """Topics with lists of results in ranked order, whose scores rise as if a reranker had left them there."""
    lists = _lists(run)
    for results in lists.values():
        for place, result in enumerate(results):
            result["score"] = float(place)
    return _held(holder, [{"topic": topic, name: results} for topic, results in lists.items()], folder)


def _listed_names(holder: str, run: Run, case: Case, folder: str) -> Any:
    """Topics with lists of names, where documents are judged and one of them is retrieved."""
    if case.truth.units != "documents" or run.points_into_documents or run.details or run.unit:
        raise NotHeldError("not only names")
    judged = {name for topic in case.truth.topics.values() for name in topic.documents()}
    names = {topic: [result["doc"] for result in results] for topic, results in _lists(run).items()}
    if judged.isdisjoint(name for listed in names.values() for name in listed):
        raise NotHeldError("no name that is known")
    return _held(holder, [{"topic": topic, "results": listed} for topic, listed in names.items()], folder)


def _listed_texts(holder: str, run: Run, case: Case, folder: str) -> Any:
    """Topics with lists of texts, where text is judged; each is in one document, and none is the name of one."""
    texts = case.evaluation.context.reader.texts
    assert texts is not None
    if case.truth.units != "spans":
        raise NotHeldError("strings are names where documents are judged")
    lists = {topic: [text for _, text in rows] for topic, rows in _quotes(run, case).items()}
    for text in (text for listed in lists.values() for text in listed):
        if text in texts or sum(text in texts.get(name, "") for name in texts) > 1:
            raise NotHeldError("a text that is in several documents, or the name of one")
    return _held(holder, [{"topic": topic, "results": listed} for topic, listed in lists.items()], folder)


def _lists(run: Run) -> dict[str, list[Record]]:
    """The results of each topic in ranked order, without ranks and scores."""
    if run.grouped:
        raise NotHeldError("several results share a rank")
    if run.ordering.ties == "score" and any(len({*scores}) < len(scores) for scores in _scores(run)):
        raise NotHeldError("equal scores: a list has an order")
    lists: dict[str, list[Record]] = {topic: [] for topic in run.topics}
    for record in _records(run):
        if "results" not in record:
            lists[record["topic"]].append({k: v for k, v in record.items() if k not in ("topic", "rank", "score")})
    return lists


#: What a loader leaves in metadata, which is no place where text is judged.
LEFT: Record = {"page": 0, "page_label": "iv", "total_pages": 9}


def _both(holder: str, run: Run, case: Case, folder: str, left: Record | None = None) -> Any:
    """Results by their offsets, with their texts and what a loader ``left`` beside them."""
    texts = {(topic, row.name): text for topic, rows in _quotes(run, case).items() for row, text in rows}
    records = _rectangular(run)
    for record in records:
        place = span_name(record["doc"], record["start"], record["end"])
        record["text"] = texts[record["topic"], place]
        record |= left or {}
    return _held(holder, records, folder)


def _mistaken(holder: str, run: Run, case: Case, folder: str) -> Any:
    """Results by their offsets, and beside them a text that is not as long."""
    if run.start is None or unpacked(run.start).dtype.kind != "i" or run.unit:
        raise NotHeldError("no spans of characters")
    if case.evaluation.options.text_mismatch != "error":
        raise NotHeldError("contradictions are allowed")
    records = _rectangular(run)
    for record in records:
        record["text"] = "x" * int(record["end"] - record["start"] + 7)
    return _held(holder, records, folder) if holder in HOLDERS else _answers(STORES[holder], records)


def _hits(answer: Answer, run: Run, case: Case, folder: str) -> Any:
    """Results as a store answers."""
    if run.ordering.ties != "score":
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
