"""Golden files of other programs: one command each, to the numbers of a script that does not know berrypick."""

import json
import re
import subprocess
import sys
from pathlib import Path

import golden_shapes as shapes
import pytest
from many_cases import each

import berrypick as bp

INDEPENDENT = Path(__file__).parents[1] / "helpers" / "scores_without_berrypick.py"


def retrieve(folder):
    """Windows of 90 characters, every 45, by the words they share with the question."""
    lines = []
    for asked in [*(one[0] for one in shapes.ASKED), shapes.NO_ANSWER]:
        words = {*re.findall(r"\w{4,}", asked.lower())}
        found = [
            (-len(words & {*re.findall(r"\w{4,}", text[start : start + 90].lower())}), name, start, text)
            for name, text in shapes.TEXTS.items()
            for start in range(0, len(text), 45)
        ]
        for rank, (_, name, start, text) in enumerate(sorted(found)[:4], 1):
            place = {"doc": name, "start": start, "end": min(len(text), start + 90)}
            lines.append(json.dumps({"question": asked, **place, "rank": rank}) + "\n")
    path = folder / "results.jsonl"
    path.write_text("".join(lines))
    return path


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("golden")
    texts, run = shapes.write_documents(folder), retrieve(folder)
    for name in shapes.SHAPES:
        shapes.write_shape(name, folder)
    return folder, texts, run


@pytest.fixture(scope="module")
def expected(place):
    """The numbers of the script, by shape."""
    words = [sys.executable, "-I", INDEPENDENT, place[0], *shapes.SHAPES]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_script_knows_nothing_of_us():
    assert "berrypick" not in re.sub(r'""".*?"""', "", INDEPENDENT.read_text(), flags=re.DOTALL)


@pytest.mark.slow
@each("name", shapes.SHAPES)
def test_one_command_to_a_number(place, expected, berrypick, name):
    folder, texts, run = place
    truth = folder / f"{name}.truth.jsonl"
    more = [folder / one if one.endswith(".jsonl") else one for one in shapes.SHAPES[name][1]]
    measures = ["-m", "charR@3 charP@3"]
    done = berrypick("adopt", folder / name, run, "--documents", texts, "-o", truth, *measures, *more)
    assert done.code == 0, done.err
    values = expected[name]
    assert 0.2 < values["charR@3"] < 1 and 0.1 < values["charP@3"] < 1  # says something
    assert done.out.split("\n")[2].split()[1:] == [f"{value:.4f}" for value in values.values()]
    written = bp.evaluate(truth, run, "charR@3 charP@3", documents=texts).mean()["results"]
    assert written == pytest.approx(values, abs=1e-12)


@each("name", shapes.SHAPES)
def test_questions_groups_and_checksums_are_kept(place, name):
    folder, texts, _ = place
    chunks = folder / "chunks.jsonl" if shapes.SHAPES[name][1] else None
    truth = bp.adopt(folder / name, texts, chunks=chunks)
    asked = truth.fields["question"].values
    assert [*asked.values()][: len(shapes.ASKED)] == [one[0] for one in shapes.ASKED]
    assert all(guess.certain for guess in truth.guesses) and not truth.problems
    if any(guess.role == "group" for guess in truth.guesses):
        [group] = [guess.field.rpartition(".")[2] for guess in truth.guesses if guess.role == "group"]
        values = [*truth.fields[group].values.values()][: len(shapes.ASKED)]
        assert [value.removesuffix("_synthesizer") for value in values] == [one[3] for one in shapes.ASKED]
    assert {*truth.checksums} == {name for topic in truth.topics.values() for name in topic.documents()}
    assert len(truth.unanswerable) == (name in ("excel.csv", "hub.parquet"))
    if name != "chunks.json":
        spans = [[shapes.TEXTS[d][s:e].split() for d, s, e in zip(t.document, t.start, t.end, strict=True)]
                 for t in truth.topics.values() if len(t)]  # fmt: skip
        wanted = [[len(quote.split()) for quote in one[1]] for one in shapes.ASKED]
        assert [[len(words) for words in held] for held in spans] == wanted
