"""The document view of places on pages in a real browser, against the numbers of the library; hostile pictures."""

from __future__ import annotations

import json
import struct
import zlib

import numpy as np
import pytest
from report_pages import HOSTILE, Page

import berrypick as bp
from berrypick.documents.pages.page_pictures import MOST_PIXELS, PagePictures, Picture, _png, picture_of
from berrypick.report.html.html_report import write_report

SIZE = [612, 792]


def png(width=612, height=792):
    return _png(np.full((height, width, 3), 250, dtype=np.uint8))


def made(rng, many, **more):
    rows = []
    for _ in range(many):
        corner = rng.integers(0, 500, 2)
        box = [int(x) for x in (*corner, *(corner + rng.integers(10, 110, 2)))]
        rows.append(
            {"topic": "q", "doc": "a.pdf", "page": int(rng.integers(1, 4)), "box": box, "page_size": SIZE, **more}
        )
    return rows


@pytest.fixture(scope="module")
def campaign(tmp_path_factory):
    """Truth, two runs, and a folder with the pictures of two of three pages."""
    folder, rng = tmp_path_factory.mktemp("pages"), np.random.default_rng(7)
    truth = [*made(rng, 5, grade=1), {**made(rng, 1)[0], "grade": 0}]
    runs = {name: [{**row, "rank": i + 1} for i, row in enumerate(made(rng, 12))] for name in ("one", "two")}
    runs["one"][3] = {**truth[0], "rank": 4}
    runs["one"][3].pop("grade")
    runs["two"][0] = {"topic": "q", "doc": "b", "page": 9, "page_size": SIZE, "rank": 1}
    for name, rows in {"truth": truth, **runs}.items():
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    pictures = folder / "pictures" / "a"
    pictures.mkdir(parents=True)
    (pictures / "1.png").write_bytes(png())
    (pictures / "2.png").write_text("<svg xmlns='http://www.w3.org/2000/svg' onload='window.hurt = 1'/>")
    return folder


@pytest.fixture(scope="module")
def report(campaign):
    pytest.importorskip("vl_convert")
    files = [campaign / f"{name}.jsonl" for name in ("truth", "one", "two")]
    path = campaign / "report.html"
    told = write_report(files[0], files[1:], "charR charP charR@5", html=path, pages=campaign / "pictures")
    return path, told, bp.evaluate(files[0], files[1:], "charR charP charR@5 Overlap").mean()


def documents(watched, **state):
    page = watched.go(view="documents", topic=0, **state)
    page.wait_for_selector('#view-documents[data-shown="0"]')
    return page


def amounts(page, run):
    return {
        kind: float(page.locator(f'td[data-class="{kind}"][data-run="{run}"]').get_attribute("data-amount"))
        for kind in ("found", "missed", "noise", "again", "unjudged")
    }


@pytest.mark.slow
def test_amounts_are_those_of_the_library(watch, report):
    path, _, means = report
    watched = watch(path)
    for run, name in enumerate(("one", "two")):
        page = documents(watched, run=run, versus=1 - run)
        page.wait_for_selector(f'table.amounts[data-cut="all"] td[data-run="{run}"]')
        shown = amounts(page, run)
        assert shown["found"] / (shown["found"] + shown["missed"]) == pytest.approx(means[name]["charR"], rel=1e-9)
        retrieved = shown["found"] + shown["noise"] + shown["unjudged"]
        assert shown["found"] / retrieved == pytest.approx(means[name]["charP"], rel=1e-9)
        assert shown["unjudged"] > 0
        page = documents(watched, run=run, rank=5)
        page.wait_for_selector(f'table.amounts[data-cut="5"] td[data-run="{run}"]')
        shown = amounts(page, run)
        assert shown["found"] / (shown["found"] + shown["missed"]) == pytest.approx(means[name]["charR@5"], rel=1e-9)
        watched.go(rank=None)


