"""Files that are not what they seem: bombs, damaged archives, pipes and links in folders."""

import gzip
import importlib
import os
import tempfile
import zipfile
from contextlib import contextmanager
from pathlib import Path

import pytest

import berrypick as bp
from berrypick import formats
from berrypick.documents.texts import read_texts
from berrypick.files import limits as _limits
from berrypick.inputs.titles import read_titles
from berrypick.rows.table_files import table_parts

LINE = b"1 Q0 document 1 1.5 r\n"


@pytest.fixture
def small_limit(monkeypatch):
    monkeypatch.setenv(_limits.EXPANSION_LIMIT, "0.001")  # about a megabyte


@pytest.mark.parametrize("format", [None, "trec-run", "inex-fol-run", "span-table-run"])
def test_a_gzip_bomb_is_refused(tmp_path, small_limit, format):
    (tmp_path / "r.run").write_bytes(gzip.compress(b"# comment\n" * 500_000 + LINE))
    with pytest.raises(bp.InputError, match="expands to more than"):
        formats.read_run(tmp_path / "r.run", format)


def test_a_stated_size_beyond_the_limit_is_refused_before_reading(tmp_path, small_limit, monkeypatch):
    path = tmp_path / "r.run"
    path.write_bytes(gzip.compress(LINE) + gzip.compress(b"# comment\n" * 500_000 + LINE))
    monkeypatch.setattr("berrypick.files.files._Unpacked.readinto", lambda self, buffer: pytest.fail("was read"))
    with pytest.raises(bp.InputError, match="expands to more than"):
        formats.read_run(path)


def test_a_size_that_no_file_can_have_is_not_believed(tmp_path, small_limit):
    path = tmp_path / "r.run"
    path.write_bytes(gzip.compress(LINE)[:-4] + b"\xff\xff\xff\xff")
    with pytest.raises(bp.InputError, match="ends early or is damaged"):
        formats.read_run(path)


def test_the_limit_can_be_raised(tmp_path, monkeypatch, berrypick, files):
    (tmp_path / "r.run").write_bytes(gzip.compress(b"# comment\n" * 500_000 + LINE))
    monkeypatch.setenv(_limits.EXPANSION_LIMIT, "0.001")
    done = berrypick("check", tmp_path / "r.run")
    assert done.code == 2 and _limits.EXPANSION_LIMIT in done.out
    assert berrypick("--expansion-limit", "0.01", "check", tmp_path / "r.run").code == 0
    assert berrypick("--expansion-limit", "many", "check", tmp_path / "r.run").code == 2


def test_plain_files_have_no_limit(tmp_path, small_limit):
    (tmp_path / "r.run").write_bytes(b"# comment\n" * 500_000 + LINE)
    assert formats.read_run(tmp_path / "r.run").size() == 1


@pytest.mark.skipif(os.name == "nt", reason="devices of POSIX")
def test_a_device_without_an_end_is_read_to_the_limit(small_limit):
    with pytest.raises(bp.InputError, match="expands to more than"):
        formats.read_run("/dev/zero", "trec-run")


@pytest.mark.parametrize("kind", ["text", "rows", "unused"])
def test_a_parquet_bomb_is_refused_and_columns_nobody_needs_are_not_read(tmp_path, small_limit, kind):
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = 200_000 if kind == "rows" else 2000
    columns = {"topic": ["1"] * rows, "doc": ["d"] * rows, "score": [1.0] * rows}
    columns[{"text": "text", "rows": "tag", "unused": "other"}[kind]] = ["x" * (5000 if kind != "rows" else 1)] * rows
    parquet.write_table(pa.table(columns), tmp_path / "r.parquet")
    assert (tmp_path / "r.parquet").stat().st_size < 100_000
    if kind == "unused":
        assert formats.read_run(tmp_path / "r.parquet").size() == rows
    else:
        with pytest.raises(bp.InputError, match="expands to more than"):
            formats.read_run(tmp_path / "r.parquet")


