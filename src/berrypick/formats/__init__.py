"""Files to values and back, one file per format; the content of a file decides its format."""

from __future__ import annotations

import os
import re
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from heapq import heappop, heappush
from pathlib import Path
from typing import Any

from berrypick.data import spec as specs
from berrypick.data.adopting import golden_offer
from berrypick.data.collection import Collection
from berrypick.data.errors import BerrypickWarning, InputError, UsageError, nearest, nesting_refused, option
from berrypick.data.navigation import LinkTable, Navigation, ReachTable, Sessions, TransitionCounts
from berrypick.data.run import Run
from berrypick.data.truth import Truth
from berrypick.files.files import (
    atomic_writer,
    content,
    file_name,
    head,
    is_parquet,
    numbered_head,
    reusable,
    size_of,
)
from berrypick.files.line_words import finite
from berrypick.formats.base import Format, Problems, Role, agrees
from berrypick.registry.definitions import Definition, Room
from berrypick.registry.registry import Registry, class_problem, plugin_errors
from berrypick.rows.valid_names import check_names
from berrypick.workers.progress import gc_paused

__all__ = [
    "Format",
    "Problems",
    "by_name",
    "content",
    "finer_format",
    "finite",
    "measures_for",
    "positions_in",
    "read_any",
    "read_collection",
    "read_navigation",
    "read_run",
    "read_truth",
    "registered",
    "registry",
    "sniff",
    "sniff_all",
    "split_runs",
    "write",
]


#: What decides before a file is loaded whether a format is asked.
DECLARED = ("begins", "marks", "words")
#: What is read from the files of formats.
FACTS = ("format_name", "role", "aliases", *DECLARED, "before", "usual", "sniff_folder", "sniff_columns")

registry: Registry[type[Format]] = Registry(
    "formats",
    "format",
    Room(__name__, Path(__file__).parent, facts=FACTS),
    class_problem(Format),
    takes=lambda value: isinstance(value, type) and issubclass(value, Format),
    name_of=lambda one: one.facts.get("format_name", ""),
)
#: Every format by name.
registered = registry.all


def by_name(name: str | type[Format], role: Role | None = None) -> type[Format]:
    """A format by its name; a class is taken as it is."""
    if isinstance(name, type) and issubclass(name, Format):
        found: type[Format] | None = name
    elif isinstance(name, str):
        name = name.partition("(")[0]
        found = registry.find(name)
    else:
        raise UsageError(f"{name!r:.60} is not a format; give its name as a string, e.g. 'trec-run'")
    if found is None:
        known = _names(role)
        raise registry.unknown(str(name), known, f"; available: {', '.join(known)}")
    if role not in (None, found.role):
        offer = nearest(found.name(), _names(role))
        raise UsageError(f"format {found.name()} is for a {found.role}, not a {role}{offer}")
    return found


def reading_options(chosen: type[Format], given: str | type[Format] | None) -> dict[str, Any]:
    """How a file is to be read, from the brackets after the name of its format."""
    if not isinstance(given, str) or "(" not in given:
        return {}
    found = dict(specs.parse("format(" + given.partition("(")[2], "format").parameters)
    return checked_reading(chosen, found)


def checked_reading(chosen: type[Format], options: dict[str, Any]) -> dict[str, Any]:
    """Refuse what a format is not read by."""
    for name in options:
        if name not in chosen.reading:
            known = f"it takes {', '.join(chosen.reading)}" if chosen.reading else "it takes none"
            raise UsageError(f"format {chosen.name()} has no {name}: {known}")
    return options


def positions_in(name: str) -> str | None:
    """What positions count in a format, chars or seconds; None if that depends on the file, or nothing was read."""
    found = registry.find(name.partition("(")[0]) if name else None
    return None if found is None else found.positions


def measures_for(name: str) -> str:
    """What is computed for a truth of a format where no measure is named; '' if what is judged says it."""
    found = registry.find(name) if name else None
    return "" if found is None else found.default_measures


def finer_format(read: Truth | Run, level: str | None, from_file: bool) -> str | None:
    """Return the format that reads the units of a level from the same file; None if the content as read has them.

    Without a file to read again it is an error.
    """
    known = registry.find(read.format.partition("(")[0]) if level and read.format else None
    finer = known.at_level.get(str(level)) if known is not None else None
    if finer is not None and not from_file:
        source = read.source or ("the truth" if isinstance(read, Truth) else "the run")
        what = f"{source} was read as {read.format}, which has no {level}s"
        raise UsageError(f"{what}: give the name of the file, or read it with the format {finer}")
    return finer


