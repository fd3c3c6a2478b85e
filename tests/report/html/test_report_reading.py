"""What a person reads on a report: whole sentences and words, one line for each kind of note, views that agree."""

from __future__ import annotations

import json

import pytest
from report_pages import Page

import berrypick as bp
from berrypick.report.panels.base import table_data
from berrypick.tables.tables import Table

pytest.importorskip("vl_convert")

NARROW = {"width": 390, "height": 844}
FILE = "src/a_rather_long_folder/with_modules/module.py"


@pytest.fixture(scope="module")
def sessions(tmp_path_factory):
    """Sessions of an agent, five topics, a run that lacks one of them, and costs."""
    topics = [f"issue-{i}" for i in range(5)]
    truth = [{"topic": topic, "doc": FILE, "start_line": 11, "end_line": 20} for topic in topics]
    step = {"doc": FILE, "start_line": 1, "end_line": 300, "tool": "Read", "tokens": 12, "seconds": 1.5}
    runs = {
        "agent": [{"topic": topic, "rank": rank, **step} for topic in topics[1:] for rank in range(1, 31)],
        "other": [{"topic": topic, "rank": 1, **step} for topic in topics[3:]],
    }
    path = tmp_path_factory.mktemp("sessions") / "r.html"
    bp.write_report(truth, runs, "StepAUC charR@5", html=path)
    return path


@pytest.mark.parametrize("width", [390, 1440])
def test_words_of_panels_are_whole(watch, sessions, width):
    page = watch(sessions, viewport={"width": width, "height": 900}).page
    panel = page.locator("#panel-agent_sessions")
    for cell in panel.locator("tbody tr").first.locator("td").all():
        for part in cell.locator(".unbroken").all() or [cell]:
            assert part.evaluate("one => one.getClientRects().length") == 1
    tool = panel.locator("tbody tr").first.locator("td").nth(1)
    assert tool.inner_text() == "Read"
    assert tool.locator("bdi").evaluate("one => one.getClientRects().length") == 1
    title = panel.locator(".table-title").first
    assert title.inner_text().startswith("agent, topic issue-1: 30 steps; 10 relevant lines")
    assert title.evaluate("one => one.scrollWidth <= one.clientWidth")
    assert f"{FILE}:1-300" in panel.locator("td").nth(2).text_content()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_many_tables_and_rows_are_folded(watch, sessions):
    page = watch(sessions).page
    panel = page.locator("#panel-agent_sessions")
    assert panel.locator("table").count() == 6 and panel.locator("> details").count() == 4
    assert panel.locator("table:visible").count() == 2
    first = panel.locator(".wide").first
    assert first.locator("tbody tr").count() == 20
    panel.get_by_role("button", name="Show all 30 rows").first.click()
    assert first.locator("tbody tr").count() == 30
    folded = panel.locator("> details").first
    assert "topic issue-3" in folded.locator("summary").inner_text()
    folded.locator("summary").click()
    assert folded.locator("table").is_visible() and folded.locator(".table-title").count() == 0


def test_numbers_and_intervals_are_on_the_right():
    table = Table("t", ["run", "name", "topics", "all"], [["a", "x", "[0, 1]", "1"], ["b", "y", "-", "2"]], "<<<>")
    assert table_data(table)["numeric"] == [2, 3]
    names = Table("t", ["run", "hop"], [["a", "1"], ["b", "-"]], "<<")
    assert table_data(names)["numeric"] == []


def test_latency_is_in_seconds_and_has_room(watch, sessions):
    page = watch(sessions).page
    heads = page.locator("#run-counts th").all_inner_texts()
    assert any(head.startswith("latency mean (s)") for head in heads)
    wide = page.locator(".wide:has(#run-counts)")
    assert wide.evaluate("one => one.scrollWidth <= one.clientWidth")


