"""charP where nothing was retrieved: 0, or what empty= says."""

import pytest

import berrypick as bp

TRUTH = [{"topic": "1", "doc": "a", "start": 0, "end": 4}, {"topic": "2", "doc": "a", "start": 4, "end": 8}]
RUN = [{"topic": "1", "doc": "a", "start": 2, "end": 6}, {"topic": "2", "results": []}]


@pytest.mark.parametrize(("measure", "value"), [("charP", 0.0), ("charP(empty=1)", 1.0), ("charP(empty=0.5)@3", 0.5)])
def test_an_empty_list(measure, value):
    results = bp.evaluate(TRUTH, RUN, measure)
    assert results.per_topic()["run"][measure] == {"1": 0.5, "2": value}
    missing = bp.evaluate(TRUTH, RUN[:1], measure)
    assert missing.per_topic()["run"][measure] == {"1": 0.5, "2": value}, "as an empty list"


def test_it_is_a_precision():
    with pytest.raises(bp.UsageError, match="a precision from 0 to 1, not 2"):
        bp.evaluate(TRUTH, RUN, "charP(empty=2)")


def test_the_signature_says_so():
    assert "empty:1" in str(bp.evaluate(TRUTH, RUN, "charP(empty=1)").mean_rows[0].signature)
