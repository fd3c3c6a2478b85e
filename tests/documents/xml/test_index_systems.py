"""The index on Windows, as far as it can be simulated: open files, drives, locks."""

from __future__ import annotations

import errno
import ntpath
import os
import sys
import types

import pytest

import berrypick as bp
from berrypick.documents.xml import build as index_build
from berrypick.documents.xml import build_index, partial


@pytest.fixture
def collection(tmp_path):
    (tmp_path / "xml").mkdir()
    for number in range(3):
        (tmp_path / "xml" / f"{number}.xml").write_text(f"<a><b>{number}</b><c>text</c></a>", encoding="utf-8")
    return tmp_path / "xml"


def test_an_index_is_built_and_replaced(windows_files, collection, tmp_path):
    target = tmp_path / "x.idx"
    for _ in range(2):
        build_index(collection, target)
        assert sorted(path.name for path in tmp_path.iterdir()) == ["x.idx", "xml"], "no file is left"
        assert len(bp.read_collection(target).structures) == 3  # closed again when it is not used any more


def test_an_index_that_is_open_is_not_replaced_and_the_message_says_so(windows_files, collection, tmp_path):
    target = tmp_path / "x.idx"
    build_index(collection, target)
    before, used = target.read_bytes(), bp.read_collection(target)
    (collection / "3.xml").write_text("<a>more</a>", encoding="utf-8")
    with pytest.raises(bp.InputError, match=r"cannot be replaced \(Access is denied\)\n  close it in this and other"):
        build_index(collection, target)
    assert target.read_bytes() == before and len(used.structures) == 3
    del used
    build_index(collection, target)
    assert len(bp.read_collection(target).structures) == 4
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x.idx", "xml"]


def test_a_target_on_another_drive(monkeypatch):
    """ntpath is the os.path of Windows; it has no path from one drive to another."""
    monkeypatch.setattr(index_build.os, "path", types.SimpleNamespace(
        isdir=lambda path: not path.endswith("idx"), exists=lambda path: True, realpath=ntpath.normpath,
        relpath=ntpath.relpath, dirname=ntpath.dirname))  # fmt: skip
    with pytest.raises(ValueError, match="mount"):
        ntpath.relpath("D:\\x.idx", "C:\\xml")
    index_build._check_target("D:\\x.idx", "C:\\xml", {})


@pytest.mark.parametrize("held", [False, True])
def test_locks_of_windows(held, monkeypatch, tmp_path):
    calls = []

    def locking(descriptor, mode, count):
        calls.append((os.lseek(descriptor, 0, os.SEEK_CUR), mode, count))
        if held:
            raise OSError(errno.EACCES, "Permission denied")

    monkeypatch.setitem(sys.modules, "fcntl", None)
    monkeypatch.setitem(sys.modules, "msvcrt", types.SimpleNamespace(locking=locking, LK_NBLCK=2))
    if held:
        with pytest.raises(bp.InputError, match="is being written by another process"):
            partial.Partial(str(tmp_path / "x.partial"), {})
    else:
        partial.Partial(str(tmp_path / "x.partial"), {}).close()
    assert calls == [(1 << 30, 2, 1)], "a byte beyond the content"
