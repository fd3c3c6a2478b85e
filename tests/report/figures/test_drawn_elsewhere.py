"""Figures of groups of topics, of measures where less is better, and of what reach alone leaves open."""

from __future__ import annotations

import itertools
import json
import re
from xml.etree import ElementTree

import pytest
import smaller_is_better

import berrypick as bp
from berrypick.data.navigation import ReachTable
from berrypick.report.figures import charts
from berrypick.report.figures.chart_theme import DASHES
from berrypick.report.figures.export import alternative, svg_of
from berrypick.report.html.report_page import asset

SPANS = """\
{"topic": "1", "doc": "a", "start": 0, "end": 10, "domain": "law"}
{"topic": "2", "doc": "a", "start": 20, "end": 30, "domain": "film"}
"""
CLICKS = ReachTable({("c", "a"): 0.4, ("c", "b"): 0.4, ("d", "a"): 0.6, ("d", "b"): 0.4})
RUNS = {
    "run": {"1": {"a#0-10": 2.0}, "2": {"a#20-25": 2.0}},
    "other": {"1": {"a#0-5": 2.0}, "2": {"a#20-30": 2.0}},
}


@pytest.mark.slow
def test_pictures_have_a_panel_for_each_group(tmp_path):
    pytest.importorskip("altair")
    (tmp_path / "truth.jsonl").write_text(SPANS)
    given = (tmp_path / "truth.jsonl", RUNS, "charR AiP")
    results = bp.evaluate(*given, by="domain", curves=True)
    chart = json.dumps(results.plot("curves", resamples=100).to_dict())
    assert "AiP, domain law" in chart and "AiP, domain film" in chart
    assert charts.suggested(bp.evaluate(*given[:2], "charR", by="domain")) == "means"
    chart = json.dumps(bp.compare(*given[:2], "charR", by="domain", resamples=200).plot().to_dict())
    assert "charR, domain law" in chart


@pytest.mark.slow
def test_plots_have_the_best_on_top():
    pytest.importorskip("altair")
    results = bp.evaluate(smaller_is_better.TRUTH, smaller_is_better.runs(), [smaller_is_better.Dwell()])
    spec = bp.compare(results).plot().to_dict()
    domains = [layer["encoding"]["y"]["scale"]["domain"] for layer in spec["layer"]]
    assert domains[0] == ["quick", "slow"]


@pytest.mark.slow
def test_what_reach_alone_proves(berrypick, tmp_path):
    pytest.importorskip("altair")
    truth = {"q": {"a": 1, "b": 1}}
    runs = {"one": {"q": {"c": 3, "d": 2, "a": 1}}, "two": {"q": {"a": 2, "d": 1}}}
    asked = "EPRUM(r=2) EPRUM(r=2,together='low') EPRUM(r=2,together='high')"
    chart = bp.evaluate(truth, runs, asked, navigation=CLICKS).plot("together").to_dict()
    rows = chart["data"]["values"]
    assert rows[0] == {"run": "one", "low": 0.56, "value": 0.7488, "high": 1.04}
    with pytest.raises(bp.UsageError, match="nothing to draw: intervals"):
        bp.evaluate(truth, runs, "EPRUM AP").plot("together")
    files = {
        "t.qrels": "q 0 a 1\nq 0 b 1\n",
        "r.run": "q Q0 c 1 2 r\nq Q0 a 2 1 r\n",
        "n.tsv": "c\ta\t0.4\nc\tb\t0.4\n",
    }
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    given = [tmp_path / "t.qrels", tmp_path / "r.run", "-m", "EPRUM(r=1)", "--navigation", tmp_path / "n.tsv"]
    done = berrypick("plot", *given, "--kind", "together", tmp_path / "p.svg")
    assert done.code == 0 and "together of 1 run" in done.err + done.out
    assert "EPRUM(r=1)" in (tmp_path / "p.svg").read_text()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["results", "comparison"])
def test_typos_in_plots_get_a_suggestion(kind):
    pytest.importorskip("altair")
    value = bp.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "AP")
    with pytest.raises(bp.UsageError, match=r"plot\(\) has no option 'widht'; did you mean width"):
        (value if kind == "results" else bp.compare(value)).plot(widht="8cm")


