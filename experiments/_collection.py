"""XML collections with topics whose relevance the rankers do not define: what the experiments of this folder share.

* Without a folder: the bundled campaign, twenty articles with ten topics that were highlighted by hand.
* With gnome-user-docs, or another folder of XML documents: topics by links. A topic is a page that 3 to 25 others link
  to in their text; its query is the words of its title. What links to it is relevant: the paragraph or item with the
  link. The page itself is in no run.

Assessments of elements follow from the highlighted text in two forms: with specificity alone, as at INEX 2006, and with
exhaustivity, as at INEX 2005: ideal elements 2, relevant elements around and below them 1, too small ones "?".
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import data
import numpy as np

import berrypick as bp
from berrypick.data import paths
from berrypick.data.collection import Collection
from berrypick.data.truth import Highlighted, TopicTruth, Truth
from berrypick.demo import campaign
from berrypick.documents.xml.folder import find_documents, read_folder
from berrypick.documents.xml.resolve import assess
from berrypick.documents.xml.structure import Structure
from berrypick.documents.xml.xml_documents import read_text
from berrypick.targets.recall_base import recall_base

BLOCKS = {"p", "para", "title", "st", "item", "listitem", "td", "entry", "desc", "screen", "term", "simpara"}
HEADS = {"info", "head", "header"}
#: Shorter elements are too small to answer anything.
TOO_SMALL = 20


#: The small form of an experiment: so many topics, seeds and resamples. It shows that it runs, not what it finds.
SMALL_TOPICS, SMALL_SEEDS, SMALL_RESAMPLES = 3, 2, 100
#: The folder of the package whose pages are a collection.
GNOME, GNOME_PAGES = "gnome-user-docs", "usr/share/help/C"


def arguments(
    description: str | None, words: Sequence[str] | None = None, seeds: int = 10, on: str = ""
) -> argparse.Namespace:
    """What was asked for; ``on`` says what an experiment can run on, if there is a choice."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    if on:
        parser.add_argument("collection", nargs="?", help=on)
    parser.add_argument("--seeds", type=int, help=f"repetitions, where chance has a part [default: {seeds}]")
    parser.add_argument("--small", action="store_true", help="little of everything, to see that it runs")
    parser.add_argument("--out", type=Path, help="folder for truth, runs, results and figures [default: none]")
    data.add_options(parser)
    given = parser.parse_args(words)
    if given.seeds is not None and given.seeds < 1:
        parser.error("--seeds is a number of repetitions, at least 1")
    given.seeds = given.seeds or (SMALL_SEEDS if given.small else seeds)
    given.topics = SMALL_TOPICS if given.small else 0
    return given


@dataclass(frozen=True)
class World:
    """Documents, topics, and what is relevant to them."""

    name: str
    collection: Collection
    texts: dict[str, str]
    queries: dict[str, str]  # topic to the words that are searched for
    highlighted: Truth
    #: Documents that runs do not return for a topic.
    excluded: dict[str, str]

    @cached_property
    def specific(self) -> Truth:
        """Elements assessed by specificity (INEX 2006)."""
        return assess(self.highlighted, self.collection)

    @cached_property
    def exhaustive(self) -> Truth:
        """Elements assessed by exhaustivity and specificity (INEX 2005)."""
        topics = {name: self._graded(topic) for name, topic in self.specific.topics.items()}
        return replace(self.specific, topics=topics, scale="2005")

    def _graded(self, topic: TopicTruth) -> TopicTruth:
        assert topic.path is not None and topic.size is not None
        base = recall_base(topic, "sizes", "specificity")
        grades = np.ones(len(topic))
        small = [paths.element_name(path) in self.small_names for path in topic.path]
        grades[np.array(small, dtype=bool) | (topic.size < TOO_SMALL)] = 0.0
        grades[base.row[base.ideal]] = 2.0
        return replace(topic, exhaustivity=grades, entry_points=())  # of which 2005 had none

    @cached_property
    def small_names(self) -> frozenset[str]:
        """Names of elements that only ever occur inside blocks of text: links, emphasis, names of menus."""
        inside: set[str] = set()
        elsewhere: set[str] = set(BLOCKS)
        for structure in self.structures():
            for element, name in enumerate(structure.name):
                if structure.end[element] == structure.start[element]:
                    continue
                within = any(structure.name[outer] in BLOCKS for outer in structure.ancestors(element))
                (inside if within and not self.holds_block(structure, element) else elsewhere).add(name)
        return frozenset(inside - elsewhere)

    def structures(self) -> Iterator[Structure]:
        return (self.collection.structures[name] for name in self.texts)

    @staticmethod
    def holds_block(structure: Structure, element: int) -> bool:
        return any(structure.name[inner] in BLOCKS for inner in structure.descendants(element) if inner != element)

    def describe(self) -> str:
        elements = sum(len(topic) for topic in self.specific.topics.values())
        return f"{self.name}: {len(self.texts)} documents, {len(self.queries)} topics, {elements} relevant elements"


