"""Commands on damaged files, with options found by themselves: exit codes, one message, nothing half-written."""

from __future__ import annotations

import io
import json
import os
import random
import shutil
from contextlib import redirect_stderr, redirect_stdout
from functools import cached_property
from pathlib import Path
from tempfile import mkdtemp

import click
import mutators
from format_samples import sample
from fuzz_targets import ARTICLE, DOCUMENTS, EVALUATIONS, Target, holds

from berrypick import formats, users
from berrypick.cli import cli, command_names, main

#: How each command is called. T and R are a truth and a run; the other words in capitals are files of :func:`texts`,
#: OUT... what is written.
CALLS: dict[str, list[str]] = {
    "evaluate": ["T R -m MEASURE", "T R -m AP -q", "T R -m EPRUM --collection X", "T R -m charR@2 --documents D"],
    "compare": ["T R R -m AP", "S S", "T R R -m AP --fail-under AP=0.5"],
    "report": ["T R -m AP --html OUT.html"],
    "plot": ["T R OUT.svg -m AP"],
    "explain": ["T R --topic 1 -m MEASURE"],
    "sweep": [
        "T --documents D --grid size=20,40 -m MEASURE",
        "T --documents D --queries I --retriever bm25 -m charR@2",
    ],
    "ideal": ["T --navigation N", "T -m EPRUM --nodes 50"],
    "simulate": ["T R -m EPRUM --readers 20"],
    "diff": ["S S", "S S --fail-if-different"],
    "correlate": ["S", "S S --resamples 100"],
    "stability": ["T R R -m AP --splits 5 --resamples 100"],
    "power": ["T R R -m AP --resamples 100"],
    "fit": ["markov N -o OUT.json", "t2i L", "distance L", "bep L --collection C"],
    "check": ["T R", "N", "C", "U", "L", "S", "D", "--track O R R", "--track O R -o json"],
    "track": ["O R -o OUT", "O R R -o OUT"],
    "convert": ["R OUT.jsonl", "T OUT --to FORMAT", "N OUT --to FORMAT", "T OUT --to FORMAT --documents OUT.2.jsonl"],
    "adopt": ["G --documents D -o OUT.jsonl --yes --partial --report OUT.2.jsonl", "G R --documents D -o OUT.jsonl"],
    "locate": ["T OUT.jsonl --documents D", "T OUT.jsonl --documents D --quotes fuzzy --partial --report OUT.2.jsonl"],
    "abstention": ["T R"],
    "conformance": ["--values S", "--values G -o json"],
    "diagnose": ["T R", "T R R --stages -k 2", "T R --documents D --chunks R -o json", "T R --chunks G --budget 50"],
    "nuggets": ["M R --assigned A", "M R --assigned A --at 2 -o json"],
    "place": ["R OUT.jsonl --words D", "T OUT.jsonl --words D"],
    "pool": [
        "R R --documents D -o OUT.jsonl",
        "R --documents D --truth T --titles I -o OUT.json --format label-studio",
        "R R --truth T -o OUT.jsonl",
    ],
    "annotate": ["K --html OUT.html", "B --html OUT.html"],
    "relocate": ["T --from D --to E -o OUT.jsonl --report OUT.2.jsonl"],
    "agreement": ["T"],
    "history": ["J", "J -o json", "J --html OUT.html"],
    "index": ["X OUT.index --jobs 1"],
    "list": ["measures", "users", "formats", "protocols"],
    "show": ["measure MEASURE", "format FORMAT", "user USER", "protocol inex2010", "MEASURE"],
    "demo": ["web"],
}
#: Commands that take long, and so come less often.
SLOW = ("report", "plot", "demo")
#: Options without an upper bound, for which a large number is what somebody wants to wait for; and new processes.
PATIENT = ("jobs", "readers", "simulate", "splits", "nodes", "seconds", "resamples", "dpi", "width", "height")
NUMBERS = ["0", "1", "2", "7", "-1", "0.5", "100", "1e-9", "1e308", "1e999", "nan", "-inf", "9" * 30, "x", "", "\u0663"]


def texts() -> dict[str, str]:
    """The content of the files that commands get beside truth and run."""
    known = formats.registered()
    rows = [{"run": r, "topic": t, "measure": m, "value": v, "signature": f"{m}|v:0"}
            for m in ("AP", "EPRUM") for r, v in (("a", 0.5), ("b", 0.25)) for t in ("1", "2", "all")]  # fmt: skip
    task = {"topic": "1", "doc": "garden", "question": "q", "offset": 0, "text": "This is a raspberry.",
            "regions": [[10, 19]]}  # fmt: skip
    looks = [{"time": f"2026-01-0{day}T10:00:00+00:00", "truth": "926d6b5ba433", "topics": "c5b48bda0c93", "run": run,
              "run_sum": 12 * run, "measure": "AP", "signature": "AP|v:0", "value": 0.5, "low": 0.3, "high": 0.7,
              "n": 2, "increasing": True, "previous": ""} for day, run in enumerate("ab", 1)]  # fmt: skip
    documents = [json.dumps({"doc": name, "text": text}) + "\n" for name, text in DOCUMENTS.items()]
    return {
        "S": json.dumps(rows),
        "J": "".join(json.dumps(look) + "\n" for look in looks),
        "K": json.dumps(task) + "\n",
        "B": json.dumps({"topic": "1", "doc": "a", "page": 1, "boxes": [[1, 2, 3, 4]], "page_size": [9, 9]}) + "\n",
        "D": "".join(documents),
        "E": "".join(documents).replace("g" * 50, "h" * 40),
        "G": json.dumps([{"question": "Which one?", "context": ["raspberry"], "source": "garden"}]),
        "I": "1\tone\n2\ttwo\n",
        "A": sample(known["nuggets-run"]),
        "M": json.dumps({"topic": "1", "doc": "garden", "start": 0, "end": 9, "nugget": "This is"}) + "\n",
        "U": sample(known["fitted-user"]),
        "O": 'name = "t"\ntopics = "I"\ntruth = "T"\nmeasures = "AP"\ndepth = 9\n' + "tag = '(?P<team>.*)'\n",
    }


