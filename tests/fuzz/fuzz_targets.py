"""What is fuzzed, and what must hold. A target makes inputs and checks them: a check that raises has found a defect.

Formats, measures and user models are taken from their registries, so what is added there is fuzzed too.
"""

from __future__ import annotations

import gzip
import io
import json
import math
import os
import random
import re
import warnings
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import mutators
from client_responses import RESPONSES
from format_samples import ORIGIN, flat, sample
from platform_traces import OF_SAMPLES, TRACES

import berrypick as bp
from berrypick import formats, measures, users
from berrypick.data import spec as specs
from berrypick.data.collection import Collection
from berrypick.data.navigation import LinkTable, ReachTable, Sessions
from berrypick.data.run import Ranking, Run
from berrypick.data.truth import Truth
from berrypick.evaluation.options import options
from berrypick.files import scan as _scan
from berrypick.formats import Format, Problems
from berrypick.targets.idealism import parse_idealism

#: Kernels whose results may differ in the last digits, because sums are rounded in another order.
TOLERANCE = 1e-9


#: Shapes of files that are read by shape, beside the sample in the docstring of their format.
SHAPES: dict[str, list[Any]] = {
    "search-hits": [{"q1": one} for one in RESPONSES.values()],
    "client-results": [{"topic": "q1", "response": one} for one in RESPONSES.values()],
    "traces": [one for name, one in TRACES.items() if not name.startswith(OF_SAMPLES)],
    "samples": [one for name, one in TRACES.items() if name.startswith(OF_SAMPLES)],
    "nuggets": [{"qid": 1, "nuggets": [{"text": "a", "importance": "vital"}, {"text": "a", "importance": "failed"}]}],
    "qvhighlights": [{"qid": 1, "vid": "v", "duration": 7, "relevant_windows": [[0, 4]], "relevant_clip_ids": [0, 2],
                      "saliency_scores": [[4, 2, 0], [3, 3, 1]]}],
    "qvhighlights-run": [{"qid": 1, "vid": "v", "pred_relevant_windows": [], "pred_saliency_scores": [0.5, -1, 2]}],
    "ragtime-reports": [{"metadata": {"topic_id": "1"}, "responses": [{"text": "x", "citations": {"a": 0.5}}]}],
    "trec-rag-answers": [{"metadata": {"narrative_id": 1}, "references": ["a"], "answer": [{"citations": ["a", 1]}]}],
    "tvr-run": [{"video2idx": {"a": 0}, "SVMR": [{"desc_id": 1, "predictions": []}], "VCMR": [
                    {"desc_id": 1, "predictions": [[0, 3, 1, 0.5], [0, 1, 3, 0.5]]}], "VR": []}],
}  # fmt: skip


class Target(ABC):
    """Something to fuzz. An input is bytes, so that it can be kept in a file."""

    name: str
    #: How many inputs of a thousand it gets.
    share: int

    @abstractmethod
    def make(self, chance: random.Random) -> bytes:
        """An input."""

    @abstractmethod
    def check(self, data: bytes, folder: Path) -> None:
        """Raise if something does not hold; an error of berrypick is an answer."""


@contextmanager
def kernels(name: str) -> Iterator[None]:
    before = os.environ.get("BERRYPICK_KERNELS")
    os.environ["BERRYPICK_KERNELS"] = name
    try:
        yield
    finally:
        if before is None:
            del os.environ["BERRYPICK_KERNELS"]
        else:
            os.environ["BERRYPICK_KERNELS"] = before


def holds(condition: object, what: str) -> None:
    if not condition:
        raise AssertionError(what)


# --- formats ----------------------------------------------------------------------------------------------------------


