"""What holds for every format, found by itself: ours, and one of another package."""

import dataclasses
import gzip
import inspect
import re
import sys
from itertools import combinations

import example_plugin
import numpy as np
import pytest
from format_samples import sample
from many_cases import each

import berrypick as bp
from berrypick import formats
from berrypick.data.columns import CodedNames, LateCodes, unpacked
from berrypick.files.files import head
from berrypick.formats import Problems

OURS = [(name, formats.registry.load(one)) for name, one in formats.registry.definitions().items()]
FORMATS = [*OURS, ("double-colon-run", example_plugin.DoubleColonRun)]

every_format = each(["name", "cls"], FORMATS, ids=[name for name, _ in FORMATS])


def same(one, other, where="value"):
    """Two values hold the same, but for where they come from."""
    one, other = (unpacked(value.coded if isinstance(value, LateCodes) else value) for value in (one, other))
    kinds = (type(one), type(other))
    assert kinds[0] is kinds[1] or {*kinds} == {tuple, CodedNames}, where  # names that keep their codes are a tuple
    if dataclasses.is_dataclass(one):
        for field in dataclasses.fields(one):
            if field.name not in ("source", "line", "format", "notes"):
                same(getattr(one, field.name), getattr(other, field.name), f"{where}.{field.name}")
    elif isinstance(one, np.ndarray):
        np.testing.assert_array_equal(one, other, err_msg=where)
    elif isinstance(one, dict):
        assert list(one) == list(other), where
        for key in one:
            same(one[key], other[key], f"{where}[{key}]")
    elif isinstance(one, (list, tuple)):
        assert len(one) == len(other), where
        for i, (a, b) in enumerate(zip(one, other, strict=True)):
            same(a, b, f"{where}[{i}]")
    else:
        assert one == other or (one != one and other != other), where


def read(path, cls):
    return cls.read(str(path), Problems(str(path)))


def test_there_are_formats():
    assert {"trec-qrels", "trec-run", "span-truth", "span-run", "navigation-table", "document-lengths"} <= set(
        formats.registered()
    )


def test_the_index_says_what_the_classes_say():
    """Formats are found without loading them by the literals of their class bodies."""
    for name, one in formats.registry.definitions().items():
        cls = one.load()
        assert (cls.format_name, cls.role, cls.aliases) == (name, one.facts["role"], one.facts.get("aliases", ()))


@every_format
def test_it_says_what_it_is(name, cls):
    assert cls.role in ("truth", "run", "collection", "navigation", "log", "user")
    assert cls.shape
    assert all(suffix.startswith(".") for suffix in cls.suffixes)
    first = inspect.getdoc(cls).splitlines()[0]
    assert len(first) > 20


@every_format
def test_its_sample_is_recognised_and_read(name, cls, tmp_path):
    path = tmp_path / "sample"
    path.write_text(sample(cls))
    assert formats.sniff(str(path), cls.role) is cls
    problems = Problems(str(path), strict=False)
    value = cls.read(str(path), problems)
    assert not problems.found
    assert cls.describe(value)
    assert all(isinstance(fact, str) and fact for fact in cls.describe(value))


@every_format
def test_its_sample_is_recognised_without_being_told_its_role(name, cls, tmp_path):
    """Two formats may look alike; then both are named."""
    path = tmp_path / "sample"
    path.write_text(sample(cls))
    assert cls in formats.sniff_all(str(path))


@every_format
def test_what_is_written_is_read_back(name, cls, tmp_path):
    path = tmp_path / "sample"
    path.write_text(sample(cls))
    value = read(path, cls)
    refusal = cls.accepts(value)
    assert isinstance(refusal, str)
    if refusal:
        with pytest.raises(bp.UsageError, match=re.escape(name)):
            formats.write(value, tmp_path / "again", name)
        assert not (tmp_path / "again").exists()
        return
    assert formats.write(value, tmp_path / "again", name) is cls
    again = read(tmp_path / "again", cls)
    same(again, value)
    formats.write(again, tmp_path / "third", name)
    assert (tmp_path / "third").read_bytes() == (tmp_path / "again").read_bytes()


