"""Three topics made by hand (inex-micro), and what the official INEX 2010 program printed for them, topic by topic.

The program differs from measures.md in known ways (formats.md); these are compared under protocol='inex2010', and what
berrypick says by itself is worked out by hand:

* gP[k] beyond the end of the list repeats the value of the last rank; ours still divides by k.
* thorough: articles without relevant text are charged in full each time, and passages that could not be located not at
  all in articles with relevant text; ours counts every character once, and such a passage as 18 characters.
* topics without results are left out of the mean unless "complete" is asked for; ours are complete unless topics='run'.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import berrypick as bp

HERE = Path(__file__).parent / "inex-micro"
TRUTH = HERE / "micro.qrels"
RANKS = (1, 2, 3, 5, 10, 25, 50)
#: How many articles each topic of ric.run and of bic.run has: where gP is the same in both.
ARTICLES = {"1": 5, "2": 2}
T2I = "score='t2i',tolerance=300"
BEP = "score='bep',n=500"


def official(name: str) -> dict[tuple[str, str], float]:
    """(quantity, topic) to what the program printed."""
    found = {}
    for line in (HERE / f"{name}.expected.txt").read_text().splitlines():
        fields = re.split(r"\t+", line)
        if len(fields) == 3:
            found[fields[0], fields[1]] = float(fields[2])
    return found


def ours(run: str, measures: list[str], **options: object) -> dict[str, dict[str, float | None]]:
    """{measure: {topic or 'all': value}}"""
    results = bp.evaluate(TRUTH, HERE / run, measures, **options)  # type: ignore[arg-type]
    (topics,), (means,) = results.per_topic().values(), results.mean().values()
    return {measure: {**topics[measure], "all": means[measure]} for measure in measures}


def same(number: float) -> object:
    return pytest.approx(number, rel=0, abs=1e-14)


FOCUSED = {
    "iP@0.00": "iP[0.00]", "iP@0.01": "iP[0.01]", "iP@0.05": "iP[0.05]", "iP@0.10": "iP[0.10]", "AiP": "AiP",
    "charP": "char_prec", "charR": "char_rec", "charF": "char_f1",
}  # fmt: skip


@pytest.mark.parametrize("protocol", [None, "inex2010"])
def test_focused(protocol: str | None) -> None:
    """Under our own rules and the program's: ric.run has no overlap."""
    printed, found = official("ric.f"), ours("ric.run", list(FOCUSED), topics="run", protocol=protocol)
    for measure, quantity in FOCUSED.items():
        assert set(found[measure]) == {"1", "2", "all"}
        for topic in ("1", "2", "all"):
            name = "MAiP" if (quantity, topic) == ("AiP", "all") else quantity
            assert found[measure][topic] == same(printed[name, topic]), (measure, topic)


def test_focused_at_every_recall_point() -> None:
    points = [f"{i / 100:.2f}" for i in range(101)]
    printed, found = official("ric.f"), ours("ric.run", [f"iP@{x}" for x in points], topics="run")
    for x in points:
        assert found[f"iP@{x}"]["all"] == same(printed[f"ircl_prn.{x}", "all"]), x


def test_focused_complete() -> None:
    """Our default: topic 3, which the run does not answer, counts 0."""
    printed, found = official("ric.f"), ours("ric.run", ["AiP"])
    assert found["AiP"]["3"] == 0.0
    assert found["AiP"]["all"] == same((printed["AiP", "1"] + printed["AiP", "2"]) / 3)


@pytest.mark.parametrize(
    ("run", "output", "rule"),
    [
        ("ric.run", "ric.r", ""),
        ("ric.run", "ric.r", "(beta=0.25)"),
        ("ric.run", "ric.i", f"({T2I})"),
        ("bic.run", "bic.b", f"({BEP})"),
    ],
)
@pytest.mark.parametrize("protocol", [None, "inex2010"])
def test_articles(run: str, output: str, rule: str, protocol: str | None) -> None:
    """AgP, gP and gR; by our rules gP[k] agrees up to the end of the list, and k divides beyond."""
    printed = official(output)
    measures = [f"AgP{rule}", *(f"gP{rule}@{k}" for k in RANKS), *(f"gR@{k}" for k in RANKS)]
    found = ours(run, measures, topics="run", protocol=protocol)
    for topic, articles in ARTICLES.items():
        assert found[f"AgP{rule}"][topic] == same(printed["AgP", topic])
        for k in RANKS:
            assert found[f"gR@{k}"][topic] == same(printed[f"gR[{k}]", topic])
            expected = printed[f"gP[{k}]", topic]
            if k > articles and protocol is None:
                expected *= articles / k
            assert found[f"gP{rule}@{k}"][topic] == same(expected), (topic, k)
    assert found[f"AgP{rule}"]["all"] == same(printed["MAgP", "all"])
    for k in RANKS:
        assert found[f"gR@{k}"]["all"] == same(printed[f"gR[{k}]", "all"])
        if protocol is not None or k <= min(ARTICLES.values()):
            assert found[f"gP{rule}@{k}"]["all"] == same(printed[f"gP[{k}]", "all"])


