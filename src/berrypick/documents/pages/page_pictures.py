"""Pictures of pages: PNG and JPEG files, or the pages of a PDF.

A picture goes into a report, or into a page to judge on, as data for an ``<img>``, so nothing in it can run. What is no
PNG or JPEG by its first bytes, or would take much memory to show, is left out and counted.
"""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from berrypick.data.errors import InputError, library, option

#: Most bytes of a file, and most pixels of a picture: a browser keeps four bytes for each.
MOST_BYTES, MOST_PIXELS = 20_000_000, 25_000_000
#: Width of the picture of a page of a PDF.
WIDTH = 900
_ENDINGS = (".png", ".jpg", ".jpeg")
_PNG, _JPEG = b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff"


@dataclass(frozen=True)
class Picture:
    """A picture of a page: its kind by its first bytes, its size in pixels, and its bytes."""

    kind: str
    width: int
    height: int
    content: bytes = field(repr=False)

    def to_json(self) -> dict[str, Any]:
        """As the page has it."""
        data = base64.b64encode(self.content).decode("ascii")
        return {"picture": f"data:image/{self.kind};base64,{data}", "size": [self.width, self.height]}


def picture_of(content: bytes) -> Picture | str:
    """A PNG or JPEG, or why it cannot be shown."""
    if content.startswith(_PNG):
        size = _png_size(content)
    elif content.startswith(_JPEG):
        size = _jpeg_size(content)
    else:
        return "is neither PNG nor JPEG"
    if size is None or min(size) < 1:
        return "is broken"
    if size[0] * size[1] > MOST_PIXELS:
        return f"has {size[0]} x {size[1]} pixels, more than {MOST_PIXELS:,}"
    return Picture("png" if content.startswith(_PNG) else "jpeg", *size, content)


def _png_size(content: bytes) -> tuple[int, int] | None:
    if content[12:16] != b"IHDR" or len(content) < 24:
        return None
    width, height = struct.unpack(">II", content[16:24])
    return width, height


def _jpeg_size(content: bytes) -> tuple[int, int] | None:
    """Of the largest frame: a file may hold several headers."""
    at, found = 2, None
    while at + 9 <= len(content) and content[at] == 0xFF:
        marker = content[at + 1]
        if marker == 0xDA:  # the picture itself begins
            break
        if marker == 0xFF or 0xD0 <= marker <= 0xD8 or marker == 1:  # filling, or a marker without a length
            at += 1 if marker == 0xFF else 2
            continue
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", content[at + 5 : at + 9])
            found = max(found or (0, 0), (width, height), key=lambda size: size[0] * size[1])
        at += 2 + struct.unpack(">H", content[at + 2 : at + 4])[0]
    return found


@dataclass(eq=False)
class PagePictures:
    """Pictures in a folder: DOC/PAGE.png or .jpg, pages from 1, or DOC.pdf.

    Attributes
    ----------
    folder
        The folder.
    refused
        Files that cannot be shown, and why.

    Examples
    --------
    >>> import tempfile
    >>> import berrypick as bp
    >>> from berrypick.documents.pages.page_pictures import PagePictures
    >>> print(PagePictures.of(tempfile.mkdtemp()).get("guide.pdf", 0))
    None
    """

    folder: Path
    refused: list[str] = field(default_factory=list)
    _open: tuple[Path, Any] | None = field(default=None, init=False, repr=False)

    @classmethod
    def of(cls, folder: str | PathLike[str]) -> PagePictures:
        """Take a folder that is there."""
        path = Path(folder)
        if not path.is_dir():
            remedy = f"{option('pages')} takes a folder with DOC/PAGE.png or DOC.pdf"
            raise InputError("is not a folder", path=str(folder), remedy=remedy)
        return cls(path.resolve())

    def get(self, document: str, page: int) -> Picture | None:
        """Return the picture of a page, counted from 0; None where there is none, or none that can be shown."""
        for path in self._inside(*(f"{name}/{page + 1}{end}" for name in _names(document) for end in _ENDINGS)):
            if path.stat().st_size > MOST_BYTES:
                return self._refuse(path, f"has more than {MOST_BYTES:,} bytes")
            found = picture_of(path.read_bytes())
            return found if isinstance(found, Picture) else self._refuse(path, found)
        for path in self._inside(*(f"{name}.pdf" for name in _names(document))):
            return self._of_pdf(path, page)
        return None

    def _inside(self, *names: str) -> Iterator[Path]:
        """Files of the folder; a name or a link that leads out of it is not followed."""
        for name in names:
            try:
                path = (self.folder / name).resolve()
                if path.is_relative_to(self.folder) and path.is_file():
                    yield path
            except (OSError, ValueError):  # a name that no file can have
                continue

    def _refuse(self, path: Path, why: str) -> Picture | None:
        self.refused.append(f"{path.relative_to(self.folder)} {why}")
        return None

    def _of_pdf(self, path: Path, page: int) -> Picture | None:
        pdfium = library("pypdfium2", f"the pages of {path.name} need pypdfium2", "pages")
        try:
            if self._open is None or self._open[0] != path:
                self._open = (path, pdfium.PdfDocument(path))
            document = self._open[1]
            if page >= len(document):
                return self._refuse(path, f"has no page {page + 1}")
            shown = document[page]
            scale = min(WIDTH / shown.get_width(), (MOST_PIXELS / (shown.get_width() * shown.get_height())) ** 0.5)
            pixels = shown.render(scale=scale, rev_byteorder=True).to_numpy()[:, :, :3]
        except (pdfium.PdfiumError, ValueError, ZeroDivisionError, MemoryError) as error:
            return self._refuse(path, f"cannot be shown: {error}")
        return Picture("png", pixels.shape[1], pixels.shape[0], _png(np.ascontiguousarray(pixels)))


def _names(document: str) -> dict[str, None]:
    """A document's name, and without the ending of a PDF."""
    return dict.fromkeys([document, document.removesuffix(".pdf")])


def _png(pixels: Any) -> bytes:
    """Pixels of three bytes as a PNG, each line as the difference to the one above."""
    height, width = pixels.shape[:2]
    above = np.vstack([np.zeros((1, width, 3), dtype=np.uint8), pixels[:-1]])
    lines = np.hstack([np.full((height, 1), 2, dtype=np.uint8), (pixels - above).reshape(height, -1)])

    def chunk(name: bytes, held: bytes) -> bytes:
        return struct.pack(">I", len(held)) + name + held + struct.pack(">I", zlib.crc32(name + held))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return _PNG + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(lines.tobytes(), 9)) + chunk(b"IEND", b"")
