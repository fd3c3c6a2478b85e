"""What changed between two saved evaluations."""

from __future__ import annotations

import csv
import dataclasses
import io
import json

import pytest
from handmade_results import results

import berrypick as bp
from berrypick.analysis.comparison.saved import read_results
from berrypick.data.errors import InputError, UsageError

OLD = results({"one": {"AP": [0.1, 0.2, 0.3, None], "ESL": [4.0, 5.0, 6.0, 7.0]}})
NEW = results({"one": {"AP": [0.1, 0.4, 0.2, 0.5], "ESL": [4.0, 3.0, 6.0, 8.0]}})


def changed(difference):
    return {(one.measure, one.topic): (one.old, one.new) for one in difference.changes}


def test_nothing_differs():
    same = bp.diff(OLD, OLD)
    assert not same and same.changes == () and same.reason == "" and same.compared == 10
    assert same.table() == "no differences: 10 values are equal\n"
    assert same.table("json") == "[]\n"
    assert len(same.to_pandas()) == len(same.to_polars()) == 0


def test_what_changed_topic_by_topic():
    found = bp.diff(OLD, NEW)
    assert found
    assert changed(found) == {
        ("AP", "1"): (0.2, 0.4), ("AP", "2"): (0.3, 0.2), ("AP", "3"): (None, 0.5),
        ("AP", "all"): (pytest.approx(0.2), pytest.approx(0.3)),
        ("ESL", "1"): (5.0, 3.0), ("ESL", "3"): (7.0, 8.0), ("ESL", "all"): (5.5, 5.25),
    }  # fmt: skip
    assert all(one.status == "changed" for one in found.changes)
    assert found.reason == "7 values differ: 7 changed"
    assert [one.topic for one in found.topics] == ["1", "2", "3", "1", "3"]


def test_better_and_worse_follow_the_measure():
    precision, length = bp.diff(OLD, NEW).summaries
    assert (precision.better, precision.worse, precision.same, precision.undefined) == (1, 1, 1, 1)
    assert (length.better, length.worse, length.same) == (1, 1, 2)  # 5 to 3 is better, 7 to 8 is worse
    assert (length.old, length.new) == (5.5, 5.25)


def test_added_and_removed():
    old = results({"one": {"AP": [0.1, 0.2]}, "gone": {"AP": [0.1, 0.1]}})
    new = results({"one": {"AP": [0.1], "RR": [1.0]}, "come": {"AP": [0.3]}})
    found = bp.diff(old, new)
    assert {(one.run, one.measure, one.topic, one.status) for one in found.changes} == {
        ("one", "AP", "1", "removed"), ("one", "AP", "all", "changed"),
        ("one", "RR", "0", "added"), ("one", "RR", "all", "added"),
        ("gone", "AP", "0", "removed"), ("gone", "AP", "1", "removed"), ("gone", "AP", "all", "removed"),
        ("come", "AP", "0", "added"), ("come", "AP", "all", "added"),
    }  # fmt: skip
    assert found.reason == "9 values differ: 1 changed, 4 added, 4 removed"
    assert {(one.run, one.measure): (one.added, one.removed) for one in found.summaries} == {
        ("one", "AP"): (0, 1), ("one", "RR"): (1, 0), ("gone", "AP"): (0, 2), ("come", "AP"): (1, 0)
    }  # fmt: skip
    assert "removed" in found.table() and "added" in found.table()


def test_tolerance():
    old, new = results({"one": {"AP": [0.1]}}), results({"one": {"AP": [0.1 + 1e-4]}})
    assert bp.diff(old, new) and not bp.diff(old, new, tolerance=1e-3)
    assert not bp.diff(old, results({"one": {"AP": [0.1 + 1e-12]}}))
    assert bp.diff(old, results({"one": {"AP": [0.1 + 1e-12]}}), tolerance=0)
    for wrong in (-1, float("nan")):
        with pytest.raises(UsageError, match="tolerance must be 0 or more"):
            bp.diff(old, new, tolerance=wrong)


def test_different_signatures_are_refused():
    old, new = (results({"one": {"AP": [0.1]}}, f"AP|user:{user}|v:1") for user in ("x", "y"))
    with pytest.raises(UsageError) as error:
        bp.diff(old, new)
    assert str(error.value) == (
        "the signatures differ, so the numbers cannot be compared:\n"
        "  AP: user:x before, user:y now (2 values)\n  force=True compares them nevertheless"
    )
    forced = bp.diff(old, new, force=True)
    assert not forced and [str(note) for note in forced.notes] == [
        "signatures differ: AP: user:x before, user:y now (2 values)"
    ]


def test_another_version_is_another_way():
    old, new = (results({"one": {"AP": [0.1]}}, f"AP|v:{version}") for version in (1, 2))
    with pytest.raises(UsageError, match="v:1 before, v:2 now"):
        bp.diff(old, new)


