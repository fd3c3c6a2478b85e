"""Ideal lists with a certificate: never better than the best list, never a bound that a list passes."""

import itertools
import json
import math

import numpy as np
import pytest
import slow_twins
from click.testing import CliRunner
from many_cases import at_length
from slow_list_twins import EXPONENTS, random_rows

import berrypick as bp
from berrypick.cli import cli
from berrypick.data.navigation import ReachTable
from berrypick.data.reach import Reach
from berrypick.ideal import gain_steps, list_bounds, list_search, priced, set_queue
from berrypick.ideal.list_problem import Search
from berrypick.ideal.number_problem import NumberProblem
from berrypick.kernels import native
from berrypick.kernels.lists import ideal


@pytest.mark.parametrize("nodes", [1, 3, 2000])
def test_search_against_all_orders(nodes, kernels, monkeypatch):
    """The list is never better than the best one, the bound never worse; a search to the end finds the best."""
    monkeypatch.setattr(list_search, "MOST_LISTED", 0)
    rng = np.random.default_rng(nodes)
    for _ in range(60 if kernels == "native" else at_length(5, 15)):
        rows = random_rows(rng)
        best = ideal.exact(Reach.of(rows))
        wanted = range(1, rows.shape[1] + 1)
        for r, found in zip(wanted, list_search.search_numbers(rows, wanted, "length", Search(nodes)), strict=True):
            if math.isnan(best.length[r - 1]):
                assert math.isnan(found.value)
                continue
            assert found.bound <= best.length[r - 1] + 1e-12 and found.value >= best.length[r - 1] - 1e-12
            assert slow_twins.list_length(rows, found.order, r) == pytest.approx(found.value, abs=1e-12)
            if nodes == 2000:
                assert found.gap == 0 and found.value == pytest.approx(best.length[r - 1], abs=1e-12)
        for r, found in zip(wanted, list_search.search_numbers(rows, wanted, "inverse", Search(nodes)), strict=True):
            truly = best.inverse[r - 1]
            assert found.bound >= truly * (1 - 1e-12) and found.value <= truly * (1 + 1e-12)
            if nodes == 2000:
                assert found.gap == 0 and found.value == pytest.approx(truly, rel=1e-12)


def test_listed_sets_equal_exact(kernels):
    rng = np.random.default_rng(0)
    for _ in range(80):
        rows = random_rows(rng)
        best = ideal.exact(Reach.of(rows))
        wanted = range(1, rows.shape[1] + 1)
        length = [found.value for found in list_search.search_numbers(rows, wanted, "length", Search())]
        inverse = [found.value for found in list_search.search_numbers(rows, wanted, "inverse", Search())]
        np.testing.assert_allclose(length, best.length, rtol=1e-12)
        np.testing.assert_allclose(inverse, best.inverse, rtol=1e-12, atol=1e-300)


def level_bounds(rows, unseen, r, levels, kinds):
    """In the form that is in use."""
    compiled = native()
    if compiled is None:
        return list_bounds.level_bounds(rows, unseen, r, levels, kinds=kinds)
    best, given, table = np.empty(levels), np.empty((levels, len(rows))), np.empty(kinds)
    compiled.level_bounds(rows, unseen, r, list_bounds.STEPS, best, given, table)
    return list_bounds.LevelBounds(best, given, table)


def test_level_bounds_hold_for_every_set_of_candidates(kernels):
    """For j candidates of any kind, after a list of any kind; and for those among which a given one is."""
    rng = np.random.default_rng(1)
    for _ in range(150):
        t, count = int(rng.integers(1, 6)), int(rng.integers(1, 7))
        rows = rng.random((count, t)) ** rng.choice(EXPONENTS) * (rng.random((count, t)) < 0.8)
        rows[rng.random((count, t)) < rng.choice([0, 0.2])] = 1
        unseen = np.where(rng.random(t) < 0.5, 1.0, rng.random(t))
        unseen[rng.random(t) < 0.1] = 0.0
        r = int(rng.integers(1, t + 1))
        found = level_bounds(rows, unseen, r, count, (count + 1, count + 1))
        surely = (rows[:, unseen > 0] == 1).any(axis=1)
        for j in range(1, count + 1):
            for chosen in itertools.combinations(range(count), j):
                after = unseen * np.prod(1 - rows[list(chosen)], axis=0)
                reached = gain_steps.NumberLaw(t, r).tails(1 - after[None], after[None])[1][0]
                assert reached <= found.best[j - 1] * (1 + 1e-12)
                assert (reached <= found.given[j - 1, list(chosen)] * (1 + 1e-12)).all()
                sure = int(surely[list(chosen)].sum())
                assert reached <= found.table[j - sure, sure] * (1 + 1e-12)


