"""The carriers in which people have the same run and truth: each is tried where a campaign can be held by it."""

import functools

import numpy as np
import pytest

import berrypick as bp
from berrypick.evaluation.evaluation import Evaluation
from berrypick.evaluation.options import EvaluationOptions
from berrypick.testing import carriers
from berrypick.testing.case import cases_of

pytestmark = pytest.mark.slow

GUIDE = "Prune in spring. Old canes are cut after the harvest. Pick berries when they are dry."
FAQ = "Water the beds at dawn. Mulch keeps the soil moist in summer."
DOCUMENTS = {"guide.md": GUIDE, "faq.md": FAQ}
#: A topic with two judged spans, one of them not relevant; one for which nothing is found; one without an answer.
TRUTH = [
    {"topic": "q1", "question": "When are canes cut?", "doc": "guide.md", "start": 17, "end": 53, "grade": 1},
    {"topic": "q1", "question": "When are canes cut?", "doc": "faq.md", "start": 0, "end": 23, "grade": 0},
    {"topic": "q2", "question": "Which mulch?", "doc": "faq.md", "start": 24, "end": 61, "grade": 1},
]
UNANSWERABLE = {"topic": "q3", "question": "Which jam?", "answer": None}
RUN = {"q1": [("faq.md", 0, 23), ("guide.md", 17, 40)], "q2": [("faq.md", 24, 40)]}
OF_DOCUMENTS = {"q1": {"guide.md": 1, "faq.md": 0}, "q2": {"faq.md": 1}}
NAMES = {"q1": ["faq.md", "guide.md"], "q2": ["guide.md", "faq.md"]}


def tried(truth, run, measures, **options):
    """The names of all variants that hold a run or a truth, none of which breaks the law."""
    found = bp.laws(truth, run, measures, only="carrier", **options)
    assert not found.broken, [str(one) for one in found.broken]
    given = EvaluationOptions.from_arguments(options, "laws")
    [case] = cases_of(Evaluation._from_options(truth, run, measures, given)).values()
    numbers = range(len(carriers.carriers(case)))
    variants = [carriers.carried(case, (), np.random.default_rng(0), number) for number in numbers]
    return {one.what for one in variants if one is not None}


@functools.cache
def spans():
    return tried(TRUTH, RUN, "charR@1 charP spanRR", documents=DOCUMENTS)


def test_order_of_nested_lists():
    names = spans()
    for held in ("records", "JSON Lines"):
        assert {f"run as {held} with lists of {name}" for name in ("results", "contexts", "documents")} <= names


def test_names_and_values_of_relevance():
    for held in ("records", "JSON Lines", "CSV"):
        of_truths = [name for name in spans() if name.startswith(f"truth as {held} with ") and " or " in name]
        assert {name.partition(" with ")[2].split()[0] for name in of_truths} == {*carriers.GRADES}


@pytest.mark.parametrize("empty", [["q3"], ["q2", "q3"]])
def test_empty_lists(empty):
    """Abstained tells an empty list from a topic that the run does not mention."""
    run = {**RUN, **{topic: [] for topic in empty}}
    names = tried([*TRUTH, UNANSWERABLE], run, "charR Abstained", documents=DOCUMENTS)
    assert {f"run as entries in {held}" for held in carriers.ENTRIES} <= names


def test_ids_against_texts():
    texts = {f"run as {held} with lists of texts" for held in ("records", "JSON Lines")}
    names = {f"run as {held} with lists of names" for held in ("records", "JSON Lines")}
    assert texts <= spans() and names.isdisjoint(spans())
    found = tried(OF_DOCUMENTS, NAMES, "RR AP", documents=DOCUMENTS)
    assert names <= found and texts.isdisjoint(found)


def test_metadata_beside_text():
    names = spans()
    for held in ("records", "JSON Lines", "CSV"):
        assert {f"run as {held} with offsets, text and pages", f"run as {held} with text and pages"} <= names


def test_questions_with_white_space():
    run = {**RUN, "q3": []}
    names = tried([*TRUTH, UNANSWERABLE], run, "charR Abstained", documents=DOCUMENTS)
    asked = {f"run as {held} by question" for held in carriers.ENTRIES}
    assert asked <= names
    bare = [{name: value for name, value in row.items() if name != "question"} for row in TRUTH]
    assert asked.isdisjoint(tried(bare, RUN, "charR", documents=DOCUMENTS))
