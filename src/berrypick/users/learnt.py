"""What a user model learnt from a log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from berrypick.data.results import Note

if TYPE_CHECKING:
    from berrypick.users.base import UserModel


@dataclass(frozen=True)
class Learnt:
    """What ``fit`` of a user model found: the model with its parameters, and what the file says besides.

    Attributes
    ----------
    user
        The model with its parameters.
    parameters
        Value and interval of each parameter that was estimated: ``{"theta": {"value": .., "low": .., "high": ..}}``.
    data
        What it was estimated from; ``sessions`` is their number, ``checksum`` says whether a log is the same.
    held_out
        How likely the sessions held out are, if there are some.
    calibration
        Predicted and observed shares on the sessions held out.
    notes
        Notes about the numbers.
    more
        Whatever else the file is to hold.
    """

    user: UserModel
    parameters: Mapping[str, Mapping[str, float | None]] = field(default_factory=dict)
    data: Mapping[str, Any] = field(default_factory=dict)
    held_out: Mapping[str, Any] | None = None
    calibration: list[dict[str, Any]] = field(default_factory=list)
    notes: tuple[Note, ...] = ()
    more: Mapping[str, Any] = field(default_factory=dict)
