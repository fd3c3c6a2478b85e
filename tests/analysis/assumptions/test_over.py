"""For which readers a run is better: crossings by hand, shares by fine grids, intervals by plain loops."""

from __future__ import annotations

import itertools
import json
import math
from statistics import NormalDist

import numpy as np
import pytest
from many_cases import each

import berrypick as bp
from berrypick.analysis.assumptions.crossings import crossings, edges
from berrypick.analysis.assumptions.reader_range import read_range
from berrypick.data.navigation import LinkTable
from berrypick.statistics import statistics

#: Two targets in two documents: `one` is 10 from the first alone, `both` 40 from either.
TRUTH = {"q": {"d#100-110": 1, "e#100-110": 1}}
ONE = {"q": {"d#80-90": 1.0}}
BOTH = [{"topic": "q", "doc": doc, "start": 50, "end": 60, "rank": 1} for doc in "de"]
RUNS = {"one": ONE, "both": BOTH}
MEASURE = "ExpectedRatio@1"


def over(text, runs=RUNS, truth=TRUTH, measure=MEASURE, **options):
    return bp.compare(truth, runs, measure, over=text, **{"resamples": 100, **options})


@pytest.mark.slow
@each(
    ("text", "scale", "share"),
    [
        ("distance(theta=0.001..1,law='inverse')", "log", math.log(1 / 0.05) / math.log(1000)),
        ("distance(theta=0.01..0.1,law='inverse')", None, 0.05 / 0.09),
        ("distance( law='inverse', theta = 1e-3..1 )", None, 0.95 / 0.999),
    ],
    ids=str,
)
def test_a_crossing_by_hand(text, scale, share):
    """1/(1 + 10 theta)/2 against 1/(1 + 40 theta): equal at theta = 1/20, the first is better above."""
    found = over(text, scale=scale)
    [pair] = found.pairs
    axis = found.axes[0]
    assert pair.crossings == (pytest.approx(0.05, abs=1e-6 * (axis.high - axis.low)),)
    assert pair.jumps == (False,)
    assert pair.share_a == pytest.approx(share, abs=1e-6) and pair.share_b == pytest.approx(1 - share, abs=1e-6)
    assert (pair.low, pair.high) == (None, None)  # one topic
    assert found.pair(MEASURE, "both", "one").share_a == pair.share_b


@each(
    ("text", "scale", "chosen"),
    [
        ("fetch_browse(consider=0.02..0.98)", None, "linear"),  # a factor of 49, inside [0, 1]
        ("classical(share=0.001..1)", None, "linear"),
        ("bep(A=0.01..100)", None, "log"),
        ("bep(A=0.5..9.9)", None, "linear"),
        ("bep(A=0.01..100)", "linear", "linear"),
        ("classical(share=0.001..1)", "log", "log"),
        ("bep(A=2..3)", "log", "log"),
    ],
    ids=str,
)
def test_scales(text, scale, chosen):
    axis = read_range(text, scale).axes[0]
    assert axis.scale == chosen
    middle = math.sqrt(axis.low * axis.high) if chosen == "log" else (axis.low + axis.high) / 2
    assert axis.value(0.5) == pytest.approx(middle)


def test_scales_that_do_not_fit(tmp_path, berrypick):
    with pytest.raises(bp.UsageError, match="consider begins at 0, which has no logarithm; begin the range above 0"):
        over("fetch_browse(consider=0..1)", scale="log")
    with pytest.raises(bp.UsageError, match="unknown scale 'loud'; expected one of log, linear"):
        over("bep(A=2..3)", scale="loud")
    with pytest.raises(bp.UsageError, match="scale='log' is the scale of a range of readers and needs over="):
        bp.compare(TRUTH, RUNS, MEASURE, scale="log")
    for name in ("truth", "one", "two"):
        (tmp_path / name).write_text('{"topic": "q", "doc": "d", "start": 0, "end": 10}\n')
    files = [tmp_path / name for name in ("truth", "one", "two")]
    how = ("--over", "classical(share=0.01..1)", "--scale", "log", "-o", "json", "--resamples", "100")
    done = berrypick("compare", *files, "-m", "EPRUM", *how)
    assert done.code == 0 and json.loads(done.out)[0]["scale"] == "log"
    refused = berrypick("compare", *files, "-m", "EPRUM", "--scale", "log")
    assert refused.code == 2 and "--scale log is the scale of a range of readers and needs --over" in refused.err


