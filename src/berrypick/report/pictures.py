"""Charts as files: PNG, SVG and PDF of a stated size, written whole or not at all, without a network."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from os import PathLike
from pathlib import Path
from typing import Any

from berrypick.core.errors import UsageError
from berrypick.report.look import CENTIMETRE, Look

ENDINGS = (".png", ".svg", ".pdf")
#: Nothing may be fetched while a picture is drawn.
_NOWHERE: list[str] = []
_TRIES = 4


def check_target(path: str | PathLike[str]) -> str:
    """The ending of a file that a picture can be written to."""
    target = Path(path)
    ending = target.suffix.lower()
    if ending not in ENDINGS:
        raise UsageError(f"{target}: a plot is written to a file that ends in .png, .svg or .pdf; name it last")
    if target.is_dir():
        raise UsageError(f"{target} is a folder; name a file for the plot")
    if not target.parent.is_dir():
        raise UsageError(f"{target}: there is no folder {target.parent}; make it first")
    return ending


def write_picture(chart: Any, path: str | PathLike[str], look: Look, dpi: int = 300) -> str:
    """Write a chart to a file; says how large it became."""
    ending = check_target(path)
    spec, (width, height) = fitted(chart.to_dict(), look)
    convert = converter()
    if ending == ".svg":
        content = svg_of(spec).encode()
    elif ending == ".pdf":
        content = convert.vegalite_to_pdf(spec, allowed_base_urls=_NOWHERE)
    else:
        content = convert.vegalite_to_png(spec, ppi=dpi, allowed_base_urls=_NOWHERE)
    _write(Path(path), content)
    return f"{width / CENTIMETRE:.1f} x {height / CENTIMETRE:.1f} cm"


def svg_of(spec: Mapping[str, Any]) -> str:
    """An SVG picture whose size is in points, so that it is as large everywhere; the same for the same chart."""
    content: str = converter().vegalite_to_svg(dict(spec), allowed_base_urls=_NOWHERE)
    content = re.sub(r'width="([\d.]+)" height="([\d.]+)"', r'width="\1pt" height="\2pt"', content, count=1)
    numbers: dict[str, int] = {}

    def renumbered(tag: re.Match[str]) -> str:
        return re.sub(r"\bclip\d+\b", lambda name: f"clip{numbers.setdefault(name[0], len(numbers))}", tag[0])

    # names of clipping paths count on from picture to picture
    return re.sub(r"<[^<>]*(?:#|id=\")clip\d+[^<>]*>", renumbered, content) + "\n"


def fitted(spec: dict[str, Any], look: Look) -> tuple[dict[str, Any], tuple[float, float]]:
    """The chart with plotting areas that make the whole picture as large as asked for, and its size.

    What labels and legends take is only known when they are drawn, so it is drawn until it fits.
    """
    panels: list[dict[str, Any]] = spec.get("concat", [spec])
    columns = min(spec.get("columns", 1), len(panels))
    rows = -(-len(panels) // columns)
    wanted = (look.full_width(len(panels)), look.height)
    size = _size(spec)
    for _ in range(_TRIES):
        off = (wanted[0] - size[0], 0.0 if wanted[1] is None else wanted[1] - size[1])
        if abs(off[0]) < 1 and abs(off[1]) < 1:
            break
        for panel in panels:
            _grow(panel, "width", off[0] / columns)
            _grow(panel, "height", off[1] / rows)
        size = _size(spec)
    return spec, size


def _grow(panel: dict[str, Any], side: str, by: float) -> None:
    if by and isinstance(panel.get(side), (int, float)):
        panel[side] = max(20.0, round(panel[side] + by, 2))


def _size(spec: Mapping[str, Any]) -> tuple[float, float]:
    content = converter().vegalite_to_svg(dict(spec), allowed_base_urls=_NOWHERE)
    found = re.search(r'width="([\d.]+)" height="([\d.]+)"', content)
    assert found is not None
    return float(found[1]), float(found[2])


def _write(target: Path, content: bytes) -> None:
    """Beside the target first, so that nobody ever finds half a picture."""
    try:
        handle, beside = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:40]}.", suffix=".partial")
    except OSError as error:
        raise UsageError(f"{target} cannot be written ({error.strerror})") from None
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(content)
        os.chmod(beside, 0o666 & ~_umask())
        os.replace(beside, target)
    except OSError as error:
        raise UsageError(f"{target} cannot be written ({error.strerror})") from None
    finally:
        with suppress(FileNotFoundError):
            os.unlink(beside)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def converter() -> Any:
    altair()
    try:
        import vl_convert
    except ImportError:
        raise UsageError(
            "pictures are written by vl-convert, which is not installed: pip install 'berrypick[report]'"
        ) from None
    return vl_convert


def altair() -> Any:
    try:
        import altair
    except ImportError:
        raise UsageError(
            "plots are drawn by Altair and vl-convert, which are not installed: pip install 'berrypick[report]'"
        ) from None
    return altair
