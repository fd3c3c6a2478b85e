"""Topics x runs x measures: what counts, what is left out, what is told."""

import csv
import io
import json
import math
import re

import counted_work
import handmade
import pytest
from hypothesis import given
from hypothesis import strategies as st

import berrypick as bp
from berrypick.data.results import ALL, Results, Row, mean
from berrypick.evaluation.evaluation import unique_names
from berrypick.tables import text

TRUTH = handmade.document_truth({"1": {"a": 1, "b": 1}, "2": {"c": 1}, "3": {"d": 0}})
RUN = handmade.document_run({"1": ["a", "x", "b"], "9": ["a"]})


def test_three_things_have_three_treatments():
    """Undefined: null and out of the mean. Missing from the run: 0. JudgedTopic by nobody: not relevant."""
    results = bp.evaluate(TRUTH, RUN, "EPRUM AP")
    for measure in ("EPRUM", "AP"):
        values = results.per_topic()["run"][measure]
        assert values == {"1": pytest.approx((1 + 2 / 3) / 2), "2": 0.0, "3": None}
        assert results.mean()["run"][measure] == pytest.approx((1 + 2 / 3) / 4)
    told = "\n".join(map(str, results.notes))
    assert re.search(r"\b1 topics? of the run", told), "ignored, because nobody judged it"
    assert re.search(r"\b1 judged topics? .*missing from the run", told), "topic 2; topic 3 counts for nothing anyway"
    assert re.search(r"\b1 judged topics? .*nothing relevant", told)


def test_only_topics_that_the_run_answers():
    results = bp.evaluate(TRUTH, RUN, "EPRUM AP", topics="run")
    assert set(results.per_topic()["run"]["EPRUM"]) == {"1"}
    assert results.mean()["run"]["EPRUM"] == pytest.approx(results.mean()["run"]["AP"])
    assert all("topics:run" in str(row.signature) for row in results)


def test_no_topic_with_a_value_has_no_mean():
    truth = handmade.document_truth({"1": {"a": 0}})
    assert bp.evaluate(truth, RUN, "EPRUM AP").mean()["run"] == {"EPRUM": None, "AP": None}


@pytest.mark.parametrize("measure", ["EPRUM(r=2)", "PRUM(r=2)"])
def test_what_no_run_could_score_is_undefined_for_all_runs(measure):
    """Topic 2 has one target: wanting two of them is undefined, whether a run answers the topic or not."""
    other = handmade.document_run({"1": ["a"], "2": ["c"]}, tag="other")
    values = bp.evaluate(TRUTH, [RUN, other], measure, units=100).per_topic()
    assert values["run"][measure]["2"] is None
    assert values["other"][measure]["2"] is None


def test_nothing_ideal_is_undefined_for_all_runs():
    truth = handmade.document_truth({"1": {"a": 1}, "2": {"b": 2}})
    values = bp.evaluate(truth, handmade.document_run({"1": ["a"]}), "ExpectedRatio", idealism={1: 1, 2: 0})
    assert values.per_topic()["run"]["ExpectedRatio"] == {"1": 1.0, "2": None}


def test_two_names_of_one_document_measure_both_have_its_value():
    values = bp.evaluate(TRUTH, RUN, "AP MAP RR MRR").mean()["run"]
    assert values["AP"] == values["MAP"] > 0
    assert values["RR"] == values["MRR"] > 0


def test_document_measures_agree_with_ir_measures():
    import ir_measures

    truth = handmade.document_truth({"1": {"a": 2, "b": 1, "z": 0}, "2": {"c": 1}})
    run = handmade.document_run({"1": ["x", "b", "a"], "2": ["y", "c"]})
    ndcg = ir_measures.nDCG
    asked = {"AP": ir_measures.AP, "nDCG@10": ndcg @ 10, "P@2": ir_measures.P @ 2, "RR": ir_measures.RR,
             "nDCG(dcg='exp-log2')@10": ndcg(dcg="exp-log2") @ 10, "R@2": ir_measures.R @ 2}  # fmt: skip
    values = bp.evaluate(truth, run, list(asked)).mean()["run"]
    qrels = {"1": {"a": 2, "b": 1, "z": 0}, "2": {"c": 1}}
    scores = {"1": {"x": 3, "b": 2, "a": 1}, "2": {"y": 2, "c": 1}}
    theirs = ir_measures.calc_aggregate(list(asked.values()), qrels, scores)
    for name, measure in asked.items():
        digits = 1e-5 if "exp" in name else 1e-12  # gdeval rounds to five digits
        assert values[name] == pytest.approx(theirs[measure], abs=digits)


