"""EPRUM against enumeration, against classic precision, and its own rules."""

import math

import handmade
import numpy as np
import pytest
import slow_twins
from generated_inputs import candidate_rows, identity_reach, rankings, reaches
from hypothesis import given, settings
from hypothesis import strategies as st

import berrypick as bp
from berrypick.measures.base import recall_value

pytestmark = pytest.mark.usefixtures("kernels")

CLOSE = {"rtol": 0, "atol": 1e-12}


@given(reaches(ranks=(1, 6)))
def test_precision_is_that_of_all_scenarios(matrix):
    t = matrix.shape[1]
    expected = [r * slow_twins.expected_inverse(matrix, r) for r in range(1, t + 1)]
    np.testing.assert_allclose(bp.eprum(matrix), expected, **CLOSE)
    for r in range(1, t + 1):
        assert bp.eprum(matrix, recall=r) == bp.eprum(matrix)[r - 1]


@given(reaches(ranks=(1, 5)), st.integers(1, 7))
def test_at_a_rank_it_is_expected_targets_per_rank(matrix, k):
    """With the targets as ideal list E[ML*_f] = f, so precision at rank k is E[F_k]/k."""
    truth, run, table = handmade.from_matrix(matrix)
    value = bp.evaluate(truth, run, f"EPRUM(rank={k})", navigation=table).mean()["run"][f"EPRUM(rank={k})"]
    law = slow_twins.law(matrix, min(k, len(matrix)))
    assert value == pytest.approx(math.fsum(f * p for f, p in enumerate(law)) / k, abs=1e-12)


@given(reaches(ranks=(1, 5)))
def test_the_measure_gives_what_the_function_gives(matrix):
    truth, run, table = handmade.from_matrix(matrix)
    t = matrix.shape[1]
    asked = ["EPRUM", *(f"EPRUM(r={r})" for r in range(1, t + 2)), "EPRUM@0", "EPRUM@0.5", "EPRUM@1"]
    values = bp.evaluate(truth, run, asked, navigation=table).mean()["run"]
    precision = bp.eprum(matrix).tolist()
    assert values["EPRUM"] == pytest.approx(math.fsum(precision) / t, abs=1e-15)
    assert [values[f"EPRUM(r={r})"] for r in range(1, t + 2)] == [*precision, None]
    assert values["EPRUM@0"] == precision[0]
    assert values["EPRUM@0.5"] == precision[math.ceil(t / 2) - 1]
    assert values["EPRUM@1"] == precision[-1]


@given(rankings())
def test_with_the_identity_it_is_classic_precision(ranking):
    flags, targets = ranking
    if not flags:
        return
    precision = bp.eprum(identity_reach(flags, targets))
    hits = [k + 1 for k, relevant in enumerate(flags) if relevant]
    expected = [(n + 1) / k for n, k in enumerate(hits)] + [0.0] * (targets - len(hits))
    np.testing.assert_allclose(precision, expected, **CLOSE)


@given(rankings())
def test_with_the_classical_reader_its_mean_is_average_precision(ranking):
    flags, targets = ranking
    if not flags:
        return
    names = [f"rel{k}" if relevant else f"non{k}" for k, relevant in enumerate(flags)]
    judged = [name for name in names if name.startswith("rel")]
    judged += [f"lost{i}" for i in range(targets - len(judged))]
    truth = handmade.document_truth({"1": dict.fromkeys(judged, 1)})
    values = bp.evaluate(truth, handmade.document_run({"1": names}), "EPRUM AP EPRUM(rank=3) P@3").mean()["run"]
    assert values["EPRUM"] == pytest.approx(values["AP"], abs=1e-12)
    assert values["EPRUM(rank=3)"] == pytest.approx(values["P@3"], abs=1e-12)


@given(reaches(ranks=(1, 6), targets=(1, 3), coins=6), st.data())
def test_graded_idealism_is_a_weighted_mean_over_levels(matrix, data):
    t = matrix.shape[1]
    grades = data.draw(st.lists(st.sampled_from([0.25, 0.5, 0.75, 1.0]), min_size=t, max_size=t))
    truth, run, table = handmade.from_matrix(matrix, grades=grades)
    asked = ["EPRUM", "EPRUM@0.5", "EPRUM@1", "EPRUM(r=2)", "EPRUM(rank=2)"]
    values = bp.evaluate(truth, run, asked, navigation=table).mean()["run"]

    def weighted(value_of):
        parts = []
        below = 0.0
        for grade in sorted(set(grades)):
            columns = [x for x in range(t) if grades[x] >= grade]
            value = value_of(matrix[:, columns])
            if value is not None:
                parts.append((grade - below, value))
            below = grade
        return sum(w * v for w, v in parts) / sum(w for w, _ in parts) if parts else None

    def inverse(part, r):
        return r * slow_twins.expected_inverse(part, r)

    expected = {
        "EPRUM": weighted(lambda m: sum(inverse(m, r) for r in range(1, m.shape[1] + 1)) / m.shape[1]),
        "EPRUM@0.5": weighted(lambda m: inverse(m, math.ceil(m.shape[1] / 2))),
        "EPRUM@1": weighted(lambda m: inverse(m, m.shape[1])),
        "EPRUM(r=2)": weighted(lambda m: inverse(m, 2) if m.shape[1] >= 2 else None),
        "EPRUM(rank=2)": weighted(lambda m: sum(f * p for f, p in enumerate(slow_twins.law(m, min(2, len(m))))) / 2),
    }
    for name, value in expected.items():
        assert values[name] == (None if value is None else pytest.approx(value, abs=1e-12)), name


