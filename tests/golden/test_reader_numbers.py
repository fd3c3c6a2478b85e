"""Every number of the specification for the measures of readers, through the library and through the command line."""

import json

import pytest
from reader_numbers import EXAMPLES, NUMBERS

import berrypick as bp

CDA = [[0.4, 0.4], [0.6, 0.4], [1, 0]]
CDAB = [*CDA, [0, 1]]


def close(number):
    return None if number.value is None else pytest.approx(number.value, abs=0.5000001 * 10**-number.places)


@pytest.fixture
def paths(tmp_path):
    """The files of an example."""

    def write(name):
        example = EXAMPLES[name]
        spans = example.truth.startswith("{")
        found = {
            "truth": tmp_path / ("truth.jsonl" if spans else "truth.qrels"),
            "run": tmp_path / ("run.jsonl" if spans else "list.run"),
        }
        found["truth"].write_text(example.truth)
        found["run"].write_text(example.run)
        for option, content in (("navigation", example.navigation), ("collection", example.lengths)):
            if content:
                found[option] = tmp_path / f"{option}.tsv"
                found[option].write_text(content)
        return found

    return write


@pytest.mark.parametrize("number", NUMBERS, ids=lambda n: f"{n.example}: {n.measure}")
def test_by_the_library(number, paths):
    example = EXAMPLES[number.example]
    given = {
        option.lstrip("-"): value for option, value in zip(example.options[::2], example.options[1::2], strict=True)
    }
    if "units" in given:
        given["units"] = int(given["units"])
    files = paths(number.example)
    truth, run = files.pop("truth"), files.pop("run")
    results = bp.evaluate(truth, run, number.measure, **files, **given)
    (row,) = results.topic_rows
    assert row.value == close(number), number.source


@pytest.mark.parametrize("example", EXAMPLES)
def test_by_the_command_line(example, paths, berrypick):
    """All numbers of an example at once."""
    numbers = [number for number in NUMBERS if number.example == example]
    files = paths(example)
    options = [part for name in ("navigation", "collection") if name in files for part in (f"--{name}", files[name])]
    asked = " ".join(dict.fromkeys(number.measure for number in numbers))
    done = berrypick(
        "evaluate", files["truth"], files["run"], "-m", asked, "-o", "json", *options, *EXAMPLES[example].options
    )
    assert done.code == 0, done.err
    values = {row["measure"]: row["value"] for row in json.loads(done.out)}
    for number in numbers:
        assert values[number.measure] == close(number), (number.measure, number.source)


def test_every_example_is_used():
    assert {number.example for number in NUMBERS} == set(EXAMPLES)


def test_by_the_functions():
    assert bp.eprum(CDA).tolist() == pytest.approx([0.8056, 0.7488], abs=1e-12)
    assert bp.eprum(CDA, recall=2) == pytest.approx(0.7488, abs=1e-12)
    assert bp.prum(CDAB).tolist() == pytest.approx([0.69137, 0.63561], abs=5e-6)
    assert bp.prum(CDAB, exact=True).tolist() == pytest.approx([0.69137, 0.64623], abs=5e-6)
    assert bp.prum([[1 / 6], [1 / 4], [1]]).tolist() == pytest.approx([0.40678], abs=5e-6)
    assert bp.prum([[1, 1]], units=100).tolist() == [1, 1]
    assert bp.expected_ratio([[0.4], [0.9], [0.2]]).tolist() == pytest.approx([0.4, 0.94, 0.952], abs=1e-12)
    assert bp.effort_precision([[0.4], [0.3], [1]], [1]).mean() == pytest.approx(0.63, abs=1e-12)
    steps = [[0.5, 0.2], [0, 0.5], [1, 0], [0, 1]]
    levels = bp.effort_precision(steps, [2, 1], levels=[0.3, 0.5, 1])
    assert levels.tolist() == pytest.approx([0.766667, 0.666667, 0.8], abs=5e-7)
    assert bp.effort_precision(steps, [2, 1]).mean() == pytest.approx(0.745, abs=1e-12)


def test_ideal_lists_of_the_specification():
    from berrypick.data.reach import Reach
    from berrypick.kernels.lists import ideal

    def rows(p):
        return Reach.of([[1, 0], [0, 1], [p, p]])  # b, c, then a

    for search in (ideal.greedy, ideal.exact):
        assert search(rows(0.9)).length.tolist() == pytest.approx([1, 1.29], abs=1e-12)
        assert tuple(search(rows(0.9)).lists[1]) == (2, 0, 1)
        assert search(rows(0.6)).length.tolist() == pytest.approx([1, 2], abs=1e-12)
    assert ideal.exact(rows(0.5)).length[1] == pytest.approx(2, abs=1e-12)
    assert ideal.exact(rows(0.5)).inverse[1] == pytest.approx(0.25 + 0.25 / 2 + 0.5 / 3, abs=1e-12)
    # the list itself: 2.04 and .53333
    from berrypick.kernels.lists.greedy import expected_inverse

    assert expected_inverse([0.36, 0.6, 1.0]) == pytest.approx(0.36 + 0.24 / 2 + 0.4 / 3, abs=1e-12)


