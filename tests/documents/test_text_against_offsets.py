"""Offsets that do not fit the text beside them, such as those within a section: the text can be trusted instead."""

from __future__ import annotations

import json

import pandas
import pytest

import berrypick as bp

SECTIONS = [
    "# Orders\n" + "An order can be changed until it is packed. Write to us at once. ",
    "# Refunds\n" + "A refund is paid within ten days. It goes to the card that was used. ",
    "# Returns\n" + "Parcels are sent back at our cost. Keep the receipt of the post office. ",
]
MANUAL = "".join(SECTIONS)
DOCUMENTS = {"manual": MANUAL}
ANSWER = "A refund is paid within ten days."
AT = MANUAL.index(ANSWER)  # 84
TRUTH = [{"topic": "q", "doc": "manual", "start": AT, "end": AT + len(ANSWER)}]
BESIDE = "It goes to the card that was used."
RESULTS = [
    {"doc": "manual", "start": SECTIONS[1].index(ANSWER), "text": ANSWER},
    {"doc": "manual", "start": SECTIONS[1].index(BESIDE), "text": BESIDE},
]
#: The answer has 33 characters, the sentence beside it 34.
RIGHT = {"charP": 33 / 67, "charR": 1.0}
CARRIERS = ("list", "records", "frame", "jsonl", "csv", "parquet", "langchain")


def carriers(folder, results=RESULTS) -> dict[str, object]:
    """The same results in every carrier."""
    rows = [
        {"topic": "q", "rank": rank, **one, "end": one["start"] + len(one["text"])}
        for rank, one in enumerate(results, start=1)
    ]
    (folder / "run.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    frame = pandas.DataFrame(rows)
    frame.to_csv(folder / "run.csv", index=False)
    frame.to_parquet(folder / "run.parquet")
    documents = pytest.importorskip("langchain_core.documents", reason="langchain-core: make test installs it")
    return {
        "list": {"q": results},
        "records": rows,
        "frame": frame,
        "jsonl": folder / "run.jsonl",
        "csv": folder / "run.csv",
        "parquet": folder / "run.parquet",
        "langchain": {
            "q": [
                documents.Document(
                    page_content=one["text"], metadata={"source": one["doc"], "start_index": one["start"]}
                )
                for one in results
            ]
        },
    }


def means(run, measures="charP charR", truth=TRUTH, **options) -> dict[str, float]:
    [found] = bp.evaluate(truth, run, measures, **{"documents": DOCUMENTS, **options}).mean().values()
    return found


@pytest.mark.parametrize("carrier", CARRIERS)
def test_offsets_within_a_section(carrier, tmp_path):
    run = carriers(tmp_path)[carrier]
    with pytest.raises(bp.InputError, match="2 of 2 texts are not at their offsets") as refused:
        means(run)
    lines = str(refused.value).splitlines()
    offers = [i for i, line in enumerate(lines) if "text_mismatch=" in line]
    assert lines[offers[0]].strip().startswith("text_mismatch='locate' finds each text in its document instead")
    assert "text_mismatch='note'" in lines[offers[-1]] and offers[-1] > offers[0]
    assert means(run, text_mismatch="locate") == pytest.approx(RIGHT)
    assert means(run, text_mismatch="note")["charR"] < 0.5
    notes = [str(note) for note in bp.evaluate(TRUTH, run, "charR", documents=DOCUMENTS, text_mismatch="locate").notes]
    assert any(
        "2 of 2 texts are not at their offsets" in one and "text_mismatch='locate' moves them" in one for one in notes
    )


def test_the_remedy_works_when_it_is_typed(tmp_path, berrypick):
    carriers(tmp_path)
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "manual").write_text(MANUAL)
    (tmp_path / "truth.jsonl").write_text(json.dumps(TRUTH[0]))
    command = (
        "evaluate",
        tmp_path / "truth.jsonl",
        tmp_path / "run.jsonl",
        "-m",
        "charR",
        "--documents",
        tmp_path / "texts",
    )
    refused = berrypick(*command)
    assert refused.code == 2 and refused.out == "" and "--text-mismatch locate finds each text" in refused.err
    done = berrypick(*command, "--text-mismatch", "locate")
    assert done.code == 0 and done.out.split()[-1] == "1.0000"
    assert "2 of 2 texts are not at their offsets" in done.err


