"""The page to judge boxes on, in a real browser: mouse, finger, keyboard, and the truth that it saves."""

from __future__ import annotations

import json

import numpy as np
import pytest
from report_pages import HOSTILE

import berrypick as bp
from berrypick.data.errors import InputError, UsageError
from berrypick.documents.pages.page_pictures import _png

SIZE = [600, 800]


def task(page, *boxes, topic="q", doc="report.pdf", size=SIZE, **more):
    return {
        "topic": topic,
        "doc": doc,
        "page": page,
        "boxes": list(boxes),
        **({"page_size": size} if size else {}),
        **more,
    }


@pytest.fixture
def made(tmp_path, berrypick):
    """A page to judge on from lines of tasks."""

    def write(*tasks, **pages):
        (tmp_path / "tasks.jsonl").write_text("".join(json.dumps(one) + "\n" for one in tasks), encoding="utf-8")
        words = ["--pages", pages["pages"]] if pages else []
        done = berrypick("annotate", tmp_path / "tasks.jsonl", "--html", tmp_path / "judge.html", *words)
        assert done.code == 0, done.err
        return tmp_path / "judge.html", done.err

    return write


TWO = (task(3, [60, 80, 300, 160], [60, 400, 300, 480], question="Where is the table?"), task(4, [0, 0, 600, 800]))


def saved(page, target):
    with page.expect_download() as download:
        page.keyboard.press("s")
    download.value.save_as(target)
    return [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()]


def opened(watched):
    watched.page.wait_for_selector("body[data-ready=yes]")
    return watched.page


def test_boxes_by_keyboard_are_a_truth(watch, made, tmp_path):
    page = opened(watch(made(*TWO)[0]))
    assert page.locator("#question").inner_text() == "Where is the table?"
    assert page.locator("#where").inner_text() == "q: report.pdf, page 3"
    assert page.locator(".box.region").count() == 2 and page.locator(".box.current").count() == 1
    page.keyboard.press("r")
    assert page.locator(".box.relevant").count() == 1 and page.locator("body").get_attribute("data-at") == "1"
    page.keyboard.press("i")
    assert (
        page.locator("#where").inner_text() == "report.pdf, page 4" or "page 4" in page.locator("#where").inner_text()
    )
    page.keyboard.press("p")
    page.keyboard.press("b")  # a box of one's own, moved to the upper left corner, then made larger
    for _ in range(100):
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowUp")
    wide = page.evaluate("document.querySelector('.drawn').style.width")
    page.keyboard.press("-")
    for _ in range(4):
        page.keyboard.press("Shift+ArrowRight")
    assert float(page.evaluate("parseFloat(document.querySelector('.drawn').style.width)")) == pytest.approx(
        float(wide.rstrip("%")) + 2
    )
    page.keyboard.press("r")
    lines = saved(page, tmp_path / "truth.jsonl")
    assert lines == [
        {"topic": "q", "doc": "report.pdf", "page": 3, "page_size": SIZE, "box": [60, 80, 300, 160], "grade": 1},
        {"topic": "q", "doc": "report.pdf", "page": 3, "page_size": SIZE, "box": [60, 400, 300, 480], "grade": 0},
        {"topic": "q", "doc": "report.pdf", "page": 3, "page_size": SIZE, "box": [0, 0, 252, 96], "grade": 1},
    ]
    run = [{"topic": "q", "doc": "report.pdf", "page": 3, "box": [0, 0, 300, 400], "page_size": SIZE}]
    relevant = 252 * 96 + 240 * 80 - 192 * 16  # the two boxes, and what they have in common
    found = {name: bp.score(name, tmp_path / "truth.jsonl", run) for name in ("charR", "charP")}
    assert found == pytest.approx({"charR": 1.0, "charP": relevant / 120_000}, rel=1e-12)


def at(page, x, y):
    """A point of the sheet, in units of the page, on the screen."""
    bounds = page.locator(".sheet").bounding_box()
    return bounds["x"] + bounds["width"] * x / SIZE[0], bounds["y"] + bounds["height"] * y / SIZE[1]


def drag(page, start, end):
    page.mouse.move(*at(page, *start))
    page.mouse.down()
    page.mouse.move(*at(page, *[(a + b) / 2 for a, b in zip(start, end, strict=True)]))
    page.mouse.move(*at(page, *end))
    page.mouse.up()


