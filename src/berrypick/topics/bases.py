"""Recall bases as the options of an evaluation ask for them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from berrypick.data.collection import Collection
from berrypick.data.errors import InputError
from berrypick.data.truth import TopicTruth
from berrypick.targets.gains import Quantisation
from berrypick.targets.recall_base import RecallBase, recall_base
from berrypick.topics.context import JudgingContext


def judged_base(topic: TopicTruth, scale: str, context: JudgingContext, quant: Quantisation | None) -> RecallBase:
    """The base of a topic without ignored elements; sizes that the truth does not have come from the collection."""
    key = ("base", topic, scale, quant)
    if key not in context.prepared:
        context.prepared[key] = _judged_base(topic, scale, context, quant)
    found: RecallBase = context.prepared[key]
    return found


def _judged_base(topic: TopicTruth, scale: str, context: JudgingContext, quant: Quantisation | None) -> RecallBase:
    chosen = None if context.ideal_elements is None else context.ideal_elements.get(topic.topic)
    base = recall_base(topic, scale, quant, context.ignore_elements, chosen)
    collection = context.reader.single_documents
    return base if collection is None or not collection.structures else _sized(base, collection)


def _sized(base: RecallBase, collection: Collection) -> RecallBase:
    size = base.size.copy()
    for i in np.flatnonzero(np.isnan(size)).tolist():
        try:
            start, end = collection.structures[base.document[i]].span_of_path(base.path[i])
        except (KeyError, InputError):
            continue  # whoever needs this size says so
        size[i] = end - start
    return replace(base, size=size)
