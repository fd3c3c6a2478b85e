"""How far comparisons can be trusted: stability, power and agreement of measures, on three sets of runs.

    python experiments/trust.py [alike | chunking-evaluation | inex2009-2010] [--out FOLDER]

* by default: the 48 focused runs of correlation.py on the bundled campaign (ten topics), idealism by gain;
* alike: the same with an idealism of 1 for every ideal element;
* chunking-evaluation: 18 chunk settings of one retriever, 472 questions about five documents;
* inex2009-2010: the three runs of INEX 2009 and 2010 that can be had (120 topics).

Questions about one document are not independent. Where topics have documents of their own, whole documents are compared
as well: how many pairs of runs differ, and how wide the intervals of their differences are, if topics are drawn and if
documents are.
"""

from __future__ import annotations

import csv
from argparse import Namespace
from collections.abc import Mapping, Sequence
from pathlib import Path

import data
import numpy as np
from _collection import SMALL_RESAMPLES, arguments, read_world
from _rankers import RANKERS, runs
from _resampling import RESAMPLES
from data import DataError, told

import berrypick as bp
from berrypick.analysis.comparison.comparison import Comparison, Pair
from berrypick.analysis.sweep.chunkers import fixed
from berrypick.analysis.sweep.retrievers import fts5
from berrypick.data.results import Results
from berrypick.report.figures.chart_theme import PAPER
from berrypick.report.figures.charts import plot_bands
from berrypick.report.figures.export import write_picture
from berrypick.statistics.method_names import TestName

Clusters = Mapping[str, str]
ELEMENTS = [
    "EPRUM(user='hierarchy',quant='generalised')", "MAep(base='ideal',quant='generalised')",
    "nxCG(quant='generalised')@10", "nxCG(quant='generalised')@50",
]  # fmt: skip
CHUNKS = "charR@5 charP@5 IoU@5 spanHit@5 spanNDCG@5"
PASSAGES = "AiP iP@0.01 AgP charP@10"
SIZES, OVERLAPS = (100, 200, 300, 400, 600, 800), (0, 25, 50)


def main(words: Sequence[str] | None = None) -> None:
    given = arguments(__doc__, words, on="alike, chunking-evaluation or inex2009-2010 [default: the bundled campaign]")
    found = {
        None: campaign_results,
        "alike": campaign_results,
        "chunking-evaluation": chunk_results,
        "inex2009-2010": inex_results,
    }
    if given.collection not in found:
        raise DataError(f"{given.collection}: there are alike, chunking-evaluation and inex2009-2010")
    results, clusters = found[given.collection](given)
    names = {None: "bundled campaign", "alike": "bundled campaign, every ideal element alike"}
    show(names.get(given.collection, given.collection), results, given)
    if clusters:
        show_clusters(results, clusters, given)


def campaign_results(given: Namespace) -> tuple[Results, Clusters]:
    idealism = None if given.collection == "alike" else "gain"
    topics = max(given.topics, 4) if given.small else 0  # stability needs four
    world = read_world(Namespace(collection=None, topics=topics))
    systems = list(runs(world, overlap=False, rankers=1 if given.small else len(RANKERS)))
    results = bp.evaluate(world.exhaustive, systems, ELEMENTS, collection=world.collection, idealism=idealism)
    return results, {}


def chunk_results(given: Namespace) -> tuple[Results, Clusters]:
    """Results, and the document of each question."""
    files = data.needed("chunking-evaluation", given.data, given.unchecked)
    truth = bp.read_truth(files["questions_df.csv"])
    with files["questions_df.csv"].open(newline="", encoding="utf-8") as file:
        questions = [row["question"] for row in csv.DictReader(file)]
    texts = {path.stem: path.read_bytes().decode() for name, path in files.items() if name.startswith("corpora/")}
    grid = {"size": SIZES[:2], "overlap": OVERLAPS[:2]} if given.small else {"size": SIZES, "overlap": OVERLAPS}
    queries = dict(zip(truth.topics, questions, strict=True))
    clusters = {name: topic.document[0] for name, topic in truth.topics.items()}
    return bp.sweep(texts, truth, fixed, fts5, CHUNKS, queries=queries, grid=grid).results, clusters


