"""Readers who leave a document when reading on does not pay: optimal stopping, reach, effort, and their fit."""

import math

import handmade
import numpy as np
import pytest
from generated_inputs import span_worlds
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import ndtr

import berrypick as bp
from berrypick.analysis.fit.truth_gaps import Gaps, estimate, gaps_of
from berrypick.data.collection import Collection
from berrypick.users.tolerance.distributions import Foraging

BELIEFS = st.tuples(st.sampled_from([20.0, 60.0, 200.0, 1500.0]), st.sampled_from([0.005, 0.02, 0.1, 0.7]),
                    st.sampled_from([0.05, 0.3, 0.5, 0.9]))  # fmt: skip


def hazard(w, rate, present):
    return present * rate * math.exp(-rate * w) / (present * math.exp(-rate * w) + 1 - present)


def tolerance(gain, rate, present):
    return float(Foraging(gain, rate, present).tolerance(math.log(gain)))


def test_the_worked_example():
    assert tolerance(200, 0.02, 0.5) == pytest.approx(54.931, abs=5e-4)


@given(BELIEFS)
def test_leaving_there_is_optimal(beliefs):
    """Of all distances at which one could leave, the expected gain less the reading is largest at tau*."""
    gain, rate, present = beliefs

    def worth(leave):
        """Something is met before leaving with q (1 - e^(-L x)); a unit of reading costs 1."""
        met = present * -math.expm1(-rate * leave)
        read = present * -math.expm1(-rate * leave) / rate + (1 - present) * leave
        return met * gain - read

    best = tolerance(*beliefs)
    assert all(worth(best) >= worth(other) - 1e-9 for other in np.linspace(0, 3 * best + 50, 400))
    if best > 1e-6:
        assert hazard(best, rate, present) * gain == pytest.approx(1)


def evaluated(world, text, **options):
    truth, run = handmade.span_truth({"1": world.targets}), handmade.span_run({"1": world.results})
    return bp.evaluate(truth, run, text, collection=Collection(world.lengths), **options).mean()["run"][text]


@given(span_worlds(), BELIEFS, st.booleans())
@settings(max_examples=40)
def test_without_spread_it_is_t2i(world, beliefs, keeps_viewing):
    tau = tolerance(*beliefs)
    named = "gain={},rate={},present={}".format(*beliefs)
    ours = evaluated(world, "EPRUM", user=f"forage({named},keeps_viewing={keeps_viewing})")
    theirs = evaluated(world, "EPRUM", user=f"t2i(tolerance={max(tau, 1e-9)!r},keeps_viewing={keeps_viewing})")
    assert ours == pytest.approx(theirs, abs=1e-12)


