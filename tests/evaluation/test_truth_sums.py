"""Sums of the truth in signatures: one for the same judgements whatever holds them, another for any other judgement."""

import csv
import json
import pickle
import random

import polars as pl
import pytest
from many_cases import at_length

import berrypick as bp
from berrypick.data.sums import TruthSums

TEXTS = {f"d{i}": " ".join(f"word{i}x{k:02d}" for k in range(40)) for i in range(4)}


def signed(truth, topics, **options):
    """The sums of a mean and of each topic."""
    result = "d0#0-5" if options.pop("spans", False) else "d0"
    run = {topic: {result: 1.0} for topic in topics}
    results = bp.evaluate(truth, run, "AP", **options)
    [mean] = results.mean_rows
    of_topics = {row.topic: row.signature["truth-sum"] for row in results.topic_rows}
    return mean.signature["truth-sum"], mean.signature["topics-sum"], of_topics


def documents(draw):
    """Judged documents of some topics: (topic, document, grade)."""
    names = [f"d{i}" for i in range(12)]
    return [
        (f"q{topic}", name, draw.randint(-1, 3))
        for topic in range(draw.randint(1, 4))
        for name in draw.sample(names, draw.randint(1, 6))
    ]


def spans(draw):
    """Judged words of documents that do not touch: (topic, document, start, end, grade)."""
    found = []
    for topic in range(draw.randint(1, 4)):
        for name in draw.sample(sorted(TEXTS), draw.randint(1, 3)):
            words = TEXTS[name].split(" ")
            for place in draw.sample(range(len(words)), draw.randint(1, 3)):
                start = sum(len(word) + 1 for word in words[:place])
                found.append((f"q{topic}", name, start, start + len(words[place]), draw.randint(1, 3)))
    return found


def lines(path, rows):
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


def table(path, rows):
    with open(path, "w", newline="") as out:
        made = csv.DictWriter(out, list(rows[0]))
        made.writeheader()
        made.writerows(rows)
    return path


def parquet(path, rows):
    pl.DataFrame(rows).write_parquet(path)
    return path


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(at_length(5, 100)))
def test_documents_have_one_sum_in_every_format(seed, tmp_path):
    draw = random.Random(seed)
    rows = documents(draw)
    topics = {row[0] for row in rows}

    def shuffled():
        return [dict(zip(("topic", "doc", "grade"), row, strict=True)) for row in draw.sample(rows, len(rows))]

    qrels = tmp_path / "other.name"
    qrels.write_text("".join(f"{row['topic']} 0 {row['doc']} {row['grade']}\n" for row in shuffled()))
    mapping = {}
    for row in shuffled():
        mapping.setdefault(row["topic"], {})[row["doc"]] = row["grade"]
    same = [
        qrels,
        lines(tmp_path / "a.jsonl", shuffled()),
        table(tmp_path / "a.csv", shuffled()),
        parquet(tmp_path / "a.parquet", shuffled()),
        mapping,
        pl.DataFrame(shuffled()),
        pl.DataFrame(shuffled()).to_pandas(),
        shuffled(),
    ]
    sums = [signed(truth, topics) for truth in same]
    assert all(one == sums[0] for one in sums), sums


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(at_length(5, 100)))
def test_spans_have_one_sum_in_every_format_and_as_quotes(seed, tmp_path):
    draw = random.Random(seed)
    rows = spans(draw)
    topics = {row[0] for row in rows}

    def shuffled(quoted=False):
        found = []
        for topic, name, start, end, grade in draw.sample(rows, len(rows)):
            place = {"quote": TEXTS[name][start:end]} if quoted else {"start": start, "end": end}
            found.append({"topic": topic, "doc": name, **place, "grade": grade})
        return found

    mapping = {}
    for topic, name, start, end, grade in draw.sample(rows, len(rows)):
        mapping.setdefault(topic, {})[f"{name}#{start}-{end}"] = grade
    same = [
        lines(tmp_path / "a.jsonl", shuffled()),
        lines(tmp_path / "quoted.jsonl", shuffled(quoted=True)),
        table(tmp_path / "a.csv", shuffled()),
        table(tmp_path / "quoted.csv", shuffled(quoted=True)),
        parquet(tmp_path / "a.parquet", shuffled()),
        mapping,
        pl.DataFrame(shuffled()),
        pl.DataFrame(shuffled(quoted=True)).to_pandas(),
        shuffled(),
    ]
    sums = [signed(truth, topics, spans=True, documents=TEXTS) for truth in same]
    assert all(one == sums[0] for one in sums), sums
    assert signed(mapping, topics, spans=True) == sums[0]  # where no quote needs the texts


CHANGES = [
    ("grade", lambda row: {**row, "grade": row["grade"] + 1}),
    ("document", lambda row: {**row, "doc": f"{row['doc']}x"}),
    ("start", lambda row: {**row, "start": row["start"] + 1}),
    ("end", lambda row: {**row, "end": row["end"] + 1}),
    ("topic", lambda row: {**row, "topic": f"{row['topic']}x"}),
    ("removed", lambda row: None),
]


