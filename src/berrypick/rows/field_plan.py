"""What the names of a row mean, found once for each tuple of names.

Most rows hold one plain value under each name. For those the plan says which field each name fills, and the values are
taken over without another look (:class:`DirectFields`). Where values decide, as with two names for one thing, the
parser looks at each row.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from berrypick.data.errors import UsageError, nearest
from berrypick.rows.chosen_fields import NOTHING_CHOSEN, ChosenFields
from berrypick.rows.counted_places import COUNTED
from berrypick.rows.fields import (
    COMMON,
    ELSEWHERE_UNITS,
    LAST_QUOTES,
    LISTED_FIELDS,
    LISTS,
    LISTS_OF_TEXTS,
    ONE_ONLY,
    PLACES,
    QUESTIONS,
    TABLE,
    TOPIC,
    Role,
    is_page,
    ours_of,
    plain_name,
    spelt,
)
from berrypick.rows.layouts import LAYOUTS, short_name
from berrypick.rows.relevance_fields import score_is_grade

#: Fields whose values are accepted directly. Texts and lengths may be something else, and are looked at.
_SIMPLE = frozenset({"topic", "doc", "start", "end", "rank", "score", "grade", "tag", "run", "stage", "results",
                     "judged", "is_impossible", "annotator", "checksum", "set", "hop"})  # fmt: skip
_SIMPLE_TOO = ("tag", "results")
#: Names that give way to any other name of the document.
_WEAK = frozenset({"document", "title", "passage_id", "pid"})


@dataclass(frozen=True)
class DirectFields:
    """The fields of rows with plain values: a value under each name, none of them missing."""

    #: Our names to theirs.
    called: Mapping[str, str]
    #: Their names that fill no field.
    rest: tuple[str, ...]
    #: Their names of pages, which are kept apart beside a text or offsets.
    pages: tuple[str, ...]

    @cached_property
    def as_is(self) -> bool:
        """Whether rows have our names, and no others."""
        return not self.rest and not self.pages and not self.steps and all(o == t for o, t in self.called.items())

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Their names of texts; a value that is none decides what is read instead."""
        return tuple(theirs for ours, theirs in self.called.items() if ours in ("text", "quote"))

    @cached_property
    def steps(self) -> frozenset[str]:
        """Our names of fields that are made into others: a distance, a length, places by lines or seconds."""
        return frozenset({"distance", "length", "lines", *COUNTED}.intersection(self.called))

    @cached_property
    def lacks_end(self) -> bool:
        """Whether rows have a start and no end."""
        return "start" in self.called and "end" not in self.called

    @cached_property
    def objects(self) -> frozenset[str]:
        """Names of the rest under which lists and objects may stand, if they do not say where."""
        return frozenset(n for n in self.rest if plain_name(n) not in PLACES and short_name(n) not in LAYOUTS)


@dataclass(frozen=True)
class FieldPlan:
    """What the names of a row mean: for each of ours the names to look under, in order."""

    role: Role
    simple: bool  # all names are ours, and their values are taken as they are
    wanted: Mapping[str, tuple[str, ...]]
    #: How rows with plain values are read; None where values decide even then.
    direct: DirectFields | None = None
    #: Their names under which there may be lists of results, or of what is relevant.
    whole: tuple[str, ...] = ()
    asked: bool = False  # whether the question is all that names the topic
    #: Their names of texts under which a list may hold objects: results, each with fields of its own.
    contexts: tuple[str, ...] = ()
    #: Their names that are not read because a person says so.
    ignored: frozenset[str] = frozenset()

    def names(self, *ours: str) -> list[str]:
        """Their names for some of ours."""
        return [name for one in ours for name in self.wanted.get(one, ())]

    @cached_property
    def lists(self) -> tuple[str, ...]:
        """Their names under which there may be lists, of results or of what results have."""
        return (*self.whole, *self.names(*LISTED_FIELDS))

    @cached_property
    def may_list(self) -> tuple[str, ...]:
        """Their names whose values may make several rows of one."""
        return (*self.lists, *self.contexts, *(self.quotes if self.role == "truth" else ()))

    @cached_property
    def may_list_beside_doc(self) -> tuple[str, ...]:
        """The same in a row that has one document."""
        return (*self.whole, *(self.quotes if self.role == "truth" else ())) if self.simple else self.may_list

    @cached_property
    def quotes(self) -> tuple[str, ...]:
        """Their names of quotes, which may be lists of objects."""
        return tuple(name for name in self.names("quote") if plain_name(name) not in LAST_QUOTES)


