"""The index of a collection: how fast it is made, opened and used, and what memory that takes.

    python benchmarks/index.py FOLDER ...           real collections of XML documents
    python benchmarks/index.py                      a made-up collection of --documents documents, in a temporary folder

Making it is compared with lxml merely parsing the same files: the whole of `berrypick index`, from looking for files to
putting the index in its place, over parsing files whose names are known. Imports are in neither. Bounds: three times
the processor time of lxml, one process against one; well under a second to open.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

#: What processes have in common; each prints what it found out as JSON. ``begin`` and ``end`` measure what is between.
MEASURE = """
import json, os, random, resource, sys, time
def processor():
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
def peak():
    "In MB, of this process or a child of it. What getrusage says of the process itself includes who started it."
    try:
        own = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))
    except OSError:
        own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return max(own, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss) / 1024
def begin():
    global before, clock
    before = peak()
    clock = time.perf_counter(), processor()
def end(**more):
    took = time.perf_counter() - clock[0], processor() - clock[1]
    print(json.dumps({"seconds": took[0], "processor": took[1], "memory": peak(), "before": before, **more}))
def mapped(path):
    "How much of a mapped file the process has touched, in bytes and in blocks of the system."
    inside, found = False, 0
    if not os.path.exists("/proc/self/smaps"):
        return 0
    for line in open("/proc/self/smaps"):
        if line[:1] in "0123456789abcdef" and "-" in line.split()[0]:
            inside = line.rstrip().endswith(path)
        elif inside and line.startswith("Rss:"):
            found += int(line.split()[1]) * 1024
    return found
"""

PARSE = """
from lxml import etree
from berrypick.documents.xml.folder import find_documents
files = list(find_documents(sys.argv[1]).values())
begin()
for file in files:
    try:
        etree.parse(file)
    except etree.XMLSyntaxError:
        pass
