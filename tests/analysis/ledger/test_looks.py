"""What counts as a look, and the level at which each may claim "better"."""

import json
import math

import numpy as np
import pytest

import berrypick as bp
from berrypick.analysis.ledger.ledger_file import Ledger
from berrypick.analysis.ledger.looks import level_of
from berrypick.pytest import assert_retrieval


def truth_of(topics, document="a"):
    return {f"q{topic:03}": {document: 1} for topic in range(topics)}


def hits(values):
    """A run whose RR is 1 or 0 on each topic."""
    return {f"q{topic:03}": {"a" if value else "b": 1.0} for topic, value in enumerate(values)}


def wins(count, topics=40, losses=0):
    """(baseline, run): the run wins on so many topics and loses on others."""
    before = [0] * count + [1] * losses + [1] * (topics - count - losses)
    after = [1] * count + [0] * losses + [1] * (topics - count - losses)
    return hits(before), hits(after)


def other(misses, topics=40):
    """Another run for each number of misses."""
    return hits([1] * (topics - misses) + [0] * misses)


def compare(path, before, after, name="new", **options):
    truth = options.pop("truth", None) or truth_of(len(before))
    return bp.compare(truth, {"base": before, name: after}, options.pop("measures", "RR"), ledger=path, **options)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "ledger.jsonl"


def look_at(path, number, topics=40):
    """Fill a ledger, so that the next look has this number."""
    random = np.random.default_rng(7)
    base = hits([1] * topics)
    while len(Ledger.read(path).lines if path.exists() else ()) < number - 1:
        compare(path, base, hits(random.integers(0, 2, topics).tolist()))


def test_levels_add_up_to_alpha():
    assert math.fsum(level_of(k, 0.05) for k in range(1, 100_000)) == pytest.approx(0.05, abs=1e-6)
    assert f"{level_of(12, 0.05):.2g}" == "0.00032"


@pytest.mark.parametrize(("number", "needed"), [(1, 7), (10, 13), (100, 19)])
def test_the_price_with_hits(path, number, needed):
    """Wins without a loss: look 1 needs 7, look 10 needs 13, look 100 needs 19."""
    assert 2.0 ** (1 - needed) <= level_of(number, 0.05) < 2.0 ** (2 - needed)
    if number == 100:
        return  # the file of ten looks shows how the level is used
    look_at(path, number)
    for count, better in ((needed - 1, False), (needed, True)):
        copy = path.with_name(f"{count}.jsonl")
        if path.exists():
            copy.write_bytes(path.read_bytes())
        pair = compare(copy, *wins(count)).pair("RR", "new", "base")
        assert (pair.better, pair.significant, pair.level) == (better, better, level_of(number, 0.05))
        assert json.loads(copy.read_text().splitlines()[-1])["verdict"] == ("better" if better else "not shown")


def test_worse_stays_at_alpha(path):
    """6 losses have p = .03125: significant at any look, and not as wins."""
    look_at(path, 12)
    before, after = wins(6)
    found = compare(path, after, before)
    pair = found.pair("RR", "new", "base")
    assert pair.worse and pair.level == 0.05 and pair.p == 0.03125
    assert found.estimate("RR", "base").beats == ("b",)
    assert found.unmet(worse_than="base") != []
    better = compare(path, *wins(6, losses=0), name="other")
    assert not better.pair("RR", "other", "base").significant and better.estimate("RR", "other").beats == ()


def test_the_output_says_so(path, tmp_path, berrypick):
    look_at(path, 12, topics=100)
    found = compare(path, *wins(5, topics=100))
    text = "look 12 at these 100 topics: better needs p < 0.00032"
    assert [str(note) for note in found.notes if note.kind == "look"] == [f"new: RR: {text}"]
    assert "the level of their look" in found.table()
    row = next(row for row in found.records() if row["run"] == "new")
    assert row["look"] == 12 and row["ledger_head"] == found.ledger_head == Ledger.read(path).head
    assert row["comparisons"][0]["level"] == level_of(12, 0.05)


def test_repeats_the_baseline_and_other_names_are_no_looks(path):
    before, after = wins(7)
    first = compare(path, before, after)
    again = compare(path, before, after, name="copy")
    assert again.looks["RR", "copy"].number == 1 and again.looks["RR", "copy"].again
    assert again.pair("RR", "copy", "base").better == first.pair("RR", "new", "base").better is True
    assert again.ledger_head == first.ledger_head and len(Ledger.read(path).lines) == 1
    same = compare(path, before, before, name="same")
    assert same.looks == {} and len(Ledger.read(path).lines) == 1
    # another baseline is another claim: it has the level of the present count
    compare(path, before, other(3))
    moved = compare(path, wins(8)[0], after, name="again")
    assert moved.looks["RR", "again"].number == 2 and len(Ledger.read(path).lines) == 2


