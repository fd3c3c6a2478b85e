"""Reading in the shapes that people have: files and values, how they are made, and how long reading one takes.

    python benchmarks/_reading.py WORK SMALL INPUT

is a process that does one piece of work: first with a small input, which loads what is loaded late, then timed.
"""

from __future__ import annotations

import gc
import gzip
import json
import math
import resource
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

Row = dict[str, Any]


# --- what is read -----------------------------------------------------------------------------------------------------


def spans(rows: int, seed: int = 5) -> Iterator[Row]:
    """Retrieved spans, a hundred for each topic, with scores."""
    draw = np.random.default_rng(seed)
    for topic in range(math.ceil(rows / 100)):
        drawn = (draw.integers(0, 50_000, 100), draw.integers(0, 40_000, 100), draw.integers(200, 1200, 100))
        for place, (document, start, size) in enumerate(zip(*(one.tolist() for one in drawn), strict=True)):
            place_of = {"doc": f"doc{document:06d}.md", "start": start, "end": start + size}
            yield {"topic": f"q{topic}", **place_of, "score": round(20 - place / 7, 4)}


def of_lines(rows: int) -> Iterator[Row]:
    """The same by lines."""
    for row in spans(rows):
        start, end = row.pop("start"), row.pop("end")
        yield {**row, "start_line": start // 40 + 1, "end_line": end // 40 + 1}


def with_metadata(rows: int) -> Iterator[Row]:
    """The same with the document in an object of metadata, as LangChain writes results."""
    for row in spans(rows):
        doc, start, end, score = (row.pop(name) for name in ("doc", "start", "end", "score"))
        metadata = {"source": doc, "start_index": start, "author": "A. Person", "tags": ["a", "b"], "page_label": None}
        yield {
            **row,
            "end": end,
            "score": score,
            "metadata": {name: v for name, v in metadata.items() if v is not None},
        }


def not_ascii(rows: int) -> Iterator[Row]:
    """The same with names beyond ASCII."""
    for row in spans(rows):
        yield {**row, "topic": f"Frage-{row['topic']}-\u00e4", "doc": f"\u00dcbersicht/{row['doc']}"}


def with_text(rows: int) -> Iterator[Row]:
    """The same with a text beyond ASCII beside the offsets."""
    for row in spans(rows):
        yield {**row, "text": f"Stra\u00dfe {row['start']} f\u00fchrt \u00fcber die Br\u00fccke zum Schlo\u00df."}


def with_tokens(rows: int) -> Iterator[Row]:
    """The same with the tokens that each result cost, and names beyond ASCII."""
    for row in not_ascii(rows):
        yield {**row, "tokens": 50 + row["start"] % 200}


def by_topic(rows: Iterator[Row]) -> dict[str, list[Row]]:
    """Topic to list of results."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row.pop("topic"), []).append(row)
    return found


def write_lines(rows: Iterator[Row], path: Path) -> None:
    """Write JSON Lines."""
    with path.open("w", encoding="utf-8") as out:
        for row in rows:
            out.write(json.dumps(row, ensure_ascii=False) + "\n")


def write_nested(rows: Iterator[Row], path: Path) -> None:
    """Write a line for each topic, with the list of its results."""
    write_lines(({"topic": topic, "results": held} for topic, held in by_topic(rows).items()), path)


def write_list(rows: Iterator[Row], path: Path) -> None:
    """Write one JSON list of rows."""
    path.write_text(json.dumps(list(rows), ensure_ascii=False), encoding="utf-8")


def write_object(rows: Iterator[Row], path: Path) -> None:
    """Write one JSON object, {topic: rows}."""
    path.write_text(json.dumps(by_topic(rows), ensure_ascii=False), encoding="utf-8")


def write_csv(rows: Iterator[Row], path: Path) -> None:
    """Write a table with commas."""
    import csv

    with path.open("w", encoding="utf-8", newline="") as out:
        first = next(rows)
        writer = csv.DictWriter(out, list(first), lineterminator="\n")
        writer.writeheader()
        writer.writerow(first)
        writer.writerows(rows)


def write_parquet(rows: Iterator[Row], path: Path) -> None:
    """Write a table as Parquet, a million rows at a time."""
    import itertools

    import pyarrow
    from pyarrow import parquet

    writer = None
    while batch := list(itertools.islice(rows, 1_000_000)):
        table = pyarrow.table({name: [row[name] for row in batch] for name in batch[0]})
        writer = writer or parquet.ParquetWriter(path, table.schema)
        writer.write_table(table)
    assert writer is not None
    writer.close()


def write_documents(rows: int, path: Path) -> None:
    """Write whole documents with scores as Parquet."""
    write_parquet(({"topic": r["topic"], "doc": r["doc"], "score": r["score"]} for r in spans(rows)), path)


def write_wide(rows: int, path: Path, columns: int = 50_000) -> None:
    """Write a table with commas and many columns."""
    more = [f"column{i}" for i in range(columns)]
    with path.open("w", encoding="utf-8") as out:
        out.write(",".join(["topic", "doc", "start", "end", "score", *more]) + "\n")
        for row in spans(rows):
            out.write(",".join([*map(str, row.values()), *("1" for _ in more)]) + "\n")


def write_gzip(rows: int, path: Path) -> None:
    """Write TREC lines with gzip."""
    draw = np.random.default_rng(3)
    with gzip.open(path, "wt", compresslevel=1) as out:
        for topic in range(math.ceil(rows / 1000)):
            found = draw.integers(0, 3_000_000, 1000).tolist()
            out.writelines(f"{topic} Q0 D{d:07d} {k} {30 - k / 40:.4f} sys\n" for k, d in enumerate(found, start=1))


def write_transitions(rows: int, path: Path) -> None:
    """Write counts of distinct transitions between pages."""
    draw = np.random.default_rng(4)
    pairs = np.unique(draw.integers(0, rows // 4, (rows * 2, 2)), axis=0)[:rows]
    with path.open("w", encoding="utf-8") as out:
        out.write("from\tto\tcount\n")
        for (one, other), count in zip(pairs.tolist(), draw.integers(1, 60, len(pairs)).tolist(), strict=True):
            out.write(f"page{one}\tpage{other}\t{count}\n")


# --- work -------------------------------------------------------------------------------------------------------------


def _read_run(path: str) -> Any:
    import berrypick

    return berrypick.read_run(path)


def _loaded(path: str) -> Any:
    with open(path, encoding="utf-8") as stream:
        return json.load(stream)


def _documents(path: str) -> Any:
    from langchain_core.documents import Document

    return {
        topic: [
            Document(page_content="text of a chunk", metadata={"source": r["doc"], "start_index": r["start"]})
            for r in held
        ]
        for topic, held in _loaded(path).items()
    }


def _objects(value: Any) -> Any:
    import berrypick

    return berrypick.run_from_objects(value)


def _records(value: Any) -> Any:
    from berrypick.inputs.given_back import run_of_records

    return run_of_records(value)


def _arrow(path: str) -> Any:
    from pyarrow import parquet

    return parquet.read_table(path)


def _polars(path: str) -> Any:
    import polars

    return polars.read_parquet(path)


def _frame(frame: Any) -> Any:
    import berrypick

    return berrypick.run_from_frame(frame)


def _json_lines(path: str) -> None:
    with open(path, encoding="utf-8") as stream:
        for line in stream:
            json.loads(line)


def _json_lists(path: str) -> None:
    with open(path, "rb") as stream:
        json.loads(stream.read())


def _polars_ap(path: str) -> Any:
    """Read a table and compute AP of each topic, where every fifth document is relevant."""
    import polars

    frame = polars.read_parquet(path).sort("topic", "score", descending=[False, True], maintain_order=True)
    hit = (polars.col("doc").str.slice(7, 2).is_in(["01", "02", "03", "04", "05"])).alias("hit")
    frame = frame.with_columns(hit, polars.int_range(1, polars.len() + 1).over("topic").alias("rank"))
    frame = frame.filter("hit").with_columns(polars.col("hit").cum_sum().over("topic").alias("found"))
    return frame.group_by("topic").agg((polars.col("found") / polars.col("rank")).mean())


def _csv_module(path: str) -> None:
    import csv

    with open(path, encoding="utf-8", newline="") as stream:
        for _ in csv.reader(stream):
            pass


def _as_is(path: str) -> str:
    return path


def _gunzip(path: str) -> None:
    import subprocess

    subprocess.run(["gzip", "-dc", path], stdout=subprocess.DEVNULL, check=True)


def _fit(path: str) -> Any:
    import berrypick

    return berrypick.fit("markov", berrypick.read_navigation(path))


def _group_by(path: str) -> Any:
    import duckdb

    return duckdb.sql(
        f"select \"from\", \"to\", sum(count) from read_csv('{path}', delim='\\t') group by all"
    ).fetchall()


#: What is made ready, and what is timed.
WORK: dict[str, tuple[Callable[[str], Any], Callable[[Any], Any]]] = {
    "read": (_as_is, _read_run),
    "objects": (_loaded, _objects),
    "documents": (_documents, _objects),
    "records": (_loaded, _records),
    "arrow": (_arrow, _frame),
    "polars": (_polars, _frame),
    "json-lines": (_as_is, _json_lines),
    "json": (_as_is, _json_lists),
    "csv-module": (_as_is, _csv_module),
    "polars-ap": (_as_is, _polars_ap),
    "gunzip": (_as_is, _gunzip),
    "fit": (_as_is, _fit),
    "group-by": (_as_is, _group_by),
}


#: Each shape: the name of its file, what writes that many rows, our work and that of the peer.
SHAPES: dict[str, tuple[str, Callable[[int, Path], None], str, str]] = {
    "JSON Lines": ("lines.jsonl", lambda n, p: write_lines(spans(n), p), "read", "json-lines"),
    "JSON Lines by lines": ("by-lines.jsonl", lambda n, p: write_lines(of_lines(n), p), "read", "json-lines"),
    "JSON Lines with metadata": ("metadata.jsonl", lambda n, p: write_lines(with_metadata(n), p), "read", "json-lines"),
    "JSON Lines beyond ASCII": ("names.jsonl", lambda n, p: write_lines(not_ascii(n), p), "read", "json-lines"),
    "JSON Lines with text": ("text.jsonl", lambda n, p: write_lines(with_text(n), p), "read", "json-lines"),
    "JSON Lines with tokens": ("tokens.jsonl", lambda n, p: write_lines(with_tokens(n), p), "read", "json-lines"),
    "nested results": ("nested.jsonl", lambda n, p: write_nested(spans(n), p), "read", "json-lines"),
    "JSON list": ("list.json", lambda n, p: write_list(spans(n), p), "read", "json"),
    "{topic: rows}": ("object.json", lambda n, p: write_object(spans(n), p), "read", "json"),
    "dictionaries": ("plain.json", lambda n, p: write_object(spans(n), p), "objects", "json"),
    "dictionaries by lines": ("by-lines.json", lambda n, p: write_object(of_lines(n), p), "objects", "json"),
    "dictionaries with metadata": ("metadata.json", lambda n, p: write_object(with_metadata(n), p), "objects", "json"),
    "LangChain documents": ("documents.json", lambda n, p: write_object(spans(n), p), "documents", "json"),
    "CSV": ("run.csv", lambda n, p: write_csv(spans(n), p), "read", "csv-module"),
    "CSV by lines": ("by-lines.csv", lambda n, p: write_csv(of_lines(n), p), "read", "csv-module"),
    "Parquet": ("run.parquet", lambda n, p: write_parquet(spans(n), p), "read", "polars-ap"),
    "Parquet, whole documents": ("documents.parquet", write_documents, "read", "polars-ap"),
    "Arrow table": ("arrow.parquet", lambda n, p: write_parquet(spans(n), p), "arrow", "polars-ap"),
    "polars frame": ("polars.parquet", lambda n, p: write_parquet(spans(n), p), "polars", "polars-ap"),
    "polars frame by lines": ("by-lines.parquet", lambda n, p: write_parquet(of_lines(n), p), "polars", "polars-ap"),
}
#: Rows of single files that are large, or have many columns.
LARGE: dict[str, tuple[str, Callable[[int, Path], None], str, str, int]] = {
    "CSV of 50,000 columns": ("wide.csv", write_wide, "read", "csv-module", 200),
    "TREC with gzip": ("run.gz", write_gzip, "read", "gunzip", 5_000_000),
    "fit markov to counts": ("counts.tsv", write_transitions, "fit", "group-by", 220_000),
}


def _processor() -> float:
    own, others = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime


def _now_and_most() -> tuple[int, int]:
    """Bytes that the process holds, and the most it held since the last reset."""
    text = Path("/proc/self/status").read_text(encoding="ascii")
    held = {name: int(value.split()[0]) for name, _, value in (line.partition(":") for line in text.splitlines())
            if name in ("VmRSS", "VmHWM")}  # fmt: skip
    return 1024 * held["VmRSS"], 1024 * held["VmHWM"]


def main() -> None:
    work, small, path = sys.argv[1:]
    prepare, timed = WORK[work]
    try:
        timed(prepare(small))
        value = prepare(path)
        gc.collect()
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the most is counted from here
        before, _ = _now_and_most()
        begun = _processor()
        kept = timed(value)
        seconds = _processor() - begun
    except Exception as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        raise SystemExit(1) from None
    print("bytes", _now_and_most()[1] - before, "seconds", seconds)
    del kept


if __name__ == "__main__":
    main()