def test_a_kind_of_note_is_one_line_with_its_runs_and_a_remedy(watch, sessions):
    told = {one["text"]: one for one in Page(sessions).overview["warnings"]}
    missing = next(one for text, one in told.items() if "missing from the run" in text)
    assert missing["runs"] == 2 and len(missing["more"]) == 1
    assert missing["remedy"] == "Remedy: topics='run' scores only the topics that a run has."
    page = watch(sessions).page
    line = page.locator("#warnings > ul > li", has_text="missing from the run")
    assert line.count() == 1
    assert line.locator("summary").inner_text() == "and 1 note like this, on 2 runs in all"
    head = page.locator("#comparison").bounding_box()
    assert page.locator("#warnings").bounding_box()["y"] > head["y"] + head["height"], "notes are below the table"


def judged(grade):
    """Ten topics in which one run finds the answer and the other nothing; unjudged text could reverse that."""
    truth = [{"topic": str(i), "doc": "d", "start": 100 * i, "end": 100 * i + 9, "grade": 1} for i in range(10)]
    if grade is not None:
        truth.append({"topic": "0", "doc": "e", "start": 0, "end": 9, "grade": grade})
    good = {str(i): [{"doc": "d", "start": 100 * i, "end": 100 * i + 9}] for i in range(10)}
    poor = {str(i): [{"doc": "f", "start": 0, "end": 900}] for i in range(10)}
    return truth, {"good": good, "poor": poor}


@pytest.mark.parametrize("grade", [None, 0])
def test_truths_of_relevant_text_alone_do_not_warn_of_other_text(tmp_path, grade):
    truth, runs = judged(grade)
    bp.write_report(truth, runs, "charR", html=tmp_path / "r.html", readers="none")
    overview = Page(tmp_path / "r.html").overview
    assert any("unjudged text" in one["text"] for one in overview["warnings"]) == (grade is not None)
    [verdicts] = [one for one in overview["panels"] if one["name"] == "verdicts"]
    assert any("mark only relevant text" in str(part) for part in verdicts["parts"]) == (grade is None)


@pytest.fixture(scope="module")
def partial(tmp_path_factory):
    """Results that hold a little of each target, so that no reader of half a target sees any."""
    text = "".join(f"Sentence number {i} about berries. " for i in range(100))
    truth = [{"topic": "q", "doc": doc, "start": 0, "end": 400} for doc in ("a", "b")]
    run = [{"topic": "q", "doc": doc, "start": 300, "end": 420} for doc in ("a", "b")]
    path = tmp_path_factory.mktemp("partial") / "r.html"
    documents = {"a": text[:500], "b": text * 12}
    bp.write_report(truth, {"r": run}, "charR", html=path, documents=documents, user="classical(share=0.5)")
    return path


def test_views_do_not_contradict_each_other_silently(watch, partial):
    watched = watch(partial)
    page = watched.go(view="documents")
    page.wait_for_selector("#view-documents[data-shown]")
    assert page.locator('td[data-class="found"]').get_attribute("data-amount") == "200"
    page = watched.go(view="reader")
    page.wait_for_selector("#view-reader[data-shown]")
    label = page.locator("[data-control=reader] option:checked").inner_text()
    assert label != "classical(share=0.5)", "opens on a reader who sees something"
    assert "has seen 0.00 of" not in page.locator("[data-summary]").inner_text()
    page.select_option("[data-control=reader]", label="classical(share=0.5)")
    page.wait_for_function("document.querySelector('[data-summary]').textContent.includes('0.00 of 2 targets')")
    said = page.locator("[data-summary]").inner_text()
    assert (
        "counts 200 characters as found, but this reader counts a target as seen only when the results of one rank"
        in (said)
    )
    assert "cover at least 50% of it" in said and "at least 50% of it" in page.locator(".reader-what").inner_text()


def test_short_documents_beside_a_long_one_are_fitted(watch, partial):
    watched = watch(partial)
    page = watched.go(view="documents")
    page.wait_for_selector("#view-documents[data-shown]")
    fit = page.locator("[data-control=fit]")
    tracks = [one.bounding_box()["width"] for one in page.locator("#view-documents .strip-track").all()]
    assert fit.is_checked() and tracks[0] == tracks[1] > 900
    fit.uncheck()
    page.wait_for_timeout(300)
    tracks = [one.bounding_box()["width"] for one in page.locator("#view-documents .strip-track").all()]
    assert tracks[0] < tracks[1] / 20 and "fit=0" in page.url
    page = watched.go(view="reader")
    page.wait_for_selector("#view-reader .strip-track")
    tracks = [one.bounding_box()["width"] for one in page.locator("#view-reader .strip-track").all()]
    assert tracks[0] == tracks[1]