@pytest.mark.parametrize(("what", "change"), CHANGES, ids=[name for name, _ in CHANGES])
def test_any_other_judgement_has_another_sum(what, change):
    for seed in range(at_length(10, 200)):
        draw = random.Random(seed)
        names = ("topic", "doc", "start", "end", "grade")
        rows = [dict(zip(names, row, strict=True)) for row in spans(draw)]
        place = draw.randrange(len(rows))
        changed = change(rows[place])
        others = [*rows[:place], *([] if changed is None else [changed]), *rows[place + 1 :]]
        if not others:
            continue
        before, after = (TruthSums(bp.Truth.from_records(some)) for some in (rows, others))
        assert before.whole != after.whole
        untouched = before.of_topics.keys() - {rows[place]["topic"]}
        assert all(before.of_topics[topic] == after.of_topics[topic] for topic in untouched)


def test_sets_and_hops_count():
    rows = [{"topic": "q", "doc": name} for name in "ab"]
    named = [[{**row, kind: name} for row, name in zip(rows, names, strict=True)]
             for kind in ("set", "hop") for names in (("1", "1"), ("1", "2"))]  # fmt: skip
    sums = {TruthSums(bp.Truth.from_records(some)).whole for some in (rows, *named)}
    assert len(sums) == 5


def test_options_leave_the_sum_as_it_is():
    truth = {"q": {"a": 1, "b": 2, "c": 0}, "p": {"a": 1}}
    run = {"q": {"b": 2.0, "a": 1.0}}
    sums = set()
    for options in ({}, {"idealism": {1: 0, 2: 1}}, {"level": "document"}, {"topics": "run"}):
        results = bp.evaluate(truth, run, "EPRUM", **options)
        sums |= {row.signature["truth-sum"] for row in results.mean_rows}
    assert len(sums) == 1


def test_topics_averaged_have_a_sum_of_their_own():
    truth, run = {"q": {"a": 1}, "p": {"a": 1}}, {"q": {"a": 1.0}}
    one, other = (bp.evaluate(truth, run, "AP", topics=topics).mean_rows[0].signature for topics in ("judged", "run"))
    assert one["truth-sum"] == other["truth-sum"] and one["topics-sum"] != other["topics-sum"]
    assert (
        one["topics-sum"] == bp.evaluate({"p": {"b": 1}, "q": {"c": 1}}, run, "AP").mean_rows[0].signature["topics-sum"]
    )


def test_annotators_count_each():
    rows = [{"topic": "q", "doc": "d", "start": 0, "end": 9, "annotator": name} for name in "abc"]
    third = {"topic": "q", "doc": "d", "start": 4, "end": 9, "annotator": "c"}
    sums = [TruthSums(bp.Truth.from_records(some)).whole for some in (rows, [*rows[:2], third])]
    assert sums[0] != sums[1]  # although the union is the same
    run = {"q": {"d#0-9": 1.0}}
    merged = [bp.evaluate(rows, run, "charR", annotators=rule).mean_rows[0].signature for rule in ("union", "majority")]
    assert merged[0]["truth-sum"] == merged[1]["truth-sum"] == sums[0]


def test_sums_wait_until_a_signature_is_looked_at(monkeypatch):
    asked = []
    monkeypatch.setattr(TruthSums, "of_mean", lambda self, topics: asked.append(topics) or (("truth-sum", "x"),))
    results = bp.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "AP")
    assert results.mean() == {"run": {"AP": 1.0}} and results.table() and not asked
    assert results.mean_rows[0].signature.get("duplicates") and not asked
    assert "truth-sum:x|v:" in str(results.mean_rows[0].signature) and len(asked) == 1
    assert str(results.mean_rows[0].signature) and len(asked) == 1


def test_more_fields_come_before_the_sums_whether_or_not_they_are_computed():
    made = bp.Signature("AP", (("rel", "1"), ("v", "1")), lambda: (("truth-sum", "x"),))
    early = made.with_fields(("seed", "0"))
    assert str(made) == "AP|rel:1|truth-sum:x|v:1"
    assert str(early) == str(made.with_fields(("seed", "0"))) == "AP|rel:1|seed:0|truth-sum:x|v:1"
    assert bp.Signature.parse(str(early)) == early
    assert str(bp.Signature.parse(str(made)).with_fields(("seed", "0"))) == str(early)


def test_signatures_travel_without_the_truth():
    results = bp.evaluate({f"q{i}": {f"a{k}": 1 for k in range(50)} for i in range(50)}, {"q1": {"a1": 1.0}}, "AP")
    [mean] = results.mean_rows
    assert len(pickle.dumps(mean)) < 1500 and pickle.loads(pickle.dumps(mean)) == mean


def test_several_processes_sign_alike():
    truth = {f"q{i}": {"a": 1, f"b{i}": 1} for i in range(6)}
    runs = {name: {topic: {"a": 1.0} for topic in truth} for name in ("one", "two")}
    one, two = (bp.evaluate(truth, runs, "AP", jobs=jobs).records() for jobs in (1, 2))
    assert one == two


def test_signatures_state_values_that_nobody_gave():
    truth, run = {"q": {"d#10-50": 1}}, {"q": {"d#0-60": 1.0}}
    stated = {
        "charP": {"empty": "0", "counted": "once"},
        "charR(counted='each')": {"counted": "each"},
        "spanHit@5": {"share": "0.5"},
        "AgP": {"score": "F", "beta": "0.25"},
        "gP@5": {"score": "F", "beta": "0.25"},
        "CostAt": {"share": "0.5", "cost": "steps"},
    }
    for row in bp.evaluate(truth, run, list(stated), collection={"d": 100}).mean_rows:
        assert stated[row.measure].items() <= dict(row.signature.fields).items()
    [of_2006] = bp.evaluate(truth, run, "AgP", collection={"d": 100}, protocol="inex2006").mean_rows
    assert of_2006.signature["beta"] == "1"
