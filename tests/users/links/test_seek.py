"""seek: reach of a reader with a goal, beside the enumeration of all walks."""

import json
import math

import numpy as np
import pytest

import berrypick as bp
from berrypick.data.navigation import LinkTable, ReachTable
from berrypick.users import build
from berrypick.users.links.seek import Seek, goals_of
from berrypick.users.links.seek_chain import LinkGraph, Patience, _solved

PAGES = "abcde"
TEXTS = bp.Texts({"a": "red red berry", "b": "berry bush", "c": "stone wall", "d": "red wall"})


def reader(goal, near, indegree, similarity=0.0, stop=0.0, tiring=0.0, budget=None):
    return Seek(goal=goal, near=near, indegree=indegree, similarity=similarity, stop=stop, tiring=tiring, budget=budget)


def table(pairs):
    return LinkTable(dict.fromkeys(pairs))


def stops(user, clicks):
    """s(d) by its definition."""
    if user.stop in (0, 1):
        return user.stop
    odds = user.stop / (1 - user.stop) * math.exp(user.tiring * clicks)
    return odds / (1 + odds)


def cosine(one, other, pages=PAGES):
    """By counting words in dictionaries; a page without a text is like no other one."""
    if one not in TEXTS or other not in TEXTS:
        return 0.0
    words = {page: TEXTS[page].split() for page in TEXTS if page in pages}
    rarity = {w: math.log(len(words) / sum(w in own for own in words.values())) for own in words.values() for w in own}
    vectors = [{w: (1 + math.log(words[p].count(w))) * rarity[w] for w in words[p]} for p in (one, other)]
    lengths = [math.sqrt(sum(v * v for v in vector.values())) for vector in vectors]
    return sum(v * vectors[1].get(w, 0.0) for w, v in vectors[0].items()) / (lengths[0] * lengths[1])


def walked(user, pairs, page, goal, budget, clicks=0):
    """P(getting to the goal), by going through every walk of at most so many clicks."""
    if page == goal:
        return 1.0
    ways = sorted({b for a, b in pairs if a == page})
    if clicks == budget or not ways:
        return 0.0
    weight = [
        math.exp(
            user.goal * (j == goal)
            + user.near * ((j, goal) in pairs)
            + user.indegree * math.log(len({a for a, b in pairs if b == j}))
            + (user.similarity * cosine(j, goal, {a for pair in pairs for a in pair}) if user.similarity else 0.0)
        )
        for j in ways
    ]
    each = [
        w / sum(weight) * walked(user, pairs, j, goal, budget, clicks + 1) for j, w in zip(ways, weight, strict=True)
    ]
    return (1 - stops(user, clicks)) * sum(each)


def generated(seed):
    random = np.random.default_rng(seed)
    pairs = {(a, b) for a in PAGES for b in PAGES if random.random() < 0.4}  # of a page to itself too
    similar = float(random.normal()) if seed % 3 == 0 else 0.0
    stop, tiring = float(random.random()), float(random.normal())
    budget = int(random.integers(1, 6))
    user = reader(*random.normal(size=3).tolist(), similar, stop, tiring, budget)
    return pairs, user


def reach(user, pairs, page, goal):
    found = goals_of(user, table(pairs), TEXTS if user.similarity else None)
    known = found.graph.number
    return float(found.column(known[goal])[known[page]])


@pytest.mark.slow
def test_walks_of_a_budget_are_all_counted():
    for seed in range(30):
        pairs, user = generated(seed)
        for page in {a for pair in pairs for a in pair}:
            for goal in {a for pair in pairs for a in pair}:
                expected = walked(user, pairs, page, goal, user.budget)
                assert reach(user, pairs, page, goal) == pytest.approx(expected, abs=1e-13), (seed, page, goal)


