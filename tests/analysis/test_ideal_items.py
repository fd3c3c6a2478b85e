"""Ideal lists of items on the command line."""

import json

import handmade

import berrypick as bp

A, B, C, D = ("a", 0, 10), ("a", 20, 30), ("b", 0, 10), ("b", 20, 30)
TRUTH = handmade.span_truth({"q": [A, B, C, D]})
PERFECT = handmade.span_run({"q": [(*A, 1), (*B, 1), (*C, 2), (*D, 2)]})


def test_the_command_lists_items(tmp_path, berrypick):
    spans = [A, B, C, D]
    lines = [{"topic": "q", "doc": doc, "start": start, "end": end} for doc, start, end in spans]
    path = tmp_path / "truth.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    given = ("ideal", path, "-m", "EPRUM(r=4)", "--user", "fetch_browse(consider=1)")
    (found,) = json.loads(berrypick(*given, "-o", "json").out)
    assert found["list"] == ["a#0-10 + a#20-30", "b#0-10 + b#20-30"] and found["value"] == 2 and found["gap"] == 0
    assert "a#0-10 + a#20-30, b#0-10 + b#20-30" in berrypick(*given, "-o", "table").out
    explained = bp.explain(TRUTH, PERFECT, "EPRUM(ideal='certified',r=2)", "q", user="fetch_browse(consider=0.8)")
    assert "a#0-10 + a#20-30, b#0-10 + b#20-30" in str(explained)
