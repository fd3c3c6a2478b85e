"""The command line: what it prints, what it refuses and how, how it ends."""

import csv
import gzip
import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time

import pytest
from command_process import command

QRELS = "1 0 a 1\n1 0 b 1\n2 0 c 1\n3 0 d 0\n"
RUN = "1 Q0 a 1 3 sys\n1 Q0 x 2 2 sys\n1 Q0 b 3 1 sys\n9 Q0 a 1 1 sys\n"
SPANS = '{"topic": "1", "doc": "d", "start": 0, "end": 10}\n'
SPAN_RUN = '{"topic": "1", "doc": "d", "start": 0, "end": 10, "score": 1}\n'


@pytest.fixture
def small(files):
    return files(t_qrels=QRELS, r_run=RUN, n_tsv="a\tb\t.5\n", l_tsv="a\t10\nb\t20\nc\t5\nd\t5\nx\t1\n")


def told_once(done, *parts):
    """One message on stderr, nothing on stdout, exit code 2, no traceback."""
    assert done.code == 2, done
    assert done.out == ""
    assert "Traceback" not in done.err
    assert done.err.count("berrypick: ") + done.err.count("Error: ") == 1, done.err
    for part in parts:
        assert str(part) in done.err


# --- what it prints --------------------------------------------------------------------------------------------------


def test_json_has_the_agreed_keys(small, berrypick):
    done = berrypick("evaluate", small["t_qrels"], small["r_run"], "-m", "EPRUM AP", "-q", "-o", "json")
    assert done.code == 0
    rows = json.loads(done.out)
    assert all(list(row) == ["run", "topic", "measure", "value", "signature"] for row in rows)
    assert [row["topic"] for row in rows] == ["1", "1", "2", "2", "3", "3", "all", "all"]
    assert all(isinstance(row["topic"], str) for row in rows)
    by_key = {(row["topic"], row["measure"]): row["value"] for row in rows}
    assert by_key["3", "EPRUM"] is None and by_key["3", "AP"] is None
    assert by_key["2", "EPRUM"] == 0
    assert by_key["all", "EPRUM"] == pytest.approx(5 / 12)
    assert "note: sys:" in done.err


def test_without_q_only_means(small, berrypick):
    done = berrypick("evaluate", small["t_qrels"], small["r_run"], "-m", "EPRUM", "-m", "AP", "-o", "json")
    assert [(row["topic"], row["measure"]) for row in json.loads(done.out)] == [("all", "EPRUM"), ("all", "AP")]


def test_json_carries_full_precision_whatever_places(small, berrypick):
    done = berrypick("evaluate", small["t_qrels"], small["r_run"], "-m", "EPRUM", "-p", "2", "-o", "json")
    assert json.loads(done.out)[0]["value"] == pytest.approx(5 / 12, abs=1e-15)


def test_the_measure_is_as_typed_without_white_space(small, berrypick):
    done = berrypick(
        "evaluate",
        small["t_qrels"],
        small["r_run"],
        "-m",
        " EPRUM( r = 1 ) ",
        "-m",
        'EPRUM(ideal="targets")@.50',
        "-o",
        "json",
    )
    names = [row["measure"] for row in json.loads(done.out)]
    assert names == ["EPRUM(r=1)", "EPRUM(ideal='targets')@.50"]
    assert json.loads(done.out)[1]["signature"].startswith("EPRUM@0.5|")


def test_every_output(small, berrypick):
    def shown(output, *more):
        done = berrypick("evaluate", small["t_qrels"], small["r_run"], "-m", "EPRUM AP", "-q", "-o", output, *more)
        assert done.code == 0
        return done.out

    lines = [json.loads(line) for line in shown("jsonl").splitlines()]
    assert lines == json.loads(shown("json"))
    for name, dialect in (("tsv", "excel-tab"), ("csv", "excel")):
        rows = list(csv.reader(io.StringIO(shown(name)), dialect))
        assert rows[0] == ["run", "topic", "measure", "value"] and len(rows) == 1 + 8
        assert rows[-2] == ["sys", "all", "EPRUM", repr(lines[-2]["value"])]
        assert rows[5] == ["sys", "3", "EPRUM", ""], "undefined"
    table = shown("table").splitlines()
    assert table[0].split() == ["run", "topic", "EPRUM", "AP"]
    assert table[-1].split() == ["sys", "all", "0.4167", "0.4167"]
    assert table[-2].split() == ["sys", "3", "-", "-"]
    assert shown("table", "-p", "2").splitlines()[-1].split() == ["sys", "all", "0.42", "0.42"]
    markdown = shown("markdown").splitlines()
    assert markdown[0] == "| run | topic | EPRUM | AP |" and set(markdown[1]) <= set("|-: ")
    assert markdown[-1] == "| sys | all | 0.4167 | 0.4167 |"
    latex = shown("latex")
    assert latex.startswith("\\begin{tabular}") and "sys & all & 0.4167 & 0.4167 \\\\" in latex


