"""berrypick show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from berrypick import formats, measures, users
from berrypick.analysis.citations import bibtex as bibtex_of
from berrypick.cli.output import HELP, names_file, painter, say, show
from berrypick.data import spec as specs
from berrypick.data.errors import UsageError
from berrypick.data.laws import LAWS
from berrypick.data.references import bibtex, cited
from berrypick.data.score import Table
from berrypick.measures import document_measures
from berrypick.measures.typed_names import stands_for
from berrypick.registry.registry import Registry

KINDS: dict[str, Registry[Any]] = {"measure": measures.registry, "user": users.registry, "format": formats.registry}


if TYPE_CHECKING:
    Choice = click.Choice[str]
else:  # not generic before click 8.2
    Choice = click.Choice


class KindOrResults(Choice):
    """One of the kinds, or a file of results."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        return value if names_file(value) else super().convert(value, param, ctx)


@click.command("show", short_help="Describe one measure, user model or format.", context_settings=HELP)
@click.argument("kind", type=KindOrResults(list(KINDS)))
@click.argument("name", required=False)
@click.option("--bibtex", "as_bibtex", is_flag=True, help="Print the references as BibTeX; of a file of results too.")
def show_command(kind: str, name: str | None, as_bibtex: bool) -> None:
    """Describe one measure, user model or format: definition, parameters, references.

    \b
    berrypick show measure EPRUM
    berrypick show --bibtex results.json           what to cite for the results of evaluate -o json
    """
    if names_file(kind):
        if name is not None or not as_bibtex:
            raise UsageError(f"for the references of a file of results, type berrypick show --bibtex {kind}")
        say(bibtex_of(kind), nl=False)
        return
    if name is None:
        raise UsageError(f"which {kind}? berrypick list {kind}s names them all")
    if kind == "measure" and measures.registry.find(specs.parse(name).name) is None:
        name = stands_for(name) or name  # ndcg_cut_10 shows nDCG
    # charR@5 and t2i(tolerance=300) show charR and t2i
    value = KINDS[kind].find(name if kind == "format" else specs.parse(name).name)
    if value is None:
        if kind == "measure" and specs.parse(name).name in document_measures.names():
            raise UsageError(f"{name} is provided by ir_measures; see https://ir-measur.es")
        raise KINDS[kind].unknown(name if kind == "format" else specs.parse(name).name)
    if issubclass(value, formats.Format):
        say(_page(value))
        return
    references = value.references
    if as_bibtex:
        say("\n".join(bibtex(key) for key in references))
        return
    say(_page(value))
    rows = [[p.name, "none" if p.default is None else repr(p.default), p.help] for p in value.parameters()]
    if rows:
        show("\n" + painter()(Table("Parameters", ["name", "default", "meaning"], rows, "<<<"), ()), True)
    if kind == "measure":
        say("\nLaws")
        for law in value.declared_laws():
            say(f"  {law}: {LAWS[law]}")
    if references:
        say("\nReferences")
        for key in references:
            say(f"  {cited(key)}")


def _page(value: type) -> str:
    from textwrap import dedent

    # not inspect.getdoc, which turns TABs into blanks
    page = value.specification() if issubclass(value, formats.Format) else value.__doc__ or ""
    first, _, rest = page.partition("\n")
    return f"{value.name()}: {first}\n{dedent(rest).rstrip()}"  # type: ignore[attr-defined]
