"""Any executor gives what one process gives: rows, notes, messages; the evaluation travels once to each worker."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import re
import shutil
import signal
import subprocess
import sys
from collections import OrderedDict
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import berrypick as bp
from berrypick.workers import workers

MEASURES = "AP nDCG@10 EPRUM infAP"
RUNS, TOPICS = 12, 7


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, list[str]]:
    """Runs of which two have one tag and some leave topics out."""
    truth = tmp_path / "truth.qrels"
    truth.write_text("".join(f"{t} 0 d{d} {(d + t) % 3}\n" for t in range(1, TOPICS + 1) for d in range(6)))
    runs = []
    for i in range(RUNS):
        tag = "same" if i in (2, 3) else f"r{i}"
        found = [(t, d, (d * (i % 5 + 2) + i) % 13) for t in range(1 + i % 3, 9) for d in range(7)]
        lines = [f"{t} Q0 d{name} {d} {9 - d} {tag}\n" for t, d, name in found]
        (tmp_path / f"{i}.run").write_text("".join(lines))
        runs.append(str(tmp_path / f"{i}.run"))
    return str(truth), runs


@pytest.fixture(scope="module", params=["thread", "fork", "spawn"])
def executor(request: pytest.FixtureRequest) -> Iterator[Executor]:
    if request.param == "thread":
        made: Executor = ThreadPoolExecutor(2)
    else:
        made = ProcessPoolExecutor(2, multiprocessing.get_context(request.param))
    with made:
        made.submit(abs, -1).result()  # processes forked from now on would know the work
        yield made


def same(one: bp.Results, other: bp.Results) -> bool:
    return (list(one), one.notes, one.run_facts) == (list(other), other.notes, other.run_facts)


def test_runs_and_topics_are_shared_out(files: Any, executor: Executor) -> None:
    truth, paths = files
    steps: list[tuple[int, int]] = []
    for runs in (paths, paths[:2], paths[0]):
        alone = bp.evaluate(truth, runs, MEASURES, curves=True)
        found = bp.evaluate(
            truth, runs, MEASURES, curves=True, executor=executor, progress=lambda *step: steps.append(step)
        )
        assert same(found, alone)
    assert steps[RUNS * TOPICS - 1] == (RUNS * TOPICS, RUNS * TOPICS) and steps[-1] == (TOPICS, TOPICS)
    values = [bp.read_run(path) for path in paths]
    assert same(bp.evaluate(truth, values, MEASURES, executor=executor), bp.evaluate(truth, paths, MEASURES))
    prepared = bp.Evaluation.prepare(truth, paths, "AP")
    assert bp.compare(prepared, executor=executor) == bp.compare(truth, paths, "AP", executor=executor)
    assert bp.compare(prepared) == bp.compare(prepared, executor=executor)


@pytest.mark.parametrize("runs", [slice(0, RUNS), slice(0, 4)])
def test_the_first_error_is_raised(files: Any, executor: Executor, runs: slice) -> None:
    truth, paths = files
    Path(paths[3]).write_text("1 Q0 d1 1 1.0 t\n1 Q0 d2 2 nan t\n")
    Path(paths[1]).write_text("1 Q0 d1 1 1.0 t\n1 Q0 d1 2 0.5 t\n")
    with pytest.raises(bp.InputError, match=r"1\.run:2: d1 is retrieved twice"):
        bp.evaluate(truth, paths[runs], "AP", executor=executor)
    assert executor.submit(abs, -3).result() == 3  # still the caller's


def test_relative_names(files: Any, executor: Executor, monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers may be in another folder; results call files what the caller calls them."""
    monkeypatch.chdir(Path(files[0]).parent)
    names = [Path(path).name for path in files[1]]
    found = bp.evaluate("truth.qrels", names, "AP", executor=executor)
    assert same(found, bp.evaluate("truth.qrels", names, "AP"))
    assert found.run_facts["r0"].source == "0.run"


