"""An index serves what the folder serves: the same structures, column by column, and the same numbers."""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import berrypick
from berrypick.data.collection import Collection
from berrypick.data.errors import InputError
from berrypick.documents.collection_files import is_index
from berrypick.documents.xml import build_index, read_index
from berrypick.documents.xml import lazy_structures as lazy
from berrypick.documents.xml import write as index_write
from berrypick.documents.xml.folder import read_folder
from berrypick.documents.xml.structure import Structure
from berrypick.evaluation.evaluation_context import read_collection

Command = Callable[..., Any]
COLUMNS = ("parent", "start", "end", "text_parent", "text_raw_length", "dropped")
CAMPAIGN = Path(berrypick.__file__).parent / "demo" / "campaign"
BROKEN = {"m/broken": "<a>\n<b></a>", "entity": '<!DOCTYPE a SYSTEM "no.dtd">\n<a>\n\n&nbsp;</a>', "zz": ""}


def document(chance: random.Random, names: list[str], depth: int = 0) -> str:
    """Something with sections, white space, comments, links, several scripts."""
    if depth > 3 or chance.random() < 0.3:
        word = chance.choice(
            ["word", "Wörter", "слово", "言葉", "a &amp; b", "x<!-- y -->z", "<![CDATA[<b>]]>", "<?p?>"]
        )
        return chance.choice(["", " ", "\n    "]) + word + chance.choice(["", " ", "\n"])
    inside = "".join(document(chance, names, depth + 1) for _ in range(chance.randrange(6)))
    tag = chance.choice(["sec", "p", "list", "item", "emph"])
    link = f' href="/{chance.choice(names)}.xml"' if chance.random() < 0.2 else ""
    return f"<{tag}{link}>{inside}</{tag}>" if inside else f"<{tag}{link}/>"


def filled(folder: Path, count: int, broken: bool = False) -> Path:
    chance = random.Random(count)
    names = [f"{'mn'[i % 2]}/{i:05d}" for i in range(count)]
    texts = {name: f"<article>{document(chance, [*names, 'elsewhere'])}</article>" for name in names}
    texts |= BROKEN if broken else {}
    for name, text in texts.items():
        path = folder / f"{name}.xml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return filled(tmp_path_factory.mktemp("made") / "docs", 300, broken=True)


@pytest.fixture(scope="module")
def index(folder: Path) -> Path:
    build_index(folder, folder.parent / "docs.index", jobs=1)
    return folder.parent / "docs.index"


def assert_same(one: Structure, other: Structure) -> None:
    assert (one.name, one.length, one.links) == (other.name, other.length, other.links)
    for column in COLUMNS:
        ours, theirs = getattr(one, column), getattr(other, column)
        assert ours.dtype == theirs.dtype == np.int64, column
        assert np.array_equal(ours, theirs), column


def readable(collection: Collection) -> Iterator[str]:
    return (name for name in collection.structures if name not in BROKEN)


# The same as the folder


@pytest.mark.slow
def test_structures_column_by_column(folder: Path, index: Path) -> None:
    ours, theirs = read_index(index), read_folder(folder)
    names = list(readable(theirs))
    assert list(ours.structures) == list(ours.lengths) == names
    assert len(ours) == len(ours.structures) == len(ours.lengths) == len(names) == 300
    links = 0
    for name in names:
        assert_same(ours.structures[name], theirs.structures[name])
        assert ours.lengths[name] == theirs.lengths[name]
        links += len(ours.structures[name].links)
    assert links > 50
    assert list(ours.lengths.values()) == [theirs.lengths[name] for name in names]
    assert dict(ours.lengths.items()) == {name: theirs.lengths[name] for name in names}
    assert ours.total == sum(ours.lengths.values()) and ours.mean_length == ours.total / 300


