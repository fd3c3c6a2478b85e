"""Judged and unjudged areas of pages, against squares that are counted."""

from __future__ import annotations

import numpy as np
import pytest

import berrypick as bp
from berrypick.analysis.unjudged import unjudged_bounds
from berrypick.evaluation.evaluation import Evaluation

SIDE = 12


def places(rng: np.random.Generator, many: int) -> list[dict]:
    found = []
    for _ in range(many):
        low, high = np.sort(rng.choice(SIDE + 1, 2, replace=False)), np.sort(rng.choice(SIDE + 1, 2, replace=False))
        box = [int(low[0]), int(high[0]), int(low[1]), int(high[1])]
        page = {"page": int(rng.integers(1, 3)), "page_size": [SIDE, SIDE]}
        found.append({"topic": "q", "doc": "d", **page, **({} if rng.random() < 0.2 else {"box": box})})
    return found


def squares(rows: list[dict]) -> set:
    boxes = [(one["page"], one.get("box", [0, 0, SIDE, SIDE])) for one in rows]
    return {(page, x, y) for page, (a, b, c, d) in boxes for x in range(a, c) for y in range(b, d)}


@pytest.mark.parametrize("seed", range(15))
def test_values_against_squares(kernels, seed):
    rng = np.random.default_rng(seed)
    judged = [{**one, "grade": int(i % 2 == 0)} for i, one in enumerate(places(rng, 4))]
    judged = list({str((one["page"], one.get("box"))): one for one in judged}.values())
    results = [{**one, "rank": i} for i, one in enumerate(places(rng, 5), 1)]
    truth, run = bp.Truth.from_records(judged), bp.Run.from_records(results)
    got = squares(results[:3])
    known, good = squares(judged), squares([one for one in judged if one["grade"]])
    said = bp.evaluate(truth, run, "charJudged@3").mean()["run"]["charJudged@3"]
    assert said == pytest.approx(len(got & known) / len(got), abs=1e-12)
    names = "charP@3 charR@3 IoU@3"
    values = bp.evaluate(truth, run, names, unjudged="relevant").mean()["run"]
    relevant = (got & good) | (got - known)
    wanted = [len(relevant) / len(got), len(relevant) / len(good | relevant), len(relevant) / len(got | good)]
    assert [values[name] for name in names.split()] == pytest.approx(wanted, abs=1e-12)


def test_bounds_of_a_comparison_and_the_command(tmp_path, berrypick):
    truth = tmp_path / "truth.jsonl"
    truth.write_text('{"topic": "q", "doc": "d", "page": 1, "box": [0, 0, 0.5, 0.5], "grade": 1}\n')
    for name, edge in (("a", 0.5), ("b", 1)):
        (tmp_path / f"{name}.jsonl").write_text(
            f'{{"topic": "q", "doc": "d", "page": 1, "box": [0, 0, {edge}, 0.5], "rank": 1}}\n'
        )
    runs = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    found = berrypick("evaluate", truth, *runs, "-m", "charJudged charP", "-o", "csv").out
    assert [line.split(",")[3] for line in found.splitlines()[1:]] == ["1.0", "1.0", "0.5", "0.5"]
    found = berrypick("evaluate", truth, *runs, "-m", "charP", "--unjudged", "relevant", "-o", "csv").out
    assert [line.split(",")[3] for line in found.splitlines()[1:]] == ["1.0", "1.0"]
    assert unjudged_bounds(Evaluation.prepare(truth, runs, "charP")) is not None
