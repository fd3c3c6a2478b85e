"""What judging a topic depends on besides the truth and the run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from berrypick.data.arrays import Positions
from berrypick.data.observed import records
from berrypick.data.run import Duplicates
from berrypick.users import UserModel
from berrypick.users.base import ReaderContext

if TYPE_CHECKING:
    from berrypick.targets.gains import Quantisation
    from berrypick.targets.idealism import Idealism


@records(user="user", idealism="idealism", effort="effort", units="units", chunks="chunks")
@dataclass(frozen=True, eq=False)
class JudgingContext:
    """Options of an evaluation with everything read and resolved: the user model as a value, files as their content."""

    user: UserModel
    reader: ReaderContext
    units: int | None = None  # retrievable units in all, where known
    idealism: Idealism | None = None
    quant: Quantisation | None = None  # how assessments become gains; None: as the truth suggests
    #: Ideal elements named by hand: by topic, document and path.
    ideal_elements: Mapping[str, frozenset[tuple[str, str]]] | None = None
    effort: str = "rank"  # what effort is counted in
    duplicates: Duplicates | None = None  # None: as the format of the run says
    ignore_elements: frozenset[str] = frozenset()  # names of ignored elements
    protocol: str = ""  # a campaign whose program's own rules apply
    rules: frozenset[str] = frozenset()  # where that program counts otherwise
    max_ranks: int | None = None  # ranks that count under the protocol
    task: str = ""
    unjudged: str = "irrelevant"  # what unjudged text of a run counts as, for measures of characters
    whole_documents: bool = False  # whether these are meant where parts are judged or retrieved
    chunks: Mapping[str, tuple[Positions, Positions]] | None = None  # starts and ends of all chunks, by document

    #: What all runs share: targets and recall bases, by what they are made of.
    prepared: dict[tuple[Any, ...], Any] = field(default_factory=dict, init=False, repr=False)

    def read_by(self, user: UserModel, reader: ReaderContext) -> JudgingContext:
        """The same, read by another user model of the same kind: what they look for is prepared once."""
        found = replace(self, user=user, reader=reader)
        if type(user) is type(self.user):
            object.__setattr__(found, "prepared", self.prepared)
        return found

    def __getstate__(self) -> dict[str, Any]:
        """Another process prepares what it needs."""
        return {**self.__dict__, "prepared": {}}
