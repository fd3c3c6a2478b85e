"""The ledger as a file: its chain of checksums, merges, and what people and machines do to it."""

import json
import re

import pytest

import berrypick as bp
from berrypick.analysis.ledger.ledger_file import Ledger, line_sum

TRUTH = {str(topic): {"a": 1} for topic in range(8)}
BASE = {topic: {"b": 2.0, "a": 1.0} for topic in TRUTH}


def run(*found):
    """A run that has the answer first on some topics."""
    return {topic: {"a": 3.0} if int(topic) in found else {"b": 2.0} for topic in TRUTH}


def look(path, *found, name="new", **options):
    return bp.compare(TRUTH, {"base": BASE, name: run(*found)}, "RR", ledger=path, **options)


@pytest.fixture
def ledger(tmp_path):
    path = tmp_path / "ledger.jsonl"
    for count in range(1, 5):
        look(path, *range(count))
    return path


def problems(path):
    return [note.text.partition(":")[2] for note in Ledger.read(path).notes]


def lines(path):
    return path.read_bytes().splitlines(keepends=True)


def test_a_line_has_what_the_look_was(tmp_path):
    path = tmp_path / "ledger.jsonl"
    found = look(path, 0, 1, commit="abc123")
    [line] = path.read_text().splitlines()
    row = json.loads(line)
    estimate, signature = found.estimate("RR", "new"), found.estimate("RR", "new").signature
    assert row["truth"] == signature["truth-sum"] and row["topics"] == signature["topics-sum"]
    assert (row["run"], row["measure"], row["n"], row["commit"]) == ("new", "RR", 8, "abc123")
    assert (row["value"], row["low"], row["high"]) == (estimate.value, estimate.low, estimate.high) == (0.25, *[
        estimate.low, estimate.high])  # fmt: skip
    assert (row["baseline"], row["baseline_value"], row["difference"]) == ("base", 0.5, -0.25)
    assert (row["look"], row["level"], row["verdict"], row["previous"]) == (1, 0.025, "not shown", "")
    assert row["time"].endswith("+00:00") and "seed:" not in row["signature"]
    assert found.ledger_head == line_sum(line.encode())


def test_each_line_has_the_sum_of_the_line_before(ledger):
    texts = [line.rstrip(b"\n") for line in lines(ledger)]
    assert [json.loads(text)["previous"] for text in texts] == ["", *map(line_sum, texts[:-1])]
    assert problems(ledger) == []


@pytest.mark.parametrize("place", [0, 1, 2])
def test_an_edited_line_is_reported(ledger, place):
    kept = lines(ledger)
    kept[place] = kept[place].replace(b'"verdict": "not shown"', b'"verdict": "better"')
    ledger.write_bytes(b"".join(kept))
    assert problems(ledger) == [
        f"{place + 2}: the line before it was edited or cut out, so looks may be missing from the count"
    ]


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_line_that_is_cut_out_is_reported(ledger, place):
    kept = lines(ledger)
    ledger.write_bytes(b"".join(kept[:place] + kept[place + 1 :]))
    assert len(problems(ledger)) == 1 and "edited or cut out" in problems(ledger)[0]


def test_reordered_lines_are_reported(ledger):
    first, second, third, last = lines(ledger)
    ledger.write_bytes(first + third + second + last)
    assert problems(ledger) == ["2: the lines were reordered: it is before a line that it follows"]


def test_the_report_reaches_the_next_look(ledger):
    kept = lines(ledger)
    ledger.write_bytes(b"".join(kept[1:]))
    found = look(ledger, 5, 6)
    assert any("edited or cut out" in str(note) for note in found.notes)
    assert found.looks["RR", "new"].number == 4


def test_a_cut_tail_is_seen_with_a_known_head(ledger):
    kept, head = lines(ledger), Ledger.read(ledger).head
    ledger.write_bytes(b"".join(kept[:-1]))
    assert problems(ledger) == []
    with pytest.raises(bp.InputError, match=f"the line {head} is missing"):
        look(ledger, 5, ledger_head=head)
    assert lines(ledger) == kept[:-1], "nothing is written"
    assert look(ledger, 5, ledger_head=Ledger.read(ledger).head).ledger_head == Ledger.read(ledger).head
    # somebody else may have added lines since
    assert look(ledger, 5, 6, ledger_head=line_sum(kept[0].rstrip())).looks["RR", "new"].number == 5


