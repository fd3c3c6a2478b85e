"""What the benchmarks of files, documents and imports share: work in a process of its own, timed, with its memory."""

from __future__ import annotations

import math
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

LOAD = "import berrypick as bp; bp.evaluate({'q': [{'doc': 'd', 'start': 0, 'end': 9}]}, {'q': [('d', 0, 9)]}, 'charR')"
EVALUATE = "import sys, berrypick as bp; bp.evaluate(sys.argv[1], sys.argv[3:], sys.argv[2])"


@dataclass(frozen=True)
class Cost:
    """Seconds of each repeat, the least processor time (of all cores), the largest memory (MB)."""

    seconds: tuple[float, ...]
    processor: float
    memory: float

    @property
    def best(self) -> float:
        return min(self.seconds)

    def __str__(self) -> str:
        middle = statistics.median(self.seconds)
        spread = f"median {middle:.3f}, worst {max(self.seconds):.3f}"
        return f"{self.best:8.3f} s ({spread}), processor {self.processor:.2f} s, {self.memory:.0f} MB"


def alternately(commands: dict[str, Sequence[str]], repeats: int) -> dict[str, Cost]:
    """Each command in a new process, in turn, so that a busy moment of the machine meets all of them.

    A command is what Python is called with, or begins with the full path of another program. A command that prints
    ``seconds`` and a number has measured itself.
    """
    seconds: dict[str, list[float]] = {name: [] for name in commands}
    processor: dict[str, list[float]] = {name: [] for name in commands}
    memory = dict.fromkeys(commands, 0.0)
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
    for turn in range(repeats + 1):
        for name, command in commands.items():
            begun = time.perf_counter()
            program = [] if os.path.isabs(command[0]) else [sys.executable]
            process = subprocess.Popen([*program, *command], stdout=subprocess.PIPE, env=environment)
            assert process.stdout is not None
            told = process.stdout.read().decode()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            took = time.perf_counter() - begun
            if process.returncode:
                raise SystemExit(f"{name} failed: {told}")
            if turn or repeats == 1:  # the first turn fills the caches of files and of byte code
                lines = told.split()
                seconds[name].append(float(lines[-1]) if lines and lines[-2:-1] == ["seconds"] else took)
                processor[name].append(usage.ru_utime + usage.ru_stime)
                memory[name] = max(memory[name], usage.ru_maxrss / 1024)
        if repeats == 1:
            break
    return {name: Cost(tuple(seconds[name]), min(processor[name]), memory[name]) for name in commands}


def ratio(ours: Cost, theirs: Cost) -> str:
    """Of the best repeats, and its spread over the turns."""
    turns = [a / b for a, b in zip(ours.seconds, theirs.seconds, strict=True)]
    spread = f"turn by turn {min(turns):.2f} to {max(turns):.2f}"
    return f"{ours.best / theirs.best:.2f} ({spread}; processor {ours.processor / theirs.processor:.2f})"


