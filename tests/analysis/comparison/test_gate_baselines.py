"""Baselines of gates: a path is that file, a name fits one run, and no run chooses its topics."""

from __future__ import annotations

import json
import os

import pytest

import berrypick as bp
from berrypick.pytest import assert_retrieval

TOPICS = [f"q{n}" for n in range(10)]
TRUTH = "".join(f"{topic} 0 a 1\n" for topic in TOPICS)


def run_text(hits: int, tag: str, topics: int = 10) -> str:
    """A TREC run that finds the answer of the first topics."""
    return "".join(f"{t} Q0 {'a' if n < hits else 'b'} 1 1.0 {tag}\n" for n, t in enumerate(TOPICS[:topics]))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "truth.qrels").write_text(TRUTH)
    return tmp_path


def write(folder, **runs):
    for name, text in runs.items():
        path = folder / name.replace("__", "/")
        path.parent.mkdir(exist_ok=True)
        path.with_suffix(".run").write_text(text)


@pytest.mark.parametrize("spelling", ["base.run", "./base.run", "{folder}/base.run", "old/../base.run"])
@pytest.mark.parametrize("order", [("base.run", "new.run"), ("new.run", "base.run")])
def test_a_path_is_that_file_whatever_a_run_calls_itself(berrypick, folder, spelling, order):
    """The new run finds nothing, and has the baseline's path as its tag."""
    path = spelling.format(folder=folder)
    (folder / "old").mkdir()
    write(folder, base=run_text(8, "main"), new=run_text(0, path))
    for gate in ("--fail-if-worse", "--baseline"):
        done = berrypick("compare", "truth.qrels", *order, "-m", "P@1", gate, path, "-o", "json")
        assert done.code == (1 if gate == "--fail-if-worse" else 0)
        rows = json.loads(done.out)
        assert {row["baseline"] for row in rows} == {"main"}
        assert {row["run"]: row["value"] for row in rows} == {"main": 0.8, path: 0.0}
    assert "significantly worse than main, 0.0000 against 0.8000" in berrypick(
        "compare", "truth.qrels", *order, "-m", "P@1", "--fail-if-worse", path
    ).err  # fmt: skip


@pytest.mark.parametrize("name", ["base", "base.run", "main"])
def test_a_name_that_fits_two_runs_is_refused(berrypick, folder, name):
    """Not where it is a path: base.run is the file of that path."""
    write(folder, base=run_text(8, "main"), new=run_text(0, name))
    done = berrypick("compare", "truth.qrels", "base.run", "new.run", "-m", "P@1", "--fail-if-worse", name)
    if name == "base.run":
        assert done.code == 1
        return
    assert done.code == 2 and done.out == ""
    assert f"{name} fits 2 runs" in done.err and "give the path of its file: base.run or new.run" in done.err
    again = berrypick("compare", "truth.qrels", "base.run", "new.run", "-m", "P@1", "--fail-if-worse", "base.run")
    assert again.code == 1, "the remedy works"


def test_two_files_of_one_name(berrypick, folder):
    write(folder, old__run=run_text(8, "mine"), now__run=run_text(0, "mine"))
    command = ("compare", "truth.qrels", "old/run.run", "now/run.run", "-m", "P@1", "--fail-if-worse")
    for name in ("run.run", "run", "mine"):
        done = berrypick(*command, name)
        assert done.code == 2 and f"{name} fits 2 runs" in done.err and done.out == ""
    assert berrypick(*command, "old/run.run").code == 1
    assert berrypick(*command, "now/run.run").code == 0
    assert berrypick(*command, "run-2").code == 0, "a name as it is shown, which fits one run"


def test_a_file_that_is_not_among_the_runs(berrypick, folder):
    write(folder, base=run_text(8, "main"), new=run_text(0, "base.run"), other=run_text(8, "other"))
    done = berrypick("compare", "truth.qrels", "other.run", "new.run", "-m", "P@1", "--fail-if-worse", "base.run")
    assert done.code == 2 and "base.run is not one of the runs" in done.err
    done = berrypick("compare", "truth.qrels", "other.run", "new.run", "-m", "P@1", "--fail-if-worse", "nowhere.run")
    assert done.code == 2 and "no run nowhere.run" in done.err