def test_the_golden_section_of_fetch_and_browse():
    """An item (junk, t1, t2) shows (c + c^2)/2 of the targets, a single target 1/2: equal at c = .618."""
    item = [{"topic": "q", "doc": "d", "start": s, "end": s + 10, "rank": 1} for s in (0, 100, 200)]
    truth = {"q": {"d#100-110": 1, "d#200-210": 1}}
    found = over("fetch_browse(consider=0..1,group='rank')", {"item": item, "single": {"q": {"d#100-110": 1.0}}}, truth)
    assert found.pairs[0].crossings == (pytest.approx((math.sqrt(5) - 1) / 2, abs=1e-6),)
    assert found.axes[0].scale == "linear"


def test_a_jump_by_hand():
    """Half of both targets is in the text up to 35 after the result: then two of two targets are seen, before none."""
    truth = {"q": {"d#100-110": 1, "e#100-110": 1}}
    two = {"q": {"d#60-70": 2.0, "e#60-70": 1.0}}
    runs = {"two": two, "one": {"q": {"d#100-110": 1.0}}}
    found = over("window(before=0,after=0..100)", runs, truth, "ExpectedRatio@2")
    [pair] = found.pairs
    assert pair.crossings == (pytest.approx(35, abs=1e-4),) and pair.jumps == (True,)
    assert pair.share_a == pytest.approx(0.65, abs=1e-6)


def test_where_both_are_equal_neither_wins():
    """Nothing is seen up to 35, and the first alone beyond it."""
    found = over("window(before=0,after=0..100)", {"late": {"q": {"d#60-70": 1.0}}, "never": {"q": {"d#500-509": 1.0}}})
    [pair] = found.pairs
    assert pair.crossings == () and pair.share_b == 0
    assert pair.share_a == pytest.approx(0.65, abs=1e-6)
    assert found.pair(MEASURE, "never", "late").share_a == 0


@each(
    ("function", "places"),
    [
        (lambda x: x - 0.3, [0.3]),
        (lambda x: math.sin(10 * x + 1), [(math.pi * k - 1) / 10 for k in (1, 2, 3)]),
        (lambda x: -1.0 if x < 0.123456789 else 2.0, [0.123456789]),
        (lambda x: max(0.0, x - 0.6) - max(0.0, 0.4 - x), [0.6]),  # 0 in between: where the other begins to win
        (lambda x: (x - 0.5) ** 2, []),  # touches 0
        (lambda x: 0.0, []),
        (lambda x: 1e-13 if x < 0.5 else -1e-13, []),  # rounding
        (lambda x: x**9 - 1e-6, [1e-6 ** (1 / 9)]),
    ],
)
def test_changes_of_sign_of_any_function(function, places):
    asked = []

    def told(x):
        asked.append(x)
        return function(x)

    found = crossings(edges(told, np.linspace(0, 1, 41).tolist(), 1e-6))
    assert [one.place for one in found] == pytest.approx(places, abs=1e-6)


def random_campaign(seed, topics=8):
    """Spans here and there, and two runs that differ in how near and how many."""
    random = np.random.default_rng(seed)
    truth, runs = [], {"a": [], "b": []}
    for topic in map(str, range(topics)):
        for doc in "xy":
            start = int(random.integers(0, 2000))
            truth.append({"topic": topic, "doc": doc, "start": start, "end": start + 40})
        for name, width in (("a", 120), ("b", 30)):
            for rank in (1, 2, 3):
                start = int(random.integers(0, 2000))
                row = {"topic": topic, "doc": str(random.choice(["x", "y"])), "start": start, "end": start + width}
                runs[name].append({**row, "rank": rank})
    return truth, runs


RANGES = ("bep(A=0.001..10,L=2000)", "distance(theta=0.0005..0.05)", "t2i(tolerance=5..1500)", "window(after=0..400)")


