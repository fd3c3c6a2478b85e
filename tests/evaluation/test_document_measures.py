"""Measures of whole documents where parts are judged: gates and evaluators refuse, other hand-overs warn."""

from dataclasses import dataclass
from typing import ClassVar

import pytest
from whole_documents import INSTEAD, RUN, TRUTH, WHOLE, one_and_two, quiet

import berrypick as bp
from berrypick.data.score import Score
from berrypick.measures import parse_measure
from berrypick.pytest import assert_retrieval


@pytest.fixture
def written(files):
    return one_and_two(files)


@pytest.mark.slow
@pytest.mark.parametrize(("typed", "spans"), INSTEAD)
def test_numbers_that_show_no_notes_warn(typed, spans):
    for number in (
        lambda: bp.score(typed, TRUTH, RUN),
        lambda: bp.evaluate(TRUTH, RUN, typed).mean(),
        lambda: bp.Evaluation.prepare(TRUTH, RUN, typed).run().metrics(),
    ):
        with pytest.warns(bp.BerrypickWarning, match=f"{WHOLE}; {spans} counts spans"):
            number()


def test_the_command(berrypick, written):
    files = written["truth_jsonl"], written["one_jsonl"], written["two_jsonl"]
    for gate in (["--fail-under", "MRR=0.5"], ["--fail-over", "MRR=2"], ["-m", "MRR", "--fail-if-worse", "two"]):
        for output in ("table", "junit", "markdown", "json"):
            done = berrypick("compare", *files, *gate, "-o", output)
            assert done.code == 2 and done.out == "" and "spanRR counts spans" in done.err
    done = berrypick("compare", *files, "-m", "MRR", "--fail-under", "charR@5=0")
    assert done.code == 0 and f"MRR: {WHOLE}; spanRR counts spans" in done.err


@pytest.mark.parametrize("ending", ["json", "jsonl", "parquet"])
def test_saved_results_remember(berrypick, written, tmp_path, ending):
    """Files have no notes: the signature says that spans were judged."""
    results = bp.evaluate(written["truth_jsonl"], [written["one_jsonl"], written["two_jsonl"]], "RR@3 charR")
    assert [row.signature.get("judged") for row in results.mean_rows] == ["spans", ""] * 2
    results.save(tmp_path / f"saved.{ending}")
    read = bp.read_results(tmp_path / f"saved.{ending}")
    assert [note for note in results.notes if note.kind == "whole documents"] == list(read.notes)
    with pytest.warns(bp.BerrypickWarning, match=r"spanRR@3 counts spans"):
        assert read.metrics()["one"] == {"RR_at_3": 1.0, "charR": 0.0}
    with pytest.raises(bp.UsageError, match=r"spanRR@3 counts spans"):
        bp.compare(read).unmet(under={"RR@3": 0.5})
    done = berrypick("compare", tmp_path / f"saved.{ending}", "--fail-under", "RR@3=0.5")
    assert done.code == 2 and "spanRR@3 counts spans" in done.err
    assert quiet(lambda: read.only(measures="charR").metrics())["one"] == {"charR": 0.0}


def test_whole_documents_against_parts_are_told_too():
    with pytest.warns(bp.BerrypickWarning, match=r"charR@5 counts spans"):
        assert bp.score("R@5", TRUTH, {"q": {"d": 1.0}}) == 1.0


def test_judged_documents_change_nothing():
    truth = {"q": {"d": 1}}
    for run in ({"q": {"d": 1.0}}, RUN):
        assert quiet(lambda run=run: bp.score("R@5", truth, run)) == 1.0
        assert quiet(lambda run=run: bp.evaluate(truth, run, "R@5").metrics()) == {"R_at_5": 1.0}
        assert bp.compare(truth, run, "R@5").unmet(under={"R@5": 0.5}) == []
        assert_retrieval(truth, run, "R@5 >= 0.5")
        assert "judged" not in dict(bp.evaluate(truth, run, "R@5").mean_rows[0].signature.fields)


@dataclass(frozen=True)
class SeenDocument(bp.Measure):
    """A measure of another package that counts whole documents."""

    of_spans: ClassVar[str] = "spanHit"

    def compute(self, judged):
        return Score(1.0)


def test_it_is_a_fact_that_any_measure_can_have():
    with pytest.warns(bp.BerrypickWarning, match="spanHit counts spans"):
        bp.score(SeenDocument(), TRUTH, RUN)
    with pytest.raises(bp.UsageError, match="spanHit counts spans"):
        bp.compare(TRUTH, RUN, SeenDocument()).unmet(under={"SeenDocument": 0.5})


def test_what_is_named_instead_exists():
    for typed, spans in INSTEAD:
        assert parse_measure(typed).of_spans
        assert not parse_measure(spans).of_spans
