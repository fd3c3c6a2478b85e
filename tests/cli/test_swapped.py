"""A truth and a run in each other's place: the error begins with the command to type."""

import json
import shlex

import pytest

ROW = {"topic": "1", "doc": "a.md", "start": 0, "end": 4}
FILES = {
    "run.csv": "topic,doc,start,end,rank\n1,a.md,0,4,1\n",
    "run.jsonl": json.dumps({**ROW, "rank": 1}) + "\n",
    "mine.run": "1 Q0 a 1 2.5 mine\n",
    "truth.jsonl": json.dumps({**ROW, "grade": 1}) + "\n",
    "truth.qrels": "1 0 a 1\n",
}


@pytest.fixture
def here(tmp_path, monkeypatch):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.md").write_text("Cut the canes.")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("run", "truth", "more"),
    [
        ("run.csv", "truth.jsonl", ["--documents", "texts", "-m", "charR@5 charP@5"]),
        ("run.jsonl", "truth.jsonl", []),
        ("mine.run", "truth.qrels", ["-m", "RR"]),
    ],
)
def test_the_swapped_command_can_be_typed(here, berrypick, run, truth, more):
    refused = berrypick("evaluate", run, truth, *more)
    assert refused.code == 2
    remedy = refused.err.splitlines()[2]
    before, _, typed = remedy.partition(": ")
    assert before.strip() == "the truth comes first, then the runs"
    words = shlex.split(typed)
    assert words == ["berrypick", "evaluate", truth, run, *more]
    assert berrypick(*words[1:]).code == 0


@pytest.mark.parametrize("second", ["run.csv", "mine.run", "missing.jsonl"])
def test_two_runs_are_not_swapped(here, berrypick, second):
    refused = berrypick("evaluate", "run.jsonl", second)
    assert refused.code == 2
    assert f"berrypick evaluate {second}" not in refused.err


def test_the_offer_to_adopt_names_the_given_documents(here, berrypick):
    refused = berrypick("evaluate", "run.jsonl", "truth.jsonl", "--documents", "texts")
    assert "berrypick adopt run.jsonl --documents texts --output run-truth.jsonl" in refused.err
    assert "DOCUMENTS" not in refused.err
