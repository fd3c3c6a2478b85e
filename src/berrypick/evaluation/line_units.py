"""Truth and runs whose positions count lines or seconds: what goes with them, and what does not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from berrypick.data.collection import Collection
from berrypick.data.errors import InputError, UsageError, option
from berrypick.data.run import Run
from berrypick.data.truth import Truth
from berrypick.data.words import counted
from berrypick.documents.lazy import OfDocuments
from berrypick.evaluation.options import EvaluationOptions
from berrypick.formats import positions_in
from berrypick.topics.context import JudgingContext

_FIELDS = {"lines": "start_line and end_line", "seconds": "start_time and end_time", "": "start and end"}


class _LineCounts(OfDocuments[float]):
    """How many lines each text has; the last one need not end in a line feed."""

    def __getitem__(self, document: str) -> float:
        text = self._source[document]
        return float(text.count("\n") + (not text.endswith("\n") if text else 0))


def check_lines(truth: Truth, options: EvaluationOptions) -> None:
    """Refuse options that count something else than the lines of a truth."""
    lines = truth.unit == "lines"
    if lines and options.effort in ("chars", "tokens", "seconds"):
        raise UsageError(f"positions count lines: use {option('effort', 'lines')}")
    if options.effort == "lines" and not lines:
        raise UsageError(f"{option('effort', 'lines')} needs a truth with start_line and end_line")
    if lines and options.offsets not in (None, "chars"):
        raise UsageError(f"positions count lines, and {option('offsets', options.offsets)} converts offsets in texts")
    if lines and options.chunks is not None:
        raise UsageError(f"positions count lines, and {option('chunks')} counts characters: omit it")
    seconds = truth.unit == "seconds"
    if seconds and options.effort in ("chars", "tokens"):
        raise UsageError(f"positions count seconds: use {option('effort', 'seconds')}")
    if seconds and options.offsets is not None:
        raise UsageError(f"positions count seconds, and {option('offsets', options.offsets)} is about offsets in texts")
    if seconds and options.chunks is not None:
        raise UsageError(f"positions count seconds, and {option('chunks')} counts characters: omit it")


def counted_unit(unit: str) -> str:
    """The word for what positions count."""
    return unit or "characters"


def check_reader(given: Any, truth: Truth, whole_documents: bool) -> None:
    """Refuse a fitted reader whose distances count something else than the positions of the truth."""
    from berrypick.evaluation.readers import FittedUser

    user = FittedUser.read(given)
    fitted = None if user is None else user.fitted.content.get("unit")
    if fitted is None or user is None:
        return
    judged = "documents" if truth.units == "documents" else counted_unit(truth.unit)
    if fitted == "documents":
        if truth.units == "spans" and not whole_documents:
            what = f"was fitted to sessions that visit documents, but the truth judges {judged}"
            raise InputError(what, path=str(user.fitted), remedy=f"score whole documents: {option('whole_documents')}")
        return
    undeclared = truth.units == "spans" and not truth.unit and not _counts_text(truth)
    if judged != fitted and not (fitted == "seconds" and undeclared):
        what = f"was fitted to distances in {fitted}, but the truth judges {judged}"
        remedy = f"fit a reader to a log that counts {judged}" if judged != "documents" else f"judge {fitted}"
        raise InputError(what, path=str(user.fitted), remedy=remedy)


def in_lines(context: JudgingContext) -> JudgingContext:
    """The texts give lengths in lines, and are shown; nothing in them is looked up by characters."""
    reader = context.reader
    texts = reader.texts
    if texts is None:
        return context
    known = reader.collection if reader.collection is not None else Collection(_LineCounts(texts), texts.source)
    return replace(context, reader=replace(reader, texts=None, tokens=None, collection=known, shown=texts))


def check_unit(run: Run, truth: Truth) -> Run:
    """Refuse a run whose positions count something else than those of the truth; undeclared ones may be seconds."""
    if run.start is None or not run.size() or truth.units != "spans" or truth.unit == run.unit or not _placed(truth):
        return run
    source = run.source or run.tag or "the run"
    if {truth.unit, run.unit} == {"", "seconds"} and not (_counts_text(truth) or _counts_text(run)):
        name = source if not run.unit else truth.source or "the truth"
        return run.changed(notes=(*run.notes, f"{name}: start and end are read as seconds, as in the other file"))
    here, there = (f"{_FIELDS[unit]}, which count {unit or 'characters'}" for unit in (run.unit, truth.unit))
    what = f"the results have {here}, and the truth {there}"
    raise InputError(what, path=source, remedy=f"give {_FIELDS[truth.unit]} in every line of the run")


def _counts_text(side: Truth | Run) -> bool:
    """Whether the positions of a truth or run are known to count characters: by its format, or by texts beside them."""
    if side.unit:
        return False
    said = side.offsets is not None if isinstance(side, Truth) else bool(side.texts.quoted)
    quoted = isinstance(side, Truth) and any(q.has_offsets for one in side.topics.values() for q in one.quotes)
    return said or quoted or positions_in(side.format) == "chars"


def _placed(truth: Truth) -> bool:
    return any(topic.start is not None and len(topic.start) for topic in truth.topics.values())


def near_paths(truth: Truth, run: Run) -> str:
    """A note on judged paths that a run lacks and has with more or fewer folders before them; '' if there are none."""
    known = {*run.documents}
    by_name: dict[str, list[str]] = {}
    for path in run.documents:
        by_name.setdefault(path.rpartition("/")[2], []).append(path)
    judged = dict.fromkeys(name for topic in truth.topics.values() for name in topic.document if name not in known)
    near = [(name, path) for name in judged for path in by_name.get(name.rpartition("/")[2], ())
            if path.endswith(f"/{name}") or name.endswith(f"/{path}")]  # fmt: skip
    if not near:
        return ""
    paths = counted(len({name for name, _ in near}), "judged path")
    return (
        f"{paths} may be a path of the run in another form; they do not match it (truth {near[0][0]}, run {near[0][1]})"
    )
