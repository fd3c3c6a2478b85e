"""What must hold for whole families of measures, whatever the input."""

import random

import handmade
import numpy as np
import pytest
from generated_inputs import reaches, span_worlds
from hypothesis import given, settings
from hypothesis import strategies as st

import berrypick as bp
from berrypick.data.collection import Collection
from berrypick.data.navigation import ReachTable
from berrypick.data.reach import Reach
from berrypick.kernels.poisson_binomial import number_seen

ON_PAGES = (
    "EPRUM EPRUM@0.5 EPRUM(r=1) EPRUM(rank=2) EPRUM(ideal='greedy') PRUM PRUM@0.3 PRUM(r=1,exact=True) "
    "epnav epnav@0.4 ExpectedRatio ExpectedRatio@3"
)
ON_SPANS = (
    "T2I(tolerance=5,budget=40) ESLRF(tolerance=5) PT2I(tolerance=5) PT2I(wanted=1,tolerance=3) SegP SegR EPRUM "
    "ExpectedRatio epnav"
)


@given(reaches(ranks=(1, 5), coins=20), st.integers(1, 3))
def test_results_that_lead_nowhere_never_help(matrix, more):
    longer = np.vstack([matrix, np.zeros((more, matrix.shape[1]))])
    before, after = (
        bp.evaluate(truth, run, ON_PAGES, navigation=table, units=60).mean()["run"]
        for truth, run, table in (handmade.from_matrix(matrix), handmade.from_matrix(longer))
    )
    for name, value in before.items():
        assert value is None or after[name] <= value + 1e-12, name


@given(span_worlds(), st.integers(1, 3))
def test_segments_that_lead_nowhere_never_help(world, more):
    collection = Collection({**world.lengths, "elsewhere": 50})
    useless = [("elsewhere", 3 * i, 3 * i + 2) for i in range(more)]
    truth = handmade.span_truth({"1": world.targets})
    before, after = (
        bp.evaluate(truth, handmade.span_run({"1": spans}), f"{ON_SPANS} ESL(tolerance=5)", collection=collection)
        for spans in (world.results, world.results + useless)
    )
    before, after = before.mean()["run"], after.mean()["run"]
    for name, value in before.items():
        if name.startswith("ESL("):
            assert after[name] >= value - 1e-12, "smaller is better"
        elif value is not None:
            assert after[name] <= value + 1e-12, name


@given(reaches(ranks=(1, 6), targets=(1, 5), coins=30), st.integers(0, 2**32 - 1))
def test_a_more_generous_reader_never_sees_less(matrix, seed):
    rng = np.random.default_rng(seed)
    generous = np.maximum(matrix, rng.random(matrix.shape) * (rng.random(matrix.shape) < 0.5))
    for k in range(1, len(matrix) + 1):
        less, more = Reach.of(matrix).expected_seen(k), Reach.of(generous).expected_seen(k)
        assert (more >= less - 1e-15).all()
        assert more.sum() >= less.sum() - 1e-12
    assert (bp.expected_ratio(generous) >= bp.expected_ratio(matrix) - 1e-12).all()
    assert (bp.eprum(generous) >= bp.eprum(matrix) - 1e-12).all(), "the same ideal list, more seen earlier"


@given(reaches(ranks=(1, 6), targets=(1, 5), coins=30))
def test_sparse_and_dense_give_the_same_bits(matrix):
    from scipy import sparse

    for form in (sparse.csr_matrix(matrix), sparse.coo_matrix(matrix), sparse.csc_array(matrix)):
        assert bp.eprum(form).tobytes() == bp.eprum(matrix).tobytes()
        assert bp.prum(form, units=50).tobytes() == bp.prum(matrix, units=50).tobytes()
        assert bp.prum(form, units=50, exact=True).tobytes() == bp.prum(matrix, units=50, exact=True).tobytes()
        assert bp.expected_ratio(form).tobytes() == bp.expected_ratio(matrix).tobytes()
        gains = np.arange(1.0, matrix.shape[1] + 1)
        assert bp.effort_precision(form, gains).tobytes() == bp.effort_precision(matrix, gains).tobytes()


@given(reaches(ranks=(1, 6), targets=(2, 5), coins=30), st.randoms())
def test_the_order_of_targets_does_not_matter(matrix, shuffle):
    order = list(range(matrix.shape[1]))
    shuffle.shuffle(order)
    np.testing.assert_allclose(bp.eprum(matrix[:, order]), bp.eprum(matrix), rtol=1e-12, atol=1e-300)
    for exact in (False, True):
        one, other = (bp.prum(m, units=50, exact=exact) for m in (matrix, matrix[:, order]))
        np.testing.assert_allclose(one, other, rtol=1e-12)


