"""The data of the report page: the numbers of the library, what fits, and nothing that could run."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import sys
from dataclasses import replace

import handmade
import numpy as np
import pytest
from report_pages import HOSTILE, Page

import berrypick as bp
from berrypick.demo import campaign, video, web
from berrypick.inputs.titles import read_titles
from berrypick.report.html import html_report
from berrypick.report.html.html_report import write_report

pytest.importorskip("vl_convert")

COLLECTION = campaign.FOCUSED.files.path("collection")
ELEMENTS = [campaign.FOCUSED.files.path(run) for run in campaign.ELEMENTS]
SETTINGS = {"collection": COLLECTION, "ignore_elements": campaign.LEFT_OUT}
MEASURES = "EPRUM nxCG@10 AiP charR@5 Overlap P@5"


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The bundled campaign."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    truth = campaign.FOCUSED.files.path("assessments.xml")
    made = write_report(truth, ELEMENTS, MEASURES, html=path, **SETTINGS)
    assert made.size == path.stat().st_size
    return Page(path)


@pytest.fixture(scope="module")
def results():
    return bp.evaluate(campaign.FOCUSED.files.path("assessments.xml"), ELEMENTS, MEASURES, curves=True, **SETTINGS)


def test_values_are_those_of_evaluate(page, results):
    overview = page.overview
    runs, measures = [run["name"] for run in overview["runs"]], [one["text"] for one in overview["measures"]]
    assert runs == list(results.mean()) and measures == MEASURES.split()
    per_topic = results.per_topic()
    for m, measure in enumerate(measures):
        for r, run in enumerate(runs):
            assert dict(zip(overview["topics"], overview["values"][m][r], strict=True)) == per_topic[run][measure]
            assert overview["table"][r][m]["value"] == results.mean()[run][measure]


def test_intervals_and_letters_are_those_of_compare(page, results):
    comparison = bp.compare(results)
    for r, run in enumerate(comparison.runs):
        for m, measure in enumerate(comparison.measures):
            cell, one = page.overview["table"][r][m], comparison.estimate(measure, run)
            assert (cell["low"], cell["high"], tuple(cell["letters"])) == (one.low, one.high, one.beats)
    assert len(page.overview["pairs"]) == len(comparison.pairs) > 0
    for told, pair in zip(page.overview["pairs"], comparison.pairs, strict=True):
        assert (told["difference"], told["p"], told["corrected"]) == (pair.difference, pair.p, pair.p_adjusted)


def test_curves_are_the_mean_curves(page, results):
    means = results.curves()
    assert {one["measure"] for one in page.overview["curves"]} == {"EPRUM", "nxCG@10", "AiP"} | {
        measure for measures in means.values() for measure in measures
    }
    for one in page.overview["curves"]:
        assert one["x_title"] and one["y_title"]
        for line in one["points"]:
            run = page.overview["runs"][line["run"]]["name"]
            known = dict(means[run][one["measure"]]["all"])
            assert line["y"] == pytest.approx([known[x] for x in line["x"]], rel=1e-8)
            for low, y, high in zip(line["low"], line["y"], line["high"], strict=True):
                assert low <= y + 1e-9 and y <= high + 1e-9


def test_text_found_is_what_charR_says(page):
    truth = campaign.FOCUSED.files.path("assessments.xml")
    per_topic = bp.evaluate(truth, ELEMENTS, "charR charP", **SETTINGS).per_topic()
    for topic in page.overview["topics"]:
        told = page.topic(topic)
        for run, name in zip(told["runs"], per_topic, strict=True):
            seen = run["seen"]
            assert seen["relevant"] / seen["total"] == pytest.approx(per_topic[name]["charR"][topic], rel=1e-12)
            assert seen["relevant"] / seen["retrieved"] == pytest.approx(per_topic[name]["charP"][topic], rel=1e-12)
            fresh = [row[7] for row in run["results"]]
            assert sum(fresh) == seen["relevant"] and all(row[7] <= row[6] for row in run["results"])
        assert sum(end - start for _, start, end in told["relevant"]) == told["runs"][0]["seen"]["total"]


def test_readers_see_what_evaluate_says(page):
    truth = campaign.FOCUSED.files.path("assessments.xml")
    readers = page.overview["readers"]
    assert {"classical", "coverage", "hierarchy", "distance", "t2i", "window", "bep"} <= {
        one["model"] for one in readers
    }
    for number, reader in enumerate(readers):
        assert reader["labels"][reader["current"]] == reader["label"]
        for value, label in enumerate(reader["labels"]):
            per_topic = bp.evaluate(truth, ELEMENTS[:2], "EPRUM", user=label, **SETTINGS).per_topic()
            for topic in page.overview["topics"][:3]:
                told = page.topic(topic)
                targets = told["entry_targets"] if reader["entries"] else told["targets"]
                for run, name in enumerate(per_topic):
                    reach, expected = told["reach"][number][value][run], per_topic[name]["EPRUM"][topic]
                    assert told["values"][number][value][run] == expected
                    matrix = np.zeros((told["runs"][run]["ranks"], len(targets)))
                    matrix[np.array(reach["rank"], dtype=int) - 1, reach["target"]] = reach["p"]
                    assert bp.eprum(matrix).mean() == pytest.approx(expected, rel=1e-12)


def test_a_slider_that_moves_nothing_is_not_there(page):
    sliders = {reader["model"]: reader["grid"] for reader in page.overview["readers"]}
    assert sliders["classical"] is None  # elements are the one wanted, or not
    assert sliders["t2i"] == [10, 30, 100, 300, 1000, 3000]


def test_the_page_does_not_tell_where_files_lie(page):
    told = dict(page.overview["configuration"])
    assert told["truth"] == "assessments.xml" and told["collection"] == "collection"
    assert str(COLLECTION.parent) not in page.content


def test_documents_carry_text_and_tree(page):
    told = page.topic(page.overview["topics"][0])
    for document in told["documents"]:
        block = page.block(document["block"])
        assert block["name"] == document["name"] and len(block["text"]) == document["length"]
        tree = block["tree"]
        assert tree["parent"][0] == -1 and tree["end"][0] == document["length"]
    number = told["targets"][0]["doc"]
    assert told["targets"][0]["path"].startswith("/article[1]") and told["documents"][number]["relevant"] > 0
    held = [document["relevant"] > 0 for document in told["documents"]]
    assert held == sorted(held, reverse=True), "documents with relevant text first"


def test_the_same_input_makes_the_same_page(tmp_path):
    for name in ("one.html", "two.html"):
        write_report(web.FILES.path("answers.qrels"), [web.FILES.path("hubs.run")], "EPRUM", html=tmp_path / name)
    assert (tmp_path / "one.html").read_bytes() == (tmp_path / "two.html").read_bytes()


def test_several_processes_make_the_same_page(page, tmp_path):
    truth = campaign.FOCUSED.files.path("assessments.xml")
    write_report(truth, ELEMENTS, MEASURES, html=tmp_path / "r.html", jobs=2, **SETTINGS)
    assert (tmp_path / "r.html").read_text(encoding="utf-8") == page.content


def test_kinds(tmp_path):
    path = tmp_path / "r.html"
    write_report(web.FILES.path("answers.qrels"), [web.FILES.path(run) for run in web.FILES.runs], "EPRUM",
                 navigation=web.FILES.path("clicks.tsv"), html=path)  # fmt: skip
    page = Page(path)
    assert page.overview["kind"] == "documents"
    assert [reader["model"] for reader in page.overview["readers"]] == ["table", "classical", "markov"]
    links = page.topic(page.overview["topics"][0])["links"]
    table = bp.read_navigation(web.FILES.path("clicks.tsv")).rows
    names = [unit["name"] for unit in links["units"]]
    assert links["edges"] and all(table[names[a], names[b]] == p for a, b, p in links["edges"])

    write_report(video.FILES.path("segments.jsonl"), [video.FILES.path("windows.jsonl")], "EPRUM", effort="seconds",
                 collection=video.FILES.path("videos.tsv"), html=path)  # fmt: skip
    assert Page(path).overview["kind"] == "seconds"

    window = {"qid": 1, "query": "q", "vid": "v", "duration": 150, "relevant_windows": [[10, 20]]}
    found = {"qid": 1, "query": "q", "vid": "v", "pred_relevant_windows": [[10, 18, 0.9]]}
    for name, value in (("truth", window), ("run", found)):
        (tmp_path / name).write_text(f"{json.dumps(value)}\n")
    write_report(tmp_path / "truth", [tmp_path / "run"], "charR@1", html=path)
    assert Page(path).overview["kind"] == "seconds"  # whole ones, in a format of seconds
    prepared = bp.Evaluation.prepare(tmp_path / "truth", {"1": [("v", 10, 18)]}, "T2I")
    assert prepared.context.reader.line_unit == "seconds"

    truth = campaign.FOCUSED.files.path("assessments.xml")
    write_report(truth, ELEMENTS[:1], "EPRUM", html=path)
    page = Page(path)
    assert page.overview["kind"] == "elements"
    result = page.topic(page.overview["topics"][0])["runs"][0]["results"][0]
    assert result[2:4] == [None, None] and result[4].startswith("/article[1]")


@pytest.mark.parametrize("file", ["links.tsv", "visits.sessions"])
def test_where_people_go_next(tmp_path, file):
    """Links are followed alike; recorded visits are counted."""
    path = tmp_path / "r.html"
    write_report(web.FILES.path("answers.qrels"), web.FILES.path("hubs.run"), "EPRUM", html=path,
                 navigation=web.FILES.path(file), readers="none")  # fmt: skip
    page, drawn = Page(path), 0
    for topic in page.overview["topics"]:
        links = page.topic(topic)["links"]
        names = [unit["name"] for unit in links["units"]]
        for a, b, p in links["edges"]:
            assert p == pytest.approx(next_step(web.FILES.path(file), names[a], names[b]), abs=1e-12)
            drawn += 1
    assert drawn > 0


def next_step(file, page, other):
    """The share of those at a page who go to another one next, counted plainly."""
    navigation = bp.read_navigation(file)
    if file.suffix == ".tsv":
        return ((page, other) in navigation.rows) / sum(a == page != b for a, b in navigation.rows)
    went = seen = 0
    for path in navigation.paths:
        trail = []
        for step in [*path, None]:
            before = trail[-1] if trail else None
            if step == "<":
                trail.pop()
            elif step is not None:
                trail.append(step)
            now = trail[-1] if step is not None else None
            seen += before == page
            went += before == page and now == other
    return went / seen


def test_a_topic_that_is_not_answered_and_one_without_targets(tmp_path):
    truth = handmade.span_truth({"1": [("d", 0, 10)], "2": [("d", 5, 9)], "3": [("d", 0, 3, 0)]})
    run = handmade.span_run({"1": [("d", 0, 5)], "3": [("d", 0, 5)]})
    write_report(truth, run, "charR EPRUM", html=tmp_path / "r.html", documents={"d": "0123456789abc"})
    page = Page(tmp_path / "r.html")
    assert page.overview["values"][0] == [[0.5, 0, None]]
    assert page.topic("2")["runs"][0]["answered"] is False and page.topic("2")["values"][0][0] == [0]
    assert page.topic("3")["targets"] == [] and page.topic("3")["reach"][0][0] == [None]


def hostile(tmp_path, limit=15):
    """A report in which every name is hostile."""
    texts = {name: f"{name} {i} {'x' * 40}" for i, name in enumerate(HOSTILE)}
    truth = handmade.span_truth({name: [(name, 0, 20)] for name in HOSTILE})
    run = handmade.span_run({name: [(name, 2, 30), (HOSTILE[0], 0, 4)] for name in HOSTILE[1:]})
    runs = [run, handmade.span_run({name: [(name, 0, 9)] for name in HOSTILE})]
    named = [replace(one, tag=HOSTILE[i]) for i, one in enumerate(runs)]
    titles = {name: f"{name}?" for name in HOSTILE}
    path = tmp_path / "hostile.html"
    write_report(
        truth, named, "charR@5 EPRUM", html=path, documents=texts, title=HOSTILE[0], titles=titles, limit=limit
    )
    return path


def test_hostile_names_are_data(tmp_path):
    page = Page(hostile(tmp_path))
    assert page.overview["topics"] == HOSTILE
    assert [run["name"] for run in page.overview["runs"]] == HOSTILE[:2]
    blocks = len(HOSTILE) * 2
    scripts = re.findall(r"<script[^>]*>", page.content)
    assert len(scripts) == 1 + blocks + 2 and page.content.count("</script>") == len(scripts)
    assert page.topic(HOSTILE[1])["documents"][0]["name"] == HOSTILE[1]
    title = re.search("<title>(.*?)</title>", page.content)
    assert title is not None and "<" not in title[1]


def test_only_the_scripts_of_the_page_may_run(page):
    policy = re.search(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', page.content)
    assert policy is not None
    rules = dict(rule.strip().split(" ", 1) for rule in policy[1].split(";"))
    assert rules["default-src"] == "'none'" and "unsafe" not in policy[1] and "http" not in policy[1]
    contents = re.findall(r"<script(?: type=\"module\")?>(.*?)</script>", page.content, re.DOTALL)
    hashes = [base64.b64encode(hashlib.sha256(one.encode()).digest()).decode() for one in contents]
    assert rules["script-src"] == " ".join(f"'sha256-{one}'" for one in hashes)
    styles = re.findall(r"<style>(.*?)</style>", page.content, re.DOTALL)
    assert rules["style-src"] == f"'sha256-{base64.b64encode(hashlib.sha256(styles[0].encode()).digest()).decode()}'"
    assert len(styles) == 1 and not re.search(r"<[^>]+ (style|on\w+)=", page.content.split("<script")[0])


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """(truth, run, texts, facts of the page, its size without topics) of a page that is much larger than its frame."""
    rng = np.random.default_rng(1)
    texts = {f"d{i}": "".join(rng.choice(list("abcdefgh \n"), size=40_000)) for i in range(40)}
    truth = handmade.span_truth({str(i): [(f"d{i % 40}", 100, 900)] for i in range(60)})
    run = handmade.span_run(
        {str(i): [(f"d{(i + j) % 40}", 50 * j, 50 * j + 200) for j in range(40)] for i in range(60)}
    )
    path = tmp_path_factory.mktemp("whole") / "whole.html"
    base = write_report(truth, run, "charR@5", html=path, documents=texts, limit=100)
    assert base.omitted == () and base.topics == 60 and base.documents == 40
    return truth, run, texts, base, base.size - sum(map(len, Page(path).blocks))


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_a_limit_is_kept_and_told(whole, tmp_path, share):
    truth, run, texts, base, bare = whole
    limit = (bare + share * (base.size - bare)) / 1e6
    made = write_report(truth, run, "charR@5", html=tmp_path / "part.html", documents=texts, limit=limit)
    assert made.size <= limit * 1e6 < base.size
    assert made.topics < 60 or made.documents < 40
    page = Page(tmp_path / "part.html")
    assert page.overview["left_out"] == list(made.omitted) and all("limit=" in told for told in made.omitted)
    assert sum(number is not None for number in page.overview["details"]) == made.topics
    for topic in page.overview["topics"][: made.topics]:
        for document in page.topic(topic)["documents"]:
            assert document["block"] is None or page.block(document["block"])["name"] == document["name"]


def test_a_limit_that_nothing_fits_into_is_refused(tmp_path):
    with pytest.raises(bp.UsageError, match="without any topic"):
        write_report(handmade.span_truth({"1": [("d", 0, 9)]}), handmade.span_run({"1": [("d", 0, 9)]}), "charR",
                     html=tmp_path / "r.html", limit=0.1)  # fmt: skip
    assert not list(tmp_path.iterdir())


def test_bands_agree_with_the_table(page):
    """At the rank of the cut-off both are intervals of the same mean, from the same draws."""
    measures = [one["text"] for one in page.overview["measures"]]
    assert page.overview["bands"] == {"draws": 10_000, "table": 10_000}
    checked = 0
    for curve in page.overview["curves"]:
        name, _, rank = curve["measure"].partition("@")
        for line in curve["points"] if rank else ():
            cell = page.overview["table"][line["run"]][measures.index(curve["measure"])]
            at = line["x"].index(float(rank))
            assert line["y"][at] == pytest.approx(cell["value"], abs=1e-8), name
            assert (line["low"][at], line["high"][at]) == pytest.approx((cell["low"], cell["high"]), abs=1e-8)
            checked += 1
    assert checked


def test_bands_of_very_many_curves_have_fewer_draws_and_the_page_says_so(tmp_path, monkeypatch):
    from berrypick.report.html import report_overview as module

    monkeypatch.setattr(module, "DRAWN", 10_000)
    truth = handmade.span_truth({"1": [("d", 0, 10)], "2": [("d", 0, 10)]})
    write_report(
        truth, handmade.span_run({"1": [("d", 0, 5)], "2": [("d", 2, 5)]}), "charR@3", html=tmp_path / "r.html"
    )
    assert Page(tmp_path / "r.html").overview["bands"] == {"draws": 10_000, "table": 10_000}
    monkeypatch.setattr(module, "DRAWN", 9_999)
    write_report(
        truth, handmade.span_run({"1": [("d", 0, 5)], "2": [("d", 2, 5)]}), "charR@3", html=tmp_path / "r.html"
    )
    assert Page(tmp_path / "r.html").overview["bands"] == {"draws": 1_000, "table": 10_000}


def test_a_note_on_many_runs_does_not_name_them_all(tmp_path):
    truth = handmade.span_truth({"1": [("d", 0, 10)], "2": [("d", 0, 10)]})
    some = [handmade.span_run({"1": [("d", 0, 5)]}, f"some{n}") for n in range(7)]
    made = write_report(truth, some, "charR", html=tmp_path / "r.html")
    assert "all 7 runs: 1 judged topic missing from the run, scored as empty lists" in map(str, made.notes)
    more = [*some, handmade.span_run({"1": [("d", 0, 5)], "2": [("d", 0, 5)]}, "full")]
    made = write_report(truth, more, "charR", html=tmp_path / "r.html")
    assert (
        "some0, some1, some2, some3, some4 and 2 more runs: 1 judged topic missing from the run, scored as empty lists"
        in map(str, made.notes)
    )


def test_a_note_on_several_runs_is_told_once(tmp_path):
    truth = handmade.span_truth({"1": [("d", 0, 10)], "2": [("d", 0, 10)]})
    runs = [replace(handmade.span_run({"1": [("d", 0, 5)]}), tag=tag) for tag in "xy"]
    made = write_report(truth, runs, "charR", html=tmp_path / "r.html")
    assert "x, y: 1 judged topic missing from the run, scored as empty lists" in map(str, made.notes)
    assert Page(tmp_path / "r.html").overview["title"] == "berrypick report"


def test_depth(tmp_path):
    truth = handmade.span_truth({"1": [("d", 0, 10)]})
    run = handmade.span_run({"1": [("d", 5 * i, 5 * i + 5) for i in range(30)]})
    made = write_report(
        truth, run, "EPRUM", html=tmp_path / "r.html", depth=7, collection=handmade.lengths(d=500), readers="classical"
    )
    told = Page(tmp_path / "r.html").topic("1")["runs"][0]
    assert (told["ranks"], told["shown"], len(told["results"])) == (30, 7, 7)
    assert any("depth=" in what for what in made.omitted)


def test_readers_by_name(tmp_path):
    truth = handmade.span_truth({"1": [("d", 0, 10)]})
    run = handmade.span_run({"1": [("d", 0, 5)]})
    options = {"collection": handmade.lengths(d=500), "html": tmp_path / "r.html"}
    write_report(truth, run, "EPRUM", readers="t2i(tolerance=20) coverage", **options)
    readers = Page(tmp_path / "r.html").overview["readers"]
    assert [reader["model"] for reader in readers] == ["t2i", "coverage"]
    write_report(truth, run, "EPRUM", readers="none", **options)
    assert Page(tmp_path / "r.html").overview["readers"] == []
    with pytest.raises(bp.UsageError, match="did you mean coverage"):
        write_report(truth, run, "EPRUM", readers="coverge", **options)


def test_titles(tmp_path):
    path = tmp_path / "titles.tsv"
    path.write_bytes(b"# what they ask\n1\tHow to prune?\r\n2\tWhen? \n")
    assert read_titles(path) == {"1": "How to prune?", "2": "When?"}
    path.write_bytes(b"1\tfine\nno tab here\n")
    with pytest.raises(bp.InputError, match=r"titles.tsv:2|line 2"):
        read_titles(path)
    path.write_bytes(b"1\t\xff\n")
    with pytest.raises(bp.InputError, match="UTF-8"):
        read_titles(path)


def test_command(berrypick, tmp_path):
    path = tmp_path / "report.html"
    done = berrypick("report", web.FILES.path("answers.qrels"), web.FILES.path("hubs.run"), "-m", "EPRUM infAP",
                     "--html", path)  # fmt: skip
    assert (done.code, done.out) == (0, "") and "8 topics" in done.err and path.exists()
    overview = Page(path).overview
    assert overview["measures"][1]["what"].endswith("ir_measures.")
    assert json.dumps(overview)  # no nan
    titles = tmp_path / "titles.tsv"
    titles.write_text(f"{overview['topics'][0]}\tWhat is asked\n")
    done = berrypick("report", web.FILES.path("answers.qrels"), web.FILES.path("hubs.run"), "-m", "EPRUM",
                     "--html", path, "--title", "A heading", "--titles", titles, "--readers", "none")  # fmt: skip
    told = Page(path)
    assert done.code == 0 and told.overview["title"] == "A heading" and told.overview["readers"] == []
    assert told.topic(overview["topics"][0])["title"] == told.overview["titles"][0] == "What is asked"
    for wrong in (["-m", "EPRM", "--html", path], ["-m", "EPRUM"],
                  ["-m", "EPRUM", "--html", tmp_path / "no" / "r.html"],
                  ["-m", "EPRUM", "--html", tmp_path]):  # fmt: skip
        done = berrypick("report", web.FILES.path("answers.qrels"), web.FILES.path("hubs.run"), *wrong)
        assert done.code == 2 and done.out == "" and done.err.count("\n") == 1, wrong


def test_without_the_library_it_says_what_to_install(berrypick, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    unkept = html_report.charting_library.__wrapped__  # the kept one serves other tests
    monkeypatch.setattr(html_report, "charting_library", unkept)
    done = berrypick("report", web.FILES.path("answers.qrels"), web.FILES.path("hubs.run"), "-m", "EPRUM",
                     "--html", tmp_path / "r.html")  # fmt: skip
    assert done.code == 2 and "pip install 'berrypick[report]'" in done.err and not list(tmp_path.iterdir())


def test_titles_come_from_a_field_of_the_truth(tmp_path):
    truth = tmp_path / "truth.jsonl"
    line = '{"topic": "1", "doc": "d", "start": 0, "end": 5, "question": "Where is it?", "note": "old"}\n'
    truth.write_text(line + line.replace("0, ", "6, ").replace("5,", "9,").replace("old", "new"))
    run = {"1": {"d#0-5": 1}}
    for titles, expected in ((None, "Where is it?"), ("question", "Where is it?"), ({"1": "mine"}, "mine")):
        write_report(truth, run, "charR", html=tmp_path / "page.html", titles=titles, readers="none", resamples=100)
        assert Page(tmp_path / "page.html").overview["titles"] == [expected]
    with pytest.raises(bp.UsageError, match="'old' and 'new'"):
        write_report(truth, run, "charR", html=tmp_path / "page.html", titles="note", readers="none")


def test_clusters_reach_the_intervals_of_a_report(tmp_path):
    truth = {str(i): {f"{'ab'[i % 2]}#{i}-{i + 9}": 1} for i in range(6)}
    runs = {"x": {str(i): {f"{'ab'[i % 2]}#{i}-{i + 4 + i % 2}": 1} for i in range(6)}, "y": truth}
    write_report(truth, runs, "charR", html=tmp_path / "page.html", cluster="doc", readers="none", resamples=100)
    overview = Page(tmp_path / "page.html").overview
    assert ["cluster", "doc"] in overview["method"] and overview["pairs"][0]["p"] == 0.5  # two clusters, not six topics


def test_numbers_of_numpy_are_options(tmp_path):
    truth, runs = {"1": {"a": 1}, "2": {"b": 1}}, {"x": {"1": {"a": 1.0}}, "y": {"2": {"b": 1.0}}}
    pages = [tmp_path / "plain.html", tmp_path / "numpy.html"]
    write_report(truth, runs, "AP", html=pages[0], confidence=0.5, resamples=100, seed=1)
    write_report(
        truth, runs, "AP", html=pages[1], confidence=np.float32(0.5), resamples=np.int64(100), seed=np.int64(1)
    )
    assert pages[0].read_text() == pages[1].read_text()
