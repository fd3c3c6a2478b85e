"""Check that a release is ready, and build it: ``make release``.

Where the repository and the site are is written in scripts/addresses.json alone. From there it gets into the metadata
of the package, its README (whose links and pictures become absolute for the package index), the citation and the site.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
ADDRESSES = "scripts/addresses.json"
_LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!\w+:|#)([^)\s]+)\)")


def version(root: Path = ROOT) -> str:
    text = (root / "src/berrypick/_version.py").read_text("utf-8")
    found = re.search(r'"(.+)"', text)
    assert found is not None
    return found[1]


def addresses(root: Path = ROOT) -> tuple[str, str]:
    """Where the repository and the site are; '' if that is not known."""
    known = json.loads((root / ADDRESSES).read_text("utf-8"))
    return known["repository"].rstrip("/"), known["site"]


def problems(root: Path = ROOT) -> list[str]:
    """What has to be done before a release, one line each."""
    found = []
    number = version(root)
    for name, address in zip(("repository", "site"), addresses(root), strict=True):
        if not address.startswith("https://"):
            found.append(f"{ADDRESSES}: fill in the address of the {name}")
    heading = re.search(r"^## (.+)$", (root / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    dated = re.fullmatch(rf"{re.escape(number)} \((\d{{4}}-\d\d-\d\d)\)", heading[1]) if heading else None
    if dated is None:
        found.append(f"CHANGELOG.md: name the topmost section {number} (YYYY-MM-DD)")
    citation = (root / "CITATION.cff").read_text("utf-8")
    if not re.search(rf'^version: "?{re.escape(number)}"?$', citation, re.MULTILINE):
        found.append(f"CITATION.cff: set version to {number}")
    if dated is not None and not re.search(rf'^date-released: "?{dated[1]}"?$', citation, re.MULTILINE):
        found.append(f"CITATION.cff: set date-released to {dated[1]}")
    return found


def absolute_links(text: str, repository: str) -> str:
    """Relative links and pictures of the README, for a page outside of the repository."""

    def link(match: re.Match[str]) -> str:
        kind = "raw" if match[1] else "blob"
        return f"{match[1]}[{match[2]}]({repository}/{kind}/main/{match[3]})"

    return _LINK.sub(link, text)


def stage(folder: Path, root: Path = ROOT) -> None:
    """A copy of what git has, with the addresses filled in."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, check=True)
    for name in filter(None, listed.stdout.decode().split("\0")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(root / name, folder / name)
    repository, site = addresses(root)
    readme, settings, citation = (folder / name for name in ("README.md", "pyproject.toml", "CITATION.cff"))
    readme.write_text(absolute_links(readme.read_text("utf-8"), repository), "utf-8")
    urls = f'[project.urls]\nDocumentation = "{site}"\nSource = "{repository}"\nIssues = "{repository}/issues"\n\n'
    text = settings.read_text("utf-8")
    settings.write_text(text.replace("[project.scripts]\n", f"{urls}[project.scripts]\n"), "utf-8")
    citation.write_text(f"{citation.read_text('utf-8')}repository-code: {repository}\nurl: {site}\n", "utf-8")


def build(out: Path) -> None:
    """The source distribution and a wheel for this Python, checked as the package index will."""
    with tempfile.TemporaryDirectory() as folder:
        stage(Path(folder))
        subprocess.run([sys.executable, "-m", "build", "--outdir", str(out), folder], check=True)
    subprocess.run([sys.executable, "-m", "twine", "check", "--strict", *map(str, out.iterdir())], check=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="only say what is missing")
    parser.add_argument("--stage", type=Path, metavar="FOLDER", help="only write what is built, with the addresses")
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="where the files are written")
    chosen = parser.parse_args()
    found = problems()
    changed = subprocess.run(["git", "status", "--porcelain"], cwd=ROOT, capture_output=True, text=True, check=True)
    if changed.stdout:
        found.append("git: commit or drop what is changed")
    for line in found:
        print(line, file=sys.stderr)
    if found or chosen.check:
        return 1 if found else 0
    if chosen.stage:
        stage(chosen.stage)
        return 0
    chosen.out.mkdir(exist_ok=True)
    if any(chosen.out.iterdir()):
        print(f"{chosen.out} is not empty: remove what earlier releases left there", file=sys.stderr)
        return 1
    build(chosen.out)
    print(f"Built. Next: git tag v{version()}, push it, and let the workflow upload the wheels.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
