"""A measure that reads a part of a topic, and what is observed then."""

import berrypick as bp
from berrypick.testing.checks import measure_reads

TRUTH, RUN = {"q": {"a#0-9": 1, "b#0-9": 2}}, {"q": {"a#0-5": 2, "b#3-8": 1}}


class Reads(bp.Measure):
    """Reads a part of a topic."""

    depends_on = ()  # which is not true
    what_it_reads: str = bp.parameter("ranking", str, "a part of the topic")

    def compute(self, judged):
        part = judged
        for name in self.what_it_reads.split("."):
            part = getattr(part, name)
            part = part() if name == "recall_base" else part
        return float(part is not None)


def reads(part, truth=TRUTH, run=RUN, **options):
    """What is observed while a measure reads a part of a topic."""
    evaluation = bp.Evaluation.prepare(truth, run, Reads(what_it_reads=part), **options)
    [one], [only] = evaluation.measures, evaluation.runs.values()
    return measure_reads(one.measure, evaluation, only, one.text)
