"""What a log leaves open of a fitted user model, and the interval over readers that follows for measures."""

from __future__ import annotations

import json
import math
from statistics import NormalDist

import numpy as np
import pytest

import berrypick as bp
from berrypick.data.navigation import FittedReader, LinkTable, ReachTable, content_checksum

TRUTH = [{"topic": t, "doc": "d", "start": s, "end": s + 10} for t, s in (("1", 100), ("1", 700), ("2", 300))]
NEAR = [{"topic": t, "doc": "d", "start": s, "end": s + 10} for t, s in (("1", 60), ("1", 500), ("2", 900))]
FAR = [{"topic": t, "doc": "d", "start": s, "end": s + 10} for t, s in (("1", 990), ("1", 640), ("2", 350))]
RUNS = {name: [{**row, "rank": i} for i, row in enumerate(rows, 1)] for name, rows in (("near", NEAR), ("far", FAR))}
LOG = [{"distance": float(d), "end": "gave_up"} for d in (20, 45, 80, 110, 160, 230, 400, 700)]


@pytest.fixture(scope="module")
def reader():
    return bp.fit("bep(L=1000)", LOG, held_out=0)


def values(user, measure="EPRUM", **options):
    """run -> topic -> value."""
    found = bp.evaluate(TRUTH, RUNS, measure, user=user, **options).per_topic()
    return {run: of[measure] for run, of in found.items()}


def test_the_law_is_the_curvature_of_the_likelihood(reader):
    """log A of a log-logistic law: minus the second derivative of sum z - 2 log(1 + exp z), z = log d - log(A L)."""
    law = reader.reader.content["law"]
    z = np.log([row["distance"] for row in LOG]) - math.log(reader.user.A * 1000)
    share = 1 / (1 + np.exp(-z))
    assert law["of"] == ["A"]
    assert law["covariance"][0][0] == pytest.approx(1 / (2 * share * (1 - share)).sum(), rel=1e-4)


def test_drawn_parameters_are_quantiles(reader):
    error = math.sqrt(reader.reader.content["law"]["covariance"][0][0])
    drawn = [bp.Fit(reader.reader.draw(i, 5)).user.A for i in range(5)]
    wanted = reader.user.A * np.exp([error * NormalDist().inv_cdf(q) for q in (0.1, 0.3, 0.5, 0.7, 0.9)])
    assert drawn == pytest.approx(wanted.tolist(), rel=1e-12)


@pytest.mark.slow
def test_two_parameters_are_drawn_with_their_covariance():
    log = [*LOG, *({"distance": d, "end": "reached"} for d in (30.0, 90.0, 150.0))]
    reader = bp.fit("t2i", log, held_out=0).reader
    drawn = [bp.Fit(reader.draw(i, 4000)).user for i in range(4000)]
    logs = np.log([[one.tolerance, one.spread] for one in drawn])
    assert np.cov(logs.T) == pytest.approx(np.array(reader.content["law"]["covariance"]), abs=2e-3)
    centre = [math.log(reader.content["parameters"][name]["value"]) for name in ("tolerance", "spread")]
    assert logs.mean(axis=0) == pytest.approx(centre, abs=2e-3)


@pytest.mark.slow
def test_interval_of_a_value_by_hand(reader):
    """Reach grows with A, so the ends are the values at the quantiles of A, between the readers drawn next to them."""
    results = bp.evaluate(TRUTH, RUNS, "EPRUM charR@1", user=reader)
    rows = {(row["run"], row["topic"], row["measure"]): row for row in results.records()}
    error = math.sqrt(reader.reader.content["law"]["covariance"][0][0])
    low, high = (reader.user.A * math.exp(sign * error * NormalDist().inv_cdf(0.975)) for sign in (-1, 1))
    for run in RUNS:
        for topic in ("1", "2"):
            row = rows[run, topic, "EPRUM"]
            assert row["reader_low"] == pytest.approx(values(f"bep(A={low!r},L=1000)")[run][topic], rel=2e-3)
            assert row["reader_high"] == pytest.approx(values(f"bep(A={high!r},L=1000)")[run][topic], rel=2e-3)
            assert row["reader_low"] < row["value"] < row["reader_high"]
        assert rows[run, "all", "charR@1"]["reader_low"] is None  # no reader changes it


def test_mean_and_difference_are_those_of_each_reader(reader):
    """Brute force: one evaluation for each reader."""
    drawn = [values(bp.Fit(reader.reader.draw(i, 20)).user) for i in range(20)]
    near, far = (np.array([np.mean(list(one[run].values())) for one in drawn]) for run in ("near", "far"))
    found = bp.compare(TRUTH, RUNS, "EPRUM", user=reader, reader_draws=20, confidence=0.9, resamples=100)
    assert found.estimate("EPRUM", "near").reader == pytest.approx(np.quantile(near, [0.05, 0.95], method="hazen"))
    wanted = np.quantile(far - near, [0.05, 0.95], method="hazen")
    assert found.pair("EPRUM", "far", "near").reader == pytest.approx(wanted)
    assert found.pair("EPRUM", "near", "far").reader == pytest.approx(-wanted[::-1])
    row = found.records()[0]
    assert row["reader_low"] == found.estimate("EPRUM", "near").reader[0]
    assert set(row["comparisons"][0]) >= {"low", "high", "reader_low", "reader_high"}
    assert "mean, readers" in found.table() and "difference, readers" in found.table()


