"""One run against one truth: what a law varies, and the values of measures on it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from berrypick.data.run import Run
from berrypick.data.truth import Truth
from berrypick.evaluation.evaluation import Evaluation
from berrypick.evaluation.requested import RequestedMeasure
from berrypick.evaluation.scoring import score_run
from berrypick.topics.context import JudgingContext

#: By measure and topic.
Values = Mapping[tuple[str, str], float | None]


@dataclass(frozen=True, eq=False)
class Case:
    """An evaluation of one run, everything read and prepared."""

    evaluation: Evaluation

    @property
    def truth(self) -> Truth:
        return self.evaluation.truth

    @cached_property
    def run(self) -> Run:
        """The run, prepared."""
        [source] = self.evaluation.inputs.sources
        return self.evaluation.inputs.load(source)

    def changed(
        self,
        *,
        truth: Truth | None = None,
        run: Run | None = None,
        context: Callable[[JudgingContext], JudgingContext] = replace,
    ) -> Case:
        """With another truth, another run, or other contexts; nothing that was prepared for the old ones is kept."""
        old = self.evaluation
        made = {id(one): context(one) for one in (old.context, *old.contexts.values())}
        inputs = replace(old.inputs, sources=(self.run if run is None else run,), stream=None)
        return Case(
            replace(
                old,
                truth=self.truth if truth is None else truth,
                inputs=inputs,
                context=made[id(old.context)],
                contexts={text: made[id(one)] for text, one in old.contexts.items()},
                groups=None,
            )
        )

    def of(self, measures: Sequence[RequestedMeasure]) -> Evaluation:
        """The evaluation with some of its measures."""
        return replace(self.evaluation, measures=tuple(measures))

    def values(self, measures: Sequence[RequestedMeasure]) -> Values:
        """The value of every topic."""
        scored = score_run(self.of(measures), False, self.run, lambda done: None, all_notes=False)
        found = scored.scores.found.items()
        return {(text, topic): value for text, scores in found for topic, value in scores.numbers.items()}


def cases_of(evaluation: Evaluation) -> dict[str, Case]:
    """A case for each run, by its name."""
    alone = {name: replace(evaluation.inputs, sources=(run,), stream=None) for name, run in evaluation.runs.items()}
    return {name: Case(replace(evaluation, inputs=inputs, groups=None)) for name, inputs in alone.items()}
