"""Spans that overlap targets more or less: moments by hand, spans drawn by Hypothesis, and their ratios by sets."""

from __future__ import annotations

import handmade
from hypothesis import strategies as st

import berrypick as bp

LENGTHS = handmade.lengths(d=1000, e=1000)


def value(spans, measure, targets, **options):
    truth, run = handmade.span_truth({"1": targets}), handmade.span_run({"1": spans})
    return bp.evaluate(truth, run, measure, collection=LENGTHS, **options).per_topic()["run"][measure]["1"]


#: Three moments of a video of 150 s and six predictions, as in moment retrieval. IoU of the predictions with the
#: moments they meet: 10/14; 16/24 (and 4/38 with the next); 8/12, already taken; 0; 20/20; 18/22, already taken.
MOMENTS = [("d", 10, 20), ("d", 40, 60), ("d", 100, 120)]
PREDICTIONS = [("d", 8, 22), ("d", 44, 64), ("d", 10, 22), ("d", 70, 80), ("d", 100, 120), ("d", 98, 120)]


spans = st.tuples(st.sampled_from(["d", "e"]), st.integers(0, 40), st.integers(1, 25)).map(
    lambda s: (s[0], s[1], s[1] + s[2])
)
lists = st.lists(spans, min_size=1, max_size=8)
graded = st.lists(st.tuples(spans, st.integers(1, 3)), min_size=1, max_size=5, unique_by=lambda pair: pair[0])
cuts = st.one_of(st.none(), st.integers(1, 9))


def characters(span):
    return {(span[0], i) for i in range(span[1], span[2])}


def iou(one, other):
    """Intersection over union of two spans."""
    return len(characters(one) & characters(other)) / len(characters(one) | characters(other))
