"""Report pages of what is rare: names that programs stumble over, very many runs, short lists, nothing to draw."""

from __future__ import annotations

import random

import handmade
import pytest
from report_pages import Page

import berrypick as bp
from berrypick.report.html.html_report import write_report

pytest.importorskip("vl_convert")

#: Every object of JavaScript has something under these names.
INHERITED = ["constructor", "toString", "hasOwnProperty", "__proto__", "valueOf"]


def drawn_runs(names, topics, draw, depth=10):
    documents = [f"d{number}" for number in range(40)]
    return [handmade.document_run({topic: draw.sample(documents, depth) for topic in topics}, name) for name in names]


def judged(topics, draw):
    documents = [f"d{number}" for number in range(40)]
    return handmade.document_truth({topic: dict.fromkeys(draw.sample(documents, 6), 1.0) for topic in topics})


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """Eighty runs of equal names but for a number, and a baseline in the middle."""
    draw = random.Random(2)
    topics = [f"q{number}" for number in range(6)]
    path = tmp_path_factory.mktemp("many") / "report.html"
    runs = drawn_runs([f"a system with a long name, number {n:02}" for n in range(80)], topics, draw)
    write_report(judged(topics, draw), runs, "EPRUM nxCG@5", html=path, baseline=runs[30].tag, readers="none")
    return path


@pytest.fixture(scope="module")
def inherited(tmp_path_factory):
    draw = random.Random(1)
    path = tmp_path_factory.mktemp("inherited") / "r.html"
    write_report(judged(INHERITED, draw), drawn_runs(INHERITED, INHERITED, draw), "EPRUM nxCG@5",
                 html=path, titles=dict.fromkeys(INHERITED, "a title"))  # fmt: skip
    return path


@pytest.mark.parametrize("view", ["overview", "curves", "topics", "documents"])
def test_inherited_names(watch, inherited, view):
    page = watch(inherited).go(view=view, topic=0)
    page.wait_for_timeout(400)
    shown = page.locator(f"#view-{view}").inner_text()
    assert "could not be shown" not in shown
    assert view in ("topics", "documents") or all(name in shown for name in INHERITED)


def test_many_runs_leave_room_for_the_charts(watch, many):
    page = watch(many, viewport={"width": 1280, "height": 700}).go(view="curves")
    page.wait_for_selector(".chart svg")
    assert page.locator("#legend button").count() == 80
    page.locator(".chart").last.scroll_into_view_if_needed()
    page.mouse.wheel(0, 250)
    page.wait_for_timeout(200)
    bar = page.locator(".legend-bar").bounding_box()
    assert bar["y"] + bar["height"] < 350, "half of the window is left, however far one has scrolled"
    assert page.evaluate("(() => { const one = document.getElementById('legend'); "
                         "return one.scrollHeight > one.clientHeight; })()")  # fmt: skip


def visible(page):
    """The runs that the legend shows as pressed."""
    pressed = '#legend button[aria-pressed="true"]'
    return page.eval_on_selector_all(pressed, "all => all.map(one => Number(one.dataset.run))")


def test_of_many_runs_the_best_and_the_baseline_are_shown_at_first(watch, many):
    overview = Page(many).overview
    page = watch(many).go(view="curves")
    page.wait_for_selector(".chart svg")
    values = [row[0]["value"] for row in overview["table"]]
    best = sorted(range(80), key=lambda run: (-values[run], run))[:5]
    first = sorted({*best, overview["baseline"]})
    assert overview["baseline"] == 30 and visible(page) == first
    assert "Of 80 runs, the baseline and the 5 best by EPRUM are shown" in page.locator("#shown-at-first").inner_text()
    page.locator(f'#legend button[data-run="{first[0]}"]').click()
    page.wait_for_timeout(100)
    assert visible(page) == first[1:]
    page.get_by_role("button", name="Show all").click()
    page.wait_for_timeout(400)
    assert len(visible(page)) == 80
    page.reload()
    assert len(visible(page)) == 80, "the address keeps it"
    page.get_by_role("button", name="Show these").click()
    assert visible(page) == first


def test_counts_of_many_runs_are_folded(watch, many):
    page = watch(many).page
    assert page.locator("#run-counts tbody tr").count() == 80
    assert not page.locator("#run-counts").is_visible()
    assert page.locator("#evaluated").inner_text().count("\n") < 60


