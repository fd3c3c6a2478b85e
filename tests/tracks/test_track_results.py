"""Official results: the leaderboard, its letters, what teams compare themselves with, and the folder of pages."""

from __future__ import annotations

import json
import os
import re
import statistics
import sys
from itertools import combinations

import pytest
from many_cases import each
from track_world import lines

import berrypick as bp
from berrypick.demo.campaign import FOCUSED, RELEVANT_IN_CONTEXT
from berrypick.tracks import folder as folder_module
from berrypick.tracks.folder import page_names

pytestmark = pytest.mark.slow
RUNS = [FOCUSED.files.path(run) for run in dict.fromkeys((*FOCUSED.files.runs, *RELEVANT_IN_CONTEXT.files.runs))]
TRACK = FOCUSED.files.path("track.toml")


@pytest.fixture(scope="module")
def official():
    return bp.track(TRACK, RUNS)


def test_the_demonstration_by_its_own_evaluation(official):
    """Scores are those of evaluate; places fall with them."""
    plain = bp.evaluate(FOCUSED.files.path("highlighted.qrels"), RUNS, "AgP AiP iP@0.01",
                        collection=FOCUSED.files.path("collection"))  # fmt: skip
    assert official.results.mean() == plain.mean() and official.measure == "AgP"
    values = [plain.mean()[one.run]["AgP"] for one in official.standings]
    assert values == sorted(values, reverse=True) and [one.place for one in official.standings] == [*range(1, 8)]
    assert {one.run for one in official.standings} == {path.stem for path in RUNS}


def test_letters_are_the_decisions_of_compare(official):
    """Two runs share a letter if and only if Holm's test does not tell them apart; here that is not transitive."""
    found = bp.compare(FOCUSED.files.path("highlighted.qrels"), RUNS, "AgP",
                       collection=FOCUSED.files.path("collection"))  # fmt: skip
    letters = {one.run: {*one.letters} for one in official.standings}
    alike = {(a, b) for a, b in combinations(letters, 2) if letters[a] & letters[b]}
    decided = {(a, b) for a, b in combinations(letters, 2) if not found.pair("AgP", a, b).significant}
    assert alike == decided and all(letters.values())
    assert ["".join(one.letters) for one in official.standings] == ["a", "ab", "b", "b", "bc", "bc", "c"]


def test_median_and_best_by_hand(official):
    values = official.results.per_topic()
    for measure in official.results.measures:
        for one in official.topics_of("windows", measure):
            every = sorted(values[run][measure][one.topic] for run in official.results.runs)
            assert (one.median, one.best, one.worst) == (statistics.median(every), every[-1], every[0])
            assert one.own == {"windows": values["windows"][measure][one.topic]}


@pytest.mark.quick
def test_the_best_is_the_least_where_smaller_is_better(world):
    track = world.changed(('"charR@5 spanRR"', '"Overlap charR@5"'))
    rows = [{"tag": "ben-1", "topic": t, "doc": "a", "start": s, "end": s + 20} for t in "123" for s in (0, 10)]
    runs = [world.write("b.jsonl", lines(rows)), world.run("a.jsonl", "ana-1")]
    found = bp.track(track, runs)
    assert [(one.run, one.value) for one in found.standings] == [("ana-1", 0.0), ("ben-1", 0.25)]
    [first, *_] = found.topics_of("ben", "Overlap")
    assert (first.best, first.worst, first.median) == (0.0, 0.25, 0.125)


@pytest.mark.quick
def test_places_are_shared_and_undefined_means_come_last(world):
    """The overlap of nothing is undefined; 10 of 40 characters come twice."""
    track = world.changed(('"charR@5 spanRR"', '"Overlap"'))
    rows = [{"tag": "cid-1", "topic": t, "doc": "a", "start": s, "end": s + 20} for t in "123" for s in (0, 10)]
    empty = world.write("d.jsonl", lines({"tag": "dot-1", "topic": t, "results": []} for t in "123"))
    runs = [empty, world.write("c.jsonl", lines(rows)), world.run("b.jsonl", "ben-1"), world.run("a.jsonl", "ana-1")]
    found = bp.track(track, runs, folder=world.folder / "out")
    assert [(one.place, one.run, one.value) for one in found.standings] == [
        (1, "ana-1", 0.0), (1, "ben-1", 0.0), (3, "cid-1", 0.25), (None, "dot-1", None)
    ]  # fmt: skip
    assert found.standings[-1].letters  # it is told apart from nothing
    [topic, *_] = found.topics_of("dot", "Overlap")
    assert topic.own == {"dot-1": None} and (topic.median, topic.best, topic.worst) == (0.0, 0.0, 0.25)


