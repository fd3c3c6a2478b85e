"""A diagnosis as tables and text: classes, stages, the worst topics, and places of targets in one word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from berrypick.analysis.diagnosis.classes import FOUND, LOST, MEANING
from berrypick.data.errors import shorten
from berrypick.data.pointers import place_record
from berrypick.data.score import Table
from berrypick.data.truth import Targets
from berrypick.data.words import counted
from berrypick.tables.tabular import Interval, shown
from berrypick.users.base import ReaderContext

if TYPE_CHECKING:
    from berrypick.analysis.diagnosis.diagnosis import Diagnosis
    from berrypick.analysis.diagnosis.examine import DiagnosedTarget
    from berrypick.analysis.diagnosis.stages import OracleReranker, Pipeline

#: Characters of a question and of a target's text in the table.
_SHOWN = 70
#: Targets of one topic in the table.
_MOST_TARGETS = 10


def tables_of(found: Diagnosis, places: int) -> list[Table]:
    """Return the tables of a diagnosis: classes, groups, stages, the oracle reranker, the worst topics."""
    made = [_class_table(found, run, places) for run in found.runs]
    if found.groups is not None:
        made += group_tables(found)
    for run, pipeline in found.pipelines.items():
        made += _stage_tables(found, run, pipeline, places)
    made += [_worst_table(found, run) for run in found.runs if found.shown]
    return made


def _class_table(found: Diagnosis, run: str, places: int) -> Table:
    rows = [
        [name, str(row["count"]), *Interval(row["share"], row["low"], row["high"]).cells(places), meaning(name)]
        for name, row in found.classes_of(run).items()
    ]
    targets, topics = counted(len(found.targets_of(run)), "target"), counted(len(found.topic_classes[run]), "topic")
    title = f"{run}: {targets} of {topics}"
    return Table(title, ["class", "targets", "share", "interval", "meaning"], rows, "<>>><")


def group_tables(found: Diagnosis) -> list[Table]:
    """Return the classes of each run by group of topics."""
    return [_group_table(found, run) for run in found.runs]


def _group_table(found: Diagnosis, run: str) -> Table:
    assert found.groups is not None
    names = list(found.classes_of(run))
    rows = []
    for group in found.groups.names:
        classes = found.classes_of(run, group)
        total = sum(row["count"] for row in classes.values())
        rows.append([group, str(total), *(str(classes.get(name, {}).get("count", 0)) for name in names)])
    return Table(f"{run}, by {found.groups.field}", [found.groups.field, "targets", *names], rows)


def _stage_tables(found: Diagnosis, run: str, pipeline: Pipeline, places: int) -> list[Table]:
    """What the stages of a pipeline hold, gain and lose, by targets and by measures, and the oracle reranker."""
    if not pipeline.flow:
        return []
    of = f"{run}: " if len(found.runs) > 1 else ""
    made = [_flow_table(pipeline, of, places)]
    if pipeline.flow[0].means:
        made.append(_measures_table(pipeline, of, places))
    if pipeline.oracle is not None:
        made.append(_oracle_table(pipeline, pipeline.oracle, found.k, of, places))
    return made


def _flow_table(pipeline: Pipeline, of: str, places: int) -> Table:
    rows = []
    for one in pipeline.flow:
        parts = [one.held, one.gained or Interval(), one.lost or Interval()]
        rows.append([one.stage, *(cell for part in parts for cell in part.cells(places))])
    header = ["stage", "held", "interval", "gained", "interval", "lost", "interval"]
    return Table(f"{of}Share of the targets that each stage contains, at any rank", header, rows)


def _measures_table(pipeline: Pipeline, of: str, places: int) -> Table:
    rows = [
        [measure, one.stage, shown(value, places), *one.differences.get(measure, Interval()).cells(places)]
        for measure in pipeline.flow[0].means
        for one in pipeline.flow
        for value in (one.means[measure],)
    ]
    header = ["measure", "stage", "mean", "difference", "interval"]
    return Table(f"{of}Measures of each stage, and their difference from the stage before", header, rows, "<<>>>")


def _oracle_table(pipeline: Pipeline, oracle: OracleReranker, k: int, of: str, places: int) -> Table:
    rows = [
        [pipeline.stages[0], *oracle.first.cells(places)],
        ["best order of it", *oracle.best.cells(places)],
        [pipeline.stages[-1], *oracle.last.cells(places)],
    ]
    title = f"{of}Oracle reranker: share of a topic's targets in {k} results"
    return Table(title, ["list", "share", "interval"], rows)


def _worst_table(found: Diagnosis, run: str) -> Table:
    rows = []
    classes = found.topic_classes[run]
    by_topic: dict[str, list[DiagnosedTarget]] = {}
    for one in found.targets_of(run):
        by_topic.setdefault(one.topic, []).append(one)
    for topic in found.worst(found.shown, run):
        missed = sorted((one for one in by_topic[topic] if one.kind.name != FOUND), key=lambda one: one.kind.depth)
        for one in missed[:_MOST_TARGETS]:
            places = [place_text(one.place), ranks_text(one.ranks)]
            rows.append([one.class_name, topic, *places, in_a_cell(one.question), in_a_cell(one.text)])
        if rest := missed[_MOST_TARGETS:]:
            rows.append(["", topic, f"and {len(rest)} more that got as far or farther", "", "", ""])
    lost = sum(kind.name != FOUND for kind in classes.values())
    many = f"the {found.shown} worst of {lost}" if lost > found.shown else str(lost)
    title = f"{run}: topics with a target that was not found ({many})"
    return Table(title, ["class", "topic", "target", "ranks that contain it", "question", "text"], rows, "<<<<<<")


def legend_of(found: Diagnosis) -> list[str]:
    """Return what a person needs to know to read the tables."""
    said = [f"A result contains a target if it covers {found.share:g} of it; the first {found.k} results count."]
    greedy = sum(one.oracle.greedy for one in found.pipelines.values() if one.oracle is not None)
    if greedy:
        many = counted(greedy, "topic")
        said.append(f"Best order: greedy for {many} with more than 20 candidates, so the share is a lower bound.")
    return said


def in_a_cell(text: str | None) -> str:
    """A question or the text of a target as a cell of a table."""
    return shorten(" ".join((text or "").split()), _SHOWN)


def meaning(name: str) -> str:
    """What a class means; all stages that lose targets share one meaning."""
    return MEANING.get(name, MEANING[LOST])


def place_text(place: Mapping[str, Any]) -> str:
    """A place in one word: ``guide#0-40``, ``main.py:3-9``, ``report#page=4``."""
    doc = str(place.get("doc") or "?")
    if "page" in place:
        box = place.get("box")
        return f"{doc}#page={place['page']}" + ("" if box is None else f"&box={','.join(f'{edge:g}' for edge in box)}")
    if "start_line" in place:
        return f"{doc}:{place['start_line']}-{place['end_line']}"
    first, last = place.get("start", place.get("start_time")), place.get("end", place.get("end_time"))
    return doc if first is None or last is None else f"{doc}#{first:.12g}-{last:.12g}"


def ranks_text(ranks: Mapping[str, Sequence[int]]) -> str:
    """Ranks of each stage in one text; of one run alone, the ranks by themselves."""
    texts = {stage: ", ".join(map(str, found)) or "-" for stage, found in ranks.items()}
    if len(texts) == 1:
        return next(iter(texts.values()))
    return "; ".join(f"{stage}: {text}" for stage, text in texts.items())


def place_of(targets: Targets, x: int) -> dict[str, Any]:
    """Where a target is, by the names of fields."""
    place: dict[str, Any] = {"doc": targets.document[x]}
    if targets.boxes is not None:
        return place | targets.boxes.record(x)
    if targets.start is None or targets.end is None:
        return place
    return place | place_record(targets.unit, targets.start[x].item(), targets.end[x].item())


def text_of(targets: Targets, x: int, reader: ReaderContext) -> str | None:
    """The text of a target, where its document is known."""
    texts, document = reader.texts, targets.document[x]
    if texts is None or document not in texts or targets.start is None or targets.end is None:
        return None
    first, last = int(targets.start[x]), int(targets.end[x])
    if reader.line_unit == "lines":
        return "\n".join(texts[document].split("\n")[first:last])
    return texts[document][first:last] if reader.line_unit == "chars" else None
