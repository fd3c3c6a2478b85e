"""A truth that contradicts its own texts is refused by simulate as by evaluate."""

import json


def test_squad_that_is_not_at_its_offsets(files, berrypick):
    answer = {"text": "plum", "answer_start": 7}
    page = {
        "title": "B",
        "paragraphs": [{"context": "apple plum", "qas": [{"id": "q0", "question": "?", "answers": [answer]}]}],
    }
    written = files(
        bad_json=json.dumps({"version": "1", "data": [page]}, indent=1),
        run_jsonl='{"topic": "q0", "doc": "B/0", "start": 0, "end": 9, "rank": 1}\n',
    )
    done = berrypick("simulate", *written.values(), "-m", "charR")
    assert done.code == 2 and "topic q0: the span" in done.err
