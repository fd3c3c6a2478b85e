"""Files made wrong in ways that know their structure: rows of cells, objects of JSON, elements of XML, bytes."""

from __future__ import annotations

import gzip
import io
import json
import random
import re
from collections.abc import Callable
from typing import Any

#: Cells, attributes and texts that readers stumble over.
ODD = [
    "", "0", "-0", "-1", "1", "2", "3", "2.5", "-2.5", ".5", "5.", "1e5", "1e999", "-1e999", "1e-320", "nan", "NaN",
    "inf", "Infinity", "-inf", "0x10", "1_000", "+5", " 5", "5 ", "٣", "²", "½", "9" * 15, "9" * 16, "9" * 20,
    "9" * 400, "9" * 5000, str(2**31 - 1), str(2**31), str(2**53 + 1), str(2**63), str(-(2**63) - 1), str(2**64),
    "1000", "1001", ".", "-", "+", "X", "x", "U", "?", "#", "#x", ";", ",", "|", ":", "<", ">", "&amp;", "&x;", "&#0;",
    "&#xd800;", '"', "'", '""', "\\", "\\n", "=1+1", "@x", "%s", "{}", "[]", "null", "true",
    "None", "a b", "a\tb", "a\nb", "a;b", "..",
    "/", "//", "/a", "/a[1]", "/a[0]", "/a[-1]", "/a[²]", "/a[1]/b[2]", "/a[99999999999999999999]", "/a[1]/text()[1].5",
    "/article[1]", "12:5", "5:", ":5", "1:2:3", "-1:5", "1.60", "1.05", "61m", "1h1s", "500ms", "0s", "Q0", "q0", "é",
    "e\u0301", "\U0001f600", "\ufeff", "\u200b", "\u2028", "\x85", "\x0b", "\x0c", "\x1c", "\x1f", "\xa0", "\u3000",
    "\x00", "\x1b[31m", "\x02a\x1f--b\x03", "\ud800", "n" * 300, "n" * 70000, "topic", "doc", "start", "rank",
    "score",
]  # fmt: skip
ODD_JSON = [
    "null", "true", "false", "0", "-0", "-1", "1", "1.5", "1e999", "-1e999", "NaN", "Infinity", "-Infinity", "9" * 20,
    "9" * 400, "9" * 5000, str(2**53 + 1), str(2**63), '""', '"1"', '"a b"', '"\\u0000"', '"\\ud800"', '"\\ufeff"',
    "[]", "{}", "[1]", '["a"]', '{"a": 1}', "[" * 50 + "]" * 50, "[" * 3000, '"\\q"', "1_0", "01", "+1", ".5", "'a'",
]  # fmt: skip
SPACES = [" ", "  ", "\t", "\x0b", "\x1c", "\xa0", "\u3000", "\u2028", "\x85", ",", ";", "|", ""]
ENDS = ["\n", "\r\n", "\r", "\n\n", "\u2028", "\x0b", "\x1c", ""]


def mutated(chance: random.Random, text: str) -> bytes:
    """A file that is nearly like this one."""
    kind = style(text)
    for _ in range(1 + int(chance.expovariate(0.7))):
        text = STYLES[kind](chance, text)
        if len(text) > 300_000:
            break
    data = text.encode("utf-8", "surrogatepass")
    if chance.random() < 0.15:
        data = damaged(chance, data)
    return data


def style(text: str) -> str:
    first = text.lstrip().partition("\n")[0]
    if first.startswith("<"):
        return "xml"
    if first.startswith(("{", "[")):
        return "json" if first.endswith("}") and not first.startswith("[") else "document"
    if "\t" in first:
        return "tabs"
    return "commas" if re.fullmatch(r"[\w,]+", first) and "," in first else "words"


# --- rows of cells ----------------------------------------------------------------------------------------------------


