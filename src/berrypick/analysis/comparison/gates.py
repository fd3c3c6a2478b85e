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
    topics are too few to show as significant does pass; the comparison then has a note that says so. The run is named
    by its file, its name or its tag; a name that fits two runs is refused.
``margin``
    with ``worse_than``: a significant drop passes if the mean difference is at most this much in the wrong direction.
``must_see``
    with ``worse_than``: an error where a gate would report a true drop of this size with a probability below 0.8, see
    :mod:`berrypick.analysis.comparison.detectable`.

A measure of whole documents where parts are judged is refused: text that never touches an answer would pass.

A gate uses all judged topics. The option topics='run' is refused, since a run could skip its difficult topics. A
protocol that averages over the topics of the run is judged on the topics of the baseline instead (on all judged topics
without one); a topic that a run lacks counts as an empty list.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from berrypick.analysis.comparison.detectable import POWER, Detectable, GateTest, Sight, correction_level
from berrypick.analysis.comparison.run_identity import find_run
from berrypick.data import spec as specs
from berrypick.data.errors import Message, UsageError, option, shorten
from berrypick.data.parameters import is_finite
from berrypick.data.results import Note, RunFacts, refuse_whole_documents
from berrypick.data.words import counted
from berrypick.evaluation.evaluation import Evaluation
from berrypick.evaluation.options import EvaluationOptions
from berrypick.evaluation.protocols.base import check_task_name, get_protocol, measures_of
from berrypick.statistics.intervals import is_hit

if TYPE_CHECKING:
    from berrypick.analysis.comparison.assisted import AssistedSight
    from berrypick.analysis.comparison.comparison import Comparison, Pair

#: A mean this little beyond a threshold has been put there by rounding.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Check:
    """One gate applied to one run; ``reason`` is a sentence where it is not met, else empty.

    For a gate on a pair of runs, ``sees`` says which drop it would report, where that is known, and ``passed`` that it
    is met.
    """

    run: str
    gate: str
    reason: str = ""
    sees: str = ""
    passed: str = ""


@dataclass(frozen=True)
class Gates:
    """The gates of a command: thresholds by measure, and the run that no other may be worse than."""

    under: Mapping[str, float]
    over: Mapping[str, float]
    worse_than: str | None
    margin: float | None = None
    must_see: float | None = None

    def __post_init__(self) -> None:
        for name in ("margin", "must_see"):
            if getattr(self, name) is not None and self.worse_than is None:
                part = f"{option(name)} needs {option('fail_if_worse')}"
                raise UsageError(f"{part}; name the run that no other may be worse than")
        if self.margin is not None and not (is_finite(self.margin) and self.margin >= 0):
            raise UsageError(f"{option('margin')} is the accepted difference, 0 or more, not {self.margin:g}")
        least = self.margin or 0.0
        if self.must_see is not None and not (is_finite(self.must_see) and self.must_see > least):
            beyond = f"{option('margin')}, which is {least:g}" if least else "0"
            raise UsageError(
                f"{option('must_see')} is the drop that the gate must see, above {beyond}, not {self.must_see:g}"
            )

    def __bool__(self) -> bool:
        return bool(self.under or self.over or self.worse_than is not None)

    @classmethod
    def read(
        cls,
        under: Sequence[str],
        over: Sequence[str],
        worse_than: str | None,
        margin: float | None = None,
        must_see: float | None = None,
    ) -> Gates:
        return cls(thresholds(under, "fail_under"), thresholds(over, "fail_over"), worse_than, margin, must_see)

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
        if self:
            self._refuse_chosen_topics(comparison)
        gated = [*self.under, *self.over] if self.worse_than is None else comparison.measures
        refuse_whole_documents(comparison.notes, "A gate", gated)
        found = [one for measure, least in self.under.items() for one in _limited(comparison, measure, least, "below")]
        found += [one for measure, most in self.over.items() for one in _limited(comparison, measure, most, "above")]
        if self.worse_than is not None:
            found += _compared(comparison, self.worse_than, self.margin or 0.0)
        return found

    def _refuse_chosen_topics(self, comparison: Comparison) -> None:
        """Refuse means and differences over topics that a run has chosen itself."""
        for one in comparison.estimates:
            by_protocol = get_protocol(one.signature.get("protocol")).topics == "run"
            limited = one.measure in self.under or one.measure in self.over
            if one.signature.get("topics") == "run" and (limited or not by_protocol):
                raise UsageError(f"{one.run}: {one.measure} is a mean over the topics of the run. {_ALL_TOPICS}")
        if self.worse_than is None or not comparison.unlike_topics:
            return
        baseline = comparison.run_name(self.worse_than)
        for (run, measure), topics in comparison.unlike_topics.items():
            wanted = comparison.unlike_topics[baseline, measure]
            if lacking := len(wanted - topics):
                raise UsageError(
                    f"{run} has no value of {measure} for {lacking} of the {counted(len(wanted), 'topic')} of "
                    f"{baseline}. {_ALL_TOPICS}"
                )

    def unmet(self, comparison: Comparison) -> list[str]:
        """A sentence for every run and gate that is not met."""
        if self.must_see is not None:
            comparison = self.with_detectable(comparison)
        return [one.reason for one in self.checks(comparison) if one.reason]

    def with_detectable(self, comparison: Comparison) -> Comparison:
        """The comparison with the smallest drop that each gate on a pair would report; an error where one does not see
        the drop that it must see."""
        if self.worse_than is None:
            return comparison
        baseline = comparison.run_name(self.worse_than)
        found: dict[tuple[str, str, str], Detectable] = {}
        for measure in comparison.measures:
            for run in comparison.runs:
                pair = None if run == baseline else comparison.pair(measure, run, baseline)
                if pair is not None and pair.p is not None:
                    sight = _sight(comparison, pair, self.margin or 0.0)
                    found[measure, run, baseline] = seen = sight.smallest()
                    self._refuse_unseen(pair, sight, seen)
        return replace(comparison, detectable=found)

    def _refuse_unseen(self, pair: Pair, sight: Sight | AssistedSight, seen: Detectable) -> None:
        if self.must_see is None or (seen.drop is None and not seen.blind):
            return
        if seen.drop is not None and seen.drop <= self.must_see:
            return
        needed = sight.topics_for(self.must_see)
        what = f"{pair.run}: the gate on {pair.measure} would miss a drop of {self.must_see:g} too often"
        sees = seen.reason if seen.drop is None else f"the smallest that it reports with probability {POWER:g} is "
        sees += "" if seen.drop is None else f"{seen.drop:.4g}"
        remedy = "no number of topics would be enough" if needed is None else f"about {needed} topics would be enough"
        raise UsageError(f"{what} on {counted(pair.topics, 'topic')}: {sees}; {remedy}")


