"""Sessions of a coding assistant on real issues, against an independent count by sets of lines."""

import json

import pytest

#: Of the lines that Read showed below the root until the first edit; 12 of 150 sessions show nothing.
EXPECTED = {
    "charR": 0.8527777777777779,
    "charP": 0.012608757069766392,
    "charR@1": 0.6642222222222223,
    "charR@3": 0.788015873015873,
    "StepAUC": 0.7621590508257176,
    "Overlap": 0.03760551136833507,
    "CostAt(share=0.5,cost='lines')": 385.15503875968994,
    "Waste(share=0.5)": 0.33843591244278215,
}


def test_the_150_sessions(data, tmp_path, berrypick):
    folder, run, truth = data / "agent-sessions", tmp_path / "run.jsonl", tmp_path / "truth.jsonl"
    converted = berrypick("convert", folder / "sessions", run, "--from", "claude-session", "--topic-pattern",
                          r"instance_id:\s*(\S+)", "--root", "testbed", "--until", "edit",
                          "--tools", "Read")  # fmt: skip
    assert converted.code == 0 and "broken lines of sessions, skipped: 1" in converted.err
    assert berrypick("convert", folder / "patches.jsonl", truth, "--from", "patch").code == 0
    done = berrypick("evaluate", truth, run, "-m", " ".join(EXPECTED), "-o", "json")
    rows = {row["measure"]: row for row in json.loads(done.out)}
    assert {name: row["value"] for name, row in rows.items()} == pytest.approx(EXPECTED, rel=1e-15, abs=2e-16)
    assert rows["CostAt(share=0.5,cost='lines')"]["reached"] == pytest.approx(0.86, abs=1e-15)
    assert "Overlap, Waste(share=0.5): undefined, and excluded from the mean (12 topics)" in done.err


def test_searches_too(data, berrypick):
    folder = data / "agent-sessions"
    form = r"claude-session(topic_pattern=r'instance_id:\s*(\S+)',root='testbed')"
    done = berrypick("evaluate", folder / "patches.jsonl", folder / "sessions", "--format-run", form, "-m", "charR",
                     "-o", "json")  # fmt: skip
    assert json.loads(done.out)[0]["value"] == pytest.approx(0.891, abs=1e-12)
