"""Simulated readers: kernels beside slow twins, values beside exact ones where the hypotheses hold, refusals."""

from __future__ import annotations

import json
import math

import handmade
import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import berrypick as bp
from berrypick import users
from berrypick.analysis.simulation.simulated_readers import (
    BLOCK,
    Readership,
    ReaderSums,
    Spread,
    jackknife_error,
    reader_values,
)
from berrypick.analysis.simulation.walked_sessions import WalkedSessions
from berrypick.cli import cli
from berrypick.data.navigation import LinkTable, ReachTable
from berrypick.evaluation.evaluation import Evaluation
from berrypick.measures.reader_values import GROUPS, ReaderValues
from berrypick.topics.reader_sessions import sorted_rows
from berrypick.users.links._chain_walks import ChainWalker
from berrypick.users.links._hitting import Chain
from berrypick.users.pairs import same_document
from berrypick.users.structure._nested import side_by_side
from berrypick.users.tolerance.viewers import view
from berrypick.users.tolerance.visits import Tolerance, visit
from berrypick.users.walks import Draws, Readers, within

#: Standard errors that a right number is hardly ever away from.
FAR = 4.5
#: x goes to y and z, who go to each other: the figure of both papers.
FIGURE = ReachTable({("x", "y"): 0.5, ("x", "z"): 0.3, ("y", "z"): 0.8, ("z", "y"): 0.12})


def agrees(row):
    return abs(row.difference) <= FAR * row.error + 1e-9


# kernels

spans = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 15)), max_size=5)


@settings(max_examples=150, deadline=None)
@given(spans, st.integers(-2, 70), st.booleans(), st.integers(0, 9), st.integers(0, 2**32), st.sampled_from([50, 75]))
def test_many_viewers_do_what_each_of_them_does(targets, entry, keeps_viewing, t_init, seed, end):
    random = np.random.default_rng(seed)
    places = sorted((float(a), float(a + n)) for a, n in targets)
    unseen = random.random((len(places), 40)) < 0.7
    tolerance = random.choice([3.0, 5.0, 10.0, 12.5, 30.0], 40)
    found = view(entry, float(end), places, unseen, tolerance, Tolerance(1.0, keeps_viewing, t_init))
    for i in range(40):
        new = [(a, b, x) for x, (a, b) in enumerate(places) if unseen[x, i]]
        one = visit(entry, float(end), new, Tolerance(float(tolerance[i]), keeps_viewing, t_init))
        assert set(np.flatnonzero(found.found[:, i]).tolist()) == set(one.found)
        assert bool(found.wasted[i]) == bool(one.wasted) and found.length[i] == pytest.approx(one.length)


def test_viewers_of_many_targets_are_told_apart():
    random = np.random.default_rng(5)
    places = [(10.0 * i, 10.0 * i + 4) for i in range(20)]
    unseen = random.random((20, 30)) < 0.5
    found = view(0.0, 200.0, places, unseen, np.full(30, 25.0), Tolerance(25.0))
    for i in range(30):
        one = visit(0.0, 200.0, [(a, b, x) for x, (a, b) in enumerate(places) if unseen[x, i]], Tolerance(25.0))
        assert set(np.flatnonzero(found.found[:, i]).tolist()) == set(one.found)


def test_an_unknown_document_wastes_a_unit():
    found = view(0.0, None, [(1.0, 2.0)], np.ones((1, 3), dtype=bool), np.ones(3), Tolerance(1.0))
    assert found.wasted.all() and not found.found.any()


def random_chain(random, pages=6):
    step = random.random((pages, pages)) * (random.random((pages, pages)) < 0.5)
    step /= np.maximum(step.sum(axis=1, keepdims=True), 1.0) * random.choice([1.0, 1.1, 1.5])
    source, target = np.nonzero(step)
    return Chain([f"p{i}" for i in range(pages)], source, target, step[source, target]), step


def slow_walks(step, start, wanted, random, count, steps):
    """The same draws, walker by walker: whoever goes on has one number for each step."""
    been = np.zeros((len(wanted), count), dtype=bool)
    page = [start] * count
    walking = list(range(count))
    for x, target in enumerate(wanted):
        been[x, :] = target == start
    lead = [set(np.flatnonzero(column).tolist()) for column in _leads(step, wanted).T]
    for done in range(steps):
        left = []
        for walker, u in zip(walking, random.random(len(walking)).tolist(), strict=True):
            below = np.cumsum(step[page[walker]])
            if u >= below[-1]:
                continue
            page[walker] = int(np.searchsorted(below, u, side="right"))
            for x, target in enumerate(wanted):
                been[x, walker] |= page[walker] == target
            left.append(walker)
        walking = [walker for walker in left if lead[page[walker]]]
        if done % 16 == 15:
            walking = [w for w in walking if any(not been[x, w] for x in lead[page[w]])]
        if not walking:
            break
    return been


def _leads(step, wanted):
    """wanted x pages: whether a route leads there."""
    able = np.linalg.matrix_power((step > 0).astype(float) + np.eye(len(step)), len(step)) > 0
    return able[:, wanted].T


@pytest.mark.parametrize("seed", range(12))
def test_walks_on_a_chain_are_those_of_each_walker(seed):
    random = np.random.default_rng(seed)
    chain, step = random_chain(random)
    wanted = random.permutation(6)[:3].tolist()
    found, stopped = ChainWalker(chain, wanted).visits(0, np.random.default_rng(seed), 60)
    slow = slow_walks(step, 0, wanted, np.random.default_rng(seed), 60, 10_000)
    assert (found == slow).all() and stopped == 0


