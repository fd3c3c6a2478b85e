"""What every measure is: a frozen value with declared parameters, that turns a judged ranking into a number.

A measure's class docstring is its page: a first line, then, for the measures of this package, the sections Formula,
Meaning, Use, Bounds, Undefined and Example. The example is run by the tests.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar, get_args

from berrypick.data import spec as specs
from berrypick.data.arrays import FloatArray
from berrypick.data.errors import NamedError, UsageError
from berrypick.data.laws import USUAL, laws_problem, without
from berrypick.data.observed import unrecorded
from berrypick.data.parameters import Parameterized, plain
from berrypick.data.score import Curve, Explanation, Score, Table, number
from berrypick.data.words import counted
from berrypick.measures.reader_values import ReaderValues as ReaderValues

if TYPE_CHECKING:
    from berrypick.targets.gains import Quantisation
    from berrypick.topics.context import JudgingContext
    from berrypick.topics.topic import JudgedTopic
    from berrypick.topics.topics import JudgedTopics

if TYPE_CHECKING:  # for few measures
    from berrypick.ideal.best_list import BestList
    from berrypick.measures.blocks import SpanBlock
    from berrypick.topics.reader_sessions import ReaderSessions

#: 0.01, 0.02 .. 1: the recall levels at which curves of several topics are averaged.
LEVELS = tuple(i / 100 for i in range(1, 101))
#: What measures may depend on: options, what targets are, relevant text (which is that of targets where these are
#: elements), how elements are gained, how long documents and elements are, what tokens are, navigation, and what topics
#: count as that a run does not mention.
MAY_DEPEND_ON = (
    "user", "idealism", "effort", "units", "chunks", "targets", "text", "ignore_elements", "lengths", "sizes",
    "tokenizer", "navigation", "missing",
)  # fmt: skip
#: How many targets and ranks an explanation shows.
SHOWN = 30

Cutoff = Literal["none", "rank", "level"]
M = TypeVar("M", bound="Measure")
#: A value from how much is retrieved, how much of it is relevant, and how much is relevant in all.
TextValue = Callable[[float, float, float], float]


class MeasureType(type):
    """The class of measure classes: ``nxCG @ 10`` is ``nxCG(at=10)``."""

    def __matmul__(cls: type[M], at: float | int) -> M:  # type: ignore[misc]
        return cls(at=at)


@dataclass(frozen=True)
class Measure(Parameterized, metaclass=MeasureType, base=True):
    """Base class of measures: a subclass defines :meth:`compute`, and whatever else it can say about itself.

    A measure is a value: ``nxCG @ 10 == nxCG(at=10)``.

    Parameters
    ----------
    at : float or int, optional
        The cut-off after ``@``.

    Examples
    --------
    >>> import berrypick as bp
    >>> class Returned(bp.Measure):
    ...     "The number of ranks."
    ...     def compute(self, topic):
    ...         return topic.ranking.ranks
    >>> bp.score(Returned(), {"q": {"a": 1}}, {"q": {"b": 2.0, "a": 1.0}})
    2.0
    """

    what: ClassVar[str] = "measure"
    #: What the number after @ means.
    cutoff: ClassVar[Cutoff] = "none"
    cutoff_required: ClassVar[bool] = False
    #: The number after @ in words, where it counts something else than ranks.
    cutoff_is: ClassVar[str] = ""
    #: What the value depends on, which signatures name: () is nothing, None everything. Where it depends on the user,
    #: what the user model depends on is named too. :func:`berrypick.testing.check_measure` finds what is missing here.
    depends_on: ClassVar[tuple[str, ...] | None] = None
    #: Why a value above 1 is possible; empty where it is not.
    why_above_one: ClassVar[str] = ""
    #: Whether it is a cost or another amount from 0 on without an upper bound: its 0 and 1 are not hits, and its
    #: intervals are those of costs.
    unbounded: ClassVar[bool] = False
    #: Parameters with which ir_measures computes the measure of this name instead.
    elsewhere: ClassVar[tuple[str, ...]] = ()
    #: Whether larger is better.
    higher_is_better: ClassVar[bool] = True
    #: Whether it is undefined for topics without targets, whatever the run returns.
    needs_targets: ClassVar[bool] = True
    #: Whether it counts characters, so that unjudged ones can count as relevant too.
    counts_unjudged: ClassVar[bool] = False
    #: Whether a value of characters falls with relevant text that is not retrieved.
    misses_text: ClassVar[bool] = False
    #: Where text is judged, not whole documents: why it would mislead, and what to use; '' where it would not.
    instead_on_spans: ClassVar[str] = ""
    #: If it counts whole documents: the measure of spans that answers the same question; '' if it looks into documents.
    of_spans: ClassVar[str] = ""
    #: Whether its simulated readers walk as the user model says.
    walks: ClassVar[bool] = False
    #: Whether its simulated value divides the sum over all readers, instead of being the mean of what each gets.
    pools: ClassVar[bool] = False
    #: What the axes of its curve show, where it has one; {effort} stands for what the signature says effort is.
    curve_axes: ClassVar[tuple[str, str]] = ("", "")

    #: Whether its ranks are those of documents, to which all their results belong.
    ranks_documents: ClassVar[bool] = False
    #: Whether it is computed from whole documents, for all topics of a run at once.
    of_documents: ClassVar[bool] = False
    #: Who computes it, for signatures; '' where no other program computes measures of this name.
    computed_by: ClassVar[str] = ""
    #: Whether its values are added up over topics, not averaged.
    summed: ClassVar[bool] = False
    #: Whether it tells how much of the list repeats what was retrieved before, so that no note need say it.
    tells_overlap: ClassVar[bool] = False
    #: Whether it is about all chunks of the collection, retrieved or not.
    needs_chunks: ClassVar[bool] = False
    #: Whether it holds for places on pages too, with areas for lengths.
    of_areas: ClassVar[bool] = False
    #: Whether it counts sufficient sets or hops, which the report then shows topic by topic.
    of_sets: ClassVar[bool] = False
    #: Whether it asks if the run rightly answers, or abstains.
    of_answers: ClassVar[bool] = False
    #: Whether it is computed for videos of known lengths where no measure is named. A subclass has to say it again.
    default_of_videos: ClassVar[bool] = False
    #: Whether :meth:`score_block` may be asked. A subclass that replaces a method has to say it again.
    scored_in_blocks: ClassVar[bool] = False
    #: What its value must not depend on, and in which direction it moves: names of ``berrypick.data.laws.LAWS``.
    laws: ClassVar[tuple[str, ...]] = USUAL

    at: float | int | None = None

    @classmethod
    def declared_laws(cls) -> tuple[str, ...]:
        """Return the laws of the class; one of them is about cut-offs of ranks, for those who have them."""
        return cls.laws if cls.cutoff == "rank" and not cls.cutoff_is else without("junk-after-cut", laws=cls.laws)

    def kept_laws(self) -> tuple[str, ...]:
        """Return the laws of the measure with its parameters, some of which may break one."""
        return self.declared_laws()

    def user_model(self) -> str | None:
        """Return the user model named in the measure itself, which then counts instead of the one of the evaluation."""
        return self.parameter_values().get("user")

    def quantisation(self) -> Quantisation | None:
        """Return the quantisation named in the measure itself."""
        return self.parameter_values().get("quant")

    def found_at(self, judged: JudgedTopic) -> FloatArray | None:
        """Return the rank at which each target is found, infinite for never; None where that does not decide."""
        return None

    def counts_repeats(self) -> bool:
        """Return whether a result that repeats an earlier one counts again."""
        return False

    def takes_unjudged(self) -> bool:
        """Return whether the option unjudged applies to it."""
        return self.counts_unjudged and not self.counts_repeats()

    def text_value(self) -> TextValue | None:
        """Return how measures of characters are computed, each character once."""
        return None

    def has_readers_of(self, user: str) -> bool:
        """Return whether readers of this model go through the list and learn the lengths of elements by reading."""
        return False

    def drawn_fields(self, context: JudgingContext) -> tuple[tuple[str, str], ...]:
        """Return what simulated readers differ in besides where they go, for signatures."""
        return ()

    def __post_init__(self) -> None:
        super().__post_init__()
        at = plain(self.at)
        object.__setattr__(self, "at", at)
        if at is None:
            return
        if self.cutoff == "none":
            raise UsageError(f"{self.name()} takes no cut-off after @")
        if isinstance(at, bool) or not isinstance(at, (int, float)):
            raise UsageError(f"{self.name()}: the cut-off must be a number, not {at!r:.60}")
        if self.cutoff == "rank":
            if not isinstance(at, int) or at < 1:
                what = self.cutoff_is or "a rank"
                raise UsageError(f"{self.name()}@{at:g}: the cut-off is {what}, a whole number from 1")
        elif not 0 <= at <= 1:
            raise UsageError(f"{self.name()}@{at:g}: the cut-off is a recall level from 0 to 1{self.level_remedy(at)}")

    def __matmul__(self: M, at: float | int) -> M:
        """The same measure at a cut-off: ``nxCG(base='full') @ 10``."""
        return replace(self, at=at)

    def check_cutoff(self) -> None:
        """Raise an error if the measure needs a cut-off and has none."""
        if self.cutoff_required:
            self.needed_cutoff()

    def needed_cutoff(self) -> float | int:
        """Return the cut-off, for measures that need one."""
        if self.at is None:
            example = 10 if self.cutoff == "rank" else 0.5
            raise NamedError(f"{self.name()} needs a cut-off, as in {self.name()}@{example}")
        return self.at

    @classmethod
    def definition_problem(cls) -> str:
        if cls.compute is Measure.compute:
            return "it has no method compute"
        if cls.cutoff not in get_args(Cutoff):
            return f"cutoff must be one of {', '.join(get_args(Cutoff))}"
        if unknown := [name for name in cls.depends_on or () if name not in MAY_DEPEND_ON]:
            return f"depends_on has {unknown[0]!r}; it may have {', '.join(MAY_DEPEND_ON)}"
        if problem := laws_problem(cls.laws):
            return problem
        return super().definition_problem()

    def dependencies(self) -> frozenset[str]:
        """Return what the value depends on: what is declared, or everything."""
        return frozenset(MAY_DEPEND_ON if self.depends_on is None else self.depends_on)

    def level_remedy(self, at: float) -> str:
        """Return the end of the message about a recall level outside [0, 1]."""
        return ""

    def for_rules(self, rules: frozenset[str]) -> Measure:
        """Return the measure under the rules of a protocol, where parameters that were not given have other values."""
        return self

    def canonical(self) -> str:
        return specs.render(self.name(), self.parameter_values(), self.at)

    def used_values(self) -> dict[str, Any]:
        """Return the parameters for a signature, which has the value used also where none was given."""
        return self.parameter_values()

    def signature_head(self) -> str:
        """Return the beginning of a signature, which goes on with the parameters."""
        return specs.render(self.name(), {}, self.at)

    def __str__(self) -> str:
        """As people type it: without parameters that have their default values."""
        return specs.render(self.name(), self.given_values(), self.at)

    def __repr__(self) -> str:
        text = specs.render(type(self).__name__, self.given_values(), self.at)
        return text if text.endswith(")") or self.at is not None else f"{text}()"

    def compute(self, judged: JudgedTopic) -> Score | float | None:
        """Return the value for a topic with targets that is in the run: a number, None where undefined, or a Score."""
        raise NotImplementedError(f"{type(self).__name__} has no method compute")

    def score_topics(self, judged: JudgedTopics) -> Mapping[str, Score]:
        """Return the value of each topic, by name."""
        found = {}
        for topic in judged.topics:
            one = judged.judge(topic)
            if self.is_empty(one):
                value = self.empty_topic_score(one)
            else:
                value = self.compute(one) if one.answered else self.missing_topic_score(one)
            found[topic] = as_score(value)
        return found

    def __init_subclass__(cls, base: bool = False) -> None:
        super().__init_subclass__(base=base)
        order = cls.__mro__
        said = next(place for place, one in enumerate(order) if "scored_in_blocks" in vars(one))
        if cls.scored_in_blocks and any(_replaces(name, order[said]) for one in order[:said] for name in vars(one)):
            cls.scored_in_blocks = False

    def score_block(self, spans: SpanBlock, context: JudgingContext) -> Mapping[str, Score] | None:
        """Return the values of the topics of a block, digit for digit those of :meth:`score_topics`.

        Topics that are not among them are scored one by one; None: all are.
        """
        return None

    def curves_of_block(
        self, spans: SpanBlock, context: JudgingContext, found: Mapping[str, Score]
    ) -> Mapping[str, tuple[Curve | None, Curve | None]]:
        """Return the curves of topics that :meth:`score_block` found values for, as :meth:`topic_curves` has them.

        Those of topics that are not among them are made one by one.
        """
        return {}

    def reads_targets(self, user: str) -> bool:
        """Return whether readers of this user model look for targets; else it reads gains or text, and no idealism."""
        return not {"targets", "idealism"}.isdisjoint(self.dependencies())

    def is_empty(self, judged: JudgedTopic) -> bool:
        """Return whether a topic holds nothing that the measure is about, whatever the run returns."""
        if not self.needs_targets:
            return False
        if "ignore_elements" in self.dependencies() or self.reads_targets(unrecorded(judged.context, "user").name()):
            return not len(judged.targets)
        return not judged.truth.has_relevant

    def empty_topic_score(self, judged: JudgedTopic) -> Score | float | None:
        """Return the value for a topic that holds nothing the measure is about; campaigns may have their own."""
        return None

    def missing_topic_score(self, judged: JudgedTopic) -> Score | float | None:
        """Return the value for a judged topic that is missing from the run: what an empty list scores."""
        return 0.0 if self.higher_is_better else self.compute(judged)

    def beside_mean(self, scores: Sequence[Score]) -> Mapping[str, float | None]:
        """Return what is said of some topics beside their mean, by names for JSON; most measures say nothing."""
        return {}

    def beside_mean_note(self, summary: Mapping[str, float | None]) -> str:
        """Return a sentence on what :meth:`beside_mean` returned."""
        return ", ".join(f"{name} {'none' if value is None else number(value)}" for name, value in summary.items())

    def curve(self, judged: JudgedTopic) -> Curve | None:
        """Return the curve behind the number, at its natural points; None for measures that have none."""
        return None

    def resampled_curve(self, judged: JudgedTopic) -> Curve | None:
        """Return the curve at points that all topics share, for averaging; curves by rank go on at their last value."""
        return self.curve(judged)

    def missing_topic_curve(self) -> Curve | None:
        """Return the curve of a judged topic that is missing from the run: nothing is ever found."""
        if not self.has_curve():
            return None
        return [] if self.cutoff == "rank" else [(level, 0.0) for level in LEVELS]

    def topic_curves(self, judged: JudgedTopic, value: float | None) -> tuple[Curve | None, Curve | None]:
        """Return the curve behind a value, at its natural points and at those that all topics share."""
        if self.is_empty(judged):
            return None, None
        if not judged.answered and not value:
            nothing = None if value is None else self.missing_topic_curve()
            return nothing, nothing
        curve = self.curve(judged)
        if value is None:
            return curve, None
        return curve, self.resampled_curve(judged) if self._resamples() else curve

    def common_curve(self, judged: JudgedTopic, value: float | None) -> Curve | None:
        """Return the second of :meth:`topic_curves`; without the first, which may have many points, where it can."""
        plain = type(self).topic_curves is Measure.topic_curves and self._resamples()
        if plain and value is not None and judged.answered and not self.is_empty(judged):
            return self.resampled_curve(judged)
        return self.topic_curves(judged, value)[1]

    def _resamples(self) -> bool:
        return type(self).resampled_curve is not Measure.resampled_curve

    def explain_topic(self, judged: JudgedTopics, text: str) -> Explanation:
        """Return the working of one topic's value, which may be undefined; ``text`` is the measure as in results."""
        [topic] = judged.topics
        one = judged.judge(topic)
        title = f"{text} for topic {topic}"
        if self.is_empty(one):
            value = as_score(self.empty_topic_score(one)).value
            if value is None:
                return Explanation(title, ["Undefined: the topic has no targets."])
            return Explanation(title, [f"{number(value)}: nothing is relevant, as protocol {one.protocol} counts it."])
        if not one.answered:
            value = as_score(self.missing_topic_score(one)).value
            shown = "undefined" if value is None else number(value, 6)
            return Explanation(title, [f"The run has no results for this topic; its value is {shown}."])
        found = self.explain(one)
        named = self.user_model() is not None or "user" not in self.dependencies()
        return found if named else replace(found, title=f"{found.title}, user model {one.context.user}")

    def above_one(self) -> str:
        """Say why a value above 1 is possible; '' where it is not."""
        return self.why_above_one

    def no_best_lists(self) -> str:
        """Say why no best lists are searched for the measure; '' if it has :meth:`certified` and :meth:`best_lists`."""
        return "ideal lists are searched for EPRUM and epnav, not for other measures"

    def certified(self, nodes: int | None = None, seconds: float | None = None) -> Measure:
        """Return the measure with the best lists searched for, as long as said here, or else as it says itself."""
        raise NotImplementedError

    def best_lists(self, judged: JudgedTopic) -> Iterator[BestList]:
        """Iterate over the best lists for a topic, for a measure that :meth:`certified` returned."""
        raise NotImplementedError

    def explain(self, judged: JudgedTopic) -> Explanation:
        """Return the working of the value; here the value itself, the targets and the ranking."""
        value = as_score(self.compute(judged)).value
        shown = "undefined" if value is None else number(value, 6)
        targets = [[name] for name in judged.targets.names()]
        ranks = [[str(rank), name] for rank, name in enumerate(judged.ranking.names_by_rank(), start=1)]
        return self._explanation(
            judged,
            Table(_shown(len(targets), "target"), ["target"], targets[:SHOWN]),
            Table(_shown(len(ranks), "rank"), ["rank", "result"], ranks[:SHOWN], align="><"),
            f"{self} = {shown}",
        )

    def _explanation(self, judged: JudgedTopic, *parts: str | Table) -> Explanation:
        """The parts that explain the value of a topic, under its title."""
        return Explanation(f"{self.canonical()} for topic {judged.topic}", list(parts))

    def _value_text(self, judged: JudgedTopic) -> str:
        """The value of a topic for an explanation, 0 where it is undefined."""
        return number(as_score(self.compute(judged)).value or 0.0, 6)

    def reader_values(self, judged: JudgedTopic, sessions: ReaderSessions) -> ReaderValues:
        """Return the value of each simulated reader; for measures that are means over readers."""
        raise NamedError(f"{self.name()} is not a mean over readers, so it cannot be simulated")

    @classmethod
    def has_readers(cls) -> bool:
        """Return whether its readers can be simulated."""
        return cls.reader_values is not Measure.reader_values

    def bounded(self, end: Literal["low", "high"]) -> Measure | None:
        """Return the measure of the lower or upper bound without the independence assumption.

        None if the value does not depend on it, or no such bound is known.
        """
        return None

    def pair_bounds(self, one: JudgedTopic, other: JudgedTopic) -> tuple[float, float] | None:
        """Return bounds of the difference between two rankings of a topic under every joint distribution of targets.

        Defined by measures with :meth:`bounded` that know more about two rankings than the bounds of each: a result in
        both leads to the same targets. None where no tighter bounds are known.
        """
        return None

    def is_mean_over_readers(self) -> bool:
        """Return whether the value is the mean over simulated readers; with some parameters it may not be."""
        return self.has_readers()

    @classmethod
    def has_curve(cls) -> bool:
        """Return whether it has a curve."""
        return cls.curve is not Measure.curve


def _shown(count: int, what: str) -> str:
    return counted(count, what) + (f", of which the first {SHOWN}" if count > SHOWN else "")


def _replaces(name: str, cls: type) -> bool:
    """Whether a class that defines a name replaces a method or property of another one."""
    known = getattr(cls, name, None)
    return not name.startswith("__") and (callable(known) or isinstance(known, property))


def as_score(found: Score | float | None) -> Score:
    """What compute returned, as a Score with a number of Python or None."""
    score = found if isinstance(found, Score) else Score(found)
    if score.value is None or (type(score.value) is float and math.isfinite(score.value)):
        return score
    try:
        value = float(score.value)
    except (TypeError, ValueError, OverflowError):
        raise UsageError(f"compute returned {score.value!r:.60}, not a number, None or a Score") from None
    if not math.isfinite(value):
        raise UsageError(f"compute returned {value}, which is not a value; return None where it is undefined")
    return replace(score, value=value)


def recall_value(level: float, targets: int) -> int:
    """The number of targets that a recall level asks for; the small amount keeps .28 x 25 at 7."""
    return max(1, math.ceil(level * targets - 1e-9))
