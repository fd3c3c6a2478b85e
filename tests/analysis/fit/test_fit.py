"""User models from logs: numbers by hand, slow twins of likelihoods, intervals, censoring, refusals, files."""

from __future__ import annotations

import itertools
import json
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta

import berrypick as bp
from berrypick.analysis.fit.reading_visits import calibration, visits_of
from berrypick.analysis.fit.survival import (
    EXPONENTIAL,
    LOG_LOGISTIC,
    LOG_NORMAL,
    LOGISTIC,
    Likelihood,
    Observations,
    SurvivalFit,
    fit_law,
)
from berrypick.analysis.fit.transitions import chain_counts, steps_of, walked
from berrypick.data.navigation import LinkTable, Sessions
from berrypick.formats.base import Problems
from berrypick.formats.navigation.reading_log_format import ReadingLogFormat
from berrypick.users.bep import Bep

LAWS = {law.name: law for law in (LOG_NORMAL, LOG_LOGISTIC, LOGISTIC, EXPONENTIAL)}


def log_of(*lines):
    """(distance, end) or (distance, end, session, visit)."""
    names = ("distance", "end", "session", "visit")
    return [dict(zip(names, line, strict=False)) for line in lines]


def readings(*lines):
    rows = ((i, "", row) for i, row in enumerate(log_of(*lines), 1))
    return ReadingLogFormat.from_records(rows, Problems("log"), "log")


# numbers by hand


def test_median_of_trips_by_hand():
    """One trip at each of 100 and 300 in every four reaches; 1/(1 + theta d) is best at theta = 1/sqrt(30000)."""
    log = log_of((100, "reached"), (300, "missed"))
    found = bp.fit("distance(law='inverse')", log, held_out=0)
    assert found.user.theta == pytest.approx(1 / math.sqrt(30000), rel=1e-5)


def test_logistic_law_by_hand():
    """All targets at 100, 2 of 10 reached: exp(100 theta) = 4."""
    log = log_of(*[(100, "reached")] * 2, *[(100, "missed")] * 8)
    assert bp.fit("distance", log, held_out=0).user.theta == pytest.approx(math.log(4) / 100, rel=1e-5)


def test_bep_by_hand():
    """All entry points 500 characters away, half of them found: A L = 500."""
    log = log_of(*[(500, "reached")] * 5, *[(500, "missed")] * 5)
    found = bp.fit("bep(L=5000)", log, held_out=0)
    assert found.parameters["A"]["value"] == pytest.approx(0.1, rel=1e-5)
    assert found.user == Bep(A=found.parameters["A"]["value"], L=5000)


def test_tolerance_without_censoring_is_the_mean_of_logarithms():
    stops = [5.0, 12.0, 20.0, 33.0, 47.0]
    found = bp.fit("t2i", log_of(*[(d, "gave_up") for d in stops]), held_out=0).user
    logs = np.log(stops)
    assert found.tolerance == pytest.approx(math.exp(logs.mean()), rel=1e-5)
    assert found.spread == pytest.approx(logs.std(), rel=1e-5)


def test_the_maximum_is_found_to_the_last_digits():
    """Two reached of ten at 100, from any side: location = log(100/log(4)) to 1e-11."""
    seen = observations([(100.0, "above")] * 2 + [(100.0, "below")] * 8)
    found = fit_law(LOGISTIC, seen, 0.95, ("theta", ""))
    assert found.at[0] == pytest.approx(math.log(100 / math.log(4)), rel=1e-11)
    likelihood = Likelihood(LOGISTIC, seen)
    for start in (2.0, 7.0):
        assert likelihood.maximise(np.array([start, 0.0]), [0])[0][0] == pytest.approx(found.at[0], rel=1e-11)


def test_interval_of_a_share_by_hand():
    """The likelihood ratio: 3.84/2 = 8 log(p/.8) + 2 log((1 - p)/.2) below the maximum at both ends."""
    log = log_of(*[(100, "reached")] * 2, *[(100, "missed")] * 8)
    found = bp.fit("distance", log, held_out=0).parameters["theta"]
    for end in ("low", "high"):
        p = 1 / (1 + math.exp(found[end] * 100))
        drop = 2 * math.log(p / 0.2) + 8 * math.log((1 - p) / 0.8)
        assert drop == pytest.approx(-(1.959963985**2) / 2, rel=1e-5) or (end == "low" and found[end] == 0)


