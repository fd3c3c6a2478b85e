"""What a measure of trust does not understand is refused by one message."""

import pytest

import berrypick as bp

TRUTH, RUN = {"1": {"a": 1}, "2": {"b": 1}}, {"1": {"a": 1.0}, "2": {"c": 1.0}}
CALLS = {
    "detect": lambda value: bp.power(TRUTH, [RUN, RUN], "AP", detect=value),
    "power": lambda value: bp.power(TRUTH, [RUN, RUN], "AP", power=value),
    "splits": lambda value: bp.stability(TRUTH, [RUN, RUN], "AP", splits=value),
    "correlate": bp.correlate,
}


@pytest.mark.parametrize("what", CALLS)
def test_values_of_wrong_types(what):
    for value in (-1, object()):
        with pytest.raises(bp.UsageError):
            CALLS[what](value)


def test_a_difference_too_large_for_a_float():
    with pytest.raises(bp.BerrypickError, match="takes a difference above 0") as raised:
        bp.power(TRUTH, {"x": RUN, "y": RUN}, "AP", detect=10**400)
    assert len(str(raised.value)) < 500