@pytest.mark.slow
def test_without_a_budget_it_is_where_ever_longer_walks_lead():
    """The least solution: what a budget approaches, computed here by steps of the definition."""
    for seed in range(12):
        pairs, drawn = generated(seed)
        units = sorted({a for pair in pairs for a in pair})
        for stop, tiring in [(0.0, 0.0), (0.3, 0.0), (0.2, 0.5), (0.4, -0.3)]:
            user = reader(drawn.goal, drawn.near, drawn.indegree, 0.0, stop, tiring)
            for goal in units:
                hit = ever(user, pairs, units, goal)
                found = [reach(user, pairs, page, goal) for page in units]
                np.testing.assert_allclose(found, hit, atol=1e-9, err_msg=str((seed, stop, tiring, goal)))


def ever(user, pairs, units, goal):
    """Matrices of single clicks multiplied: 128 of them while patience changes, then 2^40 of the last one."""
    hit = np.zeros(len(units))
    hit[units.index(goal)] = 1.0
    last = one_click(user, pairs, units, goal, 128)
    for _ in range(40):
        last = last @ last
    hit = last @ hit
    for clicks in reversed(range(128)):
        hit = one_click(user, pairs, units, goal, clicks) @ hit
    return hit


def one_click(user, pairs, units, goal, clicks):
    matrix = np.zeros((len(units), len(units)))
    for i, page in enumerate(units):
        ways = [b for a, b in pairs if a == page]
        degree = {j: len({a for a, b in pairs if b == j}) for j in ways}
        weight = {
            j: math.exp(user.goal * (j == goal) + user.near * ((j, goal) in pairs)) * degree[j] ** user.indegree
            for j in ways
        }
        for j in ways:
            matrix[i, units.index(j)] = (1 - stops(user, clicks)) * weight[j] / sum(weight.values())
        if page == goal:
            matrix[i] = np.eye(len(units))[i]
    return matrix


def test_by_hand():
    """home -> docs, blog; docs -> install; blog -> home. s = .1 before each click, near = log 3: docs 3/4.

    Three clicks: home, docs, install is .9 x .75 x .9 = .6075. Without a budget a reader may come back from the blog:
    h = .9 (.75 x .9 + .25 x .9 h), so h = .6075/(1 - .2025).
    """
    pairs = [("home", "docs"), ("home", "blog"), ("docs", "install"), ("blog", "home")]
    user = reader(0.0, math.log(3), 0.0, 0.0, 0.1, 0.0, 3)
    assert reach(user, pairs, "home", "install") == pytest.approx(0.6075, abs=1e-15)
    assert reach(reader(0.0, math.log(3), 0.0, stop=0.1), pairs, "home", "install") == pytest.approx(0.6075 / 0.7975)
    assert reach(user, pairs, "install", "home") == 0.0  # without links
    assert reach(user, pairs, "docs", "docs") == 1.0


def test_readers_that_never_stop_and_a_trap():
    """From a half go to the goal, half to pages that lead nowhere else: the least solution is 1/2, not 1."""
    pairs = [("a", "x"), ("a", "t"), ("t", "u"), ("u", "t")]
    assert reach(reader(0, 0, 0, stop=0), pairs, "a", "x") == 0.5
    assert reach(reader(0, 0, 0, stop=0), pairs, "t", "x") == 0.0


def test_slow_chains_are_solved_by_factors():
    """A long walk back and forth: iterating would take longer than it is allowed to."""
    pairs = [pair for i in range(60) for pair in ((f"p{i}", f"p{i + 1}"), (f"p{i + 1}", f"p{i}"))]
    user = reader(0, 0, 0, stop=0)
    assert reach(user, pairs, "p60", "p0") == pytest.approx(1.0, abs=1e-9)
    graph = LinkGraph(table([*pairs, ("p1", "out"), ("out", "out")]))
    from scipy import sparse

    step = sparse.csr_matrix((graph.chances(np.zeros(len(graph.units))), graph.target, graph.first))
    assert _solved(step, 0, 1.0)[graph.number["p60"]] == pytest.approx(0.5, abs=1e-12)


def test_far_apart_log_odds_do_not_overflow():
    pairs = [("a", "b"), ("a", "x"), ("b", "c"), ("c", "x"), ("b", "a")]
    assert reach(reader(900.0, -900.0, 0, stop=0), pairs, "a", "x") == 1.0
    assert reach(reader(-900.0, 900.0, 0, stop=0), pairs, "a", "x") == pytest.approx(1.0)


