"""xCG, nxCG, MAep, iMAep, epgr, GRP, PRecall, GRPng against plain twins, and what must hold of them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import slow_text_twins as twins
from hypothesis import assume, given
from hypothesis import strategies as st
from slow_text_twins import (
    HUNDREDTHS,
    Element,
    Key,
    Span,
    World,
    document_run,
    document_truth,
    span_run,
    span_truth,
    value,
    values,
)

import berrypick as bp
from berrypick.data.score import number
from berrypick.data.truth import Passage, TopicTruth, Truth

#: Between 0 and 1 for lists with one result at a rank; the ideal list gets 1.
NORMALISED = [
    *(f"nxCG(base='{base}')@{k}" for base in ("ideal", "full") for k in (1, 2, 5, 50)),
    *(f"{name}(base='{base}')" for base in ("ideal", "full") for name in ("MAep", "iMAep")),
    *(
        f"epgr(base='{base}',interpolation='{how}')@{level}"
        for base in ("ideal", "full")
        for how in ("step", "linear", "natural")
        for level in ("0.01", "0.5", "1.0")
    ),
]
LEVELS = st.sampled_from([0.01, 0.1, 0.25, 0.5, 0.77, 1.0])
BASES = st.sampled_from(["ideal", "full"])


def close(wanted: Fraction | float | None) -> object:
    return None if wanted is None else pytest.approx(float(wanted), rel=1e-9, abs=1e-12)


def curves(world: World, base: str) -> tuple[list[Fraction], list[Fraction]]:
    """The list's cumulated gain, and that of the ideal list."""
    gain = world.gain
    if base == "full":
        return twins.cumulated(world.raw(), world.ranks), twins.ideal_curve(list(gain.values()))
    ideal = [gain[key] for key in twins.ideal_base(gain)]
    return twins.cumulated(world.focused(), world.ranks), twins.ideal_curve(ideal)


# Cumulated gain against its twin


@given(twins.worlds(), BASES, st.integers(1, 9))
def test_cumulated_gain_over_elements(world: World, base: str, k: int) -> None:
    run, ideal = curves(world, base)
    found = values(world.truth, world.run, [f"xCG(base='{base}')@{k}", f"nxCG(base='{base}')@{k}"])
    assert found == [
        close(twins.at_rank(run, k)),
        close(twins.at_rank(run, k) / twins.at_rank(ideal, k)),
    ]


@given(twins.worlds(), st.sampled_from([Fraction(0), Fraction(1, 4), Fraction(2, 3), Fraction(1)]), st.integers(1, 9))
def test_the_alpha_rule_over_elements(world: World, alpha: Fraction, k: int) -> None:
    size = {key: element.size for key, element in world.elements.items()}
    gains = twins.alpha_gains(world.pointers, world.gain, size, alpha)
    run = twins.cumulated(gains, world.ranks)
    ideal = curves(world, "ideal")[1]
    found = values(world.truth, world.run, [f"xCG(alpha={float(alpha)!r})@{k}", f"nxCG(alpha={float(alpha)!r})@{k}"])
    assert found == [close(twins.at_rank(run, k)), close(twins.at_rank(run, k) / twins.at_rank(ideal, k))]


spans = st.tuples(st.sampled_from(["d", "e"]), st.integers(0, 14), st.integers(1, 8)).map(
    lambda drawn: (drawn[0], drawn[1], drawn[1] + drawn[2])
)
graded_spans = st.dictionaries(spans, st.sampled_from([0.5, 1.0, 2.0]), min_size=1, max_size=4)
span_lists = st.lists(
    st.lists(
        st.tuples(st.sampled_from(["d", "e", "f"]), st.integers(0, 16), st.integers(0, 9)).map(
            lambda drawn: (drawn[0], drawn[1], drawn[1] + drawn[2])
        ),
        min_size=1,
        max_size=2,
    ),
    min_size=1,
    max_size=6,
)


def span_gain(span: Span, graded: dict[Span, float]) -> Fraction:
    """Character by character: the highest grade of the relevant spans it lies in, averaged over the span."""
    read = twins.characters([span])
    worth = [
        max(
            (Fraction(grade) for target, grade in graded.items() if c in twins.characters([target])),
            default=Fraction(0),
        )
        for c in read
    ]
    return sum(worth, Fraction(0)) / len(read) if read else Fraction(0)


def spans_meet(one: Span, other: Span) -> bool:
    return bool(twins.characters([one]) & twins.characters([other]))


@given(graded_spans, span_lists, BASES, st.integers(1, 7))
def test_cumulated_gain_over_spans(graded: dict[Span, float], ranks: list[list[Span]], base: str, k: int) -> None:
    """Grade x relevant share; the target spans are both bases."""
    pointers = twins.first(ranks, None)
    ideal = {span: Fraction(grade) for span, grade in graded.items()}
    gains = twins.focused_gains([span_gain(span, graded) for span in pointers], pointers, ideal, spans_meet)
    run, best = twins.cumulated(gains, ranks), twins.ideal_curve(list(ideal.values()))
    truth = span_truth(list(graded), list(graded.values()))
    names = [f"xCG(base='{base}')@{k}", f"nxCG(base='{base}')@{k}", f"MAep(base='{base}')"]
    assert values(truth, span_run(ranks), names) == [
        close(twins.at_rank(run, k)),
        close(twins.at_rank(run, k) / twins.at_rank(best, k)),
        close(twins.average_effort_precision(run, best)),
    ]


