"""What simulated readers see together, by names: their walk, or one of the joint laws that go with reach."""

from __future__ import annotations

from typing import Literal, get_args

from berrypick.data.errors import UsageError, option

TogetherName = Literal["walk", "independent", "most", "least"]
TOGETHER: tuple[TogetherName, ...] = get_args(TogetherName)


def refuse_unsimulated(together: str | None) -> None:
    """Raise an error if it is said what readers see together, and none are simulated."""
    if together is not None:
        raise UsageError(f"{option('together', together)} applies to simulated readers: give {option('simulate')} too")
