"""Libraries that are not installed: one message that names the extra, exit code 2, nothing written."""

import json
import subprocess
import sys
from pathlib import Path

import golden_shapes as shapes
import pandas
import polars
import pytest
from many_cases import each

#: Every library that an extra brings, by the name to import.
OPTIONAL = ("rapidfuzz", "pyarrow", "narwhals", "pandas", "polars", "altair", "vl_convert", "krippendorff", "tiktoken",
            "tokenizers", "pypdfium2", "distributed")  # fmt: skip
#: Starts the command line where these cannot be imported.
WITHOUT = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in NAMES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

NAMES = sys.argv.pop(1).split(",")
sys.meta_path.insert(0, Missing())
"""
COMMAND = WITHOUT + "from berrypick.__main__ import main\nmain()\n"


def without(names, code, *arguments, folder):
    words = [sys.executable, "-c", code, ",".join(names), *map(str, arguments)]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True)


def squad():
    """SQuAD, whose offsets hold in its own paragraphs."""
    data = []
    for document, text in shapes.TEXTS.items():
        asked = [(i, a, q[0]) for i, (a, q, d, _) in enumerate(shapes.ASKED) if d == document and q[0] in text]
        qas = [
            {"id": f"s{i}", "question": a, "answers": [{"text": q, "answer_start": text.index(q)}]} for i, a, q in asked
        ]
        data.append({"title": document, "paragraphs": [{"context": text, "qas": qas}]})
    return {"version": "1.1", "data": data}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("extras")
    shapes.write_documents(path)
    for name in ("ragas.json", "hub.parquet"):
        shapes.write_shape(name, path)
    truth, run = [], []
    for number, (asked, quotes, document, _) in enumerate(shapes.ASKED):
        if quotes[0] in shapes.TEXTS[document]:
            start = shapes.TEXTS[document].index(quotes[0])
            place = {"topic": f"q{number}", "doc": document, "start": start, "end": start + len(quotes[0])}
            truth.append({**place, "question": asked})
            run.append({**place, "rank": 1})
    (path / "truth.jsonl").write_text("".join(json.dumps(row) + "\n" for row in truth))
    (path / "run.jsonl").write_text("".join(json.dumps(row) + "\n" for row in run))
    asked = [{"question": row["question"], **{k: row[k] for k in ("doc", "start", "end")}, "rank": 1} for row in truth]
    (path / "asked.jsonl").write_text("".join(json.dumps(row) + "\n" for row in asked))
    two = [{**row, "annotator": who} for who in ("ann", "bo") for row in truth]
    (path / "people.jsonl").write_text("".join(json.dumps(row) + "\n" for row in two))
    (path / "squad.json").write_text(json.dumps(squad()))
    for name, text in shapes.TEXTS.items():
        for kind, content in (("paragraphs", text), ("changed", text.replace("old", "olden").replace("lays", "puts"))):
            place = path / kind / name / "0"
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(content)
        place = path / "new" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text.replace("old", "olden").replace("Take out", "Remove"))
    (path / "xml").mkdir()
    (path / "xml" / "a.xml").write_text("<article><p>Cut.</p></article>")
    return path


EVALUATE = ["truth.jsonl", "run.jsonl", "-m", "charR@5"]
#: What needs which extra: the arguments of a command, and the file that must not be there afterwards.
NEEDED = {
    "report": (["report", *EVALUATE, "--html", "page.html"], "report", "page.html"),
    "plot": (["plot", *EVALUATE, "means.svg"], "report", "means.svg"),
    "a golden file in Parquet": (["adopt", "hub.parquet", "--documents", "texts", "-o", "t.jsonl"], "chunks",
                                 "t.jsonl"),
    "a truth in Parquet": (["evaluate", "hub.parquet", "run.jsonl", "--documents", "texts"], "chunks", ""),
    "Parquet to write": (["adopt", "ragas.json", "--documents", "texts", "-o", "t.parquet", "--report", "bad.jsonl"],
                         "chunks", "bad.jsonl"),
    "Parquet of a run": (["convert", "run.jsonl", "run.parquet"], "chunks", "run.parquet"),
    "an index": (["index", "xml", "xml.idx"], "chunks", "xml.idx"),
    "changed documents": (["relocate", "truth.jsonl", "--from", "texts", "--to", "new", "-o", "t2.jsonl", "--report",
                           "moved.jsonl"], "chunks", "moved.jsonl"),
    "agreement": (["agreement", "people.jsonl"], "annotations", ""),
    "tiktoken": (["evaluate", *EVALUATE, "--documents", "texts", "--effort", "tokens", "--tokenizer",
                  "tiktoken:cl100k_base"], "tokens", ""),
}  # fmt: skip


@pytest.mark.slow
@each("name", NEEDED)
def test_commands_name_the_extra(folder, name):
    arguments, extra, written = NEEDED[name]
    done = without(OPTIONAL, COMMAND, *arguments, folder=folder)
    assert done.returncode == 2 and not done.stdout, done.stderr
    message = done.stderr[done.stderr.rindex("berrypick: ") :]
    assert message.count("\n") == 1 and f"pip install 'berrypick[{extra}]'" in message
    assert "Traceback" not in done.stderr
    assert not written or not (folder / written).exists()


@pytest.mark.slow
@each("name", ["report", "plot", "an index", "agreement", "changed documents", "a golden file in Parquet"])
def test_help_names_the_extra_in_advance(berrypick, name):
    arguments, extra, _ = NEEDED[name]
    shown = " ".join(berrypick(arguments[0], "--help").out.split())
    assert f"'berrypick[{extra}]'" in shown


#: What works without any of them: the commands of a first day.
PLAIN = {
    "a golden file": ["adopt", "ragas.json", "asked.jsonl", "--documents", "texts", "-o", "adopted.jsonl"],
    "SQuAD": ["adopt", "squad.json", "--documents", "paragraphs", "-o", "squad.jsonl"],
    "SQuAD in changed documents": ["adopt", "squad.json", "--documents", "changed", "-o", "squad2.jsonl"],
    "quotes by similarity": ["evaluate", "ragas.json", "asked.jsonl", "--documents", "new", "-m", "charR@5"],
    "a comparison": ["compare", *EVALUATE],
    "laws": ["check", "--laws", "truth.jsonl", "run.jsonl"],
    "unchanged documents": ["relocate", "truth.jsonl", "--from", "texts", "--to", "texts", "-o", "same.jsonl"],
}


@pytest.mark.slow
@each("name", PLAIN)
def test_first_commands_need_no_extra(folder, name):
    done = without(OPTIONAL, COMMAND, *PLAIN[name], folder=folder)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_the_same_truth_of_squad_without_rapidfuzz(folder, berrypick):
    """Text that is only similar at its offsets is compared by a kernel of berrypick."""
    words = ["adopt", folder / "squad.json", "--documents", folder / "changed", "-o"]
    assert berrypick(*words, folder / "with.jsonl").code == 0
    assert without(["rapidfuzz"], COMMAND, *words, folder / "without.jsonl", folder=folder).returncode == 0
    assert (folder / "with.jsonl").read_text() == (folder / "without.jsonl").read_text()


#: Calls in Python, and the extra that each needs.
CALLS = {
    "results.to_pandas()": "frames",
    "results.to_polars()": "frames",
    "results.__arrow_c_stream__()": "frames",
    "results.write('x.parquet')": "frames",
    "results.plot()": "report",
    "bp.evaluate(Frame(), 'run.jsonl', 'charR@5')": "frames",
    "bp.compare(results).to_pandas()": "frames",
    "bp.read_run('run.jsonl').to_pandas()": "frames",
}
PYTHON = (
    WITHOUT
    + """
