"""The papers' experiments run, on a small collection, and the synthetic runs do what they say."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import berrypick as bp
from berrypick.relevance.recall_base import recall_base
from berrypick.xml.folder import read_folder
from berrypick.xml.resolve import resolve_truth

ROOT = Path(__file__).resolve().parents[2]
CAMPAIGN = ROOT / "src" / "berrypick" / "demo" / "campaign"
sys.path.insert(0, str(ROOT / "experiments"))
degraded, ideal_run = (getattr(import_module("_synthetic"), name) for name in ("degraded", "ideal_run"))


@pytest.fixture(scope="module")
def collection():
    return read_folder(CAMPAIGN / "collection")


@pytest.fixture(scope="module")
def truth(collection):
    return resolve_truth(bp.read_truth(CAMPAIGN / "assessments.xml"), collection)


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


#: Experiments on folders that have to be named.
ON_OWN_FOLDERS = {"relocation"}
SCRIPTS = sorted(path.stem for path in (ROOT / "experiments").glob("[!_]*.py"))


@pytest.fixture(scope="module")
def printed(tmp_path_factory) -> tuple[str, Path]:
    """What all experiments print in their small form: three topics, two seeds, no real data."""
    out = tmp_path_factory.mktemp("experiments")
    command = [sys.executable, str(ROOT / "experiments" / "all.py"), "--topics", "3", "--seeds", "2", "--out", str(out)]
    environment = {name: value for name, value in os.environ.items() if name != "BERRYPICK_DATA"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout, out


def test_one_command_runs_every_script(printed) -> None:
    started = [line.split()[1] for line in printed[0].splitlines() if line.startswith("== ")]
    assert sorted({*started, "all", *ON_OWN_FOLDERS}) == SCRIPTS


def test_scripts_print_tables_and_draw(printed) -> None:
    text, out = printed
    assert "0.0  1.000" in text and "Pearson, all pairs" in text and "nxCG@50" in text
    assert "chunk settings: skipped, there is no folder chunking-evaluation in $BERRYPICK_DATA" in text
    pictures = {path.name for path in out.rglob("*.svg")}
    assert pictures == {"degraded-eprum.svg", "degraded-epgr.svg", "stability-bundled.svg"}
    assert all(path.read_text().startswith("<svg") for path in out.rglob("*.svg"))
    again = bp.correlate(out / "campaign" / "correlation.json", resamples=100)
    assert len(again) == 1 and again[0].runs == 8


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
    world = worlds_of_experiments().read_world(str(tmp_path))
    assert world.queries == {"target": "Frost on blossom"} and world.excluded == {"target": "target"}
    topic = world.highlighted.topics["target"]
    assert topic.document == ("a", "b", "c")
    assert [world.texts["a"][int(s) : int(e)].split() for s, e in zip(topic.start[:1], topic.end[:1], strict=True)] == [
        ["one", "word"]
    ]


def test_exhaustivity_of_assessments() -> None:
    """Ideal elements have 2, relevant ones around and below them 1, too small ones "?" (0)."""
    world = worlds_of_experiments().read_world(None)
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
    world = module.read_world(None, 3)
    focused = list(rankers.runs(world, overlap=False, rankers=2))
    thorough = list(rankers.runs(world, overlap=True, rankers=2))
    assert len(focused) == len(thorough) == 8
    for run in focused:
        means = bp.evaluate(world.specific, run, "Overlap", collection=world.collection).mean()[run.tag]
        assert means["Overlap"] == pytest.approx(0)
    assert sum(map(len, thorough)) > sum(map(len, focused))


def worlds_of_experiments():
    return import_module("_collection")


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
