"""Gates for continuous integration: conditions on a comparison, and a sentence for each that is not met.

``under``
    ``{'charR@5': 0.8}``: the mean of every run must be at least 0.8. Equal passes, also when rounding has made the
    mean smaller by 1e-9. A mean that is undefined, because no topic has a value, does not pass.
``over``
    the same from above, for measures where smaller is better: ``{'Overlap': 0.2}``.
``worse_than``
    no other run may be significantly worse than the named one on any measure of the comparison: the p-value of the
    paired test, two-sided and corrected as the comparison says, is at most 1 - confidence, and the mean difference over
    the topics that both runs have goes the wrong way. Two runs without a topic in common do not pass. A drop that the
    topics are too few to show as significant does pass; the comparison then has a note that says so.
``margin``
    with ``worse_than``: a significant drop passes if the mean difference is at most this much in the wrong direction.

A measure of whole documents where parts are judged is refused: text that never touches an answer would pass.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from berrypick.core import spec as specs
from berrypick.core.errors import Message, UsageError, option
from berrypick.core.parameters import is_finite
from berrypick.core.results import refuse_whole_documents
from berrypick.evaluation.protocols import check_task_name, get_protocol, measures_of

if TYPE_CHECKING:
    from berrypick.comparison.comparison import Comparison, Pair

#: A mean this little beyond a threshold has been put there by rounding.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Check:
    """One gate applied to one run; ``reason`` is a sentence where it is not met, else empty."""

    run: str
    gate: str
    reason: str = ""


@dataclass(frozen=True)
class Gates:
    """The gates of a command: thresholds by measure, and the run that no other may be worse than."""

    under: Mapping[str, float]
    over: Mapping[str, float]
    worse_than: str | None
    margin: float | None = None

    def __post_init__(self) -> None:
        if self.margin is None:
            return
        if self.worse_than is None:
            raise UsageError(
                f"{option('margin')} is a part of {option('fail_if_worse')}; name the run that none may be worse than"
            )
        if not (is_finite(self.margin) and self.margin >= 0):
            raise UsageError(f"{option('margin')} is a difference that is accepted, 0 or more, not {self.margin:g}")

    def __bool__(self) -> bool:
        return bool(self.under or self.over or self.worse_than is not None)

    @classmethod
    def read(
        cls, under: Sequence[str], over: Sequence[str], worse_than: str | None, margin: float | None = None
    ) -> Gates:
        return cls(thresholds(under, "fail_under"), thresholds(over, "fail_over"), worse_than, margin)

    def measures(self, requested: Sequence[str], protocol: str | None, task: str | None) -> list[str]:
        """The requested measures (else those of the protocol and task), and the measures that have thresholds."""
        found = list(requested)
        if not found and (task or protocol):
            found = [measures_of(get_protocol(protocol), check_task_name(task))]
        return [*found, *self.under, *self.over]

    def baseline(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Settings in which the run that none may be worse than is the baseline, unless another one is."""
        return {**settings, "baseline": settings.get("baseline") or self.worse_than}

    def notes(self, comparison: Comparison) -> list[str]:
        """Thresholds on the wrong side."""
        under, over = option("fail_under"), option("fail_over")
        wrong = [(name, "smaller", under, over) for name in self.under if not _higher_is_better(comparison, name)]
        wrong += [(name, "larger", over, under) for name in self.over if _higher_is_better(comparison, name)]
        return [
            Message(f"{name}: {better} is better, so {used} fails the better runs; {other} fails the worse ones")
            for name, better, used, other in wrong
        ]

    def checks(self, comparison: Comparison) -> list[Check]:
        """Every gate applied to every run that it is about."""
        for measure in (*self.under, *self.over):
            if measure not in comparison.measures:
                raise UsageError(f"{measure} is not among the measures compared: {', '.join(comparison.measures)}")
        gated = [*self.under, *self.over] if self.worse_than is None else comparison.measures
        refuse_whole_documents(comparison.notes, "A gate", gated)
        found = [one for measure, least in self.under.items() for one in _limited(comparison, measure, least, "below")]
        found += [one for measure, most in self.over.items() for one in _limited(comparison, measure, most, "above")]
        if self.worse_than is not None:
            found += _compared(comparison, self.worse_than, self.margin or 0.0)
        return found

    def unmet(self, comparison: Comparison) -> list[str]:
        """A sentence for every run and gate that is not met."""
        return [one.reason for one in self.checks(comparison) if one.reason]


