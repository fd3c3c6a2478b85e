"""Defects that laws have found, each as a case of its own."""

import handmade
import numpy as np
import pytest

import berrypick as bp
from berrypick import formats
from berrypick.data.truth import TopicTruth, Truth
from berrypick.given.convert import as_truth

RECORDS = [{"topic": "q", "doc": "clip", "start": 44.25, "end": 49.5}]


def test_names_of_spans_in_fractions_of_seconds_are_spans():
    """They were whole documents called clip#44.25-49.5: 0 for 1, without a word."""
    named = {"q": {"clip#44.25-49.5": 1}}
    assert bp.score("charR", RECORDS, named) == bp.score("charR", RECORDS, [{**RECORDS[0], "score": 1}]) == 1.0
    assert bp.score("charR", named, [{**RECORDS[0], "score": 1}]) == 1.0
    assert bp.score("charR", {"q": {"clip#44-49.5": 1}}, {"q": {"clip#44-49.50": 1}}) == 1.0


def test_names_that_only_look_like_spans_are_documents():
    for name in ("a#1-", "a#-2", "a#1.-2", "a#.5-2", "a#1e3-2000", "a#1-2-3.x"):
        assert bp.score("RR", {"q": {name: 1}}, {"q": {name: 1}}) == 1.0


def test_a_format_without_grades_does_not_take_a_truth_that_has_them(tmp_path):
    """Grade 3 came back as 1."""
    topic = TopicTruth("1", ("d",), np.array([3.0]), np.array([0]), np.array([9]), aspects=(("a",),))
    with pytest.raises(bp.UsageError, match="genomics-gold cannot store this: it has grades other than 1"):
        formats.write(Truth("spans", {"1": topic}), tmp_path / "gold", "genomics-gold")


def test_a_format_of_ranks_does_not_take_several_results_at_one(tmp_path):
    """They came back at ranks of their own."""
    run = handmade.span_run({"1": [("d", 0, 9, 1), ("d", 20, 29, 1)]})
    assert run.grouped
    with pytest.raises(bp.UsageError, match="genomics-run cannot store this: some ranks hold several results"):
        formats.write(run, tmp_path / "run", "genomics-run")


def test_grp_refuses_grades_above_1_whatever_the_run_returns():
    """It had a value where the run missed the document of grade 3, and an error where it found it."""
    truth = {"q": {"a": 3, "b": 1}}
    for found in ({"b": 1}, {"a": 1}, {"c": 1}):
        with pytest.raises(bp.UsageError, match="GRP needs gains from 0 to 1"):
            bp.score("GRP", truth, {"q": found}, units=10)


INEX = "7 Q0 812 300 1000 250 250:200 600:100 700:0\n7 Q0 815 0 2215\n"
GOLD = "7\t812\t250\t200\tgenes|organs\n"


@pytest.mark.parametrize("format", ["span-truth", "span-table-truth"])
def test_a_format_says_what_it_leaves_out(format, tmp_path, berrypick):
    """Without entry points BEPD of one topic is 0 for .0419, so it is said; spans alone are of use all the same."""
    for text, lost in ((INEX, "entry points"), (GOLD, "aspects")):
        (tmp_path / "given").write_text(text)
        truth = formats.read_truth(tmp_path / "given")
        assert lost in formats.by_name(format).refusal(truth)
        with pytest.warns(bp.BerrypickWarning, match=f"{format} has no {lost}: not written"):
            formats.write(truth, tmp_path / "made", format)
        told = berrypick("convert", tmp_path / "given", tmp_path / "again", "--to", format)
        assert told.code == 0 and f"{format} has no {lost}: not written" in told.err


@pytest.mark.parametrize("format", ["mediaeval-qrels", "trecvid-topics"])
def test_a_format_does_not_take_what_it_would_lose(format, tmp_path):
    (tmp_path / "given").write_text(INEX)
    with pytest.raises(bp.UsageError, match=f"{format} cannot store this"):
        formats.write(formats.read_truth(tmp_path / "given"), tmp_path / "made", format)
    assert not (tmp_path / "made").exists()


def test_the_formats_that_have_them_do(tmp_path):
    for text, format in ((INEX, "inex-fol-truth"), (GOLD, "genomics-gold")):
        (tmp_path / "given").write_text(text)
        formats.write(formats.read_truth(tmp_path / "given"), tmp_path / "made", format)
        assert (tmp_path / "made").read_text() == text


def test_quotes_and_judged_documents_are_not_lost_either(tmp_path):
    """Such a truth was written as a file without a line, or without what was judged."""
    quoted = [{"topic": "1", "doc": "d", "quote": "Cut old canes."}]
    judged = [{"topic": "1", "doc": "d", "start": 0, "end": 9, "grade": 1}, {"topic": "1", "doc": "e", "grade": 0}]
    for rows, lost in ((quoted, "quotes without offsets"), (judged, "documents judged as a whole")):
        with pytest.raises(bp.UsageError, match=f"the truth has {lost}, which would be lost"):
            formats.write(as_truth(rows), tmp_path / "made", "mediaeval-qrels")


@pytest.mark.parametrize("format", ["span-truth", "span-table-truth"])
def test_an_empty_passage_is_read_as_it_was_written(format, tmp_path):
    """INEX has some, judged and not relevant: what was written was then refused."""
    topic = TopicTruth("7", ("a", "a"), np.array([1.0, 0.0]), np.array([0, 30]), np.array([20, 30]))
    formats.write(Truth("spans", {"7": topic}), tmp_path / "made", format)
    read = formats.read_truth(tmp_path / "made", format).topics["7"]
    assert read.start.tolist() == [0, 30] and read.end.tolist() == [20, 30] and read.grade.tolist() == [1, 0]
    with pytest.raises(bp.UsageError, match="some segments are empty"):
        formats.write(Truth("spans", {"7": topic}), tmp_path / "made", "mediaeval-qrels")
    with pytest.raises(bp.InputError, match="the span from 5 to 5 is empty"):
        bp.score("charR", [{"topic": "1", "doc": "d", "start": 5, "end": 5}], {"1": {"d#0-9": 1}})


def test_names_that_xml_cannot_hold_are_not_written_in_it(tmp_path):
    """The file that was written could not be read."""
    for name in ("a\x1bb", "a\nb", " a", "a\u0000"):
        topic = TopicTruth("1", (name,), np.array([1.0]), np.array([0.0]), np.array([9.0]))
        with pytest.raises(bp.UsageError, match=r"trecvid-topics cannot store this: the name .* XML"):
            formats.write(Truth("spans", {"1": topic}), tmp_path / "topics.xml", "trecvid-topics")
        run = handmade.span_run({"1": [(name, 0, 9, 1)]})
        with pytest.raises(bp.UsageError, match=r"trecvid-results cannot store this: the name .* XML"):
            formats.write(run, tmp_path / "results.xml", "trecvid-results")
