"""Small worlds of every kind, so that whatever is registered finds one that suits it.

Each world has topic 1 (judged, answered), topic 2 (judged, missing from the run), topic 3 (judged, nothing relevant,
answered), and topic 9 (in the run only). A seed varies what is judged and retrieved.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import handmade
import numpy as np

import berrypick as bp
from berrypick.data.assemble import assemble
from berrypick.data.collection import Collection
from berrypick.data.navigation import LinkTable, ReachTable, Sessions
from berrypick.data.run import Run
from berrypick.data.truth import TopicTruth, Truth


@dataclass(frozen=True, eq=False)
class Prepared:
    """A truth, a run, and what else an evaluation may need."""

    name: str
    truth: Truth
    run: Run
    options: dict[str, Any] = field(default_factory=dict)
    #: The measures that it was made for; '' for all.
    made_for: str = ""

    def evaluate(self, measure: str, **options: Any) -> bp.Results:
        return bp.evaluate(self.truth, self.run, measure, **{**self.options, **options})

    def explain(self, topic: str, measure: str):
        return bp.explain(self.truth, self.run, measure, topic, **self.options)


PAGES = [f"p{i}" for i in range(8)]
LENGTHS = Collection({name: 40.0 + 10 * i for i, name in enumerate([*PAGES, "d0", "d1", "d2"])})


#: All chunks of a chunking of the documents with spans.
CHUNKS = handmade.span_run({"any": [(d, start, start + 12) for d in ("d0", "d1", "d2") for start in range(0, 120, 10)]})


def tables(rng: np.random.Generator) -> dict[str, Any]:
    pairs = [(a, b) for a in PAGES for b in PAGES if a != b and rng.random() < 0.4]
    sums = {a: sum(1 for x, _ in pairs if x == a) for a in PAGES}
    return {
        "table": ReachTable({pair: float(rng.random()) for pair in pairs}),
        "markov": ReachTable({(a, b): float(rng.random()) / sums[a] for a, b in pairs}),
        "links": LinkTable(dict.fromkeys(pairs)),
        "sessions": Sessions(tuple(tuple(rng.permutation(PAGES)[:4].tolist()) for _ in range(6))),
    }


def _documents(rng: np.random.Generator) -> tuple[Truth, Run]:
    def judged(least):
        grades = {page: int(rng.integers(0, 3)) for page in rng.permutation(PAGES)[:5].tolist()}
        grades[PAGES[0]] = max(grades.get(PAGES[0], 0), least)
        return grades

    truth = handmade.document_truth({"1": judged(1), "2": judged(2), "3": dict.fromkeys(PAGES[:2], 0)})
    lists = {topic: rng.permutation(PAGES)[: rng.integers(1, 8)].tolist() for topic in ("1", "3", "9")}
    return truth, handmade.document_run(lists)


def _spans(rng: np.random.Generator) -> tuple[Truth, Run]:
    """Targets do not overlap, so that numbers per target and per character go together."""

    def targets(count):
        cells = sorted(rng.permutation([(d, i) for d in ("d0", "d1", "d2") for i in range(5)])[:count].tolist())
        found = []
        for document, i in cells:
            start = 20 * int(i) + int(rng.integers(0, 8))
            found.append((document, start, start + int(rng.integers(2, 12))))
        return found

    def results():
        found = {}
        for _ in range(rng.integers(1, 7)):
            start = int(rng.integers(0, 95))
            found[f"d{rng.integers(0, 3)}", start, start + int(rng.integers(1, 30))] = None
        return list(found)

    judged = {"1": targets(4), "2": targets(2), "3": []}
    topics = {
        name: TopicTruth(
            name,
            tuple(d for d, _, _ in spans),
            np.ones(len(spans)),
            np.array([s for _, s, _ in spans], dtype=np.int64),
            np.array([e for _, _, e in spans], dtype=np.int64),
            aspects=tuple((f"a{i % 3}",) for i in range(len(spans))),
        )
        for name, spans in judged.items()
    }
    return Truth("spans", topics, offsets="chars"), handmade.span_run({topic: results() for topic in ("1", "3", "9")})


#: An article of 100 characters: two sections, the first with two paragraphs.
TREE = {
    "/article[1]": (0, 100),
    "/article[1]/sec[1]": (0, 60),
    "/article[1]/sec[1]/p[1]": (0, 20),
    "/article[1]/sec[1]/p[2]": (20, 60),
    "/article[1]/sec[2]": (60, 100),
}


def _elements(rng: np.random.Generator) -> tuple[Truth, Run]:
    def judged(name, relevant):
        start = int(rng.integers(0, 80))
        end = start + int(rng.integers(5, 20)) if relevant else start
        shared = [max(0, min(b, end) - max(a, start)) for a, b in TREE.values()]
        return TopicTruth(
            name,
            ("d0",) * len(TREE),
            np.array([float(size > 0) for size in shared]),
            path=tuple(TREE),
            size=np.array([float(b - a) for a, b in TREE.values()]),
            rsize=np.array(shared, dtype=np.float64),
        )

    topics = {"1": judged("1", True), "2": judged("2", True), "3": judged("3", False)}
    rows = [(topic, path) for topic in ("1", "3", "9") for path in rng.permutation(list(TREE))[: rng.integers(1, 6)]]
    run = assemble(tag="run", topic=[t for t, _ in rows], document=["d0"] * len(rows), path=[p for _, p in rows])
    return Truth("elements", topics, scale="sizes"), run


def _steps(rng: np.random.Generator) -> tuple[Truth, Run]:
    """The steps of an agent: spans that count lines, with costs, of which some were used."""
    truth, run = _spans(rng)
    topics = {name: replace(topic, unit="lines", aspects=None) for name, topic in truth.topics.items()}
    details = {"tokens": rng.integers(0, 90, run.size()).astype(float), "seconds": rng.random(run.size()),
               "used": rng.integers(0, 2, run.size()).astype(float)}  # fmt: skip
    return Truth("spans", topics), run.changed(unit="lines", details=details)


def _said(rng: np.random.Generator) -> tuple[Truth, Run]:
    """Judgements that are not units: nuggets of answers; a world of its own, since a truth of nuggets has no units."""
    from berrypick.formats.answers.nugget_files import NUGGETS, Assigned, Nugget

    def nuggets(*importances):
        return tuple(Nugget(f"fact {i}", importance) for i, importance in enumerate(importances))

    def assigned():
        labels = ("support", "partial_support", "not_support")
        return tuple(Assigned(f"fact {i}", str(rng.choice(labels))) for i in range(4))

    judged = {"1": nuggets("vital", "okay", "vital"), "2": nuggets("vital", "okay"), "3": nuggets("okay")}
    topics = {name: TopicTruth(name, (), np.zeros(0), extra={NUGGETS: held}) for name, held in judged.items()}
    empty = assemble(tag="run", topic=[], document=[]).with_empty(["1", "3", "9"])
    return Truth("documents", topics), empty.changed(extra={NUGGETS: {t: assigned() for t in ("1", "3", "9")}})


def _salient(rng: np.random.Generator) -> tuple[Truth, Run]:
    """Clips of videos: what annotators say of them, and what the run scores them."""
    from berrypick.measures.video._saliency import SALIENCY

    none = np.zeros(0, dtype=np.int64)
    topics = {
        name: TopicTruth(name, (), np.zeros(0), none, none, extra={SALIENCY: rng.integers(0, most, (6, 3)) * 1.0})
        for name, most in (("1", 5), ("2", 5), ("3", 1))
    }
    scored = {topic: rng.integers(0, 4, rng.integers(1, 8)) / 4 for topic in ("1", "3", "9")}
    return Truth("spans", topics), handmade.span_run({}).with_empty(scored).changed(extra={SALIENCY: scored})


def _labelled(rng: np.random.Generator) -> tuple[Truth, Run]:
    """Claims with a label and evidence, and what the run says of them."""
    from berrypick.data.labels import LABELS

    truth, run = _documents(rng)
    verdicts = ("SUPPORTS", "REFUTES", "NOT ENOUGH INFO")
    topics = {name: replace(one, extra={LABELS: str(rng.choice(verdicts))}) for name, one in truth.topics.items()}
    return replace(truth, topics=topics), run.changed(
        extra={LABELS: {name: str(rng.choice(verdicts)) for name in run.topics}}
    )


def _abstracts(rng: np.random.Generator) -> tuple[Truth, Run]:
    """Abstracts with a label and sentences."""
    from berrypick.data.labels import LABELS, Labelled

    def said(*sets):
        return {
            name: Labelled(str(rng.choice(["SUPPORT", "CONTRADICT"])), sets) for name in rng.permutation(["a", "b"])
        }

    topics = {name: TopicTruth(name, (), np.zeros(0), extra={LABELS: said((0, 2), (4,))}) for name in ("1", "2", "3")}
    empty = assemble(tag="run", topic=[], document=[]).with_empty(["1", "3", "9"])
    return Truth("documents", topics), empty.changed(extra={LABELS: {topic: said((4, 2)) for topic in ("1", "3", "9")}})


def prepared(seed: int = 0) -> Iterator[Prepared]:
    """Worlds in the order in which they are tried."""
    rng = np.random.default_rng(seed)
    yield Prepared("documents", *_documents(rng), {"collection": LENGTHS, "units": 1000})
    yield Prepared("spans", *_spans(rng), {"collection": LENGTHS, "units": 1000, "chunks": CHUNKS})
    yield Prepared("elements", *_elements(rng), {"units": 1000})
    yield Prepared("steps", *_steps(rng), {"collection": LENGTHS, "units": 1000})
    yield Prepared("nuggets", *_said(rng), made_for="Nuggets")
    yield Prepared("clips", *_salient(rng), made_for="Highlight")
    yield Prepared("claims", *_labelled(rng), made_for="Verified")
    yield Prepared("abstracts", *_abstracts(rng), made_for="Abstracts")


@lru_cache(maxsize=1024)
def suiting(measure: str, seed: int = 0) -> list[Prepared]:
    """The worlds in which a measure can be computed; it is an error if there is none."""
    found, refused = [], []
    for world in prepared(seed):
        if not measure.startswith(world.made_for):
            continue
        try:
            world.evaluate(measure)
        except bp.UsageError as error:
            refused.append(f"{world.name}: {error}")
        else:
            found.append(world)
    assert found, f"no prepared world suits {measure}; add one to {__name__}: {refused}"
    return found
