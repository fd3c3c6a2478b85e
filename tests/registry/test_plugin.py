"""A package that extends berrypick, installed by pip, works everywhere by name: its measure (smaller is better), its
user model and its format."""

from __future__ import annotations

import doctest
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import example_plugin
import pytest

import berrypick as bp
from berrypick import formats
from berrypick.cli import commands
from berrypick.report.panels.base import panels

TOPICS = [str(i) for i in range(1, 13)]
TRUTH = {topic: {"a": 1} for topic in TOPICS}
GOOD = {topic: {"a": 3, "b": 2, "c": 1} for topic in TOPICS}  # no detour
POOR = {topic: {"b": 3, "c": 2, "a": 1} for topic in TOPICS}  # two results before the target


@pytest.fixture(scope="module", autouse=True)
def plugin(installed_plugin):
    with example_plugin.discoverable(installed_plugin):
        yield


@pytest.fixture
def paths(tmp_path) -> dict[str, Path]:
    """The runs are in the format of the plugin."""
    truth = tmp_path / "truth.qrels"
    truth.write_text("".join(f"{topic} 0 a 1\n" for topic in TOPICS))
    found = {"truth": truth}
    for name, run in (("good", GOOD), ("poor", POOR)):
        found[name] = tmp_path / name
        rows = [
            f"{topic}::{doc}::{score}.0::{name}\n" for topic, ranked in run.items() for doc, score in ranked.items()
        ]
        found[name].write_text("".join(rows))
    return found


