"""Values by the judgements of a model, next to those by people."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

#: The field of a signature, and of JSON rows, that says that a mean is model-assisted.
MODEL_TRUTH = "model-truth"
RunValues = Mapping[str, Mapping[str, Mapping[str, "float | None"]]]


@dataclass(frozen=True)
class ModelValues:
    """What a model's judgements say of the same runs: by run, measure and topic, on the topics that people judged and
    on others; and the file of the judgements."""

    values: RunValues = field(repr=False)
    source: str = ""

    def of(self, run: str, measure: str) -> Mapping[str, float | None]:
        """Return the values of a run under a measure, by topic."""
        return self.values.get(run, {}).get(measure, {})

    def only(self, runs: Collection[str], measures: Collection[str]) -> ModelValues:
        """Return the values of some runs and measures."""
        kept = {
            run: {measure: values for measure, values in of_run.items() if measure in measures}
            for run, of_run in self.values.items()
            if run in runs
        }
        return replace(self, values=kept)

    def renamed(self, names: Mapping[str, str]) -> ModelValues:
        """Return the same with other names of runs."""
        return replace(self, values={names.get(run, run): of_run for run, of_run in self.values.items()})


def joined_model_values(parts: Sequence[ModelValues | None]) -> ModelValues | None:
    """Return the values of several results; None where one of them has none."""
    known = [one for one in parts if one is not None]
    if not known or len(known) < len(parts):
        return None
    values: dict[str, dict[str, Mapping[str, float | None]]] = {}
    for one in known:
        for run, of_run in one.values.items():
            values.setdefault(run, {}).update(of_run)
    return replace(known[0], values=values)
