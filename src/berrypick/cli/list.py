"""berrypick list."""

from __future__ import annotations

from typing import Any

import click

from berrypick import formats
from berrypick.cli import flags
from berrypick.cli.kinds import KINDS
from berrypick.cli.output import HELP, Output, tell
from berrypick.data.papers import TITLES
from berrypick.data.score import Table
from berrypick.measures import document_measures
from berrypick.tables import tables


@click.command("list", short_help="List measures, user models, formats, protocols or commands.", context_settings=HELP)
@click.argument("what", type=click.Choice([*(f"{kind}s" for kind in KINDS), "commands", "papers"]))
@flags.output_format(("table", "json", "jsonl"), default="table", form=False)
def list_command(what: str, output: Output) -> None:
    """List all measures, user models ("users"), formats, or protocols with their versions and checksums.

    "commands" lists the commands by task. "papers" lists what the papers define, equation by equation, with the call
    that computes it.

    \b
    berrypick list measures
    berrypick list protocols -o json
    berrypick list papers
    """
    if what == "papers":
        output.show(_papers)
        return
    if what == "commands":
        output.show(_commands)
        return
    kind = what.removesuffix("s")
    rows = _rows(kind)

    def rendered(form: str, paint: tables.Paint) -> str:
        if form != "table":
            return tables.json_text(rows, form)
        columns = [kind, *list(rows[0])[1:-1], "what it is"]
        table = paint(Table("", columns, [[*row.values()] for row in rows], "<" * len(columns)), ())
        others = f"\nDocument measures, scored by ir_measures: {', '.join(document_measures.names())}\n"
        return table + (others if kind == "measure" else "")

    output.show(rendered)
    for problem in KINDS[kind].problems():
        tell(problem)


def _commands(form: str, paint: tables.Paint) -> str:
    """The commands, ours by task."""
    from berrypick.cli import TASKS, cli  # the group imports this file

    context = click.get_current_context()
    tasks = {name: task for task, names in TASKS.items() for name in names}
    rows = [
        {"name": name, "task": tasks.get(name, ""), "description": command.get_short_help_str(200)}
        for name in cli.list_commands(context)
        if (command := cli.get_command(context, name)) is not None
    ]
    if form != "table":
        return tables.json_text(rows, form)
    return paint(Table("", ["command", "task", "what it does"], [[*row.values()] for row in rows], "<<<"), ())


def _papers(form: str, paint: tables.Paint) -> str:
    """The index of the papers, a table for each."""
    from berrypick.evaluation.papers import paper_items

    items = paper_items()
    if form != "table":
        return tables.json_text([item._asdict() for item in items], form)
    head = ["section", "equation", "kind", "item", "call"]
    return "\n".join(
        paint(Table(title, head, [list(item[1:]) for item in items if item.paper == key], "<><<<"), ())
        for key, title in TITLES.items()
    )


def _rows(kind: str) -> list[dict[str, str]]:
    """What a list says of each; of ours what their files say, which need no import for that."""
    registry = KINDS[kind]
    rows = []
    for name, one in registry.definitions().items():
        role = {"role": one.facts["role"]} if "role" in one.facts else {}
        read = {"name": name, **role, "description": one.description}
        rows.append(read if one.description else _row(kind, name, registry.load(one)))
    return rows + [_row(kind, name, value) for name, value in registry.others().items()]


def _row(kind: str, name: str, value: Any) -> dict[str, str]:
    """What a list says of one: its name first, its description last."""
    if kind == "protocol":
        return {"name": name, "version": value.version, "checksum": value.checksum, "description": value.what}
    role = {"role": value.role} if issubclass(value, formats.Format) else {}
    return {"name": name, **role, "description": value.description()}
