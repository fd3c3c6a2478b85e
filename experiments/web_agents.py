"""Do readers with a goal say where agents and people get to, and which start pages are good ones?

    python experiments/web_agents.py wikirace|wikispeedia

wikirace: 420 games of a language model, from each of 21 pages to each other one, 20 clicks at most; the links are those
that any game followed, as nothing else is recorded. wikispeedia: games of people, 4,000 of them, the links complete.

Games are split into five parts by chance, and each part is predicted from the other four (wikispeedia: one part). The
readers are learnt from the training games: seek; markov, the chain without goals, smoothed towards the links; links
alike, who stop before a click with the share of the training games.

Beside them are predictions from the goal alone, which say the same of all start pages: the share of the training games
with this goal that got there (with one game more that got there as often as all), and its in-degree, which a logistic
regression on its logarithm turns into a probability.

Printed: nats a held-out decision (of a fifth that fit holds out itself); the mean reach of the goal from the start,
beside the share of the held-out games that got there; the Brier score of that prediction, which a constant has too; and
of pairs of held-out games, one that got there and one that did not, for the same goal and for any, the share in which
the measure of the start page as a list is higher for the first (ties count half), with a 95% interval over goals: EPRUM
under each reader, and nDCG with the goal alone relevant, or pages that link to it too. For wikirace again with the
links of the training games alone, so that no held-out game has a part in them.

Then seek against each of the others, paired: the differences of Brier scores and of shares of pairs in order, with 95%
intervals (Student's, with the standard error of the same resamples of goals with all their held-out games). A mark says
where seek is better (+) or worse (-) than the other and the interval does not hold 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
from _collection import arguments
from data import DataError, needed, told
from scipy.optimize import minimize
from scipy.special import expit, stdtrit
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
READERS = ("seek", "markov", "links alike", "nDCG, the goal", "nDCG, links to it", "goal, win rate", "goal, in-degree")
#: Where fit has the mean log-likelihood of each.
LIKELY = {"seek": "log_likelihood", "markov": "markov_log_likelihood", "links alike": "baseline_log_likelihood"}
#: Who has no probability of getting to the goal, and who says the same of all start pages.
NO_CHANCE, OF_GOALS = READERS[3:5], READERS[5:]


@dataclass(frozen=True, eq=False)
class Held:
    """Held-out games: their goals, whether they got there, and what each reader says of the start page."""

    goal: list[str]
    won: FloatArray
    scores: Mapping[str, FloatArray]
    chances: Mapping[str, FloatArray]  # where the score is not the probability of getting there
    constant: FloatArray  # the share of the training games that got there

    def chance(self, name: str) -> FloatArray:
        if name == "a constant":
            return self.constant
        return self.chances[name] if name in self.chances else self.scores[name]


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
        "goal, win rate": win_rates(training, rest, float(share)),
        "goal, in-degree": indegrees(rest, table),
    }
    chances = {"goal, in-degree": by_indegree(training, rest, table)}
    return Held(list(rest.goals), won, scores, chances, np.full(len(won), share))


def win_rates(training: Sessions, rest: Sessions, share: float) -> FloatArray:
    """How often training games with the goal of each game got there, with one game more that did as often as all."""
    games, won = Counter(training.goals), Counter(goal for goal in winners(training) if goal)
    return np.array([(won[goal] + share) / (games[goal] + 1) for goal in rest.goals])


def winners(games: Sessions) -> list[str]:
    """The goals of games that got there, and nothing for the others."""
    return [goal if goal in path else "" for path, goal in zip(games.paths, games.goals, strict=True)]


def indegrees(games: Sessions, links: LinkTable) -> FloatArray:
    """How many pages link to the goal of each game."""
    indegree = Counter(b for _, b in links.rows)
    return np.array([indegree[goal] for goal in games.goals], dtype=float)


def by_indegree(training: Sessions, rest: Sessions, links: LinkTable) -> FloatArray:
    """The probability of getting to a goal, from how many pages link to it."""
    known, asked = (np.log1p(indegrees(games, links)) for games in (training, rest))
    won = np.array([bool(goal) for goal in winners(training)], dtype=float)

    def loss(at: FloatArray) -> float:
        value = at[0] + at[1] * known
        return float((np.logaddexp(0.0, value) - won * value).mean())

    at = minimize(loss, np.zeros(2)).x
    return np.asarray(expit(at[0] + at[1] * asked))


def likelihoods(games: Sessions, links: LinkTable, model: str) -> Mapping[str, float]:
    """Nats a decision of the sessions that fit holds out, and differences from seek with their intervals."""
    found = bp.fit(model, games, links=links, held_out=1 / FOLDS).held_out
    assert found is not None
    return found


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
        {name: np.concatenate([one.chances[name] for one in several]) for name in several[0].chances},
        np.concatenate([one.constant for one in several]),
    )


def show(found: Held, nats: Mapping[str, float], resamples: int) -> None:
    print("                                                   pairs in order")
    print("reader                nats   reach   seen   Brier   of the same goal       of all games")
    orders = {
        name: [None if same and name in OF_GOALS else in_order(found, found.scores[name], resamples, same)
               for same in (True, False)]
        for name in READERS
    }  # fmt: skip
    for name in READERS:
        key = LIKELY.get(name, "")
        likely, facts = f"{nats[key]:6.3f}" if key in nats else "     -", "     -      -       -"
        if name not in NO_CHANCE:
            chance = found.chance(name)
            facts = f"{chance.mean():6.3f} {found.won.mean():6.3f}  {np.mean((chance - found.won) ** 2):6.3f}"
        print(f"{name:19} {likely}  {facts}   {'   '.join(map(interval, orders[name]))}")
    print(f"a constant          {np.mean((found.constant - found.won) ** 2):29.3f}")
    won, goals = int(found.won.sum()), len(set(found.goal))
    print(f"{len(found.won)} held-out games for {goals} goals, {won} of which got there\n")
    for name, key in (("markov", "markov_"), ("links alike", "")) if nats else ():
        difference, low, high = (nats[key + part] for part in ("difference", "low", "high"))
        print(f"nats, seek - {name}: {difference:.3f} [{low:.3f}, {high:.3f}], over held-out games")
    show_differences(found, orders, resamples)


def interval(shares: FloatArray | None) -> str:
    if shares is None:
        return f"{'-':20}"
    low, high = np.nanquantile(shares[1:], (0.025, 0.975))
    return f"{shares[0]:.3f} [{low:.3f}, {high:.3f}]"


def show_differences(found: Held, orders: Mapping[str, list[FloatArray | None]], resamples: int) -> None:
    """Seek against the others on the same games; the same goals are drawn for all of them."""
    goals, own = len(set(found.goal)), brier(found, found.chance("seek"), resamples)
    print("                                                  pairs in order")
    print("seek against         Brier                        of the same goal             of all games")
    for name in (*READERS[1:], "a constant"):
        other = None if name in NO_CHANCE else brier(found, found.chance(name), resamples)
        cells = [paired(own, other, goals, -1)]
        cells += [paired(a, b, goals, 1) for a, b in zip(orders["seek"], orders.get(name, [None] * 2), strict=True)]
        print(f"{name:19}  " + " ".join(f"{cell:28}" for cell in cells).rstrip())
    print()


def paired(own: FloatArray | None, other: FloatArray | None, goals: int, sign: int) -> str:
    """A difference with its interval; sign: 1 if larger is better, -1 if smaller is."""
    if own is None or other is None:
        return "-"
    difference = own - other
    half = float(stdtrit(goals - 1, 0.975)) * float(np.nanstd(difference[1:]))
    low, high = difference[0] - half, difference[0] + half
    mark = "" if low <= 0 <= high else " +" if sign * low > 0 else " -"
    return f"{difference[0]:+.3f} [{low:+.3f}, {high:+.3f}]{mark}"


def draws(found: Held, resamples: int) -> Iterator[FloatArray]:
    """How often each game counts: all once, then as often as its goal is drawn."""
    _, goal = np.unique(found.goal, return_inverse=True)
    goals, random = int(goal.max()) + 1, np.random.default_rng(2)
    yield np.ones(len(goal))
    for _ in range(resamples):
        yield np.bincount(random.integers(0, goals, goals), minlength=goals)[goal].astype(float)


def brier(found: Held, score: FloatArray, resamples: int) -> FloatArray:
    """The Brier score of all games, and of each resample of goals."""
    loss = (score - found.won) ** 2
    return np.array([weight @ loss / weight.sum() for weight in draws(found, resamples)])


def in_order(found: Held, score: FloatArray, resamples: int, same: bool) -> FloatArray:
    """Of pairs of games, for the same goal or for any, the share in the right order; and for each resample of goals."""
    _, goal = np.unique(found.goal, return_inverse=True)
    yes, no = np.flatnonzero(found.won > 0), np.flatnonzero(found.won == 0)
    pairs = (goal[yes][:, None] == goal[no]) if same else np.ones((len(yes), len(no)), dtype=bool)
    above = pairs * ((score[yes][:, None] > score[no]) + 0.5 * (score[yes][:, None] == score[no]))
    shares = []
    for weight in draws(found, resamples):
        left, right = weight[yes], np.ones(len(no)) if same else weight[no]
        total = left @ pairs @ right
        shares.append(left @ above @ right / total if total else np.nan)
    return np.array(shares)


if __name__ == "__main__":
    with told():
        main()
