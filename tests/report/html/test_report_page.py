"""The report page in a real browser: every view shows the numbers of the library, and nothing is complained about."""

from __future__ import annotations

from dataclasses import replace

import pytest
import real_chunks
from made_once import made_once
from report_pages import Page

from berrypick.report.html.html_report import write_report

pytest.importorskip("vl_convert")


@pytest.fixture(scope="module")
def chunks(tmp_path_factory, data):
    """Real questions on real texts, three ways to cut these; many questions on a page are in test_report_context."""
    folder = data / "chunking-evaluation"
    if not folder.is_dir():
        pytest.skip(f"real data: {folder} is not there")
    truth, texts, asked = real_chunks.questions(folder)
    asked = dict(list(asked.items())[::4])
    truth = replace(truth, topics={topic: truth.topics[topic] for topic in asked})
    measures = "charR@5 IoU@5 EPRUM Coverage(budget=1000) Overlap@5"

    def make(folder):
        write_report(truth, real_chunks.runs(texts, asked), measures, documents=texts, titles=asked,
                     html=folder / "report.html", jobs=2, readers="window")  # fmt: skip

    return made_once(tmp_path_factory, "chunks", make) / "report.html"


@pytest.fixture(params=["demonstration", "chunks"])
def report(request):
    return request.getfixturevalue(request.param)


def numbers(page, selector, attribute="data-value"):
    """What elements carry, as numbers; None where it is empty."""
    found = page.eval_on_selector_all(selector, f"all => all.map(one => one.getAttribute('{attribute}'))")
    return [None if value in ("", None) else float(value) for value in found]


def test_overview(watch, report):
    overview = Page(report).overview
    page = watch(report).page
    assert page.locator("h1").inner_text() == overview["title"]
    cells = page.locator("#comparison td.estimate")
    assert cells.count() == len(overview["runs"]) * len(overview["measures"])
    for r, row in enumerate(overview["table"]):
        for m, cell in enumerate(row):
            shown = page.locator(f'#comparison td.estimate[data-run="{r}"][data-measure="{m}"]')
            assert float(shown.get_attribute("data-value")) == cell["value"]
            assert f"{cell['value']:.4f}" in shown.inner_text()
            letters = shown.locator("sup.letters")
            raised = letters.inner_text() if letters.count() else ""
            assert (
                "".join(cell["letters"]) == raised.replace("better than", "").replace(",", "").replace(" ", "").strip()
            )
    for told in overview["warnings"]:
        assert told["text"][:60] in page.locator("#warnings").text_content()
    assert page.locator("#measures details.measure").count() == len(overview["measures"])
    assert "piwowarski2006eprum" in page.locator("#measures").text_content()


def test_sorting(watch, report):
    overview = Page(report).overview
    page = watch(report).page
    values = [row[0]["value"] for row in overview["table"]]
    head = page.locator('#comparison th[data-measure="0"]')
    head.locator("button.sort").click()
    order = page.eval_on_selector_all("#comparison tr[data-run]", "all => all.map(row => +row.dataset.run)")
    down = [values[run] for run in order]
    head.locator("button.sort").click()
    order = page.eval_on_selector_all("#comparison tr[data-run]", "all => all.map(row => +row.dataset.run)")
    up = [values[run] for run in order]
    assert down == up[::-1] and up in (sorted(values), sorted(values, reverse=True))
    assert head.get_attribute("aria-sort") in ("ascending", "descending")


