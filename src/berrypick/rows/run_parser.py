"""Rows of results, read into the columns of a run."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np

from berrypick.data.arrays import FloatArray
from berrypick.data.assemble import assemble, rising_topics
from berrypick.data.boxes import Boxes, Place
from berrypick.data.columns import unpacked
from berrypick.data.costs import OF_STEPS, TOPIC_COSTS
from berrypick.data.run import Order, Run
from berrypick.data.strings import is_text
from berrypick.files.problems import Problems
from berrypick.rows.column_plan import several_costs
from berrypick.rows.counted_places import DETAILS, UNIT
from berrypick.rows.entries import ENTRY_ID, ONE_LIST, NamedApart, named_apart, two_lists
from berrypick.rows.json_lines import positions
from berrypick.rows.loader_fields import PAGE_FIELDS
from berrypick.rows.row_lists import LISTED, OF_TOPIC, STRING
from berrypick.rows.row_parser import PAGES, ParsedRow, Part, RowParser
from berrypick.rows.stage_rows import NAME_ALL, ONLY_SOME
from berrypick.rows.step_details import StepDetails, checked

#: The key of a row among others with offsets whose place follows from its text.
WAITS = "_waits"
SEVERAL = "several runs are a table (CSV or Parquet) with a column run, or a file for each"


class RunParser(RowParser):
    """Reads the rows of a run, and makes the run of them."""

    def __init__(self, problems: Problems, one_stage: bool = False) -> None:
        super().__init__(problems)
        self.one_stage = one_stage  # rows are those of one stage of a pipeline
        # of the whole run
        self.tag = self.name = self.unit = ""
        self.first: ParsedRow | None = None  # the first row that was kept: others have what it has
        self.empty: list[ParsedRow] = []  # that say that nothing was found for their topic
        self.listed: set[str] = set()  # topics whose results come from lists
        self.others: dict[str, tuple[str, ...]] = {}  # names that documents may have instead
        # of every row
        self.topic: list[str] = []
        self.document: list[str] = []
        self.line: list[int] = []
        self.start: list[float] = []
        self.end: list[float] = []
        self.places: list[Place] = []
        self.score: list[float | None] = []
        self.rank: list[float | None] = []
        self.items: list[int] = []  # rows of several places are one item of the list
        # of some rows, by their number
        self.entry_ids: dict[int, Any] = {}
        self.row_ids: dict[int, Any] = {}
        self.quoted: dict[int, str] = {}
        self.once: dict[str, str] = {}  # a chunk is retrieved for many topics
        self.strings: list[int] = []  # strings of a list: names or texts
        self.pages: dict[int, Mapping[str, Any]] = {}
        self.details = StepDetails()
        self.of_topic: dict[int, Mapping[str, float]] = {}  # what entries say of their topics

    # --- what a row says ---

    def read_tag(self, row: ParsedRow) -> None:
        """Read the name of the run; the first one counts."""
        if not self.tag and isinstance(row.value["tag"], str):
            self.tag = row.value["tag"]

    def read_empty_list(self, row: ParsedRow) -> bool:
        """Read a row that says that the run returns nothing for its topic, on purpose."""
        value, row.topic = row.value, row.name("topic")
        if value["results"] != []:
            row.fail("results must be an empty list, or missing", "give every result a line of its own")
        elif any(value.get(name) is not None for name in ("doc", "start", "end", "score", "rank")):
            row.fail("has both a result and an empty list of results", "keep one of them")
        self._topic_costs(row)
        if row.good:
            self.empty.append(row)
        return True

    def read_document(self, row: ParsedRow) -> None:
        """Read the name of the document; without one, a text says which it is."""
        text = row.value.get("text") if row.value.get("doc") is None else None
        if not isinstance(text, str) or not text.strip():
            row.document = row.name("doc")

    def check_string(self, row: ParsedRow) -> None:
        """Refuse a blank string of a list."""
        if not row.document.strip():
            row.fail("a string of the list of results is blank", "remove it")

    def read_place(self, row: ParsedRow) -> None:
        """Read the place on a page."""
        row.place = row.page_place(empty_allowed=True)

    def read_span(self, row: ParsedRow) -> None:
        """Read start and end."""
        if row.place is None:
            row.span = row.offsets(empty_allowed=True)

    def read_waiting(self, row: ParsedRow) -> None:
        """Leave room for start and end that follow from the text."""
        if row.value[WAITS]:
            row.span = -1.0, -1.0

    def read_score(self, row: ParsedRow) -> None:
        """Read the score."""
        row.score = row.number_of("score")

    def read_rank(self, row: ParsedRow) -> None:
        """Read the rank."""
        row.rank = row.number_of("rank")

    def read_unit(self, row: ParsedRow) -> None:
        """Read what start and end count."""
        row.unit = str(row.value[UNIT])

    def read_run(self, row: ParsedRow) -> None:
        """Read the name of the run that the row belongs to."""
        row.run = "" if row.value["run"] is None else str(row.value["run"])

    # --- whether it fits the rows before ---

    def refuse_stage(self, row: ParsedRow) -> bool:
        """Refuse a stage after rows that name none."""
        if self.one_stage or row.value["stage"] is None:
            return False
        row.fail(ONLY_SOME, NAME_ALL)
        return True

    def check_kind(self, row: ParsedRow) -> bool:
        """Refuse a row with a place among rows without one, and the other way round."""
        if self.first is None:
            return False
        if (row.span is None) != (self.first.span is None):
            row.fail("only some lines have start and end", "give them for every line, or for none")
        elif (row.place is None) != (self.first.place is None):
            row.fail("only some lines have a page", "give it for every line, or for none")
        return not row.good

    def check_fields(self, row: ParsedRow) -> bool:
        """Refuse a row with another unit or another run, and a score or rank that only some rows have."""
        first = self.first
        if first is None:
            return False
        if row.unit != self.unit and row.span is not None:
            here, there = (f"count {one or 'characters'}" for one in (row.unit, self.unit))
            row.fail(f"offsets {here} here, and {there} in line {first.number}", "give the same fields in every line")
        in_list = self.listed or LISTED in row.value  # which orders its results without scores
        if (row.score is None) != (first.score is None) and not in_list:
            row.fail("only some lines have a score", "give score for every line, or for none")
        if (row.rank is None) != (first.rank is None):
            row.fail("only some lines have a rank", "give rank for every line, or for none")
        if row.run != self.name:
            row.fail(f"run {row.run or 'without a name'} after run {self.name or 'without a name'}", SEVERAL)
        return not row.good

    # --- keep it ---

    def keep(self, row: ParsedRow) -> None:
        """Keep what every row has."""
        if self.first is None:
            self.first = row
        self.name, self.unit = row.run, row.unit
        self.topic.append(row.topic)
        self.document.append(row.document)
        self.line.append(row.number)
        self.score.append(row.score)
        self.rank.append(row.rank)
        self.items.append(row.item)
        if row.span is not None:
            self.start.append(row.span[0])
            self.end.append(row.span[1])
        if row.place is not None:
            self.places.append(row.place)

    @property
    def last(self) -> int:
        """The number of the row that was kept last."""
        return len(self.line) - 1

    def keep_details(self, row: ParsedRow) -> None:
        """Keep costs, tool and session of a step."""
        self.details.add(row, self.last)

    def keep_of_topic(self, row: ParsedRow) -> None:
        """Keep what an entry says of its topic, once."""
        if row.topic != (self.topic[-2] if len(self.topic) > 1 else None):
            self.of_topic[self.last] = self._topic_costs(row)

    @staticmethod
    def _topic_costs(row: ParsedRow) -> dict[str, float]:
        """The costs of a topic that are numbers of 0 or more; others are reported."""
        given = row.value.get(OF_TOPIC) or {}
        found = {name: checked(row, name, value) for name, value in given.items()}
        return {name: value for name, value in found.items() if value is not None}

    def keep_ids(self, row: ParsedRow) -> None:
        """Keep the ids of an entry and of a row, one of which may be that of the topic."""
        for name, ids in ((ENTRY_ID, self.entry_ids), ("id", self.row_ids)):
            if (given := row.value.get(name)) is not None:
                ids[self.last] = given

    def keep_pages(self, row: ParsedRow) -> None:
        """Keep what loaders say of pages, once for a result of several places."""
        if self.items[-2:-1] != [row.item]:
            self.pages[self.last] = row.value[PAGE_FIELDS]

    def keep_listed(self, row: ParsedRow) -> None:
        """Keep that a list orders the results of the topic."""
        self.listed.add(row.topic)

    def keep_string(self, row: ParsedRow) -> None:
        """Keep that a result is a string of a list."""
        if row.value.get("text") is None:
            self.strings.append(self.last)

    def keep_text(self, row: ParsedRow) -> None:
        """Keep the text of a result."""
        if isinstance(text := row.value["text"], str) and text.strip():
            self.quoted[self.last] = self.once.setdefault(text, text)

    def keep_other_names(self, row: ParsedRow) -> None:
        """Keep other names that the document may have; where rows differ, there are none."""
        if (files := row.value["doc_else"]) is not None:
            self.others[row.document] = files if self.others.get(row.document, files) == files else ()

    parts = (
        Part.of(read_tag, "tag"),
        Part.of(read_empty_list, "results"),
        Part.of(RowParser.read_topic),
        Part.of(read_document),
        Part.of(check_string, STRING),
        Part.of(read_place, *PAGES),
        Part.of(read_span, "start", "end"),
        Part.of(read_waiting, WAITS),
        Part.of(read_score, "score"),
        Part.of(read_rank, "rank"),
        Part.of(read_unit, UNIT),
        Part.of(read_run, "run"),
        Part.of(refuse_stage, "stage"),
        Part.of(RowParser.is_bad),
        Part.of(check_kind),
        Part.of(check_fields),
        Part.of(keep),
        Part.of(keep_details, *DETAILS),
        Part.of(keep_of_topic, OF_TOPIC),
        Part.of(keep_ids, ENTRY_ID, "id"),
        Part.of(keep_pages, PAGE_FIELDS),
        Part.of(keep_listed, LISTED),
        Part.of(keep_string, STRING),
        Part.of(keep_text, "text"),
        Part.of(keep_other_names, "doc_else"),
    )

    # --- all rows ---

    def run(self, path: str) -> Run:
        """Make the run of all rows."""
        topic, none_found, named = self._topics()
        strings = self._settle_strings()
        costs, several = self._costs(topic, none_found, named)
        order, scores, ranks = self._order(topic)
        boxes = Boxes.of(self.places) if self.places else None
        start, end = (None, None) if boxes is None else boxes.extent()
        if self.start:
            start, end = positions(self.start), positions(self.end)
        unscored = self.score.count(None)
        run = assemble(
            tag=self.tag or self.name,
            topic=topic,
            document=self.document,
            start=start,
            end=end,
            boxes=boxes,
            score=scores,
            rank=ranks,
            line=np.arange(len(self.line)),  # several rows may stand in one line
            order="rank" if ranks is not None else "file" if order == "list" else order,
            source=path,
            format="span-run",
            duplicates="keep",
            notes=(*((missing_scores(unscored, len(self.line)),) if 0 < unscored < len(self.line) else ()), *several),
        ).changed(order=order, strings=strings, costs=costs)
        if order == "list" and ranks is not None and run.score is not None:
            run = run.changed(disordered=rising_topics(unpacked(run.score), run.bounds[:-1]))
        for name in run.topics:
            if name in none_found:
                none_found[name].fail(f"topic {name} has no results in one line, but other lines have some")
        run = run.with_empty(none_found).changed(missing="absent" if self.empty else "empty", asked=named.asked)
        return self._with_columns(run.changed(unread=("id",)) if named.unread else run, named)

    def _topics(self) -> tuple[list[str], dict[str, ParsedRow], NamedApart]:
        """The names of topics, those without results, and the questions of ids beside them."""
        many = len(self.topic)
        questions = [*self.topic, *(row.topic for row in self.empty)]
        entries = {**self.entry_ids, **{many + i: row.value.get(ENTRY_ID) for i, row in enumerate(self.empty)}}
        named = NamedApart(questions, {})
        if self.row_ids or any(one is not None for one in entries.values()):
            rows = range(len(questions))
            named = named_apart(questions, [*map(entries.get, rows)], [*map(self.row_ids.get, rows)])
        if named.repeated is not None:
            lines = [*self.line, *(row.number for row in self.empty)]
            first, second = sorted(lines[row] for row in named.repeated)
            what = two_lists(questions[named.repeated[1]], f"line {first}", f"line {second}")
            self.problems.report(what, second, remedy=ONE_LIST)
        none_found: dict[str, ParsedRow] = {}
        for name, row in zip(named.names[many:], self.empty, strict=True):
            none_found.setdefault(name, row)
        return named.names[:many], none_found, named

    def _costs(
        self, topic: list[str], none_found: Mapping[str, ParsedRow], named: NamedApart
    ) -> tuple[dict[str, dict[str, float]], list[str]]:
        """The costs of topics: what entries say of them, and in flat rows without steps the first value of each."""
        found: dict[str, dict[str, float]] = {}
        for row, own in self.of_topic.items():
            found.setdefault(topic[row], {}).update(own)
        for name, empty in none_found.items():
            if own := self._topic_costs(empty):
                found.setdefault(name, {}).update(own)
        steps = any(self.details.held(name) for name in OF_STEPS)
        if self.listed or steps or (self.first is not None and self.first.called("rank") == "step"):
            return found, []
        several: dict[str, set[str]] = {}
        for name in TOPIC_COSTS:
            for row, value in sorted(self.details.held(name).items()):
                for one in {topic[row], *(named.row_ids[row : row + 1])}:
                    if found.setdefault(one, {}).setdefault(name, value) != value:
                        several.setdefault(name, set()).add(topic[row])
        self.details.without(("latency", "cost"))  # tokens stay: CostAt counts them where a person asks for it
        return found, [several_costs(name, len(topics)) for name, topics in several.items()]

    def _settle_strings(self) -> bool:
        """Make names or texts of strings in lists, and say whether the truth may still decide otherwise.

        Beside other results they are what these are. Where all results are strings they are names, unless some look
        like text.
        """
        document, strings = self.document, self.strings
        alone = len(strings) == len(document)
        texts_beside = bool(self.quoted or self.start or self.places)
        if any(is_text(document[row]) for row in strings) if alone else texts_beside:
            for row in strings:
                self.quoted[row], document[row] = document[row], ""
        return alone and bool(strings)

    def _order(self, topic: list[str]) -> tuple[Order, FloatArray | None, FloatArray | None]:
        """What orders the results, and their scores and ranks, where all have them."""
        ranks = scores = None
        if self.rank and self.rank[0] is not None:
            ranks = np.array(self.rank, dtype=np.float64)
        if self.score and None not in self.score:
            scores = np.array(self.score, dtype=np.float64)
        if ranks is not None:
            return "rank", scores, ranks
        order: Order = "list" if self.listed else "file" if scores is None else "score"
        if order == "list" and len(self.listed) < len({*topic}):
            ranks = _ranks_of_some(topic, self.listed, self.score)
        elif self.places and len({*self.items}) < len(self.items):
            ranks = _ranks_of_items(topic, self.items, None if order == "list" else scores)
        return order, scores, ranks

    def _with_columns(self, run: Run, named: NamedApart) -> Run:
        """Add what only some rows have, in the order of the run."""
        rows = unpacked(run.line) if run.line is not None else np.arange(len(self.line))
        if run.ordering.order == "score" and len({*self.line}) < len(self.line):
            run = run.changed(given=rows)
        line, held = np.array(self.line, dtype=np.int64)[rows], self.details.columns(rows)
        run = run.changed(line=line, other_names=self.others, unit=self.unit, details=held)
        given = rows.tolist() if self.pages or self.quoted or named.row_ids else ()
        if self.pages:
            run = run.changed(page_fields={i: self.pages[row] for i, row in enumerate(given) if row in self.pages})
        if self.quoted:
            run = run.changed(quoted={i: self.quoted[row] for i, row in enumerate(given) if row in self.quoted})
        return run.changed(row_ids=[named.row_ids[row] for row in given] if named.row_ids else ())


def missing_scores(count: int, results: int) -> str:
    """Write the note on lists in which only some results have a score."""
    return f"{count} of {results} results have no score, so scores are ignored; lists keep their order"


def _ranks_of_some(topic: list[str], listed: AbstractSet[str], score: list[float | None]) -> FloatArray:
    """Rank rows where only some topics have lists: these as they stand, rows of the others by score."""
    key = [0.0 if name in listed or one is None else -one for name, one in zip(topic, score, strict=True)]
    ranks = np.empty(len(topic))
    ranks[np.argsort(key, kind="stable")] = np.arange(len(topic))
    return ranks


def _ranks_of_items(topic: list[str], items: list[int], score: FloatArray | None) -> FloatArray:
    """Rank rows from 1 where some items have several: by score, else as they come."""
    order = sorted(range(len(items)), key=lambda row: (0.0 if score is None else -float(score[row]), items[row]))
    known: dict[str, dict[int, int]] = {}
    for row in order:
        held = known.setdefault(topic[row], {})
        held.setdefault(items[row], len(held) + 1)
    return np.array([known[topic[row]][items[row]] for row in range(len(items))], dtype=np.float64)