end(bytes=sum(map(os.path.getsize, files)))
"""

BUILD = """
from dataclasses import asdict
from berrypick.documents.xml import build as index_build
begin()
made = index_build.build(sys.argv[1], sys.argv[2], int(sys.argv[3]))
end(**asdict(made.facts))
"""

OPEN = """
from berrypick import read_collection
begin()
path = os.path.realpath(sys.argv[1])
collection = read_collection(path)
collection.structures[sys.argv[2]]
end(mapped=mapped(path))
"""

EVALUATE = """
from berrypick import evaluate
path = os.path.realpath(sys.argv[1])
begin()
results = evaluate(sys.argv[2], sys.argv[3], ["AiP", "AgP", "nxCG@10"], collection=path)
end(values=results.per_topic(), mapped=mapped(path))
"""


def process(code: str, *arguments: object) -> Any:
    command = [sys.executable, "-c", MEASURE + code, *map(str, arguments)]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


WORDS = ["the", "of", "to", "click", "open", "window", "Einstellungen", "файл", "設定", "señal", "&amp;", "printer"]


def made_up(folder: Path, documents: int) -> Path:
    """Pages of help, as far as their mark-up goes; a few of them broken."""
    chance = random.Random(documents)
    for i in range(documents):
        others = [i % 50 + 50 * int(chance.random() ** 3 * (documents // 50)) for _ in range(chance.randrange(1, 8))]
        sections = "".join(section(chance, j, other) for j, other in enumerate(others))
        end = "</page>\n" if chance.random() < 0.997 else ""
        head = f'<?xml version="1.0" encoding="utf-8"?>\n<page xmlns="urn:help" id="{i}">\n  <!-- {i} -->'
        place = folder / f"{i % 50:02d}" / f"{i:06d}.page"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(f"{head}{sections}\n{end}", encoding="utf-8")
    return folder


def section(chance: random.Random, number: int, other: int) -> str:
    items = "".join(
        f"\n      <item><p>{' '.join(chance.choices(WORDS, k=25))} <gui>{chance.choice(WORDS)}</gui>.</p></item>"
        for _ in range(chance.randrange(8))
    )
    title = f'<title>{number} <link xref="{other:06d}#s{number}"/></title>'
    return f'\n  <section id="s{number}">\n    {title}\n    <list>{items}\n    </list>\n  </section>'


def campaign(index: Path, place: Path, topics: int = 30) -> tuple[Path, Path, str]:
    """Judgements of passages, and a run of elements, in documents chosen at random; and one of these documents."""
    from berrypick import read_collection

    collection, chance = read_collection(index), random.Random(1)
    names = [name for name, length in collection.lengths.items() if length > 100]
    truth, run = place / "passages.qrels", place / "elements.xml"
    judged, results = [], []
    for topic in range(1, topics + 1):
        chosen = chance.sample(names, min(len(names), 40))
        for name in chosen[:20]:
            length = int(collection.lengths[name])
            start = chance.randrange(length // 2)
            judged.append(f"{topic} Q0 {name} {length // 4} {length} {start} {start}:{length // 4}\n")
        rows = [result(name, chance, collection.structures[name], rank) for rank, name in enumerate(chosen, start=1)]
        results.append(f'<topic topic-id="{topic}">{"".join(rows)}</topic>\n')
    truth.write_text("".join(judged))
    head = '<inex-submission run-id="r" task="Focused" result-type="element">'
    run.write_text(f"{head}{''.join(results)}</inex-submission>")
    return truth, run, names[len(names) // 2]


def result(name: str, chance: random.Random, structure: Any, rank: int) -> str:
    path = structure.path(chance.randrange(len(structure)))
    return f"<result><file>{name}</file><path>{path}</path><rank>{rank}</rank><rsv>{1 / rank:.6f}</rsv></result>\n"


def turns_of(turns: int, commands: dict[str, tuple[Any, ...]]) -> dict[str, list[Any]]:
    """Each command in a new process, in turn, so that a busy moment of the machine meets all of them."""
    found: dict[str, list[Any]] = {name: [] for name in commands}
    for turn in range(turns + 1):
        for name, command in commands.items():
            outcome = process(*command)
            if turn:  # the first one fills the caches
                found[name].append(outcome)
    return found


def times(found: list[Any], key: str = "seconds") -> str:
    values = [one[key] for one in found]
    return f"{min(values):.3f} s (median {statistics.median(values):.3f}, worst {max(values):.3f})"


def ratios(ours: list[Any], theirs: list[Any], key: str) -> tuple[float, str]:
    turns = [one[key] / other[key] for one, other in zip(ours, theirs, strict=True)]
    best = min(one[key] for one in ours) / min(one[key] for one in theirs)
    spread = f"turn by turn {min(turns):.2f} to {max(turns):.2f}, median {statistics.median(turns):.2f}"
    return best, f"{best:.2f} ({spread})"


def verdict(what: str, met: bool) -> None:
    print(f"  {'within' if met else 'BEYOND'} the bound: {what}")


def making(folder: Path, index: Path, turns: int) -> None:
    cores = os.cpu_count() or 1
    found = turns_of(
        turns,
        {
            "lxml, parsing only": (PARSE, folder),
            "index, one process": (BUILD, folder, index, 1),
            f"index, {cores} processes": (BUILD, folder, index, cores),
        },
    )
    theirs, alone, together = found.values()
    facts, size, read = alone[-1], index.stat().st_size, theirs[-1]["bytes"]
    print(f"{facts['documents']} documents, {facts['unreadable']} unreadable, {facts['elements']} elements, ", end="")
    print(f"XML {read / 1e6:.1f} MB, index {size / 1e6:.1f} MB, {size / facts['elements']:.1f} bytes an element")
    for name, costs in found.items():
        memory = f"{max(o['memory'] for o in costs):.0f} MB, {min(o['before'] for o in costs):.0f} MB before it began"
        print(f"  {name:<24}{times(costs)}, processor {min(o['processor'] for o in costs):.2f} s, {memory}")
    for name, costs in (("one process", alone), (f"{cores} processes", together)):
        best, processor = ratios(costs, theirs, "processor")
        print(f"  {name} over lxml: wall clock {ratios(costs, theirs, 'seconds')[1]}; processor {processor}")
        if costs is alone:
            verdict(f"three times the processor time of lxml: {best:.2f}", best <= 3)


def using(folder: Path, index: Path, turns: int) -> None:
    with tempfile.TemporaryDirectory() as place:
        truth, run, name = campaign(index, Path(place))
        found = turns_of(
            turns,
            {
                "open, one document": (OPEN, index, name),
                "evaluate with the index": (EVALUATE, index, truth, run),
                "evaluate with the folder": (EVALUATE, folder, truth, run),
            },
        )
    for name, costs in found.items():
        memory = f"{max(o['memory'] for o in costs):.0f} MB, {min(o['before'] for o in costs):.0f} MB before it began"
        print(f"  {name:<26}{times(costs)}, {memory}")
    opened, ours, theirs = found.values()
    assert all(o["values"] == theirs[0]["values"] for o in (*ours, *theirs)), "the two give different numbers"
    shares = [f"{costs[0]['mapped'] / index.stat().st_size:.0%}" for costs in (opened, ours)]
    print("  1200 results and 600 judged documents, the same numbers both ways; blocks of the index that were touched:")
    print(f"  {shares[0]} to open it and take one document, {shares[1]} to evaluate")
    verdict("opened in less than a second", min(o["seconds"] for o in opened) < 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="*", type=Path, help="a folder of XML documents")
    parser.add_argument("--documents", type=int, default=5000, help="of the made-up collection")
    parser.add_argument("--turns", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        place = Path(temporary)
        for number, folder in enumerate(options.folder or [made_up(place / "made up", options.documents)], start=1):
            print(f"collection {number}: ", end="")
            making(folder, place / "index", options.turns)
            using(folder, place / "index", options.turns)


if __name__ == "__main__":
    main()
