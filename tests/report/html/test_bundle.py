"""Modules in one script: a bundle does what Node does with the modules themselves; other statements are refused."""

import shutil
import subprocess

import pytest

import berrypick as bp
from berrypick.report.html.bundle import bundle
from berrypick.report.panels.base import Panel

MODULES = {
    "base": """
import { shout } from './words.js'; // a name of its own
export let count = 0;
export const more = () => { count += 1; return count; };
export function told(name) { return shout(name); }
""",
    "words": """
const hidden = 'not exported';
export const shout = (word) => `${word}!`;
export async function later(word) { return shout(word); }
export class Pair { constructor(a, b) { this.sum = a + b; } }
const [first, second] = ['one', 'two'];
export {
  first, second,
};
""",
    "seen": "import * as base from './base.js';\nbase.more();\n",
}
ENTRY = """
import './seen.js';
import * as base from './base.js';
import * as words from './words.js';
const count = 'mine';
base.more();
const shown = [count, base.count, base.told('a'), new words.Pair(1, 2).sum, words.first, words.second, words.hidden];
words.later('b').then((said) => console.log(JSON.stringify([...shown, said, Object.keys(words).sort()])));
"""


def node(path):
    found = shutil.which("node")
    if found is None:
        pytest.skip("modules: there is no Node (apt-get install nodejs)")
    return subprocess.run([found, path], capture_output=True, text=True, check=True).stdout


def test_a_bundle_does_what_its_modules_do(tmp_path):
    for name, text in {**MODULES, "entry": ENTRY}.items():
        (tmp_path / f"{name}.js").write_text(text)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    (tmp_path / "bundled.mjs").write_text(bundle(ENTRY, MODULES.__getitem__, {}))
    expected = node(tmp_path / "entry.js")
    assert expected.startswith('["mine",2,"a!",3,"one","two",null,"b!",')
    assert node(tmp_path / "bundled.mjs") == expected


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("import { no } from './words.js';", "words does not export no"),
        ("import { count } from './base.js';", "count changes; write import \\* as base"),
        ("import * as no from './no.js';", "no module no to import"),
        ("import words from './words.js';", "import words from './words.js'; cannot be bundled"),
        ("export default function () {}", "export default function"),
        ("export const { a } = {};", "cannot be bundled"),
        ("import './circle.js';", "round: it imports circle, which imports it"),
    ],
)
def test_what_cannot_be_bundled_is_refused(text, told):
    circles = {"circle": "import './round.js';", "round": "import './circle.js';"}
    with pytest.raises(bp.UsageError, match=told):
        bundle(text, {**MODULES, **circles}.__getitem__, {})


@pytest.mark.slow
def test_a_report_has_no_global_names(watch, tmp_path):
    """Of its own and of the charting library, which leaks thousands as an ordinary script."""

    def names(page):
        declared = page.context.new_cdp_session(page).send("Runtime.globalLexicalScopeNames")["names"]
        return {*page.evaluate("Object.getOwnPropertyNames(window)"), *declared}

    empty, classic, report = (tmp_path / f"{name}.html" for name in ("empty", "classic", "report"))
    empty.write_text("<!doctype html><title>none</title>")
    classic.write_text("<!doctype html><title>one</title><script>const lexical = 1; var classic = 2;</script>")
    before = names(watch(empty).page)
    assert names(watch(classic).page) - before == {"lexical", "classic"}
    bp.write_report({"q": {"a": 1, "b": 0}}, {"q": {"b": 2.0, "a": 1.0}}, "EPRUM nDCG", html=report)
    page = watch(report).go(view="curves")
    page.wait_for_selector(".chart svg")
    assert names(page) - before == set()


class Fruit(Panel):
    """A panel as other packages write them."""

    name = "fruit"
    title = "Fruit"
    script = """
import { el } from 'berrypick/dom.js';
import * as widgets from 'berrypick/widgets.js';

export function draw(names) {
  return widgets.wide('Fruit', el('ul', {}, names.map((name) => el('li', { class: 'fruit' }, name, '</script>'))));
}
"""

    def data(self, evaluation, results):
        return ["raspberry", "apple"]


@pytest.mark.slow
def test_a_panel_of_another_package_draws_itself(watch, tmp_path):
    bp.register(Fruit)
    report = tmp_path / "report.html"
    bp.write_report({"q": {"a": 1}}, {"q": {"a": 1.0}}, "RR", html=report)
    page = watch(report).page
    assert page.locator("#panel-fruit .fruit").all_inner_texts() == ["raspberry</script>", "apple</script>"]
