"""The winner of a sweep: its expected optimism, topics that confirm it, and its settings as looks of a ledger."""

import json
from itertools import product

import numpy as np
import pytest

import berrypick as bp
from berrypick.analysis.ledger.ledger_file import Ledger
from berrypick.analysis.sweep import winner
from berrypick.analysis.sweep.winner import expected_optimism, split_topics

TOPICS = [f"q{number:02}" for number in range(40)]


@pytest.fixture
def folder(tmp_path):
    """Runs of eight settings, each right on a random half of the topics."""
    random = np.random.default_rng(4)
    (tmp_path / "truth.qrels").write_text("".join(f"{topic} 0 a 1\n" for topic in TOPICS))
    (tmp_path / "runs").mkdir()
    for size in range(1, 9):
        hits = random.random(len(TOPICS)) < 0.5
        rows = [f"{topic} Q0 {'a' if hit else 'b'} 1 1.0 x\n" for topic, hit in zip(TOPICS, hits, strict=True)]
        (tmp_path / "runs" / f"size={size}.run").write_text("".join(rows))
    return tmp_path


def swept(folder, **options):
    return bp.sweep(truth=folder / "truth.qrels", runs=folder / "runs", measures="P@1", **options)


def plainly(values, higher, seed=0):
    """The definition, one resample after the other, with the same draws."""
    topics = values.shape[1]
    random = np.random.default_rng([9, seed])
    gaps = []
    some = random.integers(0, topics, size=(winner.RESAMPLES, topics))
    for drawn in map(list, product(range(topics), repeat=topics)) if topics <= 5 else some:
        left_out = [topic for topic in range(topics) if topic not in drawn]
        with np.errstate(all="ignore"):
            inside = [np.mean(kept) if len(kept := row[drawn][~np.isnan(row[drawn])]) else np.nan for row in values]
            if np.isnan(inside).all():
                continue
            best = int(np.nanargmax(inside) if higher else np.nanargmin(inside))
            other = values[best][left_out]
            other = other[~np.isnan(other)]
        if len(other):
            gaps.append(inside[best] - other.mean())
    return np.mean(gaps)


@pytest.mark.parametrize(("settings", "topics", "higher"), [(2, 3, True), (6, 15, True), (5, 9, False)])
def test_optimism_is_the_definition(settings, topics, higher, monkeypatch):
    monkeypatch.setattr(winner, "RESAMPLES", 200)
    values = np.random.default_rng(settings).random((settings, topics)).round(2)
    values[0, 1] = values[1, 0] = np.nan
    assert expected_optimism(values, higher) == pytest.approx(plainly(values, higher))
    assert (expected_optimism(values, higher) > 0) == higher
    monkeypatch.setattr(winner, "_CELLS", 1)  # one resample at a time draws the same
    assert expected_optimism(values, higher) == pytest.approx(plainly(values, higher))


def test_two_settings_on_two_topics_by_hand():
    """One setting is right on the first topic, the other on the second. A resample with one topic twice (half of them)
    has a winner with 1, which has 0 on the topic left out; the others leave nothing out. The mean is 1."""
    assert expected_optimism(np.eye(2)) == 1.0
    assert expected_optimism(np.ones((3, 5))) == 0.0
    assert expected_optimism(np.array([[0.0, 1.0], [0.0, 1.0]])) == 0.0, "settings that tie are not chosen"
    assert expected_optimism(np.ones((1, 5))) == 0.0 and expected_optimism(np.ones((4, 1))) is None
    assert expected_optimism(np.full((2, 4), np.nan)) is None


def test_the_optimism_of_useless_settings_is_cautious():
    """Eight settings with a true mean of 0.6 on 40 topics: the best has about 0.72, and the optimism is about 0.14."""
    random, true, told = np.random.default_rng(0), [], []
    for _ in range(40):
        values = (random.random((8, 40)) < 0.6).astype(float)
        true.append(values.mean(axis=1).max() - 0.6)
        told.append(expected_optimism(values))
    assert np.mean(true) == pytest.approx(0.12, abs=0.02)
    assert np.mean(true) < np.mean(told) < 1.5 * np.mean(true)


def test_the_row_of_the_best_has_its_optimism(folder):
    found = swept(folder)
    assert found.best()["optimism"] == found.optimism("P@1") > 0.05
    assert [row["optimism"] is None for row in found.rows].count(False) == 1


