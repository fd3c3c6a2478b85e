"""Moments of videos for a query, as QVHighlights keeps them: the truth, and what a system predicts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar

from berrypick.core.truth import Truth
from berrypick.formats.base import Problems
from berrypick.formats.document_lengths import add_length
from berrypick.formats.io.json_lines import Fields, Rows, records
from berrypick.formats.io.records import RunRecords, TruthRecords
from berrypick.formats.span_truth import SpanTruth


class QVHighlightsTruth(TruthRecords):
    """Moments of QVHighlights, one JSON object per line: ``qid``, ``vid``, ``duration``, ``relevant_windows``.

    A window is a list of start and end in seconds. The topic is ``qid``, the document ``vid``; ``duration`` is its
    length. Saliency scores are not read. ``spanHit(iou=.5)@1`` is R1@0.5, ``spanAP(iou='0.5:0.95')`` the mean AP.

    Sample::

        {"qid": 1, "query": "A berry is picked.", "duration": 150, "vid": "garden", "relevant_windows": [[10, 24]]}
        {"qid": 2, "query": "It rains.", "duration": 150, "vid": "hedge", "relevant_windows": [[0, 6], [80, 94]]}
    """

    format_name: ClassVar[str] = "qvhighlights"
    positions = "seconds"
    shape: ClassVar[str] = '{"qid": 1, "vid": "garden", "duration": 150, "relevant_windows": [[10, 24]]}'
    json_names: ClassVar[tuple[str, ...]] = ("qid", "query", "vid", "duration", "relevant_windows")

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        first = lines[0].lstrip()
        return first.startswith("{") and '"qid"' in first and '"relevant_windows"' in first

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Truth:
        lengths: dict[str, float] = {}
        truth = SpanTruth.from_records(_moments(path, problems, lengths), problems, path)
        return replace(truth, format=cls.format_name, lengths=lengths)


class QVHighlightsRun(RunRecords):
    """Predicted moments of QVHighlights, one JSON object per line: ``qid``, ``vid``, ``pred_relevant_windows``.

    A window is a list of start, end (in seconds) and score. They are ordered by score, largest first.

    Sample::

        {"qid": 1, "vid": "garden", "pred_relevant_windows": [[8.0, 22.0, 0.91], [100.0, 120.0, 0.2]]}
        {"qid": 2, "vid": "hedge", "pred_relevant_windows": [[0.0, 8.0, 0.5]]}
    """

    format_name: ClassVar[str] = "qvhighlights-run"
    positions = "seconds"
    shape: ClassVar[str] = '{"qid": 1, "vid": "garden", "pred_relevant_windows": [[8.0, 22.0, 0.91]]}'
    json_names: ClassVar[tuple[str, ...]] = ("qid", "query", "vid", "pred_relevant_windows", "pred_saliency_scores")

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        first = lines[0].lstrip()
        return first.startswith("{") and '"qid"' in first and '"pred_relevant_windows"' in first

    @classmethod
    def records(cls, path: str, problems: Problems) -> Rows:
        for number, text, names, windows in _windows(path, problems, "pred_relevant_windows", (2, 3)):
            del names["length"], names["question"]
            if not windows:
                yield number, text, {"topic": names["topic"], "results": []}
            for window in windows:
                score = {"score": window[2]} if len(window) == 3 else {}
                yield number, text, {**names, "start": window[0], "end": window[1], **score}


def _windows(
    path: str, problems: Problems, name: str, sizes: tuple[int, ...]
) -> Iterator[tuple[int, str, dict[str, Any], list[list[Any]]]]:
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
        yield number, text, {**names, "length": value.get("duration")}, windows


def _moments(path: str, problems: Problems, lengths: dict[str, float]) -> Rows:
    for number, text, names, windows in _windows(path, problems, "relevant_windows", (2,)):
        length = Fields(number, text, {"duration": names.pop("length")}, problems).number_of("duration")
        if length is not None:
            add_length(lengths, str(names["doc"]), float(length), number, text, problems)
        if not windows:
            yield number, text, {**names, "grade": 0}
        for start, end in windows:
            yield number, text, {**names, "start": start, "end": end}
