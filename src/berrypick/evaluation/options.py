"""The options of an evaluation, each declared once.

A key of :class:`EvaluationKeywords` says what an option is called, what it may be, and what people read about it.
Flags of the command line, arguments of :func:`berrypick.evaluate`, choices, checks, completion, signatures, the
configuration shown by reports and the reference documentation follow from it.
"""

# annotations are values here, compiled with the module: as texts they would be compiled whenever it is loaded
import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from numbers import Integral
from os import PathLike
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    TypedDict,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from berrypick.data.collection import Collection
from berrypick.data.errors import UsageError, nearest
from berrypick.data.errors import option as option_text
from berrypick.data.navigation import Navigation
from berrypick.data.parameters import is_finite
from berrypick.data.reach import check_units
from berrypick.data.run import Duplicates, Missing, Run
from berrypick.data.truth import MergeRule, Offsets
from berrypick.documents.quotes import Copying, OnMismatch, Quotes
from berrypick.documents.unplaced import Unplaced
from berrypick.evaluation.protocols.base import OWN, check_task_name, get_protocol
from berrypick.registry.registry import changes
from berrypick.users import UserModel

if TYPE_CHECKING:
    from berrypick.documents.texts import Texts
    from berrypick.documents.token_offsets import Tokenizer
else:  # types of options that are not checked are only named: their modules are loaded by who reads such values
    Texts, Tokenizer = type("Texts", (), {}), Callable[[str], Any]

EffortName = Literal["rank", "clicks", "chars", "tokens", "seconds", "lines", "pages"]
Level = Literal["file", "module", "function", "line", "session", "turn", "document", "page"]
File = str | PathLike[str]
#: Functions whose results have rows for groups of topics.
GROUPED = ("evaluate", "compare", "diagnose", "write_report", "sweep", "Evaluation.prepare")


@dataclass(frozen=True)
class Declared:
    """What an option says of itself beside its name and its type."""

    default: Any
    help: str
    label: str = ""  # in the configuration that a report shows; '' if it is not shown
    signature: str = ""  # its key in signatures; '' if it has none
    metavar: str | None = None
    file: bool = False  # whether it names a file or folder that is read
    repeatable: bool = False  # whether the flag may be given several times: its texts are joined by commas
    checked: bool = True  # whether values of other types are refused at once; else what reads it says what it takes
    subject: str = "Other options"  # its heading in the help of commands; "Options" for the common ones


@dataclass(frozen=True)
class OtherName:
    """Another name that people type for an option, accepted in Python and shown nowhere."""

    of: str


@dataclass(frozen=True)
class Option(Declared):
    """One option as it appears to people."""

    name: str = ""
    choices: tuple[str, ...] = ()
    kind: type = str  # what a command line makes of its text
    aliases: tuple[str, ...] = ()  # other names
    types: tuple[type, ...] = ()  # what it may be, if that is checked here
    annotation: Any = None

    @property
    def flags(self) -> tuple[str, ...]:
        """Its command-line flags."""
        return tuple(f"--{name.replace('_', '-')}" for name in (self.name, *self.aliases))


class _First(TypedDict, total=False):
    """Options before the documents; signatures and help keep this order."""

    user: Annotated[
        str | UserModel | File | None,
        Declared(
            None,
            "User model, e.g. hierarchy or t2i(tolerance=300), or a file written by fit. "
            "[default: classical, or by the navigation file]",
            label="user model", signature="user", metavar="SPEC", checked=False, subject="Options",
        ),
]  # fmt: skip
    navigation: Annotated[
        Navigation | File | None,
        Declared(
            None, "Table of clicks, links or sessions, for the user model.",
            label="navigation", signature="navigation", metavar="FILE", file=True, subject="Options",
        ),
    ]  # fmt: skip
    collection: Annotated[
        Collection | Mapping[str, float] | File | None,
        Declared(
            None, "Folder of XML documents, index, or file of document lengths.",
            label="collection", metavar="PATH", file=True, subject="XML elements and campaigns",
        ),
    ]  # fmt: skip


