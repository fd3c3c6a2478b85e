"""Can a retriever for a coding agent be scored without running the agent? A reader learnt from half of its sessions.

    python experiments/agents.py [--seeds SPLITS]

150 sessions of a coding assistant, each on an issue whose gold change is known, up to the first edit. A visit is a
stretch of reading in one file. From half of the sessions t2i and distance are learnt: how many lines without a relevant
one the agent reads before it leaves a file. The other half is predicted, and the halves change places; repeated for
several splits, whose mean is printed.

Visits to files that have relevant lines at or after where the agent entered: the probability that it gets to the first
of them, by the distance. Printed: Brier score and mean log score beside a constant (the share of the training half) and
classical (who opens the file sees what is in it), and a calibration table.

Sessions: the lines read before the first relevant one, or in all where there is none, and the number of files opened,
for a reader who opens what the session opened, where it opened it; observed and predicted, with the mean absolute error
beside that of a constant (the mean of the training half) and of classical (who reads every file to its end).

Then retrievers are scored for that agent, without running it: the files that the session opened, in this order, naming
the file alone (the agent enters at line 1), the first line of it that a search of the session printed (else line 1), or
the first relevant one (else line 1).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from _collection import arguments
from data import needed, told
from scipy.special import ndtr, ndtri

import berrypick as bp
from berrypick import formats
from berrypick.analysis.fit.session_visits import reading_log_of
from berrypick.data.arrays import FloatArray
from berrypick.data.run import Ranking, Run
from berrypick.data.truth import Truth

FORM = r"claude-session(topic_pattern='instance_id:\\s*(\\S+)',root='testbed')"
#: Tolerances that stand for the law of all, and the edges of distance in the calibration table.
POINTS, EDGES = 200, (10, 30, 100, 300, 1000)


@dataclass(frozen=True)
class Opened:
    """A visit as a retriever would have it: a file, the line where it is entered, and what lies ahead."""

    document: str
    entry: int
    length: float  # of the file; nan where the log does not have it
    ahead: float  # lines before the first relevant one from there on; infinite where there is none
    read: int  # lines without a relevant one that were read
    reached: bool


def main(words: Sequence[str] | None = None) -> None:
    given = arguments(__doc__, words, seeds=20)
    folder = needed("agent-sessions", given.data, given.unchecked)["patches.jsonl"].parent
    run = formats.read_any(folder / "sessions", "run", FORM)
    truth = formats.read_any(folder / "patches.jsonl", "truth", "patch")
    sessions = {topic: opened(topic, ranking, truth) for topic, ranking in run.rankings() if topic in truth.topics}
    sessions = {topic: visits for topic, visits in sessions.items() if visits}
    everything = learnt(run, truth, sorted(sessions))
    print(f"{len(sessions)} sessions that read, {sum(map(len, sessions.values()))} visits")
    for name, one in everything.parameters.items():
        print(f"t2i, all sessions: {name} {one['value']:.4g} [{one['low']:.4g}, {one['high']:.4g}]")
    splits = [halves(sorted(sessions), seed) for seed in range(given.seeds)]
    cases, totals = [], []
    for training, rest in (pair for split in splits for pair in (split, split[::-1])):
        reader = learnt(run, truth, training).user
        cases += visit_cases(sessions, training, rest, reader)
        totals += session_cases(sessions, training, rest, reader)
    show_visits(np.array(cases))
    show_sessions(np.array(totals))
    show_retrievers(run, truth, sessions, everything)


def halves(topics: Sequence[str], seed: int) -> tuple[list[str], list[str]]:
    order = np.random.default_rng(seed).permutation(len(topics)).tolist()
    return [topics[i] for i in order[::2]], [topics[i] for i in order[1::2]]


def learnt(run: Run, truth: Truth, topics: Sequence[str]) -> bp.Fit:
    """The law of the lines that the agent reads in vain, from some of the sessions."""
    chosen = {topic: one for topic, one in truth.topics.items() if topic in set(topics)}
    return bp.fit("t2i", reading_log_of(run, Truth("spans", chosen)), held_out=0)


def opened(topic: str, ranking: Ranking, truth: Truth) -> list[Opened]:
    """The visits of a session, from where they entered."""
    found: list[Opened] = []
    judged = truth.topics[topic]
    assert ranking.start is not None and ranking.end is not None and judged.start is not None and judged.end is not None
    seen: set[int] = set()
    for row in range(len(ranking)):
        if ranking.details["tool"][row] != "Read":
            continue
        name, start, end = ranking.documents[int(ranking.document[row])], int(ranking.start[row]), int(ranking.end[row])
        gold = {line for doc, a, b in zip(judged.document, judged.start, judged.end, strict=True)
                if doc == name for line in range(int(a), int(b))}  # fmt: skip
        if not found or found[-1].document != name:
            seen = set()
            later = [line for line in gold if line >= start]
            ahead = float(min(later) - start) if later else math.inf
            found.append(Opened(name, start, float(ranking.details["doc_lines"][row]), ahead, 0, False))
        last = found[-1]
        for line in range(start, end):
            if not last.reached and line not in seen:
                last = Opened(last.document, last.entry, last.length, last.ahead,
                              last.read + (line not in gold), line in gold)  # fmt: skip
            seen.add(line)
        found[-1] = last
    return found


def survival(reader: bp.UserModel, distance: float) -> float:
    """P(the agent reads on for so many lines)."""
    if distance == 0:
        return 1.0
    return float(ndtr(-(math.log(distance) - math.log(reader.tolerance)) / reader.spread))  # type: ignore[attr-defined]


def visit_cases(
    sessions: Mapping[str, list[Opened]], training: Sequence[str], rest: Sequence[str], reader: bp.UserModel
) -> list[tuple[float, ...]]:
    """Distance, whether it was reached, and the probabilities of t2i and of a constant."""
    known = [one for topic in training for one in sessions[topic] if math.isfinite(one.ahead)]
    share = float(np.mean([one.reached for one in known]))
    return [
        (one.ahead, float(one.reached), survival(reader, one.ahead), share)
        for topic in rest
        for one in sessions[topic]
        if math.isfinite(one.ahead)
    ]


def session_cases(
    sessions: Mapping[str, list[Opened]], training: Sequence[str], rest: Sequence[str], reader: bp.UserModel
) -> list[tuple[float, ...]]:
    """Lines and files until the first relevant line: observed, predicted, of a constant, of classical."""
    usual = np.array([observed(sessions[topic]) for topic in training]).mean(axis=0)
    return [
        (*observed(sessions[topic]), *predicted(sessions[topic], reader), *usual, *to_the_end(sessions[topic]))
        for topic in rest
    ]


def observed(visits: Sequence[Opened]) -> tuple[float, float]:
    lines = 0
    for number, one in enumerate(visits, 1):
        lines += one.read
        if one.reached:
            return lines, number
    return lines, len(visits)


def predicted(visits: Sequence[Opened], reader: bp.UserModel) -> tuple[float, float]:
    """The mean over readers who draw a tolerance for each visit."""
    normal = ndtri((np.arange(POINTS) + 0.5) / POINTS)
    tolerance = reader.tolerance * np.exp(reader.spread * normal)  # type: ignore[attr-defined]
    left, lines, files = 1.0, 0.0, 0.0
    for one in visits:
        end = one.length - one.entry if one.length == one.length else math.inf
        stop = np.minimum(tolerance, min(one.ahead, end))
        lines, files = lines + left * float(stop.mean()), files + left
        left *= float((tolerance < one.ahead).mean())
    return lines, files


def to_the_end(visits: Sequence[Opened]) -> tuple[float, float]:
    """Who reads every file to its end sees what is relevant in it."""
    lines = 0.0
    for number, one in enumerate(visits, 1):
        end = one.length - one.entry if one.length == one.length else float(one.read)
        lines += min(one.ahead, end)
        if math.isfinite(one.ahead):
            return lines, number
    return lines, len(visits)


def show_visits(table: FloatArray) -> None:
    distance, reached, t2i, constant = table.T
    print(f"\nvisits to files with relevant lines ahead: got there {reached.mean():.3f}")
    print("prediction   mean   Brier   log score")
    for name, chance in (("t2i", t2i), ("constant", constant), ("classical", np.ones(len(table)))):
        with np.errstate(divide="ignore"):
            log = np.log(np.where(reached > 0, chance, 1 - chance)).mean()
        print(f"{name:10}  {chance.mean():.3f}   {np.mean((chance - reached) ** 2):.4f}   {log:9.4f}")
    print("\nlines ahead     share   predicted   got there")
    place = np.searchsorted(EDGES, distance, side="right")
    for i in range(len(EDGES) + 1):
        own = place == i
        if own.any():
            low, high = (0, *EDGES)[i], str(EDGES[i]) if i < len(EDGES) else ".."
            print(f"{low:5} to {high:5} {own.mean():8.3f}   {t2i[own].mean():9.3f}   {reached[own].mean():9.3f}")


def show_sessions(table: FloatArray) -> None:
    print("\nuntil the first relevant line     lines   error   files   error")
    for i, name in enumerate(("observed", "t2i", "constant", "classical")):
        lines, files = table[:, 2 * i], table[:, 2 * i + 1]
        errors = [np.abs(lines - table[:, 0]).mean(), np.abs(files - table[:, 1]).mean()]
        shown = [f"{errors[0]:7.1f}", f"{errors[1]:7.3f}"] if i else ["      -", "      -"]
        print(f"{name:28} {lines.mean():10.1f} {shown[0]} {files.mean():7.3f} {shown[1]}")


def show_retrievers(run: Run, truth: Truth, sessions: Mapping[str, list[Opened]], reader: bp.Fit) -> None:
    """Files alone, lines of them that a search printed, and the right lines: what the agent would see with each."""
    hits = {topic: searched(ranking) for topic, ranking in run.rankings()}
    lengths: dict[str, float] = {}
    runs: dict[str, list[dict[str, object]]] = {"files": [], "search": [], "right": []}
    gold: list[dict[str, object]] = []
    for topic, visits in sessions.items():
        judged = truth.topics[topic]
        assert judged.start is not None and judged.end is not None
        right: dict[str, int] = {}
        for name, start, end in zip(judged.document, judged.start.tolist(), judged.end.tolist(), strict=True):
            place = f"{topic}/{name}"
            right[name] = min(start, right.get(name, start))
            lengths[place] = max(float(end), lengths.get(place, 0.0))
            gold.append({"topic": topic, "doc": place, "start_line": start + 1, "end_line": end})
        names = list(dict.fromkeys(one.document for one in visits if one.length == one.length))
        for rank, name in enumerate(names, 1):
            place = f"{topic}/{name}"
            lengths[place] = max([lengths.get(place, 0.0), *(one.length for one in visits if one.document == name)])
            entries = {"files": 0, "search": hits[topic].get(name, 0), "right": right.get(name, 0)}
            for tag, line in entries.items():
                line = min(line, int(lengths[place]) - 1)
                runs[tag].append(
                    {"topic": topic, "doc": place, "start_line": line + 1, "end_line": line + 1, "rank": rank}
                )
    found = bp.compare(
        gold, runs, "ExpectedRatio", user=reader, collection=lengths, baseline="files", resamples=2000, seed=0
    )
    print("\nretriever   ExpectedRatio   against files              over readers")
    for row in found.to_records():
        against = [one for one in row["comparisons"] if one["versus"] == "files"]
        shown = ""
        if against:
            low, high, least, most = (against[0][name] for name in ("low", "high", "reader_low", "reader_high"))
            shown = f"{against[0]['difference']:6.3f} [{low:.3f}, {high:.3f}]   [{least:.3f}, {most:.3f}]"
        print(f"{row['run']:9}   {row['value']:13.3f}   {shown}")


def searched(ranking: Ranking) -> dict[str, int]:
    """The first line of each file that a search printed."""
    found: dict[str, int] = {}
    assert ranking.start is not None
    for row in range(len(ranking)):
        if ranking.details["tool"][row] == "Grep":
            found.setdefault(ranking.documents[int(ranking.document[row])], int(ranking.start[row]))
    return found


if __name__ == "__main__":
    with told():
        main()
