"""t2i: the reader enters, moves forward, and gives up."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from berrypick.data import papers as cite
from berrypick.data.errors import UsageError
from berrypick.data.parameters import parameter, zero_or_more
from berrypick.users.base import ReaderContext, Slider
from berrypick.users.tolerance._viewer import Viewer
from berrypick.users.tolerance.distributions import Groups, LogNormal, Tolerances
from berrypick.users.tolerance.parameters import (
    redundancy_parameter,
    rho,
    shares_of,
    tolerance_parameter,
    unit_parameter,
)
from berrypick.users.tolerance.visits import COUNTED, USUAL_TOLERANCE, Tolerance, usual_tolerance


@dataclass(frozen=True)
class T2I(Viewer):
    """The reader enters where a result starts, moves forward, and gives up after so much irrelevant material.

    Reach is 1 for the targets that the visit finds, given what earlier ranks have found. Effort: how far the reader
    goes at each rank, relevant and irrelevant. With unit='tokens' or 'sentences' tolerance counts these in the texts
    given as documents, otherwise characters or seconds. By default it is 15 seconds, 300 characters or 60 tokens; for
    sentences, and where it is not known what positions count, it must be given.

    With spread=s tolerances differ between people (section 4 of the paper): log-normal with median ``tolerance`` and
    sigma s, drawn anew for each visit. Reach is then the probability that the tolerance exceeds every stretch of
    irrelevant material passed before the target; what earlier ranks have found is not taken out. So it is with several
    tolerances: tolerance='10=.3,25=.7' draws 10 for .3 of the visits, and 25 for the others.

    With redundancy=rho readers mind what they have seen before more or less than what is irrelevant: without anything
    new, a unit of text spends 1/rho inside a target already seen, else 1/tolerance, and the visit ends when the sum
    since the last new relevant moment reaches 1. 'inf': text already seen costs nothing.
    """

    references: ClassVar[tuple[str, ...]] = ("vries2004tolerance",)
    papers: ClassVar[tuple[cite.PaperItem, ...]] = (
        cite.tolerance(
            "4",
            "",
            "definition",
            "a reader who enters, moves on, and gives up after an amount of irrelevant material",
            'berrypick evaluate TRUTH RUN -m EPRUM --user "t2i(tolerance=15)"',
        ),
        cite.tolerance(
            "4",
            "",
            "figure",
            "figure 3: the states of a visit",
            'berrypick evaluate TRUTH RUN -m EPRUM --user "t2i(tolerance=15)"',
        ),
        cite.tolerance(
            "4",
            "",
            "definition",
            "extra patience at the beginning of a visit",
            'berrypick evaluate TRUTH RUN -m EPRUM --user "t2i(tolerance=12,t_init=3)"',
        ),
        cite.tolerance(
            "4",
            "",
            "definition",
            "whether the reader goes on after something relevant",
            'berrypick evaluate TRUTH RUN -m EPRUM --user "t2i(tolerance=15,keeps_viewing=False)"',
        ),
        cite.tolerance(
            "4",
            "",
            "definition",
            "people differ in their tolerance",
            'berrypick evaluate TRUTH RUN -m EPRUM --user "t2i(tolerance=15,spread=0.5)"',
        ),
        cite.tolerance(
            "6",
            "",
            "definition",
            "other reasons to stop: material that was seen before",
            'berrypick evaluate TRUTH RUN -m EPRUM --user "t2i(tolerance=15,redundancy=30)"',
        ),
        cite.eprum(
            "6",
            "",
            "definition",
            "tolerance to irrelevance as a user model of EPRUM",
            'berrypick evaluate TRUTH RUN -m EPRUM --user "t2i(tolerance=15)"',
        ),
        cite.prum(
            "4.1.2",
            "",
            "definition",
            "tolerance to irrelevance as a user model of PRUM",
            'berrypick evaluate TRUTH RUN -m PRUM --units 100 --user "t2i(tolerance=15)"',
        ),
    )
    learnt_from: ClassVar[str] = "readings"
    slider: ClassVar[Slider | None] = (("tolerance",), (10, 30, 100, 300, 1000, 3000))

    tolerance: float | str | None = tolerance_parameter()
    keeps_viewing: bool = parameter(True, "bool", "whether the reader continues after something relevant has ended")
    t_init: float = zero_or_more(0, "extra patience at the beginning of each visit")
    unit: str | None = unit_parameter("tolerance")
    spread: float = zero_or_more(0, "sigma of the tolerances of different people")
    redundancy: float | str | None = redundancy_parameter()

    def __post_init__(self) -> None:
        super().__post_init__()
        several = bool(shares_of(self.tolerance, "t2i"))
        if several and self.spread:
            raise UsageError("t2i takes one of spread= and a tolerance with shares of people, not both")
        if self.redundancy is not None and (several or self.spread):
            raise UsageError(
                "t2i takes no redundancy= where tolerances differ: reach then does not depend on what was seen before; "
                "the measures T2I, ESL and PT2I take both"
            )

    def resolved(self, context: ReaderContext) -> T2I:
        unit = self.unit if self.unit in COUNTED else context.line_unit
        usual = USUAL_TOLERANCE.get(unit or "")
        return self if self.tolerance is not None or usual is None else replace(self, tolerance=usual)

    def tolerance_of(self, context: ReaderContext) -> Tolerance:
        tolerance = self.resolved(context).tolerance
        if tolerance is None:
            unit = self.unit if self.unit in COUNTED else context.line_unit
            tolerance = usual_tolerance(unit, "t2i(tolerance=300)")
        if several := shares_of(tolerance, "t2i"):
            tolerance = sum(value * share for value, share in several)
        return Tolerance(float(tolerance), self.keeps_viewing, self.t_init, rho(self.redundancy))

    def distribution(self, context: ReaderContext) -> Tolerances | None:
        if several := shares_of(self.tolerance, "t2i"):
            return Groups(several)
        return LogNormal(self.tolerance_of(context).tolerance, self.spread) if self.spread else None
