"""Checks for the tests of a package with measures, user models or formats of its own; ours run them too."""

from __future__ import annotations

import tempfile
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from berrypick.data.observed import observed
from berrypick.evaluation.evaluation import Evaluation
from berrypick.evaluation.signature import depends_on
from berrypick.testing.trials import laws
from berrypick.topics.topics import JudgedTopics

if TYPE_CHECKING:
    from berrypick.data.run import Run
    from berrypick.formats.base import Format
    from berrypick.measures.base import Measure
    from berrypick.testing.result import Laws
    from berrypick.topics.topic import JudgedTopic
    from berrypick.users.base import UserModel


def check_measure(measure: Any, truth: Any, runs: Any, **options: Any) -> None:
    """Check on a sample that a measure declares what its values depend on, and that it keeps its laws.

    Parameters
    ----------
    measure : str, Measure or class
        The measure.
    truth, runs
        A sample, as :func:`berrypick.evaluate` takes it.
    **options
        Options of the evaluation.

    Raises
    ------
    AssertionError
        Values depend on something that ``depends_on`` does not name, or a law is broken.

    Examples
    --------
    >>> import berrypick as bp
    >>> from berrypick.testing import check_measure
    >>> class Returned(bp.Measure):
    ...     "The number of ranks."
    ...     depends_on = ()
    ...     unbounded = True
    ...     def compute(self, topic):
    ...         return topic.ranking.ranks
    >>> check_measure(Returned(), {"q": {"a": 1}}, {"q": {"b": 2.0, "a": 1.0}})
    """
    evaluation = Evaluation.prepare(truth, runs, measure, **options)
    for one in evaluation.measures:
        context = evaluation.contexts[one.text]
        for run in evaluation.runs.values():
            reads = measure_reads(one.measure, evaluation, run, one.text)
            _refuse_undeclared(one.text, reads, depends_on(one.measure, context.user))
    _refuse_broken(laws(truth, runs, measure, **options))


def measure_reads(measure: Measure, evaluation: Evaluation, run: Run, text: str) -> set[str]:
    """Return what values of a measure are computed from, topic by topic, as it is read."""
    topics = tuple(topic for topic in evaluation.truth.topics if topic in run)
    judged = JudgedTopics(evaluation.truth, run, topics, evaluation.contexts[text], (measure,))
    for topic in topics:
        judged.judge(topic)  # what targets are made of is no matter of the measure
    return observed(measure.score_topics, judged)[1]


def check_user_model(model: UserModel | str, truth: Any, runs: Any, **options: Any) -> None:
    """Check on a sample that a user model declares what reach and effort depend on, and that EPRUM keeps its laws.

    Parameters
    ----------
    model : str or UserModel
        The user model.
    truth, runs
        A sample, as :func:`berrypick.evaluate` takes it.
    **options
        Options of the evaluation.

    Raises
    ------
    AssertionError
        Readers depend on something that ``depends_on`` does not name, or a law is broken.

    Examples
    --------
    >>> from berrypick.testing import check_user_model
    >>> check_user_model("window(before=2)", {"q": {"a#3-9": 1}}, {"q": {"a#5-20": 1.0}})
    """
    evaluation = Evaluation.prepare(truth, runs, "EPRUM", user=model, **options)
    user = evaluation.context.user
    for run in evaluation.runs.values():
        judged = JudgedTopics(evaluation.truth, run, tuple(evaluation.truth.topics), evaluation.context)
        for topic in judged.topics:
            reads = observed(_followed, judged.judge(topic))[1]
            _refuse_undeclared(user.name(), reads - {"user", "targets", "idealism"}, user.dependencies())
    _refuse_broken(laws(truth, runs, "EPRUM", user=model, **options))


def _followed(judged: JudgedTopic) -> None:
    """Ask a user model for what it says of a topic."""
    if len(judged.targets) and judged.answered:
        judged.reach  # noqa: B018
        judged.reach_of_pointers  # noqa: B018


def _refuse_undeclared(name: str, reads: set[str], declared: frozenset[str]) -> None:
    tokens = {"effort_tokens"} if not declared.isdisjoint({"effort", "tokenizer"}) else set()
    undeclared = sorted(reads - declared - tokens)
    assert not undeclared, f"{name} depends on {', '.join(undeclared)}: name it in depends_on"


def _refuse_broken(found: Laws) -> None:
    broken = "\n".join(map(str, found.broken))
    assert not broken, broken


def check_format(format: type[Format], path: str | PathLike[str]) -> None:
    """Check on a file that a format knows it, reads it, and gives back what it read.

    Parameters
    ----------
    format : class
        The format.
    path : str or path
        A file in it, of a truth or a run.

    Raises
    ------
    AssertionError
        The file is taken for one of another format, or reads otherwise after it was written.
    """
    from berrypick import formats
    from berrypick.files.problems import Problems

    found = formats.sniff(str(path))
    assert found is format, f"{path} is detected as {found.format_name}, not as {format.format_name}"

    def read(name: str) -> Any:
        return format.read(name, Problems(name))

    value = read(str(path))
    with tempfile.TemporaryDirectory() as folder:
        again = Path(folder) / f"again{Path(path).suffix}"
        value.write(again, format.format_name)
        assert read(str(again)).to_records() == value.to_records(), f"{path} reads otherwise after it was written"
