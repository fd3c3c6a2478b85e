"""What the programs of TVR and of Ego4D's natural language queries print."""

from __future__ import annotations

from berrypick.evaluation.protocols.base import Protocol

tvr = Protocol(
    "tvr",
    "the program of TVR: recall of the first 1, 5, 10 and 100 moments; a moment without length is missed by everybody",
    {},
    default=" ".join(f"spanHit(iou={iou})@{k}" for iou in (0.5, 0.7) for k in (1, 5, 10, 100)),
    rules=frozenset({"unhittable-is-missed"}),
)
ego4d_nlq = Protocol(
    "ego4d-nlq",
    "the program of Ego4D's language queries: overlap above the threshold; queries without predictions are skipped",
    {},
    topics="run",
    default=" ".join([*(f"spanHit(iou={iou})@{k}" for k in (1, 5) for iou in (0.3, 0.5)), "BestIoU@1"]),
    rules=frozenset({"iou-above", "unhittable-is-missed"}),
)
