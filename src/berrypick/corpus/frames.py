"""Runs and truths from data frames: pandas, polars, Arrow, whatever narwhals can read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from os import PathLike
from typing import Any

from berrypick.core.errors import InputError, UsageError, nearest
from berrypick.core.run import Run
from berrypick.core.truth import Truth
from berrypick.corpus.objects import run_of_rows
from berrypick.corpus.texts import Texts
from berrypick.formats.base import Problems
from berrypick.formats.span_truth import SpanTruth

OF_RUNS = ("topic", "doc", "start", "end", "rank", "score", "text")
OF_TRUTHS = ("topic", "doc", "start", "end", "grade", "quote", "offsets")
WHERE = "data frame"


def run_from_frame(
    frame: Any,
    *,
    tag: str = "",
    columns: Mapping[str, str] | None = None,
    documents: Texts | Mapping[str, str] | str | PathLike[str] | None = None,
    quotes: str | None = None,
) -> Run:
    """A run from a data frame with columns topic, doc, start, end, and perhaps rank or score.

    ``columns`` tells other names, e.g. ``{"topic": "query_id", "doc": "source"}``. Without start and end, a column
    ``text`` is looked up in the documents. What the columns mean is told by the format span-run.
    """
    rows = list(_rows(frame, columns or {}, OF_RUNS, ("topic",) if documents is not None else ("topic", "doc")))
    return run_of_rows(rows, tag, documents, quotes, WHERE)


def truth_from_frame(frame: Any, *, columns: Mapping[str, str] | None = None) -> Truth:
    """A truth from a data frame with columns topic, doc, start, end, and perhaps grade; or quote for the offsets."""
    rows = _rows(frame, columns or {}, OF_TRUTHS, ("topic",))
    return replace(SpanTruth.from_records(rows, Problems(WHERE), WHERE), source="")


def _rows(
    frame: Any, columns: Mapping[str, str], known: tuple[str, ...], needed: tuple[str, ...]
) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """Every row with our names, values as Python has them, missing ones left out; rows count from 1."""
    table = _table(frame)
    for ours in columns:
        if ours not in known:
            raise UsageError(f"columns: {ours} is none of {', '.join(known)}{nearest(ours, list(known))}")
    names = {ours: columns.get(ours, ours) for ours in known}
    for ours, theirs in names.items():
        if theirs not in table and (ours in needed or ours in columns):
            raise InputError(
                f"the data frame has no column {theirs}{nearest(theirs, list(table))}",
                remedy=f"it has {', '.join(table)}; columns={{'{ours}': ...}} names another one",
            )
    used = {ours: table[theirs] for ours, theirs in names.items() if theirs in table}
    for number, cells in enumerate(zip(*used.values(), strict=True), start=1):
        fields = {name: _plain(cell) for name, cell in zip(used, cells, strict=True)}
        present = {name: value for name, value in fields.items() if value is not None}
        yield number, str(present), present


def _table(frame: Any) -> dict[str, list[Any]]:
    """Column to values, by narwhals."""
    try:
        import narwhals.stable.v1 as narwhals
    except ModuleNotFoundError:
        raise UsageError("data frames need narwhals: pip install 'berrypick[chunks]'") from None
    try:
        native = narwhals.from_native(frame)
    except TypeError:
        raise UsageError(f"{type(frame).__name__} is no data frame that narwhals knows") from None
    eager: Any = native.collect() if isinstance(native, narwhals.LazyFrame) else native
    return {name: eager[name].to_list() for name in eager.columns}


def _plain(value: Any) -> Any:
    """Numbers of NumPy as Python's; what is not a number, or missing, as None."""
    if value is None or value is getattr(_pandas(), "NA", None):
        return None
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float):
        if value != value:
            return None
        return int(value) if value.is_integer() else value
    return value


def _pandas() -> Any:
    """pandas, if somebody has loaded it: then its NA may occur."""
    import sys

    return sys.modules.get("pandas")