class OneFormat(Target):
    """Files of one format: read, read to the end, by both readers, packed, written and read again."""

    share = 0  # set for all formats together

    def __init__(self, cls: type[Format]) -> None:
        self.cls, self.name = cls, f"format-{cls.name()}"

    @cached_property
    def seeds(self) -> list[str]:
        """The sample, and what other formats' samples of the same kind become in this one."""
        found = [sample(self.cls), *map(json.dumps, SHAPES.get(self.cls.name(), ()))]
        for other in formats.registered().values():
            value = _sample_value(other)
            if other is not self.cls and other.role == self.cls.role and not self.cls.accepts(value):
                out = io.StringIO()
                self.cls.write(value, out)
                found.append(out.getvalue())
        return found

    def make(self, chance: random.Random) -> bytes:
        if self._has_parquet and chance.random() < 0.15:
            return mutators.odd_parquet(chance, _columns(sample(self.cls)))
        return mutators.mutated(chance, chance.choice(self.seeds))

    @cached_property
    def _header(self) -> float:
        """How many lines of the sample name columns."""
        return max(0, (_content_lines(sample(self.cls).encode()) or 0) - _rows(_sample_value(self.cls)))

    @cached_property
    def _has_parquet(self) -> bool:
        return self.cls.write_parquet.__func__ is not Format.write_parquet.__func__  # type: ignore[attr-defined]

    def check(self, data: bytes, folder: Path) -> None:
        path = folder / "file"
        path.write_bytes(data)
        with suppress(bp.BerrypickError):
            formats.read_any(path, self.cls.role)
        read = self._read(path)
        self._check_told(read, data)
        with kernels("numpy"):
            self._same(read, self._read(path), "the compiled reader and the reader of lines")
        turn = zlib.crc32(data) % 4  # each of these for some inputs only, the same ones each time
        if turn == 0:
            block, _scan.BLOCK = _scan.BLOCK, 16
            try:
                self._same(read, self._read(path), "short and long blocks")
            finally:
                _scan.BLOCK = block
        if turn == 1 and not data.startswith((b"\x1f\x8b", b"PAR1")):
            path.write_bytes(gzip.compress(data, 1))
            self._same(read, self._read(path), "packed and plain")
        if isinstance(read, tuple) and not read[1].found:
            self._check_written(read[0], folder)

    def _read(self, path: Path) -> tuple[Any, Problems] | str:
        """The value with what the reader reported, or the message of the error."""
        problems = Problems(str(path), strict=False)
        try:
            return self.cls.read(str(path), problems), problems
        except bp.BerrypickError as error:
            return str(error)

    def _same(self, one: tuple[Any, Problems] | str, other: tuple[Any, Problems] | str, what: str) -> None:
        shown = [
            found if isinstance(found, str)
            else [flat(found[0], ()), found[1].counts, [str(problem) for problem in found[1].found]]
            for found in (one, other)
        ]  # fmt: skip
        holds(shown[0] == shown[1], f"{what} differ:\n{str(shown[0])[:600]}\n{str(shown[1])[:600]}")

    def _check_told(self, read: tuple[Any, Problems] | str, data: bytes) -> None:
        if isinstance(read, str):
            return
        value, problems = read
        holds(all(isinstance(fact, str) for fact in self.cls.describe(value)), "describe gives texts")
        strict = Problems(problems.path)
        try:
            self.cls.read(strict.path, strict)
        except bp.BerrypickError as error:
            holds(problems.found, f"only strict reading reports {error}")
            holds(str(problems.found[0]) == str(error), f"strict: {error}\nelse: {problems.found[0]}")
        else:
            holds(not problems.found, f"strict reading reports nothing of {problems.found[:1]}")
        lines = _content_lines(data)
        if (
            lines is not None
            and self._header <= 1  # else a row takes several lines
            and self.cls.role != "collection"
            and mutators.style(sample(self.cls)) in ("words", "tabs")
        ):
            told = len(problems.found) + sum(problems.counts.values()) + self._header
            holds(_rows(value) + told >= lines, f"{lines} lines, {_rows(value)} rows, {told} told")

    def _check_written(self, value: Any, folder: Path) -> None:
        if self.cls.accepts(value):
            return
        again, third = folder / "again", folder / "third"
        try:
            formats.write(value, again, self.cls)
        except bp.InputError as error:
            holds("surrogate" in str(error), f"written: {error}")
            return
        read = self.cls.read(str(again), Problems(str(again)))
        holds(
            _said(read, value) == _said(value, value), f"read again\n{_said(value, value)}\n{_said(read, value)}"[:2000]
        )
        formats.write(read, third, self.cls)
        lines = [sorted(path.read_bytes().splitlines()) for path in (again, third)]
        holds(lines[0] == lines[1], "what is written twice is the same, but for the order of topics")


