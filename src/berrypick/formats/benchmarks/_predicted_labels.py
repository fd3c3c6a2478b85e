"""Labels that systems predict beside their evidence."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from berrypick.data.labels import LABELS
from berrypick.files.problems import Problems


class PredictedLabels:
    """The labels of a file of predictions: all results have one, or none has."""

    def __init__(self, known: Iterable[str], problems: Problems) -> None:
        self._known, self._problems = tuple(known), problems
        self._bare = self._labelled = 0
        self.of: dict[str, Any] = {}

    def read(self, value: Any, line: int) -> str:
        """A label in capitals; one outside the vocabulary is counted under its name, and '' stands for none."""
        self._bare += value is None
        self._labelled += value is not None
        label = value.upper() if isinstance(value, str) else ""
        if value is not None and label not in self._known:
            what = f"predicted labels other than {', '.join(self._known)}, and never right"
            self._problems.label(what, value, line)
        return label

    def extra(self) -> dict[str, Any]:
        """What a run has beside its results: nothing where some results have no label."""
        if self._bare and self._labelled:
            self._problems.count(
                "predictions without a label, although others have one: labels are ignored", self._bare
            )
        return {} if self._bare else {LABELS: self.of}
