"""The document view and the reader view in a real browser, against the numbers of the library."""

from __future__ import annotations

import handmade
import numpy as np
import pytest
from report_pages import HOSTILE, Page

import berrypick as bp
from berrypick.data.reach import Reach
from berrypick.demo import campaign, video, web
from berrypick.kernels.poisson_binomial import number_seen
from berrypick.report.html.html_report import write_report

pytest.importorskip("vl_convert")

FILES = campaign.FOCUSED.files
SETTINGS = {"collection": FILES.path("collection"), "ignore_elements": campaign.LEFT_OUT}


def amounts(page, run):
    """Characters by class, as the legend has them."""
    return {
        kind: float(page.locator(f'td[data-class="{kind}"][data-run="{run}"]').get_attribute("data-amount"))
        for kind in ("found", "missed", "noise", "again", "unjudged")
    }


def documents_of(watched, topic, **state):
    page = watched.go(view="documents", topic=topic, **state)
    page.wait_for_selector(f'#view-documents[data-shown="{topic}"]')
    return page


def reader_of(watched, topic, **state):
    page = watched.go(view="reader", topic=topic, **state)
    page.wait_for_selector(f'#view-reader[data-shown="{topic}"]')
    return page


# --- documents --------------------------------------------------------------------------------------------------------


def test_amounts_are_those_of_the_library(watch, demonstration):
    per_topic = bp.evaluate(
        FILES.path("assessments.xml"), [FILES.path(run) for run in campaign.ELEMENTS], "charR charP charR@5 charP@5",
        **SETTINGS,
    ).per_topic()  # fmt: skip
    overview = Page(demonstration).overview
    watched = watch(demonstration)
    for topic in (0, 3, 9):
        name = overview["topics"][topic]
        for run, values in enumerate(per_topic.values()):
            page = documents_of(watched, topic, run=run, versus=(run + 1) % 4, rank=None)
            page.wait_for_selector(f'table.amounts[data-cut="all"] td[data-run="{run}"]')
            shown = amounts(page, run)
            assert shown["found"] / (shown["found"] + shown["missed"]) == pytest.approx(
                values["charR"][name], rel=1e-12
            )
            retrieved = shown["found"] + shown["noise"] + shown["unjudged"]
            assert shown["found"] / retrieved == pytest.approx(values["charP"][name], rel=1e-12)
            page = documents_of(watched, topic, run=run, rank=5)
            page.wait_for_selector(f'table.amounts[data-cut="5"] td[data-run="{run}"]')
            shown = amounts(page, run)
            assert shown["found"] / (shown["found"] + shown["missed"]) == pytest.approx(
                values["charR@5"][name], rel=1e-12
            )


def test_strips_badges_and_entry_points(watch, demonstration):
    told = Page(demonstration).topic(Page(demonstration).overview["topics"][0])
    page = documents_of(watch(demonstration), 0, run=1, versus=0, both=0)
    assert page.locator(".strip-row[data-doc]").count() >= sum(one["relevant"] > 0 for one in told["documents"])
    assert page.locator(".strip-flag[data-entry]").count() >= len(told["entries"])
    lines = page.locator('.strip-line[data-run="1"]')
    found = sum(float(lines.nth(i).get_attribute("data-found")) for i in range(lines.count()))
    assert found == told["runs"][1]["seen"]["relevant"]
    badge = page.locator(".strip-badge[data-ranks]").first
    badge.focus()
    page.wait_for_selector("#tip:not([hidden])")
    tip = page.locator("#tip").inner_text()
    rank = int(badge.get_attribute("data-ranks").split(",")[0].split("-")[0].split("\u2013")[0])
    start, end = next(row[2:4] for row in told["runs"][1]["results"] if row[0] == rank)
    assert str(rank) in tip and f"{start:,}" in tip and f"{end:,}" in tip