class Commands(Target):
    """Commands on damaged files: exit codes, one message, no traceback, nothing left of what failed."""

    name, share = "commands", 40

    @cached_property
    def options(self) -> dict[str, list[click.Option]]:
        context = click.Context(cli)
        found = {name: cli.get_command(context, name) for name in command_names()}
        return {
            name: [one for one in command.params if isinstance(one, click.Option) and one.name != "help"]
            for name, command in found.items()
            if command is not None
        }

    def make(self, chance: random.Random) -> bytes:
        command = chance.choice(list(CALLS))
        if command in SLOW and chance.random() < 0.9:
            command = chance.choice(["evaluate", "compare", "check", "convert"])
        words = [command, *chance.choice(CALLS[command]).split()]
        for _ in range(chance.choice([0, 0, 1, 1, 2])):
            if self.options[command]:
                words += self._option(chance, chance.choice(self.options[command]))
        files = self._files(chance)
        words = [self._word(chance, word) for word in words]
        return json.dumps({"command": words, "files": files}).encode()

    def _files(self, chance: random.Random) -> dict[str, str]:
        pair = chance.choice(EVALUATIONS.pairs)
        found = dict(zip("TR", EVALUATIONS.texts(pair), strict=True))
        for letter, roles in (("N", ("navigation",)), ("L", ("log",)), ("C", ("collection",))):
            found[letter] = sample(chance.choice([one for one in formats.registered().values() if one.role in roles]))
        found.update(texts())
        found["X"] = ARTICLE
        for name, text in found.items():
            data = text.encode() if chance.random() < 0.6 else mutators.mutated(chance, text)
            found[name] = data.decode("latin-1")
        return found

    @staticmethod
    def _option(chance: random.Random, option: click.Option) -> list[str]:
        flag = chance.choice(option.opts)
        if option.is_flag:
            return [flag]
        if isinstance(option.type, click.Choice) and chance.random() < 0.9:
            return [flag, chance.choice(list(option.type.choices))]
        if isinstance(option.type, (click.types.IntParamType, click.types.FloatParamType)):
            few = NUMBERS[:2] if option.name in PATIENT else NUMBERS
            return [flag, chance.choice(few)]
        if option.name in PATIENT:
            return [flag, chance.choice(NUMBERS)]
        wanted = {"user": ["USER", "U"], "navigation": ["N"], "collection": ["C", "X"], "documents": ["D", "X"],
                  "requested": ["MEASURE"], "format_truth": ["FORMAT"], "format_run": ["FORMAT"], "chunks": ["R"],
                  "target_format": ["FORMAT"], "source_format": ["FORMAT"], "topic_table": ["I", "C"],
                  "cluster": ["I", "doc"], "titles": ["I"], "links": ["N"]}  # fmt: skip
        fit = wanted.get(option.name or "", ["T", "R", "S", "OUT"])
        return [flag, chance.choice(fit) if chance.random() < 0.8 else chance.choice(mutators.ODD)]

    @staticmethod
    def _word(chance: random.Random, word: str) -> str:
        if word == "MEASURE":
            return chance.choice(EVALUATIONS.measures)
        if word == "USER":
            return chance.choice(list(users.registry.all()))
        return chance.choice(list(formats.registered())) if word == "FORMAT" else word

    def check(self, data: bytes, folder: Path) -> None:
        given = json.loads(data)
        before, place = Path.cwd(), Path(mkdtemp(dir=folder))
        os.chdir(place)  # odd words may be names of files to write
        try:
            for name, text in given["files"].items():
                path = place / name
                if name == "X":
                    path.mkdir()
                    path /= "d0.xml"
                path.write_bytes(text.encode("latin-1"))
            self._run(given["command"], place)
        finally:
            os.chdir(before)
            shutil.rmtree(place, ignore_errors=True)

    def _run(self, command: list[str], place: Path) -> None:
        if any(os.path.isabs(word) or word in (".", "..", "\ud800") for word in command[1:]):
            return  # other folders of this machine; what no shell can give
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            try:
                main(command)
            except SystemExit as stopped:
                code = stopped.code
        said = err.getvalue()
        gated = any(word.startswith("--fail") for word in command)
        holds(code in ((0, 1, 2) if gated else (0, 2)), f"exit code {code}: {said[-300:]}")
        holds("Traceback" not in said, "no traceback")
        holds(all(c.isprintable() or c in "\n\t" for c in said), f"control characters in messages: {said!r}"[:600])
        holds(code != 1 or "not met" in said, "the reason of a gate")
        if code == 2:
            holds(said.strip() or out.getvalue().strip(), "a message")
        if code == 0 and "json" in command and command[0] not in ("show", "list"):
            json.loads(out.getvalue(), parse_constant=lambda word: holds(False, f"{word} in JSON"))
        left = [path.name for path in place.iterdir() if path.name.startswith(".") and path.name not in command]
        holds(not left, f"left behind: {left}")
