"""Verdicts on differences: each assumption by hand or by the analysis that knows it."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace

import pytest
from many_cases import each

import berrypick as bp
from berrypick.data.navigation import ReachTable
from berrypick.measures import parse_measure, registered

TOPICS = [str(i) for i in range(12)]
KEYS = ["measure", "a", "b", "topics", "unjudged", "together", "reader", "over", "joint", "verdict"]


def spans(**places):
    """run -> a result for each topic: from a start to an end, or by the number of the topic."""
    return {
        name: {t: {f"d#{a}-{b}": 1.0} for t in TOPICS for a, b in [place(int(t)) if callable(place) else place]}
        for name, place in places.items()
    }


TRUTH = {t: {"d#100-200": 1} for t in TOPICS}


def verdict(runs, measure, truth=TRUTH, **options):
    found = bp.compare(truth, runs, measure, assumptions=True, **{"resamples": 500, **options})
    assert len(found) == 1
    [row] = found.records()
    assert list(row) == KEYS
    return row


def extremes(runs, measure, truth=TRUTH, **options):
    """The means of the lowest and of the highest differences, which have no interval where all topics are alike."""
    found = bp.compare(truth, runs, measure, assumptions=True, resamples=100, **options)
    assert found[0].joint == (None, None)
    return found.comparison.pair(measure, found[0].a, found[0].b).extremes


def test_better_under_all_of_them():
    """Judged whole: nothing that a retrieves could be anything else than it is."""
    truth = [row for t in TOPICS for row in (
        {"topic": t, "doc": "d", "start": 100, "end": 200}, {"topic": t, "doc": "d", "judged": True})]  # fmt: skip
    row = verdict(spans(better=(100, 200), worse=(100, 120)), "charR@1", truth)
    assert (row["a"], row["b"]) == ("better", "worse")
    assert row["unjudged"] == pytest.approx([0.8, 0.8])
    assert row["topics"] == {"p": 2.0**-11, "low": None, "high": None} and row["joint"] == [None, None], "no spread"
    assert row["together"] is row["reader"] is row["over"] is None
    assert row["verdict"] == "better beats worse"


def test_unjudged_text_may_turn_it_round():
    """worse retrieves 880 characters that nobody judged: if they were relevant, its recall would be 900/980."""
    row = verdict(spans(worse=(180, 1080), better=(100, 200)), "charR@1")
    ends = [100 / 980 - 900 / 980, 1 - 0.2]
    assert row["a"] == "better" and row["unjudged"] == pytest.approx(ends)
    assert row["verdict"] == "better is ahead of worse; not proven against: unjudged text"


def differing(*shares):
    """Two runs of charR@1: the first finds so much of each topic, the second half; and a truth that is judged whole."""
    truth = [row for t in TOPICS[: len(shares)] for row in (
        {"topic": t, "doc": "d", "start": 100, "end": 200}, {"topic": t, "doc": "d", "judged": True})]  # fmt: skip
    found = {t: {f"d#100-{100 + round(100 * share)}": 1.0} for t, share in zip(TOPICS, shares, strict=False)}
    return {"x": found, "y": {t: {"d#100-150": 1.0} for t in found}}, truth


def test_topics_decide_first():
    runs, truth = differing(*[0.9, 0.2] * 6)
    row = verdict(runs, "charR@1", truth)
    assert row["a"] == "x" and row["joint"] == [row["topics"]["low"], row["topics"]["high"]]
    assert row["topics"]["p"] > 0.05 and row["verdict"] == "no difference seen"
    said = bp.compare(truth, runs, "charR@1", assumptions=True).legend()[0]
    assert said == f"charR@1, x and y: no difference seen (p = {row['topics']['p']:.3g} before correction, above 0.05)."
    runs, truth = differing(0.9)
    assert verdict(runs, "charR@1", truth)["verdict"] == "no difference seen"


def test_the_corrected_p_counts():
    """Seven topics that all differ: p = 2/128, and three pairs make it .047 by Holm; with 12 runs it is too large."""
    runs, truth = differing(0.9, 0.8, 0.85, 0.95, 0.7, 0.75, 0.65)
    assert verdict(runs, "charR@1", truth)["verdict"] == "x beats y"
    more = {f"y{i}": {t: {f"d#100-{150 + i}": 1.0} for t in runs["x"]} for i in range(11)}
    found = bp.compare(truth, {"x": runs["x"], **more}, "charR@1", assumptions=True, resamples=500)
    row = next(one for one in found.records() if (one["a"], one["b"]) == ("x", "y0"))
    assert row["topics"]["p"] == pytest.approx(2 / 128 * 66) or row["topics"]["p"] == 1.0
    assert row["verdict"] == "x is ahead of y0; not proven against: topics"
    whole = bp.compare(truth, {"x": runs["x"], **more}, "charR@1", assumptions=True, resamples=500, correction="none")
    assert next(one for one in whole if (one.a, one.b) == ("x", "y0")).verdict == "x beats y0"


@each(("shares", "test"), [((0.9, 0.900001), "t"), ((0.9, 0.9), "t"), ((0.9, 0.8), "randomisation"),
                           ((0.9, 0.900001, 0.9, 0.9, 0.9), "t")], ids=str)  # fmt: skip
def test_few_topics_never_suffice(shares, test):
    """Even where a t-test finds two nearly equal differences significant."""
    truth = [row for i, _ in enumerate(shares) for row in (
        {"topic": str(i), "doc": "d", "start": 0, "end": 10**6},
        {"topic": str(i), "doc": "d", "judged": True})]  # fmt: skip
    runs = {name: {str(i): {f"d#0-{round(10**6 * (share if name == 'x' else 0.5))}": 1.0} for i, share in
                   enumerate(shares)} for name in "xy"}  # fmt: skip
    row = verdict(runs, "charR@1", truth, test=test)
    if row["topics"]["p"] <= 0.05:
        assert row["verdict"] == "x is ahead of y; not proven against: topics" and test == "t"
    else:
        assert row["verdict"] == "no difference seen"


def test_parts_that_hold_for_themselves_but_not_at_once():
    """Each topic's lowest difference is above 0 on average, its interval over topics is not."""
    shares = [0.56, 0.57, 0.58, 0.59, 0.6, 0.61, 0.62, 0.63, 0.64, 0.65, 0.66, 1.0]
    runs, _ = differing(*shares)
    truth = {t: {"d#100-200": 1} for t in TOPICS}
    runs["y"] = {t: {"d#100-150": 1.0, f"e#0-{11 if i < 11 else 1}": 0.5} for i, t in enumerate(TOPICS)}
    row = verdict(runs, "charR@2", truth)
    lows = [
        share * 100 / (100 + more) - (50 + more) / (100 + more)
        for share, more in zip(shares, [11] * 11 + [1], strict=True)
    ]
    assert row["unjudged"][0] == pytest.approx(sum(lows) / 12) and row["unjudged"][0] > 0 > row["joint"][0]
    assert row["topics"]["p"] < 0.05
    assert row["verdict"] == "x is ahead of y; not proven against: topics and unjudged text at once"