def test_text_is_marked_where_it_is_relevant_and_found(watch, demonstration):
    told = Page(demonstration).topic(Page(demonstration).overview["topics"][0])
    page = documents_of(watch(demonstration), 0, run=1, both=0, document=0)
    page.wait_for_selector(".text-pane mark")
    content = Page(demonstration).block(told["documents"][0]["block"])["text"]
    marks = page.eval_on_selector_all(
        ".text-pane mark", "all => all.map(one => [one.dataset.kind, +one.dataset.start, +one.dataset.end, "
        "one.cloneNode(true)].map(x => x instanceof Node ? (x.querySelectorAll('button,.text-badge,.text-flag')"
        ".forEach(b => b.remove()), x.textContent) : x))",
    )  # fmt: skip
    assert marks
    inside = np.zeros(len(content), dtype=bool)
    for doc, start, end in told["relevant"]:
        if doc == 0:
            inside[start:end] = True
    retrieved = np.zeros(len(content), dtype=bool)
    for row in told["runs"][1]["results"]:
        if row[1] == 0:
            retrieved[row[2] : row[3]] = True
    for kind, start, end, shown in marks:
        assert shown == content[start:end]
        expected = {"found": (True, True), "missed": (True, False), "noise": (False, True)}
        if kind in expected:
            assert inside[start:end].all() == expected[kind][0] and inside[start:end].any() == expected[kind][0]
            assert retrieved[start:end].all() == expected[kind][1]


def test_tree_leads_to_the_text(watch, demonstration):
    page = documents_of(watch(demonstration), 0, run=2, both=0, document=0)
    page.wait_for_selector('[role="treeitem"][data-path]')
    paths = page.eval_on_selector_all('[role="treeitem"]', "all => all.map(one => one.dataset.path)")
    assert paths[0] == "/article[1]" and len(paths) > 1
    page.locator('[role="treeitem"][data-path]').first.focus()
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.dataset.path") == paths[1]


def test_keys_go_through_topics_and_results(watch, demonstration):
    page = documents_of(watch(demonstration), 0, run=1)
    page.locator("#view-documents").click(position={"x": 5, "y": 5})
    page.keyboard.press("j")
    page.wait_for_selector('#view-documents[data-shown="1"]')
    page.keyboard.press("k")
    page.wait_for_selector('#view-documents[data-shown="0"]')
    page.keyboard.press("n")
    page.wait_for_selector(".text-here[data-here]", state="attached")


def test_links(watch, tmp_path):
    path = tmp_path / "web.html"
    runs = [web.FILES.path(run) for run in web.FILES.runs]
    write_report(web.FILES.path("answers.qrels"), runs, "EPRUM", navigation=web.FILES.path("clicks.tsv"), html=path)
    told = Page(path).topic(Page(path).overview["topics"][0])
    page = documents_of(watch(path), 0, run=1, both=0)
    names = [unit["name"] for unit in told["links"]["units"]]
    table = bp.read_navigation(web.FILES.path("clicks.tsv")).rows
    drawn = page.eval_on_selector_all(
        ".link[data-p]", "all => all.map(one => [+one.dataset.from, +one.dataset.to, +one.dataset.p])"
    )
    assert drawn
    assert all(table[names[int(a)], names[int(b)]] == pytest.approx(p) for a, b, p in drawn)
    ranked = page.locator('.unit-list[data-list="ranked"] .unit')
    assert ranked.count() == 8


def test_video_has_a_timeline(watch, tmp_path):
    path = tmp_path / "video.html"
    runs = [video.FILES.path(run) for run in video.FILES.runs]
    write_report(video.FILES.path("segments.jsonl"), runs, "EPRUM", effort="seconds", html=path,
                 collection=video.FILES.path("videos.tsv"))  # fmt: skip
    page = documents_of(watch(path), 0, run=2, both=0)
    assert "0:10:00" in page.locator("#view-documents").inner_text()
    seen = Page(path).topic(Page(path).overview["topics"][0])["runs"][2]["seen"]
    shown = amounts(page, 2)
    retrieved = shown["found"] + shown["noise"] + shown["unjudged"]
    assert (shown["found"], retrieved) == (seen["relevant"], seen["retrieved"])


def test_elements_without_places(watch, tmp_path):
    path = tmp_path / "paths.html"
    write_report(FILES.path("assessments.xml"), [FILES.path("runs/sections.xml")], "EPRUM", html=path)
    page = documents_of(watch(path), 0, run=0)
    assert page.locator('[role="treeitem"][data-path]').count() > 0


