"""forage: the reader stays in a document as long as what is expected pays."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from berrypick.data import papers as cite
from berrypick.data.parameters import above_zero, parameter, zero_or_more
from berrypick.users.base import ReaderContext, Slider
from berrypick.users.tolerance._viewer import Viewer
from berrypick.users.tolerance.distributions import Foraging, Tolerances
from berrypick.users.tolerance.parameters import unit_parameter
from berrypick.users.tolerance.visits import Tolerance


@dataclass(frozen=True)
class Forage(Viewer):
    """The reader enters where a result starts, and leaves the document when reading on is not worth its cost.

    The reader believes that something relevant lies ahead with probability ``present`` (q), at an exponential distance
    of rate ``rate`` (L). After w units of irrelevant material the hazard, the chance of meeting it in the next unit, is
    h(w) = q L e^(-Lw) / (q e^(-Lw) + 1 - q). Something relevant is worth ``gain`` (G) units of reading, so the reader
    stays as long as h(w) G > 1. The hazard falls, and looking one step ahead is optimal (Charnov 1976): this is t2i
    with the tolerance tau* = ln(q (L G - 1)/(1 - q))/L, and 0 where that is negative. An entry inside a target finds it
    at once.

    With spread=s readers differ: ln G is normal with sigma s, drawn for each visit. Reach is then the smallest
    P(stay) = Phi((ln G + ln h(w))/s) of the gaps w before the target; what earlier ranks have found is not taken out.
    Units are those of offsets, or tokens or sentences of the texts given as documents. Effort: how far the reader goes
    at each rank.

    With q = .5, L = .02 and G = 200 the tolerance is 54.93: a target 54 characters away is found, one at 55 is not.

    >>> import berrypick as bp
    >>> run, lengths = {"q": {"d#0-5": 1}}, bp.Collection({"d": 1000})
    >>> [bp.score("ExpectedRatio", {"q": {f"d#{at}-{at + 5}": 1}}, run, user="forage(gain=200,rate=0.02,present=0.5)",
    ...           collection=lengths) for at in (54, 55)]
    [1.0, 0.0]
    """

    references: ClassVar[tuple[str, ...]] = ("charnov1976optimal", "pirolli1999information", "vries2004tolerance")
    papers: ClassVar[tuple[cite.PaperItem, ...]] = (
        cite.tolerance(
            "6",
            "",
            "definition",
            "a reader who stops when reading on does not pay",
            'berrypick evaluate TRUTH RUN -m EPRUM --user "forage(gain=200,rate=0.02,present=0.5)"',
        ),
    )
    learnt_from: ClassVar[str] = "readings"
    slider: ClassVar[Slider | None] = (("gain",), (60, 100, 200, 500, 1000, 3000))

    gain: float = above_zero(200, "G: value of something relevant, in units of reading")
    rate: float = above_zero(0.02, "L: rate of targets while there are any, 1/mean distance")
    present: float = parameter(
        0.5,
        "number",
        "q: probability, to the reader, that something relevant is ahead",
        check=lambda value: 0 < value < 1,
        must="above 0 and below 1",
    )
    spread: float = zero_or_more(0, "sigma of ln G over visits")
    keeps_viewing: bool = parameter(True, "bool", "whether the reader continues after something relevant has ended")
    unit: str | None = unit_parameter("gain and distances")

    def beliefs(self) -> Foraging:
        """Return what the reader expects."""
        return Foraging(self.gain, self.rate, self.present, self.spread)

    def tolerance_of(self, context: ReaderContext) -> Tolerance:
        return Tolerance(float(self.beliefs().tolerance(math.log(self.gain))), self.keeps_viewing)

    def distribution(self, context: ReaderContext) -> Tolerances | None:
        return self.beliefs() if self.spread else None