def test_results_can_be_read_back_and_have_their_standing(official, tmp_path):
    official.write_pages(tmp_path / "out")
    saved = bp.read_results(tmp_path / "out" / "results.json")
    assert saved.mean() == official.results.mean() and saved.per_topic() == official.results.per_topic()
    rows = json.loads((tmp_path / "out" / "results.json").read_text("utf-8"))
    assert all(one["team"] == one["run"] and one["signature"] for one in rows)
    best = next(one for one in rows if one["run"] == "context" and one["topic"] == "all" and one["measure"] == "AgP")
    assert (best["place"], best["letters"]) == (1, "a") and best["low"] < best["value"] < best["high"]
    assert sum("place" in one for one in rows) == len(RUNS)


@pytest.mark.quick
def test_a_topic_called_all_has_no_standing(world):
    world.write("topics.tsv", "all\n")
    world.write("truth.jsonl", lines([{"topic": "all", "doc": "a", "start": 0, "end": 40}]))
    rows = [{"tag": "ana-1", "topic": "all", "doc": "a", "start": 0, "end": 20}]
    found = bp.track(world.track, [world.write("r.jsonl", lines(rows))])
    assert [("place" in one, one["value"]) for one in found.records() if one["measure"] == "charR@5"] == [
        (False, 0.5), (True, 0.5)
    ]  # fmt: skip


def test_the_command_writes_everything(tmp_path, berrypick):
    done = berrypick("track", TRACK, *RUNS, "-o", tmp_path / "official")
    assert done.code == 0 and done.out.splitlines()[2].split()[:5] == ["1", "context", "context", "a", "0.5043"]
    names = {"results.json", "leaderboard.html", *(f"{path.stem}.html" for path in RUNS)}
    assert {path.name for path in (tmp_path / "official").iterdir()} == names
    assert done.err.endswith(f"official: results.json, leaderboard.html and a page for each of {len(RUNS)} teams\n")
    page = (tmp_path / "official" / "leaderboard.html").read_text("utf-8")
    (tmp_path / "official" / "windows.html").write_text(
        (tmp_path / "official" / "windows.html").read_text("utf-8") + "<!-- older -->", encoding="utf-8"
    )
    again = berrypick("track", TRACK, *RUNS[:-1], "-o", tmp_path / "official")
    assert again.code == 0 and not (tmp_path / "official" / f"{RUNS[-1].stem}.html").exists()
    assert "older" not in (tmp_path / "official" / "windows.html").read_text("utf-8")
    assert (tmp_path / "official" / "leaderboard.html").read_text("utf-8") != page
    assert {path.name for path in tmp_path.iterdir()} == {"official"}


def test_pages_are_the_same_every_time(official, tmp_path):
    for name in ("one", "two"):
        official.write_pages(tmp_path / name)
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


@pytest.mark.quick
def test_submissions_that_break_a_rule_stop_everything(world, berrypick):
    bad = world.write("bad.jsonl", lines([{"tag": "ana-1", "topic": "9", "doc": "a", "start": 0, "end": 4}]))
    done = berrypick("track", world.track, world.run("good.jsonl", "ben-1"), bad, "-o", world.folder / "out")
    assert done.code == 2 and not done.out and not (world.folder / "out").exists()
    assert done.err.splitlines()[0] == f"{bad}:1: topic 9 is not in the track: 1 result"
    assert done.err.splitlines()[-1] == "2 runs of 2 teams: 4 problems in 1 file; nothing was written"
    with pytest.raises(bp.InputError, match=re.escape(f"{bad}:1: topic 9 is not in the track")):
        bp.track(world.track, [bad])


@pytest.mark.quick
@each(
    ("change", "message"),
    [
        (('truth = "truth.jsonl"\n', ""), "has no truth, which scores need"),
        (('"topics.tsv"', '["1", "2"]'), "judges 1 topic that the track does not list: 3"),
    ],
)
def test_what_scores_need(world, change, message):
    track = world.changed(change, ("all_topics = true", "all_topics = false"))
    with pytest.raises(bp.InputError, match=message):
        bp.track(track, [world.run("r.jsonl", "ana-1", topics="12")])


@pytest.mark.quick
def test_unjudged_topics_are_counted(world):
    world.write("topics.tsv", "1\n2\n3\n4\n5\n")
    found = bp.track(world.track, [world.run("r.jsonl", "ana-1", topics="12345")])
    assert "topics of the track without judgements, not scored (2 topics)" in map(str, found.notes)
    assert found.results.topics == ("1", "2", "3")


def test_protocol_task_and_format_apply(world):
    track = world.changed(
        ('measures = "charR@5 spanRR"', "protocol = 'legalbench-rag'\nformat = 'span-run'"),
    )
    found = bp.track(track, [world.run("r.jsonl", "ana-1")])
    assert found.measure == "charP" and "protocol-sum" in str(found.results.mean_rows[0].signature)
    page = found_page(found, world.folder / "out", "ana.html")
    assert "legalbench-rag, version 1, checksum 48687c8f692e" in page


def found_page(found, folder, name):
    found.write_pages(folder)
    return (folder / name).read_text("utf-8")


# the folder


