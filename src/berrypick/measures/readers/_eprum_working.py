"""The working of EPRUM, as tables: reach, the law of the number seen, ideal lists and the terms of each sum."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from berrypick.data.arrays import BoolArray, FloatArray
from berrypick.data.reach import Reach
from berrypick.data.score import Table, number
from berrypick.kernels.joint_bounds import End, mean_terms
from berrypick.kernels.lists import ideal as ideals
from berrypick.measures._reach_tables import item_tables, law_table, reach_table, scenario_tables
from berrypick.measures._searched_lists import SearchedLists, ideal_table
from berrypick.measures.readers._expected_precision import (
    bounds_table,
    expected_inverse,
    law_after,
    precision_at_rank,
    precisions,
    tails_at_events,
    terms_table,
)
from berrypick.topics.topic import JudgedTopic

if TYPE_CHECKING:
    from berrypick.measures.readers.eprum import EPRUM


def working(measure: EPRUM, judged: JudgedTopic) -> tuple[list[str | Table], list[SearchedLists]]:
    """Return the working at each satisfaction level, and the ideal lists."""
    parts: list[str | Table] = [*item_tables(judged)]
    lists = []
    many = judged.levels
    if not any(measure.r is None or measure.r <= reach.targets for _, _, reach in many):
        parts.append("Undefined: no reader has that many ideal units.")
    for weight, ideal, reach in many:
        if len(many) > 1:
            names = [name for name, wanted in zip(judged.targets.names(), ideal, strict=True) if wanted]
            parts.append(f"For {number(weight)} of the readers the ideal units are {', '.join(names)}.")
        if measure.r is None or measure.r <= reach.targets:
            lists.append(measure.ideal_lists(judged, ideal, reach))
            parts += _explain_level(measure, judged, ideal, reach, lists[-1])
    return parts, lists


def _explain_level(
    measure: EPRUM, judged: JudgedTopic, ideal: BoolArray, reach: Reach, certificate: SearchedLists
) -> list[Table]:
    targets = [name for name, wanted in zip(judged.targets.names(), ideal, strict=True) if wanted]
    names = judged.items.names_by_rank()
    best, wanted = certificate.ideal, measure.recall_values(reach.targets)
    parts = [reach_table(reach, names, targets)]
    if measure.together == "independent":
        law = -np.diff(tails_at_events(reach, measure.law), append=0.0)
        parts += [law_table(reach, names, law), *scenario_tables(reach, names, targets)]
    elif measure.rank is None:
        parts.append(bounds_table(reach, names, wanted))
    if measure.rank is not None:
        return [*parts, _rank_terms(measure, reach, best)]
    if measure.ideal != "targets":
        parts.append(ideal_table(certificate, judged.candidates, wanted))
    inverse = expected_inverse(reach, measure.tails)
    for r in list(wanted)[:3]:
        parts.append(terms_table(reach, names, r, float(inverse[r - 1]), measure.tails))
    parts.append(_summary(measure, reach, best, inverse, list(wanted)))
    return parts


def _summary(measure: EPRUM, reach: Reach, best: ideals.Ideal, inverse: FloatArray, wanted: list[int]) -> Table:
    precision = precisions(reach, best, measure.norm, measure.tails)
    divisor = "E[ML*]" if measure.norm == "product" else "largest E[A/ML]"
    shown = best.length if measure.norm == "product" else best.inverse
    columns = (inverse, shown, precision)
    rows = [[str(r), *(number(float(column[r - 1]), 6) for column in columns)] for r in wanted]
    if len(wanted) > 1:
        rows.append(["mean", "", "", number(math.fsum(precision) / reach.targets, 6)])
    return Table("Precision at each recall value", ["r", "E[A/ML]", divisor, "precision"], rows)


def _rank_terms(measure: EPRUM, reach: Reach, best: ideals.Ideal) -> Table:
    assert measure.rank is not None
    if measure.together != "independent":
        return _rank_bounds(measure, reach, best, measure.together)
    law = law_after(reach, measure.rank, measure.law)
    length = np.concatenate([[0.0], best.length])
    rows = [
        [str(f), number(float(p), 6), number(float(m), 6), number(float(p * m), 6) if p else "0"]
        for f, (p, m) in enumerate(zip(law, length, strict=True))
    ]
    value = precision_at_rank(reach, measure.rank, best, measure.tails)
    rows.append([f"sum / {measure.rank}", "", "", number(value, 6)])
    return Table(f"After rank {measure.rank}", ["f", "P(F=f)", "E[ML*]", "product"], rows)


def _rank_bounds(measure: EPRUM, reach: Reach, best: ideals.Ideal, end: End) -> Table:
    assert measure.rank is not None
    terms = zip(*mean_terms(reach.expected_seen(measure.rank), best.length, end), strict=True)
    rows = [
        [str(m), number(float(total), 6), number(float(weight), 6), number(float(total * weight), 6)]
        for m, (total, weight) in enumerate(terms, start=1)
    ]
    value = precision_at_rank(reach, measure.rank, best, end)
    rows.append([f"sum / {measure.rank}", "", "", number(value, 6)])
    head = ["m", "P(F>=1)+..+P(F>=m)", "weight by E[ML*]", "product"]
    return Table(f"After rank {measure.rank}, without assuming independence", head, rows)
