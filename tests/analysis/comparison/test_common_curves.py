"""Curves at points that all topics share are those beside the natural ones, of several families of measures."""

import berrypick as bp


def test_curves_at_common_points_are_those_beside_the_natural_ones():
    truth = {f"q{i}": [{"doc": "d", "start": 10 * i, "end": 10 * i + 40}] for i in range(6)}
    found = {
        f"q{i}": [{"doc": "d", "start": 7 * i, "end": 7 * i + 25}, {"doc": "e", "start": 0, "end": 9}] for i in range(5)
    }
    asked = bp.Evaluation.prepare(
        truth, {"a": found, "b": {"q0": found["q3"]}}, "Coverage(budget=100) AiP charR@2 EPRUM AgP RR"
    )
    both, common = asked.run(curves=True), asked.run(curves="common")
    assert [row.common for row in common.topic_rows] == [row.common for row in both.topic_rows]
    assert all(row.curve is row.common for row in common.topic_rows)
    assert common.mean_rows == both.mean_rows
    assert any(row.curve != row.common for row in both.topic_rows)
    assert [(row.value, row.signature) for row in common.topic_rows] == [
        (row.value, row.signature) for row in both.topic_rows
    ]
