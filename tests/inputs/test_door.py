"""What people pass is read, or is an error that names what is not: every name, in every carrier.

The truth judges characters 0 to 50 of a document of 1,000; the result is 14 characters long and stands elsewhere, or
covers the first 30. So a part that is taken for the whole document would score 1.
"""

import csv
import json
from types import SimpleNamespace

import pandas
import pytest
from many_cases import each

import berrypick as bp
from berrypick.rows import fields

QUOTE = "Cut old canes."
TEXT = "".join(chr(97 + (i * i + i // 26) % 26) for i in range(100)) + QUOTE + "y" * 886
DOCUMENTS = {"guide": TEXT, "faq": "z" * 500}
TRUTH = [{"topic": "1", "doc": "guide", "start": 90, "end": 110}]  # of which the result has 10 of 20 characters
RIGHT = 0.5

#: formats.md, typed in: field, then its names.
NAMES = {
    "topic": "topic qid query_id question_id query-id",
    "doc": "doc document document_id filename source_file source_id uri docid doc_id docno source file file_name "
    "file_path path corpus_id video_id",
    "start": "start begin from start_index start_char char_start chunk_start start_pos start_offset span_start "
    "start_idx",
    "end": "end stop to end_index end_char char_end chunk_end end_pos end_offset span_end end_idx",
    "text": "text content retrieved_contexts retrieval_context cited_text page_content chunk chunk_text passage "
    "passage_text body snippet excerpt context document",
    "quote": "quote reference_context reference_contexts ground_truth_context evidence context contexts passage "
    "reference answer",
    "score": "score _score similarity",
    "distance": "distance _distance",
    "grade": "grade relevance rel label",
}
ELSEWHERE = [
    "start_ms",
    "page_label",
    "bboxes",
    "turn",
    "start_byte",
    "answer_start",
    "xpath",
]
#: Names that say what they count, with a value and how much of its truth the result has.
LINES = [{"start_line": 101, "end_line": 114}, {"line_start": 101, "lineEnd": 114}]
TIMES = [{"start_time": 100, "end_time": 114}, {"start_sec": 100, "end_sec": 114}, {"ts": [100, 114]}]
#: Names of places on pages, which a truth of spans of text does not judge.
PAGES = ["page", "page_no", "page_number", "page_id", "page_index", "bbox", "box", "bounding_box", "page_size"]
FILES = ["jsonl", "csv", "semicolons", "tabs", "parquet"]
#: Objects of libraries, which keep text in a place of its own and everything else in metadata.
LIBRARIES = ["langchain", "langsmith", "llamaindex", "haystack"]
#: Responses of stores; a file holds one as JSON.
STORES = ["elasticsearch", "fields", "inner_hits", "qdrant", "qdrant_langchain", "chroma", "weaviate", "pinecone",
          "milvus", "hits_file"]  # fmt: skip
CARRIERS = [*FILES, "frame", "records", "dictionaries", *LIBRARIES, *STORES]
TRUTHS = [*FILES, "frame", "records", "dictionaries"]
#: One of each kind, for quick tests.
QUICK = ("jsonl", "frame", "langchain", "elasticsearch")


def each_kind(carriers):
    """Carriers as values of a parameter; all but one of each kind are slow tests."""
    return [one if one in QUICK else pytest.param(one, marks=pytest.mark.slow) for one in carriers]


def styles(name):
    """The same name in other styles."""
    first, *words = name.strip("_").split("_")
    camel = first + "".join(word.title() for word in words)
    return (
        [name]
        if name.startswith("_")
        else [name, camel, name.upper().replace("_", "-"), name.title().replace("_", " ")]
    )


def carry(carrier, rows, folder, name):
    """Rows as what a person has."""
    if carrier == "frame":
        return pandas.DataFrame(rows)
    if carrier == "records":
        return rows
    if carrier in ("dictionaries", *LIBRARIES, *STORES):
        lists = {}
        for row in rows:
            topic = next(key for key in row if fields.ours_of(key, "run") == "topic")
            rest = {key: value for key, value in row.items() if key != topic}
            lists.setdefault(str(row[topic]), []).append(rest)
        if carrier == "hits_file":
            path = folder / f"{name}.json"
            path.write_text(json.dumps({topic: response("elasticsearch", held) for topic, held in lists.items()}))
            return path
        if carrier in STORES:
            return {topic: response(carrier, held) for topic, held in lists.items()}
        make = OBJECTS.get(carrier, dict)
        return {topic: [make(row) for row in held] for topic, held in lists.items()}
    if carrier == "jsonl":
        path = folder / f"{name}.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    elif carrier == "parquet":
        path = folder / f"{name}.parquet"
        pandas.DataFrame(rows).to_parquet(path)
    else:
        path = folder / f"{name}.csv"
        mark = {"csv": ",", "semicolons": ";", "tabs": "\t"}[carrier]
        with open(path, "w", newline="") as out:
            writer = csv.DictWriter(out, list(rows[0]), delimiter=mark)
            writer.writeheader()
            writer.writerows(rows)
    return path


def chain(row):
    text, metadata = parted(row)
    return SimpleNamespace(page_content=text, metadata=metadata)


def parted(row):
    """The text of a row, and everything else."""
    text = next((key for key in row if fields.ours_of(key, "run") == "text" or key == "document"), None)
    return row[text] if text else "", {key: value for key, value in row.items() if key != text}


def saved(row):
    text, metadata = parted(row)
    return {"type": "Document", "page_content": text, "metadata": metadata}


def node(row):
    text, metadata = parted(row)
    held = SimpleNamespace(start_char_idx=None, end_char_idx=None, text=text, ref_doc_id=None, metadata=metadata)
    return SimpleNamespace(node=held, score=1.0)


def hay(row):
    text, metadata = parted(row)
    return SimpleNamespace(content=text, meta=metadata, score=1.0)


OBJECTS = {"langchain": chain, "langsmith": saved, "llamaindex": node, "haystack": hay}


def response(store, rows):
    """What a store answers with such fields in its payloads."""
    hits = [{"_id": f"hit {i}", "_score": 1.0} for i in range(len(rows))]
    if store == "elasticsearch":
        return {"took": 1, "hits": {"hits": [{**hit, "_source": row} for hit, row in zip(hits, rows, strict=True)]}}
    if store == "fields":
        listed = [{key: [cell] for key, cell in row.items()} for row in rows]
        return {"took": 1, "hits": {"hits": [{**hit, "fields": row} for hit, row in zip(hits, listed, strict=True)]}}
    if store == "inner_hits":
        parts = [{**hit, "_nested": {"field": "chunks", "offset": 0}, "_source": row}
                 for hit, row in zip(hits, rows, strict=True)]  # fmt: skip
        inner = [{"chunks": {"hits": {"hits": [part]}}} for part in parts]
        outer = [{**hit, "_id": "guide", "inner_hits": one} for hit, one in zip(hits, inner, strict=True)]
        return {"took": 1, "hits": {"hits": outer}}
    if store == "chroma":
        texts, metadata = zip(*map(parted, rows), strict=True)
        found = {"documents": [[text or None for text in texts]], "metadatas": [[*metadata]]}
        return {"ids": [[f"hit {i}" for i in range(len(rows))]], **found, "distances": [[0.1] * len(rows)]}
    if store == "weaviate":
        return {"objects": [{"uuid": f"hit {i}", "properties": row, "metadata": {"score": 1.0}}
                            for i, row in enumerate(rows)]}  # fmt: skip
    if store == "pinecone":
        return {"matches": [{"id": f"hit {i}", "score": 1.0, "metadata": row} for i, row in enumerate(rows)]}
    if store == "milvus":
        return [[{"id": f"hit {i}", "distance": 1.0, "entity": row} for i, row in enumerate(rows)]]
    held = rows if store == "qdrant" else [
        {"page_content": text, "metadata": rest} for text, rest in map(parted, rows)
    ]  # fmt: skip
    return {"points": [{"id": i, "version": 1, "score": 1.0, "payload": row} for i, row in enumerate(held)]}


def value(carrier, rows, folder, measure="charR@5", truth=TRUTH, **options):
    given = carry(carrier, rows, folder, "run")
    return next(iter(bp.evaluate(truth, given, measure, **options).mean().values()))[measure]


RESULT = {"topic": "1", "doc": "guide", "start": 100, "end": 114, "score": 1.0}


def renamed(ours, theirs, row=RESULT):
    return {theirs if key == ours else key: cell for key, cell in row.items()}


# --- the table --------------------------------------------------------------------------------------------------------


def test_every_name_of_the_table_is_known():
    for ours, names in NAMES.items():
        role = "truth" if ours in ("quote", "grade") else "run"
        for name in names.split():
            for style in styles(name.replace("-", "_")):
                assert fields.plain_name(style) in fields.TABLE[role][ours].all, (ours, style)
    for name in ELSEWHERE:
        assert fields.counts(name), name


@pytest.mark.slow
@pytest.mark.parametrize("documents", [None, DOCUMENTS], ids=["without", "with"])
@pytest.mark.parametrize("carrier", CARRIERS)
def test_every_name_of_a_place_is_read(carrier, documents, tmp_path):
    for ours in ("start", "end"):
        for name in NAMES[ours].split():
            for style in styles(name) if carrier in ("jsonl", "frame") and documents is None else [name]:
                got = value(carrier, [renamed(ours, style)], tmp_path, documents=documents)
                assert got == RIGHT, style


@pytest.mark.parametrize("carrier", each_kind(TRUTHS))
def test_every_name_of_topic_document_and_score_is_read(carrier, tmp_path):
    for ours in ("topic", "doc", "score"):
        if ours == "topic" and carrier == "dictionaries":
            continue
        for name in NAMES[ours].split():
            assert value(carrier, [renamed(ours, name)], tmp_path) == RIGHT, name


@pytest.mark.parametrize("carrier", each_kind(CARRIERS))
def test_offset_with_length(carrier, tmp_path):
    row = {"topic": "1", "doc": "guide", "offset": 100, "length": 14, "score": 1.0}
    assert value(carrier, [row], tmp_path) == RIGHT


@pytest.mark.slow
@pytest.mark.parametrize("carrier", CARRIERS)
def test_every_name_of_a_text_is_read_or_refused(carrier, tmp_path):
    """With documents the text is found; without them it is an error, not a whole document."""
    for name in NAMES["text"].split():
        row = {"topic": "1", "doc": "guide", name: QUOTE, "score": 1.0}
        assert value(carrier, [row], tmp_path, documents=DOCUMENTS) == RIGHT, name
        with pytest.raises(bp.BerrypickError, match=r"only its text|parts of documents"):
            value(carrier, [row], tmp_path)


@pytest.mark.parametrize("carrier", each_kind(CARRIERS))
def test_lines_and_seconds_are_read_by_their_names(carrier, tmp_path):
    """The result has 10 of 20; a truth of characters is another unit, and half a place is none."""
    lines = [{"topic": "1", "doc": "guide", "start_line": 91, "end_line": 110}]
    times = [{"topic": "1", "doc": "guide", "start_time": 90, "end_time": 110}]
    for truth, places in ((lines, LINES), (times, TIMES)):
        for place in places:
            if "ts" in place and carrier == "fields":
                continue  # where every field is a list
            row = {"topic": "1", "doc": "guide", **place, "score": 1.0}
            assert value(carrier, [row], tmp_path, truth=truth) == RIGHT, place
    row = {"topic": "1", "doc": "guide", "line": 91, "score": 1.0}
    assert value(carrier, [row], tmp_path, truth=lines) == 1 / 20
    with pytest.raises(bp.InputError, match="which count lines, and the truth start and end"):
        value(carrier, [row], tmp_path)
    for name, other in (("start_line", "end_line"), ("end_time", "start_time")):
        with pytest.raises(bp.InputError, match=f"{other} is missing"):
            value(carrier, [{"topic": "1", "doc": "guide", name: 3, "score": 1.0}], tmp_path)


@pytest.mark.parametrize("carrier", each_kind(TRUTHS))
def test_truths_of_lines(carrier, tmp_path):
    row = {"topic": "1", "doc": "guide", "start_line": 101, "end_line": 114, "grade": 1}
    run = [{"topic": "1", "doc": "guide", "start_line": 108, "end_line": 300}]
    assert bp.score("charR@5", carry(carrier, [row], tmp_path, "truth"), run) == 0.5


@pytest.mark.parametrize("documents", [None, DOCUMENTS], ids=["without", "with"])
@pytest.mark.parametrize("carrier", each_kind(CARRIERS))
def test_places_in_other_units_are_refused_by_name(carrier, documents, tmp_path):
    for name in ELSEWHERE:
        row = {"topic": "1", "doc": "guide", name: 3, "score": 1.0}
        with pytest.raises(bp.InputError, match=f"{name} is a position"):
            value(carrier, [row], tmp_path, documents=documents)


@pytest.mark.parametrize("documents", [None, DOCUMENTS], ids=["without", "with"])
@pytest.mark.parametrize("carrier", each_kind(CARRIERS))
def test_places_on_pages_are_never_whole_documents(carrier, documents, tmp_path):
    for name in PAGES:
        row = {"topic": "1", "doc": "guide", name: 3, "score": 1.0}
        with pytest.raises(bp.InputError, match=r"places on pages|no page|must be|page alone|neither offsets nor text"):
            value(carrier, [row], tmp_path, documents=documents)


@pytest.mark.parametrize("documents", [None, DOCUMENTS], ids=["without", "with"])
@pytest.mark.parametrize("carrier", each_kind([one for one in CARRIERS if one != "inner_hits"]))
def test_unknown_names_of_places_are_no_whole_documents(carrier, documents, tmp_path):
    row = {"topic": "1", "doc": "guide", "anfang": 100, "ende": 114, "score": 1.0}
    with pytest.raises(bp.UsageError, match="retrieves whole documents") as error:
        value(carrier, [row], tmp_path, documents=documents)
    assert "unread: anfang, ende of the run" in str(error.value)
    assert "whole_documents=True" in str(error.value)
    assert value(carrier, [row], tmp_path, documents=DOCUMENTS, whole_documents=True) == 1.0
    assert value(carrier, [row], tmp_path, "RR", documents=documents) == 1.0


@pytest.mark.parametrize("measure", ["charR@5", "RR"])
def test_an_inner_hit_without_a_place_is_never_its_document(measure, tmp_path):
    for extra in ({"anfang": 100}, {"anfang": 100, "length": 14}):
        with pytest.raises(bp.InputError, match=r"neither offsets nor text, .*; unread: anfang"):
            value("inner_hits", [{"topic": "1", **extra}], tmp_path, measure, documents=DOCUMENTS)


@pytest.mark.parametrize("carrier", each_kind([one for one in CARRIERS if one not in ("csv", "semicolons", "tabs")]))
def test_lists_and_objects_that_say_where(carrier, tmp_path):
    for extra in (
        {"span": [100, 114]},
        {"offsets": [100, 114]},
        {"loc": {"start": 100}},
        {"at": {"start": 1, "end": 2}},
    ):
        if carrier == "parquet" and "at" in extra:
            continue  # a column that is not loaded, as the error on whole documents says
        row = {"topic": "1", "doc": "guide", **extra, "score": 1.0}
        with pytest.raises(bp.BerrypickError, match="position"):
            value(carrier, [row], tmp_path, documents=DOCUMENTS)


def test_metadata_inside_a_row_counts(tmp_path):
    row = {"topic": "1", "page_content": QUOTE, "metadata": {"source": "guide", "start_index": 100}}
    for carrier in ("jsonl", "records", "dictionaries"):
        assert value(carrier, [row], tmp_path) == RIGHT, carrier


def test_names_that_differ_are_refused(tmp_path):
    for carrier in ("jsonl", "csv", "frame", "records", "dictionaries"):
        with pytest.raises(bp.InputError, match=r"2 (fields|columns) for the start"):
            value(carrier, [{**RESULT, "begin": 7}], tmp_path)


def test_a_distance_is_better_when_smaller(tmp_path):
    far = {"topic": "1", "doc": "faq", "start": 0, "end": 14, "distance": 0.9}
    near = {"topic": "1", "doc": "guide", "start": 100, "end": 114, "distance": 0.1}
    for carrier in ("jsonl", "csv", "parquet", "frame", "records"):
        assert value(carrier, [far, near], tmp_path, "charR@1") == RIGHT, carrier
    near, far = renamed("distance", "_distance", near), renamed("distance", "_distance", far)
    assert value("jsonl", [far, near], tmp_path, "charR@1") == RIGHT


def test_semicolons_with_decimal_commas(tmp_path):
    path = tmp_path / "run.csv"
    path.write_text("topic;doc;start;end;score\n1;faq;0;14;0,25\n1;guide;100;114;0,75\n")
    assert bp.evaluate(TRUTH, path, "charR@1").mean() == {"run": {"charR@1": RIGHT}}


def test_thousands_are_no_thousandths(tmp_path):
    """Characters 1 to 2 for 1,000 to 2,000, without a word."""
    path = tmp_path / "run.csv"
    for wrong in ("start", "end"):
        cells = {"start": "100", "end": "114", wrong: "1,000"}
        path.write_text(f"topic;doc;start;end;score\n1;guide;{cells['start']};{cells['end']};0,75\n")
        with pytest.raises(bp.InputError, match=f"{wrong} must be a number of at most .*, not '1,000'"):
            bp.evaluate(TRUTH, path, "charR@1")
    path.write_text("topic;doc;start;end;score\n1;guide;100,0;114,00;1,000\n")
    assert bp.evaluate(TRUTH, path, "charR@1").mean() == {"run": {"charR@1": RIGHT}}


# --- truths -----------------------------------------------------------------------------------------------------------

JUDGED = {"topic": "1", "doc": "guide", "start": 100, "end": 114, "grade": 1}
FOUND = [{"topic": "1", "doc": "guide", "start": 100, "end": 107, "score": 1.0}]


def judged(carrier, row, folder, **options):
    given = carry(carrier, [row], folder, "truth")
    return next(iter(bp.evaluate(given, FOUND, "charR@5", **options).mean().values()))["charR@5"]


@pytest.mark.slow
@pytest.mark.parametrize("carrier", TRUTHS)
def test_truths_have_the_same_names(carrier, tmp_path):
    for ours in ("topic", "doc", "start", "end", "grade"):
        if ours == "topic" and carrier == "dictionaries":
            continue
        for name in NAMES[ours].split():
            assert judged(carrier, renamed(ours, name, JUDGED), tmp_path) == 0.5, name


@pytest.mark.parametrize("carrier", each_kind(TRUTHS))
def test_every_name_of_a_quote_is_read(carrier, tmp_path):
    for name in NAMES["quote"].split():
        row = {"topic": "1", "doc": "guide", name: QUOTE, "grade": 1}
        assert judged(carrier, row, tmp_path, documents=DOCUMENTS) == 0.5, name
        with pytest.raises(bp.UsageError, match="quotes relevant text"):
            judged(carrier, row, tmp_path)


@pytest.mark.parametrize("carrier", each_kind(TRUTHS))
def test_a_truth_of_unread_places_is_no_truth_of_whole_documents(carrier, tmp_path):
    for documents in (None, DOCUMENTS):
        with pytest.raises(bp.BerrypickError, match="the truth judges places on pages"):
            judged(carrier, {"topic": "1", "doc": "guide", "page": 3, "grade": 1}, tmp_path, documents=documents)
        with pytest.raises(bp.UsageError, match="truth judges whole documents"):
            judged(carrier, {"topic": "1", "doc": "guide", "anfang": 3, "grade": 1}, tmp_path, documents=documents)
        with pytest.raises(bp.UsageError, match="unread: snippet of the truth"):
            judged(carrier, {"topic": "1", "doc": "guide", "snippet": QUOTE, "grade": 1}, tmp_path, documents=documents)


def test_an_answer_beside_offsets_is_no_quote(tmp_path):
    for carrier in ("jsonl", "csv", "frame", "records"):
        for name in ("answer", "reference"):
            assert judged(carrier, {**JUDGED, name: "A sentence of another length."}, tmp_path) == 0.5, (carrier, name)


def test_a_document_of_grade_0_needs_no_place(tmp_path):
    rows = [JUDGED, {"topic": "1", "doc": "faq", "grade": 0}]
    path = carry("jsonl", rows, tmp_path, "truth")
    assert bp.evaluate(path, FOUND, "charR@5", documents=DOCUMENTS).mean() == {"run": {"charR@5": 0.5}}


# --- whole documents --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("carrier", each_kind(CARRIERS))
def test_texts_against_documents_judged_whole(carrier, tmp_path):
    truth = {"1": {"guide": 1}}
    row = {"topic": "1", "doc": "guide", "text": QUOTE, "score": 1.0}
    for options in ({}, {"documents": DOCUMENTS}):
        with pytest.raises(bp.UsageError, match="truth judges whole documents"):
            value(carrier, [row], tmp_path, "charR@1", truth=truth, **options)
        for measure in ("RR", "EPRUM"):  # a document is found by any text in it
            assert value(carrier, [row], tmp_path, measure, truth=truth, **options) == 1.0
    whole = {"whole_documents": True, "documents": DOCUMENTS}
    assert value(carrier, [row], tmp_path, "charR@1", truth=truth, **whole) == 1.0


def test_the_signature_says_so_where_it_changed_something(tmp_path):
    run = {"1": {"guide": 1.0}}
    whole = bp.evaluate(TRUTH, run, "charR@5 RR", documents=DOCUMENTS, whole_documents=True)
    signed = {row.measure: str(row.signature) for row in whole.mean_rows}
    assert "whole_documents:true" in signed["charR@5"] and "whole_documents" not in signed["RR"]
    spans = bp.evaluate(TRUTH, [RESULT], "charR@5", whole_documents=True)
    assert "whole_documents" not in str(spans.mean_rows[0].signature)


def test_whole_documents_on_the_command_line(tmp_path, berrypick):
    truth, run = carry("jsonl", TRUTH, tmp_path, "truth"), tmp_path / "run.txt"
    run.write_text("1 Q0 guide 1 1.0 mine\n")
    (tmp_path / "docs.jsonl").write_text(json.dumps({"doc": "guide", "text": TEXT}) + "\n")
    command = ["evaluate", truth, run, "-m", "charR@5", "--documents", tmp_path / "docs.jsonl"]
    refused = berrypick(*command)
    assert refused.code == 2 and "--whole-documents" in refused.err
    done = berrypick(*command, "--whole-documents", "-o", "json")
    assert done.code == 0 and json.loads(done.out)[0]["value"] == 1.0


# --- text beside offsets ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("documents", [None, DOCUMENTS], ids=["without", "with"])
@pytest.mark.parametrize("carrier", each_kind(CARRIERS))
def test_text_has_the_length_of_its_offsets(carrier, documents, tmp_path):
    for start, end in ((100, 600), (3, 5), (100, 126)):
        row = {**RESULT, "start": start, "end": end, "text": QUOTE}
        with pytest.raises(bp.InputError, match=f"the span {start}-{end} of guide") as error:
            value(carrier, [row], tmp_path, documents=documents)
        assert "\\n" not in str(error.value)
    assert value(carrier, [{**RESULT, "text": QUOTE}], tmp_path, documents=documents) == RIGHT
    assert (
        value(carrier, [{**RESULT, "start": 100, "end": 600, "text": QUOTE}], tmp_path, text_mismatch="note") == RIGHT
    )


def test_a_quote_has_the_length_of_its_offsets(tmp_path):
    for carrier in ("jsonl", "csv", "frame", "records", "dictionaries"):
        with pytest.raises(bp.InputError, match="is 5000 characters long, its quote 14"):
            judged(carrier, {**JUDGED, "end": 5100, "quote": QUOTE}, tmp_path)


@pytest.mark.parametrize(
    "carrier", each_kind(["jsonl", "parquet", "frame", "records", "dictionaries", "langchain", "qdrant"])
)
def test_yes_and_no_are_no_places(carrier, tmp_path):
    """A start that is true was character 1, except in JSON Lines: charR 1.0."""
    for wrong in ({"start": True}, {"start": False}, {"start": 0, "end": True}):
        with pytest.raises(bp.InputError, match="must be a number"):
            value(carrier, [{**RESULT, **wrong}], tmp_path)


def test_bytes_are_no_characters(tmp_path):
    text = "Für Äpfel und Öl"
    row = {**RESULT, "end": 100 + len(text.encode()), "text": text}
    with pytest.raises(bp.InputError, match="the offsets count bytes"):
        value("jsonl", [row], tmp_path)


@each(
    ("start", "end", "text", "note"),
    [
        (98, 116, QUOTE, "1 text as long as the span except for white space at the ends"),
        (100, 114, f"  {QUOTE}\n", "1 text as long as the span except for white space at the ends"),
        (100, 400, "Cut old canes and burn them all ...", "1 text shorter than the span, with an ellipsis"),
    ],
)
def test_what_may_differ_is_counted(start, end, text, note):
    results = bp.evaluate(TRUTH, [{**RESULT, "start": start, "end": end, "text": text}], "charR@5")
    assert any(note in str(one) for one in results.notes)


def test_seconds_are_no_characters():
    truth = [{"topic": "1", "doc": "talk", "start": 10.5, "end": 20.5}]
    run = [{"topic": "1", "doc": "talk", "start": 10, "end": 20, "text": "and so on, for a while", "score": 1.0}]
    assert bp.evaluate(truth, run, "charR@5").mean() == {"run": {"charR@5": 0.95}}


@pytest.mark.parametrize("carrier", each_kind(CARRIERS))
def test_a_length_makes_a_span_beside_a_start_only(carrier, tmp_path):
    about = {"topic": "1", "doc": "guide", "length": 1000, "score": 1.0}
    with pytest.raises(bp.BerrypickError, match=r"whole documents|neither offsets nor text"):
        value(carrier, [about], tmp_path, documents=DOCUMENTS)
    placed = {**about, "start": 100, "text": QUOTE}
    assert value(carrier, [placed], tmp_path) == RIGHT
    with pytest.raises(bp.InputError, match="length must be a number, not '12 min'"):
        value(carrier, [{"topic": "1", "doc": "guide", "start": 100, "length": "12 min", "score": 1.0}], tmp_path)
    assert value(carrier, [{**RESULT, "length": "12 min"}], tmp_path) == RIGHT


# --- what is not read -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("carrier", each_kind(CARRIERS))
def test_other_fields_are_one_note(carrier, tmp_path):
    given = carry(carrier, [{**RESULT, "author": "Ana", "date": "2020"}], tmp_path, "run")
    notes = [str(note) for note in bp.evaluate(TRUTH, given, "charR@5").notes]
    assert [note for note in notes if "unread" in note] == ["run: unread: author, date"]


def test_check_says_what_is_not_read_and_what_does_not_fit(tmp_path, berrypick):
    path = carry("jsonl", [{**RESULT, "author": "Ana"}], tmp_path, "run")
    done = berrypick("check", path)
    assert done.code == 0 and "unread: author" in done.out
    path = carry("jsonl", [{**RESULT, "end": 5100, "text": QUOTE}], tmp_path, "run")
    done = berrypick("check", path)
    assert done.code == 2 and "is 5000 characters long, its text 14" in done.out
    path = carry("jsonl", [{**RESULT, "bbox": [1, 2, 3, 4]}, {**RESULT, "bbox": [5, 6, 7, 8]}], tmp_path, "run")
    done = berrypick("check", path)
    assert done.code == 0 and "unread: bbox" in done.out


def test_fields_of_topics_are_used(tmp_path):
    path = carry("jsonl", [{**JUDGED, "domain": "law"}], tmp_path, "truth")
    results = bp.evaluate(path, FOUND, "charR@5", by="domain")
    assert not results.notes


# --- names of documents -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["s3://bucket/a/guide.md", "/home/ana/guide.md", "C:\\texts\\guide.md", "a/guide.md"])
def test_paths_stand_for_the_documents_they_end_with(name):
    documents = {"guide.md": TEXT, "faq.md": "z"}
    results = bp.evaluate([{**TRUTH[0], "doc": "guide.md"}], [{**RESULT, "doc": name}], "charR@5", documents=documents)
    assert results.mean() == {"run": {"charR@5": RIGHT}}
    assert any("1 document matched by the end of a path" in str(note) for note in results.notes)


def test_paths_that_fit_two_documents_are_refused():
    documents = {"a/guide.md": TEXT, "b/guide.md": TEXT}
    run = [{**RESULT, "doc": "s3://bucket/guide.md"}]
    with pytest.raises(bp.InputError, match="is not in the documents given"):
        bp.evaluate([{**TRUTH[0], "doc": "a/guide.md"}], run, "charR@5", documents=documents)


def test_an_id_gives_way_to_the_file_that_documents_are_called_by():
    node = SimpleNamespace(
        start_char_idx=100,
        end_char_idx=114,
        text=QUOTE,
        ref_doc_id="123e4567-e89b-12d3-a456-426614174000",
        metadata={"file_name": "guide", "file_path": "/home/ana/guide"},
    )
    results = bp.evaluate(TRUTH, {"1": [node]}, "charR@5", documents=DOCUMENTS)
    assert results.mean() == {"run": {"charR@5": RIGHT}}


def test_texts_without_documents_are_not_called_whole_documents(tmp_path, berrypick):
    """They are parts whose places are not known: what is missing is the documents."""
    truth, run = tmp_path / "truth.jsonl", tmp_path / "run.jsonl"
    truth.write_text('{"topic": "q", "doc": "a", "start": 0, "end": 5}\n')
    run.write_text('{"topic": "q", "doc": "a", "page_content": "Water.", "rank": 1}\n')
    told = berrypick("evaluate", truth, run, "-m", "charR@5")
    assert told.code == 2 and "texts whose places are not known" in told.err and "--documents" in told.err
    assert "whole documents" not in told.err
