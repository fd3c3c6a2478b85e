"""Results, explanations and judged topics as HTML for notebooks: light, without script."""

from __future__ import annotations

from berrypick.data.errors import BerrypickError, shorten
from berrypick.data.results import Results
from berrypick.data.score import Explanation, Table, number
from berrypick.data.words import counted
from berrypick.report.notebook import html, span_strips
from berrypick.tables.text import best
from berrypick.topics.topic import JudgedTopic

#: Rows of a table of targets or ranks.
MOST = 20
#: Characters of a text that are shown.
SHOWN = 120
UNDEFINED = "undefined"


def results_html(results: Results) -> str:
    """The means, the best of each measure in bold, and the notes."""
    means = results.mean()
    measures = list(results.measures)
    rows = [[run, *(_value(values.get(measure)) for measure in measures)] for run, values in means.items()]
    title = f"Means over {counted(len(results.topics), 'topic')}"
    table = html.table(Table(title, ["run", *measures], rows), best(results))
    return table + _groups(results) + html.notes(results.notes, results.runs)


def _groups(results: Results) -> str:
    """The means of groups of topics."""
    if results.groups is None:
        return ""
    found, measures = results.by_group(), list(results.measures)
    rows = [
        [group, run, *(_value(found[run][measure].get(group)) for measure in measures)]
        for group in results.groups.names
        for run in results.runs
    ]
    return html.table(Table(f"Means by {results.groups.field}", ["group", "run", *measures], rows))


def _value(value: float | None) -> str:
    return UNDEFINED if value is None else f"{value:.4f}"


def explanation_html(explanation: Explanation) -> str:
    parts = [html.table(part) if isinstance(part, Table) else html.paragraph(part) for part in explanation.parts]
    return html.heading(explanation.title) + "".join(parts)


def judged_html(judged: JudgedTopic) -> str:
    """Counts, where the results fall in the documents, the ranking, and the targets with what a reader sees of them."""
    targets, ranks = len(judged.targets), judged.ranking.ranks
    documents = len(set(judged.targets.document))
    counts = f"{counted(targets, 'target')} in {counted(documents, 'document')}; " + (
        counted(ranks, "rank") if judged.answered else "the run does not answer this topic"
    )
    seen = _seen(judged)
    return (
        html.heading(f"Topic {judged.topic}")
        + html.paragraph(counts)
        + span_strips.drawing(span_strips.strips(judged))
        + _ranking(judged, seen is not None)
        + _targets(judged, seen)
    )


def _seen(judged: JudgedTopic) -> list[float] | None:
    """How likely a reader of the whole list sees each target; None where that is unknown."""
    try:
        return [float(p) for p in judged.reach.expected_seen(max(judged.reach.ranks, 1))] if len(judged.targets) else []
    except BerrypickError:
        return None


def _ranking(judged: JudgedTopic, reached: bool) -> str:
    names = judged.items.names_by_rank()
    if not names:
        return ""
    led = judged.reach.row_sums.tolist() if reached and len(judged.targets) else None
    texts = _texts_by_rank(judged)
    rows = [
        [str(k + 1), name, *([number(led[k])] if led is not None else []), *([texts.get(k, "")] if texts else [])]
        for k, name in enumerate(names[:MOST])
    ]
    header = ["rank", "result", *(["leads to targets"] if led is not None else [])]
    title = "Ranking" + (f", the first {MOST} of {len(names)}" if len(names) > MOST else "")
    align = "><" + ">" * (len(header) - 2)
    return html.table(Table(title, [*header, *(["text"] if texts else [])], rows, align + "<" * bool(texts)))


def _texts_by_rank(judged: JudgedTopic) -> dict[int, str]:
    """What stands at each rank, the first of several results; none where the texts are not known."""
    ranking, found = judged.ranking, dict[int, str]()
    if judged.context.reader.texts is None or ranking.start is None or ranking.end is None:
        return found
    for row, rank in enumerate(ranking.rank.tolist()):
        if rank < MOST and rank not in found:
            document = ranking.documents[int(ranking.document[row])]
            found[rank] = _text(judged, document, ranking.start[row], ranking.end[row])
    return found


def _text(judged: JudgedTopic, document: str, start: float, end: float) -> str:
    """The text of a span on one line, its middle cut out if it is long."""
    texts = judged.context.reader.texts
    if texts is None or document not in texts:
        return ""
    return shorten(" ".join(texts[document][int(start) : int(end)].split()), SHOWN)


def _targets(judged: JudgedTopic, seen: list[float] | None) -> str:
    names = judged.targets.names()
    if not names:
        return html.paragraph("Nothing is relevant: values are undefined.")
    targets = judged.targets
    known = judged.context.reader.texts is not None and targets.start is not None and targets.end is not None
    rows = [
        [name, number(float(targets.gain[i])), *([number(seen[i])] if seen else []),
         *([_text(judged, targets.document[i], targets.start[i], targets.end[i])] if known else [])]  # type: ignore[index]
        for i, name in enumerate(names[:MOST])
    ]  # fmt: skip
    header = ["target", "gain", *(["seen by readers"] if seen else [])]
    if known:
        aligned = "<" + ">" * (len(header) - 1) + "<"
        title = "Targets" + (f", the first {MOST} of {len(names)}" if len(names) > MOST else "")
        return html.table(Table(title, [*header, "text"], rows, aligned))
    title = "Targets" + (f", the first {MOST} of {len(names)}" if len(names) > MOST else "")
    return html.table(Table(title, header, rows))
