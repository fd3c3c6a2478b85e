"""Calls of grep and ripgrep in a shell: what they search, and whether they print names of files and line numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from berrypick.formats.agents._printed_lines import file_hits, printed_groups

#: Options that change neither which lines of a file are printed whole, nor how: without and with a value.
_PLAIN = {
    "grep": "-i -w -x -F -E -G -P -r -R -s -a -I -v -y -U --ignore-case --word-regexp --line-regexp --fixed-strings "
    "--extended-regexp --basic-regexp --perl-regexp --recursive --dereference-recursive --no-messages --text "
    "--invert-match --color=never --colour=never --color=auto",
    "rg": "-i -S -s -w -x -F -P -U -u -L -v -a --ignore-case --smart-case --case-sensitive --word-regexp --line-regexp "
    "--fixed-strings --pcre2 --multiline --unrestricted --follow --invert-match --text --hidden --no-ignore "
    "--no-ignore-vcs --no-heading --no-messages --color=never --no-config",
}
_VALUED = {
    "grep": "-m --max-count --include --exclude --exclude-dir",
    "rg": "-g -t -T -m -j -d --glob --iglob --type --type-not --max-count --max-depth --sort --sortr --threads",
}
_PATTERNS = frozenset({"-e", "--regexp", "-f", "--file"})
_CONTEXT = frozenset({"-A", "-B", "-C", "--after-context", "--before-context", "--context"})
_FOLDERS = frozenset({"-r", "-R", "--recursive", "--dereference-recursive"})


@dataclass(frozen=True)
class Search:
    """A search: the paths it goes through, and what it prints before a line."""

    paths: tuple[str, ...]
    numbers: bool
    named: bool | None  # names of files before the lines; None: if the one path is a folder
    stdin: bool  # it searches its input
    context: bool


def search_of(program: str, words: Sequence[str]) -> Search | None:
    """Understand the arguments of a search; None where an option is not known to leave lines as they are."""
    plain, valued = _PLAIN[program].split(), _VALUED[program].split()
    seen: set[str] = set()
    operands: list[str] = []
    only_operands = False
    words = list(words)
    while words:
        word = words.pop(0)
        if only_operands or word == "-" or not word.startswith("-"):
            operands.append(word)
        elif word == "--":
            only_operands = True
        elif word.startswith("--") or len(word) == 2:
            name, equals, _ = word.partition("=")
            takes = name in (*valued, *_PATTERNS, *_CONTEXT)
            if word not in plain and not takes and name not in _KNOWN and not re.fullmatch(r"-\d", word):
                return None
            if takes and not equals:
                if not words:
                    return None
                words.pop(0)
            seen.add("-C" if re.fullmatch(r"-\d", word) else name)
        elif re.fullmatch(r"-\d+", word):
            seen.add("-C")
        else:  # several letters: flags, and perhaps an option with its value at the end
            head, rest = f"-{word[1]}", word[2:]
            takes = head in (*valued, *_PATTERNS, *_CONTEXT)
            if takes:
                seen.add(head)
            else:
                words[:0] = [head, f"-{rest}"]
    return _understood(program, seen, operands)


_KNOWN = frozenset({"-n", "--line-number", "-H", "--with-filename", "-h", "--no-filename"})


def _understood(program: str, seen: set[str], operands: list[str]) -> Search | None:
    if not seen & _PATTERNS:
        if not operands:
            return None
        operands = operands[1:]
    if program == "rg" and "-h" in seen:  # its help
        return None
    numbers = bool(seen & {"-n", "--line-number"})
    context = bool(seen & _CONTEXT)
    folders = program == "rg" or bool(seen & _FOLDERS)
    without = bool(seen & {"-h", "--no-filename"})
    if not operands or operands == ["-"]:
        if folders and not operands:  # below the working folder; ripgrep may search its input instead
            return None if without else Search((), numbers, True, program == "rg", context)
        return Search((), numbers, bool(seen & {"-H", "--with-filename"}), True, context)
    named: bool | None = len(operands) > 1 or bool(seen & {"-H", "--with-filename"})
    if not named and folders:
        named = None
    if without and named is not False:
        return None
    return Search(tuple(operands), numbers, named, False, context)


def searches_folder(lines: Sequence[str], path: str) -> bool:
    """Whether the one path of a search is a folder, by what it printed: of a file, no line begins with its name."""
    return any(line.startswith(f"{path.rstrip('/')}/") for line in lines)


def hits_of_files(lines: Sequence[str], search: Search) -> Iterator[tuple[str, int]]:
    """Paths and numbers of lines with a name before them, of files below the paths of the search."""
    wanted = [path.rstrip("/") for path in search.paths if path != "-"]
    for group in printed_groups(lines):
        loose: list[str] = []
        for line in group:
            found = next((hit for path in search.paths if (hit := _behind(path, line)) is not None), None)
            if found is not None:
                yield found
            else:
                loose.append(line)
        for path, number in file_hits(loose, search.context):
            if not wanted or any(path == one or one == "." or path.startswith(f"{one}/") for one in wanted):
                yield path, number


def _behind(path: str, line: str) -> tuple[str, int] | None:
    if not line.startswith(path):
        return None
    found = re.match(r":(\d{1,10}):|-(\d{1,10})-", line[len(path) : len(path) + 13])
    return None if found is None else (path, int(found[1] or found[2]))