@cache
def _sample_value(cls: type[Format]) -> Any:
    return _read(cls, sample(cls))


def _read(cls: type[Format], text: str) -> Any:
    path = Path(os.environ.get("TMPDIR", "/tmp")) / f"berrypick-sample-{os.getpid()}"
    path.write_text(text)
    try:
        return cls.read(str(path), Problems(str(path)))
    finally:
        path.unlink()


def _columns(text: str) -> dict[str, list[Any]]:
    header, *rows = [line.split(",") for line in text.strip().split("\n")]
    cells = [[float(cell) if re.fullmatch(r"[\d.]+", cell) else cell for cell in row] for row in rows]
    return {
        name: [str(row[i]) if name in ("topic", "doc") else row[i] for row in cells] for i, name in enumerate(header)
    }


def _content_lines(data: bytes) -> int | None:
    """How many lines say something, if these are lines of text."""
    if data.startswith((b"\x1f\x8b", b"PAR1")) or b"\0" in data:
        return None
    try:
        text = data.removeprefix(b"\xef\xbb\xbf").decode()
    except UnicodeDecodeError:
        return None
    return sum(1 for line in text.split("\n") if line.strip() and not line.strip().startswith("#"))


def _rows(value: Any) -> float:
    """How many lines a value can stand for."""
    if isinstance(value, Run):
        return value.size()
    if isinstance(value, Truth):
        return sum(max(len(topic), 0) + len(topic.empty_documents) for topic in value.topics.values())
    if isinstance(value, (ReachTable, LinkTable)):
        return len(value.rows)
    if isinstance(value, Sessions):
        return len(value.paths)
    return math.inf


def _said(value: Any, original: Any) -> Any:
    """What a file says of a value: in any order of topics, without what was skipped, and scores if it has any."""
    if isinstance(value, Truth):
        topics = [[sorted({str(flat(one)) for one in topic.quotes}), topic] for topic in value.topics.values()]
        return value.units, sorted(value.lengths.items()), flat(topics, (*ORIGIN, "quotes"))
    if not isinstance(value, Run):
        return flat(value, (*ORIGIN, "skipped"))
    hidden = ORIGIN if original.score is not None else (*ORIGIN, "score")
    rows = {
        topic: [
            (_place(ranking, row), ranking.rank[row], repr(ranking.score[row]) if "score" not in hidden else None)
            for row in range(len(ranking))
        ]
        for topic, ranking in value.rankings()
    }
    return value.ordering.task, value.tag if rows else "", rows


def _place(ranking: Ranking, row: int) -> str:
    """What a result points to; passages that could not be located lie before their document, in the order of lines."""
    if ranking.start is not None and ranking.start[row] < 0:
        return f"{ranking.documents[int(ranking.document[row])]}, not located"
    return ranking.name(row)


# --- specifications ---------------------------------------------------------------------------------------------------


