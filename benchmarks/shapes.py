"""Work in the shapes that people have, started as they start it: processor time against a peer, and growth by doubling.

    python benchmarks/shapes.py [ROW ...] [--scale S] [--repeats N]

shallow     200 TREC runs of 50 topics x 100 results, AP nDCG@10 P@10; against pytrec_eval, and trec_eval where
            $TREC_EVAL names it
lines       spans as JSON Lines, 750,000 lines of 7,500 topics, charR and EPRUM; against json.loads and orjson
python      spans in Python, 20 systems x 1,000 questions x 10, charR@5; us a span
scores      scores in Python, {topic: {document: score}}, 500 topics x 1,000 documents, AP nDCG@10 P@10; against
            pytrec_eval with the same dictionaries; us a result
chunks      10,000 chunk texts without a document in 10 MB of text, charR; against 100 of them sought one by one
statistics  compare of 50 systems on 50 topics with 10,000 resamples, and stability of 20 systems, by 3 measures;
            against the same with one BLAS thread
report      the page on 20 runs of 200 topics x 100 spans in 10 MB of text, also with the charting library that
            BERRYPICK_CACHE keeps; against evaluating them
dask        1,000 TREC runs of 50 topics x 1,000 documents on a Dask cluster of two workers; wall clock, against one
            process; and what the process that asks spends on a run, Dask's scheduler in it, and how much of that it
            spends in as much time without any work
first       a first evaluation of a checkout without bytecode, from the command line; against one with, and NumPy
training    a loop of 1,000 calls, 50 topics x 100 in dictionaries, AP nDCG@10 P@10, also with a Truth that is kept;
            against pytrec_eval and plain Python
calls       one topic x 10 by three measures, and 50 topics x 10 spans by charR@5, with a Truth that is kept; against
            ir_measures and plain Python
topics      charR, EPRUM, nxCG@10, Coverage, epnav, ExpectedRatio, Enough@5 and StepAUC on 1,000 topics x 10, read
            before; us a topic
systems     compare of 50 systems on 1,000 topics by one measure; against one product of as many sign changes
pages       the page on 50 runs of 1,000 topics and on 20 of 200, spans without texts; against evaluating them
commands    --help and list; against evaluate, and NumPy
reading     what tools write and hold: JSON Lines, lists, dictionaries, documents of LangChain, CSV, Parquet, frames, in
            rows of 100 a topic; us and bytes a row in one process, against json.loads, the csv module or polars
            computing AP
large_files CSV of 50,000 columns, TREC lines with gzip, and markov fitted to 220,000 counts; against the csv module,
            gzip -dc and GROUP BY of DuckDB
sweep       20 chunkings x 1,000 questions x 400 documents, BM25, six measures, one of them with tokens; against one
            chunking

Every piece of work is a process of its own, threads are as a user has them. ``--scale`` makes all rows smaller. Growth
is that of the processor time without what loading takes, from half the size to the whole: an exponent of 1 is linear.
Loading is that of a first number, of files with one line where the work reads such files.
All rows take about half an hour and 1 GB of memory at scale 1.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import _reading
import numpy as np
from _processes import EVALUATE, many_documents, of_one_line, tell
from _scoring_rows import SCORING

import berrypick
from berrypick.kernels import native

PYTREC = """
import sys, pytrec_eval
truth = pytrec_eval.parse_qrel(open(sys.argv[1]))
evaluator = pytrec_eval.RelevanceEvaluator(truth, {"map", "ndcg_cut.10", "P.10"})
for path in sys.argv[2:]:
    evaluator.evaluate(pytrec_eval.parse_run(open(path)))
