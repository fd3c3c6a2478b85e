"""Changes as git writes them: lines against the diff of each commit, replayed on the files themselves."""

import difflib
import os
import random
import shutil
import subprocess

import pytest

import berrypick as bp
from berrypick.formats.agents.patch_truth import DiffError, read_change

pytestmark = [pytest.mark.skipif(shutil.which("git") is None, reason="needs the program git"), pytest.mark.slow]
WHO = {f"GIT_{role}_{what}": "Jam" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
NO_SETTINGS = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


class Repository:
    """A repository of git with the files of each commit."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir(parents=True)
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments, code=0):
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), **WHO, **NO_SETTINGS}
        command = ["git", *arguments]
        done = subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stderr
        return done.stdout

    def write(self, files):
        """Leave just these files in the work tree."""
        for name in self.git("ls-files").split():
            (self.folder / name).unlink(missing_ok=True)
        for name, lines in files.items():
            (self.folder / name).parent.mkdir(exist_ok=True, parents=True)
            (self.folder / name).write_text("".join(f"{line}\n" for line in lines))
        return self

    def commit(self, files, message="Change"):
        self.write(files).git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self


def touched(text):
    """By document: the lines from 1."""
    found = {}
    for doc, start, end in read_change(text).places:
        lines = found.setdefault(doc, [])
        lines += range(start + 1, end + 1)
        assert len(lines) == len({*lines}), "a line twice"
    return {doc: sorted(lines) for doc, lines in found.items()}


def numbered(count):
    return [f"line {number}" for number in range(1, count + 1)]


LINEAR = ("format-patch --stdout HEAD~{0}", "log -p -{0}", "log -p -{0} --reverse", "log -p -{0} --oneline",
          "log -p -{0} -U0", "log -p -{0} --pretty=email", "log -p -{0} --format=fuller --decorate --stat",
          "-c diff.mnemonicPrefix=true log -p -{0}", "log -p -{0} --no-prefix", "log -p -{0} --full-index")  # fmt: skip


def in_every_form(repository, commits):
    """What the commits touch; the same in every form of git."""
    forms = [form.format(commits).split() for form in LINEAR]
    found = [touched(repository.git(*form)) for form in forms]
    assert all(one == found[0] for one in found), dict(zip(LINEAR, found, strict=True))
    return found[0]


def test_later_commits_have_the_lines_of_the_first_old_file(tmp_path):
    """Two lines after line 2, then a change of what is line 11 by then and line 9 at first."""
    lines = numbered(20)
    repository = Repository(tmp_path / "r").commit({"x.py": lines})
    longer = [*lines[:2], "new", "new too", *lines[2:]]
    repository.commit({"x.py": longer}, "Message\n\n--- a/x.py\n+++ b/x.py\n@@ here @@\n")
    repository.commit({"x.py": [*longer[:10], "changed", *longer[11:]]})
    assert in_every_form(repository, 2) == {"x.py": [2, 9]}
    # a change of an added line, then of a line that replaced line 9, then an insertion after that
    third = [*longer[:2], "newer", "new too", *longer[4:10], "changed again", "and more", *longer[11:]]
    repository.commit({"x.py": third})
    assert in_every_form(repository, 3) == {"x.py": [2, 9]}
    both = repository.git("diff", "HEAD~3", "HEAD~1") + repository.git("diff", "HEAD~1", "HEAD")
    assert touched(both) == {"x.py": [2, 9]}, "one diff after the other"


def test_renamed_removed_and_new_files(tmp_path):
    lines = numbered(30)
    repository = Repository(tmp_path / "r").commit({"a/x.py": lines, "gone.py": ["one", "two"], "empty": []})
    moved = [*lines[:3], "added", *lines[3:]]
    repository.commit({"b/x.py": moved, "gone.py": ["one", "two"], "made.py": ["first"]})
    repository.commit({"b/x.py": [*moved[:20], *moved[21:]], "made.py": ["first", "second"]})
    expected = {"a/x.py": [3, 20], "gone.py": [1, 2]}
    assert in_every_form(repository, 2) == expected
    assert read_change(repository.git("log", "-p", "-2")).new_files == 1
    assert touched(repository.git("diff", "HEAD~2", "--no-prefix")) == expected
    # line 20 returns with another name of the file, then the first line goes
    repository.commit({"c.py": moved, "made.py": ["first"]}).commit({"c.py": moved[1:], "made.py": ["first"]})
    assert in_every_form(repository, 2)["b/x.py"] == [1, 20]


def test_swapped_names(tmp_path):
    """Names of one commit are those before it, whichever stands first."""
    one, two = ([f"{name * 30} {line}" for line in numbered(40)] for name in "xy")
    repository = Repository(tmp_path / "r").commit({"x": one, "y": two})
    repository.commit({"x": [*two[:5], *two[6:]], "y": [*one[:8], *one[9:]]})
    assert touched(repository.git("log", "-p", "-B", "-M", "-1")) == {"x": [9], "y": [6]}


PREFIXES = {
    "i/ w/": ["diff"],
    "c/ i/": ["diff", "--cached"],
    "c/ w/": ["diff", "HEAD"],
    "o/ w/": ["diff", "HEAD:c/x.py", "c/x.py"],
}


@pytest.mark.parametrize("letters", PREFIXES)
def test_mnemonic_prefixes(letters, tmp_path):
    """Folders with the names of prefixes stay."""
    repository = Repository(tmp_path / "r").commit({"c/x.py": numbered(9), "i/y.py": ["one"]})
    repository.write({"c/x.py": ["line 1", *numbered(9)[2:]], "i/y.py": ["one"]})
    if "--cached" in PREFIXES[letters]:
        repository.git("add", "-A")
    arguments = PREFIXES[letters]
    text = repository.git("-c", "diff.mnemonicPrefix=true", *arguments)
    old, new = letters.split()
    assert f"--- {old}" in text and f"+++ {new}" in text
    assert touched(text) == {"c/x.py": [2]}
    assert touched(text.partition("\n--- ")[1].strip("\n") + text.partition("\n--- ")[2]) == {"c/x.py": [2]}
    assert touched(repository.git("diff", "--no-prefix", *arguments[1:])) == {"c/x.py": [2]}
    path = tmp_path / "t1.diff"
    path.write_text(text)
    assert bp.read_truth(path).format == "patch"
    assert bp.read_truth(path)["t1"].document == ("c/x.py",)


def test_removed_files_in_folders_named_like_prefixes(tmp_path):
    repository = Repository(tmp_path / "r").commit({"a/x": ["one"], "w/y": ["two"]}).write({})
    for given in ([], ["--no-prefix"]):
        assert touched(repository.git("diff", *given)) == {"a/x": [1], "w/y": [1]}
    assert touched(repository.git("-c", "diff.mnemonicPrefix=true", "diff")) == {"a/x": [1], "w/y": [1]}


def merged(repository):
    """A merge whose one line differs from both parents."""
    lines = numbered(9)
    repository.commit({"x.py": lines}).git("checkout", "-q", "-b", "side")
    repository.commit({"x.py": [*lines[:4], "side", *lines[5:]]}).git("checkout", "-q", "main")
    repository.commit({"x.py": [*lines[:4], "main", *lines[5:]]}).git("merge", "-q", "side", code=1)
    return repository.commit({"x.py": [*lines[:4], "both", *lines[5:]]})


@pytest.mark.parametrize(
    "given", ["diff --cc HEAD HEAD^1 HEAD^2", "show", "log -p -c", "log -p --combined-all-paths -c"]
)
def test_combined_diffs_are_refused_by_name(given, tmp_path):
    repository = merged(Repository(tmp_path / "r"))
    text = repository.git(*given.split())
    with pytest.raises(DiffError, match=r"combined diff of a merge, .* git diff MERGE\^1 MERGE"):
        read_change(text)
    path = tmp_path / "t1.diff"
    path.write_text(text)
    with pytest.raises(bp.InputError, match=r"t1.diff:\d+: .*combined diff of a merge"):
        bp.read_truth(path)
    assert touched(repository.git("diff", "HEAD^1", "HEAD")) == {"x.py": [5]}, "what the message advises"


def test_commits_that_do_not_follow_one_another_are_refused(tmp_path):
    repository = merged(Repository(tmp_path / "r"))
    with pytest.raises(DiffError, match=r"x\.py does not continue the other changes .* git diff FIRST LAST"):
        read_change(repository.git("log", "-p", "--no-merges"))
    assert touched(repository.git("log", "-p", "--first-parent", "-m", "-2")) == {"x.py": [5]}


def test_diffs_one_behind_the_other_without_a_head(tmp_path):
    """A file that comes and goes between them has no old lines."""
    lines = numbered(9)
    repository = Repository(tmp_path / "r").commit({"x.py": lines})
    repository.commit({"x.py": ["top", *lines], "y.py": ["short"]}).commit({"x.py": ["top", *lines[:-1]]})
    repository.commit({"x.py": ["top", *lines[:-1]], "z.py": ["a", "b"]}).commit(
        {"x.py": lines[:-1], "w.py": ["a", "b"]}
    )
    texts = [repository.git("diff", "-M", f"HEAD~{at + 1}", f"HEAD~{at}") for at in (3, 2, 1, 0)]
    assert "rename from z.py" in texts[-1]
    assert touched("".join(texts)) == {"x.py": [1, 9]} == touched(repository.git("log", "-p", "-4"))


def test_files_and_lines_of_every_form_are_truths(tmp_path, berrypick):
    lines = numbered(20)
    repository = Repository(tmp_path / "r").commit({"x.py": lines})
    repository.commit({"x.py": ["top", *lines]}).commit({"x.py": ["top", *lines[:-1]]})
    for name, form in (("mail", "format-patch --stdout HEAD~2"), ("log", "log -p -2"), ("show", "show")):
        path = tmp_path / f"{name}.patch"
        path.write_text(repository.git(*form.split()))
        done = berrypick("convert", path, tmp_path / "out.jsonl")
        assert done.code == 0, done.err
        expected = [21] if name == "show" else [1, 20]
        assert [row["start_line"] for row in bp.read_truth(path).to_records()] == expected


def replayed(versions):
    """The oracle: each line carries its number in the first version, an added one that of the line before."""
    old = [(line, number) for number, line in enumerate(versions[0], 1)]
    found = set()
    for version in versions[1:]:
        now = []
        matcher = difflib.SequenceMatcher(None, [line for line, _ in old], version, autojunk=False)
        for tag, a, b, c, d in matcher.get_opcodes():
            if tag == "equal":
                now += old[a:b]
                continue
            before = old[b - 1][1] if b else 1
            found |= {number for _, number in old[a:b]} or {before}
            now += [(line, before) for line in version[c:d]]
        old = now
    return sorted(found)


def test_random_histories(tmp_path):
    """Lines are unlike one another, so that every program finds the same differences."""
    rng = random.Random(11)
    for case in range(6):
        versions = [[f"line {case} {number}" for number in range(rng.randrange(5, 25))]]
        repository = Repository(tmp_path / str(case)).commit({"x.py": versions[0]})
        for step in range(4):
            lines = [line for line in versions[-1] if rng.random() > 0.15]
            for number in range(rng.randrange(1, 5)):
                lines.insert(rng.randrange(len(lines) + 1), f"new {case} {step} {number}")
            versions.append(lines)
            repository.commit({"x.py": lines})
        assert in_every_form(repository, 4)["x.py"] == replayed(versions), case
