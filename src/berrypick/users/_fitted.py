"""User models from the files that ``berrypick fit`` writes."""

from __future__ import annotations

from os import PathLike, fspath
from typing import Any

from berrypick import formats
from berrypick.data.errors import InputError
from berrypick.data.navigation import FittedReader


def is_name(given: Any) -> bool:
    """Whether a user model is given by its name alone: nothing is fitted then."""
    return isinstance(given, str) and given.isidentifier()


def is_file(given: Any) -> bool:
    """Whether a user model is given as a file; no user model's text ends like this."""
    return isinstance(given, PathLike) or (isinstance(given, str) and given.lower().endswith((".json", ".json.gz")))


def read_fitted(given: Any) -> FittedReader | None:
    """The content of a file, or of what :func:`berrypick.fit` returns; None for anything else."""
    given = getattr(given, "reader", given)
    if isinstance(given, FittedReader):
        return given
    if not is_file(given):
        return None
    found: FittedReader = formats.read_any(given, "user")
    if is_file(found.user):
        raise InputError("contains no user model", path=fspath(given))
    return found
