"""Converting between elements with points and spans, with the XML documents at hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import berrypick as bp
from berrypick.data.assemble import assemble
from berrypick.data.collection import Collection
from berrypick.documents.xml.resolve import resolve_run
from berrypick.documents.xml.xml_documents import structure_of

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


class _Counting(dict):
    """Structures that count how often each is fetched."""

    def __init__(self, structures):
        super().__init__(structures)
        self.fetched = []

    def __getitem__(self, name):
        self.fetched.append(name)
        return super().__getitem__(name)


def test_each_document_of_a_run_is_fetched_once_and_the_first_wrong_row_is_reported():
    structures = _Counting({name: structure_of(b"<a><b>text</b><b>more</b></a>") for name in ("x", "y")})
    collection = Collection({"x": 8.0, "y": 8.0}, "folder", structures)

    def run(*pointers):
        return assemble(
            tag="r",
            topic=["1"] * len(pointers),
            document=[document for document, _ in pointers],
            path=[path for _, path in pointers],
            line=np.arange(1, len(pointers) + 1),
        )

    found = resolve_run(run(("x", "/a[1]/b[2]"), ("y", "/a[1]"), ("x", "/a[1]/b[1]"), ("y", "/a[1]/b[2]")), collection)
    assert structures.fetched == ["x", "y"]
    assert found.start.tolist() == [4, 0, 0, 4] and found.end.tolist() == [8, 8, 4, 8]
    with pytest.raises(bp.InputError, match=r"no element /a\[1\]/c") as raised:
        resolve_run(run(("x", "/a[1]"), ("y", "/a[1]/c[1]"), ("x", "/a[1]/d[1]"), ("z", "/a[1]")), collection)
    assert raised.value.line == 2
