"""Where the sizes of elements came from: the part of a signature that names collection and edition."""

from __future__ import annotations

import zlib
from collections.abc import Container
from typing import TYPE_CHECKING

import numpy as np

from berrypick.data.collection import Collection
from berrypick.data.errors import InputError
from berrypick.data.run import Run
from berrypick.data.truth import Truth
from berrypick.data.words import counted
from berrypick.evaluation.requested import RequestedMeasure
from berrypick.measures import Measure
from berrypick.topics.context import JudgingContext

if TYPE_CHECKING:
    from berrypick.evaluation.evaluation import Evaluation


def sizes_field(
    one: RequestedMeasure, evaluation: Evaluation, run: Run, reads: Container[str]
) -> list[tuple[str, str]]:
    """For measures that read how long elements are: the collection and its edition, or ``judged`` where the
    assessments alone say so."""
    truth, context = evaluation.truth, evaluation.contexts[one.text]
    if one.measure.of_documents:
        return []
    if truth.units != "elements" and (run.path is None or truth.units == "documents"):
        return []
    if truth.units == "elements" and not _reads_sizes(one.measure, truth, run, context, reads):
        return []
    collection = context.reader.collection
    if collection is not None and collection.structures:
        known = evaluation.context.prepared
        if ("sizes",) not in known:
            known["sizes",] = _edition(truth, collection)
        return [("sizes", known["sizes",])]
    sized = any(topic.size is not None for topic in truth.topics.values())
    return [("sizes", "judged")] if sized else []


def _reads_sizes(measure: Measure, truth: Truth, run: Run, context: JudgingContext, reads: Container[str]) -> bool:
    """Whether a value depends on how long judged or retrieved elements are, beside the shares that were assessed."""
    user = context.user
    if run.path is None or run.path_end is not None or _assessed_by_collection(truth):
        return True  # passages lie in elements, or elements around passages
    if measure.has_readers_of(user.name()):
        return user.reads_sizes or ("effort" in reads and context.effort not in ("rank", "clicks"))
    if "ignore_elements" not in reads or "sizes" in measure.dependencies():
        return True  # reads text, or the unseen length of elements
    return measure.parameter_values().get("alpha") is not None


def _assessed_by_collection(truth: Truth) -> bool:
    """Whether highlighted text was made into assessments of elements, which then have no lines of their own."""
    return any(topic.highlighted is not None and topic.line is None for topic in truth.topics.values())


def _edition(truth: Truth, collection: Collection) -> str:
    """The number of documents, and a checksum of where the elements of the relevant ones begin and end."""
    found = 0
    for document in sorted({name for topic in truth.topics.values() for name in topic.document}):
        try:
            structure = collection.structures[document]
        except (KeyError, InputError):
            continue  # whoever needs this document says so
        for part in (document, *structure.name):
            found = zlib.crc32(part.encode(), found)
        for column in (structure.start, structure.end):
            found = zlib.crc32(np.asarray(column, dtype=np.int64).tobytes(), found)
    return f"{counted(len(collection.structures), 'document')},{found:08x}"
