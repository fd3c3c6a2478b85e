"""Segments that count all that is read need every length."""

from __future__ import annotations

import pytest

import berrypick as bp
from berrypick.data.collection import Collection


@pytest.mark.parametrize("measure", ["APbin", "AiSP"])
def test_what_counts_all_that_is_read_needs_every_length(measure):
    truth, run = {"1": {"d": 1}}, {"1": {"d": 2.0, "x": 1.0}}
    with pytest.raises(bp.UsageError, match=f"{measure} needs the length of document x.*collection=.*documents="):
        bp.evaluate(truth, run, measure, collection=Collection({"d": 100.0}))
    whole = Collection({"d": 100.0, "x": 50.0})
    assert bp.evaluate(truth, run, measure, collection=whole).mean_rows[0].value >= 0


def test_the_nearest_name_is_offered():
    with pytest.raises(bp.UsageError, match=r"unknown measure SegQ; did you mean .*\bSegP\b"):
        bp.measures.parse_measure("SegQ")