def test_runs_that_have_another_name_now():
    old, new = results({"v1": {"AP": [0.1]}}), results({"v2": {"AP": [0.1]}})
    assert bp.diff(old, new).reason == "4 values differ: 2 added, 2 removed"
    assert not bp.diff(old, new, rename={"v1": "v2"})
    with pytest.raises(UsageError, match="no run v3 to rename; available: v1"):
        bp.diff(old, new, rename={"v3": "v2"})


def test_means_only():
    old, new = (dataclasses.replace(results({"one": {"AP": [value]}}), topic_rows=[]) for value in (0.1, 0.2))
    found = bp.diff(old, new)
    assert "means only" in str(found.notes[0]) and found.topics == ()
    assert "Topics" not in found.table()


def test_a_topic_called_all(tmp_path):
    rows = [{"run": "r", "topic": "all", "measure": "AP", "value": value, "signature": ""} for value in (0.25, 0.5)]
    path = tmp_path / "saved.json"
    path.write_text(json.dumps(rows))
    read = read_results(path)
    assert ([row.value for row in read.topic_rows], [row.value for row in read.mean_rows]) == ([0.25], [0.5])
    assert not bp.diff(path, path) and bp.diff(path, path).compared == 2


def test_it_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        bp.diff(OLD, NEW).tolerance = 1.0


# files


@pytest.fixture
def saved(berrypick, files, tmp_path):
    """Two evaluations as the command writes them."""
    paths = files(truth_qrels="1 0 a 1\n2 0 a 1\n3 0 a 1\n", old_run="1 Q0 a 1 1 x\n2 Q0 a 1 1 x\n3 Q0 b 1 1 x\n",
                  new_run="1 Q0 a 1 1 x\n2 Q0 b 1 1 x\n2 Q0 a 2 0 x\n3 Q0 b 1 1 x\n")  # fmt: skip
    found = []
    for name in ("old", "new"):
        for output in ("json", "jsonl"):
            done = berrypick("evaluate", paths["truth_qrels"], paths[f"{name}_run"], "-m", "AP P@1", "-q", "-o", output)
            (tmp_path / f"{name}.{output}").write_text(done.out)
        found.append(tmp_path / f"{name}.json")
    return found


def test_files(saved):
    old, new = saved
    found = bp.diff(old, new)
    assert changed(found) == {
        ("AP", "2"): (1.0, 0.5), ("AP", "all"): (pytest.approx(2 / 3), 0.5),
        ("P@1", "2"): (1.0, 0.0), ("P@1", "all"): (pytest.approx(2 / 3), pytest.approx(1 / 3)),
    }  # fmt: skip
    assert not bp.diff(old, old.with_suffix(".jsonl"))
    assert read_results(old).mean() == {"x": {"AP": pytest.approx(2 / 3), "P@1": pytest.approx(2 / 3)}}
    assert bp.compare(read_results(old)).runs == ("x",)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "the file is empty"),
        ("no json", "is not JSON"),
        ('{"run": "a"}\n{', "is not JSON"),
        ("[1]", "object 1 is not an object"),
        ('[{"run": 1, "topic": "t", "measure": "AP", "value": 1}]', "object 1 has no run, or it is not a string"),
        ('[{"run": "a", "topic": "t", "measure": "AP"}]', "object 1 has no value, or it is neither a number nor null"),
        ('[{"run": "a", "topic": "t", "measure": "AP", "value": "1"}]', "object 1 has no value"),
        ('[{"run": "a", "topic": "t", "measure": "AP", "value": true}]', "object 1 has no value"),
        ("[" * 100_000, "is nested too deeply to be read"),
    ],
)
def test_files_that_are_something_else(tmp_path, content, message):
    path = tmp_path / "saved.json"
    path.write_text(content)
    with pytest.raises(InputError) as error:
        bp.diff(path, path)
    assert message in str(error.value) and str(path) in str(error.value)
    assert "expected the output of berrypick evaluate -q -o json" in str(error.value)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        bp.diff(tmp_path / "nothing.json", tmp_path / "nothing.json")
    (tmp_path / "latin.json").write_bytes(b"\xe9")
    with pytest.raises(InputError, match="is not UTF-8 text"):
        bp.diff(tmp_path / "latin.json", tmp_path / "latin.json")


def test_the_same_value_twice(tmp_path):
    row = {"run": "a", "topic": "t", "measure": "AP", "value": 1}
    path = tmp_path / "saved.json"
    path.write_text(json.dumps([row, row, {**row, "topic": "all"}]))
    with pytest.raises(InputError, match="AP of topic t of run a occurs twice"):
        bp.diff(path, path)


# how it is told


def test_csv_and_json():
    found = bp.diff(OLD, NEW)
    rows = list(csv.DictReader(io.StringIO(found.table("csv"))))
    assert rows[0] == {"run": "one", "topic": "1", "measure": "AP", "status": "changed", "old": "0.2", "new": "0.4",
                       "change": "0.2"}  # fmt: skip
    assert json.loads(found.table("json")) == found.records()
    assert found.table("tsv").startswith("run\ttopic\tmeasure\tstatus")
    assert len(found.to_pandas()) == len(found.to_polars()) == 7
    with pytest.raises(UsageError, match="unknown output lates"):
        found.table("lates")


