"""Options that measures of gains read, and those that they do not."""

from __future__ import annotations

import slow_text_twins as twins

import berrypick as bp

TRUTH, RUN = {"q": {"a": 1, "b": 2}}, {"q": {"a": 1}}


def said(truth, run, measures, **options):
    return [str(note) for note in bp.evaluate(truth, run, measures, **options).notes if note.kind == "no effect"]


def test_what_changes_the_truth_is_read_by_all():
    assert said(TRUTH, RUN, "MAep", idealism="1=0,2=1") == []


def test_elements():
    element = ("a", "/article[1]")
    truth, run = twins.graded_truth({element: (3, 3)}), twins.element_run([[element]])
    for options in ({"ignore_elements": "article"}, {"ideal_elements": run}, {"idealism": {3: 1.0}}):
        assert said(truth, run, "EPRUM nxCG@1", **options) == []
    assert said(truth, run, "nxCG@1", idealism={3: 1.0}) == ["idealism= has no effect on nxCG@1"]