_ALL_TOPICS = (
    f"A gate needs all judged topics: evaluate all runs with the same truth and with {option('topics', 'judged')}"
)


def gated_evaluation(
    truth: Any,
    runs: Any,
    measures: Any,
    options: Mapping[str, Any],
    baseline: str | None = None,
    once: bool = False,
) -> Evaluation:
    """Prepare the evaluation that a gate decides on, over topics that no run chooses itself.

    Parameters
    ----------
    truth, runs, measures
        As in :func:`berrypick.evaluate`.
    options : mapping
        Options of the evaluation.
    baseline : str, optional
        The run that no other may be worse than.
    once : bool
        Whether the evaluation runs only once.
    """
    given = EvaluationOptions.from_arguments(gated_options(options), "compare")
    evaluation = Evaluation._from_options(truth, runs, measures, given, once=once)
    if not averages_own_topics(options):
        return evaluation
    said = f"protocol {given.protocol} averages over the topics of each run, this gate over"
    if baseline is None:
        note = Note("topics", f"{said} all {counted(len(evaluation.truth), 'judged topic')}")
        return replace(evaluation, notes=(*evaluation.notes, note))
    facts = {name: RunFacts(name, run.source, tag=run.tag) for name, run in evaluation.runs.items()}
    name = find_run(baseline, list(evaluation.runs), facts)
    topics = answered_topics(evaluation, name)
    note = Note("topics", f"{said} the {counted(len(topics), 'judged topic')} of the baseline {name}")
    return evaluation.scoring_topics(topics, note)


