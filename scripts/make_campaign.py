"""Makes the campaign of the demonstration again from what was written by hand: its assessments and its runs.

Written by hand, in src/berrypick/demo/campaign: the articles in collection/, topics.json (what is asked),
highlighting.json (which text answers it, told by its words, and which articles hold nothing relevant) and track.toml
(the rules for submissions). Made here:

* highlighted.qrels: passages and entry points as offsets, one judged article a line (INEX from 2008 on);
* topics.tsv: the topics with their titles, for the track file;
* assessments.xml: the same as points in the XML, and every element that holds highlighted text (INEX 2006 to 2008);
* runs/: what a real ranker, the full-text index of SQLite (FTS5, BM25), finds at different sizes of result.

    python scripts/make_campaign.py [FOLDER]     writes into the folder, by default into the package

Nothing here depends on chance, time or machine: the same files come out everywhere, byte for byte.
"""

from __future__ import annotations

import json
import re
import sqlite3
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

import berrypick as bp
from berrypick.data.assemble import assemble
from berrypick.data.run import Run
from berrypick.data.truth import EntryPoint, Passage, TopicTruth, Truth
from berrypick.documents.xml.structure import Structure
from berrypick.documents.xml.xml_documents import read_structure, read_text

HOME = Path(__file__).resolve().parent.parent / "src" / "berrypick" / "demo" / "campaign"

#: Words of titles that are not searched for.
STOP_WORDS = frozenset(["after", "against", "and", "does", "for", "from", "in", "not", "of", "off", "why"])
#: Elements that a thorough run returns; the others (titles, links, emphasis) are too small to answer anything.
RETURNED = ("article", "sec", "ss1", "ss2", "list", "p", "item")
BLOCKS = ("p", "item")
WINDOW, STEP = 400, 200
#: Results for a topic, at most: as many as a patient reader looks at.
MOST = {"articles": 20, "sections": 30, "paragraphs": 40, "elements": 60, "windows": 60}
#: In context, what scores at least this share of the best part of its article is shown.
SHARE = 0.5

Words = str | list[str]


@dataclass(frozen=True)
class Topic:
    """What is asked."""

    topic: str
    title: str

    def query(self) -> str:
        """The words of the title, any of them."""
        words = [word for word in re.findall("[a-z]+", self.title.lower()) if word not in STOP_WORDS]
        return " OR ".join(f'"{word}"' for word in words)


@dataclass(frozen=True)
class Document:
    """An article: the line of its characters, and what stands where on it."""

    name: str
    text: str
    structure: Structure

    def place(self, words: str) -> tuple[int, int]:
        """Where some words stand; they must stand there once."""
        found = self.text.count(words)
        if found != 1:
            raise SystemExit(f"highlighting.json: {words!r} stands {found} times in {self.name}")
        start = self.text.index(words)
        return start, start + len(words)

    def passage(self, words: Words) -> tuple[int, int]:
        """A quote in full, or its first and its last words."""
        if isinstance(words, str):
            return self.place(words)
        first, last = (self.place(end) for end in words)
        if last[1] <= first[0]:
            raise SystemExit(f"highlighting.json: {words!r} ends before it starts in {self.name}")
        return first[0], last[1]


@dataclass(frozen=True)
class Result:
    """A stretch of an article, an element if it has a path, and what the ranker thinks of it."""

    document: str
    start: int
    end: int
    path: str = ""
    score: float = 0.0


# What was written by hand


def read_topics() -> list[Topic]:
    rows = json.loads((HOME / "topics.json").read_text(encoding="utf-8"))
    return [Topic(row["topic"], row["title"]) for row in rows]


def read_documents() -> dict[str, Document]:
    files = sorted((HOME / "collection").glob("*.xml"))
    return {file.stem: Document(file.stem, read_text(file), read_structure(file)) for file in files}


# Assessments


@dataclass(frozen=True)
class Highlighting:
    """What an assessor marked in one article: passages in the order of the text, and where reading should begin."""

    document: Document
    passages: tuple[tuple[int, int], ...]
    entry: int

    def points(self) -> Iterator[Passage]:
        structure = self.document.structure
        for start, end in self.passages:
            first, last = structure.point_at(start), structure.point_at(end, last=True)
            yield Passage(self.document.name, first, last, end - start)


def read_highlighting(documents: dict[str, Document]) -> dict[str, tuple[list[Highlighting], tuple[str, ...]]]:
    """For each topic the marked articles, and the names of those that hold nothing relevant."""
    found = {}
    for topic, judged in json.loads((HOME / "highlighting.json").read_text(encoding="utf-8")).items():
        marked = [_marked(documents[name], **what) for name, what in judged["relevant"].items()]
        nothing = tuple(documents[name].name for name in judged["not relevant"])
        if set(nothing) & set(judged["relevant"]):
            raise SystemExit(f"highlighting.json: topic {topic} has an article that is relevant and is not")
        found[topic] = marked, nothing
    return found


