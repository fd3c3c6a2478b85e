"""Build the generated pages and the pictures of docs/, and the table of measures in README.md.

    python docs/build.py            write them here
    python docs/build.py FOLDER     write the pages and the pictures into another folder

Everything comes from the docstrings, the declared parameters and the demonstration: to change a page, change those. The
plots are drawn by the commands that stand above them in plots.md.
"""

from __future__ import annotations

import inspect
import io
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr
from html import escape
from pathlib import Path

from berrypick import formats, measures, users
from berrypick.cli import main as berrypick
from berrypick.core.parameters import Parameterized
from berrypick.demo import campaign, video, web
from berrypick.formats import Format
from berrypick.measures import _documents as document_measures
from berrypick.measures.base import Measure
from berrypick.references import cited
from berrypick.users import UserModel

HERE = Path(__file__).parent
README = HERE.parent / "README.md"
BEGIN, END = "<!-- measures: written by docs/build.py -->", "<!-- end of measures -->"


# pages


def pages() -> dict[str, str]:
    """Every generated file by its path in docs/."""
    found = {"measures/index.md": measure_index(), "users/index.md": user_index(), "formats/index.md": format_index()}
    found.update({f"measures/{name}.md": measure_page(value) for name, value in measures.registered().items()})
    found.update({f"users/{name}.md": user_page(value) for name, value in users.registered().items()})
    found.update({f"formats/{name}.md": format_page(value) for name, value in formats.registered().items()})
    found["pictures/readers.svg"] = picture()
    return found


def measure_page(value: type[Measure]) -> str:
    written = f"Written `{value.name()}`"
    example = 10 if value.cutoff == "rank" else 0.5
    if value.cutoff_required:
        written = f"Written `{value.name()}@{example}`"
    elif value.cutoff != "none":
        written += f" or `{value.name()}@{example}`"
    meaning = {"none": "", "rank": "; the number after @ is a rank", "level": "; the number after @ is a recall level"}
    facts = [f"{written}{meaning[value.cutoff]}."]
    if value.aliases:
        facts.append(f"Also known as {', '.join(f'`{alias}`' for alias in value.aliases)}.")
    if not value.higher_is_better and "Smaller is better" not in first(value):
        facts.append("Smaller is better.")
    if "user" in value.depends_on:
        facts.append("The value depends on the [user model](../users/index.md).")
    return page(value, " ".join(facts), parameters(value), references(value.references), "measure", "All measures")


def user_page(value: type[UserModel]) -> str:
    facts = f"Used as `--user {value.name()}`, or `user={value.name()!r}` in Python."
    if value.navigation_needed:
        facts += f" Needs {value.navigation_needed}, given with `--navigation FILE`."
    return page(value, facts, parameters(value), references(value.references), "user", "All user models")