def test_data_have_the_same_numbers(report):
    path, told, means = report
    topic = Page(path).topic("q")
    for run, name in zip(topic["runs"], ("one", "two"), strict=True):
        seen = run["seen"]
        assert seen["relevant"] / seen["total"] == pytest.approx(means[name]["charR"], rel=1e-12)
        assert seen["relevant"] / seen["retrieved"] == pytest.approx(means[name]["charP"], rel=1e-12)
        assert all(row[7] <= row[6] + 1e-12 for row in run["results"])  # new and relevant, relevant
    assert any("a/2.png is neither PNG nor JPEG" in str(what) for what in told.omitted)
    assert any("outlines are shown" in str(what) for what in told.omitted)


def test_pages_pictures_and_keys(watch, report):
    page = documents(watch(report[0]), run=0, versus=1, both=0, document=0)
    page.wait_for_selector(".pages-pane .page-sheet.with-picture img")
    assert (
        page.eval_on_selector(".page-sheet.with-picture img", "image => image.decode().then(() => image.naturalWidth)")
        == 612
    )
    assert page.locator(".pages-pane .page-figure").count() == 3
    assert page.locator(".pages-pane .page-sheet:not(.with-picture)").count() == 2  # outlines
    assert page.locator(".pages-pane .box-relevant").count() == 5
    assert (
        page.locator('.pages-pane .strip-badge[data-ranks="4"], .pages-pane .strip-badge[data-ranks^="4 "]').count()
        <= 1
    )
    pane = page.locator(".pages-pane")
    pane.focus()
    places = []
    for key in ("n", "n", "N", "P"):
        page.keyboard.press(key)
        places.append(float(pane.get_attribute("data-at")))
    assert len(set(places)) > 2 and page.locator(".box-here").count() >= 1
    page.locator(".page-thumb").last.click()
    assert page.evaluate("window.hurt") is None


@pytest.mark.parametrize(("width", "scheme"), [(380, "light"), (380, "dark"), (1280, "dark")])
def test_phones_and_dark(watch, report, width, scheme):
    watched = watch(report[0], viewport={"width": width, "height": 800}, color_scheme=scheme)
    page = documents(watched, run=0, document=0)
    page.wait_for_selector(".pages-pane .page-boxes")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for view in ("reader", "context"):
        watched.go(view=view, topic=0)
        page.wait_for_selector(f'#view-{view}[data-shown="0"]')
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_hostile_names_and_no_pictures(watch, tmp_path):
    pytest.importorskip("vl_convert")
    rows = [
        {"topic": name, "doc": name, "page": 1, "box": [1, 1, 9, 9], "grade": 1}
        for name in HOSTILE
        if "\x00" not in name and "\ud800" not in name
    ]
    runs = [{**row, "rank": 1} for row in rows]
    for row in runs:
        del row["grade"]
    (tmp_path / "none").mkdir()
    made = write_report(rows, runs, "charR", html=tmp_path / "x.html", pages=tmp_path / "none")
    assert made.topics == len(rows)
    page = documents(watch(tmp_path / "x.html"))
    page.wait_for_selector(".pages-pane .page-boxes")
    assert page.evaluate("window.hurt") is None


# --- pictures ---------------------------------------------------------------------------------------------------------


def jpeg(width, height, before=b""):
    frame = b"\xff\xc0" + struct.pack(">HBHHB", 11, 8, height, width, 1) + b"\x01\x11\x00"
    return b"\xff\xd8\xff\xe0\x00\x04ab" + before + frame + b"\xff\xda\x00\x02"


def bomb(width, height):
    head = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + head + struct.pack(">I", zlib.crc32(head))


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>", "neither"),
        (b"GIF89a", "neither"),
        (b"", "neither"),
        (b"\x89PNG\r\n\x1a\n", "broken"),
        (bomb(0, 5), "broken"),
        (bomb(2**31 - 1, 2**31 - 1), "pixels"),
        (bomb(MOST_PIXELS + 1, 1), "pixels"),
        (jpeg(65535, 65535), "pixels"),
        (jpeg(65535, 65535, before=jpeg(10, 10)[8:-4]), "pixels"),  # a small header before the large one
        (b"\xff\xd8\xff\xe0\x00\x00" * 5, "broken"),
    ],
)
def test_hostile_pictures_are_refused(content, why):
    assert why in picture_of(content)


