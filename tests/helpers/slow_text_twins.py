"""Slow, plain twins of the measures of gain and text: sets of characters, trees walked by hand, fractions.

Nothing here imports a measure, a kernel or a recall base of berrypick: every rule is written down a second time, from
measures.md sections 5, 6 and 8, as literally as it can be.

A list is a list of ranks, a rank is a list of pointers. A pointer into text is (document, start, end), a pointer to
an element is (document, path).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
from hypothesis import strategies as st

import berrypick as bp
from berrypick.data.assemble import assemble
from berrypick.data.collection import Collection
from berrypick.data.run import Run
from berrypick.data.truth import EntryPoint, Highlighted, TopicTruth, Truth

Span = tuple[str, int, int]
Key = tuple[str, str]
Character = tuple[str, int]
Ranks = Sequence[Sequence[Span]]
ElementRanks = Sequence[Sequence[Key]]

HUNDREDTHS = [Fraction(i, 100) for i in range(1, 101)]


# Truths and runs in a few words


def positions(values: Sequence[float]) -> Any:
    whole = all(float(value).is_integer() for value in values)
    return np.array(values, dtype=np.int64 if whole else np.float64)


def span_truth(
    spans: Sequence[Span],
    grades: Sequence[float] | None = None,
    entry_points: Sequence[tuple[str, float]] = (),
    lengths: dict[str, float] | None = None,
    topic: str = "1",
) -> Truth:
    judged = TopicTruth(
        topic,
        tuple(document for document, _, _ in spans),
        np.array([1.0] * len(spans) if grades is None else grades, dtype=np.float64),
        positions([start for _, start, _ in spans]),
        positions([end for _, _, end in spans]),
        entry_points=tuple(EntryPoint(document, offset=offset) for document, offset in entry_points),
    )
    return Truth("spans", {topic: judged}, lengths=lengths or {})


def document_truth(grades: dict[str, float], topic: str = "1") -> Truth:
    judged = TopicTruth(topic, tuple(grades), np.array(list(grades.values()), dtype=np.float64))
    return Truth("documents", {topic: judged})


def several(*truths: Truth) -> Truth:
    """One truth of the topics of several, which must have different names."""
    first = truths[0]
    topics = {name: judged for truth in truths for name, judged in truth.topics.items()}
    lengths = {name: length for truth in truths for name, length in truth.lengths.items()}
    return Truth(first.units, topics, lengths=lengths, scale=first.scale)


def span_run(ranks: Ranks, topic: str = "1", **options: Any) -> Run:
    """Repeats are allowed, as in files of spans."""
    rows = [(k, *pointer) for k, group in enumerate(ranks) for pointer in group]
    return assemble(
        **{
            "tag": "run",
            "topic": [topic] * len(rows),
            "document": [row[1] for row in rows],
            "start": positions([row[2] for row in rows]),
            "end": positions([row[3] for row in rows]),
            "rank": np.array([row[0] for row in rows], dtype=np.float64),
            "order": "rank",
            "duplicates": "keep",
            **options,
        }
    )


def element_run(ranks: ElementRanks, topic: str = "1", **options: Any) -> Run:
    rows = [(k, *pointer) for k, group in enumerate(ranks) for pointer in group]
    return assemble(
        **{
            "tag": "run",
            "topic": [topic] * len(rows),
            "document": [row[1] for row in rows],
            "path": [row[2] for row in rows],
            "rank": np.array([row[0] for row in rows], dtype=np.float64),
            "order": "rank",
            "duplicates": "keep",
            **options,
        }
    )


def document_run(names: Sequence[str], scores: Sequence[float] | None = None, topic: str = "1", **options: Any) -> Run:
    given: dict[str, Any] = {"tag": "run", "topic": [topic] * len(names), "document": list(names), "duplicates": "keep"}
    if scores is not None:
        given |= {"score": np.array(scores, dtype=np.float64), "order": "score"}
    return assemble(**(given | options))


def value(truth: Truth, run: Run, measure: str, topic: str = "1", **options: Any) -> float | None:
    return bp.evaluate(truth, [run], measure, **options).per_topic()["run"][measure][topic]


def values(truth: Truth, run: Run, measures: Sequence[str], topic: str = "1", **options: Any) -> list[float | None]:
    found = bp.evaluate(truth, [run], list(measures), **options).per_topic()["run"]
    return [found[measure][topic] for measure in measures]


# Sets of characters


def characters(spans: Sequence[Span]) -> set[Character]:
    return {(document, i) for document, start, end in spans for i in range(start, end)}


def first(ranks: Sequence[Sequence[Any]], k: int | None) -> list[Any]:
    return [pointer for group in (ranks if k is None else ranks[:k]) for pointer in group]


def char_p(targets: Sequence[Span], ranks: Ranks, k: int | None) -> Fraction:
    read, wanted = characters(first(ranks, k)), characters(targets)
    return Fraction(len(read & wanted), len(read)) if read else Fraction(0)


def char_r(targets: Sequence[Span], ranks: Ranks, k: int | None) -> Fraction:
    read, wanted = characters(first(ranks, k)), characters(targets)
    return Fraction(len(read & wanted), len(wanted))


def char_f(targets: Sequence[Span], ranks: Ranks, k: int | None) -> Fraction:
    precision, recall = char_p(targets, ranks, k), char_r(targets, ranks, k)
    return 2 * precision * recall / (precision + recall) if precision + recall else Fraction(0)


def iou(targets: Sequence[Span], ranks: Ranks, k: int | None) -> Fraction:
    read, wanted = characters(first(ranks, k)), characters(targets)
    return Fraction(len(read & wanted), len(read | wanted))


def overlap(ranks: Ranks, k: int | None) -> Fraction | None:
    chosen = first(ranks, k)
    length = sum(len(characters(group)) for group in ranks[:k])
    return 1 - Fraction(len(characters(chosen)), length) if length else None


def interpolated_precision(targets: Sequence[Span], ranks: Ranks, hundredths: int) -> Fraction:
    """iP at hundredths/100: the recall is compared in whole numbers."""
    wanted = characters(targets)
    best = Fraction(0)
    for k in range(1, len(ranks) + 1):
        found = len(characters(first(ranks, k)) & wanted)
        if 100 * found >= hundredths * len(wanted):
            best = max(best, char_p(targets, ranks, k))
    return best


def average_interpolated_precision(targets: Sequence[Span], ranks: Ranks) -> Fraction:
    return sum((interpolated_precision(targets, ranks, i) for i in range(101)), Fraction(0)) / 101


# Articles


def in_articles(ranks: Ranks) -> dict[str, list[Span]]:
    """The pointers of each article, articles in the order in which the list meets them."""
    found: dict[str, list[Span]] = {}
    for pointer in first(ranks, None):
        found.setdefault(pointer[0], []).append(pointer)
    return found


def f_article(targets: Sequence[Span], pointers: Sequence[Span], beta: Fraction) -> Fraction:
    here = [target for target in targets if target[0] == pointers[0][0]]
    read, wanted = characters(pointers), characters(here)
    good = len(read & wanted)
    if not good:
        return Fraction(0)
    precision, recall = Fraction(good, len(read)), Fraction(good, len(wanted))
    return (1 + beta**2) * precision * recall / (beta**2 * precision + recall)


def tolerant_article(targets: Sequence[Span], pointers: Sequence[Span], length: int, tolerance: int) -> Fraction:
    """Character after character: what was retrieved by offset, then the rest of the article."""
    document = pointers[0][0]
    wanted = {i for name, i in characters(targets) if name == document}
    retrieved = sorted({i for _, i in characters(pointers)})
    end = max(length, *(i + 1 for i in retrieved)) if retrieved else length
    order = [*retrieved, *sorted(set(range(end)) - set(retrieved))]
    relevant = irrelevant = 0
    for i in order:
        if irrelevant == tolerance:
            break
        if i in wanted:
            relevant += 1
        else:
            irrelevant += 1
    return Fraction(relevant, relevant + irrelevant) if relevant + irrelevant else Fraction(0)


def near_article(points: Sequence[tuple[str, int]], pointers: Sequence[Span], n: int) -> Fraction:
    document, start, _ = pointers[0]
    distance = min(abs(start - offset) for name, offset in points if name == document)
    return max(Fraction(0), Fraction(n - distance, n))


@dataclass
class Articles:
    """Scores of the articles of a list, in order, and whether each holds relevant text."""

    score: list[Fraction]
    relevant: list[bool]
    total: int

    def gp(self, k: int) -> Fraction:
        return sum(self.score[:k], Fraction(0)) / k

    def gr(self, k: int | None) -> Fraction:
        return Fraction(sum(self.relevant[:k]), self.total)

    def agp(self) -> Fraction:
        ranks = [k for k, relevant in enumerate(self.relevant, start=1) if relevant]
        return sum((self.gp(k) for k in ranks), Fraction(0)) / self.total


def score_articles(targets: Sequence[Span], ranks: Ranks, score: Callable[[Sequence[Span]], Fraction]) -> Articles:
    relevant = {document for document, _ in characters(targets)}
    listed = in_articles(ranks)
    return Articles(
        [score(pointers) if document in relevant else Fraction(0) for document, pointers in listed.items()],
        [document in relevant for document in listed],
        len(relevant),
    )


def entry_distance(points: Sequence[tuple[str, int]], ranks: Ranks, scale: Fraction) -> Fraction:
    """BEPD with A L = scale."""
    total = Fraction(0)
    for document, pointers in in_articles(ranks).items():
        distances = [abs(pointers[0][1] - offset) for name, offset in points if name == document]
        if distances:
            total += scale / (scale + min(distances))
    return total / len(points)


# Trees


@dataclass
class Element:
    """An element with its place on the line of its document."""

    document: str
    path: str
    start: int
    end: int
    above: Element | None = None
    children: list[Element] = field(default_factory=list)

    @property
    def key(self) -> Key:
        return self.document, self.path

    @property
    def span(self) -> Span:
        return self.document, self.start, self.end

    @property
    def size(self) -> int:
        return self.end - self.start

    def rsize(self, highlighted: set[Character]) -> int:
        return len(characters([self.span]) & highlighted)

    def ancestors(self) -> list[Element]:
        return [] if self.above is None else [self.above, *self.above.ancestors()]

    def descendants(self) -> list[Element]:
        return [below for child in self.children for below in (child, *child.descendants())]


@dataclass
class Shape:
    """How a tree grows: for every element but the root its parent, a name, and text before, in and after it."""

    parent: list[int]
    name: list[str]
    before: list[int]
    inside: list[int]
    after: list[int]


def grow(document: str, shape: Shape) -> list[Element]:
    """The elements in document order."""
    children: dict[int, list[int]] = {}
    for i, above in enumerate(shape.parent):
        if i:
            children.setdefault(above, []).append(i)
    found: list[Element] = []

    def lay(i: int, path: str, start: int, above: Element | None) -> Element:
        element = Element(document, path, start, start, above)
        found.append(element)
        line = start + shape.inside[i]
        count: dict[str, int] = {}
        for child in children.get(i, []):
            name = shape.name[child]
            count[name] = count.get(name, 0) + 1
            below = lay(child, f"{path}/{name}[{count[name]}]", line + shape.before[child], element)
            element.children.append(below)
            line = below.end + shape.after[child]
        element.end = line
        return element

    lay(0, "/article[1]", 0, None)
    return found


def structure_of(elements: Sequence[Element]) -> Any:
    """The tree as berrypick's collections hold it, without text nodes."""
    from berrypick.documents.xml.structure import Structure

    number = {id(element): i for i, element in enumerate(elements)}
    nothing = np.zeros(0, dtype=np.int64)
    return Structure(
        name=[element.path.rpartition("/")[2].partition("[")[0] for element in elements],
        parent=np.array([-1 if e.above is None else number[id(e.above)] for e in elements], dtype=np.int64),
        start=np.array([element.start for element in elements], dtype=np.int64),
        end=np.array([element.end for element in elements], dtype=np.int64),
        length=elements[0].end,
        text_parent=nothing,
        text_raw_length=nothing,
        dropped=nothing,
    )


