"""Reading logs from sessions: visits, distances and how they end, by hand."""

import json
import os
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import norm, ttest_1samp

import berrypick as bp
from berrypick.analysis.fit.fit_parts import FitMethod
from berrypick.analysis.fit.session_visits import NOTHING_AHEAD, reading_log_of


def lines(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def step(rank, doc, first, last, tool="Read", topic="1", **more):
    return {"topic": topic, "doc": doc, "start_line": first, "end_line": last, "rank": rank, "tool": tool, **more}


#: Lines 51 to 60 of a.py are relevant.
GOLD = lines({"topic": "1", "doc": "a.py", "start_line": 51, "end_line": 60})


def visits(tmp_path, *rows, gold=GOLD, chosen="all"):
    (tmp_path / "run.jsonl").write_text(lines(*rows))
    (tmp_path / "gold.jsonl").write_text(gold)
    log = reading_log_of(tmp_path / "run.jsonl", tmp_path / "gold.jsonl", visits=chosen)
    return list(zip(log.distance, log.end, strict=True)), dict(log.skipped)


def test_how_visits_end(tmp_path):
    found, _ = visits(
        tmp_path,
        step(1, "b.py", 1, 40, doc_lines=100),  # left after 40 lines
        step(2, "c.py", 1, 30, doc_lines=30),  # its end
        step(3, "a.py", 1, 20, doc_lines=200),  # 20 lines, then 11 more, 10 of them new, then line 51
        step(4, "a.py", 11, 30, doc_lines=200),
        step(5, "a.py", 41, 80, doc_lines=200),
        step(6, "b.py", 90, 95, doc_lines=100),  # the end of the session
    )
    assert found == [(40, "gave_up"), (30, "censored"), (20 + 10 + 10, "reached"), (6, "censored")]


def test_visits_with_relevant_lines_ahead(tmp_path):
    """Lines 51 to 60 are relevant: how far they are from where a visit entered, and whether it showed any of them."""
    found, skipped = visits(
        tmp_path,
        step(1, "b.py", 1, 40, doc_lines=100),  # nothing relevant
        step(2, "a.py", 1, 20, doc_lines=200),  # left 50 lines before
        step(3, "b.py", 1, 5, doc_lines=100),
        step(4, "a.py", 31, 35, doc_lines=200),  # gets there, past 15 lines that it skips
        step(5, "a.py", 51, 80, doc_lines=200),
        step(6, "c.py", 1, 5, doc_lines=50),
        step(7, "a.py", 55, 58, doc_lines=200),  # enters inside
        step(8, "c.py", 1, 5, doc_lines=50),
        step(9, "a.py", 61, 80, doc_lines=200),  # behind: nothing ahead, although it goes back
        step(10, "a.py", 41, 60, doc_lines=200),
        step(11, "c.py", 1, 5, doc_lines=50),
        step(12, "a.py", 41, 45, doc_lines=200),  # the end of the session, 10 lines before
        chosen="ahead",
    )
    assert found == [(50, "missed"), (20, "reached"), (0, "reached"), (10, "missed")]
    assert skipped == {NOTHING_AHEAD: 6}
    with pytest.raises(bp.UsageError, match="visits='all' fits every visit"):
        bp.fit("t2i", tmp_path / "run.jsonl", truth=tmp_path / "gold.jsonl", held_out=0)


def test_whether_visits_get_there_is_compared_with_a_constant(tmp_path):
    """Visits of readers with a tolerance: the scores and their paired interval, from the parameters and the log."""
    random = np.random.default_rng(3)
    rows, gold = [], []
    for topic in range(40):
        far, tolerance = int(random.integers(1, 400)), random.lognormal(5, 1)
        last = far + 1 if tolerance > far else max(1, int(tolerance))
        rows.append(step(1, "a.py", 1, last, topic=str(topic), doc_lines=900))
        rows.append(step(2, "b.py", 1, 3, topic=str(topic), doc_lines=900))
        gold.append({"topic": str(topic), "doc": "a.py", "start_line": far + 1, "end_line": far + 1})
    (tmp_path / "run.jsonl").write_text(lines(*rows))
    (tmp_path / "gold.jsonl").write_text(lines(*gold))
    found = bp.fit("t2i", tmp_path / "run.jsonl", truth=tmp_path / "gold.jsonl", held_out=0.5)
    log = reading_log_of(tmp_path / "run.jsonl", tmp_path / "gold.jsonl")
    held = FitMethod(0.5, 0, 0.95).held(40)
    reached = np.array([end == "reached" for end in log.end])
    share, rest = reached[~held].mean(), reached[held]
    at = (np.log(np.array(log.distance)[held]) - np.log(found.user.tolerance)) / found.user.spread
    own, other = (norm.sf(at) - rest) ** 2, (share - rest) ** 2
    low, high = ttest_1samp(own - other, 0).confidence_interval()
    facts = found.held_out
    assert facts["constant"] == pytest.approx(share) and facts["brier"] == pytest.approx(own.mean(), rel=1e-4)
    assert facts["constant_brier"] == pytest.approx(other.mean())
    assert (facts["brier_low"], facts["brier_high"]) == pytest.approx((low, high), rel=1e-3, abs=1e-5)
    (said,) = [line for line in found.legend() if line.startswith("Whether visits get there")]
    assert said.endswith(": better." if high < 0 else ": worse." if low > 0 else ": no difference shown.")
    everything = bp.fit("t2i", tmp_path / "run.jsonl", truth=tmp_path / "gold.jsonl", visits="all")
    assert "brier" not in everything.held_out


def test_a_search_is_no_visit_and_does_not_end_one(tmp_path):
    found, skipped = visits(
        tmp_path,
        step(1, "a.py", 1, 10, doc_lines=200),
        step(2, "b.py", 7, 7, "Grep"),
        step(3, "a.py", 101, 110, doc_lines=200),
        step(4, "b.py", 1, 5, doc_lines=90),
    )
    assert found == [(20, "gave_up"), (5, "censored")]
    assert skipped == {"places shown by a search, not counted as visits": 1}


def test_windows_of_a_step_are_read_in_the_order_of_lines(tmp_path):
    found, _ = visits(tmp_path, step(1, "a.py", 45, 70, doc_lines=200), step(1, "a.py", 1, 10, doc_lines=200))
    assert found == [(10 + 6, "reached")]


def test_what_is_not_known_is_said(tmp_path):
    found, skipped = visits(tmp_path, step(1, "b.py", 1, 40), step(2, "a.py", 51, 51), step(1, "z", 1, 2, topic="9"))
    assert found == [(40, "gave_up"), (0, "reached")]
    assert set(skipped.values()) == {1} and any("length" in what for what in skipped)
    assert "sessions without judgements, skipped" in skipped
    both = GOLD + GOLD.replace('"1"', '"2"')
    _, skipped = visits(tmp_path, step(1, "a.py", 1, 5), step(1, "b.py", 1, 1, "Grep", "2"), gold=both)
    assert skipped["sessions without a reading step, skipped"] == 1


@pytest.mark.slow
def test_beside_line_by_line_reading(tmp_path):
    """The same by a set of lines, on generated sessions."""
    for seed in range(40):
        random = np.random.default_rng(seed)
        rows = []
        for rank in range(1, int(random.integers(2, 9))):
            first = int(random.integers(1, 90))
            doc, last = "ab"[random.integers(2)] + ".py", min(100, first + int(random.integers(0, 30)))
            rows.append(step(rank, doc, first, last, doc_lines=100))
        assert visits(tmp_path, *rows)[0] == slowly(rows), seed


def slowly(rows):
    found, seen, before, reached = [], set(), None, False
    for row in [*rows, None]:
        if before is not None and (row is None or row["doc"] != before["doc"]):
            end = "censored" if row is None or 100 in seen else "gave_up"
            found.append((reached - 1, "reached") if reached else (len(seen), end))
            seen, reached = set(), False
        if row is None:
            break
        for line in range(row["start_line"], row["end_line"] + 1):
            if row["doc"] == "a.py" and 51 <= line <= 60 and not reached:
                reached = len(seen) + 1
            seen.add(line)
        before = row
    return found


@pytest.mark.slow
def test_from_the_command_line(tmp_path, berrypick):
    random = np.random.default_rng(1)
    rows, gold = [], []
    for topic in range(60):
        for rank in range(1, 4):
            rows.append(step(rank, f"{rank}.py", 1, int(random.lognormal(4, 1)) + 1, topic=str(topic), doc_lines=5000))
        far = int(random.lognormal(4, 1)) + 2
        gold.append({"topic": str(topic), "doc": "2.py", "start_line": far, "end_line": far + 1})
    (tmp_path / "run.jsonl").write_text(lines(*rows))
    (tmp_path / "gold.jsonl").write_text(lines(*gold))
    (tmp_path / "lengths.tsv").write_text("".join(f"{rank}.py\t5000\n" for rank in range(1, 4)))
    reader = tmp_path / "reader.json"
    given = ("fit", "t2i", tmp_path / "run.jsonl", "--truth", tmp_path / "gold.jsonl")
    done = berrypick(*given, "-o", reader, "-o", "json")
    assert done.code == 0, done.err
    one = json.loads(done.out)[0]["parameters"]["tolerance"]
    assert one["low"] < one["value"] < one["high"]
    scored = berrypick("evaluate", tmp_path / "gold.jsonl", tmp_path / "run.jsonl", "-m", "ExpectedRatio@1",
                       "--user", reader, "--collection", tmp_path / "lengths.tsv", "-o", "json")  # fmt: skip
    assert scored.code == 0, scored.err
    row = json.loads(scored.out)[0]
    assert row["reader_low"] <= row["value"] <= row["reader_high"]
    for words, message in [
        (("fit", "markov", tmp_path / "run.jsonl", "--truth", tmp_path / "gold.jsonl"), "--truth is for"),
        (("fit", "t2i", tmp_path / "run.jsonl", "--format-run", "span-run"), "needs --truth"),
        (("fit", "t2i", tmp_path / "run.jsonl", "--visits", "all"), "--visits is for a run of sessions"),
        (("fit", "markov", tmp_path / "run.jsonl", "--visits", "all"), "--visits is for"),
    ]:
        done = berrypick(*words)
        assert done.code == 2 and message in done.err, done.err


def test_units_must_be_the_same(tmp_path):
    with pytest.raises(bp.InputError, match="count lines"):
        visits(tmp_path, step(1, "a.py", 1, 5), gold=lines({"topic": "1", "doc": "a.py", "start": 1, "end": 5}))
    with pytest.raises(bp.UsageError, match="no session reads anything in a judged topic"):
        visits(tmp_path, step(1, "a.py", 1, 5, topic="other"))


@pytest.mark.slow
def test_sessions_of_a_coding_agent():
    """150 sessions until the first edit: of 145 visits with relevant lines ahead 135 get there."""
    folder = Path(os.environ.get("BERRYPICK_DATA", ""), "agent-sessions")
    from berrypick import formats

    if not os.environ.get("BERRYPICK_DATA") or not folder.exists() or "claude-session" not in formats.registered():
        pytest.skip("no data: agent-sessions")
    form = r"claude-session(topic_pattern='instance_id:\\s*(\\S+)',root='testbed')"
    run = formats.read_any(folder / "sessions", "run", form)
    truth = formats.read_any(folder / "patches.jsonl", "truth", "patch")
    every = reading_log_of(run, truth, visits="all")
    assert Counter(every.end) == {"reached": 139, "censored": 104, "gave_up": 43}
    log = reading_log_of(run, truth)
    assert Counter(log.end) == {"reached": 135, "missed": 10}
    for one, rounded in ((every, [1092, 579, 2865]), (log, [2294, 782, 69949])):
        found = bp.fit("t2i", one, held_out=0).parameters["tolerance"]
        assert [round(found[name]) for name in ("value", "low", "high")] == rounded
