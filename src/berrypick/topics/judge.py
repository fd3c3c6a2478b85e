"""From truth, run and context to one judged topic."""

from __future__ import annotations

import numpy as np

from berrypick.data.adopting import adopt_call
from berrypick.data.errors import UsageError, option
from berrypick.data.run import Run
from berrypick.data.truth import Targets, TopicTruth, Truth
from berrypick.targets.targets import (
    element_targets,
    entry_points_of,
    ranking_as_spans,
    targets_as_spans,
    targets_of,
    with_sizes,
)
from berrypick.topics.bases import judged_base
from berrypick.topics.context import JudgingContext
from berrypick.topics.repeats import ranking_of, repeats_of
from berrypick.topics.topic import JudgedTopic


def judge_topic(truth: Truth, run: Run, topic: str, context: JudgingContext) -> JudgedTopic:
    """The judged ranking of one topic."""
    collection = context.reader.single_documents
    judgements = truth.topics[topic]
    key = ("targets", truth, topic)
    if key not in context.prepared:
        context.prepared[key] = _targets(truth, topic, context)
    targets: Targets = context.prepared[key]
    plain = context.max_ranks is None and topic not in repeats_of(run)
    ranking = run.ranking(topic) if plain else ranking_of(run, topic, context)
    if ranking.path is not None:
        ranking = with_sizes(ranking, judgements)
    extra = {name: of[topic] for name, of in run.of_topics.extra.items() if topic in of}
    unplaced = run.texts.of_text and not context.whole_documents and targets.of_documents
    if len(targets) and len(ranking) and ranking.of_documents != targets.of_documents:
        if collection is None or not context.whole_documents:
            raise _kinds_differ(truth, run, collection is not None)
        wanted = set(targets.document)
        targets, ranking = targets_as_spans(targets, collection), ranking_as_spans(ranking, wanted, collection)
    return JudgedTopic(
        topic=topic,
        truth=judgements,
        targets=targets,
        ranking=ranking,
        context=context,
        answered=run.size(topic) > 0 or bool(extra),
        scale=truth.scale,
        ties=run.ordering.ties,
        has_entry_points=truth.has_entry_points,
        grouped=run.grouped,
        extra=extra,
        missing=run.missing_as(topic),
        unplaced=_kinds_differ(truth, run, collection is not None) if unplaced else None,
    )


def _targets(truth: Truth, topic: str, context: JudgingContext) -> Targets:
    judgements = truth.topics[topic]
    if context.user.seeks_entry_points:
        points = entry_points_of(judgements)
        if points is not None:
            return points
        if truth.has_entry_points:  # in other topics: here there is nowhere to get to
            return targets_of(TopicTruth(topic, (), np.zeros(0)), set(), None)
    if truth.units == "elements":
        base = judged_base(judgements, truth.scale, context, context.quant)
        return element_targets(judgements, base, context.reader.single_documents, context.idealism)
    mapping = context.idealism
    return targets_of(judgements, truth.grades() if mapping is None else set(), mapping, context.quant)


def _kinds_differ(truth: Truth, run: Run, lengths: bool) -> UsageError:
    """Parts against whole documents: a field that was not read, or meant so."""
    sides = ("truth judges", "run retrieves")
    parts, wholes = sides[::-1] if truth.units == "documents" else sides
    unread = [
        f"{', '.join(one.origin.unread)} of the {name}"
        for one, name in ((truth, "truth"), (run, "run"))
        if one.origin.unread
    ]
    hint = f"; unread: {'; '.join(unread)}" if unread else ""
    files = f"({truth.source or 'truth'}, {run.source or run.tag or 'run'}){hint}"
    if run.texts.of_text and truth.units != "documents":
        return UsageError(
            f"the truth judges parts of documents, the results are texts whose places are not known {files}; give the "
            f"texts to find them in with {option('documents')}, or start and end"
        )
    meant = option("whole_documents", True)
    if not lengths and not (run.texts.of_text and truth.units == "documents"):
        meant += f" and document lengths by {option('collection')}"
    return UsageError(
        f"the {parts} parts of documents, the {wholes} whole documents {files}; give start and end, or text to find in "
        f"{option('documents')}, in both; or, to count whole documents, use {meant}{_adopting(truth)}"
    )


def _adopting(truth: Truth) -> str:
    """What to do with a golden file that names the document of each answer beside a quote under another name."""
    if truth.units != "documents" or not truth.origin.unread or not truth.source:
        return ""
    return f"; if {truth.origin.unread[0]} of the truth quotes the answers: {adopt_call(truth.source)}"