@lru_cache(maxsize=1024)
def plan_of(
    names: tuple[str, ...], role: Role, chosen: ChosenFields = NOTHING_CHOSEN, first_doc: bool = False
) -> FieldPlan:
    """Make the plan for a tuple of names; ``first_doc``: of several names of a document the first counts."""
    settled = {ours: spelt(name, names) for ours, name in chosen.named}
    ignored = frozenset(name for name in names if _is_ignored(name, role, chosen))
    apart = {*settled.values(), *ignored, *(spelt(name, names) for name in chosen.groups)}
    plain: dict[str, list[str]] = {}
    for name in names:
        if name not in apart:
            plain.setdefault(plain_name(name), []).append(name)
    asked = not plain.keys().isdisjoint(QUESTIONS[:-1]) and plain.keys().isdisjoint(TOPIC.usual)
    wanted = _wanted(plain, role, {ours: theirs for ours, theirs in settled.items() if theirs in names}, settled.keys())
    if "id" in plain and asked and "topic" not in settled:  # in a run it may also be the id of a chunk
        wanted["topic" if role == "truth" else "id"] = tuple(plain["id"])
    return FieldPlan(
        role,
        simple=not chosen and {*TABLE[role]}.intersection(_SIMPLE).union(_SIMPLE_TOO).issuperset(names),
        wanted=wanted,
        direct=_direct(plain, wanted, tuple(name for name in names if name not in ignored), role, first_doc),
        whole=_under(plain, LISTS[role]),
        asked=asked,
        contexts=_under(plain, LISTS_OF_TEXTS) if role == "run" else (),
        ignored=ignored,
    )


def _wanted(
    plain: Mapping[str, Sequence[str]], role: Role, chosen: Mapping[str, str], settled: Iterable[str]
) -> dict[str, tuple[str, ...]]:
    """Our names to theirs, in the order in which fields are read: as a person says, else as the table has them."""
    known = {*settled}
    found: dict[str, tuple[str, ...]] = {}
    for ours, aliases in TABLE[role].items():
        if ours in chosen:
            found[ours] = (chosen[ours],)
        elif ours not in known and (theirs := _under(plain, aliases.all, "tag")):  # a tag names the run in its own way
            found[ours] = theirs
    if role == "truth" and "grade" not in {*found, *known} and score_is_grade(plain):
        found["grade"] = tuple(plain["score"])
    return found


def _under(plain: Mapping[str, Sequence[str]], known: Iterable[str], but: str = "") -> tuple[str, ...]:
    """Their names that stand for some known ones."""
    return tuple(name for one in known if one != but for name in plain.get(one, ()))


def _is_ignored(name: str, role: Role, chosen: ChosenFields) -> bool:
    """Whether a person says that a field is not read, by its name or by what it would be read as."""
    if not chosen.ignored or name in chosen.names:
        return False
    return ours_of(name, role) in chosen.ignored or plain_name(name) in map(plain_name, chosen.ignored)


def rivals_of(ours: str, usual: list[str], found: list[str]) -> list[str]:
    """Names of which each could be meant. Of texts the first is; a title or a passage gives way to any other name."""
    if ours in ("text", "quote"):
        return []
    if ours in ONE_ONLY:
        return found
    return usual or [name for name in found if plain_name(name) not in _WEAK]


def _direct(
    plain: Mapping[str, Sequence[str]],
    wanted: Mapping[str, tuple[str, ...]],
    names: Sequence[str],
    role: Role,
    first_doc: bool,
) -> DirectFields | None:
    """How rows with plain values are read; None where values decide what a name means."""
    placed = not {"start", "text", *COUNTED}.isdisjoint(wanted)
    pages = tuple(name for name in names if is_page(name)) if placed else ()
    if pages and role == "truth":
        return None
    doubtful = {*COMMON, "document", "results", *(() if role == "run" else (*LAST_QUOTES, "tag"))}
    doubtful |= {name for name in ELSEWHERE_UNITS if not (pages and is_page(name))}
    if not doubtful.isdisjoint(plain) or {"quote", "text"} <= {*wanted}:
        return None
    called: dict[str, str] = {}
    for ours, theirs in wanted.items():
        left = [name for name in theirs if name not in pages]
        usual = [name for name in left if ours != "id" and plain_name(name) in TABLE[role][ours].usual]
        if len(rivals_of(ours, usual, left)) > 1 and not (first_doc and ours == "doc"):
            return None
        if left:
            called[ours] = (usual or left)[0]
    if role == "run" and "tag" in plain:
        called["tag"] = "tag"
    if len({*called.values()}) < len(called) or ("tag" in called and "tag" not in names):
        return None
    used = {*called.values(), *pages}
    return DirectFields(called, tuple(name for name in names if name not in used), pages)


def direct_names(names: tuple[str, ...], role: Role) -> Mapping[str, str] | None:
    """What names are called here, '' where they are not read; None where texts and numbers under them decide what is
    read. A row of some of these names is read the same way."""
    plan = plan_of(names, role)
    if plan.simple:
        return {name: name for name in names}
    direct = plan.direct
    if direct is None or direct.texts or direct.lacks_end or direct.pages or direct.steps:
        return None
    if any(len(theirs) > 1 for theirs in plan.wanted.values()):
        return None  # a row may have one of them alone
    return {**dict.fromkeys(names, ""), **{theirs: ours for ours, theirs in direct.called.items()}}


def refuse_unknown(chosen: ChosenFields, names: Sequence[str], where: str) -> None:
    """Refuse names that a person gave and that are not among those of an input."""
    ignored = {plain_name(name) for name in names} | {*TABLE["truth"]}
    for name in (*chosen.names, *(name for name in chosen.ignored if plain_name(name) not in ignored)):
        if names and spelt(name, names) not in names:
            has = nearest(name, list(names)) or f"; it has {', '.join(names[:12])}"
            raise UsageError(f"{where} has no field {name}{has}")
