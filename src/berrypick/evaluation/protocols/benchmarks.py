"""What the programs of benchmarks report, where it differs from measures of ours."""

from __future__ import annotations

from dataclasses import replace

from berrypick.evaluation.protocols.base import Protocol
from berrypick.evaluation.protocols.fever import fever

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
scifact_labels = replace(
    scifact,
    name="scifact-labels",
    what="the program of SciFact with its labels: abstracts and sentences by counts, of which ratios are taken",
    default=" ".join(
        [
            scifact.default,
            *(f"Abstracts(of='{of}')" for of in ("sentences", "labelled", "reasoned", "returned", "wanted")),
        ]
    ),
)
fever_labels = replace(
    fever,
    name="fever-labels",
    what="the scorer of FEVER with its labels: FEVER score, label accuracy, precision and recall of evidence",
    default=f"Verified@5 Verified(evidence=False) {fever.default}",
)
