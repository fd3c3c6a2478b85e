"""A real Chromium, and pages that are watched: nothing may be complained about, nothing may be asked of a network."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from made_once import made_once

#: Without these, Chromium talks to its maker at every start.
QUIET = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip

WINDOW = {"width": 1280, "height": 900}


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
    from berrypick.demo import campaign

    return made_once(tmp_path_factory, "demonstration", lambda folder: campaign.write_page(folder / "report.html")) / (
        "report.html"
    )


class Watched:
    """A page in the browser, and everything it complained about or asked for."""

    def __init__(self, tab: Any, path: Path, viewport: Any = WINDOW, color_scheme: str = "light") -> None:
        self.page = tab
        self.complaints: list[str] = []
        self.listeners = {
            "console": lambda message: self.complaints.append(f"{message.type}: {message.text}"),
            "pageerror": lambda error: self.complaints.append(f"error: {error}"),
            "dialog": lambda dialog: (self.complaints.append("dialog"), dialog.dismiss()),
            "request": self._asked,
        }
        for event, listener in self.listeners.items():
            tab.on(event, listener)
        tab.set_viewport_size(viewport)
        tab.emulate_media(media="screen", color_scheme=color_scheme)
        self.address = path.resolve().as_uri()
        tab.goto(self.address)

    def _asked(self, request: Any) -> None:
        if request.url.partition("#")[0] != self.address and not request.url.startswith(("data:", "blob:")):
            self.complaints.append(f"request: {request.url}")

    def go(self, **state: Any) -> Any:
        """Change the page's address, as a link would, and wait until it is shown; another topic has other documents."""
        topic = {"document": None, "rank": None} if "topic" in state else {}
        self.page.evaluate(
            """async (changes) => {
                const address = new URLSearchParams(location.hash.slice(1));
                for (const [name, value] of Object.entries(changes)) {
                    if (value === null) address.delete(name);
                    else address.set(name, value);
                }
                const before = location.href;
                const shown = new Promise((done) => window.addEventListener('hashchange', () =>
                    requestAnimationFrame(() => requestAnimationFrame(done)), { once: true }));
                location.hash = address;
                // pages in the background draw no frames
                if (location.href !== before) await Promise.race([shown, new Promise((done) => setTimeout(done, 500))]);
            }""",
            {**topic, **state},
        )
        self.page.wait_for_timeout(50)
        return self.page

    def leave(self) -> None:
        """Nothing of this page is there for the next one in its tab."""
        self.page.evaluate("localStorage.clear()")
        for event, listener in self.listeners.items():
            self.page.remove_listener(event, listener)
        self.page.goto("about:blank")


@pytest.fixture(scope="session")
def tabs(chromium) -> list[Any]:
    """Tabs that show nothing: starting one costs more than three report pages do."""
    return []


@pytest.fixture
def watch(chromium, tabs) -> Iterator[Any]:
    """Open a page; at the end of the test it must have been quiet."""
    opened: list[Watched] = []

    def show(path: Path, **options: Any) -> Watched:
        opened.append(Watched(tabs.pop() if tabs else chromium.new_page(), path, **options))
        return opened[-1]

    yield show
    for one in opened:
        one.leave()
        tabs.append(one.page)
    assert [one.complaints for one in opened] == [[] for _ in opened]