def _text_world(rng: random.Random, topics: int = 6):
    """(qrels lines by topic, run lines, table): pages that lead to each other with odd probabilities."""
    pages = [f"p{i}" for i in range(12)]
    qrels, run = [], []
    for topic in range(topics):
        judged = rng.sample(pages, 5)
        qrels.append([f"t{topic} 0 {page} {rng.choice([0, 0.2, 0.7, 1])}" for page in judged])
        ranked = rng.sample(pages, 7)
        run += [f"t{topic} Q0 {page} {k} {100 - k} sys" for k, page in enumerate(ranked)]
    table = {(a, b): rng.random() for a in pages for b in pages if a != b and rng.random() < 0.3}
    return qrels, run, ReachTable(table)


@given(st.integers(0, 10**6))
@settings(max_examples=8)
def test_the_order_of_lines_and_topics_does_not_matter_at_all(tmp_path_factory, seed):
    """Bit by bit: the same means, and the same value for every topic."""
    rng = random.Random(seed)
    qrels, run, table = _text_world(rng)
    folder = tmp_path_factory.mktemp("order")

    def evaluated(judged, ranked):
        (folder / "t.qrels").write_text("\n".join(line for lines in judged for line in lines))
        (folder / "r.run").write_text("\n".join(ranked))
        asked = "EPRUM PRUM epnav ExpectedRatio@3 AP EPRUM(ideal='greedy')"
        results = bp.evaluate(folder / "t.qrels", folder / "r.run", asked, navigation=table, units=100)
        return results.mean(), results.per_topic()

    def whole(judged):
        """AP of ir_measures takes whole grades only."""
        return [[line.replace(" 0.2", " 1").replace(" 0.7", " 1") for line in lines] for lines in judged]

    qrels = whole(qrels)
    before = evaluated(qrels, run)
    rng.shuffle(run)
    assert evaluated(qrels, run) == before, "shuffled run"
    rng.shuffle(qrels)
    assert evaluated(qrels, run) == before, "topics of the truth in another order"


@given(st.integers(0, 10**6))
@settings(max_examples=8)
def test_the_order_of_judgements_within_a_topic_hardly_matters(seed):
    """Sums are formed in another order, so the last digit may differ."""
    rng = random.Random(seed)
    qrels, run, table = _text_world(rng)
    grades = {line.split()[0]: {} for lines in qrels for line in lines}
    for line in (line for lines in qrels for line in lines):
        topic, _, page, grade = line.split()
        grades[topic][page] = float(grade)
    lists = {}
    for line in run:
        lists.setdefault(line.split()[0], []).append(line.split()[2])
    values = []
    for _ in range(2):
        truth = handmade.document_truth(grades)
        results = bp.evaluate(truth, handmade.document_run(lists), ON_PAGES, navigation=table, units=100)
        values.append(results.mean()["run"])
        grades = {topic: dict(rng.sample(sorted(judged.items()), len(judged))) for topic, judged in grades.items()}
    for name, value in values[0].items():
        if "greedy" not in name:  # ties are broken in truth order
            assert values[1][name] == pytest.approx(value, rel=1e-12), name


def test_fifteen_hundred_ranks_and_three_hundred_targets():
    rng = np.random.default_rng(11)
    matrix = np.where(rng.random((1500, 300)) < 0.004, rng.random((1500, 300)), 0.0)
    reach = Reach.of(matrix)
    precision = bp.eprum(reach)
    assert precision.shape == (300,) and ((precision >= 0) & np.isfinite(precision)).all()
    # E[A/ML] summed over r is E[sum_k (F_k - F_{k-1})/k]: it follows from the means alone
    expected = np.concatenate([[0], [reach.expected_seen(k).sum() for k in range(1, 1501)]])
    by_means = (np.diff(expected) / np.arange(1, 1501)).sum()
    assert (precision / np.arange(1, 301)).sum() == pytest.approx(by_means, rel=1e-11)
    for exact in (False, True):
        value = bp.prum(reach, units=10**6, exact=exact)
        assert ((value > 0) & (value <= 1)).all()
    np.testing.assert_allclose(number_seen(reach).sum(axis=1), 1, rtol=1e-11)
