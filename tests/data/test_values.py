"""Values of berrypick between processes and in front of people: they pickle, print and warn."""

from __future__ import annotations

import pickle
import subprocess
import sys
import textwrap
import types
from pathlib import Path

import pytest

import berrypick as bp
from berrypick.data.navigation import ReachTable
from berrypick.demo import campaign

TRUTH = campaign.FOCUSED.files.path("assessments.xml")
RUNS = [campaign.FOCUSED.files.path(run) for run in campaign.ELEMENTS[:2]]
COLLECTION = campaign.FOCUSED.files.path("collection")
TOPIC = "1"


def index(tmp_path: Path) -> Path:
    from berrypick.documents.xml import build_index

    build_index(COLLECTION, tmp_path / "collection.index")
    return tmp_path / "collection.index"


@pytest.fixture(params=["folder", "index", "documents"])
def evaluation(request, tmp_path):
    if request.param == "documents":
        documents = {"d": "the cat sat on the mat. " * 5, "e": "nothing"}
        return bp.Evaluation.prepare(
            {TOPIC: {"d#0-10": 1}}, {TOPIC: {"d#0-20": 2.0, "e#0-4": 1.0}}, "charP EPRUM", documents=documents
        )
    collection = COLLECTION if request.param == "folder" else index(tmp_path)
    return bp.Evaluation.prepare(TRUTH, RUNS, "EPRUM nxCG@10", collection=collection, user="hierarchy")


def copied(value):
    return pickle.loads(pickle.dumps(value))


@pytest.mark.slow
def test_evaluations_pickle(evaluation):
    again = copied(evaluation)
    assert again.run(curves=True).records() == evaluation.run(curves=True).records()
    assert repr(again) == repr(evaluation)


def test_judged_topics_pickle_before_and_after_use(evaluation):
    name = next(iter(evaluation.runs))
    judged = evaluation.judge(name, TOPIC)
    fresh = copied(judged)
    expected = judged.reach.dense()
    assert (fresh.reach.dense() == expected).all() and (copied(judged).reach.dense() == expected).all()
    assert repr(fresh) == repr(judged) and fresh._repr_html_() == judged._repr_html_()
    assert fresh.ranking.codes_of(judged.ranking.documents) == judged.ranking.codes_of(judged.ranking.documents)


def test_a_ranking_does_not_take_its_run_along():
    many = {str(topic): {f"d{i}": float(i) for i in range(50)} for topic in range(100)}
    run = bp.Evaluation.prepare({"0": {"d1": 1}}, many, "AP").runs["run"]
    assert len(pickle.dumps(run.ranking("0"))) < len(pickle.dumps(run)) / 5


def test_truths_runs_and_results_pickle(evaluation):
    for value in (evaluation.truth, *evaluation.runs.values()):
        assert repr(copied(value)) == repr(value)
    results = evaluation.run()
    assert copied(results) == results and str(copied(results)) == str(results)
    compared = bp.compare(results)
    assert copied(compared) == compared and str(copied(compared)) == str(compared)
    explained = evaluation.explain(results.runs[0], evaluation.measures[0], TOPIC)
    assert copied(explained) == explained


def test_reprs_are_short_and_say_what_it_is(evaluation):
    shown = [repr(value) for value in (evaluation, evaluation.truth, *evaluation.runs.values())]
    shown.append(repr(evaluation.judge(next(iter(evaluation.runs)), TOPIC)))
    names = ["Evaluation(", "Truth(", *["Run("] * len(evaluation.runs), "JudgedTopic("]
    for text, name in zip(shown, names, strict=True):
        assert text.startswith(name) and len(text) < 250 and "array(" not in text and " at 0x" not in text


def test_an_explanation_prints_as_a_page():
    text = str(bp.explain(TRUTH, RUNS[0], "EPRUM", TOPIC, collection=COLLECTION))
    assert "Table(" not in text and "(" not in text.splitlines()[0].split(" for topic ")[1].split(",")[0]
    assert any(set(line) <= {"-", " "} and "-" in line for line in text.splitlines()), "tables are aligned"


# display in a fresh process, whatever was imported


