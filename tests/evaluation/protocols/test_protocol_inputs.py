"""What the INEX papers and programs read: assessments, lengths, links, long runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import berrypick as bp

MICRO = Path(__file__).parent / "inex-micro"


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
    assert "BEPD, EPRUM(user='bep'): lengths are known for the 7 judged documents only" in judged.err
    assert "judged documents only" not in all_of_them.err


def test_a_mean_length_that_is_given_needs_no_source():
    results = bp.evaluate(MICRO / "micro.qrels", MICRO / "bic.run", ["BEPD(L=500)", "EPRUM(user='bep(L=500)')"])
    assert not any(row.signature.get("lengths") for row in results.mean_rows)


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
    given = ("evaluate", paths["truth_xml"], run, "-m", "nxCG@1", "--ignore-elements")
    assert "no judged element is called colectionlink" in berrypick(*given, "colectionlink").err
    for names in ("collectionlink", "*link", "article, collectionlink"):
        assert "no judged element is called" not in berrypick(*given, names).err


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


def reasons(explanation):
    table = next(part for part in explanation.parts if not isinstance(part, str) and part.header[-1] == "because")
    return [row[-1] for row in table.rows]


def test_elements_that_nobody_assessed(figure_6, tmp_path):
    truth, _ = figure_6
    truth.write_text(truth.read_text().replace("</file>", '<path path="/a[1]/u[1]" exhaustiveness="U" specificity="U"/>'
                     '<path path="/a[1]/n[1]" exhaustiveness="0" specificity="0"/></file>'))  # fmt: skip
    run = element_file(tmp_path, "/a[1]/u[1]", "/a[1]/x[1]", "/a[1]/n[1]")
    assert reasons(bp.explain(truth, run, "xCG@3", "1")) == ["not assessed", "not assessed", "nothing relevant in it"]


def test_elements_that_are_too_small_and_those_left_out(tmp_path, files):
    small = """<assessments topic="1"><file name="d">
 <element path="/article[1]" exhaustivity="2" size="100" rsize="20"/>
 <element path="/article[1]/p[1]" exhaustivity="?" size="5" rsize="5"/>
 <element path="/article[1]/a[1]" exhaustivity="1" size="5" rsize="5"/>
</file></assessments>"""
    paths = files(truth_xml=small)
    run = element_file(tmp_path, "/article[1]/p[1]", "/article[1]/a[1]", "/article[1]/p[2]")
    told = reasons(bp.explain(paths["truth_xml"], run, "xCG(quant='generalised')@3", "1", ignore_elements="a"))
    assert told == [
        "too small to be worth anything by itself",
        "elements of this name are skipped",
        "nothing relevant in it",
    ]