def test_markdown_and_latex_escape_what_would_break_them(files, berrypick):
    paths = files(t_qrels="1 0 a 1\n", r_run="1 Q0 a 1 1 a|b_c&d%\n")
    markdown = berrypick("evaluate", paths["t_qrels"], paths["r_run"], "-m", "EPRUM", "-o", "markdown").out
    assert "a\\|b\\_c&amp;d%" in markdown
    latex = berrypick("evaluate", paths["t_qrels"], paths["r_run"], "-m", "EPRUM", "-o", "latex").out
    assert "a|b\\_c\\&d\\%" in latex


def test_in_a_pipe_the_default_is_tsv(small, process):
    done = process("evaluate", small["t_qrels"], small["r_run"], "-m", "EPRUM")
    assert done.code == 0
    assert done.out.splitlines()[0] == "run\ttopic\tmeasure\tvalue"


def test_curves(small, berrypick):
    done = berrypick("evaluate", small["t_qrels"], small["r_run"], "-m", "EPRUM AP", "-q", "-o", "json", "--curves")
    rows = {(row["topic"], row["measure"]): row for row in json.loads(done.out)}
    assert rows["1", "EPRUM"]["curve"] == [[0.5, 1.0], [1.0, pytest.approx(2 / 3)]]
    assert len(rows["all", "EPRUM"]["curve"]) == 100
    assert "curve" not in rows["1", "AP"]
    told_once(berrypick("evaluate", small["t_qrels"], small["r_run"], "-m", "EPRUM", "--curves", "-o", "csv"), "json")


def test_topics_that_the_run_answers(small, berrypick):
    done = berrypick("evaluate", small["t_qrels"], small["r_run"], "-m", "EPRUM", "-q", "-o", "json", "--topics", "run")
    assert [row["topic"] for row in json.loads(done.out)] == ["1", "all"]


def test_a_format_can_be_named(small, berrypick):
    truth, run = small["t_qrels"], small["r_run"]
    named = berrypick("evaluate", truth, run, "-m", "EPRUM", "--format-truth", "trec-qrels", "--format-run", "trec-run")
    assert named.code == 0 and named == berrypick("evaluate", truth, run, "-m", "EPRUM")
    wrong = berrypick("evaluate", truth, run, "-m", "EPRUM", "--format-truth", "span-truth")
    assert wrong.code == 2 and str(truth) in wrong.err


def test_names_of_runs_are_made_unique(files, berrypick):
    paths = files(t_qrels=QRELS, one_run=RUN, two_run=RUN, three_run=RUN.replace("sys", "other"))
    done = berrypick("evaluate", *paths.values(), "-m", "EPRUM", "-o", "json")
    assert [row["run"] for row in json.loads(done.out)] == ["one", "two", "other"]


def test_several_measures_in_several_ways(small, berrypick):
    done = berrypick(
        "evaluate",
        small["t_qrels"],
        small["r_run"],
        "-m",
        "EPRUM  P@5\tRR",
        "-m",
        "EPRUM(r=1, ideal='targets')",
        "-o",
        "json",
    )
    assert [row["measure"] for row in json.loads(done.out)] == ["EPRUM", "P@5", "RR", "EPRUM(r=1,ideal='targets')"]


def test_stdout_carries_only_the_result(small, berrypick):
    """Notes about missing and ignored topics go to stderr, and do not change the exit code."""
    done = berrypick("evaluate", small["t_qrels"], small["r_run"], "-m", "EPRUM", "-o", "json")
    json.loads(done.out)
    assert done.err.count("note: ") >= 3 and done.code == 0


def test_version_and_help(berrypick):
    done = berrypick("--version")
    assert done.code == 0 and done.out.startswith("berrypick ") and "kernels: " in done.out
    for arguments in (["--help"], ["-h"], ["evaluate", "--help"], ["explain", "-h"]):
        done = berrypick(*arguments)
        assert done.code == 0 and "Usage:" in done.out and done.err == ""


# --- what it refuses ------------------------------------------------------------------------------------------------

