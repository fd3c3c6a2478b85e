"""Lengths of documents that come from two sources: the judgements and the collection."""

from __future__ import annotations

import json

import pytest

import berrypick as bp

TRUTH = "1 Q0 a 40 100 10 10:40\n1 Q0 b 60 200 0 0:60\n"
RUN = "1 Q0 a 1 2 r 0 100\n1 Q0 b 2 1 r 100 50\n"


def test_a_document_that_the_collection_lacks_keeps_its_length(files, berrypick):
    """D = 300, of which 100 are relevant: I = 10; by a's length alone ESL would be 2."""
    paths = files(truth_fol=TRUTH, list_run=RUN, lengths_tsv="a\t100\n", all_tsv="a\t100\nb\t200\n")
    given = ("evaluate", paths["truth_fol"], paths["list_run"], "-m", "ESL(tolerance=20)", "-o", "json")
    for more in ((), ("--collection", paths["all_tsv"])):
        done = berrypick(*given, *more)
        assert json.loads(done.out)[0]["value"] == 6.0 and "not in" not in done.err
    done = berrypick(*given, "--collection", paths["lengths_tsv"])
    assert json.loads(done.out)[0]["value"] == 6.0
    assert "1 judged document is not in" in done.err and "its length is that of" in done.err
    assert "|lengths:2 documents,300|" in json.loads(done.out)[0]["signature"]


def test_two_lengths_of_one_document_are_refused_with_both_sources(files, berrypick):
    paths = files(truth_fol=TRUTH, list_run=RUN, lengths_tsv="b\t201\n")
    given = ("evaluate", paths["truth_fol"], paths["list_run"], "-m", "ESL(tolerance=20)")
    done = berrypick(*given, "--collection", paths["lengths_tsv"])
    assert done.code == 2
    assert "lengths.tsv: document b has two lengths, 201 here and 200 in " in done.err and "truth.fol" in done.err


def test_so_are_a_length_and_a_text(files):
    paths = files(truth_fol=TRUTH, list_run=RUN)
    texts = {"a": "x" * 100, "b": "y" * 199}
    with pytest.raises(bp.InputError, match=r"document b has two lengths, 199 here and 200 in .*truth\.fol"):
        bp.evaluate(paths["truth_fol"], paths["list_run"], "ESL(tolerance=20)", documents=texts)
    texts["b"] += "y"
    results = bp.evaluate(paths["truth_fol"], paths["list_run"], "ESL(tolerance=20)", documents=texts)
    assert results.mean()["r"]["ESL(tolerance=20)"] == 6.0


def test_lengths_of_a_folder_are_compared_when_they_are_read(tmp_path, files):
    paths = files(truth_fol=TRUTH, list_run=RUN)
    folder = tmp_path / "xml"
    folder.mkdir()
    for name, length in (("a", 100), ("b", 200)):
        (folder / f"{name}.xml").write_text(f"<article>{'x' * length}</article>")
    found = bp.score("ESL(tolerance=20)", paths["truth_fol"], paths["list_run"], collection=folder)
    assert found == 6.0
    (folder / "b.xml").write_text("<article>xyz</article>")
    with pytest.raises(bp.InputError, match="two lengths, 3 here and 200 in"):
        bp.score("ESL(tolerance=20)", paths["truth_fol"], paths["list_run"], collection=folder)
