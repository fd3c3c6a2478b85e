"""Coarser units of truth and run, and ids that carry places."""

import json

import pytest
from many_cases import each

import berrypick as bp
from berrypick.evaluation.levels import LEVELS, _Namer, _PlacedRows

CODE = {"1": {"src/a.py:Tree.cut": 1, "src/a.py:Tree.grow": 1, "src/b.py:main": 1, "src/c.py:Leaf": 0}}
FOUND = {"1": {"src/a.py:Tree.burn": 5, "src/c.py:Leaf": 4, "src/a.py:Tree.cut": 3, "src/b.py:main": 2}}
#: Level, measure, value. Files: a, c, b. Modules: a:Tree, c:Leaf, b:main.
BY_HAND = [
    ("file", "R@1", 1 / 2), ("file", "All@2", 0.0), ("file", "All@3", 1.0), ("file", "AP", (1 + 2 / 3) / 2),
    ("module", "R@1", 1 / 2), ("module", "RR", 1.0), ("module", "All@3", 1.0),
    ("function", "R@1", 0.0), ("function", "R@4", 2 / 3), ("function", "RR", 1 / 3),
    ("document", "RR", 1 / 3), (None, "RR", 1 / 3),
]  # fmt: skip


@each(["level", "measure", "value"], BY_HAND, ids=lambda case: f"{case[0]} {case[1]}")
def test_code_by_hand(level, measure, value):
    results = bp.evaluate(CODE, FOUND, measure, level=level)
    assert results.mean()["run"][measure] == pytest.approx(value)
    assert (f"level:{level}" in str(results.topic_rows[0].signature)) == (level is not None)


def test_turns_to_sessions_with_their_sets():
    truth = {"q": [{"doc": "D1:3", "set": "x"}, {"doc": "D1:9", "set": "x"}, {"doc": "D2:1", "set": "y"},
                   {"doc": "D3:4", "set": "y"}]}  # fmt: skip
    run = {"q": {"D1:7": 3, "D1:3": 2, "D3:1": 1}}
    assert bp.score("Enough@1", truth, run, level="session") == 1.0  # one session holds all of set x
    assert bp.score("Enough", truth, run, level="turn") == 0.0
    assert bp.score("All(cap=True)@2", truth, run, level="session") == 1.0  # D1 and D3; D1 counts once
    sessions = bp.judge(truth, run, "q", level="session")
    assert sessions.truth.document == ("D1", "D2", "D3") and sessions.truth.sets == (("x",), ("y",), ("y",))
    assert sessions.ranking.names_by_rank() == ["D1", "D3"]


def test_parts_to_documents():
    truth, run = {"q": {"a#0-10": 1, "a#20-30": 1, "b#0-5": 1}}, {"q": {"a#500-600": 3, "c#0-9": 2, "b#100-101": 1}}
    assert bp.score("R@1", truth, run, level="document") == 0.5
    assert bp.score("Success@1", truth, {"q": {"a": 1}}, level="document") == 1.0  # a run of whole documents
    notes = [note.text for note in bp.evaluate(truth, run, "R@1", level="document").notes if note.kind == "level"]
    assert notes == ["the truth: 3 judgements are 2 documents at level='document'"]


def test_boxes_to_pages():
    truth = [{"topic": "q", "doc": "a", "page": 3, "box": [0, 0, 0.5, 0.5]}, {"topic": "q", "doc": "a", "page": 4}]
    run = [{"topic": "q", "doc": "a", "page": 3, "box": [0.6, 0.6, 0.9, 0.9], "rank": 1},
           {"topic": "q", "doc": "a", "page": 3, "rank": 2},
           {"topic": "q", "doc": "a", "page": 9, "rank": 3}]  # fmt: skip
    judged = bp.judge(truth, run, "q", level="page")
    assert judged.truth.document == ("a#page=3", "a#page=4")
    assert judged.ranking.names_by_rank() == ["a#page=3", "a#page=9"]
    assert bp.score("R@1", truth, run, level="page") == 0.5
    assert bp.score("R@1", truth, {"q": {"a": 1}}, level="document") == 1.0


def test_lines_one_by_one():
    import numpy as np

    rows = _PlacedRows(["a.py", "b.py"], np.array([4, 0]), np.array([6, 1]), None, "lines")
    assert _Namer("line", "t").units(rows) == [["a.py:5", "a.py:6"], ["b.py:1"]]
    assert bp.score("R@1", {"q": {"a.py:5": 1, "a.py:6": 1}}, {"q": {"a.py:6": 1}}, level="line") == 0.5


def test_colons_that_are_no_parts():
    namer = _Namer("file", "t")
    names = ["s3://bucket/a.py", "C:\\code\\a.py", "src/a.py::Tree::cut", "src/a.py:Tree.cut", "plain"]
    assert [namer.of_name(name) for name in names] == [names[0], names[1], "src/a.py", "src/a.py", "plain"]
    assert list(namer.plain) == [names[0], names[1], "plain"]


def test_names_without_a_part_are_said():
    results = bp.evaluate({"q": {"a.py": 1}}, {"q": {"a.py": 1}}, "RR", level="module")
    said = [note.text for note in results.notes if "without a part after a colon" in note.text]
    assert len(said) == 2 and "1 name without a part" in said[0]