def test_only_what_does_not_fit_moves():
    run = {"q": [{"doc": "manual", "start": AT, "text": ANSWER}, RESULTS[1], {"doc": "manual", "start": 0, "end": 8}]}
    assert means(run, text_mismatch="locate") == pytest.approx({"charP": 33 / (33 + 34 + 8), "charR": 1})
    notes = [str(note) for note in bp.evaluate(TRUTH, run, "charR", documents=DOCUMENTS, text_mismatch="locate").notes]
    assert any("1 of 2 texts are not at their offsets" in one for one in notes)


def test_where_all_texts_fit_nothing_changes():
    run = {"q": [{"doc": "manual", "start": AT, "text": ANSWER}]}
    for rule in ("error", "note", "locate"):
        results = bp.evaluate(TRUTH, run, "charP charR", documents=DOCUMENTS, text_mismatch=rule)
        assert results.mean() == {"run": {"charP": 1, "charR": 1}} and not results.notes


@pytest.mark.parametrize("offsets", ["chars", "bytes", "utf16"])
def test_in_any_unit(offsets):
    """Of the results that fit, the offsets are converted; those that do not fit are found in characters."""
    text = "é😀 " + MANUAL
    size = {"chars": len, "bytes": lambda t: len(t.encode()), "utf16": lambda t: len(t.encode("utf-16-le")) // 2}[
        offsets
    ]
    start = size(text[: text.index(ANSWER)])
    truth = [{"topic": "q", "doc": "m", "start": start, "end": start + size(ANSWER), "offsets": offsets}]
    beside = size(text[: text.index(BESIDE)])
    run = {"q": [{"doc": "m", "start": 3, "text": ANSWER}, {"doc": "m", "start": beside, "text": BESIDE}]}
    found = means(run, truth=truth, documents={"m": text}, offsets=offsets, text_mismatch="locate")
    assert found == pytest.approx(RIGHT)


def test_offsets_beyond_the_end_do_not_matter():
    run = {"q": [{"doc": "manual", "start": 99_999, "text": ANSWER}]}
    assert means(run, text_mismatch="locate") == {"charP": 1, "charR": 1}


def test_white_space_does_not_matter():
    """As it does not beside offsets that fit."""
    run = {"q": [{"doc": "manual", "start": 0, "text": ANSWER.replace(" ", "\n")}]}
    assert means(run, text_mismatch="locate") == {"charP": 1, "charR": 1}


def test_a_text_that_is_nowhere_is_unplaced():
    run = {"q": [{"doc": "manual", "start": 0, "text": "nowhere to be found"}, RESULTS[0]]}
    results = bp.evaluate(TRUTH, run, "charP charR", documents=DOCUMENTS, text_mismatch="locate")
    assert results.mean() == {"run": {"charP": 33 / (33 + 19), "charR": 1}}
    assert [row["rank"] for row in results.unplaced] == [1]
    with pytest.raises(bp.InputError, match="1 of 2 results cannot be placed"):
        means(run, text_mismatch="locate", unplaced="error")


def test_nothing_is_offered_that_would_not_help():
    run = {"q": [{"doc": "manual", "start": 0, "text": "nowhere to be found"}]}
    with pytest.raises(bp.InputError, match="not in their documents") as refused:
        means(run)
    assert "locate" not in str(refused.value)


def test_the_start_decides_between_several_places():
    text = "Say hello. Say hello. Then go."
    truth = [{"topic": "q", "doc": "a", "start": 11, "end": 21}]
    right_start = {"q": [{"doc": "a", "start": 11, "end": 14, "text": "Say hello."}]}
    assert means(right_start, truth=truth, documents={"a": text}, text_mismatch="locate") == {"charP": 1, "charR": 1}
    wrong = {"q": [{"doc": "a", "start": 5, "end": 15, "text": "Say hello."}]}
    results = bp.evaluate(truth, wrong, "charR", documents={"a": text}, text_mismatch="locate")
    assert results.mean() == {"run": {"charR": 0}} and len(results.unplaced) == 1


def test_a_text_with_offsets_and_no_document():
    run = {"q": [{"start": 10, "text": ANSWER}, {"start": 44, "text": BESIDE}]}
    with pytest.raises(bp.InputError, match="text_mismatch='locate' finds each text in the documents instead"):
        means(run)
    assert means(run, text_mismatch="locate") == pytest.approx(RIGHT)


# --- truths -----------------------------------------------------------------------------------------------------------

