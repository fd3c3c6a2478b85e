"""A real Chromium, and pages that are watched: nothing may be complained about, nothing may be asked of a network."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from berrypick.demo import campaign

#: Without these, Chromium talks to its maker at every start.
QUIET = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    place = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if place is None:
        pytest.skip("browser tests: there is no Chromium (apt-get install chromium)")
    playwright = pytest.importorskip("playwright.sync_api", reason="browser tests: playwright is not installed")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=place, args=QUIET)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def demonstration(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report page of the bundled campaign."""
    path = tmp_path_factory.mktemp("demonstration") / "report.html"
    campaign.write_page(path)
    return path


class Watched:
    """A page in the browser, and everything it complained about or asked for."""

    def __init__(self, chromium: Any, path: Path, **options: Any) -> None:
        self.context = chromium.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        self.page = self.context.new_page()
        self.complaints: list[str] = []
        self.page.on("console", lambda message: self.complaints.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        self.page.on("dialog", lambda dialog: (self.complaints.append("dialog"), dialog.dismiss()))
        self.page.on("request", self._asked)
        self.address = path.resolve().as_uri()
        self.page.goto(self.address)

    def _asked(self, request: Any) -> None:
        if request.url.partition("#")[0] != self.address and not request.url.startswith(("data:", "blob:")):
            self.complaints.append(f"request: {request.url}")

    def go(self, **state: Any) -> Any:
        """Change the page's state, and wait until it is shown."""
        self.page.evaluate("changes => window.berry.go(changes)", state)
        self.page.wait_for_timeout(50)
        return self.page

    def done(self) -> None:
        self.context.close()
        assert self.complaints == []


@pytest.fixture
def watch(chromium) -> Iterator[Any]:
    """Open a page; at the end of the test it must have been quiet."""
    opened: list[Watched] = []

    def show(path: Path, **options: Any) -> Watched:
        opened.append(Watched(chromium, path, **options))
        return opened[-1]

    yield show
    for one in opened:
        one.done()
