"""User models from logs: maximum likelihood on a training part, checked on the sessions held out.

**Chains** (markov) from sessions: :mod:`berrypick.analysis.fit.transitions`. **Distances** (t2i, distance, bep, forage)
from reading logs: :mod:`berrypick.analysis.fit.survival`. The estimates are those of the training part; the held-out
part says how likely new sessions are under them, and whether the predicted probabilities hold (calibration).
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Literal

from berrypick import formats, users
from berrypick.analysis.fit.fit_chain import fit_chain
from berrypick.analysis.fit.fit_parts import FitMethod
from berrypick.analysis.fit.fit_visits import fit_visits
from berrypick.analysis.fit.session_visits import reading_log_of
from berrypick.analysis.fit.truth_gaps import estimate, gaps_of
from berrypick.data import spec as specs
from berrypick.data.collection import Collection
from berrypick.data.errors import UsageError, option
from berrypick.data.navigation import (
    FITTED_VERSION,
    FittedReader,
    LinkTable,
    Sessions,
    TransitionCounts,
    content_checksum,
)
from berrypick.data.reading_log import ReadingLog
from berrypick.data.results import Note
from berrypick.data.run import Run
from berrypick.data.score import Table, number
from berrypick.data.session_paths import Paths
from berrypick.data.truth import Truth
from berrypick.data.words import counted
from berrypick.documents.texts import Texts
from berrypick.evaluation.evaluation_context import read_collection
from berrypick.formats.base import Problems
from berrypick.formats.navigation.reading_log_format import ReadingLogFormat
from berrypick.formats.navigation.transition_counts import counts_from_frame
from berrypick.inputs.frames import _values, is_frame
from berrypick.registry.registry import plugin_errors
from berrypick.tables.tabular import Tabular
from berrypick.users.base import UserModel
from berrypick.users.bep import Bep
from berrypick.users.learning import all_rounded, parameter, rounded, verdict
from berrypick.users.learnt import Learnt
from berrypick.users.tolerance.forage import Forage
from berrypick.users.tolerance.visits import COUNTED
from berrypick.workers.progress import Progress, ProgressLike, as_progress

#: Options for some user models, and what the others do without them.
OF_SOME = {
    "links": "follow links",
    "collection": "depend on lengths",
    "goals": "have a goal",
    "documents": "read the texts of pages",
    "truth": "read inside documents",
    "format_run": "read inside documents",
    "visits": "read inside documents",
}

#: How names of passages, lines and elements end.
_PART = re.compile(r"#\d[^#]*-\d[^#]*\Z|:\d+(?:-\d+)?\Z|\[\d+\]\Z")


@dataclass(frozen=True, eq=False)
class Fit(Tabular):
    """The result of :func:`fit`. ``user=`` of every evaluation takes it, and the file that its ``write`` makes.

    Attributes
    ----------
    reader
        The content of the file: the model, its parameters, how they were found.
    notes
        Notes about the numbers.

    Examples
    --------
    >>> import berrypick as bp
    >>> log = [{"distance": d, "end": "gave_up"} for d in (5, 9, 12, 30)]
    >>> found = bp.fit("distance(law='inverse')", log, held_out=0)
    >>> isinstance(found, bp.Fit), list(found.parameters)
    (True, ['theta'])
    """

    reader: FittedReader
    notes: tuple[Note, ...] = ()

    @property
    def user(self) -> UserModel:
        """The user model with its parameters."""
        return users.build(self.reader.user)

    @property
    def parameters(self) -> Mapping[str, Mapping[str, float]]:
        """Value and interval of each parameter."""
        found: Mapping[str, Mapping[str, float]] = self.reader.content["parameters"]
        return found

    @property
    def held_out(self) -> Mapping[str, Any] | None:
        """Mean log-likelihoods on the sessions held out."""
        return self.reader.content["held_out"]

    @property
    def calibration(self) -> list[dict[str, Any]]:
        """Predicted and observed shares on the sessions held out."""
        found: list[dict[str, Any]] = self.reader.content["calibration"]
        return found

    def write(self, path: str | PathLike[str]) -> None:  # type: ignore[override]
        """Write the file that the option user takes, atomically."""
        if not users.is_file(fspath(path)):
            raise UsageError(f"a fitted user model must be a .json file, not {fspath(path)}")
        formats.write(self.reader, path, "fitted-user")

    def __repr__(self) -> str:
        return f"Fit({self.reader.user})"

    def records(self) -> list[dict[str, Any]]:
        """Return one object: everything in the file but the transitions, visits and links of pages."""
        tables = ("transitions", "visits", "links")
        return [{key: value for key, value in self.reader.content.items() if key not in tables}]

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each parameter."""
        return [{"user": self.reader.user, "parameter": name, **one} for name, one in self.parameters.items()]

    def tables(self, places: int = 4) -> list[Table]:
        content = self.reader.content
        percent = f"{100 * content['confidence']:.4g}% interval"
        rows = [
            [
                name,
                _digits(one["value"]),
                "" if one["low"] is None else f"[{_digits(one['low'])}, {_digits(one['high'])}]",
            ]
            for name, one in self.parameters.items()
        ]
        found = [Table("", ["parameter", "value", percent], rows, "<><")]
        for what in dict.fromkeys(row["what"] for row in self.calibration):
            rows = [
                [
                    f"{_digits(row['from'])} to {_digits(row['to'])}",
                    str(row["cases"]),
                    number(row["predicted"], places),
                    number(row["observed"], places),
                ]
                for row in self.calibration
                if row["what"] == what
            ]
            by = "predicted probability" if "transitions" in content or "links" in content else "distance"
            title = f"Held out: a reader {what}, by {by}"
            found.append(Table(title, [by, "cases", "predicted", "observed"], rows, "<>>>"))
        return found

    def legend(self) -> list[str]:
        content = self.reader.content
        split, data, held = content["split"], content["data"], content["held_out"]
        lines = [f"{content['user']}, from {data['log']}."]
        if split:
            checksum = f" (checksum {data['checksum']})" if "checksum" in data else ""
            lines = [
                f"{content['user']}, from {counted(split['training_sessions'], 'session')} of {data['log']}{checksum}; "
                f"{counted(split['held_out_sessions'], 'session')} held out, seed {split['seed']}."
            ]
        if "transitions" in content:
            lines.append(
                f"{counted(len(content['transitions']), 'transition')} between {counted(data['pages'], 'page')}, each "
                f"with its interval in the file; smoothing weight {content['weight']:g}."
            )
        if held is not None and held["log_likelihood"] is not None:
            unit = "decision" if "decisions" in held else "visit"
            ends = "" if held["low"] is None else f" [{held['low']:.4f}, {held['high']:.4f}]"
            lines.append(
                f"Held out: {held['log_likelihood']:.4f} nats a {unit}, {held['baseline_log_likelihood']:.4f} for "
                f"{held['baseline']}; difference {held['difference']:.4f}{ends}: {verdict(held['low'], held['high'])}."
            )
            if held.get("brier") is not None:
                low, high = held["brier_low"], held["brier_high"]
                ends = "" if low is None else f" [{low:.4f}, {high:.4f}]"
                said = verdict(*(None if one is None else -one for one in (high, low)))
                lines.append(
                    f"Whether visits get there: Brier score {held['brier']:.4f}, {held['constant_brier']:.4f} for "
                    f"{held['constant']:.4f}, the share of the training visits; difference "
                    f"{held['brier_difference']:.4f}{ends}: {said}."
                )
            if held.get("markov_log_likelihood") is not None:
                ends = (
                    f" [{held['markov_low']:.4f}, {held['markov_high']:.4f}]" if held["markov_low"] is not None else ""
                )
                lines.append(
                    f"markov, fitted to the same sessions: {held['markov_log_likelihood']:.4f}; difference "
                    f"{held['markov_difference']:.4f}{ends}: {verdict(held['markov_low'], held['markov_high'])}."
                )
        return lines