def test_walkers_visit_pages_as_often_as_the_chain_says():
    for seed in range(5):
        chain, _ = random_chain(np.random.default_rng(seed))
        for steps in (None, 1, 3):
            found, _ = ChainWalker(chain, list(range(6))).visits(0, np.random.default_rng(1), 20_000, steps)
            for page in range(6):
                p = chain.visits(page, steps)[0]
                assert abs(found[page].mean() - p) <= 5 * math.sqrt(p * (1 - p) / 20_000) + 1e-9


def test_a_walk_that_hardly_ever_ends_is_stopped_and_counted():
    chain = Chain(["a", "b", "c"], np.array([0, 0]), np.array([0, 1]), np.array([1 - 1e-12, 1e-12]))
    found, stopped = ChainWalker(chain, [1]).visits(0, np.random.default_rng(0), 3)
    assert stopped == 3 and not found.any()
    clicks = ReachTable({("a", "a"): 1 - 1e-12, ("a", "b"): 1e-12})
    notes = bp.simulate({"q": {"b": 1}}, {"q": {"a": 1}}, "EPRUM", user="markov", navigation=clicks, readers=5).notes
    assert any("walks ended after 10000 steps: 5" in str(note) for note in notes)


@given(st.integers(1, 24), st.integers(0, 2**32))
@settings(max_examples=30, deadline=None)
def test_rows_are_sorted(rows, seed):
    values = np.random.default_rng(seed).choice([1.0, 2.0, 5.0, np.inf], (rows, 20))
    assert (sorted_rows(values) == np.sort(values, axis=0)).all()


def test_elements_lie_side_by_side_and_inside_each_other():
    paths = ["/a[1]/s[2]", "/a[1]/s[1]/p[1]", "/a[1]/s[1]", "/a[1]/s[1]/p[2]"]
    share = np.array([0.4, 0.1, 0.5, 0.3])
    begin = side_by_side(paths, share)
    assert begin.tolist() == pytest.approx([0.5, 0.0, 0.0, 0.1])
    places = np.linspace(0, 1, 1000, endpoint=False)
    inside = within(places, begin, share)
    assert not (inside[0] & inside[2]).any() and not (inside[1] & inside[3]).any()
    assert (inside[2] | ~inside[1]).all() and inside.mean(axis=1).tolist() == pytest.approx(share.tolist(), abs=2e-3)


def test_an_interval_may_go_on_at_the_beginning():
    assert within(np.array([0.1, 0.5, 0.95]), np.array([0.9]), np.array([0.3])).tolist() == [[True, False, True]]


# sums and errors


def test_sums_are_those_of_groups_and_blocks_add_up():
    values = np.random.default_rng(0).random((2, 1000))
    sums = ReaderValues(values, np.ones_like(values)).sums()
    assert sums.shape == (2, 2, GROUPS)
    assert sums[0, 1, 3] == pytest.approx(values[1, 3::GROUPS].sum()) and sums[1].sum() == 2000
    both = ReaderSums(ReaderValues.of(values[0]).sums(), False)
    both.add(ReaderSums(ReaderValues.of(values[1]).sums(), False))
    assert both.value == pytest.approx(values.mean())


def test_the_error_of_a_mean_is_its_standard_error():
    values = np.random.default_rng(0).random(100_000)
    found = ReaderSums(ReaderValues.of(values).sums(), False)
    assert jackknife_error(found.left_out) == pytest.approx(values.std() / math.sqrt(len(values)), rel=0.25)


def test_errors_are_right_over_many_simulations():
    """Of 200 simulations with seeds of their own, as many are within two errors as of a normal law."""
    truth, run = {"q": {"y": 1, "z": 1}}, {"q": {"x": 2, "z": 1}}
    exact = bp.simulate(truth, run, "PRUM", user="markov", navigation=FIGURE, units=10, readers=400_000, seed=999)
    value, near = exact.mean_rows[0].simulated, 0
    evaluation = Evaluation.prepare(truth, run, "PRUM", user="markov", navigation=FIGURE, units=10)
    for seed in range(200):
        row = bp.simulate(evaluation, readers=2000, seed=seed).mean_rows[0]
        near += abs(row.simulated - value) < 2 * row.error
    assert 180 <= near <= 199


def test_readers_who_do_not_count_are_left_out():
    found = ReaderValues.of(np.array([0.2, 0.0, 0.6]), np.array([1.0, 0.0, 1.0]))
    assert ReaderSums(found.sums(), False).value == pytest.approx(0.4)
    assert Spread.of(found.each).readers == 2


# by hand


def test_the_figure_of_the_papers():
    """P(y and z) is .436 for those who walk, .3752 for independent events."""
    found = bp.simulate(
        {"q": {"y": 1, "z": 1}}, {"q": {"x": 1}}, "EPRUM(r=2)", user="markov", navigation=FIGURE, readers=100_000
    )
    row = found.mean_rows[0]
    assert row.value == pytest.approx(2 * 0.3752)
    assert abs(row.simulated - 2 * 0.436) < FAR * row.error and row.is_clear


