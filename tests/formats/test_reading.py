"""What readers of TREC, span and navigation files accept, refuse, and make of it."""

import gzip
import json
import os
import random
import re
import stat
import threading

import handmade
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import berrypick as bp
from berrypick import formats
from berrypick.data.assemble import assemble
from berrypick.formats import Problems


@pytest.fixture
def written(tmp_path):
    def write(content, name="file"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def listed(run, topic="1"):
    ranking = run.ranking(topic)
    return [ranking.name(row) for row in range(len(ranking))]


# --- TREC ----------------------------------------------------------------------------------------------------------


def test_order_is_by_score_then_by_name_both_descending(written):
    """As trec_eval does; the rank column is not used."""
    run = bp.read_run(written("1 Q0 a 1 5 t\n1 Q0 c 2 5 t\n1 Q0 b 3 5 t\n1 Q0 z 4 7.5 t\n1 Q0 y 0 -1e3 t\n"))
    assert listed(run) == ["z", "c", "b", "a", "y"]


def test_names_are_compared_as_bytes(written):
    """UTF-8 bytes: capital letters before small ones, ASCII before the rest, and beyond the basic plane last."""
    names = ["B", "a", "é", "\uffff", "\U0001f600"]
    run = bp.read_run(written("".join(f"1 Q0 {name} 1 5 t\n" for name in names)))
    assert listed(run) == sorted(names, key=str.encode, reverse=True)


def test_comments_blank_lines_and_any_white_space(written):
    truth = bp.read_truth(written("# judged by hand\n\n1\t0\ta\t1\n  1  0  b  0 \n"))
    assert truth.topics["1"].document == ("a", "b")
    run = bp.read_run(written("#x\n1\tQ0\ta\t1\t0.5\tt\n\n"))
    assert listed(run) == ["a"] and run.tag == "t"


def test_windows_files(written):
    truth = bp.read_truth(written(b"\xef\xbb\xbf1 0 a 1\r\n1 0 b 0\r\n"))
    assert truth.topics["1"].document == ("a", "b")
    run = bp.read_run(written(b"\xef\xbb\xbf1 Q0 a 1 1 t\r\n1 Q0 b 2 .5 t"))
    assert listed(run) == ["a", "b"] and run.tag == "t"


def test_gzip_by_content_not_by_name(written):
    truth = bp.read_truth(written(gzip.compress(b"1 0 a 1\n"), "plain.qrels"))
    assert truth.topics["1"].document == ("a",)
    several = gzip.compress(b"1 0 a 1\n") + gzip.compress(b"1 0 b 1\n")
    assert bp.read_truth(written(several)).topics["1"].document == ("a", "b"), "concatenated members"


def test_grades_below_0_and_fractions(written):
    truth = bp.read_truth(written("1 0 a -2\n1 0 b .5\n1 0 c 1e0\n"))
    assert truth.topics["1"].grade.tolist() == [-2, 0.5, 1]


@pytest.mark.parametrize(
    ("content", "line", "told"),
    [
        ("1 0 a 1\n1 0 b\n", 2, "3 columns, expected 4"),
        ("1 0 a 1\n1 0 b 1 x\n", 2, "5 columns"),
        ("1 0 a 1\n1 0 b one\n", 2, "'one' is not a number"),
        ("1 0 a 1\n1 0 b nan\n", 2, "'nan'"),
        ("1 0 a 1\n1 0 b inf\n", 2, "'inf'"),
        ("1 0 a 1\n2 0 a 0\n1 0 a 1\n", 3, "first in line 1"),
    ],
)
def test_bad_qrels(written, content, line, told):
    with pytest.raises(bp.InputError, match=told) as error:
        bp.read_truth(written(content))
    assert error.value.line == line
    assert f":{line}: " in str(error.value)


@pytest.mark.parametrize(
    ("content", "line", "told"),
    [
        ("1 Q0 a 1 1 t\n1 Q0 b 2 1\n", 2, "5 columns, expected 6"),
        ("1 Q0 a 1 1 t\n1 Q0 b 2 nan t\n", 2, "'nan' is not a finite number"),
        ("1 Q0 a 1 1 t\n1 Q0 b 2 inf t\n", 2, "'inf'"),
        ("1 Q0 a 1 1 t\n1 Q0 b 2 high t\n", 2, "'high'"),
    ],
)
def test_bad_runs(written, content, line, told):
    with pytest.raises(bp.InputError, match=told) as error:
        bp.read_run(written(content))
    assert error.value.line == line


def test_text_that_is_not_utf_8(written):
    with pytest.raises(bp.InputError, match="UTF-8") as error:
        bp.read_truth(written(b"1 0 a 1\n1 0 caf\xe9 1\n"))
    assert error.value.line == 2


def test_a_truth_is_not_taken_for_a_run(written):
    with pytest.raises(bp.InputError, match="trec-qrels"):
        bp.read_run(written("1 0 a 1\n"))
    with pytest.raises(bp.InputError, match="trec-run"):
        bp.read_truth(written("1 Q0 a 1 1 t\n"))


def test_what_is_not_recognised_is_told_with_its_place_and_what_to_do(written):
    for content, line in (("nonsense\n", 1), ("# a comment\n\n \nnonsense here\n", 4), (b"\xff\xfen\0\n\0", 1)):
        path = written(content)
        with pytest.raises(bp.InputError, match="not a recognised run format") as error:
            bp.read_run(path)
        assert str(error.value).startswith(f"{path}:{line}: ") and "expected one of\n  " in str(error.value)
        assert "\n  trec-run: topic Q0" in str(error.value) and "\n  inex-" not in str(error.value)
        if "inex-submission" in formats.registered():  # not where the slices are hidden
            assert re.search(r"\n  or one of \d+ others: berrypick list formats", str(error.value))
    packed = written(gzip.compress(b"#\n" + b"x" * 200_000 + b"\n"), "long.gz")
    with pytest.raises(bp.InputError) as error:
        bp.read_truth(packed)
    assert error.value.line == 2


def test_what_was_meant_for_another_place_is_told_with_its_line(written):
    for read, content in ((bp.read_run, "# judged\n1 0 a 1\n"), (bp.read_truth, "\n1 Q0 a 1 1 t\n")):
        with pytest.raises(bp.InputError, match=r"the truth comes first, then the runs; .*format=") as error:
            read(written(content))
        assert error.value.line == 2
    with pytest.raises(bp.InputError, match="expected one of") as error:
        bp.read_navigation(written("1 0 a 1\n"))
    assert error.value.line == 1


# --- spans ---------------------------------------------------------------------------------------------------------


def lines(*records):
    return "".join(json.dumps(record) + "\n" for record in records)


def span(topic="1", doc="d", start=0, end=5, **more):
    return {"topic": topic, "doc": doc, "start": start, "end": end, **more}


def test_order_by_rank_else_by_score_else_as_it_stands(written):
    by_rank = lines(span(doc="a", rank=2, score=9), span(doc="b", rank=1, score=1))
    by_score = lines(span(doc="a", score=1), span(doc="b", score=2), span(doc="c", score=2))
    as_is = lines(span(doc="b"), span(doc="a"))
    assert [name[0] for name in listed(bp.read_run(written(by_rank)))] == ["b", "a"]
    assert [name[0] for name in listed(bp.read_run(written(by_score)))] == ["b", "c", "a"], "file order within ties"
    assert [name[0] for name in listed(bp.read_run(written(as_is)))] == ["b", "a"]


def test_equal_ranks_are_one_item(written):
    run = bp.read_run(written(lines(span(doc="a", rank=0), span(doc="b", rank=0), span(doc="c", rank=7))))
    ranking = run.ranking("1")
    assert ranking.rank.tolist() == [0, 0, 1] and ranking.ranks == 2


def test_exact_copies_are_merged_and_overlaps_kept(written):
    truth = bp.read_truth(written(lines(span(), span(), span(start=3, end=9))))
    assert len(truth.topics["1"]) == 2
    with pytest.raises(bp.InputError, match="line 1") as error:
        bp.read_truth(written(lines(span(grade=1), span(grade=2))))
    assert error.value.line == 2


def test_whole_documents_without_offsets(written):
    truth = bp.read_truth(written(lines({"topic": "1", "doc": "a"}, {"topic": 1, "doc": "b", "grade": 0})))
    assert truth.units == "documents"
    assert truth.topics["1"].grade.tolist() == [1, 0]
    run = bp.read_run(written(lines({"topic": "1", "doc": "a", "score": 1})))
    assert not run.points_into_documents


def test_a_document_judged_empty_among_spans(written):
    truth = bp.read_truth(written(lines(span(), {"topic": "2", "doc": "e", "grade": 0})))
    assert truth.units == "spans"
    assert len(truth.topics["2"]) == 0
    assert truth.topics["2"].empty_documents == ("e",)
    with pytest.raises(bp.InputError, match="as a whole"):
        bp.read_truth(written(lines(span(), {"topic": "2", "doc": "e", "grade": 1})))


@pytest.mark.parametrize(
    ("record", "told"),
    [
        (span(start=9, end=5), "end 5 is before start 9"),
        (span(start=5, end=5), "is empty"),
        (span(start=-1), "below 0"),
        ({"topic": "1", "doc": "d", "start": 3}, "end is missing"),
        ({"topic": "1", "doc": "d", "end": 3}, "start is missing"),
        ({"doc": "d", "start": 0, "end": 3}, "topic is missing"),
        ({"topic": "1", "start": 0, "end": 3}, "doc is missing"),
        (span(doc=""), "doc must be a non-empty string"),
        (span(doc=["d"]), "doc is a list, but start is not"),
        (span(doc=["d", "e"], start=[0, 1]), "doc is a list, but end is not"),
        (span(doc=[True], start=[0], end=[5]), "doc must be a non-empty string"),
        (span(topic=True), "topic must be a non-empty string"),
        (span(end=1e30), "2\\^53"),
        (span(start="0"), "start must be a number"),
        (span(start=True), "start must be a number"),
        (span(grade="high"), "grade must be a number"),
        (span(grade=float("nan")), "NaN"),
        (span(end=float("inf")), "Infinity"),
    ],
)
def test_bad_spans(written, record, told):
    with pytest.raises(bp.InputError, match=told) as error:
        bp.read_truth(written(lines(span(doc="fine"), record)))
    assert error.value.line == 2


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"topic": "1", "doc": "d"', "not JSON"),
        ("[1, 2]", "not an object"),
        ("{" * 5000, "not JSON"),
        ('{"topic": "1", "doc": "d", "start": ' + "9" * 5000 + ', "end": 3}', "not JSON|2\\^53"),
    ],
)
def test_bad_json(written, text, told):
    with pytest.raises(bp.InputError, match=told) as error:
        bp.read_truth(written(lines(span()) + text + "\n"))
    assert error.value.line == 2