ROLES = {
    "truth": "Holds a truth: what is relevant.",
    "run": "Holds a run: what a system returned.",
    "collection": "Holds what is known of the documents.",
    "navigation": "Tells how people move between units.",
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
    plain = {"int": "whole number", "number": "number", "bool": "True or False", "text": "text"}
    return plain.get(name) or ", ".join(f"`'{choice}'`" for choice in name.split("|"))


def default(value: object) -> str:
    return "none" if value is None else f"`{value:.6g}`" if isinstance(value, float) else f"`{value!r}`"


def references(keys: tuple[str, ...]) -> str:
    return "## References\n\n" + "\n".join(f"* {text(cited(key))}" for key in keys) if keys else ""


def measure_index() -> str:
    theirs = ", ".join(f"`{name}`" for name in document_measures.names())
    return (
        "# Measures\n\n"
        "A measure is typed `Name(parameter=value, ...)@cutoff`, for example `EPRUM(r=2)` or `EPRUM@0.5`.\n\n"
        f"{measure_grid('')}\n\n"
        "Measures of whole documents are computed by "
        "[ir_measures](https://ir-measur.es), under the names it gives them. Where results are parts of documents, a "
        f"document counts at its best rank, and is relevant if any part of it is. {theirs}.\n\n"
        "[Documentation](../index.md)\n"
    )


def measure_grid(folder: str) -> str:
    rows = [[f"[{name}]({folder}{name}.md)", first(value)] for name, value in measures.registered().items()]
    return grid(["measure", "what it is"], rows)


def user_index() -> str:
    rows = [[f"[{name}]({name}.md)", first(value)] for name, value in users.registered().items()]
    return (
        "# User models\n\n"
        "A user model says what a reader who consults a result ends up seeing. It is typed like a measure: "
        "`t2i(tolerance=300)`. [Concepts](../concepts.md) tells what measures make of it.\n\n"
        f"{grid(['user model', 'what it is'], rows)}\n\n[Documentation](../index.md)\n"
    )


def format_index() -> str:
    rows = [[f"[{name}]({name}.md)", value.role, first(value)] for name, value in formats.registered().items()]
    return (
        "# File formats\n\n"
        "Files are recognised by what is in them. `berrypick check FILE` says what a file is and what is wrong with "
        "it; `--format-truth` and `--format-run` overrule the guess. All text files may be compressed with gzip, "
        "and come through a pipe; `-` is standard input.\n\n"
        f"{grid(['format', 'holds', 'what it is'], rows)}\n\n[Documentation](../index.md)\n"
    )


def readme(content: str) -> str:
    """README.md with its table of measures renewed."""
    before, _, rest = content.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{measure_grid('docs/measures/')}\n\n{END}{after}"


def first(value: type) -> str:
    """The first paragraph of a docstring."""
    return text(" ".join((inspect.getdoc(value) or "").partition("\n\n")[0].split()))


def grid(header: list[str], rows: list[list[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(_cell(cell) for cell in line)} |" for line in lines)


def _cell(cell: str) -> str:
    return cell.replace("|", "\\|")


# from docstrings to Markdown


def markdown(docstring: str) -> str:
    """Sections, ``::`` blocks and examples of a docstring as Markdown."""
    return re.sub(r"\n{3,}", "\n\n", "\n".join(_lines(docstring.splitlines()))).strip()


def _lines(lines: list[str]) -> Iterator[str]:
    i = 0
    while i < len(lines):
        following = lines[i + 1] if i + 1 < len(lines) else ""
        if lines[i] and re.fullmatch(r"-{3,}", following):
            yield from (f"## {lines[i]}", "")
            i += 2
        elif lines[i].startswith(">>>"):
            end = _until(lines, i, lambda line: not line.strip())
            yield from ("```pycon", *lines[i:end], "```")
            i = end
        elif not lines[i].strip():
            yield ""
            i += 1
        else:
            end = _until(lines, i, lambda line: not line.strip() or line.startswith(">>>"))
            end = _until(lines, i, lambda line: line.endswith("::"), end - 1) + 1
            prose = "\n".join(lines[i:end])
            i = end
            if not prose.endswith("::"):
                yield text(prose)
                continue
            yield text(prose.removesuffix("::").rstrip() + ":") if prose != "::" else ""
            end = _until(lines, i, lambda line: bool(line.strip()) and not line.startswith(" "))
            yield from ("", "```text", *inspect.cleandoc("\n".join(lines[i:end])).splitlines(), "```", "")
            i = end


def _until(lines: list[str], start: int, wanted: Callable[[str], bool], last: int | None = None) -> int:
    """The first line from ``start`` that is wanted, else the last."""
    end = len(lines) if last is None else last
    return next((j for j in range(start, end) if wanted(lines[j])), end)


#: What Markdown would take for emphasis, a tag or a link.
MARKUP = re.compile(r"^\*(?! )|(?<!^)\*|(?<!\w)_|_(?!\w)|<(?=[\w/!])|\](?=\()", re.MULTILINE)


def text(line: str) -> str:
    """Prose: ``code`` becomes `code`, and what Markdown would take for mark-up is escaped."""
    parts = re.split(r"(``[^`]+``|`[^`]+`)", line)
    return "".join(
        f"`{' '.join(part.strip('`').split())}`" if part.startswith("`") else re.sub(MARKUP, r"\\\g<0>", part)
        for part in parts
    )


# the picture: one panel per part of the demonstration, a line per system, a point per reader

PANEL, GAP, LEFT, TOP, HEIGHT = 340, 60, 60, 96, 220
STYLES = (("a", "circle", ""), ("b", "square", "7 4"), ("c", "triangle", "2 3"))


def picture() -> str:
    panels = [(web.TITLE, web.numbers()), (video.TITLE, video.numbers())]
    width = LEFT + len(panels) * PANEL + (len(panels) - 1) * GAP + 30
    body = [panel(name, numbers, LEFT + i * (PANEL + GAP)) for i, (name, numbers) in enumerate(panels)]
    label = "EPRUM of the three systems of each part of the demonstration, by reader: the best system changes"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {TOP + HEIGHT + 56}" width="{width}" '
        f'role="img" aria-label="{label}">\n<title>{label}</title>\n<style>\n{STYLE}</style>\n'
        + '<rect class="ground" width="100%" height="100%" rx="8"/>\n'
        + f'<text class="head" x="{LEFT}" y="28">The same results, different readers</text>\n'
        + f'<text x="{LEFT}" y="48">EPRUM, larger is better; the best system of each reader has a full mark</text>\n'
        + "".join(body)
        + "</svg>\n"
    )


# colours that people with any colour vision tell apart, darker on light and lighter on dark ground
STYLE = """.ground { fill: #fff; }
text { font: 13px system-ui, sans-serif; fill: #57606a; }
.head { font-size: 17px; font-weight: 600; fill: #24292f; }
.part { font-weight: 600; fill: #24292f; }
.grid { stroke: #8c959f; stroke-opacity: .35; }
.line { fill: none; stroke-width: 2.5; }
.a { stroke: #0072b2; } .b { stroke: #b85200; } .c { stroke: #00795a; }
.mark { fill: #fff; stroke-width: 2.5; }
.a.best { fill: #0072b2; } .b.best { fill: #b85200; } .c.best { fill: #00795a; }
text.a { fill: #0072b2; stroke: none; } text.b { fill: #b85200; stroke: none; } text.c { fill: #00795a; stroke: none; }
@media (prefers-color-scheme: dark) {
.ground { fill: #0d1117; }
text { fill: #9198a1; } .head, .part { fill: #f0f6fc; }
.a { stroke: #56b4e9; } .b { stroke: #e69f00; } .c { stroke: #2fc79d; } .mark { fill: #0d1117; }
.a.best { fill: #56b4e9; } .b.best { fill: #e69f00; } .c.best { fill: #2fc79d; }
text.a { fill: #56b4e9; } text.b { fill: #e69f00; } text.c { fill: #2fc79d; }
}
"""


def panel(name: str, numbers: dict[str, dict[str, float | None]], left: int) -> str:
    readers = list(numbers)
    systems = list(numbers[readers[0]])
    columns = [left + round(i * (PANEL - 70) / (len(readers) - 1)) for i in range(len(readers))]
    out = [f'<text class="part" x="{left}" y="{TOP - 18}">{escape(name)}</text>\n']
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        out.append(f'<path class="grid" d="M{left - 8} {y(tick)}H{columns[-1] + 8}"/>\n')
        out.append(f'<text x="{left - 14}" y="{y(tick) + 4}" text-anchor="end">{tick:g}</text>\n')
    for column, reader in zip(columns, readers, strict=True):
        out.append(f'<text x="{column}" y="{TOP + HEIGHT + 26}" text-anchor="middle">{escape(reader)}</text>\n')
    labels = spread({system: y(numbers[readers[-1]][system] or 0.0) for system in systems})
    for system, (style, shape, dash) in zip(systems, STYLES, strict=True):
        values = [numbers[reader][system] or 0.0 for reader in readers]
        points = " ".join(f"{x},{y(value)}" for x, value in zip(columns, values, strict=True))
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        out.append(f'<polyline class="line {style}" points="{points}"{dashed}/>\n')
        for x, reader, value in zip(columns, readers, values, strict=True):
            best = " best" if value == max(v or 0.0 for v in numbers[reader].values()) else ""
            out.append(f'<path class="mark {style}{best}" d="{mark(shape, x, y(value))}"/>\n')
        out.append(f'<text class="{style}" x="{columns[-1] + 14}" y="{labels[system] + 4}">{escape(system)}</text>\n')
    return "".join(out)


def y(value: float) -> float:
    return round(TOP + HEIGHT * (1 - value), 1)


def spread(places: dict[str, float], least: float = 16) -> dict[str, float]:
    """Labels moved down until none covers another."""
    found: dict[str, float] = {}
    last = -least
    for name, place in sorted(places.items(), key=lambda item: item[1]):
        last = max(place, last + least)
        found[name] = last
    return found


def mark(shape: str, x: float, y: float) -> str:
    if shape == "circle":
        return f"M{x - 5} {y}a5 5 0 1 0 10 0a5 5 0 1 0 -10 0z"
    if shape == "square":
        return f"M{x - 4.5} {y - 4.5}h9v9h-9z"
    return f"M{x} {y - 6}l5.5 10h-11z"


# plots


def plots() -> dict[str, list[str]]:
    """The commands of plots.md that draw a picture, by the picture's path in docs/."""
    page = (HERE / "plots.md").read_text(encoding="utf-8")
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
    """Write all pages below a folder; pages of things that are gone are removed."""
    written = []
    for name, content in pages().items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content, encoding="utf-8", newline="\n")
        written.append(target)
    for name, words in plots().items():
        draw(words, (folder / name).resolve())
        written.append(folder / name)
    for kept in ("measures", "users", "formats"):
        for old in set((folder / kept).glob("*.md")) - set(written):
            old.unlink()
    return written


def main(arguments: list[str]) -> None:
    folder = Path(arguments[0]) if arguments else HERE
    written = build(folder)
    if not arguments:
        README.write_text(readme(README.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")
    print(f"{len(written)} files in {folder}")


if __name__ == "__main__":
    main(sys.argv[1:])