def test_one_click_leads_to_one_page():
    links = LinkTable(dict.fromkeys([("hub", "a"), ("hub", "b")]))
    found = bp.simulate({"q": {"a": 1, "b": 1}}, {"q": {"hub": 1}}, "EPRUM(r=1) EPRUM(r=2)", user="hyperlink",
                        navigation=links)  # fmt: skip
    one, two = found.mean_rows
    assert (one.value, two.value) == pytest.approx((0.75, 0.5))
    assert (one.simulated, two.simulated) == (1.0, 0.0)


def test_a_reader_who_goes_down_lands_in_one_place():
    """A section with two halves that are targets: whoever is in one is not in the other."""
    truth, run = {"q": {"d#0-50": 1, "d#50-100": 1}}, {"q": {"d#0-100": 1}}
    found = bp.simulate(truth, run, "EPRUM(r=1) EPRUM(r=2)", user="hierarchy")
    assert [row.value for row in found] == pytest.approx([0.75, 0.5])
    assert [row.simulated for row in found] == [1.0, 0.0]


def test_a_reader_who_looks_around_sees_all_that_is_nearer():
    truth, run = {"q": {"d#20-30": 1, "d#60-70": 1}}, {"q": {"d#0-10": 1}}
    rows = bp.simulate(truth, run, "EPRUM(r=1) EPRUM(r=2)", user="distance(theta=0.02)", readers=100_000).mean_rows
    near, far = 1 / (1 + math.exp(0.2)), 1 / (1 + math.exp(1.0))
    assert abs(rows[0].simulated - near) < FAR * rows[0].error
    assert abs(rows[1].simulated - 2 * far) < FAR * rows[1].error


def test_the_same_half_twice_is_a_half():
    truth, run = {"q": {"d#0-100": 1}}, {"q": {"d#0-50": 2, "d#1-50": 1}}
    for user in ("coverage", "coverage(memory=True)"):
        row = bp.simulate(truth, run, "ExpectedRatio", user=user, readers=40_000).mean_rows[0]
        assert abs(row.simulated - 0.5) < FAR * row.error
    assert row.value == pytest.approx(0.5) and agrees(row)


def test_each_pointer_of_a_group_is_decided_on_anew():
    """The second pointer is considered by .5, the third by .25, and by half of that once the second was found."""
    truth = handmade.span_truth({"q": [("d", 20, 30), ("d", 40, 50)]})
    run = handmade.span_run({"q": [("d", 0, 10), ("d", 20, 30), ("d", 40, 50)]})
    rows = bp.simulate(truth, run, "EPRUM(r=2) ExpectedRatio", user="fetch_browse(consider=0.5)", readers=40_000)
    both, share = rows.mean_rows
    assert both.value == pytest.approx(2 * 0.5 * 0.25) and agrees(both) and agrees(share)
    rows = bp.simulate(truth, run, "EPRUM(r=2)", user="fetch_browse(consider=0.5,after=0.5)", readers=40_000)
    assert abs(rows.mean_rows[0].simulated - 2 * 0.5 * 0.125) < FAR * rows.mean_rows[0].error


def test_readers_of_items_meet_what_reach_says():
    """Each target by itself, whatever was found before in the item: the chain over pointers is exact."""
    truth = handmade.span_truth({"q": [("d", 20, 30), ("d", 60, 70), ("d", 80, 90)]})
    pointers = [("d", 0, 10), ("d", 20, 30), ("d", 50, 55), ("d", 61, 70), ("d", 81, 90), ("d", 60, 66)]
    run = handmade.span_run({"q": [(*one, 1) for one in pointers]})
    for user in ("miss=0.5", "miss=0.2,consider=1", "after=0.3", "miss=0.6,after=0.4", "cascade=True",
                 "miss=0.9,after=0.7,cascade=True"):  # fmt: skip
        rows = bp.simulate(truth, run, "ExpectedRatio@1", user=f"fetch_browse({user})", readers=40_000)
        assert agrees(rows.mean_rows[0]) and 0.2 < rows.mean_rows[0].value < 0.9


def test_viewers_of_different_tolerance():
    """One target 10 after the entry, found by those whose tolerance is above; an entry behind it finds nothing."""
    truth, run = {"q": {"v#10-20": 1}}, {"q": {"v#0-5": 2, "v#30-35": 1}}
    options = {"collection": bp.Collection({"v": 100}), "user": "t2i(tolerance=10,spread=0.5)", "readers": 40_000}
    found = bp.simulate(truth, run, "EPRUM T2I(tolerance=10,budget=20) ESL(tolerance=10)", **options).mean_rows
    assert abs(found[0].simulated - 0.5) < FAR * found[0].error and agrees(found[0])
    # the others waste a unit at each entry; nine of ten units are irrelevant
    assert abs(found[1].simulated - 0.5 * (1 / 1 + 1 / 2) / 2) < FAR * found[1].error
    assert abs(found[2].simulated - 0.5 * (2 + 7 / 2)) < FAR * found[2].error
    assert found[1].value == 0.0, "all are as patient as the median, and the target is just too far"


# values beside exact ones where the hypotheses hold: one target, results that are independent of each other

