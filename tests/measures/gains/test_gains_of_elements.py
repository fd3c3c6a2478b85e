"""Gains of elements: what overlaps, what is left out, and gR as another name of GainRecall."""

from __future__ import annotations

import json

import numpy as np
import pytest
import twins_text as twins
from twins_text import Key

import berrypick as bp
from berrypick.core.truth import TopicTruth, Truth
from berrypick.relevance.recall_base import RecallBase, recall_base


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


def base_of(truth: Truth, quant: str | None = None, left_out: tuple[str, ...] = ()) -> RecallBase:
    return recall_base(truth.topics["1"], truth.scale, quant, left_out)  # type: ignore[arg-type]


def keys(base: RecallBase, rows: np.ndarray | None = None) -> list[Key]:
    chosen = range(len(base)) if rows is None else rows.tolist()
    return [(base.document[i], base.path[i]) for i in chosen]


def element_truth(*rows: tuple[str, int, int], document: str = "d") -> Truth:
    topic = TopicTruth(
        "1",
        (document,) * len(rows),
        np.ones(len(rows)),
        path=tuple(path for path, _, _ in rows),
        size=np.array([size for _, size, _ in rows], dtype=float),
        rsize=np.array([rsize for _, _, rsize in rows], dtype=float),
    )
    return Truth("elements", {"1": topic}, scale="sizes")


def test_elements_left_out_are_removed_before_the_bases_are_built() -> None:
    """2006 ignored link elements: without them the paragraph is the ideal one."""
    truth = element_truth(("/a[1]", 100, 50), ("/a[1]/p[1]", 60, 50), ("/a[1]/p[1]/link[1]", 20, 20))
    assert keys(base_of(truth), base_of(truth).ideal) == [("d", "/a[1]/p[1]/link[1]")]
    without = base_of(truth, left_out=("link",))
    assert keys(without) == [("d", "/a[1]"), ("d", "/a[1]/p[1]")]
    assert keys(without, without.ideal) == [("d", "/a[1]/p[1]")]
    link, paragraph = (twins.element_run([[("d", path)]]) for path in ("/a[1]/p[1]/link[1]", "/a[1]/p[1]"))
    assert twins.value(truth, link, "xCG@1", left_out="link") == 0.0
    assert twins.value(truth, paragraph, "nxCG@1", left_out=["link", "figure"]) == 1.0
    assert twins.value(truth, link, "nxCG@1") == 1.0
