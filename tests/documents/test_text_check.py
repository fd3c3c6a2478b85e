"""Text against offsets: what does not stand where a row says is an error that names the pattern it sees."""

from __future__ import annotations

import json
import random
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import berrypick as bp
from berrypick.documents.offsets import Units, count_units
from berrypick.documents.texts import read_texts

#: Lines that all differ, so that each text has one place.
TEXT = "".join(f"Line {i} says that {i * i} berries were picked.\n" for i in range(300))
TRUTH = {"q": [{"doc": "d", "start": 1000, "end": 1200}]}
STARTS = range(1000, 7000, 1000)


#: The same with headings between the chunks that are cut below.
HEADED = re.sub("^(?=Line (10|35|60|85|110) )", "# Part\n", TEXT, flags=re.MULTILINE)


def rows(text: str, shift: int = 0, unit: str = "chars", **more: object) -> list[dict[str, object]]:
    """Chunks of a text as a retriever gives them, offsets counted in that text."""
    found = []
    for rank, at in enumerate(STARTS, start=1):
        start, end = (count_units(text[:place], unit) + shift for place in (at, at + 200))
        found.append({"topic": "q", "doc": "d", "start": start, "end": end, "text": text[at : at + 200], "rank": rank})
    return [{**row, **more} for row in found]


def lines(records) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


#: What the offsets were counted in, what the documents are, how the offsets are shifted and counted; what is said.
PATTERNS = {
    "crlf": (TEXT, TEXT.replace("\n", "\r\n"), 0, "chars", "a growing shift.*each CRLF of the documents as one char"),
    "lf": (TEXT.replace("\n", "\r\n"), TEXT, 0, "chars", "a growing shift.*counted with CRLF line ends"),
    "constant": (TEXT, TEXT, 500, "chars", "500 characters too high, a constant shift[\\s\\S]*subtract 500"),
    "beyond": (TEXT, TEXT, 50000, "chars", "50000 characters too high, a constant shift"),
    "lower": (TEXT, TEXT, -7, "chars", "7 characters too low, a constant shift[\\s\\S]*add 7"),
    "bytes": ("é" * 50 + TEXT, "é" * 50 + TEXT, 0, "bytes", "they count bytes, not characters[\\s\\S]*offsets='bytes'"),
    "utf16": (
        "😀" * 50 + TEXT,
        "😀" * 50 + TEXT,
        0,
        "utf16",
        "they count UTF-16 units, not chara.*[\\s\\S]*offsets='utf16'",
    ),
    "mark": ("\ufeff" + TEXT, TEXT, 0, "chars", r"count a byte order mark \(BOM\) that the documents do not have"),
    "no mark": (TEXT, "\ufeff" + TEXT, 0, "chars", r"do not count the byte order mark \(BOM\) U\+FEFF"),
    "spaces": (" ".join(TEXT.split()), TEXT.replace(" ", "   "), 0, "chars", "runs of white space as one space"),
    "composed": ("é" + TEXT.replace("e", "é"), "e\u0301" + TEXT.replace("e", "e\u0301"), 0, "chars", "NFC"),
    "decomposed": ("e\u0301" + TEXT.replace("e", "e\u0301"), "é" + TEXT.replace("e", "é"), 0, "chars", "NFD"),
    "marked up": (TEXT, TEXT.replace("Line", "<b>Line</b>"), 0, "chars", "not in their documents"),
    "headings": (TEXT, HEADED, 0, "chars", "a growing shift, from .* along the doc"),
    "nothing": (TEXT, "The hedge. " * 2000, 0, "chars", "not in their documents: it is another document or ver"),
}


@pytest.mark.slow
@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_run_whose_texts_are_elsewhere_is_refused_with_the_pattern(files, tmp_path, pattern):
    counted_in, text, shift, unit, said = PATTERNS[pattern]
    run = files(run_jsonl=lines(rows(counted_in, shift, unit)))["run_jsonl"]
    with pytest.raises(bp.InputError, match=said) as error:
        bp.evaluate(TRUTH, run, "charR", documents={"d": text})
    assert re.match(rf"{re.escape(str(run))}:(\d): topic q, rank \1: the span ", str(error.value))
    assert "text_mismatch='note'" in str(error.value)


