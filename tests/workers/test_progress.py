"""``progress=True`` draws a bar where somebody can see it; a function is told; anything else is an error."""

from __future__ import annotations

import io
import sys
from types import SimpleNamespace

import pytest
from many_cases import each

import berrypick as bp
from berrypick.workers import progress as progresses
from berrypick.workers.progress import Bar, as_progress

TRUTH = {str(topic): {"a": 1} for topic in range(4)}
RUNS = {name: {topic: {"a": 1.0, "b": 2.0} for topic in TRUTH} for name in ("one", "two")}


class Terminal(io.StringIO):
    def isatty(self):
        return True


def terminal(monkeypatch, every=0.0):
    """A new terminal; pytest puts its own stream in place when a test begins."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setattr(Bar, "EVERY", every)
    return sys.stderr


RESULTS = bp.evaluate(TRUTH, RUNS, "AP")
CALLS = {
    "evaluate": lambda told: bp.evaluate(TRUTH, RUNS, "AP", progress=told),
    "compare": lambda told: bp.compare(TRUTH, RUNS, "AP", resamples=100, progress=told),
    "correlate": lambda told: bp.correlate(bp.evaluate(TRUTH, RUNS, "AP RR P@1"), resamples=100, progress=told),
    "stability": lambda told: bp.stability(RESULTS, resamples=100, splits=10, progress=told),
    "power": lambda told: bp.power(TRUTH, RUNS, "AP", resamples=100, progress=told),
    "simulate": lambda told: bp.simulate(TRUTH, RUNS, "EPRUM", readers=10, progress=told),
    "ideal_lists": lambda told: bp.ideal_lists(TRUTH, progress=told),
    "sweep": lambda told: bp.sweep(
        {"d": "apple plum"}, {"q": {"d#0-5": 1}}, measures="charR@5", queries={"q": "apple"}, grid={"size": [5, 9]},
        progress=told,
    ),
    "fit": lambda told: bp.fit("markov", [["a", "b"], ["b", "a"], ["a", "b"], ["a", "b", "a"]] * 5, progress=told),
}  # fmt: skip


@pytest.mark.slow
@each("name", list(CALLS))
def test_every_function_shows_a_bar_and_tells_a_function(name, monkeypatch):
    screen = terminal(monkeypatch)
    CALLS[name](True)
    shown = screen.getvalue()
    assert "[#" in shown and shown.endswith("\x1b[K"), "it goes away when all is done"
    told = []
    CALLS[name](lambda done, of: told.append((done, of)))
    assert told and told[-1][0] == told[-1][1]
    for nothing in (None, False):
        screen = terminal(monkeypatch)
        CALLS[name](nothing)
        assert screen.getvalue() == ""
    with pytest.raises(bp.UsageError, match="progress is True for a bar, or a function"):
        CALLS[name]("yes")


def test_a_pipe_and_a_dumb_terminal_get_nothing(monkeypatch):
    screen = terminal(monkeypatch)
    monkeypatch.setenv("TERM", "dumb")
    bp.evaluate(TRUTH, RUNS, "AP", progress=True)
    assert screen.getvalue() == ""
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    bp.evaluate(TRUTH, RUNS, "AP", progress=True)
    assert sys.stderr.getvalue() == ""


def test_a_notebook_has_one_bar_that_moves(monkeypatch, capsys):
    drawn = []

    class Handle:
        def update(self, bar):
            drawn.append(bar._repr_html_())

    def display(bar, display_id):
        drawn.append(bar._repr_html_())
        return Handle()

    monkeypatch.setattr(progresses, "_is_notebook", lambda: True)
    monkeypatch.setattr(progresses, "import_module", lambda name: SimpleNamespace(display=display))
    monkeypatch.setattr(Bar, "EVERY", 0.0)
    bp.evaluate(TRUTH, RUNS, "AP", progress=True)
    assert drawn[-1] == '<progress value="8" max="8"></progress> 8/8'
    assert drawn[0].startswith("<progress") and capsys.readouterr().err == ""


def test_drawing_is_not_done_for_every_step(monkeypatch):
    screen = terminal(monkeypatch, every=1000.0)
    bar = as_progress(True)
    for done in range(1, 1001):
        bar(done, 1000)
    assert screen.getvalue().count("\r") == 1 and repr(bar) == f"[{'#' * 24}] 1000/1000"


def test_an_error_of_ours_is_shown_as_its_message():
    with pytest.raises(bp.UsageError) as raised:
        bp.evaluate(TRUTH, RUNS, "nDGC@10")
    shown = "\n".join(raised.value._render_traceback_())
    assert shown == f"UsageError: {raised.value}" and "\n" not in shown and "did you mean nDCG" in shown


@pytest.mark.slow
def test_ipython_shows_the_message_alone(capsys):
    shell = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell()
    shell.run_cell("import berrypick as bp\nbp.evaluate({'q': {'a': 1}}, {'q': {'a': 1.0}}, 'nDGC@10')")
    out = capsys.readouterr().out
    assert "UsageError: unknown measure nDGC" in out and "Traceback" not in out and out.count("\n") < 4
