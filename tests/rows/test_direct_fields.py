"""Rows of plain values, read as their names say, and the same rows looked at value by value."""

import random

import pytest

from berrypick.rows.field_parser import FieldParser
from berrypick.rows.field_rows import FieldError

NAMES = [
    "topic", "qid", "query", "question", "doc", "doc_id", "source", "file_name", "title", "document", "start", "end",
    "start_char_idx", "offset", "length", "start_line", "end_line", "line", "lines", "start_time", "end_time", "ts",
    "rank", "step", "score", "similarity", "distance", "text", "content", "quote", "context", "answer", "grade",
    "label", "relevance", "page", "page_label", "bbox", "span", "loc", "author", "tags", "Start", "id", "run", "tag",
    "stage", "tokens", "latency", "used", "set", "judged", "is_impossible", "offsets", "results", "prov", "reference",
]  # fmt: skip
VALUES = ["a", "b.md", "several words", "12", "", " ", 0, 1, 7, 20, 1.5, True, False, None, [], ["x", "y"], [3, 9],
          {"start": 1}, {"kind": "x"}, [{"text": "words"}], [{"page": 2}]]  # fmt: skip
USUAL = {"topic": "1", "qid": "1", "doc": "a", "source": "a", "start": 0, "end": 9, "start_line": 2, "end_line": 4,
         "score": 0.5, "text": "several words", "rank": 1, "grade": 1, "page": 2, "length": 9, "lines": 3}  # fmt: skip


def random_row(draw: random.Random) -> dict[str, object]:
    """Return a row of some names; most of its values are plain."""
    names = draw.sample([*USUAL], draw.randint(2, 5)) + draw.sample(NAMES, draw.randint(0, 4))
    odd = draw.random() < 0.4
    row = {name: draw.choice(VALUES) if odd and draw.random() < 0.3 else USUAL.get(name, "x") for name in names}
    if "prov" in row:  # the field of a layout, which a text in its place is not
        row["prov"] = [{"page_no": 2, "bbox": {"l": 1, "t": 1, "r": 5, "b": 5}}]
    if draw.random() < 0.3:
        inside = {name: row.pop(name) for name in draw.sample([*row], len(row) // 2)}
        row[draw.choice(["metadata", "meta"])] = inside
    return row


def parsed(parser: FieldParser, row: dict[str, object]) -> object:
    """Return what a parser makes of a row, or the error."""
    try:
        found = [(dict(one), dict(getattr(one, "called", {}))) for one in parser.read(dict(row))]
    except FieldError as error:
        return str(error)
    return found, parser.is_entry, [*parser.unread]


@pytest.mark.parametrize("role", ["truth", "run"])
@pytest.mark.parametrize("ends", [True, False])
@pytest.mark.parametrize("metadata", [True, False])
def test_direct_rows_are_those_looked_at_value_by_value(monkeypatch, role, ends, metadata):
    draw = random.Random(f"{role} {ends} {metadata}")
    rows = [random_row(draw) for _ in range(1500)]
    direct = 0
    read = FieldParser._direct_row

    def counted(self, plan, given):
        nonlocal direct
        row = read(self, plan, given)
        direct += row is not None
        return row

    monkeypatch.setattr(FieldParser, "_direct_row", counted)
    found = [parsed(FieldParser(role, ends, metadata), row) for row in rows]
    monkeypatch.setattr(FieldParser, "_direct_row", lambda self, plan, given: None)
    for row, one in zip(rows, found, strict=True):
        other = parsed(FieldParser(role, ends, metadata), row)
        if isinstance(one, str) or isinstance(other, str):
            assert one == other, row
            continue
        assert [held for held, _ in one[0]] == [held for held, _ in other[0]], row
        for (held, called), (_, others) in zip(one[0], other[0], strict=True):
            assert {n: called.get(n, n) for n in held} == {n: others.get(n, n) for n in held}, row
        assert (one[1], sorted(one[2])) == (other[1], sorted(other[2])), row
    assert direct > 150