def test_section_7_visit_by_visit():
    from berrypick.users.tolerance.visits import Tolerance, visit

    targets = [(5, 10, 0), (20, 30, 1)]
    keeps, stops = visit(0, 100, targets, Tolerance(15)), visit(0, 100, targets, Tolerance(15, keeps_viewing=False))
    assert (keeps.found, keeps.wasted) == ((0, 1), 1)
    assert (stops.found, stops.wasted) == ((0,), 0)


# --- the working, as the papers' tables show it ------------------------------------------------------------------


def table_rows(out):
    """{first cell: other cells} of all tables in an explanation."""
    import re

    rows = {}
    for line in out.splitlines():
        cells = re.split(r"\s{2,}", line.strip())
        rows.setdefault(cells[0], cells[1:])
    return rows


def numbers_in(cells):
    from fractions import Fraction

    return [float(Fraction(cell)) for cell in cells]


PS = [0.16, 0.096, 0.144, 0.144, 0.0864, 0.1296, 0.096, 0.0576, 0.0864]


def explained(berrypick, files, measure, *options):
    done = berrypick(
        "explain",
        files["truth"],
        files["run"],
        "--topic",
        "1",
        "-m",
        measure,
        "--navigation",
        files["navigation"],
        *options,
    )
    assert done.code == 0, done.err
    assert done.err == ""
    return done.out


def test_explain_shows_table_1_of_eprum(paths, berrypick):
    out = explained(berrypick, paths("key example"), "EPRUM")
    rows = table_rows(out)
    assert numbers_in(rows["probability"]) == pytest.approx([*PS, 1])
    halves = [1, 1, 1, 1, 1 / 2, 1 / 2, 1, 1 / 2, 1 / 3]
    assert numbers_in(rows["A/ML, r=1"]) == pytest.approx([*halves, 0.8056])
    assert numbers_in(rows["A/ML, r=2"]) == pytest.approx([1, 1 / 2, 0, 1 / 2, 1 / 2, 0, 1 / 3, 1 / 3, 0, 0.3744])
    assert rows["1"] == ["0.8056", "1", "0.8056"]
    assert rows["2"] == ["0.3744", "2", "0.7488"]
    assert rows["mean"] == ["0.7772"]
    assert "0.6 -> 0.76" in out and "0.4 -> 0.64" in out, "what has been seen after rank 2"


def test_explain_shows_table_3_of_prum(paths, berrypick):
    rows = table_rows(explained(berrypick, paths("table III"), "PRUM(exact=True)"))
    assert numbers_in(rows["probability"]) == pytest.approx([*PS, 1])
    assert numbers_in(rows["CL(1)"]) == pytest.approx([1] * 10)
    assert numbers_in(rows["C(1)"]) == pytest.approx([1, 1, 1, 1, 2, 2, 1, 2, 3, 1.4464])
    assert numbers_in(rows["CL(2)"]) == pytest.approx([1, 2, 2, 2, 1, 2, 2, 2, 2, 1.7536])
    assert numbers_in(rows["C(2)"]) == pytest.approx([1, 2, 4, 2, 2, 4, 3, 3, 4, 2.7136])
    assert numbers_in(rows["2"])[-1] == pytest.approx(0.64623, abs=5e-6)


def test_explain_by_the_equations(paths, berrypick):
    rows = table_rows(explained(berrypick, paths("table III"), "PRUM"))
    assert numbers_in(rows["1"])[-1] == pytest.approx(0.69137, abs=5e-6)
    assert numbers_in(rows["2"])[-1] == pytest.approx(0.63561, abs=5e-6)
    assert numbers_in(rows["2"])[2] == pytest.approx(2.7136), "expected consulted"
    assert numbers_in(rows["mean"]) == pytest.approx([0.66349], abs=5e-6)


def test_explain_at_a_rank(paths, berrypick):
    rows = table_rows(explained(berrypick, paths("key example"), "EPRUM(rank=3)"))
    assert numbers_in(rows["sum / 3"]) == pytest.approx([0.54667], abs=5e-6)


def test_explain_of_graded_readers_tells_them_apart(paths, berrypick):
    out = explained(berrypick, paths("key example, graded"), "EPRUM")
    assert "For 0.5 of the readers the ideal units are a, b." in out
    assert "For 0.5 of the readers the ideal units are a." in out


def test_explain_of_ideal_lists(paths, berrypick):
    rows = table_rows(explained(berrypick, paths("entry page .9"), "EPRUM(ideal='exact')"))
    assert ["1.29", "a, b, c"] in rows.values() or rows["2"][:2] == ["1.29", "a, b, c"]


def test_explain_of_visits(paths, berrypick):
    files = paths("far targets")
    done = berrypick(
        "explain",
        files["truth"],
        files["run"],
        "--topic",
        "1",
        "-m",
        "ESL(tolerance=15)",
        "--collection",
        files["collection"],
    )
    assert done.code == 0
    rows = table_rows(done.out)
    assert rows["j, units spent on the list"] == ["2"]
    assert rows["I, units of irrelevant material in the collection"] == ["6"]
    assert rows["ESL = j + s max(0, I - j)/(r + 1)"] == ["4"]
