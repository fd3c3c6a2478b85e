"""Runs from tables, data frames, and lists by topic."""

from __future__ import annotations

from typing import Any

import pytest

import berrypick as bp

TEXT = "Raspberries fruit in July. Cut the old canes in autumn. Pick dry. Pick dry."
DOCUMENTS = {"garden": TEXT}
CUT, PICK = TEXT.index("Cut"), TEXT.index("Pick")
ROWS = [("1", "garden", 0, 26, 3.0), ("1", "garden", CUT, CUT + 28, 2.0), ("2", "garden", PICK, PICK + 9, 1.5)]
COLUMNS = {
    "topic": [row[0] for row in ROWS],
    "doc": [row[1] for row in ROWS],
    "start": [row[2] for row in ROWS],
    "end": [row[3] for row in ROWS],
    "score": [row[4] for row in ROWS],
}


def content(run: bp.Run) -> list[tuple]:
    return [
        (topic, ranking.documents[int(ranking.document[row])], int(ranking.start[row]), int(ranking.end[row]))
        for topic, ranking in run.rankings()
        for row in range(len(ranking))
    ]


EXPECTED = [row[:4] for row in ROWS]

# --- tables ---------------------------------------------------------------------------------------------------------


def test_csv_with_tabs_quotes_and_lines_in_cells(files):
    path = files(truth_csv='topic\tdoc\tquote\n1\tgarden\t"Cut the\r\n""old"" canes"\n2\tgarden\tPick\n')["truth_csv"]
    truth = bp.read_truth(path)
    assert truth.topics["1"].quotes[0].text == 'Cut the\r\n"old" canes'
    assert truth.topics["2"].quotes[0].line == 4  # as an editor counts


def test_columns_in_any_order_others_passed_over(files):
    path = files(run_csv="end,extra,doc,topic,start,rank\n26,x,garden,1,0,2\n30,y,garden,1,27,1\n")["run_csv"]
    assert content(bp.read_run(path)) == [("1", "garden", 27, 30), ("1", "garden", 0, 26)]


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        ("topic,start,end,score\n1,0,1,2\n", "no column doc"),
        ("topic,doc,start,end,score\n1,a,0,1\n", "has 4 cells, the header has 5"),
        ("topic,doc,start,end,score\n1,a,x,1,2\n", "start must be a number"),
        ("topic,doc,start,end,score\n,a,0,1,2\n", "topic is missing"),
        ("topic,doc,start,end,score\n1,a,5,1,2\n", "end 1 is before start 5"),
        ("topic,doc,doc,start,end\n1,a,a,5,7\n", "two columns doc"),
        ("topic,doc,start,end,score\n1,a,0,1,\n1,a,1,2,3\n", "some lines have a score"),
        ('topic,doc,start,end\n1,"a,0,1\n', "not a row of a table"),
    ],
)
def test_bad_tables_are_told(files, table, problem):
    path = files(run_csv=table)["run_csv"]
    with pytest.raises(bp.InputError, match=problem):
        bp.read_run(path, "span-table-run")


def test_parquet_goes_there_and_back(tmp_path, files):
    run = bp.read_run(files(run_csv="topic,doc,start,end,score\n1,garden,0,26,3\n1,garden,27,55,2.5\n")["run_csv"])
    bp.write(run, tmp_path / "run.parquet")
    again = bp.read_run(tmp_path / "run.parquet")
    assert content(again) == content(run) and again.score.tolist() == [3, 2.5]
    truth = bp.read_truth(files(truth_csv="topic,doc,start,end,grade\n1,garden,0,26,0.5\n")["truth_csv"])
    bp.write(truth, tmp_path / "truth.parquet")
    assert bp.read_truth(tmp_path / "truth.parquet").topics["1"].grade.tolist() == [0.5]
    with pytest.raises(bp.UsageError, match="Parquet"):
        bp.write(truth, tmp_path / "x.parquet", "span-truth")
    assert not (tmp_path / "x.parquet").exists()


