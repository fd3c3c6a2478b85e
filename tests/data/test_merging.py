"""Judgements of several annotators, merged: in one pass, with lines, and not where sets are named."""

import numpy as np
import pytest

import berrypick as bp
from berrypick.data.annotators import merge_annotators
from berrypick.data.truth import TopicTruth


def test_annotators_of_different_topics_are_merged_in_one_pass():
    def judged(count):
        one = (("d",), np.ones(1), np.zeros(1, dtype=np.int64), np.ones(1, dtype=np.int64))
        return {str(i): {str(i): TopicTruth(str(i), *one)} for i in range(count)}

    assert list(merge_annotators(judged(5))) == ["0", "1", "2", "3", "4"]
    lengths = []

    class Seen(dict):
        def __contains__(self, name):
            lengths.append(name)
            return super().__contains__(name)

    merge_annotators({who: Seen(topics) for who, topics in judged(300).items()})
    assert len(lengths) <= 300


def test_several_annotators_of_a_topic_with_sets_are_refused():
    rows = [
        {"topic": "1", "doc": "a", "start": 0, "end": 9, "set": "x", "annotator": "ann"},
        {"topic": "1", "doc": "b", "start": 0, "end": 9, "set": "x", "annotator": "bob"},
    ]
    with pytest.raises(bp.BerrypickError, match="topic 1 has sets or hops and several annotators"):
        bp.Truth.from_records(rows)


def test_annotators_keep_lines(tmp_path):
    rows = [{"topic": "1", "doc": "a", "start_line": 1, "end_line": 4, "annotator": "Ann"},
            {"topic": "1", "doc": "a", "start_line": 3, "end_line": 8, "annotator": "Ben"}]  # fmt: skip
    truth = bp.Truth.from_records(rows)
    assert truth.unit == "lines" and truth["1"].start.tolist() == [0]
    assert (
        bp.score("charP", rows, [{"topic": "1", "doc": "a", "start_line": 8, "end_line": 9}], annotators="union") == 0.5
    )