class _DocumentsOption(TypedDict, total=False):
    """What a sweep takes as an argument of its own."""

    documents: Annotated[
        Texts | Mapping[str, str] | File | None,
        Declared(
            None, "Texts: a folder, or JSON Lines with doc and text.",
            label="documents", metavar="PATH", file=True, checked=False, subject="Options",
        ),
]  # fmt: skip


class _Others(TypedDict, total=False):
    """The other options."""

    fields: Annotated[
        Mapping[str, str | Sequence[str]] | str | None,
        Declared(
            None, "Roles of the truth's fields, e.g. 'grade=rating,topic=thread'; 'score=' ignores a field.",
            label="fields", metavar="ROLE=NAME", repeatable=True, subject="Judgements",
        ),
    ]  # fmt: skip
    offsets: Annotated[
        Offsets | None,
        Declared(
            None,
            "Unit of offsets in span files; +bom counts a byte order mark too. [default: chars]",
            label="offsets", subject="Text and places",
        ),
    ]  # fmt: skip
    text_mismatch: Annotated[
        OnMismatch,
        Declared(
            "error", "Text beside offsets that is not there in the documents: report an error, use the offsets with a "
            "note, or locate the text and use its place.",
            label="text mismatch", subject="Text and places",
        ),
    ]  # fmt: skip
    unplaced: Annotated[
        Unplaced | None,
        Declared(
            None, "Results whose text is not in the documents: count them as irrelevant, or report an error. "
            "[default: irrelevant, an error above a tenth of a run]",
            label="unplaced text", subject="Text and places",
        ),
    ]  # fmt: skip
    quotes: Annotated[
        Quotes | None,
        Declared(
            None, "How to match quotes in the texts. [default: exact]", label="quotes", subject="Text and places",
        ),
    ]  # fmt: skip
    copies: Annotated[
        Copying,
        Declared(
            "apart", "Verbatim copies of judged passages elsewhere in the documents: the same text, or text apart, "
            "counted in a note.",
            label="copies", signature="copies", subject="Text and places",
        ),
    ]  # fmt: skip
    copies_least: Annotated[
        int,
        Declared(
            40, "Fewest characters of a judged passage that has copies.", label="least copy",
            metavar="N", subject="Text and places",
        ),
    ]  # fmt: skip
    chunks: Annotated[
        Run | File | Mapping[str, Any] | Sequence[Any] | None,
        Declared(
            None, "All chunks of the collection, for PrecisionOmega (in any run format) and diagnose (also rows with "
            "text, or doc, start and end).",
            label="chunks", metavar="FILE", file=True, checked=False, subject="Text and places",
        ),
]  # fmt: skip
    ignore_elements: Annotated[
        str | Sequence[str],
        Declared(
            (), "Elements to ignore, by name, e.g. 'a,link'; none: ignore none, not even those a protocol ignores.",
            label="ignored elements", signature="ignore_elements", metavar="NAMES",
            subject="XML elements and campaigns",
        ),
    ]  # fmt: skip
    ideal_elements: Annotated[
        Run | File | None,
        Declared(
            None, "The ideal elements, in any run format with paths. [default: the ideal recall base]",
            label="ideal elements", signature="ideal_elements", metavar="FILE", file=True, checked=False,
            subject="XML elements and campaigns",
        ),
]  # fmt: skip
    idealism: Annotated[
        Mapping[float, float] | str | None,
        Declared(
            None, "Share of users for whom each grade (of elements: exhaustivity) is ideal, e.g. '1=.5,2=1'; or gain.",
            label="idealism", signature="idealism", metavar="MAP", subject="Judgements",
        ),
    ]  # fmt: skip
    effort: Annotated[
        EffortName,
        Declared(
            "rank", "Unit of effort.", label="effort", signature="effort", subject="Readers and effort",
        ),
    ]  # fmt: skip
    tokenizer: Annotated[
        str | Tokenizer | None,
        Declared(
            None, "Tokenizer: words (Unicode UAX #29), tiktoken:ENCODING, or a tokenizer.json file. [default: words]",
            label="tokenizer", signature="tokenizer", metavar="NAME", checked=False, subject="Readers and effort",
        ),
]  # fmt: skip
    units: Annotated[
        int | None,
        Declared(
            None, "Number of retrievable units, ranked ones included.",
            label="units", signature="units", metavar="N", subject="Readers and effort",
        ),
    ]  # fmt: skip
    protocol: Annotated[
        str | None,
        Declared(
            None, "Rules of a campaign: inex2006, inex2010, mediaeval2014, genomics2007, chunking-evaluation, "
            "legalbench-rag.",
            label="protocol", signature="protocol", metavar="NAME", subject="Options",
        ),
    ]  # fmt: skip
    task: Annotated[
        str | None,
        Declared(
            None, "INEX task: thorough, focused, relevant-in-context or best-in-context.",
            label="task", signature="task", metavar="NAME", subject="XML elements and campaigns",
        ),
    ]  # fmt: skip
    repair: Annotated[
        str | None,
        Declared(
            None, "Repair runs that break the rules of the task: drop-overlap, group or first-per-article.",
            label="repair", signature="repair", metavar="RULE", subject="XML elements and campaigns",
        ),
    ]  # fmt: skip
    duplicates: Annotated[
        Duplicates | None,
        Declared(
            None, "Repeated results: report an error, drop, or keep without effect. [default: by format]",
            label="duplicates", signature="duplicates", subject="Runs and topics",
        ),
    ]  # fmt: skip
    stage: Annotated[
        str | Sequence[str] | None,
        Declared(
            None, "Stages of a run whose rows name them, in order, e.g. bm25,reranker; the last one is scored. "
            "[default: all, in the order of the rows]",
            label="stage", metavar="NAMES", subject="Runs and topics",
        ),
    ]  # fmt: skip
    order: Annotated[
        Literal["file", "score"] | None,
        Declared(
            None, "Order of results without ranks: as in the file, or by falling score. "
            "[default: lists as they are, rows by score]",
            label="order", signature="order", subject="Runs and topics",
        ),
    ]  # fmt: skip
    min_score: Annotated[
        float | None,
        Declared(
            None, "Drop results whose score is below this.",
            label="least score", signature="min_score", metavar="X", subject="Runs and topics",
        ),
    ]  # fmt: skip
    unjudged: Annotated[
        Literal["irrelevant", "relevant"] | None,
        Declared(
            None, "What unjudged text of the run counts as, for measures of characters. [default: irrelevant]",
            label="unjudged text", signature="unjudged", subject="Judgements",
        ),
    ]  # fmt: skip
    annotators: Annotated[
        MergeRule | None,
        Declared(
            None, "How judgements of several annotators are merged. [default: union]",
            label="annotators", signature="annotators", subject="Judgements",
        ),
    ]  # fmt: skip
    topics: Annotated[
        Literal["judged", "run"] | None,
        Declared(
            None, "Topics to score: all judged (missing ones as empty lists), or those in the run. "
            "[default: judged, or by protocol]",
            label="topics", signature="topics", subject="Runs and topics",
        ),
    ]  # fmt: skip
    missing: Annotated[
        Missing | None,
        Declared(
            None, "Topics that the run does not mention, for Abstained: an empty list, or absent, which counts as not "
            "abstained. [default: absent where the run's format can state an empty list, else empty]",
            label="missing topics", signature="missing", subject="Runs and topics",
        ),
    ]  # fmt: skip
    by: Annotated[
        str | Mapping[str, str] | None,
        Declared(
            None, "Rows for each group of topics as well: a field of the truth's lines or of the topic table, or doc.",
            label="groups", metavar="FIELD", subject="Options",
        ),
    ]  # fmt: skip
    strict: Annotated[
        bool,
        Declared(
            False, "Refuse files with labels outside the vocabulary of their format; else they are counted in notes.",
            label="strict", subject="Judgements",
        ),
    ]  # fmt: skip
    whole_documents: Annotated[
        bool,
        Declared(
            False, "Count whole documents where parts are judged or retrieved, each as all of its text; else an error.",
            label="whole documents", signature="whole_documents", subject="Text and places",
        ),
    ]  # fmt: skip
    level: Annotated[
        Level | None,
        Declared(
            None, "Score coarser units: truth and runs are reduced to these, each counted once.",
            label="level", signature="level", subject="Text and places",
        ),
    ]  # fmt: skip
    id_pattern: Annotated[
        str | None,
        Declared(
            None, "Regular expression for ids that carry places, with groups doc, start and end.",
            label="id pattern", signature="id_pattern", metavar="REGEX", subject="Text and places",
        ),
    ]  # fmt: skip
    topic_table: Annotated[
        Any,
        Declared(
            None, "Fields of topics: CSV, TSV, Parquet or JSON Lines with topic and other columns.",
            label="topic table", metavar="FILE", file=True, checked=False, subject="Judgements",
        ),
]  # fmt: skip
    metrics: Annotated[Any, OtherName("measures")]  # another name of that argument


