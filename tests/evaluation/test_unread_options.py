"""An option that no requested measure reads is said, with the measures on which it has no effect."""

from __future__ import annotations

import pytest

import berrypick as bp
from berrypick.data.navigation import ReachTable

TRUTH, RUN = {"q": {"a": 1, "b": 2}}, {"q": {"a": 1}}
SPANS, SPAN_RUN = {"q": {"a#0-9": 1}}, {"q": {"a#0-5": 1}}


def said(truth, run, measures, **options):
    return [str(note) for note in bp.evaluate(truth, run, measures, **options).notes if note.kind == "no effect"]


@pytest.mark.parametrize(
    ("unread", "read", "options"),
    [
        ("AP ERR", "PRUM", {"units": 9}),
        ("AP ERR", "EPRUM", {"user": "bep"}),
        ("EPRUM(user='distance')", "EPRUM", {"user": "window(before=9)"}),
        ("nDCG ERR", "EPRUM", {"navigation": ReachTable({("a", "b"): 0.5})}),
        ("nxCG@1 ERR", "PRUM", {"idealism": "1=.5,2=1"}),
    ],
)
def test_what_nothing_reads_is_said(unread, read, options):
    options = {"units": 9} | options if "PRUM" in unread + read else options
    (name,) = [name for name in options if name != "units" or len(options) == 1]
    found = said(TRUTH, RUN, unread, **options)
    assert len(found) >= 1 and any(text.startswith(f"{name}=") for text in found)
    assert all(text.endswith(f"has no effect on {', '.join(unread.split())}") for text in found)
    assert not any(text.startswith(f"{name}=") for text in said(TRUTH, RUN, f"{unread} {read}", **options))


def test_positions_count_what_effort_says():
    assert said(SPANS, SPAN_RUN, "EPRUM charR", effort="chars") == ["effort='chars' has no effect on EPRUM, charR"]


def test_on_the_command_line(files, berrypick):
    paths = files(truth_qrels="1 0 a 1\n", list_run="1 Q0 a 1 1 r\n")
    given = ("evaluate", paths["truth_qrels"], paths["list_run"], "-m", "ERR P@1 R@1 AP", "--effort", "chars")
    done = berrypick(*given)
    assert done.code == 0 and "note: --effort chars has no effect on ERR, P@1, R@1, ..." in done.err
