"""Readers of elements: by their paths as by their places on the line, by hand, and where lengths are not known."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
import twins_text as twins
from hypothesis import assume, given
from hypothesis import strategies as st
from twins_text import Element, World

import berrypick as bp
from berrypick import users
from berrypick.core.run import Ranking
from berrypick.core.truth import Targets
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


LINE = [
    Element("d", "/a[1]", 0, 100),
    Element("d", "/a[1]/s[1]", 10, 50),
    Element("d", "/a[1]/s[1]/p[1]", 20, 30),
    Element("d", "/a[1]/s[2]", 60, 100),
]


def test_readers_that_need_places_say_so() -> None:
    truth = twins.assessed_truth([LINE[:1]], [("d", 0, 10)])
    run = twins.element_run([[("d", "/a[1]")]])
    with pytest.raises(bp.UsageError, match="collection="):
        twins.value(truth, run, "charP")
    with pytest.raises(bp.UsageError, match="collection="):
        twins.value(truth, run, "EPRUM", user="distance")
