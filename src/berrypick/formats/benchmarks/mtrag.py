"""Passages retrieved for turns of conversations: MTRAG."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from berrypick.formats._records import RunRecords
from berrypick.formats.base import Problems
from berrypick.formats.benchmarks._evidence_rows import identified
from berrypick.formats.spans.span_truth import line_names
from berrypick.rows.json_lines import Rows, records


class MtragRun(RunRecords):
    """Tasks of MTRAG with what was retrieved, one JSON object per line: ``task_id`` and ``contexts``.

    A context has ``document_id`` and ``score``. The topic is the task, a conversation and a turn; the documents are
    passages, ordered by score. Their names say where they lie, which the option id-pattern reads. The truth is the
    benchmark's qrels, in the format beir-qrels.

    Sample::

        {"task_id": "talk<::>1", "turn": 1, "contexts": [{"document_id": "jam_0-90-0-40", "score": 7.1}]}
        {"task_id": "talk<::>2", "turn": 2, "contexts": []}
    """

    format_name: ClassVar[str] = "mtrag-run"
    role = "run"
    marks: ClassVar[tuple[str, ...]] = ('"task_id"',)
    before: ClassVar[tuple[str, ...]] = ("samples", "span-run")
    shape: ClassVar[str] = '{"task_id": "talk<::>1", "contexts": [{"document_id": "jam_0-90-0-40", "score": 7.1}]}'
    json_names: ClassVar[tuple[str, ...]] = ("task_id", "contexts", "document_id", "conversation_id", "turn")

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        return {"task_id", "contexts"} <= {*line_names(lines[0])}

    @classmethod
    def records(cls, path: str, problems: Problems) -> Rows:
        for number, text, value in records(path, problems, nan=True):  # fields that are not read have it
            found = value.get("contexts")
            if not identified(value, "task_id", number, text, problems):
                continue
            if not isinstance(found, list) or not all(isinstance(one, Mapping) for one in found):
                problems.report("contexts must be a list of objects", number, text)
                continue
            if not found:
                yield number, text, {"topic": value["task_id"], "results": []}
            for one in found:
                yield number, text, _result(value["task_id"], one, number, text, problems)


def _result(topic: Any, given: Mapping[str, Any], number: int, text: str, problems: Problems) -> dict[str, Any]:
    if given.get("score") is None:
        problems.report("a context has no score", number, text, "passages are ordered by their scores")
    return {"topic": topic, "doc": given.get("document_id"), "score": given.get("score")}
