"""Games in which a page is looked for by following links: wikirace."""

from __future__ import annotations

import json
from typing import Any, ClassVar, TextIO

from berrypick.data.navigation import BACK, CUT, Sessions
from berrypick.data.words import counted
from berrypick.files.json_files import JsonSource, load, objects, starts_object
from berrypick.formats.base import Format, Problems, Role

#: How a game may end: at the goal, because the player gave up, or because no clicks were left.
RESULTS = ("win", "lose", "move")


class Wikirace(Format):
    """Games of wikirace, one JSON object: from ``start_article`` by links to ``destination_article``, every page visited.

    ``steps`` holds the pages in order, the start first; a step without a page (``-1``, where the player named no link)
    is none. ``result`` is ``win`` (the goal was reached), ``lose`` (the player gave up) or ``move`` (the clicks,
    ``max_steps``, ran out, so that it is not known how the player would have gone on). The player is ``model``, of the
    game or of all games (``agent_settings``).

    Sample::

        {"max_steps": 3, "runs": [
          {"model": "small", "result": "win", "start_article": "Otter", "destination_article": "France", "steps": [
            {"type": "start", "article": "Otter"}, {"type": "move", "article": "Europe"}, {"type": "win", "article": "France"}]},
          {"model": "small", "result": "lose", "start_article": "France", "destination_article": "Otter", "steps": [
            {"type": "start", "article": "France"}, {"type": "lose", "article": -1}]}]}
    """  # noqa: E501

    format_name: ClassVar[str] = "wikirace"
    role: ClassVar[Role] = "navigation"
    begins: ClassVar[tuple[str, ...]] = ("{",)
    marks: ClassVar[tuple[str, ...]] = ('"article_list"', '"start_article"')
    before: ClassVar[tuple[str, ...]] = ("links",)
    shape: ClassVar[str] = (
        '{"max_steps": 20, "runs": [{"start_article": "a", "destination_article": "b", "steps": []}]}'
    )
    suffixes: ClassVar[tuple[str, ...]] = (".json",)
    json_names: ClassVar[tuple[str, ...]] = ("max_steps", "runs", "start_article", "destination_article", "steps")

    @classmethod
    def sniff(cls, lines: list[str]) -> bool:
        return starts_object(lines, "article_list") or starts_object(lines, "runs", "start_article")

    @classmethod
    def read(cls, path: str, problems: Problems, **options: Any) -> Sessions:
        value, source = load(path, problems)
        if not isinstance(value, dict):
            if value is not None:
                problems.report("is not an object with runs", 1, remedy=f"expected {cls.shape}")
            return Sessions((), path)
        budget = value.get("max_steps")
        if budget is not None and (type(budget) is not int or budget < 1):
            problems.report(f"max_steps {budget!r:.20} is not a number of clicks", 1)
            budget = None
        settings = value.get("agent_settings")
        of_all = settings.get("model") if isinstance(settings, dict) else None
        games = [_game(run, of_all, source, problems) for run in objects(value.get("runs"), "runs", source, problems)]
        paths, goals, players = zip(*found, strict=True) if (found := [one for one in games if one]) else ((), (), ())
        if budget is not None:
            for place, steps in enumerate(paths, 1):
                if len(steps) - (steps[-1] == CUT) > budget + 1:
                    problems.report(f"game {place} has more clicks than max_steps, {budget}", 1)
        return Sessions(paths, path, goals, players, budget)

    @classmethod
    def accepts(cls, value: Any) -> str:
        if not isinstance(value, Sessions):
            return "it is not a set of sessions"
        if len(value.goals) != len(value.paths):
            return "its sessions have no goals"
        if any(BACK in steps for steps in value.paths):
            return "its sessions have steps back, which games have not"
        if any(
            goal in steps[:-1] or (goal == steps[-2:][0] and steps[-1] == CUT)
            for steps, goal in zip(value.paths, value.goals, strict=True)
        ):
            return "some sessions go on after their goal"
        return ""

    @classmethod
    def write(cls, value: Any, out: TextIO) -> None:
        players = value.players or ("",) * len(value.paths)
        runs = [_run(*one) for one in zip(value.paths, value.goals, players, strict=True)]
        about = {} if value.budget is None else {"max_steps": value.budget}
        json.dump({**about, "runs": runs}, out, ensure_ascii=False, indent=1)
        out.write("\n")

    @classmethod
    def describe(cls, value: Sessions) -> list[str]:
        won = sum(steps[-1] == goal for steps, goal in zip(value.paths, value.goals, strict=True))
        cut = sum(steps[-1] == CUT for steps in value.paths)
        most = [] if value.budget is None else [f"at most {counted(value.budget, 'click')}"]
        games, units = counted(len(value.paths), "game"), counted(len(value.units), "unit")
        return [games, units, f"{won} won", f"{len(value.paths) - won - cut} given up", f"{cut} cut off", *most]


def _game(
    run: dict[str, Any], of_all: Any, source: JsonSource, problems: Problems
) -> tuple[tuple[str, ...], str, str] | None:
    """Return the pages, the goal and the player of a game; None where it cannot be understood."""
    start, goal, result = (run.get(name) for name in ("start_article", "destination_article", "result"))
    line = source.line_of(start)
    for name, page in (("start_article", start), ("destination_article", goal)):
        if not isinstance(page, str) or not page or page in (BACK, CUT):
            problems.report(f"{name} {page!r:.40} is not a page", line)
            return None
    if result not in RESULTS:
        problems.report(f"result {result!r:.40} is not known", line, remedy=f"it is one of {', '.join(RESULTS)}")
        return None
    pages: list[str] = []
    for step in objects(run.get("steps"), "steps", source, problems):
        page = step.get("article")
        if isinstance(page, str) and page and page not in (BACK, CUT):
            line = source.line_of(page)
            source.skip()
            pages.append(page)
        elif page != -1 or step.get("type") == "start":
            problems.report(f"article {page!r:.40} is not a page", line)
            return None
    wrong = _contradiction(pages, start, goal, result)
    if wrong:
        problems.report(wrong, line)
        return None
    player = run.get("model", of_all)
    cut = (CUT,) if result == "move" else ()
    return (*pages, *cut), str(goal), player if isinstance(player, str) else ""


def _contradiction(pages: list[str], start: Any, goal: Any, result: Any) -> str:
    """Return what in a game does not go together; '' if nothing."""
    if not pages or pages[0] != start:
        return f"steps do not begin with start_article {start!r:.40}"
    if result == "win" and pages[-1] != goal:
        return f"the game is won, and its last page is not destination_article {goal!r:.40}"
    if result != "win" and pages[-1] == goal:
        return f"the game is not won, and its last page is destination_article {goal!r:.40}"
    return ""


def _run(steps: tuple[str, ...], goal: str, player: str) -> dict[str, Any]:
    """Return a game as the file has it."""
    cut = steps[-1] == CUT
    pages = steps[:-1] if cut else steps
    result = "win" if pages[-1] == goal else "move" if cut else "lose"
    kinds = ["start", *["move"] * (len(pages) - 1)]
    if result == "win" and len(pages) > 1:
        kinds[-1] = "win"
    made: list[dict[str, Any]] = [{"type": kind, "article": page} for kind, page in zip(kinds, pages, strict=True)]
    if result == "lose":
        made.append({"type": "lose", "article": -1})
    who = {"model": player} if player else {}
    return {**who, "result": result, "start_article": pages[0], "destination_article": goal, "steps": made}
