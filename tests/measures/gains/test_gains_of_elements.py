"""Gains of elements: what overlaps, and gR as another name of GainRecall."""

from __future__ import annotations

import json

import pytest
import slow_text_twins as twins

import berrypick as bp


def overlaps(results: bp.Results) -> list[str]:
    return [note for note in map(str, results.notes) if "Overlap" in note]


def test_elements_are_told_about_where_their_places_are_known():
    tree = twins.grow("d", twins.Shape([-1, 0, 0], ["a", "s", "s"], [0, 0, 0], [10, 20, 30], [0, 0, 0]))
    run = twins.element_run([[("d", "/article[1]")], [("d", "/article[1]/s[1]")]])
    truth = twins.assessed_truth([tree], [("d", 0, 5)], with_text=True)
    assert overlaps(bp.evaluate(truth, run, "nxCG@5")) == []
    told = overlaps(bp.evaluate(truth, run, "nxCG@5", collection=twins.collection_of([tree])))
    assert told == ["run: 25% of the retrieved text repeats earlier results (Overlap)"]


def test_gr_is_gain_recall(files, berrypick):
    """Documents worth 3, 6 and 2: 3/11 after the first, 9/11 after the second; with a reader who moves, expected."""
    paths = files(truth_qrels="1 0 a 3\n1 0 b 6\n1 0 c 2\n",
                  list_run="1 Q0 a 1 3 r\n1 Q0 b 2 2 r\n1 Q0 c 3 1 r\n", table_tsv="a\tb\t0.5\n")  # fmt: skip
    given = ("evaluate", paths["truth_qrels"], paths["list_run"], "-m", "gr@1 GainRecall@2 gr", "-o", "json")
    done = berrypick(*given, "--curves")
    rows = json.loads(done.out)
    assert [row["value"] for row in rows] == pytest.approx([3 / 11, 9 / 11, 1.0])
    assert rows[0]["curve"] == [[1, pytest.approx(3 / 11)], [2, pytest.approx(9 / 11)], [3, 1.0]]
    moving = json.loads(berrypick(*given, "--navigation", paths["table_tsv"], "--curves").out)
    assert [row["value"] for row in moving] == pytest.approx([(3 + 3) / 11, 9 / 11, 1.0])
    assert moving[0]["curve"][0] == [1, pytest.approx(6 / 11)]
