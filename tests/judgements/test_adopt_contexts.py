"""Several contexts of a question: all of them needed, or each an answer. Expected values are counted by hand."""

import json

import pytest

import berrypick as bp

TEXTS = {"guide": "Cut the old canes. Water in July. Mulch in May."}
CUT, WATER, MULCH = ("guide", 0, 18), ("guide", 19, 33), ("guide", 34, 47)
GOLDEN = [
    {"question": "What first?", "contexts": ["Cut the old canes.", "Water in July."]},
    {"question": "What last?", "contexts": ["Mulch in May."]},
]


def sets(truth):
    return {name: topic.sets for name, topic in truth.topics.items()}


def about_contexts(truth):
    return [note for note in truth.notes if "contexts" in note]


def test_any_makes_each_context_a_set_and_all_writes_none():
    either, every, silent = (bp.adopt(GOLDEN, TEXTS, contexts=one) for one in ("any", "all", None))
    assert sets(either) == {"1": (("1",), ("2",)), "2": (("1",),)}
    assert sets(every) == sets(silent) == {"1": None, "2": None}
    assert every.to_records() == silent.to_records()
    run = {"1": [WATER], "2": [CUT]}  # one of two contexts; nothing of the only one
    assert bp.score("Enough@1", either, run) == 0.5
    assert bp.score("Enough@1", every, run) == bp.score("Enough@1", silent, run) == 0.0
    # other measures do not know alternatives: 14 of 18 + 14 characters, and none of 13
    assert bp.score("charR@1", either, run) == bp.score("charR@1", every, run) == pytest.approx(14 / 32 / 2)


def test_contexts_are_those_of_a_question_wherever_its_rows_are():
    rows = [{"question": row["question"], "contexts": one} for row in GOLDEN for one in row["contexts"]]
    assert sets(bp.adopt(rows, TEXTS, contexts="any")) == {"1": (("1",), ("2",)), "2": (("1",),)}


def test_a_context_that_is_not_relevant_is_in_no_set():
    golden = [{"question": "What?", "contexts": ["Cut the old canes.", "Water in July.", "Mulch in May."],
               "labels": [1, 0, 1]}]  # fmt: skip
    adopted = bp.adopt(golden, TEXTS, contexts="any")
    assert sets(adopted) == {"1": (("1",), (), ("2",))}
    assert bp.score("Enough@1", adopted, {"1": [WATER]}) == 0.0
    assert bp.score("Enough@1", adopted, {"1": [MULCH]}) == 1.0


def test_the_same_context_twice_is_one():
    golden = [{"question": "What?", "contexts": ["Water in July.", "Water  in July."]}]
    assert about_contexts(bp.adopt(golden, TEXTS)) == []
    assert sets(bp.adopt(golden, TEXTS, contexts="any")) == {"1": (("1",),)}


def test_a_note_says_which_is_taken_unless_the_option_or_the_file_does():
    [note] = about_contexts(bp.adopt(GOLDEN, TEXTS))
    assert note == (
        "1 question has several contexts; Enough needs all of them (contexts='all'). "
        "If each one answers alone, adopt the file with contexts='any'"
    )
    assert about_contexts(bp.adopt([*GOLDEN, {**GOLDEN[0], "question": "?"}], TEXTS))[0].startswith("2 questions have ")
    for silent in (
        bp.adopt(GOLDEN, TEXTS, contexts="all"),
        bp.adopt(GOLDEN, TEXTS, contexts="any"),
        bp.adopt(GOLDEN[1:], TEXTS),
        bp.adopt([{**GOLDEN[0], "hop": ["1", "2"]}], TEXTS),
        bp.adopt([{**GOLDEN[0], "labels": [1, 0]}], TEXTS),
    ):
        assert about_contexts(silent) == []


def test_sets_of_the_file_and_the_option_contradict_each_other():
    with pytest.raises(
        bp.InputError, match=r"topic 1 names sets or hops, which already define what is enough\n.*omit contex"
    ):
        bp.adopt([{**GOLDEN[0], "set": ["x", "x"]}], TEXTS, contexts="any")
    with pytest.raises(bp.UsageError, match="unknown contexts 'one'; available: all, any"):
        bp.adopt(GOLDEN, TEXTS, contexts="one")


def test_alternatives_that_have_no_place_can_be_left_out():
    golden = [{"question": "What?", "contexts": ["Cut the old canes.", "Nobody mows the lawn here"]}]
    adopted = bp.adopt(golden, TEXTS, contexts="any", partial=True)
    assert sets(adopted) == {"1": (("1",),)}
    assert "not placed: 1 missing" in adopted.notes


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "guide").write_text(TEXTS["guide"])
    (tmp_path / "golden.json").write_text(json.dumps(GOLDEN))
    return tmp_path


def test_answers_of_squad_can_be_alternatives(folder):
    answers = [{"text": "old canes", "answer_start": 8}, {"text": "the old canes", "answer_start": 4}]
    asked = [{"id": "q", "question": "What?", "answers": answers}]
    paragraphs = [{"document_id": "guide", "context": TEXTS["guide"], "qas": asked}]
    squad = folder / "squad.json"
    squad.write_text(json.dumps({"data": [{"title": "guide", "paragraphs": paragraphs}]}))
    assert sets(bp.adopt(squad, folder / "texts", contexts="any")) == {"q": (("1",), ("2",))}
    assert len(about_contexts(bp.adopt(squad, folder / "texts"))) == 1


def test_the_command_writes_sets_that_are_read_again(folder, berrypick):
    words = ("adopt", folder / "golden.json", "--documents", folder / "texts", "-o", folder / "t.jsonl")
    silent = berrypick(*words)
    assert silent.code == 0 and "adopt the file with --contexts any" in silent.err
    said = berrypick(*words, "--contexts", "any")
    assert said.code == 0 and "contexts any" not in said.err
    assert sets(bp.read_truth(folder / "t.jsonl")) == {"1": (("1",), ("2",)), "2": (("1",),)}


def test_evaluate_says_what_it_takes_of_a_golden_file(folder, berrypick):
    run = folder / "run.jsonl"
    run.write_text(json.dumps({"topic": "1", "doc": "guide", "start": 19, "end": 33, "rank": 1}) + "\n")
    done = berrypick("evaluate", folder / "golden.json", run, "--documents", folder / "texts", "-m", "Enough@1")
    assert "needs all of them (--contexts all). If each one answers alone, adopt the file with --con" in done.err


def test_an_evaluation_says_that_all_contexts_of_a_question_are_taken(tmp_path):
    documents = {"guide": "Cut the old canes in autumn. Water in July."}
    several = [{"question": "When?", "contexts": ["old canes in autumn", "Water in July"]}]
    run = [{"question": "When?", "doc": "guide", "start": 0, "end": 28}]
    notes = [str(one) for one in bp.evaluate(several, run, "charR@1", documents=documents).notes]
    assert sum("1 question has several contexts; Enough needs all of them" in one for one in notes) == 1
    alone = [{"question": "When?", "contexts": ["old canes in autumn"]}]
    rows = [{"topic": "When?", "quote": text} for text in several[0]["contexts"]]
    sets = [{**row, "set": str(number)} for number, row in enumerate(rows)]
    for silent in (alone, rows, sets):
        notes = bp.evaluate(silent, run, "charR@1", documents=documents).notes
        assert not any("several contexts" in str(one) for one in notes)
