"""Questions that stand for topics: white space, equal questions, and ids beside them."""

import json
from itertools import product

import pandas
import pytest
from many_cases import each

import berrypick as bp

TEXT = "Cut the old canes in autumn."
OTHER = "Pick raspberries when dry."
DOCUMENTS = {"guide.md": f"{TEXT} {OTHER}"}
CUT, KING = "When are canes cut?", "Who is the king?"
FIRST = {"doc": "guide.md", "start": 0, "end": 28}
SECOND = {"doc": "guide.md", "start": 29, "end": 55}
#: Two topics with one question, and a third one.
TRUTH = [
    {"id": "a", "question": CUT, **FIRST},
    {"id": "b", "question": f" {CUT} ", **SECOND},
    {"id": "c", "question": KING, **FIRST},
]
ROWS = ("list", "frame", "json", "indented", "jsonl", "parquet")


def carried(folder, rows, carrier, name="run"):
    if carrier == "list":
        return rows
    if carrier == "frame":
        return pandas.DataFrame(rows)
    path = folder / f"{name}.{carrier}"
    if carrier == "parquet":
        pandas.DataFrame(rows).to_parquet(path)
    elif carrier == "csv":
        pandas.DataFrame(rows).to_csv(path, index=False)
    elif carrier == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        path.write_text(json.dumps(rows, indent=1 if carrier == "indented" else None))
    return path


def per_topic(truth, run):
    results = bp.evaluate(truth, run, "charR", documents=DOCUMENTS)
    [found] = results.per_topic().values()
    return found["charR"], [note.text for note in results.notes]


# --- white space ------------------------------------------------------------------------------------------------------


@each(["carrier", "space"], [*product(("list", "frame", "jsonl", "csv", "parquet"), (" ", "  ", "\t", "\n"))])
def test_a_question_with_another_white_space_removes_no_questions(tmp_path, carrier, space):
    """Two rows of topic a differ in white space alone: questions of all topics stay known."""
    rows = [
        {"topic": "a", "question": CUT, **FIRST}, {"topic": "a", "question": CUT + space, **SECOND},
        {"topic": "c", "question": f"Who{space}is the king?", **FIRST},
    ]  # fmt: skip
    found, notes = per_topic(carried(tmp_path, rows, carrier, "truth"), {CUT: [FIRST], KING: [FIRST]})
    assert found == {"a": pytest.approx(28 / 54), "c": 1.0}
    assert any("2 topics matched by the question" in note for note in notes)


def test_a_topic_with_two_questions_takes_none_from_others():
    rows = [
        {"topic": "a", "question": CUT, **FIRST}, {"topic": "a", "question": "Why?", **SECOND},
        {"topic": "c", "question": KING, **FIRST},
    ]  # fmt: skip
    found, notes = per_topic(rows, {"a": [FIRST], KING: [FIRST]})
    assert found == {"a": pytest.approx(28 / 54), "c": 1.0}
    [note] = [note for note in notes if "two questions" in note]
    assert note.startswith(f"topic a has two questions, {CUT!r} and 'Why?'")


@each(["space"], [" ", "\t", "\n "])
def test_adopted_questions_keep_their_text(space):
    golden = [
        {"question": CUT, "context": TEXT}, {"question": CUT + space, "context": OTHER},
        {"question": KING, "context": OTHER},
    ]  # fmt: skip
    truth = bp.adopt(golden, DOCUMENTS)
    assert [*truth.topics] == ["1", "2"]  # rows without an id and with one question are one topic
    assert len(truth.topics["1"]) == 2
    found, _ = per_topic(truth, {CUT: [FIRST], KING: [SECOND]})
    assert found == {"1": pytest.approx(28 / 54), "2": 1.0}


def test_adopted_rows_with_ids_stay_separate():
    golden = [{"id": "a", "question": CUT, "context": TEXT}, {"id": "b", "question": f"{CUT} ", "context": OTHER}]
    truth = bp.adopt(golden, DOCUMENTS)
    assert [*truth.topics] == ["a", "b"]
    found, _ = per_topic(truth, [{"id": "b", "question": CUT, "results": [SECOND]}])
    assert found == {"a": 0.0, "b": 1.0}


