"""Options of the wrong kind end in an error of berrypick that names the option."""

import pytest

import berrypick as bp
from berrypick.evaluation.options import options

WRONG = [5, 1.5, "x", [], {}, {"a": 1}, object(), b"x", float("nan"), True, ("a",), -1, {1: "x"}, [1], {"a": -1}]


@pytest.mark.parametrize("option", [option.name for option in options()])
def test_no_value_of_an_option_ends_in_an_error_of_python(option):
    refused = 0
    for value in WRONG:
        try:
            bp.evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, "EPRUM", **{option: value})
        except bp.BerrypickError:
            refused += 1
    assert refused


@pytest.mark.parametrize("units", [0, 1.5, float("nan"), True, "many", 10**30, float("inf")])
def test_units_are_a_whole_number(units):
    with pytest.raises(bp.UsageError, match="units must be"):
        bp.evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, "PRUM", units=units)
    with pytest.raises(bp.UsageError, match="units must be"):
        bp.prum([[0.5, 1]], units=units or -1)


@pytest.mark.parametrize("share", [5.0, -0.1, float("nan"), "x", None])
def test_shares_of_users_are_checked_in_dictionaries_as_in_texts(share):
    with pytest.raises(bp.UsageError, match="idealism="):
        bp.evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, "EPRUM", idealism={1: share})
    same = [bp.evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, "EPRUM", idealism=i).topic_rows for i in ({1: 0.5}, "1=.5")]
    assert same[0] == same[1]


def test_lengths_may_be_a_dictionary():
    truth = [{"topic": "1", "doc": "a", "start": 0, "end": 4}]
    run = [{"topic": "1", "doc": "a", "start": 2, "end": 9, "score": 1.0}]
    found = bp.evaluate(truth, run, "charP", collection={"a": 8})
    assert [note.text for note in found.notes if "ends after the document" in note.text]
    for bad in ({"a": -1}, {"a": float("nan")}, {"a": "10"}):
        with pytest.raises(bp.UsageError, match="collection=: the length of 'a'"):
            bp.evaluate(truth, run, "charP", collection=bad)
