"""Text and boxes meet: words with places, spans into boxes and back, layouts in XML."""

from __future__ import annotations

import json

import numpy as np
import pytest

import berrypick as bp
from berrypick.documents.pages.page_words import read_words
from berrypick.judgements.place import place

SIZE = [100, 50]


def made_words(rng, name="a", pages=3, lines=4, across=5):
    """Words ten wide and eight high, in lines of ten."""
    return [
        {"doc": name, "page": page + 1, "text": "".join(rng.choice([*"abcdefg"], rng.integers(1, 6))),
         "box": [20 * i, 10 * line, 20 * i + 18, 10 * line + 8], "page_size": SIZE}
        for page in range(pages) for line in range(lines) for i in range(across)
    ]  # fmt: skip


@pytest.fixture
def words():
    return made_words(np.random.default_rng(5))


def test_a_span_over_two_lines_is_two_boxes(words):
    read = read_words(words)["a"]
    start, end = read.starts[3], read.starts[6] + len(read.words[6])  # the last two of a line, and two of the next
    assert read.boxes(start, end) == [
        {"page": 1, "box": [60, 0, 98, 8], "page_size": SIZE},
        {"page": 1, "box": [0, 10, 38, 18], "page_size": SIZE},
    ]
    assert read.boxes(start + 1, start + 1) == [] or read.words[3] != ""
    assert read.spans(0, [60, 0, 98, 8]) == [(start, read.starts[4] + len(read.words[4]))]
    assert read.spans(1, None) == [(read.starts[20], read.starts[39] + len(read.words[39]))]  # a whole page


def test_spans_of_whole_words_come_back(words):
    read, rng = read_words(words)["a"], np.random.default_rng(1)
    for _ in range(200):
        first, last = sorted(rng.integers(0, len(read.words), 2).tolist())
        start, end = read.starts[first], read.starts[last] + len(read.words[last])
        inside = sorted(span for one in read.boxes(start, end) for span in read.spans(one["page"] - 1, one["box"]))
        covered = {at for a, b in inside for at in range(a, b)}
        blanks = {at - 1 for at in read.starts}
        assert covered | blanks >= set(range(start, end)) and min(covered) == start and max(covered) == end - 1


def test_chunks_of_text_are_judged_against_boxes(words):
    read = read_words(words)["a"]
    truth = [{"topic": "q", "doc": "a", "page": 1, "box": [0, 0, 98, 8], "page_size": SIZE, "grade": 1}]
    run = [
        {"topic": "q", "doc": "a", "text": " ".join(read.words[:2]) + "\n" + read.words[2], "rank": 1},
        {"topic": "q", "doc": "a", "text": " ".join(read.words[20:25]), "rank": 2},
    ]
    boxes = place(run, words, quotes="normalised")
    assert bp.evaluate(truth, boxes, "charR charP@1").mean()["run"] == pytest.approx({"charR": 58 / 98, "charP@1": 1})
    spans = place(bp.Truth.from_records(truth), words)
    assert [(row["start"], row["end"]) for row in spans.to_records() if "start" in row] == [
        (0, read.starts[4] + len(read.words[4]))
    ]
    found = bp.evaluate(spans, run, "charR", documents=dict(read_words(words).texts), quotes="normalised")
    covered = read.starts[2] + len(read.words[2])
    assert found.mean()["run"]["charR"] == pytest.approx(covered / (read.starts[4] + len(read.words[4])))


def test_parts_of_one_result_are_one_item(words):
    run = bp.Run.from_records([{"topic": "q", "doc": "a", "start": 0, "end": 60, "score": 3.0}])
    found = place(run, words)
    assert found.size() > 1 and {row["rank"] for row in found.to_records()} == {1}
    back = place(found, words)
    assert {row["rank"] for row in back.to_records()} == {1}


def test_boxes_in_other_units_are_scaled(words):
    run = [{"topic": "q", "doc": "a", "page": 1, "box": [0, 0, 196, 16], "page_size": [200, 100], "rank": 1}]
    same = [{**run[0], "box": [0, 0, 98, 8], "page_size": SIZE}]
    assert place(run, words).to_records() == place(same, words).to_records() != []


def test_boxes_in_shares_are_scaled_where_the_words_have_sizes(words):
    share = [{"topic": "q", "doc": "a", "page": 1, "box": [0, 0, 0.98, 0.16], "rank": 1}]
    same = [{**share[0], "box": [0, 0, 98, 8], "page_size": SIZE}]
    assert place(share, words).to_records() == place(same, words).to_records() != []
    truth = bp.Truth.from_records([{"topic": "q", "doc": "a", "page": 1, "box": [0, 0, 0.98, 0.16], "grade": 1}])
    assert len(place(truth, words).to_records()) == 1


