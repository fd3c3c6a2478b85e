"""Everything an evaluation depends on besides truth, run and measure, from what people type.

Truth and runs are made ready for it here: quotes found, offsets converted, paths placed, runs mended.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike, fspath
from pathlib import Path
from typing import Literal

import numpy as np

from berrypick import formats, users
from berrypick.asked import AnyMeasure, Asked, parse_measures
from berrypick.core.arrays import Positions
from berrypick.core.collection import Collection
from berrypick.core.errors import InputError, UsageError, nearest
from berrypick.core.navigation import LinkTable, Navigation, Sessions
from berrypick.core.run import Duplicates, Run
from berrypick.core.truth import Offsets, Truth
from berrypick.corpus.index import ARROW, is_index, read_index
from berrypick.corpus.locate import Quotes, located_run, located_truth, quotes_named, unlocated
from berrypick.corpus.objects import as_run
from berrypick.corpus.resolve import resolve_run, resolve_truth
from berrypick.corpus.texts import Texts, checked_run, checked_truth, offsets_named, read_texts
from berrypick.corpus.tokens import Tokenizer, line_of
from berrypick.formats._base import flows, open_raw, standing
from berrypick.measures._base import Measure
from berrypick.protocols import PROTOCOLS, Protocol, check_task, measures_of, protocol_named, task_named
from berrypick.protocols import repair as mend
from berrypick.relevance import idealism as ideal
from berrypick.users import UserModel, World

EffortName = Literal["rank", "chars", "tokens", "seconds"]
EFFORTS: tuple[EffortName, ...] = ("rank", "chars", "tokens", "seconds")


@dataclass(frozen=True, eq=False)
class Setting:
    """Everything an evaluation depends on besides truth, run and measure."""

    user: UserModel
    world: World
    units: int | None = None
    idealism: Mapping[float, float] | None = None
    effort: EffortName = "rank"
    topics: Literal["judged", "run"] = "judged"
    duplicates: Duplicates | None = None
    left_out: frozenset[str] = frozenset()
    protocol: Protocol = PROTOCOLS[""]
    task: str = ""
    repair: str = ""
    offsets: Offsets = "chars"
    quotes: Quotes = "exact"
    chunks: Mapping[str, tuple[Positions, Positions]] | None = None

    def read_by(self, measure: AnyMeasure) -> Setting:
        """With the user model that a measure names itself."""
        named = measure.user_model() if isinstance(measure, Measure) else None
        return self if named is None else replace(self, user=users.build(named))

    def asked(self, measures: str | Measure | Sequence[str | Measure]) -> list[Asked]:
        """Measures as the protocol defines them; where none are named, those of the task."""
        if not measures and (self.task or self.protocol.name):
            measures = measures_of(self.protocol, self.task)
        return parse_measures(measures, self.protocol.name)

    def prepared(self, truth: Truth) -> Setting:
        """Where no collection is given, the lengths that the truth has serve."""
        if self.world.collection is not None or not truth.lengths:
            return self
        return replace(self, world=replace(self.world, collection=Collection(truth.lengths, truth.source)))


def make_setting(
    *,
    user: str | UserModel | None = None,
    navigation: Navigation | str | PathLike[str] | None = None,
    collection: Collection | str | PathLike[str] | None = None,
    units: int | None = None,
    idealism: Mapping[float, float] | str | None = None,
    effort: EffortName = "rank",
    topics: Literal["judged", "run"] | None = None,
    duplicates: Duplicates | None = None,
    left_out: str | Sequence[str] = (),
    protocol: str | None = None,
    task: str | None = None,
    repair: str | None = None,
    documents: Texts | Mapping[str, str] | str | PathLike[str] | None = None,
    tokenizer: str | Tokenizer | None = None,
    offsets: Offsets | None = None,
    quotes: Quotes | None = None,
    chunks: Run | str | PathLike[str] | None = None,
) -> Setting:
    """The settings of :func:`berrypick.evaluate`, read and checked."""
    if isinstance(navigation, (str, PathLike)):
        navigation = formats.read_navigation(navigation)
    if isinstance(collection, (str, PathLike)):
        collection = read_collection(collection)
    if user is None:
        user = "classical" if navigation is None else _reader_of(navigation)
    model = users.build(user)
    if effort not in EFFORTS:
        raise UsageError(
            f"unknown effort {effort!r}{nearest(str(effort), list(EFFORTS)) or '; it is one of ' + ', '.join(EFFORTS)}"
        )
    campaign = protocol_named(protocol)
    topics = topics or campaign.topics  # type: ignore[assignment]
    if topics not in ("judged", "run"):
        raise UsageError(f"topics is 'judged' or 'run', not {topics!r}")
    if duplicates not in (None, "error", "first", "keep"):
        raise UsageError(f"duplicates is 'error', 'first' or 'keep', not {duplicates!r}")
    if units is not None and units < 1:
        raise UsageError(f"units is the number of retrievable units, not {units}")
    mapping = ideal.parse_idealism(idealism) if isinstance(idealism, str) else idealism
    names = frozenset(left_out.split(",") if isinstance(left_out, str) and left_out else left_out)
    texts = None if documents is None else read_texts(documents)
    _need_texts(texts, effort=effort, tokenizer=tokenizer, offsets=offsets_named(offsets))
    line = None if texts is None else line_of(texts, tokenizer)
    world = World(collection, navigation, texts, line, line if effort == "tokens" else None)
    return Setting(
        model, world, units, mapping, effort, topics, duplicates, names, campaign, task_named(task), repair or "",
        offsets_named(offsets), quotes_named(quotes), _chunks(chunks, texts, offsets_named(offsets)),
    )  # fmt: skip


def _need_texts(texts: Texts | None, effort: str, tokenizer: object, offsets: str) -> None:
    """Some options make no sense without the texts of the documents."""
    for needs, what in (
        (effort == "tokens", "--effort tokens counts tokens"),
        (tokenizer is not None, "--tokenizer says how to count tokens"),
        (offsets != "chars", f"--offsets {offsets} converts offsets"),
    ):
        if needs and texts is None:
            raise UsageError(f"{what} in the texts of the documents: give them with --documents")


def _chunks(
    given: Run | str | PathLike[str] | None, texts: Texts | None, offsets: Offsets
) -> Mapping[str, tuple[Positions, Positions]] | None:
    """Every chunk of a chunking once, by document."""
    if given is None:
        return None
    run = as_run(given)
    if run.start is None or run.end is None:
        raise UsageError("chunks have a start and an end; these are whole documents")
    run = run if texts is None else checked_run(run, texts, offsets)
    assert run.start is not None and run.end is not None
    found: dict[str, tuple[Positions, Positions]] = {}
    for code, document in enumerate(run.documents):
        rows = np.flatnonzero(run.document == code)
        spans = np.unique(np.stack([run.start[rows], run.end[rows]], axis=1), axis=0)
        found[document] = (spans[:, 0], spans[:, 1])
    return found


def _reader_of(navigation: Navigation) -> str:
    """The user model that a navigation file is for, when none is named."""
    if isinstance(navigation, LinkTable):
        return "hyperlink"
    return "markov" if isinstance(navigation, Sessions) else "table"


def read_collection(path: str | PathLike[str]) -> Collection:
    """A folder of XML documents, an index of one, or a file of document lengths."""
    if Path(path).is_dir():
        from berrypick.corpus.folder import read_folder

        return read_folder(path)
    name = fspath(path)
    if not flows(name):
        return read_index(name) if is_index(name) else formats.read_collection(name)
    with standing(name):
        with open_raw(name) as stream:
            if stream.read(len(ARROW)) == ARROW:
                raise InputError("is an index, which is read from a file and not from a pipe", path=name)
        return formats.read_collection(name)


def placed(truth: Truth, runs: Sequence[Run], setting: Setting) -> tuple[Truth, list[Run], Setting]:
    """Paths and points as offsets, where the collection has the documents' structure."""
    collection = setting.world.collection
    texts = setting.world.texts
    if texts is not None:
        counting = truth.offsets or setting.offsets
        truth = located_truth(checked_truth(truth, texts, counting), texts, setting.quotes, counting)
        if truth.units == "spans":
            truth = replace(truth, offsets="chars")
            runs = [located_run(run, texts, setting.quotes) for run in runs]
        runs = [checked_run(run, texts, setting.offsets) for run in runs]
        if collection is None:
            setting = replace(setting, world=replace(setting.world, collection=texts.collection))
    elif (waiting := unlocated(truth)) is not None:
        raise waiting
    elif truth.offsets not in (None, "chars"):
        raise UsageError(
            f"{truth.source or 'the truth'} says that its offsets count {truth.offsets}: "
            "give the texts of the documents, to convert them, with --documents"
        )
    if collection is not None and collection.structures:
        truth = resolve_truth(truth, collection)
        runs = [resolve_run(run, collection) for run in runs]
    mended = [mend(run, setting.repair) for run in runs]
    for run in mended:
        check_task(run, setting.task)
    return truth, mended, setting.prepared(truth)


def offsets_notes(truth: Truth, setting: Setting) -> list[str]:
    """Truth and runs may count offsets differently; which of them counts what is never left to guessing."""
    source = truth.source or "the truth"
    if truth.offsets is not None and truth.offsets != setting.offsets:
        return [f"{source}: offsets count {truth.offsets}, as it says; those of the runs count {setting.offsets}"]
    spans = any(topic.start is not None and len(topic.start) for topic in truth.topics.values())
    if truth.offsets is None and setting.offsets != "chars" and truth.units == "spans" and spans:
        return [f"{source}: does not say what its offsets count; they are taken to count {setting.offsets} too"]
    return []


def check_navigation(setting: Setting, asked: Sequence[Asked]) -> None:
    """A navigation file that no reader uses is a mistake."""
    navigation = setting.world.navigation
    readers = [setting.user, *(setting.read_by(one.measure).user for one in asked)]
    if navigation is not None and not any(uses(reader, navigation) for reader in readers):
        raise UsageError(f"user model {setting.user.name()} does not read {navigation.source or 'this navigation'}")


def uses(model: UserModel, navigation: Navigation) -> bool:
    inner = getattr(model, "inner", None)
    return bool(model.navigation) or (inner is not None and uses(inner(), navigation))
