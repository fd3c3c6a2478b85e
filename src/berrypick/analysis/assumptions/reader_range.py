"""A range of readers: a user model one or two of whose parameters go from one value to another.

``bep(A=0.01..100)`` reads like a user model. The scale is linear inside [0, 1], whatever the factor between the ends;
elsewhere it is logarithmic from a factor of 20 on, unless it is given. A file written by fit stands for the law of its
reader: of a t2i with spread the law of the tolerances of people, else the law that the log leaves the estimate.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np

from berrypick import users
from berrypick.data import spec as specs
from berrypick.data.arrays import FloatArray
from berrypick.data.errors import UsageError, option
from berrypick.data.navigation import FittedReader
from berrypick.users import UserModel

ScaleName = Literal["log", "linear"]
SCALES: tuple[ScaleName, ...] = get_args(ScaleName)
#: A range with this factor between its ends has a logarithmic scale, unless it lies in [0, 1].
LOGARITHMIC = 20.0
#: Crossings are found to this share of the range.
FOUND = 1e-6
#: The quantiles of a law at which a range over it begins and ends.
TAIL = 0.001
_NUMBER = r"[-+]?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?"
_RANGE = re.compile(rf"=\s*({_NUMBER}\.\.{_NUMBER})(?=\s*[,)])")


@dataclass(frozen=True)
class ParameterLaw:
    """A log-normal law of a parameter."""

    median: float
    sigma: float
    what: str  # what it is the law of, for people

    def share(self, value: FloatArray) -> FloatArray:
        """P(parameter <= value)."""
        from scipy.special import ndtr

        with np.errstate(divide="ignore"):
            found: FloatArray = ndtr((np.log(value) - math.log(self.median)) / self.sigma)
        return found

    def quantile(self, share: float) -> float:
        from scipy.special import ndtri

        return self.median * math.exp(self.sigma * float(ndtri(share)))


@dataclass(frozen=True)
class Axis:
    """One parameter from its least to its largest value; places on it go from 0 to 1."""

    parameter: str
    low: float
    high: float
    whole: bool = False
    law: ParameterLaw | None = None
    #: The scale that was asked for.
    given: ScaleName | None = None

    @property
    def scale(self) -> ScaleName:
        if self.given is not None:
            return self.given
        share = self.law is None and self.low >= 0 and self.high <= 1
        return "log" if not share and self.low > 0 and self.high / self.low >= LOGARITHMIC else "linear"

    def at(self, place: FloatArray) -> FloatArray:
        """Values of the parameter at places."""
        if self.scale == "log":
            found = self.low * (self.high / self.low) ** place
        else:
            found = self.low + (self.high - self.low) * place
        ends: FloatArray = np.where(place <= 0, self.low, np.where(place >= 1, self.high, found))
        return ends

    def value(self, place: float) -> Any:
        """What the parameter is at a place."""
        found = float(self.at(np.array(place)))
        return round(found) if self.whole else found

    def places(self, points: int) -> FloatArray:
        """Evenly spaced places; of a parameter that is a whole number those of its values."""
        if self.whole and self.high - self.low < points:
            values = np.arange(self.low, self.high + 1)
            even = (values - self.low) / (self.high - self.low)
            return even if self.scale == "linear" else np.log(values / self.low) / math.log(self.high / self.low)
        return np.linspace(0.0, 1.0, points)

    @property
    def tolerance(self) -> float:
        """How near two places must be for the values to be within :data:`FOUND` of the range."""
        if self.scale == "linear":
            return FOUND
        return FOUND * min(1.0, (self.high - self.low) / (self.high * math.log(self.high / self.low)))

    def measure(self, place: FloatArray) -> FloatArray:
        """The share of the range, or of the law within it, up to places."""
        if self.law is None:
            return place
        first, last = self.law.share(np.array([self.low, self.high])).tolist()
        found: FloatArray = (self.law.share(self.at(place)) - first) / (last - first)
        return found


@dataclass(frozen=True)
class ReaderRange:
    """A user model, and the parameters that go through a range."""

    name: str
    fixed: Mapping[str, Any]
    axes: tuple[Axis, ...]
    text: str

    def model(self, values: Sequence[Any]) -> UserModel:
        """The reader at some values of the parameters."""
        given = {**self.fixed, **{axis.parameter: value for axis, value in zip(self.axes, values, strict=True)}}
        return users.build(specs.render(self.name, given))

    def usual(self) -> UserModel:
        """The reader with the usual values of the parameters, where they are inside the range; else in the middle."""
        known = {one.name: one.default for one in type(self.model(self.middle())).parameters()}
        values = []
        for axis, middle in zip(self.axes, self.middle(), strict=True):
            default = known.get(axis.parameter)
            inside = isinstance(default, (int, float)) and axis.low <= default <= axis.high
            values.append(default if inside else middle)
        return self.model(values)

    def middle(self) -> list[Any]:
        return [axis.value(0.5) for axis in self.axes]


def read_range(given: Any, scale: ScaleName | None = None) -> ReaderRange:
    """A range from its text, or the law of a fitted user model, on the scale that is asked for or fits."""
    if scale is not None and scale not in SCALES:
        raise UsageError(f"unknown scale {scale!r:.40}; expected one of {', '.join(SCALES)}")
    fitted = users.read_fitted(given)
    if fitted is not None:
        return _scaled(_law_range(fitted), scale)
    if not isinstance(given, str):
        raise UsageError(f"a range of readers must be text such as 'bep(A=0.01..100)', not {given!r:.60}")
    text = specs.normalise(given)
    found = specs.parse(_RANGE.sub(r"='\1'", given), "user model")
    ranges = {name: one for name, one in found.parameters.items() if isinstance(one, str) and _ends(one)}
    if not ranges:
        raise UsageError(f"{text} has no range: give one parameter from .. to, as in bep(A=0.01..100)")
    if len(ranges) > 2:
        raise UsageError(f"{text} has {len(ranges)} ranges; at most two are supported")
    if found.at is not None:
        raise UsageError(f"{text}: a user model takes no cut-off")
    fixed = {name: one for name, one in found.parameters.items() if name not in ranges}
    kinds = _kinds(found.name, ranges, fixed, text)
    axes = tuple(_axis(name, one, kinds[name], text) for name, one in ranges.items())
    made = _scaled(ReaderRange(found.name, fixed, axes, text), scale)
    for end in (0.0, 1.0):  # what is outside of what the parameter may be is said now
        made.model([axis.value(end) for axis in axes])
    return made


def _scaled(found: ReaderRange, scale: ScaleName | None) -> ReaderRange:
    for axis in found.axes:
        if scale == "log" and axis.low <= 0:
            raise UsageError(
                f"{found.text}: {axis.parameter} begins at {axis.low:g}, which has no logarithm; "
                f"begin the range above 0, or use {option('scale', 'linear')}"
            )
    return replace(found, axes=tuple(replace(axis, given=scale) for axis in found.axes))


def _ends(text: str) -> tuple[float, float] | None:
    low, dots, high = text.partition("..")
    try:
        return (float(low), float(high)) if dots else None
    except ValueError:
        return None


def _kinds(name: str, ranges: Mapping[str, str], fixed: Mapping[str, Any], text: str) -> dict[str, str]:
    cls = users.registry.find(name)
    if cls is None:
        raise users.registry.unknown(name, otherwise=f"; available: {', '.join(users.registered())}")
    known = {one.name: one.kind for one in cls.parameters()}
    cls.from_parameters(dict.fromkeys((name for name in ranges if name not in known), None), text)  # says what is near
    for one in ranges:
        if known[one] not in ("number", "number or text", "int"):
            raise UsageError(f"{text}: {one} of {name} is not a number, so it has no range")
    return known


def _axis(name: str, text: str, kind: str, whole: str) -> Axis:
    ends = _ends(text)
    assert ends is not None
    low, high = ends
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise UsageError(f"{whole}: the range of {name} goes from its smaller to its larger end")
    if kind == "int" and not (low.is_integer() and high.is_integer()):
        raise UsageError(f"{whole}: {name} is a whole number")
    return Axis(name, low, high, kind == "int")


def _law_range(fitted: FittedReader) -> ReaderRange:
    if not fitted.has_law or "law" not in fitted.content:
        why = "its file does not state its uncertainty; fit it again"
        if "transitions" in fitted.content:
            why = "a chain has no parameter that a range could vary"
        raise UsageError(f"{fitted} cannot be varied: {why}")
    if "scales" in fitted.content["law"]:
        raise UsageError(f"{fitted} cannot be varied: it has no single parameter that is a distance")
    spec = specs.parse(fitted.user, "user model")
    name, values = fitted.content["law"]["of"][0], dict(spec.parameters)
    median = float(values.pop(name))
    if spec.name == "t2i" and values.get("spread", 0) > 0:
        law = ParameterLaw(median, float(values.pop("spread")), "the tolerances of people")
    else:
        error = math.sqrt(fitted.content["law"]["covariance"][0][0])
        law = ParameterLaw(median, error, "the uncertainty of the fit")
    axis = Axis(name, law.quantile(TAIL), law.quantile(1 - TAIL), law=law)
    return ReaderRange(spec.name, values, (axis,), str(fitted))
