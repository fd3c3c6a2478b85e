"""The way of an evaluation from the command line to the first kernel stays short, and goes in one direction."""

import json
import subprocess
import sys

from test_layers import LAYERS

#: Functions of the command line, the evaluation and judging that a small evaluation calls before its first kernel.
MOST = 30
COUNTED = ("cli", "evaluation", "judging")

#: Prints the layer, file and name of every function of the package that is called first, and the layer of its caller.
TRACE = """
import json, sys
from pathlib import Path

import berrypick
from berrypick.cli import main

root = str(Path(berrypick.__file__).parent)
seen = {}


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
    if here[0].startswith("kernels") and "poisson_binomial" in here[0]:
        sys.setprofile(None)
        return
    if any(one.f_code.co_name == "<module>" and one.f_code.co_filename.startswith(root) for one in outer(frame)):
        return  # while a module is loaded
    seen[here] = next((caller for one in outer(frame.f_back) if (caller := place(one))), None)


sys.setprofile(trace)
try:
    main(sys.argv[1:])
except SystemExit:
    reached = sys.getprofile() is None
    sys.setprofile(None)
print(json.dumps([reached, [[*here, caller and caller[0]] for here, caller in seen.items()]]))
"""


def test_few_functions_lie_between_the_command_line_and_a_kernel(tmp_path):
    truth, run = tmp_path / "truth.jsonl", tmp_path / "run.jsonl"
    spans = [{"topic": "1", "doc": "a", "start": 0, "end": 10}, {"topic": "1", "doc": "b", "start": 5, "end": 9}]
    truth.write_text("".join(f"{json.dumps({**span, 'grade': 1})}\n" for span in spans))
    run.write_text("".join(f"{json.dumps({**span, 'rank': rank})}\n" for rank, span in enumerate(spans[::-1], start=1)))
    done = subprocess.run(
        [sys.executable, "-c", TRACE, "evaluate", truth, run, "-m", "EPRUM"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    *_, last = done.stdout.splitlines()
    reached, found = json.loads(last)
    assert reached, "the evaluation calls no kernel: this test follows EPRUM to kernels/poisson_binomial.py"
    stops = [one for one in found if one[0].replace("\\", "/").split("/")[0] in COUNTED]
    way = "\n".join(f"  {file} {name}" for file, name, _, _ in stops)
    assert len(stops) <= MOST, (
        f"{len(stops)} functions of {', '.join(COUNTED)} are called before the first kernel, {MOST} at most: every one "
        "is a place that a reader of the code has to go through. Work that only some options need is guarded at the "
        f"call; a wrapper with one caller is part of it.\n{way}"
    )
    for file, name, _, caller in stops:
        layers = [one.replace("\\", "/").split("/")[0] for one in (file, caller or "cli")]
        below, above = (LAYERS.index(layer) for layer in layers)
        assert below <= above, f"{file} {name} is called from {caller}, a layer below it"