class Specifications(Target):
    """Texts for measures, user models and idealism."""

    name, share = "specifications", 100

    @cached_property
    def seeds(self) -> list[str]:
        found = [
            "AP",
            "nDCG@10",
            "P(rel=2)@5",
            "nDCG(dcg='exp-log2')@20",
            "SetF(beta=2)",
            "Judged@10",
            "1=.5,2=1",
            "gain",
        ]
        for name, cls in measures.registered().items():
            found += [name, f"{name}@10", f"{name}@0.5", *_with_parameters(name, cls)]
        for name, user in users.registry.all().items():
            found += [name, *_with_parameters(name, user)]
        return found

    def make(self, chance: random.Random) -> bytes:
        text = chance.choice(self.seeds)
        for _ in range(1 + int(chance.expovariate(0.5))):
            text = self._changed(chance, text)
        return text[:200_000].encode("utf-8", "surrogatepass")

    def _changed(self, chance: random.Random, text: str) -> str:
        what = chance.randrange(7)
        if what == 0:
            return text + chance.choice(["@", "@10", "@0.5", "@-1", "@1e9", "@nan", "()", "(", ")", ",", " ", "'"])
        if what == 1:
            return text + chance.choice([" ", ",", ""]) + chance.choice(self.seeds)
        if what == 2:
            values = re.findall(r"=[^,()@]+", text)
            if values:
                return text.replace(chance.choice(values), f"={self._value(chance)}", 1)
        if what == 3:
            return text.replace(
                "(", f"({chance.choice(['user', 'at', 'self', 'x', 'r', 'rank'])}={self._value(chance)},", 1
            )
        if what == 4 and chance.random() < 0.05:
            return chance.choice(["(", "[", "-", "f(a="]) * chance.choice([50, 2000, 30000])
        at = chance.randrange(len(text) + 1)
        return text[:at] + chance.choice([*mutators.ODD, "(", ")", "=", "@", "'"]) + text[at + chance.randrange(3) :]

    def _value(self, chance: random.Random) -> str:
        odd = chance.choice(mutators.ODD)
        return chance.choice([odd, f"'{odd}'", f"[{odd}]", "True", "None", "-1", "1e400", "1j", "b'x'", "1+1", "f()"])

    def check(self, data: bytes, folder: Path) -> None:
        text = data.decode("utf-8", "surrogatepass")
        for parse in (measures.parse_measure, users.build, parse_idealism, specs.split, specs.normalise):
            try:
                found: Any = parse(text)
            except bp.BerrypickError as error:
                holds(str(error), "a message")
                continue
            if parse is measures.parse_measure and isinstance(found, measures.Measure):
                holds(measures.parse_measure(str(found)) == found, f"{found} is not read as {found!r}")
                shown = found.canonical()
                holds(measures.parse_measure(shown).canonical() == shown, f"{shown} is not {found!r}")
            if parse is users.build:
                holds(str(users.build(str(found))) == str(found), f"{found} is not read back")


def _with_parameters(name: str, cls: Any) -> list[str]:
    """The measure or user model with each of its parameters at its default."""
    made = []
    for key, value in getattr(cls, "parameter_defaults", dict)().items() if hasattr(cls, "parameter_defaults") else ():
        made.append(f"{name}({key}={value!r})")
    with suppress(bp.BerrypickError, TypeError):
        made.append(cls().canonical() if hasattr(cls, "canonical") else str(cls()))
    return made


# --- evaluations ------------------------------------------------------------------------------------------------------


#: Texts of the documents in samples, and the formats whose quotes have to be found in them.
DOCUMENTS = {"guide.md": "g" * 400, "faq.md": "é" * 300, "garden": "This is a raspberry.",
             "canes": "Cut old canes. Pick dry."}  # fmt: skip
#: Formats that have texts in place of places.
WITH_TEXTS = ("chunking-evaluation", "samples")


