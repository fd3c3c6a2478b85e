"""Every number of measures.md sections 5 (without navigation), 6 and 8, and of the papers behind them.

Sources: INEX 2006 measures (Lalmas et al. 2007, sections 4 to 7), PRUM (Piwowarski, Gallinari and Dupret 2007,
sections 4.2.1 and 4.2.2, appendix C), and measures.md itself; "(ours)" marks what measures.md works out by enumeration,
"by hand" what is worked out in the test.
"""

from __future__ import annotations

import numpy as np
import pytest
import slow_text_twins as twins
from slow_text_twins import document_run, document_truth, element_run, graded_truth, span_run, span_truth, value, values

import berrypick as bp
from berrypick.data.collection import Collection
from berrypick.data.truth import TopicTruth, Truth

PRINTED = {"abs": 5e-6, "rel": 0}  # numbers with five digits

# prum-2007, Figure 6: c (10 words) in b (40) in a (60); a and b E3S2, c E3S3
A, B, C = ("d", "/a[1]"), ("d", "/a[1]/b[1]"), ("d", "/a[1]/b[1]/c[1]")
FIGURE_6 = graded_truth({A: (3, 2), B: (3, 2), C: (3, 3)}, {A: 60.0, B: 40.0, C: 10.0})
GOOD, BAD = element_run([[C], [B], [A]]), element_run([[A], [B], [C]])

# prum-2007, Figure 7: a over b and c, all E3S3
E, F, G = ("d", "/a[1]"), ("d", "/a[1]/b[1]"), ("d", "/a[1]/c[1]")
FIGURE_7 = graded_truth({E: (3, 3), F: (3, 3), G: (3, 3)}, {E: 20.0, F: 10.0, G: 10.0})
POINTER = element_run([[E]])


# Section 6: XCG


def article_with_two_sections() -> tuple[Truth, bp.Run]:
    topic = TopicTruth(
        "1",
        ("d",) * 3,
        np.ones(3),
        path=("/article[1]", "/article[1]/sec[1]", "/article[1]/sec[2]"),
        size=np.array([1000.0, 100.0, 250.0]),
        rsize=np.array([300.0, 100.0, 200.0]),
    )
    ranks = [[("d", path)] for path in topic.path or ()]
    return Truth("elements", {"1": topic}, scale="sizes"), element_run(ranks)


def test_section_6_article_over_two_sections() -> None:
    """Article .3 over s1 1 and s2 .8, list (article, s1, s2): .3, .7, .5; nxCG@3 .83333 (ours)."""
    truth, run = article_with_two_sections()
    assert values(truth, run, [f"xCG@{k}" for k in (1, 2, 3)]) == pytest.approx([0.3, 1.0, 1.5])
    assert value(truth, run, "nxCG@3") == pytest.approx(0.83333, **PRINTED)


def test_section_6_xcg_with_alpha_1_good_list() -> None:
    """Figure 6, list (c, b, a): (1, 1, 1)."""
    assert values(FIGURE_6, GOOD, [f"xCG(alpha=1)@{k}" for k in (1, 2, 3)]) == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("alpha", [0.0, 0.25, 0.5, 2 / 3, 6 / 7, 1.0])
def test_section_6_xcg_with_any_alpha_bad_list(alpha: float) -> None:
    """Figure 6, list (a, b, c): (.75, .75 + .75(1 - alpha), .75 + 1.75(1 - alpha))."""
    names = [f"xCG(alpha={alpha!r})@{k}" for k in (1, 2, 3)]
    assert values(FIGURE_6, BAD, names) == pytest.approx([0.75, 0.75 + 0.75 * (1 - alpha), 0.75 + 1.75 * (1 - alpha)])


def test_section_6_xcg_with_alpha_over_a_retrieved_element() -> None:
    """By hand, C.3 on Figure 6, list (b, a), alpha .5: b gains .75; retrieved, rv(b) is then .5 x .75, and c below it
    does not enter: rv(a) = .5 x .375 x 40/60 + .5 x .75 = .5."""
    run = element_run([[B], [A]])
    assert values(FIGURE_6, run, ["xCG(alpha=0.5)@1", "xCG(alpha=0.5)@2"]) == pytest.approx([0.75, 1.25])