class SweepKeywords(_First, _Others, total=False):
    """The options of an evaluation as keyword arguments, without the documents."""


class EvaluationKeywords(_First, _DocumentsOption, _Others, total=False):
    """The options of an evaluation as keyword arguments."""


@cache
def options() -> tuple[Option, ...]:
    """Every option, in the order of the declarations."""
    hints = get_type_hints(EvaluationKeywords, include_extras=True)
    told = {name: (hint.__origin__, hint.__metadata__[0]) for name, hint in hints.items()}
    others: dict[str, tuple[str, ...]] = {}
    for name, (_, fact) in told.items():
        if isinstance(fact, OtherName):
            others[fact.of] = (*others.get(fact.of, ()), name)
    return tuple(
        _option(name, kind, fact, others.get(name, ()))
        for name, (kind, fact) in told.items()
        if isinstance(fact, Declared)
    )


def _option(name: str, annotation: Any, declared: Declared, aliases: tuple[str, ...]) -> Option:
    """An option with what follows from its type."""
    members = get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,)
    choices = tuple(choice for one in members if get_origin(one) is Literal for choice in get_args(one))
    plain = tuple(kind for one in members if isinstance(kind := get_origin(one) or one, type) and kind is not NoneType)
    kind = next((one for one in (bool, int, float) if one in plain), str)
    types = sorted(plain, key=lambda one: (str, PathLike).index(one) if one in (str, PathLike) else 2)
    numbers = {int: (int, float, Integral), float: (int, float)}.get(kind, ())
    return Option(
        **vars(declared), name=name, choices=choices, kind=kind, aliases=aliases, annotation=annotation,
        types=(numbers or tuple(types)) if declared.checked else (),
    )  # fmt: skip


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


