"""recalls@k: three meanings of recall side by side, by what the truth judges: any, share, all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from berrypick.data import spec as specs
from berrypick.data.errors import UsageError
from berrypick.data.results import Note, Row
from berrypick.data.score import number
from berrypick.data.truth import Truth
from berrypick.measures import split_measures

NAME = "recalls"
#: Means of any and all that are further apart than this say different things of one run.
APART = 0.1
#: Any, share and all, where whole documents are judged, and where parts are.
_OF_UNITS = {"documents": ("Success", "R", "All"), "spans": ("spanHit", "charR", "spanAll")}


@dataclass(frozen=True)
class Recalls:
    """Measures among which recalls@k stands.

    Attributes
    ----------
    given
        The measures, as they are given.

    Examples
    --------
    >>> import berrypick as bp
    >>> from berrypick.measures.answers.recalls import Recalls
    >>> Recalls(["AP", "recalls@5"]).measures(None)
    (['AP', 'Success@5', 'R@5', 'All@5'], (('Success@5', 'All@5'),))
    """

    given: Any

    @classmethod
    def among(cls, measures: Any) -> Recalls | None:
        """Look for recalls@k among measures as they are given; None if it is not there."""
        return cls(measures) if any(map(_is_recalls, _parts(measures))) else None

    def measures(self, truth: Truth | None) -> tuple[Any, tuple[tuple[str, str], ...]]:
        """Return the measures with the three that each recalls@k stands for, and which of these are any and all.

        Without a truth they are those for documents, so that what is wrong with the others is said before it is read.
        """
        found: list[Any] = []
        pairs = []
        for part in _parts(self.given):
            if _is_recalls(part):
                some, share, everything = (f"{name}@{_cutoff(part)}" for name in _names(truth))
                found += [some, share, everything]
                pairs.append((some, everything))
            else:
                found.append(part)
        return found, tuple(dict.fromkeys(pairs))

    @staticmethod
    def notes(pairs: Sequence[tuple[str, str]], means: Sequence[Row]) -> list[Note]:
        """Say where any and all are far apart, so that recall can mean either."""
        values = {(row.run, row.measure): row.value for row in means}
        found = []
        for run in dict.fromkeys(row.run for row in means):
            for some, everything in pairs:
                low, high = values.get((run, everything)), values.get((run, some))
                if low is not None and high is not None and high - low > APART:
                    shown = f"any ({some} {number(high)}) and all ({everything} {number(low)})"
                    shown = f"{shown} differ by {number(high - low)}"
                    found.append(Note(NAME, f"{shown}: choose the recall that you mean", run=run))
        return found


def _parts(measures: Any) -> Iterator[Any]:
    if measures is None:
        return
    for one in [measures] if isinstance(measures, (str, type)) or not isinstance(measures, Sequence) else measures:
        yield from split_measures(one) if isinstance(one, str) and NAME in one else [one]


def _is_recalls(part: Any) -> bool:
    return isinstance(part, str) and specs.normalise(part).partition("@")[0].partition("(")[0] == NAME


def _cutoff(part: str) -> int:
    spec = specs.parse(part)
    if spec.parameters:
        raise UsageError(
            f"{NAME} takes a cut-off and nothing else, as in {NAME}@5; name its measures to give them more"
        )
    if not isinstance(spec.at, int) or spec.at < 1:
        raise UsageError(f"{NAME} needs a cut-off, a rank from 1 on, as in {NAME}@5")
    return spec.at


def _names(truth: Truth | None) -> tuple[str, str, str]:
    units = "documents" if truth is None else truth.units
    if units not in _OF_UNITS:
        raise UsageError(f"{NAME} is for documents and parts of them by offsets; of elements use nxCG and EPRUM")
    some, share, everything = _OF_UNITS[units]
    sets = truth is not None and any(topic.names_sets for topic in truth.topics.values())
    return some, share, "Enough" if sets else everything
