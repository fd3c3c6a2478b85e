"""berrypick demo."""

from __future__ import annotations

import shlex

import click

from berrypick.cli.output import HELP, say, show, tell
from berrypick.data.errors import UsageError, nearest, one_line


@click.command("demo", short_help="Evaluate a bundled example, or copy its files.", context_settings=HELP)
@click.argument("parts", nargs=-1, metavar="[rag|web|video|campaign]...")
@click.option("--all", "everything", is_flag=True, help="All parts with explanations; with --copy, all files.")
@click.option("--html", metavar="FILE", help="Also write an HTML report on the campaign.")
@click.option("--copy", metavar="FOLDER", help="Copy the files of a first evaluation into a new folder.")
def demo_command(parts: tuple[str, ...], everything: bool, html: str | None, copy: str | None) -> None:
    """Evaluate a bundled example: one story, or some parts with explanations.

    --copy writes ten files to try the commands on; with --all, the files of every example in the documentation.

    \b
    berrypick demo --copy examples
    berrypick demo --copy examples --all
    berrypick demo web video
    """
    from berrypick import demo

    if copy is not None:
        if parts or html is not None:
            raise UsageError("--copy writes files and evaluates nothing: give it alone or with --all")
        _copy(copy, everything)
        return
    for name in parts:
        if name not in demo.PARTS:
            known = list(demo.PARTS)
            raise UsageError(f"the demo has no part {name}{nearest(name, known) or '; available: ' + ', '.join(known)}")
    show(demo.text() if everything else demo.text(parts) if parts else demo.summary())
    if html is not None:
        made = demo.campaign.write_page(html)
        say("", err=True)
        tell(f"{html}: a report on the campaign ({made.size / 1e6:.1f} MB)")


def _copy(folder: str, everything: bool) -> None:
    """Copy files of the examples, list them, and say what to type next."""
    from berrypick.demo import FIRST_COMMAND
    from berrypick.demo.demo_files import copy_examples, example_files, first_files

    written = copy_examples(folder, example_files() if everything else first_files())
    for path in written:
        say(one_line(str(path)))
    tell(f"{len(written)} files. Next: cd {shlex.quote(one_line(folder))} && {FIRST_COMMAND}")
