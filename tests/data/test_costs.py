"""Costs beside quality: latency, cost and tokens of topics, in every carrier."""

import json

import pytest

import berrypick as bp
from berrypick.cli import main
from berrypick.data.costs import summary

TRUTH = {"a": {"x": 1}, "b": {"x": 1}, "c": {"y": 1}}
NESTED = [
    {"topic": "a", "results": [{"doc": "x", "tokens": 7}, {"doc": "y", "tokens": 9}], "latency": 0.2, "tokens": 100},
    {"topic": "b", "results": ["y"], "latency": 0.4, "tokens": 300},
    {"topic": "c", "results": [], "latency": 1.2},
]
FLAT = [
    {"topic": "a", "doc": "y", "score": 1.0, "latency": 0.2, "tokens": 100},
    {"topic": "a", "doc": "x", "score": 2.0, "latency": 0.2, "tokens": 100},
    {"topic": "b", "doc": "y", "score": 1.0, "latency": 0.4, "tokens": 300},
]
BY_TOPIC = {"a": {"latency": 0.2, "tokens": 100.0}, "b": {"latency": 0.4, "tokens": 300.0}}
WITH_EMPTY = {**BY_TOPIC, "c": {"latency": 1.2}}


def shown(capsys, *words):
    """What a command prints."""
    with pytest.raises(SystemExit) as ended:
        main(list(words))
    assert not ended.value.code
    return capsys.readouterr().out


def lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def test_summary_by_hand():
    held = {str(i): {"latency": float(value)} for i, value in enumerate((1, 2, 3, 10))}
    # p95 of 4 values: position 0.95 * 3 = 2.85 between the 3rd and the 4th: 3 + 0.85 * 7
    assert summary(held)["latency"] == {"mean": 4.0, "median": 2.5, "p95": pytest.approx(8.95), "n": 4}


def carriers(tmp_path):
    import pandas

    yield "nested lines", lines(tmp_path / "nested.jsonl", NESTED), WITH_EMPTY
    yield "nested records", NESTED, WITH_EMPTY
    dictionary = {row["topic"]: {name: held for name, held in row.items() if name != "topic"} for row in NESTED}
    yield "dictionary", dictionary, WITH_EMPTY
    texts = [{"question": "a", "contexts": ["x", "y"], "latency": 0.2, "tokens": 100},
             {"question": "b", "contexts": ["y"], "latency": 0.4, "tokens": 300},
             {"question": "c", "contexts": [], "latency": 1.2}]  # fmt: skip
    yield "lists of strings", lines(tmp_path / "texts.jsonl", texts), WITH_EMPTY
    yield "flat lines", lines(tmp_path / "flat.jsonl", FLAT), BY_TOPIC
    yield "flat records", FLAT, BY_TOPIC
    frame = pandas.DataFrame(FLAT)
    yield "frame", frame, BY_TOPIC
    frame.to_csv(tmp_path / "flat.csv", index=False)
    yield "csv", str(tmp_path / "flat.csv"), BY_TOPIC
    frame.to_parquet(tmp_path / "flat.parquet")
    yield "parquet", str(tmp_path / "flat.parquet"), BY_TOPIC
    nested = pandas.DataFrame([{**row, "results": [str(one["doc"] if isinstance(one, dict) else one)
                               for one in row["results"]]} for row in NESTED])  # fmt: skip
    yield "frame of lists", nested, WITH_EMPTY


def test_every_carrier_keeps_costs(tmp_path):
    for name, run, expected in carriers(tmp_path):
        results = bp.evaluate(TRUTH, run, "RR")
        [facts] = results.run_facts.values()
        assert facts.costs == expected, name
        assert results.costs()[facts.name]["latency"]["n"] == len(expected), name


def test_results_of_a_list_keep_their_own_tokens():
    run = bp.Run.from_records(NESTED)
    assert run["a"].details["tokens"].tolist() == [7, 9]


def test_costs_survive_being_written_and_read(tmp_path):
    for name, given, expected in carriers(tmp_path):
        if isinstance(given, str):
            run = bp.Run.from_file(given)
            bp.write(run, tmp_path / "again.jsonl", "span-run")
            again = bp.evaluate(TRUTH, str(tmp_path / "again.jsonl"), "RR")
            [facts] = again.run_facts.values()
            assert facts.costs == expected, name
            assert bp.Run.from_records(run.to_records()).of_topics.costs == expected, name


def test_costs_follow_topics_named_by_questions():
    truth = [{"topic": "1", "question": "Why?", "doc": "x"}]
    results = bp.evaluate(truth, [{"question": "Why?", "results": ["x"], "cost": 0.01}], "RR")
    assert results.run_facts["run"].costs == {"1": {"cost": 0.01}}


def test_costs_change_no_measure(tmp_path):
    for _, run, _ in carriers(tmp_path):
        costless = bp.evaluate(TRUTH, run, "RR nDCG@5").mean()
        assert next(iter(costless.values())) == {
            "RR": pytest.approx(1 / 3),
            "nDCG@5": pytest.approx(1 / 3),
        }


def test_topics_without_a_cost_are_counted():
    results = bp.evaluate(TRUTH, NESTED, "RR")
    [note] = [note for note in results.notes if note.kind == "costs"]
    assert "1 topic of 3 without tokens" in str(note)


