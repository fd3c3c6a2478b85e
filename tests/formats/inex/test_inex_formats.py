"""INEX judgements and runs as text."""

from __future__ import annotations

import gzip
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from berrypick import formats
from berrypick.data.assemble import assemble
from berrypick.data.errors import InputError
from berrypick.data.run import Run, repeated_pointers
from berrypick.data.truth import EntryPoint, TopicTruth, Truth
from berrypick.formats import Problems
from berrypick.formats.inex import inex_fol_truth
from berrypick.formats.inex.inex_fol_run import InexFolRun
from berrypick.formats.inex.inex_fol_truth import InexFolTruth

TRUTH = """\
1 Q0 100 300 1000 250 250:200 600:100
1 Q0 101 50 50 0 0:50
1 Q0 102 0 400
1 Q0 103 400 2000 1500 1500:400
2 Q0 200 120 600 10 10:20 100:100
3 Q0 300 0 10
4 Q0 400 0 10
4 Q0 401 5 10 3 3:5
"""
RUN = """\
1 Q0 100 1 9.0 mine 200 100
1 Q0 999 2 8.0 mine 0 500
2 Q0 200 1 3.0 mine 510 90
"""


def put(folder: Path, text: str, name: str = "file.txt") -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def written(form: Any, value: Any) -> str:
    assert form.accepts(value) == ""
    out = io.StringIO()
    form.write(value, out)
    return out.getvalue()


def test_truth_is_read(tmp_path: Path) -> None:
    truth = formats.read_truth(put(tmp_path, TRUTH))
    assert truth.format == "inex-fol-truth" and truth.units == "spans"
    assert list(truth.topics) == ["1", "2", "3", "4"]
    topic = truth.topics["1"]
    assert topic.document == ("100", "100", "101", "103")
    assert topic.start is not None and topic.start.tolist() == [250, 600, 0, 1500]
    assert topic.end is not None and topic.end.tolist() == [450, 700, 50, 1900]
    assert topic.grade.tolist() == [1, 1, 1, 1] and topic.empty_documents == ("102",)
    assert topic.line is not None and topic.line.tolist() == [1, 1, 2, 4]
    assert topic.entry_points[0] == EntryPoint("100", offset=250, line=1) and len(topic.entry_points) == 3
    assert truth.lengths["102"] == 400 and len(truth.topics["3"]) == 0


def judged_lines(seed: int) -> str:
    """Lines of some topics in any order, with several passages, empty ones, or none."""
    draw = np.random.default_rng(seed)
    lines = []
    for topic, document in {tuple(draw.integers(0, 6, 2).tolist()) for _ in range(int(draw.integers(1, 25)))}:
        sizes = draw.integers(0, 9, int(draw.integers(0, 4))).tolist()
        far = 2**31 if draw.random() < 0.02 else 0  # beyond what columns of 32 bits hold
        spans = " ".join(f"{far + 100 * i}:{size}" for i, size in enumerate(sizes))
        entry = f" {far + int(draw.integers(0, 99))} {spans}" if sizes else ""
        lines.append(f"t{topic} Q0 d{document} {sum(sizes)} {far + 1000}{entry}\n")
    return "".join(lines[i] for i in draw.permutation(len(lines)).tolist())


def test_topics_are_made_at_once_as_line_by_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [put(tmp_path, judged_lines(seed), f"{seed}.txt") for seed in range(40)]
    scanned = [InexFolTruth.read(path, Problems(path)) for path in paths]
    monkeypatch.setattr(inex_fol_truth, "scan", lambda *given: None)
    for path, one in zip(paths, scanned, strict=True):
        other = InexFolTruth.read(path, Problems(path))
        assert [*one.topics] == [*other.topics] and dict(one.lengths) == dict(other.lengths)
        for ours, theirs in zip(one.topics.values(), other.topics.values(), strict=True):
            assert (ours.document, ours.empty_documents) == (theirs.document, theirs.empty_documents)
            assert ours.entry_points == theirs.entry_points and len(ours.entry_points) == len(theirs.entry_points)
            assert [*map(repr, ours.entry_points)] == [*map(repr, theirs.entry_points)]
            for name in ("grade", "start", "end", "line"):
                columns = getattr(ours, name), getattr(theirs, name)
                assert columns[0].dtype == columns[1].dtype and np.array_equal(*columns)


