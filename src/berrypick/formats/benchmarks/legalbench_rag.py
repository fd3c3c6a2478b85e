"""Questions with snippets of files: LegalBench-RAG."""

from __future__ import annotations

from typing import ClassVar

from berrypick.files.json_files import load, objects, starts_object
from berrypick.formats._records import TruthRecords
from berrypick.formats.base import Problems
from berrypick.rows.json_lines import Rows


class LegalBenchRag(TruthRecords):
    """Benchmarks of LegalBench-RAG: one JSON object with ``tests``, each with a ``query`` and its ``snippets``.

    A snippet has ``file_path`` (below the folder of the corpus, which is given as documents), ``span`` (start and end
    in characters, half-open) and ``answer``, its text. The topic is the number of the test, from 0.

    Sample::

        {"tests": [
          {"query": "Which berry is it?", "snippets": [
            {"file_path": "garden/berries.txt", "span": [8, 19], "answer": "a raspberry"}]}]}
    """

    format_name: ClassVar[str] = "legalbench-rag"
    role = "truth"
    begins: ClassVar[tuple[str, ...]] = ("{",)
    marks: ClassVar[tuple[str, ...]] = ('"snippets"',)
    positions = "chars"
    shape: ClassVar[str] = '{"tests": [{"query": "...", "snippets": [{"file_path": "a/b.txt", "span": [8, 19]}]}]}'
    json_names: ClassVar[tuple[str, ...]] = ("tests", "query", "snippets", "file_path", "span", "answer")

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        return starts_object(lines, "tests", "snippets")

    @classmethod
    def records(cls, path: str, problems: Problems) -> Rows:
        value, source = load(path, problems)
        if value is None:
            return
        tests = objects(value.get("tests") if isinstance(value, dict) else None, "tests", source, problems)
        for number, test in enumerate(tests):
            line = source.line_of("snippets")
            source.skip()
            shown = str(test.get("query", ""))
            snippets = list(objects(test.get("snippets"), "snippets", source, problems))
            if not snippets:
                problems.count("tests without snippets, skipped")
            for snippet in snippets:
                span = snippet.get("span")
                if not isinstance(span, list) or len(span) != 2 or None in span:
                    problems.report("span must be a list of start and end", line, shown)
                    continue
                record = {"topic": str(number), "question": test.get("query"), "doc": snippet.get("file_path")}
                record |= {"start": span[0], "end": span[1]}
                if isinstance(answer := snippet.get("answer"), str) and answer.strip():
                    record["quote"] = answer
                yield line, shown, {**record, "offsets": "chars"}
