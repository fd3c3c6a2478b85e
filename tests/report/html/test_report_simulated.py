"""What simulated readers get, in a real browser: pictures to one scale, the same numbers as text, nothing unasked."""

from __future__ import annotations

import pytest
from report_pages import Page

from berrypick.demo import web
from berrypick.report.html.html_report import write_report

pytest.importorskip("vl_convert")

RUNS = [web.FILES.path(name) for name in ("exact.run", "hubs.run", "nearby.run")]


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    path = tmp_path_factory.mktemp("simulated") / "r.html"
    write_report(web.FILES.path("answers.qrels"), RUNS, "EPRUM AP PRUM", html=path, units=100, user="markov",
                 navigation=web.FILES.path("visits.sessions"), simulate=3000, resamples=100)  # fmt: skip
    return path


def shown(watch, report, **options):
    watched = watch(report, **options)
    page = watched.go(view="simulated")
    page.wait_for_selector("#view-simulated[data-shown]")
    return watched, page


def test_each_run_has_a_picture_and_the_same_numbers_as_text(watch, report):
    _, page = shown(watch, report)
    data = Page(report)
    twins = data.topic("strawberries")["simulated"][0]
    for run in (0, 1):
        section = page.locator(f".simulated-run[data-run='{run}']")
        assert section.locator("rect").count() == sum(share > 0 for share in twins[run]["bars"])
        assert section.locator("[data-fact=exact]").inner_text() == f"{twins[run]['value']:.4f}"
        assert section.locator("[data-fact=mean]").inner_text().startswith(f"{twins[run]['simulated']:.4f}")
        label = section.locator("svg[role=img]").get_attribute("aria-label")
        assert f"{twins[run]['simulated']:.4f}" in label and "get nothing" in label


def test_bars_are_as_tall_as_shares_and_on_one_scale(watch, report):
    _, page = shown(watch, report)
    twins = [Page(report).topic("strawberries")["simulated"][0][run] for run in (0, 1)]
    tallest = max(share for twin in twins for share in twin["bars"])
    for run, twin in enumerate(twins):
        bars = page.locator(f".simulated-run[data-run='{run}'] rect")
        heights = [float(bars.nth(i).get_attribute("height")) for i in range(bars.count())]
        assert heights == pytest.approx([90 * share / tallest for share in twin["bars"] if share])


def test_choosing_a_measure_a_topic_and_runs(watch, report):
    watched, page = shown(watch, report)
    options = page.locator("[data-control=simulated-measure] option")
    assert [options.nth(i).inner_text() for i in range(options.count())] == ["EPRUM", "PRUM"], "AP has no readers"
    page.select_option("[data-control=simulated-measure]", "1")
    page.wait_for_selector(".simulated-table[data-measure='1']")
    assert "all readers together" in page.locator(".simulated-run").first.inner_text()
    watched.go(topic=2, run=2)
    page.wait_for_selector("#view-simulated[data-shown='2']")
    shown_runs = page.eval_on_selector_all(".simulated-run", "all => all.map(one => one.dataset.run)")
    assert shown_runs == ["0", "2"], "the baseline is on the left"
    page.keyboard.press("j")
    page.wait_for_selector("#view-simulated[data-shown='3']")


def test_a_narrow_window_does_not_scroll_sideways(watch, report):
    _, page = shown(watch, report, viewport={"width": 360, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_nothing_is_simulated_unless_asked_for(watch, tmp_path):
    write_report(web.FILES.path("answers.qrels"), RUNS[:1], "ExpectedRatio", html=tmp_path / "r.html", resamples=100)
    page = watch(tmp_path / "r.html").page
    assert page.locator("#tab-simulated").count() == 0
    assert Page(tmp_path / "r.html").overview["simulated"] is None
    assert Page(tmp_path / "r.html").topic("strawberries")["simulated"] is None
