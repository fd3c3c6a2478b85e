"""Readers who navigate: EPRUM, PRUM and epnav with user models, from files to means, and how the work grows.

    python benchmarks/navigation.py [--repeats N] [--against PYTHON] [--small]

Nobody else computes these measures, so the peer is another berrypick: --against names a Python that has one. Without it
only growth is shown: the time of twice the work over the time of the work. Times are processor times, of whole
processes where files are read. Bounds, against 0.1: EPRUM of spans 5 times as fast, with an index 8 times, user model
markov 10 times; greedy ideal lists of twice as many targets take at most 4.5 times as long (square: 4).
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from _processes import Cost, alternately, passages, show, verdict

EVALUATE = """
import sys, time, berrypick as bp
options = dict(word.split('=', 1) for word in sys.argv[4:])
begun = time.process_time()
bp.evaluate(sys.argv[1], sys.argv[2], sys.argv[3], **{k: int(v) if v.isdigit() else v for k, v in options.items()})
print('seconds', time.process_time() - begun)
"""
GREEDY = """
import sys, time, numpy as np, berrypick as bp
bp.eprum(np.eye(2), ideal='greedy')  # loads SciPy
kind, count = sys.argv[1], int(sys.argv[2])
draw = np.random.default_rng(6)
if kind == 'classical':
    rows = np.eye(count)
