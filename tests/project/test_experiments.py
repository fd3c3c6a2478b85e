"""The papers' experiments run, on a small collection, and the synthetic runs do what they say."""

from __future__ import annotations

import os
import random
import re
import sys
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from experiment_data import made_files, served, sha256

import berrypick as bp
from berrypick.documents.xml.resolve import resolve_elements
from berrypick.targets.recall_base import recall_base

ROOT = Path(__file__).resolve().parents[2]
CAMPAIGN = ROOT / "src" / "berrypick" / "demo" / "campaign"
sys.path.insert(0, str(ROOT / "experiments"))
data, everything = (import_module(name) for name in ("data", "all"))
degraded, ideal_run = (getattr(import_module("_synthetic"), name) for name in ("degraded", "ideal_run"))


@pytest.fixture(scope="module")
def collection():
    return bp.read_collection(CAMPAIGN / "collection")


@pytest.fixture(scope="module")
def truth(collection):
    return resolve_elements(bp.read_truth(CAMPAIGN / "assessments.xml"), collection)


def test_ideal_run_is_ideal(truth, collection) -> None:
    run = ideal_run(truth)
    measures = "EPRUM(user='hierarchy') MAep(base='ideal') nxCG@3 nxCG@10"
    (means,) = bp.evaluate(truth, run, measures, collection=collection).mean().values()
    assert means == pytest.approx(dict.fromkeys(means, 1.0))


def test_degraded_without_moves_is_the_same_run(truth, collection) -> None:
    ideal = ideal_run(truth)
    same = degraded(ideal, collection, 0.0, seed=1)
    assert [same.paths[i] for i in same.path] == [ideal.paths[i] for i in ideal.path]


def test_degraded_stays_in_its_document_and_line(truth, collection) -> None:
    ideal = ideal_run(truth)
    moved = degraded(ideal, collection, 0.9, seed=2)
    assert [moved.documents[i] for i in moved.document] == [ideal.documents[i] for i in ideal.document]
    pairs = [(moved.paths[int(a)], ideal.paths[int(b)]) for a, b in zip(moved.path, ideal.path, strict=True)]
    assert all(a == b or a.startswith(b + "/") or b.startswith(a + "/") for a, b in pairs)
    assert sum(a != b for a, b in pairs) > len(pairs) / 2
    again = degraded(ideal, collection, 0.9, seed=2)
    assert np.array_equal(again.path, moved.path)


def test_more_moves_score_less(truth, collection) -> None:
    ideal = ideal_run(truth)
    runs = [degraded(ideal, collection, m, seed=5) for m in (0.0, 0.4, 0.9)]
    means = bp.evaluate(truth, runs, "EPRUM(user='hierarchy')", collection=collection).mean()
    values = [means[run.tag]["EPRUM(user='hierarchy')"] for run in runs]
    assert values == sorted(values, reverse=True)


SCRIPTS = {path.stem for path in (ROOT / "experiments").glob("[!_]*.py")} - {"all", "data"}
DATA_SETS = {name: [file.name for file in files] for name, files in data.CATALOGUE.items()}


@pytest.fixture(scope="module")
def offered(tmp_path_factory) -> Iterator[str]:
    """The address of a server that offers made data sets."""
    home = tmp_path_factory.mktemp("offered")
    for name, files in made_files(DATA_SETS).items():
        for file, content in files.items():
            (home / name / file).parent.mkdir(parents=True, exist_ok=True)
            (home / name / file).write_bytes(content)
    with served(home) as address:
        yield address


@pytest.fixture
def fetched(offered, monkeypatch, tmp_path) -> Path:
    """Where what the server offers is kept; the catalogue names the made data sets, and nothing else is there."""

    def file(name: str, own: str) -> object:
        content = made[name][own]
        return data.File(own, len(content), sha256(content), (f"{offered}/{name}/{own}",))

    made = made_files(DATA_SETS)
    catalogue = {name: tuple(file(name, own) for own in files) for name, files in DATA_SETS.items()}
    monkeypatch.setattr(data, "CATALOGUE", catalogue)
    monkeypatch.setattr(data, "FETCHED", tmp_path / "fetched")
    monkeypatch.delenv("BERRYPICK_DATA", raising=False)
    return tmp_path / "fetched"


