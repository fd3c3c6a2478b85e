"""Verbatim copies of judged passages. Expected values are counted by hand, or by an oracle that knows which character
of which block each character of a document is."""

import random

import pytest
from many_cases import each

import berrypick as bp
from berrypick.data.truth import Truth
from berrypick.documents.copies import CopyRules, Span, TopicCopies
from berrypick.documents.texts import Texts

P = "Cut every cane that has borne fruit to the ground."  # 50 characters
TEXTS = {"a": f"Intro. {P} End.", "b": f"Others say: {P} So they do.", "c": "Nothing of the kind stands here."}
TRUTH = [{"topic": "q", "doc": "a", "start": 7, "end": 57}]
MEASURES = "charR@5 charP@5 spanRR"


def scores(truth, results, texts=TEXTS, measures=MEASURES, **options):
    found = bp.evaluate(truth, {"q": results}, measures, documents=texts, **options)
    return [round(float(found.mean()["run"][name]), 10) for name in measures.split()], [n.text for n in found.notes]


def test_a_copy_is_the_judged_text():
    assert scores(TRUTH, [("b", 12, 62)], copies="same")[0] == [1, 1, 1]
    assert scores(TRUTH, [("c", 0, 9), ("b", 22, 62)], copies="same")[0] == [0.8, round(40 / 49, 10), 0.5]
    # 12 characters before the copy keep their own place: 50 of 62 are relevant
    assert scores(TRUTH, [("b", 0, 62)], copies="same")[0] == [1, round(50 / 62, 10), 1]


def test_text_of_original_and_copy_counts_once():
    both = [("a", 7, 57), ("b", 12, 62)]
    [recall, _, first], notes = scores(TRUTH, both, copies="same")
    assert (recall, first) == (1, 1)
    assert "1 result repeats an earlier one of the same topic; it adds nothing" in notes
    half = [("a", 7, 32), ("b", 27, 62)]  # characters 0 to 25, then 15 to 50
    assert scores(TRUTH, half, copies="same")[0][0] == 1
    with pytest.raises(bp.InputError, match="b#12-62 is retrieved twice"):
        scores(TRUTH, [("b", 12, 62), ("b", 12, 62)], copies="same", duplicates="error")


def test_the_default_counts_them_apart_and_says_so():
    values, notes = scores(TRUTH, [("b", 0, 70), ("b", 12, 63), ("b", 12, 40)])
    assert values == [0, 0, 0]
    said = "1 judged passage occurs elsewhere word for word; 2 results contain such copies: copies='same' counts them"
    assert said in notes
    for silent in ([("a", 0, 60)], [("c", 0, 20), ("b", 0, 40)]):
        assert not any("elsewhere" in note for note in scores(TRUTH, silent)[1])


def test_passages_below_the_least_length_have_no_copies():
    assert scores(TRUTH, [("b", 12, 62)], copies="same", copies_least=51)[0] == [0, 0, 0]
    assert scores(TRUTH, [("b", 12, 62)], copies="same", copies_least=50)[0] == [1, 1, 1]
    assert not any("elsewhere" in note for note in scores(TRUTH, [("b", 12, 62)], copies_least=51)[1])


def test_white_space_and_marks_may_differ_where_quotes_may():
    texts = {"a": 'He said: "cut  them" - all.', "b": "x He said: “cut them”\n– all."}
    truth = [{"topic": "q", "doc": "a", "start": 0, "end": 27}]
    how = {"copies": "same", "copies_least": 20}
    assert scores(truth, [("b", 2, 28)], texts, **how)[0] == [0, 0, 0]
    assert scores(truth, [("b", 2, 28)], texts, quotes="normalised", **how)[0] == [1, 1, 1]
    # b 2-16 is 'He said: “cut ', in a with two spaces: 15 of 27; the rest from the second word on
    assert scores(truth, [("b", 2, 16)], texts, quotes="normalised", **how)[0][:2] == [round(15 / 27, 10), 1]
    assert scores(truth, [("b", 2, 16), ("b", 16, 28)], texts, quotes="normalised", **how)[0][:2] == [1, 1]


def test_judged_twins_become_one_target_that_keeps_its_sets():
    twins = [
        {"topic": "q", "doc": "a", "start": 7, "end": 57, "set": "x"},
        {"topic": "q", "doc": "c", "start": 0, "end": 7, "set": "x"},
        {"topic": "q", "doc": "b", "start": 12, "end": 62, "set": "y"},
    ]
    measures = "Enough@1 charR@1"
    assert scores(twins, [("a", 7, 57)], measures=measures)[0] == [0, round(50 / 107, 10)]
    values, notes = scores(twins, [("a", 7, 57)], measures=measures, copies="same")
    assert values == [1, round(50 / 57, 10)]
    assert "copies='same' merges 1 judged passage with earlier copies" in notes
    assert scores(twins, [("b", 12, 62)], measures=measures, copies="same")[0] == values


