"""How much of what is retrieved was retrieved before: the measure, the note about every run, and unknown lengths."""

from __future__ import annotations

import json
import re

import handmade
import numpy as np
import pytest
import slow_text_twins as twins
from hypothesis import given
from hypothesis import strategies as st

import berrypick as bp
from berrypick.data.collection import Collection
from berrypick.evaluation.notes import LEAST_OVERLAP
from berrypick.kernels.relevant_text import once
from berrypick.tables.text import explanation

TRUTH = handmade.span_truth({"1": [("d", 100, 200)], "2": [("d", 0, 10)], "3": [("d", 0, 1)], "4": []})
#: 50 of 400 characters come twice, and none of 10; topic 3 is missing, topic 4 has nothing relevant.
RUN = handmade.span_run(
    {"1": [("d", 0, 200), ("d", 150, 350)], "2": [("d", 0, 10)], "4": [("d", 0, 9), ("d", 0, 8)]}, tag="mine"
)
TOLD = "mine: 6.25% of the retrieved material repeats earlier results (Overlap)"


def overlaps(results: bp.Results) -> list[str]:
    return [note for note in map(str, results.notes) if "Overlap" in note]


# --- text once --------------------------------------------------------------------------------------------------------

regions = st.lists(st.tuples(st.integers(0, 3), st.integers(-4, 30), st.integers(-2, 9)), max_size=9)


@given(regions, st.sampled_from([np.int64, np.float64]), st.sampled_from([1, 10**6, 2**56]))
def test_text_that_several_regions_hold_is_counted_once(kernels, rows, kind, apart):
    """Documents far apart too, whose lines put one behind the other would be longer than whole numbers are."""
    document = np.array([d * apart for d, _, _ in rows], dtype=np.int64)
    start = np.array([s for _, s, _ in rows], dtype=kind)
    end = np.array([s + n for _, s, n in rows], dtype=kind)
    assert once(document, start, end) == len({(d, i) for d, s, n in rows for i in range(s, s + n)})


# --- the note ---------------------------------------------------------------------------------------------------------


def test_every_run_that_may_overlap_is_told_about():
    other = handmade.span_run({"1": [("d", 0, 200)]}, tag="other")
    results = bp.evaluate(TRUTH, [RUN, other], "charR@1")
    assert overlaps(results) == [TOLD]
    assert results.run_facts["mine"].overlap == 0.0625 and results.run_facts["other"].overlap == 0
    assert results.mean()["mine"].keys() == {"charR@1"}
    assert TOLD in map(str, bp.compare(TRUTH, [RUN, other], "charR@1").notes)


@pytest.mark.slow
@pytest.mark.parametrize("measures", ["EPRUM", "AP", "charR AP"])
@pytest.mark.parametrize("jobs", [1, 2])
def test_whatever_is_measured_and_in_however_many_processes(measures, jobs):
    assert overlaps(bp.evaluate(TRUTH, RUN, measures, jobs=jobs)) == [TOLD]


def test_who_asks_is_not_told_twice():
    assert overlaps(bp.evaluate(TRUTH, RUN, "charR Overlap")) == []
    assert overlaps(bp.evaluate(TRUTH, RUN, "Overlap@1")) == []


def test_whole_documents_cannot_overlap():
    run = handmade.document_run({"1": ["d", "e"]})
    assert overlaps(bp.evaluate(handmade.document_truth({"1": {"d": 1}}), run, "EPRUM AP")) == []
    whole = {"collection": handmade.lengths(d=400, e=400), "whole_documents": True}
    assert overlaps(bp.evaluate(TRUTH, run, "charR", **whole)) == []


def test_repeated_results_count_as_the_evaluation_takes_them():
    run = handmade.span_run({"1": [("d", 0, 200), ("d", 0, 200)]})
    assert overlaps(bp.evaluate(TRUTH, run, "charR"))[0].startswith("run: 50% of")
    assert overlaps(bp.evaluate(TRUTH, run, "charR", duplicates="first")) == []