@pytest.mark.slow
@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_truth_whose_quotes_are_elsewhere_is_refused_with_the_pattern(files, pattern):
    counted_in, text, shift, unit, said = PATTERNS[pattern]
    for name in ("quote", "text"):
        judged = [{k: v for k, v in row.items() if k not in ("text", "rank")} | {name: row["text"], "grade": 1}
                  for row in rows(counted_in, shift, unit)]  # fmt: skip
        truth = files(truth_jsonl=lines(judged))["truth_jsonl"]
        run = {"q": [{"doc": "d", "start": 0, "end": 10}]}
        with pytest.raises(bp.InputError, match=said) as error:
            bp.evaluate(truth, run, "charR", documents={"d": text})
        assert re.match(rf"{re.escape(str(truth))}:\d: topic q: the span ", str(error.value))


def test_texts_at_their_offsets_change_nothing(files):
    run = files(run_jsonl=lines(rows(TEXT)))["run_jsonl"]
    results = bp.evaluate(TRUTH, run, "charR charP", documents={"d": TEXT})
    assert results.mean()["run"] == {"charR": 1.0, "charP": 1 / 6}
    assert not [note for note in results.notes if "text" in str(note)]


def test_an_option_goes_on_with_a_note(files, berrypick, tmp_path):
    written = files(run_jsonl=lines(rows(TEXT, 100)), truth_jsonl=lines([{**TRUTH["q"][0], "topic": "q", "grade": 1}]))
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "d.txt").write_text(TEXT, newline="")
    command = (
        "evaluate",
        written["truth_jsonl"],
        written["run_jsonl"],
        "-m",
        "charR",
        "--documents",
        tmp_path / "texts",
    )
    refused = berrypick(*command)
    assert refused.code == 2 and refused.out == "" and "--text-mismatch note" in refused.err
    done = berrypick(*command, "--text-mismatch", "note")
    assert done.code == 0 and "charR\t0.5" in done.out
    assert "6 of 6 texts are not at their offsets (all are 100 characters too high, a constant shift)" in done.err


def test_a_text_of_another_document_is_said_where_it_is():
    with pytest.raises(
        bp.InputError, match="another document: 6 texts are not in the document named; one named d is in e"
    ):
        bp.evaluate(TRUTH, {"q": rows(TEXT)}, "charR", documents={"d": "The hedge. " * 2000, "e": TEXT})


def test_a_few_slips_name_repair():
    found = rows(TEXT)
    found[0]["start"], found[0]["end"] = 1002, 1202
    found[2]["start"], found[2]["end"] = 2999, 3199
    with pytest.raises(
        bp.InputError, match=r"2 of 6 texts .* off by at most 2 characters, without a pattern[\s\S]*repair=2"
    ):
        bp.evaluate(TRUTH, {"q": found}, "charR", documents={"d": TEXT})


def test_sources_other_than_files(files):
    chunk = TEXT[1000:1200]
    wrong = {"doc": "d", "start": 1500, "end": 1700, "text": chunk}
    with pytest.raises(bp.InputError, match=r"does not match its (text|quote), which is 500 characters earlier"):
        bp.evaluate(TRUTH, {"q": [wrong]}, "charR", documents={"d": TEXT})
    with pytest.raises(bp.InputError, match=r"does not match its (text|quote), which is 500 characters earlier"):
        bp.evaluate({"q": [wrong]}, {"q": [{"doc": "d", "start": 0, "end": 9}]}, "charR", documents={"d": TEXT})
    table = files(
        run_csv='topic,doc,start,end,rank,text\nq,d,1500,1540,1,"' + TEXT[1000:1040].replace("\n", " ") + '"\n'
    )
    with pytest.raises(bp.InputError, match="500 characters earlier"):
        bp.evaluate(TRUTH, table["run_csv"], "charR", documents={"d": TEXT})


# --- what is accepted -------------------------------------------------------------------------------------------------


def test_white_space_is_accepted_and_counted():
    found = [{**row, "text": str(row["text"]).replace("\n", "  ").replace(" ", "\n", 1)} for row in rows(TEXT)]
    results = bp.evaluate(TRUTH, {"q": found}, "charR", documents={"d": TEXT})
    assert results.mean()["run"]["charR"] == 1
    assert "run: 6 texts differ from their documents in white space, quotation marks or dashes" in map(
        str, results.notes
    )


def test_a_title_before_the_text_is_accepted_and_is_no_part_of_the_span():
    row = {"doc": "d", "start": 1000, "end": 1200, "text": "Berries, 1902\n\n" + TEXT[1000:1200]}
    results = bp.evaluate(TRUTH, {"q": [row]}, "charR charP", documents={"d": TEXT})
    assert results.mean()["run"] == {"charR": 1.0, "charP": 1.0}  # not 200 of 215 characters
    assert any("1 text has a prefix, such as a title" in str(note) for note in results.notes)


