"""bp.ideal_lists: lists, efforts and what no list surely reaches."""

import pytest

import berrypick as bp
from berrypick.data.navigation import ReachTable

CLICKS = ReachTable({("hub", "a"): 0.9, ("hub", "b"): 0.9})


TRUTH = {"q": {"a": 1, "b": 1}}


def test_no_list_surely_reaches_a_target_that_is_hard_to_reach():
    weak = ReachTable({("a", "a"): 0.5})
    (found,) = bp.ideal_lists({"q": {"a": 1}}, navigation=weak)
    assert (found.value, found.bound, found.gap, found.list) == (None, None, None, ())


@pytest.fixture
def files(tmp_path):
    (tmp_path / "truth.qrels").write_text("q 0 a 1\nq 0 b 1\np 0 a 1\n")
    (tmp_path / "clicks.tsv").write_text("hub\ta\t0.9\nhub\tb\t0.9\n")
    return [str(tmp_path / "truth.qrels"), "--navigation", str(tmp_path / "clicks.tsv")]


def test_other_measures_have_no_ideal_list(files):
    with pytest.raises(bp.UsageError, match="EPRUM"):
        bp.ideal_lists(TRUTH, "PRUM", navigation=CLICKS, units=5)
    with pytest.raises(bp.UsageError, match="recall value"):
        bp.ideal_lists(TRUTH, "EPRUM(rank=2)", navigation=CLICKS)


def test_efforts_of_candidates_are_their_lengths():
    """A section of 100 characters that holds both targets of 10 is dearer than the two."""
    spans = [{"topic": "q", "doc": "d", "start": 0, "end": 10}, {"topic": "q", "doc": "d", "start": 50, "end": 60}]
    (one, two) = bp.ideal_lists(spans, "epnav", effort="chars")
    assert (one.level, one.value, two.level, two.value) == (0.5, 10, 1, 20)
    run = [{"topic": "q", "doc": "d", "start": 0, "end": 100, "rank": 1}]
    certified = bp.score("epnav(ideal='certified')@1", spans, run, effort="chars")
    assert certified == pytest.approx(0.2)


def test_what_no_list_surely_reaches_is_undefined():
    weak = ReachTable({("a", "a"): 0.5})
    assert bp.score("epnav(ideal='certified')", {"q": {"a": 1}}, {"q": {"a": 1}}, navigation=weak) is None
    assert bp.score("epnav(ideal='certified',norm='bounded')", {"q": {"a": 1}}, {"q": {"a": 1}}, navigation=weak) == 1
    (found,) = bp.ideal_lists({"q": {"a": 1}}, "epnav", navigation=weak)
    assert (found.value, found.bound, found.gap, found.list) == (None, None, None, ())


def test_a_visit_of_a_candidate_does_not_depend_on_the_others():
    """User model t2i goes on from a result; each candidate is visited alone, so both targets cost their own way."""
    spans = [{"topic": "q", "doc": "d", "start": 0, "end": 10}, {"topic": "q", "doc": "d", "start": 15, "end": 25}]
    found = bp.ideal_lists(
        spans, "epnav", user="t2i(tolerance=8,keeps_viewing=True)", effort="chars", collection={"d": 100}
    )
    assert [(one.value, one.gap, len(one.list)) for one in found] == [(18, 0, 1), (33, 0, 1)]


def test_ideal_lists_of_viewers(process, tmp_path):
    """They need no run: a list without results has no places, which t2i was said to need."""
    truth = {"q": {"d": [(100, 140), (500, 540)]}}
    settings = {"collection": {"d": 1000.0}}

    def lists(measure, user):
        return [(found.value, found.list) for found in bp.ideal_lists(truth, measure, user=user, **settings)]

    first, second = "d#100-140", "d#500-540"
    for measure in ("EPRUM", "epnav"):
        assert lists(measure, "t2i(tolerance=300)") == [(1.0, (first,)), (2.0, (first, second))]
        assert lists(measure, "t2i(tolerance=500)") == [(1.0, (first,)), (1.0, (first,))]
        (_, one), (value, both) = lists(measure, "t2i(tolerance=300,spread=1)")
        assert (len(one), both) == (1, (first, second)) and 1 < value < 2
    (tmp_path / "t.jsonl").write_text('{"topic": "q", "doc": "d", "start": 100, "end": 140}\n')
    (tmp_path / "c.tsv").write_text("d\t1000\n")
    done = process("ideal", tmp_path / "t.jsonl", "--user", "t2i(tolerance=9)", "--collection", tmp_path / "c.tsv")
    assert done.code == 0 and first in done.out
    assert "the candidates are only the targets" in done.err and "a user model that moves" not in done.err
