"""Something for every door of berrypick, with as little as it needs."""

import click
import numpy as np

import berrypick as bp
from berrypick.data.assemble import assemble
from berrypick.data.score import Table
from berrypick.evaluation.protocols.base import Protocol
from berrypick.formats import content, finite
from berrypick.inputs.client_readers import ClientReader
from berrypick.report.panels.base import Panel
from berrypick.users.base import pairwise, shared


class Detours(bp.Measure):
    """Results before the first one that leads to a target. Smaller is better."""

    higher_is_better = False
    why_above_one = "it counts results"
    aliases = ("DetourCount",)
    laws = (*bp.Measure.laws, "reach-raised")
    most: int = bp.parameter(
        100, "int", "the value where no result leads to a target", check=lambda v: v >= 1, must="1 or more"
    )

    def compute(self, topic):
        ranks = topic.reach.rank
        return min(int(ranks.min()), self.most) if len(ranks) else self.most


class Opener(bp.UserModel):
    """Opens each document at the place pointed to, and reads all of it.

    Effort: the length of what is pointed to.
    """

    def reach(self, ranking, targets, context):
        blocks = [(rows, found, np.ones((len(rows), len(found)))) for rows, found in shared(ranking, targets)]
        return pairwise(ranking, targets, blocks)


class Picky(bp.UserModel):
    """Opens a document with some probability, and then reads all of it; learnt from a file of 0 and 1.

    Effort: the length of what is pointed to.
    """

    opens: float = bp.parameter(
        0.5, "number", "how often a document is opened", check=lambda v: 0 < v <= 1, must="(0, 1]"
    )

    def reach(self, ranking, targets, context):
        blocks = [
            (rows, found, np.full((len(rows), len(found)), self.opens)) for rows, found in shared(ranking, targets)
        ]
        return pairwise(ranking, targets, blocks)

    @classmethod
    def fit(cls, log, *, held_out=0.2):
        with open(log) as lines:
            seen = [int(line) for line in lines]
        return cls(opens=sum(seen) / len(seen))


class DoubleColonRun(bp.Format):
    """Whole documents with scores, separated by double colons.

    Sample::

        1::a::2.0::mine
        1::b::1.5::mine
    """

    format_name = "double-colon-run"
    role = "run"
    shape = "topic::document::score::tag"
    suffixes = (".colons",)

    @classmethod
    def sniff(cls, lines):
        return lines[0].count("::") == 3

    @classmethod
    def read(cls, path, problems, **options):
        rows, tag = [], ""
        for number, text in content(path, problems):
            words = text.split("::")
            score = finite(words[2]) if len(words) == 4 else None
            if score is None:
                problems.report(f"is not {cls.shape}", number, text)
                continue
            rows.append((words[0], words[1], score, number))
            tag = words[3]
        return assemble(
            tag=tag,
            topic=[row[0] for row in rows],
            document=[row[1] for row in rows],
            score=np.array([row[2] for row in rows]),
            line=np.array([row[3] for row in rows], dtype=np.int64),
            order="score",
            source=path,
            format=cls.format_name,
        )

    @classmethod
    def accepts(cls, value):
        if not isinstance(value, bp.Run):
            return "it is not a run"
        return "it points into documents" if value.points_into_documents else ""

    @classmethod
    def write(cls, value, out):
        for topic, ranking in value.rankings():
            for row, code in enumerate(ranking.document.tolist()):
                score = float(ranking.score[row]) if ranking.score is not None else float(-row)
                out.write(f"{topic}::{ranking.documents[code]}::{score!r}::{value.tag}\n")

    @classmethod
    def describe(cls, value):
        return [f"{value.size()} results"]


class Trails(ClientReader):
    """Trails of pages, as a client returns them."""

    def read(self, value, doc=None):
        if not isinstance(value, dict) or "trail" not in value:
            return None
        self.unread.update(dict.fromkeys(name for name in value if name != "trail"))
        return [{"doc": page} for page in value["trail"]]


def longest_detour(truth, run):
    """Return the largest number of results before a target, over all topics."""
    return max(row.value for row in bp.evaluate(truth, run, Detours).topic_rows)


@click.command("detours", short_help="Print the longest detour of a run.")
@click.argument("truth")
@click.argument("run")
def detours_command(truth, run):
    """Print the largest number of results before a target of TRUTH, over all topics of RUN."""
    click.echo(f"{longest_detour(truth, run):g}")


class DetourPanel(Panel):
    """The detours of each run."""

    name = "detours"
    title = "Detours"

    def parts(self, evaluation, results):
        rows = [[row.run, f"{row.value:g}"] for row in results.mean_rows if row.measure == "Detours"]
        return [Table("", ["run", "mean detour"], rows)] if rows else []


detours2026 = Protocol("detours2026", "the campaign on detours, 2026", {}, default="Detours EPRUM")
