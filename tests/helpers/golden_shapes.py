"""Golden files in the shapes of other programs, with content of our own; and the documents that they are about."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet

TEXTS = {
    "raspberries.md": "# Raspberries\n\nSummer raspberries fruit on the canes of last year. Cut the old canes down to "
    "the ground right after the harvest.\nLeave six to eight young canes for each metre of the row.\n\nAutumn "
    "raspberries fruit on canes of the same year:  cut all of them in February.\n",
    "currants.md": "# Currants\n\nBlack currants fruit best on the wood of the year before. Take out a third of the "
    "old branches every winter.\nRed currants fruit on short spurs of older wood \u2014 don\u2019t cut these away.\n",
    "store/pests.md": "# Pests\n\nThe raspberry beetle lays its eggs in May, when the first flowers open. White traps "
    "with alcohol catch it.\n\nBig bud mites make the buds of black currants swell. Break swollen buds off and burn "
    "them before March.\n",
    "store/soil.md": "# Soil\n\nBerries like a soil that is a little sour, with a pH of about six. Mulch of leaves "
    "keeps it moist.\nBlueberries want it far more sour: a pH of four to five.\n",
}
#: Question, quotes as the golden files have them (one not as the text has it), document, group.
ASKED: list[tuple[str, list[str], str, str]] = [
    ("When are old canes of summer raspberries cut?",
     ["Cut the old canes down to the ground right after the harvest."], "raspberries.md", "pruning"),
    ("When are canes of autumn raspberries cut?",
     ["fruit on canes of the same year: cut all of them in February."], "raspberries.md", "pruning"),
    ("How much of a black currant is taken out?",
     ["Take out a third of the old branches every winter."], "currants.md", "pruning"),
    ("What is not to be cut on red currants?",
     ["Red currants fruit on short spurs of older wood - don't cut these away."], "currants.md", "pruning"),
    ("What catches the raspberry beetle, and when does it come?",
     ["The raspberry beetle lays its eggs in May", "White traps with alcohol catch it."], "store/pests.md", "pests"),
    ("Which soil do blueberries want?",
     ["Blueberries want it far more sour: a pH of four to five."], "store/soil.md", "soil"),
]  # fmt: skip
NO_ANSWER = "When do strawberries need straw?"


def write_documents(folder: Path) -> Path:
    for name, text in TEXTS.items():
        path = folder / "texts" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return folder / "texts"


def ragas() -> str:
    return json.dumps([
        {"user_input": asked, "reference_contexts": [f"<{i}-hop>\n\n{q}" if len(quotes) > 1 else q
                                                     for i, q in enumerate(quotes, 1)],
         "reference": "An answer in other words.", "synthesizer_name": f"{group}_synthesizer"}
        for asked, quotes, _, group in ASKED
    ], indent=1)  # fmt: skip


def ragas_csv() -> str:
    """Lists as pandas writes them."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["question", "contexts", "ground_truth", "evolution_type", "metadata", "episode_done"])
    for asked, quotes, document, group in ASKED:
        sources = [{"source": f"/home/somebody/corpus/{document}", "file_type": "md"} for _ in quotes]
        writer.writerow([asked, str(quotes), "In other words.", group, str(sources), "True"])
    return out.getvalue()


def deepeval() -> str:
    return json.dumps([
        {"input": asked, "actual_output": None, "expected_output": "In other words.", "context": quotes,
         "retrieval_context": None, "source_file": f"./corpus/{document}", "additional_metadata": {"evolution": group}}
        for asked, quotes, document, group in ASKED
    ])  # fmt: skip


def langsmith() -> str:
    return "".join(
        json.dumps({"id": f"5f3a-{i}", "dataset_id": "77", "created_at": "2025-02-01",
                    "inputs": {"question": asked}, "outputs": {"answer": "In other words.", "contexts": quotes},
                    "metadata": {"source": document, "dataset_split": [group]}}) + "\n"
        for i, (asked, quotes, document, group) in enumerate(ASKED)
    )  # fmt: skip


def langfuse() -> str:
    items = [
        {"id": f"item-{i}", "datasetName": "berries", "status": "ACTIVE", "input": {"query": asked},
         "expectedOutput": {"answer": "In other words.",
                            "evidence": [{"quote": quote, "file_name": document} for quote in quotes]},
         "metadata": {"topic_area": group}}
        for i, (asked, quotes, document, group) in enumerate(ASKED)
    ]  # fmt: skip
    return json.dumps({"data": items, "meta": {"page": 1, "limit": 50, "totalItems": len(items)}})


