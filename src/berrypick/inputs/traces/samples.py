"""Samples of ragas, DeepEval and promptfoo, and lines of what clients returned: questions with what was retrieved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from berrypick.data.errors import InputError
from berrypick.inputs.column_tables import costs_in
from berrypick.inputs.stores.chains import retrieved_in
from berrypick.inputs.stores.responses import answer_in
from berrypick.inputs.traces.retrieval import Retrieval
from berrypick.inputs.traces.words_of import question_in, results_in, topic_in
from berrypick.rows.fields import LISTS, LISTS_OF_TEXTS, QUESTIONS, TABLE, plain_name

#: Texts that were retrieved, as ragas and DeepEval call them; ``contexts`` before that.
_RETRIEVED = ("retrieved_contexts", "retrieval_context", "contexts")
#: Lists around samples.
_AROUND = ("samples", "test_cases", "testCases", "results", "outputs", "rows", "data")
#: Where promptfoo keeps what a provider says beside its answer.
_OF_PROVIDERS = ("metadata", "output", "raw")
#: Under which a line has a response beside its topic.
_RESPONSES = ("response", "responses", "result", "output", "outputs")
_DEEPEST = 8


def samples_in(value: Any, line: int = 1, depth: int = 0) -> Iterator[Retrieval] | None:
    """The samples in a value; None if it holds none."""
    if depth > _DEEPEST:
        return None
    if isinstance(value, list):
        return _all(value, line, depth) if value else None
    if not isinstance(value, Mapping):
        return None
    plain = {plain_name(str(name)): one for name, one in value.items()}
    if isinstance(value.get("vars"), Mapping):
        return iter([_promptfoo(value, line)])
    held = next((plain[name] for name in _RETRIEVED if isinstance(plain.get(name), list)), None)
    if held is not None and any(name in plain for name in QUESTIONS[:-1]):
        extra = (value, plain.get("additional_metadata"), plain.get("metadata"))
        return iter([_retrieval(topic_in(*extra), question_in(value), held, line, value)])
    around = next((value[name] for name in _AROUND if isinstance(value.get(name), (list, Mapping))), None)
    return None if around is None else samples_in(around, line, depth + 1)


def _all(values: list[Any], line: int, depth: int) -> Iterator[Retrieval] | None:
    found = [samples_in(one, line, depth + 1) for one in values]
    return None if None in found else (one for some in found if some is not None for one in some)


def _promptfoo(result: Mapping[str, Any], line: int) -> Retrieval:
    """What was retrieved stands in the response's metadata or output, or was given as a variable."""
    variables, response = result["vars"], result.get("response")
    found = None
    for name in _OF_PROVIDERS:
        if isinstance(response, Mapping) and found is None:
            found = results_in(response.get(name))
    if found is None:
        found = next(
            (_texts(variables[name]) for name in ("context", "contexts", "documents") if name in variables), None
        )
    failed = _has_failed(result)
    if found is None and not failed:
        raise InputError(
            f"a result of promptfoo has no retrieved context for {str(dict(variables))[:60]}",
            remedy="let the provider return it in metadata.context, or give it as the variable context",
        )
    tests = result.get("testCase") if isinstance(result.get("testCase"), Mapping) else {}
    assert isinstance(tests, Mapping)
    provider = result.get("provider")
    kind = provider.get("label") or provider.get("id") if isinstance(provider, Mapping) else provider
    topic = topic_in(variables, tests.get("metadata"), result.get("metadata"))
    made = _retrieval(topic, question_in(variables), found, line, variables)
    place = result.get("promptIdx")
    prompt = f"prompt {place + 1}" if type(place) is int else ""
    return replace(made, kind=str(kind or ""), prompt=prompt, failed=failed)


def _has_failed(result: Mapping[str, Any]) -> bool:
    """Whether the provider failed. A failed assertion is an error of the result too, but not of the retrieval."""
    response = result.get("response")
    said = response if isinstance(response, Mapping) else {}
    silent = said.get("output") is None
    return bool(said.get("error")) or result.get("failureReason") == 2 or bool(silent and result.get("error"))


def _texts(value: Any) -> Any:
    found = results_in(value)
    return [value] if found is None and isinstance(value, str) else found


def response_in(value: Mapping[str, Any], line: int = 1) -> Retrieval | None:
    """What a client or a chain returned, in a line with its topic or question; None if it is nothing of the kind."""
    topic, question = topic_in(value), next(
        (one for name in QUESTIONS[:-1] if isinstance(one := value.get(name), str) and one), ""
    )  # fmt: skip
    if not topic and not question:
        return None
    own = {name: one for name, one in value.items() if plain_name(str(name)) not in TABLE["run"]["topic"].usual}
    try:
        if retrieved_in(own) is not None or answer_in(own) is not None:
            return _retrieval(topic, question, own, line, value)
    except InputError:
        return _retrieval(topic, question, own, line, value)
    held = [name for name in _RESPONSES if isinstance(value.get(name), (Mapping, list))]
    return _retrieval(topic, question, value[held[0]], line, value) if held else None


def _retrieval(topic: str, question: str, found: Any, line: int, value: Mapping[str, Any]) -> Retrieval:
    """A retrieval, with the id of its entry where only the question names the topic."""
    own = value.get("id") if not topic and question else None
    named = isinstance(own, (str, int)) and not isinstance(own, bool)
    costs = costs_in(value, f"line {line}")
    return Retrieval(topic, question, found, line, own_id=str(own) if named else "", costs=costs)


def listed_in(value: Mapping[str, Any], line: int = 1) -> Retrieval | None:
    """The list of results in a line with its topic or question, under any name of such lists; None if it has none."""
    topic, question = topic_in(value), question_in({name: value[name] for name in QUESTIONS[:-1] if name in value})
    lists = (*LISTS["run"], *LISTS_OF_TEXTS)
    held = [name for name, one in value.items() if plain_name(name) in lists and isinstance(one, list)]
    return _retrieval(topic, question, value[held[0]], line, value) if held and (topic or question) else None