def test_tables():
    found = bp.diff(OLD, NEW)
    assert "one  AP       1      0.2000  0.4000  +0.2000" in str(found)
    assert "| one | AP | 3 | - | 0.5000 | changed |" in found.table("markdown")
    odd = bp.diff(results({"<b>": {"AP": [0.1]}}), results({"<b>": {"AP": [0.2]}}))
    assert "&lt;b>" in odd.table("markdown")


# the command


def test_command(berrypick, saved):
    done = berrypick("diff", *saved, "-o", "table")
    assert done.code == 0 and done.out == bp.diff(*saved).table() and done.err == ""
    done = berrypick("diff", *saved, "--fail-if-different")
    assert done.code == 1 and done.err == "not met: 4 values differ: 4 changed\n" and done.out.startswith("run\ttopic")
    assert berrypick("diff", saved[0], saved[0], "--fail-if-different").code == 0
    assert berrypick("diff", *saved, "--tolerance", "1", "--fail-if-different").code == 0


def test_command_with_other_settings(berrypick, saved, tmp_path):
    rows = json.loads(saved[1].read_text())
    other = tmp_path / "other.json"
    other.write_text(json.dumps([{**row, "signature": row["signature"] + "x", "run": "y"} for row in rows]))
    assert berrypick("diff", saved[1], other, "--fail-if-different").code == 1
    refused = berrypick("diff", saved[1], other, "--rename", "x=y")
    assert refused.code == 2 and "the signatures differ" in refused.err and refused.out == ""
    forced = berrypick("diff", saved[1], other, "--rename", "x=y", "--force", "--fail-if-different")
    assert forced.code == 0 and forced.err.startswith("note: signatures differ")
    assert berrypick("diff", saved[1], other, "--rename", "x").code == 2


#: Results as an older version wrote them: what a class declared was stated, read or not, and lengths were not.
OLDER = """\
{"run":"mine","topic":"q","measure":"Ranks","value":2.0,"signature":"Ranks|user:classical(share=0.5)|idealism:1=1|\
effort:rank|duplicates:error|topics:judged|v:0.1.0"}
{"run":"mine","topic":"all","measure":"Ranks","value":2.0,"signature":"Ranks|user:classical(share=0.5)|idealism:1=1|\
effort:rank|duplicates:error|topics:judged|v:0.1.0"}
"""


class Ranks(bp.Measure):
    """The number of ranks, for which no option matters."""

    depends_on = ()

    def compute(self, judged):
        return judged.ranking.ranks


def test_saved_results_with_older_signatures_still_compare(tmp_path):
    """A part that only one side has is no difference, and is said; parts that contradict each other are one."""
    new = bp.evaluate({"q": {"a": 1, "b": 1}}, {"mine": {"q": {"a": 2, "c": 1}}}, Ranks())
    old = tmp_path / "older.jsonl"
    old.write_text(OLDER)
    found = bp.diff(old, new)
    assert not found.changes
    assert [str(note.text) for note in found.notes if note.kind == "signatures differ"] == [
        f"only one side has {part} (2 values): not counted as a difference"
        for part in ("effort:rank", "idealism:1=1", "user:classical(share=0.5)")
    ]
    with_reach = bp.evaluate({"q": {"a": 1, "b": 1}}, {"mine": {"q": {"a": 2, "c": 1}}}, "EPRUM")
    for text in ("user:coverage(memory=False)", "user:classical(share=0.5)|min_score:1"):
        with_reach.save(old)
        old.write_text(old.read_text().replace("user:classical(share=0.5)", text))
        with pytest.raises(bp.UsageError, match="the signatures differ"):
            bp.diff(old, with_reach)


@pytest.mark.parametrize("other", ["|together:low", "|together:independent|rank:3"])
def test_a_parameter_that_is_not_the_default_is_a_difference(tmp_path, other):
    new, old = bp.evaluate({"q": {"a": 1}}, {"mine": {"q": {"a": 2}}}, "EPRUM"), tmp_path / "older.json"
    new.save(old)
    stripped = tmp_path / "stripped.json"
    stripped.write_text(old.read_text().replace("|together:independent", ""))
    old.write_text(old.read_text().replace("|together:independent", other))
    with pytest.raises(bp.UsageError, match="the signatures differ"):
        bp.diff(stripped, old)


def test_runs_of_which_one_states_less_are_compared():
    """A run that answers nothing, or with whole documents, reads less: its numbers are comparable all the same."""
    truth = {topic: {"a": 1, "b": 1} for topic in "12345"}
    runs = {"one": {topic: {"a": 1.0} for topic in "12345"}, "none": {topic: {} for topic in "12345"}}
    found = bp.compare(truth, runs, "EPRUM", duplicates="first", resamples=100)
    assert not [note for note in found.notes if note.kind == "signatures differ"]