def test_readers_with_too_few_targets_are_counted_in_a_note():
    truth = {"q": {"a": 1, "b": 0.5}, "p": {"a": 0.5, "b": 0.25}}  # in p half of the readers want nothing at all
    run = {"q": {"a": 2.0, "b": 1.0}, "p": {"b": 2.0, "a": 1.0}}
    results = bp.evaluate(truth, run, "EPRUM(r=2) EPRUM(r=1)")
    # p, r = 1: those who want both find b at once, those who want a alone at rank 2
    assert results.per_topic()["run"] == {"EPRUM(r=2)": {"q": 1.0, "p": 1.0}, "EPRUM(r=1)": {"q": 1.0, "p": 0.75}}
    said = [str(note) for note in results.notes if "ideal" in note.text]
    assert said == [
        f"run: EPRUM(r=2): mean over the {share}% of readers for whom at least 2 units are ideal (1 topic)"
        for share in (50, 25)
    ]


def test_idealism_maps_grades():
    matrix = [[0.4, 0.4], [0.6, 0.4], [1, 0]]
    truth, run, table = handmade.from_matrix(matrix, grades=[2, 1])
    graded, _, _ = handmade.from_matrix(matrix, grades=[1, 0.5])

    def value(judged, **options):
        return bp.evaluate(judged, run, "EPRUM", navigation=table, **options).mean()["run"]["EPRUM"]

    assert value(truth) == value(handmade.from_matrix(matrix)[0]), "grades above 1 all count 1"
    assert value(truth, idealism="1=.5,2=1") == value(graded)
    assert value(truth, idealism={1: 0.5, 2: 1}) == value(graded)
    assert value(truth, idealism="1=0,2=1") == pytest.approx(bp.eprum([[0.4], [0.6], [1]])[0])
    assert value(truth, idealism="1=0,2=0") is None, "nothing is ideal for anybody"
    with pytest.raises(bp.UsageError, match="grade 2"):
        value(truth, idealism="1=1")


@pytest.mark.parametrize("text", ["1", "1=2", "1=-.1", "x=1", "1=.5,1=.6", "0=1", "1=nan", ""])
def test_wrong_idealism_is_refused(text):
    with pytest.raises(bp.UsageError, match="idealism"):
        bp.evaluate(*handmade.from_matrix([[1.0]])[:2], "EPRUM", idealism=text)


@pytest.mark.parametrize(
    ("level", "targets", "value"),
    [
        (0.28, 25, 7),
        (0.07, 100, 7),
        (0.55, 100, 55),
        (0.0, 9, 1),
        (1.0, 9, 9),
        (0.5, 3, 2),
        (1 / 3, 3, 1),
        (0.01, 5, 1),
    ],
)
def test_recall_levels_become_recall_values(level, targets, value):
    assert recall_value(level, targets) == value


