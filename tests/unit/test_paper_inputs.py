"""What inputs and options change, and what is said about it: lengths, sizes, ignored names, cuts, entry points."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
import twins
import twins_text
import worlds

import berrypick as bp
from berrypick.core.reach import Reach
from berrypick.kernels import poisson_binomial

MICRO = Path(__file__).parents[1] / "campaigns" / "inex-micro"


# --- where lengths came from -----------------------------------------------------------------------------------------


def test_lengths_of_judged_documents_and_of_the_collection_have_two_signatures(tmp_path, berrypick):
    """BEPD .3294 with the mean length of the judged documents; another mean, another number, another signature."""
    truth = bp.read_truth(MICRO / "micro.qrels")
    lengths = tmp_path / "lengths.tsv"
    lengths.write_text("".join(f"{name}\t{int(length)}\n" for name, length in truth.lengths.items()) + "far\t99999\n")
    given = ("evaluate", MICRO / "micro.qrels", MICRO / "bic.run", "-m", "BEPD EPRUM(user='bep')", "-o", "json")
    judged, all_of_them = berrypick(*given), berrypick(*given, "--collection", lengths)
    first, second = json.loads(judged.out), json.loads(all_of_them.out)
    assert first[0]["value"] == pytest.approx(0.3294, abs=5e-5)
    total = sum(truth.lengths.values()) + 99999
    for one, other in zip(first, second, strict=True):
        assert one["value"] != other["value"] and "|lengths:judged|" in one["signature"]
        assert f"|lengths:{len(truth.lengths) + 1} documents,{total:g}|" in other["signature"]
    assert "BEPD, EPRUM(user='bep'): lengths are those of the 7 judged documents only" in judged.err
    assert "judged documents only" not in all_of_them.err


def test_a_mean_length_that_is_given_needs_no_source():
    results = bp.evaluate(MICRO / "micro.qrels", MICRO / "bic.run", ["BEPD(L=500)", "EPRUM(user='bep(L=500)')"])
    assert not any(row.signature.get("lengths") for row in results.mean_rows)


def test_measures_of_all_documents_say_where_lengths_came_from():
    truth, run = worlds.span_truth({"1": [("d", 5, 9)]}), worlds.span_run({"1": [("d", 0, 9)]})
    names = ["ESL(tolerance=10)", "ESLRF(tolerance=10)", "PT2I(tolerance=10)", "EPRUM(user='t2i(tolerance=10)')"]
    results = bp.evaluate(truth, run, names, collection=worlds.lengths(d=74, e=26))
    assert {row.signature["lengths"] for row in results.mean_rows} == {"2 documents,100"}
    assert not bp.evaluate(truth, run, "EPRUM charP").mean_rows[0].signature.get("lengths")


# --- sizes of graded elements from the collection --------------------------------------------------------------------


@pytest.fixture
def figure_6(tmp_path):
    """PRUM figure 6 as files: lengths a 60, b 40, c 10; a and b E3S2, c E3S3."""
    folder = tmp_path / "collection"
    folder.mkdir()
    (folder / "d.xml").write_text(f"<a><b><c>{'c' * 10}</c>{'b' * 30}</b>{'a' * 20}</a>")
    grades = {"/a[1]": 2, "/a[1]/b[1]": 2, "/a[1]/b[1]/c[1]": 3}
    paths = "".join(f'<path path="{path}" exhaustiveness="3" specificity="{s}"/>' for path, s in grades.items())
    truth = tmp_path / "truth.xml"
    truth.write_text(f'<assessments topic="1"><file file="d">{paths}</file></assessments>')
    return truth, folder


def element_file(tmp_path, *paths, topic="1"):
    run = tmp_path / "list.run"
    run.write_text("".join(f"{topic} Q0 d {k} {9 - k} r {path}\n" for k, path in enumerate(paths, start=1)))
    return run


def test_alpha_on_the_assessments_it_was_made_for(figure_6, tmp_path, berrypick):
    """List (b, a), alpha .5: b .75, then a: .5 x (.5 x .75) x 40/60 + .5 x .75 = .5; sizes are the collection's."""
    truth, folder = figure_6
    run = element_file(tmp_path, "/a[1]/b[1]", "/a[1]")
    given = ("evaluate", truth, run, "-m", "xCG(alpha=0.5)@1 xCG(alpha=0.5)@2", "-o", "json")
    done = berrypick(*given, "--collection", folder)
    assert [row["value"] for row in json.loads(done.out)] == pytest.approx([0.75, 1.25])
    assert all("|quant:generalised|" in row["signature"] for row in json.loads(done.out))
    without = berrypick(*given)
    assert without.code == 2 and "--collection" in without.err


