"""Sweeps between processes and in front of people."""

from __future__ import annotations

import pickle

import berrypick as bp
from berrypick.analysis.sweep.sweep import fixed, fts5
from berrypick.data.navigation import ReachTable


def copied(value):
    return pickle.loads(pickle.dumps(value))


def sweep():
    texts = {"d": "apple pear plum. " * 20}
    return bp.sweep(texts, {"q": {"d#0-5": 1}}, fixed, fts5, "charR@5", queries={"q": "apple"}, grid={"size": [20, 80]})


def test_sweeps_pickle():
    swept = sweep()
    assert copied(swept).rows == swept.rows and str(copied(swept)) == str(swept)


def test_reprs_do_not_grow_with_what_they_hold():
    names = [f"d{i}" for i in range(200)]
    truth = {str(i): {name: 1} for i, name in enumerate(names)}
    runs = {"a": {topic: dict.fromkeys(names[:3], 1.0) for topic in truth}, "b": truth}
    results = bp.evaluate(truth, runs, "AP RR")
    values = [
        bp.Collection(dict.fromkeys(names, 1.0), "lengths.tsv"),
        bp.Texts(dict.fromkeys(names, "text")),
        ReachTable({("home", name): 0.5 for name in names}, "clicks.tsv"),
        bp.diff(results, bp.evaluate(truth, {"a": truth, "b": truth}, "AP RR")),
        bp.correlate(results),
        bp.power(results, detect=0.1),
        bp.explain(truth, truth, "AP", "1"),
        sweep(),
    ]
    for value in values:
        assert repr(value).startswith(type(value).__name__) and len(repr(value)) < 150, repr(value)
        assert repr(value) == repr(copied(value))


UNKNOWN = "none of the run's documents is judged (truth: a; run: b)"


def test_notes_of_comparisons_and_sweeps_are_printed():
    compared = bp.compare({"q": {"a": 1}}, [{"q": {"b": 1.0}}, {"q": {"b": 2.0}}], "AP")
    assert f"note: run, run-2: {UNKNOWN}" in str(compared).splitlines()
    assert UNKNOWN.replace("'", "&#x27;") in compared._repr_html_()
    texts = {"d": "apple pear", "e": "plum"}
    swept = bp.sweep(texts, {"q": {"e#0-2": 1}}, fixed, fts5, "charR@5", queries={"q": "apple"}, grid={"size": [5, 9]})
    noted = "size=5, size=9: none of the run's documents is judged (truth: e; run: d)"
    assert f"note: {noted}" in str(swept).splitlines()
    assert noted.replace("'", "&#x27;") in swept._repr_html_()
