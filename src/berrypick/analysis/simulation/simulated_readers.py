"""Simulated readers of a topic, run by run, and what a measure makes of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from berrypick.analysis.simulation.walked_sessions import WalkedSessions
from berrypick.data.arrays import FloatArray
from berrypick.data.errors import UsageError, nearest, option
from berrypick.data.score import Table, number
from berrypick.evaluation.evaluation import Evaluation
from berrypick.evaluation.requested import RequestedMeasure
from berrypick.evaluation.scoring import raise_named
from berrypick.measures import registered
from berrypick.measures.base import as_score
from berrypick.measures.reader_values import GROUPS, Parts, ReaderValues, joined
from berrypick.topics.judge import judge_topic
from berrypick.topics.seen_together import TOGETHER, TogetherName
from berrypick.topics.topic import JudgedTopic
from berrypick.users.base import UserModel
from berrypick.users.walks import Draws

#: Readers that are simulated at once, and the most numbers that this may take for each thing that is known of them.
BLOCK, CELLS = 1 << 15, 1 << 21
#: More readers than any question needs.
MOST_READERS = 10**9
#: What is shown of how readers differ.
SHARES = (0.05, 0.25, 0.5, 0.75, 0.95)
#: Bars of a distribution.
BARS = 20


@dataclass(frozen=True)
class Readership:
    """How many readers are simulated for each topic, from which random seed, and what they see together.

    ``together`` None: as the user model walks, or independently where it has no walk.
    """

    readers: int = 10_000
    seed: int = 0
    together: TogetherName | None = None

    def __post_init__(self) -> None:
        for name, value, least, most in (("readers", self.readers, 2, MOST_READERS), ("seed", self.seed, 0, 2**63)):
            if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
                raise UsageError(f"{name} must be a whole number from {least} to {most:.10g}, not {value!r:.40}")
        if self.together is not None and self.together not in TOGETHER:
            close = nearest(str(self.together), list(TOGETHER))
            raise UsageError(f"together must be one of {', '.join(TOGETHER)}, not {self.together!r:.40}{close}")

    def together_of(self, user: UserModel) -> TogetherName:
        """Return what readers of a user model see together."""
        reason = user.no_walk() or ("" if user.can_walk() else "it has no method walk")
        if self.together is not None and (self.together != "walk" or not reason):
            return self.together
        if self.together is None and user.no_walk():
            return "independent"
        if reason:
            others = ", ".join(option("together", one) for one in TOGETHER if one != "walk")
            by_walk = "" if self.together is None else " by a walk"
            raise UsageError(f"user model {user.name()} cannot be simulated{by_walk}: {reason}; {others} need none")
        return "walk"

    def blocks(self, targets: int) -> list[tuple[int, int]]:
        """The number of each block of readers, and how many they are; less of them where there are many targets."""
        size = BLOCK
        while size > GROUPS and size * targets > CELLS:
            size //= 2
        return [(i, min(size, self.readers - i * size)) for i in range(-(-self.readers // size))]


def check_simulated(evaluation: Evaluation, how: Readership) -> None:
    """Refuse measures that are not about readers, and user models that cannot be simulated."""
    for one in evaluation.measures:
        if not _is_mean_over_readers(one):
            known = [name for name, measure in registered().items() if measure.has_readers()]
            raise UsageError(
                f"{one.text} is not a mean over readers, so it cannot be simulated; those that can: {', '.join(known)}"
            )
        seen_together(evaluation, one, how)


def can_be_simulated(evaluation: Evaluation, one: RequestedMeasure, how: Readership) -> bool:
    """Whether a measure has a simulated twin here."""
    try:
        seen_together(evaluation, one, how)
    except UsageError:
        return False
    return _is_mean_over_readers(one)


def seen_together(evaluation: Evaluation, one: RequestedMeasure, how: Readership) -> TogetherName | None:
    """What readers of a measure see together; None where that is not a matter of the user model."""
    return how.together_of(evaluation.contexts[one.text].user) if one.measure.walks else None


_ONE_LAW = (
    ": one of the possible joint distributions, not always an extreme; "
    "the extremes are EPRUM(together='low') and 'high'"
)
#: What is said of readers who do not walk.
_SAID: dict[str, str] = {
    "independent": "each target independently, as in hypothesis 3.1 of EPRUM: a difference from EPRUM is chance",
    "most": f"as many targets together at a rank as reach allows{_ONE_LAW}",
    "least": "as few targets together at a rank as reach allows, laid out in the order of the truth, on which values "
    f"over several ranks may depend{_ONE_LAW}",
}


def told_together(evaluation: Evaluation, one: RequestedMeasure, how: Readership) -> str:
    """A sentence about readers who are drawn from reach; '' for those who walk."""
    together = seen_together(evaluation, one, how)
    if together in (None, "walk"):
        return ""
    reason = evaluation.contexts[one.text].user.no_walk()
    because = f"{reason}; " if how.together is None and reason else ""
    return f"{because}readers see {_SAID[str(together)]}"


def _is_mean_over_readers(one: RequestedMeasure) -> bool:
    return one.measure.is_mean_over_readers()


def by_context(evaluation: Evaluation, measures: Sequence[RequestedMeasure]) -> list[tuple[RequestedMeasure, ...]]:
    """Measures that share user model and targets, and so the walks of readers."""
    found: dict[int, list[RequestedMeasure]] = {}
    for one in measures:
        found.setdefault(id(evaluation.contexts[one.text]), []).append(one)
    return [tuple(measures) for measures in found.values()]


@dataclass(frozen=True)
class Spread:
    """How readers of one topic differ in what they get; of the first readers, where there are very many."""

    readers: int
    mean: float
    deviation: float
    nothing: float  # share of readers who get 0
    quantiles: tuple[float, ...]  # at SHARES
    edges: tuple[float, ...]  # of the bars
    bars: tuple[int, ...]  # readers in each

    @classmethod
    def of(cls, values: FloatArray) -> Spread:
        """From what each reader gets; nan for readers who do not count."""
        known = values[~np.isnan(values)]
        if not len(known):
            return cls(0, np.nan, np.nan, np.nan, (np.nan,) * len(SHARES), (0.0, 1.0), (0,))
        low, high = min(0.0, float(known.min())), float(known.max())
        most = 1.0 if low == 0.0 and high <= 1.0 else high if high > low else low + 1.0
        bars, edges = np.histogram(known, BARS, (low, most))
        return cls(
            len(known),
            float(known.mean()),
            float(known.std()),
            float((known == 0).mean()),
            tuple(np.quantile(known, SHARES).tolist()),
            tuple(edges.tolist()),
            tuple(bars.tolist()),
        )


@dataclass
class ReaderSums:
    """What is kept of the readers of one topic, run and measure; blocks of readers are added up."""

    sums: FloatArray  # 2 x columns x groups
    largest: bool
    spread: Spread | None = None  # of the first block
    parts: Parts = ()

    def add(self, other: ReaderSums) -> None:
        self.sums = self.sums + other.sums
        self.spread = self.spread or other.spread

    @property
    def value(self) -> float:
        """The simulated value."""
        return float(self._values(self.sums.sum(axis=2, keepdims=True))[0])

    @property
    def left_out(self) -> FloatArray:
        """The value without each group of readers."""
        filled = self.sums[:, :, self.sums[1].any(axis=0)]
        return self._values(filled.sum(axis=2, keepdims=True) - filled)

    def _values(self, sums: FloatArray) -> FloatArray:
        columns = np.divide(sums[0], sums[1], out=np.zeros(sums.shape[1:]), where=sums[1] > 0)
        return joined(columns, self.largest, self.parts)


def jackknife_error(left_out: FloatArray) -> float:
    """The standard error of a value, from its values without each group."""
    groups = len(left_out)
    return float(np.sqrt((groups - 1) * left_out.var())) if groups > 1 else 0.0


@dataclass(frozen=True)
class TopicTask:
    """Some blocks of readers of a topic, under one user model, for all runs."""

    topic: str
    measures: tuple[RequestedMeasure, ...]  # of one context
    #: By run, the texts of the measures whose values are known.
    defined: Mapping[str, tuple[str, ...]]
    blocks: tuple[tuple[int, int], ...]

    @property
    def size(self) -> int:
        """Readers times runs."""
        return sum(count for _, count in self.blocks) * len(self.defined)


@dataclass
class TaskResult:
    """By run and measure, what readers get; and what was cut short, for how many of them."""

    sums: dict[tuple[str, str], ReaderSums] = field(default_factory=dict)
    stopped: dict[str, int] = field(default_factory=dict)

    def add(self, other: TaskResult) -> None:
        for key, sums in other.sums.items():
            if key in self.sums:
                self.sums[key].add(sums)
            else:
                self.sums[key] = sums
        for what, count in other.stopped.items():
            self.stopped[what] = self.stopped.get(what, 0) + count


def simulate_task(evaluation: Evaluation, task: TopicTask, how: Readership) -> TaskResult:
    """All runs have the same readers."""
    context = evaluation.contexts[task.measures[0].text]
    judged = {run: judge_topic(evaluation.truth, evaluation.runs[run], task.topic, context) for run in task.defined}
    walking = any(one.measure.walks for one in task.measures)
    together = how.together_of(context.user) if walking else "walk"
    found = TaskResult()
    for block, count in task.blocks:
        draws = Draws(how.seed, task.topic, block, count)
        for run, texts in task.defined.items():
            measures = [one for one in task.measures if one.text in texts]
            for text, values in reader_values(judged[run], measures, draws, together).items():
                spread = Spread.of(values.each) if block == 0 else None
                found.add(TaskResult({(run, text): ReaderSums(values.sums(), values.largest, spread, values.parts)}))
        found.add(TaskResult(stopped=draws.stopped))
    return found


def reader_values(
    judged: JudgedTopic, measures: Sequence[RequestedMeasure], draws: Draws, together: TogetherName = "walk"
) -> dict[str, ReaderValues]:
    """What the readers of some draws get, by measures of one context; they walk once."""
    effort = any("effort" in one.measure.dependencies() for one in measures)
    sessions = WalkedSessions(judged, draws, effort, together)
    found = {}
    for one in measures:
        try:
            found[one.text] = one.measure.reader_values(judged, sessions)
        except Exception as error:
            raise_named(error, one.text, one.measure, judged.context.user)
    return found


@dataclass(frozen=True)
class Twin:
    """A value, its simulated twin with its standard error, and how readers differ."""

    value: float
    simulated: float
    error: float
    spread: Spread


def simulate_topic(
    evaluation: Evaluation, topic: str, measures: Sequence[RequestedMeasure], how: Readership
) -> dict[tuple[str, str], Twin]:
    """By run and measure; without topics that a run does not answer, and without undefined values."""
    found: dict[tuple[str, str], Twin] = {}
    for own in by_context(evaluation, measures):
        context, values, targets = evaluation.contexts[own[0].text], {}, 0
        for run in evaluation.runs:
            judged = judge_topic(evaluation.truth, evaluation.runs[run], topic, context)
            targets = len(judged.targets)
            if targets and judged.answered:
                values[run] = {one.text: as_score(one.measure.compute(judged)).value for one in own}
        defined = {
            run: tuple(text for text, value in some.items() if value is not None) for run, some in values.items()
        }
        task = TopicTask(topic, own, defined, tuple(how.blocks(targets)))
        for (run, text), sums in simulate_task(evaluation, task, how).sums.items():
            assert sums.spread is not None
            error = jackknife_error(sums.left_out)
            found[run, text] = Twin(float(values[run][text] or 0.0), sums.value, error, sums.spread)
    return found


@dataclass(frozen=True)
class SimulatedReaders:
    """Readers of an evaluation's runs, for pages and explanations that show them beside its values.

    Attributes
    ----------
    evaluation
        The evaluation.
    readers
        How many are simulated for each topic.
    seed
        The same seed gives the same digits.
    together
        What readers see together: 'walk', 'independent', 'most' or 'least', as in :func:`berrypick.simulate`.

    Examples
    --------
    >>> import berrypick as bp
    >>> from berrypick.analysis.simulation.simulated_readers import SimulatedReaders
    >>> evaluation = bp.Evaluation.prepare({"q": {"a": 1}}, {"q": {"a": 1.0}}, "EPRUM")
    >>> SimulatedReaders(evaluation, readers=100).of_topic("q")["run", "EPRUM"].simulated
    1.0
    """

    evaluation: Evaluation
    readers: int = 10_000
    seed: int = 0
    together: TogetherName | None = None
    #: The shares of readers at which :class:`Spread` has quantiles.
    shares: ClassVar[tuple[float, ...]] = SHARES

    def __post_init__(self) -> None:
        self._how  # noqa: B018 (says what is wrong with the numbers)
        if not self.measures:
            check_simulated(self.evaluation, self._how)

    @property
    def _how(self) -> Readership:
        return Readership(self.readers, self.seed, self.together)

    @property
    def measures(self) -> list[RequestedMeasure]:
        """The measures that have a simulated twin here."""
        return [one for one in self.evaluation.measures if can_be_simulated(self.evaluation, one, self._how)]

    def told(self, one: RequestedMeasure) -> str:
        """Return a sentence about what readers see together under a measure; '' for those who walk."""
        return told_together(self.evaluation, one, self._how)

    def of_topic(self, topic: str) -> dict[tuple[str, str], Twin]:
        """Return what the readers of one topic get, by run and measure."""
        return simulate_topic(self.evaluation, topic, self.measures, self._how)

    def explain(self, run: str, topic: str) -> list[str | Table]:
        """Return how the readers of one topic differ in what they get by the one measure of the evaluation."""
        return explain_readers(self.evaluation, run, topic, self._how)


def explain_readers(evaluation: Evaluation, run: str, topic: str, how: Readership) -> list[str | Table]:
    """How the readers of one topic differ in what they get by the one measure of an evaluation."""
    check_simulated(evaluation, how)
    (one,) = evaluation.measures
    twin = simulate_topic(evaluation, topic, [one], how).get((run, one.text))
    if twin is None:
        return ["Readers are not simulated: the value is undefined, or the run has no results for the topic."]
    spread = twin.spread
    quantiles = [
        [f"{share:.0%} of readers get at most", number(value)]
        for share, value in zip(SHARES, spread.quantiles, strict=True)
    ]
    facts = [
        ["exact value, under the hypotheses", number(twin.value, 6)],
        [
            "all readers together" if one.measure.pools else "mean over readers",
            f"{number(twin.simulated, 6)} (error {number(twin.error, 6)})",
        ],
        ["share with 0", number(spread.nothing)],
        *quantiles,
    ]
    most = max(spread.bars)
    bars = [
        [f"{number(low)} to {number(high)}", number(count / spread.readers), "#" * round(40 * count / most)]
        for low, high, count in zip(spread.edges, spread.edges[1:], spread.bars, strict=False)
        if count
    ]
    title = f"Values of {how.readers} simulated readers (seed {how.seed})"
    assumed = told_together(evaluation, one, how)
    return [
        *([f"{assumed[0].upper()}{assumed[1:]}."] if assumed else []),
        Table(title, ["", one.text], facts),
        Table("Distribution over readers", ["from .. to", "share of readers", ""], bars, align="<><"),
    ]
