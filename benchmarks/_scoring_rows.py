"""Rows of shapes.py about scoring: small calls in a loop, measures of readers, comparisons, reports, start-up."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import numpy as np
from _processes import EVALUATE, alternately, tell

#: A loop of calls, each with another run; {0} is made ready once, {1} is done in each turn.
LOOP = """
import sys, json, time
truth, runs = json.load(open(sys.argv[1]))
count = int(sys.argv[2])
{0}
def call(run):
    {1}
call(runs[-1])
begun = time.process_time()
for turn in range(count):
    call(runs[turn % len(runs)])
print("seconds", time.process_time() - begun)
"""
OURS = "import berrypick as bp"
KEPT = "import berrypick as bp; truth = bp.Truth.from_dict(truth)"
PYTREC = "import pytrec_eval; asked = {'map', 'ndcg_cut.10', 'P.10'}"
IR_MEASURES = (
    "import ir_measures; from ir_measures import AP, P, nDCG; ready = ir_measures.evaluator([AP, nDCG@10, P@10], truth)"
)
DOCUMENTS = 'bp.evaluate(truth, run, "AP nDCG@10 P@10").mean()'
#: What a person writes who only wants the mean AP, nDCG@10 and P@10, and checks nothing.
BY_HAND = """
from math import log2
def of_topic(judged, found):
    grades = [judged.get(name, 0) for name in sorted(found, key=found.get, reverse=True)]
    hits = [rank for rank, grade in enumerate(grades, start=1) if grade > 0]
    ideal = sum(g / log2(k + 2) for k, g in enumerate(sorted(judged.values(), reverse=True)[:10]))
    gain = sum(g / log2(k + 2) for k, g in enumerate(grades[:10]))
    precision = sum(n / rank for n, rank in enumerate(hits, start=1)) / max(1, sum(g > 0 for g in judged.values()))
    return precision, gain / (ideal or 1), sum(rank <= 10 for rank in hits) / 10
def means(truth, run):
    scores = [of_topic(judged, run[topic]) for topic, judged in truth.items()]
    return [sum(column) / len(column) for column in zip(*scores)]
"""
SPANS_BY_HAND = """
def recall(judged, found):
    wanted = {(one["doc"], at) for one in judged for at in range(one["start"], one["end"])}
    got = {(one["doc"], at) for one in found[:5] for at in range(one["start"], one["end"])}
    return len(wanted & got) / len(wanted)
