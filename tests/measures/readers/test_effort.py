"""The expected ratio, effort-precision with navigation, and the law of the cumulated gain."""

import itertools
import math

import handmade
import numpy as np
import pytest
import slow_twins
from generated_inputs import identity_reach, rankings, reaches
from hypothesis import given, settings
from hypothesis import strategies as st

import berrypick as bp
from berrypick.data.reach import Reach
from berrypick.kernels import gain_law
from berrypick.measures.readers._effort_precision import work as epnav_work

LEVELS = (0.01, 0.25, 0.5, 0.77, 1.0)
GAINS = st.one_of(st.sampled_from([1.0, 2.0, 0.5, 3.0]), st.floats(0.01, 10))


@st.composite
def tasks(draw, **shape):
    matrix = draw(reaches(**shape))
    ranks, targets = matrix.shape

    def positive(size):
        return draw(st.lists(GAINS, min_size=size, max_size=size))

    return matrix, positive(targets), positive(ranks), positive(targets)


@given(tasks(ranks=(1, 5), targets=(1, 4), coins=7))
def test_effort_precision_is_that_of_all_scenarios(task):
    matrix, gains, effort, target_effort = task
    value = bp.effort_precision(matrix, gains, effort=effort, target_effort=target_effort, levels=LEVELS)
    expected = [slow_twins.effort_precision(matrix, gains, effort, target_effort, level) for level in LEVELS]
    np.testing.assert_allclose(value, expected, rtol=1e-11, atol=1e-12)


@given(tasks(ranks=(1, 5), targets=(1, 3), coins=6))
def test_with_efforts_of_1(task):
    matrix, gains, _, _ = task
    ones = [1.0] * len(matrix), [1.0] * len(gains)
    expected = [slow_twins.effort_precision(matrix, gains, *ones, level) for level in LEVELS]
    np.testing.assert_allclose(bp.effort_precision(matrix, gains, levels=LEVELS), expected, rtol=1e-11, atol=1e-12)


@given(reaches(ranks=(1, 5), coins=6), st.data())
def test_as_a_measure(matrix, data):
    t = matrix.shape[1]
    grades = data.draw(st.lists(st.sampled_from([1.0, 2.0, 3.0]), min_size=t, max_size=t))
    truth, run, table = handmade.from_matrix(matrix, grades=grades)
    values = bp.evaluate(truth, run, "epnav epnav@0.5 epnav@1", navigation=table).mean()["run"]
    by_level = bp.effort_precision(matrix, grades)
    assert values["epnav"] == pytest.approx(math.fsum(by_level) / 100, abs=1e-12)
    assert values["epnav@0.5"] == pytest.approx(by_level[49], abs=1e-12)
    assert values["epnav@1"] == pytest.approx(by_level[99], abs=1e-12)


@given(rankings(longest=8, most=3), st.data())
def test_with_the_identity_it_is_effort_precision_without_navigation(ranking, data):
    """epnav@l = epgr(interpolation='step')@l with identity reach and rank effort."""
    flags, targets = ranking
    if not flags:
        return
    gains = data.draw(st.lists(GAINS, min_size=targets, max_size=targets))
    value = bp.effort_precision(identity_reach(flags, targets), gains, levels=LEVELS)
    hits = {rank: gains[n] for n, rank in enumerate(k for k, relevant in enumerate(flags) if relevant)}
    run = list(itertools.accumulate(hits.get(k, 0.0) for k in range(len(flags))))
    ideal = list(itertools.accumulate(sorted(gains, reverse=True)))
    for level, found in zip(LEVELS, value, strict=True):
        wanted = level * math.fsum(gains) * (1 - 1e-9)
        rank = next((k for k, gain in enumerate(run, start=1) if gain >= wanted), None)
        best = next((k for k, gain in enumerate(ideal, start=1) if gain >= wanted), len(ideal))
        assert found == pytest.approx(best / rank if rank else 0.0, abs=1e-12)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=25)
def test_epnav_is_epgr_by_steps_for_who_does_not_move(seed):
    """measures.md section 5, through the whole house."""
    rng = np.random.default_rng(seed)
    pages = [f"d{i}" for i in range(8)]
    truth = handmade.document_truth({"1": {page: int(rng.integers(0, 4)) for page in pages[:6]} | {"d0": 1}})
    run = handmade.document_run({"1": rng.permutation(pages)[: rng.integers(1, 8)].tolist()})
    levels = (0.01, 0.1, 0.33, 0.5, 0.77, 1)
    ours, theirs = (
        list(bp.evaluate(truth, run, [f"{name}@{level}" for level in levels]).mean()["run"].values())
        for name in ("epnav", "epgr(interpolation='step')")
    )
    assert ours == pytest.approx(theirs, abs=1e-12)


