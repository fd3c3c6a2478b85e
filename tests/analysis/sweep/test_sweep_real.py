"""Real questions on real texts: five chunkings times two retrievers, evaluated and compared.

How long that takes is told by benchmarks/chunks.py; tests do not look at the clock.
"""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

import berrypick as bp
from berrypick.analysis.sweep.sweep import bm25, fixed, fts5, sentences
from berrypick.data.truth import TopicTruth, Truth


@pytest.fixture(scope="module")
def questions(data):
    """Texts, gold spans and questions of chunking_evaluation."""
    folder = data / "chunking-evaluation"
    if not folder.is_dir():
        pytest.skip(f"real data: {folder} is not there")
    documents = {path.stem: path.read_bytes().decode() for path in sorted((folder / "corpora").glob("*.md"))}
    topics, queries = {}, {}
    with (folder / "questions_df.csv").open(newline="", encoding="utf-8") as file:
        for number, row in enumerate(csv.DictReader(file)):
            references = json.loads(row["references"])
            topic = str(number)
            queries[topic] = row["question"]
            topics[topic] = TopicTruth(
                topic,
                (row["corpus_id"],) * len(references),
                np.ones(len(references)),
                np.array([one["start_index"] for one in references]),
                np.array([one["end_index"] for one in references]),
            )
    return documents, Truth("spans", topics), queries


def test_five_chunkings_and_two_retrievers(questions):
    documents, gold, queries = questions
    wanted = {("fixed", 200, 0), ("fixed", 400, 0), ("fixed", 800, 0), ("fixed", 400, 100), ("sentences", 400, None)}
    found = bp.sweep(
        documents, gold, [fixed, sentences], [fts5, bm25], "charR@5 charP@5 IoU@5", queries=queries,
        grid={"size": [200, 400, 800], "overlap": [0, 100]}, jobs=2,
        only=lambda setting: (setting["chunker"], setting["size"], setting.get("overlap")) in wanted,
    )  # fmt: skip
    compared = bp.compare(found.results, baseline="chunker=fixed,size=400,overlap=0,retriever=fts5")
    assert len(found) == 10 and len(compared.pairs) == 3 * 45
    value = {
        (row["chunker"], row["size"], row["overlap"], row["retriever"], row["measure"]): row["value"]
        for row in found.rows
    }
    for cut in wanted:  # the same formula, so the same lists
        for measure in found.measures:
            assert value[(*cut, "fts5", measure)] == pytest.approx(value[(*cut, "bm25", measure)], abs=1e-12)
    assert value["fixed", 200, 0, "bm25", "charR@5"] == pytest.approx(0.4987, abs=5e-5)
    assert value["fixed", 800, 0, "bm25", "charR@5"] == pytest.approx(0.8440, abs=5e-5)
    larger = compared.pair("charR@5", "chunker=fixed,size=800,overlap=0,retriever=fts5", compared.baseline)
    assert larger.better and not larger.exact and larger.p_adjusted < 0.01
