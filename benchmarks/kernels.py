"""EPRUM and PRUM: the compiled kernels against the plain NumPy form, and how their time grows.

    python benchmarks/kernels.py            some ten minutes
    python benchmarks/kernels.py --quick    without the plain form's longest runs
    python benchmarks/kernels.py --check    exit 1 if something that must hold does not

Times are processor time of one thread, so that other work on the machine disturbs them little. A time is the smallest
of several repeats; a ratio is that of the smallest times, and after it stands what it would be between the quartiles
of the repeats. "plain" is the same function with BERRYPICK_KERNELS=numpy: one target at a time over all ranks. Both
start from the same entries of reach and end with the whole curve, r = 1..t.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

import berrypick as bp
from berrypick import kernels
from berrypick.data.reach import Reach
from berrypick.kernels import poisson_binomial
from berrypick.kernels.intervals import intersections, merge
from berrypick.kernels.poisson_binomial import consulted, number_seen
from berrypick.kernels.relevant_text import Measured, first_seen
from berrypick.kernels.trees import nested_pairs, numbered, unseen_lengths
from berrypick.measures.readers._expected_precision import expected_inverse

UNITS = 10**7
RANKS, TARGETS, EACH = (1500, 10_000), (10, 100, 1000), 5
#: Probabilities are drawn from [0, SCALE): so small that no target is soon as good as certain, which would be cheap.
SCALE = 0.1
#: Entries below this have no digits left in a double (and none of the claims is about them).
SMALLEST = 1e-290


def generated(ranks: int, targets: int, each: int = EACH, scale: float = SCALE, seed: int = 1) -> Reach:
    """Every rank reaches ``each`` targets drawn at random, with a probability drawn from [0, scale)."""
    rng = np.random.default_rng(seed)
    each = min(each, targets)
    target = np.concatenate([np.sort(rng.choice(targets, each, replace=False)) for _ in range(ranks)])
    return Reach.from_entries(
        ranks, targets, np.repeat(np.arange(ranks), each), target, rng.random(ranks * each) * scale
    )


def copied(reach: Reach) -> Reach:
    """The same entries in a new value: nothing is remembered from an earlier repeat."""
    return Reach(reach.ranks, reach.targets, reach.rank, reach.target, reach.probability)


def times(work: Callable[[], Any], least: int = 3, enough: float = 1.0) -> list[float]:
    """Seconds of processor time of each repeat: at least so many, and at least so long altogether."""
    found: list[float] = []
    while len(found) < least or (sum(found) < enough and len(found) < 200):
        begin = time.process_time()
        work()
        found.append(time.process_time() - begin)
    return found


def eprum(reach: Reach) -> Any:
    return bp.eprum(copied(reach))


def prum(reach: Reach) -> Any:
    return bp.prum(copied(reach), units=UNITS)


def inverse(reach: Reach) -> Any:
    """What the kernel does of EPRUM: E[A_r/ML_r] at every recall value."""
    return expected_inverse(copied(reach))


def using(form: str, function: Callable[[Any], Any], reach: Any) -> Callable[[], Any]:
    def work() -> Any:
        os.environ["BERRYPICK_KERNELS"] = form
        return function(reach)

    return work


def shown(seconds: float) -> str:
    return f"{seconds * 1e3:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"


def ratio(slow: list[float], fast: list[float]) -> str:
    (slow_low, slow_high), (fast_low, fast_high) = (np.quantile(found, [0.25, 0.75]) for found in (slow, fast))
    low, high = slow_low / fast_high, slow_high / fast_low
    return f"{min(slow) / min(fast):.3g} ({low:.3g} to {high:.3g})"


@dataclass
class Claims:
    """What must hold, and whether it did."""

    lines: list[tuple[str, bool]] = field(default_factory=list)

    def add(self, text: str, holds: bool) -> None:
        self.lines.append((text, bool(holds)))


# --- (a) curves against the plain form and against long doubles ------------------------------------------------------


@dataclass(frozen=True)
class Errors:
    """Largest relative errors: of the two curves, and of P(F_k = f) at every event."""

    eprum: float
    prum: float
    law: float


def errors(reach: Reach) -> Errors | None:
    """Against the definitions in long doubles, each product made anew at each rank."""
    if np.finfo(np.longdouble).nmant <= 52:
        return None
    os.environ["BERRYPICK_KERNELS"] = "native"
    long = np.longdouble
    t, ranks = reach.targets, reach.ranks
    seen, unseen = np.zeros(t, long), np.ones(t, long)
    total, new, read = np.zeros(t + 1, long), np.zeros(t + 1, long), np.zeros(t + 1, long)
    law = number_seen(reach)
    worst = 0.0
    entry = np.searchsorted(reach.rank, np.arange(ranks + 1))
    event = 0
    after = np.eye(1, t + 1, dtype=long)[0]
    for k in range(ranks):
        read += after
        here = slice(entry[k], entry[k + 1])
        reached, probability = reach.target[here], reach.probability[here].astype(long)
        if len(reached):
            others = np.flatnonzero((seen > 0) & ~np.isin(np.arange(t), reached))
            base = _product(np.eye(1, t + 1, dtype=long)[0], seen[others], unseen[others])
            new += after * _equation_eight(base, seen[reached], unseen[reached], probability)
            seen[reached] += unseen[reached] * probability
            unseen[reached] *= 1 - probability
            after = _product(base, seen[reached], unseen[reached])
            worst = max(worst, _largest(law[event], after))
            event += 1
        total += after / (long(k + 1) * (k + 2) if k + 1 < ranks else long(ranks))
    curve = np.arange(1, t + 1) * np.cumsum(total[::-1])[::-1][1:]
    rest = np.array([sum_beyond(after, r, UNITS - ranks) for r in range(1, t + 1)])
    precise = (np.cumsum(new)[:-1] + rest[:, 0]) / (np.cumsum(read)[:-1] + rest[:, 1])
    return Errors(_largest(bp.eprum(reach), curve), _largest(bp.prum(reach, units=UNITS), precise), worst)


def sum_beyond(last: Any, r: int, unranked: int) -> Any:
    """What the unranked part adds to numerator and denominator of PRUM (equation 5)."""
    t = len(last) - 1
    s = np.arange(r)
    weight = last[:r] * (r - s)
    return weight.sum(), (weight * (1 + (unranked - (t - s)) / np.longdouble(1) / (t - s + 1))).sum()


def _product(mass: Any, seen: Any, unseen: Any) -> Any:
    mass = mass.copy()
    for p, q in zip(seen, unseen, strict=True):
        mass[1:] = mass[1:] * q + mass[:-1] * p
        mass[0] *= q
    return mass


def _equation_eight(base: Any, seen: Any, unseen: Any, probability: Any) -> Any:
    found = np.zeros(len(base), np.longdouble)
    for x in range(len(seen)):
        keep = np.arange(len(seen)) != x
        others = _product(base, seen[keep], unseen[keep])
        whole = others * unseen[x]
        whole[1:] += others[:-1] * seen[x]
        share = np.divide(others * unseen[x], whole, out=np.zeros_like(whole), where=whole > 0)
        found += (1 - found) * probability[x] * share
    return found


def _largest(found: Any, exact: Any) -> float:
    kept = exact > SMALLEST
    return float(np.max(np.abs(found[kept] / exact[kept] - 1), initial=0.0))


def curves(claims: Claims, quick: bool) -> None:
    print("(a) whole curves, five targets reached at each rank; relative errors against long doubles\n")
    head = ["ranks", "targets", "EPRUM", "its kernel", "plain / ours", "PRUM", "plain / ours", "PRUM / EPRUM"]
    print("| " + " | ".join([*head, "error EPRUM", "error PRUM", "error law"]) + " |")
    print("| ---: " * (len(head) + 3) + "|")
    for ranks in RANKS:
        for targets in TARGETS:
            reach = generated(ranks, targets)
            large = ranks * targets > 1_500_000
            ours = times(using("native", eprum, reach)), times(using("native", prum, reach))
            kernel = times(using("native", inverse, reach))
            least = 1 if ranks * targets > 1_000_000 else 3
            skip = quick and ranks * targets > 1_000_000
            plain = None if skip else times(using("numpy", eprum, reach), least)
            plain_prum = None if skip or large else times(using("numpy", prum, reach), least)
            poisson_binomial._number_seen.cache_clear()
            wrong = None if skip else errors(reach)
            row = [
                f"{ranks:,}",
                f"{targets:,}",
                shown(min(ours[0])),
                shown(min(kernel)),
                ratio(plain, ours[0]) if plain else "-",
                shown(min(ours[1])),
                ratio(plain_prum, ours[1]) if plain_prum else "-",
                f"{min(ours[1]) / min(ours[0]):.3g}",
                *((f"{e:.1e}" for e in (wrong.eprum, wrong.prum, wrong.law)) if wrong else ("-", "-", "-")),
            ]
            print("| " + " | ".join(row) + " |", flush=True)
            _claim_curves(claims, ranks, targets, ours, plain, wrong)
    print("\n- : left out (for PRUM the plain form would hold half a gigabyte of laws and take minutes)\n")


def _claim_curves(
    claims: Claims,
    ranks: int,
    targets: int,
    ours: tuple[list[float], list[float]],
    plain: list[float] | None,
    wrong: Errors | None,
) -> None:
    if ranks == 1500 and targets in (100, 1000):
        wanted = {100: 8, 1000: 80}[targets]
        if plain:
            faster = min(plain) / min(ours[0])
            claims.add(f"EPRUM, {targets} targets: {wanted} times faster ({faster:.3g})", faster >= wanted)
        slower = min(ours[1]) / min(ours[0])
        claims.add(f"PRUM, {targets} targets: within 20 times EPRUM ({slower:.3g})", slower <= 20)
    if wrong:
        worst = max(wrong.eprum, wrong.prum, wrong.law)
        claims.add(f"{ranks} ranks, {targets} targets: relative error below 1e-12 ({worst:.1e})", worst < 1e-12)


# --- (b) growth ------------------------------------------------------------------------------------------------------


def exponent(sizes: list[int], seconds: list[float]) -> float:
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def growth(claims: Claims) -> None:
    print("(b) growth: smallest times in ms, and the exponent fitted to all points\n")
    series: list[tuple[str, list[int], Callable[[int], Reach]]] = [
        ("ranks (200 targets, 5 a rank)", [1500, 3000, 6000, 12_000, 24_000], lambda n: generated(n, 200, scale=0.02)),
        ("targets (1,500 ranks, 5 a rank)", [100, 200, 500, 1000, 2000], lambda n: generated(1500, n)),
        ("targets, 10,000 ranks", [100, 200, 500, 1000, 2000], lambda n: generated(10_000, n, scale=0.02)),
        ("entries a rank (1,500 ranks, 500 targets)", [1, 2, 5, 10, 20, 50], lambda n: generated(1500, 500, n)),
    ]
    work: list[tuple[str, Callable[[Reach], Any]]] = [
        ("EPRUM", eprum),
        ("EPRUM, its kernel", inverse),
        ("PRUM", prum),
        ("PRUM, its kernel", lambda reach: consulted(copied(reach), False)),
        ("PRUM(exact=True), its kernel", lambda reach: consulted(copied(reach), True)),
    ]
    for what, sizes, make in series:
        reaches = [make(n) for n in sizes]
        print(f"| {what} | " + " | ".join(f"{n:,}" for n in sizes) + " | exponent |")
        print("| --- |" + " ---: |" * (len(sizes) + 1))
        for name, function in work:
            seconds = [min(times(using("native", function, reach), 5, 0.5)) for reach in reaches]
            fitted = exponent(sizes, seconds)
            print(f"| {name} | " + " | ".join(f"{s * 1e3:.3g}" for s in seconds) + f" | {fitted:.2f} |", flush=True)
            if what.startswith("ranks"):
                claims.add(f"{name}: linear in ranks (exponent {fitted:.2f})", fitted <= 1.1)
            if what.startswith("targets (1,500"):
                claims.add(f"{name}: at most targets^1.3 (exponent {fitted:.2f})", fitted <= 1.3)
        print()


# --- where the small cases change over -------------------------------------------------------------------------------


def crossing() -> None:
    """The compiled forms against each other: products made anew at each rank, or shared in a tree."""
    print(
        "where the plain compiled form is faster: time of the tree / time of the plain form. The plain form is chosen"
    )
    print("if stretches (targets / entries a rank) last at most 5 ranks and at most 32 targets are partly seen.\n")
    sizes = [1, 2, 4, 8, 16, 24, 32, 48, 64]
    print("| EPRUM, 1,500 ranks; entries a rank | " + " | ".join(f"{n} targets" for n in sizes) + " |")
    print("| --- |" + " ---: |" * len(sizes))
    for each in (1, 2, 5, 10):
        cells = [f"{_tree_over_plain(generated(1500, targets, each, 0.2)):.2f}" for targets in sizes]
        print(f"| {each} | " + " | ".join(cells) + " |", flush=True)
    print("\n| NumPy form / compiled form, whole call of bp.eprum | ratio |\n| --- | ---: |")
    for ranks, targets in ((1, 1), (3, 2), (10, 3), (50, 5)):
        reach = generated(ranks, targets, 2)
        slow, fast = (times(using(form, eprum, reach), 50, 0.1) for form in ("numpy", "native"))
        print(f"| {ranks} ranks, {targets} targets | {ratio(slow, fast)} |")
    sure = generated(1500, 1000)
    sure.probability[:] = 1.0
    doubtful = generated(1500, 1000)
    for form in ("numpy", "native"):
        least = [min(times(using(form, inverse, reach), 1, 0.1)) for reach in (sure, doubtful)]
        what = f"{form}: {shown(least[0])} where all is certain, {shown(least[1])} where nothing is"
        print(f"| 1,500 ranks, 1,000 targets, {what} | {least[1] / least[0]:.3g} |")
    print()


# --- text and trees --------------------------------------------------------------------------------------------------


def text_and_trees() -> None:
    """The other kernels, on what one topic of a large run looks like."""
    rng = np.random.default_rng(1)
    document = np.sort(rng.integers(0, 300, 1500))
    start = rng.integers(0, 20_000, 1500)
    end = start + rng.integers(50, 2000, 1500)
    measured = {code: Measured(start[code::40], end[code::40]) for code in range(60)}
    many = rng.integers(0, 10**6, 20_000)
    names = ["/article[1]" + "".join(f"/sec[{n}]" for n in rng.integers(1, 4, rng.integers(0, 6))) for _ in range(1500)]
    place, after = numbered(names)
    targets = rng.choice(1500, 200, replace=False)
    length = rng.integers(1, 2000, 1500).astype(np.float64)
    nothing: dict[int, Measured] = {}
    work: list[tuple[str, Callable[[], Any]]] = [
        ("first-seen text, 1,500 regions in 300 documents", lambda: first_seen(document, start, end, measured)),
        ("first-seen text, 20,000 regions of one document", lambda: first_seen(many * 0, many, many + 99, nothing)),
        ("union of 10 intervals", lambda: merge(start[:10], end[:10])),
        ("union of 1,500 intervals", lambda: merge(start, end)),
        ("intersections, 1,500 x 100", lambda: intersections(start, end, start[:100], end[:100])),
        (
            "nested pairs, 1,500 x 200 elements in 300 documents",
            lambda: nested_pairs(document, place, after, document[targets], place[targets], after[targets]),
        ),
        ("unseen lengths, 1,500 elements", lambda: unseen_lengths(document, place, after, length)),
    ]
    print("| NumPy form / compiled form | compiled | ratio |\n| --- | ---: | ---: |")
    for what, function in work:
        slow, fast = (times(using(form, lambda _, f=function: f(), None), 5, 0.3) for form in ("numpy", "native"))
        print(f"| {what} | {shown(min(fast))} | {ratio(slow, fast)} |", flush=True)
    print()


def _tree_over_plain(reach: Reach) -> float:
    compiled = kernels.native()
    assert compiled is not None
    given = (reach.rank, reach.target, reach.probability, np.ones(reach.ranks), np.empty(reach.targets + 1))
    least = [float("inf"), float("inf")]
    for _ in range(150):  # in turn, so that whatever disturbs disturbs both
        for i in (0, 1):
            least[i] = min(least[i], *times(lambda form=i + 1: compiled.weighted_law(*given, form), 1, 0.0))
    return least[0] / least[1]


def memory() -> None:
    """The most memory that a whole curve takes in a process of its own, above what the process has before."""
    print("(c) most memory that is taken on top of what the process has before, in MB\n")
    print("| ranks | targets | EPRUM | plain | PRUM | plain |\n| ---: | ---: | ---: | ---: | ---: | ---: |")
    for ranks in RANKS:
        for targets in TARGETS[1:]:
            cells = []
            for name in ("eprum", "prum"):
                cells += [_taken(name, ranks, targets, form) for form in ("native", "numpy")]
            print(f"| {ranks:,} | {targets:,} | {' | '.join(cells)} |", flush=True)
    print()


def _taken(name: str, ranks: int, targets: int, form: str) -> str:
    if name == "prum" and form == "numpy" and ranks * targets > 2_000_000:
        return "-"  # see above
    command = (
        f"import kernels, resource as r\nreach = kernels.generated({ranks}, {targets})\n"
        "kernels.eprum(kernels.generated(3, 2))\nbefore = r.getrusage(r.RUSAGE_SELF).ru_maxrss\n"
        f"kernels.{name}(reach)\nprint((r.getrusage(r.RUSAGE_SELF).ru_maxrss - before) / 1024)"
    )
    folder = os.path.dirname(os.path.abspath(__file__))
    environment = {**os.environ, "BERRYPICK_KERNELS": form, "PYTHONPATH": folder}
    done = subprocess.run([sys.executable, "-c", command], env=environment, capture_output=True, check=True)
    return f"{float(done.stdout):.1f}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="leave out what takes minutes")
    parser.add_argument("--check", action="store_true", help="exit 1 if something that must hold does not")
    chosen = parser.parse_args()
    os.environ.pop("BERRYPICK_KERNELS", None)
    if kernels.in_use() != "native":
        print("the compiled kernels are not installed: there is nothing to compare", file=sys.stderr)
        return 1
    claims = Claims()
    curves(claims, chosen.quick)
    growth(claims)
    if not chosen.quick:
        memory()
    crossing()
    text_and_trees()
    print("what must hold\n")
    for text, holds in claims.lines:
        print(f"- {'yes' if holds else 'NO '} {text}")
    return 1 if chosen.check and not all(holds for _, holds in claims.lines) else 0


if __name__ == "__main__":
    sys.exit(main())
