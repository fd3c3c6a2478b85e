"""How people move between units: tables of reach or transition, tables of links, recorded sessions, a fitted reader."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np

from berrypick.data import spec as specs
from berrypick.data.arrays import FloatArray, IntArray
from berrypick.data.errors import InputError
from berrypick.data.session_paths import Paths

#: In a session: the visitor went back to the page visited before.
BACK = "<"
#: At the end of a session: the recording stopped there, and how the visitor went on is not known.
CUT = "?"


@dataclass(frozen=True, eq=False)
class ReachTable:
    """``from to probability``: of reaching (user model table) or of the next step (user model markov)."""

    rows: Mapping[tuple[str, str], float] = field(repr=False)
    source: str = ""

    @cached_property
    def units(self) -> tuple[str, ...]:
        """Every unit named, in file order."""
        return tuple(dict.fromkeys(unit for pair in self.rows for unit in pair))


@dataclass(frozen=True, eq=False)
class LinkTable:
    """``from to``: which page links to which; each pair counts once."""

    rows: Mapping[tuple[str, str], None] = field(repr=False)
    source: str = ""
    #: What the parser skipped, merged or assumed, and how often.
    skipped: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def units(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(unit for pair in self.rows for unit in pair))


@dataclass(frozen=True, eq=False)
class Sessions:
    """Visited paths, one per session; :data:`BACK` is a return to the page before, :data:`CUT` an unknown end.

    Where it is known: the page that each session looked for, who it was, and how many clicks nobody could exceed.
    """

    paths: Sequence[tuple[str, ...]] = field(repr=False)
    source: str = ""
    goals: tuple[str, ...] = field(default=(), repr=False)
    players: tuple[str, ...] = field(default=(), repr=False)
    budget: int | None = None
    #: What the reader of the file skipped or assumed, and how often.
    skipped: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def units(self) -> tuple[str, ...]:
        named = self.paths.names if isinstance(self.paths, Paths) else chain.from_iterable(self.paths)
        return tuple(dict.fromkeys(unit for unit in named if unit not in (BACK, CUT)))

    def shares(self) -> dict[tuple[str, str], float]:
        """Return the share of each step among all continuations of its page; going back returns to where the page was
        entered from."""
        count: dict[tuple[str, str], int] = {}
        total: dict[str, int] = {}
        for path in self.paths:
            trail: list[str] = []
            for step in path:
                if step == CUT:
                    break
                before = trail[-1] if trail else None
                if step == BACK:
                    if len(trail) < 2:
                        raise InputError("a session goes back before its first page", path=self.source or None)
                    trail.pop()
                else:
                    trail.append(step)
                if before is not None:
                    now = trail[-1]
                    count[before, now] = count.get((before, now), 0) + 1
                    total[before] = total.get(before, 0) + 1
            if trail and path[-1] != CUT:
                total[trail[-1]] = total.get(trail[-1], 0) + 1  # the session ends here
        return {(a, b): n / total[a] for (a, b), n in count.items()}


@dataclass(frozen=True, eq=False)
class TransitionCounts:
    """How often each step was taken, in all sessions: what a database counts with GROUP BY.

    ``to_unit`` is the number of units where sessions ended at ``from_unit``. Steps are in order, each once.
    """

    units: tuple[str, ...] = field(repr=False)
    from_unit: IntArray = field(repr=False)
    to_unit: IntArray = field(repr=False)
    count: IntArray = field(repr=False)
    source: str = ""
    #: What the reader merged or left out, and how often.
    skipped: Mapping[str, int] = field(default_factory=dict)

    def lines(self) -> Iterator[str]:
        """Go through the steps as lines of text: from, to (nothing: the session ended there), n."""
        names = (*self.units, "")
        rows = zip(self.from_unit.tolist(), self.to_unit.tolist(), self.count.tolist(), strict=True)
        return (f"{names[a]}\t{names[b]}\t{n}" for a, b, n in rows)

    @classmethod
    def of(cls, rows: Iterable[tuple[str, str, int]], source: str = "") -> TransitionCounts:
        """Add up rows of from, to (nothing: the session ended there) and n, whatever their order."""
        found: dict[tuple[str, str], int] = {}
        given = 0
        for start, end, number in rows:
            found[start, end] = found.get((start, end), 0) + number
            given += 1
        units = tuple(sorted({unit for pair in found for unit in pair if unit}))
        place = {unit: i for i, unit in enumerate(units)} | {"": len(units)}
        steps = np.array([(place[a], place[b]) for a, b in found], dtype=np.int64).reshape(-1, 2)
        order = np.lexsort((steps[:, 1], steps[:, 0]))
        count = np.array(list(found.values()), dtype=np.int64)[order]
        merged = {"rows that repeat a step, added up": given - len(found)} if given > len(found) else {}
        return cls(units, steps[order, 0], steps[order, 1], count, source, merged)

    def shares(self) -> dict[tuple[str, str], float]:
        """Return the share of each step among all continuations of its page."""
        total = np.bincount(self.from_unit, weights=self.count, minlength=len(self.units))
        steps = self.to_unit < len(self.units)
        share = (self.count / total[self.from_unit])[steps].tolist()
        pairs = zip(self.from_unit[steps].tolist(), self.to_unit[steps].tolist(), strict=True)
        return {(self.units[a], self.units[b]): one for (a, b), one in zip(pairs, share, strict=True)}


Navigation = ReachTable | LinkTable | Sessions | TransitionCounts


#: The version of the file's content.
FITTED_VERSION = 1
#: Scales on which parameters are normal, and from there to their values.
SCALES = ("log", "linear", "logit")
#: The stream of random numbers for chains.
_READER = 11


@dataclass(frozen=True, eq=False)
class FittedReader:
    """The content of the file: the user model as text, its parameters with intervals, data, split, checks.

    A chain has ``transitions`` besides: from, to, probability, the ends of its interval, how often it was seen; and
    ``visits``, how often each page was left.

    The uncertainty of the fit is part of the file, so that a measure can be computed for readers drawn from it. Of
    parameters above 0 it is the covariance of their logarithms (``law``; ``scales`` says where it is that of the
    values or of their log-odds), and readers are drawn evenly from the normal law of these, by quantiles. Of a
    chain it is ``visits``, with the weight of the prior: the ways on from a page are drawn from the Dirichlet law
    that its decisions and the prior leave.
    """

    content: Mapping[str, Any]
    source: str = ""

    @property
    def user(self) -> str:
        """The text of the user model."""
        text: str = self.content["user"]
        return text

    @cached_property
    def transitions(self) -> ReachTable | None:
        """The chain, where the user model is one."""
        rows = self.content.get("transitions")
        if rows is None:
            return None
        return ReachTable({(row[0], row[1]): row[2] for row in rows}, self.source or "the fitted user model")

    @cached_property
    def navigation(self) -> ReachTable | LinkTable | None:
        """What readers move by, where the file has it: the chain, or the links that a goal is looked for along."""
        rows = self.content.get("links")
        if rows is None:
            return self.transitions
        return LinkTable({(row[0], row[1]): None for row in rows}, self.source or "the fitted user model")

    @property
    def checksum(self) -> str:
        return content_checksum(self.content)

    def __str__(self) -> str:
        return self.source or self.user

    @property
    def confidence(self) -> float:
        """The confidence of its intervals."""
        return float(self.content.get("confidence", 0.95))

    @property
    def has_law(self) -> bool:
        """Whether the file says how well the log determines the reader; files of earlier versions do not."""
        return "law" in self.content or "visits" in self.content

    @property
    def evenly(self) -> bool:
        """Whether readers are drawn evenly from the law, or at random."""
        return "law" in self.content

    def draw(self, number: int, of: int) -> FittedReader:
        """Return one of the readers that are consistent with the log; the same one each time."""
        content = dict(self.content)
        if "visits" in content:
            content["transitions"] = self._drawn_transitions(number)
        else:
            spec = specs.parse(self.user, "user model")
            drawn = dict(zip(content["law"]["of"], self._drawn_values(number, of).tolist(), strict=True))
            content["user"] = specs.render(spec.name, {**spec.parameters, **drawn})
        found = FittedReader(content, self.source)
        if "links" in content:
            found.__dict__["navigation"] = self.navigation  # the same for all, made once
        return found

    def _drawn_values(self, number: int, of: int) -> FloatArray:
        from scipy.special import ndtri

        law = self.content["law"]
        names, covariance = law["of"], np.array(law["covariance"], dtype=np.float64)
        scales = law.get("scales", ["log"] * len(names))
        place = [(number + 0.5) / of] if len(names) == 1 else [(0.5 + number * x) % 1 for x in _even_steps(len(names))]
        values, vectors = np.linalg.eigh(covariance)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        known = [self.content["parameters"][name]["value"] for name in names]
        centre = np.array([_scaled(one, scale) for one, scale in zip(known, scales, strict=True)])
        drawn = centre + root @ ndtri(np.array(place))
        return np.array([_unscaled(one, scale) for one, scale in zip(drawn.tolist(), scales, strict=True)])

    def _drawn_transitions(self, number: int) -> list[list[Any]]:
        """Shares of gamma variates: of each way on, and of leaving."""
        ways, page, known, leaving = self._ways
        random = np.random.default_rng([_READER, number])
        drawn, left = random.standard_gamma(known), random.standard_gamma(leaving)
        total = np.bincount(page, weights=drawn, minlength=len(left)) + left
        share = np.divide(drawn, total[page], out=np.zeros_like(drawn), where=total[page] > 0)
        return [[a, b, p] for (a, b), p in zip(ways, share.tolist(), strict=True)]

    @cached_property
    def _ways(self) -> tuple[list[tuple[str, str]], Any, FloatArray, FloatArray]:
        """(from, to) of the ways on, the number of the page of each, and the Dirichlet weights of ways and leaving."""
        rows, visits, weight = self.content["transitions"], self.content["visits"], self.content.get("weight", 0.0)
        number = {name: i for i, name in enumerate(visits)}
        page = np.array([number[row[0]] for row in rows], dtype=np.int64)
        total = np.array(list(visits.values()), dtype=np.float64) + weight
        known = np.array([row[2] for row in rows], dtype=np.float64) * total[page]
        leaving = np.maximum(total - np.bincount(page, weights=known, minlength=len(total)), 0.0)
        leaving[leaving < 1e-6 * total] = 0.0  # the digits that the shares were rounded to
        return [(row[0], row[1]) for row in rows], page, known, leaving


def _even_steps(dimensions: int) -> list[float]:
    """Steps of a sequence that fills a cube evenly (Roberts 2018): powers of the inverse root of x^(d + 1) = x + 1."""
    root = 1.0
    for _ in range(64):  # a contraction
        root = (1.0 + root) ** (1.0 / (dimensions + 1))
    return [root ** -(i + 1) for i in range(dimensions)]


def _scaled(value: float, scale: str) -> float:
    return value if scale == "linear" else math.log(value) - (math.log1p(-value) if scale == "logit" else 0.0)


def _unscaled(value: float, scale: str) -> float:
    if scale == "logit":
        return 0.5 * (1.0 + math.tanh(0.5 * value))
    return value if scale == "linear" else math.exp(value)


def content_checksum(content: Mapping[str, Any]) -> str:
    """A short name for everything in the file but itself; the same whenever and wherever it is written."""
    import hashlib  # loads OpenSSL

    rest = {key: value for key, value in content.items() if key != "checksum"}
    text = json.dumps(rest, sort_keys=True, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
