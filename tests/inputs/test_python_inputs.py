"""What bp.evaluate takes for a truth and for runs, besides files: as the libraries have it that people use."""

from __future__ import annotations

import importlib.util
import os
import random
import subprocess
import sys
from collections import namedtuple
from decimal import Decimal

import ir_measures
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from many_cases import each

import berrypick as bp
from berrypick.data.errors import BerrypickError
from berrypick.given.convert import as_run, as_runs, as_truth
from berrypick.inputs.client_readers import Clients
from berrypick.inputs.column_tables import ColumnTable, documents_run, documents_run_by_rows

pandas = pytest.importorskip("pandas", reason="pandas: make test installs it")
polars = pytest.importorskip("polars", reason="polars: make test installs it")
pyarrow = pytest.importorskip("pyarrow", reason="pyarrow: make test installs it")
duckdb = pytest.importorskip("duckdb", reason="duckdb: make test installs it")
narwhals = pytest.importorskip("narwhals.stable.v2", reason="narwhals: make test installs it")

QRELS = {"1": {"a": 1, "b": 0, "c": 2}, "2": {"a": 1}}
SCORES = {"1": {"b": 0.5, "a": 0.5, "c": 0.25}, "2": {"x": 1.0, "a": 0.25}}
MEASURES = "AP nDCG@10 RR EPRUM"
EXPECTED = bp.evaluate(QRELS, SCORES, MEASURES).per_topic()["run"]

TEXT = "Raspberries fruit in July. Cut the old canes in autumn. Pick dry."
DOCUMENTS = {"garden": TEXT, "shed": "Tools are kept dry."}
CUT = TEXT.index("Cut")
SPANS = {"1": {f"garden#{CUT}-{CUT + 28}": 1}}


def long(nested: dict) -> list[tuple]:
    return [(topic, doc, number) for topic, found in nested.items() for doc, number in found.items()]


def columns(nested: dict, *names: str) -> dict[str, list]:
    return dict(zip(names, map(list, zip(*long(nested), strict=True)), strict=True))


def numbers(truth, run, **options) -> dict:
    (found,) = bp.evaluate(truth, run, MEASURES, **options).per_topic().values()
    return found


def spans(run: bp.Run) -> list[tuple]:
    return [
        (topic, ranking.documents[int(ranking.document[row])], int(ranking.start[row]), int(ranking.end[row]))
        for topic, ranking in run.rankings()
        for row in range(len(ranking))
    ]


def whole(run: bp.Run) -> dict[str, list[str]]:
    assert run.start is None
    return {topic: [ranking.documents[code] for code in ranking.document] for topic, ranking in run.rankings()}


def duckdb_relation(held: dict):
    table = pyarrow.table(held)
    return duckdb.connect().from_arrow(table)


LIBRARIES = {
    "pandas": pandas.DataFrame,
    "polars": polars.DataFrame,
    "lazy polars": lambda held: polars.DataFrame(held).lazy(),
    "Arrow": pyarrow.table,
    "batch of Arrow": pyarrow.record_batch,
    "DuckDB": duckdb_relation,
}
VOCABULARIES = {
    "ours": (("topic", "doc", "grade"), ("topic", "doc", "score")),
    "ir_measures": (("query_id", "doc_id", "relevance"), ("query_id", "doc_id", "score")),
    "PyTerrier": (("qid", "docno", "label"), ("qid", "docno", "score")),
    "BEIR": (("query-id", "corpus-id", "score"), ("query-id", "corpus-id", "score")),
    "ranx": (("q_id", "doc_id", "score"), ("q_id", "doc_id", "score")),
}

# --- data frames ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("vocabulary", VOCABULARIES)
@pytest.mark.parametrize("library", LIBRARIES)
def test_frames_give_the_numbers_of_dictionaries(library, vocabulary):
    of_truth, of_run = VOCABULARIES[vocabulary]
    make = LIBRARIES[library]
    assert numbers(make(columns(QRELS, *of_truth)), make(columns(SCORES, *of_run))) == EXPECTED


def test_readers_of_batches():
    """What ``arrow()`` of DuckDB returns: it can be read once."""
    truth, run = columns(QRELS, "qid", "docno", "label"), columns(SCORES, "qid", "docno", "score")
    assert numbers(pyarrow.table(truth).to_reader(), pyarrow.table(run).to_reader()) == EXPECTED


