"""Topics x runs x measures: the one place where the layers meet.

truth, run -> targets -> user model -> reach -> judged ranking -> measure -> results

Measures are read in ``asked``, everything else that people type in ``setting``; ``judging`` makes the judged ranking of
a topic, ``outcome`` holds what becomes of a run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from os import PathLike
from typing import Any, Literal

from berrypick import judging
from berrypick.core.collection import Collection
from berrypick.core.errors import BerrypickError, UsageError, nearest
from berrypick.core.explanation import Explanation, Table, number
from berrypick.core.judged import Judged
from berrypick.core.navigation import Navigation
from berrypick.core.results import Results, Row
from berrypick.core.run import Duplicates, Run
from berrypick.core.truth import Offsets, Truth
from berrypick.corpus.locate import Quotes
from berrypick.corpus.objects import as_run, as_runs, as_truth
from berrypick.corpus.texts import Texts
from berrypick.corpus.tokens import Tokenizer
from berrypick.measures import _documents as document_measures
from berrypick.measures._base import Measure
from berrypick.outcome import Outcome, Part, named, plural, some, unique_names
from berrypick.parallel import in_order
from berrypick.setting import EffortName, Setting, check_navigation, make_setting, offsets_notes, placed
from berrypick.users import UserModel

#: Dictionaries of topic to document to grade, and of topic to document to score, or to a list of results.
Judgements = Mapping[str, Mapping[str, float]]
Retrieved = Mapping[str, Any]


def evaluate(
    truth: Truth | Judgements | str | PathLike[str],
    runs: Run | Retrieved | str | PathLike[str] | Sequence[Run | Retrieved | str | PathLike[str]],
    measures: str | Measure | Sequence[str | Measure] = (),
    *,
    user: str | UserModel | None = None,
    navigation: Navigation | str | PathLike[str] | None = None,
    collection: Collection | str | PathLike[str] | None = None,
    units: int | None = None,
    idealism: Mapping[float, float] | str | None = None,
    effort: EffortName = "rank",
    topics: Literal["judged", "run"] | None = None,
    duplicates: Duplicates | None = None,
    left_out: str | Sequence[str] = (),
    protocol: str | None = None,
    task: str | None = None,
    repair: str | None = None,
    documents: Texts | Mapping[str, str] | str | PathLike[str] | None = None,
    tokenizer: str | Tokenizer | None = None,
    offsets: Offsets | None = None,
    quotes: Quotes | None = None,
    chunks: Run | str | PathLike[str] | None = None,
    curves: bool = False,
    progress: Callable[[int, int], None] | None = None,
    jobs: int = 1,
) -> Results:
    """Evaluate runs against a truth.

    ``truth``, ``runs``, ``navigation`` and ``collection`` may be values or files; truth and runs may be dictionaries of
    topic to document to grade or score too. ``measures`` is one text with several measures, or a list. ``user``
    defaults to classical, or to the model that ``navigation`` is for. ``task`` and ``protocol`` bring a campaign's
    rules, and its measures where none are named; ``repair`` mends runs that break the rules of the task. ``documents``
    are the texts (a folder, JSON Lines, or a mapping), for quotes, tokens and offsets in other units; ``tokenizer`` is
    a name or a callable; ``chunks`` are all chunks there are, as a run. ``progress`` is called with (done, of) as
    topics are finished. ``jobs`` is the number of processes.
    """
    if jobs < 1:
        raise UsageError(f"jobs is the number of processes, from 1 on, not {jobs}")
    judgements, systems = as_truth(truth), as_runs(runs)
    setting = make_setting(
        user=user, navigation=navigation, collection=collection, units=units, idealism=idealism, effort=effort,
        topics=topics, duplicates=duplicates, left_out=left_out, protocol=protocol, task=task, repair=repair,
        documents=documents, tokenizer=tokenizer, offsets=offsets, quotes=quotes, chunks=chunks,
    )  # fmt: skip
    asked = setting.asked(measures)
    check_navigation(setting, asked)
    notes = offsets_notes(judgements, setting)
    judgements, systems, setting = placed(judgements, systems, setting)
    rows: list[Row] = []
    means: list[Row] = []
    outcomes = [
        Outcome(name, judgements, run, setting, asked, curves)
        for name, run in zip(unique_names(systems), systems, strict=True)
    ]
    for outcome in _judged(outcomes, jobs, progress):
        rows += outcome.rows()
        means += outcome.means()
        notes += outcome.notes()
    return Results(rows, means, tuple(dict.fromkeys(notes)))


def _judged(outcomes: Sequence[Outcome], jobs: int, progress: Callable[[int, int], None] | None) -> Iterator[Outcome]:
    """Outcomes as they are worked out, run by run; in several processes all runs at once, a few topics at a time."""
    done, of = 0, sum(len(outcome.topics) for outcome in outcomes)

    def step(count: int) -> None:
        nonlocal done
        done += count
        if progress is not None:
            progress(done, of)

    if jobs == 1:
        for outcome in outcomes:
            outcome.check()
            outcome.work_out(outcome.topics, step)
            outcome.score_documents()
            yield outcome
        return
    good, failure = _checked(outcomes)
    shares = _Shares(good, jobs)
    for (which, _, _), part in zip(shares.tasks, in_order(shares, len(shares.tasks), jobs, step), strict=True):
        good[which].absorb(part)
    if failure is not None:
        raise failure
    yield from good


def _checked(outcomes: Sequence[Outcome]) -> tuple[list[Outcome], BerrypickError | None]:
    """The runs before the first one that is refused, and why that one is: one process would get as far."""
    good: list[Outcome] = []
    for outcome in outcomes:
        try:
            outcome.check()
        except BerrypickError as error:
            return good, error
        _ = outcome.run.repeats  # worked out once, before the work is shared out
        good.append(outcome)
    return good, None


class _Shares:
    """The work of several processes: each task is some topics of a run, by our measures or by ir_measures'."""

    def __init__(self, outcomes: Sequence[Outcome], jobs: int) -> None:
        self.outcomes = outcomes
        size = max(1, -(-sum(len(outcome.topics) for outcome in outcomes) // (8 * jobs)))
        self.tasks: list[tuple[int, list[str], bool]] = []
        for which, outcome in enumerate(outcomes):
            chunks = [outcome.topics[i : i + size] for i in range(0, len(outcome.topics), size)]
            for theirs in (False, True):
                self.tasks += [(which, chunk, theirs) for chunk in chunks if outcome.asks(theirs) or not theirs]

    def __call__(self, task: int, step: Callable[[int], None]) -> Part:
        which, topics, theirs = self.tasks[task]
        outcome = copy(self.outcomes[which])
        outcome.part = Part()
        if theirs:
            outcome.score_documents(topics)
        else:
            outcome.work_out(topics, step)
        return outcome.part


def explain(
    truth: Truth | Judgements | str | PathLike[str],
    run: Run | Retrieved | str | PathLike[str],
    topic: str,
    measure: str | Measure,
    **settings: Any,
) -> Explanation:
    """The working of one number for one topic. ``settings`` are those of :func:`evaluate`."""
    setting = make_setting(**settings)
    asked = setting.asked(measure)
    if len(asked) != 1:
        raise UsageError("explain takes one measure")
    check_navigation(setting, asked)
    judgements, system, topic, setting = _one_topic(truth, run, topic, setting)
    if isinstance(asked[0].measure, document_measures.DocumentMeasure):
        return _explain_documents(judgements, system, topic, asked[0].measure)
    judged = judging.judge(judgements, system, topic, setting.read_by(asked[0].measure))
    if not len(judged.targets):
        return Explanation(f"{asked[0].text} for topic {topic}", ["Undefined: the topic has no targets."])
    if not judged.answered:
        value = asked[0].measure.unanswered(judged).value
        shown = "undefined" if value is None else number(value, 6)
        return Explanation(
            f"{asked[0].text} for topic {topic}", [f"The run does not answer this topic; its value is {shown}."]
        )
    with named(asked[0].text):
        found = asked[0].measure.explain(judged)
    return replace(found, title=f"{found.title}{_read_by(asked[0].measure, setting)}")


def judge(
    truth: Truth | Judgements | str | PathLike[str],
    run: Run | Retrieved | str | PathLike[str],
    topic: str,
    **settings: Any,
) -> Judged:
    """The judged ranking of one topic: its targets, the ranking, and what a reader of it sees.

    ``settings`` are those of :func:`evaluate`: user, navigation, collection, documents and so on. In a notebook the
    value shows itself.
    """
    return judging.judge(*_one_topic(truth, run, topic, make_setting(**settings)))


def _one_topic(
    truth: Truth | Judgements | str | PathLike[str],
    run: Run | Retrieved | str | PathLike[str],
    topic: str,
    setting: Setting,
) -> tuple[Truth, Run, str, Setting]:
    """Truth and run made ready for a look at one topic."""
    judgements, (system,), setting = placed(as_truth(truth), [as_run(run)], setting)
    if str(topic) not in judgements:
        known = list(judgements.topics)
        offer = nearest(str(topic), known) or f"; it has {some(known, 8)}"
        raise UsageError(f"topic {topic} is not in {judgements.source or 'the truth'}{offer}")
    judging.refuse_duplicates(system, setting)
    return judgements, system, str(topic), setting


def _read_by(measure: Measure, setting: Setting) -> str:
    """Whose reading a number is about, where the measure does not say so itself."""
    if "user" not in measure.depends_on or measure.user_model() is not None:
        return ""
    return f", read by {setting.user}"


def _explain_documents(truth: Truth, run: Run, topic: str, measure: document_measures.DocumentMeasure) -> Explanation:
    value = document_measures.score(truth, run, [measure]).get((measure, topic), 0.0)
    judged = truth.topics[topic]
    grades: dict[str, float] = {}
    for document, grade in zip(judged.document, judged.grade.tolist(), strict=True):
        grades[document] = max(grade, grades.get(document, grade))
    ranking = run.ranking(topic)
    seen: dict[str, int] = {}
    for row, code in enumerate(ranking.document.tolist()):
        seen.setdefault(ranking.documents[code], int(ranking.rank[row]) + 1)
    rows = [
        [str(i), document, str(rank), "not judged" if document not in grades else number(grades[document])]
        for i, (document, rank) in enumerate(list(seen.items())[:30], start=1)
    ]
    relevant = sum(1 for grade in grades.values() if grade > 0)
    return Explanation(
        f"{measure} for topic {topic}",
        [
            Table(
                "Documents at their best rank", ["position", "document", "rank in the run", "grade"], rows, align="><>>"
            ),
            f"{plural(relevant, 'document')} {'is' if relevant == 1 else 'are'} relevant.",
            f"{measure} = {number(value, 6)}, computed by ir_measures",
        ],
    )
