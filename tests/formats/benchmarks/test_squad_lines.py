"""Lines at which questions of SQuAD stand, whatever their names are."""

from __future__ import annotations

import json

import pytest

import berrypick as bp


def squad(ids, **options):
    def question(one):
        return {"id": one, "question": "?", "answers": [{"text": "b", "answer_start": 1}]}

    asked = [question(one) for one in ids]
    value = {"data": [{"title": "1", "paragraphs": [{"document_id": 7, "context": "abc", "qas": asked}]}]}
    return json.dumps(value, indent=1, **options)


@pytest.mark.parametrize("ids", [[7, 1, 11, 111], ["7", "1", "11"], ["é", "ü", "e"], [1, "é", 2], ["a\nb", "c\\"]])
@pytest.mark.parametrize("ascii_only", [True, False])
def test_lines_of_all_kinds_of_names(tmp_path, ids, ascii_only):
    path = tmp_path / "squad.json"
    text = squad(ids, ensure_ascii=ascii_only)
    path.write_text(text)
    truth = bp.read_truth(path)
    lines = [number for number, line in enumerate(text.splitlines(), start=1) if line.strip().startswith('"id"')]
    assert [int(truth.topics[str(one)].line[0]) for one in ids] == lines
