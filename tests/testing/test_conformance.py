"""Conformance vectors are right, and the command says who agrees."""

from __future__ import annotations

import json
import math
import re
from importlib.util import find_spec
from pathlib import Path

import pytest
from exact_measures import exact
from many_cases import each

import berrypick as bp
from berrypick.cli import main
from berrypick.testing.conformance import tools
from berrypick.testing.conformance.vectors import PATH, Case, cases

FILE = json.loads(PATH.read_text(encoding="utf-8"))
VALUES = [(case, measure) for case in cases() for measure in case.expected]
NAMED = [
    (case, measure, name) for case in cases() for measure, named in case.conventions.items() for name in named
]  # fmt: skip


def close(value: object, other: float | None) -> bool:
    if value is None or other is None:
        return value is other
    return math.isclose(float(value), other, rel_tol=1e-12, abs_tol=1e-12)  # type: ignore[arg-type]


def said(*parts: object) -> str:
    return " ".join(part.id if isinstance(part, Case) else str(part) for part in parts)


@each(("case", "measure"), VALUES, ids=said)
def test_an_expected_value_is_what_a_second_implementation_computes(case, measure):
    assert close(exact(measure, case.truth, case.run), case.expected[measure])


@each(("case", "measure"), VALUES, ids=said)
def test_an_expected_value_is_what_was_worked_out_by_hand(case, measure):
    working = case.working[measure]
    assert close(None if working is None else eval(working, {"log2": math.log2}), case.expected[measure])


@each(("case", "measure", "name"), NAMED, ids=said)
def test_the_value_of_a_convention_is_what_a_second_implementation_computes(case, measure, name):
    assert close(exact(measure, case.truth, case.run, name), case.conventions[measure][name])


@each(("case", "measure"), VALUES, ids=said)
def test_berrypick_computes_the_expected_value(case, measure):
    assert close(tools.TOOLS["berrypick"].value(case, measure), case.expected[measure])


def test_cases_are_complete():
    assert FILE["version"] == 1 and set(FILE) == {"version", "about", "conventions", "cases"}
    assert len({case.id for case in cases()}) == len(cases())
    for case in cases():
        assert case.rule.endswith(".") and re.search(r"\(\d{4}\)|trec_eval", case.source), case.id
        assert list(case.working) == list(case.expected) and case.conventions.keys() <= case.expected.keys()
        for measure, named in case.conventions.items():
            assert sum(close(value, case.expected[measure]) for value in named.values()) >= 1, (case.id, measure)
            assert len(named) > 1
    used = {name for _, _, name in NAMED}
    assert used == FILE["conventions"].keys()
    assert all(one["meaning"] and one["source"] for one in FILE["conventions"].values())


def test_a_program_of_ones_own_is_compared():
    found = bp.conformance(values={"mine": {"ties": {"RR": 1.0, "P@1": 0}, "nothing-relevant": {"AP": None}}})
    assert [(row.case, row.measure, row.agrees, row.convention) for row in found.comparisons] == [
        ("ties", "RR", False, "order-of-list"),
        ("ties", "P@1", True, "name-descending or name-ascending"),
        ("nothing-relevant", "AP", True, "undefined"),
    ]
    assert found.not_offered == {"mine": len(VALUES) - 3}
    own = bp.conformance(values={"exact": exact})
    assert own.disagreements() == [] and own.not_offered == {"exact": 0}
    for wrong, said in (({"tie": {}}, "unknown case 'tie'.*ties"), ({"ties": {"AP@3": 1}}, "no measure 'AP@3'")):
        with pytest.raises(bp.UsageError, match=said):
            bp.conformance(values={"mine": wrong})


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as end:
        main(["conformance", *arguments])
    return int(end.value.code or 0)


