"""Measures of berrypick in ir_measures: names, numbers, settings, undefined topics."""

from __future__ import annotations

import ast
import math
import random
import subprocess
import sys

import ir_measures
import pandas as pd
import pytest
from ir_measures import Qrel, ScoredDoc

import berrypick as bp
from berrypick.integrations import ir_measures_provider as provided
from berrypick.measures import registry
from berrypick.measures._documents import names as document_names

THEIRS = dict(ir_measures.measures.registry)
TRUTH = {"good": {"d#0-100": 1}, "bad": {"d#200-300": 1}, "empty": {"d#0-10": 0}}
RUN = {"good": {"d#0-50": 1.0, "e#0-9": 0.5}, "bad": {"d#500-600": 1.0}, "empty": {"d#0-9": 1.0}}


@pytest.fixture(autouse=True)
def registered():
    """Registered for each test, and as it was afterwards."""
    before = list(ir_measures.DefaultPipeline.providers)
    bp.register_ir_measures()
    yield
    ir_measures.measures.registry.clear()
    ir_measures.measures.registry.update(THEIRS)
    ir_measures.DefaultPipeline.providers[:] = before
    provided._PROVIDER.options = {}
    ir_measures.parse_trec_measure = provided._parse_trec_measure


def parsed(*texts):
    return [ir_measures.parse_measure(text) for text in texts]


def by_text(found):
    return {str(measure).replace('"', "'"): value for measure, value in found.items()}


def test_no_measure_of_ours_is_listed_as_theirs():
    assert {"infAP", "RBP"} <= {*document_names()} and registry.definitions().keys().isdisjoint(document_names())


def test_every_measure_parses_and_theirs_stay_theirs():
    for name in registry.names():
        found = ir_measures.parse_measure(name)
        assert (
            (found is THEIRS[name] or found == THEIRS[name]) if name in THEIRS else type(found).__name__ == f"_{name}"
        )
    assert {name: ir_measures.measures.registry[name] for name in THEIRS} == THEIRS


@pytest.mark.parametrize(
    "text", ["charR@5", "EPRUM@0.5", "AgP(score='t2i',tolerance=300)", "EPRUM(r=2)", "MAgP", "nxCG@10"]
)
def test_a_measure_is_written_as_it_was_read(text):
    (found,) = parsed(text)
    assert str(found) == text and found == ir_measures.parse_measure(str(found))
    assert len({found, ir_measures.parse_measure(text)}) == 1


def test_numbers_are_those_of_evaluate():
    texts = ["charR@5", "charP", "EPRUM", "gP@5", "Overlap", "nxCG@10", "EPRUM(r=1)"]
    results = bp.evaluate(TRUTH, RUN, texts)
    aggregated, topics = ir_measures.calc(parsed(*texts), TRUTH, RUN)
    assert by_text(aggregated) == pytest.approx(results["run"].mean()["run"], abs=0, nan_ok=True)
    assert by_text(ir_measures.calc_aggregate(parsed(*texts), TRUTH, RUN)) == by_text(aggregated)
    for source in (topics, list(ir_measures.iter_calc(parsed(*texts), TRUTH, RUN))):
        found = {(str(one.measure), one.query_id): one.value for one in source}
        assert len(found) == len(source) == len(texts) * len(TRUTH)
        for row in results.topic_rows:
            value = found[row.measure, row.topic]
            assert math.isnan(value) if row.value is None else value == row.value


def test_generated_runs_have_the_mean_of_evaluate_to_the_last_digit():
    draw = random.Random(3)
    truth = {str(t): {f"d{i}#{s}-{s + 70}": 1 for i, s in enumerate(draw.sample(range(900), 4))} for t in range(30)}
    run = {
        str(t): {f"d{draw.randrange(4)}#{s}-{s + 120}": draw.random() for s in draw.sample(range(900), 9)}
        for t in range(28)
    }
    found = ir_measures.calc_aggregate(parsed("charR@5", "IoU@3", "EPRUM"), truth, run)
    assert by_text(found) == bp.evaluate(truth, run, "charR@5 IoU@3 EPRUM").mean()["run"]


