"""Questions about long conversations with the turns that answer them, and what a memory retrieves: LoCoMo."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from berrypick.formats._records import RunRecords, TruthRecords
from berrypick.formats.base import Problems
from berrypick.formats.benchmarks._evidence_rows import Place, entries, identified, in_row, place, ranked
from berrypick.rows.json_lines import Rows

#: A turn by its session and its number there, as evidence names it; several may stand in one text.
_TURN = re.compile(r"D:?(\d{1,9}):0*([1-9]\d{0,8})")
_PLAIN = re.compile(r"D\d+:\d+")
_BETWEEN = re.compile(r"[\s;,]*")
#: A session as memories name it.
_SESSION = re.compile(r"(?:session[_ ]?|S)(\d{1,9})", re.IGNORECASE)

#: A question: its line, its topic, its conversation, its object.
_Question = tuple[int, str, str, dict[str, Any]]


class LocomoTruth(TruthRecords):
    """Questions of LoCoMo, a JSON list of conversations with ``sample_id`` and ``qa``, or of questions with both.

    A question has ``evidence``, a list of turns: ``D1:3`` is the third turn of session 1; several may stand in one
    text. The topic is the conversation and the place of the question in it, from 1: ``conv-26/1``. The document is a
    session, ``conv-26/session_1``, and positions count its turns from 0. For a question without evidence nothing is
    judged. What is no turn is counted. ``category`` is a field of the topic.

    Sample::

        [{"sample_id": "talk", "qa": [
          {"question": "When was jam made?", "answer": "May", "evidence": ["D1:3", "D2:1; D2:4"], "category": 1},
          {"question": "Who picked?", "answer": "Both", "evidence": [], "category": 2}]}]
    """

    format_name: ClassVar[str] = "locomo"
    role = "truth"
    begins: ClassVar[tuple[str, ...]] = ("[", "{")
    marks: ClassVar[tuple[str, ...]] = ('"sample_id"',)
    before: ClassVar[tuple[str, ...]] = ("span-truth",)
    shape: ClassVar[str] = '[{"sample_id": "talk", "qa": [{"question": "...", "evidence": ["D1:3"]}]}]'
    json_names: ClassVar[tuple[str, ...]] = ("sample_id", "qa", "question", "evidence", "category", "conversation")

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        return _looks(lines, "evidence")

    @classmethod
    def records(cls, path: str, problems: Problems) -> Rows:
        for number, topic, sample, value in _questions(path, problems):
            asked = str(value.get("question", ""))
            about = {"topic": topic, "question": asked, "category": value.get("category")}
            turns = _evidence(value.get("evidence"), sample, number, asked, problems)
            if turns is None:
                continue
            if not turns:
                problems.count("questions without evidence, not judged")
                yield number, asked, {**about, "judged": False}
            for where in dict.fromkeys(turns):
                yield number, asked, {**about, **in_row(where)}


class LocomoRun(RunRecords):
    """What a memory retrieves for LoCoMo, a JSON list of questions: ``sample_id``, ``question``, ``retrieved_ids``.

    Retrieved are turns (``D1:3``) or whole sessions (``session_1``, ``S1``), the best first. Topics, documents and
    positions as in locomo: the questions are those of the whole file, in its order.

    Sample::

        [{"sample_id": "talk", "question": "When was jam made?", "retrieved_ids": ["session_2", "session_1"]},
         {"sample_id": "talk", "question": "Who picked?", "retrieved_ids": ["session_3"]}]
    """

    format_name: ClassVar[str] = "locomo-run"
    role = "run"
    begins: ClassVar[tuple[str, ...]] = ("[", "{")
    marks: ClassVar[tuple[str, ...]] = ('"retrieved_ids"',)
    before: ClassVar[tuple[str, ...]] = ("result-list", "span-run")
    shape: ClassVar[str] = '[{"sample_id": "talk", "question": "...", "retrieved_ids": ["session_1"]}]'
    json_names: ClassVar[tuple[str, ...]] = ("sample_id", "question", "retrieved_ids", "category")

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        return _looks(lines, "retrieved_ids")

    @classmethod
    def records(cls, path: str, problems: Problems) -> Rows:
        for number, topic, sample, value in _questions(path, problems):
            asked, given = str(value.get("question", "")), value.get("retrieved_ids")
            places = [_retrieved(one, sample) for one in given] if isinstance(given, list) else [None]
            if None in places:
                problems.report("retrieved_ids must be a list of turns (D1:3) or sessions (session_1)", number, asked)
                continue
            yield from ranked(number, asked, topic, [one for one in places if one is not None])


def _looks(lines: list[str], name: str) -> bool:
    text = "\n".join(lines)
    known = all(f'"{one}"' in text for one in ("sample_id", "question", name)) or (
        name == "evidence" and all(f'"{one}"' in text for one in ("sample_id", "session_1", "dia_id"))
    )
    return text.lstrip("\ufeff \t\n")[:1] in ("[", "{") and known


def _questions(path: str, problems: Problems) -> Iterator[_Question]:
    """Every question, of conversations that hold some or as it stands by itself."""
    asked: dict[str, int] = {}
    for number, text, value in entries(path, problems, "sample_id"):
        if not identified(value, "sample_id", number, text, problems):
            continue
        sample = str(value["sample_id"])
        inside = value.get("qa", [value])
        if not isinstance(inside, list) or not all(isinstance(one, Mapping) for one in inside):
            problems.report("qa must be a list of questions", number, text)
            continue
        for one in inside:
            asked[sample] = asked.get(sample, 0) + 1
            yield number, f"{sample}/{asked[sample]}", sample, dict(one)


def _evidence(given: Any, sample: str, number: int, text: str, problems: Problems) -> list[Place] | None:
    """The turns of a question; None and a problem if the evidence is none. What is no turn is counted."""
    if not isinstance(given, list) or not all(isinstance(one, str) for one in given):
        problems.report("evidence must be a list of turns, such as D1:3", number, text)
        return None
    found: list[Place] = []
    for one in given:
        turns = list(_TURN.finditer(one))
        if not _BETWEEN.fullmatch(_TURN.sub("", one)) or not turns:
            problems.count(f"evidence that is not a turn, skipped ({one[:20]!r} in line {number})")
            continue
        if not _PLAIN.fullmatch(one):
            problems.count("evidence not written as D1:3, read as the turns it names")
        found += [place(f"{sample}/session_{int(turn[1])}", int(turn[2]) - 1) for turn in turns]
    return found


def _retrieved(given: Any, sample: str) -> Place | None:
    if not isinstance(given, str):
        return None
    if turn := _TURN.fullmatch(given):
        return place(f"{sample}/session_{int(turn[1])}", int(turn[2]) - 1)
    session = _SESSION.fullmatch(given)
    return (f"{sample}/session_{int(session[1])}", None, None) if session else None
