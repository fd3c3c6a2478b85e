"""Retrieval in tests: a plugin for pytest.

from berrypick.pytest import assert_retrieval

def test_retrieval(berrypick_truth):
    assert_retrieval(berrypick_truth, "runs/today.jsonl", "charR@5 >= 0.8", "Overlap <= 0.2")

``berrypick_truth`` is the truth that the setting of the same name says, read once in a session::

    [tool.pytest.ini_options]
    berrypick_truth = "tests/truth.jsonl"

pytest loads this module at every start, so it imports the rest of berrypick only where something is used.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from berrypick.analysis.comparison.comparison import Comparison
    from berrypick.data.results import Results
    from berrypick.data.truth import Truth
    from berrypick.evaluation.evaluation import Evaluation
    from berrypick.evaluation.options import EvaluationKeywords

__all__ = ["assert_retrieval", "berrypick_truth"]

#: So many of the worst topics are shown.
SHOWN = 5

_CONDITION = re.compile(r"\s*(.+?)\s*(>=|<=|>|<)\s*([^<>=\s]+)\s*")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini("berrypick_truth", "path of the truth for the fixture berrypick_truth, from the root folder")


@pytest.fixture(scope="session")
def berrypick_truth(pytestconfig: pytest.Config) -> Truth:
    """The truth in the file that the setting ``berrypick_truth`` names."""
    name = pytestconfig.getini("berrypick_truth")
    if not name:
        remedy = "name its file in pytest's settings, as in berrypick_truth = tests/truth.jsonl"
        pytest.fail(f"berrypick_truth: {remedy}", pytrace=False)
    from berrypick.data.errors import BerrypickError
    from berrypick.formats import read_truth

    try:
        return read_truth(str(pytestconfig.rootpath / name))
    except BerrypickError as error:
        pytest.fail(f"berrypick_truth: {error}", pytrace=False)


def assert_retrieval(
    truth: Any,
    run: Any,
    *conditions: str,
    baseline: Any = None,
    margin: float = 0.0,
    ledger: str | PathLike[str] | None = None,
    ledger_head: str | None = None,
    commit: str | None = None,
    model_truth: Any = None,
    **options: Unpack[EvaluationKeywords],
) -> Results:
    """Fail unless the means of a run (of each, if there are several) meet every condition; return the results.

    ``truth``, ``run`` and ``options`` are those of :func:`berrypick.evaluate`. A condition is a measure, one of ``>=``,
    ``<=``, ``>`` and ``<``, and a number: ``"charR@5 >= 0.8"``. Equal passes ``>=`` and ``<=``, also where rounding has
    made the difference. A mean that is undefined, because no topic has a value, meets no condition. A measure of whole
    documents where parts are judged is refused: text that never touches an answer would meet a condition on it.

    ``baseline`` is another run, such as that of the main branch: no run may be significantly worse than it on any
    measure of the conditions (else on those that fit what is judged), by more than ``margin``, as in ``compare``.
    ``detectable`` of the results has by run and measure the smallest true drop that this would report with probability
    0.8 on these topics, None where that is not known; a failure says it too.

    ``ledger``, ``ledger_head`` and ``commit`` are those of :func:`berrypick.compare`: the file counts looks, and the
    notes of the results say which look it was. A run that does not meet a condition is a look, too.

    ``model_truth`` has judgements by a model, as in :func:`berrypick.evaluate`: ``truth`` has those by people, and
    conditions, the test against the baseline and ``detectable`` are model-assisted.
    """
    __tracebackhide__ = True
    from berrypick.analysis.comparison.gates import answered_topics, averages_own_topics, gated_evaluation
    from berrypick.analysis.ledger.looks import check_ledger, look_notes
    from berrypick.data.errors import UsageError
    from berrypick.evaluation.functions import decided

    if not conditions and baseline is None:
        raise UsageError('assert_retrieval takes conditions, as in assert_retrieval(truth, run, "charR@5 >= 0.8")')
    wanted = [Condition.parse(text) for text in conditions]
    measures = list(dict.fromkeys(one.measure for one in wanted))
    if baseline is None and margin:
        raise UsageError("margin needs baseline: name the run that no other may be worse than")
    check_ledger(ledger, ledger_head, commit, options)
    evaluation = gated_evaluation(truth, run, measures, options, once=model_truth is None)
    before = None if baseline is None else _baseline(truth, baseline, evaluation, options)
    if before is not None and averages_own_topics(options):
        topics = answered_topics(before, *before.runs)
        evaluation, before = evaluation.scoring_topics(topics), before.scoring_topics(topics)
    results = decided(evaluation, "A test") if model_truth is None else _assisted(truth, run, evaluation, model_truth)
    unmet = [(name, one) for name, means in results.mean().items() for one in wanted if not one.met(means[one.measure])]
    worse: list[str] = []
    sees: list[str] = []
    if before is not None or ledger is not None:
        earlier = None
        if before is not None:
            with_model = model_truth is not None
            earlier = _assisted(truth, baseline, before, model_truth) if with_model else decided(before, "A test")
        compared = _compared(results, earlier)
        if before is not None:
            worse, sees, results = _worse(results, compared, margin)
        if ledger is not None:
            results = replace(results, notes=[*results.notes, *look_notes(compared, ledger, ledger_head, commit)])
    if unmet or worse:
        raise AssertionError("\n\n".join([*worse, _Failure(truth, options, evaluation, results).text(unmet, sees)]))
    return results


def _baseline(truth: Any, baseline: Any, evaluation: Evaluation, options: Any) -> Evaluation:
    """The evaluation of the baseline, by the measures of the run."""
    from berrypick.analysis.comparison.gates import gated_evaluation
    from berrypick.data.errors import UsageError

    before = gated_evaluation(truth, baseline, [one.text for one in evaluation.measures], options)
    if len(before.runs) != 1:
        raise UsageError(f"the baseline is one run, not {len(before.runs)}")
    return before


def _assisted(truth: Any, run: Any, evaluation: Evaluation, model_truth: Any) -> Results:
    """The model-assisted results of an evaluation."""
    from berrypick.data.results import refuse_whole_documents
    from berrypick.evaluation.model_truth import evaluate_with_model

    texts = [one.text for one in evaluation.measures]
    results = evaluate_with_model(truth, run, texts, evaluation.options, model_truth).results
    refuse_whole_documents(results.notes, "A test")
    return results


def _compared(results: Results, before: Results | None) -> Comparison:
    """All runs against the baseline, or each by itself without one."""
    from berrypick.analysis.comparison.compare import compare
    from berrypick.data.results import concat

    if before is None:
        return replace(compare(results, pairs="baseline"), pairs=(), baseline=None)
    name = "baseline"
    while name in results.runs:
        name += "'"
    both = concat(before.renamed({before.runs[0]: name}), results)
    facts = {run: replace(one, source="", tag="") for run, one in both.run_facts.items()}  # known by their names alone
    both = replace(both, run_facts=facts)
    return compare(both, baseline=name, pairs="baseline")


def _worse(results: Results, compared: Comparison, margin: float) -> tuple[list[str], list[str], Results]:
    """A sentence for every run and measure that is significantly worse than the baseline; which drops would be
    reported; and the results with these drops."""
    from berrypick.analysis.comparison.gates import Gates
    from berrypick.data.errors import one_line

    gates = Gates({}, {}, compared.baseline, margin)
    found = gates.with_detectable(compared)
    checks = gates.checks(found)
    drops: dict[str, dict[str, float | None]] = {}
    for (measure, run, _), seen in found.detectable.items():
        drops.setdefault(run, {})[measure] = seen.drop
    worse = [one_line(one.reason) for one in checks if one.reason]
    sees = [one_line(one.sees) for one in checks if one.sees]
    return worse, sees, replace(results, detectable=drops)


class Condition(NamedTuple):
    """A measure and its limit, as in ``charR@5 >= 0.8``."""

    measure: str
    sign: str
    limit: float

    @classmethod
    def parse(cls, text: str) -> Condition:
        from berrypick.data import spec
        from berrypick.data.errors import UsageError

        found = _CONDITION.fullmatch(text) if isinstance(text, str) else None
        try:
            limit = float(found[3]) if found else float("nan")
        except ValueError:
            limit = float("nan")
        if found is None or limit != limit:
            raise UsageError(f"a condition is a measure and a limit, as in 'charR@5 >= 0.8', not {text!r}")
        return cls(spec.normalise(found[1]), found[2], limit)

    def met(self, mean: float | None) -> bool:
        from berrypick.analysis.comparison.gates import ROUNDING

        if mean is None:
            return False
        ahead = mean - self.limit if self.sign[0] == ">" else self.limit - mean
        return ahead >= -ROUNDING if self.sign[1:] else ahead > ROUNDING

    def reason(self, run: str, mean: float | None) -> str:
        if mean is None:
            return f"{run}: {self.measure} is undefined, no topic has a value; it must be {self.sign} {self.limit:g}"
        shown = f"{mean:.4f}"
        value = repr(mean) if float(shown) == self.limit else shown
        return f"{run}: {self.measure} is {value}, must be {self.sign} {self.limit:g}"


class _Failure(NamedTuple):
    """What a person reads when a condition is not met."""

    truth: Any
    options: Any
    evaluation: Evaluation
    results: Results

    def text(self, unmet: list[tuple[str, Condition]], sees: list[str]) -> str:
        from berrypick.data.errors import one_line

        reasons = [one_line(one.reason(run, self.results.mean()[run][one.measure])) for run, one in unmet]
        parts = ["\n".join(reasons), "\n".join(sees), str(self.results), *(self._worst(run, one) for run, one in unmet)]
        return "\n\n".join(part for part in parts if part)

    def _worst(self, run: str, one: Condition) -> str:
        """The topics that are furthest from a condition, what they expect, and how to look at the first of them."""
        from berrypick.analysis.diagnosis.worst_topics import question_and_places
        from berrypick.data.errors import one_line
        from berrypick.data.words import counted

        values = self.results.per_topic()[run][one.measure]
        known = [(value, topic) for topic, value in values.items() if value is not None]
        if not known:
            return ""
        known.sort(key=lambda pair: pair[0] if one.sign[0] == ">" else -pair[0])
        width = max(len(one_line(topic)) for _, topic in known[:SHOWN])
        lines = []
        for value, topic in known[:SHOWN]:
            question, expected = question_and_places(self.evaluation, run, topic)
            lines.append(f"  {one_line(topic):{width}}  {value:.4f}  {question}".rstrip())
            lines += [f"    expected {place}" for place in expected]
        head = f"{one_line(run)}: {one.measure}, the worst of {counted(len(known), 'topic')}"
        return "\n".join([head, *lines, f"  {self._command(run, known[0][1], one.measure)}"])

    def _command(self, run: str, topic: str, measure: str) -> str:
        """On the command line where both are files and options are plain, else in Python."""
        from berrypick.data.errors import Message, as_flags, option

        given = {name: value for name, value in self.options.items() if value is not None and name != "by"}
        what = [option("topic", topic), option("measure", measure, flag="m")]
        files = self._files(run)
        if files and all(isinstance(value, str | int | float) and value is not False for value in given.values()):
            flags = [as_flags(one) for one in (*what, *(option(name, value) for name, value in given.items()))]
            return " ".join(["berrypick explain", *map(shlex.quote, files), *flags])
        shown = [*map(Message, reversed(what)), *(f"{name}={value!r:.60}" for name, value in given.items())]
        return f"berrypick.explain(truth, run, {', '.join(shown)})"

    def _files(self, run: str) -> tuple[str, str] | None:
        """The files of the truth and of a run, where there is one for each."""
        truth = getattr(self.truth, "source", self.truth)
        sources = [facts.source for facts in self.results.run_facts.values()]
        source = self.results.run_facts[run].source
        if not isinstance(truth, str | PathLike) or not fspath(truth) or not source or sources.count(source) > 1:
            return None
        return str(fspath(truth)), source
