"""Golden files as rows of fields, whatever program wrote them: JSON, JSON Lines, CSV, Excel, Parquet, YAML, objects.

What is inside other objects is called by its path: ``outputs.contexts``. Objects in a list become lists of their
fields, which stand side by side.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, is_dataclass, replace
from os import PathLike, fspath
from typing import Any

from berrypick.data.errors import InputError, UsageError, nesting_refused, shorten
from berrypick.files.files import LONGEST, read_whole
from berrypick.files.json_files import JsonSource
from berrypick.files.limits import json_cost
from berrypick.files.strict_json import RepeatedName, strict_json
from berrypick.inputs.frames import frame_rows, is_frame
from berrypick.judgements.adopt.cells import cell_value
from berrypick.judgements.adopt.workbook import check_header, is_workbook, workbook_rows
from berrypick.rows.fields import QUESTIONS, plain_name
from berrypick.rows.table_files import MAGIC, parquet_columns, parquet_file

#: Where files of other programs keep their rows.
_LISTS = ("examples", "tests", "goldens", "test_cases", "items", "samples", "data", "questions", "queries", "records",
          "rows", "results", "dataset", "qa_pairs", "evalset")  # fmt: skip
#: How deep objects may lie in each other.
_DEEPEST = 5
#: Values in all rows, after objects are opened: a few lines of YAML can stand for billions.
_MOST = 2_000_000
_MARKS = (",", ";", "\t")
_USERS = ("user", "human")


@dataclass(frozen=True)
class GoldenRow:
    """One row: the line it stands in, and its fields by their paths; ``empty`` are those that are there without a
    value."""

    line: int
    fields: Mapping[str, Any]
    empty: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Golden:
    """The rows of a golden file, and what kind of file it is; ``chunks`` are those that it holds itself."""

    source: str
    kind: str
    rows: Sequence[GoldenRow]
    chunks: Sequence[Mapping[str, Any]] = ()
    notes: tuple[str, ...] = ()

    def error(self, what: str, remedy: str | Sequence[str] = "", line: int | None = None) -> InputError:
        """An error of this file."""
        return InputError(what, path=self.source, line=line, remedy=remedy)


def read_golden(given: Any) -> Golden:
    """A golden file, or rows that are there already."""
    if isinstance(given, (str, PathLike)):
        return _read_file(fspath(given))
    if is_frame(given):
        held = frame_rows(given)
        names = dict.fromkeys(name for row in held for name in row)
        rows = [(i, {name: row.get(name) for name in names}) for i, row in enumerate(held, 1)]
        return _golden("the data frame", "a data frame", rows)
    value = _plain(given)
    if not isinstance(value, (list, Mapping)):
        raise UsageError(f"a golden set is a file, a data frame or records, not {type(given).__name__}")
    return _of_value("the records", value, JsonSource(), "records")


def _plain(value: Any, depth: int = 0) -> Any:
    """Objects of other programs as dictionaries and lists."""
    if isinstance(value, (str, bytes, int, float, bool, Mapping)) or value is None:
        return value
    for name in ("to_list", "model_dump", "dict"):
        if callable(method := getattr(value, name, None)) and not isinstance(value, type):
            return _plain(method(), depth + 1) if depth < 3 else method()
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, Iterable):
        return [_plain(one, depth + 1) for one in value] if depth < 3 else list(value)
    if held := {name: one for name, one in getattr(value, "__dict__", {}).items() if not name.startswith("_")}:
        return held
    return value


# --- files ------------------------------------------------------------------------------------------------------------


def _read_file(path: str) -> Golden:
    if is_workbook(path):
        rows, notes = workbook_rows(path)
        return replace(_golden(path, "Excel", rows), notes=notes)
    raw = read_whole(path, json_cost)
    if not raw.strip():
        raise InputError("is empty", path=path)
    if raw[:4] == MAGIC.encode():
        return _parquet(path)
    text, notes = _decoded(raw, path)
    with nesting_refused(path):
        if path.lower().removesuffix(".gz").endswith((".yaml", ".yml")):
            return _of_value(path, _yaml(text, path), JsonSource(text), "YAML")
        found = _json(path, text) if text.lstrip()[:1] in ("[", "{") else _csv(path, text)
    return Golden(found.source, found.kind, found.rows, found.chunks, notes)


def _decoded(raw: bytes, path: str) -> tuple[str, tuple[str, ...]]:
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        try:
            return raw.decode("utf-16"), ("read as UTF-16",)
        except UnicodeDecodeError:
            raise InputError("is neither UTF-8 nor UTF-16 text", path=path, remedy="save the file as UTF-8") from None
    try:
        return raw.decode("utf-8-sig"), ()
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
    try:
        return raw.decode("cp1252"), (
            f"line {line} is not UTF-8; the file is read as Windows-1252, as Excel writes it",
        )
    except UnicodeDecodeError:
        raise InputError("is not UTF-8 text", path=path, line=line, remedy="save the file as UTF-8") from None


def _json(path: str, text: str) -> Golden:
    """One value, or one a line."""
    try:
        return _of_value(path, strict_json(text), JsonSource(text), "JSON")
    except RepeatedName as error:
        raise InputError(str(error), path=path, line=error.line, remedy=error.remedy) from None
    except ValueError as error:
        first = text.lstrip().partition("\n")[0].rstrip().rstrip(",")
        if not (first.startswith("{") and first.endswith("}")):
            line = getattr(error, "lineno", None)
            raise InputError(f"is not JSON ({getattr(error, 'msg', error)})", path=path, line=line) from None
    rows = []
    for number, line_text in enumerate(text.split("\n"), 1):
        if not line_text.strip():
            continue
        try:
            value = strict_json(line_text)
        except RepeatedName as error:
            raise InputError(str(error), path=path, line=number, text=line_text, remedy=error.remedy) from None
        except ValueError as error:
            why = error.msg if isinstance(error, json.JSONDecodeError) else error
            raise InputError(f"is not JSON ({why})", path=path, line=number, text=line_text) from None
        if not isinstance(value, dict):
            raise InputError("is not an object", path=path, line=number, text=line_text)
        rows.append((number, value))
    return _golden(path, "JSON Lines", rows)


def _yaml(text: str, path: str) -> Any:
    try:
        import yaml
    except ModuleNotFoundError:
        raise UsageError(f"{path}: YAML needs PyYAML: pip install pyyaml") from None

    class Loader(yaml.SafeLoader):  # type: ignore[misc]
        """Refuses a name that stands twice, of which only the last would count."""

        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            names = [key.value for key, _ in node.value if isinstance(key.value, str)]
            if repeated := next((name for name in names if names.count(name) > 1 and name != "<<"), ""):
                line = node.start_mark.line + 1
                raise InputError(
                    f"the name {shorten(repeated, 60)!r} is given twice in one object", path=path, line=line
                )
            return super().construct_mapping(node, deep)

    try:
        return yaml.load(text, Loader)  # a safe loader
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        why = str(getattr(error, "problem", None) or str(error).partition("\n")[0])
        raise InputError(f"is not YAML ({why})", path=path, line=None if mark is None else mark.line + 1) from None
    except (ValueError, TypeError) as error:  # dates that are none, objects as names
        raise InputError(f"is not YAML ({error})", path=path) from None


def _csv(path: str, text: str) -> Golden:
    """Cells between commas, semicolons or TABs: whichever parts the first line most; Excel may name it (sep=;)."""
    csv.field_size_limit(LONGEST)
    first, _, rest = text.partition("\n")
    said, skipped = first.strip(), 0
    mark = ""
    if said.lower().startswith("sep=") and len(said) == 5:
        mark, text, skipped = said[4], rest, 1
    mark = mark or max(_MARKS, key=lambda one: _parts(text.partition("\n")[0], one))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=mark, strict=True)
    header: list[str] | None = None
    rows, start = list[tuple[int, dict[str, Any]]](), 1 + skipped
    try:
        for cells in reader:
            line, start = start, reader.line_num + 1 + skipped
            if not any(cell.strip() for cell in cells):
                continue
            if header is None:
                header = [cell.strip() for cell in cells]
                check_header(header, path, line)
                continue
            if len(cells) > len(header) and any(cell.strip() for cell in cells[len(header) :]):
                what = f"has {len(cells)} cells, and the first line {len(header)}"
                raise InputError(what, path=path, line=line, remedy="quote cells that hold the separator")
            rows.append((line, {name: cell_value(cell) for name, cell in zip(header, cells, strict=False) if name}))
    except csv.Error as error:
        raise InputError(f"is not a row of a table ({error})", path=path, line=start) from None
    if header is None or len(header) < 2:
        remedy = "JSON, JSON Lines, CSV with names of columns in the first line, Excel, Parquet or YAML is expected"
        raise InputError("is not a readable golden file", path=path, line=1, remedy=remedy)
    return _golden(path, "CSV", rows)


def _parts(line: str, mark: str) -> int:
    """How many cells a line has between marks."""
    try:
        return len(next(csv.reader([line], delimiter=mark), []))
    except csv.Error:
        return 0


def _parquet(path: str) -> Golden:
    with parquet_file(path) as file:
        names = list(file.schema_arrow.names)
        numbers, columns = parquet_columns(file, names, path, None)
        rows = [
            (number, dict(zip(names, cells, strict=True))) for number, *cells in zip(numbers, *columns, strict=True)
        ]
    return _golden(path, "Parquet", rows)


# --- where the rows are -----------------------------------------------------------------------------------------------


def _of_value(source: str, value: Any, text: JsonSource, kind: str) -> Golden:
    """The rows in a value: a list, lists of columns, objects by their names, or what a program wraps around them."""
    chunks: list[Mapping[str, Any]] = []
    if (found := _finetune(value)) is not None:
        rows, chunks = found
        kind = f"{kind}, EmbeddingQAFinetuneDataset"
    else:
        rows = _rows_in(value, source)
    numbered = [(text.line_of_object(row) if text.text else i, row) for i, row in enumerate(rows, 1)]
    golden = _golden(source, kind, numbered)
    return Golden(source, kind, golden.rows, chunks)


def _finetune(value: Any) -> tuple[list[Mapping[str, Any]], list[Mapping[str, Any]]] | None:
    """LlamaIndex's EmbeddingQAFinetuneDataset: questions and chunks by their ids, and which chunk answers which."""
    if not isinstance(value, Mapping):
        return None
    queries, corpus, relevant = (value.get(name) for name in ("queries", "corpus", "relevant_docs"))
    if not isinstance(queries, Mapping) or not isinstance(corpus, Mapping) or not isinstance(relevant, Mapping):
        return None
    rows: list[Mapping[str, Any]] = [
        {"id": str(name), "question": asked, "relevant_chunk_ids": relevant.get(name, [])}
        for name, asked in queries.items()
    ]
    return rows, [{"id": str(name), "text": text} for name, text in corpus.items()]


