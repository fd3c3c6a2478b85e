"""Files of benchmarks as their owners publish them: what is read, what is counted, what is refused."""

from __future__ import annotations

import json
import math
import random

import pytest

import berrypick as bp
from berrypick import formats


def write(path, *rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def places(truth, topic):
    return [(one["doc"], one.get("start"), one.get("end"), one.get("set")) for one in truth[topic]]


def found(run, topic):
    return [(one["doc"], one.get("start"), one.get("end")) for one in run[topic]]


# --- FEVER ------------------------------------------------------------------------------------------------------------


def claim(number, evidence, label="SUPPORTS"):
    return {"id": number, "verifiable": "VERIFIABLE", "label": label, "claim": f"Claim {number}.", "evidence": evidence}


def test_fever_gold(tmp_path):
    """Two sets of one claim share a sentence; a third repeats the first; one claim cannot be checked."""
    sets = [[[1, 1, "Jam", 0], [1, 2, "Pot", 3]], [[2, 3, "Jam", 0], [2, 4, "Lid", 1]]]
    again = [[3, 5, "Pot", 3], [3, 6, "Jam", 0]]
    nothing = [[[4, None, None, None]]]
    rows = claim(7, [*sets, again]), claim(8, nothing, "NOT ENOUGH INFO"), claim(9, [], "refutes")
    truth = bp.read_truth(write(tmp_path / "dev.jsonl", *rows))
    assert truth.format == "fever"
    assert places(truth, "7") == [("Jam", 0, 1, ["1", "2"]), ("Pot", 3, 4, "1"), ("Lid", 1, 2, "2")]
    assert truth.unanswerable == ("8",) and len(truth["9"]) == 0
    assert truth.fields["verdict"].values == {"7": "SUPPORTS", "8": "NOT ENOUGH INFO", "9": "REFUTES"}
    assert truth.skipped == {
        "repeated evidence sets, merged": 1, "claims without evidence, not judged": 1
    }  # fmt: skip


def test_fever_names_that_occur_twice_count_by_their_place(tmp_path):
    rows = claim(7, [[[1, 1, "Jam", 0]]]), claim(7, [[[1, 1, "Lid", 0]]])
    truth = bp.read_truth(write(tmp_path / "dev.jsonl", *rows))
    guesses = [{"id": 7, "predicted_evidence": [["Jam", 0]]}, {"id": 7, "predicted_evidence": [["Pot", 0]]}]
    run = bp.read_run(write(tmp_path / "guess.jsonl", *guesses))
    assert list(truth) == list(run) == ["7", "7/2"]
    assert bp.evaluate(truth, run, "charR").per_topic()["guess"]["charR"] == {"7": 1.0, "7/2": 0.0}
    assert truth.skipped == {"claims whose name occurred before, counted by place": 1}


def test_fever_predictions(tmp_path):
    rows = {"id": 7, "predicted_label": "SUPPORTS", "predicted_evidence": [["Jam", 0], ["Jam", 0], ["Pot", 4]]}
    run = bp.read_run(write(tmp_path / "guess.jsonl", rows, {"id": 8, "predicted_evidence": []}))
    assert run.format == "fever-run" and run.size("8") == 0
    assert found(run, "7") == [("Jam", 0, 1), ("Jam", 0, 1), ("Pot", 4, 5)]


# --- SciFact ----------------------------------------------------------------------------------------------------------


def test_scifact(tmp_path):
    evidence = {"41": [{"sentences": [2, 5], "label": "SUPPORT"}, {"sentences": [7], "label": "SUPPORT"}]}
    rows = [
        {"id": 7, "claim": "Jam sets.", "evidence": evidence, "cited_doc_ids": [41]},
        {"id": 8, "claim": "Hedges sing.", "evidence": {}, "cited_doc_ids": [42]},
    ]
    truth = bp.read_truth(write(tmp_path / "claims.jsonl", *rows))
    assert truth.format == "scifact"
    assert places(truth, "7") == [("41", 2, 3, "1"), ("41", 5, 6, "1"), ("41", 7, 8, "2")]
    assert truth.unanswerable == ("8",)
    assert truth["8"].judged_documents == ("42",)
    assert truth.fields["verdict"].values == {"7": "SUPPORT"}
    guess = {"id": 7, "evidence": {"41": {"sentences": [7, 2], "label": "SUPPORT"}, "40": {"sentences": [0]}}}
    run = bp.read_run(write(tmp_path / "guess.jsonl", guess, {"id": 8, "evidence": {}}))
    assert run.format == "scifact-run"
    assert found(run, "7") == [("41", 7, 8), ("41", 2, 3), ("40", 0, 1)]


# --- KILT -------------------------------------------------------------------------------------------------------------


def provenance(*pages, **more):
    return [{"wikipedia_id": page, **more} for page in pages]


def test_kilt_pages_and_paragraphs(tmp_path):
    outputs = [{"answer": "a", "provenance": provenance(1, "2")}, {"answer": "b", "provenance": provenance("2", "1")}]
    rows = [{"id": 1, "input": "Q?", "output": [*outputs, {"answer": "c"}]}, {"id": 2, "output": [{"answer": "d"}]}]
    truth = bp.read_truth(write(tmp_path / "gold.jsonl", *rows))
    assert truth.format == "kilt" and truth.units == "documents"
    assert places(truth, "1") == [("1", None, None, "1"), ("2", None, None, "1")], "the same pages are one set"
    assert len(truth["2"]) == 0 and truth.unanswerable == ()
    inside = {"start_paragraph_id": "5", "end_paragraph_id": 6}
    row = {"id": 1, "input": "Q?", "output": [{"provenance": provenance(1, **inside)}]}
    assert places(bp.read_truth(write(tmp_path / "gold2.jsonl", row)), "1") == [("1", 5, 7, "1")]
    mixed = {"id": 2, "input": "Q?", "output": [{"provenance": provenance(3)}]}
    truth = bp.read_truth(write(tmp_path / "gold3.jsonl", row, mixed))
    assert truth.units == "documents"
    assert truth.skipped == {"paragraphs beside provenance of whole pages, read as their pages": 1}


def test_kilt_predictions(tmp_path):
    row = {"id": 1, "input": "Q?", "output": [{"answer": "a", "provenance": provenance("9", 1)}]}
    run = bp.read_run(write(tmp_path / "guess.jsonl", row, {"id": 2, "output": [{"provenance": []}]}))
    assert run.format == "kilt-run" and run.size("2") == 0
    assert found(run, "1") == [("9", None, None), ("1", None, None)]


# --- HotpotQA ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("facts", [[["Jam", 0], ["Pot", 4]], {"title": ["Jam", "Pot"], "sent_id": [0, 4]}])
def test_hotpotqa(facts, tmp_path):
    name = "_id" if isinstance(facts, list) else "id"
    rows = [{name: "q7", "question": "Which?", "type": "bridge", "level": "hard", "supporting_facts": facts}]
    path = tmp_path / "dev.json"
    path.write_text(json.dumps(rows, indent=1) if name == "_id" else json.dumps(rows[0]))
    truth = bp.read_truth(path)
    assert truth.format == "hotpotqa"
    assert places(truth, "q7") == [("Jam", 0, 1, None), ("Pot", 4, 5, None)], "all are needed"
    assert truth.fields["type"].values == {"q7": "bridge"}
    guess = {"answer": {"q7": "jam"}, "sp": {"q7": [["Jam", 0], ["Lid", 1]]}}
    (tmp_path / "guess.json").write_text(json.dumps(guess))
    run = bp.read_run(tmp_path / "guess.json")
    assert run.format == "hotpotqa-run"
    assert found(run, "q7") == [("Jam", 0, 1), ("Lid", 1, 2)]
    means = bp.evaluate(truth, run, "charP charR charF spanAll").mean()["guess"]
    assert means == {"charP": 0.5, "charR": 0.5, "charF": 0.5, "spanAll": 0.0}, "sp_prec, sp_recall, sp_f1"


# --- LoCoMo -----------------------------------------------------------------------------------------------------------

QUESTIONS = [
    {"question": "When?", "answer": "May", "evidence": ["D1:3", "D2:1; D2:04", "D:11:26"], "category": 1},
    {"question": "Who?", "answer": "Both", "evidence": [], "category": 2},
    {"question": "What?", "answer": "Jam", "evidence": ["D1:3", "D", "D1:3"], "category": 2},
]


@pytest.mark.parametrize("flat", [True, False])
def test_locomo(flat, tmp_path):
    path = tmp_path / "locomo.json"
    apart = [{"sample_id": "talk", **one, "retrieved_ids": ["session_2", "session_1"]} for one in QUESTIONS]
    path.write_text(json.dumps(apart if flat else [{"sample_id": "talk", "qa": QUESTIONS, "conversation": {}}]))
    truth = bp.read_truth(path)
    assert truth.format == "locomo"
    assert [one[:3] for one in places(truth, "talk/1")] == [
        ("talk/session_1", 2, 3), ("talk/session_2", 0, 1), ("talk/session_2", 3, 4), ("talk/session_11", 25, 26)
    ]  # fmt: skip
    assert len(truth["talk/2"]) == 0 and truth.unanswerable == ()
    assert len(truth["talk/3"]) == 1
    assert truth.fields["category"].values == {"talk/1": "1", "talk/2": "2", "talk/3": "2"}
    assert truth.skipped == {
        "evidence not written as D1:3, read as the turns it names": 2,
        "questions without evidence, not judged": 1,
        "evidence that is not a turn, skipped ('D' in line 1)": 1,
    }
    if flat:
        run = bp.read_run(path)
        assert run.format == "locomo-run"
        assert found(run, "talk/1") == [("talk/session_2", None, None), ("talk/session_1", None, None)]


def test_locomo_retrieved_turns(tmp_path):
    row = {"sample_id": "talk", "question": "When?", "retrieved_ids": ["D2:1", "D1:3"]}
    (tmp_path / "run.json").write_text(json.dumps([row]))
    assert found(bp.read_run(tmp_path / "run.json"), "talk/1") == [("talk/session_2", 0, 1), ("talk/session_1", 2, 3)]


# --- LongMemEval ------------------------------------------------------------------------------------------------------


def history(name, wanted, *sessions):
    turns = [[{"role": "user", "content": "..", **({"has_answer": True} if marked else {})} for marked in one]
             for _, one in sessions]  # fmt: skip
    return {"question_id": name, "question_type": "multi-session", "question": "What set?", "answer": "jam",
            "haystack_session_ids": [one for one, _ in sessions], "haystack_sessions": turns,
            "answer_session_ids": wanted}  # fmt: skip


def test_longmemeval(tmp_path):
    rows = [
        history("q7", ["answer_1", "answer_2"], ("s5", [0, 0]), ("answer_1", [0, 1]), ("answer_2", [0, 0, 0])),
        history("q8_abs", ["answer_3"], ("answer_3", [1])),
    ]
    path = tmp_path / "oracle.json"
    path.write_text(json.dumps(rows))
    truth = bp.read_truth(path)
    assert truth.format == "longmemeval"
    assert [one[:3] for one in places(truth, "q7")] == [("answer_1", 1, 2), ("answer_2", 0, 3)]
    assert truth.unanswerable == ("q8_abs",)
    assert truth.skipped == {"sessions with the answer in no marked turn, relevant as a whole": 1}
    items = [{"corpus_id": one, "text": ".."} for one in ("s5", "noans_1_1", "answer_1_2", "answer_2")]
    log = {**rows[0], "retrieval_results": {"query": "What set?", "ranked_items": items, "metrics": {}}}
    run = bp.read_run(write(tmp_path / "log.jsonl", log))
    assert run.format == "longmemeval-run"
    assert found(run, "q7") == [("s5", 0, 2), ("answer_1", 0, 1), ("answer_1", 1, 2), ("answer_2", 0, 3)]
    assert bp.read_truth(tmp_path / "log.jsonl").to_records()[:2] == truth.to_records()[:2], "the log is a truth too"


# --- LocAgent ---------------------------------------------------------------------------------------------------------

CHANGES = [{"file": "jam/pot.py", "changes": {"edited_entities": ["jam/pot.py:Pot.boil", "jam/pot.py:fill"],
                                               "edited_modules": ["jam/pot.py:Pot", "jam/pot.py:fill"]}}]  # fmt: skip
GOLD = [
    {"instance_id": "jam-7", "file_changes": CHANGES},
    {"instance_id": "jam-7", "meta_data": {"gt_file_changes": CHANGES, "gt_files": ["jam/pot.py"]}},
    {"instance_id": "jam-7", "patch": "...", "edit_functions": ["jam/pot.py:Pot.boil", "jam/pot.py:fill"]},
]


@pytest.mark.parametrize("gold", GOLD, ids=["gold file", "output", "Loc-Bench"])
def test_locagent_levels(gold, tmp_path):
    path = write(tmp_path / "gold.jsonl", gold)
    truth = bp.read_truth(path)
    assert truth.format == "locagent" and [one[0] for one in places(truth, "jam-7")] == ["jam/pot.py"]
    modules, functions = (bp.read_truth(path, f"locagent-{level}") for level in ("modules", "functions"))
    assert [one[0] for one in places(modules, "jam-7")] == ["jam/pot.py:Pot", "jam/pot.py:fill"]
    assert [one[0] for one in places(functions, "jam-7")] == ["jam/pot.py:Pot.boil", "jam/pot.py:fill"]


def test_locagent_issues_without_gold_are_undefined(tmp_path):
    row = {"instance_id": "jam-8", "file_changes": [{"file": "jam/lid.py", "changes": {"edited_entities": []}}]}
    path = write(tmp_path / "gold.jsonl", GOLD[0], row)
    truth = bp.read_truth(path, "locagent-functions")
    assert truth.skipped == {"issues without gold functions, not judged": 1}
    run = [{"topic": name, "doc": "jam/pot.py:Pot.boil"} for name in ("jam-7", "jam-8")]
    assert bp.evaluate(truth, run, "R@5").per_topic()["run"]["R@5"] == {"jam-7": 0.5, "jam-8": None}
    files = bp.read_truth(path)
    assert files.fields["functions"].values == {"jam-7": "some", "jam-8": "none"}


def test_locagent_results(tmp_path):
    row = {"instance_id": "jam-7", "found_files": ["a.py", "b.py"], "found_modules": ["a.py:A"],
           "found_entities": ["a.py:A.f", "b.py:g"]}  # fmt: skip
    path = write(tmp_path / "out.jsonl", row)
    assert [one for one, *_ in found(bp.read_run(path), "jam-7")] == ["a.py", "b.py"]
    assert [one for one, *_ in found(bp.read_run(path, "locagent-modules-run"), "jam-7")] == ["a.py:A"]
    assert [one for one, *_ in found(bp.read_run(path, "locagent-functions-run"), "jam-7")] == ["a.py:A.f", "b.py:g"]


def accuracy(found, gold, k):
    """As LocAgent's program counts: the hits among k results are as many as the gold, k at most."""
    counted = [sum(one in right for one in found[name][:k]) == min(len(right), k) for name, right in gold.items()]
    return sum(counted) / len(counted)


def test_levels_of_locagent_score_their_own_lists(tmp_path, berrypick):
    """Files, modules and functions are three lists of one file, with three values."""
    rng, levels = random.Random(5), {"file": "found_files", "module": "found_modules", "function": "found_entities"}
    names = [f"{path}.py:{kind}.{name}" for path in "abc" for kind in ("Pot", "Lid") for name in "fgh"]
    shorter = {"file": lambda name: name.partition(":")[0], "module": lambda name: name.partition(".py")[0] + ".py"
               + name.partition(".py")[2].partition(".")[0], "function": str}  # fmt: skip
    rows, gold, found = [], {level: {} for level in levels}, {level: {} for level in levels}
    for number in range(40):
        issue, right = f"jam-{number}", rng.sample(names, rng.choice((1, 1, 2, 7)))
        parts = {level: list(dict.fromkeys(map(shorter[level], right))) for level in levels}
        changes = [{"file": path, "changes": {"edited_modules": [one for one in parts["module"] if path in one],
                                              "edited_entities": [one for one in right if path in one]}}
                   for path in parts["file"]]  # fmt: skip
        row = {"instance_id": issue, "meta_data": {"gt_file_changes": changes, "gt_files": parts["file"]}}
        for level, name in levels.items():  # lists of their own, as a localiser has them
            pool = sorted({shorter[level](one) for one in names} - {*parts[level]})
            row[name] = found[level][issue] = rng.sample(parts[level], rng.randrange(len(parts[level]) + 1))
            row[name] += rng.sample(pool, min(2, len(pool)))
            gold[level][issue] = parts[level]
        rows.append(row)
    path = write(tmp_path / "out.jsonl", *rows)
    measures = "All(cap=True)@1 All(cap=True)@5"
    for level in levels:
        expected = [accuracy(found[level], gold[level], k) for k in (1, 5)]
        assert list(bp.evaluate(path, path, measures, level=level).mean()["out"].values()) == pytest.approx(expected)
        named = [path, path, "-m", measures, "--level", level, "-o", "json"]
        done = berrypick("evaluate", *named, "--format-truth", "locagent", "--format-run", "locagent-run")
        assert done.code == 0, done.err
        assert [row["value"] for row in json.loads(done.out)] == pytest.approx(expected, abs=5e-5)
    values = [accuracy(found[level], gold[level], 5) for level in levels]
    assert len({*values}) == 3, "the levels differ, or the test shows nothing"
    functions = bp.evaluate(path, path, measures, level="function").mean()
    assert functions == bp.evaluate(bp.read_truth(path, "locagent-functions"),
                                    bp.read_run(path, "locagent-functions-run"), measures).mean()  # fmt: skip


def test_files_alone_have_no_other_level(tmp_path, berrypick):
    """Values that were read as files cannot become modules, nor can a file that has no modules."""
    row = {"instance_id": "jam-7", "found_files": ["a.py"], "meta_data": {"gt_files": ["a.py"]}}
    path = write(tmp_path / "out.jsonl", row)
    done = berrypick("evaluate", path, path, "-m", "R@5", "--level", "module")
    assert done.code == 2 and "out.jsonl:1: gt_files does not say which modules were changed" in done.err
    read = bp.read_truth(path)
    with pytest.raises(bp.UsageError, match=r"was read as locagent, which has no functions: .* locagent-functions"):
        bp.evaluate(read, path, "R@5", level="function")
    gold = write(tmp_path / "gold.jsonl", GOLD[0])
    with pytest.raises(bp.InputError, match=r"out.jsonl:1: found_modules must be a list of names"):
        bp.evaluate(gold, path, "R@5", level="module")
    with pytest.raises(bp.UsageError, match="was read as locagent-run, which has no modules"):
        bp.evaluate(gold, bp.read_run(path), "R@5", level="module")
    assert bp.evaluate(read, bp.read_run(path), "R@5", level="file").mean() == {"out": {"R@5": 1.0}}


# --- what is refused --------------------------------------------------------------------------------------------------

REFUSED = [
    ("fever", claim(7, [[[1, 1, "Jam", None]]]), "evidence has no place"),
    ("fever", claim(7, [[[1, 1, "Jam"]]]), "must be .annotation, evidence, page, line."),
    ("fever", claim(7, [], "MAYBE"), "label must be one of SUPPORTS, REFUTES, NOT ENOUGH INFO"),
    ("fever", claim(None, []), "id is missing"),
    ("fever-run", {"id": 7, "predicted_evidence": [["Jam", 0, 0.5]]}, r"must be a list of \[page, line\]"),
    ("fever-run", {"id": 7, "predicted_evidence": [["Jam", "x"]]}, "the number of a line"),
    ("scifact", {"id": 7, "claim": "..", "evidence": {"41": {"sentences": [1]}}}, "each with a list"),
    ("scifact", {"id": 7, "claim": "..", "evidence": {"41": [{"sentences": [-1]}]}}, "numbers from 0"),
    ("scifact-run", {"id": 7, "evidence": {"41": {"sentences": "1"}}}, "numbers from 0"),
    ("kilt", {"id": 7, "output": [{"provenance": [{"title": "Jam"}]}]}, "provenance must have a wikipedia_id"),
    ("kilt-run", {"id": 7, "output": [{"provenance": []}, {"provenance": []}]}, "one output, not 2"),
    ("hotpotqa", {"_id": "q", "supporting_facts": [["Jam", -1]]}, "the number of a sentence"),
    ("locomo", {"sample_id": "t", "question": "?", "evidence": "D1:3"}, "evidence must be a list of turns"),
    ("locomo-run", {"sample_id": "t", "question": "?", "retrieved_ids": ["7"]}, "turns .D1:3. or sessions"),
    ("longmemeval", history("q", ["s9"], ("s5", [1])), "session 's9', which is not in the history"),
    ("locagent", {"instance_id": "i", "file_changes": [{"changes": {}}]}, "does not say which files were changed"),
    ("locagent-run", {"instance_id": "i", "found_files": "a.py"}, "found_files must be a list of names"),
]


@pytest.mark.parametrize(("name", "row", "message"), REFUSED, ids=[f"{one[0]}-{i}" for i, one in enumerate(REFUSED)])
def test_what_cannot_be_understood_is_refused_with_its_line(name, row, message, tmp_path):
    path = write(tmp_path / "file.jsonl", row)
    with pytest.raises(bp.InputError, match=message) as error:
        formats.read_any(path, format=name)
    assert f"{path}:1:" in str(error.value)


def test_each_converts_to_lines_of_spans_and_means_the_same(tmp_path, berrypick):
    gold = write(tmp_path / "dev.jsonl", claim(7, [[[1, 1, "Jam", 0]]]), claim(8, [[[1, 2, "Pot", 1]]]), claim(9, []))
    assert berrypick("convert", gold, tmp_path / "truth.jsonl").code == 0
    original, written = bp.read_truth(gold), bp.read_truth(tmp_path / "truth.jsonl")
    assert written.to_records() == original.to_records()
    assert list(written) == ["7", "8", "9"]


# --- MTRAG ------------------------------------------------------------------------------------------------------------


def test_mtrag(tmp_path):
    """Ordered by score, with the ids of the benchmark's qrels; a turn may have no passages."""
    contexts = [
        {"document_id": "jam_0-90-0-40", "score": 1.5, "text": ".."},
        {"document_id": "pot_5-9-0-4", "score": 2},
    ]
    rows = (
        {"task_id": "talk<::>1", "contexts": contexts},
        {"task_id": "talk<::>2", "contexts": [], "Validity": math.nan},
    )
    (tmp_path / "dev.tsv").write_text("query-id\tcorpus-id\tscore\ntalk<::>1\tjam_0-90-0-40\t1\n")
    run = bp.read_run(write(tmp_path / "rag.jsonl", *rows))
    assert run.format == "mtrag-run"
    assert [one for one, *_ in found(run, "talk<::>1")] == ["pot_5-9-0-4", "jam_0-90-0-40"]
    assert run.size("talk<::>2") == 0
    assert bp.evaluate(tmp_path / "dev.tsv", run, "R@1 R@3 RR").mean()["rag"] == {"R@1": 0, "R@3": 1, "RR": 0.5}
