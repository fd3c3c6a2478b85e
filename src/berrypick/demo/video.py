"""A video archive: precise segments, entry points a little early, overlapping windows."""

from __future__ import annotations

from berrypick.demo import _prose
from berrypick.demo._prose import (
    DemoPart,
    DemoReading,
    Numbers,
    commands,
    items,
    measured,
    paragraph,
    table,
)

TITLE = "A video archive"
LENGTHS = "videos.tsv"
FILES = DemoPart("video", "segments.jsonl", ("shots.jsonl", "jumps.jsonl", "windows.jsonl"))
READERS = (
    DemoReading("classical", "EPRUM"),
    DemoReading("coverage", "EPRUM", user="coverage"),
    DemoReading("distance", "EPRUM", user="distance(theta=0.1)"),
    DemoReading("t2i", "EPRUM", user="t2i(tolerance=15)", collection=LENGTHS),
)
SEGMENTS = DemoReading("segments", "T2I(tolerance=15,at=4) ESL(wanted=2,tolerance=15) SegP SegR", collection=LENGTHS)


def numbers(measure: str = "EPRUM") -> Numbers:
    """``{reader: {run: value}}``."""
    return _prose.numbers(FILES, READERS, measure)


def text() -> str:
    measures = table(
        "Measures made for video (ESL: smaller is better)", measured(FILES, SEGMENTS), ["ESL(wanted=2,tolerance=15)"]
    )
    return "\n".join([_scene(), table("EPRUM, a column per reader", numbers()), _why(), measures, _segments(),
                      commands(FILES, (*READERS, SEGMENTS))])  # fmt: skip


def _scene() -> str:
    scene = paragraph(
        """The orchard has filmed: 10 videos, almost 5 hours. For 7 questions the segments that answer them were
        marked. Three runs hold segments:"""
    )
    runs = {
        "shots": "the right segments, to the second or two, but none before rank 3",
        "jumps": "places to start watching, about ten seconds early, near the top",
        "windows": "overlapping windows over the same segment, some of them twice",
    }
    readers = {
        "classical": "has seen a segment if a result shows at least half of it",
        "coverage": "has seen it with the probability that is the share shown",
        "distance": "finds it the more likely, the nearer the result is",
        "t2i": "starts where the result starts, watches on, and gives up after 15 seconds of nothing relevant",
    }
    return "\n".join([scene, items(runs), "Four readers go down the list:\n", items(readers)])


def _why() -> str:
    return paragraph(
        """Why: a result that stops before the answer begins shows none of it, so jumps gets nothing from the first
        two readers; but whoever lets the video run sees the answer at once. A window shows less than half of its
        segment, too little for the first reader; the next two give each window one more chance. The measure did not
        change, only the reader."""
    )


def _segments() -> str:
    return paragraph(
        """T2I and ESL follow the last reader and count wasted stretches of 15 seconds: jumps wastes the fewest. SegP
        counts results that match a segment, and three windows that match the same one count three times: windows
        looks best, although most of its results show nothing new. It repeats one result of each question exactly; such
        repeats are counted on standard error and find nothing."""
    )
