"""Pages to judge on have a Content-Security-Policy: their own script and styles, and nothing else."""

from __future__ import annotations

import base64
import hashlib
import json
import re

import pytest

import berrypick as bp

TEXT = bp.pool({"q": {"guide#0-17": 1}}, {"guide": "Cut the old canes."})
BOX = {"topic": "q", "doc": "scan", "page": 1, "question": "where?", "page_size": [600, 800], "regions": [[1, 1, 9, 9]]}


def written(tmp_path, boxes: bool):
    path, tasks = tmp_path / "judge.html", tmp_path / "tasks.jsonl"
    tasks.write_text(json.dumps(BOX) + "\n")
    bp.annotate(tasks if boxes else TEXT, html=path)
    return path


def sha(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@pytest.mark.parametrize("boxes", [False, True])
def test_the_policy_names_the_script_and_the_styles(tmp_path, boxes):
    content = written(tmp_path, boxes).read_text(encoding="utf-8")
    [policy] = re.findall(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', content)
    assert content.index("Content-Security-Policy") < content.index("<style>") < content.index("<script")
    [style] = re.findall(r"<style>(.*?)</style>", content, re.DOTALL)
    [script] = re.findall(r"<script>(.*?)</script>", content, re.DOTALL)
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'" and "unsafe" not in policy
    assert rules["script-src"] == sha(script) and rules["style-src"] == sha(style)
    assert rules["base-uri"] == rules["form-action"] == "'none'"


@pytest.mark.slow
@pytest.mark.parametrize("boxes", [False, True])
def test_nothing_else_runs(chromium, tmp_path, boxes):
    """As if a name had slipped into the page as markup."""
    page = chromium.new_page()
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(written(tmp_path, boxes).as_uri())
    page.wait_for_selector("body[data-ready=yes]")
    blocked = page.evaluate("""() => new Promise((done) => {
        const seen = [];
        document.addEventListener('securitypolicyviolation', (event) => seen.push(event.effectiveDirective));
        const script = document.createElement('script');
        script.textContent = 'window.hurt = 1';
        document.body.append(script);
        document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="window.hurt = 2">'
          + '<b onclick="window.hurt = 3" style="color: red">x</b>');
        document.body.lastElementChild.click();
        fetch('http://localhost:9/').catch(() => 0);
        setTimeout(() => done(seen), 500);
    })""")
    assert page.evaluate("window.hurt") is None
    assert {"script-src-elem", "script-src-attr", "connect-src", "img-src", "style-src-attr"} <= set(blocked)
    assert not [url for url in asked if url.startswith("http")]
    page.close()
