"""How values become pictures and pages: the layer of reports, which is far above, says so when it is loaded.

Everything that the package itself hands out (``bp.evaluate``, ``bp.compare``, ...) comes with that layer.
"""

from __future__ import annotations

from functools import singledispatch
from typing import Any


@singledispatch
def drawn(value: Any, **how: Any) -> Any:
    """A value as an Altair chart."""
    raise TypeError(f"to draw a {type(value).__name__}, import berrypick.report.notebook (or .comparison)")


@singledispatch
def as_text(value: Any) -> str:
    """A value as a person reads it, for print()."""
    return repr(value)


def counted(number: int, one: str, many: str = "") -> str:
    """'1 run', '2 runs': how much a value holds, for its short form."""
    return f"{number} {one if number == 1 else many or one + 's'}"


@singledispatch
def as_html(value: Any) -> str:
    """A value as a piece of a page, for notebooks."""
    raise NotImplementedError(f"to show a {type(value).__name__}, import berrypick.report.notebook (or .comparison)")
