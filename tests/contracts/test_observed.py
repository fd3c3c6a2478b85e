"""Signatures name what a number was computed from, whatever a measure or a user model declares."""

from functools import lru_cache

import pytest
from many_cases import each
from part_reading_measure import RUN, TRUTH, Reads, signatures
from prepared_worlds import suiting
from test_measures import typed

import berrypick as bp
from berrypick.evaluation.scoring import RunScorer
from berrypick.measures import registered

LENGTHS = {"a": 50, "b": 60}
TEXTS = {"a": "one two three four five six seven eight nine ten!", "b": "a bc def " * 7}


TWO_USERS = ({"user": "window(before=2)"}, {"user": "distance"})
TWO_IDEALS = ({"idealism": "1=.5,2=1"}, {"idealism": "1=1,2=1"})
TWO_EFFORTS = ({"effort": "chars"}, {"effort": "rank"})
TWO_LENGTHS = ({}, {"collection": {"a": 50, "b": 70}})


@each(
    ("part", "key", "options"),
    [
        ("reach", "user", TWO_USERS),
        ("consulted", "user", TWO_USERS),
        ("read_regions", "user", TWO_USERS),
        ("context.user", "user", TWO_USERS),
        ("levels", "idealism", TWO_IDEALS),
        ("targets.idealism", "idealism", TWO_IDEALS),
        ("context.idealism", "idealism", TWO_IDEALS),
        ("effort_unit", "effort", TWO_EFFORTS),
        ("units", "units", ({"units": 9}, {"units": 10})),
        ("collection", "lengths", TWO_LENGTHS),
        ("context.reader.collection", "lengths", TWO_LENGTHS),
    ],
)
def test_what_was_read_is_in_the_signature_and_nothing_else(part, key, options):
    base = {"collection": LENGTHS, "units": 8}
    first, second = (signatures("ranking", part, **base | given) for given in options)
    assert first[0] == second[0], "a measure that reads none of it has the same signature"
    assert not {"user", "idealism", "effort", "units", "lengths"} & dict(first[0].fields).keys()
    assert first[1][key] != second[1][key]


def test_what_tokens_are_is_named_where_they_are_counted():
    ranking, tokens = signatures("ranking", "tokens", documents=TEXTS, effort="tokens")
    assert "tokenizer" not in dict(ranking.fields) and tokens["tokenizer"] == "words-uax29"


class Patient(bp.UserModel):
    """Reads the lengths of all documents, and says nothing of it."""

    def reach(self, ranking, targets, context):
        seen = min(1.0, context.collection.mean_length / 100)
        return bp.Reach.of([[seen] * len(targets)] * ranking.ranks)


def test_user_models_are_observed_too():
    fields = dict(signatures("reach", user=Patient(), collection=LENGTHS)[0].fields)
    assert fields["user"] == "patient" and fields["lengths"] == "2 documents,110"
    assert "lengths" not in dict(signatures("consulted", user=Patient(), collection=LENGTHS)[0].fields)


def test_what_others_have_computed_already_counts_as_read():
    """Parts are computed once for all measures of a topic."""
    alone = signatures("levels", collection=LENGTHS)[0]
    assert signatures("reach", "levels", "levels", collection=LENGTHS)[1] == alone
    texts, options = ("EPRUM", "ExpectedRatio"), {"user": Patient(), "collection": LENGTHS}
    rows = [bp.evaluate(TRUTH, RUN, given, **options).mean_rows for given in (texts, texts[::-1])]
    assert rows[0][0].signature == rows[1][1].signature and rows[0][1].signature == rows[1][0].signature
    assert rows[0][0].signature["lengths"] and rows[0][1].signature["lengths"]


class Both(bp.Measure):
    """Reads reach, and then satisfaction levels, which are made of it."""

    def compute(self, judged):
        return float(judged.reach.ranks + len(judged.levels))


def test_what_is_made_of_something_read_before_counts_as_made_of_it():
    rows = bp.evaluate(TRUTH, RUN, [Both(), Reads(what_it_reads="levels")], user="distance").mean_rows
    assert [row.signature["user"] for row in rows] == ["distance(theta=0.01,law='logistic')"] * 2
    assert rows[1].signature == signatures("levels", user="distance")[0]


def test_what_a_package_keeps_for_itself_counts_as_read():
    @lru_cache(maxsize=8)
    def seen(judged):
        return float(judged.reach.dense().sum())

    class First(bp.Measure):
        """Keeps what it computed."""

        depends_on = ()

        def compute(self, judged):
            return seen(judged)

    class Second(First):
        """Finds what is kept."""

    rows = bp.evaluate(TRUTH, RUN, [First(), Second()], user="distance").mean_rows
    assert [row.signature["user"] for row in rows] == ["distance(theta=0.01,law='logistic')"] * 2


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


@pytest.mark.slow
@each("name", sorted(registered()))
def test_no_measure_reads_what_it_does_not_declare(name):
    """What is declared decides which options are said to have no effect."""
    text = typed(registered()[name])
    options, elements = {"user", "idealism", "units", "chunks", "lengths"}, {"targets", "ignore_elements"}
    for world in suiting(text):
        evaluation = bp.Evaluation.prepare(world.truth, world.run, text, **world.options)
        scorer = RunScorer(evaluation, world.run, False)
        scorer.score_topics(scorer.topics, lambda count: None)
        scorer.score_documents()
        for one in evaluation.measures:
            reads, declared = scorer.scores.reads[one.text], {*one.measure.depends_on}
            assert reads & options <= declared, world.name
            assert world.name != "elements" or not reads & elements or declared & {*elements, "idealism"}


def test_what_no_measure_can_depend_on_is_refused():
    wrong = type("Wrong", (Reads,), {"depends_on": ("users",), "__doc__": "Wrong."})
    with pytest.raises(bp.UsageError, match="depends_on has 'users'; it is made of user, idealism"):
        bp.register(wrong)


def test_an_option_that_is_read_undeclared_is_not_said_to_have_no_effect():
    def notes(part):
        results = bp.evaluate(TRUTH, RUN, Reads(what_it_reads=part), user="distance")
        return [str(note.text) for note in results.notes if note.kind == "no effect"]

    assert notes("reach") == []
    assert notes("ranking") == ["user='distance' has no effect on Reads"]
