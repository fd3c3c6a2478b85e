"""Messages, notes and help are written as people write: patterns that read as translated, with what to write instead.

The list is short on purpose. It has what was rewritten before and comes back, not everything that could be better.
"""

import ast
import re
from pathlib import Path

import pytest
from many_cases import each
from parsed_files import parsed

import berrypick as bp

ROOT = Path(bp.__file__).parent
REPOSITORY = Path(__file__).parents[2]
#: Pattern, and why it is not used. {} stands for a value.
BANNED = {
    r"(?<!there )\b(is|are) no (?!longer\b|more\b|larger\b|better\b)[a-z]": "a German 'kein': write 'is not a'",
    r"\b(is|are) none of\b": "write 'is not one of'",
    r"\bleave ([\w{}=@]+ ){1,3}out\b": "a verb in two parts far from each other: write 'remove' or 'omit'",
    r", left out\b": "write ', skipped'",
    r"\b(is|are) (said|told|tried)\b": "a passive without an actor: write 'report' or 'test'",
    r"\btaken (for|as)\b": "write 'read as' or 'treated as'",
    r"\bsays? (where|itself|nothing)\b": "files do not speak: name the field, or write 'has no ..'",
    r"\bhang together\b": "write 'depend on each other', or 'connected'",
    r"\b(a|an|one|two|four) \w+ a (topic|question|line|run|rank|item|word|page)\b": "write 'per topic'",
    r"\bstands? (twice|beside|there|in)\b": "text does not stand: write 'is', 'is given'",
    r"\blies? (in|on|outside|below|beyond|within|between|behind)\b": "text does not lie: write 'is'",
    r"\bso (many|much)\b": "so many as what? write 'this many', or the number",
    r"\b(slice|door|add-on)s?\b": "a word for the inside of berrypick",
}


def strings():
    """(place, text) of what users may see: strings of two words or more outside of docstrings, values as {}."""
    for path in sorted(ROOT.rglob("*.py")):
        tree = parsed(path)
        hidden = {
            id(node.body[0].value)
            for node in ast.walk(tree)
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
            and node.body
            and isinstance(node.body[0], ast.Expr)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr):
                hidden |= {id(inner) for inner in ast.walk(node) if inner is not node}
        for node in ast.walk(tree):
            if id(node) in hidden:
                continue
            text = ""
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                text = node.value
            elif isinstance(node, ast.JoinedStr):
                text = "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
            if re.search(r"[a-z{}] [a-z{}]", text):
                yield f"{path.relative_to(ROOT).as_posix()}:{node.lineno}", " ".join(text.split())


@each("pattern", BANNED)
def test_messages_read_as_people_write(pattern):
    found = [f"{place}: {text[:100]}" for place, text in strings() if re.search(pattern, text)]
    assert not found, f"{BANNED[pattern]}:\n" + "\n".join(found)


#: Words that newcomers need not know, and what a first screen has of a page.
OF_OURS, ONLY_AS_OPTIONS = re.compile(r"\b(carrier|slice|door|add-on)s?\b"), re.compile(r"(?<!--)\b(idealism|reach)\b")
SCREEN = 60


def first_screens():
    pages = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs/tutorials").glob("*.md"))]
    for page in pages:
        text = page.read_text("utf-8")
        yield page.name, text if page.name == "README.md" else "\n".join(text.split("\n")[:SCREEN])


def test_first_screens_use_no_words_of_ours():
    found = {name: OF_OURS.findall(text) for name, text in first_screens()}
    assert len(found) > 3 and not any(found.values()), found


@pytest.mark.parametrize("command", ["evaluate", "compare"])
def test_help_uses_no_words_of_ours(berrypick, command):
    text = berrypick(command, "--help").out
    assert len(text) > 1000 and not OF_OURS.search(text)
    assert not ONLY_AS_OPTIONS.search(text)
