"""How results, explanations and judged topics show themselves in notebooks: light, without script.

The package takes ``evaluate`` and its like from here, so that whatever they return knows how.
"""

from __future__ import annotations

from typing import Any

from berrypick.core.drawn import as_html, as_text, drawn
from berrypick.core.errors import BerrypickError
from berrypick.core.explanation import Explanation, Table, number
from berrypick.core.judged import Judged
from berrypick.core.results import Results
from berrypick.evaluate import evaluate, explain, judge
from berrypick.report import markup, strips
from berrypick.report.text import best, render
from berrypick.setting import read_collection

__all__ = ["Explanation", "Judged", "Results", "evaluate", "explain", "judge", "read_collection"]

#: Rows of a table of targets or ranks.
MOST = 20
UNDEFINED = "undefined"


@drawn.register
def draw(results: Results, **how: Any) -> Any:
    from berrypick.report.charts import plot

    return plot(results, **how)


@as_text.register
def results_text(results: Results) -> str:
    """The means as a plain table."""
    return render(results, "table", per_topic=False, places=None).rstrip("\n")


@as_html.register
def results_html(results: Results) -> str:
    """The means, the best of each measure in bold, and the notes."""
    means = results.mean()
    measures = list(dict.fromkeys(row.measure for row in results.means))
    rows = [[run, *(_value(values.get(measure)) for measure in measures)] for run, values in means.items()]
    told = f"Means over {_count(len({row.topic for row in results.topics}), 'topic')}"
    return markup.table(Table(told, ["run", *measures], rows), best(results)) + markup.notes(results.notes)


def _value(value: float | None) -> str:
    return UNDEFINED if value is None else f"{value:.4f}"


@as_html.register
def explanation_html(explanation: Explanation) -> str:
    parts = [markup.table(part) if isinstance(part, Table) else markup.paragraph(part) for part in explanation.parts]
    return markup.heading(explanation.title) + "".join(parts)


@as_html.register
def judged_html(judged: Judged) -> str:
    """Counts, where the results fall in the documents, the ranking, and the targets with what a reader sees of them."""
    targets, ranks = len(judged.targets), judged.ranking.ranks
    documents = len(set(judged.targets.document))
    counts = f"{_count(targets, 'target')} in {_count(documents, 'document')}; " + (
        _count(ranks, "rank") if judged.answered else "the run does not answer this topic"
    )
    seen = _seen(judged)
    return (
        markup.heading(f"Topic {judged.topic}")
        + markup.paragraph(counts)
        + strips.drawing(strips.strips(judged))
        + _ranking(judged, seen is not None)
        + _targets(judged, seen)
    )


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _seen(judged: Judged) -> list[float] | None:
    """How likely a reader of the whole list sees each target; None where that cannot be told."""
    try:
        return [float(p) for p in judged.reach.expected_seen(max(judged.reach.ranks, 1))] if len(judged.targets) else []
    except BerrypickError:
        return None


def _ranking(judged: Judged, reached: bool) -> str:
    names = judged.ranking.names_by_rank()
    if not names:
        return ""
    led = judged.reach.row_sums.tolist() if reached and len(judged.targets) else None
    rows = [[str(k + 1), name, *([number(led[k])] if led is not None else [])] for k, name in enumerate(names[:MOST])]
    header = ["rank", "result", *(["leads to targets"] if led is not None else [])]
    title = "Ranking" + (f", the first {MOST} of {len(names)}" if len(names) > MOST else "")
    return markup.table(Table(title, header, rows, "><" + ">" * (len(header) - 2)))


def _targets(judged: Judged, seen: list[float] | None) -> str:
    names = judged.targets.names()
    if not names:
        return markup.paragraph("Nothing is relevant: values are undefined.")
    rows = [
        [name, number(float(judged.targets.gain[i])), *([number(seen[i])] if seen else [])]
        for i, name in enumerate(names[:MOST])
    ]
    header = ["target", "gain", *(["seen by readers"] if seen else [])]
    title = "Targets" + (f", the first {MOST} of {len(names)}" if len(names) > MOST else "")
    return markup.table(Table(title, header, rows))
