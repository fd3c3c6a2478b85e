"""A nested list of results is in ranked order whatever its scores, in every carrier and under every name."""

from __future__ import annotations

import json

import pandas
import polars
import pytest

import berrypick as bp

DOCUMENTS = {name: " ".join(f"{name}{word}" for word in range(60)) for name in ("oak", "elm", "ash", "fir")}


def chunk(document: str, number: int) -> dict:
    """The ten words of a document that begin with the word of a number."""
    text = DOCUMENTS[document]
    start = text.index(f"{document}{number}")
    end = text.index(f"{document}{number + 9}") + len(f"{document}{number + 9}")
    return {"doc": document, "start": start, "end": end, "text": text[start:end]}


#: What is relevant, and what was retrieved, best first, with the scores that the first stage left behind.
TRUTH = [
    {"topic": topic, "question": question, **{key: chunk(*place)[key] for key in ("doc", "start", "end")}}
    for topic, question, place in (
        ("1", "Which oak?", ("oak", 10)),
        ("2", "Which elm?", ("elm", 20)),
        ("3", "Which ash?", ("ash", 30)),
    )
]
LISTS = {
    "Which oak?": [(chunk("oak", 10), 0.2), (chunk("oak", 40), 0.9), (chunk("fir", 10), 0.5)],
    "Which elm?": [(chunk("ash", 10), 0.1), (chunk("elm", 20), 0.3), (chunk("fir", 20), 0.8)],
    "Which ash?": [(chunk("ash", 30), 0.7), (chunk("elm", 40), 0.6), (chunk("fir", 30), 0.65)],
}
#: The reciprocal ranks 1, 1/2 and 1 of the lists, and 1/3, 1/2 and 1 by score.
LISTED, SCORED = (1 + 1 / 2 + 1) / 3, (1 / 3 + 1 / 2 + 1) / 3
NAMES = (
    "results", "retrieved", "contexts", "retrieved_contexts", "retrieval_context", "context", "documents", "docs",
    "hits", "nodes", "chunks", "passages", "source_documents", "source_nodes", "retrieved_docs",
    "retrieved_documents", "retrieved_chunks", "retrieved_passages", "retrieved_nodes", "search_results",
)  # fmt: skip
ITEMS = {
    "texts": lambda place, score: {"text": place["text"], "source": place["doc"], "score": score},
    "spans": lambda place, score: {"doc": place["doc"], "start": place["start"], "end": place["end"], "score": score},
    "LangChain": lambda place, score: {
        "page_content": place["text"],
        "metadata": {"source": place["doc"], "start_index": place["start"], "relevance_score": score},
    },
}
HOLDERS = ("JSON", "indented JSON", "JSON Lines", "Python", "pandas", "polars", "Parquet")


def rows(name: str, item, key: str = "question") -> list[dict]:
    return [{key: question, name: [item(*one) for one in found]} for question, found in LISTS.items()]


def held(holder: str, records: list[dict], folder):
    """Records in a file, a frame, or as they are."""
    if holder == "Python":
        return records
    if holder in ("pandas", "polars"):
        return {"pandas": pandas, "polars": polars}[holder].DataFrame(records)
    if holder == "Parquet":
        polars.DataFrame(records).write_parquet(folder / "run.parquet")
        return folder / "run.parquet"
    path = folder / ("run.jsonl" if holder == "JSON Lines" else "run.json")
    lines = "".join(json.dumps(record) + "\n" for record in records)
    path.write_text(lines if holder == "JSON Lines" else json.dumps(records, indent=1 if "ind" in holder else None))
    return path


def spanrr(run, **options) -> float:
    return value_and_notes(run, **options)[0]


def value_and_notes(run, **options) -> tuple[float, list[str]]:
    found = bp.evaluate(TRUTH, {"run": run}, "spanRR", documents=DOCUMENTS, **options)
    return found.mean()["run"]["spanRR"], [note.text for note in found.notes if note.kind == "order"]


#: Of all lists above, where nothing is asked.
NOTE = "scores do not fall in 3 of 3 topics; lists count as they are (order='score' sorts by score)"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("item", ITEMS)
def test_lists_of_records_keep_their_order(name, item, tmp_path):
    for holder in HOLDERS:
        run = held(holder, rows(name, ITEMS[item]), tmp_path)
        assert value_and_notes(run) == (pytest.approx(LISTED), [NOTE]), holder


