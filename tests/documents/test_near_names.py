"""Names that nearly match: prepared once and compiled, against every form of every name."""

from __future__ import annotations

import numpy as np
import pytest

from berrypick import kernels
from berrypick.documents.near_names import FILE_FORMS, FORMS, KnownNames, NearMatch, near_match
from berrypick.evaluation.notes import unknown_documents_note
from berrypick.formats.base import Problems
from berrypick.formats.trec.trec_run import TrecRun
from berrypick.given.convert import as_truth

compiled_only = pytest.mark.skipif(kernels._native is None, reason="compiled kernels: they are not installed")
PARTS = [
    "a",
    "A",
    "0",
    "00",
    "1",
    "10",
    "7",
    "-",
    "é",
    "e\u0301",
    "ß",
    "ss",
    "ẞ",
    "İ",
    "x.txt",
    "\u0661",
    "ﬁ",
    "K",
    "k",
]


def plain(names, known, files=False):
    """Every form of every name."""
    best = None
    for why, form in {**FORMS, **(FILE_FORMS if files else {})}.items():
        there = {}
        for name in known:
            there.setdefault(form(name), name)
        pairs = [(name, there[form(name)]) for name in names if form(name) in there]
        if pairs and (best is None or len(pairs) > best.many):
            best = NearMatch(why, len(pairs), pairs[:10])
    return best


def drawn(draw, most, blank=False):
    """Names of a few parts, of which many are alike."""
    parts = PARTS + ([" ", "\u2003", "\t", "\x1c"] if blank else [])
    sizes = draw.integers(1, 5, int(draw.integers(1, most)))
    return list(dict.fromkeys("".join(draw.choice(parts, size)) for size in sizes))


def read_run(path, names):
    path.write_text("".join(f"1 Q0 {name} {rank} {-rank} t\n" for rank, name in enumerate(names, start=1)))
    return TrecRun.read(str(path), Problems(str(path)))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_forms_made_once_find_what_all_forms_find(seed):
    draw = np.random.default_rng(seed)
    known, names = drawn(draw, 60, blank=True), drawn(draw, 60, blank=True)
    assert near_match(names, known) == plain(names, known)
    assert near_match(names, known, files=True) == plain(names, known, files=True)
    asked, ready = {*draw.choice(known, 3)}, KnownNames(known)
    for chosen in (names, names[::2]):
        assert ready.match(chosen, without=asked) == plain(chosen, [name for name in known if name not in asked])


@pytest.mark.slow
@compiled_only
@pytest.mark.parametrize("seed", range(40))
def test_names_that_are_passed_over_match_in_no_form(seed, tmp_path):
    draw = np.random.default_rng(seed)
    known, names = drawn(draw, 80, blank=True), drawn(draw, 200)
    scanned, plainly = read_run(tmp_path / "run.txt", names), read_run(tmp_path / "run.txt", names)
    assert scanned.uncoded is not None and len(plainly.documents) == len(names)
    ready = KnownNames(known)
    any_known, near = ready.look(scanned)
    assert (any_known, near) == ready.look(plainly) == KnownNames(known).look(plainly)
    assert any_known == any(name in known for name in names)
    unknown = [name for name in names if name not in known]
    assert {*near} <= {*unknown}
    left = [name for name in known if name not in names]
    assert ready.match(near, without={*names}) == plain(unknown, left)


@pytest.mark.parametrize("known", [[], ["d1"], ["\ud800", "d1"], ["x" * 70_000, "d1"]])
def test_edges(known, tmp_path):
    ready = KnownNames(known)
    scanned = read_run(tmp_path / "run.txt", ["d01", "D1", "d2", "d1"])
    assert ready.look(scanned) == ("d1" in known, ["d01", "D1"] if "d1" in known else [])


def test_one_truth_and_several_runs(tmp_path):
    truth = as_truth({"1": {"d1": 1, "d2": 0, "d3": 0}})
    notes = {
        names: [note.text for note in unknown_documents_note(truth, read_run(tmp_path / "run.txt", names.split()))]
        for names in ("d1 d02", "d1 d2 d02", "d1 D3 x", "d1 x", "x y")
    }
    near = "1 document of the run match judged ones except for the {} of names (run {}, truth {})".format
    assert notes == {
        "d1 d02": [near("leading zeros", "d02", "d2")],
        "d1 d2 d02": [],  # d2 itself is retrieved
        "d1 D3 x": [near("case", "D3", "d3")],
        "d1 x": [],
        "x y": ["none of the run's documents is judged (truth: d1, d2, d3; run: x, y)"],
    }
