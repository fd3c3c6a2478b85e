"""Answers with citations as runs: TREC RAG and RAGTIME."""

import json

import pytest

import berrypick as bp
from berrypick import formats


def sentences(*citations):
    return [{"text": "So it is.", "citations": one} for one in citations]


def answers(*rows, **more):
    held = [{"run_id": "mine", "topic_id": t, "topic": "why?", "references": r, "answer": sentences(*c), **more}
            for t, r, c in rows]  # fmt: skip
    return "".join(json.dumps(one) + "\n" for one in held)


def reports(*rows):
    held = [{"metadata": {"topic_id": t, "run_id": "mine", "team_id": "we"}, "responses": sentences(*c)}
            for t, c in rows]  # fmt: skip
    return "".join(json.dumps(one) + "\n" for one in held)


QRELS = "1 0 a 1\n1 0 b 0\n1 0 c 1\n1 0 d 1\n2 0 a 1\n"


def test_precision_and_recall_of_what_is_cited(files, berrypick):
    """Cited: c, a, b of which c and a are relevant, of three: 2/3 and 2/3; x is listed but never cited."""
    content = answers(("1", ["a", "b", "c", "x"], ([2], [0, 1, 2], [])), ("2", [], ([],)))
    written = files(truth_qrels=QRELS, answers_jsonl=content)
    run = bp.read_run(written["answers_jsonl"])
    assert run.format == "trec-rag-answers" and run.tag == "mine"
    assert [one["doc"] for one in run["1"]] == ["c", "a", "b"] and run.topics == ("1", "2")
    assert run.skipped == {"references that no sentence cites, skipped": 1}
    results = bp.evaluate(written["truth_qrels"], written["answers_jsonl"], "SetP SetR")
    values = results.per_topic()["mine"]
    assert values["SetP"] == {"1": pytest.approx(2 / 3), "2": 0.0}
    assert values["SetR"] == {"1": pytest.approx(2 / 3), "2": 0.0}
    shown = berrypick("evaluate", written["truth_qrels"], written["answers_jsonl"], "-m", "SetP SetR")
    assert shown.code == 0 and "references that no sentence cites, skipped: 1" in shown.err


def test_the_same_citations_as_a_report(files):
    by_name = files(r_jsonl=reports(("1", (["c"], ["a", "b", "c"], [])), ("2", ([],))))["r_jsonl"]
    run = bp.read_run(by_name)
    assert run.format == "ragtime-reports" and [one["doc"] for one in run["1"]] == ["c", "a", "b"]
    assert run.topics == ("1", "2") and run.tag == "mine"
    weighted = files(w_jsonl=reports(("1", ({"c": 0.9, "a": 0.1},))))["w_jsonl"]
    assert [one["doc"] for one in bp.read_run(weighted)["1"]] == ["c", "a"]


def test_names_in_metadata(files):
    one = {"metadata": {"narrative_id": 7, "run_id": "late"}, "references": ["a"], "answer": sentences([0])}
    run = bp.read_run(files(late_jsonl=json.dumps(one))["late_jsonl"])
    assert (run.format, run.tag, run.topics) == ("trec-rag-answers", "late", ("7",))


def test_citations_of_nothing_are_counted(files):
    path = files(a_jsonl=answers(("1", ["a"], ([0, 1, -1], ["a", "z"]))))["a_jsonl"]
    run = bp.read_run(path)
    assert run.size() == 1 and run.skipped == {"citations of unknown references, skipped": 3}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (answers(("1", ["a"], ([0],)), ("1", ["a"], ([0],))), ":2: topic 1 is also in line 1"),
        (answers(("1", ["a"], ([0.5],))), ":1: a citation is a place among the references"),
        (answers(("1", ["a"], ([True],))), ":1: a citation is a place among the references"),
        (answers(("1", ["a", 3], ([0],))), ":1: references must be a list of names"),
        (answers(("1", ["a"], ("a",))), ":1: citations must be a list"),
        (answers(("1", ["a"], ())) + answers(("2", [], ())).replace("mine", "other"), ":2: run other after run mine"),
        (answers((None, ["a"], ())), ":1: topic_id is missing"),
        (reports(("1", ([3],))), ":1: a citation is the name of a document, not 3"),
    ],
)
def test_what_is_wrong_has_its_line(files, content, said):
    with pytest.raises(bp.InputError) as error:
        bp.read_run(files(bad_jsonl=content)["bad_jsonl"])
    assert said in str(error.value)


def test_they_are_taken_for_nothing_else(files, berrypick, tmp_path):
    for content, name in ((answers(("1", [], ())), "trec-rag-answers"), (reports(("1", (["a"],))), "ragtime-reports")):
        path = files(x_jsonl=content)["x_jsonl"]
        assert [one.name() for one in formats.sniff_all(str(path))] == [name]
        with pytest.raises(bp.InputError, match=f"looks like {name}"):
            bp.read_truth(path)
        assert berrypick("check", path).code == 0
        out = tmp_path / f"{name}.jsonl"
        assert berrypick("convert", path, out, "--to", "span-run").code == 0
        assert bp.read_run(out).topics == ("1",)


def test_spans_with_an_answer_of_another_program_stay_spans(files):
    line = '{"topic": "1", "doc": "a", "start": 0, "end": 5, "answer": ["x", "y"]}\n'
    assert bp.read_truth(files(t_jsonl=line)["t_jsonl"]).format == "span-truth"


def test_answers_of_trec_rag(data):
    path = data / "nuggets" / "answers.gpt4o.jsonl"
    assert [one.name() for one in formats.sniff_all(str(path))] == ["trec-rag-answers"]
    run = bp.read_run(path)
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert len(run.topics) == 301 and not run.skipped
    assert sum(not run.size(topic) for topic in run.topics) == sum(not row["references"] for row in rows) == 4
    for row in rows:
        assert {one["doc"] for one in run[row["topic_id"]]} == set(row["references"])
