"""Where results fall in documents: small SVG strips, one for each document of a judged topic."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from berrypick.data.errors import BerrypickError
from berrypick.report.notebook.html import LINE, text
from berrypick.topics.topic import JudgedTopic

#: Documents shown, and pieces of one of them.
DOCUMENTS, PIECES = 10, 400
_WIDTH, _HEIGHT = 480, 16
#: Okabe and Ito's colours, which show on white and on black.
FOUND, MISSED, USELESS = "#009e73", "#e69f00", "#8a8a8a"

Spans = list[tuple[float, float]]


@dataclass(frozen=True)
class Strip:
    """One document: its length, the relevant and the retrieved text, and the first rank that points into it."""

    document: str
    length: float
    relevant: Spans
    retrieved: Spans
    rank: int | None


def strips(judged: JudgedTopic) -> list[Strip]:
    """Documents in the order of the ranking, those with relevant text in front; empty where no places are known."""
    try:
        ranking, relevant = judged.ranking_spans, judged.relevant_spans
    except BerrypickError:  # whole documents of unknown length: there are no places to show
        return []
    if ranking.start is None or ranking.end is None:
        return []
    wanted: dict[str, Spans] = {}
    for document, start, end in zip(relevant.document, relevant.start.tolist(), relevant.end.tolist(), strict=True):
        wanted.setdefault(document, []).append((start, end))
    retrieved: dict[str, tuple[int, Spans]] = {}
    for row, code in enumerate(ranking.document.tolist()):
        span = (float(ranking.start[row]), float(ranking.end[row]))
        retrieved.setdefault(ranking.documents[code], (int(ranking.rank[row]) + 1, []))[1].append(span)
    lengths = _lengths(judged)
    found = []
    for document in dict.fromkeys([*(name for name in retrieved if name in wanted), *wanted, *retrieved]):
        rank, spans = retrieved.get(document, (None, []))
        last = max((end for _, end in [*wanted.get(document, []), *spans]), default=0.0)
        length = max(last, lengths.get(document, 0.0))
        if length > 0:
            found.append(Strip(document, length, merged(wanted.get(document, [])), merged(spans), rank))
    return found


def _lengths(judged: JudgedTopic) -> dict[str, float]:
    try:
        return {name: float(length) for name, length in judged.collection.lengths.items()}
    except BerrypickError:
        return {}


def merged(spans: Spans) -> Spans:
    """The same text as spans that do not touch."""
    found: Spans = []
    for start, end in sorted(span for span in spans if span[1] > span[0]):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def both(some: Spans, others: Spans) -> Spans:
    """The text that is in both; either holds spans that do not touch."""
    found: Spans = []
    i = j = 0
    while i < len(some) and j < len(others):
        start, end = max(some[i][0], others[j][0]), min(some[i][1], others[j][1])
        if start < end:
            found.append((start, end))
        if some[i][1] <= others[j][1]:
            i += 1
        else:
            j += 1
    return found


def drawing(found: Sequence[Strip], most: int = DOCUMENTS) -> str:
    """Strips as HTML, with a legend and the number of documents that are left out."""
    if not found:
        return ""
    rows = "".join(_row(strip) for strip in found[:most])
    rest = f'<div style="opacity:.8;">{len(found) - most} more documents</div>' if len(found) > most else ""
    keys = ((FOUND, "relevant and retrieved"), (MISSED, "relevant and missed"), (USELESS, "retrieved and irrelevant"))
    legend = " ".join(
        f'<span style="display:inline-block;width:.8em;height:.8em;background:{colour};"></span> {words} &nbsp;'
        for colour, words in keys
    )
    return f'<div style="margin:.4em 0;">{rows}{rest}<div style="margin-top:.3em;">{legend}</div></div>'


def _row(strip: Strip) -> str:
    found = both(strip.relevant, strip.retrieved)
    rank = "not retrieved" if strip.rank is None else f"rank {strip.rank}"
    share = sum(b - a for a, b in found), sum(b - a for a, b in strip.relevant)
    tooltip = f"{rank}; {share[0]:g} of {share[1]:g} relevant retrieved, of {strip.length:g}"
    pieces = [
        *_bars(strip.retrieved, strip.length, USELESS, 8, 6),
        *_bars(strip.relevant, strip.length, MISSED, 1, 6),
        *_bars(found, strip.length, FOUND, 1, 13),
    ]
    name = text(strip.document)
    frame = f'<rect x="0" y="0" width="{_WIDTH}" height="{_HEIGHT}" fill="none" stroke="{LINE}"/>'
    picture = (
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" height="{_HEIGHT}" role="img" '
        f'style="flex:none;max-width:60%;"><title>{name}: {tooltip}</title>{frame}{"".join(pieces)}</svg>'
    )
    label = f'<span style="overflow-wrap:anywhere;">{name} <span style="opacity:.7;">{rank}</span></span>'
    return f'<div style="display:flex;align-items:center;gap:.6em;margin:2px 0;">{picture}{label}</div>'


def _bars(spans: Spans, length: float, colour: str, top: int, height: int) -> Iterator[str]:
    for start, end in _visible(spans, length):
        left = _WIDTH * start / length
        width = max(1.0, _WIDTH * (end - start) / length)  # also a single character can be seen
        yield f'<rect x="{left:.1f}" y="{top}" width="{width:.1f}" height="{height}" fill="{colour}"/>'


def _visible(spans: Spans, length: float) -> Spans:
    """Of very many pieces, those between which there is room."""
    if len(spans) <= PIECES:
        return spans
    places = np.unique((np.array(spans)[:, 0] * PIECES / length).astype(np.int64), return_index=True)[1]
    return [spans[i] for i in places.tolist()]