@pytest.mark.parametrize("protocol", [None, "inex2010"])
def test_articles_complete(protocol: str | None) -> None:
    """With every judged topic: our default, and the program's when it is asked to be complete."""
    printed = official("ric.r.complete")
    options = {} if protocol is None else {"protocol": protocol, "topics": "judged"}
    found = ours("ric.run", ["AgP", *(f"gR@{k}" for k in RANKS), "gP@1", "gP@2"], **options)
    for topic in ("1", "2", "3"):
        assert found["AgP"][topic] == same(printed["AgP", topic])
        for k in RANKS:
            assert found[f"gR@{k}"][topic] == same(printed[f"gR[{k}]", topic])
    assert found["AgP"]["all"] == same(printed["MAgP", "all"])
    for k in (1, 2):
        assert found[f"gP@{k}"]["all"] == same(printed[f"gP[{k}]", "all"])
    for k in RANKS:
        assert found[f"gR@{k}"]["all"] == same(printed[f"gR[{k}]", "all"])


def test_thorough_by_the_programs_rules() -> None:
    printed, measures = official("thorough.t"), ["AiP", "iP@0.00", "iP@0.01", "iP@0.05", "iP@0.10"]
    found = ours("thorough.run", measures, protocol="inex2010", task="thorough")
    for topic in ("1", "2"):
        assert found["AiP"][topic] == same(printed["AiP", topic])
        for level in ("0.00", "0.01", "0.05", "0.10"):
            assert found[f"iP@{level}"][topic] == same(printed[f"iP[{level}]", topic])
    assert found["AiP"]["all"] == same(printed["MAiP", "all"])
    text = ours("thorough.run", ["charP", "charR", "charF"], protocol="inex2010", task="thorough")
    for measure, quantity in (("charP", "char_prec"), ("charR", "char_rec"), ("charF", "char_f1")):
        for topic in ("1", "2", "all"):
            assert text[measure][topic] == same(printed[quantity, topic])


def test_thorough_by_our_rules() -> None:
    """Every character once: topic 2 has no article without relevant text, and its iP is that of the program.

    Topic 1, by hand. Relevant: 100 [250, 450) and [600, 700), 101 [0, 50), 103 [1500, 1900): 750 characters.

        result          new   relevant   so far        precision
        100 200-300     100       50      50/100        .5
        100 150-350     100       50     100/200        .5
        101 0-50         50       50     150/250        .6
        100 0-1000      800      200     350/1050       .3333
        102 0-100       100        0     350/1150
        102 0-400       300        0     350/1450       (the program charges 400)
        103 1400-2000   600      400     750/2050       .36585
        103 X            18        0     750/2068       (the program charges 0)

    iP is .6 up to recall 150/750 = .20 (21 points), then 750/2050 (80 points).
    """
    printed = official("thorough.t")
    found = ours("thorough.run", ["AiP", "iP@0.20", "iP@0.21", "iP@1.00", "charP", "charR"], topics="run")
    assert found["iP@0.20"]["1"] == same(150 / 250)
    assert found["iP@0.21"]["1"] == found["iP@1.00"]["1"] == same(750 / 2050)
    assert found["AiP"]["1"] == same((21 * 0.6 + 80 * 750 / 2050) / 101)
    assert found["AiP"]["1"] != same(printed["AiP", "1"])
    assert found["AiP"]["2"] == same(printed["AiP", "2"])
    assert found["charP"] == {"1": same(750 / 2068), "2": same(60 / 418), "all": same((750 / 2068 + 60 / 418) / 2)}
    assert found["charR"]["1"] == same(printed["char_rec", "1"]) == 1.0
    assert found["charR"]["2"] == same(printed["char_rec", "2"])


def test_focused_refuses_overlap() -> None:
    """As the program did ('passage overlaps with previously retrieved passages in topic 1, article 100, line 2')."""
    assert "overlaps with previously retrieved passages in topic 1" in (HERE / "thorough.f.expected.txt").read_text()
    with pytest.raises(bp.InputError, match=r"thorough\.run:2: results overlap in topic 1") as refused:
        ours("thorough.run", ["AiP"], task="focused", protocol="inex2010")
    assert "100#150-350 after 100#200-300 (line 1)" in str(refused.value)


def test_entry_points_by_our_own_measures() -> None:
    """By hand: L is the mean length of the judged documents, 9150/7; entry points 100: 250, 101: 0, 103: 1500."""
    scale = 0.1 * (1000 + 50 + 400 + 2000 + 600 + 5000 + 100) / 7
    found = ours("bic.run", ["BEPD"])["BEPD"]
    assert found["1"] == same((scale / (scale + 50) + 1 + scale / (scale + 1500)) / 3)
    assert found["2"] == same((scale / (scale + 100) + scale / (scale + 500)) / 2)
    assert found["3"] == 0.0