def collection_of(trees: Sequence[Sequence[Element]]) -> Collection:
    return Collection(
        {tree[0].document: float(tree[0].end) for tree in trees},
        structures={tree[0].document: structure_of(tree) for tree in trees},
    )


def assessed_truth(
    trees: Sequence[Sequence[Element]], highlighted: Sequence[Span], with_text: bool = False, topic: str = "1"
) -> Truth:
    """Every element that holds highlighted text, with its size and how much of it is highlighted."""
    wanted = characters(highlighted)
    kept = [element for tree in trees for element in tree if element.rsize(wanted)]
    judged = TopicTruth(
        topic,
        tuple(element.document for element in kept),
        np.ones(len(kept)),
        path=tuple(element.path for element in kept),
        size=np.array([element.size for element in kept], dtype=np.float64),
        rsize=np.array([element.rsize(wanted) for element in kept], dtype=np.float64),
        highlighted=Highlighted(
            tuple(document for document, _, _ in highlighted),
            positions([start for _, start, _ in highlighted]),
            positions([end for _, _, end in highlighted]),
        )
        if with_text
        else None,
    )
    return Truth("elements", {topic: judged}, scale="sizes")


def specificities(trees: Sequence[Sequence[Element]], highlighted: Sequence[Span]) -> dict[Key, Fraction]:
    wanted = characters(highlighted)
    return {
        element.key: Fraction(element.rsize(wanted), element.size)
        for tree in trees
        for element in tree
        if element.rsize(wanted)
    }


