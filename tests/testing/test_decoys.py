"""A law that nothing can break proves nothing: for each there is a decoy that breaks it, and is caught."""

import os

import drawn_campaigns
import numpy as np
import pytest
from many_cases import each

import berrypick as bp
from berrypick import formats, kernels
from berrypick.data.assemble import assemble
from berrypick.data.laws import LAWS, USUAL, with_laws
from berrypick.formats import content
from berrypick.testing.carriers import carriers


class Decoy(bp.Measure):
    """Defined where anything is relevant."""

    depends_on = ("user",)


class FirstJudged(Decoy):
    laws = ("truth-order",)

    def compute(self, topic):
        return float(topic.truth.start[0] + len(topic.truth.document[0]))


class FirstLine(Decoy):
    laws = ("tie-order",)

    def compute(self, topic):
        return float(topic.ranking.line[0])


class FirstOfRank(Decoy):
    laws = ("tie-order",)

    def compute(self, topic):
        return float(topic.ranking.start[0])


class Alphabet(Decoy):
    laws = ("document-names",)

    def compute(self, topic):
        names = [topic.ranking.documents[code] for code in topic.ranking.document]
        return float(names[0] == max(names))


class TopicName(Decoy):
    laws = ("topic-names",)

    def compute(self, topic):
        return float(sum(map(ord, topic.topic)))


class TopScore(Decoy):
    laws = ("score-scale",)

    def compute(self, topic):
        return float(topic.ranking.score[0])


class TargetCount(Decoy):
    laws = ("split-span",)

    def compute(self, topic):
        return float(len(topic.targets))


class ResultCount(Decoy):
    laws = ("split-span",)

    def compute(self, topic):
        return float(len(topic.ranking))


class Length(Decoy):
    cutoff = "rank"
    laws = ("junk-after-cut",)

    def compute(self, topic):
        return float(topic.ranking.ranks)


class Kernels(Decoy):
    laws = ("kernels",)

    def compute(self, topic):
        return float(kernels.in_use() == "native")


class Process(Decoy):
    laws = ("jobs",)

    def compute(self, topic):
        return float(os.getpid())


class LineNumbers(Decoy):
    """Reads what carriers differ in."""

    laws = ("carrier",)

    def compute(self, topic):
        return float(topic.ranking.line.sum()) if topic.ranking.line is not None else 0.0


class Shortness(Decoy):
    laws = ("relevant-added",)

    def compute(self, topic):
        return -float(topic.ranking.ranks)


class LongIsGood(Decoy):
    higher_is_better = False
    laws = ("relevant-added",)

    def compute(self, topic):
        return float(topic.ranking.ranks)


class Unreached(Decoy):
    laws = ("reach-raised",)

    def compute(self, topic):
        return -float(topic.reach.probability.sum())


CASES = [
    (FirstJudged, "spans apart"),
    (FirstLine, "documents"),
    (FirstOfRank, "spans grouped"),
    (Alphabet, "documents"),
    (TopicName, "documents"),
    (TopScore, "spans apart"),
    (TargetCount, "texts"),
    (ResultCount, "texts"),
    (Length @ 2, "spans overlapping"),
    (Kernels, "documents"),
    (LineNumbers, "documents"),
    (Shortness, "spans apart"),
    (LongIsGood, "documents"),
    (Unreached, "spans apart"),
]


@pytest.fixture(scope="module")
def drawn():
    return {campaign.name: campaign for campaign in drawn_campaigns.campaigns(0)}


@pytest.mark.slow
@each(["decoy", "name"], CASES, ids=[str(decoy) for decoy, _ in CASES])
def test_a_decoy_is_caught(decoy, name, drawn):
    if kernels._native is None and decoy is Kernels:
        pytest.skip("needs the compiled kernels")
    campaign = drawn[name]
    found = bp.laws(campaign.truth, campaign.run, decoy, variants=8, **campaign.options)
    [broken] = found.broken
    assert broken.law == decoy.laws[0] and broken.value != broken.changed and not broken.error
    assert found.line.endswith(", 1 broken") and str(broken) in str(found)


def test_a_value_of_the_process_is_caught(drawn):
    campaign = drawn["documents"]
    [broken] = bp.laws(campaign.truth, campaign.run, Process, **campaign.options).broken
    assert broken.law == "jobs" and broken.value == os.getpid() != broken.changed


def test_every_law_has_a_decoy():
    assert {law for decoy, _ in CASES for law in decoy.laws} | set(Process.laws) == set(LAWS)


