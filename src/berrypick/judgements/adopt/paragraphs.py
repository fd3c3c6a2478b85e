"""Truths that bring their own texts, such as SQuAD's paragraphs, in the documents that these texts were taken from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from berrypick.data.truth import Quote, TopicTruth, Truth
from berrypick.data.words import counted
from berrypick.documents.locator import Locator, Place
from berrypick.documents.texts import Texts


def in_documents(truth: Truth, texts: Texts) -> tuple[Truth, tuple[str, ...]]:
    """Carry spans of paragraphs into the documents that hold these, each word for word in one place.

    Parameters
    ----------
    truth
        A truth of spans with the texts that its offsets count in.
    texts
        The documents.

    Returns
    -------
    tuple
        The truth, and notes on what was carried over. Paragraphs with a document of their own name stay as they are.
    """
    unknown = {name: text for name, text in truth.texts.items() if name not in texts}
    if truth.units != "spans" or not unknown or truth.offsets not in (None, "chars"):
        return truth, ()
    locator = Locator(texts).expect((text, None) for text in unknown.values())
    found = {name: locator.places(text) for name, text in unknown.items() if text.strip()}
    places = {name: some[0] for name, some in found.items() if len(some) == 1}
    if not places:
        return truth, ()
    topics = {name: _carried(topic, places) for name, topic in truth.topics.items()}
    notes = [f"{counted(len(places), 'paragraph')} of {len(truth.texts)} found in the documents, word for word"]
    if lost := sum(name in places for topic in truth.topics.values() for name in topic.judged_documents):
        notes.append(
            f"{counted(lost, 'judgement')} on a whole paragraph skipped: the rest of its document is not judged"
        )
    return replace(truth, topics=topics, texts={}, lengths={}), tuple(notes)


def _carried(topic: TopicTruth, places: Mapping[str, Place]) -> TopicTruth:
    """Judgements on a whole paragraph are not kept, since the rest of its document was not judged."""
    if topic.start is None or topic.end is None:
        return topic
    shift = np.array([places[name].start if name in places else 0 for name in topic.document], dtype=topic.start.dtype)
    return replace(
        topic,
        document=tuple(places[name].document if name in places else name for name in topic.document),
        start=topic.start + shift,
        end=topic.end + shift,
        quotes=tuple(_moved(quote, places) for quote in topic.quotes),
        judged_documents=tuple(name for name in topic.judged_documents if name not in places),
        empty_documents=tuple(name for name in topic.empty_documents if name not in places),
    )


def _moved(quote: Quote, places: Mapping[str, Place]) -> Quote:
    place = places.get(quote.document or "")
    if place is None:
        return quote
    ends = [None if end is None else end + place.start for end in (quote.start, quote.end)]
    return replace(quote, document=place.document, start=ends[0], end=ends[1])