LINKS = LinkTable(dict.fromkeys([("a", "t"), ("a", "u"), ("b", "a"), ("b", "u"), ("u", "t")]))
STEPS = ReachTable({("a", "t"): 0.3, ("a", "b"): 0.4, ("b", "a"): 0.5, ("b", "t"): 0.1, ("u", "t"): 0.2})
PAGES = ({"q": {"t": 1}}, {"q": {"a": 4, "u": 3, "b": 2, "t": 1}})
PLACES = (
    handmade.span_truth({"q": [("d", 100, 150)]}),
    handmade.span_run({"q": [("d", 20, 60), ("d", 90, 120), ("e", 0, 40), ("d", 130, 300), ("d", 110, 140)]}),
)
LENGTHS = bp.Collection({"d": 400, "e": 100})
HOLDING = {
    "classical": (PLACES, {}),
    "window(before=50,after=0)": (PLACES, {}),
    "parent(by='document')": (PLACES, {}),
    "coverage(memory=True)": (PLACES, {}),
    "hierarchy": (PLACES, {}),
    "distance": (PLACES, {}),
    "distance(law='inverse')": (PLACES, {}),
    "bep(A=0.5)": (PLACES, {"effort": "rank"}),
    "t2i(tolerance=60)": (PLACES, {}),
    "t2i(tolerance=60,spread=0.8)": (PLACES, {"effort": "rank"}),
    "t2i(tolerance='40=.3,90=.7')": (PLACES, {"effort": "rank"}),
    "forage(spread=0.5)": (PLACES, {"effort": "rank"}),
    "fetch_browse(of='distance',group='rank')": (PLACES, {}),
    "table": (PAGES, {"navigation": STEPS}),
    "markov": (PAGES, {"navigation": STEPS}),
    "hyperlink": (PAGES, {"navigation": LINKS}),
    "hyperlink(follow=0.7,steps=3)": (PAGES, {"navigation": LINKS}),
    "hyperlink(steps=4,trail=1.5)": (PAGES, {"navigation": LINKS}),
    "seek(goal=0.5,near=1,stop=0.2)": (PAGES, {"navigation": LINKS}),
}


@pytest.mark.parametrize("user", HOLDING)
def test_one_target_and_independent_results(user):
    (truth, run), options = HOLDING[user]
    given = {"user": user, "collection": LENGTHS, "units": 1000, **options}
    if truth is PLACES[0]:
        given.setdefault("effort", "chars")
    else:
        given["collection"] = None
    found = bp.simulate(
        truth, run, "EPRUM PRUM ExpectedRatio epnav GainRecall@2 EPRUM(rank=3)", readers=30_000, **given
    )
    assert len(found) == 6
    for row in found.mean_rows:
        if row.measure != "epnav" or "distance" not in user:  # browsing at different costs: an estimate there
            assert agrees(row), row


def test_other_forms_of_the_measures():
    """Other ideal lists, norms, points and recall values."""
    forms = "EPRUM(ideal='greedy') EPRUM(ideal='certified') EPRUM(ideal='certified',norm='bounded') " \
        "EPRUM(law='normal') EPRUM@0.5 epnav(ideal='certified') epnav(ideal='certified',norm='bounded') " \
        "epnav(points='ideal') epnav@0.5 PRUM@0.5 PRUM(r=1) PRUM(exact=True) ExpectedRatio@2 GainRecall@1"  # fmt: skip
    found = bp.simulate(*PAGES, forms, navigation=STEPS, units=1000, readers=30_000)
    assert len(found) == 14
    for row in found.mean_rows:
        assert agrees(row) and row.error > 0, row


def test_the_registered_models_are_all_here():
    assert set(users.registry.built_in()) == {user.partition("(")[0] for user in HOLDING}


@pytest.mark.parametrize(
    "measure",
    ["TBG(h=100)", "TBG(h=100,normalised=True)@2", "Coverage(budget=200)", "spanRBP(p=0.7)", "spanRBP(p=0.7,every=20)",
     "spanINST(T=2)", "spanCWL(go_on='1 0.5 0')", "spanCWL(go_on='0.9 0.5')"],
)  # fmt: skip
def test_readers_who_stop(measure):
    truth = handmade.span_truth({"q": [("d", 100, 150), ("e", 10, 30)]})
    for lists in ([("d", 90, 120), ("e", 0, 40), ("d", 130, 300)], [("c", 0, 10)]):
        row = bp.simulate(truth, handmade.span_run({"q": lists}), measure, readers=30_000, effort="chars").mean_rows[0]
        assert agrees(row), row


@pytest.mark.parametrize("measure", ["T2I", "T2I@3", "ESL(wanted=2)", "ESLRF", "PT2I", "PT2I@0.5", "T2I(t_init=9)"])
def test_viewers_who_are_all_alike(measure):
    measure = measure.replace("(", "(tolerance=15,") if "(" in measure else measure.replace("I", "I(tolerance=15)", 1)
    measure = measure if "tolerance" in measure else f"{measure}(tolerance=15)"
    truth, run = {"q": {"v#5-10": 1, "v#20-30": 1, "v#80-90": 1}}, {"q": {"v#50-60": 3, "v#0-8": 2, "w#0-4": 1}}
    row = bp.simulate(truth, run, measure, collection=bp.Collection({"v": 100, "w": 50}), readers=200).mean_rows[0]
    assert row.simulated == pytest.approx(row.value) and row.error < 1e-12


def test_epnav_pays_as_it_goes():
    """One target, browsed to from results of different length: by enumeration."""
    truth = handmade.span_truth({"q": [("d", 100, 200)]})
    run = handmade.span_run({"q": [("d", 80, 90), ("d", 210, 250), ("d", 90, 220)]})
    row = bp.simulate(truth, run, "epnav", user="distance(theta=0.05)", effort="chars", readers=100_000).mean_rows[0]
    p = 1 / (1 + math.exp(0.5))
    expected = 100 * (p / (10 + 100) + (1 - p) * p / (50 + 100) + (1 - p) ** 2 / (50 + 130))
    assert abs(row.simulated - expected) < FAR * row.error


