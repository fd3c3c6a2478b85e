"""Entry points by their paths, resolved with the structure of documents."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
import slow_text_twins as twins
from slow_text_twins import Element

import berrypick as bp
from berrypick.data.truth import EntryPoint, TopicTruth, Truth

LINE = [
    Element("d", "/a[1]", 0, 100),
    Element("d", "/a[1]/s[1]", 10, 50),
    Element("d", "/a[1]/s[1]/p[1]", 20, 30),
    Element("d", "/a[1]/s[2]", 60, 100),
]


def entered(points: Sequence[tuple[str, str]]) -> Truth:
    topic = TopicTruth(
        "1",
        tuple(element.document for element in LINE[:2]),
        np.ones(2),
        path=tuple(element.path for element in LINE[:2]),
        size=np.array([100.0, 40.0]),
        rsize=np.array([40.0, 40.0]),
        entry_points=tuple(EntryPoint(document, point) for document, point in points),
    )
    return Truth("elements", {"1": topic}, scale="sizes")


def test_entry_points_by_path() -> None:
    """A L/(A L + d) from the start of the element to the entry point; L = 100, A = .1."""
    children = {LINE[0].path: [LINE[1], LINE[3]], LINE[1].path: [LINE[2]]}
    for element in LINE:
        element.children = children.get(element.path, [])
    LINE[1].above = LINE[3].above = LINE[0]
    LINE[2].above = LINE[1]
    collection = twins.collection_of([LINE])
    truth = entered([("d", "/a[1]/s[1]")])
    run = twins.element_run([[("d", "/a[1]/s[1]/p[1]")], [("d", "/a[1]")]])
    options = {"user": "bep", "collection": collection}
    assert twins.value(truth, run, "ExpectedRatio@1", **options) == pytest.approx(10 / 20)
    assert twins.value(truth, run, "ExpectedRatio@2", **options) == pytest.approx(1 - 10 / 20 * 10 / 20)
    assert twins.value(truth, run, "EPRUM", **options) == pytest.approx(0.5 + 0.25 / 2)
    with pytest.raises(bp.UsageError, match="collection="):
        twins.value(truth, run, "EPRUM", user="bep")
