"""Moments of videos for a query, as QVHighlights keeps them: the truth, and what a system predicts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from berrypick.data.arrays import FloatArray
from berrypick.data.run import Run
from berrypick.data.saliency import CLIP, SALIENCY
from berrypick.data.truth import Truth
from berrypick.formats._records import RunRecords, TruthRecords, one_entry_each
from berrypick.formats.base import Problems
from berrypick.formats.navigation.document_lengths import add_length
from berrypick.formats.video._moment_rows import is_number
from berrypick.rows.json_lines import Fields, Rows, records
from berrypick.rows.run_rows import run_of_rows
from berrypick.rows.truth_rows import truth_of_rows

#: A video of so many seconds is none: its clips would not fit into memory.
LONGEST = 1e6


class QVHighlightsTruth(TruthRecords):
    """Moments of QVHighlights, one JSON object per line: ``qid``, ``vid``, ``duration``, ``relevant_windows``.

    A window is a list of start and end in seconds. The topic is ``qid``, the document ``vid``; ``duration`` is its
    length. ``relevant_clip_ids`` and ``saliency_scores`` (for each of these clips of 2 seconds what annotators say, 0
    to 4) are read for highlights, where every line has them. ``spanHit(iou=.5)@1`` is R1@0.5,
    ``spanAP(iou='0.5:0.95')`` the mean AP; protocol qvhighlights computes all that the official program prints.

    Sample::

        {"qid": 1, "query": "A berry is picked.", "duration": 150, "vid": "garden", "relevant_windows": [[10, 24]]}
        {"qid": 2, "query": "It rains.", "duration": 150, "vid": "hedge", "relevant_windows": [[0, 6], [80, 94]]}
    """

    format_name: ClassVar[str] = "qvhighlights"
    role = "truth"
    begins: ClassVar[tuple[str, ...]] = ("{",)
    marks: ClassVar[tuple[str, ...]] = ('"relevant_windows"',)
    positions = "seconds"
    shape: ClassVar[str] = '{"qid": 1, "vid": "garden", "duration": 150, "relevant_windows": [[10, 24]]}'
    json_names: ClassVar[tuple[str, ...]] = ("qid", "query", "vid", "duration", "relevant_windows")
    holds: ClassVar[frozenset[str]] = frozenset({SALIENCY})

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        first = lines[0].lstrip()
        return first.startswith("{") and '"qid"' in first and '"relevant_windows"' in first

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Truth:
        lengths: dict[str, float] = {}
        salient = _Saliency(problems)
        truth = truth_of_rows(_moments(path, problems, lengths, salient), problems, path)
        clips = salient.found()
        topics = {
            name: replace(topic, extra={SALIENCY: clips[name]}) if name in clips else topic
            for name, topic in truth.topics.items()
        }
        return truth.changed(format=cls.format_name, lengths=lengths, topics=topics)


class QVHighlightsRun(RunRecords):
    """Predicted moments of QVHighlights, one JSON object per line: ``qid``, ``vid``, ``pred_relevant_windows``.

    A window is a list of start, end (in seconds) and score. They are ordered by score, largest first.
    ``pred_saliency_scores`` are numbers for the clips of 2 seconds, read where every line has them.

    Sample::

        {"qid": 1, "vid": "garden", "pred_relevant_windows": [[8.0, 22.0, 0.91], [100.0, 120.0, 0.2]]}
        {"qid": 2, "vid": "hedge", "pred_relevant_windows": [[0.0, 8.0, 0.5]]}
    """

    format_name: ClassVar[str] = "qvhighlights-run"
    role = "run"
    begins: ClassVar[tuple[str, ...]] = ("{",)
    marks: ClassVar[tuple[str, ...]] = ('"pred_relevant_windows"',)
    positions = "seconds"
    shape: ClassVar[str] = '{"qid": 1, "vid": "garden", "pred_relevant_windows": [[8.0, 22.0, 0.91]]}'
    json_names: ClassVar[tuple[str, ...]] = ("qid", "query", "vid", "pred_relevant_windows", "pred_saliency_scores")

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        first = lines[0].lstrip()
        return first.startswith("{") and '"qid"' in first and '"pred_relevant_windows"' in first

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Run:
        salient = _Saliency(problems)
        run = run_of_rows(one_entry_each(_predicted(path, problems, salient), problems), problems, path)
        clips = salient.found()
        return run.changed(format=cls.format_name, extra={SALIENCY: clips} if clips else {})


def _predicted(path: str, problems: Problems, salient: _Saliency) -> Rows:
    for number, text, value, names, windows in _windows(path, problems, "pred_relevant_windows", (2, 3)):
        if salient.predicted(Fields(number, text, value, problems)):
            del names["length"], names["question"]
            if not windows:
                yield number, text, {"topic": names["topic"], "results": []}
            for window in windows:
                score = {"score": window[2]} if len(window) == 3 else {}
                yield number, text, {**names, "start": window[0], "end": window[1], **score}


class _Saliency:
    """What lines say of clips: all of them, or none."""

    def __init__(self, problems: Problems) -> None:
        self._problems = problems
        self._bare = 0
        self._held: dict[str, FloatArray] = {}

    def found(self) -> dict[str, FloatArray]:
        """Return what is said of the clips of each topic; nothing where some lines say nothing."""
        if self._held and self._bare:
            self._problems.count("lines have no clips, although others do: highlights are ignored", self._bare)
        return {} if self._bare else self._held

    def _is_said(self, fields: Fields, *names: str) -> bool:
        said = all(fields.value.get(name) is not None for name in names)
        self._bare += not said
        return said

    def _keep(self, fields: Fields, found: FloatArray) -> None:
        topic = fields.name("qid")
        if topic in self._held:
            fields.fail(f"topic {topic} has {SALIENCY} twice", "keep one of the two lines")
        self._held[topic] = found

    def predicted(self, fields: Fields) -> bool:
        """Read the scores of a run; say whether nothing is wrong with them."""
        if self._is_said(fields, "pred_saliency_scores"):
            scores = fields.value["pred_saliency_scores"]
            if not isinstance(scores, list) or not all(map(is_number, scores)):
                fields.fail("pred_saliency_scores must be a list of numbers")
            else:
                self._keep(fields, np.array(scores, dtype=np.float64))
        return fields.good

    def judged(self, fields: Fields) -> bool:
        """Read what annotators say of the clips of a video; say whether nothing is wrong with it."""
        if self._is_said(fields, "relevant_clip_ids", "saliency_scores"):
            found = _salient_clips(fields)
            if found is not None:
                self._keep(fields, found)
        return fields.good


def _salient_clips(fields: Fields) -> FloatArray | None:
    """clips x annotators: 0 where nothing is said."""
    ids, scores = fields.value["relevant_clip_ids"], fields.value["saliency_scores"]
    length: Any = fields.value.get("duration")
    if not is_number(length) or not 0 < length < LONGEST:
        fields.fail("saliency_scores need the duration of the video in seconds")
        return None
    clips = int(length / CLIP)
    if not isinstance(ids, list) or not all(type(one) is int and 0 <= one < clips for one in ids):
        fields.fail(f"relevant_clip_ids must be a list of clips, from 0 to {clips - 1} in {length:g} seconds")
        return None
    rows = scores if isinstance(scores, list) and all(isinstance(one, list) for one in scores) else [[]]
    widths = {len(one) for one in rows} or {3}
    good = len(widths) == 1 and 0 not in widths and all(is_number(n) and 0 <= n <= 4 for one in rows for n in one)
    if not good or len(rows) != len(ids) or len(set(ids)) != len(ids):
        fields.fail("saliency_scores must hold, for each clip of relevant_clip_ids, a number from 0 to 4 per annotator")
        return None
    found = np.zeros((clips, widths.pop()))
    found[ids] = np.array(rows, dtype=np.float64).reshape(len(ids), -1) if ids else 0
    return found


def _windows(
    path: str, problems: Problems, name: str, sizes: tuple[int, ...]
) -> Iterator[tuple[int, str, dict[str, Any], dict[str, Any], list[list[Any]]]]:
    """Every line with its windows, each of so many numbers."""
    for number, text, value in records(path, problems):
        windows = value.get(name)
        if not isinstance(windows, list) or not all(isinstance(w, list) and len(w) in sizes for w in windows):
            expected = " or ".join(map(str, sizes))
            problems.report(f"{name} must be a list of lists of {expected} numbers", number, text)
            continue
        if any(isinstance(n, bool) or not isinstance(n, (int, float)) for window in windows for n in window):
            problems.report(f"{name} has something else than numbers", number, text)
            continue
        names = {"topic": value.get("qid"), "doc": value.get("vid"), "question": value.get("query")}
        yield number, text, value, {**names, "length": value.get("duration")}, windows


def _moments(path: str, problems: Problems, lengths: dict[str, float], salient: _Saliency) -> Rows:
    for number, text, value, names, windows in _windows(path, problems, "relevant_windows", (2,)):
        if not salient.judged(Fields(number, text, value, problems)):
            continue
        length = Fields(number, text, {"duration": names.pop("length")}, problems).number_of("duration")
        if length is not None:
            add_length(lengths, str(names["doc"]), float(length), number, text, problems)
        if not windows:
            yield number, text, {**names, "grade": 0}
        for start, end in windows:
            yield number, text, {**names, "start": start, "end": end}
