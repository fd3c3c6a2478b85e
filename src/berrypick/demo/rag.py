"""Retrieval for a language model: the same handbook in small and in large chunks, judged by the text that answers.

The files are in the folder beside this module. scripts/make_rag.py in the repository makes them from the campaign.
"""

from __future__ import annotations

from berrypick.demo import _prose
from berrypick.demo._prose import DemoPart, DemoReading, commands, items, measured, paragraph, short_table, table

TITLE = "Chunks for a language model"
FILES = DemoPart("rag", "answers.jsonl", ("small.jsonl", "large.jsonl"))
COVERAGE = "Coverage(budget=1000)"
CHUNKS = DemoReading("chunks", f"charR@5 charP@5 IoU@5 EPRUM {COVERAGE}")


def numbers() -> _prose.Numbers:
    """``{measure: {run: value}}``."""
    return measured(FILES, CHUNKS)


def short() -> str:
    """The scene, three measures and what they say, on five lines."""
    columns = {name: values for name, values in numbers().items() if name in ("charR@5", "charP@5", COVERAGE)}
    scene = "One handbook, 10 questions, chunks of up to 300 or 1,000 characters (BM25):\n"
    seen = "Large chunks contain more answer, but per 1,000 characters small ones win."
    return scene + short_table("best: *", columns, seen)


def text() -> str:
    return "\n".join([_scene(), table("Measures of text", numbers()), _why(), commands(FILES, [CHUNKS])])


def _scene() -> str:
    scene = paragraph(
        """A language model is to answer questions from a handbook of fruit growing: 20 articles, 10 questions. The
        text that answers each of them was highlighted. One ranker, BM25, searches the handbook cut in two ways:"""
    )
    runs = {
        "small": "whole sentences, up to 300 characters a chunk",
        "large": "whole sentences, up to 1000 characters a chunk",
    }
    return "\n".join([scene, items(runs)])


def _why() -> str:
    return paragraph(
        """Judgements are text, so they hold however the handbook is cut. charR@5 is the share of the answer in the
        first five chunks, charP@5 the share of these chunks that is answer, IoU@5 what both have in common over all
        that either has. EPRUM counts results until the highlighted passages are seen, half of each at least. Five large
        chunks contain more of the answer, and more besides, but they are three times as long. Coverage(budget=1000)
        gives both the same room: it is the share of the answer that has been read, averaged over prompts of up to 1000
        characters, and there the small chunks are ahead."""
    )
