"""How many spans ``relocate`` carries into the right place of a new version.

    python experiments/relocation.py postgresql-doc | OLD NEW [--documents N] [--spans N] [--seed N]
    python experiments/relocation.py chunking-evaluation
    python experiments/relocation.py git [REPOSITORY]

OLD and NEW are folders with two versions of the same text or HTML files; postgresql-doc are two versions of that
package. Spans of 4 to 40 words are drawn at random from the old version. Where a span belongs is known without any
alignment if its paragraph occurs once in either version, and alike. On top of the new version words are edited, lines
are broken elsewhere, sections are moved; the right place follows the edits. Spans of other paragraphs have no known
place: of them only the flags are counted.

With chunking-evaluation, one sentence is moved elsewhere in excerpts of its five texts. Spans have 1 to 20 words, a
third of them are from that sentence; where they belong is known for all that are still in one piece.

With git, spans of 1 to 30 lines are drawn from files that differ between two commits of a repository, by default this
one. Where they belong is known for those whose lines git blame follows, into other files too.
"""

from __future__ import annotations

import argparse
import html
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import data

import berrypick as bp
from berrypick.judgements.relocate import CERTAIN, RelocatedSpan

sys.path.append(str(Path(__file__).resolve().parents[1]))
from tests.helpers.git_history import Tally, commits, git, tally
from tests.helpers.moved_sentences import moved_sentences, relocated

#: Tags that begin or end a paragraph of HTML, and files of text.
BLOCK = re.compile(r"</?(?:p|div|h\d|li|dt|dd|tr|td|th|pre|table|ul|ol|dl|br|hr|title|body)\b[^>]*>", re.IGNORECASE)
SUFFIXES = {".html", ".htm", ".txt", ".md", ".rst", ".xml"}
#: (what is done to the new version, share of words edited)
KINDS = (
    ("as released", 0.0), ("words", 0.01), ("words", 0.03), ("words", 0.1), ("lines", 0.03), ("sections", 0.03),
)  # fmt: skip
WORD = re.compile(r"\S+")
#: What is edited of a word: not the marks around it, which would stay in place.
LETTERS = re.compile(r"\w+")
PARTS = 20

#: Where the package has its manual.
MANUAL = "usr/share/doc/postgresql-doc-15/html"

Span = tuple[int, int]


#: Lengths of excerpts, how many of each length from each text, and spans in each of them.
EXCERPTS, EXCERPTS_EACH, SPANS_EACH = (500, 1200, 4000), 40, 30


def main(words: Sequence[str] | None = None) -> None:
    given = _arguments(words)
    if given.folders == ["chunking-evaluation"]:
        files = data.needed("chunking-evaluation", given.data, given.unchecked)
        texts = [path.read_bytes().decode() for name, path in sorted(files.items()) if name.startswith("corpora/")]
        _sentences(texts, 1 if given.small else EXCERPTS_EACH)
    elif given.folders[0] == "git":
        repository = Path(given.folders[1]) if len(given.folders) > 1 else Path(__file__).resolve().parents[1]
        _history(repository, given.small, given.seed)
    else:
        old, new = (_documents(folder) for folder in _versions(given))
        documents, spans = (3, 5) if given.small else (given.documents, given.spans)
        table = measured(old, new, documents, spans, given.seed)
        header = f"{'new version':<14}{'edited':>7}{'spans':>7}{'right':>8}{'wrong, no flag':>16}"
        print(f"{header}   statuses, of all spans drawn")
        for row in table:
            print(row)


def _versions(given: argparse.Namespace) -> list[Path]:
    if given.folders == ["postgresql-doc"]:
        packages = sorted(data.needed("postgresql-doc", given.data, given.unchecked).values())
        return [data.unpacked(package, MANUAL) for package in packages]
    if len(given.folders) != 2:
        raise data.DataError("name postgresql-doc, chunking-evaluation, or two folders with versions of the same files")
    return [Path(folder) for folder in given.folders]


