"""Values of measures for readers drawn from the law of a fitted user model, and the intervals that follow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from berrypick.data.arrays import FloatArray

#: Readers drawn unless one says otherwise.
READERS = 100
#: Ends of an interval; None where there is none.
Ends = tuple[float | None, float | None]


def drawn_interval(values: FloatArray | None, confidence: float, evenly: bool = True) -> Ends:
    """The quantiles of values over readers; of those that are defined.

    Readers are drawn evenly, so that the i-th of n stands for the quantile (i - 1/2)/n, or at random: then a further
    one lies below the i-th with probability i/(n + 1).

    >>> import numpy as np
    >>> low, high = drawn_interval(np.arange(100) / 100 + 0.005, 0.9)
    >>> round(low, 9), round(high, 9)
    (0.05, 0.95)
    >>> low, high = drawn_interval(np.arange(1, 100) / 100, 0.9, evenly=False)
    >>> round(low, 9), round(high, 9)
    (0.05, 0.95)
    """
    known = np.zeros(0) if values is None else values[~np.isnan(values)]
    if not len(known):
        return None, None
    tail = (1 - confidence) / 2
    low, high = np.quantile(known, [tail, 1 - tail], method="hazen" if evenly else "weibull").tolist()
    return low, high


@dataclass(frozen=True, eq=False)
class DrawnValues:
    """By run and measure, and by topic, a value for each reader; nan where it is undefined."""

    source: str  # the fitted user model
    confidence: float
    values: Mapping[tuple[str, str], Mapping[str, FloatArray]]
    summed: frozenset[str] = frozenset()  # measures that are added up over topics
    evenly: bool = True  # whether readers were drawn evenly from their law, or at random

    @property
    def readers(self) -> int:
        """How many were drawn."""
        return next((len(draws) for topics in self.values.values() for draws in topics.values()), 0)

    def topic(self, run: str, measure: str, topic: str) -> Ends:
        """Return the interval of one value."""
        return drawn_interval(self.values.get((run, measure), {}).get(topic), self.confidence, self.evenly)

    def mean(self, run: str, measure: str, topics: Iterable[str] | None = None) -> Ends:
        """Return the interval of the mean over all topics, or some."""
        known = self.values.get((run, measure), {})
        kept = known.values() if topics is None else [known[topic] for topic in topics if topic in known]
        return drawn_interval(mean_of_topics(list(kept), measure in self.summed), self.confidence, self.evenly)

    def difference(self, measure: str, run: str, versus: str, confidence: float, topics: Sequence[str]) -> Ends:
        """Return the interval of the mean difference of two runs, both read by the same readers, over some topics."""
        one, other = self.values.get((run, measure), {}), self.values.get((versus, measure), {})
        pairs = [one[topic] - other[topic] for topic in topics if topic in one and topic in other]
        return drawn_interval(mean_of_topics(pairs), confidence, self.evenly)

    def only(self, runs: Iterable[str], measures: Iterable[str]) -> DrawnValues:
        """Return those of some runs and measures."""
        some_runs, some_measures = set(runs), set(measures)
        kept = {key: one for key, one in self.values.items() if key[0] in some_runs and key[1] in some_measures}
        return replace(self, values=kept)

    def over(self, topics: Iterable[str]) -> DrawnValues:
        """Return those of some topics."""
        some = set(topics)
        kept = {key: {topic: one for topic, one in of.items() if topic in some} for key, of in self.values.items()}
        return replace(self, values=kept)

    def renamed(self, names: Mapping[str, str]) -> DrawnValues:
        """Return the same with other names of runs."""
        return replace(self, values={(names.get(run, run), name): one for (run, name), one in self.values.items()})


def mean_of_topics(draws: Sequence[FloatArray], summed: bool = False) -> FloatArray | None:
    """The mean (or sum) over topics for each reader, over those where the reader has a value; nan where none has."""
    if not draws:
        return None
    table = np.stack(draws)
    known = ~np.isnan(table)
    count, total = known.sum(axis=0), np.where(known, table, 0.0).sum(axis=0)
    if summed:
        return np.where(count > 0, total, np.nan)
    return np.divide(total, count, out=np.full(len(total), np.nan), where=count > 0)


def joined(parts: Sequence[DrawnValues | None]) -> DrawnValues | None:
    """Those of several results; None where none has any."""
    known = [part for part in parts if part is not None]
    if not known:
        return None
    values = {key: one for part in known for key, one in part.values.items()}
    summed, evenly = frozenset().union(*(part.summed for part in known)), all(part.evenly for part in known)
    return replace(known[0], values=values, summed=summed, evenly=evenly)