def test_section_10_alpha_thresholds() -> None:
    """The gain exceeds the ideal one at rank 3 below alpha 6/7, at rank 2 below 2/3 (the paper prints 2/3 and 3/4)."""
    assert values(FIGURE_6, BAD, [f"nxCG(alpha={6 / 7!r})@3", f"nxCG(alpha={2 / 3!r})@2"]) == pytest.approx([1.0, 1.0])
    assert (value(FIGURE_6, BAD, "nxCG(alpha=0.85)@3") or 0) > 1
    assert (value(FIGURE_6, BAD, "nxCG(alpha=0.86)@3") or 0) < 1
    assert (value(FIGURE_6, BAD, "nxCG(alpha=0.66)@2") or 0) > 1
    assert (value(FIGURE_6, BAD, "nxCG(alpha=0.67)@2") or 0) < 1


def test_section_6_focused_gain_of_figure_6() -> None:
    """By hand, equation 8: a gains .75 of c's 1, then c has .25 left for b, then nothing."""
    assert values(FIGURE_6, GOOD, [f"xCG@{k}" for k in (1, 2, 3)]) == [1.0, 1.0, 1.0]
    assert values(FIGURE_6, BAD, [f"xCG@{k}" for k in (1, 2, 3)]) == [0.75, 1.0, 1.0]
    assert values(FIGURE_6, BAD, [f"xCG(base='full')@{k}" for k in (1, 2, 3)]) == [0.75, 1.5, 2.5]


def test_section_10_the_ideal_base_of_figure_7_is_the_pointer() -> None:
    """4.2.2 uses {b, c} where the tie rule gives {a}: the list (a) is the ideal one, not half of it."""
    assert values(FIGURE_7, POINTER, ["xCG@1", "nxCG@1", "nxCG(alpha=1)@1"]) == [1.0, 1.0, 1.0]
    parts = element_run([[F], [G]])
    assert values(FIGURE_7, parts, ["xCG@1", "xCG@2"]) == [1.0, 1.0]


# Section 6: GRP, PRecall, GRPng


def test_section_6_grp() -> None:
    """GRP at full recall 2.5: (c, b, a) .875; (a, b, c) .8333; 4.2.2, pointer only, 100 units: .04433."""
    assert value(FIGURE_6, GOOD, "GRP@1.0") == pytest.approx(0.875)
    assert value(FIGURE_6, BAD, "GRP@1.0") == pytest.approx(0.8333, abs=5e-5, rel=0)
    assert value(FIGURE_7, POINTER, "GRP@1.0", units=100) == pytest.approx(0.04433, **PRINTED)


def test_section_6_grpng() -> None:
    """(c, b, a) recall .69444, precision .72222 (the paper prints .65); (a, b, c) .66667 at recall .33333."""
    assert value(FIGURE_6, GOOD, "GRPng@0.69444") == pytest.approx(0.72222, **PRINTED)
    assert value(FIGURE_6, GOOD, "GRPng@0.69445") == 0.0
    assert value(FIGURE_6, GOOD, "GRPng@1.0") == 0.0
    assert value(FIGURE_6, BAD, "GRPng@0.33333") == pytest.approx(0.66667, **PRINTED)
    assert value(FIGURE_6, BAD, "GRPng@0.33334") == 0.0


def test_prum_4_2_2_grpng() -> None:
    """Pointer only: precision 1 at recall 1/3."""
    assert values(FIGURE_7, POINTER, ["GRPng@0.33333", "GRPng@0.33334"]) == [1.0, 0.0]


def test_section_6_precall() -> None:
    """List rel, {non, rel}, r = 2: .8; one group of 4 with 2 relevant: .6 (ours)."""
    truth = document_truth({"r1": 1, "r2": 1})
    assert value(truth, document_run(["r1", "n", "r2"], [3, 2, 2]), "PRecall@1.0") == pytest.approx(0.8)
    assert value(truth, document_run(["n1", "r1", "n2", "r2"], [1, 1, 1, 1]), "PRecall@1.0") == pytest.approx(0.6)
    by_rank = document_run(["r1", "n", "r2"], rank=np.array([1.0, 2.0, 2.0]), order="rank")
    assert value(truth, by_rank, "PRecall@1.0") == pytest.approx(0.8)
    elements = graded_truth({A: (1, 1), C: (3, 3)})
    ties = element_run([[A], [("d", "/x[1]"), C]])
    assert value(elements, ties, "PRecall@1.0") == pytest.approx(0.8)


def test_appendix_c_quantisation() -> None:
    """C.1: E3S2 .75 and E3S3 1, so that the full recall base of Figure 6 holds 2.5."""
    assert value(FIGURE_6, GOOD, "xCG(base='full')@3") == 2.5
    assert value(FIGURE_6, GOOD, "xCG(base='full',quant='strict')@3") == 1.0