def test_truths_named_by_questions_compare_them_up_to_white_space():
    """The keys of a dictionary may be questions."""
    assert per_topic({f"{CUT} ": [FIRST]}, {CUT: [FIRST]})[0] == {f"{CUT} ": 1.0}
    assert per_topic({CUT: [FIRST]}, {"When  are canes cut?\n": [FIRST]})[0] == {CUT: 1.0}


def test_names_of_one_word_keep_their_white_space():
    with pytest.raises(
        bp.InputError, match=r"answers none of the 1 judged topic .* would match except for white space"
    ):
        bp.evaluate({"a": {"d": 1}}, {" a": {"d": 1.0}}, "RR")


def test_two_keys_of_one_question_are_refused():
    with pytest.raises(bp.InputError, match=r"two topics are topic a of the truth: .* and .*"):
        per_topic([{"topic": "a", "question": CUT, **FIRST}], {CUT: [FIRST], f"{CUT} ": [SECOND]})


# --- equal questions and ids ------------------------------------------------------------------------------------------


@each(["carrier", "name"], [*product(ROWS, ("results", "chunks", "contexts"))])
def test_the_id_of_an_entry_names_its_topic(tmp_path, carrier, name):
    """a and b have one question; each gets its own list. a finds its own text, b half of its own, c nothing."""
    half = {"doc": "guide.md", "start": 29, "end": 42}
    lists = {"a": [FIRST], "b": [half], "c": []}
    if name == "contexts":
        lists = {topic: [DOCUMENTS["guide.md"][one["start"] : one["end"]] for one in held]
                 for topic, held in lists.items()}  # fmt: skip
    asked = {row["id"]: row["question"] for row in TRUTH}
    rows = [{"id": topic, "question": asked[topic], name: held} for topic, held in lists.items()]
    for truth in (TRUTH, [{"topic": row["id"], **{k: v for k, v in row.items() if k not in ("id", "question")}}
                          for row in TRUTH]):  # fmt: skip
        found, notes = per_topic(truth, carried(tmp_path, rows, carrier))
        assert found == {"a": 1.0, "b": 0.5, "c": 0.0}
        assert any("3 topics matched by the id beside the question" in note for note in notes)


@each(["carrier"], ["list", "frame", "json", "jsonl", "csv", "parquet"])
def test_the_id_of_flat_rows_names_their_topic(tmp_path, carrier):
    truth = {"a": [FIRST], "b": [SECOND]}
    rows = [{"id": "a", "question": CUT, **FIRST}, {"id": "b", "question": KING, **FIRST},
            {"id": "b", "question": KING, **SECOND}]  # fmt: skip
    assert per_topic(truth, carried(tmp_path, rows, carrier))[0] == {"a": 1.0, "b": 1.0}


@each(["carrier", "scored"], [*product(("list", "frame", "json", "jsonl", "csv", "parquet"), (False, True))])
def test_flat_rows_of_topics_with_one_question(tmp_path, carrier, scored):
    """Rows of a and b are mixed. By score, the last row of b comes before its first."""
    rows = [
        {"id": "b", "question": CUT, "doc": "guide.md", "start": 29, "end": 42, "score": 0.2},
        {"id": "a", "question": f"{CUT} ", **FIRST, "score": 0.5},
        {"id": "b", "question": CUT, "doc": "guide.md", "start": 50, "end": 55, "score": 0.9},
    ]
    rows = rows if scored else [{k: v for k, v in row.items() if k != "score"} for row in rows]
    run = carried(tmp_path, rows, carrier)
    results = bp.evaluate(TRUTH, run, "charR charR@1")
    [found] = results.per_topic().values()
    assert found["charR"] == {"a": 1.0, "b": pytest.approx(18 / 26), "c": 0.0}
    assert found["charR@1"] == {"a": 1.0, "b": pytest.approx(5 / 26 if scored else 0.5), "c": 0.0}
    assert not any("unread" in note.text for note in results.notes)


