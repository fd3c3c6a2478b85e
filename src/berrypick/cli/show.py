"""berrypick show."""

from __future__ import annotations

import json
import os
import re
from typing import Any

import click

from berrypick import formats, measures, users
from berrypick.analysis.citations import bibtex as bibtex_of
from berrypick.cli import flags
from berrypick.cli.kinds import KINDS
from berrypick.cli.output import HELP, Output, names_file, say
from berrypick.data import spec as specs
from berrypick.data.errors import UsageError, nearest
from berrypick.data.laws import LAWS
from berrypick.data.navigation import FittedReader
from berrypick.data.references import bibtex, cited
from berrypick.data.score import Table
from berrypick.evaluation.protocols.base import RULES, Protocol
from berrypick.measures import document_measures
from berrypick.measures.paper_names import explained, stands_for_printed
from berrypick.measures.typed_names import stands_for
from berrypick.tables import tables


@click.command(
    "show", short_help="Describe a measure, user model, format, protocol or fitted reader.", context_settings=HELP
)
@click.argument("words", nargs=-1, required=True, metavar=f"[{'|'.join(KINDS)}|schema] NAME")
@click.option("--bibtex", "as_bibtex", is_flag=True, help="Print the references as BibTeX; of a file of results too.")
@flags.output_format(("table", "json", "jsonl"), default="table", form=False)
def show_command(words: tuple[str, ...], as_bibtex: bool, output: Output) -> None:
    """Describe a measure, user model, format or protocol: definition, parameters, rules, references.

    A name that is of two kinds is shown for both; the kind before the name chooses one. Of the file of a fitted
    reader, show prints the parameters with their intervals, and what they were estimated from.

    \b
    berrypick show EPRUM
    berrypick show protocol inex2010
    berrypick show reader.json                     what berrypick fit -o reader.json found, and from what
    berrypick show --bibtex results.json           what to cite for the results of evaluate -o json
    berrypick show schema evaluate                 the JSON Schema of what evaluate -o json prints
    """
    if words[0] == "schema":
        say(_schema(words[1:]))
        return
    if len(words) == 1 and not as_bibtex and _is_reader(words[0]):
        reader = users.read_fitted(words[0])
        assert reader is not None
        output.show(lambda form, paint: _reader(reader, form, paint))
        return
    found = [(kind, value) for kind in _kinds(words) if (value := _found(kind, words[-1])) is not None]
    if not found and len(words) == 1 and names_file(words[0]) and (as_bibtex or os.path.exists(words[0])):
        if not as_bibtex:
            raise UsageError(f"for the references of a file of results, type berrypick show --bibtex {words[0]}")
        say(bibtex_of(words[0]), nl=False)
        return
    if not found:
        raise _unknown(words)
    if as_bibtex:
        say("\n".join(bibtex(key) for _, value in found for key in getattr(value, "references", ())))
        return

    def rendered(form: str, paint: tables.Paint) -> str:
        if form != "table":
            return tables.json_text([_record(kind, value) for kind, value in found], form)
        said = explained(words[-1]) if any(kind == "measure" for kind, _ in found) else ""
        return (f"{said}\n\n" if said else "") + "\n".join(_text(kind, value, paint) for kind, value in found)

    output.show(rendered)


def _schema(words: tuple[str, ...]) -> str:
    """The JSON Schema of what a command prints."""
    from berrypick.cli.json_schemas import names, schema_of

    found = schema_of(words[0]) if len(words) == 1 else None
    if found is None:
        raise UsageError(f"show schema takes one of {', '.join(names())}, not {' '.join(words)!r:.80}")
    return json.dumps(found, indent=1)


def _is_reader(name: str) -> bool:
    """Whether a name is that of a file with a fitted reader."""
    if not (users.is_file(name) and os.path.isfile(name)):
        return False
    from berrypick.files.files import head
    from berrypick.formats.navigation.fitted_reader import FittedUserModel

    return FittedUserModel.recognises(head(name))


def _reader(reader: FittedReader, form: str, paint: tables.Paint) -> str:
    content = reader.content
    if form != "table":
        held = {key: value for key, value in content.items() if key not in ("transitions", "visits", "links")}
        return tables.json_text([{"kind": "reader", **held}], form)
    sessions, period = content.get("sessions") or {}, content.get("period") or {}
    facts = [
        ["model", content.get("model")],
        ["unit", content.get("unit")],
        ["agent", content.get("agent")],
        ["version", content.get("version")],
        ["sessions", sessions.get("count")],
        ["sessions, checksum", sessions.get("checksum")],
        ["period", f"{period['first']} to {period['last']}" if period else None],
        ["log", (content.get("data") or {}).get("log")],
        ["checksum", content.get("checksum")],
    ]
    rows = [[str(name), "not known" if value is None else str(value)] for name, value in facts]
    percent = f"{100 * reader.confidence:.4g}% interval"
    known = [
        [name, f"{one['value']:.4g}", "" if one.get("low") is None else f"[{one['low']:.4g}, {one['high']:.4g}]"]
        for name, one in (content.get("parameters") or {}).items()
    ]
    parts = [f"{reader.user}\n", paint(Table("", ["fact", "value"], rows, "<<"), ())]
    if known:
        parts.append(paint(Table("", ["parameter", "value", percent], known, "<><"), ()))
    return "\n".join(parts)


