"""Results whose text is not in the documents lower scores, are counted, and refuse a run only where they are many."""

from __future__ import annotations

import json

import pandas
import pytest

import berrypick as bp

# 0123456789 are ten characters; the answer is 11-46, 35 characters
GUIDE = "0123456789 The refund is paid within ten days. Other things follow here. Say hello. Say hello."
ANSWER = "The refund is paid within ten days."
OTHER = "Other things follow here."
DOCUMENTS = {"guide": GUIDE, "faq": "Questions and answers. Say hello."}
TRUTH = [{"topic": "q", "doc": "guide", "start": 11, "end": 46}]
LOST = "nowhere to be found"  # 19 characters


def carriers(texts: list[str], folder) -> dict[str, object]:
    """The same ranked list of texts in every carrier."""
    rows = [{"topic": "q", "text": text, "rank": rank} for rank, text in enumerate(texts, start=1)]
    (folder / "run.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    frame = pandas.DataFrame(rows)
    frame.to_csv(folder / "run.csv", index=False)
    frame.to_parquet(folder / "run.parquet")
    (folder / "nested.json").write_text(json.dumps([{"question": "q", "contexts": texts}]))
    return {
        "list": {"q": texts},
        "dictionaries": {"q": [{"text": text} for text in texts]},
        "records": rows,
        "frame": frame,
        "jsonl": folder / "run.jsonl",
        "csv": folder / "run.csv",
        "parquet": folder / "run.parquet",
        "nested": folder / "nested.json",
    }


CARRIERS = ("list", "dictionaries", "records", "frame", "jsonl", "csv", "parquet", "nested")


def means(run, measures: str, truth=TRUTH, **options) -> dict[str, float]:
    [found] = bp.evaluate(truth, run, measures, documents=DOCUMENTS, **options).mean().values()
    return found


@pytest.mark.parametrize("carrier", CARRIERS)
def test_counts_as_retrieved_and_irrelevant_with_its_length(carrier, tmp_path):
    run = carriers([LOST, ANSWER], tmp_path)[carrier]
    found = means(run, "charP@1 charP@2 charR@2 IoU@2 spanRR Overlap EPRUM")
    half = 35 / (19 + 35)
    assert found == {
        "charP@1": 0,
        "charP@2": half,
        "charR@2": 1,
        "IoU@2": half,
        "spanRR": 0.5,
        "Overlap": 0,
        "EPRUM": 0.5,
    }
    results = bp.evaluate(TRUTH, run, "charR", documents=DOCUMENTS)
    [note] = [str(note) for note in results.notes if "cannot be placed" in str(note)]
    assert "1 result of 2 cannot be placed in the documents and counts as irrelevant, with its length" in note
    assert f"topic q, rank 1: {LOST}" in note
    [row] = results.unplaced
    assert (row["topic"], row["rank"], row["text"]) == ("q", 1, LOST) and row["run"] and row["why"]


def test_effort_counts_its_characters_and_tokens():
    """Coverage is the area under answer seen against effort: 19 characters are read before the 35 of the answer."""
    coverage = "Coverage(budget=54)"
    assert means({"q": [LOST, ANSWER]}, coverage, effort="chars") == pytest.approx({coverage: 35 / 2 / 54})
    assert means({"q": [ANSWER, LOST]}, coverage, effort="chars") == pytest.approx({coverage: (35 / 2 + 19) / 54})
    four_words = {"q": [OTHER.rstrip("."), ANSWER]}  # as LOST has
    assert means({"q": [LOST, ANSWER]}, coverage, effort="tokens") == means(four_words, coverage, effort="tokens")
    three_words = means({"q": [LOST[8:], ANSWER]}, coverage, effort="tokens")
    assert three_words[coverage] > means(four_words, coverage, effort="tokens")[coverage]


def test_a_repeated_text_counts_once_and_two_texts_do_not_overlap():
    assert means({"q": [LOST, ANSWER, LOST]}, "charP Overlap") == pytest.approx(
        {"charP": 35 / 54, "Overlap": 19 / (19 + 35 + 19)}
    )
    assert means({"q": [LOST, ANSWER, LOST[:-1]]}, "charP Overlap") == {"charP": 35 / 72, "Overlap": 0}


def test_never_counts_as_relevant():
    """Not even where unjudged text does."""
    found = means({"q": [LOST, ANSWER, OTHER]}, "charP charR IoU", unjudged="relevant")
    assert found == pytest.approx({"charP": 60 / 79, "charR": 1, "IoU": 60 / 79})


def test_where_documents_are_judged_it_is_an_irrelevant_document():
    found = means({"q": [LOST, ANSWER]}, "RR P@2", truth={"q": {"guide": 1}})
    assert found == {"RR": 0.5, "P@2": 0.5}


def test_explanations_name_it():
    said = str(bp.explain(TRUTH, {"q": [LOST, ANSWER]}, "charP", "q", documents=DOCUMENTS))
    assert f"not in the documents: {LOST}" in said


def test_a_document_of_the_same_name_is_another_one():
    name = f"not in the documents: {LOST}"
    truth = [*TRUTH, {"topic": "q", "doc": name, "start": 0, "end": 5}]
    found = bp.evaluate(truth, {"q": [LOST]}, "charR spanRR", documents={**DOCUMENTS, name: "Other text."})
    assert found.mean() == {"run": {"charR": 0, "spanRR": 0}}


# --- how many are too many --------------------------------------------------------------------------------------------


def many(lost: int, of: int) -> dict[str, list[str]]:
    return {"q": [f"{LOST} {number}" for number in range(lost)] + [OTHER] * (of - lost)}


@pytest.mark.parametrize(
    ("lost", "of", "refused"), [(5, 5, False), (6, 60, False), (6, 59, True), (7, 60, True), (60, 60, True)]
)
def test_above_a_tenth_and_more_than_five_the_documents_are_others(lost, of, refused):
    if not refused:
        assert len(bp.evaluate(TRUTH, many(lost, of), "charR", documents=DOCUMENTS).unplaced) == lost
        return
    with pytest.raises(
        bp.InputError, match=f"{lost} of {of} results cannot be placed in the documents, more than a ten"
    ):
        bp.evaluate(TRUTH, many(lost, of), "charR", documents=DOCUMENTS)


def test_an_option_decides():
    assert means(many(60, 60), "charR", unplaced="irrelevant") == {"charR": 0}
    with pytest.raises(bp.InputError, match=rf"1 of 2 results cannot be placed[\s\S]*topic q, rank 1: .*{LOST}"):
        means({"q": [LOST, ANSWER]}, "charR", unplaced="error")
    with pytest.raises(bp.UsageError, match="unknown unplaced"):
        means({"q": [ANSWER]}, "charR", unplaced="relevant")


def test_the_error_names_what_finds_them(tmp_path, berrypick):
    """The remedy works when it is typed."""
    texts = [GUIDE[i : i + 20].replace(" ", "\n") for i in range(0, 70, 10)]
    paths = written(tmp_path, {"run": texts})
    refused = berrypick("evaluate", *paths("run"), "-m", "charR")
    assert refused.code == 2 and "--unplaced irrelevant" in refused.err
    assert "--quotes normalised finds 7 of them" in refused.err
    done = berrypick("evaluate", *paths("run"), "-m", "charR", "--quotes", "normalised")
    assert done.code == 0 and done.out.split()[-1] == "1.0000"


# --- the command line -------------------------------------------------------------------------------------------------


def written(folder, runs: dict[str, list[str]]):
    """Files of the truth, of the documents, and of runs; returns the arguments that name them."""
    (folder / "texts").mkdir(exist_ok=True)
    for name, text in DOCUMENTS.items():
        (folder / "texts" / name).write_text(text)
    topics = [f"q{number}" for number in range(8)]
    truth = [{**TRUTH[0], "topic": topic} for topic in topics]
    (folder / "truth.jsonl").write_text("".join(json.dumps(row) + "\n" for row in truth))
    for name, texts in runs.items():
        rows = [{"topic": topic, "text": text, "rank": i} for topic in topics[:1] for i, text in enumerate(texts, 1)]
        rows += [{"topic": topic, "text": ANSWER, "rank": 1} for topic in topics[1:]] if name != "run" else []
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    if list(runs) == ["run"]:
        (folder / "truth.jsonl").write_text(json.dumps(truth[0]) + "\n")

    def arguments(*names: str) -> list[object]:
        files = [folder / f"{name}.jsonl" for name in names]
        return [folder / "truth.jsonl", *files, "--documents", folder / "texts"]

    return arguments


def test_the_report_lists_them(tmp_path, berrypick):
    paths = written(tmp_path, {"run": [LOST, ANSWER, "Say hello"]})
    listed = tmp_path / "lost.jsonl"
    done = berrypick("evaluate", *paths("run"), "-m", "charP", "--report", listed)
    assert done.code == 0 and "1 result of 3 cannot be placed" in done.err
    [row] = map(json.loads, listed.read_text().splitlines())
    expected = {
        "run": "run",
        "topic": "q0",
        "rank": 1,
        "line": 1,
        "text": LOST,
        "why": "its text is not in the documents",
    }
    assert row == expected
    berrypick("compare", *paths("run"), "-m", "charP", "--report", listed)
    assert json.loads(listed.read_text()) == expected
    found = written(tmp_path, {"run": [ANSWER]})
    assert berrypick("evaluate", *found("run"), "-m", "charP", "--report", listed).code == 0
    assert listed.read_text() == ""


def test_the_page_does_not_count_them_as_documents(tmp_path):
    run = {"q": [LOST, ANSWER]}
    page = bp.write_report(TRUTH, run, "charP", html=tmp_path / "page.html", documents=DOCUMENTS)
    assert page.documents == 1 and "1 result of 2 cannot be placed" in page.content


def test_the_report_is_written_where_they_are_an_error(tmp_path, berrypick):
    paths = written(tmp_path, {"run": [f"{LOST} {number}" for number in range(6)]})
    listed = tmp_path / "lost.jsonl"
    refused = berrypick("evaluate", *paths("run"), "-m", "charP", "--report", listed)
    assert refused.code == 2 and refused.out == "" and "6 of 6 results cannot be placed" in refused.err
    assert [json.loads(line)["rank"] for line in listed.read_text().splitlines()] == [1, 2, 3, 4, 5, 6]


def test_the_report_overwrites_no_input(tmp_path, berrypick):
    paths = written(tmp_path, {"run": [ANSWER]})
    refused = berrypick("evaluate", *paths("run"), "-m", "charP", "--report", tmp_path / "run.jsonl")
    assert refused.code == 2 and "refusing to overwrite" in refused.err


def test_jobs_change_nothing(tmp_path, berrypick):
    paths = written(tmp_path, {"old": [LOST, ANSWER], "new": [ANSWER, LOST]})
    listed = tmp_path / "lost.jsonl"
    options = ("-m", "charP spanRR", "-q", "-o", "json", "--report", listed)
    one = berrypick("evaluate", *paths("old", "new"), *options)
    rows = listed.read_text()
    two = berrypick("evaluate", *paths("old", "new"), *options, "--jobs", "2")
    assert (
        one.code == two.code == 0 and one.out == two.out and listed.read_text() == rows and len(rows.splitlines()) == 2
    )


def test_a_gate_refuses_a_baseline_that_they_lower(tmp_path, berrypick):
    paths = written(tmp_path, {"old": [LOST, ANSWER], "new": [ANSWER]})
    command = ("compare", *paths("old", "new"), "-m", "charP", "--fail-if-worse")
    refused = berrypick(*command, "old")
    assert (
        refused.code == 2 and "the baseline old is lowered by results whose text is not in the documents" in refused.err
    )
    assert berrypick(*command, "old", "--unplaced", "irrelevant").code == 0
    assert berrypick(*command, "new").code == 0  # of the run under test they only lower its own score
    comparison = bp.compare(
        tmp_path / "truth.jsonl",
        [tmp_path / "old.jsonl", tmp_path / "new.jsonl"],
        "charP",
        documents=tmp_path / "texts",
    )
    with pytest.raises(bp.UsageError, match="unplaced='irrelevant'"):
        comparison.unmet(worse_than="old")


# --- a text in several places -----------------------------------------------------------------------------------------

TWICE = "Say hello."  # twice in guide, at 73 and 84, and once in faq, at 23


def judged(*spans: tuple[str, int, int]) -> list[dict[str, object]]:
    return [{"topic": "q", "doc": doc, "start": start, "end": end} for doc, start, end in spans]


def places(result, truth) -> list[tuple[str, int, int]]:
    ranking = bp.judge(truth, {"q": [result]}, "q", documents=DOCUMENTS).ranking
    return [(one["doc"], one["start"], one["end"]) for one in ranking]


def test_the_places_of_the_samples():
    assert [i for i in range(len(GUIDE)) if GUIDE.startswith(TWICE, i)] == [73, 84]
    assert DOCUMENTS["faq"].index(TWICE) == 23


def test_no_place_touches_judged_text():
    assert places(TWICE, TRUTH) == [("guide", 73, 83)]
    assert places({"text": TWICE, "doc": "faq"}, TRUTH) == [("faq", 23, 33)]


def test_the_document_decides():
    truth = judged(("faq", 20, 30))
    assert places({"text": TWICE, "doc": "faq"}, truth) == [("faq", 23, 33)]
    assert means({"q": [{"text": TWICE, "doc": "faq"}]}, "charR charP", truth) == {"charR": 0.7, "charP": 0.7}
    assert places({"text": TWICE, "doc": "guide"}, truth) == [("guide", 73, 83)]  # neither touches judged text


def test_nothing_decides():
    truth = judged(("guide", 80, 90))
    assert means({"q": [TWICE]}, "charR", truth) == {"charR": 0}
    [row] = bp.evaluate(truth, {"q": [{"text": TWICE, "doc": "guide"}]}, "charR", documents=DOCUMENTS).unplaced
    assert row["why"] == "its text is in 2 places of guide, some of them judged"
    assert row["candidates"] == [{"doc": "guide", "start": 73, "end": 83}, {"doc": "guide", "start": 84, "end": 94}]


def test_judged_text_of_other_topics_does_not_matter():
    truth = [*TRUTH, {"topic": "other", "doc": "guide", "start": 80, "end": 90}]
    assert places(TWICE, truth) == [("guide", 73, 83)]


def test_a_text_that_is_not_in_the_document_that_it_names():
    [row] = bp.evaluate(TRUTH, {"q": [{"text": ANSWER, "doc": "faq"}]}, "charR", documents=DOCUMENTS).unplaced
    assert row["doc"] == "faq" and row["why"] == "its text is not in faq, but in guide"
    assert row["candidates"] == [{"doc": "guide", "start": 11, "end": 46}]


def test_a_document_that_is_not_there_stays_an_error():
    with pytest.raises(bp.InputError, match="document manual is not in"):
        means({"q": [{"text": ANSWER, "doc": "manual"}]}, "charR")


# --- prefixes ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("prefix", ["passage: ", "Refunds\n\n", "Title: days.\n", "This is about refunds. "])
@pytest.mark.parametrize("carrier", CARRIERS)
def test_the_rest_behind_a_prefix_has_its_place(prefix, carrier, tmp_path):
    run = carriers([prefix + ANSWER, OTHER], tmp_path)[carrier]
    assert means(run, "charP charR") == {"charP": 35 / 60, "charR": 1}
    notes = [str(note) for note in bp.evaluate(TRUTH, run, "charR", documents=DOCUMENTS).notes]
    assert any(
        "1 result has a prefix that is not in the document; the rest of the text counts" in note for note in notes
    )


def test_the_rest_is_at_least_sixty_per_cent():
    assert places("x" * 23 + ANSWER, TRUTH) == [("guide", 11, 46)]  # 35 of 58 characters
    assert len(bp.evaluate(TRUTH, {"q": ["x" * 24 + ANSWER]}, "charR", documents=DOCUMENTS).unplaced) == 1  # 35 of 59


def test_the_rest_is_found_whatever_its_white_space_where_that_is_allowed():
    text = "passage:\n" + ANSWER.replace(" ", "\n")
    assert means({"q": [text]}, "charP charR", quotes="normalised") == {"charP": 1, "charR": 1}
    assert means({"q": [text]}, "charP charR") == {"charP": 0, "charR": 0}


def test_a_prefix_that_ends_like_the_text_before_is_not_counted():
    """Of "Sundays. " the document has "ndays. " before the rest, the end of another word."""
    text = "We pay on Mondays. Refunds take ten days."
    found = bp.judge(
        {"q": [("a", 0, 9)]}, {"q": ["Sundays. Refunds take ten days."]}, "q", documents={"a": text}
    ).ranking
    assert list(found) == [{"doc": "a", "start": 19, "end": 41}]


def test_a_prefix_and_an_end_are_too_much():
    assert len(bp.evaluate(TRUTH, {"q": [f"x {ANSWER} y"]}, "charR", documents=DOCUMENTS).unplaced) == 1


# --- beside offsets, and among results with offsets -------------------------------------------------------------------


def test_offsets_beside_such_a_text_are_a_mismatch():
    with pytest.raises(bp.InputError, match="does not match its text"):
        means({"q": [{"doc": "guide", "start": 0, "end": 19, "text": LOST}]}, "charR", unplaced="irrelevant")


def test_texts_among_offsets():
    run = {"q": [{"doc": "guide", "start": 11, "end": 46}, LOST, OTHER]}
    assert means(run, "charP charR") == pytest.approx({"charP": 35 / (35 + 19 + 25), "charR": 1})


def test_a_run_given_again_is_scored_alike():
    """The texts that it has been placed in know it."""
    texts = bp.read_texts(DOCUMENTS)
    first = bp.evaluate(TRUTH, {"q": [LOST, ANSWER]}, "charP", documents=texts)
    assert len(texts) == 2 and list(texts) == ["guide", "faq"]
    assert bp.evaluate(TRUTH, {"q": [LOST, ANSWER]}, "charP", documents=texts).mean() == first.mean()
