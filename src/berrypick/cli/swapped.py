"""The command to type where a truth and a run were given in each other's place."""

from __future__ import annotations

import os
import shlex

from berrypick import formats
from berrypick.data.errors import BerrypickError, InputError
from berrypick.formats.base import Role


def with_swapped(error: BerrypickError, arguments: list[str]) -> BerrypickError:
    """The error about a file that is not a truth, or not a run, with the swapped command as its first remedy."""
    if not isinstance(error, InputError) or error.path not in arguments:
        return error
    at = arguments.index(error.path)
    if error.what.template.endswith("expected a run"):
        at -= 1
    elif not error.what.template.endswith(("expected a truth", "is not a recognised judgement format")):
        return error
    if at < 0 or at + 1 >= len(arguments) or not (_is(arguments[at], "run") and _is(arguments[at + 1], "truth")):
        return error
    swapped = [*arguments[:at], arguments[at + 1], arguments[at], *arguments[at + 2 :]]
    remedy = f"the truth comes first, then the runs: {shlex.join(['berrypick', *swapped])}"
    others = [line for line in error.remedies if not line.startswith("the truth comes first")]
    return InputError(
        error.what.template,
        path=error.path,
        line=error.line,
        text=error.text,
        remedy=[remedy, *others],
        rule=error.rule,
    )


def _is(path: str, role: Role) -> bool:
    """Whether a file is in a format of this role."""
    try:
        return os.path.isfile(path) and formats.sniff(path, role).role == role
    except (BerrypickError, OSError):
        return False
