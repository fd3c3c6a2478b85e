"""Small data sets of the form of those that experiments read, and a server that offers them."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import random
import tarfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

WORDS = (
    "frost", "blossom", "cane", "autumn", "compost", "water", "prune", "root", "leaf", "mulch", "berry", "soil",
    "graft", "bee", "pollen", "shade",
)  # fmt: skip
TEXTS = ("chatlogs", "finance", "pubmed", "state_of_the_union", "wikitexts")


def package(files: dict[str, str]) -> bytes:
    """A Debian package."""
    inner = io.BytesIO()
    with tarfile.open(fileobj=inner, mode="w:xz") as archive:
        for name, text in files.items():
            entry = tarfile.TarInfo(f"./{name}")
            entry.size = len(text.encode())
            archive.addfile(entry, io.BytesIO(text.encode()))
    parts = [("debian-binary", b"2.0\n"), ("control.tar.xz", b"odd"), ("data.tar.xz", inner.getvalue())]
    return b"!<arch>\n" + b"".join(
        f"{name:<16}{0:<12}{0:<6}{0:<6}{100644:<8}{len(body):<10}`\n".encode() + body + b"\n" * (len(body) % 2)
        for name, body in parts
    )


def sentences(chance: random.Random, number: int) -> str:
    return " ".join(f"{' '.join(chance.choices(WORDS, k=7)).capitalize()}." for _ in range(number))


def made_files(names: dict[str, list[str]]) -> dict[str, dict[str, bytes]]:
    """The content of every data set, under the names that it has in the catalogue."""
    chance = random.Random(1)
    pages = {
        f"usr/share/help/C/p{i}.page": f"<page><title>{WORDS[i]} {WORDS[i + 1]}</title>"
        + "".join(
            f"<section><p>{sentences(chance, 2)} <link xref='p{(i + step) % 9}'>{WORDS[(i + step) % 9]}</link> "
            f"{sentences(chance, 1)}</p><p>{sentences(chance, 3)}</p></section>"
            for step in (1, 2, 3, 4)
        )
        + "</page>"
        for i in range(9)
    }
    manual = [f"<p>{sentences(chance, 6)}</p>" for _ in range(20)]
    versions = ["".join(manual), "".join(["<p>New here.</p>", *manual[:5], *manual[7:]])]
    texts = {
        name: sentences(chance, 140) for name in ("chatlogs", "finance", "pubmed", "state_of_the_union", "wikitexts")
    }
    games = ["Bird", *(f"p{i}" for i in range(1, 8))]
    links = [f"{games[i]}\t{games[j]}" for i in range(8) for j in range(8) if (j - i) % 8 in (2, 3, 5)]
    starts = [chance.choice((0, 1)) for _ in range(300)]  # each with a page of its own
    walks = [
        [games[page] for page in (start, start + 2, *chance.choices(range(4, 8), k=chance.randint(1, 5)))]
        for start in starts
    ]
    articles = [f"Page {i}" for i in range(8)]
    made = {
        "agent-sessions": [change_file(len(names["agent-sessions"]) - 1),
                           *(session_file(chance, i) for i in range(len(names["agent-sessions"]) - 1))],
        "wikirace": [race_file(chance, articles)],
        "gnome-user-docs": [package(pages)],
        "postgresql-doc": [
            package({"usr/share/doc/postgresql-doc-15/html/a.html": version}) for version in versions
        ],
        "chunking-evaluation": [*(text.encode() for text in texts.values()), questions(chance, texts).encode()],
        "inex2009-2010": [
            "".join(f"{t} Q0 {d} 300 1000 100 {100 * d}:300\n" for t in range(1, 9) for d in range(1, 4)).encode(),
            *("".join(
                f"{t} Q0 {chance.randint(1, 6)} {rank} {9 - rank} run{number} {200 * rank} 150\n"
                for t in range(1, 9) for rank in range(1, 7)
            ).encode() for number in range(3)),
        ],
        "wikispeedia": [
            "\n".join(["# links", *links]).encode(),
            "\n".join(["# games", *map(";".join, walks[:200])]).encode(),
            "\n".join(["# games", *(f"a\tb\tc\t{';'.join(walk)}\tp7\ttimeout" for walk in walks[200:])]).encode(),
        ],
    }  # fmt: skip
    return {name: dict(zip(names[name], parts, strict=True)) for name, parts in made.items()}


def change_file(issues: int) -> bytes:
    """Changes of one line of a file, another one for each issue."""
    rows = []
    for i in range(issues):
        line = 2 + 37 * i % 139
        patch = f"--- a/a.py\n+++ b/a.py\n@@ -{line - 1},3 +{line - 1},3 @@\n old\n-wrong\n+right\n old\n"
        rows.append(json.dumps({"instance_id": f"issue-{i}", "patch": patch}))
    return "".join(row + "\n" for row in rows).encode()


def session_file(chance: random.Random, number: int) -> bytes:
    """A session that reads some of one file and leaves it, then some of that which has to be changed."""
    common = {"sessionId": f"s{number}", "cwd": "/testbed"}
    rows: list[dict[str, object]] = [
        {"type": "user", **common, "message": {"role": "user", "content": f"instance_id: issue-{number}"}}
    ]
    for i, (name, lines) in enumerate(
        (("b.py", chance.randint(5, 200)), ("a.py", chance.randint(20, 120)), ("c.py", 9))
    ):
        path = f"/testbed/{name}"
        call = {"type": "tool_use", "id": f"t{i}", "name": "Read", "input": {"file_path": path}}
        spent = {"input_tokens": 50 + 12 * lines, "output_tokens": 40}
        asked = {"id": f"m{number}-{i}", "role": "assistant", "content": [call], "usage": spent}
        rows.append({"type": "assistant", **common, "message": asked})
        file = {"filePath": path, "startLine": 1, "numLines": lines, "totalLines": 400}
        result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"t{i}"}]}
        rows.append({"type": "user", **common, "message": result, "toolUseResult": {"file": file}})
    return gzip.compress("".join(json.dumps(row) + "\n" for row in rows).encode(), mtime=0)


def race_file(chance: random.Random, articles: list[str]) -> bytes:
    """Games on a ring of pages with short cuts, in which the goal is followed where it is linked, mostly."""
    runs = []
    for start in articles:
        for goal in articles:
            page, steps = start, [start]
            while page != goal and len(steps) <= 6 and start != goal and chance.random() > 0.1:
                links = [articles[(articles.index(page) + step) % len(articles)] for step in (1, 2, 5)]
                page = goal if goal in links and chance.random() < 0.7 else chance.choice(links)
                steps.append(page)
            result = "win" if page == goal else "move" if len(steps) == 7 else "lose"
            pages = [{"type": "move" if i else "start", "article": one} for i, one in enumerate(steps)]
            if start != goal:
                runs.append({"result": result, "start_article": start, "destination_article": goal, "steps": pages})
    return json.dumps({"max_steps": 6, "runs": runs}).encode()


def questions(chance: random.Random, texts: dict[str, str]) -> str:
    lines = ["question,references,corpus_id"]
    for name, text in texts.items():
        for _ in range(4):
            start = chance.randrange(len(text) - 80)
            reference = {"content": text[start : start + 60], "start_index": start, "end_index": start + 60}
            quoted = json.dumps([reference]).replace('"', '""')
            lines.append(f'{" ".join(text[start : start + 60].split()[1:6]).strip(".")},"{quoted}",{name}')
    return "\n".join(lines) + "\n"


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a folder, offered on this machine alone."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
