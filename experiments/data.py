"""The data of the experiments: from a folder, or fetched by name and checksum.

    python experiments/data.py                          what there is, and where it is here
    python experiments/data.py NAME ... [--data FOLDER] fetch what is missing of these

Files are looked for in FOLDER/NAME, where FOLDER is given by --data or $BERRYPICK_DATA, then in
experiments/fetched/NAME. What is in neither is fetched into the latter, if somebody offers it: written under its name
only when it is complete and has the right checksum. Where there is no network, a folder with the same files is enough.

Every file is checked before an experiment reads it. Another edition gives other numbers than the tables of the pages,
so it is refused, unless --unchecked says that other numbers are wanted.
"""

from __future__ import annotations

import argparse
import atexit
import contextlib
import hashlib
import io
import os
import sys
import tarfile
import tempfile
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from http.client import HTTPException
from lzma import LZMAError
from pathlib import Path, PurePosixPath
from urllib.error import HTTPError, URLError

from berrypick.data.errors import BerrypickError

#: Where fetched files are kept.
FETCHED = Path(__file__).parent / "fetched"
#: A server that says nothing for so long is down; it decides whether there is data, never what a table says.
PATIENCE = 60


_HOMES = contextlib.ExitStack()
atexit.register(_HOMES.close)


class DataError(BerrypickError):
    """Data that are not there, or are not those of the tables."""


@dataclass(frozen=True)
class File:
    """A file of a data set: its name there, its size and checksum, and who offers it. Nobody: from a folder only."""

    name: str
    size: int
    sha256: str
    addresses: tuple[str, ...] = ()


def _chunking(commit: str, folder: str) -> str:
    return f"https://raw.githubusercontent.com/brandonstarxel/chunking_evaluation/{commit}/{folder}/"


_NEW = _chunking(
    "35440b84e4564663157b825faec5968d4375399d", "src/chunking_evaluation/evaluation_framework/general_evaluation_data"
)
_OLD = _chunking("b926185fa343bb3e67c091f2ba22d9320d3000e9", "chunking_evaluation/benchmarking/general_benchmark_data")
_OLDEST = _chunking("e2e3dfd1a7cf6d46facf2b78338396111f9b42b5", "chroma_research/benchmarking/general_benchmark_data")
_IPCS = "https://raw.githubusercontent.com/Zendelo/ipcs/"
_DEBIAN, _SNAPSHOT = "https://deb.debian.org/", "https://snapshot.debian.org/archive/"


def _listed(name: str) -> tuple[File, ...]:
    """Many files, by a list beside this one: size, checksum, name."""
    rows = (line.split() for line in (Path(__file__).parent / name).read_text(encoding="utf-8").splitlines())
    return tuple(File(own, int(size), sha256) for size, sha256, own in rows)


def _package(archive: str, moment: str, path: str, size: int, sha256: str) -> File:
    """A Debian package: the archive of a release has it for some years, the snapshots for good."""
    places = (f"{_DEBIAN}{archive}/pool/{path}", f"{_SNAPSHOT}{archive}/{moment}/pool/{path}")
    return File(PurePosixPath(path).name, size, sha256, places)