def passages(folder: Path, lines: int, seed: int = 1, topics: int = 500, documents: int = 60_000) -> tuple[str, str]:
    """An INEX text run, its results inside their articles and apart, and judgements of 300 articles a topic."""
    draw = np.random.default_rng(seed)
    length = draw.integers(800, 40_000, documents)
    topics = min(topics, max(1, lines // 1000))
    run, truth = folder / f"passages-{lines}.run", folder / f"passages-{lines}.qrels"
    with run.open("w") as out, truth.open("w") as judgements:
        for topic in range(2009001, 2009001 + topics):
            order = draw.permutation(documents)
            judgements.write(_judged(topic, order[:300], length, draw))
            out.write(_retrieved(topic, lines // topics, order, length, draw))
    return str(truth), str(run)


def _judged(topic: int, chosen: np.ndarray, length: np.ndarray, draw: np.random.Generator) -> str:
    lines = []
    for place, document in enumerate(chosen.tolist()):
        size = int(length[document])
        line = f"{topic} Q0 {10_000 + 7 * document}"
        if place >= 60:
            lines.append(f"{line} 0 {size}\n")
            continue
        count = int(draw.integers(1, 4))
        slot = size // count
        spans = [(i * slot + int(draw.integers(0, slot // 2)), int(draw.integers(1, slot // 2))) for i in range(count)]
        told = " ".join(f"{offset}:{extent}" for offset, extent in spans)
        lines.append(f"{line} {sum(extent for _, extent in spans)} {size} {spans[0][0]} {told}\n")
    return "".join(lines)


def _retrieved(topic: int, count: int, order: np.ndarray, length: np.ndarray, draw: np.random.Generator) -> str:
    of = draw.integers(1, 4, count)
    of = of[: int(np.searchsorted(np.cumsum(of), count)) + 1]
    of[-1] -= of.sum() - count
    # judged articles come early, among others
    articles = order[np.argsort(np.arange(len(of)) + draw.uniform(0, len(of) / 2, len(of)), kind="stable")]
    document, parts = np.repeat(articles, of), np.repeat(of, of)
    part = np.arange(count) - np.repeat(np.cumsum(of) - of, of)
    slot = length[document] // parts
    size = np.maximum(1, (slot * draw.uniform(0.1, 0.6, count)).astype(int))
    offset = part * slot + (draw.uniform(0, 0.4, count) * slot).astype(int)
    score = np.sort(draw.uniform(0, 20, count))[::-1]
    columns = zip((10_000 + 7 * document).tolist(), score.tolist(), offset.tolist(), size.tolist(), strict=True)
    return "".join(f"{topic} Q0 {d} {k} {s:.4f} sys {o} {n}\n" for k, (d, s, o, n) in enumerate(columns, start=1))


def many_passages(folder: Path, runs: int, topics: int = 50, documents: int = 60_000) -> tuple[str, list[str]]:
    """Several INEX text runs of a thousand passages a topic, and judgements of 300 articles a topic."""
    draw = np.random.default_rng(6)
    length, truth = draw.integers(800, 40_000, documents), folder / "passages.qrels"
    orders = [draw.permutation(documents) for _ in range(topics)]
    with truth.open("w") as judgements:
        for topic, order in enumerate(orders, start=2009001):
            judgements.write(_judged(topic, order[:300], length, draw))
    made = []
    for number in range(runs):
        path = folder / f"passages-{number}.run"
        with path.open("w") as out:
            for topic, order in enumerate(orders, start=2009001):
                out.write(_retrieved(topic, 1000, order, length, draw).replace(" sys ", f" sys{number} "))
        made.append(str(path))
    return str(truth), made


def many_documents(folder: Path, runs: int, topics: int = 50) -> tuple[str, list[str]]:
    """Several TREC runs of a thousand documents a topic, and judgements of a hundred documents of the first."""
    truth, first = documents(folder, 1000 * topics, vocabulary=500_000)
    made = [first]
    for number in range(1, runs):
        draw = np.random.default_rng(number)
        path = folder / f"run-{number}.run"
        with path.open("w") as out:
            for topic in range(1, topics + 1):
                out.write(_ranked(topic, draw, 500_000, f"sys{number}")[1])
        made.append(str(path))
    return truth, made


def _ranked(topic: int, draw: np.random.Generator, vocabulary: int, tag: str) -> tuple[np.ndarray, str]:
    found = draw.permutation(np.unique(draw.integers(0, vocabulary, 1010)))[:1000]
    score = np.sort(draw.uniform(0, 30, len(found)))[::-1]
    pairs = enumerate(zip(found.tolist(), score.tolist(), strict=True), start=1)
    return found, "".join(f"{topic} Q0 D{d:07d} {k} {s:.6f} {tag}\n" for k, (d, s) in pairs)


def documents(folder: Path, lines: int, seed: int = 2, vocabulary: int = 3_000_000) -> tuple[str, str]:
    """A TREC run of a thousand documents a topic, and judgements of a hundred."""
    draw = np.random.default_rng(seed)
    run, truth = folder / f"documents-{lines}.run", folder / f"documents-{lines}.qrels"
    with run.open("w") as out, truth.open("w") as judgements:
        for topic in range(1, lines // 1000 + 1):
            found, text = _ranked(topic, draw, vocabulary, "sys")
            out.write(text)
            judged = np.unique(np.concatenate([found[:50], draw.integers(0, vocabulary, 50)]))
            grade = (draw.random(len(judged)) < 0.3).astype(int)
            both = zip(judged.tolist(), grade.tolist(), strict=True)
            judgements.write("".join(f"{topic} 0 D{d:07d} {g}\n" for d, g in both))
    return str(truth), str(run)


def show(title: str, costs: dict[str, Cost]) -> None:
    print(title)
    for name, cost in costs.items():
        print(f"  {name:<24}{cost}", flush=True)


def verdict(what: str, met: bool, told: Callable[[], str] | str) -> None:
    text = told if isinstance(told, str) else told()
    print(f"  {'within' if met else 'BEYOND'} the bound: {what}: {text}", flush=True)


def of_one_line(folder: Path, truth: str, run: str, measures: str) -> list[str]:
    """Evaluate files of one line each: what loading takes for files of their kind."""
    for name, line in (("one.truth", truth), ("one.run", run)):
        (folder / name).write_text(line + "\n")
    return ["-c", EVALUATE, str(folder / "one.truth"), measures, str(folder / "one.run")]


def tell(title: str, commands: dict[str, list[str]], repeats: int, own: bool = False) -> dict[str, Cost]:
    """Run work in turn and show it; ``own``: seconds are those that the work measured itself."""
    costs = alternately({"loading": ["-c", LOAD], **commands}, repeats)
    print(title)
    for name, cost in costs.items():
        seconds = cost.best if own and name != "loading" else cost.processor
        print(f"  {name:<28}{seconds:8.2f} s", flush=True)
    for name in commands:
        if f"{name}, half" in commands:
            loading = 0.0 if own else costs["loading"].processor
            whole, half = (
                (one.best if own else one.processor) - loading for one in (costs[name], costs[f"{name}, half"])
            )
            print(f"  {name}: exponent {math.log2(max(whole, 1e-3) / max(half, 1e-3)):.2f} by doubling")
    return costs