@pytest.mark.parametrize("format", [None, *(name for name, one in formats.registered().items())])
@pytest.mark.parametrize("damage", ["truncated", "changed", "header"])
def test_a_damaged_gzip_file_is_told(tmp_path, format, damage):
    data = bytearray(gzip.compress(os.urandom(20_000).hex().encode()))
    if damage == "truncated":
        del data[len(data) // 2 :]
    elif damage == "changed":
        data[len(data) // 2] ^= 0xFF
    else:
        del data[5:]
    (tmp_path / "file").write_bytes(data)
    with pytest.raises(bp.InputError):
        formats.read_any(tmp_path / "file", None, format)


def test_a_truncated_gzip_document_is_told(tmp_path, files, berrypick):
    """It ended with the exit code of an interrupt, and no word."""
    documents = tmp_path / "documents"
    documents.mkdir()
    (documents / "d").write_bytes(gzip.compress(os.urandom(3000).hex().encode())[:2000])
    written = files(
        t_jsonl='{"topic": "1", "doc": "d", "start": 0, "end": 4}\n',
        r_jsonl='{"topic": "1", "doc": "d", "start": 0, "end": 4, "score": 1}\n',
    )
    done = berrypick("evaluate", written["t_jsonl"], written["r_jsonl"], "-m", "charR", "--documents", documents)
    assert done.code == 2 and "ends early or is damaged" in done.err and str(documents / "d") in done.err


@pytest.mark.skipif(os.name == "nt", reason="pipes and links of POSIX")
@pytest.mark.parametrize("kind", ["pipe", "device", "link", "dangling"])
@pytest.mark.parametrize("reader", [read_texts, bp.read_collection, formats.read_truth])
def test_what_is_no_file_of_a_folder_is_refused_by_name(tmp_path, kind, reader):
    top = tmp_path / "documents"
    top.mkdir()
    (top / "a.xml").write_text('<assessments topic="1"><file name="d"/></assessments>')
    (tmp_path / "secret.xml").write_text("<a>secret</a>")
    strange = top / "b.xml"
    if kind == "pipe":
        os.mkfifo(strange)
    else:
        strange.symlink_to(
            {"device": "/dev/zero", "link": tmp_path / "secret.xml", "dangling": tmp_path / "none"}[kind]
        )
    with pytest.raises(bp.InputError) as error:
        reader(top)
    assert error.value.path == str(strange)


@pytest.mark.skipif(os.name == "nt", reason="links of POSIX")
@pytest.mark.parametrize("reader", [read_texts, bp.read_collection, formats.read_truth])
def test_folders_that_are_links(tmp_path, reader):
    """One that leads out was passed over with all that is in it."""
    top = tmp_path / "documents"
    (top / "sub").mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    for place in (top, top / "sub", tmp_path / "outside"):
        text = f'<assessments topic="{place.name}"><file name="d"/></assessments>'
        (place / f"{place.name}.xml").write_text(text)
    (top / "again").symlink_to(top / "sub")  # its files are read by their own names
    reader(top)
    (top / "linked").symlink_to(tmp_path / "outside")
    with pytest.raises(bp.InputError, match="is a link to a file outside the folder") as error:
        reader(top)
    assert error.value.path == str(top / "linked")


@pytest.mark.skipif(os.name == "nt", reason="links of POSIX")
@pytest.mark.parametrize("name", ["d.ann", "d.txt"])
def test_links_out_of_a_folder_of_brat_are_refused(tmp_path, name):
    """Lines of the files that they lead to were shown in messages."""
    topic = tmp_path / "annotated" / "q1"
    topic.mkdir(parents=True)
    (tmp_path / "secret").write_text("secret")
    (topic / "d.ann").write_text("T1\trelevant 0 3\tCut\n")
    (topic / name).unlink(missing_ok=True)
    (topic / name).symlink_to(tmp_path / "secret")
    with pytest.raises(bp.InputError, match="is a link to a file outside the folder"):
        formats.read_truth(tmp_path / "annotated", "brat")


@contextmanager
def without_privileges(folder):
    """Root may read everything, so the rights of files are tried as another user."""
    if os.geteuid() != 0:
        yield
        return
    os.chown(folder, 65534, 65534)
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.skipif(os.name == "nt", reason="rights of POSIX")
@pytest.mark.parametrize("reader", [read_texts, bp.read_collection, formats.read_truth])
def test_a_folder_that_cannot_be_read_is_told(reader):
    with tempfile.TemporaryDirectory() as name:  # folders of pytest are closed to other users
        (Path(name) / "a.xml").write_text('<assessments topic="1"><file name="d"/></assessments>')
        (Path(name) / "closed").mkdir(mode=0)
        with without_privileges(name), pytest.raises(bp.InputError, match="cannot be read"):
            reader(Path(name))


@pytest.mark.parametrize("name", ["x" * 5000, "a\0b"])
def test_names_that_no_file_can_have(name, files, berrypick):
    written = files(t_qrels="1 0 a 1\n", r_run="1 Q0 a 1 1 r\n")
    for arguments in (
        ("evaluate", name, written["r_run"], "-m", "P@1"),
        ("evaluate", written["t_qrels"], name, "-m", "P@1"),
        ("evaluate", written["t_qrels"], written["r_run"], "-m", "P@1", "--collection", name),
        ("evaluate", written["t_qrels"], written["r_run"], "-m", "P@1", "--documents", name),
        ("evaluate", written["t_qrels"], written["r_run"], "-m", "P@1", "--navigation", name),
        ("check", name),
        ("convert", name, "out.run"),
        ("convert", written["r_run"], name + ".run"),
        ("diff", name, name),
    ):
        done = berrypick(*arguments)
        assert done.code == 2 and "Traceback" not in done.err, arguments
        assert "output could not be written" not in done.err, arguments


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.qrels", "1 0 a\0b 1\n"),
        ("t.jsonl", '{"topic": "1", "doc": "a\\u0000b", "start": 0, "end": 1}\n'),
        ("t.csv", "topic,doc,start,end\n1,a\0b,0,1\n"),
    ],
)
def test_names_with_nul_are_refused(tmp_path, name, content):
    """Programs below take the NUL for the end of the name: another document."""
    (tmp_path / name).write_text(content)
    with pytest.raises(bp.InputError):
        formats.read_truth(tmp_path / name)


