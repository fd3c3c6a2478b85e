"""charR@3 and charP@3 of a run on a golden file, without berrypick: sets of characters, quotes by regular expressions.

    python independent.py FOLDER SHAPE...

FOLDER has the golden files, texts and results.jsonl.

Each shape is read by the names that its program documents.
"""

from __future__ import annotations

import ast
import csv
import json
import re
import sys
from pathlib import Path

MARKS = {"'": "['\u2018\u2019]", "-": "[-\u2013\u2014]"}


def rows(shape: str, path: Path) -> list[tuple[str, list[str]]]:
    """Question and quotes."""
    if shape == "ragas.json":
        found = [(one["user_input"], one["reference_contexts"]) for one in json.loads(path.read_text())]
        return [(asked, [re.sub(r"^<\d-hop>\n\n", "", quote) for quote in quotes]) for asked, quotes in found]
    if shape == "ragas.csv":
        with path.open(newline="") as file:
            return [(one["question"], ast.literal_eval(one["contexts"])) for one in csv.DictReader(file)]
    if shape == "deepeval.json":
        return [(one["input"], one["context"]) for one in json.loads(path.read_text())]
    if shape == "langsmith.jsonl":
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        return [(one["inputs"]["question"], one["outputs"]["contexts"]) for one in lines]
    if shape == "langfuse.json":
        items = json.loads(path.read_text())["data"]
        return [(one["input"]["query"], [e["quote"] for e in one["expectedOutput"]["evidence"]]) for one in items]
    if shape == "finetune.json":
        value = json.loads(path.read_text())
        return [(asked, [value["corpus"][node] for node in value["relevant_docs"][name]])
                for name, asked in value["queries"].items()]  # fmt: skip
    if shape == "labelled_rag.json":
        return [(one["query"], one["reference_contexts"]) for one in json.loads(path.read_text())["examples"]]
    if shape == "haystack.json":
        inputs = json.loads(path.read_text())["inputs"]
        gold = [[one["content"] for one in held] for held in inputs["ground_truth_documents"]]
        return list(zip(inputs["questions"], gold, strict=True))
    if shape == "promptfoo.yaml":
        import yaml

        tests = yaml.safe_load(path.read_text())["tests"]
        return [(one["vars"]["query"], one["vars"]["context"]) for one in tests]
    if shape == "excel.csv":
        found: dict[str, list[str]] = {}
        with path.open(newline="", encoding="utf-8-sig") as file:
            for one in csv.DictReader(file, delimiter=";"):
                found.setdefault(one["Question"], []).extend([one["Evidence"]] if one["Answerable"] == "yes" else [])
        return list(found.items())
    if shape == "hub.parquet":
        import pyarrow.parquet

        held = pyarrow.parquet.read_table(path).to_pylist()
        return [(one["question"], one["context"]) for one in held]
    if shape == "chunks.json":
        texts = {one["chunk_id"]: one["text"] for one in map(json.loads, (path.parent / "chunks.jsonl").open())}
        asked = json.loads(path.read_text())["questions"]
        return [(one["question"], [texts[name] for name in one["relevant_chunk_ids"]]) for one in asked]
    raise SystemExit(f"unknown shape {shape}")


def characters(quotes: list[str], texts: dict[str, str]) -> set[tuple[str, int]]:
    """The characters of all quotes, as document and place; each quote stands in one place."""
    found = set()
    for quote in quotes:
        words = ["".join(MARKS.get(c, re.escape(c)) for c in word) for word in quote.split()]
        places = [(name, m) for name, text in texts.items() for m in re.finditer(r"\s+".join(words), text)]
        assert len(places) == 1, (quote, places)
        [(name, match)] = places
        found |= {(name, i) for i in range(match.start(), match.end())}
    return found


def means(shape: str, golden: Path, folder: Path, run: Path) -> dict[str, float]:
    texts = {path.relative_to(folder).as_posix(): path.read_bytes().decode() for path in folder.rglob("*.md")}
    results: dict[str, list[dict]] = {}
    for line in run.open():
        one = json.loads(line)
        results.setdefault(one["question"], []).append(one)
    recall, precision = [], []
    for asked, quotes in rows(shape, golden):
        wanted = characters(quotes, texts)
        if not wanted:
            continue
        seen = {(one["doc"], i) for one in results[asked][:3] for i in range(one["start"], one["end"])}
        recall.append(len(seen & wanted) / len(wanted))
        precision.append(len(seen & wanted) / len(seen))
    return {"charR@3": sum(recall) / len(recall), "charP@3": sum(precision) / len(precision)}


if __name__ == "__main__":
    place = Path(sys.argv[1])
    print(json.dumps({one: means(one, place / one, place / "texts", place / "results.jsonl") for one in sys.argv[2:]}))