def test_a_title_that_is_in_the_document_too():
    text = "Berries, 1902\n\n" + TEXT
    found = [{"doc": "d", "start": at, "text": "Berries, 1902\n\n" + text[at : at + 200]} for at in (15, 1015)]
    results = bp.evaluate(TRUTH, {"q": found}, "charR", documents={"d": text})
    assert any("2 texts have a prefix" in str(note) for note in results.notes)


def test_a_prefix_that_stands_before_the_span_is_a_shift():
    for ends in ({}, {"end": 1200}):
        row = {"doc": "d", "start": 1020, "text": TEXT[1000:1200], **ends}
        with pytest.raises(bp.InputError, match="20 characters earlier"):
            bp.evaluate(TRUTH, {"q": [row]}, "charR", documents={"d": TEXT})


def test_a_text_that_is_cut_short_is_accepted():
    row = {"doc": "d", "start": 1000, "end": 1200, "text": TEXT[1000:1100] + "..."}
    results = bp.evaluate(TRUTH, {"q": [row]}, "charR", documents={"d": TEXT})
    assert results.mean()["run"]["charR"] == 1
    row["text"] = TEXT[1000:1100]  # without an ellipsis the span is too long
    with pytest.raises(bp.InputError, match="its text, which ends at 1100, 100 characters earlier"):
        bp.evaluate(TRUTH, {"q": [row]}, "charR", documents={"d": TEXT})


def test_fuzzy_quotes_beside_offsets_are_compared_by_similarity(files):
    pytest.importorskip("rapidfuzz")
    record = {"topic": "q", "doc": "d", "start": 1000, "end": 1200, "quote": TEXT[1000:1200].replace("says", "sayz")}
    truth = files(truth_jsonl=lines([record]))["truth_jsonl"]
    given = {"documents": {"d": TEXT}}
    with pytest.raises(bp.InputError, match="does not match its quote"):
        bp.evaluate(truth, {"q": rows(TEXT)}, "charR", **given)
    results = bp.evaluate(truth, {"q": rows(TEXT)}, "charR", quotes="fuzzy", **given)
    assert results.mean()["run"]["charR"] == 1 and any("1 quote is similar" in str(note) for note in results.notes)


@given(st.integers(0, 2**32))
def test_texts_cut_from_any_document_match(seed):
    """The slow twin of the check is the cut itself: what was cut at an offset is there, in every unit."""
    draw = random.Random(seed)
    text = "".join(draw.choice("ab é😀\n\r\t…\ufeff") for _ in range(200)) + "x"
    unit, spans = draw.choice(["chars", "bytes", "utf16"]), []
    for rank in range(1, 5):
        low = draw.randrange(len(text))
        high = draw.randrange(low, len(text)) + 1
        start, end = (count_units(text[:at], unit) for at in (low, high))
        spans.append({"doc": "d", "start": start, "end": end, "text": text[low:high], "rank": rank})
    truth = {"q": [{"doc": "d", "start": 0, "end": 1, "offsets": "chars"}]}
    run = bp.evaluate(truth, {"q": spans}, "charR", documents={"d": text}, offsets=unit)
    plain = [{k: v for k, v in span.items() if k != "text"} for span in spans]
    assert run.mean() == bp.evaluate(truth, {"q": plain}, "charR", documents={"d": text}, offsets=unit).mean()
    assert not [note for note in run.notes if note.kind == "input"]


# --- the byte order mark ----------------------------------------------------------------------------------------------


@pytest.fixture
def marked(tmp_path):
    folder = tmp_path / "marked"
    folder.mkdir()
    (folder / "d.txt").write_bytes(b"\xef\xbb\xbf" + TEXT.encode())
    (folder / "e.txt").write_bytes(TEXT.encode())
    return folder


def test_a_mark_in_a_string_is_a_character(files):
    texts = files(texts_jsonl=json.dumps({"doc": "d", "text": "\ufeffab"}) + "\n")["texts_jsonl"]
    assert read_texts(texts)["d"] == read_texts({"d": "\ufeffab"})["d"] == "\ufeffab"
    truth, run = {"q": [{"doc": "d", "start": 1, "end": 3}]}, {"q": [{"doc": "d", "start": 1, "end": 3, "text": "ab"}]}
    for documents in (texts, {"d": "\ufeffab"}):
        assert bp.evaluate(truth, run, "IoU", documents=documents).mean()["run"]["IoU"] == 1