@pytest.mark.parametrize("column", [pandas.Series, polars.Series])
def test_a_single_column_is_no_frame(column, tmp_path):
    """A column of file names is a list, though Arrow can read it."""
    for name in ("one", "two"):
        (tmp_path / name).write_text(f"1 Q0 a 1 1.0 {name}\n")
    runs = column([str(tmp_path / "one"), str(tmp_path / "two")])
    assert bp.evaluate({"1": {"a": 1}}, runs, "AP").mean() == {"one": {"AP": 1.0}, "two": {"AP": 1.0}}


def test_frames_of_narwhals():
    truth, run = columns(QRELS, "qid", "docno", "label"), columns(SCORES, "qid", "docno", "score")
    for lazy in (False, True):
        frames = [narwhals.from_native(polars.DataFrame(held)) for held in (truth, run)]
        assert numbers(*(frame.lazy() if lazy else frame for frame in frames)) == EXPECTED


@pytest.mark.slow
@pytest.mark.parametrize("library", LIBRARIES)
def test_spans_in_frames(library):
    make = LIBRARIES[library]
    truth = make({"topic": [1], "doc": ["garden"], "start": [CUT], "end": [CUT + 28], "grade": [1]})
    for names in (("start", "end"), ("start_index", "end_index"), ("start_char_idx", "end_char_idx")):
        run = make({"qid": [1, 1], "docno": ["garden"] * 2, names[0]: [0, CUT], names[1]: [26, CUT + 14]})
        assert bp.score("charR@2", truth, run) == 0.5


def test_a_frame_of_pyterrier_with_all_its_columns():
    """docid is a number inside the index, query the text of the query: neither names anything here."""
    frame = pandas.DataFrame(
        {
            **columns(SCORES, "qid", "docno", "score"),
            "docid": range(5),
            "rank": [0, 1, 2, 0, 1],
            "query": ["x", "x", "x", "y", "y"],
            "text": ["t"] * 5,
        }
    )
    assert numbers(QRELS, frame) == EXPECTED
    qrels = pandas.DataFrame({**columns(QRELS, "qid", "docno", "label"), "iteration": "0"})
    assert numbers(qrels, frame) == EXPECTED


def test_frames_order_whole_documents_as_a_trec_run(tmp_path):
    rng = random.Random(3)
    rows = [(str(t), f"d{d}", rng.choice([0.5, 1.0, 2.0])) for t in range(3) for d in rng.sample(range(30), 12)]
    path = tmp_path / "r.run"
    path.write_text("".join(f"{t} Q0 {d} 0 {s} x\n" for t, d, s in rows))
    frame = pandas.DataFrame(rows, columns=["qid", "docno", "score"])
    assert whole(as_run(frame)) == whole(bp.read_run(path))


def test_ranks_order_whole_documents_of_a_frame():
    """As in CSV: ranks that break ties are kept, where a TREC run would go by name."""
    frame = pandas.DataFrame({"qid": ["1"] * 3, "docno": ["a", "b", "c"], "score": [1.0, 1.0, 2.0]})
    ranked = as_run(frame.assign(rank=frame["score"].rank(ascending=False, method="first")))
    assert whole(ranked)["1"] == ["c", "a", "b"] and not ranked.notes
    assert whole(as_run(frame))["1"] == ["c", "b", "a"]


def test_ranks_against_scores_are_counted():
    frame = pandas.DataFrame({**columns(SCORES, "qid", "docno", "score"), "rank": [1, 2, 3, 2, 1]})
    run = as_run(frame)
    assert whole(run)["2"] == ["a", "x"]
    assert run.notes == ("1 topic whose ranks and scores give different orders; the ranks count",)
    assert whole(as_run(frame.drop(columns="score")))["2"] == ["a", "x"]


def test_spans_go_by_rank_then_score_then_rows():
    held = {"topic": ["1"] * 3, "doc": ["d"] * 3, "start": [0, 5, 9], "end": [5, 9, 12]}
    firsts = {
        (): [0, 5, 9],
        ("score",): [9, 0, 5],
        ("rank",): [5, 9, 0],
        ("rank", "score"): [5, 9, 0],
    }
    more = {"score": [1.0, 1.0, 2.0], "rank": [3, 1, 2]}
    for names, expected in firsts.items():
        run = as_run(pandas.DataFrame({**held, **{name: more[name] for name in names}}))
        assert [start for _, _, start, _ in spans(run)] == expected