def graded_truth(grades: dict[Key, tuple[int, int]], sizes: dict[Key, float] | None = None, topic: str = "1") -> Truth:
    """Exhaustivity and specificity from 0 to 3, as in 2002 to 2004."""
    judged = TopicTruth(
        topic,
        tuple(document for document, _ in grades),
        np.array([float(e > 0) for e, _ in grades.values()]),
        path=tuple(path for _, path in grades),
        exhaustivity=np.array([e for e, _ in grades.values()], dtype=np.float64),
        specificity=np.array([s for _, s in grades.values()], dtype=np.float64),
        size=None if sizes is None else np.array([sizes[key] for key in grades], dtype=np.float64),
    )
    return Truth("elements", {topic: judged}, scale="2002")


# Recall bases and gains


def steps(path: str) -> list[str]:
    return path.strip("/").split("/")


def inside(inner: Key, outer: Key) -> bool:
    """Whether one element lies in another, or is it."""
    return inner[0] == outer[0] and steps(inner[1])[: len(steps(outer[1]))] == steps(outer[1])


def overlapping(one: Key, other: Key) -> bool:
    return inside(one, other) or inside(other, one)


def ideal_base(gain: dict[Key, Fraction]) -> set[Key]:
    """Walk every path from the root down to a relevant element with no relevant descendant."""
    kept = set()
    for leaf in gain:
        if any(other != leaf and inside(other, leaf) for other in gain):
            continue
        path = sorted((key for key in gain if inside(leaf, key)), key=lambda key: len(steps(key[1])))
        best = path[0]
        for key in path[1:]:  # from the root down: only a better one replaces what stands higher
            if gain[key] > gain[best]:
                best = key
        kept.add(best)
    return {key for key in kept if not any(other != key and inside(key, other) for other in kept)}


