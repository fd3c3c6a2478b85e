"""What the programs of benchmarks report, where it differs from measures of ours."""

from __future__ import annotations

from berrypick.evaluation.protocols import Protocol

kilt = Protocol(
    "kilt",
    "the program of KILT: each alternative set of pages is one point of the list",
    {},
    default="KiltRprec KiltP@1 KiltP@5 KiltR@5 Success@5",
)
scifact = Protocol(
    "scifact",
    "the program of SciFact: sentence selection by counts over all claims, of which ratios are taken",
    {},
    default="Selected(of='correct') Selected(of='returned') Selected(of='wanted')",
)