def test_smaller_is_better_and_equal_is_neither():
    """The second list repeats what the first rank has shown."""
    again = {t: {"d#100-200": 2.0, f"d#{150 + i}-200": 1.0} for i, t in enumerate(TOPICS)}
    runs = {"again": again, "once": spans(x=(100, 200))["x"]}
    row = verdict(runs, "Overlap@2")
    assert (row["a"], row["b"], row["verdict"]) == ("once", "again", "once beats again")
    assert row["topics"]["high"] < 0 and row["joint"][1] < 0, "a minus b"
    row = verdict(spans(much=(0, 400), little=(100, 200)), "Overlap")
    assert row["verdict"] == "no difference seen"


@pytest.mark.slow
def test_the_range_and_the_usual_reader():
    """As the crossing by hand of test_over.py: the first is better above theta = 1/20."""
    truth = {t: {"d#100-110": 1, "e#100-110": 1} for t in TOPICS}
    both = [{"topic": t, "doc": doc, "start": 50, "end": 60, "rank": 1} for t in TOPICS for doc in "de"]
    runs = {"one": {t: {"d#80-90": 1.0} for t in TOPICS}, "both": both}
    options = {"measure": "ExpectedRatio@1", "truth": truth}

    def difference(theta):  # of one, 10 away from one of two targets; of both, 40 away from each
        return 0.5 / (1 + 10 * theta) - 1 / (1 + 40 * theta)

    row = verdict(runs, over="distance(theta=0.001..1,law='inverse')", **options)
    assert row["a"] == "both" and row["over"][0] < 0 < row["over"][1]  # at the usual theta, .01
    assert row["over"][1] == pytest.approx(-difference(0.001)) and row["over"][0] <= -difference(0.2) + 1e-3
    assert row["verdict"] == "both is ahead of one; not proven against: range"
    row = verdict(runs, over="distance(theta=0.06..1,law='inverse')", **options)  # .01 is outside: the middle
    assert row["a"] == "one" and row["over"][0] > 0 and row["verdict"] == "one beats both"
    row = verdict(
        runs, over="distance(theta=0.001..1,law='inverse')", user="distance(theta=0.5,law='inverse')", **options
    )
    assert row["a"] == "one" and row["verdict"] == "one is ahead of both; not proven against: range"


