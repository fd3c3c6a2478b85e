"""Comparisons as text: tables, Markdown, LaTeX, CSV, TSV, JSON.

Two layouts of a comparison: ``details`` has a table for each measure, with a row for each run; ``runs`` is one table
with a row for each run and a column for each measure, as papers print it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from textwrap import fill

from berrypick.analysis.comparison.comparison import Comparison, Estimate
from berrypick.data.costs import cost_cells, cost_columns, summary
from berrypick.data.errors import one_line
from berrypick.data.score import Table
from berrypick.evaluation.model_truth import ASSISTED
from berrypick.statistics.intervals import COX, STUDENTISED, TANGO, WILSON
from berrypick.tables import tables

OUTPUTS = ("table", "markdown", "latex", "csv", "tsv", "json", "jsonl")
LAYOUTS = ("details", "runs")

_RAISED = str.maketrans("abcdefghijklmnoprstuvwxyz", "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ")
CORRECTION_NAMES = {"holm": "Holm", "bh": "Benjamini-Hochberg", "none": "none"}
_OTHER_INTERVALS = {
    WILSON: "Wilson's for hits (all values 0 or 1)",
    TANGO: "Tango's for differences of hits",
    COX: "Cox's for costs",
    STUDENTISED: "studentised bootstrap for costs with zeros or far from log-normal",
}
_INTERVAL = {"expanded": "expanded percentile", "percentile": "percentile", "bca": "BCa"}


def render(
    comparison: Comparison,
    output: str = "table",
    places: int | None = None,
    layout: str | None = None,
    paint: tables.Paint = tables.plain,
) -> str:
    """A comparison in one of OUTPUTS, with a final newline."""
    tables.check_choice("output", output, OUTPUTS)
    chosen = layout or ("runs" if output == "latex" else "details")
    tables.check_choice("layout", chosen, LAYOUTS)
    if output in ("json", "jsonl"):
        return tables.json_text(comparison.records(), output)
    if output in ("csv", "tsv"):
        rows = comparison.rows()
        return tables.separated(rows, list(rows[0]), output, places)
    kind, digits, details = _RENDERERS[output], 4 if places is None else places, chosen == "details"
    parts = [kind(one, digits, paint, title).tables(details) for title, one in _titled(comparison)]
    return "\n".join(parts) + kind(comparison, digits, paint).legend(details)


def _titled(comparison: Comparison) -> list[tuple[str, Comparison]]:
    """The comparison over all topics, and those over groups with what they are over."""
    return [("", comparison), *((f"{comparison.by} {name}", one) for name, one in comparison.groups.items())]


def is_best(comparison: Comparison, one: Estimate) -> bool:
    """Whether no run has a better mean under the measure, where several have one."""
    values = [comparison.estimate(one.measure, run).value for run in comparison.runs]
    known = [value for value in values if value is not None]
    return len(known) > 1 and one.value == (max(known) if one.higher_is_better else min(known))


def best_cells(comparison: Comparison, measures: Sequence[str], first: int) -> list[tuple[int, int]]:
    """(row, column) of the best means in a table of runs x measures, whose first measure is in this column."""
    return [
        (row, column)
        for row, run in enumerate(comparison.runs)
        for column, measure in enumerate(measures, start=first)
        if is_best(comparison, comparison.estimate(measure, run))
    ]


def legend(comparison: Comparison) -> list[str]:
    """What the intervals, the test and the letters are, a sentence each."""
    return _Renderer(comparison, 4).legend_lines(details=True)


def difference_table(comparison: Comparison) -> Table | None:
    """Every run against the baseline: the difference, its interval, p and effect size; None without a baseline."""
    return None if comparison.baseline is None else _Renderer(comparison, 4).differences()


def assisted_table(comparison: Comparison) -> Table:
    """What model-assisted means are made of."""
    return _Renderer(comparison, 4).assisted()


class _Renderer:
    """A comparison as plain text; subclasses differ in markup."""

    def __init__(self, comparison: Comparison, places: int, paint: tables.Paint = tables.plain, over: str = "") -> None:
        self.comparison, self.places, self.paint, self.over = comparison, places, paint, over
        self.percent = f"{100 * comparison.method.confidence:.4g}%"
        self.shorter = tables.elided(comparison.runs) if type(self) is _Renderer else {}

    def table(self, table: Table, strong: tables.Cells = ()) -> str:
        return self.paint(table, strong)

    def mean(self, one: Estimate, width: int) -> str:
        return tables.shown(one.value, self.places).rjust(width) + _raised(one)

    def legend(self, details: bool) -> str:
        columns = getattr(self.paint, "columns", None)  # of a terminal; in a pipe a sentence is a line
        lines = self.legend_lines(details)
        return "\n" + "".join(f"{fill(line, columns) if columns else line}\n" for line in lines)

    def mean_columns(self, table: Table) -> list[int]:
        """Columns that hold means, with mark-up of their own."""
        return [i for i, name in enumerate(table.header) if name == "mean" or name in self.comparison.measures]

    def tables(self, details: bool) -> str:
        """A table for each measure, or one with a row for each run."""
        if not details:
            return self._runs()
        shown = [
            self.table(self._detailed(one), best_cells(self.comparison, [one], 3)) for one in self.comparison.measures
        ]
        if self.comparison.model is not None:
            shown.append(self.table(self.assisted()))
        if (costs := self._costs()) is not None:
            shown.append(self.table(costs))
        return "\n".join(shown)

    def _costs(self) -> Table | None:
        """Latency, cost and tokens of each run, beside the measures; None where no run states any."""
        known = {run: summary(facts.costs) for run, facts in self.comparison.run_facts.items()}
        columns = cost_columns(known.values())
        if not columns:
            return None
        head = ["", "run", "topics", *(" ".join(column) for column in columns)]
        rows = []
        for run in self.comparison.runs:
            label = self.comparison.estimate(self.comparison.measures[0], run).label
            topics = max((int(one["n"]) for one in known.get(run, {}).values()), default=0)
            cells = cost_cells(known.get(run, {}), columns)
            rows.append([label, self.shorter.get(run, run), str(topics), *cells])
        return Table("Costs, part of no measure", head, rows, "<<" + ">" * (len(head) - 2))

    def assisted(self) -> Table:
        """What model-assisted means are made of, and how the model's values differ from those by people."""
        rows = []
        for one in self.comparison.estimates:
            made, bias = one.assisted, one.bias
            assert made is not None and bias is not None
            rows.append([
                one.measure, self.shorter.get(one.run, one.run), tables.shown(made.people, self.places),
                tables.shown(made.model, self.places), "-" if made.worth is None else f"{made.worth:.0f}",
                "-" if bias.bias is None else f"{bias.bias:+.{self.places}f}",
                self._bounds(bias.bias_low, bias.bias_high, "+"),
                "-" if bias.correlation is None else f"{bias.correlation:.2f}",
            ])  # fmt: skip
        names = ["measure", "run", "people", "model", "worth", "model - people", f"{self.percent} interval",
                 "correlation"]  # fmt: skip
        return Table("What the model-assisted means are made of", names, rows, "<<>>>><>")

    def _runs(self) -> str:
        comparison = self.comparison
        widths = {measure: self._width(measure) for measure in comparison.measures}
        rows = []
        for run in comparison.runs:
            cells = [comparison.estimate(measure, run) for measure in comparison.measures]
            means = [self.mean(one, widths[one.measure]) + f" {self._interval(one)}" for one in cells]
            rows.append([cells[0].label, self.shorter.get(run, run), *(mean.rstrip() for mean in means)])
        head = ["", "run", *comparison.measures]
        if (costs := self._costs()) is not None:
            head += costs.header[3:]
            rows = [[*row, *own[3:]] for row, own in zip(rows, costs.rows, strict=True)]
        align = "<" * (2 + len(comparison.measures)) + ">" * (len(head) - 2 - len(comparison.measures))
        table = Table(self.over, head, rows, align)
        return self.table(table, best_cells(comparison, comparison.measures, 2))

    def _detailed(self, measure: str) -> Table:
        comparison = self.comparison
        width = self._width(measure)
        direction = "larger" if comparison.estimate(measure, comparison.runs[0]).higher_is_better else "smaller"
        header, align = ["", "run", "topics", "mean", f"{self.percent} interval"], "<<><<"
        if comparison.baseline is not None:
            header += self._difference_columns()
            align += "><" + ">" * (len(header) - 7)
        rows = []
        for run in comparison.runs:
            one = comparison.estimate(measure, run)
            cells = [one.label, self.shorter.get(run, run), str(one.topics), self.mean(one, width), self._interval(one)]
            rows.append(cells + self._against_baseline(measure, run, len(header) - 5))
        if self._read(measure):
            for row, run in zip(rows, comparison.runs, strict=True):
                row += self._readers(measure, run)
            header += ["mean, readers", "difference, readers"][: len(rows[0]) - len(header)]
            align += "<" * (len(header) - len(align))
        over = f" ({self.over})" if self.over else ""
        return Table(f"{measure}, {direction} is better{over}", header, rows, align)

    def _read(self, measure: str) -> bool:
        """Whether a fitted user model leaves values of the measure open."""
        found = [self.comparison.estimate(measure, run).reader for run in self.comparison.runs]
        return any(ends is not None and ends[0] is not None for ends in found)

    def _readers(self, measure: str, run: str) -> list[str]:
        """Intervals over readers: of the mean, and of the difference from the baseline."""
        found = [self._bounds(*(self.comparison.estimate(measure, run).reader or (None, None)))]
        if self.comparison.baseline is not None:
            pair = self.comparison.against_baseline(measure, run)
            found.append("" if pair is None else self._bounds(*(pair.reader or (None, None)), "+"))
        return found

    def _difference_columns(self) -> list[str]:
        correction = self.comparison.method.correction
        corrected = [] if correction == "none" else [f"p ({CORRECTION_NAMES[correction]})"]
        return ["difference", f"{self.percent} interval", "p", *corrected, "d", "won/tied/lost"]

    def differences(self) -> Table:
        comparison, columns = self.comparison, self._difference_columns()
        rows = [
            [measure, self.shorter.get(run, run), *self._against_baseline(measure, run, len(columns))]
            for measure in comparison.measures
            for run in comparison.runs
            if run != comparison.baseline
        ]
        title = f"Differences from {comparison.baseline}"
        return Table(title, ["measure", "run", *columns], rows, "<<><" + ">" * (len(columns) - 2))

    def _against_baseline(self, measure: str, run: str, columns: int) -> list[str]:
        if not columns:
            return []
        if run == self.comparison.baseline:
            return ["baseline", *[""] * (columns - 1)]
        pair = self.comparison.against_baseline(measure, run)
        assert pair is not None
        tests = [pair.p] if self.comparison.method.correction == "none" else [pair.p, pair.p_adjusted]
        return [
            "" if pair.difference is None else f"{pair.difference:+.{self.places}f}",
            self._bounds(pair.low, pair.high, "+"),
            *(_probability(p, pair.level is not None) for p in tests),
            tables.UNDEFINED if pair.effect is None else f"{pair.effect:+.2f}",
            f"{pair.wins}/{pair.ties}/{pair.losses}",
        ]

    def _interval(self, one: Estimate) -> str:
        return self._bounds(one.low, one.high)

    def _bounds(self, low: float | None, high: float | None, sign: str = "") -> str:
        if low is None or high is None:
            return ""
        return f"[{low:{sign}.{self.places}f}, {high:{sign}.{self.places}f}]"

    def _width(self, measure: str) -> int:
        values = [self.comparison.estimate(measure, run).value for run in self.comparison.runs]
        return max(len(tables.shown(value, self.places)) for value in values)

    def legend_lines(self, details: bool) -> list[str]:
        """What the table shows: intervals, test, letters."""
        return [one_line(line) for line in self._legend(details)]

    def _legend(self, details: bool) -> list[str]:
        comparison, method = self.comparison, self.comparison.method
        lines = [*self._assisted_lines(), self._intervals()]
        if self.shorter and (note := tables.elided_note(comparison.runs)):
            lines.append(f"{note[0].upper()}{note[1:]}.")
        if details and any(map(self._read, comparison.measures)):
            lines.append(f"readers: {self.percent} intervals over readers drawn from the fitted user model.")
        if comparison.baseline is None:
            return lines
        test = "paired randomisation test" if method.test == "randomisation" else "paired t-test"
        test = "model-assisted t-test" if method.assisted else test
        count = len(comparison.pairs) // (1 if method.family == "all" else len(comparison.measures))
        within = "all measures" if method.family == "all" else "a measure"
        if method.family == "all" and comparison.groups:
            count, within = count + sum(len(one.pairs) for one in comparison.groups.values()), "all measures and groups"
        corrected = (
            "not corrected for the number of comparisons"
            if method.correction == "none"
            else f"{CORRECTION_NAMES[method.correction]} correction over {_comparisons(count)} of {within}"
        )
        clusters = " of whole clusters" if method.cluster else ""
        drawn = f", {method.sign_changes} sign changes" if method.sign_changes is not None else ""
        groups = ", each group by itself" if comparison.groups and method.family != "all" else ""
        lines.append(
            f"p: two-sided {test}{clusters}{drawn}, {corrected}{groups}." + (" d: paired Cohen's d." if details else "")
        )
        lines.append(
            f"A raised letter: significantly better (p at most {self._level()}) than the run with that letter."
        )
        return lines

    def _assisted_lines(self) -> list[str]:
        model = self.comparison.model
        if model is None:
            return []
        made = next(one.assisted for one in self.comparison.estimates if one.assisted is not None)
        return [
            f"Means and differences are model-assisted: people judged {made.topics + made.undefined} topics, "
            f"{model.source} judged {made.model_topics}. This rests on a random sample of topics.",
            "people: mean by people. model: mean by the model. worth: topics judged by people alone that would give an "
            "interval as narrow.",
            "The model's weight is estimated for each difference, so a difference is not exactly that of the means; d "
            "and won/tied/lost are by people.",
        ]

    def _level(self) -> str:
        """The level of significance; with a ledger that of the look, but for runs that are worse than the baseline."""
        alpha = f"{self.comparison.method.alpha:g}"
        return f"{alpha} for the baseline, for other runs the level of their look" if self.comparison.looks else alpha

    def _intervals(self) -> str:
        """How intervals are computed; the bootstrap is named where there is one, or nothing else."""
        method = self.comparison.method
        tables = (self.comparison, *self.comparison.groups.values())
        used = {one.interval for table in tables for one in table.estimates}
        used |= {one.interval for table in tables for one in table.pairs}
        said = [text for kind, text in _OTHER_INTERVALS.items() if kind in used]
        if self.comparison.model is not None:
            said.insert(0, "Student's, model-assisted" if ASSISTED in used else "none, because all values are equal")
        if used & {method.interval, STUDENTISED} or not said:
            drawn = f"{method.resamples} resamples, seed {method.seed}"
            said.insert(0, f"{_INTERVAL[method.interval]} bootstrap over {self._units()}, {drawn}")
        elif self.comparison.clusters is not None:
            said[-1] += f", over {self._units()}"
        return f"Intervals: {'; '.join(said)}."

    def _units(self) -> str:
        """What is resampled."""
        clusters = self.comparison.clusters
        return "topics" if clusters is None else f"{clusters} clusters of topics ({self.comparison.method.cluster})"


