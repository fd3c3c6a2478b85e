"""Published numbers of benchmarks, from their files in $BERRYPICK_DATA."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace

import pytest

import berrypick as bp

#: The issues that LocAgent's program leaves out, which have no gold function: the first digits of the SHA-256 of each.
LEFT_OUT = (
    "0ef4cc81 163be76d 18978065 1fcf88d5 2aa29e6c 2b1caeb1 3565e6e0 35a65df0 5024683a 5e747d99 5e7589a5 6673c7e7 "
    "6c5e8c8e 75c78dbc 88c96668 961e8d6e a2e78812 ac737d67 b117be26 b69cdf09 bd8b2dfd c16ca1e3 d4108325 dca3330c "
    "e1e23764 e514a426 "
)


def left_out(name):
    return hashlib.sha256(name.encode()).hexdigest()[:8] in LEFT_OUT


def test_locagent(data):
    """Acc@1, 3, 5 over 274 issues; over the 297 with gold files it is another number."""
    path = data / "locagent" / "loc_outputs.files.jsonl"
    truth = bp.read_truth(path)
    assert len(truth) == 300 and truth.skipped == {"issues without gold files, not judged": 3}
    measures = "All(cap=True)@1 All(cap=True)@3 All(cap=True)@5"
    everything = bp.evaluate(truth, path, measures).mean()["loc_outputs.files"]
    assert [round(value, 4) for value in everything.values()] == [0.7744, 0.9125, 0.9360]
    kept = replace(truth, topics={name: topic for name, topic in truth.topics.items() if not left_out(name)})
    assert len(kept) == 274
    found = bp.evaluate(kept, path, measures).mean()["loc_outputs.files"]
    assert [round(value, 4) for value in found.values()] == [0.7774, 0.9197, 0.9416]
    assert list(found.values()) == [213 / 274, 252 / 274, 258 / 274]
    for level in ("module", "function"):  # this file has neither, and must not give the values of files
        with pytest.raises(bp.InputError, match=f"gt_files does not say which {level}s were changed"):
            bp.evaluate(path, path, measures, level=level)


@pytest.mark.slow
def test_locomo(data):
    """Three meanings of recall of sessions; questions without evidence are undefined, where 60.3 counts them as 1."""
    path = data / "memory" / "locomo_raw_session_top10.json"
    truth, run = bp.read_truth(path), bp.read_run(path)
    assert len(truth) == 1986
    assert truth.skipped["questions without evidence, not judged"] == 4
    results = bp.evaluate(truth, run, "Success@10 R@10 All@10", level="session")
    values = results.per_topic()["locomo_raw_session_top10"]
    assert sum(value is None for value in values["R@10"].values()) == 4
    found = results.mean()["locomo_raw_session_top10"]
    assert found == pytest.approx({"Success@10": 1287 / 1982, "R@10": 0.602024970768664, "All@10": 1095 / 1982})
    assert any("4 judged topics have nothing relevant" in note.text for note in results.notes)
    published = [row["recall"] for row in json.loads(path.read_text())]
    assert round(100 * sum(published) / len(published), 1) == 60.3
    none = [row["recall"] for row in json.loads(path.read_text()) if not row["evidence"]]
    assert none == [1.0] * 4
