"""From truth, run and setting to the judged ranking of one topic: the value that measures see."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from berrypick.core.arrays import FloatArray, IntArray
from berrypick.core.collection import Collection
from berrypick.core.errors import InputError, UsageError
from berrypick.core.judged import Candidates, Effort, Judged
from berrypick.core.run import Ranking, Run, repeated_pointers
from berrypick.core.truth import Targets, Truth
from berrypick.relevance.targets import (
    element_targets,
    entry_points_of,
    ranking_as_spans,
    relevant_text,
    targets_as_spans,
    targets_of,
    with_sizes,
)
from berrypick.setting import Setting
from berrypick.users import World


def judge(truth: Truth, run: Run, topic: str, setting: Setting) -> Judged:
    """The judged ranking of one topic."""
    collection = setting.world.collection
    judgements = truth.topics[topic]
    targets = _targets(truth, topic, setting)
    ranking = with_sizes(_ranking(run, topic, setting), judgements)
    wanted = set(targets.document)
    if (
        len(targets)
        and len(ranking)
        and _kind(ranking) != _kind(targets)
        and "documents" in (_kind(ranking), _kind(targets))
    ):
        if collection is None:
            raise _kinds_differ(truth, run)
        targets, ranking = targets_as_spans(targets, collection), ranking_as_spans(ranking, wanted, collection)
    user, world = setting.user, setting.world
    return Judged(
        topic=topic,
        targets=targets,
        ranking=ranking,
        answered=topic in run,
        units=setting.units,
        make_reach=lambda: user.reach(ranking.fresh(), targets, world),
        make_candidates=lambda: _candidates(targets, setting),
        make_effort=lambda: _effort(ranking, targets, setting),
        make_collection=lambda: _collection(setting),
        make_spans=lambda: (ranking_as_spans(ranking, wanted, collection), targets_as_spans(targets, collection)),
        make_located=lambda: ranking_as_spans(ranking, wanted, collection),
        make_read=lambda: user.regions(ranking_as_spans(ranking, wanted, collection), world),
        make_text=lambda: relevant_text(judgements, targets, collection),
        truth=judgements,
        scale=truth.scale,
        protocol=setting.protocol.name,
        task=setting.task,
        ties=run.ties,
        left_out=setting.left_out,
        line=setting.world.line,
        effort_in=setting.effort,
        chunks=setting.chunks,
    )


def _targets(truth: Truth, topic: str, setting: Setting) -> Targets:
    judgements = truth.topics[topic]
    if setting.user.seeks_entry_points:
        points = entry_points_of(judgements)
        if points is not None:
            return points
    if truth.units == "elements":
        return element_targets(judgements, truth.scale, setting.left_out, setting.world.collection)
    all_grades = truth.grades() if setting.idealism is None else set()
    return targets_of(judgements, all_grades, setting.idealism)


def _kind(units: Ranking | Targets) -> str:
    return "parts" if units.start is not None or units.path is not None else "documents"


def _ranking(run: Run, topic: str, setting: Setting) -> Ranking:
    ranking = run.ranking(topic)
    longest = setting.protocol.longest
    if longest is not None and ranking.ranks > longest:
        ranking = replace(ranking.rows(ranking.rank < longest), ranks=longest)
    repeated = run.repeats[topic][: len(ranking)] if topic in run.repeats else None
    if repeated is None or not repeated.any():
        return ranking
    if (setting.duplicates or run.duplicates) == "first":
        return ranking.rows(~repeated).compacted()
    return replace(ranking, repeated=repeated)


def refuse_duplicates(run: Run, setting: Setting) -> None:
    """Repeated results are an error unless the format or the person says otherwise."""
    if (setting.duplicates or run.duplicates) != "error":
        return
    for topic in run.repeats:
        ranking = run.ranking(topic)
        repeated, first = repeated_pointers(ranking)
        if repeated.any():
            lines = ranking.line if ranking.line is not None else np.arange(1, len(ranking) + 1)
            pairs = sorted((max(a, b), min(a, b), row) for row in np.flatnonzero(repeated).tolist()
                           for a, b in [(int(lines[row]), int(lines[first[row]]))])  # fmt: skip
            later, earlier, row = pairs[0]
            raise InputError(
                f"{ranking.name(row)} is retrieved twice for topic {topic}, first in line {earlier}",
                path=run.source or run.tag,
                line=later,
                remedy="--duplicates first keeps the first of them in the ranking, keep leaves the rank without effect",
            )


def _kinds_differ(truth: Truth, run: Run) -> UsageError:
    sides = ("truth judges", "run points to")
    parts, wholes = sides[::-1] if truth.units == "documents" else sides
    return UsageError(
        f"the {parts} parts of documents, the {wholes} whole documents "
        f"({truth.source or 'truth'}, {run.source or run.tag}); "
        "with document lengths (--collection) whole documents are taken as the spans they are"
    )


def _collection(setting: Setting) -> Collection:
    if setting.world.collection is None:
        raise UsageError(
            "needs to know where documents end and how long they are together: give document lengths with --collection"
        )
    return setting.world.collection


def _candidates(targets: Targets, setting: Setting) -> Candidates:
    """Targets by decreasing grade, then truth order, then every other unit that leads somewhere; never from the run."""
    order = np.lexsort((np.arange(len(targets)), -targets.grade))
    rows = np.arange(len(order), dtype=np.int64)
    vocabulary = {name: code for code, name in enumerate(dict.fromkeys(targets.document))}
    own = Ranking(
        documents=list(vocabulary),
        document=np.array([vocabulary[targets.document[x]] for x in order.tolist()], dtype=np.int64),
        rank=rows,
        ranks=len(rows),
        start=None if targets.start is None else targets.start[order],
        end=None if targets.end is None else targets.end[order],
        paths=() if targets.path is None else [targets.path[x] for x in order.tolist()],
        path=None if targets.path is None else rows,
        size=None if targets.size is None else targets.size[order],
    )
    names = [targets.name(x) for x in order.tolist()]
    reach = setting.user.reach_alone(own, targets, setting.world)
    known = set(names)
    elements = _elements_around(targets, known, setting.world.collection)
    if elements is not None:
        names += [elements.name(row) for row in range(len(elements))]
        reach = reach.stacked(setting.user.reach_alone(elements, targets, setting.world))
    others = [unit for unit in setting.user.other_units(targets, setting.world) if unit not in known]
    if not others:
        return Candidates(names, reach)
    extra = np.arange(len(others), dtype=np.int64)
    other = Ranking(documents=others, document=extra, rank=extra, ranks=len(others))
    return Candidates([*names, *others], reach.stacked(setting.user.reach_alone(other, targets, setting.world)))


def _elements_around(targets: Targets, known: set[str], collection: Collection | None) -> Ranking | None:
    """Every other element of the documents that hold targets, in the order of the collection: elements of other
    documents lead nowhere."""
    if collection is None or not collection.structures or targets.start is None:
        return None
    documents = [name for name in dict.fromkeys(targets.document) if name in collection.structures]
    code: list[int] = []
    paths: list[str] = []
    start: list[IntArray] = [np.zeros(0, dtype=np.int64)]
    end: list[IntArray] = [np.zeros(0, dtype=np.int64)]
    for i, name in enumerate(documents):
        structure = collection.structures[name]
        kept = [e for e, path in enumerate(structure.paths) if name + path not in known]
        code += [i] * len(kept)
        paths += [structure.paths[e] for e in kept]
        start.append(np.asarray(structure.start)[kept])
        end.append(np.asarray(structure.end)[kept])
    rows = np.arange(len(code), dtype=np.int64)
    return Ranking(
        documents=documents,
        document=np.array(code, dtype=np.int64),
        rank=rows,
        ranks=len(rows),
        start=np.concatenate(start),
        end=np.concatenate(end),
        paths=paths,
        path=rows,
    )


def _effort(ranking: Ranking, targets: Targets, setting: Setting) -> Effort:
    if setting.effort == "rank":
        return Effort(np.ones(ranking.ranks), np.ones(len(targets)))
    lengths = _target_lengths(targets, setting.world)
    ranks = setting.user.effort(ranking, targets, setting.world)
    if len(ranks) and ranks[0] <= 0:
        raise UsageError(
            f"the effort of rank 1 ({ranking.names_by_rank()[0]}) is 0 {setting.effort}, which cannot be divided by; "
            "if its length is unknown, give document lengths with --collection"
        )
    return Effort(ranks, lengths)


def _target_lengths(targets: Targets, world: World) -> FloatArray:
    if targets.start is None and targets.size is not None and not np.isnan(targets.size).any():
        return targets.size
    spans = targets_as_spans(targets, world.collection)
    assert spans.start is not None and spans.end is not None
    if world.charged is None:
        return (spans.end - spans.start).astype(np.float64)
    tokens = np.zeros(len(spans))
    for document, rows in spans.by_document().items():
        tokens[rows] = world.charged.between(document, spans.start[rows], spans.end[rows])
    return tokens
