"""Effort and epnav in notes, lengths and other features."""

from __future__ import annotations

import random

import handmade
import numpy as np
import part_reading_measure
import pytest
import slow_text_twins as twins
from part_reading_measure import reads
from slow_text_twins import Key
from two_spans import TRUTH

import berrypick as bp
from berrypick.data.collection import Collection
from berrypick.evaluation.evaluation_context import prepare_context
from berrypick.evaluation.options import EvaluationOptions
from berrypick.topics.judge import judge_topic

TEXT = "".join(random.Random(5).choices("ab c,d\n", k=1000))
DOCUMENTS = {"d": TEXT, "e": TEXT[::-1]}


def make_context(**options):
    return prepare_context(EvaluationOptions.from_arguments(options))


PAGE = "# One\nfirst words\n\nmore words\n# Two\nother words here\n```\n# no heading\n```\nend\n"


def test_a_parent_costs_what_it_is_long():
    truth = handmade.span_truth({"1": [("p", 8, 12)]})
    run = handmade.span_run({"1": [("p", 8, 12)]})
    second = PAGE.index("# Two")
    for effort, user, expected in (("chars", "parent", second), ("tokens", "parent(by='paragraph')", 4)):
        context = make_context(user=user, effort=effort, documents={"p": PAGE})
        assert judge_topic(truth, run, "1", context).effort.ranks.tolist() == [expected]


def test_effort_in_tokens_is_signed():
    results = bp.evaluate(
        TRUTH, handmade.span_run({"1": [("d", 0, 200)]}), "epnav", effort="tokens", documents=DOCUMENTS
    )
    assert "effort:tokens|tokenizer:words" in str(results.mean_rows[0].signature)
    assert np.isfinite(results.mean_rows[0].value)


UNKNOWN = handmade.document_run({"1": ["x", "d"]})
KNOWN = Collection({"d": 100.0})


@pytest.mark.parametrize("effort", ["chars", "seconds"])
def test_effort_needs_every_length(effort):
    for truth in (handmade.document_truth({"1": {"d": 1}}), handmade.span_truth({"1": [("d", 0, 10)]})):
        with pytest.raises(bp.UsageError, match=r"needs the length of document x.*collection=.*documents="):
            bp.evaluate(truth, UNKNOWN, "epnav", effort=effort, collection=KNOWN, whole_documents=True)


def test_what_is_not_consulted_costs_nothing_but_its_rank():
    truth = handmade.span_truth({"1": [("d", 0, 10), ("e", 0, 10)]})
    run = handmade.span_run({"1": [("d", 0, 10), ("d", 40, 90), ("e", 0, 10)]})
    for effort, expected in (("chars", [10, 0, 10]), ("clicks", [1, 0, 1]), ("rank", [1, 1, 1])):
        judged = bp.judge(truth, run, "1", user="classical(returns=False)", effort=effort)
        assert judged.effort.ranks.tolist() == expected
    signature = bp.evaluate(truth, run, "EPRUM", user="classical(returns=False)").mean_rows[0].signature
    assert "returns=False" in signature["user"]


def test_effort_in_characters_needs_lengths() -> None:
    sizes = {("d", "/a[1]"): 40.0, ("d", "/a[1]/b[1]"): 10.0}
    graded: dict[Key, tuple[int, int]] = {("d", "/a[1]"): (3, 1), ("d", "/a[1]/b[1]"): (3, 3)}
    run = twins.element_run([[("d", "/a[1]")], [("d", "/a[1]/b[1]")]])
    known = twins.graded_truth(graded, sizes)
    assert twins.value(known, run, "epnav@1.0", effort="chars") == pytest.approx(10 / 50)
    with pytest.raises(bp.UsageError, match="collection="):
        twins.value(twins.graded_truth(graded), run, "epnav@1.0", effort="chars")


@pytest.mark.parametrize("reader", ["distance", "distance(theta=0.002)", "window(before=60,after=60)"])
def test_a_near_miss_lies_between_a_hit_and_a_far_miss(reader):
    truth = handmade.span_truth({"1": [("d", 400, 440)]})

    def scored(start):
        run = handmade.span_run({"1": [("e", 0, 40), ("d", start, start + 40)]})
        return bp.score("epnav", truth, run, user=reader)

    hit, near, far = scored(400), scored(355), scored(0)
    assert hit >= near > far
    assert hit > near or not reader.startswith("distance")  # who reads on gets there all the same


def test_a_curve_stands_behind_the_number():
    truth, run = {"1": {"a": 1, "b": 2}, "2": {"c": 1}}, {"1": {"x": 3, "a": 2, "b": 1}, "2": {"c": 1}}
    results = bp.evaluate(truth, run, "epnav", curves=True)
    curve = results.curves()["run"]["epnav"]["1"]
    assert len(curve) == 100
    assert np.mean([y for _, y in curve]) == pytest.approx(results.per_topic()["run"]["epnav"]["1"])


def test_which_elements_are_targets():
    """A ? element can be ideal by its specificity alone; with a map, and under strict, it is no target."""
    a, b = ("a", "/article[1]"), ("b", "/article[1]")
    topic = twins.graded_truth({a: (3, 3), b: (3, 3)}).topics["1"]
    made = type(topic)("1", ("a", "b"), topic.grade, path=topic.path, exhaustivity=topic.grade * [2, 0],
                       size=topic.grade * 10, rsize=topic.grade * 10)  # fmt: skip
    truth, run = bp.Truth("elements", {"1": made}, scale="sizes"), twins.element_run([[b], [a]])
    assert twins.value(truth, run, "epnav") == pytest.approx(1)
    assert twins.value(truth, run, "epnav", idealism={2: 1.0, 1: 0.5}) == pytest.approx(0.5)
    e, f = ("e", "/a[1]"), ("f", "/a[1]")
    truth, run = twins.graded_truth({e: (3, 3), f: (2, 2)}), twins.element_run([[e]])
    assert twins.values(truth, run, ["epnav@1", "epnav(quant='strict')@1"]) == pytest.approx([0, 1])


def test_effort_is_read_by_epnav():
    given = ({"q": {"a": 1, "b": 2}}, {"q": {"a": 1}})
    said = [
        [str(note) for note in bp.evaluate(*given, measures, effort="clicks").notes if note.kind == "no effect"]
        for measures in ("AP ERR", "AP ERR epnav")
    ]
    assert said == [["effort='clicks' has no effect on AP, ERR"], []]


# --- signatures -----------------------------------------------------------------------------------------------------


def test_effort_is_observed_and_named():
    lengths, texts = (
        {"a": 50, "b": 60},
        {"a": "one two three four five six seven eight nine ten!", "b": "a bc def " * 7},
    )
    assert "effort" in reads("effort", collection=lengths) and "effort" not in reads("ranking", collection=lengths)
    assert "effort_tokens" in reads("effort", documents=texts, effort="tokens")
    pair = part_reading_measure.TRUTH, part_reading_measure.RUN
    for given, named in (({"effort": "tokens"}, True), ({"effort": "chars"}, False)):
        fields = dict(bp.evaluate(*pair, "epnav@1", documents=texts, **given).mean_rows[0].signature.fields)
        assert fields["effort"] == given["effort"] and ("tokenizer" in fields) is named


def test_several_processes_find_the_same():
    given, lengths = (TRUTH, handmade.span_run({"1": [("d", 0, 200)]}), "EPRUM epnav"), {"d": 500, "e": 500}
    rows = [bp.evaluate(*given, collection=lengths, jobs=jobs).mean_rows for jobs in (1, 2)]
    assert rows[0] == rows[1]
