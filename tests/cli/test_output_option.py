"""-o and --format: the same in every command."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from berrypick.cli import cli, main

TRUTH = "".join(json.dumps({"topic": "1", "doc": "d", "start": s, "end": s + 10}) + "\n" for s in (0, 50))
RUN = json.dumps({"topic": "1", "doc": "d", "start": 0, "end": 20, "rank": 1}) + "\n"
#: Commands that print a table of what they found, with what they need.
EVALUATED = {
    "evaluate": ["truth.jsonl", "run.jsonl", "-m", "charR@5"],
    "compare": ["truth.jsonl", "run.jsonl", "-m", "charR@5"],
    "power": ["truth.jsonl", "run.jsonl", "other.jsonl", "-m", "charR@5", "--resamples", "100"],
    "stability": ["truth.jsonl", "run.jsonl", "other.jsonl", "-m", "charR@5", "--resamples", "100", "--splits", "2"],
    "diff": ["saved.json", "saved.json"],
    "check": ["--laws", "truth.jsonl", "run.jsonl", "-m", "charR@5", "--variants", "1"],
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    topics = [f'"{topic}"' for topic in range(1, 5)]
    Path("truth.jsonl").write_text("".join(TRUTH.replace('"1"', topic) for topic in topics))
    Path("run.jsonl").write_text("".join(RUN.replace('"1"', topic) for topic in topics))
    Path("other.jsonl").write_text(Path("run.jsonl").read_text().replace("20", "9"))
    Path("saved.json").write_text(run("evaluate", *EVALUATED["evaluate"], "-q", "-o", "json").stdout)
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, arguments)


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    assert ended.value.code == 2
    return capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("command", EVALUATED)
def test_the_file_has_what_would_be_printed(command: str, folder: Path) -> None:
    printed = run(command, *EVALUATED[command], "-o", "json")
    written = run(command, *EVALUATED[command], "-o", "found.json")
    assert printed.exit_code == written.exit_code == 0
    assert written.stdout == ""
    assert "found.json: written as json" in written.stderr
    assert json.loads(Path("found.json").read_text()) == json.loads(printed.stdout)


@pytest.mark.parametrize("command", EVALUATED)
def test_any_other_word_is_wrong_usage(command: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    message = said(capsys, command, *EVALUATED[command], "-o", "jsonn")
    assert "did you mean json" in message and "a file has a dot or a slash, such as ./jsonn" in message
    assert not Path("jsonn").exists()


@pytest.mark.slow
@pytest.mark.parametrize("command", [name for name in EVALUATED if name != "check"])
def test_format_without_a_file_prints(command: str, folder: Path) -> None:
    given = run(command, *EVALUATED[command], "--format", "csv")
    assert given.exit_code == 0
    assert given.stdout == run(command, *EVALUATED[command], "-o", "csv").stdout


def test_a_file_and_a_format(folder: Path) -> None:
    both = run("evaluate", *EVALUATED["evaluate"], "-o", "means.md", "-o", "jsonl", "--format", "csv")
    assert both.stdout == run("evaluate", *EVALUATED["evaluate"], "-o", "jsonl").stdout
    assert Path("means.md").read_text() == run("evaluate", *EVALUATED["evaluate"], "-o", "csv").stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "form"),
    [("a.md", "markdown"), ("a.tex", "latex"), ("a.txt", "table"), ("a.TSV", "tsv"), ("./a.csv", "csv")],
)
def test_the_extension_says_the_format(name: str, form: str, folder: Path) -> None:
    assert run("evaluate", *EVALUATED["evaluate"], "-o", name).exit_code == 0
    assert Path(name).read_text() == run("evaluate", *EVALUATED["evaluate"], "-o", form).stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["-o", "a.json", "-o", "b.json"], "one file and one format"),
        (["-o", "json", "-o", "csv"], "one file and one format"),
        (["-o", "json", "--format", "csv"], "two formats to print"),
        (["-o", "means.xyz"], "means.xyz: which format?"),
        (["-o", "./means"], "./means: which format?"),
        (["-o", "gates.xml"], "gates.xml: which format?"),
        (["-o", "truth.jsonl"], "refusing to overwrite"),
        (["-o", "./run.jsonl"], "refusing to overwrite"),
        (["--curves", "-o", "means.csv"], "--curves needs"),
    ],
)
def test_refused(given: list[str], message: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert message in said(capsys, "evaluate", *EVALUATED["evaluate"], *given)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_gates_go_into_a_file(folder: Path) -> None:
    ended = run("compare", *EVALUATED["compare"], "--fail-under", "charR@5=0.9", "-o", "gates.xml", "-o", "markdown")
    assert ended.exit_code == 1
    assert Path("gates.xml").read_text().startswith("<?xml")
    assert "charR@5" in ended.stdout


def test_curves_are_in_a_table_written(folder: Path) -> None:
    curves = ["evaluate", "truth.jsonl", "run.jsonl", "-m", "nxCG@10", "--curves"]
    assert run(*curves, "-o", "curves.txt").exit_code == run(*curves, "-o", "table").exit_code


#: Commands that write a file: their arguments, the older way to name it, and a file.
WRITING = {
    "convert": (["run.jsonl"], [], "copy.jsonl"),
    "locate": (["truth.jsonl", "--documents", "texts"], [], "spans.jsonl"),
    "index": (["xml"], [], "xml.idx"),
    "plot": (["truth.jsonl", "run.jsonl", "-m", "charR@5"], [], "means.svg"),
    "report": (["truth.jsonl", "run.jsonl", "-m", "charR@5"], ["--html"], "report.html"),
    "annotate": (["tasks.jsonl"], ["--html"], "judge.html"),
    "pool": (["run.jsonl", "--documents", "texts"], None, "made.jsonl"),
    "relocate": (["truth.jsonl", "--from", "texts", "--to", "texts"], None, "moved.jsonl"),
}


@pytest.fixture
def texts(folder: Path) -> None:
    Path("texts").mkdir()
    Path("texts/d").write_text("".join(f"{number:04}" for number in range(25)))
    Path("xml").mkdir()
    Path("xml/a.xml").write_text("<a><b>text</b></a>")
    run("pool", *WRITING["pool"][0], "-o", "tasks.jsonl")


@pytest.mark.parametrize(
    "command",
    [pytest.param(one, marks=pytest.mark.slow) if one in ("plot", "report") else one for one in sorted(WRITING)],
)
def test_files_are_written_with_o_and_in_the_older_way(command: str, texts: None) -> None:
    arguments, older, file = WRITING[command]
    assert run(command, *arguments, "-o", file).exit_code == 0
    assert Path(file).stat().st_size
    if older is not None:
        Path(file).unlink()
        assert run(command, *arguments, *older, file).exit_code == 0
        assert Path(file).stat().st_size


@pytest.mark.slow
@pytest.mark.parametrize("command", WRITING)
def test_a_word_is_no_file(command: str, texts: None, capsys: pytest.CaptureFixture[str]) -> None:
    arguments, older, file = WRITING[command]
    assert "such as ./word" in said(capsys, command, *arguments, "-o", "word")
    assert not Path("word").exists()
    lacking = said(capsys, command, *arguments)
    assert "Missing" in lacking or command == "plot"
    if older is not None and command != "plot":
        twice = said(capsys, command, *arguments, *older, file, "-o", f"other-{file}")
        assert "two files to write" in twice
        assert not Path(file).exists()


#: Commands whose result is a file of some format, and a format to print.
PRINTING = {"convert": "span-run", "locate": "span-truth", "pool": "label-studio", "relocate": "span-truth"}


@pytest.mark.slow
@pytest.mark.parametrize("command", PRINTING)
def test_the_name_of_a_format_prints(command: str, texts: None, capsys: pytest.CaptureFixture[str]) -> None:
    arguments, name = WRITING[command][0], PRINTING[command]
    before = {path.name for path in Path.cwd().iterdir()}
    printed = run(command, *arguments, "-o", name)
    assert printed.exit_code == 0 and "standard output: " in printed.stderr
    assert {path.name for path in Path.cwd().iterdir()} == before
    how = [] if command in ("locate", "relocate") else ["--format", name]
    assert run(command, *arguments, "-o", "file.jsonl", *how).exit_code == 0
    assert Path("file.jsonl").read_text() == printed.stdout
    both = run(command, *arguments, "-o", "again.jsonl", *how, "-o", name)
    assert (both.stdout, Path("again.jsonl").read_text()) == (printed.stdout, printed.stdout)
    if how:
        assert run(command, *arguments, *how).stdout == printed.stdout
        assert "two formats" in said(capsys, command, *arguments, "-o", name, *how)


def test_a_word_close_to_a_format(texts: None, capsys: pytest.CaptureFixture[str]) -> None:
    message = said(capsys, "convert", "run.jsonl", "-o", "span-rn")
    assert "'span-rn' is not a format; did you mean span-run" in message and "trecvid" not in message
