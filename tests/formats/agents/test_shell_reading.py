"""Lines of files that shell commands print, compared with what a real shell prints."""

import os
import shutil
import subprocess

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from berrypick.formats.agents._shell_output import text_output
from berrypick.formats.agents._shell_reading import ShellOutput, ShellReader

TEN = "\n".join(f"line {i}" for i in range(1, 11)) + "\n"


def result(command, text="", code=0, before=(), **more):
    reader = ShellReader()
    for one, shown in before:
        reader.read(one, ShellOutput(shown, 0))
    return reader.read(command, ShellOutput(text, code, **more))


PLACED = [
    ("cat a.py", "x\ny\n", [("a.py", 1, 2)]),
    ("cat a.py", "x\ny", [("a.py", 1, 2)]),
    ("cat a.py", "", []),
    ("cat -n a.py", "     1\tx\n     2\ty\n", [("a.py", 1, 2)]),
    ("head -n 5 a.py", "x\ny\n", [("a.py", 1, 2)]),
    ("head a.py", "x\n", [("a.py", 1, 1)]),
    ("head -20 'a b.py'", "x\n", [("a b.py", 1, 1)]),
    ("tail -n +7 a.py", "x\ny\n", [("a.py", 7, 2)]),
    ("sed -n '40,80p' a.py", "x\ny\n", [("a.py", 40, 2)]),
    ("sed -n 7p a.py", "x\n", [("a.py", 7, 1)]),
    ("sed -n '7,$p' a.py", "x\ny\n", [("a.py", 7, 2)]),
    ("sed -ne '3,9p' a.py 2>/dev/null", "x\n", [("a.py", 3, 1)]),
    ("nl -ba a.py", "     1\tx\n     2\t\n", [("a.py", 1, 2)]),
    ("nl -ba a.py | sed -n '7,8p'", "     7\tx\n     8\ty\n", [("a.py", 7, 2)]),
    ("nl -ba -w1 -s': ' a.py | tail -n 1", "12: x\n", [("a.py", 12, 1)]),
    ("sed -n '10,20p' a.py | nl -ba", "     1\tx\n     2\ty\n", [("a.py", 10, 2)]),
    ("sed -n '10,20p' a.py | nl -ba -v10", "    10\tx\n    11\ty\n", [("a.py", 10, 2)]),
    ("cat a.py | head -n 40 | tail -n +7", "x\ny\n", [("a.py", 7, 2)]),
    ("tail -n +5 a.py | sed -n '2,3p'", "x\ny\n", [("a.py", 6, 2)]),
    ("cat a.py | grep -n foo", "3:foo\n9:foo\n", [("a.py", 3, 1), ("a.py", 9, 1)]),
    ("tail -n +11 a.py | grep -n foo", "3:foo\n", [("a.py", 13, 1)]),
    ("cd src && cat a.py", "x\n", [("src/a.py", 1, 1)]),
    ("cd /repo && cd src && sed -n '2,3p' ../a.py", "x\n", [("/repo/a.py", 2, 1)]),
    ("grep -n foo a.py", "3:foo\n4:9: foo\n", [("a.py", 3, 2)]),
    ("grep -n -A1 foo a.py", "3:foo\n4-bar\n--\n9:foo\n", [("a.py", 3, 2), ("a.py", 9, 1)]),
    ("grep -nH foo a.py", "a.py:3:foo\n", [("a.py", 3, 1)]),
    ("grep -rn foo src", "src/a.py:3:foo\nsrc/b.py:4:foo\n", [("src/a.py", 3, 1), ("src/b.py", 4, 1)]),
    ("grep -rn foo a.py", "3:foo\n", [("a.py", 3, 1)]),
    ("rg -n foo a.py b-1-c.py", "a.py:3:foo\nb-1-c.py:4:x\n", [("a.py", 3, 1), ("b-1-c.py", 4, 1)]),
    ("rg -nS -C 1 foo src", "src/a.py-2-x\nsrc/a.py:3:foo\n", [("src/a.py", 2, 2)]),
    ("rg -n foo src | head -n 1", "src/a.py:3:foo\n", [("src/a.py", 3, 1)]),
    ("rg -n 'a b' src | grep -v test", "src/a.py:3:a b\n", [("src/a.py", 3, 1)]),
    ("rg --line-number foo", "src/a.py:3:foo\n", [("src/a.py", 3, 1)]),
    ("cd src && rg -n foo .", "./a.py:3:foo\n", [("src/a.py", 3, 1)]),
    ("rg -n foo Makefile", "3:foo\n", [("Makefile", 3, 1)]),
    (["bash", "-lc", "cat a.py"], "x\n", [("a.py", 1, 1)]),
    (["sed", "-n", "2,3p", "a.py"], "x\n", [("a.py", 2, 1)]),
]