@every_format
def test_it_refuses_what_it_cannot_hold(name, cls):
    assert cls.accepts(object()), "some reason"


@every_format
def test_gzip_is_accepted_and_written(name, cls, tmp_path):
    path = tmp_path / "sample.anything"
    path.write_bytes(gzip.compress(sample(cls).encode()))
    assert formats.sniff(str(path), cls.role) is cls
    plain = tmp_path / "sample"
    plain.write_text(sample(cls))
    same(read(path, cls), read(plain, cls))
    if not cls.accepts(read(plain, cls)):
        formats.write(read(plain, cls), tmp_path / "out.gz", name)
        assert (tmp_path / "out.gz").read_bytes()[:2] == b"\x1f\x8b"
        same(read(tmp_path / "out.gz", cls), read(plain, cls))


@every_format
@pytest.mark.parametrize("content", [b"", b"\n\n", b"\xef\xbb\xbf", b"# nothing but a comment\n"])
def test_an_empty_file_is_an_error(name, cls, content, tmp_path):
    path = tmp_path / "empty"
    path.write_bytes(content)
    with pytest.raises(bp.InputError, match="empty") as error:
        formats.sniff(str(path), cls.role)
    assert str(path) in str(error.value)


@every_format
def test_a_missing_file_and_a_folder_are_errors(name, cls, tmp_path):
    for path in (tmp_path / "nowhere", tmp_path):
        with pytest.raises(bp.InputError) as error:
            formats.read_any(path, cls.role, name)
        assert str(path) in str(error.value)


@every_format
def test_a_gzip_file_that_ends_early_is_an_error(name, cls, tmp_path):
    packed = gzip.compress(sample(cls).encode() * 50)
    path = tmp_path / "cut.gz"
    path.write_bytes(packed[: len(packed) - 12])
    with pytest.raises(bp.InputError):
        formats.read_any(path, cls.role, name)


@every_format
@pytest.mark.parametrize("ends", ["\r\n", "\n"])
def test_line_ends_and_byte_order_marks_do_not_matter(name, cls, ends, tmp_path):
    plain, other = (
        tmp_path / "plain" / "topic" / "file",
        tmp_path / "other" / "topic" / "file",
    )
    for path in (plain, other):
        path.parent.mkdir(parents=True)
    plain.write_text(sample(cls))
    other.write_bytes(b"\xef\xbb\xbf" + sample(cls).replace("\n", ends).encode())
    assert formats.sniff(str(other), cls.role) is cls
    same(read(other, cls), read(plain, cls))


@every_format
@pytest.mark.parametrize(
    "content", [b"\x00\x01\x02\xff\xfe" * 40, b"PK\x03\x04 zip", b"nonsense\n", b"{\n", b"<html>\n"]
)
def test_nonsense_is_an_input_error(name, cls, content, tmp_path):
    """Whatever is in a file, nothing but an error of ours comes out."""
    path = tmp_path / "nonsense"
    path.write_bytes(content)
    with pytest.raises(bp.InputError) as error:
        formats.read_any(path, cls.role)
    assert str(path) in str(error.value)


@every_format
def test_damaged_samples_give_errors_of_ours_or_values(name, cls, tmp_path):
    """A character dropped, doubled or replaced anywhere."""
    rng = np.random.default_rng(7)
    text = sample(cls)
    path = tmp_path / "damaged"
    for _ in range(150):
        at = int(rng.integers(len(text)))
        damage = str(rng.choice(["", text[at] * 2, "\x00", "-", "9" * 30, "\t", '"', "<", "é", " "]))
        path.write_text(text[:at] + damage + text[at + 1 :], encoding="utf-8")
        problems = Problems(str(path), strict=False)
        try:
            value = cls.read(str(path), problems)
        except bp.InputError:
            continue
        if not problems.found:
            cls.describe(value)