MAKE = {
    "Results": "from berrypick.data.results import Results; v = bp.evaluate({'q': {'a': 1}}, {'q': {'a': 1.0}}, 'AP')",
    "Comparison": "v = bp.compare({'q': {'a': 1}}, [{'q': {'a': 1.0}}, {'q': {'b': 1.0, 'a': .5}}], 'AP')",
    "Explanation": "v = bp.explain({'q': {'a': 1}}, {'q': {'a': 1.0}}, 'EPRUM', 'q')",
    "Difference": "r = bp.evaluate({'q': {'a': 1}}, {'q': {'a': 1.0}}, 'AP'); v = bp.diff(r, r)",
    "JudgedTopic": "v = bp.judge({'q': {'a': 1}}, {'q': {'a': 1.0}}, 'q')",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", MAKE)
def test_values_show_themselves_in_a_fresh_process(name):
    code = f"import berrypick as bp\n{MAKE[name]}\nprint(v)\nprint(repr(v))\nassert '<table' in v._repr_html_()\n"
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, done.stderr
    assert done.stdout.strip()


@pytest.mark.slow
@pytest.mark.parametrize("name", MAKE)
def test_values_show_themselves_in_another_process(name):
    """A value that arrives pickled finds nothing imported."""
    here: dict = {"bp": bp}
    exec(MAKE[name], here)
    code = "import pickle, sys; v = pickle.load(sys.stdin.buffer)\nprint(v)\nassert '<table' in v._repr_html_()"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], input=pickle.dumps(here["v"]), capture_output=True
    )
    assert done.returncode == 0 and not done.stderr, done.stderr
    assert done.stdout.decode().rstrip("\n") == str(here["v"]).rstrip("\n")


# the package as a value


def test_packages_are_modules_and_functions_are_functions():
    import berrypick.evaluation
    import berrypick.evaluation.evaluation as module

    assert isinstance(berrypick.evaluation, types.ModuleType) and isinstance(module, types.ModuleType)
    assert isinstance(bp.evaluate, types.FunctionType) and type(bp) is types.ModuleType
    assert bp.evaluate.__module__ == "berrypick.evaluation.functions"


SENT = """
    import sys, pickle, cloudpickle
    import berrypick as bp

    def work(run):
        return bp.evaluate({"q": {"a": 1}}, run, "RR").mean()["run"]["RR"]

    sys.stdout.buffer.write(cloudpickle.dumps(work))
"""


@pytest.mark.slow
def test_a_function_that_says_bp_goes_to_another_process(tmp_path):
    pytest.importorskip("cloudpickle")
    script = tmp_path / "mine.py"
    script.write_text(textwrap.dedent(SENT), encoding="utf-8")
    sent = subprocess.run([sys.executable, str(script)], capture_output=True, check=True).stdout
    code = "import pickle, sys; print(pickle.load(sys.stdin.buffer)({'q': {'b': 2.0, 'a': 1.0}}))"
    done = subprocess.run([sys.executable, "-c", code], input=sent, capture_output=True, check=True)
    assert done.stdout.decode().strip() == "0.5"


@pytest.mark.slow
def test_joblib_workers_evaluate(tmp_path):
    pytest.importorskip("joblib")
    script = tmp_path / "mine.py"
    script.write_text(
        textwrap.dedent(
            """
            import joblib
            import berrypick as bp

            truth = bp.Evaluation.prepare({"q": {"a": 1}}, {"q": {"a": 1.0}}, "RR").truth

            def work(run):
                return bp.evaluate(truth, run, "RR")

            if __name__ == "__main__":
                runs = [{"q": {"a": 1.0}}, {"q": {"b": 2.0, "a": 1.0}}]
                found = joblib.Parallel(n_jobs=2, backend="loky")(joblib.delayed(work)(run) for run in runs)
                print([one.mean()["run"]["RR"] for one in found])
            """
        ),
        encoding="utf-8",
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True)
    assert done.stdout.strip() == "[1.0, 0.5]", done.stderr


# notes where people look


UNKNOWN = "none of the run's documents is judged (truth: a; run: b)"


def test_numbers_that_mean_nothing_are_warned_about():
    with pytest.warns(bp.BerrypickWarning) as caught:
        results = bp.evaluate({"q": {"a": 1}}, {"q": {"b": 1.0}}, "AP")
    assert [str(one.message) for one in caught] == [f"run: {UNKNOWN}"]
    assert caught[0].filename == __file__, "the warning points to the call"
    assert results.mean() == {"run": {"AP": 0.0}}
    assert str(results).splitlines()[-1] == f"note: run: {UNKNOWN}"
    assert UNKNOWN.replace("'", "&#x27;") in results._repr_html_()
    with pytest.warns(bp.BerrypickWarning, match="none of the run's documents is judged"):
        assert bp.score("AP", {"q": {"a": 1}}, {"q": {"b": 1.0}}) == 0.0


def test_one_warning_for_all_runs():
    with pytest.warns(bp.BerrypickWarning) as caught:
        bp.evaluate({"q": {"a": 1}}, [{"q": {"b": 1.0}}, {"q": {"b": 2.0}}], "AP")
    assert [str(one.message) for one in caught] == [f"run, run-2: {UNKNOWN}"]


