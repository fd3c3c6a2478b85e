"""Pictures of the report page, taken of the demonstration by Chromium.

python docs/screenshots.py            write docs/pictures/report-*.png
python docs/screenshots.py FOLDER     write them into another folder
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from berrypick.demo import campaign
from playwright.sync_api import sync_playwright

#: What is shown, and in which colours.
SHOTS = {
    "report-documents": ("view=documents&topic=0&run=3&versus=2", "light"),
    "report-reader": ("view=reader&topic=0&run=2&versus=1&reader=1&rank=9", "dark"),
}
SIZE = {"width": 1160, "height": 860}
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]


def take(folder: Path) -> None:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        sys.exit("there is no Chromium to take pictures with (apt-get install chromium)")
    with tempfile.TemporaryDirectory() as place, sync_playwright() as driver:
        page_file = Path(place) / "report.html"
        campaign.write_page(page_file)
        browser = driver.chromium.launch(executable_path=chromium, args=QUIET)
        for name, (state, theme) in SHOTS.items():
            page = browser.new_page(viewport=SIZE, color_scheme=theme)
            page.goto(f"{page_file.as_uri()}#{state}")
            page.wait_for_selector(f"#view-{state.split('&')[0].partition('=')[2]}[data-shown]")
            page.wait_for_timeout(500)
            page.screenshot(path=folder / f"{name}.png")
            print(folder / f"{name}.png")
        browser.close()


if __name__ == "__main__":
    take(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "pictures")
