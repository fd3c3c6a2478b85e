"""The documentation as a site: its home, its search from the file system, dark, and on a phone."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from made_once import made_once

ROOT = Path(__file__).resolve().parents[2]
PHONE = {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("zensical", reason="the site: zensical comes with the dependency group site")

    def build(folder: Path) -> None:
        command = [sys.executable, ROOT / "docs/site.py", folder / "site"]
        built = subprocess.run(command, capture_output=True, text=True, check=False)
        assert built.returncode == 0, built.stdout + built.stderr

    return made_once(tmp_path_factory, "site", build) / "site"


def test_the_site_is_built_without_a_broken_link(site: Path) -> None:
    page = (site / "reference/measures/EPRUM.html").read_text("utf-8")
    assert "Expected precision at a recall value" in page
    assert "EPRUM" in (site / "search.json").read_text("utf-8")
    for name in ("index", "changelog", "contributing", "glossary", "reference/cli/evaluate", "reference/api/evaluate"):
        assert (site / f"{name}.html").exists(), name
    asked = re.findall(r"<(?:script|link|img)[^>]+(?:src|href)=\"?(https?://[^\s\">]+)", page)
    assert asked == []


class Tab:
    """A page of the site, opened as a file, and what it asked of the network or complained about."""

    def __init__(self, browser: Any, address: str, **settings: Any) -> None:
        self.page = browser.new_page(**settings)
        self.complaints: list[str] = []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", self._asked)
        self.page.goto(address)

    def _asked(self, request: Any) -> None:
        if not request.url.startswith(("file:", "data:", "blob:")):
            self.complaints.append(request.url)


@pytest.fixture
def tab(chromium: Any, site: Path):
    opened: list[Tab] = []

    def open_page(name: str, **settings: Any) -> Any:
        opened.append(Tab(chromium, (site / name).as_uri(), **settings))
        return opened[-1].page

    yield open_page
    for one in opened:
        one.page.close()
        assert one.complaints == []


def test_programs_find_a_map_and_the_markdown_of_each_page(site: Path) -> None:
    links = re.findall(r"\]\(([^)#\s]+)", (site / "llms.txt").read_text("utf-8"))
    assert len(links) > 10 and all((site / link).exists() for link in links if "://" not in link)
    pages = [page for page in site.rglob("*.html") if page.name != "404.html"]
    assert [page for page in pages if not page.with_suffix(".md").exists()] == []


def test_the_home_has_code_its_output_and_a_picture_on_the_first_screen(tab: Any) -> None:
    page = tab("index.html", viewport={"width": 1280, "height": 900})
    for found in ("text=pip install .", "text=0.8855", "text=Three large chunks"):
        box = page.locator(found).first.bounding_box()
        assert box["y"] + box["height"] < 900, found
    picture = page.locator("img[src$='report-documents.png']")
    assert picture.bounding_box()["y"] < 850
    assert picture.evaluate("one => one.naturalWidth") > 0


def test_search_works_from_the_file_system(tab: Any) -> None:
    page = tab("how-to/chunks.html", viewport={"width": 1280, "height": 900})
    page.keyboard.press("Control+k")
    page.keyboard.type("Passage2AP")
    page.locator("a[href*='Passage2AP.html?h=']").first.wait_for(timeout=20_000)


def test_it_is_dark_where_the_reader_wants_it(tab: Any) -> None:
    grounds = []
    for scheme in ("light", "dark"):
        page = tab("index.html", color_scheme=scheme)
        grounds.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    light, dark = ([int(part) for part in re.findall(r"\d+", ground)[:3]] for ground in grounds)
    assert min(light) > 200 and max(dark) < 60


def test_formulas_are_set_and_fit_a_phone(tab: Any) -> None:
    for name, formulas in (("EPRUM", 3), ("epnav", 3), ("T2I", 1), ("GRP", 1)):
        page = tab(f"reference/measures/{name}.html", viewport=PHONE)
        page.wait_for_selector(".formula .katex-html")
        assert page.locator(".formula .katex-display").count() == formulas, name
        assert page.locator(".katex-error").count() == 0, name
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], name
        wide = "[...document.querySelectorAll('.formula')].filter(one => one.scrollWidth > one.clientWidth + 1)"
        assert page.evaluate(f"{wide}.every(one => one.tabIndex === 0)"), name


def test_words_of_ours_link_to_the_glossary_once(site: Path) -> None:
    page = (site / "how-to/compare.html").read_text("utf-8")
    links = re.findall(r"<a href=\"?\.\./glossary\.html#([\w-]+)\"?>(\w[\w -]*)</a>", page)
    assert ("run", "run") in links and len({anchor for anchor, _ in links}) == len(links)
    headings = re.findall(r"^### (.+)$", (ROOT / "docs/glossary.md").read_text("utf-8"), re.MULTILINE)
    assert {anchor.replace("-", " ") for anchor, _ in links} <= {one.lower().replace("-", " ") for one in headings}
    assert "glossary.md" not in (site / "how-to/compare.md").read_text("utf-8"), "not in the Markdown for programs"


def test_every_formula_of_a_measure_has_its_tex() -> None:
    """The pages show the text of the docstrings; a formula that is changed there is to be changed here as well."""
    known = json.loads((ROOT / "docs/formulas.json").read_text("utf-8"))
    found: set[str] = set()
    for page in (ROOT / "docs/reference/measures").glob("*.md"):
        part = re.search(r"^## Formula$(.*?)^## ", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)
        found |= {*re.findall(r"^```text\n(.*?)\n```$", part[1] if part else "", re.MULTILINE | re.DOTALL)}
    assert found == known.keys()
