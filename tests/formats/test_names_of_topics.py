"""Names of topics, documents and runs with NUL or a lone surrogate are refused, with file and line, in every format."""

from __future__ import annotations

import json
import re
import textwrap

import pytest

import berrypick as bp

#: As JSON escapes them, and as they are in Python.
ESCAPED = {"\\ud800": "\ud800", "\\udc00": "\udc00", "\\u0000": "\0"}
INVALID = re.compile("[\x00\ud800-\udfff]")
TRUTH = {"q": {"d": 1}}


@pytest.fixture
def samples(berrypick):
    """The sample of each format, as ``berrypick show format`` prints it, and whether it is read as a truth or a run."""

    def run(*arguments):
        return berrypick(*arguments).out

    found = {}
    for line in run("list", "formats").splitlines()[2:]:
        name, role = line.split()[:2]
        _, _, rest = run("show", "format", name).partition("Sample::\n")
        block = rest.partition("\nParameters")[0].splitlines()
        lines = []
        for text in block:
            if text.strip() and not text.startswith((" ", "\t")):
                break
            lines.append(text)
        found[name] = (role, textwrap.dedent("\n".join(lines)).strip("\n") + "\n")
    return found


def names_of(value) -> list[str]:
    if isinstance(value, bp.Run):
        return [*value.topics, *value.documents, value.tag]
    topics = () if value is None else value.topics.values()
    return [name for topic in topics for name in (topic.topic, *topic.documents())]


def outcome(path, role, name):
    """What is said of a file, and what is read from it."""
    try:
        return "", (bp.read_run if role == "run" else bp.read_truth)(path, format=name)
    except bp.BerrypickError as error:
        return str(error), None


@pytest.mark.slow
def test_every_name_of_every_sample(samples, tmp_path):
    """Each text of each sample in turn gets a bad end: it is refused with its line, or it is no name."""
    refused: dict[str, int] = {}
    for name, (role, sample) in samples.items():
        if role not in ("truth", "run") or sample.lstrip()[:1] not in ("{", "["):
            continue
        for spot in re.finditer(r'"((?:[^"\\]|\\.)*)"', sample):
            for escaped in ESCAPED:
                end = spot.end() - 1
                path = tmp_path / "sample.json"
                path.write_text(sample[:end] + escaped + sample[end:])
                said, value = outcome(path, role, name)
                if "NUL" in said or "lone surrogate" in said:
                    refused[name] = refused.get(name, 0) + 1
                    line = sample.count("\n", 0, end) + 1
                    assert f"{path}:{line}: " in said, (name, spot[0], said)
                bad = [one for one in names_of(value) if INVALID.search(one)]
                assert not bad, (name, spot[0], bad)
    assert len(refused) >= 25, refused
    assert {"doccano", "label-studio", "prodigy", "w3c", "client-results", "samples", "span-run"} <= set(refused)


@pytest.mark.parametrize("kind", ["topic", "doc", "tag"])
@pytest.mark.parametrize("escaped", ESCAPED)
def test_file_and_line(berrypick, tmp_path, monkeypatch, kind, escaped):
    monkeypatch.chdir(tmp_path)
    rows = [{"topic": "q", "doc": "d", "rank": 1, "tag": "mine"}, {"topic": "q", "doc": "e", "rank": 2, "tag": "mine"}]
    if kind == "tag":
        rows[0].pop("tag")
    lines = [json.dumps(row) for row in rows]
    last = rows[1][kind]
    lines[1] = lines[1].replace(f'"{last}"', f'"{last}{escaped}"')
    (tmp_path / "run.jsonl").write_text("\n".join(lines) + "\n")
    (tmp_path / "truth.qrels").write_text("q 0 d 1\n")
    for command in (("evaluate", "truth.qrels", "run.jsonl", "-m", "RR"), ("check", "run.jsonl")):
        done = berrypick(*command)
        said = done.err + done.out
        assert done.code == 2 and "run.jsonl:2: " in said
        assert ("NUL" if escaped == "\\u0000" else "lone surrogate") in said


@pytest.mark.parametrize("text", ["\0", "\ud800"])
def test_other_carriers(tmp_path, monkeypatch, text):
    monkeypatch.chdir(tmp_path)
    bad = f"d{text}x"
    shapes = {
        "by-topic.json": {"q": {bad: 1.0}}, "topics.json": {"q": {"d": 1.0}, bad: {"d": 1.0}},
        "nested.json": [{"topic": "q", "results": [{"doc": bad}]}],
        "questions.json": [{"question": bad, "results": [{"doc": "d"}]}],
    }  # fmt: skip
    for name, value in shapes.items():
        (tmp_path / name).write_text(json.dumps(value))
        with pytest.raises(bp.InputError, match=r"NUL|lone surrogate"):
            bp.evaluate(TRUTH, name, "RR")
        with pytest.raises(bp.BerrypickError, match=r"NUL|lone surrogate"):
            bp.evaluate(TRUTH, value, "RR")
    for records in ([{"topic": "q", "doc": bad, "score": 1.0}], [{"topic": bad, "doc": "d", "score": 1.0}]):
        with pytest.raises(bp.InputError, match=r"records:1: .*(NUL|lone surrogate)"):
            bp.evaluate(TRUTH, records, "RR")
    (tmp_path / "texts.jsonl").write_text('{"doc": "d", "text": "a"}\n' + json.dumps({"doc": bad, "text": "b"}) + "\n")
    with pytest.raises(bp.InputError, match=r"texts\.jsonl:2: doc contains"):
        bp.evaluate({"q": {"d#0-1": 1}}, {"q": {"d#0-1": 1.0}}, "charR", documents="texts.jsonl")


@pytest.mark.parametrize("column", ["topic", "doc", "run"])
def test_tables(tmp_path, column):
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = [{"topic": "q", "doc": "d", "rank": 1, "run": "x"}, {"topic": "q", "doc": "d", "rank": 1, "run": "y"}]
    rows[1][column] += "\0"
    parquet.write_table(pa.Table.from_pylist(rows), tmp_path / "run.parquet")
    lines = [",".join(rows[0]), *(",".join(map(str, row.values())) for row in rows)]
    (tmp_path / "run.csv").write_text("\n".join(lines) + "\n")
    with pytest.raises(bp.InputError, match="NUL"):
        bp.evaluate(TRUTH, tmp_path / "run.parquet", "RR")
    with pytest.raises(bp.InputError, match=r"run\.csv:3: .*NUL"):
        bp.evaluate(TRUTH, tmp_path / "run.csv", "RR")


def test_whole_characters_and_texts_are_fine(tmp_path):
    """Two halves that are one character, and texts beside names."""
    rows = [{"topic": "q", "doc": "\U0001f347", "rank": 1, "tag": "\U0001f347"}]
    (tmp_path / "run.jsonl").write_text(json.dumps(rows[0]) + "\n")
    assert "\\ud83c" in (tmp_path / "run.jsonl").read_text()
    assert bp.evaluate({"q": {"\U0001f347": 1}}, tmp_path / "run.jsonl", "RR").mean() == {"\U0001f347": {"RR": 1.0}}