def test_the_same_file_twice_and_files_with_several_runs(berrypick, folder):
    write(folder, base=run_text(8, "main"))
    done = berrypick("compare", "truth.qrels", "base.run", "base.run", "-m", "P@1", "--fail-if-worse", "base.run")
    assert done.code == 2 and "base.run fits 2 runs" in done.err
    rows = [f"{run},{topic},{'a' if n < hits else 'b'},1" for run, hits in (("x", 8), ("y", 0))
            for n, topic in enumerate(TOPICS)]  # fmt: skip
    (folder / "both.csv").write_text("\n".join(["run,topic,doc,rank", *rows]) + "\n")
    done = berrypick("compare", "truth.qrels", "both.csv", "-m", "P@1", "--fail-if-worse", "both.csv")
    assert done.code == 2 and "both.csv fits 2 runs" in done.err and "name one of its runs: x, y" in done.err
    assert berrypick("compare", "truth.qrels", "both.csv", "-m", "P@1", "--fail-if-worse", "x").code == 1


def test_python(folder):
    write(folder, base=run_text(8, "main"), new=run_text(0, "base.run"))
    found = bp.compare("truth.qrels", ["new.run", "base.run"], "P@1", baseline="base.run")
    assert found.baseline == "main" and len(found.unmet(worse_than="base.run")) == 1
    named = {"old": "base.run", "now": "new.run"}
    assert len(bp.compare("truth.qrels", named, "P@1").unmet(worse_than="old")) == 1
    other = bp.Run.from_dict({"q0": {"a": 1.0}}).changed(tag="main")
    with pytest.raises(bp.UsageError, match="main fits 2 runs"):
        bp.compare("truth.qrels", ["base.run", other], "P@1", baseline="main")


def saved(berrypick, folder, name, run, *more):
    done = berrypick("evaluate", "truth.qrels", run, "-m", "P@1", "-q", "-o", "json", *more)
    (folder / name).write_text(done.out)


def test_saved_results(berrypick, folder):
    write(folder, base=run_text(8, "main"), new=run_text(0, "base.json"))
    saved(berrypick, folder, "base.json", "base.run")
    saved(berrypick, folder, "new.json", "new.run")
    for order in (("base.json", "new.json"), ("new.json", "base.json")):
        assert berrypick("compare", *order, "--fail-if-worse", "base.json").code == 1
        assert berrypick("compare", *order, "--fail-if-worse", "main").code == 1
        assert berrypick("compare", *order, "--fail-if-worse", os.path.abspath("base.json")).code == 1
    write(folder, new=run_text(0, "base"))
    saved(berrypick, folder, "new.json", "new.run")
    done = berrypick("compare", "base.json", "new.json", "--fail-if-worse", "base")
    assert done.code == 2 and "base fits 2 runs" in done.err


def test_saved_results_without_the_difficult_topics(berrypick, folder):
    write(folder, base=run_text(8, "main"), new=run_text(3, "new", topics=3))
    saved(berrypick, folder, "base.json", "base.run")
    saved(berrypick, folder, "new.json", "new.run", "--topics", "run")
    for gate in (("--fail-under", "P@1=0.9"), ("--fail-if-worse", "base.json")):
        done = berrypick("compare", "base.json", "new.json", *gate)
        assert done.code == 2 and done.out == "" and "new: P@1 is a mean over the topics of the run" in done.err
    rows = json.loads((folder / "new.json").read_text())
    for row in rows:
        row["signature"] = row["signature"].replace("topics:run", "topics:judged")
    (folder / "new.json").write_text(json.dumps(rows))
    done = berrypick("compare", "base.json", "new.json", "--fail-if-worse", "base.json")
    assert done.code == 2 and "new has no value of P@1 for 7 of the 10 topics of main" in done.err


def test_topics_run_and_a_gate(berrypick, folder):
    """Three topics answered of ten, all of them right: 1.0 on the run's topics, 0.3 on all."""
    write(folder, base=run_text(8, "main"), new=run_text(3, "new", topics=3))
    command = ("compare", "truth.qrels", "base.run", "new.run", "-m", "P@1")
    for gate in (("--fail-under", "P@1=0.9"), ("--fail-over", "P@1=2"), ("--fail-if-worse", "base.run")):
        done = berrypick(*command, "--topics", "run", *gate)
        assert done.code == 2 and done.out == "" and "--topics run lets a run skip its difficult topics" in done.err
    assert berrypick(*command, "--topics", "run").code == 0, "without a gate it is a question"
    done = berrypick("compare", "truth.qrels", "new.run", "-m", "P@1", "--fail-under", "P@1=0.9")
    assert done.code == 1 and "P@1 is 0.3000, below 0.9" in done.err
    found = bp.compare("truth.qrels", ["base.run", "new.run"], "P@1", topics="run")
    for gate in ({"under": {"P@1": 0.5}}, {"worse_than": "main"}):
        with pytest.raises(bp.UsageError, match="is a mean over the topics of the run"):
            found.unmet(**gate)
    for more in ({}, {"baseline": "base.run"}):
        with pytest.raises(bp.UsageError, match=r"topics='run' lets a run skip"):
            assert_retrieval("truth.qrels", "new.run", "P@1 >= 0.9", topics="run", **more)


