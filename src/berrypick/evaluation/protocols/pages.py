"""What the programs of visual document retrieval compute, where it differs from areas counted once."""

from __future__ import annotations

from berrypick.evaluation.protocols.base import Protocol

_DEPTHS = (1, 5, 10)

mmdocir = Protocol(
    "mmdocir",
    "the program of MMDocIR: overlaps are added up pair by pair, so that values can pass 1",
    {},
    default=" ".join(f"charR@{k}" for k in _DEPTHS),
    rules=frozenset({"count-pairs"}),
)
bbox_docvqa = Protocol(
    "bbox-docvqa",
    "the program of BBox-DocVQA: for each gold box the best IoU of any box on its page; extra boxes are free",
    {},
    default="BestIoU",
)
