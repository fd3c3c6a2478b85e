"""Cases that share a test are all called, and all that fail are told."""

from __future__ import annotations

import pytest
from many_cases import each


def test_all_are_called_and_all_failures_are_told(tmp_path):
    seen = []

    @each(["name", "value"], [("one", 1), ("two", 2), ("three", 3)], ids=["first", "second", "third"])
    def check(name, value, tmp_path):
        seen.append((name, value, tmp_path.name))
        assert list(tmp_path.iterdir()) == []
        (tmp_path / "file").touch()
        assert value == 2, f"value of {name}"

    with pytest.raises(pytest.fail.Exception) as failed:
        check(tmp_path=tmp_path)
    assert [name for name, _, _ in seen] == ["one", "two", "three"]
    assert len({folder for _, _, folder in seen}) == 3
    told = str(failed.value)
    assert told.startswith("2 of 3 cases failed")
    assert "--- first" in told and "value of one" in told and "--- third" in told and "second" not in told


def test_an_exception_that_did_not_come_is_a_failure():
    @each("value", [1])
    def check(value):
        with pytest.raises(ValueError, match="invalid"):
            int(value)

    with pytest.raises(pytest.fail.Exception, match="1 of 1 cases failed"):
        check()


def test_what_does_not_apply_is_skipped_as_ever():
    @each("value", [1])
    def check(value):
        pytest.skip("not here")

    with pytest.raises(pytest.skip.Exception, match="not here"):
        check()


@each("value", [1, 2])
def test_fixtures_and_parameters_reach_the_cases(value, files, capsys):
    print(value)
    assert capsys.readouterr().out == f"{value}\n"
    assert callable(files)


@pytest.mark.parametrize("other", ["a", "b"])
@each("value", [1, 2])
@pytest.mark.parametrize("third", [3])
def test_beside_parameters(value, other, third):
    assert value in (1, 2) and other in "ab" and third == 3