def test_pictures_by_their_first_bytes():
    assert picture_of(png(3, 2)) == Picture("png", 3, 2, png(3, 2))
    found = picture_of(jpeg(30, 20))
    assert (found.kind, found.width, found.height) == ("jpeg", 30, 20)
    assert found.to_json()["picture"].startswith("data:image/jpeg;base64,")


def test_names_and_links_do_not_lead_out_of_the_folder(tmp_path):
    inside = tmp_path / "pictures"
    (inside / "a").mkdir(parents=True)
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "1.png").write_bytes(png(3, 2))
    (inside / "a" / "1.png").symlink_to(tmp_path / "b" / "1.png")
    pictures = PagePictures.of(inside)
    assert [pictures.get(name, 0) for name in ("../b", "a", "nul\x00", "w" * 5000, str(tmp_path / "b"))] == [None] * 5


def test_large_files_are_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr("berrypick.documents.pages.page_pictures.MOST_BYTES", 10)
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "1.png").write_bytes(png(3, 2))
    pictures = PagePictures.of(tmp_path)
    assert pictures.get("a", 0) is None and "more than" in pictures.refused[0]


def test_folder_must_be_there(tmp_path, berrypick, campaign):
    files = [str(campaign / f"{name}.jsonl") for name in ("truth", "one")]
    done = berrypick("report", *files, "-o", str(tmp_path / "x.html"), "--pages", str(tmp_path / "gone"), "-m", "charR")
    assert done.code == 2 and "is not a folder" in done.err and not (tmp_path / "x.html").exists()


PDF = b"""%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]/Contents 4 0 R>>endobj
4 0 obj<</Length 20>>stream
0 0 100 100 re f
endstream endobj
trailer<</Root 1 0 R>>
"""


def test_pages_of_a_pdf(tmp_path):
    pytest.importorskip("pypdfium2", reason="the extra berrypick[pages] is not installed")
    (tmp_path / "a.pdf").write_bytes(PDF)
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.4 nothing")
    pictures = PagePictures.of(tmp_path)
    for name in ("a", "a.pdf"):
        found = pictures.get(name, 0)
        assert (found.kind, found.width, found.height) == ("png", 900, 450)
        lines = np.frombuffer(zlib.decompress(found.content[41:-16]), dtype=np.uint8).reshape(450, -1)
        pixels = np.cumsum(lines[:, 1:].astype(np.int64), axis=0) % 256
        assert pixels[200, 300] < 10 and pixels[200, 2400] > 250  # black to the left, white to the right
    assert pictures.get("a", 5) is None and pictures.get("broken", 0) is None
    assert "has no page 6" in pictures.refused[0] and "cannot be shown" in pictures.refused[1]


def test_no_picture_where_nothing_says_where_boxes_lie_on_it(watch, tmp_path):
    pytest.importorskip("vl_convert")
    (tmp_path / "pictures" / "a").mkdir(parents=True)
    (tmp_path / "pictures" / "a" / "1.png").write_bytes(png())
    rows = [{"topic": "q", "doc": "a", "page": 1, "box": [10, 10, 90, 90]}]
    told = write_report([{**rows[0], "grade": 1}], rows, "charR", html=tmp_path / "x.html", pages=tmp_path / "pictures")
    assert any("page_size is needed to place boxes" in str(what) for what in told.omitted)
    page = documents(watch(tmp_path / "x.html"), run=0, document=0)
    page.wait_for_selector(".pages-pane .page-boxes")
    assert page.locator(".pages-pane .page-sheet.with-picture").count() == 0
