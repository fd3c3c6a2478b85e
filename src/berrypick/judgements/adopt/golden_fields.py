"""Which field of a golden file is the question, which the quote, and so on: guesses, with what speaks for them.

A guess is certain where the name is one of the table of fields and nothing else could be meant, or where every value
shows it: texts that stand in the documents, names of documents, names of chunks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from berrypick.data.errors import UsageError, nearest, option, shorten
from berrypick.data.words import counted, plain_title
from berrypick.judgements.adopt.golden_file import Golden, GoldenRow
from berrypick.judgements.adopt.golden_grades import grade_paths, open_paths, same_grades
from berrypick.rows.fields import LAST_QUOTES, QUESTIONS, TABLE, counts, ours_of, plain_name

#: What fields can be; each is one field, but for groups.
ROLES = ("question", "quote", "doc", "topic", "answerable", "grade", "start", "end", "chunk", "group")
#: Of these, what says where the answer is.
GOLD = ("quote", "chunk", "start")
#: Texts that a system has found: no gold.
RETRIEVED = frozenset({"retrieved_contexts", "retrieval_context", "retrieved_context", "retrieved_documents",
                       "retrieved_docs", "retrieved_chunks", "actual_output", "response", "retrieved_ids",
                       "retrieved_context_ids"})  # fmt: skip
#: Names of quotes beside those of the table.
_QUOTES = ("quote", "quotes", "reference_context", "reference_contexts", "ground_truth_context",
           "ground_truth_contexts", "ground_truth_documents", "gold_context", "gold_contexts", "golden_context",
           "golden_contexts", "expected_context", "expected_contexts", "gold_passage", "gold_passages",
           "supporting_text", "supporting_texts", "evidence", "evidences", "context", "contexts", "passage", "passages",
           "relevant_text", "relevant_texts", "source_text", "source_quote")  # fmt: skip
_ASKED = {"questions": "question", "queries": "query", "q": "question", "user_question": "question",
          "user_query": "query", "query_text": "query", "question_text": "question", "prompt": "input",
          "messages": "input"}  # fmt: skip
CHUNK_NAMES = ("relevant_chunk_ids", "relevant_doc_ids", "chunk_id", "chunk_ids", "relevant_chunks", "gold_chunk_ids",
           "gold_chunk_id", "expected_chunk_ids", "source_chunk_ids", "source_chunk_id", "relevant_docs",
           "relevant_ids", "expected_ids", "node_id", "node_ids", "relevant_context_ids",
           "reference_context_ids")  # fmt: skip
#: Names that say whether there is an answer, and whether true says so.
_ANSWERABLE = {"is_impossible": False, "impossible": False, "unanswerable": False, "is_unanswerable": False,
               "no_answer": False, "answerable": True, "is_answerable": True, "has_answer": True}  # fmt: skip
_TRUE, _FALSE = ("true", "yes", "1", "y"), ("false", "no", "0", "n")
_IDS = ("id", "_id", "uid", "example_id", "item_id", "test_id", "sample_id")
#: Rows that evidence is taken from.
_SAMPLE = 200
#: A longer value is no name of a group.
_LONGEST_GROUP = 80


@dataclass(frozen=True)
class Guess:
    """What a field is taken for: how many rows have it, an example, and why that is certain or not.

    Attributes
    ----------
    role
        What it is taken for: question, quote, doc, topic, answerable, grade, start, end, chunk or group.
    field
        Its name in the file; '' where there is none.
    rows
        The rows that have a value.
    of
        All rows.
    example
        A value.
    certain
        Whether nothing else could be meant.
    why
        What speaks for it, or against it.

    Examples
    --------
    >>> import berrypick as bp
    >>> golden = [{"question": "When?", "context": "Cut the old canes."}]
    >>> bp.adopt(golden, {"guide": "Cut the old canes."}).guesses[0]
    Guess(role='question', field='question', rows=1, of=1, example='When?', certain=True, why='')
    """

    role: str
    field: str
    rows: int
    of: int
    example: str = ""
    certain: bool = True
    why: str = ""

    def shown(self) -> str:
        """Show it in one line."""
        doubt = "" if self.certain else "uncertain"
        if not self.field:
            return f"{self.role}: {'; '.join(filter(None, (self.why or 'none', doubt)))}"
        said = "; ".join(filter(None, (f"{self.rows} of {self.of}", self.why, doubt)))
        return f"{self.role}: {self.field} ({said}){f', e.g. {self.example}' if self.example else ''}"


Evidence = Callable[[Sequence[str]], int]


@dataclass(frozen=True)
class Known:
    """What is known besides the file: whether texts are in the documents, whether names are documents or chunks."""

    in_documents: Evidence
    documents: Evidence
    chunks: Evidence | None = None


def last_name(path: str) -> str:
    """The plain form of what a field is called, without what it lies in."""
    return plain_name(path.rpartition(".")[2])


@dataclass(frozen=True, eq=False)
class FieldGuesser:
    """Looks at all rows of a golden file. ``chosen`` is what a person has said; '' says that there is none."""

    golden: Golden
    known: Known
    chosen: Mapping[str, str | tuple[str, ...]]

    @cached_property
    def paths(self) -> list[str]:
        """The fields of all rows."""
        return list(dict.fromkeys(name for row in self.golden.rows for name in row.fields))

    def values(self, path: str) -> list[Any]:
        """The values of a field, of the rows that have one."""
        return [row.fields[path] for row in self.golden.rows if row.fields.get(path) is not None]

    def _single(self, path: str) -> list[Any]:
        """The values of a field, those that are alone in their lists by themselves."""
        return [single(one) for one in self.values(path)]

    def texts(self, path: str) -> list[str]:
        """Its first texts, those in lists one by one."""
        found: list[str] = []
        for value in self.values(path)[:_SAMPLE]:
            held = value if isinstance(value, (list, tuple)) else [value]
            found += [str(one) for one in held if isinstance(one, (str, int)) and not isinstance(one, bool)]
        return found

    def guesses(self) -> list[Guess]:
        """All of them; what is not there has no guess, but for the question, the quote and the topic."""
        _check_chosen(self.chosen, self.paths, self.golden)
        question = self._question()
        chunk = self._chunk()
        quote = self._quote(question, bool(chunk))
        found = [question, *quote, *chunk]
        taken = [one.field for one in found]
        found += self._offsets(taken)
        found += self._doc([one.field for one in found])
        found += self._grade([one.field for one in found], next((one.field for one in found if one.role in GOLD), ""))
        found += self._answerable(
            [one.field for one in found], [one for one in found if one.role in GOLD and one.field]
        )
        topic = self._topic(question.field, [one.field for one in found])
        found.append(topic)
        return [*found, *self._groups([one.field for one in found], topic.field or question.field)]

    # --- one role after the other ---

    def _said(self, role: str) -> Guess | None:
        """What a person has said of a role."""
        if role not in self.chosen:
            return None
        path = self.chosen[role]
        assert isinstance(path, str)
        return (
            self._guess(role, path, why="as said") if path else Guess(role, "", 0, len(self.golden.rows), why="as said")
        )

    def _guess(self, role: str, path: str, certain: bool = True, why: str = "") -> Guess:
        values = self.values(path)
        first = next((one for one in values if one not in ([], "")), "")
        first = first[0] if isinstance(first, (list, tuple)) else first
        shown = repr(first) if isinstance(first, str) else str(first)
        return Guess(role, path, len(values), len(self.golden.rows), shorten(shown, 60), certain, why)

    def _free(self, taken: Iterable[str]) -> list[str]:
        said = {one for held in self.chosen.values() for one in ((held,) if isinstance(held, str) else held)}
        return [path for path in self.paths if path not in {*taken, *said, *self._ignored}]

    @cached_property
    def _ignored(self) -> set[str]:
        """Fields that a person says are not read."""
        return {path for role, held in self.chosen.items() if not held for path in _called(role, self.paths)}

    def _question(self) -> Guess:
        if said := self._said("question"):
            return said
        usual: dict[str, list[str]] = {}
        for path in self._free(()):
            name = last_name(path)
            if all(isinstance(one, str) for one in self.values(path)):
                usual.setdefault(_ASKED.get(name, name), []).append(path)
        found = [path for name in QUESTIONS for path in usual.get(name, ())]
        strong = [path for path in found if last_name(path) != "title"] or found
        if not strong:
            return self._likely_question()
        if len(strong) > 1:
            held = [row.fields for row in self.golden.rows]
            if any(one.get(strong[0]) != one[path] for one in held for path in strong[1:] if one.get(path) is not None):
                return self._guess("question", strong[0], False, f"could also be {', '.join(strong[1:4])}")
        usual_name = last_name(strong[0]) in QUESTIONS or last_name(strong[0]) in ("questions", "queries")
        return self._guess("question", strong[0], usual_name, "" if usual_name else "by its name")

    def _likely_question(self) -> Guess:
        """No name says it: texts of which most end in a question mark."""
        for path in self._free(()):
            texts = [one for one in self.values(path) if isinstance(one, str)]
            if texts and 2 * sum(one.rstrip().endswith(("?", "？", "؟")) for one in texts) > len(texts):
                return self._guess("question", path, False, "most of its texts end in a question mark")
        shown = ", ".join(self.paths[:12])
        raise self.golden.error(
            "found no field with questions",
            [f"it has {shown}", f"name it with {option('fields', 'question=NAME', flag='fields')}"],
        )

    def _chunk(self) -> list[Guess]:
        if said := self._said("chunk"):
            return [said] if said.field else []
        if self.chosen.get("quote"):
            return []
        if self.known.chunks is None:
            return []
        named = sorted(self._free(()), key=lambda path: last_name(path) not in CHUNK_NAMES)
        for path in named:
            texts = self.texts(path)
            known = self.known.chunks(texts) if texts else 0
            if known and (last_name(path) in CHUNK_NAMES or known == len(texts)):
                why = f"{known} of {len(texts)} names are those of chunks"
                return [self._guess("chunk", path, True, why)]
        return []

    def _quote(self, question: Guess, by_chunk: bool) -> list[Guess]:
        if said := self._said("quote"):
            return [said]
        if by_chunk:
            return []
        free = [path for path in self._free([question.field]) if self._holds_text(path) and not self._retrieved(path)]
        by_name = {name: [path for path in free if self._quote_name(path) == name] for name in _QUOTES}
        named = [path for name in _QUOTES for path in by_name[name]]
        texts = [path for path in free if path not in named and ours_of(last_name(path), "run") == "text"]
        answers = [path for path in free if last_name(path) in (*LAST_QUOTES, "reference_answer", "expected_output",
                                                                "ground_truth", "expected_answer")]  # fmt: skip
        for path in named:
            return [self._named_quote(path, [one for one in named if one != path])]
        return [self._placed_quote([*texts, *answers], [one for one in free if one not in {*texts, *answers}])]

    def _placed_quote(self, usual: Sequence[str], others: Sequence[str]) -> Guess:
        """Of fields not called a quote the one whose texts are in the documents most often; where several do,
        one with a usual name, else the one with the longest texts."""
        found: list[tuple[float, bool, int, str, int]] = []
        for path in (*usual, *others):
            held = self.texts(path)
            known = self.known.in_documents(held)
            if held and 2 * known > len(held) and not self._is_name(path):
                length = 0 if path in usual else sum(map(len, held))
                found.append((known / len(held), path in usual, length, path, known))
        if not found:
            return Guess("quote", "", 0, len(self.golden.rows))
        share, is_usual, _, path, known = max(found, key=lambda one: one[:3])  # of equal ones the first
        why = f"{known} of {len(self.texts(path))} texts are in the documents"
        return self._guess("quote", path, share == 1 and is_usual, why)

    def _named_quote(self, path: str, others: Sequence[str]) -> Guess:
        """``contexts`` beside answer and ground truth are what a system found, in older files of ragas."""
        names = {last_name(one) for one in self.paths}
        if (
            last_name(path) in ("context", "contexts")
            and "answer" in names
            and names & {"ground_truth", "ground_truths"}
        ):
            held = "what a system retrieved, beside answer and ground_truth"
            return self._guess("quote", path, False, f"may be {held}")
        rivals = [one for one in others if self.texts(one) != self.texts(path)]
        if rivals:
            return self._guess("quote", path, False, f"could also be {', '.join(rivals[:3])}")
        return self._guess("quote", path)

    def _quote_name(self, path: str) -> str:
        """What a text is called, or what it lies in: ``ground_truth_documents.content`` is a quote as well."""
        parts = [plain_name(part) for part in path.split(".")]
        if parts[-1] in _QUOTES:
            return parts[-1]
        outer = next((part for part in parts[:-1] if part in _QUOTES), "")
        return outer if outer and ours_of(parts[-1], "run") == "text" else ""

    def _holds_text(self, path: str) -> bool:
        return any(isinstance(one, str) and not one.strip().isdigit() for one in self.texts(path))

    def _is_name(self, path: str) -> bool:
        texts = self.texts(path)
        return ours_of(last_name(path), "truth") == "doc" and self.known.documents(texts) * 2 > len(texts)

    @staticmethod
    def _retrieved(path: str) -> bool:
        return any(plain_name(part) in RETRIEVED for part in path.split("."))

    def _offsets(self, taken: Sequence[str]) -> list[Guess]:
        """Offsets count only where start is there."""
        found = []
        for role in ("start", "end"):
            if said := self._said(role):
                found += [said] if said.field else []
                continue
            names = TABLE["truth"][role].usual
            free = [path for path in self._free(taken) if last_name(path) in names and self._holds_numbers(path)]
            found += [self._guess(role, path) for path in free[:1]]
        return found if any(one.role == "start" for one in found) else []

    def _holds_numbers(self, path: str) -> bool:
        held = [one for value in self.values(path) for one in (value if isinstance(value, list) else [value])]
        return bool(held) and all(number_of(one) is not None for one in held if one is not None)

    def _doc(self, taken: Sequence[str]) -> list[Guess]:
        if said := self._said("doc"):
            return [said] if said.field else []
        names = (*TABLE["truth"]["doc"].all, "sources", "documents", "files", "url")
        free = [path for path in self._free(taken) if last_name(path) in names and not self._retrieved(path)]
        known = {path: (self.known.documents(texts), len(texts)) for path in free if (texts := self.texts(path))}
        best = max(known, key=lambda path: known[path][0] / known[path][1], default=None)
        if best is None or not known[best][0]:
            other = [path for path in self._free([*taken, *free]) if self._all_documents(path)]
            if other:
                return [self._guess("doc", other[0], len(other) == 1, "all of them are names of documents")]
        if best is None:
            return []
        there, many = known[best]
        if not there:
            why = f"0 of {many} are names of documents: not used, searching all documents"
            return [replace(self._guess("doc", best, True, why), field="", rows=0)]
        return [self._guess("doc", best, True, f"{there} of {many} are names of documents")]

    def _all_documents(self, path: str) -> bool:
        if any(word in last_name(path) for word in ("chunk", "node")):  # ids that may begin with a document's name
            return False
        texts = self.texts(path)
        return bool(texts) and not self._retrieved(path) and self.known.documents(texts) == len(texts)

    def _grade(self, taken: Sequence[str], gold: str) -> list[Guess]:
        if said := self._said("grade"):
            return [said] if said.field else []
        empty = dict.fromkeys(path for row in self.golden.rows for path in sorted(row.empty) if path not in self.paths)
        free = [
            path for path in (*self._free(taken), *empty) if not self._retrieved(path) and path not in self._ignored
        ]
        if named := grade_paths(self.golden, free, gold):
            rivals = [path for path in named[1:] if not same_grades(self.golden, named[0], path)]
            why = f"could also be {', '.join(rivals[:3])}" if rivals else ""
            return [self._guess("grade", named[0], not rivals, why)]
        if asked := open_paths(self.golden, free, gold):
            why = f"may also be something else: {option('fields', f'{asked[0]}=')} ignores it"
            return [self._guess("grade", asked[0], False, why)]
        return []

    def _answerable(self, taken: Sequence[str], gold: Sequence[Guess]) -> list[Guess]:
        if said := self._said("answerable"):
            return [said] if said.field else []
        for path in self._free(taken):
            if last_name(path) in _ANSWERABLE and all(truth_of(one) is not None for one in self.values(path)):
                no = sum(not answerable(path, one) for one in self.values(path))
                return [self._guess("answerable", path, True, f"{counted(no, 'question')} without an answer")]
        paths = [one.field for one in gold]
        empty = sum(not has_gold(row.fields, paths) for row in self.golden.rows)
        if not empty or not paths:
            return []
        why = f"{counted(empty, 'row')} without a quote: treated as questions without an answer"
        return [Guess("answerable", paths[0], empty, len(self.golden.rows), "", False, why)]

    def _topic(self, question: str, taken: Sequence[str]) -> Guess:
        if said := self._said("topic"):
            return said
        names = (*TABLE["truth"]["topic"].usual, *_IDS)
        free = [path for path in self._free(taken) if last_name(path) in names and "." not in path]
        for path in sorted(free, key=lambda one: names.index(last_name(one))):
            asked: dict[str, set[Any]] = {}
            for row in self.golden.rows:
                asked.setdefault(str(row.fields.get(path)), set()).add(row.fields.get(question))
            if len(self.values(path)) == len(self.golden.rows) and all(len(held) == 1 for held in asked.values()):
                return self._guess("topic", path)
        why = "the number of the question in the file"
        return Guess("topic", "", len(self.golden.rows), len(self.golden.rows), "1", True, why)

    def _groups(self, taken: Sequence[str], topic: str) -> list[Guess]:
        """Fields that tell topics apart: each has one value in all rows of a topic."""
        if "group" in self.chosen:
            said = self.chosen["group"]
            groups = [path for path in ((said,) if isinstance(said, str) else said) if path]
            for path in groups:
                self._check_group(path, topic)
            return [self._guess("group", path, why="as said") for path in groups]
        found = []
        for path in self._free(taken):
            if self._differing(path, topic) is not None:
                continue
            values = self._single(path)
            different = {str(one) for one in values}
            plain = all(isinstance(one, (str, bool, int)) and len(str(one)) <= _LONGEST_GROUP for one in values)
            if (
                plain
                and 1 < len(different) <= max(2, len(values) // 2)
                and len(different) < len(values)
                and _free_name(path)
            ):
                found.append(self._guess("group", path, True, counted(len(different), "value")))
        return found

    def _differing(self, path: str, topic: str) -> GoldenRow | None:
        """The first row whose value is not that of the other rows of its topic; None if there is none."""
        known: dict[str, str] = {}
        for row in self.golden.rows:
            value, name = row.fields.get(path), plain_title(str(row.fields.get(topic)))
            if value is not None and known.setdefault(name, str(single(value))) != str(single(value)):
                return row
        return None

    def _check_group(self, path: str, topic: str) -> None:
        """Refuse a group that a person names and that a truth cannot have."""
        if ours_of(last_name(path), "truth") == "grade":
            what = f"{option('fields')}: a truth reads {group_name(path)} as a grade, not as a group; rename the field"
            raise UsageError(what)
        if (row := self._differing(path, topic)) is not None:
            what = f"{path} differs within a topic, so it cannot be a group"
            raise self.golden.error(what, "a group is the same in all rows of a topic", row.line)

    def unused(self, guesses: Sequence[Guess]) -> list[str]:
        """Fields that nothing is made of."""
        return [path for path in self.paths if path not in {one.field for one in guesses}]


def has_gold(row: Mapping[str, Any], paths: Sequence[str]) -> bool:
    """Whether a row has a quote, offsets or the name of a chunk."""
    return any(row.get(path) not in (None, [], ()) for path in paths)


def single(value: Any) -> Any:
    """A value that is alone in its list, by itself."""
    return value[0] if isinstance(value, (list, tuple)) and len(value) == 1 else value


def group_name(path: str) -> str:
    """What a group is called in the truth."""
    return path.rpartition(".")[2]


def _free_name(path: str) -> bool:
    """Whether a truth can have a field of this name: it means nothing else there."""
    name = last_name(path)
    return (
        not ours_of(name, "truth") and not counts(name) and name not in (*QUESTIONS, "tag", "answer", "results", "rank")
    )


def number_of(value: Any) -> float | None:
    """A number, also where a table has it as text."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return number if abs(number) <= 2**53 else None


def truth_of(value: Any) -> bool | None:
    """Yes or no, also where a table has it as text."""
    word = str(value).strip().lower()
    return True if word in _TRUE else False if word in _FALSE else None


def answerable(path: str, value: Any) -> bool:
    """Whether a value says that there is an answer."""
    said = truth_of(value)
    return said is None or said == _ANSWERABLE.get(last_name(path), True)


def _called(name: str, paths: Sequence[str]) -> list[str]:
    """Fields of a name, which may be their path."""
    return [path for path in paths if path == name] or [path for path in paths if last_name(path) == plain_name(name)]


def _check_chosen(chosen: Mapping[str, Any], paths: Sequence[str], golden: Golden) -> None:
    for role, held in chosen.items():
        if role not in ROLES and not held and _called(role, paths):
            continue  # a field to ignore
        if role not in ROLES:
            raise UsageError(f"{option('fields')}: {role} is not one of {', '.join(ROLES)}{nearest(role, list(ROLES))}")
        for path in (held,) if isinstance(held, str) else held:
            if path and path not in paths:
                shown = nearest(path, list(paths)) or f"; it has {', '.join(paths[:12])}"
                raise UsageError(f"{golden.source} has no field {path}{shown}")
