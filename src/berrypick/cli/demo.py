"""berrypick demo."""

from __future__ import annotations

import click

from berrypick.cli.output import HELP, say, show, tell
from berrypick.data.errors import UsageError, nearest, one_line


@click.command("demo", short_help="Evaluate the bundled examples.", context_settings=HELP)
@click.argument("parts", nargs=-1, metavar="[web|video|campaign|rag]...")
@click.option("--all", "everything", is_flag=True, help="All parts with explanations, and the commands behind them.")
@click.option("--html", metavar="FILE", help="Also write an HTML report on the campaign.")
@click.option("--copy", metavar="FOLDER", help="Copy the files of the documentation's examples into a new folder.")
def demo_command(parts: tuple[str, ...], everything: bool, html: str | None, copy: str | None) -> None:
    """Evaluate the bundled examples: on one screen, or some parts of them with explanations.

    \b
    berrypick demo web --html report.html
    berrypick demo --copy examples
    """
    from berrypick import demo

    if copy is not None:
        if parts or everything or html is not None:
            raise UsageError("--copy writes files and evaluates nothing: give it alone")
        _copy(copy)
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


def _copy(folder: str) -> None:
    from berrypick.demo.demo_files import copy_examples

    written = copy_examples(folder)
    for path in written:
        say(one_line(str(path)))
    tell(f"{len(written)} files; the commands of the documentation work in {folder}")