def test_entry_points_are_made_when_they_are_asked_for(tmp_path: Path) -> None:
    points = formats.read_truth(put(tmp_path, TRUTH)).topics["1"].entry_points
    made = (EntryPoint("100", None, 250, 1), EntryPoint("101", None, 0, 2), EntryPoint("103", None, 1500, 4))
    assert tuple(points) == made and points == made and hash(points) == hash(made)
    assert points[1:] == made[1:] and points[-1] == made[-1] and points != made[1:]
    assert not formats.read_truth(put(tmp_path, TRUTH)).topics["3"].entry_points


def test_truth_is_written_back_exactly(tmp_path: Path) -> None:
    truth = formats.read_truth(put(tmp_path, TRUTH))
    assert written(InexFolTruth, truth) == TRUTH


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("1 Q0 100 300 1000 250 250:200 600:101", "300 relevant characters are declared, but the passages have 301"),
        ("1 Q0 100 300 1000", "300 relevant characters are declared, but the passages have 0"),
        ("1 Q0 100 200 400 250 250:200", "the passage 250:200 ends after the document, which has 400 characters"),
        ("1 Q0 100 200 -1 250 250:200", "'-1' is not a whole number"),
        ("1 Q0 100 200 900 -250 250:200", "'-250' is not a whole number"),
        ("1 Q0 100 200 900 250 -250:200", "'-250:200' is not offset:length"),
        ("1 Q0 100 200 900 250 250-200", "'250-200' is not offset:length"),
        ("1 Q0 100 200 900 250", "has 6 columns, not 5 or at least 7"),
        ("1 Q0 100 200", "has 4 columns, not 5 or at least 7"),
        ("1 Q0 99 0 10", "document 99 is judged twice for topic 1, first in line 2"),
        ("1 Q0 100 ² 900", "'²' is not a whole number"),
        ("1 Q0 100 9999999999999999999 900", "is not a whole number"),
    ],
)
def test_truth_that_is_wrong(tmp_path: Path, line: str, what: str) -> None:
    path = put(tmp_path, f"# comment\n1 Q0 99 0 10\n{line}\n")
    with pytest.raises(InputError) as error:
        formats.read_truth(path)
    assert error.value.line == 3 and what in str(error.value) and line in str(error.value)
    problems = Problems(path, strict=False)
    assert len(InexFolTruth.read(path, problems)) == 1 and len(problems.found) == 1


def test_truth_counts_what_is_odd(tmp_path: Path) -> None:
    text = "1 Q0 a 5 10 20 0:5 7:0\n2 Q0 a 8 12 0 0:5 2:3\n"
    problems = Problems("x")
    truth = InexFolTruth.read(put(tmp_path, text), problems)
    assert truth.lengths == {"a": 10}
    assert truth.topics["1"].grade.tolist() == [1, 0]
    assert problems.counts == {
        "empty passages": 1,
        "passages that overlap another one": 1,
        "entry points after the end of their document": 1,
        "documents with different lengths for different topics; the first is used": 1,
    }


def test_truth_that_cannot_be_written() -> None:
    def truth(**options: Any) -> Truth:
        given: dict[str, Any] = {
            "grade": np.array([1.0]),
            "start": np.array([0]),
            "end": np.array([5]),
            "entry_points": (EntryPoint("a", offset=0),),
        }
        return Truth("spans", {"1": TopicTruth("1", ("a",), **{**given, **options})}, lengths={"a": 10})

    assert InexFolTruth.accepts(truth()) == ""
    assert "grades" in InexFolTruth.accepts(truth(grade=np.array([0.5])))
    assert "whole" in InexFolTruth.accepts(truth(end=np.array([4.5])))
    assert "entry point" in InexFolTruth.accepts(truth(entry_points=()))
    assert "length" in InexFolTruth.accepts(truth(empty_documents=("b",)))
    assert "white space" in InexFolTruth.accepts(truth(empty_documents=("b c",)))
    assert InexFolTruth.accepts(Truth("documents", {})) and InexFolTruth.accepts(3)


names = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=5).filter(
    lambda name: name.split() == [name] and not name.startswith("#")
)
passages = st.lists(st.tuples(st.integers(0, 999), st.integers(1, 99)), max_size=3)


@given(st.dictionaries(names, st.dictionaries(names, passages, min_size=1, max_size=4), min_size=1, max_size=3))
def test_truth_round_trip(tmp_path_factory: pytest.TempPathFactory, judged: dict[str, dict[str, Any]]) -> None:
    lines = [
        f"{topic} Q0 {document} {sum(size for _, size in spans)} 2000"
        + (f" {spans[0][0]} " + " ".join(f"{a}:{n}" for a, n in spans) if spans else "")
        for topic, documents in judged.items()
        for document, spans in documents.items()
    ]
    text = "".join(f"{line}\n" for line in lines)
    truth = formats.read_truth(put(tmp_path_factory.mktemp("truth"), text), "inex-fol-truth")
    assert written(InexFolTruth, truth) == text


def test_run_is_read_in_file_order(tmp_path: Path) -> None:
    text = RUN + "1 Q0 100 3 99.0 mine 0 10\n"
    run = formats.read_run(put(tmp_path, text))
    assert (
        run.format == "inex-fol-run"
        and run.tag == "mine"
        and run.ordering.duplicates == "error"
        and run.ordering.task == ""
    )
    ranking = run.ranking("1")
    assert ranking.names_by_rank() == ["100#200-300", "999#0-500", "100#0-10"]
    assert ranking.line is not None and ranking.line.tolist() == [1, 2, 4]
    assert ranking.score is not None and ranking.score.tolist() == [9, 8, 99]
    assert run.ordering.ties == "none"


def test_passages_that_could_not_be_located(tmp_path: Path) -> None:
    text = "1 Q0 a 1 9 t 5 10\n1 Q0 a 2 8 t X X\n2 Q0 a 3 7 t -1 60\n1 Q0 a 4 6 t X 3\n"
    run = formats.read_run(put(tmp_path, text))
    assert run.start is not None and run.end is not None
    first = run.ranking("1")
    assert first.start is not None and first.start.tolist() == [5, -18, -54]
    assert first.end is not None and first.end.tolist() == [15, 0, -36]
    assert run.ranking("2").start.tolist() == [-36]  # type: ignore[union-attr]
    assert not repeated_pointers(first)[0].any()
    assert "3 results could not be located and count as 18 characters" in run.notes[0]
    assert written(InexFolRun, run).splitlines()[1] == "1 Q0 a 2 8.0 t X X"


