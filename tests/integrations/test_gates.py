"""Gates and evaluators where spans are judged."""

import pytest
from whole_documents import INSTEAD, RUN, TRUTH, WHOLE, quiet

import berrypick as bp
from berrypick.integrations.topic_lists import ListEvaluator
from berrypick.pytest import assert_retrieval


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
