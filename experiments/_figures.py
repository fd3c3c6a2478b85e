"""Truth, runs and results as files, and figures drawn from them by ``berrypick plot``."""

from __future__ import annotations

import io
import json
import shlex
from collections.abc import Sequence
from contextlib import redirect_stderr
from pathlib import Path

import berrypick as bp
from berrypick.cli import main as berrypick
from berrypick.data.results import Results
from berrypick.data.run import Run
from berrypick.data.truth import Truth


def save(folder: Path, truth: Truth, runs: Sequence[Run]) -> tuple[Path, list[Path]]:
    """The truth and the runs in INEX's formats."""
    folder.mkdir(parents=True, exist_ok=True)
    assessments = folder / "assessments.xml"
    bp.write(truth, assessments)
    files = [folder / f"{run.tag}.xml" for run in runs]
    for run, file in zip(runs, files, strict=True):
        bp.write(run, file)
    return assessments, files


def save_results(results: Results, file: Path) -> None:
    """As ``berrypick evaluate -q -o json`` writes them, for ``berrypick correlate`` and others."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("[\n" + ",\n".join(map(json.dumps, results.records())) + "\n]\n", encoding="utf-8")


def plot(*words: object) -> None:
    """Run ``berrypick plot``, and say so."""
    command = ["plot", *map(str, words)]
    print(f"\n$ {shlex.join(['berrypick', *command])}")
    try:
        with redirect_stderr(io.StringIO()) as said:
            berrypick(command)
    except SystemExit as stopped:
        if stopped.code:
            raise RuntimeError(said.getvalue()) from None
