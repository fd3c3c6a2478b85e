"""A passage that stands twice in a list."""

from __future__ import annotations

import handmade
import pytest
from two_spans import value


def test_passage_ap_counts_a_copy_as_one_more_good_result():
    """Of 40 characters 10 are relevant, with the copy 20 of 50: a mean of .325 in the place of .25."""
    truth = handmade.span_truth({"1": [("d", 0, 10)]})
    copied = value([("e", 0, 30), ("d", 0, 10), ("d", 0, 10)], "PassageAP", truth)
    assert copied == pytest.approx((10 / 40 + 20 / 50) / 2)
    assert copied > value([("e", 0, 30), ("d", 0, 10)], "PassageAP", truth)
