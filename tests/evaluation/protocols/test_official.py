"""Official programs' outputs on official data, topic by topic (found through $BERRYPICK_DATA).

Sources: INEX 2009-2010 ad hoc track (official evaluation program), MediaEval 2014 search (sh_eval), TREC Genomics 2007
(trecgen2007_score), trec_eval's own test files.
"""

from __future__ import annotations

import re

import pytest

import berrypick as bp

RANKS = (1, 2, 3, 5, 10, 25, 50)
IP = [(f"iP@{x}", f"iP[{x}]") for x in ("0.00", "0.01", "0.05", "0.10")]
GP = [(f"gP@{k}", f"gP[{k}]") for k in RANKS] + [(f"gR@{k}", f"gR[{k}]") for k in RANKS]
T2I = [("AgP(score='t2i',tolerance=300)", "AgP")] + [(f"gP(score='t2i',tolerance=300)@{k}", f"gP[{k}]") for k in RANKS]
BEP = [("AgP(score='bep',n=500)", "AgP")] + [(f"gP(score='bep',n=500)@{k}", f"gP[{k}]") for k in RANKS]

INEX = [
    ("bert_inex_converted_1", "f", "focused", [*IP, ("AiP", "AiP")]),
    ("bert_inex_converted_1", "t", "thorough", [*IP, ("AiP", "AiP")]),
    ("indri_passages_ric", "f", "focused", [*IP, ("AiP", "AiP")]),
    ("indri_passages_ric", "r", "relevant-in-context", [*GP, ("AgP", "AgP")]),
    ("indri_passages_ric", "i", "relevant-in-context", T2I),
    ("indri_first_bic", "b", "best-in-context", BEP),
]


def printed(path) -> dict[tuple[str, str], str]:
    """(quantity, topic) to the value as printed."""
    found = {}
    for line in path.read_text().splitlines():
        fields = [field.strip() for field in re.split(r"\t+", line) if field.strip()]
        if len(fields) == 3:
            found[fields[0], fields[1]] = fields[2]
    return found


@pytest.mark.parametrize(("run", "letter", "task", "pairs"), INEX, ids=[f"{run}.{letter}" for run, letter, *_ in INEX])
def test_inex_2010(data, run, letter, task, pairs) -> None:
    folder = data / "inex2009-2010"
    official = printed(folder / "expected" / f"{run}.{letter}.txt")
    results = bp.evaluate(
        folder / "inex2009-2010.qrels",
        folder / "runs" / f"{run}.run",
        [measure for measure, _ in pairs],
        protocol="inex2010",
        task=task,
    )
    (values,) = results.per_topic().values()
    (means,) = results.mean().values()
    topics = {topic for quantity, topic in official if quantity == pairs[-1][1]} - {"all"}
    assert len(topics) >= 60
    for measure, quantity in pairs:
        assert set(values[measure]) >= topics
        for topic in topics:
            assert values[measure][topic] == pytest.approx(float(official[quantity, topic]), rel=0, abs=1e-12)
        # single divisions are the same to the last digit; sums differ by their order only
        if measure.startswith("iP"):
            assert all(values[measure][topic] == float(official[quantity, topic]) for topic in topics)
        mean = official.get((quantity, "all")) or official.get((f"M{quantity}", "all"))
        if mean is not None:
            assert means[measure] == pytest.approx(float(mean), abs=1e-12)


def test_duplicated_lines_are_refused_or_dropped(data) -> None:
    folder = data / "inex2009-2010"
    run = folder / "runs" / "bert_inex_converted.dup.run"
    with pytest.raises(bp.InputError, match=r"retrieved twice .*first in line \d+"):
        bp.evaluate(folder / "inex2009-2010.qrels", run, "charR")
    (values,) = bp.evaluate(folder / "inex2009-2010.qrels", run, "charR", duplicates="first").per_topic().values()
    assert max(v for v in values["charR"].values() if v is not None) <= 1


