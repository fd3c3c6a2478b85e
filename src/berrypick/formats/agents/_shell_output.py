"""Output of shells as logs wrap it: exit code, wall time, and marks where output was cut."""

from __future__ import annotations

import re
from typing import Any

from berrypick.files.strict_json import strict_json
from berrypick.formats.agents._shell_reading import ShellOutput

#: Where the middle, or the end, of an output was left out, by Codex and by Claude Code.
_CUT = re.compile(
    r"…\d+ (?:tokens|chars|characters|lines|bytes) truncated…|\[\.\.\. omitted \d+ of \d+ lines \.\.\.\]"
    r"|\[\.\.\. [^\]\n]{0,60}truncated[^\]\n]{0,60}\]|\.\.\. \[\d+ (?:lines|characters) truncated\] \.\.\."
)
_TOTAL = re.compile(r"(?:Warning: truncated output \(original token count: \d+\)\n)?Total output lines: \d+\n\n")
#: Codex: exit code first (shell_command, shell), or a chunk of a process that may go on (exec_command).
_FREEFORM = re.compile(r"Exit code: (-?\d+)\nWall time: [\d.]+ seconds\n(Total output lines: \d+\n)?Output:(?:\n|\Z)")
_CHUNK = re.compile(
    r"(?:Chunk ID: \w+\n)?(?:Wall time: [\d.]+ seconds\n)?Process (?:exited with code (-?\d+)|running with session ID "
    r"\d+)\n(?:Original token count: \d+\n)?\n?Output:(?:\n|\Z)"
)
_RETURNED = re.compile(r"<returncode>(-?\d+)</returncode>\s*<output>\n?(.*?)</output>\s*\Z", re.DOTALL)
_TIMED_OUT = "command timed out after "
#: An exit code for processes that go on, or were ended: what they show is not complete.
_NOT_ENDED = 124


def uncut(text: str) -> tuple[str, bool]:
    """Output up to where something was left out, and whether that is so."""
    headed = _TOTAL.match(text)
    text = text[headed.end() :] if headed else text
    found = _CUT.search(text)
    return (text[: found.start()], True) if found else (text, headed is not None)


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
    else:
        return None
    if printed.startswith(_TIMED_OUT):
        code = _NOT_ENDED
    whole, cut = uncut(printed)
    return ShellOutput(whole, code, cut)


def _json(text: str) -> tuple[int, str] | None:
    """``{"output": .., "metadata": {"exit_code": ..}}``, as Codex's shell has it."""
    try:
        value: Any = strict_json(text)
    except (ValueError, RecursionError):
        return None
    metadata = value.get("metadata") if isinstance(value, dict) else None
    code = metadata.get("exit_code") if isinstance(metadata, dict) else None
    output = value.get("output") if isinstance(value, dict) else None
    return (code, output) if isinstance(code, int) and isinstance(output, str) else None