@given(st.integers(1, 400), st.integers(0, 100))
def test_recall_levels_of_hundredths_are_exact(targets, hundredths):
    assert recall_value(hundredths / 100, targets) == max(1, -(-hundredths * targets // 100))


@given(reaches(ranks=(1, 4), targets=(1, 3), coins=5), st.data())
def test_bounded_by_the_best_list_it_never_exceeds_1(matrix, data):
    """Lists made of the candidates, each at most once."""
    candidates = data.draw(candidate_rows())
    order = data.draw(st.permutations(range(len(candidates))))
    length = data.draw(st.integers(1, len(candidates)))
    run = candidates[list(order[:length])]
    value = bp.eprum(run, candidates=candidates, ideal="exact", norm="bounded")
    assert (value <= 1 + 1e-12).all()


@given(candidate_rows())
@settings(max_examples=20)
def test_the_best_list_scores_1(candidates):
    for r in range(1, candidates.shape[1] + 1):
        best = max(slow_twins.lists_of(candidates), key=lambda order: slow_twins.list_inverse(candidates, order, r))
        value = bp.eprum(candidates[list(best)], recall=r, candidates=candidates, ideal="exact", norm="bounded")
        assert value == pytest.approx(1, abs=1e-12)


@given(reaches(ranks=(1, 4), targets=(1, 3), coins=5), candidate_rows())
@settings(max_examples=30)
def test_norms_are_what_they_say(matrix, candidates):
    t = min(matrix.shape[1], candidates.shape[1])
    matrix, candidates = matrix[:, :t], candidates[:, :t]
    inverse = np.array([slow_twins.expected_inverse(matrix, r) for r in range(1, t + 1)])
    length = np.array([slow_twins.best_length(candidates, r) for r in range(1, t + 1)])
    largest = np.array([slow_twins.best_inverse(candidates, r) for r in range(1, t + 1)])
    exact = bp.eprum(matrix, candidates=candidates, ideal="exact")
    np.testing.assert_allclose(exact, inverse * length, **CLOSE)
    bounded = bp.eprum(matrix, candidates=candidates, ideal="exact", norm="bounded")
    assert (bounded <= np.minimum(inverse / largest, 1) + 1e-12).all()
    known = candidates.tolist()
    others = [row for row in matrix.tolist() if any(row) and (row not in known or known.remove(row))]
    if len(candidates) + len(others) <= 4:  # results that are no candidates count for the divisor
        every = np.array([*candidates.tolist(), *others])
        largest = np.array([slow_twins.best_inverse(every, r) for r in range(1, t + 1)])
        np.testing.assert_allclose(bounded, inverse / largest, rtol=1e-12, atol=1e-12)


def test_what_does_not_go_together_is_refused():
    for wrong, told in [
        ("EPRUM(r=1,rank=2)", "one of"),
        ("EPRUM(r=1)@0.5", "one of"),
        ("EPRUM(norm='bounded')", "ideal='certified'"),
        ("EPRUM(norm='bounded',ideal='exact',rank=2)", "rank"),
        ("EPRUM(r=0)", "1 or more"),
        ("EPRUM(r=1.5)", "whole number"),
        ("EPRUM(r=True)", "whole number"),
        ("EPRUM@1.5", "0 to 1"),
        ("EPRUM@-0.1", "0 to 1"),
        ("EPRUM(ideal='best')", "targets"),
    ]:
        with pytest.raises(bp.UsageError, match=told):
            bp.evaluate(*handmade.from_matrix([[1.0]])[:2], wrong)


@pytest.mark.parametrize("recall", [0, 3, -1, 1.5, "2", None, True, np.int64(2), 2])
def test_recall_is_a_whole_number_from_1_to_t(recall):
    matrix = [[0.4, 0.4], [1, 0]]
    if recall is None:
        assert bp.eprum(matrix, recall=None).shape == (2,)
    elif isinstance(recall, (int, np.integer)) and not isinstance(recall, bool) and recall == 2:
        assert bp.eprum(matrix, recall=recall) == bp.eprum(matrix)[1]
    else:
        with pytest.raises(bp.UsageError, match="recall"):
            bp.eprum(matrix, recall=recall)


def test_empty_lists_and_empty_targets():
    assert bp.eprum(np.zeros((0, 3))).tolist() == [0, 0, 0]
    assert bp.eprum(np.zeros((3, 2))).tolist() == [0, 0]
    assert bp.eprum(np.zeros((3, 0))).tolist() == []


def test_no_list_that_surely_suffices_is_undefined():
    rows = [[0.5, 0], [0, 1]]
    for ideal in ("exact", "greedy"):
        value = bp.eprum([[0.5, 1]], candidates=rows, ideal=ideal)
        assert value[0] == pytest.approx(1) and math.isnan(value[1])


def test_a_reader_to_whom_one_page_shows_several_targets_is_warned_about():
    truth, run, table = handmade.from_matrix([[0.9, 0.9], [1, 0], [0, 1]])
    notes = bp.evaluate(truth, run, "EPRUM", navigation=table).notes
    assert any("may not be the ideal one" in str(note) for note in notes)
    truth, run, table = handmade.from_matrix([[0.5, 0.5], [1, 0], [0, 1]])
    assert not bp.evaluate(truth, run, "EPRUM", navigation=table).notes


def test_a_value_above_1_is_told_with_its_reason():
    truth, run, table = handmade.from_matrix([[1, 1, 1]])
    results = bp.evaluate(truth, run, "EPRUM", navigation=table)
    assert results.mean()["run"]["EPRUM"] == pytest.approx(2)
    assert any("above 1" in note for note in map(str, results.notes))
