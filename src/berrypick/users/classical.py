"""classical: the reader sees what is pointed to, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from berrypick.data import papers as cite
from berrypick.data.arrays import BoolArray, Positions
from berrypick.data.parameters import positive_share
from berrypick.data.reach import Reach
from berrypick.data.run import Ranking
from berrypick.data.truth import Targets
from berrypick.users.base import ContextModel, ReaderContext, Slider, elements


@dataclass(frozen=True)
class Classical(ContextModel):
    """The reader sees what a result points to and does not move.

    A document or element is reached if it is the one pointed to. A span is reached if the regions of that rank
    together cover at least the given share of it. Effort: the length of what is pointed to.
    """

    depends_on: ClassVar[tuple[str, ...] | None] = ()
    references: ClassVar[tuple[str, ...]] = ("piwowarski2007prum",)
    papers: ClassVar[tuple[cite.PaperItem, ...]] = (
        cite.eprum(
            "3.3",
            "",
            "definition",
            "readers who do not navigate",
            "berrypick evaluate TRUTH RUN -m EPRUM --user classical",
        ),
        cite.prum(
            "2.2",
            "",
            "definition",
            "readers who do not navigate",
            "berrypick evaluate TRUTH RUN -m EPRUM --user classical",
        ),
    )
    reads_areas: ClassVar[bool] = True
    slider: ClassVar[Slider | None] = (("share",), (0.1, 0.25, 0.5, 0.75, 1))

    share: float = positive_share(0.5, "minimum share of a span that must be covered")

    @property
    def reads_sizes(self) -> bool:
        return False

    def surely_reaches(self, start: Positions, end: Positions, low: Positions, high: Positions) -> BoolArray | None:
        from berrypick.users.pairs import covers

        own = type(self) is Classical and self.returns is not False  # another class may have another reach
        return covers(start, end, low, high, self.share) if own else None

    def reach(self, ranking: Ranking, targets: Targets, context: ReaderContext) -> Reach:
        if elements(ranking, targets):
            from berrypick.users.pairs import same_element

            return same_element(ranking, targets)
        return super().reach(ranking, targets, context)