def test_a_damaged_parquet_file_is_told(tmp_path):
    (tmp_path / "run.parquet").write_bytes(b"PAR1 and nothing more")
    with pytest.raises(bp.InputError, match="not a valid Parquet"):
        bp.read_run(tmp_path / "run.parquet")


# --- data frames ----------------------------------------------------------------------------------------------------


def frames() -> list[Any]:
    found = []
    for name in ("pandas", "polars", "pyarrow"):
        module = pytest.importorskip(name, reason=f"{name}: make test GROUPS=rag installs it")
        found.append(module.table(COLUMNS) if name == "pyarrow" else module.DataFrame(COLUMNS))
    found.append(found[1].lazy())
    return found


def test_any_data_frame_by_column_names():
    for frame in frames():
        run = bp.run_from_frame(frame, tag="mine")
        assert content(run) == EXPECTED and run.tag == "mine" and run.ordering.duplicates == "keep"
        assert run.score.tolist() == [3.0, 2.0, 1.5]


def test_other_names_of_columns():
    pandas = pytest.importorskip("pandas", reason="pandas: make test installs it")
    frame = pandas.DataFrame({"query_id": [1, 1], "source": ["garden"] * 2, "start": [0, 27], "end": [26, 55]})
    run = bp.run_from_frame(frame, columns={"topic": "query_id", "doc": "source"})
    assert content(run) == [("1", "garden", 0, 26), ("1", "garden", 27, 55)]
    assert content(bp.run_from_frame(frame)) == content(run)
    with pytest.raises(bp.InputError, match=r"no column for the topic\n.*it has who, source"):
        bp.run_from_frame(frame.rename(columns={"query_id": "who"}))
    with pytest.raises(bp.InputError, match="no column querry_id; did you mean query_id"):
        bp.run_from_frame(frame, columns={"topic": "querry_id", "doc": "source"})
    with pytest.raises(bp.UsageError, match="did you mean topic"):
        bp.run_from_frame(frame, columns={"topics": "query_id"})
    with pytest.raises(bp.UsageError, match="not a data frame"):
        bp.run_from_frame([1, 2])


def test_missing_values_in_frames_are_told():
    pandas = pytest.importorskip("pandas", reason="pandas: make test installs it")
    frame = pandas.DataFrame({**COLUMNS, "topic": ["1", None, "2"]})
    with pytest.raises(bp.InputError, match="data frame:2: topic is missing"):
        bp.run_from_frame(frame)
    frame = pandas.DataFrame({**COLUMNS, "score": [1.0, float("nan"), 2.0]})
    with pytest.raises(bp.InputError, match="some lines have a score"):
        bp.run_from_frame(frame)
    frame = pandas.DataFrame({**COLUMNS, "start": pandas.array([0, CUT, PICK], dtype="Int64")})
    assert content(bp.run_from_frame(frame)) == EXPECTED


# --- lists by topic -------------------------------------------------------------------------------------------------


def test_dictionaries_in_lists():
    first, second, third = ({"doc": "garden", "start": a, "end": b} for _, _, a, b, _ in ROWS)
    run = bp.run_from_objects({"1": [first, second], "2": [third]}, tag="mine")
    assert content(run) == EXPECTED and run.tag == "mine" and run.score is None


def test_dictionaries_of_spans_to_scores():
    run = bp.run_from_objects(
        {"1": {f"garden#{CUT}-{CUT + 28}": 2.0, "garden#0-26": 3.0}, "2": {f"garden#{PICK}-{PICK + 9}": 1}}
    )
    assert content(run) == EXPECTED
    whole = bp.run_from_objects({"1": {"garden": 1.0, "shed": 2.0}})
    assert whole.start is None and [whole.documents[code] for code in whole.document] == ["shed", "garden"]


@pytest.mark.parametrize("wrong", [[1], {"1": "text"}, {"1": [object()]}, {"1": 7}, {}])
def test_what_is_nothing_known_is_told(wrong):
    with pytest.raises(bp.UsageError):
        bp.run_from_objects(wrong)