def finetune() -> str:
    """Gold is the nodes that questions were made of."""
    corpus, relevant, queries = {}, {}, {}
    for i, (asked, quotes, _, _) in enumerate(ASKED):
        queries[f"q{i}"] = asked
        relevant[f"q{i}"] = [f"node-{i}-{j}" for j in range(len(quotes))]
        corpus |= {f"node-{i}-{j}": quote for j, quote in enumerate(quotes)}
    return json.dumps({"queries": queries, "corpus": corpus, "relevant_docs": relevant, "mode": "text"})


def labelled_rag() -> str:
    by = {"model_name": "", "type": "human"}
    return json.dumps({"examples": [
        {"query": asked, "query_by": by, "reference_contexts": quotes, "reference_answer": "In other words.",
         "reference_answer_by": by} for asked, quotes, _, _ in ASKED]})  # fmt: skip


def haystack() -> str:
    """The inputs of an evaluation run: a list for each column."""
    return json.dumps({"run_name": "berries", "inputs": {
        "questions": [asked for asked, *_ in ASKED],
        "ground_truth_documents": [
            [{"id": "f00d", "content": quote, "meta": {"file_path": document}} for quote in quotes]
            for _, quotes, document, _ in ASKED],
        "ground_truth_answers": ["In other words." for _ in ASKED]}})  # fmt: skip


def promptfoo() -> str:
    lines = [
        "description: berries",
        "prompts:",
        "  - 'Answer {{query}} from {{context}}'",
        "providers: [echo]",
        "tests:",
    ]
    for asked, quotes, _, group in ASKED:
        lines += ["  - vars:", f"      query: {json.dumps(asked)}", f"      context: {json.dumps(quotes)}",
                  "    assert:", "      - type: contains", "        value: berries", "    metadata:",
                  f"      area: {group}"]  # fmt: skip
    return "\n".join(lines) + "\n"


def excel() -> bytes:
    """Semicolons, a byte order mark, a row for each quote, and a question without an answer."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=";", lineterminator="\r\n")
    writer.writerow(["Question", "Evidence", "Source File", "Category", "Answerable", ""])
    for asked, quotes, document, group in ASKED:
        for quote in quotes:
            writer.writerow([asked, quote, document.rpartition("/")[2].replace(".md", ".PDF"), group, "yes", ""])
    writer.writerow([NO_ANSWER, "", "", "pests", "no", ""])
    return out.getvalue().encode("utf-8-sig")


def parquet() -> bytes:
    table = pyarrow.table({
        "id": [f"h{i}" for i in range(len(ASKED) + 1)],
        "question": [*(asked for asked, *_ in ASKED), NO_ANSWER],
        "context": [*(quotes for _, quotes, *_ in ASKED), []],
        "title": [*(document.rpartition("/")[2].removesuffix(".md") for _, _, document, _ in ASKED), "soil"],
        "is_impossible": [*(False for _ in ASKED), True]})  # fmt: skip
    out = io.BytesIO()
    pyarrow.parquet.write_table(table, out)
    return out.getvalue()


def by_chunk() -> str:
    """A file of one's own: chunks by their names; the chunks are in :func:`chunk_file`."""
    return json.dumps({"version": 3, "questions": [
        {"qid": f"k{i}", "question": asked, "relevant_chunk_ids": [f"{document}:{j}" for j in range(len(quotes))]}
        for i, (asked, quotes, document, _) in enumerate(ASKED)]})  # fmt: skip


def chunk_file() -> str:
    return "".join(
        json.dumps({"chunk_id": f"{document}:{j}", "text": quote, "source": document}) + "\n"
        for document, quotes in {ASKED[i][2]: ASKED[i][1] for i in CHUNKED}.items()
        for j, quote in enumerate(quotes)
    )


#: Of each document the last question, so that names of chunks are unique.
CHUNKED = (1, 3, 4, 5)
#: File name to content, and the options that its one command needs.
SHAPES: dict[str, tuple[Any, list[str]]] = {
    "ragas.json": (ragas, []),
    "ragas.csv": (ragas_csv, []),
    "deepeval.json": (deepeval, []),
    "langsmith.jsonl": (langsmith, []),
    "langfuse.json": (langfuse, []),
    "finetune.json": (finetune, []),
    "labelled_rag.json": (labelled_rag, []),
    "haystack.json": (haystack, []),
    "promptfoo.yaml": (promptfoo, []),
    "excel.csv": (excel, []),
    "hub.parquet": (parquet, []),
    "chunks.json": (by_chunk, ["--chunks", "chunks.jsonl"]),
}


def write_shape(name: str, folder: Path) -> Path:
    content = SHAPES[name][0]()
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    (folder / "chunks.jsonl").write_text(chunk_file())
    return folder / name