def test_ends_follow_from_lengths_or_texts():
    frame = pandas.DataFrame({"query_id": ["1"], "doc_id": ["garden"], "span_start": [CUT], "span_len": [28]})
    assert spans(as_run(frame)) == [("1", "garden", CUT, CUT + 28)]
    assert as_truth(frame.assign(relevance=1)).topics["1"].end.tolist() == [CUT + 28]
    frame = pandas.DataFrame({"topic": ["1"], "source": "garden", "start_index": CUT, "page_content": "Cut the old"})
    assert spans(as_run(frame)) == [("1", "garden", CUT, CUT + 11)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("held", "parts"),
    [
        ({"doc": ["a"]}, ["no column for the topic", "expected one of topic, topic_id, query_id, qid", "it has doc"]),
        ({"qid": [1], "x": [2]}, ["no column for the document", "doc, doc_id, docno", "it has qid, x"]),
        ({"qid": [1], "query_id": [1], "doc": ["a"]}, ["2 columns for the topic: qid, query_id", "columns={'topic'"]),
        ({"qid": [1], "docno": ["a"], "doc_id": ["b"]}, ["2 columns for the doc: docno, doc_id"]),
        ({"qid": [1], "source": ["a"], "docid": ["b"]}, ["2 columns for the doc: source, docid"]),
    ],
)
@pytest.mark.parametrize("library", ["pandas", "DuckDB"])
def test_columns_that_are_missing_or_there_twice(library, held, parts):
    for truth, run in ((QRELS, LIBRARIES[library](held)), (LIBRARIES[library](held), SCORES)):
        with pytest.raises(bp.InputError) as error:
            bp.evaluate(truth, run, "AP")
        for part in parts:
            assert part in str(error.value)


def test_truth_and_run_in_each_others_place():
    truth = pandas.DataFrame(columns(QRELS, "qid", "docno", "label"))
    run = pandas.DataFrame({**columns(SCORES, "qid", "docno", "score"), "rank": 1})
    for other in (truth, [ir_measures.Qrel("1", "a", 1)]):
        with pytest.raises(bp.InputError, match=r"looks like a truth: it has (label|relevance), and neither rank nor"):
            bp.evaluate(QRELS, other, "AP")
    with pytest.raises(bp.InputError, match="looks like a run: it has rank, and no grade, relevance"):
        bp.evaluate(run, run, "AP")
    assert bp.truth_from_frame(run, columns={"grade": "score"}).grades() == {0.25, 0.5, 1.0}


def test_frames_that_cannot_be_read():
    relation = duckdb.connect().sql("select 'x'::int as topic, 'a' as doc from range(1)")
    broken = polars.LazyFrame({"topic": ["x"], "doc": ["a"]}).with_columns(polars.col("topic").cast(polars.Int64))
    twice = pandas.DataFrame([["1", "a", "b"]], columns=["topic", "doc", "doc"])
    for frame in (relation, broken, twice):
        with pytest.raises(bp.InputError, match=r"the data frame cannot be read|2 columns for the doc"):
            bp.evaluate(QRELS, frame, "AP")


def test_without_narwhals_the_remedy_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "narwhals.stable.v2", None)
    with pytest.raises(bp.UsageError, match=r"pip install 'berrypick\[frames\]'"):
        bp.evaluate(QRELS, pandas.DataFrame(columns(SCORES, "qid", "docno", "score")), "AP")


# --- values -----------------------------------------------------------------------------------------------------------


def test_ids_are_texts():
    """Numbers become texts; a join of pandas makes 1.0 of 1, which is counted and said."""
    truth = pandas.DataFrame({"qid": [1, 2], "docno": [10, 20], "label": [1, 1]})
    run = pandas.DataFrame({"qid": np.array([1, 2], dtype=np.int32), "docno": [10.0, 20.0], "score": [1.0, 1.0]})
    found = bp.evaluate(truth, run, "AP")
    assert found.mean() == {"run": {"AP": 1.0}}
    text = "doc: 2 numbers with a decimal point read as whole (10.0 as 10)"
    assert [(note.text, note.run) for note in found.notes] == [(text, "run")]
    found = bp.evaluate(truth.astype({"docno": float}), {1.0: {10: 1.0}, 2.0: {20: 1.0}}, "AP")
    assert found.mean() == {"run": {"AP": 1.0}}
    assert sorted(note.run or "the truth" for note in found.notes) == ["run", "the truth"]
    with pytest.raises(bp.InputError, match="results:1: topic is missing"):
        as_run({None: [{"doc": "a"}]})
    with pytest.raises(bp.InputError, match="data frame:1: topic is missing"):
        as_run(pandas.DataFrame({"qid": [None], "docno": ["a"], "score": [1.0]}))
    with pytest.raises(bp.InputError, match="data frame:1: doc must be a non-empty string"):
        as_run(run.assign(docno=1.5))


