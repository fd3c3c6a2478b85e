"""What formats share in making, writing and describing truths and runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from berrypick.data.run import Ranking, Run
from berrypick.data.truth import TopicTruth, Truth
from berrypick.data.words import counted

#: A grade, and the line that gives it.
Judgement = tuple[float, int]


#: The remedy where something is judged twice.
ONE_OF_TWO = "keep one of the two lines"


def judged_twice(document: str, topic: str, first: int) -> str:
    return f"document {document} is judged twice for topic {topic}, first in line {first}"


def spans_topic(topic: str, judged: Mapping[tuple[Any, ...], Judgement], **others: Any) -> TopicTruth:
    """Judged spans, by document, start and end, or by document and place on a page; ``others`` are more fields of the
    topic."""
    from berrypick.rows.json_lines import positions

    places = [key[1] for key in judged if len(key) == 2]
    if places:
        from berrypick.data.boxes import Boxes

        others["boxes"] = boxes = Boxes.of(places)
        start, end = boxes.extent()
    else:
        start, end = (positions([key[i] for key in judged]) for i in (1, 2))
    return TopicTruth(
        topic,
        tuple(key[0] for key in judged),
        start=start,
        end=end,
        **_grades_and_lines(judged),
        **others,
    )


def documents_topic(topic: str, judged: Mapping[str, Judgement], **others: Any) -> TopicTruth:
    """Documents judged as a whole; ``others`` are more fields of the topic."""
    return TopicTruth(topic, tuple(judged), **_grades_and_lines(judged), **others)


def _grades_and_lines(judged: Mapping[Any, Judgement]) -> dict[str, Any]:
    return {
        "grade": np.array([grade for grade, _ in judged.values()], dtype=np.float64),
        "line": np.array([line for _, line in judged.values()], dtype=np.int64),
    }


def results(run: Run) -> Iterator[tuple[str, str, int, float, Ranking, int]]:
    """Every result of a run as lines have it: topic, document, rank from 1, score; then its ranking and its row there.

    Where the run has no scores they fall with the rank.
    """
    for topic, ranking in run.rankings():
        for row in range(len(ranking)):
            rank = int(ranking.rank[row]) + 1
            score = float(ranking.score[row]) if ranking.score is not None else -float(rank)
            yield topic, ranking.documents[int(ranking.document[row])], rank, score, ranking, row


def judged_counts(value: Truth, unit: str) -> list[str]:
    """How many topics a truth has, how many judged units, and how many of these are relevant."""
    judged = sum(len(topic) for topic in value.topics.values())
    relevant = sum(int((topic.grade > 0).sum()) for topic in value.topics.values())
    return [counted(len(value), "topic"), counted(judged, unit), f"{relevant} relevant"]


def result_counts(value: Run, document: str = "document") -> list[str]:
    """How many topics, results and documents a run has."""
    named = [name for name in value.documents if name]  # texts may say which document they are in
    found = [counted(len(value.topics), "topic"), counted(value.size(), "result")]
    return [*found, counted(len(named), document)] if named or not value.size() else found


#: Fields of a row that say what it is enough with, and where a topic keeps what they say.
SETS = {"set": "sets", "hop": "hops"}


def set_counts(truth: Truth) -> list[str]:
    """How many sets and hops a truth names, for ``check`` to print."""
    said = []
    for kind in SETS:
        topics = [topic for topic in truth.topics.values() if _of_topic(topic, SETS[kind])]
        if topics:
            total = sum(len(_of_topic(topic, SETS[kind])) for topic in topics)
            said.append(f"{counted(total, kind)} in {counted(len(topics), 'topic')}")
    return said


def _of_topic(topic: Any, kept_in: str) -> set[str]:
    rows = getattr(topic, kept_in) or ()
    quoted = (getattr(quote, kept_in) for quote in topic.quotes)
    return {name for names in (*rows, *quoted) for name in names}
