"""The smallest case on which a law is still broken: fewer topics, fewer results, fewer judged units."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from berrypick.testing.case import Case
from berrypick.testing.rows import judged_rows, lists_of, with_lists, with_topics

#: Smaller cases that are looked at.
MOST = 150


def smallest(case: Case, breaks: Callable[[Case], bool], topic: str | None) -> Case:
    """A case on which ``breaks`` holds, as does on the one given; ``topic`` is tried alone first."""
    left = MOST
    if topic is not None:
        alone = with_only(case, [topic])
        left -= 1
        case = alone if breaks(alone) else case
    going = True
    while going and left > 0:
        going = False
        for smaller in _smaller(case):
            left -= 1
            if breaks(smaller):
                case, going = smaller, True
                break
            if left <= 0:
                break
    return case


def with_only(case: Case, topics: list[str]) -> Case:
    """Some of the topics."""
    truth = with_topics(case.truth, {name: case.truth.topics[name] for name in topics})
    lists = {name: rows for name, rows in lists_of(case.run).items() if name in topics}
    return case.changed(truth=truth, run=with_lists(case.run, lists))


def _smaller(case: Case) -> Iterator[Case]:
    """Large parts left out first."""
    topics = list(case.truth.topics)
    if len(topics) > 1:
        for name in topics:
            yield with_only(case, [one for one in topics if one != name])
    lists = lists_of(case.run)
    for name, rows in lists.items():
        for a, b in _parts(len(rows)):
            yield case.changed(run=with_lists(case.run, {**lists, name: [*rows[:a], *rows[b:]]}))
    for name, topic in case.truth.topics.items():
        for a, b in _parts(len(topic)):
            kept = judged_rows(topic, [*range(a), *range(b, len(topic))])
            yield case.changed(truth=with_topics(case.truth, {**case.truth.topics, name: kept}))


def _parts(size: int) -> Iterator[tuple[int, int]]:
    """Halves, quarters .. single rows."""
    step = size
    while step > 1:
        step = -(-step // 2)
        yield from ((a, min(a + step, size)) for a in range(0, size, step) if a or step < size)
