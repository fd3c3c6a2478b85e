"""Questions about documents with the pages and boxes of their answers: MMDocIR."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from berrypick.formats._records import TruthRecords
from berrypick.formats.base import Problems
from berrypick.rows.json_lines import Rows, records


class MMDocIR(TruthRecords):
    """Questions of MMDocIR, one JSON object a document: ``doc_name`` and ``questions`` with their boxes.

    A question has ``Q``, ``page_id`` (a list of pages, counted from 0) and ``layout_mapping``, a list of boxes:
    ``page`` (from 0), ``page_size``, ``bbox``. The topic is the name of the document and the number of the question,
    from 0. A page of ``page_id`` that no box lies on is relevant as a whole. A box that a question lists twice is kept
    once, and counted; the program of MMDocIR counts it twice, as found and as wanted.

    Sample::

        {"doc_name": "a", "questions": [{"layout_mapping": [{"page": 3, "page_size": [9, 9], "bbox": [1, 2, 3, 4]}]}]}
        {"doc_name": "b", "questions": [{"layout_mapping": [{"page": 0, "page_size": [9, 9], "bbox": [5, 2, 7, 4]}]}]}
    """

    format_name: ClassVar[str] = "mmdocir"
    role = "truth"
    begins: ClassVar[tuple[str, ...]] = ("{",)
    marks: ClassVar[tuple[str, ...]] = ('"layout_mapping"',)
    shape: ClassVar[str] = '{"doc_name": "a.pdf", "questions": [{"Q": "...", "page_id": [3], "layout_mapping": []}]}'
    json_names: ClassVar[tuple[str, ...]] = ("doc_name", "questions", "layout_mapping", "page_id")

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        return lines[0].lstrip().startswith("{") and '"doc_name"' in lines[0] and '"layout_mapping"' in lines[0]

    @classmethod
    def records(cls, path: str, problems: Problems) -> Rows:
        for number, text, value in records(path, problems):
            name, questions = value.get("doc_name"), value.get("questions")
            if not isinstance(questions, list) or not all(isinstance(one, Mapping) for one in questions):
                problems.report("questions must be a list of objects", number, text)
                continue
            for i, question in enumerate(questions):
                shown = str(question.get("Q", ""))
                for row in _boxes(question, problems, number, shown):
                    yield number, shown, {"topic": f"{name}-{i}", "doc": name, "question": shown, **row}


def _boxes(question: Mapping[str, Any], problems: Problems, number: int, shown: str) -> list[dict[str, Any]]:
    """The boxes of a question, and the pages that have none."""
    boxes, pages = question.get("layout_mapping", []), question.get("page_id", [])
    if not isinstance(boxes, list) or not all(isinstance(one, Mapping) for one in boxes):
        problems.report("layout_mapping must be a list of objects", number, shown)
        return []
    if not isinstance(pages, list) or not all(isinstance(page, int) for page in pages):
        problems.report("page_id must be a list of whole numbers", number, shown)
        return []
    found = [
        {"page_index": one.get("page"), "box": one.get("bbox"), "page_size": one.get("page_size")} for one in boxes
    ]
    bare = [page for page in dict.fromkeys(pages) if all(one.get("page") != page for one in boxes)]
    problems.count("pages without a box, relevant as a whole", len(bare)) if bare else None
    return [*found, *({"page_index": page} for page in bare)]
