"""The pages of a track in a browser: hostile names, sizes, themes, what a screen reader needs."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import unquote

import pytest
from made_once import made_once
from track_world import World, lines

import berrypick as bp
from berrypick.demo.campaign import FOCUSED, RELEVANT_IN_CONTEXT

pytestmark = pytest.mark.slow
HOSTILE = "</script><img src=x onerror=alert(1)>\"'&\u202e<b>"
TEAM = f"te/am{HOSTILE}"

#: What axe would complain about: names, roles, ids, headings, contrast, targets.
COMPLAINTS = """() => {
  const found = [];
  const seen = new Set();
  for (const one of document.querySelectorAll('[id]')) {
    if (seen.has(one.id)) found.push(`id ${one.id} twice`);
    seen.add(one.id);
  }
  for (const one of document.querySelectorAll('a, button, summary'))
    if (!one.textContent.trim() && !one.ariaLabel) found.push(`no name: ${one.outerHTML}`);
  for (const one of document.querySelectorAll('svg'))
    if (one.ariaHidden !== 'true' && one.role !== 'img') found.push('svg without role');
  for (const one of document.querySelectorAll('[role=region]'))
    if (!one.ariaLabel || one.tabIndex !== 0) found.push('region');
  for (const table of document.querySelectorAll('table')) {
    if (![...table.querySelectorAll('thead th')].every(th => th.scope === 'col')) found.push('th without scope');
    if (![...table.querySelectorAll('tbody tr')].every(tr => tr.querySelector('th[scope=row]'))) found.push('row head');
    const width = table.querySelector('thead tr').children.length;
    if (![...table.rows].every(row => row.children.length === width)) found.push('ragged table');
  }
  let level = 0;
  for (const one of document.querySelectorAll('h1, h2, h3, h4')) {
    const own = Number(one.tagName[1]);
    if (own > level + 1) found.push(`heading ${one.textContent} jumps`);
    level = own;
  }
  for (const name of ['h1', 'main', 'header', 'footer'])
    if (document.querySelectorAll(name).length !== 1) found.push(`landmark ${name}`);
  if (!document.title || !document.documentElement.lang) found.push('title or language');
  const light = colour => {
    const parts = colour.match(/[\\d.]+/g).slice(0, 3).map(x => x / 255)
      .map(x => x <= .04045 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4);
    return .2126 * parts[0] + .7152 * parts[1] + .0722 * parts[2];
  };
  const ground = one => {
    for (; one; one = one.parentElement) {
      const colour = getComputedStyle(one).backgroundColor;
      if (!colour.endsWith(', 0)') && colour !== 'transparent') return colour;
    }
    return 'rgb(255, 255, 255)';
  };
  for (const one of document.querySelectorAll('main *, header *, footer')) {
    if (![...one.childNodes].some(node => node.nodeType === 3 && node.data.trim()) || !one.checkVisibility()) continue;
    const [a, b] = [light(getComputedStyle(one).color), light(ground(one))].sort((x, y) => y - x);
    if ((a + .05) / (b + .05) < 4.5) found.push(`contrast ${one.outerHTML.slice(0, 80)}`);
  }
  for (const one of document.querySelectorAll('main a, button')) {
    const box = one.getBoundingClientRect();
    if (one.checkVisibility() && box.height < 24) found.push(`target ${one.outerHTML.slice(0, 80)} ${box.height}`);
  }
  return found;
}"""


@pytest.fixture(scope="module")
def demonstration(tmp_path_factory):
    runs = dict.fromkeys((*FOCUSED.files.runs, *RELEVANT_IN_CONTEXT.files.runs))

    def make(folder: Path) -> None:
        track = FOCUSED.files.path("track.toml")
        bp.track(track, [FOCUSED.files.path(run) for run in runs], folder=folder / "official")

    return made_once(tmp_path_factory, "track-pages", make) / "official"


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """Names of topics, titles, runs, teams and the track that would break a page, and a team with three runs."""

    def make(folder: Path) -> None:
        world = World(folder)
        topics = [f"{i}{HOSTILE}" for i in range(3)]
        world.write("topics.tsv", "".join(f"{topic}\ttitle {HOSTILE}\n" for topic in topics))
        world.write("truth.jsonl", lines({"topic": t, "doc": "a", "start": 0, "end": 40} for t in topics))
        track = world.changed(("'(?P<team>[a-z]+)-[0-9]'", "'(?P<team>.*)-[0-9]'"), ("runs_per_team = 2", ""),
                              ('"Berries"', json.dumps(f"Track {HOSTILE}")))  # fmt: skip
        runs = []
        for number, (team, end) in enumerate([(TEAM, 40), (TEAM, 30), (TEAM, 10), (f"x{HOSTILE}", 20)]):
            rows = [{"tag": f"{team}-{number}", "topic": t, "doc": "a", "start": 0, "end": end} for t in topics]
            runs.append(world.write(f"{number}.jsonl", lines(rows)))
        bp.track(track, runs, folder=folder / "official")

    return made_once(tmp_path_factory, "hostile-track-pages", make) / "official"


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1440])
@pytest.mark.parametrize("which", ["demonstration", "hostile"])
def test_every_page_in_every_size_and_theme(watch, request, which, width, theme):
    folder = request.getfixturevalue(which)
    pages = sorted(folder.glob("*.html"))
    for path in pages if which == "hostile" else [folder / "leaderboard.html", folder / "windows.html"]:
        page = watch(path, viewport={"width": width, "height": 900}, color_scheme=theme).page
        page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
        assert page.evaluate(COMPLAINTS) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate("document.documentElement.dataset.theme") == theme
        assert page.locator("img").count() == 0 and page.locator("main script").count() == 0


def test_the_checks_find_faults(watch, demonstration):
    """What the checks look for is found where it is there."""
    page = watch(demonstration / "windows.html").page
    page.evaluate("""() => {
      const main = document.getElementById('main');
      main.insertAdjacentHTML('beforeend', '<h4 id="main">x</h4><a href="#"></a><svg></svg><p class="quiet">low</p>');
      document.querySelector('tbody th').removeAttribute('scope');
      const made = new CSSStyleSheet(); made.replaceSync('.quiet { color: #777; background: #888; }');
      document.adoptedStyleSheets = [made];
    }""")
    said = " ".join(page.evaluate(COMPLAINTS))
    for fault in ("id main twice", "no name", "svg without role", "row head", "contrast", "target"):
        assert fault in said


def test_hostile_names_show_as_they_are(watch, hostile):
    page = watch(hostile / "leaderboard.html").page
    shown = HOSTILE.replace("\u202e", "\\u202e")
    assert page.locator("h1").inner_text() == f"Track {shown}"
    assert page.title().startswith(f"Track {shown}"[:60])
    names = page.locator("tbody th").all_inner_texts()
    assert names[0].split("\n") == [f"{TEAM}-0".replace("\u202e", "\\u202e"), TEAM.replace("\u202e", "\\u202e")]
    page = watch(hostile / unquote(page.locator(".team-link").first.get_attribute("href"))).page
    assert page.locator("h1").inner_text() == TEAM.replace("\u202e", "\\u202e")
    assert page.locator("tbody tr").count() == 3 + 3 + 3
    assert (hostile / page.locator("#subtitle a").get_attribute("href")).name == "leaderboard.html"


def test_values_on_the_page_are_those_of_the_results(watch, demonstration):
    rows = json.loads((demonstration / "results.json").read_text("utf-8"))
    page = watch(demonstration / "windows.html").page
    cells = page.locator("details.measure").first.locator("tbody tr").all()
    assert len(cells) == 10
    for cell in cells:
        topic, *_ = cell.locator("th").inner_text().split("\n")
        values = sorted(one["value"] for one in rows if one["topic"] == topic and one["measure"] == "AgP")
        own = next(one["value"] for one in rows if one["topic"] == topic and one["measure"] == "AgP"
                   and one["run"] == "windows")  # fmt: skip
        shown = [text[:6] for text in cell.locator("td.numeric").all_inner_texts()]
        assert shown == [f"{value:.4f}" for value in (own, values[3], values[-1])]
        side = "better" if own > values[3] else "worse" if own < values[3] else None
        assert cell.locator(".mark.better, .mark.worse").count() == (side is not None)
        assert side is None or cell.locator(f".mark.{side}").count() == 1


def test_the_theme_can_be_chosen_and_pages_are_printed(watch, demonstration):
    page = watch(demonstration / "leaderboard.html", color_scheme="light").page
    assert page.locator("#theme").inner_text() == "Dark"
    page.locator("#theme").click()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert page.locator("#theme").inner_text() == "Light"
    assert page.pdf()[:5] == b"%PDF-"


def test_notes_of_other_teams_are_not_on_a_page(demonstration):
    assert "elements: 47.3%" in (demonstration / "leaderboard.html").read_text("utf-8")
    assert "elements: 47.3%" in (demonstration / "elements.html").read_text("utf-8")
    assert "elements" not in (demonstration / "context.html").read_text("utf-8")
