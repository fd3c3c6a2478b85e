"""berrypick list."""

from __future__ import annotations

import click

from berrypick import formats
from berrypick.cli.output import HELP, painter, say, show, tell
from berrypick.cli.show import KINDS
from berrypick.data.score import Table
from berrypick.measures import document_measures


@click.command("list", short_help="List measures, user models or formats.", context_settings=HELP)
@click.argument("what", type=click.Choice(["measures", "users", "formats"]))
def list_command(what: str) -> None:
    """List all measures, user models ("users") or formats.

    \b
    berrypick list measures
    """
    kind = KINDS[what.removesuffix("s")]
    if what == "formats":
        rows = [[name, value.role, value.description()] for name, value in formats.registered().items()]
        show(painter()(Table("", ["format", "role", "what it is"], rows, "<<<"), ()), True)
    else:
        rows = [[name, value.description()] for name, value in kind.all().items()]
        show(painter()(Table("", [what.removesuffix("s"), "what it is"], rows, "<<"), ()), True)
    if what == "measures":
        say(f"\nDocument measures, scored by ir_measures: {', '.join(document_measures.names())}")
    for problem in kind.problems():
        tell(problem)
