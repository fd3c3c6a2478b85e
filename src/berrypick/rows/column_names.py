"""Columns of data frames and records, matched by their names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from berrypick.data.errors import InputError, UsageError, nearest
from berrypick.rows.field_plan import rivals_of
from berrypick.rows.fields import (
    COMMON,
    INSIDE,
    LISTS,
    QUESTIONS,
    TABLE,
    Aliases,
    Role,
    is_question,
    is_used,
    ours_of,
    plain_name,
)
from berrypick.rows.relevance_fields import NAMES as GRADES
from berrypick.rows.relevance_fields import OF_TRUTHS_ALONE, OPEN, score_is_grade

#: What may stand for the name of a document: text that is looked up.
_INSTEAD: Mapping[Role, str] = {"truth": "quote", "run": "text"}


def match_columns(
    names: Sequence[str], role: Role, chosen: Mapping[str, str] | None = None, where: str = "the data frame"
) -> dict[str, str]:
    """Our names to those of the columns; ``chosen`` settles some of them."""
    known, chosen = TABLE[role], dict(chosen or {})
    for ours, theirs in chosen.items():
        if ours not in known:
            raise UsageError(f"columns: {ours} is not one of {', '.join(known)}{nearest(ours, list(known))}")
        if theirs not in names:
            raise InputError(f"{where} has no column {theirs}{nearest(theirs, list(names))}", remedy=_has(names))
    left = [name for name in names if name not in chosen.values()]
    matched = {**find_columns(tuple(left), role, where, frozenset(chosen)), **chosen}
    listed = any(plain_name(name) in (*LISTS[role], *INSIDE) for name in names)  # it may be in there
    for needed in ("topic", "doc"):
        if needed not in matched and not (needed == "doc" and (_INSTEAD[role] in matched or listed)):
            expected = ", ".join(known[needed].usual)
            also = f", or {_INSTEAD[role]} to look up in the documents" if needed == "doc" else ""
            raise InputError(
                f"{where} has no column for the {'document' if needed == 'doc' else 'topic'}",
                remedy=f"expected one of {expected}{also}; {_has(names)}; {_explicit(role, needed)}",
            )
    _check_role(matched, names, role, where, "grade" in chosen)
    return matched


#: Columns whose meaning is plain from their names, whatever they hold.
_PLAIN = frozenset({"topic", "doc", "start", "end", "rank", "score", "grade", "run", "stage", "judged",
                    "is_impossible", "annotator", "set", "hop"})  # fmt: skip


def is_plain(matched: Mapping[str, str], names: Sequence[str], role: Role) -> bool:
    """Whether names alone say what columns are; else their values are looked at, row by row."""
    used = {theirs: ours for ours, theirs in matched.items()}
    for name in names:
        plain = plain_name(name)
        if used.get(name, "") in _PLAIN and plain not in COMMON and plain != "document":
            continue
        if role == "truth" and plain in OPEN:
            return False
        doubtful = is_used(name, role) and plain not in QUESTIONS and ours_of(name, role) != "doc"
        if name in used or doubtful:
            return False
    return True


def unread_names(names: Iterable[str], matched: Mapping[str, str], role: Role) -> list[str]:
    """Columns of a run that are not read; those of a truth are fields of its topics."""
    used = {*matched.values()}
    return [name for name in names if role == "run" and name not in used and not is_question(name)]


def _check_role(matched: Mapping[str, str], names: Sequence[str], role: Role, where: str, chosen: bool) -> None:
    """Truth and run in each other's place would give numbers too."""
    grades = OF_TRUTHS_ALONE if role == "run" else GRADES
    graded = [name for name in names if plain_name(name) in grades]
    ranked = [name for name in names if plain_name(name) == "rank"]
    if role == "run" and graded and not {"rank", "score", "distance"} & set(matched):
        why = f"a truth: it has {graded[0]}, and neither rank nor score"
    elif role == "truth" and ranked and not graded and not chosen:
        why = f"a run: it has {ranked[0]}, and no {', '.join(grades)}"
    else:
        return
    raise InputError(f"{where} looks like {why}", remedy="give the truth first, then the runs")


@lru_cache(maxsize=256)
def find_columns(
    names: tuple[str, ...], role: Role, where: str, settled: frozenset[str] = frozenset()
) -> dict[str, str]:
    """Our names to those that mean the same, without the ``settled`` ones; none is needed."""
    found: dict[str, str] = {}
    for ours, aliases in TABLE[role].items():
        if ours not in settled and (theirs := _column(ours, aliases, names, role, where, [*found.values()])):
            found[ours] = theirs
    if role == "truth" and "grade" not in {*found, *settled} and score_is_grade(map(plain_name, names)):
        found["grade"] = next(name for name in names if plain_name(name) == "score")
    return found


def _column(ours: str, aliases: Aliases, names: Sequence[str], role: Role, where: str, taken: Sequence[str]) -> str:
    free = [name for name in names if name not in taken]
    usual = [name for name in free if plain_name(name) in aliases.usual]
    other = [name for known in aliases.other for name in free if plain_name(name) == known]
    rivals = [name for name in names if name in rivals_of(ours, usual, [*usual, *other])]
    if len(rivals) > 1 and ours != "grade":  # whose values may agree: rows are looked at
        raise InputError(
            f"{where} has {len(rivals)} columns for the {ours}: {', '.join(rivals)}",
            remedy=f"keep one of them; {_explicit(role, ours, rivals[0])}",
        )
    return next(iter([*usual, *other]), "")


def _has(names: Sequence[str]) -> str:
    return f"it has {', '.join(names) or 'no columns'}"


def _explicit(role: Role, ours: str, example: str = "...") -> str:
    shown = example if example == "..." else repr(example)
    return f"bp.{role}_from_frame(frame, columns={{{ours!r}: {shown}}}) names one"
