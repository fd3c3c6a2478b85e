"""The files of the documentation's examples, for those who have the package alone."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from berrypick.data.errors import InputError, UsageError

#: Folders of this package that the documentation names beside its own files.
PARTS = ("campaign", "rag", "video", "web")
#: The small folder of a first evaluation, by the path of each file among the documentation's examples.
FIRST_FILES = {
    "truth.jsonl": "chunks/truth.jsonl",
    "golden.json": "chunks/golden.json",
    "100.jsonl": "chunks/100.jsonl",
    "400.jsonl": "chunks/400.jsonl",
    "texts/compost.md": "chunks/texts/compost.md",
    "texts/raspberries.md": "chunks/texts/raspberries.md",
    "answers.qrels": "answers.qrels",
    "mine.run": "mine.run",
    "other.run": "other.run",
    "clicks.tsv": "clicks.tsv",
}


def example_files() -> dict[str, Path]:
    """Find every file that the documentation's commands read, by its path in the folder where they are typed."""
    here = Path(__file__).resolve().parent
    packed = here / "examples"  # in a wheel; a checkout has them beside its documentation
    places = {"": packed if packed.is_dir() else here.parents[2] / "docs" / "examples"}
    places |= {f"{part}/": here / part for part in PARTS}
    found = {
        prefix + path.relative_to(place).as_posix(): path
        for prefix, place in places.items()
        for path in sorted(place.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }
    return found | {name: found[source] for name, source in FIRST_FILES.items()}


def first_files() -> dict[str, Path]:
    """Find the files of a first evaluation, by their path in the folder where its commands are typed."""
    return {name: path for name, path in example_files().items() if name in FIRST_FILES}


def copy_examples(folder: str | Path, files: Mapping[str, Path]) -> list[Path]:
    """Copy files of the examples into a folder that is new or empty, and return where they are."""
    target = Path(folder)
    try:
        if not str(folder) or (target.exists() and (not target.is_dir() or any(target.iterdir()))):
            raise UsageError(f"refusing to overwrite {str(folder)!r}; name a folder that is new or empty")
        target.mkdir(exist_ok=True)
        try:
            return [_copied(source, target / name) for name, source in files.items()]
        except BaseException:  # half of the files would look like all of them
            for path in target.iterdir():
                shutil.rmtree(path) if path.is_dir() else path.unlink()
            raise
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "not a valid file name"
        raise InputError(f"cannot be written ({why})", path=str(folder)) from None


def _copied(source: Path, target: Path) -> Path:
    target.parent.mkdir(parents=True, exist_ok=True)
    return Path(shutil.copyfile(source, target))
