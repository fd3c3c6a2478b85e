"""A passage that stands twice in a list."""

from __future__ import annotations

import pytest
import worlds
from hypothesis import strategies as st

import berrypick as bp

TRUTH = worlds.span_truth({"1": [("d", 100, 200), ("d", 300, 340, 2)]})


LENGTHS = worlds.lengths(d=1000, e=1000)


def values(run, measures, truth=TRUTH, **options):
    options = {"collection": LENGTHS, **options}
    return bp.evaluate(truth, run, measures, **options).mean()["run"]


def value(spans, measure, truth=TRUTH, **options):
    return values(worlds.span_run({"1": spans}), measure, truth, **options)[measure.replace(" ", "")]


spans = st.tuples(st.sampled_from(["d", "e"]), st.integers(0, 60), st.integers(1, 25)).map(
    lambda s: (s[0], s[1], s[1] + s[2])
)


def test_passage_ap_counts_a_copy_as_one_more_good_result():
    """Of 40 characters 10 are relevant, with the copy 20 of 50: a mean of .325 in the place of .25."""
    truth = worlds.span_truth({"1": [("d", 0, 10)]})
    copied = value([("e", 0, 30), ("d", 0, 10), ("d", 0, 10)], "PassageAP", truth)
    assert copied == pytest.approx((10 / 40 + 20 / 50) / 2)
    assert copied > value([("e", 0, 30), ("d", 0, 10)], "PassageAP", truth)
