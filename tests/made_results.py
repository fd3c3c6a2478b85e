"""Results made by hand, for tests of what follows from them."""

from __future__ import annotations

from berrypick.core.results import ALL, Results, Row, mean


def results(values, signature="sig|v:1"):
    """{run: {measure: [value, ...]}} as results of topics 0, 1, .."""
    rows = [
        Row(run, str(topic), measure, value, signature)
        for run, measures in values.items()
        for measure, numbers in measures.items()
        for topic, value in enumerate(numbers)
    ]
    means = [
        Row(run, ALL, measure, mean(numbers), signature)
        for run, measures in values.items()
        for measure, numbers in measures.items()
    ]
    return Results(rows, means)