def test_boxes_by_mouse(watch, made, tmp_path):
    page = opened(watch(made(*TWO)[0], viewport={"width": 1280, "height": 1500}))
    drag(page, (400, 700), (520, 600))  # from the lower left to the upper right
    page.keyboard.press("r")
    (line,) = saved(page, tmp_path / "a.jsonl")
    assert line["box"] == pytest.approx([400, 600, 520, 700], abs=1.5) and line["grade"] == 1
    page.mouse.click(*at(page, 460, 650))  # chosen, changed: moved, and a corner drawn out
    page.keyboard.press("e")
    drag(page, (460, 650), (360, 550))
    drag(page, (420, 600), (500, 650))
    page.click("#irrelevant")
    (line,) = saved(page, tmp_path / "b.jsonl")
    assert line["box"] == pytest.approx([300, 500, 500, 650], abs=3) and line["grade"] == 0
    page.keyboard.press("z")
    (line,) = saved(page, tmp_path / "c.jsonl")
    assert line["box"] == pytest.approx([400, 600, 520, 700], abs=1.5) and line["grade"] == 1
    page.mouse.click(*at(page, 100, 440))  # the second box to judge
    assert page.locator("body").get_attribute("data-at") == "1"
    drag(page, (590, 790), (900, 2000))  # beyond the page: cut there
    page.keyboard.press("Escape")
    assert page.locator(".drawn").count() == 0
    drag(page, (500, 700), (900, 1300))
    page.keyboard.press("i")
    assert saved(page, tmp_path / "d.jsonl")[-1]["box"][2:] == SIZE


def test_a_page_judged_as_a_whole_and_a_reload(watch, made, tmp_path):
    page = opened(watch(made(*TWO)[0]))
    page.keyboard.press("r")
    page.keyboard.press("w")
    assert page.locator("#progress").inner_text() == "2 of 3 boxes judged"
    page.reload()
    page.wait_for_selector("body[data-ready=yes]")
    assert page.locator("#progress").inner_text() == "2 of 3 boxes judged"
    assert "page 4" in page.locator("#where").inner_text()  # the first one that is not judged
    page.fill("#annotator", "Ana")
    page.keyboard.press("Enter")
    lines = saved(page, tmp_path / "truth.jsonl")
    assert lines[1] == {"topic": "q", "doc": "report.pdf", "page": 3, "page_size": SIZE, "grade": 0, "annotator": "Ana"}
    run = [{"topic": "q", "doc": "report.pdf", "page": 3, "page_size": SIZE}]
    assert bp.score("charP", tmp_path / "truth.jsonl", run) == pytest.approx(240 * 80 / 480_000, rel=1e-12)
    assert len(bp.pool(run, truth=tmp_path / "truth.jsonl")) == 0


def test_a_box_is_judged_where_marks_hold_all_of_it(watch, made):
    page = opened(watch(made(task(1, [100, 100, 300, 300]))[0], viewport={"width": 1280, "height": 1500}))
    drag(page, (50, 50), (200, 400))
    page.keyboard.press("r")
    assert page.locator("body").get_attribute("data-done") == "0"
    drag(page, (190, 50), (400, 400))
    page.keyboard.press("i")
    assert page.locator("body").get_attribute("data-done") == "1"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_phones_pictures_and_fingers(chromium, made, tmp_path, scheme):
    folder = tmp_path / "pictures" / "report"
    folder.mkdir(parents=True)
    (folder / "3.png").write_bytes(_png(np.full((80, 60, 3), 250, dtype=np.uint8)))
    (folder / "4.png").write_bytes(b"<svg onload='window.hurt = 1'/>")
    html, said = made(*TWO, pages=tmp_path / "pictures")
    assert "4.png is neither PNG nor JPEG" in said
    context = chromium.new_context(
        viewport={"width": 380, "height": 800}, has_touch=True, color_scheme=scheme, accept_downloads=True
    )
    try:
        page = context.new_page()
        asked = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(html.resolve().as_uri())
        page.wait_for_selector("body[data-ready=yes]")
        assert page.eval_on_selector(".sheet img", "image => image.decode().then(() => image.naturalWidth)") == 60
        assert page.evaluate("document.documentElement.scrollWidth") <= 380
        page.tap("#fresh")
        before = page.locator(".drawn").bounding_box()
        page.evaluate(
            """() => { const corner = document.querySelectorAll('.corner')[3];
              const at = corner.getBoundingClientRect();
              const fire = (kind, x, y, on) => on.dispatchEvent(new PointerEvent(kind, {pointerType: 'touch', button: 0,
                bubbles: true, cancelable: true, clientX: x, clientY: y}));
              const [x, y] = [at.left + at.width / 2, at.top + at.height / 2];
              fire('pointerdown', x, y, corner); fire('pointermove', x + 30, y + 40, window);
              fire('pointerup', x + 30, y + 40, window); }"""
        )
        after = page.locator(".drawn").bounding_box()
        assert after["width"] == pytest.approx(before["width"] + 30, abs=1)
        assert after["height"] == pytest.approx(before["height"] + 40, abs=1)
        page.tap("#relevant")
        assert page.locator(".box.relevant.own").count() == 1
        assert page.evaluate("window.hurt") is None
        assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
    finally:
        context.close()


