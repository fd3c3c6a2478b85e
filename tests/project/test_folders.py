"""Tests lie in the folder of the room they test."""

from pathlib import Path

import berrypick

TESTS = Path(__file__).parents[1]
#: Folders of tests that concern all rooms, or none.
OTHERS = {"contracts", "docs", "faults", "fuzz", "golden", "project"}


def test_every_folder_with_tests_is_a_room():
    rooms = Path(berrypick.__file__).parent
    folders = {path.parent.relative_to(TESTS) for path in TESTS.rglob("test_*.py")}
    assert not [str(one) for one in folders if str(one) not in OTHERS and not (rooms / one / "__init__.py").is_file()]


def test_helpers_are_in_one_folder():
    """Beside tests are none; the program that fuzzes is in its own folder."""
    others = {"conftest.py", "__init__.py"}
    loose = [path for path in TESTS.rglob("*.py") if not path.name.startswith("test_") and path.name not in others]
    assert {path.parent.relative_to(TESTS).parts[0] for path in loose} == {"helpers", "fuzz"}
