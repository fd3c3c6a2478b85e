"""Paths, gains of assessments, full and ideal recall bases: walked by hand and compared."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import slow_text_twins as twins
from hypothesis import given
from hypothesis import strategies as st
from slow_text_twins import Key, World

import berrypick as bp
from berrypick.data import paths
from berrypick.data.truth import TopicTruth, Truth
from berrypick.targets.gains import exhaustivity_of, gains_of, specificity_of
from berrypick.targets.recall_base import RecallBase, recall_base


def base_of(truth: Truth, quant: str | None = None, left_out: tuple[str, ...] = ()) -> RecallBase:
    return recall_base(truth.topics["1"], truth.scale, quant, left_out)  # type: ignore[arg-type]


def keys(base: RecallBase, rows: np.ndarray | None = None) -> list[Key]:
    chosen = range(len(base)) if rows is None else rows.tolist()
    return [(base.document[i], base.path[i]) for i in chosen]


# Paths


def test_paths() -> None:
    assert paths.parent("/article[1]/bdy[1]/sec[2]") == "/article[1]/bdy[1]"
    assert paths.parent("/article[1]") == ""
    assert paths.ancestors("/article[1]/bdy[1]/sec[2]") == ["/article[1]", "/article[1]/bdy[1]"]
    assert paths.ancestors("/article[1]") == []
    assert paths.element_name("/article[1]/bdy[1]/sec[12]") == "sec"
    assert paths.normal("/article/bdy[1]/sec[2]/") == "/article[1]/bdy[1]/sec[2]"
    assert paths.is_path("/article[1]/bdy")
    assert not any(paths.is_path(text) for text in ("article[1]", "/a[0]", "/a[1]b", "", "/", "/a/text()[1]", "/a b"))


def test_names_that_begin_alike_do_not_nest() -> None:
    assert not paths.nested("/a[1]/sec[1]", "/a[1]/sec[10]")
    assert not paths.nested("/a[1]/sec[1]", "/a[1]/section[1]")
    assert paths.contains("/a[1]/sec[1]", "/a[1]/sec[1]/p[1]")
    assert not paths.contains("/a[1]/sec[1]/p[1]", "/a[1]/sec[1]")
    assert paths.nested("/a[1]/sec[1]/p[1]", "/a[1]/sec[1]")


@given(twins.trees(most=9))
def test_nesting_is_that_of_the_tree(tree: list[twins.Element]) -> None:
    for one in tree:
        assert paths.ancestors(one.path) == [element.path for element in reversed(one.ancestors())]
        assert {other.path for other in tree if paths.contains(one.path, other.path)} == {
            one.path,
            *(element.path for element in one.descendants()),
        }


# Gains


GRADES = [(e, s) for e in range(4) for s in range(4)]


def assessed(
    scale: str,
    exhaustivity: list[float] | None = None,
    specificity: list[float] | None = None,
    size: list[float] | None = None,
    rsize: list[float] | None = None,
    grade: list[float] | None = None,
) -> TopicTruth:
    columns = {"exhaustivity": exhaustivity, "specificity": specificity, "size": size, "rsize": rsize}
    count = len(next(column for column in columns.values() if column is not None))
    return TopicTruth(
        "1",
        ("d",) * count,
        np.array(grade or [1.0] * count),
        path=tuple(f"/article[1]/p[{i + 1}]" for i in range(count)),
        **{name: None if column is None else np.array(column, dtype=float) for name, column in columns.items()},
    )


def test_generalised_and_strict_quantisation_of_grades_from_0_to_3() -> None:
    """prum-2007 C.1."""
    worth = {
        (3, 3): 1, (2, 3): 0.75, (3, 2): 0.75, (3, 1): 0.75, (1, 3): 0.5, (2, 2): 0.5, (2, 1): 0.5,
        (1, 1): 0.25, (1, 2): 0.25,
    }  # fmt: skip
    topic = assessed("2002", [e for e, _ in GRADES], [s for _, s in GRADES], grade=[float(e > 0) for e, _ in GRADES])
    assert gains_of(topic, "2002", None).tolist() == [worth.get(pair, 0) for pair in GRADES]
    assert gains_of(topic, "2002", "generalised").tolist() == [worth.get(pair, 0) for pair in GRADES]
    assert gains_of(topic, "2002", "strict").tolist() == [float(pair == (3, 3)) for pair in GRADES]
    assert exhaustivity_of(topic, "2002") == pytest.approx([e / 3 for e, _ in GRADES])
    assert specificity_of(topic, "2002") == pytest.approx([s / 3 for _, s in GRADES])
    with pytest.raises(bp.UsageError, match="quant='generalised' or quant='strict'"):
        gains_of(topic, "2002", "specificity")


def test_what_was_not_assessed_is_worth_nothing() -> None:
    topic = assessed("2002", [3, np.nan, 3], [3, 3, np.nan])
    assert gains_of(topic, "2002", None).tolist() == [1, 0, 0]
    judged_not_relevant = assessed("2002", [3, 3], [3, 3], grade=[1, 0])
    assert gains_of(judged_not_relevant, "2002", None).tolist() == [1, 0]


def test_2005_exhaustivity_and_sizes() -> None:
    """Strict iff e = 2 and specificity 1, generalised e/2 x specificity, '?' counts as 0."""
    topic = assessed("2005", exhaustivity=[2, 2, 1, 0], size=[10, 20, 10, 4], rsize=[10, 5, 10, 4])
    assert gains_of(topic, "2005", None).tolist() == [1, 0.25, 0.5, 0]  # generalised
    assert gains_of(topic, "2005", "specificity").tolist() == [1, 0.25, 1, 1]
    assert gains_of(topic, "2005", "generalised").tolist() == [1, 0.25, 0.5, 0]
    assert gains_of(topic, "2005", "strict").tolist() == [1, 0, 0, 0]


def test_early_2005_files_say_the_specificity_itself() -> None:
    topic = assessed("2005", exhaustivity=[2, 1], specificity=[0.5, 1])
    assert gains_of(topic, "2005", None).tolist() == [0.5, 0.5]
    assert gains_of(topic, "2005", "generalised").tolist() == [0.5, 0.5]
    mixed = assessed("2005", exhaustivity=[2, 2], specificity=[0.5, np.nan], size=[np.nan, 8], rsize=[np.nan, 2])
    assert gains_of(mixed, "2005", None).tolist() == [0.5, 0.25]


def test_2006_specificity_is_the_highlighted_share() -> None:
    topic = assessed("sizes", size=[10, 20, 0], rsize=[10, 5, 0])
    assert gains_of(topic, "sizes", None).tolist() == [1, 0.25, 0]
    assert gains_of(topic, "sizes", "generalised").tolist() == [1, 0.25, 0]
    assert gains_of(topic, "sizes", "strict").tolist() == [1, 0, 0]
    assert exhaustivity_of(topic, "sizes").tolist() == [1, 1, 1]


# Bases


@given(twins.worlds())
def test_bases_are_those_walked_by_hand(world: World) -> None:
    base, gain = base_of(world.truth), world.gain
    assert dict(zip(keys(base), base.gain, strict=True)) == pytest.approx({k: float(v) for k, v in gain.items()})
    assert set(keys(base, base.ideal)) == twins.ideal_base(gain)
    assert base.ideal.tolist() == sorted(base.ideal.tolist()), "in truth order"
    for i, key in enumerate(keys(base)):
        above = [element.key for element in world.elements[key].ancestors() if element.key in gain]
        assert (keys(base)[base.parent[i]] if base.parent[i] >= 0 else None) == (above[0] if above else None)


grades = st.tuples(st.integers(0, 3), st.integers(0, 3))


@given(twins.trees(most=9), st.data(), st.sampled_from(["generalised", "strict"]))
def test_bases_of_any_grades(tree: list[twins.Element], data: st.DataObject, quant: str) -> None:
    """Assessments that do not agree with each other: irrelevant elements around relevant ones."""
    truth = twins.graded_truth({element.key: data.draw(grades) for element in tree})
    base = base_of(truth, quant)
    topic = truth.topics["1"]
    worth = {key: Fraction(g) for key, g in zip(
        zip(topic.document, topic.path, strict=True), gains_of(topic, "2002", quant).tolist(), strict=True  # type: ignore[arg-type]
    ) if g > 0}  # fmt: skip
    assert keys(base) == list(worth)
    assert set(keys(base, base.ideal)) == twins.ideal_base(worth)


@given(twins.worlds())
def test_ideal_elements_do_not_overlap_and_miss_no_relevant_path(world: World) -> None:
    base = base_of(world.truth)
    ideal = keys(base, base.ideal)
    assert not any(one != other and twins.overlapping(one, other) for one in ideal for other in ideal)
    leaves = [key for key in keys(base) if not any(o != key and twins.inside(o, key) for o in keys(base))]
    assert ideal
    assert all(any(twins.overlapping(leaf, one) for one in ideal) for leaf in leaves)


def element_truth(*rows: tuple[str, int, int], document: str = "d") -> Truth:
    topic = TopicTruth(
        "1",
        (document,) * len(rows),
        np.ones(len(rows)),
        path=tuple(path for path, _, _ in rows),
        size=np.array([size for _, size, _ in rows], dtype=float),
        rsize=np.array([rsize for _, _, rsize in rows], dtype=float),
    )
    return Truth("elements", {"1": topic}, scale="sizes")


def test_the_higher_element_wins_a_tie() -> None:
    base = base_of(element_truth(("/a[1]", 10, 10), ("/a[1]/b[1]", 10, 10), ("/a[1]/b[1]/c[1]", 4, 4)))
    assert keys(base, base.ideal) == [("d", "/a[1]")]


def test_a_kept_element_under_a_kept_one_is_dropped() -> None:
    """On one path the article is best, on the other a section: only the article stays."""
    base = base_of(
        element_truth(("/a[1]", 100, 50), ("/a[1]/s[1]", 40, 10), ("/a[1]/s[2]", 40, 36), ("/a[1]/s[1]/p[1]", 30, 10))
    )
    assert keys(base, base.ideal) == [("d", "/a[1]")]


def test_elements_left_out_are_removed_before_the_bases_are_built() -> None:
    """2006 ignored link elements: without them the paragraph is the ideal one."""
    truth = element_truth(("/a[1]", 100, 50), ("/a[1]/p[1]", 60, 50), ("/a[1]/p[1]/link[1]", 20, 20))
    assert keys(base_of(truth), base_of(truth).ideal) == [("d", "/a[1]/p[1]/link[1]")]
    without = base_of(truth, left_out=("link",))
    assert keys(without) == [("d", "/a[1]"), ("d", "/a[1]/p[1]")]
    assert keys(without, without.ideal) == [("d", "/a[1]/p[1]")]
    link, paragraph = (twins.element_run([[("d", path)]]) for path in ("/a[1]/p[1]/link[1]", "/a[1]/p[1]"))
    assert twins.value(truth, link, "xCG@1", ignore_elements="link") == 0.0
    assert twins.value(truth, paragraph, "nxCG@1", ignore_elements=["link", "figure"]) == 1.0
    assert twins.value(truth, link, "nxCG@1") == 1.0


def test_documents_do_not_mix() -> None:
    """The same path in two documents is two elements."""
    topic = TopicTruth(
        "1", ("d", "e", "e"), np.ones(3), path=("/a[1]", "/a[1]", "/a[1]/p[1]"),
        size=np.array([10.0, 10, 5]), rsize=np.array([10.0, 5, 5]),
    )  # fmt: skip
    base = recall_base(topic, "sizes", None)
    assert keys(base, base.ideal) == [("d", "/a[1]"), ("e", "/a[1]/p[1]")]
    assert base.parent.tolist() == [-1, -1, 1]


def test_nothing_relevant() -> None:
    topic = TopicTruth("1", ("d",), np.zeros(1), path=("/a[1]",), size=np.array([5.0]), rsize=np.array([0.0]))
    base = recall_base(topic, "sizes", None)
    assert len(base) == 0
    assert len(base.ideal) == 0
