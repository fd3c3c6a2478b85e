"""What the measures share whose readers move as the user model says, until they see the targets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from berrypick.core.parameters import parameter
from berrypick.measures.base import Measure
from berrypick.relevance.gains import Quantisation


def quant_parameter() -> Any:
    """The parameter of measures whose targets, where elements are judged, depend on what these are worth."""
    return parameter(
        None,
        "specificity|generalised|strict",
        "how assessments become gains, by which ideal elements are chosen; by default specificity from 2006 on, "
        "generalised up to 2005",
    )


@dataclass(frozen=True)
class TargetMeasure(Measure):
    """The reader, and which elements are targets."""

    walks: ClassVar[bool] = True

    user: str | None = parameter(None, "text", "user model, instead of the evaluation's")
    quant: Quantisation | None = quant_parameter()

    def has_readers_of(self, user: str) -> bool:
        return True
