"""What a person or a file can get wrong ends in an error of berrypick, never in one of Python."""

import pytest

import berrypick as bp
from berrypick import formats


def test_a_parameter_that_has_the_name_of_an_argument_of_python():
    for measure in ("P(self=1)@5", "infAP(self=1)", "EPRUM(self=1)"):
        with pytest.raises(bp.UsageError, match="has no parameter self"):
            bp.evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, measure)


def test_quotes_without_documents():
    with pytest.raises(bp.UsageError, match="documents="):
        bp.locate("file")


@pytest.mark.parametrize("field", ["tag", "text"])
@pytest.mark.parametrize("target", ["out.jsonl", "out.csv", "out.jsonl.gz"])
def test_halves_of_characters_are_not_written(tmp_path, field, target):
    path = tmp_path / "r.jsonl"
    path.write_text(f'{{"topic": "1", "doc": "a", "{field}": "x\\ud800"}}\n')
    run = formats.read_run(path)
    with pytest.raises(bp.InputError, match="lone surrogate"):
        formats.write(run, tmp_path / target, "span-run" if ".jsonl" in target else None)
    assert [file.name for file in tmp_path.iterdir()] == ["r.jsonl"]


def test_parquet_with_broken_text_or_dates_beyond_any_year(tmp_path):
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    lengths, data = pa.py_buffer(bytes([0, 0, 0, 0, 2, 0, 0, 0])), pa.py_buffer(b"\xff\xfe")
    broken = pa.Array.from_buffers(pa.string(), 1, [None, lengths, data])
    for name, column in (("text", broken), ("date", pa.array([2**62], pa.timestamp("us")))):
        parquet.write_table(pa.table({"topic": ["1"], "doc": column}), tmp_path / f"{name}.parquet")
        with pytest.raises(bp.InputError):
            formats.read_run(tmp_path / f"{name}.parquet")
