"""Compact letter displays, against the pairwise decisions that they show."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
from many_cases import each

from berrypick.statistics.letters import letters, shown_letters


def matrix(count, pairs):
    different = np.zeros((count, count), dtype=bool)
    for i, j in pairs:
        different[i, j] = different[j, i] = True
    return different


def tells(different):
    """Whether two values share a letter exactly where they do not differ, and all have one."""
    found = letters(different)
    assert len(found) == len(different) and all(found)
    assert all(len(set(own)) == len(own) for own in found)
    return all(
        bool({*found[i]} & {*found[j]}) is not bool(different[i, j]) for i, j in combinations(range(len(found)), 2)
    )


@each(
    ("count", "different", "words"),
    [
        (0, [], ""),
        (1, [], "a"),
        (3, [], "a a a"),
        (3, [(0, 1), (0, 2), (1, 2)], "a b c"),
        (3, [(0, 2)], "a ab b"),
        (4, [(0, 2), (0, 3), (1, 3)], "a ab bc c"),
        # the second differs from the third, although the first and the last differ from nothing
        (4, [(1, 2)], "ab a b ab"),
        # a circle of four: each value is like its two neighbours
        (4, [(0, 2), (1, 3)], "ab ac cd bd"),
    ],
)
def test_letters_by_hand(count, different, words):
    assert " ".join(map(shown_letters, letters(matrix(count, different)))) == words


def test_every_pattern_of_up_to_five_values():
    """All 1 + 2 + 8 + 64 + 1024 graphs, most of them not transitive."""
    for count in range(1, 6):
        pairs = [*combinations(range(count), 2)]
        for chosen in product([False, True], repeat=len(pairs)):
            assert tells(matrix(count, [pair for pair, one in zip(pairs, chosen, strict=True) if one])), (count, chosen)


@each("share", [0.05, 0.3, 0.5, 0.7, 0.95])
def test_large_patterns(share):
    random = np.random.default_rng(7)
    for count in (12, 40):
        upper = np.triu(random.random((count, count)) < share, 1)
        assert tells(upper | upper.T)


def test_no_set_is_superfluous():
    """Without any one of the letters, some pair would seem to differ."""
    random = np.random.default_rng(3)
    for _ in range(30):
        upper = np.triu(random.random((9, 9)) < 0.5, 1)
        found = letters(different := upper | upper.T)
        for name in {name for own in found for name in own}:
            fewer = [{*own} - {name} for own in found]
            lost = [i for i in range(9) if not fewer[i]]
            parted = [(i, j) for i, j in combinations(range(9), 2) if not different[i, j] and not fewer[i] & fewer[j]]
            assert lost or parted


def test_values_on_a_line_get_the_letters_of_textbooks():
    """Values that differ where they are far apart: the sets are the longest stretches, as underlined in textbooks."""
    values = np.array([0.0, 1, 2, 3.5, 4, 9, 9.5])
    stretches = {tuple(np.flatnonzero((values >= one) & (values <= one + 2)).tolist()) for one in values}
    longest = [one for one in stretches if not any({*one} < {*other} for other in stretches)]
    found = letters(np.abs(values[:, None] - values) > 2)
    groups = {name: tuple(i for i, own in enumerate(found) if name in own) for own in found for name in own}
    assert sorted(groups.values()) == sorted(longest)


def test_more_letters_than_the_alphabet_has():
    count = 60
    found = letters(~np.eye(count, dtype=bool))
    assert [found[0], found[26], found[51], found[52]] == [("a",), ("A",), ("Z",), ("a1",)]
    assert len({*found}) == count and shown_letters(["a", "a1"]) == "a a1"
