"""Values write themselves by the same names, and write what the command line prints."""

from __future__ import annotations

import csv
import io
import json

import pytest
from click.testing import CliRunner
from many_cases import each

import berrypick as bp
from berrypick.cli import cli

TRUTH = {str(topic): {"a": 1} for topic in range(6)}
ONE = {topic: {"a": 2.0, "b": 1.0} for topic in TRUTH}
TWO = {topic: {"b": 2.0, "a": 1.0} for topic in list(TRUTH)[:4]}
RUNS = {"one": ONE, "two_|_": TWO}
TEXT = "Cut the old canes in autumn. Water in July."
JUDGED = [
    {"topic": "q", "doc": "guide", "start": 0, "end": end, "grade": 1, "annotator": who}
    for who, end in (("Ana", 17), ("Ben", 27))
] + [{"topic": "q", "doc": "guide", "start": 27, "end": 43, "grade": 0, "annotator": who} for who in ("Ana", "Ben")]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    results = bp.evaluate(TRUTH, RUNS, "AP RR P@1")
    annotated = tmp_path_factory.mktemp("written") / "annotated.jsonl"
    annotated.write_text("".join(json.dumps(line) + "\n" for line in JUDGED))
    return {
        "Results": results,
        "Comparison": bp.compare(results, resamples=100),
        "Difference": bp.diff(results, bp.evaluate(TRUTH, {"one": TWO, "two_|_": ONE}, "AP RR P@1")),
        "Stability": bp.stability(results, resamples=100, splits=10),
        "Power": bp.power(results, resamples=100),
        "Correlations": bp.correlate(results, resamples=100),
        "Simulation": bp.simulate(TRUTH, RUNS, "EPRUM", readers=10),
        "Fit": bp.fit("distance(law='inverse')", [{"distance": d, "end": "gave_up"} for d in (5, 9, 12)], held_out=0),
        "IdealLists": bp.ideal_lists(TRUTH),
        "Abstention": bp.abstention({**TRUTH, "none": None}, {**ONE, "none": {"a": 1.5}}),
        "Agreement": bp.agreement(annotated),
        "Pool": bp.pool({"q": {"guide#0-27": 1}}, {"guide": TEXT}, truth={"q": {"guide#0-17": 1}}, context=0),
        "Relocation": bp.relocate({"q": {"guide#0-17": 1}}, {"guide": TEXT}, {"guide": f"Now: {TEXT}"}),
        "Sweep": bp.sweep({"guide": TEXT * 9}, {"q": {"guide#0-17": 1}}, measures="charR@5", queries={"q": "canes"},
                          grid={"size": [20, 60], "overlap": [0, 10]}),
    }  # fmt: skip


VALUES = ["Results", "Comparison", "Difference", "Stability", "Power", "Correlations", "Simulation", "Fit",
          "IdealLists", "Abstention", "Agreement", "Pool", "Relocation", "Sweep"]  # fmt: skip


@pytest.mark.slow
@each("name", VALUES)
def test_every_value_has_every_text(made, name, tmp_path):
    value = made[name]
    assert type(value).__name__ == name
    assert json.loads(value.to_json()) == json.loads(json.dumps(value.to_records() if name != "Results" else
                                                                value.to_records(per_topic=False)))  # fmt: skip
    rows = list(csv.DictReader(io.StringIO(value.to_csv())))
    frame = value.to_pandas()
    assert rows and set(rows[0]) <= set(frame.columns)
    assert len(frame) == value.to_polars().height >= len(rows)
    assert value.to_markdown().count("| :--") >= 1 and r"\begin{tabular}" in value.to_latex()
    assert value.to_markdown(tmp_path / "a.md") == (tmp_path / "a.md").read_text() == value.to_markdown()
    with pytest.raises(bp.UsageError, match="unknown output markdwon; did you mean markdown"):
        value.table("markdwon")
    assert "<table" in value._repr_html_()


