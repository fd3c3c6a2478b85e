"""At a terminal: tables that fit, small curves, a progress bar that goes away; in a pipe plain text, as it ever was."""

from __future__ import annotations

import os
import re
import struct
import subprocess
import threading
from functools import cache
from pathlib import Path

import pytest
from command_process import command
from handmade_results import results

import berrypick as bp
from berrypick.analysis.comparison.curves import Band
from berrypick.data.score import Explanation, Table
from berrypick.tables import terminal, text

fcntl, pty, termios = (pytest.importorskip(name, reason="terminals of POSIX") for name in ("fcntl", "pty", "termios"))

EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples"
STYLE = re.compile(r"\x1b\[[\d;]*m")
#: Everything that a terminal would obey, styles apart.
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


class Seen:
    """What a person saw on each of the two streams."""

    def __init__(self, code, out, err):
        self.code, self.raw, self.err = code, out, err
        self.out = STYLE.sub("", out)


@cache
def at_a_terminal(*arguments, columns=80, piped=(), **environment):
    """Run the command with standard output and error each on a terminal of its own, or in a pipe; the same one once."""
    ends = {}
    for stream in ("out", "err"):
        ends[stream] = os.pipe() if stream in piped else pty.openpty()
        if stream not in piped:
            fcntl.ioctl(ends[stream][0], termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    known = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS", "LINES")}
    process = subprocess.Popen(
        command(*arguments), stdout=ends["out"][1], stderr=ends["err"][1], stdin=subprocess.DEVNULL, cwd=EXAMPLES,
        env={**known, "TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8", **environment},
    )  # fmt: skip
    found = {}
    for stream, (mine, theirs) in ends.items():
        os.close(theirs)
        found[stream] = threading.Thread(target=_drain, args=(mine, found, f"{stream}-read"))
        found[stream].start()
    code = process.wait(timeout=60)
    for stream in ("out", "err"):
        found[stream].join()
    return Seen(code, *(found[f"{stream}-read"].decode().replace("\r\n", "\n") for stream in ("out", "err")))


def _drain(end, found, name):
    content = b""
    while True:
        try:
            piece = os.read(end, 65536)
        except OSError:  # how a terminal says that nobody writes to it any more
            break
        if not piece:
            break
        content += piece
    os.close(end)
    found[name] = content


EVALUATE = ("evaluate", "answers.qrels", "mine.run", "other.run", "--navigation", "clicks.tsv", "--units", "40")
MANY = "EPRUM PRUM AP nDCG@10 P@5 ExpectedRatio epnav EPRUM(r=2) EPRUM@0.5 RR T2I(tolerance=150,budget=600)"


@pytest.mark.parametrize(
    "arguments",
    [
        (*EVALUATE, "-m", MANY.rpartition(" ")[0], "--curves"),
        (*EVALUATE, "-m", MANY.rpartition(" ")[0], "-q"),
        ("compare", *EVALUATE[1:], "-m", "EPRUM AP"),
        ("compare", *EVALUATE[1:], "-m", "EPRUM AP PRUM RR", "--layout", "runs"),
        ("diff", "before.json", "after.json"),
        ("explain", "answers.qrels", "mine.run", "--topic", "setup", "-m", "EPRUM", "--navigation", "clicks.tsv"),
        ("list", "measures"),
        ("list", "formats"),
    ],
    ids=lambda arguments: " ".join(arguments[:1] + arguments[-1:]),
)
def test_everything_fits_into_80_columns(arguments):
    seen = at_a_terminal(*arguments)
    assert seen.code == 0 and seen.out.strip()
    if arguments[-1] != "measures":
        lines = seen.out.splitlines()
    else:
        lines = seen.out.partition("\nDocument measures")[0].splitlines()
    assert max(map(len, lines)) <= 80, max(lines, key=len)
    assert STYLE.search(seen.raw) and not CONTROL.search(STYLE.sub("", seen.raw))


def test_numbers_stand_below_one_another_and_the_best_is_emphasised():
    seen = at_a_terminal(*EVALUATE, "-m", "EPRUM AP")
    head, mine, other = seen.out.splitlines()
    assert head.split() == ["run", "EPRUM", "AP"]
    assert [line.rindex("6") for line in (mine, other)][1] == len(head) - 2
    assert head.index("EPRUM") + len("EPRUM") == mine.index("0.7636") + 6, "right-aligned"
    assert re.findall(r"\x1b\[1;32m *([\d.]+)", seen.raw) == ["0.7636", "0.6667"]


def test_many_measures_go_into_several_tables():
    seen = at_a_terminal(*EVALUATE, "-m", MANY.rpartition(" ")[0])
    wide = at_a_terminal(*EVALUATE, "-m", MANY.rpartition(" ")[0], columns=200)
    assert len(wide.out.splitlines()) == 3
    heads = [line for line in seen.out.splitlines() if line.startswith("run")]
    assert len(heads) == 2 and " ".join(heads).split() == ["run", *heads[0].split()[1:], "run", *heads[1].split()[1:]]
    assert {*heads[0].split(), *heads[1].split()} == set(wide.out.splitlines()[0].split())


def test_small_curves():
    seen = at_a_terminal(*EVALUATE, "-m", "EPRUM AP", "--curves")
    assert "EPRUM: expected precision from 0 to 0.7778, recall from 0.01 to 1" in seen.out
    drawn = dict(line.split() for line in seen.out.splitlines() if "█" in line)
    assert len(drawn["other"]) == 60 and drawn["other"][0] == "█" and drawn["other"][-1] == "▆"


def test_curves_have_one_scale_and_end_where_lists_end():
    axes = ("rank", "normalised cumulated gain")
    one = Band("a", "nxCG@10", (1, 2, 3), (0.0, 0.5, 1.0), (), (), 1, axes)
    two = Band("b", "nxCG@10", (1, 2), (1.0, 0.5), (), (), 1)
    head, a, b = terminal.small_curves([one, two], 80).splitlines()
    assert head == "nxCG@10: normalised cumulated gain from 0 to 1, rank from 1 to 3"
    assert a.split()[1] == "▁" * 20 + "▅" * 20 + "█" * 20
    assert b.split()[1] == "█" * 20 + "▅" * 20
    level = Band("a", "EPRUM", (0.5, 1.0), (1.0, 0.5), (), (), 1)
    assert terminal.small_curves([level], 80).split()[-1] == "█" * 59 + "▅"
    assert "█" not in terminal.small_curves([one], 80, encoding="ascii")
    flat = Band("a", "nxCG@10", (1, 2), (0.0, 0.0), (), (), 1)
    assert "▁" in terminal.small_curves([flat], 80)


def test_curves_in_a_pipe_and_without_any(process):
    arguments = [EXAMPLES / one if one.endswith((".qrels", ".run", ".tsv")) else one for one in EVALUATE]
    done = process(*arguments, "-m", "EPRUM", "-o", "table", "--curves")
    assert "█" in done.out and "\x1b" not in done.out
    assert "no measure has a curve" in process(*arguments[:4], "-m", "AP", "-o", "table", "--curves").out


# --- plain text -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_who_wants_plain_text_gets_it(environment):
    seen = at_a_terminal(*EVALUATE, "-m", "EPRUM PRUM AP", **environment)
    plain = bp.evaluate(
        EXAMPLES / "answers.qrels", [EXAMPLES / "mine.run", EXAMPLES / "other.run"], "EPRUM PRUM AP",
        navigation=EXAMPLES / "clicks.tsv", units=40,
    )  # fmt: skip
    assert seen.raw == text.render(plain, "table", False, None) and seen.err == ""


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
@pytest.mark.parametrize(
    "arguments",
    [
        (*EVALUATE, "-m", MANY.rpartition(" ")[0]),
        ("compare", *EVALUATE[1:], "-m", "EPRUM AP PRUM RR"),
        ("explain", "answers.qrels", "mine.run", "--topic", "setup", "-m", "EPRUM", "--navigation", "clicks.tsv"),
        ("list", "users"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_plain_text_is_as_wide_as_the_terminal(arguments, environment):
    seen = at_a_terminal(*arguments, **environment)
    assert seen.code == 0 and seen.out.strip() and not CONTROL.search(seen.raw + seen.err)
    assert max(map(len, seen.out.splitlines())) <= 80
    assert STYLE.sub("", at_a_terminal(*arguments).out).split()[0] == seen.out.split()[0]


def test_a_pipe_gets_plain_text_also_if_the_other_stream_is_a_terminal():
    seen = at_a_terminal(*EVALUATE[:-2], "-m", "EPRUM", piped=("out",))
    assert seen.raw.startswith("run\ttopic\tmeasure\tvalue\n") and "\x1b" not in seen.raw
    table = at_a_terminal(*EVALUATE[:-2], "-m", "EPRUM", "-o", "table", piped=("out",))
    assert table.raw == "run     EPRUM\n-----  ------\nmine   0.7636\nother  0.6667\n"


def test_json_at_a_terminal_has_no_styles():
    seen = at_a_terminal(*EVALUATE[:-2], "-m", "EPRUM", "-o", "json")
    assert "\x1b" not in seen.raw and seen.raw.startswith("[{")


# --- progress ---------------------------------------------------------------------------------------------------------


def test_progress_is_on_the_error_stream_and_goes_away():
    seen = at_a_terminal(*EVALUATE[:-2], "-m", "EPRUM")
    assert "evaluating" in seen.err and "4/4" in seen.err and re.search(r"\d:\d\d:\d\d", STYLE.sub("", seen.err))
    assert "evaluating" not in seen.out
    assert seen.err.rstrip("\n").endswith("\x1b[2K"), "the line is erased at the end"
    assert seen.err.count("\x1b[?25l") == seen.err.count("\x1b[?25h"), "the cursor comes back"


@pytest.mark.parametrize("how", [{"piped": ("err",)}, {"TERM": "dumb"}, {"NO_COLOR": "1"}])
def test_no_progress_where_nobody_can_see_it(how):
    assert at_a_terminal(*EVALUATE[:-2], "-m", "EPRUM", **how).err == ""


# --- names ------------------------------------------------------------------------------------------------------------


def test_no_control_character_of_a_name_gets_through(tmp_path):
    evil = "a\x1b]0;owned\x07\x1b[2J\x9b31m\u202e"
    (tmp_path / "t.qrels").write_text(f"1 0 {evil} 1\n")
    (tmp_path / "r.run").write_text(f"1 Q0 {evil} 1 1 {evil}\n1 Q0 b 2 0 {evil}\n")
    files = (tmp_path / "t.qrels", tmp_path / "r.run")
    for arguments in (
        ("evaluate", *files, "-m", "EPRUM", "--curves"),
        ("compare", *files, "-m", "EPRUM"),
        ("explain", *files, "--topic", "1", "-m", "EPRUM"),
        ("explain", *files, "--topic", "1", "-m", "AP"),
    ):
        seen = at_a_terminal(*arguments)
        assert seen.code == 0 and "owned" in seen.out
        assert not CONTROL.search(STYLE.sub("", seen.raw)), seen.raw
        assert "\x1b[2J" not in seen.raw and "\x9b" not in seen.raw


def test_long_names_are_shortened_in_the_middle(tmp_path):
    name = "/collection/" + "part/" * 60 + "the-end"
    (tmp_path / "t.qrels").write_text(f"1 0 {name} 1\n")
    (tmp_path / "r.run").write_text(f"1 Q0 {name} 1 1 r\n")
    seen = at_a_terminal("explain", tmp_path / "t.qrels", tmp_path / "r.run", "--topic", "1", "-m", "EPRUM")
    assert max(map(len, seen.out.splitlines())) <= 80
    assert re.search(r"1 \(/coll\S*…\S*the-end\)", seen.out)


def test_tables_of_any_shape_fit():
    paint = terminal.Painter(60)
    shapes = [
        Table("", ["a"], [["x" * 500]]),
        Table("T" * 200, ["name", *"bcdefghijklmnop"], [["x" * 70, *["0.1234"] * 15]] * 2),
        Table("", ["name", "M" * 150], [["x", "1"]]),
        Table("", ["k", "what"], [["a", "word " * 60]], "<<"),
        Table("", ["宽", "b"], [["宽" * 30, "1"]]),
        Table("", [], []),
        Table("", ["a", "b"], []),
    ]
    for table in shapes:
        if table.header:
            shown = STYLE.sub("", paint(table, [(0, 1)]))
            assert max(map(terminal._cells, shown.splitlines())) <= 60, shown
    wrapped = STYLE.sub("", paint(shapes[3], ()))
    assert wrapped.count("word") == 60, "prose is wrapped, never cut"


def test_headings_are_whole_where_they_fit():
    table = Table("", ["run", "charR@5", "charP@5", "spanRR", "Coverage(budget=2000)"], [["first", *["0.5000"] * 4]])
    needed = len("first  charR@5  charP@5  spanRR  Coverage(budget=2000)")
    for styled in (True, False):
        head = STYLE.sub("", terminal.Painter(needed, styled)(table)).splitlines()[0]
        assert head == "run    charR@5  charP@5  spanRR  Coverage(budget=2000)"
        narrow = STYLE.sub("", terminal.Painter(needed - 1, styled)(table)).splitlines()
        assert max(map(len, narrow)) < needed and "Coverage(budget=2000)" not in narrow[0]


def test_explanations_wrap_their_sentences():
    shown = STYLE.sub("", terminal.explanation(Explanation("T", ["many words " * 30, Table("", ["a"], [["1"]])]), 60))
    assert max(map(len, shown.splitlines())) <= 60 and shown.count("many words") + shown.count("many\nwords") == 30


def test_only_differing_values_are_best():
    assert text.best(results({"a": {"AP": [0.1], "RR": [1.0]}, "b": {"AP": [0.2], "RR": [1.0]}})) == [(1, 1)]
    assert text.best(results({"a": {"Overlap": [0.1]}, "b": {"Overlap": [0.2]}})) == [(0, 1)]
    assert text.best(results({"a": {"AP": [None]}, "b": {"AP": [0.2]}})) == []
