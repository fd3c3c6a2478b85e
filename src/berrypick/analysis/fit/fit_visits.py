"""Estimating t2i, distance, bep and forage from a reading log.

Readers of forage stay at distance d while their gain exceeds the price 1/h(d), and ln(gain) is normal: so prices in the
place of distances follow a log-normal law with median ``gain`` and sigma ``spread``.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from berrypick.analysis.fit.fit_parts import FitMethod
from berrypick.analysis.fit.reading_visits import calibration, one_sided, visits_of
from berrypick.analysis.fit.survival import (
    EXPONENTIAL,
    LOG_LOGISTIC,
    LOG_NORMAL,
    LOGISTIC,
    DistanceLaw,
    Likelihood,
    Observations,
    SurvivalFit,
    fit_law,
)
from berrypick.data import spec as specs
from berrypick.data.errors import UsageError, option
from berrypick.data.reading_log import ENDS, ReadingLog
from berrypick.data.results import Note
from berrypick.data.words import counted
from berrypick.users.base import UserModel
from berrypick.users.bep import Bep
from berrypick.users.distance import Distance
from berrypick.users.learning import data_checksum, held_out_facts, paired, parameter, rounded
from berrypick.users.learnt import Learnt
from berrypick.users.tolerance.distributions import Foraging
from berrypick.users.tolerance.forage import Forage
from berrypick.users.tolerance.t2i import T2I

#: Fewer visits than this that gave up or missed something say little.
FEW = 20


class _Family(NamedTuple):
    """A law, the names of its parameters, and how location and scale become their values."""

    law: DistanceLaw
    names: tuple[str, str]
    value: Callable[[float], float]
    falls: bool  # whether the value falls as the location grows
    scale: float | None = None
    default: float | None = None  # the location of the user model as it is by default
    beliefs: Foraging | None = None  # where prices take the place of distances

    def seen(self, of: Observations) -> Observations:
        """Return observations as the law reads them."""
        if self.beliefs is None:
            return of
        low = np.where(of.low >= 0, self.beliefs.price(np.maximum(of.low, 0.0)), -1.0)
        high = np.where(np.isfinite(of.high), self.beliefs.price(np.where(np.isfinite(of.high), of.high, 0.0)), np.inf)
        return Observations(low, high, of.exact, of.session)


def fit_visits(model: UserModel, log: ReadingLog, method: FitMethod, mean_length: float | None) -> Learnt:
    """Estimate the parameters of a user model that are not given."""
    if not isinstance(log, ReadingLog):
        raise UsageError(f"{model.name()} is estimated from a reading log, not from sessions")
    family = _family(model, mean_length)
    visits = visits_of(log)
    held = method.held(visits.sessions)[visits.seen.session] if len(visits.seen) else np.zeros(0, dtype=bool)
    training, rest = visits.seen.part(~held), visits.seen.part(held)
    fitted = fit_law(family.law, family.seen(training), method.confidence, family.names, family.scale)
    if family.beliefs is not None:
        fitted = replace(fitted, price=family.beliefs.price)
    found = _parameters(family, fitted)
    values: dict[str, Any] = {name: one["value"] for name, one in found.items()}
    if isinstance(model, Bep) and model.L is None:
        values["L"] = rounded(mean_length or math.nan)
    user = replace(model, **values)
    return Learnt(
        user=user,
        parameters=found,
        data=_data(log, visits.sessions, len(visits.seen)),
        held_out=_held_out(family, fitted, training, rest, method, visits.trips) if len(rest) else None,
        calibration=calibration(fitted, rest, visits.trips) if len(rest) else [],
        notes=(*visits.notes, *_notes(training)),
        more={"law": _law(found, fitted)},
    )


def _law(found: Mapping[str, Mapping[str, float | None]], fitted: SurvivalFit) -> dict[str, Any]:
    """The covariance of the logarithms of the parameters: each is exp of the location, or of minus it where it is the
    only one, or of the log scale."""
    return {"of": list(found), "covariance": [[rounded(one) for one in row] for row in fitted.covariance.tolist()]}


def _family(model: UserModel, mean_length: float | None) -> _Family:
    given = model.given_values()
    if isinstance(model, T2I):
        _not_given(model, "tolerance")
        if given.get("t_init"):
            raise UsageError("fit estimates t2i without t_init; remove it")
        return _Family(LOG_NORMAL, ("tolerance", "spread"), math.exp, False, given.get("spread"))
    if isinstance(model, Forage):
        _not_given(model, "gain")
        return _Family(LOG_NORMAL, ("gain", "spread"), math.exp, False, given.get("spread"), beliefs=model.beliefs())
    if isinstance(model, Distance):
        _not_given(model, "theta")
        law = LOG_LOGISTIC if model.law == "inverse" else LOGISTIC
        return _Family(law, ("theta", ""), lambda at: math.exp(-at), True, default=-math.log(model.theta))
    assert isinstance(model, Bep)
    _not_given(model, "A")
    length = model.L if model.L is not None else mean_length
    if length is None:
        raise UsageError(
            "the log cannot identify A: distances determine A L, not A; give the mean length of documents, as in "
            f"bep(L=5000), or their lengths with {option('collection')}"
        )
    return _Family(LOG_LOGISTIC, ("A", ""), lambda at: math.exp(at) / length, False, default=math.log(model.A * length))


def _not_given(model: UserModel, name: str) -> None:
    if name in model.given_values():
        raise UsageError(f"fit estimates {name}; remove it from {specs.render(model.name(), model.given_values())}")


def _parameters(family: _Family, fitted: SurvivalFit) -> dict[str, Mapping[str, float | None]]:
    ends = [float(fitted.low[0]), float(fitted.high[0])]
    low, high = (_value(family, end) for end in (reversed(ends) if family.falls else ends))
    if math.isinf(high) or (low == 0 and family.law is not LOGISTIC):
        raise UsageError(f"the log cannot identify {family.names[0]}: its interval has no end; record more visits")
    found: dict[str, Mapping[str, float | None]] = {
        family.names[0]: parameter(family.value(float(fitted.at[0])), low, high)
    }
    if family.law.scaled and family.scale is None:
        if not np.isfinite([fitted.low[1], fitted.high[1]]).all():
            raise UsageError(f"the log cannot identify {family.names[1]}: its interval has no end; record more visits")
        value, low, high = (math.exp(float(one[1])) for one in (fitted.at, fitted.low, fitted.high))
        found[family.names[1]] = parameter(value, low, high)
    return found


def _value(family: _Family, end: float) -> float:
    """The value at an end of the interval, which may lie at infinity."""
    if math.isfinite(end):
        return family.value(end)
    return math.inf if (end > 0) != family.falls else 0.0


def _held_out(
    family: _Family, fitted: SurvivalFit, training: Observations, rest: Observations, method: FitMethod, trips: bool
) -> dict[str, Any]:
    """Against the model as it is by default; a constant tolerance, that of t2i, gives every visit probability 0.

    Where targets are missed, also whether visits get there, against a constant: the share of the training visits.
    """
    own = Likelihood(family.law, family.seen(rest)).each(fitted.at)
    if family.beliefs is not None:  # densities of prices as densities of distances
        own = own + np.where(rest.exact, family.beliefs.log_slope(np.maximum(rest.low, 0.0)), 0.0)
    if family.default is None:
        other = fit_law(EXPONENTIAL, training, method.confidence, ("rate", ""))
        baseline, compared = "giving up at a constant rate", Likelihood(EXPONENTIAL, rest).each(other.at)
    else:
        baseline = "the default parameters"
        compared = Likelihood(family.law, rest).each(np.array([family.default, 0.0]))
    # densities may underflow where a model is far off; it is then at least that much worse
    bounded = np.maximum(compared, -1e6)
    facts = held_out_facts(own, bounded, rest.session, baseline, "visits", method.confidence)
    return facts | (_against_constant(fitted, training, rest, method.confidence) if trips else {})


def _against_constant(
    fitted: SurvivalFit, training: Observations, rest: Observations, confidence: float
) -> dict[str, Any]:
    known, (which, distance, reached) = one_sided(training)[2], one_sided(rest)
    if not len(known) or not len(distance):
        return {}
    share = float(known.mean())
    own = (np.exp(fitted.log_survival(distance)) - reached) ** 2
    other = (share - reached) ** 2
    mean, low, high = paired(own - other, rest.session[which], confidence)
    facts = {"brier": float(own.mean()), "constant": share, "constant_brier": float(other.mean())}
    return facts | {"brier_difference": mean, "brier_low": low, "brier_high": high}


def _data(log: ReadingLog, sessions: int, visits: int) -> dict[str, Any]:
    lines = (f"{s}\t{v}\t{d!r}\t{e}" for s, v, d, e in zip(log.session, log.visit, log.distance, log.end, strict=True))
    counts = Counter(log.end)
    ends = {end: counts[end] for end in ENDS}
    return {
        "checksum": data_checksum(lines),
        "stretches": len(log),
        "sessions": sessions,
        "visits": visits,
        "ends": ends,
    }


def _notes(training: Observations) -> list[Note]:
    stopped = int(training.bounded.sum())
    if stopped >= FEW:
        return []
    text = f"only {counted(stopped, 'visit')} of the training part gave up or missed something: intervals are rough"
    return [Note("few visits", text)]
