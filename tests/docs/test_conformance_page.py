"""The page on conformance shows what the command prints, for the versions of other tools that are installed here."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

import berrypick as bp
from berrypick.testing.conformance.tools import TOOLS
from berrypick.testing.conformance.vectors import PATH

DOCS = Path(__file__).parents[2] / "docs"


def lines_of(text: str, tool: str) -> list[list[str]]:
    """Lines of a tool in both tables, without the spaces that align columns."""
    return [line.split() for line in text.splitlines() if line.startswith(f"{tool} ")]


def shown() -> str:
    page = (DOCS / "reference" / "conformance.md").read_text(encoding="utf-8")
    return page.partition("```text\n$ berrypick conformance\n")[2].partition("```")[0]


def test_the_page_shows_all_tools_and_the_numbers_of_berrypick():
    first = [line.split()[:2] for line in shown().partition("\n\n")[0].splitlines()[2:]]
    assert [name for name, _ in first] == [*TOOLS] and all(re.match(r"\d", version) for _, version in first)
    own = lines_of(str(bp.conformance("berrypick")), "berrypick")
    assert [line[2:] for line in lines_of(shown(), "berrypick")] == [line[2:] for line in own]


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in TOOLS if name != "berrypick"])
def test_the_page_shows_what_the_installed_version_computes(name):
    """Another version may compute other values, and nobody has to renew the page for it."""
    on_page, tool = lines_of(shown(), name), TOOLS[name]
    if not tool.installed or tool.version != on_page[0][1]:
        pytest.skip(f"{name} {on_page[0][1]} is not installed")
    # the reason of an error depends on further libraries
    text, page = ([" ".join(line).partition("error: ")[0] for line in lines]
                  for lines in (lines_of(str(bp.conformance(name)), name), on_page))  # fmt: skip
    assert text == page, "write what berrypick conformance prints into docs/reference/conformance.md"


@pytest.mark.slow
def test_the_program_for_node_computes_the_values_of_the_example(tmp_path):
    if (node := shutil.which("node")) is None:
        pytest.skip("node is not installed")
    page = (DOCS / "how-to" / "own-metric.md").read_text(encoding="utf-8")
    (tmp_path / "mine.mjs").write_text(page.partition("```javascript\n")[2].partition("```")[0])
    shutil.copy(PATH, tmp_path / "vectors.json")
    subprocess.run([node, "mine.mjs"], cwd=tmp_path, check=True, timeout=60)
    example = DOCS / "examples" / "conformance" / "mine.json"
    assert (tmp_path / "mine.json").read_text() == example.read_text().rstrip("\n")