def test_a_baseline_that_was_raised_without_proof_is_noted(path):
    """Six wins do not show that it is better (p = .031 > .025), seven do."""
    before, after = wins(6)
    compare(path, before, after)

    def said(baseline, run, **options):
        return [str(note) for note in compare(path, baseline, run, **options).notes if note.kind == "raised baseline"]

    assert said(after, other(3)) == [
        "base: RR: look 1 did not show this baseline to be better than the one before it; chosen for its score, it may "
        "score too high"
    ]
    assert said(before, other(5)) == [], "the first baseline was no look"
    better = other(1)
    assert compare(path, other(14), better).pair("RR", "new", "base").better
    assert said(better, other(7)) == [], "called better"
    worse = hits([0] * 6 + [1] * 34)
    assert not compare(path, hits([0] * 5 + [1] * 35), worse).pair("RR", "new", "base").worse
    assert said(worse, other(8)) == [], "lowered"


def test_looks_are_counted_by_truth_and_signature(path):
    before, after = wins(7)
    assert compare(path, before, after, measures="RR P@1").looks["P@1", "new"].number == 1
    assert compare(path, before, other(3)).looks["RR", "new"].number == 2
    assert compare(path, before, other(4), measures="RR@5").looks["RR@5", "new"].number == 1
    changed = {**truth_of(40), "q000": {"a": 1, "c": 1}}
    assert compare(path, before, other(5), truth=changed).looks["RR", "new"].number == 1
    # how runs are compared, and with which version, starts no new count
    path.write_bytes(path.read_bytes().replace(b"|v:", b"|v:0"))
    differently = {"seed": 5, "confidence": 0.9, "test": "t", "pairs": "baseline"}
    assert compare(path, before, other(6), **differently).looks["RR", "new"].number == 3
    assert level_of(3, 0.1) == pytest.approx(compare(path, before, other(6), **differently).looks["RR", "new"].level)


def test_a_run_without_some_topics_does_not_start_a_new_count(path):
    before, after = wins(7)
    compare(path, before, after)
    fewer = {topic: results for topic, results in other(3).items() if topic != "q039"}
    assert compare(path, before, fewer, measures="RR").looks["RR", "new"].number == 2


def test_several_runs_are_several_looks(path):
    before, after = wins(9)
    runs = {"base": before, "one": after, "two": other(5), "copy": after, "same": before}
    found = bp.compare(truth_of(40), runs, "RR", ledger=path)
    numbers = {run: look.number for (_, run), look in found.looks.items()}
    assert numbers == {"one": 1, "two": 2, "copy": 1} and len(Ledger.read(path).lines) == 2
    levels = {(pair.run, pair.versus): pair.level for pair in found.pairs}
    assert levels["one", "base"] == level_of(1, 0.05) and levels["two", "one"] == level_of(2, 0.05)


def test_a_single_run_is_a_look(path):
    found = bp.compare(truth_of(10), {"one": hits([1, 0] * 5)}, "RR", ledger=path)
    [line] = Ledger.read(path).lines
    assert found.looks["RR", "one"].number == 1 and line["verdict"] is None and line["baseline"] is None


def test_sampled_p_values_are_refined_until_they_are_decided(path):
    """Scores of 60 topics, p near 1e-7: a sample of 10,000 sign changes says 1e-4, which would never do."""
    random = np.random.default_rng(3)
    topics = 60
    places = random.integers(1, 9, topics)
    truth = truth_of(topics)
    before = {t: {f"x{i}": 9.0 - i for i in range(9)} | {"a": 0.5} for t in truth}
    after = {
        t: {f"x{i}": 9.0 - i for i in range(9)} | {"a": 9.5 - place} for t, place in zip(truth, places, strict=True)
    }
    plain = bp.compare(truth, {"base": before, "new": after}, "RR").pair("RR", "new", "base")
    assert plain.p == pytest.approx(1 / 10_001) and not plain.exact
    look_at(path, 30, topics)
    found = compare(path, before, after, truth=truth)
    pair = found.pair("RR", "new", "base")
    assert plain.p > pair.level > pair.p and pair.better
    assert f"{pair.p:.1e}" in found.table() and f"{pair.p:.2g}" in found.table("tsv", 4), "next to the level, not 0"
    assert pair.p == pytest.approx(2.0 ** (1 - topics), rel=0.1) or pair.p < 1e-9


