"""Scores of topics on their way between processes."""

import copy
import pickle
from dataclasses import FrozenInstanceError, replace

import pytest

import berrypick as bp
from berrypick.core.results import Row
from berrypick.core.score import Score
from berrypick.evaluation.scored import TopicScores

WHOLE = {("AP", "1"): Score(0.5), ("AP", "2"): Score(None), ("RR", "1"): Score(0.25), ("RR", "2"): Score(0.0)}
SAID = Score(0.125, ("a note",), (("gap", "0"),), (("r", 2.0),))


@pytest.mark.parametrize(
    "found",
    [{}, WHOLE, {**WHOLE, ("AP", "2"): SAID}, {key: WHOLE[key] for key in [*WHOLE][:3]}],
    ids=["nothing", "values", "with more", "not all"],
)
def test_scores_arrive_as_they_were_sent(found):
    sent = TopicScores(dict(found), repeats=3, overlap={"1": 0.5}, reads={"AP": {"targets"}})
    got = pickle.loads(pickle.dumps(sent))
    assert got == sent
    assert got.found == found


def test_names_travel_once():
    scores = {(measure, f"topic-{i}"): Score(i / 7) for i in range(50) for measure in ("AP", "nDCG@10", "P@10")}
    assert len(pickle.dumps(TopicScores(scores))) < len(pickle.dumps(scores)) / 2


def test_what_is_made_quickly_is_like_what_is_made_one_by_one():
    """Rows and scores of many topics pass from a class that is not frozen to the frozen one."""
    row = bp.evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, "RR").topic_rows[0]
    score = pickle.loads(pickle.dumps(TopicScores(dict(WHOLE)))).found["AP", "1"]
    plain = Row(row.run, "1", "RR", 1.0, row.signature)
    for found, same, other in ((row, plain, replace(plain, value=0.5)), (score, Score(0.5), Score(0.25))):
        assert type(found) is type(same) and found == same and found != other
        assert repr(found) == repr(same)
        assert pickle.loads(pickle.dumps(found)) == copy.copy(found) == replace(found) == same
        with pytest.raises(FrozenInstanceError):
            found.value = 0.25
