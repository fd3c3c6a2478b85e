"""All chunks of a collection as one list, in the units of a truth."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike, fspath
from typing import Any

from berrypick import formats
from berrypick.data.errors import BerrypickError, InputError, UsageError, option
from berrypick.data.run import Ranking, Run
from berrypick.evaluation.evaluation import Evaluation
from berrypick.given.convert import as_run
from berrypick.inputs.text_search import TextSearch
from berrypick.judgements.adopt.golden_file import read_chunks
from berrypick.rows.fields import ours_of

#: The topic under which chunks are read: a list of chunks belongs to no question.
_ALL = "chunks"
#: What ranks results; a list of chunks has no order.
_OF_RESULTS = ("topic", "run", "rank", "score", "distance")


def read_chunk_list(given: Any, evaluation: Evaluation) -> Ranking:
    """Read chunks: rows with text, or doc, start and end, or any run; topics, ranks and scores are ignored."""
    records = _records(given)
    if not records:
        name = fspath(given) if isinstance(given, (str, PathLike)) else "the list of chunks"
        raise UsageError(f"{option('chunks')}: {name} has no chunks")
    ranked = [{"topic": _ALL, "rank": i, **row} for i, row in enumerate(records, 1)]
    options, reader = evaluation.options.changed(min_score=None, missing=None, order=None), evaluation.context.reader
    search = TextSearch(reader.texts, options.quotes, evaluation.truth.units == "spans", options.offsets or "chars")
    return replace(evaluation.inputs, options=options).prepare(as_run(ranked, search)).ranking(_ALL)


def _records(given: Any) -> list[dict[str, Any]]:
    """What says where each chunk is, of rows, or of a file in a format of runs."""
    try:
        rows = given.to_records() if isinstance(given, Run) else [row for _, row in read_chunks(given)]
        unread = None
    except InputError as error:
        rows, unread = [], error
    records = [{key: value for key, value in row.items() if _says_where(key)} for row in rows]
    if not any(records) and isinstance(given, (str, PathLike)) and _is_run(fspath(given)):
        return _records(formats.read_run(given))
    if unread is not None:
        raise unread
    return records


def _is_run(path: str) -> bool:
    try:
        formats.sniff(path, "run")
    except BerrypickError:
        return False
    return True


def _says_where(name: str) -> bool:
    """Whether a field says where a chunk is, or holds its text; the ids of chunks are not documents."""
    ours = ours_of(name, "run")
    return bool(ours) and ours not in _OF_RESULTS
