"""Pictures of the report, taken by Chromium: of README's example, the demonstration, and the panel on lost answers.

python docs/screenshots.py            write docs/pictures/report-*.png
python docs/screenshots.py FOLDER     write them into another folder
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from pathlib import Path

import berrypick as bp
from berrypick.demo import campaign
from playwright.sync_api import sync_playwright

CHUNKS = Path(__file__).parent / "examples" / "chunks"
#: The report, what of it is shown, and in which colours.
SHOTS = {
    "report-documents": ("chunks", "view=documents&topic=0&run=1&versus=0&rank=2", "light"),
    "report-reader": ("campaign", "view=reader&topic=0&run=2&versus=1&reader=1&rank=9", "dark"),
}
#: The example of docs/how-to/diagnose.md, without the quote that is not in the documents.
EXAMPLES = Path(__file__).parent / "examples"
LOST = "report-lost"
SIZE = {"width": 1160, "height": 1120}
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]


def take(folder: Path) -> None:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        sys.exit("there is no Chromium to take pictures with (apt-get install chromium)")
    with tempfile.TemporaryDirectory() as place, sync_playwright() as driver:
        campaign.write_page(Path(place) / "campaign.html")
        write_chunks(Path(place) / "chunks.html")
        browser = driver.chromium.launch(executable_path=chromium, args=QUIET)
        for name, (report, state, theme) in SHOTS.items():
            page = browser.new_page(viewport=SIZE, color_scheme=theme)
            page.goto(f"{(Path(place) / report).with_suffix('.html').as_uri()}#{state}")
            page.wait_for_selector(f"#view-{state.split('&')[0].partition('=')[2]}[data-shown]")
            page.wait_for_timeout(500)
            page.screenshot(path=folder / f"{name}.png")
            print(folder / f"{name}.png")
        lost = Path(place) / "lost.html"
        write_lost(lost)
        page = browser.new_page(viewport=SIZE, color_scheme="light")
        page.goto(lost.as_uri())
        page.locator('.lost-part[data-class="lost"]').first.click()
        page.locator("#panel-lost_answers").screenshot(path=folder / f"{LOST}.png")
        print(folder / f"{LOST}.png")
        browser.close()


def write_chunks(file: Path) -> None:
    """Write the report of README's example: chunks of 100 and of 400 characters."""
    runs = {size: str(CHUNKS / f"{size}.jsonl") for size in ("100", "400")}
    titles = json.loads((CHUNKS / "questions.json").read_text(encoding="utf-8"))
    bp.write_report(
        str(CHUNKS / "truth.jsonl"), runs, "charR@3 charP@3", documents=str(CHUNKS / "texts"), titles=titles,
        html=file, title="Growing raspberries",
    )  # fmt: skip


def write_lost(path: Path) -> None:
    """Write the report of a pipeline of three stages."""
    why = EXAMPLES / "why"
    rows = map(json.loads, (why / "truth.jsonl").read_text(encoding="utf-8").splitlines())
    truth = [row for row in rows if row["topic"] != "frost"]
    runs = [why / f"{stage}.jsonl" for stage in ("first", "reranked", "context")]
    bp.write_report(truth, runs, "charR@2", html=path, stages=True, k=2, share=0.75, chunks=why / "chunks.jsonl",
                    documents=EXAMPLES / "chunks" / "texts", quotes="normalised")  # fmt: skip


if __name__ == "__main__":
    take(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "pictures")