@pytest.mark.parametrize("run", ["180-60-noover", "180-60-over"])
def test_mediaeval_2014(data, run) -> None:
    folder = data / "mediaeval2014"
    official = printed(folder / "expected" / f"{run}.search.txt")
    results = bp.evaluate(folder / "me14sh_search_testSet.qrel.gz", folder / f"{run}.txt.gz", protocol="mediaeval2014")
    (values,) = results.per_topic().values()
    (means,) = results.mean().values()
    for measure, quantity in (("APbin", "map_bin"), ("APtol", "map_tol"), ("AiSP", "maisp")):
        assert len(values[measure]) == 30
        for topic, value in values[measure].items():
            assert f"{value:.4f}" == official[quantity, topic]
        assert f"{means[measure]:.4f}" == official[quantity, "all"]
        assert max(values[measure].values()) <= 1


@pytest.mark.parametrize("run", ["york07-ga-01", "york07-ga-02"])
def test_genomics_2007(data, run) -> None:
    folder = data / "trec-genomics-2007"
    lines = (folder / "expected" / f"{run}.score.txt").read_text().splitlines()[1:]
    official = {(measure, topic): value for _, measure, topic, value in (line.split("\t") for line in lines)}
    results = bp.evaluate(folder / "gold.tsv", folder / "runs" / f"{run}.txt.gz", protocol="genomics2007")
    (values,) = results.per_topic().values()
    (means,) = results.mean().values()
    pairs = (("AP", "DOCUMENT"), ("PassageAP", "PASSAGE"), ("AspectAP", "ASPECT"), ("Passage2AP", "PASSAGE2"))
    for measure, name in pairs:
        assert len(values[measure]) == 36
        for topic, value in values[measure].items():
            assert value == pytest.approx(float(official[name, topic]), abs=5.1e-9)
        assert means[measure] == pytest.approx(float(official[name, "MAP"]), abs=5.1e-9)


NIST = {
    "AP": "map",
    "Rprec": "Rprec",
    "Bpref": "bpref",
    "RR": "recip_rank",
    "nDCG": "ndcg",
    "infAP": "infAP",
    "SetP": "set_P",
    "NumRel": "num_rel",
    "NumRet": "num_ret",
    "NumRelRet": "num_rel_ret",
    **{f"P@{k}": f"P_{k}" for k in (5, 10, 20, 100, 1000)},
    **{f"R@{k}": f"recall_{k}" for k in (5, 100, 1000)},
    **{f"nDCG@{k}": f"ndcg_cut_{k}" for k in (5, 10, 100)},
    **{f"AP@{k}": f"map_cut_{k}" for k in (10, 100)},
    **{f"IPrec@{x}": f"iprec_at_recall_{x:.2f}" for x in (0.0, 0.5, 1.0)},  # at 0.1 pytrec_eval rounds otherwise
    **{f"Success@{k}": f"success_{k}" for k in (1, 5, 10)},
}


@pytest.mark.parametrize(
    ("qrels", "run", "output", "topics"),
    [
        ("qrels.test", "results.test", "out.test.a", "judged"),
        ("qrels.test", "results.test", "out.test.aq", "judged"),
        ("qrels.test", "results.trunc", "out.test.aqc", "judged"),
    ],
)
def test_trec_eval(data, qrels, run, output, topics) -> None:
    folder = data / "trec-eval"
    official = printed(folder / output)
    results = bp.evaluate(folder / qrels, folder / run, list(NIST), topics=topics)
    (values,) = results.per_topic().values()
    (means,) = results.mean().values()
    compared = 0
    for measure, quantity in NIST.items():
        for topic, value in [*values[measure].items(), ("all", means[measure])]:
            if (quantity, topic) in official:
                expected = official[quantity, topic]
                assert (f"{value:.4f}" if "." in expected else f"{value:.0f}") == expected, (measure, topic)
                compared += 1
    assert compared >= len(NIST)


def test_trec_eval_levels(data) -> None:
    """Graded relevance: a higher level of relevance is asked for by rel=, and nDCG reads the grades."""
    folder = data / "trec-eval"
    results = bp.evaluate(folder / "qrels.rel_level", folder / "results.test", "AP(rel=1) AP(rel=2) nDCG P(rel=3)@10")
    (means,) = results.mean().values()
    assert means["AP(rel=2)"] != means["AP(rel=1)"]
    assert 0 < means["nDCG"] < 1
