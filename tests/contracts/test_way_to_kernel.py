"""The way of an evaluation from the command line to the first kernel and back is short, and goes in one direction."""

import json
import subprocess
import sys

import pytest
from test_layers import LAYERS

#: Functions of the command line, the evaluation and judging that a small evaluation calls before its first kernel.
MOST = 30
COUNTED = ("cli", "evaluation", "judging")
#: Functions of the whole package, by what is evaluated: before the first kernel, and from there to the end.
WHOLE = {"trec": (176, 91), "spans": (221, 91), "spans with a reader": (221, 92)}

#: Prints the layer, file and name of every function of the package that is called first, and the layer of its caller;
#: before them, how many there were when the first kernel was called.
TRACE = """
import json, sys
from pathlib import Path

import berrypick
from berrypick.cli import main

root = str(Path(berrypick.__file__).parent)
seen = {}
reached = []
keeping = [str(Path("core", "observed.py"))]  # who computes once and keeps it, as functools does, is not who calls


def place(frame):
    code = frame.f_code
    if not code.co_filename.startswith(root) or code.co_name.startswith("<"):
        return None
    return code.co_filename[len(root) + 1 :], getattr(code, "co_qualname", code.co_name), code.co_firstlineno


def outer(frame):
    while frame is not None:
        yield frame
        frame = frame.f_back


def trace(frame, event, argument):
    here = place(frame) if event == "call" else None
    if here is None or here in seen:
        return
    if not reached and here[0].startswith("kernels") and "poisson_binomial" in here[0]:
        reached.append(len(seen))
    if any(one.f_code.co_name == "<module>" and one.f_code.co_filename.startswith(root) for one in outer(frame)):
        return  # while a module is loaded
    callers = (caller for one in outer(frame.f_back) if (caller := place(one)))
    seen[here] = next((one for one in callers if one[0] not in keeping), None)


sys.setprofile(trace)
try:
    main(sys.argv[1:])
except SystemExit:
    sys.setprofile(None)
print(json.dumps([reached, [[*here, caller and caller[0]] for here, caller in seen.items()]]))
"""


@pytest.fixture(scope="module")
def ways(tmp_path_factory):
    """By what is evaluated: the functions before the first kernel, and those from there to the end."""
    at = tmp_path_factory.mktemp("way")
    spans = [{"topic": "1", "doc": "a", "start": 0, "end": 10}, {"topic": "1", "doc": "b", "start": 5, "end": 9}]
    results = [{**span, "rank": rank} for rank, span in enumerate(spans[::-1], start=1)]
    for name, rows in (("truth.jsonl", [{**span, "grade": 1} for span in spans]), ("run.jsonl", results)):
        (at / name).write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    (at / "truth.qrels").write_text("1 0 a 1\n1 0 b 1\n")
    (at / "run.trec").write_text("1 Q0 a 1 2.0 x\n1 Q0 c 2 1.0 x\n")
    given = {
        "trec": ("truth.qrels", "run.trec"),
        "spans": ("truth.jsonl", "run.jsonl"),
        "spans with a reader": ("truth.jsonl", "run.jsonl", "--user", "hierarchy"),
    }
    return {name: _way([*(str(at / file) for file in one[:2]), *one[2:]]) for name, one in given.items()}


def _way(arguments):
    done = subprocess.run(
        [sys.executable, "-c", TRACE, "evaluate", "-m", "EPRUM", *arguments],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    *_, last = done.stdout.splitlines()
    reached, found = json.loads(last)
    assert reached, "the evaluation calls no kernel: this test follows EPRUM to kernels/poisson_binomial.py"
    found = [(file.replace("\\", "/"), name, (caller or "cli").replace("\\", "/")) for file, name, _, caller in found]
    return found[: reached[0]], found[reached[0] :]


def test_few_functions_lie_between_the_command_line_and_a_kernel(ways):
    stops = [one for one in ways["spans"][0] if one[0].split("/")[0] in COUNTED]
    way = "\n".join(f"  {file} {name}" for file, name, _ in stops)
    assert len(stops) <= MOST, (
        f"{len(stops)} functions of {', '.join(COUNTED)} are called before the first kernel, {MOST} at most: every one "
        "is a place that a reader of the code has to go through. Work that only some options need is guarded at the "
        f"call; a wrapper with one caller is part of it.\n{way}"
    )
    for file, name, caller in stops:
        below, above = (LAYERS.index(one.split("/")[0]) for one in (file, caller))
        assert below <= above, f"{file} {name} is called from {caller}, a layer below it"


@pytest.mark.parametrize("name", WHOLE)
def test_few_functions_of_the_whole_package_are_called(ways, name):
    for stops, most, when in zip(ways[name], WHOLE[name], ("before", "from"), strict=True):
        way = "\n".join(f"  {file} {function}" for file, function, _ in stops)
        assert len(stops) <= most, f"{len(stops)} functions {when} the first kernel, {most} at most:\n{way}"