def test_people_who_stop_for_other_reasons_are_not_taken_for_impatient():
    """Every viewer has tolerance around 20; recordings stop anywhere: the mean of observed give-ups is too low."""
    random = np.random.default_rng(5)
    tolerance, limit = 20 * np.exp(0.4 * random.normal(size=2000)), random.exponential(25, 2000)
    log = log_of(*[(min(t, c), "gave_up" if t < c else "censored") for t, c in zip(tolerance, limit, strict=True)])
    found = bp.fit("t2i", log)
    plain = np.mean([line["distance"] for line in log if line["end"] == "gave_up"])
    true_mean = 20 * math.exp(0.08)
    assert plain < 0.9 * true_mean
    assert found.user.tolerance == pytest.approx(20, rel=0.05)
    assert found.parameters["tolerance"]["low"] < 20 < found.parameters["tolerance"]["high"]


def test_shares_of_a_chain_by_hand():
    """a continues four times: b, b, c and leaving."""
    sessions = [["a", "b"], ["a", "b"], ["a", "c"], ["a"]]
    rows = {tuple(row[:2]): row[2:] for row in bp.fit("markov", sessions, held_out=0).reader.content["transitions"]}
    assert {pair: row[0] for pair, row in rows.items()} == {("a", "b"): 0.5, ("a", "c"): 0.25}
    low, high = beta.ppf([0.025, 0.975], 2.5, 2.5)
    assert rows["a", "b"][1:] == [pytest.approx(low, abs=1e-6), pytest.approx(high, abs=1e-6), 2]


def test_smoothing_by_hand():
    """(n + w q)/(N + w): N = 4, n = 2, w = 6, leaving 1/2 overall, two links."""
    steps = steps_of([["a", "b"], ["a", "b"], ["a"], ["a"]], ["a", "b", "c"])
    keys = np.array([0 * 4 + 1, 0 * 4 + 2])
    counts = chain_counts(steps.counted(), keys)
    leaving = 4 / 6
    found = dict(zip(counts.key.tolist(), counts.probability(6).tolist(), strict=True))
    assert found[1] == pytest.approx((2 + 6 * (1 - leaving) / 2) / 10)
    assert found[2] == pytest.approx((0 + 6 * (1 - leaving) / 2) / 10)
    assert found[3] == pytest.approx((2 + 6 * leaving) / 10)
    assert found[1] + found[2] + found[3] == pytest.approx(1)


def test_a_session_that_is_cut_off_does_not_leave():
    left = bp.fit("markov", [["a", "b"], ["b", "a"], ["a", "?"]], held_out=0).reader.transitions.rows
    assert left == {("a", "b"): 0.5, ("b", "a"): 0.5}
    ended = bp.fit("markov", [["a", "b"], ["b", "a"], ["a"]], held_out=0).reader.transitions.rows
    assert ended["a", "b"] == pytest.approx(1 / 3)


def test_one_tolerance_a_visit():
    """A visit that passed 5 and 30 and gave up after 40 says T = 40; one that stopped says T > 30."""
    visits = visits_of(
        readings(
            (5, "reached", "s", "1"), (30, "reached", "s", "1"), (40, "gave_up", "s", "1"),
            (30, "reached", "s", "2"), (8, "censored", "s", "2"),
            (10, "reached", "s", "3"), (25, "missed", "s", "3"),
            (10, "gave_up", "t"), (0, "gave_up", "t"),
            (50, "reached", "u", "1"), (20, "gave_up", "u", "1"),
            (50, "reached", "u", "2"), (20, "missed", "u", "2"),
        )
    )  # fmt: skip
    seen = visits.seen
    assert seen.low.tolist() == [40, 30, 10, 10, -1, 20]
    assert seen.high.tolist() == [40, math.inf, 25, 10, 5, 20]
    assert seen.exact.tolist() == [True, False, False, True, False, True]
    assert seen.session.tolist() == [0, 0, 0, 1, 1, 2]
    said = " ".join(str(note) for note in visits.notes)
    assert said.count("1 visit ") == 3
    assert "gave up after less than" in said and "missed something nearer" in said and "at most 5" in said


# slow twins


def slow_survival(law, d, at):
    """P(T > d), with plain mathematics."""
    if d == 0:
        return 0.5 if law == "logistic" else 1.0
    z = (math.log(d) - at[0]) / math.exp(at[1])
    if law == "log-normal":
        return 0.5 * math.erfc(z / math.sqrt(2))
    if law == "log-logistic":
        return 1 / (1 + math.exp(z))
    return 1 / (1 + math.exp(min(math.exp(z), 700))) if law == "logistic" else math.exp(-math.exp(z))