def test_it_is_installed_and_not_only_importable(installed_plugin):
    """A new process that knows nothing but where packages are."""
    assert (installed_plugin / "berrypick_plugin" / "__init__.py").exists()
    code = (
        "import berrypick as bp; from berrypick.measures import Detours; from berrypick.users import Opener;"
        "truth, run = {'1': {'a': 1, 'b': 0}}, {'1': {'b': 2, 'c': 1}};"
        "print(bp.score('Detours(most=7)', truth, run), Detours(most=3), Opener())"
    )
    here = {**os.environ, "PYTHONPATH": str(installed_plugin)}
    done = subprocess.run([sys.executable, "-c", code], env=here, capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("7.0 Detours(most=3) opener\n", "")


def test_the_command_line_in_a_process_of_its_own(installed_plugin, paths, process):
    here = {**os.environ, "PYTHONPATH": str(installed_plugin)}
    measures = "Detours EPRUM(user='opener') DetourCount(most=5)"
    done = process("evaluate", paths["truth"], paths["good"], paths["poor"], "-m", measures, "-o", "json", env=here)
    assert done.code == 0, done.err
    values = {(row["run"], row["measure"]): row["value"] for row in json.loads(done.out)}
    assert values["good", "Detours"] == 0.0 and values["poor", "Detours"] == 2.0
    assert values["poor", "EPRUM(user='opener')"] == pytest.approx(1 / 3)
    assert values["poor", "DetourCount(most=5)"] == 2.0, "an alias"
    assert process("evaluate", paths["truth"], paths["good"], "-m", "Detours").code == 2, "not installed there"


def test_evaluate_by_name_and_by_value():
    expected = {"Detours": 2.0}
    assert bp.evaluate(TRUTH, POOR, "Detours").mean() == {"run": expected}
    assert bp.evaluate(TRUTH, POOR, [example_plugin.Detours]).mean() == {"run": expected}
    assert bp.evaluate(TRUTH, POOR, example_plugin.Detours(most=1)).mean() == {"run": {"Detours(most=1)": 1.0}}
    with pytest.raises(bp.UsageError, match="unknown measure Detour; did you mean Detours"):
        bp.evaluate(TRUTH, POOR, "Detour")


def test_the_user_model_is_one_like_any_other():
    spans, pointed = {"1": {"a#500-600": 1}}, {"1": {"a#0-10": 1}}
    assert bp.score("EPRUM", spans, pointed) == 0.0
    assert bp.score("EPRUM(user='opener')", spans, pointed) == 1.0
    assert bp.score("Detours", spans, pointed, user="opener") == 0.0
    assert bp.score("EPRUM(user='fetch_browse(of=\\'opener\\')')".replace("\\'", '"'), spans, pointed) == 1.0
    with pytest.raises(bp.UsageError, match="unknown user model openr; did you mean opener"):
        bp.score("EPRUM", spans, pointed, user="openr")


def test_what_its_client_returns_is_passed_as_it_is():
    found = {"1": {"trail": ["b", "a"], "took": 3}}
    assert bp.score("Detours", {"1": {"a": 1}}, found) == 1.0
    results = bp.evaluate({"1": {"a": 1}}, found, "Detours")
    assert any("took" in str(note) for note in results.notes), "a field that is not read is noted"
    with pytest.raises(bp.UsageError, match=r"a run of a store's hits needs their topics"):
        bp.evaluate({"1": {"a": 1}}, found["1"], "Detours")


def test_list_and_show(berrypick):
    assert "Detours" in berrypick("list", "measures").out
    assert "opener" in berrypick("list", "users").out
    assert "double-colon-run" in berrypick("list", "formats").out
    page = berrypick("show", "measure", "Detours").out
    assert page.startswith("Detours: Results before the first one") and "most" in page
    assert berrypick("show", "user", "opener").out.startswith("opener: Opens each document")
    assert berrypick("show", "format", "double-colon-run").out.startswith("double-colon-run: Whole documents")


def test_the_smaller_value_gets_the_letter():
    results = bp.evaluate(TRUTH, [GOOD, POOR], "Detours EPRUM")
    comparison = bp.compare(results)
    for measure in ("Detours", "EPRUM"):
        good, poor = (comparison.estimate(measure, run) for run in results.runs)
        assert good.beats and not poor.beats, "the better run has letters under both"


def test_gates_know_the_direction(berrypick, paths):
    command = ["compare", paths["truth"], paths["good"], paths["poor"], "-m", "Detours"]
    worse = berrypick(*command, "--fail-if-worse", "good")
    assert worse.code == 1 and "poor" in worse.err
    assert berrypick(*command, "--fail-if-worse", "poor").code == 0
    assert berrypick(*command, "--fail-over", "Detours=1").code == 1
    assert berrypick(*command, "--fail-over", "Detours=2").code == 0


def test_diff_knows_the_direction(tmp_path, berrypick, paths):
    for name in ("good", "poor"):
        done = berrypick("evaluate", paths["truth"], paths[name], "-m", "Detours", "-q", "-o", "json")
        (tmp_path / f"{name}.json").write_text(done.out)
    table = berrypick("diff", tmp_path / "good.json", tmp_path / "poor.json", "--rename", "good=poor")
    assert table.code == 0
    difference = bp.diff(tmp_path / "good.json", tmp_path / "poor.json", rename={"good": "poor"})
    assert [(mean.better, mean.worse) for mean in difference.summaries] == [(0, 12)]


def test_the_best_setting_of_a_sweep_has_the_smallest_value(tmp_path, paths):
    folder = tmp_path / "runs"
    folder.mkdir()
    for size, run in ((100, POOR), (200, GOOD)):
        rows = [
            f"{topic} Q0 {doc} {4 - score} {score} run\n"
            for topic, ranked in run.items()
            for doc, score in ranked.items()
        ]
        (folder / f"size={size}.run").write_text("".join(rows))
    swept = bp.sweep(truth=paths["truth"], runs=folder, measures="Detours")
    assert swept.best()["size"] == 200 and swept.best()["value"] == 0.0


def test_report_and_plot(tmp_path, berrypick, paths):
    page, picture = tmp_path / "page.html", tmp_path / "picture.svg"
    command = [paths["truth"], paths["good"], paths["poor"], "-m", "Detours EPRUM", "--user", "opener"]
    done = berrypick("report", *command, "--html", page)
    assert done.code == 0, done.err
    assert "Results before the first one that leads to a target" in page.read_text()
    done = berrypick("plot", paths["truth"], paths["good"], paths["poor"], picture, "-m", "Detours")
    assert done.code == 0, done.err
    assert "Detours" in picture.read_text()


def test_explain(berrypick, paths):
    done = berrypick("explain", paths["truth"], paths["poor"], "--topic", "1", "-m", "Detours")
    assert done.code == 0 and "Detours = 2" in done.out


def test_the_format_is_recognised_named_checked_and_converted(tmp_path, berrypick, paths):
    assert formats.sniff(str(paths["good"]), "run") is example_plugin.DoubleColonRun
    assert bp.read_run(paths["good"]).tag == bp.read_run(paths["good"], "double-colon-run").tag == "good"
    assert "36 results" in berrypick("check", paths["good"]).out
    plain = bp.Format.describe.__func__(example_plugin.DoubleColonRun, bp.read_run(paths["good"]))
    assert plain == ["12 topics", "36 results", "tag good"]  # of a format that does not say it itself
    named = berrypick("evaluate", paths["truth"], paths["good"], "-m", "Detours", "--format-run", "double-colon-run")
    assert named.code == 0
    assert berrypick("convert", paths["good"], tmp_path / "out.run", "--to", "trec-run").code == 0
    assert berrypick("convert", tmp_path / "out.run", tmp_path / "back.colons").code == 0
    assert (tmp_path / "back.colons").read_text() == paths["good"].read_text()


def test_the_command_is_one_of_berrypick(berrypick, paths):
    assert berrypick("detours", paths["truth"], paths["poor"]).out == "2\n"
    assert "Print the longest detour of a run." in berrypick("--help").out
    wrong = berrypick("detors", paths["truth"], paths["poor"])
    assert wrong.code == 2 and "did you mean detours" in wrong.err
    assert berrypick("detours", paths["truth"]).code == 2


def test_the_function_is_one_of_bp():
    with pytest.raises(AttributeError, match="longest_detor"):
        _ = bp.longest_detor


def test_the_panel_is_on_the_page(tmp_path, berrypick, paths):
    page = tmp_path / "page.html"
    command = ["report", paths["truth"], paths["good"], paths["poor"], "--html", page, "-m"]
    assert berrypick(*command, "Detours EPRUM").code == 0
    assert '"title":"Detours","parts":[{"title":"","header":["run","mean detour"]' in page.read_text()
    assert berrypick(*command, "EPRUM").code == 0
    assert "mean detour" not in page.read_text(), "there is nothing to show"


def test_the_protocol_brings_its_measures(berrypick, paths):
    rows = json.loads(
        berrypick("evaluate", paths["truth"], paths["poor"], "--protocol", "detours2026", "-o", "json").out
    )
    assert [row["measure"] for row in rows] == ["Detours", "EPRUM"]
    assert all("protocol:detours2026" in row["signature"] for row in rows)
    wrong = berrypick("evaluate", paths["truth"], paths["poor"], "--protocol", "detours2025")
    assert wrong.code == 2 and "did you mean detours2026" in wrong.err


def test_a_function_cannot_be_registered():
    def shortest(truth):
        return 1

    with pytest.raises(bp.UsageError, match="shortest cannot be registered: it is not a class derived from"):
        bp.register(shortest)


def test_several_processes(paths):
    results = bp.evaluate(paths["truth"], [paths["good"], paths["poor"]], "Detours EPRUM(user='opener')", jobs=2)
    assert results.mean()["poor"]["Detours"] == 2.0


def test_the_package_on_the_page_about_extending(tmp_path):
    """Its entry points, with the classes of the page in a module."""
    page = (Path(__file__).parents[2] / "docs" / "extending.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```(\w+)\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    toml = next(body for language, body in blocks if language == "toml")
    examples = doctest.DocTestParser().get_examples("\n".join(body for language, body in blocks if language == "pycon"))
    needed = [
        e.source.replace("@bp.register\n", "").replace("bp.register(Protocol", "(Protocol")
        for e in examples
        if e.source.startswith(("import", "from", "class", "@", "hits2026"))
    ]
    code = "".join(source for source in needed if "class EPRUM" not in source)
    points = re.sub(r'\[project.entry-points."(.*)"\]', r"[\1]", toml[toml.index("[project.entry") :]).replace('"', "")
    (tmp_path / "first_hit.py").write_text(code)
    (tmp_path / "first_hit-1.0.dist-info").mkdir()
    (tmp_path / "first_hit-1.0.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: first-hit\nVersion: 1.0\n"
    )
    (tmp_path / "first_hit-1.0.dist-info" / "entry_points.txt").write_text(points)
    run = tmp_path / "mine"
    run.write_text("q::doc::2\n")
    with example_plugin.discoverable(tmp_path):
        assert bp.evaluate({"q": {"doc": 1}}, run, "FirstHit EPRUM(user='whole_document')").mean() == {
            "mine": {"FirstHit": 1.0, "EPRUM(user='whole_document')": 1.0}
        }
        assert bp.evaluate({"q": {"doc": 1}}, run, protocol="hits2026").mean()["mine"]["FirstHit"] == 1.0
        shelf = {"q": {"books": [{"isbn": "other", "match": 2}, {"isbn": "doc", "match": 1}]}}
        assert bp.evaluate({"q": {"doc": 1}}, shelf, "FirstHit").mean() == {"run": {"FirstHit": 2.0}}
        assert {"first-hits"} < {*commands.names()} and "late" in panels.names()
