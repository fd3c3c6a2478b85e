"""What the measures share whose readers move as the user model says, until they see the targets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from berrypick.data.parameters import parameter
from berrypick.measures.base import Measure
from berrypick.targets.gains import Quantisation, quant_parameter


@dataclass(frozen=True)
class TargetMeasure(Measure):
    """The reader, and which elements are targets."""

    walks: ClassVar[bool] = True

    user: str | None = parameter(None, "text", "user model, instead of the evaluation's")
    quant: Quantisation | None = quant_parameter()

    def has_readers_of(self, user: str) -> bool:
        return True
