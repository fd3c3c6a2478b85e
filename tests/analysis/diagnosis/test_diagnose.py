"""Every target in one class: by hand, and against sets of characters, lines, seconds and cells of pages."""

import itertools
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from many_cases import each

import berrypick as bp
from berrypick.analysis.diagnosis.classes import FARTHER
from berrypick.analysis.diagnosis.oracle import most_held

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def spans(*rows):
    return [{"doc": doc, "start": start, "end": end} for doc, start, end in rows]


def classes(found, run=None):
    return [one.class_name for one in found.targets if run in (None, one.run)]


# one target, d 100-200; the truth of most cases by hand
ONE = {"q": spans(("d", 100, 200))}
HAND = {
    "found": (spans(("d", 90, 160)), {}),
    "ranked low": (spans(("e", 0, 9), ("d", 90, 160)), {"k": 1}),
    "over budget": (spans(("e", 0, 10), ("d", 90, 160)), {"budget": 79}),
    "found ": (spans(("e", 0, 10), ("d", 90, 160)), {"budget": 80}),
    "in pieces": (spans(("d", 90, 130), ("d", 130, 160)), {}),
    "partly found": (spans(("d", 90, 130)), {}),
    "partly found ": (spans(("d", 90, 130), ("d", 130, 160)), {"k": 1}),
    "wrong passage": (spans(("d", 0, 100), ("d", 200, 300)), {}),
    "wrong document": (spans(("e", 0, 300)), {}),
    "wrong document ": ([], {}),
    "not indexed": (spans(("d", 90, 160)), {"chunks": spans(("d", 0, 100), ("d", 200, 300))}),
    "cut": (spans(("d", 90, 130)), {"chunks": spans(("d", 90, 130), ("d", 130, 170), ("d", 170, 230))}),
    "in pieces ": (spans(("d", 90, 130), ("d", 130, 170)), {"chunks": spans(("d", 90, 130), ("d", 130, 170))}),
}


@each("name", HAND)
def test_classes_by_hand(name):
    run, options = HAND[name]
    assert classes(bp.diagnose(ONE, {"q": run}, **options)) == [name.strip()]


def test_stages_name_the_one_that_lost_a_target():
    near, far = spans(("d", 100, 200)), spans(("e", 0, 10))
    stages = {"bm25": {"q": near}, "reranker": {"q": near}, "context": {"q": far}}
    found = bp.diagnose(ONE, stages, stages=True)
    assert (classes(found), found.stages) == (["lost in context"], ("bm25", "reranker", "context"))
    assert found.targets[0].ranks == {"bm25": (1,), "reranker": (1,), "context": ()}
    assert [(one.held.value, one.gained and one.gained.value, one.lost and one.lost.value) for one in found.flow] == [
        (1.0, None, None), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)
    ]  # fmt: skip
    regained = {"bm25": {"q": near}, "reranker": {"q": far}, "context": {"q": near}}
    assert classes(bp.diagnose(ONE, regained, stages=True)) == ["found"]


def test_the_oracle_reranker_takes_the_best_results_of_the_first_stage():
    truth = {"q": spans(("d", 0, 10), ("d", 20, 30), ("e", 0, 10))}
    first = {"q": spans(("x", 0, 9), ("d", 0, 10), ("e", 0, 10), ("d", 0, 30))}
    last = {"q": spans(("e", 0, 10), ("x", 0, 9))}
    oracle = bp.diagnose(truth, {"a": first, "b": last}, stages=True, k=2).oracle
    assert (oracle.first.value, oracle.best.value, oracle.last.value, oracle.greedy) == (1 / 3, 1.0, 1 / 3, 0)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sets(st.integers(1, 8)), min_size=1, max_size=6), st.integers(1, 4))
def test_the_oracle_agrees_with_all_choices(held, k):
    choices = itertools.combinations(range(1, 9), k)
    assert most_held([sorted(one) for one in held], k) == (
        max(sum(bool(one & set(chosen)) for one in held) for chosen in choices), True
    )  # fmt: skip


def test_more_than_twenty_candidates_are_searched_greedily():
    held = [(1,), *((rank,) for rank in range(1, 26))]
    assert most_held(held, 3) == (4, False)


