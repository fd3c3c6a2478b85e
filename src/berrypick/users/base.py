"""What every user model is: a frozen value that says what a reader who consults a result ends up seeing.

A user model turns a ranking and the targets of a topic into a :class:`~berrypick.data.reach.Reach`, and says how much
text (or time) the reader goes through at each rank. It knows nothing of measures.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from berrypick.data.arrays import BoolArray, FloatArray, IntArray, Positions
from berrypick.data.collection import Collection, unknown_length
from berrypick.data.columns import Coded
from berrypick.data.errors import UsageError, option
from berrypick.data.laws import laws_problem
from berrypick.data.navigation import Navigation
from berrypick.data.observed import records, unrecorded
from berrypick.data.parameters import Parameterized, parameter
from berrypick.data.reach import Reach
from berrypick.data.run import Ranking
from berrypick.data.truth import Targets
from berrypick.kernels.index_ranges import expanded
from berrypick.users.walks import Readers as Readers
from berrypick.users.walks import Visit as Visit
from berrypick.users.walks import Visits, certain

if TYPE_CHECKING:
    from berrypick.documents.texts import Texts
    from berrypick.documents.token_offsets import TokenOffsets
    from berrypick.kernels.item_chain import Chances


@records(collection="lengths", navigation="navigation", tokens="tokenizer", effort_tokens="effort_tokens")
@dataclass(frozen=True, eq=False)
class ReaderContext:
    """What is known besides truth and run."""

    collection: Collection | None = None
    navigation: Navigation | None = None
    texts: Texts | None = None
    #: The texts counted in tokens.
    tokens: TokenOffsets | None = None
    #: The same, where effort is counted in tokens.
    effort_tokens: TokenOffsets | None = None
    #: What positions in the documents count, where known: chars, lines, seconds or pages.
    line_unit: str | None = None
    #: Texts that are only shown, where positions count lines.
    shown: Texts | None = None

    @property
    def single_documents(self) -> Collection | None:
        """The collection, for who asks about documents by name: these are the same in all collections."""
        found: Collection | None = unrecorded(self, "collection")
        return found

    def length(self, document: str, why: str) -> float:
        """How long a document is, in what effort is counted in."""
        if self.effort_tokens is not None:
            return self.effort_tokens.length(document)
        known = self.single_documents
        if known is None or document not in known.lengths:
            raise unknown_length(document, why, known)
        return known.lengths[document]


#: What user models may depend on.
MODELS_MAY_DEPEND_ON = ("lengths", "tokenizer", "navigation", "effort")

#: Parameters that change together, and values worth trying out.
Slider = tuple[tuple[str, ...], tuple[float, ...]]


def typed_name(class_name: str) -> str:
    """Return the name people type for a class: lower case, words joined by underscores."""
    return re.sub("(?<=[a-z])(?=[A-Z])", "_", class_name).lower()


@dataclass(frozen=True)
class UserModel(Parameterized, base=True):
    """Base class of user models: a subclass defines :meth:`reach`, and effort where it is not a length.

    Parameters
    ----------
    returns : bool, optional
        Whether the reader comes back to a document consulted at an earlier rank; True by default.

    Examples
    --------
    >>> import berrypick as bp
    >>> class Lucky(bp.UserModel):
    ...     "Every rank leads to every target."
    ...     def reach(self, ranking, targets, context):
    ...         return bp.Reach.of([[1.0] * len(targets)] * ranking.ranks)
    >>> bp.score("ExpectedRatio@1", {"q": {"a": 1, "b": 1}}, {"q": {"a": 1.0}}, user=Lucky())
    1.0
    """

    what: ClassVar[str] = "user model"
    #: Whether the reader looks for entry points instead of the relevant units.
    seeks_entry_points: ClassVar[bool] = False
    #: Kinds of navigation file that the model reads, and what to call them.
    navigation: ClassVar[tuple[type, ...]] = ()
    navigation_needed: ClassVar[str] = ""
    #: Laws of ``berrypick.data.laws.LAWS`` that values of its readers break, whatever the measure declares.
    breaks: ClassVar[tuple[str, ...]] = ()
    #: What reach and effort depend on besides parameters, ranking and targets: lengths, tokenizer, navigation, effort.
    #: () is nothing, None everything; what the model inside another one depends on need not be said.
    #: :func:`berrypick.testing.check_user_model` finds what is missing here.
    depends_on: ClassVar[tuple[str, ...] | None] = None
    #: Whether it reads places on pages too, with areas for lengths.
    reads_areas: ClassVar[bool] = False
    #: Whether every reader sees the same of a list: reach is 0 or 1.
    certain: ClassVar[bool] = False
    #: What berrypick fit estimates it from, 'sessions' or 'readings'; '' if it cannot, or if the model has its own fit.
    learnt_from: ClassVar[str] = ""
    #: What the slider of a report goes through.
    slider: ClassVar[Slider | None] = None

    returns: bool | None = parameter(
        None, "bool", "whether the reader returns to a document consulted at an earlier rank; True by default"
    )

    def dependencies(self) -> frozenset[str]:
        """Return what reach and effort depend on, also those of a model inside this one."""
        own = frozenset(MODELS_MAY_DEPEND_ON if self.depends_on is None else self.depends_on)
        inner: Callable[[], UserModel] | None = getattr(self, "inner", None)
        return own if inner is None else own | inner().dependencies()

    @property
    def browses(self) -> bool:
        """Whether the reader goes on from a result to targets outside of it, which costs effort of its own."""
        return True

    def resolved(self, context: ReaderContext) -> UserModel:
        """Return the model with the values of parameters that depend on the inputs."""
        return self

    @property
    def of_areas(self) -> bool:
        """Whether it reads places on pages too."""
        return self.reads_areas

    @property
    def reads_sizes(self) -> bool:
        """Whether reach to elements depends on how long they are, or where they lie."""
        return True

    @property
    def chances(self) -> Chances | None:
        """How readers go through the pointers of a list item, where it holds several that are considered in turn."""
        return None

    def items(self, ranking: Ranking, grouped: bool) -> Ranking:
        """Return the list as the reader takes it, each rank one item.

        ``grouped``: the run itself has ranks of several.
        """
        return ranking

    def item_notes(self, ranking: Ranking, items: Ranking) -> tuple[str, ...]:
        """Return notes on how results became list items."""
        return ()

    @classmethod
    def fit(cls, log: Any, **how: Any) -> Any:
        """Estimate the parameters from a log, as :func:`berrypick.fit` does.

        A model that is learnt in a way of its own defines this method, and ``berrypick fit NAME`` finds it.

        Parameters
        ----------
        log : str, path, list or data frame
            What was recorded.
        **how
            ``held_out``, ``seed``, ``confidence``, ``links``, ``collection``, ``progress``, and ``given``, the
            parameters in brackets. A method of its own names those that it takes.

        Returns
        -------
        Fit
            What was found. A method of its own returns the model with its parameters, or a Learnt.
        """
        from berrypick.analysis.fit.fit import fit

        return fit(cls, log, **how)

    @classmethod
    def can_be_learnt(cls) -> bool:
        """Return whether :meth:`fit` can estimate the model."""
        return bool(cls.learnt_from) or cls.has_own_fit()

    @classmethod
    def has_own_fit(cls) -> bool:
        """Return whether the model is learnt in a way of its own."""
        return cls.fit.__func__ is not UserModel.fit.__func__  # type: ignore[attr-defined]

    @classmethod
    @cache  # asked for each topic
    def name(cls) -> str:
        """Return the name people type: the class name in lower case, words joined by underscores."""
        return typed_name(cls.__name__)

    @classmethod
    def definition_problem(cls) -> str:
        if cls.reach is UserModel.reach:
            return "it has no method reach"
        if unknown := [name for name in cls.depends_on or () if name not in MODELS_MAY_DEPEND_ON]:
            return f"depends_on has {unknown[0]!r}; it is made of {', '.join(MODELS_MAY_DEPEND_ON)}"
        return laws_problem(cls.breaks).replace("laws is", "breaks is", 1) or super().definition_problem()

    def reach(self, ranking: Ranking, targets: Targets, context: ReaderContext) -> Reach:
        """Return what each rank leads to."""
        raise NotImplementedError(f"{type(self).__name__} has no method reach")

    def surely_reaches(self, start: Positions, end: Positions, low: Positions, high: Positions) -> BoolArray | None:
        """Say of results from start to end, each at a rank of its own, which surely lead to targets of their documents
        from low to high; no other rank matters then, and all others never do. None where it is not as simple."""
        return None

    def reach_alone(self, ranking: Ranking, targets: Targets, context: ReaderContext) -> Reach:
        """Return what each rank would lead to as the first of a list; differs only where earlier ranks matter."""
        return self.reach(ranking, targets, context)

    @classmethod
    def can_walk(cls) -> bool:
        """Return whether the model says where readers go, by its method walk."""
        return cls.walk is not UserModel.walk

    def no_walk(self) -> str:
        """Return why readers have no walk, though their reach is known; '' where they have, or might have, one.

        Simulated readers are then drawn from reach, each target for itself, and the sentence is shown beside them.
        """
        return ""

    def walk(self, ranking: Ranking, targets: Targets, context: ReaderContext, readers: Readers) -> Visits:
        """Return what simulated readers see as they go down the list: a :class:`Visit` for each pointer, by rank.

        ``ranking`` has the repeated results too; ``ranking.fresh()`` is without them. Readers do what they do from one
        moment to the next: what they see together, and what they see at one rank after another, follows from it. A
        reader who draws each entry of ``reach`` for itself is none. Who follows a pointer alone sees each target with
        the probability that :meth:`reach_alone` gives.
        """
        raise UsageError(f"user model {self.name()} cannot be simulated: it has no method walk")

    def other_units(self, targets: Targets, context: ReaderContext) -> tuple[str, ...]:
        """Units that lead to some target, in a fixed order: what an ideal list might hold besides the targets."""
        return ()

    def notes(self, ranking: Ranking, targets: Targets) -> tuple[str, ...]:
        """Return notes about this reader on this ranking."""
        return ()

    def regions(self, ranking: Ranking, context: ReaderContext) -> Ranking:
        """Return the text that the reader gets with each pointer, which is known as an interval: what is pointed to."""
        return ranking

    def effort(self, ranking: Ranking, targets: Targets, context: ReaderContext) -> FloatArray:
        """Return how much the reader goes through at each rank, in the unit of the documents' line."""
        return by_rank(ranking, pointer_lengths(ranking, context))

    def clicks(self, ranking: Ranking, targets: Targets, context: ReaderContext) -> FloatArray:
        """Return how many results the reader opens at each rank."""
        return by_rank(ranking, np.ones(len(ranking)))