def _names(role: Role | None) -> list[str]:
    return [candidate.name() for candidate in _of_role(role)]


def sniff(path: str, role: Role | None = None) -> type[Format]:
    """The format of a file, from its content; ``role`` decides between several."""
    if os.path.isdir(path):
        return _sniff_folder(path, role)
    numbered = numbered_head(path)
    if not numbered:
        what = "the file has only blank lines and comments" if size_of(path) else "the file is empty"
        raise InputError(what, path=path, remedy=_expected(role))
    line, first = numbered[0][0], [text for _, text in numbered]
    if is_parquet(path):
        from berrypick.rows.table_files import parquet_names

        names = parquet_names(path)
        for candidate in _asked(role, lambda one: "sniff_columns" in one.facts):
            if candidate.sniff_columns(names):
                return candidate
    spans = role in (None, "truth", "run")
    if spans and "|" in first[0]:
        from berrypick.rows.table_files import wrong_separator

        if wrong := wrong_separator(first[0], path, line):
            raise wrong
    for candidate in _recognising(first, role):
        return candidate
    _refuse_broken_json(path, first)
    others = [] if role is None else [*_recognising(first)]
    if spans:
        others.sort(key=lambda one: one.role not in ("truth", "run"))  # a table with TABs looks like sessions, too
    if (other := next((one for one in others if role != "truth" or not one.like_golden), None)) is not None:
        what = f"looks like {other.name()} ({other.role}), expected a {role}"
        remedy = [*_otherwise(role or other.role, path), *_scored(other, first[0])]
        raise InputError(what, path=path, line=line, text=first[0], remedy=remedy)
    if spans:
        from berrypick.rows.table_files import almost_spans

        if almost := almost_spans(first[0], path, line):
            raise almost
    nearest_ones = _nearest_json(first, role)
    remedy = [*nearest_ones, *_golden(path, role)] if nearest_ones else _expected(role)
    remedy += [line for one in others for line in _scored(one, "\n".join(first))]
    raise InputError(
        f"is not a recognised {'judgement' if role == 'truth' else role or 'file'} format",
        path=path,
        line=line,
        text=first[0],
        remedy=remedy,
    )


def _refuse_broken_json(path: str, lines: list[str]) -> None:
    """Raise an error that names the line if a file is one JSON value, or several over many lines, and broken."""
    if not _OPENS_JSON.match("\n".join(lines)) or lines[0].rstrip().endswith("}"):
        return  # also JSON Lines, whose parser reports broken lines
    from berrypick.files.json_files import load, load_each

    problems = Problems(path)
    if lines[0].lstrip("\ufeff \t").startswith("["):
        load(path, problems)
    else:
        deque(load_each(path, problems), maxlen=0)


#: How an object, or a list of objects, lists or texts, begins.
_OPENS_JSON = re.compile(r'\ufeff?\s*(?:\{\s*(?:["}]|\Z)|\[\s*(?:[\[{"\]]|\Z))')


def _golden(path: str, role: Role | None) -> list[str]:
    """What to do if a file holds questions with the passages that answer them."""
    return [golden_offer(path)] if role == "truth" else []


def sniff_with_fields(path: str, fields: Any) -> type[Format]:
    """The format of a truth whose fields a person names: nothing but these names may say that it is a truth."""
    from berrypick.formats.spans.span_table import first_names
    from berrypick.rows.chosen_fields import ChosenFields

    try:
        return truth_twin(sniff(path, "truth"))
    except InputError:
        names = first_names(path)
        if not {*ChosenFields.of(fields).names, *ChosenFields.of(fields).ignored} & {*names}:
            raise
    first = next(iter(head(path, 1)), "").lstrip("\ufeff \t")
    return by_name({"{": "span-truth", "[": "span-list-truth"}.get(first[:1], "span-table-truth"))


#: Formats of runs and of truths whose rows may have the same fields.
_TWINS = {"span-run": "span-truth", "span-table-run": "span-table-truth", "result-list": "span-list-truth"}


def truth_twin(found: type[Format]) -> type[Format]:
    """The format of truths whose rows may look like those of a format of runs; any other format as it is."""
    return by_name(_TWINS.get(found.name(), found.name()))


