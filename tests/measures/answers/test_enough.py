"""Enough, EnoughRR, Sets, Missing, All and EPRUM(need='set'): by hand, by brute force, by simulated readers."""

import math
from itertools import combinations, product

import numpy as np
import pytest
from many_cases import each

import berrypick as bp
from berrypick.data.navigation import ReachTable

SETS = {"q": [{"doc": "a", "set": "1"}, {"doc": "b", "set": ["1", "3"]}, {"doc": "c", "set": "2"},
              {"doc": "d", "set": ["2", "3"]}, {"doc": "e", "set": "2"}]}  # fmt: skip
HOPS = {"q": [{"doc": "a", "hop": "1"}, {"doc": "b", "hop": "1"}, {"doc": "c", "hop": "2"}, {"doc": "d", "hop": "3"}]}
RUN = {"q": {"x": 9, "d": 8, "a": 7, "y": 6, "b": 5, "c": 4}}
#: Measure, truth, value: d at 2, a at 3, b at 5, c at 6.
BY_HAND = [
    ("Enough@4", SETS, 0.0),
    ("Enough@5", SETS, 1.0),  # a b are set 1, b d set 3
    ("EnoughRR", SETS, 1 / 5),
    ("Sets@4", SETS, 0.0),
    ("Sets@5", SETS, 2 / 3),
    ("Sets", SETS, 2 / 3),
    ("Missing@1", SETS, 2.0),
    ("Missing@2", SETS, 1.0),  # b, of set 3
    ("Missing@5", SETS, 0.0),
    ("Enough@5", HOPS, 0.0),
    ("Enough@6", HOPS, 1.0),
    ("EnoughRR", HOPS, 1 / 6),
    ("Sets@6", HOPS, 1.0),
    ("Sets@5", HOPS, 0.0),
    ("Missing@1", HOPS, 3.0),
    ("Missing@3", HOPS, 1.0),
    ("All@6", HOPS, 1.0),
    ("All@5", HOPS, 0.0),
    ("All(cap=True)@2", HOPS, 0.0),
    ("All(cap=True)@1", {"q": {"x": 1, "a": 1}}, 1.0),
    ("All(cap=True)@2", {"q": {"x": 1, "d": 1, "a": 1}}, 1.0),
    ("All@2", {"q": {"x": 1, "d": 1, "a": 1}}, 0.0),
    ("EPRUM(need='set')", SETS, 2 / 5),
    ("EPRUM(need='set')", HOPS, 3 / 6),
    ("EPRUM(need='set',ideal='exact')", SETS, 2 / 5),
    ("EPRUM(need='set')", {"q": {"d": 1, "a": 1}}, 2 / 3),  # no sets: all targets
    ("Enough@2", {"q": {"d": 1, "a": 1}}, 0.0),
    ("Enough@3", {"q": {"d": 1, "a": 1}}, 1.0),
]


@each(["measure", "truth", "value"], BY_HAND, ids=lambda case: f"{case[0]} {case[2]}")
def test_by_hand(measure, truth, value):
    assert bp.score(measure, truth, RUN) == pytest.approx(value)


def test_parts_are_found_as_by_span_hit():
    truth = {"q": [{"doc": "a", "start": 0, "end": 100, "set": "1"}, {"doc": "b", "start": 0, "end": 10, "set": "1"},
                   {"doc": "c", "start": 0, "end": 100, "set": "2"}]}  # fmt: skip
    run = {"q": {"a#0-30": 4, "b#0-10": 3, "a#30-60": 2, "c#0-100": 1}}
    values = {"Enough@2": 0.0, "Enough@3": 1.0, "Enough(share=0.7)@3": 0.0, "Enough(iou=1)": 1.0, "EnoughRR": 1 / 3,
              "EnoughRR(iou=1)": 1 / 4, "Sets@3": 0.5, "Missing(share=1)@3": 1.0, "All@3": 0.0, "All@4": 1.0,
              "All(share=0.7)@4": 0.0, "All(cap=True)@2": 0.0, "All(cap=True)@3": 0.0}  # fmt: skip
    for measure, value in values.items():
        assert bp.score(measure, truth, run) == pytest.approx(value), measure
    for k in range(1, 5):
        assert bp.score(f"All@{k}", truth, run) == bp.score(f"spanAll@{k}", truth, run)


