"""T2I, ESL, ESLRF and PT2I of people with different tolerances, against the measure of each tolerance for itself."""

import math
import re
from statistics import NormalDist

import numpy as np
import pytest

import berrypick as bp
from berrypick.measures.readers.esl import ESL
from berrypick.measures.readers.eslrf import ESLRF
from berrypick.measures.readers.pt2i import PT2I
from berrypick.measures.readers.t2i import T2I
from berrypick.users.tolerance import people
from berrypick.users.tolerance.people import People

TRUTH = {"q": {"video#5-10": 1, "video#20-30": 1}}
SECONDS = bp.Collection({"video": 100})
NORMAL = NormalDist()


def above(tolerance, median=15, spread=0.5):
    """P(T > tolerance)."""
    return NORMAL.cdf(-math.log(tolerance / median) / spread)


@pytest.mark.slow
def test_by_hand():
    """Targets 5 and 20 seconds in, entry 0: up to 5 nothing is found, up to 10 one, above both; one unit wasted."""
    run = {"q": {"video#0-5": 1}}
    found = bp.score("T2I(tolerance=15,spread=0.5,at=1)", TRUTH, run, collection=SECONDS)
    assert found == pytest.approx(2 * above(10) + (above(5) - above(10)), rel=1e-14)
    # over 20 units: found/1, the same total over t = 2 .. 20
    mean = bp.score("T2I(tolerance=15,spread=0.5)", TRUTH, run, collection=SECONDS)
    assert mean == pytest.approx(found * sum(1 / t for t in range(1, 21)) / 20, rel=1e-13)
    # one target wanted: people above 5 find it before any waste; the others waste 1 unit, then search 85/tolerance
    rest = sum((above(85 / n) - above(min(5, 85 / (n - 1)))) * (1 + (n - 1) / 3) for n in range(17, 3000))
    esl = bp.score("ESL(tolerance=15,spread=0.5,wanted=1)", TRUTH, run, collection=SECONDS)
    assert esl == pytest.approx(rest, rel=1e-9)


def world(rng):
    """Documents, targets and results at random places; some targets overlap, some results are past their document."""
    lengths = {name: float(rng.integers(20, 80)) for name in "ab"}
    truth = {}
    for _ in range(rng.integers(1, 5)):
        name = "ab"[rng.integers(2)]
        start = int(rng.integers(0, lengths[name] - 8))
        truth[f"{name}#{start}-{start + int(rng.integers(1, 8))}"] = 1
    run = {}
    for i in range(rng.integers(1, 7)):
        start = int(rng.integers(0, 85))
        run[f"{'abc'[rng.integers(3)]}#{start}-{start + 3}"] = 10.0 - i
    return {"q": truth}, {"q": run}, bp.Collection(lengths)


def judge(truth, run, collection):
    return bp.Evaluation.prepare(truth, run, "T2I(tolerance=10)", collection=collection).judge("run", "q")


def brute(make, judged, median, spread, amounts, t_init):
    """The value of every tolerance for itself: between any two places, and any two units of an amount, it stays.

    ``make`` builds the measure of one tolerance.
    """
    places = judged.spans[0].start.tolist(), judged.spans[1].start.tolist(), judged.spans[1].end.tolist()
    gaps = {b - a - init for a in (*places[0], *places[2]) for b in places[1] for init in (0.0, t_init)}
    steps = {amount / n for amount in amounts for n in range(1, 400)}
    borders = sorted(x for x in {*gaps, *steps, median * math.exp(9 * spread)} if x > median * math.exp(-9 * spread))
    total = 0.0
    for low, high in zip([median * math.exp(-9 * spread), *borders], [*borders, math.inf], strict=True):
        inside = math.sqrt(low * high) if high < math.inf else low * 2
        value = make(inside).compute(judged).value
        if value is None:
            return None
        z = [math.log(x / median) / spread if x < math.inf else math.inf for x in (low, high)]
        share = NORMAL.cdf(-z[0]) - NORMAL.cdf(-z[1]) if z[0] > 0 else NORMAL.cdf(z[1]) - NORMAL.cdf(z[0])
        total += value * share
    return total


FORMS = {
    "T2I": lambda tau, how: T2I(tolerance=tau, **how),
    "T2I@3": lambda tau, how: T2I(tolerance=tau, at=3, **how),
    "T2I budget": lambda tau, how: T2I(tolerance=tau, budget=60 if how.get("spread") or tau <= 60 else tau, **how),
    "ESL": lambda tau, how: ESL(tolerance=tau, **how),
    "ESL 1": lambda tau, how: ESL(tolerance=tau, wanted=1, **how),
    "ESLRF": lambda tau, how: ESLRF(tolerance=tau, **how),
    "PT2I": lambda tau, how: PT2I(tolerance=tau, **how),
    "PT2I@.5": lambda tau, how: PT2I(tolerance=tau, at=0.5, **how),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMS)
def test_it_is_the_mean_over_tolerances(name):
    for seed in range(12):
        rng = np.random.default_rng(seed)
        judged = judge(*world(rng))
        how = {"keeps_viewing": bool(seed % 2), "t_init": float(seed % 3 * 4)}
        median, spread = float(rng.uniform(5, 20)), float(rng.uniform(0.1, 0.3))
        measure = FORMS[name](median, {"spread": spread, **how})
        amounts = [a for a in (measure.amount(judged),) if a > 0]
        expected = brute(lambda tau: FORMS[name](tau, how), judged, median, spread, amounts, how["t_init"])  # noqa: B023
        assert measure.compute(judged).value == pytest.approx(expected, rel=1e-9, abs=1e-12), (name, seed)


