"""Questions that need several sentences, and what a system predicts: HotpotQA."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar

from berrypick.files.json_files import load
from berrypick.formats._records import RunRecords, TruthRecords
from berrypick.formats.base import Problems
from berrypick.formats.benchmarks._evidence_rows import Place, entries, identified, in_row, place, ranked, whole_number
from berrypick.rows.json_lines import Rows

_PREDICTED = re.compile(r'\s*\{\s*("answer"\s*:\s*\{\s*("(?:[^"\\]|\\.)*"\s*:\s*"|\}\s*,\s*"sp")|"sp"\s*:\s*\{)')
_FACTS = "supporting_facts"


class HotpotTruth(TruthRecords):
    """Questions of HotpotQA, a JSON list: ``_id``, ``question``, ``type``, ``level``, ``supporting_facts``.

    A supporting fact is a title and the number of a sentence from 0. The document is the title, and positions count
    its sentences. All facts together are needed. ``type`` and ``level`` are fields of the topic. Lines of JSON with
    ``id``, and facts as lists ``title`` and ``sent_id``, are read as well, as is 2WikiMultihopQA.

    Sample::

        [{"_id": "q7", "question": "Which fruit?", "type": "bridge", "supporting_facts": [["Jam", 0], ["Bramble", 4]]},
         {"_id": "q8", "question": "Which hedge?", "type": "comparison", "supporting_facts": [["Hedge", 1]]}]
    """

    format_name: ClassVar[str] = "hotpotqa"
    role = "truth"
    begins: ClassVar[tuple[str, ...]] = ("[", "{")
    marks: ClassVar[tuple[str, ...]] = ('"supporting_facts"',)
    before: ClassVar[tuple[str, ...]] = ("span-truth",)
    aliases: ClassVar[tuple[str, ...]] = ("2wikimultihopqa",)
    shape: ClassVar[str] = '[{"_id": "q7", "question": "...", "supporting_facts": [["Title", 0]]}]'
    json_names: ClassVar[tuple[str, ...]] = ("_id", "question", "supporting_facts", "context", "type", "level")

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        text = "\n".join(lines)
        return text.lstrip("\ufeff \t\n")[:1] in ("[", "{") and f'"{_FACTS}"' in text

    @classmethod
    def records(cls, path: str, problems: Problems) -> Rows:
        for number, text, value in entries(path, problems, "_id"):
            name = "_id" if "_id" in value else "id"
            if not identified(value, name, number, text, problems):
                continue
            facts = _facts(value.get(_FACTS), number, text, problems)
            if facts is None:
                continue
            about = {"topic": value[name], "question": value.get("question")}
            about |= {field: value[field] for field in ("type", "level") if isinstance(value.get(field), str)}
            if not facts:
                problems.count("questions without supporting facts, not judged")
                yield number, text, {**about, "judged": False}
            for where in facts:
                yield number, text, {**about, **in_row(where)}


class HotpotRun(RunRecords):
    """Predictions for HotpotQA, one JSON object: ``answer`` and ``sp``, each by question.

    ``sp`` has for each question a list of titles and numbers of sentences, documents and positions as in hotpotqa. Its
    order is that of the results. Answers are not read.

    Sample::

        {"answer": {"q7": "bramble", "q8": "yew"},
         "sp": {"q7": [["Jam", 0], ["Bramble", 2]], "q8": []}}
    """

    format_name: ClassVar[str] = "hotpotqa-run"
    role = "run"
    begins: ClassVar[tuple[str, ...]] = ("{",)
    marks: ClassVar[tuple[str, ...]] = ('"answer"', '"sp"')
    shape: ClassVar[str] = '{"answer": {"q7": "..."}, "sp": {"q7": [["Title", 0]]}}'
    json_names: ClassVar[tuple[str, ...]] = ("answer", "sp")

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        text = "\n".join(lines).lstrip("\ufeff")
        return _PREDICTED.match(text) is not None and ('"sp"' in text or len(text) > 1 << 16)

    @classmethod
    def records(cls, path: str, problems: Problems) -> Rows:
        value, source = load(path, problems)
        if value is None:
            return
        found = value.get("sp") if isinstance(value, Mapping) else None
        if not isinstance(found, Mapping):
            problems.report("sp must be an object of questions", source.line, remedy=f"expected {cls.shape}")
            return
        source.line_of("sp")
        for topic, given in found.items():
            line = source.line_of(topic)
            source.skip()
            facts = _facts(given, line, topic, problems)
            if facts is not None:
                yield from ranked(line, topic, topic, facts)


def _facts(given: Any, number: int, text: str, problems: Problems) -> list[Place] | None:
    """Titles and sentences; None and a problem if something is wrong with one."""
    if isinstance(given, Mapping) and {*given} >= {"title", "sent_id"}:
        titles, sentences = given["title"], given["sent_id"]
        paired = isinstance(titles, list) and isinstance(sentences, list) and len(titles) == len(sentences)
        given = [list(one) for one in zip(titles, sentences, strict=True)] if paired else None
    if not isinstance(given, list) or not all(isinstance(one, list) and len(one) == 2 for one in given):
        problems.report("supporting facts must be a list of [title, number of a sentence]", number, text)
        return None
    places: list[Place] = []
    for title, sentence in given:
        at = whole_number(sentence)
        if not isinstance(title, str) or not title or at is None:
            problems.report("supporting facts must have the text of a title and the number of a sentence", number, text)
            return None
        places.append(place(title, at))
    return places
