"""What every measure is: a frozen value with declared parameters, that turns a judged ranking into a number.

A measure's class docstring is its page: a first line, then the sections Formula, Meaning, Use, Bounds, Undefined and
Example. The example is run by the tests. References are keys of ``references.bib``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

from berrypick.core import spec as specs
from berrypick.core.errors import UsageError
from berrypick.core.explanation import Explanation
from berrypick.core.parameters import Parameterized
from berrypick.core.score import Curve, Score
from berrypick.judging.topic import JudgedTopic

#: 0.01, 0.02 .. 1: the recall levels at which curves of several topics are averaged.
LEVELS = tuple(i / 100 for i in range(1, 101))


@dataclass(frozen=True)
class Measure(Parameterized):
    """Base class. ``at`` is the cut-off after ``@``."""

    what: ClassVar[str] = "measure"
    #: What the number after @ means.
    cutoff: ClassVar[Literal["none", "rank", "level"]] = "none"
    cutoff_required: ClassVar[bool] = False
    #: Settings of the evaluation that change the value, and so belong into its signature.
    depends_on: ClassVar[tuple[str, ...]] = ()
    #: Keys of references.bib.
    references: ClassVar[tuple[str, ...]] = ()
    #: Why a value above 1 is possible; empty where it is not.
    why_above_one: ClassVar[str] = ""
    #: Other names under which people know the measure.
    aliases: ClassVar[tuple[str, ...]] = ()
    #: Whether larger is better.
    higher_is_better: ClassVar[bool] = True
    #: What the axes of its curve show, where it has one; {effort} stands for what the signature says effort is.
    curve_axes: ClassVar[tuple[str, str]] = ("", "")

    at: float | int | None = None

    def user_model(self) -> str | None:
        """The user model named in the measure itself, which then counts instead of the one of the evaluation."""
        return getattr(self, "user", None)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.at is None:
            if self.cutoff_required:
                example = 10 if self.cutoff == "rank" else 0.5
                raise UsageError(f"{self.name()} needs a cut-off, as in {self.name()}@{example}")
        elif self.cutoff == "none":
            raise UsageError(f"{self.name()} takes no cut-off after @")
        elif self.cutoff == "rank":
            if not isinstance(self.at, int) or self.at < 1:
                raise UsageError(f"{self.name()}@{self.at:g}: the cut-off is a rank, a whole number from 1")
        elif not 0 <= self.at <= 1:
            raise UsageError(
                f"{self.name()}@{self.at:g}: the cut-off is a recall level from 0 to 1{self.level_remedy(self.at)}"
            )

    def level_remedy(self, at: float) -> str:
        """The end of the message about a recall level outside [0, 1]."""
        return ""

    def for_protocol(self, protocol: str) -> Measure:
        """The measure as a campaign defines it, where parameters that were not given have other values there."""
        return self

    def __str__(self) -> str:
        return specs.render(self.name(), self.parameter_values(), self.at)

    def compute(self, judged: JudgedTopic) -> Score:
        """The value for one topic that has targets and is in the run."""
        raise NotImplementedError

    def missing_topic_score(self, judged: JudgedTopic) -> Score:
        """The value for a judged topic that is missing from the run."""
        return Score(0.0)

    def curve(self, judged: JudgedTopic) -> Curve | None:
        """The curve behind the number, at its natural points; None for measures that have none."""
        return None

    def resampled_curve(self, judged: JudgedTopic) -> Curve | None:
        """The curve at points that all topics share, for averaging; curves by rank go on at their last value."""
        return self.curve(judged)

    def missing_topic_curve(self) -> Curve | None:
        """The curve of a judged topic that is missing from the run: nothing is ever found."""
        if not self.has_curve():
            return None
        return [] if self.cutoff == "rank" else [(level, 0.0) for level in LEVELS]

    def explain(self, judged: JudgedTopic) -> Explanation:
        """The working of the value."""
        raise NotImplementedError

    @classmethod
    def has_curve(cls) -> bool:
        return cls.curve is not Measure.curve


def as_score(found: Score | float | None) -> Score:
    """What compute returned, as a Score."""
    return found if isinstance(found, Score) else Score(None if found is None else float(found))


def recall_value(level: float, targets: int) -> int:
    """The number of targets that a recall level asks for; the small amount keeps .28 x 25 at 7."""
    return max(1, math.ceil(level * targets - 1e-9))
