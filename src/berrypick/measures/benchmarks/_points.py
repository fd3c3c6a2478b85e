"""How KILT ranks sets of evidence: each set is one point of the list, where its last page stands."""

from __future__ import annotations

from collections.abc import Iterable


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
