"""Results and judgements that are texts: frames, records, lists and tables whose texts are looked up in documents."""

from __future__ import annotations

import json
import pickle

import pandas
import polars
import pytest

import berrypick as bp
from berrypick.data.errors import InputError, as_flags, option
from berrypick.documents.locator import UnresolvedQuotes
from berrypick.given.convert import as_run, as_truth
from berrypick.inputs.column_tables import TextSearch

TEXT = "Raspberries fruit in July. Cut the old canes in autumn. Pick dry."
DOCUMENTS = {"garden": TEXT, "shed": "Tools are kept dry."}
CUT = TEXT.index("Cut")
SPANS = {"1": {f"garden#{CUT}-{CUT + 28}": 1}}


def content(run: bp.Run) -> list[tuple]:
    return [
        (topic, ranking.documents[int(ranking.document[row])], int(ranking.start[row]), int(ranking.end[row]))
        for topic, ranking in run.rankings()
        for row in range(len(ranking))
    ]


CUTS = "Cut the old canes"


WITHOUT_OFFSETS = {
    "texts": {"1": [CUTS, "Pick dry."]},
    "pairs": {"1": [(CUTS, 0.9), ("Pick dry.", 0.5)]},
    "dictionaries": {"1": [{"doc": "garden", "text": CUTS}, {"text": "Pick dry."}]},
    "frame": pandas.DataFrame({"qid": ["1", "1"], "text": ["Pick dry.", CUTS], "score": [0.5, 0.9]}),
    "frame with doc": polars.DataFrame({"qid": [1, 1], "docno": ["garden"] * 2, "page_content": [CUTS, "Pick dry."]}),
    "records": [{"topic": "1", "text": CUTS}, {"topic": "1", "text": "Pick dry."}],
}


@pytest.mark.parametrize("kind", WITHOUT_OFFSETS)
def test_texts_are_looked_up_in_the_documents(kind):
    run = WITHOUT_OFFSETS[kind]
    assert bp.score("charR@1", SPANS, run, documents=DOCUMENTS) == 17 / 28
    assert bp.score("spanRR", SPANS, {"named": run}, documents=DOCUMENTS) == 1
    with pytest.raises(bp.InputError, match=r"only its text[\s\S]*with documents="):
        bp.evaluate(SPANS, run, "charR@1")
    others = {"garden": "Nothing of this. " * 5}
    with pytest.raises(
        bp.InputError, match=r"2 of 2 results cannot be placed in the documents[\s\S]*its text is not in"
    ):
        bp.evaluate(SPANS, run, "charR@1", documents=others, unplaced="error")
    assert bp.score("charR@1", SPANS, run, documents=others) == 0


def test_quotes_says_how_texts_are_looked_up():
    run = {"1": ["Cut  the\nold canes"]}
    assert bp.score("charR@1", SPANS, run, documents=DOCUMENTS, quotes="normalised") == 17 / 28
    with pytest.raises(
        bp.InputError, match=r"topic 1, rank 1: its text is not in the doc[\s\S]*quotes='normalised' finds"
    ):
        bp.evaluate(SPANS, run, "charR@1", documents=DOCUMENTS, unplaced="error")


def test_a_truth_of_quotes_and_of_results():
    frame = pandas.DataFrame({"qid": ["1"], "quote": ["old canes"]})
    lists = {"1": ["old canes"]}
    chosen = {"1": [({"doc": "garden", "quote": "old canes"}, 2)]}
    at = TEXT.index("old")
    placed = {"1": [{"doc": "garden", "start_index": at, "end_index": at + 9, "relevance": 2}]}
    for truth in (frame, lists, chosen, placed):
        assert bp.score("charP@1", truth, {"1": [CUTS]}, documents=DOCUMENTS) == 9 / 17
    assert as_truth(placed).grades() == {2} and as_truth({**placed, "2": []}).notes
    with pytest.raises(bp.UsageError, match="the truth:1 quotes relevant text"):
        bp.evaluate(frame, {"1": [{"doc": "garden", "start": 0, "end": 9}]}, "charP")


