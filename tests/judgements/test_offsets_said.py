"""Truths that say what their offsets count: what locate writes is right beside runs that count otherwise."""

import json

import pytest

import berrypick as bp

#: Every letter before the answer has two bytes and one UTF-16 unit, but for the last, which has four and two.
TEXT = "ääää😀 the answer is here, and nothing more"
ANSWER = "the answer is here"


def places(unit: str) -> tuple[int, int]:
    before, after = TEXT.partition(ANSWER)[0], TEXT.partition(ANSWER)[0] + ANSWER
    size = {
        "chars": len,
        "bytes": lambda text: len(text.encode()),
        "utf16": lambda text: len(text.encode("utf-16-le")) // 2,
    }
    return size[unit](before), size[unit](after)


def truth(unit: str, said: bool, **more: object) -> str:
    start, end = places(unit)
    marked = {"offsets": unit} if said else {}
    return json.dumps({"topic": "1", "doc": "d", "start": start, "end": end, **marked, **more}) + "\n"


def run(unit: str) -> str:
    start, end = places(unit)
    return json.dumps({"topic": "1", "doc": "d", "start": start, "end": end, "rank": 1}) + "\n"


DOCUMENTS = json.dumps({"doc": "d", "text": TEXT}) + "\n"


@pytest.mark.parametrize("unit", ["bytes", "utf16"])
@pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet"])
def test_a_located_truth_beside_a_run_that_counts_otherwise(files, berrypick, tmp_path, unit, ending):
    if ending == "parquet":
        pytest.importorskip("pyarrow")
    gold = json.dumps({"topic": "1", "doc": "d", "quote": ANSWER})
    written = files(gold_jsonl=gold, run_jsonl=run(unit), texts_jsonl=DOCUMENTS)
    target = tmp_path / f"truth.{ending}"
    assert berrypick("locate", written["gold_jsonl"], target, "--documents", written["texts_jsonl"]).code == 0
    asked = ("evaluate", target, written["run_jsonl"], "-m", "IoU@1", "--documents", written["texts_jsonl"])
    done = berrypick(*asked, "--offsets", unit)
    assert done.code == 0 and done.out.endswith("IoU@1\t1.0000\n")
    assert f"note: {target}: its offsets are declared as chars; those of the runs are {unit}\n" in done.err


@pytest.mark.parametrize("of_truth", ["chars", "bytes", "utf16"])
@pytest.mark.parametrize("of_run", ["chars", "bytes", "utf16"])
def test_what_the_truth_says_goes_first(files, of_truth, of_run):
    written = files(truth_jsonl=truth(of_truth, said=True), run_jsonl=run(of_run))
    for given in [{"offsets": of_run}] + [{}] * (of_run == "chars"):
        found = bp.evaluate(written["truth_jsonl"], written["run_jsonl"], "IoU@1", documents={"d": TEXT}, **given)
        assert found.mean()["run"]["IoU@1"] == 1
        differs = [note for note in map(str, found.notes) if "offsets are declared" in note]
        assert len(differs) == (of_truth != of_run)


def test_a_truth_that_says_nothing_is_read_as_offsets_says_and_that_is_told(files):
    written = files(truth_jsonl=truth("bytes", said=False), run_jsonl=run("bytes"))
    given = {"documents": {"d": TEXT}, "offsets": "bytes"}
    found = bp.evaluate(written["truth_jsonl"], written["run_jsonl"], "IoU@1", **given)
    assert found.mean()["run"]["IoU@1"] == 1
    assert any("does not declare what its offsets count" in note for note in map(str, found.notes))


def test_offsets_beside_a_quote_are_checked_in_their_own_unit(files):
    good = files(truth_jsonl=truth("utf16", said=True, quote=ANSWER), run_jsonl=run("bytes"))
    given = {"documents": {"d": TEXT}, "offsets": "bytes"}
    assert bp.evaluate(good["truth_jsonl"], good["run_jsonl"], "IoU@1", **given).mean()["run"]["IoU@1"] == 1
    start, end = places("chars")
    wrong = {"topic": "1", "doc": "d", "start": start, "end": end, "quote": ANSWER, "offsets": "utf16"}
    bad = files(bad_jsonl=json.dumps(wrong))
    with pytest.raises(bp.InputError, match="does not match its quote"):
        bp.evaluate(bad["bad_jsonl"], good["run_jsonl"], "IoU@1", **given)


def test_offsets_that_need_the_texts(files):
    written = files(truth_jsonl=truth("bytes", said=True), run_jsonl=run("bytes"))
    with pytest.raises(bp.UsageError, match="has offsets in bytes: give the texts"):
        bp.evaluate(written["truth_jsonl"], written["run_jsonl"], "IoU@1")


def test_lines_that_do_not_agree_are_told(files):
    two = truth("chars", said=True) + truth("bytes", said=True)
    with pytest.raises(bp.InputError, match="jsonl:2: offsets count bytes here, and count chars in line 1"):
        bp.read_truth(files(a_jsonl=two)["a_jsonl"])
    two = truth("chars", said=True) + truth("bytes", said=False)
    with pytest.raises(bp.InputError, match="offsets are undeclared here, and count chars in line 1"):
        bp.read_truth(files(a_jsonl=two)["a_jsonl"])
    one = json.dumps({"topic": "1", "doc": "d", "start": 0, "end": 2, "offsets": "words"})
    with pytest.raises(bp.InputError, match="offsets count chars, bytes or utf16, not 'words'"):
        bp.read_truth(files(a_jsonl=one)["a_jsonl"])


def test_locate_honours_what_is_said_and_tells(files, berrypick, tmp_path):
    written = files(truth_jsonl=truth("utf16", said=True), texts_jsonl=DOCUMENTS)
    target = tmp_path / "out.jsonl"
    more = ("--documents", written["texts_jsonl"], "--offsets", "bytes")
    done = berrypick("locate", written["truth_jsonl"], target, *more)
    assert done.code == 0 and "offsets are declared as utf16; --offsets bytes is ignored" in done.err
    record = json.loads(target.read_text())
    assert (record["start"], record["end"], record["offsets"]) == (*places("chars"), "chars")


def test_what_is_said_survives_conversion(files, berrypick, tmp_path):
    written = files(truth_jsonl=truth("utf16", said=True, grade=1))
    assert berrypick("convert", written["truth_jsonl"], tmp_path / "t.csv").code == 0
    assert bp.read_truth(tmp_path / "t.csv").offsets == "utf16"
    told = berrypick("check", written["truth_jsonl"]).out
    assert "offsets count utf16" in told