@pytest.mark.parametrize("more", [[], ["P@1"]], ids=["alone", "with theirs"])
def test_undefined_topics_leave_the_mean(more):
    """Also where ir_measures adds topics that a provider has no value for."""
    assert bp.evaluate(TRUTH, RUN, "charR").per_topic()["run"]["charR"]["empty"] is None
    found = by_text(ir_measures.calc_aggregate(parsed("charR", *more), TRUTH, RUN))
    assert found["charR"] == 0.25
    values = {one.query_id: one.value for one in ir_measures.iter_calc(parsed("charR", *more), TRUTH, RUN)
              if str(one.measure) == "charR"}  # fmt: skip
    assert values["good"] == 0.5 and values["bad"] == 0 and math.isnan(values["empty"])
    nothing = {"empty": TRUTH["empty"]}
    assert math.isnan(ir_measures.calc_aggregate(parsed("charR"), nothing, RUN)[parsed("charR")[0]])


def test_topics_that_the_run_lacks_count_as_in_evaluate():
    run = {"good": RUN["good"]}
    assert (
        by_text(ir_measures.calc_aggregate(parsed("charR"), TRUTH, run))
        == bp.evaluate(TRUTH, run, "charR").mean()["run"]
    )


def test_named_tuples_and_frames():
    qrels = [Qrel("1", "a", 1), Qrel("1", "b", 0), Qrel("2", "a", 1)]
    run = [ScoredDoc("1", "b", 2.0), ScoredDoc("1", "a", 1.0), ScoredDoc("2", "a", 1.0)]
    expected = bp.evaluate(qrels, run, "EPRUM nxCG@2").mean()["run"]
    measures = parsed("EPRUM", "nxCG@2")
    assert by_text(ir_measures.calc_aggregate(measures, qrels, run)) == expected
    assert by_text(ir_measures.calc_aggregate(measures, iter(qrels), iter(run))) == expected
    frames = (pd.DataFrame(qrels), pd.DataFrame(run))
    assert by_text(ir_measures.calc_aggregate(measures, *frames)) == expected
    mixed = by_text(ir_measures.calc_aggregate([*measures, *parsed("AP")], iter(qrels), iter(run)))
    assert mixed == {**expected, "AP": 0.75}


def test_frames_with_start_and_end():
    qrels = pd.DataFrame({"query_id": ["1"], "doc_id": ["a"], "relevance": [1], "start": [0], "end": [100]})
    run = pd.DataFrame({"query_id": ["1"], "doc_id": ["a"], "score": [1.0], "start": [50], "end": [150]})
    assert by_text(ir_measures.calc_aggregate(parsed("charR@5", "charP"), qrels, run)) == {"charR@5": 0.5, "charP": 0.5}


def test_an_evaluator_takes_several_runs():
    evaluator = ir_measures.evaluator(parsed("charR"), TRUTH)
    assert by_text(evaluator.calc_aggregate(RUN)) == {"charR": 0.25}
    assert by_text(evaluator.calc_aggregate({"good": {"d#0-100": 1.0}})) == {"charR": 0.5}
    assert parsed("charR")[0].calc_aggregate(TRUTH, RUN) == 0.25


def test_settings_at_registration():
    before = by_text(ir_measures.calc_aggregate(parsed("charR", "EPRUM(r=1)"), TRUTH, RUN))
    bp.register_ir_measures(min_score=0.9, topics="run")
    run = {"good": {"e#0-9": 1.0, "d#0-50": 0.5}}
    found = by_text(ir_measures.calc_aggregate(parsed("charR"), TRUTH, run))
    assert found == bp.evaluate(TRUTH, run, "charR", min_score=0.9, topics="run").mean()["run"] == {"charR": 0.0}
    bp.register_ir_measures()
    assert by_text(ir_measures.calc_aggregate(parsed("charR", "EPRUM(r=1)"), TRUTH, RUN)) == before


def test_a_user_model_and_its_navigation(tmp_path):
    table = tmp_path / "clicks.tsv"
    table.write_text("b\ta\t0.5\n")
    qrels, run = {"1": {"a": 1}}, {"1": {"b": 1.0}}
    plain = by_text(ir_measures.calc_aggregate(parsed("EPRUM"), qrels, run))
    bp.register_ir_measures(navigation=table)
    found = by_text(ir_measures.calc_aggregate(parsed("EPRUM"), qrels, run))
    assert found == bp.evaluate(qrels, run, "EPRUM", navigation=table).mean()["run"] != plain