def test_compiled_kernels_equal_their_plain_forms(monkeypatch):
    if native() is None:
        pytest.skip("no compiled kernels")
    rng = np.random.default_rng(2)
    for _ in range(100):
        rows = np.ascontiguousarray(random_rows(rng, most=9, targets=5))
        unseen = rng.random(rows.shape[1]) * (rng.random(rows.shape[1]) < 0.9)
        r, levels = int(rng.integers(1, rows.shape[1] + 1)), int(rng.integers(1, 7))
        kinds = int(rng.integers(0, 7)), int(rng.integers(0, 7))
        fast = level_bounds(rows, unseen, r, levels, kinds)
        plain = list_bounds.level_bounds(rows, unseen, r, levels, kinds=kinds)
        np.testing.assert_allclose(fast.table, plain.table, rtol=1e-9)
        np.testing.assert_allclose(fast.best, plain.best, rtol=1e-9)
        np.testing.assert_allclose(fast.given, plain.given, rtol=1e-9)
        assert (priced.dominated(rows) == priced.plain_dominated(rows)).all()
        law = gain_steps.NumberLaw(rows.shape[1], r)
        for one, other in zip(law.of_sets(rows), law.plain_of_sets(rows), strict=True):
            assert (one == other).all()


def test_exchanges_score_as_their_plain_forms():
    if native() is None:
        pytest.skip("no compiled kernels")
    rng = np.random.default_rng(7)
    for turn in range(60):
        rows = random_rows(rng, most=9, targets=5)
        rows = rows[(rows > 0).any(axis=1)]
        if not len(rows):
            continue
        objective = "length" if turn % 2 else "inverse"
        problem = NumberProblem(priced.Priced.of_rows(rows), int(rng.integers(1, rows.shape[1] + 1)), objective)
        order = tuple(rng.permutation(len(rows))[: int(rng.integers(1, len(rows) + 1))].tolist())
        place, options = int(rng.integers(len(order))), np.arange(len(rows))
        scores = problem.exchanged_scores(order, place, options)
        assert (scores == problem.plain_exchanged_scores(order, place, options)).all()
        best, orders = (order, problem.score_of(order)), [tuple(rng.permutation(order).tolist()) for _ in range(4)]
        assert problem._better(best, orders) == problem.plain_better(best, orders)
        assert problem._better(best, []) == (best, None)


def test_two_hundred_candidates_are_proved_optimal_at_low_recall():
    rng = np.random.default_rng(1)
    rows = np.vstack([np.eye(10), rng.random((200, 10)) * 0.3])
    for found in list_search.search_numbers(rows, [1, 2, 3], "length", Search()):
        assert found.gap == 0
    (weak,) = list_search.search_numbers(rows, [10], "length", Search(5))
    assert weak.gap == 0 and weak.value == 10, "full recall among many weak pages: nothing beats the targets"
    strong = np.vstack([np.eye(10), rng.random((200, 10)) * 0.6])
    (found,) = list_search.search_numbers(strong, [10], "length", Search(5))
    assert 0 < found.gap < 0.05
    (again,) = list_search.search_numbers(strong, [10], "length", Search(5))
    assert again == found, "the same digits each time"


@pytest.mark.quick
def test_the_papers_example():
    rows = [[1, 0], [0, 1], [0.9, 0.9]]
    found = bp.eprum([[0.9, 0.9], [1, 0], [0, 1]], candidates=rows, ideal="certified")
    assert found.tolist() == pytest.approx([0.995, 1.29 * 0.888333333333], abs=1e-9)
    assert bp.eprum([[0.5, 0.5], [1, 0], [0, 1]], 2, candidates=[[1, 0], [0, 1], [0.5, 0.5]], ideal="certified",
                    norm="bounded") == pytest.approx(1.0)  # fmt: skip


