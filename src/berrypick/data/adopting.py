"""The call of ``adopt`` that messages offer where a golden file is given for a truth."""

from __future__ import annotations

import shlex
from os import PathLike, fspath
from pathlib import PurePath
from typing import Any

from berrypick.data.errors import Message, in_both, option


def several_contexts(questions: int) -> Message:
    """The note that questions have several contexts, taken together, and what to do where each answers alone."""
    has = "1 question has" if questions == 1 else f"{questions} questions have"
    return Message(
        f"{has} several contexts; Enough needs all of them ({option('contexts', 'all')}). "
        f"If each one answers alone, adopt the file with {option('contexts', 'any')}"
    )


#: How the offer to convert a golden file begins.
OFFER = "if this is a golden file (questions with quotes), convert it: "


def golden_offer(given: Any, documents: Any = None) -> str:
    """A remedy: the call that converts a golden file to judgements."""
    return f"{OFFER}{adopt_call(given, documents)}"


def adopt_call(given: Any, documents: Any = None, **more: Any) -> str:
    """The command, or the call in Python, that makes a truth of a golden file; DOCUMENTS where these are not known."""
    path = fspath(given) if isinstance(given, (str, PathLike)) else ""
    where = fspath(documents) if isinstance(documents, (str, PathLike)) else ""
    options = [f"{name}={value!r}" for name, value in more.items()]
    held = [repr(path) if path else "golden", repr(where) if where else "documents", *options]
    python = f"bp.adopt({', '.join(held)})"
    if not path:
        return python
    target = f"{PurePath(path).name.partition('.')[0] or 'golden'}-truth.jsonl"
    words = ["berrypick", "adopt", path]
    for name, value in {"documents": where or "DOCUMENTS", "output": target, **more}.items():
        words += [f"--{name}"] if value is True else [f"--{name}", str(value)]
    return in_both(python, shlex.join(words))
