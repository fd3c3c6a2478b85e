"""Spans of text as boxes on pages, and boxes as spans, by words with their places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from os import PathLike
from typing import Any

import numpy as np

from berrypick import formats
from berrypick.data.errors import InputError, UsageError
from berrypick.data.run import Run
from berrypick.data.truth import Truth
from berrypick.data.words import counted
from berrypick.documents.checked import checked_run, checked_truth
from berrypick.documents.pages.page_units import in_shares
from berrypick.documents.pages.page_words import PageWords, read_words
from berrypick.documents.placed import placed_run
from berrypick.documents.quotes import Quotes, located_truth
from berrypick.given.convert import RunLike, as_runs
from berrypick.inputs.column_tables import TextSearch


def place(value: Truth | Run | RunLike, words: str | PathLike[str] | Any, *, quotes: Quotes = "exact") -> Truth | Run:
    """Turn spans of text into boxes on pages, or boxes into spans.

    Offsets count characters of the text that the words make, with one space between words; texts and quotes are looked
    up there. A span has a box for each line that it touches; a box has the words whose middle lies in it. The parts of
    one result stay one item of its list.

    Parameters
    ----------
    value : Truth, Run, or what a run is made of
        The value to convert: boxes become spans, everything else becomes boxes. A file may be either.
    words : str, path or list of dictionaries
        Words with their places, as :func:`berrypick.read_words` reads them.
    quotes : {'exact', 'normalised', 'fuzzy'}
        How texts are looked up.

    Returns
    -------
    Truth or Run
        The same with places of the other kind; notes count what was skipped.

    Examples
    --------
    >>> import berrypick as bp
    >>> words = [{"doc": "a", "page": 1, "text": "Cut", "box": [10, 10, 30, 20]},
    ...          {"doc": "a", "page": 1, "text": "canes.", "box": [34, 10, 70, 20]}]
    >>> bp.place([{"topic": "q", "doc": "a", "text": "canes.", "rank": 1}], words).to_records()
    [{'topic': 'q', 'doc': 'a', 'page': 1, 'box': [34, 10, 70, 20], 'rank': 1}]
    """
    known = read_words(words)
    if isinstance(value, (str, PathLike)):
        value = formats.read_any(value, None, None)
    if isinstance(value, Truth):
        return _placed_truth(value, known, quotes)
    found = as_runs(value, TextSearch(known.texts, quotes, True, "chars"))
    if len(found) != 1:
        raise UsageError(f"place takes one run, not {len(found)}")
    return _placed_run(found[0], known, quotes)


def _placed_truth(truth: Truth, words: PageWords, quotes: Quotes) -> Truth:
    if len(truth.annotators) > 1:
        raise UsageError(f"{truth.source or 'the truth'} has several annotators; place their judgements one by one")
    to_spans = truth.of_pages
    if to_spans:
        _check_names(words, (name for topic in truth.topics.values() for name in topic.document), truth.source)
    else:
        counting = truth.offsets or "chars"
        truth = located_truth(checked_truth(truth, words.texts, counting), words.texts, quotes, counting)
    lost: list[str] = []
    shares = in_shares([one.boxes for one in truth.topics.values() if one.boxes is not None])
    rows = [one for row in truth.to_records() for one in _other_places(row, words, to_spans, lost, shares)]
    if lost and "sets" in truth.beside:
        what = f"{truth.source or 'the truth'} names sets or hops, which would look complete without {lost[0]}"
        raise UsageError(f"{what}, of which a judgement has no words in its place")
    found = Truth.from_records(rows)
    notes = (*truth.notes, *_notes(lost, "judgement", to_spans))
    return found.changed(source=truth.source, notes=notes)


def _placed_run(run: Run, words: PageWords, quotes: Quotes) -> Run:
    to_spans = run.boxes is not None
    if to_spans:
        _check_names(words, run.documents, run.source)
    else:
        run = placed_run(run, words.texts, quotes)
        if run.start is None and run.size():
            raise UsageError(f"{run.source or 'the run'} has whole documents; only their parts have places")
        run = checked_run(run, words.texts)
    lost: list[str] = []
    shares = run.boxes is not None and in_shares([run.boxes])
    rows: list[dict[str, Any]] = []
    for topic, ranking in run.rankings():
        for row in range(len(ranking)):
            rank = {"rank": int(ranking.rank[row]) + 1}
            score = {} if ranking.score is None else {"score": float(ranking.score[row])}
            place = ranking.boxes.record(row) if ranking.boxes is not None else _span(ranking, row)
            one = {"topic": topic, "doc": ranking.documents[int(ranking.document[row])], **place, **score, **rank}
            rows += _other_places(one, words, to_spans, lost, shares)
    found = Run.from_records(rows) if rows else Run.from_records([])
    empty = [topic for topic in run.topics if topic not in found.topics]
    found = found.with_empty(empty)
    notes = (*run.notes, *_notes(lost, "result", to_spans))
    return found.changed(tag=run.tag, source=run.source, notes=notes, missing=run.of_topics.missing)


def _span(ranking: Any, row: int) -> dict[str, Any]:
    return {"start": ranking.start[row].item(), "end": ranking.end[row].item()}


def _check_names(words: PageWords, names: Any, source: str) -> None:
    for name in names:
        if name not in words:
            remedy = f"they have {', '.join(list(words)[:5])}"
            raise InputError(f"document {name} is not among the words", path=source or None, remedy=remedy)


def _other_places(
    row: Mapping[str, Any], words: PageWords, to_spans: bool, lost: list[str], shares: bool
) -> Iterator[dict[str, Any]]:
    """A row for each place of the other kind."""
    mine = ("page", "box", "page_size") if to_spans else ("start", "end", "text", "quote", "offsets")
    rest = {name: value for name, value in row.items() if name not in (*mine, "checksum")}
    there = "page" in row if to_spans else "start" in row
    if not there:
        if "topic" in row:
            yield rest
        return
    document = words[row["doc"]]
    if to_spans:
        places: list[dict[str, Any]] = [
            {"start": start, "end": end}
            for start, end in document.spans(row["page"] - 1, _in_units(row, document, shares))
        ]
    else:
        places = document.boxes(row["start"], row["end"])
    if not places:
        lost.append(str(row["doc"]))
    for one in places:
        yield {**rest, **one}


def _in_units(row: Mapping[str, Any], document: Any, shares: bool) -> Any:
    """The box of a row in the units of the words of its page."""
    box, size = row.get("box"), [1.0, 1.0] if shares else row.get("page_size")
    there = next((held for page, _, held in document.places if page == row["page"] - 1), None)
    if box is None or there is None or size is None or tuple(size) == tuple(there):
        return box
    return (np.array(box) * np.tile(np.array(there) / np.array(size), 2)).tolist()


def _notes(lost: list[str], what: str, to_spans: bool) -> tuple[str, ...]:
    made = "words in their boxes" if to_spans else "words in their spans"
    found = () if not lost else (f"{counted(len(lost), what)} without {made}, skipped",)
    lines = "" if to_spans else "a span of several lines is a box for each of them"
    return (*found, *([lines] if lines else []))