def test_shares_and_units_of_the_file(watch, made, tmp_path):
    page = opened(watch(made(task(1, [0.1, 0.1, 0.5, 0.2], size=None), {"topic": "q", "doc": "b", "page": 2})[0]))
    page.keyboard.press("r")
    page.keyboard.press("r")
    assert saved(page, tmp_path / "a.jsonl") == [
        {"topic": "q", "doc": "report.pdf", "page": 1, "box": [0.1, 0.1, 0.5, 0.2], "grade": 1},
        {"topic": "q", "doc": "b", "page": 2, "box": [0, 0, 1, 1], "grade": 1},
    ]
    html, said = made(task(1, [10, 10, 50, 20], size=None), pages=tmp_path)
    assert "page_size is needed to place boxes" in said
    page = opened(watch(html))
    assert page.locator("#whole").is_disabled()


def test_tasks_of_two_kinds_or_two_units_are_refused(tmp_path):
    text = {"topic": "q", "doc": "d", "text": "abc"}

    def refused(kind, *tasks, **more):
        (tmp_path / "t.jsonl").write_text("".join(json.dumps(one) + "\n" for one in tasks))
        with pytest.raises(kind) as error:
            bp.annotate(tmp_path / "t.jsonl", html=tmp_path / "x.html", **more)
        assert not (tmp_path / "x.html").exists()
        return str(error.value)

    assert "write a page for each kind" in refused(UsageError, text, TWO[0])
    assert "page 1 of report.pdf has no page_size" in refused(UsageError, TWO[0], task(1, [0, 0, 5, 5], size=None))
    whole = {"topic": "q", "doc": "b", "page": 2}
    assert "no known size" in refused(UsageError, task(1, [0, 0, 5, 5], size=None), whole)
    assert "tasks are of text" in refused(UsageError, text, pages=tmp_path)
    assert "is not a folder" in refused(InputError, TWO[0], pages=tmp_path / "gone")


def test_hostile_names(watch, made):
    names = [name for name in HOSTILE if "\x00" not in name and "\ud800" not in name]
    page = opened(watch(made(*(task(1, [1, 1, 9, 9], topic=name, doc=name, question=name) for name in names))[0]))
    for _ in names:
        page.keyboard.press("i")
    assert page.evaluate("window.hurt") is None
    assert page.locator("body").get_attribute("data-done") == str(len(names))


def test_the_tab_key_takes_boxes_in_order_and_small_ones_are_on_top(watch, made):
    boxes = [[60, 80, 120, 100], [50, 70, 300, 160], [60, 400, 300, 480]]
    page = opened(watch(made(task(1, *boxes, question="Where is it?"))[0]))
    taken = []
    for _ in boxes:
        page.keyboard.press("Tab")
        taken.append(page.evaluate("JSON.parse(document.activeElement.dataset.box)"))
    assert taken == boxes
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "relevant"
    x, y = at(page, 90, 90)
    assert page.evaluate("([x, y]) => document.elementFromPoint(x, y).dataset.box", [x, y]) == "[60,80,120,100]"
    assert "--pages FOLDER" in page.locator(".hint").inner_text()
    assert page.title() == "Where is it? - Judge"


def test_judging_skips_no_box_of_a_page_that_is_judged_as_a_whole(watch, made):
    page = opened(watch(made(*TWO)[0]))
    page.keyboard.press("w")
    page.keyboard.press("r")
    assert page.locator("body").get_attribute("data-at") == "1"
