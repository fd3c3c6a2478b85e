"""Signatures say where the sizes of elements came from: the assessments, or which edition of which collection."""

from __future__ import annotations

import pytest
import slow_text_twins as twins

import berrypick as bp

ELEMENTS = """<assessments topic="1"><file name="a">
 <element path="/article[1]" exhaustivity="2" size="30" rsize="10"/>
 <element path="/article[1]/p[1]" exhaustivity="2" size="10" rsize="10"/>
</file></assessments>
"""
READS = ["EPRUM(user='hierarchy')", "GRPng", "xCG(alpha=1.0)@2", "GainRecall(user='hierarchy')@1"]
DOES_NOT = ["EPRUM", "xCG@2", "nxCG@2", "MAep", "GRP", "PRecall", "GainRecall@1", "epnav"]


@pytest.fixture
def world(files, tmp_path):
    paths = files(truth_xml=ELEMENTS, list_run="1 Q0 a 1 2 r /article[1]\n1 Q0 a 2 1 r /article[1]/p[1]\n")
    folder = tmp_path / "edition"
    folder.mkdir()
    (folder / "a.xml").write_text(f"<article><p>{'x' * 10}</p>{'y' * 20}</article>")
    return paths["truth_xml"], paths["list_run"], folder


def sizes(world, names, **options):
    results = bp.evaluate(*world[:2], names, units=9, **options)
    return {row.measure: dict(row.signature.fields).get("sizes") for row in results.mean_rows}


def test_sizes_of_the_assessments(world):
    assert sizes(world, READS + DOES_NOT) == dict.fromkeys(READS, "judged") | dict.fromkeys(DOES_NOT)


def test_two_editions_have_two_signatures(world, tmp_path, berrypick):
    folder = world[2]
    first = sizes(world, [*READS, "epnav"], collection=folder, effort="chars")
    assert set(first) == {*READS, "epnav"} and len(set(first.values())) == 1
    assert next(iter(first.values())).startswith("1 document,")
    assert sizes(world, DOES_NOT, collection=folder) == dict.fromkeys(DOES_NOT)
    assert berrypick("index", folder, tmp_path / "a.idx", "--jobs", 1).code == 0
    assert sizes(world, READS, collection=tmp_path / "a.idx") == {name: first[name] for name in READS}
    (folder / "a.xml").write_text(f"<article><p>{'x' * 11}</p>{'y' * 19}</article>")  # as long as before
    second = sizes(world, READS, collection=folder)
    assert len(set(second.values())) == 1 and set(second.values()).isdisjoint(first.values())


def test_text_of_elements_is_where_the_collection_has_it():
    tree = twins.grow("d", twins.Shape([-1, 0, 0], ["a", "s", "s"], [0, 0, 0], [10, 20, 30], [0, 0, 0]))
    truth = twins.assessed_truth([tree], [("d", 0, 5)], with_text=True)
    run, spans = twins.element_run([[("d", "/article[1]")]]), twins.span_truth([("d", 0, 5)])
    for judged in (truth, spans):
        results = bp.evaluate(judged, run, "charR spanHit", collection=twins.collection_of([tree]))
        assert all(row.signature["sizes"].startswith("1 document,") for row in results.mean_rows)
    plain = bp.evaluate(spans, twins.span_run([[("d", 0, 5)]]), "charR", collection=twins.collection_of([tree]))
    assert "sizes" not in dict(plain.mean_rows[0].signature.fields)