def first_visits(ranking: Ranking) -> BoolArray:
    """The pointers into documents that no earlier rank points into."""
    first: dict[int, int] = {}
    for document, rank in zip(ranking.document.tolist(), ranking.rank.tolist(), strict=True):
        first.setdefault(document, rank)
    return ranking.rank == np.array([first[document] for document in ranking.document.tolist()], dtype=np.int64)


def pointer_lengths(ranking: Ranking, context: ReaderContext) -> FloatArray:
    """The length of what each pointer points to."""
    if ranking.start is not None and ranking.end is not None:
        if context.effort_tokens is None:
            return ranking.lengths("effort in length")
        return reading_cost(ranking, ranking.start, ranking.end, context)
    if ranking.size is not None:
        if np.isnan(ranking.size).any():
            row = int(np.flatnonzero(np.isnan(ranking.size))[0])
            raise UsageError(
                f"effort in length needs the length of {ranking.name(row)}, which the truth does not have: "
                f"give the documents with {option('collection')}"
            )
        return ranking.size
    names = [ranking.documents[code] for code in ranking.document.tolist()]
    return np.array([context.length(name, "effort in length") for name in names], dtype=np.float64)


def reading_cost(ranking: Ranking, start: Positions, end: Positions, context: ReaderContext) -> FloatArray:
    """What reading from start to end costs in the document of each pointer: characters (seconds), or tokens."""
    if context.effort_tokens is None:
        return (end - start).astype(np.float64)
    from berrypick.documents.tokens import token_costs

    return token_costs(context.effort_tokens, ranking, start, end)


