"""What a list shows of a target, in the form for plain spans and in the form for everything else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from berrypick.analysis.diagnosis.holdings import Holdings
from berrypick.given.convert import as_run, as_truth
from berrypick.topics.context import JudgingContext
from berrypick.topics.judge import judge_topic
from berrypick.users import build
from berrypick.users.base import ReaderContext


def spans(rng, count, share):
    def one():
        start, size = rng.integers(0, 60), rng.integers(1, 30)
        start, size = (start / 4, size / 4) if share else (int(start), int(size))
        return {"doc": f"d{rng.integers(3)}", "start": start, "end": start + size}

    return [one() for _ in range(count)]


@pytest.mark.parametrize("seconds", [False, True])
@pytest.mark.parametrize("share", [1.0, 0.5, 1e-6])
@pytest.mark.parametrize("seed", range(25))
def test_plain_spans_show_what_arrays_show(seed, share, seconds):
    rng = np.random.default_rng(seed)
    truth, found = spans(rng, 6, seconds), spans(rng, int(rng.integers(1, 30)), seconds)
    found[0] = dict(truth[0])
    run = as_run({"q": found}).changed(duplicates="keep")
    context = JudgingContext(user=build("classical"), reader=ReaderContext(), duplicates="keep")
    judged = judge_topic(as_truth({"q": truth}), run, "q", context)
    targets = judged.targets
    if seed % 3 == 0:  # entry points have no length
        assert targets.start is not None and targets.end is not None
        targets = replace(targets, end=np.where(np.arange(6) == 1, targets.start, targets.end))
    quick, slow = (Holdings(judged.ranking, targets, share) for _ in range(2))
    slow.__dict__["_spans"] = None
    assert quick._spans is not None
    assert any(quick.sighting(x).ranks for x in range(len(targets)))
    for x in range(len(targets)):
        assert quick.sighting(x) == slow.sighting(x)
        for k in (1, 2, 5, 50):
            assert quick.together(x, k) == slow.together(x, k)


def test_results_of_several_places_keep_the_form_of_arrays():
    run = as_run({"q": [{"doc": "d", "start": 0, "end": 9, "rank": 1}, {"doc": "d", "start": 9, "end": 12, "rank": 1}]})
    truth = as_truth({"q": [{"doc": "d", "start": 4, "end": 12}]})
    judged = judge_topic(truth, run, "q", JudgingContext(user=build("classical"), reader=ReaderContext()))
    holdings = Holdings(judged.ranking, judged.targets, 1.0)
    assert holdings._spans is None and holdings.sighting(0).ranks == (1,)
