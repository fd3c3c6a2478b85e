"""Verdicts on differences: each assumption by hand or by the analysis that knows it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

import berrypick as bp

TOPICS = [str(i) for i in range(12)]
KEYS = ["measure", "a", "b", "topics", "unjudged", "together", "reader", "over", "verdict"]


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


def test_better_under_all_of_them():
    """Judged whole: nothing that a retrieves could be anything else than it is."""
    truth = [row for t in TOPICS for row in (
        {"topic": t, "doc": "d", "start": 100, "end": 200}, {"topic": t, "doc": "d", "judged": True})]  # fmt: skip
    row = verdict(spans(better=(100, 200), worse=(100, 120)), "charR@1", truth)
    assert (row["a"], row["b"], row["topics"], row["unjudged"]) == ("better", "worse", True, True)
    assert row["together"] is row["reader"] is row["over"] is None
    assert row["verdict"] == "better beats worse under all of them"


def test_unjudged_text_may_turn_it_round():
    """worse retrieves 900 characters that nobody judged: if they were relevant, its recall would be larger."""
    row = verdict(spans(worse=(180, 1080), better=(100, 200)), "charR@1")
    assert (row["a"], row["topics"], row["unjudged"]) == ("better", True, False)
    assert row["verdict"].startswith("better is ahead of worse, but that depends on unjudged text (difference -")


def test_topics_may_turn_it_round():
    runs = spans(x=lambda t: (100, 200) if t % 2 else (100, 260), y=lambda t: (100, 270) if t % 2 else (100, 200))
    row = verdict(runs, "charP@1")
    pair = bp.compare(TRUTH, runs, "charP@1", resamples=500).pairs[0]
    assert row["topics"] is False and pair.low < 0 < pair.high
    assert "the topics (difference" in row["verdict"]
    alone = verdict({name: {"0": run["0"]} for name, run in runs.items()}, "charP@1", {"0": TRUTH["0"]})
    assert alone["topics"] is False and "the topics (too few for an interval)" in alone["verdict"]


def test_smaller_is_better_and_equal_is_neither():
    """The second list repeats what the first rank has shown."""
    runs = {"again": {t: {"d#100-200": 2.0, "d#150-200": 1.0} for t in TOPICS}, "once": spans(x=(100, 200))["x"]}
    row = verdict(runs, "Overlap@2")
    assert (row["a"], row["b"], row["topics"]) == ("once", "again", True)
    found = bp.compare(TRUTH, spans(much=(0, 400), little=(100, 200)), "Overlap", assumptions=True, resamples=100)
    assert found[0].verdict == "little and much are equal, so that neither is ahead"
    assert set(found[0].stays.values()) == {None}


@pytest.mark.slow
def test_the_range_and_the_usual_reader():
    """As the crossing by hand of test_over.py: the first is better above theta = 1/20."""
    truth = {t: {"d#100-110": 1, "e#100-110": 1} for t in TOPICS}
    both = [{"topic": t, "doc": doc, "start": 50, "end": 60, "rank": 1} for t in TOPICS for doc in "de"]
    runs = {"one": {t: {"d#80-90": 1.0} for t in TOPICS}, "both": both}
    options = {"measure": "ExpectedRatio@1", "truth": truth}
    row = verdict(runs, over="distance(theta=0.001..1,law='inverse')", **options)
    assert (row["a"], row["over"], row["topics"]) == ("both", False, True)  # at the usual theta, .01
    assert "the reader of the range (both is better in 0.5663 of it)" in row["verdict"]
    row = verdict(runs, over="distance(theta=0.06..1,law='inverse')", **options)  # .01 is outside: the middle
    assert (row["a"], row["over"]) == ("one", True) and row["verdict"] == "one beats both under all of them"
    row = verdict(
        runs, over="distance(theta=0.001..1,law='inverse')", user="distance(theta=0.5,law='inverse')", **options
    )
    assert (row["a"], row["over"]) == ("one", False)


@pytest.mark.slow
def test_the_fitted_reader():
    truth = {t: {"d#100-110": 1, "e#100-110": 1} for t in TOPICS}
    both = [{"topic": t, "doc": doc, "start": 50, "end": 60, "rank": 1} for t in TOPICS for doc in "de"]
    runs = {"one": {t: {"d#80-90": 1.0} for t in TOPICS}, "both": both}
    for factor, stays in ((1.0, False), (100.0, True)):
        log = [{"distance": factor * d, "end": "gave_up"} for d in (3, 8, 15, 22, 40, 60, 90)]
        reader = bp.fit("distance(law='inverse')", log, held_out=0)
        row = verdict(runs, "ExpectedRatio@1", truth, user=reader)
        ends = bp.compare(truth, runs, "ExpectedRatio@1", user=reader, resamples=500).pairs[0].reader
        assert row["reader"] is stays and (ends[0] > 0 or ends[1] < 0) is stays
        assert ("the fitted reader" in row["verdict"]) is not stays


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


@pytest.mark.parametrize(("width", "stays"), [(0.1, True), (0.3, False)])
def test_what_is_seen_together(width, stays):
    """1 against .5: the bounds are apart by .5 - 2 x width."""
    bp.register(Bounded)
    runs = {"half": {t: {"d#100-150": 1.0} for t in TOPICS}, "all": {t: {"d#100-200": 1.0} for t in TOPICS}}
    row = verdict(runs, f"Bounded(width={width})", user="coverage")
    assert row["a"] == "all" and row["together"] is stays
    assert ("what readers see together (difference -0.1 to +1.1)" in row["verdict"]) is not stays
    asked = verdict(runs, f"Bounded(width={width},together='low')", user="coverage")
    assert asked["together"] is None  # a bound is no assumption


def test_what_is_seen_together_of_a_real_measure():
    """EPRUM with the law that is worst for the better run and best for the other."""
    truth = {t: {"d#100-200": 1, "e#0-100": 1} for t in TOPICS}
    places = [(t, doc, start) for t in TOPICS for doc, start in (("d", 100), ("e", 0))]
    half = [{"topic": t, "doc": doc, "start": a, "end": a + 50, "rank": 1} for t, doc, a in places]
    runs = {"half": half, "less": {t: {"d#100-140": 2.0, "e#0-60": 1.0} for t in TOPICS}}
    row = verdict(runs, "EPRUM(r=1)", truth, user="coverage")
    ends = [f"EPRUM(r=1,together='{end}')" for end in ("low", "high")]
    mean = bp.evaluate(truth, runs, ends, user="coverage").mean()
    least = mean["half"][ends[0]] - mean["less"][ends[1]]
    assert row["a"] == "half" and least < 0 and row["together"] is False
    assert f"what readers see together (difference {least:+.4g} to" in row["verdict"]


def test_three_runs_tables_and_the_command(tmp_path, berrypick):
    runs = spans(x=(100, 200), y=(100, 180), z=(100, 150))
    found = bp.compare(TRUTH, runs, "charR@1 charP@1", assumptions=True, resamples=100)
    assert (
        len(found) == 6
        and len(bp.compare(TRUTH, runs, "charR@1", assumptions=True, resamples=100, pairs="baseline")) == 2
    )
    text = str(found)
    assert "Does a stay better?" in text and "charR@1: x is ahead of y" not in text
    assert found.to_markdown() and found.to_latex() and found.to_csv().splitlines()[0] == ",".join(KEYS)
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


def test_clusters_widen_the_interval_over_topics():
    """Three clusters that differ: by topics the interval is apart from 0, by clusters it is not."""
    runs = spans(x=lambda t: (100, 200) if t < 8 else (100, 140), y=(100, 150))
    cluster = {t: str(int(t) // 4) for t in TOPICS}
    assert verdict(runs, "charR@1")["topics"] is True
    assert verdict(runs, "charR@1", cluster=cluster)["topics"] is False