@pytest.mark.slow
@pytest.mark.parametrize("library", ["pandas", "polars", "Arrow", "DuckDB"])
@pytest.mark.parametrize(
    ("name", "problem"),
    [("qid", "data frame:2: topic is missing"), ("docno", "data frame:2: doc is missing"),
     ("score", "data frame:2: only some lines have a score")],
)  # fmt: skip
def test_missing_values_of_a_run(library, name, problem):
    held = columns(SCORES, "qid", "docno", "score")
    held[name] = [held[name][0], None, *held[name][2:]]
    with pytest.raises(bp.InputError, match=problem):
        bp.evaluate(QRELS, LIBRARIES[library](held), "AP")


def test_a_missing_grade_is_no_grade():
    frame = pandas.DataFrame({"qid": ["1", "1"], "docno": ["a", "b"], "label": [1.0, float("nan")]})
    with pytest.raises(bp.InputError, match="data frame:2: grade is missing"):
        bp.evaluate(frame, SCORES, "AP")
    assert as_truth(frame.drop(columns="label")).topics["1"].grade.tolist() == [1, 1]


def test_scores_that_are_all_missing():
    frame = pandas.DataFrame({**columns(SCORES, "qid", "docno", "score"), "score": float("nan")})
    with pytest.raises(bp.InputError, match="no row has a score"):
        as_run(frame)
    assert whole(as_run(frame.assign(rank=[3, 2, 1, 1, 2])))["1"] == ["c", "a", "b"]


@pytest.mark.parametrize("value", [float("inf"), -float("inf"), "high", 2.0**60, True])
def test_scores_that_are_no_numbers(value):
    frame = polars.DataFrame({"qid": ["1"], "docno": ["a"], "score": [value]})
    if value is True:
        assert as_run(frame).score.tolist() == [1.0]
    else:
        with pytest.raises(bp.InputError, match="data frame:1: score must be a number"):
            as_run(frame)


def test_grades_of_sql_and_of_yes_and_no():
    relation = duckdb.connect().sql("select 'a' as docno, 1 as qid, 2.0 as label union all select 'b', 1, 0")
    assert isinstance(relation.fetchall()[0][2], Decimal)
    assert sorted(as_truth(relation).topics["1"].grade.tolist()) == [0, 2]
    assert as_truth(pandas.DataFrame({"qid": [1, 1], "docno": ["a", "b"], "label": [True, False]})).grades() == {0, 1}


@pytest.mark.parametrize("library", ["pandas", "polars", "Arrow"])
def test_empty_frames(library):
    empty = {"qid": [], "docno": [], "score": []}
    with pytest.raises(bp.UsageError, match="data frame: no topic has any result"):
        bp.evaluate(QRELS, LIBRARIES[library](empty), "AP")
    with pytest.raises(bp.UsageError, match="data frame: the truth judges nothing"):
        bp.evaluate(LIBRARIES[library](empty), SCORES, "AP")
    with pytest.raises(bp.InputError, match="it has no columns"):
        bp.evaluate(QRELS, LIBRARIES[library]({}), "AP")


def test_documents_twice_are_refused_as_in_a_trec_run():
    frame = pandas.DataFrame({"qid": ["1"] * 3, "docno": ["a", "b", "a"], "score": [3, 2, 1]})
    with pytest.raises(bp.InputError, match="the run:3: a is retrieved twice for topic 1, first in line 1"):
        bp.evaluate(QRELS, frame, "EPRUM")
    assert bp.score("RR", QRELS, frame, duplicates="first", topics="run") == 1
    with pytest.raises(bp.InputError, match="retrieved twice"):
        bp.evaluate(QRELS, frame.drop(columns="score"), "EPRUM")


