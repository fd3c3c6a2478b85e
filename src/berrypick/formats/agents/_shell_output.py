"""Output of shells as logs wrap it: exit code, wall time, and marks where output was cut.

Codex, mini-SWE-agent, OpenHands and Harbor's conversion of Claude Code each wrap it in their own way. What only looks
like a wrapping, or like the rest of one, shows no lines: they would be counted from the wrong place.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from berrypick.files.strict_json import strict_json
from berrypick.formats.agents._printed_lines import before_reminder
from berrypick.formats.agents._shell_reading import ShellOutput

#: Where the middle, or the end, of an output was left out, by Codex and by Claude Code.
_CUT = re.compile(
    r"…\d+ (?:tokens|chars|characters|lines|bytes) truncated…|\[\.\.\. omitted \d+ of \d+ lines \.\.\.\]"
    r"|\[\.\.\. [^\]\n]{0,60}truncated[^\]\n]{0,60}\]|\.\.\. \[\d+ (?:lines|characters) (?:truncated|elided)\] \.\.\."
)
_TOTAL = re.compile(r"(?:Warning: truncated output \(original token count: \d+\)\n)?Total output lines: \d+\n\n")
#: Codex: exit code first (shell_command, shell), or a chunk of a process that may go on (exec_command).
_FREEFORM = re.compile(r"Exit code: (-?\d+)\nWall time: [\d.]+ seconds\n(Total output lines: \d+\n)?Output:(?:\n|\Z)")
_CHUNK = re.compile(
    r"(?:Chunk ID: \w+\n)?(?:Wall time: [\d.]+ seconds\n)?Process (?:exited with code (-?\d+)|running with session ID "
    r"\d+)\n(?:Original token count: \d+\n)?\n?Output:(?:\n|\Z)"
)
#: mini-SWE-agent: all of it, the beginning of a long one, or the code behind it.
_RETURNED = re.compile(r"<returncode>(-?\d+)</returncode>\s*<output>\n?(.*?)</output>\s*\Z", re.DOTALL)
_RETURNED_HEAD = re.compile(
    r"<returncode>(-?\d+)</returncode>\s*<warning>.*?</warning>\s*<output_head>\n(.*?)\n</output_head>", re.DOTALL
)
_ENDED = re.compile(r"\[exit code (-?\d+)\]\s*\Z")
#: OpenHands: it strips white space at both ends.
_COMPLETED = re.compile(r"\s*\[The command completed with exit code (-?\d+)\.\](?:\n\[[^\n]*\])*\s*\Z")
#: Harbor's conversion of Claude Code repeats the output behind these marks.
_SECTIONS = re.compile(
    r"(?:\A|\n+)(?:\[(?:stdout|stderr)\]\n|\[(?:exit_code|interrupted|is_image)\] |\[metadata\] \{"
    r"|\[error\] tool reported failure)"
)
_FAILED_SECTION = re.compile(r"^\[(?:exit_code|interrupted|is_image|error)\] ", re.MULTILINE)
#: Beginnings and ends of wrappings. A text that has one, and is wrapped in no known way, has lost a part.
_HEADS = ("<returncode>", "<output>", "Exit code: ", "Chunk ID: ", "Wall time: ", "Process exited with ",
          "Process running with ", "Command: ", "Output: ", "OBSERVATION:", "The last command <command>", "Exception: ",
          "[Previous command outputs are ", "[Below is the output of ", "EXECUTION RESULT of ")  # fmt: skip
_JSON_HEAD = re.compile(r"""\{\s*"(?:output|returncode|stdout)"\s*:""")
_TAIL = re.compile(
    r"(?:</output>|</output_tail>|\[The command [^\n]*\]|\[Command finished[^\n]*\]|\nProcess Group PGID: \d+)\s*\Z"
)
_TIMED_OUT = "command timed out after "
#: An exit code for processes that go on, or were ended: what they show is not complete.
_NOT_ENDED = 124


def uncut(text: str) -> tuple[str, bool]:
    """Output up to where something was left out, and whether that is so."""
    headed = _TOTAL.match(text)
    text = text[headed.end() :] if headed else text
    found = _CUT.search(text)  # line feeds before the mark may be its own
    return (text[: found.start()].rstrip("\n"), True) if found else (text, headed is not None)


def unwrapped(text: str) -> ShellOutput | None:
    """Output without its wrapping; None for text that is not wrapped in a known way."""
    if text.startswith("{") and (held := _json(text)) is not None:
        code, printed = held
    elif found := _FREEFORM.match(text):
        code, printed = int(found[1]), text[found.end() :]
        if found[2] and not _CUT.search(printed):
            return ShellOutput(printed, code, cut=True)
    elif found := _CHUNK.match(text):
        code, printed = _NOT_ENDED if found[1] is None else int(found[1]), text[found.end() :]
    elif found := _RETURNED.match(text):
        code, printed = int(found[1]), found[2]
    elif found := _RETURNED_HEAD.match(text):
        return ShellOutput(uncut(found[2])[0], int(found[1]), cut=True)
    else:
        return None
    if printed.startswith(_TIMED_OUT):
        code = _NOT_ENDED
    whole, cut = uncut(printed)
    return ShellOutput(whole, code, cut)


def text_output(text: str) -> ShellOutput:
    """Output in a log that wraps it as its agent does, or not at all; no lines where it has lost part of a wrapping."""
    whole = before_reminder(text)
    found = unwrapped(whole) or _ended(whole)
    return replace(found, trimmed=True) if whole != text else found


def _ended(text: str) -> ShellOutput:
    """Output that is wrapped at its end only, or not at all."""
    begins = text.lstrip()
    if _JSON_HEAD.match(begins) or any(
        begins.startswith(head) or head.startswith(begins.rstrip() or "x") for head in _HEADS
    ):
        return ShellOutput("", _NOT_ENDED)
    code, trimmed = None, False
    if found := _ENDED.search(text):
        code = int(found[1])
    elif found := _COMPLETED.search(text):
        code, trimmed = int(found[1]), True
    elif _TAIL.search(text):
        return ShellOutput("", _NOT_ENDED)
    elif found := _SECTIONS.search(text):
        code, trimmed = 1 if _FAILED_SECTION.search(text, found.start()) else None, True
    whole, cut = uncut(text[: found.start()] if found else text)
    return ShellOutput(whole, code, cut, trimmed)


def _json(text: str) -> tuple[int, str] | None:
    """The forms of Codex's shell, with the exit code in ``metadata``, and of mini-SWE-agent, with a ``returncode``."""
    try:
        value: Any = strict_json(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    metadata, output = value.get("metadata"), value.get("output")
    code = metadata.get("exit_code") if isinstance(metadata, dict) else value.get("returncode")
    return (code, output) if isinstance(code, int) and isinstance(output, str) else None
