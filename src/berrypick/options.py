"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from berrypick.analysis.compare import TESTS
from berrypick.analysis.statistics import CORRECTIONS
from berrypick.core.truth import OFFSETS
from berrypick.corpus.locate import QUOTES
from berrypick.setting import EFFORTS

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def together(*options: Decorator) -> Decorator:
    """Several options as one, in the order of the help."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def measures(example: str) -> Decorator:
    return click.option("-m", "--measure", "asked", multiple=True, help=f"Measures, e.g. '{example}'. [of the task]")


def draws(resamples: int) -> Decorator:
    """How intervals are drawn."""
    return together(
        click.option(
            "--confidence", type=float, default=0.95, show_default=True, help="Of intervals; significant: 1 - this."
        ),
        click.option("--resamples", type=int, default=resamples, show_default=True, metavar="N", help="Random draws."),
        click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Of the random draws."),
    )


#: How systems are compared.
comparison = together(
    click.option(
        "--baseline", metavar="RUN", help="The run that others are compared with, by name or file. [the first]"
    ),
    click.option("--test", type=click.Choice(TESTS), default="randomisation", show_default=True, help="Paired test."),
    click.option(
        "--correction", type=click.Choice(CORRECTIONS), default="holm", show_default=True, help="For many comparisons."
    ),
)

#: What evaluate and explain share.
reading = together(
    click.option("--user", metavar="SPEC", help="User model, e.g. hierarchy or t2i(tolerance=300). [classical]"),
    click.option("--navigation", metavar="FILE", help="Table of reach, links, or sessions, for the user model."),
    click.option("--collection", metavar="PATH", help="Folder of XML documents, index, or file of lengths."),
    click.option("--documents", metavar="PATH", help="The texts: a folder, or JSON Lines with doc and text."),
    click.option("--tokenizer", metavar="NAME", help="words, or tiktoken:ENCODING. [words]"),
    click.option("--offsets", type=click.Choice(OFFSETS), help="What offsets in span files count. [chars]"),
    click.option("--quotes", type=click.Choice(QUOTES), help="How quotes are found in the texts. [exact]"),
    click.option("--chunks", metavar="FILE", help="All chunks there are, as a run, for PrecisionOmega."),
    click.option("--units", type=int, metavar="N", help="Number of retrievable units, ranked ones included."),
    click.option("--idealism", metavar="MAP", help="Grades to the share of readers, e.g. '1=.5,2=1'."),
    click.option("--effort", type=click.Choice(EFFORTS), default="rank", show_default=True, help="What reading costs."),
    click.option("--protocol", metavar="NAME", help="A campaign's own rules: inex2006, inex2010, mediaeval2014, ..."),
    click.option("--task", metavar="NAME", help="thorough, focused, relevant-in-context or best-in-context."),
    click.option("--repair", metavar="RULE", help="Mend runs: drop-overlap, group or first-per-article."),
    click.option(
        "--left-out", default="", metavar="NAMES", help="Element names that count for nothing, e.g. 'a,link'."
    ),
    click.option(
        "--duplicates",
        type=click.Choice(["error", "first", "keep"]),
        help="Repeated results: refuse, drop later ones, or keep them without effect. [by format]",
    ),
    click.option("--format-truth", metavar="NAME", help="Format of the truth, if not to be recognised."),
    click.option("--format-run", metavar="NAME", help="Format of the runs, if not to be recognised."),
)

#: What whole evaluations have besides.
evaluation = together(
    click.option(
        "--topics",
        type=click.Choice(["judged", "run"]),
        help="All judged topics (missing ones count 0), or only those the run answers. "
        "[judged, or as the protocol says]",
    ),
    click.option("--jobs", type=click.IntRange(1), default=1, show_default=True, help="Processes to share the work."),
    reading,
)