XML_COLLECTIONS = f"{GNOME}, or a folder of XML documents that link to each other [default: the bundled campaign]"


def read_world(given: argparse.Namespace) -> World:
    """The collection that was asked for, with the first topics of it in the small form."""
    if given.collection is None:
        world = _campaign()
    elif given.collection == GNOME:
        (package,) = data.needed(GNOME, given.data, given.unchecked).values()
        folder = data.unpacked(package, GNOME_PAGES)
        if given.out is not None:  # the commands that draw figures can be repeated there
            folder = shutil.copytree(folder, given.out / GNOME, dirs_exist_ok=True)
        world = _linked(folder, GNOME)
    else:
        world = _linked(Path(given.collection), Path(given.collection).name)
    kept = list(world.queries)[: given.topics or None]
    return replace(
        world,
        queries={name: world.queries[name] for name in kept},
        highlighted=replace(world.highlighted, topics={name: world.highlighted.topics[name] for name in kept}),
    )


def _texts(folder: str | Path) -> dict[str, str]:
    return {name: read_text(path) for name, path in find_documents(folder).items()}


def _campaign() -> World:
    home = campaign.FOCUSED.files.path()
    topics = json.loads((home / "topics.json").read_text(encoding="utf-8"))
    truth = bp.read_truth(home / "highlighted.qrels")
    folder = home / "collection"
    queries = {topic["topic"]: topic["title"] for topic in topics}
    return World("bundled campaign", read_folder(folder), _texts(folder), queries, truth, {})


def _linked(folder: Path, name: str) -> World:
    collection, texts = read_folder(folder), _texts(folder)
    spans: dict[str, list[tuple[str, int, int]]] = {}
    for document in texts:
        structure = collection.structures[document]
        for element, target in structure.links:
            place = _linking_block(structure, element)
            if place is not None:
                spans.setdefault(target, []).append((document, *place))
    found = {
        page: list(dict.fromkeys(own))
        for page, own in spans.items()
        if page in texts and 3 <= len({document for document, _, _ in own} - {page}) <= 25
    }
    queries = {page: title for page in sorted(found) if (title := _title(collection.structures[page], texts[page]))}
    if not queries:
        raise data.DataError(f"{folder}: no page is linked to in the text of 3 to 25 others; name another folder")
    topics = {page: _topic(page, found[page]) for page in queries}
    return World(name, collection, texts, queries, Truth("spans", topics), {page: page for page in queries})


def _linking_block(structure: Structure, element: int) -> tuple[int, int] | None:
    """The paragraph or item with a link; None for links in the head of a page and outside of text."""
    around = [element, *structure.ancestors(element)]
    if any(structure.name[outer] in HEADS for outer in around):
        return None
    block = next((outer for outer in around if structure.name[outer] in BLOCKS), None)
    return None if block is None else (int(structure.start[block]), int(structure.end[block]))


def _title(structure: Structure, text: str) -> str:
    titles = (i for i, name in enumerate(structure.name) if name == "title")
    return next((text[structure.start[i] : structure.end[i]] for i in titles), "")


def _topic(page: str, spans: Iterable[tuple[str, int, int]]) -> TopicTruth:
    rows = [span for span in spans if span[0] != page and span[2] > span[1]]
    names = tuple(name for name, _, _ in rows)
    start, end = (np.array([row[i] for row in rows], dtype=np.int64) for i in (1, 2))
    return TopicTruth(page, names, np.ones(len(rows)), start, end, highlighted=Highlighted(names, start, end))


def words(text: str) -> list[str]:
    return re.findall(r"[a-z]{2,}", text.lower())