class Counting(Executor):
    """Counts what is sent to two processes that share no memory."""

    def __init__(self) -> None:
        self.inner = ProcessPoolExecutor(2, multiprocessing.get_context("spawn"))
        self.with_work, self.sizes = 0, []  # type: ignore[var-annotated]

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        _, packed, task = args
        self.with_work += packed is not None
        self.sizes.append(len(pickle.dumps(task)))
        return self.inner.submit(fn, *args, **kwargs)


def test_the_evaluation_is_sent_to_each_worker_and_the_run_to_one(files: Any) -> None:
    truth, paths = files
    counting = Counting()
    with counting.inner:
        found = bp.evaluate(truth, [bp.read_run(path) for path in paths], MEASURES, executor=counting)
        assert same(found, bp.evaluate(truth, paths, MEASURES))
        assert 2 <= counting.with_work < RUNS  # how many depends on which process is up first
        one = len(pickle.dumps(bp.read_run(paths[0])))
        assert max(counting.sizes) < 2 * one
        assert len(counting.sizes) == RUNS + counting.with_work  # nothing else is sent twice


class InTurn(Executor):
    """Two workers that take tasks in turn, each with works of its own: what is sent does not depend on time."""

    def __init__(self) -> None:
        self.known: list[Any] = [OrderedDict(), OrderedDict()]
        self.sent = self.with_work = 0

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(workers, "_works", self.known[self.sent % 2])
            self.with_work += args[1] is not None
            self.sent += 1
            future: Future[Any] = Future()
            future.set_result(fn(*args, **kwargs))
        return future


def test_no_more_than_the_first_tasks_are_sent_with_the_evaluation(files: Any, monkeypatch: Any) -> None:
    truth, paths = files
    monkeypatch.setattr(workers, "BATCH_SECONDS", 0)
    executor = InTurn()
    assert same(bp.evaluate(truth, paths, MEASURES, executor=executor), bp.evaluate(truth, paths, MEASURES))
    assert executor.with_work == workers.FEWEST  # those that were on their way when the first worker asked
    assert executor.sent == RUNS + executor.with_work


