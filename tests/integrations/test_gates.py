"""Gates and evaluators where spans are judged."""

import warnings

import pytest

import berrypick as bp
from berrypick.addons.integrations.topic_lists import ListEvaluator
from berrypick.pytest import assert_retrieval

#: The one result lies in the right document, and never touches the answer.
TRUTH = {"q": {"d#100-200": 1}}


RUN = {"q": {"d#900-950": 1.0}}


#: A measure of whole documents, and the one that sees where results lie.
INSTEAD = [
    ("MRR", "spanRR"),
    ("nDCG@10", "spanNDCG@10"),
    ("R@5", "charR@5"),
    ("AP", "spanAP"),
    ("P@5", "charP@5"),
    ("Success@1", "spanHit@1"),
    ("ERR@5", "spanRR@5"),
    ("IPrec@0.1", "charR"),
    ("SetAP", "charR"),
]


WHOLE = "counts whole documents, each at its best rank and relevant if any text in it is"


def quiet(call):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return call()


@pytest.mark.parametrize(("typed", "spans"), INSTEAD)
def test_gates_and_evaluators_refuse(typed, spans):
    compared = bp.compare(TRUTH, {"one": RUN, "two": RUN}, f"{typed} charR@5")
    for gate in (
        lambda: compared.unmet(under={typed: 0.5}),
        lambda: compared.unmet(over={typed: 0.5}),
        lambda: compared.unmet(worse_than="one"),
        lambda: assert_retrieval(TRUTH, RUN, f"{typed} >= 0.5"),
        lambda: ListEvaluator(typed, {}).one({"d#100-200": 1}, {"d#900-950": 1.0}),
    ):
        with pytest.raises(bp.UsageError, match=f"{WHOLE}; {spans} counts spans"):
            quiet(gate)
    assert compared.unmet(under={"charR@5": 0.0}) == [], "what is only shown is not refused"
