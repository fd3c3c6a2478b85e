"""Gates for continuous integration: what passes, what does not, and the reason."""

from __future__ import annotations

import doctest
from xml.etree import ElementTree

import pytest
from handmade_results import results

import berrypick as bp
from berrypick.analysis.comparison import gates
from berrypick.analysis.comparison.gates import thresholds
from berrypick.data.errors import UsageError

GOOD, BAD = [0.5 + 0.02 * i for i in range(10)], [0.3 + 0.01 * i for i in range(10)]


def compared(**values):
    return bp.compare(results({run: {"AP": numbers} for run, numbers in values.items()}))


def test_thresholds_from_text():
    assert doctest.testmod(gates).failed == 0
    assert thresholds(["charR@5=0.8", " P@5 = 1e-1 ,AP=.3"]) == {"charR@5": 0.8, "P@5": 0.1, "AP": 0.3}
    assert thresholds(['AgP(score="t2i",tolerance=300)=0.5']) == {"AgP(score='t2i',tolerance=300)": 0.5}
    assert thresholds([]) == {}


@pytest.mark.parametrize("text", ["AP", "AP=", "=0.5", "AP=high", "AP=nan", "AP=0.3,", "AP(x=1)", ""])
def test_wrong_thresholds(text):
    with pytest.raises(UsageError, match="fail_under= takes a measure and a number"):
        thresholds([text])


def test_two_thresholds_for_one_measure():
    assert thresholds(["AP=0.3", "AP=.30"]) == {"AP": 0.3}
    with pytest.raises(UsageError, match=r"AP has two thresholds, 0.3 and 0.4"):
        thresholds(["AP=0.3", "AP=0.4"])


def test_under():
    found = compared(good=GOOD, bad=BAD).unmet(under={"AP": 0.4})
    assert found == ["bad: AP is 0.3450, below 0.4"]


def test_equal_passes_even_if_rounding_says_otherwise():
    assert 0.1 + 0.7 < 0.8
    assert compared(one=[0.1 + 0.7, 0.8]).unmet(under={"AP": 0.8}) == []
    assert compared(one=[0.8, 0.8]).unmet(under={"AP": 0.8}, over={"AP": 0.8}) == []


def test_a_mean_just_below_is_shown_in_full():
    assert compared(one=[0.79999, 0.8]).unmet(under={"AP": 0.8}) == ["one: AP is 0.799995, below 0.8"]


def test_undefined_means_do_not_pass():
    found = compared(one=[None, None]).unmet(under={"AP": 0.1})
    assert found == ["one: AP is undefined, no topic has a value; it must not be below 0.1"]
    assert len(compared(one=[None, None]).unmet(over={"AP": 0.1})) == 1


def test_over():
    assert compared(good=GOOD, bad=BAD).unmet(over={"AP": 0.4}) == ["good: AP is 0.5900, above 0.4"]


def test_a_measure_that_is_not_there():
    with pytest.raises(UsageError, match="RR is not among the measures compared: AP"):
        compared(one=GOOD).unmet(under={"RR": 0.1})


def test_worse():
    both = compared(good=GOOD, bad=BAD)
    (reason,) = both.unmet(worse_than="good")
    assert reason == (
        "bad: AP is significantly worse than good, 0.3450 against 0.5900 (difference -0.2450 on 10 topics, p = 0.00195)"
    )
    assert both.unmet(worse_than="bad") == []


def test_worse_is_larger_where_smaller_is_better():
    both = bp.compare(results({"good": {"Overlap": BAD}, "bad": {"Overlap": GOOD}}))
    (reason,) = both.unmet(worse_than="good")
    assert reason.startswith("bad: Overlap is significantly worse than")
    assert both.unmet(worse_than="bad") == []


def test_worse_but_not_significantly_passes_with_a_note():
    both = compared(good=[0.5, 0.6], bad=[0.1, 0.2])
    assert both.unmet(worse_than="good") == []
    assert any("no difference can be significant" in note for note in map(str, both.notes))


def test_the_correction_counts():
    """One more run that is as good: the same difference is corrected for three comparisons instead of one."""
    lower = [value - 0.1 for value in GOOD[:6]]
    assert len(compared(good=GOOD[:6], bad=lower).unmet(worse_than="good")) == 1
    assert compared(good=GOOD[:6], bad=lower, other=GOOD[:6]).unmet(worse_than="good") == []


