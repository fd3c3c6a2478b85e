"""Comparisons of runs: what is compared with what, and how it is told."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import math

import counted_work
import handmade
import numpy as np
import pytest
from handmade_results import results
from scipy import stats

import berrypick as bp
from berrypick.analysis.comparison.compare import labels
from berrypick.data.errors import UsageError
from berrypick.data.results import ALL, Results, Row
from berrypick.statistics import statistics


def random_results(runs=3, topics=40, measures=("AP",), seed=1):
    random = np.random.default_rng(seed)
    base = random.random(topics) * 0.6
    return results(
        {
            f"run{i}": {name: (base + 0.08 * i + random.random(topics) * 0.3).tolist() for name in measures}
            for i in range(runs)
        }
    )


TRUTH = handmade.document_truth({str(t): {"a": 1, "b": 0} for t in range(8)})


def run_of(hits, tag):
    """A run whose result for topic t is right iff t is in hits."""
    return handmade.document_run({str(t): ["a" if t in hits else "b"] for t in range(8)}, tag)


# what is compared


def test_means_are_those_of_evaluate():
    runs = [run_of({0, 1, 2}, "one"), run_of({0, 1, 2, 3, 4}, "two")]
    compared = bp.compare(TRUTH, runs, "AP P@1")
    assert {run: {m: compared.estimate(m, run).value for m in ("AP", "P@1")} for run in ("one", "two")} == bp.evaluate(
        TRUTH, runs, "AP P@1"
    ).mean()
    assert compared.runs == ("one", "two") and compared.measures == ("AP", "P@1") and compared.baseline == "one"


def test_a_pair_by_hand():
    """Two more topics right, one of the old ones wrong: differences 1, 1, 1, -1 and four ties."""
    compared = bp.compare(TRUTH, [run_of({0, 1}, "one"), run_of({0, 2, 3, 4}, "two")], "P@1")
    pair = compared.pair("P@1", "two", "one")
    assert (pair.wins, pair.ties, pair.losses) == (3, 4, 1)
    assert pair.difference == pytest.approx(0.25)
    # of the 16 sign changes of four ones, 5 + 5 sum to 2 or more either way
    assert pair.p == pytest.approx(10 / 16) and pair.exact
    assert pair.effect == pytest.approx(0.25 / math.sqrt((4 - 8 * 0.25**2) / 7))
    turned = compared.pair("P@1", "one", "two")
    assert turned == pair.turned()
    assert (turned.wins, turned.losses, turned.difference, turned.p) == (1, 3, pytest.approx(-0.25), pair.p)
    assert (turned.low, turned.high) == (-pair.high, -pair.low)


def test_statistics_are_those_of_scipy():
    made = random_results()
    values = made.per_topic()
    compared = bp.compare(made, test="t", correction="none")
    for pair in compared.pairs:
        one, other = (list(values[run]["AP"].values()) for run in (pair.run, pair.versus))
        theirs = stats.ttest_rel(one, other)
        assert pair.p == pytest.approx(theirs.pvalue) and pair.statistic == pytest.approx(theirs.statistic)
        assert pair.p_adjusted == pair.p and not pair.exact


def test_every_pair_is_there_once_and_the_baseline_is_the_other():
    compared = bp.compare(random_results(4), baseline="run2")
    assert [(pair.run, pair.versus) for pair in compared.pairs] == [
        ("run0", "run2"), ("run1", "run2"), ("run3", "run2"), ("run1", "run0"), ("run3", "run0"), ("run3", "run1")
    ]  # fmt: skip
    assert [pair.versus for pair in compared.compared_with("AP", "run3")] == ["run2", "run0", "run1"]


def test_only_pairs_with_the_baseline():
    compared = bp.compare(random_results(4), pairs="baseline")
    assert [(pair.run, pair.versus) for pair in compared.pairs] == [(f"run{i}", "run0") for i in (1, 2, 3)]
    assert compared.pair("AP", "run2", "run1") is None
    everything = bp.compare(random_results(4))
    for pair in compared.pairs:
        other = everything.pair("AP", pair.run, pair.versus)
        assert other.p == pair.p and other.p_adjusted >= pair.p_adjusted


def test_families():
    made = random_results(3, measures=("AP", "P@5"))
    one, every = bp.compare(made), bp.compare(made, family="all")
    assert [pair.p for pair in one.pairs] == [pair.p for pair in every.pairs]
    least = min(every.pairs, key=lambda pair: pair.p)
    assert least.p_adjusted == pytest.approx(min(1, 6 * least.p))
    for measure in ("AP", "P@5"):
        least = min((pair for pair in one.pairs if pair.measure == measure), key=lambda pair: pair.p)
        assert least.p_adjusted == pytest.approx(min(1, 3 * least.p))


def test_a_measure_does_not_depend_on_the_others():
    made = random_results(3, measures=("AP", "P@5"))
    alone, both = bp.compare(made, measures="P@5"), bp.compare(made)
    assert alone.measures == ("P@5",)
    for pair in alone.pairs:
        assert both.pair("P@5", pair.run, pair.versus) == pair


def test_undefined_topics_are_left_out_pairwise_and_counted():
    made = results({"one": {"AP": [0.1, None, 0.3, 0.4]}, "two": {"AP": [0.2, 0.5, None, 0.6]}})
    compared = bp.compare(made)
    pair = compared.pair("AP", "two", "one")
    assert (pair.topics, pair.unpaired) == (2, 2)
    assert pair.difference == pytest.approx(0.15)
    one = compared.estimate("AP", "one")
    assert (one.topics, one.undefined, one.value) == (3, 1, pytest.approx(0.8 / 3))


def test_topics_of_one_run_only_are_left_out_too():
    truth = handmade.document_truth({t: {"a": 1} for t in "123"})
    runs = [
        handmade.document_run({t: ["a"] for t in "12"}, "one"),
        handmade.document_run({t: ["b", "a"] for t in "23"}, "two"),
    ]
    pair = bp.compare(truth, runs, "AP", topics="run").pair("AP", "two", "one")
    assert (pair.topics, pair.unpaired, pair.difference) == (1, 2, -0.5)
    assert pair.low is None and pair.effect is None and pair.p == 1.0


def test_runs_without_a_common_topic():
    compared = bp.compare(results({"one": {"AP": [0.1, None]}, "two": {"AP": [None, 0.5]}}))
    pair = compared.pairs[0]
    assert (pair.topics, pair.unpaired, pair.difference, pair.p, pair.p_adjusted, pair.significant) == (
        0, 2, None, None, None, False
    )  # fmt: skip
    for output in ("table", "markdown", "latex", "csv", "json"):
        assert compared.table(output)


def test_one_run():
    compared = bp.compare(TRUTH, run_of({0, 1, 2}, "one"), "AP")
    one = compared.estimate("AP", "one")
    assert compared.pairs == () and compared.baseline is None
    assert one.low < one.value < one.high
    assert "difference" not in compared.table() and "0.3750" in compared.table()


def test_one_topic_has_no_interval():
    compared = bp.compare(results({"one": {"AP": [0.5]}, "two": {"AP": [0.6]}}))
    assert compared.estimate("AP", "one").low is None
    assert compared.pairs[0].p == 1.0
    assert bp.compare(results({"one": {"AP": [0.5]}, "two": {"AP": [0.6]}}), test="t").pairs[0].p is None


def test_undefined_means():
    compared = bp.compare(results({"one": {"AP": [None, None]}, "two": {"AP": [0.5, 0.25]}}))
    assert compared.estimate("AP", "one").value is None
    assert "-" in compared.table()
    assert json.loads(compared.table("json"))[0]["value"] is None


def test_rounding_makes_ties():
    compared = bp.compare(results({"one": {"AP": [0.3, 0.5]}, "two": {"AP": [0.1 + 0.2, 0.5]}}))
    pair = compared.pairs[0]
    assert (pair.wins, pair.ties, pair.losses, pair.p, pair.difference) == (0, 2, 0, 1.0, 0.0)


# smaller is better


def test_smaller_is_better():
    good, bad = [0.1 * i for i in range(8)], [0.1 * i + 0.5 for i in range(8)]
    compared = bp.compare(results({"bad": {"ESL": bad}, "good": {"ESL": good}}))
    pair = compared.pair("ESL", "good", "bad")
    assert pair.difference == pytest.approx(-0.5) and (pair.wins, pair.losses) == (8, 0)
    assert pair.better and not pair.worse and pair.turned().worse
    assert compared.estimate("ESL", "good").beats == ("a",) and compared.estimate("ESL", "bad").beats == ()
    assert "ESL, smaller is better" in compared.table()
    assert "\\textbf{0.3500}" in compared.table("latex")


def test_overlap_of_a_run():
    truth = handmade.span_truth({t: [("d", 0, 10)] for t in "12345678"})
    twice = handmade.span_run({t: [("d", 0, 10), ("d", 5, 15)] for t in "12345678"}, "twice")
    once = handmade.span_run({t: [("d", 0, 10), ("d", 10, 20)] for t in "12345678"}, "once")
    compared = bp.compare(truth, [twice, once], "Overlap charR")
    assert compared.estimate("Overlap", "once").beats == ("a",)
    assert compared.pair("charR", "once", "twice").p == 1.0


# letters


def test_letters_are_those_of_the_runs_that_are_beaten():
    low, middle, high = ([v + 0.2 * step for v in (0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.3)] for step in range(3))
    compared = bp.compare(results({"low": {"AP": low}, "high": {"AP": high}, "middle": {"AP": middle}}))
    assert {one.run: (one.label, one.letters) for one in compared.estimates} == {
        "low": ("a", ""), "high": ("b", "ac"), "middle": ("c", "a")
    }  # fmt: skip
    assert "ᵃᶜ" in compared.table()
    assert "<sup>ac</sup>" in compared.table("markdown") and "$^{ac}$" in compared.table("latex")


def test_letters_of_many_runs():
    assert labels(28)[-3:] == ["z", "aa", "ab"]
    values, spread = np.linspace(0.1, 0.5, 12), 1e-5 * (-1.0) ** np.arange(12)
    made = results({f"r{i}": {"AP": (values + 0.01 * i + spread * i).tolist()} for i in range(28)})
    compared = bp.compare(made, test="t")
    assert compared.estimate("AP", "r27").letters.endswith("z,aa")
    assert " ^a,b," in compared.table()  # no raised letters where they would run together
    assert bp.compare(made, ["r0", "r1"], test="t").estimate("AP", "r1").letters == "a"


# settings


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"test": "ttest"}, "unknown test 'ttest'; expected one of randomisation, t"),
        ({"correction": "hollm"}, "unknown correction 'hollm'; did you mean holm?"),
        ({"family": "x"}, "unknown family 'x'; expected one of measure, all"),
        ({"pairs": "x"}, "unknown pairs 'x'; expected one of all, baseline"),
        ({"interval": "bcaa"}, "unknown interval 'bcaa'; did you mean bca?"),
        ({"resamples": 10}, "resamples must be at least 100, not 10"),
        ({"resamples": 10**9}, "resamples must be at most 10000000, not 1000000000"),
        ({"resamples": "many"}, "resamples must be at least 100, not 'many'"),
        ({"seed": -1}, "seed must be a whole number, 0 or more, not -1"),
        ({"confidence": 95}, "confidence must be between 0 and 1, e.g. 0.95, not 95"),
        ({"baseline": "run9"}, "no run run9; did you mean"),
        ({"baseline": "zzz"}, "no run zzz; available: run0, run1, run2"),
        ({"measures": "APP"}, "APP is not among the measures of these results; did you mean AP?"),
        ({"runs": ["nobody"]}, "no run nobody; available: run0"),
        ({"user": "hierarchy"}, "these options have no effect on a prepared evaluation: user"),
    ],
)
def test_wrong_settings(wrong, message):
    with pytest.raises(UsageError) as error:
        bp.compare(random_results(), **wrong)
    assert str(error.value).startswith(message)


def test_no_runs_and_no_topics():
    with pytest.raises(UsageError, match="no runs given"):
        bp.compare(TRUTH, [], "AP")
    with pytest.raises(UsageError, match="values per topic"):
        bp.compare(Results([], [Row("a", ALL, "AP", 0.5, "")]))


def test_the_signature_has_it_all():
    compared = bp.compare(
        TRUTH, run_of({1}, "one"), "AP", seed=7, test="t", correction="bh", resamples=500, confidence=0.9
    )
    (record,) = json.loads(compared.table("json"))
    plain = str(bp.evaluate(TRUTH, run_of({1}, "one"), "AP").mean_rows[0].signature)
    head, *sums_and_version = plain.rsplit("|", 3)
    method = "interval:expanded|confidence:0.9|test:t|pairs:all|correction:bh|family:measure|resamples:500|seed:7"
    assert record["signature"] == "|".join([head, method, *sums_and_version])


def test_it_is_repeatable_and_the_seed_decides():
    made = random_results(topics=60)
    assert bp.compare(made) == bp.compare(made)
    assert bp.compare(made, seed=1).estimates != bp.compare(made, seed=2).estimates


def test_it_cannot_be_changed():
    compared = bp.compare(random_results())
    with pytest.raises(dataclasses.FrozenInstanceError):
        compared.baseline = "other"
    with pytest.raises(dataclasses.FrozenInstanceError):
        compared.pairs[0].p = 0.0


def test_the_baseline_may_be_named_by_its_file(files):
    paths = files(truth_qrels="1 0 a 1\n2 0 a 1\n", new_run="1 Q0 a 1 1 same\n2 Q0 a 1 1 same\n",
                  old_run="1 Q0 b 1 1 same\n2 Q0 a 1 1 same\n")  # fmt: skip
    for name in (str(paths["old_run"]), "old.run", "old"):
        compared = bp.compare(paths["truth_qrels"], [paths["new_run"], paths["old_run"]], "AP", baseline=name)
        assert compared.baseline == "old" and compared.run_name("old.run") == "old"


# notes


def test_few_topics_are_noted():
    notes = bp.compare(results({"one": {"AP": [0.1, 0.2, 0.3]}, "two": {"AP": [0.2, 0.3, 0.4]}})).notes
    assert tuple(map(str, notes)) == (
        "some means are over 3 topics; with fewer than 10 topics, 95% intervals are too narrow: over 3, about 73 of "
        "100 hold the mean",
        "AP: no interval where all topics differ alike: two and one",
        "AP: no difference can be significant: the smallest possible corrected p-value on 3 topics is 0.25; "
        "use more topics",
    )


def test_too_few_resamples_are_noted():
    made = random_results(4, topics=60)
    assert "use more resamples" in str(bp.compare(made, resamples=100).notes[-1])
    assert bp.compare(made, resamples=100, correction="bh").notes == ()
    assert bp.compare(made, resamples=100, pairs="baseline", confidence=0.9).notes == ()


def test_different_ways_of_measuring_are_noted():
    one, two = (results({name: {"AP": [0.1] * 12}}, f"AP|user:{name}|v:1") for name in ("x", "y"))
    both = bp.concat(one, two)
    assert "AP: the runs have different signatures (user:x, user:y)" in map(str, bp.compare(both).notes)


def test_sums_are_noted():
    compared = bp.compare(TRUTH, [run_of({1}, "one")], "NumRet")
    assert "NumRet: evaluate sums it over topics; here it is the mean over topics" in map(str, compared.notes)
    assert compared.estimate("NumRet", "one").value == 1.0


def test_measures_that_are_not_known_here():
    """Results from a file may hold anything."""
    assert bp.compare(results({"one": {"New": [0.1, 0.2]}, "two": {"New": [0.3, 0.1]}})).measures == ("New",)
    uneven = results({"one": {"AP": [0.1, 0.2]}, "two": {"AP": [0.1, 0.2], "RR": [1.0, 0.5]}})
    assert bp.compare(uneven).estimate("RR", "one").value is None


# how it is told


def test_csv_has_a_row_for_each_mean_and_difference():
    compared = bp.compare(random_results())
    rows = list(csv.DictReader(io.StringIO(compared.table("csv"))))
    assert [(row["run"], row["versus"]) for row in rows] == [
        ("run0", ""), ("run0", "run1"), ("run0", "run2"), ("run1", ""), ("run1", "run0"), ("run1", "run2"),
        ("run2", ""), ("run2", "run0"), ("run2", "run1"),
    ]  # fmt: skip
    pair = compared.pair("AP", "run1", "run0")
    assert float(rows[4]["value"]) == pair.difference and float(rows[4]["p_adjusted"]) == pair.p_adjusted
    assert rows[4]["significant"] == str(pair.significant).lower() and rows[4]["wins"] == str(pair.wins)
    assert list(csv.DictReader(io.StringIO(compared.table("tsv")), delimiter="\t")) == rows
    assert compared.table("csv", places=2).splitlines()[1].split(",")[4] == f"{compared.estimates[0].value:.2f}"


def test_json_has_everything():
    compared = bp.compare(random_results(measures=("AP", "P@5")), baseline="run1")
    records = json.loads(compared.table("json"))
    assert [(one["run"], one["measure"], one["topic"]) for one in records] == [
        (f"run{i}", measure, "all") for i in range(3) for measure in ("AP", "P@5")
    ]
    for record in records:
        assert {"value", "low", "high", "signature", "topics", "undefined", "beats", "label"} <= set(record)
        assert record["baseline"] == "run1"
        for other in record["comparisons"]:
            pair = compared.pair(record["measure"], record["run"], other["versus"])
            assert other == pair.as_dict()
    assert records[0]["comparisons"][0]["versus"] == "run1"
    assert [json.loads(line) for line in compared.table("jsonl").splitlines()] == records


def test_json_is_strict():
    """All topics differ by the same amount: neither t nor d is defined, and sign changes give p = 2^(1-2)."""
    made = results({"one": {"AP": [0.25, 0.5]}, "two": {"AP": [0.5, 0.75]}})
    pair = bp.compare(made, test="t").pairs[0]
    assert (pair.p, pair.statistic, pair.effect) == (0.5, None, None)
    json.loads(bp.compare(made, test="t").table("json"), parse_constant=pytest.fail)


def test_names_are_text_and_not_mark_up():
    name = "<b>|x_1*&%$"
    compared = bp.compare(results({name: {"AP": [0.1, 0.2]}, "two": {"AP": [0.2, 0.4]}}))
    assert "&lt;b>\\|x\\_1\\*&amp;%$" in compared.table("markdown")
    assert "<b>|x\\_1*\\&\\%\\$" in compared.table("latex")
    assert r"a\x1b[31m" in bp.compare(results({"a\x1b[31m": {"AP": [0.1, 0.2]}})).table()


def test_layouts():
    compared = bp.compare(random_results(measures=("AP", "P@5")))
    details, runs = compared.table(), compared.table(layout="runs")
    assert details.count("won/tied/lost") == 2 and "won/tied/lost" not in runs
    assert runs.splitlines()[0].split() == ["run", "AP", "P@5"]
    assert compared.table("latex").startswith("\\begin{tabular}{llll}")
    assert "% AP, larger is better" in compared.table("latex", layout="details")
    assert str(compared) == details.rstrip("\n")
    with pytest.raises(UsageError, match="unknown output html"):
        compared.table("html")
    with pytest.raises(UsageError, match="unknown layout wide"):
        compared.table(layout="wide")


def test_tables_of_uncorrected_tests():
    compared = bp.compare(random_results(), correction="none", test="t", family="all")
    assert "p (" not in compared.table() and "not corrected" in compared.table()
    assert "paired t-test" in compared.table()
    assert (
        "Benjamini-Hochberg correction over the 3 comparisons of all measures"
        in bp.compare(random_results(), correction="bh", family="all").table()
    )


def test_letters_without_unicode(monkeypatch):
    class Plain(io.StringIO):
        encoding = "ascii"

    made = results({"one": {"AP": [0.1] * 9}, "two": {"AP": [0.2] * 9}})
    monkeypatch.setattr("sys.stdout", Plain())
    assert "0.2000 ^a" in bp.compare(made).table()


def test_frames():
    compared = bp.compare(random_results())
    pandas, polars = compared.to_pandas(), compared.to_polars()
    assert len(pandas) == len(polars) == 9
    assert list(pandas.columns) == polars.columns == list(compared.rows()[0])
    assert polars["value"].to_list() == pandas["value"].tolist()


def test_measures_share_what_is_drawn(monkeypatch):
    """5 systems and 500 topics: ten measures take ten times the calls at most, and no random number more."""
    drawn = []
    for name in ("resample_counts", "_sign_changes"):
        draw = getattr(statistics, name)

        def pieces(*given, draw=draw):
            for first, piece in draw(*given):
                drawn.append(piece.size)
                yield first, piece

        monkeypatch.setattr(statistics, name, pieces)

    def work(measures):
        made = random_results(5, 500, tuple(f"P@{k}" for k in range(1, measures + 1)))
        statistics._kept_draws.cache_clear()
        drawn.clear()
        calls = counted_work.calls(lambda: bp.compare(made))
        assert sum(drawn) == 2 * 500 * 10_000
        return calls

    work(1)
    assert work(10) <= 10 * work(1)
    assert len(bp.compare(random_results(5, 500, ("AP", "RR"))).pairs) == 2 * 10


# the command


@pytest.fixture
def written(files):
    truth = "".join(f"{t} 0 a 1\n" for t in range(12))
    paths = {"truth_qrels": truth}
    for name, good in (("one", 4), ("two", 12)):
        paths[f"{name}_run"] = "".join(f"{t} Q0 {'a' if t < good else 'b'} 1 1 {name}\n" for t in range(12))
    return files(**paths)


def test_command(berrypick, written):
    done = berrypick("compare", *written.values(), "-m", "AP", "-o", "table")
    assert done.code == 0 and done.err == ""
    assert done.out == bp.compare(written["truth_qrels"], [written["one_run"], written["two_run"]], "AP").table()
    assert berrypick("compare", *written.values(), "-m", "AP").out.startswith("measure\trun\tversus\t")


def test_command_options(berrypick, written):
    done = berrypick(
        "compare", *written.values(), "-m", "AP P@1", "--baseline", "two", "--test", "t", "--correction", "bh",
        "--family", "all", "--pairs", "baseline", "--interval", "bca", "--confidence", ".9", "--resamples", "500",
        "--seed", "3", "--topics", "run", "-o", "json",
    )  # fmt: skip
    first = json.loads(done.out)[0]
    assert first["signature"].split("|")[-11:-3] == [
        "interval:bca", "confidence:0.9", "test:t", "pairs:baseline", "correction:bh", "family:all", "resamples:500",
        "seed:3",
    ]  # fmt: skip
    assert first["comparisons"][0]["versus"] == "two"


def test_wrong_usage_of_the_command(berrypick, written):
    done = berrypick("compare", *written.values())
    assert done.code == 0 and "no measures given; using AP nDCG@10 R@100 RR" in done.err
    done = berrypick("compare", *written.values(), "-m", "AP", "--baseline", "three")
    assert done.code == 2 and "no run three" in done.err and done.out == ""
    assert berrypick("compare", *written.values(), "-m", "AP", "--confidence", "95").code == 2


def test_sign_changes_grow_with_the_comparisons():
    """20 runs have 190 pairs: 4 x 190 / .05 draws, so that the smallest corrected p-value is a quarter of .05.

    Intervals, which are not corrected, are those of any other comparison.
    """
    topics = [f"q{i}" for i in range(100)]
    truth = {topic: {"a": 1} for topic in topics}
    runs = {f"r{n:02}": {t: {"a" if (i + n) % 5 else "b": 2.0} for i, t in enumerate(topics)} for n in range(20)}
    found = bp.compare(truth, runs, "RR")
    assert (found.method.resamples, found.method.sign_changes) == (10_000, 15_200)
    table = found.table()
    assert "Wilson's for hits" in table and "randomisation test, 15200 sign changes, Holm" in table
    assert ("sign_changes", "15200") in found.estimates[0].signature.fields
    drawn = [pair.p for pair in found.pairs if not pair.exact]
    assert drawn and all(p is not None and round(p * 15_201, 6).is_integer() for p in drawn)
    few = dict(list(runs.items())[:3])
    some = bp.compare(truth, few, "RR")
    assert some.method.sign_changes is None and "sign changes" not in some.table()
    same = {(pair.run, pair.versus): (pair.low, pair.high) for pair in found.pairs}
    assert all(same[pair.run, pair.versus] == pytest.approx((pair.low, pair.high), abs=1e-12) for pair in some.pairs)
    given = bp.compare(truth, runs, "RR", resamples=100).method
    assert (given.resamples, given.sign_changes) == (100, None)
    assert bp.compare(truth, runs, "RR", test="t").method.sign_changes is None
