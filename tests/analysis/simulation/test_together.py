"""What simulated readers see together: as the user model walks, or drawn from reach in three ways."""

import itertools
import json
import math

import handmade
import numpy as np
import pytest
from report_pages import Page

import berrypick as bp
from berrypick.analysis.simulation.drawn_visits import drawn_visits
from berrypick.analysis.simulation.simulated_readers import SimulatedReaders
from berrypick.data.navigation import LinkTable, ReachTable
from berrypick.data.reach import Reach
from berrypick.report.panels.reach_alone import ReachAlone
from berrypick.users.walks import Draws, Readers

READERS = 40_000
TRUTH, RUN = {"q": {"a": 1, "b": 1}}, {"q": {"c": 3, "d": 2, "a": 1}}
CLICKS = ReachTable({("c", "a"): 0.4, ("c", "b"): 0.4, ("d", "a"): 0.6, ("d", "b"): 0.4})
BOTH = "EPRUM(r=1) EPRUM(r=2)"


def within_errors(found, expected):
    for row, value in zip(found, expected, strict=True):
        assert abs(row.simulated - value) < 4.5 * row.error + 1e-12, (row.measure, row.simulated, value, row.error)


@pytest.mark.parametrize(
    ("together", "expected"), [("most", [0.66, 1.04]), ("least", [0.90, 0.56]), ("independent", [0.8056, 0.7488])]
)
def test_the_readme_case(together, expected):
    found = bp.simulate(TRUTH, RUN, BOTH, navigation=CLICKS, readers=READERS, together=together)
    within_errors(found, expected)
    assert {row.together for row in found} == {together}
    assert all(f"readers_together:{together}" in str(row.signature) for row in found)
    assert [row.is_clear for row in found] == [together != "independent"] * 2


def drawn(matrix, together, readers=READERS):
    """ranks x targets x readers: what is drawn at each rank."""
    reach = Reach.of(matrix)
    found = np.zeros((*matrix.shape, readers), dtype=bool)
    names = [f"d{k}" for k in range(len(matrix))]
    for visit in drawn_visits(reach, names, together, Readers(Draws(3, "q", 0, readers), reach.targets)):
        found[visit.rank, visit.target] = visit.seen
    return found


@pytest.mark.parametrize("together", ["independent", "most", "least"])
def test_each_target_is_seen_as_reach_says_and_ranks_are_independent(together):
    matrix = np.array([[0.5, 0.3, 0.9, 0.0], [0.7, 1.0, 0.2, 0.4], [0.5, 0.5, 0.5, 0.5]])
    found = drawn(matrix, together)
    np.testing.assert_allclose(found.mean(axis=2), matrix, atol=5 * 0.5 / math.sqrt(READERS))
    for (k, x), (j, y) in itertools.combinations(np.ndindex(matrix.shape), 2):
        if k != j:
            joint = (found[k, x] & found[j, y]).mean()
            assert joint == pytest.approx(matrix[k, x] * matrix[j, y], abs=5 * 0.5 / math.sqrt(READERS))


def test_the_number_seen_at_one_rank():
    """most: nested; least: as even as the sum allows, whatever the order of the targets."""
    row = np.array([0.5, 0.3, 0.9, 0.0, 0.45])
    for order in itertools.islice(itertools.permutations(range(5)), 0, 120, 17):
        least = drawn(row[None, list(order)], "least", 5000)[0].sum(axis=0)
        assert set(least.tolist()) <= {2, 3}
        most = drawn(row[None, list(order)], "most", 5000)[0]
        first = np.argsort(-row[list(order)])
        assert all((most[a] | ~most[b]).all() for a, b in itertools.pairwise(first)), "who sees b sees a"


@pytest.mark.parametrize("seed", range(4))
def test_independent_readers_get_the_exact_values(seed):
    """The sanity check: EPRUM, PRUM(exact=True) and ExpectedRatio have no other hypothesis."""
    rng = np.random.default_rng(seed)
    matrix = rng.random((4, 3)) * (rng.random((4, 3)) < 0.8)
    truth, run, table = handmade.from_matrix(matrix)
    asked = "EPRUM EPRUM(r=2) PRUM(exact=True) ExpectedRatio@2 EPRUM(rank=3)"
    found = bp.simulate(truth, run, asked, navigation=table, units=100, readers=10_000)
    within_errors(found, [row.value for row in found])
    assert {row.together for row in found} == {"independent"}


