"""Where plausible numbers come from by mistake: whole documents for spans, names that nearly match, files that are not
what they look like, sweeps and comparisons that mix things up."""

from __future__ import annotations

import pytest

import berrypick as bp

TRUTH = {"q1": {"v#100-200": 1, "w#0-50": 1}, "q2": {"v#0-50": 1}}
RUN = {"q1": {"v#300-400": 2.0, "w#0-50": 1.0}, "q2": {"v#900-950": 1.0}}


def notes(results) -> list[str]:
    return [str(note) for note in results.notes]


# --- measures of whole documents ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "spans"),
    [("AP", "spanAP"), ("nDCG@10", "spanNDCG@10"), ("RR", "spanRR"), ("P@5", "charP@5"), ("R@5", "charR@5"),
     ("Success@1", "spanHit@1"), ("MAP@3", "spanAP@3"), ("Rprec", "charR"),
     ("Precision(rel=2)@5", "charP@5"), ("MRR", "spanRR"), ("R(cutoff=4)", "charR@4"), ("IPrec@0.1", "charR")],
)  # fmt: skip
def test_a_measure_of_whole_documents_on_spans_says_so(typed, spans):
    results = bp.evaluate(TRUTH, RUN, typed)
    assert any(note.startswith(f"run: {typed}: counts whole documents") and note.endswith(f"; {spans} counts spans")
               for note in notes(results))  # fmt: skip
    assert bp.evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, typed).notes == ()


@pytest.mark.parametrize(
    ("typed", "spans"),
    [("recall@5", "charR@5"), ("precision@5", "charP@5"), ("mrr", "spanRR"), ("ndcg@10", "spanNDCG@10"),
     ("hit_rate@5", "spanHit@5"), ("map", "spanAP")],
)  # fmt: skip
def test_everyday_names_say_which_measure_counts_what_is_judged(typed, spans):
    results = bp.evaluate(TRUTH, RUN, typed)
    assert any(
        f"{typed}: counts whole documents" in note and f"{spans} counts spans" in note for note in notes(results)
    )


@pytest.mark.parametrize(("typed", "spans"), [("hit@5", "spanHit@5"), ("hits@5", "spanHit@5"), ("ap", "spanAP")])
def test_everyday_names_that_mean_several_things_suggest_measures(files, berrypick, typed, spans):
    with pytest.raises(bp.UsageError, match=f"did you mean {spans} for spans or"):
        bp.evaluate(TRUTH, RUN, typed)
    lines = files(truth_jsonl='{"topic": "1", "doc": "d", "start": 0, "end": 5, "grade": 1}\n',
                  run_jsonl='{"topic": "1", "doc": "d", "start": 0, "end": 5, "rank": 1}\n')  # fmt: skip
    done = berrypick("evaluate", lines["truth_jsonl"], lines["run_jsonl"], "-m", typed)
    assert done.code == 2 and f"did you mean {spans} for spans" in done.err


#: Names that people type for measures of documents: what is to be typed for spans.
EVERYDAY = {"recall@5": "charR@5", "precision@5": "charP@5", "mrr": "spanRR", "ndcg@10": "spanNDCG@10",
            "hit_rate@5": "spanHit@5"}  # fmt: skip


@pytest.fixture
def lines(files):
    """A truth and a run of one span."""
    return files(truth_jsonl='{"topic": "1", "doc": "d", "start": 0, "end": 5, "grade": 1}\n',
                 run_jsonl='{"topic": "1", "doc": "d", "start": 0, "end": 5, "rank": 1}\n')  # fmt: skip


@pytest.mark.parametrize("typed", EVERYDAY)
def test_everyday_names_count_whole_documents_and_say_so(lines, berrypick, typed):
    test_a_measure_of_whole_documents_on_spans_says_so(typed, EVERYDAY[typed])
    done = berrypick("evaluate", lines["truth_jsonl"], lines["run_jsonl"], "-m", typed)
    assert done.code == 0 and f"{typed}: counts whole documents" in done.err and EVERYDAY[typed] in done.err
    gate = berrypick("compare", lines["truth_jsonl"], lines["run_jsonl"], "-m", typed, "--fail-under", f"{typed}=0.5")
    assert gate.code == 2 and "whole documents" in gate.err and EVERYDAY[typed] in gate.err


