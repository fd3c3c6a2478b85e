"""Options that were given and that no requested measure reads."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from berrypick.core.errors import Message, option
from berrypick.core.results import Note
from berrypick.evaluation.requested import RequestedMeasure
from berrypick.evaluation.signature import reads_elements, reads_targets

if TYPE_CHECKING:
    from berrypick.evaluation.evaluation import Evaluation

Reads = Callable[[RequestedMeasure, "Evaluation"], bool]


def unread_notes(evaluation: Evaluation) -> list[Note]:
    """A note on each such option, with the measures on which it has no effect."""
    measures, found = evaluation.measures, []
    for name, reads in _READS.items():
        value = getattr(evaluation.options, name)
        if not measures or value in (None, (), "", "rank") or any(reads(one, evaluation) for one in measures):
            continue
        shown = value if isinstance(value, (str, int, float)) else None
        names = ", ".join([one.text for one in measures[:3]] + ["..."] * (len(measures) > 3))
        found.append(Note("no effect", Message(f"{option(name, shown)} has no effect on {names}")))
    return found


def _reads_user(one: RequestedMeasure, evaluation: Evaluation) -> bool:
    return "user" in one.measure.depends_on and one.measure.user_model() is None


def _reads_idealism(one: RequestedMeasure, evaluation: Evaluation) -> bool:
    """Of documents and spans, a grade that is nobody's ideal is no target for any measure, which has a note then."""
    if evaluation.truth.units == "elements":
        return reads_targets(one, evaluation)
    return "idealism" in one.measure.depends_on or any(note.kind == "idealism" for note in evaluation.notes)


def _reads_effort(one: RequestedMeasure, evaluation: Evaluation) -> bool:
    """What effort is counted in also says what positions count, and so what a usual tolerance or a budget is."""
    counts = {"unit", "budget", "every"} & {parameter.name for parameter in one.measure.parameters()}
    return "effort" in one.measure.depends_on or bool(counts) or _has_unit(one, evaluation)


def _has_unit(one: RequestedMeasure, evaluation: Evaluation) -> bool:
    """Whether the reader of a measure counts in a unit of its own."""
    if "user" not in one.measure.depends_on:
        return False
    user = evaluation.contexts[one.text].user
    inner = getattr(user, "inner", None)
    return hasattr(user, "unit") or (inner is not None and hasattr(inner(), "unit"))


#: By option: whether a measure may read it.
_READS: dict[str, Reads] = {
    "user": _reads_user,
    "navigation": lambda one, evaluation: "user" in one.measure.depends_on,
    "chunks": lambda one, evaluation: "chunks" in one.measure.depends_on,
    "ignore_elements": lambda one, evaluation: reads_elements(one, evaluation),
    "ideal_elements": lambda one, evaluation: reads_elements(one, evaluation),
    "idealism": _reads_idealism,
    "effort": _reads_effort,
    "tokenizer": _reads_effort,
    "units": lambda one, evaluation: "units" in one.measure.depends_on,
}
