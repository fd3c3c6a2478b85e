"""Names of measures as stores of experiments accept them."""

from __future__ import annotations

import re
from collections.abc import Iterable

#: The longest name that MLflow accepts.
LONGEST_METRIC = 250


def metric_names(measures: Iterable[str]) -> dict[str, str]:
    """A name for each measure that MLflow accepts: letters, digits, ``_``, ``-`` and ``.``; no two are the same.

    >>> metric_names(["charR@5", "AgP(score='t2i',tolerance=300)", "EPRUM"])
    {'charR@5': 'charR_at_5', "AgP(score='t2i',tolerance=300)": 'AgP_score_t2i_tolerance_300', 'EPRUM': 'EPRUM'}
    """
    found: dict[str, str] = {}
    used: set[str] = set()
    for measure in measures:
        plain = re.sub(r"[^A-Za-z0-9_.-]+", "_", measure.replace("@", "_at_")).strip("_.") or "measure"
        name, count = plain[:LONGEST_METRIC], 1
        while name.lower() in used:  # some stores are folders that do not distinguish capitals
            count += 1
            name = f"{plain[: LONGEST_METRIC - 8]}_{count}"
        used.add(name.lower())
        found[measure] = name
    return found