def test_mixed_lines_are_refused(written):
    for mixed, told in [
        (lines(span(score=1), {"topic": "1", "doc": "d", "score": 1}), "start and end"),
        (lines(span(score=1), span(start=1)), "score"),
        (lines(span(rank=1), span(start=1)), "rank"),
    ]:
        with pytest.raises(bp.InputError, match=told) as error:
            bp.read_run(written(mixed))
        assert error.value.line == 2


def test_fractions_of_seconds_stay_fractions(written):
    truth = bp.read_truth(written(lines(span(start=0.5, end=2.25))))
    assert truth.topics["1"].end.tolist() == [2.25]
    whole = bp.read_truth(written(lines(span(start=0.0, end=2.0))))
    assert whole.topics["1"].end.dtype == np.int64


# --- navigation and lengths ---------------------------------------------------------------------------------------


def test_navigation_is_recognised_by_its_columns(written):
    from berrypick.data.navigation import ReachTable

    assert isinstance(bp.read_navigation(written("a\tb\t.5\n")), ReachTable)
    assert bp.read_navigation(written("# no rows\n")).rows == {}, "a table without rows is allowed"


def test_names_may_hold_spaces(written):
    table = bp.read_navigation(written("New York\tSão Paulo\t0.25\n"))
    assert table.rows == {("New York", "São Paulo"): 0.25}


