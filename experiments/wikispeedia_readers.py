"""What a first-order chain misses of real sessions, and which richer readers do better.

    python experiments/wikispeedia_readers.py [fit] [--seeds WALKS]

Wikispeedia (West and Leskovec 2012): people go from a start page to a goal by links, 51,312 finished and 24,875
unfinished games. Four fifths of the sessions train each reader, one fifth is held out.

* uniform: every link alike, leaving with its overall share;
* first order: ``berrypick fit markov``, shares of steps smoothed towards the links;
* depth: first order, with odds of leaving that depend on the number of pages seen;
* second order: shares of steps by the page before as well, smoothed towards the first order;
* goal: first order, with factors for the goal itself and for pages that link to it, and leaving at the goal;
* goal, depth: the same, with a share of leaving elsewhere that depends on the number of pages seen.

With fit: what ``berrypick fit markov`` prints of the sessions that it holds out, with the links and without.

Printed for each reader: nats a held-out decision; misplaced probability of steps and of visits (the sum over ranges of
predicted probability of |observed - predicted|, over the sum of observed), and for pages that belong to a start (seen
by a fifth of the training sessions from there, and by a fiftieth of the others at most): the share of held-out sessions
from there that see one of them, and any of them, by walks of the reader and observed. Visits are those from starts with
at least 20 held-out sessions. Then the nats of each reader beyond those of the first order, on the same decisions.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from _collection import arguments
from data import DataError, needed, told

import berrypick as bp
from berrypick import formats
from berrypick.analysis.fit.transitions import ChainCounts, Steps, best_weight, chain_counts, steps_of, walked
from berrypick.data.arrays import BoolArray, FloatArray, IntArray
from berrypick.data.navigation import LinkTable, Sessions
from berrypick.users.learning import EDGES, paired

#: A number of the reader, and that of people.
Pair = tuple[float, float]
DEEPEST = 15
LONGEST = 60
#: A page belongs to a start if at least SEEN of its sessions see it and at most ELSEWHERE of the others.
SEEN, ELSEWHERE, SESSIONS_OF_START = 0.2, 0.02, 20


def main(words: Sequence[str] | None = None) -> None:
    given = arguments(__doc__, words, seeds=1000, on="fit: the chain as berrypick fit has it [default: all readers]")
    files = needed("wikispeedia", given.data, given.unchecked)
    if given.collection == "fit":
        fitted(files)
    elif given.collection is None:
        compared(files, given)
    else:
        raise DataError(f"{given.collection}: there is fit")


def fitted(files: Mapping[str, Path]) -> None:
    games = Sessions(tuple(path for path, _ in games_in(files)), "wikispeedia")
    smoothed = bp.fit("markov", games, links=files["links.tsv"])
    plain, held = bp.fit("markov", games).held_out, smoothed.held_out
    print(f"{held['sessions']} of {len(games.paths)} sessions held out, {held['decisions']} decisions")
    print("held out                           nats   probability 0")
    for name, nats, impossible in (
        ("every link alike", held["baseline_log_likelihood"], held["impossible"]),
        ("plain shares, without the links", plain["log_likelihood"], plain["impossible"]),
        ("shares smoothed towards the links", held["log_likelihood"], held["impossible"]),
    ):
        print(f"{name:33} {nats:6.3f}   {impossible:5}   {impossible / held['decisions']:.1%}")
    print(f"smoothed - alike: {held['difference']:.3f} [{held['low']:.3f}, {held['high']:.3f}]")
    print("\n               from     to           cases   predicted   observed")
    for row in smoothed.calibration:
        shares = f"{row['predicted']:9.5f}   {row['observed']:8.5f}"
        print(f"{row['what']:14} {row['from']:<6g}   {row['to']:<6g}   {row['cases']:8}   {shares}")


def compared(files: Mapping[str, Path], given: Namespace) -> None:
    games = Games.read(files, 4000 if given.small else 0)
    print(f"{games.steps.sessions} sessions, {len(games.steps.source)} decisions, {int(games.held.sum())} held out")
    print("                         misplaced   pages a session  a start's own page  any of them")
    print("reader           nats  steps visits  reader   people  reader      people  reader  people")
    nats: dict[str, FloatArray] = {}
    for reader in readers(games):
        nats[reader.name] = log_likelihoods(reader, games.decisions(games.held))
        print(f"{reader.name:13} {summary(reader, games, nats[reader.name], given.seeds)}", flush=True)
    session = possible_sessions(games)
    print("\nnats beyond first order, 95% interval over held-out sessions")
    for name, own in nats.items():
        if name != "first order":
            mean, low, high = paired(own - nats["first order"], session, 0.95)
            print(f"{name:13} {mean:+.3f} [{low:+.3f}, {high:+.3f}]")


@dataclass(eq=False)
class Games:
    """Sessions with their goals, split, and first-order counts of the training part."""

    steps: Steps
    previous: IntArray  # the page before each decision; the number of pages where there is none
    depth: IntArray
    paths: list[list[int]]
    goal: IntArray  # of each session
    held: BoolArray
    links: IntArray
    counts: ChainCounts
    weight: float

    @classmethod
    def read(cls, files: Mapping[str, Path], number: int) -> Games:
        table = formats.read_navigation(files["links.tsv"])
        assert isinstance(table, LinkTable)
        paths, goals = zip(*some(list(games_in(files)), number), strict=True)
        units = tuple(dict.fromkeys([*table.units, *(page for path in paths for page in path if page != "<"), *goals]))
        code = {unit: i for i, unit in enumerate(units)}
        steps = steps_of(paths, units)
        walks = [[code[page] for page in walked(path)[0]] for path in paths]
        held = np.zeros(len(paths), dtype=bool)
        held[np.random.default_rng(0).permutation(len(paths))[: len(paths) // 5]] = True
        links = np.unique([code[a] * (len(units) + 1) + code[b] for a, b in table.rows if a != b])
        training, weight = steps.part(~held), smoothing(steps, ~held, links)
        depth = np.concatenate([np.arange(1, len(walk) + 1) for walk in walks])
        previous = np.concatenate([[len(units), *walk[:-1]] for walk in walks])
        goal = np.array([code[page] for page in goals])
        return cls(steps, previous, depth, walks, goal, held, links, chain_counts(training.counted(), links), weight)

    def decisions(self, sessions: BoolArray) -> Decisions:
        own = sessions[self.steps.session]
        return Decisions(
            self.steps.source[own], self.previous[own], self.depth[own], self.goal[self.steps.session[own]],
            self.steps.keys()[own],
        )  # fmt: skip


def games_in(files: Mapping[str, Path]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Each game as its path and its goal."""
    for name in ("paths_finished.tsv", "paths_unfinished.tsv"):
        for line in files[name].read_text(encoding="utf-8").splitlines():
            fields = line.split("\t")
            if line.strip() and not line.startswith("#"):
                path = tuple((fields[3] if len(fields) > 3 else fields[0]).split(";"))
                yield path, fields[4] if len(fields) > 5 else path[-1]  # a finished game has a rating there