def _digits(value: Any) -> str:
    return f"{value:.4g}"


def fit(
    model: str | UserModel | type[UserModel],
    log: Any,
    *,
    held_out: float = 0.2,
    seed: int = 0,
    confidence: float = 0.95,
    links: LinkTable | str | PathLike[str] | None = None,
    collection: Collection | Mapping[str, float] | str | PathLike[str] | None = None,
    goals: Sequence[str] | str | PathLike[str] | None = None,
    documents: Texts | Mapping[str, str] | str | PathLike[str] | None = None,
    truth: Truth | str | PathLike[str] | None = None,
    format_run: str | None = None,
    visits: Literal["ahead", "all"] | None = None,
    progress: ProgressLike = None,
) -> Fit:
    """Estimate a user model from a log by maximum likelihood, and check it on sessions held out.

    Parameters
    ----------
    model : str, UserModel or type
        markov, seek, t2i, distance, bep, forage, or a model of another package that has a method ``fit``. Parameters in
        brackets stay as they are: ``"bep(L=5000)"``.
    log : str, path, list or data frame
        A file; for markov a list of visited paths, or a data frame with counts of steps (from, to, n; without to:
        sessions that ended at from); for the others a list of dictionaries or a data frame with the names
        of the format reading-log.
    held_out : float
        The share of the sessions that are held out.
    seed : int
        Draws the sessions that are held out.
    confidence : float
        The confidence of intervals.
    links : LinkTable, str or path, optional
        Which page links to which. For markov shares of steps are smoothed towards them, for seek they are what could
        be followed.
    collection : Collection, mapping, str or path, optional
        For bep and forage: lengths of the documents.
    goals : list of str, str or path, optional
        For seek: the page that each session looked for, where the log does not say so; a file has lines session TAB
        goal, and sessions count from 1.
    documents : Texts, mapping, str or path, optional
        For seek: the texts of pages.
    truth : Truth, str or path, optional
        For t2i, distance and bep, where the log is a run of sessions (each step a rank): what is relevant in them. A
        visit is a stretch of reading in one document.
        For forage: the gaps between relevant places say what readers may expect (rate and present).
    format_run : str, optional
        With truth, the format of the sessions; by default it is recognised.
    visits : str, optional
        With truth, the visits to learn from. 'ahead', the default: those to documents with something relevant where
        the reader entered or further on, by whether they got there. 'all': all visits, by what was read before the
        first relevant place, or before the reader left.
    progress : bool or callable, optional
        True shows a bar; a function is called with (done, of).

    Returns
    -------
    Fit
        The model with its parameters; the option ``user`` takes it, and the file that its ``write`` makes.

    Examples
    --------
    >>> import berrypick as bp
    >>> log = [{"distance": d, "end": e} for d, e in [(5, "gave_up"), (9, "gave_up"), (12, "reached"), (30, "gave_up")]]
    >>> found = bp.fit("distance(law='inverse')", log, held_out=0)
    >>> round(found.user.theta, 4)
    0.0655
    """
    method = FitMethod(held_out, seed, confidence)
    told = as_progress(progress)
    chosen = users.build(model)
    if not chosen.can_be_learnt():
        known = [name for name, cls in users.registered().items() if cls.can_be_learnt()]
        raise UsageError(f"fit estimates {', '.join(known)}, not {chosen.name()}")
    given: dict[str, Any] = {"links": links, "collection": collection, "goals": goals, "documents": documents}
    given |= {"truth": truth, "format_run": format_run, "visits": visits}
    for name, why in OF_SOME.items():
        if given[name] is not None and name not in _taken(type(chosen)):
            some = [one for one, cls in users.registered().items() if name in _taken(cls)]
            raise UsageError(f"{option(name)} is for {', '.join(some)}; {chosen.name()} does not {why}")
    if chosen.has_own_fit():
        return _made(_own_fit(chosen, _named(model, chosen), log, method, told, given), method, _source(log))
    if chosen.learnt_from == "sessions":
        sessions = _sessions(log)
        found = fit_chain(chosen, sessions, method, _links(links), told)
        return _made(found, method, sessions.source, {"unit": _unit_of_pages(sessions.units)})
    for name in ("format_run", "visits"):
        if given[name] is not None and truth is None:
            raise UsageError(f"{option(name)} is for a run of sessions, which needs {option('truth')}")
    if visits not in (None, "ahead", "all"):
        raise UsageError(f"{option('visits')} is 'ahead' or 'all', not {visits!r}")
    of_log = truth is None or (isinstance(chosen, Forage) and format_run is None and not isinstance(log, Run))
    readings = _readings(log) if of_log else reading_log_of(log, truth, format_run, visits or "ahead")
    try:
        if isinstance(chosen, Forage):
            found = _fit_forage(chosen, _named(model, chosen), readings, method, truth, collection)
        else:
            found = fit_visits(chosen, readings, method, _mean_length(collection))
    except UsageError as error:
        if of_log or visits == "all":
            raise
        raise UsageError(f"{error}; {option('visits', 'all')} fits every visit") from error
    left = tuple(Note("sessions", f"{number} {what}") for what, number in sorted(readings.skipped.items()))
    return _made(replace(found, notes=(*left, *found.notes)), method, readings.source, readings.origin)


