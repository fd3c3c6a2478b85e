"""spanHit, spanRR, spanNDCG, and what must hold however text is cut into chunks."""

from __future__ import annotations

import math
import random
from functools import cache
from itertools import pairwise

import handmade
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from two_spans import LENGTHS, value, values

import berrypick as bp
from berrypick import measures
from berrypick.evaluation.requested import parse_measure

SET = "charP charR charF IoU"
RANKED = "spanHit spanHit@2 spanRR spanNDCG spanNDCG@3 charR@2"


# --- covered to a share, by hand ------------------------------------------------------------------------------------


def test_hit_reciprocal_rank_and_ndcg_by_hand():
    spans = [("d", 0, 50), ("d", 90, 140), ("d", 140, 160), ("e", 300, 340), ("d", 310, 330)]
    assert value(spans, "spanHit@2") == 0  # 40 of 100
    assert value(spans, "spanHit@3") == 1  # 60 of 100, by two results together
    assert value(spans, "spanRR") == pytest.approx(1 / 3)
    assert value(spans, "spanRR@2") == 0
    assert value(spans, "spanRR(share=0.9)") == 0
    dcg = 1 / math.log2(4) + 2 / math.log2(6)
    assert value(spans, "spanNDCG") == pytest.approx(dcg / (2 + 1 / math.log2(3)))
    binary = (1 / math.log2(4) + 1 / math.log2(6)) / (1 + 1 / math.log2(3))
    assert value(spans, "spanNDCG(gain='binary')") == pytest.approx(binary)
    assert value(spans, "spanNDCG@1") == 0


def test_exactly_the_share_is_enough():
    assert value([("d", 100, 150)], "spanHit") == 1
    assert value([("d", 100, 149)], "spanHit") == 0
    assert value([("d", 100, 200)], "spanHit(share=1)") == 1
    assert value([("d", 100, 130)], "spanHit(share=0.3)") == 1  # .3 x 100 is 30.000000000000004 or so


def test_a_share_outside_its_range_is_refused():
    for share in ("0", "1.5", "-1"):
        with pytest.raises(bp.UsageError, match="share"):
            value([("d", 0, 1)], f"spanHit(share={share})")


def test_an_empty_list_and_a_missing_topic_count_0():
    truth = handmade.span_truth({"1": [("d", 0, 10)], "2": [("d", 0, 10)]})
    run = handmade.span_run({"1": [("d", 0, 10)]})
    results = bp.evaluate(truth, run, f"{SET} {RANKED}", collection=LENGTHS)
    for measure, found in results.per_topic()["run"].items():
        assert found["2"] == 0, measure
        assert found["1"] > 0, measure


# --- against a plain twin -------------------------------------------------------------------------------------------

spans = st.tuples(st.sampled_from(["d", "e"]), st.integers(0, 60), st.integers(1, 25)).map(
    lambda s: (s[0], s[1], s[1] + s[2])
)
lists = st.lists(spans, min_size=1, max_size=6)
targets = st.lists(spans, min_size=1, max_size=3, unique=True)


@given(lists, targets, st.sampled_from([0.2, 0.5, 1.0]))
def test_covered_ranks_agree_with_sets_of_characters(results, wanted, share):
    truth = handmade.span_truth({"1": wanted})
    first = math.inf
    read: set[tuple[str, int]] = set()
    for rank, (d, start, end) in enumerate(results, start=1):
        read |= {(d, i) for i in range(start, end)}
        for e, low, high in wanted:
            if len(read & {(e, i) for i in range(low, high)}) >= share * (high - low) - 1e-9:
                first = min(first, rank)
    assert value(results, f"spanRR(share={share})", truth) == pytest.approx(1 / first)


# --- invariances ----------------------------------------------------------------------------------------------------


def cut(spans, rng):
    """The same text in other pieces, in place."""
    pieces = []
    for document, start, end in spans:
        places = sorted({start, end, *(rng.randint(start, end) for _ in range(rng.randint(0, 3)))})
        pieces += [(document, a, b) for a, b in pairwise(places)]
    return pieces


@given(lists, targets, st.integers(0, 10**6))
def test_rechunking_changes_no_set_measure(results, wanted, seed):
    truth, rng = handmade.span_truth({"1": wanted}), random.Random(seed)
    again = cut(results, rng)
    rng.shuffle(again)
    for measure in f"{SET} spanHit Overlap".split():
        assert value(again, measure, truth) == pytest.approx(value(results, measure, truth), abs=1e-12), measure


