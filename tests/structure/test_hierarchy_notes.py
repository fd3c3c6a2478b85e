"""Nothing is computed for a note that nobody sees."""

from __future__ import annotations

import pytest
import twins_text as twins

import berrypick as bp
from berrypick.addons.structure import hierarchy


@pytest.fixture
def calls(monkeypatch):
    """How often a function was called, by its name."""
    found: dict[str, int] = {}

    def count(module, name):
        found[name] = 0
        function = getattr(module, name)

        def counting(*arguments, **options):
            found[name] += 1
            return function(*arguments, **options)

        monkeypatch.setattr(module, name, counting)

    count(hierarchy, "nested_elements")
    return found


@pytest.mark.parametrize("noted", [False, True])
def test_lengths_that_are_all_known_are_not_looked_at_pair_by_pair(calls, noted):
    sizes = {("d", "/a[1]"): 40.0, ("d", "/a[1]/b[1]"): 10.0}
    truth = twins.graded_truth({("d", "/a[1]"): (3, 1), ("d", "/a[1]/b[1]"): (3, 3)}, None if noted else sizes)
    run = twins.element_run([[("d", "/a[1]")]])
    results = bp.evaluate(truth, [run], "ExpectedRatio@1", user="hierarchy")
    assert any(note.kind == "user model" for note in results.notes) == noted
    assert calls["nested_elements"] == 1 + noted  # once for the reach