@given(st.sets(spans, min_size=1, max_size=4), span_lists, LEVELS)
def test_ties_over_spans(targets: set[Span], ranks: list[list[Span]], level: float) -> None:
    """GRP reads the focused gain; for PRecall a result counts 1 if it meets a target that none before it met.

    Results of one rank come in the order of the text.
    """
    ranks = [sorted(group, key=lambda span: span[1:]) for group in ranks]
    pointers = twins.first(ranks, None)
    graded = dict.fromkeys(sorted(targets), 1.0)
    ideal = {span: Fraction(1) for span in graded}
    gains = twins.focused_gains([span_gain(span, graded) for span in pointers], pointers, ideal, spans_meet)
    counted, free = [], list(graded)
    for j, span in enumerate(pointers):
        met = [] if span in pointers[:j] else [target for target in free if spans_meet(span, target)]
        counted.append(Fraction(bool(met)))
        free = [target for target in free if target not in met]
    ranked = len(set(pointers))
    exact = Fraction(level).limit_denominator(100)
    found = values(
        span_truth(list(graded)), span_run(ranks), [f"GRP@{level}", f"PRecall@{level}"], units=ranked + len(graded) + 2
    )
    for one, relevances in zip(found, (gains, counted), strict=True):
        groups, i = [], 0
        for group in ranks:
            groups.append(relevances[i : i + len(group)])
            i += len(group)
        total = Fraction(len(graded))
        assert one == close(twins.tied_precision(groups, total, exact, ranked + len(graded) + 2, ranked))


def test_no_order_of_lines_changes_what_is_relevant() -> None:
    """2/(2 + 1 + 97/2): the first result takes both targets, the second meets a taken one."""
    targets, ranks = [("d", 8, 9), ("d", 11, 14)], [[("d", 4, 20)], [("d", 12, 13)]]
    for truth in (targets, targets[::-1]):
        assert value(span_truth(truth), span_run(ranks), "PRecall@1.0", units=100) == pytest.approx(2 / 51.5)
    tie = [("d", 8, 9), ("d", 4, 20)]  # as two results that come one after the other, in either order of the lines
    for group in (tie, tie[::-1]):
        assert value(span_truth(targets), span_run([group]), "PRecall@1.0", units=100) == pytest.approx(2 / 51.5)


grades = st.dictionaries(st.sampled_from("abcdefg"), st.integers(0, 3), min_size=1).filter(lambda g: any(g.values()))


@given(grades, st.lists(st.sampled_from("abcdefgxyz"), min_size=1, max_size=9), st.integers(1, 9))
def test_cumulated_gain_over_documents(graded: dict[str, int], names: list[str], k: int) -> None:
    """nDCG without discount: the grades, each document once."""
    gains = [Fraction(0) if name in names[:j] else Fraction(graded.get(name, 0)) for j, name in enumerate(names)]
    run = twins.cumulated(gains, [[name] for name in names])
    best = twins.ideal_curve([Fraction(grade) for grade in graded.values() if grade])
    truth = document_truth(graded)
    assert values(truth, document_run(names), [f"xCG@{k}", f"nxCG@{k}", "MAep"]) == [
        close(twins.at_rank(run, k)),
        close(twins.at_rank(run, k) / twins.at_rank(best, k)),
        close(twins.average_effort_precision(run, best)),
    ]


@st.composite
def placed(draw: st.DrawFn) -> tuple[list[list[Element]], list[Element]]:
    """Documents, and elements of theirs that were highlighted as they are."""
    forest = [draw(twins.trees("d")), draw(twins.trees("e", most=3))]
    full = [element for tree in forest for element in tree if element.size]
    return forest, draw(st.lists(st.sampled_from(full), min_size=1, max_size=3, unique_by=lambda element: element.key))


def placed_truth(forest: list[list[Element]], highlighted: list[Element]) -> Truth:
    """Assessments with the passages behind them, given by paths."""
    truth = twins.assessed_truth(forest, [element.span for element in highlighted])
    passages = tuple(Passage(element.document, element.path, element.path) for element in highlighted)
    return replace(truth, topics={"1": replace(truth.topics["1"], passages=passages)})


@given(placed(), st.data(), st.integers(1, 6))
def test_passages_among_elements(scene: tuple[list[list[Element]], list[Element]], data: st.DataObject, k: int) -> None:
    """A run of offsets against elements: worth its highlighted share, it overlaps what it shares text with."""
    forest, highlighted = scene
    wanted = [element.span for element in highlighted]
    gain = twins.specificities(forest, wanted)
    place = {element.key: element.span for tree in forest for element in tree}
    ideal = {place[key]: gain[key] for key in sorted(twins.ideal_base(gain))}
    ends = st.integers(0, max(tree[0].end for tree in forest))
    pointers = data.draw(
        st.lists(st.tuples(st.sampled_from(["d", "e"]), ends, ends).map(lambda p: (p[0], *sorted(p[1:]))), min_size=1,
                 max_size=6)
    )  # fmt: skip
    raw = [span_gain(span, dict.fromkeys(wanted, 1.0)) for span in pointers]
    run = twins.cumulated(twins.focused_gains(raw, pointers, ideal, spans_meet), [[span] for span in pointers])
    collection = twins.collection_of(forest)
    found = value(
        placed_truth(forest, highlighted), span_run([[s] for s in pointers]), f"xCG@{k}", collection=collection
    )
    assert found == close(twins.at_rank(run, k))