@pytest.mark.parametrize(
    ("content", "line", "told"),
    [
        ("a\tb\t.5\na\tc\t1.5\n", 2, "'1.5' is not a probability"),
        ("a\tb\t.5\na\tc\t-0.1\n", 2, "not a probability"),
        ("a\tb\t.5\na\tc\tnan\n", 2, "not a probability"),
        ("a\tb\t.5\na\tc\n", 2, "from TAB to TAB probability"),
        ("a\tb\t.5\na c .5\n", 2, "TAB"),
        ("a\tb\t.5\na\tb\t.6\n", 2, "first in line 1"),
    ],
)
def test_bad_navigation(written, content, line, told):
    with pytest.raises(bp.InputError, match=told) as error:
        bp.read_navigation(written(content))
    assert error.value.line == line


def test_lengths(written):
    assert bp.read_collection(written("a\t100\nb\t2.5\n")).lengths == {"a": 100, "b": 2.5}
    assert bp.read_collection(written(lines({"doc": "a", "length": 7}))).lengths == {"a": 7}
    for content, told in [("a\t-1\n", "below 0"), ("a\t1\na\t2\n", "two lengths")]:
        with pytest.raises(bp.InputError, match=told):
            bp.read_collection(written(content))


# --- writing -------------------------------------------------------------------------------------------------------

NAMES = st.text(st.characters(codec="utf-8", exclude_categories=("Z", "C")), min_size=1, max_size=5).filter(
    lambda name: not name.startswith("#") and name.split() == [name]
)


