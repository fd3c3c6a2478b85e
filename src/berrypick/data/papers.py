"""What the papers define, and the call that computes it.

Measures and user models declare their items next to their references; :mod:`berrypick.evaluation.papers` has those that
belong to none, and the list of all.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

#: The papers by their keys in references.bib, in the order of the index, and their numbers of numbered equations.
EQUATIONS = {
    "piwowarski2006eprum": 7,
    "lalmas2007inex": 16,
    "vries2004tolerance": 5,
    "kazai2007effort": 9,
    "piwowarski2007prum": 19,
}
#: What people call each of them.
TITLES = {
    "piwowarski2006eprum": "EPRUM, 2006",
    "lalmas2007inex": "Measures of INEX 2006",
    "vries2004tolerance": "Tolerance to irrelevance, 2004",
    "kazai2007effort": "Effort-precision with navigation, 2007",
    "piwowarski2007prum": "PRUM, 2007",
}

Kind = Literal["definition", "equation", "hypothesis", "example", "table", "figure", "experiment", "none"]


class PaperItem(NamedTuple):
    """One thing that a paper says.

    Attributes
    ----------
    paper
        The key of the paper.
    section
        Where it is said.
    equation
        Its number; '' where it has none.
    kind
        What it is; 'none' for what is left out, and ``item`` then ends with the reason.
    item
        What it says, in a few words.
    call
        A Python expression that begins with ``bp.``, a command that begins with ``berrypick``, or a script of the
        repository.
    """

    paper: str
    section: str
    equation: str
    kind: Kind
    item: str
    call: str

    def place(self) -> str:
        """Return where it stands, for a list."""
        numbered = f", equation {self.equation}" if self.equation else ""
        return f"{TITLES[self.paper]}, section {self.section}{numbered}"


def eprum(section: str, equation: str, kind: Kind, item: str, call: str) -> PaperItem:
    """Make an item of the paper on EPRUM."""
    return PaperItem("piwowarski2006eprum", section, equation, kind, item, call)


def inex(section: str, equation: str, kind: Kind, item: str, call: str) -> PaperItem:
    """Make an item of the paper on the measures of INEX 2006."""
    return PaperItem("lalmas2007inex", section, equation, kind, item, call)


def tolerance(section: str, equation: str, kind: Kind, item: str, call: str) -> PaperItem:
    """Make an item of the paper on tolerance to irrelevance."""
    return PaperItem("vries2004tolerance", section, equation, kind, item, call)


def effort(section: str, equation: str, kind: Kind, item: str, call: str) -> PaperItem:
    """Make an item of the paper on effort-precision with navigation."""
    return PaperItem("kazai2007effort", section, equation, kind, item, call)


def prum(section: str, equation: str, kind: Kind, item: str, call: str) -> PaperItem:
    """Make an item of the paper on PRUM."""
    return PaperItem("piwowarski2007prum", section, equation, kind, item, call)


def left_out(paper: str, section: str, equation: str, item: str, reason: str) -> PaperItem:
    """Make an item that no call computes."""
    return PaperItem(paper, section, equation, "none", f"{item}; left out: {reason}", "")