def test_alpha_1_of_figure_6_from_files(figure_6, tmp_path):
    truth, folder = figure_6
    run = element_file(tmp_path, "/a[1]/b[1]/c[1]", "/a[1]/b[1]", "/a[1]")
    names = [f"xCG(alpha=1)@{k}" for k in (1, 2, 3)]
    assert list(bp.evaluate(truth, run, names, collection=folder).mean()["r"].values()) == pytest.approx([1, 1, 1])


# --- inex2006: filtered assessments, the cut, names that do not occur ------------------------------------------------

LINKED = """<assessments topic="1"><file name="d"><best-entry-point path="/article[1]"/>
 <element path="/article[1]" exhaustivity="2" size="100" rsize="10"/>
 <element path="/article[1]/collectionlink[1]" exhaustivity="2" size="10" rsize="10"/>
</file></assessments>"""


def test_inex2006_leaves_out_links_of_every_kind(files, tmp_path, berrypick):
    """Without links the article (.1) is the only element: the link gains nothing, the article all there is."""
    paths = files(truth_xml=LINKED)
    run = element_file(tmp_path, "/article[1]/collectionlink[1]", "/article[1]")
    given = ("evaluate", paths["truth_xml"], run, "-m", "xCG@1 nxCG@2 MAep", "-o", "json")
    official = json.loads(berrypick(*given, "--protocol", "inex2006").out)
    assert [row["value"] for row in official] == pytest.approx([0.0, 1.0, 0.5])
    assert all("|ignore_elements:*link|" in row["signature"] for row in official)
    plain = json.loads(berrypick(*given).out)
    assert [row["value"] for row in plain] == pytest.approx([1.0, 1.0, 1.0])


def test_results_after_rank_1500_are_counted(files, berrypick):
    paths = files(
        truth_qrels="1 0 d1600 1\n", list_run="".join(f"1 Q0 d{k} {k} {2000 - k} r\n" for k in range(1, 1601))
    )
    done = berrypick("evaluate", *paths.values(), "-m", "xCG@1600", "--protocol", "inex2006")
    assert "100 results after rank 1500 left out, as protocol inex2006 does (1 topic)" in done.err
    assert "left out" not in berrypick("evaluate", *paths.values(), "-m", "xCG@1600").err


def test_a_misspelt_name_is_told(files, tmp_path, berrypick):
    paths = files(truth_xml=LINKED)
    run = element_file(tmp_path, "/article[1]")
    given = ("evaluate", paths["truth_xml"], run, "-m", "nxCG@1", "--left-out")
    assert "no judged element is called colectionlink" in berrypick(*given, "colectionlink").err
    for names in ("collectionlink", "*link", "article, collectionlink"):
        assert "no judged element is called" not in berrypick(*given, names).err


# --- entry points ----------------------------------------------------------------------------------------------------


def test_an_article_without_an_entry_point_adds_none(files, tmp_path, berrypick):
    """Two relevant articles, one entry point, hit exactly: 1/1 for BEPD as for EPRUM with user model bep."""
    folder = tmp_path / "collection"
    folder.mkdir()
    judged = '<passage start="/article[1]/p[1]" end="/article[1]/p[1]" size="10"/>'
    for name in "ab":
        (folder / f"{name}.xml").write_text(f"<article>{'x' * 20}<p>{'y' * 10}</p></article>")
    paths = files(
        truth_xml=f"""<assessments topic="1"><file name="a"><best-entry-point path="/article[1]/p[1]"/>{judged}</file>
<file name="b">{judged}</file></assessments>""",
        list_run="1 Q0 a 1 2 r /article[1]/p[1]\n1 Q0 b 2 1 r /article[1]/p[1]\n",
    )
    done = berrypick("evaluate", *paths.values(), "-m", "BEPD EPRUM(user='bep')", "--collection", folder, "-o", "json")
    assert [row["value"] for row in json.loads(done.out)] == [1.0, 1.0], done.err


def test_one_entry_point_two_relevant_articles():
    truth = twins_text.span_truth([("a", 5, 15), ("b", 5, 15)], entry_points=[("a", 5)], lengths={"a": 100, "b": 100})
    run = twins_text.span_run([[("a", 5, 15)], [("b", 5, 15)]])
    names = ["BEPD(L=100)", "EPRUM(user='bep(L=100)')", "AgP(score='bep')"]
    assert twins_text.values(truth, run, names) == pytest.approx([1.0, 1.0, (1 + 1 / 2) / 2])