def slow_likelihood(law, low, high, exact, at):
    if exact:  # the slope of the survival function
        h = low * 1e-5
        return math.log((slow_survival(law, low - h, at) - slow_survival(law, low + h, at)) / (2 * h))
    above = 1.0 if low < 0 else slow_survival(law, low, at)
    return math.log(above - (0.0 if math.isinf(high) else slow_survival(law, high, at)))


distances = st.floats(0.5, 60)
observation = st.one_of(
    st.tuples(distances, st.just("exact")),
    st.tuples(distances | st.just(0.0), st.just("above")),
    st.tuples(distances, st.just("below")),
    st.tuples(distances, distances).filter(lambda pair: abs(pair[0] - pair[1]) > 0.5).map(sorted).map(tuple),
)


def observations(drawn, session=None):
    low, high, exact = [], [], []
    for one in drawn:
        kind = one[1] if isinstance(one[1], str) else "between"
        exact.append(kind == "exact")
        low.append(-1.0 if kind == "below" else one[0])
        high.append({"exact": one[0], "above": math.inf, "below": one[0]}.get(kind, one[1]))
    session = np.arange(len(low)) if session is None else np.array(session)
    return Observations(np.array(low, float), np.array(high, float), np.array(exact, bool), session)


@pytest.mark.parametrize("law", LAWS)
@settings(max_examples=25)
@given(st.lists(observation, min_size=1, max_size=8), st.floats(1, 4), st.floats(-0.7, 0.7))
def test_likelihood_is_that_of_the_plain_twin(law, drawn, location, scale):
    at = np.array([location, scale if LAWS[law].scaled else 0.0])
    seen = observations(drawn)
    fast = Likelihood(LAWS[law], seen)
    rows = zip(seen.low.tolist(), seen.high.tolist(), seen.exact.tolist(), strict=True)
    for found, row in zip(fast.each(at).tolist(), rows, strict=True):
        assert math.isfinite(found)
        if found > -15:  # the twin subtracts probabilities, and has few digits for small ones
            assert found == pytest.approx(slow_likelihood(law, *row, at), rel=2e-4, abs=2e-4)
    for place in range(2 if LAWS[law].scaled else 1):
        step = np.eye(2)[place] * 1e-6
        change = (fast.each(at + step) - fast.each(at - step)) / 2e-6
        assert fast.scores(at)[:, place] == pytest.approx(change, rel=1e-3, abs=1e-3)


@pytest.mark.parametrize("law", LAWS)
@settings(max_examples=15)
@given(st.lists(observation, min_size=4, max_size=12))
def test_nothing_on_a_grid_is_likelier_than_the_estimate(law, drawn):
    seen, chosen = observations(drawn), LAWS[law]
    try:
        found = fit_law(chosen, seen, 0.95, ("a", "b"))
    except bp.UsageError as error:
        refused = str(error)
        found = None
    if found is None:
        assert "cannot identify" in refused
        return
    likelihood = Likelihood(chosen, seen)
    best = likelihood.total(found.at)
    scales = np.linspace(-3, 2, 21) if chosen.scaled else [0.0]
    grid = [likelihood.total(np.array([x, y])) for x in np.linspace(-4, 8, 49) for y in scales]
    assert best >= max(grid) - 1e-7
    ends = [(found.low[0], 0), (found.high[0], 0)]
    for value, place in ends:
        if math.isfinite(value):
            others = [1] if chosen.scaled else []
            at = found.at.copy()
            at[place] = value
            assert best - likelihood.maximise(at, others)[1] == pytest.approx(1.9207, abs=1e-3)


paths = st.lists(
    st.lists(st.sampled_from("abcd<"), min_size=1, max_size=6).map(lambda path: ["a", *path]),
    min_size=1,
    max_size=12,
)


def is_walk(path):
    depth = 0
    for step in path:
        depth += -1 if step == "<" else 1
        if depth < 1:
            return False
    return True


