"""Scores that leave the order open, scores that look like distances, and results that end after their document."""

import codecs
from dataclasses import replace

import numpy as np
import pytest
from format_samples import sample

import berrypick as bp
from berrypick import formats
from berrypick.data.assemble import assemble
from berrypick.evaluation.notes import score_notes
from berrypick.files import scan as _scan
from berrypick.formats import Problems
from berrypick.measures.base import as_score

TRUTH = {"1": {"a": 1}, "2": {"b": 1}}


def kinds(found):
    return {note.kind: note.text for note in found.notes if note.kind in ("ties", "rising scores", "input")}


@pytest.fixture
def run_file(tmp_path):
    def write(*scores, topic="1", name="r.run"):
        path = tmp_path / name
        path.write_text("".join(f"{topic} Q0 d{i} {i + 1} {score} r\n" for i, score in enumerate(scores)))
        return path

    return write


@pytest.mark.parametrize("kernels", ["native", "numpy"], indirect=True)
def test_ties_are_counted(run_file, kernels):
    found = bp.evaluate(TRUTH, run_file(3, 2, 2, 2, 1, 1), "AP EPRUM")
    order = "they are ordered by document name, as trec_eval does"
    assert kinds(found) == {"ties": f"5 results share their score with another one of their topic; {order}"}
    assert kinds(bp.evaluate(TRUTH, run_file(3, 2, 1), "AP")) == {}


def test_scores_that_differ_beyond_32_bits_do_not_tie(run_file):
    found = bp.evaluate(TRUTH, run_file(1.00000000002, 1.00000000001, 1.0), "AP EPRUM")
    assert kinds(found) == {}


def test_equal_scores_of_different_topics_are_no_tie():
    run = {"1": {"a": 1.0}, "2": {"b": 1.0}, "3": {"c": 1.0}}
    assert kinds(bp.evaluate(TRUTH, run, "AP")) == {}


def test_topics_without_results_are_no_neighbours():
    """They stand before, between and after the others."""
    for topics in (("1", "2", "0"), ("0", "1", "2"), ("1", "0", "2")):
        run = assemble(tag="", topic=["1", "2"], document=["a", "b"], score=np.ones(2), line=np.arange(2), order="trec")
        bounds = {("1", "2", "0"): [0, 1, 2, 2], ("0", "1", "2"): [0, 0, 1, 2], ("1", "0", "2"): [0, 1, 1, 2]}[topics]
        assert list(score_notes(replace(run, topics=topics, bounds=np.array(bounds)))) == []


def test_what_was_in_memory_before_is_no_byte_order_mark(tmp_path, monkeypatch):
    """An empty file was read with the mark of the file before it."""
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "short").write_bytes(b"#\n")
    mark = np.frombuffer(codecs.BOM_UTF8 * 10, dtype=np.uint8)
    monkeypatch.setattr(_scan.np, "empty", lambda size, dtype: np.resize(mark, size))
    for name in ("empty", "short"):
        assert formats.by_name("trec-run").read(str(tmp_path / name), Problems("x")).size() == 0


def test_spans_with_equal_scores_keep_the_order_of_the_file(files):
    lines = "".join(f'{{"topic": "1", "doc": "a", "start": {i}, "end": {i + 1}, "score": 1}}\n' for i in range(3))
    truth = '{"topic": "1", "doc": "a", "start": 0, "end": 4}\n'
    written = files(r_jsonl=lines, t_jsonl=truth)
    found = bp.evaluate(written["t_jsonl"], written["r_jsonl"], "charP@2")
    assert kinds(found)["ties"].endswith("they keep the order given")


def test_distances_are_told(run_file):
    assert "negate them" in kinds(bp.evaluate(TRUTH, run_file(0.1, 0.2, 0.3), "AP"))["rising scores"]
    assert "rising scores" in kinds(bp.evaluate(TRUTH, run_file(0.1, 0.2, 0.2, 0.3), "AP"))
    assert "rising scores" not in kinds(bp.evaluate(TRUTH, run_file(0.1, 0.2, 0.15), "AP"))
    assert "rising scores" not in kinds(bp.evaluate(TRUTH, run_file(1, 1, 1), "AP"))
    assert "rising scores" not in kinds(bp.evaluate(TRUTH, run_file(1, 2), "AP")), "two may be chance"


