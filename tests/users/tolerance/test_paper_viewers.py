"""Viewers as the paper names them: mixed tolerances, the tolerance by default, cut-offs."""

from __future__ import annotations

import json
import math

import handmade
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reader_reach import seen

import berrypick as bp
from berrypick.users.tolerance.distributions import LogNormal
from berrypick.users.tolerance.visits import Tolerance, spread_visit, visit

# --- t2i with tolerances that differ -------------------------------------------------------------------------------


def test_a_spread_tolerance_by_hand():
    """Median 15, sigma .5; the target starts 10 further on: P(T > 10) = Phi(ln(15/10)/.5)."""
    found = seen("t2i(tolerance=15,spread=0.5)", [("d", 10, 20)], [("d", 0, 5)], collection=handmade.lengths(d=100))
    assert found[0, 0] == pytest.approx(0.5 * (1 + math.erf(math.log(1.5) / 0.5 / math.sqrt(2))))


def test_a_spread_tolerance_on_the_command_line(files, berrypick):
    paths = files(
        truth_jsonl='{"topic": "1", "doc": "d", "start": 10, "end": 20}\n',
        run_jsonl='{"topic": "1", "doc": "d", "start": 0, "end": 5}\n',
        lengths_tsv="d\t100\n",
    )
    truth, run, lengths = paths.values()
    done = berrypick("evaluate", truth, run, "-m", "ExpectedRatio", "--user", "t2i(tolerance=15,spread=0.5)",
                     "--collection", lengths, "-o", "json")  # fmt: skip
    assert json.loads(done.out)[0]["value"] == pytest.approx(0.5 * (1 + math.erf(math.log(1.5) / 0.5 / math.sqrt(2))))


@given(st.integers(0, 2**32 - 1), st.booleans(), st.sampled_from([0, 4]))
@settings(max_examples=25)
def test_a_spread_visit_is_the_mean_of_visits_with_drawn_tolerances(seed, keeps_viewing, t_init):
    """Against the visit with one tolerance, at the middle of 2000 equal shares of the log-normal law."""
    rng = np.random.default_rng(seed)
    starts = np.sort(rng.choice(95, 3, replace=False))
    targets = [(int(s), int(s) + int(rng.integers(1, 6)), i) for i, s in enumerate(starts)]
    entry, median, sigma = int(rng.integers(0, 60)), 12.0, 0.6
    drawn = [median * math.exp(sigma * z) for z in _normal_quantiles(2000)]
    visits = [visit(entry, 100, targets, Tolerance(t, keeps_viewing, t_init)) for t in drawn]
    found = spread_visit(entry, 100, targets, Tolerance(median, keeps_viewing, t_init), LogNormal(median, sigma))
    probability = dict(found.found)
    for i in range(3):
        mean = sum(i in one.found for one in visits) / len(visits)
        assert probability.get(i, 0.0) == pytest.approx(mean, abs=1e-3)
    assert found.length == pytest.approx(sum(one.length for one in visits) / len(visits), abs=0.1)


def _normal_quantiles(count):
    from statistics import NormalDist

    return [NormalDist().inv_cdf((i + 0.5) / count) for i in range(count)]


# --- default tolerance ----------------------------------------------------------------------------------------------


def test_the_default_tolerance_follows_what_positions_count():
    """A target 100 further on: within 300 characters, not within 15 seconds; 60 tokens in between."""
    truth, run = handmade.span_truth({"1": [("d", 100, 110)]}), handmade.span_run({"1": [("d", 0, 5)]})
    lengths = handmade.lengths(d=200)
    measures = ["T2I", "ExpectedRatio(user='t2i')"]
    for effort, value, tolerance in (("chars", 1.0, "300"), ("seconds", 0.0, "15")):
        results = bp.evaluate(truth, run, measures, collection=lengths, effort=effort)
        assert results.mean()["run"]["ExpectedRatio(user='t2i')"] == value
        assert (results.mean()["run"]["T2I"] > 0) == bool(value)
        signatures = [row.signature for row in results.mean_rows]
        assert signatures[0]["tolerance"] == tolerance and f"tolerance={tolerance}" in signatures[1]["user"]
    texts = {"d": "x " * 50 + "0123456789" + " y" * 45}
    tokens = bp.evaluate(truth, run, "T2I(unit='tokens')", documents=texts)
    assert tokens.mean_rows[0].signature["tolerance"] == "60"