@pytest.mark.parametrize(("command", "text", "expected"), PLACED)
def test_commands_that_say_which_lines_they_print(command, text, expected):
    found = result(command, text)
    assert (list(found.places), found.edits, found.placed) == (expected, (), True)


def test_a_line_that_may_be_of_two_files_is_left_out():
    """Without the lines beside it nobody can say whether it is line 3 of src/7 or line 7 of src/7-3-src/a.py."""
    assert result("rg -n -C1 foo . | grep -v bar", "./src/7-3-src/a.py:7:x\n").places == ()
    assert result("rg -n foo .", "./src/7-3-src/a.py:7:x\n").places == (("./src/7-3-src/a.py", 7, 1),)


def test_numbers_that_fall_end_a_stretch():
    """nl counts anew behind the line that divides its pages, which grep may hide."""
    assert result("nl -ba a.py | grep foo", "     3\tfoo\n     1\tfoo\n     9\tfoo\n").places == (("a.py", 3, 1),)


UNPLACED = [
    "cat a.py b.py",
    "cat a.py; cat b.py",
    "cat a.py && cat b.py",
    "cat *.py",
    "cat $FILE",
    "cat < a.py",
    "cat -A a.py",
    "cat a.py | sort",
    "cat a.py | awk '{print}'",
    "cat a.py | grep foo",
    "sed -n '1,5p;9,10p' a.py",
    "sed 5q a.py",
    "sed -n '/x/p' a.py",
    "tail -n 5 a.py",
    "tail -f a.py",
    "head -c 10 a.py",
    "nl a.py",
    "nl -ba a.py b.py",
    "grep foo a.py",
    "grep -no foo a.py",
    "grep -c foo a.py",
    "grep -rnh foo src",
    "rg foo src",
    "rg -n --json foo src",
    "rg -n -r bar foo src",
    "cd src; cat a.py",
    "cd $D && cat a.py",
    "cat a.py &",
    "(cat a.py)",
    "python a.py",
    "X=1 cat a.py",
    "sudo cat a.py",
    "cat 'a.py",
    "cat ~/a.py",
    "cat a.py | nl -ba | nl -ba",
    "git show HEAD:a.py",
    "grep -n foo a.py | cut -c1-80",
    "ssh host cat a.py",
    "cat - ",
    "cat a.py >/dev/null",
    "cat a.py | tail -n 3 | head -n 1",
    "for f in a.py; do cat $f; done",
    "cat a{1,2}.py",
    "head -n 5 a.py b.py",
    "",
]


@pytest.mark.parametrize("command", UNPLACED)
def test_everything_else_shows_nothing(command):
    found = result(command, "3:foo\n     4\tx\n")
    assert not found.places and not found.edits and not found.placed


def test_an_exit_code_other_than_0_shows_nothing():
    assert not result("cat a.py", "x\n", 1).places
    assert not result("cat a.py | head", "cat: a.py: No such file or directory\n").places
    assert not result("cat a.py", "cat: a.py: No such file or directory\n", None).places
    assert result("cat a.py", "x\n", None).places


