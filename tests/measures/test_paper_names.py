"""Names that the papers print, in -m and in show."""

import pytest

import berrypick as bp
from berrypick.evaluation.requested import parse_measure

SPANS = {"q": {"d#0-10": 1, "d#40-60": 1}}
RUN = {"q": {"d#5-20": 2, "d#40-50": 1}}


@pytest.mark.parametrize(
    ("printed", "ours"),
    [
        ("ep/gr", "MAep"),
        ("ep/gr(base='ideal')", "MAep(base='ideal')"),
        ("ep/gr@0.5", "epgr@0.5"),
        ("nxCG[5]", "nxCG@5"),
        ("nxCG(base='full')[5]", "nxCG(base='full')@5"),
        ("xCG[10]", "xCG@10"),
        ("GR@2", "GainRecall@2"),
        ("GR[2]", "GainRecall@2"),
        ("gr[2]", "GainRecall@2"),
        ("gP[3]", "gP@3"),
        ("iP[0.01]", "iP@0.01"),
        ("EPRUM-BEP-Exh-BEPDistance", "EPRUM(user='bep')"),
    ],
)
def test_a_printed_name_is_our_measure(printed, ours):
    assert parse_measure(printed) == parse_measure(ours)


@pytest.mark.parametrize("name", ["ERR[5]", "nxCG[]", "nxCG[a]", "ep/gr/2", "AP[5]"])
def test_what_no_paper_prints_is_refused(name):
    with pytest.raises(bp.UsageError):
        parse_measure(name)


def test_values_are_reported_under_the_name_as_typed():
    found = bp.evaluate(SPANS, RUN, ["nxCG[2]", "nxCG@2", "ep/gr", "MAep"]).mean()["run"]
    assert found["nxCG[2]"] == found["nxCG@2"] > 0 and found["ep/gr"] == found["MAep"] > 0


def test_err_stays_expected_reciprocal_rank():
    assert parse_measure("ERR@5").name() == "ERR"
    assert bp.score("ERR@5", {"q": {"a": 1}}, {"q": {"b": 2, "a": 1}}) == pytest.approx(1 / 32), "grade 1 of 4"


@pytest.mark.parametrize(
    ("name", "told", "page"),
    [
        ("ERR", "expected ratio of relevant units ERR: that is ExpectedRatio", "ERR:"),
        ("MAep", "epnav(points='run')", "MAep:"),
        ("ep/gr", "at a level, as in ep/gr@0.5", "MAep:"),
        ("ep/gr@0.5", "stands for MAep", "epgr:"),
        ("nxCG[5]", "", "nxCG:"),
        ("GR", "gR, which differs in one capital", "GainRecall:"),
        ("gR", "GR, which differs in one capital", "gR:"),
        ("EPRUM-BEP-Exh-BEPDistance", "EPRUM(user='bep')", "EPRUM:"),
        ("EPRUM", "", "EPRUM:"),
    ],
)
def test_show_says_where_a_name_means_two_things(name, told, page, berrypick):
    for words in (("show", name), ("show", "measure", name)):
        found = berrypick(*words)
        assert found.code == 0, found.err
        assert told in " ".join(found.out.split()) and f"\n{page}" in f"\n{found.out}"
        assert found.out.startswith(page) == (not told)
