"""Tasks of an annotation tool with marked text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

# an astral character before the span: UTF-16 counts it twice
TEXT = "\U0001f347 Grapes.  Cut the old canes in autumn."
QUOTE = "Cut the old canes"
START = TEXT.index(QUOTE)
OFFSET = 100
FIELDS = {"topic": "q1", "doc": "guide.md", "offset": OFFSET}


def write(path: Path, value: Any) -> str:
    """JSON, or JSON Lines from a tuple of lines."""
    lines = isinstance(value, tuple)
    path.write_text("".join(json.dumps(one) + "\n" for one in value) if lines else json.dumps(value), encoding="utf-8")
    return str(path)


def label_studio(*results: dict[str, Any], who: Any = 7, text: str = TEXT, **more: Any) -> dict[str, Any]:
    regions = [{"id": "x", "from_name": "label", "to_name": "text", "type": "labels", "value": v} for v in results]
    annotation = {"id": 9, "completed_by": who, "was_cancelled": False, "result": regions, **more}
    return {"id": 3, "data": {"text": text, **FIELDS}, "annotations": [annotation], "predictions": []}


def region(start: int, length: int = len(QUOTE), text: str | None = QUOTE, label: str = "relevant") -> dict[str, Any]:
    value = {"start": start, "end": start + length, "labels": [label]}
    return value if text is None else {**value, "text": text}


def annotation(**more: Any) -> dict[str, Any]:
    """A relevant quote as an annotation of the W3C."""
    return {
        "@context": "http://www.w3.org/ns/anno.jsonld", "type": "Annotation",
        "body": [{"type": "TextualBody", "purpose": "tagging", "value": "topic:q1"},
                 {"type": "TextualBody", "purpose": "assessing", "value": "relevant"}],
        "target": {"source": "guide.md", "selector": [
            {"type": "TextPositionSelector", "start": START, "end": START + len(QUOTE)},
            {"type": "TextQuoteSelector", "exact": QUOTE, "prefix": "Grapes.  ", "suffix": " in"}]}, **more,
    }  # fmt: skip
