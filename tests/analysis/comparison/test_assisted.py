"""Comparisons and gates by judgements of people and of a model."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import numpy as np
import pytest
from judged_by_model import world
from many_cases import at_length, each
from scipy import stats

import berrypick as bp
from berrypick.analysis.comparison.assisted import AssistedSight
from berrypick.analysis.comparison.detectable import GateTest, Sight
from berrypick.data.errors import UsageError
from berrypick.pytest import assert_retrieval
from berrypick.statistics.model_assisted import assisted_means


def compared(measures="AP", people=30, **options):
    judged, model, runs = world(people)
    return bp.compare(judged, runs, measures, model_truth=model, **options)


def differences(truth, runs, measure="AP"):
    values = bp.evaluate(truth, runs, measure).per_topic()
    return {topic: values["new"][measure][topic] - values["old"][measure][topic] for topic in truth}


def test_differences_are_estimated_as_means_are():
    people, model, runs = world()
    y, f = differences(people, runs), differences(model, runs)
    own, rest = sorted(y), sorted(f.keys() - y.keys())
    parts = ([y[t] for t in own], [f[t] for t in own], [f[t] for t in rest])
    expected = assisted_means(*(np.array(part)[:, None] for part in parts))
    [pair] = compared().pairs
    assert pair.difference == pytest.approx(expected.value[0])
    half = stats.t.ppf(0.975, 29) * np.sqrt(expected.variance[0])
    assert (pair.low, pair.high) == (pytest.approx(pair.difference - half), pytest.approx(pair.difference + half))
    assert pair.p == pytest.approx(2 * stats.t.sf(abs(pair.difference) / np.sqrt(expected.variance[0]), 29))
    assert pair.worse and pair.turned().better and pair.topics == 30
    assert pair.turned().assisted.people == pytest.approx(-sum(y.values()) / 30)


def test_estimates_are_those_of_evaluate():
    people, model, runs = world()
    rows = bp.evaluate(people, runs, "AP P@1", model_truth=model)
    found = bp.compare(people, runs, "AP P@1", model_truth=model)
    for row in rows.mean_rows:
        one = found.estimate(row.measure, row.run)
        assert (one.value, one.low, one.high) == (row.value, row.summary["low"], row.summary["high"])
        assert one.signature["truth-sum"] == row.signature["truth-sum"]
        assert one.signature["interval"] == "model-assisted" and "resamples" not in dict(one.signature.fields)
    assert bp.compare(rows).pairs == found.pairs


def test_records_carry_people_model_and_worth():
    for row in compared().records():
        assert {"value", "low", "high", "people", "model", "worth", "bias", "correlation"} <= row.keys()
        assert {"people", "model", "worth"} <= row["comparisons"][0].keys()


def test_corrections_are_over_the_assisted_p_values():
    found = compared("AP P@1", family="all")
    p = [pair.p for pair in found.pairs]
    assert sorted(pair.p_adjusted for pair in found.pairs) == pytest.approx(
        sorted([2 * min(p), max(max(p), 2 * min(p))])
    )


def test_equal_runs_of_hits_have_tangos_interval():
    people, model, runs = world()
    [pair] = bp.compare(people, {"one": runs["old"], "two": runs["old"]}, "P@1", model_truth=model).pairs
    assert (pair.difference, pair.p, pair.interval) == (0.0, 1.0, "tango")
    assert pair.low < 0 < pair.high and not pair.significant


def test_clusters_are_of_all_topics():
    people, model, runs = world()
    each_own = {topic: topic for topic in model}
    pairs = {topic: str(i // 2) for i, topic in enumerate(model)}
    plain, single, double = (
        bp.compare(people, runs, "AP", model_truth=model, cluster=one).pairs[0] for one in (None, each_own, pairs)
    )
    assert (single.low, single.p) == (pytest.approx(plain.low), pytest.approx(plain.p))
    assert double.low != pytest.approx(plain.low)


def test_gates_use_the_estimates():
    found = compared()
    value = found.estimate("AP", "new").value
    assert found.unmet(under={"AP": value}) == []
    [reason] = found.unmet(under={"AP": value + 0.001})
    assert reason.startswith("new: AP is") and reason.endswith("model-assisted")
    [reason] = found.unmet(worse_than="old")
    assert "significantly worse than old" in reason and "model-assisted" in reason
    assert found.unmet(worse_than="old", margin=abs(found.pairs[0].difference) + 0.001) == []
    with pytest.raises(UsageError, match=r"would miss a drop of 0.01 too often .* about [0-9]+ topics would be enough"):
        found.unmet(worse_than="old", must_see=0.01)


@each(
    ["options", "said"],
    [
        ({"interval": "bca"}, "remove interval="),
        ({"resamples": 500}, "remove resamples="),
        ({"assumptions": True}, "no model-assisted form"),
        ({"over": "bep(A=0.01..100)"}, "no model-assisted form"),
        ({"by": "doc"}, "omit by="),
    ],
)
def test_refused(options, said):
    with pytest.raises(UsageError, match=said):
        compared(**options)


def test_saved_results_are_refused(tmp_path):
    people, model, runs = world()
    results = bp.evaluate(people, runs, "AP", model_truth=model)
    results.save(tmp_path / "saved.json")
    with pytest.raises(UsageError, match="saved results lack the values by the model"):
        bp.compare(bp.read_results(tmp_path / "saved.json"))
    with pytest.raises(UsageError, match="needs the truth and the runs"):
        bp.compare(results, model_truth=model)
    with pytest.raises(UsageError, match="only some of the results are model-assisted"):
        bp.concat(results, bp.evaluate(people, runs, "P@1"))


def test_a_ledger_counts_a_run_that_changes_on_topics_of_the_model(tmp_path):
    people, model, runs = world()
    ledger = tmp_path / "ledger.jsonl"
    changed = {**runs["new"], "q079": {name: 1.0 for name in model["q079"] if not model["q079"][name]}}

    def look(run):
        found = bp.compare(people, {"old": runs["old"], "new": run}, "AP", model_truth=model, ledger=ledger)
        return found.looks["AP", "new"]

    assert (look(runs["new"]).number, look(changed).number, look(runs["new"]).again) == (1, 2, True)


def test_assert_retrieval_is_model_assisted():
    people, model, runs = world()
    value = bp.evaluate(people, runs["old"], "AP", model_truth=model).mean()["run"]["AP"]
    results = assert_retrieval(people, runs["old"], f"AP >= {value - 1e-6}", model_truth=model, baseline=runs["new"])
    gates = bp.compare(people, {"new": runs["new"], "old": runs["old"]}, "AP", model_truth=model, pairs="baseline")
    assert results.detectable["run"]["AP"] == pytest.approx(_smallest(gates))
    with pytest.raises(AssertionError, match=r"Model-assisted means"):
        assert_retrieval(people, runs["old"], f"AP >= {value + 0.001}", model_truth=model)
    with pytest.raises(AssertionError, match=r"significantly worse than baseline.*model-assisted"):
        assert_retrieval(people, runs["new"], model_truth=model, baseline=runs["old"])


def _smallest(found):
    from berrypick.analysis.comparison.gates import Gates

    return Gates({}, {}, "new").with_detectable(found).detectable["AP", "old", "new"].drop


@pytest.fixture
def command(tmp_path, monkeypatch, berrypick):
    people, model, runs = world()
    for name, truth in (("people", people), ("model", model)):
        lines = [f"{topic} 0 {doc} {grade}\n" for topic, judged in truth.items() for doc, grade in judged.items()]
        (tmp_path / f"{name}.qrels").write_text("".join(lines))
    for name, run in runs.items():
        lines = [
            f"{topic} Q0 {doc} 1 {score} {name}\n" for topic, ranked in run.items() for doc, score in ranked.items()
        ]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    monkeypatch.chdir(tmp_path)
    given = ["compare", "people.qrels", "old.run", "new.run", "-m", "AP", "--model-truth", "model.qrels"]
    return lambda *more: berrypick(*given, *more)


def test_every_output_says_that_numbers_are_model_assisted(command):
    for form in ("table", "markdown", "latex"):
        assert "model-assisted" in command("-o", form).out
    gated = command("-o", "junit", "--fail-if-worse", "old.run", "--fail-under", "AP=0.1")
    assert gated.code == 1
    cases = [case.get("name") for case in ElementTree.fromstring(gated.out).iter("testcase")]
    assert cases and all("model-assisted" in name for name in cases)
    rows = json.loads(command("-o", "json", "--fail-if-worse", "old.run").out)
    assert rows[1]["comparisons"][0]["detectable"] > 0 and "model-truth:" in rows[0]["signature"]
    assert "people" in command("-o", "csv").out.splitlines()[0]


def test_the_truth_cannot_be_saved_results(command, berrypick, tmp_path):
    command("-o", "json")
    saved = berrypick("evaluate", "people.qrels", "old.run", "-m", "AP", "-q", "-o", "saved.json")
    found = berrypick("compare", "saved.json", "--model-truth", "model.qrels")
    assert saved.code == 0 and found.code == 2 and "--model-truth needs the judgements by people" in found.err


def test_the_report_says_it_too(tmp_path):
    pytest.importorskip("vl_convert")
    people, model, runs = world()
    bp.write_report(people, runs, "AP", model_truth=model, html=tmp_path / "report.html")
    assert "Means are model-assisted" in (tmp_path / "report.html").read_text()


# --- the drop that a gate sees ----------------------------------------------------------------------------------------


def sight(one, other, f_one, f_other, people):
    gate = GateTest(0.05, "t")
    parts = [np.stack(both, axis=1) for both in ((one, other), (f_one, f_other))]
    alone = Sight(parts[0][:people, 0], parts[0][:people, 1], gate)
    return AssistedSight(parts[0][:people], parts[1][:people], parts[1][people:], gate, alone)


def drawn(random, hits, drop=0.0, topics=300):
    """Two runs, of which the first is worse by a drop, and a biased model."""
    if hits:
        other = (random.random(topics) < 0.6).astype(float)
        one = np.where(random.random(topics) < 0.2, (random.random(topics) < 0.6).astype(float), other)
        lost = random.random(topics) < drop / 0.6
        one = np.where(lost, 0.0, one)
        wrong = random.random(topics) < 0.1
        return one, other, np.where(wrong, 1 - one, one) * ~lost, np.where(wrong, 1 - other, other)
    other = random.beta(1.2, 1, topics)
    one = other + random.normal(0, 0.2, topics)
    f = [0.15 + 0.8 * y + 0.1 * random.normal(size=topics) for y in (one, other)]
    return one - drop, other, f[0] - drop, f[1]


@pytest.mark.slow
@each("hits", [False, True])
def test_power_at_the_detectable_drop(hits):
    random = np.random.default_rng(4)
    people, drops = 50, []
    for _ in range(at_length(8, 60)):
        drops.append(sight(*drawn(random, hits), people).smallest().drop)
    drop = float(np.mean(drops))
    seen = []
    for _ in range(at_length(400, 2000)):
        one, other, f_one, f_other = drawn(random, hits, drop)
        y, f = (one - other)[:, None], (f_one - f_other)[:, None]
        found = assisted_means(y[:people], f[:people], f[people:])
        seen.append(found.tests[1][0] <= 0.05 and found.value[0] < 0)
    assert 0.75 - 0.04 < np.mean(seen) < 0.85 + 0.04, (drop, np.mean(seen))  # two standard errors


def test_equal_runs_of_hits_have_the_drop_of_people_alone():
    random = np.random.default_rng(5)
    y = (random.random(100) < 0.6).astype(float)
    found = sight(y, y, y, y, 30)
    assert found.smallest() == found.alone.smallest() and found.smallest().drop > 0.1


def test_the_model_makes_smaller_drops_visible():
    random = np.random.default_rng(6)
    found = sight(*drawn(random, False), 50)
    assert found.smallest().drop < 0.8 * found.alone.smallest().drop
