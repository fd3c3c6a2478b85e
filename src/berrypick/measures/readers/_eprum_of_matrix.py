"""EPRUM of a person's own matrix of reach."""

from __future__ import annotations

import warnings
from typing import Any, overload

from berrypick.data.arrays import FloatArray
from berrypick.data.errors import BerrypickWarning, UsageError
from berrypick.data.reach import Reach
from berrypick.measures._reach_tables import whole_recall
from berrypick.measures._searched_lists import IdealName, ideal_list
from berrypick.measures.readers._certificate import NormName, gap_notes
from berrypick.measures.readers._expected_precision import LawName, TogetherName, precisions
from berrypick.measures.readers.eprum import EPRUM


@overload
def eprum(
    reach: Any,
    recall: None = None,
    *,
    candidates: Any = None,
    ideal: IdealName = "targets",
    norm: NormName = "product",
    law: LawName = "exact",
    together: TogetherName = "independent",
    gap: float | None = None,
    nodes: int | None = None,
    seconds: float | None = None,
) -> FloatArray: ...
@overload
def eprum(
    reach: Any,
    recall: int,
    *,
    candidates: Any = None,
    ideal: IdealName = "targets",
    norm: NormName = "product",
    law: LawName = "exact",
    together: TogetherName = "independent",
    gap: float | None = None,
    nodes: int | None = None,
    seconds: float | None = None,
) -> float: ...
def eprum(
    reach: Any,
    recall: int | None = None,
    *,
    candidates: Any = None,
    ideal: IdealName = "targets",
    norm: NormName = "product",
    law: LawName = "exact",
    together: TogetherName = "independent",
    gap: float | None = None,
    nodes: int | None = None,
    seconds: float | None = None,
) -> FloatArray | float:
    """Compute EPRUM from your own matrix of reach: precision at every recall value, or at one of them.

    A list that is not proven to be within ``gap`` of the best is a :class:`~berrypick.BerrypickWarning`.

    Parameters
    ----------
    reach : matrix
        Ranks x targets, dense or SciPy sparse, values in [0, 1].
    recall : int, optional
        One recall value, from 1 to the number of targets.
    candidates : matrix, optional
        The rows that an ideal list may be made of, for ``ideal='greedy'``, ``'exact'`` and ``'certified'``; by default
        the identity.
    ideal : {'targets', 'greedy', 'exact', 'certified'}
        How the ideal list is found.
    norm : {'product', 'bounded'}
        As the parameter of the measure.
    law : {'exact', 'normal'}
        How the distribution of targets seen is computed.
    together : {'independent', 'low', 'high'}
        Joint distribution of the targets seen: independent, or bounds without that assumption.
    gap : float, optional
        The relative gap that certified lists should be within.
    nodes : int, optional
        Number of sets that a certified search examines.
    seconds : float, optional
        The time after which a certified search ends.

    Returns
    -------
    array or float
        Precision at recall 1 .. t, or at ``recall``; nan where undefined.

    Examples
    --------
    >>> import berrypick as bp
    >>> round(bp.eprum([[0.4, 0.4], [0.6, 0.4], [1, 0]], recall=2), 4)
    0.7488
    """
    # refuses what does not go together
    measure = EPRUM(ideal=ideal, norm=norm, law=law, together=together, gap=gap, nodes=nodes, seconds=seconds)
    matrix = Reach.of(reach)
    rows = Reach.identity(matrix.targets) if candidates is None else Reach.of(candidates)
    if rows.targets != matrix.targets:
        raise UsageError(f"candidates have {rows.targets} columns, reach has {matrix.targets}")
    wanted = tuple(range(1, matrix.targets + 1))
    if recall is not None:
        wanted = (whole_recall(recall, matrix.targets),)
    best = ideal_list(measure, rows, matrix, wanted)
    for note in gap_notes(measure, [best]) if ideal == "certified" else ():
        warnings.warn(note, BerrypickWarning, stacklevel=2)
    precision = precisions(matrix, best.ideal, norm, measure.tails)
    return precision if recall is None else float(precision[wanted[0] - 1])
