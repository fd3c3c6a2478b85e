"""Quotes to spans: found, missing, ambiguous, settled, checked; nothing is guessed."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import berrypick as bp
from berrypick.data.truth import Quote
from berrypick.documents.locator import Locator, Place, Unresolved, normal_form
from berrypick.documents.quotes import check_quotes
from berrypick.documents.texts import Texts

GARDEN = (
    "Raspberries fruit in July.\r\nCut the old canes \u2014 not the new ones \u2014 in autumn.\n"
    "\u201cPick dry,\u201d she said.  Raspberries fruit in July, and again\nin September."
)
HEDGE = "Brambles need no care. Pick dry, always."
TEXTS = Texts({"garden": GARDEN, "hedge": HEDGE})


def lines(*records: dict) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "texts"
    place.mkdir()
    (place / "garden.txt").write_bytes(GARDEN.encode())
    (place / "hedge.md").write_bytes(b"\xef\xbb\xbf" + HEDGE.encode())
    return place


def located(files, folder, *records, **options):
    path = files(truth_jsonl=lines(*records))["truth_jsonl"]
    truth = bp.locate(bp.read_truth(path), folder, **options)
    return {
        name: [(d, int(s), int(e)) for d, s, e in zip(topic.document, topic.start, topic.end, strict=True)]
        for name, topic in truth.topics.items()
    }


def span(text: str, quote: str, nth: int = 0) -> tuple[int, int]:
    at = -1
    for _ in range(nth + 1):
        at = text.index(quote, at + 1)
    return at, at + len(quote)


# --- files ------------------------------------------------------------------------------------------------------------


def test_a_unique_quote_is_found_with_and_without_its_document(files, folder):
    found = located(
        files,
        folder,
        {"topic": "1", "doc": "garden.txt", "quote": "in autumn"},
        {"topic": "2", "quote": "need no care"},
        {"topic": "2", "doc": "hedge", "start": 0, "end": 8},
    )
    assert found == {
        "1": [("garden.txt", *span(GARDEN, "in autumn"))],
        "2": [("hedge.md", *span(HEDGE, "need no care")), ("hedge.md", 0, 8)],
    }


def test_a_given_offset_settles_which_place_is_meant(files, folder):
    second = span(GARDEN, "Raspberries fruit", 1)
    record = {"topic": "1", "doc": "garden", "quote": "Raspberries fruit"}
    assert located(files, folder, {**record, "start": second[0]}) == {"1": [("garden.txt", *second)]}
    assert located(files, folder, {**record, "start": 0, "end": 17}) == {"1": [("garden.txt", 0, 17)]}


def test_offsets_in_bytes_beside_a_quote(files, folder):
    second = span(GARDEN, "Raspberries fruit", 1)
    start = len(GARDEN[: second[0]].encode())
    record = {"topic": "1", "doc": "garden", "quote": "Raspberries fruit", "start": start}
    assert located(files, folder, record, offsets="bytes") == {"1": [("garden.txt", *second)]}
    with_end = {**record, "end": start + 17}
    assert located(files, folder, with_end, offsets="bytes") == {"1": [("garden.txt", *second)]}


def test_all_problems_are_told_with_candidates_and_nothing_is_written(files, folder, berrypick, tmp_path):
    path = files(
        truth_jsonl=lines(
            {"topic": "1", "doc": "garden", "quote": "Raspberries fruit"},
            {"topic": "2", "doc": "garden", "quote": "gooseberries"},
            {"topic": "3", "doc": "garden", "quote": "in autumn", "start": 3},
            {"topic": "3", "quote": "care"},
        )
    )["truth_jsonl"]
    done = berrypick("locate", path, tmp_path / "out.jsonl", "--documents", folder)
    assert done.code == 2 and done.out == ""
    assert not (tmp_path / "out.jsonl").exists()
    assert "3 of 4 quotes cannot be resolved" in done.err
    assert f"{path}:1: topic 1: the quote occurs in 2 places of garden.txt; give start" in done.err
    second = span(GARDEN, "Raspberries fruit", 1)
    assert f"garden.txt {second[0]}-{second[1]}: " in done.err and "[Raspberries fruit]" in done.err
    assert f"{path}:2: topic 2: the quote is not in garden.txt" in done.err
    at = GARDEN.index("in autumn")
    assert (
        f"{path}:3: topic 3: the offset 3 does not match its quote, which is {at - 3} characters away at {at}"
        in done.err
    )


def test_spans_that_do_not_match_their_quote_are_told_how_far(files, folder):
    start, end = span(GARDEN, "in autumn")
    with pytest.raises(bp.InputError, match=f"ends at {end}, 2 characters later"):
        located(files, folder, {"topic": "1", "doc": "garden", "quote": "in autumn", "start": start, "end": end - 2})
    with pytest.raises(bp.InputError, match="which is 1 character earlier"):
        located(
            files, folder, {"topic": "1", "doc": "garden", "quote": "in autumn", "start": start + 1, "end": end + 1}
        )


def test_locate_writes_spans_that_evaluate_reads(files, folder, berrypick, tmp_path):
    paths = files(
        truth_jsonl=lines({"topic": "1", "quote": "in autumn", "grade": 2}),
        run_jsonl=lines({"topic": "1", "doc": "garden", "start": 0, "end": len(GARDEN), "score": 1}),
    )
    out = tmp_path / "out.jsonl"
    done = berrypick("locate", paths["truth_jsonl"], out, "--documents", folder)
    assert done.code == 0 and "1 topic, 1 judged span, 1 relevant, 1 document" in done.err
    start, end = span(GARDEN, "in autumn")
    located = {"topic": "1", "doc": "garden.txt", "start": start, "end": end, "grade": 2, "offsets": "chars"}
    assert json.loads(out.read_text()) == located
    both = [
        berrypick("evaluate", truth, paths["run_jsonl"], "-m", "charP charR", "--documents", folder).out
        for truth in (out, paths["truth_jsonl"])
    ]
    assert both[0] == both[1] != ""
    for name in ("out.csv", "out.parquet"):
        assert berrypick("locate", paths["truth_jsonl"], tmp_path / name, "--documents", folder).code == 0
        assert bp.read_truth(tmp_path / name).topics["1"].start.tolist() == [start]


def test_a_truth_with_quotes_needs_documents(files, berrypick):
    paths = files(
        truth_jsonl=lines({"topic": "1", "doc": "d", "quote": "x"}),
        run_jsonl=lines({"topic": "1", "doc": "d", "start": 0, "end": 1, "score": 1}),
    )
    done = berrypick("evaluate", paths["truth_jsonl"], paths["run_jsonl"], "-m", "charR")
    assert done.code == 2 and "truth.jsonl:1 quotes relevant text: give the documents" in done.err


def test_quotes_with_offsets_can_be_used_without_documents(files):
    paths = files(
        truth_jsonl=lines({"topic": "1", "doc": "d", "quote": "x", "start": 0, "end": 1}),
        run_jsonl=lines({"topic": "1", "doc": "d", "start": 0, "end": 2, "score": 1}),
    )
    assert bp.evaluate(paths["truth_jsonl"], paths["run_jsonl"], "charP").mean_rows[0].value == 0.5


@pytest.mark.parametrize(
    ("record", "problem"),
    [
        ({"topic": "1", "quote": ""}, "quote must be a non-empty string"),
        ({"topic": "1", "quote": 7}, "quote must be a non-empty string"),
        ({"topic": "1", "quote": "x", "end": 3}, "end but no start"),
        ({"topic": "1", "quote": "x", "start": -3}, "below 0"),
        ({"quote": "x"}, "topic is missing"),
    ],
)
def test_bad_lines_are_told(files, record, problem):
    path = files(truth_jsonl=lines({"topic": "0", "quote": "a"}, record))["truth_jsonl"]
    with pytest.raises(bp.InputError, match=problem) as error:
        bp.read_truth(path)
    assert f"{path}:2" in str(error.value)


def test_an_unknown_document_is_told_with_the_nearest(files, folder):
    with pytest.raises(bp.InputError, match=r"document gardens is not in .*did you mean garden"):
        located(files, folder, {"topic": "1", "doc": "gardens", "quote": "x"})


def test_two_quotes_of_one_place_are_merged_unless_their_grades_differ(files, folder):
    record = {"topic": "1", "doc": "garden", "quote": "in autumn"}
    assert len(located(files, folder, record, record)["1"]) == 1
    with pytest.raises(bp.InputError, match="grade 2"):
        located(files, folder, record, {**record, "grade": 2})


def test_what_is_not_located_is_written_as_it_was(files, tmp_path):
    records = [
        {"topic": "1", "doc": "a", "start": 1, "end": 2, "quote": "x", "grade": 1},
        {"topic": "1", "doc": "a", "start": 4, "quote": "y", "grade": 1},
        {"topic": "1", "quote": "z", "grade": 0.5},
    ]
    bp.write(bp.read_truth(files(t_jsonl=lines(*records))["t_jsonl"]), tmp_path / "again.jsonl", "span-truth")
    assert [json.loads(line) for line in (tmp_path / "again.jsonl").read_text().splitlines()] == records


# --- rules ------------------------------------------------------------------------------------------------------------


def test_normalised_passes_over_white_space_quotation_marks_and_dashes():
    found = Locator(TEXTS, "normalised").places("canes - not  the new\nones -- in".replace("--", "\u2013"), "garden")
    assert [GARDEN[place.start : place.end] for place in found] == ["canes \u2014 not the new ones \u2014 in"]
    found = Locator(TEXTS, "normalised").places('"Pick dry," she', "garden")
    assert [GARDEN[place.start : place.end] for place in found] == ["\u201cPick dry,\u201d she"]
    found = Locator(TEXTS, "normalised").places("July. Cut", "garden")
    assert [GARDEN[place.start : place.end] for place in found] == ["July.\r\nCut"]
    assert Locator(TEXTS, "exact").places("July. Cut", "garden") == []


def test_the_exact_place_comes_before_normalised_ones():
    texts = Texts({"a": "it's, it\u2019s"})
    assert Locator(texts, "normalised").places("it's") == [Place("a", 0, 4)]


def test_what_a_looser_rule_would_find_is_a_candidate():
    found = Locator(TEXTS).resolve("1", Quote("July. Cut", "garden"))
    assert isinstance(found, Unresolved)
    assert found.why.endswith("quotes='normalised' finds it") and len(found.candidates) == 1


def test_fuzzy_finds_changed_words_and_says_how_alike():
    quote = "Cut the old cane - not the new one - in autumn"
    (place,) = Locator(TEXTS, "fuzzy").places(quote, "garden")
    assert GARDEN[place.start : place.end] == "Cut the old canes \u2014 not the new ones \u2014 in autumn"
    assert 90 <= place.similarity < 100
    assert Locator(TEXTS, "fuzzy").places("Nothing of this is anywhere near to it.", "garden") == []
    assert Locator(TEXTS, "fuzzy", threshold=99).places(quote) == []
    found = Locator(TEXTS).resolve("1", Quote(quote))
    assert isinstance(found, Unresolved) and found.why.endswith("quotes='fuzzy' finds it")
    assert "% alike" in str(found.error(TEXTS, ""))


def test_rules_have_names():
    assert check_quotes(None) == "exact" and check_quotes("normalized") == "normalised"
    with pytest.raises(bp.UsageError, match="did you mean fuzzy"):
        check_quotes("fuzz")


words = st.lists(
    st.sampled_from(["berry", "\u201cjam\u201d", "a\u2014b", "it\u2019s", "\u00e9t\u00e9", "\U0001f353"]),
    min_size=1,
    max_size=30,
)


@given(words, st.integers(0, 10**6))
def test_every_exact_place_is_found_and_the_normal_form_leads_back(parts, seed):
    rng = random.Random(seed)
    text = "".join(part + rng.choice([" ", "  ", "\r\n", "\t"]) for part in parts)
    start = rng.randrange(len(text))
    end = rng.randrange(start, len(text)) + 1
    quote = text[start:end]
    locator = Locator(Texts({"d": text}), "normalised")
    assert Place("d", start, end) in locator.places(quote)
    for place in locator._by("normalised", quote, "d"):
        assert normal_form(text[place.start : place.end]).strip() == normal_form(quote).strip()


def test_overlapping_occurrences_are_all_found():
    assert [place.start for place in Locator(Texts({"d": "aaaa"})).places("aa")] == [0, 1, 2]


# --- repair, partial, report ------------------------------------------------------------------------------------------


def slips() -> list[dict]:
    """Offsets that are right, off by 2, off by 40, of a quote that is nowhere, and a quote in two places."""
    start, end = span(GARDEN, "in autumn")
    base = {"doc": "garden.txt", "grade": 1}
    return [
        {"topic": "1", **base, "start": start, "end": end, "quote": "in autumn"},
        {"topic": "2", **base, "start": start + 2, "end": end + 2, "quote": "in autumn"},
        {"topic": "3", **base, "start": start - 40, "end": end - 40, "quote": "in autumn"},
        {"topic": "4", **base, "start": 3, "end": 15, "quote": "gooseberries"},
        {"topic": "5", **base, "quote": "Raspberries fruit"},
        {"topic": "5", **base, "start": 0, "end": 11},
        {"topic": "6", **base, "start": 0, "end": 9999},
        {"topic": "7", "doc": "gardens.txt", "start": 0, "end": 5, "grade": 1},
        {"topic": "8", **base, "start": start + 1, "quote": "in autumn"},
    ]


def test_repair_moves_offsets_to_the_only_place_of_the_quote_nearby(files, folder):
    right = span(GARDEN, "in autumn")
    for off in (-3, -1, 1, 2, 3):
        record = {"topic": "1", "doc": "garden", "quote": "in autumn", "start": right[0] + off, "end": right[1] + off}
        assert located(files, folder, record, repair=3) == {"1": [("garden.txt", *right)]}
        with pytest.raises(bp.InputError, match="does not match its quote"):
            located(files, folder, record, repair=abs(off) - 1)
    both = {"topic": "1", "doc": "garden", "quote": "Raspberries fruit", "start": 60, "end": 77}
    with pytest.raises(bp.InputError, match="occurs in 2 places within 500 characters"):
        located(files, folder, both, repair=500)
    in_bytes = len(GARDEN[: right[0]].encode()) + 1
    record = {"topic": "1", "doc": "garden", "quote": "in autumn", "start": in_bytes, "end": in_bytes + 9}
    assert located(files, folder, record, repair=2, offsets="bytes") == {"1": [("garden.txt", *right)]}


def test_what_was_found_is_written_and_everything_is_reported(files, folder, berrypick, tmp_path):
    path, out, report = files(truth_jsonl=lines(*slips()))["truth_jsonl"], tmp_path / "out.jsonl", tmp_path / "r.jsonl"
    command = ("locate", path, out, "--documents", folder, "--repair", "3", "--report", report)
    refused = berrypick(*command)
    assert refused.code == 2 and not out.exists() and "5 of 8 quotes cannot be resolved" in refused.err
    statuses = {1: "matches", 2: "repaired", 3: "mismatch", 4: "mismatch", 5: "ambiguous", 7: "beyond the end",
                8: "unknown document", 9: "repaired"}  # fmt: skip
    assert {case["line"]: case["status"] for case in map(json.loads, report.read_text().splitlines())} == statuses
    report.unlink()
    done = berrypick(*command, "--partial")
    assert done.code == 0, done.err
    assert "2 spans moved to the quote" in done.err
    assert "5 of 8 spans and quotes skipped: 2 mismatch, 1 ambiguous, 1 beyond the end, 1 unknown document" in done.err
    assert "4 topics skipped: no span was found" in done.err
    right = span(GARDEN, "in autumn")
    written = [json.loads(line) for line in out.read_text().splitlines()]
    assert {(one["topic"], one["start"], one["end"]) for one in written} == {
        ("1", *right), ("2", *right), ("5", 0, 11), ("8", *right)}  # fmt: skip
    cases = {case["line"]: case for case in map(json.loads, report.read_text().splitlines())}
    assert {line: case["status"] for line, case in cases.items()} == statuses
    assert (cases[2]["start"], cases[2]["given"]) == (right[0], {"start": right[0] + 2, "end": right[1] + 2})
    assert cases[3]["candidates"] == [{"doc": "garden.txt", "start": right[0], "end": right[1]}]
    assert "40 characters later" in cases[3]["why"] and "not in the document" in cases[4]["why"]
    again = berrypick("locate", path, out, "--documents", folder, "--report", out)
    assert again.code == 2 and "would be written twice" in again.err


def test_bp_locate_takes_files_and_says_what_it_left_out(files, folder, tmp_path):
    path = files(truth_jsonl=lines(*slips()))["truth_jsonl"]
    found = bp.locate(path, folder, repair=3, partial=True, report=tmp_path / "report.jsonl")
    assert set(found.topics) == {"1", "2", "5", "8"} and found.offsets == "chars"
    assert any("skipped" in note for note in found.notes)
    assert len((tmp_path / "report.jsonl").read_text().splitlines()) == 8
    with pytest.raises(bp.UsageError, match="repair must be a number of characters"):
        bp.locate(path, folder, repair=-1)
    with pytest.raises(bp.InputError, match="document gardens is not in"):
        located(files, folder, {"topic": "1", "doc": "gardens", "start": 0, "end": 1})


@given(st.integers(0, 2**32))
def test_repair_agrees_with_counting_places_by_hand(seed):
    draw = random.Random(seed)
    text = "".join(draw.choice(["abcdef", "ghijkl", "mnopqr", "-"]) for _ in range(12)) + "abcdef"
    quote, reach = draw.choice(["abcdef", "ghijkl"]), draw.randrange(1, 12)
    start = draw.randrange(len(text) - 5)
    truth = {"q": [{"doc": "d", "start": start, "end": start + 6, "quote": quote, "grade": 1}]}
    near = [at for at in range(len(text)) if text.startswith(quote, at) and abs(at - start) <= reach]
    found = bp.locate(truth, {"d": text}, repair=reach, partial=True).topics.get("q")
    if text.startswith(quote, start):
        assert found.start.tolist() == [start]
    elif len(near) == 1:
        assert (found.start.tolist(), found.end.tolist()) == (near, [near[0] + 6])
    else:
        assert found is None


def test_candidates_end_without_white_space(tmp_path, berrypick):
    (tmp_path / "texts").mkdir()
    text = "a b " * 40
    (tmp_path / "texts" / "d").write_text(f"{text}here {text}here {text}")
    (tmp_path / "truth.jsonl").write_text('{"topic": "1", "doc": "d", "quote": "here"}\n')
    done = berrypick("locate", tmp_path / "truth.jsonl", tmp_path / "out.jsonl", "--documents", tmp_path / "texts")
    assert done.code == 2 and "candidates:" in done.err
    assert [line for line in done.err.splitlines() if line != line.rstrip()] == []
