"""Measures in plain Python with exact fractions, written from their definitions: nothing of berrypick is imported.

Every convention of the conformance vectors is a word that changes one step.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import pairwise, permutations
from math import log2
from typing import Any

Number = Fraction | float
TEXT = re.compile(r"(?P<name>\w+)(?:\((?P<given>.*)\))?(?:@(?P<at>\d+))?")


def exact(measure: str, truth: Any, run: list[Any], convention: str = "") -> Number | None:
    """Return the value of a measure for one topic; None where it has none."""
    found = TEXT.fullmatch(measure)
    assert found is not None
    given = ast.literal_eval("{" + re.sub(r"(\w+)=", r"'\1':", found["given"] or "") + "}")
    at = int(found["at"]) if found["at"] else None
    rows = [{"doc": doc, "grade": grade} for doc, grade in truth.items()] if isinstance(truth, dict) else truth
    items = [item if isinstance(item, dict) else {"doc": item} for item in run]
    grades = [row.get("grade", 1) for row in rows]
    if not any(grade > 0 for grade in grades):
        return {"zero": Fraction(0), "one": Fraction(1)}.get(convention)
    if not items and convention == "left-out":
        return None
    if found["name"] in SETS:
        return SETS[found["name"]](rows, items, at, convention)
    if found["name"] in SPANS:
        return SPANS[found["name"]](rows, items[:at], given, convention)
    if convention == "characters":
        wanted = union(rows)
        return Fraction(len([one for one in wanted if one[0] in {item["doc"] for item in items[:at]}]), len(wanted))
    if convention == "parts":
        return Fraction(sum(row["doc"] in {item["doc"] for item in items[:at]} for row in rows), len(rows))
    parts = any("start" in one for one in (*rows, *items))
    values = [
        documents(found["name"], rows, list(dict.fromkeys(order)) if parts and convention != "each-part" else order,
                  at, given, convention)
        for order in orders(items, convention)
    ]  # fmt: skip
    return sum(values, Fraction(0)) / len(values)


# whole documents


def orders(items: list[dict[str, Any]], convention: str) -> Iterator[list[str]]:
    """Go through the orders that equal scores may have; one, unless the mean over all is wanted."""
    names = [item["doc"] for item in items]
    if not any("score" in item for item in items) or convention == "order-of-list":
        yield names
        return
    score = {item["doc"]: item["score"] for item in items}
    if convention == "expected":
        for order in permutations(names):
            if all(score[one] >= score[other] for one, other in pairwise(order)):
                yield list(order)
        return
    names.sort(reverse=convention != "name-ascending")
    yield sorted(names, key=lambda name: -score[name])


def documents(
    name: str, rows: list[dict[str, Any]], names: list[str], at: int | None, given: dict[str, Any], convention: str
) -> Number:
    grade = {row["doc"]: row.get("grade", 1) for row in rows}
    judged = [grade[row["doc"]] for row in rows] if convention == "counted-twice" else list(grade.values())
    if convention == "passed-over":
        names = [one for one in names if one in grade]
    if convention == "removed":
        names = list(dict.fromkeys(names))
    seen: set[str] = set()
    gains = []
    for one in names:
        gains.append(0 if one in seen and convention != "counted-again" else grade.get(one, 0))
        seen.add(one)
    judgements = [one for one in dict.fromkeys(names) if one in grade]
    return RANKED[name](gains, judged, names, judgements, at, given, convention)


def relevant_at(gains: list[int], level: int) -> list[int]:
    return [rank for rank, gain in enumerate(gains, start=1) if gain >= level]


def ranked(name: str) -> Callable[..., Number]:
    def value(
        gains: list[int], judged: list[int], names: list[str], known: list[str], at: int | None,
        given: dict[str, Any], convention: str,
    ) -> Number:  # fmt: skip
        level = given.get("rel", 1)
        total = sum(grade >= level for grade in judged)
        hits = relevant_at(gains[:at], level)
        if name == "P":
            assert at is not None
            return Fraction(len(hits), min(at, len(gains)) if convention == "of-retrieved" else at)
        if name in ("R", "Success", "All"):
            asked = {"Success": "any", "All": "all"}.get(name, convention)
            if asked in ("any", "all"):
                return Fraction(int(len(hits) >= (1 if asked == "any" else total)))
            return Fraction(len(hits), min(at, total) if asked == "capped" and at else total)
        if name == "RR":
            return Fraction(1, hits[0]) if hits else Fraction(0)
        if name == "AP":
            sums = sum((Fraction(number, rank) for number, rank in enumerate(hits, start=1)), Fraction(0))
            by = {"capped": min(at or total, total), "of-found": len(hits)}.get(convention, total)
            return sums / by
        if name == "Rprec":
            return Fraction(len(relevant_at(gains[:total], level)), total)
        if name == "SetP":
            return Fraction(len(hits), len(set(names)))
        if name == "SetR":
            return Fraction(len(hits), total)
        if name == "SetF":  # of two sets
            return Fraction(2 * len(hits), len(set(names)) + total)
        if name == "Judged":
            return Fraction(sum(one in known for one in names[:at]), len(names[:at]))
        raise AssertionError(name)

    return value


def ndcg(
    gains: list[int], judged: list[int], names: list[str], known: list[str], at: int | None,
    given: dict[str, Any], convention: str,
) -> float:  # fmt: skip
    exponential = convention == "exponential" or given.get("dcg") == "exp-log2"

    def gain(grade: int) -> int:
        if convention == "binary":
            return int(grade > 0)
        return 2**grade - 1 if exponential else grade

    def total(grades: list[int]) -> float:
        if convention == "log-of-rank":
            return sum(gain(grade) / max(1.0, log2(rank)) for rank, grade in enumerate(grades, start=1))
        return sum(gain(grade) / log2(rank + 1) for rank, grade in enumerate(grades, start=1))

    ideal = sorted(gains if convention == "ideal-of-list" else judged, reverse=True)
    return total(gains[:at]) / total(ideal if convention == "ideal-uncut" else ideal[:at])


def bpref(
    gains: list[int], judged: list[int], names: list[str], known: list[str], at: int | None,
    given: dict[str, Any], convention: str,
) -> Fraction:  # fmt: skip
    relevant = sum(grade > 0 for grade in judged)
    by = relevant if convention == "relevant-only" else min(relevant, len(judged) - relevant)
    value, before = Fraction(0), 0
    for name, gain in zip(names, gains, strict=True):
        if gain > 0:
            value += 1 - Fraction(min(before, relevant), by)
        elif name in known:
            before += 1
    return value / relevant


def err(
    gains: list[int], judged: list[int], names: list[str], known: list[str], at: int | None,
    given: dict[str, Any], convention: str,
) -> Fraction:  # fmt: skip
    highest = max(judged) if convention == "scale-of-topic" else 4
    value, left = Fraction(0), Fraction(1)
    for rank, grade in enumerate(gains[:at], start=1):
        satisfied = Fraction(2**grade - 1, 2**highest)
        value += left * satisfied / rank
        left *= 1 - satisfied
    return value


RANKED: dict[str, Callable[..., Number]] = {
    name: ranked(name) for name in ("P", "R", "Success", "All", "RR", "AP", "Rprec", "SetP", "SetR", "SetF", "Judged")
} | {"nDCG": ndcg, "Bpref": bpref, "ERR": err}


# spans


def characters(row: dict[str, Any]) -> set[tuple[str, int]]:
    return {(row["doc"], i) for i in range(row["start"], row["end"])}


def union(rows: list[dict[str, Any]]) -> set[tuple[str, int]]:
    return {one for row in rows for one in characters(row)}


def shared(rows: list[dict[str, Any]], items: list[dict[str, Any]], convention: str) -> int:
    if convention == "pairs":
        return sum(len(characters(row) & characters(item)) for row in rows for item in items)
    return len(union(rows) & union(items))


def length(rows: list[dict[str, Any]], convention: str) -> int:
    return sum(len(characters(row)) for row in rows) if convention in ("each", "pairs") else len(union(rows))


def recall(rows: Any, items: Any, given: Any, convention: str) -> Fraction:
    return Fraction(shared(rows, items, convention), length(rows, convention))


def precision(rows: Any, items: Any, given: Any, convention: str) -> Fraction:
    return Fraction(shared(rows, items, convention), length(items, convention))


def harmonic(rows: Any, items: Any, given: Any, convention: str) -> Fraction:
    p, r = (one(rows, items, given, convention) for one in (precision, recall))
    return 2 * p * r / (p + r)


def iou(rows: Any, items: Any, given: Any = None, convention: str = "") -> Fraction:
    return Fraction(len(union(rows) & union(items)), len(union(rows) | union(items)))


def repeated(rows: Any, items: Any, given: Any, convention: str) -> Fraction:
    return 1 - Fraction(len(union(items)), sum(len(characters(item)) for item in items))


def found_at(row: dict[str, Any], items: list[dict[str, Any]], given: dict[str, Any], convention: str) -> int | None:
    """Return the first rank by which a span is found."""
    share, least = Fraction(str(given.get("share", 0.5))), given.get("iou", 0.5 if convention == "one-result" else None)
    for rank in range(1, len(items) + 1):
        covered = len(characters(row) & union(items[:rank]))
        if convention == "any-overlap":
            good = covered > 0
        elif least is not None:
            good = iou([row], [items[rank - 1]]) >= Fraction(str(least))
        else:
            good = covered >= share * len(characters(row))
        if good:
            return rank
    return None


def span_ranks(rows: Any, items: Any, given: Any, convention: str) -> list[int | None]:
    return [found_at(row, items, given, convention) for row in rows]


def hit(rows: Any, items: Any, given: Any, convention: str) -> Fraction:
    return Fraction(int(any(rank for rank in span_ranks(rows, items, given, convention))))


def reciprocal(rows: Any, items: Any, given: Any, convention: str) -> Fraction:
    ranks = [rank for rank in span_ranks(rows, items, given, convention) if rank]
    return Fraction(1, min(ranks)) if ranks else Fraction(0)


def everything(rows: Any, items: Any, given: Any, convention: str) -> Fraction:
    return Fraction(int(all(span_ranks(rows, items, given, convention))))


SPANS: dict[str, Callable[..., Fraction]] = {
    "charR": recall, "charP": precision, "charF": harmonic, "IoU": iou, "Overlap": repeated,
    "spanHit": hit, "spanRR": reciprocal, "spanAll": everything,
}  # fmt: skip


# sets of evidence


def evidence(name: str) -> Callable[..., Fraction]:
    def value(rows: list[dict[str, Any]], items: list[dict[str, Any]], at: int | None, convention: str) -> Fraction:
        def found(rank: int) -> list[bool]:
            if "start" in rows[0]:
                return [found_at(row, items[:rank], {}, "") is not None for row in rows]
            return [row["doc"] in [item["doc"] for item in items[:rank]] for row in rows]

        def missing(rank: int) -> list[int]:
            here = found(rank)
            names = dict.fromkeys(row["set"] for row in rows)
            return [sum(not ok for row, ok in zip(rows, here, strict=True) if row["set"] == one) for one in names]

        last = len(items) if at is None else at
        if name == "EnoughRR":
            ranks = [rank for rank in range(1, len(items) + 1) if 0 in missing(rank)]
            return Fraction(1, ranks[0]) if ranks else Fraction(0)
        if name == "Sets":
            return Fraction(missing(last).count(0), len(missing(last)))
        if name == "Missing":
            return Fraction(min(missing(last)))
        here = found(last)
        return {
            "any": Fraction(int(any(here))),
            "all": Fraction(int(all(here))),
            "share": Fraction(sum(here), len(here)),
        }.get(convention, Fraction(int(0 in missing(last))))

    return value


SETS = {name: evidence(name) for name in ("Enough", "EnoughRR", "Sets", "Missing")}
