"""The rules of TREC RAG where they differ from ours."""

from __future__ import annotations

from berrypick.evaluation.protocols.base import Protocol

trec_rag = Protocol(
    "trec-rag",
    "TREC RAG: the six scores of nuggets; a topic without nuggets that count scores 0",
    {},
    default=" ".join(
        f"Nuggets(of='{of}'{strict})" for of in ("vital", "weighted", "all") for strict in (",strict=True", "")
    ),
    rules=frozenset({"empty-is-zero"}),
)