GOOD = {"t_qrels": QRELS, "r_run": RUN}


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("t_qrels", b"", ["empty"]),
        ("r_run", b"", ["empty"]),
        ("t_qrels", b"\n \n# nothing\n", ["has only blank lines and comments"]),
        ("r_run", b"1 Q0 a 1 3 sys\n1 Q0 x 2\n", [":2", "4 columns", "1 Q0 x 2"]),
        ("t_qrels", b"1 0 a 1\n1 0 b\n", [":2", "3 columns"]),
        ("r_run", b"1 Q0 a 1 3 sys\n1 Q0 x 2 nan sys\n", [":2", "'nan'"]),
        ("r_run", b"1 Q0 a 1 3 sys\n1 Q0 x 2 1e999 sys\n", [":2", "'1e999'"]),
        ("r_run", b"1 Q0 a 1 3 sys\n1 Q0 caf\xe9 2 1 sys\n", [":2", "UTF-8"]),
        ("r_run", bytes(range(256)) * 4, []),
        ("r_run", gzip.compress(RUN.encode() * 1000, mtime=0)[:-20], ["gzip", "early"]),
        ("r_run", gzip.compress(RUN.encode(), mtime=0)[:6], []),
        ("r_run", b"\x1f\x8b nonsense", []),
        (
            "r_run",
            b"1 Q0 a 1 3 sys\n1 Q0 b 2 2 sys\n2 Q0 a 1 1 sys\n1 Q0 a 9 1 sys\n",
            [":4", "line 1", "--duplicates"],
        ),
        ("r_run", b"77 Q0 a 1 3 sys\n", ["none of the 3 judged topics", "77"]),
        ("t_qrels", b"<html>\n", ["not a recognised judgement format"]),
        ("r_run", RUN.encode("utf-16"), []),
    ],
)
def test_bad_files_give_one_message(files, berrypick, name, content, told):
    paths = files(**{**GOOD, name: content})
    done = berrypick("evaluate", paths["t_qrels"], paths["r_run"], "-m", "EPRUM")
    told_once(done, paths[name], *told)


@pytest.mark.parametrize(
    ("truth", "run", "told"),
    [
        (SPANS + '{"topic": "1", "doc": "d", "start": 9, "end": 3}\n', SPAN_RUN, ["t.jsonl:2", "before start"]),
        (
            SPANS,
            SPAN_RUN + '{"topic": "1", "doc": "d", "start": 9, "end": 3, "score": 1}\n',
            ["r.jsonl:2", "before start"],
        ),
        (SPANS, SPAN_RUN + '{"topic": "1", "doc": "d", "score": 1}\n', ["r.jsonl:2", "some lines have start and end"]),
        (SPANS, SPAN_RUN + '{"topic": "1", "doc": "d", "start": 0, "end": 1e30, "score": 1}\n', ["r.jsonl:2", "2^53"]),
        (SPANS, SPAN_RUN + '{"topic": "1", "doc": "d", "start": 0, "end": 10, "score": NaN}\n', ["r.jsonl:2", "NaN"]),
        (SPANS, SPAN_RUN + '{"topic": "1", "doc": "d", "start": 0, "end"\n', ["r.jsonl:2", "JSON"]),
        (SPANS, SPAN_RUN + '{"doc": "d", "start": 0, "end": 10, "score": 1}\n', ["r.jsonl:2", "topic is missing"]),
        (SPANS + '{"topic": "1", "doc": "d", "grade": 1}\n', SPAN_RUN, ["t.jsonl:2", "as a whole"]),
    ],
)
def test_bad_span_files(files, berrypick, truth, run, told):
    paths = files(t_jsonl=truth, r_jsonl=run)
    told_once(berrypick("evaluate", paths["t_jsonl"], paths["r_jsonl"], "-m", "EPRUM"), *told)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["-m", "EPRUN"], ["EPRUN", "EPRUM"]),
        (["-m", "EPRUM@10"], ["EPRUM(rank=10)"]),
        (["-m", "EPRUM@1.5"], ["0 to 1"]),
        (["-m", "EPRUM(r=2"], ["closing"]),
        (["-m", "EPRUM(ideal='greedyy')"], ["greedy"]),
        (["-m", "EPRUM(idael='greedy')"], ["ideal"]),
        (["-m", " "], ["measure"]),
        (["-m", "PRUM", "--units", "0"], ["units"]),
        (["-m", "PRUM", "--units", "many"], ["--units"]),
        (["-m", "T2I"], ["T2I", "--collection"]),
        (["-m", "SegP"], ["SegP", "--collection"]),
        (["-m", "EPRUM", "--user", "clasical"], ["clasical", "classical"]),
        (["-m", "EPRUM", "--user", "classical(shared=1)"], ["share"]),
        (["-m", "EPRUM", "--user", "table"], ["--navigation"]),
        (["-m", "EPRUM", "--user", "t2i"], ["--collection"]),
        (["-m", "EPRUM", "--navigation", "nowhere.tsv"], ["nowhere.tsv", "no such file"]),
        (["-m", "EPRUM", "--collection", "nowhere.tsv"], ["nowhere.tsv"]),
        (["-m", "EPRUM", "--idealism", "1:1"], ["--idealism"]),
        (["-m", "EPRUM", "--effort", "sweat"], ["sweat"]),
        (["-m", "EPRUM", "--outptu", "json"], ["--outptu", "--output"]),
        (["-m", "EPRUM", "-o", "jsn"], ["jsn", "json"]),
        (["-m", "EPRUM", "-p", "-1"], ["-1"]),
        (["-m", "EPRUM", "--duplicates", "drop"], ["drop"]),
        (["-m", "EPRUM", "--format-run", "trec-runn"], ["trec-run"]),
        (["-m", "EPRUM", "--format-run", "trec-qrels"], ["trec-qrels"]),
        (["-m", "EPRUM", "--topics", "some"], ["some"]),
    ],
)
def test_wrong_usage_gives_one_message(small, berrypick, options, told):
    told_once(berrypick("evaluate", small["t_qrels"], small["r_run"], *options), *told)


