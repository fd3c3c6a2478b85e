"""berrypick agreement."""

from __future__ import annotations

import click

from berrypick import formats
from berrypick.cli.output import HELP, say, show_notes
from berrypick.evaluation.notes import reading_notes


@click.command("agreement", short_help="Measure the agreement of annotators.", context_settings=HELP)
@click.argument("truth")
@click.option("--format-truth", metavar="NAME", help="Truth file format. [default: detect]")
def agreement_command(truth: str, format_truth: str | None) -> None:
    """Show how far the annotators of TRUTH agree: Krippendorff's alpha, on characters.

    Needs krippendorff: pip install 'berrypick[annotations]'.

    \b
    berrypick agreement export.json
    """
    from berrypick.judgements.agreement import agreement

    read = formats.read_truth(truth, format_truth)
    show_notes(reading_notes(read, truth))
    say(str(agreement(read)))