def gated_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options under which all judged topics count; an error if they ask for the topics of each run."""
    if options.get("topics") == "run":
        raise UsageError(
            f"{option('topics', 'run')} lets a run skip its difficult topics, so a gate cannot use it; omit it, and "
            "topics that the run lacks count as empty lists"
        )
    return {**options, "topics": "judged"} if averages_own_topics(options) else dict(options)


def averages_own_topics(options: Mapping[str, Any]) -> bool:
    """Whether the protocol averages over the topics of each run, and no option says otherwise."""
    return options.get("topics") is None and get_protocol(options.get("protocol")).topics == "run"


def answered_topics(evaluation: Evaluation, run: str) -> frozenset[str]:
    """The judged topics that a run answers."""
    return frozenset(topic for topic in evaluation.truth.topics if topic in evaluation.runs[run])


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
        reason += _assisted(comparison) if reason else ""
        gate = f"{measure} {'at least' if side == 'below' else 'at most'} {limit:g}{_assisted(comparison)}"
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
    _refuse_unplaced(comparison, baseline)
    gate = f"not worse than {baseline}" + (f" by more than {margin:g}" if margin else "") + _assisted(comparison)
    for measure in comparison.measures:
        for run in others:
            pair = comparison.pair(measure, run, baseline)
            if pair is None:
                raise UsageError(f"{run} was not compared with {baseline}; make it the baseline, or compare all pairs")
            reason = _worse(comparison, pair, margin)
            sees = comparison.detectable.get((measure, run, baseline))
            beside = (f", margin {margin:g}" if margin else "") + _assisted(comparison)
            subject = f"{measure} of {run} against {baseline}{beside}"
            yield Check(
                run,
                f"{measure} {gate}",
                f"{run}: {reason}" if reason else "",
                ""
                if sees is None
                else f"{subject}{',' if beside and sees.drop is not None else ''}{_said(sees, pair)}",
                "" if reason else f"{subject}: no significant drop{f' of more than {margin:g}' if margin else ''}",
            )


def _assisted(comparison: Comparison) -> str:
    """What a gate says of itself where its numbers are model-assisted."""
    return "" if comparison.model is None else ", model-assisted"


def _said(seen: Detectable, pair: Pair) -> str:
    if seen.drop is None:
        return f": the smallest drop that the gate would report is unknown: {seen.reason}"
    return (
        f" would report a true drop of {seen.drop:.4g} or more with a probability of at least {POWER:g} "
        f"on {counted(pair.topics, 'topic')}"
    )


def _sight(comparison: Comparison, pair: Pair, margin: float) -> Sight | AssistedSight:
    """What the gate on a pair sees: its values, and its test at the level that the correction leaves it."""
    method, values = comparison.method, comparison.topic_values
    own, other = (values[name][pair.measure] for name in (pair.run, pair.versus))
    both = [(topic, a, b) for topic, a in own.items() if a is not None and (b := other.get(topic)) is not None]
    run, baseline = (np.array([row[side] for row in both], dtype=np.float64) for side in (1, 2))
    if not pair.higher_is_better:  # a cost that rises is a value that falls
        hits = is_hit(run).all() and is_hit(baseline).all()
        run, baseline = (1 - run, 1 - baseline) if hits else (-run, -baseline)
    clusters = None
    if comparison.cluster_of is not None:
        numbers: dict[Any, int] = {}
        of = [numbers.setdefault(comparison.cluster_of[topic], len(numbers)) for topic, _, _ in both]
        clusters = np.array(of, dtype=np.int64)
    gate = GateTest(
        _level(comparison, pair), method.test, margin, method.sign_changes or method.resamples, seed=method.seed
    )
    sight = Sight(run, baseline, gate, clusters)
    if comparison.model is None:
        return sight
    from berrypick.analysis.comparison.assisted import assisted_sight

    return assisted_sight(comparison, pair, sight)


def _level(comparison: Comparison, pair: Pair) -> float:
    """The largest p-value of a pair that is significant while the others of its family stay what they are."""
    method = comparison.method
    if method.family == "all":
        family = [*comparison.pairs, *(one for group in comparison.groups.values() for one in group.pairs)]
    else:
        family = [one for one in comparison.pairs if one.measure == pair.measure]
    named = {pair.run, pair.versus}
    place = next(i for i, one in enumerate(family) if one.measure == pair.measure and {one.run, one.versus} == named)
    p = np.array([math.nan if one.p is None else one.p for one in family])
    return correction_level(p, place, method.correction, method.alpha)


def _refuse_unplaced(comparison: Comparison, baseline: str) -> None:
    """Refuse a baseline with texts that are not in the documents: they lower it, and with it the gate."""
    facts = comparison.run_facts.get(baseline)
    if facts is None or not facts.unplaced or facts.unplaced_accepted:
        return
    first = facts.unplaced[0]
    many = f"{len(facts.unplaced)} of {counted(facts.results, 'result')}"
    raise UsageError(
        f"the baseline {baseline} is lowered by results whose text is not in the documents, {many}, which makes the "
        f"gate easier (topic {first['topic']}, rank {first['rank']}: {shorten(first['text'], 60)})",
        f"give the documents that it retrieved from, or accept this with {option('unplaced', 'irrelevant')}",
    )


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
        f"{_assisted(comparison)}"
    )