NAMED = st.sampled_from(["a", "b", "c\u2028d", "e f", "\u00e9", "", "\ud800", None, 3, 1.0, 1.5, ["x"]])
ROWS = st.lists(
    st.tuples(NAMED, NAMED, st.sampled_from([1.0, 2, 0.5, None, float("nan"), float("inf"), "x", 2.0**54, True])),
    min_size=1,
    max_size=8,
)


@given(ROWS, st.booleans())
def test_columns_at_once_are_rows_one_by_one(rows, sound):
    if sound:  # all of it can be read at once
        good = {"a", "b", 3, 1.0, 2, 0.5}
        rows = [
            (*("t" if isinstance(cell, list) or cell not in good else cell for cell in row[:2]), row[2]) for row in rows
        ]
        rows = [(t, d, s if s in good else 3) for t, d, s in rows]
    table = ColumnTable.of_rows([{"topic": t, "doc": d, "score": s} for t, d, s in rows], "rows").plain()
    assume(any(score is not None for score in table.columns["score"]))  # else there is no such column

    def read(how):
        try:
            run = how(table)
        except BerrypickError as error:
            return type(error)
        return run and (run.topics, run.bounds.tolist(), [run.documents[c] for c in run.document], run.score.tolist(),
                        run.line.tolist(), run.ordering.ties, run.rank.tolist())  # fmt: skip

    quick, slow = read(documents_run), read(documents_run_by_rows)
    assert quick == slow if sound else quick in (None, slow)


# --- records ----------------------------------------------------------------------------------------------------------


def test_named_tuples_of_ir_measures():
    truth = [ir_measures.Qrel(*row) for row in long(QRELS)]
    run = [ir_measures.ScoredDoc(*row) for row in long(SCORES)]
    assert numbers(truth, run) == EXPECTED
    assert numbers(iter(truth), (one for one in run)) == EXPECTED
    theirs = ir_measures.calc_aggregate([ir_measures.nDCG @ 10], truth, run)
    assert bp.score("nDCG@10", truth, run) == pytest.approx(theirs[ir_measures.nDCG @ 10])
    assert bp.evaluate(truth, {"mine": run, "yours": run}, "AP").runs == ("mine", "yours")


@pytest.mark.slow
def test_named_tuples_of_ir_datasets():
    formats = pytest.importorskip("ir_datasets.formats", reason="ir_datasets: pip install 'berrypick[rag]'")
    run = [formats.GenericScoredDoc(*row) for row in long(SCORES)]
    for truth in (
        [formats.TrecQrel(*row, "0") for row in long(QRELS)],
        [formats.GenericQrel(*row) for row in long(QRELS)],
    ):
        assert numbers(truth, run) == EXPECTED
    highwire = namedtuple("HighwireQrel", "query_id doc_id start length relevance")
    found = {"1": [{"doc": "garden", "start": CUT, "end": CUT + 7}]}
    assert bp.score("charR@1", [highwire("1", "garden", CUT, 28, 2)], found) == 0.25


def test_dictionaries_as_records():
    truth = [{"topic": t, "doc": d, "grade": g} for t, d, g in long(QRELS)]
    run = [{"query_id": t, "doc_id": d, "score": s} for t, d, s in long(SCORES)]
    assert numbers(truth, run) == EXPECTED
    two = [{**row, "run": name} for name in ("x", "y") for row in run]
    assert bp.evaluate(truth, two, "AP").runs == ("x", "y")


@pytest.mark.parametrize(
    ("run", "problem"),
    [
        ([ir_measures.ScoredDoc("1", "a", 1.0), "b.run"], "ScoredDoc:2: str is not a record with a topic"),
        ([namedtuple("Hit", "query_id score")("1", 2.0)], "Hit has no column for the document"),
        (ir_measures.ScoredDoc("1", "a", 1.0), "a run is a file, .* not ScoredDoc"),
        ([("1", "a", 1.0)], "is not a run; records are named tuples or dictionaries"),
        (b"bytes", "a run is a file, .* not bytes"),
        (np.array([1.0]), "a run is a file, .* not float64"),
    ],
)
def test_records_that_are_none(run, problem):
    with pytest.raises(BerrypickError, match=problem):
        bp.evaluate(QRELS, run, "AP")


# --- ranx -------------------------------------------------------------------------------------------------------------


