"""KiltP, KiltR and KiltRprec: evidence sets as KILT's program scores them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Literal

from berrypick.data.laws import without
from berrypick.measures.benchmarks._named_sets import NamedMeasure


def ranked_points(results: Iterable[str], sets: Iterable[frozenset[str]]) -> list[bool]:
    """The points of a list, True where a set is complete.

    A page outside all sets is a point. A page of a set moves the point of that set to the end of the list so far, a
    page of several sets each of them in turn. A page that occurs again is outside all sets.
    """
    left = [set(one) for one in sets]
    points: list[bool | int] = []  # a number: the point of a set that is not complete yet
    for page in results:
        found = [number for number, one in enumerate(left) if page in one]
        for number in found:
            if (place := _point(points, number)) is not None:
                del points[place]
            left[number].discard(page)
            points.append(number if left[number] else True)
        if not found:
            points.append(False)
    return [one is True for one in points]


def _point(points: list[bool | int], number: int) -> int | None:
    return next((i for i, one in enumerate(points) if one is not True and one is not False and one == number), None)


@dataclass(frozen=True)
class _Points(NamedMeasure):
    """Measures of the first points of the list."""

    cutoff: ClassVar[Literal["none", "rank", "level"]] = "rank"
    #: A set is a point where it is completed: what stands behind rank k moves points before it.
    laws: ClassVar[tuple[str, ...]] = without("junk-after-cut")
    cutoff_required: ClassVar[bool] = True
    references: ClassVar[tuple[str, ...]] = ("petroni2021kilt",)


@dataclass(frozen=True)
class KiltP(_Points):
    """Of the first k points of the list, the share that is a complete set, as KILT computes it.

    Formula
    -------
    With points as in KiltR::

        KiltP@k = complete sets among the first k points / k

    Meaning
    -------
    How many of the first points are sufficient answers. A page of a set that stays incomplete counts as wrong.

    Use
    ---
    To compare with published precision@k of KILT.

    Bounds
    ------
    0 to 1.

    Undefined
    ---------
    No evidence.

    Example
    -------
    The first point is x, the second the set of a and b:

    >>> import berrypick as bp
    >>> truth = {"q": [{"doc": "a", "set": "1"}, {"doc": "b", "set": "1"}, {"doc": "c", "set": "2"}]}
    >>> bp.score("KiltP@2", truth, {"q": {"a": 3, "x": 2, "b": 1}})
    0.5
    """

    def value(self, results: list[str], sets: list[frozenset[str]]) -> float:
        k = int(self.needed_cutoff())
        return sum(ranked_points(results, sets)[:k]) / k


@dataclass(frozen=True)
class KiltR(_Points):
    """Of the alternative sets, the share that is complete in the first k points of the list, as KILT computes it.

    Formula
    -------
    Each set is one point of the list, where the last of its pages stands; a page outside all sets is one point::

        KiltR@k = complete sets among the first k points / sets

    Meaning
    -------
    Pages of one set share a point, so that k points can be more than k results: Sets@k counts results.

    Use
    ---
    To compare with published recall@k of KILT.

    Bounds
    ------
    0 to 1.

    Undefined
    ---------
    No evidence.

    Example
    -------
    a and b together are one point, at the rank of b; three results are two points:

    >>> import berrypick as bp
    >>> truth = {"q": [{"doc": "a", "set": "1"}, {"doc": "b", "set": "1"}, {"doc": "c", "set": "2"}]}
    >>> bp.score("KiltR@2", truth, {"q": {"a": 3, "x": 2, "b": 1}})
    0.5
    """

    def value(self, results: list[str], sets: list[frozenset[str]]) -> float:
        return sum(ranked_points(results, sets)[: int(self.needed_cutoff())]) / len(sets)


@dataclass(frozen=True)
class KiltRprec(NamedMeasure):
    """R-precision of the alternative set that fares best, as KILT computes it.

    Formula
    -------
    With |S| units in a set, results counted once::

        KiltRprec = max_S |S and the first |S| results| / |S|

    Meaning
    -------
    How much of one answer's evidence stands at the top. A set of one page, first in the list, gives 1 however large the
    other sets are.

    Use
    ---
    To compare with published R-precision of KILT.

    Bounds
    ------
    0 to 1.

    Undefined
    ---------
    No evidence.

    Example
    -------
    Of a and b, one is among the first two; c is not first:

    >>> import berrypick as bp
    >>> truth = {"q": [{"doc": "a", "set": "1"}, {"doc": "b", "set": "1"}, {"doc": "c", "set": "2"}]}
    >>> bp.score("KiltRprec", truth, {"q": {"a": 3, "x": 2, "b": 1}})
    0.5
    """

    references: ClassVar[tuple[str, ...]] = ("petroni2021kilt",)

    def value(self, results: list[str], sets: list[frozenset[str]]) -> float:
        once = list(dict.fromkeys(results))
        return max(len(one.intersection(once[: len(one)])) / len(one) for one in sets)
