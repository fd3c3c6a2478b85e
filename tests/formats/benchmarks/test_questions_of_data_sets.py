"""Readers of data sets keep the questions."""

from many_cases import each

import berrypick as bp
from berrypick.inputs.titles import titles_of

DATA_SETS = {
    "squad.json": '{"version": "v2.0", "data": [{"title": "B", "paragraphs": [{"context": "a berry", "qas": [\n'
    '{"id": "1", "question": "Which one?", "answers": [{"text": "berry", "answer_start": 2}]}]}]}]}',
    "chunking.csv": 'question,references,corpus_id\nWhich one?,"[{""content"": ""berry"", ""start_index"": 2, '
    '""end_index"": 7}]",B\n',
    "legal.json": '{"tests": [{"query": "Which one?", "snippets": [{"file_path": "B", "span": [2, 7]}]}]}',
}


@each(["name", "text"], list(DATA_SETS.items()))
def test_readers_of_data_sets_keep_the_questions(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    truth = bp.read_truth(path)
    assert list(titles_of(truth).values()) == ["Which one?"]
    assert truth.to_records()[0]["question"] == "Which one?"
    document = truth.to_records()[0]["doc"]
    assert bp.score("spanHit@1", truth, {"Which one?": [(document, 2, 7)]}) == 1.0
