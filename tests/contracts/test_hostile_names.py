"""Names from files never break or drive a line of ours: notes, errors, tables, JUnit, Markdown, annotations."""

from __future__ import annotations

import os
import re
import sys

import pytest
from every_command import invocations, write_inputs

from berrypick.cli import command_names

#: What ends a line for some reader, and then a line that only we, or a workflow, may write.
BREAKS = ["\n", "\r", "\r\n", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029", "\n  ", "\x02a\x1f\n"]
FORGED = ("::error::forged", "note: forged", "not met: forged", "berrypick: forged", "**Gates:** forged")
#: Escapes of a terminal, and marks that turn the direction of writing.
DRIVEN = "\x1b[31m\x1b]0;owned\x07\x9b2J\u202e\u2066"
#: In one name, so that each command is run once.
HOSTILE = "".join(f"{end}{line}" for end, line in zip(BREAKS, FORGED * 3, strict=False)) + DRIVEN


def lines_of(text):
    return [line.strip() for line in re.split("[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]", text)]


def check(said):
    assert not [line for line in lines_of(said) if line.startswith(FORGED)], said
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]", said), repr(said)


@pytest.fixture(scope="module")
def calls(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    name_of_files = "" if os.name == "nt" else "\n::error::forged\x1b[31m\u2028note: forged "
    (folder / f"out{name_of_files}").mkdir()
    return invocations(write_inputs(folder, HOSTILE, name_of_files), folder / f"out{name_of_files}")


@pytest.mark.parametrize("command", command_names())
def test_no_command_prints_a_line_of_a_name(command, calls, berrypick):
    if command in ("report", "plot"):
        pytest.importorskip("vl_convert")
    if command == "annotate":
        for _, arguments in calls["pool"]:
            berrypick("pool", *arguments)
    for code, arguments in calls[command]:
        done = berrypick(command, *arguments)
        assert done.code == code, done.err
        check(done.err)
        check(done.out)


def test_the_name_is_there_all_the_same(calls, berrypick):
    _, arguments = calls["evaluate"][0]
    assert r"\n::error::forged" in berrypick("evaluate", *arguments).out


@pytest.mark.skipif(sys.platform == "win32", reason="names of files")
def test_messages_in_python(tmp_path):
    import berrypick as bp

    for wrong in (
        lambda: bp.evaluate({"q": {"d": 1}}, {HOSTILE: {"d": 1.0}}, "AP"),
        lambda: bp.evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, HOSTILE),
        lambda: bp.read_truth(tmp_path / HOSTILE.replace("/", "")[:60]),
    ):
        with pytest.raises(bp.BerrypickError) as error:
            wrong()
        check(str(error.value))
    with pytest.warns(bp.BerrypickWarning) as caught:
        bp.score("AP", {HOSTILE: {"d": 1}}, {HOSTILE: {HOSTILE: 1.0}})
    check(str(caught[0].message))
    compared = bp.compare({HOSTILE: {"d": 1}}, {HOSTILE: {HOSTILE: {"d": 1.0}}}, "EPRUM")
    for text in (str(compared), compared.table("markdown"), compared.table("latex"), compared.table("tsv")):
        check(text)
