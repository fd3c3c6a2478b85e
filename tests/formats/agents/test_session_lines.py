"""Line numbers in sessions of agents, and what ends a line."""

import json

import pytest

import berrypick as bp

REPO = "/home/me/repo"


def session(path, *calls):
    """A session with one call per tuple: tool, arguments, text of the result, fields of the result."""
    records = [{"type": "user", "message": {"role": "user", "content": "Where is it?"}}]
    for number, (tool, asked, text, fields) in enumerate(calls):
        use = {"type": "tool_use", "id": f"c{number}", "name": tool, "input": asked}
        records.append({"type": "assistant", "message": {"role": "assistant", "content": [use]}})
        shown = {"type": "tool_result", "tool_use_id": f"c{number}", "content": text}
        more = {} if fields is None else {"toolUseResult": fields}
        records.append({"type": "user", "message": {"role": "user", "content": [shown]}, **more})
    path.write_text("".join(json.dumps({"sessionId": "s1", "cwd": REPO, **one}) + "\n" for one in records))
    return path


def places(run):
    rows = [row for row in run.to_records() if "doc" in row]
    return [(row["doc"], row["start_line"], row["end_line"]) for row in rows]


def searched(tmp_path, printed, as_fields=True, **asked):
    """Places of a search; ``as_fields``: the log keeps the output as a field, else only as text for the model."""
    fields = {"mode": "content", "content": printed} if as_fields else None
    asked = {"pattern": "x", "output_mode": "content", **asked}
    return places(bp.read_run(session(tmp_path / "s.jsonl", ("Grep", asked, printed, fields))))


HITS = {
    "a name that begins with digits": ("01-intro.md:12:foo", {}, [("01-intro.md", 12, 12)]),
    "in the working folder, named": ("01-intro.md:12:foo", {"path": REPO}, [("01-intro.md", 12, 12)]),
    "in the working folder, as a dot": ("2024-05-notes.md:3:foo", {"path": "./"}, [("2024-05-notes.md", 3, 3)]),
    "below a folder": ("docs/01-intro.md:12:foo", {"path": "docs"}, [("docs/01-intro.md", 12, 12)]),
    "a folder whose name begins with digits": ("2024-q1/a.md:7:foo", {"path": "2024-q1"}, [("2024-q1/a.md", 7, 7)]),
    "digits and a dash, no other file": (
        "2024-notes.md:12:foo\n2024-notes.md:40:foo",
        {"path": "./notes"},
        [("2024-notes.md", 12, 12), ("2024-notes.md", 40, 40)],
    ),
    "context lines": (
        "01-intro.md-11-before\n01-intro.md:12:foo\n01-intro.md-13-after",
        {"-C": 1},
        [("01-intro.md", 11, 13)],
    ),
    "context lines that look like hits": (
        "01-intro.md-11-see 02-setup.md:99:x\n01-intro.md:12:foo\n01-intro.md-13-ports 1-8080-9",
        {"-C": 1},
        [("01-intro.md", 11, 13)],
    ),
    "two groups": (
        "01-a.md:1:foo\n01-a.md-2-x\n--\n02-b.md-6-y\n02-b.md:7:foo",
        {"-C": 1},
        [("01-a.md", 1, 2), ("02-b.md", 6, 7)],
    ),
    "a file without an ending": ("3-LICENSE-4-x\n3-LICENSE:5:foo", {"-B": 1}, [("3-LICENSE", 4, 5)]),
    "a folder with a number between dashes": (
        "v-2-x/a.py:8:foo\nv-2-x/a.py-9-z",
        {"-A": 1},
        [("v-2-x/a.py", 8, 9)],
    ),
    "a context line alone, which may be of two files": ("src/7-3-src/a.py:7:x", {"-C": 1}, []),
    "a context line alone, which names two lines": ("src/a.py-3-b.py-9-x", {"-C": 1}, []),
    "a match alone": ("src/a.py:7:x", {"-C": 1}, [("src/a.py", 7, 7)]),
    "one file": ("12:foo\n13-8080:80", {"path": "src/a.py", "-A": 1}, [("src/a.py", 12, 13)]),
    "one file, a text with names": ("12:see b.py:99:x", {"path": "src/a.py"}, [("src/a.py", 12, 12)]),
    "one file, its name in its text": (
        "11-see 02-b.md-3-x\n12:foo",
        {"path": "01-a.md", "-B": 1},
        [("01-a.md", 11, 12)],
    ),
    "numbers asked for": ("compose.yml:4:8080:80", {"-n": True}, [("compose.yml", 4, 4)]),
    "numbers by default": ("compose.yml:4:8080:80", {}, [("compose.yml", 4, 4)]),
    "no numbers asked for": ("compose.yml:8080:80\nserver.md:8080: is the port", {"-n": False}, []),
    "no numbers, one file": ("8080:80\n9090:90", {"-n": False, "path": "compose.yml"}, []),
    "an address": ("README.md:5:see http://host:8080:", {}, [("README.md", 5, 5)]),
    "an address without a number": ("README.md:see http://host:8080:", {}, []),
    "a form feed": ("src/a.py:5:x\fb.py:700:y", {}, [("src/a.py", 5, 5)]),
    "U+2028": ("src/a.py:5:x\u2028b.py:700:y\u2029c.py:800:z\x85d.py:900:", {}, [("src/a.py", 5, 5)]),
    "a vertical tab in one file": ("5:x\v700:y", {"path": "src/a.py"}, [("src/a.py", 5, 5)]),
    "line feeds of Windows": ("src/a.py:5:x\r\nsrc/a.py:9:y\r", {}, [("src/a.py", 5, 5), ("src/a.py", 9, 9)]),
}


