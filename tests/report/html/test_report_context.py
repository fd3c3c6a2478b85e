"""The results as a model would read them, who finds what, groups, many runs: in a real browser."""

from __future__ import annotations

import json

import pytest
from report_pages import Page

from berrypick.report.html.html_report import write_report

pytest.importorskip("vl_convert")

ARABIC = "هذا نص عربي طويل يتحدث عن القانون والعقود والشروط التي تلزم الأطراف. "
CHINESE = "合同双方应当遵守本条款的规定并在通知期限内以书面形式提出异议。"
TEXTS = {
    "en.txt": "Notice is due within ten days. " * 20
    + "Refunds take \U0001f60a five working days. "
    + "Nothing else. " * 20,
    "ar.txt": ARABIC * 30,
    "zh.txt": CHINESE * 30,
    "large.txt": "A long document goes on and on. " * 31_250,  # a megabyte
}
QUESTION = (
    "Which clause says how long the notice period is, and " + "does it cover the subsidiaries, and " * 8 + "the rest?"
)
AT = TEXTS["en.txt"].index("Refunds")
SPANS = {
    "1": ("en.txt", AT, AT + 41),
    "2": ("ar.txt", 700, 760),
    "3": ("zh.txt", 300, 330),
    "4": ("large.txt", 9e5, 9e5 + 90),
}
NAMES = [f"pipeline-with-embedding-v{i:02d}-large" for i in range(20)]


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    folder = tmp_path_factory.mktemp("context")
    truth = [
        {"topic": topic, "doc": doc, "start": start, "end": end, "language": doc[:2]}
        for topic, (doc, start, end) in SPANS.items()
    ]
    truth += [{"topic": f"t{i}", "doc": "en.txt", "start": i, "end": i + 5} for i in range(496)]
    runs = {}
    for number, name in enumerate(NAMES):
        runs[name] = {
            "1": [("en.txt", AT - 100, AT + 20), ("en.txt", AT - 20, AT + 100)] if number < 5 else [("en.txt", 0, 90)],
            "2": [("ar.txt", 650, 750)] if number == 1 else [("ar.txt", 0, 50)],
            "3": [("zh.txt", 290, 320), ("zh.txt", 0, 40)],
            "4": [("large.txt", 899_900, 900_100), ("large.txt", 5, 30_005)],
        }
    files = []
    for name, lists in runs.items():
        files.append(folder / f"{name}.jsonl")
        files[-1].write_text(
            "".join(
                json.dumps({"topic": topic, "doc": doc, "start": start, "end": end, "rank": rank}) + "\n"
                for topic, spans in lists.items()
                for rank, (doc, start, end) in enumerate(spans, start=1)
            )
        )
    (folder / "truth.jsonl").write_text("".join(json.dumps(line) + "\n" for line in truth))
    write_report(
        folder / "truth.jsonl", files, "charR spanHit", documents=TEXTS, html=folder / "page.html", by="language",
        titles=dict.fromkeys(SPANS, QUESTION), readers="none", resamples=100,
    )  # fmt: skip
    return folder / "page.html"


def shown(watched, topic, **state):
    page = watched.go(view="context", topic=topic, **state)
    page.wait_for_selector(f'#view-context[data-shown="{topic}"]')
    return page


def test_results_stand_in_rank_order_with_what_is_relevant_marked(watch, report):
    page = shown(watch(report), 0, run=0, both=0)
    texts = page.locator(".context-column .context-list").first.locator(".context-text")
    expected = [TEXTS["en.txt"][AT - 100 : AT + 20], TEXTS["en.txt"][AT - 20 : AT + 100]]
    assert [text.replace("\n", "") for text in texts.all_text_contents()] == expected
    marks = page.locator(".context-text mark")
    assert (
        marks.all_text_contents()
        == [
            TEXTS["en.txt"][AT : AT + 20],  # found by the first
            TEXTS["en.txt"][AT - 20 : AT],  # irrelevant, a second time
            TEXTS["en.txt"][AT : AT + 20],  # found, a second time
            TEXTS["en.txt"][AT + 20 : AT + 41],  # found by the second
        ]
    )
    kinds = [mark.get_attribute("class") for mark in marks.all()]
    assert kinds == ["text-found", "text-noise text-again", "text-found text-again", "text-found"]
    assert page.locator('[data-list="missed"]').count() == 0


