"""Truths and runs by topic: lists of results, or names with numbers.

For each topic a list, in ranked order for a run, of

* tuples ``(doc, start, end)``, with a score (in a truth: a grade) as the fourth if there is one;
* pairs of one of these and a score (in a truth: a grade); dictionaries with doc, start, end, text, score (in a truth:
  quote, grade), or the other names of :mod:`berrypick.rows.fields`;
* plain texts, which are looked up in the documents, as is everything without offsets;
* values that a client parser reads (:mod:`berrypick.inputs.client_readers`): documents and nodes of LangChain,
  LlamaIndex, Haystack and chonkie, hits of search engines and vector stores; or, in place of the list, their responses,
  and what chains, engines and pipelines return;

or, as pytrec_eval, BEIR and MTEB have it, a dictionary of documents to scores or grades; documents that are all called
``document#start-end`` are spans. In a truth, a document may also have a list of its spans, ``[(start, end), ...]``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set, ValuesView
from dataclasses import replace
from os import PathLike
from typing import Any

from berrypick.data.errors import InputError, UsageError, shorten
from berrypick.data.parameters import is_finite
from berrypick.data.run import Ranking, Run
from berrypick.data.truth import Truth
from berrypick.documents.texts import Texts, read_texts
from berrypick.inputs.client_readers import Clients, DocumentName
from berrypick.inputs.column_tables import ColumnTable, TextSearch, costs_in, is_number, plain_names, run_of_table
from berrypick.inputs.frames import is_frame
from berrypick.inputs.span_lists import plain_judgements, plain_numbers, plain_spans, scores_run
from berrypick.rows.chosen_fields import NOTHING_CHOSEN, ChosenFields
from berrypick.rows.clients import fields_of
from berrypick.rows.field_parser import FieldParser
from berrypick.rows.field_plan import refuse_unknown
from berrypick.rows.field_rows import FieldError, FieldRow, names_of
from berrypick.rows.fields import LISTS, Role, ours_of
from berrypick.rows.json_lines import are_span_names, place_of_name
from berrypick.rows.made_names import file_names, is_made
from berrypick.rows.relevance_fields import WORDS, word_of
from berrypick.rows.row_lists import LISTED, STRING
from berrypick.rows.run_parser import missing_scores

#: For messages.
KINDS = "a file, a {0}, a dictionary by topic, a data frame, or records with topic and doc"


def run_from_objects(
    results: Mapping[str, Sequence[Any] | Mapping[str, float]],
    *,
    tag: str = "",
    doc: DocumentName = None,
    documents: Texts | Mapping[str, str] | str | PathLike[str] | None = None,
    quotes: str | None = None,
) -> Run:
    """Build a run from what retrieval libraries return.

    Parameters
    ----------
    results : mapping
        Topic to results in ranked order: documents or nodes of LangChain, LlamaIndex or Haystack, hits of search
        engines, texts, tuples (doc, start, end), dictionaries; or topic to ``{document: score}``.
    tag : str
        The name of the run.
    doc : str or callable, optional
        The key of the metadata that holds the document's name, or a function of the object.
    documents : Texts, mapping, str or path, optional
        The texts in which to find results without offsets.
    quotes : {'exact', 'normalised', 'fuzzy'}, optional
        How to match them; missing or ambiguous texts are an error.

    Returns
    -------
    Run
        The run.

    Examples
    --------
    >>> import berrypick as bp
    >>> found = {"q1": ["old canes", {"doc": "guide", "start": 0, "end": 3}]}
    >>> run = bp.run_from_objects(found, documents={"guide": "Cut the old canes."})
    >>> run["q1"]
    Ranking(2 results: guide#8-17, guide#0-3)
    """
    if not isinstance(results, Mapping):
        raise UsageError(f"results are a dictionary of topic to list, not {type(results).__name__}")
    if doc is None and (run := scores_run(results, tag)) is not None:
        return run
    refuse_response(results, "run")
    search = TextSearch(None if documents is None else read_texts(documents), quotes)
    return run_of_table(topics_table(results, "run", doc), tag, search)


def refuse_response(given: Any, what: str) -> None:
    """Refuse a response without its topic: it would be iterated into the names of its fields, or these be topics."""
    keyed = not isinstance(given, (Mapping, Sequence, Set)) and fields_of(given) is not None
    clients = Clients()
    if clients.is_result(given) or _holds_results_by_topic(given, clients):
        return
    if clients.knows(given) or (not is_frame(given) and clients.inside(given) is not None):
        raise UsageError(f"a {what} of a store's hits needs their topics: {{topic: {type(given).__name__}}}")
    if keyed:
        raise UsageError(f"a {what} is {KINDS.format(what.title())}, not {type(given).__name__}")


def _holds_results_by_topic(given: Any, clients: Clients) -> bool:
    """Whether every value is what a component returned, ``{topic: {"documents": [..]}}``. What a pipeline with one
    component returned looks the same; its name is then no topic of the truth."""
    return isinstance(given, Mapping) and bool(given) and all(
        isinstance(one, Mapping) and not clients.knows(one) and clients.holds(one) for one in given.values()
    )  # fmt: skip


# --- by topic ---------------------------------------------------------------------------------------------------------


def topics_table(
    given: Mapping[Any, Any], role: Role, doc: DocumentName = None, chosen: ChosenFields = NOTHING_CHOSEN
) -> ColumnTable:
    """What every topic has, as a table; lists of a run are ranked. ``chosen``: what a person says about fields."""
    if {*map(type, given)} != {str}:
        _refuse_two_keys(plain_names("topic", list(given), []), role)
    if chosen:
        items = [one for held in given.values() if isinstance(held, (list, tuple)) for one in held]
        names = dict.fromkeys(str(name) for one in items if isinstance(one, Mapping) for name in one)
        refuse_unknown(chosen, [*names], "the truth")
    elif doc is None:
        plainly = plain_spans(given) if role == "run" else plain_judgements(given)
        if plainly := plainly or plain_numbers(given, "score" if role == "run" else "grade"):
            return plainly
    reader = Clients()
    costs = _costs(given) if role == "run" else {}
    given = {topic: _retrieved(topic, held, reader) for topic, held in given.items()}
    lists = role == "run" and not all(isinstance(one, Mapping) and not reader.knows(one) for one in given.values())
    spans = are_span_names([str(name) for found in given.values() if isinstance(found, Mapping) for name in found])
    rows: list[dict[str, Any]] = []
    called: dict[str, str] = {}
    for topic, found in given.items():
        if (hits := _answer(topic, found, reader, doc, role)) is not None:
            fields: Iterator[dict[str, Any]] = iter(hits)
        elif isinstance(found, Mapping):
            fields = _by_name(topic, found, role, spans, lists)
        elif found is None and role == "truth":
            rows.append({"topic": topic, "is_impossible": True})
            continue
        else:
            fields = _of_results(topic, found, reader, doc, role, chosen)
        for place, one in enumerate(fields, start=1):
            rows.append({"topic": topic, **({LISTED: place} if lists else {}), **one})
            called |= names_of(one)
    scored = reader.with_scores(rows) if lists else rows
    table = ColumnTable.of_rows(scored, "judgements" if role == "truth" else "results")
    topics = tuple(plain_names("topic", list(given), []))
    unscored = sum(row.get("score") is None for row in rows)
    partly = (missing_scores(unscored, len(rows)),) if lists and 0 < unscored < len(rows) else ()
    return replace(
        table,
        topics=topics,
        lists=lists,
        notes=(*table.notes, *partly, *reader.notes()),
        unread=tuple(reader.unread),
        called=called,
        nested=role == "run",
        costs=costs,
    )


def _costs(given: Mapping[Any, Any]) -> dict[str, dict[str, float]]:
    """The costs that stand beside the results of topics: ``{topic: {"results": [..], "latency": 0.4}}``."""
    found = {
        str(topic): costs_in(held, f"topic {topic}")
        for topic, held in given.items()
        if isinstance(held, Mapping) and any(isinstance(one, (list, tuple)) for one in held.values())
    }
    return {topic: own for topic, own in found.items() if own}


def _refuse_two_keys(topics: Sequence[Any], role: Role) -> None:
    """An error if two keys are one topic, as 1 and '1' are."""
    for place, topic in enumerate(topics):
        if topics.index(topic) < place:
            what = "judgements" if role == "truth" else "lists of results"
            raise InputError(f"two keys are topic {topic}", remedy=f"keep one of their {what}")


def _retrieved(topic: Any, found: Any, reader: Clients) -> Any:
    """What was retrieved, where that stands inside of what a chain or a pipeline returned."""
    try:
        inside = reader.inside(found)
    except InputError as error:
        raise InputError(error.what.template, path=f"topic {topic}", remedy=error.remedy.template) from None
    if inside is not None or not isinstance(found, Mapping) or reader.knows(found):
        return found if inside is None else inside
    lists = [name for name, one in found.items() if str(name) in LISTS["run"] and isinstance(one, (list, tuple))]
    return found[lists[0]] if len(lists) == 1 else found


def _answer(topic: Any, found: Any, reader: Clients, doc: DocumentName, role: Role) -> list[dict[str, Any]] | None:
    """The results in a response of a store, or a list of its hits; None if it is neither."""
    try:
        rows = reader.read(found, doc)
    except FieldError as error:
        raise InputError(error.what, path=f"topic {topic}", remedy=error.remedy) from None
    except InputError as error:
        raise InputError(error.what.template, path=f"topic {topic}", remedy=error.remedy.template) from None
    return None if rows is None else [_for_role(row, role) for row in rows]


def _of_results(
    topic: Any, found: Any, reader: Clients, doc: DocumentName, role: Role, chosen: ChosenFields
) -> Iterator[dict[str, Any]]:
    """What the items of a list say. An object that is no list may iterate into the names of its fields, or into pairs
    of these and their values: only results are taken from it."""
    if not isinstance(found, Iterable) or isinstance(found, (str, bytes, Run, Truth)) or _is_keyed(found):
        raise _unknown(topic, found, role)
    if isinstance(found, (set, frozenset)) and role == "run":
        raise UsageError(f"topic {topic}: a {type(found).__name__} has no order: give a list, best first")
    is_list = isinstance(found, (Sequence, Iterator, Set, ValuesView)) or hasattr(found, "__array__")
    for one in found:
        if not is_list and isinstance(one, (str, bytes, tuple)):
            raise _unknown(topic, found, role)
        try:
            yield from _fields(one, reader, doc, role, chosen)
        except FieldError as error:
            raise InputError(error.what, path=f"topic {topic}", remedy=error.remedy) from None
        except InputError as error:
            if error.path is not None:
                raise
            raise InputError(error.what.template, path=f"topic {topic}", remedy=error.remedy.template) from None


def _is_keyed(found: Any) -> bool:
    """Whether a value is an object with named fields, and no list: a named tuple is one result, or none, and a data
    frame iterates into the names of its columns."""
    if isinstance(found, Ranking):  # which gives its results back
        return False
    if hasattr(found, "_fields") or is_frame(found):
        return True
    return not isinstance(found, (Sequence, Set)) and fields_of(found) is not None


def _unknown(topic: Any, found: Any, role: Role) -> UsageError:
    kind = "grade" if role == "truth" else "score"
    also = "; give what a client returns as the dictionary that it is as JSON" if fields_of(found) is not None else ""
    return UsageError(
        f"topic {topic}: a dictionary of document to {kind} is expected, or a list, not {type(found).__name__}{also}"
    )


def _by_name(topic: Any, found: Mapping[Any, Any], role: Role, spans: bool, by_score: bool) -> Iterator[dict[str, Any]]:
    """Names to numbers; among lists the highest score first, equal ones as they stand."""
    what = "grade" if role == "truth" else "score"
    for name, value in found.items():
        if "\0" in str(name):
            raise UsageError(f"topic {topic}: the name {shorten(str(name))} contains NUL")
        if role == "truth" and isinstance(value, (list, tuple)):
            continue
        if role == "truth" and (isinstance(value, bool) or word_of(value) in WORDS):
            continue
        if not is_number(value) or not is_finite(value):
            where = f"topic {topic}: the {what} of {shorten(str(name))}"
            also = "; results are a list, best first" if isinstance(value, (Mapping, list)) else ""
            raise UsageError(f"{where} is {value!r:.40}, which is not a number{also}")
    items = sorted(found.items(), key=lambda item: -float(item[1])) if by_score else found.items()
    for name, value in items:
        if isinstance(value, (list, tuple)):
            yield from _spans_of(topic, name, value)
            continue
        yield {**place_of_name(name, spans), what: float(value) if is_number(value) else value}


def _spans_of(topic: Any, name: Any, spans: Sequence[Any]) -> Iterator[dict[str, Any]]:
    for span in spans:
        if not isinstance(span, (list, tuple)) or len(span) != 2:
            where = f"topic {topic}: {span!r:.40}, given as a span of {shorten(str(name))}"
            raise UsageError(f"{where}, is not a pair of start and end: expected [(start, end), ...]")
        yield {"doc": name, "start": span[0], "end": span[1]}


# --- one object -----------------------------------------------------------------------------------------------------


def _fields(one: Any, reader: Clients, doc: DocumentName, role: Role, chosen: ChosenFields) -> list[dict[str, Any]]:
    """What a result says by our names: one row, or several where a hit has inner hits."""
    number = "grade" if role == "truth" else "score"
    graded = role == "truth" and isinstance(one, tuple) and len(one) == 2 and isinstance(one[1], bool)
    pair = isinstance(one, tuple) or (isinstance(one, list) and isinstance(next(iter(one), None), Mapping))
    if graded or (pair and len(one) == 2 and is_number(one[1])):
        return [{**row, number: one[1]} for row in _fields(one[0], reader, doc, role, chosen)]
    if type(one) in (tuple, list) and len(one) in (3, 4) and isinstance(one[0], str):
        return [dict(zip(("doc", "start", "end", number), one, strict=False))]
    if (rows := reader.read_one(one, doc)) is not None:
        grade = _graded(one, reader, role, chosen)
        return [_with_grade(_for_role(row, role), grade) if grade else _for_role(row, role) for row in rows]
    if isinstance(one, tuple) and hasattr(one, "_fields"):  # rows of a database
        one = dict(zip(one._fields, one, strict=True))
    if isinstance(one, Mapping):
        return _dictionary(one, doc, role, reader.unread, chosen)
    if not isinstance(one, str):
        raise unknown_result(one)
    return [{"doc": one, STRING: True} if role == "run" else {"quote": one}]


def unknown_result(one: Any) -> UsageError:
    """The error about an object that is no result."""
    return UsageError(
        f"{type(one).__name__} is not a known kind of result: expected LangChain, LlamaIndex or Haystack documents, "
        "hits of stores, texts, tuples (doc, start, end), dictionaries with doc, start and end, "
        "or pairs of one of these and a score"
    )


def _for_role(found: dict[str, Any], role: Role) -> dict[str, Any]:
    """In a truth, text without offsets is a quote, and scores are no grades."""
    if role == "run":
        return found
    text = found.pop("text", None)
    found.pop("score", None)
    if text is None:
        return found
    length = {"length": len(text)} if "start" in found and "end" not in found else {}
    return {**found, "quote": text, **length}


def _with_grade(row: Mapping[str, Any], grade: FieldRow) -> FieldRow:
    found = FieldRow({**row, **grade})
    found.called = grade.called
    return found


def _graded(one: Any, reader: Clients, role: Role, chosen: ChosenFields) -> FieldRow:
    """The grade in the metadata of a document or node of a retrieval library that stands in a truth."""
    graded = FieldRow()
    if role == "run":
        return graded
    held = getattr(one, "node", None) or one
    inside = [getattr(held, name, None) for name in ("metadata", "meta")]
    fields = _with_inside(held) if isinstance(held, Mapping) else {}
    fields |= {str(name): value for part in inside if isinstance(part, Mapping) for name, value in part.items()}
    own = {name for name in fields if ours_of(name, "truth") == "grade"} | {*chosen.names}
    [row] = FieldParser("truth", chosen=chosen).read({name: fields[name] for name in fields if name in own})
    if "grade" in row:
        graded["grade"], graded.called = row["grade"], {"grade": names_of(row).get("grade", "grade")}
        for name in own:
            reader.unread.pop(name, None)
    return graded


def _dictionary(
    one: Mapping[Any, Any], doc: DocumentName, role: Role, unread: dict[str, None], chosen: ChosenFields
) -> list[dict[str, Any]]:
    """A dictionary in a list: its place there is its rank, and the key of the list its topic."""
    reader = FieldParser(role, ends=False, chosen=chosen)
    rows = reader.read({name: value for name, value in one.items() if str(name) not in OF_LISTS})
    unread |= reader.unread
    found = []
    for row in rows:
        kept = FieldRow({name: value for name, value in row.items() if name not in ("topic", "run")})
        kept.called = names_of(row)
        if doc is None and is_made(kept.get("doc")):
            kept["doc_else"] = files = file_names(_with_inside(one))
            for name in [name for name in unread if _with_inside(one).get(name) in files]:
                del unread[name]
        if doc is not None:
            kept["doc"] = document_name(one, one, doc, None)
        found.append(kept)
    return [*found]


def _with_inside(one: Mapping[Any, Any]) -> dict[str, Any]:
    """A dictionary with the fields of its metadata."""
    inside = [one[name] for name in ("metadata", "meta") if isinstance(one.get(name), Mapping)]
    return {str(name): value for part in (*inside, one) for name, value in part.items()}


#: What results in a list do not say of themselves.
OF_LISTS = ("tag", "results")


def document_name(one: Any, metadata: Mapping[str, Any], doc: DocumentName, found: Any) -> str | None:
    """The name of the document of a result, by the rule that a person gives, else as it was found."""
    if callable(doc):
        return str(doc(one))
    if doc is None:
        return None if found is None else str(found)
    if metadata.get(doc) is None:
        raise InputError(f"a result has no {doc!r} in its metadata", remedy=f"it has {', '.join(map(str, metadata))}")
    return str(metadata[doc])
