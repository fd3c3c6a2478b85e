"""Names that people type, several cut-offs in one text, and the measures where none are named."""

import random

import ir_measures
import pytest
import pytrec_eval
from many_cases import each

import berrypick as bp
from berrypick.pytest import assert_retrieval

chance = random.Random(28)
DOCS = [f"d{i}" for i in range(30)]
QRELS = {f"q{t}": {doc: chance.choice([0, 0, 1, 2]) for doc in chance.sample(DOCS, 20)} for t in range(12)}
RUN = {topic: {doc: chance.random() for doc in chance.sample(DOCS, 25)} for topic in list(QRELS)[:11]}
#: As typed, as trec_eval calls it.
TREC = [
    ("map", "map"), ("MAP", "map"), ("map@10", "map_cut_10"), ("map_cut_10", "map_cut_10"),
    ("ndcg", "ndcg"), ("NDCG@10", "ndcg_cut_10"), ("ndcg@5", "ndcg_cut_5"), ("ndcg_cut_10", "ndcg_cut_10"),
    ("recip_rank", "recip_rank"), ("mrr", "recip_rank"), ("Mrr", "recip_rank"), ("P_10", "P_10"), ("p_5", "P_5"),
    ("P.5", "P_5"), ("precision@5", "P_5"), ("Precision@10", "P_10"), ("recall_100", "recall_100"),
    ("recall@10", "recall_10"), ("RECALL@5", "recall_5"), ("Rprec", "Rprec"), ("r_precision", "Rprec"),
    ("bpref", "bpref"), ("set_P", "set_P"), ("set_recall", "set_recall"), ("set_F", "set_F"), ("f1", "set_F"),
    ("hit_rate@5", "success_5"), ("success_1", "success_1"), ("HitRate@1", "success_1"), ("set_map", "set_map"),
    ("num_rel", "num_rel"), ("num_rel_ret", "num_rel_ret"), ("iprec_at_recall_0.10", "iprec_at_recall_0.10"),
]  # fmt: skip


@pytest.fixture(scope="module")
def official():
    """trec_eval's own values by topic; a topic that the run does not answer is an empty list (-c)."""
    measures = {name.rsplit("_", 1)[0] + "." + name.rsplit("_", 1)[1] if name.rsplit("_", 1)[-1].isdigit() else name
                for _, name in TREC}  # fmt: skip
    wanted = {name if not name.startswith("iprec") else "iprec_at_recall" for name in measures}
    return pytrec_eval.RelevanceEvaluator(QRELS, wanted).evaluate(RUN)


@pytest.mark.slow
@each(["typed", "official_name"], TREC)
def test_digits_are_those_of_trec_eval(official, typed, official_name):
    results = bp.evaluate(QRELS, RUN, typed, topics="run")
    assert results.measures == (typed,)
    found = results.per_topic()["run"][typed]
    for topic, value in found.items():
        if any(QRELS[topic].values()):
            assert value == pytest.approx(official[topic][official_name], abs=1e-9), topic


def test_the_mean_is_that_of_ir_measures():
    typed = {
        "map": ir_measures.AP,
        "ndcg@10": ir_measures.nDCG @ 10,
        "mrr": ir_measures.RR,
        "hit_rate@3": ir_measures.Success @ 3,
    }
    means = bp.evaluate(QRELS, RUN, list(typed)).mean()["run"]
    theirs = ir_measures.calc_aggregate(list(typed.values()), QRELS, RUN)
    assert means == pytest.approx({name: theirs[measure] for name, measure in typed.items()}, abs=1e-9)


def test_shown_as_typed_and_signed_as_meant(berrypick, tmp_path):
    (tmp_path / "t.qrels").write_text("1 0 a 1\n")
    (tmp_path / "r.run").write_text("1 Q0 b 1 2 x\n1 Q0 a 2 1 x\n")
    done = berrypick("evaluate", tmp_path / "t.qrels", tmp_path / "r.run", "-m", "MRR@10 ndcg_cut_5", "-o", "json")
    assert '"measure": "MRR@10"' in done.out and '"signature": "RR@10|' in done.out
    assert '"measure": "ndcg_cut_5"' in done.out and '"signature": "nDCG@5|' in done.out


