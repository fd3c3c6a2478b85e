"""What was retrieved for a question, wherever it was recorded, and the runs that many of these are."""

from __future__ import annotations

import datetime
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from berrypick.data.errors import BerrypickError, InputError
from berrypick.data.run import Run
from berrypick.data.trace_step import TraceStep
from berrypick.data.words import counted, plain_title
from berrypick.files.problems import Problems
from berrypick.inputs.objects import topics_table
from berrypick.rows.entries import ONE_LIST, named_apart, two_lists
from berrypick.rows.field_rows import FieldRow
from berrypick.rows.field_values import with_end
from berrypick.rows.row_lists import STRING
from berrypick.rows.run_rows import run_of_rows

#: What is counted of retrievals that are not in a run.
WITHOUT_QUESTION = "retrievals with neither question nor topic"
ASKED_AGAIN = "retrievals for a question that was asked again later"
FAILED = "failed or unfinished retrievals of questions that have a successful one, skipped"
ONLY_FAILED = "questions with failed or unfinished retrievals only, absent from the run"


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
    own_id: str = ""  # beside a question that nothing else names
    prompt: str = ""  # of promptfoo, which asks every question with each prompt
    costs: Mapping[str, float] = field(default_factory=dict)  # latency, cost and tokens
    failed: bool = False  # the attempt reports an error, or has no output: no list, not an empty one
    end: str = ""  # when the step ended
    given: Any = None  # what a reranker got: the results of the stage before

    @property
    def name(self) -> str:
        """What the run calls the topic."""
        return self.topic or plain_title(self.question)


def by_kind(retrievals: Iterable[Retrieval]) -> dict[str, list[Retrieval]]:
    """Retrievals of each retriever."""
    found: dict[str, list[Retrieval]] = {}
    for one in retrievals:
        found.setdefault(one.kind, []).append(one)
    return found


def told_apart(retrievals: Iterable[Retrieval], problems: Problems) -> list[Retrieval]:
    """Retrievals that are no traces: a second successful one of a retriever for a question is an error, unless an id
    tells them apart, which is their topic then."""
    kept: list[Retrieval] = []
    for every in by_kind(_by_prompt(retrievals)).values():
        some = [one for one in every if not one.failed]
        kept += [one for one in every if one.failed]
        named = named_apart([one.name for one in some], [one.own_id or None for one in some], [None] * len(some))
        if named.repeated is not None:
            first_place, second_place = sorted(named.repeated)
            _report_two(some[first_place], some[second_place], some, problems)
        first: dict[str, Retrieval] = {}
        for name, one in zip(named.names, some, strict=True):
            made = one if name == one.name else replace(one, topic=name)
            if name and first.setdefault(name, made) is not made:
                _report_two(first[name], made, some, problems)
            else:
                kept.append(made)
    return kept


def _by_prompt(retrievals: Iterable[Retrieval]) -> list[Retrieval]:
    """Retrievals with a run for each prompt, where questions are asked with several."""
    every = list(retrievals)
    prompts = {kind: {one.prompt for one in some} for kind, some in by_kind(every).items()}
    return [
        replace(one, kind=f"{one.kind} {one.prompt}".strip()) if len(prompts[one.kind]) > 1 else one for one in every
    ]


def _report_two(first: Retrieval, second: Retrieval, every: Sequence[Retrieval], problems: Problems) -> None:
    """Report two retrievals for one question, with both places."""
    places = [f"line {one.line}" for one in (first, second)]
    if first.line == second.line:
        places = [f"entry {i}" for i, one in enumerate(every, start=1) if one.name == second.name or one is first][:2]
    problems.report(two_lists(second.name, *places), second.line, remedy=ONE_LIST)


def retrievers(retrievals: Sequence[Retrieval], problems: Problems, remedy: str) -> dict[str, list[Retrieval]]:
    """Retrievals of each retriever that succeeded at least once; failed ones of others are counted.

    Where all failed, that is reported: a run of empty lists would be a number about nothing.
    """
    kinds = by_kind(retrievals)
    found = {kind: some for kind, some in kinds.items() if not all(one.failed for one in some)}
    for kind, some in kinds.items():
        if kind not in found and found:
            problems.count(f"failed or unfinished retrievals of a retriever that never succeeded ({kind})", len(some))
    if not found and not problems.found:
        what = (
            f"none of {counted(len(retrievals), 'retrieval')} both succeeded and recorded documents"
            if retrievals
            else NOTHING
        )
        problems.report(what, retrievals[0].line if retrievals else 1, remedy=remedy)
    return found


