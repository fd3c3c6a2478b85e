"""The demonstration: its files agree with each other, its text tells what the numbers say, its commands work."""

from __future__ import annotations

import csv
import json
import os
import re
import shlex
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner

import berrypick as bp
from berrypick import demo, formats
from berrypick.cli import cli
from berrypick.data.navigation import BACK, LinkTable, ReachTable, Sessions
from berrypick.demo import _prose, campaign, rag, video, web

WEB, VIDEO, RAG = web.FILES.path(), video.FILES.path(), rag.FILES.path()


@pytest.fixture(scope="module")
def text() -> str:
    return demo.text()


@pytest.fixture(scope="module")
def pages() -> list[str]:
    return [json.loads(line)["doc"] for line in (WEB / "pages.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def sessions() -> Sessions:
    found = formats.read_navigation(WEB / "visits.sessions")
    assert isinstance(found, Sessions)
    return found


@pytest.fixture(scope="module")
def links() -> LinkTable:
    found = formats.read_navigation(WEB / "links.tsv")
    assert isinstance(found, LinkTable)
    return found


def test_every_page_named_anywhere_is_a_page(pages: list[str], sessions: Sessions, links: LinkTable) -> None:
    assert len(pages) == len(set(pages)) == web.PAGES
    truth = bp.read_truth(WEB / "answers.qrels")
    runs = [bp.read_run(WEB / run) for run in web.FILES.runs]
    named = {page for topic in truth.topics.values() for page in topic.document}
    named.update(page for run in runs for page in run.documents)
    assert named <= set(pages)
    assert set(links.units) == set(sessions.units) == set(pages)


def test_visitors_follow_links_only(sessions: Sessions, links: LinkTable) -> None:
    for path in sessions.paths:
        trail: list[str] = []
        for step in path:
            if step == BACK:
                trail.pop()
                continue
            assert not trail or (trail[-1], step) in links.rows, path
            trail.append(step)


def test_clicks_are_counted_in_the_sessions(sessions: Sessions) -> None:
    clicks: Counter[tuple[str, str]] = Counter()
    visits: Counter[str] = Counter()
    for path in sessions.paths:
        trail: list[str] = []
        for step in path:
            if step == BACK:
                trail.pop()
            else:
                if trail:
                    clicks[trail[-1], step] += 1
                trail.append(step)
            visits[trail[-1]] += 1
    table = formats.read_navigation(WEB / "clicks.tsv")
    assert isinstance(table, ReachTable)
    assert table.rows.keys() == clicks.keys()
    for (page, to), share in table.rows.items():
        assert share == pytest.approx(clicks[page, to] / visits[page], abs=0.0005)


def test_segments_lie_in_their_videos() -> None:
    lengths = bp.read_collection(VIDEO / "videos.tsv").lengths
    assert len(lengths) == 10
    for name in ("segments.jsonl", *video.FILES.runs):
        lines = (VIDEO / name).read_text(encoding="utf-8").splitlines()
        rows = [json.loads(line) for line in lines if not line.startswith("#")]
        assert rows
        for row in rows:
            assert 0 <= row["start"] < row["end"] <= lengths[row["doc"]]


def test_the_reader_decides_on_the_web() -> None:
    found = {reader: _prose.winners(values) for reader, values in web.numbers().items()}
    assert found == {"classical": ["exact"], "hyperlink": ["nearby"], "table": ["hubs"], "markov": ["hubs"]}


@pytest.mark.parametrize("norm", ["product", "bounded"])
def test_the_web_winners_do_not_hang_on_the_ideal_list(norm: str) -> None:
    searched = web.numbers(f"EPRUM(ideal='greedy',norm='{norm}')")
    assert {k: _prose.winners(v) for k, v in searched.items()} == {
        k: _prose.winners(v) for k, v in web.numbers().items()
    }


def test_without_clicks_eprum_is_average_precision() -> None:
    runs = [WEB / run for run in web.FILES.runs]
    results = bp.evaluate(WEB / "answers.qrels", runs, "EPRUM AP")
    for values in results.mean().values():
        assert values["EPRUM"] == pytest.approx(values["AP"])


def test_the_reader_decides_in_the_archive() -> None:
    found = {reader: _prose.winners(values) for reader, values in video.numbers().items()}
    assert found == {"classical": ["shots"], "coverage": ["windows"], "distance": ["windows"], "t2i": ["jumps"]}


def test_the_measure_decides_in_the_archive() -> None:
    values = _prose.measured(video.FILES, video.SEGMENTS)
    assert _prose.winners(values["T2I(tolerance=15,at=4)"]) == ["jumps"]
    assert _prose.winners(values["ESL(wanted=2,tolerance=15)"], smaller_is_better=True) == ["jumps"]
    assert _prose.winners(values["SegP"]) == ["windows"]


def test_what_the_text_says_of_the_systems() -> None:
    """exact and shots: nothing before rank 3, and everything in the end; jumps starts early; windows repeats."""
    for folder, truth_name, run_name in ((WEB, "answers.qrels", "exact.run"), (VIDEO, "segments.jsonl", "shots.jsonl")):
        results = bp.evaluate(folder / truth_name, folder / run_name, "EPRUM(rank=2) ExpectedRatio")
        (values,) = results.mean().values()
        assert list(values.values()) == [0, 1]
    starts = {(row["topic"], row["doc"], row["start"]) for row in _rows("segments.jsonl")}
    early = Counter(
        start - row["start"]
        for row in _rows("jumps.jsonl")
        for topic, document, start in starts
        if (topic, document) == (row["topic"], row["doc"]) and 0 < start - row["start"] < 15
    )
    assert set(early) == {9, 11, 13} and early.total() == len(starts)
    repeats = Counter((row["topic"], row["doc"], row["start"], row["end"]) for row in _rows("windows.jsonl"))
    assert sum(count - 1 for count in repeats.values()) == 7


def _rows(name: str) -> list[dict[str, object]]:
    lines = (VIDEO / name).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if not line.startswith("#")]


def test_text_is_narrow_and_plain(text: str) -> None:
    folders = {str(WEB), str(VIDEO), str(RAG), str(campaign.FOCUSED.files.path())}
    for line in text.splitlines():
        assert len(line) <= 80 or any(folder in line for folder in folders), line
        assert line == line.rstrip()
    assert text.isascii() and text.endswith("\n")


def test_facts_in_the_text(text: str, sessions: Sessions) -> None:
    assert f"{len(sessions.paths)} recorded visits" in text
    assert f"has {web.PAGES} pages" in text
    for name in ("exact", "hubs", "nearby", "shots", "jumps", "windows"):
        assert re.search(rf"^{name} .*\d\.\d{{4}}$", text, re.MULTILINE)


def test_the_commands_give_the_rows_of_the_tables(text: str) -> None:
    """Every command of the text, run in the folder that it names, prints numbers that stand in the text."""
    lines = text.replace("\\\n", "").splitlines()
    folder, before, tried = Path.cwd(), Path.cwd(), 0
    for line in lines:
        words = shlex.split(line) if line.startswith("  cd ") or line.startswith("  berrypick ") else []
        if words[:1] == ["cd"]:
            folder = Path(words[1])
            assert folder.is_absolute()  # it can be typed after another cd
        elif words:
            tried += 1
            os.chdir(folder)
            try:
                result = CliRunner().invoke(cli, [*words[1:], "-o", "csv", "-p", "4"])
            finally:
                os.chdir(before)
            assert result.exit_code == 0, result.output
            for row in csv.DictReader(result.stdout.splitlines()):
                pattern = rf"^{row['run']} .*\b{re.escape(row['value'])}\b"
                assert re.search(pattern, text, re.MULTILINE), (line, row)
    assert tried == len(web.READERS) + len(video.READERS) + 1 + len(campaign.QUESTIONS_ASKED) + 1


@pytest.mark.parametrize("part", ["web", "video", "campaign", "rag"])
def test_parts_say_nothing_on_standard_error(part: str) -> None:
    """In a process of its own: a warning of Python would show there."""
    done = subprocess.run(
        [sys.executable, "-m", "berrypick", "demo", part], capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_demo_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.chdir(tmp_path)
    for arguments, expected in (([], demo.summary()), (["--all"], text), (["rag", "web"], demo.text(["rag", "web"]))):
        result = CliRunner().invoke(cli, ["demo", *arguments])
        assert result.exit_code == 0 and result.stdout == expected
    assert not list(tmp_path.iterdir())


def test_a_part_that_is_not_there(berrypick) -> None:
    done = berrypick("demo", "vidoe")
    assert (done.code, done.out) == (2, "") and "the demo has no part vidoe; did you mean video?" in done.err


def test_the_summary_has_ten_lines() -> None:
    lines = demo.summary().splitlines()
    assert len(lines) == 10 and max(map(len, lines)) < 80
    assert demo.summary().isascii()


def test_the_summary_names_commands_that_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, berrypick) -> None:
    typed = [line.strip() for line in demo.summary().splitlines() if line.startswith("  berrypick ")]
    [copy, evaluate] = typed
    assert copy == "berrypick demo --copy examples && cd examples"
    monkeypatch.chdir(tmp_path)
    assert berrypick("demo", "--copy", "examples").code == 0
    monkeypatch.chdir(tmp_path / "examples")
    done = berrypick(*shlex.split(evaluate)[1:])
    assert done.code == 0 and "charR@5\t1.0000" in done.out


def test_the_summary_has_the_numbers_of_the_parts(text: str) -> None:
    """Every number of the summary stands in the full text, beside the same run."""
    tried = 0
    for line in filter(None, demo.summary().splitlines()):
        run, *values = line.split()
        for value in (value.rstrip("*") for value in values if re.fullmatch(r"\d\.\d{4}\*?", value)):
            assert re.search(rf"^{run} .*\b{value}\b", text, re.MULTILINE), line
            tried += 1
    assert tried == 2 * 3


def test_what_the_text_says_of_chunks() -> None:
    found = {measure: _prose.winners(values) for measure, values in rag.numbers().items()}
    assert found == {"charR@5": ["large"], "charP@5": ["small"], "IoU@5": ["large"], "EPRUM": ["large"],
                     "Coverage(budget=1000)": ["small"]}  # fmt: skip
    runs = [bp.read_run(RAG / run) for run in rag.FILES.runs]
    length = [(run.end - run.start).mean() for run in runs]
    assert 3 < length[1] / length[0] < 4
    for run, most in zip(runs, (300, 1000), strict=True):
        assert (run.end - run.start).max() <= most
    curves = bp.evaluate(RAG / "answers.jsonl", runs, "Coverage(budget=1000)", curves=True).curves()
    last = {run: found["Coverage(budget=1000)"]["all"][-1] for run, found in curves.items()}
    assert last["small"][0] == last["large"][0] == 1000 and last["small"][1] > last["large"][1]
    truth = bp.read_truth(RAG / "answers.jsonl")
    assert len(truth) == 10 and len({name for topic in truth.topics.values() for name in topic.document}) == 20


def test_answers_are_the_highlighted_text() -> None:
    same = bp.read_truth(campaign.FOCUSED.files.path("highlighted.qrels"))
    runs = [RAG / run for run in rag.FILES.runs]
    expected = bp.evaluate(same, runs, "charR@5 charP@5 IoU@5").mean()
    assert bp.evaluate(RAG / "answers.jsonl", runs, "charR@5 charP@5 IoU@5").mean() == expected


def test_the_script_makes_the_chunks_again(tmp_path: Path) -> None:
    script = Path(__file__).resolve().parents[2] / "scripts" / "make_rag.py"
    subprocess.run([sys.executable, str(script), str(tmp_path)], check=True, capture_output=True)
    made = sorted(tmp_path.iterdir())
    assert [path.name for path in made] == ["answers.jsonl", "large.jsonl", "small.jsonl"]
    for path in made:
        assert path.read_bytes() == (RAG / path.name).read_bytes(), f"{path.name}: run scripts/make_rag.py"


def test_equal_values_share_the_win() -> None:
    assert _prose.winners({"a": 1.0, "b": 1.0, "c": None}) == ["a", "b"]


def test_commands_can_be_typed_where_the_command_is_not_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bin with blank").mkdir()
    program = tmp_path / "bin with blank" / "berrypick"
    program.write_text('#!/bin/sh\necho "$@"\n')
    program.chmod(0o755)
    monkeypatch.setattr(_prose.sys, "executable", str(program.parent / "python"))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    told = web.text()
    typed = "".join(f"{line}\n" for line in told.splitlines() if line.startswith("  cd") or "export PATH" in line)
    assert "export PATH=" in typed
    done = subprocess.run(["sh", "-c", typed + "berrypick evaluate x"], capture_output=True, text=True, check=True)
    assert done.stdout == "evaluate x\n"
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    assert "export PATH" not in web.text(), "whoever has it needs nothing"


# files for those who have the package alone


def test_the_files_of_the_examples_are_copied(tmp_path: Path, berrypick) -> None:
    done = berrypick("demo", "--copy", tmp_path / "new", "--all")
    copied = {path.relative_to(tmp_path / "new").as_posix() for path in (tmp_path / "new").rglob("*") if path.is_file()}
    assert done.code == 0 and {"mine.run", "chunks/texts/compost.md", "campaign/runs/sections.xml"} <= copied
    assert sorted(done.out.splitlines()) == sorted(str(tmp_path / "new" / name) for name in copied)
    assert done.err == f"{len(copied)} files. Next: cd {tmp_path / 'new'} && {demo.FIRST_COMMAND}\n"
    (tmp_path / "empty").mkdir()
    assert berrypick("demo", "--copy", tmp_path / "empty").code == 0


def test_the_small_folder_is_a_part_of_the_large_one(tmp_path: Path, berrypick) -> None:
    done = berrypick("demo", "--copy", tmp_path / "small")
    names = {path.relative_to(tmp_path / "small").as_posix() for path in (tmp_path / "small").rglob("*.*")}
    assert done.code == 0 and {"truth.jsonl", "100.jsonl", "texts/compost.md"} <= names and 8 <= len(names) <= 12
    berrypick("demo", "--copy", tmp_path / "large", "--all")
    for name in names:
        assert (tmp_path / "small" / name).read_bytes() == (tmp_path / "large" / name).read_bytes()


def test_copied_files_overwrite_nothing(tmp_path: Path, berrypick) -> None:
    (tmp_path / "mine.run").write_text("of mine")
    for folder in (tmp_path, tmp_path / "mine.run", ""):
        done = berrypick("demo", "--copy", folder)
        message = f"berrypick: refusing to overwrite '{folder}'; name a folder that is new or empty\n"
        assert (done.code, done.out, done.err) == (2, "", message)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.run"]
    assert (tmp_path / "mine.run").read_text() == "of mine"


def test_a_copy_is_whole_or_not_there(tmp_path: Path, berrypick, monkeypatch: pytest.MonkeyPatch) -> None:
    done = berrypick("demo", "--copy", tmp_path / "no" / "folder")
    assert done.code == 2 and done.err.startswith(f"berrypick: {tmp_path / 'no' / 'folder'}: cannot be written (")
    for odd in ("x" * 5000, "a\0b"):
        done = berrypick("demo", "--copy", odd)
        assert done.code == 2 and "cannot be written (" in done.err and "Traceback" not in done.err
    files = iter(range(10))

    def full(source: Path, target: Path) -> str:
        if next(files) == 5:
            raise OSError(28, "No space left on device")
        target.write_text("")
        return str(target)

    monkeypatch.setattr("shutil.copyfile", full)
    done = berrypick("demo", "--copy", tmp_path / "new")
    assert (done.code, done.out) == (2, "") and "cannot be written (No space left on device)" in done.err
    assert not any((tmp_path / "new").iterdir())


def test_copies_are_asked_for_alone(tmp_path: Path, berrypick) -> None:
    message = "berrypick: --copy writes files and evaluates nothing: give it alone or with --all\n"
    for more in (["web"], ["--html", "x.html"]):
        done = berrypick("demo", *more, "--copy", tmp_path / "new")
        assert (done.code, done.err) == (2, message)
    assert not any(tmp_path.iterdir())
