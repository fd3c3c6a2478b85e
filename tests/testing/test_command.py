"""berrypick check --laws, and what bp.laws returns."""

import json
import sys

import pytest

import berrypick as bp
from berrypick.data.laws import LAWS

TRUTH = "".join(f'{{"topic": "{t}", "doc": "d{t}", "start": {s}, "end": {s + 9}}}\n' for t in (1, 2) for s in (0, 40))
RUN = "".join(f'{{"topic": "{t}", "doc": "d{t}", "start": {s}, "end": {s + 20}, "score": {9 - s / 9}}}\n'
              for t in (1, 2) for s in (0, 30, 60))  # fmt: skip
MINE = """
import berrypick as bp

@bp.register
class FirstJudged(bp.Measure):
    "Where the first judged span starts."
    def compute(self, topic):
        return float(topic.truth.start[0])
"""


@pytest.fixture
def files(tmp_path):
    (tmp_path / "truth.jsonl").write_text(TRUTH)
    (tmp_path / "run.jsonl").write_text(RUN)
    return [str(tmp_path / "truth.jsonl"), str(tmp_path / "run.jsonl")]


@pytest.mark.slow
def test_it_ends_with_one_line(berrypick, files):
    told = berrypick("check", "--laws", *files, "-m", "charR@2 spanRR", "--variants", "3")
    assert told.code == 0 and not told.err
    found = bp.laws(*files, "charR@2 spanRR", variants=3)
    assert told.out.splitlines()[-1] == found.line
    assert found.line == f"{len(found.tried)} laws, {sum(row.variants for row in found.tried)} variants, 0 broken"
    assert "charR@2  tie-order              0  not tried: no ties, or ties that keep the order of the file" in told.out
    tried = [row.law for row in found.tried if row.measure == "charR@2"]
    assert tried == [law for law in LAWS if law not in ("tie-order", "relevant-added", "reach-raised")]
    assert repr(found) == f"Laws({found.line})"


def test_the_same_seed_draws_the_same_variants(files):
    one, other = (bp.laws(*files, "charR@2", variants=3, seed=5, only=("truth-order",)) for _ in range(2))
    assert one.records() == other.records() and one.records()[0]["seed"] == 5


@pytest.mark.slow
@pytest.mark.parametrize("output", ["json", "jsonl", "csv", "tsv", "markdown", "table"])
def test_a_broken_law_is_named_in_every_output(output, berrypick, files, tmp_path):
    (tmp_path / "mine.py").write_text(MINE)
    sys.path.insert(0, str(tmp_path))
    try:
        __import__("mine")
        told = berrypick("check", "--laws", *files, "-m", "FirstJudged", "--variants", "6", "-o", output)
    finally:
        sys.path.remove(str(tmp_path))
        from berrypick import measures

        measures.registry._registered.pop("FirstJudged", None)
        sys.modules.pop("mine", None)
    assert told.code == 1
    assert "not met: FirstJudged breaks truth-order" in told.err
    if output == "json":
        [row] = [row for row in json.loads(told.out) if row["found"] == "broken"]
        assert (row["measure"], row["law"]) == ("FirstJudged", "truth-order")
        assert {row["value"], row["changed"]} == {0.0, 40.0} and len(row["truth"]) == 2
    else:
        assert "truth-order" in told.out and "broken" in told.out
    last = (told.out if output in ("table", "markdown") else told.err).rstrip().splitlines()
    assert any(line.endswith("1 broken") for line in last)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--laws", "truth"], "--laws needs a truth and a run"),
        (["--laws", "truth", "run", "--format", "span-run"], "use --format-truth and --format-run"),
        (["truth", "-m", "charR"], "-m needs --laws"),
        (["truth", "--user", "t2i"], "--user needs --laws"),
        (["truth", "--seed", "1"], "--seed needs --laws"),
        (["--laws", "truth", "run", "-m", "charR", "--user", "nobody"], "nobody"),
        (["--laws", "truth", "absent", "-m", "charR"], "absent"),
    ],
)
def test_what_cannot_work_is_one_message(arguments, message, berrypick, files):
    named = dict(zip(("truth", "run"), files, strict=True))
    told = berrypick("check", *(named.get(word, word) for word in arguments))
    assert told.code == 2 and not told.out
    assert told.err.startswith("berrypick: ") and message in told.err


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"variants": 0}, "variants is a whole number from 1, not 0"),
        ({"variants": 2.5}, "variants is a whole number from 1, not 2.5"),
        ({"seed": -1}, "seed is a whole number from 0, not -1"),
        ({"only": ("kernel",)}, "only: 'kernel' is not a law; did you mean kernels?"),
        ({"users": "t2i"}, "users"),
    ],
)
def test_wrong_settings_are_refused(settings, message, files):
    with pytest.raises(bp.UsageError) as raised:
        bp.laws(*files, "charR", **settings)
    assert message in str(raised.value)


@pytest.mark.slow
def test_many_topics_are_sampled():
    truth = {f"q{i}": {"a": 1, "b": int(i % 3 == 0)} for i in range(60)}
    run = {f"q{i}": {"b": 2.0, "a": 1.0, "c": 0.5} for i in range(60)}
    found = bp.laws(truth, run, ["RR", "nDCG@2"], variants=3)
    assert not found.broken and {row.law for row in found.tried} >= {"truth-order", "jobs", "carrier"}


def test_several_runs_add_up(files):
    one = bp.laws(files[0], files[1], "charR@2", variants=2, only=("truth-order",))
    two = bp.laws(files[0], {"a": files[1], "b": files[1]}, "charR@2", variants=2, only=("truth-order",))
    assert [row.variants for row in one.laws] == [2] and [row.variants for row in two.laws] == [4]
