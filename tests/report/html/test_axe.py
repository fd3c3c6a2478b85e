"""axe finds nothing on any page that berrypick writes: every view of a report, judging pages, leaderboards, histories.

axe-core comes with a package of the test group; it is put into the page, whose policy lets it run for the test alone.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from track_world import World

import berrypick as bp
from berrypick.documents.pages.page_pictures import _png

SIZE = [600, 800]
TEXT = "".join(f"Sentence number {i} about berries and canes. " for i in range(60))


def report_of_text(folder: Path) -> Path:
    """Texts, two runs, two groups, notes, stages of lost answers, simulated readers."""
    kinds, truth, runs = ("short", "long"), [], {"one": [], "two": []}
    for i in range(6):
        doc, start = f"d{i % 2}", 99 * i
        asked = {"topic": str(i), "question": f"What is {i}?", "kind": kinds[i % 2]}
        truth.append({**asked, "doc": doc, "start": start, "end": start + 80})
        for by, found in ((5, runs["one"]), (30, runs["two"])) if i < 5 else ():
            for j in range(3):
                place = {"doc": doc, "start": start + by * j, "end": start + 100}
                found.append({"topic": str(i), **place, "score": 9 - j, "latency": 0.1})
    options = {"documents": {"d0": TEXT, "d1": TEXT * 2}, "by": "kind", "user": "t2i(tolerance=100)", "simulate": 100}
    bp.write_report(truth, runs, "charR@3 EPRUM Enough@3", html=folder / "text.html", command="berrypick ..", **options)
    return folder / "text.html"


def report_of_sessions(folder: Path) -> Path:
    step = {"doc": "src/a.py", "start_line": 1, "end_line": 30, "tool": "Read", "tokens": 12, "seconds": 1.5}
    truth = [{"topic": str(i), "doc": "src/a.py", "start_line": 11, "end_line": 20} for i in range(5)]
    runs = {"agent": [{"topic": str(i), "rank": rank, **step} for i in range(5) for rank in range(1, 31)]}
    bp.write_report(truth, runs, "StepAUC CostAt(cost='tokens')", html=folder / "sessions.html")
    return folder / "sessions.html"


def report_of_pages(folder: Path) -> Path:
    (folder / "pictures" / "a").mkdir(parents=True)
    (folder / "pictures" / "a" / "1.png").write_bytes(_png(np.full((80, 60, 3), 250, dtype=np.uint8)))
    where = {"topic": "q", "doc": "a.pdf", "page": 1, "page_size": SIZE}
    truth = [{**where, "box": [10, 10, 90, 60], "grade": 1}, {**where, "box": [10, 100, 90, 160], "grade": 0}]
    runs = {name: [{**where, "box": [20, 20, 300, end], "rank": 1}] for name, end in (("one", 50), ("two", 500))}
    bp.write_report(truth, runs, "charR charP", html=folder / "pages.html", pages=folder / "pictures")
    return folder / "pages.html"


def report_of_documents(folder: Path) -> Path:
    """Whole documents, links between them, topics without an answer."""
    truth = [*({"topic": str(i), "doc": "a"} for i in range(4)), {"topic": "none", "answer": None}]
    topics = ("0", "1", "2", "none")
    runs = {name: {topic: {"b": 2.0, "a": score} for topic in topics} for name, score in (("one", 1.0), ("two", 3.0))}
    (folder / "clicks.tsv").write_text("b\ta\t0.4\na\tb\t0.2\n")
    measures, html = "RR EPRUM Abstained Answered", folder / "documents.html"
    bp.write_report(truth, runs, measures, html=html, navigation=folder / "clicks.tsv")
    return folder / "documents.html"


def judging_text(folder: Path) -> Path:
    run = {"q": [{"doc": "d", "start": at, "end": at + 40} for at in (0, 100, 300)]}
    bp.annotate(bp.pool(run, {"d": TEXT}, titles={"q": "Where are the canes?"}), html=folder / "judge.html")
    return folder / "judge.html"


def judging_boxes(folder: Path) -> Path:
    task = {
        "topic": "q",
        "doc": "a.pdf",
        "page": 1,
        "boxes": [[60, 80, 300, 160], [80, 90, 99, 120]],
        "page_size": SIZE,
    }
    (folder / "tasks.jsonl").write_text(json.dumps(task) + "\n")
    bp.annotate(folder / "tasks.jsonl", html=folder / "boxes.html")
    return folder / "boxes.html"


def leaderboard(folder: Path) -> Path:
    world = World(folder)
    runs = [world.run(f"{team}.jsonl", f"{team}-1", end) for team, end in (("ana", 40), ("bo", 20))]
    bp.track(world.track, runs, folder=folder / "official")
    return folder / "official" / "leaderboard.html"


def history(folder: Path) -> Path:
    truth = {str(i): {"a": 1} for i in range(10)}
    for hits in (3, 6):
        runs = {"base": {str(i): {"a" if i < 4 else "b": 1.0} for i in range(10)},
                f"run-{hits}": {str(i): {"a" if i < hits else "b": 1.0} for i in range(10)}}  # fmt: skip
        bp.compare(truth, runs, "RR", ledger=folder / "ledger.jsonl")
    bp.history(folder / "ledger.jsonl").write_html(folder / "history.html")
    return folder / "history.html"


PAGES = (report_of_text, report_of_sessions, report_of_pages, report_of_documents, judging_text, judging_boxes,
         leaderboard, history)  # fmt: skip


@pytest.fixture(scope="module")
def axe() -> str:
    package = pytest.importorskip("axe_playwright_python", reason="axe: pip install axe-playwright-python")
    return (Path(package.__file__).parent / "axe.min.js").read_text(encoding="utf-8")


def violations(page) -> list[str]:
    """What axe finds on a page as it is, with the first element of each kind."""
    found = page.evaluate("axe.run({resultTypes: ['violations']})")["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in found]


@pytest.mark.parametrize(("width", "theme"), [(1440, "light"), (390, "dark")])
@pytest.mark.parametrize("make", PAGES, ids=lambda make: make.__name__)
def test_no_violations(chromium, axe, tmp_path_factory, make, width, theme):
    path = make(tmp_path_factory.mktemp("axe"))
    context = chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=theme, bypass_csp=True)
    try:
        page = context.new_page()
        page.goto(path.as_uri())
        page.evaluate(axe)
        views = page.eval_on_selector_all("#tabs [data-view]", "all => all.map(one => one.dataset.view)")
        found = {}
        for view in views or [""]:
            if view:
                page.locator(f'#tabs [data-view="{view}"]').click()
                page.wait_for_selector(f"#view-{view}:not([hidden]) > *")
                page.wait_for_timeout(400)
            page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
            page.wait_for_timeout(100)
            found[view] = violations(page)
        assert found == {view: [] for view in views or [""]}
    finally:
        context.close()


def test_axe_finds_faults(chromium, axe):
    """The test would not notice an axe that does not run."""
    page = chromium.new_page()
    try:
        page.set_content("<html><title>x</title><img src='data:,'><p style='color:#bbb;background:#fff'>pale</p>")
        page.evaluate(axe)
        assert {one.partition(":")[0] for one in violations(page)} >= {"image-alt", "color-contrast", "html-has-lang"}
    finally:
        page.close()