def _rows_in(value: Any, source: str, depth: int = 0) -> list[Mapping[str, Any]]:
    if isinstance(value, list):
        rows = [_plain(one, 2) for one in value]
        bad = next((i for i, one in enumerate(rows, 1) if not isinstance(one, Mapping)), None)
        if bad is not None:
            what = f"item {bad} of the list is not an object but {shorten(repr(rows[bad - 1]), 60)}"
            raise InputError(what, path=source, remedy="a golden file is a list of objects with a question each")
        return rows
    if isinstance(value, Mapping) and value and depth < _DEEPEST:
        value = {str(name): one for name, one in value.items()}
        if rows := _by_question(value):
            return rows
        lists = {name: one for name, one in value.items() if _holds_objects(one)}
        known = [name for name in lists if plain_name(name) in _LISTS]
        if len(known) == 1 or (len(lists) == 1 and not _is_row(value)):
            return _rows_in(lists[known[0] if known else next(iter(lists))], source, depth + 1)
        if len(known) > 1:
            remedy = "keep only one of them in the file"
            raise InputError(f"has {len(known)} lists of objects: {', '.join(known)}", path=source, remedy=remedy)
        if columns := _columns(value):
            return columns
        if _is_row(value):
            return [value]
        inner = {name: one for name, one in value.items() if isinstance(one, Mapping)}
        if inner and len(inner) == len(value) and all(map(_is_row, inner.values())):
            return [one if "id" in one else {"id": name, **one} for name, one in inner.items()]
        if len(inner) == 1:
            return _rows_in(next(iter(inner.values())), source, depth + 1)
    remedy = "a golden file is a list of objects with a question each, or has one inside"
    raise InputError("has no rows with questions", path=source, remedy=remedy)


