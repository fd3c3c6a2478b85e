"""Saved numbers of two truths: refused, compared on the topics that are judged identically, or compared with a note."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from berrypick.data.errors import Message, UsageError, option
from berrypick.data.results import Note, Results, Row, TopicGroups, mean
from berrypick.data.sums import TOPICS_SUM, TRUTH_SUM, sum_of_names, sum_of_topics
from berrypick.data.words import counted
from berrypick.evaluation.notes import some


@dataclass
class SavedTruths:
    """The truths of some results, as the signatures say."""

    #: By topic, the sums of its judgements; '' where a signature has none.
    sums: dict[str, set[str]] = field(default_factory=dict)
    #: By the sum of a truth, the topics of its numbers.
    topics: dict[str, set[str]] = field(default_factory=dict)
    #: Runs whose signatures have no sums.
    unsigned: dict[str, None] = field(default_factory=dict)

    @classmethod
    def of(cls, results: Iterable[Results]) -> SavedTruths:
        """Collect what the signatures of all rows say."""
        made = cls()
        for one in results:
            truth_of = {(row.run, row.measure): row.signature.get(TRUTH_SUM) for row in one.mean_rows}
            made.unsigned |= {run: None for (run, _), known in truth_of.items() if not known}
            for known in truth_of.values():
                made.topics.setdefault(known, set())
            # runs mostly share the signature of a topic, and each is looked at once
            own = ((row, truth_of.get((row.run, row.measure), "")) for row in one.topic_rows)
            for row, known in {(row.topic, id(row.signature), known): (row, known) for row, known in own}.values():
                made.sums.setdefault(row.topic, set()).add(row.signature.get(TRUTH_SUM))
                made.topics.setdefault(known, set()).add(row.topic)
        return made

    @property
    def differ(self) -> bool:
        """Whether numbers are of two truths, as far as signatures say."""
        return len(self.topics.keys() - {""}) > 1 or any(len(found - {""}) > 1 for found in self.sums.values())

    @cached_property
    def common(self) -> dict[str, str]:
        """The topics that all truths judge, and judge identically, with their sums."""
        everywhere = set.intersection(*self.topics.values()) if self.topics else set()
        single = {topic: min(found) for topic, found in self.sums.items() if len(found) == 1 and topic in everywhere}
        return {topic: known for topic, known in single.items() if known}

    @property
    def difference(self) -> str:
        """What is known of the difference between the truths."""
        other = [topic for topic in self.sums if topic not in self.common]
        if not other:
            return "the values come from different judgements"
        many = "1 topic is" if len(other) == 1 else f"{len(other)} of {counted(len(self.sums), 'topic')} are"
        return f"the values come from different judgements: {many} judged differently or only in one ({some(other)})"

    def unsigned_notes(self) -> list[Note]:
        """A note on results that do not say which judgements they rest on."""
        if not self.unsigned:
            return []
        text = f"saved without {TRUTH_SUM}: berrypick cannot check that all values come from the same judgements"
        return [Note("truth unknown", text, run=some(list(self.unsigned)))]


def with_one_truth(
    results: Sequence[Results], different_truth: bool, common_topics: bool
) -> tuple[list[Results], list[Note]]:
    """Refuse numbers of two truths. With ``common_topics`` keep the topics that are judged identically instead, with
    ``different_truth`` all of them and a note."""
    if different_truth and common_topics:
        raise UsageError(f"choose {option('different_truth', True)} or {option('common_topics', True)}")
    known = SavedTruths.of(results)
    if common_topics:
        return _on_common_topics(results, known)
    if not known.differ:
        return list(results), known.unsigned_notes()
    if different_truth:
        return list(results), [Note("two truths", known.difference), *known.unsigned_notes()]
    offers = [f"{option('different_truth', True)} compares all of them anyway"]
    if known.common:
        which = "the topic that is" if len(known.common) == 1 else f"the {len(known.common)} topics that are"
        offers.insert(0, f"{option('common_topics', True)} compares {which} judged identically")
    raise UsageError(known.difference, *offers)


def _on_common_topics(results: Sequence[Results], known: SavedTruths) -> tuple[list[Results], list[Note]]:
    if known.unsigned:
        runs = some(list(known.unsigned))
        what = f"{runs}: saved without {TRUTH_SUM}, so it is unknown which topics are judged identically"
        raise UsageError(what, f"evaluate again, or remove {option('common_topics', True)}")
    if not known.common:
        raise UsageError(f"{known.difference}; no topic is judged identically")
    left = [topic for topic in known.sums if topic not in known.common]
    if not left:
        return list(results), []
    text = Message(f"{counted(len(known.common), 'topic')} judged identically, {len(left)} skipped ({some(left)})")
    return [over_topics(one, known.common) for one in results], [Note("common topics", text)]


def over_topics(results: Results, sums: dict[str, str]) -> Results:
    """Some topics of results, with their means; ``sums`` has the sum of each topic that is kept."""
    rows = [row for row in results.topic_rows if row.topic in sums]
    groups = results.groups
    if groups is not None:
        groups = TopicGroups(groups.field, {topic: name for topic, name in groups.of.items() if topic in sums})
    of: dict[tuple[str, str, str | None], list[Row]] = {}
    for row in rows:
        of.setdefault((row.run, row.measure, None), []).append(row)
        if row.group is not None:
            of.setdefault((row.run, row.measure, row.group), []).append(row)
    truth = sum_of_topics(sums.items())

    def renewed(row: Row) -> Row:
        """A mean over the topics that are kept; what a measure says beside it of all topics is not known of some."""
        kept = of.get((row.run, row.measure, row.group), [])
        info = results.measure_info.get(row.measure)
        known = [one.value for one in kept if one.value is not None]
        value = math.fsum(known) if info is not None and info.summed else mean(known)
        topics = sum_of_names(one.topic for one in kept)
        signature = row.signature.with_sums(((TRUTH_SUM, truth), (TOPICS_SUM, topics)))
        return replace(row, value=value, signature=signature, curve=None, common=None, summary={})

    return replace(
        results,
        topic_rows=rows,
        mean_rows=[renewed(row) for row in results.mean_rows],
        groups=groups,
        group_rows=[renewed(row) for row in results.group_rows if row.group is not None],
        drawn=None if results.drawn is None else results.drawn.over(sums),
    )
