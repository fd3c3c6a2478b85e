"""StepAUC, CostAt, Waste and Drop: by hand, and against sets of lines on generated sessions."""

import json
import math
import random

import pytest

import berrypick as bp
from berrypick.measures.agents.costat import median_by_survival

TRUTH = [{"topic": "1", "doc": "a", "start_line": 11, "end_line": 20}]
RUN = [
    {"topic": "1", "doc": "b", "start_line": 1, "end_line": 30, "rank": 1, "tokens": 100, "seconds": 2, "used": False},
    {"topic": "1", "doc": "a", "start_line": 1, "end_line": 15, "rank": 2, "tokens": 50, "seconds": 1, "used": True},
    {"topic": "1", "doc": "a", "start_line": 10, "end_line": 12, "rank": 2},
    {"topic": "1", "doc": "a", "start_line": 16, "end_line": 18, "rank": 3, "tokens": 25, "seconds": 4, "used": False},
    {"topic": "1", "doc": "b", "start_line": 1, "end_line": 10, "rank": 4, "tokens": 25, "seconds": 3, "used": False},
]
#: After the steps 0, 5, 8 and 8 of the 10 relevant lines have been seen; they show 30, 15, 3 and 10 lines.
VALUES = {
    "StepAUC": (0 + 0.5 + 0.8 + 0.8) / 4,
    "StepAUC(budget=2)": (0 + 0.5) / 2,
    "StepAUC(budget=4)": (0 + 0.5 + 0.8 + 0.8) / 4,
    "StepAUC(budget=10,cost='steps')": (0 + 0.5 + 8 * 0.8) / 10,  # it keeps what it has seen
    "StepAUC(budget=45,cost='lines')": 0.5 / 45,  # 45 lines pay for the second step
    "StepAUC(budget=100,cost='lines')": (3 * 0.5 + 53 * 0.8) / 100,  # 45 to 47 lines, 48 to 100
    "StepAUC(budget=200,cost='tokens')": (25 * 0.5 + 26 * 0.8) / 200,  # 150 to 174 tokens, 175 to 200
    "StepAUC(budget=29,cost='tokens')": 0.0,
    "CostAt(share=0.5)": 45,
    "CostAt(share=0.5,cost='tokens')": 150,
    "CostAt(share=0.8,cost='seconds')": 7,
    "CostAt(share=0.8,cost='steps')": 3,
    "CostAt(share=0.81)": None,
    "Waste(share=0.5)": (58 - 45) / 58,
    "Waste(share=0.8,cost='tokens')": 25 / 200,
    "Waste(share=1)": 1.0,
    "Drop": 0.8 - 0.5,
    "charR@2": 0.5,
    "Overlap": 1 - (30 + 15 + 3) / 58,
}


@pytest.mark.parametrize("measure", VALUES)
def test_by_hand(measure):
    value = bp.score(measure, TRUTH, RUN)
    assert value == pytest.approx(VALUES[measure]) if VALUES[measure] is not None else value is None


def test_a_field_of_lines_counts_before_the_lines_shown():
    rows = [{**row, "lines": 7} if row["rank"] == 1 else row for row in RUN]
    assert bp.score("CostAt(share=0.5)", TRUTH, rows) == 7 + 15


def test_nothing_shown_and_nothing_spent():
    empty = bp.Run.from_records([{"topic": "1", "results": []}, {"topic": "2", "doc": "a", "line": 11}])
    truth = [*TRUTH, {"topic": "2", "doc": "a", "line": 11}]
    found = bp.evaluate(truth, empty, "StepAUC StepAUC(budget=3) CostAt Waste Drop").per_topic()
    values = {name: held["1"] for name, held in next(iter(found.values())).items()}
    assert values == {"StepAUC": 0.0, "StepAUC(budget=3)": 0.0, "CostAt": None, "Waste": None, "Drop": None}
    free = [{"topic": "1", "doc": "a", "start_line": 11, "end_line": 20, "rank": 1, "tokens": 0}]
    assert bp.score("Waste(cost='tokens')", TRUTH, free) == 0.0


def test_nothing_used_and_nothing_said():
    unused = [{**row, "used": False} for row in RUN]
    assert bp.score("Drop", TRUTH, unused) == pytest.approx(0.8)
    silent = [{key: value for key, value in row.items() if key != "used"} for row in RUN]
    assert bp.score("Drop", TRUTH, silent) is None


def test_whole_documents_count_one_each():
    truth = {"q": {"a": 1, "b": 1}}
    run = [{"topic": "q", "doc": name, "rank": i, "used": name == "a"} for i, name in enumerate("cab", start=1)]
    assert bp.score("StepAUC", truth, run) == pytest.approx((0 + 0.5 + 1) / 3)
    assert bp.score("CostAt(share=1,cost='steps')", truth, run) == 3
    assert bp.score("Drop", truth, run) == 0.5


