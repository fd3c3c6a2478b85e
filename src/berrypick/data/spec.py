"""The small language of measures and user models: ``Name(parameter=value, ...)@cutoff``.

The syntax is that of ir_measures. It is read with Python's own parser, so that quotes, numbers and nesting
mean what they mean in Python, but nothing is ever evaluated: values are literals.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from berrypick.data.errors import UsageError


@dataclass(frozen=True)
class Spec:
    """A name, its parameters and its cut-off, as typed."""

    name: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    at: float | int | None = None
    text: str = ""


_SHAPE = re.compile(r"^(?P<name>[A-Za-z_]\w*)\s*(?P<call>\(.*\))?\s*(?:@\s*(?P<at>\S+))?$", re.DOTALL)


def split(text: str) -> list[str]:
    """Split at white space outside brackets and quotes: ``'EPRUM(r=2, norm="product") AgP'`` has two parts."""
    parts: list[str] = []
    current = ""
    depth = 0
    quote = ""
    for char in text:
        if quote:
            current += char
            if char == quote:
                quote = ""
            continue
        if char in "'\"":
            quote = char
        depth += (char == "(") - (char == ")")
        if char.isspace() and depth <= 0:
            if current:
                parts.append(current)
            current = ""
        else:
            current += char
    if quote or depth > 0:
        missing = f"a closing {quote}" if quote else "a closing bracket"
        raise UsageError(f"{text!r} lacks {missing}")
    if current:
        parts.append(current)
    return parts


def normalise(text: str) -> str:
    """As typed, without white space outside quotes, quotes as single ones: the name under which a value is reported."""
    out, quote = "", ""
    for char in text:
        if quote:
            out += "'" if char == quote else char
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
            out += "'"
        elif not char.isspace():
            out += char
    return out


def parse(text: str, what: str = "measure") -> Spec:
    """Read one spec. ``what`` is the word used in messages."""
    match = _SHAPE.match(text.strip())
    if match is None:
        more = "@cutoff, e.g. EPRUM(r=2)" if what == "measure" else ""
        raise UsageError(f"{text!r} is not a {what}: expected Name(parameter=value, ...){more}")
    parameters: dict[str, Any] = {}
    if match["call"]:
        parameters = _parameters(match["name"] + match["call"], text, what)
    at = _number(match["at"], text) if match["at"] else None
    return Spec(match["name"], parameters, at, normalise(text))


def _parameters(call: str, text: str, what: str) -> dict[str, Any]:
    try:
        tree = ast.parse(call, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise UsageError(f"{text!r} is not a {what}: expected parameter=value, ... in its brackets") from None
    if not isinstance(tree, ast.Call) or not isinstance(tree.func, ast.Name):
        raise UsageError(f"{text!r} is not a {what}: expected Name(parameter=value, ...)")
    if tree.args:
        raise UsageError(f"{text!r}: parameters are given by name, as in Name(parameter=value)")
    values: dict[str, Any] = {}
    for keyword in tree.keywords:
        if keyword.arg is None:
            raise UsageError(f"{text!r}: parameters are given by name, as in Name(parameter=value)")
        if keyword.arg in values:
            raise UsageError(f"{text!r}: parameter {keyword.arg} is given twice")
        try:
            values[keyword.arg] = ast.literal_eval(keyword.value)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            hint = f"; text needs quotes, as in {keyword.arg}='...'" if isinstance(keyword.value, ast.Name) else ""
            raise UsageError(f"{text!r}: the value of {keyword.arg} is not a plain value{hint}") from None
    return values


def _number(word: str, text: str) -> float | int:
    try:
        if len(word) > 18:
            raise ValueError
        return int(word)
    except ValueError:
        try:
            value = float(word)
        except ValueError:
            raise UsageError(f"{text!r}: the cut-off after @ is not a number") from None
        if value != value or value in (float("inf"), float("-inf")):
            raise UsageError(f"{text!r}: the cut-off after @ is not a finite number") from None
        return value


def render(name: str, parameters: Mapping[str, Any], at: float | int | None = None) -> str:
    """The canonical text of a spec."""
    inside = ",".join(f"{key}={value!r}" for key, value in parameters.items())
    return name + (f"({inside})" if inside else "") + (f"@{at}" if at is not None else "")
