"""Files of chunking_evaluation."""

from __future__ import annotations

import json

import pytest

import berrypick as bp
from berrypick import formats

TEXT = "Raspberries fruit in July. Cut the old canes in autumn. Pick dry. Pick dry."


CUT, PICK = TEXT.index("Cut"), TEXT.index("Pick")


def content(run: bp.Run) -> list[tuple]:
    return [
        (topic, ranking.documents[int(ranking.document[row])], int(ranking.start[row]), int(ranking.end[row]))
        for topic, ranking in run.rankings()
        for row in range(len(ranking))
    ]


def test_chunking_evaluation_files(files, tmp_path):
    (tmp_path / "corpora").mkdir()
    (tmp_path / "corpora" / "garden.md").write_text(TEXT)

    def cell(content: str, start: int) -> str:
        references = [{"content": content, "start_index": start, "end_index": start + len(content)}]
        return '"' + json.dumps(references).replace('"', '""') + '"'

    rows = (
        "question,references,corpus_id\n"
        f'"When,\nreally?",{cell("Cut the old canes in autumn.", CUT)},garden\n'
        f"How?,{cell('Pick dry.', PICK)},garden\n"
    )
    path = files(questions_csv=rows)["questions_csv"]
    truth = bp.read_truth(path)
    assert truth.format == "chunking-evaluation" and list(truth.topics) == ["0", "1"]
    assert truth.topics["1"].start.tolist() == [PICK] and truth.topics["1"].line.tolist() == [4]
    run = bp.run_from_objects({"0": [{"doc": "garden.md", "start": CUT, "end": CUT + 28}]})
    assert bp.evaluate(truth, run, "IoU", documents=tmp_path / "corpora").per_topic()["run"]["IoU"] == {"0": 1, "1": 0}
    broken = bp.read_truth(files(wrong_csv=rows.replace(str(PICK), str(PICK + 1)))["wrong_csv"])
    with pytest.raises(bp.InputError, match="its quote, which is 1 character earlier"):
        bp.evaluate(broken, run, "IoU", documents=tmp_path / "corpora")


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity", "1e999", "1" * 5000])
def test_references_with_what_is_not_a_number(put, word):
    cell = f'[{{""content"": ""x"", ""start_index"": {word}, ""end_index"": 5}}]'
    with pytest.raises(bp.InputError):
        formats.read_truth(put("q.csv", f'question,references,corpus_id\nq,"{cell}",garden\n'))
