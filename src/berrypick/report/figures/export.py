"""Charts as files: PNG, SVG and PDF of a stated size, written whole or not at all, without a network."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from os import PathLike
from pathlib import Path
from typing import Any

from berrypick.data.errors import BerrypickError, UsageError, library, one_line, option, shorten
from berrypick.files.files import replace_file
from berrypick.report.figures.chart_theme import CENTIMETRE, INCH, PAPER, ChartTheme, check_options, sized

ENDINGS = (".png", ".svg", ".pdf")
#: Nothing may be fetched while a picture is drawn.
_NOWHERE: list[str] = []
_TRIES = 4
#: Most runs that the alternative text of a chart names.
_TOLD = 20
#: Each takes several bytes while a picture is drawn: more of them, and the machine may stop the program.
PIXELS = 100_000_000


def check_target(path: str | PathLike[str]) -> str:
    """The ending of a file that a picture can be written to."""
    target = Path(path)
    ending = target.suffix.lower()
    if ending not in ENDINGS:
        raise UsageError(f"{target}: a plot file must end in .png, .svg or .pdf; give it last")
    if os.path.isdir(target):  # unlike Path's, of names that are too long as well
        raise UsageError(f"{target} is a folder; give a file for the plot")
    if not os.path.isdir(target.parent):
        raise UsageError(f"{target}: the folder {target.parent} does not exist")
    return ending


def write_picture(chart: Any, path: str | PathLike[str], theme: ChartTheme, dpi: int = 300) -> str:
    """Write a chart to a file; says how large it became."""
    ending = check_target(path)
    spec, (width, height) = fitted(chart.to_dict(), theme)
    if ending == ".svg":
        content = svg_of(spec).encode()
    elif ending == ".pdf":
        content = _converted("pdf", spec)
    else:
        check_pixels(width, height, dpi)
        content = _converted("png", spec, ppi=dpi)
    write_bytes(path, content)
    return f"{width / CENTIMETRE:.1f} x {height / CENTIMETRE:.1f} cm"


def check_pixels(width: float, height: float, dpi: int) -> None:
    """Refuse a picture that would not fit into memory; the sides are in points."""
    across, up = (round(side / INCH * dpi) for side in (width, height))
    if across * up > PIXELS:
        raise UsageError(
            f"a picture of {across} x {up} pixels is larger than the {PIXELS // 10**6} million that can be drawn; give "
            f"a smaller {option('width')}, {option('height')} or {option('dpi')}, or write it as .svg or .pdf, which "
            "have no pixels"
        )


def _converted(ending: str, spec: Mapping[str, Any], **how: Any) -> Any:
    """A chart as a picture; whatever the library that draws it says against it becomes one message."""
    convert = getattr(converter(), f"vegalite_to_{ending}")
    try:
        return convert(dict(spec), allowed_base_urls=_NOWHERE, **how)
    except Exception as error:
        said = " ".join(str(error).split("    at ")[0].split())
        raise BerrypickError(
            f"the picture could not be drawn: {shorten(said)}",
            f"try another {option('kind')}, fewer runs or measures, or other names of runs and topics; and please "
            "report it",
        ) from error


@lru_cache(maxsize=1)
def _svg(spec: str) -> str:
    """The picture whose size is right is drawn once: what is measured is what is written."""
    content: str = _converted("svg", json.loads(spec))
    return content


def svg_of(spec: Mapping[str, Any]) -> str:
    """An SVG picture whose size is in points, so that it is as large everywhere; the same for the same chart."""
    content = _svg(json.dumps(spec))
    content = re.sub(r'width="([\d.]+)" height="([\d.]+)"', r'width="\1pt" height="\2pt"', content, count=1)
    told = escape(one_line(alternative(spec)), quote=True)
    content = content.replace("<svg ", f'<svg role="img" aria-label="{told}" ', 1)
    numbers: dict[str, int] = {}

    def renumbered(tag: re.Match[str]) -> str:
        return re.sub(r"\bclip\d+\b", lambda name: f"clip{numbers.setdefault(name[0], len(numbers))}", tag[0])

    # names of clipping paths count on from picture to picture
    return re.sub(r"<[^<>]*(?:#|id=\")clip\d+[^<>]*>", renumbered, content) + "\n"


def alternative(spec: Any) -> str:
    """Return what a chart shows, for people who do not see it: titles, axes, and what its lines or points stand for."""
    titles: list[str] = []
    axes: dict[str, list[str]] = {"y": [], "x": []}
    shown: list[str] = []

    def walk(part: Any) -> None:
        if isinstance(part, list):
            for one in part:
                walk(one)
        if not isinstance(part, dict):
            return
        if isinstance(part.get("title"), str):
            titles.append(part["title"])
        encoding = part.get("encoding") or {}
        for axis, known in axes.items():
            title = (encoding.get(axis) or {}).get("title")
            known += [title] if isinstance(title, str) and title else []
        scale = (encoding.get("color") or {}).get("scale") or {}  # null where colours are values themselves
        domain = scale.get("domain") or []
        shown.extend(one for one in domain if isinstance(one, str))
        for name in ("concat", "hconcat", "vconcat", "layer", "spec"):
            walk(part.get(name, []))

    walk(dict(spec))
    what = ", ".join(dict.fromkeys(titles or axes["y"])) or "values"
    across = ", ".join(dict.fromkeys(axes["x"]))
    lines = list(dict.fromkeys(shown))
    if len(lines) > _TOLD:
        lines[_TOLD:] = [f"{len(lines) - _TOLD} more"]
    text = f"Chart of {what}" + (f" by {across}" if across else "")
    return f"{text}. Shown: {', '.join(lines)}" if lines else text


def fitted(spec: dict[str, Any], theme: ChartTheme) -> tuple[dict[str, Any], tuple[float, float]]:
    """The chart with plotting areas that give the whole picture the requested size, and its size.

    What labels and legends take is only known when they are drawn, so it is drawn until it fits.
    """
    panels: list[dict[str, Any]] = spec.get("concat", [spec])
    columns = min(spec.get("columns", 1), len(panels))
    rows = -(-len(panels) // columns)
    wanted = (theme.full_width(len(panels)), theme.height)
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
    found = re.search(r'width="([\d.]+)" height="([\d.]+)"', _svg(json.dumps(spec)))
    assert found is not None
    return float(found[1]), float(found[2])


def write_bytes(path: str | PathLike[str], content: bytes) -> None:
    """Write a file, beside the target first, so that a picture is never half written."""
    target = Path(path)
    try:
        handle, beside = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:40]}.", suffix=".partial")
    except OSError as error:
        raise UsageError(f"{target} cannot be written ({error.strerror})") from None
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(content)
            out.flush()
            os.fsync(out.fileno())  # else the new name may come to the disk before the content does
        os.chmod(beside, 0o666 & ~_umask())
        replace_file(beside, str(target))
    except OSError as error:
        raise UsageError(f"{target} cannot be written ({error.strerror})") from None
    finally:
        with suppress(OSError):
            os.unlink(beside)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def converter() -> Any:
    altair()
    return library("vl_convert", "pictures need vl-convert", "report")


def altair() -> Any:
    return library("altair", "plots need Altair and vl-convert", "report")


@dataclass(frozen=True)
class FigureFile:
    """A file that a figure is written to: PNG, SVG or PDF.

    Attributes
    ----------
    path
        The file; its ending says which.

    Examples
    --------
    >>> import berrypick as bp
    >>> from berrypick.report.figures.export import FigureFile
    >>> FigureFile("figure.txt").check()
    Traceback (most recent call last):
    ...
    berrypick.data.errors.UsageError: figure.txt: a plot file must end in .png, .svg or .pdf; give it last
    """

    path: str | PathLike[str]

    def check(self) -> None:
        """Refuse a file that no figure can be written to, and a missing library, before the work."""
        check_target(self.path)
        converter()

    def draw(self, found: Any) -> str:
        """Write the figure of an analysis, which has ``plot``; say how large it became."""
        check_target(self.path)
        return write_picture(found.plot(theme=PAPER), self.path, PAPER)

    def write(self, svg: str) -> None:
        """Write a picture that is drawn already."""
        write_bytes(self.path, svg.encode())

    @staticmethod
    def check_options(how: Mapping[str, Any]) -> None:
        """Refuse options that no figure takes."""
        check_options(sized, how)

    @staticmethod
    def svg(chart: Any) -> str:
        """Draw a chart as SVG."""
        return svg_of(chart.to_dict())