# Section 4 over elements: what the same example gives the navigating reader


def test_prum_4_2_1_over_elements() -> None:
    """List (c, b, a) 1; list (a, b, c), reach 1/6, 1/4, 1 by the lengths: .40678. EPRUM by hand."""
    assert values(FIGURE_6, GOOD, ["PRUM", "EPRUM"], user="hierarchy") == [1.0, 1.0]
    assert value(FIGURE_6, BAD, "PRUM", user="hierarchy") == pytest.approx(0.40678, **PRINTED)
    assert value(FIGURE_6, BAD, "EPRUM", user="hierarchy") == pytest.approx(1 / 6 + 5 / 6 / 4 / 2 + 5 / 8 / 3)
    assert values(FIGURE_6, BAD, ["PRUM", "EPRUM"]) == pytest.approx([1 / 3, 1 / 3])


def test_effort_precision_over_elements_with_navigation() -> None:
    """By hand: the same example, epnav@1 = E[1/ce] with one target."""
    expected = 1 / 6 + 5 / 6 / 4 / 2 + 5 / 8 / 3
    assert value(FIGURE_6, BAD, "epnav@1.0", user="hierarchy") == pytest.approx(expected)


# Section 5 without navigation


def test_section_5_example_without_navigation() -> None:
    """Section 6.1 of the effort-precision paper: target d3 at rank 3 of (d1, d2, d3): without navigation 1/3."""
    truth, run = document_truth({"d3": 1}), document_run(["d1", "d2", "d3"])
    names = ["epgr@1.0", "epgr(interpolation='natural')@1.0", "MAep", "iMAep", "epnav@1.0"]
    assert values(truth, run, names) == pytest.approx([1 / 3] * 5)


def test_section_5_three_ways_to_read_a_level() -> None:
    """Gains 3, 6, 2 in this order: @.5 step .5, linear .64706, natural 1; @.2 1, .5, .5. By hand for @.5: 5.5 lies at
    5.5/6 on the ideal curve (6, 9, 11) and at 1 + 2.5/6 on the list's (3, 9, 11)."""
    truth, run = document_truth({"a": 3, "b": 6, "c": 2}), document_run(["a", "b", "c"])
    for level, expected in (("0.5", [0.5, 0.64706, 1.0]), ("0.2", [1.0, 0.5, 0.5])):
        names = [f"epgr(interpolation='{how}')@{level}" for how in ("step", "linear", "natural")]
        assert values(truth, run, names) == pytest.approx(expected, **PRINTED)
        assert value(truth, run, f"epgr@{level}") == value(truth, run, f"epnav@{level}") == expected[0]
    curve = bp.evaluate(truth, run, "MAep epgr@0.5", curves=True).curves()["run"]
    assert curve["MAep"]["1"] == curve["epgr@0.5"]["1"]
    assert value(truth, run, "GainRecall@1") == pytest.approx(0.27273, **PRINTED)


def test_section_5_natural_and_step() -> None:
    """By hand: ideal gains 2, 1, 1 (cumulated 2, 3, 4), list b 1, x, a 2, c 1 (cumulated 1, 1, 3, 4).

    Natural: the ideal curve through (0, 0) reaches 1 at .5, 3 at 2, 4 at 3. Step: level .25 is reached by the ideal
    list at rank 1, .75 at 2, 1 at 3.
    """
    truth, run = document_truth({"a": 2, "b": 1, "c": 1}), document_run(["b", "x", "a", "c"])
    natural = [f"epgr(interpolation='natural')@{level}" for level in (0.25, 0.26, 0.75, 0.76, 1.0)]
    assert values(truth, run, natural) == pytest.approx([0.5 / 1, 2 / 3, 2 / 3, 3 / 4, 3 / 4])
    step = [f"epgr@{level}" for level in (0.25, 0.26, 0.5, 0.51, 0.75, 0.76, 1.0)]
    assert values(truth, run, step) == pytest.approx([1, 1 / 3, 1 / 3, 2 / 3, 2 / 3, 3 / 4, 3 / 4])
    assert value(truth, run, "MAep") == pytest.approx((0.5 + 2 / 3 + 3 / 4) / 3)
    by_gain = (25 * 0.5 + 50 * 2 / 3 + 25 * 3 / 4) / 100
    assert value(truth, run, "iMAep(interpolation='natural')") == pytest.approx(by_gain)
    by_step = (25 * 1 + 25 * 1 / 3 + 25 * 2 / 3 + 25 * 3 / 4) / 100
    assert value(truth, run, "iMAep") == pytest.approx(by_step)


