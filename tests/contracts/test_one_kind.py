"""One kind of measure: nothing outside measures/ asks which class a measure is, or reads its attributes by name."""

import ast

import pytest
from parsed_files import parsed
from test_layers import ROOT, module_of

import berrypick
from berrypick.measures import Measure, registered

#: Where the classes of measures are at home.
ROOM = "berrypick.measures"
FILES = [path for path in sorted(ROOT.rglob("*.py")) if not module_of(path).startswith(ROOM)]


def kinds(cls: type = Measure) -> set[str]:
    """The names of all classes of measures of this package, but for the one that all are."""
    found = set()
    for one in cls.__subclasses__():
        found |= ({one.__name__} if one.__module__.startswith(ROOM) else set()) | kinds(one)
    return found


def of_measures(tree: ast.AST) -> set[str]:
    """The names that a file imports from the room of measures."""
    found = [one for one in ast.walk(tree) if isinstance(one, ast.ImportFrom) and (one.module or "").startswith(ROOM)]
    return {alias.asname or alias.name for one in found for alias in one.names}


def last(node: ast.AST) -> str:
    """The last part of a dotted name."""
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def problems(tree: ast.AST, classes: set[str]) -> list[str]:
    found = []
    kinds = of_measures(tree) & classes
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr == "__name__" and "type(one.measure)" in ast.unparse(node):
            found.append(f"line {node.lineno}: the class name of a measure; facts are declared by Measure")
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
            continue
        name, given = node.func.id, node.args
        named = {last(one) for one in ast.walk(given[1])} if len(given) > 1 else set()
        if name in ("isinstance", "issubclass") and (named & kinds or (last(given[0]) == "measure" and named - {""})):
            found.append(f"line {node.lineno}: {name} over kinds of measures; facts are declared by Measure")
        if name in ("getattr", "hasattr") and last(given[0]) == "measure" and isinstance(given[1], ast.Constant):
            found.append(f"line {node.lineno}: {name} on a measure; facts are declared by Measure")
    return found


@pytest.fixture(scope="module")
def classes():
    registered()
    return kinds()


def test_classes_are_found(classes):
    assert {"RankedMeasure", "DocumentMeasure", "TextMeasure", "SpanMeasure", "EPRUM"} <= classes


@pytest.mark.parametrize(
    "bad",
    [
        "isinstance(one.measure, Measure)",
        "from berrypick.measures.documents._ranked import RankedMeasure\nisinstance(x, (str, RankedMeasure))",
        "from berrypick.measures import EPRUM\nissubclass(cls, EPRUM)",
        "getattr(one.measure, 'quant', None)",
        "hasattr(measure, 'unit')",
        "type(one.measure).__name__ == 'EPRUM'",
    ],
)
def test_what_is_looked_for_is_found(classes, bad):
    assert problems(ast.parse(bad), classes)
    assert not problems(ast.parse("isinstance(given, (str, Measure))"), classes)


@pytest.mark.slow
def test_nothing_outside_tells_measures_apart(classes):
    found = [f"{path.relative_to(ROOT)} {one}" for path in FILES for one in problems(parsed(path), classes)]
    assert not found, "\n".join(found)


def test_measures_of_others_have_every_fact(classes):
    """What is a fact of all measures is one of those that ir_measures computes."""
    theirs = berrypick.Evaluation.prepare({"q": {"a": 1}}, {"q": {"a": 1}}, ["infAP", "NumRet", "nDCG@10"]).measures
    for one in theirs:
        assert issubclass(type(one.measure), Measure)
        assert (
            one.measure.signature_head() == one.measure.canonical() == str(one.measure)
            or one.measure.computed_by == "berrypick"
        )
    assert [one.measure.summed for one in theirs] == [False, True, False]
    assert [one.measure.computed_by for one in theirs] == ["ir_measures", "ir_measures", "berrypick"]
