"""Build the documentation as a site: ``python docs/site.py [FOLDER]``, into ``site/`` unless a folder is named.

The home page is README.md; the others are those of docs/, the changelog and the guide for contributors. Search works
from the file system as well as from a server, and nothing asks the network. The build is strict: a broken link fails.
Links to files of the repository that are no pages lead to its address, if that is known (scripts/addresses.json), and
are plain text otherwise. Formulas are set by KaTeX 0.16.22, which is in docs/theme/katex with the fonts in use. Next to
each page is its Markdown, and at the top llms.txt, a map of the site for programs.
"""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "scripts"))

from release import addresses, version  # noqa: E402

#: Pages that lie outside of docs/, or are called otherwise there.
MORE = {
    "README.md": "index.md",
    "docs/index.md": "documentation.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
}
#: The map for coding agents, at the top of the site.
MAP = "llms.txt"
LINK = re.compile(r"(!?\[[^\]]*\])\(([^)#\s]+)(#[^)\s]*)?\)")
#: Fenced code has no links.
FENCED = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
#: Words of the glossary that link there where a page first uses them; the other ones are everybody's words.
TERMS = (
    *("truth", "topic", "grade", "target", "span", "nugget", "offset", "run", "cut-off", "baseline", "user model"),
    *("reach", "effort", "idealism", "gain", "recall value", "recall level", "ideal list", "signature", "gate", "law"),
)
#: What is not prose: headings, tables, indented code; code, links and pictures, tags.
NOT_PROSE = re.compile(r"(^(?:#|\||    ).*$|`[^`\n]+`|!?\[[^\]]*\]\([^)]*\)|<[^>\n]+>)", re.MULTILINE)
#: Formulas of measures, as their pages and the terminal show them, and as TeX.
FORMULAS: dict[str, str] = json.loads((ROOT / "docs" / "formulas.json").read_text("utf-8"))

#: As the reader's system says, with a button that goes through all three.
PALETTE = [
    {"media": "(prefers-color-scheme)", "toggle": {"icon": "lucide/sun-moon", "name": "Light"}},
    {
        "media": "(prefers-color-scheme: light)",
        "scheme": "default",
        "toggle": {"icon": "lucide/sun", "name": "Dark"},
    },
    {
        "media": "(prefers-color-scheme: dark)",
        "scheme": "slate",
        "toggle": {"icon": "lucide/moon", "name": "As the system says"},
    },
]

Menu = list[dict[str, "str | Menu"]]


def pages() -> dict[str, Path]:
    """Every page of the site and the file it comes from."""
    docs = ROOT / "docs"
    paths = (path for path in sorted(docs.rglob("*.md")) if docs / "examples" not in path.parents)
    found = {path.relative_to(docs).as_posix(): path for path in paths}
    return {**found, **{page: ROOT / name for name, page in MORE.items()}}


def page_text(page: str, path: Path, names: dict[Path, str], repository: str) -> str:
    """The text of a page with links that lead somewhere on the site, or to the repository."""

    def link(match: re.Match[str]) -> str:
        text, target, anchor = match[1], match[2], match[3] or ""
        if "://" in target or target.startswith("mailto:"):
            return match[0]
        aim = (path.parent / target).resolve()
        if aim in names or (aim.is_relative_to(ROOT / "docs") and aim.suffix in (".png", ".svg")):
            place = names.get(aim) or aim.relative_to(ROOT / "docs").as_posix()
            return f"{text}({'../' * page.count('/')}{place}{anchor})"
        if not aim.exists():
            return match[0]  # which the build then refuses
        inside = aim.relative_to(ROOT).as_posix()
        return f"{text}({repository}/blob/main/{inside}{anchor})" if repository else f"`{inside}`"

    parts = FENCED.split(path.read_text("utf-8"))
    return "".join(part if FENCED.fullmatch(part) else LINK.sub(link, part) for part in parts)


def with_formulas(page: str, text: str) -> str:
    """A page with the formulas that it has in ``FORMULAS`` set by KaTeX."""
    set_ones = 0

    def formula(match: re.Match[str]) -> str:
        nonlocal set_ones
        plain = match[0].removeprefix("```text\n").removesuffix("\n```")
        if (tex := FORMULAS.get(plain)) is None:
            return match[0]
        set_ones += 1
        return f'<div class="formula" data-tex="{html.escape(tex)}">{html.escape(plain)}</div>'

    text = FENCED.sub(formula, text)
    theme = f"{'../' * page.count('/')}theme"
    scripts = "".join(f'<script src="{theme}/{name}.js"></script>\n' for name in ("katex/katex.min", "formulas"))
    style = f'<link rel="stylesheet" href="{theme}/katex/katex.min.css">\n'
    return f"{text}\n{style}{scripts}" if set_ones else text


