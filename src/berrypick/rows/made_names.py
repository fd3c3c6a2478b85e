"""Names of documents that a program made, and the names of files that stand beside them.

LlamaIndex calls a document by a UUID unless it is told another name, Haystack by a hash of its content, and stores call
a chunk by an id. Such names die with the index. Where the documents are called otherwise, the name of the file in the
metadata says which one is meant, else the text of the result does.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from berrypick.rows.fields import plain_name

#: Names of files in metadata: documents may be called by them where the other name is one that a program made.
FILES = ("file_path", "file_name", "filename", "source_file", "source", "file", "path", "uri")
#: A name that a program made: a UUID, or a hash.
_MADE = re.compile(r"[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}|[0-9a-f]{40}|[0-9a-f]{64}", re.IGNORECASE)


def is_made(name: Any) -> bool:
    """Whether a program made a name."""
    return isinstance(name, str) and _MADE.fullmatch(name) is not None


def file_names(fields: Mapping[str, Any]) -> tuple[str, ...]:
    """Names of files among the fields of a result, the most particular first."""
    named = {plain_name(str(name)): value for name, value in fields.items() if isinstance(value, str) and value}
    return tuple(dict.fromkeys(named[name] for name in FILES if name in named and not is_made(named[name])))