@pytest.mark.slow
def test_the_fitted_reader():
    truth = {t: {"d#100-110": 1, "e#100-110": 1} for t in TOPICS}
    both = [{"topic": t, "doc": doc, "start": 50, "end": 60, "rank": 1} for t in TOPICS for doc in "de"]
    runs = {"one": {t: {"d#80-90": 1.0} for t in TOPICS}, "both": both}
    for factor, stays in ((1.0, False), (100.0, True)):
        log = [{"distance": factor * d, "end": "gave_up"} for d in (3, 8, 15, 22, 40, 60, 90)]
        reader = bp.fit("distance(law='inverse')", log, held_out=0)
        row = verdict(runs, "ExpectedRatio@1", truth, user=reader)
        pair = bp.compare(truth, runs, "ExpectedRatio@1", user=reader, resamples=500).pair(
            row["measure"], row["a"], row["b"]
        )
        assert row["reader"] == list(pair.reader) and (pair.reader[0] > 0) is stays
        assert row["verdict"].endswith("not proven against: reader") is not stays


class Bounded(bp.Measure):
    """A measure with bounds over what is seen together: the mean reach of the first rank, and so much around it."""

    together: str = bp.parameter("independent", "independent|low|high", "the bound")
    width: float = bp.parameter(0.1, float, "how far the bounds are")
    depends_on = ("user",)

    def bounded(self, end):
        return replace(self, together=end) if self.together == "independent" else None

    def compute(self, topic):
        at = float(topic.reach.expected_seen(1).mean()) if topic.ranking.ranks else 0.0
        return at + {"independent": 0.0, "low": -self.width, "high": self.width}[self.together]


@each(("width", "stays"), [(0.1, True), (0.3, False)], ids=str)
def test_what_is_seen_together(width, stays):
    """1 against .5: the bounds are apart by .5 - 2 x width. A measure of another package has no bounds of pairs."""
    bp.register(Bounded)
    runs = {"half": {t: {"d#100-150": 1.0} for t in TOPICS}, "all": {t: {"d#100-200": 1.0} for t in TOPICS}}
    row = verdict(runs, f"Bounded(width={width})", user="coverage")
    assert row["a"] == "all" and row["together"] == pytest.approx([0.5 - 2 * width, 0.5 + 2 * width])
    assert extremes(runs, row["measure"], user="coverage") == pytest.approx(tuple(row["together"]))
    ahead = "all is ahead of half; not proven against: dependence"
    assert row["verdict"] == ("all beats half" if stays else ahead)
    asked = verdict(runs, f"Bounded(width={width},together='low')", user="coverage")
    assert asked["together"] is None  # a bound is no assumption


@each(("r", "ends", "said"), [(1, [0, 1 / 12], "A is ahead of B; not proven against: dependence"),
                              (2, [1 / 12, 1 / 4], "A beats B")], ids=str)  # fmt: skip
