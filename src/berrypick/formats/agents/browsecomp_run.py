"""Runs of agents that search the web, as BrowseComp-Plus keeps them."""

from __future__ import annotations

import os
from typing import Any, ClassVar

from berrypick.data.errors import InputError
from berrypick.files.files import members, read_whole
from berrypick.files.json_files import load
from berrypick.formats._records import RunRecords
from berrypick.formats.base import Problems
from berrypick.rows.json_lines import Rows


class BrowseCompRun(RunRecords):
    """A folder of JSON files, one a question: ``query_id`` and ``retrieved_docids``, in the order they were retrieved.

    A document that was retrieved before is counted and left out. A file by itself is a run of one topic.

    Sample::

        {"query_id": "17", "retrieved_docids": ["d3", "d9"], "status": "completed"}
    """

    format_name: ClassVar[str] = "browsecomp-run"
    role = "run"
    begins: ClassVar[tuple[str, ...]] = ("{",)
    marks: ClassVar[tuple[str, ...]] = ('"retrieved_docids"',)
    shape: ClassVar[str] = '{"query_id": "17", "retrieved_docids": ["d3", "d9"]}'
    json_names: ClassVar[tuple[str, ...]] = ("query_id", "retrieved_docids")

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        return lines[0].lstrip().startswith("{") and '"retrieved_docids"' in "".join(lines)

    @classmethod
    def sniff_folder(cls, path: str) -> bool:
        first = next(members(path, lambda name: name.endswith((".json", ".json.gz"))), None)
        return first is not None and b'"retrieved_docids"' in read_whole(first)

    @classmethod
    def records(cls, path: str, problems: Problems) -> Rows:
        known: dict[str, str] = {}
        for file in _files(path):
            own = problems if file == path else Problems(file, problems.strict, problems.limit, problems.found)
            value, source = load(file, own)
            if value is None or not _is_answer(value, own):
                continue
            topic, line = str(value["query_id"]), source.line_of(value["query_id"], "query_id")
            if topic in known:
                problems.report(f"{file} and {known[topic]} both have query_id {topic}", remedy="keep one of them")
                continue
            known[topic] = file
            found = [str(name) for name in value["retrieved_docids"]]
            once = dict.fromkeys(found)
            if len(once) < len(found):
                problems.count("documents retrieved again, skipped", len(found) - len(once))
            for rank, name in enumerate(once, start=1):
                yield line, topic, {"topic": topic, "doc": name, "rank": rank}
            if not once:
                yield line, topic, {"topic": topic, "results": []}


def _files(path: str) -> list[str]:
    if not os.path.isdir(path):
        return [path]
    found = list(members(path, lambda name: name.endswith((".json", ".json.gz"))))
    if not found:
        raise InputError("holds no file that ends in .json", path=path)
    return found


def _is_answer(value: Any, problems: Problems) -> bool:
    ids = value.get("retrieved_docids") if isinstance(value, dict) else None
    good = isinstance(ids, list) and all(isinstance(one, (str, int)) and not isinstance(one, bool) for one in ids)
    if good and isinstance(value.get("query_id"), (str, int)):
        return True
    problems.report("needs query_id and retrieved_docids", 1, remedy=f"files are like {BrowseCompRun.shape}")
    return False
