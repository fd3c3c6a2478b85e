"""What was retrieved for a question, wherever it was recorded, and the runs that many of these are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from berrypick.core.errors import BerrypickError, InputError
from berrypick.core.run import Run
from berrypick.core.words import counted
from berrypick.formats.base import Problems
from berrypick.formats.span_run import SpanRun
from berrypick.inputs.fields import FieldRow, with_end
from berrypick.inputs.objects import topics_table

#: What is counted of retrievals that are not in a run.
WITHOUT_QUESTION = "retrievals that say no question and no topic"
ASKED_AGAIN = "retrievals for a question that was asked again later"


@dataclass(frozen=True)
class Retrieval:
    """The results for one question, as one retriever returned them once."""

    topic: str  # as a field names it; else ''
    question: str
    found: Any  # results, or a response that holds them
    line: int = 1
    kind: str = ""  # which retriever it was
    trace: str = ""
    span: str = ""
    time: str = ""
    unread: tuple[str, ...] = ()  # fields that were left to the text

    @property
    def name(self) -> str:
        """What the run calls the topic."""
        return self.topic or self.question.strip()


def by_kind(retrievals: Iterable[Retrieval]) -> dict[str, list[Retrieval]]:
    """Retrievals of each retriever."""
    found: dict[str, list[Retrieval]] = {}
    for one in retrievals:
        found.setdefault(one.kind, []).append(one)
    return found


def run_of(retrievals: Sequence[Retrieval], problems: Problems, path: str, format_name: str, tag: str = "") -> Run:
    """One run. A question that was asked several times counts as it was answered last."""
    latest, notes = _latest(retrievals, problems)
    good = _understood(latest, problems)
    table = topics_table({name: one.found for name, one in good.items()}, "run").plain()
    rows = [fields for _, _, fields in table.rows()]
    run = SpanRun.from_records(_checked(rows, good), problems, path)
    run = run.with_empty([name for name in good if name not in run])
    traces = {name: (one.trace, one.span) for name, one in good.items() if one.trace or one.span}
    notes = [*run.notes, *table.notes, *notes]
    unread = dict.fromkeys((*table.unread, *(name for one in good.values() for name in one.unread)))
    return replace(run, tag=tag, format=format_name, unread=tuple(unread), traces=traces, notes=tuple(notes))


def _latest(retrievals: Sequence[Retrieval], problems: Problems) -> tuple[dict[str, Retrieval], list[str]]:
    """The last retrieval for each question; several of one trace are one list."""
    kept: dict[str, Retrieval] = {}
    several = set[str]()
    for one in sorted(retrievals, key=lambda one: one.time):  # stable: without times, as they stand
        if not one.name:
            problems.count(WITHOUT_QUESTION)
            continue
        before = kept.get(one.name)
        if before is not None and one.trace and before.trace == one.trace:
            if isinstance(before.found, list) and isinstance(one.found, list):
                one = replace(one, found=[*before.found, *one.found], span=before.span)
                several.add(one.name)
        elif before is not None:
            problems.count(ASKED_AGAIN)
            several.discard(one.name)
        kept[one.name] = one
    places = {one.name: place for place, one in reversed([*enumerate(retrievals)])}
    ordered = dict(sorted(kept.items(), key=lambda item: places[item[0]]))
    note = f"{counted(len(several), 'trace')} with several retrievals: their lists count one after the other"
    return ordered, [note] if several else []


def _understood(retrievals: dict[str, Retrieval], problems: Problems) -> dict[str, Retrieval]:
    """Those whose results can be read; the others are reported."""
    try:
        topics_table({name: one.found for name, one in retrievals.items()}, "run")
        return retrievals
    except BerrypickError:
        pass
    good = {}
    for name, one in retrievals.items():
        try:
            topics_table({name: one.found}, "run")
            good[name] = one
        except InputError as error:
            problems.report(error.what.template, one.line, name[:80], error.remedy.template)
        except BerrypickError as error:
            problems.report(str(error).removeprefix(f"topic {name}: "), one.line, name[:80])
    return good


def _checked(rows: list[Any], good: Mapping[str, Retrieval]) -> Iterator[tuple[int, str, Any]]:
    """Rows with the lines where they stand. Where only some have offsets, the texts of all are looked up."""
    placed = all(row.get("start") is not None for row in rows)
    scored = all(row.get("score") is not None for row in rows)
    for row in rows:
        one = with_end(FieldRow(row)) if placed else FieldRow(row)
        if not placed and one.get("text") is not None:
            one.pop("start", None), one.pop("end", None)
        if not scored:
            one.pop("score", None)
        if one.get("doc") is not None:
            one.setdefault("doc_else", ())  # names of documents in traces may be gone; texts are not
        yield good[row["topic"]].line, row["topic"], one
