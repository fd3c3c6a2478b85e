"""The work of a sweep: each setting becomes a run, and the run is evaluated."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

import numpy as np

from berrypick import formats
from berrypick.analysis.sweep.retrievers import Chunk
from berrypick.analysis.sweep.splitters import spans_of
from berrypick.analysis.sweep.sweep_files import file_of, refuse_overwriting
from berrypick.analysis.sweep.sweep_settings import (
    GridStep,
    Setting,
    Some,
    check_grid,
    check_names,
    find_steps,
    run_names,
)
from berrypick.data.assemble import assemble
from berrypick.data.errors import BerrypickError, UsageError, option
from berrypick.data.results import Results
from berrypick.data.run import Run
from berrypick.data.truth import Truth
from berrypick.documents.texts import Texts, read_texts
from berrypick.evaluation.evaluation import Evaluation


@dataclass(frozen=True)
class Outcome:
    """The results of a setting, and how many chunks it has."""

    results: Results
    chunks: int | None = None


@dataclass
class Job:
    """Everything a process needs to turn a setting into results."""

    truth: Truth
    measures: Any
    evaluation: dict[str, Any]
    settings: list[Setting]
    names: list[str]
    keep: str = field(default="", init=False)
    all_chunks: bool = field(default=False, init=False)  # whether a measure needs them
    topics: tuple[str, Sequence[str]] | None = field(default=None, init=False)  # scored as what; None for all

    def run(self, i: int) -> tuple[Run, Sequence[Chunk] | None]:
        raise NotImplementedError

    def placed(self, run: Run) -> Run:
        """A run of chunks of text as the truth judges it: boxes, where it judges pages."""
        return run

    def __call__(self, task: int, step: Callable[[int], None]) -> Outcome:
        found = self.outcome(task)
        step(1)
        return found

    def outcome(self, i: int) -> Outcome:
        run, chunks = self.run(i)
        if self.keep:
            file = file_of(self.keep, self.names[i])
            refuse_overwriting(file)
            formats.write(run, file, "span-run")
        known = dict(self.evaluation)
        if self.all_chunks and chunks is not None:
            known["chunks"] = self.placed(_as_run("chunks", [("all", chunk, None) for chunk in chunks]))
        evaluation = Evaluation.prepare(self.truth, run, self.measures, **known)
        if self.topics is not None:
            evaluation = evaluation.scoring_topics(self.topics[1], scored_as=self.topics[0])
        results = evaluation.run()
        # runs in a folder have tags of their own; here they go by their settings
        found = results.renamed({results.runs[0]: self.names[i]})
        return Outcome(found, None if chunks is None else len(chunks))


@dataclass
class FolderJob(Job):
    """Runs of a folder."""

    files: list[str]

    def run(self, i: int) -> tuple[Run, Sequence[Chunk] | None]:
        return formats.read_run(self.files[i]), None


@dataclass
class PipelineJob(Job):
    """Chunkers and retrievers, with their parameters."""

    documents: Texts
    queries: Mapping[str, str]
    chunkers: dict[str, GridStep]
    retrievers: dict[str, GridStep]
    words: Any = None  # with their places on pages, where these are judged

    @classmethod
    def planned(
        cls,
        truth: Truth,
        measures: Any,
        evaluation: dict[str, Any],
        documents: Mapping[str, str] | str | PathLike[str] | None,
        queries: Mapping[str, str] | None,
        chunkers: Some,
        retrievers: Some,
        grid: Mapping[str, Sequence[Any]],
        only: Callable[[Setting], bool] | None,
        words: Any = None,
    ) -> PipelineJob:
        words = _checked_words(words, truth, documents)
        documents = documents if words is None else words.texts
        if documents is None or queries is None:
            raise UsageError(f"{'documents' if documents is None else 'queries'} are missing: texts by name")
        texts = read_texts(documents)
        if words is None:  # quotes are located once; what chunkers give counts characters already
            from berrypick.judgements.locate import locate

            truth = locate(truth, texts, evaluation.pop("quotes", None), evaluation.pop("offsets", None))
            evaluation["documents"] = texts
        queries = _checked_queries(truth, texts, queries)
        cutting, finding = find_steps("chunker", chunkers, 1, grid), find_steps("retriever", retrievers, 2, grid)
        check_grid(grid, [*cutting, *finding])
        settings: list[Setting] = [
            {**chunking, **retrieving}
            for cut in cutting
            for chunking in cut.settings(grid, {})
            for find in finding
            for retrieving in find.settings(grid, chunking)
        ]
        wanted = [setting for setting in settings if only is None or only(setting)]
        if not wanted:
            raise UsageError("only= accepts no setting of the grid")
        names = run_names(wanted)
        check_names(names)
        return cls(truth, measures, evaluation, wanted, names, texts, queries,
                   {step.name: step for step in cutting}, {step.name: step for step in finding}, words)  # fmt: skip

    def run(self, i: int) -> tuple[Run, Sequence[Chunk] | None]:
        setting = self.settings[i]
        chunks = self._chunks(setting)
        find = self.retrievers[setting["retriever"]]
        with _blamed_on(find.shown(setting)):
            ranked = find.function(chunks, self.queries, **find.arguments(setting))
        rows = list(_ranked(ranked, chunks, self.queries, find.shown(setting)))
        if not rows:
            raise UsageError(f"{find.shown(setting)} finds nothing for any topic")
        return self.placed(_as_run(self.names[i], rows)), chunks

    def placed(self, run: Run) -> Run:
        from berrypick.judgements.place import place

        if self.words is None:
            return run
        found = place(run, self.words)
        assert isinstance(found, Run)
        return found

    def _chunks(self, setting: Setting) -> list[Chunk]:
        cut = self.chunkers[setting["chunker"]]
        key = (cut.name, repr(cut.arguments(setting)))
        kept: tuple[Any, list[Chunk]] | None = self.__dict__.get("_last")
        if kept is None or kept[0] != key:
            found = [chunk for name, text in self.documents.items() for chunk in _chunked(name, text, cut, setting)]
            if not found:
                raise UsageError(f"{cut.shown(setting)} makes no chunks of these documents")
            kept = self.__dict__["_last"] = (key, found)  # settings that differ in the retriever only share them
        return kept[1]


@contextmanager
def _blamed_on(who: str) -> Iterator[None]:
    """Errors of a person's own function, with its name and settings in front."""
    try:
        yield
    except BerrypickError as error:
        first, *more = error.lines
        raise UsageError(f"{who}: {first}", *more) from None
    except Exception as error:
        raise UsageError(f"{who} failed: {type(error).__name__}: {error}") from error