def test_a_missing_cost_is_an_error_with_its_line(tmp_path):
    rows = [{key: value for key, value in row.items() if not (key == "tokens" and row["rank"] == 3)} for row in RUN]
    (tmp_path / "run.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(bp.InputError, match=r"the run:4: tokens is missing at step 3 of topic 1 \(a:16-18\)"):
        bp.evaluate(TRUTH, tmp_path / "run.jsonl", "CostAt(cost='tokens')")
    characters = [{"topic": "1", "doc": "a", "start": 0, "end": 5}]
    judged = [{"topic": "1", "doc": "a", "start": 2, "end": 4}]
    assert bp.score("CostAt", judged, characters) == 1, "a step"
    with pytest.raises(bp.BerrypickError, match="lines is missing at step 1"):
        bp.score("CostAt(cost='lines')", [{"topic": "1", "doc": "a", "start": 2, "end": 4}], characters)


def test_beside_the_mean(tmp_path, berrypick):
    """Reached after 10 and 30 lines; never in two sessions, which end at 20 and 40; one topic is missing.

    Kaplan and Meier: at 0 one is censored; of 4 one gets there at 10 (S = 3/4); at 20 one is censored; of 2 one gets
    there at 30 (S = 3/8).
    """
    truth = [{"topic": str(i), "doc": "a", "line": 1} for i in range(5)]
    ends = {0: ("a", 10), 1: ("a", 30), 2: ("b", 20), 3: ("b", 40)}
    run = [{"topic": str(i), "doc": doc, "start_line": 1, "end_line": many} for i, (doc, many) in ends.items()]
    files = tmp_path / "truth.jsonl", tmp_path / "run.jsonl"
    for file, rows in zip(files, (truth, run), strict=True):
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    [row] = json.loads(berrypick("evaluate", *files, "-m", "CostAt", "-o", "json").out)
    assert (row["value"], row["reached"], row["median"], row["median_km"]) == (20.0, 0.4, None, 30)
    notes = [str(note) for note in bp.evaluate(*files, "CostAt").notes]
    assert any(
        "40% of the topics reach 50%; median over all never, by Kaplan and Meier 30 (presumes" in one for one in notes
    )


def test_median_by_survival():
    assert median_by_survival([(3, False), (1, False), (2, False)]) == 2
    assert median_by_survival([(1, False), (1, True)]) == 1, "who gets there comes before who stops"
    assert median_by_survival([(1, True), (2, True), (3, False)]) == 3
    assert median_by_survival([(1, False), (2, True), (3, True)]) is None
    assert median_by_survival([(1, True)]) is None


def test_the_median_agrees_with_a_plain_product():
    rng = random.Random(5)
    for _ in range(300):
        ends = [(rng.randrange(6), rng.random() < 0.4) for _ in range(rng.randrange(1, 9))]
        found = None
        for c in range(6):
            survival = 1.0
            for at in range(c + 1):
                here = sum(1 for t, censored in ends if t == at and not censored)
                survival *= 1 - here / max(1, sum(1 for t, _ in ends if t >= at))
            if found is None and survival <= 0.5 + 1e-12:
                found = c
        assert median_by_survival(ends) == found, ends


def some_session(rng):
    """Relevant lines, and steps of one to three windows with a number of tokens each."""
    place = lambda most: (rng.choice("abc"), first := rng.randrange(1, 30), first + rng.randrange(most))  # noqa: E731
    gold = [place(9) for _ in range(rng.randrange(1, 4))]
    steps = [([place(12) for _ in range(rng.randrange(1, 4))], rng.randrange(40)) for _ in range(rng.randrange(1, 7))]
    return gold, steps


def rows_of(places, **more):
    return [{"topic": "1", "doc": doc, "start_line": a, "end_line": b, **more} for doc, a, b in places]


def within(gold, steps, budget, cost):
    """A slow obvious twin: the recall that each budget of 1, 2 .. pays for, by sets of lines."""
    value = bp.score(
        f"StepAUC(budget={budget},cost='{cost}')",
        rows_of(gold),
        [row for rank, (places, tokens) in enumerate(steps, 1)
         for row in [*rows_of(places[:1], rank=rank, tokens=tokens), *rows_of(places[1:], rank=rank)]],
        duplicates="keep",
    )  # fmt: skip
    lines = lambda places: {(doc, n) for doc, a, b in places for n in range(a, b + 1)}  # noqa: E731
    wanted, recalls = lines(gold), []
    for one in range(1, budget + 1):
        spent, seen = 0, set()
        for places, tokens in steps:
            spent += {"steps": 1, "lines": len(lines(places)), "tokens": tokens}[cost]
            if spent > one:
                break
            seen |= lines(places)
        recalls.append(len(seen & wanted) / len(wanted))
    assert value == pytest.approx(math.fsum(recalls) / budget, abs=1e-12)
    return value


@pytest.mark.parametrize("cost", ["steps", "lines", "tokens"])
def test_dawdling_never_raises_the_area_within_a_budget(cost):
    """Steps that repeat earlier ones, or parts of them, anywhere after these; StepAUC itself rises."""
    rng = random.Random(cost)
    rose = False
    for _ in range(25):
        gold, steps = some_session(rng)
        budget = rng.choice([1, 2, 5, 20, 90])
        value = within(gold, steps, budget, cost)
        longer = list(steps)
        for _ in range(rng.randrange(1, 4)):
            after = rng.randrange(len(longer))
            places = rng.sample(longer[after][0], rng.randrange(1, len(longer[after][0]) + 1))
            longer.insert(rng.randrange(after + 1, len(longer) + 1), (places, rng.randrange(40)))
        assert within(gold, longer, budget, cost) <= value + 1e-12
        rose = rose or within(gold, longer, len(longer), "steps") > within(gold, steps, len(steps), "steps") + 1e-12
    assert rose, "over all steps of a session dawdling raises the mean"


def test_a_cost_needs_a_budget():
    with pytest.raises(bp.UsageError, match=r"StepAUC\(budget=1000,cost='lines'\)"):
        bp.score("StepAUC(cost='lines')", TRUTH, RUN)
    with pytest.raises(bp.UsageError, match="1 or more"):
        bp.score("StepAUC(budget=0)", TRUTH, RUN)


@pytest.mark.slow
def test_against_sets_of_lines():
    """A slow obvious twin: sets of (document, line), step by step."""
    rng = random.Random(7)
    for _ in range(60):
        truth, run = [], []
        for _ in range(rng.randrange(1, 4)):
            first = rng.randrange(1, 30)
            truth.append(
                {"topic": "1", "doc": rng.choice("ab"), "start_line": first, "end_line": first + rng.randrange(9)}
            )
        for rank in range(1, rng.randrange(2, 7)):
            for _ in range(rng.randrange(1, 4)):
                first = rng.randrange(1, 30)
                last = first + rng.randrange(12)
                run.append(
                    {"topic": "1", "doc": rng.choice("abc"), "start_line": first, "end_line": last, "rank": rank}
                )
        lines = lambda row: {(row["doc"], n) for n in range(row["start_line"], row["end_line"] + 1)}  # noqa: E731
        gold = set().union(*map(lines, truth))
        steps = [set().union(*(lines(row) for row in run if row["rank"] == rank))
                 for rank in sorted({row["rank"] for row in run})]  # fmt: skip
        seen, shares, cost, at = set(), [], 0, None
        for step in steps:
            seen, cost = seen | step, cost + len(step)
            shares.append(len(seen & gold) / len(gold))
            at = cost if at is None and len(seen & gold) >= 0.5 * len(gold) else at
        found = bp.evaluate(truth, run, "StepAUC CostAt Waste Overlap").mean()["run"]
        assert found["StepAUC"] == pytest.approx(math.fsum(shares) / len(shares), abs=1e-14)
        assert found["CostAt"] == at
        assert found["Waste"] == pytest.approx(1.0 if at is None else (cost - at) / cost, abs=1e-14)
        assert found["Overlap"] == pytest.approx(1 - len(seen) / cost, abs=1e-14)


def test_curves():
    results = bp.evaluate(TRUTH, RUN, "StepAUC CostAt(cost='tokens')", curves=True)
    by_step, by_cost = (row.curve for row in results.topic_rows)
    assert by_step == [(1, 0.0), (2, 0.5), (3, 0.8), (4, 0.8)]
    assert by_cost == [(0.0, 0.0), (100, 0.0), (150, 0.5), (175, 0.8), (200, 0.8)]
    mean = dict(results.mean_rows[1].curve)
    assert (mean[100], mean[200], max(mean)) == (0.0, 0.8, 200)


def test_explained(tmp_path, berrypick):
    files = tmp_path / "truth.jsonl", tmp_path / "run.jsonl"
    for file, rows in zip(files, (TRUTH, RUN), strict=True):
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for measure, words in (("StepAUC", "mean of the shares is 0.525"),
                           ("StepAUC(budget=99,cost='tokens')", "mean share over tokens 1 to 99 is 0"),
                           ("CostAt", "by step 2, after 45 lines"),
                           ("Waste(share=1)", "the share is never seen: 1"), ("Drop", "0.3")):  # fmt: skip
        shown = berrypick("explain", *files, "--topic", "1", "-m", measure).out
        assert words in shown, shown
    assert "lines shown" in berrypick("explain", *files, "--topic", "1", "-m", "StepAUC").out