def _comparisons(count: int) -> str:
    return "the one comparison" if count == 1 else f"the {count} comparisons"


class _MarkdownRenderer(_Renderer):
    def table(self, table: Table, strong: tables.Cells = ()) -> str:
        return tables.markdown(table, self.mean_columns(table))

    def mean(self, one: Estimate, width: int) -> str:
        return tables.shown(one.value, self.places) + (f"<sup>{one.letters}</sup>" if one.beats else "")

    def legend(self, details: bool) -> str:
        return "\n" + "<br>\n".join(self.legend_lines(details)) + "\n"


class _LatexRenderer(_Renderer):
    """LaTeX: the best mean of a column in bold."""

    def table(self, table: Table, strong: tables.Cells = ()) -> str:
        return tables.latex(table, self.mean_columns(table))

    def mean(self, one: Estimate, width: int) -> str:
        number = tables.shown(one.value, self.places)
        best = is_best(self.comparison, one)
        return (f"\\textbf{{{number}}}" if best else number) + (f"$^{{{one.letters}}}$" if one.beats else "")

    def legend(self, details: bool) -> str:
        return "".join(f"% {line}\n" for line in self.legend_lines(details))


_RENDERERS = {"table": _Renderer, "markdown": _MarkdownRenderer, "latex": _LatexRenderer}


def _raised(one: Estimate) -> str:
    """Raised letters where the terminal has them; q has none."""
    raised = one.letters.translate(_RAISED)
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    plain = not one.beats or "," in raised or "q" in raised or not tables.can_encode(raised, encoding)
    return (f" ^{one.letters}" if one.beats else "") if plain else raised


def _probability(p: float | None, with_level: bool) -> str:
    """A p-value; where it is compared with the level of a look, small ones are readable."""
    if p is None:
        return tables.UNDEFINED
    return (f"{p:.1e}" if with_level else "<0.0001") if p < 0.00005 else f"{p:.4f}"