@given(paths.map(lambda many: [path for path in many if is_walk(path)]).filter(bool), st.integers(0, 2))
def test_counts_are_those_of_a_dictionary(many, cut):
    many = [[*path, "?"] if i % 3 < cut else path for i, path in enumerate(many)]
    pages = sorted({page for path in many for page in path} - {"<", "?"})
    steps = steps_of(many, pages)
    counts = chain_counts(steps.counted(), np.zeros(0, dtype=np.int64))
    slow = Counter()
    for path in many:
        seen, ended = walked(path)
        slow.update(itertools.pairwise(seen))
        if ended:
            slow[seen[-1], None] += 1
    names = [*pages, None]
    fast = {
        (names[a], names[b]): n
        for a, b, n in zip(counts.source.tolist(), counts.target.tolist(), counts.count.tolist(), strict=True)
        if n
    }
    assert fast == slow
    shares = {
        (names[a], names[b]): p
        for a, b, p in zip(counts.source, counts.target, counts.probability(0), strict=True)
        if p and b < len(pages)
    }
    assert shares == pytest.approx(Sessions(tuple(map(tuple, many))).shares())
    if len(counts.key):
        weighted = np.bincount(counts.source, weights=counts.probability(3.0))
        assert weighted[np.unique(counts.source)] == pytest.approx(1)


# held out, calibration, sessions


def test_the_split_is_by_session_and_seeded():
    log = log_of(*[(d, "gave_up", f"s{d % 7}") for d in range(1, 60)])
    one, same, other = (bp.fit("distance(law='inverse')", log, seed=seed) for seed in (1, 1, 2))
    assert one.reader.content == same.reader.content
    assert one.reader.content["checksum"] != other.reader.content["checksum"]
    assert one.reader.content["split"] == {
        "held_out": 0.2, "seed": 1, "training_sessions": 6, "held_out_sessions": 1,
    }  # fmt: skip
    assert one.held_out["visits"] in (8, 9)  # a whole session


def test_held_out_likelihood_by_hand():
    """A fair coin is learnt; the mean of log(1/2) over the held-out trips, whatever they are."""
    log = log_of(*[(100, "reached"), (100, "missed")] * 40)
    found = bp.fit("bep(L=1000)", log, held_out=0.5, seed=3)
    a = found.user.A * 1000
    reach = a / (a + 100)
    held = found.held_out
    row = found.calibration[0]
    share = row["observed"]
    expected = share * math.log(reach) + (1 - share) * math.log(1 - reach)
    assert held["log_likelihood"] == pytest.approx(expected, rel=1e-5)
    assert row["predicted"] == pytest.approx(reach, rel=1e-5) and row["cases"] == held["visits"] == 40
    default = share * math.log(0.5) + (1 - share) * math.log(0.5)
    assert held["baseline_log_likelihood"] == pytest.approx(default, rel=1e-5)
    assert held["low"] <= held["difference"] <= held["high"]


def test_calibration_counts_who_gives_up():
    """At a constant rate of 1/10 the cumulative hazard is the distance over 10."""
    fitted = SurvivalFit(EXPONENTIAL, np.array([math.log(10), 0.0]), np.zeros(2), np.zeros(2), np.eye(1))
    seen = observations([(5.0, "exact"), (15.0, "exact"), (25.0, "above")])
    rows = calibration(fitted, seen, trips=False)
    assert sum(row["predicted"] * row["cases"] for row in rows) == pytest.approx(0.5 + 1.5 + 1.5)
    assert sum(row["observed"] * row["cases"] for row in rows) == pytest.approx(2)
    assert rows[0]["cases"] == 3


def test_sessions_that_are_alike_widen_the_interval():
    random = np.random.default_rng(2)
    person = np.repeat(random.normal(size=40), 5)
    stops = 20 * np.exp(0.5 * person)
    alone = bp.fit("t2i", log_of(*[(d + 1e-3 * i, "gave_up") for i, d in enumerate(stops)]), held_out=0)
    together = bp.fit(
        "t2i", log_of(*[(d + 1e-3 * i, "gave_up", f"s{i // 5}") for i, d in enumerate(stops)]), held_out=0
    )
    narrow, wide = (
        math.log(f.parameters["tolerance"]["high"] / f.parameters["tolerance"]["low"]) for f in (alone, together)
    )
    assert together.user == alone.user
    assert wide / narrow == pytest.approx(math.sqrt(5), rel=0.05)


