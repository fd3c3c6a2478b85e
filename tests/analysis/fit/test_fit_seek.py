"""seek learnt from games."""

import json
import math
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize

import berrypick as bp
from berrypick.data.navigation import LinkTable, Sessions
from berrypick.users.links.seek import Seek

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "experiments"))
played, random_links = (getattr(import_module("_games"), name) for name in ("played", "random_links"))

TRUE = {"goal": 2.0, "near": 1.0, "indegree": 0.5, "stop": 0.1, "tiring": 0.05}


@pytest.fixture(scope="module")
def world():
    random = np.random.default_rng(3)
    links = random_links(random)
    return links, played(Seek(**TRUE), links, random, 400)


def log_likelihood(sessions, links, weights):
    """Decision by decision, from the definition, with dictionaries."""
    goal_, near, indegree, odds, tiring = weights
    out = {}
    for a, b in links.rows:
        out.setdefault(a, []).append(b)
    degree = {b: sum(y == b for _, y in links.rows) for _, b in links.rows}
    found = []
    for path, goal in zip(sessions.paths, sessions.goals, strict=True):
        for clicks, page in enumerate(path):
            if page == goal or page not in out:
                break
            stop = 1 / (1 + math.exp(-(odds + tiring * clicks)))
            if clicks == len(path) - 1:
                found.append(math.log(stop))
                break
            value = {
                j: goal_ * (j == goal) + near * ((j, goal) in links.rows) + indegree * math.log(degree[j])
                for j in out[page]
            }
            total = math.log(sum(map(math.exp, value.values())))
            found.append(math.log(1 - stop) + value[path[clicks + 1]] - total)
    return found


@pytest.mark.slow
def test_the_maximum_is_the_one_of_the_definition(world):
    links, sessions = world
    some = Sessions(sessions.paths[:60], "", sessions.goals[:60])
    found = bp.fit("seek", some, links=links, held_out=0)
    best = minimize(lambda w: -sum(log_likelihood(some, links, w)), np.zeros(5), method="BFGS", tol=1e-8).x
    values = [one["value"] for one in found.parameters.values()]
    assert list(found.parameters) == list(TRUE)
    expected = [*best[:3], 1 / (1 + math.exp(-best[3])), best[4]]
    np.testing.assert_allclose(values, expected, atol=2e-4)


def test_what_was_played_is_found(world):
    links, sessions = world
    found = bp.fit("seek", sessions, links=links, held_out=0.25)
    for name, one in found.parameters.items():
        assert one["low"] < TRUE[name] < one["high"], (name, one)
    held = found.held_out
    out = [i for i, path in enumerate(sessions.paths) if i in held_numbers(len(sessions.paths), 0.25)]
    rest = Sessions(tuple(sessions.paths[i] for i in out), "", tuple(sessions.goals[i] for i in out))
    user = found.user
    weights = [user.goal, user.near, user.indegree, math.log(user.stop / (1 - user.stop)), user.tiring]
    own = log_likelihood(rest, links, weights)
    assert held["decisions"] == len(own)
    assert held["log_likelihood"] == pytest.approx(np.mean(own), abs=1e-5)
    assert held["log_likelihood"] > held["baseline_log_likelihood"]
    assert held["log_likelihood"] > held["markov_log_likelihood"]
    reached = [row for row in found.calibration if row["what"] == "gets to the goal"]
    assert sum(row["cases"] for row in reached) == 100
    predicted, observed = (sum(row["cases"] * row[name] for row in reached) for name in ("predicted", "observed"))
    assert abs(predicted - observed) < 4 * math.sqrt(100 * 0.25)


def held_numbers(sessions, share):
    from berrypick.users.learning import held_sessions

    return set(np.flatnonzero(held_sessions(sessions, share, 0)).tolist())


@pytest.mark.slow
def test_players_who_differ_have_wider_intervals():
    random = np.random.default_rng(5)
    links = random_links(random)
    sessions = played(Seek(**TRUE), links, random, 600, players=30, spread=2.0)
    apart = Sessions(sessions.paths, "", sessions.goals)
    together, alone = (bp.fit("seek", one, links=links, held_out=0).parameters["goal"] for one in (sessions, apart))
    assert together["value"] == alone["value"]
    assert together["high"] - together["low"] > 1.3 * (alone["high"] - alone["low"])


