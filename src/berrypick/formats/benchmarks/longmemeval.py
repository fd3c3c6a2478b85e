"""Questions about chat histories with the turns that answer them, and what a memory retrieves: LongMemEval."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar

from berrypick.formats._records import RunRecords, TruthRecords
from berrypick.formats.base import Problems
from berrypick.formats.benchmarks._evidence_rows import Place, entries, identified, in_row, place, ranked
from berrypick.rows.json_lines import Rows

#: How ids of questions end whose answer is nowhere in the history.
_ABSTENTION = "_abs"
#: How the benchmark's own program renames sessions and turns without evidence, and what it calls the others.
_RENAMED, _EVIDENCE = "noans", "answer"
_TURN = re.compile(r"(.+)_([1-9]\d{0,8})")


class LongMemEvalTruth(TruthRecords):
    """Questions of LongMemEval, a JSON list: ``question_id``, ``haystack_sessions``, ``answer_session_ids``.

    The document is a session, and positions count its turns, of the user and of the assistant, from 0. Turns with
    ``has_answer`` are relevant, all of them together; a session of ``answer_session_ids`` without such a turn is
    relevant as a whole. Questions whose id ends in ``_abs`` are topics without an answer. ``question_type`` is a field
    of the topic. The retrieval logs of the benchmark's program (lines of JSON) are read as well.

    Sample::

        [{"question_id": "q7", "question_type": "multi-session", "question": "What set?",
          "answer_session_ids": ["answer_1"], "haystack_session_ids": ["s5", "answer_1"],
          "haystack_sessions": [[{"role": "user", "content": "Hello."}],
                                [{"role": "user", "content": "The jam set.", "has_answer": true}]]}]
    """

    format_name: ClassVar[str] = "longmemeval"
    role = "truth"
    begins: ClassVar[tuple[str, ...]] = ("[", "{")
    marks: ClassVar[tuple[str, ...]] = ('"haystack_session_ids"',)
    shape: ClassVar[str] = '[{"question_id": "q7", "answer_session_ids": ["s1"], "haystack_session_ids": ["s1"], ...}]'
    json_names: ClassVar[tuple[str, ...]] = (
        "question_id", "question_type", "answer_session_ids", "haystack_session_ids", "haystack_sessions"
    )  # fmt: skip

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        return _looks(lines, "answer_session_ids")

    @classmethod
    def records(cls, path: str, problems: Problems) -> Rows:
        for number, text, value in entries(path, problems, "question_id"):
            sessions = _sessions(value, number, text, problems)
            wanted = value.get("answer_session_ids")
            if sessions is None:
                continue
            if not isinstance(wanted, list) or not all(isinstance(one, str) for one in wanted):
                problems.report("answer_session_ids must be a list of sessions", number, text)
                continue
            about = {"topic": value["question_id"], "question": value.get("question")}
            about |= {"question_type": value["question_type"]} if isinstance(value.get("question_type"), str) else {}
            if str(value["question_id"]).endswith(_ABSTENTION):
                yield number, text, {**about, "answer": None}
                continue
            absent = next((one for one in wanted if one not in sessions), None)
            if absent is not None:
                what = f"the answer is in session {absent!r:.60}, which is not in the history"
                problems.report(what, number, text, "haystack_session_ids has all sessions")
                continue
            rows = [where for one in dict.fromkeys(wanted) for where in _marked(one, sessions[one], problems)]
            if not rows:
                problems.count("questions without evidence, not judged")
                yield number, text, {**about, "judged": False}
            for where in rows:
                yield number, text, {**about, **in_row(where)}


class LongMemEvalRun(RunRecords):
    """Retrieval logs of LongMemEval, lines of JSON or a list: ``question_id``, ``retrieval_results``, the history.

    ``ranked_items`` has for each result a ``corpus_id``: a session, or a session and the number of a turn from 1
    (``answer_1_3``). A session is all of its turns; topics, documents and positions as in longmemeval. Names that the
    benchmark's program gave to sessions and turns without evidence (``noans`` for ``answer``) are undone.

    Sample::

        [{"question_id": "q7", "haystack_session_ids": ["s5", "answer_1"], "haystack_sessions": [[{}], [{}, {}]],
          "retrieval_results": {"query": "What set?", "ranked_items": [{"corpus_id": "answer_1_1"}]}}]
    """

    format_name: ClassVar[str] = "longmemeval-run"
    role = "run"
    begins: ClassVar[tuple[str, ...]] = ("[", "{")
    marks: ClassVar[tuple[str, ...]] = ('"haystack_session_ids"',)
    shape: ClassVar[str] = '{"question_id": "q7", "retrieval_results": {"ranked_items": [{"corpus_id": "s1"}]}, ...}'
    json_names: ClassVar[tuple[str, ...]] = ("question_id", "retrieval_results", "ranked_items", "corpus_id")

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        return _looks(lines, "ranked_items")

    @classmethod
    def records(cls, path: str, problems: Problems) -> Rows:
        for number, text, value in entries(path, problems, "question_id"):
            sessions = _sessions(value, number, text, problems)
            results = value.get("retrieval_results")
            items = results.get("ranked_items") if isinstance(results, Mapping) else None
            if sessions is None:
                continue
            if not isinstance(items, list) or not all(isinstance(one, Mapping) for one in items):
                problems.report("retrieval_results must have ranked_items, a list of objects", number, text)
                continue
            places: list[Place] = []
            for one in items:
                where = _retrieved(one.get("corpus_id"), sessions)
                if where is None:
                    what = f"{one.get('corpus_id')!r:.60} is neither a session nor a turn of the history"
                    problems.report(what, number, text, "haystack_session_ids has all sessions")
                    break
                places.append(where)
            else:
                yield from ranked(number, text, value["question_id"], places)


def _looks(lines: list[str], name: str) -> bool:
    text = "\n".join(lines)
    known = all(f'"{one}"' in text for one in ("question_id", "haystack_session_ids"))
    return text.lstrip("\ufeff \t\n")[:1] in ("[", "{") and known and (f'"{name}"' in text or len(text) > 1 << 16)


def _sessions(
    value: Mapping[str, Any], number: int, text: str, problems: Problems
) -> dict[str, list[Mapping[str, Any]]] | None:
    """The sessions of a history by name, each with its turns; None and a problem if something is wrong with them."""
    if not identified(value, "question_id", number, text, problems):
        return None
    names, sessions = value.get("haystack_session_ids"), value.get("haystack_sessions")
    if not isinstance(names, list) or not isinstance(sessions, list) or len(names) != len(sessions):
        problems.report("haystack_session_ids and haystack_sessions must be lists of one length", number, text)
        return None
    if not all(isinstance(name, str) and name for name in names):
        problems.report("haystack_session_ids must be texts", number, text)
        return None
    if not all(isinstance(turns, list) and all(isinstance(one, Mapping) for one in turns) for turns in sessions):
        problems.report("haystack_sessions must be lists of turns", number, text)
        return None
    return dict(zip(names, sessions, strict=True))


def _marked(name: str, turns: list[Mapping[str, Any]], problems: Problems) -> list[Place]:
    """The turns of a session that have the answer; the whole session if none is marked."""
    found = [place(name, i) for i, turn in enumerate(turns) if turn.get("has_answer") is True]
    if found or not turns:
        return found
    problems.count("sessions with the answer in no marked turn, relevant as a whole")
    return [(name, 0, len(turns))]


def _retrieved(given: Any, sessions: Mapping[str, list[Mapping[str, Any]]]) -> Place | None:
    """What a name of a result means: a session, or a turn of one."""
    if not isinstance(given, str):
        return None
    for name in (given, given.replace(_RENAMED, _EVIDENCE)):
        if name in sessions:
            return name, 0, len(sessions[name])
        turn = _TURN.fullmatch(name)
        if turn and turn[1] in sessions and int(turn[2]) <= len(sessions[turn[1]]):
            return place(turn[1], int(turn[2]) - 1)
    return None
