"""What should be judged next: regions, their order, tasks for annotation tools."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import berrypick as bp
from berrypick.data.errors import InputError, UsageError
from berrypick.judgements.pool import TASK_FORMATS, read_tasks

TEXTS = {
    "a": "one two three four five six seven eight nine ten eleven twelve",
    "b": "alpha beta gamma \U0001f347 delta epsilon zeta eta theta",
}


def run(*spans: tuple[str, int, int], topic: str = "q") -> dict[str, list[dict[str, Any]]]:
    return {topic: [{"doc": d, "start": a, "end": b} for d, a, b in spans]}


def test_regions_are_merged_and_judged_text_is_left_out():
    runs = {"x": run(("a", 0, 13), ("b", 0, 5)), "y": run(("a", 8, 18), ("a", 40, 50))}
    found = bp.pool(runs, TEXTS, truth={"q": {"a#4-7": 1, "b#0-3": 0}}, context=0)
    assert {(task.document, task.regions) for task in found} == {
        ("a", ((0, 4),)), ("a", ((7, 18),)), ("a", ((40, 50),)), ("b", ((3, 5),)),
    }  # fmt: skip
    assert (found.retrieved, found.judged, found.characters) == (33, 6, 27)
    assert found.progress == (
        "18.2% of the text of the first 10 results is judged, 100.0% after these tasks: "
        "4 tasks with 4 regions, 27 characters"
    )


def test_tasks_have_the_question_beside_the_topic_of_a_run(tmp_path):
    rows = [{"topic": "q", "query": "How many?", "doc": "a", "start": 0, "end": 5, "score": 1.0}]
    nested = [{"query_id": "q", "question": "How many?", "results": [{"doc": "a", "start": 0, "end": 5}]}]
    for number, held in enumerate((rows, nested)):
        path = tmp_path / f"{number}.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in held))
        assert [(task.topic, task.question) for task in bp.pool(str(path), TEXTS)] == [("q", "How many?")]
        said = {"q": "As the titles say"}
        assert [task.question for task in bp.pool(str(path), TEXTS, titles=said)] == ["As the titles say"]
    (tmp_path / "run.csv").write_text("qid,query,doc,start,end,score\nq,How many?,a,0,5,1\n")
    assert [task.question for task in bp.pool(str(tmp_path / "run.csv"), TEXTS)] == ["How many?"]


def test_depth_counts_ranks():
    found = bp.pool(run(("a", 0, 5), ("a", 10, 15), ("b", 0, 5)), TEXTS, depth=2, context=0)
    assert [task.regions for task in found] == [((0, 5),), ((10, 15),)]


def test_near_regions_are_one_task_with_text_around_them():
    (task, far) = bp.pool(run(("a", 8, 13), ("a", 19, 23), ("a", 50, 55)), TEXTS, context=9)
    assert task.regions == ((8, 13), (19, 23))
    assert (task.offset, task.text) == (0, "one two three four five six")  # ends between words
    assert TEXTS["a"][far.offset : far.offset + len(far.text)] == far.text


def test_documents_judged_as_a_whole_and_topics_without_an_answer_are_done(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"topic": "q", "doc": "a", "judged": true}\n{"topic": "p", "answer": null}\n')
    runs = {**run(("a", 0, 5), ("b", 0, 5)), **run(("b", 0, 5), topic="p")}
    assert [(task.topic, task.document) for task in bp.pool(runs, TEXTS, truth=path)] == [("q", "b")]


def test_what_could_change_the_comparison_most_comes_first():
    # x retrieves 20 characters, y 40; relevant, a:0-10 moves x by 10/20 and y by 10/40, b:0-30 only y by 30/40,
    # a:30-40 only x by 10/20
    runs = {"x": run(("a", 0, 10), ("a", 30, 40)), "y": run(("a", 0, 10), ("b", 0, 30))}
    found = bp.pool(runs, TEXTS, context=0)
    assert [(task.document, task.regions[0], task.impact) for task in found] == [
        ("b", (0, 30), 30 / 40), ("a", (30, 40), 10 / 20), ("a", (0, 10), pytest.approx(10 / 20 - 10 / 40)),
    ]  # fmt: skip
    first = bp.pool(runs, TEXTS, context=0, budget=1)
    assert [task.document for task in first] == ["b"] and "2 tasks beyond the budget" in first.progress


SPANS = st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 30), st.integers(1, 9)), max_size=5)


@given(SPANS.filter(bool), SPANS, SPANS, st.integers(0, 4))
def test_regions_hold_what_is_retrieved_and_not_judged(one, two, judged, context):
    def characters(spans: Any) -> set[tuple[str, int]]:
        return {(d, i) for d, a, n in spans for i in range(a, a + n)}

    runs = {name: run(*((d, a, a + n) for d, a, n in spans)) for name, spans in (("x", one), ("y", two)) if spans}
    truth = {"q": {f"{d}#{a}-{a + n}": 0 for d, a, n in judged}} if judged else None
    found = bp.pool(runs, TEXTS, truth=truth, context=context)
    wanted = (characters(one) | characters(two)) - characters(judged)
    places = [(task.document, i) for task in found for a, b in task.regions for i in range(a, b)]
    assert sorted(places) == sorted(wanted)
    shares = [{"x": characters(one), "y": characters(two)}[name] for name in runs]
    for task in found:
        held = {(task.document, i) for a, b in task.regions for i in range(a, b)}
        moved = [len(held & chars) / len(chars) for chars in shares]
        assert task.impact == pytest.approx(max(moved) - (min(moved) if len(moved) > 1 else 0))
        assert task.text == TEXTS[task.document][task.offset : task.offset + len(task.text)]
        assert task.offset <= task.regions[0][0] and task.regions[-1][1] <= task.offset + len(task.text)
    assert [task.impact for task in found] == sorted((task.impact for task in found), reverse=True)


@pytest.mark.parametrize("name", TASK_FORMATS)
def test_command_and_files(files, tmp_path, berrypick, name):
    lines = "".join(json.dumps({"doc": doc, "text": text}) + "\n" for doc, text in TEXTS.items())
    rows = "".join(
        json.dumps({"topic": "q", **one, "rank": rank}) + "\n"
        for rank, one in enumerate(run(("a", 0, 13), ("b", 17, 24))["q"], start=1)
    )
    paths = files(texts_jsonl=lines, run_jsonl=rows, titles_tsv="q\tWhat is it?\n")
    target = tmp_path / "tasks"
    done = berrypick("pool", paths["run_jsonl"], "-k", 2, "--documents", paths["texts_jsonl"], "-o", target,
                     "--format", name, "--titles", paths["titles_tsv"])  # fmt: skip
    assert done.code == 0, done.err
    assert done.out == "" and "0.0% of the text of the first 2 results is judged" in done.err
    content = target.read_text(encoding="utf-8")
    assert "What is it?" in content and "\U0001f347 delta" in content
    with pytest.raises(InputError):  # nothing is judged yet, and a file of tasks is no run
        bp.read_run(target)
    if name == "jsonl":
        assert [(task.topic, task.question, task.regions) for task in read_tasks(target)] == [
            ("q", "What is it?", ((0, 13),)), ("q", "What is it?", ((17, 24),)),
        ]  # fmt: skip
        with pytest.raises(InputError):
            bp.read_truth(target)
    assert (
        berrypick("pool", paths["run_jsonl"], "--documents", paths["texts_jsonl"], "-o", paths["run_jsonl"]).code == 2
    )


def test_wrong_usage():
    with pytest.raises(UsageError, match="depth must be at least 1"):
        bp.pool(run(("a", 0, 5)), TEXTS, depth=0)
    with pytest.raises(UsageError, match="whole documents; pools are made of parts"):
        bp.pool({"q": {"a": 1.0}}, TEXTS)
    with pytest.raises(InputError, match="goes beyond the end"):
        bp.pool(run(("a", 0, 500)), TEXTS)
    with pytest.raises(UsageError, match="did you mean doccano"):
        bp.pool(run(("a", 0, 5)), TEXTS).write("x", "docano")


# --- there and back ---------------------------------------------------------------------------------------------------


def annotate(task: Any, relevant: set[tuple[str, int]]) -> list[tuple[int, int, str]]:
    """What a person marks in a task who knows the answers: every region in stretches of one label."""
    marks = []
    for start, end in task.regions:
        at = start
        for place in range(start, end + 1):
            good = (task.document, at) in relevant
            if place == end or ((task.document, place) in relevant) != good:
                marks.append((at, place, "relevant" if good else "irrelevant"))
                at = place
    return marks


def exported(tasks: Any, relevant: set[tuple[str, int]], tool: str) -> str:
    """The tasks as a tool exports them, with its offsets."""
    out: list[Any] = []
    for task in tasks:

        def units(at: int, task: Any = task) -> int:
            before = task.text[: at - task.offset]
            return len(before) if tool in ("prodigy", "w3c") else len(before.encode("utf-16-le")) // 2

        marks = [(units(a), units(b), label, task.text[a - task.offset : b - task.offset])
                 for a, b, label in annotate(task, relevant)]  # fmt: skip
        fields = {"topic": task.topic, "doc": task.document, "offset": task.offset, "text": task.text}
        if tool == "label-studio":
            result = [{"type": "labels", "value": {"start": a, "end": b, "text": text.strip(), "labels": [label]}}
                      for a, b, label, text in marks]  # fmt: skip
            out.append({"data": fields, "annotations": [{"completed_by": 1, "result": result}]})
        elif tool == "doccano":
            out.append({"id": len(out), **fields, "label": [[a, b, label] for a, b, label, _ in marks]})
        elif tool == "doccano-relations":
            out.append({"id": len(out), **fields, "entities": [
                {"start_offset": a, "end_offset": b, "label": label} for a, b, label, _ in marks]})  # fmt: skip
        elif tool == "prodigy":
            spans = [{"start": a, "end": b, "label": label} for a, b, label, _ in marks]
            out.append({"text": task.text, "meta": fields, "spans": spans, "answer": "accept"})
        else:
            out += [{"type": "Annotation", "body": [{"value": f"topic:{task.topic}"}, {"value": label}],
                     "target": {"source": task.document, "selector": {
                         "type": "TextPositionSelector", "start": task.offset + a, "end": task.offset + b}}}
                    for a, b, label, _ in marks]  # fmt: skip
    whole = tool in ("label-studio", "w3c")
    return json.dumps(out) if whole else "".join(json.dumps(one) + "\n" for one in out)


@pytest.mark.slow
@pytest.mark.parametrize("tool", ["label-studio", "doccano", "doccano-relations", "prodigy", "w3c"])
def test_numbers_survive_the_way_through_a_tool(tmp_path, tool):
    rng = random.Random(5)
    words = ["canes", "\U0001f347", "autumn", "prune", "\u05e2\u05e0\u05d1", "berry", "a"]
    texts = {f"d{i}": " ".join(rng.choices(words, k=120)) for i in range(4)}
    truth = {f"q{t}": {f"d{rng.randrange(4)}#{(a := rng.randrange(300))}-{a + rng.randrange(5, 60)}": 1
                       for _ in range(3)} for t in range(6)}  # fmt: skip
    runs = {
        name: {topic: [{"doc": f"d{rng.randrange(4)}", "start": (a := rng.randrange(200)), "end": a + size}
                       for _ in range(6)] for topic in truth}
        for name, size in (("short", 60), ("long", 130))
    }  # fmt: skip
    found = bp.pool(runs, texts, depth=100, context=20)
    chars: dict[str, set[tuple[str, int]]] = {}
    for topic, spans in truth.items():
        for span in spans:
            doc, _, place = span.partition("#")
            start, end = map(int, place.split("-"))
            chars.setdefault(topic, set()).update((doc, i) for i in range(start, end))
    parts = {topic: [task for task in found if task.topic == topic] for topic in truth}
    text = [exported(tasks, chars[topic], tool) for topic, tasks in parts.items()]
    joined = (
        json.dumps([one for part in text for one in json.loads(part)]) if text[0].startswith("[") else "".join(text)
    )
    path = tmp_path / ("export.json" if joined.startswith("[") else "export.jsonl")
    path.write_text(joined, encoding="utf-8")
    seen = {(task.topic, task.document, i) for task in found for a, b in task.regions for i in range(a, b)}
    known = {topic: sorted(c for c in chars[topic] if (topic, *c) in seen) for topic in truth}
    plain = {topic: {f"{d}#{i}-{i + 1}": 1 for d, i in places} for topic, places in known.items() if places}
    measures = "charP charR charF IoU charP@2 charR@2 AiP"
    for run_name, system in runs.items():
        one = bp.evaluate(plain, system, measures, documents=texts).per_topic()["run"]
        two = bp.evaluate(path, system, measures, documents=texts).per_topic()["run"]
        assert {m: {t: v for t, v in values.items() if t in plain} for m, values in two.items()} == one, run_name
        judged = bp.evaluate(path, system, "charJudged", documents=texts).per_topic()["run"]["charJudged"]
        assert set(judged.values()) <= {1.0, None}


def test_questions_of_the_truth_are_asked():
    texts = {"faq": "Canes are cut in autumn.", "guide": "x" * 40}
    truth = [
        {"question": "When are canes cut?", "doc": "guide", "start": 0, "end": 10},
        {"question": "What is no berry?", "doc": "guide", "start": 20, "end": 30},
    ]
    [task] = bp.pool({"When are canes cut?": [("faq", 10, 20)]}, texts, truth=truth)
    assert (task.topic, task.question, task.regions) == ("1", "When are canes cut?", ((10, 20),))


def test_offsets_into_xml_need_their_text(tmp_path, berrypick):
    """A folder of XML was read with its tags: offsets that count the text showed other places without a word."""
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.xml").write_text("<article><p>Cut the old canes.</p><p>Water in July.</p></article>")
    run, texts = tmp_path / "run.jsonl", tmp_path / "texts.jsonl"
    run.write_text('{"topic": "q", "doc": "a", "start": 0, "end": 18, "score": 1}\n')
    done = berrypick("pool", run, "--documents", folder, "-o", "jsonl")
    assert done.code == 2 and "a.xml" in done.err and "JSON Lines" in done.err
    texts.write_text('{"doc": "a", "text": "Cut the old canes.Water in July."}\n')
    done = berrypick("pool", run, "--documents", texts, "--context", 0, "-o", "jsonl")
    assert done.code == 0 and '"text": "Cut the old canes."' in done.out
    run.write_text('{"topic": "q", "doc": "a", "start": 12, "end": 30, "score": 1, "text": "Cut the old canes."}\n')
    done = berrypick("pool", run, "--documents", folder, "-o", "jsonl")
    assert done.code == 0 and '"regions": [[12, 30]]' in done.out