def test_groups_processes_and_parts_keep_the_readers(reader):
    by = {"1": "x", "2": "y"}
    whole = bp.evaluate(TRUTH, RUNS, "EPRUM", user=reader, by=by, reader_draws=9)
    near = [row for row in whole.records() if row["run"] == "near"]
    group = next(row for row in near if row["group"] == "y" and row["topic"] == "all")
    topic = next(row for row in near if row["topic"] == "2")
    assert (group["reader_low"], group["reader_high"]) == (topic["reader_low"], topic["reader_high"])
    shared = bp.evaluate(TRUTH, RUNS, "EPRUM", user=reader, by=by, reader_draws=9, jobs=2)
    assert shared.records() == whole.records()
    alone = whole.only(runs=["far"]).renamed({"far": "other"})
    assert alone.records(False)[-1]["reader_high"] == whole.records(False)[-1]["reader_high"]
    one, two = whole.only(runs=["near"]), whole.only(runs=["far"])
    assert bp.concat(one, two).records() == whole.records()
    compared = bp.compare(TRUTH, RUNS, "EPRUM", user=reader, by=by, reader_draws=9, resamples=100)
    assert compared.groups["y"].estimate("EPRUM", "near").reader == (group["reader_low"], group["reader_high"])


@pytest.mark.slow
def test_a_measure_with_a_fitted_reader_of_its_own(reader, tmp_path):
    reader.write(tmp_path / "reader.json")
    text = f"EPRUM(user='{tmp_path / 'reader.json'}')"
    own = bp.evaluate(TRUTH, RUNS, text).records(False)[0]
    given = bp.evaluate(TRUTH, RUNS, "EPRUM", user=reader).records(False)[0]
    assert (own["reader_low"], own["reader_high"]) == (given["reader_low"], given["reader_high"])
    around = bp.evaluate(TRUTH, RUNS, "EPRUM", user=f"fetch_browse(of='{tmp_path / 'reader.json'}',group='rank')")
    assert around.records(False)[0]["reader_low"] == pytest.approx(given["reader_low"])


@pytest.mark.slow
def test_files_of_earlier_versions_have_no_interval(reader, tmp_path, berrypick):
    content = {key: value for key, value in reader.reader.content.items() if key != "law"}
    bp.write(FittedReader({**content, "checksum": content_checksum(content)}), tmp_path / "old.json", "fitted-user")
    results = bp.evaluate(TRUTH, RUNS, "EPRUM", user=tmp_path / "old.json")
    assert {row["reader_low"] for row in results.records()} == {None}
    assert any("does not say how well its log determines the reader" in str(note) for note in results.notes)
    assert results.mean() == bp.evaluate(TRUTH, RUNS, "EPRUM", user=reader).mean()
    explained = str(bp.explain(TRUTH, RUNS["near"], "EPRUM", "1", user=tmp_path / "old.json"))
    assert "no interval over readers" in explained
    assert "reader_low" not in bp.evaluate(TRUTH, RUNS, "EPRUM", user=reader, reader_draws=0).records()[0]
    with pytest.raises(bp.UsageError, match="reader_draws must be a whole number"):
        bp.evaluate(TRUTH, RUNS, "EPRUM", user=reader, reader_draws=-1)


@pytest.mark.slow
def test_explanation_and_table_say_the_interval(reader, tmp_path, berrypick):
    row = next(r for r in bp.evaluate(TRUTH, RUNS["near"], "EPRUM", user=reader).records() if r["topic"] == "1")
    text = str(bp.explain(TRUTH, RUNS["near"], "EPRUM", "1", user=reader))
    assert f"are in [{row['reader_low']:.6g}" in text
    for name, rows in (("truth", TRUTH), ("near", RUNS["near"])):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows))
    reader.write(tmp_path / "reader.json")
    words = (tmp_path / "truth.jsonl", tmp_path / "near.jsonl", "-m", "EPRUM", "--user", tmp_path / "reader.json")
    shown = berrypick("evaluate", *words, "-o", "table").out
    assert "95% intervals over 100 readers drawn from" in shown
    assert berrypick("evaluate", *words, "-o", "tsv").out.splitlines()[0].endswith("reader_low\treader_high")
    assert "readers" not in berrypick("evaluate", *words, "-o", "table", "--reader-draws", "0").out


@pytest.mark.parametrize(
    "change",
    [
        {"law": {"of": ["B"], "covariance": [[1.0]]}},
        {"law": {"of": ["A"], "covariance": [[1.0, 2.0]]}},
        {"law": {"of": ["A"], "covariance": [["x"]]}},
        {"law": 3},
        {"visits": {"a": -1}},
    ],
)
def test_a_law_that_belongs_to_nothing_is_refused(reader, tmp_path, change):
    content = {**reader.reader.content, **change}
    if "visits" in change:
        del content["law"]
    content["checksum"] = content_checksum(content)
    (tmp_path / "bad.json").write_text(json.dumps(content))
    with pytest.raises(bp.InputError, match="do not fit its parameters"):
        bp.evaluate(TRUTH, RUNS, "EPRUM", user=tmp_path / "bad.json")


