"""Plots for papers: what is drawn is what was measured, the files are sound, and nothing in a name breaks them."""

from __future__ import annotations

import json
import os
import random
import re
import struct
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from command_process import command
from handmade_results import generated, results

import berrypick as bp
from berrypick import Results
from berrypick.analysis.comparison.curves import bands
from berrypick.data.results import ALL, Row
from berrypick.report.figures import charts
from berrypick.report.figures import export as pictures
from berrypick.report.figures.chart_theme import PAPER, ChartTheme, labels, length, shortened, strokes

HOSTILE = "</script><img src=x onerror=alert(1)>"


def data(spec):
    """All rows of a chart, each once."""
    found = list(spec["data"]["values"]) if "data" in spec else []
    for part in (*spec.get("concat", ()), *spec.get("layer", ())):
        found += [row for row in data(part) if row not in found]
    return found


def words(svg):
    return ["".join(node.itertext()) for node in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


def drawn(chart, theme=PAPER):
    return pictures.svg_of(pictures.fitted(chart.to_dict(), theme)[0])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("plots")
    qrels, runs = generated()
    (place / "t.qrels").write_text(qrels)
    for name, content in zip("ab", runs, strict=True):
        (place / f"{name}.run").write_text(content)
    return place


@pytest.fixture(scope="module")
def evaluated(folder):
    files = [folder / "a.run", folder / "b.run"]
    return bp.evaluate(folder / "t.qrels", files, "EPRUM nxCG@10 AP", curves=True)


# --- what is drawn ----------------------------------------------------------------------------------------------------


def test_curves_are_those_of_the_bands(evaluated):
    spec = evaluated.plot().to_dict()
    rows = data(spec)
    for band in bands(evaluated):
        lines = {(row["x"], row["y"]) for row in rows if row["run"] == band.run and "y" in row}
        assert {(round(x, 6), round(y, 6)) for x, y in zip(band.x, band.y, strict=True)} <= lines
        shaded = {(row["x"], row["low"], row["high"]) for row in rows if row["run"] == band.run and "low" in row}
        points = zip(band.x, band.low, band.high, strict=True)
        assert {(round(x, 6), round(low, 6), round(high, 6)) for x, low, high in points} <= shaded
    titles = [panel["title"] for panel in spec["concat"]]
    assert titles == ["EPRUM", "nxCG@10"], "AP has no curve"
    text = words(drawn(evaluated.plot(theme=PAPER)))
    for word in ("EPRUM", "recall", "expected precision", "rank", "normalised cumulated gain", "a", "b"):
        assert word in text


def test_topics_are_sorted_by_difference(evaluated):
    values = evaluated.per_topic()
    rows = data(evaluated.plot("topics").to_dict())
    ours = [row for row in rows if row["run"] == "b" and row["first"]][: len(values["a"]["EPRUM"])]
    order = [row["topic"] for row in ours]
    difference = [values["b"]["EPRUM"][topic] - values["a"]["EPRUM"][topic] for topic in order]
    assert len(order) == 12 and difference == sorted(difference, reverse=True)
    for row in ours:
        assert row["value"] == round(values["b"]["EPRUM"][row["topic"]], 6)
        assert row["other"] == round(values["a"]["EPRUM"][row["topic"]], 6)
    turned = data(evaluated.plot("topics", baseline="b").to_dict())
    assert {row["run"] for row in turned if row["first"]} == {"a"}


def test_means_have_their_intervals_and_the_best_stands_on_top():
    compared = bp.compare(results({"low": {"AP": [0.1, 0.2, 0.3]}, "high": {"AP": [0.5, 0.7, 0.6]}}))
    spec = compared.plot().to_dict()
    rows = {row["run"]: row for row in data(spec)}
    one = compared.estimate("AP", "high")
    assert rows["high"]["value"] == 0.6
    assert (rows["high"]["low"], rows["high"]["high"]) == (round(one.low, 6), round(one.high, 6))
    order = words(drawn(compared.plot(theme=PAPER)))
    assert order.index("high") < order.index("low")
    smaller = bp.compare(results({"low": {"Overlap": [0.1, 0.2]}, "high": {"Overlap": [0.5, 0.7]}}))
    order = words(drawn(smaller.plot(theme=PAPER)))
    assert order.index("low") < order.index("high"), "smaller is better"


def test_what_is_drawn_by_default():
    one = {"AP": [0.1, 0.2]}
    assert charts.suggested(results({"a": one, "b": one})) == "topics"
    assert charts.suggested(results({"a": one, "b": one, "c": one})) == "means"
    curve = [(1, 0.5)]
    assert charts.suggested(Results([], [Row("a", ALL, "M", 0.1, "", curve)])) == "curves"


def test_undefined_values_are_left_out():
    found = results({"a": {"AP": [0.1, None, 0.3]}, "b": {"AP": [0.2, 0.3, None]}})
    rows = data(found.plot("topics").to_dict())
    assert {row["topic"] for row in rows} == {"0"}
    nothing = results({"a": {"AP": [None]}, "b": {"AP": [None]}})
    for kind in ("topics", "means"):
        with pytest.raises(bp.UsageError, match="AP undefined for every topic"):
            nothing.plot(kind)
    with pytest.raises(bp.UsageError, match="no curve to draw"):
        found.plot("curves")


def test_one_topic_and_one_run():
    found = results({"a": {"AP": [0.4]}})
    assert [row["value"] for row in data(found.plot("topics").to_dict())] == [0.4]
    assert [(row["low"], row["high"]) for row in data(found.plot("means").to_dict())] == [(0.4, 0.4)]
    point = Results([], [Row("a", ALL, "ExpectedRatio", 0.1, "", [(1, 0.5)])])
    spec = point.plot().to_dict()
    assert "point" in [layer["mark"]["type"] for layer in spec["layer"]], "a line of one point cannot be seen"


def test_until_cuts_curves(evaluated):
    rows = data(evaluated.plot(until=0.5).to_dict())
    assert max(row["x"] for row in rows) == 0.5
    with pytest.raises(bp.UsageError, match="nothing to draw up to 0"):
        evaluated.plot(until=0)


def test_unknown_kinds_and_runs_are_told(evaluated):
    with pytest.raises(bp.UsageError, match="unknown kind curve; did you mean curves"):
        evaluated.plot("curve")
    with pytest.raises(bp.UsageError, match="no run c"):
        evaluated.plot("topics", baseline="c")


# --- names ------------------------------------------------------------------------------------------------------------


def test_names_become_labels():
    long = ["x" * 100_000 + "1", "x" * 100_000 + "2", "x" * 50, "x" * 51]
    found = labels([*long, "\x1b[31m\u202e\x00", "", "a\nb"])
    assert len(set(found.values())) == 7, "different names have different labels"
    assert all(len(label) <= 32 and label.isprintable() for label in found.values())
    assert shortened("system-one-with-a-very-long-name", 20) == "system-one…long-name"
    assert found[""] == "(no name)" and found["a\nb"] == "a?b"


def test_fifty_systems_with_any_names():
    draw = random.Random(4)
    names = [f"run-{i}" for i in range(48)] + [HOSTILE, "{{datum.x}}\u202e\x00" + "y" * 100_000]
    found = results({name: {"AP": [draw.random() for _ in range(8)]} for name in names})
    svg = drawn(found.plot("means", theme=PAPER))
    text = words(svg)
    assert sum(word.startswith("run-") for word in text) == 48
    assert labels([HOSTILE])[HOSTILE] in text and "<img" not in svg and "<script" not in svg
    curves = [Row(name, ALL, "ExpectedRatio", 0.5, "", [(k, draw.random()) for k in range(1, 20)]) for name in names]
    text = words(drawn(Results([], curves).plot(theme=PAPER)))
    assert sum(word.startswith("run-") for word in text) == 48, "the legend names every system"
    with pytest.raises(bp.UsageError, match="49 panels"):
        found.plot("topics")


def test_names_with_quotes_and_tags_leave_an_svg_sound():
    names = ['"><script>1</script>', "'&amp;<b>", "]]>", "a=b|c,d;e:f"]
    found = results({name: {"AP": [0.1, 0.2]} for name in names})
    for kind in ("topics", "means"):
        text = words(drawn(found.plot(kind, theme=PAPER)))
        assert set(names) <= set(text)


@pytest.mark.parametrize("name", ["constructor", "toString", "hasOwnProperty", "__proto__"])
def test_names_that_every_object_of_javascript_has(name):
    runs = results({name: {"AP": [0.1, 0.2]}, "b": {"AP": [0.3, 0.1]}})
    topics = [replace(row, topic=name) if row.topic == "0" else row for row in runs.topic_rows]
    lines = [Row(run, ALL, "ExpectedRatio", 0.5, "", [(1, 0.4), (2, 0.5)]) for run in (name, "b")]
    for chart in (runs.plot("means", theme=PAPER), Results(topics, runs.mean_rows).plot("topics", theme=PAPER),
                  Results([], lines).plot(theme=PAPER)):  # fmt: skip
        assert name in words(drawn(chart))


def test_topics_stand_in_the_order_of_their_difference():
    found = results({"a": {"AP": [0.5, 0.5, 0.5]}, "b": {"AP": [0.5, 0.3, 0.9]}})
    order = [word for word in words(drawn(found.plot("topics", theme=PAPER))) if word in ("0", "1", "2")]
    assert order == ["2", "0", "1"]


@pytest.mark.parametrize(("ranks", "shown"), [(1, ["1", "2"]), (2, ["1", "2"]), (3, ["1", "2", "3"])])
def test_few_ranks_have_a_tick_each(ranks, shown):
    line = Row("a", ALL, "ExpectedRatio", 0.5, "", [(rank, 0.4) for rank in range(1, ranks + 1)])
    svg = drawn(Results([], [line]).plot(theme=PAPER))
    assert [word for word in words(svg) if word.isdigit()] == shown


def test_many_ranks_have_whole_numbers():
    line = Row("a", ALL, "ExpectedRatio", 0.5, "", [(rank, 0.4) for rank in range(1, 201)])
    numbers = [word for word in words(drawn(Results([], [line]).plot(theme=PAPER))) if word.isdigit()]
    assert 3 <= len(numbers) == len(set(numbers)) <= 8


def test_lines_differ_in_black_and_white():
    colours, dashes = strokes(56)
    assert len({(colour, tuple(dash)) for colour, dash in zip(colours, dashes, strict=True)}) == 56
    assert len({tuple(dash) for dash in dashes[:7]}) == 7


# --- sizes and files --------------------------------------------------------------------------------------------------


def test_a_measure_without_a_curve_is_told_in_the_words_of_the_command(berrypick, tmp_path):
    examples = Path(__file__).resolve().parents[3] / "docs" / "examples"
    files = (examples / "passages.jsonl", examples / "chunks.jsonl", tmp_path / "x.svg")
    done = berrypick("plot", *files, "-m", "spanHit", "--kind", "curves")
    told = "--kind curves: there is no curve of spanHit to draw: the measures have none; --kind topics"
    assert done.code == 2 and told in done.err and "curves=True" not in done.err


def test_lengths():
    for inch in ("2.54cm", "25.4mm", "1in", "72pt", " 1.0 in "):
        assert length(inch) == pytest.approx(72)
    assert length(8.5) == length("8.5 cm")
    for wrong in ("0cm", "-3cm", "wide", "3furlongs", "nan", "1e9cm", "0.1in"):
        with pytest.raises(bp.UsageError, match=r"a length like 8\.5cm"):
            length(wrong)


@pytest.mark.parametrize(("width", "height"), [(240.0, None), (500.0, None), (300.0, 260.0)])
def test_a_picture_is_as_large_as_asked_for(evaluated, width, height):
    theme = ChartTheme(width, height)
    svg = drawn(charts.plot(evaluated, theme=theme), theme)
    found = re.search(r'width="([\d.]+)pt" height="([\d.]+)pt" viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
    assert float(found[1]) == float(found[3]) == pytest.approx(width, abs=2)
    if height is not None:
        assert float(found[2]) == float(found[4]) == pytest.approx(height, abs=2)


def test_every_ending(evaluated, tmp_path):
    chart = charts.plot(evaluated, theme=PAPER)
    for ending in (".png", ".svg", ".pdf", ".PNG"):
        pictures.write_picture(chart, tmp_path / f"x{ending}", PAPER, dpi=150)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x.PNG", "x.pdf", "x.png", "x.svg"], "nothing beside"
    png = (tmp_path / "x.png").read_bytes()
    width, _ = struct.unpack(">II", png[16:24])
    assert png.startswith(b"\x89PNG") and width == pytest.approx(17.5 / 2.54 * 150, abs=4)
    pdf = (tmp_path / "x.pdf").read_bytes()
    box = re.search(rb"/MediaBox \[0 0 ([\d.]+)", pdf)
    assert float(box[1]) == pytest.approx(17.5 / 2.54 * 72, abs=2), "a point is a point"
    fonts = set(re.findall(rb"/BaseFont /\w+\+(\S+)", pdf))
    assert fonts and all(font.startswith(b"LiberationSans") for font in fonts), "the font that is asked for is there"


def test_the_same_picture_every_time(evaluated):
    once = drawn(charts.plot(evaluated, theme=PAPER))
    pictures._svg.cache_clear()
    assert drawn(charts.plot(evaluated, theme=PAPER)) == once


def test_a_picture_larger_than_memory_is_refused(evaluated, tmp_path):
    large = ChartTheme(width=length("100cm"))
    chart = charts.plot(evaluated, theme=large)
    with pytest.raises(bp.UsageError, match=r"pixels is larger than the 100 million .* width=, height= or dpi="):
        pictures.write_picture(chart, tmp_path / "x.png", large, dpi=2400)
    pictures.write_picture(chart, tmp_path / "x.svg", large, dpi=2400)
    assert [path.name for path in tmp_path.iterdir()] == ["x.svg"]


def test_what_the_drawing_library_cannot_do_is_one_message(berrypick, folder, tmp_path, monkeypatch):
    import vl_convert

    def broken(*_, **__):
        raise ValueError("Vega-Lite to SVG conversion failed:\nError: Operator not defined\n    at l (https://x)\n")

    monkeypatch.setattr(vl_convert, "vegalite_to_svg", broken)
    done = plotted(berrypick, folder, "-m", "EPRUM", tmp_path / "x.svg")
    assert done.code == 2 and done.out == "" and "Traceback" not in done.err and not list(tmp_path.iterdir())
    assert "berrypick: the picture could not be drawn: Vega-Lite to SVG conversion failed: Error: Operator" in done.err
    assert "https" not in done.err


def test_what_stands_there_stays_if_writing_fails(evaluated, tmp_path, monkeypatch):
    (tmp_path / "x.svg").write_text("old")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(bp.UsageError, match=r"cannot be written \(No space left"):
        pictures.write_picture(charts.plot(evaluated, theme=PAPER), tmp_path / "x.svg", PAPER)
    assert [path.name for path in tmp_path.iterdir()] == ["x.svg"] and (tmp_path / "x.svg").read_text() == "old"


# --- the command ------------------------------------------------------------------------------------------------------


def plotted(berrypick, folder, *arguments):
    return berrypick("plot", folder / "t.qrels", folder / "a.run", folder / "b.run", *arguments)


def test_the_command_draws(berrypick, folder, tmp_path):
    done = plotted(berrypick, folder, "-m", "EPRUM AP", tmp_path / "x.svg", "--width", "10cm")
    assert (done.code, done.out) == (0, "")
    assert f"{tmp_path / 'x.svg'}: curves of 2 runs, 10.0 x" in done.err
    assert "note: AP: has no curve to draw; --kind topics or --kind means shows it" in done.err
    assert "expected precision" in words((tmp_path / "x.svg").read_text())
    done = plotted(berrypick, folder, "-m", "EPRUM AP", tmp_path / "y.svg", "-q")
    assert "topics of 2 runs" in done.err and {"EPRUM", "AP"} <= set(words((tmp_path / "y.svg").read_text()))
    done = plotted(berrypick, folder, "-m", "AP", tmp_path / "y.svg", "--kind", "means", "--confidence", "0.9")
    assert "mean, 90% interval" in words((tmp_path / "y.svg").read_text())


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["-m", "EPRUM", "x.jpg"], "x.jpg: a plot file must end in .png, .svg or .pdf"),
        (["-m", "EPRUM"], "b.run: a plot file must end in .png, .svg or .pdf"),
        (["-m", "EPRUM", "none/x.png"], "the folder none does not exist"),
        (["-m", "EPRUM", "x.png", "--width", "wide"], "the width must be a length like 8.5cm"),
        (["-m", "EPRUM", "x.png", "--confidence", "2"], "confidence must be between 0 and 1"),
        (["-m", "EPRUM", "x.png", "--resamples", "2"], "resamples must be at least 100"),
        (["-m", "EPRUM", "n" * 300 + ".png"], "nnn.png cannot be written (File name too long)"),
        (
            ["-m", "AP", "x.png", "--kind", "curves"],
            "--kind curves: there is no curve of AP to draw: the measures have none; --kind topics",
        ),
        (["-m", "EPRUM", "x.png", "--until", "-1"], "--until -1: nothing to draw, curves begin at"),
        (
            ["-m", "EPRUM", "x.png", "--width", "100cm", "--height", "90cm", "--dpi", "2400"],
            "smaller --width, --height or --dpi",
        ),
        (["-m", "EPRUM", "x.png", "--width", "100cm", "--dpi", "2400"], "smaller --width, --height or --dpi"),
    ],
)
def test_wrong_usage_is_told_in_one_message(berrypick, folder, tmp_path, monkeypatch, arguments, told):
    monkeypatch.chdir(tmp_path)
    before = (folder / "b.run").read_text()
    done = plotted(berrypick, folder, *arguments)
    assert done.code == 2 and done.out == "" and done.err.count("berrypick: ") == 1 and told in done.err
    assert list(tmp_path.iterdir()) == [] and (folder / "b.run").read_text() == before


