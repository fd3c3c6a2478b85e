"""The demonstration: small files in the package, and the same runs read by different people.

One module per part (rag, web, video, campaign), each with ``text()`` for its page and ``numbers()`` for its table. A
new part is one more module, named in PARTS. Nothing is written anywhere.
"""

from __future__ import annotations

from collections.abc import Sequence

from berrypick.demo import campaign, rag, video, web
from berrypick.demo._prose import paragraph, title

PARTS = {"rag": rag, "web": web, "video": video, "campaign": campaign}
#: What to type first in the folder that `berrypick demo --copy` writes.
FIRST_COMMAND = "berrypick evaluate truth.jsonl 100.jsonl 400.jsonl --documents texts"


def summary() -> str:
    """One story in ten lines, and what to type next."""
    return f"""{rag.short()}
Next, in an empty folder:
  berrypick demo --copy examples && cd examples
  {FIRST_COMMAND}
Readers decide as well, on web sites, videos and articles: berrypick demo --all
"""


def text(names: Sequence[str] = tuple(PARTS)) -> str:
    """Evaluate some parts, by default all, and tell what one sees."""
    introduction = paragraph(
        """A result is often not the answer but a place near it: a page one click away, a video that starts a little
        early. How good such a result is depends on what the reader does next. Here the same runs are measured for
        several readers, and the winner changes. All data is small, made up, and comes with the package."""
    )
    parts = [title("The same results, different readers", "="), introduction] if len(names) > 1 else []
    for number, name in enumerate(names, start=1):
        numbered = f"{number}. " if len(names) > 1 else ""
        parts += [title(f"{numbered}{PARTS[name].TITLE}", "-"), PARTS[name].text()]
    return "\n".join(parts)
