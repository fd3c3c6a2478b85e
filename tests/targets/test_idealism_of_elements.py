"""Idealism of assessed elements: how exhaustivity becomes sure or unsure ideal units."""

from __future__ import annotations

import json

import pytest
import slow_text_twins as twins

import berrypick as bp

TWO = """<assessments topic="1">
 <file name="a"><element path="/article[1]" exhaustivity="1" size="10" rsize="10"/></file>
 <file name="b"><element path="/article[1]" exhaustivity="2" size="10" rsize="10"/></file>
 <file name="c"><element path="/article[1]" exhaustivity="?" size="10" rsize="5"/></file>
</assessments>
"""


RUN = """<inex-submission run-id="r"><topic topic-id="1">
 <result><file>a</file><path>/article[1]</path></result>
 <result><file>b</file><path>/article[1]</path></result>
</topic></inex-submission>
"""


@pytest.fixture
def two(files):
    return files(truth_xml=TWO, run_xml=RUN)


def by_command(berrypick, two, measures, *options):
    done = berrypick("evaluate", two["truth_xml"], two["run_xml"], "-m", measures, "-o", "json", *options)
    assert done.code == 0, done.err
    return {row["measure"]: row for row in json.loads(done.out)}, done.err


def test_idealism_maps_the_exhaustivity_of_elements(two, berrypick):
    """At level .5 both are wanted (precision 1), at level 1 only the second, at rank 2 (.5): mean .75; ratio .5/1.5."""
    measures = "EPRUM EPRUM(r=1) ExpectedRatio@1"
    values = bp.evaluate(two["truth_xml"], two["run_xml"], measures, idealism="1=.5,2=1").mean()["r"]
    assert list(values.values()) == pytest.approx([0.75, 0.75, 1 / 3])
    rows, _ = by_command(berrypick, two, measures, "--idealism", "1=.5,2=1")
    assert [row["value"] for row in rows.values()] == pytest.approx([0.75, 0.75, 1 / 3])
    assert all("|idealism:1=0.5,2=1|" in row["signature"] for row in rows.values())


def test_without_a_map_every_ideal_element_is_ideal_for_everybody(two):
    results = bp.evaluate(two["truth_xml"], two["run_xml"], "EPRUM ExpectedRatio@1")
    assert list(results.mean()["r"].values()) == pytest.approx([1.0, 0.5])
    assert all(row.signature["idealism"] == "positive" for row in results)


def test_idealism_by_gain_takes_the_quantised_gain(two, berrypick):
    """Generalised gains e/2 x specificity are .5 and 1, as the map above."""
    rows, _ = by_command(berrypick, two, "EPRUM(quant='generalised') ExpectedRatio(quant='generalised')@1 EPRUM "
                         "EPRUM(quant='specificity')", "--idealism", "gain")  # fmt: skip
    assert [row["value"] for row in rows.values()] == pytest.approx([0.75, 1 / 3, 0.75, 1.0])
    assert all("|idealism:gain|" in row["signature"] for row in rows.values())


def test_an_unmapped_exhaustivity_is_refused(two, berrypick):
    done = berrypick("evaluate", two["truth_xml"], two["run_xml"], "-m", "EPRUM", "--idealism", "1=1")
    assert done.code == 2 and "grade 2" in done.err


PARENT, LEFT, RIGHT = ("d", "/a[1]"), ("d", "/a[1]/b[1]"), ("d", "/a[1]/c[1]")


def test_an_ideal_set_by_hand_on_the_command_line(files, berrypick):
    element = '<path path="{}" exhaustiveness="3" specificity="3"/>'
    inside = "".join(element.format(path) for _, path in (PARENT, LEFT, RIGHT))
    paths = files(
        truth_xml=f'<assessments topic="1"><file file="d">{inside}</file></assessments>',
        list_run="1 Q0 d 1 1 r /a[1]\n",
        ideal_run="1 Q0 d 1 2 x /a[1]/b[1]\n1 Q0 d 2 1 x /a[1]/c[1]\n",
    )
    given = ("evaluate", paths["truth_xml"], paths["list_run"], "-m", "nxCG@2", "-o", "json")
    (row,) = json.loads(berrypick(*given, "--ideal-elements", paths["ideal_run"]).out)
    assert row["value"] == 0.5 and "|ideal_elements:" in row["signature"]
    (plain,) = json.loads(berrypick(*given).out)
    assert plain["value"] == 1.0 and "ideal_elements" not in plain["signature"]


def test_gain_measures_do_not_read_idealism(files):
    """Topic 2 has elements of exhaustivity 1 alone, which are nobody's ideal: no target, but a gain as before."""
    a, b = ("a", "/article[1]"), ("b", "/article[1]")
    truth = twins.several(twins.graded_truth({a: (3, 3), b: (1, 3)}), twins.graded_truth({b: (1, 3)}, topic="2"))
    lines = [("1", "b"), ("1", "a"), ("2", "b")]
    run = files(r_run="".join(f"{topic} Q0 {name} 1 1 run /article[1]\n" for topic, name in lines))["r_run"]
    gains = ["xCG@2", "nxCG@1", "MAep", "iMAep", "epgr@0.5", "GRP@1", "PRecall@1", "GainRecall@1"]
    readers = ["EPRUM", "PRUM", "epnav", "ExpectedRatio", "GainRecall(user='hierarchy')@1"]
    plain = bp.evaluate(truth, run, gains + readers, units=9)
    mapped = bp.evaluate(truth, run, gains + readers, units=9, idealism={1: 0.0, 3: 1.0})
    for name in gains:
        assert mapped.per_topic()["run"][name] == plain.per_topic()["run"][name]
        assert mapped.per_topic()["run"][name]["2"] is not None
        assert all("idealism" not in str(row.signature) for row in mapped.mean_rows if row.measure == name)
    for name in readers:
        assert mapped.per_topic()["run"][name]["2"] is None
        assert all(row.signature["idealism"] == "1=0,3=1" for row in mapped.mean_rows if row.measure == name)