def test_units_are_asked_for_where_they_are_needed(files, berrypick):
    paths = files(t_qrels=QRELS, r_run="1 Q0 a 1 2 s\n1 Q0 x 2 1 s\n")
    asked = ["evaluate", paths["t_qrels"], paths["r_run"], "-m", "PRUM"]
    told_once(berrypick(*asked), "PRUM", "--units")
    told_once(berrypick(*asked, "--units", "2"), "PRUM", "--units")
    assert berrypick(*asked, "--units", "3").code == 0


def test_bad_navigation_is_told_with_its_line(files, berrypick):
    paths = files(**GOOD, n_tsv="a\tb\t.5\na\tc\t1.5\n")
    done = berrypick("evaluate", paths["t_qrels"], paths["r_run"], "-m", "EPRUM", "--navigation", paths["n_tsv"])
    told_once(done, f"{paths['n_tsv']}:2", "probability")


def test_a_missing_file_and_a_folder(small, berrypick, tmp_path):
    told_once(berrypick("evaluate", tmp_path / "nowhere", small["r_run"], "-m", "EPRUM"), "nowhere", "no such file")
    told_once(berrypick("evaluate", small["t_qrels"], tmp_path, "-m", "EPRUM"), tmp_path, "folder")


def test_swapped_files_are_noticed(small, berrypick):
    done = berrypick("evaluate", small["r_run"], small["t_qrels"], "-m", "EPRUM")
    told_once(done, small["r_run"], "trec-run")


@pytest.mark.parametrize(
    "arguments", [["evaluat"], ["explain"], ["show", "measure", "EPRUN"], ["list", "measure"], ["show", "user", "x"]]
)
def test_wrong_commands(berrypick, arguments):
    done = berrypick(*arguments)
    assert done.code == 2 and done.out == "" and "Traceback" not in done.err


def test_explain_of_an_unknown_topic(small, berrypick):
    done = berrypick("explain", small["t_qrels"], small["r_run"], "--topic", "11", "-m", "EPRUM")
    told_once(done, "topic 11")
    told_once(berrypick("explain", small["t_qrels"], small["r_run"], "--topic", "1", "-m", "EPRUM PRUM"), "one measure")


def test_duplicates_as_asked(files, berrypick):
    paths = files(t_qrels="1 0 a 1\n1 0 b 1\n", r_run="1 Q0 a 1 3 s\n1 Q0 a 2 2 s\n1 Q0 b 3 1 s\n")

    def value(*options):
        done = berrypick("evaluate", paths["t_qrels"], paths["r_run"], "-m", "EPRUM(r=2)", "-o", "json", *options)
        assert done.code == 0, done.err
        return json.loads(done.out)[0]["value"], done.err

    assert value("--duplicates", "first")[0] == 1.0
    kept, told = value("--duplicates", "keep")
    assert kept == pytest.approx(2 / 3) and "repeat" in told
    told_once(berrypick("evaluate", paths["t_qrels"], paths["r_run"], "-m", "EPRUM"), f"{paths['r_run']}:2", "line 1")


def test_byte_order_marks_and_windows_line_ends(files, berrypick):
    paths = files(t_qrels=b"\xef\xbb\xbf" + QRELS.replace("\n", "\r\n").encode(), r_run=gzip.compress(RUN.encode()))
    done = berrypick("evaluate", paths["t_qrels"], paths["r_run"], "-m", "EPRUM", "-o", "json")
    assert json.loads(done.out)[0]["value"] == pytest.approx(5 / 12)


# --- check and convert ------------------------------------------------------------------------------------------------


