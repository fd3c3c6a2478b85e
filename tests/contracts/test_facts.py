"""Facts travel as values: nothing is learnt by parsing a measure's name, a signature or a note."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

from many_cases import each
from parsed_files import parsed

import berrypick

ROOT = Path(berrypick.__file__).parent
#: Where texts of measures become measures.
PARSERS = ("evaluation", "measures", "data/spec.py", "integrations/ir_measures_provider.py")
#: Where files of results and ledgers are read: a line of either states its signature as text.
READERS = ("analysis/comparison/saved.py", "analysis/ledger/ledger_file.py", "data/results.py")
FILES = sorted(path for path in ROOT.rglob("*.py"))


def place(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def calls(path: Path):
    """(line, name of what is called, the call)."""
    found = []
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Call):
            function = node.func
            name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
            found.append((node.lineno, name, node))
    return found


@each("path", FILES, ids=place)
def test_names_of_measures_are_parsed_in_one_room(path):
    if place(path).startswith(PARSERS) or place(path) in READERS:
        return
    found = [line for line, name, _ in calls(path) if name in ("parse_measure", "measure_info", "measure_class")]
    # `berrypick show measure NAME` looks a name up for a person
    assert not found or place(path) == "cli/show.py", f"{place(path)}:{found}"


@each("path", FILES, ids=place)
def test_signatures_are_read_as_values(path):
    for line, name, call in calls(path):
        owner = ast.unparse(call.func.value) if isinstance(call.func, ast.Attribute) else ""
        if name == "parse" and owner.endswith("Signature"):
            assert place(path) in READERS, f"{place(path)}:{line}"
        if name in ("split", "partition", "rpartition") and call.args:
            separator = ast.unparse(call.args[0])
            if separator == "'|'":
                known = ("data/signature.py", "data/parameters.py", "formats/trec/genomics_gold.py")
                assert place(path) in known, f"{place(path)}:{line}"
            assert not ("signature" in owner and place(path) not in READERS), f"{place(path)}:{line}"


NOTE = re.compile(r"\b(note|notes|warning|warnings)\b")


@each("path", FILES, ids=place)
def test_notes_are_not_read(path):
    """No regular expression, no search and no beginning of a sentence on a note; what it says it holds as a value."""
    if place(path).startswith("formats"):
        return
    for line, name, call in calls(path):
        searched = [ast.unparse(part) for part in call.args]
        owner = ast.unparse(call.func.value) if isinstance(call.func, ast.Attribute) else ""
        if name in ("match", "search", "fullmatch", "findall", "finditer", "sub") and owner == "re":
            assert not any(NOTE.search(part) for part in searched[1:]), f"{place(path)}:{line}"
        if name in ("startswith", "endswith", "removeprefix", "partition", "split", "index", "find"):
            assert not NOTE.search(owner), f"{place(path)}:{line}"
            assert not any(re.match(r"f['\"]\{run", part) for part in searched), f"{place(path)}:{line}"
