"""Games of wikirace as sessions with goals."""

import json
import os
from pathlib import Path

import pytest

import berrypick as bp
from berrypick.data.navigation import CUT, Sessions


def game(result, *articles, start="Otter", goal="France", **more):
    steps = [{"type": "start" if i == 0 else "move", "article": page} for i, page in enumerate(articles)]
    return {"result": result, "start_article": start, "destination_article": goal, "steps": steps, **more}


GAMES = {
    "max_steps": 2,
    "agent_settings": {"model": "all"},
    "runs": [
        game("win", "Otter", "Europe", "France", model="one"),
        game("lose", "Otter", -1),
        game("move", "Otter", "Europe", "Asia (continent)"),
    ],
}


def read(tmp_path, games):
    path = tmp_path / "games.json"
    path.write_text(json.dumps(games, indent=1))
    return bp.read_navigation(path)


def test_how_games_end(tmp_path, berrypick):
    found = read(tmp_path, GAMES)
    assert found.paths == (("Otter", "Europe", "France"), ("Otter",), ("Otter", "Europe", "Asia (continent)", CUT))
    assert found.goals == ("France",) * 3 and found.players == ("one", "all", "all") and found.budget == 2
    said = berrypick("check", tmp_path / "games.json").out
    assert "3 games" in said and "1 won" in said and "1 given up" in said and "1 cut off" in said


def test_what_is_written_is_read(tmp_path):
    found = read(tmp_path, GAMES)
    bp.write(found, tmp_path / "again.json", "wikirace")
    again = bp.read_navigation(tmp_path / "again.json")
    assert (again.paths, again.goals, again.players, again.budget) == (
        found.paths, found.goals, found.players, found.budget
    )  # fmt: skip
    with pytest.raises(bp.UsageError, match="have goals, for which a path has no place"):
        bp.write(found, tmp_path / "paths.sessions", "sessions")
    with pytest.raises(bp.UsageError, match="have no goals"):
        bp.write(Sessions((("a", "b"),)), tmp_path / "again.json", "wikirace")


def test_a_chain_is_estimated_from_them_too(tmp_path):
    found = bp.fit("markov", read(tmp_path, GAMES), held_out=0)
    assert found.reader.transitions.rows["Otter", "Europe"] == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("games", "message"),
    [
        ({"runs": [game("win", "Otter", "Europe")]}, "last page is not destination_article 'France'"),
        ({"runs": [game("lose", "Otter", "France")]}, "is not won, and its last page is"),
        ({"runs": [game("won", "Otter", "France")]}, "result 'won' is not known"),
        ({"runs": [game("win", "Europe", "France")]}, "do not begin with start_article 'Otter'"),
        ({"runs": [game("win", "Otter", 7, "France")]}, "article 7 is not a page"),
        ({"runs": [game("win", "Otter", "France", goal=None)]}, "destination_article None is not a page"),
        ({"runs": {"start_article": 1}}, "runs must be a list"),
        ({"max_steps": 1, "runs": [game("win", "Otter", "Europe", "France")]}, "more clicks than max_steps, 1"),
        ({"max_steps": "2", "runs": [game("lose", "Otter")]}, "max_steps '2' is not a number of clicks"),
    ],
)
def test_what_cannot_be_understood_is_refused(tmp_path, games, message):
    with pytest.raises(bp.InputError, match=message):
        read(tmp_path, games)


def test_the_games_of_a_language_model():
    folder = os.environ.get("BERRYPICK_DATA")
    if not folder or not Path(folder, "wikirace", "qwen3.json").exists():
        pytest.skip("no data: wikirace")
    found = bp.read_navigation(Path(folder, "wikirace", "qwen3.json"))
    won = sum(path[-1] == goal for path, goal in zip(found.paths, found.goals, strict=True))
    cut = sum(path[-1] == CUT for path in found.paths)
    assert (len(found.paths), won, cut, found.budget) == (420, 232, 154, 20)
    clicks = sum(len(path) - 1 - (path[-1] == CUT) for path in found.paths)
    assert clicks == 4439 + 232 and {len(path) - 2 for path in found.paths if path[-1] == CUT} == {20}