def test_long_documents_stay_quick(watch, tmp_path):
    """Of a million characters only those in sight are in the page."""
    rng = np.random.default_rng(3)
    text = "".join(rng.choice(list("abcdefghij \n"), size=1_000_000))
    truth = handmade.span_truth({"1": [("long", 500_000, 500_400), ("long", 999_000, 999_900)]})
    starts = np.sort(rng.choice(999_000, size=10_000, replace=False))
    run = handmade.span_run({"1": [("long", int(at), int(at) + 90) for at in rng.permutation(starts)]})
    path = tmp_path / "long.html"
    write_report(truth, run, "charR@5", documents={"long": text}, html=path, depth=10_000, readers="none")
    page = documents_of(watch(path), 0, run=0, document=0)
    page.wait_for_selector(".text-pane mark")
    assert page.evaluate("document.querySelectorAll('*').length") < 20_000
    assert page.evaluate("document.querySelector('.text-pane').textContent.length") < 200_000
    page.locator("[data-control=next-relevant]").first.click()
    page.wait_for_selector('.text-here[data-here="999000"]', state="attached")
    here = page.eval_on_selector_all(".text-pane mark", "all => all.map(one => +one.dataset.start)")
    assert any(start > 998_000 for start in here) and not any(start < 900_000 for start in here)


def test_characters_beyond_the_basic_plane(watch, tmp_path):
    text = "\U0001f353" * 10 + "the answer" + "\U0001f353" * 10
    path = tmp_path / "emoji.html"
    write_report(handmade.span_truth({"1": [("d", 10, 20)]}), handmade.span_run({"1": [("d", 12, 25)]}), "charR",
                 documents={"d": text}, html=path)  # fmt: skip
    page = documents_of(watch(path), 0, run=0, document=0)
    page.wait_for_selector('.text-pane mark[data-kind="missed"]')
    assert page.locator('.text-pane mark[data-kind="missed"]').inner_text() == "th"
    found = page.locator('.text-pane mark[data-kind="found"]')
    assert found.evaluate("one => one.lastChild.textContent") == "e answer"


# --- readers ----------------------------------------------------------------------------------------------------------


def test_what_a_reader_sees(watch, demonstration):
    overview = Page(demonstration).overview
    told = Page(demonstration).topic(overview["topics"][2])
    number = next(i for i, reader in enumerate(overview["readers"]) if reader["model"] == "hierarchy")
    reach = told["reach"][number][0][1]
    matrix = np.zeros((told["runs"][1]["ranks"], len(told["targets"])))
    matrix[np.array(reach["rank"]) - 1, reach["target"]] = reach["p"]
    watched = watch(demonstration)
    for rank in (1, 4, len(matrix)):
        page = reader_of(watched, 2, reader=number, value=0, run=1, both=0, rank=rank)
        page.wait_for_selector(f'.rank-text[data-rank="{rank}"]')
        row = page.locator('#view-reader tr[data-run="1"]:has(td[data-eprum])')
        assert float(row.locator("td[data-eprum]").get_attribute("data-eprum")) == pytest.approx(
            bp.eprum(matrix[:rank]).mean(), rel=1e-12
        )
        assert float(row.locator("td[data-final]").get_attribute("data-final")) == told["values"][number][0][1]
        seen = 1 - np.prod(1 - matrix[:rank], axis=0)
        shown = page.eval_on_selector_all(".cell[data-target], td[data-run][data-seen]",
                                          "all => all.map(one => +one.dataset.seen)")  # fmt: skip
        assert shown and all(min(abs(seen - value)) < 1e-12 for value in shown)
        law = number_seen(Reach.of(matrix[:rank]))[-1]
        bars = page.eval_on_selector_all(
            ".law-bar", "all => all.map(one => [+one.dataset.f, +(one.dataset.to || one.dataset.f), +one.dataset.p])"
        )
        assert bars
        for low, high, p in bars:
            assert p == pytest.approx(law[int(low) : int(high) + 1].sum(), abs=1e-12)
        assert f"After rank {rank} " in page.locator("[data-summary]").inner_text()


def test_one_target_is_seen_or_not(watch, tmp_path):
    path = tmp_path / "one.html"
    truth, run = handmade.span_truth({"1": [("d", 10, 20)]}), handmade.span_run({"1": [("d", 10, 25)]})
    write_report(truth, run, "charR", html=path)
    page = reader_of(watch(path), 0, run=0, rank=1)
    page.wait_for_selector('.rank-text[data-rank="1"]')
    said = page.locator("[data-summary]").inner_text()
    assert "has seen the only target with probability 1.00." in said and "average" not in said