@given(st.dictionaries(NAMES, st.dictionaries(NAMES, st.floats(-2, 9, width=32), min_size=1, max_size=4), min_size=1))
@settings(max_examples=40)
def test_qrels_survive(tmp_path_factory, grades):
    path = tmp_path_factory.mktemp("qrels") / "t.qrels"
    formats.write(handmade.document_truth(grades), path, "trec-qrels")
    again = bp.read_truth(path)
    assert {topic: dict(zip(t.document, t.grade.tolist(), strict=True)) for topic, t in again.topics.items()} == grades


def order_of(run):
    return {
        topic: [(ranking.name(row), int(ranking.rank[row])) for row in range(len(ranking))]
        for topic, ranking in run.rankings()
    }


@given(
    st.lists(
        st.tuples(st.sampled_from("ab"), NAMES, st.sampled_from([1.0, 2.0, 2.5])),
        min_size=1,
        max_size=8,
        unique_by=lambda r: r[:2],
    ),
    st.sampled_from(["trec", "score", "file", "rank"]),
    st.sampled_from(["trec-run", "span-run"]),
)
@settings(max_examples=120)
def test_runs_of_documents_keep_their_order_or_are_refused(tmp_path_factory, rows, order, name):
    """Whatever a run was ordered by: what is written is read back in the same order, with the same items."""
    score = np.array([row[2] for row in rows])
    run = assemble(
        tag="t",
        topic=[row[0] for row in rows],
        document=[row[1] for row in rows],
        score=score if order != "file" else None,
        rank=score if order == "rank" else None,
        order=order,
    )
    if formats.by_name(name).accepts(run):
        return
    path = tmp_path_factory.mktemp("runs") / "r"
    formats.write(run, path, name)
    assert order_of(bp.read_run(path, name)) == order_of(run)


def test_a_list_of_groups_is_no_trec_run():
    """Several documents at one rank: a TREC run would put them in an order of its own."""
    run = assemble(tag="t", topic=["1", "1"], document=["a", "b"], rank=np.zeros(2), order="rank")
    assert formats.by_name("trec-run").accepts(run)


def test_elements_are_not_written_as_spans(tmp_path):
    """Paths would be lost."""
    run = assemble(tag="t", topic=["1"], document=["d"], path=["/article[1]"])
    with pytest.raises(bp.UsageError, match="span-run"):
        formats.write(run, tmp_path / "out.jsonl", "span-run")
    assert not list(tmp_path.iterdir())


def test_a_failed_write_leaves_nothing_behind(tmp_path):
    class Broken(dict):
        def items(self):
            raise RuntimeError("half way")

    from berrypick.data.collection import Collection

    target = tmp_path / "out.tsv"
    target.write_text("before\n")
    with pytest.raises(RuntimeError):
        formats.write(Collection(Broken(a=1)), target, "document-lengths")
    assert [path.name for path in tmp_path.iterdir()] == ["out.tsv"]
    assert target.read_text() == "before\n"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
