"""What a cell of a table holds: a text, or a list or object that was written into it."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from typing import Any

from berrypick.files.strict_json import strict_json


def cell_value(cell: str) -> Any:
    """A list or object where a cell holds one, as JSON or as Python prints it; None if it is empty; else its text."""
    text = cell.strip()
    if not text:
        return None
    if (text[0], text[-1]) not in (("[", "]"), ("{", "}")):
        return cell
    try:
        return strict_json(text)
    except (ValueError, RecursionError):
        pass
    if text[0] == "[" and (texts := _printed_texts(text)) is not None:
        return texts
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return cell
    return value if isinstance(value, (list, dict)) else cell


def _printed_texts(text: str) -> list[str] | None:
    """Texts of a printed list, with commas, or of a NumPy array, without: Python would join the latter into one."""
    if not re.match(r"\[\s*['\"]", text):
        return None
    try:
        found = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, IndentationError, SyntaxError):
        return None
    words = [one for one in found if one.string and one.type not in (tokenize.NL, tokenize.NEWLINE, tokenize.ENDMARKER)]
    inside = words[1:-1]
    texts = [one.string for one in inside if one.type == tokenize.STRING]
    commas = sum(one.string == "," for one in inside)
    if len(texts) + commas != len(inside) or commas not in (0, len(texts) - 1, len(texts)):
        return None
    try:
        return [str(ast.literal_eval(one)) for one in texts]
    except (ValueError, SyntaxError):
        return None
