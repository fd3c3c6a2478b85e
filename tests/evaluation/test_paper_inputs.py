"""What inputs and options change, and what is said about it: lengths, sizes, ignored names, cuts, entry points."""

from __future__ import annotations

import json
import math

import handmade
import numpy as np
import pytest
import slow_twins

import berrypick as bp
from berrypick.data.reach import Reach
from berrypick.kernels import poisson_binomial

# --- what ends after its document ------------------------------------------------------------------------------------


@pytest.mark.parametrize("which", ["truth", "run"])
def test_with_the_texts_at_hand_both_are_errors(which):
    spans = {"truth": [("d", 0, 3)], "run": [("d", 0, 3)], which: [("d", 2, 9)]}
    with pytest.raises(bp.InputError):
        bp.evaluate(handmade.span_truth({"1": spans["truth"]}), handmade.span_run({"1": spans["run"]}), "charP",
                    documents={"d": "abcde"})  # fmt: skip


# --- names and laws --------------------------------------------------------------------------------------------------


def test_the_normal_law_above_ten_partly_seen_targets():
    """By its formula: P(F = s) = Phi((s + .5 - m)/d) - Phi((s - .5 - m)/d), on top of those surely seen."""
    p = np.linspace(0.05, 0.95, 12)
    seen = np.concatenate([p, [1.0, 0.0]])[None, :]
    unseen = np.concatenate([1 - p, [0.0, 1.0]])[None, :]
    mean, deviation = p.sum(), math.sqrt((p * (1 - p)).sum())

    def phi(x):
        return 0.5 * (1 + math.erf((x - mean) / deviation / math.sqrt(2)))

    expected = [0.0] + [phi(s + 0.5) - phi(s - 0.5) for s in range(13)] + [0.0]
    np.testing.assert_allclose(poisson_binomial.normal_law(seen, unseen)[0], expected, atol=1e-12)
    exact = poisson_binomial.plain_law(seen, unseen)
    assert 1e-4 < np.abs(poisson_binomial.normal_law(seen, unseen) - exact).max() < 0.1


def test_eprum_by_the_normal_law(files, berrypick):
    """E[A_r/ML_r] of one rank is P(F >= r); with 12 targets of reach .5, by the normal law."""
    count = 12
    paths = files(
        truth_qrels="".join(f"1 0 x{i} 1\n" for i in range(count)),
        list_run="1 Q0 a 1 1 r\n",
        table_tsv="".join(f"a\tx{i}\t0.5\n" for i in range(count)),
    )
    given = ("evaluate", paths["truth_qrels"], paths["list_run"], "--navigation", paths["table_tsv"], "-o", "json")
    done = berrypick(*given, "-m", "EPRUM(r=6,law='normal') EPRUM(r=6) EPRUM(rank=1,law='normal')")
    normal, exact, at_rank = (row["value"] for row in json.loads(done.out))

    def phi(x):
        return 0.5 * (1 + math.erf((x - 6) / math.sqrt(3) / math.sqrt(2)))

    assert normal == pytest.approx(6 * (1 - phi(5.5)))
    assert exact == pytest.approx(6 * sum(math.comb(12, f) for f in range(6, 13)) / 2**12)
    tails = [1.0, *(1 - phi(f - 0.5) for f in range(1, 13)), 0.0]  # what lies above 12 1/2 counts as 12
    assert at_rank == pytest.approx(sum(f * (tails[f] - tails[f + 1]) for f in range(1, 13)))
    shown = berrypick("explain", *given[1:3], "--topic", "1", *given[3:5], "-m", "EPRUM(r=6,law='normal')").out
    assert f"{1 - phi(5.5):.6f}" in shown and f"{tails[6] - tails[7]:.4f}" in shown


def test_a_normal_tail_keeps_its_upper_end():
    """A hub that leads to each of 12 targets with .9: P(F >= 1) = 1, P(F >= 12) = 1 - Phi(.7/1.0392)."""
    hub = [[0.9] * 12]
    found = bp.eprum(hub, law="normal")
    assert found[[0, 11]] == pytest.approx([1.0, 3.003], abs=5e-4)
    assert np.all(np.diff(found / np.arange(1, 13)) <= 0)
    sure = bp.eprum([[0.9] * 12 + [1.0, 1.0, 0.0]], law="normal") / np.arange(1, 16)
    np.testing.assert_allclose(sure[:2], 1.0)
    np.testing.assert_allclose(sure[2:14], found / np.arange(1, 13))
    assert sure[14] == 0.0


def test_up_to_ten_the_two_laws_are_one():
    reach = Reach.of([[0.3] * 10, [0.4] * 10])
    np.testing.assert_allclose(
        poisson_binomial.normal_law(reach.seen, reach.unseen), poisson_binomial.plain_law(reach.seen, reach.unseen)
    )
    assert slow_twins.law([[0.3] * 3], 1)[0] == pytest.approx(0.343)
