"""Numbers that no measure can count with are refused, and a value that could not be computed is never a number."""

from fractions import Fraction

import pytest

import berrypick as bp
from berrypick import formats
from berrypick.formats import Problems
from berrypick.given.convert import as_run, as_truth
from berrypick.measures import _documents


@pytest.mark.slow
@pytest.mark.parametrize("column", ["start", "end", "grade"])
@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_parquet_truth_with_what_is_not_a_number(tmp_path, column, value):
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    columns = {"topic": ["1", "1"], "doc": ["a", "b"], "start": [0.0, 1.0], "end": [5.0, 6.0], "grade": [1.0, 1.0]}
    columns[column][1] = value
    parquet.write_table(pa.table(columns), tmp_path / "t.parquet")
    with pytest.raises(bp.InputError, match=f"{column} must be a number"):
        formats.read_truth(tmp_path / "t.parquet")


@pytest.mark.parametrize("column", ["start", "score", "rank"])
def test_parquet_run_with_what_is_not_a_number(tmp_path, column):
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    columns = {"topic": ["1"], "doc": ["a"], "start": [0.0], "end": [5.0], "rank": [1.0], "score": [1.0]}
    columns[column] = [float("nan")]
    parquet.write_table(pa.table(columns), tmp_path / "r.parquet")
    with pytest.raises(bp.InputError, match=f"{column} must be a number"):
        formats.read_run(tmp_path / "r.parquet")


SUBMISSION = """<inex-submission><topic topic-id="1"><result>
<file>a</file>{}</result></topic></inex-submission>"""
ASSESSMENT = """<assessments topic="1"><file name="a">
<element path="/p[{}]" exhaustivity="1" size="1" rsize="1"/></file></assessments>"""
VIDEO_RESULTS = """<videoSearchResults><videoSearchResult tNum="5">
<item seqNum="{}" src="a" start="1s" stop="2s"/></videoSearchResult></videoSearchResults>"""
DIGITS = ["²", "٣", "9" * 5000]


#: Lines in which a number is to be filled in; those of formats that are not installed are left out.
LINES = [
    ("genomics-run", "200 1 {} 48.6 1 2 me"),
    ("genomics-run", "200 1 1 48.6 {} 2 me"),
    ("genomics-run", "200 1 1 48.6 1 {} me"),
    ("genomics-gold", "200\t1\t{}\t2\tA"),
    ("genomics-gold", "200\t1\t2\t{}\tA"),
    ("mediaeval-run", "q Q0 v 1.0 2.0 1.0 {} 17.5"),
    ("mediaeval-run", "q Q0 v {} 2.0 1.0 1 17.5"),
    ("mediaeval-qrels", "q Q0 v 1.0 {} 1"),
    ("inex-fol-truth", "7 Q0 812 300 {} 250 250:200"),
    ("inex-fol-truth", "7 Q0 812 300 1000 {} 250:200 600:100"),
    ("inex-fol-truth", "7 Q0 812 300 1000 250 250:{}"),
    ("inex-fol-run", "7 Q0 812 1 9.2 me {} 120"),
    ("inex-submission", SUBMISSION.format("<path>/p[{}]</path>")),
    ("inex-submission", SUBMISSION.format('<passage start="/p[1]/text()[1].{}" end="/p[2]/text()[1].5"/>')),
    ("inex-assessments", ASSESSMENT),
    ("trecvid-results", VIDEO_RESULTS),
    ("span-truth", '{{"topic": "1", "doc": "d", "start": {}, "end": 9}}'),
    ("span-run", '{{"topic": "1", "doc": "d", "start": 0, "end": {}}}'),
    ("span-lengths", '{{"doc": "d", "length": {}}}'),
    ("document-lengths", "a\t{}"),
    ("navigation-table", "a\tb\t{}"),
    ("trec-run", "1 Q0 d 1 {} r"),
    ("trec-qrels", "1 0 d {}"),
    ("span-table-truth", "topic,doc,start,end\n1,d,{},9999999999999"),
]


@pytest.mark.slow
@pytest.mark.parametrize("digits", DIGITS)
@pytest.mark.parametrize(("format", "line"), [one for one in LINES if one[0] in formats.registered()])
def test_digits_that_are_no_number_are_told_with_their_line(put, format, line, digits):
    """Superscript and other digits, and numbers that no integer of Python is read from, end in a message."""
    path = put("file", line.format(digits) + "\n")
    problems = Problems(path, strict=False)
    try:
        formats.by_name(format).read(path, problems)
    except bp.InputError as error:
        problems.found.append(error)
    if digits != "٣":  # float() reads these
        assert problems.found, (format, line)
    for name in formats.registered().values():
        name.sniff([line.format(digits)])