def test_merges_are_no_tampering_and_looks_are_the_union(ledger, tmp_path):
    """Two branches go on from the same line; git keeps the lines of both."""
    ours, theirs = tmp_path / "ours.jsonl", tmp_path / "theirs.jsonl"
    for path, more in ((ours, [(5,), (5, 6)]), (theirs, [(5,), (7,)])):
        path.write_bytes(ledger.read_bytes())
        for found in more:
            look(path, *found)
    merged = ours.read_bytes() + b"".join(lines(theirs)[4:])
    ledger.write_bytes(merged)
    assert problems(ledger) == []
    found = look(ledger, 4, 5, 6)
    assert found.looks["RR", "new"].number == 8  # four, two of ours, one more of theirs (one is in both), and this one
    last = json.loads(lines(ledger)[-1])
    assert last["merged"] == [line_sum(lines(ours)[-1].rstrip())], "both ends are known from now on"
    ledger.write_bytes(b"".join(line for line in lines(ledger) if line != lines(ours)[-1]))
    assert any("edited or cut out" in text for text in problems(ledger))


def test_a_line_twice_counts_once(ledger):
    ledger.write_bytes(ledger.read_bytes() + lines(ledger)[-1])
    assert problems(ledger) == [] and len(Ledger.read(ledger).lines) == 4


@pytest.mark.parametrize("kept", [1, 40, -2])
def test_a_torn_last_line_is_reported_and_skipped(ledger, kept):
    *whole, last = lines(ledger)
    ledger.write_bytes(b"".join(whole) + last[:kept])
    assert problems(ledger) == ["4: skipped the incomplete last line: writing it was interrupted"]
    found = look(ledger, 5)
    assert found.looks["RR", "new"].number == 4
    assert any("incomplete" in str(note) for note in found.notes)
    assert json.loads(lines(ledger)[-1])["run"] == "new", "the new line is a line of its own"
    [said] = problems(ledger)
    assert "skipped 1 line that are not ledger lines (line 4)" in said
    assert len(Ledger.read(ledger).lines) == 4


def test_an_editor_that_takes_the_last_line_end(ledger):
    ledger.write_bytes(ledger.read_bytes().rstrip(b"\n"))
    assert problems(ledger) == []
    assert look(ledger, 5).looks["RR", "new"].number == 5
    assert problems(ledger) == []


def test_other_line_ends_and_a_byte_order_mark(ledger):
    ledger.write_bytes(b"\xef\xbb\xbf" + ledger.read_bytes().replace(b"\n", b"\r\n"))
    assert problems(ledger) == [] and len(Ledger.read(ledger).lines) == 4


@pytest.mark.parametrize("name", ['x"}\n{"time": "y', "a\r\nb", "a\u2028b", "\ud800", "=cmd()", "a\x1b[2Jb"])
def test_no_name_can_forge_a_line(tmp_path, name):
    path = tmp_path / "ledger.jsonl"
    look(path, 1, name=name, commit=name)
    assert len(lines(path)) == 1 and path.read_bytes().isascii()
    [line] = Ledger.read(path).lines
    assert line["run"] == name == line["commit"] and problems(path) == []


@pytest.mark.parametrize("number", [b"1e999", b"-1e999", b"NaN", b"1" + b"0" * 400])
def test_numbers_that_cannot_be_computed_with_make_no_line(ledger, number):
    first, *others = lines(ledger)
    ledger.write_bytes(re.sub(rb'"value": [0-9.]+', b'"value": ' + number, first) + b"".join(others))
    assert any("skipped 1 line that are not ledger lines (line 1)" in text for text in problems(ledger))
    assert len(bp.history(ledger).points) == 3


@pytest.mark.parametrize("content", [b'{"topic": "1"}\n', b"1 0 a 1\n", b"{}", b"\x00\x01", b"[1]\n[2]\n"])
def test_another_file_is_no_ledger_and_is_not_touched(tmp_path, content):
    path = tmp_path / "truth.jsonl"
    path.write_bytes(content)
    with pytest.raises(bp.InputError, match="is not a ledger"):
        look(path, 1)
    assert path.read_bytes() == content


def test_files_that_cannot_be_a_ledger(tmp_path):
    with pytest.raises(bp.UsageError, match="neither compressed nor a pipe"):
        look(tmp_path / "l.jsonl.gz", 1)
    with pytest.raises(bp.InputError, match="not a regular file"):
        look(tmp_path, 1)
    with pytest.raises(bp.InputError, match="does not exist"):
        look(tmp_path / "none" / "l.jsonl", 1)
    assert list(tmp_path.iterdir()) == []