def test_elements_ranges_and_entry_points(tmp_path: Path) -> None:
    elements = formats.read_run(put(tmp_path, "1 Q0 a 1 9 t /article[1]/bdy[1]\n1 Q0 a 2 8 t /article/bdy/sec[2]\n"))
    assert elements.start is None and elements.path_end is None
    assert elements.ranking("1").names_by_rank() == ["a/article[1]/bdy[1]", "a/article[1]/bdy[1]/sec[2]"]
    ranges = formats.read_run(put(tmp_path, "1 Q0 a 1 9 t /article[1]/p[1] /article[1]/p[3]\n"))
    assert ranges.ranking("1").path_of(0) == ("/article[1]/p[1]", "/article[1]/p[3]")
    points = formats.read_run(put(tmp_path, "1 Q0 a 1 9 t 120\n1 Q0 b 2 8 t 0\n1 Q0 b 2 8 t X\n"))
    assert points.ordering.task == "best-in-context" and points.start is not None and points.end is not None
    assert points.start.tolist() == [120, 0, -18] and points.end.tolist() == [120, 0, 0]
    for run in (elements, ranges, points):
        text = written(InexFolRun, run)
        again = formats.read_run(put(tmp_path, text))
        assert written(InexFolRun, again) == text and same(run, again)


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("1 Q0 a 2 8 t /article[1]", "retrieves an element, but line 1 a passage"),
        ("1 Q0 a 2 8 t /article[1] /article[1]", "retrieves a range of elements, but line 1 a passage"),
        ("1 Q0 a 2 8 t 12", "retrieves an entry point, but line 1 a passage"),
        ("1 Q0 a 2 8 t 12 -5", "'-5' is not a whole number"),
        ("1 Q0 a 2 8 t -12 5", "'-12' is not a whole number"),
        ("1 Q0 a 2 8 t 12 X", "'X' is not a whole number"),
        ("1 Q0 a 2 8 t", "has 6 columns, not 7 or 8"),
        ("1 Q0 a 2 8 t 1 2 3", "has 9 columns, not 7 or 8"),
    ],
)
def test_run_that_is_wrong(tmp_path: Path, line: str, what: str) -> None:
    path = put(tmp_path, f"1 Q0 a 1 9 t 5 10\n\n{line}\n1 Q0 a 3 7 t 50 10\n")
    with pytest.raises(InputError) as error:
        formats.read_run(path)
    assert error.value.line == 3 and what in str(error.value)
    problems = Problems(path, strict=False)
    assert InexFolRun.read(path, problems).size() == 2 and len(problems.found) == 1


@pytest.mark.parametrize("place", ["/article[0]", "/article[1]//p[1]", "/article[1]/text()[1].5", "/a[1] /a[1", "/"])
def test_paths_that_are_none(tmp_path: Path, place: str) -> None:
    with pytest.raises(InputError, match="is not a path"):
        formats.read_run(put(tmp_path, f"1 Q0 a 1 9 t {place}\n"), "inex-fol-run")


def test_range_that_ends_before_it_starts(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="ends before it starts"):
        formats.read_run(put(tmp_path, "1 Q0 a 1 9 t /article[1]/p[3] /article[1]/p[1]\n"))


def test_rank_and_score_are_not_used(tmp_path: Path) -> None:
    run = formats.read_run(put(tmp_path, "1 Q0 a 2 high t 0 5\n1 Q0 b 1 low t 0 5\n"))
    assert run.ranking("1").names_by_rank() == ["a#0-5", "b#0-5"] and run.score is None
    assert run.notes == ("lines out of the order of their rank column: 1; the order of the lines is used",)


def test_run_that_cannot_be_written() -> None:
    def accepts(**options: Any) -> str:
        return InexFolRun.accepts(assemble(tag="t", topic=["1", "1"], document=["a", "b"], **options))

    assert accepts(start=np.array([0, 1]), end=np.array([5, 6])) == ""
    assert "whole documents" in accepts()
    assert "whole numbers" in accepts(start=np.array([0, 1.5]), end=np.array([5, 6]))
    assert "share a rank" in accepts(path=["/a[1]", "/b[1]"], rank=np.array([1.0, 1.0]), order="rank")
    assert "both elements and ranges" in accepts(path=["/a[1]", "/b[1]"], path_end=["/a[2]", ""])
    assert "not a run" in InexFolRun.accepts(3)


@given(st.lists(st.tuples(names, names, st.none() | st.tuples(st.integers(0, 10**9), st.integers(0, 10**6)))))
def test_run_round_trip(tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str, Any]]) -> None:
    text = "".join(f"{t} Q0 {d} 1 0.5 tag {'X X' if p is None else f'{p[0]} {p[1]}'}\n" for t, d, p in rows)
    folder = tmp_path_factory.mktemp("run")
    run = formats.read_run(put(folder, text), "inex-fol-run")
    again = formats.read_run(put(folder, written(InexFolRun, run)), "inex-fol-run")
    assert written(InexFolRun, again) == written(InexFolRun, run)
    assert again.topics == run.topics and again.bounds.tolist() == run.bounds.tolist()
    assert [run.documents[d] for d in run.document] == [again.documents[d] for d in again.document]