def test_a_slider_changes_the_reader(watch, demonstration):
    overview = Page(demonstration).overview
    told = Page(demonstration).topic(overview["topics"][0])
    number = next(i for i, reader in enumerate(overview["readers"]) if reader["model"] == "t2i")
    watched = watch(demonstration)
    seen = set()
    for value in range(len(overview["readers"][number]["grid"])):
        page = reader_of(watched, 0, reader=number, value=value, run=0, both=0, rank=None)
        label = overview["readers"][number]["labels"][value]
        page.locator("[data-summary]", has_text=label).wait_for()
        final = float(page.locator("td[data-final]").first.get_attribute("data-final"))
        assert final == told["values"][number][value][0]
        seen.add(final)
    assert len(seen) > 1, "patience matters"


def test_stepping_by_keys(watch, demonstration):
    page = reader_of(watch(demonstration), 0, run=1, both=0, rank=2)
    page.wait_for_selector('.rank-text[data-rank="2"]')
    page.locator("#view-reader").click(position={"x": 5, "y": 5})
    page.keyboard.press("ArrowRight")
    page.wait_for_selector('.rank-text[data-rank="3"]')
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector('.rank-text[data-rank="2"]')
    page.locator("[data-control=play]").click()
    page.wait_for_selector('.rank-text[data-rank="4"]')
    page.locator("[data-control=play]").click()


# --- hostile ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    texts = {name: f"{name} {'x' * 40} {'long' * 30_000}" for name in HOSTILE}
    truth = handmade.span_truth({name: [(name, 0, 20)] for name in HOSTILE})
    lists = {name: [(name, 2, 30), (HOSTILE[0], 0, 4)] for name in HOSTILE[1:]}
    runs = [
        handmade.span_run(lists, tag=HOSTILE[0]),
        handmade.span_run({HOSTILE[0]: [(HOSTILE[1], 0, 9)]}, tag=HOSTILE[5]),
    ]
    path = tmp_path_factory.mktemp("hostile") / "hostile.html"
    write_report(truth, runs, "charR@5 EPRUM", html=path, documents=texts, title=HOSTILE[0],
                 titles={name: f"{name}?" for name in HOSTILE})  # fmt: skip
    return path


@pytest.mark.parametrize("width", [360, 1280])
def test_hostile_text_is_text(watch, hostile, width):
    watched = watch(hostile, viewport={"width": width, "height": 800})
    for view in ("overview", "curves", "topics"):
        page = watched.go(view=view)
        page.wait_for_selector(f"#view-{view}:not([hidden])")
        page.wait_for_timeout(200)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, view
    for topic in range(len(HOSTILE)):
        for show in (documents_of, reader_of):
            page = show(watched, topic)
            page.wait_for_timeout(50)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, topic
    assert page.evaluate("window.hurt") is None
    assert page.evaluate("document.querySelectorAll('img, iframe, object, embed').length") == 0
    assert page.evaluate("document.querySelectorAll('script:not([type]), script[type=module]').length") == 2


def test_unjudged_text_has_its_own_pattern(watch, tmp_path):
    texts = {"a": "word " * 40, "b": "text " * 40}
    truth = tmp_path / "truth.jsonl"
    truth.write_text(
        '{"topic": "q", "doc": "a", "start": 0, "end": 20}\n{"topic": "q", "doc": "a", "start": 20, "end": 35, '
        '"grade": 0}\n{"topic": "q", "doc": "b", "judged": true}\n'
    )
    run = {"q": [{"doc": "a", "start": 0, "end": 50}, {"doc": "b", "start": 0, "end": 30}]}
    path = tmp_path / "page.html"
    write_report(truth, run, "charP charJudged", html=path, documents=texts)
    page = documents_of(watch(path), 0)
    page.wait_for_selector('td[data-class="unjudged"]')
    shown = float(page.locator('td[data-class="unjudged"]').get_attribute("data-amount"))
    assert shown == 15
    assert 1 - shown / 80 == pytest.approx(bp.score("charJudged", truth, run))
    assert "18.8% of retrieved" in page.locator('td[data-class="unjudged"]').inner_text()
    drawn = page.locator(".strip-unjudged").evaluate_all("paths => paths.map((path) => path.getAttribute('d'))")
    assert [bool(path) for path in drawn] == [True, False]  # none in b, which was judged as a whole
    page.locator(".strip-badge").first.click()
    page.wait_for_selector("mark.text-unjudged")
    marked = page.locator("mark.text-unjudged").evaluate_all("marks => marks.map((mark) => mark.textContent).join('')")
    assert marked == texts["a"][35:50]