#: The licences are those of the owners; nothing of this is part of berrypick.
CATALOGUE: dict[str, tuple[File, ...]] = {
    # 351 pages of help, which link to each other
    "gnome-user-docs": (
        _package(
            "debian", "20230601T000000Z", "main/g/gnome-user-docs/gnome-user-docs_43.0-2_all.deb",
            8523220, "0d635a840747958ca84da778b40d341f1155603851f922c9a171f5a181d6a39f",
        ),
    ),
    # two versions of one manual
    "postgresql-doc": (
        _package(
            "debian", "20261114T000000Z", "main/p/postgresql-15/postgresql-doc-15_15.18-0+deb12u1_all.deb",
            2096084, "3c598277a463c44d672daa2c335deb8d8252e1852fb025fd4578ea2d9a1b90f0",
        ),
        _package(
            "debian-security", "20261116T000000Z",
            "updates/main/p/postgresql-15/postgresql-doc-15_15.20-0+deb12u1_all.deb",
            2124920, "4c44bf2c599f208b3f46454a6cf7a72e25ec46ff74d37b59dd31ad76b00eebb7",
        ),
    ),
    # 472 questions about five texts (MIT licence)
    "chunking-evaluation": (
        File("corpora/chatlogs.md", 40013, "543a98f82b2a6a492349fd7f8c9d6c3e78d1a4af81d13c79a7fd513c3f65bda6",
             (f"{_NEW}corpora/chatlogs.md", f"{_OLD}corpora/chatlogs.md")),
        File("corpora/finance.md", 737905, "1c48d0156820abc88e46e5c992fa0cd2708b07ae59a3771b2b18234b7208561f",
             (f"{_NEW}corpora/finance.md", f"{_OLD}corpora/finance.md")),
        File("corpora/pubmed.md", 501965, "0fd9242ffb253695e5d0f0215cb79a66a2a8f1236591e764c60d370747684ced",
             (f"{_NEW}corpora/pubmed.md",)),
        File("corpora/state_of_the_union.md", 48995, "6fc21d560d31eb2421e337596feea0f83f1fa9ca02c6c4e47bc26959d7531b37",
             (f"{_NEW}corpora/state_of_the_union.md", f"{_OLD}corpora/state_of_the_union.md")),
        File("corpora/wikitexts.md", 118612, "74cafcdb771185ecb9f22cc41b73e2e44477e0636ecf9cf1f96fd6ee0f4b86c0",
             (f"{_NEW}corpora/wikitexts.md", f"{_OLDEST}corpora/wikitexts.md")),
        File("questions_df.csv", 236464, "3ab3901889b8900f43775537bf12d36bd6614255fc59124faca31bede1dda7a3",
             (f"{_NEW}questions_df.csv",)),
    ),
    # highlighted passages of 120 topics, and three runs; two of them are in folders only
    "inex2009-2010": (
        File("inex2009-2010.qrels", 523956, "e524dde96dcb84e1dc7fb3166881479ede760832e307701d366326cd5abe0ac6",
             (f"{_IPCS}c38cbf44f3de60f4ea6ec78004248929ffafd200/INEX_Qrels.txt",)),
        File("runs/bert_inex_converted_1.run", 999850,
             "f4a24b0c8ea62766eba66cdb261a97c97efd52f7c4ed04d81b51e093468ddb93",
             (f"{_IPCS}e6942bb26352be371e498673fa27d51924e57584/bert_inex_converted_1.run",)),
        File("runs/indri_passages_ric.run", 1789420,
             "7153f4ae673d9b28bd24f02689a0c0beffc4458a5c8806485efc9e1a93cb0b0c"),
        File("runs/indri_first_bic.run", 545721, "eb14c79f524310e155e51a8b382e739f40c26ecba2c85895f7ab5c1f0fb10b75"),
    ),
    # links and recorded games; the games are an edition with clicks back resolved, which is in folders only
    "wikispeedia": (
        File("links.tsv", 3107133, "fc2352342a87b993c077e34233e4ca0a980968ba4587c491f24e1f11e823a24d"),
        File("paths_finished.tsv", 3513866, "fa0c19a602dcd1da957248cad7d0a4cd90605d354592efd6e7c935a1bb5af3e0"),
        File("paths_unfinished.tsv", 2694193, "499cf277fc4031034b3d47af775b32b4caf500c7c321c92357ba8688c755ff39"),
    ),
    # sessions of a coding assistant, and the changes that its issues needed; in folders only
    "agent-sessions": (
        File("patches.jsonl", 169108, "9687f952940f5f3c3aceee077dba86252815dfb79f7e5143e210a2f637f43f6b"),
        *_listed("agent_sessions.sha256"),
    ),
    # games of a language model; in folders only
    "wikirace": (
        File("qwen3.json", 875356, "222352647ff484f1871c46e0aad32fbafbf2dab37609d1c502b280e9765ab9aa"),
    ),
}  # fmt: skip


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(CATALOGUE)}")
    add_options(parser)
    given = parser.parse_args(words)
    with told():
        for name in given.names:
            needed(name, given.data, given.unchecked)
        for name in given.names or CATALOGUE:
            for file in _files(name):
                place = next((p for p in _places(name, file, given.data) if p.is_file()), None)
                print(f"{name}/{file.name}: {place or 'not here' + ('' if file.addresses else ', and not offered')}")


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, help="folder with the data sets [default: $BERRYPICK_DATA]")
    parser.add_argument("--unchecked", action="store_true", help="take files that are not those of the pages' tables")


@contextlib.contextmanager
def told() -> Iterator[None]:
    """Say in one line what is wrong with data or options, and leave with code 2."""
    try:
        yield
    except BerrypickError as error:
        print(f"experiments: {error}", file=sys.stderr)
        raise SystemExit(2) from None