def test_curves(watch, report):
    overview = Page(report).overview
    page = watch(report).page
    page.locator('#tabs [data-view="curves"]').click()
    page.wait_for_selector(".chart svg")
    assert page.locator(".chart[data-curve]").count() == len(overview["curves"])
    for number, curve in enumerate(overview["curves"]):
        chart = page.locator(f'.chart[data-curve="{number}"]')
        assert chart.locator("svg").count() == 1
        assert curve["x_title"] in chart.text_content()
        line = curve["points"][0]
        x, y = line["x"][len(line["x"]) // 2], line["y"][len(line["x"]) // 2]
        card = page.locator(f'figure[data-curve="{number}"]')
        card.locator("summary").click()
        cell = card.locator(f'td[data-run="{line["run"]}"][data-x="{x:g}"]')
        assert float(cell.get_attribute("data-value")) == y and cell.inner_text() == f"{y:.4f}"
    legend = page.locator('#legend button[data-run="0"]')
    lines = page.locator(".chart svg path.mark-line, .chart svg .mark-line path").count()
    legend.click()
    page.wait_for_timeout(300)
    assert legend.get_attribute("aria-pressed") == "false"
    assert page.locator(".chart svg path.mark-line, .chart svg .mark-line path").count() < lines
    assert page.locator('#legend button[aria-pressed="true"]').count() == len(overview["runs"]) - 1


def test_topics(watch, report):
    overview = Page(report).overview
    page = watch(report).page
    page.locator('#tabs [data-view="topics"]').click()
    page.select_option("#topics-measure", "0")
    page.wait_for_selector("#topics-table tr[data-topic]")
    run, versus = int(page.input_value("#topics-run")), int(page.input_value("#topics-versus"))
    values = overview["values"][0]
    topics = page.eval_on_selector_all("#topics-table tr[data-topic]", "all => all.map(row => +row.dataset.topic)")
    assert sorted(topics) == list(range(len(overview["topics"])))
    differences = [values[run][topic] - values[versus][topic] for topic in topics]
    assert differences == sorted(differences, reverse=True)
    shown = numbers(page, "#topics-table td[data-difference]", "data-difference")
    assert shown == pytest.approx(differences, abs=1e-12)
    assert numbers(page, "#topics-mean")[0] == pytest.approx(sum(differences) / len(differences), abs=1e-9)
    page.locator("#topics-filter").fill(overview["topics"][-1])
    page.wait_for_timeout(300)
    assert 1 <= page.locator("#topics-table tr[data-topic]").count() < len(topics)
    page.locator("#topics-filter").fill("")
    page.wait_for_timeout(300)
    page.locator("#topics-table tr[data-topic] a").first.click()
    page.wait_for_selector("#view-documents:not([hidden])")
    assert f"topic={topics[0]}" in page.url


def test_keyboard(watch, demonstration):
    page = watch(demonstration).page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "skip"
    page.locator('#tabs [data-view="overview"]').focus()
    for view in ("curves", "topics", "documents", "reader"):
        page.keyboard.press("ArrowRight")
        page.wait_for_selector(f"#view-{view}:not([hidden])")
        assert page.evaluate("document.activeElement.dataset.view") == view
    page.keyboard.press("?")
    assert page.locator("dialog#help").is_visible()
    page.keyboard.press("Escape")
    assert not page.locator("dialog#help").is_visible()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_every_view_in_every_size_and_theme(watch, report, theme, width):
    watched = watch(report, viewport={"width": width, "height": 800}, color_scheme=theme)
    for view in ("overview", "curves", "topics", "documents", "reader"):
        page = watched.go(view=view, topic=0)
        page.wait_for_selector(f"#view-{view}:not([hidden])")
        page.wait_for_timeout(400)
        assert len(page.locator(f"#view-{view}").inner_text()) > 100
        assert page.evaluate("document.documentElement.scrollWidth") <= width, f"{view} is too wide"
        tab, bar = (page.locator(one).bounding_box() for one in (f'#tabs [data-view="{view}"]', "#tabs"))
        assert bar["x"] <= tab["x"] + 1 and tab["x"] + tab["width"] <= bar["x"] + bar["width"] + 1, (
            "the tab is in sight"
        )
        back, ink = page.evaluate(
            "() => [getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]"
        )
        assert contrast(back, ink) >= 7
        assert (luminance(back) < 0.2) == (theme == "dark")


def test_the_theme_can_be_chosen(watch, demonstration):
    page = watch(demonstration, color_scheme="light").page
    before = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.locator("#theme").click()
    assert luminance(page.evaluate("getComputedStyle(document.body).backgroundColor")) < 0.2 < luminance(before)


def test_printed(watch, demonstration):
    page = watch(demonstration).page
    page.emulate_media(media="print", color_scheme="dark")
    assert luminance(page.evaluate("getComputedStyle(document.body).backgroundColor")) > 0.9 or page.evaluate(
        "getComputedStyle(document.body).backgroundColor"
    ) in ("rgba(0, 0, 0, 0)", "transparent")
    assert page.pdf()[:5] == b"%PDF-"


def luminance(colour: str) -> float:
    """Of rgb(..), by WCAG 2."""
    parts = [float(part) / 255 for part in colour[colour.index("(") + 1 : -1].split(",")[:3]]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)
