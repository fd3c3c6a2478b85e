"""Places on pages as the report shows them: boxes of targets and results, and how much of each is relevant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from berrypick.data.arrays import FloatArray, IntArray
from berrypick.data.boxes import Boxes
from berrypick.data.run import Ranking
from berrypick.data.truth import Highlighted
from berrypick.kernels.areas import first_seen_areas
from berrypick.targets.places import first_seen_places, page_codes, united_area
from berrypick.topics.topic import JudgedTopic


def place(boxes: Boxes, row: int) -> list[float]:
    """Page from 0, then the box, in the units that areas count in."""
    return [int(boxes.page[row]), *(float(edge) for edge in boxes.box[row])]


def topic_boxes(judged: JudgedTopic, number: Mapping[str, int]) -> dict[str, Any]:
    """What is relevant and what is judged of the documents of a topic, and the sizes of their pages."""
    truth = judged.truth
    relevant, known = truth.relevant_text(), truth.judged_spans()
    sizes: dict[int, dict[int, list[float]]] = {}
    shares = truth.boxes is not None and truth.boxes.shares
    for names, boxes in _all_boxes(judged):
        for row in np.flatnonzero(boxes.sized).tolist():
            if names[row] in number:
                pages = sizes.setdefault(number[names[row]], {})
                pages.setdefault(int(boxes.page[row]), boxes.size[row].tolist())
    return {
        "shares": shares,
        "relevant": [] if relevant is None else _rows(relevant, number),
        "judged": _rows(known, number),
        "whole": [number[name] for name in truth.whole_documents if name in number],
        "sizes": sizes,
    }


def _all_boxes(judged: JudgedTopic) -> list[tuple[Sequence[str], Boxes]]:
    ranking, truth = judged.ranking, judged.truth
    found: list[tuple[Sequence[str], Boxes]] = []
    if truth.boxes is not None:
        found.append((truth.document, truth.boxes))
    if ranking.boxes is not None:
        found.append(([ranking.documents[code] for code in ranking.document.tolist()], ranking.boxes))
    return found


def _rows(text: Highlighted, number: Mapping[str, int]) -> list[list[float]]:
    if text.boxes is None:
        return []
    return [[number[name], *place(text.boxes, row)] for row, name in enumerate(text.document) if name in number]


class ResultAreas:
    """The areas of results: all of each, what of it is relevant, and what of that is new."""

    def __init__(self, ranking: Ranking, relevant: Highlighted, shown: IntArray) -> None:
        assert ranking.boxes is not None
        self.ranking, self.boxes, self.shown = ranking, ranking.boxes, shown
        self.fresh = first_seen_places(ranking, relevant)[1]
        self.within = self._within(relevant)
        self.total = united_relevant(relevant)

    def _within(self, relevant: Highlighted) -> FloatArray:
        """How much of each result that is shown is relevant, whatever came before it."""
        found = np.zeros(len(self.ranking))
        wanted = relevant.boxes if relevant.boxes is not None else Boxes.of([])
        page, relevant_page = page_codes(self.ranking, relevant.document, wanted)
        for row in self.shown.tolist():
            here = np.flatnonzero(relevant_page == page[row])
            if len(here):
                one = slice(row, row + 1)
                held = first_seen_areas(page[one], self.boxes.box[one], relevant_page[here], wanted.box[here])
                found[row] = held[1][0]
        return found

    def seen(self) -> dict[str, float]:
        """Relevant area found, and all area retrieved, counted once, after the results that are shown."""
        retrieved = united_area(self.ranking.rows(self.shown))
        return {"relevant": float(self.fresh[self.shown].sum()), "retrieved": retrieved, "total": self.total}


def united_relevant(relevant: Highlighted) -> float:
    """The relevant area of all documents, counted once."""
    if relevant.boxes is None or not len(relevant.document):
        return 0.0
    names = {name: i for i, name in enumerate(dict.fromkeys(relevant.document))}
    many = int(relevant.boxes.page.max()) + 1
    page = np.array([names[name] for name in relevant.document], dtype=np.int64) * many + relevant.boxes.page
    return float(first_seen_areas(page, relevant.boxes.box, page[:0], relevant.boxes.box[:0])[0].sum())
