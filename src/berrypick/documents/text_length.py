"""Text beside offsets has their length, also where no documents are given to compare it with.

Offsets that count pages, lines, tokens or bytes give plausible numbers too. White space stripped at either end, and an
ellipsis for the rest of a text, are accepted and counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from berrypick.data.errors import InputError, Message, option
from berrypick.data.run import Run
from berrypick.data.truth import Offsets, Truth
from berrypick.data.words import counted
from berrypick.documents.offsets import UNIT_NAMES, count_units
from berrypick.documents.quotes import OnMismatch

#: White space that is believed to have been stripped from a text, at most: blank lines, and an indentation.
STRIPPED = 10
#: A text that ends with an ellipsis has at least as many characters before it.
_LEAST_CUT = 20
_ACCEPTED = {
    "space": "as long as the span except for white space at the ends",
    "cut": "shorter than the span, with an ellipsis for the rest",
}


class StatedLength(NamedTuple):
    """A text with the offsets beside it, and where that stands."""

    topic: str
    document: str
    start: float
    end: float
    text: str
    line: int | None


def check_truth_lengths(truth: Truth, on_mismatch: OnMismatch = "error") -> Truth:
    """The truth with notes on what was accepted; an error if a quote does not have the length of its span."""
    rows = [
        StatedLength(name, str(quote.document), float(quote.start or 0), float(quote.end or 0), quote.text, quote.line)
        for name, topic in truth.topics.items()
        for quote in topic.quotes
        if quote.has_offsets
    ]
    where = f"{truth.source or 'the truth'}: "
    notes = _notes(rows, truth.offsets or "chars", truth.source, on_mismatch, "quote")
    return truth.changed(notes=(*truth.notes, *(Message(where + note) for note in notes))) if notes else truth


def check_run_lengths(run: Run, counting: Offsets = "chars", on_mismatch: OnMismatch = "error") -> Run:
    """The same for the texts of a run."""
    if run.start is None or run.end is None:
        return run
    notes = _notes(list(_stated(run)), counting, run.source or run.tag, on_mismatch, "text")
    return run.changed(notes=(*run.notes, *map(Message, notes))) if notes else run


def _stated(run: Run) -> Iterator[StatedLength]:
    assert run.start is not None and run.end is not None
    rows = np.array(sorted(run.texts.quoted), dtype=np.int64)
    place = np.searchsorted(run.bounds, rows, side="right") - 1
    for row, topic in zip(rows.tolist(), place.tolist(), strict=True):
        name = f"{run.topics[topic]}, rank {int(run.rank[row]) + 1}"
        line = None if run.line is None else int(run.line[row])
        document = run.documents[int(run.document[row])]
        yield StatedLength(name, document, float(run.start[row]), float(run.end[row]), run.texts.quoted[row], line)


def _notes(
    rows: Sequence[StatedLength], counting: Offsets, source: str, on_mismatch: OnMismatch, word: str
) -> list[str]:
    rows = [row for row in rows if row.start.is_integer() and row.end.is_integer()]  # others are no characters
    differing = [row for row in rows if count_units(row.text, counting) != row.end - row.start]
    if not differing:
        return []
    unit = other_unit(rows, counting)
    accepted: Counter[str] = Counter()
    wrong = []
    for row in differing:
        kind = "" if unit else _accepted(row.text, row.end - row.start, lambda text: count_units(text, counting))
        if kind:
            accepted[kind] += 1
        else:
            wrong.append(row)
    notes = [f"{counted(count, word)} {_ACCEPTED[kind]}" for kind, count in accepted.items()]
    if not wrong:
        return notes
    many = f"{len(wrong)} of {len(rows)} {word}s"
    if on_mismatch == "note":
        said = "do not have the length of their offsets; the offsets are used as they are"
        return [*notes, f"{many} {said}"]
    raise _mismatch(wrong[0], counting, unit, source, many, word)


def other_unit(rows: Sequence[StatedLength], counting: Offsets) -> Offsets | None:
    """What the offsets of all rows count instead; None if there is no such unit."""
    units: tuple[Offsets, ...] = ("chars", "bytes", "utf16")
    for unit in units:
        if unit != counting and all(count_units(row.text, unit) == row.end - row.start for row in rows):
            return unit
    return None


def _accepted(text: str, size: float, count: Callable[[str], int]) -> str:
    """How a text may differ from its span in length; '' if it may not."""
    length, bare = count(text), text.strip()
    if count(bare) <= size < length:
        return "space"
    if size < length or not bare:
        return ""
    stem = bare.removesuffix("…").removesuffix("...")
    if stem != bare and len(stem) >= _LEAST_CUT:
        return "cut"
    return "space" if size - length <= STRIPPED and (text[0].strip() or text[-1].strip()) else ""


def _mismatch(
    row: StatedLength, counting: Offsets, unit: Offsets | None, source: str, many: str, word: str
) -> InputError:
    name = UNIT_NAMES[counting.partition("+")[0]]
    length = count_units(row.text, counting)
    what = (
        f"topic {row.topic}: the span {row.start:.12g}-{row.end:.12g} of {row.document} is {row.end - row.start:.12g} "
        f"{name} long, its {word} {length}"
    )
    if unit is not None:
        give = f"{option('offsets', unit)}, with {option('documents')}"
        seen = f"the offsets count {UNIT_NAMES[unit]}: set this with {give}"
    else:
        seen = f"start and end count {name} from the start of the document; correct them, or omit the {word}"
    locate = f"{option('text_mismatch', 'locate')} with {option('documents')} finds each {word} in its document instead"
    go_on = f"or use the offsets as they are: {option('text_mismatch', 'note')}"
    remedy = (f"{many} do not have the length of their offsets", locate, f"{seen}; {go_on}")
    return InputError(what, path=source or None, line=row.line, text=row.text, remedy=remedy)
