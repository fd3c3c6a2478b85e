"""User models, one file per model or small family."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from berrypick.data import spec as specs
from berrypick.data.errors import UsageError
from berrypick.data.navigation import Navigation
from berrypick.registry.definitions import Room
from berrypick.registry.registry import Registry, class_problem
from berrypick.users._fitted import is_file, is_name, read_fitted
from berrypick.users.base import ReaderContext, UserModel, typed_name

__all__ = ["ReaderContext", "UserModel", "build", "is_file", "is_name", "load", "read_fitted", "registered", "registry"]

registry: Registry[type[UserModel]] = Registry(
    "users",
    "user model",
    Room(__name__, Path(__file__).parent, facts=("aliases",)),
    class_problem(UserModel),
    takes=lambda value: isinstance(value, type) and issubclass(value, UserModel),
    name_of=lambda one: typed_name(one.attribute),
)
#: Every user model by name.
registered = registry.all


def build(given: str | UserModel | type[UserModel]) -> UserModel:
    """A user model from its text, e.g. ``'bep(A=0.1)'``, from its class, or from a file written by fit."""
    if isinstance(given, type) and issubclass(given, UserModel):
        return given()
    if isinstance(given, UserModel):
        return given
    if not (isinstance(given, str) and given.isidentifier()) and (fitted := read_fitted(given)) is not None:
        return build(fitted.user)
    if not isinstance(given, str):
        raise UsageError(f"{given!r:.60} is not a user model; give its name as a string, e.g. 'hierarchy'")
    spec = specs.parse(given, "user model")
    if spec.at is not None:
        raise UsageError(f"{given!r}: a user model takes no cut-off")
    cls = registry.find(spec.name)
    if cls is None:
        raise registry.unknown(spec.name, otherwise=f"; available: {', '.join(registered())}")
    return cls.from_parameters(dict(spec.parameters), spec.text)


def load(given: Any, navigation: Navigation | None) -> tuple[UserModel, Navigation | None]:
    """A user model with the navigation data that it reads: its own, where it was fitted and has some."""
    if isinstance(given, str) and given.isidentifier():  # nothing is fitted
        return build(given), navigation
    fitted = read_fitted(given)
    model = build(given if fitted is None else fitted.user)
    own = None if fitted is None else fitted.navigation
    if own is None:
        inner = getattr(model, "of", None)  # of a model around another one
        if inner is not None and is_file(inner) and (fitted := read_fitted(inner)) is not None:
            own = fitted.navigation
    return model, navigation if own is None else own


def __getattr__(name: str) -> Any:
    return registry.attribute(name)


def __dir__() -> list[str]:
    return sorted({*__all__, *registry.attributes()})
