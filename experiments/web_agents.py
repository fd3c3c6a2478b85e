"""Do readers with a goal say where agents and people get to, and which start pages are good ones?

    python experiments/web_agents.py wikirace|wikispeedia

wikirace: 420 games of a language model, from each of 21 pages to each other one, 20 clicks at most; the links are those
that any game followed, as nothing else is recorded. wikispeedia: games of people, 4,000 of them, the links complete.

Games are split into five parts by chance, and each part is predicted from the other four (wikispeedia: one part). The
readers are learnt from the training games: seek; markov, the chain without goals, smoothed towards the links; links
alike, who stop before a click with the share of the training games.

Printed: nats a held-out decision (of a fifth that fit holds out itself); the mean reach of the goal from the start,
beside the share of the held-out games that got there; the Brier score of that prediction, which a constant has too; and
of pairs of held-out games, one that got there and one that did not, for the same goal and for any, the share in which
the measure of the start page as a list is higher for the first (ties count half), with a 95% interval over goals: EPRUM
under each reader, and nDCG with the goal alone relevant, or pages that link to it too. For wikirace again with the
links of the training games alone, so that no held-out game has a part in them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
from _collection import arguments
from data import DataError, needed, told
from wikispeedia_readers import games_in, some

import berrypick as bp
from berrypick import formats
from berrypick.data.arrays import FloatArray, IntArray
from berrypick.data.navigation import CUT, LinkTable, Sessions

FOLDS, GAMES, RESAMPLES = 5, 4000, 1000
#: In some parts of wikirace a linked goal is always followed, so that its weight has no maximum: it is given.
SEEK = {"wikirace": "seek(goal=7)", "wikispeedia": "seek"}
#: What little data determines.
SMALL = "seek(goal=3,near=1,indegree=0,tiring=0)"
READERS = ("seek", "markov", "links alike", "nDCG, the goal", "nDCG, links to it")


@dataclass(frozen=True, eq=False)
class Held:
    """Held-out games: their goals, whether they got there, and what each reader says of the start page."""

    goal: list[str]
    won: FloatArray
    scores: Mapping[str, FloatArray]
    constant: FloatArray  # the share of the training games that got there


def main(words: Sequence[str] | None = None) -> None:
    given = arguments(__doc__, words, seeds=RESAMPLES, on="wikirace or wikispeedia")
    model = SMALL if given.small else SEEK.get(given.collection or "", "")
    if given.collection == "wikirace":
        (file,) = needed("wikirace", given.data, given.unchecked).values()
        games = formats.read_navigation(file)
        assert isinstance(games, Sessions)
        for name, links in (("links of all games", followed(games)), ("links of the training games", None)):
            print(f"{len(games.paths)} games, {name}")
            nats = likelihoods(games, links, model) if links is not None else {}
            show(joined([held(games, part, links, model) for part in parts(games)]), nats, given.seeds)
    elif given.collection == "wikispeedia":
        games, table = wikispeedia(needed("wikispeedia", given.data, given.unchecked), 400 if given.small else GAMES)
        print(f"{len(games.paths)} games, all links")
        show(held(games, next(parts(games)), table, model), likelihoods(games, table, model), given.seeds)
    else:
        raise DataError("name wikirace or wikispeedia")


def wikispeedia(files: Mapping[str, Path], number: int) -> tuple[Sessions, LinkTable]:
    table = formats.read_navigation(files["links.tsv"])
    assert isinstance(table, LinkTable)
    paths, goals = zip(*some(list(games_in(files)), number), strict=True)
    return Sessions(tuple(map(tuple, paths)), "", tuple(goals)), table


def followed(games: Sessions) -> LinkTable:
    """The links that any game followed."""
    steps = ((a, b) for path in games.paths for a, b in pairwise(path) if b != CUT)
    return LinkTable(dict.fromkeys(steps))


def parts(games: Sessions) -> Iterator[IntArray]:
    """The games of each part, drawn once."""
    order = np.random.default_rng(1).permutation(len(games.paths))
    yield from (np.sort(order[fold::FOLDS]) for fold in range(FOLDS))


def chosen(games: Sessions, numbers: Sequence[int]) -> Sessions:
    paths, goals = (tuple(one[i] for i in numbers) for one in (games.paths, games.goals))
    return replace(games, paths=paths, goals=goals, players=())


def held(games: Sessions, part: IntArray, links: LinkTable | None, model: str) -> Held:
    """Learn from the other games, and predict these."""
    out = set(part.tolist())
    training = chosen(games, [i for i in range(len(games.paths)) if i not in out])
    rest = chosen(games, [i for i in sorted(out) if games.paths[i][0] != games.goals[i]])
    table = followed(training) if links is None else links
    seek = bp.fit(model, training, links=table, held_out=0)
    markov = bp.fit("markov", replace(training, goals=()), links=table, held_out=0)
    stops = [goal not in path and path[-1] != CUT for path, goal in zip(training.paths, training.goals, strict=True)]
    clicks = sum(len(path) - 1 for path in training.paths)
    alike = f"hyperlink(follow={1 - sum(stops) / (clicks + sum(stops)):.6f},steps={games.budget or 0})"
    won = np.array([goal in path for path, goal in zip(rest.paths, rest.goals, strict=True)], dtype=float)
    share = np.mean([goal in path for path, goal in zip(training.paths, training.goals, strict=True)])
    scores = {
        "seek": scored(rest, "EPRUM", user=seek),
        "markov": scored(rest, "EPRUM", user=markov),
        "links alike": scored(rest, "EPRUM", user=alike, navigation=table),
        "nDCG, the goal": scored(rest, "nDCG@1"),
        "nDCG, links to it": scored(rest, "nDCG@1", leading=table),
    }
    return Held(list(rest.goals), won, scores, np.full(len(won), share))


def likelihoods(games: Sessions, links: LinkTable, model: str) -> dict[str, float]:
    """Nats a decision of the sessions that fit holds out."""
    names = {"seek": "log_likelihood", "markov": "markov_log_likelihood", "links alike": "baseline_log_likelihood"}
    found = bp.fit(model, games, links=links, held_out=1 / FOLDS).held_out
    assert found is not None
    return {name: float(found[key]) for name, key in names.items()}


def scored(games: Sessions, measure: str, leading: LinkTable | None = None, **options: object) -> FloatArray:
    """The measure of each game's start page as a list of one, its goal being relevant."""
    sources: dict[str, list[str]] = {}
    for a, b in leading.rows if leading is not None else ():
        sources.setdefault(b, []).append(a)
    truth = {str(i): {**dict.fromkeys(sources.get(goal, ()), 1), goal: 1} for i, goal in enumerate(games.goals)}
    run = {str(i): {path[0]: 1.0} for i, path in enumerate(games.paths)}
    found = bp.evaluate(truth, {"start": run}, measure, reader_draws=0, **options).per_topic()["start"]
    return np.array([found[measure][str(i)] for i in range(len(games.paths))], dtype=float)