def test_points_and_passages(folder: Path, index: Path) -> None:
    ours, theirs = read_index(index), read_folder(folder)
    for name in list(readable(theirs))[::10]:
        one, other = ours.structures[name], theirs.structures[name]
        for node in range(len(other.text_parent)):
            path = f"{other.path(int(other.text_parent[node]))}/text()[{other.text_position[node]}]"
            for offset in {0, int(other.text_raw_length[node]) // 2, int(other.text_raw_length[node])}:
                assert one.offset_of_point(f"{path}.{offset}") == other.offset_of_point(f"{path}.{offset}")
        for offset in range(0, other.length + 1, 7):
            assert one.point_at(offset) == other.point_at(offset)
        assert one.paths == other.paths


@pytest.mark.slow
def test_small_batches(folder: Path, index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A large collection has many batches; here one gets a few documents."""
    whole = read_index(index)
    monkeypatch.setattr(index_write, "VALUES", 1)
    from berrypick.documents.xml import build as index_build

    monkeypatch.setattr(index_build, "DOCUMENTS", 7)
    build_index(folder, tmp_path / "small", jobs=1)
    small = read_index(tmp_path / "small")
    assert len(small.structures._source._batches) > 20  # type: ignore[attr-defined]
    assert list(small.lengths) == list(whole.lengths)
    for name in whole.structures:
        assert_same(small.structures[name], whole.structures[name])
    for name in ("", "m/00000", "m/000000", "zzz", "n/00299", "n/00300", "m/broken"):
        assert (name in small.lengths) == (name in whole.lengths) == (name in small.structures)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("truth", "run", "options"),
    [
        ("assessments.xml", "elements.xml", ["-m", "nxCG@10 MAep AiP EPRUM GRPng@0.1", "--user", "hierarchy"]),
        ("assessments.xml", "windows.run", ["-m", "nxCG@5 charP Overlap", "--ignore-elements", "title"]),
        ("assessments.xml", "context.xml", ["--task", "relevant-in-context", "--protocol", "inex2006"]),
        ("highlighted.qrels", "entries.run", ["-m", "BEPD EPRUM T2I(tolerance=300,budget=3000)", "--user", "bep"]),
        ("highlighted.qrels", "sections.xml", ["-m", "AgP nxCG@10"]),
    ],
)
def test_evaluation(berrypick: Command, tmp_path: Path, truth: str, run: str, options: list[str]) -> None:
    done = berrypick("index", CAMPAIGN / "collection", tmp_path / "c.index")
    assert done.code == 0 and done.out == ""
    told = []
    for collection in (CAMPAIGN / "collection", tmp_path / "c.index"):
        files = (CAMPAIGN / truth, CAMPAIGN / "runs" / run)
        done = berrypick("evaluate", *files, *options, "-q", "-o", "json", "--curves", "--collection", collection)
        told.append((done.code, done.out, done.err.replace(str(collection), "")))
    assert told[0] == told[1]
    assert told[0][0] == 0 and len(json.loads(told[0][1])) > 10


# Only what is asked for


def test_only_what_is_asked_for_is_read(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = 0
    pread = os.pread

    def counted(file: int, size: int, place: int) -> bytes:
        nonlocal read
        read += size
        return pread(file, size, place)

    monkeypatch.setattr(os, "pread", counted)
    collection = read_collection(index)
    assert read == 0
    first = collection.structures["m/00000"]
    size = index.stat().st_size
    assert 0 < read < size / 50
    assert collection.structures["m/00000"] is first
    (starts, values), _ = collection.structures._source._batches[0]._content("start")  # type: ignore[attr-defined]
    assert not values.flags.owndata and not starts.flags.owndata and not values.flags.writeable  # views of the file
    read = 0
    list(collection.structures.values())
    assert 0 < read < size


def test_where_files_cannot_be_read_in_pieces(folder: Path, index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "pread")
    ours, theirs = read_index(index), read_folder(folder)
    for name in ours.structures:
        assert_same(ours.structures[name], theirs.structures[name])


def test_an_index_in_use_may_be_replaced(folder: Path, index: Path, tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(index.read_bytes())
    collection = read_index(tmp_path / "x")
    before = collection.structures["m/00000"]
    build_index(filled(tmp_path / "docs", 3), tmp_path / "x", jobs=1)
    assert_same(read_index(index).structures["n/00299"], collection.structures["n/00299"])
    assert before is not None and "n/00299" not in read_index(tmp_path / "x").structures


def test_only_the_last_ones_are_kept(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lazy, "KEPT", 3)
    structures = read_index(index).structures
    first = structures["m/00000"]
    for name in list(structures)[:4]:
        structures[name]
    assert structures["m/00000"] is not first
    assert len(structures._kept) == 3  # type: ignore[attr-defined]


def test_another_process_maps_the_file_itself(index: Path) -> None:
    collection = read_index(index)
    name = next(iter(collection.structures))
    before = collection.structures[name]
    sent = pickle.dumps(collection)
    assert len(sent) < 2000
    assert_same(pickle.loads(sent).structures[name], before)


# Documents that could not be read


def test_broken_documents_are_told_of(berrypick: Command, folder: Path, tmp_path: Path) -> None:
    done = berrypick("index", folder, tmp_path / "x")
    assert (done.code, done.out) == (0, "")
    lines = done.err.splitlines()
    assert lines[0] == f"{folder}/entity.xml:4: the text has the entity &nbsp;; entities are not expanded"
    assert lines[1].startswith(f"{folder}/m/broken.xml:2: cannot be read as XML: ")
    assert lines[2].startswith(f"{folder}/zz.xml:1: cannot be read as XML")
    assert lines[3].startswith(f"note: {tmp_path / 'x'}: 300 documents, ")
    assert lines[4:] == ["note: 3 of 303 documents could not be read and were skipped"]


def test_broken_documents_are_not_there_and_say_why(index: Path) -> None:
    collection = read_index(index)
    for name in BROKEN:
        assert name not in collection.lengths and name not in collection.structures
        assert collection.lengths.get(name) is None
        with pytest.raises(KeyError):
            collection.lengths[name]
        with pytest.raises(InputError, match=rf"docs.index: document {name} could not be read .*: {name}.xml:\d+: "):
            collection.structures[name]
    with pytest.raises(KeyError):
        collection.structures["elsewhere"]
    assert 3 not in collection.lengths and "\udcff" not in collection.structures  # type: ignore[operator]


def test_nothing_could_be_read(berrypick: Command, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.xml").write_text("<a>")
    done = berrypick("index", tmp_path / "docs", tmp_path / "x")
    assert done.code == 0 and "1 of 1 documents could not be read" in done.err
    with pytest.raises(InputError, match="x: has no readable document"):
        read_index(tmp_path / "x")


# Files that are no index


def refused(berrypick: Command, path: Path) -> str:
    files = (CAMPAIGN / "assessments.xml", CAMPAIGN / "runs" / "elements.xml")
    done = berrypick("evaluate", *files, "-m", "nxCG@5", "--collection", path)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"berrypick: {path}") and "Traceback" not in done.err
    return str(done.err)


@pytest.mark.parametrize("share", [0.001, 0.1, 0.5, 0.9, 0.999])
def test_a_part_of_an_index(berrypick: Command, index: Path, tmp_path: Path, share: float) -> None:
    data = index.read_bytes()
    (tmp_path / "part").write_bytes(data[: int(len(data) * share)])
    message = refused(berrypick, tmp_path / "part")
    assert "not a complete Arrow file" in message and "berrypick index FOLDER FILE" in message


def test_a_damaged_index(berrypick: Command, index: Path, tmp_path: Path) -> None:
    data = bytearray(index.read_bytes())
    data[-200:-20] = bytes(180)
    (tmp_path / "damaged").write_bytes(data)
    refused(berrypick, tmp_path / "damaged")


def everything(path: Path) -> list[object]:
    """All that an index holds, in one comparable piece."""
    collection = read_index(path)
    found: list[object] = [dict(collection.lengths.items()), collection.total]
    for name, structure in collection.structures.items():
        assert collection.lengths[name] == structure.length
        found += [name, structure.name, structure.links, *(getattr(structure, c).tolist() for c in COLUMNS)]
    return found


@pytest.mark.slow
def test_damage_is_told_or_does_no_harm(tmp_path: Path) -> None:
    """Wherever bytes of the file are other ones: what it says is the same, or that it is damaged."""
    build_index(filled(tmp_path / "docs", 12), tmp_path / "x", jobs=1)
    data, whole = (tmp_path / "x").read_bytes(), everything(tmp_path / "x")
    chance, harmless = random.Random(1), 0
    for turn in range(600):
        damaged = bytearray(data)
        place, count = chance.randrange(len(data)), chance.choice([1, 1, 4, 64])
        damaged[place : place + count] = [bytes(count), chance.randbytes(count)][turn % 2][: len(data) - place]
        (tmp_path / "y").write_bytes(damaged)
        with contextlib.suppress(InputError):  # any other error would be seen
            assert everything(tmp_path / "y") == whole
            harmless += 1
    assert harmless < 300


def test_a_damaged_length(tmp_path: Path) -> None:
    build_index(filled(tmp_path / "docs", 12), tmp_path / "x", jobs=1)
    data, lengths = (tmp_path / "x").read_bytes(), list(read_index(tmp_path / "x").lengths.values())
    stored = np.array(lengths, dtype=np.int32)
    swapped = stored[[1, 0, *range(2, 12)]]  # the sum is the same
    assert stored[0] != stored[1] and data.count(stored.tobytes()) == 1
    (tmp_path / "x").write_bytes(data.replace(stored.tobytes(), swapped.tobytes()))
    collection = read_index(tmp_path / "x")
    for mapping in (collection.lengths, collection.structures):
        with pytest.raises(InputError, match="is damaged: the length of a document"):
            mapping["m/00000"]


def test_damage_in_a_document_is_told_with_its_name(berrypick: Command, tmp_path: Path) -> None:
    build_index(CAMPAIGN / "collection", tmp_path / "x", jobs=1)
    data = (tmp_path / "x").read_bytes()
    start, _ = read_index(tmp_path / "x").structures._source._batches[0]._content("start")  # type: ignore[attr-defined]
    stored = start.values.tobytes()
    assert data.count(stored) == 1
    (tmp_path / "x").write_bytes(data.replace(stored, bytes(len(stored))))
    message = refused(berrypick, tmp_path / "x")
    assert "is damaged: document " in message and "build it again: berrypick index FOLDER FILE" in message


def test_foreign_files(berrypick: Command, tmp_path: Path) -> None:
    import pyarrow as pa

    with pa.OSFile(str(tmp_path / "foreign"), "wb") as file:
        table = pa.table({"document": ["a"]})
        with pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table)
    assert "not the index of a collection" in refused(berrypick, tmp_path / "foreign")
    (tmp_path / "random").write_bytes(b"ARROW1\0\0" + bytes(range(256)) * 40)
    assert "not a complete Arrow file" in refused(berrypick, tmp_path / "random")
    (tmp_path / "begun").write_bytes(b'{"berrypick index": "unfinished", "folder": "x"}\n')
    assert "unfinished index" in refused(berrypick, tmp_path / "begun")
    (tmp_path / "noise").write_bytes(bytes(range(256)) * 40)
    refused(berrypick, tmp_path / "noise")
    assert not is_index(tmp_path / "noise") and not is_index(tmp_path / "missing")


def test_an_index_of_a_later_version(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_write, "VERSION", 99)
    build_index(folder, tmp_path / "later", jobs=1)
    monkeypatch.undo()
    with pytest.raises(InputError, match="later: is an index of another version, written by berrypick"):
        read_index(tmp_path / "later")


def test_without_pyarrow(berrypick: Command, index: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "pyarrow.ipc", None)
    done = berrypick("index", folder, "never-written")
    assert done.code == 2 and "needs pyarrow: pip install" in done.err
    files = (CAMPAIGN / "assessments.xml", CAMPAIGN / "runs" / "elements.xml")
    done = berrypick("evaluate", *files, "-m", "nxCG@5", "--collection", index)
    assert done.code == 2 and "needs pyarrow: pip install" in done.err


# For others


def test_other_programs_can_read_it(folder: Path, index: Path) -> None:
    """As docs/reference/formats/collection-index.md says."""
    import polars as pl
    import pyarrow as pa

    collection = read_folder(folder)
    with pa.memory_map(str(index)) as file:
        table = pa.ipc.open_file(file).read_all()
    assert table.num_rows == 303
    row = table.slice(5, 1).to_pylist()[0]
    structure = collection.structures[row["document"]]
    assert tuple(row["name"]) == structure.name and row["length"] == structure.length
    assert row["parent"] == structure.parent.tolist() and row["end"] == structure.end.tolist()
    documents = table["document"].to_pylist()
    targets = [documents[place] for place in row["link_document"]]
    assert list(zip(row["link_element"], targets, strict=True)) == list(structure.links)
    said = json.loads(table.schema.metadata[b"berrypick index"])
    assert (said["version"], said["documents"], said["unreadable"]) == (1, 300, 3)
    frame = pl.read_ipc(index)
    sections = frame.select(pl.col("name").explode().cast(pl.String)).to_series().eq("sec").sum()
    assert sections == sum(collection.structures[name].name.count("sec") for name in readable(collection))


@pytest.mark.slow
def test_importing_berrypick_does_not_import_arrow(process: Command, tmp_path: Path) -> None:
    import subprocess
    import sys

    code = "import sys, berrypick.cli; print([name for name in ('pyarrow', 'pandas') if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout.strip() == b"[]"
    filled(tmp_path / "docs", 3)
    build_index(tmp_path / "docs", tmp_path / "x", jobs=1)
    code = (
        "import sys; from berrypick.evaluation.evaluation_context import read_collection as read; "
        f"print(len(read({str(tmp_path / 'x')!r}).structures['m/00000']) > 0, 'pandas' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout.split() == [
        b"True",
        b"False",
    ]