@every_format
def test_problems_are_collected_with_their_lines(name, cls, tmp_path):
    """``check`` reads on after a problem."""
    path = tmp_path / "sample"
    path.write_text(sample(cls) + ";;nonsense;;\n" + ";;more of it;;\n")
    problems = Problems(str(path), strict=False)
    cls.read(str(path), problems)
    last = len(sample(cls).splitlines())
    lines = [problem.line for problem in problems.found]
    if name in (
        "claude-session",
        "codex-session",
    ):  # of a session, lines that are broken are counted, and the session goes on
        assert (lines, problems.counts) == ([], {"broken lines of sessions, skipped": 2})
        return
    # what is one value of XML or JSON cannot be read on after the first
    whole = name == "atif" or sample(cls).startswith(("<", "[")) or "load" in vars(sys.modules[cls.__module__])
    assert lines == ([last + 1] if whole else [last + 1, last + 2])


@every_format
def test_the_command_line_shows_and_checks_it(name, cls, berrypick, tmp_path):
    page = berrypick("show", "format", name)
    assert page.code == 0 and page.out.startswith(f"{name}:")
    path = tmp_path / "sample"
    path.write_text(sample(cls))
    done = berrypick("check", path, "--format", name)
    assert done.code == 0 and name in done.out


@every_format
def test_the_sample_on_its_page_can_be_copied(name, cls, berrypick):
    """TABs stay TABs."""
    page = berrypick("show", "format", name).out
    for line in sample(cls).splitlines():
        assert line in page


def test_the_list_names_all(berrypick):
    listed = berrypick("list", "formats")
    assert listed.code == 0
    for name, _ in FORMATS:
        assert re.search(rf"^{name}\s", listed.out, re.MULTILINE)


#: Lines of JSON with the name topic, which the fast way may take for spans: those of other formats have more names.
WITH_TOPIC = [
    '{"topic": "1", "doc": "a", "start": 0, "end": 3}',
    '{"topic": "1", "doc": "a", "grade": 1}',
    '{"topic": "1", "doc": "a", "score": 0.5}',
    '{"topic": "1", "doc": "a", "start": 0, "end": 3, "text": "abc"}',
    '{"topic": "1", "text": "abc", "label": [[0, 3, "x"]]}',
    '{"topic": "1", "text": "abc", "answer": "accept", "spans": []}',
    '{"topic": "1", "qid": 1, "relevant_windows": [[0, 2]]}',
    '{"topic": "1", "results": []}',
    '{"topic": "1", "tests": [], "snippets": []}',
]


VALUES = {"doc": '"a"', "text": '"a b c"', "start": "0", "end": "3", "rank": "1", "score": "0.5", "tag": '"mine"'}
#: Lines of a span with its text, with every choice of other names.
WITH_TEXT = [
    ", ".join(['{"topic": "1"', *(f'"{name}": {VALUES[name]}' for name in VALUES if name in chosen)]) + "}"
    for count in range(len(VALUES) + 1)
    for chosen in combinations(VALUES, count)
]


def test_no_format_that_is_not_loaded_would_have_been_found(tmp_path):
    """What formats declare excludes none that would have recognised a line first."""
    asked = [formats.registry.load(one) for one in formats.in_order(formats.registry.definitions())]
    texts = [sample(cls) for _, cls in OURS]
    for number, text in enumerate([*texts, *(f"{line}\n" for line in (*WITH_TOPIC, *WITH_TEXT))]):
        path = tmp_path / f"{number}"
        path.write_text(text)
        for role in ("truth", "run"):
            expected = next((cls for cls in asked if cls.role == role and cls.sniff(head(str(path)))), None)
            try:
                found = formats.sniff(str(path), role)
            except bp.InputError:
                found = None
            assert found is expected, text
