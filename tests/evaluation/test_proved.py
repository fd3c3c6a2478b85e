"""What reach alone leaves open between runs: the note of a comparison."""

import berrypick as bp
from berrypick.data.navigation import ReachTable
from berrypick.evaluation.proved import with_bounds

TRUTH = {"q": {"a": 1, "b": 1}, "p": {"a": 1}}
CLICKS = ReachTable({("c", "a"): 0.4, ("c", "b"): 0.4, ("d", "a"): 0.6, ("d", "b"): 0.4})
RUNS = {
    "one": {"q": {"c": 3, "d": 2, "a": 1}, "p": {"c": 2, "a": 1}},
    "two": {"q": {"a": 2, "d": 1}, "p": {"c": 2, "a": 1}},
}


def notes(measures, runs=RUNS, **options):
    found = bp.compare(TRUTH, runs, measures, resamples=100, **options)
    assert set(found.measures) == set(measures.split()), "bounds are not compared"
    return [(note.measure, note.text) for note in found.notes if note.kind == "together"]


def test_a_note_where_the_interval_is_wider_than_the_difference():
    """q, r = 1: one is in [.66, .90] with .8056, two has 1. r = 2: one in [.56, 1.04], two: 2 x .4/2 = .4."""
    said = dict(notes("EPRUM(r=1) EPRUM(r=2) ExpectedRatio", navigation=CLICKS))
    # topic p has one target: nothing is open there, so half of the difference and of the interval
    assert "two minus one +0.0972, from +0.0500 to +0.1700 (the order stays)" in said["EPRUM(r=1)"]
    assert "two minus one -0.3488, from -0.6400 to -0.1600 (the order stays)" in said["EPRUM(r=2)"]
    assert "EPRUM(r=2,together='low') and EPRUM(r=2,together='high') bound each run" in said["EPRUM(r=2)"]
    assert "ExpectedRatio" not in said


def test_neither_sign_is_proved():
    runs = {"one": {"q": {"c": 3, "d": 2, "a": 1}}, "two": {"q": {"d": 3, "c": 2, "a": 1}}}
    [(_, text)] = notes("EPRUM(r=1)", runs, navigation=CLICKS)
    # after rank 1 one has .4 and .4, two .6 and .4: P(F >= 1) is .64 in [.4, .8] and .76 in [.6, 1]. Then both have c
    # and d. Somebody sees a by d and not by c: .36, b: .24. Over 1 x 2, and two topics, one of them without results
    assert "two minus one +0.0300, from -0.0500 to +0.1500 (not proved)" in text


def test_a_run_that_is_never_behind():
    runs = {"one": {"q": {"c": 3, "a": 2, "b": 1}}, "two": {"q": {"c": 4, "x": 3, "a": 2, "b": 1}}}
    [(_, text)] = notes("EPRUM(r=1)", runs, navigation=ReachTable({("c", "a"): 0.5, ("c", "b"): 0.5}))
    assert "two minus one -0.0208, from -0.0417 to +0.0000 (one is never behind)" in text


def test_no_note_where_nothing_is_open():
    assert notes("EPRUM AP") == []
    assert notes("EPRUM(rank=2)", navigation=CLICKS) == [], "E[F]/k under every law"
    assert notes("EPRUM(r=1,law='normal')", navigation=CLICKS) == []
    same = {"one": RUNS["one"], "same": RUNS["one"]}
    assert notes("EPRUM(r=1)", same, navigation=CLICKS) == [], "no difference"


def test_results_alone_have_no_bounds():
    results = bp.evaluate(TRUTH, RUNS, "EPRUM", navigation=CLICKS)
    assert not any(note.kind == "together" for note in bp.compare(results, resamples=100).notes)


def test_bounds_are_asked_for_once():
    asked = "EPRUM EPRUM(together='low')"
    evaluation = with_bounds(bp.Evaluation.prepare(TRUTH, RUNS, asked, navigation=CLICKS))
    assert [one.text for one in evaluation.measures] == [*asked.split(), "EPRUM(together='high')"]
    found = bp.compare(TRUTH, RUNS, asked, navigation=CLICKS, resamples=100)
    assert set(found.measures) == set(asked.split())
