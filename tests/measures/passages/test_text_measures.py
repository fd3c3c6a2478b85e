"""charP, charR, charF, IoU, Overlap, iP, AiP, gP, gR, AgP, BEPD against sets of characters; what must hold of them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import pytest
import slow_text_twins as twins
from hypothesis import given
from hypothesis import strategies as st
from slow_text_twins import Span, document_run, document_truth, span_run, span_truth, value, values

import berrypick as bp
from berrypick.data.collection import Collection

LENGTH = 30  # of every document
DOCUMENTS = ("d", "e", "f", "g")
LENGTHS = dict.fromkeys(DOCUMENTS, float(LENGTH))
CHARACTERS = ("charP", "charR", "charF", "IoU")
TEXT = (*CHARACTERS, "iP@0.0", "iP@0.2", "iP@1.0", "AiP", "gP@2", "gR", "AgP", "AgP(score='t2i',tolerance=5)",
        "AgP(score='bep',n=20)", "BEPD(A=0.1,L=30)")  # fmt: skip


def spans(least: int = 0) -> st.SearchStrategy[Span]:
    def laid(drawn: tuple[str, int, int]) -> Span:
        document, start, length = drawn
        return document, start, min(LENGTH, start + length)

    return st.tuples(st.sampled_from(DOCUMENTS[:3]), st.integers(0, LENGTH - 1), st.integers(least, 12)).map(laid)


#: Relevant spans, without exact copies (readers merge those); at least one holds something.
targets = st.lists(spans(least=1), min_size=1, max_size=5, unique=True)
lists = st.lists(st.lists(spans(), min_size=1, max_size=3), min_size=1, max_size=6)
singles = st.lists(spans(), min_size=1, max_size=8).map(lambda pointers: [[pointer] for pointer in pointers])


def near(wanted: Sequence[Fraction | None]) -> list[object]:
    return [None if one is None else pytest.approx(float(one), rel=1e-9, abs=1e-12) for one in wanted]


# Twins


@given(targets, lists, st.integers(1, 7))
def test_characters_at_a_rank(wanted: list[Span], ranks: list[list[Span]], k: int) -> None:
    truth, run = span_truth(wanted), span_run(ranks)
    for cutoff in (k, None):
        at = "" if cutoff is None else f"@{cutoff}"
        found = values(truth, run, [name + at for name in (*CHARACTERS, "Overlap")])
        assert found == near(
            [
                twins.char_p(wanted, ranks, cutoff),
                twins.char_r(wanted, ranks, cutoff),
                twins.char_f(wanted, ranks, cutoff),
                twins.iou(wanted, ranks, cutoff),
                twins.overlap(ranks, cutoff),
            ]
        )


@given(targets, lists)
def test_interpolated_precision_at_every_hundredth(wanted: list[Span], ranks: list[list[Span]]) -> None:
    truth, run = span_truth(wanted), span_run(ranks)
    results = bp.evaluate(truth, [run], "AiP iP@0", curves=True)
    assert results.per_topic()["run"]["AiP"]["1"] == pytest.approx(
        float(twins.average_interpolated_precision(wanted, ranks)), abs=1e-12
    )
    curve = results.curves()["run"]["AiP"]["1"]
    assert [x for x, _ in curve] == [i / 100 for i in range(101)]
    assert [y for _, y in curve] == near([twins.interpolated_precision(wanted, ranks, i) for i in range(101)])
    assert results.per_topic()["run"]["iP@0"]["1"] == curve[0][1]


@given(st.integers(1, 400), st.integers(1, 100), st.integers(-1, 1))
def test_hundredths_are_compared_in_whole_numbers(total: int, hundredths: int, more: int) -> None:
    """A list that finds exactly a hundredth of the text, one character less, or one more."""
    found = max(0, min(total, -(-hundredths * total // 100) + more))
    truth, run = span_truth([("d", 0, total)]), span_run([[("d", 0, found)]])
    reached = 100 * found >= hundredths * total and found > 0
    assert value(truth, run, f"iP@{hundredths / 100}") == (1.0 if reached else 0.0)


@pytest.mark.slow
@pytest.mark.parametrize("total", [100, 300])
def test_every_hundredth_is_reached_exactly(total: int) -> None:
    """.07 x 100 is a little more than 7 in floating point: 7 characters of 100 reach it all the same."""
    assert 0.07 * 100 > 7
    for hundredths in range(1, 101):
        found = total // 100 * hundredths
        run = span_run([[("d", 0, found)]])
        names = [f"iP@{hundredths / 100}", f"iP@{(hundredths + 0.5) / 100}" if hundredths < 100 else "iP@1.0"]
        reached = values(span_truth([("d", 0, total)]), run, names)
        assert reached == [1.0, 1.0 if hundredths == 100 else 0.0], hundredths


@given(targets, lists, st.sampled_from([Fraction(0), Fraction(1, 4), Fraction(1), Fraction(2)]), st.integers(1, 5))
def test_generalised_precision_by_f(wanted: list[Span], ranks: list[list[Span]], beta: Fraction, k: int) -> None:
    found = twins.score_articles(wanted, ranks, lambda pointers: twins.f_article(wanted, pointers, beta))
    names = [f"gP(beta={float(beta)})@{k}", f"AgP(beta={float(beta)})", f"gR@{k}", "gR"]
    assert values(span_truth(wanted), span_run(ranks), names) == near(
        [found.gp(k), found.agp(), found.gr(k), found.gr(None)]
    )


@given(targets, lists, st.integers(1, 40), st.integers(1, 5))
def test_generalised_precision_by_tolerance(
    wanted: list[Span], ranks: list[list[Span]], tolerance: int, k: int
) -> None:
    found = twins.score_articles(
        wanted, ranks, lambda pointers: twins.tolerant_article(wanted, pointers, LENGTH, tolerance)
    )
    names = [f"gP(score='t2i',tolerance={tolerance})@{k}", f"AgP(score='t2i',tolerance={tolerance})"]
    truth = span_truth(wanted, lengths=LENGTHS)
    assert values(truth, span_run(ranks), names) == near([found.gp(k), found.agp()])


entry_offsets = st.lists(st.integers(0, LENGTH - 1), min_size=1, max_size=2, unique=True)


@given(targets, lists, st.data(), st.integers(1, 40))
def test_generalised_precision_and_distance_by_entry_points(
    wanted: list[Span], ranks: list[list[Span]], data: st.DataObject, n: int
) -> None:
    points = [(name, offset) for name in sorted({s[0] for s in wanted}) for offset in data.draw(entry_offsets)]
    truth = span_truth(wanted, entry_points=points, lengths=LENGTHS)
    found = twins.score_articles(wanted, ranks, lambda pointers: twins.near_article(points, pointers, n))
    names = [f"AgP(score='bep',n={n})", "BEPD", "BEPD(A=1,L=50)"]
    assert values(truth, span_run(ranks), names) == near(
        [
            found.agp(),
            twins.entry_distance(points, ranks, Fraction(LENGTH, 10)),
            twins.entry_distance(points, ranks, Fraction(50)),
        ]
    )


@given(targets, lists)
def test_without_entry_points_text_is_entered_where_it_begins(wanted: list[Span], ranks: list[list[Span]]) -> None:
    points = [(name, min(start for other, start, _ in wanted if other == name)) for name in {s[0] for s in wanted}]
    given_points = span_truth(wanted, entry_points=points, lengths=LENGTHS)
    names = ["AgP(score='bep',n=20)", "BEPD"]
    assert values(span_truth(wanted, lengths=LENGTHS), span_run(ranks), names) == values(
        given_points, span_run(ranks), names
    )


# Properties


@given(targets, lists)
def test_values_lie_between_0_and_1(wanted: list[Span], ranks: list[list[Span]]) -> None:
    found = values(span_truth(wanted, lengths=LENGTHS), span_run(ranks), TEXT)
    assert all(one is not None and 0 <= one <= 1 for one in found)


@given(targets, lists, st.integers(1, 9))
def test_in_seconds_too(wanted: list[Span], ranks: list[list[Span]], tenth: int) -> None:
    """Positions that are no whole numbers: the values of the same picture in whole ones."""

    def scaled(given: list[Span]) -> list[Span]:
        return [(name, start * tenth / 10, end * tenth / 10) for name, start, end in given]  # type: ignore[misc]

    lengths = {name: length * tenth / 10 for name, length in LENGTHS.items()}
    names = [*CHARACTERS, "Overlap", "AiP", "iP@1.0", "AgP", "gR"]
    exact = values(span_truth(wanted), span_run(ranks), names)
    found = values(span_truth(scaled(wanted), lengths=lengths), span_run([scaled(group) for group in ranks]), names)
    assert found == [None if one is None else pytest.approx(one, abs=1e-9) for one in exact]
    assert all(one is None or 0 <= one <= 1 for one in found)


def test_parts_that_add_up_to_an_ulp_more() -> None:
    """.1 + .2 + .6 seconds are a little more than the .9 that are relevant: still all of it, and no more."""
    assert 0.1 + (0.3 - 0.1) + (0.9 - 0.3) > 0.9
    truth = span_truth([("d", 0.0, 0.9)])  # type: ignore[list-item]
    run = span_run([[("d", 0.0, 0.1)], [("d", 0.1, 0.3)], [("d", 0.3, 0.9)]])  # type: ignore[list-item]
    names = ["charR", "charF", "IoU", "iP@1.0", "AgP"]
    found = values(truth, run, names)
    assert found == [pytest.approx(1.0)] * len(names)
    assert all(one is not None and one <= 1 for one in found)


@given(targets, st.randoms(use_true_random=False))
def test_exactly_the_relevant_text_scores_1(wanted: list[Span], random: object) -> None:
    ranks = [[span] for span in wanted]
    random.shuffle(ranks)  # type: ignore[attr-defined]
    entered = [(name, min(start for other, start, _ in wanted if other == name)) for name in {s[0] for s in wanted}]
    names = [*CHARACTERS, "iP@0.0", "iP@1.0", "AiP", "gR", "AgP", "AgP(beta=2)"]
    assert values(span_truth(wanted), span_run(ranks), names) == [1.0] * len(names)
    first = sorted(ranks, key=lambda group: (group[0][0], group[0][1]))
    truth = span_truth(wanted, entry_points=entered, lengths=LENGTHS)
    names = ["AgP(score='bep')", "BEPD"]
    assert values(truth, span_run(first), names) == [pytest.approx(1.0)] * 2


@given(targets, singles, st.integers(0, 7), st.integers(0, 7))
def test_a_repeat_adds_nothing_and_raises_nothing(
    wanted: list[Span], ranks: list[list[Span]], which: int, where: int
) -> None:
    """The text of a repeat is not new: over the whole list nothing changes; at a rank nothing found grows."""
    which %= len(ranks)
    place = which + 1 + where % (len(ranks) - which)
    longer = [*ranks[:place], ranks[which], *ranks[place:]]
    truth = span_truth(wanted, lengths=LENGTHS)
    assert values(truth, span_run(longer), TEXT) == values(truth, span_run(ranks), TEXT)
    at = [f"charR@{k}" for k in range(1, len(longer) + 1)]
    for after, before in zip(values(truth, span_run(longer), at), values(truth, span_run(ranks), at), strict=True):
        assert after is not None and before is not None
        assert after <= before
    shorter, more = value(truth, span_run(ranks), "Overlap"), value(truth, span_run(longer), "Overlap")
    if ranks[which][0][1] < ranks[which][0][2] and shorter is not None:
        assert more is not None
        assert more >= shorter


@given(targets, lists)
def test_repeats_dropped_or_kept_are_worth_the_same(wanted: list[Span], ranks: list[list[Span]]) -> None:
    truth, run = span_truth(wanted, lengths=LENGTHS), span_run(ranks)
    whole = [name for name in TEXT if name != "Overlap"]
    assert values(truth, run, whole, duplicates="first") == values(truth, run, whole, duplicates="keep")


@given(targets, lists)
def test_overlap_costs_nothing_but_shows(wanted: list[Span], ranks: list[list[Span]]) -> None:
    """Every pointer twice, the second time cut in two pieces at the same rank: text measures do not see it.

    Regions of one rank are one result, so Overlap sees it only at ranks of their own.
    """
    halves = [
        [*group, *((d, s, (s + e) // 2) for d, s, e in group), *((d, (s + e) // 2, e) for d, s, e in group)]
        for group in ranks
    ]
    truth = span_truth(wanted, lengths=LENGTHS)
    assert values(truth, span_run(halves), TEXT) == values(truth, span_run(ranks), TEXT)
    assert value(truth, span_run(halves), "Overlap") == value(truth, span_run(ranks), "Overlap")
    shown = value(truth, span_run([*ranks, *halves]), "Overlap")
    assert shown is None or shown >= 0.5


@given(targets, lists)
def test_recall_at_a_rank_never_falls(wanted: list[Span], ranks: list[list[Span]]) -> None:
    truth, run = span_truth(wanted), span_run(ranks)
    found = values(truth, run, [f"charR@{k}" for k in range(1, 10)])
    assert found == sorted(found, key=lambda one: one or 0.0)
    assert found[len(ranks) - 1 :] == [value(truth, run, "charR")] * (10 - len(ranks))
    falling = values(truth, run, [f"iP@{i / 10}" for i in range(11)])
    assert falling == sorted(falling, key=lambda one: -(one or 0.0))


@given(targets, lists)
def test_curves_end_at_the_values(wanted: list[Span], ranks: list[list[Span]]) -> None:
    names = [*CHARACTERS, "gR"]
    results = bp.evaluate(span_truth(wanted), [span_run(ranks)], names, curves=True)
    for name in names:
        curve = results.curves()["run"][name]["1"]
        assert curve[-1][1] == pytest.approx(results.per_topic()["run"][name]["1"])
    k = len(results.curves()["run"]["gR"]["1"])
    gp = bp.evaluate(span_truth(wanted), [span_run(ranks)], f"gP@{k} AgP", curves=True)
    for name in (f"gP@{k}", "AgP"):
        assert gp.curves()["run"][name]["1"][-1][1] == pytest.approx(gp.per_topic()["run"][f"gP@{k}"]["1"])


# Cases


def test_beyond_the_end_precision_over_articles_still_divides() -> None:
    """measures.md section 1: past the end nothing more is found, and precision-like measures divide by k."""
    truth, run = span_truth([("d", 0, 10)]), span_run([[("d", 0, 10)], [("e", 0, 10)]])
    assert values(truth, run, ["gP@1", "gP@2", "gP@4", "gR@1", "gR@9"]) == [1.0, 0.5, 0.25, 1.0, 1.0]


def test_curve_of_recall_over_articles_has_a_point_for_each_article() -> None:
    """Two of three relevant articles are found, the first and the last of three."""
    truth, run = span_truth([(name, 0, 9) for name in "def"]), span_run([[("d", 0, 3)], [("x", 0, 3)], [("e", 0, 9)]])
    curve = bp.evaluate(truth, [run], "gR", curves=True).curves()["run"]["gR"]["1"]
    assert curve == [(1, 1 / 3), (2, 1 / 3), (3, 2 / 3)]


def test_characters_beyond_the_end_are_those_of_the_whole_list() -> None:
    """Nothing more is retrieved, so nothing more is read: charP divides by text, not by ranks."""
    truth, run = span_truth([("d", 0, 10)]), span_run([[("d", 5, 15)]])
    names = ["charP", "charR", "charF", "IoU", "Overlap"]
    assert values(truth, run, [f"{name}@50" for name in names]) == values(truth, run, names) == [
        0.5, 0.5, 0.5, pytest.approx(1 / 3), 0.0,
    ]  # fmt: skip


def test_nothing_retrieved() -> None:
    """Results without any text: precision is 0, overlap undefined, an article with relevant text is still found."""
    truth, run = span_truth([("d", 0, 10)], lengths=LENGTHS), span_run([[("d", 4, 4)], [("e", 0, 0)]])
    names = [*CHARACTERS, "AiP", "AgP", "Overlap", "gR", "AgP(score='t2i',tolerance=10)"]
    assert values(truth, run, names) == [0.0] * 6 + [None, 1.0, 0.5]


def test_results_in_documents_nobody_judged() -> None:
    truth, run = span_truth([("d", 0, 10)], lengths=LENGTHS), span_run([[("unknown", 0, 40)], [("d", 0, 10)]])
    names = ["charP", "charR", "iP@1.0", "gP@2", "AgP", "AgP(score='t2i')", "AgP(score='bep')", "BEPD"]
    assert values(truth, run, names) == [0.2, 1.0, 0.2, 0.5, 0.5, pytest.approx(1 / 6), 0.5, 1.0]


def test_pointers_of_one_rank_are_read_together() -> None:
    truth = span_truth([("d", 0, 10), ("e", 0, 10)])
    group = span_run([[("d", 0, 10), ("d", 5, 10), ("e", 0, 5)]])
    assert values(truth, group, ["charP@1", "charR@1", "Overlap@1"]) == [1.0, 0.75, 0.0]
    assert values(truth, group, ["gP@1", "gP@2", "gR@1"]) == [1.0, pytest.approx((1 + 17 / 18) / 2), 0.5]


def test_articles_stand_where_they_are_first_met() -> None:
    """Results of one article need not follow each other: its text is put together at its first result."""
    apart = span_run([[("d", 0, 5)], [("f", 0, 9)], [("d", 5, 10)]])
    together = span_run([[("d", 0, 5)], [("d", 5, 10)], [("f", 0, 9)]])
    truth = span_truth([("d", 0, 10)])
    names = ["gP@1", "gP@2", "gR@1", "AgP"]
    assert values(truth, apart, names) == values(truth, together, names) == [1.0, 0.5, 1.0, 1.0]


def test_an_article_found_with_the_wrong_text_takes_its_rank() -> None:
    """AgP sums gP at every rank that holds a relevant article, even if its score is 0."""
    truth = span_truth([("d", 0, 10), ("e", 0, 10)])
    run = span_run([[("e", 0, 10)], [("d", 20, 30)]])
    assert values(truth, run, ["gP@2", "AgP", "gR"]) == [0.5, (1 + 0.5) / 2, 1.0]


def test_tolerance_is_not_renewed_by_relevant_text() -> None:
    """Reads 3 irrelevant, 2 relevant, 2 irrelevant, 2 relevant, then the fifth irrelevant one: 4/9."""
    truth = span_truth([("d", 3, 5), ("d", 7, 9)], lengths=LENGTHS)
    run = span_run([[("d", 0, 9)]])
    assert value(truth, run, "AgP(score='t2i',tolerance=6)") == pytest.approx(4 / 10)
    assert value(truth, run, "AgP(score='t2i',tolerance=5)") == pytest.approx(2 / 7)


def test_tolerance_goes_on_in_the_rest_of_the_article() -> None:
    truth = span_truth([("d", 0, 10)], lengths={"d": 15.0})
    run = span_run([[("d", 10, 12)]])
    assert value(truth, run, "AgP(score='t2i',tolerance=300)") == pytest.approx(10 / 15)
    assert value(truth, run, "AgP(score='t2i',tolerance=2)") == 0.0
    assert value(truth, run, "AgP(score='t2i',tolerance=3)") == pytest.approx(10 / 13)


def test_tolerance_needs_the_length_of_the_article() -> None:
    truth, run = span_truth([("d", 0, 10)]), span_run([[("d", 0, 5)]])
    with pytest.raises(bp.UsageError, match="collection="):
        value(truth, run, "AgP(score='t2i')")
    collection = Collection({"other": 10.0})
    with pytest.raises(bp.UsageError, match=r"document d .*collection="):
        value(truth, run, "AgP(score='t2i')", collection=collection)


def test_the_mean_length_comes_from_the_collection_then_from_the_judged_documents() -> None:
    run = span_run([[("d", 5, 6)]])
    judged = span_truth([("d", 0, 10)], lengths={"d": 50.0, "e": 150.0})
    assert value(judged, run, "BEPD") == pytest.approx(10 / 15)
    listed = Collection({"d": 50.0, "e": 150.0, "f": 10.0})
    assert value(judged, run, "BEPD", collection=listed) == pytest.approx(7 / 12)
    assert value(judged, run, "BEPD", collection=Collection({"d": 50.0})) == pytest.approx(10 / 15)  # e is known too
    assert value(judged, run, "BEPD(L=200)") == pytest.approx(20 / 25)
    with pytest.raises(bp.UsageError, match="collection="):
        value(span_truth([("d", 0, 10)]), run, "BEPD")


def test_only_the_first_result_of_an_article_enters_it() -> None:
    truth = span_truth([("d", 10, 20), ("e", 10, 20)], entry_points=[("d", 10), ("e", 10)], lengths=LENGTHS)
    near_then_far = span_run([[("d", 10, 11)], [("d", 25, 26)]])
    far_then_near = span_run([[("d", 25, 26)], [("d", 10, 11)]])
    assert value(truth, near_then_far, "BEPD") == pytest.approx(1 / 2)
    assert value(truth, far_then_near, "BEPD") == pytest.approx(3 / (3 + 15) / 2)
    assert value(truth, far_then_near, "AgP(score='bep',n=30)") == pytest.approx(1 / 2 / 2)


def test_a_passage_that_could_not_be_located() -> None:
    """formats.md: 18 characters, never relevant, in focused and relevant in context; in tolerance mode it is not read.

    Readers keep such passages before the start of the document, no two alike.
    """
    truth = span_truth([("d", 0, 10)], lengths=LENGTHS)
    nowhere = span_run([[("d", -18, 0)], [("d", -36, -18)], [("d", 0, 10)]])
    assert values(truth, nowhere, ["charP", "charR", "AiP"]) == [pytest.approx(10 / 46), 1.0, pytest.approx(10 / 46)]
    located = span_run([[("d", 0, 10)]])
    for tolerance in (5, 15, 300):
        name = f"AgP(score='t2i',tolerance={tolerance})"
        assert value(truth, nowhere, name) == value(truth, located, name)
    lost = span_run([[("d", -18, 0)]])
    assert value(truth, lost, "AgP(score='t2i')") == pytest.approx(10 / 30)
    assert values(truth, lost, ["AgP", "AgP(score='bep')", "BEPD"]) == [0.0, 0.0, 0.0]


def test_whole_documents_are_their_text() -> None:
    collection = Collection({"d": 10.0, "e": 30.0})
    truth, run = document_truth({"d": 1, "e": 0}), document_run(["e", "d"])
    assert values(truth, run, ["charP@1", "charP", "charR", "AiP", "gP@2", "AgP"], collection=collection) == [
        0.0, 0.25, 1.0, 0.25, 0.5, 0.5,
    ]  # fmt: skip
    with pytest.raises(bp.UsageError, match="collection="):
        value(truth, run, "charP")


@pytest.mark.parametrize("name", TEXT)
def test_topics_missing_from_the_run_and_topics_without_targets(name: str) -> None:
    answered, missing = span_truth([("d", 0, 10)], topic="1"), span_truth([("d", 0, 10)], topic="2")
    nothing = span_truth([("d", 0, 10)], grades=[0], topic="3")
    truth = twins.several(answered, missing, nothing)
    truth.lengths.update(LENGTHS)  # type: ignore[attr-defined]
    run = span_run([[("d", 0, 10)]])
    results = bp.evaluate(truth, [run], name)
    found = results.per_topic()["run"][name]
    assert found == {"1": found["1"], "2": 0.0, "3": None}
    assert results.mean()["run"][name] == pytest.approx((found["1"] or 0.0) / 2)
    only = bp.evaluate(truth, [run], name, topics="run")
    assert only.per_topic()["run"][name] == {"1": found["1"]}


def test_overlap_of_a_missing_topic_is_undefined() -> None:
    truth = twins.several(span_truth([("d", 0, 10)], topic="1"), span_truth([("d", 0, 10)], topic="2"))
    results = bp.evaluate(truth, [span_run([[("d", 0, 10)], [("d", 0, 5)]])], "Overlap Overlap@1")
    assert results.per_topic()["run"]["Overlap"] == {"1": pytest.approx(1 / 3), "2": None}
    assert results.mean()["run"] == {"Overlap": pytest.approx(1 / 3), "Overlap@1": 0.0}


def test_relevant_text_without_a_character() -> None:
    """Grades above 0 on empty spans: nothing can be found, every value is undefined, curves and workings too."""
    truth, run = span_truth([("d", 5, 5)], lengths=LENGTHS), span_run([[("d", 0, 10)]])
    names = [*CHARACTERS, "iP@0.5", "AiP", "gP@2", "gR", "AgP"]
    results = bp.evaluate(truth, [run], names, curves=True)
    assert [row.value for row in results.topic_rows] == [None] * len(names)
    for name in names:
        assert bp.explain(truth, run, name, "1").parts


@pytest.mark.parametrize("text", ["iP", "gP"])
def test_measures_that_need_a_cut_off(text: str) -> None:
    with pytest.raises(bp.UsageError, match="cut-off"):
        value(span_truth([("d", 0, 1)]), span_run([[("d", 0, 1)]]), text)


def test_other_names() -> None:
    truth, run = span_truth([("d", 0, 10)]), span_run([[("d", 5, 20)]])
    assert values(truth, run, ["MAiP", "MAgP"]) == values(truth, run, ["AiP", "AgP"])


@pytest.mark.parametrize("name", [*TEXT, "Overlap", "Overlap@1", "charF(beta=2)@1"])
def test_the_working_ends_in_the_value(name: str) -> None:
    truth = span_truth([("d", 0, 10), ("e", 3, 9)], entry_points=[("d", 0), ("e", 3)], lengths=LENGTHS)
    run = span_run([[("d", 5, 20), ("d", 0, 7)], [("f", 0, 3)], [("e", 1, 9)], [("d", 5, 20)]])
    shown = " ".join(
        part if isinstance(part, str) else " ".join(cell for row in part.rows for cell in row)
        for part in bp.explain(truth, run, name, "1").parts
    )
    found = value(truth, run, name)
    assert found is not None
    assert f"{found:.6f}".rstrip("0").rstrip(".") in shown


@given(twins.worlds())
def test_sizes_give_what_passages_give(world: twins.World) -> None:
    """With and without the places of the highlighted text, the same numbers."""
    names = ["gP@1", "gP@3", "AgP", "AgP(beta=1)", "gR@2"]
    more = twins.grow("x", twins.Shape([-1], ["a"], [0], [5], [0]))
    collection = twins.collection_of([*world.trees, more])
    placed = twins.assessed_truth(world.trees, world.highlighted, with_text=True)
    expected = values(placed, world.run, names, collection=collection)
    assert values(world.truth, world.run, names, collection=collection) == pytest.approx(expected)
