"""Measures of passages do what those of spans do: places, lengths, notes, unjudged text, names, lists cut otherwise."""

from __future__ import annotations

import random
import re

import handmade
import pytest
from hypothesis import given
from hypothesis import strategies as st

import berrypick as bp
from berrypick.data.collection import Collection
from berrypick.data.errors import UsageError
from berrypick.measures.spans import overlap

TRUTH = {"q": {"d#100-220": 1}, "p": {"d#0-10": 1}}
RUN = {"q": {"d#0-300": 2.0, "d#100-150": 1.0}, "p": {"e#0-10": 1.0}}
BOX = {"topic": "q", "doc": "a.pdf", "page": 1, "box": [0, 0, 2, 2], "page_size": [612, 792], "rank": 1, "grade": 1}


@pytest.mark.parametrize("measure", ["AiP", "gP@5", "BEPD(L=1)", "iP@0.1"])
def test_places_on_pages_are_refused(measure):
    with pytest.raises(bp.UsageError, match="does not count areas"):
        bp.score(measure, bp.Truth.from_records([BOX]), bp.Run.from_records([BOX]))


@pytest.mark.parametrize("measure", ["iP@0.5", "AiP", "Passage2AP", "PassageAP"])
def test_what_counts_all_that_is_read_needs_every_length(measure):
    truth, run = {"1": {"d": 1}}, {"1": {"d": 2.0, "x": 1.0}}
    with pytest.raises(bp.UsageError, match=re.escape(measure) + r" needs the length of document x.*documents="):
        bp.evaluate(truth, run, measure, collection=Collection({"d": 100.0}))
    whole = Collection({"d": 100.0, "x": 50.0})
    assert bp.evaluate(truth, run, measure, collection=whole).mean_rows[0].value >= 0


def test_a_number_is_computed_without_its_notes(monkeypatch):
    called = []
    share = overlap.repeated_share
    monkeypatch.setattr(overlap, "repeated_share", lambda *given: called.append(1) or share(*given))
    found = bp.score("AiP", TRUTH, RUN)
    assert called == []
    results = bp.evaluate(TRUTH, RUN, "AiP")
    assert results.mean()["run"]["AiP"] == found and len(called) == 2
    assert any(note.kind == "overlap" for note in results.notes)


@pytest.mark.parametrize("unjudged", ["irrelevant", "relevant"])
def test_what_unjudged_text_counts_as_is_refused(unjudged):
    with pytest.raises(UsageError, match="unjudged= applies to charP, charR, charF and IoU"):
        bp.evaluate(TRUTH, RUN, "AiP", unjudged=unjudged)


def test_names_of_one_letter_more_are_other_measures():
    assert bp.measures.parse_measure("gR@1") != bp.measures.parse_measure("R@1")


spans = st.tuples(st.sampled_from("de"), st.integers(0, 30), st.integers(1, 20)).map(
    lambda s: (s[0], s[1], s[1] + s[2])
)


@given(
    st.lists(spans, min_size=1, max_size=6), st.lists(spans, min_size=1, max_size=3, unique=True), st.integers(0, 99)
)
def test_the_order_of_a_set_of_chunks_changes_no_recall(results, wanted, seed):
    truth, again = handmade.span_truth({"1": wanted}), list(results)
    random.Random(seed).shuffle(again)
    one, other = (
        bp.score("gR", truth, handmade.span_run({"1": [(*span, rank) for rank, span in enumerate(given, 1)]}))
        for given in (results, again)
    )
    assert other == pytest.approx(one, abs=1e-12)