def made(seed):
    """Topics with documents in sets or hops, or in neither, and a run."""
    rng = np.random.default_rng(seed)
    truth, run = {}, {}
    for topic in range(6):
        kind = ("set", "hop", "")[topic % 3]
        names = [f"d{i}" for i in range(int(rng.integers(1, 6)))]
        groups = [str(g) for g in range(int(rng.integers(1, 4)))]
        rows = []
        for name in names:
            chosen = [g for g in groups if rng.random() < 0.5] or [groups[0]]
            rows.append({"doc": name, **({kind: chosen} if kind else {})})
        truth[str(topic)] = rows
        listed = [*names, "x", "y", "z"]
        order = rng.permutation(len(listed))[: int(rng.integers(1, len(listed) + 1))]
        run[str(topic)] = [{"doc": listed[i]} for i in order]
    return truth, run


def sets_of(rows):
    """All sufficient answers, hops multiplied out."""
    groups = {}
    for row in rows:
        for name in row.get("set", row.get("hop", ["all"])):
            groups.setdefault(name, []).append(row["doc"])
    if "hop" in rows[0]:
        return [set(one) for one in product(*groups.values())], list(product(*groups.values()))
    return [set(one) for one in groups.values()], list(groups.values())


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_against_sets_multiplied_out(seed):
    truth, run = made(seed)
    found = bp.evaluate(truth, run, "Enough@3 EnoughRR Sets@3 Missing@3 All@3 All(cap=True)@3").per_topic()["run"]
    for topic, rows in truth.items():
        sets, tuples = sets_of(rows)
        listed = [row["doc"] for row in run[topic]]
        first = set(listed[:3])
        ranks = [k for k in range(1, len(listed) + 1) if any(one <= set(listed[:k]) for one in sets)]
        relevant = {row["doc"] for row in rows}
        assert found["Enough@3"][topic] == any(one <= first for one in sets)
        assert found["EnoughRR"][topic] == (1 / ranks[0] if ranks else 0)
        assert found["Sets@3"][topic] == pytest.approx(np.mean([set(one) <= first for one in tuples]))
        assert found["All@3"][topic] == (relevant <= first)
        assert found["All(cap=True)@3"][topic] == (len(relevant & first) >= min(3, len(relevant)))
        if "hop" not in rows[0]:
            assert found["Missing@3"][topic] == min(len(one - first) for one in sets)
        assert (found["Missing@3"][topic] == 0) == bool(found["Enough@3"][topic])


# --- readers ----------------------------------------------------------------------------------------------------------

CLICKS = ReachTable({("x", "a"): 0.5, ("x", "b"): 0.3, ("y", "b"): 0.8, ("y", "c"): 0.4, ("y", "d"): 0.9,
                     ("x", "e"): 0.2, ("z", "e"): 0.7})  # fmt: skip


def enumerated(truth, run, k):
    """P(enough after k) over all that readers may have seen."""
    rows = truth["q"]
    names = [row["doc"] for row in rows]
    sets, _ = sets_of([{**row, **{kind: [*row[kind]] for kind in ("set", "hop") if kind in row}} for row in rows])
    unseen = dict.fromkeys(names, 1.0)
    for result in list(run["q"])[:k]:
        for name in names:
            unseen[name] *= 1 - (1.0 if result == name else CLICKS.rows.get((result, name), 0.0))
    total = 0.0
    for many in range(len(names) + 1):
        for seen in combinations(names, many):
            weight = math.prod(1 - unseen[name] if name in seen else unseen[name] for name in names)
            total += weight * any(one <= set(seen) for one in sets)
    return total


LIST = {"q": {"x": 9, "y": 8, "a": 7, "z": 6}}


@each("truth", [SETS, HOPS], ids=["sets", "hops"])
def test_chances_of_readers_by_enumeration(truth):
    for k in range(1, 5):
        assert bp.score(f"Enough@{k}", truth, LIST, navigation=CLICKS) == pytest.approx(enumerated(truth, LIST, k))
    chances = [enumerated(truth, LIST, k) for k in range(1, 5)]
    inverse = sum(p / (k * (k + 1)) for k, p in enumerate(chances[:-1], start=1)) + chances[-1] / 4
    assert bp.score("EnoughRR", truth, LIST, navigation=CLICKS) == pytest.approx(inverse)
    fewest = 2 if truth is SETS else 3
    assert bp.score("EPRUM(need='set')", truth, LIST, navigation=CLICKS) == pytest.approx(fewest * inverse)