def test_a_topic_without_entry_points_in_a_truth_that_has_some_is_undefined():
    truth = twins_text.several(
        twins_text.span_truth([("a", 5, 15)], entry_points=[("a", 5)], lengths={"a": 100}),
        twins_text.span_truth([("a", 5, 15)], topic="2", lengths={"a": 100}),
    )
    run = worlds.span_run({"1": [("a", 5, 15)], "2": [("a", 5, 15)]})
    found = bp.evaluate(truth, run, "BEPD(L=100) EPRUM(user='bep(L=100)')").per_topic()["run"]
    assert list(found.values()) == [{"1": 1.0, "2": None}] * 2


# --- why a result is worth nothing -----------------------------------------------------------------------------------


def reasons(explanation):
    table = next(part for part in explanation.parts if not isinstance(part, str))
    return [row[-1] for row in table.rows]


def test_elements_that_nobody_assessed(figure_6, tmp_path):
    truth, _ = figure_6
    truth.write_text(truth.read_text().replace("</file>", '<path path="/a[1]/u[1]" exhaustiveness="U" specificity="U"/>'
                     '<path path="/a[1]/n[1]" exhaustiveness="0" specificity="0"/></file>'))  # fmt: skip
    run = element_file(tmp_path, "/a[1]/u[1]", "/a[1]/x[1]", "/a[1]/n[1]")
    assert reasons(bp.explain(truth, run, "1", "xCG@3")) == ["not assessed", "not assessed", "nothing relevant in it"]


def test_elements_that_are_too_small_and_those_left_out(tmp_path, files):
    small = """<assessments topic="1"><file name="d">
 <element path="/article[1]" exhaustivity="2" size="100" rsize="20"/>
 <element path="/article[1]/p[1]" exhaustivity="?" size="5" rsize="5"/>
 <element path="/article[1]/a[1]" exhaustivity="1" size="5" rsize="5"/>
</file></assessments>"""
    paths = files(truth_xml=small)
    run = element_file(tmp_path, "/article[1]/p[1]", "/article[1]/a[1]", "/article[1]/p[2]")
    told = reasons(bp.explain(paths["truth_xml"], run, "1", "xCG(quant='generalised')@3", ignore_elements="a"))
    assert told == [
        "too small to be worth anything by itself",
        "elements of this name are left out",
        "nothing relevant in it",
    ]


# --- targets past the end of their document --------------------------------------------------------------------------


def test_a_target_that_ends_after_its_document_is_cut(files, berrypick):
    """Target 5-200 in 100 characters: relevant 95, so I = 1 unit of 15, not 0."""
    paths = files(
        truth_jsonl='{"topic": "1", "doc": "d", "start": 5, "end": 200}\n',
        run_jsonl='{"topic": "1", "doc": "d", "start": 0, "end": 5}\n',
        lengths_tsv="d\t100\n",
    )
    truth, run, lengths = paths.values()
    given = ("evaluate", truth, run, "-m", "ESLRF(tolerance=15)", "--collection", lengths, "-o", "json")
    done = berrypick(*given)
    assert json.loads(done.out)[0]["value"] == 1.0
    assert "1 relevant span of the truth ended after the document, and cut there" in done.err
    truth.write_text('{"topic": "1", "doc": "d", "start": 100, "end": 200}\n')
    outside = berrypick(*given)
    assert outside.code == 2 and f"{truth}:1" in outside.err and "lies after the end" in outside.err


@pytest.mark.parametrize("which", ["truth", "run"])
def test_with_the_texts_at_hand_both_are_errors(which):
    spans = {"truth": [("d", 0, 3)], "run": [("d", 0, 3)], which: [("d", 2, 9)]}
    with pytest.raises(bp.InputError):
        bp.evaluate(worlds.span_truth({"1": spans["truth"]}), worlds.span_run({"1": spans["run"]}), "charP",
                    documents={"d": "abcde"})  # fmt: skip


# --- names and laws --------------------------------------------------------------------------------------------------


