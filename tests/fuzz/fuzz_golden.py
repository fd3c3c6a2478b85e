"""Damaged golden files of every shape: refused with a message, or spans that are what the file quotes."""

from __future__ import annotations

import json
import random
from pathlib import Path

import golden_shapes as shapes
import mutators
from fuzz_targets import Target, holds

import berrypick as bp
from berrypick.documents.locator import normal_form


class GoldenFiles(Target):
    """Golden files of other programs, and files of chunks."""

    name, share = "golden", 20

    def make(self, chance: random.Random) -> bytes:
        name = chance.choice(list(shapes.SHAPES))
        content = shapes.SHAPES[name][0]()
        chunks = shapes.chunk_file()
        if isinstance(content, bytes):
            data = mutators.damaged_bytes(chance, content)
            if name.endswith(".csv"):
                data = mutators.mutated(chance, content.decode("utf-8-sig"))
        else:
            data = mutators.mutated(chance, content)
        if name == "chunks.json" and chance.random() < 0.5:
            chunks = mutators.mutated(chance, chunks).decode("utf-8", "replace")
        yes, partial = chance.random() < 0.7, chance.random() < 0.7
        given = {"name": name, "golden": data.decode("latin-1"), "chunks": chunks, "yes": yes, "partial": partial}
        return json.dumps(given).encode()

    def check(self, data: bytes, folder: Path) -> None:
        given = json.loads(data)
        path, chunks = folder / given["name"], folder / "chunks.jsonl"
        path.write_bytes(given["golden"].encode("latin-1"))
        chunks.write_bytes(given["chunks"].encode("utf-8", "surrogatepass"))
        by_chunk = chunks if given["name"] == "chunks.json" else None
        try:
            truth = bp.adopt(path, shapes.TEXTS, chunks=by_chunk, yes=given["yes"], partial=given["partial"])
        except bp.BerrypickError as error:
            holds(str(error), "a message")
            return
        holds(given["partial"] or not truth.problems, "what has no place is refused")
        holds(given["yes"] or all(guess.certain for guess in truth.guesses), "what is not certain is refused")
        for case in truth.cases:
            if case.place is None:
                holds(case.why, "a reason")
                continue
            text = shapes.TEXTS[case.place.document]
            holds(0 <= case.place.start < case.place.end <= len(text), f"{case.place} is in the document")
            there = text[case.place.start : case.place.end]
            if case.status == "exact" and not case.gold.chunk and "-hop>" not in case.gold.quote:
                holds(there == case.gold.quote, f"{there!r} is {case.gold.quote!r}")
            if case.status == "normalised" and not case.gold.chunk and "-hop>" not in case.gold.quote:
                holds(normal_form(there).strip() == normal_form(case.gold.quote).strip(), f"{there!r} is the quote")
        out = folder / "adopted.jsonl"
        bp.write(truth, out, "span-truth")
        again = bp.read_truth(out)
        holds(again.to_records() == truth.to_records(), "what is written is read")
