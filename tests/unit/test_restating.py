"""Converting between elements with points and spans, with the XML documents at hand."""

from __future__ import annotations

from pathlib import Path

import berrypick as bp

CAMPAIGN = Path(bp.__file__).parent / "demo" / "campaign"
COLLECTION = CAMPAIGN / "collection"
MEASURES = "nxCG@5 MAep AgP BEPD EPRUM"


def test_highlighted_text_becomes_assessments(berrypick, tmp_path) -> None:
    done = berrypick("convert", CAMPAIGN / "highlighted.qrels", tmp_path / "a.xml", "--collection", COLLECTION)
    assert done.code == 0, done.err
    run = CAMPAIGN / "runs" / "sections.xml"
    bundled = bp.evaluate(CAMPAIGN / "assessments.xml", run, MEASURES, collection=COLLECTION).per_topic()
    derived = bp.evaluate(tmp_path / "a.xml", run, MEASURES, collection=COLLECTION).per_topic()
    assert bundled == derived


def test_assessments_become_highlighted_text(berrypick, tmp_path) -> None:
    done = berrypick(
        "convert",
        CAMPAIGN / "assessments.xml",
        tmp_path / "a.qrels",
        "--to",
        "inex-fol-truth",
        "--collection",
        COLLECTION,
    )
    assert done.code == 0, done.err
    bundled = (CAMPAIGN / "highlighted.qrels").read_text().splitlines()
    assert sorted((tmp_path / "a.qrels").read_text().splitlines()) == sorted(bundled)


def test_element_run_becomes_spans(berrypick, tmp_path) -> None:
    run = CAMPAIGN / "runs" / "sections.xml"
    done = berrypick("convert", run, tmp_path / "a.jsonl", "--collection", COLLECTION)
    assert done.code == 0, done.err
    truth = CAMPAIGN / "highlighted.qrels"
    assert bp.evaluate(truth, tmp_path / "a.jsonl", "AiP AgP charR@3").mean() == (
        bp.evaluate(truth, run, "AiP AgP charR@3", collection=COLLECTION).mean()
    )