@each(["carrier"], ["list", "frame", "json", "jsonl", "csv", "parquet"])
def test_the_order_of_the_file_keeps_ids_with_their_rows(tmp_path, carrier):
    rows = [
        {"id": "b", "question": CUT, **FIRST, "score": 0.2},
        {"id": "b", "question": CUT, **SECOND, "score": 0.3},
        {"id": "a", "question": CUT, **FIRST, "score": 0.9},
    ]
    run = carried(tmp_path, rows, carrier)
    for order, right in (("score", 1.0), ("file", 0.0)):
        [found] = bp.evaluate(TRUTH, run, "charR@1", order=order).per_topic().values()
        assert found["charR@1"] == {"a": 1.0, "b": right, "c": 0.0}


@each(["carrier"], ["list", "frame", "json", "jsonl", "csv", "parquet"])
def test_ids_of_chunks_are_no_topics(tmp_path, carrier):
    truth = [{"topic": "a", "question": CUT, **FIRST}]
    rows = [{"id": "c1", "question": CUT, **SECOND}, {"id": "c2", "question": CUT, **FIRST}]
    found, notes = per_topic(truth, carried(tmp_path, rows, carrier))
    assert found == {"a": 1.0}
    assert "unread: id" in notes


def test_ids_of_chunks_in_a_list_are_no_topics():
    truth = [{"topic": "a", "question": CUT, **FIRST}, {"topic": "b", "question": KING, **SECOND}]
    rows = [
        {"question": CUT, "results": [{"id": "b", **FIRST}]},
        {"question": KING, "results": [{"id": "a", **SECOND}]},
    ]
    assert per_topic(truth, rows)[0] == {"a": 1.0, "b": 1.0}


@each(["key"], ["topic", "query_id", "question_id", "qid"])
def test_other_fields_name_topics_of_one_question(key):
    rows = [{key: "a", "question": CUT, "results": [FIRST]}, {key: "b", "question": CUT, "results": [SECOND]}]
    assert per_topic(TRUTH, rows)[0] == {"a": 1.0, "b": 1.0, "c": 0.0}


@each(["carrier"], ["json", "jsonl"])
def test_samples_have_ids_as_well(tmp_path, carrier):
    rows = [{"id": name, "user_input": CUT, "retrieved_contexts": [text]} for name, text in (("a", TEXT), ("b", OTHER))]
    assert per_topic(TRUTH, carried(tmp_path, rows, carrier))[0] == {"a": 1.0, "b": 1.0, "c": 0.0}


def test_numbers_that_are_no_ids_of_the_truth():
    """A truth without ids counts its questions from 1; ids of a run that count from 0 are others."""
    truth = [{"question": CUT, **FIRST}, {"question": KING, **SECOND}]
    rows = [{"id": 0, "question": CUT, "results": [FIRST]}, {"id": 1, "question": KING, "results": [SECOND]}]
    found, notes = per_topic(truth, rows)
    assert found == {"1": 1.0, "2": 1.0}
    assert any("2 topics matched by the question" in note for note in notes)


def test_rows_counted_from_0_are_refused():
    """Topics 1 and 2 of the truth are its rows; those of the run, 0 and 1, would be off by one without a word."""
    truth = [{"question": CUT, **FIRST}, {"question": KING, **SECOND}]
    with pytest.raises(bp.InputError, match="has topics from 0 to 1, but the truth has topics from 1 to 2"):
        per_topic(truth, {"0": [FIRST], "1": [SECOND]})
    assert per_topic(truth, {"1": [FIRST], "2": [SECOND]})[0] == {"1": 1.0, "2": 1.0}
    assert per_topic(truth, {"0": [FIRST], "1": [FIRST], "2": [SECOND]})[0] == {"1": 1.0, "2": 1.0}