def test_check_names_every_problem_with_its_line(files, berrypick):
    paths = files(bad_qrels="1 0 a 1\nbad\n1 0 b x\n1 0 a 1\n", good_qrels=QRELS)
    done = berrypick("check", *paths.values())
    assert done.code == 2
    for line in (2, 3, 4):
        assert f"{paths['bad_qrels']}:{line}:" in done.out + done.err
    assert "3 topics" in done.out and "4 judged documents" in done.out
    assert berrypick("check", paths["good_qrels"]).code == 0


def test_check_names_duplicates(files, berrypick):
    paths = files(r_run="1 Q0 a 1 3 s\n1 Q0 a 2 2 s\n")
    done = berrypick("check", paths["r_run"])
    assert done.code == 2 and "twice" in done.out + done.err


def test_convert_and_back(small, berrypick, tmp_path):
    there, back = tmp_path / "there.jsonl", tmp_path / "back.run"
    assert berrypick("convert", small["r_run"], there).code == 0
    assert berrypick("convert", there, back, "--to", "trec-run").code == 0
    one, other = (
        berrypick("evaluate", small["t_qrels"], run, "-m", "EPRUM AP", "-q", "-o", "tsv").out
        for run in (small["r_run"], back)
    )
    assert one == other


@pytest.mark.parametrize(
    "content", [b"1 Q0 a 1 3 s\n1 Q0 b\n", b"", gzip.compress(RUN.encode() * 99, mtime=0)[:-9], b"\xff\xfe"]
)
def test_convert_leaves_nothing_half_written(files, berrypick, tmp_path, content):
    paths = files(r_run=content)
    folder = tmp_path / "out"
    folder.mkdir()
    done = berrypick("convert", paths["r_run"], folder / "out.jsonl")
    told_once(done, paths["r_run"])
    assert list(folder.iterdir()) == []


def test_a_semicolon_does_not_make_a_run_into_sessions(files, berrypick, tmp_path):
    paths = files(r_run="1 Q0 a;b 1 3 s\n1 Q0 c 2 2 s\n")
    assert berrypick("check", paths["r_run"]).out.split()[1] == "trec-run,"
    assert berrypick("convert", paths["r_run"], tmp_path / "out.jsonl").code == 0


def test_convert_refuses_what_cannot_be_held(files, berrypick, tmp_path):
    paths = files(r_jsonl=SPAN_RUN)
    done = berrypick("convert", paths["r_jsonl"], tmp_path / "out.run", "--to", "trec-run")
    told_once(done, "trec-run", "parts of documents")
    assert not (tmp_path / "out.run").exists()
    told_once(berrypick("convert", paths["r_jsonl"], tmp_path / "no" / "out.jsonl"), "folder")
    told_once(berrypick("convert", paths["r_jsonl"], tmp_path, "--to", "span-run"), "folder")


# --- what must not reach a terminal ---------------------------------------------------------------------------------

EVIL = "\x1b[31mred\x07\x9b2J<script>alert(1)</script>"


def on_a_terminal(*arguments):
    """(exit code, everything that a terminal would be given)."""
    pty = pytest.importorskip("pty", reason="no pseudo-terminals on this system")
    main, side = pty.openpty()
    child = subprocess.Popen(
        command(*arguments), stdout=side, stderr=side, stdin=side, env={**os.environ, "TERM": "dumb", "NO_COLOR": "1"}
    )
    os.close(side)
    got = b""
    while True:
        try:
            part = os.read(main, 65536)
        except OSError:
            break
        if not part:
            break
        got += part
    os.close(main)
    return child.wait(timeout=60), got.decode("utf-8", "replace")


def harmless(text):
    return (
        not [c for c in text if (not c.isprintable() and c not in "\r\n\t") and c != "\x1b"] and "\x1b[31m" not in text
    )


@pytest.mark.parametrize("output", ["table", "tsv", "csv", "json", "jsonl", "markdown", "latex"])
def test_names_cannot_drive_the_terminal(files, output):
    name = EVIL.replace(" ", "")
    paths = files(t_qrels=f"{name} 0 {name} 1\n", r_run=f"{name} Q0 {name} 1 1 {name}\n")
    code, got = on_a_terminal("evaluate", paths["t_qrels"], paths["r_run"], "-m", "EPRUM", "-q", "-o", output)
    assert code == 0
    assert harmless(got), repr(got)