def test_every_script_is_shown_in_a_page() -> None:
    blocks = list(everything.shown())
    assert {one.script for one in blocks} == SCRIPTS
    assert all(one.output for one in blocks) and len({one.command for one in blocks}) == len(blocks)


def test_one_command_runs_every_experiment_in_small(fetched, capsys) -> None:
    everything.main(["--small"])
    out = capsys.readouterr().out
    commands = list(everything.shown())
    assert f"{len(commands)} of {len(commands)} commands run" in out
    assert "0.0   1.000" in out and "Pearson, all pairs" in out and "nxCG@50" in out
    assert "by 20 questions and by 5 documents" in out
    assert all((fetched / name / file).is_file() for name, files in DATA_SETS.items() for file in files)


def test_figures_and_results_are_kept(tmp_path, capsys) -> None:
    for script in ("degraded_runs", "correlation", "trust"):
        import_module(script).main(["--small", "--out", str(tmp_path)])
    pictures = {path.name for path in tmp_path.rglob("*.svg")}
    assert pictures == {"degraded-eprum.svg", "degraded-epgr.svg", "stability-bundled.svg"}
    assert all(path.read_text().startswith("<svg") for path in tmp_path.rglob("*.svg"))
    again = bp.correlate(tmp_path / "correlation-gain.json", resamples=100)
    assert len(again) == 1 and again[0].runs == 8


# data


def test_data_are_fetched_once_and_checked(fetched, offered, capsys) -> None:
    files = data.needed("postgresql-doc")
    assert list(files.values()) == [fetched / "postgresql-doc" / name for name in DATA_SETS["postgresql-doc"]]
    assert capsys.readouterr().err.count("fetched http://127.0.0.1") == 2
    assert data.needed("postgresql-doc") == files and not capsys.readouterr().err
    manual = data.unpacked(next(iter(files.values())), "usr/share/doc/postgresql-doc-15/html")
    assert [path.name for path in manual.iterdir()] == ["a.html"]
    next(iter(files.values())).write_bytes(b"another edition")
    with pytest.raises(data.DataError, match=r"not the file of the pages' tables \(sha256 .*--unchecked"):
        data.needed("postgresql-doc")
    assert data.needed("postgresql-doc", unchecked=True) == files
    with pytest.raises(data.DataError, match="not a Debian package"):
        data.unpacked(next(iter(files.values())), "usr")


def test_a_folder_goes_before_what_is_fetched(fetched, tmp_path, monkeypatch) -> None:
    content = made_files(DATA_SETS)["wikispeedia"]
    for folder in ("given", "environment"):
        for name, text in content.items():
            (tmp_path / folder / "wikispeedia").mkdir(parents=True, exist_ok=True)
            (tmp_path / folder / "wikispeedia" / name).write_bytes(text)
    monkeypatch.setenv("BERRYPICK_DATA", str(tmp_path / "environment"))
    assert data.needed("wikispeedia")["links.tsv"] == tmp_path / "environment" / "wikispeedia" / "links.tsv"
    assert data.needed("wikispeedia", tmp_path / "given")["links.tsv"] == tmp_path / "given/wikispeedia/links.tsv"
    assert not fetched.exists()


@pytest.mark.parametrize("what", ["gone", "longer", "shorter", "changed"])
def test_what_is_not_right_is_not_kept(what, fetched, offered, monkeypatch) -> None:
    """A server without the file, or with another one: one message, and no file, whole or in part."""
    good = data.CATALOGUE["gnome-user-docs"][0]
    changed = {
        "gone": replace(good, addresses=(f"{offered}/nowhere",)),
        "longer": replace(good, size=good.size - 1),
        "shorter": replace(good, size=good.size + 1),
        "changed": replace(good, sha256=sha256(b"")),
    }[what]
    monkeypatch.setattr(data, "CATALOGUE", {"gnome-user-docs": (changed,)})
    reason = "HTTP Error 404" if what == "gone" else "gives another file"
    with pytest.raises(data.DataError, match=f"is not in .*fetched, and could not be fetched .*{reason}.*--data"):
        data.needed("gnome-user-docs")
    assert not [path for path in fetched.rglob("*") if path.is_file()]


def test_other_addresses_are_tried(fetched, offered, monkeypatch) -> None:
    good = data.CATALOGUE["gnome-user-docs"][0]
    places = (f"{offered}/nowhere", "http://127.0.0.1:1/closed", *good.addresses)
    monkeypatch.setattr(data, "CATALOGUE", {"gnome-user-docs": (replace(good, addresses=places),)})
    assert data.needed("gnome-user-docs")[good.name].is_file()


