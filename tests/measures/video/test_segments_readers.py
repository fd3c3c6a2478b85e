"""Segments as readers of a line see them, with quantisations and cut-offs."""

from __future__ import annotations

from dataclasses import replace

import handmade
import numpy as np
import pytest
import slow_text_twins as twins

import berrypick as bp
from berrypick.data.truth import TopicTruth


def test_quant_chooses_what_is_relevant_to_readers_of_a_line():
    """Two sections of 20 characters, both highlighted, one of exhaustivity 2: strict wants that alone."""
    tree = twins.grow("d", twins.Shape([-1, 0, 0], ["a", "s", "s"], [0, 0, 0], [60, 20, 20], [0, 0, 0]))
    collection = twins.collection_of([tree])
    first, second = "/article[1]/s[1]", "/article[1]/s[2]"
    topic = TopicTruth("1", ("d", "d"), np.ones(2), path=(first, second), exhaustivity=np.array([2.0, 1.0]),
                       specificity=np.ones(2), size=np.full(2, 20.0), rsize=np.full(2, 20.0))  # fmt: skip
    truth, run = bp.Truth("elements", {"1": topic}, scale="2005"), twins.element_run([[("d", first)]])
    names = ["T2I({}tolerance=10)", "ESL({}tolerance=10)", "ESLRF({}tolerance=10)", "PT2I({}tolerance=10)",
             "SegP({})", "SegR({})"]  # fmt: skip
    plain = [name.format("") for name in names]
    chosen = [name.format("quant='strict',").replace(",)", ")") for name in names]
    found = bp.evaluate(truth, run, plain + chosen, collection=collection)
    values, strict = found.mean()["run"], [found.mean()["run"][name] for name in chosen]
    only = bp.Truth("elements", {"1": replace(topic, grade=np.array([1.0, 0.0]))}, scale="2005")
    alone = bp.evaluate(only, run, plain, collection=collection).mean()["run"]
    assert strict == [alone[name] for name in plain] and strict != [values[name] for name in plain]
    assert values["SegR()"] == 0.5 and strict[-1] == 1.0
    assert {row.measure: row.signature["quant"] for row in found.mean_rows} == (
        dict.fromkeys(plain, "generalised") | dict.fromkeys(chosen, "strict")
    )


def test_segments_at_n():
    """Section 3.2: results that match targets 1, 1, 2 (A), and 1, 2, none (B)."""
    truth = handmade.span_truth({"1": [("d", 0, 30), ("d", 100, 130)]})
    a = handmade.span_run({"1": [("d", 0, 30), ("d", 1, 30), ("d", 100, 130)]})
    b = handmade.span_run({"1": [("d", 0, 30), ("d", 100, 130), ("d", 50, 60)]})
    names = [f"{name}@{n}" for name in ("SegP", "SegR") for n in (1, 2, 3, 4)]
    found = [list(bp.evaluate(truth, run, names).mean()["run"].values()) for run in (a, b)]
    assert found[0] == pytest.approx([1, 1, 1, 3 / 4, 1 / 2, 1 / 2, 1, 1])
    assert found[1] == pytest.approx([1, 1, 2 / 3, 2 / 4, 1 / 2, 1, 1, 1])
    for k in (1, 2, 3):
        whole = [f"{name}" for name in ("SegP", "SegR")]
        cut = handmade.span_run({"1": [("d", 0, 30), ("d", 100, 130), ("d", 50, 60)][:k]})
        assert list(bp.evaluate(truth, cut, whole).mean()["run"].values()) == pytest.approx(
            list(bp.evaluate(truth, b, [f"{name}@{k}" for name in whole]).mean()["run"].values())
        )
