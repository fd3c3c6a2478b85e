"""ES modules as one script, without a tool that somebody would have to install.

Each module becomes a function that returns its exports. The result is the text of one ``<script type="module">``: it
has no global names, and it works in pages opened from a folder, where browsers refuse to import files. These statements
are understood, each on a line of its own that is not indented:

* ``import * as name from './module.js';``, ``import { a, b } from './module.js';`` and ``import './module.js';``
* ``export const a = ..``, ``export let``, ``export function``, ``export async function``, ``export class`` and
  ``export { a, b };``

Other lines that begin with import or export, imports of missing names, and circular imports are errors. A module is
found by its file name: ``'../../html/assets/dom.js'`` is ``dom``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from berrypick.data.errors import UsageError

_STATEMENT = re.compile(r"^(?:import|export)\b[^\n]*", re.MULTILINE)
_FROM = r"'(?:[^'\n]*/)?(\w+)\.js';?\s*(?://.*)?$"
_ALL = re.compile(r"import \* as (\w+) from " + _FROM)
_SOME = re.compile(r"import \{([\w\s,]+)\} from " + _FROM)
_NONE = re.compile(r"import " + _FROM)
_DECLARED = re.compile(r"export ((?:async )?function\*?|class|const|let) (\w+)")
#: ``export { a, b };`` may go on over several lines.
_LIST = re.compile(r"^export \{([\w\s,]+)\};?$", re.MULTILINE)


@dataclass(frozen=True)
class _Module:
    """A module as a function body, the modules that it needs, and its names, of which some may get other values."""

    body: str
    needs: tuple[str, ...]
    wanted: tuple[tuple[str, tuple[str, ...]], ...]
    names: tuple[str, ...]
    changing: frozenset[str]


def bundle(entry: str, read: Callable[[str], str], given: Mapping[str, str]) -> str:
    """Return one script that runs ``entry`` after the modules that it imports, each once.

    Parameters
    ----------
    entry : str
        The text of the first module.
    read : callable
        Gives the text of a module by its name; `KeyError` or `FileNotFoundError` where there is none.
    given : mapping
        Texts of further modules by name, which come before those that ``read`` gives.
    """
    done: dict[str, _Module] = {}
    parts: list[str] = []

    def add(name: str, text: str, above: tuple[str, ...]) -> None:
        module = _module(name, text)
        for need in module.needs:
            if need in (*above, name):
                raise UsageError(f"script {name}: it imports {need}, which imports it: leave one of the imports out")
            if need not in done:
                try:
                    content = given[need] if need in given else read(need)
                except (KeyError, FileNotFoundError):
                    raise UsageError(f"script {name}: there is no module {need} to import") from None
                add(need, content, (*above, name))
        for source, wanted in module.wanted:
            for one in wanted:
                if one not in done[source].names:
                    raise UsageError(f"script {name}: {source} does not export {one}")
                if one in done[source].changing:
                    raise UsageError(f"script {name}: {one} changes; write import * as {source} and {source}.{one}")
        done[name] = module
        shown = ", ".join(f"get {one}() {{ return {one}; }}" if one in module.changing else one for one in module.names)
        parts.append(f"const ${name} = (() => {{\n{module.body.strip()}\nreturn {{ {shown} }};\n}})();")

    add("entry", entry, ())
    return "\n".join(parts)


def _module(name: str, text: str) -> _Module:
    needs: list[str] = []
    wanted: list[tuple[str, tuple[str, ...]]] = []
    names: list[str] = []
    changing: set[str] = set()

    def listed(found: re.Match[str]) -> str:
        names.extend(found[1].replace(",", " ").split())
        return ""

    def replaced(found: re.Match[str]) -> str:
        line = found[0]
        if one := _ALL.match(line):
            needs.append(one[2])
            return f"const {one[1]} = ${one[2]};"
        if one := _SOME.match(line):
            needs.append(one[2])
            wanted.append((one[2], tuple(one[1].replace(",", " ").split())))
            return f"const {{{one[1]}}} = ${one[2]};"
        if one := _NONE.match(line):
            needs.append(one[1])
            return ""
        if one := _DECLARED.match(line):
            names.append(one[2])
            changing.update([one[2]] if one[1] == "let" else [])
            return line.removeprefix("export ")
        raise UsageError(f"script {name}: {line:.80} cannot be bundled; berrypick.report.html.bundle says what can be")

    body = _STATEMENT.sub(replaced, _LIST.sub(listed, text))
    return _Module(body, tuple(needs), tuple(wanted), tuple(names), frozenset(changing))
