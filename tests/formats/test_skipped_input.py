"""Whatever a reader skips, merges or assumes is a note of every command that reads the file."""

import re
from pathlib import Path

import pytest

import berrypick as bp
from berrypick import formats

TRUTH = """<assessments topic="{topic}"><file name="d">
<element path="/a[1]" exhaustivity="1" size="9" rsize="9"/>
<elements path="/a[1]/b[1]" exhaustivity="1" size="9" rsize="9"/>
</file></assessments>
"""
RUN = """<inex-submission run-id="r">
<topic topic-id="7"><result><file>d</file><path>/a[1]</path><rank>1</rank></result></topic>
</inex-submission>
"""
VIDEO_TRUTH = """<videoTopics><videoTopic num="5">
<knownItem src="a" start="1s" stop="2s"/><knownItem src="a" start="5s" stop="5s"/>
<knownItem src="A" start="1s" stop="2s"/>
</videoTopic></videoTopics>
"""


@pytest.mark.slow
def test_elements_by_another_name_are_a_note_of_every_command(put, tmp_path, berrypick):
    truth, run = put("truth.xml", TRUTH.format(topic="7")), put("run.xml", RUN)
    what = "<elements> in <file>, ignored: 1"
    for arguments in (
        ("evaluate", truth, run, "-m", "nxCG@1"),
        ("compare", truth, run, run, "-m", "nxCG@1"),
        ("report", truth, run, "-m", "nxCG@1", "--html", tmp_path / "page.html"),
        ("convert", truth, tmp_path / "again.xml", "--to", "inex-assessments"),
    ):
        done = berrypick(*arguments)
        assert done.code == 0, done.err
        assert f"note: {truth}: {what}\n" in done.err, arguments
    notes = bp.evaluate(truth, run, "nxCG@1").notes
    assert [note.text for note in notes if note.kind == "skipped"] == [f"{truth}: {what}"]


def test_an_undefined_entity_in_a_topic_is_a_note(put):
    """The parser leaves it out of the attribute: it is read as topic 7."""
    header = '<!DOCTYPE assessments SYSTEM "none.dtd">\n'
    truth = put(
        "truth.xml", header + TRUTH.format(topic="&x;7").replace("elements", "element").replace("/b[1]", "/c[1]")
    )
    left_out = {"references to undefined entities, ignored": 1}
    assert formats.read_truth(truth).skipped == left_out
    text = header + RUN.replace("<topic ", "<description>&x;</description><topic ")
    found = bp.evaluate(put("good.xml", TRUTH.format(topic="7")), put("run.xml", text), "nxCG@1")
    skipped = [note for note in found.notes if note.kind == "skipped" and note.run == "r"]
    assert [note.text for note in skipped] == ["references to undefined entities, ignored: 1"]


@pytest.mark.parametrize("name", ["results", "Result", "hit"])
def test_results_by_another_name_are_counted(put, name):
    text = RUN.replace("</topic>", f"<{name}><file>d</file><path>/a[1]</path></{name}></topic>")
    assert formats.read_run(put("run.xml", text)).skipped == {f"<{name}> in <topic>, ignored": 1}


def test_known_elements_around_results_are_not_counted(put):
    text = RUN.replace("<topic ", "<topic-fields/><description>x</description><collections/><topic ")
    assert formats.read_run(put("run.xml", text)).skipped == {}


def test_known_items_that_hold_nothing_are_counted(put):
    truth = formats.read_truth(put("topics.xml", VIDEO_TRUTH))
    assert truth.skipped == {"known items of length 0, skipped": 1, "exact copies, merged": 1}
    text = VIDEO_TRUTH.replace("knownItem src=", "knownitem src=", 1)
    assert formats.read_truth(put("other.xml", text)).skipped["<knownitem> in <videoTopic>, ignored"] == 1


def test_video_results_by_another_name_are_counted(put):
    text = """<videoSearchResults><videoSearchResult tNum="5"><item seqNum="1" src="a" start="1s" stop="2s"/>
<Item seqNum="2" src="a" start="3s" stop="4s"/></videoSearchResult></videoSearchResults>"""
    assert formats.read_run(put("run.xml", text)).skipped == {"<Item> in <videoSearchResult>, ignored": 1}


def test_files_by_another_name_are_counted(put):
    text = TRUTH.format(topic="7").replace("</assessments>", '<doc name="e"/><topic/></assessments>')
    skipped = formats.read_truth(put("truth.xml", text)).skipped
    assert skipped["<doc> in <assessments>, ignored"] == 1


def test_exact_copies_of_spans_are_counted(put):
    line = '{"topic": "1", "doc": "d", "start": 0, "end": 9}\n'
    assert formats.read_truth(put("truth.jsonl", 3 * line)).skipped == {"exact copies, merged": 2}


def test_links_given_twice_are_a_note(put):
    truth, run = put("t.qrels", "1 0 a 1\n"), put("r.run", "1 Q0 b 1 1 r\n")
    links = put("links.tsv", "a\tb\na\tb\n")
    notes = bp.evaluate(truth, run, "EPRUM", navigation=links).notes
    assert f"{links}: links given more than once: 1" in [note.text for note in notes if note.kind == "skipped"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    [
        "1 Q0 my doc 1 1.5 r",
        "1 Q0 d 1 1.5",
        "1 Q0 my long doc 1 1.5 r",
        "1 Q0 report 12 1 3.5 r",
        "1 Q0 a 1 2 b 1 3.5 r",
    ],
)
@pytest.mark.parametrize("count", [1, 120_000])
def test_trec_lines_with_more_or_fewer_columns_are_errors(put, line, count):
    """A blank in a document's name would be read as another document; in the large-file reader as well."""
    good = "".join(f"1 Q0 document{i} 1 {i} r\n" for i in range(count))
    with pytest.raises(bp.InputError, match="columns, expected 6") as error:
        formats.read_run(put("x.run", f"{good}{line}\n{good}"), "trec-run")
    assert error.value.line == count + 1


def test_words_after_the_tag_of_a_trec_line_are_counted(put, berrypick):
    """trec_eval's own test files have them; the rank and the score show that no name has a blank."""
    truth, run = put("t.qrels", "1 0 a 1\n"), put("r.run", "1 Q0 a 1 2 r more junk\n1 Q0 b 2 1 r\n")
    done = berrypick("evaluate", truth, run, "-m", "RR", "-o", "tsv")
    assert done.code == 0 and "1.0" in done.out and "lines with words after the tag: 1" in done.err


def test_results_that_could_not_be_located_are_told_once(put, berrypick):
    truth = put("t.txt", "7 Q0 812 300 1000 250 250:200 600:100\n")
    run = put("r.txt", "7 Q0 812 1 9.2 me 200 120\n7 Q0 901 3 8.1 me X X\n")
    done = berrypick("evaluate", truth, run, "-m", "P@1")
    assert done.err.count("could not be located") == 1
    assert "could not be located" in berrypick("check", run).out


def test_convert_repeats_the_notes_of_a_run(put, tmp_path, berrypick):
    run = put("r.txt", "7 Q0 812 1 9.2 me 200 120\n7 Q0 901 3 8.1 me X X\n")
    done = berrypick("convert", run, tmp_path / "r.xml", "--to", "inex-submission")
    assert re.search(r"note: .*r\.txt: 1 result could not be located", done.err), done.err
    assert Path(tmp_path / "r.xml").exists()