def test_what_cannot_be_compared_does_not_pass():
    (reason,) = compared(one=[0.1, None], two=[None, 0.1]).unmet(worse_than="one")
    assert reason == "two: AP cannot be compared with one, too few topics have a value for both"


def test_wrong_baselines():
    with pytest.raises(UsageError, match="one is the only run"):
        compared(one=GOOD).unmet(worse_than="one")
    with pytest.raises(UsageError, match="no run three"):
        compared(one=GOOD, two=BAD).unmet(worse_than="three")
    some = bp.compare(results({name: {"AP": GOOD} for name in "abc"}), pairs="baseline")
    with pytest.raises(UsageError, match="c was not compared with b; make it the baseline"):
        some.unmet(worse_than="b")


# the command


@pytest.fixture
def written(files):
    truth = "".join(f"{t} 0 a 1\n" for t in range(12))
    paths = {"truth_qrels": truth}
    for name, good in (("one", 3), ("two", 12)):
        paths[f"{name}_run"] = "".join(f"{t} Q0 {'a' if t < good else 'b'} 1 1 {name}\n" for t in range(12))
    return files(**paths)


def test_the_table_is_printed_and_the_code_is_1(berrypick, written):
    done = berrypick("compare", *written.values(), "-m", "AP", "-o", "table", "--fail-under", "P@1=0.5,AP=0.1")
    assert done.code == 1
    assert done.err == "not met: one: P@1 is 0.2500, below 0.5\n"
    assert "AP, larger is better" in done.out and "P@1, larger is better" in done.out


def test_gates_that_are_met(berrypick, written):
    done = berrypick(
        "compare", *written.values(), "--fail-under", "AP=0.25", "--fail-under", "P@1=.25", "--fail-if-worse", "one"
    )
    assert done.code == 0 and {line.split(":")[0] for line in done.err.splitlines()} == {"gate", "passed"}
    assert "P@1\ttwo" in done.out


def test_one_run_is_enough_for_a_threshold(berrypick, written):
    assert berrypick("compare", written["truth_qrels"], written["two_run"], "--fail-under", "AP=1").code == 0
    assert berrypick("compare", written["truth_qrels"], written["one_run"], "--fail-under", "AP=1").code == 1


def test_fail_if_worse_names_the_baseline(berrypick, written):
    done = berrypick("compare", *written.values(), "-m", "AP", "-o", "table", "--fail-if-worse", "two")
    assert done.code == 1
    assert "\nnot met: one: AP is significantly worse than two, 0.2500 against 1.0000" in done.err
    assert [line.split()[4:6] for line in done.out.splitlines() if line.startswith("b")] != []
    assert "baseline" in next(line for line in done.out.splitlines() if line.startswith("b  two"))
    by_file = berrypick("compare", *written.values(), "-m", "AP", "--baseline", "one", "--fail-if-worse", "two.run")
    assert by_file.code == 1


def test_wrong_usage(berrypick, written):
    assert berrypick("compare", *written.values(), "--fail-under", "AP").code == 2
    assert berrypick("compare", *written.values(), "--fail-under", "Appp=0.5").code == 2
    done = berrypick("compare", written["truth_qrels"], written["one_run"], "-m", "AP", "--fail-if-worse", "one")
    assert done.code == 2 and "one is the only run" in done.err and done.out == ""
    done = berrypick("compare", *written.values(), "-m", "AP", "--baseline", "one", "--fail-if-worse", "three")
    assert done.code == 2 and "no run three" in done.err and done.out == ""


def test_a_threshold_on_the_wrong_side_is_noted(berrypick, tmp_path):
    truth, run = tmp_path / "t.jsonl", tmp_path / "r.jsonl"
    truth.write_text('{"topic": "1", "doc": "d", "start": 0, "end": 10}\n')
    run.write_text(
        '{"topic": "1", "doc": "d", "start": 0, "end": 10, "rank": 1}\n'
        '{"topic": "1", "doc": "d", "start": 5, "end": 15, "rank": 2}\n'
    )
    done = berrypick("compare", truth, run, "--fail-under", "Overlap=0.9")
    assert done.code == 1 and "note: Overlap: smaller is better, so --fail-under fails the better runs" in done.err
    done = berrypick("compare", truth, run, "--fail-over", "Overlap=0.1")
    assert done.code == 1 and "not met: r: Overlap is 0.2500, above 0.1" in done.err
    assert "--fail-under fails the worse ones" in berrypick("compare", truth, run, "--fail-over", "charR=1").err


