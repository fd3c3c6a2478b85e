"""What clients returned, as files: the same retrieval in every carrier has the same digits on the command line."""

import json

import pytest
from client_responses import DOCUMENTS, EXPECTED, MEASURES, RESPONSES, TEXTS, TRUTH
from many_cases import each

import berrypick as bp


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A truth and its documents."""
    made = tmp_path_factory.mktemp("carriers")
    spans = [
        {"topic": "q", "doc": doc, "start": start, "end": end, "question": "When?"} for doc, start, end in TRUTH["q"]
    ]
    (made / "truth.jsonl").write_text("".join(json.dumps(one) + "\n" for one in spans))
    (made / "docs").mkdir()
    for name, text in TEXTS.items():
        (made / "docs" / name).write_text(text)
    return made


@pytest.mark.slow
@each("carrier", RESPONSES)
def test_a_file_by_topic(carrier, folder):
    for indent in (1, None):
        (folder / "run.json").write_text(json.dumps({"q": RESPONSES[carrier]}, indent=indent))
        results = bp.evaluate(folder / "truth.jsonl", folder / "run.json", MEASURES, documents=folder / "docs")
        assert results.mean()["run"] == pytest.approx(EXPECTED)


@pytest.mark.slow
@each("carrier", RESPONSES)
def test_lines_with_the_topic_or_the_question(carrier, folder):
    for named in ({"topic": "q"}, {"query": "When? "}):
        (folder / "run.jsonl").write_text(json.dumps({**named, "response": RESPONSES[carrier]}) + "\n")
        results = bp.evaluate(folder / "truth.jsonl", folder / "run.jsonl", MEASURES, documents=folder / "docs")
        assert results.mean()["run"] == pytest.approx(EXPECTED)


def test_one_command(folder, berrypick):
    lines = [{"input": "When?", "context": DOCUMENTS, "answer": "In autumn."}, {"input": "Who?", "context": []}]
    (folder / "chain.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines))
    done = berrypick("evaluate", folder / "truth.jsonl", folder / "chain.jsonl", "-m", "charR@5", "--documents",
                     folder / "docs", "-o", "json")  # fmt: skip
    assert done.code == 0, done.err
    assert json.loads(done.out)[0]["value"] == pytest.approx(EXPECTED["charR@5"])
    assert "1 topic matched by the question" in done.err
    checked = berrypick("check", folder / "chain.jsonl")
    assert checked.code == 0 and "client-results" in checked.out


REFUSED = {
    '{"topic": "q", "response": {"page": "x"}}\n': r"run:1: the score of page is 'x'",
    '{"topic": "q", "response": [3]}\n': "run:1: int is not a known kind of result",
    '{"topic": "q", "response": {"root": {"relevance": 1, "errors": [{"code": 4}]}}}\n': "run:1: .*the search failed",
    '{"topic": "q", "response": ["a"]}\n{"topic": "r"}\n': "run:2: is not a result of a known kind",
    '{"topic": "q", "response": [{"page_content": "Cut", "metadata": [3]}]}\n': "run:1: metadata is a list, not an obj",
}


@each("text", REFUSED)
def test_what_cannot_be_understood_is_refused_with_its_line(text, tmp_path):
    (tmp_path / "run").write_text(text)
    with pytest.raises(bp.BerrypickError, match=REFUSED[text]):
        bp.read_run(tmp_path / "run", "client-results")