def joined(several: Sequence[Held]) -> Held:
    return Held(
        [goal for one in several for goal in one.goal],
        np.concatenate([one.won for one in several]),
        {name: np.concatenate([one.scores[name] for one in several]) for name in READERS},
        np.concatenate([one.constant for one in several]),
    )


def show(found: Held, nats: Mapping[str, float], resamples: int) -> None:
    print("                                                   pairs in order")
    print("reader                nats   reach   seen   Brier   of the same goal       of all games")
    for name in READERS:
        likely = f"{nats[name]:6.3f}" if name in nats else "     -"
        score = found.scores[name]
        if name.startswith("nDCG"):
            facts = "     -      -       -"
        else:
            facts = f"{score.mean():6.3f} {found.won.mean():6.3f}  {np.mean((score - found.won) ** 2):6.3f}"
        orders = [in_order(found, score, resamples, same) for same in (True, False)]
        shown = "   ".join(f"{value:.3f} [{low:.3f}, {high:.3f}]" for value, low, high in orders)
        print(f"{name:19} {likely}  {facts}   {shown}")
    print(f"a constant          {np.mean((found.constant - found.won) ** 2):29.3f}")
    won, goals = int(found.won.sum()), len(set(found.goal))
    print(f"{len(found.won)} held-out games for {goals} goals, {won} of which got there\n")


def in_order(found: Held, score: FloatArray, resamples: int, same: bool) -> tuple[float, float, float]:
    """Of pairs of games, for the same goal or for any, the share in the right order, with an interval over goals."""
    _, goal = np.unique(found.goal, return_inverse=True)
    yes, no = np.flatnonzero(found.won > 0), np.flatnonzero(found.won == 0)
    pairs = (goal[yes][:, None] == goal[no]) if same else np.ones((len(yes), len(no)), dtype=bool)
    above = pairs * ((score[yes][:, None] > score[no]) + 0.5 * (score[yes][:, None] == score[no]))
    random, shares = np.random.default_rng(2), []
    for turn in range(resamples + 1):
        goals = int(goal.max()) + 1
        weight = np.bincount(random.integers(0, goals, goals), minlength=goals) if turn else np.ones(goals)
        left, right = weight[goal[yes]].astype(float), (np.ones(len(no)) if same else weight[goal[no]].astype(float))
        total = left @ pairs @ right
        shares.append(left @ above @ right / total if total else np.nan)
    low, high = np.nanquantile(shares[1:], (0.025, 0.975))
    return float(shares[0]), float(low), float(high)


if __name__ == "__main__":
    with told():
        main()
