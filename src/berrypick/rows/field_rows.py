"""Rows of fields by our names, and what is wrong with one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from berrypick.data.errors import BerrypickError


class FieldError(BerrypickError):
    """What is wrong with the fields of a row, and what to do about it."""

    def __init__(self, what: str, remedy: str = "") -> None:
        super().__init__(f"{what}; {remedy}" if remedy else what)
        self.what, self.remedy = what, remedy


class FieldRow(dict[str, Any]):
    """Fields by our names; ``called`` has what they are called in the input."""

    called: Mapping[str, str] = {}


def with_fields(row: Mapping[str, Any], more: Mapping[str, Any]) -> FieldRow:
    """A row with other or more fields, and what its fields are called."""
    made = FieldRow({**row, **more})
    made.called = names_of(row)
    return made


def names_of(row: Mapping[str, Any]) -> Mapping[str, str]:
    """What the fields of a row are called in the input, where that is known."""
    return row.called if isinstance(row, FieldRow) else {}