def test_without_data_nothing_is_half_done(fetched, monkeypatch, capsys) -> None:
    """A script says in one line what is missing; all of them together go on, and fail at the end."""
    without = {name: tuple(replace(file, addresses=()) for file in files) for name, files in data.CATALOGUE.items()}
    monkeypatch.setattr(data, "CATALOGUE", without)
    with pytest.raises(SystemExit) as stopped, data.told():
        import_module("wikispeedia_readers").main([])
    assert stopped.value.code == 2
    said = capsys.readouterr()
    assert not said.out and said.err.count("\n") == 1
    assert "wikispeedia/links.tsv is not in" in said.err and "nobody offers it; name a folder" in said.err
    with pytest.raises(SystemExit) as stopped:
        everything.main(["normal_law", "wikispeedia", "--small"])
    out = capsys.readouterr().out
    assert stopped.value.code == 2 and "1 of 5 commands run" in out
    assert "not run: python experiments/wikispeedia_readers.py" in out


def test_what_is_asked_for_wrongly(tmp_path, capsys) -> None:
    """One line and code 2, never a traceback."""
    for script, words, said in (
        ("correlation", [str(tmp_path / "none")], "is not a folder"),
        ("correlation", [str(tmp_path)], "holds no XML documents"),
        ("trust", ["none"], "there are alike, chunking-evaluation and inex2009-2010"),
        ("ideal_bounds", ["none"], "there are weak, thin, efforts, wikispeedia and sets"),
        ("relocation", ["none"], "name postgresql-doc, chunking-evaluation, or two folders"),
        ("relocation", [str(tmp_path), str(tmp_path)], "no document in common that differs"),
        ("fit_coverage", ["--seeds", "0"], "at least 1"),
    ):
        with pytest.raises(SystemExit) as stopped, data.told():
            import_module(script).main(words)
        assert stopped.value.code == 2 and said in capsys.readouterr().err, script


def test_names_of_data(fetched, capsys) -> None:
    data.main([])
    assert "wikispeedia/links.tsv: not here\n" in capsys.readouterr().out
    data.main(["wikispeedia"])
    assert f"wikispeedia/links.tsv: {fetched}" in capsys.readouterr().out
    with pytest.raises(SystemExit) as stopped:
        data.main(["wikipedia"])
    assert stopped.value.code == 2 and "there is no data set 'wikipedia'; there are gnome" in capsys.readouterr().err


def test_the_catalogue_is_that_of_the_data() -> None:
    """The real one: of every file that is here, the checksum and the size are right."""
    folder = os.environ.get("BERRYPICK_DATA")
    if folder is None:
        pytest.skip("BERRYPICK_DATA is not set")
    for name in ("chunking-evaluation", "inex2009-2010", "wikispeedia"):
        for file, place in data.needed(name, Path(folder)).items():
            assert place.stat().st_size == next(one.size for one in data.CATALOGUE[name] if one.name == file)


# pages

#: Pages with numbers of experiments.
PAGES = sorted({one.page for one in everything.shown()})
FENCES = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
NUMBER = re.compile(r"(?<![\w.,])-?\d*\.\d+(?![\w.])")


def test_blocks_with_numbers_name_their_command() -> None:
    """What is printed in a page is the output of a command that stands above it."""
    assert len(PAGES) == 12
    for page in PAGES:
        for language, body in FENCES.findall(page.read_text(encoding="utf-8")):
            given = language in ("console", "pycon", "python", "json", "yaml")
            named = given or body.startswith("$ python experiments/")
            command = body.startswith(("berrypick ", "cat ", "make ", "python "))  # alone, without its output
            assert named or command or not NUMBER.search(body), (page.name, body[:200])


