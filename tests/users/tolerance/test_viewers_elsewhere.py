"""Viewers among other readers: chunks, lines, pages, older results, and what is measured where nothing is named."""

from __future__ import annotations

import json

import handmade
import pytest
from part_reading_measure import RUN, TRUTH

import berrypick as bp

LENGTHS = {"a": 50, "b": 60}
BOX = {"doc": "a", "page": 1, "box": [0, 0, 50, 80], "page_size": [100, 200]}
SPANS, SPAN_RUN = {"q": {"a#0-9": 1}}, {"q": {"a#0-5": 1}}


@pytest.mark.parametrize("measure", ["EPRUM", "PRUM", "epnav", "ExpectedRatio@1"])
def test_a_near_miss_lies_between_a_hit_and_a_far_miss(measure):
    truth = handmade.span_truth({"1": [("d", 400, 440)]})
    first = [] if measure == "ExpectedRatio@1" else [("e", 0, 40)]

    def scored(start):
        run = handmade.span_run({"1": [*first, ("d", start, start + 40)]})
        options = {"user": "t2i(tolerance=80)", "units": 1000, "collection": handmade.lengths(d=1000, e=500)}
        return bp.evaluate(truth, run, measure, **options).mean()["run"][measure]

    hit, near, far = scored(400), scored(355), scored(0)
    assert hit >= near > far


def test_tolerance_in_tokens():
    """Four words of irrelevant text lie between; they are nineteen characters."""
    text = "enter here and then some words ANSWER over"
    truth = handmade.span_truth({"1": [("d", text.index("ANSWER"), text.index("ANSWER") + 6)]})
    run = handmade.span_run({"1": [("d", text.index("and"), text.index("and") + 3)]})

    def found(user, **options):
        given = {"user": user, "documents": {"d": text}, **options}
        return bp.evaluate(truth, run, "ExpectedRatio epnav@1", **given).mean()["run"]

    assert found("t2i(tolerance=4,unit='tokens')")["ExpectedRatio"] == 0
    assert found("t2i(tolerance=5,unit='tokens')")["ExpectedRatio"] == 1
    assert found("t2i(tolerance=5)")["ExpectedRatio"] == 0
    # the visit goes on to the end: six tokens for one that was wanted; or 31 characters for six
    assert found("t2i(tolerance=5,unit='tokens')", effort="tokens")["epnav@1"] == pytest.approx(1 / 6)
    assert found("t2i(tolerance=5,unit='tokens')", effort="chars")["epnav@1"] == pytest.approx(6 / 31)
    with pytest.raises(bp.UsageError, match="documents="):
        bp.evaluate(truth, run, "EPRUM", user="t2i(unit='tokens')", collection=handmade.lengths(d=100))
    signed = str(
        bp.evaluate(truth, run, "EPRUM", user="t2i(unit='tokens')", documents={"d": text}).mean_rows[0].signature
    )
    assert signed.count("tokenizer:words") == 1


def test_viewers_of_coverage_read_what_is_pointed_to():
    truth = handmade.span_truth({"1": [("d", 20, 40)]})
    run = handmade.span_run({"1": [("d", 35, 50), ("d", 0, 30)]})
    given = (truth, run, "Coverage(effort='chars')")
    options = {"documents": {"d": "x" * 100}}
    assert bp.evaluate(*given, user="t2i(tolerance=5)", **options).mean() == bp.evaluate(*given, **options).mean()


def test_viewers_of_whole_documents():
    with pytest.raises(bp.UsageError, match="needs places in documents, and truth and run have whole documents"):
        bp.evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, "EPRUM", user="t2i(tolerance=9)", collection={"d": 1000.0})


def test_viewers_of_lines():
    spans = [{"topic": "1", "doc": "a.py", "start_line": 1, "end_line": 9}]
    lengths = {"a.py": 40}
    with pytest.raises(bp.UsageError, match="no default where positions"):
        bp.evaluate(spans, spans, "EPRUM", user="t2i", collection=lengths)
    assert bp.evaluate(spans, spans, "EPRUM", effort="lines", user="t2i(tolerance=5)", collection=lengths).mean()["run"]