@given(placed(), st.data())
def test_elements_are_read_as_the_text_they_hold(
    scene: tuple[list[list[Element]], list[Element]], data: st.DataObject
) -> None:
    """Text measures on elements whose documents are known are those of the same spans."""
    forest, highlighted = scene
    elements = [element for tree in forest for element in tree]
    retrieved = data.draw(st.lists(st.sampled_from(elements), min_size=1, max_size=6, unique_by=lambda e: e.key))
    names = ["charP", "charR@2", "IoU", "Overlap", "AiP", "iP@0.5", "AgP", "gR", "AgP(score='t2i',tolerance=4)", "BEPD"]
    collection = twins.collection_of(forest)
    by_path = values(
        placed_truth(forest, highlighted), twins.element_run([[e.key] for e in retrieved]), names, collection=collection
    )
    spans_truth = span_truth(sorted({element.span for element in highlighted}))
    assert by_path == values(spans_truth, span_run([[e.span] for e in retrieved]), names, collection=collection)


# Effort-precision against its twin


@given(twins.worlds(), BASES, LEVELS)
def test_effort_precision_over_elements(world: World, base: str, level: float) -> None:
    run, ideal = curves(world, base)
    exact = Fraction(level).limit_denominator(100)
    ways = ("step", "linear", "natural")
    names = [
        f"MAep(base='{base}')",
        f"iMAep(base='{base}')",
        f"epgr(base='{base}')@{level}",
        *(f"iMAep(base='{base}',interpolation='{how}')" for how in ways),
        *(f"epgr(base='{base}',interpolation='{how}')@{level}" for how in ways),
    ]
    assert values(world.truth, world.run, names) == [
        close(twins.average_effort_precision(run, ideal)),
        close(sum(twins.effort_precision(run, ideal, one) for one in HUNDREDTHS) / 100),
        close(twins.effort_precision(run, ideal, exact)),
        *(close(sum(twins.effort_precision(run, ideal, one, how) for one in HUNDREDTHS) / 100) for how in ways),
        *(close(twins.effort_precision(run, ideal, exact, how)) for how in ways),
    ]


@given(grades, st.lists(st.sampled_from("abcdefgxyz"), min_size=1, max_size=9, unique=True))
def test_with_readers_who_do_not_navigate_epnav_is_epgr_by_steps(graded: dict[str, int], names: list[str]) -> None:
    """measures.md section 5: with identity reach and rank effort epnav@l = epgr@l, and epnav = iMAep."""
    truth, run = document_truth(graded), document_run(names)
    levels = (0.0, 0.01, 0.28, 0.5, 0.9, 1.0)
    navigating = values(truth, run, [*(f"epnav@{level}" for level in levels), "epnav"])
    stepping = values(truth, run, [*(f"epgr@{level}" for level in levels), "iMAep"])
    assert navigating == [close(one) for one in stepping]


# Groups of ties against their twins


@given(twins.worlds(), BASES, LEVELS, st.integers(0, 20))
def test_generalised_recall_precision_over_elements(world: World, base: str, level: float, more: int) -> None:
    gain = world.gain
    ideal = twins.ideal_base(gain)
    gains, total = (
        (world.raw(), sum(gain.values(), Fraction(0)))
        if base == "full"
        else (world.focused(), sum((gain[key] for key in ideal), Fraction(0)))
    )
    groups, i = [], 0
    for group in world.ranks:
        groups.append(gains[i : i + len(group)])
        i += len(group)
    ranked = len(set(world.pointers))
    units = ranked + len(gain) + more
    exact = Fraction(level).limit_denominator(100)
    wanted = twins.tied_precision(groups, total, exact, units, ranked)
    assert value(world.truth, world.run, f"GRP(base='{base}')@{level}", units=units) == close(wanted)
    mean = sum(twins.tied_precision(groups, total, one, units, ranked) for one in HUNDREDTHS) / 100
    assert value(world.truth, world.run, f"GRP(base='{base}')", units=units) == close(mean)
    if twins.tied_precision(groups, total, exact, None, ranked) is None:
        with pytest.raises(bp.UsageError, match="units="):
            value(world.truth, world.run, f"GRP(base='{base}')@{level}")


ties = st.lists(st.lists(st.booleans(), min_size=1, max_size=4), min_size=1, max_size=4).filter(
    lambda groups: any(map(any, groups))
)


