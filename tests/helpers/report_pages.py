"""Report pages taken apart again, and hostile names to put into them."""

from __future__ import annotations

import base64
import gzip
import json
import re
from pathlib import Path
from typing import Any

HOSTILE = [
    "</script><script>window.hurt = 1</script>",
    '"><img src=x onerror="window.hurt = 2">',
    "{{constructor.constructor('window.hurt = 3')()}}${window.hurt = 4}",
    "right\u202eot\u2066left\u2069",
    "nul\x00 bell\x07 escape\x1b[31m",
    "w" * 100_000,
    "half \ud800 of a character",
    "<!--<script>",
    "-->]]>&lt;&#60;",
    "emoji \U0001f353 and e\u0301",
]


class Page:
    """The data of a page."""

    def __init__(self, path: Path | str) -> None:
        self.content = Path(path).read_text(encoding="utf-8")
        found = re.search(r'<script type="application/json" id="overview">(.*?)</script>', self.content, re.DOTALL)
        assert found is not None
        self.overview: dict[str, Any] = json.loads(found[1])
        blocks = re.findall(r'<script type="text/plain" data-block="(\d+)">([^<]*)</script>', self.content)
        assert [int(number) for number, _ in blocks] == list(range(len(blocks)))
        self.blocks = [block for _, block in blocks]

    def block(self, number: int) -> dict[str, Any]:
        return json.loads(gzip.decompress(base64.b64decode(self.blocks[number])))

    def topic(self, name: str) -> dict[str, Any]:
        return self.block(self.overview["details"][self.overview["topics"].index(name)])