QUOTED = [{"topic": "q", "doc": "manual", "start": 10, "end": 43, "quote": ANSWER, "grade": 2}]
EXACT = {"q": [{"doc": "manual", "start": AT, "end": AT + 33}]}


@pytest.mark.parametrize("carrier", ["records", "frame", "jsonl", "csv"])
def test_quotes_of_a_truth(carrier, tmp_path):
    frame = pandas.DataFrame(QUOTED)
    (tmp_path / "t.jsonl").write_text(json.dumps(QUOTED[0]))
    frame.to_csv(tmp_path / "t.csv", index=False)
    truth = {"records": QUOTED, "frame": frame, "jsonl": tmp_path / "t.jsonl", "csv": tmp_path / "t.csv"}[carrier]
    with pytest.raises(bp.InputError, match="text_mismatch='locate' finds each quote in its document instead"):
        means(EXACT, truth=truth)
    assert means(EXACT, "charP charR", truth, text_mismatch="locate") == {"charP": 1, "charR": 1}
    assert means(EXACT, "charR", truth, text_mismatch="note") == {"charR": 0}
    notes = [
        str(note) for note in bp.evaluate(truth, EXACT, "charR", documents=DOCUMENTS, text_mismatch="locate").notes
    ]
    assert any("1 of 1 quotes are not at their offsets" in note for note in notes)


def test_spans_of_a_truth_that_fit_stay():
    truth = [*QUOTED, {"topic": "q", "doc": "manual", "start": AT + 34, "end": AT + 68, "quote": BESIDE, "grade": 1}]
    both = {"q": [{"doc": "manual", "start": AT, "end": AT + 68}]}
    assert means(both, "charP charR", truth, text_mismatch="locate") == {"charP": 67 / 68, "charR": 1}


def test_a_quote_that_is_in_several_places_stays_an_error():
    text = "Say hello. Say hello. Then go."
    truth = [{"topic": "q", "doc": "a", "start": 5, "end": 15, "quote": "Say hello."}]
    with pytest.raises(bp.InputError, match="occurs in 2 places"):
        means({"q": [("a", 0, 9)]}, "charR", truth, documents={"a": text}, text_mismatch="locate")


def test_a_truth_that_holds_its_texts(tmp_path):
    """SQuAD."""
    answers = [{"text": "ten days", "answer_start": 3}]
    paragraph = {"context": ANSWER, "qas": [{"id": "q", "question": "When?", "answers": answers}]}
    path = tmp_path / "squad.json"
    path.write_text(json.dumps({"version": "1.1", "data": [{"title": "T", "paragraphs": [paragraph]}]}))
    name = next(iter(bp.read_truth(path).texts))
    at = ANSWER.index("ten days")
    run = {"q": [{"doc": name, "start": at, "end": at + 8}]}
    with pytest.raises(bp.InputError, match="text_mismatch='locate'"):
        bp.evaluate(path, run, "charR")
    assert bp.score("charR", path, run, text_mismatch="locate") == 1


# --- without documents ------------------------------------------------------------------------------------------------


def test_without_documents_it_says_what_is_needed():
    for truth, run in ((TRUTH, {"q": RESULTS}), (QUOTED, EXACT)):
        with pytest.raises(
            bp.UsageError, match="text_mismatch='locate' finds texts in the documents: give them with doc"
        ):
            bp.evaluate(truth, run, "charR", text_mismatch="locate")


def test_without_documents_the_error_about_lengths_offers_it():
    run = {"q": [{"doc": "manual", "start": 0, "end": 5, "text": ANSWER}]}
    with pytest.raises(bp.InputError, match=r"text_mismatch='locate' with documents= finds each text"):
        bp.evaluate(TRUTH, run, "charR")


def test_a_text_that_several_documents_have_at_its_start():
    documents = {"a": "Say hello. Then go.", "b": "Say hello. Stay."}
    run = {"q": [{"start": 0, "text": "Say hello."}, {"start": 11, "text": "Then go."}]}
    untouched = [{"topic": "q", "doc": "a", "start": 11, "end": 19}]
    found = means(run, "charP charR spanRR", untouched, documents=documents)
    assert found == pytest.approx({"charP": 8 / 18, "charR": 1, "spanRR": 0.5})
    touched = [{"topic": "q", "doc": "b", "start": 0, "end": 10}]
    results = bp.evaluate(touched, run, "charR", documents=documents)
    assert results.mean() == {"run": {"charR": 0}} and len(results.unplaced) == 1
