"""Groups of topics: where they come from, and the rows that they have everywhere."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import pytest

import berrypick as bp
from berrypick.data.results import TopicGroups

TRUTH = """\
{"topic": "1", "doc": "a", "start": 0, "end": 10, "domain": "law", "year": 2001, "n": 1}
{"topic": "1", "doc": "b", "start": 0, "end": 10, "domain": "law", "n": 2, "tags": ["x"]}
{"topic": "2", "doc": "a", "start": 20, "end": 30, "domain": "law", "year": 2001.0}
{"topic": "3", "doc": "c", "start": 0, "end": 10, "domain": "film", "year": 1999}
{"topic": "4", "doc": "c", "start": 50, "end": 60}
"""
RUN = """\
{"topic": "1", "doc": "a", "start": 0, "end": 10, "score": 2}
{"topic": "2", "doc": "a", "start": 20, "end": 25, "score": 2}
{"topic": "3", "doc": "c", "start": 0, "end": 20, "score": 2}
"""
OTHER = """\
{"topic": "1", "doc": "a", "start": 0, "end": 5, "score": 2}
{"topic": "2", "doc": "a", "start": 20, "end": 30, "score": 2}
{"topic": "3", "doc": "c", "start": 0, "end": 10, "score": 2}
"""
#: charR of the topics: .5, .5, 1, 0
LAW, FILM, ALL = 0.5, 1.0, 0.5


@pytest.fixture
def files(tmp_path):
    for name, text in (("truth.jsonl", TRUTH), ("run.jsonl", RUN), ("other.jsonl", OTHER)):
        (tmp_path / name).write_text(text)
    return tmp_path


def evaluate(files, measures="charR", **options):
    return bp.evaluate(files / "truth.jsonl", files / "run.jsonl", measures, **options)


def test_the_fields_of_the_lines_make_groups(files):
    results = evaluate(files, by="domain")
    assert results.by_group() == {"run": {"charR": {"law": LAW, "film": FILM}}}
    assert results.mean() == {"run": {"charR": ALL}}
    assert results.groups == TopicGroups("domain", {"1": "law", "2": "law", "3": "film"})
    assert [row.group for row in results.topic_rows] == ["law", "law", "film", None]
    assert [row.signature["group"] for row in results.group_rows] == ["domain=law", "domain=film"]
    assert "1 topic without domain in no group: 4" in map(str, results.notes)
    assert evaluate(files, by="year").by_group()["run"]["charR"] == {"2001": LAW, "1999": FILM}  # 2001.0 is 2001


def test_groups_from_a_table_a_mapping_a_frame(files):
    expected = {"yes": 0.25, "no": 0.75}
    (files / "t.csv").write_text("topic,hard\n1,yes\n2,no\n3,no\n4,yes\n9,no\n")
    (files / "t.tsv").write_text("topic\thard\tdomain\n1\tyes\tx\n2\tno\tx\n3\tno\tx\n4\tyes\tx\n")
    (files / "t.jsonl").write_text(
        "".join(f'{{"topic": {t}, "hard": "{h}"}}\n' for t, h in zip("1234", ("yes", "no", "no", "yes"), strict=True))
    )
    values = {"1": {"hard": "yes"}, "2": {"hard": "no"}, "3": {"hard": "no"}, "4": {"hard": "yes"}}
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"qid": [1, 2, 3, 4], "hard": ["yes", "no", "no", "yes"]})
    for table in (files / "t.csv", files / "t.tsv", files / "t.jsonl", values, frame):
        results = evaluate(files, by="hard", topic_table=table)
        assert results.by_group()["run"]["charR"] == expected
    assert set(evaluate(files, by="domain", topic_table=files / "t.tsv").by_group()["run"]["charR"]) == {"x"}
    mapping = {"1": "yes", "2": "no", "3": "no", "4": "yes"}
    assert evaluate(files, by=mapping).by_group()["run"]["charR"] == expected


def test_columns_of_tables_and_frames_are_fields_too(files):
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(
        {"topic": ["1", "2"], "doc": ["a", "a"], "start": [0, 20], "end": [10, 30], "domain": ["law", "film"]}
    )
    run = {"1": {"a#0-5": 1}, "2": {"a#20-30": 1}}
    expected = {"run": {"charR": {"law": 0.5, "film": 1.0}}}
    assert bp.evaluate(frame, run, "charR", by="domain").by_group() == expected
    assert bp.evaluate(frame.to_dicts(), run, "charR", by="domain").by_group() == expected
    frame.write_csv(files / "f.csv")
    frame.write_parquet(files / "f.parquet")
    for name in ("f.csv", "f.parquet"):
        assert bp.evaluate(files / name, run, "charR", by="domain").by_group() == expected


def test_the_document_is_a_field_where_topics_have_one(files):
    run = {"1": {"a#0-5": 1}, "2": {"b#0-10": 1}, "3": {"a#20-30": 1}}
    truth = {"1": {"a#0-10": 1}, "2": {"b#0-10": 1, "c#0-10": 0}, "3": {"a#20-30": 1}}
    assert bp.evaluate(truth, run, "charR", by="doc").by_group() == {"run": {"charR": {"a": 0.75, "b": 1.0}}}
    with pytest.raises(bp.UsageError, match="1 topic with several relevant documents"):
        evaluate(files, by="doc")


@pytest.mark.parametrize(
    ("by", "message"),
    [
        ("domian", "did you mean domain"),
        ("nothing", "no such field of topics"),
        ("n", r"topic 1 has '1' and '2' \(.*truth.jsonl:2\)"),
        ("tags", r"neither text nor a number \(.*truth.jsonl:2\)"),
        ({"77": "x"}, "no topic of the truth has a value"),
    ],
)
def test_a_field_that_makes_no_groups_is_refused(files, by, message):
    with pytest.raises(bp.UsageError, match=message):
        evaluate(files, by=by)


def test_explain_judge_and_score_have_no_rows_for_groups(files):
    truth, run = files / "truth.jsonl", files / "run.jsonl"
    for call in (
        lambda: bp.explain(truth, run, "charR", "1", by="domain"),
        lambda: bp.judge(truth, run, "1", by="domain"),
        lambda: bp.score("charR", truth, run, by="domain"),
    ):
        with pytest.raises(bp.UsageError, match="omit by="):
            call()


def test_a_table_without_groups_is_told(files):
    (files / "t.csv").write_text("topic,hard\n1,yes\n")
    assert "topic_table= has no effect without by=" in map(str, evaluate(files, topic_table=files / "t.csv").notes)


# --- the rows ---------------------------------------------------------------------------------------------------------


def test_json_rows_carry_the_group(files, berrypick):
    done = berrypick("evaluate", files / "truth.jsonl", files / "run.jsonl", "-m", "charR", "--by", "domain",
                     "-q", "-o", "json")  # fmt: skip
    rows = json.loads(done.out)
    assert [(row["topic"], row["group"], row["value"]) for row in rows] == [
        ("1", "law", 0.5), ("2", "law", 0.5), ("3", "film", 1.0), ("4", None, 0.0),
        ("all", "law", LAW), ("all", "film", FILM), ("all", None, ALL),
    ]  # fmt: skip
    without = berrypick("evaluate", files / "truth.jsonl", files / "run.jsonl", "-m", "charR", "-o", "json")
    assert "group" not in json.loads(without.out)[0]


def test_tables_have_a_column_of_groups(files, berrypick):
    inputs = (files / "truth.jsonl", files / "run.jsonl", "-m", "charR", "--by", "domain")
    rows = list(csv.DictReader(io.StringIO(berrypick("evaluate", *inputs, "-o", "csv").out)))
    assert [(row["group"], row["value"]) for row in rows] == [("law", "0.5"), ("film", "1.0"), ("", "0.5")]
    lines = berrypick("evaluate", *inputs, "-o", "table").out.splitlines()
    assert [line.split()[:4] for line in lines[2:]] == [
        ["run", "law", "2", "0.5000"], ["run", "film", "1", "1.0000"], ["run", "all", "4", "0.5000"],
    ]  # fmt: skip


def test_frames_selections_and_names_keep_groups(files):
    results = bp.evaluate(files / "truth.jsonl", [files / "run.jsonl", files / "other.jsonl"], "charR charP",
                          by="domain")  # fmt: skip
    frame = results.to_pandas()
    assert list(frame[(frame.topic == "all") & (frame.group == "law") & (frame.measure == "charR")].run) == [
        "run",
        "other",
    ]
    assert set(results.only(runs=["run"], measures=["charR"]).by_group()) == {"run"}
    assert set(results.renamed({"run": "old"}).by_group()) == {"old", "other"}
    both = bp.concat(results.only(runs=["run"]), results.only(runs=["other"]))
    assert both.by_group() == results.by_group() and both.groups == results.groups
    with pytest.raises(bp.UsageError, match="groups"):
        bp.concat(results.only(runs=["run"]), evaluate(files).renamed({"run": "x"}))
    assert "law" in str(results)


def test_several_processes_give_the_same_groups(files):
    assert evaluate(files, by="domain", jobs=2).group_rows == evaluate(files, by="domain").group_rows


# --- comparisons ------------------------------------------------------------------------------------------------------


def compared(files, **options):
    runs = [files / "run.jsonl", files / "other.jsonl"]
    return bp.compare(files / "truth.jsonl", runs, "charR", by="domain", resamples=200, **options)


def test_every_group_is_compared(files):
    found = compared(files)
    assert found.by == "domain" and list(found.groups) == ["law", "film"]
    law = found.groups["law"].pair("charR", "other", "run")
    # the topics of the law alone: .25 - .5 and 1 - .5
    assert law.topics == 2 and law.difference == pytest.approx(0.125) and (law.wins, law.losses) == (1, 1)
    alone = bp.compare(
        bp.evaluate(files / "truth.jsonl", [files / "run.jsonl", files / "other.jsonl"], "charR", by="domain")
        .only_group("law"),
        resamples=200,
    )  # fmt: skip
    assert alone.pair("charR", "other", "run") == replace(law, unjudged=None)  # results know no text nobody judged
    assert [row["group"] for row in found.records()] == [None, None, "law", "law", "film", "film"]
    assert {row["group"] for row in found.rows()} == {None, "law", "film"}
    text = str(found)
    assert "charR, larger is better (domain law)" in text and "each group by itself" in text
    assert "law, film" in text  # too few topics in both, in one note
    for output in ("markdown", "latex", "tsv", "json"):
        assert "law" in found.table(output)
