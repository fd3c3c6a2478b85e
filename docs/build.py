"""Build the generated pages and the pictures of docs/.

    python docs/build.py            write them here
    python docs/build.py FOLDER     write the pages and the pictures into another folder

Everything comes from docstrings, declared parameters and options, and the demonstration: to change a page, change
those. The plots are drawn by the commands above them in how-to/plots.md.
"""

from __future__ import annotations

import inspect
import io
import os
import re
import shlex
import sys
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr
from importlib import import_module
from pathlib import Path
from typing import TypeVar

from berrypick import formats, measures, users
from berrypick.cli import main as berrypick
from berrypick.data.laws import LAWS
from berrypick.data.papers import TITLES
from berrypick.data.parameters import Parameterized
from berrypick.data.references import cited
from berrypick.demo import campaign
from berrypick.evaluation.papers import paper_items
from berrypick.formats import Format
from berrypick.measures import _documents as document_measures
from berrypick.measures.base import Measure
from berrypick.users import UserModel

from _markdown import GENERATED, first, grid, markdown, text
from _picture import picture
from _reference import api_pages, cli_pages, options_page

T = TypeVar("T")
HERE = Path(__file__).parent
#: Families of measures, sub-packages of berrypick.measures, in the order of the page; others follow.
FAMILIES = ("documents", "spans", "readers", "answers", "continuation", "agents", "gains", "passages", "video")


# pages


def pages() -> dict[str, str]:
    """Every generated page by its path in docs/."""
    folders = {
        "measures": {"index.md": measure_index(), **_named(ours(measures.registered()), measure_page)},
        "users": {"index.md": user_index(), **_named(ours(users.registered()), user_page)},
        "formats": {"index.md": format_index(), **_named(ours(formats.registered()), format_page)},
        "api": api_pages(),
        "cli": cli_pages(),
    }
    found = {f"reference/{folder}/{name}": body for folder, made in folders.items() for name, body in made.items()}
    found["reference/options.md"] = options_page()
    found["reference/papers.md"] = papers_page()
    return {name: f"{GENERATED}\n\n{body}" for name, body in found.items()}


def ours(known: Mapping[str, T]) -> dict[str, T]:
    """Classes of berrypick itself: other packages may be installed that register theirs."""
    return {name: value for name, value in known.items() if value.__module__.startswith("berrypick.")}


def _named(known: Mapping[str, T], page: Callable[[T], str]) -> dict[str, str]:
    return {f"{name}.md": page(value) for name, value in known.items()}


def measure_page(value: type[Measure]) -> str:
    written = f"Written `{value.name()}`"
    example = 10 if value.cutoff == "rank" else 0.5
    if value.cutoff_required:
        written = f"Written `{value.name()}@{example}`"
    elif value.cutoff != "none":
        written += f" or `{value.name()}@{example}`"
    meaning = value.cutoff_is or {"none": "", "rank": "a rank", "level": "a recall level"}[value.cutoff]
    facts = [f"{written}; the number after @ is {meaning}." if meaning else f"{written}."]
    if value.aliases:
        facts.append(f"Also known as {', '.join(f'`{alias}`' for alias in value.aliases)}.")
    if not value.higher_is_better and "Smaller is better" not in first(value):
        facts.append("Smaller is better.")
    if "user" in (value.depends_on or ("user",)):
        facts.append("The value depends on the [user model](../users/index.md).")
    table = "\n\n".join(part for part in (parameters(value), laws(value), papers(value)) if part)
    return page(value, " ".join(facts), table, references(value.references), "measure", "All measures")


def papers(value: type[Parameterized]) -> str:
    """What papers say of it, with sections and equations."""
    items = vars(value).get("papers", ())
    lines = [f"* {text(item.place())}: {text(item.item)}. `{item.call}`" for item in items]
    return "\n".join(["## In the papers", "", *lines]) if lines else ""


