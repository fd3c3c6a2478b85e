"""Synthetic runs over XML elements: the ideal list, and lists with its elements moved about (EPRUM section 7)."""

from __future__ import annotations

import numpy as np

from berrypick.data.assemble import assemble
from berrypick.data.collection import Collection
from berrypick.data.run import Run
from berrypick.data.truth import Truth
from berrypick.documents.xml.structure import Structure
from berrypick.targets.gains import Quantisation
from berrypick.targets.recall_base import recall_base


def ideal_run(truth: Truth, left_out: frozenset[str] = frozenset(), quant: Quantisation | None = None) -> Run:
    """The ideal recall base of every topic by decreasing gain, ties in truth order."""
    topics: list[str] = []
    documents: list[str] = []
    paths: list[str] = []
    for name, topic in truth.topics.items():
        base = recall_base(topic, truth.scale, quant, left_out)
        for i in sorted(base.ideal.tolist(), key=lambda i: -base.gain[i]):
            topics.append(name)
            documents.append(base.document[i])
            paths.append(base.path[i])
    return _run("ideal", topics, documents, paths)


def degraded(run: Run, collection: Collection, move: float, seed: int) -> Run:
    """Every element moved up or down the tree: a direction by the toss of a coin, and with probability ``move`` one
    step after the other, to the parent or to a child drawn at random; the root and leaves end the journey."""
    chance = np.random.default_rng(seed)
    documents: list[str] = []
    paths: list[str] = []
    topics: list[str] = []
    for topic, ranking in run.rankings():
        for row in range(len(ranking)):
            document = ranking.documents[int(ranking.document[row])]
            structure = collection.structures[document]
            element = structure.element(ranking.path_of(row)[0])
            topics.append(topic)
            documents.append(document)
            paths.append(structure.paths[_moved(structure, element, move, chance)])
    return _run(f"m={move:g}", topics, documents, paths)


def _moved(structure: Structure, element: int, move: float, chance: np.random.Generator) -> int:
    upwards = chance.random() < 0.5
    while chance.random() < move:
        if upwards:
            onwards = [int(structure.parent[element])] if structure.parent[element] >= 0 else []
        else:
            onwards = np.flatnonzero(structure.parent == element).tolist()
        if not onwards:
            break
        element = onwards[int(chance.integers(len(onwards)))]
    return element


def _run(tag: str, topics: list[str], documents: list[str], paths: list[str]) -> Run:
    # a move may lead two elements of a list to the same place, which is part of the experiment
    return assemble(tag=tag, topic=topics, document=documents, path=paths, order="file", duplicates="keep")
