"""The names that columns and fields have elsewhere, and what they are called here.

Names are compared without regard to case, hyphens and blanks: ``query-id`` and ``Query ID`` are ``query_id``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from berrypick.core.errors import InputError, UsageError, nearest

Role = Literal["truth", "run"]


@dataclass(frozen=True)
class Aliases:
    """Names for one thing. Two ``usual`` ones are an error; ``other`` ones count where no usual one is there."""

    usual: tuple[str, ...]
    other: tuple[str, ...] = ()


# PyTerrier's frames have docno and, beside it, an internal docid; and qid beside the text of the query
_SHARED = {
    "topic": Aliases(
        ("topic", "topic_id", "query_id", "qid", "q_id", "question_id"), ("queryid", "topicid", "query", "question")
    ),
    "doc": Aliases(
        ("doc", "doc_id", "docno", "corpus_id", "document_id"),
        ("docid", "source", "source_id", "ref_doc_id", "file_path", "file_name", "passage_id", "pid"),
    ),
    "start": Aliases(
        ("start", "start_index", "start_char_idx", "start_char", "start_offset", "span_start", "split_idx_start"),
        ("offset",),
    ),
    "end": Aliases(("end", "end_index", "end_char_idx", "end_char", "end_offset", "span_end")),
    "length": Aliases(("length", "span_len", "span_length")),
}
COLUMNS: Mapping[Role, Mapping[str, Aliases]] = {
    "truth": {
        **_SHARED,
        "grade": Aliases(("grade", "relevance", "label", "rel", "judgement", "judgment"), ("score",)),
        "quote": Aliases(("quote",)),
        "text": Aliases(("text",)),  # checks offsets, and is anything else where there are none
        "offsets": Aliases(("offsets",)),
        "judged": Aliases(("judged",)),
        "is_impossible": Aliases(("is_impossible",)),
    },
    "run": {
        **_SHARED,
        "rank": Aliases(("rank",)),
        "score": Aliases(("score", "similarity", "similarity_score", "relevance_score")),
        "text": Aliases(("text",), ("page_content", "content", "chunk_text")),
        "run": Aliases(("run", "run_id", "runid", "run_name", "tag", "system")),
    },
}
#: What may stand for the name of a document: text that is looked up.
_INSTEAD: Mapping[Role, str] = {"truth": "quote", "run": "text"}


def match_columns(
    names: Sequence[str], role: Role, chosen: Mapping[str, str] | None = None, where: str = "the data frame"
) -> dict[str, str]:
    """Our names to those of the columns; ``chosen`` settles some of them. Unknown columns are ignored."""
    known, chosen = COLUMNS[role], dict(chosen or {})
    for ours, theirs in chosen.items():
        if ours not in known:
            raise UsageError(f"columns: {ours} is none of {', '.join(known)}{nearest(ours, list(known))}")
        if theirs not in names:
            raise InputError(f"{where} has no column {theirs}{nearest(theirs, list(names))}", remedy=_has(names))
    matched = {**find_columns(tuple(names), role, where, frozenset(chosen)), **chosen}
    for needed in ("topic", "doc"):
        if needed not in matched and not (needed == "doc" and _INSTEAD[role] in matched):
            expected = ", ".join(known[needed].usual)
            also = f", or {_INSTEAD[role]} to look up in the documents" if needed == "doc" else ""
            raise InputError(
                f"{where} has no column for the {'document' if needed == 'doc' else 'topic'}",
                remedy=f"expected one of {expected}{also}; {_has(names)}; {_explicit(role, needed)}",
            )
    _check_role(matched, names, role, where, "grade" in chosen)
    return matched


def _check_role(matched: Mapping[str, str], names: Sequence[str], role: Role, where: str, chosen: bool) -> None:
    """Truth and run in each other's place would give numbers too."""
    grades = COLUMNS["truth"]["grade"].usual
    graded = [name for name in names if plain_name(name) in grades]
    ranked = [name for name in names if plain_name(name) == "rank"]
    if role == "run" and graded and not {"rank", "score"} & set(matched):
        why = f"a truth: it has {graded[0]}, and neither rank nor score"
    elif role == "truth" and ranked and not graded and not chosen:
        why = f"a run: it has {ranked[0]}, and no {', '.join(grades)}"
    else:
        return
    raise InputError(f"{where} looks like {why}", remedy="the truth is given first, then the runs")


@lru_cache(maxsize=256)
def find_columns(
    names: tuple[str, ...], role: Role, where: str, settled: frozenset[str] = frozenset()
) -> dict[str, str]:
    """Our names to those that mean the same, without the ``settled`` ones; none is needed."""
    wanted = {ours: aliases for ours, aliases in COLUMNS[role].items() if ours not in settled}
    found = {ours: _match(ours, aliases, names, role, where) for ours, aliases in wanted.items()}
    return {ours: theirs for ours, theirs in found.items() if theirs}


def names_topic(names: Iterable[str]) -> bool:
    """Whether one of the names is that of a topic."""
    return has_name(names, COLUMNS["run"]["topic"])


def has_name(names: Iterable[str], aliases: Aliases) -> bool:
    """Whether one of the names is among those for one thing."""
    return any(plain_name(name) in (*aliases.usual, *aliases.other) for name in names)


def _match(ours: str, aliases: Aliases, names: Sequence[str], role: Role, where: str) -> str:
    for known in (aliases.usual, aliases.other):
        found = [name for name in names if plain_name(name) in known]
        if len(found) > 1:
            raise InputError(
                f"{where} has {len(found)} columns for the {ours}: {', '.join(found)}",
                remedy=f"keep one of them; {_explicit(role, ours, found[0])}",
            )
        if found:
            return found[0]
    return ""


def plain_name(name: str) -> str:
    return name.strip().lower().replace("-", "_").replace(" ", "_")


def _has(names: Sequence[str]) -> str:
    return f"it has {', '.join(names) or 'no columns'}"


def _explicit(role: Role, ours: str, example: str = "...") -> str:
    shown = example if example == "..." else repr(example)
    return f"bp.{role}_from_frame(frame, columns={{{ours!r}: {shown}}}) names one"