def test_in_an_evaluation_what_is_not_linked_is_not_reached(tmp_path):
    (tmp_path / "links.tsv").write_text("home\tdocs\nhome\tblog\nhome\tdocs\ndocs\tinstall\n")
    truth, user = {"q": {"install": 1, "gone": 1}}, "seek(near=0,indegree=0,goal=0,stop=0.5)"
    scored = {"user": user, "navigation": tmp_path / "links.tsv"}
    assert bp.score("ExpectedRatio@1", truth, {"q": {"home": 1}}, **scored) == pytest.approx(0.5 * 0.5 * 0.5 / 2)
    assert bp.score("ExpectedRatio@1", truth, {"q": {"gone": 1}}, **scored) == 0.5  # itself
    assert bp.score("ExpectedRatio@1", truth, {"q": {"lost": 1}}, **scored) == 0.0


def test_texts():
    pairs = [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")]
    user = reader(0, 0, 0, 3.0, 0.0)
    like = math.exp(3 * cosine("b", "d")), math.exp(3 * cosine("c", "d"))
    assert like[0] == 1.0 < like[1]
    found = goals_of(user, table([*pairs, ("b", "e")]), TEXTS)
    column = found.column(found.graph.number["d"])
    expected = (0.5 / math.exp(3 * cosine("d", "d")) * 0 + like[1]) / sum(like)
    take = math.exp(3.0) / (math.exp(3.0) + 1)  # of b's links to d and to e, which has no text
    assert column[found.graph.number["a"]] == pytest.approx(expected + like[0] / sum(like) * take)
    with pytest.raises(bp.UsageError, match="needs the texts of the pages"):
        bp.score("EPRUM", {"q": {"d": 1}}, {"q": {"a": 1}}, user="seek(similarity=1)", navigation=table(pairs))


def test_simulated_readers_are_drawn_as_from_a_table():
    links = table([("a", "x"), ("a", "y"), ("x", "y")])
    found = bp.simulate({"q": {"x": 1, "y": 1}}, {"q": {"a": 1}}, "EPRUM(r=1)", user="seek", navigation=links)
    assert {row.together for row in found} == {"independent"}
    with pytest.raises(bp.UsageError, match="as a separate goal"):
        bp.simulate({"q": {"x": 1}}, {"q": {"a": 1}}, "EPRUM", user="seek", navigation=links, together="walk")


def test_what_is_refused(tmp_path):
    for text, message in [
        ("seek(tiring=1,stop=0)", "so stop must be above 0"),
        ("seek(stop=1.5)", r"in \[0, 1\]"),
        ("seek(budget=0)", "1 .. 100000"),
    ]:
        with pytest.raises(bp.UsageError, match=message):
            build(text)
    with pytest.raises(bp.UsageError, match="needs a table of links"):
        bp.score("EPRUM", {"q": {"a": 1}}, {"q": {"a": 1}}, user="seek", navigation=ReachTable({("a", "b"): 1.0}))
    with pytest.raises(bp.UsageError, match="as in budget=100"):
        Patience(1e-9, 1e-9, None).schedule  # noqa: B018


def test_from_the_command_line(tmp_path, berrypick):
    (tmp_path / "links.tsv").write_text("home\tdocs\nhome\tblog\ndocs\tinstall\n")
    (tmp_path / "t.qrels").write_text("1 0 install 1\n")
    (tmp_path / "r.run").write_text("1 Q0 home 1 1 mine\n")
    done = berrypick("evaluate", tmp_path / "t.qrels", tmp_path / "r.run", "-m", "ExpectedRatio@1", "-o", "json",
                     "--user", "seek(near=2,indegree=0,stop=0)", "--navigation", tmp_path / "links.tsv")  # fmt: skip
    assert done.code == 0
    assert json.loads(done.out)[0]["value"] == pytest.approx(math.exp(2) / (math.exp(2) + 1))
