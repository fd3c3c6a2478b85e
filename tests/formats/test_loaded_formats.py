"""Reading a file loads its own format, and no other one; a measure by its alias loads no more than by its name."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

FILES = {
    "clicks.tsv": "home\tguide\t0.4\n",
    "truth.jsonl": '{"topic": "1", "doc": "guide.md", "start": 120, "end": 260}\n',
    "spans.jsonl": '{"topic": "1", "doc": "guide.md", "start": 100, "end": 200, "rank": 1}\n',
    "truth.qrels": "1 0 a 1\n1 0 b 0\n",
    "mine.run": "1 Q0 b 1 2.0 mine\n1 Q0 a 2 1.0 mine\n",
}
#: Modules that are no format, and packages.
SHARED = {"berrypick.formats.base"}
LOADED = """
import json, sys
print(json.dumps([name for name in sys.modules if name.startswith("berrypick.")]))
"""


@pytest.fixture
def loaded(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)

    def modules(code: str) -> set[str]:
        done = subprocess.run([sys.executable, "-c", code + LOADED], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return {*json.loads(done.stdout.splitlines()[-1])}

    return modules


def formats_in(modules: set[str]) -> set[str]:
    """Return the files of formats among modules, without their packages."""
    below = {name for name in modules if name.startswith("berrypick.formats.")} - SHARED
    return {name.rpartition(".")[2] for name in below if name.count(".") > 2}


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("bp.read_navigation('clicks.tsv')", {"navigation_table"}),
        ("bp.read_truth('truth.jsonl')", {"span_truth"}),
        ("bp.read_run('spans.jsonl')", {"span_run", "span_truth"}),  # which share how they read lines
        ("bp.read_truth('truth.qrels')", {"trec_qrels"}),
        ("bp.read_run('mine.run')", {"trec_run"}),
        (
            "bp.evaluate('truth.jsonl', 'spans.jsonl', 'EPRUM', navigation='clicks.tsv')",
            {"navigation_table", "span_run", "span_truth"},
        ),
    ],
)
def test_no_other_format_is_loaded(code, expected, loaded):
    assert formats_in(loaded(f"import berrypick as bp; {code}")) == expected


def test_an_alias_of_a_measure_loads_no_more_than_its_name(loaded):
    evaluate = """
import contextlib
from berrypick.cli import main
with contextlib.suppress(SystemExit):
    main(["evaluate", "truth.qrels", "mine.run", "-m", "{}"])
"""
    found = {name: loaded(evaluate.format(name)) for name in ("RR", "MRR")}
    assert found["MRR"] == found["RR"]
    assert "berrypick.measures.documents.rr" in found["MRR"]
