"""Lines of files that shell commands print: cat, head, tail, sed -n, nl -ba, grep -n, rg -n.

Only commands that say without doubt which lines they print are placed: one program that reads one file (or a search),
followed by programs that only cut lines, after ``cd DIR &&``. Lines are counted from the output, never from the range
that was asked for. Everything else is counted by program.

A redirection into a file, ``sed -i`` and ``apply_patch`` are edits.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from berrypick.formats.agents._printed_lines import Place, stretches
from berrypick.formats.agents._shell_programs import PROGRAMS
from berrypick.formats.agents._shell_search import Search, hits_of_files, search_of, searches_folder
from berrypick.formats.agents._shell_words import Command, Pipeline, Word, pipelines

_RANGE = re.compile(r"\s*([1-9]\d{0,9})\s*(?:,\s*(\+?\d{1,10}|\$)\s*)?p\s*;?\s*")
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+?)\s*$|^\*\*\* Move to: (.+?)\s*$", re.MULTILINE)
#: The number that a search prints before a line of its one file.
_FOUND = re.compile(r"(\d{1,10})[:-]")
_UNNAMED = "other"
#: Programs after which a file still has the length that it had.
_HARMLESS = frozenset(["cat", "head", "tail", "sed", "nl", "grep", "rg", "ls", "pwd", "wc", "find", "which", "echo"])
#: Programs that move a shell to another folder.
_MOVING = frozenset({"cd", "pushd", "popd"})
_SHELLS = frozenset({"bash", "sh", "zsh"})


@dataclass(frozen=True)
class ShellOutput:
    """What a command printed.

    ``code`` is its exit code, None where the log does not have it. ``cut``: the end of the output is missing.
    ``trimmed``: blank lines at both ends are missing, as in logs of Claude Code.
    """

    text: str
    code: int | None = 0
    cut: bool = False
    trimmed: bool = False


@dataclass(frozen=True)
class ShellResult:
    """Lines that a command showed and files that it changed, by path from the working folder; ``program`` names it.

    ``unsure``: the log trims blank lines and the command printed fewer lines than it was asked for, so that blank lines
    at the start of the stretch may be missing.
    """

    program: str
    places: tuple[Place, ...] = ()
    edits: tuple[str, ...] = ()
    placed: bool = False
    unsure: bool = False
    unnamed_edits: int = 0


@dataclass(frozen=True)
class _Stream:
    """Lines of one file, one after the other from ``first``; ``asked`` is how many there are at most.

    ``number`` is the expression that reads the number before a line, where lines have one; ``shift`` is added to it.
    ``tail``: the last so many lines. ``search``: lines of several files with their names.
    """

    path: str = ""
    first: int = 1
    asked: int | None = None
    number: re.Pattern[str] | None = None
    consecutive: bool = True
    shift: int = 0
    tail: int | None = None
    search: Search | None = None
    whole: bool = False


class ShellReader:
    """Reads the commands of one session in order: the lengths of files that were printed as a whole are known."""

    def __init__(self) -> None:
        self._lengths: dict[str, int] = {}
        self._may_have_moved = False

    def forget(self) -> None:
        """Forget the lengths of files: something may have changed them."""
        self._lengths.clear()

    def read(self, command: str | Sequence[str], output: ShellOutput, in_known_folder: bool = True) -> ShellResult:
        """Return what a command, as a text or as a list of words, showed and changed.

        ``in_known_folder``: the log says where it ran. Where it does not, and ``cd`` was a command of its own before,
        nobody can say where relative paths begin: some agents keep one shell, others start one for each command.
        """
        found = self._read(command, output)
        if (
            not in_known_folder
            and self._may_have_moved
            and not all(path.startswith("/") for path, _, _ in found.places)
        ):
            return replace(found, places=(), placed=False)
        return found

    def _read(self, command: str | Sequence[str], output: ShellOutput) -> ShellResult:
        parsed = _parsed(command)
        if parsed is None:
            self.forget()
            return ShellResult(_first_name(command))
        folder, rest = _without_cd(parsed)
        self._may_have_moved |= bool(rest) and all(line.commands[0].program in _MOVING for line in rest)
        program = _program(rest)
        edits, unnamed = _edits(parsed, output.code)
        if edits or unnamed or any(one.program not in _HARMLESS for line in rest for one in line.commands):
            self.forget()
        if edits or unnamed:
            return ShellResult(program, edits=tuple(edits), unnamed_edits=unnamed)
        if len(rest) != 1 or output.code not in (0, None):
            return ShellResult(program)
        stream = _stream(rest[0])
        if stream is None or (_may_hide_errors(rest[0], output) and _complains(rest[0], output.text)):
            return ShellResult(program)
        placed = replace(stream, path=_joined(folder, stream.path)) if stream.path else stream
        return self._placed(program, placed, output, folder)

    def _placed(self, program: str, stream: _Stream, output: ShellOutput, folder: str) -> ShellResult:
        lines = output.text.split("\n")
        if not lines[-1] or output.cut:
            lines.pop()  # a line feed ends the last line; of a cut one the end is missing
        if stream.search is not None:
            path = stream.search.paths[0] if stream.search.named is None else ""
            if path and path not in (".", "..") and not searches_folder(lines, path):
                one = _Stream(_joined(folder, path), number=_FOUND, consecutive=False)
                return self._placed(program, one, output, folder)
            named = ((_joined(folder, path), number) for path, number in hits_of_files(lines, stream.search))
            return ShellResult(program, tuple(stretches(named)), placed=True)
        if stream.number is not None:
            numbers = list(_numbers(lines, stream))
            if stream.whole and not output.cut and not output.trimmed and len(numbers) == len(lines):
                self._lengths[stream.path] = len(lines)
            return ShellResult(program, tuple(stretches((stream.path, number) for number in numbers)), placed=True)
        if stream.asked is not None and len(lines) > stream.asked:
            return ShellResult(program)  # these are not the lines of the file alone
        first = stream.first
        if stream.tail is not None:
            known = self._lengths.get(stream.path)
            if known is None or output.cut or len(lines) != min(stream.tail, known):
                return ShellResult(program)
            first = known - len(lines) + 1
        elif stream.whole and not output.cut and not output.trimmed:
            self._lengths[stream.path] = len(lines)
        unsure = output.trimmed and len(lines) != stream.asked
        places = ((stream.path, first, len(lines)),) if lines else ()
        return ShellResult(program, places, placed=True, unsure=bool(places) and unsure)


def _parsed(command: str | Sequence[str]) -> list[Pipeline] | None:
    """Pipelines of a script, of ``bash -lc SCRIPT``, or of a program with its arguments as a list."""
    if isinstance(command, str):
        return pipelines(command)
    words = list(command)
    if len(words) == 3 and words[0].rsplit("/", 1)[-1] in _SHELLS and re.fullmatch(r"-[lic]*c[lic]*", words[1]):
        return pipelines(words[2])
    return [Pipeline("", [Command([Word(word) for word in words])])] if words else None


def _without_cd(parsed: list[Pipeline]) -> tuple[str, list[Pipeline]]:
    """The folder that leading ``cd DIR &&`` lead to, and what comes behind them."""
    folder, at = "", 0
    while at + 1 < len(parsed) and parsed[at + 1].joiner == "&&" and len(parsed[at].commands) == 1:
        command = parsed[at].commands[0]
        words = command.words[:1] + command.words[1 + (command.words[1:2] == [Word("--")]) :]
        if len(words) != 2 or words[0] != Word("cd") or not words[1].plain or command.writes or words[1].text == "-":
            break
        folder = _joined(folder, words[1].text)
        at += 1
    return folder, parsed[at:]


def _joined(folder: str, path: str) -> str:
    return posixpath.normpath(posixpath.join(folder, path)) if folder else path


def _program(parsed: Sequence[Pipeline]) -> str:
    """The name that a command is counted under; nothing else of it is kept, since commands hold secrets."""
    return _shown_name(parsed[0].commands[0].program if parsed else "")


def _shown_name(program: str) -> str:
    name = re.sub(r"(?<=\d)\.\d{1,2}\Z", "", program)  # python3.11
    return program if name in PROGRAMS else _UNNAMED


def _first_name(command: str | Sequence[str]) -> str:
    first = command.split(None, 1)[:1] if isinstance(command, str) else list(command[:1])
    return _shown_name(first[0] if first else "")


def _edits(parsed: Sequence[Pipeline], code: int | None) -> tuple[list[str], int]:
    """Files that a command changes, and how many it changes without naming them.

    A program that fails by itself has changed nothing; one that fails after another says nothing about the other. A
    redirection empties its file even if the program fails.
    """
    found: list[str] = []
    unnamed, alone = 0, code not in (0, None) and len(parsed) == 1 and len(parsed[0].commands) == 1
    folder = ""
    for line in parsed:
        for command in line.commands:
            own = [word for word in command.writes if not word.text.startswith("/dev/")]
            if not alone:
                own += _in_place(command)
                own += [Word(path) for path in patched_files("\n".join((*command.here, *_words(command))))
                        if command.program in ("apply_patch", "applypatch")]  # fmt: skip
            found += [_joined(folder, word.text) for word in own if word.plain]
            unnamed += sum(not word.plain for word in own)
            if command.program == "cd" and len(command.words) == 2 and command.words[1].plain:
                folder = _joined(folder, command.words[1].text)
    return found, unnamed


def _words(command: Command) -> list[str]:
    return [word.text for word in command.words]


def patched_files(patch: str) -> list[str]:
    """The files that a patch of apply_patch names."""
    return [found[1] or found[2] for found in _PATCHED.finditer(patch)]


def _in_place(command: Command) -> list[Word]:
    """Files that ``sed -i`` changes."""
    if command.program != "sed":
        return []
    within, scripts, operands, at = False, 0, list[Word](), 1
    words = command.words
    while at < len(words):
        text = words[at].text
        at += 1
        if text == "--in-place" or text.startswith("--in-place="):
            within = True
        elif text in ("--expression", "--file"):
            scripts, at = scripts + 1, at + 1
        elif text.startswith(("--expression=", "--file=")):
            scripts += 1
        elif text.startswith("-") and len(text) > 1 and not text.startswith("--"):
            value = text[1:].lstrip("nrsuzE")
            within = within or value.startswith("i")
            if value[:1] in ("e", "f"):
                scripts += 1
                at += len(value) == 1
        elif not text.startswith("--"):
            operands.append(words[at - 1])
    return operands[0 if scripts else 1 :] if within else []


def _stream(line: Pipeline) -> _Stream | None:
    """What the output of a pipeline is; None where nobody can say."""
    first, *others = line.commands
    for command in line.commands:
        given = command.reads or command.here or command.writes
        if given or not all(word.plain for word in command.words) or not command.words:
            return None
        if command.words[0].text.rsplit("/", 1)[-1] != command.program:
            return None  # an assignment comes first
    found = _source(first)
    for command in others:
        found = None if found is None else _cut(found, command)
    return found


def _source(command: Command) -> _Stream | None:
    """The program that reads the file, or searches."""
    if command.program in ("rg", "grep"):
        search = search_of(command.program, _words(command)[1:])
        if search is None or not search.numbers or (search.stdin and not search.named):
            return None
        if search.named is False:
            return _Stream(search.paths[0], number=_FOUND, consecutive=False)
        return _Stream(search=search)
    read = _READING.get(command.program)
    found = read(_words(command)[1:]) if read is not None else None
    if found is None or len(found[1]) != 1 or found[1][0] == "-":
        return None
    return _applied(_Stream(found[1][0], whole=True), found[0])


def _cut(stream: _Stream, command: Command) -> _Stream | None:
    """What is left of lines behind a program that cuts some of them."""
    if command.program in ("grep", "rg"):
        return _searched(stream, command)
    read = _READING.get(command.program)
    found = read(_words(command)[1:]) if read is not None else None
    if found is None or found[1] not in ([], ["-"]):
        return None
    return _applied(stream, found[0])


def _searched(stream: _Stream, command: Command) -> _Stream | None:
    search = search_of(command.program, _words(command)[1:])
    if search is None or not search.stdin:
        return None
    if stream.number is not None or stream.search is not None:
        return None if search.numbers or search.context else replace(stream, consecutive=False, whole=False)
    if not search.numbers or stream.tail is not None:
        return None
    return replace(stream, number=_FOUND, consecutive=False, shift=stream.first - 1, whole=False)


@dataclass(frozen=True)
class _Cut:
    """What a program does to lines: leaves out those before ``first``, keeps ``most``, numbers them, keeps the last."""

    first: int = 1
    most: int | None = None
    tail: int | None = None
    number: re.Pattern[str] | None = None
    shift: int = 0


def _applied(stream: _Stream, cut: _Cut) -> _Stream | None:
    numbered = stream.number is not None or stream.search is not None
    if cut.number is not None:
        if numbered or stream.tail is not None:
            return None
        return replace(stream, number=cut.number, shift=stream.first - 1 + cut.shift)
    changed = cut.first > 1 or cut.most is not None or cut.tail is not None
    if numbered:
        return replace(stream, whole=stream.whole and not changed)
    if stream.tail is not None:
        return None if changed else stream
    if cut.tail is not None:
        return replace(stream, tail=cut.tail, whole=False) if stream.whole else None
    left = None if stream.asked is None else max(0, stream.asked - cut.first + 1)
    asked = cut.most if left is None else left if cut.most is None else min(left, cut.most)
    return replace(stream, first=stream.first + cut.first - 1, asked=asked, whole=stream.whole and not changed)


def _numbers(lines: Sequence[str], stream: _Stream) -> Iterator[int]:
    """Numbers before lines. Reading ends at one that falls, and, where they follow each other, at one that does not."""
    assert stream.number is not None
    before: int | None = None
    for line in lines:
        found = stream.number.match(line)
        number = None if found is None else int(found[1])
        if number is None and not stream.consecutive:
            continue
        if number is None or (
            before is not None and (number <= before if not stream.consecutive else number != before + 1)
        ):
            return
        before = number
        yield number + stream.shift


def _may_hide_errors(line: Pipeline, output: ShellOutput) -> bool:
    return output.code is None or len(line.commands) > 1


def _complains(line: Pipeline, text: str) -> bool:
    """Whether a program of the pipeline, or the shell, printed an error."""
    names = {re.escape(command.program) for command in line.commands} | _SHELLS
    return re.search(rf"^(?:/(?:usr/)?bin/)?(?:{'|'.join(sorted(names))}): ", text, re.MULTILINE) is not None


_Read = tuple[_Cut, list[str]] | None


def _cat(words: Sequence[str]) -> _Read:
    flags = [word for word in words if word.startswith("-") and word not in ("-", "--")]
    if any(word not in ("-n", "--number") for word in flags):
        return None
    number = re.compile(r" *(\d{1,10})\t") if flags else None
    return _Cut(number=number), [word for word in words if word not in (*flags, "--")]


def _counted(words: Sequence[str], of_tail: bool) -> tuple[str, list[str]] | None:
    """The number of lines that head or tail is asked for, with its sign, and the files."""
    count, files, at = "10", list[str](), 0
    while at < len(words):
        word = words[at]
        at += 1
        if word in ("-n", "--lines"):
            count = words[at] if at < len(words) else "?"
            at += 1
        elif found := re.fullmatch(r"(?:-n|--lines=)(.+)|-(\d+)", word):
            count = found[1] or found[2]
        elif of_tail and at == 1 and re.fullmatch(r"\+\d+", word) and len(words) > 1:
            count = word
        elif word in ("-q", "--quiet", "--silent"):
            continue
        elif word.startswith("-") and word not in ("-", "--"):
            return None
        elif word != "--":
            files.append(word)
    return (count, files) if re.fullmatch(r"[+-]?\d{1,10}", count) else None


def _head(words: Sequence[str]) -> _Read:
    found = _counted(words, of_tail=False)
    if found is None or found[0].startswith("+"):
        return None
    return _Cut(most=None if found[0].startswith("-") else int(found[0])), found[1]


def _tail(words: Sequence[str]) -> _Read:
    found = _counted(words, of_tail=True)
    if found is None:
        return None
    count, files = found
    if count.startswith("+"):
        return _Cut(first=max(1, int(count[1:]))), files
    return _Cut(tail=int(count.lstrip("-"))), files


def _sed(words: Sequence[str]) -> _Read:
    quiet, scripts, files, at = False, list[str](), list[str](), 0
    while at < len(words):
        word = words[at]
        at += 1
        if word in ("-n", "--quiet", "--silent"):
            quiet = True
        elif word in ("-E", "-r", "--regexp-extended"):
            continue
        elif word in ("-e", "-ne"):
            quiet = quiet or word == "-ne"
            scripts.append(words[at] if at < len(words) else "")
            at += 1
        elif word.startswith("-") and word not in ("-", "--"):
            return None
        elif word != "--":
            files.append(word)
    if not scripts:
        scripts, files = files[:1], files[1:]
    found = _RANGE.fullmatch(scripts[0]) if quiet and len(scripts) == 1 else None
    if found is None:
        return None
    first, last = int(found[1]), found[2]
    if last is None:
        most: int | None = 1
    elif last == "$":
        most = None
    else:
        most = int(last[1:]) + 1 if last.startswith("+") else max(1, int(last) - first + 1)
    return _Cut(first=first, most=most), files


def _nl(words: Sequence[str]) -> _Read:
    given, files, at = dict[str, str](), list[str](), 0
    while at < len(words):
        word = words[at]
        at += 1
        if found := re.fullmatch(r"-([bwsv])(.*)", word, re.DOTALL):
            given[found[1]] = found[2] or (words[at] if at < len(words) else "")
            at += not found[2]
        elif word == "--body-numbering=a":
            given["b"] = "a"
        elif word.startswith("-") and word not in ("-", "--"):
            return None
        elif word != "--":
            files.append(word)
    start, separator = given.get("v", "1"), given.get("s", "\t")
    if given.get("b") != "a" or not re.fullmatch(r"\d{1,9}", start) or not separator or separator[0].isdigit():
        return None
    if not re.fullmatch(r"\d{1,3}", given.get("w", "6")):
        return None
    width = int(given.get("w", "6"))
    # a number that is wider than its column is cut off on the left by no version: it takes more room
    number = re.compile(rf" {{0,{width}}}(\d{{1,10}}){re.escape(separator)}")
    return _Cut(number=number, shift=1 - int(start)), files


_READING = {"cat": _cat, "head": _head, "tail": _tail, "sed": _sed, "nl": _nl}