def inex_results(given: Namespace) -> tuple[Results, Clusters]:
    files = data.needed("inex2009-2010", given.data, given.unchecked)
    systems = {Path(name).stem: bp.read_run(path) for name, path in files.items() if name.startswith("runs/")}
    return bp.evaluate(bp.read_truth(files["inex2009-2010.qrels"]), systems, PASSAGES), {}


def show(name: str, results: Results, given: Namespace) -> None:
    print(f"{name}: {len(results.runs)} runs, {len(results.topics)} topics")
    resamples = SMALL_RESAMPLES if given.small else RESAMPLES
    found = bp.stability(results, resamples=resamples, splits=resamples)
    needs = {one.measure: one for one in bp.power(results, detect=0.03, resamples=resamples).measures}
    print(f"{'measure':<44} {'power':<24} {'swap rate':<24} smallest   topics to detect 0.03")
    for one in found.measures:
        other = needs[one.measure]
        parts = [text(part.value, part.low, part.high) for part in (one.power, one.swap_rate)]
        topics = text(other.needed, *other.needed_interval, places=0)
        print(f"{one.measure:<44} {parts[0]:<24} {parts[1]:<24} {number(other.smallest, 3):<10} {topics}")
    first, *others = results.measures
    for other in others:
        pair = bp.correlate(results, measures=[first, other], resamples=resamples)[0]
        print(f"tau of {first} and {other}: {text(pair.tau.value, pair.tau.low, pair.tau.high)}")
    if given.out is not None:
        given.out.mkdir(parents=True, exist_ok=True)
        target = given.out / f"stability-{name.split()[0].lower()}.svg"
        write_picture(plot_bands(found.curves(), theme=PAPER), target, PAPER)
        print(f"{target}: as berrypick stability --plot draws it")


def text(value: float | None, low: float | None, high: float | None, places: int = 3) -> str:
    """A value with its interval."""
    bounds = "" if low is None or high is None else f"   [{number(low, places)}, {number(high, places)}]"
    return number(value, places) + bounds


def number(value: float | None, places: int) -> str:
    return "undefined" if value is None else f"{value:.{places}f}"


def show_clusters(results: Results, clusters: Clusters, given: Namespace) -> None:
    """The same pairs by topics and by documents, each test at 0.05 and not corrected for the number of pairs."""
    resamples = SMALL_RESAMPLES if given.small else RESAMPLES

    def compared(test: TestName, cluster: Clusters | None) -> Comparison:
        return bp.compare(results, test=test, correction="none", cluster=cluster, resamples=resamples)

    by = [(test, cluster, compared(test, cluster)) for cluster in (None, clusters) for test in ("randomisation", "t")]
    number = len(set(clusters.values()))
    print(f"\npairs that differ significantly, by {len(clusters)} questions and by {number} documents")
    print("                by questions              by documents              half of the interval")
    print("measure         randomisation    t        randomisation    t        questions  documents")
    for measure in results.measures:
        shares = [np.mean([pair.significant for pair in pairs(one, measure)]) for _, _, one in by]
        halves = [np.median([(pair.high - pair.low) / 2 for pair in pairs(by[i][2], measure)]) for i in (0, 2)]
        cells = "".join(f"{share:13.3f}    {t:5.3f}    " for share, t in (shares[:2], shares[2:]))
        print(f"{measure:<16}{cells}{halves[0]:9.4f}  {halves[1]:9.4f}")


def pairs(found: Comparison, measure: str) -> list[Pair]:
    return [pair for pair in found.pairs if pair.measure == measure]


if __name__ == "__main__":
    with told():
        main()