def test_doubled_lines_are_refused_before_they_are_merged(tmp_path):
    (tmp_path / "t.qrels").write_text("1 0 a:x 1\n")
    (tmp_path / "r.run").write_text("1 Q0 a:x 1 2 mine\n1 Q0 a:x 2 1 mine\n")
    with pytest.raises(bp.InputError, match="a:x is retrieved twice for topic 1"):
        bp.evaluate(tmp_path / "t.qrels", tmp_path / "r.run", "RR", level="file")


REFUSED = {
    "function": "has parts of documents, whose function is not known",
    "turn": "names such as D1:3",
    "page": "the truth has no pages",
    "line": "offsets that do not count lines",
}


@each("level", REFUSED)
def test_what_a_level_needs(level):
    with pytest.raises(bp.UsageError, match=REFUSED[level]):
        bp.evaluate({"q": {"a#0-9": 1}}, {"q": {"a#0-9": 1}}, "spanRR", level=level)


def test_on_the_command_line(tmp_path, berrypick):
    (tmp_path / "t.qrels").write_text("1 0 a.py:f 1\n1 0 b.py:g 1\n")
    (tmp_path / "r.run").write_text("1 Q0 a.py:z 1 2 mine\n1 Q0 a.py:y 2 1 mine\n")
    done = berrypick(
        "evaluate", tmp_path / "t.qrels", tmp_path / "r.run", "-m", "recalls@5", "--level", "file", "-o", "json"
    )
    assert {row["measure"]: row["value"] for row in json.loads(done.out)} == {"Success@5": 1, "R@5": 0.5, "All@5": 0}
    assert "2 results are 1 file at --level file" in done.err
    done = berrypick("evaluate", tmp_path / "t.qrels", tmp_path / "r.run", "-m", "AP", "--level", "paragraph")
    assert done.code == 2 and all(level in done.err for level in LEVELS)


# --- ids that carry places --------------------------------------------------------------------------------------------

PATTERN = r"(?P<doc>.+)-(?P<start>\d+)-(?P<end>\d+)"


def test_ids_become_places(tmp_path):
    (tmp_path / "t.qrels").write_text("1 0 a-b-0-100 1\n1 0 c-50-60 1\n1 0 c-90-99 0\n")
    (tmp_path / "r.run").write_text("1 Q0 a-b-40-140 1 2 mine\n1 Q0 c-50-60 2 1 mine\n")
    found = bp.evaluate(tmp_path / "t.qrels", tmp_path / "r.run", "charR@1 charR@2 spanHit@1", id_pattern=PATTERN)
    assert found.mean()["mine"] == {"charR@1": 60 / 110, "charR@2": 70 / 110, "spanHit@1": 1.0}
    judged = bp.judge(tmp_path / "t.qrels", tmp_path / "r.run", "1", id_pattern=PATTERN)
    assert judged.targets.names() == ["a-b#0-100", "c#50-60"]
    spans = {"1": {"a-b#0-100": 1, "c#50-60": 1}}  # a truth that has places, and a run whose ids carry them
    assert bp.score("charR@1", spans, tmp_path / "r.run", id_pattern=PATTERN) == 60 / 110
    assert bp.score("R@1", tmp_path / "t.qrels", tmp_path / "r.run", id_pattern=PATTERN, level="document") == 0.5


def test_a_pattern_with_alternatives_leaves_signatures_whole():
    pattern = r"(?P<doc>a|b)-(?P<start>\d+)-(?P<end>\d+)"
    signature = (
        bp.evaluate({"q": {"a-0-9": 1}}, {"q": {"a-0-9": 1}}, "charR", id_pattern=pattern).mean_rows[0].signature
    )
    assert type(signature).parse(str(signature)) == signature and len(signature.get("id_pattern")) == 8


def test_ids_with_a_document_alone_or_a_number():
    truth, run = {"1": {"d#3": 1, "d#4": 1, "e#0": 0}}, {"1": {"e#0": 3, "d#9": 2, "d#4": 1}}
    assert bp.score("RR", truth, run, id_pattern=r"(?P<doc>.+)#\d+") == 0.5
    numbered = bp.evaluate(truth, run, "charR@3", id_pattern=r"(?P<doc>.+)#(?P<start>\d+)")
    assert numbered.mean()["run"]["charR@3"] == 0.5
    assert any("length 1 is assumed" in note.text for note in numbered.notes)


WRONG = {
    r"(?P<doc>.+)_(?P<start>\d+)_(?P<end>\d+)": "t.qrels:1: the id 'a-0-100' does not match",
    r"(?P<doc>.+": "is not a regular expression",
    r"(.+)-(\d+)-(\d+)": "has groups doc, start and end, as in",
    r"(?P<doc>.+)-(?P<end>\d+)": "has groups doc, start and end",
    r"(?P<doc>.+)-(?P<end>\d+)-(?P<start>\d+)": "the id 'a-0-100' is not a range: it goes from 100 to 0",
    r"(?P<start>.)(?P<doc>-0-)(?P<end>\d+)": "has no number for its place: 'a'",
}


@each("pattern", WRONG)
def test_what_does_not_match_is_refused(pattern, tmp_path):
    (tmp_path / "t.qrels").write_text("1 0 a-0-100 1\n")
    with pytest.raises(bp.BerrypickError, match=WRONG[pattern]):
        bp.evaluate(tmp_path / "t.qrels", {"1": {"a-0-100": 1}}, "charR", id_pattern=pattern)
