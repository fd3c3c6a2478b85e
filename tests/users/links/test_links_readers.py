"""Readers who follow links, or go where people went: reach by hand and by letting probability flow."""

import handmade
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import berrypick as bp
from berrypick.data.navigation import LinkTable, ReachTable, Sessions

FIGURE_2 = ReachTable({("x", "y"): 0.5, ("x", "z"): 0.3, ("y", "z"): 0.8, ("z", "y"): 0.12})


def pages_reach(model, wanted, ranked, navigation):
    truth = handmade.document_truth({"1": dict.fromkeys(wanted, 1)})
    judged = bp.judge(truth, handmade.document_run({"1": ranked}), "1", user=model, navigation=navigation)
    return judged.reach.dense()


def wander(table, source, target, steps=400):
    """P(ever at target) by letting the probability flow step by step."""
    units = list(table.units)
    at = dict.fromkeys(units, 0.0)
    at[source] = 1.0
    arrived = 1.0 if source == target else 0.0
    if source == target:
        return 1.0
    for _ in range(steps):
        now = dict.fromkeys(units, 0.0)
        for (a, b), p in table.rows.items():
            now[b] += at[a] * p
        arrived += now.pop(target, 0.0)
        at = {unit: now.get(unit, 0.0) for unit in units}
    return arrived


@st.composite
def chains(draw):
    units = ["a", "b", "c", "d"][: draw(st.integers(2, 4))]
    rows = {}
    for unit in units:
        weights = draw(st.lists(st.integers(0, 4), min_size=len(units), max_size=len(units)))
        leaving = draw(st.integers(1, 4))
        for other, weight in zip(units, weights, strict=True):
            if weight:
                rows[unit, other] = weight / (sum(weights) + leaving)
    return units, ReachTable(rows)


@given(chains())
@settings(max_examples=25)
def test_markov_counts_all_routes(drawn):
    units, table = drawn
    found = pages_reach("markov", units, units, table)
    for i, source in enumerate(units):
        for j, target in enumerate(units):
            assert found[i, j] == pytest.approx(wander(table, source, target), abs=1e-9)


def test_markov_on_the_papers_figure():
    assert pages_reach("markov", ["y", "z"], ["x"], FIGURE_2)[0] == pytest.approx([0.536, 0.7])


def test_markov_refuses_transitions_that_sum_above_1():
    with pytest.raises(bp.InputError, match=r"sum to 1\.2"):
        pages_reach("markov", ["y"], ["x"], ReachTable({("x", "y"): 0.6, ("x", "z"): 0.6}))


def test_markov_from_sessions_shares_out_continuations():
    sessions = Sessions((("a", "b"), ("a", "c"), ("a",), ("a", "b", "<", "c")))
    # from a: to b 2, to c 2 (once after going back), end 1; from b: back to a 1, end 1
    found = pages_reach("markov", ["b", "c"], ["a", "b"], sessions)
    p_c = (2 / 5) / (1 - (2 / 5) * (1 / 2))
    assert found[0] == pytest.approx([2 / 5, p_c])
    assert found[1] == pytest.approx([1, p_c / 2])


def test_markov_survives_pages_that_never_end():
    """b and c lead to each other for ever; whoever is there never reaches d."""
    table = ReachTable({("a", "b"): 0.5, ("a", "d"): 0.5, ("b", "c"): 1.0, ("c", "b"): 1.0})
    assert pages_reach("markov", ["d", "c"], ["a", "b"], table).tolist() == [[0.5, 0.5], [0.0, 1.0]]


LINKS = LinkTable(dict.fromkeys([("a", "b"), ("a", "c"), ("b", "c"), ("c", "a"), ("a", "a")]))


def test_hyperlink_one_click():
    assert pages_reach("hyperlink", ["b", "c"], ["a", "b", "z"], LINKS).tolist() == [[0.5, 0.5], [1, 1], [0, 0]]
    assert pages_reach("hyperlink(follow=0.6)", ["b", "c"], ["a"], LINKS).tolist() == [[0.3, 0.3]]


def test_hyperlink_several_clicks_count_all_routes():
    assert pages_reach("hyperlink(steps=2)", ["c"], ["a"], LINKS)[0, 0] == pytest.approx(0.5 + 0.5 * 1)
    assert pages_reach("hyperlink(steps=2,follow=0.6)", ["c"], ["a"], LINKS)[0, 0] == pytest.approx(0.3 + 0.3 * 0.6)
    # without limit: P = .3 + .3 x .6 from a to c, whatever comes after
    assert pages_reach("hyperlink(steps=0,follow=0.6)", ["c"], ["a"], LINKS)[0, 0] == pytest.approx(0.48)


def test_each_model_says_which_navigation_it_reads():
    for model, wrong in [("hyperlink", FIGURE_2), ("markov", LINKS)]:
        with pytest.raises(bp.UsageError, match="navigation="):
            pages_reach(model, ["y"], ["x"], wrong)


def test_the_file_chooses_the_reader():
    truth, run = handmade.document_truth({"1": {"x": 1}}), handmade.document_run({"1": ["x"]})
    for navigation, name in [(FIGURE_2, "table"), (LINKS, "hyperlink"), (Sessions((("x", "y"),)), "markov")]:
        rows = bp.evaluate(truth, run, "EPRUM", navigation=navigation).mean_rows
        assert f"user:{name}" in str(rows[0].signature)


def test_files_are_recognised_by_their_columns(tmp_path):
    path = tmp_path / "navigation"
    for content, kind in (
        ("a\tb\t.5\n", ReachTable),
        ("a\tb\nb\tc\n", LinkTable),
        ("a;b;<;c\n", Sessions),
        ("h\t1\t2\ta;b\tNULL\n", Sessions),  # as Wikispeedia publishes them
    ):
        path.write_text(content)
        assert isinstance(bp.read_navigation(path), kind)


def test_trails_fall_with_their_length():
    """a -> b -> c: after t links with a share of t^-1.5, t = 1, 2, 3; c is reached by trails of 2 and 3."""
    table = LinkTable(dict.fromkeys([("a", "b"), ("b", "c")]))
    weight = [t**-1.5 for t in (1, 2, 3)]
    truth = handmade.document_truth({"1": {"b": 1, "c": 1}})
    judged = bp.judge(truth, handmade.document_run({"1": ["a"]}), "1", user="hyperlink(trail=1.5,steps=3)",
                      navigation=table)  # fmt: skip
    assert judged.reach.dense().tolist()[0] == pytest.approx([1.0, sum(weight[1:]) / sum(weight)])
    with pytest.raises(bp.UsageError, match="longest trail"):
        bp.judge(truth, handmade.document_run({"1": ["a"]}), "1", user="hyperlink(trail=1.5)", navigation=table)


@pytest.mark.parametrize(
    ("content", "told"), [("a;b\n<;b\n", "goes back before its first page"), ("a;b\na;;b\n", "empty unit")]
)
def test_bad_sessions(tmp_path, content, told):
    (tmp_path / "a.sessions").write_text(content)
    with pytest.raises(bp.InputError, match=told) as error:
        bp.read_navigation(tmp_path / "a.sessions")
    assert error.value.line == 2


def test_pages_that_are_called_as_columns_of_spans(tmp_path):
    (tmp_path / "sessions.txt").write_text("topic;start;end\nstart;end\n")
    assert len(bp.read_navigation(tmp_path / "sessions.txt").paths) == 2
