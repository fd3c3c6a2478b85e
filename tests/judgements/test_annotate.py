"""The page to judge on, in a real browser: keys, marks, a crash of the tab, and the truth that it saves."""

from __future__ import annotations

import json
import random
from contextlib import suppress

import pytest

import berrypick as bp

WORDS = ["ענבים", "קציר", "סתיו", "ענף", "שורש", "מים", "גן", "🍇", "עלה", "פרי"]


@pytest.fixture
def judged(chromium, tmp_path):
    """Open a page again and again in one browser profile, as a person does."""
    context = chromium.new_context(accept_downloads=True, viewport={"width": 1000, "height": 800})
    complaints: list[str] = []

    def open_page(path):
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: complaints.append(request.url)
                if not request.url.startswith(("file:", "blob:", "chrome:")) else None)  # fmt: skip
        page.goto(path.resolve().as_uri())
        page.wait_for_selector("body[data-ready=yes]")
        return page

    yield open_page
    context.close()
    assert complaints == []


def saved(page, target):
    with page.expect_download() as download:
        page.keyboard.press("s")
    download.value.save_as(target)
    return target


def test_two_hundred_regions_of_a_long_text_by_keyboard(judged, tmp_path, berrypick):
    rng = random.Random(3)
    words: list[str] = []
    size = 0
    while size < 1_000_000:
        words.append(rng.choice(WORDS) + ("\n" if rng.random() < 0.02 else ""))
        size += len(words[-1]) + 1
    text = " ".join(words)
    assert len(text.encode()) > 1_000_000
    starts = sorted(rng.sample(range(100, len(text) - 1000, 200), 200))
    run = {"q": [{"doc": "גן", "start": at, "end": at + rng.randrange(20, 150)} for at in starts]}
    pool = bp.pool(run, {"גן": text}, depth=1000, context=len(text), titles={"q": "מתי קוטפים ענבים?"})
    assert len(pool) == 1 and len(pool.tasks[0].regions) == 200
    pool.write(tmp_path / "tasks.jsonl")
    html = tmp_path / "judge.html"
    assert berrypick("annotate", tmp_path / "tasks.jsonl", "--html", html).code == 0
    page = judged(html)
    assert page.locator("#question").inner_text() == "מתי קוטפים ענבים?"
    assert page.locator(".block").first.evaluate("one => getComputedStyle(one).direction") == "rtl"
    grades = [rng.randrange(2) for _ in range(200)]
    for grade in grades[:120]:
        page.keyboard.press("r" if grade else "i")
    assert page.locator("body").get_attribute("data-done") == "120"
    crash(page)
    page = judged(html)
    assert page.locator("body").get_attribute("data-done") == "120"
    assert page.locator("body").get_attribute("data-at") == "120"  # the first one that is not judged
    for grade in grades[120:]:
        page.keyboard.press("r" if grade else "i")
    assert page.locator("#progress").inner_text() == "200 of 200 regions judged"
    page.reload()
    page.wait_for_selector("body[data-ready=yes]")
    truth = saved(page, tmp_path / "truth.jsonl")
    read = bp.read_truth(truth).topics["q"]
    regions = pool.tasks[0].regions
    assert list(zip(read.start.tolist(), read.end.tolist(), strict=True)) == list(regions)
    assert read.grade.tolist() == grades
    (tmp_path / "run.jsonl").write_text(
        "".join(json.dumps({"topic": "q", **one}) + "\n" for one in run["q"]), encoding="utf-8"
    )
    done = berrypick("evaluate", truth, tmp_path / "run.jsonl", "-m", "charP charJudged", "-o", "json")
    values = {row["measure"]: row["value"] for row in json.loads(done.out)}
    relevant = sum(b - a for (a, b), grade in zip(regions, grades, strict=True) if grade)
    assert values == {"charP": pytest.approx(relevant / pool.characters), "charJudged": 1.0}


def crash(page):
    """Kill the process of the tab: nothing of the page runs any more."""
    with page.expect_event("crash", timeout=20_000), suppress(Exception):
        page.goto("chrome://crash", timeout=5_000)
    page.close()


def small(tmp_path):
    text = "One 🍇 two three four five six seven."
    pool = bp.pool({"q": [{"doc": "d", "start": 0, "end": 9}, {"doc": "d", "start": 10, "end": 20}]}, {"d": text})
    bp.annotate(pool, html=tmp_path / "judge.html")
    return text, tmp_path / "judge.html"


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_characters_can_be_marked_and_marks_taken_back(judged, tmp_path):
    text, html = small(tmp_path)
    page = judged(html)
    select = """([from, to]) => {
      const nodes = [...document.querySelectorAll('[data-start]')];
      const at = (x) => {
        const node = nodes.filter((one) => Number(one.dataset.start) <= x).pop();
        return [node.firstChild, x - Number(node.dataset.start)];
      };
      document.getSelection().setBaseAndExtent(...at(from), ...at(to)); }"""
    start = text.index("two")
    page.evaluate(select, [start + 1, start + 1 + len("two three")])  # UTF-16 units: one more for the grapes
    page.click("#relevant")
    expected = {"topic": "q", "doc": "d", "start": start, "end": start + 9, "grade": 1, "offsets": "chars"}
    assert lines(saved(page, tmp_path / "a.jsonl")) == [expected]
    page.evaluate(select, [start + 1, start + 1 + len("two")])
    page.keyboard.press("i")
    found = lines(saved(page, tmp_path / "b.jsonl"))
    assert [(one["start"], one["end"], one["grade"]) for one in found] == [
        (start, start + 3, 0),
        (start + 3, start + 9, 1),
    ]
    page.keyboard.press("z")
    assert lines(saved(page, tmp_path / "c.jsonl")) == [expected]
    page.keyboard.press("z")
    page.keyboard.press("s")
    assert page.locator("#said").inner_text() == "Nothing is judged yet."


