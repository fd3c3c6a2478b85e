"""The literature: one BibTeX file, read by key."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path


@lru_cache(maxsize=1)
def entries() -> dict[str, str]:
    """Key to BibTeX entry."""
    content = (Path(__file__).parent / "references.bib").read_text(encoding="utf-8")
    found = re.findall(r"^@\w+\{([^,]+),.*?^\}", content, re.DOTALL | re.MULTILINE)
    whole = re.findall(r"^@\w+\{.*?^\}", content, re.DOTALL | re.MULTILINE)
    return dict(zip(found, whole, strict=True))


def bibtex(key: str) -> str:
    """The entry of a key; a reference of another package is an entry itself, or plain text."""
    if key.lstrip().startswith("@"):
        return key.strip() + "\n"
    return entries().get(key, f"% {key}") + "\n"


def cited(key: str) -> str:
    """The entry as a line of text."""
    entry = bibtex(key)
    fields = dict(re.findall(r"^\s*(\w+)\s*=\s*\{(.*)\},?$", entry, re.MULTILINE))
    if not {"author", "year", "title"} <= set(fields):
        return " ".join(key.split())
    place = fields.get("journal") or fields.get("booktitle") or fields.get("institution", "")
    detail = ", ".join(fields[name] for name in ("volume", "pages") if name in fields)
    authors = fields["author"].replace(" and ", "; ")
    where = f" {place}{', ' + detail if detail else ''}." if place else ""
    return f"{authors} ({fields['year']}). {fields['title']}.{where}"
