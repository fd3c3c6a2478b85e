"""Golden files of Excel."""

import datetime
import sys

import pytest

import berrypick as bp

DOCUMENTS = {"guide": "Cut the old canes in autumn. Water in July."}
ROWS = [
    ["id", "question", "context", "asked on"],
    [1, "When to cut?", "old canes in autumn", datetime.date(2026, 5, 1)],
    [2, "When to water?", "Water in July", None],
]


@pytest.fixture
def save(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    pytest.importorskip("python_calamine", reason="the extra berrypick[xlsx] is not installed")

    def write(sheets=None, merge=""):
        book = openpyxl.Workbook()
        book.remove(book.active)
        for name, rows in (sheets or {"golden": ROWS}).items():
            sheet = book.create_sheet(name)
            for row in rows:
                sheet.append(row)
            if merge:
                sheet.merge_cells(merge)
        book.save(tmp_path / "golden.xlsx")
        return tmp_path / "golden.xlsx"

    return write


def adopted(path):
    return bp.adopt(path, DOCUMENTS)


def test_rows_of_a_sheet(save):
    found = adopted(save())
    assert found.topics.keys() == {"1", "2"}
    [row] = found["1"]
    assert (row["doc"], row["start"], row["end"]) == ("guide", 8, 27)


def test_empty_rows_and_cells_without_a_name_are_counted(save):
    rows = [[], ROWS[0], ROWS[1], [], [], [*ROWS[2], "stray"], [], []]
    notes = " ".join(adopted(save({"golden": rows})).notes)
    assert "2 empty rows skipped" in notes and "1 cell in columns without a name not read" in notes


def test_the_sheet_with_the_questions_is_chosen(save):
    found = adopted(save({"About": [["made by", "us"]], "golden": ROWS}))
    assert len(found) == 2
    assert any("only the sheet golden is read, not About" in note for note in found.notes)


def test_what_is_refused(save, tmp_path):
    with pytest.raises(bp.InputError, match=r"2 sheets \(one, two\), and 2 of them have questions"):
        adopted(save({"one": ROWS, "two": ROWS}))
    with pytest.raises(bp.InputError, match="merged cells, the first at B1"):
        adopted(save(merge="B1:C1"))
    with pytest.raises(bp.InputError, match="two columns are called question"):
        adopted(save({"golden": [["question", "question"], ["a", "b"]]}))
    with pytest.raises(bp.InputError, match="1 name of columns"):
        adopted(save({"golden": [["Golden questions of May"], *ROWS]}))
    with pytest.raises(bp.InputError, match="no visible sheet"):
        adopted(save({"golden": []}))
    torn = tmp_path / "torn.xlsx"
    torn.write_bytes(save().read_bytes()[:900])
    with pytest.raises(bp.InputError, match="is not a workbook that can be read"):
        adopted(torn)


def test_numbers_and_dates(save):
    from berrypick.judgements.adopt.workbook import workbook_rows

    rows, _ = workbook_rows(str(save()))
    assert rows[0] == (2, {"id": 1, "question": "When to cut?", "context": "old canes in autumn",
                           "asked on": "2026-05-01"})  # fmt: skip


def test_the_remedy_without_the_library(save, monkeypatch):
    path = save()
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(bp.UsageError, match=r"pip install 'berrypick\[xlsx\]'"):
        adopted(path)


def test_a_workbook_in_place_of_a_truth(save):
    run = [{"question": "When to cut?", "doc": "guide", "start": 8, "end": 27}]
    results = bp.evaluate(save(), run, "charR@1", documents=DOCUMENTS)
    assert results.per_topic()["run"]["charR@1"] == {"1": 1.0, "2": 0.0}
    assert any("read as a golden file" in str(note) for note in results.notes)
    assert bp.diagnose(save(), run, documents=DOCUMENTS).topics == {"1": "found", "2": "wrong document"}
    with pytest.raises(bp.InputError, match="is a golden file: context quotes"):
        bp.evaluate(save(), run, "charR@1")
    with pytest.raises(bp.InputError, match="merged cells, the first at B1"):
        bp.evaluate(save(merge="B1:C1"), run, "charR@1", documents=DOCUMENTS)


def test_other_workbooks_are_refused_by_their_name(save):
    plain = {"truth": [["topic", "doc", "start", "end"], ["1", "guide", 8, 27]]}
    one = [{"topic": "1", "doc": "guide", "start": 8, "end": 27}]
    with pytest.raises(bp.InputError, match="is a workbook of Excel\n  save its sheet as CSV"):
        bp.evaluate(save(plain), one, "charR@1", documents=DOCUMENTS)
    with pytest.raises(bp.InputError, match="is a workbook of Excel\n  save its sheet as CSV"):
        bp.evaluate(one, save(), "charR@1", documents=DOCUMENTS)
