"""The documentation is true: generated pages are up to date, examples give what is printed, links lead somewhere."""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest
from many_cases import each

import berrypick as bp
from berrypick import formats, measures, users
from berrypick.cli import command_names
from berrypick.evaluation.options import options


def loaded(name: str) -> ModuleType:
    """A module of docs/, which is no package."""
    spec = importlib.util.spec_from_file_location(f"docs_{name}", DOCS / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
EXAMPLES = DOCS / "examples"
sys.path.append(str(DOCS))  # where the modules of docs/ find each other
console = loaded("console")
HAND_WRITTEN = console.hand_written()
GENERATED = [page for page in sorted(DOCS.rglob("*.md")) if page not in HAND_WRITTEN and EXAMPLES not in page.parents]
PAGES = [*HAND_WRITTEN, *GENERATED]


def named(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


# generated pages


@pytest.fixture(scope="module")
def builder() -> ModuleType:
    return loaded("build")


@pytest.fixture(scope="module")
def built(builder: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Path]]:
    """A folder of pages in which there was an old one and one by hand, and what was written into it."""
    top = tmp_path_factory.mktemp("docs")
    folder = top / "reference" / "measures"
    folder.mkdir(parents=True)
    (folder / "Gone.md").write_text(f"{builder.GENERATED}\n\ngone")
    (folder / "kept.md").write_text("written by hand")
    return top, builder.build(top)


def test_generated_pages_are_up_to_date(builder: ModuleType, built: tuple[Path, list[Path]]) -> None:
    top, pages = built
    written = {path.relative_to(top).as_posix(): path for path in pages}
    drawn = builder.plots()
    assert len(drawn) == 3
    stale = [name for name, path in written.items() if name not in drawn and _read(DOCS / name) != _read(path)]
    stale += [name for name in drawn if not (DOCS / name).exists() or not _drawn_alike(DOCS / name, written[name])]
    assert not stale, "run `make docs`"
    kept = {page.relative_to(DOCS).as_posix() for page in GENERATED}
    assert kept == {name for name in written if name.endswith(".md")}, "run `make docs`"


def _shown(picture: Path) -> tuple[list[str], list[float]]:
    """What a plot shows: its words and values, and where its lines go. The rest may change with what draws it."""
    words, places = [], []
    for element in ElementTree.parse(picture).getroot().iter():
        if element.tag.endswith("}text"):
            words.append("".join(element.itertext()))
        if element.attrib.get("role") == "graphics-symbol":
            words.append(element.attrib["aria-label"])
        if element.attrib.get("aria-roledescription") == "line mark":
            places += [float(number) for number in re.findall(r"-?[\d.]+", element.attrib["d"])]
    return words, places


def _drawn_alike(one: Path, other: Path) -> bool:
    (words, places), (other_words, other_places) = _shown(one), _shown(other)
    return words == other_words and places == pytest.approx(other_places, abs=1)


def test_measures_are_listed_by_family() -> None:
    page = _read(DOCS / "reference" / "measures" / "index.md")
    families = [part.partition("\n")[0] for part in page.split("\n## ")[1:]]
    first = ["Documents", "Spans", "Readers"]
    modules = [value.__module__.split(".") for value in measures.registered().values()]
    rooms = {parts[2] for parts in modules if parts[0] == "berrypick" and len(parts) > 3}
    assert families[:3] == first and families[-1] == "Measures of ir_measures"
    assert {family.lower() for family in families[3:-1]} == rooms - {family.lower() for family in first}
    listed = re.findall(r"^\| \[(\w+)\]\(\1\.md\) \|", page, flags=re.MULTILINE)
    ours = [name for name, value in measures.registered().items() if value.__module__.startswith("berrypick.")]
    assert sorted(listed) == sorted(ours)
    spans = page.partition("## Spans\n")[2].partition("\n## ")[0]
    assert "(charR.md)" in spans and "(AP.md)" not in spans


def test_related_work_places_every_measure(builder: ModuleType) -> None:
    """Each of ours, once, in the table that says what its nearest relative is."""
    page = _read(DOCS / "explanation" / "related-work.md")
    table = page.partition("## Measure by measure\n")[2].partition("\n## ")[0]
    placed = [name for row in table.split("\n| ")[3:] for name in row.partition(" |")[0].split(", ")]
    assert sorted(placed) == sorted(builder.ours(measures.registered()))


def test_everything_has_a_page(builder: ModuleType) -> None:
    for folder, known in (("measures", measures), ("users", users), ("formats", formats)):
        for name in builder.ours(known.registered()):
            assert (DOCS / "reference" / folder / f"{name}.md").exists(), "run `make docs`"


def test_every_public_name_and_command_has_a_page_that_the_index_links_to() -> None:
    for folder, names, heading in (("api", bp.__all__, "{}"), ("cli", list(command_names()), "berrypick {}")):
        index = DOCS / "reference" / folder / "index.md"
        linked = dict(re.findall(r"^\| \[(\S+)\]\((\S+)\) \|", _read(index), flags=re.MULTILINE))
        assert sorted(linked) == sorted(names), "run `make docs`"
        for name, file in linked.items():
            title = f"# {heading.format(name)}"
            assert title in _read(index.parent / file).replace("\\", "").splitlines()


def test_functions_with_options_list_all_of_them() -> None:
    for function in ("evaluate", "score", "explain", "judge", "compare", "write_report"):
        page = _read(DOCS / "reference" / "api" / f"{function}.md")
        assert all(f"\n| `{option.name}` | " in page for option in options()), function
    sweep = _read(DOCS / "reference" / "api" / "sweep.md")
    assert "\n| `documents` | " not in sweep, "documents is an argument of sweep itself"
    table = _read(DOCS / "reference" / "options.md")
    assert all(f"| `{option.name}` | `{option.flags[0]}` |" in table for option in options())


def test_page_names_differ_in_more_than_case() -> None:
    names = [named(page).lower() for page in PAGES]
    assert len(names) == len(set(names))


def test_old_pages_are_removed(built: tuple[Path, list[Path]]) -> None:
    folder = built[0] / "reference" / "measures"
    assert not (folder / "Gone.md").exists()
    assert (folder / "kept.md").exists()


def test_docstrings_become_markdown(builder: ModuleType) -> None:
    docstring = "What.\n\nUse\n---\nLike ``this`` and a*b, as <that>::\n\n    x_1\n\n>>> 1 + 1\n2\n\nEnd."
    prose = "What.\n\n## Use\n\nLike `this` and a\\*b, as \\<that>:\n\n"
    expected = prose + "```text\nx_1\n```\n\n```pycon\n>>> 1 + 1\n2\n```\n\nEnd."
    assert builder.markdown(docstring) == expected


def test_picture_is_sound() -> None:
    picture = ElementTree.parse(DOCS / "pictures" / "readers.svg").getroot()
    content = "".join(picture.itertext())
    for name in ("exact", "hubs", "nearby", "shots", "jumps", "windows", "markov", "t2i"):
        assert name in content
    width, height = (float(value) for value in picture.attrib["viewBox"].split()[2:])
    for element in picture.iter("{http://www.w3.org/2000/svg}text"):
        assert 0 < float(element.attrib["x"]) < width
        assert 0 < float(element.attrib["y"]) < height


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


# console examples


ALL = [(page, command, expected) for page in HAND_WRITTEN for command, expected in console.examples(page)]


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which readers type the commands, as `berrypick demo --copy FOLDER --all` makes it."""
    from berrypick.demo.demo_files import copy_examples, example_files

    folder = tmp_path_factory.mktemp("examples")
    copy_examples(folder, example_files())
    return folder


@pytest.mark.parametrize(("page", "command", "expected"), ALL, ids=[f"{named(p)}: {c[:60]}" for p, c, _ in ALL])
def test_console_example(
    page: Path, command: str, expected: str, copied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(copied)
    output = console.run(command)
    assert expected.strip()
    assert console.matches(expected, output), (
        f"{named(page)} prints something else (docs/console.py renews it):\n{output}"
    )


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="README has commands of a POSIX shell")
def test_first_commands_work_as_typed_in_an_empty_folder(tmp_path: Path) -> None:
    """The shell block of README that copies the examples, then its console blocks, typed in that folder."""
    readme = ROOT / "README.md"
    [typed] = [block for block in console.blocks(readme, "sh") if "demo --copy" in block]
    lines = [line for line in typed.splitlines() if not line.startswith("pip ")]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "NO_COLOR": "1", "COLUMNS": "1000"}
    program = "\n".join(["set -e", *lines, "pwd"])
    done = subprocess.run(["bash", "-c", program], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    folder = Path(done.stdout.splitlines()[-1])
    assert folder.parent == tmp_path.resolve() and 8 <= sum(path.is_file() for path in folder.rglob("*")) <= 12
    examples = list(console.examples(readme))
    assert len(examples) >= 3
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for command, expected in examples:
            assert console.matches(expected, console.run(command)), command


def test_there_are_examples() -> None:
    assert {"README.md", "docs/tutorials/first-evaluation.md", "docs/explanation/concepts.md"} <= {
        named(page) for page, _, _ in ALL
    }
    assert console.matches("a\n...\nd\n", "a\nb\nc\nd\n") and not console.matches("a\nc\n", "a\nb\nc\n")


#: Pages of names have the examples of their docstrings, which contracts/test_names.py runs.
API = DOCS / "reference" / "api"
WITH_PYTHON = [page for page in PAGES if API not in page.parents and console.blocks(page, "pycon")]


@pytest.mark.parametrize("page", WITH_PYTHON, ids=named)
def test_python_example(page: Path, copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(copied)
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    runner = doctest.DocTestRunner(optionflags=flags)
    examples = console.blocks(page, "pycon")
    missing = {block: name for block in examples if (name := _not_installed(block))}
    source = "\n".join(block for block in examples if block not in missing)
    runner.run(doctest.DocTestParser().get_doctest(source, {}, named(page), named(page), 0))
    assert runner.failures == 0 and runner.tries > 0
    if missing:
        pytest.skip(f"{named(page)}: an example needs {', '.join(missing.values())}, which is not installed")


def _not_installed(block: str) -> str:
    """The first library that an example imports and that is not there."""
    imported = re.findall(r"^>>> (?:import|from) (\w+)", block, flags=re.MULTILINE)
    return next((name for name in imported if importlib.util.find_spec(name) is None), "")


def test_the_page_on_sweeps_runs_bm25s_and_fts5() -> None:
    """Where bm25s is installed, its example is among those that are run."""
    blocks = console.blocks(DOCS / "how-to" / "sweep.md", "pycon")
    assert any("import bm25s" in block and "bp.sweep" in block for block in blocks)
    assert any("fts5" in block and "bp.sweep" in block for block in blocks)
    assert _not_installed(">>> import no_such_library\n>>> import re\n") == "no_such_library"
    assert not _not_installed(">>> from importlib.resources import files\n>>> import berrypick as bp\n")


# links


@each("page", PAGES, ids=named)
def test_links_resolve(page: Path) -> None:
    prose = console.BLOCK.sub("", page.read_text(encoding="utf-8"))
    for target in re.findall(r"\]\(([^)\s]+)\)", prose):
        if target.startswith(("https://", "http://")):
            continue
        file, _, anchor = target.partition("#")
        found = page.parent / file if file else page
        assert found.exists(), f"{named(page)} links to {target}"
        assert not anchor or anchor in _anchors(found), f"{named(page)} links to {target}"


def _anchors(page: Path) -> set[str]:
    """Anchors of headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", console.BLOCK.sub("", _read(page)), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@each("page", [page for page in HAND_WRITTEN if DOCS in page.parents], ids=named)
def test_every_page_can_be_reached_from_the_front_page(page: Path) -> None:
    assert page in _reachable()


def test_how_to_guides_are_tasks_and_the_list_of_guides_names_them() -> None:
    listed = dict(re.findall(r"\[([^\]]+)\]\((how-to/[\w-]+\.md)\)", _read(DOCS / "index.md")))
    titles = {_read(page).partition("\n")[0].removeprefix("# "): page for page in (DOCS / "how-to").glob("*.md")}
    assert {title: DOCS / place for title, place in listed.items()} == titles
    verbs = "Add|Check|Choose|Cite|Complete|Draw|Evaluate|Fail|Find out|Gate|Keep|Learn|Make|Move|Pass|Run|See|Test|Use"
    task = rf"({verbs}) .*[^?]"
    assert [title for title in titles if not re.fullmatch(task, title)] == []


@cache
def _reachable() -> set[Path]:
    found, waiting = set(), [DOCS / "index.md"]
    while waiting:
        page = waiting.pop()
        if page.suffix == ".md" and page not in found:
            found.add(page)
            targets = re.findall(r"\]\(([^)\s#]+\.md)", _read(page))
            waiting += [(page.parent / target).resolve() for target in targets if "://" not in target]
    return found


@each("page", HAND_WRITTEN, ids=named)
def test_no_place_of_a_machine_is_named(page: Path) -> None:
    assert not re.search(r"/(?:home|root|tmp|work|Users)/", page.read_text(encoding="utf-8"))


def test_entries_of_the_changelog_are_one_line_each() -> None:
    lines = _read(ROOT / "CHANGELOG.md").splitlines()
    assert [line for line in lines if line and not re.match(r"#+ |\* |\| |The first version\.$", line)] == []
    assert [line for line in lines if line.startswith("* ") and len(line) > 160] == []


# for coding agents


def test_the_map_for_agents_is_short_and_leads_to_pages() -> None:
    text = _read(ROOT / "llms.txt")
    links = re.findall(r"\]\(([^)\s]+)\)", text)
    assert len(links) >= 15 and len(text) < 4000
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_the_skill_names_itself_and_what_it_is_for() -> None:
    head = _read(ROOT / "skills" / "berrypick" / "SKILL.md").split("---\n")[1]
    facts = dict(line.split(": ", 1) for line in head.splitlines())
    assert facts["name"] == "berrypick" and 50 < len(facts["description"]) < 1024
    commands = {command.split()[1] for command, _ in console.examples(ROOT / "skills" / "berrypick" / "SKILL.md")}
    assert {"adopt", "check", "evaluate", "diagnose", "compare"} <= commands
