"""Measures that need no length of other documents do without."""

from __future__ import annotations

import handmade

import berrypick as bp
from berrypick.data.collection import Collection
from berrypick.tables.text import explanation

DOCUMENTS = handmade.document_truth({"1": {"d": 1}})


UNKNOWN = handmade.document_run({"1": ["x", "d"]})


KNOWN = Collection({"d": 100.0})


def test_what_needs_no_length_of_other_documents_does_without():
    asked = "charR charR@1 AgP gR APtol spanHit T2I(tolerance=15)"
    found = bp.evaluate(DOCUMENTS, UNKNOWN, asked, collection=KNOWN).mean()["run"]
    assert found["charR"] == 1 and found["charR@1"] == 0 and found["AgP"] == 0.5 and found["spanHit"] == 1
    later = handmade.document_run({"1": ["d", "x"]})
    assert bp.evaluate(DOCUMENTS, later, "charP@1", collection=KNOWN).mean_rows[0].value == 1
    told = explanation(bp.explain(DOCUMENTS, UNKNOWN, "charR", "1", collection=KNOWN))
    assert "unknown" in told and "nan" not in told