NOTHING = "contains no retrieved documents"


def run_of(retrievals: Sequence[Retrieval], problems: Problems, path: str, format_name: str, tag: str = "") -> Run:
    """One run. A question that was asked several times counts as it was answered last.

    What a reranker was given is the stage before it.
    """
    run = _run_of(retrievals, problems, path, format_name, tag)
    given = [replace(one, found=one.given) for one in retrievals if one.given is not None and not one.failed]
    if not given:
        return run
    name = retrievals[0].kind or "reranker"
    first = _run_of(given, Problems(path), path, format_name, tag).changed(stage=f"input of {name}", missing="absent")
    lacking = {one.name for one in retrievals if not one.failed} - {one.name for one in given}
    more = (f"{counted(len(lacking), 'question')} without input documents of {name}",) if lacking else ()
    return run.changed(stage=name, earlier=(first,), notes=(*run.notes, *more))


def _run_of(retrievals: Sequence[Retrieval], problems: Problems, path: str, format_name: str, tag: str) -> Run:
    latest, notes = _latest(_successful(retrievals, problems), problems)
    good = _understood(latest, problems)
    table = topics_table({name: one.found for name, one in good.items()}, "run").plain()
    rows = [fields for _, _, fields in table.rows()]
    run = run_of_rows(_checked(rows, good), problems, path)
    run = run.with_empty([name for name in good if name not in run])
    traces = {name: TraceStep(one.trace, one.span, one.end) for name, one in good.items() if one.trace or one.span}
    notes = [*run.notes, *table.notes, *notes]
    unread = dict.fromkeys((*table.unread, *(name for one in good.values() for name in one.unread)))
    ids = Counter(one.own_id for one in good.values())
    asked = {one.own_id: plain_title(one.question) for one in good.values() if one.own_id and ids[one.own_id] == 1}
    run = run.changed(tag=tag, format=format_name, unread=tuple(unread), traces=traces, notes=tuple(notes))
    costs = {name: one.costs for name, one in good.items() if one.costs}
    return run.changed(asked=asked, costs={**run.of_topics.costs, **costs})


def _successful(retrievals: Sequence[Retrieval], problems: Problems) -> list[Retrieval]:
    """Retrievals that did not fail. Failed ones are counted, and replace nothing."""
    good = [one for one in retrievals if not one.failed]
    answered, unanswered = {one.name for one in good}, set[str]()
    for one in retrievals:
        if one.failed and (one.name in answered or not one.name):
            problems.count(FAILED if one.name else WITHOUT_QUESTION)
        elif one.failed:
            unanswered.add(one.name)
    if unanswered:
        problems.count(ONLY_FAILED, len(unanswered))
    return good


def _latest(retrievals: Sequence[Retrieval], problems: Problems) -> tuple[dict[str, Retrieval], list[str]]:
    """The last retrieval for each question; several of one trace are one list."""
    kept: dict[str, Retrieval] = {}
    several = set[str]()
    for one in sorted(retrievals, key=lambda one: _when(one.time)):  # stable: without times, as they stand
        if not one.name:
            problems.count(WITHOUT_QUESTION)
            continue
        before = kept.get(one.name)
        if before is not None and one.trace and before.trace == one.trace:
            if isinstance(before.found, list) and isinstance(one.found, list):
                one = replace(one, found=[*before.found, *one.found], span=before.span, end=before.end)
                several.add(one.name)
        elif before is not None:
            problems.count(ASKED_AGAIN)
            several.discard(one.name)
        kept[one.name] = one
    places = {one.name: place for place, one in reversed([*enumerate(retrievals)])}
    ordered = dict(sorted(kept.items(), key=lambda item: places[item[0]]))
    note = f"{counted(len(several), 'trace')} with several retrievals: their lists are joined in order"
    return ordered, [note] if several else []


def _when(time: str) -> tuple[float, str]:
    """When something began, for sorting: a number, such as nanoseconds since 1970, or a date with a time of day."""
    try:
        return float(time), time
    except ValueError:
        pass
    text = re.sub(r"\.(\d+)", lambda found: "." + found[1][:6].ljust(6, "0"), time.replace("Z", "+00:00"))
    try:
        moment = datetime.datetime.fromisoformat(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=datetime.timezone.utc)).timestamp(), time
    except (ValueError, OverflowError):
        return 0.0, time


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
        if one.get("doc") is not None and STRING not in one:
            one.setdefault("doc_else", ())  # names of documents in traces may be gone; texts are not
        yield good[row["topic"]].line, row["topic"], one
