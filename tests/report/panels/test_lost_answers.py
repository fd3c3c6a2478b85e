"""The panel of the report on lost answers: its numbers are those of a diagnosis, and its bars lead to topics."""

import json

import pytest
from report_pages import Page

import berrypick as bp
from berrypick.analysis.diagnosis.diagnosis import DiagnosisRules
from berrypick.evaluation.evaluation import Evaluation
from berrypick.report.panels.base import panel_data
from berrypick.report.panels.lost_answers import LostAnswers


def spans(*rows):
    return [{"doc": doc, "start": start, "end": end} for doc, start, end in rows]


TRUTH = [
    {"topic": "a", "question": "Where is a?", "kind": "x", **spans(("d", 0, 10))[0]},
    {"topic": "b", "question": "Where is b?", "kind": "x", **spans(("d", 20, 30))[0]},
    {"topic": "c", "question": "Where is c?", "kind": "y", **spans(("d", 40, 50))[0]},
]
FIRST = {"a": spans(("e", 0, 9), ("d", 0, 10)), "b": spans(("d", 20, 30)), "c": spans(("d", 60, 70))}
LAST = {"a": spans(("d", 0, 10)), "b": spans(("e", 0, 9)), "c": spans(("d", 60, 70))}
STAGES = [
    {"topic": topic, "stage": stage, **one}
    for stage, run in (("first", FIRST), ("rerank", LAST))
    for topic, found in run.items()
    for one in found
]


def panel(runs, rules=None, **options):
    evaluation = Evaluation.prepare(TRUTH, runs, "charR@5", **options)
    return panel_data(LostAnswers(), evaluation, evaluation.run(), {"diagnosis": rules or DiagnosisRules()})


def test_a_bar_for_each_run_has_the_classes_of_the_diagnosis():
    found = panel({"first": FIRST, "last": LAST}, DiagnosisRules(k=1))
    classes = [one["name"] for one in found["data"]["classes"]]
    diagnosis = bp.diagnose(TRUTH, {"first": FIRST, "last": LAST}, k=1)
    for run in found["data"]["runs"]:
        counts = {name: sum(target[1] == i for target in run["targets"]) for i, name in enumerate(classes)}
        expected = {name: row["count"] for name, row in diagnosis.classes_of(run["name"]).items()}
        assert {name: count for name, count in counts.items() if count} == expected
        assert run["stages"] == []
    assert found["data"]["runs"][0]["targets"][0] == [0, classes.index("ranked low"), 1, "d#0-10", "", "2"]


def test_stages_have_a_flow():
    found = panel({"first": FIRST, "last": LAST}, DiagnosisRules(stages=True))["data"]
    assert [(run["name"], run["stages"]) for run in found["runs"]] == [("pipeline", ["first", "last"])]
    assert [target[2] for target in found["runs"][0]["targets"]] == [0b11, 0b01, 0]
    rows = panel(STAGES)["data"]
    assert rows["runs"][0]["stages"] == ["first", "rerank"]
    assert [target[2] for target in rows["runs"][0]["targets"]] == [0b11, 0b01, 0]


def test_groups_have_a_table():
    [table] = panel(LAST, by="kind")["parts"]
    assert table["header"][:2] == ["kind", "targets"] and [row[:2] for row in table["rows"]] == [["x", "2"], ["y", "1"]]


def test_whole_documents_have_a_panel():
    evaluation = Evaluation.prepare({"q": {"a": 1, "b": 1}, "r": {"c": 1}}, {"q": {"a": 1}}, "RR")
    found = panel_data(LostAnswers(), evaluation, evaluation.run())["data"]
    assert [one["name"] for one in found["classes"]] == ["found", "wrong document"]
    assert found["runs"][0]["targets"] == [[0, 0, 1, "a", "", "1"], [0, 1, 0, "b", "", "-"], [1, 1, 0, "c", "", "-"]]


def test_a_truth_without_targets_has_no_panel():
    evaluation = Evaluation.prepare({"q": {"a": 0}}, {"q": {"a": 1}}, "RR")
    assert panel_data(LostAnswers(), evaluation, evaluation.run()) is None


def test_the_report_reads_chunks_as_diagnose_does(tmp_path):
    pytest.importorskip("vl_convert")
    chunks = [{"id": 1, **one} for one in spans(("d", 0, 25), ("d", 25, 60))]
    page = tmp_path / "report.html"
    bp.write_report(TRUTH, {"last": LAST}, "charR@5", html=page, chunks=chunks, share=0.8)
    [found] = [one for one in Page(page).overview["panels"] if one["name"] == "lost_answers"]
    assert [one["name"] for one in found["data"]["classes"]] == ["found", "wrong passage", "cut"]
    with pytest.raises(bp.UsageError, match="two stages"):
        bp.write_report(TRUTH, {"last": LAST}, "charR@5", html=page, stages=True)
    with pytest.raises(bp.UsageError, match="share"):
        bp.write_report(TRUTH, {"last": LAST}, "charR@5", html=page, share=2)


@pytest.mark.slow
@pytest.mark.parametrize("width", [1160, 390])
def test_bars_lead_to_their_topics(watch, tmp_path, width):
    for name, rows in (("truth", TRUTH), ("run", STAGES)):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    report = tmp_path / "report.html"
    bp.write_report(tmp_path / "truth.jsonl", tmp_path / "run.jsonl", "charR@5", html=report)
    page = watch(report).page
    page.set_viewport_size({"width": width, "height": 800})
    panel = page.locator("#panel-lost_answers")
    assert panel.locator(".lost-row").count() == 3  # two stages, and the classes
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    inside = page.locator("#lost-classes").evaluate("one => [one.offsetWidth, one.parentElement.clientWidth]")
    assert inside[0] <= inside[1], "meanings are below the names of classes"
    assert panel.locator("#lost-classes .lost-meaning").count() == panel.locator("#lost-classes tbody tr").count()
    part = panel.get_by_role("button", name="run, rerank: lost, 1 of 3 targets (33.3%). Show their topics.")
    part.focus()
    page.keyboard.press("Enter")
    assert part.get_attribute("aria-pressed") == "true"
    assert panel.locator("#lost-list tbody th a").all_inner_texts() == ["b"]
    assert "Where is b?" in panel.locator("#lost-list").inner_text()
    page.keyboard.press("Enter")
    assert panel.locator("#lost-list").count() == 0
    panel.locator("#lost-classes").get_by_role(
        "button", name="run: wrong passage, 1 target. Show their topics."
    ).click()
    panel.locator("#lost-list tbody th a").click()
    assert "topic=2" in page.url and "view=documents" in page.url
