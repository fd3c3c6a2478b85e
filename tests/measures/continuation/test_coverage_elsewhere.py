"""Coverage with tokens, notes, default measures and curves."""

from __future__ import annotations

import json

import handmade
import pytest
from hypothesis import strategies as st

import berrypick as bp
from berrypick.analysis.comparison.curves import bands
from berrypick.documents.tokens import get_tokenizer

HINDI = "रसभरी जुलाई में पकती है। पुरानी शाखाएँ काट दो। सूखे दिन में तोड़ो।"


def test_the_signature_names_the_segmentation():
    truth, run = {"q": [{"doc": "d", "start": 0, "end": 5}]}, {"q": [{"doc": "d", "start": 0, "end": 9}]}
    results = bp.evaluate(truth, run, "Coverage(budget=9)", documents={"d": HINDI}, effort="tokens")
    assert "tokenizer:words-uax29" in str(results.mean_rows[0].signature)


# --- retrievers and the sentence chunker ------------------------------------------------------------------------------


# --- tokenizers of other libraries ------------------------------------------------------------------------------------


def saved(tmp_path, truncation: bool = False):
    tokenizers = pytest.importorskip("tokenizers")
    made = tokenizers.Tokenizer(tokenizers.models.WordLevel({"[UNK]": 0, "red": 1, "berry": 2}, unk_token="[UNK]"))
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    if truncation:
        made.enable_truncation(2)
        made.enable_padding(length=64)
    made.save(str(tmp_path / "tokenizer.json"))
    return made, tmp_path / "tokenizer.json"


@pytest.mark.parametrize("truncation", [False, True])
def test_a_tokenizer_of_hugging_face_from_a_file(tmp_path, berrypick, files, truncation):
    made, path = saved(tmp_path, truncation)
    for given_as in (str(path), path, made):
        name, function = get_tokenizer(given_as)
        assert function("red berry, é dark") == [(0, 3), (4, 9), (9, 10), (11, 12), (13, 17)]
        assert name.startswith("tokenizers:")
    assert made.truncation is None or truncation  # the object of a person is left as it is
    written = files(truth_jsonl='{"topic": "1", "doc": "d", "start": 0, "end": 9, "grade": 1}\n',
                    run_jsonl='{"topic": "1", "doc": "d", "start": 0, "end": 17, "rank": 1}\n',
                    texts_jsonl=json.dumps({"doc": "d", "text": "red berry, é dark"}) + "\n")  # fmt: skip
    done = berrypick("evaluate", written["truth_jsonl"], written["run_jsonl"], "-m", "Coverage(budget=5)", "--effort",
                     "tokens", "--tokenizer", path, "--documents", written["texts_jsonl"], "-o", "json")  # fmt: skip
    assert done.code == 0, done.err
    assert "tokenizer:tokenizers:tokenizer.json:" in json.loads(done.out)[0]["signature"]


THAI = "\u0e23\u0e32\u0e2a\u0e1b\u0e4c\u0e40\u0e1a\u0e2d\u0e23\u0e4c\u0e23\u0e35" * 3


def test_a_note_says_what_a_token_is_where_words_have_no_spaces():
    truth, run = {"q": [("d", 0, 10)]}, {"q": [("d", 0, 20)]}
    measure = "Coverage(budget=10)"
    for text, said in (
        (THAI, "Thai has no spaces between words: each letter counts as a token"),
        ("\u8986\u76c6\u5b50\u662f\u4e00\u79cd\u6c34\u679c" * 4, "each ideograph counts as a token"),
        ("raspberries are cut in autumn, all of them", ""),
    ):
        notes = [str(note) for note in bp.evaluate(truth, run, measure, documents={"d": text}).notes]
        assert any(said in note for note in notes if said) == bool(said), notes
        assert bool(said) == any(note.startswith(f"{measure}: ") and "spaces between words" in note for note in notes)
    # not where characters are counted, nor with a tokenizer that was named
    for how in ({}, {"documents": {"d": THAI}, "tokenizer": lambda text: [(0, len(text))]}):
        assert not any("spaces" in str(note) for note in bp.evaluate(truth, run, measure, **how).notes)
    assert not any("spaces" in str(n) for n in bp.evaluate(truth, run, "charR@1", documents={"d": THAI}).notes)


# --- offsets ----------------------------------------------------------------------------------------------------------

texts = st.text(st.sampled_from("ab\u00e9\u20ac\U0001f353\r\n"), min_size=1, max_size=40)


def run_and_truth(start, end):
    return handmade.span_truth({"1": [("d", start, end)]}), handmade.span_run({"1": [("d", start, end)]})


def test_any_callable_will_do():
    texts = {"d": "abcdefghij"}
    truth, run = handmade.span_truth({"1": [("d", 0, 5)]}), handmade.span_run({"1": [("d", 0, 10)]})

    def pairs(text):
        return [(i, min(i + 2, len(text))) for i in range(0, len(text), 2)]

    def ends(text):
        return [min(i + 2, len(text)) for i in range(0, len(text), 2)]

    def count(text):
        return 5

    found = {
        tokenizer.__name__: bp.evaluate(truth, run, "Coverage(budget=5)", documents=texts, tokenizer=tokenizer)
        for tokenizer in (pairs, ends, count)
    }
    assert [results.mean_rows[0].value for results in found.values()] == [pytest.approx((1.25 + 2.5) / 5)] * 3
    assert all(f"tokenizer:{name}" in str(results.mean_rows[0].signature) for name, results in found.items())


