"""A report on 5 systems, 500 topics and 10 MB of texts: how large the page is, how long it takes to make and to open.

    python benchmarks/report.py [--repeats N]

Opening is measured in Chromium, from the file to the finished view, against a page of the same size that holds nothing
but one long comment. Bounds: below 15 MB, nothing of the texts left out, open within a few seconds.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from _processes import verdict

import berrypick as bp
from berrypick.data.assemble import assemble
from berrypick.data.truth import TopicTruth, Truth

TOPICS, SYSTEMS, DOCUMENTS, LENGTH, DEPTH = 500, 5, 250, 40_000, 100
MEASURES = "EPRUM charR@5 AiP Coverage(budget=5000)"


def world() -> tuple[Truth, list[Any], dict[str, str]]:
    """Texts of made-up words, answers in them, and lists that find some."""
    import numpy as np

    draw = random.Random(1)
    words = ["".join(draw.choices("abcdefghijklmnop", k=draw.randint(2, 10))) for _ in range(30_000)]
    texts = {f"doc{i:03d}": " ".join(draw.choices(words, k=LENGTH // 6))[:LENGTH] for i in range(DOCUMENTS)}
    names = list(texts)
    topics: dict[str, TopicTruth] = {}
    for topic in range(TOPICS):
        starts = [draw.randrange(LENGTH - 2000) for _ in range(draw.randint(1, 5))]
        topics[f"q{topic}"] = TopicTruth(
            f"q{topic}", tuple(draw.choice(names) for _ in starts), np.ones(len(starts)),
            np.array(starts), np.array([start + draw.randrange(50, 1500) for start in starts]),
        )  # fmt: skip
    runs = []
    for system in range(SYSTEMS):
        rows: list[tuple[str, str, int]] = []
        for name, judged in topics.items():
            found = [(draw.choice(names), draw.randrange(LENGTH - 500)) for _ in range(DEPTH)]
            for document, start in zip(judged.document, judged.start.tolist(), strict=True):
                if draw.random() < 0.3 + 0.1 * system:
                    found[draw.randrange(20)] = (document, max(0, start - draw.randrange(200)))
            rows += [(name, document, start) for document, start in found]
        start = np.array([row[2] for row in rows])
        runs.append(
            assemble(tag=f"system-{system}", topic=[row[0] for row in rows], document=[row[1] for row in rows],
                     start=start, end=start + 400, duplicates="keep")
        )  # fmt: skip
    return Truth("spans", topics), runs, texts


def opened(path: Path, ready: str, repeats: int) -> list[float]:
    """Seconds from asking for a file to its being shown."""
    from playwright.sync_api import sync_playwright

    found = []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for _ in range(repeats):
            page = browser.new_page()
            begun = time.perf_counter()
            page.goto(path.as_uri())
            page.wait_for_selector(ready, state="attached")
            found.append(time.perf_counter() - begun)
            page.close()
        browser.close()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    chosen = parser.parse_args()
    if shutil.which("chromium") is None:
        print("left out: there is no Chromium")
        sys.exit(0)
    truth, runs, texts = world()
    with tempfile.TemporaryDirectory() as folder:
        page, blank = Path(folder) / "report.html", Path(folder) / "blank.html"
        begun = time.perf_counter()
        bp.evaluate(truth, runs, MEASURES, documents=texts, curves=True)
        evaluated = time.perf_counter() - begun
        begun = time.perf_counter()
        made = bp.write_report(truth, runs, MEASURES, documents=texts, html=page)
        took = time.perf_counter() - begun
        blank.write_text(f"<!doctype html><title>x</title><p id=done>done</p><!-- {'x' * made.size} -->")
        plain = opened(blank, "#done", chosen.repeats)
        shown = opened(page, "html[data-ready=yes]", chosen.repeats)
    size = sum(map(len, texts.values())) / 1e6
    print(f"{SYSTEMS} systems, {TOPICS} topics, {size:.0f} million characters: {made.size / 1e6:.1f} MB")
    print(f"  making it: {took / evaluated:.1f} times the time of the evaluation alone")
    print(f"  opening it: {min(shown):.2f} s ({min(shown):.2f} to {max(shown):.2f}), "
          f"{min(shown) / min(plain):.1f} times a page of its size with nothing on it")  # fmt: skip
    whole = made.topics == TOPICS and made.documents == DOCUMENTS
    verdict("below 15 MB with all texts", made.size < 15e6 and whole, f"{made.size / 1e6:.1f} MB")
    verdict("opens in a few seconds", min(shown) < 5, f"{min(shown):.2f} s")


if __name__ == "__main__":
    main()
