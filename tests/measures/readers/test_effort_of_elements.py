"""Effort of elements whose offsets are not known."""

import numpy as np
import pytest

import berrypick as bp
from berrypick.data.assemble import assemble
from berrypick.data.truth import TopicTruth, Truth


def test_sizes_in_characters_are_no_tokens():
    """The assessments say how many characters an element has, and nothing says how many tokens."""
    sizes, paths = np.array([100.0, 40.0]), ("/a[1]", "/a[1]/b[1]")
    topic = TopicTruth("1", ("d", "d"), np.ones(2), path=paths, size=sizes, rsize=sizes)
    run = assemble(tag="run", topic=["1", "1"], document=["d", "d"], path=list(paths))
    given = (Truth("elements", {"1": topic}, scale="sizes"), run, "epnav")
    assert bp.score(given[2], *given[:2], effort="chars") is not None
    with pytest.raises(bp.UsageError, match="effort in tokens needs the offsets of elements in their documents"):
        bp.score(given[2], *given[:2], effort="tokens", documents={"d": "some words " * 20})