def _fit_forage(
    model: Forage, given: Mapping[str, Any], log: ReadingLog, method: FitMethod, truth: Any, collection: Any
) -> Learnt:
    """What readers expect from the gaps of the truth, unless it is given; what it is worth to them from the log."""
    if "gain" in given:
        raise UsageError("fit estimates gain; remove it from forage(..)")
    if {"rate", "present"} <= given.keys():
        if truth is not None:
            raise UsageError(f"{option('truth')} is needed only to estimate rate and present; remove one of them")
        return fit_visits(model, log, method, None)
    if truth is None or collection is None:
        raise UsageError(
            f"forage estimates rate and present from the gaps of a truth: give {option('truth')} and "
            f"{option('collection')}, or both numbers, as in forage(rate=0.02,present=0.5)"
        )
    gold = formats.read_any(truth, "truth") if isinstance(truth, (str, PathLike)) else truth
    beliefs = estimate(gaps_of(gold, _collection(collection).lengths), method.confidence)
    names = {name: value for name, value in beliefs._asdict().items() if name not in given}
    expected: dict[str, Any] = {name: rounded(value[0]) for name, value in names.items()}
    found = fit_visits(replace(model, **expected), log, method, None)
    known = {name: parameter(*value) for name, value in names.items()}
    return replace(found, parameters={**found.parameters, **known})