@pytest.mark.parametrize("as_fields", [True, False], ids=["fields", "text"])
@pytest.mark.parametrize("name", HITS)
def test_lines_that_a_search_shows(tmp_path, name, as_fields):
    printed, asked, expected = HITS[name]
    assert searched(tmp_path, printed, as_fields, **asked) == expected


def test_counts_and_names_of_files_have_no_lines(tmp_path):
    for mode in ("count", "files_with_matches"):
        assert searched(tmp_path, "src/a.py:12:", as_fields=False, output_mode=mode) == []


REMINDER = "\n\n<system-reminder>\nsrc/b.py:700:never shown\n   701→never shown\n</system-reminder>\n"


def test_system_reminders_are_not_output(tmp_path):
    assert searched(tmp_path, f"src/a.py:5:x{REMINDER}", as_fields=False) == [("src/a.py", 5, 5)]
    text = f"     7→x\n     8→y{REMINDER}"
    for shown in (text, [{"type": "text", "text": text}], text.replace("\n\n<", "<"), text.replace("</system", "")):
        file = session(tmp_path / "s.jsonl", ("Read", {"file_path": f"{REPO}/a.py"}, shown, None))
        assert places(bp.read_run(file)) == [("a.py", 7, 8)]


def test_a_file_that_mentions_a_reminder_is_shown(tmp_path):
    """Its lines have numbers before them, those of a reminder do not."""
    text = f"     7→<system-reminder>\n     8→y\n     9→</system-reminder>\n    10→<system-reminder>{REMINDER}"
    file = session(tmp_path / "s.jsonl", ("Read", {"file_path": f"{REPO}/a.py"}, text, None))
    assert places(bp.read_run(file)) == [("a.py", 7, 10)]


def test_lines_of_a_file_with_form_feeds(tmp_path):
    text = "     7→x\f   900→y\u2028   901→z\n     8→y"
    file = session(tmp_path / "s.jsonl", ("Read", {"file_path": f"{REPO}/a.py"}, text, None))
    assert places(bp.read_run(file)) == [("a.py", 7, 8)]


def test_a_file_read_from_offset_0_begins_with_line_1(tmp_path):
    file = session(tmp_path / "s.jsonl", ("Read", {"file_path": f"{REPO}/a.py"}, "     0→x\n     1→y\n", None))
    assert places(bp.read_run(file)) == [("a.py", 1, 2)]


def test_the_number_of_a_run_with_names_that_begin_with_digits(tmp_path, berrypick):
    """Two of four relevant lines are found; line 8080 is not."""
    file = session(
        tmp_path / "s.jsonl",
        ("Grep", {"path": REPO}, "", {"mode": "content", "content": "01-intro.md:12:a\n01-intro.md:13:b"}),
        ("Grep", {"-n": False}, "", {"mode": "content", "content": "server.md:8080:80"}),
    )
    truth = tmp_path / "truth.jsonl"
    truth.write_text(
        '{"topic": "s1", "doc": "01-intro.md", "start_line": 12, "end_line": 14}\n'
        '{"topic": "s1", "doc": "server.md", "start_line": 8080, "end_line": 8080}\n'
    )
    done = berrypick("evaluate", truth, file, "-m", "charR@5 charP@5", "-o", "json")
    assert done.code == 0, done.err
    assert "results of Grep without file lines, skipped: 1" in done.err
    assert bp.evaluate(truth, file, "charR@5 charP@5").mean() == {"s": {"charR@5": 0.5, "charP@5": 1.0}}


