"""Readers who mind repeated material more or less than irrelevant material, followed one second at a time."""

import math

import handmade
import numpy as np
import pytest
import slow_twins
from generated_inputs import span_worlds
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtri

import berrypick as bp
from berrypick.data.collection import Collection
from berrypick.users.tolerance.viewers import view
from berrypick.users.tolerance.visits import Tolerance, visit

RHO = st.sampled_from([1, 2, 3, 5, 8, 20, 1000, math.inf])


def typed(rho):
    return "'inf'" if math.isinf(rho) else rho


def evaluated(world, *asked, **options):
    truth, run = handmade.span_truth({"1": world.targets}), handmade.span_run({"1": world.results})
    return bp.evaluate(truth, run, list(asked), collection=Collection(world.lengths), **options).mean()["run"]


@given(span_worlds(), st.integers(1, 12), st.booleans(), st.integers(0, 5), RHO, st.integers(1, 3))
@settings(max_examples=120)
def test_the_measures(world, tau, keeps_viewing, t_init, rho, wanted):
    asked = f"tolerance={tau},keeps_viewing={keeps_viewing},t_init={t_init},redundancy={typed(rho)}"
    names = [f"T2I(budget={4 * tau},{asked})", *(f"{name}(wanted={wanted},{asked})" for name in ("ESL", "PT2I"))]
    t2i, esl, pt2i = evaluated(world, *names).values()
    entries = [(document, start) for document, start, _ in world.results]
    visits, at_unit = slow_twins.walk(entries, world.lengths, world.targets, tau, keeps_viewing, t_init, rho)
    found = sum(map(len, visits))
    assert t2i == pytest.approx(slow_twins.t2i(at_unit, found, 4), abs=1e-12)
    if wanted > len(world.targets):
        assert esl is pt2i is None
        return
    irrelevant = sum(world.lengths.values()) - len(slow_twins.characters(world.targets))
    length = slow_twins.search_length(at_unit, found, len(world.targets), wanted, math.ceil(irrelevant / tau))
    assert esl == pytest.approx(length, abs=1e-12)
    assert pt2i == pytest.approx(wanted / (wanted + length), abs=1e-12)


@given(span_worlds(), st.integers(1, 12), st.booleans(), RHO)
def test_the_user_model_reaches_what_the_visits_find(world, tau, keeps_viewing, rho):
    user = f"t2i(tolerance={tau},keeps_viewing={keeps_viewing},redundancy={typed(rho)})"
    entries = [(document, start) for document, start, _ in world.results]
    visits, _ = slow_twins.walk(entries, world.lengths, world.targets, tau, keeps_viewing, rho=rho)
    seen = 0
    found = evaluated(world, *(f"ExpectedRatio@{k + 1}" for k in range(len(entries))), user=user)
    for one, value in zip(visits, found.values(), strict=True):
        seen += len(one)
        assert value == pytest.approx(seen / len(world.targets))


@given(span_worlds(), st.integers(1, 12), st.booleans(), st.integers(0, 5))
def test_who_minds_both_alike_is_the_reader_of_the_paper(world, tau, keeps_viewing, t_init):
    asked = f"tolerance={tau},keeps_viewing={keeps_viewing},t_init={t_init}"
    values = evaluated(world, f"T2I({asked})", f"T2I({asked},redundancy={tau})").values()
    assert len(set(values)) == 1


@pytest.mark.parametrize(("rho", "value"), [(1, 0.5), (1000, 1.0), ("'inf'", 1.0)])
def test_a_second_entry_inside_what_was_seen(rho, value):
    truth = handmade.span_truth({"1": [("d", 20, 40), ("d", 44, 52)]})
    run = handmade.span_run({"1": [("d", 18, 19), ("d", 22, 23)]})
    user = f"t2i(tolerance=6,keeps_viewing=False,redundancy={rho})"
    assert bp.score("EPRUM", truth, run, collection=handmade.lengths(d=100), user=user) == value


def test_how_far_the_reader_goes():
    """4 of 6 units are left after [30,40) at half the cost from 28 on: 2/6 + 10/20, and 1/6 more until 41."""
    reader = Tolerance(6, redundancy=20)
    assert visit(28, 100, [], reader, [(30, 40)]).length == pytest.approx(13)
    assert visit(28, 100, [], Tolerance(6, redundancy=5), [(30, 40)]).length == pytest.approx(2 + 5 * 4 / 6)
    assert visit(28, 100, [], Tolerance(6, redundancy=math.inf), [(30, 40)]).length == pytest.approx(16)
    unseen = np.array([[False, True], [True, True]])
    went = view(28, 100, [(30, 40), (60, 70)], unseen, np.array([6.0, 6.0]), reader)
    assert went.length.tolist() == pytest.approx([13, 18]) and went.found.tolist() == [[False, True], [False, False]]


@given(span_worlds(), st.sampled_from([2, 8, math.inf]), st.booleans())
@settings(max_examples=15)
def test_people_who_differ_are_the_mean_of_those_of_each_tolerance(world, rho, keeps_viewing):
    """Quantiles of the log-normal distribution stand in for people."""
    asked = f"keeps_viewing={keeps_viewing},redundancy={typed(rho)}"
    spread = evaluated(world, f"T2I(tolerance=5,spread=0.6,{asked})").popitem()[1]
    people = 5 * np.exp(0.6 * ndtri((np.arange(400) + 0.5) / 400))
    values = evaluated(world, *(f"T2I(tolerance={tau:.6f},{asked})" for tau in people)).values()
    assert spread == pytest.approx(np.mean(list(values)), abs=0.02)


def test_reach_of_people_who_differ_does_not_know_what_was_seen():
    for given_ in ("spread=0.5", "tolerance='5=.5,9=.5'"):
        with pytest.raises(bp.UsageError, match="redundancy"):
            bp.evaluate({"q": {"d#0-5": 1}}, {"q": {"d#0-5": 1}}, "EPRUM", user=f"t2i({given_},redundancy=3)")
