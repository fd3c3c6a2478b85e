"""Input from pipes, devices and standard input: read once, and to the end."""

import gzip
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from command_process import command
from report_pages import Page

import berrypick as bp
from berrypick.files import files as _files
from berrypick.files import scan as _scan

TOPICS, RESULTS = 60, 100
#: Longer than what is read to find out the format.
RUN = "".join(f"{t} Q0 document-{t}-{r} {r} {RESULTS - r} sys\n" for t in range(TOPICS) for r in range(RESULTS))
QRELS = "".join(f"{t} 0 document-{t}-{r} 1\n" for t in range(TOPICS) for r in range(0, RESULTS, 7))


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("block", [1, 1 << 18])
def test_a_pipe_gives_the_numbers_of_the_file(files, pipe, monkeypatch, packed, block):
    monkeypatch.setattr(_scan, "BLOCK", block)
    written = files(t_qrels=QRELS, r_run=RUN)
    expected = bp.evaluate(written["t_qrels"], written["r_run"], "AP EPRUM").mean()
    data = gzip.compress(RUN.encode()) if packed else RUN
    found = bp.evaluate(pipe(QRELS, "truth"), pipe(data, "run"), "AP EPRUM")
    assert found.mean() == expected
    assert not _files._buffered_streams


@pytest.mark.parametrize("dash", [False, True])
def test_a_report_reads_a_pipe_once(tmp_path, dash):
    """The table and the reader view of one page see the same navigation."""
    pytest.importorskip("vl_convert")
    folder = Path(bp.__file__).parent / "demo" / "web"
    expected = bp.evaluate(folder / "answers.qrels", folder / "hubs.run", "EPRUM", navigation=folder / "clicks.tsv")
    page = tmp_path / "page.html"
    given = "-" if dash else "/dev/stdin"
    arguments = ["report", folder / "answers.qrels", folder / "hubs.run", "-m", "EPRUM", "--navigation", given]
    done = subprocess.run(
        command(*arguments, "--html", page), input=(folder / "clicks.tsv").read_bytes(), capture_output=True
    )
    assert done.returncode == 0, done.stderr.decode()
    made = Page(page)
    assert made.overview["table"][0][0]["value"] == expected.mean()["hubs"]["EPRUM"]
    reader = next(i for i, one in enumerate(made.overview["readers"]) if one["model"] == "table")
    links = 0
    for topic, value in expected.per_topic()["hubs"]["EPRUM"].items():
        told = made.topic(topic)
        assert told["values"][reader][0][0] == value
        links += len(told["links"]["edges"])
    assert links > 0, "the page shows the clicks"


def test_navigation_collection_and_documents_from_pipes(files, pipe):
    written = files(
        t_jsonl='{"topic": "1", "doc": "a", "start": 0, "end": 4, "grade": 1}\n',
        r_jsonl='{"topic": "1", "doc": "a", "start": 2, "end": 6, "score": 1}\n',
        n_tsv="a#2-6\ta#0-4\t0.5\n",
        l_tsv="a\t10\n",
        d_jsonl='{"doc": "a", "text": "0123456789"}\n',
    )

    def value(**given):
        return bp.evaluate(written["t_jsonl"], written["r_jsonl"], "ExpectedRatio@1 ESL(tolerance=15)", **given).mean()

    for name, key in (("navigation", "n_tsv"), ("collection", "l_tsv"), ("documents", "d_jsonl")):
        more = {} if name == "collection" else {"collection": written["l_tsv"]}
        content = written[key].read_text()
        assert value(**{**more, name: pipe(content, name)}) == value(**{**more, name: written[key]})


def test_tables_from_a_pipe(pipe, tmp_path):
    pytest.importorskip("pyarrow")
    run = bp.read_run(pipe("topic,doc,start,end,score\n1,a,0,10,2\n1,b,0,10,1\n", "csv"))
    bp.write(run, tmp_path / "run.parquet", "span-table-run")
    again = bp.read_run(pipe((tmp_path / "run.parquet").read_bytes(), "parquet"))
    assert again.documents == run.documents == ["a", "b"]


