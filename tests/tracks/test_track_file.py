"""Track files: every key, and everything that can be wrong with one."""

from __future__ import annotations

import pytest
from many_cases import each

import berrypick as bp
from berrypick.tracks import track_file
from berrypick.tracks.track_file import read_track


def test_every_key_is_read(world):
    more = "format = 'span-run'\ntask = 'focused'\nprotocol = 'inex2010'\n"
    track = read_track(world.changed(("depth = 3", f"{more}depth = 3")))
    assert track.name == "Berries" and track.measures == "charR@5 spanRR"
    assert track.topics == {"1": "jam", "2": "tea", "3": "frost"}
    assert track.documents == {"a": 100, "b": 50, "c": 80, "d": 10} and track.collection.mean_length == 60
    assert track.truth == str(world.folder / "truth.jsonl")
    assert (track.depth, track.runs_per_team, track.all_topics) == (3, 2, True)
    assert (track.format, track.task, track.protocol) == ("span-run", "focused", "inex2010")
    assert track.team("ana-1") == "ana" and track.team("ana-12") is None and track.team("x ana-1") is None
    assert track.unchecked == []


def test_a_name_is_enough(world):
    track = read_track(world.write("least.toml", "name = 'x'"))
    assert track.unchecked == ["topics", "collection", "depth", "tag"] and track.team("any") == "any"


def test_paths_are_relative_to_the_track_file(world, monkeypatch):
    monkeypatch.chdir("/")
    assert read_track(world.track).truth == str(world.folder / "truth.jsonl")


def test_topics_may_have_blanks_and_no_title(world):
    world.write("topics.tsv", "# all of them\n1 b\tjam, tea\n2\n\n")
    assert read_track(world.track).topics == {"1 b": "jam, tea", "2": ""}


def test_topics_and_measures_may_be_lists(world):
    track = read_track(world.write("t.toml", "name = 'x'\ntopics = [7, 'b b']\nmeasures = ['AP', 'RR']\n"))
    assert track.topics == {"7": "", "b b": ""} and track.measures == "AP RR"


def test_lengths_may_be_missing_and_folders_have_them(world):
    world.write("docs.tsv", "a\t5\nb\n")
    track = read_track(world.track)
    assert track.documents == {"a": 5, "b": None} and track.collection is None
    (world.folder / "xml").mkdir()
    world.write("xml/a.xml", "<article><p>text</p></article>")
    track = read_track(world.changed(("docs.tsv", "xml")))
    assert dict(track.documents) == {"a": 4} and track.collection.structures
    world.write("docs.jsonl", '{"doc": "a", "length": 5}\n')
    assert dict(read_track(world.changed(("docs.tsv", "docs.jsonl"))).documents) == {"a": 5}


@each(
    ("line", "number", "message"),
    [
        ("depht = 3", 6, "unknown key depht; did you mean depth?"),
        (
            "x-1 = 3",
            6,
            "unknown key x-1; known keys: name, topics, collection, truth, format",
        ),
        ('"depth " = 3', 6, "unknown key depth ; did you mean depth?"),
        ("[depht]\nx = 1", 6, "unknown key depht; did you mean depth?"),
        ("depht.x = 1", 6, "unknown key depht; did you mean depth?"),
        ("documents = {}", 6, "unknown key documents"),
        ("source = 'x'", 6, "unknown key source"),
        ("depth = 0", 6, "depth must be a whole number of at least 1, not 0"),
        ("depth = true", 6, "depth must be a whole number of at least 1, not True"),
        ("depth = 1.5", 6, "depth must be a whole number of at least 1, not 1.5"),
        ("depth = 'ten'", 6, "depth must be a whole number of at least 1, not 'ten'"),
        ("depth = 3\ndepth = 4", 7, "is not TOML: Cannot overwrite a value"),
        ("depth = ", 6, "is not TOML: Invalid value"),
        ("depth 3", 6, "is not TOML: Expected '=' after a key"),
        ("format = 'trec-rum'", 6, "format is wrong: unknown format trec-rum; did you mean trec-run"),
        ("format = 'trec-qrels'", 6, "format is wrong: format trec-qrels is for a truth, not a run"),
        ("task = 'focussed'", 6, "task is wrong: unknown task focussed; did you mean focused?"),
        ("protocol = 'inex2011'", 6, "protocol is wrong: unknown protocol inex2011; did you mean inex2010"),
        ("format = 3", 6, "format must be a text, not 3"),
    ],
)
def test_wrong_lines_are_named(world, line, number, message):
    with pytest.raises(bp.InputError) as caught:
        read_track(world.changed(("depth = 3", line)))
    assert str(caught.value).startswith(f"{world.folder / 'changed.toml'}:{number}: {message}")


