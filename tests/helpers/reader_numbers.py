"""Numbers that every implementation must give, as data: where each comes from, and the little files behind it.

``measures.md`` is the specification of the measures; numbers that it marks "ours" were worked out by enumeration, the
others are printed in the papers (corrected where the specification says so).
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Example:
    """Files that a person could write: a qrels or span truth, a run, perhaps a navigation table and lengths."""

    truth: str
    run: str
    navigation: str = ""
    lengths: str = ""
    options: tuple[str, ...] = ()


@dataclass(frozen=True)
class Number:
    """One number: its source, the measure as typed, the value and how many digits of it are known."""

    source: str
    example: str
    measure: str
    value: float | None
    places: int = 12
    options: tuple[str, ...] = field(default=())


def _qrels(**grades: float) -> str:
    return "".join(f"1 0 {document} {grade}\n" for document, grade in grades.items())


def _run(documents: str) -> str:
    return "".join(f"1 Q0 {name} {k} {-k} list\n" for k, name in enumerate(documents.split(), start=1))


def _table(*rows: tuple[str, str, float]) -> str:
    return "".join(f"{a}\t{b}\t{p!r}\n" for a, b, p in rows)


def _spans(*spans: tuple[str, int, int], **more: object) -> str:
    lines = []
    for k, (document, start, end) in enumerate(spans, start=1):
        score = f', "score": {-k}' if more.get("scored") else ""
        lines.append(f'{{"topic": "1", "doc": "{document}", "start": {start}, "end": {end}{score}}}\n')
    return "".join(lines)


#: 40% go on from c to a, 40% from c to b, 60% from d to a, 40% from d to b.
_CDA = _table(("c", "a", 0.4), ("c", "b", 0.4), ("d", "a", 0.6), ("d", "b", 0.4))


def _entry_page(p: float) -> str:
    """a leads to both targets b and c."""
    return _table(("a", "b", p), ("a", "c", p))


_FOUR_STEPS = _table(("p", "x", 0.5), ("p", "y", 0.2), ("q", "y", 0.5))
_CLOSE = _spans(("d", 5, 10), ("d", 20, 30))
_FAR = _spans(("d", 5, 10), ("d", 80, 90))
_HUNDRED = "d\t100\n"
_THREE_SHOTS = _spans(("v", 0, 30), ("v", 100, 130), ("v", 200, 230))
_TWENTY_FIVE = {f"t{i}": 1 for i in range(25)}

EXAMPLES = {
    "key example": Example(_qrels(a=1, b=1), _run("c d a"), _CDA),
    "key example, graded": Example(_qrels(a=1, b=0.5), _run("c d a"), _CDA),
    "classic list": Example(_qrels(a=1, b=1, c=1), _run("a x y b")),
    "entry page .9": Example(_qrels(b=1, c=1), _run("a b c"), _entry_page(0.9)),
    "entry page .6": Example(_qrels(b=1, c=1), _run("b c"), _entry_page(0.6)),
    "entry page .6 first": Example(_qrels(b=1, c=1), _run("a b c"), _entry_page(0.6)),
    "entry page .5": Example(_qrels(b=1, c=1), _run("b c"), _entry_page(0.5)),
    "entry page .5 first": Example(_qrels(b=1, c=1), _run("a b c"), _entry_page(0.5)),
    "one ideal element": Example(_qrels(a=1), _run("c d a"), _CDA),
    "figure 2": Example(
        _qrels(y=1, z=1),
        _run("x"),
        _table(("x", "y", 0.5), ("x", "z", 0.3), ("y", "z", 0.8), ("z", "y", 0.12)),
        options=("--user", "markov"),
    ),
    "figure 4": Example(_qrels(d=1), _run("a b c"), _table(("a", "d", 0.4), ("b", "d", 0.9), ("c", "d", 0.2))),
    "table III": Example(_qrels(a=1, b=1), _run("c d a b"), _CDA),
    "nested, good": Example(
        _spans(("f", 0, 10)),
        _spans(("f", 0, 10), ("f", 0, 40), ("f", 0, 60), scored=True),
        options=("--user", "hierarchy"),
    ),
    "nested, bad": Example(
        _spans(("f", 0, 10)),
        _spans(("f", 0, 60), ("f", 0, 40), ("f", 0, 10), scored=True),
        options=("--user", "hierarchy"),
    ),
    "entry point": Example(_qrels(b=1, c=1), _run("a"), _entry_page(1.0), options=("--units", "100")),
    "three documents": Example(_qrels(d3=1), _run("d1 d2 d3"), _table(("d1", "d3", 0.4), ("d2", "d3", 0.3))),
    "three documents, no browsing": Example(_qrels(d3=1), _run("d1 d2 d3")),
    "two documents": Example(_qrels(d3=1), _run("d1 d2"), _table(("d1", "d3", 0.3), ("d2", "d3", 0.9))),
    "four steps": Example(_qrels(x=2, y=1), _run("p q x y"), _FOUR_STEPS),
    "close targets": Example(_CLOSE, _spans(("d", 0, 1), scored=True), lengths=_HUNDRED),
    "far targets": Example(_FAR, _spans(("d", 0, 1), ("d", 50, 51), scored=True), lengths=_HUNDRED),
    "system A": Example(_THREE_SHOTS, _spans(("v", 0, 30), ("v", 0, 20), ("v", 100, 130), scored=True)),
    "system B": Example(_THREE_SHOTS, _spans(("v", 0, 30), ("v", 100, 130), ("v", 500, 530), scored=True)),
    # relevant at ranks 1, 3, 5 .. so that precision differs at every recall value
    "25 targets": Example(_qrels(**_TWENTY_FIVE), _run(" ".join(f"t{i} n{i}" for i in range(25)))),
}

_S2 = "measures.md section 2 / prum-2007 figure 2"
_S3 = "measures.md section 3 / eprum-2006 table 1"
_OURS3 = "measures.md section 3 (ours)"
_IDEAL = "measures.md section 3 / eprum-2006 section 5"
_S4 = "measures.md section 4 / prum-2007 table III"
_S5 = "measures.md section 5 / effort-precision-navigation-2007 section 6.1"
_OURS5 = "measures.md section 5 (ours)"
_OURS7 = "measures.md section 7 (ours)"
_TRECVID = "measures.md section 7 / tolerance-to-irrelevance-2004 section 3.2"

NUMBERS = [
    Number(_S3, "key example", "EPRUM(r=1)", 0.8056),
    Number(_S3, "key example", "EPRUM(r=2)", 0.7488),
    Number(_S3, "key example", "EPRUM", 0.7772),
    Number(_S3, "key example", "EPRUM@0.5", 0.8056),
    Number(_S3, "key example", "EPRUM@1", 0.7488),
    Number(_OURS3, "key example", "EPRUM(rank=1)", 0.8),
    Number(_OURS3, "key example", "EPRUM(rank=2)", 0.7),
    Number(_OURS3, "key example", "EPRUM(rank=3)", 0.54667, 5),
    Number(_OURS3, "key example", "EPRUM(rank=5)", 0.328),
    Number(_OURS3, "key example, graded", "EPRUM@.5", 0.7328),
    Number(_OURS3, "key example, graded", "EPRUM@1", 0.7044),
    Number(_OURS3, "key example, graded", "EPRUM", 0.7186),
    Number("measures.md section 3", "classic list", "EPRUM(r=1)", 1),
    Number("measures.md section 3", "classic list", "EPRUM(r=2)", 0.5),
    Number("measures.md section 3", "classic list", "EPRUM(r=3)", 0),
    Number("measures.md section 3", "classic list", "EPRUM(r=4)", None),
    Number("measures.md section 3: ExpectedRatio", "key example", "ExpectedRatio@1", 0.4),
    Number("measures.md section 3: ExpectedRatio", "key example", "ExpectedRatio@2", 0.7),
    Number("measures.md section 3: ExpectedRatio", "key example", "ExpectedRatio", 0.82),
    Number("measures.md section 3: P(x ideal) weighs", "key example, graded", "ExpectedRatio", (1 + 0.5 * 0.64) / 1.5),
    Number("eprum-2006 section 3.3 (misprint corrected)", "one ideal element", "ExpectedRatio@1", 0.4),
    Number("eprum-2006 section 3.3 (misprint corrected)", "one ideal element", "ExpectedRatio@2", 0.76),
    Number("eprum-2006 section 3.3 (misprint corrected)", "one ideal element", "ExpectedRatio@3", 1),
    # E[ML*_2] = 1.29 by (a, b, c), E[A/ML] = .88833: their product exceeds 1
    Number(_IDEAL, "entry page .9", "EPRUM(r=2,ideal='greedy')", 1.29 * (0.81 + 0.09 / 2 + 0.1 / 3)),
    Number(_IDEAL, "entry page .9", "EPRUM(r=2,ideal='exact')", 1.29 * (0.81 + 0.09 / 2 + 0.1 / 3)),
    Number(_IDEAL, "entry page .9", "EPRUM(r=2,ideal='greedy')", 1.146, 3),
    Number(_IDEAL, "entry page .9", "EPRUM(r=1,ideal='greedy')", 0.99 + 0.01 / 2),
    Number(_IDEAL, "entry page .9", "EPRUM(r=2,ideal='exact',norm='bounded')", 1),
    # greedy's list has 2.04, so 2
    Number(_IDEAL, "entry page .6", "EPRUM(r=2,ideal='greedy')", 2 * 0.5),
    Number(_IDEAL, "entry page .6", "EPRUM(r=2,ideal='exact')", 2 * 0.5),
    Number(_IDEAL, "entry page .6 first", "EPRUM(r=2,ideal='greedy')", 2 * (0.36 + 0.24 / 2 + 0.4 / 3)),
    Number(_OURS3, "entry page .5", "EPRUM(r=2,ideal='exact')", 2 * 0.5),
    Number(_OURS3, "entry page .5", "EPRUM(r=2,ideal='exact',norm='bounded')", 0.5 / (0.25 + 0.25 / 2 + 0.5 / 3)),
    Number(_OURS3, "entry page .5", "EPRUM(r=2,ideal='exact',norm='bounded')", 0.5 / 0.54167, 4),
    Number(_OURS3, "entry page .5 first", "EPRUM(r=2,ideal='exact')", 2 * 0.54167, 4),
    Number(_OURS3, "entry page .5 first", "EPRUM(r=2,ideal='exact',norm='bounded')", 1),
    Number("measures.md section 1: the ceiling at .28 x 25", "25 targets", "EPRUM@.28", 7 / 13),
    Number("measures.md section 1: the ceiling at .28 x 25", "25 targets", "EPRUM(r=7)", 7 / 13),
    Number("measures.md section 1: the ceiling at .28 x 25", "25 targets", "EPRUM@.281", 8 / 15),
    Number("measures.md section 1: the ceiling at .28 x 25", "25 targets", "EPRUM@0", 1),
    # reach .536 to y and .7 to z; both together .3752 under independence
    Number(_S2, "figure 2", "ExpectedRatio", (0.536 + 0.7) / 2),
    Number(_S2, "figure 2", "EPRUM(r=2)", 2 * 0.3752),
    Number(_S2, "figure 2", "EPRUM(r=1)", 1 - (1 - 0.536) * (1 - 0.7)),
    Number("measures.md section 4 / prum-2007 figure 4", "figure 4", "ExpectedRatio@1", 0.4),
    Number("measures.md section 4 / prum-2007 figure 4", "figure 4", "ExpectedRatio@2", 0.94),
    Number("measures.md section 4 / prum-2007 figure 4", "figure 4", "ExpectedRatio@3", 0.952),
    Number(_S4, "table III", "PRUM(r=1)", 0.69137, 5),
    Number(_S4, "table III", "PRUM(r=2)", 0.63561, 5),
    Number(_S4, "table III", "PRUM", 0.66349, 5),
    Number(_S4, "table III", "PRUM(r=1,exact=True)", 0.69137, 5),
    Number(_S4, "table III", "PRUM(r=2,exact=True)", 0.64623, 5),
    Number(_S4, "table III", "PRUM(r=1,exact=True)", 1 / 1.4464),
    Number(_S4, "table III", "PRUM@0.5", 0.69137, 5),
    Number(_S4, "table III", "PRUM@0.51", 0.63561, 5),
    Number("measures.md section 4 / prum-2007 section 4.2.1", "nested, good", "PRUM", 1),
    Number("measures.md section 4 / prum-2007 section 4.2.1", "nested, bad", "PRUM", 0.40678, 5),
    Number("measures.md section 4 / prum-2007 section 4.2.1", "nested, bad", "PRUM", 1 / (1 + 5 / 6 + 5 / 8)),
    Number("measures.md section 4 / prum-2007 section 4.2.1", "nested, bad", "ExpectedRatio@2", 3 / 8),
    Number("measures.md section 4 / prum-2007 section 4.2.2", "entry point", "PRUM(r=2)", 1),
    Number("measures.md section 4 / prum-2007 section 4.2.2", "entry point", "PRUM", 1),
    Number(_S5, "three documents", "epnav", 0.63),
    Number(_S5, "three documents", "epnav@1", 0.63),
    Number(_S5, "three documents", "ExpectedRatio@1", 0.4),
    Number(_S5, "three documents", "ExpectedRatio@2", 0.58),
    Number(_S5, "three documents", "ExpectedRatio@3", 1),
    Number(_S5, "three documents, no browsing", "epnav@1", 1 / 3),
    Number("measures.md section 5", "two documents", "ExpectedRatio@1", 0.3),
    Number("measures.md section 5", "two documents", "ExpectedRatio@2", 0.93),
    Number(_OURS5, "four steps", "epnav@.3", 0.76667, 5),
    Number(_OURS5, "four steps", "epnav@.5", 0.66667, 5),
    Number(_OURS5, "four steps", "epnav@1", 0.8),
    Number(_OURS5, "four steps", "epnav", 0.745),
    # two found, one unit wasted; without keeps_viewing one found, none wasted
    Number(_OURS7, "close targets", "T2I(tolerance=15,budget=15)", 2),
    Number(_OURS7, "close targets", "T2I(tolerance=15,budget=30)", (2 + 2 / 2) / 2),
    Number(_OURS7, "close targets", "ESL(tolerance=15)", 0),
    Number(_OURS7, "close targets", "T2I(tolerance=15,budget=15,keeps_viewing=False)", 1),
    Number(_OURS7, "close targets", "ESL(tolerance=15,keeps_viewing=False)", 0 + 1 * 6 / 2),
    Number(_OURS7, "far targets", "ESL(wanted=2,tolerance=15)", 4),
    Number(_OURS7, "far targets", "ESLRF(wanted=2,tolerance=15)", 0),
    Number(_OURS7, "far targets", "PT2I(wanted=2,tolerance=15)", 1 / 3),
    Number(_OURS7, "far targets", "ESL(tolerance=15)", 4),
    Number(_OURS7, "far targets", "ESL(wanted=3,tolerance=15)", None),
    Number(_TRECVID, "system A", "SegP", 1),
    Number(_TRECVID, "system B", "SegP", 2 / 3),
    Number(_TRECVID, "system A", "SegR", 2 / 3),
    Number(_TRECVID, "system B", "SegR", 2 / 3),
]