@pytest.mark.slow
def test_drawn_readers_lie_within_what_reach_proves():
    rng = np.random.default_rng(5)
    for _ in range(5):
        matrix = rng.random((3, 3)) * (rng.random((3, 3)) < 0.8)
        truth, run, table = handmade.from_matrix(matrix)
        low, high = (bp.eprum(matrix, together=end) for end in ("low", "high"))
        for together in ("independent", "most", "least"):
            for r in (1, 2, 3):
                [row] = bp.simulate(truth, run, f"EPRUM(r={r})", navigation=table, readers=4000, together=together)
                assert low[r - 1] - 4.5 * row.error <= row.simulated <= high[r - 1] + 4.5 * row.error


def test_a_walk_can_be_replaced_and_stays_the_default():
    links = LinkTable({("hub", "a"): None, ("hub", "b"): None})
    given = TRUTH, {"q": {"hub": 1}}, BOTH
    values = {
        together: [round(row.simulated, 1) for row in bp.simulate(*given, user="hyperlink", navigation=links,
                                                                  together=together)]
        for together in (None, "walk", "independent", "most", "least")
    }  # fmt: skip
    assert values == {
        None: [1.0, 0.0], "walk": [1.0, 0.0], "independent": [0.8, 0.5], "most": [0.5, 1.0], "least": [1.0, 0.0],
    }  # fmt: skip


def test_a_result_that_occurs_twice_is_drawn_twice():
    matrix = np.array([[0.5], [0.5]])
    readers = Readers(Draws(0, "q", 0, 2000), 1)
    first, second = (visit.seen[0] for visit in drawn_visits(Reach.of(matrix), ["d", "d"], "independent", readers))
    assert abs(np.corrcoef(first, second)[0, 1]) < 0.1


def test_runs_have_the_same_readers():
    runs = {"one": {"q": {"c": 3, "a": 1}}, "two": {"q": {"x": 4, "c": 3, "a": 1}}}
    for together in ("independent", "most", "least"):
        one, two = bp.simulate(TRUTH, runs, "ExpectedRatio", navigation=CLICKS, readers=500, together=together)
        assert one.simulated == two.simulated and two.versus_first_error == 0


def test_effort_is_paid_by_drawn_readers_too():
    found = bp.simulate(
        TRUTH, RUN, "epnav", navigation=CLICKS, readers=READERS, effort="clicks", together="independent"
    )
    [row] = found
    assert abs(row.difference) < max(0.02, 4.5 * row.error)


def test_what_is_refused_and_what_is_said(berrypick, tmp_path):
    table = tmp_path / "clicks.tsv"
    table.write_text("".join(f"{a}\t{b}\t{p}\n" for (a, b), p in CLICKS.rows.items()))
    (tmp_path / "t.qrels").write_text("q 0 a 1\nq 0 b 1\n")
    (tmp_path / "r.run").write_text("q Q0 c 1 3 r\nq Q0 d 2 2 r\nq Q0 a 3 1 r\n")
    given = tmp_path / "t.qrels", tmp_path / "r.run", "--navigation", table
    done = berrypick("simulate", *given, "-m", "EPRUM", "--together", "walk")
    assert done.code == 2 and "user model table cannot be simulated by a walk: a table of reach has no" in done.err
    done = berrypick("simulate", *given, "-m", "EPRUM", "--together", "least", "-o", "json")
    assert {row["together"] for row in json.loads(done.out)} == {"least"} and "in the order of the truth" in done.err
    done = berrypick("explain", *given, "--topic", "q", "-m", "EPRUM", "--together", "most")
    assert done.code == 2 and "--together most applies to simulated readers: give --simulate too" in done.err
    done = berrypick("explain", *given, "--topic", "q", "-m", "EPRUM(r=2)", "--together", "most", "--simulate", "2000")
    assert done.code == 0 and "Readers see as many targets together at a rank as reach allows" in done.out
    page = tmp_path / "page.html"
    done = berrypick("report", *given, "-m", "EPRUM", "--together", "most", "-o", page)
    assert done.code == 2 and not page.exists()
    with pytest.raises(bp.UsageError, match="together must be one of walk, independent, most, least, not 'mots'"):
        bp.simulate(TRUTH, RUN, "EPRUM", navigation=CLICKS, together="mots")


