"""Runs on the real questions and texts of chunking_evaluation, made where they are needed: nothing of them is kept."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import berrypick as bp
from berrypick.analysis.sweep.chunkers import fixed, sentences
from berrypick.analysis.sweep.retrievers import Chunk, fts5
from berrypick.data.run import Run
from berrypick.data.truth import Truth


def questions(folder: Path) -> tuple[Truth, dict[str, str], dict[str, str]]:
    """The truth, the texts, and what the topics ask."""
    truth = bp.read_truth(folder / "questions_df.csv")
    texts = {path.stem: path.read_bytes().decode() for path in sorted((folder / "corpora").glob("*.md"))}
    with (folder / "questions_df.csv").open(newline="", encoding="utf-8") as file:
        asked = [row["question"] for row in csv.DictReader(file)]
    return truth, texts, dict(zip(truth.topics, asked, strict=True))


def runs(texts: dict[str, str], asked: dict[str, str]) -> list[Run]:
    """Three ways to cut the texts, the same ranker."""
    cuts = {
        "chars-200": lambda text: fixed(text, 200),
        "chars-800+200": lambda text: fixed(text, 800, 200),
        "sentences-400": lambda text: sentences(text, 400),
    }
    found = []
    for name, cut in cuts.items():
        chunks = [Chunk(doc, start, end, text[start:end]) for doc, text in texts.items() for start, end in cut(text)]
        ranked = fts5(chunks, asked)
        rows = [
            {"topic": topic, "doc": chunks[i].document, "start": chunks[i].start, "end": chunks[i].end, "score": score}
            for topic, best in ranked.items()
            for i, score in best
        ]
        found.append(replace(bp.run_from_frame(rows_frame(rows)), tag=name))
    return found


def rows_frame(rows: list[dict[str, object]]):
    import pandas

    return pandas.DataFrame(rows)
