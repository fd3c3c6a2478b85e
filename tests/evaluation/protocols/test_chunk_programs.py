"""The programs chunking_evaluation and legalbenchrag as protocols, by hand."""

from __future__ import annotations

import handmade
import pytest
from two_spans import LENGTHS, TRUTH, value, values

import berrypick as bp
from berrypick.tables.text import explanation


def test_the_protocol_has_its_own_measures_and_signs_them():
    run, chunks = handmade.span_run({"1": [("d", 0, 200)]}), handmade.span_run({"any": [("d", 0, 200)]})
    results = bp.evaluate(TRUTH, run, protocol="chunking-evaluation", collection=LENGTHS, chunks=chunks)
    assert list(results.mean()["run"]) == ["IoU@5", "charR@5", "charP@5", "PrecisionOmega(touching=True)"]
    assert all("protocol:chunking-evaluation" in str(row.signature) for row in results)
    assert "counted:each" in str(results.mean_rows[0].signature)
    assert "added up" in explanation(bp.explain(TRUTH, run, "IoU(counted='each')@5", "1", collection=LENGTHS))


def test_text_in_two_results_counts_twice_by_hand_and_is_told():
    wanted = handmade.span_truth({"1": [("d", 0, 100)], "2": [("d", 0, 100)]})
    run = handmade.span_run({"1": [("d", 0, 100), ("d", 50, 150)], "2": [("d", 0, 50)]})
    results = bp.evaluate(wanted, run, protocol="legalbench-rag", curves=True)
    per_topic = results.per_topic()["run"]
    assert per_topic["charR"] == {"1": 1.5, "2": 0.5} and per_topic["charP"] == {"1": 0.75, "2": 1.0}
    assert per_topic["charR(counted='once')"] == {"1": 1.0, "2": 0.5}
    assert per_topic["charP(counted='once')"] == {"1": pytest.approx(100 / 150), "2": 1.0}
    assert results.curves()["run"]["charR"]["1"] == [(1, 1.0), (2, 1.5)]
    notes = list(map(str, results.notes))
    assert any("charR: what several results" in note and "(1 topic)" in note for note in notes)
    assert any("charR: values above 1" in note for note in notes)
    assert results.mean_rows[0].signature["counted"] == "pairs"
    assert results.mean_rows[0].signature["protocol"] == "legalbench-rag"
    told = explanation(bp.explain(wanted, run, "charR(counted='pairs')", "1"))
    assert "As legalbenchrag counts" in told and "charR(counted='once'), for comparison" in told


def test_what_legalbenchrag_does_not_have_is_refused():
    with pytest.raises(bp.UsageError, match="no program defines it so"):
        value([("d", 0, 10)], "IoU(counted='pairs')")
    assert value([("d", 0, 10), ("d", 0, 10)], "IoU", protocol="legalbench-rag") == value([("d", 0, 10)], "IoU")


# --- all chunks there are -------------------------------------------------------------------------------------------


def test_precision_omega_by_hand():
    truth = handmade.span_truth({"1": [("d", 100, 150)]})
    chunks = handmade.span_run({"any": [("d", 0, 100), ("d", 100, 200), ("d", 200, 300), ("e", 100, 200)]})
    found = values(
        handmade.span_run({"1": [("e", 0, 1)]}), "PrecisionOmega PrecisionOmega(touching=True)", truth, chunks=chunks
    )
    assert found == {"PrecisionOmega": 0.5, "PrecisionOmega(touching=True)": 0.25}  # [0,100) only touches the target
    with pytest.raises(bp.UsageError, match="chunks="):
        value([("d", 0, 1)], "PrecisionOmega", truth)
