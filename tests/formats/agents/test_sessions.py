"""Sessions of Claude Code as runs."""

import gzip
import json

import pytest
from agent_logs import Session

import berrypick as bp

REPO = "/home/me/repo"


def places(run, topic):
    """(rank, document, first line, last line) of each row."""
    ranking = run[topic]
    rows = [ranking.record(row) for row in range(len(ranking))]
    return [(int(rank) + 1, row["doc"], row["start_line"], row["end_line"])
            for rank, row in zip(ranking.rank, rows, strict=True)]  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    """Two sessions, of which one has a subagent."""
    first = Session("s1").user("instance_id: t1\nPlease fix it. SECRET").read(f"{REPO}/src/a.py", 1, 40, tokens=100)
    first.shell().grep("src/b.py:12:x = 1\nsrc/b.py-13-y\n--\nsrc/c.py:7:z", tokens=30)
    first.read("/etc/passwd", 1, 3).read(f"{REPO}/src/d.py", 0, 5).edit(f"{REPO}/src/a.py").read(
        f"{REPO}/src/a.py", 5, 5
    )
    first.write(tmp_path / "sessions" / "one.jsonl")
    Session("s1", sidechain=True, second=1).user("look").read(f"{REPO}/src/sub.py", 3, 2, tokens=7).write(
        tmp_path / "sessions" / "s1" / "subagents" / "agent-1.jsonl"
    )
    second = Session("s2").user("instance_id: t2").shell()
    second.write(tmp_path / "sessions" / "two.jsonl")
    return tmp_path / "sessions"


PATTERN = r"claude-session(topic_pattern=r'instance_id: (\S+)',root='repo'"


def test_a_step_is_a_rank(folder):
    """The subagent read while the first session waited; what came after the edit is left out."""
    run = bp.read_run(folder, PATTERN + ")")
    assert places(run, "t1") == [
        (1, "src/a.py", 1, 40), (2, "src/sub.py", 3, 4), (3, "src/b.py", 12, 13), (3, "src/c.py", 7, 7),
        (4, "src/d.py", 1, 5)]  # fmt: skip
    assert run.topics == ("t1", "t2") and run.size("t2") == 0 and run.unit == "lines"
    skipped = run.skipped
    assert skipped["results outside the root, skipped"] == 1
    assert skipped["steps after the first edit, skipped"] == 1
    assert run.notes == ("2 calls without a file position: Bash 2",)


def test_costs_are_what_was_spent_since_the_step_before(folder):
    """By the second step 7 tokens of the subagent are new; the shell's 10 and the search's 30 belong to the third."""
    details = bp.read_run(folder, PATTERN + ")")["t1"].details
    assert details["tokens"][[0, 1, 2, 4]].tolist() == [100, 7, 40, 20]
    assert details["seconds"][[0, 1, 2, 4]].tolist() == [2, 1, 3, 4]
    assert details["tool"].tolist() == ["Read", "Read", "Grep", "Grep", "Read"] and {*details["session"]} == {"s1"}
    assert details["doc_lines"][[0, 4]].tolist() == [500, 500]


def test_to_the_end(folder):
    run = bp.read_run(folder, PATTERN + ",until='end')")
    assert places(run, "t1")[-1] == (5, "src/a.py", 5, 9)
    assert run.skipped["places in files that were edited before, whose line numbers have moved"] == 1


def test_tools_are_chosen(folder):
    run = bp.read_run(folder, PATTERN + ",tools='Grep')")
    assert [place[1] for place in places(run, "t1")] == ["src/b.py", "src/c.py"]
    with pytest.raises(bp.UsageError, match="Edit returns no file positions; they are Read, Grep, Bash"):
        bp.read_run(folder, PATTERN + ",tools='Edit')")


