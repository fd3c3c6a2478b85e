"""The kinds of things that commands list and describe."""

from __future__ import annotations

from typing import Any

from berrypick import formats, measures, users
from berrypick.evaluation.protocols.base import protocols
from berrypick.registry.registry import Registry

KINDS: dict[str, Registry[Any]] = {
    "measure": measures.registry,
    "user": users.registry,
    "format": formats.registry,
    "protocol": protocols,
}
