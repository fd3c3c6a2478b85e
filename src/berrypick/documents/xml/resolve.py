"""Paths and points to offsets: what truth and run say in terms of XML, resolved on the documents' lines.

With a collection whose structure is known, element runs can be judged by passages, passage runs by elements, and the
assessments of elements follow from highlighted passages alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TypeVar

import numpy as np

from berrypick.data.arrays import IntArray
from berrypick.data.collection import Collection
from berrypick.data.columns import rows_by_document
from berrypick.data.errors import InputError, option
from berrypick.data.origin import Origin
from berrypick.data.run import Run
from berrypick.data.truth import EntryPoint, Highlighted, Passage, TopicTruth, Truth
from berrypick.documents.xml.structure import Structure
from berrypick.kernels.intervals import merge

T = TypeVar("T")
V = TypeVar("V", Truth, Run)


def resolve_elements(value: V, collection: Collection) -> V:
    """Resolve paths and points in XML documents to offsets.

    Parameters
    ----------
    value : Truth or Run
        Judgements, or results.
    collection : Collection
        The structure of the documents.

    Returns
    -------
    Truth or Run
        The same with offsets, in addition to paths and points.

    Examples
    --------
    >>> import os, tempfile
    >>> import berrypick as bp
    >>> from berrypick.documents.xml.resolve import resolve_elements
    >>> from berrypick.documents.xml.resolve import restate
    >>> folder = tempfile.mkdtemp()
    >>> with open(os.path.join(folder, "a.xml"), "w") as file:
    ...     _ = file.write("<a>one <b>two</b></a>")
    >>> collection = bp.read_collection(folder)
    >>> truth = bp.Truth.from_records([{"topic": "q", "doc": "a", "start": 4, "end": 7}])
    >>> points = restate(truth, collection)
    >>> points.topics["q"].passages[0].start
    '/a[1]/b[1]/text()[1].0'
    >>> resolve_elements(points, collection).topics["q"].highlighted.start.tolist()
    [4]
    """
    return resolve_run(value, collection) if isinstance(value, Run) else resolve_truth(value, collection)


def resolve_run(run: Run, collection: Collection) -> Run:
    """The run with the offsets of its elements and passages."""
    if run.path is None or not collection.structures:
        return run
    start = np.empty(run.size(), dtype=np.int64)
    end = np.empty(run.size(), dtype=np.int64)
    found = (_resolve_rows(run, rows, collection, start, end) for rows in rows_by_document(run.document))
    problems = dict(problem for problem in found if problem is not None)
    if problems:
        raise problems[min(problems)]
    return replace(run, start=start, end=end)


def _resolve_rows(
    run: Run, rows: IntArray, collection: Collection, start: IntArray, end: IntArray
) -> tuple[int, InputError] | None:
    """Fill in the places of some rows of one document; the first row with something wrong, and what that is."""
    assert run.path is not None
    known: dict[tuple[int, int], tuple[int, int]] = {}
    structure: Structure | None = None
    lasts = run.path_end[rows].tolist() if run.path_end is not None else [-1] * len(rows)
    for row, key in zip(rows.tolist(), zip(run.path[rows].tolist(), lasts, strict=True), strict=True):
        if key not in known:
            line = int(run.line[row]) if run.line is not None else None
            first, last = run.paths[key[0]], run.paths[key[1]] if key[1] >= 0 else ""
            try:
                if structure is None:
                    structure = _structure(run.documents[int(run.document[row])], collection, run.source, line)
                known[key] = _with_source(partial(_span, structure, first, last), run.source, line)
            except InputError as error:
                return row, error
        start[row], end[row] = known[key]
    return None


def _span(structure: Structure, first: str, last: str) -> tuple[int, int]:
    return structure.span_of_passage(first, last) if last else structure.span_of_path(first)


def resolve_truth(truth: Truth, collection: Collection) -> Truth:
    """The truth with highlighted passages and entry points as offsets."""
    if truth.units != "elements" or not collection.structures:
        return truth
    topics = {name: _resolved(topic, truth.source, collection) for name, topic in truth.topics.items()}
    return replace(truth, topics=topics)


def _resolved(topic: TopicTruth, source: str, collection: Collection) -> TopicTruth:
    spans = []
    for passage in topic.passages:
        structure = _structure(passage.document, collection, source, passage.line)
        spans.append(_with_source(partial(_span, structure, passage.start, passage.end), source, passage.line))
    points = []
    for point in topic.entry_points:
        offset = point.offset
        if offset is None and point.point is not None:
            structure = _structure(point.document, collection, source, point.line)
            offset = _with_source(partial(structure.offset_of_point, point.point, last=False), source, point.line)
        points.append(EntryPoint(point.document, point.point, offset, point.line))
    highlighted = topic.highlighted
    if spans:
        highlighted = Highlighted(
            tuple(passage.document for passage in topic.passages),
            np.array([start for start, _ in spans], dtype=np.int64),
            np.array([end for _, end in spans], dtype=np.int64),
        )
    resolved = replace(topic, highlighted=highlighted, entry_points=tuple(points))
    if highlighted is not None and not len(topic):
        return _assessed(resolved, highlighted, source, collection)
    return resolved


def assess(truth: Truth, collection: Collection) -> Truth:
    """Assessments of elements from highlighted text: every element that holds some, with its size and rsize."""
    topics = {}
    for name, topic in truth.topics.items():
        text = topic.relevant_text()
        topics[name] = topic if text is None else _assessed(topic, text, truth.source, collection)
    return replace(truth, units="elements", topics=topics, scale="sizes", lengths=truth.lengths)


def restate(value: Truth | Run, collection: Collection) -> Truth | Run:
    """State a truth or a run in the other terms: spans as elements and points, elements and points as spans.

    Parameters
    ----------
    value : Truth or Run
        Judgements, or results.
    collection : Collection
        The structure of the documents.

    Returns
    -------
    Truth or Run
        The same in the other terms.

    Examples
    --------
    >>> import os, tempfile
    >>> import berrypick as bp
    >>> from berrypick.documents.xml.resolve import restate
    >>> folder = tempfile.mkdtemp()
    >>> with open(os.path.join(folder, "a.xml"), "w") as file:
    ...     _ = file.write("<a>one <b>two</b></a>")
    >>> truth = bp.Truth.from_records([{"topic": "q", "doc": "a", "start": 4, "end": 7}])
    >>> restate(truth, bp.read_collection(folder)).topics["q"].path
    ('/a[1]', '/a[1]/b[1]')
    """
    if isinstance(value, Run):
        return replace(resolve_run(value, collection), path=None, path_end=None, paths=())
    if value.units == "documents":
        return value  # whole ones have no text to point into
    if value.units == "elements":
        return _as_spans(resolve_truth(value, collection), collection)
    assessed = assess(value, collection)
    topics = {name: _pointed(topic, value.source, collection) for name, topic in assessed.topics.items()}
    return replace(assessed, topics=topics)


def _pointed(topic: TopicTruth, source: str, collection: Collection) -> TopicTruth:
    """Highlighted spans and entry points as points in the XML."""
    text = topic.highlighted
    assert text is not None
    passages = []
    for document, start, end in zip(text.document, text.start.tolist(), text.end.tolist(), strict=True):
        structure = _structure(document, collection, source, None)
        points = structure.point_at(int(start)), structure.point_at(int(end), last=True)
        passages.append(Passage(document, *points, size=end - start))
    entries = []
    for point in topic.entry_points:
        structure = _structure(point.document, collection, source, None)
        offset = min(int(point.offset or 0), structure.length)
        entries.append(EntryPoint(point.document, structure.point_at(offset), float(offset)))
    return replace(topic, passages=tuple(passages), entry_points=tuple(entries))


def _as_spans(truth: Truth, collection: Collection) -> Truth:
    """Highlighted text alone; what was judged without any is kept as judged."""
    topics = {}
    for name, topic in truth.topics.items():
        text = topic.highlighted or Highlighted((), np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
        empty = tuple(document for document in topic.documents() if document not in set(text.document))
        topics[name] = TopicTruth(
            name,
            text.document,
            np.ones(len(text.document)),
            text.start,
            text.end,
            empty_documents=empty,
            entry_points=topic.entry_points,
            judged_whole=topic.judged_whole,
        )
    judged = dict.fromkeys(document for topic in topics.values() for document in topic.documents())
    lengths = {name: collection.lengths[name] for name in judged if name in collection.lengths}
    return Truth("spans", topics, Origin(truth.source, truth.format), lengths)


def _assessed(topic: TopicTruth, text: Highlighted, source: str, collection: Collection) -> TopicTruth:
    documents: list[str] = []
    paths: list[str] = []
    sizes: list[IntArray] = [np.zeros(0, dtype=np.int64)]
    relevant: list[IntArray] = [np.zeros(0, dtype=np.int64)]
    for document in dict.fromkeys(text.document):
        rows = [i for i, name in enumerate(text.document) if name == document]
        structure = _structure(document, collection, source, None)
        start, end = merge(text.start[rows], text.end[rows])
        elements, size, rsize = structure.assessed(start, end)
        documents += [document] * len(elements)
        paths += [structure.paths[i] for i in elements.tolist()]
        sizes.append(size)
        relevant.append(rsize)
    size_column = np.concatenate(sizes).astype(np.float64)
    rsize_column = np.concatenate(relevant).astype(np.float64)
    judged = dict.fromkeys((*topic.empty_documents, *topic.document))
    return TopicTruth(
        topic=topic.topic,
        document=tuple(documents),
        grade=np.ones(len(documents)),
        path=tuple(paths),
        size=size_column,
        rsize=rsize_column,
        exhaustivity=np.full(len(documents), np.nan),
        specificity=rsize_column / size_column,
        empty_documents=tuple(name for name in judged if name not in set(documents)),
        passages=topic.passages,
        entry_points=topic.entry_points,
        highlighted=text,
        judged_documents=topic.judged_documents,
        judged_whole=topic.judged_whole,
        no_answer=topic.no_answer,
    )


def _structure(document: str, collection: Collection, source: str, line: int | None) -> Structure:
    try:
        return collection.structures[document]
    except KeyError:
        what = f"document {document} is not in the collection {collection.source}"
        remedy = f"give the folder with all documents with {option('collection')}"
        raise InputError(what, path=source or None, line=line, remedy=remedy) from None


def _with_source(place: Callable[[], T], source: str, line: int | None) -> T:
    """Put the file and line in front of what is wrong with a path or point."""
    try:
        return place()
    except InputError as error:
        if error.path is not None:
            raise
        raise InputError(error.what, path=source or None, line=line, text=error.text, remedy=error.remedies) from None
