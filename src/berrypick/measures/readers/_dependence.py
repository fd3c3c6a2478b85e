"""EPRUM without the independence of targets: what its bounds take, and bounds of the difference of two lists."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from berrypick.data.errors import UsageError
from berrypick.kernels.joint_bounds import TwoLists
from berrypick.measures.readers._expected_precision import pair_ends
from berrypick.topics.topic import JudgedTopic
from berrypick.topics.two_lists import reach_of_both

if TYPE_CHECKING:
    from berrypick.measures.readers.eprum import EPRUM

#: What is said of bounds that are not those of one recall value.
ADDED_UP = (
    "the bounds at several recall values or satisfaction levels are added up, though no joint law need attain all of "
    "them: they hold, and are wide; EPRUM(r=..,together=..) gives each of them"
)


def check_together(measure: EPRUM) -> None:
    """Refuse parameters that assume a law of the number seen."""
    if measure.law != "exact":
        raise UsageError(
            f"EPRUM(together='{measure.together}') holds for every distribution of the number seen; it takes no "
            "law='normal'"
        )
    if measure.norm != "product":
        raise UsageError(
            f"EPRUM(together='{measure.together}') takes no norm='bounded', which is bounded under independence"
        )


def adds_up(measure: EPRUM, judged: JudgedTopic) -> bool:
    """Return whether the bounds of several recall values or satisfaction levels are added up."""
    if measure.together == "independent" or measure.rank is not None:
        return False
    return sum(len(measure.recall_values(reach.targets)) for _, _, reach in judged.levels) > 1


def bounds_of_pair(measure: EPRUM, one: JudgedTopic, other: JudgedTopic) -> tuple[float, float] | None:
    """Return bounds of the difference of two lists over all satisfaction levels; None where they are not known."""
    both = reach_of_both(one, other)
    parts = []
    for (weight, ideal, first), (_, _, second) in zip(one.levels, other.levels, strict=True):
        if measure.r is not None and measure.r > first.targets:
            continue
        best, versus = (measure.ideal_lists(*level).ideal for level in ((one, ideal, first), (other, ideal, second)))
        lists = TwoLists(first, second, both if both is None or ideal.all() else both.columns(ideal))
        ends = pair_ends(lists, best, versus, measure.recall_values(first.targets), measure.rank)
        if ends is None:
            return None
        parts.append((weight, ends))
    if not parts:
        return None
    total = math.fsum(weight for weight, _ in parts)
    low, high = (math.fsum(weight * ends[side] for weight, ends in parts) / total for side in (0, 1))
    return low, high
