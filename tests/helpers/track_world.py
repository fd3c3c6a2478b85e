"""A small track on disk, and submissions for it."""

from __future__ import annotations

import json
from pathlib import Path

TRACK = """name = "Berries"
topics = "topics.tsv"
collection = "docs.tsv"
truth = "truth.jsonl"
measures = "charR@5 spanRR"
depth = 3
runs_per_team = 2
tag = '(?P<team>[a-z]+)-[0-9]'
all_topics = true
"""


class World:
    """A folder with a track of three topics and four documents."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.write("topics.tsv", "1\tjam\n2\ttea\n3\tfrost\n")
        self.write("docs.tsv", "a\t100\nb\t50\nc\t80\nd\t10\n")
        self.write("truth.jsonl", lines({"topic": t, "doc": "a", "start": 0, "end": 40} for t in "123"))
        self.track = self.write("track.toml", TRACK)

    def write(self, name: str, text: str | bytes) -> Path:
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
        return path

    def changed(self, *changes: tuple[str, str], name: str = "changed.toml") -> Path:
        """The track with other lines."""
        text = TRACK
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        return self.write(name, text)

    def run(self, name: str, tag: str, end: int = 40, topics: str = "123", **more: object) -> Path:
        """A submission that breaks no rule: a result per topic."""
        rows = [{"tag": tag, "topic": t, "doc": "a", "start": 0, "end": end, "rank": 1, **more} for t in topics]
        return self.write(name, lines(rows))


def lines(rows) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)
