"""The list of targets for readers who take several pointers as one list item, and where it may not be ideal."""

from __future__ import annotations

import numpy as np

from berrypick.data.arrays import BoolArray, FloatArray
from berrypick.kernels.lists import ideal as ideals
from berrypick.topics.topic import JudgedTopic


def takes_all(judged: JudgedTopic) -> bool:
    """Whether the reader who opens an item goes through all of it, so that the list of targets is one of documents."""
    chances = judged.context.user.chances
    return chances is not None and chances.takes_all


def targets_by_document(judged: JudgedTopic, worth: FloatArray) -> FloatArray:
    """What the targets of each document are worth together, the most first."""
    number = {name: n for n, name in enumerate(dict.fromkeys(judged.targets.document))}
    code = np.array([number[name] for name in judged.targets.document], dtype=np.int64)
    return -np.sort(-np.bincount(code, weights=worth, minlength=len(number)).astype(np.float64))


def share_documents(judged: JudgedTopic) -> bool:
    """Whether the reader may get several targets with one item."""
    held = targets_by_document(judged, np.ones(len(judged.targets)))
    return judged.context.user.chances is not None and bool((held > 1).any())


def list_of_documents(judged: JudgedTopic, ideal: BoolArray) -> ideals.Ideal:
    """ideal='targets' where an item of all its targets stands for each document: the least number of documents."""
    held = np.cumsum(targets_by_document(judged, ideal.astype(np.float64)))
    length = (np.searchsorted(held, np.arange(1, int(ideal.sum()) + 1) - 0.5) + 1).astype(np.float64)
    return ideals.Ideal(length, 1.0 / length, tuple(range(int(k)) for k in length))


def target_list_notes(judged: JudgedTopic, of: str) -> tuple[str, ...]:
    """Where the list of targets may not be the ideal one; ``of`` is what searches for it."""
    chances = judged.context.user.chances
    if (
        chances is not None
        and not takes_all(judged)
        and (targets_by_document(judged, np.ones(len(judged.targets))) > 1).any()
    ):
        return (
            "the ideal list has one target per item, but a list of items with several pointers may be shorter; "
            f"{of} searches for it",
        )
    reach = judged.reach if judged.context.user.chances is None else judged.reach_of_pointers
    if reach.row_sums.max(initial=0.0) > 1 + 1e-9:
        return (several_at_once_note(of),)
    return ()


def several_at_once_note(of: str) -> str:
    """Why the list of targets may not be the ideal one; ``of`` is what searches for it."""
    return (
        "one unit reaches several targets at once (its reach sums to more than 1), so the list of targets may "
        f"not be the ideal one; {of} searches for it"
    )


def several_documents_note(judged: JudgedTopic, value: float | None) -> tuple[str, ...]:
    """Why a value may be above 1 whatever the ideal list."""
    if value is None or value <= 1 + 1e-9 or judged.context.user.chances is None:
        return ()
    rank, document = judged.consulted.rank, judged.consulted.document
    if len(np.unique(rank)) == len(np.unique(np.stack([rank, document]), axis=1).T):
        return ()
    return ("a list item points into several documents, as no item of an ideal list does; so values can exceed 1",)
