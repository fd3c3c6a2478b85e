"""What the programs of KILT and SciFact compute: by hand, by slow twins, and on their own fixtures."""

from __future__ import annotations

import json
import random

import pytest

import berrypick as bp


def points(pages, sets):
    """KILT's list of points, as its paper describes it: a set counts where its last page stands."""
    left, found = [set(one) for one in sets], []
    for page in pages:
        hit = False
        for number, one in enumerate(left):
            if page in one:
                hit = True
                if f"set {number}" in found:
                    found.remove(f"set {number}")
                one.remove(page)
                found.append(f"set {number}" if one else "complete")
        if not hit:
            found.append("other")
    return found


def truth_of(sets):
    named = {}
    for number, one in enumerate(sets):
        for page in one:
            named.setdefault(page, []).append(str(number))
    return {"q": [{"doc": page, "set": names} for page, names in named.items()]}


def test_kilt_by_hand():
    """The pages of KILT's own test: sets {1, 2}, {5}, {7, 9, 11}; points: 5, 33, {1, 2}, the third set, 44, 88."""
    sets = [{"1", "2"}, {"5"}, {"7", "9", "11"}]
    run = {"q": [{"doc": page} for page in ["2", "5", "7", "33", "1", "9", "44", "88"]]}
    found = bp.evaluate(truth_of(sets), run, None, protocol="kilt").mean()["run"]
    assert found == pytest.approx({"KiltRprec": 0.5, "KiltP@1": 1, "KiltP@5": 0.4, "KiltR@5": 2 / 3, "Success@5": 1})


@pytest.mark.slow
def test_kilt_against_the_twin():
    chance = random.Random(30)
    for _ in range(200):
        sets = [chance.sample("abcdef", chance.randint(1, 3)) for _ in range(chance.randint(1, 4))]
        unique = list(dict.fromkeys(frozenset(one) for one in sets))
        pages = chance.choices("abcdefxyz", k=chance.randint(1, 12))
        measures = "KiltR@1 KiltR@3 KiltP@3 KiltRprec"
        run = {"q": [{"doc": page} for page in pages]}
        found = bp.evaluate(truth_of(unique), run, measures, duplicates="keep").mean()["run"]
        listed = points(pages, unique)
        once = list(dict.fromkeys(pages))
        best = max(len(one & {*once[: len(one)]}) / len(one) for one in unique)
        # a page of two sets makes two points, in the order of the sets
        assert found["KiltR@1"] == pytest.approx(listed[:1].count("complete") / len(unique)), (unique, pages)
        assert found["KiltR@3"] == pytest.approx(listed[:3].count("complete") / len(unique)), (unique, pages)
        assert found["KiltP@3"] == pytest.approx(listed[:3].count("complete") / 3)
        assert found["KiltRprec"] == pytest.approx(best)


def test_scifact_by_hand():
    """Sets {2, 5}, {7}; 5, 7, 9 are returned: 7 is correct, 5 is not."""
    truth = {
        "q": [{"doc": "41", "start": at, "end": at + 1, "set": name} for at, name in ((2, "1"), (5, "1"), (7, "2"))]
    }
    run = {"q": [{"doc": "41", "start": at, "end": at + 1} for at in (5, 7, 9)]}
    found = bp.evaluate(truth, run, None, protocol="scifact").mean()["run"]
    assert list(found.values()) == [1.0, 3.0, 3.0]


def ratios(correct, returned, wanted):
    precision, recall = correct / returned, correct / wanted
    return {"precision": precision, "recall": recall, "f1": 2 * precision * recall / (precision + recall)}


def test_scifact_fixture_with_labels(data):
    """All twelve numbers that SciFact's program prints, to the last digit."""
    folder = data / "evidence"
    expected = json.loads((folder / "scifact.expected.json").read_text())
    files = folder / "scifact.gold.jsonl", folder / "scifact.predictions.jsonl"
    found = bp.evaluate(*files, None, protocol="scifact-labels").mean()["scifact.predictions"]
    sentences = found["Selected(of='returned')"], found["Selected(of='wanted')"]
    abstracts = found["Abstracts(of='returned')"], found["Abstracts(of='wanted')"]
    values = {
        "sentence_selection": ratios(found["Selected(of='correct')"], *sentences),
        "sentence_label": ratios(found["Abstracts(of='sentences')"], *sentences),
        "abstract_label_only": ratios(found["Abstracts(of='labelled')"], *abstracts),
        "abstract_rationalized": ratios(found["Abstracts(of='reasoned')"], *abstracts),
    }
    assert {f"{name}_{what}": value for name, of in values.items() for what, value in of.items()} == expected


def test_scifact_fixture(data):
    """Precision, recall and F1 of sentence selection to the last digit."""
    folder = data / "evidence"
    expected = json.loads((folder / "scifact.expected.json").read_text())
    results = bp.evaluate(folder / "scifact.gold.jsonl", folder / "scifact.predictions.jsonl", None, protocol="scifact")
    correct, returned, wanted = results.mean()["scifact.predictions"].values()
    assert (correct, returned, wanted) == (5, 9, 12)
    precision, recall = correct / returned, correct / wanted
    assert precision == expected["sentence_selection_precision"]
    assert recall == expected["sentence_selection_recall"]
    assert 2 * precision * recall / (precision + recall) == expected["sentence_selection_f1"]


@pytest.mark.parametrize("paragraphs", [True, False])
def test_kilt_fixture(data, paragraphs, tmp_path):
    """The values that KILT's own test expects, of pages and of paragraphs."""
    gold, guess = (data / "evidence" / f"kilt.{name}.jsonl" for name in ("gold2", "guess2_1"))
    if not paragraphs:
        for path in (gold, guess):
            (tmp_path / path.name).write_text(path.read_text().replace('"start_paragraph_id"', '"s"').replace(
                '"end_paragraph_id"', '"e"'))  # fmt: skip
        gold, guess = tmp_path / gold.name, tmp_path / guess.name
    truth = bp.read_truth(gold)
    assert truth.units == ("spans" if paragraphs else "documents")
    found = bp.evaluate(truth, guess, "KiltRprec KiltP@1 KiltP@5 KiltR@5").mean()["kilt.guess2_1"]
    assert found == {"KiltRprec": 1 / 2, "KiltP@1": 1.0, "KiltP@5": 2 / 5, "KiltR@5": 2 / 3}


def test_kilt_fixture_of_one_page_each(data):
    """One of three guesses names the page."""
    gold, guess = (data / "evidence" / f"kilt.{name}.jsonl" for name in ("gold1", "guess1_1"))
    found = bp.evaluate(gold, guess, "KiltRprec").per_topic()["kilt.guess1_1"]["KiltRprec"]
    assert found == {"1": 1.0, "2": 0.0, "3": 0.0}