@pytest.mark.slow
def test_intervals_cover():
    """Of 60 logs, 95% intervals of five parameters: by chance alone fewer than 265 of 300 hold once in 1000 times."""
    random = np.random.default_rng(11)
    links = random_links(random, 15, 0.25)
    user, covered = Seek(**TRUE), 0
    for _ in range(60):
        found = bp.fit("seek", played(user, links, random, 120, players=40), links=links, held_out=0).parameters
        covered += sum(one["low"] <= TRUE[name] <= one["high"] for name, one in found.items())
    assert 268 <= covered <= 297


@pytest.mark.slow
def test_the_file_is_a_user_model_of_its_own(world, tmp_path, berrypick):
    links, sessions = world
    reader, games, table = tmp_path / "reader.json", tmp_path / "games.json", tmp_path / "links.tsv"
    bp.write(links, table)
    bp.write(sessions, games, "wikirace")
    done = berrypick("fit", "seek", games, "--links", table, "-o", reader, "-o", "json")
    assert done.code == 0, done.err
    [row] = json.loads(done.out)
    assert {"value", "low", "high"} == set(row["parameters"]["goal"])
    assert row["held_out"]["log_likelihood"] > row["held_out"]["markov_log_likelihood"]
    assert row["checksum"] == bp.fit("seek", games, links=table).reader.content["checksum"]
    truth, run = {"q": {"p1": 1, "p2": 1}}, {"q": {"p3": 2, "p4": 1}}
    bp.write(bp.Truth.from_dict(truth), tmp_path / "t.qrels")
    own = bp.evaluate(truth, run, "ExpectedRatio@2", user=reader)
    plain = bp.score("ExpectedRatio@2", truth, run, user=row["user"], navigation=table)
    assert own.mean_rows[0].value == pytest.approx(plain, abs=1e-12)
    low, high = own.to_records()[-1]["reader_low"], own.to_records()[-1]["reader_high"]
    assert 0 < low < plain < high < 1
    damaged = json.loads(reader.read_text())
    damaged["links"].append(["p1"])
    from berrypick.data.navigation import content_checksum

    damaged["checksum"] = content_checksum(damaged)
    reader.write_text(json.dumps(damaged))
    with pytest.raises(bp.InputError, match="links that are not from, to"):
        bp.evaluate(truth, run, "EPRUM", user=reader)


@pytest.mark.slow
def test_readers_drawn_spread_as_the_law_says(world):
    links, sessions = world
    reader = bp.fit("seek", sessions, links=links, held_out=0).reader
    law = reader.content["law"]
    drawn = [Seek.from_parameters(dict(bp_spec(reader.draw(i, 400).user)), "") for i in range(400)]
    values = np.array([[u.goal, u.near, u.indegree, math.log(u.stop / (1 - u.stop)), u.tiring] for u in drawn])
    expected = np.sqrt(np.diag(law["covariance"]))
    np.testing.assert_allclose(values.std(axis=0), expected, rtol=0.15)
    assert law["scales"] == ["linear", "linear", "linear", "logit", "linear"]


def bp_spec(text):
    from berrypick.data import spec

    return spec.parse(text, "user model").parameters


def test_goals_in_a_file(world, tmp_path, berrypick):
    links, sessions = world
    bp.write(links, tmp_path / "links.tsv")
    bp.write(Sessions(sessions.paths), tmp_path / "paths.sessions")
    lines = [f"{i}\t{goal}\tplayer {i % 50}\n" for i, goal in enumerate(sessions.goals, 1)]
    (tmp_path / "goals.tsv").write_text("# all of them\n" + "".join(lines))
    given = ("fit", "seek", tmp_path / "paths.sessions", "--links", tmp_path / "links.tsv")
    done = berrypick(*given, "--goals", tmp_path / "goals.tsv", "-o", "json")
    assert done.code == 0, done.err
    own = bp.fit("seek", sessions, links=links).parameters["goal"]["value"]
    [row] = json.loads(done.out)
    assert row["parameters"]["goal"]["value"] == own and row["data"]["players"] == 50
    assert "give them with --goals" in berrypick(*given).err
    for text, message in [
        ("1\n", "goals.tsv:1: is not session TAB goal"),
        ("401\tp1\n", "there is no session '401'"),
        ("1\tp1\n1\tp2\n", "goals.tsv:2: session 1 has a goal in line 1"),
    ]:
        (tmp_path / "goals.tsv").write_text(text)
        done = berrypick(*given, "--goals", tmp_path / "goals.tsv")
        assert done.code == 2 and message in done.err, done.err
    (tmp_path / "goals.tsv").write_text("".join(lines[:100]))
    assert "left out: 300 sessions without a goal" in berrypick(*given, "--goals", tmp_path / "goals.tsv").err