def spread(ranking: Ranking) -> Ranking:
    """Every pointer at a rank of its own."""
    return replace(ranking, rank=np.arange(len(ranking), dtype=np.int64), ranks=len(ranking))


def by_rank(ranking: Ranking, values: FloatArray) -> FloatArray:
    """Values of pointers summed at each rank."""
    return np.bincount(ranking.rank, weights=values, minlength=ranking.ranks).astype(np.float64)


def shared(ranking: Ranking, targets: Targets) -> Iterator[tuple[IntArray, IntArray]]:
    """For each document that has both, the rows that point into it and the targets in it."""
    rows_by_document = ranking.rows_by_document
    for document, indices in targets.by_document().items():
        rows = rows_by_document.get(document)
        if rows is not None:
            yield rows, indices


def pairwise(ranking: Ranking, targets: Targets, probabilities: list[tuple[IntArray, IntArray, FloatArray]]) -> Reach:
    """Reach from blocks of (rows, targets, rows x targets probabilities)."""
    if not probabilities:
        return Reach.nothing(ranking.ranks, len(targets))
    row = np.concatenate([np.repeat(rows, len(indices)) for rows, indices, _ in probabilities])
    target = np.concatenate([np.tile(indices, len(rows)) for rows, indices, _ in probabilities])
    probability = np.concatenate([block.ravel() for _, _, block in probabilities])
    kept = probability > 0
    from berrypick.users.pairs import combined

    return combined(ranking, len(targets), row[kept], target[kept], probability[kept])


def whole_documents(ranking: Ranking, targets: Targets) -> bool:
    """Whether documents are judged and retrieved as wholes, and nothing smaller."""
    return (ranking.start is None and ranking.path is None) or (targets.start is None and targets.path is None)