def _rows(separator: str | None, joint: str) -> Callable[[random.Random, str], str]:
    def mutate(chance: random.Random, text: str) -> str:
        lines = text.split("\n")
        end = lines.pop() if len(lines) > 1 else ""
        place = chance.randrange(len(lines))
        cells = lines[place].split(separator)
        what = chance.randrange(16)
        if what < 7 and cells:
            at = chance.randrange(len(cells))
            cells[at] = chance.choice(ODD) if chance.random() < 0.7 else _blend(chance, cells[at])
        elif what == 7 and cells:
            del cells[chance.randrange(len(cells))]
        elif what == 8:
            cells.insert(chance.randrange(len(cells) + 1), chance.choice(ODD))
        elif what == 9 and len(cells) > 1:
            a, b = chance.randrange(len(cells)), chance.randrange(len(cells))
            cells[a], cells[b] = cells[b], cells[a]
        elif what == 10:
            count = chance.choice([1, 1, 2, 5, 200 if chance.random() < 0.02 else 3])
            lines[place:place] = [lines[place]] * count
            return "\n".join(lines) + "\n" + end
        elif what == 11:
            other = chance.randrange(len(lines))
            lines[place], lines[other] = lines[other], lines[place]
            return "\n".join(lines) + "\n" + end
        elif what == 12:
            del lines[place]
            return "\n".join(lines) + "\n" + end
        elif what == 13:
            fresh = [cell + chance.choice("0123456789") for cell in cells]
            lines.insert(place, joint.join(fresh))
            return "\n".join(lines) + "\n" + end
        elif what == 14:
            lines[place] = chance.choice(SPACES).join(cells)
            return "\n".join(lines) + "\n" + end
        else:
            return _ends(chance, text)
        lines[place] = joint.join(cells)
        return "\n".join(lines) + "\n" + end

    return mutate


def _blend(chance: random.Random, cell: str) -> str:
    """A cell with a piece of another one in it."""
    at = chance.randrange(len(cell) + 1)
    return cell[:at] + chance.choice(ODD) + cell[at + chance.randrange(3) :]


def _ends(chance: random.Random, text: str) -> str:
    what = chance.randrange(5)
    if what == 0:
        return text.replace("\n", chance.choice(ENDS), chance.choice([1, 2, -1]))
    if what == 1:
        return "\ufeff" * chance.choice([1, 1, 2]) + text
    if what == 2:
        return chance.choice(["#", "# x\n", " #x\n", "\n", " \n"]) + text
    if what == 3:
        return text.rstrip("\n")
    return text + chance.choice(ODD)


# --- JSON -------------------------------------------------------------------------------------------------------------


def _json(chance: random.Random, text: str) -> str:
    lines = text.split("\n")
    place = chance.randrange(max(1, len(lines) - 1))
    pairs = re.findall(r'("(?:[^"\\]|\\.)*")\s*:\s*("(?:[^"\\]|\\.)*"|[^,}]*)', lines[place])
    what = chance.randrange(12)
    if what < 6 and pairs:
        at = chance.randrange(len(pairs))
        value = chance.choice(ODD_JSON) if chance.random() < 0.6 else json.dumps(chance.choice(ODD))
        pairs[at] = (pairs[at][0], value)
    elif what == 6 and pairs:
        del pairs[chance.randrange(len(pairs))]
    elif what == 7 and pairs:
        pairs.append(chance.choice(pairs))
    elif what == 8:
        names = [
            "quote",
            "text",
            "grade",
            "rank",
            "score",
            "tag",
            "offsets",
            "start",
            "end",
            "length",
            "other",
            "set",
            "hop",
            "",
        ]
        pairs.append((json.dumps(chance.choice(names)), chance.choice(ODD_JSON)))
    elif what == 9:
        lines.insert(place, lines[place])
        return "\n".join(lines)
    elif what == 10:
        return _ends(chance, text)
    else:
        lines[place] = _blend(chance, lines[place])
        return "\n".join(lines)
    lines[place] = "{" + ", ".join(f"{key}: {value}" for key, value in pairs) + "}"
    return "\n".join(lines)