def test_links_smooth_and_without_them_probability_0_is_counted():
    random = np.random.default_rng(4)
    pages = [f"p{i}" for i in range(30)]
    sessions = [[str(page) for page in random.choice(pages, 4)] for _ in range(60)]
    links = LinkTable({(a, b): None for a in pages for b in pages})
    plain, smooth = bp.fit("markov", sessions), bp.fit("markov", sessions, links=links)
    assert plain.held_out["impossible"] > 0 and smooth.held_out["impossible"] == 0
    assert "probability 0" in str(plain.notes[0]) and "links=" in str(plain.notes[0])
    assert smooth.reader.content["weight"] > 0
    assert {row["what"] for row in smooth.calibration} == {"takes a step", "visits a page"}
    sums = Counter()
    for source, _, p, low, high, _ in smooth.reader.content["transitions"]:
        sums[source] += p
        assert 0 <= low <= p <= high <= 1 or abs(low - p) < 1e-6 or abs(high - p) < 1e-6
    assert max(sums.values()) < 1


# refusals: one line, exit code 2, nothing written

REFUSED = {
    "nobody gave up": ("t2i", log_of((5, "reached"), (9, "censored")), "nobody gave up or missed anything"),
    "nothing from below": ("distance(law='inverse')", log_of((5, "missed"), (9, "missed")), "nobody went any distance"),
    "one distance": ("t2i", log_of((5, "gave_up"), (5, "gave_up")), "cannot identify spread: one distance explains"),
    "no overlap": ("t2i", log_of((5, "reached"), (9, "missed")), "cannot identify spread: one distance explains"),
    "too often": ("distance", log_of((5, "reached"), (9, "reached"), (2, "missed")), "law='inverse'"),
    "no length": ("bep", log_of((5, "reached"), (9, "missed")), "distances determine A L, not A"),
    "given": ("t2i(tolerance=5)", log_of((5, "gave_up"), (9, "gave_up")), "fit estimates tolerance"),
    "t_init": ("t2i(t_init=5)", log_of((5, "gave_up"), (9, "gave_up")), "without t_init"),
    "other model": (
        "hierarchy",
        log_of((5, "gave_up")),
        "markov, seek, t2i, not hierarchy",
    ),
    "no step": ("markov", [["a"], ["b"]], "no session goes from one page to another"),
    "flat": ("t2i", log_of((0, "missed"), *[(1, "reached")] * 3), "its interval has no end"),
    "no leaving": ("markov", [["a", "b", "?"], ["b", "a", "?"]], "cannot identify leaving"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_identified_is_refused(name, tmp_path, berrypick):
    model, log, why = REFUSED[name]
    with pytest.raises(bp.UsageError) as error:
        bp.fit(model, log, held_out=0)
    assert why in str(error.value)
    file = tmp_path / ("log.sessions" if model == "markov" else "log.jsonl")
    lines = [";".join(path) for path in log] if model == "markov" else [json.dumps(line) for line in log]
    if model != "markov" or any(len(path) > 1 for path in log):
        file.write_text("\n".join(lines) + "\n")
        done = berrypick("fit", model, file, "--held-out", 0, "-o", tmp_path / "reader.json")
        assert done.code == 2 and done.err.count("\n") == 1 and not done.out
    assert not (tmp_path / "reader.json").exists()


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"held_out": 1}, "held_out must be in [0, 1)"),
        ({"confidence": 0}, "confidence must be between 0 and 1"),
        ({"seed": -1}, "seed must be a whole number, 0 or more"),
        ({"seed": "x"}, "seed must be a whole number"),
        ({"held_out": "x"}, "held_out must be in [0, 1)"),
        ({"links": "links.tsv"}, "is for markov"),
        ({"collection": {"d": 5}}, "is for bep"),
        ({"progress": "yes"}, "progress is True for a bar, or a function"),
    ],
)
def test_wrong_options_are_refused(options, why):
    with pytest.raises(bp.UsageError, match=why.replace("[", r"\[").replace(")", r"\)")):
        bp.fit("t2i", log_of((5, "gave_up"), (9, "gave_up")), **options)


@pytest.mark.parametrize("log", [5, {"distance": 5}, ["a"], [5]])
def test_wrong_logs_are_refused(log):
    with pytest.raises(bp.UsageError):
        bp.fit("t2i", log)
    with pytest.raises(bp.UsageError):
        bp.fit("markov", log)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ('{"distance": 5, "end": "gaveup"}', "did you mean gave_up"),
        ('{"distance": -5, "end": "gave_up"}', "below 0"),
        ('{"distance": 1e-300, "end": "gave_up"}', "above 0 and below 1e-06"),
        ('{"end": "gave_up", "distance": null}', "distance is missing"),
        ('{"distance": "far", "end": "gave_up"}', "must be a number"),
        ('{"distance": 5, "end": "gave_up", "session": ""}', "session must be a non-empty string"),
    ],
)
def test_problems_of_a_log_have_their_line(line, why, tmp_path, berrypick):
    file = tmp_path / "log.jsonl"
    file.write_text('{"distance": 5, "end": "gave_up"}\n' + line + "\n")
    done = berrypick("fit", "t2i", file)
    assert done.code == 2 and f"{file}:2: " in done.err and why in done.err