def test_a_truth_is_not_written_over(tmp_path, berrypick):
    truth, run = tmp_path / "p.svg", tmp_path / "r.jsonl"
    truth.write_text(SPANS)
    run.write_text('{"topic": "1", "doc": "a", "start": 0, "end": 10, "score": 1}\n')
    done = berrypick("plot", truth, run, truth, "-m", "EPRUM")
    assert done.code == 2 and "refusing to overwrite" in done.err and "name another file" in done.err
    assert truth.read_text() == SPANS


def over(model, **more):
    truth = {"q": {f"d#{at}-{at + 10}": 1 for at in (100, 400, 900)}}
    runs = {"near": {"q": {"d#90-100": 1.0}}, "late": {"q": {"d#0-1": 2.0, "d#380-390": 1.0}}}
    return bp.compare(truth, runs, "EPRUM", over=model, collection={"d": 2000}, resamples=100, **more)


@pytest.mark.slow
def test_runs_along_readers_have_one_legend_and_the_colours_of_plot():
    pytest.importorskip("altair")
    spec = over("t2i(tolerance=10..2000)").plot().to_dict()
    [line] = [layer for layer in spec["layer"] if layer["mark"]["type"] == "line"]
    colour, dash = line["encoding"]["color"], line["encoding"]["strokeDash"]
    assert colour["legend"] == dash["legend"] and colour["scale"]["domain"] == ["near", "late"]
    results = bp.evaluate(
        {"q": {"a": 1}}, {"near": {"q": {"a": 1.0}}, "late": {"q": {"b": 1.0}}}, "nxCG@3", curves=True
    )
    layers = results.plot("curves", resamples=100).to_dict()["layer"]
    plain = next(layer["encoding"] for layer in layers if "strokeDash" in layer["encoding"])
    assert (colour["scale"], dash["scale"]) == (plain["color"]["scale"], plain["strokeDash"]["scale"])


@pytest.mark.slow
def test_steps_are_drawn_as_steps_and_smooth_means_are_not():
    pytest.importorskip("altair")

    def lines(found):
        layers = found.plot().to_dict()["layer"]
        [line] = [layer for layer in layers if layer["mark"]["type"] == "line"]
        rows = line["data"]["values"]
        return [[(row["at"], row["value"]) for row in rows if row["run"] == run] for run in ("near", "late")]

    for points in lines(over("t2i(tolerance=10..2000)")):
        assert len({value for _, value in points}) > 2
        for (x, y), (x_next, y_next) in itertools.pairwise(points):
            assert y == y_next or x == x_next, "a step goes straight up"
    found = over("t2i(tolerance=10..2000,spread=0.5)")
    known = [[(one.at, one.value) for one in found.values if one.run == run] for run in ("near", "late")]
    assert lines(found) == known


@pytest.mark.slow
def test_pictures_have_alternative_text():
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    runs = {'a"<b>': {"q": {"a": 1.0}}, "plain": {"q": {"a": 1.0}}}
    chart = bp.evaluate({"q": {"a": 1}}, runs, "nxCG@3", curves=True).plot("curves", resamples=100)
    root = ElementTree.fromstring(svg_of(chart.to_dict()))
    assert root.get("role") == "img" and root.get("aria-label") == 'Chart of nxCG@3 by rank. Shown: a"<b>, plain'
    many = {"encoding": {"color": {"scale": {"domain": [f"r{i}" for i in range(30)]}}, "y": {"title": "AP"}}}
    assert alternative({"layer": [many]}) == f"Chart of AP. Shown: {', '.join(f'r{i}' for i in range(20))}, 10 more"


def on_pages():
    found = re.search(r"^const dashes = (\[.*\]);", asset("dom.js"), re.MULTILINE)
    assert found is not None
    return json.loads(re.sub(r"(?<![0-9])\.", "0.", found[1]))


@pytest.mark.parametrize("patterns", [DASHES[1:], on_pages()[1:]], ids=["plot", "report"])
def test_dashes_differ_without_colours(patterns):
    """Two patterns differ in their parts, in length by half, or in how dark they are by a fifth."""
    for one, other in itertools.combinations(patterns, 2):
        longer, shorter = sorted((sum(one), sum(other)), reverse=True)
        dark = [sum(each[::2]) / sum(each) for each in (one, other)]
        evenly = [max(each[::2]) / min(each[::2]) for each in (one, other)]
        same = len(one) == len(other) and abs(evenly[0] - evenly[1]) < 1
        assert not same or longer / shorter >= 1.5 or abs(dark[0] - dark[1]) >= 0.2, (one, other)