class Evaluations(Target):
    """Whole evaluations of damaged files: values within bounds, the same by both forms of the kernels."""

    name, share = "evaluations", 100

    @cached_property
    def pairs(self) -> list[tuple[str, str]]:
        """Names of formats of truths and runs whose samples go together."""
        found = []
        known = formats.registered().values()
        for truth in (one for one in known if one.role == "truth"):
            for run in (one for one in known if one.role == "run"):
                with suppress(bp.BerrypickError), warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # samples that share no document
                    given = _sample_value(truth), _read(run, self.texts((truth.name(), run.name()))[1])
                    bp.evaluate(*given, "EPRUM", **self._texts_option((truth.name(), run.name())))
                    found.append((truth.name(), run.name()))
        assert len(found) > 5
        return found

    @staticmethod
    def texts(pair: tuple[str, str]) -> list[str]:
        """The samples, the run's with the topics of the truth."""
        truth, run = (formats.by_name(name) for name in pair)
        (ours, *_), (theirs, *_) = _sample_value(truth).topics, _sample_value(run).topics
        return [sample(truth), re.sub(rf"(?<![\w.]){re.escape(theirs)}(?![\w.])", ours, sample(run), count=1)]

    @staticmethod
    def _texts_option(pair: tuple[str, str]) -> dict[str, Any]:
        return {} if {*pair}.isdisjoint(WITH_TEXTS) else {"documents": DOCUMENTS}

    @cached_property
    def measures(self) -> list[str]:
        found = [
            "infAP",
            "RBP(rel=1)",
            "Accuracy",
            "Compat(p=0.9)",
            "SetAP",
            "IPrec@0.1",
            "NumRet",
            "nDCG(gains={1:2})",
        ]
        for name, cls in measures.registered().items():
            cut = {"none": [""], "rank": ["", "@2", "@10"], "level": ["", "@0.5", "@1"]}[cls.cutoff]
            found += [f"{name}{at}" for at in cut if at or not cls.cutoff_required]
        return found

    @staticmethod
    def _odd_measure(chance: random.Random) -> str:
        """A measure with a value for one of its parameters, which may be none that it can have."""
        cls: Any = chance.choice(list(measures.registered().values()))
        at = {"none": "", "rank": "@5", "level": "@0.5"}[cls.cutoff] if cls.cutoff_required else ""
        if not cls.parameters():
            return f"{cls.name()}{at}"
        one = chance.choice(cls.parameters())
        values = ["0", "1", "2", "-1", ".5", "1e-9", "1e9", "1e300", "10**12", "10000000000", "True", "'x'", "[]"]
        if "|" in one.kind:
            values += [repr(word) for word in one.kind.split("|")] * 5
        return f"{cls.name()}({one.name}={chance.choice(values)}){at}"

    def make(self, chance: random.Random) -> bytes:
        pair = chance.choice(self.pairs)
        texts = []
        for text in self.texts(pair):
            for _ in range(chance.randrange(3)):
                text = mutators.STYLES[mutators.style(text)](chance, text)
            texts.append(text)
        chosen = [self._odd_measure(chance) if chance.random() < 0.2 else chance.choice(self.measures) for _ in "123"]
        given: dict[str, Any] = {"formats": pair, "texts": texts, "measures": chosen}
        given["options"] = self._texts_option(pair)
        if chance.random() < 0.4:
            given["options"]["user"] = chance.choice(list(users.registry.all()))
        for option in options():
            if option.choices and chance.random() < 0.1:
                given["options"][option.name] = chance.choice(option.choices)
        for name, values in (
            ("units", [1, 100, 10**12]), ("idealism", ["1=.5,2=1", "gain"]),
            ("collection", [{"guide.md": 500, "v": 3600}]),
            ("protocol", ["inex2010", "inex2006", "mediaeval2014", "genomics2007"]),
            ("documents", [DOCUMENTS]),
        ):  # fmt: skip
            if chance.random() < 0.15:
                given["options"][name] = chance.choice(values)
        return json.dumps(given).encode()

    def check(self, data: bytes, folder: Path) -> None:
        given = json.loads(data)
        paths = []
        for name, text in zip(("truth", "run"), given["texts"], strict=True):
            paths.append(folder / name)
            paths[-1].write_bytes(text.encode("utf-8", "surrogatepass"))
        for measure in given["measures"]:
            found = [self._rows(paths, given, measure, form) for form in ("native", "numpy")]
            for one, other in zip(*found, strict=True):
                holds(_near(one, other), f"{measure}: native {one}, numpy {other}")

    def _rows(self, paths: list[Path], given: dict[str, Any], measure: str, form: str) -> list[Any]:
        with kernels(form):
            try:
                truth, run = (
                    formats.read_any(path, role, name)
                    for path, role, name in zip(paths, ("truth", "run"), given["formats"], strict=True)
                )
                results = bp.evaluate(truth, run, measure, curves=True, **given["options"])
            except bp.BerrypickError as error:
                holds(str(error), "a message")
                return [str(error)]
        parsed = measures.parse_measure(measure)
        plain = "(" not in measure  # parameters may lift the bounds
        bounded = (
            plain
            and isinstance(parsed, measures.Measure)
            and parsed.higher_is_better
            and not parsed.above_one()
            and not parsed.summed  # a count
        )
        for row in results.topic_rows:
            holds(row.value is None or math.isfinite(row.value), f"{measure} is {row.value}")
            if bounded and row.value is not None:
                least = -math.inf if "below 0" in (type(parsed).__doc__ or "") else -1e-12
                holds(least <= row.value <= 1 + 1e-9, f"{measure} is {row.value}")
        return [(row.topic, row.value) for row in (*results.topic_rows, *results.mean_rows)]