def test_the_last_lines_where_the_length_is_known():
    known = [("cat a.py", TEN)]
    assert result("tail -n 3 a.py", "x\ny\nz\n", before=known).places == (("a.py", 8, 3),)
    assert result("tail -n 30 a.py", TEN, before=known).places == (("a.py", 1, 10),)
    assert result("cat a.py | tail -2", "x\ny\n", before=known).places == (("a.py", 9, 2),)
    assert result("tail -n 3 a.py", "x\ny\n", before=known).places == (), "the file has another length now"
    for between in ("sed -i s/x/y/ b.py", "python fix.py", "echo x > a.py", "git checkout .", "cat 'open"):
        assert result("tail -n 3 a.py", "x\ny\nz\n", before=[*known, (between, "")]).places == ()
    cut = [("head -n 10 a.py", TEN)]
    assert result("tail -n 3 a.py", "x\ny\nz\n", before=cut).places == (), "that was not the whole file"


PATCH = "*** Begin Patch\n*** Update File: src/a.py\n@@\n-x\n+y\n*** Add File: b.py\n+z\n*** End Patch"
EDITS = [
    ("echo x > a.py", ("a.py",)),
    ("cat >> a.py <<'EOF'\nx > y\nEOF", ("a.py",)),
    ("cd src && cat > a.py <<EOF\nx\nEOF\npytest", ("src/a.py",)),
    ("sed -i 's/a/b/' a.py b.py", ("a.py", "b.py")),
    ("sed -i.bak -e 's/a/b/' a.py", ("a.py",)),
    ("sed -ni '1,5p' a.py", ("a.py",)),
    ("sed -n '1,5p' a.py && sed --in-place s/a/b/ a.py", ("a.py",)),
    ("pytest &> out.txt", ("out.txt",)),
    (f"apply_patch <<'EOF'\n{PATCH}\nEOF", ("src/a.py", "b.py")),
    (["apply_patch", PATCH], ("src/a.py", "b.py")),
]


@pytest.mark.parametrize(("command", "edits"), EDITS)
def test_edits(command, edits):
    found = result(command, "x\n")
    assert found.edits == edits and not found.places


def test_what_edits_nothing():
    for command in (
        "pytest > /dev/null",
        "pytest 2>&1 | tail -5",
        "echo 'a > b'",
        "sed -n '/-i/p' a.py",
        "rg -n 'x > y' a.py",
    ):
        assert result(command, "").edits == ()
    assert result("sed -i s/a/b/ a.py", "sed: a.py: No such file", 2).edits == (), "it failed"
    assert result("sed -i s/a/b/ a.py && pytest", "1 failed", 1).edits == ("a.py",), "the tests failed, not the edit"
    assert result('echo x > "$OUT"', "").unnamed_edits == 1


def test_programs_are_counted_and_nothing_else_of_a_command_is_kept():
    assert result("TOKEN=hunter2 python3 -c 'print(1)'").program == "python3"
    assert result("/usr/bin/git log").program == "git"
    assert result("cd x && ls").program == "ls"
    assert result("$(echo hunter2) x").program == "other" and result("'hunter 2' x").program == "other"
    for secret in ("hunter2", "sk-ant-12ab", "hunter2 'open", "/opt/hunter2 x"):
        assert result(secret, "hunter2").program == "other"
    assert result("python3.11 x.py").program == "python3.11"
    assert "hunter2" not in str(result("curl -H 'Authorization: hunter2' x | sort", "hunter2"))


def test_cut_and_trimmed_output():
    """The last line of output that was cut is not whole; trimmed output may have lost blank lines at its start."""
    assert result("cat a.py", "x\ny\nz", cut=True).places == (("a.py", 1, 2),)
    assert result("sed -n '5,6p' a.py", "x\ny", trimmed=True).unsure is False
    assert result("sed -n '5,9p' a.py", "x\ny", trimmed=True).unsure is True


