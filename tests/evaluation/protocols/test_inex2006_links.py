"""Protocol inex2006: link elements, beta of generalised precision; and what the number after T2I@ counts."""

from __future__ import annotations

import json

import pytest

import berrypick as bp

#: Three relevant elements, each highlighted in full; one is a link.
TRUTH = """<assessments pool="1" topic="1">
 <file collection="w" name="a">
  <best-entry-point path="/article[1]/p[1]"/>
  <element path="/article[1]/p[1]" exhaustivity="2" size="100" rsize="100"/>
 </file>
 <file collection="w" name="b">
  <element path="/article[1]/p[2]/collectionlink[1]" exhaustivity="2" size="10" rsize="10"/>
 </file>
 <file collection="w" name="c">
  <element path="/article[1]/p[3]" exhaustivity="2" size="100" rsize="100"/>
 </file>
</assessments>
"""

#: The link, then one of the two others.
RUN = """<inex-submission run-id="mine" task="Thorough">
 <topic topic-id="1">
  <result><file>b</file><path>/article[1]/p[2]/collectionlink[1]</path><rank>1</rank></result>
  <result><file>a</file><path>/article[1]/p[1]</path><rank>2</rank></result>
 </topic>
</inex-submission>
"""

#: Ranks 1 and 2 gain, at efforts 1 and 2 of the ideal: (1/1 + 2/2)/3
WITH = pytest.approx(2 / 3)
#: Of two elements one is found at rank 2, where the ideal needs one: (1/2)/2
WITHOUT = pytest.approx(1 / 4)


@pytest.fixture
def inex(files):
    paths = files(truth_xml=TRUTH, run_xml=RUN)
    return paths["truth_xml"], paths["run_xml"]


def fields(row) -> dict[str, str]:
    return dict(row.signature.fields)


@pytest.mark.parametrize(
    ("options", "wanted", "signed", "notes"),
    [
        ({}, WITH, None, 0),
        ({"protocol": "inex2006"}, WITHOUT, "*link", 1),
        ({"protocol": "inex2006", "ignore_elements": "none"}, WITH, "none", 0),
        ({"protocol": "inex2006", "ignore_elements": ["none"]}, WITH, "none", 0),
        ({"protocol": "inex2006", "ignore_elements": "collectionlink"}, WITHOUT, "*link,collectionlink", 1),
        ({"ignore_elements": "*link"}, WITHOUT, "*link", 0),
        ({"ignore_elements": "none"}, WITH, "none", 0),
    ],
)
def test_links(inex, options, wanted, signed, notes):
    results = bp.evaluate(*inex, "MAep", **options)
    [row] = results.mean_rows
    assert row.value == wanted and fields(row).get("ignore_elements") == signed
    said = [str(note) for note in results.notes if note.kind == "ignored elements"]
    text = "protocol inex2006 ignores elements named *link, as the campaign did: 1 of 3 judged elements; "
    assert said == [f"{text}ignore_elements='none' counts them"] * notes


def test_the_remedy_of_the_note_works(berrypick, inex):
    command = ("evaluate", *inex, "--protocol", "inex2006", "--task", "thorough", "-o", "json")
    done = berrypick(*command)
    assert json.loads(done.out)[0]["value"] == WITHOUT
    assert "1 of 3 judged elements; --ignore-elements none counts them" in done.err
    done = berrypick(*command, "--ignore-elements", "none")
    assert json.loads(done.out)[0]["value"] == WITH and "ignored" not in done.err and "*link" not in done.err
    assert "|ignore_elements:none|" in json.loads(done.out)[0]["signature"]


def test_none_beside_other_names(inex):
    with pytest.raises(bp.UsageError, match="none ignores no elements"):
        bp.evaluate(*inex, "MAep", ignore_elements="none,p")


def test_no_note_where_there_are_no_links(files):
    plain = TRUTH.replace("/collectionlink[1]", "/b[1]")
    paths = files(truth_xml=plain, run_xml=RUN)
    results = bp.evaluate(*paths.values(), "MAep", protocol="inex2006")
    assert not [note for note in results.notes if note.kind == "ignored elements"]


