"""One topic judged: the one value that a measure sees.

Parts that cost something (reach, effort, document lengths) are computed when a measure first needs them and kept; a
part that the inputs cannot give raises an error that says what would help.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from berrypick.data.arrays import BoolArray, IntArray, Positions
from berrypick.data.collection import Collection
from berrypick.data.errors import NeedsError, UsageError, option
from berrypick.data.observed import part, record, records, unrecorded
from berrypick.data.reach import Reach
from berrypick.data.run import Ranking
from berrypick.data.truth import Highlighted, Targets, TopicTruth
from berrypick.data.words import material
from berrypick.documents.token_offsets import TokenOffsets
from berrypick.targets import idealism
from berrypick.targets.gains import Quantisation
from berrypick.targets.recall_base import RecallBase
from berrypick.targets.targets import ranking_as_spans, relevant_text, targets_as_spans
from berrypick.topics.bases import judged_base
from berrypick.topics.context import JudgingContext
from berrypick.users.base import first_visits, spread

if TYPE_CHECKING:
    from berrypick.topics.candidates import Candidates
    from berrypick.topics.effort import Effort


@records(targets="targets")
@dataclass(frozen=True, eq=False)
class JudgedTopic:
    """The targets of a topic, the ranking of a run, and what a reader of it sees: the one value that a measure sees.

    Attributes
    ----------
    topic
        The name of the topic.
    truth
        The judgements behind the targets.
    targets
        What a reader wants to see.
    ranking
        What the run returned.
    context
        What topics are judged with: user model, texts, lengths.
    answered
        False: the run has no results for the topic, and says nothing else of it.
    scale
        How elements are graded.
    ties
        Which column of the run shows ties: rank, score or none.
    has_entry_points
        Whether any topic of the truth has one.
    unplaced
        Why whole documents cannot stand for the results, which are texts in them; None if nothing keeps them from it.
    grouped
        Whether some rank of the run, in any topic, holds several pointers.
    extra
        What the run says of the topic beside its results, by name, where its format says more.
    missing
        What the topic counts as where the run does not mention it: ``empty`` or ``absent``; else ''.

    Examples
    --------
    >>> import berrypick as bp
    >>> judged = bp.judge({"q": {"a": 1}}, {"q": {"b": 2.0, "a": 1.0}}, "q")
    >>> isinstance(judged, bp.JudgedTopic), judged.ranking.names_by_rank()
    (True, ['b', 'a'])
    """

    topic: str
    truth: TopicTruth
    targets: Targets
    ranking: Ranking
    context: JudgingContext
    answered: bool = True
    scale: str = ""
    ties: str = "none"
    has_entry_points: bool = False
    unplaced: UsageError | None = None
    grouped: bool = False
    extra: Mapping[str, Any] = field(default_factory=dict)
    missing: Literal["", "empty", "absent"] = ""
    #: What was computed for one measure, and what was read for it, for the next.
    _parts: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        """Another process computes what it needs."""
        return {**self.__dict__, "_parts": {}}

    def __repr__(self) -> str:
        targets, ranks = len(self.targets), self.ranking.ranks
        state = f"{ranks} rank{'s' * (ranks != 1)}" if self.answered else "not answered"
        return f"JudgedTopic({self.topic!r}, {targets} target{'s' * (targets != 1)}, {state}, user={self.context.user})"

    @property
    def units(self) -> int | None:
        """The number of retrievable units, where known."""
        return self.context.units

    @property
    def protocol(self) -> str:
        """The campaign whose program's own rules apply, or ''."""
        return self.context.protocol

    @property
    def rules(self) -> frozenset[str]:
        """Where the protocol's program counts otherwise: names that measures ask for."""
        return self.context.rules

    @property
    def task(self) -> str:
        """The retrieval task, or ''."""
        return self.context.task

    @property
    def ignore_elements(self) -> frozenset[str]:
        """Names of ignored elements."""
        record("ignore_elements")
        return self.context.ignore_elements

    @part
    def judged_documents(self) -> frozenset[str]:
        """Every document that was judged for the topic."""
        return frozenset(self.truth.documents())

    @property
    def tokens(self) -> TokenOffsets | None:
        """The documents counted in tokens, where their texts are known."""
        return self.context.reader.tokens

    @property
    def effort_unit(self) -> str:
        """What effort is counted in: rank, chars, tokens or seconds."""
        return self.context.effort

    @property
    def material(self) -> str:
        """What results and targets are made of: text, time, or material where it is not known what positions count."""
        return material(self.context.reader.line_unit)

    @property
    def chunks(self) -> Mapping[str, tuple[Positions, Positions]] | None:
        """Starts and ends of all chunks of the collection, by document."""
        return self.context.chunks

    def recall_base(self, quant: Quantisation | None = None) -> RecallBase:
        """Return the judged elements that are worth anything, and which of them are ideal."""
        record("ignore_elements")
        return judged_base(self.truth, self.scale, self.context, quant)

    @part
    def items(self) -> Ranking:
        """The list as the reader takes it: each rank is one item, which some user models make of several results."""
        return self.context.user.items(self.ranking, self.grouped)

    @part
    def consulted(self) -> Ranking:
        """The pointers that the reader follows, repeated ones included."""
        items = self.items
        return items.rows(first_visits(items)) if self.context.user.returns is False else items

    @part
    def reach(self) -> Reach:
        """What each rank leads to."""
        consulted = self.consulted.fresh()
        if self.targets.boxes is not None and not self.context.user.of_areas:
            known = "classical, coverage, window, distance, fetch_browse and table do"
            raise UsageError(f"user model {self.context.user.name()} does not read places on pages; {known}")
        if not len(consulted):  # of ideal lists, which need no run: nothing that a user model could ask for
            return Reach.from_entries(consulted.ranks, len(self.targets), [], [], [])
        return self.context.user.reach(consulted, self.targets, self.context.reader)

    @part
    def sufficient(self) -> Any:
        """What is enough: the sets of targets that the truth names, or all targets."""
        from berrypick.topics.sufficient import Sufficient

        return Sufficient.of(self.truth, self.targets)

    @part
    def levels(self) -> tuple[tuple[float, BoolArray, Reach], ...]:
        """Satisfaction levels: the weight of each, which targets are ideal at it, and the reach to these."""
        return tuple(
            (weight, ideal, self.reach if ideal.all() else self.reach.columns(ideal))
            for weight, ideal in idealism.levels(self.targets.idealism)
        )

    @part
    def candidates(self) -> Candidates:
        """The units an ideal list may be made of."""
        from berrypick.topics.candidates import find_candidates

        return find_candidates(self.targets, self.context)

    @part
    def no_items(self) -> IntArray:
        """Where candidates are list items: the ranks, from 0, that lead anywhere and are none of them."""
        from berrypick.topics.candidates import no_items

        return no_items(self.candidates, self.consulted.fresh(), self.reach_of_pointers)

    @part
    def reach_of_pointers(self) -> Reach:
        """What each pointer of the list leads to by itself; repeated ones are left out."""
        pointers = spread(self.consulted.fresh())
        return self.context.user.reach_alone(pointers, self.targets, self.context.reader)

    @part
    def effort(self) -> Effort:
        """What consulting each rank and each target costs."""
        from berrypick.topics.measured_effort import measure_effort

        found: Effort = measure_effort(self.consulted, self.targets, self.reach, self.context)
        return found

    @property
    def collection(self) -> Collection:
        """Document lengths."""
        record("lengths")
        return self.single_documents

    @property
    def single_documents(self) -> Collection:
        """Document lengths, for who asks for some by name: these are the same in all collections."""
        found = self.context.reader.single_documents
        if found is None:
            raise NeedsError(f"needs document lengths: give document lengths with {option('collection')}")
        return found

    @part
    def ranking_spans(self) -> Ranking:
        """The ranking as intervals of the documents."""
        targets: Targets = unrecorded(self, "targets")  # a document without any may be of unknown length
        if self.unplaced is not None and len(targets) and len(self.ranking):
            raise self.unplaced
        return ranking_as_spans(self.ranking, set(targets.document), self.context.reader.single_documents)

    @part
    def read_regions(self) -> Ranking:
        """What the reader gets with each result, as intervals of the documents."""
        return self.context.user.regions(self.ranking_spans, self.context.reader)

    @part
    def relevant_spans(self) -> Highlighted:
        """Relevant text as spans."""
        return self.truth.relevant_text() or relevant_text(
            self.truth, self.targets, self.context.reader.single_documents
        )

    @part
    def spans(self) -> tuple[Ranking, Targets]:
        """Ranking and targets as intervals of the documents, whole documents included."""
        return self.ranking_spans, targets_as_spans(self.targets, self.context.reader.single_documents)

    def _repr_html_(self) -> str | None:
        """Targets, ranking and where they fall in the documents, for notebooks."""
        from berrypick.report.notebook.as_html import as_html

        return as_html(self)
