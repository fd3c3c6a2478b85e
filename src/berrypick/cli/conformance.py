"""berrypick conformance."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from berrypick.cli import flags
from berrypick.cli.output import HELP, Output, show_notes, tell
from berrypick.data.errors import InputError, nesting_refused
from berrypick.files.files import atomic_writer, file_name, read_whole
from berrypick.files.limits import json_cost
from berrypick.files.strict_json import strict_json
from berrypick.tables.analysis_table import OUTPUTS, render
from berrypick.testing.conformance import vectors
from berrypick.testing.conformance.conformance import conformance


@click.command(
    "conformance", short_help="Check published cases against berrypick and other tools.", context_settings=HELP
)
@click.option(
    "--tool", "tools", multiple=True, metavar="NAME", help="Only this tool; repeatable. [default: all installed]"
)
@click.option("--values", "programs", multiple=True, metavar="FILE", help="Values of your own program; repeatable.")
@click.option("--copy", "target", metavar="FILE", help="Only write the vectors to a file.")
@flags.output(OUTPUTS)
def conformance_command(
    tools: tuple[str, ...], programs: tuple[str, ...], target: str | None, output: Output, places: int | None
) -> None:
    """Run the conformance vectors: small cases whose values follow from a rule with a published source.

    The exit code is 1 if berrypick computes another value, whatever other tools compute.

    \b
    berrypick conformance                          all tools that are installed
    berrypick conformance --copy vectors.json      the cases, for a program of your own
    berrypick conformance --values mine.json       what that program computed: {case: {measure: value}}
    """
    if target is not None:
        with atomic_writer(target) as out:
            out.write(vectors.PATH.read_text(encoding="utf-8"))
        tell(f"{target}: written, {len(vectors.cases())} cases")
        return
    own = {Path(path).stem: _values(path) for path in programs}
    found = conformance(tools or None, own)
    show_notes(found.notes)
    reasons = [f"{row.case}: {row.measure} is not as expected" for row in found.disagreements("berrypick")]
    output.show(lambda form, paint: render(found, form, places, paint), reasons)


def _values(path: str) -> dict[str, dict[str, float | None]]:
    """Read {case: {measure: value}}."""
    name, expected = file_name(path), 'expected {case: {measure: number or null}}, as {"ties": {"RR": 0.5}}'
    try:
        with nesting_refused(name, expected):
            found: Any = strict_json(read_whole(name, json_cost).decode("utf-8-sig"))
    except ValueError as error:
        raise InputError(f"is not JSON ({error})", path=name, remedy=expected) from None
    if not isinstance(found, dict) or not all(isinstance(values, dict) for values in found.values()):
        raise InputError("has no values by case and measure", path=name, remedy=expected)
    for case, values in found.items():
        for measure, value in values.items():
            if value is not None and (isinstance(value, bool) or not isinstance(value, (int, float))):
                raise InputError(f"{case}: {measure} is not a number: {json.dumps(value)}", path=name, remedy=expected)
    return found