READERS = ["classical", "coverage", "distance", "window(before=5,after=5)", "t2i(tolerance=9)"]
#: A copy that takes a rank may push a bad result behind the cut-off, and then less text was retrieved, or less of it
#: twice: what a set of the first k results means (measures.md, section 8). At the end of the list no copy does that.
PUSHED = {"charP@3", "charF@3", "IoU@3", "Overlap@3", "charJudged@3"}
#: As TREC Genomics has it, a copy of a good result is one more good result, wherever it stands. For an agent it is one
#: more step, after which as much has been seen as before, and which costs something (measures.md, section 16).
COUNTED_AGAIN = {"PassageAP", "StepAUC", "Waste"}
#: A result that lies within an earlier one is another unit, with a start and a share of relevant text of its own. These
#: measures judge it as such; all others see that it brings no text.
OF_UNITS = {
    "APtol", "BestIoU", "BestIoU@3", "ESL", "ESLRF", "GRP", "GRP@0.5", "MAep", "PRecall", "PRecall@0.5", "PT2I",
    "PT2I@0.5", "SegP", "SegP@3", "SegR", "SegR@3", "spanAP", "spanAP@3", "T2I", "T2I@3", "GainRecall",
    "GainRecall@3", "epgr@0.5", "iMAep", "nxCG@3", "xCG@3", "KiltP@3", "KiltR@3", "KiltRprec", "Selected",
}  # fmt: skip
EVERYTHING = {"units": 1000, "chunks": handmade.span_run({"x": [("d", 0, 50), ("d", 50, 90)]})}


def every_form() -> list[str]:
    """Every registered measure, with and without its cut-off."""
    found = []
    for name, cls in measures.registered().items():
        cutoff = {"none": "", "rank": "@3", "level": "@0.5"}[cls.cutoff]
        found += list(dict.fromkeys([name + cutoff] + ([] if cls.cutoff_required else [name])))
    return found


FORMS = every_form()

#: (measure, reader) that were refused once; they are asked alone, all others together.
REFUSED: set[tuple[str, str]] = set()


def raised(names, reader, truth, before, after) -> list[str]:
    """Measures by which one list is better than another; none that needs what spans do not have."""
    alone = [name for name in names if (name, reader) in REFUSED]
    together = [name for name in names if (name, reader) not in REFUSED]
    if alone and together:
        return [name for some in (together, *zip(alone)) for name in raised(some, reader, truth, before, after)]
    runs = {"before": handmade.span_run({"1": before}), "after": handmade.span_run({"1": after})}
    try:
        means = bp.evaluate(truth, runs, list(names), collection=LENGTHS, user=reader, **EVERYTHING).mean()
    except bp.UsageError:
        if len(names) == 1:
            REFUSED.add((names[0], reader))
            return []
        return [name for one in zip(names) for name in raised(one, reader, truth, before, after)]
    found = []
    for name in names:
        old, new = means["before"][name], means["after"][name]
        sign = 1 if parse_measure(name).higher_is_better else -1
        if old is not None and sign * (new - old) > 1e-9:
            found.append(name)
    return found


@settings(max_examples=20)
@given(lists, targets, st.data())
def test_duplicating_a_result_never_raises_any_measure(results, wanted, data):
    """Wherever the copy stands after its original, for every reader that a measure asks."""
    truth = handmade.span_truth({"1": wanted})
    row = data.draw(st.integers(0, len(results) - 1))
    at = data.draw(st.integers(row + 1, len(results)))
    longer = [*results[:at], results[row], *results[at:]]
    excepted = COUNTED_AGAIN | (PUSHED if at < len(results) else set())
    for reader in READERS:
        names = [name for name in FORMS if name not in excepted and (reader == "classical" or _depends(name))]
        assert raised(names, reader, truth, results, longer) == [], reader


@settings(max_examples=20)
@given(lists, targets, st.data())
def test_a_result_within_an_earlier_one_never_raises_any_measure_of_text(results, wanted, data):
    """Any part of an earlier result brings no text, so what is measured is text that was there already."""
    truth = handmade.span_truth({"1": wanted})
    document, start, end = results[data.draw(st.integers(0, len(results) - 1))]
    low = data.draw(st.integers(start, end - 1))
    part = (document, low, data.draw(st.integers(low + 1, end)))
    names = [name for name in FORMS if name not in COUNTED_AGAIN | OF_UNITS]
    assert raised(names, "classical", truth, results, [*results, part]) == []


def test_what_is_asked_together_is_refused_alone():
    """Measures that spans cannot have are left out, and no other with them."""
    truth = handmade.span_truth({"1": [("d", 0, 10)]})
    before, after = [("e", 0, 10)], [("e", 0, 10), ("d", 0, 10)]
    found = raised(["AspectAP", "charR", "Overlap", "spanHit", "Judged"], "classical", truth, before, after)
    assert found == ["charR", "spanHit"]
    assert raised(["charR", "Judged"], "classical", truth, after, before) == []
    assert {name for name, _ in REFUSED} >= {"AspectAP", "Judged"}


