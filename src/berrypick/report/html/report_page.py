"""The report page as one file: its own HTML, CSS and JavaScript, the charting library, and the data.

The JavaScript is written as ES modules, which become one script here (:mod:`~berrypick.report.html.bundle`). The
content security policy allows this script and that of the head by their hashes and nothing else: no network, no script
in any text.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import zlib
from collections.abc import Mapping, Sequence
from functools import cache
from html import escape
from importlib import resources
from typing import Any

from berrypick.data.errors import library, one_line
from berrypick.report.html.bundle import bundle
from berrypick.report.html.json_numbers import to_json
from berrypick.report.html.kept_library import kept_script
from berrypick.report.panels.base import panels

STYLES = ("page", "documents", "boxes", "reader", "simulated", "lost_answers")
#: The head of a file of gzip, without name and time.
_GZIP = b"\x1f\x8b\x08" + bytes(6) + b"\xff"
#: What is appended to the charting library: its one name that is used, for the function around it.
_LIBRARY = "chartingLibrary.embed=vegaEmbed;"


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
    shown = {one["name"] for one in overview["panels"]}
    script = f"{library}\n{_script({panel.name: panel.script for panel in panels if panel.name in shown})}"
    script = script.replace("</script", "<\\/script")
    scripts = " ".join(map(policy_hash, (theme, script)))
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
        f'<script type="module">{script}</script>',
        "</body></html>\n",
    ]
    return "\n".join(parts)


def _script(panels: Mapping[str, str]) -> str:
    """The modules of the page and those of panels; each of these exports a function ``draw``."""
    drawn = {f"panel_{name}": script for name, script in panels.items() if script}
    lines = [f"import * as {name} from './{name}.js';" for name in drawn]
    drawings = ", ".join(f"{name.removeprefix('panel_')}: {name}.draw" for name in drawn)
    entry = "\n".join([*lines, "import * as main from './main.js';", f"main.begin({{ {drawings} }}, chartingLibrary);"])
    return bundle(entry, lambda name: asset(f"{name}.js"), drawn)


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
    """The charting library as a function that gives its one function; its thousands of names stay inside of it."""
    converter = library("vl_convert", "the report needs vl-convert", "report")
    name = f"vega-{converter.__version__}-{hashlib.sha256(_LIBRARY.encode()).hexdigest()[:8]}.js"
    content = kept_script(name, lambda: str(converter.javascript_bundle(_LIBRARY)))
    inside = f"const chartingLibrary = {{}};\n{content}\nreturn chartingLibrary.embed;"
    return f"const chartingLibrary = () => {{ {inside} }};"
