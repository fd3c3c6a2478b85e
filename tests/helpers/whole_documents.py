"""Measures of whole documents where parts are judged: a run in the right document that never touches the answer."""

from __future__ import annotations

import json
import warnings

#: The one result lies in the right document, and never touches the answer.
TRUTH = {"q": {"d#100-200": 1}}
RUN = {"q": {"d#900-950": 1.0}}
#: A measure of whole documents, and the one that sees where results lie.
INSTEAD = [
    ("MRR", "spanRR"),
    ("nDCG@10", "spanNDCG@10"),
    ("R@5", "charR@5"),
    ("AP", "spanAP"),
    ("P@5", "charP@5"),
    ("Success@1", "spanHit@1"),
    ("ERR@5", "spanRR@5"),
    ("IPrec@0.1", "charR"),
    ("SetAP", "charR"),
]
WHOLE = "counts whole documents, each at its best rank and relevant if any text in it is"


def lines(name, **more):
    return json.dumps({"topic": "q", "doc": "d", "tag": name, **more}) + "\n"


def one_and_two(files):
    """A truth, a run that misses the answer in its document, and one that does not."""
    return files(
        truth_jsonl=lines("t", start=100, end=200, grade=1),
        one_jsonl=lines("one", start=900, end=950, rank=1),
        two_jsonl=lines("two", start=120, end=150, rank=1),
    )


def quiet(call):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return call()
