"""Makes the files of the demonstration's RAG part again from its campaign: the same articles, questions and answers.

Written into src/berrypick/demo/rag:

* answers.jsonl: the highlighted text as spans;
* small.jsonl, large.jsonl: the best chunks by BM25, whole sentences of up to 300 and of up to 1000 characters.

    python scripts/make_rag.py [FOLDER]     writes into the folder, by default into the package

Nothing here depends on chance, time or machine: the same files come out everywhere, byte for byte.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import berrypick as bp
from berrypick.analysis.sweep.retrievers import Chunk, bm25
from berrypick.analysis.sweep.sweep import sentences
from berrypick.documents.xml.xml_documents import read_text

DEMO = Path(__file__).resolve().parent.parent / "src" / "berrypick" / "demo"
CAMPAIGN, HOME = DEMO / "campaign", DEMO / "rag"
SIZES = {"small": 300, "large": 1000}
DEPTH = 10


def answers() -> Iterator[dict[str, object]]:
    for topic in bp.read_truth(CAMPAIGN / "highlighted.qrels").topics.values():
        assert topic.start is not None and topic.end is not None
        spans = zip(topic.document, topic.start.tolist(), topic.end.tolist(), topic.grade.tolist(), strict=True)
        for document, start, end, grade in spans:
            if grade > 0:
                yield {"topic": topic.topic, "doc": document, "start": int(start), "end": int(end), "grade": 1}


def retrieved(size: int) -> Iterator[dict[str, object]]:
    texts = {path.stem: read_text(path) for path in sorted((CAMPAIGN / "collection").glob("*.xml"))}
    topics = json.loads((CAMPAIGN / "topics.json").read_text(encoding="utf-8"))
    cut = partial(sentences, size=size)
    chunks = [Chunk(name, start, end, text[start:end]) for name, text in texts.items() for start, end in cut(text)]
    found = bm25(chunks, {topic["topic"]: topic["title"] for topic in topics}, depth=DEPTH)
    for topic, ranked in found.items():
        for rank, (place, _) in enumerate(ranked, start=1):
            chunk = chunks[place]
            yield {"topic": topic, "doc": chunk.document, "start": chunk.start, "end": chunk.end, "rank": rank}


def make(folder: Path) -> list[Path]:
    """Write everything into a folder; returns the files."""
    folder.mkdir(parents=True, exist_ok=True)
    files = {"answers": answers(), **{name: retrieved(size) for name, size in SIZES.items()}}
    made = []
    for name, rows in files.items():
        made.append(folder / f"{name}.jsonl")
        made[-1].write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8", newline="\n")
    return made


if __name__ == "__main__":
    for path in make(Path(sys.argv[1]) if len(sys.argv) > 1 else HOME):
        print(path)