@pytest.mark.parametrize("name", FORMS)
def test_without_a_spread_nothing_changes_and_a_small_one_changes_little(name):
    judged = judge(*world(np.random.default_rng(3)))
    value = FORMS[name](11.3, {}).compute(judged).value
    assert FORMS[name](11.3, {"spread": 0.0}).compute(judged).value == value
    assert FORMS[name](11.3, {"spread": 1e-7}).compute(judged).value == pytest.approx(value, rel=1e-6)


def test_curves_are_means_too():
    judged = judge(*world(np.random.default_rng(5)))
    for measure in (T2I(tolerance=9, spread=0.4), PT2I(tolerance=9, spread=0.4)):
        points = [y for _, y in measure.curve(judged)]
        if measure.name() == "T2I":
            assert math.fsum(points) / len(points) == pytest.approx(measure.compute(judged).value, rel=1e-12)
        else:
            assert points[-1] == pytest.approx(measure.compute(judged).value, rel=1e-12)


@pytest.mark.slow
def test_quadrature_errs_by_less_than_it_says():
    """Against the sum over all steps: ESL grows with units, PT2I falls, T2I's harmonic sums round down."""
    amount, law = 2e5, People(1.0, 0.3)
    assert not law.is_exact(amount)
    values = {"up": [lambda n: 3 + 2 * (n - 3) / 5, lambda n: 4 / (4 + 3 + 2 * (n - 3) / 5)], "down": [lambda n: 1 / n]}
    n = np.arange(1, int(amount * math.exp(0.3 * 8)))
    for rounding, some in values.items():
        low = amount / n if rounding == "up" else amount / (n + 1)
        shares = law.share(low, np.concatenate([[np.inf], low[:-1]]))
        for value in some:
            found = law.mean(0.0, math.inf, value, amount, rounding)
            assert found == pytest.approx(float(shares @ value(n)), rel=people.ERROR)


def test_the_signature_says_where_it_is_used():
    run = {"q": {"video#0-5": 1}}
    for tolerance, spread, used in ((15, 0.1, False), (15, 2, True)):
        asked = [f"{name}(tolerance={tolerance},spread={spread})" for name in ("T2I", "ESL", "ESLRF", "PT2I")]
        results = bp.evaluate(TRUTH, run, asked, collection=SECONDS)
        said = ["quadrature:n>100000,error<=1e-09" in str(row.signature) for row in results.mean_rows]
        assert said == [False, used, used, used]
        assert all(f"spread:{spread}" in str(row.signature) for row in results.mean_rows)
    budget = bp.evaluate(TRUTH, run, "T2I(tolerance=15,spread=2,budget=100)", collection=SECONDS).mean_rows[0]
    assert "quadrature:n>100000" in str(budget.signature)


@pytest.mark.slow
def test_topics_without_results_and_too_many_wanted():
    truth = {**TRUTH, "p": {"video#50-55": 1}}
    results = bp.evaluate(
        truth, {"q": {"video#0-5": 1}}, ["T2I(tolerance=15,spread=1)", "ESL(tolerance=15,spread=1)",
        "ESLRF(tolerance=15,spread=1)", "PT2I(tolerance=15,spread=1)", "ESL(tolerance=15,spread=1,wanted=2)"],
        collection=SECONDS,
    ).per_topic()["run"]  # fmt: skip
    values = [of["p"] for of in results.values()]
    assert values[0] == 0 and values[2] == 0 and values[4] is None
    # without any list S I/(R + 1), I = ceil(95/tolerance)
    n = np.arange(1, 10**6)
    ends = np.concatenate([[np.inf], 95 / n[:-1]])
    mean = float(People(15.0, 1.0).share(95 / n, ends) @ (n / 2))
    assert values[1] == pytest.approx(mean, rel=1e-6)


def test_explanations_show_people_and_the_value():
    run = {"q": {"video#0-5": 1}}
    for measure in ("T2I", "T2I(budget=60)", "ESL", "ESLRF", "PT2I"):
        name, _, rest = measure.partition("(")
        asked = f"{name}(tolerance=15,spread=0.5{',' + rest[:-1] if rest else ''})"
        value = bp.score(asked, TRUTH, run, collection=SECONDS)
        text = str(bp.explain(TRUTH, run, asked, "q", collection=SECONDS))
        assert "People by tolerance" in text and "median tolerance" in text
        assert float(re.search(r"^mean +([\d.]+)$", text, re.MULTILINE)[1]) == pytest.approx(value, abs=1e-6)


def test_what_is_refused():
    with pytest.raises(bp.UsageError, match="collection="):
        bp.score("T2I(spread=0.5)", {"q": {"d#5-10": 1}}, {"q": {"d#0-10": 1.0}})
    for spread in (-0.1, 11, "'x'"):
        with pytest.raises(bp.UsageError, match="spread"):
            bp.score(f"T2I(spread={spread})", TRUTH, {"q": {}}, collection=SECONDS)


@pytest.mark.slow
def test_many_results_in_one_long_video():
    """Thousands of break points in one document, where a walk for each would take minutes."""
    rng = np.random.default_rng(0)
    truth = {"q": {f"video#{start}-{start + 10}": 1 for start in range(100, 20_000, 500)}}
    starts = rng.permutation(20_000)[:400].tolist()
    run = {"q": {f"video#{start}-{start + 5}": 1000.0 - i for i, start in enumerate(starts)}}
    value = bp.score("PT2I(tolerance=60,spread=0.7)", truth, run, collection=bp.Collection({"video": 20_100}))
    assert 0 < value < 1
