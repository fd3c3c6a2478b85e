"""What changed between two saved evaluations, topic by topic.

Values are matched by run, topic and measure. Numbers are comparable only if they were computed in the same way, which
is what signatures are for: where they differ, the difference is refused unless it is forced.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from os import PathLike
from typing import Any, ClassVar, Literal

from berrypick.analysis.comparison.saved import read_results
from berrypick.analysis.comparison.truths import with_one_truth
from berrypick.data.errors import InputError, UsageError, option
from berrypick.data.exchange import Kind, Written
from berrypick.data.results import ALL, MeasureInfo, Note, Results, Row
from berrypick.data.signature import Signature, unlike
from berrypick.files.files import file_name
from berrypick.tables.tabular import fields_of

Status = Literal["changed", "added", "removed"]
Key = tuple[str, str, str | None]  # run, measure, topic; None for the mean

#: Values that differ by no more than this are the same.
TOLERANCE = 1e-9


@dataclass(frozen=True)
class Change:
    """One value that changed. None is an undefined or a missing value (see ``status``)."""

    run: str
    measure: str
    topic: str
    mean: bool  # over topics, under topic "all"
    status: Status
    old: float | None
    new: float | None
    signature: str
    old_signature: str

    @property
    def change(self) -> float | None:
        return None if self.old is None or self.new is None else self.new - self.old

    def as_dict(self) -> dict[str, Any]:
        return fields_of(
            self, "run", "topic", "measure", "status", "old", "new", "change", "signature", "old_signature"
        )


@dataclass(frozen=True)
class Summary:
    """The change of one run under one measure."""

    run: str
    measure: str
    old: float | None  # the means
    new: float | None
    better: int  # topics
    worse: int
    same: int
    undefined: int  # a value became undefined, or the other way round
    added: int
    removed: int


@dataclass(frozen=True, repr=False)
class Difference(Written):
    """The result of :func:`diff`. True if anything differs.

    Attributes
    ----------
    changes
        Every value that changed: ``run``, ``measure``, ``topic``, ``old``, ``new``.
    summaries
        For each run and measure the means, and how many topics are better or worse.
    tolerance
        Values that differ by at most this are the same.
    compared
        How many values both sides have.
    notes
        Notes about the numbers.

    Examples
    --------
    >>> import berrypick as bp
    >>> results = bp.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "RR")
    >>> found = bp.diff(results, results)
    >>> isinstance(found, bp.Difference), bool(found)
    (True, False)
    """

    _kinds: ClassVar[Mapping[str, Kind]] = {
        **dict.fromkeys(("run", "topic", "measure", "status", "signature", "old_signature"), "text"),
        **dict.fromkeys(("old", "new", "change"), "number"),
    }

    #: The columns of tables for people and for other programs; records have the signatures too.
    shown: ClassVar[tuple[str, ...]] = ("run", "topic", "measure", "status", "old", "new", "change")

    changes: tuple[Change, ...]
    summaries: tuple[Summary, ...]
    tolerance: float
    compared: int
    notes: tuple[Note, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.changes)

    @property
    def topics(self) -> tuple[Change, ...]:
        """The changes of single topics, without those of means."""
        return tuple(change for change in self.changes if not change.mean)

    @cached_property
    def reason(self) -> str:
        """One line that says what differs; empty if nothing does."""
        counts = {
            status: sum(one.status == status for one in self.changes) for status in ("changed", "added", "removed")
        }
        words = [f"{count} {status}" for status, count in counts.items() if count]
        return f"{len(self.changes)} values differ: {', '.join(words)}" if words else ""

    def table(self, output: str = "table", places: int | None = None) -> str:
        """Return a text: 'table', 'markdown', 'latex', 'csv', 'tsv', 'json' or 'jsonl'."""
        from berrypick.analysis.comparison.difference_text import render_difference

        return render_difference(self, output, places)

    def __str__(self) -> str:
        """The tables, with the notes."""
        from berrypick.tables.text import notes_text

        return self.table().rstrip("\n") + notes_text(self.notes)

    def records(self) -> list[dict[str, Any]]:
        return [change.as_dict() for change in self.changes]

    def _columns(self) -> dict[str, list[Any]]:
        records = self.records()
        return {name: [record[name] for record in records] for name in _EMPTY.as_dict()}

    def _repr_html_(self) -> str | None:
        from berrypick.report.notebook.as_html import as_html

        return as_html(self)


_EMPTY = Change("", "", "", False, "changed", None, None, "", "")


def diff(
    old: Results | str | PathLike[str],
    new: Results | str | PathLike[str],
    *,
    tolerance: float = TOLERANCE,
    force: bool = False,
    different_truth: bool = False,
    common_topics: bool = False,
    rename: Mapping[str, str] | Sequence[str] | None = None,
) -> Difference:
    """Show what changed between two evaluations, topic by topic.

    Parameters
    ----------
    old : Results or file
        Results, or a file written by ``berrypick evaluate -q -o json`` or ``results.save``.
    new : Results or file
        The same, later.
    tolerance : float
        Values that differ by at most this are the same.
    force : bool
        Compare numbers although their signatures differ, which is an error otherwise.
    different_truth : bool
        Compare numbers of two truths, which is an error otherwise.
    common_topics : bool
        Compare only the topics that both truths judge identically.
    rename : mapping or list of str, optional
        Names of runs in ``old`` to their names in ``new``; or texts ``old=new``.

    Returns
    -------
    Difference
        The changes; it is true if anything differs.

    Examples
    --------
    >>> import berrypick as bp
    >>> truth = {"q": {"a": 1}}
    >>> before = bp.evaluate(truth, {"q": {"b": 2.0, "a": 1.0}}, "RR")
    >>> found = bp.diff(before, bp.evaluate(truth, {"q": {"a": 1.0}}, "RR"))
    >>> bool(found), [(change.topic, change.old, change.new) for change in found.topics]
    (True, [('q', 0.5, 1.0)])
    """
    if not (isinstance(tolerance, Real) and tolerance >= 0):
        raise UsageError(f"tolerance must be 0 or more, not {tolerance!r:.60}")
    first, second = (one if isinstance(one, Results) else read_results(one) for one in (old, new))
    (first, second), told = with_one_truth((first, second), different_truth, common_topics)
    names = rename if isinstance(rename, Mapping) else parse_renames(rename or (), first.runs, second.runs)
    before, after = _values(first, _where(old), names), _values(second, _where(new), {})
    info = {**first.measure_info, **second.measure_info}
    common = [key for key in before if key in after]
    notes = [*told, *_check_signatures(before, after, common, force)]
    for measure in dict.fromkeys(measure for _, measure, _ in (*before, *after) if measure not in info):
        text = "not a measure known here; better and worse are counted as if larger values were better"
        notes.append(Note("unknown direction", text, measure=measure))
        info[measure] = MeasureInfo(measure)
    if all(topic is None for _, _, topic in (*before, *after)):
        text = "both have means only; write results with a row per topic to see which topics changed"
        notes.append(Note("means only", text))
    if first.group_rows or second.group_rows:
        notes.append(Note("groups", "means of groups are not compared; they follow from the topics"))
    keys = _ordered(before, after)
    changes = [change for key in keys if (change := _change(key, before.get(key), after.get(key), tolerance))]
    return Difference(
        tuple(changes), tuple(_summaries(keys, before, after, tolerance, info)), tolerance, len(common), tuple(notes)
    )


def _where(given: Results | str | PathLike[str]) -> str:
    return "the results" if isinstance(given, Results) else file_name(given)


def _values(results: Results, where: str, rename: Mapping[str, str]) -> dict[Key, Row]:
    names = {row.run for row in results}
    for name in rename:
        if name not in names:
            raise UsageError(f"{where}: no run {name} to rename; available: {', '.join(sorted(names))}")
    found: dict[Key, Row] = {}
    for row in results.topic_rows:
        key = (rename.get(row.run, row.run), row.measure, row.topic)
        if key in found:
            raise InputError(f"{row.measure} of topic {row.topic} of run {key[0]} occurs twice", path=where)
        found[key] = row
    return found | {(rename.get(row.run, row.run), row.measure, None): row for row in results.mean_rows}


def _check_signatures(
    before: Mapping[Key, Row], after: Mapping[Key, Row], common: Sequence[Key], force: bool
) -> list[Note]:
    """An error if signatures differ; notes instead with ``force``."""
    found: Counter[str] = Counter()
    stated: Counter[str] = Counter()
    for key in common:
        old, new = before[key].signature, after[key].signature
        if old == new:
            continue
        differing, some = unlike([old, new])
        stated.update(map(_part, some))
        if differing:
            gone, come = ({_part(part) for part in differing & _parts(one)} for one in (old, new))
            text = (
                f"{key[1]}: {', '.join(sorted(gone)) or 'nothing'} before, {', '.join(sorted(come)) or 'nothing'} now"
            )
            found[text] += 1
    notes = [
        Note("signatures differ", f"only one side has {part} ({count} values): not counted as a difference")
        for part, count in sorted(stated.items())
    ]
    if not found:
        return notes
    texts = [f"{text} ({count} values)" for text, count in found.items()]
    if not force:
        raise UsageError(
            "the signatures differ, so the numbers cannot be compared:",
            *texts,
            f"{option('force', True)} compares them nevertheless",
        )
    return [*notes, *(Note("signatures differ", f"signatures differ: {text}") for text in texts)]


def _parts(signature: Signature) -> set[tuple[str, str]]:
    return {("", signature.measure), *signature.fields}


def _part(part: tuple[str, str]) -> str:
    return f"{part[0]}:{part[1]}" if part[0] else part[1]


def _ordered(before: Mapping[Key, Row], after: Mapping[Key, Row]) -> list[Key]:
    """Every key: by run, by measure, topics before the mean, each in the order of first appearance."""
    keys = dict.fromkeys((*before, *after))
    places: list[dict[str | None, int]] = [{}, {}, {}]
    for key in keys:
        for place, name in zip(places, key, strict=True):
            place.setdefault(name, len(place))
    return sorted(keys, key=lambda key: (places[0][key[0]], places[1][key[1]], key[2] is None, places[2][key[2]]))


def _change(key: Key, old: Row | None, new: Row | None, tolerance: float) -> Change | None:
    run, measure, topic = key
    name = ALL if topic is None else topic
    before, after = (None if row is None else row.value for row in (old, new))
    signatures = ["" if row is None else str(row.signature) for row in (new, old)]
    status: Status = "added" if old is None else "removed" if new is None else "changed"
    if status == "changed" and _same(before, after, tolerance):
        return None
    return Change(run, measure, name, topic is None, status, before, after, *signatures)


def _same(old: float | None, new: float | None, tolerance: float) -> bool:
    if old is None or new is None:
        return old is new
    return abs(new - old) <= tolerance


def _summaries(
    keys: Sequence[Key],
    before: Mapping[Key, Row],
    after: Mapping[Key, Row],
    tolerance: float,
    info: Mapping[str, MeasureInfo],
) -> list[Summary]:
    groups: dict[tuple[str, str], list[Key]] = {}
    for key in keys:
        groups.setdefault(key[:2], []).append(key)
    found = []
    for (run, measure), group in groups.items():
        own = [key for key in group if key[2] is not None]
        both = [(before[key].value, after[key].value) for key in own if key in before and key in after]
        moved = [(old, new) for old, new in both if not _same(old, new, tolerance)]
        steps = [new - old for old, new in moved if old is not None and new is not None]
        up, down = sum(step > 0 for step in steps), sum(step < 0 for step in steps)
        better, worse = (up, down) if info[measure].higher_is_better else (down, up)
        means = [row.value if (row := side.get((run, measure, None))) else None for side in (before, after)]
        found.append(
            Summary(
                run=run,
                measure=measure,
                old=means[0],
                new=means[1],
                better=better,
                worse=worse,
                same=len(both) - len(moved),
                undefined=len(moved) - len(steps),
                added=sum(key not in before for key in own),
                removed=sum(key not in after for key in own),
            )
        )
    return found


def parse_renames(texts: Sequence[str], before: Collection[str] = (), after: Collection[str] = ()) -> dict[str, str]:
    """``old=new`` items to a mapping. Names may have '=' in them, as those of a sweep do: which ones there are decides
    where the old one ends."""
    found = {}
    for item in texts:
        parts = item.split("=")
        splits = [("=".join(parts[:i]), "=".join(parts[i:])) for i in range(1, len(parts))]
        splits = [(old, new) for old, new in splits if old and new]
        if not splits:
            raise UsageError(f"{option('rename')} takes the old and the new name of a run, as in 'v1=v2', not {item!r}")
        both = [pair for pair in splits if pair[0] in before and pair[1] in after]
        fitting = both or [pair for pair in splits if pair[0] in before] or splits
        if len(both) > 1:
            shown = " or ".join(f"{old!r} to {new!r}" for old, new in both)
            raise UsageError(f"{option('rename', item)} could mean {shown}; rename the runs in one of the files")
        found[fitting[0][0]] = fitting[0][1]
    return found