lines = st.fixed_dictionaries(
    {
        "distance": st.integers(0, 40) | st.floats(1e-6, 1e6) | st.sampled_from([1e-6, 2.0**53]),
        "end": st.sampled_from(["reached", "gave_up", "missed", "censored"]),
    },
    optional={"session": st.sampled_from("stu"), "visit": st.sampled_from("12")},
)


@pytest.mark.parametrize("model", ["t2i", "t2i(spread=0.5)", "distance", "distance(law='inverse')", "bep(L=100)"])
@settings(max_examples=40)
@given(st.lists(lines, max_size=14), st.sampled_from([0, 0.3]))
def test_any_log_gives_a_model_or_one_line(model, log, held_out):
    try:
        found = bp.fit(model, log, held_out=held_out)
    except bp.BerrypickError as error:
        refused = str(error)
        found = None
    if found is None:
        assert "\n" not in refused
        return
    for one in found.parameters.values():
        assert 0 <= one["low"] <= one["value"] * (1 + 1e-8) <= one["high"] * (1 + 2e-8) < math.inf
        assert one["value"] > 0
    json.dumps(found.records(), allow_nan=False)
    assert found.table()


@settings(max_examples=40)
@given(paths.map(lambda many: [path for path in many if is_walk(path)]), st.sampled_from([0, 0.3]), st.booleans())
def test_any_sessions_give_a_chain_or_one_line(many, held_out, linked):
    links = LinkTable({("a", "b"): None, ("a", "z"): None, ("z", "a"): None}) if linked else None
    try:
        found = bp.fit("markov", many, held_out=held_out, links=links)
    except bp.BerrypickError as error:
        refused = str(error)
        found = None
    if found is None:
        assert "\n" not in refused
        return
    json.dumps(found.records(), allow_nan=False)
    rows = found.reader.transitions.rows
    sums = Counter()
    for (source, _), p in rows.items():
        sums[source] += p
    assert max(sums.values()) <= 1 + 1e-9
    assert found.table()


# files


@pytest.fixture
def visits(tmp_path):
    file = tmp_path / "visits.jsonl"
    random = np.random.default_rng(8)
    rows = [
        (round(float(d)), e)
        for d, e in zip(random.exponential(80, 200) + 1, random.choice(["reached", "missed"], 200), strict=True)
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in log_of(*rows)))
    return file


def spans(tmp_path):
    truth, run = tmp_path / "truth.jsonl", tmp_path / "run.jsonl"
    truth.write_text(
        '{"topic": "q", "doc": "d", "start": 100, "end": 150}\n{"topic": "q", "doc": "d", "start": 400, "end": 420}\n'
    )
    run.write_text(
        '{"topic": "q", "doc": "d", "start": 200, "end": 240}\n{"topic": "q", "doc": "d", "start": 380, "end": 390}\n'
    )
    return truth, run


@pytest.mark.parametrize("model", ["distance(law='inverse')", "bep(L=900)"])
def test_the_file_is_a_user_model_everywhere(model, visits, tmp_path, berrypick):
    reader = tmp_path / "reader.json"
    done = berrypick("fit", model, visits, "-o", reader, "-o", "json")
    assert done.code == 0
    (printed,) = json.loads(done.out)
    assert printed["user"] in done.err and printed["checksum"] in done.err
    written = json.loads(reader.read_text())
    assert written == printed
    truth, run = spans(tmp_path)
    results = [
        berrypick("evaluate", truth, run, "-m", "EPRUM", "--user", user, "-o", "json", "--reader-draws", "0")
        for user in (reader, printed["user"])
    ]
    assert results[0] == results[1] and results[0].code == 0
    for command in ("compare", "explain", "evaluate"):
        more = ["--topic", "q"] if command == "explain" else ["-o", "json"]
        assert berrypick(command, truth, run, "-m", "EPRUM", "--user", reader, *more).code == 0
    same = bp.score("EPRUM", truth, run, user=bp.fit(model, visits))
    assert same == bp.score("EPRUM", truth, run, user=reader) == json.loads(results[0].out)[0]["value"]
    assert same == bp.score(f"EPRUM(user='{reader}')", truth, run)
    whole = [f'fetch_browse(of="{of}",consider=1,group="rank")' for of in (reader, printed["user"])]
    assert bp.score("EPRUM", truth, run, user=whole[0]) == bp.score("EPRUM", truth, run, user=whole[1])
    page = tmp_path / "page.html"
    assert berrypick("report", truth, run, "-m", "EPRUM", "--user", reader, "--html", page).code == 0
    assert written["user"].partition("(")[0] in page.read_text()


