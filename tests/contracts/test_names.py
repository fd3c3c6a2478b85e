"""Every name of ``bp.`` is documented: what it takes, what it returns, and an example that runs and uses it."""

from __future__ import annotations

import doctest
import inspect
import re
import warnings
from functools import cache, cached_property

import pytest
from many_cases import each

import berrypick as bp
from berrypick.evaluation.options import options

NAMES = [name for name in bp.__all__ if not name.startswith("_")]
FUNCTIONS = [name for name in NAMES if inspect.isfunction(getattr(bp, name))]
CLASSES = [name for name in NAMES if isinstance(getattr(bp, name), type)]
SECTIONS = ("Parameters", "Attributes", "Returns", "Examples")
#: Words that no docstring of a function begins with: it says what the function does.
NO_VERBS = {"a", "all", "an", "any", "as", "each", "every", "for", "from", "how", "in", "it", "one", "rows", "several",
            "some", "that", "the", "this", "what", "whatever", "where", "whether", "which", "who", "with"}  # fmt: skip


@cache
def sections(name: str) -> dict[str, str]:
    """The text under each heading, the first under ''."""
    parts = re.split(r"^(\w+)\n-{3,}\n", inspect.getdoc(getattr(bp, name)) or "", flags=re.MULTILINE)
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}


def entries(text: str) -> dict[str, str]:
    """``name : type`` and what is indented under it."""
    found = re.findall(r"^(\S[^:\n]*?)(?: : [^\n]+)?\n((?:    .*\n|\n(?=    ))+)", text + "\n", flags=re.MULTILINE)
    return {name.strip(): meaning.strip() for name, meaning in found}


def parameters(name: str) -> list[str]:
    """What a call takes; the options of an evaluation as ``**options``."""
    value = getattr(bp, name)
    try:
        found = inspect.signature(value).parameters.values()
    except ValueError:  # an exception that takes what Exception takes
        return ["*args"]
    shared = set()
    if inspect.isfunction(value) and hasattr(value, "__signature__"):
        code = value.__code__
        shared = {one.name for one in options()} - {*code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]}
    marks = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    names = [marks.get(one.kind, "") + one.name for one in found if one.name not in shared]
    return [*names, *(["**options"] if shared else [])]


def test_there_are_names_of_both_kinds():
    assert len(FUNCTIONS) > 35 and len(CLASSES) > 30 and {"evaluate", "Run", "fit", "Sweep"} <= {*FUNCTIONS, *CLASSES}


def test_names_are_written_once_and_completion_offers_them():
    """``__init__.pyi`` is the list for imports, type checkers and completion."""
    assert len(bp.__all__) == len({*bp.__all__}) and {*bp.__all__} <= {*dir(bp)}
    with pytest.raises(AttributeError):
        bp.ListSearch  # noqa: B018


@each("name", [*FUNCTIONS, *CLASSES])
def test_every_parameter_is_described(name):
    held = sections(name)
    expected = parameters(name)
    listed = entries(held.get("Parameters") or held.get("Attributes") or "")
    assert list(listed) == expected
    for parameter, meaning in listed.items():
        assert len(meaning) > 5 and meaning.endswith("."), f"{parameter} has a sentence"
    assert [heading for heading in held if heading and heading not in SECTIONS] == []


@each("name", FUNCTIONS)
def test_functions_say_what_they_do_and_return(name):
    held = sections(name)
    first = held[""].split("\n")[0]
    assert first.split()[0].lower().strip(",:") not in NO_VERBS and first[0].isupper() and first.endswith(".")
    assert entries(held["Returns"]), "what is returned, and under it what that is"


@pytest.mark.slow
@each("name", [*FUNCTIONS, *CLASSES])
def test_every_name_has_an_example_that_runs_and_uses_it(name):
    example = sections(name)["Examples"]
    code = "\n".join(re.findall(r"^(?:>>>|\.\.\.) ?(.*)$", example, flags=re.MULTILINE))
    assert re.search(rf"\bbp\.{name}\b", code), "the example uses the name"
    if inspect.isfunction(getattr(bp, name)):
        assert re.search(rf"@?\bbp\.{name}\b(\(|\n)", code), "the example calls the name"
    test = doctest.DocTestParser().get_doctest(example, {}, name, name, 0)
    told = []
    with warnings.catch_warnings():
        warnings.simplefilter("error", ResourceWarning)
        doctest.DocTestRunner().run(test, out=told.append)
    assert not told, "".join(told)


@each("name", CLASSES)
def test_public_methods_of_classes_are_described(name):
    value = getattr(bp, name)
    for owner in value.__mro__:
        if owner.__module__.startswith("berrypick."):
            for key, member in vars(owner).items():
                is_value = isinstance(member, property | cached_property)
                if key.startswith("_") or not (is_value or inspect.isroutine(member)):
                    continue
                text = inspect.getdoc(member if is_value else getattr(value, key))
                assert text, f"{owner.__name__}.{key}"
                if not is_value:
                    assert text.split()[0].lower().strip("`,:") not in NO_VERBS, f"{owner.__name__}.{key}: {text}"


def test_signatures_are_readable():
    """Nothing in them depends on the machine or goes on for lines; the options of an evaluation have their own test."""
    for name in FUNCTIONS:
        found = inspect.signature(getattr(bp, name))
        shared = {one.name for one in options()}
        for parameter in found.parameters.values():
            assert " at 0x" not in str(parameter), f"{name}: {parameter}"
            assert parameter.name in shared or len(str(parameter)) < 120, f"{name}: {parameter}"


@pytest.mark.parametrize("name", ["evaluate", "compare", "stability", "power", "simulate", "sweep", "judge", "score"])
def test_truth_and_runs_are_typed_as_what_they_take(name):
    found = inspect.signature(getattr(bp, name)).parameters
    assert "TruthLike" in found["truth"].annotation
    runs = found.get("runs") or found["run"]
    assert name == "sweep" or re.search(r"Runs?Like", runs.annotation)
