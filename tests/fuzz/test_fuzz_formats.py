"""Some inputs for every format; `make fuzz` has a million."""

import random

import pytest
import run
from fuzz_targets import OneFormat, targets

from berrypick import formats

INPUTS = 80

KNOWN = [target for target in targets() if isinstance(target, OneFormat)]


def test_every_format_is_fuzzed():
    assert {target.cls for target in KNOWN} == set(formats.registered().values())


@pytest.mark.parametrize("target", KNOWN, ids=[target.name for target in KNOWN])
def test_damaged_files(target, tmp_path):
    chance = random.Random(target.name)
    read = 0
    for _ in range(INPUTS):
        data = target.make(chance)
        why = run.problem(target, data, tmp_path)
        assert not why, f"{run.keep(tmp_path, target.name, data, why)}\n{why}"
        read += not isinstance(target._read(tmp_path / "file"), str)
    assert read > INPUTS / 10, "most inputs are refused as a whole, so little is tested"