def focused_gains(
    gains: Sequence[Fraction],
    names: Sequence[Any],
    ideal: dict[Any, Fraction],
    meets: Callable[[Any, Any], bool],
) -> list[Fraction]:
    """Equation 8 with the sum inside: for pointers one after the other; a repeat gains 0."""
    found = []
    for j, name in enumerate(names):
        if name in names[:j]:
            found.append(Fraction(0))
            continue
        before = {other: gains[i] for i, other in enumerate(names[:j])}
        best = Fraction(0)
        for y, worth in ideal.items():
            if meets(name, y):
                spent = sum((gain for other, gain in before.items() if meets(other, y)), Fraction(0))
                best = max(best, min(gains[j], worth - spent))
        found.append(best)
    return found


def cumulated(gains: Sequence[Fraction], ranks: Sequence[Sequence[Any]]) -> list[Fraction]:
    """Gains of pointers to cumulated gains of ranks."""
    found, i, total = [], 0, Fraction(0)
    for group in ranks:
        total += sum(gains[i : i + len(group)], Fraction(0))
        i += len(group)
        found.append(total)
    return found


def at_rank(curve: Sequence[Fraction], k: int) -> Fraction:
    """A curve stays flat after its end."""
    return curve[min(k, len(curve)) - 1] if curve else Fraction(0)


