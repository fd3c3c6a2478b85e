"""Questions with reference excerpts, as the program chunking_evaluation keeps them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

from berrypick.data.truth import Truth
from berrypick.files.strict_json import RepeatedName, strict_json
from berrypick.formats._records import TruthRecords
from berrypick.formats.base import Problems
from berrypick.rows.json_lines import Rows
from berrypick.rows.table_files import csv_rows, header_of

COLUMNS = ("question", "references", "corpus_id")


class ChunkingEvaluation(TruthRecords):
    """Questions of chunking_evaluation: CSV with ``question``, ``references`` and ``corpus_id``; cells may hold lines.

    ``references`` is a JSON list of objects with ``content``, ``start_index`` and ``end_index`` (half-open,
    characters). The topic is the number of the row, from 0, as that program numbers questions. The document is the
    corpus_id; in a folder of corpora given as documents that is the file corpus_id.md (or any other ending). With
    documents, the offsets are checked against the content.

    Sample::

        question,references,corpus_id
        Which berry is it?,"[{""content"": ""a raspberry"", ""start_index"": 8, ""end_index"": 19}]",garden
    """

    format_name: ClassVar[str] = "chunking-evaluation"
    role = "truth"
    marks: ClassVar[tuple[str, ...]] = ("corpus_id",)
    before: ClassVar[tuple[str, ...]] = ("span-table-truth",)
    positions = "chars"
    shape: ClassVar[str] = "question,references,corpus_id"

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        return set(COLUMNS) <= header_of(lines)

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Truth:
        return replace(super().read(path, problems), units="spans")

    @classmethod
    def records(cls, path: str, problems: Problems) -> Rows:
        for row, (number, text, fields) in enumerate(csv_rows(path, problems, COLUMNS)):
            try:
                references = strict_json(fields.get("references", ""))
            except RepeatedName as error:
                problems.report(f"references: {error}", number, text, error.remedy)
                continue
            except (ValueError, RecursionError):
                references = None
            if not isinstance(references, list) or not all(isinstance(one, dict) for one in references):
                problems.report("references is not a JSON list of objects", number, text)
                continue
            for one in references:
                names = {"topic": str(row), "question": fields.get("question"), "doc": fields.get("corpus_id")}
                span = {"start": one.get("start_index"), "end": one.get("end_index"), "quote": one.get("content")}
                yield number, text, {**names, **span}

    @classmethod
    def questions(cls, path: str) -> dict[str, str]:
        """Topic to question, for retrieval."""
        rows = csv_rows(path, Problems(path), COLUMNS)
        return {str(i): fields.get("question", "") for i, (_, _, fields) in enumerate(rows)}

    @classmethod
    def accepts(cls, value: Any) -> str:
        return "it holds a question for every topic, which a truth need not have"