elif kind == 'threes':  # many candidates are equally good
    one, other = np.indices((count, count))
    rows = np.where(one // 3 == other // 3, .1 * (1 + (one + other) % 3), 0.)
elif kind == 'distance':  # eight targets in a document
    place = np.sort(draw.integers(0, 4000, (count // 8, 8))).ravel()
    one, other = np.indices((count, count)) // 8
    rows = np.where(one == other, 1 / (1 + np.exp(.01 * np.abs(np.subtract.outer(place, place)))), 0.)
else:  # hierarchy: sections of five targets, and targets that hold others
    size = draw.integers(20, 300, count)
    section = np.repeat(np.eye(count // 5), 5, axis=1) * size
    rows = section / (section.sum(axis=1, keepdims=True) + draw.integers(1, 500, (count // 5, 1)))
    nested = np.kron(np.eye(count // 4), np.pad([[0, 1], [1, 0]], (0, 2))) * draw.random(count)
    rows = np.vstack([np.maximum(nested, nested.T), rows])
rows[:count] = np.maximum(rows[:count], np.eye(count))
begun = time.process_time()
bp.eprum(rows[:count], candidates=rows, ideal='greedy')
print('seconds', time.process_time() - begun)
"""


def pages(folder: Path, count: int, topics: int, seed: int = 3) -> tuple[str, str, str]:
    """Steps between pages (85% go on), judgements of twenty pages a topic, and lists of two hundred."""
    draw = np.random.default_rng(seed)
    steps, truth, run = folder / f"{count}.tsv", folder / f"{count}.qrels", folder / f"{count}.run"
    with steps.open("w") as out:
        for page in range(count):
            to = np.unique(draw.integers(0, count, int(draw.integers(2, 12))))
            share = draw.random(len(to))
            share *= 0.85 / share.sum()
            out.write("".join(f"p{page}\tp{j}\t{p:.6f}\n" for j, p in zip(to.tolist(), share.tolist(), strict=True)))
    with truth.open("w") as judged, run.open("w") as out:
        for topic in range(topics):
            judged.write("".join(f"{topic} 0 p{i} 1\n" for i in np.unique(draw.integers(0, count, 20))))
            found = dict.fromkeys(draw.integers(0, count, 200).tolist())
            out.write("".join(f"{topic} Q0 p{i} {k} {500 - k} sys\n" for k, i in enumerate(found, start=1)))
    return str(truth), str(run), str(steps)


def one_document(folder: Path, targets: int, seed: int = 4) -> tuple[str, str]:
    """All targets and all results in one long document, as INEX text files have them."""
    draw = np.random.default_rng(seed)
    size = 400 * targets
    truth, run = folder / f"one-{targets}.qrels", folder / f"one-{targets}.run"
    spans = [(400 * i + int(draw.integers(0, 200)), int(draw.integers(10, 150))) for i in range(targets)]
    told = " ".join(f"{offset}:{extent}" for offset, extent in spans)
    truth.write_text(f"1 Q0 d {sum(extent for _, extent in spans)} {size} {spans[0][0]} {told}\n")
    offsets = np.unique(draw.integers(0, size - 100, 600))
    draw.shuffle(offsets)
    lines = (f"1 Q0 d {k} {900 - k} sys {offset} 100\n" for k, offset in enumerate(offsets.tolist(), start=1))
    run.write_text("".join(lines))
    return str(truth), str(run)


def elements(folder: Path, documents: int, topics: int, seed: int = 5) -> tuple[str, str, str]:
    """XML documents of two hundred paragraphs and their index, passages judged, elements retrieved."""
    from berrypick.documents.xml import build_index

    draw = np.random.default_rng(seed)
    source, index = folder / "xml", folder / "collection.idx"
    source.mkdir()
    body = "".join("<sec>" + "<p>words and more words</p>" * 10 + "</sec>" for _ in range(20))
    for number in range(documents):
        (source / f"{number}.xml").write_text(f"<article><bdy>{body}</bdy></article>")
    build_index(str(source), str(index))
    truth, run = folder / "elements.qrels", folder / "elements.run"
    with truth.open("w") as judged, run.open("w") as out:
        for topic in range(topics):
            wanted = draw.permutation(documents)[:60]
            judged.write("".join(f"{topic} Q0 {d} 200 4000 400 400:200\n" for d in wanted.tolist()))
            found = draw.integers(0, documents, 1500)
            columns = (found, draw.integers(1, 21, 1500), draw.integers(1, 11, 1500))
            place = zip(*(column.tolist() for column in columns), strict=True)
            paths = dict.fromkeys(f"{d} /article[1]/bdy[1]/sec[{s}]/p[{p}]" for d, s, p in place)
            for k, unit in enumerate(paths, start=1):
                document, path = unit.split()
                out.write(f"{topic} Q0 {document} {k} {2000 - k} sys {path}\n")
    return str(truth), str(run), str(index)


def compared(title: str, command: Sequence[str], against: str | None, repeats: int, least: float = 0) -> Cost:
    """One work, by us and by another berrypick."""
    commands = {"berrypick": command}
    if against is not None:
        commands["the other"] = [against, *command]
    costs = alternately(commands, repeats)
    show(title, costs)
    if against is not None:
        times = costs["the other"].best / costs["berrypick"].best
        verdict(f"{least:g} times as fast", times >= least, f"{times:.1f}") if least else print(f"  {times:.1f} times")
    return costs["berrypick"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--against", help="full path of a Python with another berrypick")
    parser.add_argument("--small", action="store_true", help="a tenth of the topics")
    chosen = parser.parse_args()
    against, repeats, topics = chosen.against, chosen.repeats, 10 if chosen.small else 100
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        truth, run = passages(folder, 1500 * topics)
        for user in ("classical", "hierarchy", "distance"):
            command = ["-c", EVALUATE, truth, run, "EPRUM PRUM", f"user={user}", "units=10000000"]
            compared(f"EPRUM and PRUM, {topics} topics x 1500 spans, user {user}", command, against, repeats, 5)
        compared("epnav, user distance", ["-c", EVALUATE, truth, run, "epnav", "user=distance"], against, repeats)
        growth = []
        for targets in (120, 240, 480):
            command = ["-c", EVALUATE, *one_document(folder, targets), "EPRUM", "user=t2i"]
            growth.append(compared(f"t2i, {targets} targets in one document", command, against, 1).best)
        print(f"  t2i: exponent {np.log2(growth[-1] / growth[0]) / 2:.2f}")
        truth, run, index = elements(folder, 1000, max(5, topics // 5))
        command = ["-c", EVALUATE, truth, run, "EPRUM", f"collection={index}"]
        compared(f"elements with an index, {max(5, topics // 5)} topics x 1500", command, against, repeats, 8)
        truth, run, steps = pages(folder, 1000, 20)
        command = ["-c", EVALUATE, truth, run, "EPRUM", f"navigation={steps}", "user=markov"]
        compared("markov, 1,000 pages, 20 topics", command, against, 1, 10)
        truth, run, steps = pages(folder, 10_000, 20)
        command = ["-c", EVALUATE, truth, run, "EPRUM", f"navigation={steps}", "user=markov"]
        compared("markov, 10,000 pages, 20 topics", command, None, 1)
    for kind in ("classical", "threes", "distance", "hierarchy"):
        growth = []
        for targets in (200, 400, 800):
            other = against if targets == 200 else None
            command = ["-c", GREEDY, kind, str(targets)]
            growth.append(compared(f"greedy lists, {targets} targets, {kind}", command, other, repeats).best)
        doubled = (growth[-1] / growth[0]) ** 0.5
        told = f"{doubled:.1f} on average, last {growth[-1] / growth[-2]:.1f} (exponent {np.log2(doubled):.2f})"
        verdict("greedy lists, twice the targets in at most 4.5 times", doubled <= 4.5, told)


if __name__ == "__main__":
    main()
