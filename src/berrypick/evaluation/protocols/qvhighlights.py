"""What the program of QVHighlights prints."""

from __future__ import annotations

from berrypick.evaluation.protocols.base import Protocol

_IOUS = ("iou=0.5", "iou=0.75", "iou='0.5:0.95'")
_LABELS = ("Fair", "Good", "VeryGood")

qvhighlights = Protocol(
    "qvhighlights",
    "the program of QVHighlights: moments (all, and by their lengths) and highlights",
    {},
    default=" ".join(
        [
            "spanHit(iou=0.5)@1 spanHit(iou=0.7)@1",
            *(f"spanAP({iou})@10" for iou in _IOUS),
            *(f"spanAP(iou='0.5:0.95',length='{length}')@10" for length in ("short", "middle", "long")),
            *(f"Highlight{what}(label='{label}')" for label in _LABELS for what in ("AP", "Hit")),
        ]
    ),
)
