"""berrypick track."""

from __future__ import annotations

import sys

import click

from berrypick.cli.output import HELP, painter, progress_bar, say, show, show_notes, tell


@click.command("track", short_help="Compute and publish the official results of a track.", context_settings=HELP)
@click.argument("track")
@click.argument("runs", nargs=-1, required=True)
@click.option(
    "-o",
    "--output",
    "folder",
    required=True,
    metavar="FOLDER",
    help="Folder to write: new, empty, or of an earlier call.",
)
def track_command(track: str, runs: tuple[str, ...], folder: str) -> None:
    """Score all RUNS of a track, and write results.json, leaderboard.html and a page per team into a folder.

    TRACK is a track file. Runs are checked first; if one breaks a rule, every problem is printed as by berrypick check
    --track, and nothing is written. Runs that share a letter are not significantly different.

    \b
    berrypick track track.toml runs/*.run -o official
    """
    from berrypick.tables.analysis_table import render
    from berrypick.tracks.official import official_results
    from berrypick.tracks.submissions import check_track

    check = check_track(track, runs)
    if check.problems:
        for problem in check.problems:
            say(str(problem), err=True)
        tell(f"{check.line}; nothing was written")
        sys.exit(2)
    with progress_bar() as progress:
        found = official_results(check, progress)
    written = found.write_pages(folder)
    show_notes(found.notes)
    show(render(found, "table", None, painter()), True)
    tell(f"{folder}: {', '.join(name.rpartition('/')[2] for name in written[:2])} and a page for each of "
         f"{len(written) - 2} teams")  # fmt: skip
