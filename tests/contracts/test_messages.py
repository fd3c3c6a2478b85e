"""Errors and notes show options the way they were given: flags on the command line, arguments in Python."""

import ast
import pickle
import re
from pathlib import Path

import pytest
from parsed_files import parsed

import berrypick as bp
from berrypick.cli import main
from berrypick.data.errors import BerrypickError, InputError, Message, UsageError, as_flags, option
from berrypick.data.merged_notes import merge_notes
from berrypick.data.results import Note

ROOT = Path(bp.__file__).parent
#: A flag of the command line, outside a whole command such as ``berrypick evaluate -q -o json``, commands of git,
#: and the heads of its diffs.
FLAG = re.compile(r"(?<![\w-])(--[a-z]|-[a-z]\b)")
COMMAND = re.compile(r"berrypick [a-z]+[^`\n]*|git [a-z]+[^`\n]*|diff --(git|cc|combined)\b")
#: These print commands, or are about flags.
COMMANDS = {"cli", "demo", "data/errors.py", "evaluation/protocols/campaigns.py",
            "formats/agents/_printed_lines.py", "formats/agents/_shell_reading.py",
            "formats/agents/_shell_search.py"}  # fmt: skip
#: Commands of shells in the documentation of a format.
SHELL = re.compile(r"``(sed|nl|grep|rg)[^`]*``|\"sed [^}]*")


def literals():
    """(place, text) of every string of the library, docstrings too."""
    for path in sorted(ROOT.rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        if name in COMMANDS or {name.partition("/")[0], name.rpartition("/")[0]} & COMMANDS:
            continue
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield f"{name}:{node.lineno}", SHELL.sub("", COMMAND.sub("", node.value))


def test_no_message_of_the_library_has_a_flag_in_it():
    strings = list(literals())
    assert len(strings) > 3000
    found = [f"{place}: {text.strip()[:80]}" for place, text in strings if FLAG.search(text)]
    assert not found, "write option('collection'), not --collection:\n" + "\n".join(found)


@pytest.mark.parametrize(
    ("text", "python", "flags"),
    [
        (option("collection"), "collection=", "--collection"),
        (option("ignore_elements"), "ignore_elements=", "--ignore-elements"),
        (option("quotes", "fuzzy"), "quotes='fuzzy'", "--quotes fuzzy"),
        (option("user", "t2i(tolerance=3)"), "user='t2i(tolerance=3)'", "--user 't2i(tolerance=3)'"),
        (option("measures", "EPRUM", flag="m"), "measures='EPRUM'", "-m EPRUM"),
        (option("format", flag="to"), "format=", "--to"),
        (option("force", True), "force=True", "--force"),
        (option("units", 0), "units=0", "--units 0"),
        (option("user", "a\x03b\x1fc"), r"user='a\x03b\x1fc'", r"--user 'a\x03b\x1fc'"),
    ],
)
def test_an_option_has_two_forms(text, python, flags):
    assert Message(f"give {text}, please") == f"give {python}, please"
    assert as_flags(f"give {text}, please") == f"give {flags}, please"


def errors():
    unplaced = InputError("lost", path="t.jsonl", line=2, text="{}", remedy=f"try {option('quotes', 'fuzzy')}")
    yield BerrypickError(f"give {option('jobs', 1)}")
    yield UsageError(f"give {option('units')}")
    yield unplaced


@pytest.mark.parametrize("error", list(errors()), ids=lambda error: type(error).__name__)
def test_errors_keep_their_options_in_other_processes_and_messages(error):
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert str(copy) == str(error) and "--" not in str(error)
    assert as_flags(copy) == as_flags(error) and "--" in as_flags(error)
    first, *more = error.lines
    quoted = UsageError(f"EPRUM: {first}", *more)
    assert str(quoted) == f"EPRUM: {error}"
    assert as_flags(quoted) == f"EPRUM: {as_flags(error)}"
    if isinstance(error, InputError):
        assert (copy.what, copy.path, copy.line, copy.remedy) == (error.what, error.path, error.line, error.remedy)


def test_notes_are_values_with_options():
    notes = [Note("input", f"give {option('units')}", run=name, measure="PRUM", count=2) for name in "ab"]
    assert str(notes[0]) == "a: PRUM: give units= (2 topics)"
    assert as_flags(notes[0]) == "a: PRUM: give --units (2 topics)"
    assert notes[0].text == "give units="
    copy = pickle.loads(pickle.dumps(notes[0]))
    assert copy == notes[0] and hash(copy) == hash(notes[0]) and as_flags(copy) == as_flags(notes[0])
    assert [as_flags(note) for note in merge_notes(notes, 2)] == ["a, b: PRUM: give --units (2 topics)"]


def test_the_same_error_in_python_and_on_the_command_line(tmp_path, capsys):
    truth, run = tmp_path / "truth.qrels", tmp_path / "run.txt"
    truth.write_text("1 0 d1 1\n1 0 d2 1\n")
    run.write_text("1 Q0 d1 1 2.0 t\n")
    with pytest.raises(UsageError, match=r"^PRUM .* give the number of retrievable units with units=$"):
        bp.evaluate(truth, run, "PRUM")
    with pytest.raises(SystemExit) as end:
        main(["evaluate", str(truth), str(run), "-m", "PRUM"])
    assert end.value.code == 2
    assert capsys.readouterr().err.endswith("give the number of retrievable units with --units\n")


def test_the_page_of_a_command_names_flags_and_that_of_a_call_names_arguments(tmp_path):
    pytest.importorskip("altair")
    truth = {"1": {"d1": 1}}
    run = {"1": {f"d{i}": 1.0 / i for i in range(1, 5)}}
    made = [
        bp.write_report(truth, run, "EPRUM", html=tmp_path / "page.html", depth=2, command=command)
        for command in ("", "berrypick report ...")
    ]
    assert all("depth= shows more" in one.omitted[0] for one in made)
    assert "depth= shows more" in made[0].content and "--depth shows more" not in made[0].content
    assert "--depth shows more" in made[1].content