# a small world: two documents of 12 characters
places = st.tuples(st.sampled_from("de"), st.integers(0, 9), st.integers(1, 5)).map(lambda p: (p[0], p[1], p[1] + p[2]))
results = st.lists(places, max_size=6, unique=True)
worlds = st.fixed_dictionaries(
    {
        "targets": st.lists(places, min_size=1, max_size=3, unique=True),
        "stages": st.lists(results, min_size=1, max_size=3),
        "chunks": st.none() | st.lists(places, min_size=1, max_size=5, unique=True),
        "k": st.integers(1, 4),
        "share": st.sampled_from([0.2, 0.5, 1.0]),
        "budget": st.none() | st.integers(0, 15),
        "enough": st.sampled_from([None, "set", "hop"]),
        "groups": st.tuples(*[st.lists(st.sampled_from("xyz"), min_size=1, max_size=2, unique=True)] * 3),
    }
)


def cells(place):
    return {(place[0], i) for i in range(place[1], place[2])}


def class_by_sets(target, world):
    """The table of classes row by row, with sets of characters."""
    wanted, k, share, stages, chunks = cells(target), world["k"], world["share"], world["stages"], world["chunks"]

    def holds(*some):
        covered = set().union(*map(cells, some)) & wanted
        return len(covered) >= share * len(wanted) - 1e-9

    last = stages[-1]
    everything = [place for stage in stages for place in stage]
    if chunks is not None and not any(cells(chunk) & wanted for chunk in chunks):
        return "not indexed"
    if chunks is not None and not any(holds(chunk) for chunk in chunks) and not holds(*last[:k]):
        return "cut"
    if all(place[0] != target[0] for place in everything):
        return "wrong document"
    if not any(cells(place) & wanted for place in everything):
        return "wrong passage"
    if holds(*last[:k]) and not any(holds(place) for place in last[:k]):
        return "in pieces"
    if not any(holds(place) for place in everything):
        return "partly found"
    if not any(holds(place) for place in last):
        return f"lost in {max(i for i, stage in enumerate(stages) if any(map(holds, stage))) + 1}"
    rank = next(i for i, place in enumerate(last, 1) if holds(place))
    if rank > k:
        return "ranked low"
    if world["budget"] is not None and sum(place[2] - place[1] for place in last[:rank]) > world["budget"]:
        return "over budget"
    return "found"


def class_of_topic(world, expected):
    """That of the target that got least far; of the set that got farthest; of the hop that got least far."""
    farther = [*FARTHER[:6], "lost in 1", "lost in 2", *FARTHER[7:]].index
    groups = {}
    for name, labels in zip(expected, world["groups"], strict=False):
        for label in labels if world["enough"] else ["all"]:
            groups.setdefault(label, []).append(name)
    if world["enough"] == "hop":
        return min((max(one, key=farther) for one in groups.values()), key=farther)
    return max((min(one, key=farther) for one in groups.values()), key=farther)


def diagnosed(world, row):
    """The classes that berrypick finds in a world; ``row`` writes a place as a file would."""
    labelled = zip(world["targets"], world["groups"], strict=False)
    named = [(place, {world["enough"]: groups} if world["enough"] else {}) for place, groups in labelled]
    truth = {"q": [{**row(place), **more} for place, more in named]}
    runs = {str(i): {"q": [row(place) for place in stage]} for i, stage in enumerate(world["stages"])}
    chunks = None if world["chunks"] is None else [row(place) for place in world["chunks"]]
    options = {name: world[name] for name in ("k", "share", "budget")}
    return bp.diagnose(truth, runs, stages=len(runs) > 1, chunks=chunks, **options)


UNITS = {
    "characters": lambda place: {"doc": place[0], "start": place[1], "end": place[2]},
    "lines": lambda place: {"doc": place[0], "start_line": place[1] + 1, "end_line": place[2]},
    "seconds": lambda place: {"doc": place[0], "start_time": place[1] / 4, "end_time": place[2] / 4},
    "boxes": lambda place: {"doc": place[0], "page": 1, "box": [place[1], 0, place[2], 10], "page_size": [20, 10]},
}
SCALE = {"characters": 1, "lines": 1, "seconds": 4, "boxes": 20}


@pytest.mark.slow
@each("unit", UNITS)
def test_classes_agree_with_sets_in_every_unit(unit):
    @settings(max_examples=60, deadline=None)
    @given(worlds)
    def agree(world):
        given = {**world, "budget": None if world["budget"] is None else world["budget"] / SCALE[unit]}
        found = diagnosed(given, UNITS[unit])
        expected = [class_by_sets(target, world) for target in world["targets"]]
        assert classes(found) == expected
        assert sum(row["count"] for row in found.classes.values()) == len(world["targets"])
        assert found.topics == {"q": class_of_topic(world, expected)}

    agree()