def test_refined_p_values_respect_clusters_and_groups(path):
    """70 topics in 35 clusters, all of which win: 2^-34."""
    before, after = hits([0] * 70), hits([1] * 70)
    cluster = {topic: f"c{i // 2}" for i, topic in enumerate(before)}
    after["q000"] = {"b": 1.0}
    found = compare(path, before, after, cluster=cluster)
    pair = found.pair("RR", "new", "base")
    assert pair.units == 35 and 0 < pair.p < 2.0**-30 and pair.better


def test_claims_that_no_p_value_can_make(path):
    found = compare(path, *wins(5, topics=5))
    [said] = [note.text for note in found.notes if note.kind == "look"]
    assert said.endswith("better needs p < 0.025, but the smallest possible is 0.062")


def test_what_a_ledger_cannot_count_is_refused(path):
    truth, runs = truth_of(5), {"a": hits([1] * 5), "b": hits([0] * 5)}
    for options, message in (
        ({"ledger_head": "x"}, "ledger_head= needs ledger="),
        ({"commit": "x"}, "commit= needs ledger="),
        ({"ledger": path, "assumptions": True}, "counts looks of a comparison"),
        ({"ledger": path, "topics": "run"}, "choose its topics"),
    ):
        with pytest.raises(bp.UsageError, match=message):
            bp.compare(truth, runs, "RR", **options)
    assert not path.exists()


def test_saved_results_are_the_same_looks(path, tmp_path):
    before, after = wins(7)
    results = bp.evaluate(truth_of(40), {"base": before, "new": after}, "RR")
    results.save(tmp_path / "saved.json")
    compare(path, before, after)
    found = bp.compare(bp.read_results(tmp_path / "saved.json"), ledger=path)
    assert found.looks["RR", "new"].again and len(Ledger.read(path).lines) == 1


def test_assert_retrieval_records_looks(path):
    before, after = wins(7)
    results = assert_retrieval(truth_of(40), {"new": after}, "RR >= 0.1", baseline=before, ledger=path, commit="c1")
    [line] = Ledger.read(path).lines
    assert (line["run"], line["verdict"], line["commit"]) == ("new", "better", "c1")
    assert [str(note) for note in results.notes if note.kind == "look"] != []
    with pytest.raises(AssertionError, match="significantly worse"):
        assert_retrieval(truth_of(40), {"new": before}, baseline=after, ledger=path)
    assert Ledger.read(path).lines[-1]["verdict"] == "worse"
    with pytest.raises(AssertionError, match=r"must be >= 0\.9"):
        assert_retrieval(truth_of(40), {"third": hits([0] * 40)}, "RR >= 0.9", ledger=path)
    assert Ledger.read(path).lines[-1]["run"] == "third"
    with pytest.raises(bp.UsageError, match="needs ledger="):
        assert_retrieval(truth_of(40), {"new": after}, "RR >= 0.1", commit="c1")


def test_the_command(berrypick, tmp_path):
    for name, run in zip(("base", "new"), wins(7), strict=True):
        rows = [{"topic": topic, "doc": doc, "rank": 1} for topic, found in run.items() for doc in found]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    truth = tmp_path / "truth.qrels"
    truth.write_text("".join(f"{topic} 0 a 1\n" for topic in truth_of(40)))
    files = [truth, tmp_path / "base.jsonl", tmp_path / "new.jsonl"]
    path = tmp_path / "l.jsonl"
    done = berrypick("compare", *files, "-m", "RR", "--ledger", path, "--commit", "c1")
    assert done.code == 0, done.err
    assert "note: new: RR: look 1 at these 40 topics: better needs p < 0.025" in done.err
    head = Ledger.read(path).head
    assert f"head {head}" in done.err and Ledger.read(path).lines[0]["commit"] == "c1"
    assert berrypick("compare", *files, "-m", "RR", "--ledger", path, "--ledger-head", head).code == 0
    done = berrypick("compare", *files, "-m", "RR", "--ledger", path, "--ledger-head", "0" * 32)
    assert done.code == 2 and "remove --ledger-head" in done.err
    kept = path.read_bytes()
    # what a gate refuses is not shown, and is no look
    (tmp_path / "odd.jsonl").write_text('{"topic": "q000", "doc": "a", "rank": 1}\n')
    blind = ["--fail-if-worse", files[1], "--must-see", "0.001", "--ledger", path]
    done = berrypick("compare", *files[:2], tmp_path / "odd.jsonl", "-m", "RR", *blind)
    assert done.code == 2 and path.read_bytes() == kept
    done = berrypick("compare", *files, "-m", "RR", "--ledger", files[1])
    assert done.code == 2 and "refusing to overwrite input file" in done.err