def test_navigation_that_has_no_effect_is_warned_about(tmp_path):
    (tmp_path / "n.tsv").write_text("x\ty\t0.5\n", encoding="utf-8")
    with pytest.warns(bp.BerrypickWarning, match="so it has no effect"):
        bp.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "EPRUM", navigation=tmp_path / "n.tsv")


@pytest.mark.parametrize(
    ("rows", "value", "warned"),
    [
        ({("d#20-30", "d#0-10"): 0.5}, 0.625, False),
        ({("d#7-8", "d#0-10"): 0.5}, 0.25, False),  # a target has that name
        ({("d", "e"): 0.5}, 0.25, True),  # documents, where units are spans
        ({("x", "y"): 0.5}, 0.25, True),
    ],
)
def test_navigation_between_spans(rows, value, warned, recwarn):
    spans, run = {"q": {"d": [(0, 10)], "e": [(5, 9)]}}, {"q": [("d", 20, 30), ("e", 5, 9)]}
    found = bp.evaluate(spans, run, "EPRUM", navigation=ReachTable(rows, "n.tsv"))
    assert found.mean() == {"run": {"EPRUM": value}}
    said = [str(one.message) for one in recwarn.list]
    names = f"(n.tsv: {', '.join(next(iter(rows)))}; run: d#20-30, e#5-9)"
    no_effect = f"run: no unit of the run or the truth occurs in n.tsv, so it has no effect {names}"
    assert said == ([no_effect] if warned else [])


@pytest.mark.slow
def test_whole_documents_that_are_read_as_spans_have_names_of_spans(recwarn):
    """A table of documents has no effect on them, and that is said."""
    found = bp.evaluate(
        {"q": {"d": [(0, 10)]}}, {"q": {"e": 1.0}}, "EPRUM", navigation=ReachTable({("e", "d"): 1.0}),
        documents={"d": "some text here", "e": "other text"}, whole_documents=True,
    )  # fmt: skip
    assert found.mean() == {"run": {"EPRUM": 0.0}}
    assert any("so it has no effect (the navigation: e, d; run: e#0-10)" in str(one.message) for one in recwarn.list)


def test_good_numbers_give_no_warning(recwarn):
    bp.evaluate({"q": {"a": 1}}, {"q": {"b": 2.0, "a": 1.0}}, "AP")
    assert not recwarn.list


@pytest.mark.slow
def test_the_command_line_says_it_once(tmp_path, process):
    (tmp_path / "t.qrels").write_text("q 0 a 1\n", encoding="utf-8")
    (tmp_path / "r.run").write_text("q Q0 b 1 1 run\n", encoding="utf-8")
    done = process("evaluate", tmp_path / "t.qrels", tmp_path / "r.run", "-m", "AP")
    assert done.code == 0 and done.err == f"note: run: {UNKNOWN}\n"


def test_repeated_results_that_count_again(recwarn):
    truth, run = {"q": {"d": [(0, 10)]}}, {"q": [("d", 0, 5), ("d", 0, 5)]}
    found = bp.evaluate(truth, run, "charR charR(counted='pairs')", duplicates="keep")
    assert found.mean() == {"run": {"charR": 0.5, "charR(counted='pairs')": 1.0}}
    said = "1 result repeats an earlier one of the same topic; it adds nothing"
    assert f"{said}, but counts again in charR(counted='pairs')" in [note.text for note in found.notes]
    assert said in [note.text for note in bp.evaluate(truth, run, "charR", duplicates="keep").notes]


def test_topics_without_targets_have_values_of_some_measures(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"topic":"q","doc":"d","start":0,"end":9}\n{"topic":"p","doc":"e","start":0,"end":9,"grade":0}\n')
    run = {"q": [("d", 0, 5)], "p": [("e", 0, 5)]}
    said = "1 judged topic has nothing relevant; its value{} is undefined and left out of means"
    assert said.format("") in [note.text for note in bp.evaluate(path, run, "charR").notes]
    both = bp.evaluate(path, run, "charR Abstained")
    assert {row.measure: row.value for row in both.topic_rows if row.topic == "p"} == {"charR": None, "Abstained": 0.0}
    assert said.format(" of charR") in [note.text for note in both.notes]


def test_files_of_comments_are_not_empty(tmp_path):
    for text, told in (("# a comment\n\n", "has only blank lines and comments"), ("", "the file is empty")):
        (tmp_path / "t.qrels").write_text(text)
        with pytest.raises(bp.InputError, match=told):
            bp.read_truth(tmp_path / "t.qrels")
