"""Trying laws: variants are drawn, values compared, and what breaks a law is made small."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from berrypick.data.errors import BerrypickError, UsageError
from berrypick.data.laws import LAWS, laws_problem
from berrypick.data.truth import TopicTruth
from berrypick.evaluation.evaluation import Evaluation
from berrypick.evaluation.options import EvaluationOptions, takes_options
from berrypick.evaluation.requested import MeasuresGiven, RequestedMeasure, given_measures
from berrypick.testing import carriers, lists, machine, orders
from berrypick.testing.case import Case, Values, cases_of
from berrypick.testing.law import Law
from berrypick.testing.result import BrokenLaw, LawRow, Laws
from berrypick.testing.rows import results_of
from berrypick.testing.shrink import smallest, with_only

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from berrypick.evaluation.options import EvaluationKeywords
    from berrypick.workers.progress import Progress

#: Variants of truths with more topics are drawn from samples of so many topics; so many samples there are.
TOPICS, SAMPLES = 25, 4
#: Ways to break a law that are tried on a smaller case.
TRIES = 4

ALL = {
    law.name: law
    for law in (
        Law("truth-order", orders.shuffled_truth, "the truth has a single line"),
        Law("tie-order", orders.shuffled_ties, "no ties, or ties that keep the order of the file",
            key=orders.by_documents),
        Law("document-names", orders.renamed_documents, "no documents"),
        Law("topic-names", orders.renamed_topics, "no topics"),
        Law("score-scale", orders.scaled_scores, "the run has no scores"),
        Law("split-span", lists.split_span, "no span that can be split"),
        Law("junk-after-cut", lists.junk_behind, "no cut-off, or no list that gets to it", key=lists.cut_of),
        Law("kernels", machine.other_kernels, "the compiled kernels are not installed", most=lambda c: 1, whole=True),
        Law("jobs", machine.two_processes, "", tolerance=0.0, most=lambda c: 1, whole=True),
        Law("carrier", carriers.carried, "nothing else holds it", tolerance=0.0,
            most=lambda case: len(carriers.carriers(case))),
        Law("relevant-added", lists.relevant_added, "no relevant result to add", moves=True),
        Law("reach-raised", machine.raised_reach, "no reach to raise", moves=True, key=machine.reads_reach),
    )
}  # fmt: skip
assert list(ALL) == list(LAWS)


@takes_options
def laws(
    truth: Any,
    runs: Any,
    measures: MeasuresGiven = (),
    *,
    only: Sequence[str] = (),
    variants: int = 20,
    seed: int = 0,
    progress: Progress | None = None,
    **options: Unpack[EvaluationKeywords],
) -> Laws:
    """Test the laws that measures declare on variants of a truth and runs.

    A law states what a value must not depend on (the order of the truth's lines, names of documents, kernels, ...), or
    in which direction it moves.

    Parameters
    ----------
    truth
        The judgements, as in :func:`berrypick.evaluate`.
    runs
        The runs, as there.
    measures
        The measures, as there.
    only : sequence of str
        Some laws by name; all by default.
    variants : int
        How many variants of each law are drawn for each run; there is one each for kernels and jobs, and one for each
        carrier.
    seed : int
        The random seed of the variants.
    progress : callable, optional
        Called with (done, of).
    **options
        The options of :func:`berrypick.evaluate`.

    Returns
    -------
    Laws
        The laws tested, and those broken.

    Examples
    --------
    >>> import berrypick as bp
    >>> found = bp.laws({"q": {"a": 1, "b": 1}}, {"q": {"c": 3, "a": 2}}, "RR", variants=2)
    >>> found.broken
    ()
    """
    measures = given_measures(measures, options)
    given = EvaluationOptions.from_arguments(options, "laws")
    return check_laws(truth, runs, measures, given, variants, seed, progress, only)


def check_laws(
    truth: Any,
    runs: Any,
    measures: MeasuresGiven,
    options: EvaluationOptions,
    variants: int = 20,
    seed: int = 0,
    progress: Progress | None = None,
    only: Sequence[str] = (),
) -> Laws:
    """The same with options as one value."""
    for name, value in (("variants", variants), ("seed", seed)):
        if not isinstance(value, Integral) or isinstance(value, bool) or value < (name == "variants"):
            raise UsageError(f"{name} is a whole number from {int(name == 'variants')}, not {value!r:.60}")
    only = (only,) if isinstance(only, str) else tuple(only)
    if problem := laws_problem(only):
        raise UsageError(f"only: {problem}")
    evaluation = Evaluation._from_options(truth, runs, measures, options)
    cases = cases_of(evaluation)
    tally = {(one.text, law): _Tally() for one in evaluation.measures for law in _declared(evaluation, one, only)}
    sampled = {name: _Sampled(case, int(seed)) for name, case in cases.items()}
    for done, (name, law) in enumerate((name, law) for name in cases for law in ALL.values()):
        declared = [one for one in evaluation.measures if (one.text, law.name) in tally]
        trial = _Trial(name, sampled[name], law, int(variants), int(seed))
        for group in _groups(declared, cases[name], law):
            trial.run(group, {one.text: tally[one.text, law.name] for one in group})
        if progress is not None:
            progress(done + 1, len(cases) * len(ALL))
    rows = [
        LawRow(text, law, found.variants, "" if found.variants else ALL[law].idle, found.broken)
        for (text, law), found in tally.items()
    ]
    return Laws(tuple(rows), int(seed), tuple(evaluation.notes))


def _declared(evaluation: Evaluation, one: RequestedMeasure, only: Sequence[str]) -> Iterator[str]:
    """The laws of a measure, but for those that its reader breaks."""
    reads = "user" in one.measure.dependencies()
    breaks = evaluation.contexts[one.text].user.breaks if reads else ()
    for law in one.measure.kept_laws():
        if law not in breaks and (not only or law in only):
            yield law


def _groups(measures: Sequence[RequestedMeasure], case: Case, law: Law) -> Iterator[list[RequestedMeasure]]:
    """Measures that share their variants."""
    found: dict[Hashable, list[RequestedMeasure]] = {}
    for one in measures:
        found.setdefault(law.key(case, one), []).append(one)
    yield from found.values()


@dataclass
class _Tally:
    """What was found of one law of one measure."""

    variants: int = 0
    broken: BrokenLaw | None = None


class _Sampled:
    """A case, and samples of its topics where it has many; values are computed once."""

    def __init__(self, case: Case, seed: int) -> None:
        self.whole = case
        topics = list(case.truth.topics)
        self.samples = [case]
        if len(topics) > TOPICS:
            rng = np.random.default_rng([seed, len(topics)])
            answered = [topic for topic in topics if case.run.size(topic)]
            self.samples = []
            for _ in range(SAMPLES):
                chosen = {answered[int(rng.integers(len(answered)))]} if answered else set()
                chosen |= set(rng.permutation(topics)[: TOPICS - 1].tolist())
                self.samples.append(with_only(case, [topic for topic in topics if topic in chosen]))
        self._values: dict[tuple[int, tuple[str, ...]], Values] = {}

    def at(self, number: int, whole: bool) -> Case:
        """The case of the n-th variant."""
        return self.whole if whole else self.samples[number % len(self.samples)]

    def values(self, case: Case, measures: Sequence[RequestedMeasure]) -> Values:
        """Of one of its own cases."""
        key = (id(case), tuple(one.text for one in measures))
        if key not in self._values:
            self._values[key] = case.values(measures)
        return self._values[key]


@dataclass(frozen=True)
class _BrokenLaw:
    """Where a variant breaks a law."""

    topic: str
    what: str
    value: float | None
    changed: float | None
    error: str = ""


@dataclass
class _Trial:
    """One law on one run."""

    run_name: str
    sampled: _Sampled
    law: Law
    variants: int
    seed: int
    tries: int = field(default=TRIES)

    def run(self, measures: Sequence[RequestedMeasure], tally: dict[str, _Tally]) -> None:
        """Draw all variants for measures that share them."""
        most = self.variants if self.law.most is None else self.law.most(self.sampled.at(0, self.law.whole))
        for number in range(most):
            left = [one for one in measures if tally[one.text].broken is None]
            if not left:
                return
            case = self.sampled.at(number if self.law.most is None else 0, self.law.whole)
            found = self._try(case, left, number)
            for one in left if found is not None else ():
                tally[one.text].variants += 1
                if found and (difference := found.get(one.text)) is not None:
                    tally[one.text].broken = self._broken(case, one, number, difference)

    def _try(self, case: Case, measures: Sequence[RequestedMeasure], number: int) -> dict[str, _BrokenLaw] | None:
        """The differences by measure; None if there is no such variant."""
        before = self.sampled.values(case, measures)
        try:
            return self._differences(case, measures, number, 0, before)
        except BerrypickError as error:
            if len(measures) == 1:
                return {measures[0].text: _failed(before, _name(self.law), error)}
        parts = [self._try(case, [one], number) for one in measures]
        return {text: found for part in parts if part for text, found in part.items()}

    def _differences(
        self, case: Case, measures: Sequence[RequestedMeasure], number: int, again: int, before: Values
    ) -> dict[str, _BrokenLaw] | None:
        rng = np.random.default_rng([self.seed, list(ALL).index(self.law.name), number, again])
        variant = self.law.vary(case, measures, rng, number)
        if variant is None:
            return None
        try:
            after = variant.values(measures)
        except BerrypickError as error:
            if variant.may_refuse:
                return None
            if len(measures) > 1:  # which of them it is
                raise
            return {measures[0].text: _failed(before, variant.what, error)}
        found: dict[str, _BrokenLaw] = {}
        by_text = {one.text: one for one in measures}
        for (text, topic), value in before.items():
            changed = after.get((text, topic))
            if text not in found and self.law.broken(by_text[text], value, changed):
                found[text] = _BrokenLaw(topic, variant.what, value, changed)
        return found

    def _broken(self, case: Case, one: RequestedMeasure, number: int, first: _BrokenLaw) -> BrokenLaw:
        last = {"difference": first}

        def breaks(smaller: Case) -> bool:
            found = self._first(smaller, one, number, bool(first.error))
            if found is not None:
                last["difference"] = found
            return found is not None

        least = case if self.law.whole and self.law.name == "jobs" else smallest(case, breaks, first.topic)
        shown = last["difference"]
        topic = least.truth.topics[shown.topic]
        return BrokenLaw(
            one.text,
            self.law.name,
            self.run_name,
            shown.topic,
            shown.what,
            shown.value,
            shown.changed,
            shown.error,
            tuple(_units(topic)),
            tuple(row.name for row in results_of(least.run, shown.topic)),
        )

    def _first(self, case: Case, one: RequestedMeasure, number: int, as_error: bool) -> _BrokenLaw | None:
        """A way in which a smaller case breaks the law too, in the same manner."""
        try:
            before = case.values([one])
        except BerrypickError:
            return None
        for again in range(self.tries):
            try:
                found = self._differences(case, [one], number, again, before)
            except BerrypickError as error:
                found = {one.text: _failed(before, _name(self.law), error)}
            if found and bool(found[one.text].error) == as_error:
                return found[one.text]
        return None


def _failed(before: Values, what: str, error: BerrypickError) -> _BrokenLaw:
    (_, topic), value = next(iter(before.items()))
    return _BrokenLaw(topic, what, value, None, str(error).partition("\n")[0])


def _name(law: Law) -> str:
    return (law.vary.__doc__ or law.name).partition(".")[0]


def _units(topic: TopicTruth) -> Iterator[str]:
    """What is judged, as a person would write it."""
    for row in range(len(topic)):
        place = "" if topic.start is None or topic.end is None else f"#{topic.start[row]:g}-{topic.end[row]:g}"
        yield f"{topic.document[row]}{topic.path[row] if topic.path else ''}{place} ({topic.grade[row]:g})"
    yield from (f"{one.document}:{one.start}..{one.end}" for one in topic.passages)