@pytest.mark.parametrize("missing", ["altair", "vl_convert"])
def test_without_the_libraries_there_is_one_message(folder, tmp_path, missing):
    code = f"import sys\nsys.modules[{missing!r}] = None\nfrom berrypick.cli import main\nmain(sys.argv[1:])"
    arguments = ["plot", folder / "t.qrels", folder / "a.run", "-m", "EPRUM", tmp_path / "x.png"]
    done = subprocess.run([sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 2 and "pip install 'berrypick[report]'" in done.stderr
    assert "Traceback" not in done.stderr and list(tmp_path.iterdir()) == []


NO_NETWORK = """
import socket, sys
def refuse(*_): raise AssertionError("a picture asked for the network")
socket.socket.connect = socket.getaddrinfo = refuse
from berrypick.cli import main
main(sys.argv[1:])
"""


def test_no_network_is_needed(folder, tmp_path):
    arguments = ["plot", folder / "t.qrels", folder / "a.run", "-m", "EPRUM", tmp_path / "x.png"]
    without = {**os.environ, "http_proxy": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9"}
    done = subprocess.run(
        [sys.executable, "-c", NO_NETWORK, *map(str, arguments)], capture_output=True, text=True, env=without
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "x.png").stat().st_size > 10_000


def test_help_says_what_is_drawn():
    done = subprocess.run(command("plot", "--help"), capture_output=True, text=True, check=True)
    assert "Default: curves if a measure has one" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 100


def test_charts_combine_and_keep_their_theme(evaluated):
    alt = pytest.importorskip("altair")
    one, other = evaluated.only(measures=["EPRUM"]).plot(), evaluated.only(measures=["nxCG@10"]).plot()
    topics, means = evaluated.only(measures=["AP"]).plot("topics"), bp.compare(evaluated).plot()
    configured = one.to_dict()["config"]
    assert configured["font"].startswith("Liberation Sans") and configured["axis"]["labelFontSize"] == 12
    line = alt.Chart(alt.Data(values=[{"y": 0.5}])).mark_rule().encode(y="y:Q")
    for made in (one | other, one & topics, one + line, one | other | means, (one | other) & topics):
        spec = made.to_dict()
        assert spec["config"] == configured
        assert not [path for path in _keys(spec) if path[-1] == "config" and len(path) > 1], "only the whole has one"
        assert set(made._repr_mimebundle_()) == {"image/svg+xml", "text/plain"}
        assert {"recall", "expected precision"} <= set(words(pictures.svg_of(spec)))
    for made in (alt.layer(one, line), alt.hconcat(one, other), line + one, alt.vconcat(topics, means)):
        assert made.to_dict()["config"] != configured, "Altair's own functions give Altair's own charts"
        assert made.configure(**charts.chart_config()).to_dict()["config"] == configured


def _keys(value, path=()):
    for name, part in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield (*path, name)
        yield from _keys(part, (*path, name))


def test_what_is_configured_on_a_chart_is_added_to_the_theme(evaluated, tmp_path):
    chart = evaluated.plot()
    changed = chart.configure_axis(labelFontSize=20).to_dict()["config"]
    assert changed["axis"]["labelFontSize"] == 20 and changed["axis"]["gridColor"] == "#dddddd"
    assert changed["font"] == chart.to_dict()["config"]["font"]
    assert chart.to_dict(format="vega")["config"]["axis"]["labelFontSize"] == 12
    chart.save(tmp_path / "x.json")
    assert json.loads((tmp_path / "x.json").read_text(encoding="utf-8"))["config"] == chart.to_dict()["config"]


def test_charts_are_objects_that_notebooks_show_as_pictures():
    altair = pytest.importorskip("altair")
    chart = results({HOSTILE: {"AP": [0.1, 0.2]}, "b": {"AP": [0.1, 0.2]}}).plot()
    assert isinstance(chart, altair.LayerChart)
    bundle = chart.properties(title="mine")._repr_mimebundle_()
    assert set(bundle) == {"image/svg+xml", "text/plain"}, "Altair's page would run what a name hides"
    assert "mine" in words(bundle["image/svg+xml"])
    json.dumps(chart.to_dict())
    with altair.renderers.enable("json"):
        assert "application/json" in chart._repr_mimebundle_()[0], "whoever chooses another way gets it"
