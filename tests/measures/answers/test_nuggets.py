"""Nuggets: what an answer states of what it should state."""

import json

import pytest

import berrypick as bp
from berrypick import formats


def line(qid, *nuggets, **more):
    names = ("text", "importance", "assignment")
    return json.dumps({"qid": qid, **more, "nuggets": [dict(zip(names, one, strict=False)) for one in nuggets]}) + "\n"


#: Topic 1: vital 1, .5, 0; okay 1. Topic 2: nothing vital. Topic 3: foreign labels, and a text that stands twice.
ASSIGNED = (
    line(
        "1",
        ("a", "vital", "support"),
        ("b", "vital", "partial_support"),
        ("c", "vital", "not_support"),
        ("d", "okay", "support"),
        run_id="mine",
    )
    + line("2", ("e", "okay", "support"), run_id="mine")
    + line(
        "3",
        ("f", "vital", "support"),
        ("f", "vital", "not_support"),
        ("g", "vital", "supporter"),
        ("h", "failed", "support"),
        run_id="mine",
    )
)
#: By hand: {parameters: values of topics 1, 2, 3}
EXPECTED = {
    "of='vital'": (1.5 / 3, None, 1 / 3),
    "of='vital',strict=True": (1 / 3, None, 1 / 3),
    "of='all'": (2.5 / 4, 1.0, 2 / 4),
    "of='all',strict=True": (2 / 4, 1.0, 2 / 4),
    "of='weighted'": ((1.5 + 0.5) / 3.5, 1.0, 1 / 3),
    "of='weighted',strict=True": ((1 + 0.5) / 3.5, 1.0, 1 / 3),
}


@pytest.fixture
def assigned(files):
    return files(assigned_jsonl=ASSIGNED)["assigned_jsonl"]


@pytest.mark.parametrize("parameters", EXPECTED)
def test_by_hand(assigned, parameters):
    results = bp.evaluate(assigned, assigned, f"Nuggets({parameters})")
    assert tuple(results.per_topic()["mine"][f"Nuggets({parameters})"].values()) == EXPECTED[parameters]


def test_the_protocol_scores_a_topic_without_vital_nuggets_zero(assigned, berrypick):
    results = bp.evaluate(assigned, assigned, protocol="trec-rag")
    assert len(results.measures) == 6
    values = results.per_topic()["mine"]
    for parameters, expected in EXPECTED.items():
        assert tuple(values[f"Nuggets({parameters})"].values()) == tuple(one or 0.0 for one in expected)
    shown = berrypick("evaluate", assigned, assigned, "--protocol", "trec-rag")
    assert "0 where a topic has no vital nuggets, as protocol trec-rag does" in shown.err


def test_labels_outside_the_vocabulary_are_counted_named_and_refused_by_strict(assigned, berrypick):
    shown = berrypick("evaluate", assigned, assigned, "-m", "Nuggets")
    assert shown.code == 0
    assert "importances other than vital and okay, which count for of='all' alone ('failed'): 1" in shown.err
    assert "which count as 0 ('supporter'): 1" in shown.err
    assert "undefined where a topic has no vital nuggets" in shown.err
    refused = berrypick("evaluate", assigned, assigned, "-m", "Nuggets", "--strict")
    assert refused.code == 2 and not refused.out
    assert f"{assigned}:3: labels outside the vocabulary" in refused.err and "'failed'" in refused.err
    with pytest.raises(bp.InputError, match="'supporter'"):
        bp.evaluate({"1": {"a": 1}}, assigned, "Nuggets", strict=True)
    checked = berrypick("check", assigned)
    assert checked.code == 0 and "('failed')" in checked.out


def test_another_run_is_matched_by_the_text_of_nuggets(assigned, files):
    other = files(
        other_jsonl=line("1", ("d", "", "support"), ("x", "", "support"), ("a", "", "not_support"), run_id="other")
        + line("3", ("f", "", "not_support"), ("f", "", "support"))
    )["other_jsonl"]
    results = bp.evaluate(assigned, other, "Nuggets Nuggets(of='all')")
    values = results.per_topic()["other"]
    assert list(values["Nuggets"].values()) == [0.0, None, 1 / 3]
    assert list(values["Nuggets(of='all')"].values()) == [1 / 4, 0.0, 1 / 4]
    told = str(results)
    for text in ("does not assign all nuggets", "nuggets that are not in the truth", "assigns no nugget"):
        assert text in told


def test_nuggets_of_another_truth_are_refused(assigned, files):
    other = files(other_jsonl=line("1", ("y", "", "support")))["other_jsonl"]
    with pytest.raises(bp.UsageError, match="none of the 1 nugget of the run in topic 1 is one of the truth's"):
        bp.score("Nuggets", assigned, other)


def test_a_truth_without_nuggets_is_refused(assigned):
    with pytest.raises(bp.UsageError, match="the truth has no nuggets"):
        bp.score("Nuggets", {"1": {"a": 1}}, {"1": {"a": 1.0}})
    with pytest.raises(bp.InputError, match="the run has nuggets, and no results; the truth judges no nuggets"):
        bp.score("Nuggets", {"1": {"a": 1}}, assigned)


