"""The ledger that the GitHub Action keeps: whose looks count, and which runs replace the baseline."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from action_steps import Job, artifact, make_store

from berrypick.analysis.ledger.ledger_file import Ledger

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("bash") is None, reason="the steps of an action need bash"),
]

TOPICS = 30
GIVEN = {"truth": "truth.qrels", "run": "run.run", "measures": "P@1", "baseline-artifact": "base",
         "ledger-artifact": "looks"}  # fmt: skip
KEEP, KEEP_BASELINE = "Keep the ledger", "Keep the baseline"


@pytest.fixture
def store(tmp_path_factory):
    return make_store(tmp_path_factory.mktemp("store"))


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "truth.qrels").write_text("".join(f"q{topic} 0 a 1\n" for topic in range(TOPICS)))
    return tmp_path


class Done:
    """A job of a run that finds the answer to some topics."""

    def __init__(self, folder: Path, store: Path, hits: range | list[int], ref: str = "main", **more: str) -> None:
        self.store = store
        rows = [f"q{topic} Q0 {'a' if topic in hits else 'b'} 1 1.0 x\n" for topic in range(TOPICS)]
        (folder / "run.run").write_text("".join(rows))
        (folder / "summary.md").unlink(missing_ok=True)
        job = Job(folder, store, {**GIVEN}, ref, **more)
        self.ran = job.run()
        self.code, self.error, self.known = job.last.returncode, job.last.stderr, job.known
        self.summary = (folder / "summary.md").read_text(encoding="utf-8") if (folder / "summary.md").exists() else ""

    def newest(self, name: str) -> Path:
        kept = json.loads((self.store / "artifacts.json").read_text())
        return self.store / str(next(one for one in kept if one["name"] == name)["workflow_run"]["id"])

    @property
    def looks(self) -> list[str]:
        """Numbers of the looks of the newest ledger."""
        return [line["look"] for line in Ledger.read(self.newest("looks") / "ledger.jsonl").lines]


def test_looks_of_this_repository_count_and_those_of_forks_do_not(folder, store):
    first = Done(folder, store, range(15))
    assert first.code == 0 and first.ran[-3:] == [KEEP, "Choose the baseline", KEEP_BASELINE] and first.looks == [1]
    assert "**Ledger:** looks of this job count; head `" in first.summary
    assert "There was no ledger, or its artefacts have expired" in first.summary
    state = json.loads((first.newest("looks") / "state.json").read_text())
    assert state["head"] == Ledger.read(first.newest("looks") / "ledger.jsonl").head
    assert first.known["steps.compare.outputs.ledger-head"] == state["head"]
    assert Ledger.read(first.newest("looks") / "ledger.jsonl").lines[0]["commit"] == "5ca1ab1e"
    same = Done(folder, store, range(16), "12/merge")
    assert same.code == 0 and same.looks == [1, 2] and "look 2 at these 30 topics" in same.summary
    assert "There was no ledger" not in same.summary
    fork = Done(folder, store, range(17), "13/merge", head="them/it")
    assert fork.code == 0 and KEEP not in fork.ran and "look 3 at these 30 topics" in fork.summary
    assert "looks of this job do not count: it comes from a fork" in fork.summary
    again = Done(folder, store, range(18), "14/merge")
    assert again.looks == [1, 2, 3], "the fork's is not among them"
    failed = Done(folder, store, range(3), "15/merge")
    assert failed.code == 1 and failed.ran[-1] == KEEP and failed.looks == [1, 2, 3, 4], "a failed gate is a look"
    target = Done(folder, store, range(19), event="pull_request_target")
    assert KEEP not in target.ran and "do not count" in target.summary


def test_expired_artefacts_begin_a_new_count_and_the_summary_says_so(folder, store):
    Done(folder, store, range(15))
    kept = json.loads((store / "artifacts.json").read_text())
    (store / "artifacts.json").write_text(json.dumps([{**one, "expired": True} for one in kept]))
    again = Done(folder, store, range(16))
    assert again.code == 0 and again.looks == [1]
    assert "There was no ledger, or its artefacts have expired" in again.summary


def test_what_forks_leave_is_not_read(folder, store):
    Done(folder, store, range(15))
    forged = store / "77"
    forged.mkdir()
    (forged / "ledger.jsonl").write_text("forged")
    kept = json.loads((store / "artifacts.json").read_text())
    for event, head in (("pull_request", 7), ("push", 7), ("pull_request_target", 1), ("workflow_run", 1)):
        (store / "artifacts.json").write_text(json.dumps([artifact(77, "looks", "main", event, head), *kept]))
        assert Done(folder, store, range(16), "12/merge").code == 0, (event, head)


def test_jobs_at_the_same_time_lose_no_look(folder, store):
    """Two pull requests begin before either has ended; the next job has the looks of both, and fetches each once."""
    Done(folder, store, range(15))
    before = (store / "artifacts.json").read_text()
    one = Done(folder, store, range(16), "12/merge")
    theirs = json.loads((store / "artifacts.json").read_text())[0]
    (store / "artifacts.json").write_text(before)
    shutil.move(one.newest("looks").parent / str(theirs["workflow_run"]["id"]), store / "50")
    Done(folder, store, range(17), "13/merge")
    theirs["workflow_run"]["id"], theirs["id"] = 50, 1050
    (store / "artifacts.json").write_text(json.dumps([theirs, *json.loads((store / "artifacts.json").read_text())]))
    after = Done(folder, store, range(18), "14/merge")
    ledger = Ledger.read(after.newest("looks") / "ledger.jsonl")
    assert len(ledger.lines) == 4 and ledger.notes == () and "look 4 at these 30 topics" in after.summary
    contains = json.loads((after.newest("looks") / "state.json").read_text())["contains"]
    assert 1050 in contains and len(contains) == 3
    # what the newest has is not fetched again
    shutil.rmtree(store / "50")
    assert Done(folder, store, range(20), "15/merge").code == 0


def test_only_a_better_run_replaces_the_baseline(folder, store):
    """Six wins and no loss have p = .031: enough without a ledger, but look 2 needs 8 wins (p < .0083)."""
    Done(folder, store, range(15))
    kept = Done(folder, store, range(21))
    assert kept.code == 0 and "The baseline stays" in kept.summary
    assert "no measure is significantly better at the level of this look" in kept.summary
    text = next(kept.newest("base").iterdir()).read_text()
    assert text.count(" a 1 ") == 15
    better = Done(folder, store, range(27))
    assert "The baseline stays" not in better.summary
    assert next(better.newest("base").iterdir()).read_text().count(" a 1 ") == 27


def test_a_ledger_that_was_cut_is_refused(folder, store):
    first = Done(folder, store, range(15))
    second = Done(folder, store, range(16))
    path = second.newest("looks") / "ledger.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
    third = Done(folder, store, range(17))
    assert third.code == 2 and "last lines were cut off or edited" in third.error and "Compare" not in third.ran
    (second.newest("looks") / "state.json").write_text("[]")
    assert Done(folder, store, range(17)).code == 2
    (second.newest("looks") / "state.json").unlink()
    (second.newest("looks") / "state.json").symlink_to(first.newest("base"))
    assert Done(folder, store, range(17)).code == 2
