"""An assertion for promptfoo. A file of your own beside promptfooconfig.yaml holds one line::

    from berrypick.promptfoo import get_assert

and a test says what must hold, and where the documents are::

    assert:
      - type: python
        value: file://berrypick_assert.py
        config: {conditions: ["charR@5 >= 0.8"], documents: docs}

What was retrieved is the provider's ``metadata.context`` (or documents in it, or in its output), else the variable
``context``; what is relevant the variable ``relevant`` or ``reference_contexts``: texts, or objects with doc, start and
end. Other options of the configuration are those of ``berrypick.evaluate``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from berrypick.data.errors import UsageError
from berrypick.inputs.traces.words_of import results_in
from berrypick.integrations.pytest import Condition
from berrypick.integrations.topic_lists import ListEvaluator

__all__ = ["get_assert"]

#: Variables that hold the relevant text.
_RELEVANT = ("relevant", "reference_contexts", "expected_contexts")


def get_assert(output: Any, context: Mapping[str, Any]) -> dict[str, Any]:
    """What promptfoo asks of an assertion in Python: whether it passes, a score and the reason."""
    options = dict(context.get("config") or {})
    conditions = options.pop("conditions", None)
    if not conditions:
        raise UsageError('the configuration has no conditions, as in conditions: ["charR@5 >= 0.8"]')
    wanted = [Condition.parse(text) for text in ([conditions] if isinstance(conditions, str) else conditions)]
    variables = context.get("vars") or {}
    name = next((one for one in _RELEVANT if variables.get(one)), None)
    if name is None:
        raise UsageError(f"no variable says what is relevant: expected {', '.join(_RELEVANT)}")
    evaluate = ListEvaluator(list(dict.fromkeys(one.measure for one in wanted)), options)
    relevant = variables[name]
    found = evaluate.one([relevant] if isinstance(relevant, str) else relevant, _retrieved(output, context))
    unmet = [one.reason("this test", found[one.measure]) for one in wanted if not one.met(found[one.measure])]
    known = [value for value in found.values() if value is not None]
    return {
        "pass": not unmet,
        "score": sum(known) / len(known) if known else 0.0,
        "reason": "; ".join(unmet) or ", ".join(f"{name} is {value:.4f}" for name, value in found.items()),
        "namedScores": {name: value for name, value in found.items() if value is not None},
    }


def _retrieved(output: Any, context: Mapping[str, Any]) -> Any:
    response = context.get("providerResponse") or {}
    variables = context.get("vars") or {}
    for given in (response.get("metadata"), output, response.get("output"), variables.get("context")):
        if not isinstance(given, str) and (found := results_in(given)) is not None:
            return found
    if isinstance(variables.get("context"), str):
        return [variables["context"]]
    raise UsageError("nothing was retrieved: let the provider return metadata.context, or give the variable context")