@pytest.mark.parametrize(
    "what", ["duplicate", "explain", "check", "other topics", "unknown topic", "measure", "file name"]
)
def test_messages_cannot_drive_the_terminal(files, what, tmp_path):
    name = EVIL
    paths = files(
        t_qrels=f"1 0 {name} 1\n1 0 b 0.5\n",
        r_run=f"1 Q0 {name} 1 1 s\n",
        d_run=f"1 Q0 {name} 1 1 s\n1 Q0 {name} 2 1 s\n",
        o_run=f"{name} Q0 a 1 1 s\n",
    )
    arguments = {
        "duplicate": ["evaluate", paths["t_qrels"], paths["d_run"], "-m", "EPRUM"],
        "explain": ["explain", paths["t_qrels"], paths["r_run"], "--topic", "1", "-m", "EPRUM"],
        "check": ["check", paths["d_run"]],
        "other topics": ["evaluate", paths["t_qrels"], paths["o_run"], "-m", "EPRUM"],
        "unknown topic": ["explain", paths["t_qrels"], paths["r_run"], "--topic", name, "-m", "EPRUM"],
        "measure": ["evaluate", paths["t_qrels"], paths["r_run"], "-m", f"X{name}"],
        "file name": ["evaluate", paths["t_qrels"], tmp_path / "\x1b[31mnowhere", "-m", "EPRUM"],
    }[what]
    code, got = on_a_terminal(*arguments)
    assert code == (0 if what == "explain" else 2)
    assert harmless(got), repr(got)


def test_half_a_character_is_no_crash(files, process):
    """JSON may hold a lone surrogate, which no output can encode."""
    bad = '{"topic": "\\ud800", "doc": "d", "start": 0, "end": 10%s}\n'
    paths = files(t_jsonl=bad % "", r_jsonl=bad % ', "score": 1')
    for output in ("json", "tsv", "table"):
        done = process("evaluate", paths["t_jsonl"], paths["r_jsonl"], "-m", "EPRUM", "-q", "-o", output)
        assert "Traceback" not in done.err
        assert done.code in (0, 2)


# --- how it ends ------------------------------------------------------------------------------------------------------


def _long_work(folder):
    """Files whose evaluation takes long enough to be interrupted."""
    with (
        open(folder / "long.qrels", "w") as truth,
        open(folder / "long.run", "w") as run,
        open(folder / "nav.tsv", "w") as nav,
    ):
        for topic in range(60):
            truth.writelines(f"{topic} 0 t{i} 1\n" for i in range(300))
            run.writelines(f"{topic} Q0 r{i} {i} {-i} s\n" for i in range(1000))
        nav.writelines(f"r{i}\tt{(i * 7 + j) % 300}\t0.3\n" for i in range(1000) for j in range(5))
    return folder / "long.qrels", folder / "long.run", folder / "nav.tsv"


#: Tells when the work begins, so that it is not interrupted before, and works until it is.
TELLING = """
import sys
from berrypick.cli import command_names
from berrypick import cli
from berrypick.evaluation.evaluation import Evaluation

work = Evaluation.run

def told(*arguments, **options):
    print("begun", file=sys.stderr, flush=True)
    while True:
        work(*arguments, **options)

Evaluation.run = told
cli.main(sys.argv[1:])
"""


def test_interrupted_while_it_is_loaded(tmp_path):
    """A library that is interrupted while it is imported stands for a person who is quick."""
    (tmp_path / "click.py").write_text("raise KeyboardInterrupt\n")
    for start in (["-m", "berrypick"], ["-c", "from berrypick.__main__ import main; main()"]):
        done = subprocess.run(
            [sys.executable, *start, "--version"], env={**os.environ, "PYTHONPATH": str(tmp_path)}, capture_output=True,
            timeout=60,
        )  # fmt: skip
        assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