def lines_of_cat(content):
    """How many lines of a file a log shows whose text of the result is this."""
    found = ShellReader().read("cat a.py", text_output(content))
    return sum(many for _, _, many in found.places)


HEAD = "<returncode>0</returncode>\n<warning>\nThe output of your last command was too long.\n</warning>"
ELIDED = "<elided_chars>\n90 characters elided\n</elided_chars>\n<output_tail>\nz\n</output_tail>"
TRAILER = (
    "[Current working directory: /repo]\n[Python interpreter: /usr/bin/python]\n[Command finished with exit code 0]"
)
CONTENTS = [  # what mini-SWE-agent, OpenHands and Harbor (for Claude Code) put around an output
    ("a\nb\n", 2),
    ("<returncode>0</returncode>\n<output>\na\nb\n</output>", 2),
    ("<returncode>1</returncode>\n<output>\na\nb\n</output>", 0),
    (f"{HEAD}<output_head>\na\nb\nhalf\n</output_head>\n{ELIDED}", 2),
    ("a\nb\n[exit code 0]", 2),
    ("a\nb[exit code 0]", 2),
    ("a\nb\n[exit code 2]", 0),
    ("a\nb\nhalf\n... [90 characters elided] ...\nz\n[exit code 0]", 2),
    ('{\n  "returncode": 0,\n  "output": "a\\nb\\n"\n}', 2),
    ('{\n  "returncode": 0,\n  "output_head": "a\\nb\\n",\n  "elided_chars": 9\n}', 0),
    (f"a\nb\n[The command completed with exit code 0.]\n{TRAILER}", 2),
    ("a\nb\n[The command completed with exit code 0.]", 2),
    (f"a\nb\n[The command completed with exit code 1.]\n{TRAILER}", 0),
    ("[Below is the output of the previous command.]\na\n[The command completed with exit code 0.]", 0),
    ("a\nb\n[The command has no new output after 10 seconds.]", 0),
    ("a\nb\n\n[stdout]\na\nb", 2),
    ('a\nb\n\n[stdout]\na\nb\n[metadata] {"noOutputExpected": false}', 2),
    ("a\nb\n\n[stdout]\na\n[stderr]\nb", 2),
    ("a\nb\n\n[error] tool reported failure", 0),
    ('[metadata] {"noOutputExpected": false}', 0),
    ("a\nb\nhalf\n\n... [5 lines truncated] ...", 2),
    ("Command: cat a.py\nDirectory: (root)\nOutput: a\nb\nExit Code: 0", 0),
    ("Output: a\nb\nProcess Group PGID: 17", 0),
    ("OBSERVATION:\na\nb", 0),
    ("<returncode>0</returncode>\n<output>\na\nb\n", 0),
    ("<returncode>0</retu", 0),
    ("a\nb\n</output>", 0),
    ("a\nb\n\n<system-reminder>\nx\n</system-reminder>", 2),
    ("a\n<system-reminder>x</system-reminder>\nb\n", 1),
    ("[metadata]\nname = x\n", 2),
    ('{"name": "x"}\n', 1),
]


@pytest.mark.parametrize(("content", "many"), CONTENTS)
def test_wrappings_are_not_lines_of_files(content, many):
    assert lines_of_cat(content) == many


def test_more_lines_than_were_asked_for_are_not_those_of_the_file():
    assert result("sed -n '3,4p' a.py", "x\ny\nz\n").places == ()
    assert result("head -n 2 a.py", "x\ny\nz\n").places == ()


def test_relative_paths_after_a_cd_of_its_own():
    """Some agents keep one shell, others start one for each command; nobody can say which this was."""
    for known, expected in ((True, (("a.py", 1, 1),)), (False, ())):
        reader = ShellReader()
        reader.read("cd src", ShellOutput("", 0), known)
        assert reader.read("cat a.py", ShellOutput("x\n", 0), known).places == expected
        assert reader.read("cat /repo/a.py", ShellOutput("x\n", 0), known).places == (("/repo/a.py", 1, 1),)


