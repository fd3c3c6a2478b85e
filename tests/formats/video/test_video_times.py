"""Times of videos: what is a time, and what is refused."""

import pytest

import berrypick as bp
from berrypick import formats
from berrypick.formats.video._video import clock, minutes_seconds


@pytest.mark.parametrize("word", ["9" * 400 + "s", "9" * 400 + "h1s", "9" * 17 + "m", "²s", "٣s"])
def test_times_beyond_any_video(put, word):
    assert clock(word) is None
    text = f'<videoTopics><videoTopic num="5"><knownItem src="a" start="1s" stop="{word}"/></videoTopic></videoTopics>'
    with pytest.raises(bp.InputError, match="times look like"):
        formats.read_truth(put("t.xml", text))


@pytest.mark.parametrize("word", ["1." + "0" * 5000, "9" * 5000, "²", "1.²", "1.٣"])
def test_minutes_and_seconds_that_are_none(word):
    assert minutes_seconds(word) is None


@pytest.mark.parametrize("kernels", ["", "numpy"])
def test_segments_of_no_length(put, kernels, monkeypatch):
    """A run may point to a moment; nothing in a truth is relevant for no time."""
    monkeypatch.setenv("BERRYPICK_KERNELS", kernels)
    with pytest.raises(bp.InputError, match=r"t\.qrels:2: the segment ends before it starts"):
        bp.read_truth(put("t.qrels", "q Q0 v 1.00 2.00 1\nq Q0 v 3.00 3.00 1\n"))
    run = bp.read_run(put("r.run", "q Q0 v 1.00 2.00 1 9.0 tag\nq Q0 v 3.00 3.00 2 8.0 tag\n"))
    assert (run.start.tolist(), run.end.tolist()) == ([60, 180], [120, 180])