def test_clicks_count_what_is_opened_and_browsed_to():
    truth, run = {"q": {"t": 1}}, {"q": {"a": 2, "t": 1}}
    row = bp.simulate(truth, run, "epnav", navigation=ReachTable({("a", "t"): 0.5}), effort="clicks").mean_rows[0]
    assert abs(row.simulated - (0.5 / 2 + 0.5 / 2)) < 1e-9


def test_each_viewer_on_his_own():
    """T2I and ESL of viewers of different tolerance, visit by visit."""
    spans = [("v", 5.0, 10.0), ("v", 20.0, 30.0), ("v", 80.0, 90.0), ("w", 12.0, 20.0)]
    truth = handmade.span_truth({"q": [(d, int(a), int(b)) for d, a, b in spans]})
    run = handmade.span_run({"q": [("v", 50, 60), ("v", 0, 8), ("v", 50, 60), ("w", 0, 4), ("v", 12, 15), ("x", 0, 5)]})
    lengths = {"v": 100.0, "w": 50.0, "x": 30.0}
    forms = "T2I(tolerance=10,budget=40) ESL(tolerance=10,wanted=3) T2I(tolerance=10)@3"
    evaluation = Evaluation.prepare(truth, run, forms, user="t2i(tolerance=99,spread=0.7)",
                                    collection=bp.Collection(lengths))  # fmt: skip
    judged, draws = evaluation.judge("run", "q"), Draws(8, "q", 0, 120)
    values = [found.each for found in reader_values(judged, evaluation.measures, draws).values()]
    ranking = judged.ranking
    for i in range(draws.count):
        left, before, found = list(range(4)), [], 0
        for row in range(len(ranking)):
            name, start = ranking.documents[ranking.document[row]], float(ranking.start[row])
            tolerance = 10 * math.exp(0.7 * draws.normal(ranking.name(row))[i])
            new = [(a, b, x) for x, (d, a, b) in enumerate(spans) if d == name and x in left]
            one = visit(start, lengths[name], new, Tolerance(tolerance))
            if row == 2:  # a repeated result
                before.append(found)
                continue
            left = [x for x in left if x not in one.found]
            found += len(one.found)
            before += [found] * one.wasted
        padded = [*before, *[found] * 4][:4]
        assert values[0][i] == pytest.approx(sum(n / t for t, n in enumerate(padded, start=1)) / 4)
        spent = sum(n < 3 for n in before)
        units = math.ceil((180 - 33) / 10)
        assert values[1][i] == pytest.approx(spent + max(0, 3 - found) * max(0, units - spent) / (4 - found + 1))
        assert values[2][i] == pytest.approx(padded[2] / 3)
    assert len(np.unique(values[0])) > 2
    signed = [str(row.signature) for row in bp.simulate(evaluation, readers=10)]
    assert all("viewers:spread=0.7|readers:10|" in text for text in signed), "the exact value has no user model"


def slow_spent(judged, draws):
    """Reader by reader, rank by rank: what is consulted, then what is browsed to for the first time."""
    unit, effort, reach = judged.effort_unit, judged.effort, judged.reach
    outside = {(k, x): cost for k, x, cost in zip(reach.rank, reach.target, effort.outside, strict=True)}
    readers = Readers(draws, len(judged.targets), unit == "chars")
    visits = []
    for one in judged.context.user.walk(judged.consulted, judged.targets, judged.context.reader, readers):
        visits.append(one)
        readers.see(one)
    spent = np.full(readers.first.shape, np.inf)
    for i in range(draws.count):
        total = 0.0
        for rank in range(judged.consulted.ranks):
            here = [one for one in visits if one.rank == rank]
            own = [one.length if unit == "chars" else one.opened for one in here]
            own = [float(values[i]) for values in own if values is not None]
            total += sum(own) if own else effort.ranks[rank]
            new = {x for one in here for x, seen in zip(one.target.tolist(), one.seen, strict=True)
                   if seen[i] and np.isinf(spent[x, i])}  # fmt: skip
            total += sum(outside.get((rank, x), 0.0) for x in new)
            for x in new:
                spent[x, i] = total
    return spent


@pytest.mark.parametrize("unit", ["chars", "clicks"])
@pytest.mark.parametrize(
    "user",
    ["distance(theta=0.02)", "hierarchy", "coverage", "fetch_browse(of='distance')", "t2i(tolerance=40,spread=0.8)",
     "fetch_browse(of='t2i(tolerance=40,spread=0.8)',after=0.5)", "distance(returns=False)"],
)  # fmt: skip
def test_what_each_reader_spends(user, unit):
    truth = handmade.span_truth({"q": [("d", 100, 150), ("d", 180, 240), ("e", 10, 30), ("e", 60, 70)]})
    run = handmade.span_run(
        {"q": [("d", 20, 60), ("d", 90, 120), ("d", 20, 60), ("f", 0, 9), ("e", 0, 40), ("d", 130, 300), ("e", 50, 65)]}
    )
    evaluation = Evaluation.prepare(truth, run, "epnav", user=user, effort=unit,
                                    collection=bp.Collection({"d": 400, "e": 100, "f": 50}))  # fmt: skip
    judged = evaluation.judge("run", "q")
    sessions = WalkedSessions(judged, Draws(3, "q", 0, 150), with_effort=True)
    assert np.allclose(sessions.spent, slow_spent(judged, Draws(3, "q", 0, 150)))
    assert np.isfinite(sessions.spent).any() and len(np.unique(sessions.spent[0])) > 1