def test_a_hash_of_the_name_chooses_topics():
    chosen, kept = split_topics(TOPICS, 0.3)
    assert sorted(chosen + kept) == TOPICS and not {*chosen} & {*kept}
    assert split_topics(reversed(TOPICS), 0.3)[1] == kept[::-1]
    more = [*TOPICS, "another", "\ud800"]
    assert [topic for topic in split_topics(more, 0.3)[1] if topic in TOPICS] == kept
    assert {*kept} < {*split_topics(TOPICS, 0.5)[1]}
    many = split_topics([f"t{i}" for i in range(20_000)], 0.3)[1]
    assert len(many) == pytest.approx(6000, abs=200)
    for share in (0, 1, -1, 1.5, float("nan")):
        with pytest.raises(bp.UsageError, match="share of the topics between 0 and 1"):
            split_topics(TOPICS, share)
    with pytest.raises(bp.UsageError, match="both need two"):
        split_topics(TOPICS[:3], 0.1)


def test_the_winner_is_confirmed_on_topics_that_were_not_used(folder):
    found = swept(folder, confirm=0.4)
    chosen, kept = split_topics(TOPICS, 0.4)
    best, everything = found.best(), bp.sweep(truth=folder / "truth.qrels", runs=folder / "runs", measures="P@1")
    values = everything.results.per_topic()
    means = {run: np.mean([values[run]["P@1"][topic] for topic in chosen]) for run in found.names}
    assert {row["run"]: row["value"] for row in found.rows} == pytest.approx(means)
    assert best["run"] == max(means, key=means.__getitem__) and best["topics"] == len(chosen)
    assert best["confirmed"] == pytest.approx(np.mean([values[best["run"]]["P@1"][topic] for topic in kept]))
    assert best["confirmed_topics"] == len(kept) and best["confirmed_low"] < best["confirmed"] < best["confirmed_high"]
    assert all(row["confirmed"] is None for row in found.rows if row["run"] != best["run"])
    assert "confirmed" not in everything.rows[0]
    assert found.to_pandas()["confirmed"].notna().sum() == 1


def test_settings_are_looks(folder):
    path = folder / "ledger.jsonl"
    found = swept(folder, ledger=path, commit="c1")
    lines = Ledger.read(path).lines
    assert [line["run"] for line in lines] == list(found.names) and {line["commit"] for line in lines} == {"c1"}
    assert [line["look"] for line in lines] == [1, 2, 3, 4, 5, 6, 7, 8] and found.looks == {"P@1": 8}
    assert found.ledger_head == Ledger.read(path).head
    assert swept(folder, ledger=path).looks == {"P@1": 8}, "the same settings are the same looks"
    assert swept(folder, ledger=path, confirm=0.4).looks == {"P@1": 17}, "eight on fewer topics, and one confirmation"
    runs = {"base": folder / "runs" / "size=1.run", "new": {topic: {"a": 1.0} for topic in TOPICS}}
    after = bp.compare(folder / "truth.qrels", {name: run if isinstance(run, dict) else bp.read_run(run)
                                                for name, run in runs.items()}, "P@1", ledger=path)  # fmt: skip
    assert after.looks["P@1", "new"].number == 18
    assert [point.look for point in bp.history(path).points] == list(range(1, 19))
    with pytest.raises(bp.UsageError, match="needs ledger="):
        swept(folder, commit="c1")


def test_the_command(berrypick, folder):
    path = folder / "ledger.jsonl"
    words = ["sweep", folder / "truth.qrels", "--runs", folder / "runs", "-m", "P@1"]
    done = berrypick(*words, "--confirm", "0.4", "--ledger", path, "-o", "table")
    assert done.code == 0, done.err
    assert "P@1: expected optimism of the best: 0." in done.err and "P@1: confirmed on " in done.err
    assert "9 looks at this truth so far; the next may claim better at p < 0.00045" in done.err
    assert f"head {Ledger.read(path).head}" in done.err
    rows = json.loads(berrypick(*words, "--confirm", "0.4", "-o", "json").out)
    assert sum(row["optimism"] is not None for row in rows) == sum(row["confirmed"] is not None for row in rows) == 1
    assert berrypick(*words, "--confirm", "2").code == 2
    done = berrypick(*words, "--ledger", folder / "truth.qrels")
    assert done.code == 2 and "refusing to overwrite input file" in done.err
    before = path.read_bytes()
    done = berrypick(*words, "--ledger", path, "--ledger-head", "0" * 32)
    assert done.code == 2 and path.read_bytes() == before
