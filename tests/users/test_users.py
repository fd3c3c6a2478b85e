"""User models: what a reader who consults a result ends up seeing."""

import math

import handmade
import numpy as np
import pytest
from generated_inputs import span_worlds
from hypothesis import given
from hypothesis import strategies as st
from reader_reach import ranking_of, reach, spans_reach, targets_of

import berrypick as bp
from berrypick.data.collection import Collection
from berrypick.data.navigation import LinkTable, ReachTable
from berrypick.users import ReaderContext, build


def pages_reach(model, wanted, ranked, navigation):
    truth = handmade.document_truth({"1": dict.fromkeys(wanted, 1)})
    return reach(model, truth, handmade.document_run({"1": ranked}), navigation=navigation)


@given(span_worlds(), st.sampled_from([0.0, 0.1, 1.0]))
def test_distance_falls_with_the_gap(world, theta):
    found = spans_reach(f"distance(theta={theta})", world.targets, world.results)
    for k, (document, start, end) in enumerate(world.results):
        for x, (wanted, target_start, target_end) in enumerate(world.targets):
            gap = max(target_start - end, start - target_end, 0)
            expected = 1 / (1 + math.exp(theta * gap)) if document == wanted else 0.0
            if document == wanted and start <= target_start and target_end <= end:
                expected = 1.0
            assert found[k, x] == pytest.approx(expected, abs=1e-12)


def test_distance_does_not_overflow():
    assert spans_reach("distance(theta=10)", [("d", 0, 1)], [("d", 10**6, 10**6 + 1)]).tolist() == [[0.0]]


def test_bep_by_its_formula():
    found = spans_reach("bep(A=0.1,L=1000)", [("d", 300, 310), ("e", 0, 5)], [("d", 200, 400), ("d", 300, 301)])
    assert found.tolist() == [[100 / 200, 0], [1, 0]]
    by_collection = spans_reach("bep(A=0.5)", [("d", 0, 9)], [("d", 50, 60)], collection=handmade.lengths(d=60, e=140))
    assert by_collection.tolist() == [[0.5 * 100 / (0.5 * 100 + 50)]]
    with pytest.raises(bp.UsageError, match="collection="):
        spans_reach("bep", [("d", 0, 9)], [("d", 50, 60)])


@given(span_worlds(), st.integers(0, 9), st.integers(0, 9))
def test_window_is_classical_on_the_widened_region(world, before, after):
    lengths = {name: length + 3 for name, length in world.lengths.items()}
    model = f"window(before={before},after={after})"
    found = spans_reach(model, world.targets, world.results, collection=Collection(lengths))
    wider = [
        (document, max(0, start - before), max(min(end + after, lengths[document]), end))
        for document, start, end in world.results
    ]
    assert (found == spans_reach("classical", world.targets, wider)).all()


# --- pages -----------------------------------------------------------------------------------------------------

FIGURE_2 = ReachTable({("x", "y"): 0.5, ("x", "z"): 0.3, ("y", "z"): 0.8, ("z", "y"): 0.12})
LINKS = LinkTable(dict.fromkeys([("a", "b"), ("a", "c"), ("b", "c"), ("c", "a"), ("a", "a")]))


def test_table_is_taken_as_given_and_self_is_1():
    table = ReachTable({("a", "b"): 0.3, ("b", "b"): 0.2})
    assert pages_reach("table", ["a", "b"], ["a", "b", "z"], table).tolist() == [[1, 0.3], [0, 0.2], [0, 0]]


def test_an_empty_table_is_the_classical_reader():
    assert pages_reach("table", ["a"], ["a", "b"], ReachTable({})).tolist() == [[1], [0]]


def test_each_model_says_which_navigation_it_reads():
    for model, wrong in [("table", LINKS), ("table", None)]:
        with pytest.raises(bp.UsageError, match="navigation="):
            pages_reach(model, ["y"], ["x"], wrong)
    truth, run = handmade.document_truth({"1": {"x": 1}}), handmade.document_run({"1": ["x"]})
    with pytest.raises(bp.UsageError, match="classical"):
        bp.evaluate(truth, run, "EPRUM", user="classical", navigation=FIGURE_2)


def test_the_file_chooses_the_reader():
    truth, run = handmade.document_truth({"1": {"x": 1}}), handmade.document_run({"1": ["x"]})
    rows = bp.evaluate(truth, run, "EPRUM", navigation=FIGURE_2).mean_rows
    assert "user:table" in str(rows[0].signature)


def test_effort_of_who_moves_is_what_is_pointed_to_and_the_target_reached_outside_of_it():
    truth = handmade.document_truth({"1": {"y": 1}})
    run = handmade.document_run({"1": ["x", "y"]})
    table = ReachTable({("x", "y"): 0.5})
    world = ReaderContext(handmade.lengths(x=10, y=100), table)
    assert build("table").effort(ranking_of(run), targets_of(truth), world).tolist() == [10, 100]
    judged = bp.judge(truth, run, "1", navigation=table, collection=world.collection, effort="chars")
    assert judged.effort.outside.tolist() == [100, 0]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=4))
def test_pointers_of_one_rank_combine_as_chances(probabilities):
    """Several pages at one rank: the target is missed only if every one of them misses it."""
    pages = [f"p{i}" for i in range(len(probabilities))]
    table = ReachTable({(page, "t"): p for page, p in zip(pages, probabilities, strict=True)})
    truth = handmade.document_truth({"1": {"t": 1}})
    from berrypick.data.assemble import assemble

    run = assemble(tag="run", topic=["1"] * len(pages), document=pages, rank=np.zeros(len(pages)), order="rank")
    found = reach("table", truth, run, navigation=table)
    assert found.shape == (1, 1)
    assert found[0, 0] == pytest.approx(1 - math.prod(1 - p for p in probabilities), abs=1e-12)