def test_a_grid_is_told_in_signature_and_notes(monkeypatch):
    monkeypatch.setattr(gain_law, "MOST_SUMS", 2)
    truth, run, table = handmade.from_matrix([[0.5, 0.4, 0.3], [0.1, 0.2, 0.3]], grades=[1, 2.5, 3.7])
    results = bp.evaluate(truth, run, "epnav", navigation=table)
    assert all("gains:grid(" in str(row.signature) for row in results)
    assert any("grid" in note for note in map(str, results.notes))


def test_an_exact_law_is_told_too():
    truth, run, table = handmade.from_matrix([[0.5, 0.4], [0.1, 0.2]], grades=[1, 2])
    results = bp.evaluate(truth, run, "epnav", navigation=table)
    assert all("law:exact" in str(row.signature) for row in results) and not results.notes


def test_effort_in_characters_charges_what_is_read():
    """Two results of 50 and 10 characters; the second is the target."""
    truth = handmade.span_truth({"1": [("d", 50, 60)]})
    run = handmade.span_run({"1": [("d", 0, 50), ("d", 50, 60)]})
    by_rank = bp.evaluate(truth, run, "epnav@1").mean()["run"]["epnav@1"]
    by_text = bp.evaluate(truth, run, "epnav@1", effort="chars").mean()["run"]["epnav@1"]
    assert by_rank == pytest.approx(1 / 2)
    assert by_text == pytest.approx(10 / 60)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"gains": [1]}, "gains must have 2"),
        ({"gains": [1, 0]}, "above 0"),
        ({"gains": [1, -1]}, "above 0"),
        ({"gains": [1, float("nan")]}, "above 0"),
        ({"gains": ["much", "more"]}, "gains"),
        ({"gains": [1, 1], "effort": [1]}, "effort must have 3"),
        ({"gains": [1, 1], "effort": [1, 0, 1]}, "above 0"),
        ({"gains": [1, 1], "target_effort": [1, 0]}, "above 0"),
    ],
)
def test_wrong_vectors_are_refused(arguments, told):
    with pytest.raises(bp.UsageError, match=told):
        bp.effort_precision([[0.4, 0.4], [0.6, 0.4], [1, 0]], **arguments)


def test_empty_lists_and_empty_targets():
    assert bp.expected_ratio(np.zeros((0, 2))).tolist() == []
    assert not bp.effort_precision(np.zeros((0, 2)), [1, 1]).any()
    assert not bp.effort_precision(np.zeros((3, 2)), [1, 1]).any()
    for function in (bp.expected_ratio, lambda matrix: bp.effort_precision(matrix, [])):
        with pytest.raises(bp.UsageError, match="no columns"):
            function(np.zeros((3, 0)))


def test_a_list_that_leads_nowhere_has_no_browsing_effort():
    """Same document, nothing in common: the reach is empty, and so is what is browsed to."""
    assert bp.score("epnav", {"q": {"d#0-10": 1}}, {"q": {"d#50-60": 1}}, effort="chars", user="hierarchy") == 0.0


@given(reaches(ranks=(1, 6), targets=(1, 5)), st.sampled_from([1.0, 0.3, 7.0]), st.booleans())
def test_equal_gains_are_a_number_of_targets(matrix, gain, browsing):
    """The law of the number seen gives what the listed sums of gains give."""
    reach = Reach.of(matrix)
    gains = np.full(reach.targets, gain)
    effort = np.arange(1.0, reach.ranks + 1)
    outside = np.linspace(0.5, 2.0, len(reach.rank)) * browsing
    found = epnav_work(reach, gains, effort, np.ones(reach.targets), outside, LEVELS)
    with pytest.MonkeyPatch.context() as listed:
        listed.setattr(gain_law, "are_equal", lambda gains: False)
        plain = epnav_work(reach, gains, effort, np.ones(reach.targets), outside, LEVELS)
    assert found.precision == pytest.approx(plain.precision, rel=1e-12, abs=1e-300)
    assert found.cells == plain.cells == 0


@settings(max_examples=30)
@given(reaches(ranks=(1, 5)))
def test_by_ranks_and_with_equal_gains_it_is_eprum(matrix):
    """So EPRUM's best lists are its best lists too."""
    truth, run, table = handmade.from_matrix(matrix)
    levels = ("@0.3", "@0.5", "@0.77", "@1")
    names = [f"{measure}{at}" for at in levels for measure in ("epnav", "EPRUM")]
    values = bp.evaluate(truth, run, names, navigation=table).mean()["run"]
    for at in levels:
        assert values[f"epnav{at}"] == pytest.approx(values[f"EPRUM{at}"], rel=1e-9, abs=1e-12)
