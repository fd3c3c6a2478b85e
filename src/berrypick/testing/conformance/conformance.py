"""Run the conformance vectors against berrypick and other tools."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from berrypick.data.errors import UsageError, nearest, shorten
from berrypick.data.results import Note
from berrypick.data.score import Table
from berrypick.data.words import counted
from berrypick.tables.tabular import Tabular
from berrypick.testing.conformance.tools import TOOLS, NotOfferedError, Tool
from berrypick.testing.conformance.vectors import Case, cases, same

#: Values by case and measure, as another program computed them.
Values = Mapping[str, Mapping[str, float | None]]


@dataclass(frozen=True)
class ConformanceRow:
    """What a tool computes for one measure of one case."""

    tool: str
    version: str
    case: str
    measure: str
    expected: float | None
    value: float | None
    agrees: bool
    #: The named convention that gives the value; '' if there is none.
    convention: str = ""
    #: What the tool reported instead of a value.
    error: str = ""


@dataclass(frozen=True, eq=False)
class Conformance(Tabular):
    """What tools compute for the conformance vectors.

    Attributes
    ----------
    comparisons
        Rows with tool, version, case, measure, expected, value, agrees, convention and error.
    not_offered
        For each tool, the number of values that it has no measure or no input for.
    notes
        Tools that are not installed.

    Examples
    --------
    >>> import berrypick as bp
    >>> found = bp.conformance("berrypick")
    >>> isinstance(found, bp.Conformance), found.disagreements("berrypick")
    (True, [])
    """

    comparisons: tuple[ConformanceRow, ...]
    not_offered: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()

    def disagreements(self, tool: str | None = None) -> list[ConformanceRow]:
        """Return the rows whose value is not the expected one, of all tools or of one."""
        return [row for row in self.comparisons if not row.agrees and tool in (None, row.tool)]

    def __repr__(self) -> str:
        agree = sum(row.agrees for row in self.comparisons)
        return f"Conformance({agree} of {len(self.comparisons)} values as expected, {', '.join(self.not_offered)})"

    def records(self) -> list[dict[str, Any]]:
        return [asdict(row) for row in self.comparisons]

    def tables(self, places: int = 4) -> list[Table]:
        return [self._summary(), *([self._differences()] if self.disagreements() else [])]

    def _summary(self) -> Table:
        head = ["tool", "version", "values", "as expected", "other convention", "other value", "error", "not offered"]
        rows = []
        for tool, missing in self.not_offered.items():
            own = [row for row in self.comparisons if row.tool == tool]
            other = [row for row in own if not row.agrees and not row.error]
            named = sum(bool(row.convention) for row in other)
            errors = sum(bool(row.error) for row in own)
            counts = (len(own), sum(row.agrees for row in own), named, len(other) - named, errors, missing)
            rows.append([tool, own[0].version if own else "", *map(str, counts)])
        return Table("", head, rows, align="<<>>>>>>")

    def _differences(self) -> Table:
        grouped: dict[tuple[str, str, str], list[str]] = {}
        for row in self.disagreements():
            why = f"error: {shorten(row.error, 70)}" if row.error else row.convention or "no named convention"
            grouped.setdefault((row.tool, row.case, why), []).append(row.measure)
        rows = [[tool, case, " ".join(measures), why] for (tool, case, why), measures in grouped.items()]
        return Table("Other values", ["tool", "case", "measures", "convention"], rows, align="<<<<")

    def legend(self) -> list[str]:
        return [
            f"{counted(len(cases()), 'case')}, {counted(sum(len(case.expected) for case in cases()), 'value')}. "
            "Another convention is not an error; each vector names its source."
        ]


def conformance(
    tools: str | Iterable[str] | None = None,
    values: Mapping[str, Values | Callable[[str, Any, Any], float | None]] | None = None,
) -> Conformance:
    """Run the conformance vectors: small cases whose values follow from a rule with a published source.

    Parameters
    ----------
    tools : str or list, optional
        berrypick, ir_measures, pytrec_eval, ranx, haystack, llama_index; default: berrypick and all that are installed,
        or none where ``values`` are given.
    values : dict, optional
        Programs of your own by name: a dictionary ``{case: {measure: value}}``, or a function of measure, truth and run
        that returns a number, or None where the measure is undefined.

    Returns
    -------
    Conformance
        What each tool computes, and whether it is the expected value or that of another named convention.

    Examples
    --------
    >>> import berrypick as bp
    >>> bp.conformance("berrypick").disagreements()
    []
    >>> mine = {"short-list": {"P@5": 1.0}}
    >>> row = bp.conformance(values={"mine": mine}).comparisons[0]
    >>> row.expected, row.value, row.agrees, row.convention
    (0.2, 1.0, False, 'of-retrieved')
    """
    names = [tools] if isinstance(tools, str) else list(TOOLS if tools is None and not values else tools or ())
    for name in names:
        if name not in TOOLS:
            raise UsageError(f"unknown tool {name!r}{nearest(name, list(TOOLS))}; known: {', '.join(TOOLS)}")
    missing = [TOOLS[name] for name in names if not TOOLS[name].installed]
    if missing and tools is not None:
        raise UsageError(f"{missing[0].name} is not installed: pip install {missing[0].package}")
    computed: list[_Compared] = [_of_tool(TOOLS[name]) for name in names if TOOLS[name] not in missing]
    computed += [_of_program(name, given) for name, given in (values or {}).items()]
    notes = [Note("tool", f"{tool.name} is not installed, skipped: pip install {tool.package}") for tool in missing]
    return Conformance(
        tuple(row for rows, _ in computed for row in rows),
        dict(missing for _, missing in computed),
        tuple(notes),
    )


#: Rows of a tool, and its name with the number of values that it does not offer.
_Compared = tuple[list[ConformanceRow], tuple[str, int]]


def _of_tool(tool: Tool) -> _Compared:
    return _compared(tool.name, tool.version, tool.value)


def _of_program(name: str, given: Values | Callable[[str, Any, Any], float | None]) -> _Compared:
    if callable(given):
        return _compared(name, "", lambda case, measure: given(measure, case.truth, case.run))
    known = {case.id: case for case in cases()}
    for case, values in given.items():
        if case not in known:
            raise UsageError(f"{name}: unknown case {case!r}{nearest(case, list(known))}")
        for measure in values:
            if measure not in known[case].expected:
                offered = list(known[case].expected)
                raise UsageError(f"{name}: {case} has no measure {measure!r}{nearest(measure, offered)}")

    def look_up(case: Case, measure: str) -> float | None:
        if measure not in given.get(case.id, {}):
            raise NotOfferedError
        return given[case.id][measure]

    return _compared(name, "", look_up)


def _compared(name: str, version: str, compute: Callable[[Case, str], float | None]) -> _Compared:
    rows, missing = [], 0
    for case in cases():
        for measure, expected in case.expected.items():
            value, error = None, ""
            try:
                found = compute(case, measure)
                value = None if found is None or found != found else float(found)
            except (NotOfferedError, NotImplementedError):
                missing += 1
                continue
            except Exception as raised:  # whatever a library raises is its answer
                error = " ".join(f"{type(raised).__name__}: {raised}".split())
            agrees = not error and same(value, expected)
            convention = "" if error else case.convention(measure, value)
            rows.append(
                ConformanceRow(
                    name, version, case.id, measure, expected, value, agrees, convention, shorten(error, 200)
                )
            )
    return rows, (name, missing)