def test_wrong_settings_are_refused_at_registration():
    with pytest.raises(bp.UsageError, match=r"no option 'usr'.*user"):
        bp.register_ir_measures(usr="classical")


def test_wrong_parameters():
    with pytest.raises(bp.UsageError, match=r"AgP has no parameter tolerence.*tolerance"):
        parsed("AgP(tolerence=1)")
    with pytest.raises(bp.UsageError, match="ESL takes no cut-off after @"):
        parsed("ESL@5")
    with pytest.raises(bp.UsageError, match="score"):
        ir_measures.calc_aggregate(parsed("AgP(score='no')"), TRUTH, RUN)


def test_a_value_that_is_the_default_is_kept():
    """Under a protocol the default is another one."""
    assert str(parsed("gP(beta=0.25)@5")[0]) == "gP(beta=0.25)@5"


def test_berrypick_itself_is_unchanged():
    """Names that are registered there are not taken for measures of ir_measures here."""
    assert not {"charR", "EPRUM", "AgP"} & set(document_names())
    assert bp.evaluate(TRUTH, RUN, parsed("charR@5")).mean() == bp.evaluate(TRUTH, RUN, "charR@5").mean()
    with pytest.raises(bp.UsageError, match="unknown measure charRR"):
        bp.evaluate(TRUTH, RUN, "charRR")


def test_a_measure_that_was_registered_later():
    class Twice(bp.Measure):
        """The number two."""

        def compute(self, topic):
            return 2.0

    bp.register(Twice)
    try:
        bp.register_ir_measures()
        assert by_text(ir_measures.calc_aggregate(parsed("Twice"), TRUTH, RUN)) == {"Twice": 2.0}
    finally:
        registry.reload()


@pytest.mark.parametrize("text", ["1", "0.5", "'a'", "True", "None", "{'a': 1}"])
def test_values_are_read_as_ir_measures_reads_them(text):
    """The function that takes the place of theirs where Python lacks what it needs."""
    node = ast.parse(text, mode="eval").body
    assert provided._literal(node) == ast.literal_eval(text)
    with pytest.raises(ValueError, match="values must be"):
        provided._literal(ast.parse("f()", mode="eval").body)


def test_their_parser_works_with_it(monkeypatch):
    monkeypatch.setattr(ir_measures.util, "_ast_to_value", provided._literal)
    assert str(ir_measures.parse_measure("nDCG(dcg='exp-log2')@10")) == "nDCG(dcg='exp-log2')@10"
    assert str(ir_measures.parse_measure("AP(rel=2)@5")) == "AP(rel=2)@5"


def test_a_run_without_results_has_the_values_of_nothing_found():
    for nothing in ({}, iter([]), pd.DataFrame({"query_id": [], "doc_id": [], "score": []})):
        assert by_text(ir_measures.calc_aggregate(parsed("charR", "Abstained"), TRUTH, nothing))["charR"] == 0


def test_names_of_trec_eval_stay():
    assert ir_measures.parse_trec_measure("charR@5") == parsed("charR@5")
    assert ir_measures.parse_trec_measure("map") == parsed("AP")
    assert len(ir_measures.parse_trec_measure("official")) > 5
    with pytest.raises(ValueError, match="no_such"):
        ir_measures.parse_trec_measure("no_such")


# PyTerrier


@pytest.fixture
def experiment():
    pt = pytest.importorskip("pyterrier", reason="python-terrier is not installed")
    topics = pd.DataFrame({"qid": ["1", "2"], "query": ["a", "b"]})
    qrels = pd.DataFrame(
        {"qid": ["1", "2"], "docno": ["a", "a"], "label": [1, 1], "start": [0, 700], "end": [100, 800]}
    )
    one = pd.DataFrame({"qid": ["1", "2"], "query": ["a", "b"], "docno": ["a", "a"], "score": [1.0, 1.0],
                        "rank": [0, 0], "start": [50, 600], "end": [150, 900]})  # fmt: skip
    two = one.assign(start=[0, 0], end=[100, 10])

    def run(qrels=qrels, topics=topics, **how):
        systems = [pt.Transformer.from_df(one), pt.Transformer.from_df(two)]
        return pt.Experiment(systems, topics, qrels, ["EPRUM", "charR@5", "charP"], names=["one", "two"], **how)

    run.inputs = qrels, {"one": one, "two": two}
    return run


