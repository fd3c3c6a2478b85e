"""What a person or a file can get wrong ends in an error of berrypick, never in one of Python."""

import pytest

import berrypick as bp
from berrypick import formats


def test_a_parameter_that_has_the_name_of_an_argument_of_python():
    for measure in ("P(self=1)@5", "infAP(self=1)", "EPRUM(self=1)"):
        with pytest.raises(bp.UsageError, match="has no parameter self"):
            bp.evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, measure)


@pytest.mark.parametrize("field", ["tag", "text"])
@pytest.mark.parametrize("target", ["out.jsonl", "out.csv", "out.jsonl.gz"])
def test_halves_of_characters_are_not_written(tmp_path, field, target):
    path = tmp_path / "r.jsonl"
    path.write_text(f'{{"topic": "1", "doc": "a", "{field}": "x\\ud800"}}\n'.replace('"tag": "x\\ud800"', '"tag": "x"'))
    run = formats.read_run(path)
    run = run.changed(tag="x\ud800") if field == "tag" else run  # in a file it is refused
    with pytest.raises(bp.InputError, match="lone surrogate"):
        formats.write(run, tmp_path / target, "span-run" if ".jsonl" in target else None)
    assert [file.name for file in tmp_path.iterdir()] == ["r.jsonl"]


def test_parquet_with_broken_text_or_dates_beyond_any_year(tmp_path):
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    lengths, data = pa.py_buffer(bytes([0, 0, 0, 0, 2, 0, 0, 0])), pa.py_buffer(b"\xff\xfe")
    broken = pa.Array.from_buffers(pa.string(), 1, [None, lengths, data])
    for name, column in (("text", broken), ("date", pa.array([2**62], pa.timestamp("us")))):
        parquet.write_table(pa.table({"topic": ["1"], "doc": column}), tmp_path / f"{name}.parquet")
        with pytest.raises(bp.InputError):
            formats.read_run(tmp_path / f"{name}.parquet")


TRUTH, RUN = {"1": {"a": 1}, "2": {"b": 1}}, {"1": {"a": 1.0}, "2": {"c": 1.0}}
WRONG_TYPES = {
    "jobs": lambda value: bp.evaluate(TRUTH, RUN, "AP", jobs=value),
    "baseline": lambda value: bp.compare(TRUTH, RUN, "AP", baseline=value),
    "cluster": lambda value: bp.compare(TRUTH, RUN, "AP", cluster=value),
    "save": lambda value: bp.evaluate(TRUTH, RUN, "AP").save(value),
    "collection": bp.read_collection,
    "navigation": bp.read_navigation,
    "results": bp.read_results,
}


@pytest.mark.parametrize("what", WRONG_TYPES)
def test_values_of_wrong_types(what):
    for value in (-1, object()):  # -1 and 1 are descriptors of open files for Python
        with pytest.raises(bp.UsageError):
            WRONG_TYPES[what](value)


def test_a_misspelt_option_names_the_function_that_was_called():
    with pytest.raises(bp.UsageError, match=r"^compare\(\) has no option 'usr'; did you mean user"):
        bp.compare(TRUTH, RUN, usr="hierarchy")
    with pytest.raises(bp.UsageError, match="measures and metrics are two names for the same; give one"):
        bp.evaluate(TRUTH, RUN, "AP", metrics="AP")
    with pytest.raises(bp.UsageError, match=r"'' is not a user model: expected Name\(parameter=value, \.\.\.\)$"):
        bp.evaluate(TRUTH, RUN, "AP", user="")


def test_names_of_runs_and_measures_are_names_of_the_results():
    results = bp.evaluate(TRUTH, {"one": RUN, "two": RUN}, "AP RR")
    assert results.only("one", "AP").mean() == results.only(["one"], ["AP"]).mean() == {"one": {"AP": 0.5}}
    assert results.only(iter(["one"]), (name for name in ["AP"])).mean() == {"one": {"AP": 0.5}}
    with pytest.raises(bp.UsageError, match="no run 'on'; did you mean one"):
        results.only("on")
    with pytest.raises(bp.UsageError, match="no measure 'nDCG'; available: AP, RR"):
        results.only(measures=["AP", "nDCG"])
    with pytest.raises(bp.UsageError, match="two runs would be called two"):
        results.renamed({"one": "two"})
