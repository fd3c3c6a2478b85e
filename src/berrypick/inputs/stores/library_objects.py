"""Documents and nodes of retrieval libraries, known by their attributes, or by the names they have as JSON.

No such library is imported.

* LangChain documents: ``page_content``, ``metadata["start_index"]`` (add_start_index=True), and ``metadata["source"]``;
  also as dictionaries, as LangSmith keeps them;
* LlamaIndex nodes, with scores or without: ``start_char_idx``, ``end_char_idx``, ``ref_doc_id``;
* Haystack documents: ``content``, ``meta["split_idx_start"]``, ``meta["source_id"]``, ``score``;
* chunks of chonkie: ``start_index``, ``end_index``, ``text``, in the document that has this text there.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from berrypick.data.parameters import is_finite
from berrypick.inputs.client_readers import ClientReader, DocumentName, Row
from berrypick.inputs.column_tables import is_number
from berrypick.inputs.objects import OF_LISTS, document_name, unknown_result
from berrypick.rows.counted_places import DETAILS, UNIT
from berrypick.rows.field_parser import FieldParser
from berrypick.rows.field_rows import FieldError
from berrypick.rows.fields import PAGE_NAMES
from berrypick.rows.loader_fields import PAGE_FIELDS
from berrypick.rows.made_names import file_names, is_made


class LibraryReader(ClientReader):
    """Reads results one by one, as objects or as what became of them in a file."""

    def is_result(self, value: Any) -> bool:
        return _is_result(value)

    def read_one(self, value: Any, doc: DocumentName = None) -> list[Row] | None:
        if isinstance(value, tuple) and hasattr(value, "_fields"):  # a row of a database
            value = dict(zip(value._fields, value, strict=True))
        if isinstance(value, Mapping):
            value = _saved_langchain(value) or _saved_node(value) or _saved_haystack(value)
        return [_object_fields(value, doc, self.unread)] if _is_result(value) else None


def _is_result(value: Any) -> bool:
    """Whether a value is a document or node of a retrieval library."""
    return (
        any(hasattr(value, name) for name in ("page_content", "start_char_idx", "node", "payload"))
        or (hasattr(value, "content") and hasattr(value, "meta"))
        or (hasattr(value, "start_index") and hasattr(value, "end_index") and hasattr(value, "text"))
    )


def _object_fields(one: Any, doc: DocumentName, unread: dict[str, None]) -> dict[str, Any]:
    """doc, start, end, text and score of an object, as far as it has them."""
    node = getattr(one, "node", None)
    if node is not None:  # LlamaIndex: a node with its score
        score: Any = getattr(one, "score", None)
        return {**_object_fields(node, doc, unread), **({"score": _as_float(score)} if is_number(score) else {})}
    if hasattr(one, "page_content"):
        return _with_metadata(one, one.metadata, {"text": one.page_content}, doc, unread)
    if hasattr(one, "start_char_idx"):
        text = one.text if hasattr(one, "text") else one.get_content()
        places = {"start_char_idx": one.start_char_idx, "end_char_idx": one.end_char_idx, "text": text}
        return _with_metadata(one, one.metadata, places, doc, unread, "ref_doc_id", getattr(one, "ref_doc_id", None))
    if hasattr(one, "content") and hasattr(one, "meta"):
        score = {"score": _as_float(one.score)} if is_number(getattr(one, "score", None)) else {}
        parent = (one.meta or {}).get("source_id")
        return _with_metadata(one, one.meta, {"text": one.content, **score}, doc, unread, "source_id", parent)
    if hasattr(one, "start_index") and hasattr(one, "end_index") and hasattr(one, "text"):  # chonkie
        places = {"start_index": one.start_index, "end_index": one.end_index, "text": one.text}
        return _with_metadata(one, getattr(one, "metadata", None), places, doc, unread)
    raise unknown_result(one)


def _as_float(value: Any) -> Any:
    """A number too large for that is left to the check of scores."""
    return float(value) if is_finite(value) else value


def _saved_langchain(one: Mapping[str, Any]) -> Any:
    """A LangChain document as LangSmith and JSON files keep it, or None."""
    fields = one.get("kwargs") if "lc" in one else one
    text = next(
        (name for name in ("page_content", "pageContent") if isinstance(fields, Mapping) and name in fields), ""
    )
    if not isinstance(fields, Mapping) or not text:
        return None
    if not {*fields} <= {text, "metadata", "type", "id"}:
        return None  # with fields of its own, which are read too
    return SimpleNamespace(page_content=fields[text], metadata=fields.get("metadata"))


def _saved_node(one: Mapping[str, Any]) -> Any:
    """A LlamaIndex node, with a score or without, as JSON files keep it, or None."""
    node = one.get("node") if isinstance(one.get("node"), Mapping) else one
    assert node is not None
    if not {"start_char_idx", "relationships", "text"} <= set(node):
        return None
    source = node["relationships"].get("1") if isinstance(node["relationships"], Mapping) else None
    metadata = node.get("metadata")
    held = SimpleNamespace(
        start_char_idx=node["start_char_idx"],
        end_char_idx=node.get("end_char_idx"),
        text=node["text"],
        metadata=metadata if isinstance(metadata, Mapping) else {},
        ref_doc_id=source.get("node_id") if isinstance(source, Mapping) else None,
    )
    return SimpleNamespace(node=held, score=one.get("score")) if node is not one else held


def _saved_haystack(one: Mapping[str, Any]) -> Any:
    """A Haystack document as a dictionary, with its metadata inside or beside its own fields, or None."""
    if not {"content", "id"} <= set(one) or not (is_made(one["id"]) or "blob" in one):
        return None
    meta = one.get("meta")
    if not isinstance(meta, Mapping):
        meta = {name: value for name, value in one.items() if name not in _OF_HAYSTACK}
    return SimpleNamespace(content=one["content"], meta=meta, score=one.get("score"))


_OF_HAYSTACK = ("id", "content", "blob", "dataframe", "meta", "score", "embedding", "sparse_embedding")


def _with_metadata(
    one: Any,
    metadata: Mapping[str, Any] | None,
    own: Mapping[str, Any],
    doc: DocumentName,
    unread: dict[str, None],
    parent: str = "",
    parent_id: Any = None,
) -> dict[str, Any]:
    """The fields of an object with those of its metadata. ``parent``: where a library keeps the name of the document
    that a chunk was cut from, which goes before other names."""
    if metadata and not isinstance(metadata, Mapping):
        raise FieldError(f"metadata is a {type(metadata).__name__}, not an object", "give names and values, or none")
    given = {str(name): value for name, value in (metadata or {}).items() if name not in (*OF_LISTS, "rank")}
    if own.get("text") and isinstance(given.get("loc"), Mapping):  # LangChain.js: lines and pages, which the text says
        del given["loc"]
        unread["loc"] = None
    for name, value in given.items():
        if name == "start_index" and is_number(value) and value < 0:
            given[name] = None  # LangChain could not find it
    given |= {name: value for name, value in own.items() if value is not None}
    reader = FieldParser("run", ends=False, metadata=True)
    [row] = reader.read(given)
    fields = {
        name: row[name]
        for name in ("doc", "start", "end", "length", "text", "score", UNIT, *DETAILS, *PAGE_NAMES, PAGE_FIELDS)
        if row.get(name) is not None
    }
    called = document_name(one, given, doc, fields.pop("doc", None) if parent_id is None else parent_id)
    if called is not None:
        fields["doc"] = called
    files: tuple[str, ...] = ()
    if doc is None and is_made(called):
        fields["doc_else"] = files = file_names(given)
    if not isinstance(fields.get("text"), str) or not fields["text"]:
        fields.pop("text", None)
    if "start" in fields and UNIT not in fields:
        fields["offsets"] = "chars"
    unread |= {key: None for key in reader.unread if key != parent and given.get(key) not in files}
    return fields
