"""In notebooks: results, comparisons, sweeps, judged topics and explanations show themselves, and run nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import handmade
import numpy as np
import pytest
from handmade_results import results
from lxml import html as parser

import berrypick as bp
from berrypick import users
from berrypick.data.run import Ranking
from berrypick.data.score import Explanation, Table
from berrypick.data.truth import Targets, TopicTruth
from berrypick.report.notebook import span_strips
from berrypick.topics.context import JudgingContext
from berrypick.topics.topic import JudgedTopic
from berrypick.users.base import ReaderContext

EXAMPLES = Path(__file__).resolve().parents[3] / "docs" / "examples"
CHUNKS = EXAMPLES / "chunks"
HOSTILE = "</script><img src=x onerror=alert(1)>{{7*7}}\u202e\x00" + "w" * 100_000


def sound(value):
    """The page of a value, parsed: nothing in it runs, nothing is fetched, and it is light."""
    content = value._repr_html_()
    page = parser.fragment_fromstring(content, create_parent="div")
    for element in page.iter():
        assert element.tag in {"div", "table", "caption", "thead", "tbody", "tr", "th", "td", "ul", "li", "br", "sup",
                               "svg", "title", "rect", "span"}, element.tag  # fmt: skip
        assert not [name for name in element.attrib if name.startswith("on") or name in ("src", "href")]
        assert "url(" not in element.attrib.get("style", "")
    assert len(content) < 100_000
    assert "\x00" not in content and "\u202e" not in content
    return page


def text(page):
    return " ".join(page.text_content().split())


def bold(page):
    return [cell.text_content() for cell in page.iter("td") if "bold" in cell.attrib["style"]]


def test_results_have_the_best_in_bold():
    page = sound(
        results({"a": {"AP": [0.5, 0.7], "Overlap": [0.2, 0.2]}, "b": {"AP": [0.1, None], "Overlap": [0.1] * 2}})
    )
    assert [cell.text_content() for cell in page.iter("th")] == ["run", "AP", "Overlap"]
    assert bold(page) == ["0.6000", "0.1000"], "of Overlap the smaller"
    assert "Means over 2 topics" in text(page)
    assert "undefined" in text(sound(results({"a": {"AP": [None]}})))
    assert bold(sound(results({"a": {"AP": [0.5]}, "b": {"AP": [0.5]}}))) == [], "nobody is best"


def test_comparisons_have_letters_and_notes():
    page = sound(bp.compare(results({"one": {"AP": [0.1] * 9}, "two": {"AP": [0.2] * 9}})))  # no spread, no interval
    assert [mark.text for mark in page.iter("sup")] == ["a"]
    assert bold(page) == ["0.2000a"]
    assert list(page.iter("li"))
    said = text(page)
    assert "Differences from one" in said and "p (Holm)" in said and "+0.1000" in said and "0.0039" in said
    assert "p: two-sided paired randomisation test, Holm correction over the one comparison of a measure." in said
    assert "A raised letter: significantly better (p at most 0.05) than the run with that letter." in said
    alone = text(sound(bp.compare(results({"one": {"AP": [0.1] * 9}}))))
    assert "Intervals: expanded percentile bootstrap" in alone and "Differences" not in alone


def test_explanations():
    page = sound(Explanation("EPRUM for topic <b>", ["One & two.", Table("T", ["k", "v"], [["1", "<i>"]])]))
    assert text(page) == "EPRUM for topic <b>One & two.Tkv1<i>"
    page = sound(bp.explain(EXAMPLES / "answers.qrels", EXAMPLES / "mine.run", "EPRUM", "setup"))
    assert "Precision at each recall value" in text(page)


@pytest.mark.parametrize("kind", ["results", "compare", "diff", "explain", "judged"])
def test_hostile_names_are_text(kind):
    found = results({HOSTILE: {"AP": [0.1, 0.2]}, "b": {"AP": [0.2, 0.4]}})
    run = handmade.document_run({"1": [HOSTILE, "b"]}, tag=HOSTILE)
    truth = handmade.document_truth({"1": {HOSTILE: 1}})
    value = {
        "results": lambda: found,
        "compare": lambda: bp.compare(found),
        "diff": lambda: bp.diff(found, results({HOSTILE: {"AP": [0.1, 0.3]}, "b": {"AP": [0.2, 0.4]}})),
        "explain": lambda: bp.explain(truth, run, "EPRUM", "1"),
        "judged": lambda: bp.judge(truth, run, "1"),
    }[kind]()
    assert "<img src=x onerror=alert(1)>" in text(sound(value)), "shown as it was written"


# --- a judged topic ---------------------------------------------------------------------------------------------------


def test_a_judged_topic_shows_where_results_fall():
    judged = bp.judge(CHUNKS / "truth.jsonl", CHUNKS / "200.jsonl", "prune", documents=CHUNKS / "texts")
    page = sound(judged)
    assert "Topic prune2 targets in 1 document; 5 ranks" in text(page)
    assert "raspberries.md: rank 1; 123 of 123 relevant retrieved" in text(page)
    pictures = list(page.iter("svg"))
    assert len(pictures) == 2
    found = [bar for bar in pictures[0].iter("rect") if bar.attrib["fill"] == span_strips.FOUND]
    assert len(found) == 2
    length = judged.collection.lengths["raspberries.md"]
    assert float(found[0].attrib["x"]) == pytest.approx(480 * 505 / length, abs=0.1), "at true scale"
    assert float(found[0].attrib["width"]) == pytest.approx(480 * 78 / length, abs=0.1)


def test_whole_documents_have_no_strips_but_their_ranking():
    page = sound(
        bp.judge(EXAMPLES / "answers.qrels", EXAMPLES / "mine.run", "setup", navigation=EXAMPLES / "clicks.tsv")
    )
    assert not list(page.iter("svg"))
    assert "1guide0.8" in "".join(text(page).split())
    assert "config10.64" in "".join(text(page).split()), "what readers see of a target"


def test_judge_takes_the_settings_of_evaluate():
    world = {"navigation": EXAMPLES / "clicks.tsv"}
    judged = bp.judge(EXAMPLES / "answers.qrels", EXAMPLES / "mine.run", "setup", **world)
    assert isinstance(judged, JudgedTopic) and judged.reach.dense().tolist()[0] == [0.4, 0.4]
    plain = bp.judge(EXAMPLES / "answers.qrels", EXAMPLES / "mine.run", "setup")
    assert plain.reach.dense().tolist()[0] == [0, 0]
    with pytest.raises(bp.UsageError, match=r"topic setap is not in .*; did you mean setup"):
        bp.judge(EXAMPLES / "answers.qrels", EXAMPLES / "mine.run", "setap")
    with pytest.raises(bp.UsageError, match="did you mean user"):
        bp.judge(EXAMPLES / "answers.qrels", EXAMPLES / "mine.run", "setup", usr="classical")
    with pytest.raises(bp.InputError, match="retrieved twice"):
        bp.judge(handmade.document_truth({"1": {"a": 1}}), handmade.document_run({"1": ["a", "a"]}), "1")


def test_topics_without_targets_or_answers_show_themselves():
    truth = handmade.document_truth({"1": {"a": 1}, "2": {"a": 0}})
    run = handmade.document_run({"2": ["a"]})
    assert "the run does not answer this topic" in text(sound(bp.judge(truth, run, "1")))
    assert "Nothing is relevant" in text(sound(bp.judge(truth, run, "2")))


def test_many_results_stay_light():
    spans = np.arange(0, 200_000, 10)
    count = len(spans)
    ranking = Ranking(["d"], np.zeros(count, dtype=np.int64), np.arange(count), count, spans, spans + 5)
    targets = Targets(("d",), np.ones(1), np.ones(1), np.ones(1), np.array([0]), np.array([50_000]))
    truth = TopicTruth("1", ("d",), np.ones(1), targets.start, targets.end)
    reader = ReaderContext(bp.Collection({"d": 200_000.0}))
    judged = JudgedTopic("1", truth, targets, ranking, JudgingContext(users.build("classical"), reader))
    assert "the first 20 of 20000" in text(sound(judged))


@pytest.mark.parametrize(
    ("spans", "expected"), [([(5, 6), (0, 2), (2, 3), (1, 2), (4, 4)], [(0, 3), (5, 6)]), ([], []), ([(3, 1)], [])]
)
def test_spans_are_merged(spans, expected):
    assert span_strips.merged(spans) == expected


def test_what_is_in_both():
    draw = np.random.default_rng(3)
    for _ in range(200):
        sides = []
        for _ in range(2):
            starts = draw.integers(0, 40, 5)
            sides.append(
                span_strips.merged([(int(a), int(a + b)) for a, b in zip(starts, draw.integers(0, 9, 5), strict=True)])
            )
        letters = [{i for a, b in side for i in range(a, b)} for side in sides]
        assert {i for a, b in span_strips.both(*sides) for i in range(a, b)} == letters[0] & letters[1]


# --- a real notebook --------------------------------------------------------------------------------------------------


def test_a_notebook_runs_and_shows_everything(tmp_path):
    nbformat = pytest.importorskip("nbformat")
    client = pytest.importorskip("nbclient")
    cells = [
        f"import json, os, berrypick as bp\nos.chdir({str(EXAMPLES)!r})",
        "results = bp.evaluate('answers.qrels', ['mine.run', 'other.run'], 'EPRUM', curves=True)\nresults",
        "bp.compare(results)",
        "bp.judge('chunks/truth.jsonl', 'chunks/200.jsonl', 'prune', documents='chunks/texts')",
        "bp.explain('answers.qrels', 'mine.run', 'EPRUM', 'setup')",
        "questions = json.load(open('chunks/questions.json'))\n"
        "bp.sweep('chunks/texts', 'chunks/truth.jsonl', measures='charR@5', queries=questions)",
        "results.plot()",
        "bp.compare(results).plot()",
    ]
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    client.NotebookClient(
        book, timeout=120, kernel_name="python3", resources={"metadata": {"path": tmp_path}}
    ).execute()
    for cell in book.cells[1:]:
        (output,) = cell.outputs
        kinds = set(output["data"])
        if "plot" in cell.source:
            assert kinds == {"image/svg+xml", "text/plain"}, "a picture, which needs no network and runs nothing"
        else:
            assert "<table" in output["data"]["text/html"] and "<script" not in output["data"]["text/html"]


def test_values_show_themselves_whatever_was_imported():
    code = (
        "from berrypick.data.results import Results\nfrom IPython.core.formatters import HTMLFormatter\n"
        "print(HTMLFormatter()(Results([], [])))\nprint(Results([], []))"
    )
    pytest.importorskip("IPython")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "<table" in done.stdout and done.stdout.splitlines()[-2:] == ["run", "---"] and not done.stderr


def test_values_are_short_at_the_prompt(tmp_path):
    topics = {str(topic): [("d", 0, 9)] * 1 for topic in range(300)}
    truth = handmade.span_truth(topics)
    run = handmade.span_run(topics, "mine")
    found = bp.evaluate(truth, [run, handmade.span_run(topics, "n" * 5000)], "charR charP@1", curves=True)
    assert repr(found) == "Results(2 runs, 2 measures, 300 topics)"
    assert str(found).splitlines()[0].split() == ["run", "charR", "charP@1"] and len(str(found).splitlines()) == 4
    assert repr(truth) == "Truth(spans of 300 topics)"
    assert repr(run) == str(run) == "Run('mine', 300 results of 300 topics)"
    compared = bp.compare(found)
    assert repr(compared) == "Comparison(2 runs, 2 measures, baseline 'mine')"
    assert "charR" in str(compared)
    assert len(repr(handmade.span_run(topics, "n" * 5000))) < 200