class EvaluationOptions:
    """Everything an evaluation depends on besides truth, runs and measures, as given: an attribute for each option."""

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

    #: What they are, where they are texts and numbers only, so that an evaluation may be kept for the next run.
    kept_as: tuple[Any, ...] | None = None

    def __init__(self, **values: Any) -> None:
        for option in options():
            value = values.get(option.name, option.default)
            if option.choices and value is not None and value not in option.choices:
                offer = nearest(str(value), list(option.choices)) or f"; expected one of {', '.join(option.choices)}"
                raise UsageError(f"unknown {option.name} {value!r}{offer}")
            if option.types and value is not None and not isinstance(value, option.types):
                raise UsageError(f"{option.name} must be {_described(option.types)}, not {value!r:.60}")
            setattr(self, option.name, value)
        if not all(isinstance(name, str) for name in self.ignore_elements or ()):
            raise UsageError(f"ignore_elements must be names of elements, not {self.ignore_elements!r:.60}")
        if self.units is not None:
            check_units(self.units)
        protocol = get_protocol(self.protocol) if self.protocol else OWN
        if self.topics is None:
            self.__dict__["topics"] = protocol.topics
        if self.task:
            check_task_name(self.task)
        if self.id_pattern is not None or self.level is not None:
            self.levels()
        if self.copies_least < 1:
            raise UsageError(f"{option_text('copies_least')} must be at least 1, not {self.copies_least}")
        if self.min_score is not None and not is_finite(self.min_score):
            raise UsageError(f"min_score must be a finite number, not {self.min_score!r:.60}")

    def levels(self) -> Any:
        """What level and id_pattern make of a truth and of runs."""
        from berrypick.evaluation.levels import Levels

        return Levels.of(self.level, self.id_pattern)

    def with_user(self, user: Any) -> "EvaluationOptions":
        """The same with another user model."""
        return self.changed(user=user)

    def changed(self, **values: Any) -> "EvaluationOptions":
        """The same with other values for some options."""
        return EvaluationOptions(**{**vars(self), **values})

    @classmethod
    def from_arguments(cls, arguments: Mapping[str, Any], function: str = "evaluate") -> "EvaluationOptions":
        """Keyword arguments of a public function; unknown names get a suggestion, None means the default."""
        if all(name in _KEPT and type(value) in _SCALARS for name, value in arguments.items()):
            return _kept_options(changes(), tuple(arguments), *arguments.values())
        return cls._checked_arguments(arguments, function)

    @classmethod
    def _checked_arguments(cls, arguments: Mapping[str, Any], function: str) -> "EvaluationOptions":
        known = {name: option for option in options() for name in (option.name, *option.aliases)}
        values: dict[str, Any] = {}
        for name, value in arguments.items():
            if name not in known:
                names = [*(option.name for option in options()), *_OWN.get(function, ())]  # other names are not offered
                offer = nearest(name, names) or f"; see help(berrypick.{function})"
                raise UsageError(f"{function}() has no option {name!r}{offer}")
            option = known[name]
            if value is None or (name in option.aliases and not value):
                continue
            if option.name in values:
                raise UsageError(f"{option.name} is given twice, as {' and as '.join((option.name, *option.aliases))}")
            values[option.name] = value
        if "by" in values and function not in GROUPED:
            raise UsageError(f"{function} gives no rows for groups: omit {option_text('by')}")
        return cls(**values)