def _slow(run):
    """The kinds of notes, pair by pair."""
    tied, ordered, falls, disordered = 0, 0, 0, 0
    for _, ranking in run.rankings():
        given = ranking.score[np.argsort(ranking.line)].tolist()
        disordered += given != sorted(given, reverse=True)
        for row in range(1, len(ranking)):
            if ranking.score[row] == ranking.score[row - 1]:
                tied += 1
            else:
                ordered += 1
                falls += ranking.line[row] < ranking.line[row - 1]
    rising = ordered > 1 and falls == ordered
    other = not rising and disordered > len(run.topics) / 10
    return {kind for kind, there in (("ties", tied), ("rising scores", rising), ("order", other)) if there}


def test_notes_as_pair_by_pair():
    rng = np.random.default_rng(3)
    seen = set()
    for count in [*range(1, 40), 1500, 2500]:
        topic = np.sort(rng.integers(0, rng.integers(1, 5), count))
        score = np.arange(count) // rng.integers(1, 3) * rng.choice([1.0, -1.0])
        if rng.random() < 0.3:
            score[rng.integers(0, count)] = 7
        run = assemble(
            tag="", topic=[str(t) for t in topic], document=[f"d{i}" for i in range(count)], score=score.astype(float),
            line=np.arange(count), order=str(rng.choice(["trec", "score"])),
        )  # fmt: skip
        found = {note.kind for note in score_notes(run)}
        assert found == _slow(run)
        seen |= {frozenset(found)}
    assert len(seen) == 6


def test_results_that_end_after_their_document_are_told(files):
    written = files(
        t_jsonl='{"topic": "1", "doc": "a", "start": 2, "end": 9}\n',
        r_jsonl='{"topic": "1", "doc": "a", "start": 0, "end": 50, "score": 2}\n'
        '{"topic": "1", "doc": "b", "start": 0, "end": 50, "score": 1}\n',
        l_tsv="a\t10\nb\t50\n",
    )
    found = bp.evaluate(written["t_jsonl"], written["r_jsonl"], "charP@1", collection=written["l_tsv"])
    assert found.mean() == {"r": {"charP@1": 0.14}}
    said = f"1 result ends after the document, by its length in {written['l_tsv']}; the rest finds nothing"
    assert kinds(found) == {"input": said}
    assert kinds(bp.evaluate(written["t_jsonl"], written["r_jsonl"], "charP@1", collection={"b": 50})) == {}


def test_a_table_with_bars_is_no_trec_run(files, berrypick):
    written = files(r_run="1 | a | 2.0 | mine\n", s_run="1 | a | 2.0 |\n", t_qrels="1 0 a 1\n")
    for name in ("r_run", "s_run"):
        done = berrypick("evaluate", written["t_qrels"], written[name], "-m", "RR")
        assert done.code == 2 and "is not a recognised run format" in done.err


@pytest.mark.parametrize("value", [float("nan"), np.nan, np.float32("inf"), 10**400, "x", np.array([1.0, 2.0])])
def test_what_is_no_value_is_refused(value):
    with pytest.raises(bp.UsageError, match="compute returned"):
        as_score(value)


def test_no_measure_of_documents_gives_what_is_no_number(monkeypatch):
    from berrypick.measures.documents.p import P

    monkeypatch.setattr(P, "values", lambda self, documents: np.full(2, np.nan))
    with pytest.raises(bp.UsageError, match="P@1: compute returned nan"):
        bp.evaluate(TRUTH, {"1": {"a": 1.0}}, "P@1")


@pytest.mark.parametrize(
    "format", sorted({"trec-run", "mediaeval-run", "genomics-run", "span-table-run", "links"} & {*formats.registered()})
)
def test_a_second_byte_order_mark_is_refused_by_both_readers(tmp_path, kernels, format):
    """As part of a name it is another topic, which no one sees."""
    cls = formats.by_name(format)
    path, lines = tmp_path / "file", sample(cls).encode().splitlines(keepends=True)
    path.write_bytes(codecs.BOM_UTF8 + b"".join(lines))
    formats.read_any(path, None, format)
    path.write_bytes(b"".join([*lines[:-1], codecs.BOM_UTF8, lines[-1]]))
    with pytest.raises(bp.InputError, match="begins with a byte order mark") as error:
        formats.read_any(path, None, format)
    assert error.value.line == len(lines)


def test_names_that_begin_lines_as_comments_are_not_written(tmp_path):
    (tmp_path / "r.jsonl").write_text('{"topic": "#1", "doc": "a", "score": 1}\n')
    run = formats.read_run(tmp_path / "r.jsonl")
    for format in ("trec-run", "span-table-run"):
        with pytest.raises(bp.UsageError, match="cannot begin with '#1'"):
            formats.write(run, tmp_path / "out", format)
