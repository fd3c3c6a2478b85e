"""The small language of measures and user models."""

import contextlib
import sys

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st

import berrypick as bp
from berrypick.data import spec
from berrypick.evaluation.requested import parse_measure, resolve_measures
from berrypick.measures import _documents as document_measures


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("EPRUM nxCG@10 AgP", ["EPRUM", "nxCG@10", "AgP"]),
        ("EPRUM(r=2, norm='product')   AgP", ["EPRUM(r=2, norm='product')", "AgP"]),
        ("A(x='a b)c') B", ["A(x='a b)c')", "B"]),
        ('A(x="a \' b") B', ['A(x="a \' b")', "B"]),
        ("  ", []),
        ("EPRUM(user='bep(A=0.1)')\n\tPRUM", ["EPRUM(user='bep(A=0.1)')", "PRUM"]),
    ],
)
def test_split_at_white_space_outside_brackets(text, parts):
    assert spec.split(text) == parts


@pytest.mark.parametrize("text", ["EPRUM(r=2", "EPRUM(x='a)", 'A(x="'])
def test_what_is_not_closed_is_told(text):
    with pytest.raises(bp.UsageError, match="closing"):
        spec.split(text)


@pytest.mark.parametrize(
    ("text", "name", "parameters", "at"),
    [
        ("EPRUM", "EPRUM", {}, None),
        ("EPRUM()", "EPRUM", {}, None),
        ("EPRUM( r = 2 )@ .5", "EPRUM", {"r": 2}, 0.5),
        ("nDCG(dcg='exp-log2')@10", "nDCG", {"dcg": "exp-log2"}, 10),
        ("X(a=-1.5,b=True,c=None,d='x')", "X", {"a": -1.5, "b": True, "c": None, "d": "x"}, None),
        ("X@1e-3", "X", {}, 0.001),
    ],
)
def test_parts(text, name, parameters, at):
    found = spec.parse(text)
    assert (found.name, dict(found.parameters), found.at) == (name, parameters, at)


@pytest.mark.parametrize(
    "text",
    [
        "", "1x", "EPRUM)", "EPRUM(2)", "EPRUM(r=2,r=3)", "EPRUM(*x)", "EPRUM(**x)", "EPRUM(r=two)", "EPRUM@",
        "EPRUM@ten", "EPRUM@nan", "EPRUM@inf", "EPRUM@1@2", "EPRUM(r=__import__('os'))", "EPRUM(r=(1).bit_length())",
        "EPRUM(r=", "EPRUM(r=2)x",
        "EPRUM(" + "(" * 3000 + ")" * 3000 + ")", "E-PRUM", "EPRUM(r=1;2)", "EPRUM(lambda: 0)", "EPRUM.x",
    ],
)  # fmt: skip
def test_what_is_not_a_measure_is_wrong_usage(text):
    with pytest.raises(bp.UsageError):
        resolve_measures([text] if text else "")


def test_a_word_without_quotes_gets_a_hint():
    with pytest.raises(bp.UsageError, match=r"needs quotes, as in ideal='\.\.\.'"):
        spec.parse("EPRUM(ideal=greedy)")


@given(st.text(max_size=30))
def test_any_text_at_all_is_a_measure_or_wrong_usage(text):
    with contextlib.suppress(bp.UsageError):
        resolve_measures(text)


@given(st.text(alphabet="EPRUM()=@.,'\" 0123456789rankidel", max_size=25).map("EPRUM".__add__))
def test_anything_that_looks_like_a_measure_too(text):
    with contextlib.suppress(bp.UsageError):
        resolve_measures(text)


NAMES = st.sampled_from(["a", "bc", "long_name"])
VALUES = st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.booleans(), st.text(max_size=8))
CUTS = st.one_of(st.none(), st.integers(0, 10**12), st.floats(0, 1e9, allow_nan=False))


@given(st.dictionaries(NAMES, VALUES), CUTS)
def test_what_is_rendered_is_parsed_back(parameters, at):
    found = spec.parse(spec.render("Name", parameters, at))
    assert dict(found.parameters) == parameters
    assert found.at == at


def test_normalise_drops_white_space_and_settles_quotes():
    assert spec.normalise(' EPRUM( r = 1 , ideal = "greedy" ) @ .5 ') == "EPRUM(r=1,ideal='greedy')@.5"
    assert spec.normalise("X(a='b  c')") == "X(a='b  c')", "white space inside quotes is not ours"


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("EPRUN", "EPRUM"),
        ("eprum", "EPRUM"),
        ("Prum", "PRUM"),
        ("nDGC@10", "nDCG"),
        ("ExpectedRation", "ExpectedRatio"),
        ("Overlop", "Overlap"),
    ],
)
def test_the_nearest_name_is_offered(typed, meant):
    with pytest.raises(bp.UsageError, match=rf"unknown measure .* did you mean .*\b{meant}\b"):
        parse_measure(typed)


def test_a_name_like_no_other_is_told_where_to_look():
    with pytest.raises(bp.UsageError, match="berrypick list measures"):
        parse_measure("Xyzzy123")


def test_document_measures_need_their_cut_off():
    with pytest.raises(bp.UsageError, match=r"IPrec needs a cut-off, as in IPrec@0\.5"):
        parse_measure("IPrec")
    with pytest.raises(bp.UsageError, match="needs a cut-off"):
        parse_measure("P")
    with pytest.raises(bp.UsageError, match="BPM@10 needs the parameter max_rel"):
        parse_measure("BPM@10")


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="ir_measures' own parser: not for Python 3.14")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize(
    "text",
    ["AP", "MAP", "nDCG@10", "P(rel=2)@5", "nDCG(dcg='exp-log2')@10", "IPrec@0.2", "P(cutoff=3)@5", "RBP(p=0.9)"],
)
def test_document_measures_mean_what_ir_measures_reads(text):
    assert document_measures.parse(text).measure == ir_measures.parse_measure(text)
    assert str(parse_measure(text)).replace("'", '"') == str(ir_measures.parse_measure(text)).replace("'", '"')


@pytest.mark.parametrize("text", ["P(rel='x')@5", "nDCG(dcg='nonsense')@5", "AP(nonsense=1)", "P@0.5", "RR(rel=1.5)"])
def test_wrong_document_measures_are_wrong_usage(text):
    with pytest.raises(bp.UsageError):
        parse_measure(text)


@pytest.mark.slow
@pytest.mark.parametrize("text", ["nDCG@0", "AP(rel=0)", "Judged@0", f"AP(rel={'9' * 20})"])
def test_what_would_bring_ir_measures_down_is_wrong_usage(text, process, files):
    """In a process of its own: some of these end the whole program, without a Python error."""
    paths = files(t_qrels="1 0 a 1\n", r_run="1 Q0 a 1 1 x\n")
    done = process("evaluate", paths["t_qrels"], paths["r_run"], "-m", text)
    assert done.code == 2, done.err
    assert "Traceback" not in done.err and done.out == ""


def test_a_negative_cut_off_is_not_called_unknown():
    with pytest.raises(bp.UsageError) as error:
        parse_measure("AP@-1")
    assert "did you mean AP" not in str(error.value)


def test_huge_numbers_are_no_crash():
    import handmade

    truth, run = handmade.document_truth({"1": {"a": 1}}), handmade.document_run({"1": ["a"]})
    for text in ("EPRUM(rank={})", "EPRUM(r={})", "PRUM(r={})", "ExpectedRatio@{}", "EPRUM@{}"):
        for digits in (12, 25, 400, 4000):
            with contextlib.suppress(bp.UsageError):
                bp.evaluate(truth, run, text.format("9" * digits))
