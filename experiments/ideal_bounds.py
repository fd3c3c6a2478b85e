"""How near bounds on ideal lists come: full recall among many weak pages, and pages of Wikispeedia.

    python experiments/ideal_bounds.py [weak | thin | efforts | wikispeedia | sets]

* weak: for each set of candidates the best list that was found, and how far the bound of each kind is from it: how many
  ranks until all targets are seen, whatever the list. Candidates are the targets themselves and pages that lead to each
  of them with a random probability.
* thin: pages that lead to one target on average at most, for several numbers of targets.
* efforts: gains and efforts that differ; the gap by how many sets are examined.
* wikispeedia: pages of that game, with readers who follow its recorded paths.
* sets: the same for many sets of targets, linked from one page or drawn at random: how many times as many
  ranks the list of the targets takes until three of them are seen.

How much is examined is a number of sets, never of seconds, so the tables are the same on every machine. (How long it
takes is the matter of benchmarks/.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from _collection import arguments
from data import DataError, needed, told
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.stats import binom

import berrypick as bp
from berrypick.data.arrays import FloatArray
from berrypick.data.navigation import Sessions
from berrypick.ideal import list_bounds, list_search
from berrypick.ideal.list_problem import Search
from berrypick.ideal.priced import Priced
from berrypick.ideal.sum_bounds import LeastEffort
from berrypick.kernels.lists.ideal import Objective
from berrypick.statistics.statistics import bootstrap

#: Pages, targets, and the largest probability with which a page leads to a target.
WORLDS = ((200, 10, 0.3), (300, 10, 0.6), (200, 20, 0.3), (1000, 30, 0.2))
PRICED_WORLDS = ((30, 5, 0.4), (120, 5, 0.4), (300, 6, 0.3), (1000, 8, 0.3))
#: Pages that lead to one target on average at most, and targets.
THIN = (300, 10)
#: Shares of the whole gain that are wanted, and sets examined for each of them by default and in shorter searches.
SHARES = (0.3, 0.6, 1.0)
NODES = (133, 400, 1333)
#: Sets of targets of each kind, and the recall value at which their lists are compared.
SETS, WANTED = 50, 3
#: Numbers in a line of the output.
COLUMNS = 12
#: Where 1 - 1/exp(y) is bounded by its tangents.
TANGENTS = (0.1, 0.3, 0.6, 1.0, 1.6, 2.5, 4.0)
#: Nodes that HiGHS examines for each number of ranks: not seconds, so that the table is the same on every machine.
MILP_NODES = 1
#: Above so many probabilities its first node alone takes minutes.
MILP_MOST = 4000


def main(words: Sequence[str] | None = None) -> None:
    given = arguments(__doc__, words, on="weak, thin, efforts, wikispeedia or sets [default: weak]")
    if given.collection in (None, "weak"):
        weak_pages(((30, 5, 0.3),) if given.small else WORLDS)
    elif given.collection == "thin":
        thin_pages(*((40, 4) if given.small else THIN))
    elif given.collection == "efforts":
        unequal_efforts(((20, 3, 0.3),) if given.small else PRICED_WORLDS)
    elif given.collection == "wikispeedia":
        wikispeedia(needed("wikispeedia", given.data, given.unchecked), 3 if given.small else 12)
    elif given.collection == "sets":
        target_sets(needed("wikispeedia", given.data, given.unchecked), *((3, 2) if given.small else (12, SETS)))
    else:
        raise DataError(f"{given.collection}: there are weak, thin, efforts, wikispeedia and sets")


# --- many weak pages ------------------------------------------------------------------------------------------------

#: From the candidates, the recall value and the number of ranks: a bound on P(all seen).
LevelBound = Callable[[FloatArray, int, int], float]


def weak_pages(worlds: tuple[tuple[int, int, float], ...]) -> None:
    print("gap to the best list found at full recall")
    names = (*BOUNDS, "sums of reach", "in berrypick")
    print(f"{'pages, targets, reach up to':32}" + "".join(f"{name:>19}" for name in names))
    for pages, targets, most in worlds:
        rows = np.vstack([np.eye(targets), np.random.default_rng(1).random((pages, targets)) * most])
        (found,) = list_search.search_numbers(rows, [targets], "length", Search())
        cells = []
        for name, bound in BOUNDS.items():
            if name == "Hoeffding, MILP" and rows.size > MILP_MOST:
                cells.append("-")
                continue
            length = 1.0 + sum(1.0 - min(1.0, bound(rows, targets, k)) for k in range(1, targets))
            cells.append(f"{found.value / length - 1:.1%}")
        cells += [f"{found.value / by_row_sums(rows, targets) - 1:.1%}", f"{found.gap:.1%}"]
        name = f"{pages}, {targets}, {most:g}: {found.value:.2f} ranks"
        print(f"{name:32}" + "".join(f"{one:>19}" for one in cells), flush=True)


def thin_pages(pages: int, targets: int) -> None:
    """Rows that sum to at most 1, where the list of the targets is a best one."""
    others = np.random.default_rng(1).random((pages, targets)) ** 3
    rows = np.vstack([np.eye(targets), others / np.maximum(others.sum(axis=1, keepdims=True), 1.0)])
    print(
        f"gap to the list of the targets, {pages} pages, {targets} targets: no page leads to more than one on average"
    )
    print(f"{'r':20}{'sure apart':>18}{'sums of reach':>18}{'in berrypick':>18}")
    for r in sorted({2, targets // 2, targets}):
        (found,) = list_search.search_numbers(rows, [r], "length", Search())
        apart = 1.0 + sum(1.0 - min(1.0, by_kinds(rows, r, k)) for k in range(1, r))
        gaps = (found.value / apart - 1, found.value / by_row_sums(rows, r) - 1, found.gap)
        print(f"{f'{r}: {found.value:.2f} ranks':20}" + "".join(f"{gap:>18.1%}" for gap in gaps))


def by_row_sums(rows: FloatArray, r: int) -> float:
    """The least number of ranks, from sums over what candidates lead to."""
    return float(LeastEffort.of(rows.sum(axis=1), np.ones(len(rows)))(np.array([float(r)]))[0])


def hoeffding(mean: float, targets: int, r: int) -> float:
    """The largest P(F >= r) of so many indicators with this mean number seen."""
    if mean >= r:
        return 1.0
    found = 0.0
    for ones in range(int(mean) + 1):
        rest = mean - ones
        equal = np.arange(max(1, int(np.ceil(rest))), targets - ones + 1)
        found = max(found, float(binom.sf(r - ones - 1, equal, rest / equal).max(initial=0.0)))
    return found


def by_mean(rows: FloatArray, r: int, k: int) -> float:
    """Each candidate adds at most what it leads to."""
    return hoeffding(min(float(np.sort(rows.sum(axis=1))[-k:].sum()), rows.shape[1]), rows.shape[1], r)


def by_relaxation(rows: FloatArray, r: int, k: int, whole: bool = False) -> float:
    """The largest mean number seen of any k candidates, as a linear program, or with whole candidates."""
    count, targets = rows.shape
    with np.errstate(divide="ignore"):
        exposure = -np.log1p(-rows)
    blocks, limits = [np.hstack([-rows.T, np.eye(targets)])], [np.zeros(targets)]
    for at in TANGENTS:  # seen <= 1 - exp(-at) (1 + at - y), where a sure candidate counts 1 + at
        slope = np.exp(-at)
        blocks.append(np.hstack([-slope * np.minimum(exposure, 1 + at).T, np.eye(targets)]))
        limits.append(np.full(targets, 1 - slope * (1 + at)))
    chosen = np.concatenate([np.ones(count), np.zeros(targets)])
    rules = [LinearConstraint(np.vstack(blocks), ub=np.concatenate(limits)), LinearConstraint(chosen[None], ub=k)]
    solved = milp(
        -np.concatenate([np.zeros(count), np.ones(targets)]),
        constraints=rules,
        bounds=Bounds(0, 1),
        integrality=chosen if whole else None,
        options={"node_limit": MILP_NODES},
    )
    bound = solved.mip_dual_bound if whole else solved.fun
    if bound is None or not np.isfinite(bound):  # ended before it knew any: a linear program knows one
        return by_relaxation(rows, r, k) if whole else 1.0
    return hoeffding(-float(bound) * (1 + 1e-9), targets, r)


def by_survival(rows: FloatArray, r: int, k: int) -> float:
    """A target stays unseen at least with the product over its best candidates; some are sure instead. For all of the
    targets alone: r is their number."""
    others = -np.log1p(-np.where(rows < 1, rows, 0.0))
    best = np.cumsum(-np.sort(-others, axis=0), axis=0)
    found = 0.0
    for sure in range(min(k, r) + 1):
        seen = np.sort(-np.expm1(-best[k - sure - 1])) if sure < k else np.zeros(r)
        found = max(found, float(np.prod(seen[sure:])))  # the least seen are the sure ones
    return found


def by_tangents(rows: FloatArray, r: int, k: int) -> float:
    """The Lagrangian dual of the concave relaxation."""
    unseen = np.ones(rows.shape[1])
    return float(list_bounds.tangent_bounds(rows, unseen, r, k, list_bounds.STEPS)[0][k - 1])


def by_kinds(rows: FloatArray, r: int, k: int) -> float:
    """Sure candidates apart from others, each of which exposes its best targets."""
    return float(list_bounds.level_bounds(rows, np.ones(rows.shape[1]), r, k, 0).best[k - 1])


BOUNDS: dict[str, LevelBound] = {
    "Hoeffding, sums": by_mean,
    "Hoeffding, LP": by_relaxation,
    "Hoeffding, MILP": lambda rows, r, k: by_relaxation(rows, r, k, whole=True),
    "survival products": by_survival,
    "Lagrangian dual": by_tangents,
    "sure apart": by_kinds,
}


# --- gains and efforts that differ ----------------------------------------------------------------------------------


def unequal_efforts(worlds: tuple[tuple[int, int, float], ...]) -> None:
    """Gains 1, 2, 3 in turn, efforts 1 to 5 at random."""
    print(f"gap to the best list found for {', '.join(f'{share:.0%}' for share in SHARES)} of the gain")
    print(f"{'pages, targets, reach up to':32}" + "".join(f"{f'{nodes} sets':>24}" for nodes in NODES))
    for pages, targets, most in worlds:
        random = np.random.default_rng(1)
        rows = np.vstack([np.eye(targets), random.random((pages, targets)) * most])
        gains = np.arange(targets) % 3 + 1.0
        priced = Priced(rows, random.integers(1, 6, len(rows)).astype(np.float64), np.zeros(rows.shape))
        wanted = [share * float(gains.sum()) * (1 - 1e-9) for share in SHARES]
        objectives: tuple[Objective, ...] = ("length", "inverse")
        for objective in objectives:
            found = [list_search.search(priced, gains, wanted, objective, Search(nodes)) for nodes in NODES]
            cells = ["/".join(f"{one.gap:.1%}" for one in gaps) for gaps in found]
            name = f"{pages}, {targets}, {most:g}: {'E[ce]' if objective == 'length' else 'E[1/ce]'}"
            print(f"{name:32}" + "".join(f"{one:>24}" for one in cells), flush=True)


# --- Wikispeedia ----------------------------------------------------------------------------------------------------


def wikispeedia(files: Mapping[str, Path], number: int) -> None:
    finished, unfinished = (bp.read_navigation(files[f"paths_{name}.tsv"]) for name in ("finished", "unfinished"))
    paths = Sessions((*finished.paths, *unfinished.paths), "wikispeedia")
    visited = sorted({page for path in paths.paths for page in path if page != "<"})
    goals = [page for page, _ in Counter(path[-1] for path in finished.paths).most_common(number)]
    links = bp.read_navigation(files["links.tsv"])
    bird = [to for page, to in links.rows if page == "Bird" and to in set(visited)][:number]
    drawn = np.random.default_rng(1).choice(len(visited), number, replace=False)
    print(f"Wikispeedia: {len(visited)} pages, first-order chain of {len(paths.paths)} paths, {number} targets")
    for name, targets in (
        ("frequent goals", goals),
        ("linked from Bird", bird),
        ("random", [visited[i] for i in drawn]),
    ):
        for measure, grades in (("EPRUM", (1,)), ("epnav", (3, 2, 1))):
            truth = {"q": {target: grades[i % len(grades)] for i, target in enumerate(targets)}}
            found = bp.ideal_lists(truth, measure, user="markov", navigation=paths)
            print(f"\n{name}, {measure}: {found[0].candidates} candidates")
            for first in range(0, len(found), COLUMNS):
                show(found[first : first + COLUMNS], measure)


def target_sets(files: Mapping[str, Path], number: int, sets: int) -> None:
    finished, unfinished = (bp.read_navigation(files[f"paths_{name}.tsv"]) for name in ("finished", "unfinished"))
    paths = Sessions((*finished.paths, *unfinished.paths), "wikispeedia")
    visited = sorted({page for path in paths.paths for page in path if page != "<"})
    known, linked = set(visited), dict[str, list[str]]()
    for page, to in bp.read_navigation(files["links.tsv"]).rows:
        if to in known and to != page:
            linked.setdefault(page, []).append(to)
    pages = sorted(page for page, targets in linked.items() if len(targets) >= number)
    draw = np.random.default_rng(1)
    kinds = {
        "linked from one page": [linked[pages[i]][:number] for i in draw.choice(len(pages), sets, replace=False)],
        "drawn at random": [
            [visited[i] for i in draw.choice(len(visited), number, replace=False)] for _ in range(sets)
        ],
    }
    print(f"Wikispeedia, {sets} sets of {number} targets each: ranks of the list of targets / ranks of the best list")
    for name, targets in kinds.items():
        truth = {str(i): dict.fromkeys(some, 1) for i, some in enumerate(targets)}
        found = bp.ideal_lists(truth, f"EPRUM(r={WANTED})", user="markov", navigation=paths)
        ratios = np.array([WANTED / (one.value or np.nan) for one in found])
        low, high = bootstrap(ratios[:, None])
        proved = sum((one.gap or 0.0) < 1e-9 for one in found)
        ends = f"least {ratios.min():.2f}, largest {ratios.max():.2f}; {proved} of {len(found)} lists proved best"
        print(f"  {name:<22}mean {ratios.mean():.2f} [{low[0]:.2f}, {high[0]:.2f}], {ends}", flush=True)


def show(found: Sequence[bp.IdealList], measure: str) -> None:
    print("  wanted  " + "".join(f"{one.r or one.level or 0:>7g}" for one in found))
    print("  ranks   " + "".join(f"{one.value or 0:7.2f}" for one in found))
    print("  gap     " + "".join(f"{one.gap or 0:7.1%}" for one in found), flush=True)
    if measure == "EPRUM":
        print("  targets " + "".join(f"{(one.r or 0) / (one.value or 1):7.2f}" for one in found))


if __name__ == "__main__":
    with told():
        main()
