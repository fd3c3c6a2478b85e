"""bp.adopt: a golden set, as whatever program wrote it, to a truth of spans."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from os import PathLike, fspath
from typing import Any

from berrypick import formats
from berrypick.data.adopting import several_contexts
from berrypick.data.errors import BerrypickError, InputError, Message, UsageError, option, shorten
from berrypick.data.truth import TopicTruth, Truth
from berrypick.data.words import counted, plain_title
from berrypick.documents.quotes import THRESHOLD, check_quotes
from berrypick.documents.texts import Texts, checksum, read_texts
from berrypick.files.files import atomic_writer
from berrypick.formats.base import Problems
from berrypick.judgements.adopt.golden_fields import (
    CHUNK_NAMES,
    GOLD,
    FieldGuesser,
    Guess,
    Known,
    answerable,
    group_name,
    has_gold,
    last_name,
    single,
)
from berrypick.judgements.adopt.golden_file import Golden, GoldenRow, read_chunks, read_golden
from berrypick.judgements.adopt.golden_grades import GoldenGrades
from berrypick.judgements.adopt.paragraphs import in_documents
from berrypick.judgements.adopt.placing import (
    PLACED,
    UNPLACED,
    AdoptedCase,
    Documents,
    Gold,
    Placer,
    gold_of_row,
    read_chunk_table,
)
from berrypick.judgements.adopt.workbook import is_workbook
from berrypick.judgements.locate_truth import TruthLocator
from berrypick.rows.chosen_fields import read_fields
from berrypick.rows.counted_places import LINES, SECONDS
from berrypick.rows.fields import PAGE_NAMES, counts, ours_of
from berrypick.rows.json_lines import write_lines
from berrypick.rows.truth_rows import truth_of_rows

#: How many contexts of a question answer it.
CONTEXTS = ("all", "any")
#: Cases that a message shows.
_SHOWN = 10
#: Formats that say themselves what their fields are.
_OWN = ("span-truth", "span-table-truth", "span-list-truth")


@dataclass(frozen=True, eq=False, repr=False)
class AdoptedTruth(Truth):
    """A truth made from a golden set, with the guesses and the quotes that were not found.

    Attributes
    ----------
    guesses
        The role that each field was given.
    cases
        Every quote, and how it was placed.
    problems
        Quotes that were not found.

    Examples
    --------
    >>> import berrypick as bp
    >>> golden = [{"question": "When?", "context": "old  canes"}]
    >>> [case.status for case in bp.adopt(golden, {"guide": "Cut the old canes."}).cases]
    ['normalised']
    """

    guesses: tuple[Guess, ...] = ()
    cases: tuple[AdoptedCase, ...] = ()

    @property
    def problems(self) -> tuple[AdoptedCase, ...]:
        """Quotes that were not found."""
        return tuple(case for case in self.cases if case.place is None)


class UncertainError(UsageError):
    """Guesses that a person has to settle."""


class UnplacedError(InputError):
    """Quotes that are not in the documents."""


def adopt(
    golden: Any,
    documents: Texts | Mapping[str, str] | str | PathLike[str],
    *,
    fields: Mapping[str, str | Sequence[str]] | str | None = None,
    chunks: Any = None,
    yes: bool = False,
    partial: bool = False,
    quotes: str = "fuzzy",
    threshold: float = THRESHOLD,
    report: str | PathLike[str] | None = None,
    contexts: str | None = None,
) -> AdoptedTruth:
    """Convert a golden set of any program to a truth of spans, with the texts of the documents.

    Parameters
    ----------
    golden : str, path, data frame, records or objects
        Questions with quotes, offsets or names of chunks: JSON, JSON Lines, CSV, Parquet, YAML; of ragas, DeepEval,
        LangSmith, Langfuse, LlamaIndex, Haystack, promptfoo or of your own.
    documents : Texts, mapping, str or path
        The texts: a folder, JSON Lines with doc and text, or a mapping.
    fields : mapping or str, optional
        Roles of fields that should not be guessed: ``{"question": "q", "quote": "ctx", "doc": "src"}``. Roles are
        question, quote, doc, topic, answerable, grade, start, end, chunk and group; an empty name says that there is
        none. ``{"score": ""}`` ignores the field score.
    chunks : str, path, mapping or records, optional
        The chunks whose ids the golden set names: id, and text or doc, start, end.
    yes : bool
        Accept uncertain guesses instead of raising an error.
    partial : bool
        Skip quotes that are not in the documents, instead of an error.
    quotes : {'fuzzy', 'normalised', 'exact'}
        The most lenient quote matching to allow; stricter rules are tried first.
    threshold : float
        The minimum similarity of fuzzy matches, in percent.
    report : str or path, optional
        A JSON Lines file to write, with the quotes that were not found.
    contexts : {'all', 'any'}, optional
        The contexts needed to answer a question, for measures such as Enough: ``any`` writes each context as a
        set of its own; ``all`` writes no sets, so all contexts are needed. By default all, with a note where a
        question has several.

    Returns
    -------
    AdoptedTruth
        A truth of spans in characters, with its questions, groups and the checksums of the documents; ``guesses`` and
        ``problems`` say what was assumed and what is missing.

    Examples
    --------
    >>> import berrypick as bp
    >>> golden = [{"user_input": "When?", "reference_contexts": ["Cut the old canes."]}]
    >>> truth = bp.adopt(golden, {"guide": "In autumn: Cut the old canes."})
    >>> truth.to_records()[0]
    {'topic': '1', 'doc': 'guide', 'start': 11, 'end': 29, 'grade': 1, 'offsets': 'chars', 'question': 'When?'}
    """
    adoption = Adoption(golden, documents, fields, chunks, quotes, threshold, contexts)
    if not yes and (doubtful := adoption.uncertain()):
        raise adoption.refusal(doubtful)
    return adoption.truth(partial, report)


class Adoption:
    """A golden set that is looked at first, and made a truth of afterwards."""

    def __init__(
        self,
        golden: Any,
        documents: Any,
        fields: Any,
        chunks: Any,
        quotes: str,
        threshold: float = THRESHOLD,
        contexts: str | None = None,
    ) -> None:
        rule, chosen = check_quotes(quotes), read_fields(fields)
        self.contexts = _check_contexts(contexts)
        self.texts = read_texts(documents)
        notes = [f"{self.texts.source}: {note}" for note in self.texts.notes]
        self.named = named_format(golden) if not (chosen or chunks is not None or is_workbook(golden)) else None
        self.rule, self.threshold = rule, threshold
        self.documents = Documents(self.texts)
        if self.named is not None:
            self.source, self.kind, self.guesses, self.unused = fspath(golden), self.named.name(), [], []
            self.notes: list[str] = notes
            return
        self.golden: Golden = read_golden(golden)
        self.source, self.kind, self.notes = self.golden.source, self.golden.kind, [*self.golden.notes, *notes]
        self.placer = Placer(self.documents, rule, threshold, self._chunks(chunks))
        held = self.placer.chunks
        of_chunks = (lambda names: sum(name in held for name in names)) if held else None
        guesser = FieldGuesser(self.golden, Known(self.placer.known, self.documents.known, of_chunks), chosen)
        self.guesses = guesser.guesses()
        self.documents.by_stem.clear()
        self.unused = [path for path in guesser.unused(self.guesses) if path not in _SETS]
        self._check_gold()

    def _chunks(self, chunks: Any) -> dict[str, Gold]:
        if chunks is not None:
            source = fspath(chunks) if isinstance(chunks, (str, PathLike)) else "the chunks"
            return read_chunk_table([*read_chunks(chunks)], source)
        if self.golden.chunks:
            return read_chunk_table([*enumerate(self.golden.chunks, 1)], self.source)
        return {}

    @property
    def fields(self) -> dict[str, str]:
        """Role to field, without groups."""
        return {one.role: one.field for one in self.guesses if one.field and one.role != "group"}

    def _check_gold(self) -> None:
        """A golden set without gold is refused; one of whole documents has to be meant."""
        if {*GOLD} & {*self.fields}:
            return
        if named := [path for path in self.unused if last_name(path) in CHUNK_NAMES]:
            raise self.golden.error(
                f"names relevant chunks ({named[0]}), but no chunks are given",
                f"give them with {option('chunks')}: id, and text or doc, start, end",
            )
        if elsewhere := [path for path in self.unused if _counts(path)]:
            unit = _counts(elsewhere[0])
            raise self.golden.error(f"{elsewhere[0]} is a position in {unit}, but there is no quote to find")
        if "doc" not in self.fields:
            shown = ", ".join(self.unused[:12])
            raise self.golden.error(
                "found neither a field with quotes nor one with documents",
                [f"it has {shown}", f"name one with {option('fields', 'quote=NAME')}"],
            )
        place = next(i for i, one in enumerate(self.guesses) if one.role == "quote")
        why = "no quotes: whole documents count as relevant"
        self.guesses[place] = replace(self.guesses[place], certain=False, why=why)

    def uncertain(self) -> list[Guess]:
        """Guesses that a person has to settle."""
        return [one for one in self.guesses if not one.certain]

    def refusal(self, doubtful: Sequence[Guess]) -> UncertainError:
        """The error where nobody settles them."""
        said = Message(
            f"{option('fields')} names fields, e.g. question=q,quote=ctx (an empty name for none); "
            f"{option('yes', True)} accepts the guesses"
        )
        shown = [one.shown() for one in doubtful]
        return UncertainError(
            f"{self.source}: {counted(len(doubtful), 'guess', 'guesses')} uncertain", *shown, said.template
        )

    def summary(self) -> list[str]:
        """What is read as what, line by line."""
        if self.named is not None:
            return [f"{self.source}: {self.kind}, which defines its own fields"]
        lines = [f"{self.source}: {counted(len(self.golden.rows), 'row')} of {self.kind}"]
        lines += [f"  {one.shown()}" for one in self.guesses]
        return [*lines, f"  not used: {', '.join(self.unused)}"] if self.unused else lines

    # --- the truth ---

    def truth(self, partial: bool = False, report: str | PathLike[str] | None = None) -> AdoptedTruth:
        """The truth; an error if something has no place, unless parts will do. The report is written in any case."""
        truth, cases = self._named_truth() if self.named is not None else self._guessed_truth()
        bad = [case for case in cases if case.place is None]
        if report is not None:
            with atomic_writer(fspath(report)) as out:
                write_lines((case.as_dict() for case in bad), out)
        if bad and not partial:
            raise self._unplaced(bad, len(cases))
        for case in bad:
            if case.gold.topic in truth and truth.topics[case.gold.topic].names_sets:
                what = (
                    f"topic {case.gold.topic} names sets or hops, which would look complete without the skipped parts"
                )
                raise InputError(what, path=self.source, line=case.gold.line, remedy=case.shown())
        if not truth.topics:
            raise InputError("no judgements are left", path=self.source)
        truth = self._with_contexts(truth)
        sums = {name: checksum(self.texts[name]) for topic in truth.topics.values() for name in topic.documents()}
        truth = truth.changed(checksums=sums, notes=(*self.notes, *self._notes(cases, truth)))
        held = {one.name: getattr(truth, one.name) for one in fields(Truth)}
        return AdoptedTruth(**held, guesses=tuple(self.guesses), cases=tuple(cases))

    def _with_contexts(self, truth: Truth) -> Truth:
        """Make each context of a question a set of its own, if ``contexts`` is any."""
        if self.contexts is None:
            return truth
        if named := next((name for name, topic in truth.topics.items() if topic.names_sets), ""):
            what = f"topic {named} names sets or hops, which already define what is enough"
            raise InputError(what, path=self.source, remedy=f"omit {option('contexts')}")
        if len(truth.annotators) > 1:
            what = f"has {len(truth.annotators)} annotators, whose contexts may differ"
            raise InputError(what, path=self.source, remedy=f"omit {option('contexts')}")
        if self.contexts == "all":
            return truth
        return replace(truth, topics={name: _each_a_set(topic) for name, topic in truth.topics.items()})

    def _unplaced(self, bad: Sequence[AdoptedCase], of: int) -> UnplacedError:
        shown = [case.shown() for case in bad[:_SHOWN]]
        more = [f"and {len(bad) - _SHOWN} more"] if len(bad) > _SHOWN else []
        remedy = Message(
            f"{option('partial', True)} skips them; {option('report')} writes them to a file, with candidates"
        )
        what = f"{len(bad)} of {of} quotes are not in the documents"
        return UnplacedError(what, path=self.source, remedy=[*shown, *more, remedy.template])

    def _guessed_truth(self) -> tuple[Truth, list[AdoptedCase]]:
        cases: list[AdoptedCase] = []
        records = [*self._records(cases)]
        problems = Problems(self.source)
        truth = truth_of_rows(((line, "", record) for line, record in records), problems, self.source)
        if truth.units == "spans":
            truth = replace(truth, offsets="chars")
        return truth.changed(skipped=dict(problems.counts)), cases

    def _records(self, cases: list[AdoptedCase]) -> Iterator[tuple[int, dict[str, Any]]]:
        """Lines of a truth, row by row."""
        held, groups = self.fields, [one.field for one in self.guesses if one.role == "group"]
        grades = GoldenGrades(self.golden, held.get("grade", ""))
        places: dict[str, str] = {}
        for row in self.golden.rows:
            asked = row.fields.get(held["question"])
            if not isinstance(asked, str) or not asked.strip():
                cases.append(AdoptedCase(Gold(row.line, "", ""), "no question", why="the row has no question"))
                continue
            topic = self._topic(row, asked, held, places)
            more = {"question": asked} | {
                group_name(path): single(row.fields[path]) for path in groups if row.fields.get(path) is not None
            }
            if not self._has_answer(row, held):
                yield row.line, {"topic": topic, "answer": None, **more}
                continue
            gold = gold_of_row(row, held, topic, asked, grades)
            if not gold:
                why = "the row has no quote"
                cases.append(AdoptedCase(Gold(row.line, topic, asked), "no quote", why=why))
            sets = self._sets(row, len(gold))
            for one, named in zip(gold, sets, strict=True):
                case = self.placer.place(one)
                cases.append(case)
                if case.place is None:
                    continue
                span = {} if case.status == "document" else {"start": case.place.start, "end": case.place.end}
                record = {"topic": topic, "doc": case.place.document, **span, "grade": one.grade, **named}
                yield row.line, {**record, **more}

    def _sets(self, row: GoldenRow, many: int) -> list[dict[str, Any]]:
        """The set and hop of each piece of gold of a row: those of the row, or an item of a list for each."""
        found: list[dict[str, Any]] = [{} for _ in range(many)]
        for kind in _SETS:
            value = row.fields.get(kind)
            each = list(value) if isinstance(value, (list, tuple)) and many > 1 else [value] * many
            if len(each) != many:
                what = f"{kind} is a list of {len(each)}, but there are {many} quotes"
                raise self.golden.error(what, f"give one {kind} for each", row.line)
            for one, name in zip(found, each, strict=True):
                if name is not None:
                    one[kind] = name
        return found

    @staticmethod
    def _topic(row: GoldenRow, asked: str, held: Mapping[str, str], places: dict[str, str]) -> str:
        if "topic" in held:
            return str(row.fields.get(held["topic"], ""))
        return places.setdefault(plain_title(asked), str(len(places) + 1))

    @staticmethod
    def _has_answer(row: GoldenRow, held: Mapping[str, str]) -> bool:
        path = held.get("answerable")
        if path is None:
            return True
        gold = [held[role] for role in GOLD if role in held]
        if path in gold:
            return has_gold(row.fields, gold)
        return answerable(path, row.fields.get(path))

    def _named_truth(self) -> tuple[Truth, list[AdoptedCase]]:
        """A file of a format of ours, its quotes located."""
        given = formats.read_truth(self.source)
        if given.units != "spans":
            raise InputError(f"{self.kind} judges {given.units}, which have no positions", path=self.source)
        given, carried = in_documents(given, self.texts)
        self.notes += carried
        counting = given.offsets or "chars"
        locator = TruthLocator(self.texts, self.rule, self.threshold, 0, counting, self.source)
        found = locator.located(given)
        asked = given.fields["question"].values if "question" in given.fields else {}
        cases = []
        for one in locator.cases:
            quote = one.quote
            gold = Gold(quote.line or 0, one.topic, asked.get(one.topic, ""), quote.text, quote.document)
            status = {"matches": "offsets", "found": "exact", "repaired": "moved"}.get(one.status, one.status)
            if one.status == "found" and one.place is not None:
                status = self._rule(quote.text, one.place)
            status = "missing" if status == "mismatch" else status
            cases.append(AdoptedCase(gold, status, one.place, one.why, one.candidates))
        topics = {
            name: topic
            for name, topic in found.topics.items()
            if len(topic) or topic.no_answer or topic.empty_documents or topic.judged_documents
        }
        return replace(found, topics=topics, texts={}), cases

    def _rule(self, quote: str, place: Any) -> str:
        if place.similarity < 100:
            return "fuzzy"
        return "exact" if self.texts[place.document][place.start : place.end] == quote else "normalised"

    def _notes(self, cases: Sequence[AdoptedCase], truth: Truth) -> Iterator[str]:
        counts = Counter(case.status for case in cases)
        placed = [f"{counts[one]} {_WORDS.get(one, one)}" for one in PLACED if counts[one]]
        unplaced = [f"{counts[one]} {one}" for one in UNPLACED if counts[one]]
        if placed:
            yield f"placed: {', '.join(placed)}"
        if unplaced:
            yield f"not placed: {', '.join(unplaced)}"
        if fuzzy := [case for case in cases if case.status == "fuzzy"]:
            least = min(fuzzy, key=lambda case: case.place.similarity if case.place else 100)
            similarity = least.place.similarity if least.place else 100
            yield f"the lowest similarity is {similarity:.1f}% ({least.gold.topic}: {shorten(least.gold.quote, 60)!r})"
        if self.named is None and self.placer.hops:
            yield f"{counted(self.placer.hops, 'mark')} <N-hop> before quotes removed"
        if stems := self.documents.by_stem:
            yield f"{counted(len(stems), 'document')} matched without ending or case ({next(iter(stems))})"
        if lost := len({case.gold.topic for case in cases} - {*truth.topics} - {""}):
            yield f"{counted(lost, 'topic')} skipped: no quote was found"
        several = sum(not topic.names_sets and int((topic.grade > 0).sum()) > 1 for topic in truth.topics.values())
        if several and self.contexts is None:
            yield several_contexts(several)


#: Fields of a golden file that are kept as they are: what is enough together.
_SETS = ("set", "hop")
_WORDS = {"offsets": "at their offsets", "moved": "moved to the quote", "document": "as whole documents"}


def _check_contexts(contexts: str | None) -> str | None:
    if contexts not in (None, *CONTEXTS):
        raise UsageError(f"unknown contexts {shorten(repr(contexts), 60)}; available: {', '.join(CONTEXTS)}")
    return contexts


def _each_a_set(topic: TopicTruth) -> TopicTruth:
    """Number the relevant units of a topic, each a set; a unit that is not relevant is in none."""
    relevant = topic.grade > 0
    numbers = relevant.cumsum().tolist()
    sets = tuple((str(number),) if one else () for number, one in zip(numbers, relevant.tolist(), strict=True))
    return replace(topic, sets=sets) if relevant.any() else topic


def named_format(golden: Any) -> Any:
    """The format of a file that says itself what its fields are, such as SQuAD; None for others."""
    if not isinstance(golden, (str, PathLike)):
        return None
    try:
        found = formats.sniff(fspath(golden), "truth")
    except BerrypickError:
        return None
    return found if found.name() not in _OWN else None


def _counts(path: str) -> str:
    """What a field counts that says where, but not in characters; '' for any other."""
    name = path.rpartition(".")[2]
    ours = ours_of(name, "truth")
    unit = "lines" if ours in LINES else "seconds" if ours in SECONDS else counts(name)
    return "pages" if ours in PAGE_NAMES else unit
