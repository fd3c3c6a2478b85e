"""The index of the papers is complete, and every call in it can be run."""

import json
import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from prepared_worlds import prepared, tables

import berrypick as bp
from berrypick import measures, users
from berrypick.data.papers import EQUATIONS, TITLES, PaperItem
from berrypick.data.references import entries
from berrypick.evaluation.papers import paper_items

ITEMS = paper_items()
ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "docs" / "examples"
KINDS = {"definition", "equation", "hypothesis", "example", "table", "figure", "experiment", "none"}
CALLED = sorted({item.call for item in ITEMS if item.call})
EVALUATE = "berrypick evaluate TRUTH RUN "
EVALUATED = [call for call in CALLED if call.startswith(EVALUATE)]
PYTHON = [call for call in CALLED if call.startswith("bp.")]
COMMANDS = [call for call in CALLED if call.startswith("berrypick ") and call not in EVALUATED]
SCRIPTS = [call for call in CALLED if call.startswith("python ")]
#: What stands for files in commands.
FILES = {
    "LOG": EXAMPLES / "reading.jsonl",
    "SESSIONS": EXAMPLES / "visits.sessions",
    "TRUTH": EXAMPLES / "shop" / "truth.jsonl",
    "RUN": EXAMPLES / "shop" / "small.jsonl",
    "OTHER": EXAMPLES / "shop" / "large.jsonl",
}


def test_there_are_56_numbered_equations():
    assert sum(EQUATIONS.values()) == 56 and list(EQUATIONS.values()) == [7, 16, 5, 9, 19]
    assert set(EQUATIONS) == set(TITLES) <= set(entries())


@pytest.mark.parametrize(("paper", "count"), EQUATIONS.items())
def test_every_numbered_equation_is_listed_once(paper, count):
    found = [item for item in ITEMS if item.paper == paper and item.equation]
    assert sorted(int(item.equation) for item in found) == list(range(1, count + 1))
    for item in found:
        assert item.kind == "equation" or (item.kind == "none" and "; left out: " in item.item), item


def test_items_are_said_in_words():
    for item in ITEMS:
        assert isinstance(item, PaperItem) and item.kind in KINDS and item.paper in EQUATIONS
        assert item.item and item.item[-1] != "." and "|" not in item.item + item.call
        assert re.fullmatch(r"\d+(\.\d+)*|[A-C](\.\d)?", item.section), item
        assert (item.kind == "none") == ("; left out: " in item.item) == (not item.call)
        assert (item.kind == "equation") == bool(item.equation) or item.kind == "none"
    assert len(set(ITEMS)) == len(ITEMS)
    assert sorted(CALLED) == sorted([*EVALUATED, *PYTHON, *COMMANDS, *SCRIPTS]), "every call has a known form"


def test_every_kind_of_item_is_there_for_every_paper():
    for paper in EQUATIONS:
        kinds = {item.kind for item in ITEMS if item.paper == paper}
        assert {"definition", "equation"} <= kinds
    assert {item.kind for item in ITEMS} == KINDS


@pytest.mark.parametrize("call", PYTHON)
def test_python_calls_give_numbers(call):
    found = eval(call, {"bp": bp})
    assert np.isfinite(np.asarray(found, dtype=float)).all()


def attempts(options):
    """All prepared worlds, with tables of navigation for models that read one."""
    needs = users.build(options["user"]).navigation if "user" in options else ()
    for world in (one for one in prepared(0) if not one.made_for):
        for navigation in tables(np.random.default_rng(0)).values() if needs else [None]:
            given = {**world.options, **options}
            yield world, given if navigation is None else {**given, "navigation": navigation}


@pytest.mark.parametrize("call", EVALUATED)
def test_evaluations_give_numbers(call):
    words = shlex.split(call.removeprefix(EVALUATE))
    options = {flag.removeprefix("--"): value for flag, value in zip(words[::2], words[1::2], strict=True)}
    texts = options.pop("-m")
    if "units" in options:
        options["units"] = int(options["units"])
    refused, found = [], []
    for world, given in attempts(options):
        try:
            found += [row.value for row in world.evaluate(texts, **given) if row.value is not None]
        except (bp.UsageError, bp.InputError) as error:
            refused.append(f"{world.name}: {error}")
    assert found and np.isfinite(found).all(), refused


@pytest.mark.slow
@pytest.mark.parametrize("call", COMMANDS)
def test_commands_run(call, berrypick, tmp_path):
    words = shlex.split(call)[1:]
    results = []
    for name in ("RUN", "OTHER"):
        done = berrypick("evaluate", FILES["TRUTH"], FILES[name], "-m", "charR@5 charP@5", "-o", "json", "--per-topic")
        results.append(tmp_path / f"{name}.json")
        results[-1].write_text(done.out)
    documents = {json.loads(row)["doc"] for row in FILES["TRUTH"].read_text(encoding="utf-8").splitlines()}
    documents |= {json.loads(row)["doc"] for row in FILES["RUN"].read_text(encoding="utf-8").splitlines()}
    (tmp_path / "lengths.tsv").write_text("".join(f"{name}\t100000\n" for name in sorted(documents)))
    files = {**FILES, "LENGTHS": tmp_path / "lengths.tsv"}
    line = [part for word in words for part in (results if word == "RESULTS" else [files.get(word, word)])]
    found = berrypick(*map(str, line))
    assert found.code == 0 and found.out, found.err


def test_scripts_are_there():
    for call in SCRIPTS:
        assert (ROOT / call.split()[1]).is_file()


# where people read it


def test_list_prints_it(berrypick):
    found = berrypick("list", "papers")
    assert found.code == 0
    for item in ITEMS:
        assert item.item.split()[0] in found.out
    rows = json.loads(berrypick("list", "papers", "-o", "json").out)
    assert rows == [item._asdict() for item in ITEMS]
    assert list(rows[0]) == ["paper", "section", "equation", "kind", "item", "call"]


def test_show_names_the_equations(berrypick):
    page = " ".join(berrypick("show", "EPRUM").out.split())
    assert "In the papers" in page
    for number in range(1, 8):
        assert re.search(rf"EPRUM, 2006, section [35]\S*, equation {number}:", page), number
    assert "equation 9:" in " ".join(berrypick("show", "user", "hierarchy").out.split())
    [record] = json.loads(berrypick("show", "PRUM", "-o", "json").out)
    assert [item["equation"] for item in record["papers"] if item["equation"]][:3] == ["1", "2", "3"]


def test_pages_of_measures_name_their_equations():
    page = (ROOT / "docs" / "reference" / "measures" / "nxCG.md").read_text(encoding="utf-8")
    assert "## In the papers" in page and "equation 7" in page


def test_the_page_has_a_table_for_each_paper():
    page = (ROOT / "docs" / "reference" / "papers.md").read_text(encoding="utf-8")
    for title in TITLES.values():
        assert f"\n## {title}\n" in page
    assert page.count("\n| ") == len(ITEMS) + 2 * len(TITLES)


def test_what_a_measure_declares_belongs_to_its_references():
    for registry in (measures.registry, users.registry):
        for name, one in registry.built_in().items():
            for item in vars(one).get("papers", ()):
                assert item.kind != "none", name