def test_unknown_names_suggest_measures_of_what_is_judged(lines, berrypick):
    with pytest.raises(bp.UsageError, match="did you mean spanHit@5 for spans or Success@5 for whole documents"):
        bp.evaluate(TRUTH, RUN, "hit@5")
    done = berrypick("evaluate", lines["truth_jsonl"], lines["run_jsonl"], "-m", "hit@5")
    assert done.code == 2 and "did you mean spanHit@5 for spans" in done.err
    with pytest.raises(bp.UsageError, match="did you mean spanHit"):
        bp.evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, "hit@5")


# --- names that nearly match ----------------------------------------------------------------------------------------

NFC, NFD = "caf\u00e9", "cafe\u0301"


@pytest.mark.parametrize(
    ("in_truth", "in_run", "why"),
    [("1", "01", "leading zeros"), ("q1", "Q1", "case"), (NFC, NFD, "Unicode form"), ("q-001", "q-1", "leading zeros"),
     ("a", " a", "white space")],
)  # fmt: skip
def test_topics_that_nearly_match(in_truth, in_run, why):
    truth, run = {in_truth: {"d": 1}, "other": {"d": 1}}, {in_run: {"d": 1.0}, "other": {"d": 1.0}}
    said = [note for note in notes(bp.evaluate(truth, run, "AP")) if "not in the truth" in note]
    assert len(said) == 1 and f"1 of them would match except for {why}" in said[0]
    with pytest.raises(bp.InputError, match=f"answers none of the 1 judged topic .* would match except for {why}"):
        bp.evaluate({in_truth: {"d": 1}}, {in_run: {"d": 1.0}}, "AP")
    if why == "Unicode form":
        assert r"run 'cafe\u0301', truth 'caf\xe9'" in said[0]


@pytest.mark.parametrize(
    ("in_truth", "in_run", "why"),
    [("d1", "d01", "leading zeros"), ("Guide", "guide", "case"), (NFC, NFD, "Unicode form"),
     ("docs/a.md", "a.md", "folders"), ("a.md", "a.txt", "extensions"),
     ("x/a.md", "y/a.txt", "folders and extensions")],
)  # fmt: skip
def test_documents_that_nearly_match(in_truth, in_run, why):
    said = [note for note in notes(bp.evaluate({"q": {in_truth: 1}}, {"q": {in_run: 1.0}}, "AP")) if "judged" in note]
    assert len(said) == 1 and f"names differ in their {why}" in said[0] and "run " in said[0]
    truth, run = {"q": {in_truth: 1, "same": 1}}, {"q": {in_run: 1.0, "same": 1.0}}
    partly = [note for note in notes(bp.evaluate(truth, run, "AP")) if "match judged ones except for" in note]
    assert len(partly) == (why in ("leading zeros", "case", "Unicode form"))
    with pytest.raises(bp.InputError, match=f"it has one that differs in {why}"):
        bp.evaluate({"q": [{"doc": in_run, "start": 0, "end": 1}]}, RUN, "charR", documents={in_truth: "abc"})


def test_names_that_match_say_nothing():
    assert bp.evaluate({"q": {"a": 1, "B": 1}}, {"q": {"a": 1.0, "c": 0.5}}, "AP").notes == ()


# --- sweeps and comparisons -------------------------------------------------------------------------------------------


def test_two_forms_of_a_measure_of_ones_own_are_two_columns_or_an_error():
    class Hidden(bp.Measure):
        """A number that is no declared parameter."""

        def __init__(self, k: float) -> None:
            object.__setattr__(self, "k", k)

        def compute(self, topic):
            return self.k

    class Shown(bp.Measure):
        """The same, declared."""

        k: float = bp.parameter(1.0, float, "the number")

        def compute(self, topic):
            return self.k

    truth, run = {"q": {"a": 1}}, {"q": {"a": 1.0}}
    assert bp.evaluate(truth, run, [Shown(k=1.0), Shown(k=3.0)]).mean()["run"] == {"Shown": 1.0, "Shown(k=3.0)": 3.0}
    with pytest.raises(bp.UsageError, match=r"two different measures are called Hidden: .* bp.parameter"):
        bp.evaluate(truth, run, [Hidden(1.0), Hidden(3.0)])
    with pytest.raises(bp.UsageError, match="the kind of a parameter"):
        bp.parameter(1, dict, "wrong")
