"""How far comparisons can be trusted: stability, power and agreement of measures, on three sets of runs.

    python experiments/trust.py [--out FOLDER]

* the 48 focused runs of correlation.py on the bundled campaign (ten topics);
* 18 chunk settings of one retriever on the 472 questions of chunking_evaluation;
* the three runs of INEX 2009 and 2010 that can be had (120 topics).

The last two are read from the folder $BERRYPICK_DATA (chunking-evaluation, inex2009-2010) and skipped without it. With
--topics 3 a small form runs.
"""

from __future__ import annotations

import csv
import os
from argparse import Namespace
from pathlib import Path

from _collection import arguments, read_world
from _rankers import RANKERS, runs

import berrypick as bp
from berrypick.addons.sweep.sweep import fixed, fts5
from berrypick.core.results import Results
from berrypick.report.chart_theme import PAPER
from berrypick.report.charts import plot_bands
from berrypick.report.export import write_picture

ELEMENTS = [
    "EPRUM(user='hierarchy',quant='generalised')", "MAep(base='ideal',quant='generalised')",
    "nxCG(quant='generalised')@10", "nxCG(quant='generalised')@50",
]  # fmt: skip
CHUNKS = "charR@5 charP@5 IoU@5 spanHit@5 spanNDCG@5"
PASSAGES = "AiP iP@0.01 AgP charP@10"
SIZES, OVERLAPS = (100, 200, 300, 400, 600, 800), (0, 25, 50)


def main() -> None:
    given = arguments(__doc__ or "")
    show("bundled campaign", campaign_results(given), given)
    data = os.environ.get("BERRYPICK_DATA")
    for name, folder, results in (
        ("chunk settings", "chunking-evaluation", chunk_results),
        ("INEX 2009 and 2010", "inex2009-2010", inex_results),
    ):
        if data is None or not (Path(data) / folder).is_dir():
            print(f"\n{name}: skipped, there is no folder {folder} in $BERRYPICK_DATA")
        else:
            show(name, results(Path(data) / folder), given)


def campaign_results(given: Namespace) -> Results:
    world = read_world(given.collection, max(given.topics, 4) if given.topics else 0)
    systems = list(runs(world, overlap=False, rankers=1 if given.topics else len(RANKERS)))
    return bp.evaluate(world.exhaustive, systems, ELEMENTS, collection=world.collection)


def chunk_results(folder: Path) -> Results:
    truth = bp.read_truth(folder / "questions_df.csv")
    with (folder / "questions_df.csv").open(newline="", encoding="utf-8") as file:
        questions = [row["question"] for row in csv.DictReader(file)]
    texts = {path.stem: path.read_bytes().decode() for path in sorted((folder / "corpora").glob("*.md"))}
    grid = {"size": SIZES, "overlap": OVERLAPS}
    queries = dict(zip(truth.topics, questions, strict=True))
    return bp.sweep(texts, truth, fixed, fts5, CHUNKS, queries=queries, grid=grid).results


def inex_results(folder: Path) -> Results:
    names = ("bert_inex_converted_1", "indri_passages_ric", "indri_first_bic")
    systems = {name: bp.read_run(folder / "runs" / f"{name}.run") for name in names}
    return bp.evaluate(bp.read_truth(folder / "inex2009-2010.qrels"), systems, PASSAGES)


def show(name: str, results: Results, given: Namespace) -> None:
    print(f"\n{name}: {len(results.runs)} runs, {len(results.topics)} topics")
    resamples = 100 if given.topics else 1000
    found = bp.stability(results, resamples=resamples, splits=resamples)
    print(found.table())
    print(bp.power(results, detect=0.03, resamples=resamples).table())
    print(bp.correlate(results, resamples=resamples).table())
    if given.out is not None:
        given.out.mkdir(parents=True, exist_ok=True)
        target = given.out / f"stability-{name.split()[0].lower()}.svg"
        write_picture(plot_bands(found.curves(), theme=PAPER), target, PAPER)
        print(f"{target}: as berrypick stability --plot draws it")


if __name__ == "__main__":
    main()
