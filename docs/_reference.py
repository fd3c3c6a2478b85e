"""Reference pages of the Python API, the command line and the options of an evaluation."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import berrypick
import click
from berrypick.cli import cli, command_names, commands
from berrypick.evaluation.options import Option, options

from _markdown import entries, first, grid, markdown, text, without_section

# the Python API

#: Names by what they are for; names that are not here follow under the last heading.
GROUPS = {
    "Evaluate": "evaluate score explain judge Evaluation compare correlate stability power diff sweep simulate "
    "ideal_lists fit abstention retrieved_said history write_report",
    "Results": "Results Signature Note concat read_results Comparison Over Assumptions Correlations Stability Power "
    "Difference Sweep "
    "Simulation IdealList Fit Abstention History Explanation JudgedTopic",
    "Inputs": "read_truth read_run read_navigation read_collection read_texts truth_from_frame run_from_frame "
    "run_from_objects adopt locate place read_words write Truth Run Collection Texts",
    "Matrices of your own": "eprum prum expected_ratio effort_precision Reach",
    "Judge": "pool annotate agreement relocate Pool Agreement Relocation",
    "Extend": "register Measure UserModel Format parameter Score",
    "Errors": "BerrypickError InputError UsageError BerrypickWarning",
}


def api_pages() -> dict[str, str]:
    """The pages of reference/api, by file name."""
    return {"index.md": _api_index(), **{api_file(name): _api_page(name) for name in berrypick.__all__}}


def api_file(name: str) -> str:
    """The page of a name; file names differ in more than case, for systems that ignore it."""
    clash = name[0].isupper() and name.lower() in berrypick.__all__
    return f"{name}_class.md" if clash else f"{name.strip('_')}.md"


def _api_index() -> str:
    left = dict.fromkeys(berrypick.__all__)
    parts = ["# Python API", "`import berrypick as bp`, then `bp.evaluate(...)`. Every public name has a page."]
    for heading, names in {**GROUPS, "More": ""}.items():
        found = [name for name in names.split() if name in left] or ([] if names else list(left))
        if found:
            rows = [[f"[{name}]({api_file(name)})", _summary(name)] for name in found]
            parts += [f"## {heading}", grid(["name", "what it is"], rows)]
        for name in found:
            del left[name]
    parts.append(
        "Measures and user models are classes as well: `from berrypick.measures import nxCG`. See "
        "[measures](../measures/index.md) and [user models](../users/index.md). [Documentation](../../index.md)"
    )
    return "\n\n".join(parts) + "\n"


def _summary(name: str) -> str:
    value = getattr(berrypick, name)
    return _linked(first(value)) if callable(value) else "The installed version, as text."


def _api_page(name: str) -> str:
    value = getattr(berrypick, name)
    parts = [f"# {name.replace('_', chr(92) + '_') if name.startswith('_') else name}"]
    if not callable(value):
        parts.append(f"{_summary(name)}\n\n```python\nberrypick.{name}  # {value!r}\n```")
    else:
        parts += [_signature(f"berrypick.{name}", value), _docstring(value)]
        parts += [_members(name, value)] if isinstance(value, type) else []
        parts += [_option_list(value)] if _takes_options(value) else []
    return "\n\n".join([*(part for part in parts if part), "[All names](index.md)"]) + "\n"


def _signature(shown: str, value: Any) -> str:
    """A call as Python writes it; the options of an evaluation as ``**options``."""
    try:
        found = inspect.signature(value)
    except ValueError:  # an exception without arguments of its own
        return f"```python\n{shown}(message)\n```"
    known = [p for p in found.parameters.values() if p.name not in ("self", "cls")]
    if _takes_options(value):
        known = [p for p in known if p.name not in {option.name for option in options()} or p.name in _own(value)]
    arguments = list(_arguments(known))
    if _takes_options(value):
        arguments.append("**options")
    returned = found.return_annotation
    result = "" if isinstance(value, type) or returned in (found.empty, "None") else f" -> {_annotation(returned)}"
    line = f"{shown}({', '.join(arguments)}){result}"
    if len(line) > 100:
        line = f"{shown}(\n" + "".join(f"    {argument},\n" for argument in arguments) + f"){result}"
    return f"```python\n{line}\n```"


def _arguments(parameters: list[inspect.Parameter]) -> Iterator[str]:
    star = False
    for p in parameters:
        if p.kind is p.KEYWORD_ONLY and not star:
            star = True
            yield "*"
        star = star or p.kind is p.VAR_POSITIONAL
        mark = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        kind = "" if p.annotation is p.empty else f": {_annotation(p.annotation)}"
        default = "" if p.default is p.empty else f" = {_default(p.default)}"
        yield f"{mark}{p.name}{kind}{default}"


def _annotation(value: Any) -> str:
    return value if isinstance(value, str) else getattr(value, "__name__", str(value))


def _default(value: Any) -> str:
    shown = value.__name__ if inspect.isfunction(value) else repr(value)
    return shown if len(shown) <= 40 and not shown.startswith("<") else "..."


def _function(value: Any) -> Any:
    return getattr(value, "__func__", value)


def _takes_options(value: Any) -> bool:
    """Whether the options of an evaluation are among the arguments of a function."""
    return not isinstance(value, type) and hasattr(_function(value), "__signature__")


def _own(value: Any) -> set[str]:
    code = _function(value).__code__
    return set(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])


def _docstring(value: Any) -> str:
    """The docstring; attributes of a class are a table of their own, with their types."""
    found = inspect.getdoc(value) or ""
    return _linked(markdown(without_section(found, "Attributes") if isinstance(value, type) else found))


def _linked(content: str) -> str:
    """References to public names as links, others as code."""

    def link(match: re.Match[str]) -> str:
        name = match[1].removeprefix("berrypick.")
        return f"[{name}]({api_file(name)})" if name in berrypick.__all__ else f"`{match[1]}`"

    return re.sub(r":(?:func|class|mod|meth|attr):`~?([\w.]+)`", link, content)


def _option_list(value: Any) -> str:
    own = _own(value)
    rows = [[f"`{one.name}`", meaning(one)] for one in options() if one.name not in own]
    return "## Options\n\nKeyword arguments; [more about options](../options.md).\n\n" + grid(["name", "meaning"], rows)


def _members(name: str, value: type) -> str:
    methods, rows = [], []
    comments = _comments(value)
    fields = {field.name for field in dataclasses.fields(value)} if dataclasses.is_dataclass(value) else set()
    for key, member in _public(value).items():
        function = getattr(value, key) if isinstance(member, classmethod | staticmethod) else member
        if isinstance(member, property | cached_property):
            getter = member.func if isinstance(member, cached_property) else member.fget
            rows.append([f"`{key}`", _kind(inspect.signature(getter).return_annotation), _linked(first(member))])
        elif inspect.isroutine(function):
            methods += [f"### {key}", _signature(f"{name}.{key}", function), _docstring(function)]
        elif key in fields or key in comments:
            rows.append([f"`{key}`", _kind(comments.get(key, ("", ""))[0]), text(comments.get(key, ("", ""))[1])])
    parts = ["## Attributes", grid(["name", "type", "meaning"], rows)] if rows else []
    return "\n\n".join(part for part in [*parts, *(["## Methods"] if methods else []), *methods] if part)


def _public(value: type) -> dict[str, Any]:
    """Public members, those of the class itself first; fields without a default too."""
    found: dict[str, Any] = {}
    for owner in value.__mro__:
        if owner.__module__.startswith("berrypick."):
            for key in [*inspect.get_annotations(owner), *vars(owner)]:
                if not key.startswith("_"):
                    found.setdefault(key, vars(owner).get(key))
    return found


def _kind(annotation: str) -> str:
    if annotation.startswith("ClassVar["):
        annotation = annotation.removeprefix("ClassVar[").removesuffix("]")
    return f"`{annotation}`" if annotation else ""


def _comments(value: type) -> dict[str, tuple[str, str]]:
    """The types of the attributes of a class, and the comments beside and above (``#:``) them."""
    found: dict[str, tuple[str, str]] = {}
    for owner in reversed([owner for owner in value.__mro__ if owner.__module__.startswith("berrypick.")]):
        above: list[str] = []
        for line in inspect.getsource(owner).splitlines():
            comment = re.fullmatch(r"    #: (.*)", line)
            attribute = re.match(r"    (\w+): ([^#=]*[^#= ])(?: = [^#]*?)?(?:  # (?!type:|noqa|fmt:)(.*))?$", line)
            if attribute and not attribute[1].startswith("_"):
                found[attribute[1]] = (attribute[2], " ".join([*above, attribute[3] or ""]).strip())
            above = [*above, comment[1]] if comment else []
        for name, (_, said) in entries(inspect.getdoc(owner) or "", "Attributes").items():
            found[name] = (found.get(name, ("", ""))[0], said)
    return found


# options


def meaning(option: Option) -> str:
    choices = f" Values: {', '.join(f'`{choice}`' for choice in option.choices)}." if option.choices else ""
    return text(option.help) + choices


def options_page() -> str:
    rows = [
        [f"`{one.name}`", f"`{one.flags[0]}`", f"`{one.default!r}`", meaning(one),
         f"`{one.signature}`" if one.signature else ""]
        for one in options()
    ]  # fmt: skip
    older = [
        f"`{alias}` and `{flag}` for `{one.name}`"
        for one in options()
        for alias, flag in zip(one.aliases, one.flags[1:], strict=True)
    ]
    return (
        "# Options of an evaluation\n\n"
        "[evaluate](cli/evaluate.md), [compare](cli/compare.md), [explain](cli/explain.md), [report](cli/report.md) "
        "and [plot](cli/plot.md) take these options; in Python they are keyword arguments of "
        "[evaluate](api/evaluate.md), [score](api/score.md), [explain](api/explain.md), [judge](api/judge.md), "
        "[compare](api/compare.md), [sweep](api/sweep.md), [write_report](api/write_report.md) and "
        "[Evaluation.prepare](api/Evaluation.md).\n\n"
        f"{grid(['Python', 'command line', 'default', 'meaning', 'key in the signature'], rows)}\n\n"
        "A default of `None` means: see the meaning, or nothing. An option with a key in the "
        "[signature](../glossary.md#signature) changes numbers, so two numbers that differ in it cannot be compared. "
        f"Older names still work: {'; '.join(older)}.\n\n[Documentation](../index.md)\n"
    )


# the command line


def cli_pages() -> dict[str, str]:
    """The pages of reference/cli, by file name."""
    return {"index.md": _cli_index(), **{_cli_file(name): _command_page(name) for name in command_names()}}


def _cli_file(name: str) -> str:
    return "index-command.md" if name == "index" else f"{name}.md"


def _cli_index() -> str:
    lines = {name: command.get_short_help_str(200) for name, command in commands.items()}
    rows = [[f"[{name}]({_cli_file(name)})", text(line)] for name, line in lines.items()]
    return (
        "# Command line\n\n"
        f"{grid(['command', 'what it does'], rows)}\n\n"
        "Standard output carries only the result. Notes, warnings and progress go to standard error and do not change "
        "the exit code: 0 fine, 1 a gate was not met, 2 wrong usage or bad input, 130 interrupted. `berrypick COMMAND "
        "--help` prints the options; `berrypick --version` prints the version and the kernels in use.\n\n"
        "[Documentation](../../index.md)\n"
    )


def _command_page(name: str) -> str:
    context = click.Context(cli, info_name="berrypick", **cli.context_settings)
    command = cli.get_command(context, name)
    assert command is not None
    usage = " ".join(["berrypick", name, *command.collect_usage_pieces(click.Context(command, context, name))])
    shared = {option.name for option in options()}
    given = [one for one in command.params if isinstance(one, click.Option) and not one.hidden]
    parts = [f"# berrypick {name}", f"```text\n{usage}\n```", _help(command.help or "")]
    parts += _option_table("Options", [one for one in given if one.name not in shared])
    parts += _option_table("Evaluation options", [one for one in given if one.name in shared])
    if shared & {one.name for one in given}:
        parts.append("[More about the options of an evaluation](../options.md).")
    return "\n\n".join([*parts, "[All commands](index.md)"]) + "\n"


def _help(content: str) -> str:
    """Paragraphs that begin with ``\\b`` are kept as they are."""
    parts = []
    for part in inspect.cleandoc(content).replace("\f", "").split("\n\n"):
        kept = part.startswith("\b\n")
        parts.append(f"```text\n{part[2:]}\n```" if kept else text(" ".join(part.split())))
    return "\n\n".join(parts)


def _option_table(heading: str, given: list[click.Option]) -> list[str]:
    rows = [[_flags(one), text(one.help or "") + _shown_default(one)] for one in given]
    return [f"## {heading}", grid(["option", "meaning"], rows)] if rows else []


def _flags(option: click.Option) -> str:
    names = ", ".join(f"`{name}`" for name in [*option.opts, *option.secondary_opts])
    if option.is_flag:
        return names
    choices = isinstance(option.type, click.Choice)
    kind = option.metavar or ("|".join(option.type.choices) if choices else option.type.name.upper().split()[0])
    return f"{names} `{kind}`"


def _shown_default(option: click.Option) -> str:
    if not option.show_default:
        return ""
    return f" Default: {text(option.show_default) if isinstance(option.show_default, str) else f'`{option.default}`'}."
