"""charP: Of the text retrieved, the share that is relevant."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar, cast

from berrypick.data.errors import UsageError
from berrypick.data.parameters import parameter
from berrypick.data.score import Score
from berrypick.measures.spans._text import TextMeasure
from berrypick.topics.topic import JudgedTopic


@dataclass(frozen=True)
class charP(TextMeasure):
    """Of the text retrieved, the share that is relevant.

    Formula
    -------
    With U the text of the first k results and T the relevant text, each character counted once::

        charP@k = |U and T| / |U|

    Without a cut-off, of the whole list.

    Meaning
    -------
    How much of what is read is worth reading. Text retrieved twice is read once.

    Use
    ---
    Passages and chunks whose borders differ from those of the relevant text.

    Bounds
    ------
    0 to 1; 0 if nothing was retrieved, unless empty= says otherwise.

    Undefined
    ---------
    No relevant text.

    Example
    -------
    A chunk of 300 characters that holds 120 relevant ones: 120/300

    >>> import berrypick as bp
    >>> bp.score("charP", {"q": {"doc#100-220": 1}}, {"q": {"doc#0-300": 1}})
    0.4
    """

    curve_axes: ClassVar[tuple[str, str]] = ("rank", "precision")
    scored_in_blocks: ClassVar[bool] = True

    empty: float | None = parameter(None, "number", "value where nothing was retrieved: 0, or 1 as in FEVER's program")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.empty is not None and not 0 <= self.empty <= 1:
            raise UsageError(f"charP: empty= must be a precision from 0 to 1, not {self.empty:g}")

    def used_values(self) -> dict[str, Any]:
        return super().used_values() | {"empty": self.empty or 0.0}

    def for_rules(self, rules: frozenset[str]) -> charP:
        found = cast(charP, super().for_rules(rules))
        return replace(found, empty=1.0) if "empty-is-one" in rules and found.empty is None else found

    def value(self, retrieved: float, relevant: float, total: float) -> float:
        return relevant / retrieved if retrieved > 0 else self.empty or 0.0

    def missing_topic_score(self, judged: JudgedTopic) -> Score:
        return Score(self.empty or 0.0)

    def empty_topic_score(self, judged: JudgedTopic) -> Score:
        """FEVER's program counts whatever is predicted for a claim without evidence as wrong."""
        if "no-evidence-is-found" not in judged.rules or judged.truth.unanswerable:
            return Score(None)
        returned = judged.answered and (judged.ranking.rank < (self.at or math.inf)).any()
        return Score(0.0 if returned else self.empty or 0.0)
