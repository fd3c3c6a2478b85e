"""A topic with two relevant spans, and the value of a list of spans for it."""

import handmade

import berrypick as bp

TRUTH = handmade.span_truth({"1": [("d", 100, 200), ("d", 300, 340, 2)]})
LENGTHS = handmade.lengths(d=1000, e=1000)


def values(run, measures, truth=TRUTH, **options):
    options = {"collection": LENGTHS, **options}
    return bp.evaluate(truth, run, measures, **options).mean()["run"]


def value(spans, measure, truth=TRUTH, **options):
    return values(handmade.span_run({"1": spans}), measure, truth, **options)[measure.replace(" ", "")]