def test_numbers_of_tables_are_in_the_output() -> None:
    """A number in a table of a page is one that a command of the page printed, rounded."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        printed = [float(number) for _, body in FENCES.findall(text) for number in NUMBER.findall(body)]
        for line in FENCES.sub("", text).splitlines():
            for number in NUMBER.findall(line) if line.startswith("|") else ():
                places = len(number.split(".")[1])
                known = any(abs(abs(float(number)) - abs(one)) <= 0.5 * 10**-places + 1e-9 for one in printed)
                assert known or number in SAID, (page.name, number, line[:100])


#: Numbers of tables that no command prints: a version, and sections of papers.
SAID = {"43.0", "8.1", "8.2"}


def test_pages_show_what_is_printed() -> None:
    """That of the normal law, which takes a second; `make experiments` compares all of them."""
    (one,) = [one for one in everything.shown() if one.script == "normal_law"]
    assert everything.same(one.output, everything.run(one))


def test_idealism_decides_how_the_highest_values_correlate() -> None:
    """EPRUM section 7 on the bundled campaign, as the page has it."""
    study, resampling = (import_module(name) for name in ("correlation", "_resampling"))
    world = worlds_of_experiments().read_world(Namespace(collection=None, topics=0))
    systems = list(import_module("_rankers").runs(world, overlap=False))
    found = {}
    for idealism in ("gain", None):
        both = [study.EPRUM, study.MAEP]
        results = bp.evaluate(world.exhaustive, systems, both, collection=world.collection, idealism=idealism)
        found[idealism] = study.pearson(study.highest)(resampling.table(*((results, one) for one in both)))
    assert found == {"gain": pytest.approx(0.492, abs=5e-4), None: pytest.approx(0.863, abs=5e-4)}


def test_pages_are_compared_and_renewed(tmp_path, monkeypatch, capsys) -> None:
    page = tmp_path / "page.md"
    block = "```text\n$ python experiments/made.py word\n{}```\n"
    page.write_text(block.format("old 1\n") + block.replace(" word", "").format("same 2\n"))
    made = ModuleType("made")
    made.main = lambda words: print("new 3  " if words == ["word"] else "same 2")
    monkeypatch.setitem(sys.modules, "made", made)
    monkeypatch.setattr(everything, "DOCS", tmp_path)
    with pytest.raises(SystemExit) as stopped:
        everything.main([])
    out = capsys.readouterr().out
    assert stopped.value.code == 1 and "-old 1\n+new 3\n" in out
    assert "not as on the page: python experiments/made.py word\n" in out and out.count("not as on") == 1
    everything.main(["--renew"])
    assert page.read_text() == block.format("new 3\n") + block.replace(" word", "").format("same 2\n")
    everything.main([])
    assert everything.same("a\n...\nc\n", "a\nb\nc\n")
    assert not everything.same("a\n...\nc\n", "a\nb\nd\n") and not everything.same("b\n...\nc\n", "a\nb\nc\n")
    with pytest.raises(SystemExit):
        everything.main(["nothing"])


def test_no_experiment_reads_the_clock() -> None:
    for path in (ROOT / "experiments").glob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"\b(import time|from time|perf_counter|process_time|datetime|seconds=)", text), path.name


# intervals


def test_intervals_over_topics_and_runs() -> None:
    """Runs that never change places keep tau at 1; over runs an interval is wider where it depends on one of them."""
    resampling = import_module("_resampling")
    order = np.arange(6.0)
    same = np.stack([order + topic for topic in range(8)])[..., None] * np.ones(2)
    assert resampling.tau(same) == 1 and resampling.top_tau(same) == 1
    assert resampling.intervals(same, resampling.tau, 50) == [(1.0, 1.0), (1.0, 1.0)]
    odd = same.copy()
    odd[:, 0, 1] = 100.0  # the second measure puts the worst run first: 5 of 15 pairs are swapped
    assert resampling.tau(odd) == pytest.approx(1 / 3)
    over_topics, over_both = resampling.intervals(odd, resampling.tau, 300)
    assert over_topics == pytest.approx((1 / 3, 1 / 3))
    assert over_both[0] < 0.2 and over_both[1] == 1


def test_links_make_topics(tmp_path) -> None:
    """A page that three others link to in their text; links in the head do not count."""
    pages = {
        "target": "<page><title>Frost on blossom</title><p>Cover it.</p></page>",
        **{
            name: f'<page><title>{name}</title><p>one <link xref="target"/> word</p><p>other</p></page>'
            for name in "abc"
        },
        "d": '<page><info><link xref="target"/></info><title>d</title><p>nothing</p></page>',
    }
    for name, content in pages.items():
        (tmp_path / f"{name}.page").write_text(content)
    world = worlds_of_experiments().read_world(Namespace(collection=str(tmp_path), out=None, topics=0))
    assert world.queries == {"target": "Frost on blossom"} and world.excluded == {"target": "target"}
    topic = world.highlighted.topics["target"]
    assert topic.document == ("a", "b", "c")
    assert [world.texts["a"][int(s) : int(e)].split() for s, e in zip(topic.start[:1], topic.end[:1], strict=True)] == [
        ["one", "word"]
    ]


def test_exhaustivity_of_assessments() -> None:
    """Ideal elements have 2, relevant ones around and below them 1, too small ones "?" (0)."""
    world = worlds_of_experiments().read_world(Namespace(collection=None, topics=0))
    assert world.exhaustive.scale == "2005"
    for topic in world.exhaustive.topics.values():
        base = recall_base(topic, "sizes", "specificity")
        ideal = set(base.row[base.ideal].tolist())
        assert {row for row, grade in enumerate(topic.exhaustivity) if grade == 2} == ideal
        for row, grade in enumerate(topic.exhaustivity):
            small = topic.size[row] < 20 or topic.path[row].rsplit("/", 1)[1].split("[")[0] in ("link", "emph")
            assert row in ideal or grade == (0 if small else 1)


def test_focused_runs_have_no_overlap() -> None:
    module = worlds_of_experiments()
    rankers = import_module("_rankers")
    world = module.read_world(Namespace(collection=None, topics=3))
    focused = list(rankers.runs(world, overlap=False, rankers=2))
    thorough = list(rankers.runs(world, overlap=True, rankers=2))
    assert len(focused) == len(thorough) == 8
    for run in focused:
        means = bp.evaluate(world.specific, run, "Overlap", collection=world.collection).mean()[run.tag]
        assert means["Overlap"] == pytest.approx(0)
    assert sum(run.size() for run in thorough) > sum(run.size() for run in focused)


def worlds_of_experiments():
    return import_module("_collection")


def test_games_of_both_editions(tmp_path) -> None:
    """Of a finished game the goal is its last page, also where a rating follows; an unfinished one names it."""
    study = import_module("wikispeedia_readers")
    files = {f"paths_{name}.tsv": tmp_path / f"paths_{name}.tsv" for name in ("finished", "unfinished")}
    files["paths_unfinished.tsv"].write_text("# games\na\t1\t9\tA;B\tD\ttimeout\n")
    for line in ("A;B;C", "a\t1\t9\tA;B;C\tNULL"):
        files["paths_finished.tsv"].write_text(f"# games\n{line}\n")
        assert list(study.games_in(files)) == [(("A", "B", "C"), "C"), (("A", "B"), "D")]


def test_relocation_between_two_versions(capsys) -> None:
    chance = random.Random(3)
    words = ["".join(chance.choices("abcdefghij", k=chance.randrange(2, 9))) for _ in range(400)]
    parts = [" ".join(chance.choices(words, k=40)) for _ in range(30)]
    old, new = "\n\n".join(parts), "\n\n".join(["Something new.", *parts[:4], *parts[9:]])
    table = import_module("relocation").measured({"d": old, "same": old}, {"d": new, "same": old}, 5, 60, seed=1)
    assert "1 of at least 200 words differ" in capsys.readouterr().out
    assert all(40 <= line.known < 60 and sum(line.statuses.values()) == 60 for line in table)
    assert all(line.unflagged == 0 and line.right >= 0.97 * line.known for line in table)
    edited = {line.share: line.statuses["edited"] for line in table if line.kind == "words"}
    assert edited[0.01] < edited[0.03] < edited[0.1]


def test_bounds_do_without_what_highs_did_not_find(monkeypatch) -> None:
    """No clock ends it; where it ends without a bound, that of the linear program stands in, or none."""
    worlds_of_experiments()
    bounds = import_module("ideal_bounds")
    rows = np.vstack([np.eye(2), [[0.5, 0.4]]])
    plain, whole = bounds.by_relaxation(rows, 2, 1), bounds.by_relaxation(rows, 2, 1, whole=True)
    assert 0 < whole <= plain + 1e-9
    solve, asked = bounds.milp, []

    def ends_early(*given, **options):
        asked.append(options["options"])
        found = solve(*given, **options)
        if options["integrality"] is not None:
            found.fun = found.mip_dual_bound = None
        return found

    monkeypatch.setattr(bounds, "milp", ends_early)
    assert bounds.by_relaxation(rows, 2, 1, whole=True) == plain
    assert len(asked) == 2 and not any("time_limit" in one for one in asked)
