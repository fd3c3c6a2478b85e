"""INEX 2006 measures, section 8: do small elements, and the kind of recall base, change which system wins?

    python experiments/recall_bases.py FOLDER

Kendall's tau between rankings of 48 runs: with all assessments against assessments without small inline elements, and
with the ideal against the full recall base.
"""

from __future__ import annotations

from _collection import ReaderContext, arguments
from scipy.stats import kendalltau

import berrypick as bp

SMALL = "link,gui,guiseq,app,em,key,keyseq,file,cmd,code,ulink,xref,emphasis,guilabel,guimenu,command,literal,filename"
FOCUSED = [f"nxCG@{k}" for k in (5, 10, 25, 50)]
FULL = [f"nxCG(base='full')@{k}" for k in (5, 10, 25, 50)]
PAPER_SMALL = {"nxCG@5": 0.93, "nxCG@10": 0.93, "nxCG@25": 0.90, "nxCG@50": 0.87, "MAep": 0.95}
PAPER_BASE = {"nxCG@5": 0.82, "nxCG@10": 0.80, "nxCG@25": 0.84, "nxCG@50": 0.84}


def main() -> None:
    asked = arguments(__doc__ or "")
    world = ReaderContext(asked.collection, asked.topics, asked.seed)
    runs = list(world.runs())
    every = bp.evaluate(world.truth, runs, [*FOCUSED, *FULL, "MAep"], collection=world.collection).mean()
    filtered = bp.evaluate(world.truth, runs, [*FOCUSED, "MAep"], collection=world.collection, left_out=SMALL).mean()

    def tau(one: str, other: str, second: dict[str, dict[str, float | None]]) -> float:
        return float(kendalltau([every[r][one] for r in every], [second[r][other] for r in every]).statistic)

    print(f"{len(runs)} runs, {len(world.truth)} topics; Kendall's tau between rankings of the runs")
    print("all assessments against those without small elements     here   paper")
    for measure in [*FOCUSED, "MAep"]:
        print(f"  {measure:<52} {tau(measure, measure, filtered):6.3f}   {PAPER_SMALL[measure]:.2f}")
    print("ideal recall base against full recall base               here   paper")
    for measure, full in zip(FOCUSED, FULL, strict=True):
        print(f"  {measure:<52} {tau(measure, full, every):6.3f}   {PAPER_BASE[measure]:.2f}")


if __name__ == "__main__":
    main()
