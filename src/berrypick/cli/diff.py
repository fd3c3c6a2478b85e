"""berrypick diff."""

from __future__ import annotations

import click

from berrypick.analysis.comparison.difference import diff
from berrypick.analysis.comparison.difference_text import render_difference
from berrypick.cli import flags
from berrypick.cli.output import HELP, Output, show_notes
from berrypick.tables.analysis_table import OUTPUTS


@click.command("diff", short_help="Show what changed between two results files.", context_settings=HELP)
@click.argument("old")
@click.argument("new")
@click.option("--tolerance", type=float, default=1e-9, show_default=True, help="Ignore changes up to this size.")
@click.option("--rename", multiple=True, metavar="OLD=NEW", help="A run that was renamed; repeatable.")
@click.option("--force", is_flag=True, help="Compare numbers although their signatures differ.")
@flags.truths
@click.option("--fail-if-different", is_flag=True, help="Exit with 1 if anything differs.")
@flags.output(OUTPUTS)
def diff_command(
    old: str,
    new: str,
    tolerance: float,
    rename: tuple[str, ...],
    force: bool,
    different_truth: bool,
    common_topics: bool,
    fail_if_different: bool,
    output: Output,
    places: int | None,
) -> None:
    """Show what changed between OLD and NEW, two files written by evaluate -q -o json.

    Numbers of two truths are refused: --common-topics compares the topics that both judge identically.

    \b
    berrypick evaluate truth.qrels my.run -m EPRUM -q -o json > new.json
    berrypick diff old.json new.json --fail-if-different
    """
    truths = {"different_truth": different_truth, "common_topics": common_topics}
    found = diff(old, new, tolerance=tolerance, force=force, rename=rename, **truths)
    show_notes(found.notes)
    reasons = [found.reason] if fail_if_different and found else []
    output.show(lambda form, paint: render_difference(found, form, places, paint), reasons)
