"""The panel of the report that shows sessions as they went."""

import json

import pytest

import berrypick as bp
from berrypick.evaluation.evaluation import Evaluation
from berrypick.report.panels.agent_sessions import SESSIONS, AgentSessions

TRUTH = [{"topic": "1", "doc": "a", "start_line": 11, "end_line": 20}]
RUN = [
    {"topic": "1", "doc": "b", "start_line": 1, "end_line": 30, "rank": 1, "tokens": 100, "tool": "Read"},
    {"topic": "1", "doc": "a", "start_line": 1, "end_line": 15, "rank": 2, "tokens": 50, "tool": "Grep"},
    {"topic": "1", "doc": "c", "line": 7, "rank": 2},
    {"topic": "1", "doc": "a", "start_line": 14, "end_line": 20, "rank": 3, "tokens": 5, "tool": "Read"},
]


def parts(truth, run):
    evaluation = Evaluation.prepare(truth, run, "StepAUC")
    return AgentSessions().parts(evaluation, evaluation.run())


def test_step_by_step():
    [table] = parts(TRUTH, RUN)
    assert table.title == "run, topic 1: 3 steps; 10 relevant lines, all by step 3"
    assert list(table.header) == ["step", "tool", "opened", "lines", "new relevant", "share seen", "tokens so far"]
    assert [list(row) for row in table.rows] == [
        ["1", "Read", "b:1-30", "30", "0", "0", "100"],
        ["2", "Grep", "a:1-15, c:7", "16", "5", "0.5", "150"],
        ["3", "Read", "a:14-20", "7", "5", "1", "155"],
    ]


def test_runs_without_steps_have_no_panel():
    plain = [{key: value for key, value in row.items() if key not in ("tokens", "tool")} for row in RUN]
    assert list(parts(TRUTH, plain)) == []


def test_many_sessions_are_cut_and_said():
    truth = [{**TRUTH[0], "topic": str(i)} for i in range(SESSIONS + 3)]
    found = parts(truth, [{**row, "topic": one["topic"]} for one in truth for row in RUN])
    assert len(found) == SESSIONS + 1 and found[-1] == "3 sessions of run more; berrypick explain shows each."


@pytest.mark.slow
def test_on_the_page(tmp_path):
    for name, rows in (("truth", TRUTH), ("run", RUN)):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    bp.write_report(tmp_path / "truth.jsonl", tmp_path / "run.jsonl", "StepAUC CostAt", html=tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "Sessions, step by step" in page and "all by step 3" in page
