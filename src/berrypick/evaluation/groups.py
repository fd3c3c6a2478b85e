"""Groups and clusters of topics: by a field of the truth, of a table of topics, or by the relevant document."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np

from berrypick.data.arrays import IntArray
from berrypick.data.errors import UsageError, nearest, option
from berrypick.data.results import Note, TopicGroups
from berrypick.data.truth import TopicField, Truth
from berrypick.data.words import counted
from berrypick.evaluation.notes import some
from berrypick.evaluation.options import EvaluationOptions
from berrypick.files.files import is_stream
from berrypick.inputs.topic_table import read_clusters, read_topic_table

#: The kind of note on a topic table that nothing uses.
UNUSED_TABLE = "unused topic table"
#: The field that every truth has: the document that holds the relevant text.
DOCUMENT = "doc"


def topic_groups(truth: Truth, options: EvaluationOptions) -> tuple[TopicGroups | None, tuple[Note, ...]]:
    """The groups that the option asks for, with a note on topics that are in none."""
    if options.by is None:
        unused = Note(UNUSED_TABLE, f"{option('topic_table')} has no effect without {option('by')}")
        return None, () if options.topic_table is None else (unused,)
    if isinstance(options.by, Mapping):
        name, known = "group", TopicField({str(topic): str(group) for topic, group in options.by.items()})
    else:
        name, known = options.by, _field(truth, options.by, "by")
    if known.problem:
        raise UsageError(f"{option('by', name)}: {known.problem}; a group needs one value for each topic")
    found = {topic: known.values[topic] for topic in truth.topics if topic in known.values}
    if not found:
        raise UsageError(f"{option('by', name)}: no topic of the truth has a value")
    without = [topic for topic in truth.topics if topic not in found]
    text = f"{counted(len(without), 'topic')} without {name} in no group: {some(without, 3)}"
    return TopicGroups(name, found), (Note("no group", text),) if without else ()


def with_topic_table(truth: Truth, table: Any) -> Truth:
    """The truth with the fields of a table, which go before its own."""
    return truth if table is None else replace(truth, fields={**truth.fields, **read_topic_table(table)})


def _field(truth: Truth, name: str, asked: str) -> TopicField:
    """A field by its name, or the document."""
    if name in truth.fields:
        return truth.fields[name]
    if name == DOCUMENT:
        return _documents(truth)
    known = [*truth.fields, DOCUMENT]
    more = f" ({option('topic_table')} adds fields)"
    raise UsageError(f"{option(asked, name)}: no such field of topics{more}{nearest(name, known) or _has(known)}")


def _has(known: list[str]) -> str:
    return f"; there {'is' if len(known) == 1 else 'are'} {', '.join(known)}"


def _documents(truth: Truth) -> TopicField:
    """The document that holds all relevant text of a topic."""
    relevant = _relevant_documents(truth)
    several = [topic for topic, documents in relevant.items() if len(documents) > 1]
    if several:
        return TopicField({}, f"{counted(len(several), 'topic')} with several relevant documents ({some(several, 3)})")
    return TopicField({topic: documents[0] for topic, documents in relevant.items() if documents})


def _relevant_documents(truth: Truth) -> dict[str, list[str]]:
    found = {}
    for name, topic in truth.topics.items():
        good = (document for document, grade in zip(topic.document, topic.grade.tolist(), strict=True) if grade > 0)
        found[name] = list(dict.fromkeys((*good, *(passage.document for passage in topic.passages))))
    return found


def topic_clusters(truth: Truth | None, given: str | Mapping[str, str]) -> TopicGroups:
    """Clusters by a field, by a file with a topic and its cluster in each line, or as ``{topic: cluster}``.

    By document, topics that share a relevant document are one cluster, and so are those between them. Without a truth
    (results alone are compared) only files and mappings are known.
    """
    if isinstance(given, Mapping):
        return TopicGroups("cluster", {str(topic): str(cluster) for topic, cluster in given.items()})
    if not isinstance(given, (str, PathLike)):
        raise UsageError(f"{option('cluster')} is a field of topics, a file or {{topic: cluster}}, not {given!r:.60}")
    fields = {} if truth is None else truth.fields
    if given not in fields and given != DOCUMENT and (os.path.isfile(given) or is_stream(given)):
        known = read_clusters(given)
    elif truth is None:
        raise UsageError(
            f"{option('cluster', given)}: results do not have the fields of topics; give a file with a topic and its "
            "cluster in each line (in Python also {topic: cluster})"
        )
    elif given == DOCUMENT and given not in fields:
        return TopicGroups(given, _connected(_relevant_documents(truth)))
    else:
        known = _field(truth, given, "cluster")
    if known.problem:
        raise UsageError(f"{option('cluster', given)}: {known.problem}; a topic belongs to one cluster")
    return TopicGroups(os.path.basename(given), known.values)


def cluster_codes(clusters: TopicGroups, topics: Sequence[str]) -> IntArray:
    """The number of the cluster of each topic, from 0; a topic without is a cluster of its own."""
    numbers: dict[tuple[str, str], int] = {}
    keys = [("cluster", clusters.of[topic]) if topic in clusters.of else ("topic", topic) for topic in topics]
    return np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int64)


def cluster_notes(clusters: TopicGroups, topics: Sequence[str]) -> list[Note]:
    """What a person should know of the clusters of some topics."""
    alone = sum(topic not in clusters.of for topic in topics)
    text = f"{counted(alone, 'topic')} without {clusters.field}, each a cluster of its own"
    return [Note("no cluster", text)] if alone else []


def _connected(documents: Mapping[str, list[str]]) -> dict[str, str]:
    """Topics that share a document, directly or through others, have the same one as their cluster."""
    parent: dict[str, str] = {}

    def root(name: str) -> str:
        while parent.setdefault(name, name) != name:
            parent[name] = name = parent[parent[name]]
        return name

    for names in documents.values():
        for name in names[1:]:
            parent[root(name)] = root(names[0])
    return {topic: root(names[0]) for topic, names in documents.items() if names}