@pytest.mark.slow
@each("text", RANGES)
def test_signs_and_shares_by_a_fine_grid(text):
    """Brute force: 80 readers, each evaluated on its own."""
    truth, runs = random_campaign(5, topics=5)
    lengths = {"x": 2500, "y": 2500}
    found = over(text, runs, truth, "EPRUM", collection=lengths)
    [pair], axis = found.pairs, found.axes[0]
    chosen = read_range(text)
    places = (np.arange(80) + 0.5) / 80
    signs = []
    for place in places:
        user = chosen.model([axis.value(float(place))])
        mean = bp.evaluate(truth, runs, "EPRUM", user=user, collection=lengths).mean()
        difference = mean["a"]["EPRUM"] - mean["b"]["EPRUM"]
        signs.append(0 if abs(difference) < 1e-9 else math.copysign(1, difference))
    assert pair.share_a == pytest.approx(np.mean(np.array(signs) > 0), abs=0.026)
    assert pair.share_b == pytest.approx(np.mean(np.array(signs) < 0), abs=0.026)
    known = [s for s in signs if s]
    flips = sum(a != b for a, b in itertools.pairwise(known))
    assert len(pair.crossings) == flips
    row = found.records()[0]["values"][20]
    again = bp.score("EPRUM", truth, runs[row["run"]], user=chosen.model([row["at"]]), collection=lengths)
    assert row["value"] == pytest.approx(again, abs=1e-15)


def share_by_hand(places, means):
    """The part of the range in which a line through the points is above 0; changes next to a 0 in the middle."""
    total = 0.0
    for (x, a), (y, b) in itertools.pairwise(zip(places, means, strict=True)):
        a, b = (0.0 if abs(one) <= 1e-9 else one for one in (a, b))
        if a > 0 and b > 0:
            total += y - x
        elif a > 0 > b or a < 0 < b:
            total += (y - x) * max(a, b) / (abs(a) + abs(b))
        elif a > 0 or b > 0:
            total += (y - x) / 2
    return total