def test_measures_of_documents_are_undefined(assigned):
    """Nuggets are no documents, so that nothing can be taken for a list of them."""
    assert bp.evaluate(assigned, assigned, "AP EPRUM").mean()["mine"] == {"AP": None, "EPRUM": None}


def test_without_measures_those_of_nuggets_are_computed(assigned, berrypick):
    shown = berrypick("evaluate", assigned, assigned)
    assert shown.code == 0 and "Nuggets(of='weighted')" in shown.out and "AP" not in shown.out


def test_explained(assigned, berrypick):
    shown = berrypick("explain", assigned, assigned, "--topic", "1", "-m", "Nuggets")
    assert "partial_support" in shown.out and "Nuggets = 1.5 / 3 = 0.5" in shown.out


def test_several_processes(assigned):
    serial = bp.evaluate(assigned, [assigned, assigned], "Nuggets").mean()
    assert bp.evaluate(assigned, [assigned, assigned], "Nuggets", jobs=2).mean() == serial


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"qid": "1", "nuggets": [{"text": "a", "importance": "vital"}]}\n' * 2, ":2: topic 1 is also in line 1"),
        ('{"qid": "1", "nuggets": [{"importance": "vital"}]}\n', ":1: nugget 1 has no text"),
        ('{"qid": "1", "nuggets": [{"text": "a", "importance": 3}]}\n', ":1: nugget 1 has no importance"),
        ('{"qid": "1", "nuggets": ["importance"]}\n', ":1: nuggets must be a list of objects"),
        ('{"qid": null, "nuggets": [{"importance": "vital"}]}\n', ":1: qid is missing"),
    ],
)
def test_what_is_wrong_has_its_line(files, content, said):
    path = files(bad_jsonl=content)["bad_jsonl"]
    with pytest.raises(bp.InputError) as error:
        bp.read_truth(path, "nuggets")
    assert said in str(error.value)


def test_a_file_of_two_runs_is_refused(files):
    content = line("1", ("a", "vital", "support"), run_id="a") + line("2", ("a", "vital", "support"), run_id="b")
    with pytest.raises(bp.InputError, match="run b after run a"):
        bp.read_run(files(two_jsonl=content)["two_jsonl"])


def test_truth_and_run_are_given_back(assigned, tmp_path, berrypick):
    for name in ("nuggets", "nuggets-run"):
        out = tmp_path / f"{name}.jsonl"
        assert berrypick("convert", assigned, out, "--from", name, "--to", name).code == 0
    again = bp.evaluate(tmp_path / "nuggets.jsonl", tmp_path / "nuggets-run.jsonl", protocol="trec-rag")
    assert again.mean() == bp.evaluate(assigned, assigned, protocol="trec-rag").mean()
    refused = berrypick("convert", assigned, tmp_path / "other.jsonl", "--from", "nuggets", "--to", "span-truth")
    assert refused.code == 2 and "the truth has nuggets, which would be lost" in refused.err
    assert not (tmp_path / "other.jsonl").exists()


def test_only_these_formats_take_it(assigned):
    assert [one.name() for one in formats.sniff_all(str(assigned))] == ["nuggets", "nuggets-run"]


@pytest.mark.slow
def test_official_scores_of_trec_rag(data):
    """Six scores of 301 topics, to the last digit; 40 importances and 25 assignments are foreign."""
    path = data / "nuggets" / "assignments.gpt4o.jsonl"
    lines = (data / "nuggets" / "metrics.gpt4o.jsonl").read_text().splitlines()
    official = {one["qid"]: one for one in map(json.loads, lines)}
    results = bp.evaluate(path, path, protocol="trec-rag")
    (values,) = results.per_topic().values()
    (means,) = results.mean().values()
    compared = 0
    for of in ("vital", "all", "weighted"):
        for name, parameters in ((f"strict_{of}_score", f"of='{of}',strict=True"), (f"{of}_score", f"of='{of}'")):
            for topic, value in values[f"Nuggets({parameters})"].items():
                assert value == official[topic][name], (topic, name)
                compared += 1
            assert means[f"Nuggets({parameters})"] == pytest.approx(official["all"][name], abs=2e-16)
    assert compared == 6 * 301
    assert means["Nuggets(of='all',strict=True)"] == 0.30345628044346756
    assert sum(bp.read_truth(path).skipped.values()) == 40 and sum(bp.read_run(path).skipped.values()) == 25


def test_what_an_answer_states_is_no_list_of_results(tmp_path, berrypick):
    """It scored 0 by every measure of results, with a note on missing topics alone."""
    truth, run = tmp_path / "truth.jsonl", tmp_path / "said.jsonl"
    truth.write_text('{"topic": "1", "doc": "a", "start": 0, "end": 9}\n')
    run.write_text('{"qid": "1", "nuggets": [{"text": "n", "importance": "vital", "assignment": "support"}]}\n')
    ended = berrypick("evaluate", truth, run, "-m", "charR", "--format-run", "nuggets-run")
    assert ended.code == 2 and not ended.out
    assert "the run has nuggets, and no results; the truth judges no nuggets" in ended.err