@given(ties, st.data())
def test_probability_of_relevance_is_that_of_all_orders(groups: list[list[bool]], data: st.DataObject) -> None:
    """Every order of the ties tried: relevant results wanted over the expected number of results read."""
    names = [[f"{'r' if one else 'n'}{g}.{i}" for i, one in enumerate(group)] for g, group in enumerate(groups)]
    flat = [name for group in names for name in group]
    relevant = [name for name in flat if name.startswith("r")]
    wanted = data.draw(st.integers(1, len(relevant)))
    truth = document_truth({name: 2.0 if i % 2 else 1.0 for i, name in enumerate(relevant)})
    scores = [-float(g) for g, group in enumerate(names) for _ in group]
    ranks = np.array([float(g) for g, group in enumerate(names) for _ in group])
    expected = close(twins.shuffled_precision([[int(one) for one in group] for group in groups], wanted))
    name = f"PRecall@{wanted / len(relevant)!r}"
    assert value(truth, document_run(flat, scores), name) == expected
    assert value(truth, document_run(flat, rank=ranks, order="rank"), name) == expected
    # a format ordered by its lines has no ties, whatever its scores
    by_line = document_run(flat, score=np.array(scores), order="file")
    single = [[int(one)] for group in groups for one in group]
    assert value(truth, by_line, name) == close(twins.shuffled_precision(single, wanted))


@given(ties, st.data(), st.integers(0, 3), st.integers(0, 3))
def test_units_that_were_not_ranked_are_the_last_tie(
    groups: list[list[bool]], data: st.DataObject, missing: int, others: int
) -> None:
    assume(missing + others > 0)
    names = [[f"{'r' if one else 'n'}{g}.{i}" for i, one in enumerate(group)] for g, group in enumerate(groups)]
    flat = [name for group in names for name in group]
    relevant = [name for name in flat if name.startswith("r")] + [f"missing{i}" for i in range(missing)]
    wanted = data.draw(st.integers(1, len(relevant)))
    last = [[1] * missing + [0] * others]
    expected = twins.shuffled_precision([[int(one) for one in group] for group in groups] + last, wanted)
    truth = document_truth(dict.fromkeys(relevant, 1.0))
    run = document_run(flat, [-float(g) for g, group in enumerate(names) for _ in group])
    name = f"PRecall@{wanted / len(relevant)!r}"
    assert value(truth, run, name, units=len(flat) + missing + others) == close(expected)


@given(twins.worlds(), st.integers(0, 20))
def test_probability_of_relevance_over_elements(world: World, more: int) -> None:
    """Any gain above 0 counts 1; a repeat is a result that is not relevant."""
    gain, pointers = world.gain, world.pointers
    groups, i = [], 0
    for group in world.ranks:
        groups.append([Fraction(key in gain and key not in pointers[: i + j]) for j, key in enumerate(group)])
        i += len(group)
    ranked = len(set(pointers))
    units = ranked + len(gain) + more
    for level in (0.5, 1.0):
        wanted = twins.tied_precision(groups, Fraction(len(gain)), Fraction(level), units, ranked)
        assert value(world.truth, world.run, f"PRecall@{level}", units=units) == close(wanted)


# Unseen text


@given(twins.worlds(), LEVELS)
def test_precision_over_unseen_text_by_sets_of_characters(world: World, level: float) -> None:
    elements, gain = world.elements, world.gain
    ranks = [[key for key in group if key in elements] for group in world.ranks]
    ranks = [group for group in ranks if group]
    assume(ranks)
    pointers = [elements[key] for key in twins.first(ranks, None)]
    unseen = twins.unseen_text(pointers)
    recall = precision = Fraction(0)
    read = good = found = Fraction(0)
    reached: Fraction | None = None
    i = 0
    for group in ranks:
        for element, new in zip(pointers[i : i + len(group)], unseen[i : i + len(group)], strict=True):
            read += new
            if element.key in gain:
                good += gain[element.key] * new
                found += Fraction(new, element.size)
        i += len(group)
        recall = found / len(gain)
        precision = good / read if read else Fraction(0)
        if recall >= Fraction(level).limit_denominator(100) and reached is None:
            reached = precision
    collection = twins.collection_of(world.trees)
    result = value(world.truth, twins.element_run(ranks), f"GRPng@{level}", collection=collection)
    assert result == close(reached or 0)
    assert recall <= 1
    assert precision <= 1


def test_lengths_come_from_the_assessments_where_they_have_them() -> None:
    truth = twins.graded_truth(
        {("d", "/a[1]"): (3, 2), ("d", "/a[1]/b[1]"): (3, 3)}, {("d", "/a[1]"): 60, ("d", "/a[1]/b[1]"): 20}
    )
    run = twins.element_run([[("d", "/a[1]/b[1]")], [("d", "/a[1]")]])
    assert value(truth, run, "GRPng@0.5") == 1.0
    assert value(truth, run, "GRPng@0.8") == pytest.approx((20 + 40 * 2 / 3) / 60)
    assert value(truth, run, "GRPng@0.9") == 0.0
    unknown = twins.element_run([[("d", "/a[1]/c[1]")], [("d", "/a[1]")]])
    with pytest.raises(bp.UsageError, match=r"/a\[1\]/c\[1\].*collection="):
        value(truth, unknown, "GRPng@0.5")
    with pytest.raises(bp.UsageError, match="paths"):
        value(span_truth([("d", 0, 5)]), span_run([[("d", 0, 5)]]), "GRPng@0.5")