def test_a_document_counts_at_its_best_rank_and_is_relevant_if_any_text_is():
    truth = handmade.span_truth({"1": [("d", 0, 5), ("e", 0, 5)]})
    run = handmade.span_run({"1": [("x", 0, 5), ("d", 90, 95), ("d", 0, 5), ("e", 7, 9)]})
    assert bp.evaluate(truth, run, "RR AP P@3").mean()["run"] == {
        "RR": 0.5,
        "AP": pytest.approx((1 / 2 + 2 / 3) / 2),
        "P@3": pytest.approx(2 / 3),
    }


# --- duplicates ----------------------------------------------------------------------------------------------------

DOUBLED = {"1": ["a", "a", "b"]}


def test_duplicates_are_refused_with_both_places():
    with pytest.raises(bp.InputError, match=r"a is retrieved twice for topic 1, first in line 1") as error:
        bp.evaluate(TRUTH, handmade.document_run(DOUBLED), "EPRUM")
    assert error.value.line == 2
    assert "duplicates=" in str(error.value)


def test_duplicates_of_topics_nobody_judged_are_still_a_broken_run():
    with pytest.raises(bp.InputError, match="twice"):
        bp.evaluate(TRUTH, handmade.document_run({"1": ["a"], "99": ["q", "q"]}), "EPRUM")


def test_the_first_is_kept_or_the_rank_is_kept():
    run = handmade.document_run(DOUBLED)
    first = bp.evaluate(TRUTH, run, "EPRUM(r=2)", duplicates="first").per_topic()["run"]["EPRUM(r=2)"]["1"]
    kept = bp.evaluate(TRUTH, run, "EPRUM(r=2)", duplicates="keep")
    assert first == 1.0
    assert kept.per_topic()["run"]["EPRUM(r=2)"]["1"] == pytest.approx(2 / 3)
    assert any("repeat" in note for note in map(str, kept.notes))
    assert all("duplicates:keep" in str(row.signature) for row in kept)


def test_a_kept_duplicate_reaches_nothing_through_the_reader_either():
    from berrypick.data.navigation import ReachTable

    truth = handmade.document_truth({"1": {"t": 1}})
    run = handmade.document_run({"1": ["p", "p"]}, duplicates="keep")
    values = bp.evaluate(truth, run, "ExpectedRatio", navigation=ReachTable({("p", "t"): 0.5})).mean()["run"]
    assert values["ExpectedRatio"] == 0.5


def test_spans_are_duplicates_only_when_they_are_the_same():
    truth = handmade.span_truth({"1": [("d", 0, 10)]})
    run = handmade.span_run({"1": [("d", 0, 10), ("d", 0, 11), ("e", 0, 10)]}, duplicates="error")
    assert bp.evaluate(truth, run, "EPRUM").mean()["run"]["EPRUM"] == 1.0
    twice = handmade.span_run({"1": [("d", 0, 10), ("e", 0, 3), ("d", 0, 10)]}, duplicates="error")
    with pytest.raises(bp.InputError, match="d#0-10"):
        bp.evaluate(truth, twice, "EPRUM")


# --- names, signatures, results ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("runs", "names"),
    [
        ([("bm25", "x.run"), ("dfr", "y.run")], ["bm25", "dfr"]),
        ([("", "some/where/x.run.gz"), ("", "y.run")], ["x", "y"]),
        ([("t", "x.run"), ("t", "y.run")], ["x", "y"]),
        ([("t", "x.run"), ("t", "elsewhere/x.run")], ["x", "x-2"]),
        ([("x", "a.run"), ("", "x.run")], ["a", "x"]),
        ([("", ""), ("", "")], ["run", "run-2"]),
        ([("", "runs/bm25.k0.9.jsonl"), ("", "runs/bm25.k1.2.jsonl")], ["bm25.k0.9", "bm25.k1.2"]),
        ([("", ".hidden.jsonl")], [".hidden"]),
    ],
)
def test_runs_get_names_of_their_own(runs, names):
    assert unique_names(runs) == names


@given(st.lists(st.tuples(st.sampled_from(["", "a", "a-2", "b"]), st.sampled_from(["a.run", "b.run", "a-2.run"]))))
def test_names_are_always_unique_and_never_empty(runs):
    names = unique_names(runs)
    assert len(set(names)) == len(names) == len(runs)
    assert all(names)