def _taken(cls: type[UserModel]) -> set[str]:
    """Return the options that a user model is learnt with, of those that it need not take."""
    if cls.has_own_fit():
        parameters = inspect.signature(cls.fit).parameters
        return {*parameters, *(OF_SOME if any(one.kind is one.VAR_KEYWORD for one in parameters.values()) else ())}
    if cls.learnt_from != "readings":
        return {"links"} if cls.learnt_from == "sessions" else set()
    return {"truth", "format_run", "visits", *(["collection"] if issubclass(cls, (Bep, Forage)) else [])}


def _named(given: Any, model: UserModel) -> dict[str, Any]:
    """Return the parameters that a person gave, those that are as by default too."""
    named = specs.parse(given, "user model").parameters if isinstance(given, str) and not users.is_file(given) else {}
    return {**model.given_values(), **{name: getattr(model, name) for name in dict(named)}}


def _own_fit(
    model: UserModel,
    parameters: Mapping[str, Any],
    log: Any,
    method: FitMethod,
    progress: Progress | None,
    given: Mapping[str, Any],
) -> Learnt:
    """Call the fit of a user model that is learnt in a way of its own, with what it takes."""
    cls = type(model)
    every = {**asdict(method), "progress": progress, "given": parameters, **given}
    takes = inspect.signature(cls.fit).parameters
    rest = any(one.kind is one.VAR_KEYWORD for one in takes.values())
    if parameters and not (rest or "given" in takes):
        raise UsageError(f"{cls.name()} takes no parameters when it is fitted to a log; remove them")
    with plugin_errors(f"fit of the user model {cls.name()}", cls):
        found = cls.fit(log, **{name: value for name, value in every.items() if rest or name in takes})
    if isinstance(found, UserModel):
        return Learnt(found)
    if not isinstance(found, Learnt):
        raise UsageError(f"fit of the user model {cls.name()} returned {type(found).__name__}, not a user model")
    return found


def _unit_of_pages(names: Iterable[str]) -> str | None:
    """Whether sessions visit documents; None if some are named like passages, lines or elements of them."""
    return None if any(_PART.search(name) for name in names) else "documents"