@pytest.mark.parametrize("shift", [0, 1])
def test_texts_show_whether_offsets_count_the_mark_of_a_file(marked, shift):
    truth = {"q": [{"doc": "d", "start": 1000, "end": 1200}, {"doc": "e", "start": 1000, "end": 1200}]}
    found = [*rows(TEXT, shift), *rows(TEXT, doc="e")]
    found = [{**row, "rank": rank} for rank, row in enumerate(found, start=1)]
    results = bp.evaluate(truth, {"q": found}, "charR", documents=marked)
    assert results.mean()["run"]["charR"] == 1
    said = [str(note) for note in results.notes if "byte order mark" in str(note)]
    assert len(said) == shift and all("1 file, as the texts" in note for note in said)


@pytest.mark.parametrize(("unit", "mark"), [("chars", 1), ("bytes", 3), ("utf16", 1)])
def test_offsets_that_are_said_to_count_the_mark(marked, unit, mark):
    truth = {"q": [{"doc": "d", "start": 1000, "end": 1200, "offsets": "chars"}]}
    plain = [{k: v for k, v in row.items() if k != "text"} for row in rows(TEXT, mark, unit)]
    found = {name: bp.evaluate(truth, {"q": plain}, "charR", documents=marked, offsets=name).mean()["run"]["charR"]
             for name in (unit, f"{unit}+bom")}  # fmt: skip
    assert found == {unit: (200 - mark) / 200, f"{unit}+bom": 1.0}


def test_a_wrong_guess_about_the_mark_is_refused(marked):
    with pytest.raises(
        bp.InputError, match=r"they do not count the byte order mark \(BOM\)[^;]*\n.*use offsets='chars'"
    ):
        bp.evaluate(TRUTH, {"q": rows(TEXT)}, "charR", documents=marked, offsets="chars+bom")
    mixed = [*rows(TEXT)[:3], *rows(TEXT, 1)[3:]]
    with pytest.raises(bp.InputError, match="3 of 6 texts"):
        bp.evaluate(TRUTH, {"q": mixed}, "charR", documents=marked)


def test_units_go_there_and_back():
    text = "aé😀\nz"
    for unit in ("chars", "bytes", "utf16"):
        for name, has_mark in ((unit, False), (f"{unit}+bom", True), (f"{unit}+bom", False)):
            units = Units(text, name, has_mark)
            places = [units.offset(at) for at in range(len(text) + 1)]
            assert units.characters(np.array(places))[0].tolist() == list(range(len(text) + 1))
            assert places[-1] == units.total == count_units("\ufeff" * (has_mark and name != unit) + text, unit)


# --- offsets that catch white space -----------------------------------------------------------------------------------

SENTENCES = "It rained. Cut the old canes in autumn. Then rest. \n Compost needs air. It does."


@pytest.mark.parametrize(
    ("quote", "low", "high", "status"),
    [
        ("Cut the old canes in autumn.", -1, 0, "accepted"),  # " Cut the old canes in autumn."
        ("Cut the old canes in autumn.", 0, 1, "accepted"),
        ("Cut the old canes in autumn.", -1, 1, "accepted"),
        ("Cut the old canes in autumn. ", -1, -1, "accepted"),  # nothing is lost but a blank
        ("Cut the old canes in autumn.", -1, -1, "refused"),  # the full stop is lost
        ("Cut the old canes in autumn.", 1, 1, "refused"),
        ("Cut the old canes in autumn", -1, -1, "refused"),
        (" Compost needs air.", -2, -2, "refused"),  # white space in both, and the full stop is lost
        (" Compost needs air.", 1, 1, "accepted"),
        (" Compost needs air.", -1, 0, "accepted"),
    ],
)
def test_offsets_that_catch_white_space(files, tmp_path, quote, low, high, status):
    at = SENTENCES.index(quote)
    record = {"topic": "q", "doc": "d", "start": at + low, "end": at + len(quote) + high, "quote": quote}
    truth = files(truth_jsonl=lines([record]))["truth_jsonl"]
    run = {"q": [{"doc": "d", "start": 0, "end": len(SENTENCES)}]}
    if status == "accepted":
        notes = " ".join(map(str, bp.evaluate(truth, run, "charR", documents={"d": SENTENCES}).notes))
        assert "1 quote differs from its span in white space at the ends" in notes
        assert re.search(r"moved by the command locate with repair=[12]", notes)
    else:
        with pytest.raises(bp.InputError, match="does not match its quote"):
            bp.evaluate(truth, run, "charR", documents={"d": SENTENCES})