def test_a_judged_part_of_a_copy_moves_with_it():
    parts = [{"topic": "q", "doc": "b", "start": 22, "end": 32}, *TRUTH]
    assert scores(parts, [("a", 17, 27)], copies="same", measures="charR@1 charP@1")[0] == [0.2, 1]
    assert scores(parts, [("b", 12, 62)], copies="same", measures="charR@1 charP@1")[0] == [1, 1]


def test_a_judged_place_that_a_copy_cuts_into_stays_whole():
    across = [*TRUTH, {"topic": "q", "doc": "b", "start": 52, "end": 72}]  # 10 characters of the copy, 10 behind it
    assert scores(across, [("b", 52, 72)], copies="same", measures="charR@1 charP@1")[0] == [round(20 / 70, 10), 1]
    assert scores(across, [("b", 12, 52)], copies="same", measures="charR@1 charP@1")[0] == [round(40 / 70, 10), 1]


def test_a_whole_document_is_a_span_of_all_its_characters():
    whole = {"q": ["c", "b"]}
    spans = {"q": [("c", 0, len(TEXTS["c"])), ("b", 0, len(TEXTS["b"]))]}
    how = {"documents": TEXTS, "copies": "same"}
    for measures in ("charR@2 charP@2 charR@1", "IoU@2 EPRUM"):
        given = [
            bp.evaluate(TRUTH, run, measures, **how, **more).mean()["run"]
            for run, more in ((whole, {"whole_documents": True}), (spans, {}))
        ]
        assert given[0] == given[1]
    assert bp.score("charR@2", TRUTH, whole, whole_documents=True, **how) == 1.0
    apart = [
        bp.evaluate(TRUTH, {"q": ["c"]}, "charR@1 charP@1 EPRUM", documents=TEXTS, copies=copies, whole_documents=True)
        for copies in ("same", "apart")
    ]
    assert apart[0].mean() == apart[1].mean()  # c has no copy of a judged passage


REFUSED = {
    "no texts": ({"documents": None}, TRUTH, [("b", 12, 62)], "same' compares texts: give those of the doc"),
    "whole documents judged": ({}, [{"topic": "q", "doc": "a"}], ["b"], "is for judged spans of characters"),
    "an unknown text": ({"whole_documents": True}, TRUTH, {"b": 2, "x": 1}, "the text of x is not known"),
    "chunks": ({"chunks": {"q": [("a", 0, 5)]}}, TRUTH, [("b", 12, 62)], "count each chunk where it is"),
    "a length": ({"copies_least": 0}, TRUTH, [("b", 12, 62)], "copies_least= must be at least 1, not 0"),
}


@each(["options", "truth", "results", "message"], REFUSED.values(), ids=[*REFUSED])
def test_refused(options, truth, results, message):
    given = {"documents": TEXTS, "copies": "same", **options}
    with pytest.raises(bp.UsageError, match=message):
        bp.evaluate(truth, {"q": results}, "P@5", **given)


# --- worlds of blocks -------------------------------------------------------------------------------------------------


def world(seed):
    """Documents of blocks and filler. Every character of a block is unlike those of others, so that only blocks are
    copies; labels say which character of which block, or of which document, each character is."""
    rng = random.Random(seed)
    blocks = [[chr(0x4E00 + 100 * i + k) for k in range(rng.randint(3, 9))] for i in range(4)]
    texts, labels, places = {}, {}, []
    for d in range(rng.randint(2, 4)):
        name, text, label = f"d{d}", [], []
        for _ in range(rng.randint(1, 5)):
            if rng.random() < 0.6:
                block = rng.randrange(4)
                places.append((block, name, len(text)))
                label += [("block", block, k) for k in range(len(blocks[block]))]
                text += blocks[block]
            else:
                filler = rng.randint(1, 6)
                label += [(name, len(text) + k) for k in range(filler)]
                text += [chr(0x8000 + 500 * d + len(text) + k) for k in range(filler)]
        texts[name], labels[name] = "".join(text), label
    judged = [(block, Span(name, at, at + len(blocks[block]))) for block, name, at in places if rng.random() < 0.5]
    rng.shuffle(judged)
    results = []
    for _ in range(rng.randint(1, 5)):
        name = rng.choice([*texts])
        a = rng.randrange(len(texts[name]))
        results.append(Span(name, a, rng.randint(a + 1, len(texts[name]))))
    return texts, labels, judged, list(dict.fromkeys(results))