@each("truth", [SETS, HOPS], ids=["sets", "hops"])
def test_simulated_readers_agree(truth):
    measures = "Enough@2 EnoughRR EPRUM(need='set')"
    found = bp.simulate(truth, LIST, measures, navigation=CLICKS, readers=40_000, together="independent", seed=3)
    assert len(found.mean_rows) == 3
    for row in found.mean_rows:
        assert row.simulated == pytest.approx(row.value, abs=4 * row.error + 1e-12), row.measure
        assert row.error > 0


def test_without_readers_who_move_all_get_the_same():
    found = bp.simulate(SETS, RUN, "Enough@5 EnoughRR", readers=100)
    assert [(row.value, row.simulated) for row in found.mean_rows] == [(1.0, 1.0), (0.2, 0.2)]


def test_the_ideal_list_may_lead_to_a_set_at_once():
    """From h 90% go on to each of a and b: h, a, b needs 1 + (1 - .81) + .1 = 1.29 ranks."""
    hub = ReachTable({("h", "a"): 0.9, ("h", "b"): 0.9})
    truth = {"q": [{"doc": "a", "set": "1"}, {"doc": "b", "set": "1"}]}
    run = {"q": {"h": 3, "a": 2, "b": 1}}
    chances = [0.81, 0.9, 1.0]
    inverse = chances[0] / 2 + chances[1] / 6 + chances[2] / 3
    assert bp.score("EPRUM(need='set')", truth, run, navigation=hub) == pytest.approx(2 * inverse)
    exact = bp.score("EPRUM(need='set',ideal='exact')", truth, run, navigation=hub)
    assert exact == pytest.approx(1.29 * inverse)
    assert bp.score("EPRUM(r=2,ideal='exact')", truth, run, navigation=hub) == pytest.approx(exact)


def test_a_row_in_two_hops_counts_once_in_the_ideal_list():
    truth = {"q": [{"doc": "a", "hop": ["1", "2"]}, {"doc": "b", "hop": "2"}]}
    assert bp.score("EPRUM(need='set')", truth, {"q": {"a": 1}}) == 1.0


def test_documents_that_hold_a_set_for_who_reads_all_of_an_item():
    truth = {"q": [{"doc": "a", "start": 0, "end": 9, "set": "1"}, {"doc": "a", "start": 20, "end": 29, "set": "1"}]}
    run = [{"topic": "q", "doc": "a", "start": low, "end": low + 9, "rank": 1} for low in (0, 20)]
    both = {"consider=1": 1.0, "consider=0.2": 2 * 0.2}  # one document; two rows, of which the second is seen with .2
    for parameters, value in both.items():
        found = bp.score("EPRUM(need='set')", truth, run, user=f"fetch_browse({parameters},group='rank')")
        assert found == pytest.approx(value), parameters


REFUSED = {
    "EPRUM(need='set',r=2)": "not a number of targets; remove r=2",
    "EPRUM(need='set',rank=2)": "remove rank=2",
    "EPRUM(need='set')@0.5": "remove @0.5",
    "EPRUM(need='set',quant='strict')": "remove quant=strict",
    "EPRUM(need='set',ideal='greedy')": "takes ideal='targets' or 'exact', not 'greedy'",
    "EPRUM(need='set',ideal='certified')": "takes ideal='targets' or 'exact', not 'certified'",
    "EPRUM(need='set',together='low')": "takes no together='low'",
    "EPRUM(need='set',law='normal')": "takes no law='normal'",
    "EPRUM(need='set',ideal='exact',norm='bounded')": "takes no norm='bounded'",
    "All(cap=True)": "needs a cut-off, as in All",
    "Enough(share=0.5)@2": "share= applies to parts of documents",
    "All(iou=0.5)@2": "iou= applies to parts of documents",
    "EnoughRR@3": "takes no cut-off",
}


@each("measure", REFUSED)
def test_what_does_not_go_together_is_refused(measure):
    with pytest.raises(bp.UsageError, match=REFUSED[measure].replace("(", r"\(")):
        bp.score(measure, SETS, RUN)