def test_files_go_in_batches_when_it_is_known_how_long_one_takes(files: Any, monkeypatch: Any) -> None:
    truth, paths = files
    monkeypatch.setattr(workers, "BATCH_SECONDS", 1e9)
    monkeypatch.setattr(workers, "MOST_TOGETHER", 5)
    executor = InTurn()
    steps: list[tuple[int, int]] = []
    many = paths * 3
    found = bp.evaluate(truth, many, MEASURES, executor=executor, progress=lambda *step: steps.append(step))
    assert same(found, bp.evaluate(truth, many, MEASURES))
    first = workers.FEWEST  # one by one
    assert executor.sent == first + executor.with_work + -(-(len(many) - first) // 5)
    assert steps[-1] == (len(many) * TOPICS, len(many) * TOPICS)
    Path(paths[9]).write_text("1 Q0 d1 1 1.0 t\n1 Q0 d2 2 nan t\n")
    Path(paths[7]).write_text("1 Q0 d1 1 1.0 t\n1 Q0 d1 2 0.5 t\n")
    with pytest.raises(bp.InputError, match=r"7\.run:2: d1 is retrieved twice"):
        bp.evaluate(truth, paths, "AP", executor=InTurn())


def test_batches() -> None:
    def tasks() -> Iterator[int]:
        yield from range(7)
        raise bp.InputError("cannot be read")

    batches = workers._Batches(tasks())
    assert next(batches) == [0]
    batches.took(workers.BATCH_SECONDS, 3)
    assert next(batches) == [1, 2, 3]
    batches.took(10 * workers.BATCH_SECONDS, 1)  # one that had to load something first
    assert next(batches) == [4, 5, 6]
    for _ in range(2):
        with pytest.raises(bp.InputError, match="cannot be read"):
            next(batches)
    assert list(workers._Batches([])) == []


def test_measures_of_a_script_are_sent_by_value(files: Any) -> None:
    pytest.importorskip("cloudpickle")

    class Length(bp.Measure):
        """How long the list is."""

        def compute(self, topic: Any) -> float:
            return float(topic.ranking.ranks)

    Length.__module__ = "__main__"  # where no other process finds it
    truth, paths = files
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as executor:
        found = bp.evaluate(truth, paths, [Length()], executor=executor)
    assert found.mean()["r0"] == {"Length": 7.0}


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_iterator_of_runs_is_gone_through_once(files: Any, jobs: int) -> None:
    truth, paths = files

    def runs() -> Iterator[bp.Run]:
        for path in paths:
            yield bp.read_run(path)

    steps: list[tuple[int, int]] = []
    found = bp.evaluate(truth, runs(), MEASURES, jobs=jobs, progress=lambda *step: steps.append(step))
    assert [(row.run, row.topic, row.value) for row in found] == [
        (row.run, row.topic, row.value) for row in bp.evaluate(truth, paths, MEASURES)
    ]
    assert steps[-1] == (RUNS * TOPICS, RUNS * TOPICS)
    prepared = bp.Evaluation.prepare(truth, runs(), "AP")  # a value can be used again
    assert list(prepared.run()) == list(prepared.run())


def test_few_runs_of_an_iterator_are_under_way(files: Any) -> None:
    truth, paths = files
    taken = 0

    def runs() -> Iterator[bp.Run]:
        nonlocal taken
        for path in paths * 5:
            taken += 1
            yield bp.read_run(path)

    ahead: list[int] = []
    bp.evaluate(truth, runs(), "AP", jobs=2, progress=lambda done, of: ahead.append(taken - done // TOPICS))
    assert taken == 5 * RUNS and max(ahead) <= 5


def test_a_bad_run_of_an_iterator(files: Any) -> None:
    truth, paths = files

    def runs() -> Iterator[Any]:
        yield bp.read_run(paths[0])
        yield {"1": {"d0": float("nan")}}

    for jobs in (1, 2):
        with pytest.raises(bp.BerrypickError, match="score"):
            bp.evaluate(truth, runs(), "AP", jobs=jobs)


def test_what_is_no_executor(files: Any) -> None:
    class Client:
        def get_executor(self) -> None: ...

    with pytest.raises(bp.UsageError, match=r"not Client: use client\.get_executor\(\)"):
        bp.evaluate(*files, "AP", executor=Client())  # type: ignore[arg-type]
    with pytest.raises(bp.UsageError, match="ProcessPoolExecutor"):
        bp.evaluate(*files, "AP", executor=4)  # type: ignore[arg-type]
    closed = ThreadPoolExecutor(1)
    closed.shutdown()
    with pytest.raises(bp.UsageError, match="takes no tasks"):
        bp.evaluate(*files, "AP", executor=closed)


def _notes(files: Any, answers: Any) -> None:
    found = bp.evaluate(*files, "AP", jobs=2)
    streamed = bp.evaluate(files[0], (bp.read_run(path) for path in files[1]), "AP", jobs=2)
    swept = bp.sweep(truth=files[0], runs=Path(files[1][0]).parent / "runs", measures="AP", jobs=2)
    folder = Path(files[1][0]).parent
    written = bp.write_report(*files, "AP", html=folder / "x.html", jobs=2)
    from berrypick.documents.xml import build_index

    indexed = build_index(folder / "xml", folder / "x.idx", jobs=2)
    others = [swept.results.notes, written.notes, indexed.notes()]
    counts = [sum("daemonic process cannot start others" in str(note) for note in notes) for notes in others]
    same = found.mean() == streamed.mean(), streamed.notes == found.notes
    answers.send(([str(note) for note in found.notes], *same, counts))


def test_jobs_in_a_daemonic_process(files: Any) -> None:
    folder = Path(files[1][0]).parent
    (folder / "runs").mkdir(exist_ok=True)
    for number, path in enumerate(files[1]):
        shutil.copy(path, folder / "runs" / f"number={number}.run")
    (folder / "xml").mkdir(exist_ok=True)
    for number in range(4):  # each a bundle of its own
        (folder / "xml" / f"{number}.xml").write_text(f"<a>{'x' * 1_000_001}</a>")
    receiver, sender = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=_notes, args=(files, sender), daemon=True)
    process.start()
    notes, same_means, same_notes, counts = receiver.recv()
    process.join()
    assert any("computed in one process instead of 2: a daemonic process cannot start others" in note for note in notes)
    assert same_means and same_notes and counts == [1, 1, 1], "sweep, report and index say so, too"
    assert not any("daemonic" in str(note) for note in bp.evaluate(*files, "AP", jobs=2).notes)


class Fatal(bp.Measure):
    """The number of ranks; the first process to compute it for topic 5 is killed."""

    flag: str = bp.parameter("", "text", "file that says that a process was killed")

    def compute(self, topic: Any) -> float:
        if topic.topic == "5" and not os.path.exists(self.flag):
            Path(self.flag).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return float(topic.ranking.ranks)


def test_a_cluster_that_loses_a_worker(files: Any, tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    Fatal.__module__ = "__main__"
    truth, paths = files
    flag = tmp_path / "killed"
    measures = [MEASURES, Fatal(flag=str(flag))]
    silent = {"distributed.worker.daemon": True, "distributed.admin.log-length": 0}
    import dask

    with (
        dask.config.set(silent),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        executor = client.get_executor()
        pids = set(client.run(os.getpid).values())
        many = bp.evaluate(truth, paths * 3, measures, executor=executor)
        assert flag.exists()
        assert pids - set(client.run(os.getpid).values())  # one was replaced
        few = bp.evaluate(truth, paths[:2], measures, executor=executor)
        inside = client.submit(_inside, truth, paths).result()
    assert same(many, bp.evaluate(truth, paths * 3, measures))
    assert same(few, bp.evaluate(truth, paths[:2], measures))
    assert inside == bp.evaluate(truth, paths, "AP").mean()


def _inside(truth: str, paths: list[str]) -> Any:
    """In a worker of the cluster, which is a daemonic process."""
    import berrypick

    found = berrypick.evaluate(truth, paths, "AP", jobs=2)
    assert any(note.kind == "jobs" for note in found.notes)
    return found.mean()


def test_the_page_on_batch_systems(files: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its script runs, with commands that start the jobs of SLURM on this machine."""
    pytest.importorskip("dask_jobqueue")
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "many-runs.md").read_text(encoding="utf-8")
    (script,) = [block for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "SLURMCluster" in block]
    job = f"{tmp_path}/$$.job"
    for name, body in {
        # a job waits for its turn, by when Dask has removed its script: SLURM copies it, too
        "sbatch": f'cp "$1" {job}; (sleep 0.2; exec bash {job}) >>{tmp_path}/jobs.log 2>&1 & '
        'echo "Submitted batch job $!"',
        "scancel": "kill $1",
    }.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{body}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    for batch in range(2):
        (tmp_path / "runs" / f"batch{batch:02}").mkdir(parents=True)
        for path in files[1][6 * batch : 6 * batch + 6]:
            Path(path).rename(tmp_path / "runs" / f"batch{batch:02}" / Path(path).name)
    (tmp_path / "results").mkdir()
    smaller = script.replace("range(100)", "range(2)").replace("jobs=50", "jobs=2")
    assert smaller.count("=2)") == 1 and "range(2)" in smaller
    (tmp_path / "script.py").write_text(smaller)
    try:
        done = subprocess.run([sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired as late:
        pytest.fail(f"{late}\n{late.stderr!r}\n{(tmp_path / 'jobs.log').read_text()}")
    assert done.returncode == 0, done.stderr
    saved = [bp.read_results(tmp_path / "results" / f"batch{batch:02}.parquet") for batch in range(2)]
    monkeypatch.chdir(tmp_path)
    alone = [bp.evaluate("truth.qrels", f"runs/batch{batch:02}/*.run", "AP nDCG@10") for batch in range(2)]
    assert [list(one) for one in saved] == [list(one) for one in alone]
