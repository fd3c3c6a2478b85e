"""Readers of elements: by their paths as by their places on the line, by hand, and where lengths are not known."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
import slow_text_twins as twins
from hypothesis import assume, given
from hypothesis import strategies as st
from slow_text_twins import Element, World

import berrypick as bp
from berrypick import users
from berrypick.data.run import Ranking
from berrypick.data.truth import Targets
from berrypick.users import ReaderContext


def ranking_of(ranks: Sequence[Sequence[Element]], *, path: bool, size: bool = False, place: bool = False) -> Ranking:
    """A list of elements, known by path, by length, by place."""
    rows = [element for group in ranks for element in group]
    documents = list(dict.fromkeys(element.document for element in rows))
    return Ranking(
        documents=documents,
        document=np.array([documents.index(element.document) for element in rows], dtype=np.int64),
        rank=np.array([k for k, group in enumerate(ranks) for _ in group], dtype=np.int64),
        ranks=len(ranks),
        start=np.array([element.start for element in rows], dtype=np.int64) if place else None,
        end=np.array([element.end for element in rows], dtype=np.int64) if place else None,
        paths=[element.path for element in rows] if path else (),
        path=np.arange(len(rows)) if path else None,
        size=np.array([element.size for element in rows], dtype=float) if size else None,
    )


def targets_of(elements: Sequence[Element], *, path: bool, size: bool = False, place: bool = False) -> Targets:
    count = len(elements)
    return Targets(
        tuple(element.document for element in elements),
        np.ones(count),
        np.ones(count),
        np.ones(count),
        np.array([element.start for element in elements], dtype=np.int64) if place else None,
        np.array([element.end for element in elements], dtype=np.int64) if place else None,
        tuple(element.path for element in elements) if path else None,
        np.array([element.size for element in elements], dtype=float) if size else None,
    )


def reach(model: str, ranking: Ranking, targets: Targets) -> np.ndarray:
    return users.build(model).reach(ranking, targets, ReaderContext()).dense()


@st.composite
def scenes(draw: st.DrawFn, groups: bool = True) -> tuple[list[list[Element]], list[Element]]:
    """A list of elements and some of them as targets, none of them empty."""
    world = draw(twins.worlds(groups=groups, repeats=False))
    elements = {key: element for key, element in world.elements.items() if element.size}
    ranks = [[elements[key] for key in group if key in elements] for group in world.ranks]
    ranks = [group for group in ranks if group]
    assume(ranks)
    chosen = draw(st.lists(st.sampled_from(sorted(elements)), min_size=1, max_size=4, unique=True))
    return ranks, [elements[key] for key in chosen]


def literal(ranks: Sequence[Sequence[Element]], targets: Sequence[Element], share: str) -> np.ndarray:
    """Each rank leads to each target unless none of its pointers does."""
    found = np.zeros((len(ranks), len(targets)))
    for k, group in enumerate(ranks):
        for x, target in enumerate(targets):
            missed = Fraction(1)
            for pointer in group:
                common = len(twins.characters([pointer.span]) & twins.characters([target.span]))
                if share == "same":
                    p = Fraction(pointer.key == target.key)
                elif not twins.overlapping(pointer.key, target.key):
                    p = Fraction(0)
                else:
                    p = Fraction(common, max(pointer.size, target.size) if share == "larger" else target.size)
                missed *= 1 - p
            found[k, x] = float(1 - missed)
    return found


BY_PATH = {"path": True, "size": True}
BY_PLACE = {"path": False, "place": True}
BY_BOTH = {"path": True, "place": True}


@given(scenes())
def test_hierarchy_by_path_is_hierarchy_on_the_line(scene: tuple[list[list[Element]], list[Element]]) -> None:
    ranks, targets = scene
    wanted = pytest.approx(literal(ranks, targets, "larger"), abs=1e-12)
    for known in (BY_PATH, BY_PLACE, BY_BOTH):
        assert reach("hierarchy", ranking_of(ranks, **known), targets_of(targets, **known)) == wanted


@given(scenes(groups=False))
def test_coverage_by_path_is_coverage_on_the_line(scene: tuple[list[list[Element]], list[Element]]) -> None:
    ranks, targets = scene
    wanted = pytest.approx(literal(ranks, targets, "target"), abs=1e-12)
    for known in (BY_PATH, BY_PLACE, BY_BOTH):
        assert reach("coverage", ranking_of(ranks, **known), targets_of(targets, **known)) == wanted


@given(scenes())
def test_classical_readers_see_the_element_pointed_to(scene: tuple[list[list[Element]], list[Element]]) -> None:
    """Reach 1 iff the pointer is the target, whether or not places are known."""
    ranks, targets = scene
    for known in (BY_PATH, BY_BOTH):
        found = reach("classical", ranking_of(ranks, **known), targets_of(targets, **known))
        assert (found == literal(ranks, targets, "same")).all()


@given(scenes(groups=False))
def test_classical_readers_on_the_line_see_what_is_covered(
    scene: tuple[list[list[Element]], list[Element]],
) -> None:
    """On spans half a target is enough: an element around the target leads to it too, unlike by paths."""
    ranks, targets = scene
    found = reach("classical", ranking_of(ranks, **BY_PLACE), targets_of(targets, **BY_PLACE))
    by_path = reach("classical", ranking_of(ranks, **BY_PATH), targets_of(targets, **BY_PATH))
    assert (found >= by_path).all()
    covered = literal(ranks, targets, "target")
    assert (found == (covered >= 0.5)).all()


@given(twins.worlds(groups=False, repeats=False))
def test_the_targets_are_the_ideal_recall_base(world: World) -> None:
    ideal = twins.ideal_base(world.gain)
    best = twins.element_run([[key] for key in sorted(ideal)])
    assert twins.values(world.truth, best, ["EPRUM", "PRUM", "ExpectedRatio"]) == [pytest.approx(1.0)] * 3
    found = sum(key in ideal for key in world.pointers)
    assert twins.value(world.truth, world.run, "ExpectedRatio") == pytest.approx(found / len(ideal))


@given(scenes())
def test_passages_among_elements_are_read_on_the_line(scene: tuple[list[list[Element]], list[Element]]) -> None:
    """A run of offsets, a truth of elements whose places are known."""
    ranks, targets = scene
    run, wanted = ranking_of(ranks, **BY_PLACE), targets_of(targets, **BY_BOTH)
    for model in ("hierarchy", "coverage", "classical", "classical(share=1)"):
        on_the_line = reach(model, run, targets_of(targets, **BY_PLACE))
        assert (reach(model, run, wanted) == on_the_line).all()


@given(twins.worlds(repeats=False), st.sampled_from(["hierarchy", "coverage", "classical"]))
def test_places_from_the_collection_change_nothing(world: World, model: str) -> None:
    """Lengths from the assessments or from the documents: the same readers of judged elements."""
    assume(all(key in world.gain for key in world.pointers))
    measures = ["ExpectedRatio@1", "ExpectedRatio", "EPRUM(rank=2)"]
    collection = twins.collection_of(world.trees)
    by_path = twins.values(world.truth, world.run, measures, user=model)
    placed = twins.values(world.truth, world.run, measures, user=model, collection=collection)
    assert placed == [pytest.approx(one, abs=1e-12) for one in by_path]


LINE = [
    Element("d", "/a[1]", 0, 100),
    Element("d", "/a[1]/s[1]", 10, 50),
    Element("d", "/a[1]/s[1]/p[1]", 20, 30),
    Element("d", "/a[1]/s[2]", 60, 100),
]


def test_by_hand() -> None:
    ranks, targets = [[element] for element in LINE], [LINE[1]]
    run, wanted = ranking_of(ranks, **BY_PATH), targets_of(targets, **BY_PATH)
    assert reach("hierarchy", run, wanted).ravel() == pytest.approx([0.4, 1, 0.25, 0])
    assert reach("coverage", run, wanted).ravel() == pytest.approx([1, 1, 0.25, 0])
    assert reach("classical", run, wanted).ravel() == pytest.approx([0, 1, 0, 0])


def test_an_element_in_another_document_is_another_element() -> None:
    other = Element("e", "/a[1]/s[1]", 10, 50)
    for model in ("hierarchy", "coverage", "classical"):
        found = reach(model, ranking_of([[other]], **BY_PATH), targets_of([LINE[1]], **BY_PATH))
        assert found.tolist() == [[0.0]]


def test_a_rank_with_several_elements_leads_up_and_down() -> None:
    """hierarchy: 1 - (1 - .4)(1 - .25)."""
    group = ranking_of([[LINE[0], LINE[2]]], **BY_PATH)
    assert reach("hierarchy", group, targets_of([LINE[1]], **BY_PATH)) == pytest.approx(np.array([[0.55]]))


@pytest.mark.parametrize(
    "known",
    [
        pytest.param(BY_PLACE, id="place"),
        pytest.param(BY_BOTH, id="both"),
        pytest.param(BY_PATH, id="path"),
    ],
)
def test_the_regions_of_a_rank_are_covered_together(known: dict[str, bool]) -> None:
    """Two halves of a target at one rank cover it: its share is 1, not 1 - 1/4."""
    halves = [Element("d", "/a[1]/s[1]", 0, 50), Element("d", "/a[1]/s[2]", 50, 100)]
    found = reach("coverage", ranking_of([halves], **known), targets_of([LINE[0]], **known))
    assert found == pytest.approx(np.array([[1.0]]))


def test_lengths_that_nobody_knows_lead_nowhere() -> None:
    """measures.md section 1: hierarchy reach 0, counted in the notes."""
    truth = twins.graded_truth({("d", "/a[1]"): (3, 1), ("d", "/a[1]/b[1]"): (3, 3)})
    run = twins.element_run([[("d", "/a[1]")], [("d", "/a[1]/b[1]")]])
    results = bp.evaluate(truth, [run], "ExpectedRatio@1 ExpectedRatio", user="hierarchy")
    assert results.mean()["run"] == {"ExpectedRatio@1": 0.0, "ExpectedRatio": 1.0}
    assert any("lengths of some elements are unknown" in note for note in map(str, results.notes))


def test_the_length_of_a_result_that_was_not_assessed_is_unknown() -> None:
    sizes = {("d", "/a[1]"): 40.0, ("d", "/a[1]/b[1]"): 10.0}
    truth = twins.graded_truth({("d", "/a[1]"): (3, 1), ("d", "/a[1]/b[1]"): (3, 3)}, sizes)
    run = twins.element_run([[("d", "/a[1]/b[1]/c[1]")], [("d", "/a[1]")]])
    results = bp.evaluate(truth, [run], "ExpectedRatio@1 ExpectedRatio@2", user="hierarchy")
    assert results.mean()["run"] == {"ExpectedRatio@1": 0.0, "ExpectedRatio@2": 0.25}
    assert any("lengths of some elements are unknown" in note for note in map(str, results.notes))


def test_a_target_of_unknown_length_is_not_reached_by_navigation() -> None:
    """Whichever of the two lengths is the unknown one."""
    known, unknown = ranking_of([[LINE[0]]], **BY_PATH), targets_of([LINE[1]], path=True, size=True)
    assert unknown.size is not None
    unknown.size[:] = np.nan
    assert reach("hierarchy", known, unknown).tolist() == [[0.0]]
    assert reach("coverage", known, unknown).tolist() == [[1.0]], "what contains it covers it, however long it is"
    assert users.build("hierarchy").notes(known, unknown)


def test_readers_that_need_places_say_so() -> None:
    truth = twins.assessed_truth([LINE[:1]], [("d", 0, 10)])
    run = twins.element_run([[("d", "/a[1]")]])
    with pytest.raises(bp.UsageError, match="collection="):
        twins.value(truth, run, "charP")
    with pytest.raises(bp.UsageError, match="collection="):
        twins.value(truth, run, "EPRUM", user="distance")


def test_empty_elements_are_nested_and_no_error() -> None:
    empty = Element("d", "/a[1]/s[3]", 100, 100)
    for known in (BY_PATH, BY_PLACE):
        run, wanted = ranking_of([[empty], [LINE[0]]], **known), targets_of([empty], **known)
        found = reach("hierarchy", run, wanted)
        assert found[1, 0] == 0.0
        assert 0 <= found[0, 0] <= 1
