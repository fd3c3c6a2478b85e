"""Texts of brat stand at their offsets."""

from __future__ import annotations


def test_brat_texts_stand_at_their_offsets(tmp_path, berrypick):
    folder = tmp_path / "ann" / "q1"
    folder.mkdir(parents=True)
    (folder / "d.txt").write_text("See below.\nCut the old\ncanes.", newline="")

    def checked(line: str):
        (folder / "d.ann").write_text(f"T1\trelevant 0 3\tSee\nT2\trelevant {line}\n")
        return berrypick("check", tmp_path / "ann")

    for good in ("11 29\tCut the old canes.", "4 9;11 14\tbelow Cut", "10 14\tCut", "11 14\t"):
        assert checked(good).code == 0, good
    assert checked("12 30\tCut the old canes.").code == 2  # beyond the end
    for bad in ("10 13\tCut", "11 28\tCut the old canes.", "4 9;12 15\tbelow Cut"):
        found = checked(bad)
        assert found.code == 2 and "d.ann:2: " in found.out, (bad, found.out)
    (folder / "d.ann").write_text("T1\trelevant 0 3\tSee\nwhat is this\n")  # was lost by check
    assert "d.ann:2: is not a brat annotation" in berrypick("check", tmp_path / "ann").out