@settings(max_examples=60, deadline=None)
@given(
    st.sets(st.sampled_from("abcde"), min_size=1),
    st.lists(st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=6), min_size=1, max_size=3),
    st.integers(1, 4),
    st.none() | st.integers(0, 4),
)
def test_classes_of_whole_documents(wanted, stages, k, budget):
    truth = {"q": dict.fromkeys(sorted(wanted), 1)}
    runs = {str(i): {"q": stage} for i, stage in enumerate(stages)}
    found = bp.diagnose(truth, runs, stages=len(runs) > 1, k=k, budget=budget)

    def expected(name):
        if not any(name in stage for stage in stages):
            return "wrong document"
        if name not in stages[-1]:
            return f"lost in {max(i for i, stage in enumerate(stages) if name in stage) + 1}"
        rank = stages[-1].index(name) + 1
        return "ranked low" if rank > k else "over budget" if budget is not None and rank > budget else "found"

    assert {one.place["doc"]: one.class_name for one in found.targets} == {name: expected(name) for name in wanted}


def test_sets_count_by_the_one_that_got_farthest_and_hops_by_the_one_that_got_least_far():
    run = {"q": spans(("d", 0, 10))}
    rows = [{**spans(("d", 0, 10))[0]}, {**spans(("e", 0, 10))[0]}]
    for name, expected in {"set": "found", "hop": "wrong document"}.items():
        truth = {"q": [{**row, name: str(i)} for i, row in enumerate(rows)]}
        assert bp.diagnose(truth, run).topics == {"q": expected}, name
    assert bp.diagnose({"q": rows}, run).topics == {"q": "wrong document"}


def test_quotes_that_are_not_in_the_documents_are_unplaced():
    missing = {"doc": "d", "quote": "not there"}, {"doc": "d", "quote": "??"}
    truth = {"q": [{"doc": "d", "quote": "ijk"}, missing[0]], "r": [missing[1]]}
    run = {"q": spans(("d", 0, 20)), "r": spans(("d", 0, 20))}
    found = bp.diagnose(truth, run, documents={"d": LETTERS})
    assert [(one.topic, one.class_name, one.text) for one in found.targets] == [
        ("q", "found", "ijk"), ("q", "unplaced", "not there"), ("r", "unplaced", "??")
    ]  # fmt: skip
    assert found.topics == {"q": "unplaced", "r": "unplaced"}
    with pytest.raises(bp.InputError, match="2 places"):
        bp.diagnose({"q": [{"doc": "d", "quote": "aa"}, {"doc": "d", "quote": "zz"}]}, run, documents={"d": "aa bb aa"})


def test_quotes_of_golden_files_are_unplaced_as_those_of_truths(tmp_path):
    guide = "Cut the old canes in autumn, at the ground. Water the young plants twice a week in a dry summer."
    golden = [
        {
            "user_input": "When?",
            "reference_contexts": ["Cut the old  canes in autumn", "Cut them in November, or later"],
        },
        {"user_input": "How often?", "reference_contexts": ["Water the young plants twice a week"]},
        {"user_input": "How deep?", "reference_contexts": ["Five centimetres of soil above the roots are enough"]},
    ]
    (tmp_path / "golden.json").write_text(json.dumps(golden))
    run = {
        "When?": spans(("guide", 0, 43)),
        "How often?": spans(("guide", 0, 43)),
        "How deep?": spans(("guide", 0, 43)),
    }
    for truth in (golden, tmp_path / "golden.json"):
        with pytest.raises(bp.InputError, match="are not in the documents"):
            bp.evaluate(truth, run, "charR@1", documents={"guide": guide})
        found = bp.diagnose(truth, run, documents={"guide": guide})
        rows = [(one.question, one.class_name, one.place.get("start")) for one in found.targets]
        assert rows == [
            ("When?", "found", 0), ("When?", "unplaced", None), ("How often?", "wrong passage", 44),
            ("How deep?", "unplaced", None),
        ]  # fmt: skip
        assert sorted(found.topics.values()) == ["unplaced", "unplaced", "wrong passage"]


