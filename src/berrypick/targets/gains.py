"""What a judged element is worth: specificity, or a quantisation of its grades."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from berrypick.data.arrays import FloatArray
from berrypick.data.errors import UsageError
from berrypick.data.parameters import parameter
from berrypick.data.truth import TopicTruth

Quantisation = Literal["specificity", "generalised", "strict"]

#: Generalised quantisation of (exhaustivity, specificity) from 0 to 3 (PRUM appendix C.1).
GENERALISED = {
    (3, 3): 1.0,
    (2, 3): 0.75, (3, 2): 0.75, (3, 1): 0.75,
    (1, 3): 0.5, (2, 2): 0.5, (2, 1): 0.5,
    (1, 1): 0.25, (1, 2): 0.25,
}  # fmt: skip


def quant_parameter() -> Any:
    """The parameter of measures whose targets, where elements are judged, depend on what these are worth."""
    return parameter(
        None,
        "specificity|generalised|strict",
        "how assessments become gains, by which ideal elements are chosen; by default specificity from 2006 on, "
        "generalised up to 2005",
    )


def default_quantisation(scale: str) -> Quantisation:
    """Specificity from 2006 on; generalised before, when exhaustivity was judged."""
    return "generalised" if scale in ("2002", "2005") else "specificity"


def specificity_of(topic: TopicTruth, scale: str) -> FloatArray:
    """The share of an element that is relevant; grades from 0 to 3 divided by 3; nan where unknown."""
    found = np.full(len(topic), np.nan)
    if topic.specificity is not None:
        found = topic.specificity / 3 if scale == "2002" else topic.specificity.copy()
    if scale != "2002" and topic.size is not None and topic.rsize is not None:
        known = ~np.isnan(topic.rsize) & (topic.size > 0)
        found[known] = topic.rsize[known] / topic.size[known]
    return found


def exhaustivity_of(topic: TopicTruth, scale: str) -> FloatArray:
    """How exhaustive an element is, from 0 to 1; where only specificity was judged, 1 for what is relevant."""
    relevant = (topic.grade > 0).astype(np.float64)
    if topic.exhaustivity is None or scale == "sizes":
        return relevant
    best = 3.0 if scale == "2002" else 2.0
    return np.where(np.isnan(topic.exhaustivity), relevant, topic.exhaustivity / best)


def gains_of(topic: TopicTruth, scale: str, quant: Quantisation | None) -> FloatArray:
    """The gain of every judged element; what was not assessed is worth nothing."""
    chosen = quant or default_quantisation(scale)
    if scale == "2002":
        gain = _from_grades(topic, chosen)
    else:
        specificity, exhaustivity = specificity_of(topic, scale), exhaustivity_of(topic, scale)
        if chosen == "specificity":
            gain = specificity
        elif chosen == "generalised":
            gain = exhaustivity * specificity
        else:
            gain = ((exhaustivity == 1) & (specificity == 1)).astype(np.float64)
    return np.where(np.isnan(gain) | (topic.grade <= 0), 0.0, gain)


def _from_grades(topic: TopicTruth, quant: Quantisation) -> FloatArray:
    if quant == "specificity":
        raise UsageError(
            "quant='specificity' needs the sizes of elements; this truth has grades from 0 to 3: "
            "use quant='generalised' or quant='strict'"
        )
    assert topic.exhaustivity is not None and topic.specificity is not None
    gain = np.zeros(len(topic))
    for row, pair in enumerate(zip(topic.exhaustivity.tolist(), topic.specificity.tolist(), strict=True)):
        if not any(np.isnan(pair)):
            value = GENERALISED.get((int(pair[0]), int(pair[1])), 0.0)
            gain[row] = value if quant == "generalised" else float(value == 1.0)
    return gain
