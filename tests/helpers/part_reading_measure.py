"""A measure that reads a part of a topic, and the signature that it has."""

import berrypick as bp

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


def signatures(*parts, truth=TRUTH, run=RUN, **options):
    """By part, the signature of a measure that reads it."""
    measures = [Reads(what_it_reads=part) for part in parts]
    return [row.signature for row in bp.evaluate(truth, run, measures, **options).mean_rows]