def test_gzip_and_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    path.write_bytes(gzip.compress(b"\xef\xbb\xbf" + RUN.encode()))
    assert formats.sniff(str(path)) is InexFolRun and formats.read_run(path).size() == 3


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (TRUTH, "inex-fol-truth"),
        ("1 Q0 102 0 400\n", "inex-fol-truth"),
        (RUN, "inex-fol-run"),
        ("1 Q0 a 1 9 t X X\n", "inex-fol-run"),
        ("1 Q0 a 1 9 t /article[1]\n", "inex-fol-run"),
        ("301 0 FBIS3-10082 1\n", "trec-qrels"),
        ("301 Q0 FBIS3-10082 1 12.4 mine\n", "trec-run"),
        ('{"topic": "1", "doc": "a", "start": 1, "end": 2, "grade": 1}\n', "span-truth"),
    ],
)
def test_sniffing(tmp_path: Path, text: str, name: str) -> None:
    assert formats.sniff(put(tmp_path, text)).name() == name


@pytest.mark.parametrize(
    "line",
    [
        "q1 Q0 video 17.10 20.0 17.10 1 0.93",  # MediaEval search
        "q1 Q0 video 17.10 20.0 1 0.93 tag",  # MediaEval linking
        "q1 Q0 video 17.10 20.0 1",  # MediaEval judgements
        "200 9862347 1 0.93 1200 350 tag",  # TREC Genomics run
        "200\t9862347\t1200\t350\tGENES|PROTEINS",  # TREC Genomics judgements
    ],
)
def test_other_campaigns_are_not_taken_for_ours(line: str) -> None:
    assert not InexFolRun.sniff([line]) and not InexFolTruth.sniff([line])


def same(one: Run, other: Run) -> bool:
    assert one.topics == other.topics and one.tag == other.tag and one.ordering.task == other.ordering.task
    assert list(one.documents) == list(other.documents) and list(one.paths) == list(other.paths)
    for name in ("bounds", "document", "rank", "start", "end", "score", "path", "path_end"):
        ours, theirs = getattr(one, name), getattr(other, name)
        assert (ours is None) == (theirs is None), name
        assert ours is None or np.array_equal(ours, theirs), name
    return True


def test_real_judgements(data: Path) -> None:
    path = data / "inex2009-2010" / "inex2009-2010.qrels"
    problems = Problems(str(path))
    truth = InexFolTruth.read(str(path), problems)
    assert InexFolTruth.describe(truth) == [
        "120 topics",
        "10329 relevant documents",
        "21108 passages",
        "0 judged and not relevant",
    ]
    assert problems.counts == {"empty passages": 2}
    assert written(InexFolTruth, truth) == path.read_text()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "rows", "repeated"),
    [
        ("bert_inex_converted.dup", 36868, 249),
        ("bert_inex_converted_1", 18693, 0),
        ("indri_first_bic", 11682, 0),
        ("indri_passages_ric", 36254, 0),
    ],
)
def test_real_runs(data: Path, tmp_path: Path, name: str, rows: int, repeated: int) -> None:
    run = formats.read_run(data / "inex2009-2010" / "runs" / f"{name}.run")
    assert run.format == "inex-fol-run" and run.size() == rows
    assert sum(int(repeated_pointers(ranking)[0].sum()) for _, ranking in run.rankings()) == repeated
    assert same(run, formats.read_run(put(tmp_path, written(InexFolRun, run))))


def test_hand_made_runs_of_the_official_program(data: Path) -> None:
    folder = data / "inex-micro"
    truth = formats.read_truth(folder / "micro.qrels")
    assert written(InexFolTruth, truth) == (folder / "micro.qrels").read_text()
    thorough = formats.read_run(folder / "thorough.run")
    assert thorough.start is not None and sorted(thorough.start[thorough.start < 0].tolist()) == [-36, -18]
    assert thorough.notes and thorough.size() == 11
