"""The random sample of topics that people should judge."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from many_cases import each

import berrypick as bp
from berrypick.data.errors import UsageError
from berrypick.judgements.pool import read_tasks
from berrypick.judgements.sample import sample_topics

TEXTS = {"guide": "Cut the old canes in autumn. Water in July."}
RUN = {f"q{i:02d}": {"guide#0-27": 1.0} for i in range(40)}


def test_the_order_of_topics_does_not_matter():
    topics = list(RUN)
    assert sample_topics(reversed(topics), 10, seed=3) == sample_topics([*topics, *topics], 10, seed=3)
    assert sample_topics(topics, 10, seed=3) != sample_topics(topics, 10, seed=4)


def test_a_larger_sample_has_the_topics_of_a_smaller_one():
    assert set(sample_topics(RUN, 10, 1)) < set(sample_topics(RUN, 11, 1))


def test_every_topic_is_drawn_as_often():
    counts = Counter(topic for seed in range(1000) for topic in sample_topics(RUN, 10, seed))
    assert sorted(counts) == list(RUN) and all(190 < count < 310 for count in counts.values())  # 250, deviation 14


def test_tasks_say_which_sample_they_are_of(tmp_path):
    found = bp.pool(RUN, TEXTS, sample=10, seed=3)
    assert {task.topic for task in found} == set(sample_topics(RUN, 10, 3))
    said = "random sample of 10 of 40 topics, seed 3"
    assert {task.sample for task in found} == {found.sample} == {said}
    assert [str(note) for note in found.notes] == [said]
    for form in ("jsonl", "label-studio", "doccano", "w3c"):
        found.write(tmp_path / f"tasks-{form}.json", form)
        assert said in (tmp_path / f"tasks-{form}.json").read_text()
    assert read_tasks(tmp_path / "tasks-jsonl.json")[0].sample == said
    bp.annotate(tmp_path / "tasks-jsonl.json", html=tmp_path / "judge.html")
    page = (tmp_path / "judge.html").read_text()
    assert said in page and 'id="sample"' in page


def test_without_a_sample_nothing_is_said(tmp_path):
    found = bp.pool(RUN, TEXTS)
    found.write(tmp_path / "tasks.jsonl")
    assert len({task.topic for task in found}) == 40 and "sample" not in json.loads(
        (tmp_path / "tasks.jsonl").read_text().splitlines()[0]
    )


def test_sampled_topics_without_a_task_are_counted():
    judged = {topic: {"guide#0-27": 1} for topic in sample_topics(RUN, 10, 0)[:3]}
    notes = bp.pool(RUN, TEXTS, truth=judged, sample=10).notes
    assert "3 sampled topics have no task" in str(notes[-1])


def test_pages_are_sampled_too():
    places = [{"topic": f"q{i}", "doc": "a", "page": 1, "box": [0, 0, 0.5, 0.5], "score": 1} for i in range(8)]
    found = bp.pool(bp.Run.from_records(places), sample=3, seed=5)
    assert len(found) == 3 and found.records()[0]["sample"] == "random sample of 3 of 8 topics, seed 5"


@each(
    ["options", "said"],
    [
        ({"sample": 41}, "the runs have 40 topics; a sample has between 1 and 40"),
        ({"sample": 0}, "between 1 and 40"),
        ({"sample": 5, "budget": 3}, "draw fewer topics with sample="),
        ({"seed": 5}, "give sample= too"),
    ],
)
def test_refused(options, said):
    with pytest.raises(UsageError, match=said):
        bp.pool(RUN, TEXTS, **options)


def test_the_command(tmp_path, berrypick):
    run = tmp_path / "run.jsonl"
    lines = [json.dumps({"topic": topic, "doc": "guide", "start": 0, "end": 27, "score": 1}) for topic in RUN]
    run.write_text("\n".join(lines) + "\n")
    turned = tmp_path / "turned.jsonl"
    turned.write_text("\n".join(reversed(lines)) + "\n")
    (tmp_path / "texts.jsonl").write_text(json.dumps({"doc": "guide", "text": TEXTS["guide"]}) + "\n")
    given = ["--documents", tmp_path / "texts.jsonl", "--sample", 10, "--seed", 3, "-o", "jsonl"]
    one, other = (berrypick("pool", file, *given) for file in (run, turned))
    assert "random sample of 10 of 40 topics, seed 3" in one.err
    assert sorted(one.out.splitlines()) == sorted(other.out.splitlines())
    assert berrypick("pool", run, *given[:2], "--seed", 3, "-o", "jsonl").code == 2