"""
TREC_EVAL = 'for f in "${@:3}"; do "$1" -q -m map -m ndcg_cut.10 -m P.10 "$2" "$f" > /dev/null; done'
JSON = "import sys, json\nfor line in open(sys.argv[1]): json.loads(line)"
ORJSON = "import sys, orjson\nfor line in open(sys.argv[1], 'rb'): orjson.loads(line)"
PYTHON = """
import sys, json, time, berrypick as bp
truth, runs = json.load(open(sys.argv[1]))
begun = time.process_time()
bp.evaluate(truth, runs, "charR@5")
print("seconds", time.process_time() - begun)
"""
SCORES = """
import sys, json, time, berrypick as bp
truth, run = json.load(open(sys.argv[1]))
begun = time.process_time()
bp.evaluate(truth, {"mine": run}, "AP nDCG@10 P@10")
print("seconds", time.process_time() - begun)
"""
PYTREC_SCORES = """
import sys, json, time, pytrec_eval
truth, run = json.load(open(sys.argv[1]))
begun = time.process_time()
pytrec_eval.RelevanceEvaluator(truth, {"map", "ndcg_cut.10", "P.10"}).evaluate(run)
print("seconds", time.process_time() - begun)
"""
CHUNKS = """
import sys, json, berrypick as bp
bp.evaluate(json.load(open(sys.argv[1])), sys.argv[2], "charR", documents=sys.argv[3])
"""
ONE_BY_ONE = """
import sys, json
texts = [json.loads(line)["text"] for line in open(sys.argv[3])]
chunks = [json.loads(line)["text"] for line in open(sys.argv[2])][:100]
assert all(any(chunk in text for text in texts) for chunk in chunks)
"""
STATISTICS = """
import sys, json, time, berrypick as bp
truth, runs = json.load(open(sys.argv[1]))
results = bp.evaluate(truth, dict(list(runs.items())[: int(sys.argv[3])]), "AP nDCG@10 P@10")
begun = time.process_time()
bp.compare(results, resamples=10000) if sys.argv[2] == "compare" else bp.stability(results)
print("seconds", time.process_time() - begun)
"""
SWEEP = """
import sys, json, berrypick as bp
from berrypick.analysis.sweep.chunkers import fixed
from berrypick.analysis.sweep.retrievers import bm25
documents, truth, queries = json.load(open(sys.argv[1]))
measures = "charR@5 charP@5 charF@5 spanAP EPRUM Coverage(budget=500,effort='tokens')"
sizes = [100 + 40 * i for i in range(int(sys.argv[2]))]
bp.sweep(documents, truth, fixed, bm25, measures, queries=queries, grid={"size": sizes})
"""

REPORTED = "EPRUM charR@5 AiP Coverage(budget=5000)"
REPORT = """
import sys, berrypick as bp
bp.write_report(sys.argv[1], sys.argv[4:], sys.argv[2], documents=sys.argv[3], html=sys.argv[3] + ".html")
"""
LIBRARY = "from berrypick.report.html.report_page import charting_library; charting_library()"
EVALUATE_TEXTS = (
    "import sys, berrypick as bp; bp.evaluate(sys.argv[1], sys.argv[4:], sys.argv[2], documents=sys.argv[3])"
)
DASK = """
import sys, time, berrypick as bp
from distributed import Client, LocalCluster
if __name__ == "__main__":
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        client.run(lambda: __import__("berrypick").evaluate)
        begun, spent = time.perf_counter(), time.process_time()
        time.sleep(2)
        idle = (time.process_time() - spent) / (time.perf_counter() - begun)
        begun, spent = time.perf_counter(), time.process_time()
        bp.evaluate(sys.argv[1], sys.argv[2:], "AP nDCG@10 P@10", executor=client.get_executor())
        took, spent = time.perf_counter() - begun, time.process_time() - spent
        each, waiting = 1000 / len(sys.argv[2:]) * spent, 1000 / len(sys.argv[2:]) * idle * took
        print(f"  asking on Dask: {each:.2f} ms of processor a run, {waiting:.2f} idle", file=sys.stderr)
        print("seconds", took)
