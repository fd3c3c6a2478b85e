"""Objects of the clients of stores, as dictionaries. No client is imported: objects are known by what they have."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from berrypick.data.errors import InputError

#: What stands for itself.
_SIMPLE = (str, bytes, bool, int, float, type(None))
#: Where the classes of search results with attributes come from.
_DSL = ("elasticsearch.dsl", "elasticsearch_dsl", "opensearchpy.helpers")


def fields_of(value: Any) -> Mapping[str, Any] | None:
    """The fields of a dictionary or object by name; None if it has none to speak of, as a list or a text."""
    if isinstance(value, Mapping):
        return value
    kind = type(value)
    if isinstance(value, (*_SIMPLE, list, tuple, set, frozenset, type)) or hasattr(kind, "__array__"):
        return None
    if _is_dsl(kind):
        return _of_dsl(value)
    if isinstance(names := getattr(kind, "__struct_fields__", None), tuple):  # msgspec: Pinecone
        return dict(zip(kind.__struct_encode_fields__, (getattr(value, name) for name in names), strict=True))
    pydantic = "model_fields" if hasattr(kind, "model_fields") else "__fields__"
    if isinstance(fields := getattr(kind, pydantic, None), Mapping):
        return {name: getattr(value, name, None) for name in fields}
    if dataclasses.is_dataclass(kind):
        return {field.name: getattr(value, field.name, None) for field in dataclasses.fields(kind)}
    if isinstance(value, SimpleNamespace):
        return vars(value)
    if callable(getattr(value, "keys", None)) and hasattr(kind, "__getitem__"):  # elastic-transport, protobuf
        return {name: value[name] for name in value.keys()}  # noqa: SIM118 (iterating may mean something else)
    if callable(getattr(value, "ListFields", None)):  # protobuf
        return {field.name: held for field, held in value.ListFields()}
    for name in ("json", "raw_response"):  # pyvespa, pysolr
        if name in getattr(value, "__dict__", ()) and isinstance(held := value.__dict__[name], Mapping):
            return held
    if callable(getattr(value, "to_dict", None)) and hasattr(kind, "openapi_types"):  # earlier clients of Pinecone
        return dict(value.to_dict())
    return None


def plain(value: Any) -> Any:
    """A value in which every object is a dictionary of its fields."""
    try:
        return _plain(value)
    except RecursionError:
        raise InputError("a hit is nested too deeply, or holds itself") from None


def _plain(value: Any) -> Any:
    if isinstance(value, _SIMPLE):
        return value
    if isinstance(value, (list, tuple)):
        return list(value) if value and isinstance(value[0], _SIMPLE) else [_plain(one) for one in value]
    fields = fields_of(value)
    return value if fields is None else {name: _plain(held) for name, held in dict(fields).items()}


def _is_dsl(kind: type) -> bool:
    return any(base.__module__.startswith(_DSL) for base in kind.__mro__) and hasattr(kind, "to_dict")


def _of_dsl(value: Any) -> Mapping[str, Any]:
    """A response, or a hit: its source, with what stands beside that in ``meta``."""
    fields: dict[str, Any] = value.to_dict()
    meta = None if "hits" in fields else getattr(value, "meta", None)
    if meta is None or not hasattr(meta, "to_dict"):
        return fields
    return {**{f"_{name}" if name != "inner_hits" else name: held for name, held in meta.to_dict().items()},
            "_source": fields}  # fmt: skip