def test_several_values_in_flat_rows_are_counted(tmp_path):
    rows = [{**row, "latency": place} for place, row in enumerate(FLAT)]
    run = bp.Run.from_file(lines(tmp_path / "run.jsonl", rows))
    assert run.of_topics.costs["a"]["latency"] == 0
    assert "1 topic with several values of latency: the first row's counts" in run.notes


def test_steps_of_a_session_are_added_up(tmp_path):
    rows = [{"topic": "a", "doc": "y", "step": 1, "tool": "Read", "tokens": 10, "seconds": 1.5},
            {"topic": "a", "doc": "x", "step": 2, "tool": "Read", "tokens": 30, "seconds": 2.0}]  # fmt: skip
    results = bp.evaluate({"a": {"x": 1}}, lines(tmp_path / "run.jsonl", rows), "RR")
    assert results.run_facts["run"].costs == {"a": {"tokens": 40.0, "latency": 3.5}}


def test_steps_without_tools_have_no_topic_costs(tmp_path):
    rows = [{"topic": "a", "doc": "y", "step": 1, "tokens": 10}, {"topic": "a", "doc": "x", "step": 2, "tokens": 30}]
    assert bp.Run.from_file(lines(tmp_path / "run.jsonl", rows)).of_topics.costs == {}


def test_a_negative_cost_is_refused(tmp_path):
    for rows in ([{"topic": "a", "results": ["x"], "latency": -1}], [{"topic": "a", "doc": "x", "cost": -1}]):
        with pytest.raises(bp.InputError, match="below 0"):
            bp.Run.from_file(lines(tmp_path / "run.jsonl", rows))


def test_commands_show_costs(tmp_path, capsys):
    truth = lines(tmp_path / "truth.jsonl", [{"topic": t, "doc": d} for t, held in TRUTH.items() for d in held])
    run, other = lines(tmp_path / "run.jsonl", NESTED), lines(tmp_path / "other.jsonl", FLAT)
    header, *_, row = shown(capsys, "evaluate", truth, run, "-m", "RR", "-o", "table").splitlines()
    assert "latency p95" in header and "tokens median" in header
    assert row.split()[2:] == ["0.6", "0.4", "1.12", "200", "200", "290"]
    one = shown(capsys, "evaluate", truth, run, "-m", "RR", "-q", "-o", "table").splitlines()[4]
    assert one.split() == ["run", "c", "0.0000", "1.2", "-", "-", "-"]  # a topic has a value, and no median
    flat = shown(capsys, "evaluate", truth, run, "-m", "RR", "-q").splitlines()
    spent = [f"{name}_{part}" for name in ("latency", "tokens") for part in ("mean", "median", "p95")]
    assert flat[0].split("\t") == ["run", "topic", "measure", "value", *spent]
    assert flat[3].split("\t")[4:] == ["1.2", "", "", "", "", ""]
    assert flat[4].split("\t")[4:] == ["0.6", "0.4", "1.12", "200", "200", "290"]
    assert shown(capsys, "evaluate", truth, truth, "-m", "RR").splitlines()[0] == "run\ttopic\tmeasure\tvalue"
    rows = json.loads(shown(capsys, "evaluate", truth, run, "-m", "RR", "-o", "json"))
    expected = {"mean": pytest.approx(0.6), "median": 0.4, "p95": pytest.approx(1.12), "n": 3}
    assert rows[0]["costs"]["latency"] == expected
    for layout in ("details", "runs"):
        table = shown(capsys, "compare", truth, run, other, "-m", "RR", "--layout", layout, "-o", "table")
        assert "latency p95" in table and "1.12" in table
    rows = json.loads(shown(capsys, "compare", truth, run, other, "-m", "RR", "-o", "json"))
    assert [row["costs"]["tokens"]["mean"] for row in rows] == [200, 200]
    head, *flat = shown(capsys, "compare", truth, run, other, "-m", "RR", "-o", "tsv").splitlines()
    held = [dict(zip(head.split("\t"), line.split("\t"), strict=True)) for line in flat]
    assert [(row["versus"], row["tokens_mean"]) for row in held] == [
        ("", "200.0"), ("other", ""), ("", "200.0"), ("run", "")
    ]  # fmt: skip


def test_saved_results_keep_costs(tmp_path):
    results = bp.evaluate(TRUTH, NESTED, "RR")
    results.save(tmp_path / "saved.json")
    assert bp.read_results(tmp_path / "saved.json").costs() == results.costs()


def test_a_comparison_by_groups_has_the_costs_of_all_topics():
    truth = [{"topic": t, "doc": d, "kind": t} for t, held in TRUTH.items() for d in held]
    rows = bp.compare(truth, {"one": NESTED, "two": FLAT}, "RR", by="kind").rows()
    assert len({tuple(row) for row in rows}) == 1
    known = {(row["group"], row["run"]): row["latency_mean"] for row in rows if row["versus"] is None}
    assert known[None, "one"] == pytest.approx(0.6) and known["a", "one"] is None


def test_the_mean_of_a_group_has_the_costs_of_the_group():
    truth = [{"topic": name, "doc": doc, "kind": kind} for name, doc, kind in
             (("a", "x", "one"), ("b", "x", "one"), ("c", "y", "two"))]  # fmt: skip
    rows = bp.evaluate(truth, NESTED, "RR", by="kind").records(per_topic=False)
    assert {row["group"]: row["costs"]["latency"]["mean"] for row in rows} == pytest.approx(
        {"one": 0.3, "two": 1.2, None: 0.6}
    )