@pytest.mark.parametrize("count", [1, 200_000])
def test_runs_with_nul_are_refused(tmp_path, count):
    (tmp_path / "r.run").write_bytes(LINE.replace(b"document", b"d\0c") + b"".join(
        b"1 Q0 d%d 1 1.5 r\n" % i for i in range(count)))  # fmt: skip
    with pytest.raises(bp.InputError, match="NUL") as error:
        formats.read_run(tmp_path / "r.run", "trec-run")
    assert error.value.line == 1
    with pytest.raises(bp.BerrypickError, match="NUL"):
        bp.evaluate({"1": {"a": 1}}, {"1": {"a\0b": 1.0}}, "P@1")


def test_a_long_name_of_a_run_that_comes_a_million_times(tmp_path):
    """In the file it is there once; spelled out it took five gigabytes."""
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = 300_000

    def same(text):
        return pa.DictionaryArray.from_arrays(pa.repeat(pa.scalar(0, pa.int32()), rows), [text])

    columns = {"run": same("x" * 9000), "topic": same("1"), "doc": pa.array(list(map(str, range(rows))))}
    parquet.write_table(pa.table({**columns, "score": pa.array([0.5] * rows)}), tmp_path / "r.parquet")
    (part,) = table_parts(str(tmp_path / "r.parquet"))
    assert part.run == "x" * 9000


@pytest.mark.parametrize("name", ["bz2", "lzma", "zipfile"])
def test_other_compressors_are_told_by_name(tmp_path, name):
    path = tmp_path / "r.run"
    if name == "zipfile":
        with zipfile.ZipFile(path, "w") as packed:
            packed.writestr("r.run", "1 Q0 a 1 1 r\n")
    else:
        path.write_bytes(importlib.import_module(name).compress(b"1 Q0 a 1 1 r\n"))
    with pytest.raises(bp.InputError, match=r"is compressed with (bzip2|xz|zip)"):
        formats.read_run(path)


def test_titles_are_read_as_other_lines(tmp_path):
    path = tmp_path / "titles.tsv"
    for content, what in (
        (gzip.compress(b"1\t" + b"x" * (65 << 20), 1), "line is longer"),
        (b"1\ta\0\n", "NUL"),
        (b"1\ta\n1\tb\n", "another title above"),
        (b"1\ta\n\xef\xbb\xbf2\tb\n", "byte order mark"),
    ):
        path.write_bytes(content)
        with pytest.raises(bp.InputError, match=what):
            read_titles(path)
    path.write_bytes(b"\xef\xbb\xbf1\ta\n\n# c\n1\ta\n")
    assert read_titles(path) == {"1": "a"}