@pytest.mark.quick
@pytest.mark.parametrize("name", ["exact", "certified"])
def test_bounded_values_never_exceed_one(name):
    """Whatever the run holds: results that are no candidates, several times the same, results that lead nowhere."""
    rng = np.random.default_rng(3)
    for _ in range(60):
        t = int(rng.integers(1, 4))
        run = rng.random((int(rng.integers(1, 6)), t)) ** rng.choice(EXPONENTS) * (rng.random(t) < 0.8)
        run[rng.random(run.shape) < 0.2] = 1
        run = run[rng.integers(0, len(run), len(run))]
        found = bp.eprum(run, candidates=np.vstack([np.eye(t), rng.random((2, t))]), ideal=name, norm="bounded")
        assert (found <= 1 + 1e-12).all() and (found >= 0).all()


@pytest.mark.quick
def test_a_result_over_two_targets_is_within_the_bound():
    spans = [{"topic": "q", "doc": "d", "start": 0, "end": 10}, {"topic": "q", "doc": "d", "start": 20, "end": 30}]
    run = [{"topic": "q", "doc": "d", "start": 0, "end": 30, "rank": 1}]
    measures = "EPRUM EPRUM(ideal='certified',norm='bounded')"
    results = bp.evaluate(spans, run, measures)
    assert [row.value for row in results.mean_rows] == pytest.approx([1.5, 1.0])
    assert dict(results.mean_rows[1].signature.fields)["bounded"] == "candidates+run"


CLICKS = ReachTable({("hub", "a"): 0.9, ("hub", "b"): 0.9})
TRUTH = {"q": {"a": 1, "b": 1}}


@pytest.mark.quick
def test_the_signature_states_the_search():
    results = bp.evaluate(TRUTH, {"q": {"hub": 1}}, "EPRUM(ideal='certified')", navigation=CLICKS)
    fields = dict(results.mean_rows[0].signature.fields)
    assert fields["ideal"] == "certified" and fields["gap"] == "0" and fields["nodes"] == "auto"
    plain = bp.evaluate(TRUTH, {"q": {"hub": 1}}, "EPRUM", navigation=CLICKS).mean_rows[0].signature
    assert not {"gap", "nodes", "bounded"} & set(dict(plain.fields))


def wide_world():
    """A topic on which few nodes leave a gap."""
    rng = np.random.default_rng(1)
    pages = rng.random((60, 6)) * 0.6
    links = {(f"h{i}", f"t{x}"): float(p) for i, row in enumerate(pages) for x, p in enumerate(row)}
    return {"q": {f"t{x}": 1 for x in range(6)}}, ReachTable(links)


@pytest.mark.quick
def test_a_gap_is_noted_and_shown():
    truth, links = wide_world()
    measure = "EPRUM(r=6,ideal='certified',nodes=1,gap=0.01)"
    results = bp.evaluate(truth, {"q": {"t1": 2, "h1": 1}}, measure, navigation=links)
    assert any("not proven to be the best" in str(note) for note in results.notes)
    assert dict(results.mean_rows[0].signature.fields)["gap"].startswith("<=0.")
    quiet = bp.evaluate(truth, {"q": {"t1": 2, "h1": 1}}, measure.replace("0.01", "1"), navigation=links)
    assert not any("not proved" in str(note) for note in quiet.notes)
    text = str(bp.explain(truth, {"q": {"t1": 2, "h1": 1}}, measure, "q", navigation=links))
    assert "gap" in text and "E[ML*]" in text


def test_seconds_end_a_search_and_say_so(monkeypatch):
    truth, links = wide_world()
    clock = itertools.count(0.0, 10.0)
    monkeypatch.setattr(set_queue.time, "monotonic", lambda: next(clock))
    measure = "EPRUM(r=6,ideal='certified',seconds=5)"
    fields = dict(bp.evaluate(truth, {"q": {"h1": 1}}, measure, navigation=links).mean_rows[0].signature.fields)
    assert fields["stopped"] == "seconds"


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("EPRUM(nodes=5)", "ideal='certified' only"),
        ("EPRUM(ideal='certified',nodes=0)", "1 or more"),
        ("EPRUM(ideal='certified',gap=-1)", "0 or more"),
        ("EPRUM(ideal='certified',seconds=0)", "above 0"),
        ("EPRUM(norm='bounded')", "ideal='certified'"),
    ],
)
@pytest.mark.quick
def test_what_does_not_go_together(spec, message):
    with pytest.raises(bp.UsageError, match=message):
        bp.evaluate(TRUTH, {"q": {"a": 1}}, spec)