@pytest.mark.slow
@pytest.mark.parametrize("clustered", [False, True])
def test_intervals_over_topics_by_plain_loops(clustered):
    truth, runs = random_campaign(9, topics=12)
    cluster = {str(i): str(i // 3) for i in range(12)} if clustered else None
    found = over("distance(theta=0.0005..0.05,law='inverse')", runs, truth, "EPRUM", cluster=cluster, resamples=200)
    axis, [pair] = found.axes[0], found.pairs
    topics = sorted(map(str, range(12)))  # draws go by the names of topics
    places = np.linspace(0, 1, 41)
    chosen = read_range("distance(theta=0.0005..0.05,law='inverse')")
    table = []
    for place in places:
        values = bp.evaluate(truth, runs, "EPRUM", user=chosen.model([axis.value(float(place))])).per_topic()
        table.append([values["a"]["EPRUM"][t] - values["b"]["EPRUM"][t] for t in topics])
    table = np.array(table)
    shares = []
    number = list(dict.fromkeys(int(t) // 3 for t in topics))  # clusters in the order of their first topics
    by_cluster = [[place for place, t in enumerate(topics) if int(t) // 3 == c] for c in number]
    units = by_cluster if clustered else [[t] for t in range(12)]
    for _, times in statistics.resample_counts(len(units), 200, 0):
        for row in times:
            drawn = [topic for unit, n in zip(units, row, strict=True) for topic in unit * int(n)]
            shares.append(share_by_hand(places, [float(np.mean(line[drawn])) for line in table]))
    wanted = np.quantile(shares, [0.025, 0.975])
    assert [pair.low, pair.high] == pytest.approx(wanted, abs=0.02)  # more places than the grid are known there
    assert pair.low <= pair.share_a <= pair.high
    assert found.clusters == (4 if clustered else None)


@pytest.mark.slow
def test_two_ranges_are_a_map():
    """The share is that of the points of the grid, as far as they tell."""
    again = over("fetch_browse(of='distance(theta=0.02,law=\\'inverse\\')',consider=0.2..1,after=0.2..1,group='rank')",
                 {"one": ONE, "item": [{**row, "doc": "d", "start": row["start"] + 5 * i, "end": row["end"] + 5 * i}
                                       for i, row in enumerate(BOTH)]}, {"q": {"d#100-110": 1}})  # fmt: skip
    [record] = again.records()
    assert record["parameter"] == ["consider", "after"] and record["scale"] == ["linear", "linear"]
    assert len(record["values"]) == 2 * 17 * 17 and len(record["values"][0]["at"]) == 2
    wins = {"one": 0, "item": 0}
    known = {(row["run"], tuple(row["at"])): row["value"] for row in record["values"]}
    for at in {at for _, at in known}:
        wins["one" if known["one", at] > known["item", at] else "item"] += 1
    total = sum(wins.values())
    assert again.pairs[0].share_a == pytest.approx(wins["one"] / total, abs=0.06)
    assert "Means of" not in str(again)


@pytest.mark.slow
def test_a_map_by_hand():
    """Two of two targets are seen from after = 35 on, whatever comes before: the share is .65."""
    truth = {"q": {"d#100-110": 1, "e#100-110": 1}}
    two = {"q": {"d#60-70": 2.0, "e#60-70": 1.0}}
    runs = {"two": two, "one": {"q": {"d#100-110": 1.0}}}
    found = over("window(after=0..100,before=0..10)", runs, truth, "ExpectedRatio@2")
    [pair] = found.pairs
    assert pair.share_a == pytest.approx(0.65, abs=1e-4)
    assert [at[0] for at in pair.crossings] == pytest.approx([35] * 17, abs=1e-2)
    assert [at[1] for at in pair.crossings] == pytest.approx(np.linspace(0, 10, 17).tolist())


@pytest.mark.slow
def test_the_law_of_a_fitted_reader(tmp_path):
    """Tolerances of people: log-normal, so the share with a tolerance above 30 is that of the normal law."""
    log = [{"distance": d, "end": "gave_up"} for d in (8, 12, 20, 22, 35, 60, 90)]
    fitted = bp.fit("t2i", log, held_out=0)
    truth, lengths = {"q": {"d#130-140": 1}}, {"d": 500, "e": 500}
    runs = {"early": {"q": {"d#100-101": 1.0}}, "none": {"q": {"e#0-1": 1.0}}}
    fitted.write(tmp_path / "reader.json")
    found = over(tmp_path / "reader.json", runs, truth, "EPRUM", collection=lengths)
    tolerance, spread = (fitted.parameters[name]["value"] for name in ("tolerance", "spread"))
    wanted = 1 - NormalDist().cdf((math.log(30) - math.log(tolerance)) / spread)
    assert found.pairs[0].share_a == pytest.approx(wanted, abs=0.003)  # the law within its quantiles .001 and .999
    assert "the tolerances of people" in str(found)
    bep = bp.fit("bep(L=1000)", log, held_out=0)
    law = over(bep, {"near": {"q": {"d#100-110": 1.0}}, "far": {"q": {"d#0-9": 1.0}}}, truth, "EPRUM")
    error = math.sqrt(bep.reader.content["law"]["covariance"][0][0])
    assert law.axes[0].low == pytest.approx(bep.user.A * math.exp(error * NormalDist().inv_cdf(0.001)))
    assert "the uncertainty of the fit" in str(law) and law.pairs[0].share_a == pytest.approx(1)


def test_whole_numbers_are_taken_as_such():
    links = [("s", "m"), ("m", "t"), ("s2", "m2"), ("m2", "m3"), ("m3", "t")]
    navigation = LinkTable(dict.fromkeys(links))
    runs = {"far": {"q": {"s2": 2.0, "s": 1.0}}, "near": {"q": {"s": 1.0}}}
    found = over("hyperlink(steps=1..4)", runs, {"q": {"t": 1}}, "ExpectedRatio@1", navigation=navigation)
    assert [one.at for one in found.values if one.run == "near"] == [1, 2, 3, 4]
    assert [one.value for one in found.values if one.run == "far"] == [0, 0, 1, 1]


def test_ends_that_are_jumps_are_said():
    """A model of its own: everything is reached at 1, and half of it just before."""

    class Leap(bp.UserModel):
        """Reaches half, and everything at 1."""

        much: float = bp.parameter(1.0, "number", "how much")

        def reach(self, ranking, targets, context):
            share = 1.0 if self.much == 1 else 0.5
            return bp.Reach.of([[share if rank == 0 else 0.0] * len(targets) for rank in range(ranking.ranks)])

    bp.register(Leap)
    found = over("leap(much=0..1)", {"x": ONE, "y": {"q": {"e#0-5": 1.0}}})
    assert any("much=1 is a jump" in str(note) for note in found.notes)
    assert not any("much=0 is a jump" in str(note) for note in found.notes)
    assert any("two crossings inside one step of the grid (40 steps) may be" in str(note) for note in found.notes)


@each(
    ("text", "why"),
    [
        ("bep(A=1)", "has no range"),
        ("bep(A=2..1)", "from its smaller to its larger end"),
        ("bep(A=0..1)", "must be above 0"),
        ("bep(B=1..2)", "has no parameter B"),
        ("bap(A=1..2)", "unknown user model"),
        ("distance(law=1..2)", "not a number"),
        ("t2i(tolerance=1..2,spread=0..1,t_init=0..1)", "has 3 ranges"),
        ("hyperlink(steps=1..2.5)", "whole number"),
        ("bep(A=1..2)@5", "takes no cut-off"),
        ("bep(A=1..", "lacks a closing bracket|not a user model"),
        (3, "a range of readers must be text"),
    ],
)
def test_what_is_no_range_is_refused(text, why):
    with pytest.raises(bp.UsageError, match=why):
        over(text)


def test_other_measures_are_left_out_with_a_note():
    found = over("distance(theta=0.001..1)", measure=f"{MEASURE} charR@1 EPRUM(user='hierarchy')")
    assert found.measures == (MEASURE,)
    assert sum(note.kind == "not over the range" for note in found.notes) == 2
    with pytest.raises(bp.UsageError, match="the range of readers does not affect it"):
        over("distance(theta=0.001..1)", measure="charR@1")
    with pytest.raises(bp.UsageError, match="two runs or more"):
        over("distance(theta=0.001..1)", ONE)
    with pytest.raises(bp.UsageError, match="uses all topics: remove by="):
        over("distance(theta=0.001..1)", by={"q": "x"})
    with pytest.raises(bp.UsageError, match="no run nobody"):
        over("distance(theta=0.001..1)", pairs="baseline", baseline="nobody")
    with pytest.raises(bp.UsageError, match="results alone have one reader"):
        bp.compare(bp.evaluate(TRUTH, RUNS, MEASURE), over="distance(theta=0.001..1)")


@pytest.mark.slow
def test_pairs_with_the_baseline():
    runs = {**RUNS, "third": {"q": {"e#95-99": 1.0}}}
    found = over("distance(theta=0.001..1)", runs, pairs="baseline", baseline="both")
    assert [(one.a, one.b) for one in found.pairs] == [("one", "both"), ("both", "third")]
    assert len(over("distance(theta=0.001..1)", runs).pairs) == 3


@pytest.mark.slow
def test_the_command_prints_one_object(tmp_path, berrypick):
    truth, runs = random_campaign(2)
    files = []
    for name, rows in {"truth": truth, **runs}.items():
        files.append(tmp_path / f"{name}.jsonl")
        files[-1].write_text("".join(json.dumps(row) + "\n" for row in rows))
    words = ("compare", *files, "-m", "EPRUM", "--over", "bep(A=0.01..100,L=2000)", "--resamples", "100")
    done = berrypick(*words, "-o", "json", "--plot", tmp_path / "over.svg")
    assert done.code == 0 and (tmp_path / "over.svg").read_text().startswith("<svg")
    [record] = json.loads(done.out)
    assert list(record) == ["parameter", "from", "to", "scale", "values", "pairs"]
    assert (record["parameter"], record["from"], record["to"], record["scale"]) == ("A", 0.01, 100, "log")
    assert list(record["values"][0]) == ["run", "measure", "at", "value"]
    assert list(record["pairs"][0]) == ["measure", "a", "b", "crossings", "share_a", "share_b", "low", "high"]
    shared = berrypick(*words, "-o", "json", "--jobs", "2")
    assert shared.out == done.out
    assert "Shares of bep(A=0.01..100,L=2000): A from 0.01 to 100" in berrypick(*words, "-o", "table").out
    for more, why in (
        (("--fail-under", "EPRUM=0.1"), "replaces the comparison"),
        (("--layout", "runs"), "replaces the comparison"),
        (("--plot", "over.txt"), "over.txt"),
    ):
        refused = berrypick(*words, *more)
        assert refused.code == 2 and why in refused.err and refused.err.count("\n") == 1
    assert berrypick("compare", *files, "-m", "EPRUM", "--plot", "x.svg").code == 2


@pytest.mark.slow
def test_the_report_page_has_a_panel(tmp_path):
    truth, runs = random_campaign(2)
    page = tmp_path / "page.html"
    bp.write_report(truth, runs, "EPRUM", user="bep(L=2000)", html=page, readers="none", resamples=100)
    text = page.read_text()
    assert "For which readers is it better?" in text and "bep(A=0.01..100,L=2000" in text
    bp.write_report(truth, runs, "EPRUM", html=page, readers="none", resamples=100)
    assert "For which readers is it better?" not in page.read_text()