def _nearest_json(lines: list[str], role: Role | None) -> list[str]:
    """The formats whose names are nearest to those in a JSON file; none if it is not JSON."""
    text = "\n".join(lines).lstrip("\ufeff \t\n")
    if not text.startswith(("{", "[")):
        return []
    from berrypick.rows.fields import TABLE, has_name

    names = set(re.findall(r'"((?:[^"\\]|\\.){1,60})"\s*:', text))
    names |= {ours for aliases in TABLE.values() for ours in aliases if has_name(names, aliases[ours])}
    known = [one for one in _of_role(role) if one.json_names]
    ranked = sorted(known, key=lambda one: -_closeness(one.json_names, names))
    close = [one for one in ranked if _closeness(one.json_names, names) >= 1][:3] or ranked[:2]
    shapes = [f"{one.name()}: {one.shape}" for one in close]
    best = close[0] if close else None
    if (
        text.startswith("[")
        and best is not None
        and best.shape.startswith("{")
        and best.name() not in (*_TWINS, *_TWINS.values())  # a list of their objects is another format
        and _closeness(best.json_names, names) >= 3
    ):
        shapes.append("(a JSON list: write its objects one per line)")
    return ["the nearest formats are", *shapes, *registry.problems()] if shapes else []


def _closeness(names: tuple[str, ...], given: set[str]) -> float:
    """How many of the names are among the given ones; one that is nearly there counts half."""
    import difflib

    low = {name.lower() for name in given}
    return sum(
        1.0 if name in given else 0.5 * bool(difflib.get_close_matches(name.lower(), low, 1, 0.6)) for name in names
    )


def _recognising(lines: list[str], role: Role | None = None) -> Iterator[type[Format]]:
    """Go through the formats that recognise first lines; those whose declarations exclude it are not loaded."""

    def agreeing(one: Definition) -> bool:
        declared = {name: one.facts[name] for name in DECLARED if name in one.facts}
        return agrees(lines, **declared)

    for candidate in _asked(role, agreeing):
        with plugin_errors(f"format {candidate.name()}: sniff", candidate):
            found = candidate.recognises(lines)
        if found:
            yield candidate


def _asked(role: Role | None, wanted: Callable[[Definition], bool]) -> Iterator[type[Format]]:
    """Go through the formats of a role in the order in which they are asked, ours first.

    Of ours, only those are loaded whose definition is wanted.
    """
    for definition in in_order(registry.definitions()):
        if role in (None, definition.facts["role"]) and wanted(definition):
            yield registry.load(definition)
    yield from (one for one in registry.others().values() if role in (None, one.role))


def in_order(known: Mapping[str, Definition]) -> Iterator[Definition]:
    """Go through definitions in the order that they declare; where that leaves it open, in the order of their names."""
    from graphlib import TopologicalSorter

    sorter: TopologicalSorter[str] = TopologicalSorter(dict.fromkeys(known, ()))
    for name, one in known.items():
        for later in one.facts.get("before", ()):
            sorter.add(later, name)
    sorter.prepare()
    ready: list[str] = []
    while sorter.is_active():
        for name in sorter.get_ready():
            heappush(ready, name)
        yield known[name := heappop(ready)]
        sorter.done(name)


def sniff_all(path: str) -> list[type[Format]]:
    """Every format that the content could be in."""
    first = [] if os.path.isdir(path) else head(path)
    return [*_recognising(first)] if first else []


def _sniff_folder(path: str, role: Role | None) -> type[Format]:
    for candidate in _asked(role, lambda one: "sniff_folder" in one.facts):
        if candidate.sniff_folder(path):
            return candidate
    raise InputError(
        f"is a folder in no recognised {'judgement' if role == 'truth' else role or 'folder'} format", path=path
    )


def _of_role(role: Role | None) -> Iterator[type[Format]]:
    return (one for one in registry if role in (None, one.role))


def _otherwise(role: Role, path: str) -> list[str]:
    if role in ("truth", "run"):
        return [
            "the truth comes first, then the runs; to read the file in another format, name it with "
            f"{option('format', flag=f'format-{role}')}",
            *_golden(path, role),
        ]
    return _expected(role)


def _scored(candidate: type[Format], first: str) -> list[str]:
    """What to do with judgements whose grades are called scores, which make them look like a run."""
    if candidate.name() not in _TWINS or not re.search(r"\bscore\b", first):
        return []
    return [f"if it is a truth and score is its grade, add {option('fields', 'grade=score')}"]


def _expected(role: Role | None) -> list[str]:
    """Say what would be understood: the usual formats and those of other packages, and how many more there are."""
    known, theirs = [*_of_role(role)], [*registry.others().values()]
    shown = [one for one in known if one.usual or one in theirs] or known
    more = len(known) - len(shown)
    others = [f"or one of {more} others: berrypick list formats"] if more else []
    return ["expected one of", *(f"{value.name()}: {value.shape}" for value in shown), *others, *registry.problems()]


