"""The index of a collection serves as the folder does; what is broken is told and left out."""

from __future__ import annotations

import shutil
from pathlib import Path

import berrypick as bp

CAMPAIGN = Path(bp.__file__).parent / "demo" / "campaign"


def test_broken_documents_are_told_and_left_out(berrypick, tmp_path) -> None:
    folder = tmp_path / "documents"
    shutil.copytree(CAMPAIGN / "collection", folder)
    (folder / "broken.xml").write_text("<article><p>no end")
    done = berrypick("index", folder, tmp_path / "i.index")
    assert done.code == 0
    assert "broken" in done.err
    stored = bp.read_collection(tmp_path / "i.index")
    assert "broken" not in stored.lengths
    assert len(stored) == len(list(folder.glob("*.xml"))) - 1


def test_a_cut_index_is_one_message(berrypick, tmp_path) -> None:
    index = tmp_path / "i.index"
    berrypick("index", CAMPAIGN / "collection", index)
    index.write_bytes(index.read_bytes()[:-40])
    truth, run = CAMPAIGN / "assessments.xml", CAMPAIGN / "runs" / "sections.xml"
    done = berrypick("evaluate", truth, run, "--collection", index, "-m", "EPRUM")
    assert done.code == 2 and done.out == ""
    assert "i.index" in done.err and "Traceback" not in done.err


def test_an_index_is_made_again_where_it_was_and_over_no_document(berrypick, tmp_path) -> None:
    (tmp_path / "a.xml").write_text("<a>text</a>")
    for _ in range(2):
        assert berrypick("index", tmp_path, tmp_path / "collection.index", "--jobs", "1").code == 0
    done = berrypick("index", tmp_path, tmp_path / "a.xml")
    assert done.code == 2 and "refusing to overwrite" in done.err and "name another file" in done.err
    assert (tmp_path / "a.xml").read_text() == "<a>text</a>"