@pytest.mark.parametrize("ranks", [1, 2, 3, 9])
def test_ranks_are_whole_numbers(watch, tmp_path, ranks):
    draw = random.Random(3)
    topics = ["1", "2", "3"]
    write_report(
        judged(topics, draw), drawn_runs("ab", topics, draw, ranks), "ExpectedRatio@3", html=tmp_path / "r.html"
    )
    page = watch(tmp_path / "r.html").go(view="curves")
    page.wait_for_selector(".chart svg")
    labels = page.eval_on_selector_all(
        ".chart svg .mark-group.role-axis:has(text) .role-axis-label",
        "all => all.map(one => Array.from(one.querySelectorAll('text'), text => text.textContent))",
    )
    across = [shown for shown in labels if "." not in "".join(shown)]
    if ranks <= 3:
        assert across == [[str(rank) for rank in range(1, max(2, ranks) + 1)]]
    else:
        assert len(across) == 1 and across[0][0] == "1" and len(set(across[0])) == len(across[0])


@pytest.mark.parametrize("runs", ["a", "ab"])
def test_nothing_relevant(watch, tmp_path, runs):
    truth = handmade.document_truth({"1": {"d1": 0.0}, "2": {"d2": 0.0}})
    write_report(truth, drawn_runs(runs, ["1", "2"], random.Random(4)), "EPRUM nxCG@5", html=tmp_path / "r.html")
    watched = watch(tmp_path / "r.html")
    assert "no topic has a value" in watched.go(view="curves").locator("#no-curves").inner_text()
    page = watched.go(view="topics")
    page.wait_for_timeout(300)
    assert page.locator("#no-values").is_visible() and page.locator("#view-topics svg.marks").count() == 0


def test_overlap_is_no_warning(watch, tmp_path):
    truth = handmade.span_truth({str(topic): [("d", 0, 100)] for topic in range(12)})
    runs = [
        handmade.span_run({str(topic): [("d", 0, 50), ("d", 50 - again, 90)] for topic in range(12)}, tag)
        for tag, again in (("x", 0), ("y", 25))
    ]
    made = write_report(truth, runs, "charR@1", html=tmp_path / "r.html")
    overview = Page(tmp_path / "r.html").overview
    assert [run["overlap"] for run in overview["runs"]] == [0.0, pytest.approx(25 / 115, abs=1e-4)]
    assert not any("Overlap" in told["text"] for told in overview["warnings"])
    assert [str(note) for note in made.notes if note.kind == "overlap"] == [
        "y: 21.7% of the retrieved material repeats earlier results (Overlap)"
    ]
    page = watch(tmp_path / "r.html").page
    assert "0.2174" in page.locator("#run-counts").inner_text()
    assert not page.locator("#warnings").count() or "Overlap" not in page.locator("#warnings").inner_text()


def test_six_measures_fit_and_more_are_hinted_at(watch, tmp_path):
    draw = random.Random(5)
    topics = [str(topic) for topic in range(12)]
    truth, runs = judged(topics, draw), drawn_runs(["a system", "another system"], topics, draw)
    six = "EPRUM AP nxCG@10 ExpectedRatio@3 ExpectedRatio@10 epgr@0.5"
    write_report(truth, runs, six, html=tmp_path / "six.html")
    page = watch(tmp_path / "six.html").page
    room = "(() => { const box = document.getElementById('comparison').closest('.wide'); "
    assert page.evaluate(room + "return box.scrollWidth - box.clientWidth; })()") <= 1
    write_report(truth, runs, six + " P@1 P@2 P@3 P@4 P@5", html=tmp_path / "more.html")
    page = watch(tmp_path / "more.html").page
    assert page.evaluate(room + "return box.scrollWidth > box.clientWidth + 100; })()")
    hint = page.evaluate(room + "return getComputedStyle(box).backgroundAttachment; })()")
    assert hint == "local, local, scroll, scroll", "a shadow that goes away at the end"


def test_what_a_least_score_trades_is_drawn(watch, tmp_path):
    """A picture with a name, and the same numbers as a table; nothing where there is nothing to trade."""
    truth = {"q1": {"a": 1}, "q2": {"b": 1}, "q8": None, "q9": None}
    runs = {
        "one": {"q1": {"a": 0.9}, "q2": {"b": 0.4}, "q9": {"a": 0.5}},
        "<b>two": {"q1": {"a": 2.0}, "q8": {"b": 1.0}},
    }
    write_report(truth, runs, "Abstained Answered", html=tmp_path / "r.html", readers="none")
    page = watch(tmp_path / "r.html").go(view="overview")
    picture = page.get_by_role("img", name="Abstained (of 2 topics without an answer) against Answered")
    assert picture.locator("polyline").count() == 2 and picture.locator("circle").count() == 4 + 3
    page.locator("#trade-off summary").click()
    rows = [row.split() for row in page.locator("#trade-off-numbers tbody tr").all_inner_texts()]
    expected = [(p.run, p.abstained, p.answered) for p in bp.abstention(truth, runs).points]
    assert [(row[-4], float(row[-2]), float(row[-1])) for row in rows] == expected
    write_report({"q1": {"a": 1}}, {"one": runs["one"]}, "Answered", html=tmp_path / "s.html", readers="none")
    assert watch(tmp_path / "s.html").go(view="overview").locator("#trade-off").count() == 0
