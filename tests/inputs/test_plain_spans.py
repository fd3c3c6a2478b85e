"""Lists of spans in Python: columns at once against result by result."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from fractions import Fraction
from operator import attrgetter

import numpy as np
import pytest
from comparable_values import told

import berrypick as bp
from berrypick.data.errors import BerrypickError
from berrypick.given import given_values
from berrypick.given.convert import run_sources
from berrypick.inputs import column_tables, objects, span_lists
from berrypick.inputs.client_readers import Clients
from berrypick.inputs.column_tables import TextSearch, run_of_table
from berrypick.inputs.objects import topics_table
from berrypick.kernels import native


def outcome(given):
    try:
        return told_of(run_of_table(topics_table(given, "run"), "mine", TextSearch()))
    except BerrypickError as error:
        return str(error)


def told_of(run):
    columns = {
        name: None if (held := getattr(run, name)) is None else (str(held.dtype), held.tolist())
        for name in ("bounds", "start", "end", "score", "rank", "line")
    }
    rest = ("tag", "topics", "grouped", "unit", "details", "ordering.ties", "ordering.duplicates", "texts.quoted")
    more = ("texts.of_text", "texts.other_names", "source", "format", "notes", "skipped", "origin.unread")
    return {
        **columns,
        **{name: attrgetter(name)(run) for name in (*rest, *more)},
        "document": [run.documents[int(code)] for code in run.document],
        "documents": list(run.documents),
    }


@pytest.fixture
def both(monkeypatch):
    """Whether lists are read at once, and what is read in each way."""

    def compared(given):
        fast = outcome(given)
        at_once = objects.plain_spans(given) is not None
        with monkeypatch.context() as patch:
            patch.setattr(objects, "plain_spans", lambda given: None)
            patch.setattr(column_tables, "spans_run", lambda table: None)
            assert outcome(given) == fast
        return at_once, fast

    return compared


def drawn(draw, scores, texts=False):
    """Topics with a few spans each, some with none."""

    def span():
        start = int(draw.integers(0, 50)) + float(draw.choice([0, 0.5], p=[0.9, 0.1]))
        made = {"doc": str(draw.choice(["a", "b/c.md", "\u00e9", "7"])), "start": start, "end": start + 9}
        made |= {"score": float(draw.normal())} if scores else {}
        return made | ({"text": "words " * int(draw.integers(1, 3))} if texts else {})

    return {f"q{number}": [span() for _ in range(int(draw.integers(0, 6)))] for number in range(8)}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(30))
def test_plain_lists_are_read_at_once(seed, both):
    draw = np.random.default_rng(seed)
    at_once, found = both(drawn(draw, scores=bool(seed % 2), texts=seed % 3 == 0))
    assert at_once and not isinstance(found, str)
    assert bool(found["texts.quoted"]) == (seed % 3 == 0)


SPAN = {"doc": "a", "start": 1, "end": 3}
ODD = [
    {"start": 5, "end": 3},
    {"start": -1},
    {"start": True},
    {"start": None},
    {"start": "1"},
    {"start": float("nan")},
    {"start": float("inf")},
    {"end": 2**53},
    {"end": 2**53 + 1},
    {"end": 10**400},
    {"start": np.int64(2)},
    {"start": [1, 2]},
    {"doc": ""},
    {"doc": 7},
    {"doc": None},
    {"doc": "\ud800"},
    {"doc": "a\0b"},
    {"doc": "a\tb"},
    {"doc": "3f2504e0-4f89-11d3-9a0c-0305e82c3301"},
    {"doc": ["a", "b"]},
    {"score": 1.0},
    {"score": None},
    {"rank": 3},
    {"text": "words"},
    {"text": " "},
    {"text": ["words"]},
    {"page": 3},
    {"metadata": {"source": "x"}},
    {"name": "x"},
]


@pytest.mark.slow
@pytest.mark.parametrize("odd", ODD, ids=[str(one)[:40] for one in ODD])
def test_other_results_say_the_same(odd, both):
    for results in ([SPAN | odd], [SPAN, SPAN | odd], [SPAN | odd, SPAN], [{**odd, **SPAN}, SPAN]):
        both({"q": results})
        both({"p": [SPAN], "q": results, "r": []})
    both({"q": [{name: value for name, value in SPAN.items() if name not in odd}]})


@pytest.mark.parametrize(
    "given",
    [
        {"q": (SPAN,)},
        {"q": [("a", 1, 3)]},
        {"q": []},
        {1: [SPAN]},
        {1.0: [SPAN]},
        {None: [SPAN]},
        {"": [SPAN]},
        {"q": {"a": 1}},
    ],
    ids=str,
)
def test_other_lists_say_the_same(given, both):
    both(given)


def as_tuples(given):
    names = ("doc", "start", "end", "score")
    return {topic: [tuple(one[name] for name in names if name in one) for one in held] for topic, held in given.items()}


def test_tuples_are_read_at_once(both):
    for seed in range(10):
        given = drawn(np.random.default_rng(seed), scores=bool(seed % 2))
        at_once, found = both(as_tuples(given))
        assert at_once and found == outcome(given)
    for odd in ([("a", 1)], [("a", 1, 3), ("a", 1)], [("a", 1, "3")], [("a", 3, 1)], [(7, 1, 3)], [("a", 1, 3, None)]):
        both({"p": [("a", 1, 3)], "q": odd})


def test_what_begins_with_a_span_is_what_a_topic_retrieves(monkeypatch):
    """Whatever follows it."""
    others = [SPAN, {"_id": 1, "_source": {}}, {"topic": "q", **SPAN}, ("a", 1, 3), "text", None, 7, [SPAN]]
    firsts = [
        SPAN,
        SPAN | {"score": 1},
        SPAN | {"text": "it"},
        SPAN | {"doc": None, "end": [1]},
        ("a", 1, 3),
        ("a", "b", "c", {"d": 1}),
    ]
    lists = [[first, *rest] for first in firsts for rest in ([], *([one] for one in others))]
    clients = Clients()
    assert not any(given_values._holds_run(key, one, clients) for key in ("q", "topic") for one in lists)
    monkeypatch.setattr(given_values, "begins_with_span", lambda value: False)
    assert {given_values._holds_run(key, one, clients) for key in ("q", "topic") for one in lists} == {False}


# --- judgements -------------------------------------------------------------------------------------------------------


def judged_outcome(given):
    try:
        return told(bp.Truth.from_records(given) if isinstance(given, list) else bp.Truth.from_dict(given))
    except BerrypickError as error:
        return str(error)


@pytest.fixture
def both_truths(monkeypatch):
    """Whether judgements are read at once, and what is read in each way."""

    def compared(given):
        used = []
        made = column_tables._plain_truth
        with monkeypatch.context() as patch:
            patch.setattr(column_tables, "_plain_truth", lambda table: used.append(found := made(table)) or found)
            fast = judged_outcome(given)
        with monkeypatch.context() as patch:
            patch.setattr(objects, "plain_judgements", lambda given: None)
            patch.setattr(column_tables, "_plain_truth", lambda table: None)
            assert judged_outcome(given) == fast
        return bool(used and used[-1]), fast

    return compared


def as_records(given):
    return [{"topic": topic, **one} for topic, held in given.items() for one in held]


@pytest.mark.slow
def test_plain_judgements_are_read_at_once(both_truths):
    for seed in range(30):
        draw = np.random.default_rng(seed)
        given = {
            topic: [
                one | ({"grade": float(draw.choice([0, 0.5, 1, -1, 2]))} if seed % 2 else {})
                for one in {tuple(one.values()): one for one in held}.values()
            ]
            for topic, held in drawn(draw, scores=False).items()
        }
        for form in (given, as_records(given)):
            at_once, found = both_truths(form)
            assert at_once and not isinstance(found, str)
        tuples = {topic: [tuple(one.values()) for one in held] for topic, held in given.items()}
        assert both_truths(tuples)[1] == judged_outcome(given)


MORE = [{"grade": 0, "end": 1}, {"end": 1}, {"grade": -0.0}, {"grade": 1001}, {"grade": None}, {"grade": True},
        {"quote": "it"}, {"set": "x"}, {"judged": "whole"}, {"grade": "high"}, {}]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("odd", [*ODD, *MORE], ids=[str(one)[:40] for one in [*ODD, *MORE]])
def test_other_judgements_say_the_same(odd, both_truths):
    for held in ([SPAN | odd], [SPAN, SPAN | odd], [SPAN | odd, SPAN], [{**odd, **SPAN}, SPAN]):
        for given in ({"q": held}, {"p": [SPAN], "q": held, "r": []}, {"p": held, "q": None}, {1: held, "": [SPAN]}):
            both_truths(given)
            both_truths(as_records({topic: found or [] for topic, found in given.items()}))


def test_names_may_stand_in_any_order(both):
    at_once, found = both({"q": [{"end": 3, "doc": "a", "start": 1}, SPAN]})
    assert at_once and found["start"] == ("int64", [1, 1])
    results = bp.evaluate({"q": [SPAN]}, {"mine": {"q": [{"end": 3, "doc": "a", "start": 1}, SPAN]}}, "charR charP")
    assert results.mean() == {"mine": {"charR": 1.0, "charP": 1.0}}


# --- documents with numbers -------------------------------------------------------------------------------------------


@pytest.fixture
def both_numbers(monkeypatch):
    """Whether documents with numbers are read at once, and the run and the truth that are read in each way."""

    def read(given):
        return outcome(given), judged_outcome(given)

    def runs(given):
        try:
            return [told_of(run) for run in (bp.Run.from_dict(given, tag="mine"), *run_sources(given, name="mine"))]
        except BerrypickError as error:
            return str(error)

    def in_one_pass(given):
        """The same as runs, of which each is read in one pass over its names and numbers."""
        several = [{"mine": given}, {"mine": given, "": {"q": {"a": 1}}, 7: given}, {"q": given, "p": {"a": 1}}]
        forms = [given, *several, {"total": {"hits": given}}]
        fast = [runs(one) for one in forms]
        with monkeypatch.context() as patch:
            for module in (given_values, objects):
                patch.setattr(module, "scores_run", lambda given, tag: None)
            assert [runs(one) for one in forms] == fast
        found = span_lists.scores_run(given, "mine")
        return None if found is None else told_of(found)

    def compared(given):
        fast = read(given)
        at_once = all(objects.plain_numbers(given, number) is not None for number in ("score", "grade"))
        assert in_one_pass(given) in (None, fast[0])
        with monkeypatch.context() as patch:
            patch.setenv("BERRYPICK_KERNELS", "numpy")
            assert read(given) == fast
            patch.setattr(objects, "plain_numbers", lambda given, number: None)
            assert read(given) == fast
            patch.setattr(column_tables, "documents_run", lambda table: None)
            patch.setattr(column_tables, "_plain_truth", lambda table: None)
            assert read(given) == fast
        return at_once, fast

    return compared


def test_numbers_of_documents_are_read_at_once(both_numbers):
    for seed in range(30):
        draw = np.random.default_rng(seed)
        numbers = [int(one) if seed % 3 else float(one) for one in draw.integers(-2, 4, 200)]  # with ties
        kind = (dict, OrderedDict, lambda pairs: defaultdict(float, pairs))[seed % 3]
        names = ["a", "b#1", "\u00e9", "7", "c#1-9", "x" * 70_000][: int(draw.integers(1, 7))]
        given = {
            f"q{topic}": kind((name, numbers.pop()) for name in draw.permutation(names)[: draw.integers(0, 7)].tolist())
            for topic in range(int(draw.integers(1, 9)))
        }
        at_once, (run, truth) = both_numbers(given)
        assert at_once == any(given.values())
        assert not at_once or not (isinstance(run, str) or isinstance(truth, str))


@pytest.mark.skipif(native() is None, reason="without the compiled kernels")
def test_scores_are_read_in_one_pass():
    """Not those of names and numbers that Python has to look at."""
    plain = {"q": {"a": 1, "\u00e9 b#": -0.5}, "p": {}, "r": {"c#1-9": 2**53 - 1}}
    run = span_lists.scores_run(plain, "mine")
    assert run.to_dict() == plain and run.notes == ("1 topic has no results",)
    assert list(run) == ["q", "r", "p"] and run.tag == "mine"
    others = [
        {},
        {"q": {}},
        {"": {"a": 1}},
        {"q\n": {"a": 1}},
        {1: {"a": 1}},
        {"q": OrderedDict(a=1)},
        {"q": {"a#1-9": 1}},
    ]
    odd = [{"q": {"a": 1, name: number}} for name, number in ODD_PAIRS if (name, number) not in PLAIN_PAIRS]
    for given in (*others, *odd, [], OrderedDict(plain), {"q": [("a", 1)]}, {"q": {"x" * 70_000: 1}}):
        assert span_lists.scores_run(given, "mine") is None, given


PLAIN_PAIRS = [("b", -0.0), ("b", 1001), ("b", 0.5), ("a#0-5", 1), ("rank", 1), ("doc", 1), ("score", 2)]
ODD_PAIRS = [("b", None), ("b", True), ("b", "1"), ("b", float("nan")), ("b", float("-inf")), ("b", 2**53), ("b", -0.0),
             ("b", 2**53 + 1), ("b", 10**400), ("b", np.float32(0.1)), ("b", Fraction(1, 3)), ("b", [(1, 3)]),
             ("b", {}), ("b", 1001), ("b", 0.5), (7, 1), (7.0, 1), ("", 1), (None, 1), ("a\0b", 1), ("\ud800", 1),
             ("a\tb", 1), ("a#0-5", 1), (("a", 1), 1), ("rank", 1), ("doc", 1), ("score", 2)]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("odd", ODD_PAIRS, ids=[str(one)[:40] for one in ODD_PAIRS])
def test_other_numbers_say_the_same(odd, both_numbers):
    for held in (dict([odd]), dict([odd, ("a", 1)]), dict([("a", 2), odd])):
        for given in ({"q": held}, {"p": {"a": 1}, "q": held, "r": {}}, {1: held}, {None: held, "": {"a": 1}}):
            both_numbers(given)
    both_numbers({"q": [dict([odd])], "p": {"a": 1}})