def test_without_a_unit_tolerance_must_be_given(files, berrypick):
    paths = files(
        truth_jsonl='{"topic": "1", "doc": "d", "start": 10, "end": 20}\n',
        run_jsonl='{"topic": "1", "doc": "d", "start": 0, "end": 5}\n',
        lengths_tsv="d\t100\n",
    )
    truth, run, lengths = paths.values()
    for extra in (("-m", "T2I"), ("-m", "ESL"), ("-m", "PT2I"), ("-m", "EPRUM", "--user", "t2i")):
        done = berrypick("evaluate", truth, run, "--collection", lengths, *extra)
        assert done.code == 2 and "tolerance" in done.err, extra
    assert berrypick("evaluate", truth, run, "--collection", lengths, "-m", "T2I(tolerance=15)").code == 0


def test_the_budget_is_20_tolerances():
    truth, run = handmade.span_truth({"1": [("d", 5, 10)]}), handmade.span_run({"1": [("d", 0, 5)]})
    values = bp.evaluate(truth, run, "T2I(tolerance=7) T2I(tolerance=7,budget=140)", collection=handmade.lengths(d=99))
    assert len(set(values.mean()["run"].values())) == 1


# --- cut-offs of section 7 ------------------------------------------------------------------------------------------

#: Tolerance 15, 100 seconds, targets [5,10) and [80,90), entries 0 and 50: both visits waste a unit, one target found.
TWO = handmade.span_truth({"1": [("d", 5, 10), ("d", 80, 90)]})
ENTRIES = handmade.span_run({"1": [("d", 0, 1), ("d", 50, 51)]})


def test_t2i_at_one_unit_and_its_curve(files, berrypick):
    """One target found before the first unit is spent, and none after: 1, 1/2, 1/3."""
    options = {"collection": handmade.lengths(d=100)}
    results = bp.evaluate(TWO, ENTRIES, "T2I(tolerance=15,at=1) T2I(tolerance=15,at=3) T2I(tolerance=15)@2", **options)
    assert list(results.mean()["run"].values()) == pytest.approx([1, 1 / 3, 1 / 2])
    curve = bp.evaluate(TWO, ENTRIES, "T2I(tolerance=15,at=3)", curves=True, **options).curves()["run"]
    assert curve["T2I(tolerance=15,at=3)"]["1"] == [(1, 1.0), (2, 0.5), (3, pytest.approx(1 / 3))]
    paths = files(
        truth_jsonl='{"topic": "1", "doc": "d", "start": 5, "end": 10}\n',
        run_jsonl='{"topic": "1", "doc": "d", "start": 0, "end": 1}\n',
        lengths_tsv="d\t100\n",
    )
    truth, run, lengths = paths.values()
    done = berrypick("evaluate", truth, run, "-m", "T2I(tolerance=15,at=3)", "--collection", lengths, "-o", "json")
    assert json.loads(done.out)[0]["value"] == pytest.approx(1 / 3)
    for wrong in ("T2I(at=0)", "T2I(at=2.5)", "T2I(at=1,budget=15)", "T2I(at=2)@2"):
        with pytest.raises(bp.UsageError):
            bp.evaluate(TWO, ENTRIES, wrong, **options)


def test_pt2i_at_recall_levels_and_its_curve():
    """S = 1: found before any unit is spent, 1. S = 2: ESL 4, 2/(2 + 4)."""
    options = {"collection": handmade.lengths(d=100)}
    results = bp.evaluate(
        TWO, ENTRIES, "PT2I(tolerance=15)@0.5 PT2I(tolerance=15)@0.51 PT2I(tolerance=15)@0", **options
    )
    assert list(results.mean()["run"].values()) == pytest.approx([1, 1 / 3, 1])
    curve = bp.evaluate(TWO, ENTRIES, "PT2I(tolerance=15)", curves=True, **options).curves()["run"]
    assert curve["PT2I(tolerance=15)"]["1"] == [(0.5, 1.0), (1.0, pytest.approx(1 / 3))]
    with pytest.raises(bp.UsageError, match="not both"):
        bp.evaluate(TWO, ENTRIES, "PT2I(tolerance=15,wanted=1)@0.5", **options)


def test_pt2i_of_an_empty_list_follows_from_its_search_length():
    """I = 7 units of 10 in 74 characters, one target of 4, S = 1: ESL 1 x 7/2 = 3.5, PT2I 1/(1 + 3.5) = .2222."""
    truth = handmade.span_truth({"1": [("d", 5, 9)], "2": [("d", 5, 9)]})
    run = handmade.span_run({"2": [("d", 5, 9)]})
    found = bp.evaluate(
        truth, run, "ESL(tolerance=10) PT2I(tolerance=10)", collection=handmade.lengths(d=74), curves=True
    )
    values = found.per_topic()["run"]
    assert values["ESL(tolerance=10)"]["1"] == 3.5
    assert values["PT2I(tolerance=10)"]["1"] == pytest.approx(0.2222, abs=5e-5)
    assert found.curves()["run"]["PT2I(tolerance=10)"]["1"] == [(1.0, pytest.approx(1 / 4.5))]
