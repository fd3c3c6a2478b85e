"""Many runs: one table of them, results saved, joined and compared."""

from __future__ import annotations

import gzip
import io
import json
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import berrypick as bp
from berrypick import formats
from berrypick.cli import main
from berrypick.given.convert import run_sources
from berrypick.rows.table_files import table_parts

TRUTH = {"q1": {"a": 1, "b": 1}, "q2": {"c": 2}, "q3": {"a": 1, "d": 1}}
RUNS = {
    "x": {"q1": {"a": 3.0, "c": 2.0}, "q2": {"c": 1.0, "a": 0.5}, "q3": {"b": 1.0, "d": 0.5}},
    "y": {"q1": {"c": 3.0, "b": 2.0}, "q2": {"a": 1.0, "c": 0.5}},
    "z": {"q1": {"b": 3.0, "a": 2.0}, "q3": {"d": 3.0, "a": 2.0}},
}


@dataclass
class Done:
    exit_code: int
    stdout: str
    stderr: str


def command(*arguments: str) -> Done:
    out, err, code = io.StringIO(), io.StringIO(), 0
    with redirect_stdout(out), redirect_stderr(err):
        try:
            main(list(arguments))
        except SystemExit as end:
            code = int(end.code or 0)
    return Done(code, out.getvalue(), err.getvalue())


def rows(order: str) -> list[dict[str, Any]]:
    found = [
        {"run": run, "topic": topic, "doc": doc, "score": score}
        for run, topics in RUNS.items()
        for topic, results in topics.items()
        for doc, score in results.items()
    ]
    return found if order == "by run" else sorted(found, key=lambda row: (row["topic"], row["run"], row["doc"]))


def write(path: Path, order: str, group: int) -> str:
    if path.suffix == ".csv":
        lines = [",".join(map(str, row.values())) for row in rows(order)]
        path.write_text("\n".join(["run,topic,doc,score", *lines]))
    else:
        pa = pytest.importorskip("pyarrow")
        import pyarrow.parquet as parquet

        parquet.write_table(pa.Table.from_pylist(rows(order)), path, row_group_size=group)
    return str(path)


@pytest.mark.slow
@pytest.mark.parametrize("order", ["by run", "mixed"])
@pytest.mark.parametrize(("name", "group"), [("r.parquet", 100), ("r.parquet", 3), ("r.parquet", 1), ("r.csv", 0)])
def test_a_table_of_runs(tmp_path: Path, order: str, name: str, group: int) -> None:
    path = write(tmp_path / name, order, group)
    found = bp.evaluate(TRUTH, path, "AP nDCG@2 EPRUM")
    wanted = bp.evaluate(TRUTH, RUNS, "AP nDCG@2 EPRUM")
    assert {run: found.per_topic()[run] for run in sorted(found.runs)} == wanted.per_topic()
    assert bp.evaluate(TRUTH, path, "AP", jobs=2).mean() == found.only(measures=["AP"]).mean()
    done = command("evaluate", str(_truth(tmp_path)), path, "-m", "AP", "-o", "json")
    assert done.exit_code == 0 and {row["run"] for row in json.loads(done.stdout)} == {"x", "y", "z"}


def _truth(folder: Path) -> Path:
    path = folder / "truth.qrels"
    path.write_text("".join(f"{topic} 0 {doc} {g}\n" for topic, docs in TRUTH.items() for doc, g in docs.items()))
    return path


def test_one_run_of_a_table_is_read_at_a_time(tmp_path: Path) -> None:
    path = write(tmp_path / "r.parquet", "by run", 4)
    parts = table_parts(path)
    assert parts is not None and [(part.run, part.groups) for part in parts] == [
        ("x", (0, 1)), ("y", (1, 2)), ("z", (2, 3)),
    ]  # fmt: skip
    sources = run_sources(path)
    assert not any(isinstance(source, bp.Run) for source in sources)
    second = sources[1].read()  # type: ignore[union-attr]
    assert second.tag == "y" and second.size() == 4
    assert second.line is not None and sorted(second.line.tolist()) == [7, 8, 9, 10]  # of the whole file
    assert table_parts(write(tmp_path / "mixed.parquet", "mixed", 1)) is not None  # small: worth reading again
    assert table_parts(write(tmp_path / "mixed.parquet", "mixed", 2)) is not None