def papers_page() -> str:
    """Every item of every paper, with its call."""
    parts = [
        "# The papers, item by item",
        "What each paper defines, and the call that computes it: a Python expression, a command with your files in the "
        "place of TRUTH and RUN, or a script of the repository. `berrypick list papers` prints the same, and a test "
        "runs every call. Items of kind none are left out, with the reason. Where we depart from a paper or correct a "
        "misprint: [decisions](../explanation/decisions.md).",
    ]
    head = ["section", "equation", "kind", "item", "call"]
    items = paper_items()
    for key, title in TITLES.items():
        rows = [
            [item.section, item.equation, item.kind, text(item.item), f"`{item.call}`" if item.call else ""]
            for item in items
            if item.paper == key
        ]
        parts += [f"## {title}", text(cited(key)), grid(head, rows)]
    return "\n\n".join([*parts, "[Documentation](../index.md)"]) + "\n"


def laws(value: type[Measure]) -> str:
    """What the value keeps to, and what it does not."""
    kept = [f"`{law}`" for law in value.declared_laws()]
    others = [f"`{law}`" for law in LAWS if law not in value.laws]
    rest = f" It does not declare {', '.join(others)}." if others else ""
    return f"## Laws\n\nThe value keeps the [laws](../../how-to/laws.md) {', '.join(kept)}.{rest}"


def user_page(value: type[UserModel]) -> str:
    facts = f"Used as `--user {value.name()}`, or `user={value.name()!r}` in Python."
    if value.navigation_needed:
        facts += f" Needs {value.navigation_needed}, given with `--navigation FILE`."
    table = "\n\n".join(part for part in (parameters(value), papers(value)) if part)
    return page(value, facts, table, references(value.references), "user", "All user models")


ROLES = {
    "truth": "Holds a truth: what is relevant.",
    "run": "Holds a run: what a system returned.",
    "collection": "Holds facts about the documents.",
    "navigation": "Holds data on how people move between units.",
    "log": "Holds a log of readers, for `berrypick fit`.",
    "user": "Holds a user model with its parameters.",
}


def format_page(value: type[Format]) -> str:
    facts = f"{ROLES.get(value.role, value.role)} It looks like `{value.shape}`"
    if value.suffixes:
        facts += f". `berrypick convert` writes it to files that end in {', '.join(f'`{s}`' for s in value.suffixes)}"
    return page(value, facts + ".", "", "", "format", "All formats")


def page(
    value: type[Parameterized] | type[Format], facts: str, table: str, literature: str, kind: str, back: str
) -> str:  # fmt: skip
    body = markdown(inspect.getdoc(value) or "")
    lead, _, rest = body.partition("\n\n")
    parts = [f"# {value.name()}", lead, facts, rest.rstrip(), table, literature]
    parts.append(f"On the command line: `berrypick show {kind} {value.name()}`. [{back}](index.md)")
    return "\n\n".join(part for part in parts if part) + "\n"


def parameters(value: type[Parameterized]) -> str:
    rows = [[f"`{p.name}`", kind(p.kind), default(p.default), text(p.help)] for p in value.parameters()]
    return "## Parameters\n\n" + grid(["name", "value", "default", "meaning"], rows) if rows else ""


def kind(name: str) -> str:
    plain = {
        "int": "whole number",
        "number": "number",
        "number or text": "number or text",
        "bool": "True or False",
        "text": "text",
    }
    return plain.get(name) or ", ".join(f"`'{choice}'`" for choice in name.split("|"))


def default(value: object) -> str:
    return "none" if value is None else f"`{value:.6g}`" if isinstance(value, float) else f"`{value!r}`"


def references(keys: tuple[str, ...]) -> str:
    return "## References\n\n" + "\n".join(f"* {text(cited(key))}" for key in keys) if keys else ""


def measure_index() -> str:
    theirs = ", ".join(f"`{name}`" for name in document_measures.names())
    return (
        "# Measures\n\n"
        "A measure is written `Name(parameter=value, ...)@cutoff`, for example `EPRUM(r=2)` or `EPRUM@0.5`. "
        "[Choose a measure](../../how-to/choose.md) goes from questions to measures. Please cite the paper of each "
        "measure you report: `berrypick show measure EPRUM --bibtex`.\n\n"
        f"{_families()}\n\n"
        "## Measures of ir_measures\n\n"
        "Other measures of whole documents are computed by "
        f"[ir_measures](https://ir-measur.es), under the names it gives them: {theirs}. Where one needs a further "
        "package, the message names it. Where results are parts of "
        "documents, a document counts at its best rank, and is relevant if any part of it is.\n\n"
        "[Documentation](../../index.md)\n"
    )