def test_the_whole_text_can_be_judged_and_keys_move(judged, tmp_path):
    text, html = small(tmp_path)
    page = judged(html)
    page.keyboard.press("n")
    assert page.locator("body").get_attribute("data-at") == "1"
    page.keyboard.press("ArrowLeft")
    assert page.locator("body").get_attribute("data-at") == "0"
    page.keyboard.press("r")
    page.keyboard.press("w")
    truth = saved(page, tmp_path / "truth.jsonl")
    assert {(one["start"], one["end"], one["grade"]) for one in lines(truth)} == {(0, 9, 1), (0, len(text), 0)}
    assert bp.score("charJudged", truth, {"q": {f"d#0-{len(text)}": 1}}) == 1.0


def test_markup_in_tasks_is_text(judged, tmp_path):
    text = "</script><script>alert(1)</script><b>bold</b> & more words here"
    pool = bp.pool({"</h1>": [{"doc": "<i>", "start": 0, "end": 20}]}, {"<i>": text})
    bp.annotate(pool, html=tmp_path / "judge.html")
    page = judged(tmp_path / "judge.html")
    assert page.locator("#text").inner_text().strip() == text
    assert page.locator("#question").inner_text() == "</h1>"


def test_the_truth_says_who_judged(judged, tmp_path, berrypick):
    """Two people judge the same tasks; their files together are a truth of two annotators."""
    text = "One 🍇 two three four five six seven."
    pool = bp.pool({"q": [{"doc": "d", "start": 0, "end": 9}, {"doc": "d", "start": 10, "end": 20}]}, {"d": text})
    pool.write(tmp_path / "tasks.jsonl")
    html = tmp_path / "judge.html"
    assert berrypick("annotate", tmp_path / "tasks.jsonl", "--html", html, "--annotator", "Ana </script> ש").code == 0
    page = judged(html)
    assert page.get_by_label("Annotator").input_value() == "Ana </script> ש"
    page.keyboard.press("r")
    page.keyboard.press("i")
    ana = saved(page, tmp_path / "ana.jsonl")
    assert [(one["grade"], one["annotator"]) for one in lines(ana)] == [(1, "Ana </script> ש"), (0, "Ana </script> ש")]
    page.fill("#annotator", "")
    page.focus("#annotator")
    page.keyboard.type("ris")  # letters of a name are no keys
    page.reload()
    page.wait_for_selector("body[data-ready=yes]")
    assert page.get_by_label("Annotator").input_value() == "ris"
    page.keyboard.press("p")
    page.keyboard.press("i")
    other = saved(page, tmp_path / "other.jsonl")
    assert [(one["grade"], one["annotator"]) for one in lines(other)] == [(0, "ris"), (0, "ris")]
    both = tmp_path / "both.jsonl"
    both.write_bytes(ana.read_bytes() + other.read_bytes())
    said = berrypick("agreement", both).out
    assert "over 19 characters" in said and "(Ana </script> ש, ris)" in said
    run = {"q": {"d#0-9": 1}}
    assert bp.score("charP", both, run) == 1.0
    assert bp.score("charP", both, run, annotators="intersection") is None


def four(tmp_path):
    text = "One two. Three four. Five six. Seven eight."
    places = [(0, 8), (9, 20), (21, 30), (31, 43)]
    pool = bp.pool({"q": [{"doc": "d", "start": a, "end": b} for a, b in places]}, {"d": text})
    bp.annotate(pool, html=tmp_path / "judge.html")
    return tmp_path / "judge.html"


def place_of(page):
    return page.locator("body").get_attribute("data-at")


def test_judging_skips_no_region_of_a_text_that_is_judged_as_a_whole(judged, tmp_path):
    page = judged(four(tmp_path))
    page.keyboard.press("w")
    for place in "0123":
        assert place_of(page) == place
        page.keyboard.press("r")
    assert place_of(page) == "3" and page.locator("#said").inner_text() == "Everything is judged. Save the file."
    assert [one["grade"] for one in lines(saved(page, tmp_path / "truth.jsonl"))] == [1, 1, 1, 1, 0]


def test_after_a_correction_the_next_region_follows(judged, tmp_path):
    page = judged(four(tmp_path))
    for key in "rrr":
        page.keyboard.press(key)
    page.keyboard.press("p")
    page.keyboard.press("p")
    assert place_of(page) == "1"
    page.keyboard.press("i")
    assert place_of(page) == "2", "not the next one without a mark"


def test_the_page_says_that_other_text_can_be_judged(judged, tmp_path):
    page = judged(four(tmp_path))
    assert "select any other text" in page.locator(".hint").inner_text()
    assert page.title() == "q - Judge"
