"""The report page as one file: its own HTML, CSS and JavaScript, the charting library, and the data.

Its content security policy allows these scripts by their hashes and nothing else: no network, no script in any text.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import zlib
from collections.abc import Sequence
from functools import cache
from html import escape
from importlib import resources
from typing import Any

from berrypick.data.errors import library, one_line
from berrypick.report.html.json_numbers import to_json
from berrypick.report.html.kept_library import kept_script
from berrypick.report.panels.base import panels

#: In this order: later ones use what earlier ones define; then come those of panels, and last.js. theme.js stands in
#: the head of the page.
SCRIPTS = ("dom", "widgets", "app", "charts", "overview", "curves", "topics", "spans", "model", "choosing",
           "strips", "text", "tree", "links", "boxes", "documents", "reader", "context", "simulated")  # fmt: skip
STYLES = ("page", "documents", "boxes", "reader", "simulated", "lost_answers")
#: The head of a file of gzip, without name and time.
_GZIP = b"\x1f\x8b\x08" + bytes(6) + b"\xff"
_LIBRARY = "window.vegaEmbed=vegaEmbed;window.vega=vega;window.vegaLite=vegaLite;"


def pack(value: Any) -> str:
    """A block of data, which the page unpacks when it is first shown."""
    return pack_text(to_json(value))


def pack_text(content: str) -> str:
    """A block of data that are text already."""
    return base64.b64encode(gzip.compress(content.encode("ascii"), compresslevel=6, mtime=0)).decode("ascii")


def deflate(content: bytes, last: bool) -> bytes:
    """Compress a part of a block by itself; others may follow unless it is the last."""
    squeezed = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)
    return squeezed.compress(content) + squeezed.flush(zlib.Z_FINISH if last else zlib.Z_SYNC_FLUSH)


def pack_deflated(parts: Sequence[bytes], deflated: Sequence[bytes]) -> str:
    """A block of parts that are compressed already, as one file of gzip."""
    check = 0
    for part in parts:
        check = zlib.crc32(part, check)
    end = check.to_bytes(4, "little") + (sum(map(len, parts)) & 0xFFFFFFFF).to_bytes(4, "little")
    return base64.b64encode(b"".join([_GZIP, *deflated, end])).decode("ascii")


def packed_size(deflated: Sequence[bytes]) -> int:
    """The length of a block of such parts."""
    return 4 * -(-(len(_GZIP) + sum(map(len, deflated)) + 8) // 3)


def render_page(overview: dict[str, Any], blocks: Sequence[str], library: str) -> str:
    """The page as text."""
    theme = asset("theme.js")
    style = "\n".join(asset(f"{name}.css") for name in STYLES)
    drawn = [panel.script for panel in panels if any(panel.name == one["name"] for one in overview["panels"])]
    script = "\n".join([*(asset(f"{name}.js") for name in SCRIPTS), *drawn, asset("last.js")])
    scripts = " ".join(map(policy_hash, (theme, library, script)))
    policy = (
        f"default-src 'none'; script-src {scripts}; style-src {policy_hash(style)}; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )
    data = to_json(overview).replace("<", "\\u003c")
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="referrer" content="no-referrer">',
        '<link rel="icon" href="data:,">',
        f"<title>{escape(_shown(overview['title']))}</title>",
        f"<style>{style}</style>",
        f"<script>{theme}</script></head>",
        f"<body>{asset('page.html')}",
        f'<script type="application/json" id="overview">{data}</script>',
        *(f'<script type="text/plain" data-block="{i}">{block}</script>' for i, block in enumerate(blocks)),
        f"<script>{library}</script>",
        f"<script>{script}</script>",
        "</body></html>\n",
    ]
    return "\n".join(parts)


def _shown(text: str) -> str:
    """A title for a window: on one line, without what could turn the line around."""
    return one_line(text)[:200]


def policy_hash(content: str) -> str:
    """What allows a script or style sheet in a content security policy."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode('ascii')}'"


@cache
def asset(name: str) -> str:
    """A style sheet or script of the report."""
    return resources.files("berrypick.report.html").joinpath("assets", name).read_text(encoding="utf-8").strip()


@cache
def charting_library() -> str:
    """The charting library as one script."""
    converter = library("vl_convert", "the report needs vl-convert", "report")
    name = f"vega-{converter.__version__}-{hashlib.sha256(_LIBRARY.encode()).hexdigest()[:8]}.js"
    bundle = kept_script(name, lambda: str(converter.javascript_bundle(_LIBRARY)))
    return bundle.replace("</script", "<\\/script")