@pytest.mark.slow
@each("name", [name for name in VALUES if name not in ("Fit", "Pool", "Relocation")])
def test_a_file_holds_the_text_that_its_name_asks_for(made, name, tmp_path):
    value = made[name]
    for ending, output in {".json": "json", ".jsonl": "jsonl", ".csv": "csv", ".tsv": "tsv", ".md": "markdown",
                           ".tex": "latex", ".txt": "table"}.items():  # fmt: skip
        value.write(tmp_path / f"x{ending}")
        assert (tmp_path / f"x{ending}").read_text() == value.table(output), ending
    value.write(tmp_path / "plain", format="csv")
    assert (tmp_path / "plain").read_text() == value.to_csv()
    value.write(tmp_path / "x.parquet")
    parquet = pytest.importorskip("pyarrow.parquet")
    assert parquet.read_table(tmp_path / "x.parquet").num_rows == len(value.to_pandas())
    with pytest.raises(bp.UsageError, match="the extension is not a known format; use "):
        value.write(tmp_path / "x.doc")
    assert not (tmp_path / "x.doc").exists()


def test_what_has_a_file_of_its_own_writes_that(made, tmp_path):
    made["Fit"].write(tmp_path / "reader.json")
    assert json.loads((tmp_path / "reader.json").read_text())["user"] == made["Fit"].reader.user
    made["Pool"].write(tmp_path / "tasks.jsonl")
    assert json.loads((tmp_path / "tasks.jsonl").read_text())["regions"] == [[17, 27]]
    made["Relocation"].write(tmp_path / "truth.jsonl")
    assert bp.read_truth(tmp_path / "truth.jsonl").topics["q"].start.tolist() == [5]


def test_rows_of_topics_are_asked_for(made, tmp_path):
    results = made["Results"]
    assert results.to_csv().count("\n") == 1 + 6 and results.to_csv(per_topic=True).count("\n") == 1 + 6 + 36
    results.write(tmp_path / "x.json", per_topic=True)
    assert bp.read_results(tmp_path / "x.json").records() == results.records()
    with pytest.raises(bp.UsageError, match="Parquet file has all rows"):
        results.write(tmp_path / "x.parquet", per_topic=True)


@pytest.mark.slow
@each("output", ["table", "markdown", "latex", "csv", "tsv", "json", "jsonl"])
def test_texts_are_those_of_the_command_line(output, tmp_path):
    (tmp_path / "t.qrels").write_text("".join(f"{topic} 0 a 1\n" for topic in TRUTH))
    for name, run in RUNS.items():
        lines = [f"{topic} Q0 {doc} 1 {score} {name}\n" for topic, docs in run.items() for doc, score in docs.items()]
        (tmp_path / f"{name.strip('_|')}.run").write_text("".join(lines))
    files = [str(tmp_path / name) for name in ("t.qrels", "one.run", "two.run")]

    def printed(*words):
        done = CliRunner().invoke(cli, [words[0], *files, "-m", "AP RR", "-o", output, *words[1:]])
        assert done.exit_code == 0, done.output
        return done.stdout

    results = bp.evaluate(files[0], files[1:], "AP RR")
    assert printed("evaluate") == results.table(output)
    assert printed("evaluate", "-q", "-p", "2") == results.table(output, 2, per_topic=True)
    assert printed("compare") == bp.compare(results).table(output)
    assert printed("power") == bp.power(results).table(output)


@pytest.mark.slow
def test_a_sweep_draws_two_parameters_as_a_map_and_one_as_means(made):
    sweep = made["Sweep"]
    drawn = json.dumps(sweep.plot().to_dict())
    assert '"rect"' in drawn and "overlap" in drawn
    assert json.dumps(sweep.plot("charR@5", rows="overlap", columns="size").to_dict()) != drawn
    means = json.dumps(sweep.plot(where={"overlap": 0}).to_dict())
    assert "size=20,overlap=0" in means and "overlap=10" not in means and '"rect"' not in means
    for wrong, said in (({"where": {"overlpa": 0}}, "did you mean overlap"), ({"rows": "siez"}, "did you mean size"),
                        ({"where": {"size": 7}}, "no such setting"), ({"colour": 1}, "plot\\(\\) has no option"),
                        ({"measure": "charP"}, "charP is not among")):  # fmt: skip
        with pytest.raises(bp.UsageError, match=said):
            sweep.plot(**wrong)
    assert sweep.table(2) == sweep.table(places=2), "the older way"