RANX = """
import ranx, berrypick as bp
truth, run = ranx.Qrels({qrels}), ranx.Run({scores}, name="bm25")
print(bp.evaluate(truth, run, {measures!r}).per_topic()["bm25"] == {expected})
print(*bp.evaluate(truth, [run, ranx.Run({scores})], "AP").runs)
print(*bp.evaluate(truth, {{"a": run, "b": {scores}}}, "AP").runs)
for given in ((run, run), (truth, truth)):
    try:
        bp.evaluate(*given, "AP")
    except bp.UsageError as error:
        print(error)
"""


@pytest.mark.slow
def test_objects_of_ranx():
    """In a process of its own: compiling takes ranx half a minute, and is switched off before it is loaded."""
    if importlib.util.find_spec("ranx") is None:
        pytest.skip("ranx: pip install 'berrypick[rag]'")
    script = RANX.format(qrels=QRELS, scores=SCORES, measures=MEASURES, expected=EXPECTED)
    command, environment = [sys.executable, "-W", "ignore", "-c", script], {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=300)
    assert done.stdout.splitlines() == [
        "True",
        "bm25 run",
        "a b",
        "a truth is made of ranx.Qrels, not of ranx.Run",
        "a run is made of ranx.Run, not of ranx.Qrels",
    ], done.stderr


# --- several systems --------------------------------------------------------------------------------------------------


def test_several_runs_by_name(tmp_path):
    path = tmp_path / "r.run"
    path.write_text("".join(f"{t} Q0 {d} 0 {s} tag\n" for t, d, s in long(SCORES)))
    frame = pandas.DataFrame(columns(SCORES, "qid", "docno", "score"))
    runs = {
        "file": str(path),
        "path": path,
        "value": bp.read_run(path),
        "frame": frame,
        "lazy": polars.from_pandas(frame).lazy(),
        "nested": SCORES,
        "records": [ir_measures.ScoredDoc(*row) for row in long(SCORES)],
        "iterator": iter([ir_measures.ScoredDoc(*row) for row in long(SCORES)]),
        "lists": {"1": [{"doc": "b"}, {"doc": "a"}, {"doc": "c"}], "2": [{"doc": "x"}, {"doc": "a"}]},
        7: SCORES,
    }
    found = bp.evaluate(QRELS, runs, MEASURES)
    assert found.runs == tuple(map(str, runs))
    assert all(numbers == EXPECTED for numbers in found.per_topic().values())
    assert bp.evaluate(QRELS, [{"one": SCORES}, {"one": SCORES}, SCORES], "AP").runs == ("one", "one-2", "run")


@pytest.mark.slow
@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("column", ["run", "run_id", "tag", "system"])
def test_several_runs_in_one_frame(library, column):
    other = {"1": {"c": 2.0}, "2": {"a": 1.0}}
    rows = [(name, *row) for name, held in (("b", SCORES), ("a", other)) for row in long(held)]
    rows = rows[:2] + rows[-1:] + rows[2:-1]  # not run by run
    held = dict(zip((column, "topic", "doc", "score"), map(list, zip(*rows, strict=True)), strict=True))
    found = bp.evaluate(QRELS, LIBRARIES[library](held), MEASURES)
    assert set(found.runs) == {"a", "b"}
    assert found.per_topic()["b"] == EXPECTED
    assert found.per_topic()["a"] == bp.evaluate(QRELS, other, MEASURES).per_topic()["run"]


def test_runs_in_one_frame_need_not_have_the_same_columns():
    frame = polars.concat(
        [
            polars.DataFrame({"run": "scores", **columns(SCORES, "topic", "doc", "score")}),
            polars.DataFrame({"run": "ranks", "topic": ["1", "1"], "doc": ["a", "c"], "rank": [2, 1]}),
        ],
        how="diagonal",
    )
    scores, ranks = as_runs(frame)
    assert whole(scores) == whole(as_run(SCORES)) and whole(ranks) == {"1": ["c", "a"]}
    with pytest.raises(bp.UsageError, match="holds 2 runs, scores, ranks"):
        bp.run_from_frame(frame)
    assert bp.run_from_frame(frame.filter(polars.col("run") == "ranks")).tag == "ranks"
    with pytest.raises(bp.InputError, match="data frame:6: run is missing"):
        as_runs(frame.with_columns(polars.when(polars.col("rank") == 2).then(None).otherwise("run").alias("run")))
    with pytest.raises(bp.UsageError, match="one names 2 runs"):
        bp.evaluate(QRELS, {"one": frame}, "AP")