def elements(ranking: Ranking, targets: Targets) -> bool:
    """Whether both are elements with paths, so that nesting can be read off the paths."""
    return ranking.path is not None and ranking.path_end is None and targets.path is not None


def need_places(model: UserModel, ranking: Ranking, targets: Targets) -> None:
    """Models that need offsets say so."""
    if ranking.start is None or targets.start is None:
        if ranking.path is None and targets.path is None:
            what = "needs places in documents, and truth and run have whole documents"
            raise UsageError(f"user model {model.name()} {what}: give spans (start and end), or use another user model")
        from berrypick.targets.targets import without_structure

        raise without_structure(f"user model {model.name()} needs the offsets of elements in their documents")


class ContextModel(UserModel):
    """A reader who gets ``regions`` instead of results, and sees a span if they cover at least a ``share`` of it."""

    certain: ClassVar[bool] = True

    if TYPE_CHECKING:
        share: float  # a parameter of every such model, each at its own place

    @property
    def browses(self) -> bool:
        return False

    def reach(self, ranking: Ranking, targets: Targets, context: ReaderContext) -> Reach:
        from berrypick.users.pairs import covering_reach, same_document  # not for measures without readers

        if whole_documents(ranking, targets):
            return same_document(ranking, targets)
        need_places(self, ranking, targets)
        return covering_reach(self.regions(ranking, context), targets, self.share)

    def effort(self, ranking: Ranking, targets: Targets, context: ReaderContext) -> FloatArray:
        if ranking.start is not None:
            ranking = self.regions(ranking, context)
        return by_rank(ranking, pointer_lengths(ranking, context))

    def walk(self, ranking: Ranking, targets: Targets, context: ReaderContext, readers: Readers) -> Visits:
        """Every reader reads all of the region that comes with a result."""
        return certain(self.reach(ranking.fresh(), targets, context), readers)


#: Numbers of sources and of targets, and the probability of getting from one to the other.
Leads = tuple[IntArray, IntArray, FloatArray]


@dataclass(frozen=True)
class NavigationModel(UserModel):
    """A reader who goes from unit to unit, units being known by their names."""

    depends_on: ClassVar[tuple[str, ...] | None] = ("navigation",)

    @property
    def reads_sizes(self) -> bool:
        return False

    def leads(self, sources: list[str], targets: list[str], context: ReaderContext) -> Leads:
        """P(source ~> target) where it is above 0."""
        raise NotImplementedError

    def units(self, context: ReaderContext) -> tuple[str, ...]:
        """All units that the reader may get to or come from."""
        return context.navigation.units if context.navigation is not None else ()

    def reach(self, ranking: Ranking, targets: Targets, context: ReaderContext) -> Reach:
        from berrypick.users.pairs import combined

        return combined(ranking, len(targets), *self.pairs(ranking, targets, context))

    def pairs(self, ranking: Ranking, targets: Targets, context: ReaderContext) -> Leads:
        """Rows of the ranking, targets, and the probability of getting from one to the other."""
        names = [ranking.name(row) for row in range(len(ranking))]
        source = Coded.of(names)
        number, target, probability = self.leads(list(source.names), targets.names(), context)
        order = np.argsort(source.codes, kind="stable")
        count = np.bincount(source.codes, minlength=len(source.names))
        first = np.cumsum(count) - count
        lead, place = expanded(first[number], (first + count)[number])  # a unit may be retrieved more than once
        return order[place], target[lead], probability[lead]

    def other_units(self, targets: Targets, context: ReaderContext) -> tuple[str, ...]:
        units = self.units(context)
        source, _, _ = self.leads(list(units), targets.names(), context)
        return tuple(units[i] for i in np.unique(source).tolist())


def themselves(sources: list[str], targets: list[str], known: Mapping[str, int]) -> Leads:
    """Return the leads of units that are not known: to themselves."""
    number = {name: i for i, name in enumerate(sources)}
    pairs = [(number[name], j) for j, name in enumerate(targets) if name in number and name not in known]
    source, target = (np.array([pair[i] for pair in pairs], dtype=np.int64) for i in (0, 1))
    return source, target, np.ones(len(pairs))


def wrong_navigation(model: UserModel, context: ReaderContext) -> UsageError:
    """Return the error of a model that lacks what it moves by, or is given something else."""
    needed = f"user model {model.name()} needs {model.navigation_needed}, given with {option('navigation')}"
    if context.navigation is None:
        return UsageError(needed)
    kind = {"ReachTable": "a table of probabilities", "LinkTable": "a table of links", "Sessions": "recorded sessions",
            "TransitionCounts": "counts of transitions"}  # fmt: skip
    return UsageError(f"{needed}; {context.navigation.source} holds {kind[type(context.navigation).__name__]}")
