"""The command line, one file per command; each calls public functions and is loaded when it is used."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import click

from berrypick.cli.output import HELP, asks_for_json, drop_output, fail, flush_errors, is_broken_pipe, say
from berrypick.cli.process import expand_patterns, set_up_process
from berrypick.data.errors import BerrypickError, nearest
from berrypick.registry.definitions import Room
from berrypick.registry.registry import Registry

#: Set by a shell that asks what a word may be completed to.
COMPLETE = "_BERRYPICK_COMPLETE"

#: The commands of the help by task; one that no task names comes under "Other commands".
TASKS = {
    "Start": ("demo", "adopt", "check"),
    "Score": ("evaluate", "compare", "diagnose", "explain"),
    "Look": ("report", "plot", "history", "diff"),
    "Judge": ("pool", "annotate", "agreement", "locate", "relocate", "convert", "place", "index"),
    "Research": (
        "fit", "simulate", "ideal", "stability", "power", "correlate", "sweep", "abstention", "nuggets", "track",
        "conformance",
    ),
    "Look up": ("list", "show"),
}  # fmt: skip


def _not_a_command(value: object) -> str:
    return "" if isinstance(value, click.Command) else "it is not a command of click"


#: Our commands, one in each file, and those of other packages.
commands: Registry[click.Command] = Registry(
    "commands",
    "command",
    Room(
        __name__,
        Path(__file__).parent,
        re.compile(
            r'^@click\.command\(\s*"(?P<command>[\w-]+)",\s*short_help="(?P<short_help>[^"]+)"'
            r".*?^def (?P<attribute>\w+)\(",
            re.MULTILINE | re.DOTALL,
        ),
    ),
    _not_a_command,
    name_of=lambda one: one.facts["command"],
)


def command_names() -> list[str]:
    """Return the names of all commands: ours by task, then those of other packages."""
    known = commands.names()
    by_task = (name for names in TASKS.values() for name in names if name in known)
    return [*dict.fromkeys((*by_task, *known))]  # list is the module of a command here


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; exit codes: 0 fine, 1 a gate was not met, 2 wrong usage or bad input, 130 interrupted."""
    set_up_process()
    if arguments is None:
        arguments = expand_patterns(sys.argv[1:]) if os.name == "nt" else sys.argv[1:]
    as_json = asks_for_json(arguments)
    try:
        if complete := os.environ.get(COMPLETE):
            from click.shell_completion import shell_complete

            sys.exit(shell_complete(cli, {}, "berrypick", COMPLETE, complete))
        try:  # what cli.main() does, but for broken pipes and files that end early, which it takes for its own
            with cli.make_context("berrypick", [*arguments]) as context:
                cli.invoke(context)
            code = 0
        except click.exceptions.Exit as end:
            code = end.exit_code
        sys.stdout.flush()
        sys.exit(code)
    except BerrypickError as error:
        from berrypick.cli.swapped import with_swapped  # loads the formats

        fail(with_swapped(error, arguments), as_json)
    except KeyboardInterrupt:
        say("", err=True)  # a line of its own for the prompt after ^C
        sys.exit(130)
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx is not None else "berrypick"
        fail(_without_hidden(error).format_message(), as_json, fix=f"see '{command} --help'")
    except click.ClickException as error:
        fail(error.format_message(), as_json)
    except EOFError as error:
        fail(f"a file ends early ({error})", as_json, "input")
    except MemoryError:
        fail("not enough memory for this input", as_json, "memory")
    except RuntimeError as error:  # before Python 3.12, what a signal raises while a class is made comes as its cause
        if isinstance(error.__cause__, KeyboardInterrupt):
            sys.exit(130)
        if isinstance(error.__cause__, SystemExit):
            sys.exit(error.__cause__.code)
        raise
    except OSError as error:
        drop_output()
        if is_broken_pipe(error):  # the reader has gone (head, less); the rest of the output is not needed
            sys.exit(0)
        fail(f"the output could not be written ({error.strerror})", as_json, "output")
    finally:
        flush_errors()


def _without_hidden(error: click.UsageError) -> click.UsageError:
    """Offer no hidden option in place of an unknown one."""
    if not isinstance(error, click.NoSuchOption) or error.ctx is None or not error.possibilities:
        return error
    hidden = {flag for one in error.ctx.command.params if getattr(one, "hidden", False) for flag in one.opts}
    shown = sorted(set(error.possibilities) - hidden)
    return click.NoSuchOption(error.option_name, possibilities=shown, ctx=error.ctx)


class _Commands(click.Group):
    """Loads commands when they are used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return command_names()

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        command = None if name.startswith("-") else commands.find(name)
        if command is None:
            if ctx.resilient_parsing or name.startswith("-"):
                return None
            ctx.fail(f"No such command '{name}'{nearest(name, self.list_commands(ctx))}")
        if COMPLETE in os.environ:
            from berrypick.cli.completion import complete_arguments

            complete_arguments(command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        ours = {name: one.facts["short_help"] for name, one in commands.definitions().items()}
        named = {name for names in TASKS.values() for name in names}
        sections = {task: [name for name in names if name in ours] for task, names in TASKS.items()}
        sections["Other commands"] = [name for name in ours if name not in named]
        width = max(map(len, ours))
        for section, names in sections.items():
            if names:
                with formatter.section(section):
                    formatter.write_dl([(name.ljust(width), ours[name]) for name in names])
        loaded = {name: commands.find(name) for name in commands.names() if name not in ours}
        others = [(name, command.get_short_help_str(70)) for name, command in loaded.items() if command is not None]
        if others:
            with formatter.section("Commands of other packages"):
                formatter.write_dl(others)
        for problem in commands.problems():
            formatter.write(f"\n{problem}\n")


@click.group(
    cls=_Commands,
    context_settings={**HELP, "max_content_width": 100},
    invoke_without_command=True,
)
@click.option("--version", is_flag=True, help="Show the version and the kernels in use.")
@click.option(
    "--expansion-limit",
    metavar="GB",
    help="Gigabytes that a compressed file, a pipe or a device may expand to. [1]",
)
@click.pass_context
def cli(context: click.Context, version: bool, expansion_limit: str | None) -> None:
    """Score the passage, not just the document: RAG chunks, passages, lines of code, video segments, boxes on pages.

    \b
    berrypick demo                                             one example, and what to type next
    berrypick evaluate truth.jsonl run.jsonl --documents texts score a run
    berrypick compare truth.jsonl old.jsonl new.jsonl          intervals, paired tests, gates
    berrypick diagnose truth.jsonl run.jsonl --documents texts why answers were missed
    """
    if expansion_limit is not None:
        from berrypick.files import limits as _limits

        os.environ[_limits.EXPANSION_LIMIT] = expansion_limit  # for the processes that share the work as well
        _limits.expansion_limit()  # says what is wrong with it
    if version:
        from berrypick import kernels
        from berrypick._version import __version__

        say(f"berrypick {__version__}, kernels: {kernels.in_use()}")
        context.exit()
    if context.invoked_subcommand is None:
        say(context.get_help(), err=True)
        sys.exit(2)


if __name__ == "__main__":
    main()