#: Options that are texts and numbers, and name neither files nor functions.
_KEPT = frozenset(
    ("duplicates", "effort", "idealism", "min_score", "missing", "order", "protocol", "task", "topics", "units",
     "unjudged", "whole_documents")
)  # fmt: skip
_SCALARS = (str, int, float, bool, NoneType)


@lru_cache(maxsize=64, typed=True)
def _kept_options(changes: int, names: tuple[str, ...], *values: Any) -> EvaluationOptions:
    """Options that are texts and numbers, made once, until a name in a registry may mean something else."""
    made = EvaluationOptions._checked_arguments(dict(zip(names, values, strict=True)), "evaluate")
    made.kept_as = (names, values, tuple(map(type, values)))
    return made


F = TypeVar("F", bound=Callable[..., Any])


class _Shown(str):
    """A type as people read it, in signatures without quotes."""

    def __new__(cls, annotation: Any) -> "_Shown":
        members = get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,)
        texts = [one if isinstance(one, str) else "None" if one is NoneType else _type_text(one) for one in members]
        return super().__new__(cls, " | ".join(texts))

    def __repr__(self) -> str:
        return str(self)


def _type_text(annotation: Any) -> str:
    text = annotation.__name__ if isinstance(annotation, type) and not get_args(annotation) else repr(annotation)
    return re.sub(r"\b(?:\w+\.)+(?=[A-Z])", "", text)


@cache
def _parameters() -> tuple[inspect.Parameter, ...]:
    """Every option as a parameter of a function."""
    only = inspect.Parameter.KEYWORD_ONLY
    return tuple(inspect.Parameter(o.name, only, default=o.default, annotation=_Shown(o.annotation)) for o in options())


#: Arguments besides the options of the functions that take options, for suggestions.
_OWN: dict[str, list[str]] = {}

if TYPE_CHECKING:

    def takes_options(function: F) -> F: ...

else:

    def takes_options(function: F) -> F:
        """Show the options among the parameters of a function that takes ``**options``, for help and completion."""
        own = inspect.signature(function, eval_str=False)
        own = own.replace(return_annotation=_Shown(own.return_annotation))
        kept = [
            p.replace(annotation=_Shown(p.annotation)) if p.annotation is not p.empty else p
            for p in own.parameters.values()
            if p.kind is not p.VAR_KEYWORD
        ]
        more = [one for one in _parameters() if one.name not in own.parameters]
        function.__signature__ = own.replace(parameters=[*kept, *more])
        _OWN[function.__qualname__] = [p.name for p in kept if p.kind is not p.POSITIONAL_ONLY]
        return function
