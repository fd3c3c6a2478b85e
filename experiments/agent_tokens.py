"""Tokens to the answer: what two searches cost a coding agent, predicted without running it, beside grep-and-read.

    python experiments/agent_tokens.py [--seeds SPLITS]

150 sessions of a coding assistant, each on an issue whose gold change is known, up to the first edit. Observed: the
tokens that a session spends until a step shows the first relevant line, or in all where none does; the agent greps and
reads, so this is the baseline.

Sessions are split into ten parts by chance, and each part is predicted from the other nine. From these come the reader
(t2i, as in agents.py), and two prices: tokens per file that is opened and per line that is read, by least squares
without an intercept and not below 0, of the tokens until the first relevant line. A prediction is the reader's expected
number of files and lines, times the prices.

First the test: predictions for the files that the session opened, where it opened them, against what was observed, by
absolute error, beside the median and the mean of the training sessions. Then two searches are compared for this agent:
they return the files that the session opened, in this order, and name the file alone (the agent enters at line 1) or
the first relevant line of it (else line 1). Baseline: the places where the agent's own grep led it.

Differences are paired, with 95% intervals over the held-out sessions (Student's). Where the test shows no difference
from a constant, the figures of the searches are what the model says, not what is known about the agent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from _collection import arguments
from agents import FORM, PARTS, Opened, learnt, observed, opened, predicted, show_difference
from data import needed, told
from scipy.optimize import nnls

import berrypick as bp
from berrypick import formats
from berrypick.data.arrays import FloatArray
from berrypick.data.run import Ranking
from berrypick.data.truth import Truth
from berrypick.users.learning import paired

SEARCHES = ("grep and read", "by file", "by line")
CONSTANTS = ("median", "mean")


def main(words: Sequence[str] | None = None) -> None:
    given = arguments(__doc__, words, seeds=10)
    folder = needed("agent-sessions", given.data, given.unchecked)["patches.jsonl"].parent
    run = formats.read_any(folder / "sessions", "run", FORM)
    truth = formats.read_any(folder / "patches.jsonl", "truth", "patch")
    sessions = {topic: opened(topic, ranking, truth) for topic, ranking in run.rankings() if topic in truth.topics}
    sessions = {topic: visits for topic, visits in sessions.items() if visits}
    spent = {topic: tokens_until(run[topic], truth, topic) for topic in sessions}
    lists = {topic: searches(visits, truth, topic) for topic, visits in sessions.items()}
    topics = sorted(sessions)
    whole = prices(topics, sessions, spent)
    print(
        f"{len(topics)} sessions that read; tokens until the first relevant line: {np.mean(list(spent.values())):.0f}"
    )
    print(f"prices: {whole[0]:.0f} tokens per file, {whole[1]:.1f} per line")
    rows = []
    for seed in range(given.seeds):
        order = np.random.default_rng(seed).permutation(len(topics))
        for part in range(PARTS):
            rest = sorted(order[part::PARTS].tolist())
            training = [topic for i, topic in enumerate(topics) if i not in set(rest)]
            reader, (per_file, per_line) = learnt(run, truth, training).user, prices(training, sessions, spent)
            usual = [spent[topic] for topic in training]
            constants = float(np.median(usual)), float(np.mean(usual))
            for i in rest:
                costs = [cost(visits, reader, per_file, per_line) for visits in lists[topics[i]]]
                rows.append((i, spent[topics[i]], *costs, *constants))
    show(np.array(rows))


def tokens_until(ranking: Ranking, truth: Truth, topic: str) -> float:
    """Tokens of a session up to the step that shows the first relevant line, or of all steps."""
    judged = truth.topics[topic]
    assert ranking.start is not None and ranking.end is not None and judged.start is not None and judged.end is not None
    gold = list(zip(judged.document, judged.start.tolist(), judged.end.tolist(), strict=True))
    first = int(ranking.rank.max())
    for row in range(len(ranking)):
        name = ranking.documents[int(ranking.document[row])]
        a, b = int(ranking.start[row]), int(ranking.end[row])
        if any(doc == name and start < b and end > a for doc, start, end in gold):
            first = min(first, int(ranking.rank[row]))
    return float(np.nansum(ranking.details["tokens"][ranking.rank <= first]))


def searches(visits: Sequence[Opened], truth: Truth, topic: str) -> list[list[Opened]]:
    """What the agent opened with its own searches, and the same files as the two searches name them."""
    judged = truth.topics[topic]
    assert judged.start is not None
    right: dict[str, int] = {}
    for name, start in zip(judged.document, judged.start.tolist(), strict=True):
        right[name] = min(int(start), right.get(name, int(start)))
    files = list({one.document: one for one in reversed(visits)}.values())[::-1]
    by_file = [entered(one, 0, right) for one in files]
    by_line = [entered(one, right.get(one.document, 0), right) for one in files]
    return [list(visits), by_file, by_line]


def entered(one: Opened, line: int, right: dict[str, int]) -> Opened:
    """A visit that begins at another line."""
    ahead = float(right[one.document] - line) if one.document in right else float("inf")
    return replace(one, entry=line, ahead=ahead)


def prices(topics: Sequence[str], sessions: dict[str, list[Opened]], spent: dict[str, float]) -> tuple[float, float]:
    """Tokens per file and per line, from the sessions of some topics."""
    seen = np.array([observed(sessions[topic]) for topic in topics])  # lines, files
    found, _ = nnls(seen[:, ::-1], np.array([spent[topic] for topic in topics]))
    return float(found[0]), float(found[1])


def cost(visits: Sequence[Opened], reader: bp.UserModel, per_file: float, per_line: float) -> float:
    lines, files = predicted(visits, reader)
    return per_file * files + per_line * lines


def show(table: FloatArray) -> None:
    session, seen = table[:, 0].astype(np.int64), table[:, 1]
    costs = dict(zip(SEARCHES, table[:, 2:5].T, strict=True))
    others = dict(zip(CONSTANTS, table[:, 5:7].T, strict=True))
    errors = {name: np.abs(values - seen) for name, values in (("t2i", costs[SEARCHES[0]]), *others.items())}
    print("\nprediction      tokens     error")
    for name, values in (("t2i", costs[SEARCHES[0]]), *others.items()):
        print(f"{name:12} {values.mean():9.0f} {errors[name].mean():9.0f}")
    print("\ndifference of errors             tokens")
    for name in others:
        show_difference("t2i", name, errors["t2i"] - errors[name], session, ".0f")
    print("\nsearch            tokens   against grep and read")
    for name, values in costs.items():
        shown = ""
        if name != SEARCHES[0]:
            mean, low, high = paired(values - costs[SEARCHES[0]], session, 0.95)
            shown = f"{mean:8.0f} [{low:.0f}, {high:.0f}]"
        print(f"{name:14} {values.mean():9.0f} {shown}")
    mean, low, high = paired(costs["by line"] - costs["by file"], session, 0.95)
    print(f"\nby line - by file: {mean:.0f} [{low:.0f}, {high:.0f}]")


if __name__ == "__main__":
    with told():
        main()
