"""Shell commands as words: pipelines, redirections and here-documents, as far as they can be read without running them.

A word that the shell would expand (variables, substitutions, patterns of file names) is not ``plain``: nobody can say
from the command alone what it stands for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

_OPERATORS = re.compile(r"&&|\|\||\|&|;;|&>>|&>|<<<|<<-?|<&|>&|>>|>\||<>|[|;&<>()\n]")
#: Characters of a word outside of quotes that a shell replaces by something else.
_EXPANDED = frozenset("$`*?[{")
_WRITING = frozenset({">", ">>", ">|", "&>", "&>>"})
_HERE = frozenset({"<<", "<<-"})
#: The longest command that is looked at.
LONGEST = 200_000


@dataclass(frozen=True)
class Word:
    """A word without its quotes; ``plain`` if the shell expands nothing in it."""

    text: str
    plain: bool = True


@dataclass
class Command:
    """One program of a pipeline: its words, the files it writes to, and the text of its here-documents."""

    words: list[Word] = field(default_factory=list)
    writes: list[Word] = field(default_factory=list)
    reads: list[Word] = field(default_factory=list)
    here: list[str] = field(default_factory=list)

    @property
    def program(self) -> str:
        """The name of the program, without its folder and without assignments before it."""
        for word in self.words:
            if not re.match(r"[A-Za-z_]\w*=", word.text):
                return word.text.rsplit("/", 1)[-1] if word.plain else ""
        return ""


@dataclass
class Pipeline:
    """Programs whose output goes from one to the next; ``joiner`` is what stands before it: '', '&&', '||', ';'."""

    joiner: str
    commands: list[Command] = field(default_factory=list)


def pipelines(script: str) -> list[Pipeline] | None:
    """Read a script; None where it cannot be read: an open quote, a subshell, a script that is too long."""
    if len(script) > LONGEST:
        return None
    tokens = _tokens(script)
    return None if tokens is None else _arranged(tokens)


def _tokens(script: str) -> list[Word | str] | None:
    """Words and operators; the text of a here-document is a word behind the word that ends it."""
    found: list[Word | str] = []
    at, ends = 0, list[tuple[int, str]]()
    while at < len(script):
        character = script[at]
        if character in " \t" or script.startswith("\\\n", at):
            at += 1 + (character == "\\")
        elif character == "#":
            at = _end_of_line(script, at)
        elif operator := _OPERATORS.match(script, at):
            found.append(operator[0])
            at = operator.end()
            if operator[0] == "\n" and ends:
                at = _here_documents(script, at, ends, found)
                ends = []
        else:
            read = _word(script, at)
            if read is None:
                return None
            word, at = read
            if found and found[-1] in _HERE:
                ends.append((len(found), str(found[-1])))
            elif re.fullmatch(r"\d", word.text) and script[at : at + 1] in tuple("<>"):
                operator = _OPERATORS.match(script, at)
                assert operator is not None
                found.append(word.text + operator[0])  # the number of a stream before a redirection
                at = operator.end()
                continue
            found.append(word)
    return None if ends else found


def _end_of_line(script: str, at: int) -> int:
    end = script.find("\n", at)
    return len(script) if end < 0 else end


def _here_documents(script: str, at: int, ends: Sequence[tuple[int, str]], found: list[Word | str]) -> int:
    """Put the texts of here-documents in the place of the words that end them; where it goes on."""
    for place, operator in ends:
        word = found[place]
        assert isinstance(word, Word)
        body: list[str] = []
        while at < len(script):
            end = _end_of_line(script, at)
            line, at = script[at:end], end + 1
            if (line.lstrip("\t") if operator == "<<-" else line) == word.text:
                break
            body.append(line)
        found[place] = Word("\n".join(body))
    return at


def _word(script: str, at: int) -> tuple[Word, int] | None:
    """One word and where it ends; None for a quote that nobody closes."""
    text: list[str] = []
    plain = True
    while at < len(script) and script[at] not in " \t" and not _OPERATORS.match(script, at):
        character = script[at]
        if character == "'":
            end = script.find("'", at + 1)
            if end < 0:
                return None
            text.append(script[at + 1 : end])
            at = end + 1
        elif character == '"':
            read = _double_quoted(script, at + 1)
            if read is None:
                return None
            inside, quoted_plain, at = read
            text.append(inside)
            plain = plain and quoted_plain
        elif character == "\\":
            text.append("" if script[at + 1 : at + 2] == "\n" else script[at + 1 : at + 2])
            at += 2
        else:
            plain = plain and character not in _EXPANDED and not (character == "~" and not text)
            text.append(character)
            at += 1
    return Word("".join(text), plain), at


def _double_quoted(script: str, at: int) -> tuple[str, bool, int] | None:
    text: list[str] = []
    plain = True
    while at < len(script):
        character = script[at]
        if character == '"':
            return "".join(text), plain, at + 1
        if character == "\\" and script[at + 1 : at + 2] in tuple('$`"\\\n'):
            text.append(script[at + 1].replace("\n", ""))
            at += 2
            continue
        plain = plain and character not in "$`"
        text.append(character)
        at += 1
    return None


def _arranged(tokens: Sequence[Word | str]) -> list[Pipeline] | None:
    found = [Pipeline("", [Command()])]
    at = 0
    while at < len(tokens):
        token = tokens[at]
        at += 1
        command = found[-1].commands[-1]
        if isinstance(token, Word):
            command.words.append(token)
        elif token == "|":
            found[-1].commands.append(Command())
        elif token in ("&&", "||", ";", "\n"):
            found.append(Pipeline(";" if token == "\n" else token, [Command()]))
        elif at < len(tokens) and isinstance(target := tokens[at], Word) and token not in ("&", "(", ")", ";;", "|&"):
            at += 1
            _redirect(command, token, target)
        else:
            return None  # subshells, jobs in the background, case
    return [one for one in found if one.commands != [Command()]]


def _redirect(command: Command, operator: str, target: Word) -> None:
    stream, operator = (operator[0], operator[1:]) if operator[0].isdigit() else ("", operator)
    if stream == "2" and target.text.startswith("/dev/"):
        return  # errors that nobody sees
    if operator in _HERE:
        command.here.append(target.text)
    elif operator in _WRITING or (operator == ">&" and not re.fullmatch(r"\d+|-", target.text)):
        command.writes.append(target)
    elif operator in ("<", "<>", "<<<"):
        command.reads.append(target)
