"""Values that stand for a truth or for runs: data frames, records, dictionaries, objects of other packages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from os import PathLike
from typing import Any

from berrypick.data.errors import UsageError, shorten
from berrypick.data.run import Run
from berrypick.data.truth import Truth
from berrypick.given.convert import RunFile, run_sources
from berrypick.inputs.client_readers import Clients
from berrypick.inputs.column_tables import run_of_table, runs_of_table, truth_of_table
from berrypick.inputs.frames import (
    chosen_table,
    frame_rows,
    frame_table,
    is_frame,
    is_record,
    names_of_frame,
    records_table,
)
from berrypick.inputs.objects import KINDS, refuse_response, topics_table
from berrypick.inputs.span_lists import begins_with_span, scores_run
from berrypick.inputs.text_search import TextSearch
from berrypick.inputs.traces.trace_columns import are_trace_columns
from berrypick.rows.chosen_fields import NOTHING_CHOSEN, ChosenFields
from berrypick.rows.fields import names_topic


def truth_of_value(given: Any, chosen: ChosenFields = NOTHING_CHOSEN) -> Truth:
    """A truth of a data frame, records, a dictionary by topic, or Qrels of ranx."""
    given = _split_of(given, "truth")
    if _ranx(given, "Qrels"):
        return truth_of_table(topics_table(given.to_dict(), "truth"))
    if is_frame(given):
        table = chosen_table(frame_rows(given), chosen, "the data frame") if chosen else frame_table(given, "truth")
        return truth_of_table(table)
    refuse_response(given, "truth")
    if isinstance(given, Mapping):
        return truth_of_table(topics_table(_lists(given), "truth", chosen=chosen))
    records = _items(given, "truth")
    if not records:
        raise UsageError("the truth judges nothing: there are no records")
    return truth_of_table(chosen_table(records, chosen, "records") if chosen else records_table(records, "truth"))


def runs_of_value(given: Any, search: TextSearch, name: str) -> list[Run | RunFile]:
    """Runs of data frames, records, dictionaries, or Runs of ranx; lists and dictionaries of runs of any kind."""
    if (run := scores_run(given, name)) is not None:
        return [run]
    given = _split_of(given, "run")
    if _ranx(given, "Run"):
        return [run_of_table(topics_table(given.to_dict(), "run"), name or given.name or "", search)]
    if is_frame(given):
        if are_trace_columns(names_of_frame(given)):
            return _runs_of_traces(given)
        return [*runs_of_table(frame_table(given, "run"), search, name)]
    refuse_response(given, "run")
    if isinstance(given, Mapping):
        held = _lists(given)
        if runs := _runs_of_scores(held):
            return runs
        if _is_by_run(held):
            return [_run_with_name(str(key), run, search) for key, run in held.items()]
        return [run_of_table(topics_table(held, "run"), name, search)]
    items = _items(given, "run")
    if not items:
        raise UsageError("no runs given")
    if is_record(items[0]):
        return [*runs_of_table(records_table(items, "run"), search, name)]
    if callable(getattr(items[0], "get_span_context", None)):  # spans of OpenTelemetry's SDK
        return _runs_of_traces(items)
    for item in items:
        if isinstance(item, (list, tuple)) and not (item and is_record(item[0])):
            raise UsageError(
                f"{shorten(repr(item), 60)} is not a run; "
                "records are named tuples or dictionaries that name topic and doc"
            )
    return [run for item in items for run in run_sources(item, search)]


def _runs_of_traces(given: Any) -> list[Run | RunFile]:
    from berrypick.given.read_traces import read_traces

    return [*read_traces(given).values()]


def _ranx(given: Any, kind: str) -> bool:
    """Qrels or a Run of ranx, which is not imported: it takes seconds."""
    made = type(given)
    if made.__module__.partition(".")[0] != "ranx" or not hasattr(given, "to_dict"):
        return False
    if made.__name__ != kind:
        other = "truth" if kind == "Qrels" else "run"
        raise UsageError(f"a {other} is made of ranx.{kind}, not of ranx.{made.__name__}")
    return True


def _items(given: Any, what: str) -> list[Any]:
    """The items of an iterable; an error if it is none."""
    if Clients().is_result(given):
        kind = type(given).__name__
        raise UsageError(f"a {what} of {kind} results needs their topics: {{topic: [results]}}")
    if isinstance(given, (bytes, Run, Truth)) or hasattr(given, "_fields") or not isinstance(given, Iterable):
        raise UsageError(f"a {what} is {KINDS.format(what.title())}, not {type(given).__name__}")
    return list(given)


def _lists(given: Mapping[Any, Any]) -> dict[Any, Any]:
    """Iterators and data sets as lists, so that they can be looked at and then used."""
    return {
        key: list(value) if isinstance(value, Iterator) or _is_dataset(value) else value for key, value in given.items()
    }


def _is_dataset(value: Any) -> bool:
    """Whether a value is a data set of Hugging Face, which goes through its rows."""
    kind = type(value)  # objects of Pinecone claim to have every attribute
    return hasattr(kind, "column_names") and hasattr(kind, "features") and not isinstance(value, Mapping)


def _split_of(given: Any, what: str) -> Any:
    """The only split of a DatasetDict of Hugging Face; anything else as it is."""
    if not isinstance(given, Mapping) or not hasattr(given, "column_names") or not given:
        return given
    if len(given) > 1:
        names = ", ".join(map(str, given))
        raise UsageError(f"a {what} is one split of a {type(given).__name__}, which has {names}: give one of them")
    return next(iter(given.values()))


# --- by topic or by run -----------------------------------------------------------------------------------------------


def _runs_of_scores(given: Mapping[Any, Any]) -> list[Run | RunFile]:
    """The runs of ``{name: {topic: {document: score}}}``, by one look at each; none if any is of another kind."""
    runs: list[Run | RunFile] = []
    for key, held in given.items():
        if (run := scores_run(held, str(key))) is None:
            return []
        runs.append(run)
    return runs


def _run_with_name(name: str, given: Any, search: TextSearch) -> Run | RunFile:
    runs = run_sources(given, search, name)
    if len(runs) > 1:
        raise UsageError(f"{name} names {len(runs)} runs; give every run a name of its own")
    [run] = runs
    return run.changed(tag=name) if isinstance(run, Run) else replace(run, tag=name)


def _is_by_run(given: Mapping[Any, Any]) -> bool:
    """Whether a dictionary is ``{name: run}``; else it is ``{topic: results}``. Values that are empty may be either."""
    clients = Clients()
    by_run = {key: _holds_run(key, value, clients) for key, value in given.items()}
    known = {key: is_run for key, is_run in by_run.items() if is_run is not None}
    if len(set(known.values())) == 2:
        run, topic = (next(key for key, is_run in known.items() if is_run is wanted) for wanted in (True, False))
        raise UsageError(
            f"a dictionary of runs is by topic or by name, not both: {shorten(str(run))!r} holds a run, "
            f"{shorten(str(topic))!r} holds the results of a topic; several runs are {{name: run}}, "
            "each of them a file, a Run, a frame or {topic: results}"
        )
    return any(known.values())


def _holds_run(key: Any, value: Any, clients: Clients) -> bool | None:
    """Whether a value is a run (True) or the results of one topic (False); None if it is empty."""
    if begins_with_span(value):
        return False
    if isinstance(value, (Run, RunFile, str, PathLike)) or _ranx(value, "Run"):
        return True
    if clients.knows(value) or clients.holds(value):
        return False
    if is_frame(value):
        return True
    if isinstance(value, Mapping):
        return all(_is_collection(one, clients) for one in value.values()) if value else None
    if not isinstance(value, (list, tuple)):
        return False
    if not value:
        return None
    first = value[0]
    rows = hasattr(first, "_fields") and not names_topic(first._fields)  # of a database, for one topic
    return is_record(first) and not rows and not _is_results_of(str(key), value)


def _is_collection(value: Any, clients: Clients) -> bool:
    return isinstance(value, (list, tuple, Mapping, Iterator)) or clients.knows(value) or clients.holds(value)


def _is_results_of(topic: str, records: Iterable[Any]) -> bool:
    """Whether dictionaries in a list repeat the topic that the list is for."""
    return all(
        isinstance(one, Mapping) and all(str(cell) == topic for name, cell in one.items() if names_topic([str(name)]))
        for one in records
    )
