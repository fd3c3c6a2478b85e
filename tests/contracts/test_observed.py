"""Signatures name what measures and user models declare, and checks find what they do not."""

import pytest
from many_cases import each
from part_reading_measure import RUN, TRUTH, Reads, reads
from prepared_worlds import suiting
from test_measures import typed

import berrypick as bp
from berrypick.evaluation.signature import depends_on
from berrypick.formats.spans.span_run import SpanRun
from berrypick.formats.trec.trec_run import TrecRun
from berrypick.measures import registered
from berrypick.testing import check_format, check_measure, check_user_model
from berrypick.testing.checks import measure_reads

LENGTHS = {"a": 50, "b": 60}
TEXTS = {"a": "one two three four five six seven eight nine ten!", "b": "a bc def " * 7}


@each(
    ("part", "key"),
    [
        ("reach", "user"),
        ("consulted", "user"),
        ("read_regions", "user"),
        ("context.user", "user"),
        ("levels", "idealism"),
        ("targets.idealism", "idealism"),
        ("context.idealism", "idealism"),
        ("effort_unit", "effort"),
        ("units", "units"),
        ("tokens", "tokenizer"),
        ("collection", "lengths"),
        ("context.reader.collection", "lengths"),
    ],
)
def test_what_is_read_is_observed(part, key):
    given = {"documents": TEXTS, "effort": "tokens", "units": 8}
    assert key in reads(part, **given) and reads("ranking", **given) == set()


@each(("part", "missing"), [("reach", "user"), ("units", "units"), ("targets", "targets")])
def test_a_measure_that_declares_too_little_fails(part, missing):
    check_measure(Reads(what_it_reads="ranking"), TRUTH, RUN)
    with pytest.raises(AssertionError, match=f"Reads.* depends on .*{missing}.*: name it in depends_on"):
        check_measure(Reads(what_it_reads=part), TRUTH, RUN)


class Patient(bp.UserModel):
    """Reads the lengths of all documents, and says nothing of it."""

    def reach(self, ranking, targets, context):
        seen = min(1.0, context.collection.mean_length / 100)
        return bp.Reach.of([[seen] * len(targets)] * ranking.ranks)


class Hasty(Patient):
    """Says that it reads nothing."""

    depends_on = ()


def fields_of(measure, **options):
    return dict(bp.evaluate(TRUTH, RUN, measure, **options).mean_rows[0].signature.fields)


def test_user_models_are_observed_too():
    check_user_model(Patient(), TRUTH, RUN, collection=LENGTHS)
    with pytest.raises(AssertionError, match="hasty depends on lengths: name it in depends_on"):
        check_user_model(Hasty(), TRUTH, RUN, collection=LENGTHS)


class All(Reads):
    """Declares nothing, which means everything."""

    depends_on = None


def test_signatures_name_what_is_declared():
    given = {"collection": LENGTHS, "units": 8}
    parts = {"user", "idealism", "effort", "units", "lengths"}
    assert parts <= fields_of(All(), **given).keys()
    assert fields_of(Reads(what_it_reads="reach"), **given).keys().isdisjoint(parts), "() is nothing"
    assert fields_of("EPRUM", user=Patient(), **given)["lengths"] == "2 documents,110"
    assert "lengths" not in fields_of("EPRUM", user=Hasty(), **given)
    assert "lengths" not in fields_of("charR", user=Patient(), **given), "of the user, where that is declared"
    assert fields_of("EPRUM", user="fetch_browse(of='bep')", **given)["lengths"], "inner models included"


class SomeTopics(bp.Measure):
    """Reads reach in one topic, and effort in another."""

    def compute(self, judged):
        return float(judged.reach.ranks if judged.topic == "1" else len(judged.effort_unit))


def test_topics_that_read_different_parts_have_one_signature(tmp_path):
    """The same in any order of topics, by one process and by several."""
    topics = [str(number) for number in range(1, 9)]
    run = {topic: {"a": 1.0} for topic in topics}
    found = []
    for order in (topics, topics[::-1]):
        for jobs in (1, 2):
            truth = {topic: {"a": 1} for topic in order}
            found += bp.evaluate(truth, run, ["RR", SomeTopics()], jobs=jobs).mean_rows[1:]
    assert {row.signature for row in found} == {found[0].signature}
    assert found[0].signature["user"] and found[0].signature["effort"] == "rank"


def test_several_processes_find_the_same():
    given = (TRUTH, RUN, "EPRUM ExpectedRatio charR")
    assert (
        bp.evaluate(*given, collection=LENGTHS).mean_rows == bp.evaluate(*given, collection=LENGTHS, jobs=2).mean_rows
    )


def test_a_run_without_results_states_what_the_measure_declares():
    rows = bp.evaluate({"1": {"a": 1}}, {"1": {}}, "EPRUM").mean_rows
    assert rows[0].value == 0.0
    assert rows[0].signature["user"] == "classical(share=0.5)" and rows[0].signature["idealism"]


def test_measures_of_other_programs_read_no_option():
    pytest.importorskip("ir_measures")
    fields = dict(bp.evaluate({"q": {"a": 1}}, {"q": {"a": 1}}, "infAP", units=9).mean_rows[0].signature.fields)
    assert fields.keys().isdisjoint({"user", "idealism", "effort", "units", "lengths"})


#: What can be seen to be read; the rest of what measures declare is text, or is stated by values.
OBSERVABLE = {"user", "idealism", "effort", "units", "lengths", "tokenizer", "chunks", "targets", "ignore_elements"}
#: Signatures that name more than any of these evaluations reads.
NAMED_BESIDE = {"Enough": {"user"}, "EnoughRR": {"user"}}


@pytest.mark.slow
@each("name", sorted(registered()))
def test_measures_declare_what_they_read(name):
    """What is declared is what signatures name, and decides which options are said to have no effect."""
    text = typed(registered()[name])
    read, declared = set(), set()
    for world in suiting(text):
        evaluation = bp.Evaluation.prepare(world.truth, world.run, text, **world.options)
        for one in evaluation.measures:
            found = measure_reads(one.measure, evaluation, world.run, one.text)
            assert found - {"effort_tokens"} <= depends_on(one.measure, evaluation.contexts[one.text].user), world.name
            read |= found
            declared |= one.measure.dependencies()
    assert declared & OBSERVABLE - read == NAMED_BESIDE.get(name, set())


def test_what_no_measure_can_depend_on_is_refused():
    wrong = type("Wrong", (Reads,), {"depends_on": ("users",), "__doc__": "Wrong."})
    with pytest.raises(bp.UsageError, match="depends_on has 'users'; it may have user, idealism"):
        bp.register(wrong)


def test_a_format_gives_back_what_it_reads(tmp_path):
    (tmp_path / "a.run").write_text("1 Q0 a 1 2.0 mine\n1 Q0 b 2 1.5 mine\n")
    check_format(TrecRun, tmp_path / "a.run")
    with pytest.raises(AssertionError, match="is detected as trec-run, not as span-run"):
        check_format(SpanRun, tmp_path / "a.run")
