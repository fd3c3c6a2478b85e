"""What measures that compare with a searched ideal list share: the parameters of the search, and what it proved."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

from berrypick.data.errors import UsageError
from berrypick.data.parameters import above_zero, one_or_more, parameter, zero_or_more
from berrypick.ideal.best_list import GAP

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from berrypick.measures._searches.measure_search import ListSearch

S = TypeVar("S", bound="DataclassInstance")
NormName = Literal["product", "bounded"]


def gap_parameter() -> Any:
    return zero_or_more(
        None, "certified: relative distance from the bound above which a note reports it; 0.05 by default"
    )


def nodes_parameter(of: str) -> Any:
    examined = f"certified: number of candidate sets to examine for each {of}"
    return one_or_more(None, f"{examined}; by default about a second's work")


def seconds_parameter(of: str) -> Any:
    return above_zero(
        None, f"certified: end the search for a {of} after this many seconds; values may then differ between machines"
    )


def norm_parameter() -> Any:
    return parameter(
        "product", "product|bounded", "the papers' product of expectations, or division by the value of the best list"
    )


class Searched(Protocol):
    """A measure with the parameters of a search."""

    @property
    def ideal(self) -> str: ...
    @property
    def norm(self) -> NormName: ...
    @property
    def gap(self) -> float | None: ...
    @property
    def nodes(self) -> int | None: ...
    @property
    def seconds(self) -> float | None: ...


class Certificate(Protocol):
    """What a search proved about some lists."""

    @property
    def gap(self) -> float: ...
    @property
    def stopped(self) -> bool: ...
    @property
    def with_run(self) -> bool: ...


def check_search(measure: Searched, needed: str) -> None:
    """Parameters that do not go together."""
    name = type(measure).__name__
    if measure.norm == "bounded" and measure.ideal == "targets":
        raise UsageError(f"{name}(norm='bounded') compares with the best list; it needs ideal={needed}")
    if measure.ideal != "certified" and (measure.gap, measure.nodes, measure.seconds) != (None, None, None):
        raise UsageError(f"{name} takes gap=, nodes= and seconds= with ideal='certified' only")


def certified(measure: S, nodes: int | None, seconds: float | None) -> S:
    """Return the measure with the best list searched for, as long as was said, or else as the measure says."""
    said = {"nodes": nodes, "seconds": seconds}
    return replace(measure, ideal="certified", **{name: one for name, one in said.items() if one is not None})


def search_of(measure: Searched) -> ListSearch:
    """The search for lists that a measure asks for."""
    from berrypick.measures._searches.measure_search import ListSearch

    return ListSearch(measure.nodes, measure.seconds)


def signed_search(measure: Searched, certificates: Iterable[Certificate]) -> tuple[tuple[str, str], ...]:
    """For the signature: how many sets were examined, the largest gap, what the bound holds for."""
    made = list(certificates)
    if measure.ideal not in ("exact", "certified") or not made:
        return ()
    found: list[tuple[str, str]] = []
    if measure.ideal == "certified":
        if measure.nodes is None:
            found.append(("nodes", "auto"))
        found.append(("gap", at_most(max(one.gap for one in made))))
        if any(one.stopped for one in made):
            found.append(("stopped", "seconds"))
    if measure.norm == "bounded":
        found.append(("bounded", "candidates+run" if any(one.with_run for one in made) else "candidates"))
    return tuple(found)


def gap_notes(measure: Searched, certificates: Iterable[Certificate]) -> tuple[str, ...]:
    gap = max((one.gap for one in certificates), default=0.0)
    if gap <= (GAP if measure.gap is None else measure.gap):
        return ()
    share = at_most(gap).removeprefix("<=")
    return (
        f"the ideal list is not proven to be the best: another may be better by up to {share} of its value; nodes= "
        "searches longer",
    )


def at_most(gap: float) -> str:
    """A gap in few words, so that signatures of many topics stay short."""
    if gap <= 1e-9:
        return "0"
    return next((f"<={step:g}" for step in (0.001, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10) if gap <= step), ">10")
