"""Some inputs for specifications, evaluations, commands, values of Python and indexes; `make fuzz` has a million."""

import math
import random
import warnings
from contextlib import suppress

import pytest
import run
from fuzz_commands import CALLS
from fuzz_targets import EVALUATIONS, OneFormat, targets

import berrypick as bp
from berrypick import formats, measures
from berrypick.cli import command_names

INPUTS = {"specifications": 800, "evaluations": 120, "commands": 60, "values": 500, "sweeps": 40, "indexes": 25,
          "golden": 80}  # fmt: skip

OTHERS = [target for target in targets() if not isinstance(target, OneFormat)]


def test_everything_has_its_share():
    assert set(INPUTS) == {target.name for target in OTHERS}
    assert all(target.share > 0 for target in targets()) and sum(target.share for target in targets()) <= 1000


def test_every_command_is_fuzzed():
    assert set(CALLS) == set(command_names())


def test_what_is_registered_is_evaluated():
    assert {one.partition("@")[0] for one in EVALUATIONS.measures} >= set(measures.registered())
    paired = {name for pair in EVALUATIONS.pairs for name in pair}
    of_pages = {"bbox-docvqa", "mmdocir", "page-qrels"}  # no format of runs has pages in its sample
    known = {name for name, one in formats.registered().items() if one.role in ("truth", "run")}
    at_a_level = {"locomo-run"}  # whole sessions, against turns: --level session
    assert paired == known - of_pages - at_a_level


@pytest.mark.parametrize("target", OTHERS, ids=[target.name for target in OTHERS])
def test_damaged_inputs(target, tmp_path):
    chance = random.Random(target.name)
    for _ in range(INPUTS[target.name]):
        data = target.make(chance)
        why = run.problem(target, data, tmp_path)
        assert not why, f"{run.keep(tmp_path, target.name, data, why)}\n{why}"


@pytest.mark.parametrize("end", [2**53 - 1, 10**9])
def test_no_measure_takes_long_for_spans_without_end(end):
    """Some counted the seconds or characters of a span one by one."""
    run_of_one = {"q": {f"d#100-{end}": 2, "d#0-200": 1}}
    for truth in ({"q": {"d#51-69": 1}}, {"q": {f"d#51-{end}": 1}}):
        for measure in (*EVALUATIONS.measures, "spanRBP(every=10)", "APbin(bin=1)"):
            with run.bounded(), suppress(bp.BerrypickError), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                value = bp.score(measure, truth, run_of_one)
                assert value is None or math.isfinite(value), measure