def test_a_fitted_chain_brings_its_transitions(tmp_path, berrypick):
    sessions, links = tmp_path / "visits.sessions", tmp_path / "links.tsv"
    sessions.write_text("a;b;t\na;t\nb;a\na;c\nc;t\nb;t;<;a\n")
    links.write_text("a\tb\na\tt\na\tc\nb\tt\nb\ta\nc\tt\nt\tb\n")
    reader = tmp_path / "reader.json"
    assert berrypick("fit", "markov", sessions, "--links", links, "-o", reader, "--held-out", "0.3").code == 0
    (tmp_path / "truth.qrels").write_text("q 0 t 1\n")
    (tmp_path / "my.run").write_text("q Q0 a 1 3 x\nq Q0 c 2 2 x\n")
    truth, run = tmp_path / "truth.qrels", tmp_path / "my.run"
    done = berrypick("evaluate", truth, run, "-m", "EPRUM", "--user", reader, "-o", "json", "--reader-draws", "0")
    (row,) = json.loads(done.out)
    table = tmp_path / "steps.tsv"
    content = json.loads(reader.read_text())
    table.write_text("".join(f"{a}\t{b}\t{p!r}\n" for a, b, p, *_ in content["transitions"]))
    again = berrypick("evaluate", truth, run, "-m", "EPRUM", "--user", "markov", "--navigation", table, "-o", "json")
    assert json.loads(again.out)[0] == row  # the signature too: it has the fingerprint of the transitions
    fitted = bp.fit("markov", sessions, links=links, held_out=0.3)
    for user in (fitted, reader, str(reader)):
        assert bp.score("EPRUM", truth, run, user=user) == row["value"]
    assert bp.score(f"EPRUM(user='{reader}')", truth, run) == row["value"]
    results = bp.evaluate(truth, [run, run], "EPRUM", user=reader, jobs=2)
    assert [one.value for one in results.mean_rows] == [row["value"]] * 2
    twice = berrypick("evaluate", truth, run, "-m", "EPRUM", "--user", reader, "--navigation", table)
    assert twice.code == 2 and "omit --navigation" in twice.err and twice.err.count("\n") == 1
    page = tmp_path / "page.html"
    done = berrypick("report", truth, run, "-m", f"EPRUM(user='{reader}') AP", "--html", page)
    assert done.code == 0, done.err
    assert f"the reader of {reader}" in done.err + page.read_text()
    refused = berrypick("report", truth, run, "-m", "AP", "--readers", reader, "--html", tmp_path / "no.html")
    assert refused.code == 2 and "transitions of its own: give it with --user" in refused.err
    assert berrypick("ideal", truth, "--user", reader, "-o", "json").code == 0


def test_a_changed_file_is_refused(visits, tmp_path, berrypick):
    reader = tmp_path / "reader.json"
    bp.fit("distance(law='inverse')", visits).write(reader)
    assert berrypick("check", reader).code == 0
    reader.write_text(reader.read_text().replace('"seed": 0', '"seed": 1'))
    truth, run = spans(tmp_path)
    done = berrypick("evaluate", truth, run, "-m", "EPRUM", "--user", reader)
    assert done.code == 2 and "does not match its checksum" in done.err
    assert berrypick("check", reader).code == 2


def test_files_that_are_no_user_model(visits, tmp_path, berrypick):
    truth, run = spans(tmp_path)
    missing = berrypick("evaluate", truth, run, "-m", "EPRUM", "--user", "nowhere.json")
    assert missing.code == 2 and "nowhere.json: no such file" in missing.err
    other = tmp_path / "log.json"
    other.write_text(visits.read_text())
    done = berrypick("evaluate", truth, run, "-m", "EPRUM", "--user", other)
    assert done.code == 2 and "looks like reading-log" in done.err