import berrypick as bp
class Frame:
    columns = ("topic", "doc", "start", "end")
results = bp.evaluate("truth.jsonl", "run.jsonl", "charR@5")
for call in sys.argv[1:]:
    try:
        eval(call)
        print("worked")
    except bp.UsageError as error:
        print(str(error).replace(chr(10), " "))
"""
)


@pytest.mark.slow
def test_calls_name_the_extra(folder):
    done = without(OPTIONAL, PYTHON, *CALLS, folder=folder)
    assert done.returncode == 0, done.stderr
    for call, said in zip(CALLS, done.stdout.splitlines(), strict=True):
        assert f"pip install 'berrypick[{CALLS[call]}]'" in said, (call, said)
    assert not (folder / "x.parquet").exists()


def test_the_extras_are_those_of_the_package():
    """Every extra that a message or the documentation names is declared."""
    root = Path(__file__).parents[2]
    declared = (root / "pyproject.toml").read_text().partition("[project.optional-dependencies]")[2].partition("\n[")[0]
    page = (root / "docs" / "install.md").read_text()
    for extra in {*CALLS.values(), *(extra for _, extra, _ in NEEDED.values())}:
        assert f"\n{extra} = [" in declared and f"`berrypick[{extra}]`" in page


def test_frames_are_read_where_they_can_be():
    import berrypick as bp

    rows = [{"topic": "1", "doc": "a", "start": 0, "end": 10}]
    for frame in (pandas.DataFrame(rows), polars.DataFrame(rows)):
        assert bp.score("charR@1", frame, {"1": [("a", 0, 5)]}) == 0.5
