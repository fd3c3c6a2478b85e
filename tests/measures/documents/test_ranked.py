"""Measures of whole documents are those of trec_eval and gdeval, topic by topic, and those of a plain loop."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import pytest

import berrypick as bp
from berrypick.data.assemble import assemble
from berrypick.evaluation.requested import parse_measure
from berrypick.given.convert import as_run, as_truth
from berrypick.kernels import _native
from berrypick.measures import _documents as document_measures
from berrypick.measures.documents._ranked import RankedMeasure
from berrypick.topics.documents import judged_documents

NAMES = ["AP", "P", "R", "nDCG", "RR", "Rprec", "Bpref", "Judged", "SetP", "SetR", "SetF", "Success", "ERR"]
KERNELS = ["numpy", pytest.param("native", marks=pytest.mark.skipif(_native is None, reason="no compiled kernels"))]


def forms(name: str) -> list[str]:
    """The measure with each of its parameters and cut-offs."""
    cls = type(parse_measure(f"{name}@3" if name in ("P", "R", "Success") else name))
    known = {parameter.name for parameter in cls.parameters()}
    inside = [""]
    inside += [f"(rel={rel})" for rel in (1, 2, 3) if "rel" in known]
    inside += ["(judged_only=True)", "(rel=2,judged_only=True)"] if {"judged_only", "rel"} <= known else []
    inside += ["(judged_only=True)"] if "judged_only" in known and "rel" not in known else []
    inside += ["(beta=0.5)", "(beta=2.0)"] if "beta" in known else []
    inside += ["(relative=True)"] if "relative" in known else []
    at = {"none": [""], "rank": ["@1", "@3", "@10", "@1000"]}[cls.cutoff]
    at += [""] if cls.cutoff == "rank" and not cls.cutoff_required and name != "ERR" else []
    return [f"{name}{some}{cut}" for some in inside for cut in at]


def worlds(seed: int, lowest: int = -2) -> tuple[dict[str, Any], dict[str, Any]]:
    """Topics of every kind: few and many documents, nothing relevant, nothing found, not answered; equal scores."""
    draw = random.Random(seed)
    truth, run = {}, {}
    for topic in range(1, 9):
        pool = [f"d{i}" for i in range(draw.choice([2, 5, 40]))]
        judged = draw.sample(pool, draw.randrange(1, len(pool)))
        truth[str(topic)] = {name: draw.randrange(lowest, draw.choice([1, 2, 5])) for name in judged}
        if draw.random() < 0.85:
            found = draw.sample(pool, draw.randrange(1, len(pool) + 1)) + [f"x{i}" for i in range(draw.randrange(4))]
            run[str(topic)] = {name: draw.choice([draw.random(), 0.5, 1.0]) for name in found}
    truth["1"]["d0"] = 1
    run.setdefault("1", {"d0": 1.0})
    return truth, run


def both(truth: Any, run: Any, texts: list[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    ours = bp.evaluate(truth, run, texts).per_topic()["run"]
    judged, ranked = as_truth(truth), as_run(run)
    theirs = {text: document_measures.parse(text) for text in texts}
    found = document_measures.score(judged, ranked, list(theirs.values()))
    return ours, {
        text: {t: found.get((measure, t), 0.0) if judged.topics[t].has_relevant else None for t in judged.topics}
        for text, measure in theirs.items()
    }


@pytest.mark.slow
@pytest.mark.parametrize("kernels", KERNELS)
@pytest.mark.parametrize("name", NAMES)
def test_they_are_those_of_ir_measures(name: str, kernels: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BERRYPICK_KERNELS", kernels)
    texts = [text for text in forms(name) if not (text.startswith("RR") and "judged_only" in text and "@" in text)]
    if name == "nDCG":
        texts += ["nDCG(dcg='exp-log2')@10", "nDCG(dcg='exp-log2')@2"]
    digits = 5.1e-6 if name == "ERR" else 1e-15
    for seed in range(3 if name == "ERR" else 25):
        # trec_eval reads beyond its table of grades where no grade is as high as the level of Bpref
        truth, run = worlds(seed)
        if name == "Bpref":
            for grades in truth.values():
                grades["top"] = 4
        ours, theirs = both(truth, run, texts)
        for text in texts:
            assert ours[text].keys() == theirs[text].keys()
            for topic, value in ours[text].items():
                other = theirs[text][topic]
                bound = 5.1e-6 if "exp" in text else digits
                assert (value is None) == (other is None), (text, topic)
                assert value is None or math.isclose(value, other, abs_tol=bound, rel_tol=0), (seed, text, topic)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_they_are_ours(name: str) -> None:
    for text in forms(name):
        assert isinstance(parse_measure(text), RankedMeasure)
        signature = bp.evaluate({"1": {"a": 1}}, {"1": {"a": 1}}, text).mean_rows[0].signature
        assert signature["by"] == "berrypick"


def test_what_is_not_ours_is_computed_by_ir_measures() -> None:
    for text in ("nDCG(gains={1:2})@10", "infAP", "SetAP", "NumRet"):
        results = bp.evaluate({"1": {"a": 1}}, {"1": {"a": 1}}, text)
        assert results.mean_rows[0].signature["by"] == "ir_measures"


def test_a_cut_off_may_be_a_parameter() -> None:
    assert parse_measure("P(cutoff=5)") == parse_measure("P@5") == parse_measure("P(cutoff=3)@5")
    with pytest.raises(bp.UsageError):
        parse_measure("P(cutoff=0)")


def test_close_scores_are_not_equal() -> None:
    """As 32-bit floats they would be, and b would come first."""
    truth, run = {"1": {"a": 1}}, {"1": {"a": 16777217, "b": 16777216}}
    assert bp.evaluate(truth, run, "AP RR EPRUM RR@1 infAP").mean()["run"] == {
        "AP": 1.0, "RR": 1.0, "EPRUM": 1.0, "RR@1": 1.0, "infAP": 1.0
    }  # fmt: skip


def test_equal_scores_are_ordered_by_name_the_largest_first() -> None:
    truth, run = {"1": {"b": 1}}, {"1": {"a": 1, "b": 1, "Z": 1, "\u00e9": 1}}
    assert bp.score("RR", truth, run) == 0.5
    assert bp.score("RR@10", truth, run) == 0.5
    assert bp.score("Judged@2", truth, run) == 0.5


def test_grades_are_whole() -> None:
    with pytest.raises(bp.UsageError, match=r"d has 0\.5 in topic 1"):
        bp.score("AP", {"1": {"c": 1, "d": 0.5}}, {"1": {"c": 1}})


def test_err_knows_the_highest_grade() -> None:
    truth, run = {"1": {"a": 5}}, {"1": {"a": 1}}
    with pytest.raises(bp.UsageError, match=r"ERR@10: grades go up to 5.*ERR\(highest=5\)"):
        bp.score("ERR@10", truth, run)
    assert bp.score("ERR(highest=5)@10", truth, run) == 31 / 32


def test_parts_count_at_the_best_rank_of_their_document() -> None:
    truth = {"1": {"a#0-10": 1, "a#20-30": 2, "b#0-5": 1}}
    run = {"1": {"x#0-1": 9, "a#40-50": 8, "a#0-5": 7, "x#2-3": 6, "b#0-9": 5}}
    assert bp.evaluate(truth, run, "AP RR nDCG@2 SetP").mean()["run"] == {
        "AP": (1 / 2 + 2 / 3) / 2,
        "RR": 1 / 2,
        "nDCG@2": (2 / math.log2(3)) / (2 / math.log2(2) + 1 / math.log2(3)),
        "SetP": 2 / 3,
    }


def test_repeated_documents_count_once() -> None:
    run = assemble(
        tag="run", topic=["1"] * 4, document=["x", "x", "a", "a"], score=np.array([4.0, 3, 2, 1]), order="score"
    )
    for duplicates, rank in (("first", 2), ("keep", 3)):  # a repeated document is dropped, or keeps its rank in vain
        found = bp.evaluate({"1": {"a": 1}}, run, "RR Success@2 SetP All@2 EPRUM IPrec@0.5", duplicates=duplicates)
        assert found.mean()["run"] == {
            "RR": 1 / rank,
            "Success@2": float(rank <= 2),
            "SetP": 0.5,
            "All@2": float(rank <= 2),
            "EPRUM": 1 / rank,
            "IPrec@0.5": 1 / rank,
        }
        explained = bp.explain({"1": {"a": 1}}, run, "RR", "1", duplicates=duplicates)
        assert f"RR = {1 / rank:.6g}"[:8] in str(explained)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_the_kernel_is_the_plain_form(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    if _native is None:
        pytest.skip("the compiled kernels are not installed")
    truth, run = worlds(seed)
    judged, ranked = as_truth(truth), as_run(run)
    draw = random.Random(seed)
    topics = draw.sample(list(judged.topics), draw.randrange(1, len(judged.topics) + 1))
    found = []
    for kernels in ("numpy", "native"):
        monkeypatch.setenv("BERRYPICK_KERNELS", kernels)
        documents = judged_documents(judged, ranked, topics, "keep")
        found.append([column.tolist() for column in
                      (documents.retrieved, documents.topic, documents.rank, documents.grade)])  # fmt: skip
    assert found[0] == found[1]


@pytest.mark.slow
@pytest.mark.parametrize("kernels", KERNELS)
def test_several_processes_find_the_same(kernels: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BERRYPICK_KERNELS", kernels)
    truth, run = worlds(3)
    measures = "AP nDCG@10 EPRUM infAP"
    assert bp.evaluate(truth, run, measures, jobs=2).topic_rows == bp.evaluate(truth, run, measures).topic_rows


def test_a_topic_with_grades_below_0_only_is_undefined() -> None:
    found = bp.evaluate({"1": {"a": -1}, "2": {"a": 1}}, {"1": {"a": 1}, "2": {"a": 1}}, "AP infAP Bpref").per_topic()
    assert found["run"] == {name: {"1": None, "2": 1.0} for name in ("AP", "infAP", "Bpref")}