def ideal_curve(base: Sequence[Fraction]) -> list[Fraction]:
    return cumulated(sorted(base, reverse=True), [[None]] * len(base))


def alpha_gains(
    names: Sequence[Key], gain: dict[Key, Fraction], size: dict[Key, int], alpha: Fraction
) -> list[Fraction]:
    """prum-2007 C.3 over the tree of relevant elements, whatever was retrieved counting as seen."""

    def children(x: Key) -> list[Key]:
        below = [y for y in gain if y != x and inside(y, x)]
        return [y for y in below if not any(z not in (x, y) and inside(y, z) and inside(z, x) for z in below)]

    def rv(x: Key, seen: Sequence[Key]) -> Fraction:
        if any(inside(x, y) for y in seen):
            return (1 - alpha) * gain[x]
        if any(inside(y, x) for y in seen):
            parts = sum((rv(y, seen) * Fraction(size[y], size[x]) for y in children(x)), Fraction(0))
            return alpha * parts + (1 - alpha) * gain[x]
        return gain[x]

    ideal = ideal_base(gain)
    spent = {y: Fraction(0) for y in ideal}
    found = []
    for j, x in enumerate(names):
        worth = Fraction(0) if x in names[:j] or x not in gain else rv(x, names[:j])
        for y in ideal:
            if x != y and inside(x, y):
                worth = min(worth, gain[y] - spent[y])
                spent[y] += worth
        found.append(worth)
    return found


# Effort-precision


def position_on(ideal: Sequence[Fraction], wanted: Fraction) -> Fraction:
    """Where the ideal curve, in straight lines from (0, 0), reaches a gain."""
    below = Fraction(0)
    for i, above in enumerate(ideal):
        if wanted <= above:
            return i + (wanted - below) / (above - below) if above > below else Fraction(i)
        below = above
    return Fraction(len(ideal))


def effort_precision(
    run: Sequence[Fraction], ideal: Sequence[Fraction], level: Fraction, how: str = "step"
) -> Fraction:
    wanted = level * ideal[-1]
    for i, gained in enumerate(run, start=1):
        if gained >= wanted:
            if how == "step":
                return Fraction(next(k for k, worth in enumerate(ideal, start=1) if worth >= wanted), i)
            if how == "linear":
                return position_on(ideal, wanted) / position_on(run, wanted)
            return position_on(ideal, gained) / i
    return Fraction(0)


def average_effort_precision(run: Sequence[Fraction], ideal: Sequence[Fraction]) -> Fraction:
    found, before = [], Fraction(0)
    for i, gained in enumerate(run, start=1):
        if gained > before:
            found.append(position_on(ideal, gained) / i)
        before = gained
    return sum(found, Fraction(0)) / max(len(ideal), len(found))


# Groups of ties


def tied_precision(
    groups: Sequence[Sequence[Fraction]], total: Fraction, level: Fraction, units: int | None, ranked: int
) -> Fraction | None:
    """GRP (prum-2007 C.1); None where the units that were not ranked are needed and not known."""
    wanted = level * total
    found = j = Fraction(0)
    for group in groups:
        here = sum(group, Fraction(0))
        if found + here >= wanted:
            others = sum((1 - gain for gain in group), Fraction(0))
            return wanted / (wanted + j + others * (wanted - found) / (here + 1))
        found += here
        j += sum((1 - gain for gain in group), Fraction(0))
    if units is None:
        return None
    left = total - found
    others = units - ranked - left
    return wanted / (wanted + j + others * (wanted - found) / (left + 1))


