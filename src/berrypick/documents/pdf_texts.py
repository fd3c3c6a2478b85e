"""Texts of PDF files, by their text layer: pages are joined by a form feed, which ends no line."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from berrypick.data.errors import InputError, library
from berrypick.data.words import counted
from berrypick.files.files import read_whole

#: How many files a note names.
_NAMED = 3
#: What PDFium writes for the hyphen of a word that is broken over two lines.
_BROKEN_WORD = "\ufffe"


def is_pdf(name: str) -> bool:
    """Whether a file is a PDF, by its name."""
    return name.lower().endswith(".pdf")


def pdf_texts(files: Mapping[str, str], where: str) -> tuple[dict[str, str], list[str]]:
    """Return the texts of PDF files by document, and notes on what was read and what was not.

    ``files`` leads from document to path. Files without a text layer, encrypted and damaged ones are left out and
    counted; it is an error where none has a text.
    """
    pdfium = library("pypdfium2", f"{where}: the text of {counted(len(files), 'PDF file')} needs pypdfium2", "pages")
    found: dict[str, str] = {}
    failed: dict[str, list[str]] = {}
    for document, path in files.items():
        text, why = _text(pdfium, path)
        if why:
            failed.setdefault(why, []).append(document)
        else:
            found[document] = text
    lost = [f"{_count(names)} {why}: {_some(names)}" for why, names in failed.items()]
    if not found:
        remedy = "save them without a password, or run OCR over scanned pages"
        raise InputError(f"no PDF file has a text that can be read; {'; '.join(lost)}", path=where, remedy=remedy)
    read = (
        f"{_count(found)} read from the text layer; documents are named after the file, and pages end with a form feed"
    )
    return found, [read, *(f"{one} (skipped)" for one in lost)]


def _text(pdfium: Any, path: str) -> tuple[str, str]:
    """The text of a file, or why it has none."""
    try:
        document = pdfium.PdfDocument(read_whole(path))
    except pdfium.PdfiumError as error:
        return "", "encrypted" if "password" in str(error).lower() else "damaged"
    try:
        text = "\f".join(_page(document[number]) for number in range(len(document)))
    except pdfium.PdfiumError:
        return "", "damaged"
    finally:
        document.close()
    return (text, "") if text.strip() else ("", "without a text layer")


def _page(page: Any) -> str:
    """The text of a page, with line feeds as the only ends of lines and no form feed of its own."""
    layer = page.get_textpage()
    try:
        text: str = layer.get_text_range()
    finally:
        layer.close()
        page.close()
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", " ")
    return text.replace(_BROKEN_WORD, "").replace("\0", "")


def _count(files: Sequence[str] | Mapping[str, str]) -> str:
    return counted(len(files), "PDF file")


def _some(names: Sequence[str]) -> str:
    return ", ".join(map(os.fsdecode, names[:_NAMED])) + (", .." if len(names) > _NAMED else "")
