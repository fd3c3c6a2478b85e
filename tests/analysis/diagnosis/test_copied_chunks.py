"""Copies of judged passages in runs and lists of chunks: classes agree with an oracle that knows, of each character,
which character of which block it is."""

import random
from collections import Counter

import numpy as np
import pytest

import berrypick as bp
from berrypick.data.truth import Truth
from berrypick.documents.copies import CopyRules
from berrypick.documents.copy_search import documents_with_copies, window_sums
from berrypick.documents.texts import Texts

P = "Cut every cane that has borne fruit to the ground."
TEXTS = {"a": f"Intro. {P} End.", "b": f"Others say: {P} So they do."}
TRUTH = [{"topic": "q", "doc": "a", "start": 7, "end": 57}]


def row(place):
    return dict(zip(("doc", "start", "end"), place, strict=True))


def class_of(chunks, run, **options):
    given = {"documents": TEXTS, "chunks": [*map(row, chunks)], **options}
    return bp.diagnose(TRUTH, {"q": [*map(row, run)]}, **given).targets[0].class_name


def test_a_copy_in_a_chunk_is_the_judged_passage():
    chunks = [("b", 0, 62), ("b", 62, 74)]  # nobody indexed a
    assert class_of(chunks, [("b", 62, 74)]) == "not indexed"
    assert class_of(chunks, [("b", 62, 74)], copies="same") == "wrong document"
    assert class_of(chunks, [("b", 0, 62)], copies="same") == "found"
    cut = [("b", 0, 30), ("b", 30, 50), ("b", 50, 74)]  # 18, 20 and 12 characters of the copy
    assert class_of(cut, [("b", 0, 30)], copies="same") == "cut"
    assert class_of(cut, [("b", 0, 30)], copies="same", share=0.3) == "found"


def world(seed):
    rng = random.Random(seed)
    blocks = [[chr(0x4E00 + 100 * i + n) for n in range(rng.randint(3, 9))] for i in range(3)]
    texts, labels, places = {}, {}, []
    for d in range(rng.randint(2, 3)):
        name, text, label = f"d{d}", [], []
        for _ in range(rng.randint(2, 5)):
            block = rng.randrange(3) if rng.random() < 0.6 else None
            if block is not None:
                places.append((block, (name, len(text), len(text) + len(blocks[block]))))
            some = blocks[block] if block is not None else [chr(0x8000 + 500 * d + len(text) + n) for n in range(4)]
            label += [(block, n) if block is not None else None for n in range(len(some))]
            text += some
        texts[name], labels[name] = "".join(text), label

    def places_of(count):
        found = []
        for _ in range(count):
            name = rng.choice([*texts])
            a = rng.randrange(len(texts[name]))
            found.append((name, a, rng.randint(a + 1, len(texts[name]))))
        return list(dict.fromkeys(found))

    judged = [one for one in places if rng.random() < 0.5]
    return texts, labels, judged, [places_of(rng.randint(1, 4)) for _ in range(2)], places_of(rng.randint(1, 5))


def expected(wanted, document, stages, chunks, k, share):
    """The class of a target by sets of places."""

    def holds(*some):
        return len(set().union(*some) & wanted) >= share * len(wanted) - 1e-9

    last, every = stages[-1], [one for stage in stages for one in stage]
    if not any(one & wanted for one in chunks):
        return "not indexed"
    if not any(holds(one) for one in chunks) and not holds(*last[:k]):
        return "cut"
    if all(name != document for one in every for name, _ in one):
        return "wrong document"
    if not any(one & wanted for one in every):
        return "wrong passage"
    if holds(*last[:k]) and not any(map(holds, last[:k])):
        return "in pieces"
    if not any(map(holds, every)):
        return "partly found"
    if not any(map(holds, last)):
        return "lost in last"
    return "found" if any(map(holds, last[:k])) else "ranked low"