def test_an_empty_list_does_not_hide_the_note(tmp_path):
    empty = {"question": "Which yew?", "results": []}
    for holder in HOLDERS:
        run = held(holder, [*rows("results", ITEMS["spans"]), empty], tmp_path)
        assert value_and_notes(run) == (pytest.approx(LISTED), [NOTE]), holder


@pytest.mark.parametrize("item", ITEMS)
def test_order_says_otherwise(item, tmp_path):
    for holder in HOLDERS:
        run = held(holder, rows("results", ITEMS[item]), tmp_path)
        assert value_and_notes(run, order="score") == (pytest.approx(SCORED), []), holder
        assert value_and_notes(run, order="file") == (pytest.approx(LISTED), []), holder


def test_rows_with_scores_can_keep_the_order_of_the_file(tmp_path):
    """One row per result: its score orders it, unless told otherwise."""
    flat = [{"question": question, **ITEMS["spans"](*one)} for question, found in LISTS.items() for one in found]
    for holder in HOLDERS:
        run = held(holder, flat, tmp_path)
        assert spanrr(run) == pytest.approx(SCORED), holder
        assert spanrr(run, order="file") == pytest.approx(LISTED), holder


def by_topic(item) -> dict[str, list]:
    return {question: [item(*one) for one in found] for question, found in LISTS.items()}


class Document:
    """As LangChain has it."""

    def __init__(self, place: dict, score: float) -> None:
        self.page_content, self.metadata = place["text"], {"source": place["doc"], "score": score}


#: Shapes by topic, with what is made of a place and its score.
SHAPES = {
    "dictionaries": ITEMS["texts"],
    "spans": ITEMS["spans"],
    "pairs": lambda place, score: (place["text"], score),
    "tuples": lambda place, score: (place["doc"], place["start"], place["end"], score),
    "objects": Document,
    "objects with scores": lambda place, score: (Document(place, 0.5), score),
}
#: What chains, engines, pipelines and stores return for one question, of its results.
RESPONSES = {
    "LangChain": lambda found: {"input": "?", "answer": "!", "context": [ITEMS["LangChain"](*one) for one in found]},
    "LangChain of old": lambda found: {
        "query": "?", "result": "!", "source_documents": [ITEMS["LangChain"](*one) for one in found],
    },
    "LlamaIndex": lambda found: {"response": "!", "source_nodes": [node(*one) for one in found]},
    "Haystack": lambda found: {"retriever": {"documents": [haystack(*one) for one in found]}},
    "Elasticsearch": lambda found: {"took": 2, "hits": {"hits": [hit(*one) for one in found]}},
    "hits": lambda found: [hit(*one) for one in found],
    "Weaviate": lambda found: {"objects": [weaviate(*one) for one in found]},
    "Vespa": lambda found: {
        "root": {"id": "toplevel", "relevance": 1.0, "children": [vespa(*one) for one in found]},
    },
    "Solr": lambda found: {
        "responseHeader": {"status": 0},
        "response": {"numFound": 3, "start": 0, "docs": [ITEMS["texts"](*one) for one in found]},
    },
}  # fmt: skip


def node(place: dict, score: float) -> dict:
    inner = {"text": place["text"], "start_char_idx": place["start"], "end_char_idx": place["end"],
             "metadata": {}, "relationships": {"1": {"node_id": place["doc"]}}}  # fmt: skip
    return {"node": inner, "score": score}


def haystack(place: dict, score: float) -> dict:
    meta = {"source_id": place["doc"], "split_idx_start": place["start"]}
    return {"id": "0" * 64, "content": place["text"], "blob": None, "meta": meta, "score": score}


def hit(place: dict, score: float) -> dict:
    return {"_id": f"{place['doc']}-{place['start']}", "_score": score, "_source": ITEMS["texts"](place, score)}


def weaviate(place: dict, score: float) -> dict:
    return {"uuid": "1", "properties": {"text": place["text"], "source": place["doc"]}, "metadata": {"score": score}}