def test_float_ids_are_counted_for_each_run():
    frame = pandas.DataFrame({"run": ["x", "x", "y"], "qid": "1", "docno": [1.0, 2.0, 1.0], "score": [2, 1, 1]})
    assert [run.notes[0].partition(" number")[0] for run in as_runs(frame)] == ["doc: 2", "doc: 1"]


def test_by_topic_or_by_name():
    """Told apart by what the values are, not by what the keys are called."""
    lists = {"1": [{"doc": "b"}, {"doc": "a"}], "2": []}
    assert len(as_runs(lists)) == 1 and as_runs({"1": lists})[0].tag == "1"
    assert as_runs({"1": SCORES, "2": SCORES})[1].tag == "2"
    repeated = {"1": [{"topic": "1", "doc": "a"}], "2": [{"topic": 2, "doc": "b"}]}
    assert whole(as_run(repeated)) == {"1": ["a"], "2": ["b"]}
    by_name = {"x": [{"topic": "1", "doc": "a"}], "y": [{"topic": 2, "doc": "b"}]}
    assert [run.tag for run in as_runs(by_name)] == ["x", "y"]
    assert as_run({"1": {"a": 1.0}, "2": {}}).notes == ("1 topic has no results",)
    for mixed in ({"x": SCORES, "1": {"a": 1.0}}, {"x": "a.run", "1": [{"doc": "a"}]}):
        with pytest.raises(bp.UsageError, match=r"by topic or by name, not both: 'x' holds a run, '1' holds the resu"):
            as_runs(mixed)
    with pytest.raises(bp.UsageError, match=r"results \(empty\): no topic has any result"):
        as_runs({"empty": {}, "other": SCORES})


def test_a_pattern_names_several_files(tmp_path):
    for name in ("b", "a"):
        (tmp_path / f"{name}.run").write_text("1 Q0 a 1 1 x\n")
    assert bp.evaluate(QRELS, str(tmp_path / "*.run"), "AP").runs == ("a", "b")
    assert bp.evaluate(QRELS, tmp_path / "[ab].run", "AP").runs == ("a", "b")
    (tmp_path / "[ab].run").write_text("1 Q0 a 1 1 odd\n")
    assert bp.evaluate(QRELS, tmp_path / "[ab].run", "AP").runs == ("odd",)
    with pytest.raises(bp.UsageError, match=r"no file matches .*\*\.txt"):
        bp.evaluate(QRELS, str(tmp_path / "*.txt"), "AP")


# --- documents= reaches everything without offsets --------------------------------------------------------------------


def test_where_whole_documents_are_judged_texts_need_no_place():
    truth = {"1": {"garden": 1}}
    for run in (
        {
            "1": [
                {"doc": "shed", "text": "of no"},
                {"doc": "garden", "text": "document"},
                {"doc": "garden", "text": "x"},
            ]
        },
        pandas.DataFrame({"qid": "1", "docno": ["garden", "shed"], "score": [1, 2], "text": ["no", "place"]}),
    ):
        found = bp.evaluate(truth, run, "RR EPRUM")
        assert found.mean()["run"] == {"RR": 0.5, "EPRUM": 0.5}


# --- the other functions ----------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_every_function_takes_them(tmp_path):
    truth = pandas.DataFrame(columns(QRELS, "qid", "docno", "label"))
    runs = {"x": polars.DataFrame(columns(SCORES, "qid", "docno", "score")), "y": {"1": {"c": 1.0}}}
    assert bp.compare(truth, runs, "AP", resamples=100).runs == ("x", "y")
    assert "AP" in str(bp.explain(truth, runs["x"], "AP", "1"))
    assert bp.judge(truth, {"x": runs["x"]}, "1").topic == "1"
    bp.write_report(truth, runs, "AP", html=tmp_path / "report.html", resamples=100)
    assert (tmp_path / "report.html").stat().st_size
    quotes = pandas.DataFrame({"qid": ["1"], "quote": ["Cut the old canes"]})
    found = bp.sweep(DOCUMENTS, quotes, measures="charR@2", queries={"1": "canes"}, grid={"size": [30]})
    assert len(found.settings) == 1


