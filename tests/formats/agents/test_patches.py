"""Changes as truths: the lines of old files that they touch."""

import json

import pytest

import berrypick as bp
from berrypick.formats.agents.patch_truth import DiffError, read_change

HEAD = "--- a/x.py\n+++ b/x.py\n"
CASES = {
    "removed": (HEAD + "@@ -3,3 +3,2 @@\n a\n-b\n c\n", [("x.py", 3, 4)]),
    "replaced": (HEAD + "@@ -3,3 +3,4 @@\n a\n-b\n+B\n+C\n c\n", [("x.py", 3, 4)]),
    "inserted": (HEAD + "@@ -3,2 +3,3 @@\n a\n+b\n c\n", [("x.py", 2, 3)]),
    "inserted before what is removed": (HEAD + "@@ -3,2 +3,2 @@\n a\n+B\n-b\n", [("x.py", 3, 4)]),
    "inserted at the top": (HEAD + "@@ -1,2 +1,3 @@\n+z\n a\n b\n", [("x.py", 0, 1)]),
    "without context": (HEAD + "@@ -5,0 +6,2 @@\n+a\n+b\n@@ -9 +11 @@\n-c\n+d\n", [("x.py", 4, 5), ("x.py", 8, 9)]),
    "two places": (HEAD + "@@ -1,5 +1,4 @@\n-a\n-b\n c\n+d\n e\n f\n", [("x.py", 0, 2), ("x.py", 2, 3)]),
    "removed lines that look like heads": (HEAD + "@@ -3,3 +3,1 @@\n--- a\n-+++ b\n c\n", [("x.py", 2, 4)]),
    "new file": ("--- /dev/null\n+++ b/y.py\n@@ -0,0 +1,2 @@\n+a\n+b\n", []),
    "removed file": ("--- a/x.py\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n", [("x.py", 0, 2)]),
    "no line end": (HEAD + "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n", [("x.py", 0, 1)]),
    "time": ("--- x.py\t2026-01-01\n+++ x.py\t2026-01-02\n@@ -1 +1 @@\n-a\n+b\n", [("x.py", 0, 1)]),
    "quoted": ('--- "a/caf\\303\\251.py"\n+++ "b/caf\\303\\251.py"\n@@ -1 +1 @@\n-a\n+b\n', [("café.py", 0, 1)]),
    "renamed": ("diff --git a/x b/y\nrename from x\nrename to y\n", []),
}


@pytest.mark.parametrize("name", CASES)
def test_touched_lines(name):
    text, expected = CASES[name]
    assert read_change(text).places == expected


WRONG = {
    "ends": (HEAD + "@@ -3,3 +3,2 @@\n a\n-b", "ends within a hunk"),
    "too long": (HEAD + "@@ -3,1 +3,1 @@\n-a\n-b\n", "more lines than its head says"),
    "no head": ("@@ -3,1 +3,1 @@\n-a\n+b\n", "before the name of its file"),
    "no numbers": (HEAD + "@@ here @@\n-a\n", "is not a hunk"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_changes_are_refused(name, tmp_path):
    text, why = WRONG[name]
    with pytest.raises(DiffError, match=why):
        read_change(text)
    (tmp_path / "p.jsonl").write_text(json.dumps({"instance_id": "t1", "patch": text}) + "\n")
    with pytest.raises(bp.InputError, match=r"p.jsonl:1: line \d+ of the patch of t1: .*" + why):
        bp.read_truth(tmp_path / "p.jsonl")


def test_against_applied_changes():
    """What is touched is what difflib changes, on generated files: removed lines, or the line before an insertion."""
    import difflib
    import random

    rng = random.Random(3)
    for _ in range(300):
        old = [f"{rng.randrange(4)}\n" for _ in range(rng.randrange(1, 12))]
        new = [line for line in old if rng.random() > 0.2]
        for _ in range(rng.randrange(3)):
            new.insert(rng.randrange(len(new) + 1), f"{rng.randrange(9)}\n")
        text = "".join(difflib.unified_diff(old, new, "a/x", "b/x", n=rng.randrange(3)))
        expected = set()
        for tag, a, b, _, _ in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
            expected |= {*range(a, b)} if tag != "equal" else set()
            expected |= {max(a, 1) - 1} if tag == "insert" else set()
        found = {line for _, start, end in read_change(text).places for line in range(start, end)}
        assert found == expected, text


def test_folders_lines_and_commands(tmp_path, berrypick):
    folder = tmp_path / "changes"
    folder.mkdir()
    (folder / "t1.diff").write_text(CASES["removed"][0])
    (folder / "t2.patch").write_text(CASES["inserted"][0])
    (folder / "t3.diff").write_text(CASES["new file"][0])
    lines = tmp_path / "changes.jsonl"
    lines.write_text("".join(json.dumps({"topic": name, "patch": (folder / file).read_text()}) + "\n"
                             for name, file in (("t1", "t1.diff"), ("t2", "t2.patch"), ("t3", "t3.diff"))))  # fmt: skip
    for given in (folder, lines):
        truth = bp.read_truth(given)
        assert truth.format == "patch" and truth.unit == "lines" and list(truth) == ["t1", "t2"]
        assert truth.skipped["topics whose change touches no line of an old file, skipped"] == 1
    assert list(bp.read_truth(folder / "t1.diff")) == ["t1"]
    done = berrypick("convert", folder, tmp_path / "truth.jsonl", "--from", "patch")
    assert done.code == 0 and "new files of changes, which have no old lines: 1" in done.err
    assert json.loads((tmp_path / "truth.jsonl").read_text().splitlines()[1]) == {
        "topic": "t2", "doc": "x.py", "start_line": 3, "end_line": 3, "grade": 1}  # fmt: skip
