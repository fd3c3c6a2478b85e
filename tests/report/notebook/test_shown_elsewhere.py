"""What values of every kind say in notebooks: names, groups, texts, notes, and the best in bold."""

from __future__ import annotations

import handmade
import smaller_is_better
from handmade_results import results

import berrypick as bp


def test_notebooks_see_a_table():
    html = bp.compare(results({"one": {"AP": [0.1] * 9}, "two": {"AP": [0.2] * 9}}))._repr_html_()
    assert "<sup>a</sup>" in html and "<li>" in html
    assert "undefined" in bp.compare(results({"one": {"AP": [None]}}))._repr_html_()


def test_names_are_text_and_not_mark_up():
    compared = bp.compare(results({"<b>|x_1*&%$": {"AP": [0.1, 0.2]}, "two": {"AP": [0.2, 0.4]}}))
    assert "&lt;b&gt;|x_1*&amp;%$" in compared._repr_html_() and "<b>" not in compared._repr_html_()
    changed = bp.diff(results({"<b>": {"AP": [0.1]}}), results({"<b>": {"AP": [0.2]}}))._repr_html_()
    assert "&lt;b&gt;" in changed and ">AP</td>" in changed


def test_the_best_is_bold_where_less_is_better():
    found = bp.evaluate(smaller_is_better.TRUTH, smaller_is_better.runs(), [smaller_is_better.Dwell()])
    for value in (found, bp.compare(found, baseline="quick")):
        assert "font-weight:bold" in value._repr_html_().split("0.0000")[0].rsplit("<td", 1)[1]


def test_a_notebook_is_given_no_script():
    run = handmade.document_run({"1": ["a"]}, tag="<script>alert(1)</script>")
    html = bp.evaluate({"1": {"a": 1}}, run, "EPRUM")._repr_html_()
    assert "<table" in html and "<script" not in html


def test_a_judged_topic_shows_its_texts_in_a_notebook():
    texts = {"d": "Cut the old canes <b>now</b>. Water in July."}
    judged = bp.judge({"q": [("d", 0, 17)]}, {"q": [("d", 4, 29), ("d", 30, 44)]}, "q", documents=texts)
    page = judged._repr_html_()
    assert "Cut the old canes" in page and "Water in July." in page
    assert "the old canes &lt;b&gt;now&lt;/b&gt;." in page and "<b>now" not in page
    assert "Water" not in bp.judge({"q": [("d", 0, 17)]}, {"q": [("d", 30, 44)]}, "q")._repr_html_()


def test_groups_have_a_table():
    found = bp.evaluate(
        {"1": {"a": 1}, "2": {"a": 1}}, {"1": {"a": 1}, "2": {"b": 1}}, "AP", by={"1": "law", "2": "film"}
    )
    assert "law" in found._repr_html_() and "film" in found._repr_html_()


def test_notes_stand_below():
    run = handmade.span_run({"1": [("d", 0, 100), ("d", 90, 150)]})
    found = bp.evaluate(handmade.span_truth({"1": [("d", 0, 50)]}), run, "charR@1")
    assert "of the retrieved material" in found._repr_html_()