# values of single readers


def slow_values(measure, first, ranks, units):
    """EPRUM, PRUM at every recall value, and epnav, reader by reader."""
    t = len(first)
    found = []
    for reader in first.T:
        order = sorted(reader.tolist())
        if measure == "EPRUM":
            found.append(sum(r / order[r - 1] for r in range(1, t + 1)) / t)
            continue
        pairs = []
        for r in range(1, t + 1):
            seen = sum(rank <= ranks for rank in order)
            read = order[r - 1] if r <= seen else ranks
            new = len({rank for rank in order[:r] if rank <= ranks})
            if r > seen:
                new += r - seen
                read += (r - seen) * (1 + (units - ranks - (t - seen)) / (t - seen + 1))
            pairs.append((new, read))
        found.append(pairs)
    return np.array(found)


@pytest.mark.parametrize("seed", range(3))
def test_what_each_reader_gets(seed):
    random = np.random.default_rng(seed)
    pages = [f"p{i}" for i in range(9)]
    steps = {(a, b): float(random.random() / 9) for a in pages for b in pages if a != b}
    truth = {"q": dict.fromkeys(pages[:4], 1)}
    run = {"q": {page: 9 - i for i, page in enumerate(pages[3:])}}
    evaluation = Evaluation.prepare(truth, run, "EPRUM PRUM epnav", user="markov", navigation=ReachTable(steps),
                                    units=50)  # fmt: skip
    judged = evaluation.judge("run", "q")
    draws = Draws(seed, "q", 0, 200)
    values = reader_values(judged, evaluation.measures, draws)
    first = WalkedSessions(judged, draws).first
    assert np.isinf(first).any() and (first < 3).any()
    assert values["EPRUM"].each.tolist() == pytest.approx(slow_values("EPRUM", first, 6, 50).tolist())
    assert values["epnav"].each.tolist() == pytest.approx(values["EPRUM"].each.tolist(), rel=0.05), "equal gains"
    pairs = slow_values("PRUM", first, 6, 50)
    assert np.allclose(values["PRUM"].top.T, pairs[:, :, 0]) and np.allclose(values["PRUM"].bottom.T, pairs[:, :, 1])


def test_unequal_gains_reader_by_reader():
    truth, run = {"q": {"a": 3, "b": 1, "c": 2}}, {"q": {"x": 3, "b": 2, "c": 1}}
    clicks = ReachTable({("x", "a"): 0.5, ("x", "c"): 0.3, ("b", "a"): 0.6})
    evaluation = Evaluation.prepare(truth, run, "epnav@0.5 epnav", navigation=clicks)
    judged = evaluation.judge("run", "q")
    draws = Draws(1, "q", 0, 100)
    values = reader_values(judged, evaluation.measures, draws, "most")
    first = WalkedSessions(judged, draws, together="most").first
    gains = judged.targets.gain
    for level, name in ((0.5, "epnav@0.5"),):
        for reader, value in zip(first.T, values[name].each, strict=True):
            ranks = [k for k in (1, 2, 3) if gains[reader <= k].sum() >= level * gains.sum() - 1e-9]
            assert value == pytest.approx(1 / ranks[0] if ranks else 0.0)  # the best list has it at rank 1
    assert 0 < values["epnav"].each.mean() <= 1


def test_readers_differ_in_what_is_ideal_for_them():
    """Half of the readers want a, the others a and b."""
    truth, run = {"q": {"a": 1, "b": 0.5}}, {"q": {"x": 3, "b": 2, "a": 1}}
    found = bp.simulate(truth, run, "EPRUM EPRUM(r=2) ExpectedRatio", readers=60_000)
    for row in found.mean_rows:
        assert agrees(row), row
    assert found.mean_rows[0].error > 0 and found.mean_rows[1].error < 1e-12


# the same digits


def test_digits_depend_on_the_seed_alone():
    truth = {f"q{i}": {"y": 1, "z": 1} for i in range(3)}
    run = {topic: {"x": 2, "z": 1} for topic in truth}
    kind = {"user": "markov", "navigation": FIGURE, "readers": 5 * BLOCK}
    one = bp.simulate(truth, run, "EPRUM", **kind).records()
    assert bp.simulate(truth, run, "EPRUM", jobs=2, **kind).records() == one
    assert bp.simulate(truth, run, "EPRUM ExpectedRatio EPRUM(user='classical')", **kind).records()[0] == one[0]
    other = bp.simulate(truth, run, "EPRUM", seed=1, **kind).records()
    assert other[0]["simulated"] != one[0]["simulated"]
    topics = bp.simulate(truth, run, "EPRUM", per_topic=True, **kind).records()
    assert len({row["simulated"] for row in topics}) == 4, "topics have readers of their own"


def test_runs_have_the_same_readers():
    truth = {"q": {"y": 1, "z": 1}}
    runs = {"one": {"q": {"x": 2, "w": 1}}, "same": {"q": {"x": 1}}, "later": {"q": {"w": 2, "x": 1}}}
    found = bp.simulate(truth, runs, "ExpectedRatio", user="markov", navigation=FIGURE).mean_rows
    assert [row.versus_first for row in found] == [None, 0.0, 0.0]
    assert [row.versus_first_error for row in found] == [None, 0.0, 0.0]
    assert found[0].error > 0
    rows = bp.simulate(truth, runs, "EPRUM", user="markov", navigation=FIGURE).mean_rows
    assert rows[2].versus_first < 0 and rows[2].versus_first_error < rows[0].error