def vespa(place: dict, score: float) -> dict:
    return {
        "id": "id:1",
        "relevance": score,
        "source": "music",
        "fields": {"text": place["text"], "source": place["doc"]},
    }


@pytest.mark.parametrize("shape", SHAPES)
def test_lists_by_topic_keep_their_order(shape, tmp_path):
    run = by_topic(SHAPES[shape])
    runs = [run]
    if shape in ("dictionaries", "spans"):
        (tmp_path / "run.json").write_text(json.dumps(run))
        runs.append(tmp_path / "run.json")
    for one in runs:
        assert value_and_notes(one) == (pytest.approx(LISTED), [NOTE])
        assert spanrr(one, order="score") == pytest.approx(SCORED)


@pytest.mark.parametrize("name", RESPONSES)
def test_responses_keep_their_order(name, tmp_path):
    run = {question: RESPONSES[name](found) for question, found in LISTS.items()}
    (tmp_path / "run.json").write_text(json.dumps(run))
    for one in (run, tmp_path / "run.json"):
        assert value_and_notes(one) == (pytest.approx(LISTED), [NOTE])
        assert spanrr(one, order="score") == pytest.approx(SCORED)


def test_traces_keep_their_order(tmp_path):
    spans = [
        {"id": question, "name": "search", "run_type": "retriever", "trace_id": question,
         "inputs": {"query": question}, "outputs": {"documents": [ITEMS["LangChain"](*one) for one in found]}}
        for question, found in LISTS.items()
    ]  # fmt: skip
    (tmp_path / "traces.jsonl").write_text("".join(json.dumps(span) + "\n" for span in spans))
    assert value_and_notes(tmp_path / "traces.jsonl") == (pytest.approx(LISTED), [NOTE])


# --- distances, and scores that are missing ---------------------------------------------------------------------------


def test_distances_called_scores_keep_the_order_of_the_lists(tmp_path):
    """As a vector store returns them, nearest first: sorted by falling score the last is the first."""
    near = {
        question: [(place, 0.1 * rank) for rank, (place, _) in enumerate(found)] for question, found in LISTS.items()
    }
    records = [{"question": asked, "results": [ITEMS["texts"](*one) for one in found]} for asked, found in near.items()]
    for holder in HOLDERS:
        run = held(holder, records, tmp_path)
        assert value_and_notes(run) == (pytest.approx(LISTED), [NOTE]), holder
        assert spanrr(run, order="score") == pytest.approx((1 / 3 + 1 / 2 + 1 / 3) / 3), holder


def test_lists_whose_scores_fall_have_no_note(tmp_path):
    fall = [
        {"question": asked, "results": [ITEMS["texts"](place, 1 / rank) for rank, (place, _) in enumerate(found, 1)]}
        for asked, found in LISTS.items()
    ]
    equal = [
        {"question": asked, "results": [ITEMS["texts"](place, 0.5) for place, _ in found]}
        for asked, found in LISTS.items()
    ]
    for records in (fall, equal):
        for holder in HOLDERS:
            assert value_and_notes(held(holder, records, tmp_path)) == (pytest.approx(LISTED), []), holder


def test_only_some_results_of_lists_have_scores(tmp_path):
    records = rows("results", ITEMS["texts"])
    records[1]["results"][2]["score"] = None
    for holder in HOLDERS:
        run = held(holder, records, tmp_path)
        found = bp.evaluate(TRUTH, {"run": run}, "spanRR", documents=DOCUMENTS)
        assert found.mean()["run"]["spanRR"] == pytest.approx(LISTED), holder
        text = "1 of 9 results have no score, so scores are ignored; lists keep their order"
        assert [note.text for note in found.notes if note.kind == "input" and "score" in note.text] == [text], holder
        with pytest.raises(bp.UsageError, match="has no scores, which order='score' needs"):
            spanrr(run, order="score")


