"""What a shell completes: files, names of measures, user models, formats and options' values."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import click
from click.shell_completion import CompletionItem

Complete = Callable[[click.Context, str], list[CompletionItem]]


def complete_arguments(command: click.Command) -> None:
    """Say how each argument and option of a command is completed that says nothing itself."""
    for parameter in command.params:
        complete = _completion(parameter)
        if complete is not None:
            setattr(parameter, "shell_complete", complete)  # noqa: B010


def _completion(parameter: click.Parameter) -> Complete | None:
    if parameter.name in ("requested", "fail_under", "fail_over"):
        return _measures
    if parameter.name in ("user", "readers"):
        return _users
    if parameter.name in ("format_truth", "format_run", "format_name", "source_format", "target_format"):
        return _formats
    if parameter.name == "words":
        return _shown
    if parameter.name in ("protocol", "task"):
        return _protocols if parameter.name == "protocol" else _tasks
    plain = isinstance(parameter.type, click.types.StringParamType)
    named = (
        parameter.metavar in ("FILE", "PATH", "FOLDER", "FIELD|FILE") if isinstance(parameter, click.Option) else plain
    )
    return _files if named else None


def _files(context: click.Context, incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(incomplete, type="file")]


def _words(names: Iterable[str], incomplete: str) -> list[CompletionItem]:
    """Names for the last of several words."""
    before, _, last = incomplete.rpartition(" ")
    start = f"{before} " if before else ""
    return [CompletionItem(start + name) for name in sorted(set(names)) if name.startswith(last)]


def _measures(context: click.Context, incomplete: str) -> list[CompletionItem]:
    from berrypick import measures

    return _words(measures.registry.names(), incomplete)


def _users(context: click.Context, incomplete: str) -> list[CompletionItem]:
    from berrypick import users

    return _words(users.registry.names(), incomplete)


def _formats(context: click.Context, incomplete: str) -> list[CompletionItem]:
    from berrypick import formats

    return _words((cls.name() for cls in formats.registry), incomplete)


def _shown(context: click.Context, incomplete: str) -> list[CompletionItem]:
    """The names of what ``berrypick show`` is asked for: of the kind that comes first, else of all kinds."""
    from berrypick.cli.kinds import KINDS

    kind = "".join(context.params.get("words") or ())
    names = [name for registry in KINDS.values() for name in registry.names()]
    return _words(KINDS[kind].names() if kind in KINDS else [*KINDS, *names], incomplete)


def _protocols(context: click.Context, incomplete: str) -> list[CompletionItem]:
    from berrypick.evaluation.protocols.base import protocols

    return _words(protocols.names(), incomplete)


def _tasks(context: click.Context, incomplete: str) -> list[CompletionItem]:
    from berrypick.evaluation.protocols.base import known_tasks

    return _words(known_tasks(), incomplete)
