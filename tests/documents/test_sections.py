"""Where sections of texts begin."""

from __future__ import annotations

from itertools import pairwise

import pytest

from berrypick.documents.sections import section_starts

# --- texts that a pass for each character would never finish --------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("```a\n" * 400_000, 1),
        ("```\n" + "~~~a\n" * 400_000, 1),
        ("# a\n```\n" * 250_000, 125_000),  # every second one is code
        ("`" * 2_000_000, 1),
        ("".join("`" * size + "a\n" for size in range(3, 2_000)), 1),
    ],
)
def test_fences_are_matched_in_one_pass(text, expected):
    assert len(section_starts(text, "heading")) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\n# One\n```\n# not\n```\n# Two\n", ["a\n", "# One\n```\n# not\n```\n", "# Two\n"]),
        ("# One\r\n```\r\n# not\r\n```\r\n# Two\r\n", ["# One\r\n```\r\n# not\r\n```\r\n", "# Two\r\n"]),
        ("a\r\n\r\nOne\r\n===\r\nb", ["a\r\n\r\n", "One\r\n===\r\nb"]),
        ("```sh\n# not\n````  \n# One\n", ["```sh\n# not\n````  \n", "# One\n"]),  # closed by a longer row
        ("````\n```\n# not\n````\n# One\n", ["````\n```\n# not\n````\n", "# One\n"]),  # not by a shorter one
        ("~~~\n# not\n```\n~~~\n# One\n", ["~~~\n# not\n```\n~~~\n", "# One\n"]),
        ("```a``` b\n# One\n```\n# not\n```\n", ["```a``` b\n", "# One\n```\n# not\n```\n"]),  # code in a line
        ("```\n# One\n# Two\n", ["```\n", "# One\n", "# Two\n"]),  # nothing closes it
        ("```a\n# One\n```b\n# Two\n", ["```a\n", "# One\n```b\n", "# Two\n"]),
    ],
)
def test_headings_in_code_are_none(text, expected):
    starts = section_starts(text, "heading").tolist()
    assert [text[a:b] for a, b in pairwise([*starts, len(text)])] == expected