@pytest.fixture
def segments(folder):
    """Ten topics with one relevant span each; the baseline finds 7 of the 8 it answers, the run the 2 it answers."""
    (folder / "truth.jsonl").write_text("".join(
        json.dumps({"topic": t, "doc": "d", "start": n * 100, "end": n * 100 + 50}) + "\n" for n, t in enumerate(TOPICS)
    ))  # fmt: skip
    for name, hits, topics in (("base", 7, 8), ("new", 2, 2)):
        rows = [{"topic": t, "doc": "d", "start": n * 100 if n < hits else 5000, "end": n * 100 + 50 if n < hits
                 else 5050, "rank": 1, "tag": name} for n, t in enumerate(TOPICS[:topics])]  # fmt: skip
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def test_groups_that_nobody_answers(berrypick, segments):
    """The last two topics are a group of their own, which neither run answers."""
    rows = [json.loads(line) for line in (segments / "truth.jsonl").read_text().splitlines()]
    lines = [json.dumps({**row, "kind": "ab"[n >= 8]}) + "\n" for n, row in enumerate(rows)]
    (segments / "truth.jsonl").write_text("".join(lines))
    command = ("compare", "truth.jsonl", "base.jsonl", "new.jsonl", "-m", "charR", "--by", "kind", "-o", "json")
    for more in (("--protocol", "inex2010", "--fail-if-worse", "base.jsonl"), ("--topics", "run")):
        done = berrypick(*command, *more)
        assert done.code == 0 and {row["group"] for row in json.loads(done.out)} == {None, "a"}, done.err


def test_a_protocol_that_averages_over_the_topics_of_the_run(berrypick, segments):
    """On the baseline's 8 topics: 7/8 against 2/8. Without a baseline on all judged topics: 2/10."""
    command = ("compare", "truth.jsonl", "base.jsonl", "new.jsonl", "-m", "charR", "--protocol", "inex2010")
    plain = {row["run"]: row["value"] for row in json.loads(berrypick(*command, "-o", "json").out)}
    assert plain == {"base": 0.875, "new": 1.0}, "as the campaign averages"
    done = berrypick(*command, "--fail-if-worse", "base.jsonl", "-o", "json")
    rows = json.loads(done.out)
    assert {row["run"]: row["value"] for row in rows} == {"base": 0.875, "new": 0.25}
    assert [row["topics"] for row in rows] == [8, 8] and all("|topics:baseline|" in row["signature"] for row in rows)
    assert "averages over the topics of each run, this gate over the 8 judged topics of the baseline base" in done.err
    assert "6 judged topics missing from the run, scored as empty lists" in done.err
    (pair,) = rows[1]["comparisons"]
    assert pair["topics"] == 8 and pair["difference"] == pytest.approx(-0.625)
    assert done.code == 0 and pair["p"] == pytest.approx(2 / 2**5), "five topics differ"
    limit = ("compare", "truth.jsonl", "new.jsonl", "-m", "charR", "--protocol", "inex2010", "--fail-under", "charR=.5")
    done = berrypick(*limit)
    assert done.code == 1 and "charR is 0.2000, below 0.5" in done.err
    assert "this gate over all 10 judged topics" in done.err
    with pytest.raises(AssertionError, match=r"charR is 0\.2000"):
        assert_retrieval("truth.jsonl", "new.jsonl", "charR >= 0.5", protocol="inex2010")
    with pytest.raises(AssertionError, match=r"charR is 0\.2500"):
        assert_retrieval("truth.jsonl", "new.jsonl", "charR >= 0.5", protocol="inex2010", baseline="base.jsonl")
    found = bp.compare("truth.jsonl", ["base.jsonl", "new.jsonl"], "charR", protocol="inex2010")
    with pytest.raises(bp.UsageError, match="new has no value of charR for 6 of the 8 topics of base"):
        found.unmet(worse_than="base.jsonl")