_PAGES = "a sweep over places on pages"


def _checked_words(words: Any, truth: Truth, documents: Any) -> Any:
    """Words with their places, read; an error where the truth does not need them, or they are missing."""
    from berrypick.documents.pages.page_words import read_words

    if words is None:
        if truth.of_pages:
            what = "the truth judges places on pages, but chunkers cut texts"
            raise UsageError(f"{what}: give {option('words')}, the words with their boxes, or {option('runs')}")
        return None
    if not truth.of_pages:
        what = f"the truth judges no places on pages: replace {option('words')} by {option('documents')}"
        raise UsageError(what)
    if documents is not None:
        raise UsageError(f"{option('words')} already give the texts: remove {option('documents')}")
    return read_words(words)


def _checked_queries(truth: Truth, texts: Texts, queries: Mapping[str, str]) -> dict[str, str]:
    """The queries of the judged topics; an error if one is missing, or a judged document is."""
    if not texts:
        raise UsageError("there are no documents")
    for name, text in (*texts.items(), *queries.items()):
        if not isinstance(text, str):
            raise UsageError(f"the text of {name} is a {type(text).__name__}, not a str")
    missing = [topic for topic in truth.topics if topic not in queries]
    if missing:
        named = ", ".join(missing[:3]) + ", ..." * (len(missing) > 3)
        raise UsageError(f"{len(missing)} judged topics have no query: {named}")
    for topic in truth.topics.values():
        for row, name in enumerate(topic.document):
            if topic.grade[row] > 0 and name not in texts:
                raise texts.unknown(name, truth.source or None)
    return {topic: queries[topic] for topic in truth.topics}


