"""The page is not written over an input, and not to what is no file."""

import pytest

import berrypick as bp

SPANS = '{"topic": "1", "doc": "d", "start": 0, "end": 10}\n'
RUN = '{"topic": "1", "doc": "d", "start": 0, "end": 10, "score": 1}\n'


@pytest.mark.parametrize(
    "arguments",
    [
        "--html r.jsonl",
        "--html ./texts/../t.jsonl",
        "--html also.jsonl",
        "--navigation n.tsv --html n.tsv",
        "--documents texts --html texts/d",
        "--titles n.tsv --html n.tsv",
    ],
)
def test_an_input_is_not_written_over(tmp_path, monkeypatch, berrypick, arguments):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "texts").mkdir()
    for name, content in {"texts/d": "0123456789", "t.jsonl": SPANS, "r.jsonl": RUN, "n.tsv": "a\tb\t0.5\n"}.items():
        (tmp_path / name).write_text(content)
    (tmp_path / "also.jsonl").symlink_to("r.jsonl")
    before = {path: path.read_text() for path in tmp_path.rglob("*") if path.is_file()}
    done = berrypick("report", "t.jsonl", "r.jsonl", "-m", "EPRUM", *arguments.split())
    assert done.code == 2 and "refusing to overwrite" in done.err and "name another file" in done.err
    assert before == {path: path.read_text() for path in tmp_path.rglob("*") if path.is_file()}


def test_a_name_of_a_wrong_type():
    for value in (-1, object()):
        with pytest.raises(bp.UsageError):
            bp.write_report({"1": {"a": 1}}, {"1": {"a": 1.0}}, "AP", html=value)