def _heading(family: str) -> str:
    name = family.rpartition(".")[2]
    return name.capitalize() if name.isalpha() else name.upper() or "More"  # T2I


def _families() -> str:
    """A table of measures for each family, under what its sub-package says that it holds."""
    rows: dict[str, list[list[str]]] = {name: [] for name in FAMILIES}
    for name, value in ours(measures.registered()).items():
        family = value.__module__.removeprefix("berrypick.measures.").rpartition(".")[0]
        rows.setdefault(family, []).append([f"[{name}]({name}.md)", first(value)])
    parts = []
    for family, found in rows.items():
        about = text(inspect.getdoc(import_module(f"berrypick.measures.{family}")) or "")
        table = grid(["measure", "what it is"], found)
        parts.append("\n\n".join(filter(None, [f"## {_heading(family)}", about, table])))
    return "\n\n".join(parts)


def user_index() -> str:
    rows = [[f"[{name}]({name}.md)", first(value)] for name, value in ours(users.registered()).items()]
    return (
        "# User models\n\n"
        "A user model says what a reader who looks at a result ends up seeing. It is written like a measure: "
        "`t2i(tolerance=300)`. [Concepts](../../explanation/concepts.md) explains how measures use it.\n\n"
        f"{grid(['user model', 'what it is'], rows)}\n\n[Documentation](../../index.md)\n"
    )


def format_index() -> str:
    rows = [[f"[{name}]({name}.md)", value.role, first(value)] for name, value in ours(formats.registered()).items()]
    return (
        "# File formats\n\n"
        "Formats are detected from the content of a file. `berrypick check FILE` names the format and lists every "
        "problem; `--format-truth` and `--format-run` override detection. All text files may be compressed with gzip "
        "and may come through a pipe; `-` is standard input. The [index of a collection](collection-index.md) has a "
        "page of its own.\n\n"
        f"{grid(['format', 'holds', 'what it is'], rows)}\n\n[Documentation](../../index.md)\n"
    )


# plots


def plots() -> dict[str, list[str]]:
    """The commands of how-to/plots.md that draw a picture, by the picture's path in docs/."""
    page = (HERE / "how-to" / "plots.md").read_text(encoding="utf-8")
    commands = [shlex.split(line) for line in re.findall(r"^berrypick plot .*\.svg$", page, re.MULTILINE)]
    return {f"pictures/{words[-1]}": words[1:] for words in commands}


def draw(words: list[str], target: Path) -> None:
    """Run a command in the folder of the campaign, with the picture elsewhere."""
    before = Path.cwd()
    os.chdir(campaign.FOCUSED.files.path())
    try:
        with redirect_stderr(io.StringIO()) as told:
            berrypick([*words[:-1], str(target)])
    except SystemExit as stopped:
        if stopped.code:
            raise RuntimeError(f"{shlex.join(words)}: {told.getvalue()}") from None
    finally:
        os.chdir(before)


def build(folder: Path) -> list[Path]:
    """Write all pages below a folder; generated pages of things that are gone are removed."""
    written = []
    for name, content in {**pages(), "pictures/readers.svg": picture()}.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content, encoding="utf-8", newline="\n")
        written.append(target)
    for name, words in plots().items():
        draw(words, (folder / name).resolve())
        written.append(folder / name)
    for old in set((folder / "reference").rglob("*.md")) - set(written):
        if old.read_text(encoding="utf-8").startswith(GENERATED):
            old.unlink()
    return written


def main(arguments: list[str]) -> None:
    folder = Path(arguments[0]) if arguments else HERE
    written = build(folder)
    print(f"{len(written)} files in {folder}")


if __name__ == "__main__":
    main(sys.argv[1:])