def _marked(document: Document, passages: list[Words], entry: str = "") -> Highlighting:
    spans = tuple(document.passage(words) for words in passages)
    ends = [place for span in spans for place in span]
    if ends != sorted(set(ends)):
        raise SystemExit(f"highlighting.json: the passages of {document.name} overlap or are not in order: {passages}")
    return Highlighting(document, spans, document.place(entry)[0] if entry else spans[0][0])


def text_truth(highlighting: dict[str, tuple[list[Highlighting], tuple[str, ...]]], lengths: dict[str, float]) -> Truth:
    """Judgements of text: offsets."""
    topics = {}
    for topic, (marked, nothing) in highlighting.items():
        spans = np.array([span for one in marked for span in one.passages], dtype=np.int64)
        topics[topic] = TopicTruth(
            topic,
            document=tuple(one.document.name for one in marked for _ in one.passages),
            grade=np.ones(len(spans)),
            start=spans[:, 0],
            end=spans[:, 1],
            empty_documents=nothing,
            entry_points=tuple(EntryPoint(one.document.name, offset=one.entry) for one in marked),
        )
    return Truth("spans", topics, lengths=lengths)


def element_truth(highlighting: dict[str, tuple[list[Highlighting], tuple[str, ...]]]) -> Truth:
    """Judgements of elements: whatever holds highlighted text is relevant, as specific as its share of it."""
    topics = {}
    for topic, (marked, nothing) in highlighting.items():
        names: list[str] = []
        paths: list[str] = []
        sizes: list[tuple[int, int]] = []
        for one in marked:
            structure = one.document.structure
            elements, size, relevant = structure.assessed(*np.array(one.passages, dtype=np.int64).T)
            names += [one.document.name] * len(elements)
            paths += [structure.path(element) for element in elements.tolist()]
            sizes += zip(size.tolist(), relevant.tolist(), strict=True)
        columns = np.array(sizes, dtype=np.float64)
        topics[topic] = TopicTruth(
            topic,
            document=tuple(names),
            grade=np.ones(len(names)),
            path=tuple(paths),
            size=columns[:, 0],
            rsize=columns[:, 1],
            exhaustivity=np.full(len(names), 2.0),
            specificity=columns[:, 1] / columns[:, 0],
            empty_documents=nothing,
            passages=tuple(passage for one in marked for passage in one.points()),
            entry_points=tuple(
                EntryPoint(one.document.name, point=one.document.structure.point_at(one.entry)) for one in marked
            ),
        )
    return Truth("elements", topics, scale="sizes")


# The ranker


class Index:
    """Stretches of text that can be searched for words. Words are compared by their stems."""

    def __init__(self, documents: dict[str, Document], units: Iterable[Result]) -> None:
        self.units = list(units)
        self.database = sqlite3.connect(":memory:")
        try:
            self.database.execute("CREATE VIRTUAL TABLE unit USING fts5(text, tokenize = 'porter unicode61')")
        except sqlite3.OperationalError as error:
            raise SystemExit(f"the SQLite of this Python has no full-text index: {error}") from None
        self.database.executemany(
            "INSERT INTO unit(rowid, text) VALUES (?, ?)",
            ((i, documents[unit.document].text[unit.start : unit.end]) for i, unit in enumerate(self.units)),
        )

    def search(self, topic: Topic) -> list[Result]:
        """Everything with one of the words, best first; equals in the order of the collection."""
        found = self.database.execute("SELECT rowid, -bm25(unit) FROM unit WHERE unit MATCH ?", (topic.query(),))
        scored = [(round(score, 4), row) for row, score in found]
        scored.sort(key=lambda pair: (-pair[0], pair[1]))
        return [_with_score(self.units[row], score) for score, row in scored]


def _with_score(unit: Result, score: float) -> Result:
    return Result(unit.document, unit.start, unit.end, unit.path, score)


def elements(documents: dict[str, Document], names: Sequence[str]) -> Iterator[Result]:
    """The elements with certain names."""
    for document in documents.values():
        structure = document.structure
        for element, name in enumerate(structure.name):
            if name in names:
                start, end = int(structure.start[element]), int(structure.end[element])
                yield Result(document.name, start, end, structure.path(element))


def windows(documents: dict[str, Document], length: int = WINDOW, step: int = STEP) -> Iterator[Result]:
    """Stretches of about the same length, each overlapping the next by half, that begin and end with whole words."""
    for document in documents.values():
        words = [match.span() for match in re.finditer(r"\S+", document.text)]
        for at in range(0, max(len(document.text) - step, 1), step):
            inside = [span for span in words if span[0] >= at and span[1] <= at + length]
            yield Result(document.name, inside[0][0], inside[-1][1])


# The runs