def test_ids_whose_questions_are_those_of_other_topics():
    truth = [{"id": "a", "question": CUT, **FIRST}, {"id": "b", "question": KING, **SECOND}]
    rows = [{"id": "b", "question": CUT, "results": [FIRST]}, {"id": "a", "question": KING, "results": [SECOND]}]
    assert per_topic(truth, rows)[0] == {"a": 1.0, "b": 1.0}


def test_a_rewritten_question_does_not_hide_the_id():
    rows = [{"id": "a", "question": "Rewritten: canes?", "results": [FIRST]}]
    assert per_topic(TRUTH, rows)[0] == {"a": 1.0, "b": 0.0, "c": 0.0}


def test_a_question_of_several_topics_is_refused_by_their_names(tmp_path, berrypick):
    truth = carried(tmp_path, TRUTH, "jsonl", "truth")
    run = carried(tmp_path, [{"question": CUT, "results": [FIRST]}, {"question": KING, "results": []}], "json")
    done = berrypick("evaluate", truth, run, "-m", "charR")
    assert done.code == 2
    assert f"{CUT!r}: is the question of 2 topics, a, b\n" in done.err and "field topic or id" in done.err
    # the remedy works
    run = carried(tmp_path, [{"id": "a", "question": CUT, "results": [FIRST]}, {"id": "b", "question": CUT,
                              "results": []}, {"question": KING, "results": []}], "json")  # fmt: skip
    done = berrypick("evaluate", truth, run, "-m", "charR", "-o", "json")
    assert done.code == 0, done.err
    # other questions of such a truth can be asked as before
    found, _ = per_topic(TRUTH, [{"question": KING, "results": [FIRST]}])
    assert found == {"a": 0.0, "b": 0.0, "c": 1.0}


def test_ids_that_tell_nothing_apart_are_two_lists():
    """Neither id is a topic of the truth: one question has two lists."""
    truth = [{"topic": "a", "question": CUT, **FIRST}]
    rows = [{"id": "x", "question": CUT, "results": [FIRST]}, {"id": "y", "question": CUT, "results": [SECOND]}]
    with pytest.raises(bp.InputError, match="two topics are topic a of the truth: 'x' and 'y'"):
        per_topic(truth, rows)


def test_one_id_twice_is_two_lists(tmp_path):
    rows = [{"id": "a", "question": CUT, "results": [FIRST]}, {"id": "a", "question": CUT, "results": [SECOND]}]
    for carrier in ROWS:
        with pytest.raises(bp.InputError, match=r"has two lists of results: (line \d+ and line|entry 1 and entry 2)"):
            per_topic(TRUTH, carried(tmp_path, rows, carrier))


@pytest.mark.parametrize("named", [True, False], ids=["topics", "questions only"])
@pytest.mark.parametrize("asked", ["How much is a wash", "how much is a Wash?", "How much is a wash ?"])
def test_a_question_that_nearly_matches_is_pointed_out(named, asked):
    """It is not matched: the one topic that is left out of the run counts 0."""
    questions = ["How much is a wash?", "What else is there?"]
    truth = [
        {**({"topic": f"q{i}"} if named else {}), "question": one, "doc": "a", "start": i * 10, "end": i * 10 + 5}
        for i, one in enumerate(questions)
    ]
    run = [{**row, "question": one} for row, one in zip(truth, [asked, questions[1]], strict=True)]
    for row in run:
        row.pop("topic", None)
    results = bp.evaluate(truth, run, "charR@5")
    assert results.mean()["run"]["charR@5"] == 0.5
    said = next(str(note) for note in results.notes if "not in the truth, ignored" in str(note))
    assert "How much is a wash?" in said and asked in said


def test_a_question_with_other_words_is_not_pointed_out():
    span = {"doc": "a", "start": 0, "end": 5}
    truth = [{"question": one, **span} for one in ("How much is a wash?", "What else is there?")]
    run = [{"question": one, **span} for one in ("How much is a meal?", "What else is there?")]
    results = bp.evaluate(truth, run, "charR@5")
    said = next(str(note) for note in results.notes if "not in the truth, ignored" in str(note))
    assert said.endswith("not in the truth, ignored")
