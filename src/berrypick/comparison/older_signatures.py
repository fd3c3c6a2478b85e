"""Signatures that an older version wrote, beside those of today."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from berrypick import measures, users
from berrypick.core import results, spec
from berrypick.core.errors import BerrypickError
from berrypick.core.results import Signature

Part = tuple[str, str]


def unlike(signatures: Sequence[Signature]) -> tuple[set[Part], set[Part]]:
    """Return the parts in which signatures differ, and those that only some state, which is no difference.

    A parameter that a measure or a user model got later has its default where an older version does not state it.
    """
    apart, some = results.unlike(signatures)
    if not apart:
        return apart, some
    keys = {key for key, _ in results.unlike([_completed(one) for one in signatures])[0]}
    differing = {part for part in apart if part[0] in keys}
    return differing, some | (apart - differing)


@lru_cache(maxsize=1024)
def _completed(signature: Signature) -> Signature:
    """The signature as it would be today: with the defaults of parameters that it does not state."""
    stated = dict(signature.fields)
    try:
        cls = measures.registry.find(spec.parse(signature.measure).name)
        if (user := stated.get("user")) is not None and not users.is_file(user):
            stated["user"] = str(users.build(user))
    except BerrypickError:  # of another package, or of a version that had others
        return signature
    for one in [] if cls is None else cls.parameters():
        if one.name != "user" and one.default is not None and one.name not in stated:
            value = one.default
            stated[one.name] = f"{value:.12g}" if isinstance(value, float) else str(value)
    return Signature(signature.measure, tuple(stated.items()))