@given(BELIEFS, st.sampled_from([0.2, 0.6, 1.5]), st.integers(1, 300))
def test_reach_is_the_share_of_readers_who_stay(beliefs, spread, at):
    truth, run = handmade.span_truth({"1": [("d", at, at + 5)]}), handmade.span_run({"1": [("d", 0, 1)]})
    user = "forage(gain={},rate={},present={},spread={})".format(*beliefs, spread)
    found = bp.score("ExpectedRatio", truth, run, user=user, collection={"d": 1000})
    gain, rate, present = beliefs
    assert found == pytest.approx(ndtr((math.log(gain) + math.log(hazard(at, rate, present))) / spread), abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_reach_and_effort_are_those_of_drawn_readers(seed):
    """Gaps of 12, 30 and 25 before targets; each reader draws a gain, and leaves where its hazard is too small."""
    rng = np.random.default_rng(seed)
    spans, end = [(12, 20), (50, 55), (80, 90)], 200
    found, went = np.zeros(3), []
    for gain in 200 * np.exp(0.6 * rng.normal(size=4000)):
        place, patience = 0, tolerance(gain, 0.02, 0.5)
        for x, (start, stop) in enumerate(spans):
            if start - place >= patience:
                break
            found[x] += 1
            place = stop
        went.append(min(place + patience, end))
    truth = handmade.span_truth({"1": [("d", *span) for span in spans]})
    run = handmade.span_run({"1": [("d", 0, 1)]})
    judged = bp.judge(truth, run, "1", user="forage(spread=0.6)", collection={"d": end}, effort="chars")
    assert judged.reach.dense()[0] == pytest.approx(found / 4000, abs=0.03)
    assert judged.effort.ranks[0] == pytest.approx(np.mean(went), abs=4 * np.std(went) / 4000**0.5)


@given(BELIEFS, st.sampled_from([0.2, 0.6, 1.5]), st.floats(0, 400), st.floats(0.1, 400))
@settings(max_examples=60)
def test_the_mean_of_tolerances_in_a_range(beliefs, spread, low, more):
    law = Foraging(*beliefs, spread)
    gain, rate, present = beliefs

    def survival(x):
        return ndtr((math.log(gain) + math.log(hazard(x, rate, present))) / spread) if rate * x < 600 else 0.0

    high = low + more
    middle = [float(x) for x in law._ends if low < x < high]
    expected = low * survival(low) - high * survival(high)
    expected += sum(quad(survival, a, b, limit=200)[0] for a, b in zip([low, *middle], [*middle, high], strict=True))
    assert law.mean(low, high) == pytest.approx(expected, rel=1e-6, abs=1e-7)


def test_who_expects_too_little_leaves_at_once_but_sees_where_it_enters():
    truth = handmade.span_truth({"1": [("d", 0, 5), ("d", 50, 60)]})
    run = handmade.span_run({"1": [("d", 40, 41), ("d", 52, 53)]})
    for spread in (0, 0.01):
        user = f"forage(gain=10,rate=0.02,present=0.5,spread={spread})"
        judged = bp.judge(truth, run, "1", user=user, collection={"d": 100}, effort="chars")
        assert judged.reach.dense() == pytest.approx(np.array([[0, 0], [0, 1]]), abs=1e-9)
        assert (judged.effort.ranks > 0).all()


@pytest.mark.parametrize("text", ["forage(present=1)", "forage(present=0)", "forage(rate=0)", "forage(gain=-1)"])
def test_wrong_parameters(text):
    with pytest.raises(bp.UsageError, match="must be"):
        bp.score("EPRUM", {"q": {"d#0-5": 1}}, {"q": {"d#0-5": 1}}, user=text)


# estimation


def visits(gain, spread, rate, present, count, seed):
    """What readers do who draw a gain each, and documents where something lies ahead, or ends."""
    rng = np.random.default_rng(seed)
    log = []
    for i in range(count):
        patience = tolerance(gain * math.exp(spread * rng.normal()), rate, present)
        ahead = rng.exponential(1 / rate) if rng.random() < present else math.inf
        end = rng.exponential(3 / rate)
        if patience <= 1e-9:
            how, where = "gave_up", 0.0
        else:
            where, how = min((ahead, "reached"), (patience, "gave_up"), (end, "censored"))
        log.append({"session": str(i), "visit": str(i), "distance": where, "end": how})
    return log


@pytest.mark.slow
@pytest.mark.parametrize(("gain", "spread"), [(200, 0.6), (120, 0.4), (1500, 0.8)])
def test_what_readers_want_is_recovered_from_a_thousand_visits(gain, spread):
    """Most of 12 logs, and their mean; intervals of 95% hold the truth about as often as they should."""
    logs = [visits(gain, spread, 0.02, 0.5, 1000, seed) for seed in range(12)]
    found = [bp.fit("forage(rate=0.02,present=0.5)", log, held_out=0) for log in logs]
    for name, true in (("gain", gain), ("spread", spread)):
        values = [one.parameters[name] for one in found]
        assert np.mean([value["value"] for value in values]) == pytest.approx(true, rel=0.1)
        assert np.mean([abs(value["value"] / true - 1) < 0.1 for value in values]) >= 0.8
        assert sum(value["low"] <= true <= value["high"] for value in values) >= 9


def drawn_truth(rate, present, documents, seed):
    """Targets of 5 characters at exponential distances, in documents of 400."""
    rng = np.random.default_rng(seed)
    spans = []
    for d in range(documents):
        at = 0.0
        while rng.random() < present:
            at += rng.exponential(1 / rate)
            if at + 5 > 400:
                break
            spans.append((f"d{d}", at, at + 5))
            at += 5
    return spans


def test_what_readers_expect_is_recovered_from_gaps():
    rng = np.random.default_rng(3)
    ahead = np.where(rng.random(4000) < 0.6, rng.exponential(50, 4000), np.inf)
    end = rng.exponential(150, 4000)
    found = estimate(Gaps(np.minimum(ahead, end), ahead < end), 0.95)
    assert found.present[0] == pytest.approx(0.6, rel=0.1) and found.rate[0] == pytest.approx(0.02, rel=0.1)
    assert found.present[1] < 0.6 < found.present[2] and found.rate[1] < 0.02 < found.rate[2]


def test_gaps_of_a_truth():
    truth = handmade.span_truth({"1": [("d", 10, 20), ("d", 15, 30), ("d", 50, 60), ("e", 0, 5)]})
    found = gaps_of(truth, {"d": 100, "e": 5})
    assert found.length.tolist() == [10, 20, 40, 0, 0]
    assert found.ends_relevant.tolist() == [True, True, False, True, False]
    with pytest.raises(bp.UsageError, match="length of document e"):
        gaps_of(truth, {"d": 100})


def test_a_fit_from_log_and_truth(tmp_path):
    spans = drawn_truth(0.02, 0.5, 400, 5)
    truth = handmade.span_truth({"1": spans})
    lengths = {name: 400.0 for name, _, _ in spans}
    found = bp.fit("forage", visits(200, 0.6, 0.02, 0.5, 600, 1), truth=truth, collection=lengths)
    assert set(found.parameters) == {"gain", "spread", "rate", "present"}
    assert found.held_out["difference"] > 0 and found.calibration
    path = tmp_path / "reader.json"
    found.write(path)
    assert bp.score("ExpectedRatio", truth, {"1": {f"{spans[0][0]}#0-1": 1}}, user=str(path), collection=lengths) > 0


@pytest.mark.parametrize(
    ("model", "options", "told"),
    [
        ("forage", {}, "gaps of a truth"),
        ("forage(rate=0.1)", {}, "gaps of a truth"),
        ("forage(gain=200,rate=0.02,present=0.5)", {}, "fit estimates gain"),
        ("forage(rate=0.02,present=0.5)", {"truth": {}}, "remove one of them"),
    ],
)
def test_what_a_fit_needs(model, options, told):
    with pytest.raises(bp.UsageError, match=told):
        bp.fit(model, visits(200, 0.6, 0.02, 0.5, 30, 1), **options)
