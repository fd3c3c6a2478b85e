"""berrypick relocate."""

from __future__ import annotations

import json

import click

from berrypick import formats
from berrypick.cli import flags
from berrypick.cli.output import HELP, refuse_overwriting, show_notes
from berrypick.evaluation.notes import reading_notes
from berrypick.files.files import atomic_writer


@click.command("relocate", short_help="Move judgements to a new version of the documents.", context_settings=HELP)
@click.argument("truth")
@click.option("--from", "old", required=True, metavar="PATH", help="Texts that were judged.")
@click.option("--to", "new", required=True, metavar="PATH", help="New version of the texts.")
@flags.file_or_print("Truth to write; or span-truth, to print. Repeatable.", lambda: ["span-truth"])
@click.option("--report", "report", metavar="FILE", help="JSON Lines file to write: the outcome for every span.")
@click.option("--format-truth", metavar="NAME", help="Truth file format. [default: detect]")
def relocate_command(
    truth: str, old: str, new: str, result: flags.Destination, report: str | None, format_truth: str | None
) -> None:
    """Carry the spans of TRUTH into a new version of their documents.

    TRUTH judges spans of characters or lines. Spans are found by their text, by the text around them, and by an
    alignment of both versions; in another document only where their text is there and nowhere else. What has changed
    or come apart is placed and counted; what is ambiguous or gone is left out. The report has a row for every span:
    topic, status, from, to. Documents whose text has changed need RapidFuzz: pip install 'berrypick[chunks]'.

    \b
    berrypick relocate truth.jsonl --from docs-1.0 --to docs-2.0 -o truth-2.0.jsonl --report changes.jsonl
    """
    from berrypick.judgements.relocate import CERTAIN, relocate

    result.refuse_overwriting([truth, report], old)
    result.refuse_overwriting([truth], new)
    if report is not None:
        refuse_overwriting(report, [truth], old)
    read = formats.read_truth(truth, format_truth)
    show_notes(reading_notes(read, truth))
    found = relocate(read, old, new)

    def write(path: str, form: str | None) -> str:
        formats.write(found.truth, path, "span-truth")
        if report is not None:
            with atomic_writer(report) as out:
                out.writelines(json.dumps(case.as_dict(), ensure_ascii=False) + "\n" for case in found.cases)
        return str(found)

    result.give(write)
    unsure = sum(case.status not in CERTAIN for case in found.cases)
    if unsure and report is None:
        show_notes([f"--report FILE lists the {unsure} spans to check"])