def test_rows_of_the_command(capsys):
    assert run("--tool", "berrypick", "-o", "json") == 0
    rows = json.loads(capsys.readouterr().out)
    assert len(rows) == len(VALUES)
    keys = ["tool", "version", "case", "measure", "expected", "value", "agrees", "convention", "error"]
    assert all(list(row) == keys and row["agrees"] is True for row in rows)
    empty = next(row for row in rows if row["case"] == "nothing-relevant")
    assert empty["expected"] is None and empty["value"] is None and empty["convention"] == "undefined"


def test_exit_code_1_is_for_berrypick_alone(monkeypatch, capsys):
    def wrong(case, measure):
        if case.id == "empty-list":
            raise ValueError("two\nlines")
        if not case.of_documents:
            raise tools.NotOfferedError
        return 0.123

    peer = tools.Tool("ranx", "berrypick", "berrypick", wrong)
    monkeypatch.setitem(tools.TOOLS, "ranx", peer)
    assert run("--tool", "ranx", "-o", "table") == 0
    shown = capsys.readouterr().out
    assert re.search(r"ranx +\S+ +(\d+) +0 +0 +\d+ +6 +\d+\n", shown) and "error: ValueError: two lines" in shown
    monkeypatch.setitem(tools.TOOLS, "berrypick", tools.Tool("berrypick", "berrypick", "berrypick", wrong))
    assert run("--tool", "berrypick") == 1
    assert "not met: ties: RR is not as expected" in capsys.readouterr().err


def test_unknown_and_missing_tools(monkeypatch, capsys):
    assert run("--tool", "rank") == 2
    assert "unknown tool 'rank'" in capsys.readouterr().err
    absent = tools.Tool("ranx", "ranx", "no_such_library", lambda case, measure: 0.0)
    monkeypatch.setitem(tools.TOOLS, "ranx", absent)
    assert run("--tool", "ranx") == 2
    assert "pip install ranx" in capsys.readouterr().err
    for name in set(tools.TOOLS) - {"ranx", "berrypick"}:
        monkeypatch.delitem(tools.TOOLS, name)
    assert run() == 0
    assert "note: ranx is not installed, skipped: pip install ranx" in capsys.readouterr().err


def test_vectors_are_copied_and_values_read(tmp_path: Path, capsys):
    target, values = tmp_path / "vectors.json", tmp_path / "mine.json"
    assert run("--copy", str(target)) == 0
    assert target.read_bytes() == PATH.read_bytes()
    values.write_text('{"short-list": {"P@5": 1}}')
    assert run("--values", str(values), "-o", "json") == 0
    assert [(row["tool"], row["convention"]) for row in json.loads(capsys.readouterr().out)] == [
        ("mine", "of-retrieved")
    ]
    for content in ("[", "[]", '{"ties": 1}', '{"ties": {"RR": "1"}}', '{"ties": {"RR": true}}'):
        values.write_text(content)
        assert run("--values", str(values)) == 2
        assert "mine.json" in capsys.readouterr().err


#: Values that a library is known to compute as expected, in any version that we have seen.
SURE = {
    "ir_measures": {("plain", "AP"), ("ties", "RR"), ("short-list", "P@5"), ("grades", "nDCG"), ("unjudged", "Bpref")},
    "pytrec_eval": {("plain", "AP"), ("ties", "RR"), ("short-list", "P@5"), ("grades", "AP(rel=2)")},
    "ranx": {("plain", "AP"), ("short-list", "P@5"), ("set-of-results", "SetF")},
    "haystack": {("plain", "AP"), ("plain", "RR"), ("which-recall", "R@3"), ("which-recall", "Success@3")},
    "llama_index": {("plain", "AP"), ("plain", "RR"), ("which-recall", "R@3"), ("plain", "nDCG")},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SURE)
def test_adapters_ask_the_right_question(name):
    """A mistake of an adapter must not look like one of the library."""
    tool = tools.TOOLS[name]
    if find_spec(tool.module) is None:
        pytest.skip(f"{name} is not installed")
    known = {case.id: case for case in cases()}
    for case, measure in SURE[name]:
        assert close(round(tool.value(known[case], measure), 9), round(known[case].expected[measure], 9)), (
            case,
            measure,
        )
