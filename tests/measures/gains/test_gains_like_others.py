"""Measures of gains do what others do: places, curves, dictionaries, readers who consider some pointers only."""

from __future__ import annotations

import handmade
import pytest

import berrypick as bp
from berrypick.data.results import ALL

BOX = {"topic": "q", "doc": "a.pdf", "page": 1, "box": [0, 0, 2, 2], "page_size": [612, 792], "rank": 1, "grade": 1}


@pytest.mark.parametrize("measure", ["xCG@1", "MAep"])
def test_places_on_pages_are_refused(measure):
    with pytest.raises(bp.UsageError, match="does not count areas"):
        bp.score(measure, bp.Truth.from_records([BOX]), bp.Run.from_records([BOX]))


def test_the_curve_of_the_mean_is_the_mean_of_the_curves():
    truth, run = {t: {"a": 1, "b": 1} for t in "12"}, {"1": {"a": 2, "x": 1}, "2": {"x": 2, "b": 1}}
    drawn = bp.evaluate(truth, run, "nxCG@2", units=10, curves=True).curves()["run"]["nxCG@2"]
    assert [y for _, y in drawn[ALL]] == pytest.approx(
        [(one + other) / 2 for (_, one), (_, other) in zip(drawn["1"], drawn["2"], strict=True)]
    )


def test_dictionaries_give_the_numbers_of_files(tmp_path):
    (tmp_path / "t.qrels").write_text("1 0 a 1\n1 0 b 1\n")
    (tmp_path / "r.run").write_text("1 Q0 x 1 2 sys\n1 Q0 a 2 1 sys\n")
    files = bp.evaluate(tmp_path / "t.qrels", tmp_path / "r.run", "PRecall", units=10).mean()["sys"]
    assert bp.evaluate({"1": {"a": 1, "b": 1}}, {"1": {"x": 2, "a": 1}}, "PRecall", units=10).mean()["run"] == files


def test_explain_says_who_considers_which_pointer():
    """Behind junk half go on to the target, and behind that three quarters to the next."""
    a, b = ("a", 0, 10), ("a", 20, 30)
    truth = handmade.span_truth({"q": [a, b]})
    run = handmade.span_run({"q": [("a", 50, 60, 1), (*a, 1), (*b, 1)]})
    told = str(bp.explain(truth, run, "GainRecall@2", "q", user="fetch_browse(consider=1,miss=0.5)", units=10))
    table = told.split("share of readers who consider each")[1].split("\n\n")[0]
    rows = [line.split() for line in table.splitlines()[3:]]
    assert [row[:3] for row in rows] == [["1", "a#50-60", "1"], ["1", "a#0-10", "0.5"], ["1", "a#20-30", "0.75"]]