def test_share_beside_a_reader_is_refused():
    truth, run = {"q": {"a#0-10": 1}}, {"q": {"a#0-10": 1}}
    with pytest.raises(bp.UsageError, match="share= measures what results cover, but user model hierarchy"):
        bp.score("Enough(share=1)", truth, run, user="hierarchy")
    assert bp.score("Enough(share=1,user='classical')", truth, run, user="hierarchy") == 1.0


def test_a_set_that_loses_a_row_to_idealism_0_is_dropped():
    truth = {"q": [{"doc": "a", "grade": 2, "set": "1"}, {"doc": "b", "grade": 1, "set": "1"},
                   {"doc": "c", "grade": 2, "set": "2"}]}  # fmt: skip
    run = {"q": {"a": 3, "c": 2}}
    for measure, value in {"Enough@1": 0.0, "Enough@2": 1.0, "Sets": 1.0, "EPRUM(need='set')": 0.5}.items():
        assert bp.score(measure, truth, run, idealism="1=0,2=1") == value, measure
    hops = {"q": [{"doc": "a", "grade": 2, "hop": "1"}, {"doc": "b", "grade": 1, "hop": "2"}]}
    assert bp.score("Enough", hops, run, idealism="1=0,2=1") is None


def test_grades_within_1_count_alike():
    truth = {"q": [{"doc": "a", "grade": 0.5, "set": "1"}, {"doc": "d", "grade": 1, "set": "1"}]}
    assert bp.score("EPRUM(need='set')", truth, RUN) == pytest.approx(2 / 3)


def test_empty_and_missing_topics():
    graded = [("1", "a", 1, "x"), ("1", "b", 1, "x"), ("2", "c", 0, None), ("3", "c", 1, None)]
    truth = bp.Truth.from_records([dict(zip(("topic", "doc", "grade", "set"), row, strict=True)) for row in graded])
    found = bp.evaluate(truth, {"3": {"c": 1}}, "Enough@1 EnoughRR Sets@1 Missing@1 All@1 EPRUM(need='set')")
    values = found.per_topic()["run"]
    assert {name: [by[t] for t in "123"] for name, by in values.items()} == {
        "Enough@1": [0, None, 1], "EnoughRR": [0, None, 1], "Sets@1": [0, None, 1], "Missing@1": [2, None, 0],
        "All@1": [0, None, 1], "EPRUM(need='set')": [0, None, 1],
    }  # fmt: skip


def test_explained(berrypick, tmp_path):
    bp.Truth.from_dict(SETS).write(tmp_path / "t.jsonl")
    bp.Run.from_dict(RUN).write(tmp_path / "r.run", "trec-run")
    told = berrypick("explain", tmp_path / "t.jsonl", tmp_path / "r.run", "--topic", "q", "-m", "Enough@5").out
    assert "complete at rank" in told and "2" in told and "c, e" in told and "Enough@5 = 1" in told
    (tmp_path / "clicks.tsv").write_text("x\ta\t0.5\nx\tb\t0.5\n")
    given = ("--topic", "q", "--navigation", tmp_path / "clicks.tsv")
    told = berrypick("explain", tmp_path / "t.jsonl", tmp_path / "r.run", *given, "-m", "Enough@1").out
    assert "P(enough) after each rank" in told and "Enough@1 = 0.25" in told
    told = berrypick("explain", tmp_path / "t.jsonl", tmp_path / "r.run", *given, "-m", "EPRUM(need='set')").out
    assert "P(enough) after each rank" in told and "The ideal list needs 2" in told


@pytest.mark.slow
def test_the_report_shows_what_was_completed_and_what_was_missing(tmp_path):
    truth = {**SETS, "h": HOPS["q"], "n": [{"doc": "a", "set": "1"}, {"doc": "z", "set": "1"}]}
    run = {"q": RUN["q"], "h": {"a": 2, "c": 1}, "n": {"a": 1}}
    page = tmp_path / "page.html"
    bp.write_report(truth, {"mine": run}, "Enough@5 Missing@5", html=page)
    text = page.read_text()
    assert "What was enough, and what was missing" in text
    for cells in (["n", "never", "1", "z"], ["h", "never", "1, 2", "hop 3"], ["q", "5", "1", ""]):
        assert ",".join(f'"{cell}"' for cell in cells) in text.replace('", "', '","'), cells
    bp.write_report(truth, {"mine": run}, "R@5", html=page)
    assert "What was enough, and what was missing" not in page.read_text()
