"""One file per format. The format of a file is detected from its content."""

from __future__ import annotations

import json
import os
import re
import sys
import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from berrypick.core import spec as specs
from berrypick.core.collection import Collection
from berrypick.core.errors import BerrypickWarning, InputError, UsageError, nearest, nesting_refused, option
from berrypick.core.navigation import LinkTable, Navigation, ReachTable, Sessions
from berrypick.core.progress import gc_paused
from berrypick.core.registry import Registry, plugin_errors
from berrypick.core.run import Run
from berrypick.core.truth import Truth
from berrypick.formats.base import Format, Problems, Role
from berrypick.formats.io.files import atomic_writer, content, file_name, head, numbered_head, reusable, size_of
from berrypick.formats.io.line_words import finite

__all__ = [
    "Format",
    "Problems",
    "by_name",
    "content",
    "documents_in",
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


registry: Registry[Format] = Registry(sys.modules[__name__], Format, "format")
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
        raise UsageError(f"format {found.name()} holds a {found.role}, not a {role}{offer}")
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


def _names(role: Role | None) -> list[str]:
    return [candidate.name() for candidate in _candidates(role)]


def sniff(path: str, role: Role | None = None) -> type[Format]:
    """The format of a file, from its content; ``role`` decides between several."""
    if os.path.isdir(path):
        return _sniff_folder(path, role)
    numbered = numbered_head(path)
    if not numbered:
        what = "the file holds nothing but blank lines and comments" if size_of(path) else "the file is empty"
        raise InputError(what, path=path, remedy=_expected(role))
    line, first = numbered[0][0], [text for _, text in numbered]
    if (usual := usual_format(role, first)) is not None:
        return usual
    from berrypick.formats.io.table_files import almost_spans, wrong_separator  # most files look like what is likely

    spans = role in (None, "truth", "run")
    if spans and (wrong := wrong_separator(first[0], path, line)):
        raise wrong
    for candidate in _candidates(role):
        if _looks_like(candidate, first):
            return candidate
    if role is not None:
        for candidate in registry:
            if _looks_like(candidate, first):
                what = f"looks like {candidate.name()} ({candidate.role}), expected a {role}"
                raise InputError(what, path=path, line=line, text=first[0], remedy=_otherwise(role))
    if spans and (almost := almost_spans(first[0], path, line)):
        raise almost
    remedy = _nearest_json(first, role) or _expected(role)
    raise InputError(f"is in no known {role or 'file'} format", path=path, line=line, text=first[0], remedy=remedy)


def _nearest_json(lines: list[str], role: Role | None) -> list[str]:
    """The formats whose names are nearest to those in a JSON file; none if it is not JSON."""
    text = "\n".join(lines).lstrip("\ufeff \t\n")
    if not text.startswith(("{", "[")):
        return []
    from berrypick.inputs.fields import TABLE, has_name

    names = set(re.findall(r'"((?:[^"\\]|\\.){1,60})"\s*:', text))
    names |= {ours for aliases in TABLE.values() for ours in aliases if has_name(names, aliases[ours])}
    known = [one for one in _candidates(role) if one.json_names]
    ranked = sorted(known, key=lambda one: -_closeness(one.json_names, names))
    close = [one for one in ranked if _closeness(one.json_names, names) >= 1][:3] or ranked[:2]
    shapes = [f"{one.name()}: {one.shape}" for one in close]
    if text.startswith("["):
        shapes.append("(a JSON list: write its objects one per line)")
    return ["the nearest formats are", *shapes, *registry.problems()] if shapes else []


def _closeness(names: tuple[str, ...], given: set[str]) -> float:
    """How many of the names are among the given ones; one that is nearly there counts half."""
    import difflib

    low = {name.lower() for name in given}
    return sum(
        1.0 if name in given else 0.5 * bool(difflib.get_close_matches(name.lower(), low, 1, 0.6)) for name in names
    )


def documents_in(path: str) -> dict[str, str]:
    """The texts of documents that a file holds beside something else; none if its format holds none, or is unknown."""
    first = head(path)
    for candidate in registry:
        if first and candidate.documents.__func__ is not Format.documents.__func__ and _looks_like(candidate, first):  # type: ignore[attr-defined]
            with plugin_errors(f"{path}: reading it as {candidate.name()}", candidate):
                return candidate.documents(path)
    return {}


#: The most common formats by role, and how many words their lines have: no other format has lines of so many.
USUAL = {"truth": ("trec-qrels", 4), "run": ("trec-run", 6)}


#: Names by which lines of JSON are told that are not lines of spans; these have the name topic.
OTHERS = re.compile(
    '"(text|data|label|labels|entities|annotations|answer|qid|tests|snippets|fitted|target|selector|hits|results|'
    "responses?|result|outputs?|inputs?|context|documents|source_documents|source_nodes|messages|vars|run_type|"
    'attributes|observations|retrieved_contexts|retrieval_context|patch|gold_context|traj_data)"'
)


#: Names of lines of spans with texts.
OF_TEXTS = frozenset({"topic", "doc", "text", "start", "end", "rank", "score", "tag"})


def usual_format(role: Role | None, lines: list[str]) -> type[Format] | None:
    """The format of the first lines of a file, if it is one that others need not be asked before."""
    likely = _likely(role, lines)
    return likely if likely is not None and _looks_like(likely, lines) else None


def _likely(role: Role | None, lines: list[str]) -> type[Format] | None:
    """The format of lines that all have as many words as those of TREC, or their Q0, or of lines of spans that no other
    format can have: the files of others need not be loaded."""
    if role is None or role not in USUAL:
        return None
    if lines[0].startswith("{"):
        spans = '"topic"' in lines[0] and (not OTHERS.search(lines[0]) or all(map(_is_of_text, lines)))
        return registry.find(f"span-{role}") if spans else None
    if any(mark in line for line in lines for mark in ",|\t"):
        return None
    (name, words), found = USUAL[role], [line.split() for line in lines]
    if all(len(one) == words for one in found):
        return registry.find(name)
    return registry.find(f"inex-fol-{role}") if all(one[1:2] == ["Q0"] for one in found) else None


def _is_of_text(line: str) -> bool:
    """Whether a line is a span with its text, and has nothing else by which another format is told."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):  # it may be cut
        return False
    plain = isinstance(value, dict) and "topic" in value and value.keys() <= OF_TEXTS
    return plain and not any(isinstance(one, (dict, list)) for one in value.values())


def _looks_like(candidate: type[Format], lines: list[str]) -> bool:
    with plugin_errors(f"format {candidate.name()}: sniff", candidate):
        return candidate.sniff(lines)


def sniff_all(path: str) -> list[type[Format]]:
    """Every format that the content could be in."""
    first = [] if os.path.isdir(path) else head(path)
    return [candidate for candidate in registry if first and _looks_like(candidate, first)]


def _sniff_folder(path: str, role: Role | None) -> type[Format]:
    for candidate in _candidates(role):
        if candidate.sniff_folder(path):
            return candidate
    raise InputError(f"is a folder in no known {role or 'folder'} format", path=path)


def _candidates(role: Role | None) -> Iterator[type[Format]]:
    return (candidate for candidate in registry if role is None or candidate.role == role)


def _otherwise(role: Role) -> list[str]:
    if role in ("truth", "run"):
        return [
            "the truth comes first, then the runs; to read the file in another format, name it with "
            f"{option('format', flag=f'format-{role}')}"
        ]
    return _expected(role)


def _expected(role: Role | None) -> list[str]:
    """Say what would be understood: the formats of the core and of other packages, and how many more there are."""
    known = [*_candidates(role)]
    shown = [value for value in known if not value.__module__.startswith("berrypick.addons.")] or known
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
        chosen = by_name(format, role) if format else sniff(name, role)
        options |= reading_options(chosen, format)
        problems = problems or Problems(name)
        with plugin_errors(f"{name}: reading it as {chosen.name()}", chosen):
            value = chosen.read(name, problems, **options)
    if chosen.positions == "seconds":
        value = _in_seconds(value)
    if problems.foreign and isinstance(value, (Truth, Run)):
        value = replace(value, foreign=problems.first_lines())
    if (problems.counts or problems.foreign) and isinstance(value, (Truth, Run, LinkTable, Sessions)):
        return replace(value, skipped=problems.told())
    return value


def split_runs(path: str, chosen: type[Format]) -> list[Run]:
    """Return the runs of a file whose format may hold several; none in most formats."""
    runs = chosen.split(path)
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
        raise UsageError(f"{chosen.name()} cannot hold this: {problem}")
    if lost:
        what = " and ".join(sorted(lost))
        warnings.warn(f"{name}: {chosen.name()} has no {what}: they are left out", BerrypickWarning, stacklevel=2)
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
        return "" if empty is None else f"the run returns nothing for topic {empty} on purpose"
    topics = [one for one in value.topics.values() if one.no_answer or not chosen.holds_unjudged_topics]
    bare = next((topic for topic in topics if not topic.quotes and not any(topic.documents())), None)
    said = "nothing was judged for topic {}" if bare is None or not bare.no_answer else "topic {} has no answer"
    return "" if bare is None else f"the truth says that {said.format(bare.topic)}"


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
        raise UsageError("no format can hold this")
    names = ", ".join(candidate.name() for candidate in (fitting or able))
    raise UsageError(
        f"{name}: the extension does not determine the format; choose with {option('format', flag='to')}: {names}"
    )