def test_show_follows_them(berrypick):
    assert berrypick("show", "measure", "ndcg_cut_10").out == berrypick("show", "measure", "nDCG").out


@each("name", ["Gr", "eprum", "NXCG@10", "CharR@5", "rr", "ap", "r@5", "hits@5"])
def test_our_own_names_are_exact(name):
    with pytest.raises(bp.UsageError, match=r"unknown measure|did you mean|cut-off"):
        bp.evaluate(QRELS, RUN, name)


def test_several_cut_offs_in_one_text():
    for text, names in {
        "P@1,3,5": ["P@1", "P@3", "P@5"],
        "P_1,3": ["P_1", "P_3"],
        "ndcg@5,10 RR": ["ndcg@5", "ndcg@10", "RR"],
        "EPRUM@0.5,1": ["EPRUM@0.5", "EPRUM@1"],
        "nDCG(dcg='exp-log2')@1,2": ["nDCG(dcg='exp-log2')@1", "nDCG(dcg='exp-log2')@2"],
    }.items():
        assert bp.evaluate(QRELS, RUN, text).measures == tuple(names)
    for wrong in ("P@1,", "P@,1", "P@1,x"):
        with pytest.raises(bp.UsageError):
            bp.evaluate(QRELS, RUN, wrong)


def test_metrics_is_another_name():
    expected = bp.evaluate(QRELS, RUN, "P@5").mean()
    assert bp.evaluate(QRELS, RUN, metrics="P@5").mean() == expected
    assert bp.Evaluation.prepare(QRELS, RUN, metrics=["P@5"]).run().mean() == expected
    assert bp.compare(QRELS, {"a": RUN, "b": RUN}, metrics="P@5", resamples=100).measures == ("P@5",)
    with pytest.raises(bp.UsageError, match="measures and metrics are two names"):
        bp.evaluate(QRELS, RUN, "P@5", metrics="P@5")


def test_gates_take_typed_names(berrypick, tmp_path):
    (tmp_path / "t.qrels").write_text("1 0 a 1\n2 0 a 1\n")
    (tmp_path / "r.run").write_text("1 Q0 b 1 2 x\n1 Q0 a 2 1 x\n2 Q0 a 1 1 x\n")
    files = (tmp_path / "t.qrels", tmp_path / "r.run")
    assert berrypick("compare", *files, "--fail-under", "mrr=0.75").code == 0
    done = berrypick("compare", *files, "--fail-under", "mrr=0.76,ndcg@5=0.1")
    assert done.code == 1 and "mrr is 0.7500, below 0.76" in done.err
    assert_retrieval(*files, "mrr >= 0.75", "recall@5 >= 1")
    with pytest.raises(AssertionError, match=r"mrr is 0.75, must be > 0.75"):
        assert_retrieval(*files, "mrr > 0.75")


SPANS = {"q": [("d", 0, 10)]}
DEFAULTS = [
    (QRELS, RUN, {}, ["AP", "nDCG@10", "R@100", "RR"]),
    (SPANS, {"q": [("d", 5, 15)]}, {}, ["charR@5", "charP@5", "spanRR"]),
    ({"q": [("d", 0.5, 10)]}, {"q": [("d", 5, 15)]}, {}, ["spanHit(iou=0.5)@1"]),
]  # fmt: skip


@each(["truth", "run", "options", "names"], DEFAULTS, ids=lambda case: str(case[3]))
def test_measures_where_none_are_named(truth, run, options, names):
    results = bp.evaluate(truth, run, **options)
    assert results.measures == tuple(names)
    assert any(f"no measures given; using {' '.join(names)}" in note.text for note in results.notes)
    assert bp.compare(truth, run, resamples=100, **options).measures == tuple(names)