def _document(chance: random.Random, text: str) -> str:
    """A file that is one value of JSON, with something in it replaced, dropped, doubled or renamed."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return _blend(chance, text)
    if chance.random() < 0.1:
        return _ends(chance, text)
    return json.dumps(_changed(chance, value), indent=chance.choice([None, None, 1])) + "\n"


def _changed(chance: random.Random, value: Any) -> Any:
    if chance.random() < 0.15 or not isinstance(value, (dict, list)) or not value:
        odd = chance.choice(ODD)
        return chance.choice([odd, odd, None, True, -1, 0, 1.5, 2**63, 10**30, [], {}, [odd], {odd: odd}, [[]]])
    if isinstance(value, list):
        at = chance.randrange(len(value))
        if chance.random() < 0.2:
            return value[:at] + value[at:] + value[at:] if chance.random() < 0.5 else value[:at] + value[at + 1 :]
        return [_changed(chance, one) if i == at else one for i, one in enumerate(value)]
    at = chance.choice(list(value))
    if chance.random() < 0.2:
        fresh = chance.choice([at + "s", "", "text", "topic", "doc"])
        return {fresh if key == at else key: one for key, one in value.items() if key != at or chance.random() < 0.7}
    return {key: _changed(chance, one) if key == at else one for key, one in value.items()}


# --- XML --------------------------------------------------------------------------------------------------------------

_PIECES = re.compile(r"<[^>]*>|[^<]+")
_ATTRIBUTE = re.compile(r"([\w:-]+)=(\"[^\"]*\"|'[^']*')")
_PROLOGUES = [
    '<?xml version="1.0" encoding="utf-8"?>', '<?xml version="1.0" encoding="latin-1"?>', "<?xml version='1.1'?>",
    '<?xml version="1.0" encoding="utf-16"?>', '<!DOCTYPE a SYSTEM "none.dtd">', "<!DOCTYPE a [<!ENTITY x 'y'>]>",
    '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>', "<!-- c -->", "<?p i?>", "\n", "\ufeff",
]  # fmt: skip
_INSERTS = [
    "<!-- c -->",
    "<?p i?>",
    "<![CDATA[x]]>",
    "&amp;",
    "&x;",
    "&#0;",
    "<x/>",
    "<x>y</x>",
    "text",
    "<",
    "&",
    "]]>",
]


def _xml(chance: random.Random, text: str) -> str:
    pieces = _PIECES.findall(text)
    if not pieces:
        return text
    tags = [i for i, piece in enumerate(pieces) if piece.startswith("<")] or [0]
    at = chance.choice(tags)
    what = chance.randrange(13)
    if what < 4:
        found = _ATTRIBUTE.search(pieces[at])
        if found:
            every = list(_ATTRIBUTE.finditer(pieces[at]))
            found = chance.choice(every)
            value = chance.choice(ODD).replace('"', "&quot;" if chance.random() < 0.9 else '"')
            change = chance.choice(["", f"{found[1]}x={found[2]}", f'{found[1]}="{value}"', f'{found[1]}="{value}"'])
            pieces[at] = pieces[at][: found.start()] + change + pieces[at][found.end() :]
        else:
            pieces[at] = pieces[at].replace(">", f' {chance.choice(["rank", "name", "path"])}="{chance.choice(ODD)}">')
    elif what < 6:
        texts = [i for i, piece in enumerate(pieces) if not piece.startswith("<") and piece.strip()]
        if texts:
            pieces[chance.choice(texts)] = chance.choice(ODD)
    elif what == 6:
        pieces[at] = re.sub(
            r"[\w-]+", chance.choice(["x", "result", "file", "path", "element", "item"]), pieces[at], count=1
        )
    elif what == 7:
        name = re.match(r"</?([\w-]+)", pieces[at])
        if name:
            return re.sub(rf"(</?){name[1]}\b", rf"\1{chance.choice(['x', name[1] + 's', name[1].upper()])}", text)
    elif what == 8:
        del pieces[at]
    elif what == 9:
        end = min(len(pieces), at + chance.randrange(1, 12))
        pieces[at:at] = pieces[at:end] * chance.choice([1, 1, 2, 30 if chance.random() < 0.05 else 3])
    elif what == 10:
        pieces.insert(chance.randrange(len(pieces) + 1), chance.choice(_INSERTS))
    elif what == 11:
        return chance.choice(_PROLOGUES) + text
    elif chance.random() < 0.1:
        depth = chance.choice([50, 300, 5000])
        pieces.insert(at, "<x>" * depth + "</x>" * depth)
    else:
        return _ends(chance, text)
    return "".join(pieces)


STYLES: dict[str, Callable[[random.Random, str], str]] = {
    "words": _rows(None, " "),
    "tabs": _rows("\t", "\t"),
    "commas": _rows(",", ","),
    "json": _json,
    "document": _document,
    "xml": _xml,
}


# --- bytes ------------------------------------------------------------------------------------------------------------


def damaged(chance: random.Random, data: bytes) -> bytes:
    """Bytes changed, lost, doubled, packed, or in another encoding."""
    what = chance.randrange(9)
    if what == 0:
        return gzip.compress(data, mtime=0)
    if what == 1:
        return damaged_bytes(chance, gzip.compress(data, mtime=0))
    if what == 2:
        return data.decode("utf-8", "surrogatepass").encode(chance.choice(["utf-16", "utf-16-le", "utf-32"]), "replace")
    if what == 3:
        return data.decode("utf-8", "surrogatepass").encode("latin-1", "replace")
    if what == 4:
        return data + gzip.compress(data, mtime=0)
    return damaged_bytes(chance, data)


def damaged_bytes(chance: random.Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.choice([1, 1, 2, 8])):
        at = chance.randrange(len(changed) + 1)
        what = chance.randrange(4)
        if what == 0 and at < len(changed):
            changed[at] ^= 1 << chance.randrange(8)
        elif what == 1:
            del changed[at : at + chance.choice([1, 2, 20])]
        elif what == 2:
            changed[at:at] = bytes(chance.randrange(256) for _ in range(chance.choice([1, 3])))
        else:
            end = at + chance.randrange(1, 20)
            changed[at:at] = changed[at:end]
    return bytes(changed)


def odd_parquet(chance: random.Random, columns: dict[str, list[Any]]) -> bytes:
    """A Parquet file with these columns, some of them of another type."""
    import pyarrow as pa
    import pyarrow.parquet

    rows = len(next(iter(columns.values())))
    kinds: list[Callable[[], Any]] = [
        lambda: pa.array([float("nan")] * rows),
        lambda: pa.array([None] * rows, pa.float64()),
        lambda: pa.nulls(rows),
        lambda: pa.array([2**62] * rows, pa.timestamp("us")),
        lambda: pa.array([b"\xff"] * rows, pa.binary()),
        lambda: pa.array(["x"] * rows).dictionary_encode(),
        lambda: pa.array([[1]] * rows),
        lambda: pa.array([{"a": 1}] * rows),
        lambda: pa.array([True] * rows),
        lambda: pa.array([2**64 - 1] * rows, pa.uint64()),
        lambda: pa.array([1] * rows, pa.decimal128(20, 2)),
        lambda: pa.array([chance.choice([-1, 0, 7]) for _ in range(rows)], pa.int8()),
        lambda: pa.array([chance.choice(["a", "", "é", "1"]) for _ in range(rows)], pa.large_string()),
    ]
    table = {name: pa.array(values) for name, values in columns.items()}
    for name in list(table):
        if chance.random() < 0.3:
            table[name] = chance.choice(kinds)()
        if chance.random() < 0.1:
            table[chance.choice(["score", "rank", "grade", "text", "quote", "end", "other"])] = table.pop(name)
    out = io.BytesIO()
    pa.parquet.write_table(pa.table(table), out, row_group_size=chance.choice([1, 2, 100]))
    data = out.getvalue()
    return damaged_bytes(chance, data) if chance.random() < 0.4 else data