@pytest.mark.parametrize("grade", ["2147483647", "1001", "-1001", "9223372036854775808", "1e300"])
@pytest.mark.parametrize(
    ("name", "line"), [("t.qrels", "1 0 a {}"), ("t.jsonl", '{{"topic": "1", "doc": "a", "grade": {}}}')]
)
def test_grades_are_bounded(put, name, line, grade):
    good = line.replace('"a"', '"b"').replace(" a ", " b ").format(1)
    with pytest.raises(bp.InputError, match="grade") as error:
        formats.read_truth(put(name, f"{good}\n{line.format(grade)}\n"))
    assert error.value.line == 2


def test_grades_of_dictionaries_are_bounded():
    with pytest.raises(bp.InputError, match="grade"):
        bp.evaluate({"1": {"a": 2**31}}, {"1": {"a": 1.0}}, "AP")
    assert bp.evaluate({"1": {"a": 1000}}, {"1": {"a": 1.0}}, "nDCG").mean() == {"run": {"nDCG": 1}}


@pytest.mark.parametrize("given", [[], [float("nan")], [float("inf")]])
def test_a_value_that_a_library_does_not_give_back_is_an_error(monkeypatch, given):
    import ir_measures

    def nothing(measures, qrels, ranked):
        for value in given:
            yield ir_measures.Metric(query_id="q-1", measure=ir_measures.Bpref, value=value)

    monkeypatch.setattr(ir_measures, "iter_calc", nothing)
    measure = _documents.parse("Bpref")
    truth, run = as_truth({"q-1": {"a": 1}}), as_run({"q-1": {"a": 1.0}})
    with pytest.raises(bp.BerrypickError, match="no value of Bpref for topic q-1"):
        _documents.score(truth, run, [measure])


@pytest.mark.parametrize(
    "text",
    [
        "nDCG(gains={1: 2000000000})", "nDCG(gains={1: 10000000000000})", "nDCG(gains={1: -5})",
        "nDCG(gains={1: 1.5})", "nDCG(gains={'a': 1})", "nDCG(gains={1: True})", "nDCG(gains={1: 1e400})",
        "IPrec@1.5", "IPrec@0.555", "NERR10(max_rel=3, p=2.0)", "INST(max_rel=3, T=0.0)", "NRBP(alpha=-0.5)",
    ],
)  # fmt: skip
def test_parameters_that_a_library_would_take_without_a_word(text):
    """pytrec_eval had no memory for a large gain and answered 0, ended the process over one below 0, and computed
    IPrec@0.555 at 0.56."""
    with pytest.raises(bp.UsageError, match=r"must be|are whole numbers"):
        bp.score(text, {"q": {"a": 1}}, {"q": {"a": 1.0}})


def test_gains_for_grades_count():
    truth, run = {"q": {"a": 1, "b": 2}}, {"q": {"b": 2.0, "a": 1.0}}
    assert bp.score("nDCG(gains={1: 1000})", truth, run) < 0.7 < bp.score("nDCG(gains={1: 0})", truth, run)


def test_any_exception_of_a_library_is_an_error_of_ours():
    """Accuracy divides by the results that are not relevant."""
    with pytest.raises(bp.UsageError, match="could not compute Accuracy: float division by zero"):
        bp.score("Accuracy", {"q": {"a": 1}}, {"q": {"a": 1.0}})


HUGE = 10**400  # a whole number, and no float
TRUTH, RUN = {"q": {"a": 1}}, {"q": {"a": 1.0}}
SPANS = {"q": [("d", 0, 5)]}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bp.evaluate({"q": {"a": HUGE}}, RUN, "AP"), "the grade of a is 1000.*, which is not a number"),
        (lambda: bp.evaluate({"q": {"a": Fraction(HUGE)}}, RUN, "AP"), "the grade of a is .*, which is not a number"),
        (lambda: bp.evaluate(TRUTH, {"q": {"a": HUGE}}, "AP"), "the score of a is 1000.*, which is not a number"),
        (lambda: bp.evaluate(TRUTH, RUN, "AP", collection={"a": HUGE}), "the length of 'a' is 1000"),
        (lambda: bp.evaluate(TRUTH, RUN, "AP", min_score=HUGE), "min_score must be a finite number"),
        (lambda: bp.evaluate(TRUTH, RUN, "EPRUM", idealism={HUGE: 1}), "is not grade=share"),
        (lambda: bp.evaluate(TRUTH, RUN, "EPRUM", idealism={1: HUGE}), "is not grade=share"),
        (lambda: bp.score(f"EPRUM(r={HUGE})", TRUTH, RUN), "r=1000.* must be a whole number of at most 2\\^53"),
        (
            lambda: bp.score(f"EPRUM(user='distance(theta={HUGE})')", SPANS, SPANS),
            "theta=1000.* must be a finite number",
        ),
        (lambda: bp.eprum([[HUGE, 0.2]]), "reach must be a matrix of probabilities"),
        (lambda: bp.evaluate(TRUTH, {"q": [{"doc": "a", "score": HUGE}]}, "AP"), "score must be a number of at most"),
    ],
)
def test_whole_numbers_too_large_for_a_float(call, message):
    with pytest.raises(bp.BerrypickError, match=message) as raised:
        call()
    assert len(str(raised.value)) < 500