def test_sizes_that_do_not_add_up_leave_nothing_unseen() -> None:
    """Sizes of 2006 are one too large each: the parts of an element may be larger than the whole."""
    keys = [("d", "/a[1]"), ("d", "/a[1]/b[1]"), ("d", "/a[1]/b[2]"), ("e", "/a[1]")]
    truth = twins.graded_truth(dict.fromkeys(keys, (3, 3)), dict(zip(keys, [10, 6, 6, 5], strict=True)))
    run = twins.element_run([[keys[1]], [keys[2]], [keys[0]], [keys[3]]])
    assert value(truth, run, "GRPng@0.75") == 1.0
    assert value(truth, run, "GRPng@0.76") == 0.0


def test_unseen_text_where_all_was_found_too_small() -> None:
    """2005: exhaustivity '?' counts as 0, so recall has nothing to divide by."""
    topic = TopicTruth(
        "1", ("d",), np.ones(1), path=("/a[1]",), exhaustivity=np.zeros(1), size=np.array([4.0]), rsize=np.array([4.0])
    )
    truth = Truth("elements", {"1": topic}, scale="2005")
    assert values(truth, listed("/a[1]"), ["GRPng@0.5", "GRPng", "nxCG(quant='generalised')@1"]) == [None] * 3


# Properties


@given(twins.worlds(groups=False))
def test_values_lie_between_0_and_1(world: World) -> None:
    found = values(world.truth, world.run, NORMALISED)
    assert all(one is not None and 0 <= one <= 1 + 1e-12 for one in found)


@given(twins.worlds())
def test_tied_values_lie_between_0_and_1(world: World) -> None:
    units = len(set(world.pointers)) + len(world.gain) + 3
    names = ["GRP", "GRP(base='ideal')", "GRP@0.0", "GRP@1.0", "PRecall", "PRecall@0.0", "PRecall@1.0"]
    found = values(world.truth, world.run, names, units=units)
    assert all(one is not None and 0 <= one <= 1 for one in found)


@given(twins.worlds(groups=False), st.integers(1, 9))
def test_no_list_gains_more_than_the_ideal_one(world: World, k: int) -> None:
    """xCG[i] <= xCI[i] always, focused and thorough."""
    for base in ("ideal", "full"):
        gain = world.gain
        ideal = twins.ideal_curve([gain[key] for key in (twins.ideal_base(gain) if base == "ideal" else gain)])
        found = value(world.truth, world.run, f"xCG(base='{base}')@{k}")
        assert found is not None
        assert found <= float(twins.at_rank(ideal, k)) + 1e-12


@given(twins.worlds(), BASES)
def test_the_ideal_list_scores_1(world: World, base: str) -> None:
    gain = world.gain
    chosen = twins.ideal_base(gain) if base == "ideal" else set(gain)
    best = twins.element_run([[key] for key in sorted(chosen, key=lambda key: (-gain[key], key))])
    names = [name for name in NORMALISED if f"'{base}'" in name]
    assert values(world.truth, best, names) == [close(1)] * len(names)


@given(graded_spans)
def test_the_ideal_list_of_spans_scores_1(graded: dict[Span, float]) -> None:
    assume(not any(one != other and spans_meet(one, other) for one in graded for other in graded))
    best = span_run([[span] for span in sorted(graded, key=lambda span: -graded[span])])
    truth = span_truth(list(graded), list(graded.values()))
    assert values(truth, best, NORMALISED) == [close(1)] * len(NORMALISED)


@given(grades)
def test_the_ideal_list_of_documents_scores_1(graded: dict[str, int]) -> None:
    best = document_run(sorted((name for name in graded if graded[name]), key=lambda name: -graded[name]))
    assert values(document_truth(graded), best, NORMALISED) == [close(1)] * len(NORMALISED)


@given(graded_spans, span_lists)
def test_values_over_spans_lie_between_0_and_1(graded: dict[Span, float], ranks: list[list[Span]]) -> None:
    single = [[span] for group in ranks for span in group]
    found = values(span_truth(list(graded), list(graded.values())), span_run(single), NORMALISED)
    assert all(one is not None and 0 <= one <= 1 + 1e-12 for one in found)


@given(twins.worlds(), st.randoms(use_true_random=False))
def test_all_parts_of_an_ideal_element_do_not_beat_it(world: World, random: object) -> None:
    """inex-2006-measures 5.2: that is what the normalisation is for."""
    gain = world.gain
    for y in twins.ideal_base(gain):
        parts = [key for key in gain if key != y and twins.inside(key, y)]
        if parts:
            random.shuffle(parts)  # type: ignore[attr-defined]
            found = value(world.truth, twins.element_run([[key] for key in parts]), f"xCG@{len(parts)}")
            assert found is not None
            assert found <= float(gain[y]) + 1e-12


@given(twins.worlds(groups=False), st.integers(0, 7), st.integers(0, 7))
def test_a_repeat_never_raises_a_value(world: World, which: int, where: int) -> None:
    which %= len(world.ranks)
    place = which + 1 + where % (len(world.ranks) - which)
    longer = [*world.ranks[:place], world.ranks[which], *world.ranks[place:]]
    names = [*NORMALISED, *(f"xCG@{k}" for k in range(1, 10)), "xCG(alpha=0.5)@4", "xCG(alpha=1.0)@9", "GRP", "PRecall"]
    units = len(set(world.pointers)) + len(world.gain) + 3
    before = values(world.truth, world.run, names, units=units)
    after = values(world.truth, twins.element_run(longer), names, units=units)
    for name, one, other in zip(names, after, before, strict=True):
        assert one is not None and other is not None
        assert one <= other + 1e-12, name