def thresholds(texts: Sequence[str], name: str = "fail_under") -> dict[str, float]:
    """``measure=value`` items, separated by commas outside brackets, to ``{measure: value}``.

    >>> thresholds(["charR@5=0.8,AgP(score='t2i',tolerance=300)=.5"])
    {'charR@5': 0.8, "AgP(score='t2i',tolerance=300)": 0.5}
    """
    found: dict[str, float] = {}
    for text in texts:
        for item in _items(text):
            measure, value = _threshold(item, name)
            if measure in found and found[measure] != value:
                raise UsageError(f"{option(name)}: {measure} has two thresholds, {found[measure]:g} and {value:g}")
            found[measure] = value
    return found


def _items(text: str) -> Iterator[str]:
    depth, quote, first = 0, "", 0
    for place, char in enumerate(text):
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char in "()":
            depth += 1 if char == "(" else -1
        elif char == "," and depth <= 0:
            yield text[first:place]
            first = place + 1
    yield text[first:]


def _threshold(item: str, name: str) -> tuple[str, float]:
    measure, _, number = item.rpartition("=")
    try:
        value = float(number)
    except ValueError:
        value = float("nan")
    if not measure.strip() or value != value:
        raise UsageError(f"{option(name)} takes a measure and a number, as in 'charR@5=0.8', not {item.strip()!r}")
    return specs.normalise(measure), value


def _higher_is_better(comparison: Comparison, measure: str) -> bool:
    return comparison.estimate(measure, comparison.runs[0]).higher_is_better


def _limited(comparison: Comparison, measure: str, limit: float, side: str) -> Iterator[Check]:
    for run in comparison.runs:
        reason = _beyond(comparison.estimate(measure, run).value, measure, limit, side)
        gate = f"{measure} {'at least' if side == 'below' else 'at most'} {limit:g}"
        yield Check(run, gate, f"{run}: {reason}" if reason else "")


def _beyond(value: float | None, measure: str, limit: float, side: str) -> str:
    if value is None:
        return f"{measure} is undefined, no topic has a value; it must not be {side} {limit:g}"
    excess = limit - value if side == "below" else value - limit
    if excess <= ROUNDING:
        return ""
    shown = f"{value:.4f}"
    return f"{measure} is {repr(value) if float(shown) == limit else shown}, {side} {limit:g}"


def _compared(comparison: Comparison, baseline: str, margin: float) -> Iterator[Check]:
    baseline = comparison.run_name(baseline)
    others = [run for run in comparison.runs if run != baseline]
    if not others:
        raise UsageError(f"{baseline} is the only run; there is no other to compare it with")
    gate = f"not worse than {baseline}" + (f" by more than {margin:g}" if margin else "")
    for measure in comparison.measures:
        for run in others:
            pair = comparison.pair(measure, run, baseline)
            if pair is None:
                raise UsageError(f"{run} was not compared with {baseline}; make it the baseline, or compare all pairs")
            reason = _worse(comparison, pair, margin)
            yield Check(run, f"{measure} {gate}", f"{run}: {reason}" if reason else "")


def _worse(comparison: Comparison, pair: Pair, margin: float) -> str:
    measure, baseline = pair.measure, pair.versus
    if pair.p_adjusted is None or pair.difference is None:
        return f"{measure} cannot be compared with {baseline}, too few topics have a value for both"
    if not pair.worse or (margin and abs(pair.difference) <= margin + ROUNDING):
        return ""
    here, there = comparison.estimate(measure, pair.run).value, comparison.estimate(measure, baseline).value
    beyond = f", more than {margin:g}" if margin else ""
    return (
        f"{measure} is significantly worse than {baseline}, {here:.4f} against {there:.4f} "
        f"(difference {pair.difference:+.4f} on {pair.topics} topics{beyond}, p = {pair.p_adjusted:.3g})"
    )