def _source(log: Any) -> str:
    """Return the name of a log that is a file."""
    return fspath(log) if isinstance(log, (str, PathLike)) else ""


def _made(found: Learnt, method: FitMethod, source: str, origin: Mapping[str, Any] | None = None) -> Fit:
    values, known = found.user.given_values(), origin or {}
    plain = {name: {"value": value, "low": None, "high": None} for name, value in values.items() if _is_number(value)}
    content: dict[str, Any] = {
        "fitted": FITTED_VERSION,
        "user": specs.render(found.user.name(), values),
        "model": found.user.name(),
        "unit": None if getattr(found.user, "unit", None) in COUNTED else known.get("unit"),
        **{name: known.get(name) for name in ("agent", "version")},
        "sessions": {"count": found.data.get("sessions"), "checksum": found.data.get("checksum")},
        "period": known.get("period"),
        "parameters": dict(found.parameters) or plain,
        "confidence": method.confidence,
        "data": {"log": Path(source).name or "the log", **found.data},
        "split": _split(found, method),
        "held_out": found.held_out,
        "calibration": found.calibration,
        "notes": [str(note) for note in found.notes],
    }
    content = {**all_rounded(content), **found.more}
    content["checksum"] = content_checksum(content)
    return Fit(FittedReader(content), found.notes)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _split(found: Learnt, method: FitMethod) -> dict[str, Any]:
    """Return how sessions were held out; nothing where the model does not say how many there were."""
    sessions = found.data.get("sessions")
    if sessions is None:
        return {}
    held = int(method.held(sessions).sum())
    return {
        "held_out": method.held_out,
        "seed": method.seed,
        "training_sessions": sessions - held,
        "held_out_sessions": held,
    }


def _sessions(log: Any) -> Sessions | TransitionCounts:
    if isinstance(log, (str, PathLike)):
        return formats.read_any(log, "navigation")  # fit_chain refuses other tables
    if isinstance(log, (list, tuple)) and all(isinstance(path, (list, tuple)) and path for path in log):
        return Sessions(Paths.of([str(step) for step in path] for path in log))
    if isinstance(log, (Sessions, TransitionCounts)):
        return log
    if is_frame(log):
        return counts_from_frame(log)
    what = "a file of sessions or counts, a list of paths or a data frame with from, to and n"
    raise UsageError(f"markov is estimated from {what}, not {type(log).__name__}")


def _links(given: Any) -> LinkTable | None:
    if isinstance(given, (str, PathLike)):
        given = formats.read_any(given, "navigation")
    if given is not None and not isinstance(given, LinkTable):
        raise UsageError(f"{option('links')} needs a table of links (from, to), not {type(given).__name__}")
    return given


def _readings(log: Any) -> ReadingLog:
    if isinstance(log, ReadingLog):
        return log
    if isinstance(log, (str, PathLike)):
        return formats.read_any(log, "log")
    if is_frame(log):
        log = _frame_rows(log)
    if not isinstance(log, Iterable) or isinstance(log, Mapping):
        raise UsageError(
            f"a reading log must be a file, a list of dictionaries or a data frame, not {type(log).__name__}"
        )
    rows = list(log)
    wrong = next((row for row in rows if not isinstance(row, Mapping)), None)
    if wrong is not None:
        raise UsageError(f"a reading log must have dictionaries with distance and end, not {wrong!r:.60}")
    where = "the log"
    return ReadingLogFormat.from_records(
        ((i, repr(row), dict(row)) for i, row in enumerate(rows, 1)), Problems(where), where
    )


def _frame_rows(frame: Any) -> list[dict[str, Any]]:
    found = _values(frame)
    columns = {name: found[name].to_list() for name in ("session", "visit", "distance", "end") if name in found}
    rows = zip(*columns.values(), strict=True)
    return [{name: value for name, value in zip(columns, row, strict=True) if value == value} for row in rows]


def _collection(given: Any) -> Collection:
    if isinstance(given, (str, PathLike)):
        return read_collection(given)
    if isinstance(given, Mapping):
        return Collection({str(name): float(length) for name, length in given.items()})
    found: Collection = given
    return found


def _mean_length(given: Any) -> float | None:
    return None if given is None else _collection(given).mean_length
