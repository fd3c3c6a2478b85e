"""Can a retriever for a coding agent be scored without running the agent? A reader learnt from its other sessions.

    python experiments/agents.py [--seeds SPLITS]

150 sessions of a coding assistant, each on an issue whose gold change is known, up to the first edit. A visit is a
stretch of reading in one file. Sessions are split into ten parts by chance, and each part is predicted by a reader
learnt from the other nine: t2i, which has a distribution of the lines without a relevant one that the agent reads
before it leaves a file. It is learnt from the visits that it predicts (--visits ahead), and from all visits. Numbers
are means over several splits.

Visits to files that have relevant lines at or after where the agent entered: the probability that it gets to the first
of them, by the distance. Printed: Brier score and mean log loss beside a constant (the share of the training visits)
and classical (who opens the file sees what is in it), and a calibration table.

Sessions: the lines read before the first relevant one, or in all where there is none, and the number of files opened,
for a reader who opens what the session opened, where it opened it; observed and predicted, with the mean absolute error
beside that of two constants (median and mean of the training sessions) and of classical (who reads every file to its
end).

Differences are paired, with 95% intervals over the held-out sessions (Student's; visits of a session are not taken as
independent). The last column says what the interval shows.

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
from berrypick.analysis.fit.session_visits import Chosen, reading_log_of
from berrypick.data.arrays import FloatArray, IntArray
from berrypick.data.run import Ranking, Run
from berrypick.data.truth import Truth
from berrypick.users.learning import paired, verdict

FORM = r"claude-session(topic_pattern='instance_id:\\s*(\\S+)',root='testbed')"
#: Tolerances that stand for the law of all, and the edges of distance in the calibration table.
POINTS, EDGES = 200, (10, 30, 100, 300, 1000)
#: Parts of the sessions, each predicted from the others.
PARTS = 10
VISITS = ("t2i", "t2i, all visits", "constant", "classical")
SESSIONS = ("t2i", "t2i, all visits", "median", "mean", "classical")


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
    given = arguments(__doc__, words, seeds=10)
    folder = needed("agent-sessions", given.data, given.unchecked)["patches.jsonl"].parent
    run = formats.read_any(folder / "sessions", "run", FORM)
    truth = formats.read_any(folder / "patches.jsonl", "truth", "patch")
    sessions = {topic: opened(topic, ranking, truth) for topic, ranking in run.rankings() if topic in truth.topics}
    sessions = {topic: visits for topic, visits in sessions.items() if visits}
    topics = sorted(sessions)
    everything = learnt(run, truth, topics)
    visits = [one for own in sessions.values() for one in own]
    ahead = sum(math.isfinite(one.ahead) for one in visits)
    print(f"{len(sessions)} sessions that read, {len(visits)} visits, {ahead} with relevant lines ahead")
    for name, fitted in (("t2i", everything), ("t2i, all visits", learnt(run, truth, topics, "all"))):
        for parameter, one in fitted.parameters.items():
            print(f"{name}: {parameter} {one['value']:.6g} [{one['low']:.6g}, {one['high']:.6g}]")
    cases, totals = [], []
    for seed in range(given.seeds):
        order = np.random.default_rng(seed).permutation(len(topics))
        for part in range(PARTS):
            rest = sorted(order[part::PARTS].tolist())
            training = [topic for i, topic in enumerate(topics) if i not in set(rest)]
            readers = [learnt(run, truth, training, chosen).user for chosen in ("ahead", "all")]
            cases += visit_cases(sessions, training, rest, readers)
            totals += session_cases(sessions, training, rest, readers)
    show_visits(np.array(cases))
    show_sessions(np.array(totals))
    show_retrievers(run, truth, sessions, everything)


def learnt(run: Run, truth: Truth, topics: Sequence[str], visits: Chosen = "ahead") -> bp.Fit:
    """The law of the lines that the agent reads in vain, from some of the sessions."""
    chosen = {topic: one for topic, one in truth.topics.items() if topic in set(topics)}
    return bp.fit("t2i", reading_log_of(run, Truth("spans", chosen), visits=visits), held_out=0)


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
    sessions: Mapping[str, list[Opened]], training: Sequence[str], rest: Sequence[int], readers: Sequence[bp.UserModel]
) -> list[tuple[float, ...]]:
    """Session, distance, whether it was reached, and the probabilities of the predictions in VISITS."""
    known = [one for topic in training for one in sessions[topic] if math.isfinite(one.ahead)]
    share, topics = float(np.mean([one.reached for one in known])), sorted(sessions)
    return [
        (i, one.ahead, float(one.reached), *(survival(reader, one.ahead) for reader in readers), share, 1.0)
        for i in rest
        for one in sessions[topics[i]]
        if math.isfinite(one.ahead)
    ]


def session_cases(
    sessions: Mapping[str, list[Opened]], training: Sequence[str], rest: Sequence[int], readers: Sequence[bp.UserModel]
) -> list[tuple[float, ...]]:
    """Session, then lines and files until the first relevant line: observed, and of the predictions in SESSIONS."""
    usual, topics = np.array([observed(sessions[topic]) for topic in training]), sorted(sessions)
    constants = *np.median(usual, axis=0), *usual.mean(axis=0)
    return [
        (
            i,
            *observed(sessions[topics[i]]),
            *(number for reader in readers for number in predicted(sessions[topics[i]], reader)),
            *constants,
            *to_the_end(sessions[topics[i]]),
        )
        for i in rest
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
    session, distance, reached = table[:, 0].astype(np.int64), table[:, 1], table[:, 2]
    chances = dict(zip(VISITS, table[:, 3:].T, strict=True))
    print(f"\nvisits to files with relevant lines ahead: got there {reached.mean():.3f}")
    print("prediction         mean    Brier   log loss")
    for name, chance in chances.items():
        scores = brier(chance, reached).mean(), log_loss(chance, reached).mean()
        print(f"{name:16}  {chance.mean():.3f}   {scores[0]:.4f}   {scores[1]:8.4f}")
    for what, loss, others in (("Brier", brier, VISITS[2:]), ("log loss", log_loss, VISITS[2:3])):
        print(f"\ndifference                       {what}")
        for name in VISITS[:2]:
            for other in others:
                added = loss(chances[name], reached) - loss(chances[other], reached)
                show_difference(name, other, added, session, ".4f")
    print("\nlines ahead     share   predicted   got there")
    place = np.searchsorted(EDGES, distance, side="right")
    for i in range(len(EDGES) + 1):
        own = place == i
        if own.any():
            low, high = (0, *EDGES)[i], str(EDGES[i]) if i < len(EDGES) else ".."
            shown = f"{chances['t2i'][own].mean():9.3f}   {reached[own].mean():9.3f}"
            print(f"{low:5} to {high:5} {own.mean():8.3f}   {shown}")


def brier(chance: FloatArray, reached: FloatArray) -> FloatArray:
    return np.asarray((chance - reached) ** 2)


def log_loss(chance: FloatArray, reached: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore"):
        return np.asarray(-np.log(np.where(reached > 0, chance, 1 - chance)))


def show_difference(name: str, other: str, loss: FloatArray, session: IntArray, form: str) -> None:
    """A difference of losses, with its interval over sessions and what that shows."""
    mean, low, high = paired(loss, session, 0.95)
    assert mean is not None and low is not None and high is not None
    print(f"{f'{name} - {other}':32} {mean:9{form}} [{low:{form}}, {high:{form}}]   {verdict(-high, -low)}")


def show_sessions(table: FloatArray) -> None:
    session = table[:, 0].astype(np.int64)
    seen, errors = table[:, 1:3], dict[str, FloatArray]()
    print("\nuntil the first relevant line     lines   error   files   error")
    print(f"{'observed':28} {seen[:, 0].mean():10.1f}       - {seen[:, 1].mean():7.3f}       -")
    for i, name in enumerate(SESSIONS):
        both = table[:, 3 + 2 * i : 5 + 2 * i]
        errors[name] = np.abs(both - seen)
        (lines, files), (of_lines, of_files) = both.mean(axis=0), errors[name].mean(axis=0)
        print(f"{name:28} {lines:10.1f} {of_lines:7.1f} {files:7.3f} {of_files:7.3f}")
    for column, what, form in ((0, "lines", ".1f"), (1, "files", ".3f")):
        print(f"\ndifference of errors             {what}")
        for name in SESSIONS[:2]:
            for other in SESSIONS[2:]:
                show_difference(name, other, errors[name][:, column] - errors[other][:, column], session, form)


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