def test_where_it_has_no_effect():
    videos = bp.Collection({"v": 100})
    found = bp.simulate(
        {"q": {"v#5-10": 1}}, {"q": {"v#0-4": 1}}, "T2I(tolerance=15)", collection=videos, readers=10, together="most"
    )
    assert any(note.text == "together='most' has no effect on T2I(tolerance=15)" for note in found.notes)
    assert found.mean_rows[0].together is None


def test_a_list_item_of_a_table_has_no_walk_either():
    found = bp.simulate(TRUTH, RUN, BOTH, user="fetch_browse(of='table')", navigation=CLICKS, readers=5000)
    assert {row.together for row in found} == {"independent"}
    within_errors(found, [row.value for row in found])


@pytest.mark.slow
def test_the_page_says_how_readers_were_drawn(tmp_path):
    evaluation = bp.Evaluation.prepare(TRUTH, RUN, "EPRUM", navigation=CLICKS)
    told = [SimulatedReaders(evaluation, 100, together=one).told(evaluation.measures[0]) for one in (None, "most")]
    assert told[0].startswith("a table of reach has no joint") and "as many targets together" in told[1]
    bp.write_report(evaluation, html=tmp_path / "page.html", simulate=50, together="least", resamples=100)
    assert "as few targets together" in Page(tmp_path / "page.html").overview["simulated"]["assumed"][0]


def test_bounds_are_no_mean_over_readers():
    with pytest.raises(bp.UsageError, match="not a mean over readers"):
        bp.simulate(TRUTH, RUN, "EPRUM(together='low')", navigation=CLICKS, readers=10)


@pytest.mark.parametrize("asked", ["T2I({})", "T2I({},budget=40)", "T2I({})@2", "ESL({})", "ESLRF({})", "PT2I({})"])
def test_viewers_of_different_tolerances_get_the_mean_over_people(asked):
    truth = {"q": {"a#5-9": 1, "a#30-35": 1, "b#12-20": 1}}
    run = {"q": {"a#0-3": 3.0, "b#4-7": 2.0, "a#22-25": 1.0}}
    given = {"collection": bp.Collection({"a": 60, "b": 40}), "readers": 20_000}
    [row] = bp.simulate(truth, run, asked.format("tolerance=9,spread=0.5"), **given)
    assert abs(row.difference) < 4.5 * row.error + 1e-12 and row.error > 0
    [other] = bp.simulate(truth, run, asked.format("tolerance=9,spread=0.5"), user="t2i(spread=0.9)", **given)
    assert other.simulated == row.simulated, "the law of the measure stands"


def test_the_page_has_a_panel_on_what_reach_alone_proves(tmp_path):
    runs = {"one": RUN["q"], "two": {"a": 2, "x": 1}}
    runs = {name: {"q": run} for name, run in runs.items()}
    evaluation = bp.Evaluation.prepare(TRUTH, runs, "EPRUM(r=2) ExpectedRatio", navigation=CLICKS)
    results = evaluation.run()
    found = ReachAlone().data(evaluation, results)
    assert [one["text"] for one in found["measures"]] == ["EPRUM(r=2)"]
    assert found["measures"][0]["runs"][0] == pytest.approx((0.56, 0.7488, 1.04))
    assert found["measures"][0]["runs"][1] == (0.0, 0.0, 0.0)
    asked = "EPRUM(r=2) EPRUM(r=2,together='low') EPRUM(r=2,together='high')"
    given = bp.Evaluation.prepare(TRUTH, runs, asked, navigation=CLICKS)
    assert ReachAlone().data(given, given.run()) == found, "bounds that were asked for are not computed again"
    classical = bp.Evaluation.prepare(TRUTH, RUN, "EPRUM")
    assert ReachAlone().data(classical, classical.run()) is None
    other = bp.Evaluation.prepare(TRUTH, RUN, "AP")
    assert ReachAlone().data(other, other.run()) is None
