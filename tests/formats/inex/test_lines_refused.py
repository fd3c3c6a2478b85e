"""Formats of campaigns count characters, and hold no lines."""


def test_other_formats_refuse_lines(tmp_path, berrypick):
    path = tmp_path / "apart.jsonl"
    path.write_text('{"topic": "1", "doc": "a.py", "start_line": 10, "end_line": 14, "rank": 1}\n')
    done = berrypick("convert", path, tmp_path / "t.txt", "--to", "genomics-run")
    assert done.code == 2 and "lines" in done.err
