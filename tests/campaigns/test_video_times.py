"""Times of videos: what is a time, and what is refused."""

import pytest

import berrypick as bp
from berrypick import formats
from berrypick.addons.campaigns._video import clock, minutes_seconds


@pytest.fixture
def put(tmp_path):
    def write(name, text):
        path = tmp_path / name
        path.write_text(text)
        return str(path)

    return write


@pytest.mark.parametrize("word", ["9" * 400 + "s", "9" * 400 + "h1s", "9" * 17 + "m", "²s", "٣s"])
def test_times_beyond_any_video(put, word):
    assert clock(word) is None
    text = f'<videoTopics><videoTopic num="5"><knownItem src="a" start="1s" stop="{word}"/></videoTopic></videoTopics>'
    with pytest.raises(bp.InputError, match="times look like"):
        formats.read_truth(put("t.xml", text))


@pytest.mark.parametrize("word", ["1." + "0" * 5000, "9" * 5000, "²", "1.²", "1.٣"])
def test_minutes_and_seconds_that_are_none(word):
    assert minutes_seconds(word) is None