@pytest.mark.slow
@pytest.mark.parametrize("baseline", [None, 0])
def test_an_experiment_of_pyterrier(experiment, baseline):
    qrels, runs = experiment.inputs
    found = experiment(baseline=baseline).set_index("name")
    expected = bp.evaluate(qrels, runs, "EPRUM charR@5 charP").mean()
    for run, means in expected.items():
        assert found.loc[run, ["EPRUM", "charR@5", "charP"]].to_dict() == pytest.approx(means, abs=1e-12)
    assert found.loc["one", "charR@5"] == 0.75
    if baseline == 0:
        assert found.loc["two", "charR@5 +"] == 1 and found.loc["two", "charR@5 -"] == 1


@pytest.mark.slow
def test_batches_and_topics_of_pyterrier(experiment):
    values = experiment(perquery=True, batch_size=1).set_index(["name", "qid", "measure"])["value"]
    assert values["one", "1", "charR@5"] == 0.5 and values["two", "2", "charR@5"] == 0
    topics = pd.DataFrame({"qid": ["1"], "query": ["a"]})
    found = experiment(topics=topics, filter_by_topics=False, batch_size=1).set_index("name")
    assert found.loc["two", "charR@5"] == 0.5  # the topic that was not run counts as one without results


@pytest.mark.slow
@pytest.mark.parametrize("baseline", [None, 0])
def test_pyterrier_shows_a_mean_with_undefined_topics_as_nan(experiment, baseline):
    """It computes means itself: NaN, not a number that looks right."""
    qrels, _ = experiment.inputs
    found = experiment(qrels=qrels.assign(label=[1, 0]), baseline=baseline).set_index("name")
    assert math.isnan(found.loc["one", "charR@5"])


WITHOUT_OLD_AST = """
import ast, sys
import ir_measures, numpy  # look at the version while they are loaded
import berrypick as bp
for name in ("Num", "Str", "Bytes", "NameConstant", "Ellipsis"):
    if name in vars(ast):
        delattr(ast, name)
ast.__getattr__ = lambda name: (_ for _ in ()).throw(AttributeError(name))  # the warning of 3.12 and 3.13 is gone, too
try:
    ir_measures.parse_measure("nDCG@10")
    raise SystemExit("nothing is simulated")
except AttributeError:
    pass
sys.version_info = (3, 14, 0, "final", 0)
truth, run = {"1": {"a": 2, "b": 0}}, {"1": {"b": 2.0, "a": 1.0}}
print(bp.evaluate(truth, run, "AP nDCG(dcg='exp-log2')@10 P(rel=2)@2 IPrec@0.1 RR").mean())
bp.register_ir_measures()
measures = [ir_measures.parse_measure(text) for text in ("charR@5", "nDCG@10", "P(rel=2)@2", "IPrec@0.1")]
print(measures)
"""


@pytest.mark.slow
def test_without_the_parts_of_ast_that_python_3_14_has_removed():
    """On every version, as if it were 3.14: no number of ours goes through ir_measures' parser."""
    done = subprocess.run([sys.executable, "-c", WITHOUT_OLD_AST], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    means, measures = done.stdout.splitlines()
    assert "'AP': 0.5" in means and "'P(rel=2)@2': 0.5" in means and "'RR': 0.5" in means
    assert measures == "[charR@5, nDCG@10, P(rel=2)@2, IPrec@0.1]"


def test_measures_with_a_file_here_are_ours_by_all_their_names():
    theirs = document_names()
    assert "infAP" in theirs and not {"AP", "MAP", "MRR", "Recall", "nDCG"} & set(theirs)
    assert registry.find("MAP") is registry.find("AP") is not None