def test_blocks_agree_with_an_oracle_of_labels():
    compared = moved = 0
    for seed in range(70):
        texts, labels, judged, results = world(seed)
        if not judged:
            continue
        canonical = {block for block, _ in judged}

        def named(span, labels=labels, canonical=canonical):
            """Characters by what text they are; copies of a block that nobody judged are places of their own."""
            every = enumerate(labels[span.document][span.start : span.end], span.start)
            return [one if one[0] == "block" and one[1] in canonical else (span.document, at) for at, one in every]

        relevant = {one for _, span in judged for one in named(span)}
        read = [one for span in results for one in named(span)]
        truth = [{"topic": "q", "doc": span.document, "start": span.start, "end": span.end} for _, span in judged]
        [recall, precision], _ = scores(truth, results, texts, "charR charP", copies="same", copies_least=3)
        assert recall == round(len(relevant & {*read}) / len(relevant), 10), seed
        assert precision == round(len(relevant & {*read}) / len({*read}), 10), seed
        compared += 1
        moved += recall != scores(truth, results, texts, "charR")[0][0]
    assert compared > 40 and moved > 10


def test_documents_without_copies_score_the_same():
    for seed in range(40):
        rng = random.Random(seed)
        texts = {f"d{d}": "".join(chr(0x4E00 + 200 * d + k) for k in range(rng.randint(50, 150))) for d in range(3)}
        spans = []
        for _ in range(8):
            name = rng.choice([*texts])
            a = rng.randrange(len(texts[name]) - 1)
            spans.append((name, a, rng.randint(a + 1, len(texts[name]))))
        spans = list(dict.fromkeys(spans))
        truth = [{"topic": "q", "doc": d, "start": a, "end": b} for d, a, b in spans[:3]]
        measures = "charR@3 charP@3 spanRR Enough@2 EPRUM(rank=3)"
        apart = scores(truth, spans[3:], texts, measures)
        assert scores(truth, spans[3:], texts, measures, copies="same", copies_least=1) == apart


def test_renaming_keeps_the_text_in_messy_documents():
    """Two letters, passages that overlap and repeat themselves: what is renamed is the same text, and a judged place
    is found where it has moved."""
    moved = 0
    for seed in range(400):
        rng = random.Random(seed)
        texts = {f"d{d}": "".join(rng.choice("ab") for _ in range(rng.randint(5, 25))) for d in range(3)}

        def span(rng=rng, texts=texts):
            name = rng.choice([*texts])
            a = rng.randrange(len(texts[name]))
            return Span(name, a, rng.randint(a + 1, len(texts[name])))

        def text(parts, texts=texts):
            return "".join(texts[one.document][one.start : one.end] for one in parts)

        units = [span() for _ in range(rng.randint(1, 4))]
        rows = [{"topic": "q", "doc": u.document, "start": u.start, "end": u.end} for u in dict.fromkeys(units)]
        topic = Truth.from_records(rows).topics["q"]
        copies = TopicCopies.of(topic, Texts(texts), texts, CopyRules(3, False))
        for row, unit in enumerate(dict.fromkeys(units)):
            assert copies.renamed(unit) == [copies.places[row]], (seed, row)
            assert text([unit]) == text([copies.places[row]])
            moved += unit != copies.places[row]
        for _ in range(10):
            result = span()
            parts = copies.renamed(result)
            assert text(parts) == text([result])
            again = [one for part in parts for one in copies.renamed(part)]
            assert text(again) == text([result])
    assert moved > 20


def test_the_command_and_the_signature(tmp_path, berrypick):
    (tmp_path / "texts").mkdir()
    for name, text in TEXTS.items():
        (tmp_path / "texts" / name).write_text(text)
    (tmp_path / "truth.jsonl").write_text('{"topic": "q", "doc": "a", "start": 7, "end": 57}\n')
    for name in ("one", "two"):  # files of several runs are prepared by those who score them
        (tmp_path / f"{name}.jsonl").write_text('{"topic": "q", "doc": "b", "start": 12, "end": 62, "rank": 1}\n')
    words = ("evaluate", tmp_path / "truth.jsonl", tmp_path / "one.jsonl", tmp_path / "two.jsonl")
    words = (*words, "--documents", tmp_path / "texts", "-m", "charP@1", "-o", "json")
    apart, same = berrypick(*words), berrypick(*words, "--copies", "same", "--copies-least", 50)
    assert "1 result contains such copies: --copies same counts them" in apart.err and "copies:" not in apart.out
    assert same.code == 0 and same.out.count("|copies:same,50,exact|") >= 2 and '"value": 1.0' in same.out
