"""Looks at a truth, and what each of them costs.

Whoever edits a system a hundred times and keeps what scores better fits it to the topics. A *look* is one run under one
measure of one truth, computed in one way. A run with the same value on every topic is the same look again, and the
baseline is not a look. Look k may claim "better" at the level alpha / (k (k + 1)): over all looks that adds up to
alpha, however many there will be. "Worse" stays at alpha, so the gate reports regressions as before.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

import numpy as np

from berrypick.analysis.comparison.comparison import Comparison, Estimate, Pair, letters_of
from berrypick.analysis.ledger.ledger_file import Ledger, LedgerLine, counted_signature, open_ledger
from berrypick.data.arrays import FloatArray
from berrypick.data.errors import UsageError, option
from berrypick.data.results import Note
from berrypick.data.signature import Signature, unlike
from berrypick.data.sums import TOPICS_SUM, TRUTH_SUM, sum_of_names, sum_of_values
from berrypick.data.words import counted
from berrypick.statistics import statistics
from berrypick.statistics.sign_changes import randomisation_bounds
from berrypick.statistics.topic_values import TIE

if TYPE_CHECKING:
    from berrypick.data.results import Results

#: The kinds of the notes that say which look it is, and that a baseline was raised without a claim of "better".
LOOK, RAISED = "look", "raised baseline"
#: Units for the sums of differences: more of them where the p-value is not decided, while they and topics stay below.
_CELLS = tuple(1 << power for power in (14, 16, 18, 20, 22))
_WORK = 1 << 33


def level_of(look: int, alpha: float) -> float:
    """Return the level at which look k may claim "better"; over all looks they add up to alpha.

    >>> round(level_of(12, 0.05), 6)
    0.000321
    """
    return alpha / (look * (look + 1))


@dataclass(frozen=True)
class Look:
    """Which look a run is under a measure, and the level for "better"; ``again`` where the ledger has it already."""

    number: int
    level: float
    topics: int
    again: bool = False
    #: The smallest p-value that the test can give.
    smallest: float = 0.0

    def __str__(self) -> str:
        again = ", seen before" if self.again else ""
        never = f", but the smallest possible is {self.smallest:.2g}" if self.smallest > self.level else ""
        topics = counted(self.topics, "topic")
        return f"look {self.number} at these {topics}{again}: better needs p < {self.level:.2g}{never}"


@dataclass
class LookCounts:
    """Distinct runs by truth and signature, in the order of the ledger."""

    #: Of each way to compute a value: truth, signature, and by the checksum of a run its first line.
    ways: list[tuple[str, Signature, dict[str, LedgerLine | None]]] = field(default_factory=list)
    _of: dict[tuple[str, str], int] = field(default_factory=dict)

    @classmethod
    def of(cls, lines: Sequence[LedgerLine]) -> LookCounts:
        """Count the looks of a ledger."""
        made = cls()
        for line in lines:
            made.runs(line["truth"], line.signature).setdefault(line["run_sum"], line)
        return made

    def way(self, truth: str, signature: Signature) -> int:
        """Return the number of a way to compute values: signatures that only some parts state are the same way."""
        key = (truth, str(signature))
        if key not in self._of:
            place = next((i for i, (other, known, _) in enumerate(self.ways)
                          if other == truth and not unlike([known, signature])[0]), len(self.ways))  # fmt: skip
            if place == len(self.ways):
                self.ways.append((truth, signature, {}))
            self._of[key] = place
        return self._of[key]

    def runs(self, truth: str, signature: Signature) -> dict[str, LedgerLine | None]:
        """Return the runs that were looked at in this way, by their checksums."""
        return self.ways[self.way(truth, signature)][2]


def own_signature(one: Estimate, comparison: Comparison) -> Signature:
    """Return the signature of a value without the method of the comparison."""
    method = {*comparison.method.fields()}
    return Signature(one.signature.measure, tuple(part for part in one.signature.fields if part not in method))


def check_ledger(
    ledger: str | os.PathLike[str] | None, head: str | None, commit: str | None, options: Mapping[str, Any]
) -> None:
    """Refuse parts of a ledger without one, and comparisons whose looks cannot be counted."""
    for name, given in (("ledger_head", head), ("commit", commit)):
        if given is not None and ledger is None:
            raise UsageError(f"{option(name)} needs {option('ledger')}")
    if ledger is None:
        return
    if options.get("over") is not None or options.get("assumptions"):
        others = f"remove {option('over')} and {option('assumptions', True)}"
        raise UsageError(f"{option('ledger')} counts looks of a comparison: {others}")
    if options.get("topics") == "run":
        chosen = f"{option('topics', 'run')} lets each run choose its topics"
        raise UsageError(f"{chosen}, so a ledger cannot count looks at them; remove it")


def record_looks(
    comparison: Comparison,
    path: str | os.PathLike[str],
    head: str | None = None,
    commit: str | None = None,
) -> Comparison:
    """Append the looks of a comparison to a ledger, and test claims of "better" at the levels of these looks.

    Parameters
    ----------
    comparison : Comparison
        Runs compared with each other and with the baseline.
    path : str or path
        The ledger.
    head : str, optional
        The checksum of a line that the ledger must have.
    commit : str, optional
        What the lines name as the state of the code.

    Returns
    -------
    Comparison
        The same with the levels; ``ledger_head`` is the checksum of the ledger's last line.
    """
    with open_ledger(path, head) as (ledger, file):
        counts = LookCounts.of(ledger.lines)
        raised = list(_raised(comparison, counts))
        looks = _looks(comparison, counts)
        tested = _tested(comparison, looks)
        fresh = [key for key, look in looks.items() if not look.again]
        rows = _rows(tested, looks, fresh, ledger, commit)
        content, ledger = ledger.following(rows)
        if content:
            file.append(content)
    said = [Note(LOOK, str(look), run=run, measure=measure) for (measure, run), look in looks.items()]
    return replace(tested, notes=(*tested.notes, *ledger.notes, *raised, *said), ledger_head=ledger.head)


def look_notes(
    comparison: Comparison, path: str | os.PathLike[str], head: str | None = None, commit: str | None = None
) -> list[Note]:
    """Append the looks of a comparison to a ledger; return what the ledger adds to its notes."""
    return [note for note in record_looks(comparison, path, head, commit).notes if note not in comparison.notes]


def record_results(
    results: Results,
    path: str | os.PathLike[str],
    commit: str | None = None,
    ledger_head: str | None = None,
) -> Comparison:
    """Append one line for each run and measure of results, as of the settings of a sweep, none of them a baseline."""
    from berrypick.analysis.comparison.compare import compare

    found = compare(results, pairs="baseline")
    return record_looks(replace(found, pairs=(), baseline=None), path, ledger_head, commit)


def looks_so_far(comparison: Comparison, path: str | os.PathLike[str]) -> dict[str, int]:
    """Return by measure how many looks a ledger has at the truth of a comparison."""
    counts, found = LookCounts.of(Ledger.read(path).lines), dict.fromkeys(comparison.measures, 0)
    for one in comparison.estimates:
        signature = own_signature(one, comparison)
        looks = len(counts.runs(signature.get(TRUTH_SUM) or "", counted_signature(signature)))
        found[one.measure] = max(found[one.measure], looks)
    return found


def _runs_seen(one: Estimate, comparison: Comparison, counts: LookCounts) -> dict[str, LedgerLine | None]:
    """The runs that were looked at as this one is."""
    signature = own_signature(one, comparison)
    truth = signature.get(TRUTH_SUM)
    if not truth:
        raise UsageError(f"{one.run}: {one.measure}: saved without {TRUTH_SUM}, so its truth is not known to the "
                         "ledger; evaluate it again")  # fmt: skip
    return counts.runs(truth, counted_signature(signature))


def _raised(comparison: Comparison, counts: LookCounts) -> Iterator[Note]:
    """Notes on a baseline that has a higher score than the one before it, but was not shown to be better."""
    for one in comparison.estimates:
        if one.run != comparison.baseline:
            continue
        seen = _runs_seen(one, comparison, counts)
        own = _sum_of(comparison, one.measure, one.run)
        line = seen.get(own)
        if line is None or line["verdict"] != "not shown":
            continue
        if (line["difference"] or 0.0) * (1 if one.higher_is_better else -1) > 0:
            text = (f"look {list(seen).index(own) + 1} did not show this baseline to be better than the one before it; "
                    "chosen for its score, it may score too high")  # fmt: skip
            yield Note(RAISED, text, run=one.run, measure=one.measure)


def _looks(comparison: Comparison, counts: LookCounts) -> dict[tuple[str, str], Look]:
    """The look that each run is, by measure and run; the baseline and a copy of it are none."""
    found = {}
    for one in comparison.estimates:
        runs = _runs_seen(one, comparison, counts)
        baseline = comparison.baseline
        own = _sum_of(comparison, one.measure, one.run)
        base = None if baseline is None else _sum_of(comparison, one.measure, baseline)
        if own == base:
            continue
        again = own in runs
        line = runs.setdefault(own, None)
        # a run seen before has the level it had, against the same baseline
        same = again and (line is None or line["baseline_sum"] == base)
        number = list(runs).index(own) + 1 if same else len(runs)
        level = level_of(number, comparison.method.alpha)
        found[one.measure, one.run] = Look(number, level, one.topics, again, _smallest(comparison, one))
    return found


def _smallest(comparison: Comparison, one: Estimate) -> float:
    """The smallest p-value that can be found of a run against the baseline, before corrections."""
    pair = comparison.against_baseline(one.measure, one.run)
    if pair is None or comparison.method.test == "t":
        return 0.0
    return float(2.0 ** (1 - pair.units))


def _sum_of(comparison: Comparison, measure: str, run: str) -> str:
    values = comparison.topic_values[run].get(measure, {})
    if comparison.model is not None:  # a run that changes on a topic of the model is another run
        values = {**values, **{f"model {topic}": value for topic, value in comparison.model.of(run, measure).items()}}
    return sum_of_values(values)


def _rows(
    comparison: Comparison,
    looks: Mapping[tuple[str, str], Look],
    fresh: Sequence[tuple[str, str]],
    ledger: Ledger,
    commit: str | None,
) -> list[dict[str, Any]]:
    """The fields of the new lines."""
    now = datetime.now(timezone.utc).isoformat(timespec="seconds")
    named = {(line["truth"], line["topics"]) for line in ledger.lines if line["topic_names"]}
    rows = []
    for measure, run in fresh:
        one, look = comparison.estimate(measure, run), looks[measure, run]
        values = comparison.topic_values[run].get(measure, {})
        signature = own_signature(one, comparison)
        row: dict[str, Any] = {
            "time": now,
            "truth": signature.get(TRUTH_SUM),
            "topics": signature.get(TOPICS_SUM) or sum_of_names(values),
            "run": run,
            "run_sum": _sum_of(comparison, measure, run),
            "measure": measure,
            "signature": str(signature),
            "value": one.value,
            "low": one.low,
            "high": one.high,
            "n": one.topics,
            "increasing": one.higher_is_better,
            "look": look.number,
            "level": look.level,
            **_against(comparison, measure, run),
            **({} if commit is None else {"commit": commit}),
        }
        if (row["truth"], row["topics"]) not in named:
            named.add((row["truth"], row["topics"]))
            row["topic_names"] = [sum_of_names([topic]) for topic in sorted(values)]
        rows.append(row)
    return rows


def _against(comparison: Comparison, measure: str, run: str) -> dict[str, Any]:
    """What a line says of the comparison with the baseline."""
    pair = comparison.against_baseline(measure, run)
    if pair is None or comparison.baseline is None:
        return {"verdict": None, "baseline": None}
    base = comparison.estimate(measure, comparison.baseline)
    verdict = "better" if pair.better else "worse" if pair.worse else "not shown"
    return {
        "verdict": verdict,
        "baseline": comparison.baseline,
        "baseline_sum": _sum_of(comparison, measure, comparison.baseline),
        "baseline_value": base.value,
        "difference": pair.difference,
        "p": pair.p_adjusted,
    }


def _tested(comparison: Comparison, looks: Mapping[tuple[str, str], Look]) -> Comparison:
    """The comparison with claims of "better" tested at the levels of looks, in all groups of topics too."""
    tables = [comparison, *comparison.groups.values()]
    if comparison.method.family == "all":
        families = [[(table, pair) for table in tables for pair in table.pairs]]
    else:
        families = [[(table, pair) for pair in table.pairs if pair.measure == measure]
                    for table in tables for measure in table.measures]  # fmt: skip
    tested: dict[tuple[int, str, str, str], Pair] = {}
    notes: list[Note] = []
    for family in families:
        for (table, pair), new in zip(family, _Family(comparison, looks, family, notes).tested(), strict=True):
            tested[id(table), pair.measure, pair.run, pair.versus] = new

    def renewed(table: Comparison) -> Comparison:
        pairs = tuple(tested[id(table), one.measure, one.run, one.versus] for one in table.pairs)
        label = {one.run: one.label for one in table.estimates}
        beats = letters_of(pairs, label)
        estimates = tuple(replace(one, beats=beats.get((one.measure, one.run), ())) for one in table.estimates)
        kept = {pair.measure for pair in pairs if pair.significant}
        said = [note for note in table.notes if note.kind != "unjudged text" or note.measure in kept]
        return replace(table, pairs=pairs, estimates=estimates, notes=tuple(said))

    groups = {name: renewed(one) for name, one in comparison.groups.items()}
    found = renewed(comparison)
    return replace(found, groups=groups, looks=dict(looks), notes=(*found.notes, *notes))


class _Family:
    """Comparisons that are corrected together, each with the level of its claim."""

    def __init__(
        self,
        comparison: Comparison,
        looks: Mapping[tuple[str, str], Look],
        family: Sequence[tuple[Comparison, Pair]],
        notes: list[Note],
    ) -> None:
        self.method, self.baseline, self.looks, self.notes = comparison.method, comparison.baseline, looks, notes
        self.tables = [table for table, _ in family]
        self.pairs = [pair for _, pair in family]
        self.levels = np.array([self._level(pair) for pair in self.pairs])

    def _level(self, pair: Pair) -> float:
        """Of a claim in the direction of the difference: "worse than the baseline" stays at alpha."""
        if pair.versus == self.baseline and not _is_ahead(pair):
            return self.method.alpha
        found = [look.level for run in (pair.run, pair.versus) if (look := self.looks.get((pair.measure, run)))]
        return min(found, default=self.method.alpha)

    def tested(self) -> list[Pair]:
        low = np.array([math.nan if one.p is None else one.p for one in self.pairs])
        high, exact = low.copy(), np.array([one.exact for one in self.pairs], dtype=bool)
        near = {place: self._units(place) for place in range(len(self.pairs)) if self._is_open(place)}
        for cells in _CELLS if near else ():
            for place, units in near.items():
                if cells * len(units) <= _WORK:
                    low[place], high[place] = randomisation_bounds(units, cells)
                    exact[place] = low[place] == high[place]
            most, least = self._corrected(high), self._corrected(low)
            near = {place: units for place, units in near.items() if least[place] <= self.levels[place] < most[place]}
            if not near:
                break
        for place in near:
            pair = self.pairs[place]
            text = f"p is between {low[place]:.3g} and {high[place]:.3g}, too close to the level to call it better"
            self.notes.append(Note("undecided", text, run=pair.run, measure=pair.measure))
        adjusted = self._corrected(high)
        return [
            replace(
                pair,
                p=None if pair.p is None else float(high[i]),
                p_adjusted=None if pair.p is None else float(adjusted[i]),
                exact=bool(exact[i]),
                level=float(self.levels[i]),
                significant=bool(pair.difference) and bool(adjusted[i] <= self.levels[i]),
            )
            for i, pair in enumerate(self.pairs)
        ]

    def _corrected(self, p: FloatArray) -> FloatArray:
        return statistics.adjusted(p, self.method.correction)

    def _is_open(self, place: int) -> bool:
        """Whether a sample of sign changes cannot decide on a claim: its level is below alpha, and p may be too."""
        pair = self.pairs[place]
        drawn = self.method.test == "randomisation" and pair.p is not None and not pair.exact
        if not drawn or self.levels[place] >= self.method.alpha:
            return False
        assert pair.p is not None
        return pair.p <= 2 * self.method.alpha  # a sample that is so wrong does not occur

    def _units(self, place: int) -> FloatArray:
        """The differences of a pair by topic, or their sums by cluster."""
        pair, table = self.pairs[place], self.tables[place]
        own, other = (table.topic_values[name].get(pair.measure, {}) for name in (pair.run, pair.versus))
        sums: dict[Any, float] = {}
        for topic, a in own.items():
            if a is not None and (b := other.get(topic)) is not None:
                unit = topic if table.cluster_of is None else table.cluster_of[topic]
                sums[unit] = sums.get(unit, 0.0) + (0.0 if abs(a - b) <= TIE else a - b)
        return np.array([*sums.values()])


def _is_ahead(pair: Pair) -> bool:
    return pair.difference is not None and (pair.difference > 0) == pair.higher_is_better and pair.difference != 0
