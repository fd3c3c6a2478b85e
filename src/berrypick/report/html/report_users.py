"""The readers that a report steps through: user models that can read the runs at hand, with values for a slider."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from berrypick import users
from berrypick.data import spec as specs
from berrypick.data.errors import BerrypickError, UsageError, option
from berrypick.evaluation.evaluation import Evaluation
from berrypick.users import UserModel
from berrypick.users.base import ContextModel
from berrypick.users.classical import Classical

#: On how many topics it is tried whether a user model can read the runs.
TRIED = 5


@dataclass(frozen=True)
class Reader:
    """A user model, and the same with other values of the parameter that its slider is for."""

    models: tuple[UserModel, ...]
    values: tuple[float, ...] = ()
    current: int = 0  # which of them was requested
    elements: bool = False  # whether targets are elements, not stretches of text

    @property
    def model(self) -> UserModel:
        return self.models[self.current]

    def to_json(self) -> dict[str, Any]:
        """Its part of the page's data."""
        slider = self.model.slider
        return {
            "model": self.model.name(),
            "labels": [str(model) for model in self.models],
            "label": str(self.model),
            "parameter": " and ".join(slider[0]) if slider and self.values else None,
            "grid": list(self.values) or None,
            "current": self.current,
            "what": self.model.description(),
            "needs": [_needs(model, self.elements) for model in self.models],
            "entries": self.model.seeks_entry_points,
        }


def _needs(model: UserModel, elements: bool) -> str:
    """Return what a result must show before a target counts as seen; '' where any part has its chance."""
    if not isinstance(model, ContextModel):
        return ""
    if elements:
        return "counts a target as seen only when a result is exactly that element" if type(model) is Classical else ""
    return f"counts a target as seen only when the results of one rank cover at least {100 * model.share:.4g}% of it"


def reader_of(model: UserModel, evaluation: Evaluation) -> Reader:
    """A user model with its slider, in which the value it has is one of the values; without where it moves nothing."""
    model = model.resolved(evaluation.context.reader)
    elements = evaluation.truth.units == "elements"
    if model.slider is None:
        return Reader((model,), elements=elements)
    names, values = model.slider
    now = getattr(model, names[0])
    if now is None:  # it must be given, and was not
        return Reader((model,), elements=elements)
    grid = tuple(sorted({*values, now}))
    models = tuple(model if value == now else replace(model, **dict.fromkeys(names, value)) for value in grid)
    # a slider cannot move two different values, and need not move what makes no difference
    if any(getattr(model, name) != now for name in names) or _all_alike(models, evaluation):
        return Reader((model,), elements=elements)
    return Reader(models, grid, grid.index(now), elements)


def _all_alike(models: Sequence[UserModel], evaluation: Evaluation) -> bool:
    for topic in _tried(evaluation):
        for run in evaluation.runs:
            try:
                found = [evaluation.judge(run, topic, model).reach for model in models]
            except BerrypickError:
                continue
            if any(not np.array_equal(reach.dense(), found[0].dense()) for reach in found):
                return False
    return True


def _tried(evaluation: Evaluation) -> list[str]:
    runs = evaluation.runs.values()
    return [topic for topic in evaluation.truth.topics if any(topic in run for run in runs)][:TRIED]


def requested_models(evaluation: Evaluation) -> list[UserModel]:
    """The user model of the evaluation, and those that measures name themselves and that move by the same data."""
    contexts = [evaluation.context, *(evaluation.contexts[one.text] for one in evaluation.measures)]
    navigation = evaluation.context.reader.navigation
    return list(dict.fromkeys(one.user for one in contexts if one.reader.navigation is navigation))


def with_own_transitions(evaluation: Evaluation) -> list[str]:
    """Fitted chains that measures name themselves: the page steps through the data of the evaluation alone."""
    navigation = evaluation.context.reader.navigation
    contexts = [evaluation.contexts[one.text] for one in evaluation.measures]
    own = [one.reader.navigation for one in contexts if one.reader.navigation is not navigation]
    return list(dict.fromkeys(table.source for table in own if table is not None))


def fitting_models(evaluation: Evaluation) -> list[UserModel]:
    """Every user model, as it is by default, that can read the first topics of all runs."""
    found = []
    runs = evaluation.runs.values()
    parts = evaluation.truth.units != "documents" or any(run.points_into_documents for run in runs)
    for model_class in users.registered().values():
        if model_class.navigation and evaluation.context.reader.navigation is None:
            continue  # the links of a whole collection are read for those who ask for them
        if not (parts or model_class.navigation or model_class.name() == "classical"):
            continue  # without parts or navigation all other user models equal classical
        model = model_class()
        if not hasattr(model, "inner") and _can_read(model, evaluation):
            found.append(model)
    return found


def _can_read(model: UserModel, evaluation: Evaluation) -> bool:
    chosen = _tried(evaluation)
    if model.seeks_entry_points and not any(evaluation.truth.topics[topic].entry_points for topic in chosen):
        return False
    try:
        for topic in chosen:
            for run in evaluation.runs:
                _ = evaluation.judge(run, topic, model).reach
    except BerrypickError:
        return False
    return bool(chosen)


def parse_user_models(text: str) -> list[UserModel]:
    """User models in one text, split at white space outside brackets."""
    for part in specs.split(text):
        if users.load(part, None)[1] is not None:
            raise UsageError(f"{part} has transitions of its own: give it with {option('user')}")
    return [users.build(part) for part in specs.split(text)]