@each(
    ("old", "new", "message"),
    [
        ('name = "Berries"\n', "", ": has no name"),
        ('"Berries"', '""', ":1: name must be a text, not ''"),
        ('"Berries"', "3", ":1: name must be a text, not 3"),
        ('"topics.tsv"', '"none.tsv"', ":2: topics names a file that does not exist: "),
        ('"topics.tsv"', '"a\\u0000b"', ":2: topics names a file that does not exist: "),
        ('"topics.tsv"', "[]", ":2: topics must be a file, or a list of names that are not empty"),
        ('"topics.tsv"', "['1', '1']", ":2: topics lists '1' twice"),
        ('"topics.tsv"', "[true]", ":2: topics must be a file, or a list of names that are not empty"),
        ('"topics.tsv"', "4", ":2: topics must be a text, not 4"),
        ('"charR@5 spanRR"', '"charQ@5"', ":5: measures is wrong: unknown measure charQ"),
        ('"charR@5 spanRR"', "[]", ":5: measures must be a text or a list of texts, not []"),
        ("'(?P<team>[a-z]+)-[0-9]'", "'[a-z]+'", ":8: tag has no group team, which names the team of each run"),
        ("'(?P<team>[a-z]+)-[0-9]'", "'(?P<team>'", ":8: tag is not a regular expression: "),
        ("tag = '(?P<team>[a-z]+)-[0-9]'\n", "", ":7: runs_per_team needs tag, which names the team of each run"),
        ('topics = "topics.tsv"\n', "", ":8: all_topics needs topics"),
        ("all_topics = true", "all_topics = 'yes'", ":9: all_topics must be true or false, not 'yes'"),
    ],
)
def test_wrong_values_are_named(world, old, new, message):
    with pytest.raises(bp.InputError) as caught:
        read_track(world.changed((old, new)))
    assert str(caught.value).startswith(f"{world.folder / 'changed.toml'}{message}")


@each(
    ("content", "message"),
    [
        (b"", ": has no name"),
        (b"# nothing\n", ": has no name"),
        (b"name = 'x'\n\xff\xfe", ":2: is not UTF-8 text"),
        (b"name = 'x'\nx = '\0'", ":2: is not TOML"),
        (b"name = 'x'\nx = " + b"[" * 100_000, ": is nested too deeply to be read"),
        (b"name = 'x'\ndepth = " + b"9" * 5000 + b"\n", ": is not TOML: Exceeds the limit"),
        (b'name = """\ndepht = 1\n"""\ndepht = 2\n', ":4: unknown key depht; did you mean depth?"),
        (b"\xef\xbb\xbfname = 'x'\r\ndepht = 2\r\n", ":2: unknown key depht"),
        (b"{}", ":1: is not TOML"),
        (b"name = 'x'\ntag = '''", ":2: is not TOML"),
    ],
)
def test_hostile_files_are_refused_with_a_line(world, content, message):
    with pytest.raises(bp.InputError) as caught:
        read_track(path := world.write("odd.toml", content))
    assert str(caught.value).startswith(f"{path}{message}")


@each(
    ("name", "content", "message"),
    [
        ("topics.tsv", "", ": has no topics"),
        ("topics.tsv", "# only\n\n", ": has no topics"),
        ("topics.tsv", "1\ta\n1\tb\n", ":2: topic 1 is listed twice"),
        ("topics.tsv", "1\ta\n2 no tab\n", ":2: has no topic before a TAB"),
        ("topics.tsv", "\ta\n", ":1: has no topic before a TAB"),
        ("docs.tsv", "", ": has no documents"),
        ("docs.tsv", "a\t1\na\t2\n", ":2: document a is listed twice"),
        ("docs.tsv", "a\tlong\n", ":1: is not a document with its length"),
        ("docs.tsv", "a\t-1\n", ":1: is not a document with its length"),
        ("docs.tsv", "a\tnan\n", ":1: is not a document with its length"),
        ("docs.tsv", "a\t1\t2\n", ":1: is not a document with its length"),
    ],
)
def test_files_that_the_track_names_are_checked(world, name, content, message):
    kept = (world.folder / name).read_bytes()
    path = world.write(name, content)
    with pytest.raises(bp.InputError) as caught:
        read_track(world.track)
    world.write(name, kept)
    assert str(caught.value).startswith(f"{path}{message}")


def test_a_pattern_that_takes_forever_is_given_up(world, monkeypatch):
    monkeypatch.setattr(track_file, "_PATIENCE", 0.05)
    track = read_track(world.changed(("[a-z]+)-[0-9]", "(?:a|a)+)[bc]")))
    with pytest.raises(bp.InputError, match="the pattern of tags takes longer than"):
        track.team("a" * 120)