def tree(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@each("name", ["notes.txt", "other.html", "sub/"])
def test_folders_with_other_files_are_refused(official, tmp_path, name):
    target = tmp_path / name.strip("/").replace(".", "-")
    target.mkdir()
    (target / name).mkdir() if name.endswith("/") else (target / name).write_text("<p>mine</p>")
    before = tree(target)
    with pytest.raises(bp.InputError, match="which berrypick track did not write"):
        official.write_pages(target)
    assert tree(target) == before


def test_what_is_not_a_folder_is_refused(official, tmp_path):
    (tmp_path / "file").write_text("mine")
    for given, message in (("file", "is a file"), ("none/out", "does not exist"), ("a\0b", "is not a folder")):
        with pytest.raises(bp.BerrypickError, match=message):
            official.write_pages(f"{tmp_path}/{given}")
    with pytest.raises(bp.UsageError, match="is not a folder"):
        official.write_pages("")
    assert tree(tmp_path) == {"file": b"mine"}


def test_an_empty_folder_and_a_link_are_filled(official, tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "empty")
    written = official.write_pages(tmp_path / "link")
    assert len(tree(tmp_path / "empty")) == len(written) == len(RUNS) + 2 and (tmp_path / "link").is_symlink()


@pytest.mark.parametrize("failing", ["_fill", "_swap"])
def test_nothing_is_half_written(official, tmp_path, monkeypatch, failing):
    """Neither a disk that is full nor an interrupt leaves anything behind, and what was there stays."""
    official.write_pages(tmp_path / "out")
    before = tree(tmp_path / "out")
    for error in (OSError(28, "No space left on device"), KeyboardInterrupt()):
        done = []
        real = getattr(folder_module, failing)

        def broken(*given, error=error, real=real, done=done):
            if failing == "_fill":
                real(given[0], dict([*given[1].items()][:2]))
            done.append(given)
            raise error

        monkeypatch.setattr(folder_module, failing, broken)
        with pytest.raises((bp.InputError, KeyboardInterrupt)):
            official.write_pages(tmp_path / "out")
        monkeypatch.undo()
        assert done and tree(tmp_path / "out") == before and [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_failed_exchange_puts_the_old_folder_back(official, tmp_path, monkeypatch):
    official.write_pages(tmp_path / "out")
    before, real = tree(tmp_path / "out"), os.rename

    def rename(source, target):
        if str(target) == os.path.realpath(tmp_path / "out") and not str(source).endswith("old"):
            raise OSError(5, "Input/output error")
        real(source, target)

    monkeypatch.setattr(os, "rename", rename)
    with pytest.raises(bp.InputError, match="cannot be written"):
        official.write_pages(tmp_path / "out")
    assert tree(tmp_path / "out") == before and [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.skipif(sys.platform == "win32", reason="rights of folders")
def test_the_folder_has_ordinary_rights(official, tmp_path):
    official.write_pages(tmp_path / "out")
    umask = os.umask(0)
    os.umask(umask)
    assert (tmp_path / "out").stat().st_mode & 0o777 == 0o777 & ~umask


# names


@pytest.mark.quick
@each(
    ("teams", "names"),
    [
        (["ana"], ["ana.html"]),
        (["Ana", "ana", "ANA"], ["Ana.html", "ana-2.html", "ANA-3.html"]),
        (["../etc/passwd"], ["_etc_passwd.html"]),
        (["a/b", "a\\b", "a b"], ["a_b.html", "a_b-2.html", "a_b-3.html"]),
        (["leaderboard", "results", "index"], ["leaderboard-2.html", "results-2.html", "index-2.html"]),
        (["con", "NUL", "com1"], ["con-2.html", "NUL-2.html", "com1-2.html"]),
        ([".", "..", ""], ["team.html", "team-2.html", "team-3.html"]),
        (["<script>", "\n\0"], ["_script_.html", "_.html"]),
        (["Müller", "Mu\u0308ller"], ["Müller.html", "Müller-2.html"]),
        (["x" * 500], ["x" * 50 + ".html"]),
        (["a\ud800"], ["a_.html"]),
    ],
)
def test_teams_have_files_of_their_own(teams, names):
    assert list(page_names(teams).values()) == names


@pytest.mark.quick
def test_teams_whose_names_differ_in_case(world):
    track = world.changed(("[a-z]+", "[a-zA-Z]+"))
    runs = [world.run("1.jsonl", "Ana-1"), world.run("2.jsonl", "ana-1", end=20)]
    found = bp.track(track, runs, folder=world.folder / "out")
    assert found.team_names() == ["Ana", "ana"]
    assert {path.name for path in (world.folder / "out").glob("*.html")} == {
        "leaderboard.html", "Ana.html", "ana-2.html"
    }  # fmt: skip
    board = (world.folder / "out" / "leaderboard.html").read_text("utf-8")
    assert 'href="Ana.html"' in board and 'href="ana-2.html"' in board