def test_whole_numbers_too_large_for_a_float():
    with pytest.raises(bp.BerrypickError, match=r"tolerance=1000.* must be a finite number") as raised:
        bp.score(f"T2I(tolerance={10**400},budget=3)", SPANS, SPANS)
    assert len(str(raised.value)) < 500


def test_measures_of_all_documents_say_where_lengths_came_from():
    truth, run = handmade.span_truth({"1": [("d", 5, 9)]}), handmade.span_run({"1": [("d", 0, 9)]})
    names = ["ESL(tolerance=10)", "ESLRF(tolerance=10)", "PT2I(tolerance=10)", "EPRUM(user='t2i(tolerance=10)')"]
    results = bp.evaluate(truth, run, names, collection=handmade.lengths(d=74, e=26))
    assert {row.signature["lengths"] for row in results.mean_rows} == {"2 documents,100"}
    assert not bp.evaluate(truth, run, "EPRUM charP").mean_rows[0].signature.get("lengths")


def test_a_target_that_ends_after_its_document_is_cut(files, berrypick):
    """Target 5-200 in 100 characters: relevant 95, so I = 1 unit of 15, not 0."""
    paths = files(
        truth_jsonl='{"topic": "1", "doc": "d", "start": 5, "end": 200}\n',
        run_jsonl='{"topic": "1", "doc": "d", "start": 0, "end": 5}\n',
        lengths_tsv="d\t100\n",
    )
    truth, run, lengths = paths.values()
    given = ("evaluate", truth, run, "-m", "ESLRF(tolerance=15)", "--collection", lengths, "-o", "json")
    done = berrypick(*given)
    assert json.loads(done.out)[0]["value"] == 1.0
    assert "1 relevant span of the truth ran past the end of the document, cut off there" in done.err
    truth.write_text('{"topic": "1", "doc": "d", "start": 100, "end": 200}\n')
    outside = berrypick(*given)
    assert outside.code == 2 and f"{truth}:1" in outside.err and "starts after the end" in outside.err


@pytest.mark.parametrize("measure", ["T2I(tolerance=3)", "PT2I", "ESL"])
def test_measures_of_viewers_count_no_areas(measure):
    with pytest.raises(bp.UsageError, match="does not count areas"):
        bp.evaluate([{"topic": "q", **BOX}], [{"topic": "q", **BOX, "rank": 1}], measure)


def test_viewers_read_no_pages():
    with pytest.raises(bp.UsageError, match="user model t2i does not read places on pages"):
        bp.evaluate([{"topic": "q", **BOX}], [{"topic": "q", **BOX, "rank": 1}], "EPRUM", user="t2i(tolerance=3)")


def test_videos_are_measured_with_viewers_where_no_measure_is_named():
    results = bp.evaluate({"q": [("d", 0.5, 10)]}, {"q": [("d", 5, 15)]}, collection={"d": 60})
    assert results.measures == ("T2I", "spanHit(iou=0.5)@1")
    assert any("no measures given; using T2I spanHit(iou=0.5)@1" in note.text for note in results.notes)
    without = bp.evaluate({"q": [("d", 0.5, 10)]}, {"q": [("d", 5, 15)]})
    assert any("T2I as well, with lengths of documents" in note.text for note in without.notes)


def test_units_of_tolerance_follow_from_effort():
    for measures, options in (("T2I", {"effort": "seconds"}), ("EPRUM", {"effort": "chars", "user": "t2i"})):
        results = bp.evaluate(SPANS, SPAN_RUN, measures, collection={"a": 50}, **options)
        assert not [note for note in results.notes if note.kind == "no effect"]


def test_what_others_have_computed_already_counts_as_read():
    texts = ("T2I(tolerance=3)", "PT2I(tolerance=3)")
    rows = [bp.evaluate(TRUTH, RUN, given, collection=LENGTHS).mean_rows for given in (texts, texts[::-1])]
    assert rows[0][0].signature == rows[1][1].signature and rows[0][1].signature == rows[1][0].signature
    assert rows[0][0].signature["lengths"] and rows[0][1].signature["lengths"]


def test_several_processes_find_the_same():
    given = (TRUTH, RUN, "EPRUM T2I(tolerance=3)")
    one, two = (bp.evaluate(*given, collection=LENGTHS, jobs=jobs).mean_rows for jobs in (1, 2))
    assert one == two