def test_traces_of_agents_follow_the_same_rule(tmp_path):
    def attribute(name, value):
        return {"key": name, "value": {"stringValue": value}}

    def span(number, asked, shown):
        kinds = [attribute("openinference.span.kind", "TOOL"), attribute("tool.name", "Grep")]
        values = [attribute("input.value", json.dumps(asked)), attribute("output.value", shown)]
        return {"traceId": "t1", "spanId": str(number), "endTimeUnixNano": str(number), "attributes": kinds + values}

    spans = [span(1, {}, f"01-a.md:3:x\fb.md:9:y{REMINDER}"), span(2, {"-n": False}, "server.md:8080:80")]
    file = tmp_path / "t.jsonl"
    file.write_text(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}) + "\n")
    assert places(bp.read_run(file)) == [("01-a.md", 3, 3)]


def test_a_failed_tool_of_a_trace_shows_and_edits_nothing(tmp_path):
    def attribute(name, value):
        return {"key": name, "value": {"stringValue": value}}

    def span(number, tool, asked, shown, code):
        kinds = [attribute("openinference.span.kind", "TOOL"), attribute("tool.name", tool)]
        values = [attribute("input.value", json.dumps(asked)), attribute("output.value", shown)]
        return {"traceId": "t1", "spanId": str(number), "endTimeUnixNano": str(number), "status": {"code": code},
                "attributes": kinds + values}  # fmt: skip

    spans = [
        span(1, "Grep", {}, "a.md:3:x", "STATUS_CODE_ERROR"),
        span(2, "Edit", {"file_path": "a.md"}, "", 2),
        span(3, "Grep", {}, "a.md:5:x", 1),
    ]
    file = tmp_path / "t.jsonl"
    file.write_text(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}) + "\n")
    assert places(bp.read_run(file)) == [("a.md", 5, 5)]


ODD = "a\fb\u2028c\u2029d\x85e\vf"


def test_a_form_feed_ends_no_line_of_a_truth_or_run(tmp_path):
    """The text is one line; a second line feed makes it two, which is refused."""
    row = {"topic": "q", "doc": "a.py", "line": 2}
    truth, run = [{**row, "quote": ODD}], [{**row, "text": ODD}]
    assert bp.evaluate(truth, run, "charR@5").mean() == {"run": {"charR@5": 1.0}}
    with pytest.raises(bp.BerrypickError, match="has 2 lines"):
        bp.evaluate(truth, [{**row, "text": f"{ODD}\ng"}], "charR@5")


def test_a_form_feed_ends_no_line_of_a_document():
    """Line 2 of 3 is retrieved: a third of what is read, and all that is relevant."""
    documents = {"a.py": f"one\n{ODD}\nthree\n"}
    truth = [{"topic": "q", "doc": "a.py", "line": 2}]
    run = [{"topic": "q", "doc": "a.py", "start_line": 1, "end_line": 3}]
    found = bp.evaluate(truth, run, "charR@5 charP@5", documents=documents).mean()["run"]
    assert found == {"charR@5": 1.0, "charP@5": pytest.approx(1 / 3)}
    with pytest.raises(bp.BerrypickError):  # there is no line 4
        bp.evaluate([{"topic": "q", "doc": "a.py", "line": 4}], run, "charR@5", documents=documents)


def test_a_form_feed_ends_no_line_of_a_patch(tmp_path):
    """The removed line is line 2 of the file, whatever is in line 1."""
    (tmp_path / "patches").mkdir()
    change = "--- a/x.py\n+++ b/x.py\n@@ -1,3 +1,2 @@\n \f one\u2028two\n-gone\n three\n"
    (tmp_path / "patches" / "t1.diff").write_text(change)
    (tmp_path / "patches.jsonl").write_text(json.dumps({"instance_id": "t1", "patch": change}) + "\n")
    for source in ("patches", "patches.jsonl"):
        records = bp.read_truth(tmp_path / source).to_records()
        assert [(row["doc"], row["start_line"], row["end_line"]) for row in records] == [("x.py", 2, 2)]
