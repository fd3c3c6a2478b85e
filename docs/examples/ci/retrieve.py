"""A small retriever: chunks of 200 characters, ranked by how many words they share with the question."""

import json
import re
import sys
from pathlib import Path

SIZE, RESULTS = 200, 5


def words(text):
    return set(re.findall(r"\w+", text.lower()))


questions, texts = json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[2])
chunks = []
for path in sorted(texts.iterdir()):
    text = path.read_text(encoding="utf-8")
    chunks += [(path.name, start, text[start : start + SIZE]) for start in range(0, len(text), SIZE)]
for topic, question in questions.items():
    shared = [len(words(question) & words(text)) for _, _, text in chunks]
    best = sorted(range(len(chunks)), key=lambda i: -shared[i])[:RESULTS]
    for rank, i in enumerate(best, start=1):
        doc, start, text = chunks[i]
        print(json.dumps({"topic": topic, "doc": doc, "start": start, "end": start + len(text), "rank": rank}))