def test_blocks_are_smaller_where_there_are_many_targets():
    how = Readership(100_000, 0)
    assert how.blocks(5)[0][1] == BLOCK and how.blocks(500)[0][1] < BLOCK
    assert sum(count for _, count in how.blocks(500)) == 100_000


def test_a_topic_that_the_run_does_not_answer():
    truth = {"q1": {"a": 1}, "q2": {"b": 1}}
    found = bp.simulate(truth, {"one": {"q1": {"a": 1}}, "two": {"q1": {"x": 1}, "q2": {"b": 1}}}, "EPRUM",
                        per_topic=True)  # fmt: skip
    assert [(row.run, row.topic, row.simulated) for row in found] == [
        ("one", "q1", 1.0), ("one", "q2", 0.0), ("one", "all", 0.5),
        ("two", "q1", 0.0), ("two", "q2", 1.0), ("two", "all", 0.5),
    ]  # fmt: skip
    assert [row.versus_first for row in found][3:] == [-1.0, 1.0, 0.0]


# the command


@pytest.fixture
def files(tmp_path):
    (tmp_path / "truth.qrels").write_text("q 0 y 1\nq 0 z 1\n")
    (tmp_path / "a.run").write_text("q Q0 x 1 2 a\n")
    (tmp_path / "b.run").write_text("q Q0 z 1 2 b\n")
    (tmp_path / "steps.tsv").write_text("x\ty\t0.5\nx\tz\t0.3\ny\tz\t0.8\nz\ty\t0.12\n")
    return [str(tmp_path / name) for name in ("truth.qrels", "a.run", "b.run", "steps.tsv")]


def run_cli(*arguments):
    return CliRunner().invoke(cli, ["simulate", *arguments])


def test_the_command(files):
    truth, a, b, steps = files
    given = (truth, a, b, "-m", "EPRUM(r=2) PRUM", "--user", "markov", "--navigation", steps, "--units", "9")
    rows = json.loads(run_cli(*given, "-o", "json", "--readers", "2000").stdout)
    assert [(row["run"], row["measure"], row["topic"]) for row in rows] == [
        ("a", "EPRUM(r=2)", "all"), ("a", "PRUM", "all"), ("b", "EPRUM(r=2)", "all"), ("b", "PRUM", "all"),
    ]  # fmt: skip
    assert set(rows[0]) >= {"value", "simulated", "error", "difference", "signature", "p50", "versus_first"}
    assert "readers:2000|seed:0" in rows[0]["signature"] and rows[0]["p50"] is None
    topics = json.loads(run_cli(*given, "-o", "json", "-q", "--jobs", "2", "--readers", "2000").stdout)
    assert topics[0]["p50"] in (0.0, 2.0) and topics[0]["topic"] == "q" and len(topics) == 8
    table = run_cli(*given, "-o", "table").stdout
    assert "vs a" in table and "10000 readers for each topic, seed 0" in table


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["-m", "AP"], "AP is not a mean over readers, so it cannot be simulated; those that can: "),
        (["-m", "EPRUM nxCG@10"], "nxCG@10 is not a mean over readers"),
        (["-m", "EPRUM", "--readers", "1"], "--readers"),
        (["-m", "EPRUM", "--seed", "-1"], "--seed"),
        ([], "AP is not a mean over readers"),
    ],
)
def test_what_cannot_be_simulated_is_refused(files, berrypick, more, message):
    found = berrypick("simulate", files[0], files[1], *more)
    assert found.code == 2 and not found.out and message in found.err and found.err.count("\n") == 1


def test_wrong_numbers_of_readers_are_refused():
    for wrong in (1, 0, -5, 2.5, "many", True, 10**12):
        with pytest.raises(bp.UsageError, match="readers must be a whole number from 2"):
            bp.simulate({"q": {"a": 1}}, {"q": {"a": 1}}, "EPRUM", readers=wrong)


def test_a_prepared_evaluation_takes_no_options():
    evaluation = Evaluation.prepare({"q": {"a": 1}}, {"q": {"a": 1}}, "EPRUM")
    assert bp.simulate(evaluation, readers=10).mean_rows[0].simulated == 1.0
    with pytest.raises(bp.UsageError, match="no effect on a prepared evaluation: user"):
        bp.simulate(evaluation, user="classical")


class Glancer(bp.UserModel):
    """Sees what is pointed to, and has no walk. Effort: none."""

    def reach(self, ranking, targets, context):
        return same_document(ranking, targets)


def test_a_model_without_a_walk_is_refused_in_one_line(files, berrypick, monkeypatch):
    monkeypatch.setitem(users.registry._registered, "glancer", Glancer)
    found = berrypick("simulate", files[0], files[1], "-m", "EPRUM", "--user", "glancer")
    assert found.code == 2 and not found.out
    assert found.err == (
        "berrypick: user model glancer cannot be simulated: it has no method walk; --together independent, "
        "--together most, --together least need none\n"
    )
    assert berrypick("evaluate", files[0], files[1], "-m", "EPRUM", "--user", "glancer").code == 0
    with pytest.raises(bp.UsageError, match="cannot be simulated"):
        bp.simulate({"q": {"a": 1}}, {"q": {"a": 1}}, "EPRUM", user=Glancer())


# in explanations and reports


