"""A web site: answer pages, pages that link to several of them, pages one click away."""

from __future__ import annotations

from berrypick.demo import _prose
from berrypick.demo._prose import DemoPart, DemoReading, Numbers, commands, items, paragraph, table

TITLE = "A web site"
PAGES = 42
FILES = DemoPart("web", "answers.qrels", ("exact.run", "hubs.run", "nearby.run"))
MEASURES = "EPRUM PRUM"
READERS = (
    DemoReading("classical", MEASURES, units=PAGES),
    DemoReading("hyperlink", MEASURES, units=PAGES, navigation="links.tsv"),
    DemoReading("table", MEASURES, units=PAGES, navigation="clicks.tsv"),
    DemoReading("markov", MEASURES, units=PAGES, navigation="visits.sessions"),
)


def numbers(measure: str = "EPRUM") -> Numbers:
    """``{reader: {run: value}}``."""
    return _prose.numbers(FILES, READERS, measure)


def text() -> str:
    return "\n".join([_scene(), table("EPRUM, a column per reader", numbers()), _why(), _searching_on(),
                      commands(FILES, READERS)])  # fmt: skip


def _scene() -> str:
    scene = paragraph(
        f"""An orchard's site has {PAGES} pages. For 8 questions it is known which pages answer them. Three runs hold
        8 pages for each question:"""
    )
    runs = {
        "exact": "the answers themselves, but none before rank 3",
        "hubs": "overview pages with links to several answers",
        "nearby": "pages with few links, one of them to an answer",
    }
    readers = {
        "classical": "looks at the pages in the list and clicks nothing",
        "hyperlink": "clicks one link on each page, any of them",
        "table": "clicks one link or none, as often as visitors were seen to",
        "markov": "wanders on, back and forth, as in 102 recorded visits",
    }
    return "\n".join([scene, items(runs), "Four readers go down the list:\n", items(readers)])


def _why() -> str:
    return paragraph(
        """Why: without a click only an answer itself counts, and EPRUM is average precision. A blind click is worth
        more on a page with two links than on one with six, so the neighbours win. But visitors seldom clicked on from
        such a page, and from a hub they nearly always did: with counted clicks the hubs win, the more so when visitors
        come back to the hub for the next answer."""
    )


def _searching_on() -> str:
    why = paragraph(
        f"""PRUM asks another question of the same readers: of everything they look at until they have seen
        enough, how much leads to something new? A reader whom the list does not satisfy goes on through the
        rest of the {PAGES} pages in any order. Only the list of exact surely leads to all answers, so
        here it stays ahead, whoever reads."""
    )
    return "\n".join([table("PRUM, a column per reader", numbers("PRUM")), why])
