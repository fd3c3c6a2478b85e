"""Variants that hold the same judgements and the same lists: lines in another order, other names, other scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from berrypick.data.assemble import in_trec_order
from berrypick.data.collection import Collection
from berrypick.data.columns import Coded, unpacked
from berrypick.data.navigation import LinkTable, Navigation, ReachTable, Sessions, TransitionCounts
from berrypick.data.run import Run
from berrypick.data.truth import TopicTruth
from berrypick.data.words import counted
from berrypick.documents.texts import Texts
from berrypick.evaluation.requested import RequestedMeasure
from berrypick.testing.case import Case
from berrypick.testing.law import Variant
from berrypick.testing.rows import Result, judged_rows, lists_of, with_lists, with_topics
from berrypick.topics.context import JudgingContext

V = TypeVar("V")
Rng = np.random.Generator
Measures = Sequence[RequestedMeasure]


def shuffled_truth(case: Case, measures: Measures, rng: Rng, number: int) -> Variant | None:
    """The lines of the truth in another order."""
    names = list(case.truth.topics)
    topics = {name: _shuffled(case.truth.topics[name], rng) for name in rng.permutation(names).tolist()}
    if len(names) < 2 and all(_lines(topic) < 2 for topic in topics.values()):
        return None
    return Variant(case.changed(truth=with_topics(case.truth, topics)), "lines of the truth in another order")


def _lines(topic: TopicTruth) -> int:
    return max(len(topic), len(topic.passages), len(topic.entry_points), len(topic.empty_documents))


def _shuffled(topic: TopicTruth, rng: Rng) -> TopicTruth:
    def mixed(held: Sequence[V]) -> tuple[V, ...]:
        return tuple(held[i] for i in rng.permutation(len(held)).tolist())

    found = judged_rows(topic, rng.permutation(len(topic)))
    text = topic.highlighted
    if text is not None:
        order = rng.permutation(len(text.document))
        text = text.rows(order)
    return replace(
        found,
        passages=mixed(topic.passages),
        entry_points=mixed(topic.entry_points),
        quotes=mixed(topic.quotes),
        empty_documents=mixed(topic.empty_documents),
        judged_documents=mixed(topic.judged_documents),
        highlighted=text,
    )


def shuffled_ties(case: Case, measures: Measures, rng: Rng, number: int) -> Variant | None:
    """Pointers of one list item in another order; or the lines of a run of documents whose ties are ordered by name."""
    run = case.run
    if run.grouped:
        held = lists_of(run)
        documents = by_documents(case, measures[0])
        lists = {topic: _within_items(rows, documents, rng) for topic, rows in held.items()}
        what = f"results of one rank{' and document' * documents} in another order"
        return None if lists == held else Variant(case.changed(run=with_lists(run, lists)), what)
    if not _ties_by_name(run):
        return None
    assert run.line is not None
    lines = np.array(unpacked(run.line))
    for a, b in zip(run.bounds[:-1].tolist(), run.bounds[1:].tolist(), strict=True):
        lines[a:b] = rng.permutation(lines[a:b])
    kept = {
        "tag": run.tag,
        "duplicates": run.ordering.duplicates,
        "task": run.ordering.task,
        "extra": run.of_topics.extra,
    }
    mixed = in_trec_order(run.changed(line=lines)).changed(**kept)
    return Variant(case.changed(run=mixed), "lines of the run in another order")


def _within_items(rows: Sequence[Result], documents: bool, rng: Rng) -> list[Result]:
    """Where ranks are those of documents, those of one item stay in the order of the file, which is theirs."""
    first: dict[tuple[int, str], int] = {}
    for row in rows:
        first.setdefault((row.rank, row.document), len(first))
    mixed = [rows[i] for i in rng.permutation(len(rows)).tolist()]
    return sorted(mixed, key=lambda row: (row.rank, first[row.rank, row.document] if documents else 0))


def by_documents(case: Case, one: RequestedMeasure) -> bool:
    """Whether the ranks of a measure are those of documents."""
    return one.measure.of_documents or one.measure.ranks_documents


def _ties_by_name(run: Run) -> bool:
    """Whether whole documents have equal scores somewhere, and the larger name comes first wherever they do."""
    if run.points_into_documents or run.ordering.ties != "score" or run.score is None or run.line is None:
        return False
    score = unpacked(run.score)
    tied = score[1:] == score[:-1]
    tied[run.inner_bounds - 1] = False
    places = np.flatnonzero(tied).tolist()
    names = [(run.documents[int(run.document[i])], run.documents[int(run.document[i + 1])]) for i in places]
    return bool(names) and all(one > other for one, other in names)


def scaled_scores(case: Case, measures: Measures, rng: Rng, number: int) -> Variant | None:
    """Scores times a power of two, or other ones in the same order."""
    score = unpacked(case.run.score)
    if score is None or not len(score):
        return None
    if number % 2:
        values, place = np.unique(score, return_inverse=True)
        scale = np.cumsum(rng.integers(1, 9, size=len(values))).astype(np.float64) - float(rng.integers(0, 9))
        return Variant(case.changed(run=case.run.changed(score=scale[place])), "other scores in the same order")
    power = int(rng.choice([-8, -3, -1, 1, 4, 10]))
    scaled = score * 2.0**power
    return Variant(case.changed(run=case.run.changed(score=scaled)), f"scores times {2.0**power:g}")


def renamed_topics(case: Case, measures: Measures, rng: Rng, number: int) -> Variant | None:
    """Other names of topics, in another alphabetical order."""
    truth, run = case.truth, case.run
    new = _new_names(dict.fromkeys([*truth.topics, *run.topics]), rng)
    topics = {new[name]: replace(topic, topic=new[name]) for name, topic in truth.topics.items()}

    def context(one: JudgingContext) -> JudgingContext:
        ideal = one.ideal_elements
        return replace(one, ideal_elements=None if ideal is None else {new.get(k, k): v for k, v in ideal.items()})

    extra = {
        what: {new[name]: one for name, one in of.items() if name in new} for what, of in run.of_topics.extra.items()
    }
    renamed = run.changed(topics=tuple(new[name] for name in run.topics), extra=extra)
    made = case.changed(truth=replace(with_topics(truth, topics), fields={}), run=renamed, context=context)
    return Variant(made, "topics under other names", {new[name]: name for name in new})


def renamed_documents(case: Case, measures: Measures, rng: Rng, number: int) -> Variant | None:
    """Other names of documents, in another alphabetical order; results keep their places."""
    truth, run = case.truth, case.run
    named = dict.fromkeys(name for topic in truth.topics.values() for name in topic.documents())
    new = _new_names({**named, **dict.fromkeys(run.documents)}, rng)
    topics = {name: _with_documents(topic, new) for name, topic in truth.topics.items()}
    judged = replace(with_topics(truth, topics), lengths=Renamed(truth.lengths, new), checksums={})
    made = case.changed(
        truth=judged,
        run=replace(run, names=Coded([new[name] for name in run.documents], run.document)),
        context=lambda one: _context_with_documents(one, new),
    )
    return Variant(made, f"{counted(len(new), 'document')} under other names")


def _new_names(old: Mapping[str, Any], rng: Rng) -> dict[str, str]:
    """A new name for each, at random: nothing is called so."""
    width = len(str(len(old)))
    return {name: f"law{place:0{width}d}" for name, place in zip(old, rng.permutation(len(old)).tolist(), strict=True)}


class Renamed(Mapping[str, V]):
    """A mapping by names of documents, under their new names; values are worked out when they are asked for."""

    def __init__(self, held: Mapping[str, V], new: Mapping[str, str]) -> None:
        self.held, self.new, self.old = held, new, {name: before for before, name in new.items()}

    def __getitem__(self, name: str) -> V:
        return self.held[self.old.get(name, name)]

    def __contains__(self, name: object) -> bool:
        return self.old.get(str(name), name) in self.held

    def __iter__(self) -> Iterator[str]:
        return (self.new.get(name, name) for name in self.held)

    def __len__(self) -> int:
        return len(self.held)


def _with_documents(topic: TopicTruth, new: Mapping[str, str]) -> TopicTruth:
    def names(held: Sequence[str]) -> tuple[str, ...]:
        return tuple(new[name] for name in held)

    text = topic.highlighted
    return replace(
        topic,
        document=names(topic.document),
        empty_documents=names(topic.empty_documents),
        judged_documents=names(topic.judged_documents),
        passages=tuple(replace(one, document=new[one.document]) for one in topic.passages),
        entry_points=tuple(replace(one, document=new[one.document]) for one in topic.entry_points),
        highlighted=None if text is None else replace(text, document=tuple(new.get(d, d) for d in text.document)),
        quotes=(),
    )


def _context_with_documents(context: JudgingContext, new: Mapping[str, str]) -> JudgingContext:
    reader, chunks, ideal = context.reader, context.chunks, context.ideal_elements
    known = reader.collection
    if known is not None:
        lengths, structures = Renamed(known.lengths, new), Renamed(known.structures, new)
        known = Collection(lengths, known.source, structures if known.structures else {}, known.judged_only)
    texts = reader.texts
    if texts is not None:
        texts = Texts({name: texts[old] for old, name in new.items() if old in texts}, source=texts.source)
    tokens, effort = (
        None if one is None else replace(one, corners=Renamed(one.corners, new))
        for one in (reader.tokens, reader.effort_tokens)
    )
    reader = replace(
        reader,
        collection=known,
        navigation=_navigation(reader.navigation, new),
        texts=texts,
        tokens=tokens,
        effort_tokens=effort,
    )
    return replace(
        context,
        reader=reader,
        chunks=None if chunks is None else Renamed(chunks, new),
        ideal_elements=None
        if ideal is None
        else {topic: frozenset((new.get(d, d), path) for d, path in held) for topic, held in ideal.items()},
    )


def _navigation(held: Navigation | None, new: Mapping[str, str]) -> Navigation | None:
    def unit(name: str) -> str:
        """A document, a span of it as document#start-end, or an element as document/path."""
        for mark in ("#", "/"):
            document, found, rest = name.rpartition(mark) if mark == "#" else name.partition(mark)
            if name not in new and found and document in new:
                return new[document] + found + rest
        return new.get(name, name)

    if isinstance(held, ReachTable):
        return ReachTable({(unit(a), unit(b)): p for (a, b), p in held.rows.items()}, held.source)
    if isinstance(held, LinkTable):
        return LinkTable({(unit(a), unit(b)): None for a, b in held.rows}, held.source)
    if isinstance(held, Sessions):
        return Sessions(tuple(tuple(unit(name) for name in path) for path in held.paths), held.source)
    if isinstance(held, TransitionCounts):
        units = (*map(unit, held.units), "")
        steps = zip(held.from_unit.tolist(), held.to_unit.tolist(), held.count.tolist(), strict=True)
        return TransitionCounts.of(((units[a], units[b], n) for a, b, n in steps), held.source)
    return held