@given(twins.worlds())
def test_repeats_dropped_are_repeats_that_take_no_rank(world: World) -> None:
    seen: set[Key] = set()
    ranks = []
    for group in world.ranks:
        fresh = [key for j, key in enumerate(group) if key not in seen and key not in group[:j]]
        seen.update(fresh)
        if fresh:
            ranks.append(fresh)
    names = [*NORMALISED, "xCG@3"]
    dropped = values(world.truth, world.run, names, duplicates="first")
    assert dropped == values(world.truth, twins.element_run(ranks), names, duplicates="error")


@given(twins.worlds())
def test_results_that_are_worth_nothing_do_not_change_the_gain(world: World) -> None:
    """Focused and thorough gain look at relevant elements only; the alpha rule also at what was merely retrieved."""
    useful = [[key for key in group if key in world.gain] for group in world.ranks]
    useful = [group for group in useful if group]
    assume(useful)
    for name in ("xCG@50", "xCG(base='full')@50"):
        assert value(world.truth, twins.element_run(useful), name) == close(value(world.truth, world.run, name))


# Cases


def sections(*gains: tuple[str, float]) -> Truth:
    """Elements of one document with a size of 100 each."""
    topic = TopicTruth(
        "1",
        ("d",) * len(gains),
        np.ones(len(gains)),
        path=tuple(path for path, _ in gains),
        size=np.full(len(gains), 100.0),
        rsize=np.array([100 * gain for _, gain in gains]),
    )
    return Truth("elements", {"1": topic}, scale="sizes")


def listed(*paths: str) -> bp.Run:
    return twins.element_run([[("d", path)] for path in paths])


def test_a_result_may_add_to_the_ideal_element_that_misses_most() -> None:
    truth = sections(("/a[1]", 0.4), ("/a[1]/s[1]", 1.0), ("/a[1]/s[2]", 0.8), ("/a[1]/s[1]/p[1]", 0.9))
    run = listed("/a[1]/s[1]/p[1]", "/a[1]", "/a[1]/s[2]", "/a[1]/s[1]")
    # .9 of s1; the article adds min(.4, .8) to s2 rather than .1 to s1; s2 then .8 - .4; of s1 nothing is left
    assert values(truth, run, [f"xCG@{k}" for k in (1, 2, 3, 4)]) == [close(v) for v in (0.9, 1.3, 1.7, 1.7)]


def test_rounding_is_no_gain() -> None:
    """1 - .1 - .2 - .7 is not quite 0 in floating point, and must not count as a rank where the gain rises."""
    truth = sections(("/a[1]", 1.0), ("/a[1]/p[1]", 0.1), ("/a[1]/p[2]", 0.2), ("/a[1]/p[3]", 0.7), ("/a[1]/p[4]", 0.3))
    run = listed("/a[1]/p[1]", "/a[1]/p[2]", "/a[1]/p[3]", "/a[1]", "/a[1]/p[4]")
    expected = (0.1 / 1 + 0.3 / 2 + 1 / 3) / 3
    assert value(truth, run, "MAep(base='ideal')") == close(expected)


def test_dividing_by_the_base_alone_could_exceed_1() -> None:
    """One ideal element gained in two steps: .9 at rank 1, all at rank 2."""
    truth = sections(("/a[1]", 1.0), ("/a[1]/p[1]", 0.9))
    run = listed("/a[1]/p[1]", "/a[1]")
    assert value(truth, run, "MAep(base='ideal')") == close((0.9 / 1 + 1 / 2) / 2)


def test_the_alpha_rule_counts_what_was_retrieved_though_not_relevant() -> None:
    """prum-2007 C.3 asks whether an ancestor or a descendant was seen, not whether it was relevant."""
    sizes = {("d", "/a[1]"): 100.0, ("d", "/a[1]/b[1]"): 40.0, ("d", "/a[1]/b[2]"): 60.0}
    truth = twins.graded_truth(
        {("d", "/a[1]"): (3, 1), ("d", "/a[1]/b[1]"): (3, 3), ("d", "/a[1]/b[2]"): (0, 0)}, sizes
    )
    under = listed("/a[1]", "/a[1]/b[1]")
    assert value(truth, under, "xCG(alpha=1,quant='strict')@2") == 0.0
    assert value(truth, under, "xCG(alpha=0.25,quant='strict')@2") == 0.75
    over = listed("/a[1]/b[2]", "/a[1]")
    assert value(truth, over, "xCG(alpha=1)@2") == close(1 * 40 / 100)
    assert value(truth, over, "xCG(alpha=0.5)@2") == close(0.5 * 0.4 + 0.5 * 0.75)