def test_shapes_of_pdfplumber_and_pymupdf(words):
    plumber = [{"doc": "a", "page_number": w["page"], "text": w["text"], "page_size": SIZE,
                "doctop": 3, "x0": w["box"][0], "top": w["box"][1], "x1": w["box"][2], "bottom": w["box"][3]}
               for w in words]  # fmt: skip
    mupdf = [{"doc": "a", "page": w["page"], "word": (*w["box"], w["text"], 0, 0, 0), "page_size": SIZE} for w in words]
    ours = read_words(words)["a"]
    for other in (plumber, mupdf):
        read = read_words(other)["a"]
        assert read.text == ours.text and read.places == ours.places


ALTO = """<alto xmlns="http://www.loc.gov/standards/alto/ns-v4#"><Layout><Page WIDTH="100" HEIGHT="50"><PrintSpace>
<TextLine><String CONTENT="Cut" HPOS="0" VPOS="0" WIDTH="18" HEIGHT="8"/><SP/>
<String CONTENT="canes" HPOS="20" VPOS="0" WIDTH="18" HEIGHT="8"/></TextLine></PrintSpace></Page></Layout></alto>"""
PAGE = """<PcGts xmlns="http://schema.primaresearch.org/PAGE/gts/pagecontent/2019-07-15">
<Page imageWidth="100" imageHeight="50"><TextRegion id="r"><Coords points="0,0 50,0 50,8 0,8"/>
<TextLine id="l"><Coords points="0,0 38,0 38,8 0,8"/>
<Word id="1"><Coords points="0,0 18,0 18,8 0,8"/><TextEquiv><Unicode>Cut</Unicode></TextEquiv></Word>
<Word id="2"><Coords points="20,0 38,0 38,8 20,8"/><TextEquiv><Unicode>canes</Unicode></TextEquiv></Word>
<TextEquiv><Unicode>Cut canes</Unicode></TextEquiv></TextLine></TextRegion></Page></PcGts>"""


@pytest.mark.parametrize("content", [ALTO, PAGE], ids=["alto", "page"])
def test_layouts_in_xml(tmp_path, content):
    (tmp_path / "guide").mkdir()
    for number in (2, 10):
        (tmp_path / "guide" / f"p{number}.xml").write_text(content)
    read = read_words(tmp_path)["guide"]
    assert read.text == "Cut canes Cut canes"
    assert read.boxes(0, 9) == [{"page": 1, "box": [0, 0, 38, 8], "page_size": SIZE}]
    assert read.places[2] == (1, (0, 0, 18, 8), (100, 50))
    (tmp_path / "alone.xml").write_text(content)
    assert read_words(tmp_path / "alone.xml")["alone"].text == "Cut canes"


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("<a/>", "neither ALTO nor PAGE"),
        ("<a", "cannot be read as XML"),
        (ALTO.replace('HPOS="0"', 'HPOS="x"'), "needs the numbers HPOS"),
        (PAGE.replace("0,0 18,0 18,8 0,8", "nothing"), "Coords has no points"),
        ('<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>', "neither ALTO nor PAGE"),
    ],
)
def test_broken_xml_is_refused(tmp_path, content, what):
    (tmp_path / "a.xml").write_text(content)
    with pytest.raises(bp.InputError, match=what):
        read_words(tmp_path / "a.xml")


@pytest.mark.parametrize(
    "word",
    [{"doc": "a", "page": 1, "text": "x"}, {"doc": "a", "text": "x", "box": [0, 0, 1, 1]}, {"page": 1, "text": "x"},
     {"doc": "a", "page": 1, "box": [0, 0, 1, 1]}, {"doc": "a", "page": 1, "text": "x", "box": [5, 0, 1, 1]}],
)  # fmt: skip
def test_broken_words_are_refused(word):
    with pytest.raises(bp.InputError):
        read_words([word])


def test_command(tmp_path, words, berrypick):
    (tmp_path / "words.jsonl").write_text("".join(json.dumps(one) + "\n" for one in words))
    text = read_words(words)["a"].text
    rows = [{"topic": "q", "doc": "a", "text": text[:40].rsplit(" ", 1)[0], "rank": 1}]
    (tmp_path / "run.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows))
    given = [str(tmp_path / "run.jsonl"), str(tmp_path / "out.jsonl"), "--words", str(tmp_path / "words.jsonl")]
    done = berrypick("place", *given)
    assert done.code == 0 and "a box for each of them" in done.err
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert all({"page", "box", "page_size"} <= {*row} for row in rows)
    (tmp_path / "run.jsonl").write_text(json.dumps({"topic": "q", "doc": "b", "page": 1, "rank": 1}) + "\n")
    done = berrypick("place", *given)
    assert done.code == 2 and "document b is not among the words" in done.err