def test_parallel_lists_are_in_their_order(tmp_path):
    for scores in ("score", "scores", "similarity"):
        records = [
            {
                "question": asked,
                "contexts": [place["text"] for place, _ in found],
                scores: [score for _, score in found],
            }
            for asked, found in LISTS.items()
        ]
        for holder in HOLDERS:
            assert spanrr(held(holder, records, tmp_path)) == pytest.approx(LISTED), (scores, holder)
    records = [
        {"question": asked, **{name: [place[name] for place, _ in found] for name in ("doc", "start", "end")},
         "score": [score for _, score in found]}
        for asked, found in LISTS.items()
    ]  # fmt: skip
    for holder in HOLDERS:
        run = held(holder, records, tmp_path)
        assert value_and_notes(run) == (pytest.approx(LISTED), [NOTE]), holder
        assert spanrr(run, order="score") == pytest.approx(SCORED), holder


# --- ranks ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("item", ["texts", "spans"])
def test_ranks_decide_in_lists_too(item, tmp_path):
    """The lists are turned round, and ranks say how they were."""

    def turned(found: list) -> list[dict]:
        return [{**ITEMS[item](*one), "rank": rank} for rank, one in [*enumerate(found, 1)][::-1]]

    records = [{"question": asked, "results": turned(found)} for asked, found in LISTS.items()]
    runs = [held(holder, records, tmp_path / "") for holder in ("Python", "pandas", "polars")]
    runs.append({asked: turned(found) for asked, found in LISTS.items()})
    for name in ("JSON", "JSON Lines", "Parquet"):
        (tmp_path / name).mkdir()
        runs.append(held(name, records, tmp_path / name))
    for run in runs:
        assert value_and_notes(run) == (pytest.approx(LISTED), [])
        for order in ("file", "score"):
            found = bp.evaluate(TRUTH, {"run": run}, "spanRR", documents=DOCUMENTS, order=order)
            assert found.mean()["run"]["spanRR"] == pytest.approx(LISTED)
            text = f"order='{order}' has no effect: the results have ranks, which order them"
            assert text in [note.text for note in found.notes]


# --- flat rows --------------------------------------------------------------------------------------------------------


def flat(number=lambda score: {"score": score}) -> list[dict]:
    return [
        {"question": question, "doc": place["doc"], "start": place["start"], "end": place["end"], **number(score)}
        for question, found in LISTS.items()
        for place, score in found
    ]


def flat_runs(records: list[dict], folder) -> dict:
    pandas.DataFrame(records).to_csv(folder / "run.csv", index=False)
    found = {holder: held(holder, records, folder) for holder in HOLDERS if holder not in ("JSON", "indented JSON")}
    path = folder / "list.json"
    path.write_text(json.dumps(records))
    return {**found, "CSV": folder / "run.csv", "JSON": path}


def test_rows_are_ordered_by_score_with_a_note(tmp_path):
    note = (
        "in 3 of 3 topics the file has another order than the scores, which count; "
        "order='file' keeps the order of the file"
    )
    for holder, run in flat_runs(flat(), tmp_path).items():
        assert value_and_notes(run) == (pytest.approx(SCORED), [note]), holder
        assert value_and_notes(run, order="score") == (pytest.approx(SCORED), []), holder
        assert value_and_notes(run, order="file") == (pytest.approx(LISTED), []), holder


def test_rows_are_ordered_by_rising_distance(tmp_path):
    for name in ("distance", "_distance"):
        records = flat(lambda score, name=name: {name: 1 - score})
        for holder, run in flat_runs(records, tmp_path).items():
            assert spanrr(run) == pytest.approx(SCORED), (name, holder)
            assert spanrr(run, order="file") == pytest.approx(LISTED), (name, holder)


def test_rows_are_ordered_by_rank(tmp_path):
    places = iter([1, 2, 3] * 3)
    records = [{**row, "rank": next(places)} for row in flat()][::-1]
    for holder, run in flat_runs(records, tmp_path).items():
        for order in (None, "file", "score"):
            assert spanrr(run, order=order) == pytest.approx(LISTED), holder


def test_rows_of_topics_that_alternate(tmp_path):
    records = sorted(flat(), key=lambda row: row["end"] % 7)
    first = {row["question"]: [] for row in records}
    for row in records:
        first[row["question"]].append((row["doc"], row["start"]))
    relevant = {row["question"]: (row["doc"], row["start"]) for row in TRUTH}
    expected = sum(1 / (first[asked].index(place) + 1) for asked, place in relevant.items()) / 3
    for holder, run in flat_runs(records, tmp_path).items():
        assert spanrr(run) == pytest.approx(SCORED), holder
        assert spanrr(run, order="file") == pytest.approx(expected), holder