@pytest.mark.slow
def test_progress_is_a_switch_or_a_function(tmp_path):
    for call in (
        lambda: bp.evaluate(QRELS, SCORES, "AP", progress="bar"),
        lambda: bp.compare(QRELS, SCORES, "AP", progress=1),
        lambda: bp.write_report(QRELS, SCORES, "AP", html=tmp_path / "x.html", progress="yes"),
        lambda: bp.sweep(DOCUMENTS, SPANS, measures="charR", queries={"1": "x"}, progress=2),
    ):
        with pytest.raises(bp.UsageError, match="progress is True for a bar, or a function"):
            call()
    assert not (tmp_path / "x.html").exists()


@pytest.mark.parametrize(
    "truth",
    [
        {"1": [("d", 0, 100), ["d", 300, 400]]},
        {"1": [("d", 0, 100, 2), ("d", 300, 400, 1)]},
        {"1": {"d": [(0, 100), [300, 400]]}},
        {"1": [{"doc": "d", "start": 0, "end": 100}, {"doc": "d", "start": 300, "end": 400}]},
    ],
)
def test_spans_as_tuples(truth):
    runs = ({"1": [("e", 0, 50), ("d", 50, 150)]}, {"1": [["e", 0, 50, 0.9], ["d", 50, 150, 0.8]]})
    for run in runs:
        assert bp.score("charP", truth, run) == pytest.approx(50 / 150)
        assert bp.score("charR@2", truth, run) == pytest.approx(50 / 200)


@pytest.mark.parametrize(
    ("truth", "message"),
    [
        ({"1": {"d": (0, 100)}}, r"topic 1: 0, given as a span of d, is not a pair"),
        ({"1": {"d": [(0, 1, 2)]}}, r"is not a pair of start and end"),
        ({"1": [("d", 0, "x")]}, r"end must be a number"),
        ({"1": [("d", 9, 5)]}, r"end 5 is before start 9"),
        ({"1": {"d": [(0, 5)], "e": 1}}, r"grade is missing"),
    ],
)
def test_tuples_that_are_no_spans(truth, message):
    with pytest.raises(BerrypickError, match=message):
        bp.score("charP", truth, {"1": [("d", 0, 5)]})


def test_a_run_has_no_spans_by_document():
    with pytest.raises(BerrypickError, match=r"expected .* tuples \(doc, start, end\)"):
        bp.score("charP", {"1": [("d", 0, 5)]}, {"1": {"d": [(0, 5)]}})


def test_readers_of_clients_are_asked_only_about_what_may_be_a_response():
    clients = Clients()
    for plain in (1, "d", {}, {"d": 1}, {"q": {"d": 1, "e": 0.5}}):
        assert not clients.knows(plain) and clients.inside(plain) is None
    assert "_readers" not in vars(clients)
    deep = {"d": 1}
    for _ in range(5000):
        deep = {"q": deep}
    for odd in (deep, {"hits": {"total": 1, "hits": []}}, {"q": {"d": True}}):
        clients = Clients()
        clients.knows(odd)
        assert "_readers" in vars(clients)


#: Names that no topic has, with or without results, and what is said of them.
NO_NAMES = [
    ("", "topic must be a non-empty string"), (None, "topic is missing"), (2.5, "topic must be a non-empty string"),
    (("q",), "topic must be a non-empty string"), (True, "topic must be a non-empty string"),
    ("a\0", "topic contains NUL"), ("\ud800", "topic contains a lone surrogate"),
]  # fmt: skip


@each(["name", "said"], NO_NAMES)
def test_topics_without_results_have_names_as_others_do(name, said):
    for results in ({name: {}}, {name: [], "q": [("a", 0, 9)]}, {"q": {"a": 1.0}, name: {}}, {name: {"a": 1.0}}):
        for call in (lambda run: bp.evaluate({"q": {"a": 1}}, run, "AP"), bp.Run.from_dict):
            with pytest.raises(bp.InputError, match=said):
                call(results)
    for records in ([{"topic": name, "results": []}], [{"topic": name, "results": []}, {"topic": "q", "doc": "a"}]):
        with pytest.raises(bp.InputError, match=f"records: {said}"):
            bp.Run.from_records(records)


def test_topics_without_results_may_be_whole_numbers():
    assert bp.Run.from_dict({1: {}, 2.0: {}, "q": {"a": 1.0}}).topics == ("q", "1", "2")
    assert bp.Run.from_records([{"topic": 1, "results": []}, {"topic": "q", "doc": "a"}]).topics == ("q", "1")