def test_chunks_are_texts_or_places_with_and_without_ids():
    run, options = {"q": spans(("d", 0, 3))}, {"documents": {"d": LETTERS}}
    truth = {"q": spans(("d", 8, 12))}
    for chunks in (
        {"1": LETTERS[:10], "2": LETTERS[10:]},
        [{"id": "1", "text": LETTERS[:10]}, {"id": "2", "text": LETTERS[10:]}],
        spans(("d", 0, 10), ("d", 10, 26)),
        bp.Run.from_dict({"x": {"d#0-10": 1, "d#10-26": 1}}),
    ):
        assert classes(bp.diagnose(truth, run, chunks=chunks, share=0.6, **options)) == ["cut"]
        assert classes(bp.diagnose(truth, run, chunks=chunks, **options)) == ["wrong passage"]


def test_shares_have_intervals_over_topics_not_over_targets():
    truth = {f"q{i}": spans(*(("d", 20 * x, 20 * x + 10) for x in range(5))) for i in range(8)}
    run = {f"q{i}": spans(("d", 0, 100)) for i in range(4)}
    row = bp.diagnose(truth, run).classes["found"]
    assert (row["count"], row["share"]) == (20, 0.5)
    assert row["low"] < 0.25  # Wilson's of 20 of 40 would begin at .35, but the targets of a topic share their fate
    assert row["high"] > 0.75


def test_worst_topics_come_first_and_groups_have_rows():
    truth = [
        {"topic": "a", "doc": "d", "start": 0, "end": 10, "kind": "x"},
        {"topic": "b", "doc": "d", "start": 0, "end": 10, "kind": "x"},
        {"topic": "c", "doc": "d", "start": 0, "end": 10, "kind": "y"},
    ]
    run = {"a": spans(("d", 20, 30)), "b": spans(("e", 0, 9)), "c": spans(("d", 0, 10))}
    found = bp.diagnose(truth, run, by="kind")
    assert found.worst(5) == ["b", "a"]
    assert {name: row["count"] for name, row in found.classes_of("run", "x").items()} == {
        "wrong passage": 1, "wrong document": 1
    }  # fmt: skip
    assert found.to_pandas()["class"].tolist() == ["wrong passage", "wrong document", "found"]


def test_a_topic_shows_ten_targets_those_first_that_got_least_far():
    truth = {"q": spans(*(("d", 20 * i, 20 * i + 10) for i in range(12)), ("e", 0, 10))}
    run = {"q": spans(("d", 0, 10), *((("d", 20 * i, 20 * i + 10)) for i in range(1, 12)))}
    rows = [line.split() for line in str(bp.diagnose(truth, run, k=1)).partition("not found")[2].splitlines()[3:15]]
    assert [row[:2] for row in rows[:2]] == [["wrong", "document"], ["ranked", "low"]]
    assert rows[9][3] == "d#180-190" and " ".join(rows[10]) == "q and 2 more that got as far or farther"


def test_the_command_prints_rows_of_targets(files, berrypick):
    given = files(
        truth_jsonl='{"topic": "q", "doc": "d", "start": 0, "end": 10, "question": "Where?"}\n',
        run_jsonl='{"topic": "q", "doc": "d", "start": 20, "end": 30}\n',
    )
    shown = berrypick("diagnose", given["truth_jsonl"], given["run_jsonl"], "-o", "json")
    assert json.loads(shown.out) == [
        {
            "run": "run", "topic": "q", "topic_class": "wrong passage", "target": {"doc": "d", "start": 0, "end": 10},
            "text": None, "class": "wrong passage", "ranks": {"run": []}, "question": "Where?",
        }
    ]  # fmt: skip
    table = berrypick("diagnose", given["truth_jsonl"], given["run_jsonl"], "-o", "table").out
    assert "results are in its document, but none overlaps it" in table
    assert "Where?" in table


@each("wrong", [{"k": 0}, {"share": 0}, {"share": 1.5}, {"budget": -1}, {"worst": -1}, {"stages": True}])
def test_wrong_settings_are_refused(wrong):
    with pytest.raises(bp.UsageError):
        bp.diagnose(ONE, {"q": spans(("d", 0, 10))}, **wrong)


def test_a_truth_without_targets_is_refused():
    with pytest.raises(bp.UsageError, match="no targets"):
        bp.diagnose({"q": {"a": 0}}, {"q": ["a"]})
