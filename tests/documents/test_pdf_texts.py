"""Folders of PDF files as documents."""

import sys

import pytest

import berrypick as bp
from berrypick.documents.texts import read_texts


def pdf(*pages):
    """A PDF file with a text on every page; an empty text is a page without a text layer."""
    objects = ["<</Type/Catalog/Pages 2 0 R>>"]
    kids = " ".join(f"{4 + 2 * i} 0 R" for i in range(len(pages)))
    objects.append(f"<</Type/Pages/Kids[{kids}]/Count {len(pages)}>>")
    objects.append("<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")
    for i, text in enumerate(pages):
        lines = enumerate(text.split("\n"))
        shown = "".join(f"BT /F1 12 Tf 20 {150 - 20 * n} Td ({line}) Tj ET\n" for n, line in lines)
        content = shown if text else "0 0 100 100 re f\n"
        objects.append(f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Resources<</Font<</F1 3 0 R>>>>"
                       f"/Contents {5 + 2 * i} 0 R>>")  # fmt: skip
        objects.append(f"<</Length {len(content)}>>stream\n{content}endstream ")
    body = "".join(f"{n} 0 obj{one}endobj\n" for n, one in enumerate(objects, start=1))
    return f"%PDF-1.4\n{body}trailer<</Root 1 0 R>>\n".encode()


@pytest.fixture
def folder(tmp_path):
    pytest.importorskip("pypdfium2", reason="the extra berrypick[pages] is not installed")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "guide.pdf").write_bytes(pdf("Cut the old canes.\nIn autumn.", "Water in July."))
    return tmp_path / "docs"


def test_pages_are_joined_by_a_form_feed(folder):
    texts = read_texts(folder)
    assert list(texts) == ["guide.pdf"]
    assert texts["guide.pdf"] == texts["guide"] == "Cut the old canes.\nIn autumn.\fWater in July."
    assert "1 PDF file read from the text layer" in texts.notes[0] and "form feed" in texts.notes[0]
    assert read_texts(folder / "guide.pdf")["guide"] == texts["guide"]


def test_mixed_folders_keep_both(folder):
    (folder / "notes.md").write_text("Mulch.")
    (folder / "guide.txt").write_text("Extracted.")
    (folder / "more.pdf").write_bytes(pdf("Prune."))
    texts = read_texts(folder)
    assert {name: texts[name] for name in texts} == {"guide.txt": "Extracted.", "more.pdf": "Prune.",
                                                     "notes.md": "Mulch."}  # fmt: skip
    assert len(texts) == 3 and texts["guide"] == "Extracted."
    assert any(
        "1 PDF file skipped beside text files of the same name, such as guide.pdf" in note for note in texts.notes
    )


def test_files_without_a_text_are_counted(folder):
    (folder / "scan.pdf").write_bytes(pdf("", ""))
    (folder / "torn.pdf").write_bytes(pdf("Prune.")[:60])
    (folder / "none.pdf").write_bytes(b"")
    texts = read_texts(folder)
    assert list(texts) == ["guide.pdf"]
    notes = " ".join(texts.notes)
    assert "1 PDF file without a text layer: scan.pdf (skipped)" in notes
    assert "2 PDF files damaged: none.pdf, torn.pdf (skipped)" in notes
    with pytest.raises(bp.InputError, match=r"document scan.pdf is not in"):
        texts.text("scan.pdf")
    (folder / "guide.pdf").unlink()
    with pytest.raises(bp.InputError, match="no PDF file has a text that can be read"):
        read_texts(folder)


def test_the_remedy_without_pypdfium2(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "pypdfium2", None)
    with pytest.raises(bp.UsageError, match=r"pip install 'berrypick\[pages\]'"):
        read_texts(folder)
    (folder / "notes.md").write_text("Mulch.")
    texts = read_texts(folder)
    assert list(texts) == ["notes.md"] and "1 PDF file skipped" in texts.notes[0]


def test_evaluation_of_quotes_in_pdf_files(folder):
    truth = [{"topic": "q", "quote": "Water in July"}]
    results = bp.evaluate(truth, [{"topic": "q", "text": "old canes"}, {"topic": "q", "text": "Water in July."}],
                          "charR@1 charR@2", documents=folder)  # fmt: skip
    assert results.mean()["run"] == {"charR@1": 0.0, "charR@2": 1.0}
    assert any("read from the text layer" in str(note) for note in results.notes)


def test_a_form_feed_ends_no_line(folder):
    place = {"topic": "q", "doc": "guide.pdf", "start_line": 2, "end_line": 2}
    run = [{**place, "text": "In autumn.\fWater in July."}]  # the page break is inside of line 2
    assert bp.evaluate([place], run, "charR", documents=folder).mean()["run"]["charR"] == 1.0
    with pytest.raises(bp.InputError, match="2 lines"):
        bp.evaluate([place], [{**place, "text": "In autumn.\nWater in July."}], "charR", documents=folder)
