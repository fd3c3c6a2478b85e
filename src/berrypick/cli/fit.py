"""berrypick fit."""

from __future__ import annotations

from typing import Any

import click

from berrypick.cli.flags import OutputType
from berrypick.cli.output import HELP, default_output, painter, progress_bar, refuse_overwriting, show, show_notes, tell
from berrypick.data.errors import UsageError
from berrypick.tables import analysis_table
from berrypick.users import is_file


@click.command("fit", short_help="Estimate a user model from a log.", context_settings=HELP)
@click.argument("model", metavar="MODEL")
@click.argument("log")
@click.option(
    "-o",
    "--output",
    "outputs",
    type=OutputType(analysis_table.OUTPUTS),
    multiple=True,
    metavar="FILE.json|FORMAT",
    help=f"File to write, for --user; or what to print: {', '.join(analysis_table.OUTPUTS)}. Repeatable. "
    "[default: table on a terminal, else tsv]",
)
@click.option("--format", "form", type=click.Choice(analysis_table.OUTPUTS), metavar="NAME", help="Same as -o FORMAT.")
@click.option("--held-out", type=float, default=0.2, show_default=True, metavar="SHARE", help="Share of the sessions "
              "held out to check the model; 0 for none.")  # fmt: skip
@click.option("--links", metavar="FILE", help="Links between pages: markov smooths the shares of steps towards them, "
              "seek follows them.")  # fmt: skip
@click.option("--goals", metavar="FILE", help="For seek, the goal of each session: session TAB goal [TAB player]; "
              "sessions count from 1.")  # fmt: skip
@click.option("--documents", metavar="PATH", help="For seek, the texts of pages: a folder, or JSON Lines.")
@click.option("--truth", metavar="FILE", help="Judgements. t2i, distance and bep read LOG as a run with a rank for "
              "each step; forage takes the gaps that readers expect from them.")  # fmt: skip
@click.option("--format-run", metavar="NAME", help="With --truth: format of the sessions (default: detect).")
@click.option("--visits", type=click.Choice(["ahead", "all"]), help="With --truth: fit only visits with something "
              "relevant still ahead, or all visits. [default: ahead]")  # fmt: skip
@click.option(
    "--collection", metavar="PATH", help="Lengths of documents, for bep and forage: a folder, an index or a file."
)
@click.option("--confidence", type=float, default=0.95, show_default=True, help="Confidence level of intervals.")
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Random seed of the split.")
@click.option("-p", "--places", type=click.IntRange(0, 17), help="Digits shown in tables. [default: 4]")
def fit_command(
    model: str,
    log: str,
    outputs: tuple[str, ...],
    form: str | None,
    links: str | None,
    goals: str | None,
    documents: str | None,
    truth: str | None,
    collection: str | None,
    places: int | None,
    **settings: Any,
) -> None:
    """Estimate a user model from LOG by maximum likelihood, and check it on sessions held out.

    MODEL is markov, which reads sessions; seek, which reads sessions with goals; t2i, distance, bep or forage, which
    read reading logs; or a model of another package that has a method fit. Parameters in brackets stay as they are, as
    in "distance(law='inverse')" or "bep(L=5000)".

    \b
    berrypick fit markov visits.sessions --links links.tsv -o reader.json
    berrypick fit seek games.json --links links.tsv -o reader.json
    berrypick fit t2i reading.jsonl -o reader.json
    berrypick fit t2i sessions.jsonl --truth gold.jsonl -o reader.json
    berrypick fit forage reading.jsonl --truth gold.jsonl --collection lengths.tsv -o reader.json
    berrypick evaluate truth.jsonl my.run -m EPRUM --user reader.json
    """
    from berrypick.analysis.fit.fit import fit  # loads SciPy, which the help does not need

    target, printed = _outputs((*outputs, form) if form else outputs)
    if target is not None:
        refuse_overwriting(target, [log, links, goals, documents, truth, collection])
    with progress_bar("checking", "pages") as progress:
        files: dict[str, Any] = {
            "links": links,
            "goals": goals,
            "documents": documents,
            "truth": truth,
            "collection": collection,
        }
        found = fit(model, log, progress=progress, **files, **settings)
    show_notes(found.notes)
    if target is not None:
        found.write(target)
        tell(f"{target}: {found.reader.user}, checksum {found.reader.content['checksum']}")
    chosen = printed or default_output()
    show(analysis_table.render(found, chosen, places, painter()), chosen == "table")


def _outputs(given: tuple[str, ...]) -> tuple[str | None, str | None]:
    """The file to write, and the format to print."""
    target: str | None = None
    printed: str | None = None
    for one in given:
        if one in analysis_table.OUTPUTS and printed is None:
            printed = one
        elif is_file(one) and target is None:
            target = one
        elif one in analysis_table.OUTPUTS or is_file(one):
            raise UsageError("-o takes one file and one format")
        else:
            raise UsageError(f"-o takes FILE.json or one of {', '.join(analysis_table.OUTPUTS)}, not {one}")
    return target, printed