def read_any(
    path: Any,
    role: Role | None = None,
    format: str | type[Format] | None = None,
    problems: Problems | None = None,
    **options: Any,
) -> Any:
    """Read a file of any known format; ``options`` are those of the format."""
    name = file_name(path)
    with reusable(name), gc_paused(), nesting_refused(name):
        fields = options.get("fields")
        chosen = by_name(format, role) if format else sniff_with_fields(name, fields) if fields else sniff(name, role)
        if fields and not chosen.takes_fields:
            what = f"{name}: {chosen.name()} defines its own fields"
            raise UsageError(f"{what}; omit {option('fields')}")
        options |= reading_options(chosen, format)
        problems = problems or Problems(name)
        with plugin_errors(f"{name}: reading it as {chosen.name()}", chosen):
            value = chosen.read(name, problems, **options)
        if not chosen.checks_names:
            check_names(value, name, problems)
    if chosen.positions == "seconds":
        value = _in_seconds(value)
    if chosen.states_empty_lists and isinstance(value, Run):
        value = value.changed(missing="absent")
    if problems.foreign and isinstance(value, (Truth, Run)):
        value = value.changed(foreign=problems.first_lines())
    if (problems.counts or problems.foreign) and isinstance(value, (Truth, Run, LinkTable, Sessions, TransitionCounts)):
        told = problems.told()
        return value.changed(skipped=told) if isinstance(value, (Truth, Run)) else replace(value, skipped=told)
    return value


def split_runs(path: str, chosen: type[Format]) -> list[Run]:
    """Return the runs of a file whose format may hold several; none in most formats."""
    runs = chosen.split(path)
    for run in runs:
        check_names(run, path, Problems(path))
    if chosen.states_empty_lists:
        runs = [run.changed(missing="absent") for run in runs]
    return [_in_seconds(run) for run in runs] if chosen.positions == "seconds" else runs


def _in_seconds(value: Any) -> Any:
    """Say of a truth or run that its positions count seconds, as its format knows: they are no text."""
    if isinstance(value, Run):
        return value if value.start is None else value.changed(unit="seconds")
    if not isinstance(value, Truth) or value.units != "spans":
        return value
    topics = {
        name: topic if topic.start is None else replace(topic, unit="seconds") for name, topic in value.topics.items()
    }
    return replace(value, topics=topics)


def read_truth(path: Any, format: str | type[Format] | None = None) -> Truth:
    r"""Read judgements from a file.

    Parameters
    ----------
    path : str or path
        The file; - is standard input, and gzip is fine.
    format : str, optional
        The name of a format; by default it is detected from the content.

    Returns
    -------
    Truth
        The judgements, with where they stood.

    Examples
    --------
    >>> import os, tempfile
    >>> import berrypick as bp
    >>> path = os.path.join(tempfile.mkdtemp(), "truth.qrels")
    >>> with open(path, "w") as file:
    ...     _ = file.write("q1 0 a 1\nq1 0 b 0\n")
    >>> truth = bp.read_truth(path)
    >>> truth.format, truth.to_dict()
    ('trec-qrels', {'q1': {'a': 1, 'b': 0}})
    """
    truth: Truth = read_any(path, "truth", format)
    return truth


def read_run(path: Any, format: str | type[Format] | None = None) -> Run:
    r"""Read a run from a file.

    Parameters
    ----------
    path : str or path
        The file; - is standard input, and gzip is fine.
    format : str, optional
        The name of a format; by default it is detected from the content.

    Returns
    -------
    Run
        What one system returned.

    Examples
    --------
    >>> import os, tempfile
    >>> import berrypick as bp
    >>> path = os.path.join(tempfile.mkdtemp(), "mine.run")
    >>> with open(path, "w") as file:
    ...     _ = file.write("q1 Q0 a 1 2.5 mine\nq1 Q0 b 2 1.5 mine\n")
    >>> run = bp.read_run(path)
    >>> run.tag, run.to_dict()
    ('mine', {'q1': {'a': 2.5, 'b': 1.5}})
    """
    run: Run = read_any(path, "run", format)
    return run


def read_collection(path: Any, format: str | type[Format] | None = None) -> Collection:
    """Read document lengths."""
    collection: Collection = read_any(path, "collection", format)
    return collection


