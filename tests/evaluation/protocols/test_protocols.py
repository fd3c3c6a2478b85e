"""Measures under the rules of campaigns and of other programs, by hand."""

from __future__ import annotations

import handmade
import pytest

import berrypick as bp
from berrypick.analysis.comparison import gates
from berrypick.tables.text import explanation

TRUTH = handmade.span_truth({"1": [("d", 100, 200)], "2": [("d", 0, 10)], "3": [("d", 0, 1)], "4": []})


#: 50 of 400 characters come twice, and none of 10; topic 3 is missing, topic 4 has nothing relevant.
RUN = handmade.span_run(
    {"1": [("d", 0, 200), ("d", 150, 350)], "2": [("d", 0, 10)], "4": [("d", 0, 9), ("d", 0, 8)]}, tag="mine"
)


def test_protocols_do_not_change_what_overlap_is():
    """The official program charges articles without relevant text in full each time: not so here."""
    run = handmade.span_run({"1": [("e", 0, 100), ("e", 0, 80), ("d", 0, 20)]})
    for protocol in (None, "inex2010", "inex2006", "chunking-evaluation"):
        results = bp.evaluate(TRUTH, run, "Overlap Overlap@2", protocol=protocol, topics="run")
        assert results.mean()["run"] == {"Overlap": pytest.approx(0.4), "Overlap@2": pytest.approx(80 / 180)}


def test_overlap_explains_itself():
    told = explanation(bp.explain(TRUTH, RUN, "Overlap", "1", protocol="inex2010"))
    assert "2 (d#150-350)     200  150" in told and "each unit once      350" in told
    assert "no material is retrieved" in explanation(
        bp.explain(TRUTH, handmade.span_run({"1": [("d", 5, 5)]}), "Overlap", "1")
    )


def _backwards():
    """One relevant segment, and results that lead to it from its end towards its start."""
    truth = {"1": {"v#0-1000": 1}}
    run = {"1": {f"v#{start}-{start + 10}": float(start) for start in (900, 800, 700, 600)}}
    return truth, run


def test_aptol_under_the_protocol_counts_as_the_official_program_and_says_so():
    truth, run = _backwards()
    found = bp.evaluate(truth, run, "APtol", protocol="mediaeval2014")
    assert found.mean() == {"run": {"APtol": 4}}
    assert ["official program" in note.text for note in found.notes if note.kind == "above one"] == [True]


def test_topics_without_relevant_text_are_0_in_the_official_program(files, berrypick) -> None:
    """Under inex2010 iP, AiP and gP are 0 there, and count in means; else they are undefined, as the others are."""
    paths = files(
        truth_fol="1 Q0 a 40 100 10 10:40\n2 Q0 a 0 100\n", list_run="1 Q0 a 1 2 r 10 40\n2 Q0 a 1 2 r 0 40\n"
    )
    names = ["iP@0.01", "AiP", "gP@1", "AgP", "gR@1"]
    results = bp.evaluate(paths["truth_fol"], paths["list_run"], names, protocol="inex2010")
    assert list(results.mean()["r"].values()) == [0.5, 0.5, 0.5, 1.0, 1.0]
    said = [str(note) for note in results.notes if note.kind == "topics without targets"]
    assert (
        len(said) == 4 and sum("0 where nothing is relevant, as protocol inex2010 does" in text for text in said) == 3
    )
    assert list(bp.evaluate(paths["truth_fol"], paths["list_run"], names).mean()["r"].values()) == [1.0] * 5
    given = ("explain", paths["truth_fol"], paths["list_run"], "--topic", "2", "-m", "AiP")
    assert "0: nothing is relevant, as protocol inex2010 counts it" in berrypick(*given, "--protocol", "inex2010").out
    assert "Undefined: the topic has no targets." in berrypick(*given).out


SIZED = """<assessments topic="1">
 <file name="a">
  <element path="/article[1]" exhaustivity="2" size="100" rsize="30"/>
  <element path="/article[1]/s[1]" exhaustivity="2" size="40" rsize="20"/>
  <element path="/article[1]/s[1]/p[1]" exhaustivity="2" size="20" rsize="20"/>
  <element path="/article[1]/s[2]" exhaustivity="2" size="50" rsize="10"/>
 </file>
 <file name="b"><element path="/article[1]" exhaustivity="2" size="80" rsize="80"/></file>
 <file name="c"/>
</assessments>
"""


def test_generalised_precision_from_sizes_alone(files, berrypick) -> None:
    """a: s[1] with p[1] inside, and s[2]: 90 characters, all 30 relevant ones; c holds nothing; b is half of the base.

    beta = 1: F = 2 x 1/3 x 1/(1/3 + 1) = 1/2.
    """
    lines = ["a 1 9 r /article[1]/s[1]/p[1]", "c 2 8 r /article[1]", "a 3 7 r /article[1]/s[1]",
             "a 4 6 r /article[1]/s[2]", "b 5 5 r /article[1]"]  # fmt: skip
    paths = files(truth_xml=SIZED, list_run="".join(f"1 Q0 {line}\n" for line in lines))
    names = ["gP(beta=1)@1", "gP(beta=1)@3", "AgP(beta=1)", "gR@1", "gR"]
    found = bp.evaluate(paths["truth_xml"], paths["list_run"], names)
    assert list(found.mean()["r"].values()) == pytest.approx([0.5, 1.5 / 3, (0.5 + 1.5 / 3) / 2, 0.5, 1.0])
    assert found.mean_rows[0].signature["sizes"] == "judged"
    told = berrypick("explain", paths["truth_xml"], paths["list_run"], "--topic", "1", "-m", "AgP(beta=1)")
    assert told.code == 0 and "1 (a)" in told.out and "AgP = 0.5" in told.out


def test_sizes_alone_say_nothing_about_places(files) -> None:
    paths = files(truth_xml=SIZED, list_run="1 Q0 a 1 1 r /article[1]/b[1]\n", other_run="1 Q0 a 1 1 r 0 5\n")
    with pytest.raises(bp.UsageError, match=r"needs the length of a/article\[1\]/b\[1\].*collection="):
        bp.evaluate(paths["truth_xml"], paths["list_run"], "gP@1")
    for name in ("charP", "AgP(score='t2i')", "AgP(score='bep')"):
        with pytest.raises(bp.UsageError, match="needs the offsets of retrieved elements"):
            bp.evaluate(paths["truth_xml"], paths["list_run"], name)
    with pytest.raises(bp.UsageError, match=r"gP@1 reads highlighted text.* the run retrieves passages"):
        bp.evaluate(paths["truth_xml"], paths["other_run"], "gP@1")


def test_gates_keep_the_measures_of_a_task():
    read = gates.Gates.read(["P@1=0.5"], [], None)
    assert read.measures([], None, "focused")[-1] == "P@1" and len(read.measures([], None, "focused")) == 2
    assert read.measures(["AP"], None, "focused") == ["AP", "P@1"]
