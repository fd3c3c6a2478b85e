"""Nothing is computed for a note that nobody sees."""

from __future__ import annotations

import pytest
import slow_text_twins as twins

import berrypick as bp
from berrypick.evaluation import notes, scoring
from berrypick.users.structure import hierarchy


@pytest.fixture
def calls(monkeypatch):
    """How often a function was called, by its name."""
    found: dict[str, int] = {}

    def count(module, name):
        found[name] = 0
        function = getattr(module, name)

        def counting(*arguments, **options):
            found[name] += 1
            return function(*arguments, **options)

        monkeypatch.setattr(module, name, counting)

    count(scoring.RunScorer, "_measure_overlap")
    count(scoring, "run_notes")
    count(notes, "score_notes")
    count(hierarchy, "nested_elements")
    return found


TRUTH = {"q": {"d#100-220": 1}, "p": {"d#0-10": 1}}
RUN = {"q": {"d#0-300": 2.0, "d#100-150": 1.0}, "p": {"e#0-10": 1.0}}


@pytest.mark.parametrize("measure", ["charP", "EPRUM", "spanRR", "Overlap"])
def test_a_number_is_computed_without_its_notes(calls, measure):
    found = bp.score(measure, TRUTH, RUN)
    assert calls == dict.fromkeys(calls, 0)
    results = bp.evaluate(TRUTH, RUN, measure)
    assert results.mean()["run"][measure] == found
    assert calls["run_notes"] == 1
    assert calls["_measure_overlap"] == (0 if measure == "Overlap" else 2)  # a topic each; Overlap itself is a measure
    assert any(note.kind == "overlap" for note in results.notes) == (measure != "Overlap")


def test_a_number_that_means_nothing_still_warns(calls):
    with pytest.warns(bp.BerrypickWarning, match="none of the run's documents is judged"):
        assert bp.score("charP", TRUTH, {"q": {"other#0-300": 2.0}}) == 0.0
    assert calls == dict.fromkeys(calls, 0)


def test_overlap_is_not_computed_for_runs_without_places(calls):
    bp.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "EPRUM AP")
    assert calls["_measure_overlap"] == 0


@pytest.mark.parametrize("noted", [False, True])
def test_lengths_that_are_all_known_are_not_looked_at_pair_by_pair(calls, noted):
    sizes = {("d", "/a[1]"): 40.0, ("d", "/a[1]/b[1]"): 10.0}
    truth = twins.graded_truth({("d", "/a[1]"): (3, 1), ("d", "/a[1]/b[1]"): (3, 3)}, None if noted else sizes)
    run = twins.element_run([[("d", "/a[1]")]])
    results = bp.evaluate(truth, [run], "ExpectedRatio@1", user="hierarchy")
    assert any(note.kind == "user model" for note in results.notes) == noted
    assert calls["nested_elements"] == 1 + noted  # once for the reach