def needed(name: str, data: Path | None = None, unchecked: bool = False) -> Mapping[str, Path]:
    """The files of a data set by their names in it: from the folder, or fetched; each of them checked."""
    return {file.name: _needed(name, file, data, unchecked) for file in _files(name)}


def _files(name: str) -> tuple[File, ...]:
    if name not in CATALOGUE:
        raise DataError(f"there is no data set {name!r}; there are {', '.join(CATALOGUE)}")
    return CATALOGUE[name]


def _places(name: str, file: File, data: Path | None) -> list[Path]:
    given = data or (Path(os.environ["BERRYPICK_DATA"]) if os.environ.get("BERRYPICK_DATA") else None)
    return [folder / name / file.name for folder in (given, FETCHED) if folder is not None]


def _needed(name: str, file: File, data: Path | None, unchecked: bool) -> Path:
    places = _places(name, file, data)
    for place in places:
        if place.is_file():
            return place if unchecked else _checked(place, file)
    levels = len(Path(name, file.name).parts)
    missing = f"{name}/{file.name} is not in {' or '.join(str(place.parents[levels - 1]) for place in places)}"
    remedy = "name a folder that has it with --data or $BERRYPICK_DATA"
    if not file.addresses:
        raise DataError(f"{missing}, and nobody offers it; {remedy}")
    reasons = []
    for address in file.addresses:
        try:
            return _fetched(address, FETCHED / name / file.name, file)
        except HTTPError as error:
            error.close()
            reasons.append(f"{address}: {error}")
        except (OSError, HTTPException, DataError) as error:
            reasons.append(f"{address}: {error.reason if isinstance(error, URLError) else error}")
    raise DataError(f"{missing}, and could not be fetched ({'; '.join(reasons)}); {remedy}")


def _checked(place: Path, file: File) -> Path:
    found = hashlib.sha256(place.read_bytes()).hexdigest()
    if found != file.sha256:
        raise DataError(
            f"{place}: not the file of the pages' tables (sha256 {found[:12]}.., not {file.sha256[:12]}..); "
            "remove it to have it fetched, or take it as it is with --unchecked"
        )
    return place


def _fetched(address: str, place: Path, file: File) -> Path:
    """The file, under its name once it is complete and right; what is not is removed."""
    with urllib.request.urlopen(address, timeout=PATIENCE) as answer:
        content = answer.read(file.size + 1)
    if len(content) != file.size or hashlib.sha256(content).hexdigest() != file.sha256:
        raise DataError("gives another file than that of the pages' tables, which was not kept")
    place.parent.mkdir(parents=True, exist_ok=True)
    partial = place.with_name(f".{place.name}.{os.getpid()}")
    try:
        partial.write_bytes(content)
        partial.replace(place)
    finally:
        partial.unlink(missing_ok=True)
    print(f"fetched {address}", file=sys.stderr)
    return place


def unpacked(package: Path, below: str) -> Path:
    """A folder of a Debian package. It is there until the program ends: documents are read when they are needed."""
    home = Path(_HOMES.enter_context(tempfile.TemporaryDirectory()))
    try:
        _unpack(package.read_bytes(), below, home)
    except (ValueError, EOFError, LZMAError, tarfile.TarError) as error:
        raise DataError(f"{package}: not a Debian package ({error})") from None
    if not any(home.iterdir()):
        raise DataError(f"{package}: there is no folder {below}")
    return home


def _unpack(package: bytes, below: str, home: Path) -> None:
    with tarfile.open(fileobj=io.BytesIO(_member(package, "data.tar"))) as archive:
        for one in archive:
            name = PurePosixPath(one.name)
            if not one.isfile() or not name.is_relative_to(below) or ".." in name.parts:
                continue
            content = archive.extractfile(one)
            assert content is not None
            place = home / name.relative_to(below)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content.read())


def _member(package: bytes, name: str) -> bytes:
    """A member of an ar archive: each has a header of 60 bytes, and begins at an even offset."""
    place = 8
    while package.startswith(b"!<arch>\n") and place + 60 <= len(package):
        header = package[place : place + 60]
        size = int(header[48:58])
        if header.decode("latin-1").startswith(name):
            return package[place + 60 : place + 60 + size]
        place += 60 + size + size % 2
    raise ValueError(f"it has no {name}")


if __name__ == "__main__":
    main()
