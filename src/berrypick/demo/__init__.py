"""The demonstration: small files that come with the package, the same runs read by different people.

One module per part (web, video, campaign), each with ``text()`` for its text and ``numbers()`` for its table of
readers. A new part is one more module, named in PARTS. Nothing is written anywhere.
"""

from __future__ import annotations

from berrypick.demo import campaign, video, web
from berrypick.demo._text import paragraph, title

PARTS = (web, video, campaign)


def text() -> str:
    """Evaluate everything and tell what one sees."""
    introduction = paragraph(
        """A result is often not the answer but a place near it: a page one click away, a video that starts a little
        early. How good such a result is depends on what the reader does next. Here the same runs are measured for
        several readers, and the winner changes. All data is small, made up, and comes with the package."""
    )
    parts = [title("The same results, different readers", "="), introduction]
    for number, part in enumerate(PARTS, start=1):
        parts += [title(f"{number}. {part.TITLE}", "-"), part.text()]
    return "\n".join(parts)
