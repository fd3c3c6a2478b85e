"""hyperlink follows the links of XML documents where no table of links is given."""

from __future__ import annotations

import pytest

import berrypick as bp
from berrypick.documents.xml import build_index

PAGES = {
    "start": '<page><link xref="guide"/><link xref="notes"/> <link xref="guide#twice"/></page>',
    "guide": '<page><a href="answer.page">here</a></page>',
    "notes": "<page>nothing</page>",
    "answer": "<page>the answer</page>",
}


@pytest.fixture(params=["folder", "index"])
def collection(request, tmp_path):
    folder = tmp_path / "pages"
    folder.mkdir()
    for name, content in PAGES.items():
        (folder / f"{name}.page").write_text(content)
    (folder / "broken.page").write_text("<page>")
    if request.param == "folder":
        return folder
    pytest.importorskip("pyarrow")
    build_index(str(folder), str(tmp_path / "pages.index"), jobs=1)
    return tmp_path / "pages.index"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("user", "value"),
    [
        ("hyperlink", 0.5),  # start has two links, one leads to the guide
        ("hyperlink(follow=0.5)", 0.25),
        ("hyperlink(steps=2)", 0.5),
    ],
)
def test_one_of_two_links(collection, files, user, value):
    given = files(truth_qrels="1 0 guide 1\n", mine_run="1 Q0 start 1 2 mine\n")
    results = bp.evaluate(given["truth_qrels"], given["mine_run"], "ExpectedRatio@1", user=user, collection=collection)
    assert results.mean()["mine"]["ExpectedRatio@1"] == pytest.approx(value)


def test_two_clicks_away(collection, files):
    given = files(truth_qrels="1 0 answer 1\n", mine_run="1 Q0 start 1 2 mine\n")
    found = {
        steps: bp.evaluate(given["truth_qrels"], given["mine_run"], "ExpectedRatio@1", collection=collection,
                           user=f"hyperlink(steps={steps})").mean()["mine"]["ExpectedRatio@1"]
        for steps in (1, 2, 0)
    }  # fmt: skip
    assert found == {1: 0, 2: pytest.approx(0.5), 0: pytest.approx(0.5)}


def test_a_table_goes_before_the_collection(collection, files):
    given = files(truth_qrels="1 0 answer 1\n", mine_run="1 Q0 start 1 2 mine\n", links_tsv="start\tanswer\n")
    results = bp.evaluate(given["truth_qrels"], given["mine_run"], "ExpectedRatio@1", user="hyperlink",
                          collection=collection, navigation=given["links_tsv"])  # fmt: skip
    assert results.mean()["mine"]["ExpectedRatio@1"] == 1
