"""With -o json an error is one JSON object on standard error; exit codes stay the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from berrypick.cli import main
from berrypick.cli.output import asks_for_json


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.qrels").write_text("1 0 a 1\n")
    Path("r.run").write_text("1 Q0 a 1 2.5 mine\n")
    Path("broken.run").write_text("1 Q0 a 1 2.5 mine\n1 Q0 b 2 2.0\n")


def error_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, object]:
    with pytest.raises(SystemExit) as end:
        main([*arguments])
    assert end.value.code == 2
    said = capsys.readouterr()
    assert said.out == "" and len(said.err.splitlines()) == 1
    return json.loads(said.err)["error"]


def test_a_file_has_its_line_and_a_command_that_says_more(capsys: pytest.CaptureFixture[str]) -> None:
    error = error_of(capsys, "evaluate", "t.qrels", "broken.run", "-o", "json")
    assert (error["code"], error["file"], error["line"]) == ("input", "broken.run", 2)
    assert (
        "5 columns" in str(error["message"])
        and error["fix"] == "berrypick check broken.run lists every problem of the file"
    )


def test_a_missing_file(capsys: pytest.CaptureFixture[str]) -> None:
    error = error_of(capsys, "evaluate", "none.qrels", "r.run", "-o", "json")
    assert (error["code"], error["file"], error["fix"]) == (
        "input", "none.qrels", "give the path of a file that exists",
    )  # fmt: skip


def test_wrong_usage_has_a_fix(capsys: pytest.CaptureFixture[str]) -> None:
    error = error_of(capsys, "evaluate", "t.qrels", "r.run", "-m", "EPRUN", "-ojson")
    assert error == {
        "code": "usage",
        "message": "unknown measure EPRUN; did you mean EPRUM or PRUM or epgr?",
        "fix": "did you mean EPRUM or PRUM or epgr?",
        "file": None,
        "line": None,
    }
    assert error_of(capsys, "evaluate", "t.qrels", "r.run", "--nope", "--output=json")["fix"] == (
        "see 'berrypick evaluate --help'"
    )
    assert error_of(capsys, "nope", "-o", "json")["fix"] == "see 'berrypick --help'"


def test_other_formats_keep_the_text(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["evaluate", "t.qrels", "r.run", "--nope", "-o", "csv"])
    assert capsys.readouterr().err.startswith("berrypick: No such option")


def test_hostile_names_stay_in_the_object(capsys: pytest.CaptureFixture[str]) -> None:
    name = 'a"\n{"error": 1}\x1b[31m'
    assert error_of(capsys, "evaluate", name, "r.run", "-o", "json")["file"] == name


@pytest.mark.parametrize(
    ("arguments", "asked"),
    [
        (["-o", "json"], True), (["-ojson"], True), (["--output", "json"], True), (["--output=json"], True),
        (["--format", "json"], True), (["--format=json"], True), (["-o", "jsonl"], False), (["-o", "x.json"], False),
        (["json"], False), ([], False), (["-o"], False),
    ],
)  # fmt: skip
def test_words_that_ask_for_json(arguments: list[str], asked: bool) -> None:
    assert asks_for_json(["evaluate", *arguments]) is asked