# chains


SESSIONS = [["a", "b", "t"], ["a", "t"], ["b", "a", "c"], ["c", "t"], ["b", "t"], ["a"], ["b", "c"], ["a", "b"]]


@pytest.mark.slow
def test_drawn_ways_follow_the_dirichlet_law():
    """Mean p and variance p (1 - p)/(N + w + 1) of each way on, N decisions at the page and w the weight of the
    prior."""
    links = LinkTable(dict.fromkeys((("a", "b"), ("a", "c"), ("b", "a"), ("b", "t"), ("c", "t"), ("t", "a"))))
    for reader in (bp.fit("markov", SESSIONS, held_out=0), bp.fit("markov", SESSIONS, links=links, held_out=0)):
        content = reader.reader.content
        drawn = np.array([[p for _, _, p in reader.reader.draw(i, 0).content["transitions"]] for i in range(6000)])
        p = np.array([row[2] for row in content["transitions"]])
        total = np.array([content["visits"][row[0]] for row in content["transitions"]]) + content["weight"]
        assert drawn.mean(axis=0) == pytest.approx(p, abs=0.012)
        assert drawn.var(axis=0) == pytest.approx(p * (1 - p) / (total + 1), abs=0.004)
        sums: dict[str, np.ndarray] = {}
        for row, column in zip(content["transitions"], drawn.T, strict=True):
            sums[row[0]] = sums.get(row[0], 0) + column
        assert max(one.max() for one in sums.values()) <= 1 + 1e-12


def test_visits_are_the_decisions_at_a_page():
    content = bp.fit("markov", SESSIONS, held_out=0).reader.content
    steps = [(a, b) for path in SESSIONS for a, b in zip(path, [*path[1:], None], strict=True)]
    assert content["visits"] == {page: sum(a == page for a, _ in steps) for page in sorted({a for a, _ in steps})}
    assert "visits" not in bp.fit("markov", SESSIONS, held_out=0).records()[0]


@pytest.mark.slow
def test_interval_of_a_chain_by_brute_force(tmp_path):
    """Readers are drawn at random: of 39 a further one lies below the least, or above the largest, once in 40 times."""
    fitted = bp.fit("markov", SESSIONS, held_out=0)
    fitted.write(tmp_path / "chain.json")
    truth, run = {"q": {"t": 1, "c": 1}}, {"q": {"a": 2.0, "b": 1.0}}
    values = []
    for i in range(39):
        table = ReachTable({(a, b): p for a, b, p in fitted.reader.draw(i, 39).content["transitions"]})
        values.append(bp.score("EPRUM", truth, run, user="markov", navigation=table))
    row = bp.evaluate(truth, run, "EPRUM", user=tmp_path / "chain.json", reader_draws=39).records()[0]
    assert [row["reader_low"], row["reader_high"]] == pytest.approx([min(values), max(values)])
    assert row["reader_low"] < row["value"] < row["reader_high"]


@pytest.mark.slow
def test_intervals_over_readers_hold_the_value_of_the_true_ones(monkeypatch):
    """experiments/reader_coverage.py in small."""
    from importlib import import_module
    from pathlib import Path

    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parents[3] / "experiments"))
    study = import_module("reader_coverage")
    for name in ("bep", "markov, uneven"):
        for measure, (held, width) in study.coverage(name, 40, 25).items():
            assert 0.83 <= held <= 1.0 and width < 0.5, (name, measure)  # 40 intervals: 3.5 standard errors below 95%


@pytest.mark.slow
def test_saved_results_have_no_readers(reader, tmp_path):
    bp.evaluate(TRUTH, RUNS, "EPRUM", user=reader).save(tmp_path / "saved.json")
    found = bp.read_results(tmp_path / "saved.json")
    assert [note.kind for note in found.notes] == ["reader intervals"]
    assert any(note.kind == "reader intervals" for note in bp.compare(found, resamples=100).notes)
    bp.evaluate(TRUTH, RUNS, "EPRUM", user="bep(L=1000)").save(tmp_path / "saved.json")
    assert not bp.read_results(tmp_path / "saved.json").notes


@pytest.mark.slow
def test_the_report_page_has_the_interval(reader, tmp_path):
    bp.write_report(TRUTH, RUNS, "EPRUM", user=reader, html=tmp_path / "page.html", readers="none", resamples=100)
    page = (tmp_path / "page.html").read_text()
    assert "Uncertainty of the fitted reader" in page and "intervals over 100 readers drawn from bep" in page
    bp.write_report(TRUTH, RUNS, "EPRUM", user="bep(L=1000)", html=tmp_path / "page.html", readers="none")
    assert "Uncertainty of the fitted reader" not in (tmp_path / "page.html").read_text()