def _kinds(words: tuple[str, ...]) -> list[str]:
    """The kinds to look in: the first of two words, else all."""
    if len(words) == 1:
        return list(KINDS)
    if len(words) > 2 or words[0] not in KINDS:
        given = " ".join(words)
        raise UsageError(f"show takes a name, and before it one of {', '.join(KINDS)}, not {given!r:.80}")
    return [words[0]]


def _bare(kind: str, name: str) -> str:
    """A name without parameters: charR@5 and t2i(tolerance=300) show charR and t2i."""
    return specs.parse(name).name if kind in ("measure", "user") else name


def _found(kind: str, name: str) -> Any:
    if kind == "measure":
        name = stands_for_printed(name) or name  # nxCG[5] shows nxCG
    try:
        bare = _bare(kind, name)
    except UsageError:
        return None  # no measure and no user model has such a name
    if kind == "measure" and measures.registry.find(bare) is None:
        bare = _bare(kind, stands_for(name) or name)  # ndcg_cut_10 shows nDCG
    return KINDS[kind].find(bare)


def _unknown(words: tuple[str, ...]) -> UsageError:
    name, kinds = words[-1], _kinds(words)
    if words[0] in KINDS and len(words) == 1:
        return UsageError(f"which {name}? berrypick list {name}s names them all")
    if "measure" in kinds and re.split(r"[(@]", name)[0] in document_measures.names():
        return UsageError(f"{name} is provided by ir_measures; see https://ir-measur.es")
    if len(kinds) == 1:
        return KINDS[kinds[0]].unknown(_bare(kinds[0], name))
    offer = nearest(name, [known for kind in kinds for known in KINDS[kind].names()])
    return UsageError(f"no measure, user model, format or protocol is called {name}{offer}")


def _text(kind: str, value: Any, paint: tables.Paint) -> str:
    """What a person reads."""
    if isinstance(value, Protocol):
        return _protocol_text(value, paint)
    parts = [_page(value) + "\n"]
    if kind == "format":
        return parts[0]
    rows = [[p.name, "none" if p.default is None else repr(p.default), p.help] for p in value.parameters()]
    if rows:
        parts.append("\n" + paint(Table("Parameters", ["name", "default", "meaning"], rows, "<<<"), ()))
    if kind == "measure":
        parts += ["\nLaws\n", *(f"  {law}: {LAWS[law]}\n" for law in value.declared_laws())]
    if items := vars(value).get("papers", ()):
        parts += ["\nIn the papers\n", *(f"  {item.place()}: {item.item}: {item.call}\n" for item in items)]
    if value.references:
        parts += ["\nReferences\n", *(f"  {cited(key)}\n" for key in value.references)]
    return "".join(parts)


def _protocol_text(value: Protocol, paint: tables.Paint) -> str:
    topics = "a run's own" if value.topics == "run" else "all that are judged"
    facts = [["version", value.version], ["checksum", value.checksum], ["topics scored", topics]]
    facts += [["results counted", f"the first {value.longest} of a topic"]] if value.longest is not None else []
    facts += [["elements ignored", ", ".join(value.ignore_elements)]] if value.ignore_elements else []
    facts += [["measures", value.default]] if value.default else []
    facts += [[f"measures of {task}", measures] for task, measures in value.measures.items()]
    rules = [[rule, RULES[rule]] for rule in sorted(value.rules)]
    parts = [f"{value.name}: {value.what}\n", paint(Table("", ["fact", "value"], facts, "<<"), ())]
    if rules:
        parts.append(paint(Table("Rules of its program", ["rule", "meaning"], rules, "<<"), ()))
    return "\n".join(parts)


def _record(kind: str, value: Any) -> dict[str, Any]:
    """What a program reads."""
    if isinstance(value, Protocol):
        import json

        own = {"name": value.name, "version": value.version, "checksum": value.checksum, "description": value.what}
        return {"kind": kind, **own, **json.loads(value.canonical())}
    found = {"kind": kind, "name": value.name(), "description": value.description(), "text": _page(value)}
    if kind == "format":
        return {**found, "role": value.role}
    shown = [{"name": p.name, "default": p.default, "meaning": p.help} for p in value.parameters()]
    laws = {"laws": list(value.declared_laws())} if kind == "measure" else {}
    papers = [item._asdict() for item in vars(value).get("papers", ())]
    return {**found, "parameters": shown, **laws, "references": list(value.references), "papers": papers}


def _page(value: type) -> str:
    from textwrap import dedent

    # not inspect.getdoc, which turns TABs into blanks
    page = value.specification() if issubclass(value, formats.Format) else value.__doc__ or ""
    first, _, rest = page.partition("\n")
    return f"{value.name()}: {first}\n{dedent(rest).rstrip()}"  # type: ignore[attr-defined]