def test_what_is_no_plain_file_is_written_to_and_not_replaced(tmp_path):
    """A named pipe, /dev/stdout: there is no file to put in its place."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_text()), daemon=True)
    reader.start()
    try:
        formats.write(handmade.document_run({"1": ["a"]}), pipe, "trec-run")
        assert stat.S_ISFIFO(pipe.stat().st_mode)
    finally:
        if stat.S_ISFIFO(pipe.stat().st_mode):
            reader.join(10)
    assert got and got[0].startswith("1 Q0 a 1 ")


def test_the_ending_chooses_the_format(tmp_path):
    run = handmade.document_run({"1": ["a"]})
    assert formats.write(run, tmp_path / "a.jsonl").name() == "span-run"
    assert formats.write(run, tmp_path / "a.run.gz").name() == "trec-run"
    with pytest.raises(bp.UsageError, match="format="):
        formats.write(run, tmp_path / "a.unheard")


def test_problems_have_a_limit(written):
    path = written("1 0 a 1\n" + "bad\n" * 50)
    problems = Problems(str(path), strict=False, limit=10)
    formats.by_name("trec-qrels").read(str(path), problems)
    assert len(problems.found) == 10


@pytest.mark.parametrize(
    "content",
    [
        "1 0 a 1\n1 0 b 0\n2 0 a 2.5\n1 0 c 1",
        "\ufeff1 0 a 1\n2\t0\tb  1\r\n",
        "1 0 \u00e4\u2028 1\n1 0 b\x85c 1\n",
        "1 0 a 1e0\n1 0 b +1\n1 0 c -1\n",
        "# a comment\n1 0 a 1\n",
        "1 0 a 1\n\n1 0 b 1\n",
        "1 0 a 1\n1 0 a 0\n",
        "1 0 a 1\n1 0 b nan\n",
        "1 0 a 1\n1 0 b\n",
    ],
)
def test_scanned_qrels_are_as_line_by_line(written, content, monkeypatch):
    """The scanner takes good files only, and finds the same in them."""
    path = str(written(content.encode(), "some.qrels"))

    def read():
        problems = formats.Problems(path, strict=False)
        truth = formats.by_name("trec-qrels").read(path, problems)
        topics = {
            name: (topic.document, topic.grade.tolist(), topic.line.tolist()) for name, topic in truth.topics.items()
        }
        return topics, [str(problem) for problem in problems.found]

    quick = read()
    monkeypatch.setenv("BERRYPICK_KERNELS", "numpy")
    assert quick == read()


@pytest.mark.slow
def test_lines_of_words_are_recognised_as_by_all_formats(written):
    """Formats that are not loaded, because their declarations exclude the lines, would not have answered first."""
    draw = random.Random(5)
    words = [
        "1",
        "Q0",
        "0",
        "a",
        "d7",
        "0.5",
        "17.10",
        "3:4",
        "/a[1]",
        "-1",
        "X",
        "nan",
        "10",
        "mysystem",
        "{",
        "<a>",
        '"b"',
    ]
    asked = [formats.registry.load(one) for one in formats.in_order(formats.registry.definitions())]
    recognised = 0
    for _ in range(400):
        drawn = [draw.choices(words, k=draw.randrange(3, 10)) for _ in range(draw.randrange(1, 3))]
        if draw.random() < 0.5:
            drawn = [[one[0], "Q0", *one[2:]] for one in drawn]
        lines = [" ".join(one) for one in drawn]
        path = str(written("\n".join(lines).encode(), "some.txt"))
        for role in ("truth", "run"):
            expected = next((cls for cls in asked if cls.role == role and cls.sniff(lines)), None)
            recognised += expected is not None
            try:
                found = formats.sniff(path, role)
            except bp.InputError:
                found = None
            assert found is expected, (role, lines)
    assert recognised > 50


@pytest.mark.parametrize("carrier", ["lines", "records"])
def test_a_topic_with_an_empty_list_of_relevant_ones_stays(carrier, tmp_path):
    rows = [{"topic": "1", "relevant": ["a"]}, {"topic": "2", "relevant": []}]
    path = tmp_path / "truth.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    results = bp.evaluate(path if carrier == "lines" else rows, {"1": {"a": 1.0}, "2": {"b": 1.0}}, "RR")
    assert results.topics == ("1", "2")
    assert "1 judged topic has nothing relevant" in str(results)


def test_a_file_that_ends_early_is_reported_as_before(tmp_path):
    """Lines that are read to look for several runs in a file do not report what is wrong with it."""
    damaged, plain, truth = tmp_path / "damaged.run.gz", tmp_path / "plain.run", tmp_path / "t.qrels"
    draw = random.Random(3)
    lines = [f"1 Q0 {draw.getrandbits(400):x} {rank} {-rank} mine\n" for rank in range(1, 20)]
    damaged.write_bytes(gzip.compress("".join(lines).encode())[:-200])
    plain.write_text("1 Q0 a 1 1.0 mine\n")
    truth.write_text("1 0 a 1\n")
    for runs in (damaged, [damaged, plain], [plain, damaged]):
        with pytest.raises(bp.InputError, match=r"damaged\.run\.gz: the gzip file ends early or is damaged"):
            bp.evaluate(truth, runs, "AP")
    (tmp_path / "other.run").write_text("1 Q0 a 1 1.0 mine\n1 Q0 b\n")
    with pytest.raises(bp.InputError, match=r"other\.run:2: has 3 columns"):
        bp.evaluate(truth, [plain, tmp_path / "other.run"], "AP")


def test_sessions_may_have_spaces_in_names(tmp_path):
    path = tmp_path / "visits.sessions"
    path.write_text("home page;jam and jelly; < ;plum jam\nhome page\n")
    found = bp.read_navigation(path)
    assert found.paths == (("home page", "jam and jelly", "<", "plum jam"), ("home page",))
    bp.write(found, tmp_path / "again.sessions")
    assert bp.read_navigation(tmp_path / "again.sessions").paths == found.paths
    truth, run = [{"topic": "q", "doc": "plum jam"}], [{"topic": "q", "doc": "home page", "rank": 1}]
    # of two visits to the home page one goes on, and then to the plum jam
    assert bp.score("EPRUM", truth, run, navigation=path) == pytest.approx(0.5)
