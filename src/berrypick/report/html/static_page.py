"""Pages without data behind them, such as leaderboards and histories: one file that needs no network."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from berrypick._version import __version__
from berrypick.data.errors import one_line
from berrypick.report.html.report_page import asset, policy_hash


def static_page(title: str, heading: str, about: str, body: Sequence[str], styles: str, generator: str) -> str:
    """A page; its content security policy allows its own styles and script, and nothing else.

    ``title`` is plain text, the other parts are HTML; ``styles`` follow those of the report.
    """
    style = asset("page.css") + "\n" + styles
    theme = asset("theme.js")
    policy = (
        f"default-src 'none'; script-src {policy_hash(theme)}; style-src {policy_hash(style)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            generator,
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="referrer" content="no-referrer">',
            '<link rel="icon" href="data:,">',
            f"<title>{escape(one_line(title)[:200])}</title>",
            f"<style>{style}</style>",
            f"<script>{theme}</script></head>",
            '<body><a class="skip" href="#main">Skip to the content</a>',
            f'<header id="top"><div class="brand"><h1>{heading}</h1><p id="subtitle">{about}</p></div>',
            '<div class="tools"><button type="button" id="theme" class="plain" hidden>Dark</button></div></header>',
            '<main id="main" tabindex="-1">',
            *body,
            "</main>",
            f'<footer id="foot">berrypick {escape(__version__)}. Self-contained; works offline.</footer>',
            "</body></html>\n",
        ]
    )


def name(text: str) -> str:
    """A name from a file: it shows all of its characters, and does not turn the text around it."""
    return f'<bdi class="name">{escape(one_line(text))}</bdi>'


def wide(label: str, table: str) -> str:
    """A table that scrolls on its own where the window is narrow, by keys as well."""
    return f'<div class="wide" role="region" tabindex="0" aria-label="{escape(one_line(label))}">{table}</div>'
