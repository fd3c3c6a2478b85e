"""Traces and samples of every platform: the same retrieval has the same digits, matched by field or by question."""

import json
import random
import uuid
from typing import Any

import pytest
from client_responses import DOCUMENTS, EXPECTED, MEASURES, PLACES, TEXTS, TRUTH
from many_cases import each
from platform_traces import CHAIN, LANGSMITH, OBSERVATION, PROMPTFOO, QUESTION, RAGAS, TRACES

import berrypick as bp


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A truth with its question, and its documents."""
    made = tmp_path_factory.mktemp("traces")
    places = [dict(zip(("doc", "start", "end"), place, strict=True)) for place in TRUTH["q"]]
    lines = [json.dumps({"topic": "q", **place, "question": QUESTION}) + "\n" for place in places]
    (made / "truth.jsonl").write_text("".join(lines))
    (made / "docs").mkdir()
    for name, text in TEXTS.items():
        (made / "docs" / name).write_text(text)
    return made


def forms(value: Any) -> list[str]:
    """A value as JSON with and without line breaks, and as lines of JSON."""
    whole = [json.dumps(value), json.dumps(value, indent=2)]
    return [*whole, "".join(json.dumps(one) + "\n" for one in value)] if isinstance(value, list) else whole


def evaluated(folder, path, **options: Any) -> Any:
    return bp.evaluate(folder / "truth.jsonl", path, MEASURES, documents=folder / "docs", **options)


@pytest.mark.slow
@each("kind", TRACES)
def test_the_same_retrieval_has_the_same_digits(kind, folder):
    for text in forms(TRACES[kind]):
        (folder / "traces.jsonl").write_text(text)
        results = evaluated(folder, folder / "traces.jsonl")
        assert results.mean()["traces"] == pytest.approx(EXPECTED)
        assert [one for one in results.notes if "1 topic matched by the question" in str(one)]


@each("kind", TRACES)
def test_read_traces_takes_values_and_files(kind, folder):
    (folder / "some.json").write_text(json.dumps(TRACES[kind]))
    for given in (folder / "some.json", TRACES[kind]):
        try:
            [run] = bp.read_traces(given).values()
        except bp.UsageError:  # lines of ragas are a run by themselves
            assert kind == "ragas"
            continue
        assert run.topics == (QUESTION,)
        assert evaluated(folder, run).mean()[run.tag] == pytest.approx(EXPECTED)


def test_one_command(folder, berrypick):
    (folder / "traces.jsonl").write_text(forms(TRACES["langsmith"])[2])
    done = berrypick("evaluate", folder / "truth.jsonl", folder / "traces.jsonl", "-m", "charR@5", "--documents",
                     folder / "docs", "-o", "json")  # fmt: skip
    assert done.code == 0, done.err
    assert json.loads(done.out)[0]["value"] == pytest.approx(EXPECTED["charR@5"])
    checked = berrypick("check", folder / "traces.jsonl", "--documents", folder / "docs")
    assert checked.code == 0 and "traces" in checked.out


def test_a_field_goes_before_the_question():
    named = [{**LANGSMITH, "extra": {"metadata": {"query_id": "q7"}}}]
    assert next(iter(bp.read_traces(named).values())).topics == ("q7",)
    above = [LANGSMITH, {**CHAIN, "inputs": {"question_id": 3, "input": QUESTION}}]
    assert next(iter(bp.read_traces(above).values())).topics == ("3",)
    example = [{**LANGSMITH, "reference_example_id": "e1"}]
    assert next(iter(bp.read_traces(example).values())).topics == ("e1",)


def test_unmatched_traces_are_counted(folder):
    """Other questions are no topics of the truth; without any question there is nothing to match."""
    other = {**LANGSMITH, "id": "c", "trace_id": "t2", "parent_run_id": None, "inputs": {"query": "Which soil?"}}
    silent = {**LANGSMITH, "id": "d", "trace_id": "t3", "parent_run_id": None, "inputs": {}}
    (folder / "more.jsonl").write_text("".join(json.dumps(one) + "\n" for one in (CHAIN, LANGSMITH, other, silent)))
    results = evaluated(folder, folder / "more.jsonl")
    said = " ".join(map(str, results.notes))
    assert results.mean()["more"] == pytest.approx(EXPECTED)
    assert "1 topic matched by the question" in said and "1 topic of the run not in the truth, ignored" in said
    assert "retrievals with neither question nor topic: 1" in said


def test_the_last_answer_to_a_question_counts():
    late = {**LANGSMITH, "id": "z", "trace_id": "t9", "parent_run_id": None, "start_time": "2026-06-01",
            "inputs": {"query": QUESTION}, "outputs": {"documents": DOCUMENTS[:1]}}  # fmt: skip
    for order in ([CHAIN, LANGSMITH, late], [late, CHAIN, LANGSMITH]):
        [run] = bp.read_traces(order).values()
        assert len(run[QUESTION]) == 1 and run.of_topics.traces == {QUESTION: ("t9", "z", "")}
        assert run.skipped == {"retrievals for a question that was asked again later": 1}


def test_several_retrievals_of_one_trace_are_one_list():
    again = {**LANGSMITH, "id": "c", "start_time": "2026-05-01T10:00:02", "outputs": {"documents": DOCUMENTS[:1]}}
    [run] = bp.read_traces([CHAIN, again, LANGSMITH]).values()
    assert len(run[QUESTION]) == 4
    assert "1 trace with several retrievals: their lists are joined in order" in run.notes


def test_every_retriever_is_a_run(folder):
    again = {**LANGSMITH, "id": "c", "name": "rerank", "outputs": {"documents": DOCUMENTS[::-1]}}
    (folder / "two.jsonl").write_text("".join(json.dumps(one) + "\n" for one in (CHAIN, LANGSMITH, again)))
    assert [*bp.read_traces(folder / "two.jsonl")] == ["retrieve", "rerank"]
    results = evaluated(folder, folder / "two.jsonl")
    assert results.runs == ("retrieve", "rerank")
    assert results.mean()["retrieve"] == pytest.approx(EXPECTED)
    assert results.mean()["rerank"]["charP@2"] == pytest.approx(27 / 38)
    alone = bp.read_run(folder / "two.jsonl")
    assert alone.skipped == {"retrievals of another retriever (rerank)": 1}
    [named] = [{**PROMPTFOO, "provider": "b"}]
    assert [*bp.read_traces([PROMPTFOO, named])] == ["file://rag.py", "b"]


# --- ids die, text does not -------------------------------------------------------------------------------------------


def chunked(size: int, prefix: str) -> list[tuple[str, str, str]]:
    """Chunks of the documents: an id of this index, the document, the text."""
    return [(f"{prefix}-{name}-{at}", name, text[at : at + size]) for name, text in TEXTS.items()
            for at in range(0, len(text), size)]  # fmt: skip


@each("seed", range(5))
def test_traces_of_any_chunking_are_scored_against_the_same_spans(seed):
    """By hand: the characters of the truth that the chunks of each index cover."""
    chance = random.Random(seed)
    for size, prefix in ((20, "march"), (33, "april"), (50, "may")):
        chunks = chance.sample(chunked(size, prefix), 2)
        step = {**LANGSMITH, "inputs": {"query": QUESTION}, "parent_run_id": None, "outputs": {"documents": [
            {"page_content": text, "metadata": {"chunk_id": name}} for name, _, text in chunks]}}  # fmt: skip
        [run] = bp.read_traces([step]).values()
        truth = [{"topic": "q", "doc": doc, "start": a, "end": b, "question": QUESTION} for doc, a, b in TRUTH["q"]]
        covered = set()
        for name, doc, text in chunks:
            start = int(name.rpartition("-")[2])
            covered |= {(doc, i) for i in range(start, start + len(text))}
        wanted = {(doc, i) for doc, a, b in TRUTH["q"] for i in range(a, b)}
        found = bp.evaluate(truth, run, "charR", documents=TEXTS).mean()[run.tag]["charR"]
        assert found == pytest.approx(len(covered & wanted) / len(wanted))


def test_names_of_documents_that_are_gone_are_no_obstacle():
    step = {
        **OBSERVATION,
        "output": [{"page_content": TEXTS["guide.md"][40:61], "metadata": {"source": "old/name.md"}}],
    }
    [run] = bp.read_traces([step]).values()
    results = bp.evaluate({"canes cut when": TRUTH["q"]}, run, "charR", documents=TEXTS)
    assert results.mean()[run.tag]["charR"] == pytest.approx(21 / 38)
    assert [one for one in results.notes if "1 result found by their text, in any document" in str(one)]
    with pytest.raises(bp.InputError, match="only its text"):
        bp.evaluate({"When?": TRUTH["q"]}, bp.read_traces([{**RAGAS, "user_input": "When?"}]), "charR")


def test_pages_are_left_to_the_text(folder):
    """As loaders of PDF files have them; a trace cannot be changed any more, and the text says where it is."""
    paged = [
        {**one, "metadata": {"source": one["metadata"]["source"], "page": 3, "page_label": "iv"}} for one in DOCUMENTS
    ]
    (folder / "paged.jsonl").write_text(json.dumps({**LANGSMITH, "inputs": QUESTION, "outputs": {"documents": paged}}))
    results = evaluated(folder, folder / "paged.jsonl")
    assert results.mean()["paged"] == pytest.approx(EXPECTED)
    assert [one for one in results.notes if "unread: page, page_label" in str(one)]


def test_pool_takes_traces(folder, berrypick):
    (folder / "traces.jsonl").write_text(forms(TRACES["otlp"])[2])
    done = berrypick("pool", folder / "traces.jsonl", "--documents", folder / "docs", "--truth", folder / "truth.jsonl",
                     "-o", folder / "tasks.jsonl", "--context", "0")  # fmt: skip
    assert done.code == 0, done.err
    tasks = [json.loads(line) for line in (folder / "tasks.jsonl").read_text().splitlines()]
    assert {task["topic"] for task in tasks} == {"q"}
    regions = sorted((task["doc"], *region) for task in tasks for region in task["regions"])
    assert regions == [("faq.md", 29, 40), ("guide.md", 15, 39)]
    pool = bp.pool(bp.read_traces(folder / "traces.jsonl"), TEXTS)
    assert sum(task.characters for task in pool) == sum(end - start for _, start, end in PLACES)


REFUSED = {
    "[]": "contains no retrieved documents",
    '{"run_type": "llm", "inputs": {}, "id": "1"}': "contains no retrieved documents",
    '{"run_type": "retriever", "inputs": {"query": "a"}, "outputs": {"documents": [{"page_content": 3}]}, "id": "1"}':
        "run:1: ",
    '{"page": 3}': "run:1: is not a trace of a known kind",
    '{"resourceSpans": [': "run:1: is not JSON",
    "3": "run:1: is not a trace of a known kind",
}  # fmt: skip


@each("text", REFUSED)
def test_what_is_no_trace_is_refused_with_its_line(text, tmp_path):
    (tmp_path / "run").write_text(text)
    with pytest.raises(bp.BerrypickError, match=REFUSED[text]):
        bp.read_run(tmp_path / "run", "traces")


def test_hostile_values_are_refused_by_message():
    deep: Any = "x"
    for _ in range(5000):
        deep = {"documents": [deep], "run_type": "retriever", "inputs": {}, "child_runs": [deep]}
    circle: dict[str, Any] = {"run_type": "chain", "inputs": {}, "id": "1"}
    circle["child_runs"] = [circle]
    for value in (deep, circle):
        with pytest.raises(bp.InputError, match="nested too deeply"):
            bp.read_traces([value])
    for odd in (3, "x", None, [[]], [3], {"a": 1}):
        with pytest.raises(bp.BerrypickError):
            bp.read_traces(odd)
    looped = [{**LANGSMITH, "id": "a", "parent_run_id": "b"}, {**LANGSMITH, "id": "b", "parent_run_id": "a"}]
    assert next(iter(bp.read_traces(looped).values())).topics == ("canes cut when",)


# --- what clients return ----------------------------------------------------------------------------------------------


def test_a_data_frame_of_spans():
    """As ``phoenix.client`` and exports to Parquet have it."""
    pandas = pytest.importorskip("pandas")
    [run] = bp.read_traces(pandas.DataFrame(TRACES["phoenix, columns"])).values()
    assert bp.evaluate({QUESTION: TRUTH["q"]}, run, MEASURES, documents=TEXTS).mean()[run.tag] == pytest.approx(
        EXPECTED
    )


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_runs_of_the_client_of_langsmith():
    schemas = pytest.importorskip("langsmith.schemas", reason="langsmith is not installed: pip install --group rag")
    ids = {"a": uuid.UUID(int=1), "b": uuid.UUID(int=2), "t1": uuid.UUID(int=1), None: None}
    named = ("id", "trace_id", "parent_run_id")
    runs = [schemas.Run(**{**one, **{name: ids[one[name]] for name in named}, "dotted_order": "x"})
            for one in (CHAIN, LANGSMITH)]  # fmt: skip
    [run] = bp.read_traces(runs).values()
    assert run.topics == (QUESTION,) and run.of_topics.traces == {QUESTION: (str(ids["t1"]), str(ids["b"]), "")}
    assert bp.evaluate({QUESTION: TRUTH["q"]}, run, MEASURES, documents=TEXTS).mean()[run.tag] == pytest.approx(
        EXPECTED
    )


def test_ids_in_the_index_of_phoenix_are_kept():
    pandas = pytest.importorskip("pandas")
    row = {"name": "retrieve", "span_kind": "RETRIEVER", "context.trace_id": "t1", "attributes.input.value": QUESTION,
           "attributes.retrieval.documents": [{"document.content": "Cut old canes."}]}  # fmt: skip
    spans = pandas.DataFrame([row], index=pandas.Index(["b"], name="context.span_id"))
    found = {"context.trace_id": "t1", "input": QUESTION, "document": "Cut old canes.", "document_score": 0.5}
    places = pandas.MultiIndex.from_tuples([("b", 0)], names=["context.span_id", "document_position"])
    for frame in (spans, pandas.DataFrame([found], index=places)):
        [run] = bp.read_traces(frame).values()
        assert run.of_topics.traces == {QUESTION: ("t1", "b", "")} and len(run) == 1


def test_a_trace_of_langfuse_without_its_steps_retrieves_what_its_output_holds():
    trace = {"id": "t1", "timestamp": "2026-05-01T10:00:00Z", "name": "rag", "input": {"question": QUESTION}}
    output = {"answer": "In autumn.", "documents": DOCUMENTS}
    [run] = bp.read_traces([{**trace, "output": output}, {**trace, "id": "t2", "output": "Soon."}]).values()
    assert run.topics == (QUESTION,) and run.of_topics.traces[QUESTION].trace == "t1"
    with pytest.raises(bp.InputError, match="contain no retrieved documents"):
        bp.read_traces([{**trace, "output": "Soon."}])
