"""The options of an evaluation, each declared once.

A field of :class:`EvaluationOptions` says what it is called in Python, its command-line flag, its help text, its key in
signatures and its label in reports. Arguments of :func:`berrypick.evaluate`, command-line options, signatures, the
configuration shown by reports, and the reference documentation are generated from it.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from numbers import Integral
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, TypedDict, TypeVar, get_args

from berrypick.core.annotators import MERGE_RULES, MergeRule
from berrypick.core.collection import Collection
from berrypick.core.errors import UsageError, nearest
from berrypick.core.errors import option as option_text
from berrypick.core.navigation import Navigation
from berrypick.core.parameters import is_finite
from berrypick.core.reach import check_units
from berrypick.core.run import Duplicates, Run
from berrypick.core.truth import OFFSETS, Offsets
from berrypick.documents.quotes import QUOTES, Quotes
from berrypick.documents.texts import Texts
from berrypick.documents.tokens import Tokenizer
from berrypick.evaluation.protocols import check_task_name, get_protocol
from berrypick.users import UserModel

EffortName = Literal["rank", "clicks", "chars", "tokens", "seconds", "pages"]
EFFORTS: tuple[EffortName, ...] = ("rank", "clicks", "chars", "tokens", "seconds", "pages")
TOPICS = ("judged", "run")
TextMismatch = Literal["error", "note"]
TEXT_MISMATCH: tuple[TextMismatch, ...] = ("error", "note")
UNJUDGED = ("irrelevant", "relevant")
DUPLICATES = ("error", "first", "keep")
File = str | PathLike[str]
#: Functions whose results have rows for groups of topics.
GROUPED = ("evaluate", "compare", "write_report", "sweep", "Evaluation.prepare")


@dataclass(frozen=True)
class Option:
    """One option as it appears to people."""

    name: str
    default: Any
    help: str
    label: str  # in the configuration that a report shows; '' if it is not shown
    signature: str  # its key in signatures; '' if it has none
    metavar: str | None
    choices: tuple[str, ...]
    kind: type
    aliases: tuple[str, ...]  # older names, accepted everywhere
    file: bool  # whether it names a file or folder that is read

    @property
    def flags(self) -> tuple[str, ...]:
        """Its command-line flags."""
        return tuple(f"--{name.replace('_', '-')}" for name in (self.name, *self.aliases))


def _option(
    default: Any,
    help: str,
    *,
    label: str = "",
    signature: str = "",
    metavar: str | None = None,
    choices: Sequence[str] = (),
    kind: type = str,
    aliases: tuple[str, ...] = (),
    file: bool = False,
) -> Any:
    facts = {"help": help, "label": label, "signature": signature, "metavar": metavar, "choices": tuple(choices),
             "kind": kind, "aliases": aliases, "file": file}  # fmt: skip
    return dataclasses.field(default=default, metadata=facts)


@dataclass(frozen=True, eq=False)
class EvaluationOptions:
    """Everything an evaluation depends on besides truth, runs and measures, as given. Signatures keep this order."""

    user: str | UserModel | File | None = _option(
        None,
        "User model, e.g. hierarchy or t2i(tolerance=300), or a file written by fit. "
        "[default: classical, or by the navigation file]",
        label="user model", signature="user", metavar="SPEC",
    )  # fmt: skip
    navigation: Navigation | File | None = _option(
        None, "Table of reach, links or sessions, for the user model.",
        label="navigation", signature="navigation", metavar="FILE", file=True,
    )  # fmt: skip
    collection: Collection | Mapping[str, float] | File | None = _option(
        None, "Folder of XML documents, index, or file of document lengths.",
        label="collection", metavar="PATH", file=True,
    )  # fmt: skip
    documents: Texts | Mapping[str, str] | File | None = _option(
        None, "Texts: a folder, or JSON Lines with doc and text.", label="documents", metavar="PATH", file=True
    )
    offsets: Offsets | None = _option(
        None,
        "Unit of offsets in span files; +bom counts a byte order mark too. [default: chars]",
        label="offsets",
        choices=OFFSETS,
    )
    text_mismatch: TextMismatch = _option(
        "error", "Text beside offsets that is not there in the documents: report an error, or go on with a note.",
        label="text mismatch", choices=TEXT_MISMATCH,
    )  # fmt: skip
    quotes: Quotes | None = _option(
        None, "How to match quotes in the texts. [default: exact]", label="quotes", choices=QUOTES
    )
    chunks: Run | File | None = _option(
        None, "All chunks of the collection, in any run format, for PrecisionOmega.",
        label="chunks", metavar="FILE", file=True,
    )  # fmt: skip
    ignore_elements: str | Sequence[str] = _option(
        (), "Elements to ignore, by name, e.g. 'a,link'.",
        label="ignored elements", signature="ignore_elements", metavar="NAMES", aliases=("left_out",),
    )  # fmt: skip
    ideal_elements: Run | File | None = _option(
        None, "The ideal elements, in any run format with paths. [default: the ideal recall base]",
        label="ideal elements", signature="ideal_elements", metavar="FILE", file=True,
    )  # fmt: skip
    idealism: Mapping[float, float] | str | None = _option(
        None, "Share of users for whom each grade (of elements: exhaustivity) is ideal, e.g. '1=.5,2=1'; or gain.",
        label="idealism", signature="idealism", metavar="MAP",
    )  # fmt: skip
    effort: EffortName = _option("rank", "Unit of effort.", label="effort", signature="effort", choices=EFFORTS)
    tokenizer: str | Tokenizer | None = _option(
        None, "Tokenizer: words (Unicode UAX #29), tiktoken:ENCODING, or a tokenizer.json file. [default: words]",
        label="tokenizer", signature="tokenizer", metavar="NAME",
    )  # fmt: skip
    units: int | None = _option(
        None, "Number of retrievable units, ranked ones included.",
        label="units", signature="units", metavar="N", kind=int,
    )  # fmt: skip
    protocol: str | None = _option(
        None, "Rules of a campaign: inex2006, inex2010, mediaeval2014, genomics2007, chunking-evaluation, "
        "legalbench-rag.",
        label="protocol", signature="protocol", metavar="NAME",
    )  # fmt: skip
    task: str | None = _option(
        None, "INEX task: thorough, focused, relevant-in-context or best-in-context.",
        label="task", signature="task", metavar="NAME",
    )  # fmt: skip
    repair: str | None = _option(
        None, "Repair runs that break the rules of the task: drop-overlap, group or first-per-article.",
        label="repair", signature="repair", metavar="RULE",
    )  # fmt: skip
    duplicates: Duplicates | None = _option(
        None, "Repeated results: report an error, drop, or keep without effect. [default: by format]",
        label="duplicates", signature="duplicates", choices=DUPLICATES,
    )  # fmt: skip
    min_score: float | None = _option(
        None, "Drop results whose score is below this.",
        label="least score", signature="min_score", metavar="X", kind=float,
    )  # fmt: skip
    unjudged: Literal["irrelevant", "relevant"] | None = _option(
        None, "What unjudged text of the run counts as, for measures of characters. [default: irrelevant]",
        label="unjudged text", signature="unjudged", choices=UNJUDGED,
    )  # fmt: skip
    annotators: MergeRule | None = _option(
        None, "How judgements of several annotators are merged. [default: union]",
        label="annotators", signature="annotators", choices=MERGE_RULES,
    )  # fmt: skip
    topics: Literal["judged", "run"] | None = _option(
        None, "Topics to score: all judged (missing ones as empty lists), or those in the run. "
        "[default: judged, or by protocol]",
        label="topics", signature="topics", choices=TOPICS,
    )  # fmt: skip
    by: str | Mapping[str, str] | None = _option(
        None, "Rows for each group of topics as well: a field of the truth's lines or of the topic table, or doc.",
        label="groups", metavar="FIELD",
    )  # fmt: skip
    whole_documents: bool = _option(
        False, "Count whole documents where parts are judged or retrieved, each as all of its text; else an error.",
        label="whole documents", signature="whole_documents", kind=bool,
    )  # fmt: skip
    topic_table: Any = _option(
        None, "Fields of topics: CSV, TSV, Parquet or JSON Lines with topic and other columns.",
        label="topic table", metavar="FILE", file=True,
    )  # fmt: skip

    def __post_init__(self) -> None:
        for option in options():
            value = getattr(self, option.name)
            if option.choices and value is not None and value not in option.choices:
                offer = nearest(str(value), list(option.choices)) or f"; expected one of {', '.join(option.choices)}"
                raise UsageError(f"unknown {option.name} {value!r}{offer}")
            if value is not None and not isinstance(value, (types := _TYPES.get(option.name, (object,)))):
                raise UsageError(f"{option.name} must be {_described(types)}, not {value!r:.60}")
        if not (self.ignore_elements is None or all(isinstance(name, str) for name in self.ignore_elements)):
            raise UsageError(f"ignore_elements must be names of elements, not {self.ignore_elements!r:.60}")
        if self.units is not None:
            check_units(self.units)
        if self.protocol:
            get_protocol(self.protocol)
        if self.task:
            check_task_name(self.task)
        if self.min_score is not None and not is_finite(self.min_score):
            raise UsageError(f"min_score must be a finite number, not {self.min_score!r:.60}")

    @classmethod
    def from_arguments(cls, arguments: Mapping[str, Any], function: str = "evaluate") -> EvaluationOptions:
        """Keyword arguments of a public function; unknown names get a suggestion, None means the default."""
        known = {name: option for option in options() for name in (option.name, *option.aliases)}
        values: dict[str, Any] = {}
        for name, value in arguments.items():
            if name not in known:
                names = [*(option.name for option in options()), *_OWN.get(function, ())]  # older names are not offered
                offer = nearest(name, names) or f"; see help(berrypick.{function})"
                raise UsageError(f"{function}() has no option {name!r}{offer}")
            option = known[name]
            if value is None or (name in option.aliases and not value):
                continue
            if option.name in values:
                raise UsageError(f"{option.name} is given twice, as {' and as '.join((option.name, *option.aliases))}")
            values[option.name] = value
        if "by" in values and function not in GROUPED:
            raise UsageError(f"{function} gives no rows for groups: leave {option_text('by')} out")
        return cls(**values)


#: What the values of options may be, where nothing that reads them says so.
_TYPES: dict[str, tuple[type, ...]] = {
    "navigation": (str, PathLike, *get_args(Navigation)),
    "collection": (str, PathLike, Collection, Mapping),
    "ignore_elements": (str, Sequence),
    "idealism": (str, Mapping),
    "units": (int, float, Integral),
    "min_score": (int, float),
    "by": (str, Mapping),
    "protocol": (str,),
    "task": (str,),
    "repair": (str,),
    "whole_documents": (bool,),
}
_TYPE_NAMES: Mapping[Any, str] = {
    bool: "True or False",
    float: "a number",
    str: "a string",
    PathLike: "a path",
    Mapping: "a dictionary",
    Sequence: "a list",
    Integral: "a number",
}


def _described(types: tuple[type, ...]) -> str:
    names = list(dict.fromkeys(_TYPE_NAMES.get(kind, f"a {kind.__name__}") for kind in types if kind is not int))
    return " or ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


@cache
def options() -> tuple[Option, ...]:
    """Every option, in the order of the fields."""
    return tuple(Option(f.name, f.default, **f.metadata) for f in dataclasses.fields(EvaluationOptions))


class SweepKeywords(TypedDict, total=False):
    """The options of an evaluation as keyword arguments, without the documents, for type checkers."""

    user: str | UserModel | File | None
    navigation: Navigation | File | None
    collection: Collection | Mapping[str, float] | File | None
    offsets: Offsets | None
    text_mismatch: TextMismatch
    quotes: Quotes | None
    chunks: Run | File | None
    ignore_elements: str | Sequence[str]
    left_out: str | Sequence[str]
    ideal_elements: Run | File | None
    idealism: Mapping[float, float] | str | None
    effort: EffortName
    tokenizer: str | Tokenizer | None
    units: int | None
    protocol: str | None
    task: str | None
    repair: str | None
    duplicates: Duplicates | None
    min_score: float | None
    unjudged: Literal["irrelevant", "relevant"] | None
    annotators: MergeRule | None
    topics: Literal["judged", "run"] | None
    by: str | Mapping[str, str] | None
    whole_documents: bool
    topic_table: Any


class EvaluationKeywords(SweepKeywords, total=False):
    """The options of an evaluation as keyword arguments, for type checkers; see :class:`EvaluationOptions`."""

    documents: Texts | Mapping[str, str] | File | None


F = TypeVar("F", bound=Callable[..., Any])

#: Arguments besides the options of the functions that take options, for suggestions.
_OWN: dict[str, list[str]] = {}

if TYPE_CHECKING:

    def takes_options(function: F) -> F: ...

else:

    def takes_options(function: F) -> F:
        """Show the options among the parameters of a function that takes ``**options``, for help and completion."""
        own = inspect.signature(function, eval_str=False)
        kept = [p for p in own.parameters.values() if p.kind is not p.VAR_KEYWORD]
        kinds = {**SweepKeywords.__annotations__, **EvaluationKeywords.__annotations__}
        more = [
            inspect.Parameter(o.name, inspect.Parameter.KEYWORD_ONLY, default=o.default, annotation=kinds[o.name])
            for o in options()
            if o.name not in own.parameters
        ]
        function.__signature__ = own.replace(parameters=[*kept, *more])
        _OWN[function.__qualname__] = [p.name for p in kept if p.kind is not p.POSITIONAL_ONLY]
        return function
