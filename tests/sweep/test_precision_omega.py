"""PrecisionOmega, of all chunks there are."""

import pytest
import worlds
from two_spans import value, values

import berrypick as bp


def test_precision_omega_by_hand():
    truth = worlds.span_truth({"1": [("d", 100, 150)]})
    chunks = worlds.span_run({"any": [("d", 0, 100), ("d", 100, 200), ("d", 200, 300), ("e", 100, 200)]})
    found = values(
        worlds.span_run({"1": [("e", 0, 1)]}), "PrecisionOmega PrecisionOmega(touching=True)", truth, chunks=chunks
    )
    assert found == {"PrecisionOmega": 0.5, "PrecisionOmega(touching=True)": 0.25}  # [0,100) only touches the target
    with pytest.raises(bp.UsageError, match="chunks="):
        value([("d", 0, 1)], "PrecisionOmega", truth)