def _chunked(name: str, text: str, cut: GridStep, setting: Setting) -> Iterator[Chunk]:
    who = f"{cut.shown(setting)} on document {name}"
    with _blamed_on(who):
        pairs = cut.function(text, **cut.arguments(setting))
        found = [] if pairs is None else spans_of(list(pairs), text)
    if pairs is None:
        raise UsageError(f"{who}: gives None, expected (start, end) pairs")
    for number, pair in enumerate(found, start=1):
        start, end = _offsets(pair, f"{who}: chunk {number}")
        if not 0 <= start <= end <= len(text):
            raise UsageError(f"{who}: chunk {number} is {start} to {end}, the text has {len(text)} characters")
        if start == end:
            raise UsageError(f"{who}: chunk {number} is empty, {start} to {end}")
        yield Chunk(name, start, end, text[start:end])


def _offsets(pair: Any, where: str) -> tuple[int, int]:
    if isinstance(pair, str):
        raise UsageError(f"{where} is a string, expected (start, end), its offsets in the document")
    try:
        start, end = pair
        return operator.index(start), operator.index(end)
    except (TypeError, ValueError):
        raise UsageError(f"{where} is {pair!r:.60}, expected (start, end), two whole numbers") from None


def _ranked(
    ranked: Any, chunks: Sequence[Chunk], queries: Mapping[str, str], who: str
) -> Iterator[tuple[str, Chunk, float | None]]:
    """(topic, chunk, score) in ranked order."""
    if not isinstance(ranked, Mapping):
        raise UsageError(f"{who}: gives a {type(ranked).__name__}, expected {{topic: ranked list}}")
    for topic, results in ranked.items():
        if topic not in queries:
            raise UsageError(f"{who}: gives results for topic {topic!r:.60}, which has no query")
        if isinstance(results, (str, bytes, Chunk)) or not isinstance(results, Iterable):
            raise UsageError(f"{who}: topic {topic} has {results!r:.60}, expected a ranked list")
        for number, result in enumerate(results, start=1):
            yield (topic, *_result(result, chunks, f"{who}: result {number} of topic {topic}"))


def _result(result: Any, chunks: Sequence[Chunk], where: str) -> tuple[Chunk, float | None]:
    score = None
    if isinstance(result, tuple) and len(result) == 2:
        result, given = result
        try:
            score = float(given)
        except (TypeError, ValueError):
            raise UsageError(f"{where} has the score {given!r:.60}, which is not a number") from None
    if isinstance(result, Chunk):
        return result, score
    try:
        place = operator.index(result)
    except TypeError:
        raise UsageError(f"{where} is {result!r:.60}, expected a chunk or its place in the list of chunks") from None
    if not 0 <= place < len(chunks):
        raise UsageError(f"{where} is chunk {place}, there are chunks 0 to {len(chunks) - 1}")
    return chunks[place], score


def _as_run(name: str, rows: Sequence[tuple[str, Chunk, float | None]]) -> Run:
    scores = [score for _, _, score in rows if score is not None]
    return assemble(
        tag=name,
        topic=[topic for topic, _, _ in rows],
        document=[chunk.document for _, chunk, _ in rows],
        start=np.array([chunk.start for _, chunk, _ in rows], dtype=np.int64),
        end=np.array([chunk.end for _, chunk, _ in rows], dtype=np.int64),
        score=np.array(scores, dtype=np.float64) if scores and len(scores) == len(rows) else None,
        order="file",
        duplicates="keep",
    )
