"""Two topics with an answer and two without, and a run that abstains for one of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import berrypick as bp

TRUTH = [
    {"topic": "q1", "doc": "a", "start": 0, "end": 10},
    {"topic": "q2", "doc": "b", "start": 5, "end": 9},
    {"topic": "q8", "answer": None},
    {"topic": "q9", "answer": None},
]
RUN = [
    {"topic": "q1", "doc": "a", "start": 0, "end": 20, "score": 0.9},
    {"topic": "q1", "doc": "b", "start": 0, "end": 20, "score": 0.4},
    {"topic": "q2", "doc": "b", "start": 0, "end": 20, "score": 0.3},
    {"topic": "q8", "doc": "a", "start": 0, "end": 20, "score": 0.5},
    {"topic": "q9", "results": []},
]


def write(path: Path, rows: list[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def mean(results: bp.Results) -> dict[str, Any]:
    return next(iter(results.mean().values()))