@pytest.mark.parametrize("table", ["topic,field\n1,x\n2,y\n", '{"topic": 1, "field": "x"}\n{"topic": 2, "field": "y"}'])
def test_a_topic_table_from_a_pipe(pipe, table):
    truth, run = {"1": {"a": 1}, "2": {"b": 1}}, {"1": {"a": 1.0}, "2": {"c": 1.0}}
    found = bp.evaluate(truth, run, "AP", by="field", topic_table=pipe(table))
    assert found.by_group()["run"]["AP"] == {"x": 1.0, "y": 0.0}


@pytest.mark.parametrize("table", ["1\tx\n2\tx\n3\ty\n", "topic,cluster\n1,x\n2,x\n3,y\n"])
def test_clusters_from_a_pipe(pipe, table):
    truth, run = {t: {"a": 1} for t in "123"}, {t: {"a": 1.0} for t in "123"}
    assert bp.compare(truth, run, "AP", cluster=pipe(table)).clusters == 2


def test_check_and_convert_of_a_pipe(pipe, berrypick, tmp_path):
    name = pipe(RUN)
    done = berrypick("check", name)
    assert (done.code, done.out) == (0, f"{name}: trec-run, {TOPICS} topics, {TOPICS * RESULTS} results, tag sys\n")
    os.unlink(name)
    assert berrypick("convert", pipe(RUN), tmp_path / "run.jsonl").code == 0
    assert len((tmp_path / "run.jsonl").read_text().splitlines()) == TOPICS * RESULTS


def test_messages_have_the_name_that_was_typed(pipe):
    name = pipe("1 Q0 a 1 2 sys\n" * 30 + "1 Q0 a 1 many sys\n")
    with pytest.raises(bp.InputError) as told:
        bp.read_run(name)
    assert str(told.value).startswith(f"{name}:31: ")


@pytest.mark.parametrize("name", ["-", "/dev/stdin"])
def test_standard_input(files, name):
    written = files(t_qrels=QRELS, r_run=RUN)
    arguments = ("evaluate", written["t_qrels"], name, "-m", "AP")
    told = subprocess.run(command(*arguments), input=RUN, capture_output=True, text=True)
    expected = subprocess.run(command(*arguments[:2], written["r_run"], *arguments[3:]), capture_output=True, text=True)
    assert (told.returncode, told.stdout, told.stderr) == (0, expected.stdout, "")
    with written["r_run"].open() as file:
        assert subprocess.run(command(*arguments), stdin=file, capture_output=True, text=True).stdout == told.stdout


def test_what_is_empty_is_told(pipe):
    for name in (pipe(""), os.devnull):
        with pytest.raises(bp.InputError, match="the file is empty"):
            bp.read_run(name)
    assert bp.read_navigation(os.devnull).rows == {}


def test_an_index_is_not_read_from_a_pipe(pipe):
    with pytest.raises(bp.InputError, match="is an index, which cannot be read from a pipe"):
        bp.read_collection(pipe(b"ARROW1\0\0"))


def test_a_pipe_is_read_once_and_anew_the_next_time(pipe):
    name = pipe("1 Q0 a 1 2 sys\n")
    with _files.reusable(name), _files.reusable(name), _files.open_raw(name) as one, _files.open_raw(name) as other:
        assert one.read(4) == other.read(4) == b"1 Q0"
        assert one.seek(-4, os.SEEK_END) == 11 and one.read() == b"sys\n" and other.read() == b" a 1 2 sys\n"
    os.unlink(name)
    assert bp.read_run(pipe("1 Q0 b 1 2 sys\n")).documents == ["b"]


