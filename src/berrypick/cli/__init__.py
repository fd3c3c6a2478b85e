"""The command line, on the public functions only. Each group of commands is loaded when one of them is used."""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import click

from berrypick.cli.output import HELP, drop_output, fail, is_broken_pipe, say
from berrypick.core.errors import BerrypickError

#: Every command: the module that defines it, and its line in the help.
COMMANDS = {
    "evaluate": ("evaluate", "Score runs against judgements."),
    "compare": ("compare", "Compare runs: confidence intervals, paired tests, gates for CI."),
    "report": ("report", "Write an HTML report that shows what is behind the numbers."),
    "plot": ("report", "Draw a figure for a paper: curves, topics or means."),
    "explain": ("evaluate", "Show how one number is computed."),
    "ideal": ("ideal", "Search the best list for each topic, with a proved bound."),
    "simulate": ("simulate", "Simulate readers: measures beside what single readers get."),
    "diff": ("compare", "Show what changed between two results files."),
    "correlate": ("agreement", "Correlate rankings of runs by two measures or two truths."),
    "stability": ("agreement", "Measure how well measures tell runs apart on these topics."),
    "power": ("agreement", "Find how many topics it takes to see a difference."),
    "fit": ("fit", "Estimate a user model from a log."),
    "check": ("files", "Detect the format of files and report every problem."),
    "convert": ("files", "Convert a file to another format."),
    "locate": ("files", "Find quotes in the documents and write their spans."),
    "abstention": ("judging", "Trade Abstained for Answered: their values at every least score."),
    "pool": ("judging", "Write what should be judged next, for an annotation tool."),
    "annotate": ("judging", "Write a page on which a person judges."),
    "relocate": ("judging", "Carry spans into a new version of their documents."),
    "agreement": ("judging", "Show how far several annotators agree."),
    "index": ("files", "Index the structure of XML documents, for --collection."),
    "list": ("show", "List measures, user models or formats."),
    "show": ("show", "Describe one measure, user model or format."),
    "demo": ("show", "Evaluate the bundled examples."),
}


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; exit codes: 0 fine, 1 a gate was not met, 2 wrong usage or bad input, 130 interrupted."""
    _open_closed_streams()
    _use_utf8()
    _unwind_when_terminated()
    try:
        code = cli.main(args=arguments, prog_name="berrypick", standalone_mode=False)
        sys.stdout.flush()
        sys.exit(code if isinstance(code, int) else 0)
    except BerrypickError as error:
        fail(error)
    except click.exceptions.Abort:
        sys.exit(130)
    except KeyboardInterrupt:
        sys.exit(130)
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx is not None else "berrypick"
        fail(f"{error.format_message()} (see '{command} --help')")
    except click.ClickException as error:
        fail(error.format_message())
    except (BrokenPipeError, _ReaderGone):
        # the reader of the pipe has gone (head, less); the rest of the output is not needed
        drop_output()
        sys.exit(0)
    except MemoryError:
        fail("not enough memory for this input")
    except OSError as error:
        drop_output()
        if is_broken_pipe(error):
            sys.exit(0)
        fail(f"the output could not be written ({error.strerror})")


def _open_closed_streams() -> None:
    """Give streams that were closed before we began (>&-, 2>&-) their numbers back, so that no file gets them.

    Results then cannot be written, which is an error once there are any; notes are dropped.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_WRONLY if number == 2 else os.O_RDONLY)  # takes the lowest free number
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 (open to the end)
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115


def _use_utf8() -> None:
    """Write UTF-8 and plain ends of lines into pipes and files on every system, since files are read so.

    Terminals, and PYTHONIOENCODING, keep their encoding; what it does not have is escaped.
    """
    for stream in (sys.stdout, sys.stderr):
        if not isinstance(stream, io.TextIOWrapper):
            continue
        if stream.isatty() or os.environ.get("PYTHONIOENCODING"):
            stream.reconfigure(errors="backslashreplace")
        else:
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")


def _unwind_when_terminated() -> None:
    """On SIGTERM leave as after an error, so that temporary files are removed; a worker process just ends."""
    process = os.getpid()

    def leave(number: int, frame: Any) -> None:
        if os.getpid() != process:
            os._exit(128 + number)
        sys.exit(128 + number)

    in_main = threading.current_thread() is threading.main_thread()
    if in_main and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, leave)


class _ReaderGone(Exception):
    """The reader of the output pipe has gone."""


class _Commands(click.Group):
    """Loads commands when they are used; a pipe without a reader is not a failure."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command: click.Command = getattr(import_module(f"berrypick.cli.{COMMANDS[name][0]}"), f"{name}_command")
        if "_BERRYPICK_COMPLETE" in os.environ:  # a shell asks
            from berrypick.cli.completion import complete_arguments

            complete_arguments(command)
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from berrypick.core.errors import nearest

            ctx.fail(f"No such command '{args[0]}'{nearest(args[0], list(COMMANDS))}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, help) for name, (_, help) in COMMANDS.items()])

    def make_context(self, *arguments: Any, **more: Any) -> click.Context:
        with _without_reader():
            return super().make_context(*arguments, **more)

    def invoke(self, ctx: click.Context) -> Any:
        with _without_reader():
            return super().invoke(ctx)


@contextmanager
def _without_reader() -> Iterator[None]:
    """Click takes a broken pipe for a failure of its own, and the end of a file for an interrupt."""
    try:
        yield
    except OSError as error:
        if is_broken_pipe(error):
            raise _ReaderGone from None
        raise
    except EOFError as error:
        raise BerrypickError(f"a file ends early ({error})") from None


def _version(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value:
        from berrypick import kernels
        from berrypick._version import __version__

        say(f"berrypick {__version__}, kernels: {kernels.in_use()}")
        context.exit()


def _expansion_limit(context: click.Context, parameter: click.Parameter, value: str | None) -> None:
    if value is not None:
        from berrypick.formats._files import EXPANSION_LIMIT, expansion_limit

        os.environ[EXPANSION_LIMIT] = value  # for the processes that share the work as well
        expansion_limit()  # says what is wrong with it


@click.group(
    cls=_Commands,
    context_settings={**HELP, "max_content_width": 100},
    invoke_without_command=True,
)
@click.option(
    "--version",
    is_flag=True,
    callback=_version,
    expose_value=False,
    is_eager=True,
    help="Show the version and the kernels in use.",
)
@click.option(
    "--expansion-limit",
    metavar="GB",
    callback=_expansion_limit,
    expose_value=False,
    is_eager=True,
    help="Gigabytes that a compressed file, a pipe or a device may expand to. [1]",
)
@click.pass_context
def cli(context: click.Context) -> None:
    """Evaluate retrieval systems that point into documents: elements, passages, chunks, video segments, linked pages.

    \b
    berrypick demo                                           examples with explanations
    berrypick evaluate truth.qrels my.run -m 'EPRUM AP'      score a run
    berrypick compare truth.qrels a.run b.run -m EPRUM       compare runs
    berrypick list measures                                  all measures
    """
    if context.invoked_subcommand is None:
        say(context.get_help(), err=True)
        sys.exit(2)


if __name__ == "__main__":
    main()
