"""Judgements that follow code: lines, functions that move to other files, files that are renamed or split."""

from __future__ import annotations

import json

import pytest

import berrypick as bp
from berrypick.data.errors import InputError, UsageError
from berrypick.judgements.relocate import CERTAIN

PARSE = "def parse(text):\n    words = text.split()\n    return [word.lower() for word in words]\n"
COUNT = """def count(words):
    found = {}
    for word in words:
        found[word] = found.get(word, 0) + 1
    return found
"""
SHOW = "def show(found):\n    for word in sorted(found):\n        print(word, found[word])\n"
OLD = f'"""Words."""\n\n\n{PARSE}\n\n{COUNT}\n\n{SHOW}'
#: Lines of the functions in it, from 1.
LINES = {"parse": (4, 6), "count": (9, 13), "show": (16, 18)}


def case(lines: tuple[int, int], old: dict[str, str], new: dict[str, str], doc: str = "a.py"):
    judged = [{"topic": "q", "doc": doc, "start_line": lines[0], "end_line": lines[1]}]
    (found,) = bp.relocate(judged, old, new).cases
    return found


def now(found):
    return [(row["doc"], row["start_line"], row["end_line"]) for row in found.as_dict()["to"]]


def test_lines_that_drift():
    new = {"a.py": OLD.replace('"""Words."""', '"""Words."""\n\nimport sys')}
    for name, (first, last) in LINES.items():
        found = case((first, last), {"a.py": OLD}, new)
        assert (found.status, now(found)) == ("moved", [("a.py", first + 2, last + 2)]), name
    assert case((1, 1), {"a.py": OLD}, new).status == "same"
    assert case(LINES["count"], {"a.py": OLD}, {"a.py": OLD}).status == "same"


def test_a_form_feed_ends_no_line():
    old = OLD.replace("\n\n\ndef count", "\n\f\n\ndef count")
    found = case((9, 13), {"a.py": old}, {"a.py": "import sys\n" + old})
    assert now(found) == [("a.py", 10, 14)] and found.text == COUNT[:-1]


def test_blank_lines_around_stay_with_their_lines():
    found = case((7, 14), {"a.py": OLD}, {"a.py": "import sys\n" + OLD})
    assert now(found) == [("a.py", 8, 15)] and found.status == "moved"
    blank = case((7, 8), {"a.py": OLD}, {"a.py": "import sys\n" + OLD})
    assert (blank.status, blank.places) == ("ambiguous", ())


def test_a_part_of_a_line_is_not_the_line():
    old = "x = 1\nrun_the_whole_program_with(options, files)\n"
    new = "x = 1\nresult = run_the_whole_program_with(options, files)\n"
    found = case((2, 2), {"a.py": old}, {"a.py": new})
    assert found.status == "edited" and now(found) == [("a.py", 2, 2)]


def test_a_function_moved_to_another_file():
    rest = OLD.replace(COUNT + "\n\n", "")
    for other in (f"import os\n\n\n{COUNT}", f"class Counter:\n{''.join('    ' + x for x in COUNT.splitlines(True))}"):
        old = {"a.py": OLD, "b.py": "import os\n"}
        found = case(LINES["count"], old, {"a.py": rest, "b.py": other})
        first = other.split("def count")[0].count("\n") + 1
        assert (found.status, now(found)) == ("moved", [("b.py", first, first + 4)])
    stays = case(LINES["show"], old, {"a.py": rest, "b.py": other})
    assert now(stays) == [("a.py", 9, 11)]


def test_a_file_renamed_and_a_file_split():
    renamed = case(LINES["count"], {"a.py": OLD}, {"words/all.py": OLD})
    assert (renamed.status, now(renamed)) == ("moved", [("words/all.py", 9, 13)])
    edited = {"words/all.py": "import sys\n" + OLD.replace("print(word,", "sys.stdout.write(word,")}
    assert now(case(LINES["count"], {"a.py": OLD}, edited)) == [("words/all.py", 10, 14)]
    assert case(LINES["show"], {"a.py": OLD}, edited).status == "edited"
    split = {"parsing.py": PARSE, "counting.py": "import re\n\n\n" + COUNT, "showing.py": SHOW}
    expected = {"parse": ("parsing.py", 1, 3), "count": ("counting.py", 4, 8), "show": ("showing.py", 1, 3)}
    for name, place in expected.items():
        found = case(LINES[name], {"a.py": OLD}, split)
        assert (found.status, now(found)) == ("moved", [place])


