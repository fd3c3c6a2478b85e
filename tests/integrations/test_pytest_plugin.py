"""The plugin for pytest: conditions, what a failure shows, the fixture."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import pytest

import berrypick as bp
from berrypick.cli import main
from berrypick.pytest import assert_retrieval

pytest_plugins = ["pytester"]

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
TRUTH, SMALL, LARGE = (str(EXAMPLES / f"{name}.jsonl") for name in ("handbook", "small", "large"))
#: One topic has half of its text at rank 1, the other has none.
JUDGED = {"good": {"d#0-100": 1}, "bad": {"d#200-300": 1}}
FOUND = {"good": {"d#0-50": 1.0}, "bad": {"d#500-600": 1.0}}


def test_conditions_that_are_met_return_the_results():
    found = assert_retrieval(TRUTH, LARGE, "charR@3 >= 0.8", "Overlap@3<=0.2", "charR@3 < 1")
    assert found.mean() == bp.evaluate(TRUTH, LARGE, "charR@3 Overlap@3").mean()


@pytest.mark.parametrize(
    ("condition", "met"),
    [
        ("charR >= .25", True),
        ("charR<=0.25", True),
        ("charR > 0.25", False),
        ("charR < 0.25", False),
        ("charR > 0.2499", True),
        ("charR >= 0.2500000000001", True),  # as near as rounding
        ("charR >= 0.26", False),
        ("charR <= 0.24", False),
        ("charR >= inf", False),
        ("charR >= -1e-3", True),
    ],
)
def test_each_sign(condition, met):
    if met:
        assert_retrieval(JUDGED, FOUND, condition)
    else:
        with pytest.raises(AssertionError, match=re.escape("charR is 0.25")):
            assert_retrieval(JUDGED, FOUND, condition)


@pytest.mark.parametrize("text", ["charR", "charR >=", ">= 0.5", "charR >= high", "charR >= nan", "charR = 1", "", 3])
def test_wrong_conditions(text):
    with pytest.raises(bp.UsageError, match=r"as in 'charR@5 >= 0.8'"):
        assert_retrieval(JUDGED, FOUND, text)


def test_no_condition_is_no_test():
    with pytest.raises(bp.UsageError, match="takes conditions"):
        assert_retrieval(JUDGED, FOUND)


def test_undefined_means_meet_nothing():
    truth = {"q": None}
    assert bp.score("charR", truth, {"q": {"d#0-10": 1.0}}) is None
    for condition in ("charR >= 0", "charR <= 1"):
        with pytest.raises(AssertionError, match="charR is undefined, no topic has a value; it must be"):
            assert_retrieval(truth, {"q": {"d#0-10": 1.0}}, condition)


def test_a_failure_has_reasons_table_and_worst_topics():
    with pytest.raises(AssertionError) as failed:
        assert_retrieval(JUDGED, FOUND, "charR >= 0.8", "charP <= 0.1", user="classical")
    text = str(failed.value)
    run = bp.evaluate(JUDGED, FOUND, "charR").runs[0]
    assert text.startswith(f"{run}: charR is 0.2500, must be >= 0.8\n{run}: charP is 0.5000, must be <= 0.1\n")
    assert str(bp.evaluate(JUDGED, FOUND, "charR charP")) in text
    worst = text.partition("charR, the worst of 2 topics\n")[2].splitlines()
    assert [line.split() for line in worst[:3:2]] == [["bad", "0.0000"], ["good", "0.5000"]]
    assert [line.strip() for line in worst[1:4:2]] == ["expected d#200-300", "expected d#0-100"]
    assert worst[4].strip() == "berrypick.explain(truth, run, measure='charR', topic='bad', user='classical')"
    wordy = text.partition("charP, the worst of 2 topics\n")[2].splitlines()
    assert wordy[0].split() == ["good", "1.0000"]  # above the limit is worse


def test_the_python_call_of_a_failure_works():
    with pytest.raises(AssertionError) as failed:
        assert_retrieval(JUDGED, FOUND, "charR >= 0.8")
    call = re.search(r"berrypick\.explain\(.+\)", str(failed.value))
    assert call is not None
    assert "charR for topic bad" in str(eval(call[0], {"berrypick": bp, "truth": JUDGED, "run": FOUND}))


@pytest.mark.parametrize("truth", [TRUTH, Path(TRUTH), bp.read_truth(TRUTH)], ids=["text", "path", "value"])
def test_the_command_of_a_failure_works(truth, capsys):
    with pytest.raises(AssertionError) as failed:
        assert_retrieval(truth, SMALL, "charR@3 >= 0.8", user="classical", topics="judged", by={"refund": "shop"})
    command = re.search(r"berrypick (explain .+)", str(failed.value))
    assert command is not None and "--user classical --topics judged" in command[1]
    with pytest.raises(SystemExit) as stopped:
        main(shlex.split(command[1]))
    assert not stopped.value.code
    assert re.search(r"^charR@3 +0$", capsys.readouterr().out, flags=re.MULTILINE)


def test_several_runs_must_all_meet_the_conditions():
    with pytest.raises(AssertionError) as failed:
        assert_retrieval(TRUTH, [SMALL, LARGE], "charR@3 >= 0.8")
    assert "small: charR@3 is 0.5909" in str(failed.value) and "large: charR@3 is" not in str(failed.value)


def run_pytest(pytester: pytest.Pytester, code: str, settings: str = "") -> pytest.RunResult:
    pytester.makeini(f"[pytest]\n{settings}")
    pytester.makepyfile(code)
    without = [
        word
        for name in ("berrypick", "cacheprovider", "langsmith_plugin", "phoenix", "anyio")
        for word in ("-p", f"no:{name}")
    ]
    return pytester.runpytest_inprocess(*without, "-p", "berrypick.pytest")


def test_under_pytest_a_failure_shows_no_code_of_berrypick(pytester):
    code = f"""
        from berrypick.pytest import assert_retrieval

        def test_retrieval(berrypick_truth):
            assert_retrieval(berrypick_truth, {SMALL!r}, "charR@3 >= 0.8")

        def test_large(berrypick_truth):
            assert_retrieval(berrypick_truth, {LARGE!r}, "charR@3 >= 0.8")
    """
    pytester.path.joinpath("truth.jsonl").write_bytes(Path(TRUTH).read_bytes())
    done = run_pytest(pytester, code, "berrypick_truth = truth.jsonl")
    done.assert_outcomes(passed=1, failed=1)
    done.stdout.fnmatch_lines(
        ["E*small: charR@3 is 0.5909, must be >= 0.8", "E*worst of 12 topics", "E*berrypick explain *"]
    )
    done.stdout.no_fnmatch_line("*raise AssertionError*")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("", "*berrypick_truth: name its file in pytest's settings*"),
        ("berrypick_truth = none.jsonl", "*berrypick_truth: *none.jsonl*"),
    ],
)
def test_a_truth_that_is_not_there(pytester, settings, message):
    done = run_pytest(pytester, "def test_one(berrypick_truth): pass", settings)
    done.assert_outcomes(errors=1)
    done.stdout.fnmatch_lines([message])
    done.stdout.no_fnmatch_line("*Traceback*")


def test_pytest_finds_the_plugin():
    declared = (EXAMPLES.parents[1] / "pyproject.toml").read_text(encoding="utf-8")
    assert '[project.entry-points.pytest11]\nberrypick = "berrypick.pytest"\n' in declared
    assert sys.modules["berrypick.pytest"].assert_retrieval is assert_retrieval
