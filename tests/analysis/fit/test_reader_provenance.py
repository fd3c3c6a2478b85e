"""Fitted readers say whom they describe, and are refused for another unit."""

import json

import pytest
from agent_formats import Step, codex

import berrypick as bp

MODEL = "distance(law='inverse')"
#: The relevant line of each session, and whether it gets there.
VISITS = ((5, True), (9, True), (12, True), (20, False), (25, True), (40, False), (60, True), (90, False))


@pytest.fixture
def reader(tmp_path):
    """Eight sessions on two days, of which three leave before the relevant line."""
    folder = tmp_path / "sessions"
    folder.mkdir()
    truth = []
    for i, (line, reached) in enumerate(VISITS):
        shown = line if reached else line - 2
        steps = [Step(f"head -n {shown} a.py", "x\n" * shown), Step("cat b.py", "x\n")]
        path, *_ = codex(folder / f"{i}.jsonl", f"issue: t{i}", steps)
        path.write_text(path.read_text().replace('"s1"', f'"s{i}"').replace("2026-01-05", f"2026-01-0{5 + i % 2}"))
        truth.append({"topic": f"t{i}", "doc": "a.py", "start_line": line, "end_line": line})
    (tmp_path / "truth.jsonl").write_text("".join(json.dumps(row) + "\n" for row in truth))
    form = "codex-session(topic_pattern='issue: (.*)',root='repo')"
    found = bp.fit(MODEL, folder, truth=tmp_path / "truth.jsonl", format_run=form, held_out=0)
    found.write(tmp_path / "reader.json")
    return tmp_path / "reader.json", found, form


def test_the_file_says_whom_it_describes(reader):
    path, found, _ = reader
    content = json.loads(path.read_text())
    assert (content["model"], content["unit"], content["agent"], content["version"]) == (
        "distance",
        "lines",
        "codex",
        "0.50.0",
    )
    assert content["sessions"] == {"count": 8, "checksum": content["data"]["checksum"]}
    assert content["period"] == {"first": "2026-01-05", "last": "2026-01-06"}
    assert found.reader.content["period"] == content["period"]


def test_the_run_that_convert_wrote_gives_the_same_reader(reader, tmp_path, berrypick):
    _, found, form = reader
    done = berrypick("convert", tmp_path / "sessions", tmp_path / "run.jsonl", "--from", form)
    assert done.code == 0, done.err
    again = bp.fit(MODEL, tmp_path / "run.jsonl", truth=tmp_path / "truth.jsonl", held_out=0).reader.content
    kept = ("unit", "agent", "version", "sessions", "period", "parameters")
    assert {name: again[name] for name in kept} == {name: found.reader.content[name] for name in kept}


def test_show_prints_it(reader, berrypick):
    path, _, _ = reader
    done = berrypick("show", path)
    assert done.code == 0, done.err
    shown = [line.split(None, 1) for line in done.out.splitlines()]
    assert ["agent", "codex"] in shown and ["unit", "lines"] in shown
    assert ["period", "2026-01-05 to 2026-01-06"] in shown and any(one[:1] == ["theta"] for one in shown)
    [row] = json.loads(berrypick("show", path, "-o", "json").out)
    assert row["kind"] == "reader" and row["sessions"]["count"] == 8 and row["parameters"]["theta"]["low"] is not None


def test_a_file_that_was_changed_is_not_shown(reader, berrypick):
    path, _, _ = reader
    path.write_text(path.read_text().replace('"codex"', '"other"'))
    done = berrypick("show", path)
    assert done.code == 2 and "does not match its checksum" in done.err


@pytest.mark.parametrize(
    ("truth", "run", "judged"),
    [
        (
            [{"topic": "t", "doc": "a", "start": 5, "end": 9}],
            [{"topic": "t", "doc": "a", "start": 0, "end": 2}],
            "characters",
        ),
        (
            [{"topic": "t", "doc": "a", "start_time": 5, "end_time": 9}],
            [{"topic": "t", "doc": "a", "start_time": 0, "end_time": 2}],
            "seconds",
        ),
        ({"t": {"a": 1}}, {"t": {"a": 1.0}}, "documents"),
    ],
)
def test_another_unit_is_refused(reader, truth, run, judged):
    _, found, _ = reader
    for given in (found, str(reader[0])):
        with pytest.raises(bp.InputError, match=f"was fitted to distances in lines, but the truth judges {judged}"):
            bp.evaluate(truth, run, "ExpectedRatio", user=given)
    with pytest.raises(bp.InputError, match="distances in lines"):
        bp.evaluate(truth, run, f"ExpectedRatio(user='{reader[0]}')")


def test_another_unit_is_exit_2(reader, tmp_path, berrypick):
    (tmp_path / "chars.jsonl").write_text('{"topic": "t", "doc": "a", "start": 5, "end": 9}\n')
    done = berrypick(
        "evaluate", tmp_path / "chars.jsonl", tmp_path / "chars.jsonl", "-m", "ExpectedRatio", "--user", reader[0]
    )
    assert done.code == 2 and "was fitted to distances in lines" in done.err


def test_the_same_unit_and_an_unknown_one_are_read(reader, tmp_path):
    _, found, _ = reader
    row = {"topic": "t", "doc": "a", "start_line": 5, "end_line": 9}
    assert bp.score("ExpectedRatio", [row], [row], user=found) is not None
    log = [{"distance": d, "end": e} for d, e in [(5, "gave_up"), (9, "gave_up"), (12, "reached"), (30, "gave_up")]]
    unknown = bp.fit(MODEL, log, held_out=0)
    assert unknown.reader.content["unit"] is None and unknown.reader.content["period"] is None
    assert bp.score("ExpectedRatio", [row], [row], user=unknown) is not None


def test_a_chain_of_documents_is_refused_for_passages(tmp_path, berrypick):
    """A click leads to documents; where sessions name passages, the chain leads to these."""
    log, chain = tmp_path / "visits.sessions", tmp_path / "chain.json"
    log.write_text("a;b\nb;a\nb\n")
    assert berrypick("fit", "markov", log, "-o", chain, "--held-out", 0).code == 0
    assert bp.fit("markov", str(log), held_out=0).reader.content["unit"] == "documents"
    passages = tmp_path / "passages.jsonl"
    passages.write_text('{"topic": "t", "doc": "a", "start": 5, "end": 9}\n')
    done = berrypick("evaluate", passages, passages, "-m", "ExpectedRatio", "--user", chain)
    assert done.code == 2 and "visit documents, but the truth judges characters" in done.err
    assert "--whole-documents" in done.err
    done = berrypick("evaluate", passages, passages, "-m", "ExpectedRatio", "--user", chain, "--whole-documents")
    assert done.code == 0, done.err
    log.write_text("a#5-9;b#1-2\nb#1-2\n")
    named = bp.fit("markov", str(log), held_out=0)
    assert named.reader.content["unit"] is None
    assert bp.score("ExpectedRatio@1", str(passages), str(passages), user=named) == 1.0
