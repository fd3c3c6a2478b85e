"""Ideal lists for epnav: values, notes and the command, against every order of the candidates."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

import berrypick as bp
from berrypick.cli import cli
from berrypick.data.navigation import ReachTable

# --- the measure ----------------------------------------------------------------------------------------------------

TRUTH = {"q": {"a": 2, "b": 1}}
CLICKS = ReachTable({("hub", "a"): 0.9, ("hub", "b"): 0.9})
RUN = {"q": {"hub": 3, "a": 2, "b": 1}}


@pytest.mark.quick
def test_epnav_by_hand():
    """Gains 2 and 1. Up to 2/3 of the gain, (a) is best: 1. Above, (hub, a, b): 1 + .19 + .1 = 1.29 ranks instead of 2.
    The run has E[1/ce] .99 + .01/2 up to 1/3, .9 + .1/2 up to 2/3, .81 + .09/2 + .1/3 above."""
    run = [0.995] * 33 + [0.95] * 33 + [0.81 + 0.09 / 2 + 0.1 / 3] * 34
    found = bp.score("epnav(ideal='certified')", TRUTH, RUN, navigation=CLICKS)
    assert found == pytest.approx(np.mean([p * (1 if n < 66 else 1.29) for n, p in enumerate(run)]))
    assert found == bp.score("epnav(ideal='exact')", TRUTH, RUN, navigation=CLICKS)
    bounded = bp.score("epnav(ideal='certified',norm='bounded')", TRUTH, RUN, navigation=CLICKS)
    assert bounded == pytest.approx(np.mean([*run[:66], *([1.0] * 34)]))


@pytest.mark.parametrize("effort", ["rank", "clicks"])
def test_bounded_values_never_exceed_one(effort):
    rng = np.random.default_rng(8)
    for _ in range(12):
        links = ReachTable({(f"h{i}", x): float(rng.random()) for i in range(3) for x in "abc"})
        truth = {"q": {x: int(rng.integers(1, 4)) for x in "abc"}}
        names = [*"abc", "h0", "h1", "h2"]
        run = {"q": {names[i]: 9 - n for n, i in enumerate(rng.permutation(6)[:4])}}
        for ideal in ("exact", "certified"):
            measure = f"epnav(ideal='{ideal}',norm='bounded')"
            assert 0 <= bp.score(measure, truth, run, navigation=links, effort=effort) <= 1 + 1e-12
        same = [
            bp.score(f"epnav(ideal='{one}')", truth, run, navigation=links, effort=effort)
            for one in ("exact", "certified")
        ]
        assert same[0] == same[1]


def test_results_that_are_no_candidates_are_within_the_bound():
    spans = [{"topic": "q", "doc": "d", "start": 0, "end": 10}, {"topic": "q", "doc": "d", "start": 20, "end": 30}]
    run = [{"topic": "q", "doc": "d", "start": 0, "end": 30, "rank": 1}]
    results = bp.evaluate(spans, run, "epnav epnav(ideal='certified',norm='bounded')")
    assert [row.value for row in results.mean_rows] == pytest.approx([1.5, 1.0])
    assert dict(results.mean_rows[1].signature.fields)["bounded"] == "candidates+run"


def test_explain_shows_the_lists():
    text = str(bp.explain(TRUTH, RUN, "epnav(ideal='certified')", "q", navigation=CLICKS))
    assert "hub, a, b" in text and "1.29" in text and "gap" in text


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("epnav(nodes=5)", "ideal='certified' only"),
        ("epnav(norm='bounded')", "ideal='certified' or 'exact'"),
        ("epnav(ideal='greedy')", "targets"),
    ],
)
@pytest.mark.quick
def test_what_does_not_go_together(spec, message):
    with pytest.raises(bp.UsageError, match=message):
        bp.evaluate(TRUTH, RUN, spec)


def test_more_than_eight_candidates_are_not_tried_in_every_order():
    with pytest.raises(bp.UsageError, match="certified"):
        bp.score("epnav(ideal='exact')", {"q": {f"d{i}": 1 for i in range(9)}}, {"q": {"d1": 1}})


def test_a_gap_is_noted():
    rng = np.random.default_rng(1)
    links = ReachTable({(f"h{i}", f"t{x}"): float(rng.random() * 0.6) for i in range(40) for x in range(5)})
    truth = {"q": {f"t{x}": x % 3 + 1 for x in range(5)}}
    measure = "epnav(ideal='certified',nodes=1,gap=0.01)@1"
    results = bp.evaluate(truth, {"q": {"t1": 1}}, measure, navigation=links)
    assert any("not proven to be the best" in str(note) for note in results.notes)
    assert dict(results.mean_rows[0].signature.fields)["gap"].startswith("<=0.")


def test_the_command(tmp_path):
    (tmp_path / "truth.qrels").write_text("q 0 a 2\nq 0 b 1\n")
    (tmp_path / "clicks.tsv").write_text("hub\ta\t0.9\nhub\tb\t0.9\n")
    arguments = ["ideal", str(tmp_path / "truth.qrels"), "--navigation", str(tmp_path / "clicks.tsv"), "-m", "epnav"]
    found = json.loads(CliRunner().invoke(cli, [*arguments, "-o", "json"]).stdout)
    assert [(one["level"], one["r"], one["list"]) for one in found] == [
        (0.33, None, ["a"]),
        (0.66, None, ["a"]),
        (1.0, None, ["hub", "a", "b"]),
    ]
    assert found[2]["value"] == found[2]["bound"] == pytest.approx(1.29) and found[2]["gap"] == 0
    table = CliRunner().invoke(cli, [*arguments, "-m", "EPRUM", "-o", "table"]).stdout.splitlines()
    assert table[0].split() == ["topic", "measure", "r", "level", "value", "bound", "gap", "list"]