def test_section_5_the_ideal_run_gets_1_either_way() -> None:
    truth, run = document_truth({"a": 3, "b": 2, "c": 2, "d": 1}), document_run(["a", "c", "b", "d"])
    names = ["MAep"] + [f"{name}(interpolation='{how}')" + at for name, at in (("iMAep", ""), ("epgr", "@0.4"),
             ("epgr", "@0.0")) for how in ("step", "linear", "natural")]  # fmt: skip
    assert values(truth, run, names) == pytest.approx([1.0] * 10)


def test_section_5_not_retrieved_relevant_elements_count_0() -> None:
    """INEX 2006 measures, section 4.2; thorough divides by the full base, focused by the ideal one. By hand."""
    truth, _ = article_with_two_sections()
    run = element_run([[("d", "/article[1]/sec[1]")]])
    assert values(truth, run, ["MAep", "MAep(base='ideal')"]) == pytest.approx([1 / 3, 1 / 2])


def test_section_5_dividing_by_n_alone_can_exceed_1() -> None:
    """By hand: an ideal element worth 1, gained as .9 and .1: (.9/1 + 1/2)/max(1, 2)."""
    topic = TopicTruth(
        "1", ("d", "d"), np.ones(2), path=("/a[1]", "/a[1]/b[1]"), size=np.array([10.0, 10]), rsize=np.array([10.0, 9])
    )
    truth = Truth("elements", {"1": topic}, scale="sizes")
    run = element_run([[("d", "/a[1]/b[1]")], [("d", "/a[1]")]])
    assert value(truth, run, "MAep(base='ideal')") == pytest.approx(0.7)


def test_section_1_recall_levels() -> None:
    """.28 x 25 is 7, a little more in floating point: 7 of 25 equal gains reach the level."""
    truth = document_truth({f"r{i}": 1 for i in range(25)})
    run = document_run([f"r{i}" for i in range(7)])
    assert 0.28 * 25 > 7
    assert values(truth, run, ["epgr@0.28", "epgr(interpolation='linear')@0.28", "epgr@0.29"]) == [1.0, 1.0, 0.0]
    assert values(truth, run, ["PRecall@0.28", "GRP@0.28"]) == [1.0, 1.0]


# Section 8


def test_section_8_characters() -> None:
    """By hand: T = [0, 20) and [40, 50) of d; results [10, 30), [15, 25), e [0, 10)."""
    truth = span_truth([("d", 0, 20), ("d", 40, 50)])
    run = span_run([[("d", 10, 30)], [("d", 15, 25)], [("e", 0, 10)]])
    assert values(truth, run, ["charP@1", "charR@1", "charF@1", "IoU@1"]) == pytest.approx([1 / 2, 1 / 3, 2 / 5, 1 / 4])
    assert values(truth, run, ["charP@2", "charR@2", "Overlap@2"]) == pytest.approx([1 / 2, 1 / 3, 1 - 20 / 30])
    assert values(truth, run, ["charP", "charR", "charF", "IoU", "Overlap"]) == pytest.approx(
        [1 / 3, 1 / 3, 1 / 3, 1 / 5, 1 - 30 / 40]
    )


def test_section_8_hixeval() -> None:
    """By hand: precision 1/2 at recall 1/4, 3/5 at recall 3/4: iP .6 up to .75, then 0; AiP 76 x .6 / 101."""
    truth = span_truth([("d", 0, 40)])
    run = span_run([[("d", 30, 50)], [("d", 0, 20), ("d", 90, 100)]])
    assert values(truth, run, ["iP@0.0", "iP@0.25", "iP@0.26", "iP@0.75", "iP@0.76"]) == pytest.approx(
        [0.6, 0.6, 0.6, 0.6, 0.0]
    )
    assert value(truth, run, "AiP") == pytest.approx(76 * 0.6 / 101)


