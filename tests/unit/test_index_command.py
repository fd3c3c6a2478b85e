"""The index of a collection serves as the folder does; what is broken is told and left out."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np

import berrypick as bp

CAMPAIGN = Path(bp.__file__).parent / "demo" / "campaign"


def test_index_and_folder_give_the_same(berrypick, tmp_path) -> None:
    index = tmp_path / "campaign.index"
    done = berrypick("index", CAMPAIGN / "collection", index)
    assert done.code == 0, done.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["campaign.index"], "nothing is left beside it"
    folder, stored = bp.read_collection(CAMPAIGN / "collection"), bp.read_collection(index)
    assert dict(stored.lengths) == dict(folder.lengths)
    for name in folder.lengths:
        one, other = folder.structures[name], stored.structures[name]
        assert one.paths == other.paths
        assert np.array_equal(one.start, other.start) and np.array_equal(one.end, other.end)
        assert np.array_equal(one.parent, other.parent)
        assert list(one.links) == list(other.links)
    measures = "nxCG@5 MAep AgP BEPD EPRUM(user='hierarchy')"
    runs = [CAMPAIGN / "runs" / "sections.xml", CAMPAIGN / "runs" / "windows.run"]
    values = [
        bp.evaluate(CAMPAIGN / "assessments.xml", runs, measures, collection=c).per_topic() for c in (folder, stored)
    ]
    assert values[0] == values[1]


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
    done = berrypick("evaluate", truth, run, "--collection", index, "-m", "AgP")
    assert done.code == 2 and done.out == ""
    assert "i.index" in done.err and "Traceback" not in done.err
