"""The rules of campaigns and of other programs, where they differ from ours."""

from __future__ import annotations

from berrypick.evaluation.protocols.base import Protocol, Task

#: Ranks that count in the INEX campaigns.
LONGEST = 1500

_EPRUM_BEP = " ".join(f"EPRUM(user='bep(A={a})')" for a in ("0.01", "0.1", "1", "10", "100"))
_BEPD = " ".join(f"BEPD(A={a})" for a in ("0.01", "0.1", "1", "10", "100"))
_GP = " ".join(f"gP@{k}" for k in (1, 2, 3, 5, 10, 25, 50))
_GR = " ".join(f"gR@{k}" for k in (1, 2, 3, 5, 10, 25, 50))
_IP = "iP@0.00 iP@0.01 iP@0.05 iP@0.10"

#: The tasks of INEX. Lists for thorough were called CO and CAS before 2005.
INEX_TASKS = (
    Task("thorough", f"{_IP} AiP MAep", repair="drop-overlap", also=("co", "cas")),
    Task("focused", f"{_IP} AiP nxCG@10", ("no-overlap",), "drop-overlap"),
    Task("relevant-in-context", "AgP gP@5 gP@10 gP@25 gP@50", ("no-interleaving", "no-overlap"), "group"),
    Task("best-in-context", "BEPD AgP(score='bep') EPRUM(user='bep')", ("one-per-article",), "first-per-article"),
)

inex2006 = Protocol(
    "inex2006",
    "INEX 2006: XCG for thorough and focused, generalised precision with beta 1, entry points",
    {
        "focused": "nxCG@5 nxCG@10 nxCG@25 nxCG@50",
        "thorough": "MAep",
        "relevant-in-context": "AgP gP@5 gP@10 gP@25 gP@50",
        "best-in-context": f"{_BEPD} {_EPRUM_BEP}",
    },
    longest=LONGEST,
    tasks=INEX_TASKS,
    rules=frozenset({"beta-1"}),
    ignore_elements=("*link",),  # the official results used assessments without any kind of link
)
inex2010 = Protocol(
    "inex2010",
    "INEX 2009 and 2010: the official program, its quirks included",
    {
        "focused": f"{_IP} AiP",
        "thorough": f"{_IP} AiP",
        "relevant-in-context": f"{_GP} {_GR} AgP AgP(score='t2i',tolerance=300)",
        "best-in-context": "AgP(score='bep',n=500) "
        + " ".join(f"gP(score='bep',n=500)@{k}" for k in (1, 2, 3, 5, 10, 25, 50)),
    },
    topics="run",
    rules=frozenset({"empty-is-zero", "last-rank-repeats", "charge-in-full"}),
    tasks=INEX_TASKS,
)
mediaeval2014 = Protocol(
    "mediaeval2014",
    "MediaEval search 2014",
    {},
    topics="run",
    default="APbin APtol AiSP",
    rules=frozenset({"segments-again"}),
)
genomics2007 = Protocol("genomics2007", "TREC Genomics 2007", {}, default="AP PassageAP AspectAP Passage2AP")
chunking_evaluation = Protocol(
    "chunking-evaluation",
    "the program chunking_evaluation (Chroma, 2024)",
    {},
    default="IoU@5 charR@5 charP@5 PrecisionOmega(touching=True)",
    rules=frozenset({"count-each"}),
)
legalbench_rag = Protocol(
    "legalbench-rag",
    "the program legalbenchrag (ZeroEntropy, 2024), beside text counted once",
    {},
    default="charP charR charP(counted='once') charR(counted='once')",
    rules=frozenset({"count-pairs"}),
)