def _without_a_reader(*arguments):
    """A command whose output goes into a pipe that nobody reads."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        return subprocess.run(command(*arguments), stdout=writing, stderr=subprocess.PIPE, text=True, timeout=120)
    finally:
        os.close(writing)


@pytest.mark.parametrize("output", ["tsv", "json", "table", "junit"])
def test_a_gate_holds_without_a_reader(files, output):
    """The exit code of a gate and its reason do not depend on who reads the table."""
    written = files(t_qrels=QRELS, r_run=RUN)
    arguments = ("compare", written["t_qrels"], written["r_run"], "-m", "P@5", "-o", output)
    done = _without_a_reader(*arguments, "--fail-under", "P@5=0.99")
    assert done.returncode == 1 and "not met: " in done.stderr and "Traceback" not in done.stderr
    assert _without_a_reader(*arguments, "--fail-under", "P@5=0.01").returncode == 0


def test_every_gate_holds_without_a_reader(files, tmp_path, monkeypatch):
    """In one process, because a process for each takes long; the reader of the pipe has gone before all of them."""
    import click

    from berrypick.cli import cli, command_names, main

    good = "".join(f"{topic} Q0 d 1 1 good\n" for topic in range(20))
    written = files(t_qrels="".join(f"{topic} 0 d 1\n" for topic in range(20)), g_run=good,
                    b_run=good.replace(" d ", " e ").replace("good", "bad"))  # fmt: skip
    truth, better, worse = (written[name] for name in ("t_qrels", "g_run", "b_run"))
    rows = [{"run": "a", "topic": "all", "measure": "AP", "value": value, "signature": "AP"} for value in (0.5, 0.6)]
    for name, row in zip("ab", rows, strict=True):
        (tmp_path / name).write_text(json.dumps([row]))
    gates = {
        ("compare", "--fail-under"): [truth, worse, "-m", "AP", "--fail-under", "AP=0.5"],
        ("compare", "--fail-over"): [truth, better, "-m", "AP", "--fail-over", "AP=0.5"],
        ("compare", "--fail-if-worse"): [truth, better, worse, "-m", "AP", "--fail-if-worse", "good"],
        ("diff", "--fail-if-different"): [tmp_path / "a", tmp_path / "b", "--fail-if-different"],
    }
    found = {
        (name, flag)
        for name in command_names()
        for option in cli.get_command(click.Context(cli), name).params
        for flag in option.opts
        if flag.startswith("--fail")
    }
    assert set(gates) == found
    for (name, flag), arguments in gates.items():
        reading, writing = os.pipe()
        os.close(reading)
        out, err = open(writing, "w"), io.StringIO()  # noqa: SIM115 (closed below)
        monkeypatch.setattr(sys, "stdout", out)
        monkeypatch.setattr(sys, "stderr", err)
        with pytest.raises(SystemExit) as stopped:
            main([name, *map(str, arguments)])
        monkeypatch.undo()
        out.close()
        assert stopped.value.code == 1 and "not met: " in err.getvalue(), (flag, err.getvalue())


def test_a_difference_is_told_without_a_reader(files, tmp_path, berrypick):
    written = files(t_qrels=QRELS, r_run=RUN, s_run=RUN.replace("document-1-0 ", "document-1-999 "))
    for name in ("r", "s"):
        done = berrypick("evaluate", written["t_qrels"], written[f"{name}_run"], "-m", "P@5", "-q", "-o", "json")
        (tmp_path / f"{name}.json").write_text(done.out)
    done = _without_a_reader("diff", tmp_path / "r.json", tmp_path / "s.json", "--fail-if-different")
    assert done.returncode == 1 and "not met: " in done.stderr
    assert _without_a_reader("diff", tmp_path / "r.json", tmp_path / "r.json", "--fail-if-different").returncode == 0


def test_problems_of_a_file_decide_without_a_reader(files):
    written = files(bad_run="1 Q0 d 1 x sys\n" + RUN, r_run=RUN)
    assert _without_a_reader("check", written["bad_run"]).returncode == 2
    assert _without_a_reader("check", "no-such-file", written["r_run"]).returncode == 2
    assert _without_a_reader("check", written["r_run"]).returncode == 0