def test_the_alpha_rule_caps_the_parts_of_an_ideal_element_only() -> None:
    """Parts and then the whole can be worth more than the ideal list: said in a note, not hidden."""
    truth = sections(("/a[1]", 1.0), ("/a[1]/p[1]", 0.9), ("/a[1]/p[2]", 0.8), ("/a[1]/p[3]", 1.0))
    topic = truth.topics["1"]
    assert topic.size is not None and topic.rsize is not None
    topic.size[1:3], topic.rsize[1:3], topic.size[3], topic.rsize[3] = 1, [0.9, 0.8], 98, 98
    run = listed("/a[1]/p[1]", "/a[1]/p[2]", "/a[1]")
    results = bp.evaluate(truth, [run], "nxCG(alpha=1)@2 nxCG(alpha=1)@3")
    assert results.mean()["run"] == {"nxCG(alpha=1)@2": close(1), "nxCG(alpha=1)@3": close(1 + 0.98)}
    assert any("nxCG(alpha=1)@3: values above 1" in note for note in map(str, results.notes))


def test_alpha_is_about_elements_and_their_sizes() -> None:
    with pytest.raises(bp.UsageError, match="alpha"):
        value(span_truth([("d", 0, 5)]), span_run([[("d", 0, 5)]]), "xCG(alpha=1)@1")
    truth = twins.graded_truth({("d", "/a[1]"): (3, 2), ("d", "/a[1]/b[1]"): (3, 3)})
    with pytest.raises(bp.UsageError, match="sizes"):
        value(truth, listed("/a[1]/b[1]", "/a[1]"), "xCG(alpha=1)@2")
    assert value(truth, listed("/a[1]", "/a[1]/b[1]"), "xCG(alpha=1)@2") == 0.75
    assert value(truth, listed("/a[1]/b[1]", "/a[1]"), "xCG(alpha=0)@2") == 1.75


def test_several_results_at_one_rank_are_gained_together() -> None:
    """A list item with two pointers gives the gain of both; the ideal list has one unit a rank, which a note says."""
    truth = document_truth({"a": 1, "b": 1})
    run = document_run(["a", "b"], rank=np.array([1.0, 1.0]), order="rank")
    results = bp.evaluate(truth, [run], "xCG@1 nxCG@1 MAep")
    assert results.mean()["run"] == {"xCG@1": 2.0, "nxCG@1": 2.0, "MAep": 1.0}
    assert any("nxCG@1: values above 1" in note for note in map(str, results.notes))


def test_curves_stay_flat_after_their_ends() -> None:
    truth = document_truth({"a": 3, "b": 1})
    assert values(truth, document_run(["b", "x", "a"]), [f"nxCG@{k}" for k in (1, 2, 3, 10)]) == [
        close(v) for v in (1 / 3, 1 / 4, 1.0, 1.0)
    ]
    assert values(truth, document_run(["b"]), [f"xCG@{k}" for k in (1, 2, 10)]) == [1.0, 1.0, 1.0]
    assert values(truth, document_run(["b"]), [f"nxCG@{k}" for k in (1, 2, 10)]) == [
        close(v) for v in (1 / 3, 1 / 4, 1 / 4)
    ]


def test_strict_gains_where_no_element_is_strictly_relevant() -> None:
    """Total gain 0: undefined, whether the run answers the topic or not, and so is the curve."""
    graded = {("d", "/a[1]"): (2, 2)}
    truth = twins.several(twins.graded_truth(graded, topic="1"), twins.graded_truth(graded, topic="2"))
    cutoffs = {"xCG": "@3", "nxCG": "@3", "MAep": "", "iMAep": "", "epgr": "@0.5", "GRP": "@0.5"}
    names = [f"{name}(quant='strict'){at}" for name, at in cutoffs.items()]
    results = bp.evaluate(truth, [listed("/a[1]")], names, curves=True)
    assert results.per_topic()["run"] == {name: {"1": None, "2": None} for name in names}
    assert results.mean()["run"] == dict.fromkeys(names)
    for name in names:
        assert bp.explain(truth, listed("/a[1]"), name, "1").parts


def test_strict_gains_of_spans_and_documents_keep_the_ideal_list_at_1() -> None:
    """Only units of the highest grade count, in the list and in the base."""
    names = ["nxCG(quant='strict')@1", "nxCG(quant='strict')@5", "MAep(quant='strict')"]
    truth = span_truth([("d", 0, 5), ("d", 10, 20)], [1, 2])
    assert values(truth, span_run([[("d", 10, 20)]]), names) == [1.0, 1.0, 1.0]
    assert values(truth, span_run([[("d", 10, 21)], [("d", 0, 5)]]), names) == [0.0, 0.0, 0.0]
    graded = document_truth({"a": 1, "b": 2})
    assert values(graded, document_run(["b"]), names) == [1.0, 1.0, 1.0]
    assert values(graded, document_run(["a", "b"]), names) == [0.0, 1.0, 0.5]


@pytest.mark.slow
@pytest.mark.parametrize("name", [*NORMALISED, "xCG@5"])
def test_topics_missing_from_the_run_and_topics_without_targets(name: str) -> None:
    truth = twins.several(
        document_truth({"a": 1}, topic="1"), document_truth({"a": 1}, topic="2"), document_truth({"a": 0}, topic="3")
    )
    results = bp.evaluate(truth, [document_run(["a"])], name)
    assert results.per_topic()["run"][name] == {"1": 1.0, "2": 0.0, "3": None}
    assert results.mean()["run"][name] == 0.5


