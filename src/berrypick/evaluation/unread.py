"""Options that were given and that no requested measure reads."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Mapping
from typing import TYPE_CHECKING

from berrypick.data.errors import Message, option
from berrypick.data.results import Note
from berrypick.evaluation.requested import RequestedMeasure
from berrypick.users import UserModel

if TYPE_CHECKING:
    from berrypick.evaluation.evaluation import Evaluation

#: By measure, what its values depend on.
Reads = Mapping[str, Collection[str]]
Asks = Callable[[RequestedMeasure, "Evaluation", Container[str]], bool]


def unread_notes(evaluation: Evaluation, reads: Reads) -> list[Note]:
    """A note on each such option, with the measures on which it has no effect."""
    measures, found = evaluation.measures, []
    for name, asks in _ASKS.items():
        value = getattr(evaluation.options, name)
        if not measures or value in (None, (), "", "rank"):
            continue
        if any(asks(one, evaluation, reads[one.text]) for one in measures):
            continue
        shown = value if isinstance(value, (str, int, float)) else None
        shown_names = ", ".join([one.text for one in measures[:3]] + ["..."] * (len(measures) > 3))
        found.append(Note("no effect", Message(f"{option(name, shown)} has no effect on {shown_names}")))
    return found


def _user(one: RequestedMeasure, evaluation: Evaluation, reads: Container[str]) -> bool:
    return "user" in reads and one.measure.user_model() is None


def _elements(one: RequestedMeasure, evaluation: Evaluation, reads: Container[str]) -> bool:
    """Which elements count, and how assessments of them become gains; entry points are no elements."""
    user = evaluation.contexts[one.text].user
    points = "user" in reads and user.seeks_entry_points and evaluation.truth.has_entry_points
    return "ignore_elements" in reads or (one.measure.reads_targets(user.name()) and not points)


def _idealism(one: RequestedMeasure, evaluation: Evaluation, reads: Container[str]) -> bool:
    """Of documents and spans, a grade that is nobody's ideal is no target for any measure, which has a note then."""
    if evaluation.truth.units == "elements":
        return one.measure.reads_targets(evaluation.contexts[one.text].user.name())
    return "idealism" in reads or any(note.kind == "idealism" for note in evaluation.notes)


def _effort(one: RequestedMeasure, evaluation: Evaluation, reads: Container[str]) -> bool:
    """What effort is counted in also says what positions count, and so what a usual tolerance or a budget is."""
    counts = {"unit", "budget", "every"} & {parameter.name for parameter in one.measure.parameters()}
    return "effort" in reads or bool(counts) or ("user" in reads and _has_unit(evaluation.contexts[one.text].user))


def _has_unit(user: UserModel) -> bool:
    """Whether a reader counts in a unit of its own."""
    inner = getattr(user, "inner", None)
    return hasattr(user, "unit") or (inner is not None and hasattr(inner(), "unit"))


#: By option: whether a measure may read it.
_ASKS: dict[str, Asks] = {
    "user": _user,
    "navigation": lambda one, evaluation, reads: "user" in reads,
    "chunks": lambda one, evaluation, reads: "chunks" in reads,
    "ignore_elements": _elements,
    "ideal_elements": _elements,
    "idealism": _idealism,
    "effort": _effort,
    "tokenizer": _effort,
    "units": lambda one, evaluation, reads: "units" in reads,
    "missing": lambda one, evaluation, reads: "missing" in reads,
}
