"""The chunk workflow on real text: every quote, five chunkings times two retrievers, chunking_evaluation's numbers."""

from __future__ import annotations

import csv
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

import berrypick as bp
from berrypick.documents.checked import checked_truth
from berrypick.documents.locator import Locator


@pytest.fixture(scope="module")
def folder(data: Path) -> Path:
    return data / "chunking-evaluation"


@pytest.fixture(scope="module")
def benchmark() -> ModuleType:
    path = Path(__file__).resolve().parents[3] / "benchmarks" / "chunks.py"
    spec = importlib.util.spec_from_file_location("benchmark_chunks", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["benchmark_chunks"] = module
    spec.loader.exec_module(module)
    return module


def test_every_unique_quote_is_found_by_its_quote(folder):
    texts, truth = bp.read_texts(folder / "corpora"), bp.read_truth(folder / "questions_df.csv")
    for how in ("exact", "normalised"):
        locator, several = Locator(texts, how), 0
        for topic in truth.topics.values():
            for quote in topic.quotes:
                found = locator.places(quote.text, texts.canonical(quote.document))
                assert any((place.start, place.end) == (quote.start, quote.end) for place in found)
                several += len(found) > 1
        assert several == 97
    assert sum(len(topic.quotes) for topic in truth.topics.values()) == 790


def test_offsets_settle_the_ambiguous_ones(folder):
    texts, truth = bp.read_texts(folder / "corpora"), bp.read_truth(folder / "questions_df.csv")
    placed = bp.locate(truth, texts)
    assert len(placed) == 472
    for name, topic in placed.topics.items():
        assert topic.start.tolist() == truth.topics[name].start.tolist()
    assert checked_truth(placed, texts).topics.keys() == placed.topics.keys()


def test_without_offsets_the_ambiguous_ones_are_told_and_only_they(folder, tmp_path, berrypick):
    import json

    truth = bp.read_truth(folder / "questions_df.csv")
    path = tmp_path / "quotes.jsonl"
    with path.open("w") as out:
        for name, topic in truth.topics.items():
            for quote in topic.quotes:
                out.write(json.dumps({"topic": name, "doc": quote.document, "quote": quote.text}) + "\n")
    done = berrypick("locate", path, tmp_path / "out.jsonl", "--documents", folder / "corpora")
    assert done.code == 2 and "97 of 790 quotes cannot be resolved" in done.err
    assert not (tmp_path / "out.jsonl").exists()


@pytest.fixture
def third(folder, tmp_path) -> Path:
    """The same texts, and every third question: test_sweep_real has all of them."""
    (tmp_path / "corpora").symlink_to(folder / "corpora")
    with (folder / "questions_df.csv").open(newline="", encoding="utf-8") as file:
        head, *rows = csv.reader(file)
    with (tmp_path / "questions_df.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([head, *rows[::3]])
    return tmp_path


def test_five_chunkings_times_two_retrievers(third, benchmark):
    folder = third
    texts, runs, chunkings, _ = benchmark.all_runs(folder)
    assert len(runs) == 10
    results = bp.evaluate(folder / "questions_df.csv", runs, benchmark.MEASURES, documents=texts)
    means = results.mean()
    for values in means.values():
        assert all(0 <= value <= 1 for value in values.values())
        assert values["charR@5"] > 0.4 and values["spanHit@5"] > 0.5
    for how in ("fts5", "bm25"):
        # longer chunks bring more of the answer and more of everything else; overlap shows
        assert means[f"800-{how}"]["charR@5"] > means[f"200-{how}"]["charR@5"]
        assert means[f"800-{how}"]["charP@5"] < means[f"200-{how}"]["charP@5"]
        assert means[f"400+200-{how}"]["Overlap@5"] > means[f"400-{how}"]["Overlap@5"] == 0
    theirs(folder, runs, chunkings, texts)


def theirs(folder, runs, chunkings, texts) -> None:
    """chunking_evaluation's numbers, worked out plainly from its definitions, against the protocol."""
    truth = bp.read_truth(folder / "questions_df.csv")
    for run in runs[:1] + runs[4:5]:  # without and with overlap
        chunks = chunkings[run.tag.rpartition("-")[0]]
        inside: dict[str, list[tuple[int, int]]] = {}
        for document, start, end in chunks:
            inside.setdefault(document, []).append((start, end))
        everything = bp.run_from_objects({"all": [{"doc": d, "start": s, "end": e} for d, s, e in chunks]})
        found = bp.evaluate(truth, run, protocol="chunking-evaluation", documents=texts, chunks=everything).per_topic()
        for name, topic in truth.topics.items():
            document = texts.canonical(topic.document[0])
            wanted = [(int(a), int(b)) for a, b in zip(topic.start, topic.end, strict=True)]
            ranking = run.ranking(name)
            top = [
                (ranking.documents[int(ranking.document[k])], int(ranking.start[k]), int(ranking.end[k]))
                for k in range(min(5, len(ranking)))
            ]
            expected = plain(document, wanted, top, inside[document])
            got = {measure: values[name] for measure, values in found[run.tag].items()}
            assert got == pytest.approx(expected), (run.tag, name)


def plain(document, wanted, top, chunks):
    """``chunks`` are those of the document."""
    read = {i for d, a, b in top if d == document for i in range(a, b)}
    asked = [set(range(a, b)) for a, b in wanted]
    answer = set().union(*asked)
    retrieved = sum(b - a for _, a, b in top)
    missed = sum(len(one - read) for one in asked)
    held = [(a, b) for a, b in chunks if any(a <= high and low <= b for low, high in wanted)]
    text = {i for a, b in held for i in range(a, b)}
    return {
        "IoU@5": len(read & answer) / (retrieved + missed),
        "charR@5": len(read & answer) / sum(map(len, asked)),
        "charP@5": len(read & answer) / retrieved,
        "PrecisionOmega(touching=True)": len(text & answer) / len(text | answer),
    }