def test_a_hub_in_both_lists(r, ends, said):
    """As in test_pair_bounds.py: whatever readers see together, A is never behind; for both answers it is ahead."""
    truth = {t: {"a": 1, "b": 1} for t in TOPICS}
    runs = {"A": {t: {"hub": 3, "a": 2, "b": 1} for t in TOPICS},
            "B": {t: {"hub": 4, "junk": 3, "a": 2, "b": 1} for t in TOPICS}}  # fmt: skip
    clicks = ReachTable({("hub", "a"): 0.5, ("hub", "b"): 0.5})
    row = verdict(runs, f"EPRUM(r={r})", truth, navigation=clicks)
    assert row["together"] == pytest.approx(ends, abs=1e-12) and row["verdict"] == said
    assert extremes(runs, row["measure"], truth, navigation=clicks) == pytest.approx(tuple(ends), abs=1e-12)


class LabelledBounds(bp.Measure):
    """Precision of characters times a factor that is only known to lie between .5 and 1: labels and dependence."""

    cutoff = "rank"
    end: str = bp.parameter("independent", "independent|low|high", "the bound")
    depends_on = ()

    @property
    def factor(self):
        return {"independent": 0.75, "low": 0.5, "high": 1.0}[self.end]

    def bounded(self, end):
        return replace(self, end=end) if self.end == "independent" else None

    def text_value(self):
        return lambda retrieved, relevant, total: self.factor * relevant / retrieved

    def compute(self, topic):
        start, end = topic.ranking.start[0], topic.ranking.end[0]
        return self.factor * (min(end, 6) - max(start, 4)) / (end - start)


def test_labels_and_dependence_at_once():
    """Enumerated: of 5 characters each, x has 2 relevant and 3 unjudged ones, y 1 and 4.

    The ends of both added up, as if they had nothing to do with each other, would be left.
    """
    bp.register(LabelledBounds)
    truth = {t: {"d#4-6": 1} for t in TOPICS}
    x, y = {*range(1, 6)}, {*range(5, 10)}
    runs = {"x": {t: {"d#1-6": 1.0} for t in TOPICS}, "y": {t: {"d#5-10": 1.0} for t in TOPICS}}
    unjudged, found = [1, 2, 3, 6, 7, 8, 9], []
    for labels in itertools.product((False, True), repeat=len(unjudged)):
        good = {4, 5, *itertools.compress(unjudged, labels)}
        for one, other in itertools.product((0.5, 1.0), repeat=2):
            found.append(one * len(good & x) / 5 - other * len(good & y) / 5)
    row = verdict(runs, "LabelledBounds@1", truth)
    assert extremes(runs, "LabelledBounds@1", truth) == pytest.approx((min(found), max(found)))
    assert [min(found), max(found)] == [-0.8, 0.9]
    d = 0.75 * (2 - 1) / 5
    added = [d + (row["unjudged"][side] - d) + (row["together"][side] - d) for side in (0, 1)]
    assert added == pytest.approx([-0.6, 0.75])
    assert row["verdict"] == "x is ahead of y; not proven against: unjudged text, dependence"


class UnlabelledBounds(LabelledBounds):
    """The same, but its bounds do not say what they are worth under other labels."""

    def text_value(self):
        return super().text_value() if self.end == "independent" else None