def test_the_smallest_case_is_small(drawn):
    campaign = drawn["spans overlapping"]
    [broken] = bp.laws(campaign.truth, campaign.run, FirstJudged, variants=8, **campaign.options).broken
    assert len(broken.truth) == 2 and len(broken.results) <= 1
    [broken] = bp.laws(campaign.truth, campaign.run, Shortness, variants=8, **campaign.options).broken
    assert len(broken.truth) <= 2 and len(broken.results) <= 1


class LossyRun(bp.Format):
    """Reads spans one character too long, as points 1 to 4 of a long list of mistakes did in their way."""

    format_name = "lossy-run"
    role = "run"

    @classmethod
    def accepts(cls, value):
        return "" if isinstance(value, bp.Run) and value.start is not None else "no spans"

    @classmethod
    def write(cls, value, out):
        for topic, ranking in value.rankings():
            for row in range(len(ranking)):
                out.write(
                    f"{topic}\t{ranking.documents[ranking.document[row]]}\t{ranking.start[row]}\t{ranking.end[row]}\n"
                )

    @classmethod
    def read(cls, path, problems, **options):
        rows = [text.split("\t") for _, text in content(path, problems)]
        return assemble(
            tag="",
            topic=[row[0] for row in rows],
            document=[row[1] for row in rows],
            start=np.array([int(row[2]) for row in rows]),
            end=np.array([int(row[3]) + 1 for row in rows]),
            source=path,
        )


@pytest.mark.slow
def test_a_format_that_changes_a_number_is_caught(drawn):
    campaign = drawn["spans apart"]
    try:
        bp.register(LossyRun)
        found = bp.laws(campaign.truth, campaign.run, ["charP", "Success@3"], **campaign.options)
    finally:
        formats.registry._registered.pop("lossy-run")
    assert [(one.measure, one.law, one.what) for one in found.broken] == [("charP", "carrier", "run as lossy-run")]


@pytest.mark.slow
def test_a_text_that_contradicts_its_offsets_would_be_caught(drawn, monkeypatch):
    """Start 100, end 5100 with a text of 14 characters was read without a word, in every carrier."""
    campaign = drawn["spans apart"]
    monkeypatch.setattr("berrypick.documents.text_length.check_run_lengths", lambda run, *rest: run)
    [broken] = bp.laws(campaign.truth, campaign.run, ["charP"], only=("carrier",), **campaign.options).broken
    assert (broken.law, broken.measure) == ("carrier", "charP")
    assert "with a text of another length: it is read, although" in broken.error


@pytest.mark.slow
def test_contradictions_that_are_allowed_break_no_law(drawn):
    campaign = drawn["texts"]
    found = bp.laws(
        campaign.truth, campaign.run, ["charP"], only=("carrier",), text_mismatch="note", **campaign.options
    )
    assert not found.broken and found.tried


#: What was done to hits once: inner ones dropped, responses of clients iterated, their fields not read.
MISREAD = {
    "inner hits of Elasticsearch": ("berrypick.inputs.stores.hit_rows.results_of", lambda hit: [hit]),
    "a response of Elasticsearch's client": ("berrypick.inputs.stores.hit_rows.answer_in", lambda found: None),
}


@pytest.mark.parametrize("name", list(MISREAD))
def test_hits_that_are_misread_would_be_caught(name, drawn, monkeypatch):
    campaign = drawn["spans apart"]
    place, misread = MISREAD[name]
    monkeypatch.setattr(place, misread)
    monkeypatch.setattr("berrypick.testing.carriers.carriers", _only(name))
    [broken] = bp.laws(campaign.truth, campaign.run, ["charP"], only=("carrier",), **campaign.options).broken
    assert name in f"{broken.what} {broken.error}"


def _only(name):
    return lambda case: [one for one in carriers(case) if one.name == f"run as {name}"]


@each("laws", [("truth-orders",), ("order",), ["kernels"], "kernels", (1,)], ids=str)
def test_an_unknown_law_is_one_message(laws):
    class Mistaken(bp.Measure):
        def compute(self, topic):
            return 1.0

    Mistaken.laws = laws
    with pytest.raises(bp.UsageError, match=r"measure Mistaken cannot be registered: .*law") as raised:
        bp.register(Mistaken)
    if laws == ("truth-orders",):
        assert "'truth-orders' is not a law; did you mean truth-order" in str(raised.value)


def test_laws_keep_their_order():
    assert with_laws("reach-raised") == (*USUAL, "reach-raised")
    assert with_laws("split-span", laws=("jobs",)) == ("split-span", "jobs")