def test_tiktoken_by_name(encoding, monkeypatch):
    import tiktoken

    monkeypatch.setattr(tiktoken, "get_encoding", lambda name: encoding if name == "own" else tiktoken.core.nothing)
    truth, run = run_and_truth(0, 1)
    results = bp.evaluate(truth, run, "Coverage", documents={"d": "the end"}, tokenizer="tiktoken:own")
    assert "tokenizer:tiktoken:own" in str(results.mean_rows[0].signature)


def test_an_empty_list_and_a_missing_topic_count_0():
    truth = handmade.span_truth({"1": [("d", 0, 10)], "2": [("d", 0, 10)]})
    results = bp.evaluate(truth, handmade.span_run({"1": [("d", 0, 10)]}), "Coverage(budget=300)", curves=True)
    found = results.per_topic()["run"]["Coverage(budget=300)"]
    assert found["2"] == 0 and found["1"] > 0
    assert results.curves()["run"]["Coverage(budget=300)"]["all"][-1] == (300.0, 0.5)


def test_the_command_line_counts_tokens(files, tmp_path, berrypick):
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "d.txt").write_text("one two three")
    span = {"topic": "1", "doc": "d", "start": 4, "end": 7}
    paths = files(truth_jsonl=json.dumps(span), run_jsonl=json.dumps({**span, "score": 1}))
    given = ("--documents", tmp_path / "texts", "-o", "json", "-m", "Coverage(budget=2)")
    done = berrypick("evaluate", paths["truth_jsonl"], paths["run_jsonl"], *given)
    assert [row["value"] for row in json.loads(done.out)] == [0.75]


def test_where_positions_count_lines_characters_are_refused():
    lines = {"topic": "1", "doc": "a.py", "start_line": 1, "end_line": 3}
    truth, run = bp.Truth.from_records([{**lines, "grade": 1}]), bp.Run.from_records([{**lines, "rank": 1}])
    with pytest.raises(bp.UsageError, match="remove effort"):
        bp.evaluate(truth, run, "Coverage(budget=20,effort='chars')")


def test_a_budget_that_is_no_number_is_refused():
    with pytest.raises(bp.UsageError, match=r"budget=1000.* must be a finite number"):
        bp.score(f"Coverage(budget={10**400})", {"q": {"d#0-9": 1}}, {"q": {"d#0-9": 1}})


def test_what_counts_all_that_is_read_needs_every_length():
    given = handmade.document_truth({"1": {"d": 1}}), handmade.document_run({"1": ["x", "d"]}), "Coverage"
    with pytest.raises(bp.UsageError, match=r"Coverage needs the length of document x.*collection=.*documents="):
        bp.evaluate(*given, collection={"d": 100})
    assert bp.evaluate(*given, collection={"d": 100, "x": 50}).mean_rows[0].value >= 0


def test_measures_where_none_are_named():
    """Where the texts are known, what reading them costs is too."""
    results = bp.evaluate({"q": [("d", 0, 10)]}, {"q": [("d", 5, 15)]}, documents={"d": "x" * 99})
    assert results.measures == ("charR@5", "charP@5", "spanRR", "Coverage(budget=2000)")


@pytest.mark.parametrize(
    ("options", "unit"),
    [({"documents": {"d": "word " * 30}}, "tokens"),
     ({"documents": {"d": "word " * 30}, "effort": "chars"}, "characters"),
     ({"documents": {"d": "word " * 30}, "effort": "tokens"}, "tokens"), ({}, "units"),
     ({"effort": "seconds"}, "seconds")],
)  # fmt: skip
def test_the_axis_names_the_unit_of_the_budget(options, unit):
    truth, run = {"q": [("d", 0, 10)]}, {"q": [("d", 5, 15)]}
    results = bp.evaluate(truth, run, "Coverage(budget=20)", curves=True, **options)
    assert results.info("Coverage(budget=20)").curve_axes[0] == f"read, in {unit}"
    (band,) = bands(results, resamples=100)
    assert band.axes == (f"read, in {unit}", "share of the answer seen")


def test_the_axis_names_the_unit_that_the_measure_names():
    truth, run, texts = {"q": [("d", 0, 10)]}, {"q": [("d", 5, 15)]}, {"d": "word " * 30}
    results = bp.evaluate(truth, run, "Coverage(budget=20,effort='chars') Coverage(budget=20)", documents=texts)
    found = [results.info(measure).curve_axes[0] for measure in results.measures]
    assert found == ["read, in characters", "read, in tokens"]


def test_the_axis_where_a_run_lacks_the_topics_with_values():
    truth = [{"topic": "q", "doc": "d", "start": 0, "end": 10}, {"topic": "p", "doc": "d", "judged": True}]
    runs = {"some": {"q": [("d", 5, 15)]}, "none": {"p": [("d", 5, 15)]}}
    results = bp.evaluate(truth, runs, "Coverage(budget=20)", documents={"d": "word " * 30})
    assert [row.signature.get("effort") for row in results.mean_rows] == ["tokens", "rank"]
    assert results.info("Coverage(budget=20)").curve_axes[0] == "read, in tokens"