"""
ALONE = """
import sys, time, berrypick as bp
begun = time.perf_counter()
bp.evaluate(sys.argv[1], sys.argv[2:], "AP nDCG@10 P@10")
print("seconds", time.perf_counter() - begun)
"""
#: The package from a copy without bytecode, whatever is installed.
COPIED = """
import sys
sys.meta_path = [one for one in sys.meta_path if "editable" not in type(one).__module__]
sys.path.insert(0, sys.argv.pop(1))
from berrypick.__main__ import main
main()
"""


def shallow(folder: Path, scale: float, repeats: int) -> None:
    draw, count = np.random.default_rng(1), max(2, round(200 * scale))
    judged = [np.unique(draw.integers(0, 500_000, 200)) for _ in range(50)]
    truth = folder / "truth.qrels"
    lines = (f"{t} 0 D{d:07d} {int(draw.random() < 0.3)}\n" for t, names in enumerate(judged) for d in names.tolist())
    truth.write_text("".join(lines))
    runs = [str(folder / f"{number}.run") for number in range(count)]
    for number, path in enumerate(runs):
        with open(path, "w") as out:
            for topic, names in enumerate(judged):
                found = np.concatenate([draw.choice(names, 40, replace=False), draw.integers(0, 500_000, 70)])
                ranked = enumerate(dict.fromkeys(draw.permutation(found).tolist()), start=1)
                out.writelines(f"{topic} Q0 D{d:07d} {k} {100 - k / 7:.6f} s{number}\n" for k, d in list(ranked)[:100])
    asked = [str(truth), "AP nDCG@10 P@10"]
    commands = {
        "berrypick": ["-c", EVALUATE, *asked, *runs],
        "berrypick, half": ["-c", EVALUATE, *asked, *runs[: count // 2]],
        "pytrec_eval": ["-c", PYTREC, str(truth), *runs],
        "loading": of_one_line(folder, "1 0 a 1", "1 Q0 a 1 2.0 sys", asked[1]),
    }
    if program := os.environ.get("TREC_EVAL"):
        commands["trec_eval"] = ["/bin/bash", "-c", TREC_EVAL, "-", program, str(truth), *runs]
    tell(f"{count} TREC runs of 50 topics x 100 results", commands, repeats)


def lines(folder: Path, scale: float, repeats: int) -> None:
    draw, topics = np.random.default_rng(5), max(2, round(7500 * scale))
    for name, count in (("whole", topics), ("half", topics // 2)):
        with open(folder / f"{name}.jsonl", "w") as run, open(folder / f"{name}.truth.jsonl", "w") as truth:
            for topic in range(count):
                drawn = (draw.integers(0, 50_000, 100), draw.integers(0, 40_000, 100), draw.integers(200, 1200, 100))
                for place, (document, start, size) in enumerate(zip(*(one.tolist() for one in drawn), strict=True)):
                    span = {"topic": f"q{topic}", "doc": f"doc{document:06d}.md", "start": start, "end": start + size}
                    run.write(json.dumps(span | {"score": round(20 - place / 7, 4)}) + "\n")
                    if place % 40 == 7:
                        truth.write(json.dumps(span | {"start": start + 50, "end": start + 150}) + "\n")
    commands = {}
    for measure in ("charR", "EPRUM"):
        for name, shown in (("whole", measure), ("half", f"{measure}, half")):
            commands[shown] = ["-c", EVALUATE, f"{folder}/{name}.truth.jsonl", measure, f"{folder}/{name}.jsonl"]
    commands |= {"json.loads": ["-c", JSON, f"{folder}/whole.jsonl"], "orjson": ["-c", ORJSON, f"{folder}/whole.jsonl"]}
    span = '{"topic": "q", "doc": "a", "start": 0, "end": 9}'
    commands["loading"] = of_one_line(folder, span, span, "charR")
    tell(f"spans as JSON Lines, {100 * topics} lines", commands, repeats)


def python(folder: Path, scale: float, repeats: int) -> None:
    draw, questions = np.random.default_rng(1), max(2, round(1000 * scale))

    def results() -> list[dict[str, object]]:
        drawn = zip(draw.integers(0, 50, 10).tolist(), draw.integers(0, 9000, 10).tolist(), strict=True)
        return [{"doc": f"d{document}", "start": start, "end": start + 300} for document, start in drawn]

    truth = {f"q{number}": [{"doc": f"d{number % 50}", "start": 100, "end": 300}] for number in range(questions)}
    for name, count in (("whole", 20), ("half", 10)):
        runs = {f"s{number}": {topic: results() for topic in truth} for number in range(count)}
        (folder / f"{name}.json").write_text(json.dumps([truth, runs]))
    commands = {
        "berrypick": ["-c", PYTHON, f"{folder}/whole.json"],
        "berrypick, half": ["-c", PYTHON, f"{folder}/half.json"],
    }
    costs = tell(f"spans in Python, 20 systems x {questions} questions x 10", commands, repeats, own=True)
    each = costs["berrypick"].best / (200 * questions)
    print(f"  {each * 1e6:.1f} us a span, without loading")


def scores(folder: Path, scale: float, repeats: int) -> None:
    draw, topics = np.random.default_rng(7), max(2, round(500 * scale))
    for name, count in (("whole", topics), ("half", topics // 2)):
        found = [draw.permutation(np.unique(draw.integers(0, 1_000_000, 1010)))[:1000].tolist() for _ in range(count)]
        run = {
            f"q{topic}": dict(zip((f"doc{one:07d}" for one in names), draw.uniform(0, 20, 1000).tolist(), strict=True))
            for topic, names in enumerate(found)
        }
        truth = {topic: {one: int(draw.random() < 0.4) for one in list(held)[:60]} for topic, held in run.items()}
        (folder / f"{name}.json").write_text(json.dumps([truth, run]))
    commands = {
        "berrypick": ["-c", SCORES, f"{folder}/whole.json"],
        "berrypick, half": ["-c", SCORES, f"{folder}/half.json"],
        "pytrec_eval": ["-c", PYTREC_SCORES, f"{folder}/whole.json"],
    }
    costs = tell(f"scores in Python, {topics} topics x 1000 documents", commands, repeats, own=True)
    print(f"  {costs['berrypick'].best / (1000 * topics) * 1e6:.2f} us a result, with what a first evaluation loads")


def words_of(draw: np.random.Generator, count: int) -> list[str]:
    letters = np.array(list("etaoinshrdlcumwfgypbvk"))
    vocabulary = np.array(["".join(draw.choice(letters, size)) for size in draw.integers(2, 11, 20_000)])
    share = 1 / np.arange(1, len(vocabulary) + 1)
    return [str(word) for word in vocabulary[draw.choice(len(vocabulary), count, p=share / share.sum())]]


def chunks(folder: Path, scale: float, repeats: int) -> None:
    draw = np.random.default_rng(2)
    every = words_of(draw, round(1_700_000 * scale))
    for name, share in (("whole", 1), ("half", 2)):
        held, count = every[: len(every) // share], max(10, round(10_000 * scale / share))
        texts = [" ".join(held[i : i + 20_000]) for i in range(0, len(held), 20_000)]
        records = ({"doc": f"d{number}", "text": text} for number, text in enumerate(texts))
        (folder / f"{name}.texts.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records))
        with open(folder / f"{name}.run.jsonl", "w") as out:
            for number in range(count):
                text = texts[int(draw.integers(len(texts)))]
                at = int(draw.integers(0, max(1, len(text) - 1000)))
                chunk = text[at : at + int(draw.integers(200, 1000))].strip()
                out.write(json.dumps({"topic": str(number // 10), "text": chunk, "rank": number % 10 + 1}) + "\n")
        judged = {str(number): [{"doc": "d0", "start": 10, "end": 300}] for number in range(-(-count // 10))}
        (folder / f"{name}.truth.json").write_text(json.dumps(judged))

    def asked(code: str, name: str) -> list[str]:
        return ["-c", code, *(f"{folder}/{name}.{kind}" for kind in ("truth.json", "run.jsonl", "texts.jsonl"))]

    commands = {"berrypick": asked(CHUNKS, "whole"), "berrypick, half": asked(CHUNKS, "half")}
    commands["100 chunks one by one"] = asked(ONE_BY_ONE, "whole")
    tell(f"{round(10_000 * scale)} chunk texts in {10 * scale:g} MB", commands, repeats)


def statistics(folder: Path, scale: float, repeats: int) -> None:
    draw, topics = np.random.default_rng(3), max(10, round(50 * scale))
    truth = {f"t{t}": {f"d{d}": int(draw.integers(0, 3)) for d in range(60)} for t in range(topics)}
    runs = {
        f"run{s:02d}": {
            topic: {name: float(grade + draw.normal(0, 0.5 + s / 40)) for name, grade in judged.items()}
            for topic, judged in truth.items()
        }
        for s in range(50)
    }
    path = folder / "runs.json"
    path.write_text(json.dumps([truth, runs]))
    pinned = ["/usr/bin/env", "OPENBLAS_NUM_THREADS=1", sys.executable]
    for what, count in (("compare", 50), ("stability", 20)):
        work = ["-c", STATISTICS, str(path), what]
        commands = {
            "as a user starts it": [*work, str(count)],
            "as a user starts it, half": [*work, str(count // 2)],
            "one BLAS thread": [*pinned, *work, str(count)],
        }
        costs = tell(f"{what} of {count} systems, {topics} topics, 3 measures", commands, repeats, own=True)
        ratio = costs["as a user starts it"].best / costs["one BLAS thread"].best
        print(f"  {ratio:.2f} times the pinned time (floor 1.2)")


def sweep(folder: Path, scale: float, repeats: int) -> None:
    draw = np.random.default_rng(4)
    settings, questions = max(2, round(20 * scale)), max(10, round(1000 * scale))
    every = words_of(draw, 2000 * max(4, round(400 * scale)))
    documents = {f"d{i // 2000}": " ".join(every[i : i + 2000]) for i in range(0, len(every), 2000)}
    truth, queries = {}, {}
    for number in range(questions):
        name = f"d{int(draw.integers(len(documents)))}"
        at = int(draw.integers(0, len(documents[name]) - 300))
        truth[f"q{number}"] = [{"doc": name, "start": at, "end": at + 200}]
        queries[f"q{number}"] = " ".join(draw.permutation(documents[name][at : at + 200].split())[:8])
    path = folder / "sweep.json"
    path.write_text(json.dumps([documents, truth, queries]))
    commands = {
        "berrypick": ["-c", SWEEP, str(path), str(settings)],
        "berrypick, half": ["-c", SWEEP, str(path), str(settings // 2)],
        "one chunking": ["-c", SWEEP, str(path), "1"],
    }
    tell(f"sweep of {settings} chunkings x {questions} questions x {len(documents)} documents", commands, repeats)


def report(folder: Path, scale: float, repeats: int) -> None:
    draw, topics = np.random.default_rng(6), max(4, round(200 * scale))
    every = words_of(draw, round(1_700_000 * scale))
    texts = {f"d{i // 6800}": " ".join(every[i : i + 6800]) for i in range(0, len(every), 6800)}
    names = list(texts)
    documents = folder / "texts.jsonl"
    documents.write_text("".join(json.dumps({"doc": name, "text": text}) + "\n" for name, text in texts.items()))

    def places(count: int) -> list[dict[str, object]]:
        drawn = zip(draw.integers(0, len(names), count).tolist(), draw.random(count).tolist(), strict=True)
        starts = [(names[number], int(share * (len(texts[names[number]]) - 2000))) for number, share in drawn]
        return [{"doc": name, "start": start, "end": start + 400} for name, start in starts]

    truth = {topic: places(int(draw.integers(1, 6))) for topic in range(topics)}
    for name, kept in (("whole", topics), ("half", topics // 2)):
        lines = [{"topic": str(topic), **span} for topic in range(kept) for span in truth[topic]]
        (folder / f"{name}.truth.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    for number in range(20):
        with open(folder / f"whole{number}.jsonl", "w") as whole, open(folder / f"half{number}.jsonl", "w") as half:
            for topic, judged in truth.items():
                found = places(100)
                for span in judged:
                    if draw.random() < 0.3 + number / 40:
                        found[int(draw.integers(20))] = span
                lines = [json.dumps({"topic": str(topic), **span, "rank": k}) for k, span in enumerate(found, start=1)]
                for out in (whole, half) if topic < topics // 2 else (whole,):
                    out.writelines(f"{line}\n" for line in lines)

    def asked(code: str, name: str) -> list[str]:
        runs = [f"{folder}/{name}{number}.jsonl" for number in range(20)]
        return ["-c", code, f"{folder}/{name}.truth.jsonl", REPORTED, str(documents), *runs]

    kept = ["/usr/bin/env", f"BERRYPICK_CACHE={folder}/cache", sys.executable]
    commands = {"report": asked(REPORT, "whole"), "report, half": asked(REPORT, "half")}
    commands |= {"charting library": [*kept, "-c", LIBRARY], "report, library kept": [*kept, *asked(REPORT, "whole")]}
    commands["evaluate"] = asked(EVALUATE_TEXTS, "whole")
    costs = tell(f"report of 20 runs x {topics} topics", commands, repeats)
    for name in ("report", "report, library kept"):
        ratio = costs[name].processor / costs["evaluate"].processor
        print(f"  {name}: {ratio:.2f} times the evaluation (floor 1.5), {costs[name].memory:.0f} MB")


def dask(folder: Path, scale: float, repeats: int) -> None:
    count = max(20, round(1000 * scale))
    truth, made = many_documents(folder, 20)
    runs = [made[number % len(made)] for number in range(count)]
    (folder / "cluster.py").write_text(DASK)  # workers are started from a file
    cluster = [sys.executable, str(folder / "cluster.py"), truth]
    commands = {
        "Dask, two workers": [*cluster, *runs],
        "Dask, two workers, half": [*cluster, *runs[: count // 2]],
        "one process": ["-c", ALONE, truth, *runs],
    }
    costs = tell(f"{count} TREC runs of 50 topics x 1000, wall clock", commands, repeats, own=True)
    print(
        f"  {costs['one process'].best / costs['Dask, two workers'].best:.2f} times faster than one process (floor 1.7)"
    )


def first(folder: Path, scale: float, repeats: int) -> None:
    package = Path(berrypick.__file__).parent
    copied = shutil.copytree(package, folder / "copy" / "berrypick", ignore=shutil.ignore_patterns("__pycache__"))
    compiled = native()
    if compiled is not None:
        shutil.copy(compiled.__file__, copied / "kernels")
    truth, run = folder / "t.qrels", folder / "r.run"
    truth.write_text("1 0 a 1\n1 0 b 0\n")
    run.write_text("1 Q0 b 1 2.0 sys\n1 Q0 a 2 1.0 sys\n")
    asked = ["evaluate", str(truth), str(run), "-m", "AP nDCG@10 P@10"]
    commands = {
        "without bytecode": ["-B", "-c", COPIED, str(copied.parent), *asked],
        "with bytecode": ["-m", "berrypick", *asked],
        "a process with NumPy": ["-c", "import numpy"],
    }
    tell("a first evaluation", commands, max(repeats, 5))


def reading(folder: Path, scale: float, repeats: int) -> None:
    for title, (name, write, ours, theirs) in _reading.SHAPES.items():
        _read(folder, title, name, write, (ours, theirs), max(200, round(100_000 * scale)), repeats)


def large_files(folder: Path, scale: float, repeats: int) -> None:
    for title, (name, write, ours, theirs, rows) in _reading.LARGE.items():
        _read(folder, title, name, write, (ours, theirs), max(20, round(rows * scale)), repeats)


def _read(
    folder: Path,
    title: str,
    name: str,
    write: Callable[[int, Path], None],
    work: tuple[str, str],
    rows: int,
    repeats: int,
) -> None:
    """Read files of so many rows, and of half of them, each in a process that has read a small one before."""
    sizes = {"small": 100, "whole": rows, "half": rows // 2}
    for size, count in sizes.items():
        (folder / size).mkdir(exist_ok=True)
        write(count, folder / size / name)

    def asked(kind: str, size: str) -> list[str]:
        return [sys.executable, _reading.__file__, kind, str(folder / "small" / name), str(folder / size / name)]

    commands = {"berrypick": asked(work[0], "whole"), "berrypick, half": asked(work[0], "half")}
    costs = tell(f"{title}, {rows} rows", {**commands, work[1]: asked(work[1], "whole")}, repeats, own=True)
    each = " ".join(f"{one} {1e6 * costs[one].best / rows:.2f} us a row" for one in ("berrypick", work[1]))
    print(f"  {each}, without loading")


ROWS: dict[str, Callable[[Path, float, int], None]] = {
    row.__name__: row
    for row in (shallow, lines, python, scores, chunks, statistics, sweep, report, dask, first, reading, large_files)
}
ROWS |= {row.__name__: row for row in SCORING}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"of {', '.join(ROWS)}; all unless named")
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--repeats", type=int, default=1)
    chosen = parser.parse_args()
    for name in chosen.rows or ROWS:
        if name not in ROWS:
            parser.error(f"no row {name}: there are {', '.join(ROWS)}")
        with tempfile.TemporaryDirectory() as folder:
            ROWS[name](Path(folder), chosen.scale, chosen.repeats)


if __name__ == "__main__":
    main()