def test_no_unit_is_named_where_none_is_known(watch, tmp_path):
    truth = [
        {"topic": "q", "doc": "a", "start": 0, "end": 40, "grade": 1},
        {"topic": "q", "doc": "a", "start": 40, "end": 60, "grade": 0},
    ]
    run = {"q": [{"doc": "a", "start": 20, "end": 90, "score": 3.5}]}
    for name, more in (("known", {"documents": {"a": "x" * 200}}), ("unknown", {})):
        bp.write_report(truth, run, "charR", html=tmp_path / f"{name}.html", **more)
        page = watch(tmp_path / f"{name}.html").go(view="documents")
        page.wait_for_selector("#view-documents[data-shown]")
        assert ("characters" in page.locator("#view-documents").inner_html()) == (name == "known")
        label = page.locator("#view-documents svg.strip").get_attribute("aria-label")
        assert label.endswith("20 found, 20 missed, 20 irrelevant, 30 unjudged" + " characters" * (name == "known"))


def test_scores_have_a_heading(watch, tmp_path):
    bp.write_report({"q": {"a": 1}}, {"q": {"b": 2.0, "a": 1.0}}, "RR", html=tmp_path / "r.html")
    page = watch(tmp_path / "r.html").go(view="documents")
    page.wait_for_selector("#view-documents[data-shown]")
    head = page.locator(".unit-head .score")
    assert head.inner_text() == "score"
    right = head.bounding_box()["x"] + head.bounding_box()["width"]
    number = page.locator("li .score").first
    assert number.bounding_box()["x"] + number.bounding_box()["width"] == pytest.approx(right, abs=2)


def test_the_baseline_is_on_the_left(watch, sessions):
    page = watch(sessions).go(view="topics")
    page.wait_for_selector("#topics-table td.side")
    assert page.eval_on_selector_all(
        "#topics-table tbody tr:first-child td.side", "all => all.map(one => one.dataset.run)"
    ) == ["0", "1"]
    assert "difference b" in page.locator("#differences").text_content()
    page = watch(sessions).go(view="documents")
    page.wait_for_selector("#view-documents[data-shown]")
    assert page.eval_on_selector_all("table.amounts tbody tr", "all => all.map(one => one.dataset.run)") == ["0", "1"]


def test_folders_of_judgements_are_not_told(tmp_path):
    truth = [{"topic": str(i), "doc": "d", "start": 9 * i, "end": 9 * i + 5} for i in range(30)]
    run = {str(i): [{"doc": "d", "start": 9 * i, "end": 9 * i + 3 + i % 3}] for i in range(30)}
    folder = tmp_path / "secret-folder"
    folder.mkdir()
    (folder / "model.jsonl").write_text("".join(json.dumps(row) + "\n" for row in truth))
    bp.write_report(truth[:20], {"r": run}, "charR", html=tmp_path / "r.html", model_truth=folder / "model.jsonl")
    content = (tmp_path / "r.html").read_text()
    assert "model.jsonl judged 30" in content and "secret-folder" not in content


def test_readers_of_elements_say_that_they_need_the_element(watch, demonstration):
    """The bundled campaign: a whole article holds all 1,439 relevant characters and is none of the five elements."""
    watched = watch(demonstration)
    page = watched.go(view="reader", topic=0)
    page.wait_for_selector("#view-reader[data-shown]")
    opened = page.locator("[data-summary]").inner_text()
    assert "classical" not in opened and "has seen 0.00" not in opened
    page.select_option("[data-control=reader]", label="classical(share=0.5)")
    page.wait_for_function("document.querySelector('[data-summary]').textContent.includes('0.00 of 5 targets')")
    assert (
        "The document view counts 1,439 characters as found with articles, but this reader counts a target as seen "
        "only when a result is exactly that element." in page.locator("[data-summary]").inner_text()
    )
