"""Dictionaries of topics to documents to numbers, as MTEB, BEIR, pytrec_eval and ranx write them to JSON."""

from __future__ import annotations

import re
from typing import Any, ClassVar

from berrypick.data.assemble import in_trec_order
from berrypick.data.run import Run
from berrypick.files.json_files import JsonSource, from_first_filled, load
from berrypick.formats._records import RunRecords, TruthRecords
from berrypick.formats.base import Problems
from berrypick.rows.json_lines import Rows, are_span_names, place_of_name

_NAME = r'"(?:[^"\\]|\\.)*"\s*:\s*'
_LOOKS = re.compile(rf"\{{\s*(?:{_NAME}\{{\s*){{1,3}}(?={_NAME}-?\d)")
#: A document with its number; what may follow the last one of a topic.
_PAIR = re.compile(rf"{_NAME}-?\d[\d.eE+-]*\s*(,\s*|\}}|\Z)")
#: ``responses`` is the list of a report.
_NEXT = re.compile(rf'\s*(?:,\s*(?!"responses"){_NAME}(?:\{{|\[\s*\])|\}}|\Z)')
#: The first lines of a file are cut at this length, or later.
_CUT = 1 << 16
#: Names beside the topics, in files of MTEB.
_ABOUT = ("mteb_model_meta", "model_meta")


class TopicDictionaryTruth(TruthRecords):
    """Judgements as one JSON object of topics, documents and grades, as MTEB, BEIR, pytrec_eval and ranx have them.

    Documents that are all called ``document#start-end`` are spans. Around the topics there may be one subset and one
    split, as in MTEB's files.

    Sample::

        {"q1": {"berries": 2, "hedges": 0}, "q2": {"garden": 1}}
    """

    format_name: ClassVar[str] = "topic-dictionary"
    role = "truth"
    begins: ClassVar[tuple[str, ...]] = ("{",)
    aliases: ClassVar[tuple[str, ...]] = ("mteb-qrels",)
    shape: ClassVar[str] = '{"q1": {"berries": 2, "hedges": 0}}'

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        return _looks(lines)

    @classmethod
    def records(cls, path: str, problems: Problems) -> Rows:
        return _rows(path, problems, "grade")


class TopicDictionaryRun(RunRecords):
    """A run as one JSON object of topics, documents and scores, as MTEB, BEIR, pytrec_eval and ranx have them.

    Documents as in topic-dictionary. They are ordered by score, largest first; equal scores as in a TREC run, spans as
    they stand in the file.

    Sample::

        {"q1": {"berries": 7.1, "hedges": 6.4}, "q2": {"garden": 3.0}}
    """

    format_name: ClassVar[str] = "topic-dictionary-run"
    role = "run"
    begins: ClassVar[tuple[str, ...]] = ("{",)
    before: ClassVar[tuple[str, ...]] = ("trec-run",)
    aliases: ClassVar[tuple[str, ...]] = ("mteb-run",)
    shape: ClassVar[str] = '{"q1": {"berries": 7.1, "hedges": 6.4}}'

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        return _looks(lines)

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Run:
        run: Run = super().read(path, problems)
        if run.start is None and run.score is not None:
            run = in_trec_order(run)
        return run.changed(disordered=0)  # a dictionary of scores has no other order

    @classmethod
    def records(cls, path: str, problems: Problems) -> Rows:
        return _rows(path, problems, "score")


def _looks(lines: list[str]) -> bool:
    text = from_first_filled("\n".join(lines).lstrip("\ufeff \t\n"))
    named = text.startswith("{") and f'"{_ABOUT[0]}"' in text
    return (named or _begins_with_numbers(text)) and '"hits"' not in text


def _begins_with_numbers(text: str) -> bool:
    """Whether the first topic holds nothing but documents and numbers, and another topic or the end follows."""
    begin = _LOOKS.match(text)
    at = begin.end() if begin else -1
    while begin and (pair := _PAIR.match(text, at)):
        at = pair.end()
        if not pair[1].startswith(","):
            return _NEXT.match(text, at) is not None
    return begin is not None and len(text) >= _CUT and len(text) - at < 1000  # the last pair is cut


def _rows(path: str, problems: Problems, number: str) -> Rows:
    value, source = load(path, problems)
    if value is None:
        return
    topics = _topics(value, source, problems)
    spans = are_span_names([str(name) for found in topics.values() for name in found])
    for topic, found in topics.items():
        line = source.line_of(topic)
        source.skip()
        if not found and number == "score":
            yield line, topic, {"topic": topic, "results": []}
        for name, amount in found.items():
            yield line, topic, {"topic": topic, **place_of_name(name, spans), number: amount}


def _topics(value: Any, source: JsonSource, problems: Problems) -> dict[str, dict[str, Any]]:
    """Topics to documents; below one subset and one split if there are such."""
    while isinstance(value, dict):
        value = {name: {} if found == [] else found for name, found in value.items() if name not in _ABOUT}
        if not all(isinstance(found, dict) for found in value.values()):
            break
        if not any(isinstance(inner, dict) for found in value.values() for inner in found.values()):
            return value
        if len(value) != 1:
            problems.report(
                f"has {len(value)} subsets or splits: {', '.join(value)}"[:200], 1, remedy="keep one of them"
            )
            return {}
        value = next(iter(value.values()))
    problems.report("is not a dictionary of topics to documents to numbers", source.line)
    return {}