def test_an_explanation_shows_how_readers_differ():
    truth, run = {"q": {"y": 1, "z": 1}}, {"q": {"x": 1}}
    told = str(bp.explain(truth, run, "EPRUM(r=2)", "q", user="markov", navigation=FIGURE, simulate=5000))
    assert "Values of 5000 simulated readers (seed 0)" in told and "Distribution over readers" in told
    share = float(told.split("share with 0")[1].split()[0])
    assert abs(share - (1 - 0.436)) < 0.03
    assert "simulated" not in str(bp.explain(truth, run, "EPRUM(r=2)", "q", user="markov", navigation=FIGURE))


def test_an_explanation_of_an_unanswered_topic_has_no_readers():
    told = str(bp.explain({"q": {"y": 1}, "p": {"z": 1}}, {"p": {"z": 1}}, "EPRUM", "q", simulate=50))
    assert "Readers are not simulated" in told


def test_explain_refuses_what_cannot_be_simulated(files, berrypick):
    found = berrypick("explain", files[0], files[1], "--topic", "q", "-m", "AP", "--simulate", "10")
    assert found.code == 2 and "AP is not a mean over readers" in found.err
    found = berrypick("explain", files[0], files[1], "--topic", "q", "-m", "PRUM", "--simulate", "500", "--units", "9")
    assert found.code == 0 and "all readers together" in found.out


def test_a_report_without_any_measure_of_readers_is_refused(tmp_path):
    pytest.importorskip("vl_convert")
    with pytest.raises(bp.UsageError, match="AP is not a mean over readers"):
        bp.write_report({"q": {"a": 1}}, {"q": {"a": 1}}, "AP", html=tmp_path / "r.html", simulate=100)
    assert not (tmp_path / "r.html").exists()


def test_what_readers_get_as_bars():
    spread = Spread.of(np.array([0.0, 0.0, 0.5, 1.0]))
    assert (spread.nothing, spread.mean, sum(spread.bars)) == (0.5, 0.375, 4)
    assert spread.edges[0] == 0 and spread.edges[-1] == 1 and spread.bars[0] == 2 and spread.bars[-1] == 1
    assert Spread.of(np.array([-2.0, 3.0])).edges[0] == -2
    assert sum(Spread.of(np.array([0.0, 0.0])).bars) == 2


def test_a_table_of_reach_has_no_walk(process, tmp_path):
    """Its readers see each target for itself, which is said beside the numbers."""
    rows = {("hub", "a"): 0.5, ("hub", "b"): 0.5}
    truth, run = {"q": {"a": 1, "b": 1}}, {"q": {"hub": 1}}

    def simulated(user):
        return bp.simulate(truth, run, "EPRUM(r=1) EPRUM(r=2)", user=user, navigation=ReachTable(rows), readers=1000)

    table, markov = simulated("table"), simulated("markov")
    assert not any(row.is_clear for row in table) and all(row.error > 0 for row in table)
    assert [row.difference > 0 for row in markov] == [True, False]
    assert {row.together for row in table} == {"independent"} and {row.together for row in markov} == {"walk"}
    said = "a table of reach has no joint probabilities"
    assert sum(said in note.text for note in table.notes) == 1
    assert not any(said in note.text for note in markov.notes)
    assert "it comes from" not in str(table)
    (tmp_path / "n.tsv").write_text("".join(f"{a}\t{b}\t{p}\n" for (a, b), p in rows.items()))
    (tmp_path / "t.qrels").write_text("q 0 a 1\nq 0 b 1\n")
    (tmp_path / "r.run").write_text("q Q0 hub 1 1 r\n")
    for user, times in (("table", 1), ("markov", 0)):
        done = process(
            "explain", tmp_path / "t.qrels", tmp_path / "r.run", "--topic", "q", "-m", "EPRUM(r=1)", "--user", user,
            "--navigation", tmp_path / "n.tsv", "--simulate", "100",
        )  # fmt: skip
        assert done.code == 0 and done.out.count("table of reach has no joint probabilities") == times


@pytest.mark.parametrize("user", ["markov", "hyperlink", "fetch_browse(of='markov')"])
def test_a_topic_without_a_target_in_the_chain_is_simulated(tmp_path, berrypick, user):
    """Nobody can walk to zz; whoever is shown it, at rank 2, after a page of the chain, has seen it."""
    truth, listed, steps = (tmp_path / name for name in ("truth.qrels", "list.run", "steps.tsv"))
    truth.write_text("1 0 a 1\n1 0 b 1\n2 0 zz 1\n")
    listed.write_text("1 Q0 a 1 1 r\n2 Q0 a 1 2 r\n2 Q0 zz 2 1 r\n")
    steps.write_text("a\tb\na\tc\nb\ta\n" if user == "hyperlink" else "a\tb\t0.5\nb\ta\t0.2\n")
    inputs, reader = (truth, listed, "-m", "EPRUM"), ("--user", user, "--navigation", steps)
    done = berrypick("simulate", *inputs, *reader, "--readers", 50, "--per-topic", "-o", "json")
    assert done.code == 0, done.err
    found = {row["topic"]: row for row in json.loads(done.out)}
    assert found["2"]["value"] == found["2"]["simulated"] == 0.5
    assert berrypick("explain", *inputs, "--topic", "2", *reader, "--simulate", 50).code == 0
    assert berrypick("report", *inputs, *reader, "--simulate", 50, "--html", tmp_path / "page.html").code == 0