def test_signatures_tell_numbers_apart():
    """Whatever changes a number changes its signature."""
    from berrypick.data.navigation import ReachTable

    truth = handmade.document_truth({"1": {"a": 1, "b": 0.5}})
    run = handmade.document_run({"1": ["a", "b"]})

    def signature(measure="EPRUM", **options):
        return str(bp.evaluate(truth, run, measure, **options).mean_rows[0].signature)

    different = [
        signature(),
        signature("EPRUM@0.5"),
        signature("EPRUM@0.1234567"),
        signature("EPRUM@0.1234568"),
        signature("EPRUM(r=1)"),
        signature("EPRUM(ideal='greedy')"),
        signature(user="classical(share=0.6)"),
        signature(user="distance"),
        signature(navigation=ReachTable({("a", "b"): 0.5})),
        signature(navigation=ReachTable({("a", "b"): 0.6})),
        signature(idealism={1: 1, 0.5: 1}),
        signature(topics="run"),
        signature(duplicates="keep"),
        signature("PRUM", units=10),
        signature("PRUM", units=11),
        signature("ExpectedRatio@1234567"),
        signature("ExpectedRatio@1234568"),
    ]
    assert len(set(different)) == len(different)
    assert signature(navigation=ReachTable({("a", "b"): 0.5, ("a", "c"): 0.1})) == signature(
        navigation=ReachTable({("a", "c"): 0.1, ("a", "b"): 0.5})
    ), "the order of lines of a table does not matter"


def test_names_are_as_typed_without_white_space():
    results = bp.evaluate(TRUTH, RUN, ' EPRUM( r = 1 )  EPRUM(ideal="targets")@.50 ')
    assert list(results.mean()["run"]) == ["EPRUM(r=1)", "EPRUM(ideal='targets')@.50"]


def test_measures_may_be_values():
    from berrypick.measures.readers.eprum import EPRUM

    values = bp.evaluate(TRUTH, RUN, [EPRUM(r=1), "EPRUM(r=1)"]).mean()["run"]
    assert len(set(values.values())) == 1


def test_results_show_themselves():
    results = bp.evaluate(TRUTH, RUN, "EPRUM AP")
    assert len(results) == 2 * 3 + 2
    assert [row.topic for row in results][-1] == ALL
    table = results.to_pandas()
    assert list(table.columns) == ["run", "topic", "measure", "value", "signature"] and len(table) == 8
    frame = results.to_polars()
    assert frame.shape == (8, 5) and frame["value"].null_count() == 2
    json.dumps(results.records())


@given(st.lists(st.one_of(st.none(), st.floats(0, 1)), max_size=30), st.randoms())
def test_the_mean_does_not_depend_on_order(values, shuffle):
    before = mean(values)
    defined = [value for value in values if value is not None]
    assert before is None if not defined else before == math.fsum(defined) / len(defined)
    shuffle.shuffle(values)
    assert mean(values) == before


def test_curves_stand_behind_the_numbers():
    results = bp.evaluate(TRUTH, RUN, "EPRUM PRUM ExpectedRatio", units=50, curves=True)
    drawn = results.curves()["run"]
    values = results.per_topic()["run"]
    assert [y for _, y in drawn["EPRUM"]["1"]] == pytest.approx([1, 2 / 3])
    assert [x for x, _ in drawn["EPRUM"]["1"]] == [0.5, 1.0]
    for name in ("EPRUM", "PRUM"):
        curve = drawn[name]["1"]
        assert math.fsum(y for _, y in curve) / len(curve) == pytest.approx(values[name]["1"])
    assert drawn["ExpectedRatio"]["1"] == [(1, 0.5), (2, 0.5), (3, 1.0)]
    for name in ("EPRUM", "PRUM"):
        assert len(drawn[name][ALL]) == 100, "means of curves are taken at the same recall levels"
        assert "3" not in drawn[name], "nothing to draw where nothing is defined"


def test_the_mean_curve_is_the_mean_of_curves():
    truth = handmade.document_truth({"1": {"a": 1, "b": 1}, "2": {"c": 1}, "3": {"z": 1}})
    run = handmade.document_run({"1": ["a", "x", "b"], "2": ["x", "c"]})
    curve = dict(bp.evaluate(truth, run, "EPRUM", curves=True).curves()["run"]["EPRUM"][ALL])
    assert curve[0.5] == pytest.approx((1 + 1 / 2 + 0) / 3)
    assert curve[0.51] == pytest.approx((2 / 3 + 1 / 2 + 0) / 3)
    ratio = dict(bp.evaluate(truth, run, "ExpectedRatio", curves=True).curves()["run"]["ExpectedRatio"][ALL])
    assert ratio == {
        1: pytest.approx((0.5 + 0 + 0) / 3),
        2: pytest.approx((0.5 + 1 + 0) / 3),
        3: pytest.approx((1 + 1 + 0) / 3),
    }


def test_progress_is_told():
    told = []
    bp.evaluate(TRUTH, [RUN, handmade.document_run({"2": ["c"]})], "EPRUM", progress=lambda *p: told.append(p))
    assert told == [(i, 6) for i in range(1, 7)]


def test_a_run_on_other_topics_is_an_error():
    with pytest.raises(bp.InputError, match="answers none of the 3 judged topics"):
        bp.evaluate(TRUTH, handmade.document_run({"nine": ["a"]}), "EPRUM")


