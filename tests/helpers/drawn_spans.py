"""Rows of spans in the shapes that programs write, and what is read of a file of them."""

from operator import attrgetter

from berrypick.data.columns import unpacked
from berrypick.data.errors import BerrypickError
from berrypick.formats.base import Problems

#: What runs are compared by as it is.
PLAIN = (
    "tag", "topics", "source", "format", "notes", "skipped", "grouped", "unit", "of_topics.costs", "origin.unread",
    "ordering.ties", "ordering.duplicates", "texts.quoted", "texts.other_names",
)  # fmt: skip
#: Names of our own, of other programs, and such that are not read.
SHAPES = [
    ("topic", "doc", "start", "end", "score"),
    ("topic", "doc", "start", "end", "rank", "score"),
    ("topic", "doc"),
    ("topic", "doc", "start", "end", "score", "text"),
    ("text", "end", "start", "doc", "topic", "tag"),
    ("topic", "doc", "score", "tag"),
    ("query_id", "doc_id", "start_index", "end_index", "similarity"),
    ("qid", "docno", "char_start", "char_end", "rank", "chunk_id", "model", "_internal"),
    ("topic", "doc", "start_line", "end_line", "score"),
    ("topic", "file_path", "line_start", "line_end", "rank", "text"),
    ("topic", "video_id", "start_time", "end_time"),
    ("topic", "doc", "start", "end", "score", "tokens", "latency"),
    ("topic", "doc", "start", "end", "rank", "tokens", "lines", "seconds"),
    ("topic", "doc_id", "source", "start", "end", "score", "null", "list", "object"),
    ("topic", "score", "metadata.source", "metadata.start_index", "end", "metadata.author", "metadata.list"),
    ("topic", "doc", "start", "end", "meta.source", "meta.object", "meta.score", "score"),
]


def outcome_of(format, path):
    problems = Problems(str(path))
    try:
        run = format.read(str(path), problems)
    except BerrypickError as error:
        return str(error)
    columns = {
        name: None if (held := unpacked(getattr(run, name))) is None else (held.dtype.kind, held.tolist())
        for name in ("bounds", "start", "end", "score", "rank")
    }
    return {
        **columns,
        "line": (str(unpacked(run.line).dtype), unpacked(run.line).tolist()),
        "document": [run.documents[int(code)] for code in run.document],
        "documents": list(run.documents),
        **{name: attrgetter(name)(run) for name in PLAIN},
        "details": {name: str(held.tolist()) for name, held in run.details.items()},
        "counts": problems.counts,
    }


def value_of(name, draw, row):
    known = {
        "topic": f"q{row // 7}",
        "query_id": row // 7,
        "qid": f"q{int(draw.integers(4))}",
        "rank": row % 7 + 1,
        "tag": "mine",
        "_internal": 1,
        "model": str(draw.choice(["", "m", 'quoted "name" \\ / \t \u00e9 \U0001f600'])),
        "chunk_id": int(draw.integers(100)),
        "text": str(draw.choice(["some words", " ", "", 'a "quoted" \\ one\n\t\u00e9', "\U0001f600 " * 30, "\u4e2d"])),
    }
    if name in known:
        return known[name]
    if name in ("list", "object", "null", "tokens", "latency", "lines", "seconds"):
        return more_value(name, draw)
    if name.endswith(("line", "line_start", "line_end")):
        return int(draw.integers(1, 40)) + 40 * ("end" in name)
    if "start" in name:
        return int(draw.integers(0, 50))
    if "end" in name:
        return int(draw.integers(50, 99)) + float(draw.choice([0, 0, 0.5]))
    if name in ("score", "similarity"):
        return float(draw.choice([1.0, 2.5, draw.normal(), 1e-7, 12345678901234.5, draw.normal() * 1e10]))
    return str(
        draw.choice(
            ["a.md", "b/c.md", "\u00e9", "e\u0301\u4e2d", 'x"y', "tab\there", "\U0001f600", "7", "\u00a0x\u3000y"]
        )
    )


def more_value(name, draw):
    held = [[], [1, "a", None], {"a": {"b": [1.5, "x y\u00a0z"]}, "c": True}, [{"kind": "x"}, {"kind": []}], {}]
    if name in ("list", "object"):
        return held[int(draw.integers(len(held)))]
    return None if name == "null" else float(draw.choice([0, 5, 7.25])) if draw.random() < 0.5 else 3


def nested(record):
    """Return a record in which names with a point are those of an object."""
    made = {}
    for name, value in record.items():
        outer, point, inner = name.partition(".")
        if point:
            made.setdefault(outer, {})[inner] = value
        else:
            made[name] = value
    return made
