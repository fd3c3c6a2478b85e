"""Scores of topics on their way between processes."""

import copy
import pickle
from dataclasses import FrozenInstanceError, fields, replace

import pytest

import berrypick as bp
from berrypick.data.results import Row
from berrypick.data.score import Score, Scores
from berrypick.evaluation.scored import TopicScores

WHOLE = {"AP": {"1": Score(0.5), "2": Score(None)}, "RR": {"1": Score(0.25), "2": Score(0.0)}}
SAID = Score(0.125, ("a note",), (("gap", "0"),), (("r", 2.0),))


def scores_of(found):
    made = TopicScores(repeats=3, overlap={"1": 0.5})
    for measure, scores in found.items():
        made.add(measure, scores)
    return made


@pytest.mark.parametrize(
    "found",
    [{}, WHOLE, {**WHOLE, "AP": {"1": Score(0.5), "2": SAID}}, {**WHOLE, "AP": {"2": SAID}}],
    ids=["nothing", "values", "with more", "not all"],
)
def test_scores_arrive_as_they_were_sent(found):
    sent = scores_of(found)
    got = pickle.loads(pickle.dumps(sent))
    assert got == sent
    assert got.found == found


def test_names_travel_once():
    topics = [f"topic-{i}" for i in range(50)]
    found = {text: Scores({topic: i / 7 for i, topic in enumerate(topics)}) for text in ("AP", "nDCG@10", "P@10")}
    each = {(text, topic): score for text, scores in found.items() for topic, score in scores.items()}
    assert len(pickle.dumps(TopicScores(found))) < len(pickle.dumps(each)) / 2


def test_scores_are_a_mapping_of_scores():
    made = TopicScores()
    for found in ({"1": Score(0.5), "2": SAID}, Scores({"3": None})):
        made.add("AP", found)
    scores = made.found["AP"]
    assert scores == {"1": Score(0.5), "2": SAID, "3": Score(None)}
    assert (len(scores), list(scores), scores["2"]) == (3, ["1", "2", "3"], SAID)
    for later in ({"2": Score(0.25)}, Scores({"2": 0.25})):  # what is found last counts
        made.add("AP", {"2": SAID})
        assert scores.more == {"2": SAID}
        made.add("AP", later)
        assert (scores["2"], scores.more) == (Score(0.25), {})


def test_what_is_made_quickly_is_like_what_is_made_one_by_one():
    """Rows of many topics pass from a class that is not frozen to the frozen one."""
    row = bp.evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, "RR").topic_rows[0]
    plain = Row(row.run, "1", "RR", 1.0, row.signature)
    assert type(row) is Row and row == plain and row != replace(plain, value=0.5)
    assert repr(row) == repr(plain)
    assert pickle.loads(pickle.dumps(row)) == copy.copy(row) == replace(row) == plain
    with pytest.raises(FrozenInstanceError):
        row.value = 0.25


def evaluated():
    return bp.evaluate({"1": {"a": 1}, "2": {"b": 1}}, {"1": {"a": 1.0}, "2": {"c": 2.0, "b": 1.0}}, "RR P@1")


@pytest.mark.parametrize(
    "use", [copy.copy, replace, lambda one: pickle.loads(pickle.dumps(one)), lambda one: one.only(), bp.concat]
)
def test_rows_of_topics_are_made_at_first_use(use):
    """Whatever is done first with results, they are those whose rows were given."""
    first = evaluated()
    plain = bp.Results(list(first.topic_rows), *(getattr(first, one.name) for one in fields(first)[1:]))
    made = evaluated()
    assert made.topic_rows._make is not None
    assert use(made) == plain == made
    assert made.topic_rows._make is None and made.topic_rows[0] is made.topic_rows[0]
    assert pickle.dumps(pickle.loads(pickle.dumps(made))) == pickle.dumps(pickle.loads(pickle.dumps(plain)))


def test_results_have_no_other_attributes():
    with pytest.raises(AttributeError, match="'Results' object has no attribute 'topic_row'"):
        evaluated().topic_row  # noqa: B018


def test_signatures_are_those_of_each_run_by_itself():
    """Kept for the next run, they are told apart by all that they depend on."""
    truth = {"1": [{"doc": "a", "start": 0, "end": 9}], "2": [{"doc": "b", "start": 3, "end": 5}]}
    runs = {
        "documents": {"1": {"a": 2.0, "b": 1.0}, "2": {"b": 1.0}},
        "spans": {"1": [("a", 0, 5), ("b", 1, 2)], "2": [("b", 0, 9)]},
        "nothing": {"1": [], "2": [("c", 0, 9)]},
        "spans again": {"1": [("a", 0, 5)]},
        "documents again": {"2": {"b": 1.0}},
    }
    measures = "AP EPRUM charR@1 spanRR nDCG@10"
    lengths = bp.Collection({"a": 20, "b": 20, "c": 20})
    how = {"whole_documents": True, "collection": lengths}
    together = bp.evaluate(truth, runs, measures, **how)
    for name, run in runs.items():
        alone = bp.evaluate(truth, {name: run}, measures, **how)
        assert [*together[name]] == [*alone]
    assert len({str(row.signature) for row in together.mean_rows}) > len(measures.split())