"""
#: {0} is the measure; seconds without those of reading.
MEASURED = """
import sys, json, time, berrypick as bp
truth, run = json.load(open(sys.argv[1]))
truth, run = bp.Truth.from_dict(truth), bp.Run.from_dict(run)
bp.evaluate(truth, run, "{0}")
begun = time.process_time()
bp.evaluate(truth, run, "{0}")
print("seconds", time.process_time() - begun)
"""
COMPARED = """
import sys, json, time, berrypick as bp
truth, runs = json.load(open(sys.argv[1]))
results = bp.evaluate(truth, dict(list(runs.items())[: int(sys.argv[2])]), "nDCG@10")
begun = time.process_time()
bp.compare(results)
print("seconds", time.process_time() - begun)
"""
#: One product of as many sign changes as the comparison draws, 100,000, by the differences of all pairs.
SIGNS = """
import sys, time, numpy as np
topics, pairs = int(sys.argv[1]), int(sys.argv[2])
draw = np.random.default_rng(1)
begun = time.process_time()
differences = draw.normal(size=(topics, pairs)).astype(np.float32)
for _ in range(100):
    bits = np.unpackbits(draw.integers(0, 256, (1000, -(-topics // 8)), dtype=np.uint8), axis=1)[:, :topics]
    (bits.astype(np.float32) * 2 - 1) @ differences
print("seconds", time.process_time() - begun)
"""
REPORT = """
import sys, berrypick as bp
bp.write_report(sys.argv[1], sys.argv[3:], sys.argv[2], html=sys.argv[1] + ".html")
"""
REPORTED = "charR@5 charP@5 spanRR EPRUM"


def _calls(title: str, commands: dict[str, list[str]], count: int, repeats: int) -> None:
    """Show what one call of each loop takes."""
    costs = alternately(commands, max(repeats, 3))
    print(title)
    for name, cost in costs.items():
        print(f"  {name:<36}{1000 * cost.best / count:9.3f} ms a call", flush=True)


def _judged_documents(draw: np.random.Generator, topics: int, judged: int) -> dict[str, dict[str, int]]:
    return {
        f"q{topic}": {f"doc{one:06d}": int(draw.random() < 0.3) for one in draw.integers(0, 20_000, judged).tolist()}
        for topic in range(topics)
    }


def _found_documents(
    draw: np.random.Generator, truth: dict[str, dict[str, int]], found: int
) -> dict[str, dict[str, float]]:
    run = {}
    for topic, judged in truth.items():
        known = draw.permutation(list(judged))[: found // 3].tolist()
        names = dict.fromkeys([*known, *(f"doc{one:06d}" for one in draw.integers(0, 20_000, found).tolist())])
        run[topic] = dict(zip(list(names)[:found], draw.random(found).tolist(), strict=True))
    return run


def training(folder: Path, scale: float, repeats: int) -> None:
    """A training loop that asks for three numbers of dictionaries in each step."""
    draw, count = np.random.default_rng(1), max(20, round(1000 * scale))
    truth = _judged_documents(draw, 50, 60)
    (folder / "loop.json").write_text(json.dumps([truth, [_found_documents(draw, truth, 100) for _ in range(20)]]))

    def asked(ready: str, turn: str) -> list[str]:
        return ["-c", LOOP.format(ready, turn), str(folder / "loop.json"), str(count)]

    commands = {
        "berrypick": asked(OURS, DOCUMENTS),
        "berrypick, Truth kept": asked(KEPT, DOCUMENTS),
        "pytrec_eval": asked(PYTREC, "pytrec_eval.RelevanceEvaluator(truth, asked).evaluate(run)"),
        "pytrec_eval, evaluator kept": asked(
            f"{PYTREC}; ready = pytrec_eval.RelevanceEvaluator(truth, asked)", "ready.evaluate(run)"
        ),
        "plain Python": asked(BY_HAND, "means(truth, run)"),
    }
    peer = f"pytrec_eval-terrier {version('pytrec_eval-terrier')}"
    _calls(f"a loop of {count} calls, 50 topics x 100, dictionaries; {peer}", commands, count, repeats)


def calls(folder: Path, scale: float, repeats: int) -> None:
    """Small calls with a Truth that is kept."""
    draw, count = np.random.default_rng(2), max(20, round(2000 * scale))
    truth = _judged_documents(draw, 1, 30)
    (folder / "one.json").write_text(json.dumps([truth, [_found_documents(draw, truth, 10) for _ in range(20)]]))
    spans = {
        f"q{n}": [{"doc": f"d{n}", "start": 100, "end": 300}, {"doc": f"d{n + 1}", "start": 0, "end": 50}]
        for n in range(50)
    }

    def results() -> list[dict[str, object]]:
        drawn = zip(draw.integers(0, 50, 10).tolist(), draw.integers(0, 500, 10).tolist(), strict=True)
        return [{"doc": f"d{document}", "start": start, "end": start + 300} for document, start in drawn]

    (folder / "spans.json").write_text(json.dumps([spans, [{topic: results() for topic in spans} for _ in range(20)]]))

    def asked(ready: str, turn: str, name: str) -> list[str]:
        return ["-c", LOOP.format(ready, turn), str(folder / f"{name}.json"), str(count)]

    commands = {
        "berrypick, one topic x 10": asked(KEPT, DOCUMENTS, "one"),
        "ir_measures, one topic x 10": asked(IR_MEASURES, "ready.calc_aggregate(run)", "one"),
        "berrypick, 50 x 10 spans, charR@5": asked(KEPT, 'bp.evaluate(truth, run, "charR@5").mean()', "spans"),
        "plain Python, 50 x 10 spans": asked(
            SPANS_BY_HAND, "sum(recall(judged, run[topic]) for topic, judged in truth.items()) / len(truth)", "spans"
        ),
    }
    _calls(f"small calls, Truth kept; ir_measures {version('ir_measures')}", commands, count, repeats)


#: Measures, each with whether its runs are lists of spans or sessions of steps.
MEASURES = {
    "charR": "spans", "EPRUM": "spans", "nxCG@10": "spans", "Coverage": "spans", "epnav": "spans",
    "ExpectedRatio": "spans", "Enough@5": "sets", "StepAUC": "steps",
}  # fmt: skip


def topics(folder: Path, scale: float, repeats: int) -> None:
    """Measures of readers over many topics of ten results."""
    whole = max(20, round(1000 * scale))
    for count in (whole, whole // 2):
        for kind in sorted(set(MEASURES.values())):
            (folder / f"{kind}{count}.json").write_text(json.dumps(_topic_runs(kind, count)))
    commands = {
        name + ("" if count == whole else ", half"): ["-c", MEASURED.format(name), str(folder / f"{kind}{count}.json")]
        for name, kind in MEASURES.items()
        for count in (whole, whole // 2)
    }
    costs = tell(f"{whole} topics x 10, one measure, values read", commands, repeats, own=True)
    for name in MEASURES:
        print(f"  {name}: {1e6 * costs[name].best / whole:.1f} us a topic")


def _topic_runs(kind: str, count: int) -> list[dict[str, list[dict[str, object]]]]:
    """Judgements and a run of so many topics; sufficient sets or steps where measures are about them."""
    draw = np.random.default_rng(3)

    def spans(most: int, length: int) -> list[dict[str, object]]:
        drawn = zip(draw.integers(0, 50, most).tolist(), draw.integers(0, 2000, most).tolist(), strict=True)
        return [{"doc": f"d{document}", "start": start, "end": start + length} for document, start in drawn]

    truth = {f"q{topic}": spans(4, 200) for topic in range(count)}
    run = {topic: spans(10, 300) for topic in truth}
    for topic, judged in truth.items():
        for place in draw.integers(0, 10, 2).tolist():
            run[topic][place] = dict(judged[place % 4])
        if kind == "sets":
            judged[:] = [{**one, "set": str(place // 2)} for place, one in enumerate(judged)]
        elif kind == "steps":
            run[topic] = [{**one, "step": place // 2 + 1} for place, one in enumerate(run[topic])]
    return [truth, run]


def systems(folder: Path, scale: float, repeats: int) -> None:
    """All pairs of 50 systems on 1,000 topics by one measure."""
    draw, count, whole = np.random.default_rng(4), max(20, round(1000 * scale)), 50
    truth = {f"q{topic}": {f"d{one}": int(draw.integers(0, 3)) for one in range(20)} for topic in range(count)}
    runs = {
        f"s{number:02d}": {
            topic: {name: round(grade + draw.normal(0, 1 + number / 100), 6) for name, grade in judged.items()}
            for topic, judged in truth.items()
        }
        for number in range(whole)
    }
    (folder / "systems.json").write_text(json.dumps([truth, runs]))
    commands = {
        "compare": ["-c", COMPARED, str(folder / "systems.json"), str(whole)],
        "compare, half": ["-c", COMPARED, str(folder / "systems.json"), str(whole // 2)],
        "one product of sign changes": ["-c", SIGNS, str(count), str(whole * (whole - 1) // 2)],
    }
    tell(f"compare of {whole} systems on {count} topics, one measure", commands, repeats, own=True)


def pages(folder: Path, scale: float, repeats: int) -> None:
    """The report on many runs, without texts."""
    for runs, count in ((50, 1000), (20, 200)):
        kept = max(10, round(count * scale))
        truth, made = _report_files(folder, runs, kept)
        commands = {
            "report, half": ["-c", REPORT, truth, REPORTED, *made[: runs // 2]],
            "report": ["-c", REPORT, truth, REPORTED, *made],  # the last one: its page stays
            "evaluate": ["-c", EVALUATE, truth, REPORTED, *made],
        }
        tell(f"report of {runs} runs x {kept} topics", commands, repeats)
        print(f"  page: {Path(truth + '.html').stat().st_size / 1e6:.1f} MB")


def _report_files(folder: Path, runs: int, topics: int) -> tuple[str, list[str]]:
    draw = np.random.default_rng(5)

    def lines(topic: int, most: int, length: int) -> Iterator[str]:
        drawn = zip(draw.integers(0, 200, most).tolist(), draw.integers(0, 5000, most).tolist(), strict=True)
        for document, start in drawn:
            yield json.dumps({"topic": f"q{topic}", "doc": f"d{document}", "start": start, "end": start + length})

    truth = folder / f"truth{runs}.jsonl"
    judged = {topic: list(lines(topic, 3, 200)) for topic in range(topics)}
    truth.write_text("".join(line + "\n" for held in judged.values() for line in held))
    made = []
    for number in range(runs):
        path = folder / f"run{runs}-{number}.jsonl"
        with path.open("w") as out:
            for topic, held in judged.items():
                found = list(lines(topic, 10, 300))
                for line in held:
                    if draw.random() < 0.3 + number / 100:
                        found[int(draw.integers(10))] = line
                out.writelines(line + "\n" for line in dict.fromkeys(found))
        made.append(str(path))
    return str(truth), made


def commands(folder: Path, scale: float, repeats: int) -> None:
    """What commands take that compute nothing."""
    truth, run = folder / "t.qrels", folder / "r.run"
    truth.write_text("1 0 a 1\n1 0 b 0\n")
    run.write_text("1 Q0 b 1 2.0 sys\n1 Q0 a 2 1.0 sys\n")
    asked = {
        "berrypick --help": ["-m", "berrypick", "--help"],
        "berrypick list measures": ["-m", "berrypick", "list", "measures"],
        "berrypick evaluate --help": ["-m", "berrypick", "evaluate", "--help"],
        "berrypick evaluate": ["-m", "berrypick", "evaluate", str(truth), str(run), "-m", "AP nDCG@10 P@10"],
        "a process with NumPy": ["-c", "import numpy"],
        "a process with click": ["-c", "import click"],
        "a process": ["-c", "pass"],
    }
    tell("commands that compute nothing", asked, max(repeats, 5))


SCORING = (training, calls, topics, systems, pages, commands)
