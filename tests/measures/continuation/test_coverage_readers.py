"""Coverage for readers who get more than the result, and parents in XML, against plain twins."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import handmade
import numpy as np
import pytest
import slow_text_twins as twins
from hypothesis import assume, example, given
from hypothesis import strategies as st

import berrypick as bp
from berrypick.data.assemble import assemble
from berrypick.documents.texts import Texts
from berrypick.evaluation.inputs import prepare_inputs
from berrypick.evaluation.options import EvaluationOptions
from berrypick.measures.continuation._text_reading import reading_of
from berrypick.tables.text import explanation
from berrypick.topics.judge import judge_topic
from berrypick.users import ReaderContext, build

Span = tuple[str, int, int]


def value(results, wanted, measure, **options):
    truth, run = handmade.span_truth({"1": wanted}), handmade.span_run({"1": results})
    return bp.evaluate(truth, run, measure, **options).mean_rows[0].value


# --- twins: the region of each result, then character after character -------------------------------------------------


def windows(results: list[Span], before: int, after: int, texts: dict[str, str]) -> list[Span]:
    return [(d, max(0, start - before), min(len(texts[d]), end + after)) for d, start, end in results]


def sections(results: list[Span], texts: dict[str, str], head: str) -> list[Span]:
    """From one line that begins with the head to the next: every section that a result has a character in."""
    found = []
    for d, start, end in results:
        borders = [0]
        for i in range(1, len(texts[d])):
            if texts[d][i - 1] == "\n" and texts[d].startswith(head, i):
                borders.append(i)
        borders.append(len(texts[d]))
        touched = [(a, b) for a, b in pairwise(borders) if any(a <= i < b for i in range(start, end))]
        found.append((d, touched[0][0], touched[-1][1]))
    return found


def price(text: str, i: int, tokens: bool) -> Fraction:
    """What one character costs: its share of the word that it is in, nothing for white space."""
    if not tokens:
        return Fraction(1)
    if text[i].isspace():
        return Fraction(0)
    if not in_word(text, i):
        return Fraction(1)
    left = right = i
    while in_word(text, left - 1):
        left -= 1
    while in_word(text, right):
        right += 1
    return Fraction(1, right - left)


def in_word(text: str, i: int) -> bool:
    """Letters, and a full stop between two of them, as in ``a.m``."""
    if not 0 <= i < len(text):
        return False
    return text[i].isalpha() or (text[i] == "." and text[i - 1 : i].isalpha() and text[i + 1 : i + 2].isalpha())


def covered(regions: list[Span], wanted: list[Span], texts: dict[str, str], budget: int, tokens: bool) -> Fraction:
    """Each region from its start to its end; what was read before costs again and shows nothing new."""
    relevant = twins.characters(wanted)
    seen: set[tuple[str, int]] = set()
    level = area = read = Fraction(0)
    for d, start, end in regions:
        for i in range(start, end):
            new = (d, i) in relevant and (d, i) not in seen
            seen.add((d, i))
            following = level + Fraction(int(new), len(relevant))
            cost = price(texts[d], i, tokens)
            part = min(cost, budget - read)
            if cost:
                reached = level + (following - level) * part / cost
                area += part * (level + reached) / 2
            read, level = read + part, following
            if read == budget:
                return area / budget
    return (area + (budget - read) * level) / budget


words = st.lists(st.sampled_from(["a", "bb", "ccc", " ", "\n", "# H\n", "."]), min_size=1, max_size=14).map("".join)


@st.composite
def scenes(draw):
    """Texts, targets and results in them."""
    texts = {name: draw(words) for name in ("d", "e")}

    def spans(d):
        return st.tuples(st.integers(0, len(texts[d]) - 1), st.integers(1, 12)).map(
            lambda pair: (d, pair[0], min(len(texts[d]), pair[0] + pair[1]))
        )

    anywhere = st.sampled_from(["d", "e"]).flatmap(spans)
    wanted = draw(st.lists(anywhere, min_size=1, max_size=3, unique=True))
    return texts, wanted, draw(st.lists(anywhere, min_size=1, max_size=5))


@example(({"d": "a", "e": "a.a"}, [("e", 0, 1)], [("e", 0, 1)]), 0, 0, 1, True)
@given(scenes(), st.integers(0, 9), st.integers(0, 9), st.integers(1, 60), st.booleans())
def test_windows_are_read_and_paid_for_each_time(scene, before, after, budget, tokens):
    texts, wanted, results = scene
    found = value(
        results, wanted, f"Coverage(budget={budget},effort='{'tokens' if tokens else 'chars'}')",
        documents=texts, user=f"window(before={before},after={after})",
    )  # fmt: skip
    expected = covered(windows(results, before, after, texts), wanted, texts, budget, tokens)
    assert found == pytest.approx(float(expected), abs=1e-9)


@given(scenes(), st.integers(1, 60), st.booleans())
def test_sections_are_read_and_paid_for_each_time(scene, budget, tokens):
    texts, wanted, results = scene
    found = value(
        results, wanted, f"Coverage(budget={budget},effort='{'tokens' if tokens else 'chars'}')",
        documents=texts, user="parent",
    )  # fmt: skip
    expected = covered(sections(results, texts, "# H"), wanted, texts, budget, tokens)
    assert found == pytest.approx(float(expected), abs=1e-9)


READERS = ["classical", "window(before=3,after=2)", "parent", "parent(by='paragraph')", "parent(by='document')"]


@given(scenes(), st.sampled_from(READERS), st.sampled_from(["chars", "tokens"]))
def test_what_is_read_costs_what_the_reader_pays(scene, user, effort):
    texts, wanted, results = scene
    truth, run = handmade.span_truth({"1": wanted}), handmade.span_run({"1": results})
    options = EvaluationOptions.from_arguments({"user": user, "effort": effort, "documents": texts})
    inputs = prepare_inputs(truth, [run], options)
    judged = judge_topic(inputs.truth, inputs.runs.load(inputs.runs.sources[0]), "1", inputs.context)
    paid = inputs.context.user.effort(judged.ranking, judged.targets, inputs.context.reader)
    assert reading_of(judged, None).cost.tolist() == pytest.approx(paid.tolist())


# --- by hand ----------------------------------------------------------------------------------------------------------

TEXTS = {"d": "x" * 100}


def test_a_window_by_hand():
    """The answer is 20-40, the result 40-50: alone it shows nothing, with 20 before it all, after 20 of 40 read."""
    answer, result = [("d", 20, 40)], [("d", 40, 50)]
    for measure, user in (("Coverage(budget=40,effort='chars')", "window(before=20,after=10)"),
                          ("Coverage(budget=40,effort='chars',user='window(before=20,after=10)')", None)):  # fmt: skip
        assert value(result, answer, measure, documents=TEXTS, user=user) == (20 / 2 + 20) / 40
    assert value(result, answer, "Coverage(budget=40,effort='chars')", documents=TEXTS) == 0


def test_windows_end_where_documents_do():
    """A window of 30 around 0-10 and around 90-100 costs 40 each, not 70."""
    whole = [("d", 0, 100)]
    for result in (("d", 0, 10), ("d", 90, 100)):
        found = value([result], whole, "Coverage(budget=40,effort='chars')", documents=TEXTS,
                      user="window(before=30,after=30)")  # fmt: skip
        assert found == pytest.approx(0.4 / 2)
    # where nobody knows the length, as if the document went on: 20 more are read, and hold nothing
    budget = "Coverage(budget=90)"
    assert value([("d", 90, 100)], [("d", 80, 100)], budget, user="window(before=10,after=20)") == pytest.approx(
        (20 / 2 + 70) / 90
    )


def test_overlapping_windows_cost_twice_and_show_once():
    """Windows 0-30 and 10-40: 60 are read, the second shows 30-40 at its end."""
    whole = [("d", 0, 40)]
    results = [("d", 10, 20), ("d", 20, 30)]
    curve = bp.evaluate(
        handmade.span_truth({"1": whole}), handmade.span_run({"1": results}), "Coverage(effort='chars')",
        documents=TEXTS, user="window(before=10,after=10)", curves=True,
    ).curves()["run"]["Coverage(effort='chars')"]["1"]  # fmt: skip
    assert curve == [(0, 0), (30, 0.75), (50, 0.75), (60, 1)]


def test_the_reader_is_signed_and_shown():
    truth, run = handmade.span_truth({"1": [("d", 20, 40)]}), handmade.span_run({"1": [("d", 40, 50)]})
    user = "window(before=20,after=10,share=0.5)"
    assert f"|user:{user}|" in str(bp.evaluate(truth, run, "Coverage", user=user).mean_rows[0].signature)
    assert "|user:classical(share=0.5)|" in str(bp.evaluate(truth, run, "Coverage").mean_rows[0].signature)
    told = explanation(bp.explain(truth, run, "Coverage", "1", user=user))
    assert "the reader gets" in told and "d#20-60" in told
    assert "the reader gets" not in explanation(bp.explain(truth, run, "Coverage", "1"))


@pytest.mark.parametrize("user", ["coverage", "distance", "hierarchy"])
def test_other_readers_read_what_is_pointed_to(user):
    wanted, results = [("d", 20, 40)], [("d", 35, 50), ("d", 0, 30)]
    options = {"documents": TEXTS, "user": user}
    assert value(results, wanted, "Coverage(effort='chars')", **options) == value(
        results, wanted, "Coverage(effort='chars')", documents=TEXTS
    )


def test_what_could_not_be_located_has_no_neighbours():
    """INEX passages with X for an offset lie before every document: no window or section makes them visible."""
    run = assemble(tag="run", topic=["1"], document=["d"], start=np.array([-18]), end=np.array([0]), duplicates="keep")
    world = ReaderContext(texts=Texts(TEXTS), collection=Texts(TEXTS).collection)
    for user in ("window", "parent", "parent(by='document')"):
        region = build(user).regions(run.ranking("1"), world)
        assert (region.start.tolist(), region.end.tolist()) == ([-18], [0])


# --- parents in XML ---------------------------------------------------------------------------------------------------


def around(tree: list[twins.Element], start: int, end: int) -> tuple[int, int]:
    """The smallest element that holds the span and something more; the span where there is none."""
    larger = [e for e in tree if e.start <= start and end <= e.end and e.size > end - start]
    best = min(larger, key=lambda e: e.size, default=None)
    return (start, end) if best is None else (best.start, best.end)


@given(twins.trees(most=9), st.data())
def test_the_parent_of_a_span_is_the_smallest_larger_element(tree, data):
    length = tree[0].end
    pairs = st.tuples(st.integers(0, length - 1), st.integers(1, length)).filter(lambda pair: pair[0] < pair[1])
    spans = data.draw(st.lists(pairs, min_size=1, max_size=5))
    run = handmade.span_run({"1": [("d", *pair) for pair in spans]})
    region = build("parent(by='element')").regions(run.ranking("1"), ReaderContext(twins.collection_of([tree])))
    found = list(zip(region.start.tolist(), region.end.tolist(), strict=True))
    assert found == [around(tree, *pair) for pair in spans]


@given(twins.worlds(groups=False, repeats=False))
def test_a_reader_of_elements_gets_their_parents(world):
    """Elements as results: reach and effort from the region twin, in sets of characters."""
    elements = world.elements
    pointers = [key for key in world.pointers if key in elements and elements[key].size]
    targets = [key for key in twins.ideal_base(world.gain) if elements[key].size]
    assume(pointers and targets)
    trees = {tree[0].document: tree for tree in world.trees}
    options = {"collection": twins.collection_of(world.trees), "user": "parent(by='element',share=0.5)"}
    run = twins.element_run([[key] for key in pointers])
    seen: set[twins.Key] = set()
    for document, path in pointers:
        one = elements[document, path]
        region = twins.characters([(document, *around(trees[document], one.start, one.end))])
        for key in targets:
            held = twins.characters([elements[key].span])
            if 2 * len(region & held) >= len(held):
                seen.add(key)
    found = twins.value(world.truth, run, "ExpectedRatio", **options)
    assert found == pytest.approx(len(seen) / len(twins.ideal_base(world.gain)))


def test_parents_in_a_folder_of_xml(tmp_path):
    """A title that fills its section alone has the article for a parent; so does the article, which has none."""
    (tmp_path / "a.xml").write_text("<article><sec><title>One</title></sec><sec><p>two</p><p>three</p></sec></article>")
    truth, run = handmade.span_truth({"1": [("a", 3, 6)]}), handmade.span_run({"1": [("a", 6, 11)]})  # two; three
    assert bp.evaluate(truth, run, "charR", collection=tmp_path).mean_rows[0].value == 0
    parent = "parent(by='element')"
    assert bp.evaluate(truth, run, "ExpectedRatio", collection=tmp_path, user=parent).mean_rows[0].value == 1
    # the second section is read, 8 characters, the answer first
    half = bp.evaluate(truth, run, "Coverage(budget=8)", collection=tmp_path, user=parent)
    assert half.mean_rows[0].value == pytest.approx((3 / 2 + 5) / 8)
    title = handmade.span_run({"1": [("a", 0, 3)]})
    assert bp.evaluate(truth, title, "Coverage(budget=11)", collection=tmp_path, user=parent).mean_rows[0].value == (
        pytest.approx((3 / 2 + 5) / 11)
    )
    everything = handmade.span_run({"1": [("a", 0, 11)]})
    assert bp.evaluate(truth, everything, "ExpectedRatio", collection=tmp_path, user=parent).mean_rows[0].value == 1
    with pytest.raises(bp.UsageError, match="structure of b"):
        bp.evaluate(truth, handmade.span_run({"1": [("b", 0, 1)]}), "EPRUM", collection=tmp_path, user=parent)


def test_coverage_is_the_normalised_u_measure_with_linear_decay():
    """Sakai and Dou 2013: gains times max(0, 1 - n/L), over all gains; by hand, a character at a time."""
    truth, run = {"q": {"a#10-30": 1, "b#0-5": 1}}, {"q": {"a#0-20": 3, "b#0-10": 2, "a#15-40": 1}}
    budget, seen, spent, total = 50, set(), 0, 0.0
    relevant = {("a", c) for c in range(10, 30)} | {("b", c) for c in range(5)}
    for doc, start, end in (("a", 0, 20), ("b", 0, 10), ("a", 15, 40)):
        for c in range(start, end):
            if (doc, c) in relevant - seen:
                total += max(0.0, 1 - (spent + 0.5) / budget)  # the middle of a character: the curve rises over it
                seen.add((doc, c))
            spent += 1
    assert bp.score(f"Coverage(budget={budget})", truth, run) == pytest.approx(total / len(relevant), abs=1e-12)