spans = st.tuples(st.sampled_from(["d", "e"]), st.integers(0, 40), st.integers(1, 20)).map(
    lambda one: (one[0], one[1], one[1] + one[2])
)


@given(st.lists(spans, min_size=1, max_size=6), st.lists(spans, min_size=1, max_size=6))
def test_the_note_tells_the_mean_of_the_measure(first, second):
    run = handmade.span_run({"1": first, "2": second})
    wanted = bp.evaluate(TRUTH, run, "Overlap").mean()["run"]["Overlap"]
    results = bp.evaluate(TRUTH, run, "charR")
    assert results.run_facts["run"].overlap == wanted
    assert [f"run: {100 * wanted:.3g}% of" in note for note in overlaps(results)] == [True] * (wanted >= LEAST_OVERLAP)
    twin = [twins.overlap([[span] for span in one], None) for one in (first, second)]
    assert wanted == pytest.approx(float(sum(twin)) / 2)


def test_standard_output_holds_the_result_only(files, berrypick):
    truth = '{"topic": "1", "doc": "d", "start": 0, "end": 10}\n'
    paths = files(truth_jsonl=truth, run_jsonl=truth.replace("10}", '8, "tag": "a"}') + truth)
    done = berrypick("evaluate", paths["truth_jsonl"], paths["run_jsonl"], "-m", "charR", "-o", "json")
    assert done.code == 0 and [row["measure"] for row in json.loads(done.out)] == ["charR"]
    assert "note: a: 44.4% of the retrieved material repeats earlier results (Overlap)" in done.err
    compared = berrypick("compare", paths["truth_jsonl"], paths["run_jsonl"], "-m", "charR", "-o", "json")
    assert "44.4% of the retrieved material" in compared.err and "Overlap" not in compared.out


# --- campaigns charge otherwise, and mean the same by overlap ---------------------------------------------------------


def test_regions_of_one_rank_are_one_result():
    """Two regions of one item share 50 characters: it is 350 long, and repeats nothing; the next item repeats 100."""
    run = twins.span_run([[("d", 0, 200), ("d", 150, 350)]])
    assert twins.value(TRUTH, run, "Overlap", topics="run") == 0.0
    assert overlaps(bp.evaluate(TRUTH, run, "charR")) == []
    again = twins.span_run([[("d", 0, 200), ("d", 150, 350)], [("d", 300, 400), ("d", 250, 350)]])
    assert twins.value(TRUTH, again, "Overlap", topics="run") == pytest.approx(1 - 400 / (350 + 150))
    told = explanation(bp.explain(TRUTH, again, "Overlap", "1"))
    assert "1 (d#150-350)     150" in told and "lengths added up    500" in told


# --- whole documents of which nobody knows the length -----------------------------------------------------------------

DOCUMENTS = handmade.document_truth({"1": {"d": 1}})
UNKNOWN = handmade.document_run({"1": ["x", "d"]})
KNOWN = Collection({"d": 100.0})


@pytest.mark.parametrize(
    "measure",
    ["charP", "charF", "IoU", "Overlap", "charP@1", "charP(counted='each')"],
)
def test_what_counts_all_that_is_read_needs_every_length(measure):
    expected = re.escape(measure) + r" needs the length of document x.*collection=.*documents="
    with pytest.raises(bp.UsageError, match=expected):
        bp.evaluate(DOCUMENTS, UNKNOWN, measure, collection=KNOWN)
    assert (
        bp.evaluate(DOCUMENTS, UNKNOWN, measure, collection=Collection({"d": 100.0, "x": 50.0})).mean_rows[0].value >= 0
    )


def test_texts_tell_lengths_too():
    texts = {"d": "x" * 100, "x": "y" * 100}
    assert bp.evaluate(DOCUMENTS, UNKNOWN, "charP", documents=texts).mean_rows[0].value == 0.5
