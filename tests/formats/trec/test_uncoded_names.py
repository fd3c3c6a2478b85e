"""TREC runs whose documents have no codes yet: the same as with codes, in whatever way they are used."""

from __future__ import annotations

import copy
import pickle
import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import berrypick as bp
from berrypick import kernels
from berrypick.data.columns import LateCodes
from berrypick.data.run import Run
from berrypick.formats.base import Problems
from berrypick.formats.trec import trec_run
from berrypick.given.convert import as_truth
from berrypick.topics.documents import judged_documents
from berrypick.topics.repeats import repeats_of

pytestmark = pytest.mark.skipif(kernels._native is None, reason="the compiled kernels are not installed")


def lines(seed: int) -> list[str]:
    """Topics in stretches or mixed, sorted or not, with ties, names beyond ASCII, and now and then a document twice."""
    draw = random.Random(seed)
    names = [f"d{i}" for i in range(30)] + ["é", "日本", "a-very-long-name-of-a-document", "x"]
    found = []
    for topic in draw.sample(range(20), draw.randint(1, 6)):
        chosen = draw.sample(names, draw.randint(1, 25))
        if draw.random() < 0.1:
            chosen.append(chosen[0])
        scores = [draw.choice([draw.randint(0, 5), draw.random()]) for _ in chosen]
        if draw.random() < 0.7:
            scores.sort(reverse=True)
        found += [f"{topic} Q0 {name} 1 {score} tag" for name, score in zip(chosen, scores, strict=True)]
    if draw.random() < 0.2:
        draw.shuffle(found)
    return found


@pytest.fixture(params=range(25))
def both(request, tmp_path) -> tuple[Run, Run]:
    """The same file, scanned and read line by line."""
    path = tmp_path / "run.txt"
    path.write_text("\n".join(lines(request.param)) + "\n")
    scanned = trec_run.TrecRun.read(str(path), Problems(str(path)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BERRYPICK_KERNELS", "numpy")
        plain = trec_run.TrecRun.read(str(path), Problems(str(path)))
    assert scanned.uncoded is not None and plain.uncoded is None
    return scanned, plain


def same(one: Run, other: Run) -> None:
    assert one.topics == other.topics and one.bounds.tolist() == other.bounds.tolist()
    assert list(one.documents) == list(other.documents) and one.document.tolist() == other.document.tolist()
    assert one.rank.tolist() == other.rank.tolist() and one.line.tolist() == other.line.tolist()
    assert one.score.tolist() == other.score.tolist()


def test_codes_are_those_of_the_plain_reader(both):
    scanned, plain = both
    assert scanned.size() == plain.size() and repr(scanned) == repr(plain)
    assert scanned.uncoded is not None
    same(scanned, plain)
    assert scanned.uncoded is None


def test_copies_and_pickles(both):
    scanned, plain = both
    renamed = scanned.changed(tag="other").with_empty(["none"])
    assert (renamed.tag, renamed.uncoded is None, scanned.tag) == ("other", False, "tag")
    same(renamed, plain.with_empty(["none"]))
    assert scanned.uncoded is None  # copies share the codes
    same(pickle.loads(pickle.dumps(scanned)), plain)
    same(copy.copy(scanned), plain)


def test_what_is_asked_of_names(both):
    scanned, plain = both
    for names in (["d3", "é"], ["nowhere", "\ud800"], []):
        assert scanned.has_any_document(names) == plain.has_any_document(names)
    assert list(repeats_of(scanned)) == list(repeats_of(plain))
    coded = scanned.uncoded is None  # a topic that repeats a document was looked at with codes
    assert coded == bool(repeats_of(plain))
    for most in (0, 5, 20, 100):
        assert scanned.has_more_documents(most) == (len(plain.documents) > most)


def test_judged_documents(both):
    scanned, plain = both
    draw = np.random.default_rng(plain.size())
    judged = {
        str(topic): {f"d{i}": int(draw.integers(-1, 3)) for i in range(0, 30, 2)} | {"é": 1} for topic in range(25)
    }
    truth = as_truth(judged)
    topics = list(truth.topics)[::-1]
    one, other = (judged_documents(truth, run, topics, "keep") for run in (scanned, plain))
    assert (scanned.uncoded is None) == bool(repeats_of(plain))
    for name in ("retrieved", "topic", "rank", "grade"):
        assert getattr(one, name).tolist() == getattr(other, name).tolist(), name


def test_two_threads_may_ask_for_codes_at_once(both):
    scanned, plain = both
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: (scanned.document, scanned.documents), range(8)))
    assert all(document.tolist() == plain.document.tolist() for document, _ in found)


def test_nothing_else_is_made_up(both):
    with pytest.raises(AttributeError, match="'Run' object has no attribute 'nonsense'"):
        both[0].nonsense  # noqa: B018


def test_document_measures_need_no_codes(tmp_path, monkeypatch):
    run, qrels = tmp_path / "a.run", tmp_path / "a.qrels"
    run.write_text("".join(f"{t} Q0 d{d} 1 {50 - d // 2} tag\n" for t in range(3) for d in range(50)))
    qrels.write_text("".join(f"{t} 0 d{d} {d % 2}\n" for t in range(3) for d in range(0, 50, 3)))
    plain = bp.evaluate(str(qrels), str(run), "AP nDCG@10 P@10 RR EPRUM").records()
    monkeypatch.setattr("berrypick.evaluation.notes._MOST_DOCUMENTS", 20)
    monkeypatch.setattr(LateCodes, "coded", property(lambda self: pytest.fail("codes were needed")))
    found = bp.evaluate(str(qrels), str(run), "AP nDCG@10 P@10 RR")
    assert found.records() == [row for row in plain if row["measure"] != "EPRUM"]
