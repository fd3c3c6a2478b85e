"""Which run a person means: a file is that file, and a name must fit one run only.

Names inside files are chosen by whoever wrote the file. A run that could take the name of the baseline would be
compared with itself, so a path decides before any name, and an ambiguous name is an error.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from berrypick.data.errors import UsageError, nearest, shorten
from berrypick.data.results import RunFacts


def find_run(name: str | os.PathLike[str], runs: Sequence[str], facts: Mapping[str, RunFacts] | None = None) -> str:
    """Return the run of a path or name.

    Parameters
    ----------
    name : str or path
        The path of a run's file; or the name of a run, its tag, its file's name with or without the extension.
    runs : list of str
        The runs to choose from.
    facts : mapping, optional
        Tag and file of each run, by its name.

    Raises
    ------
    UsageError
        If no run fits, or more than one.
    """
    name = str(name)
    known = {run: (facts or {}).get(run, RunFacts(run)) for run in runs}
    by_path = _by_path(name, known)
    found = by_path or [run for run in runs if name in _names(run, known[run])]
    if len(found) > 1:
        raise UsageError(_ambiguous(name, [known[run] for run in found], bool(by_path)))
    if not found:
        raise UsageError(f"no run {name}{nearest(name, list(runs)) or '; available: ' + ', '.join(runs)}")
    if not by_path and any(one.source for one in known.values()) and _is_other_file(name, known[found[0]]):
        raise UsageError(
            f"{name} is not one of the runs, but {_described(known[found[0]])} has the same name; "
            f"add the file {name} to the runs, or name the other run by its file"
        )
    return found[0]


def _by_path(name: str, known: Mapping[str, RunFacts]) -> list[str]:
    """The runs of a file: those given by this very path, else by another spelling of it."""
    exact = [run for run, facts in known.items() if facts.source and facts.source == name]
    if exact or not os.path.exists(name):
        return exact
    place = os.path.realpath(name)
    return [run for run, facts in known.items() if facts.source and os.path.realpath(facts.source) == place]


def _names(run: str, facts: RunFacts) -> set[str]:
    """Everything that a run may be called."""
    names = {run}
    if facts.tag:
        names.add(facts.tag)
    if facts.source:
        file = Path(facts.source)
        names |= {file.name, file.stem, Path(file.name.removesuffix(".gz")).stem}
    return names


def _is_other_file(name: str, facts: RunFacts) -> bool:
    """Whether a name is a file on disk, though not that of the run."""
    return os.path.isfile(name) and not (facts.source and os.path.realpath(facts.source) == os.path.realpath(name))


def _ambiguous(name: str, fitting: Sequence[RunFacts], by_path: bool) -> str:
    runs = " and ".join(_described(one) for one in fitting[:3]) + (" and others" if len(fitting) > 3 else "")
    sources = [one.source for one in fitting]
    if by_path:
        names = [one.name for one in fitting if one.name != name]
        remedy = f"name one of its runs: {', '.join(names[:5])}" if names else "give each run a file of its own"
    elif all(sources) and len(set(sources)) == len(sources):
        remedy = f"give the path of its file: {' or '.join(sources[:3])}"
    else:
        remedy = "give the runs different names"
    return f"{shorten(name, 200)} fits {len(fitting)} runs: {runs}; {remedy}"


def _described(facts: RunFacts) -> str:
    said = [f"tag {facts.tag}"] if facts.tag and facts.tag != facts.name else []
    said += [f"file {facts.source}"] if facts.source else []
    return f"run {facts.name}" + (f" ({', '.join(said)})" if said else "")