def test_gr_is_gain_recall(files, berrypick):
    """Documents worth 3, 6 and 2: 3/11 after the first, 9/11 after the second; with a reader who moves, expected."""
    paths = files(truth_qrels="1 0 a 3\n1 0 b 6\n1 0 c 2\n",
                  list_run="1 Q0 a 1 3 r\n1 Q0 b 2 2 r\n1 Q0 c 3 1 r\n", table_tsv="a\tb\t0.5\n")  # fmt: skip
    given = ("evaluate", paths["truth_qrels"], paths["list_run"], "-m", "gr@1 GainRecall@2 gr", "-o", "json")
    done = berrypick(*given, "--curves")
    rows = json.loads(done.out)
    assert [row["value"] for row in rows] == pytest.approx([3 / 11, 9 / 11, 1.0])
    assert rows[0]["curve"] == [[1, pytest.approx(3 / 11)], [2, pytest.approx(9 / 11)], [3, 1.0]]
    moving = json.loads(berrypick(*given, "--navigation", paths["table_tsv"], "--curves").out)
    assert [row["value"] for row in moving] == pytest.approx([(3 + 3) / 11, 9 / 11, 1.0])
    assert moving[0]["curve"][0] == [1, pytest.approx(6 / 11)]


def test_the_normal_law_above_ten_partly_seen_targets():
    """By its formula: P(F = s) = Phi((s + .5 - m)/d) - Phi((s - .5 - m)/d), on top of those surely seen."""
    p = np.linspace(0.05, 0.95, 12)
    seen = np.concatenate([p, [1.0, 0.0]])[None, :]
    unseen = np.concatenate([1 - p, [0.0, 1.0]])[None, :]
    mean, deviation = p.sum(), math.sqrt((p * (1 - p)).sum())

    def phi(x):
        return 0.5 * (1 + math.erf((x - mean) / deviation / math.sqrt(2)))

    expected = [0.0] + [phi(s + 0.5) - phi(s - 0.5) for s in range(13)] + [0.0]
    np.testing.assert_allclose(poisson_binomial.normal_law(seen, unseen)[0], expected, atol=1e-12)
    exact = poisson_binomial.plain_law(seen, unseen)
    assert 1e-4 < np.abs(poisson_binomial.normal_law(seen, unseen) - exact).max() < 0.1


def test_eprum_by_the_normal_law(files, berrypick):
    """E[A_r/ML_r] of one rank is P(F >= r); with 12 targets of reach .5, by the normal law."""
    count = 12
    paths = files(
        truth_qrels="".join(f"1 0 x{i} 1\n" for i in range(count)),
        list_run="1 Q0 a 1 1 r\n",
        table_tsv="".join(f"a\tx{i}\t0.5\n" for i in range(count)),
    )
    given = ("evaluate", paths["truth_qrels"], paths["list_run"], "--navigation", paths["table_tsv"], "-o", "json")
    done = berrypick(*given, "-m", "EPRUM(r=6,law='normal') EPRUM(r=6) EPRUM(rank=1,law='normal')")
    normal, exact, at_rank = (row["value"] for row in json.loads(done.out))

    def phi(x):
        return 0.5 * (1 + math.erf((x - 6) / math.sqrt(3) / math.sqrt(2)))

    assert normal == pytest.approx(6 * (1 - phi(5.5)))
    assert exact == pytest.approx(6 * sum(math.comb(12, f) for f in range(6, 13)) / 2**12)
    tails = [1.0, *(1 - phi(f - 0.5) for f in range(1, 13)), 0.0]  # what lies above 12 1/2 counts as 12
    assert at_rank == pytest.approx(sum(f * (tails[f] - tails[f + 1]) for f in range(1, 13)))
    shown = berrypick("explain", *given[1:3], "--topic", "1", *given[3:5], "-m", "EPRUM(r=6,law='normal')").out
    assert f"{1 - phi(5.5):.6f}" in shown and f"{tails[6] - tails[7]:.4f}" in shown


def test_a_normal_tail_keeps_its_upper_end():
    """A hub that leads to each of 12 targets with .9: P(F >= 1) = 1, P(F >= 12) = 1 - Phi(.7/1.0392)."""
    hub = [[0.9] * 12]
    found = bp.eprum(hub, law="normal")
    assert found[[0, 11]] == pytest.approx([1.0, 3.003], abs=5e-4)
    assert np.all(np.diff(found / np.arange(1, 13)) <= 0)
    sure = bp.eprum([[0.9] * 12 + [1.0, 1.0, 0.0]], law="normal") / np.arange(1, 16)
    np.testing.assert_allclose(sure[:2], 1.0)
    np.testing.assert_allclose(sure[2:14], found / np.arange(1, 13))
    assert sure[14] == 0.0


def test_up_to_ten_the_two_laws_are_one():
    reach = Reach.of([[0.3] * 10, [0.4] * 10])
    np.testing.assert_allclose(
        poisson_binomial.normal_law(reach.seen, reach.unseen), poisson_binomial.plain_law(reach.seen, reach.unseen)
    )
    assert twins.law([[0.3] * 3], 1)[0] == pytest.approx(0.343)