def test_eprum_of_a_matrix_takes_the_parameters_of_the_measure():
    rows = np.vstack([np.eye(6), np.random.default_rng(1).random((60, 6)) * 0.6])
    run = rows[[1, 8, 20]]
    with pytest.warns(bp.BerrypickWarning, match="not proven to be the best"):
        found = bp.eprum(run, 6, candidates=rows, ideal="certified", nodes=1, gap=0.001)
    quiet = bp.eprum(run, 6, candidates=rows, ideal="certified", nodes=1, gap=1.0)
    assert found == quiet
    assert bp.eprum(run, 1, candidates=rows, ideal="certified", seconds=100.0) == bp.eprum(run, 1)
    with pytest.raises(bp.UsageError, match="ideal='certified' only"):
        bp.eprum(run, seconds=1.0)


@pytest.mark.quick
def test_eprum_of_a_matrix_has_the_normal_law():
    draw = np.random.default_rng(2)
    reach = draw.random((30, 14)) * 0.2
    links = ReachTable({(f"p{k}", f"t{x}"): float(p) for (k, x), p in np.ndenumerate(reach)})
    truth, run = {"q": {f"t{x}": 1 for x in range(14)}}, {"q": {f"p{k}": 30 - k for k in range(30)}}
    for law in ("exact", "normal"):
        value = bp.score(f"EPRUM(law='{law}')", truth, run, navigation=links)
        assert bp.eprum(reach, law=law).mean() == pytest.approx(value, rel=1e-12)
    assert bp.eprum(reach, law="normal").mean() != pytest.approx(bp.eprum(reach).mean(), abs=1e-5)
    with pytest.raises(bp.UsageError, match="law"):
        bp.eprum(reach, law="poisson")


# --- berrypick ideal ------------------------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path):
    (tmp_path / "truth.qrels").write_text("q 0 a 1\nq 0 b 1\np 0 a 1\n")
    (tmp_path / "clicks.tsv").write_text("hub\ta\t0.9\nhub\tb\t0.9\n")
    return [str(tmp_path / "truth.qrels"), "--navigation", str(tmp_path / "clicks.tsv")]


def run_ideal(*arguments):
    return CliRunner().invoke(cli, ["ideal", *arguments])


def test_the_command_prints_lists_as_json(files):
    found = json.loads(run_ideal(*files, "-m", "EPRUM", "-o", "json").stdout)
    assert [(one["topic"], one["r"], one["list"]) for one in found] == [
        ("q", 1, ["a"]),
        ("q", 2, ["hub", "a", "b"]),
        ("p", 1, ["a"]),
    ]
    assert found[1]["value"] == found[1]["bound"] == pytest.approx(1.29) and found[1]["gap"] == 0
    assert "EPRUM" in found[0]["signature"] and "user:table" in found[0]["signature"]


def test_the_command_prints_tables(files):
    table = run_ideal(*files, "-o", "table").stdout
    assert "1.2900" in table and "hub a b" in table
    tsv = run_ideal(*files, "-o", "tsv", "-m", "EPRUM(r=2)").stdout.splitlines()
    assert tsv[0].split("\t")[-1] == "list" and len(tsv) == 2


def test_the_command_finds_the_largest_inverse(files):
    found = json.loads(run_ideal(*files, "-m", "EPRUM(r=2,ideal='certified',norm='bounded')", "-o", "json").stdout)
    assert found[0]["value"] == pytest.approx(0.8883333333, abs=1e-9)


def test_the_command_notes_what_is_open(files, tmp_path):
    truth, links = wide_world()
    rows = "".join(f"{a}\t{b}\t{p}\n" for (a, b), p in links.rows.items())
    (tmp_path / "links.tsv").write_text(rows)
    (tmp_path / "wide.qrels").write_text("".join(f"q 0 {name} 1\n" for name in truth["q"]))
    arguments = [str(tmp_path / "wide.qrels"), "--navigation", str(tmp_path / "links.tsv"), "--nodes", "1"]
    assert "may be more than 0.001 from the best" in run_ideal(*arguments, "--gap", "0.001").stderr
    classical = run_ideal(files[0])
    assert classical.exit_code == 0 and "the candidates are only the targets" in classical.stderr
