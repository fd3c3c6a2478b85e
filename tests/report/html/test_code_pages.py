"""The document view of a report whose places count lines: code with its line numbers."""

import pytest

import berrypick as bp

CODE = "".join(f"x{n} = {n}\n" for n in range(1, 131))
TRUTH = [{"topic": "1", "doc": "a.py", "start_line": 61, "end_line": 64}]
NUMBERS = "all => all.map((one) => one.dataset.line)"
RUN = [{"topic": "1", "doc": "a.py", "start_line": 58, "end_line": 62, "rank": 1}]


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    pytest.importorskip("vl_convert")
    path = tmp_path_factory.mktemp("code") / "page.html"
    bp.write_report(TRUTH, RUN, "charR", html=path, documents={"a.py": CODE})
    return path


@pytest.mark.slow
def test_numbers_stand_beside_the_lines(watch, report):
    page = watch(report).go(view="documents", topic=0)
    page.wait_for_selector('#view-documents[data-shown="0"]')
    page.wait_for_selector('.code-line[data-line="61"]')
    kinds = ("found", "missed", "noise")
    marked = {kind: page.eval_on_selector_all(f"mark.text-{kind} .code-line", NUMBERS) for kind in kinds}
    assert marked == {"found": ["61", "62"], "missed": ["63", "64"], "noise": ["58", "59", "60"]}
    assert page.locator('.code-line[data-line="61"]').text_content() == "x61 = 61\n"
    assert page.locator('td[data-class="found"]').first.get_attribute("data-amount") == "2"
    assert "lines" in page.locator("table.amounts").first.text_content()


def test_results_as_a_model_reads_them(watch, report):
    page = watch(report).go(view="context", topic=0)
    page.wait_for_selector('#view-context[data-shown="0"]')
    shown = page.eval_on_selector_all("li[data-rank='1'] .code-line", NUMBERS)
    assert shown == ["58", "59", "60", "61", "62"]
