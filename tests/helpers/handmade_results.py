"""Results made by hand, for tests of what follows from them."""

from __future__ import annotations

import random

from berrypick.data.results import ALL, MeasureInfo, Results, Row, mean
from berrypick.data.signature import Signature
from berrypick.evaluation.requested import measure_info


def results(values, signature="sig|v:1"):
    """{run: {measure: [value, ...]}} as results of topics 0, 1, .., which are judged alike in all of them."""
    signed = Signature.parse(signature).with_sums((("truth-sum", "handmade"),))
    rows = [
        Row(run, str(topic), measure, value, signed)
        for run, measures in values.items()
        for measure, numbers in measures.items()
        for topic, value in enumerate(numbers)
    ]
    means = [
        Row(run, ALL, measure, mean(numbers), signed)
        for run, measures in values.items()
        for measure, numbers in measures.items()
    ]
    info = {
        measure: measure_info(measure) or MeasureInfo(measure) for measures in values.values() for measure in measures
    }
    return Results(rows, means, (), info)


def generated(topics=12):
    """A truth and two runs over documents; one topic is missing from the second run."""
    draw = random.Random(5)
    names = [f"d{i}" for i in range(40)]
    qrels = "".join(f"{t} 0 {d} 1\n" for t in range(topics) for d in draw.sample(names, draw.randint(1, 9)))
    runs = []
    for tag in ("a", "b"):
        lines = [
            f"{t} Q0 {d} {k + 1} {100 - k} {tag}\n"
            for t in range(topics - (tag == "b"))
            for k, d in enumerate(draw.sample(names, draw.randint(3, 30)))
        ]
        runs.append("".join(lines))
    return qrels, runs