@pytest.mark.parametrize(("wrong", "noted"), [(0, False), (1, False), (2, False), (3, True)])
def test_the_note_on_rows_needs_more_than_a_tenth_of_the_topics(wrong, noted, tmp_path):
    truth = {str(topic): {"a": 1} for topic in range(20)}
    lines = [
        f"{topic} Q0 {name} 0 {score} x\n"
        for topic in range(20)
        for name, score in ((("b", 1), ("a", 2)) if topic < wrong else (("a", 2), ("b", 1)))
    ]
    (tmp_path / "mine.run").write_text("".join(lines))
    found = bp.evaluate(truth, tmp_path / "mine.run", "RR")
    assert found.mean()["x"]["RR"] == 1
    assert [note.kind for note in found.notes if note.kind == "order"] == ["order"] * noted
    kept = bp.evaluate(truth, tmp_path / "mine.run", "RR", order="file")
    assert kept.mean()["x"]["RR"] == pytest.approx((20 - wrong / 2) / 20)


# --- dictionaries of scores, and TREC ---------------------------------------------------------------------------------


def test_a_dictionary_of_scores_is_not_a_list(tmp_path):
    truth, run = {"q": {"a": 1}}, {"q": {"b": 0.1, "a": 0.9}}
    found = bp.evaluate(truth, {"run": run}, "RR")
    assert found.mean()["run"]["RR"] == 1 and not [note for note in found.notes if note.kind == "order"]
    (tmp_path / "mine.run").write_text("q Q0 b 1 0.1 run\nq Q0 a 2 0.9 run\n")
    for one in ({"run": run}, tmp_path / "mine.run"):
        assert bp.evaluate(truth, one, "RR").mean()["run"]["RR"] == 1
        assert bp.evaluate(truth, one, "RR", order="score").mean()["run"]["RR"] == 1
        assert bp.evaluate(truth, one, "RR", order="file").mean()["run"]["RR"] == 0.5


def test_whole_documents_in_lists(tmp_path):
    truth = {"q": {"a": 1}}
    items = [{"doc": "b", "score": 0.1}, {"doc": "a", "score": 0.9}]
    for holder in HOLDERS:
        run = {"run": held(holder, [{"topic": "q", "results": items}], tmp_path)}
        assert bp.evaluate(truth, run, "RR").mean()["run"]["RR"] == 0.5, holder
        assert bp.evaluate(truth, run, "RR", order="score").mean()["run"]["RR"] == 1, holder
    assert bp.evaluate(truth, {"run": {"q": items}}, "RR").mean()["run"]["RR"] == 0.5


def test_lists_and_rows_in_one_file(tmp_path):
    """Rows of the second topic go by score; the list of the first one keeps its order."""
    lines = [
        {"topic": "q", "results": [{"doc": "b", "score": 0.1}, {"doc": "a", "score": 0.9}]},
        {"topic": "r", "doc": "b", "score": 0.1},
        {"topic": "r", "doc": "a", "score": 0.9},
    ]
    run = held("JSON Lines", lines, tmp_path)
    found = bp.evaluate({"q": {"a": 1}, "r": {"a": 1}}, {"run": run}, "RR")
    assert found.per_topic()["run"]["RR"] == {"q": 0.5, "r": 1.0}
    assert [note.text.partition(";")[0] for note in found.notes] == ["scores do not fall in 1 of 2 topics"]
    names = {"topic": "q", "results": ["b", "a"]}
    for mixed in ([names, *lines[1:]], [*lines[1:], names]):
        found = bp.evaluate({"q": {"a": 1}, "r": {"a": 1}}, {"run": held("JSON Lines", mixed, tmp_path)}, "RR")
        assert found.per_topic()["run"]["RR"] == {"q": 0.5, "r": 1.0}


# --- options, signatures, and other ways in ---------------------------------------------------------------------------