def _arguments(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", metavar="OLD NEW", help="or postgresql-doc, chunking-evaluation, git")
    parser.add_argument("--documents", type=int, default=60, help="so many documents at most, drawn at random")
    parser.add_argument("--spans", type=int, default=20, help="spans of each document")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--small", action="store_true", help="little of everything, to see that it runs")
    data.add_options(parser)
    return parser.parse_args(words)


def _sentences(texts: list[str], each: int) -> None:
    print("excerpts of   spans  right, no flag  wrong, no flag   statuses")
    for length in EXCERPTS:
        chance, counts = random.Random(length), Counter[str]()
        for text in texts:
            for _ in range(each):
                at = chance.randrange(len(text) - length)
                for made in moved_sentences(text[at : at + length], chance, 1, SPANS_EACH):
                    counts += relocated(made)
        right, wrong = counts.pop("right", 0), counts.pop("wrong", 0)
        spans = counts.total()
        statuses = ", ".join(f"{count} {status}" for status, count in counts.most_common())
        print(f"{length:<11}{spans:>8}{right / spans:>16.2%}{wrong:>16}   {statuses}", flush=True)


#: How many commits of the main line are between two versions, how many pairs of them are drawn, spans of each pair, and
#: files that differ at most, since blame takes minutes for thousands.
APART, PAIRS, SPANS_OF_PAIR, MOST_FILES = (5, 20), 10, 400, 400


def _history(repository: Path, small: bool, seed: int) -> None:
    history, chance = commits(repository), random.Random(seed)
    print("commits apart   spans  followed by git    right  other file    right  reported   wrong, no flag")
    for apart in APART:
        found, pairs, tries = Tally(), 1 if small else PAIRS, 0
        while pairs and len(history) > apart and tries < 100:
            tries += 1
            at = chance.randrange(len(history) - apart)
            old, new = history[at], history[at + apart]
            if not 0 < len(git(repository, "diff", "--name-only", old, new).splitlines()) <= MOST_FILES:
                continue
            found += tally(repository, old, new, 20 if small else SPANS_OF_PAIR, chance)
            pairs -= 1
        right, inside = found.right / max(1, found.followed), found.other_file_right / max(1, found.other_file)
        print(
            f"{apart:<13}{found.drawn:>8}{found.followed:>17}{right:>9.2%}{found.other_file:>12}{inside:>9.2%}"
            f"{found.reported.total():>10}{len(found.wrong):>17}",
            flush=True,
        )
        for case, expected in found.wrong:
            print(f"  {case.as_dict()['from']} to {case.as_dict()['to']}, but git has {sorted(expected)}")


def _documents(folder: Path) -> dict[str, str]:
    """The texts of a folder, by their names in it; HTML without its tags, a blank line between paragraphs."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() in SUFFIXES and path.is_file():
            text = path.read_text(encoding="utf-8", errors="replace")
            marked = path.suffix.lower() in (".html", ".htm", ".xml")
            found[str(path.relative_to(folder))] = _without_tags(text) if marked else text
    return found


def _without_tags(text: str) -> str:
    text = re.sub(r"(?is)<(script|style)\b.*?</\1>|<!--.*?-->", "", text)
    return html.unescape(re.sub(r"<[^>]*>", "", BLOCK.sub("\n\n", text)))


@dataclass
class Line:
    """One line of the table."""

    kind: str
    share: float
    known: int = 0
    right: int = 0
    unflagged: int = 0
    statuses: Counter[str] | None = None

    def add(self, case: RelocatedSpan, expected: Span | None) -> None:
        self.statuses = self.statuses or Counter()
        self.statuses[case.status] += 1
        if expected is not None:
            self.known += 1
            self.right += case.places == (expected,)
            self.unflagged += case.status in CERTAIN and case.places != (expected,)

    def __str__(self) -> str:
        statuses = ", ".join(f"{count} {status}" for status, count in (self.statuses or Counter()).most_common())
        return (
            f"{self.kind:<14}{self.share:>7.0%}{self.known:>7}{self.right / max(1, self.known):>8.2%}"
            f"{self.unflagged:>16}   {statuses}"
        )


def measured(old: dict[str, str], new: dict[str, str], documents: int, spans: int, seed: int) -> list[Line]:
    """The table: a line for each kind of edits."""
    chance = random.Random(seed)
    changed = [name for name in old if name in new and old[name] != new[name] and len(WORD.findall(old[name])) > 200]
    if not changed:
        raise data.DataError("the two versions have no document in common that differs and has at least 200 words")
    chosen = sorted(chance.sample(changed, min(documents, len(changed))))
    print(f"{len(old)} and {len(new)} documents, {len(changed)} of at least 200 words differ, {len(chosen)} drawn")
    table = [Line(kind, share) for kind, share in KINDS]
    for name in chosen:
        marks = _drawn(chance, old[name], spans)
        places = _places(old[name], new[name], marks)
        truth = {f"q{i}": {f"{name}#{a}-{b}": 1} for i, (a, b) in enumerate(marks)}
        for line in table:
            text, moved = edited(chance, new[name], line.kind, line.share)
            cases = bp.relocate(truth, {name: old[name]}, {name: text}).cases
            for case, place in zip(cases, places, strict=True):
                line.add(case, None if place is None else moved.span(place))
    return table


def _drawn(chance: random.Random, text: str, count: int) -> list[Span]:
    """Spans of 4 to 40 words, each within one paragraph."""
    paragraphs = [[match.span() for match in WORD.finditer(text, *span)] for span in _paragraphs(text)]
    weights = [max(0, len(words) - 3) for words in paragraphs]
    found = []
    for words in chance.choices(paragraphs, weights, k=count) if any(weights) else []:
        length = chance.randint(4, min(40, len(words)))
        first = chance.randint(0, len(words) - length)
        found.append((words[first][0], words[first + length - 1][1]))
    return found


def _paragraphs(text: str) -> Iterator[Span]:
    for match in re.finditer(r"\S.*?(?=\n[ \t]*\n|\Z)", text, re.DOTALL):
        yield match.start(), match.start() + len(match[0].rstrip())


def _places(old: str, new: str, marks: list[Span]) -> list[Span | None]:
    """Where spans are in the new version, if their paragraph is there once, and once in the old one."""
    held: list[dict[str, list[int]]] = [{}, {}]
    for text, places in zip((old, new), held, strict=True):
        for start, end in _paragraphs(text):
            places.setdefault(text[start:end], []).append(start)
    found: list[Span | None] = []
    for start, end in marks:
        low, high = next((a, b) for a, b in _paragraphs(old) if a <= start and end <= b)
        there = held[1].get(old[low:high], [])
        unique = len(there) == len(held[0][old[low:high]]) == 1
        found.append((there[0] + start - low, there[0] + end - low) if unique else None)
    return found


class Moved:
    """Where the words of a text are after edits."""

    def __init__(self) -> None:
        self.first: dict[int, int] = {}
        self.last: dict[int, int] = {}

    def span(self, span: Span) -> Span:
        return self.first[span[0]], self.last[span[1]]


def edited(chance: random.Random, text: str, kind: str, share: float) -> tuple[str, Moved]:
    """A text with words edited, and with lines broken elsewhere or a section moved."""
    parts = [[match.span() for match in WORD.finditer(text, *span)] for span in _paragraphs(text)]
    order = list(range(len(parts)))
    if kind == "sections" and len(parts) >= PARTS:
        size = len(parts) // PARTS
        at, to = (chance.randrange(len(parts) - size) for _ in range(2))
        taken = order[at : at + size]
        del order[at : at + size]
        order[to:to] = taken
    out, moved, length = [], Moved(), 0
    for number in order:
        for i, (start, end) in enumerate(parts[number]):
            word = text[start:end]
            if chance.random() < share:
                word = LETTERS.sub(lambda found: chance.choice(["another", found[0][::-1], f"{found[0]}ish"]), word)
            moved.first[start], moved.last[end] = length, length + len(word)
            last = i + 1 == len(parts[number])
            space = "\n\n" if last else chance.choice(" \n") if kind == "lines" else text[end : parts[number][i + 1][0]]
            out += [word, space]
            length += len(word) + len(space)
    return "".join(out), moved


if __name__ == "__main__":
    with data.told():
        main()
