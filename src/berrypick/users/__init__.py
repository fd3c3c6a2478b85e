"""One file per user model; a new file is found by itself."""

from __future__ import annotations

import sys
from functools import lru_cache

from berrypick.core import spec as specs
from berrypick.core.errors import UsageError, nearest
from berrypick.core.parameters import discover
from berrypick.users.base import ReaderContext, UserModel

__all__ = ["ReaderContext", "UserModel", "build", "registered"]


@lru_cache(maxsize=1)
def registered() -> dict[str, type[UserModel]]:
    """Every user model by name."""
    return discover(sys.modules[__name__], UserModel)


def build(text: str | UserModel) -> UserModel:
    """A user model from its text, e.g. ``'bep(A=0.1)'``."""
    if isinstance(text, UserModel):
        return text
    spec = specs.parse(text, "user model")
    known = registered()
    if spec.at is not None:
        raise UsageError(f"{text!r}: a user model takes no cut-off")
    if spec.name not in known:
        offer = nearest(spec.name, list(known)) or f"; there are {', '.join(known)}"
        raise UsageError(f"unknown user model {spec.name}{offer}")
    return known[spec.name].from_parameters(dict(spec.parameters), spec.text)