@each("cluster", [None, {t: str(int(t) // 2) for t in TOPICS}], ids=str)
def test_labels_and_dependence_of_which_too_little_is_known(cluster):
    bp.register(UnlabelledBounds)
    truth = [row for t in TOPICS for row in (
        {"topic": t, "doc": "d", "start": 4, "end": 6}, {"topic": t, "doc": "d", "judged": True})]  # fmt: skip
    runs = {"x": {t: {"d#4-6": 1.0} for t in TOPICS}, "y": {t: {"d#5-10": 1.0} for t in TOPICS}}
    row = verdict(runs, "UnlabelledBounds@1", truth, cluster=cluster)
    assert row["unjudged"][0] > 0 and row["together"][0] > 0 and row["joint"] == [None, None]
    assert row["verdict"] == "x is ahead of y; not proven against: topics and unjudged text and dependence at once"


def test_no_measure_of_ours_depends_on_both():
    for name in registered():
        try:
            measure = parse_measure(name)
        except bp.UsageError:
            measure = parse_measure(f"{name}@1")
        assert measure.text_value() is None or measure.bounded("low") is None, name


def test_three_runs_tables_and_the_command(tmp_path, berrypick):
    runs = spans(x=(100, 200), y=(100, 180), z=(100, 150))
    found = bp.compare(TRUTH, runs, "charR@1 charP@1", assumptions=True, resamples=100)
    assert (
        len(found) == 6
        and len(bp.compare(TRUTH, runs, "charR@1", assumptions=True, resamples=100, pairs="baseline")) == 2
    )
    text = str(found)
    assert text.startswith("Verdicts\n") and "charR@1, x and y: x beats y." in text
    assert found.to_markdown() and found.to_latex()
    assert found.to_csv().splitlines()[0] == (
        "measure,a,b,difference,p,low,high,unjudged_low,unjudged_high,together_low,together_high,reader_low,reader_high,"
        "over_low,over_high,joint_low,joint_high,verdict"
    )
    files = []
    for name, rows in {"truth": TRUTH, **runs}.items():
        files.append(tmp_path / f"{name}.jsonl")
        lines = [{"topic": t, "doc": "d", "start": int(s.split("#")[1].split("-")[0]), "end": int(s.split("-")[1])}
                 for t, of in rows.items() for s in of]  # fmt: skip
        files[-1].write_text("".join(json.dumps(line) + "\n" for line in lines))
    done = berrypick("compare", *files, "-m", "charR@1", "--assumptions", "-o", "json", "--resamples", "100")
    rows = json.loads(done.out)
    assert done.code == 0 and [list(row) for row in rows] == [KEYS] * 3
    assert rows == bp.compare(files[0], files[1:], "charR@1", assumptions=True, resamples=100).records()
    saved = tmp_path / "saved.json"
    bp.evaluate(TRUTH, runs, "charR@1").save(saved)
    refused = berrypick("compare", saved, "-m", "charR@1", "--assumptions")
    assert refused.code == 2 and "needs the truth and the runs" in refused.err
    with pytest.raises(bp.UsageError, match="two runs or more"):
        bp.compare(TRUTH, runs["x"], "charR@1", assumptions=True)


def test_clusters_count_as_one():
    """Three clusters that differ: by topics x beats y, by clusters nothing is seen."""
    runs, truth = differing(*[0.9] * 4, *[0.8] * 4, *[0.55] * 4)
    cluster = {t: str(int(t) // 4) for t in TOPICS}
    assert verdict(runs, "charR@1", truth)["verdict"] == "x beats y"
    row = verdict(runs, "charR@1", truth, cluster=cluster)
    assert row["topics"]["p"] == 0.25 and row["verdict"] == "no difference seen"
    apart = verdict(runs, "charR@1", truth)
    assert row["joint"][0] < apart["joint"][0] and row["joint"][1] > apart["joint"][1]


@pytest.mark.slow
def test_the_report_shows_the_verdicts_of_its_own_comparison(tmp_path):
    runs, truth = differing(0.9, 0.8, 0.85, 0.95, 0.7, 0.75, 0.65)
    page = tmp_path / "page.html"
    for correction in ("holm", "none"):
        more = {**runs, "z": runs["y"]} if correction == "holm" else runs
        bp.write_report(truth, more, "charR@1", html=page, readers="none", resamples=100, correction=correction)
        text, found = page.read_text(), bp.compare(truth, more, "charR@1", assumptions=True, resamples=100,
                                                   correction=correction)  # fmt: skip
        assert "Is the better run proven to be better?" in text
        for one in found:
            assert f"charR@1, {one.a} and {one.b}: {one.verdict}." in text
    bp.write_report(truth, runs["x"], "charR@1", html=page, readers="none", resamples=100)
    assert "Is the better run proven to be better?" not in page.read_text()