@given(lists, targets, st.data())
def test_a_copy_shifted_by_a_character_is_worth_that_character(results, wanted, data):
    """The most that can be gained is what the one new character is worth, and never the copy's text once more."""
    truth = handmade.span_truth({"1": wanted})
    document, start, end = results[data.draw(st.integers(0, len(results) - 1))]
    longer = [*results, (document, start + 1, end + 1)]
    total = len({(d, i) for d, low, high in wanted for i in range(low, high)})
    assert value(longer, "charR", truth) <= value(results, "charR", truth) + 1 / total + 1e-9
    assert value(longer, "Overlap", truth) >= (end - start - 1) / sum(b - a for _, a, b in longer) - 1e-9


@cache
def _depends(name: str) -> bool:
    return "user" in parse_measure(name).depends_on


@pytest.mark.parametrize("name", ["charP@2", "charF@2", "IoU@2"])
def test_a_copy_can_push_a_bad_result_behind_the_cut_off(name):
    """Then less was retrieved: what these measures mean at k. charR@k does not rise, nor do they with the copy last."""
    spans = [("d", 100, 200), ("e", 0, 100)]
    longer = [spans[0], *spans]
    assert value(longer, name) > value(spans, name)
    assert value([*spans, spans[0]], name) == value(spans, name)
    assert value(longer, name.partition("@")[0]) == value(spans, name.partition("@")[0])
    assert value(longer, "charR@2") == value(spans, "charR@2")


@pytest.mark.slow
@pytest.mark.parametrize("reader", ["distance", "distance(theta=0.002)", "window(before=60,after=60)"])
@pytest.mark.parametrize("measure", ["EPRUM", "PRUM", "ExpectedRatio@1"])
def test_a_near_miss_lies_between_a_hit_and_a_far_miss(measure, reader):
    truth = handmade.span_truth({"1": [("d", 400, 440)]})

    first = [] if measure == "ExpectedRatio@1" else [("e", 0, 40)]

    def scored(start):
        return value([*first, ("d", start, start + 40)], measure, truth, user=reader, units=1000)

    hit, near, far = scored(400), scored(355), scored(0)
    assert hit >= near > far
    assert hit > near or not reader.startswith("distance")  # who reads on gets there all the same


def test_classical_readers_see_no_near_miss():
    truth = handmade.span_truth({"1": [("d", 400, 440)]})
    assert value([("d", 360, 400)], "EPRUM", truth) == 0


def counted_twin(results, wanted, k):
    """What chunking_evaluation computes, from sets of characters: lengths added up, text found counted once."""
    chosen = results[:k]
    read = {(d, i) for d, a, b in chosen for i in range(a, b)}
    asked = [{(d, i) for i in range(a, b)} for d, a, b in wanted]
    found = len(read & set().union(*asked))
    retrieved, total = sum(b - a for _, a, b in chosen), sum(map(len, asked))
    missed = sum(len(one - read) for one in asked)
    return {"charP": found / retrieved, "charR": found / total, "IoU": found / (retrieved + missed)}


@given(lists, targets, st.integers(1, 6))
def test_the_protocol_counts_as_chunking_evaluation_does(results, wanted, k):
    truth, run = handmade.span_truth({"1": wanted}), handmade.span_run({"1": results})
    asked = " ".join(f"{name}@{k}" for name in ("charP", "charR", "IoU"))
    found = values(run, asked, truth, protocol="chunking-evaluation")
    for name, expected in counted_twin(results, wanted, k).items():
        assert found[f"{name}@{k}"] == pytest.approx(expected)
        assert value(results, f"{name}(counted='each')@{k}", truth) == pytest.approx(expected)


# --- as legalbenchrag counts ----------------------------------------------------------------------------------------


def pairs_twin(results, wanted, k):
    """Precision and recall of legalbenchrag: every result against every snippet."""
    common = sum(max(0, min(b, d) - max(a, c)) for x, a, b in results[:k] for y, c, d in wanted if x == y)
    return common / sum(b - a for _, a, b in results[:k]), common / sum(b - a for _, a, b in wanted)


@given(lists, targets, st.integers(1, 6))
def test_the_protocol_counts_as_legalbenchrag_does(results, wanted, k):
    truth, run = handmade.span_truth({"1": wanted}), handmade.span_run({"1": results})
    found = values(run, f"charP@{k} charR@{k} charR(counted='once')@{k}", truth, protocol="legalbench-rag")
    assert [found[f"charP@{k}"], found[f"charR@{k}"]] == pytest.approx(pairs_twin(results, wanted, k))
    assert found[f"charR(counted='once')@{k}"] == value(results, f"charR@{k}", truth)