def some(games: list[tuple[tuple[str, ...], str]], number: int) -> list[tuple[tuple[str, ...], str]]:
    order = np.random.default_rng(1).permutation(len(games))[: number or None]
    return [games[i] for i in np.sort(order).tolist()]


def smoothing(steps: Steps, training: BoolArray, links: IntArray) -> float:
    """The weight of the prior, from a fifth of the training sessions."""
    numbers = np.random.default_rng(2).permutation(np.flatnonzero(training))
    chosen = np.zeros(len(training), dtype=bool)
    chosen[numbers[: len(numbers) // 5]] = True
    return best_weight(chain_counts(steps.part(training & ~chosen).counted(), links), steps.part(chosen))


@dataclass(eq=False)
class Decisions:
    """Where readers are, where they come from, how many pages they have seen, what they look for; what they did."""

    page: IntArray
    previous: IntArray
    depth: IntArray
    goal: IntArray
    key: IntArray

    def part(self, own: IntArray | BoolArray | slice) -> Decisions:
        return Decisions(self.page[own], self.previous[own], self.depth[own], self.goal[own], self.key[own])

    def __len__(self) -> int:
        return len(self.page)


@dataclass(eq=False)
class Options:
    """What each of some decisions can lead to: places in the table of first-order counts, decision after decision."""

    owner: IntArray
    place: IntArray
    target: IntArray
    leaving: BoolArray

    @classmethod
    def of(cls, counts: ChainCounts, page: IntArray) -> Options:
        first = np.searchsorted(counts.key, page * (len(counts.units) + 1))
        number = np.searchsorted(counts.key, (page + 1) * (len(counts.units) + 1)) - first
        owner = np.repeat(np.arange(len(page)), number)
        place = np.arange(len(owner)) - np.repeat(np.cumsum(number) - number, number) + first[owner]
        target = counts.target[place]
        return cls(owner, place, target, target == len(counts.units))


class Reader:
    """First order; others change its probabilities."""

    def __init__(self, name: str, games: Games, base: FloatArray | None = None) -> None:
        self.name, self.games = name, games
        self.base = games.counts.probability(games.weight) if base is None else base

    def probability(self, decisions: Decisions, options: Options) -> FloatArray:
        return self.base[options.place]

    def with_leaving(self, options: Options, p: FloatArray, leave: FloatArray) -> FloatArray:
        """The same moves with other probabilities of leaving."""
        now = np.bincount(options.owner, weights=p * options.leaving, minlength=len(leave))
        rest = np.divide(1 - leave, 1 - now, out=np.zeros(len(leave)), where=now < 1)
        return np.where(options.leaving, np.where(now >= 1, 1.0, leave)[options.owner], p * rest[options.owner])


class ByDepth(Reader):
    """The odds of leaving a page, times a factor for the number of pages seen."""

    def __init__(self, games: Games) -> None:
        super().__init__("depth", games)
        training = games.decisions(~games.held)
        leave = self._leaving(training)
        left = training.key % (len(games.counts.units) + 1) == len(games.counts.units)
        self.factor = np.ones(DEEPEST + 1)
        for depth in range(1, DEEPEST + 1):
            own = np.minimum(training.depth, DEEPEST) == depth
            for _ in range(100 if own.any() else 0):  # the expected number who leave becomes the observed one
                odds = self.factor[depth] * leave[own] / np.maximum(1 - leave[own], 1e-12)
                self.factor[depth] *= max(left[own].sum(), 0.5) / (odds / (1 + odds)).sum()

    def _leaving(self, decisions: Decisions) -> FloatArray:
        place, known = self.games.counts.place(
            decisions.page * (len(self.games.counts.units) + 1) + self.games.steps.leave
        )
        return np.where(known, self.base[place], 1.0)

    def probability(self, decisions: Decisions, options: Options) -> FloatArray:
        leave = self._leaving(decisions)
        odds = self.factor[np.minimum(decisions.depth, DEEPEST)] * leave / np.maximum(1 - leave, 1e-12)
        return self.with_leaving(options, self.base[options.place], odds / (1 + odds))


class SecondOrder(Reader):
    """Shares by the page before, smoothed towards the first order with a weight chosen on training sessions."""

    def __init__(self, games: Games) -> None:
        super().__init__("second order", games)
        numbers = np.random.default_rng(2).permutation(np.flatnonzero(~games.held))
        chosen = np.zeros(len(games.held), dtype=bool)
        chosen[numbers[: len(numbers) // 5]] = True
        validation = games.decisions(chosen)
        self._count(games.decisions(~games.held & ~chosen))
        found = []
        for weight in (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0):
            self.weight = weight
            found.append((float(log_likelihoods(self, validation).mean()), weight))
        self.weight = max(found)[1]
        self._count(games.decisions(~games.held))

    def _count(self, decisions: Decisions) -> None:
        place, _ = self.games.counts.place(decisions.key)
        self.pair, self.pair_count = np.unique(self._pair(decisions.previous, decisions.page), return_counts=True)
        triples = decisions.previous * len(self.games.counts.key) + place
        self.triple, self.triple_count = np.unique(triples, return_counts=True)

    def _pair(self, previous: IntArray, page: IntArray) -> IntArray:
        return previous * (len(self.games.counts.units) + 1) + page

    def probability(self, decisions: Decisions, options: Options) -> FloatArray:
        total = found(self.pair, self.pair_count, self._pair(decisions.previous, decisions.page))[options.owner]
        triples = decisions.previous[options.owner] * len(self.games.counts.key) + options.place
        count = found(self.triple, self.triple_count, triples)
        mixed: FloatArray = (count + self.weight * self.base[options.place]) / (total + self.weight)
        return mixed


class ByGoal(Reader):
    """First order, with a factor for the goal and one for pages that link to it; leaving at the goal and elsewhere."""

    def __init__(self, games: Games, by_depth: bool) -> None:
        super().__init__("goal, depth" if by_depth else "goal", games)
        training = games.decisions(~games.held)
        at_goal = training.page == training.goal
        left = training.key % (len(games.counts.units) + 1) == len(games.counts.units)
        self.at_goal = float(left[at_goal].mean())
        depth = np.minimum(training.depth, DEEPEST) if by_depth else np.zeros_like(training.depth)
        self.elsewhere = np.array([left[~at_goal & (depth == k)].mean() for k in np.unique(depth).tolist()])
        self.factor = np.ones(3)
        moves = training.part(~left & ~at_goal)
        masses, chosen = self._masses(moves)
        for _ in range(100):  # the expected number of moves of each kind becomes the observed one
            share = masses * self.factor
            expected = (share / share.sum(axis=1, keepdims=True)).sum(axis=0)
            self.factor *= np.bincount(chosen, minlength=3) / np.maximum(expected, 1e-9)
            self.factor /= self.factor[0]

    def _kind(self, target: IntArray, goal: IntArray) -> IntArray:
        """2 for the goal, 1 for a page that links to it, else 0."""
        links = self.games.links
        key = target * (len(self.games.counts.units) + 1) + goal
        place = np.minimum(np.searchsorted(links, key), len(links) - 1)
        return np.where(target == goal, 2, (links[place] == key).astype(np.int64))

    def _masses(self, decisions: Decisions) -> tuple[FloatArray, IntArray]:
        """For each decision the first-order probability of moves of each kind, and the kind of the move made."""
        found = np.zeros((len(decisions), 3))
        for part, own, options in in_parts(self.games, decisions):
            kind = self._kind(options.target, own.goal[options.owner])
            p = self.base[options.place] * ~options.leaving
            found[part] = np.bincount(options.owner * 3 + kind, weights=p, minlength=3 * len(own)).reshape(-1, 3)
        return found, self._kind(decisions.key % (len(self.games.counts.units) + 1), decisions.goal)

    def probability(self, decisions: Decisions, options: Options) -> FloatArray:
        goal = decisions.goal[options.owner]
        p = self.base[options.place] * np.where(options.leaving, 1.0, self.factor[self._kind(options.target, goal)])
        moves = np.bincount(options.owner, weights=p * ~options.leaving, minlength=len(decisions))
        p = np.where(options.leaving, 0.0, p / np.maximum(moves, 1e-300)[options.owner])
        depth = np.minimum(decisions.depth, len(self.elsewhere)) - 1 if len(self.elsewhere) > 1 else 0
        leave = np.where(decisions.page == decisions.goal, self.at_goal, self.elsewhere[depth])
        return self.with_leaving(options, p, np.where(moves > 0, leave, 1.0))


def found(keys: IntArray, values: IntArray, wanted: IntArray) -> IntArray:
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[place] == wanted, values[place], 0)


def readers(games: Games) -> Iterator[Reader]:
    yield Reader("uniform", games, games.counts.prior)
    yield Reader("first order", games)
    yield ByDepth(games)
    yield SecondOrder(games)
    yield ByGoal(games, by_depth=False)
    yield ByGoal(games, by_depth=True)


def in_parts(games: Games, decisions: Decisions, size: int = 20_000) -> Iterator[tuple[slice, Decisions, Options]]:
    for first in range(0, len(decisions), size):
        part = slice(first, first + size)
        own = decisions.part(part)
        yield part, own, Options.of(games.counts, own.page)


def log_likelihoods(reader: Reader, decisions: Decisions) -> FloatArray:
    """Of each decision that a link, or a step seen in training, can make."""
    parts = []
    for _, own, options in in_parts(reader.games, decisions):
        p = reader.probability(own, options)
        made = reader.games.counts.key[options.place] == own.key[options.owner]
        with np.errstate(divide="ignore"):
            parts.append(np.log(p[made]))
    return np.concatenate(parts)


def possible_sessions(games: Games) -> IntArray:
    """The session of each held-out decision that a link, or a step seen in training, can make."""
    held, made = games.decisions(games.held), []
    for _, own, options in in_parts(games, held):
        right = games.counts.key[options.place] == own.key[options.owner]
        made.append(np.bincount(options.owner[right], minlength=len(own)) > 0)
    return games.steps.session[games.held[games.steps.session]][np.concatenate(made)]


def misplaced(predicted: FloatArray, observed: FloatArray, weight: IntArray | int = 1) -> float:
    """Over ranges of predicted probability: |observed - predicted|, over all that was observed."""
    place = np.searchsorted(np.array(EDGES), predicted)
    expected, seen = (np.bincount(place, weights=w * weight, minlength=len(EDGES) + 1) for w in (predicted, observed))
    return float(np.abs(seen - expected).sum() / seen.sum())


def summary(reader: Reader, games: Games, likelihood: FloatArray, walks: int) -> str:
    held = games.decisions(games.held)
    predicted, observed = [], []
    for _, own, options in in_parts(games, held):
        predicted.append(reader.probability(own, options))
        observed.append((games.counts.key[options.place] == own.key[options.owner]).astype(float))
    steps = misplaced(np.concatenate(predicted), np.concatenate(observed))
    visits, *pairs = reach(reader, games, walks)
    shown = [f"{pair[0]:6.{places}f}  {pair[1]:7.{places}f}" for pair, places in zip(pairs, (2, 3, 3), strict=True)]
    return f"{likelihood.mean():7.3f}  {steps:5.3f}  {visits:5.3f}  {shown[0]}  {shown[1]}     {shown[2]}"


def reach(reader: Reader, games: Games, walks: int) -> tuple[float, Pair, Pair, Pair]:
    """From starts with many sessions: misplaced probability of visits; of the reader and of people: pages seen in a
    session, the share of sessions that see a page of the start's own, and any of them."""
    size = len(games.counts.units) + 1
    held = np.flatnonzero(games.held)
    starts = np.array([games.paths[i][0] for i in held.tolist()])
    sessions = np.bincount(starts, minlength=size)
    large = sessions[starts] >= SESSIONS_OF_START
    held, starts = held[large], starts[large]
    repeats = np.maximum(1, -(-walks // sessions[starts]))
    real = [games.paths[i] for i in held.tolist()]
    made, made_from = walk(reader, games, np.repeat(held, repeats)), np.repeat(starts, repeats)
    seen, predicted = visited(real, starts, size), visited(made, made_from, size)
    keys = np.union1d(seen[0], predicted[0])
    share = found(*predicted, keys) / np.bincount(made_from, minlength=size)[keys // size]
    number = sessions[keys // size]
    visits = misplaced(share, found(*seen, keys) / number, number)
    own = own_pages(games, size)
    own = own[sessions[own // size] >= SESSIONS_OF_START]
    shares = [own_shares(own, paths, of, size, sessions) for paths, of in ((made, made_from), (real, starts))]
    lengths = [float(np.average([len(set(path)) for path in paths], weights=1 / of)) for paths, of in (
        (made, np.repeat(repeats, repeats)), (real, np.ones(len(real))))]  # fmt: skip
    return visits, (lengths[0], lengths[1]), (shares[0][0], shares[1][0]), (shares[0][1], shares[1][1])


def own_shares(
    own: IntArray, paths: list[list[int]], starts: IntArray, size: int, weight: IntArray
) -> tuple[float, float]:  # fmt: skip
    """Mean share of sessions that see a page of the start's own, and that see any of them; starts by their sessions."""
    pages: dict[int, set[int]] = {}
    for key in own.tolist():
        pages.setdefault(key // size, set()).add(key % size)
    each: dict[int, list[int]] = {}
    for start, path in zip(starts.tolist(), paths, strict=True):
        if start in pages:
            each.setdefault(start, []).append(len(pages[start].intersection(path)))
    weights = np.array([weight[start] for start in each], dtype=float)
    one = np.array([np.mean(counts) / len(pages[start]) for start, counts in each.items()])
    some_of_them = np.array([np.mean(np.array(counts) > 0) for counts in each.values()])
    return float(np.average(one, weights=weights)), float(np.average(some_of_them, weights=weights))


def visited(paths: list[list[int]], starts: IntArray, size: int) -> tuple[IntArray, IntArray]:
    """(start, page) as keys, and how many sessions from there see the page; the start itself is left out."""
    keys = [
        start * size + page for start, path in zip(starts.tolist(), paths, strict=True) for page in set(path) - {start}
    ]
    return np.unique(np.array(keys, dtype=np.int64), return_counts=True)


def own_pages(games: Games, size: int) -> IntArray:
    """Pages that many training sessions from a start see and few from elsewhere."""
    training = [games.paths[i] for i in np.flatnonzero(~games.held).tolist()]
    starts = np.array([path[0] for path in training])
    keys, count = visited(training, starts, size)
    sessions = np.bincount(starts, minlength=size)[keys // size]
    everywhere = np.bincount(keys % size, weights=count, minlength=size)[keys % size]
    elsewhere = (everywhere - count) / (len(training) - sessions)
    return keys[(sessions >= SESSIONS_OF_START) & (count >= SEEN * sessions) & (elsewhere <= ELSEWHERE)]


def walk(reader: Reader, games: Games, sessions: IntArray) -> list[list[int]]:
    """A walk of the reader from the start of each session, with its goal."""
    random = np.random.default_rng(3)
    nowhere = len(games.counts.units)
    paths = [[games.paths[i][0]] for i in sessions.tolist()]
    active = np.arange(len(sessions))
    page, previous = np.array([path[0] for path in paths]), np.full(len(paths), nowhere)
    for depth in range(1, LONGEST):
        after: list[IntArray] = []
        now = Decisions(
            page, previous, np.full(len(page), depth), games.goal[sessions[active]], np.zeros(len(page), int)
        )
        for _, own, options in in_parts(games, now):
            after.append(chosen(reader.probability(own, options), options, len(own), random, nowhere))
        target = np.concatenate(after)
        goes_on = target < nowhere
        active, previous, page = active[goes_on], page[goes_on], target[goes_on]
        for i, where in zip(active.tolist(), page.tolist(), strict=True):
            paths[i].append(where)
        if not len(active):
            break
    return paths


def chosen(p: FloatArray, options: Options, number: int, random: np.random.Generator, nowhere: int) -> IntArray:
    """One option for each decision; a page without any is left."""
    has = np.bincount(options.owner, minlength=number) > 0
    ends = np.cumsum(p)
    last = np.cumsum(np.bincount(options.owner, minlength=number)) - 1
    before = np.concatenate([[0.0], ends[last[:-1]]]) if number > 1 else np.zeros(1)
    before = np.where(last >= 0, before, 0.0)
    place = np.searchsorted(ends, before + random.random(number) * (ends[last] - before), side="right")
    return np.where(has, options.target[np.minimum(place, last)], nowhere)


if __name__ == "__main__":
    with told():
        main()