def _near(one: Any, other: Any) -> bool:
    if isinstance(one, str) or isinstance(other, str):
        return bool(one == other)
    if one[0] != other[0] or (one[1] is None) != (other[1] is None):
        return False
    return one[1] is None or math.isclose(one[1], other[1], rel_tol=TOLERANCE, abs_tol=TOLERANCE)


# --- values of Python -------------------------------------------------------------------------------------------------


class Values(Target):
    """Truths, runs and options as dictionaries and lists of whatever JSON can hold."""

    name, share = "values", 50
    _seeds = (
        {"1": {"a": 1, "b": 0}, "2": {"c": 2}},
        {"1": [["a", 0, 4], ["b", 2, 9]], "2": [["c", 1, 3]]},
        [{"topic": "1", "doc": "a", "start": 0, "end": 4, "score": 1.5}],
        {"1": ["a", "b"]},
        {"one": {"1": {"a": 1.0}}, "two": {"1": {"b": 1.0}}},
    )

    def make(self, chance: random.Random) -> bytes:
        given = [json.loads(json.dumps(chance.choice(self._seeds))) for _ in range(2)]
        for _ in range(chance.randrange(4)):
            which = chance.randrange(2)
            given[which] = self._changed(chance, given[which])
        measure = chance.choice(EVALUATIONS.measures)
        chosen = {chance.choice(options()).name: self._odd(chance)} if chance.random() < 0.2 else {}
        return json.dumps([*given, measure, chosen]).encode()

    def _odd(self, chance: random.Random) -> Any:
        odd = chance.choice(mutators.ODD)
        return chance.choice(
            [
                odd,
                None,
                True,
                -1,
                0,
                1,
                1.5,
                1e308,
                math.nan,
                math.inf,
                10**30,
                [],
                {},
                [odd],
                {odd: 1},
                [[]],
                {"a": {}},
            ]
        )

    def _changed(self, chance: random.Random, value: Any) -> Any:
        if chance.random() < 0.25 or not value or not isinstance(value, (list, dict)):
            return self._odd(chance)
        if isinstance(value, list):
            at = chance.randrange(len(value))
            return [self._changed(chance, one) if i == at else one for i, one in enumerate(value)]
        at = chance.choice(list(value))
        fresh = chance.choice(mutators.ODD) if chance.random() < 0.2 else at
        return {
            fresh if key == at else key: self._changed(chance, one) if key == at else one for key, one in value.items()
        }

    def check(self, data: bytes, folder: Path) -> None:
        truth, run, measure, chosen = json.loads(data)
        before = Path.cwd()
        os.chdir(folder)  # texts may be taken for names of files
        try:
            for name in ("documents", "collection", "navigation", "chunks", "ideal_elements"):
                if isinstance(chosen.get(name), str) and os.path.isdir(chosen[name]):
                    return
            results = bp.evaluate(truth, run, measure, **chosen)
        except bp.BerrypickError as error:
            holds(str(error), "a message")
            return
        finally:
            os.chdir(before)
        for row in results.topic_rows:
            holds(row.value is None or math.isfinite(row.value), f"{measure} is {row.value}")