@pytest.mark.parametrize("offsets", ["bytes", "utf16"])
def test_places_of_texts_are_not_converted_again(tmp_path, offsets):
    text = "\u00e9\U0001f347 Cut the old canes. Pick \u00e9."

    def count(part: str) -> int:
        return len(part.encode("utf-8")) if offsets == "bytes" else len(part.encode("utf-16-le")) // 2

    at = count(text[: text.index("Cut")])
    truth = {"1": [{"doc": "g", "start": at, "end": at + 18, "offsets": offsets}]}
    (tmp_path / "r.jsonl").write_text(json.dumps({"topic": "1", "doc": "g", "text": "Cut the old canes."}))
    mixed = {"1": [{"doc": "g", "start": at, "text": "Cut the old canes."}, {"text": "Pick \u00e9."}]}
    for run in (tmp_path / "r.jsonl", {"1": ["Cut the old canes."]}, mixed):
        assert bp.score("IoU@1", truth, run, documents={"g": text}, offsets=offsets) == 1
    pick = count(text[: text.index("Pick")])
    search = TextSearch(bp.read_texts({"g": text}), offsets=offsets)
    assert as_run(mixed, search).start.tolist() == [at, pick]


def test_a_file_of_texts_is_located(files, tmp_path, berrypick):
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "garden.txt").write_text(TEXT + " Pick dry.")
    paths = files(
        truth_jsonl=json.dumps({"topic": "1", "doc": "garden", "start": CUT, "end": CUT + 28}),
        run_csv="topic,doc,text,rank\n1,garden,Raspberries fruit in July.,2\n1,garden,Cut the old canes,1\n",
        bad_csv="topic,doc,text,rank\n1,garden,Pick dry.,2\n1,garden,Cut the new canes,1\n",
    )
    options = ["-m", "charR spanRR", "-o", "json", "--documents", tmp_path / "texts"]
    done = berrypick("evaluate", paths["truth_jsonl"], paths["run_csv"], *options)
    assert [row["value"] for row in json.loads(done.out)] == [pytest.approx(17 / 28), 1]
    bad = berrypick("evaluate", paths["truth_jsonl"], paths["bad_csv"], *options, "--unplaced", "error")
    assert bad.code == 2 and "1 of 2 results cannot be placed in the documents" in bad.err
    assert "topic 1, rank 1, line 3: its text is not in garden: Cut the new canes" in bad.err
    assert berrypick("evaluate", paths["truth_jsonl"], paths["run_csv"], "-m", "charR").code == 2
    bp.write(bp.read_run(paths["run_csv"]), tmp_path / "again.csv")
    again = berrypick("evaluate", paths["truth_jsonl"], tmp_path / "again.csv", *options)
    assert json.loads(again.out)[0]["value"] == pytest.approx(17 / 28)


def test_truth_and_texts_from_frames():
    polars = pytest.importorskip("polars", reason="polars: make test installs it")
    truth = bp.truth_from_frame(polars.DataFrame({"topic": [1], "quote": ["old canes"], "grade": [2]}))
    run = bp.run_from_frame(
        polars.DataFrame({"topic": [1], "text": ["Cut the old canes in autumn."]}), documents=DOCUMENTS
    )
    assert content(run) == [("1", "garden", CUT, CUT + 28)]
    assert bp.evaluate(truth, run, "charR", documents=DOCUMENTS).mean_rows[0].value == 1


def test_texts_alone_are_located_or_told():
    run = bp.run_from_objects({"1": [TEXT[:26], TEXT[CUT : CUT + 28]], "2": []}, documents=DOCUMENTS)
    assert content(run) == [("1", "garden", 0, 26), ("1", "garden", CUT, CUT + 28)]
    assert run.notes == ("1 topic has no results",)
    with pytest.raises(bp.InputError, match="only its text"):
        bp.evaluate(SPANS, bp.run_from_objects({"1": [TEXT[:26]]}), "charR@1")


def test_where_whole_documents_are_judged_a_text_has_its_document():
    assert bp.score("EPRUM", {"1": {"garden": 1}}, {"1": ["kept dry", CUTS]}, documents=DOCUMENTS) == 0.5


@pytest.mark.parametrize("column", [pandas.Series, polars.Series])
def test_a_single_column_is_a_list_of_texts(column):
    """Though Arrow can read it."""
    texts, truth = {"a": "some text here"}, {"1": [("a", 0, 9)]}
    assert bp.evaluate(truth, {"1": column(["some text"])}, "charR", documents=texts).mean()["run"]["charR"] == 1.0


def test_the_error_about_quotes_keeps_its_options_in_other_processes():
    unplaced = InputError("lost", path="t.jsonl", line=2, text="{}", remedy=f"try {option('quotes', 'fuzzy')}")
    error = UnresolvedQuotes([unplaced], 3, "t.jsonl")
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is UnresolvedQuotes and str(copy) == str(error) and "--" not in str(error)
    assert as_flags(copy) == as_flags(error) and "--quotes fuzzy" in as_flags(error)