def test_converted_on_the_command_line(folder, berrypick):
    out = folder.parent / "run.jsonl"
    done = berrypick("convert", folder, out, "--from", "claude-session", "--topic-pattern", r"instance_id: (\S+)",
                     "--root", "repo", "--until", "edit", "--tools", "Read,Grep")  # fmt: skip
    assert done.code == 0 and "steps after the first edit, skipped: 1" in done.err
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert rows[0] == {"topic": "t1", "doc": "src/a.py", "start_line": 1, "end_line": 40, "rank": 1, "tokens": 100,
                       "seconds": 2, "doc_lines": 500, "tool": "Read", "session": "s1",
                       "agent": "claude-code", "session_date": "2026-05-01"}  # fmt: skip
    assert "tokens" not in rows[3] and rows[-1] == {"topic": "t2", "results": []}
    assert bp.read_run(out).to_records() == bp.read_run(folder, PATTERN + ")").to_records()
    wrong = berrypick("convert", out, folder.parent / "x.csv", "--to", "span-table-run", "--root", "repo")
    assert wrong.code == 2 and "has no root" in wrong.err


@pytest.mark.slow
def test_no_text_of_a_session_goes_anywhere(folder, berrypick):
    """Into no run, table, note, signature or page."""
    truth = folder.parent / "truth.jsonl"
    truth.write_text('{"topic": "t1", "doc": "src/a.py", "line": 4}\n{"topic": "t2", "doc": "src/a.py", "line": 4}\n')
    page, out = folder.parent / "page.html", folder.parent / "out.jsonl"
    for command in (["evaluate", truth, folder, "--format-run", PATTERN + ")", "-m", "StepAUC CostAt", "-q", "-o",
                     "json"],
                    ["report", truth, folder, "--format-run", PATTERN + ")", "-m", "StepAUC", "--html", page],
                    ["explain", truth, folder, "--format-run", PATTERN + ")", "-m", "CostAt", "--topic", "t1"],
                    ["convert", folder, out, "--from", PATTERN + ")"]):  # fmt: skip
        done = berrypick(*command)
        assert done.code == 0, done.err
        assert "SECRET" not in done.out + done.err
    assert "SECRET" not in page.read_text() + out.read_text()


def test_a_broken_line_is_counted_and_the_session_goes_on(folder):
    file = folder / "one.jsonl"
    lines = file.read_text().splitlines()
    lines[2:2] = ['{"type": "user", "mess', "[1]", '{"a": NaN}']
    file.write_text("\n".join(lines) + '\n{"type": "as')
    whole = bp.read_run(folder, PATTERN + ")")
    assert whole.skipped["broken lines of sessions, skipped"] == 4 and len(places(whole, "t1")) == 5


def test_one_file_and_gzip(folder, tmp_path):
    packed = tmp_path / "one.jsonl.gz"
    packed.write_bytes(gzip.compress((folder / "one.jsonl").read_bytes()))
    run = bp.read_run(packed, "claude-session(root='repo')")
    assert run.topics == ("s1",) and len(places(run, "s1")) == 4
    assert bp.read_run(folder / "one.jsonl").format == "claude-session", "it is recognised, and its folder is the root"
    assert places(bp.read_run(folder / "one.jsonl"), "s1")[0][1] == "src/a.py"


def test_repeated_records_count_once(tmp_path):
    """A session that is resumed begins with what there was."""
    file = Session().user("x").read(f"{REPO}/a.py", 1, 5).write(tmp_path / "s.jsonl")
    file.write_text(file.read_text() * 2)
    assert places(bp.read_run(file), "s1") == [(1, "a.py", 1, 5)]


def test_what_is_refused(folder, tmp_path):
    with pytest.raises(bp.InputError, match=r"(?s)no result is below rep\n.*/home/me/repo/src/a.py"):
        bp.read_run(folder, "claude-session(root='rep')")
    with pytest.raises(bp.InputError, match="no session has a topic"):
        bp.read_run(folder, "claude-session(topic_pattern='nothing: (.*)')")
    with pytest.raises(bp.UsageError, match="is not a regular expression"):
        bp.read_run(folder, "claude-session(topic_pattern='(')")
    with pytest.raises(bp.UsageError, match="format claude-session has no folder: it takes topic_pattern, root"):
        bp.read_run(folder, "claude-session(folder='x')")
    with pytest.raises(bp.UsageError, match="until must be edit or end, not 'stop'"):
        bp.read_run(folder, "claude-session(until='stop')")
    again = (folder / "one.jsonl").read_text()
    (folder / "three.jsonl").write_text(again)
    with pytest.raises(bp.InputError, match="topic t1 has two sessions"):
        bp.read_run(folder, PATTERN + ")")