def test_what_no_result_holds_is_shown_below(watch, report):
    page = shown(watch(report), 0, run=7, both=0)
    missed = page.locator('[data-list="missed"] mark.text-missed')
    assert missed.all_text_contents() == [TEXTS["en.txt"][AT : AT + 41]]


def test_right_to_left_and_ideographs(watch, report):
    watched = watch(report)
    page = shown(watched, 1, run=1, both=0)
    assert page.locator(".context-text mark.text-found").all_text_contents() == [TEXTS["ar.txt"][700:750]]
    assert page.evaluate("getComputedStyle(document.querySelector('.context-text .text-block')).direction") == "rtl"
    page = shown(watched, 2, run=1, both=0)
    assert page.locator(".context-text mark.text-found").first.text_content() == TEXTS["zh.txt"][300:320]


def test_a_long_result_of_a_long_document_says_what_is_not_shown(watch, report):
    page = shown(watch(report), 3, run=0, both=0)
    texts = page.locator(".context-text")
    assert texts.count() == 2 and "and 10,000 more characters" in texts.nth(1).inner_text()


def test_two_runs_stand_side_by_side_and_names_are_told_apart(watch, report):
    page = shown(watch(report), 0, run=0, versus=7)
    assert page.locator(".context-column").count() == 2
    options = page.locator('#view-context select[data-control="run"] option').all_text_contents()
    assert [option.split()[-1] for option in options[:2]] == ["…v00…", "…v01…"]


def test_the_whole_question_is_shown(watch, report):
    watched = watch(report)
    page = shown(watched, 0)
    assert page.locator("#view-context .topic-words").inner_text() == QUESTION
    page = watched.go(view="topics", run=1, versus=0)
    assert page.locator("#topics-table tr[data-topic='0'] .title").text_content() == QUESTION


def topics(page):
    return set(
        page.eval_on_selector_all("#topics-table tbody tr[data-topic]", "all => all.map(one => +one.dataset.topic)")
    )


def test_topics_that_nobody_or_only_one_run_finds(watch, report):
    watched = watch(report)
    values = Page(report).overview["values"][0]
    page = watched.go(view="topics", run=1, versus=0)
    finders = [{run for run, of_run in enumerate(values) if of_run[topic]} for topic in range(500)]
    expected = {
        "none": {topic for topic in range(500) if not finders[topic]},
        "only-run": {topic for topic in range(500) if finders[topic] == {1}},
        "only-versus": set(),
    }
    assert expected["only-run"] == {1} and len(expected["none"]) == 496
    for choice, found in expected.items():
        page.locator("#topics-which").select_option(choice)
        assert topics(page) == found
    page.locator("#topics-which").select_option("")
    page.locator("#topics-group").select_option(label="zh (1)")
    assert topics(page) == {2}


def test_groups_have_their_means(watch, report):
    overview = Page(report).overview
    page = watch(report).page
    names, of = overview["groups"]["names"], overview["groups"]["of"][:5]
    assert [None if i is None else names[i] for i in of] == ["en", "ar", "zh", "la", None]
    for m in (0, 1):
        page.locator("#groups-measure").select_option(str(m))
        for g in range(4):
            for run in (0, 1, 19):
                cell = page.locator(f'#groups-table td[data-group="{g}"][data-run="{run}"]')
                assert float(cell.get_attribute("data-value")) == overview["groups"]["table"][g][run][m]["value"]
    assert "496 topics in no group" in page.locator("#groups").inner_text()


def test_twenty_runs_are_no_wall_of_names(watch, report):
    overview = Page(report).overview
    configuration = dict(overview["configuration"])
    assert configuration["runs"].startswith("20 files, ") and configuration["runs"].count(".jsonl") == 2
    page = watch(report).page
    for cell in page.locator("#comparison sup.letters").all_text_contents():
        assert len(cell.replace("better than", "").strip()) <= 6
    assert page.locator("#warnings > ul > li").count() <= 5


def test_a_narrow_screen_does_not_scroll_sideways(watch, report):
    page = shown(watch(report, viewport={"width": 390, "height": 800}, color_scheme="dark"), 0, run=0, versus=7)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
