"""parent: the reader gets the section around a result."""

from __future__ import annotations

import handmade
import pytest
from two_spans import value

import berrypick as bp

# --- parents --------------------------------------------------------------------------------------------------------

PAGE = "# One\nfirst words\n\nmore words\n# Two\nother words here\n```\n# no heading\n```\nend\n"


def reached(user, span, target, **options):
    truth = handmade.span_truth({"1": [("p", *target)]})
    return value([("p", *span)], "ExpectedRatio", truth, user=user, documents={"p": PAGE}, collection=None, **options)


def test_a_reader_of_parents_gets_the_section():
    second = PAGE.index("# Two")
    target = (PAGE.index("more"), PAGE.index("more") + 10)
    assert reached("classical", (8, 12), target) == 0
    assert reached("parent", (8, 12), target) == 1
    assert reached("parent(by='paragraph')", (8, 12), target) == 0
    assert reached("parent", (second + 8, second + 12), target) == 0
    assert reached("parent", (second - 1, second + 1), target) == 1  # a chunk that lies in both
    assert reached("parent(by='document')", (second + 8, second + 12), target) == 1
    last = PAGE.index("end")
    assert reached("parent", (second + 8, second + 12), (last, last + 3)) == 1  # code holds no heading


def test_parents_need_texts_or_structure():
    for user, needs in (("parent", "documents="), ("parent(by='element')", "collection=")):
        with pytest.raises(bp.UsageError, match=needs):
            value([("d", 0, 10)], "EPRUM", user=user)