def read_navigation(path: Any, format: str | type[Format] | None = None) -> Navigation:
    r"""Read a table of reach or transitions, a table of links, or sessions.

    Parameters
    ----------
    path : str or path
        The file; a table without rows is allowed.
    format : str, optional
        The name of a format; by default it is detected from the content.

    Returns
    -------
    ReachTable, LinkTable or Sessions
        What the option ``navigation`` takes.

    Examples
    --------
    >>> import os, tempfile
    >>> import berrypick as bp
    >>> path = os.path.join(tempfile.mkdtemp(), "clicks.tsv")
    >>> with open(path, "w") as file:
    ...     _ = file.write("home\tguide\t0.4\n")
    >>> clicks = bp.read_navigation(path)
    >>> round(bp.score("EPRUM", {"q": {"guide": 1}}, {"q": {"home": 1.0}}, navigation=clicks), 4)
    0.4
    """
    name = file_name(path)
    with reusable(name):
        if format is None and not head(name):
            return ReachTable({}, name)
        navigation: Navigation = read_any(name, "navigation", format)
        return navigation


def write(value: Any, path: Any, format: str | type[Format] | None = None) -> type[Format]:
    """Write a value to a file, atomically.

    Parameters
    ----------
    value : Truth, Run, Collection or navigation
        What a format can hold.
    path : str or path
        The file; a name that ends in .gz is compressed.
    format : str, optional
        The name of a format; by default it follows from how the name of the file ends.

    Returns
    -------
    type[Format]
        The format that was written.

    Examples
    --------
    >>> import os, tempfile
    >>> import berrypick as bp
    >>> run = bp.Run.from_dict({"q1": {"a": 2.5, "b": 1.5}}, tag="mine")
    >>> path = os.path.join(tempfile.mkdtemp(), "mine.run")
    >>> bp.write(run, path, "trec-run").name()
    'trec-run'
    >>> with open(path) as file:
    ...     print(file.read(), end="")
    q1 Q0 a 1 2.5 mine
    q1 Q0 b 2 1.5 mine
    """
    name = file_name(path)
    chosen = by_name(format) if format else _for_suffix(value, name)
    lost = chosen.lost(value)
    problem = (
        chosen.accepts(value) or (chosen.refusal(value) if lost - LEFT_OUT else "") or _empty_topics(chosen, value)
    )
    if problem:
        raise UsageError(f"{chosen.name()} cannot store this: {problem}")
    if lost:
        what = " and ".join(sorted(lost))
        warnings.warn(f"{name}: {chosen.name()} has no {what}: not written", BerrypickWarning, stacklevel=2)
    with atomic_writer(name) as out:
        if _suffixes(name)[-1:] == [".parquet"]:
            chosen.write_parquet(value, out.buffer)
        else:
            chosen.write(value, out)
    return chosen


#: What a truth of a campaign has beside its spans, and who converts it to spans can do without.
LEFT_OUT = frozenset({"entry points", "aspects", "saliency", "labels"})


def _empty_topics(chosen: type[Format], value: Any) -> str:
    """Why a format cannot hold topics that have no line of their own; '' if there are none, or it can."""
    if chosen.holds_empty_topics or not isinstance(value, (Run, Truth)):
        return ""
    if isinstance(value, Run):
        empty = next((topic for topic in value.topics if not value.size(topic)), None)
        return "" if empty is None else f"the run has an empty list for topic {empty}"
    topics = [one for one in value.topics.values() if one.no_answer or not chosen.holds_unjudged_topics]
    bare = next((topic for topic in topics if not topic.quotes and not any(topic.documents())), None)
    said = "nothing was judged for topic {}" if bare is None or not bare.no_answer else "topic {} has no answer"
    return "" if bare is None else f"the truth states that {said.format(bare.topic)}"


def _suffixes(name: str) -> list[str]:
    from pathlib import Path  # loads urllib

    return Path(name).suffixes


def _for_suffix(value: Any, name: str) -> type[Format]:
    endings = [suffix for suffix in _suffixes(name) if suffix != ".gz"]
    ending = endings[-1] if endings else ""
    able = [candidate for candidate in registry if not candidate.accepts(value) and candidate.lost(value) <= LEFT_OUT]
    fitting = [candidate for candidate in able if ending in candidate.suffixes]
    if len(fitting) == 1:
        return fitting[0]
    if not able:
        raise UsageError("no format can store this")
    names = ", ".join(candidate.name() for candidate in (fitting or able))
    raise UsageError(
        f"{name}: the extension does not determine the format; choose with {option('format', flag='to')}: {names}"
    )
