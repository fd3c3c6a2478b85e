"""Questions with the boxes of their evidence, page by page: BBox-DocVQA."""

from __future__ import annotations

from typing import Any, ClassVar

from berrypick.formats._records import TruthRecords
from berrypick.formats.base import Problems
from berrypick.rows.json_lines import Rows, records


class BBoxDocVQA(TruthRecords):
    """Questions of BBox-DocVQA, one JSON object per line: ``query``, ``doc_name``, ``evidence_page``, ``bbox``.

    ``evidence_page`` is a list of pages, counted from 1, and ``bbox`` has a list of boxes for each of them. The topic is
    ``id`` where there is one, else the number of the line, from 1.

    Sample::

        {"query": "Which berry?", "doc_name": "berries", "evidence_page": [3, 4], "bbox": [[[10, 10, 90, 40]], [[5, 5, 9, 9]]]}
    """  # noqa: E501

    format_name: ClassVar[str] = "bbox-docvqa"
    role = "truth"
    begins: ClassVar[tuple[str, ...]] = ("{",)
    marks: ClassVar[tuple[str, ...]] = ('"evidence_page"',)
    shape: ClassVar[str] = '{"query": "...", "doc_name": "a", "evidence_page": [3], "bbox": [[[10, 10, 90, 40]]]}'
    json_names: ClassVar[tuple[str, ...]] = ("query", "doc_name", "evidence_page", "bbox")

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        return lines[0].lstrip().startswith("{") and '"evidence_page"' in lines[0] and '"bbox"' in lines[0]

    @classmethod
    def records(cls, path: str, problems: Problems) -> Rows:
        for number, text, value in records(path, problems):
            pages, boxes = value.get("evidence_page"), value.get("bbox")
            if not isinstance(pages, list) or not isinstance(boxes, list) or len(pages) != len(boxes):
                problems.report("evidence_page and bbox must be lists of the same length", number, text)
                continue
            topic = value.get("id", value.get("qid"))
            common: dict[str, Any] = {"topic": str(number) if topic is None else topic, "doc": value.get("doc_name")}
            common["question"] = str(value.get("query", ""))
            size = {} if value.get("page_size") is None else {"page_size": value["page_size"]}
            for page, held in zip(pages, boxes, strict=True):
                if not isinstance(held, list) or not all(isinstance(box, list) for box in held):
                    problems.report("bbox must have a list of boxes for each page", number, text)
                    continue
                for box in held:
                    yield number, text, {**common, "page": page, "box": box, **size}
                if not held:
                    problems.count("pages without a box, relevant as a whole")
                    yield number, text, {**common, "page": page, **size}