def test_what_is_given_stays_even_if_it_is_the_default(world):
    links, sessions = world
    found = bp.fit("seek(goal=7,indegree=0)", sessions, links=links, held_out=0)
    assert list(found.parameters) == ["near", "stop", "tiring"]
    assert (found.user.goal, found.user.indegree) == (7, 0)


def test_steps_that_are_no_decisions_are_counted():
    links = LinkTable(dict.fromkeys([("a", "b"), ("a", "c"), ("b", "x"), ("b", "a"), ("c", "x"), ("c", "a")]))
    paths = [("a", "b", "x", "a"), ("a", "c", "<", "b", "x"), ("a", "x"), ("a", "b", "?"), ("c", "a"), ("b", "x"),
             ("a", "b", "a"), ("c", "x"), ("b", "a", "c")]  # fmt: skip
    found = bp.fit("seek(near=0,indegree=0)", paths, links=links, goals=["x"] * 9, held_out=0)
    data = found.reader.content["data"]
    assert data["left_out"] == {
        "sessions that went on after their goal, cut off there": 1,
        "steps back, not along a link": 1,
        "steps along links that are not in the table": 1,
    }
    # a>b b>x | a>c a>b b>x | | a>b | c>a stop | b>x | a>b b>a stop | c>x | b>a a>c stop
    assert data["decisions"] == 2 + 3 + 0 + 1 + 2 + 1 + 3 + 1 + 3
    # clicks before each of those, and before stopping
    going, stops = [0, 1, 0, 2, 3, 0, 0, 0, 0, 1, 0, 0, 1], [1, 2, 2]

    def loss(w):
        on = sum(math.log1p(math.exp(w[0] + w[1] * d)) for d in going)
        return on + sum(math.log1p(math.exp(-w[0] - w[1] * d)) for d in stops)

    odds = float(minimize(loss, np.zeros(2), tol=1e-10).x[0])
    assert found.parameters["stop"]["value"] == pytest.approx(1 / (1 + math.exp(-odds)), abs=1e-4)


def test_what_cannot_be_learnt_is_refused(world):
    links, sessions = world
    for log, model, options, message in [
        (sessions, "seek", {}, "seek follows links: give them"),
        ([("a", "b")], "seek", {"links": links}, "needs the goal of each session"),
        ([("a", "b")], "seek", {"links": links, "goals": ["b", "c"]}, "has 2 goals for 1 session"),
        (sessions, "seek(similarity=1)", {"links": links}, "needs the texts"),
        ([("p1", "p0")] * 5, "seek", {"links": LinkTable(dict.fromkeys([("p1", "p0"), ("p1", "p2")])),
         "goals": ["p0"] * 5}, "cannot identify"),
        ([("p1", "p9")] * 5, "seek", {"links": links, "goals": ["zz"] * 5}, "no session with a goal follows a link"),
        (sessions, "markov", {"goals": ["a"]}, "goals= is for seek; markov does not have a goal"),
    ]:  # fmt: skip
        with pytest.raises(bp.UsageError, match=message):
            bp.fit(model, log, held_out=0, **options)


def test_texts_are_a_feature_where_they_are_given(world):
    links, sessions = world
    texts = {page: f"word{i % 3} page{i % 5}" for i, page in enumerate(links.units)}
    found = bp.fit("seek", sessions, links=links, documents=texts, held_out=0)
    one = found.parameters["similarity"]
    assert one["low"] < 0 < one["high"]
    assert bp.score("EPRUM", {"q": {"p1": 1}}, {"q": {"p3": 1}}, user=found, documents=texts) > 0