def in_context(articles: list[Result], parts: list[Result]) -> Iterator[tuple[Result, list[Result]]]:
    """Articles in their order, each with its good parts, best first."""
    within: dict[str, list[Result]] = {}
    for part in parts:
        within.setdefault(part.document, []).append(part)
    for article in articles:
        found = within.get(article.document, [])
        yield article, [part for part in found if part.score >= SHARE * found[0].score]


def merged(parts: list[Result], score: float) -> list[Result]:
    """Stretches of one article in the order of its text, those that overlap or touch made one."""
    found: list[Result] = []
    for part in sorted(parts, key=lambda part: part.start):
        if found and part.start <= found[-1].end + 1:
            last = found.pop()
            part = Result(part.document, last.start, max(last.end, part.end))
        found.append(part)
    return [_with_score(part, score) for part in found]


Lists = dict[str, list[Result]]
Kind = Literal["elements", "passages", "entry points"]
Task = Literal["thorough", "focused", "relevant-in-context", "best-in-context"]


@dataclass(frozen=True)
class System:
    """A run to be written: the file, its task, what it returns."""

    file: str
    task: Task
    kind: Kind
    lists: Lists

    def run(self) -> Run:
        rows = [(topic, result) for topic, results in self.lists.items() for result in results]
        start = np.array([result.start for _, result in rows], dtype=np.int64)
        end = np.array([result.end for _, result in rows], dtype=np.int64)
        offsets = self.kind != "elements"
        return assemble(
            tag=self.file.partition(".")[0],
            topic=[topic for topic, _ in rows],
            document=[result.document for _, result in rows],
            path=None if offsets else [result.path for _, result in rows],
            start=start if offsets else None,
            end=(start if self.kind == "entry points" else end) if offsets else None,
            score=np.array([result.score for _, result in rows]),
            task=self.task,
        )


def make_runs(topics: Sequence[Topic], documents: dict[str, Document]) -> Iterator[System]:
    indexes = {
        "articles": Index(documents, elements(documents, ["article"])),
        "sections": Index(documents, elements(documents, ["sec"])),
        "paragraphs": Index(documents, elements(documents, BLOCKS)),
        "elements": Index(documents, elements(documents, RETURNED)),
        "windows": Index(documents, windows(documents)),
    }
    found = {name: {topic.topic: index.search(topic) for topic in topics} for name, index in indexes.items()}
    for index in indexes.values():
        index.database.close()

    def top(name: str) -> Lists:
        return {topic: results[: MOST[name]] for topic, results in found[name].items()}

    context: Lists = {}
    excerpts: Lists = {}
    entries: Lists = {}
    for topic, articles in top("articles").items():
        context[topic], excerpts[topic], entries[topic] = [], [], []
        for article, parts in in_context(articles, found["paragraphs"][topic]):
            shown = sorted(parts, key=lambda part: part.start) or [article]
            context[topic] += [_with_score(part, article.score) for part in shown]
            entries[topic].append(_with_score(parts[0] if parts else article, article.score))
        for article, parts in in_context(articles, found["windows"][topic]):
            excerpts[topic] += merged(parts or [article], article.score)
    yield System("articles.xml", "focused", "elements", top("articles"))
    yield System("sections.xml", "focused", "elements", top("sections"))
    yield System("paragraphs.xml", "focused", "elements", top("paragraphs"))
    yield System("elements.xml", "thorough", "elements", top("elements"))
    yield System("windows.run", "thorough", "passages", top("windows"))
    yield System("context.xml", "relevant-in-context", "elements", context)
    yield System("excerpts.run", "relevant-in-context", "passages", excerpts)
    yield System("entries.run", "best-in-context", "entry points", entries)


def make(folder: Path) -> list[Path]:
    """Write everything into a folder; returns the files."""
    documents = read_documents()
    highlighting = read_highlighting(documents)
    lengths = {name: float(len(document.text)) for name, document in documents.items()}
    (folder / "runs").mkdir(parents=True, exist_ok=True)
    bp.write(text_truth(highlighting, lengths), folder / "highlighted.qrels", "inex-fol-truth")
    bp.write(element_truth(highlighting), folder / "assessments.xml", "inex-assessments")
    topics = "".join(f"{one.topic}\t{one.title}\n" for one in read_topics())
    (folder / "topics.tsv").write_text(topics, encoding="utf-8", newline="\n")
    made = [folder / "highlighted.qrels", folder / "assessments.xml", folder / "topics.tsv"]
    for system in make_runs(read_topics(), documents):
        path = folder / "runs" / system.file
        bp.write(system.run(), path, "inex-submission" if path.suffix == ".xml" else "inex-fol-run")
        made.append(path)
    return made


if __name__ == "__main__":
    for path in make(Path(sys.argv[1]) if len(sys.argv) > 1 else HOME):
        print(path)
