"""Checks of submissions: every rule, each with the line that breaks it."""

from __future__ import annotations

import gzip
import json

import pytest
from many_cases import each
from track_world import lines

import berrypick as bp
from berrypick.demo.campaign import FOCUSED

RULES = ("topic", "document", "depth", "tag", "duplicate", "range", "missing-topic", "runs")


def found(world, *runs, track=None):
    """(file, line, rule) of every problem."""
    check = bp.check_track(track or world.track, runs)
    return [(one.file.rpartition("/")[2], one.line, one.rule) for one in check.problems]


def row(topic, doc="a", start=0, end=40, tag="ana-1", **more):
    return {"tag": tag, "topic": topic, "doc": doc, "start": start, "end": end, **more}


def test_runs_that_break_no_rule(world):
    runs = [world.run("1.jsonl", "ana-1"), world.run("2.jsonl", "ana-2"), world.run("3.jsonl", "ben-1")]
    check = bp.check_track(world.track, runs)
    assert not check.problems and not check.notes and check.line == "3 runs of 2 teams: no problems"
    assert [(one.tag, one.team) for one in check.submissions] == [("ana-1", "ana"), ("ana-2", "ana"), ("ben-1", "ben")]


def test_a_submission_that_breaks_every_rule(world, berrypick):
    """Each rule once, with its line; the track takes one run of a team, three results of a topic, tags like ana-1."""
    track = world.changed(("runs_per_team = 2", "runs_per_team = 1"))
    first = world.run("first.jsonl", "ana-1")
    bad = world.write(
        "bad.jsonl",
        lines(
            [
                row("1", tag="ana-2", rank=1),
                row("1", tag="ana-2", rank=2),  # line 2: twice
                row("1", tag="ana-2", rank=3, doc="b", start=10, end=51),  # line 3: b has 50 characters
                row("1", tag="ana-2", rank=4, doc="c"),  # line 4: a fourth result
                row("2", tag="ana-2", rank=1, doc="z"),  # line 5: no such document
                row("9", tag="ana-2", rank=1),  # line 6: no such topic
            ]
        ),
    )
    other = world.run("other.jsonl", "BEN")
    problems = found(world, first, bad, other, track=track)
    assert problems == [
        ("bad.jsonl", 1, "runs"),
        ("bad.jsonl", 2, "duplicate"),
        ("bad.jsonl", 3, "range"),
        ("bad.jsonl", 4, "depth"),
        ("bad.jsonl", 5, "document"),
        ("bad.jsonl", 6, "topic"),
        ("bad.jsonl", 6, "missing-topic"),  # the file ends without topic 3
        ("other.jsonl", 1, "tag"),
    ]
    assert sorted(rule for _, _, rule in problems) == sorted(RULES)
    done = berrypick("check", "--track", track, first, bad, other)
    assert done.code == 2 and done.out.splitlines() == [
        f"{bad}:1: run 2 of team ana, which may submit 1; earlier ones: {first}",
        f"{bad}:2: a#0-40 is retrieved twice for topic 1, first in line 1",
        f"{bad}:3: b#10-51 ends after its document, which ends at 50",
        f"{bad}:4: result 4 of topic 1, 4 in all: the track allows 3 per topic",
        f"{bad}:5: document z is not in the collection",
        f"{bad}:6: topic 9 is not in the track: 1 result",
        f"{bad}:6: the file ends without results for topic 3",
        f"{other}:1: the tag BEN does not match (?P<team>[a-z]+)-[0-9]",
    ]
    assert done.err == "3 runs of 2 teams: 8 problems in 2 files\n"
    rows = json.loads(berrypick("check", "--track", track, first, bad, other, "-o", "json").out)
    assert all(list(one) == ["file", "line", "rule", "message"] for one in rows)
    assert [(one["file"].rpartition("/")[2], one["line"], one["rule"]) for one in rows] == problems


def test_the_demonstration_and_a_run_that_breaks_its_rules(tmp_path, berrypick):
    """Elements in XML: an element that its document does not have is out of range."""
    track, runs = FOCUSED.files.path("track.toml"), [FOCUSED.files.path(run) for run in FOCUSED.files.runs]
    assert berrypick("check", "--track", track, *runs).code == 0
    text = runs[1].read_text("utf-8").replace('run-id="sections"', 'run-id="Sections"')
    text = text.replace("<file>tools</file><path>/article[1]/sec[5]<", "<file>tool</file><path>/article[1]/sec[5]<", 1)
    text = text.replace("<path>/article[1]/sec[3]</path><rank>2<", "<path>/article[1]/sec[33]</path><rank>2<", 1)
    path = tmp_path / "sections.xml"
    path.write_text(text.replace('topic-id="10"', 'topic-id="11"'), encoding="utf-8")
    problems = bp.check_track(track, [path]).problems
    rules = [(one.line, one.rule) for one in problems]
    last = text.count("\n")
    topic = next(i for i, line in enumerate(text.splitlines(), start=1) if 'topic-id="10"' in line)
    assert rules == [(2, "tag"), (4, "document"), (5, "range"), (topic + 1, "topic"), (last, "missing-topic")]
    assert "did you mean tools?" in problems[1].message