def test_the_command_and_the_module_are_one():
    done = subprocess.run([sys.executable, "-m", "berrypick", "--version"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stdout.startswith("berrypick ")


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_interrupted(tmp_path):
    truth, run, navigation = _long_work(tmp_path)
    arguments = ["evaluate", truth, run, "-m", "PRUM EPRUM", "--navigation", navigation, "--units", "100000"]
    child = subprocess.Popen(
        [sys.executable, "-c", TELLING, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert child.stderr.readline() == b"begun\n"
    time.sleep(0.3)
    child.send_signal(signal.SIGINT)
    try:
        out, err = child.communicate(timeout=60)
    finally:
        child.kill()
    assert child.returncode == 130
    assert out == b"" and b"Traceback" not in err


WRITING = """
import sys, time
from berrypick.cli import main
from berrypick.formats.trec.trec_run import TrecRun

def write(value, out):
    out.write("half a file")
    print("begun", file=sys.stderr, flush=True)
    time.sleep(60)

TrecRun.write = write
main(sys.argv[1:])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_leaves_the_old_file_and_nothing_beside_it(small, tmp_path, number, code):
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "new.run").write_text("old\n")
    arguments = ["convert", small["r_run"], folder / "new.run", "--from", "trec-run", "--to", "trec-run"]
    child = subprocess.Popen([sys.executable, "-c", WRITING, *map(str, arguments)], stderr=subprocess.PIPE)
    assert child.stderr.readline() == b"begun\n"
    child.send_signal(number)
    _, err = child.communicate(timeout=60)
    assert child.returncode == code and b"Traceback" not in err
    assert [path.name for path in folder.iterdir()] == ["new.run"]
    assert (folder / "new.run").read_text() == "old\n"


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of POSIX")
def test_who_reads_may_stop_reading(tmp_path):
    """berrypick ... | head: no traceback, and no failed gate either."""
    (tmp_path / "t.qrels").write_text("".join(f"a-rather-long-name-of-a-topic-{i} 0 a 1\n" for i in range(300)))
    (tmp_path / "r.run").write_text("".join(f"a-rather-long-name-of-a-topic-{i} Q0 a 1 1 s\n" for i in range(300)))
    asked = " ".join(f"EPRUM(rank={k})" for k in range(1, 15))
    child = subprocess.Popen(
        command("evaluate", tmp_path / "t.qrels", tmp_path / "r.run", "-m", asked, "-q", "-o", "json"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    child.stdout.read(10)
    child.stdout.close()
    err = child.stderr.read()
    child.stderr.close()
    assert child.wait(timeout=60) == 0
    assert b"Traceback" not in err and b"Exception" not in err


def through(shell: str, *arguments: object) -> subprocess.CompletedProcess:
    """The command in a shell that closes streams or pipes them into something; the exit code is that of the command."""
    words = shlex.join(command(*arguments))
    return subprocess.run(["bash", "-c", f"set -o pipefail; {words} {shell}"], capture_output=True, timeout=60)


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of POSIX")
@pytest.mark.parametrize("arguments", [["list", "measures"], ["--help"], ["evaluate", "--help"], ["demo"]])
def test_who_reads_may_not_read_at_all(arguments):
    done = through("| exec true", *arguments)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(sys.platform == "win32", reason="streams of POSIX")
def test_closed_streams(small, tmp_path):
    asked = ("evaluate", small["t_qrels"], small["r_run"], "-m", "EPRUM", "-o", "json")
    expected = json.loads(through("", *asked).stdout)
    for shell in ("2>&-", "<&- 2>&-", "2> >(exec true)"):
        done = through(shell, *asked)
        assert done.returncode == 0 and json.loads(done.stdout) == expected
    for shell in (">&-", ">&- <&-"):
        done = through(shell, *asked)
        assert done.returncode == 2 and b"Traceback" not in done.stderr
        assert done.stderr.count(b"the output could not be written") == 1
    assert through(">&- 2>&-", *asked).returncode == 2
    done = through(">&-", "convert", small["t_qrels"], tmp_path / "o.qrels", "--from", "trec-qrels")
    assert done.returncode == 0 and (tmp_path / "o.qrels").read_text() == QRELS


def test_help_lists_every_command_once_by_task(berrypick):
    from berrypick.cli import command_names

    shown = berrypick("--help").out
    sections = dict(re.findall(r"^(\w[\w ]*):\n((?:  .*\n)+)", shown + "\n", flags=re.MULTILINE))
    listed = [name for text in sections.values() for name in re.findall(r"^  (\w[\w-]*)  ", text, flags=re.MULTILINE)]
    assert [*sections][:4] == ["Options", "Start", "Score", "Look"] and "Other commands" not in sections
    assert sorted(listed) == sorted(command_names()) and listed.index("demo") < listed.index("evaluate")


def test_help_loads_no_command_and_no_numpy():
    program = "import sys; from berrypick.cli import main\ntry: main(['--help'])\nfinally: print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    modules = done.stdout.splitlines()[-1].split()
    assert "berrypick.cli" in modules and not {"numpy", "berrypick.cli.evaluate"} & set(modules)


def test_help_of_evaluate_shows_a_dozen_options_first(berrypick):
    shown = berrypick("evaluate", "--help").out
    sections = dict(re.findall(r"^(\w[\w ]*):\n((?:  .*\n)+)", shown + "\n", flags=re.MULTILINE))
    flags = {name: re.findall(r"^  (?:-\w, )?(--[\w-]+)", text, flags=re.MULTILINE) for name, text in sections.items()}
    assert len(flags["Options"]) == 12 and {"--measure", "--documents", "--user"} <= set(flags["Options"])
    assert "Other options" not in sections and "--copies" in flags["Text and places"]


def test_without_a_command_the_help_is_shown(berrypick):
    done = berrypick()
    assert done.code == 2 and done.out == "" and done.err.startswith("Usage: berrypick ")
    assert done.err.rstrip("\n") == berrypick("--help").out.rstrip("\n")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no full device to write to on this system")
def test_a_full_disk_is_told(small):
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            command("evaluate", small["t_qrels"], small["r_run"], "-m", "EPRUM"),
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=60,
        )
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr and done.stderr.count(b"berrypick: ") == 1


def test_kernels_can_be_chosen(small, process):
    good = process("--version", env={**os.environ, "BERRYPICK_KERNELS": "numpy"})
    assert good.code == 0 and "numpy" in good.out
    bad = process("--version", env={**os.environ, "BERRYPICK_KERNELS": "abacus"})
    assert bad.code == 2 and "abacus" in bad.err and "Traceback" not in bad.err


# --- small words ------------------------------------------------------------------------------------------------------


def test_one_is_not_many(files, berrypick):
    written = files(
        t_jsonl=SPANS + '{"topic": "2", "doc": "d", "grade": 0}\n',
        r_jsonl=SPAN_RUN * 2,
        t_qrels="1 0 a 1\n",
        r_run="1 Q0 a 1 1 sys\n",
    )
    told = berrypick("evaluate", written["t_jsonl"], written["r_jsonl"], "-m", "EPRUM").err
    assert "1 judged topic has nothing relevant; its value is" in told
    assert "1 result repeats an earlier one of the same topic; it adds nothing" in told
    assert (
        "1 document is relevant."
        in berrypick("explain", written["t_qrels"], written["r_run"], "--topic", "1", "-m", "AP").out
    )
    told = berrypick("compare", written["t_qrels"], written["r_run"], written["r_run"], "-m", "AP").err
    assert "over 1 topic;" in told and "on 1 topic is" in told and "1 topics" not in told


@pytest.mark.parametrize(
    ("kind", "name", "shown"), [("measure", "charR@5", "charR"), ("user", "t2i(tolerance=3)", "t2i")]
)
def test_show_passes_over_parameters(berrypick, kind, name, shown):
    done = berrypick("show", kind, name)
    assert done.code == 0 and done.out == berrypick("show", kind, shown).out


def test_show_of_a_measure_of_others(berrypick):
    told_once(berrypick("show", "measure", "RBP@10"), "RBP@10 is provided by ir_measures; see https://ir-measur.es")


def test_check_of_an_index(tmp_path, berrypick):
    pytest.importorskip("pyarrow")
    (tmp_path / "xml").mkdir()
    (tmp_path / "xml/a.xml").write_text("<a>one<b>two</b></a>")
    assert berrypick("index", tmp_path / "xml", tmp_path / "x.index", "--jobs", "1").code == 0
    done = berrypick("check", tmp_path / "x.index")
    assert done.code == 0 and done.out == f"{tmp_path / 'x.index'}: index of a collection, 1 document, 2 elements\n"
    (tmp_path / "x.index").write_bytes((tmp_path / "x.index").read_bytes()[:40])
    assert berrypick("check", tmp_path / "x.index").code == 2


def test_the_ending_settles_whether_a_truth_or_a_run_is_meant(files, berrypick, tmp_path):
    source = files(t_jsonl='{"topic": "1", "doc": "d"}\n')["t_jsonl"]
    assert berrypick("convert", source, tmp_path / "o.qrels", "--to", "trec-qrels").code == 0
    done = berrypick("convert", source, tmp_path / "o.run")
    assert done.code == 0 and "trec-run" in done.err
    done = berrypick("convert", source, tmp_path / "o.qrels")
    assert done.code == 0 and "trec-qrels" in done.err
    told_once(berrypick("convert", source, tmp_path / "o.what"), "choose with --from", "span-run, span-truth")


@pytest.mark.quick
@pytest.mark.parametrize(("cause", "code"), [(KeyboardInterrupt(), 130), (SystemExit(143), 143)])
def test_a_signal_while_a_class_is_made(berrypick, monkeypatch, cause, code):
    """Before 3.12 Python raises a RuntimeError then, whose cause is what the signal raised."""
    from berrypick import cli

    def interrupted(context):
        raise RuntimeError("Error calling __set_name__") from cause

    monkeypatch.setattr(cli.cli, "invoke", interrupted)
    assert berrypick("list", "measures").code == code


@pytest.mark.quick
def test_another_error_at_run_time_is_not_hidden(monkeypatch):
    from berrypick import cli

    def broken(context):
        raise RuntimeError("a bug")

    monkeypatch.setattr(cli.cli, "invoke", broken)
    with pytest.raises(RuntimeError, match="a bug"):
        cli.main(["list", "measures"])