def shuffled_precision(groups: Sequence[Sequence[int]], wanted: int) -> Fraction:
    """Raghavan: relevant ones wanted over the expected number of results read, by trying every order of the ties."""
    read = found = 0
    for group in groups:
        if found + sum(group) < wanted:
            found += sum(group)
            read += len(group)
            continue
        lengths = []
        for order in permutations(group):
            count = found
            for i, relevant in enumerate(order, start=1):
                count += relevant
                if count == wanted:
                    lengths.append(i)
                    break
        return wanted / (read + Fraction(sum(lengths), len(lengths)))
    raise AssertionError("the groups hold too little")


def unseen_text(elements: Sequence[Element]) -> list[int]:
    """For each retrieved element the characters that no element before it had."""
    seen: set[Character] = set()
    found = []
    for element in elements:
        new = characters([element.span]) - seen
        found.append(len(new))
        seen |= new
    return found


# Generated documents, assessments and runs


@st.composite
def trees(draw: st.DrawFn, document: str = "d", most: int = 7) -> list[Element]:
    """A document of a few elements with a little text; elements may be empty, or fill the one around them."""
    count = draw(st.integers(1, most))
    few = st.integers(0, 3)
    return grow(
        document,
        Shape(
            parent=[-1, *(draw(st.integers(max(0, i - 3), i - 1)) for i in range(1, count))],
            name=[draw(st.sampled_from(["p", "s"])) for _ in range(count)],
            before=[draw(few) for _ in range(count)],
            inside=[draw(st.integers(1 if i == 0 else 0, 4)) for i in range(count)],
            after=[draw(few) for _ in range(count)],
        ),
    )


@st.composite
def highlights(draw: st.DrawFn, tree: Sequence[Element]) -> list[Span]:
    """Passages in one document; each holds something, no two are the same."""
    length = tree[0].end
    found = set()
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, length - 1))
        found.add((tree[0].document, start, draw(st.integers(start + 1, length))))
    return sorted(found)


@dataclass
class World:
    """One or two documents, highlighted text in them, and a list of elements."""

    trees: list[list[Element]]
    highlighted: list[Span]
    ranks: list[list[Key]]

    @property
    def elements(self) -> dict[Key, Element]:
        return {element.key: element for tree in self.trees for element in tree}

    @property
    def gain(self) -> dict[Key, Fraction]:
        return specificities(self.trees, self.highlighted)

    @property
    def truth(self) -> Truth:
        return assessed_truth(self.trees, self.highlighted)

    @property
    def run(self) -> Run:
        return element_run(self.ranks)

    @property
    def pointers(self) -> list[Key]:
        return first(self.ranks, None)

    def raw(self) -> list[Fraction]:
        """What each pointer is worth by itself; a repeat nothing."""
        return [
            Fraction(0) if key in self.pointers[:j] else self.gain.get(key, Fraction(0))
            for j, key in enumerate(self.pointers)
        ]

    def focused(self) -> list[Fraction]:
        gain = self.gain
        ideal = {key: gain[key] for key in sorted(ideal_base(gain))}
        return focused_gains([gain.get(key, Fraction(0)) for key in self.pointers], self.pointers, ideal, overlapping)


@st.composite
def worlds(draw: st.DrawFn, most: int = 8, groups: bool = True, repeats: bool = True) -> World:
    forest = [draw(trees("d"))]
    if draw(st.booleans()):
        forest.append(draw(trees("e", most=4)))
    highlighted = [span for tree in forest for span in draw(highlights(tree))]
    keys = [element.key for tree in forest for element in tree] + [("x", "/article[1]")]
    pointers = draw(st.lists(st.sampled_from(keys), min_size=1, max_size=most, unique=not repeats))
    ranks: list[list[Key]] = []
    for pointer in pointers:
        if ranks and groups and draw(st.integers(0, 3)) == 0:
            ranks[-1].append(pointer)
        else:
            ranks.append([pointer])
    return World(forest, highlighted, ranks)