def test_two_copies_are_not_guessed_between():
    rest = OLD.replace(COUNT, "")
    new = {"a.py": rest, "b.py": COUNT, "c.py": "import os\n" + COUNT}
    found = case(LINES["count"], {"a.py": OLD, "b.py": "", "c.py": "import os\n"}, new)
    assert found.status == "ambiguous"
    assert now(found) == [("b.py", 1, 5), ("c.py", 2, 6)]
    twice = bp.relocate([{"topic": "q", "doc": "a.py", "start_line": 1, "end_line": 2}], {"a.py": OLD, "b.py": OLD},
                        {"c.py": OLD, "d.py": OLD})  # fmt: skip
    assert twice.cases[0].status not in CERTAIN


def test_a_copy_that_was_there_before_is_not_the_place():
    """The function is deleted here; the copy in b.py is another one, which stays."""
    old, new = {"a.py": OLD, "b.py": COUNT}, {"a.py": OLD.replace(COUNT, ""), "b.py": COUNT}
    found = case(LINES["count"], old, new)
    assert found.status not in CERTAIN and not any(document == "b.py" for document in found.documents)


def test_an_edited_copy_here_and_an_unchanged_one_elsewhere_are_two():
    new = {"a.py": OLD.replace("found.get(word, 0) + 1", "found.get(word, 0) + 2"), "b.py": COUNT}
    found = case(LINES["count"], {"a.py": OLD}, new)
    assert found.status == "ambiguous" and set(found.documents) == {"a.py", "b.py"}


def test_a_function_that_moved_and_changed_is_flagged():
    rest = OLD.replace(COUNT + "\n\n", "")
    changed = COUNT.replace("found = {}", "found: dict[str, int] = {}")
    found = case(LINES["count"], {"a.py": OLD}, {"a.py": rest, "b.py": f"import os\n\n\n{changed}"})
    assert (found.status, now(found)) == ("edited", [("b.py", 4, 8)])


def test_characters_follow_into_other_documents_too():
    start = OLD.index("def count")
    judged = {"q": {f"a.py#{start}-{start + len(COUNT)}": 1}}
    found = bp.relocate(judged, {"a.py": OLD}, {"a.py": PARSE, "b.py": "x\n" + COUNT})
    assert found.cases[0].status == "moved" and found.cases[0].documents == ("b.py",)
    assert found.truth.topics["q"].document == ("b.py",)
    assert found.records()[0]["to"] == [{"doc": "b.py", "start": 2, "end": 2 + len(COUNT)}]


def test_a_document_judged_as_a_whole_keeps_its_judgement_under_its_new_name():
    judged = [{"topic": "q", "doc": "a", "start": 0, "end": 5}, {"topic": "q", "doc": "a", "judged": True}]
    found = bp.relocate(judged, {"a": OLD}, {"b": OLD})
    assert found.truth.topics["q"].judged_documents == ("b",)


def test_command_writes_lines(files, tmp_path, berrypick):
    paths = files(truth_jsonl=json.dumps({"topic": "q", "doc": "a.py", "start_line": 9, "end_line": 13, "text": COUNT}))
    for name, texts in (("old", {"a.py": OLD}), ("new", {"a.py": PARSE, "sub/b.py": "import os\n" + COUNT})):
        for path, text in texts.items():
            (tmp_path / name / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name / path).write_text(text)
    target, report = tmp_path / "out.jsonl", tmp_path / "report.jsonl"
    done = berrypick("relocate", paths["truth_jsonl"], "--from", tmp_path / "old", "--to", tmp_path / "new",
                     "-o", target, "--report", report)  # fmt: skip
    assert done.code == 0 and "1 moved" in done.err, done.err
    row = json.loads(report.read_text())
    assert row["from"] == {"doc": "a.py", "start_line": 9, "end_line": 13} and row["status"] == "moved"
    assert row["to"] == [{"doc": "sub/b.py", "start_line": 2, "end_line": 6}]
    (written,) = [row for row in map(json.loads, target.read_text().splitlines()) if "topic" in row]
    assert (written["doc"], written["start_line"], written["end_line"]) == ("sub/b.py", 2, 6)
    run = [{"topic": "q", "doc": "sub/b.py", "start_line": 1, "end_line": 6, "rank": 1}]
    assert bp.score("charR", target, run) == 1.0
    again = bp.relocate(target, tmp_path / "new", tmp_path / "new")
    assert again.counts == {"same": 1}


def test_lines_and_quotes_that_are_not_there_are_refused():
    with pytest.raises(InputError, match=r"a\.py has 18 lines, but lines 17 to 19 are judged"):
        case((17, 19), {"a.py": OLD}, {"a.py": OLD})
    quoted = [{"topic": "q", "doc": "a.py", "start_line": 4, "end_line": 6, "text": "def other():\n    pass"}]
    with pytest.raises((InputError, UsageError), match=r"quote|text"):
        bp.relocate(quoted, {"a.py": OLD}, {"a.py": OLD})
    with pytest.raises(InputError, match=r"document b\.py is not in"):
        case((1, 1), {"a.py": OLD}, {"a.py": OLD}, doc="b.py")