class Sweeps(Target):
    """Grids of parameters, and folders of runs whose names are their settings."""

    name, share = "sweeps", 10

    def make(self, chance: random.Random) -> bytes:
        odd: list[Any] = [chance.choice(mutators.ODD), 0, 1, 7, -1, 2.5, None, True, 10**30, 1e-9, math.nan, [], {}]
        names = ["size=1.run", "retriever=a/size=2.run"]
        for _ in range(chance.randrange(3)):
            at = chance.randrange(len(names))
            place = chance.randrange(len(names[at]))
            names[at] = names[at][:place] + chance.choice([*mutators.ODD, "=", ",", "/", "%41"]) + names[at][place:]
        grid = {chance.choice(["size", "overlap", "k", "x", ""]): chance.choices(odd, k=2) for _ in range(2)}
        given = {"names": names, "grid": grid, "queries": {"1": chance.choice(["raspberry", *mutators.ODD])}}
        return json.dumps(given).encode()

    def check(self, data: bytes, folder: Path) -> None:
        import shutil

        given = json.loads(data)
        top = folder / "runs"
        shutil.rmtree(top, ignore_errors=True)
        for name in given["names"]:
            with suppress(OSError, ValueError):  # no name of a file
                path = top / name.strip("/").replace("..", "")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text("1 Q0 garden 1 1 r\n")
        truth = [{"topic": "1", "doc": "garden", "start": 10, "end": 19}]
        for inputs in ({"runs": top}, {"documents": DOCUMENTS, "grid": given["grid"], "queries": given["queries"]}):
            try:
                found = bp.sweep(truth=truth, measures="charR@2", **inputs)
            except bp.BerrypickError as error:
                holds(str(error), "a message")
                continue
            values = [row.value for row in found.results.topic_rows]
            holds(all(value is None or math.isfinite(value) for value in values), f"values are {values}")


# --- the index of a collection ----------------------------------------------------------------------------------------

ARTICLE = """<article xmlns:x="y"><name id="3">A <b>bold</b> name</name><bdy><sec><st>One</st><p>Some   text &amp; more
</p><p/><!-- c --><collectionlink x:href="d1.xml">d1</collectionlink></sec><sec><p>é\U0001f600</p></sec></bdy></article>
"""


class Indexes(Target):
    """An index against the documents themselves; and a damaged index, which is told or harmless."""

    name, share = "indexes", 8

    def make(self, chance: random.Random) -> bytes:
        documents = [mutators.mutated(chance, ARTICLE) if chance.random() < 0.7 else ARTICLE.encode() for _ in range(4)]
        given = {"documents": [data.decode("latin-1") for data in documents], "damage": chance.randrange(2**32)}
        return json.dumps(given).encode()

    def check(self, data: bytes, folder: Path) -> None:
        import shutil

        given = json.loads(data)
        top, target = folder / "documents", folder / "index"
        shutil.rmtree(top, ignore_errors=True)
        target.unlink(missing_ok=True)
        top.mkdir()
        for number, text in enumerate(given["documents"]):
            (top / f"d{number}.xml").write_bytes(text.encode("latin-1"))
        from berrypick.documents.xml import build_index, read_index
        from berrypick.documents.xml.folder import read_folder

        build_index(top, target, jobs=1)
        names = [f"d{number}" for number in range(len(given["documents"]))]
        expected = _structures(read_folder(top), names)
        try:
            found = _structures(read_index(target), names)
        except bp.InputError as error:
            holds(all(one is None for one in expected), f"no document could be read: {error}")
            return
        holds(found == expected, f"index:\n{found}\ntree:\n{expected}")
        target.write_bytes(mutators.damaged_bytes(random.Random(given["damage"]), target.read_bytes()))
        with suppress(bp.InputError):
            changed = read_index(target)
            for name, one in zip(names, expected, strict=True):
                with suppress(bp.InputError):
                    holds(_structures(changed, [name]) == [one], f"damage in {name} was not noticed")


def _structures(collection: Collection, names: list[str]) -> list[Any]:
    found: list[Any] = []
    for name in names:
        try:
            found.append((flat(collection.structures[name]), flat(float(collection.lengths[name]))))
        except (bp.InputError, KeyError) as error:
            if isinstance(error, bp.InputError) and error.what.startswith("is damaged"):
                raise
            found.append(None)
    return found


EVALUATIONS = Evaluations()


def targets() -> list[Target]:
    """Everything that is fuzzed; formats share what the others leave."""
    from fuzz_commands import Commands
    from fuzz_golden import GoldenFiles

    fixed: list[Target] = [Specifications(), EVALUATIONS, Commands(), Values(), Sweeps(), Indexes(), GoldenFiles()]
    known: list[Target] = [OneFormat(cls) for cls in formats.registered().values()]
    for one in known:
        one.share = (1000 - sum(target.share for target in fixed)) // len(known)
    return [*known, *fixed]