def test_reasons_are_one_line(berrypick, files):
    paths = files(truth_qrels="1 0 a 1\n", one_run="1 Q0 b 1 1 x\u2028y\n")
    done = berrypick("compare", *paths.values(), "--fail-under", "AP=0.5")
    assert done.code == 1
    assert len([line for line in done.err.splitlines() if line.startswith("not met")]) == 1


# margin


def test_a_margin_accepts_significant_drops_of_up_to_its_size():
    both = compared(good=GOOD, bad=BAD)  # worse by 0.245
    assert len(both.unmet(worse_than="good", margin=0.0)) == 1
    (reason,) = both.unmet(worse_than="good", margin=0.24)
    assert reason.endswith("(difference -0.2450 on 10 topics, more than 0.24, p = 0.00195)")
    assert both.unmet(worse_than="good", margin=0.245) == []
    assert both.unmet(worse_than="good", margin=0.3) == []


def test_a_margin_where_smaller_is_better():
    both = bp.compare(results({"good": {"Overlap": BAD}, "bad": {"Overlap": GOOD}}))
    assert len(both.unmet(worse_than="good", margin=0.2)) == 1
    assert both.unmet(worse_than="good", margin=0.25) == []


def test_a_margin_does_not_help_what_cannot_be_compared():
    assert len(compared(one=[0.1, None], two=[None, 0.1]).unmet(worse_than="one", margin=1)) == 1


@pytest.mark.parametrize("margin", [-0.1, float("nan"), float("inf")])
def test_wrong_margins(margin):
    with pytest.raises(UsageError, match="margin= is the accepted difference, 0 or more"):
        compared(one=GOOD, two=BAD).unmet(worse_than="one", margin=margin)


def test_the_margin_of_the_command(berrypick, written):
    command = ("compare", *written.values(), "-m", "AP", "--fail-if-worse", "two", "--margin")
    assert berrypick(*command, "0.74").code == 1
    assert berrypick(*command, "0.75").code == 0
    done = berrypick("compare", *written.values(), "-m", "AP", "--margin", "0.1")
    assert done.code == 2 and "--margin needs --fail-if-worse" in done.err and done.out == ""


# outputs


def test_junit(berrypick, written):
    command = ("compare", *written.values(), "-o", "junit", "--fail-under", "P@1=0.5", "--fail-if-worse", "one")
    done = berrypick(*command, "--fail-over", "AP=1")
    assert done.code == 1
    suite = ElementTree.fromstring(done.out.encode()).find("testsuite")
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("6", "1", "0")
    cases = [(case.get("classname"), case.get("name")) for case in suite.findall("testcase")]
    assert cases == [
        ("one", "P@1 at least 0.5"), ("two", "P@1 at least 0.5"), ("one", "AP at most 1"), ("two", "AP at most 1"),
        ("two", "P@1 not worse than one"), ("two", "AP not worse than one"),
    ]  # fmt: skip
    (failure,) = suite.iter("failure")
    assert failure.get("message") == "one: P@1 is 0.2500, below 0.5" == failure.text
    assert "AP, larger is better" in suite.findtext("system-out")


def test_junit_needs_a_gate(berrypick, written):
    done = berrypick("compare", *written.values(), "-m", "AP", "-o", "junit")
    assert done.code == 2 and "junit output needs a gate" in done.err and done.out == ""


def test_junit_is_well_formed_whatever_the_names(berrypick, files):
    paths = files(truth_qrels="1 0 a 1\n", one_run="1 Q0 b 1 1 <x>&\"\x01\x1b'\n")
    done = berrypick("compare", *paths.values(), "--fail-under", "AP=0.5", "-o", "junit")
    assert done.code == 1
    (case,) = ElementTree.fromstring(done.out.encode()).iter("testcase")
    assert case.get("classname") == "<x>&\"\\x01\\x1b'"


def test_markdown_has_the_reasons(berrypick, written):
    command = ("compare", *written.values(), "-m", "AP", "-o", "markdown")
    plain = berrypick(*command)
    assert plain.code == 0 and "Gates" not in plain.out
    done = berrypick(*command, "--fail-under", "AP=0.5")
    assert done.code == 1
    assert done.out == plain.out + "\n**Gates:** 1 of 2 checks not met\n\n* one: AP is 0.2500, below 0.5\n"
    assert berrypick(*command, "--fail-under", "AP=0.2").out == plain.out + "\n**Gates:** 2 checks, all met\n"
