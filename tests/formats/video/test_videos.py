"""What is read of moments beside their times: lengths of videos, and questions."""

import pytest

import berrypick as bp

HUGE = 10**400  # a whole number, and no float


def put(path, text):
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("duration", "message"),
    [
        (HUGE, "q.jsonl:2: duration must be a number of at most 2\\^53"),
        ('"150"', "q.jsonl:2: duration must be a number of at most 2\\^53, not '150'"),
        (-1, "q.jsonl:2: the length -1 is below 0"),
        (149, "q.jsonl:2: document garden has two lengths, 150 and 149"),
    ],
)
def test_durations_of_videos(tmp_path, duration, message):
    line = '{{"qid": {}, "vid": "garden", "duration": {}, "relevant_windows": [[0, 5]]}}\n'
    with pytest.raises(bp.InputError, match=message):
        bp.read_truth(put(tmp_path / "q.jsonl", line.format(1, 150) + line.format(2, duration)))
    assert bp.read_truth(put(tmp_path / "q.jsonl", line.format(1, 150) + line.format(2, "null"))).lengths == {
        "garden": 150
    }


def test_questions_are_kept(tmp_path):
    line = '{"qid": 1, "query": "Which one?", "duration": 9, "vid": "B", "relevant_windows": [[2, 7]]}\n'
    truth = bp.read_truth(put(tmp_path / "moments.jsonl", line))
    assert truth.to_records()[0]["question"] == "Which one?"
    assert bp.score("spanHit@1", truth, {"Which one?": [("B", 2, 7)]}) == 1.0
