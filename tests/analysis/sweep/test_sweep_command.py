"""berrypick sweep, and settings that cannot be told from the best. Queries are the questions of the truth."""

import json
import re

import berrypick as bp


def test_a_sweep_on_the_command_line(tmp_path, berrypick):
    text = "Cut the old canes in autumn. " + "Nothing of use. " * 30 + "Water in July."
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "guide.md").write_text(text)
    golden = [{"question": "When are canes cut?", "quote": "Cut the old canes in autumn.", "doc": "guide.md"},
              {"question": "When is water needed in July?", "quote": "Water in July.", "doc": "guide.md"}]  # fmt: skip
    truth, documents = tmp_path / "t.jsonl", ["--documents", tmp_path / "texts"]
    truth.write_text("".join(json.dumps(row) + "\n" for row in golden))
    words = ["sweep", truth, *documents, "--grid", "size=20,100", "--grid", "overlap=0,10", "-m", "charR@1"]
    done = berrypick(*words, "-o", "json")
    assert done.code == 0, done.err
    found = bp.sweep(tmp_path / "texts", truth, grid={"size": [20, 100], "overlap": [0, 10]}, metrics="charR@1")
    assert [row["value"] for row in json.loads(done.out)] == [row["value"] for row in found.rows]
    best = found.best()["run"]
    assert re.search(rf"charR@1: the best is {best}; 2 topics cannot distinguish it from ", done.err)
    assert found.as_good()[0] == best and {*found.as_good()} == {*found.names}
    for wrong in (["--grid", "size"], ["--grid", "size=1,"], ["--grid", "size=1", "--grid", "size=2"],
                  ["--runs", "x", "--grid", "size=1"]):  # fmt: skip
        assert berrypick("sweep", truth, *documents, *wrong).code == 2


def test_settings_that_can_be_told_from_the_best():
    truth = {f"q{i}": [("d", 20 * i, 20 * i + 10)] for i in range(12)}
    queries = {f"q{i}": f"word{i}" for i in range(12)}
    text = "".join(f"word{i} here".ljust(20) for i in range(12))
    found = bp.sweep({"d": text}, truth, queries=queries, grid={"size": [5, 20, 40]}, measures="charR@1")
    assert found.as_good() == ["size=20", "size=40"]