def test_runs_mixed_all_over_a_file_are_read_at_once(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as parquet

    names = [f"r{i}" for i in range(20)]
    held = [{"run": name, "topic": f"q{t}", "doc": f"d{t}", "score": 1.0} for t in range(20) for name in names]
    parquet.write_table(pa.Table.from_pylist(held), tmp_path / "m.parquet", row_group_size=20)
    assert table_parts(str(tmp_path / "m.parquet")) is None
    found = bp.evaluate({f"q{t}": {f"d{t}": 1} for t in range(20)}, tmp_path / "m.parquet", "AP")
    assert found.mean() == {name: {"AP": 1.0} for name in names}


@pytest.mark.parametrize("name", ["r.parquet", "r.csv", "r.jsonl"])
def test_runs_are_never_mixed_into_one(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    if name == "r.jsonl":
        path.write_text("\n".join(map(json.dumps, rows("by run"))))
        with pytest.raises(bp.InputError, match=r"r\.jsonl:7: run y after run x(.|\n)*several runs are a table"):
            bp.evaluate(TRUTH, path, "AP")
    else:
        write(path, "by run", 100)
    with pytest.raises(bp.InputError, match="run y after run x"):
        bp.read_run(path)
    with (
        pytest.raises(bp.UsageError, match="one run is expected here, not 3")
        if name != "r.jsonl"
        else pytest.raises(bp.InputError)
    ):
        bp.evaluate(TRUTH, RUNS, "AP", chunks=path)


def test_a_row_without_a_run(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as parquet

    held = rows("by run")
    held[4]["run"] = None
    parquet.write_table(pa.Table.from_pylist(held), tmp_path / "r.parquet", row_group_size=3)
    with pytest.raises(bp.InputError, match=r"r\.parquet:5: run is missing"):
        bp.evaluate(TRUTH, tmp_path / "r.parquet", "AP")
    (tmp_path / "r.csv").write_text("run,topic,doc,score\nx,q1,a,1\n,q1,b,1\n")
    with pytest.raises(bp.InputError, match=r"r\.csv:3: run is missing"):
        bp.evaluate(TRUTH, tmp_path / "r.csv", "AP")


def test_numbers_as_names_of_runs(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as parquet

    held = [{**row, "run": "xyz".index(row["run"])} for row in rows("by run")]
    parquet.write_table(pa.Table.from_pylist(held), tmp_path / "r.parquet")
    mixed = [{"run": i % 20, "topic": f"q{i // 20 + 1}", "doc": "a", "score": 1.0} for i in range(60)]
    parquet.write_table(pa.Table.from_pylist(mixed), tmp_path / "mixed.parquet", row_group_size=1)
    assert bp.evaluate(TRUTH, tmp_path / "mixed.parquet", "AP").runs == tuple(map(str, range(20)))
    assert bp.evaluate(TRUTH, tmp_path / "r.parquet", "AP").runs == ("0", "1", "2")


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["json", "jsonl", "parquet"])
def test_saved_joined_compared(tmp_path: Path, ending: str) -> None:
    """Batches of runs, saved, are compared as all runs together."""
    whole = bp.evaluate(TRUTH, RUNS, "AP EPRUM")
    files = []
    for name, run in RUNS.items():
        part = bp.evaluate(TRUTH, {name: run}, "AP EPRUM")
        part.save(tmp_path / f"{name}.{ending}")
        files.append(str(tmp_path / f"{name}.{ending}"))
        assert list(bp.read_results(files[-1])) == list(part)
    joined = bp.concat(*map(bp.read_results, files))
    assert joined.per_topic() == whole.per_topic() and joined.mean() == whole.mean()
    assert bp.compare(joined).estimates == bp.compare(whole).estimates
    assert bp.compare(joined, measures="AP").pairs == bp.compare(whole, measures="AP").pairs
    done = command("compare", *files, "-m", "AP", "--baseline", "y", "-o", "json")
    assert done.exit_code == 0, done.stderr
    assert json.loads(done.stdout) == json.loads(bp.compare(whole, measures="AP", baseline="y").table("json"))
    gate = command("compare", *files, "--fail-under", "AP=0.9")
    assert gate.exit_code == 1 and "y: AP is" in gate.stderr


def test_saved_results_that_do_not_fit(tmp_path: Path) -> None:
    results = bp.evaluate(TRUTH, RUNS, "AP")
    with pytest.raises(bp.UsageError, match=r"saved as \.json, \.jsonl or \.parquet"):
        results.save(tmp_path / "r.txt")
    results.save(tmp_path / "r.json")
    twice = command("compare", str(tmp_path / "r.json"), str(tmp_path / "r.json"))
    assert twice.exit_code == 2 and "run x has AP in two of the results" in twice.stderr
    other = command("compare", str(tmp_path / "r.json"), "--user", "hierarchy")
    assert other.exit_code == 2 and "--user has no effect on saved results" in other.stderr
    missing = command("compare", str(_truth(tmp_path)), "-m", "AP")
    assert missing.exit_code == 2 and "RUNS" in missing.stderr
    formats.write(bp.read_truth(_truth(tmp_path)), tmp_path / "truth.jsonl", "span-truth")
    wrong = command("compare", str(tmp_path / "r.json"), str(tmp_path / "truth.jsonl"))
    assert wrong.exit_code == 2 and "has no run" in wrong.stderr


def test_undefined_values_are_saved(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    results = bp.evaluate({"q": {"a": 0}}, {"q": {"a": 1.0}}, "AP")
    for ending in ("json", "parquet"):
        results.save(tmp_path / f"r.{ending}")
        assert bp.read_results(tmp_path / f"r.{ending}").mean() == {"run": {"AP": None}}


def test_saved_topics_without_their_mean_are_refused(tmp_path: Path) -> None:
    """The run would be left out without a word, or the table would have no row at all."""
    row = {"run": "a", "topic": "t", "measure": "AP", "value": 0.5, "signature": "AP|v:1"}
    path = tmp_path / "saved.json"
    path.write_text(json.dumps([row, {**row, "topic": "all"}, {**row, "run": "b"}]))
    done = command("compare", str(path))
    assert done.exit_code == 2 and "has topics of AP of the run b, but not their mean" in done.stderr


@pytest.mark.parametrize("content", [b"PAR1" + b"\0" * 50 + b"PAR1", b"PAR1" + b"garbage" * 9 + b"PAR1", b"\xff[", b""])
def test_damaged_results_are_told(tmp_path: Path, content: bytes) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / "saved"
    path.write_bytes(content)
    for words in (["compare", path, path, "-m", "AP"], ["diff", path, path], ["correlate", path]):
        done = command(*map(str, words))
        assert done.exit_code == 2 and f"{path}:" in done.stderr, (words, done)


@pytest.mark.slow
def test_results_are_read_up_to_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From devices, packed files and Parquet as any other file; columns that are not needed are not read."""
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as parquet

    monkeypatch.setenv("BERRYPICK_EXPANSION_LIMIT", "0.01")
    if Path("/dev/zero").exists():
        with pytest.raises(bp.InputError, match=r"expands to more than 0\.01 GB"):
            bp.read_results("/dev/zero")
    row = {"run": "a", "topic": "all", "measure": "AP", "value": 0.5, "signature": "AP|v:1"}
    packed = tmp_path / "saved.json.gz"
    packed.write_bytes(gzip.compress(json.dumps([row]).encode() + b" " * 12_000_000))
    with pytest.raises(bp.InputError, match=r"expands to more than 0\.01 GB"):
        bp.read_results(packed)
    packed.write_bytes(gzip.compress(json.dumps([row]).encode()))
    assert [one.value for one in bp.read_results(packed).mean_rows] == [0.5]
    same = {name: pa.array([value] * 300_000) for name, value in row.items()}
    parquet.write_table(pa.table(same), tmp_path / "many.parquet")
    with pytest.raises(bp.InputError, match=r"expands to more than 0\.01 GB"):
        bp.read_results(tmp_path / "many.parquet")
    other = pa.DictionaryArray.from_arrays([0], ["x" * 20_000_000])
    parquet.write_table(
        pa.table({**{n: pa.array([v]) for n, v in row.items()}, "other": other}), tmp_path / "o.parquet"
    )
    assert [one.value for one in bp.read_results(tmp_path / "o.parquet").mean_rows] == [0.5]
