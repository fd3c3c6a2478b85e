"""How far several annotators agree on which text is relevant."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import numpy as np

from berrypick.data.annotators import votes_of
from berrypick.data.errors import UsageError, library, one_line
from berrypick.data.score import Table
from berrypick.data.truth import Truth
from berrypick.data.words import counted, unit_word
from berrypick.formats import positions_in
from berrypick.given.convert import TruthLike, as_truth
from berrypick.tables.tabular import Tabular, shown


@dataclass(frozen=True)
class Agreement(Tabular):
    """Agreement on characters that two annotators or more have judged.

    Attributes
    ----------
    annotators
        Their names.
    alpha
        Krippendorff's alpha, nominal; None if annotators share no text or all judgements are equal.
    characters
        Number of characters judged by two or more annotators.
    alike
        Share of these on which all agree.
    unit
        What positions count: character, second, or unit where that is not known.

    Examples
    --------
    >>> import berrypick as bp
    >>> print(bp.Agreement(("Ana", "Ben"), 0.5, 200, 0.8))
    Krippendorff's alpha 0.5000 over 200 characters, 80.0% of them judged alike by all (Ana, Ben)
    """

    annotators: tuple[str, ...]
    alpha: float | None
    characters: int
    alike: float | None
    unit: str = "character"

    def records(self) -> list[dict[str, Any]]:
        """Return one object with everything."""
        return [{**asdict(self), "annotators": [*self.annotators]}]

    def rows(self) -> list[dict[str, Any]]:
        return [{**asdict(self), "annotators": ", ".join(self.annotators)}]

    def tables(self, places: int = 4) -> list[Table]:
        cells = [", ".join(self.annotators), shown(self.alpha, places), str(self.characters), shown(self.alike, places)]
        return [Table("", ["annotators", "alpha", "characters", "alike"], [cells])]

    def __str__(self) -> str:
        alpha = "undefined" if self.alpha is None else f"{self.alpha:.4f}"
        alike = "" if self.alike is None else f", {100 * self.alike:.1f}% of them judged alike by all"
        who = one_line(", ".join(self.annotators))
        return f"Krippendorff's alpha {alpha} over {counted(self.characters, self.unit)}{alike} ({who})"


def agreement(truth: TruthLike) -> Agreement:
    """Compute Krippendorff's alpha of several annotators, over characters that at least two of them have judged.

    Relevant and not relevant are two nominal values; each character is a unit. Text that only one annotator has judged
    does not count.

    Parameters
    ----------
    truth : TruthLike
        Judgements that say who judged.

    Returns
    -------
    Agreement
        Alpha, and the share of the characters that are judged alike.

    Examples
    --------
    >>> import berrypick as bp
    >>> lines = [{"topic": "q", "doc": "guide", "start": 0, "end": 20, "grade": 1, "annotator": "Ana"},
    ...          {"topic": "q", "doc": "guide", "start": 0, "end": 15, "grade": 1, "annotator": "Ben"},
    ...          {"topic": "q", "doc": "guide", "start": 15, "end": 20, "grade": 0, "annotator": "Ben"}]
    >>> bp.agreement(lines).alike
    0.75
    """
    judged: Truth = as_truth(truth)
    if len(judged.annotators) < 2:
        raise UsageError(f"{judged.source or 'the truth'} has one annotator; agreement needs two")
    if judged.of_pages:
        raise UsageError(f"{judged.source or 'the truth'} judges places on pages; agreement is computed over text")
    counts: dict[tuple[int, int], float] = {}
    for name in judged.topics:
        found = [topics[name] for topics in judged.annotators.values() if name in topics]
        if len(found) < 2:
            continue
        shared = {d for a, b in combinations(found, 2) for d in {*a.documents()} & {*b.documents()}}
        pieces, votes = votes_of(found, shared)
        relevant, known = (votes > 0).sum(axis=0), (~np.isnan(votes)).sum(axis=0)
        for good, all_of, length in zip(relevant.tolist(), known.tolist(), pieces.length.tolist(), strict=True):
            if all_of > 1 and length:
                key = (good, all_of - good)
                counts[key] = counts.get(key, 0.0) + length
    size = sum(counts.values())
    alike = sum(length for (good, bad), length in counts.items() if not (good and bad))
    return Agreement(
        tuple(judged.annotators), _alpha(counts), round(size), alike / size if size else None, _unit(judged)
    )


def _unit(truth: Truth) -> str:
    return (
        unit_word(truth.unit)
        if truth.unit
        else unit_word("chars" if truth.offsets is not None else positions_in(truth.format))
    )


def _alpha(counts: dict[tuple[int, int], float]) -> float | None:
    """By the library, which takes a row for each unit."""
    krippendorff = library("krippendorff", "agreement needs krippendorff", "annotations")
    rows = np.repeat(np.array(list(counts), dtype=np.int64).reshape(-1, 2), [round(n) for n in counts.values()], axis=0)
    if not len(rows) or not rows.sum(axis=0).all():  # nothing shared, or one value only
        return None
    return float(krippendorff.alpha(value_counts=rows, level_of_measurement="nominal"))