@pytest.mark.parametrize(
    ("outputs", "why"),
    [
        (["reader.txt"], "-o takes FILE.json or one of"),
        (["a.json", "b.json"], "one file and one format"),
        (["json", "tsv"], "one file and one format"),
    ],
)
def test_wrong_outputs_are_refused(outputs, why, visits, tmp_path, berrypick, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = berrypick("fit", "bep(L=900)", visits, *(word for one in outputs for word in ("-o", one)))
    assert done.code == 2 and why in done.err and not list(tmp_path.glob("[ab].json"))


def test_the_log_is_not_overwritten(visits, tmp_path, berrypick):
    log = tmp_path / "log.json"
    log.write_text(visits.read_text())
    done = berrypick("fit", "bep(L=900)", log, "-o", log)
    assert done.code == 2 and "refusing to overwrite" in done.err
    assert log.read_text() == visits.read_text()


def test_an_interrupted_fit_leaves_no_file(tmp_path):
    def interrupt(done, of):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        bp.fit("markov", [["a", "b"], ["b", "a"], ["a", "b"]], progress=interrupt).write(tmp_path / "reader.json")
    assert not list(tmp_path.iterdir())


def test_fixed_parameters_stay(visits):
    assert bp.fit("markov(returns=False)", [["a", "b"]], held_out=0).user.returns is False
    found = bp.fit("t2i(spread=0.5,keeps_viewing=False)", visits)
    assert (found.user.spread, found.user.keeps_viewing) == (0.5, False)
    assert list(found.parameters) == ["tolerance"]


def test_sweeps_and_reports_take_it(visits, tmp_path):
    texts = {"d": "word " * 100}
    found = bp.fit("distance(law='inverse')", visits)
    reader = tmp_path / "reader.json"
    found.write(reader)
    truth = [{"topic": "q", "doc": "d", "start": 100, "end": 150}]
    by = [
        bp.sweep(texts, truth, measures="EPRUM", queries={"q": "word"}, grid={"size": [50]}, user=user).to_pandas()
        for user in (found, reader, found.reader.user)
    ]
    assert by[0].equals(by[1]) and by[0].equals(by[2])
    run = [{"topic": "q", "doc": "d", "start": 200, "end": 240}]
    pages = []
    for i, user in enumerate((found, reader)):
        bp.write_report(truth, run, "EPRUM", html=tmp_path / f"{i}.html", user=user)
        pages.append((tmp_path / f"{i}.html").read_text())
    assert pages[0] == pages[1] and found.reader.user in pages[0].replace("&#x27;", "'").replace("\\u0027", "'")


def test_data_frames_and_collections_are_taken(visits, tmp_path):
    import pandas
    import polars
    import pyarrow

    rows = [json.loads(line) for line in visits.read_text().splitlines()]
    expected = bp.fit("bep(L=900)", visits).parameters
    table = pyarrow.Table.from_pylist(rows)
    for frame in (pandas.DataFrame(rows), polars.DataFrame(rows), table.to_batches()[0], table.to_reader()):
        assert bp.fit("bep(L=900)", frame).parameters == expected
    lengths = tmp_path / "lengths.tsv"
    lengths.write_text("d\t1000\ne\t800\n")
    for collection in (lengths, {"d": 1000, "e": 800}):
        found = bp.fit("bep", visits, collection=collection)
        assert found.parameters == expected and found.user.L == 900


def test_the_path_of_the_log_and_the_day_are_not_in_the_file(visits, tmp_path):
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    copy = folder / visits.name
    copy.write_text(visits.read_text())
    one, other = tmp_path / "one.json", tmp_path / "other.json"
    bp.fit("bep(L=900)", visits).write(one)
    bp.fit("bep(L=900)", copy).write(other)
    assert one.read_bytes() == other.read_bytes()
    assert str(tmp_path) not in one.read_text()


# the share of intervals that hold the truth: experiments/fit_coverage.py in small


def test_intervals_hold_the_truth_as_often_as_they_say(monkeypatch):
    from importlib import import_module
    from pathlib import Path

    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parents[3] / "experiments"))
    study = import_module("fit_coverage")
    for name in ("t2i", "distance", "bep"):
        held, _ = study.coverage(name, 40)
        assert 0.85 <= held <= 1.0, name  # 40 intervals: 3 standard errors below 95%
    held, number = study.chain_coverage(study.uneven_chain, 6)
    assert number == 288 and 0.9 <= held <= 0.99
