"""Campaigns drawn at random, of every kind that a measure may ask for.

Unlike in the worlds of tests/contracts, lists have ties, scores and ranks with several results, spans overlap, and
grades differ.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from berrypick.data.assemble import assemble
from berrypick.data.collection import Collection
from berrypick.data.navigation import LinkTable, ReachTable, Sessions
from berrypick.data.run import Run
from berrypick.data.truth import TopicTruth, Truth

PAGES = [f"p{i:02d}" for i in range(12)]
LENGTHS = Collection({name: 60.0 + 7 * i for i, name in enumerate([*PAGES, "d0", "d1", "d2", "d3"])})
TOPICS = ("1", "2", "3", "4", "5")
SENTENCE = "berry pick reads each digit of what a person points into and no other thing that lies about here so"


@dataclass(frozen=True, eq=False)
class Campaign:
    """A truth, a run, and what else an evaluation may need."""

    name: str
    truth: Truth
    run: Run
    options: dict[str, Any] = field(default_factory=dict)


def campaigns(seed: int) -> Iterator[Campaign]:
    """One of every kind."""
    rng = np.random.default_rng(seed)
    paged = {"collection": LENGTHS, "units": 1000}
    yield Campaign("documents", *documents(rng), paged)
    for name in ("apart", "overlapping", "grouped"):
        chunks = span_lists(rng, {"any": 20}, name)
        yield Campaign(f"spans {name}", *spans(rng, name), {**paged, "chunks": chunks})
    yield Campaign("elements", *elements(rng), {"units": 1000})
    yield Campaign("seconds", *seconds(rng), paged)
    yield Campaign("texts", *texts(rng))
    yield Campaign("beside units", *beside_units(rng))
    yield Campaign("claims", *claims(rng))


# --- whole documents --------------------------------------------------------------------------------------------------


def documents(rng: np.random.Generator) -> tuple[Truth, Run]:
    """Grades from 0 to 3; scores with ties, ordered as in a TREC run."""
    topics, rows = {}, []
    for name in TOPICS:
        judged = rng.permutation(PAGES)[: rng.integers(2, 9)].tolist()
        grade = rng.integers(0, 4, size=len(judged)).astype(np.float64)
        grade[0] = max(grade[0], 1.0)
        topics[name] = TopicTruth(name, tuple(judged), grade)
        if name != "4":  # missing from the run
            found = rng.permutation(PAGES)[: rng.integers(1, 11)].tolist()
            rows += [(name, page, float(rng.integers(0, 6))) for page in found]
    run = assemble(
        tag="run",
        topic=[row[0] for row in rows],
        document=[row[1] for row in rows],
        score=np.array([row[2] for row in rows]),
        line=np.arange(1, len(rows) + 1),
        order="trec",
    )
    return Truth("documents", topics), run


def navigation(rng: np.random.Generator) -> dict[str, Any]:
    """By user model, the table that it reads."""
    pairs = [(a, b) for a in PAGES for b in PAGES if a != b and rng.random() < 0.3]
    sums = {a: sum(1 for x, _ in pairs if x == a) for a in PAGES}
    return {
        "table": ReachTable({pair: float(rng.random()) for pair in pairs}),
        "markov": ReachTable({(a, b): float(rng.random()) / sums[a] for a, b in pairs}),
        "hyperlink": LinkTable(dict.fromkeys(pairs)),
        "seek": LinkTable(dict.fromkeys(pairs)),
        "sessions": Sessions(tuple(tuple(rng.permutation(PAGES)[:4].tolist()) for _ in range(6))),
    }


# --- spans ------------------------------------------------------------------------------------------------------------


def spans(rng: np.random.Generator, kind: str) -> tuple[Truth, Run]:
    """Spans in four documents: apart from each other, or overlapping; results each at a rank, or several at one."""
    topics = {name: span_topic(rng, name, kind) for name in TOPICS}
    sizes = {name: int(rng.integers(1, 9)) for name in TOPICS if name != "4"}
    return Truth("spans", topics, offsets="chars"), span_lists(rng, sizes, kind)


def span_topic(rng: np.random.Generator, name: str, kind: str) -> TopicTruth:
    if kind == "overlapping":
        start = rng.integers(0, 50, size=int(rng.integers(2, 7)))
        placed = sorted({(f"d{rng.integers(0, 2)}", int(a), int(a + rng.integers(2, 9))) for a in start})
        placed = [placed[i] for i in rng.permutation(len(placed))]
    else:
        cells = rng.permutation([(d, i) for d in range(4) for i in range(3)])[: rng.integers(2, 7)].tolist()
        placed = []
        for d, i in cells:
            start = 20 * int(i) + int(rng.integers(0, 8))
            placed.append((f"d{d}", start, start + int(rng.integers(2, 12))))
    grade = np.ones(len(placed)) if kind != "grouped" else rng.integers(1, 4, size=len(placed)).astype(np.float64)
    return TopicTruth(
        name,
        tuple(d for d, _, _ in placed),
        grade,
        np.array([s for _, s, _ in placed], dtype=np.int64),
        np.array([e for _, _, e in placed], dtype=np.int64),
        line=np.arange(1, len(placed) + 1),
        aspects=tuple((f"a{i % 3}",) for i in range(len(placed))) if kind == "overlapping" else None,
        empty_documents=("p00", "p01") if kind == "apart" else (),
    )


def span_lists(rng: np.random.Generator, sizes: dict[str, int], kind: str) -> Run:
    rows = []
    for name, size in sizes.items():
        held: dict[tuple, None] = {}
        for _ in range(size):
            start, width, document = int(rng.integers(0, 50)), int(rng.integers(1, 20)), f"d{rng.integers(0, 4)}"
            if kind == "apart":
                start, width = 8 * int(rng.integers(0, 7)), 8
            elif kind == "overlapping":  # results that meet several targets, and each other
                start, width, document = start // 2, width + 8, f"d{rng.integers(0, 2)}"
            if kind != "once" or all(document != other for other, _, _ in held):
                held[document, start, start + width] = None
        rank = 0
        for i, (document, start, end) in enumerate(held):
            rank += 1 if kind != "grouped" or rng.random() < 0.6 else 0
            rows.append((name, document, start, end, float(max(rank, 1)), 9.0 - 0.5 * i))
    grouped = kind == "grouped"
    return assemble(
        tag="run",
        topic=[row[0] for row in rows],
        document=[row[1] for row in rows],
        start=np.array([row[2] for row in rows], dtype=np.int64),
        end=np.array([row[3] for row in rows], dtype=np.int64),
        rank=np.array([row[4] for row in rows]) if grouped else None,
        score=None if grouped else np.array([row[5] for row in rows]),
        line=np.arange(1, len(rows) + 1),
        order="rank" if grouped else "score",
    )


def seconds(rng: np.random.Generator) -> tuple[Truth, Run]:
    """Segments of videos, in fractions of seconds."""
    truth, run = spans(rng, "seconds")
    topics = {
        name: TopicTruth(name, topic.document, topic.grade, topic.start + 0.25, topic.end + 0.5)
        for name, topic in truth.topics.items()
    }
    return Truth("spans", topics), run.changed(start=run.start + 0.125, end=run.end + 0.5)


def texts(rng: np.random.Generator) -> tuple[Truth, Run, dict[str, Any]]:
    """Spans in documents whose texts are given; lists that point into each document once."""
    truth, run = spans(rng, "once")
    held = {}
    for d in range(4):
        words = rng.permutation(SENTENCE.split(" ")).tolist()
        held[f"d{d}"] = (f"{d} " + " ".join(f"{word}{i}{d}" for i, word in enumerate(words)))[:120]
    return truth, run, {"documents": held, "units": 1000}


# --- elements ---------------------------------------------------------------------------------------------------------

#: Articles of 100 characters: two sections, the first with two paragraphs.
TREE = {
    "/article[1]": (0, 100),
    "/article[1]/sec[1]": (0, 60),
    "/article[1]/sec[1]/p[1]": (0, 20),
    "/article[1]/sec[1]/p[2]": (20, 60),
    "/article[1]/sec[2]": (60, 100),
}


def elements(rng: np.random.Generator) -> tuple[Truth, Run]:
    """Elements with sizes, of three articles."""
    topics, rows = {}, []
    for name in TOPICS:
        document, path, shared = [], [], []
        relevant = rng.permutation(["e0", "e1", "e2"])[: rng.integers(1, 4)].tolist()
        for d in ("e0", "e1", "e2"):
            start = int(rng.integers(0, 80))
            end = start + (int(rng.integers(5, 20)) if d in relevant else 0)
            document += [d] * len(TREE)
            path += list(TREE)
            shared += [max(0, min(b, end) - max(a, start)) for a, b in TREE.values()]
        topics[name] = TopicTruth(
            name,
            tuple(document),
            np.array([float(size > 0) for size in shared]),
            path=tuple(path),
            size=np.array([float(b - a) for a, b in TREE.values()] * 3),
            rsize=np.array(shared, dtype=np.float64),
        )
        if name != "4":
            units = [(d, p) for d in ("e0", "e1", "e2") for p in TREE]
            rows += [(name, *units[i]) for i in rng.permutation(len(units))[: rng.integers(1, 9)].tolist()]
    run = assemble(
        tag="run",
        topic=[row[0] for row in rows],
        document=[row[1] for row in rows],
        path=[row[2] for row in rows],
        score=-np.arange(len(rows), dtype=np.float64),
        line=np.arange(1, len(rows) + 1),
        order="score",
    )
    return Truth("elements", topics, scale="sizes"), run


# --- what lies beside units -------------------------------------------------------------------------------------------


def beside_units(rng: np.random.Generator) -> tuple[Truth, Run]:
    """Nuggets, saliency of clips and labels of abstracts; no topic judges a unit."""
    from berrypick.data.labels import LABELS, Labelled
    from berrypick.formats.answers.nugget_files import NUGGETS, Assigned, Nugget
    from berrypick.measures.video._saliency import SALIENCY

    def labelled(make, *labels):
        return tuple(make(f"fact {i}", str(rng.choice(labels))) for i in range(4))

    def abstracts(*sets):
        return {name: Labelled(str(rng.choice(["SUPPORT", "CONTRADICT"])), sets) for name in ("a", "b")}

    judged = {
        name: {
            NUGGETS: labelled(Nugget, "vital", "okay"),
            SALIENCY: rng.integers(0, 5, (6, 3)) * 1.0,
            LABELS: abstracts((0, 2), (4,)),
        }
        for name in TOPICS
    }
    topics = {name: TopicTruth(name, (), np.zeros(0), extra=extra) for name, extra in judged.items()}
    answered = [name for name in TOPICS if name != "4"]
    said = {name: labelled(Assigned, "support", "partial_support", "not_support") for name in answered}
    scored = {name: rng.integers(0, 4, 6) / 4 for name in answered}
    run = assemble(tag="run", topic=[], document=[]).with_empty(answered)
    of_abstracts = {name: abstracts((4, 2)) for name in answered}
    return Truth("documents", topics), run.changed(extra={NUGGETS: said, SALIENCY: scored, LABELS: of_abstracts})


def claims(rng: np.random.Generator) -> tuple[Truth, Run]:
    """Whole documents as evidence for claims with a label."""
    from berrypick.data.labels import LABELS

    truth, run = documents(rng)
    labels = ("SUPPORTS", "REFUTES", "NOT ENOUGH INFO")
    topics = {name: replace(one, extra={LABELS: str(rng.choice(labels))}) for name, one in truth.topics.items()}
    said = {name: str(rng.choice(labels)) for name in run.topics}
    return replace(truth, topics=topics), run.changed(extra={LABELS: said})