def with_glossary(page: str, text: str) -> str:
    """A page written by people, with a link to the glossary where it first uses a word of ours."""
    if not page.startswith(("tutorials/", "how-to/", "explanation/")):
        return text
    left = {term: f"{'../' * page.count('/')}glossary.md#{term.replace(' ', '-')}" for term in TERMS}

    def linked(prose: str) -> str:
        for term in [*left]:
            word = rf"(?<![\w-]){re.escape(term)}s?(?![\w-])"
            if found := re.search(word, prose):
                link = f"[{found[0]}]({left.pop(term)})"
                return linked(prose[: found.start()]) + link + linked(prose[found.end() :])
        return prose

    def whole(part: str) -> str:
        return "".join(one if NOT_PROSE.fullmatch(one) else linked(one) for one in NOT_PROSE.split(part))

    return "".join(part if FENCED.fullmatch(part) else whole(part) for part in FENCED.split(text))


def menu(found: Iterable[str]) -> Menu:
    """The menu: folders in a fixed order, and their pages as docs/index.md names them, others by name."""
    names = set(found)
    named = (match[2] for match in LINK.finditer((ROOT / "docs" / "index.md").read_text("utf-8")))
    places = {page: place for place, page in enumerate(dict.fromkeys(named))}

    def order(page: str) -> tuple[bool, int, str]:
        return not page.endswith("index.md"), places.get(page, len(places)), page.lower()

    def folder(place: str) -> Menu:
        inside = sorted((p for p in names if p.startswith(place) and "/" not in p[len(place) :]), key=order)
        return [{_title(page): page} for page in inside]

    kinds = ("users", "formats", "cli", "api")
    titles = {"users": "user models", "cli": "commands", "api": "Python"}
    return [
        {"Home": "index.md"},
        {"All guides": "documentation.md"},
        {"Tutorials": folder("tutorials/")},
        {"How-to guides": folder("how-to/")},
        {
            "Reference": [
                {"Measures": _measures()},
                *({titles.get(kind, kind).capitalize(): folder(f"reference/{kind}/")} for kind in kinds),
                *folder("reference/"),
            ]
        },
        {"Explanation": folder("explanation/")},
        *({_title(page): page} for page in ("glossary.md", "extending.md", "contributing.md", "changelog.md")),
    ]


def _measures() -> Menu:
    """The measures by family, as their page has them."""
    index = "reference/measures/index.md"
    families: Menu = []
    for part in pages()[index].read_text("utf-8").split("\n## ")[1:]:
        found: Menu = [
            {name: f"reference/measures/{name}.md"} for name in re.findall(r"^\| \[(\w+)\]", part, re.MULTILINE)
        ]
        families += [{part.partition("\n")[0]: found}] if found else []
    return [{"Measures": index}, *families]


def _title(page: str) -> str:
    for line in pages()[page].read_text("utf-8").splitlines():
        if line.startswith("# "):
            return line[2:].replace("`", "")
    raise SystemExit(f"{page} has no heading")


def configuration(site_address: str, repository: str) -> str:
    """The settings of the site's builder, without anything that asks the network."""
    lines = {
        "site_name": f"berrypick {version()}",
        "site_description": "Evaluation of retrieval systems that point into documents",
        "site_url": site_address,
        "repo_url": repository,
        "docs_dir": "pages",
        "site_dir": "site",
        "use_directory_urls": False,
        "nav": menu(pages()),
        "theme": {
            "font": False,
            "features": ["navigation.indexes", "navigation.prune", "navigation.top", "search.highlight"],
            "palette": PALETTE,
        },
        "extra_css": ["theme/extra.css"],
        "extra_javascript": ["theme/scroll-regions.js"],
        # search from the file system; a script of that name is not fetched from elsewhere
        "plugins": ["search", "offline"],
        "extra": {"polyfills": ["theme/iframe-worker.js"]},
        "markdown_extensions": [
            "tables",
            "admonition",
            {"toc": {"permalink": True}},
            {"pymdownx.highlight": {"line_spans": "__line", "pygments_lang_class": True}},
            "pymdownx.superfences",
        ],
    }
    return json.dumps({name: value for name, value in lines.items() if value != ""}, indent=1)


def build(out: Path) -> int:
    """Write the site; the exit code of its builder."""
    found = pages()
    names = {path.resolve(): page for page, path in found.items()}
    repository, site_address = addresses()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        for page, path in found.items():
            target = place / "pages" / page
            target.parent.mkdir(parents=True, exist_ok=True)
            text = page_text(page, path, names, repository)
            target.write_text(with_formulas(page, with_glossary(page, text)), "utf-8")
        for name in ("pictures", "theme"):
            shutil.copytree(ROOT / "docs" / name, place / "pages" / name)
        # JSON is YAML, the builder's own language
        (place / "mkdocs.yml").write_text(configuration(site_address, repository), "utf-8")
        command = [sys.executable, "-m", "zensical", "build", "--strict", "--clean", "-f", str(place / "mkdocs.yml")]
        code = subprocess.run(command, cwd=place, check=False).returncode
        if code == 0:
            for page, path in found.items():  # the Markdown next to each page, for programs
                (place / "site" / page).write_text(page_text(page, path, names, repository), "utf-8")
            (place / "site" / MAP).write_text(page_text(MAP, ROOT / MAP, names, repository), "utf-8")
            shutil.rmtree(out, ignore_errors=True)
            shutil.move(place / "site", out)
        return code


if __name__ == "__main__":
    sys.exit(build(Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "site")))