def test_pages_beside_texts_stay_with_their_results():
    truth = [{"topic": "1", "doc": "oak", "page": 3}]
    found = [
        {"doc": "oak", "score": 0.1, "text": "first", "page": 2},
        {"doc": "oak", "score": 0.9, "text": "second", "page": 3},
    ]
    runs = {"lists": {"1": found}, "rows": [{"topic": "1", **one} for one in found]}
    for order, right in (("file", 1 / 2), ("score", 1.0)):
        results = bp.evaluate(truth, runs, "spanRR", order=order)
        assert {name: one["spanRR"] for name, one in results.mean().items()} == dict.fromkeys(runs, right), order


def test_signatures_say_which_order_was_asked_for():
    truth, run = {"q": {"a": 1}}, {"q": {"b": 0.1, "a": 0.9}}
    plain, asked = (bp.evaluate(truth, run, "RR", order=order) for order in (None, "file"))
    assert not any("order" in str(row.signature) for row in plain)
    assert all("order:file" in str(row.signature) for row in asked)


def test_runs_that_are_read_already():
    run = bp.Run.from_dict({"q": {"b": 0.1, "a": 0.9}})
    assert bp.score("RR", {"q": {"a": 1}}, run, order="file") == 0.5
    listed = bp.Run.from_dict({"q": [{"doc": "b", "score": 0.1}, {"doc": "a", "score": 0.9}], "empty": []})
    assert bp.score("RR", {"q": {"a": 1}}, listed) == 0.5
    assert bp.score("RR", {"q": {"a": 1}}, listed, order="score") == 1


def test_an_unknown_order_is_refused():
    with pytest.raises(bp.UsageError, match="unknown order 'rank'"):
        bp.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "RR", order="rank")


def test_commands(tmp_path, berrypick):
    truth = tmp_path / "truth.jsonl"
    truth.write_text("".join(json.dumps(row) + "\n" for row in TRUTH))
    texts = tmp_path / "texts.jsonl"
    texts.write_text("".join(json.dumps({"doc": name, "text": text}) + "\n" for name, text in DOCUMENTS.items()))
    run = held("JSON Lines", rows("results", ITEMS["spans"]), tmp_path)
    rows_of = tmp_path / "rows.jsonl"
    rows_of.write_text("".join(json.dumps(row) + "\n" for row in flat()))
    done = berrypick("evaluate", truth, run, "-m", "spanRR")
    assert done.code == 0 and ".8333" in done.out
    assert "scores do not fall in 3 of 3 topics; lists count as they are (--order score sorts by score)" in done.err
    sorted_by_score = berrypick("evaluate", truth, run, "-m", "spanRR", "--order", "score")
    assert ".6111" in sorted_by_score.out and "scores do not fall" not in sorted_by_score.err
    flatly = berrypick("evaluate", truth, rows_of, "-m", "spanRR")
    assert ".6111" in flatly.out and "--order file keeps the order of the file" in flatly.err
    assert ".8333" in berrypick("evaluate", truth, rows_of, "-m", "spanRR", "--order", "file").out
    compared = berrypick("compare", truth, run, rows_of, "-m", "spanRR", "--order", "score")
    assert compared.code == 0 and compared.out.count(".6111") == 2
    checked = berrypick("check", run)
    assert checked.code == 0 and "scores do not fall in 3 of 3 topics" in checked.out
    assert "--order file keeps the order of the file" in berrypick("check", rows_of).out
    assert "another order" not in berrypick("check", rows_of, "--order", "file").out


def test_a_file_of_a_dictionary_of_scores(tmp_path):
    for number, run in enumerate(({"q": {"b": 0.1, "a": 0.9}}, {"q": {"b#0-9": 0.1, "a#0-9": 0.9}})):
        truth, measure = ({"q": {"a": 1}}, "RR") if number == 0 else ({"q": {"a#0-9": 1}}, "spanRR")
        for indent in (None, 1):
            (tmp_path / "run.json").write_text(json.dumps(run, indent=indent))
            for one in ({"run": run}, {"run": tmp_path / "run.json"}):
                found = bp.evaluate(truth, one, measure)
                assert found.mean()["run"][measure] == 1
                assert not [note for note in found.notes if note.kind == "order"]
                assert bp.evaluate(truth, one, measure, order="file").mean()["run"][measure] == 0.5