def test_a_topic_missing_from_the_run_is_searched_without_a_list() -> None:
    """One target among 4 units, none ranked: r/(r + i s/(k+1)) = 1/(1 + 3/2), for half of it .5/(.5 + 3 x .5/2)."""
    truth = twins.several(document_truth({"a": 1}, topic="1"), document_truth({"a": 1}, topic="2"))
    names = ["PRUM", "PRecall@1.0", "GRP@1.0", "GRP@0.5"]
    results = bp.evaluate(truth, [document_run(["a"])], names, units=4)
    assert [found["2"] for found in results.per_topic()["run"].values()] == pytest.approx([0.4] * 4)
    junk = bp.evaluate(truth, [document_run(["x"], topic="2")], names, units=4)
    silent = bp.evaluate(truth, [document_run(["a"], topic="1")], names, units=4)
    for name in names:
        assert junk.per_topic()["run"][name]["2"] < silent.per_topic()["run"][name]["2"]
    with pytest.raises(bp.UsageError, match="units="):
        bp.evaluate(truth, [document_run(["a"])], "PRUM")


@pytest.mark.parametrize("text", ["xCG", "nxCG", "epgr"])
def test_measures_that_need_a_cut_off(text: str) -> None:
    with pytest.raises(bp.UsageError, match="cut-off"):
        value(document_truth({"a": 1}), document_run(["a"]), text)


def test_too_few_units() -> None:
    truth, run = document_truth({"a": 1, "b": 1}), document_run(["a", "x"])
    with pytest.raises(bp.UsageError, match="units=2 is too small"):
        value(truth, run, "GRP@1.0", units=2)
    assert value(truth, run, "GRP@1.0", units=3) == close(2 / 3)
    with pytest.raises(bp.UsageError, match="units="):
        value(truth, run, "PRecall")
    assert value(truth, run, "PRecall@0.5") == 1.0


def test_grades_above_1_are_no_gains_for_grp() -> None:
    with pytest.raises(bp.UsageError, match="PRecall"):
        value(document_truth({"a": 2}), document_run(["a"]), "GRP@1.0")


def test_the_order_of_topics_and_of_judgements_does_not_matter() -> None:
    gains = [("/a[1]", 0.3), ("/a[1]/s[1]", 1.0), ("/a[1]/s[2]", 0.8)]
    run = listed("/a[1]", "/a[1]/s[1]", "/a[1]/s[2]")
    assert values(sections(*gains), run, NORMALISED) == values(sections(*gains[::-1]), run, NORMALISED)


def shown(truth: Truth, run: bp.Run, name: str, **options: object) -> str:
    parts = bp.explain(truth, run, name, "1", **options).parts  # type: ignore[arg-type]
    cells = [part if isinstance(part, str) else " ".join(cell for row in part.rows for cell in row) for part in parts]
    return " ".join(cells)


WORKINGS: Sequence[str] = (
    "xCG@4", "nxCG@3", "nxCG(alpha=1)@3", "MAep", "MAep(base='ideal')", "iMAep", "epgr@0.5", "GRP@0.5", "GRPng@0.2",
    "PRecall@0.5",
)  # fmt: skip


@pytest.mark.parametrize("name", WORKINGS)
def test_the_working_shows_the_value(name: str) -> None:
    truth = sections(("/a[1]", 0.3), ("/a[1]/s[1]", 0.9), ("/a[1]/s[2]", 0.8))
    run = listed("/a[1]", "/a[1]/s[1]", "/a[1]/s[1]", "/a[1]/s[2]")
    found = value(truth, run, name, units=50)
    assert found is not None
    assert f"{found:.6f}".rstrip("0").rstrip(".") in shown(truth, run, name, units=50)


def test_the_working_says_why_a_result_gains_less() -> None:
    truth = sections(("/a[1]", 0.3), ("/a[1]/s[1]", 0.9), ("/a[1]/s[2]", 0.8))
    told = shown(truth, listed("/a[1]/s[1]", "/a[1]/s[1]", "/a[1]", "/b[1]"), "xCG@4")
    for reason in ("all of it is new", "a repeat of an earlier result gains nothing", "nothing relevant in it"):
        assert reason in told


@pytest.mark.parametrize("rule", ["step", "linear", "natural"])
def test_epgr_is_explained_by_its_own_rule(rule):
    draw = random.Random(8)
    for _ in range(40):
        truth = {"q": {f"d{i}": draw.randint(0, 3) for i in range(8)} | {"d0": 1}}
        names = draw.sample([f"d{i}" for i in range(12)], 9)
        run = {"q": {name: -float(place) for place, name in enumerate(names)}}
        level = draw.choice([0.1, 0.25, 0.5, 0.75, 1])
        measure = f"epgr(interpolation='{rule}')@{level}"
        value = bp.score(measure, truth, run)
        [expected, *tables, last] = bp.explain(truth, run, measure, topic="q").parts
        assert expected.title == "What was expected"
        assert last.endswith(f"epgr@{level:g} = {number(value, 6)}")
        if not value:
            assert not tables and "never" in last
            continue
        ideal, own = (float(row[-1]) for row in tables[0].rows)
        assert ideal / own == pytest.approx(value, abs=1e-5)