SPANS = {"q": {"a#0-90": 1, "b#0-90": 1}}
#: a: all 30 characters relevant, a third of its 90: P 1, R 1/3; x: nothing; b: all.
FOUND = {"q": {"a#0-30": 3, "x#0-30": 2, "b#0-90": 1}}


def f_score(beta: float) -> float:
    return (1 + beta**2) * 1 * (1 / 3) / (beta**2 * 1 + 1 / 3)


@pytest.mark.parametrize(
    ("options", "beta"), [({}, 0.25), ({"protocol": "inex2010"}, 0.25), ({"protocol": "inex2006"}, 1.0)]
)
def test_beta_is_stated_with_the_value_used(options, beta):
    first = f_score(beta)
    wanted = {"AgP": (first + (first + 1) / 3) / 2, "gP@3": (first + 1) / 3}
    results = bp.evaluate(SPANS, FOUND, "AgP gP@3 MAgP", **options)
    for row in results.mean_rows:
        assert row.value == pytest.approx(wanted["AgP" if "AgP" in row.measure else "gP@3"])
        assert fields(row)["beta"] == f"{beta:g}"
    [given] = bp.evaluate(SPANS, FOUND, "AgP(beta=0.5)", **options).mean_rows
    assert fields(given)["beta"] == "0.5"
    for other in ("AgP(score='bep')", "gR@3"):
        assert "beta" not in fields(bp.evaluate(SPANS, FOUND, other, **options).mean_rows[0])


@pytest.mark.parametrize("measure", ["AgP", "gP@3"])
@pytest.mark.parametrize(("protocol", "beta"), [(None, "0.25"), ("inex2006", "1")])
def test_explain_shows_beta(berrypick, files, measure, protocol, beta):
    paths = files(
        truth_jsonl="".join(json.dumps({"topic": "q", "doc": d, "start": 0, "end": 90}) + "\n" for d in "ab"),
        run_jsonl=json.dumps({"topic": "q", "doc": "a", "start": 0, "end": 30, "rank": 1}) + "\n",
    )
    more = ("--protocol", protocol) if protocol else ()
    done = berrypick("explain", *paths.values(), "--topic", "q", "-m", measure, *more)
    assert f"beta={beta}" in done.out.splitlines()[0].replace("1.0", "1")


@pytest.mark.parametrize("measure", ["AgP", "gP"])
def test_the_page_says_whose_beta_it_is(berrypick, measure):
    shown = " ".join(berrypick("show", "measure", measure).out.split())
    assert "INEX 2009" in shown and "INEX 2006" in shown and "beta 0.25" in shown
    assert "Overview of the INEX 2010 ad hoc track" in shown and "INEX 2006 evaluation measures" in shown


def test_t2i_at_counts_wasted_units(berrypick):
    """Nothing relevant at the first three places, the target at the fourth: found before the 4th unit is wasted.

    Each document ends after 10 seconds, so a visit without anything wastes one unit.
    """
    truth = {"q": {"d#2-5": 1}}
    run = {"q": {"a#0-1": 4, "b#0-1": 3, "c#0-1": 2, "d#0-1": 1}}
    lengths = bp.Collection(dict.fromkeys("abcd", 10))
    found = {
        at: bp.score(f"T2I(tolerance=15,at={at})", truth, run, collection=lengths, effort="seconds") for at in (3, 4)
    }
    assert found == {3: 0.0, 4: 0.25}
    for at in (3, 4):
        assert bp.score(f"T2I(tolerance=15)@{at}", truth, run, collection=lengths, effort="seconds") == found[at]
    cut = {"q": {"a#0-1": 4, "b#0-1": 3, "c#0-1": 2}}
    assert bp.score("T2I(tolerance=15)@4", truth, cut, collection=lengths, effort="seconds") == 0.0
    shown = berrypick("show", "measure", "T2I").out
    assert "T2I@t" in shown and "not a rank" in shown and "junk-after-cut" not in shown
    with pytest.raises(bp.UsageError, match="the cut-off is a count of wasted units"):
        bp.score("T2I@0", truth, run, collection=lengths)