def test_classes_agree_with_an_oracle_of_characters():
    seen, moved = Counter(), 0
    for seed in range(150):
        texts, labels, judged, lists, chunks = world(seed)
        if not judged:
            continue
        first = {}
        for block, place in judged:
            first.setdefault(block, place)

        def named(place, labels=labels, first=first):
            """Characters of a place, those of judged blocks where these were judged first."""
            found = set()
            for at in range(place[1], place[2]):
                label = labels[place[0]][at]
                known = label is not None and label[0] in first
                found.add((first[label[0]][0], first[label[0]][1] + label[1]) if known else (place[0], at))
            return found

        truth = {"q": [row(place) for _, place in judged]}
        runs = {name: {"q": [*map(row, one)]} for name, one in zip(("first", "last"), lists, strict=True)}
        given = {"stages": True, "documents": texts, "chunks": [*map(row, chunks)], "k": 2, "share": 0.6}
        found = bp.diagnose(truth, runs, copies="same", copies_least=3, **given)
        stages = [[named(one) for one in stage] for stage in lists]
        for one, place in zip(found.targets, first.values(), strict=True):
            assert one.place == row(place), seed
            assert one.class_name == expected(named(place), place[0], stages, [*map(named, chunks)], 2, 0.6), seed
            seen[one.class_name] += 1
        apart = {tuple(one.place.values()): one.class_name for one in bp.diagnose(truth, runs, **given).targets}
        moved += any(apart[place] != one.class_name for one, place in zip(found.targets, first.values(), strict=True))
    assert moved > 20 and len(seen) > 6, (moved, seen)


def test_documents_without_copies_are_diagnosed_the_same():
    for seed in range(40):
        texts, _, judged, lists, chunks = world(seed)
        texts = {name: "".join(chr(0x4E00 + 300 * d + i) for i in range(len(text)))
                 for d, (name, text) in enumerate(texts.items())}  # fmt: skip
        if not judged:
            continue
        truth = {"q": [row(place) for _, place in judged]}
        runs = {name: {"q": [*map(row, one)]} for name, one in zip(("first", "last"), lists, strict=True)}
        given = {"stages": True, "documents": texts, "chunks": [*map(row, chunks)], "k": 2}
        same, apart = (bp.diagnose(truth, runs, copies=how, copies_least=1, **given) for how in ("same", "apart"))
        assert (same.targets, same.topic_classes, same.pipelines) == (
            apart.targets, apart.topic_classes, apart.pipelines
        )  # fmt: skip


@pytest.mark.parametrize("normalised", [False, True])
def test_documents_that_can_hold_copies_are_found_in_one_pass(normalised):
    """The documents with the first characters of a passage, compared with a search for each passage in each document;
    with two letters many passages are everywhere, and spaces and marks are of several kinds."""
    seen = 0
    for seed in range(60):
        rng = random.Random(seed)
        letters = rng.choice(["ab", 'abc \n\u201c"', "abcdefghij  \t"])
        texts = {f"d{d}": "".join(rng.choices(letters, k=rng.randint(0, 60))) for d in range(5)}
        rules = CopyRules(rng.randint(1, 8), normalised)
        rows = {}
        for number in range(6):
            name = rng.choice([one for one, text in texts.items() if text] or ["d0"])
            if texts[name]:
                start = rng.randrange(len(texts[name]))
                end = rng.randint(start + 1, len(texts[name]))
                one = {"topic": str(number % 4), "doc": name, "start": start, "end": end}
                rows.setdefault(tuple(one.values()), one | {"grade": number % 3})
        topics = Truth.from_records([*rows.values()]).topics if rows else {}
        held = Texts(texts)
        expected = {}
        for topic, judged in topics.items():
            relevant = [row for row in range(len(judged)) if judged.grade[row] > 0]
            places = [(judged.document[row], int(judged.start[row]), int(judged.end[row])) for row in relevant]
            forms = [rules.form(texts[name][start:end]) for name, start, end in places]
            heads = [form[: rules.least] for form in forms if len(form) >= rules.least]
            if names := [one for one in texts if any(rules.occurrences(held, one, head) for head in heads)]:
                expected[topic] = names
        assert documents_with_copies(topics, [*texts, "unknown"], held, rules) == expected, seed
        seen += len(expected)
    assert seen > 100


def test_sums_of_windows_are_those_of_their_texts():
    rng = np.random.default_rng(1)
    text = "".join(rng.choice([*"ab\0\u20ac\U0001f353"], 500))
    for size in (1, 3, 40):
        by_text = {}
        sums = window_sums(text, size).tolist()
        assert len(sums) == len(text) - size + 1
        for at, one in enumerate(sums):
            assert by_text.setdefault(text[at : at + size], one) == one
        assert len(set(by_text.values())) == len(by_text)
    assert len(window_sums("ab", 3)) == 0