def _by_question(value: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Rows of an object whose names are the questions; none of any other object."""
    if 2 * sum(name.rstrip().endswith("?") for name in value) <= len(value):
        return []
    return [{"question": name, **(one if isinstance(one, Mapping) else {"value": one})} for name, one in value.items()]


def _holds_objects(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, Mapping) for one in value)


def _is_row(value: Mapping[str, Any]) -> bool:
    """Whether an object is a question by itself."""
    asked = [one for name, one in value.items() if plain_name(str(name)) in (*QUESTIONS, "inputs", "vars")]
    if _columns(value):
        return False
    return any(isinstance(one, str) or (isinstance(one, Mapping) and not _columns(one)) for one in asked)


def _columns(value: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Lists of equal length under names of fields, or objects with the same names (pandas); else none."""
    asked = [one for name, one in value.items() if plain_name(str(name)) in (*QUESTIONS, "questions", "queries")]
    if not asked:
        return []
    first = asked[0]
    if isinstance(first, list) and first:
        named = {name: one for name, one in value.items() if isinstance(one, list) and len(one) == len(first)}
        return [dict(zip(named, cells, strict=True)) for cells in zip(*named.values(), strict=True)]
    if isinstance(first, Mapping) and first and all(isinstance(one, str) or one is None for one in first.values()):
        tables = {name: one for name, one in value.items() if isinstance(one, Mapping) and one.keys() == first.keys()}
        if len(tables) == len(value) and len(tables) > 1:
            return [{name: one[key] for name, one in tables.items()} for key in first]
    return []


# --- fields -----------------------------------------------------------------------------------------------------------


@dataclass
class _Flattener:
    """Opens objects inside rows."""

    source: str
    left: int = _MOST
    found: dict[str, Any] = field(default_factory=dict)
    empty: set[str] = field(default_factory=set)

    def row(self, row: Mapping[str, Any]) -> dict[str, Any]:
        self.found, self.empty = {}, set()
        self._open("", row, 0)
        return self.found

    def _open(self, path: str, value: Any, depth: int) -> None:
        self.left -= 1
        if self.left < 0:
            raise InputError(f"holds more than {_MOST} values", path=self.source, remedy="split the file")
        if isinstance(value, str) and depth <= 1 and value.lstrip()[:1] == "{":
            value = cell_value(value)  # LangSmith's and Langfuse's tables have objects in their cells
        if isinstance(value, Mapping) and depth < _DEEPEST:
            for name, one in value.items():
                self._open(f"{path}.{name}" if path else str(name), one, depth + 1)
            return
        if hasattr(value, "tolist"):
            value = value.tolist()
        if isinstance(value, (list, tuple)):
            value = self._one_list(value, 0)
            if _is_chat(value):
                value = _last_asked(value)
            elif value and any(isinstance(one, Mapping) for one in value):
                self._side_by_side(path, value, depth)
                return
        if value is not None and value != "" and not (isinstance(value, float) and value != value):
            self.found[path] = value
        else:
            self.empty.add(path)

    def _one_list(self, items: Sequence[Any], depth: int) -> list[Any]:
        """Lists in lists as one."""
        found: list[Any] = []
        for one in items:
            self.left -= 1
            if self.left < 0:
                raise InputError(f"holds more than {_MOST} values", path=self.source, remedy="split the file")
            if isinstance(one, (list, tuple)):
                found += self._one_list(one, depth + 1)
            else:
                found.append(one)
        return found

    def _side_by_side(self, path: str, items: Sequence[Any], depth: int) -> None:
        """Objects in a list, as lists of their fields; a text among them is their text."""
        if depth >= _DEEPEST:
            return
        opened = []
        for one in items:
            inner = _Flattener(self.source, self.left)
            opened.append(inner.row(one if isinstance(one, Mapping) else {"text": one}))
            self.left = inner.left
            self.empty |= {f"{path}.{name}" for name in inner.empty}
        for name in dict.fromkeys(name for one in opened for name in one):
            self.found[f"{path}.{name}"] = [one.get(name) for one in opened]


def _is_chat(value: Sequence[Any]) -> bool:
    return bool(value) and all(isinstance(one, Mapping) and {"role", "content"} <= one.keys() for one in value)


def _last_asked(messages: Sequence[Mapping[str, Any]]) -> Any:
    asked = [one["content"] for one in messages if one["role"] in _USERS and isinstance(one["content"], str)]
    return asked[-1] if asked else None


def _golden(source: str, kind: str, rows: Iterable[tuple[int, Mapping[str, Any]]]) -> Golden:
    flat = _Flattener(source)
    found = [GoldenRow(line, fields, frozenset(flat.empty)) for line, row in rows if (fields := flat.row(row))]
    if not found:
        raise InputError("has no rows", path=source, remedy="a golden file has a question in each row")
    return Golden(source, kind, found)


def read_chunks(given: Any) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Rows of a file of chunks."""
    golden = _read_file(fspath(given)) if isinstance(given, (str, PathLike)) else None
    if golden is not None:
        yield from ((row.line, row.fields) for row in golden.rows)
        return
    held = _plain(given)
    if isinstance(held, Mapping):
        held = [{"id": name, **({"text": one} if isinstance(one, str) else one)} for name, one in held.items()]
    yield from enumerate(_rows_in(held, "the chunks"), 1)