@each(
    ("rows", "expected"),
    [
        ([row("1", end=-3)], [(1, "range")]),
        ([row("1", start=-3)], [(1, "range")]),
        ([row("1", start=9, end=3), row("1")], [(1, "range")]),
        ([row("1", end=100)], []),
        ([row("1", end=100.5)], [(1, "range")]),
        ([row("1"), row("1", rank=2)], [(2, "format")]),  # only some lines have a rank
        ([row("1"), row("2"), row("1"), row("2")], [(3, "duplicate"), (4, "duplicate")]),
        ([row("1"), row("1"), row("1")], [(2, "duplicate"), (3, "duplicate")]),
        ([row("1", doc=d) for d in "abcabc"], [(4, "depth"), (4, "duplicate"), (5, "duplicate"), (6, "duplicate")]),
        ([row("9"), row("9", doc="c"), row("8")], [(1, "topic"), (3, "topic")]),
        ([{"tag": "ana-1", "topic": "1", "doc": "a"}, {"tag": "ana-1", "topic": "1", "doc": "zz"}], [(2, "document")]),
    ],
)
def test_rules_by_themselves(world, rows, expected):
    track = world.changed(("all_topics = true", "all_topics = false"))
    assert [one[1:] for one in found(world, world.write("r.jsonl", lines(rows)), track=track)] == expected


def test_tags_of_single_lines(world):
    track = world.changed(("all_topics = true", "all_topics = false"))
    run = world.write("r.run", "# c\n1 Q0 a 1 3 ana-1\n2 Q0 a 1 3 ana-1\n3 Q0 a 1 3 ana-2\n3 Q0 b 2 2 ANA\n")
    assert found(world, run, track=track) == [("r.run", 4, "tag"), ("r.run", 5, "tag")]


def test_tags_stand_where_they_stand(world):
    run = world.write("r.json", json.dumps([row(t, tag="BEN") for t in "123"], indent=1))
    assert [one[2] for one in found(world, run)] == ["tag"]


def test_two_runs_with_one_tag(world):
    runs = [world.run("1.jsonl", "ana-1"), world.run("2.jsonl", "ana-1")]
    assert found(world, *runs) == [("2.jsonl", 1, "tag")]
    assert f"that of {runs[0]}, too" in bp.check_track(world.track, runs).problems[0].message


def test_runs_of_one_team_beyond_the_limit(world):
    runs = [world.run(f"{i}.jsonl", f"ana-{i}") for i in range(5)]
    assert found(world, *runs) == [(f"{i}.jsonl", 1, "runs") for i in (2, 3, 4)]


@each(
    ("name", "content", "line"),
    [
        ("empty.run", b"", 1),
        ("comments.run", b"# nothing\n", 1),
        ("words.run", b"1 Q0 a 1 3 ana-1\n1 Q0 a\n", 2),
        ("latin.run", b"1 Q0 a 1 3 ana-1\n1 Q0 \xff 2 2 ana-1\n", 2),
        ("judged.qrels", b"1 0 a 1\n", 1),
        ("packed.run.gz", gzip.compress(b"1 Q0 a 1 x ana-1\n"), 1),
        ("cut.run.gz", gzip.compress(b"1 Q0 a 1 3 ana-1\n" * 9)[:-9], 1),
    ],
)
def test_files_that_cannot_be_read(world, name, content, line):
    track = world.changed(("all_topics = true", "all_topics = false"))
    problems = found(world, world.write(name, content), track=track)
    assert (name, line, "format") in problems and {rule for _, _, rule in problems} <= {"format", "duplicate"}


def test_a_file_that_does_not_exist_has_no_line(world, berrypick):
    assert found(world, world.folder / "none.run") == [("none.run", None, "format")]
    done = berrypick("check", "--track", world.track, world.folder / "none.run")
    assert done.code == 2 and done.out == f"{world.folder / 'none.run'}: no such file\n"


def test_the_rules_of_a_task(world):
    track = world.changed(("depth = 3", "depth = 3\ntask = 'focused'"), ("all_topics = true", "all_topics = false"))
    rows = [row("1"), row("1", doc="b"), row("1", start=30, end=60), row("2"), row("2", start=40, end=50)]
    problems = bp.check_track(track, [world.write("r.jsonl", lines(rows))]).problems
    assert [(one.line, one.rule) for one in problems] == [(3, "task")]
    assert "results overlap in topic 1, which the task focused does not allow: a#30-60 after a#0-40" in str(problems[0])


def test_what_the_track_leaves_open_is_said(world, berrypick):
    track = world.write("least.toml", "name = 'x'\n")
    done = berrypick("check", "--track", track, world.run("1.jsonl", "anything"))
    assert done.code == 0 and done.out == ""
    assert done.err.startswith(f"note: {track} has no topics, collection, depth, tag: not checked\n")


def test_lines_are_not_measured_in_characters(world):
    """A document of 100 characters may have a line 101 for all that is known."""
    rows = [{"tag": "ana-1", "topic": t, "doc": "d", "start_line": 200, "end_line": 300} for t in "123"]
    check = bp.check_track(world.track, [world.write("r.jsonl", lines(rows))])
    assert not check.problems and "in lines are not checked against the lengths" in str(check.notes[0])


def test_a_document_without_a_length_has_no_range(world):
    world.write("docs.tsv", "a\nb\t50\n")
    assert found(world, world.run("1.jsonl", "ana-1", end=10**9)) == []


@each("option", [["--documents", "x"], ["--laws"], ["-m", "AP"], ["--format", "trec-run"], ["--seed", "3"]])
def test_options_without_effect_are_refused(world, berrypick, option):
    done = berrypick("check", "--track", world.track, world.run("1.jsonl", "ana-1"), *option)
    assert done.code == 2 and f"{option[0]} has no effect with --track" in done.err


@pytest.mark.slow
def test_one_file_and_data_frames(world):
    run = world.run("1.jsonl", "BEN")
    check = bp.check_track(str(world.track), str(run))
    assert len(check.problems) == 1 and len(check.to_pandas()) == 1
    assert "does not match" in check.table() and check.table("csv").startswith("file,line,rule,message\n")
    clean = bp.check_track(world.track, [world.run("1.jsonl", "ben-1")])
    assert json.loads(clean.table("json")) == [] and clean.table("csv") == "file,line,rule,message\n"
