"""Results that are texts: where each text is, and what happens to those that are not in the documents.

A text without a place can only lower a score: it counts as retrieved and irrelevant, with its length. Where more than a
tenth of a run's results have none, the documents are probably others, and the run is refused.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from berrypick.data.errors import InputError, Message, option, shorten
from berrypick.data.run import Run
from berrypick.data.truth import Truth
from berrypick.data.words import counted

Unplaced = Literal["irrelevant", "error"]
#: A run is refused where more than this share of its results, and more than so many, have no place.
SHARE, FEW = 0.1, 5
#: Results shown in an error, and candidates in a row of the report.
SHOWN, CANDIDATES = 20, 20


class SoughtText(NamedTuple):
    """The text of a result that needs a place, and what else the result says of where it is."""

    topic: str
    text: str
    document: str | None = None
    start: int | None = None  # in characters


class TextPlace(NamedTuple):
    """Where the text of a result is; without a document it has no place, and ``why`` gives the reason."""

    document: str = ""
    start: int = 0
    end: int = 0
    prefix: bool = False  # text was added before what is in the document
    why: str = ""
    candidates: tuple[tuple[str, int, int], ...] = ()


class JudgedPlaces:
    """The text judged for each topic, to ask whether a place touches it."""

    def __init__(self, truth: Truth | None) -> None:
        self._truth = truth
        self._spans: dict[str, Mapping[str, list[tuple[float, float]]]] = {}

    def touch(self, topic: str, document: str, start: int, end: int) -> bool:
        """Return whether a place overlaps or adjoins text that was judged for a topic."""
        if topic not in self._spans:
            self._spans[topic] = self._of(topic)
        return any(low <= end and start <= high for low, high in self._spans[topic].get(document, ()))

    def _of(self, topic: str) -> dict[str, list[tuple[float, float]]]:
        found: dict[str, list[tuple[float, float]]] = {}
        judged = None if self._truth is None else self._truth.topics.get(topic)
        if judged is None:
            return found
        if judged.start is not None and judged.end is not None and judged.boxes is None:
            for document, low, high in zip(judged.document, judged.start.tolist(), judged.end.tolist(), strict=True):
                found.setdefault(document, []).append((low, high))
        for document in judged.documents():
            if document not in found:  # judged as a whole
                found[document] = [(0.0, float("inf"))]
        return found


class UnplacedTexts(InputError):
    """Texts of a run that are not in the documents, where these are an error; ``rows`` has one record for each."""

    def __init__(self, run: Run, rows: Sequence[Mapping[str, Any]], why: str, remedies: Sequence[str]) -> None:
        shown = [_shown(row) for row in rows[:SHOWN]]
        more = [f"and {len(rows) - SHOWN} more"] if len(rows) > SHOWN else []
        what = f"{len(rows)} of {counted(run.size(), 'result')} cannot be placed in the documents{why}"
        super().__init__(what, path=run.source or run.tag or None, remedy=[*shown, *more, *remedies])
        name = run.tag or os.path.splitext(os.path.basename(run.source))[0] or "run"
        self.rows = [{"run": name, **row} for row in rows]


def _shown(row: Mapping[str, Any]) -> str:
    line = f", line {row['line']}" if row.get("line") is not None else ""
    places = [f"{one['doc']} {one['start']}-{one['end']}" for one in row.get("candidates", ())]
    shown = f" ({', '.join(places[: SHOWN // 4])}{', ..' if len(places) > SHOWN // 4 else ''})" if places else ""
    text = shorten(row["text"], 100)
    return f"topic {row['topic']}, rank {row['rank']}{line}: {Message(row['why']).template}{shown}: {text}"


def unplaced_rows(run: Run, places: Mapping[int, TextPlace]) -> list[dict[str, Any]]:
    """A record for each result without a place, as reports have it."""
    rows = sorted(row for row, place in places.items() if not place.document)
    topics = np.searchsorted(run.bounds, np.array(rows, dtype=np.int64), side="right") - 1
    found = []
    for row, topic in zip(rows, topics.tolist(), strict=True):
        document = run.documents[int(run.document[row])]
        record: dict[str, Any] = {"topic": run.topics[topic], "rank": int(run.rank[row]) + 1}
        record |= {"doc": document} if document else {}
        record |= {"line": int(run.line[row])} if run.line is not None and run.source else {}
        record |= {"text": run.texts.quoted[row], "why": places[row].why}
        if places[row].candidates:
            names = ("doc", "start", "end")
            record["candidates"] = [dict(zip(names, one, strict=True)) for one in places[row].candidates[:CANDIDATES]]
        found.append(record)
    return found


def refuse_or_note(
    run: Run, rows: Sequence[Mapping[str, Any]], rule: Unplaced | None, looser: Callable[[], int]
) -> list[str]:
    """Return the note on results without a place; an error where the rule, or their number, says so.

    ``looser`` counts those that are found if white space and kinds of quotation marks do not matter.
    """
    if not rows:
        return []
    many = rule is None and len(rows) > FEW and len(rows) > SHARE * run.size()
    found = looser()
    finds = f"{option('quotes', 'normalised')} finds {'it' if found == len(rows) == 1 else f'{found} of them'}"
    if many or rule == "error":
        why = ", more than a tenth: these are probably not the documents that the run retrieved from" if many else ""
        remedies = [f"{finds}, ignoring differences in white space, quotation marks and dashes"] if found else []
        remedies += [
            f"give the documents that the run retrieved from with {option('documents')}, "
            f"or count these results as irrelevant: {option('unplaced', 'irrelevant')}"
        ]
        raise UnplacedTexts(run, rows, why, remedies)
    example = f"topic {rows[0]['topic']}, rank {rows[0]['rank']}: {shorten(rows[0]['text'], 60)}"
    reason = Message(rows[0]["why"]).template
    count = f"{counted(len(rows), 'result')} of {run.size()} cannot be placed in the documents and"
    counts = "counts as irrelevant, with its length" if len(rows) == 1 else "count as irrelevant, with their lengths"
    return [Message(f"{count} {counts} ({example}; {reason}){f'; {finds}' if found else ''}")]
