"""Real files with official outputs, read from $BERRYPICK_DATA."""

import pytest

import berrypick as bp


def official(path):
    """{measure: {topic: value}} from an output of trec_eval -q."""
    found = {}
    for line in path.read_text().splitlines():
        name, topic, value = line.split()
        found.setdefault(name, {})[topic] = value
    return found


def test_trec_eval_topic_by_topic(data):
    """With the classical reader EPRUM is average precision, at ranks precision, and the expected ratio is recall."""
    folder = data / "trec-eval"
    expected = official(folder / "out.test.aq")
    ours = {"map": "EPRUM", **{f"P_{k}": f"EPRUM(rank={k})" for k in (5, 10, 30, 100)}, "recip_rank": "RR"}
    results = bp.evaluate(folder / "qrels.test", folder / "results.test", [*ours.values(), "AP"], topics="run")
    (values,) = results.per_topic().values()
    (means,) = results.mean().values()
    compared = 0
    for theirs, name in ours.items():
        for topic, value in expected[theirs].items():
            mine = means[name] if topic == "all" else values[name][topic]
            assert mine == pytest.approx(float(value), abs=5.1e-5), (theirs, topic)
            compared += 1
    assert compared >= 4 * len(ours)
    assert means["EPRUM"] == pytest.approx(means["AP"], abs=1e-12)


def test_trec_eval_with_all_judged_topics(data):
    """-c: topics that the run does not answer count 0; the run lacks one of the three."""
    folder = data / "trec-eval"
    expected = official(folder / "out.test.aqc")
    means = bp.evaluate(folder / "qrels.test", folder / "results.trunc", "EPRUM EPRUM(rank=5) AP").mean()
    (values,) = means.values()
    assert values["EPRUM"] == pytest.approx(float(expected["map"]["all"]), abs=5.1e-5)
    assert values["AP"] == pytest.approx(float(expected["map"]["all"]), abs=5.1e-5)
    assert values["EPRUM(rank=5)"] == pytest.approx(float(expected["P_5"]["all"]), abs=5.1e-5)


def test_recorded_click_paths_make_a_chain(data):
    """51,312 finished sessions: reach is a probability, and solves its own first-step equations."""
    import numpy as np

    from berrypick.users.links.markov import chain_of

    sessions = bp.read_navigation(data / "wikispeedia" / "paths_finished.tsv")
    assert len(sessions.paths) == 51_312
    chain = chain_of(sessions)
    sums = np.asarray(chain.step.sum(axis=1)).ravel()
    assert (sums <= 1 + 1e-9).all()
    target = chain.number["Viking"]
    ever = chain.visits(target)
    assert ((ever >= 0) & (ever <= 1)).all() and ever[target] == 1
    again = chain.step @ ever
    others = np.arange(len(ever)) != target
    np.testing.assert_allclose(again[others], ever[others], atol=1e-9)


def test_published_links(data):
    import numpy as np

    from berrypick.users.links.hyperlink import link_chain

    links = bp.read_navigation(data / "wikispeedia" / "links.tsv")
    assert len(links.rows) == 119_882
    chain = link_chain(links, 1.0)
    sums = np.asarray(chain.step.sum(axis=1)).ravel()
    assert np.allclose(sums[sums > 0], 1)
    within = [chain.visits(chain.number["Viking"], steps) for steps in (1, 2, 3)]
    assert (within[0] <= within[1] + 1e-15).all() and (within[1] <= within[2] + 1e-15).all()


def test_ideal_lists_of_published_paths(data):
    """As docs/explanation/ideal-bounds.md has them: twelve frequent goals, all pages of all paths."""
    from collections import Counter

    from berrypick.data.navigation import Sessions

    folder = data / "wikispeedia"
    finished, unfinished = (bp.read_navigation(folder / f"paths_{name}.tsv") for name in ("finished", "unfinished"))
    paths = Sessions((*finished.paths, *unfinished.paths), "wikispeedia")
    assert len({page for path in paths.paths for page in path if page != "<"}) == 4182
    goals = [page for page, _ in Counter(path[-1] for path in finished.paths).most_common(12)]
    measures = ["EPRUM(r=1)", "EPRUM(r=2)", "EPRUM(r=3)", "EPRUM(r=12)"]
    found = bp.ideal_lists({"q": dict.fromkeys(goals, 1)}, measures, user="markov", navigation=paths)
    assert [round(one.r / one.value, 2) for one in found] == [1.0, 1.13, 1.14, 1.02]
    assert [one.gap for one in found[:3]] == [0, 0, 0] and 0 < found[3].gap < 0.025