NAMES = ("a.py", "src/b c.py", "src/1-2-x.txt", "README")
LINES = st.lists(
    st.sampled_from(["", "foo", " foo bar", "3:foo", "4-bar", "src/b c.py:7:foo", "--", "\x0c", "	7	x", "é"]),
    max_size=12,
)
K = st.integers(0, 14)
FILES = st.fixed_dictionaries({name: st.tuples(LINES, st.booleans()) for name in NAMES})


def quoted(name):
    return f"'{name}'"


@st.composite
def commands(draw):
    name = quoted(draw(st.sampled_from(NAMES)))
    a, b = draw(st.integers(1, 9)), draw(K)
    source = draw(
        st.sampled_from(
            [
                f"cat {name}",
                f"cat -n {name}",
                f"head -n {b} {name}",
                f"tail -n +{b} {name}",
                f"tail -n {b} {name}",
                f"sed -n '{a},{b}p' {name}",
                f"sed -n '{a},$p' {name}",
                f"sed -n '{a},+{b}p' {name}",
                f"nl -ba {name}",
                f"nl -ba -w2 -s' ' -v{b} {name}",
                f"grep -n foo {name}",
                f"grep -n -C1 foo {name}",
                f"grep -nv foo {name}",
                "grep -rn foo src",
                "grep -rn -B1 foo .",
                f"grep -nF foo a.py {name}",
                f"grep -Hn foo {name}",
                f"head -n -{a} {name}",
                f"cat {name} {name}",
                *(
                    [f"rg -n foo {name}", "rg -n foo src", "rg -n -A1 foo .", f"rg -nF foo README {name}"]
                    if shutil.which("rg")
                    else []
                ),
            ]
        )
    )
    filters = st.sampled_from(
        [
            "",
            " | head -n 4",
            " | tail -n +3",
            " | sed -n '2,5p'",
            " | nl -ba",
            " | grep -n foo",
            " | grep foo",
            " | tail -n 2",
            " | cat",
            " | head -n -2",
        ]
    )
    cd = draw(st.sampled_from(["", "cd . && ", "cd src && cd .. && "]))
    return cd + source + draw(filters) + draw(filters)


@pytest.mark.slow
@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(files=FILES, script=st.lists(commands(), min_size=1, max_size=3))
def test_every_line_that_is_placed_is_the_line_of_the_file(tmp_path, files, script):
    """Each placed line stands, as a whole, in what bash printed, in the order of the file."""
    held = {}
    for name, (lines, ended) in files.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("\n".join(lines) + ("\n" if ended and lines else ""), newline="")
        text = path.read_text()
        held[name] = text.split("\n")[: -1 if text.endswith("\n") else None] if text else []
    reader = ShellReader()
    for command in script:
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=tmp_path,
            capture_output=True,
            check=False,
            env={**os.environ, "LC_ALL": "C.UTF-8"},
        )
        printed = done.stdout.decode() + done.stderr.decode()
        found = reader.read(command, ShellOutput(printed, done.returncode))
        shown = printed.split("\n")
        placed = 0
        for path, first, many in found.places:
            own = held[os.path.normpath(path)]
            assert first >= 1 and first - 1 + many <= len(own), (command, printed)
            for number in range(first, first + many):
                placed += 1
                assert any(line.endswith(own[number - 1]) for line in shown), (command, printed, path, number)
        assert placed <= len(shown)
        if found.placed and "grep" not in command and "rg" not in command:
            lines = [
                line
                for path, first, many in found.places
                for line in held[os.path.normpath(path)][first - 1 : first - 1 + many]
            ]
            body = shown[:-1] if shown[-1] == "" else shown
            assert len(body) == len(lines) and all(a.endswith(b) for a, b in zip(body, lines, strict=True)), (
                command,
                printed,
            )
