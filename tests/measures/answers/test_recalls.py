"""recalls@k: any, share and all side by side, by what the truth judges."""

import json

import pytest
from many_cases import each

import berrypick as bp

DOCUMENTS = {"1": {"a": 1, "b": 1}, "2": {"c": 1}}
SPANS = {"1": {"a#0-10": 1, "b#0-10": 1}, "2": {"c#0-10": 1}}
SETS = {"1": [{"doc": "a", "start": 0, "end": 10, "set": "x"}, {"doc": "b", "start": 0, "end": 10, "set": "y"}]}
DOCUMENT_SETS = {"1": [{"doc": "a", "set": "x"}, {"doc": "b", "set": "x"}]}
RUN, SPAN_RUN = {"1": {"a": 2}, "2": {"c": 1}}, {"1": {"a#0-10": 2}, "2": {"c#0-10": 1}}
KINDS = {
    "documents": (DOCUMENTS, RUN, {"Success@5": 1.0, "R@5": 0.75, "All@5": 0.5}),
    "spans": (SPANS, SPAN_RUN, {"spanHit@5": 1.0, "charR@5": 0.75, "spanAll@5": 0.5}),
    "sets of spans": (SETS, {"1": {"a#0-10": 2}}, {"spanHit@5": 1.0, "charR@5": 0.5, "Enough@5": 1.0}),
    "sets of documents": (DOCUMENT_SETS, {"1": {"a": 2}}, {"Success@5": 1.0, "R@5": 0.5, "Enough@5": 0.0}),
}


@each("name", KINDS)
def test_three_by_the_kind_of_truth(name):
    truth, run, values = KINDS[name]
    results = bp.evaluate(truth, run, "recalls@5")
    assert results.mean()["run"] == values
    apart = values[next(iter(values))] - values[next(reversed(values))]
    said = [note.text for note in results.notes if note.kind == "recalls"]
    assert len(said) == (apart > 0.1)


def test_it_stands_where_it_is_typed_beside_others():
    found = bp.evaluate(DOCUMENTS, RUN, ["AP recalls@1,2", "RR"])
    assert list(found.measures) == ["AP", "Success@1", "R@1", "All@1", "Success@2", "R@2", "All@2", "RR"]


def test_a_run_of_parts_against_documents_counts_documents():
    found = bp.evaluate(DOCUMENTS, {"1": {"a#0-9": 3, "a#9-20": 2, "b#0-9": 1}}, "recalls@2")
    assert found.per_topic()["run"]["All@2"] == {"1": 1.0, "2": 0.0}


REFUSED = {
    "recalls": "needs a cut-off, a rank from 1 on, as in recalls@5",
    "recalls@0.5": "needs a cut-off, a rank",
    "recalls(share=1)@5": "takes a cut-off and nothing else",
}


@each("text", REFUSED)
def test_what_it_does_not_take(text):
    with pytest.raises(bp.UsageError, match=REFUSED[text]):
        bp.evaluate(DOCUMENTS, RUN, text)


def test_compare_and_gates_take_each(tmp_path, berrypick):
    (tmp_path / "t.qrels").write_text("1 0 a 1\n1 0 b 1\n2 0 c 1\n")
    (tmp_path / "r.run").write_text("1 Q0 a 1 2 mine\n2 Q0 c 1 1 mine\n")
    (tmp_path / "s.run").write_text("1 Q0 a 1 2 other\n1 Q0 b 2 1 other\n2 Q0 c 1 1 other\n")
    given = ("compare", tmp_path / "t.qrels", tmp_path / "r.run", tmp_path / "s.run", "-m", "recalls@5")
    done = berrypick(*given, "--fail-under", "All@5=0.8")
    assert done.code == 1 and "All@5" in done.out and "Success@5" in done.out
    assert "any (Success@5 1) and all (All@5 0.5) differ by 0.5: choose the recall that you mean" in done.err
    rows = json.loads(berrypick("evaluate", *given[1:], "-o", "json").out)
    assert {row["measure"] for row in rows} == {"Success@5", "R@5", "All@5"}
