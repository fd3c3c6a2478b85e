"""The laws that measures declare: what a value must not depend on, and in which direction it moves."""

from __future__ import annotations

#: What each law says of a value. Names of laws are class facts of measures.
LAWS: dict[str, str] = {
    "truth-order": "does not depend on the order of the truth's lines",
    "tie-order": "does not depend on the order of the run's lines within ties",
    "document-names": "does not depend on the names of documents, where results keep their order",
    "topic-names": "does not depend on the names of topics",
    "score-scale": "does not depend on the scale of scores, where results keep their order",
    "split-span": "stays where a relevant span, or a result within its list item, is split into two that touch",
    "junk-after-cut": "does not depend on results behind the cut-off after @",
    "kernels": "is the same with compiled and with NumPy kernels",
    "jobs": "is the same in one process and in several",
    "carrier": "is the same for every format and Python object that holds the same truth or run",
    "relevant-added": "gets no worse where a relevant result that the list lacks is added at its end",
    "reach-raised": "gets no worse where a result leads to a target with a larger probability",
}
#: What holds for every measure that says nothing else. A law that a measure gives no occasion for (a cut-off that it
#: does not have, a reach that it does not read) is not tried.
USUAL = tuple(name for name in LAWS if name not in ("split-span", "reach-raised"))


def without(*names: str, laws: tuple[str, ...] = USUAL) -> tuple[str, ...]:
    """The laws but for some, for a class that breaks them."""
    return tuple(name for name in laws if name not in names)


def with_laws(*names: str, laws: tuple[str, ...] = USUAL) -> tuple[str, ...]:
    """The laws and some more, in the order of all laws."""
    return tuple(name for name in LAWS if name in laws or name in names)


def laws_problem(laws: object) -> str:
    """Why these are no laws; empty if they are."""
    from berrypick.data.errors import nearest

    if not isinstance(laws, tuple):
        return f"laws must be a tuple of names from {', '.join(LAWS)}"
    known = f"; laws are {', '.join(LAWS)}"
    for name in laws:
        if name not in LAWS:
            return f"{name!r:.60} is not a law{nearest(name, list(LAWS)) or known}"
    return ""