def test_section_8_generalised_precision() -> None:
    """INEX 2006 measures, equations 9 to 13; by hand: article scores F, not relevant, F."""
    truth = span_truth([("d", 0, 50), ("e", 10, 20), ("f", 0, 5)])
    run = span_run([[("d", 0, 25)], [("x", 0, 9)], [("e", 10, 30)]])
    names = ["gP(beta=1)@1", "gP(beta=1)@2", "gP(beta=1)@3", "gR@1", "gR@3", "AgP(beta=1)"]
    f_d, f_e = 2 * 1 * 0.5 / 1.5, 2 * 0.5 * 1 / 1.5
    assert values(truth, run, names) == pytest.approx(
        [f_d, f_d / 2, (f_d + f_e) / 3, 1 / 3, 2 / 3, (f_d + (f_d + f_e) / 3) / 3]
    )
    quarter = (1 + 1 / 16) * 1 * 0.5 / (1 / 16 * 1 + 0.5)
    assert values(truth, run, ["gP@1", "gP(beta=0.25)@1"]) == pytest.approx([quarter, quarter])
    assert value(truth, run, "gP@1", protocol="inex2006") == pytest.approx(f_d)


def test_section_8_entry_points() -> None:
    """INEX 2006 measures, equation 14: s = A L/(A L + d); by hand with L = 1000 and d = 50 of two entry points."""
    truth = span_truth([("d", 100, 200), ("e", 0, 9)], entry_points=[("d", 100), ("e", 0)])
    run = span_run([[("d", 150, 151)], [("d", 100, 101)], [("x", 0, 1)]])
    collection = Collection({"d": 500.0, "e": 1500.0})
    scores = {a: value(truth, run, f"BEPD(A={a})", collection=collection) for a in ("0.01", "0.1", "1", "10", "100")}
    assert scores == {
        a: pytest.approx(float(a) * 1000 / (float(a) * 1000 + 50) / 2) for a in ("0.01", "0.1", "1", "10", "100")
    }
    assert value(truth, run, "BEPD", collection=collection) == scores["0.1"]
    assert value(truth, run, "AgP(score='bep',n=500)") == pytest.approx(0.9 / 2)


def test_section_8_eprum_bep() -> None:
    """EPRUM with this reach; a ranking made only of entry points has precision 1 at all recall levels (paper, 7.2)."""
    truth = span_truth([("d", 100, 200), ("e", 0, 9)], entry_points=[("d", 100), ("e", 0)])
    collection = Collection({"d": 500.0, "e": 1500.0})
    options = {"user": "bep", "collection": collection}
    hits = span_run([[("d", 100, 101)], [("e", 0, 1)]])
    assert values(truth, hits, ["EPRUM", "EPRUM@0.5", "EPRUM@1.0"], **options) == pytest.approx([1.0] * 3)
    near = span_run([[("d", 150, 151)], [("e", 0, 1)]])
    s = 100 / 150
    expected = [s + (1 - s) / 2, 2 * s / 2]  # at recall 1 and 2, by hand
    assert values(truth, near, ["EPRUM(r=1)", "EPRUM(r=2)"], **options) == pytest.approx(expected)


def test_section_8_tolerance_to_irrelevance() -> None:
    """formats.md: retrieved text by offset, then the rest, until 300 irrelevant characters; by hand."""
    truth = span_truth([("d", 100, 200), ("d", 900, 950)], lengths={"d": 1000.0})
    run = span_run([[("d", 850, 950)], [("d", 50, 150)]])
    # [50, 150): 50 irrelevant, 50 relevant; [850, 950) the same; [0, 50): 50 irrelevant; [150, 200): 50 relevant
    assert value(truth, run, "AgP(score='t2i',tolerance=300)") == pytest.approx(150 / 450)
    assert value(truth, run, "AgP(score='t2i',tolerance=120)") == pytest.approx(100 / 220)


# Section 1


def test_section_1_missing_and_undefined() -> None:
    """No target: null. A judged topic missing from the run counts 0, Overlap null."""
    truth = twins.several(
        span_truth([("d", 0, 10)], topic="1"),
        span_truth([("d", 0, 10)], topic="2"),
        span_truth([("d", 0, 10)], grades=[0.0], topic="3"),
    )
    run = span_run([[("d", 0, 10)]])
    results = bp.evaluate(truth, [run], "charP nxCG@1 Overlap")
    assert results.per_topic()["run"] == {
        "charP": {"1": 1.0, "2": 0.0, "3": None},
        "nxCG@1": {"1": 1.0, "2": 0.0, "3": None},
        "Overlap": {"1": 0.0, "2": None, "3": None},
    }
    assert results.mean()["run"] == {"charP": 0.5, "nxCG@1": 0.5, "Overlap": 0.0}