def test_parts_and_wholes_need_lengths():
    spans = handmade.span_truth({"1": [("a", 0, 10)]})
    with pytest.raises(bp.UsageError, match="collection="):
        bp.evaluate(spans, RUN, "EPRUM")
    lengths = handmade.lengths(a=10, x=5, b=5)
    with pytest.raises(bp.UsageError, match="whole_documents=True"):
        bp.evaluate(spans, RUN, "EPRUM", collection=lengths)
    values = bp.evaluate(spans, RUN, "EPRUM", collection=lengths, whole_documents=True).mean()["run"]
    assert values["EPRUM"] == 1.0
    with pytest.raises(bp.UsageError, match="collection="):
        bp.evaluate(TRUTH, handmade.span_run({"1": [("a", 0, 10)]}), "EPRUM")


@pytest.mark.slow
def test_many_topics_take_work_in_proportion():
    """Four times the topics: at most four times the calls of functions, compiled ones included."""

    def calls(topics):
        truth = handmade.document_truth({str(i): {"a": 1} for i in range(topics)})
        run = handmade.document_run({str(i): ["a"] for i in range(topics)})
        return counted_work.calls(lambda: bp.evaluate(truth, run, "EPRUM"))

    calls(10)
    few, many = calls(150), calls(600)
    assert few > 150 and many <= 4 * few


# --- documents that the truth does not know ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("judged", "retrieved", "told"),
    [
        ("d0.txt", "d0", "(truth: d0.txt; run: d0, x); names differ in their extensions: use the same names in both"),
        ("d0", "d0.md", "names differ in their extensions"),
        ("a/d0", "d0", "names differ in their folders: "),
        ("texts/d0.txt", "d0", "names differ in their folders and extensions"),
        ("D0", "d0", "names differ in their case"),
        ("e", "d0", "none of the run's documents is judged (truth: e; run: d0, x)"),
    ],
)
@pytest.mark.parametrize("measure", ["AP", "EPRUM"])
def test_a_run_of_unknown_documents_is_told(tmp_path, judged, retrieved, told, measure):
    (tmp_path / "t.qrels").write_text(f"1 0 {judged} 1\n2 0 {judged} 1\n")
    (tmp_path / "r.run").write_text(f"1 Q0 {retrieved} 1 2 s\n1 Q0 x 2 1 s\n")
    results = bp.evaluate(tmp_path / "t.qrels", tmp_path / "r.run", measure)
    assert results.mean() == {"s": {measure: 0}}
    assert (
        sum(told in note and note.startswith("s: none of the run's documents") for note in map(str, results.notes)) == 1
    )


def test_one_known_document_is_enough(tmp_path):
    topics = range(30)
    (tmp_path / "t.qrels").write_text("".join(f"{t} 0 a{t} 1\n" for t in topics))
    (tmp_path / "r.run").write_text("".join(f"{t} Q0 b{t} 1 2 s\n" for t in topics) + "29 Q0 a3 2 1 s\n")
    assert not any("is judged" in note for note in bp.evaluate(tmp_path / "t.qrels", tmp_path / "r.run", "AP").notes)


def test_names_with_line_breaks_stay_in_their_row():
    """In tables that people paste, and in data, where a log would take a line of a name for one of ours; JSON keeps
    names as they are."""
    found = Results(
        [Row("a\nb|c", "q\r\n1", "AP", 0.5, ""), Row("a b|c", "q\r\n1", "AP", 0.5, "")],
        [Row("a\nb|c", ALL, "AP", 0.5, ""), Row("a b|c", ALL, "AP", 0.5, "")],
    )
    assert text.render(found, "markdown", True, None).splitlines()[2] == "| a b\\|c | q 1 | 0.5000 |"
    assert len(text.render(found, "markdown", True, None).splitlines()) == 6
    assert len(text.render(found, "latex", True, None).splitlines()) == 10
    for output, separator in (("tsv", "\t"), ("csv", ",")):
        rows = list(csv.reader(io.StringIO(text.render(found, output, True, None), newline=""), delimiter=separator))
        assert [row[0] for row in rows[1:]] == ["a\\nb|c", "a\\nb|c", "a b|c", "a b|c"]
    assert json.loads(text.render(found, "json", True, None))[0]["run"] == "a\nb|c"


def test_an_explanation_names_the_reader():
    truth = handmade.document_truth({"1": {"a": 1.0}})
    found = bp.explain(truth, handmade.document_run({"1": ["a", "b"]}), "EPRUM", "1", user="classical(share=0.4)")
    assert found.title.endswith("for topic 1, user model classical(share=0.4)")
    found = bp.explain(truth, handmade.document_run({"1": ["a", "b"]}), "P@1", "1")
    assert found.title == "P@1 for topic 1"
