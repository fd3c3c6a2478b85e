"""What evaluations keep on a truth for the next runs changes no number, note, signature or error."""

from __future__ import annotations

import gc
import pickle
import warnings
import weakref

import numpy as np
import pytest

import berrypick as bp
from berrypick.evaluation import kept
from berrypick.given.convert import as_run, as_truth

DOCUMENTS = "AP nDCG@10 P@2 RR Judged@5"
SPANS = "charR@5 charP EPRUM spanRR nxCG@3 epnav RR"


def documents(rng, topics=5):
    return {f"q{t}": {f"d{d}": int(rng.integers(-1, 3)) for d in rng.integers(0, 12, 6)} for t in range(topics)}


def scores(rng, topics=6):
    ranked = (rng.permutation(14)[: rng.integers(0, 9)] for _ in range(topics))
    return {
        f"q{t}": {f"D{d}" if d == 3 else f"d{d}": float(rng.integers(4)) for d in row} for t, row in enumerate(ranked)
    }


def spans(rng, topics, most, **more):
    def one():
        start = int(rng.integers(0, 90))
        return {"doc": f"d{rng.integers(3)}", "start": start, "end": start + int(rng.integers(1, 40)), **more}

    return {f"q{t}": [one() for _ in range(int(rng.integers(0, most)) + (most < 5))] for t in range(topics)}


def told(truth, run, measures, **options):
    """Everything that an evaluation says, or its error."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            found = bp.evaluate(truth, run, measures, **options)
        except bp.BerrypickError as error:
            return str(error)
        rows = [(row.run, row.topic, row.measure, row.value, str(row.signature)) for row in found]
        facts = found.measure_info, found.run_facts
        return rows, [str(note) for note in found.notes], repr(facts), [str(one.message) for one in warned]


CASES = {
    "documents": (documents, scores, DOCUMENTS),
    "dictionaries by default": (documents, scores, ()),
    "spans": (lambda rng: spans(rng, 5, 4, grade=1), lambda rng: spans(rng, 6, 9), SPANS),
    "documents against spans": (documents, lambda rng: spans(rng, 3, 9), DOCUMENTS.split()),
    "spans against documents": (lambda rng: spans(rng, 5, 4), scores, SPANS),
}
OPTIONS = [{}, {"duplicates": "keep"}, {"topics": "run"}, {"order": "file"}, {"min_score": 1.5}, {"units": 40},
           {"idealism": "gain"}, {"whole_documents": True}, {"missing": "absent", "duplicates": "first"}]  # fmt: skip


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_a_kept_evaluation_says_what_a_new_one_says(name, options):
    make_truth, make_run, measures = CASES[name]
    for seed in range(4):
        rng = np.random.default_rng(seed)
        truth = make_truth(rng)
        known = as_truth(truth)
        for _ in range(3):
            run = make_run(rng)
            wanted = told(as_truth(truth), run, measures, **options)
            assert told(known, run, measures, **options) == wanted
            assert told(known, [run, make_run(rng)], measures, **options)  # of several runs in turn
            assert told(truth, run, measures, **options) == wanted


def test_a_dictionary_that_changes_is_another_truth():
    truth, run = {"q": {"a": 1, "b": 0}}, {"q": {"b": 2.0, "a": 1.0}}
    assert [bp.score("RR", truth, run) for _ in range(3)] == [0.5] * 3
    truth["q"]["b"] = 1
    assert bp.score("RR", truth, run) == 1.0
    truth["p"] = {"c": 1}
    assert bp.score("RR", truth, run) == 0.5


@pytest.mark.parametrize("grade", [True, 1.0, np.int64(1), "1", None])
def test_grades_that_equal_whole_numbers_are_read_as_what_they_are(grade):
    run = {"q": {"b": 2.0, "a": 1.0}}
    wanted = told({"q": {"a": grade, "b": 0}}, run, "RR")
    assert told({"q": {"a": 1, "b": 0}}, run, "RR") == told({"q": {"a": 1, "b": 0}}, run, "RR")
    assert told({"q": {"a": grade, "b": 0}}, run, "RR") == wanted


def test_a_dictionary_of_arrays_is_not_compared_with_the_last_one():
    run = {"q": {"b": 2.0, "a": 1.0}}
    wanted = told({"q": np.array(["a", "c"])}, run, "RR")
    bp.evaluate({"q": {"a": 1, "b": 0}}, run, "RR")
    assert told({"q": np.array(["a", "c"])}, run, "RR") == wanted


def test_a_measure_that_is_registered_again_is_another_one():
    truth, run = as_truth({"q": {"a": 1}}), {"q": {"a": 1.0}}
    for value in (0.25, 0.75):

        @bp.register
        class KeptTwice(bp.Measure):
            """A constant."""

            __module__ = "__main__"  # a cell of a notebook that is run again
            constant = value

            def compute(self, judged):
                return self.constant

        assert [bp.score("KeptTwice", truth, run) for _ in range(2)] == [value] * 2


def test_runs_are_free_and_few_evaluations_are_kept():
    truth, run = as_truth({"q": {"a": 1}}), as_run({"q": {"a": 1.0}})
    for at in range(1, 20):
        bp.evaluate(truth, run, f"P@{at}")
    assert len(truth._kept) == kept._MOST
    gone = weakref.ref(run)
    del run
    gc.collect()
    assert gone() is None
    assert "_kept" not in vars(pickle.loads(pickle.dumps(truth)))


def test_large_dictionaries_are_not_copied(monkeypatch):
    monkeypatch.setattr(kept, "_MOST_JUDGEMENTS", 1)
    kept._last.clear()
    bp.evaluate({"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0}}, "RR")
    assert not kept._last