GREPS = [
    ("12:x\n14-y", "src/a.py", [("src/a.py", 12, 12), ("src/a.py", 14, 14)]),
    ("a-1-b.py:12:x\na-1-b.py-13-y = z:3:4", None, [("a-1-b.py", 12, 13)]),
    ("./src/a.py:12:x\n/home/me/repo/src/a.py-13-y", None, [("src/a.py", 12, 12), ("src/a.py", 13, 13)]),
    ("src/a.py", None, []),
    ("src/a.py:no number", None, []),
]


@pytest.mark.parametrize(("content", "path", "expected"), GREPS)
def test_lines_that_a_search_prints(tmp_path, content, path, expected):
    session = Session().user("x").read(f"{REPO}/z.py", 1, 1).grep(content, path)
    found = places(bp.read_run(session.write(tmp_path / "s.jsonl")), "s1")[1:]
    assert [place[1:] for place in found] == expected


def test_a_result_that_only_the_model_saw(tmp_path):
    """Where the log keeps no fields of the result, the numbers in its text are the lines."""
    session = Session().user("x").tool("Read", {"file_path": f"{REPO}/a.py"}, None, text="     7→x\n     8→y\n")
    assert places(bp.read_run(session.write(tmp_path / "s.jsonl")), "s1") == [(1, "a.py", 7, 8)]


ROOTS = [
    ("repo", f"{REPO}/src/a.py", REPO, "src/a.py"),
    ("repo", "src/a.py", REPO, "src/a.py"),
    ("repo", f"{REPO}/x/repo/a.py", REPO, "x/repo/a.py"),
    ("repo", f"{REPO}/../other/a.py", REPO, None),
    (f"{REPO}/src", f"{REPO}/src/a.py", REPO, "a.py"),
    (f"{REPO}/src", f"{REPO}/src2/a.py", REPO, None),
    ("", f"{REPO}/src/a.py", REPO, "src/a.py"),
    ("", "/tmp/a.py", REPO, None),
    ("repo", r"C:\me\repo\src\a.py", "/x", "src/a.py"),
]


@pytest.mark.parametrize(("root", "path", "folder", "expected"), ROOTS)
def test_paths_below_a_root(root, path, folder, expected):
    from berrypick.formats.agents._session_paths import SessionRoot

    assert SessionRoot(root).below(path, folder, folder) == expected


def test_logs_without_names_of_people():
    """There the working folder is relative too: what is printed lies in it, what is given beside it."""
    from berrypick.formats.agents._session_paths import SessionRoot

    root, folder = SessionRoot("testbed"), "./jobs/testbed"
    assert root.below("./jobs/testbed/a.py", folder, folder) == "a.py"
    assert root.below("./jobs/testbed/a.py", folder, folder, printed=True) == "a.py"
    assert root.below("src/a.py", folder, folder, printed=True) == "src/a.py"
    assert root.below("src/a.py", folder, folder) is None


@pytest.mark.slow
def test_sessions_are_streamed(tmp_path):
    """What a session shows is not kept: ten large ones take hardly more memory than one."""
    import tracemalloc

    def peak(many):
        folder = tmp_path / str(many)
        for i in range(many):
            session = Session(f"s{i}").user("x")
            for k in range(20):
                file = {"filePath": f"{REPO}/a.py", "startLine": 1 + k, "numLines": 5, "content": "y" * 20_000}
                session.tool("Read", {"file_path": f"{REPO}/a.py"}, {"file": file})
            session.write(folder / f"{i}.jsonl")
        tracemalloc.start()
        bp.read_run(folder)
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    peak(1)
    assert peak(10) < peak(2) + 1_500_000
