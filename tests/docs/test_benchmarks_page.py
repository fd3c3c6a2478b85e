"""What the page on benchmarks says a number is called here can be typed."""

import re
from pathlib import Path

from berrypick.evaluation.protocols.base import protocols
from berrypick.measures import parse_measure

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "benchmarks.md"


def test_measures_and_protocols_of_the_table_exist():
    table = PAGE.read_text(encoding="utf-8").partition("## How each is read")[2].partition("## What was")[0]
    named = [text for row in table.splitlines() if row.startswith("| ") for text in re.findall("`([^`]+)`", row)]
    asked = [text.removeprefix("--protocol ") for text in named if text.startswith("--protocol ")]
    measures = [text.replace("@k", "@5") for text in named if not text.startswith("--")]
    assert len(asked) >= 8 and {*asked} <= {*protocols.names()}
    assert len(measures) >= 8
    for text in (one for listed in measures for one in listed.split()):
        measure = parse_measure(text)
        assert str(measure) == text and not (measure.cutoff_required and measure.at is None), text
