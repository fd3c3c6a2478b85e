"""Dictionaries of topics in JSON: the order of results with equal scores."""

import json

import berrypick as bp


def kinds(results):
    return {note.kind: str(note) for note in results.notes}


def test_results_of_one_line_keep_its_order(files):
    """Spans are not ordered by the names of their documents; whole documents of such a file are."""
    truth = files(t_jsonl='{"topic": "1", "doc": "a", "start": 0, "end": 4}', t_qrels="1 0 a 1\n")
    for names, value in (("ab", 1.0), ("ba", 0.0)):
        run = files(r_json=json.dumps({"1": {f"{name}#0-4": 1.0 for name in names}}))["r_json"]
        found = bp.evaluate(truth["t_jsonl"], run, "charP@1")
        assert list(found.mean().values()) == [{"charP@1": value}]
        assert kinds(found)["ties"].endswith("they keep the order given")
        run = files(r_json=json.dumps({"1": dict.fromkeys(names, 1.0)}))["r_json"]
        found = bp.evaluate(truth["t_qrels"], run, "AP")
        assert list(found.mean().values()) == [{"AP": 0.5}]
        assert kinds(found)["ties"].endswith("they are ordered by document name, as trec_eval does")
