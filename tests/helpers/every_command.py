"""An invocation of every command, on files whose topics, documents, runs, annotators and names of files hold a name."""

from __future__ import annotations

import json
from pathlib import Path

import berrypick as bp
from berrypick.cli import commands

TEXT = "Refunds take ten days. Delivery takes three days. Write to us for an invoice, or call in the morning."


def _lines(records) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def write_inputs(folder: Path, name: str, in_path: str = "") -> dict[str, Path]:
    """Files of everything that commands read, with a name wherever a file can hold one."""
    topics, doc = [f"{name}{i}" for i in range(4)], f"doc{name}"
    span = {"doc": doc, "start": 0, "end": 22}
    truth = [{"topic": topic, **span, "grade": 1} for topic in topics]
    contents = {
        "truth.jsonl": _lines(truth),
        "asked.jsonl": _lines([{**row, "question": f"Refunds {name}?"} for row in truth]),
        "answers.jsonl": _lines([*truth[1:], {"topic": topics[0], "answer": None}]),
        "annotated.jsonl": _lines([{**row, "annotator": who} for row in truth for who in (f"a{name}", f"b{name}")]),
        "quotes.jsonl": _lines([{"topic": topic, "doc": doc, "quote": "Delivery"} for topic in topics]),
        "words.jsonl": _lines([{"doc": doc, "page": 1, "text": "Refunds", "box": [0, 0, 9, 9]}]),
        "boxed.jsonl": _lines([{"topic": topic, "doc": doc, "page": 1, "box": [0, 0, 9, 9]} for topic in topics]),
        "stated.jsonl": _lines([{**row, "nugget": f"fact {name}"} for row in truth]),
        "assigned.jsonl": _lines(
            [{"qid": t, "nuggets": [{"text": f"fact {name}", "assignment": "support"}]} for t in topics]
        ),
        "values.json": json.dumps({"ties": {"RR": 1.0}}),
        "odd-values.json": json.dumps({f"ties{name}": {"RR": 1.0}}),
        "lost.jsonl": _lines([{"topic": topic, "doc": doc, "quote": "No such text"} for topic in topics]),
        "golden.json": json.dumps(
            [
                {"id": topic, "question": f"Why {topic}?", "context": TEXT, "source": doc, "kind": name}
                for topic in topics
            ]
        ),
        "texts.jsonl": _lines([{"doc": one, "text": TEXT} for one in (doc, f"else{name}")]),
        "newer.jsonl": _lines([{"doc": doc, "text": f"New. {TEXT}"}]),
        "broken.jsonl": _lines([{"topic": topics[0], "doc": doc, "start": 9, "end": 1}]),
        "other.jsonl": _lines([{"topic": f"x{name}", **span, "rank": 1}]),
        "track.toml": (
            f"name = {json.dumps(f'track{name}')}\ntruth = {json.dumps(f'{in_path}truth.jsonl')}\n"
            'measures = "charR@5"\n'
        ),
        "strict.toml": (
            f"name = 't'\ntopics = {json.dumps(topics)}\ndepth = 1\ntag = '(?P<team>none)'\nall_topics = true\n"
        ),
        "unknown.toml": f"name = 't'\n{json.dumps(f'no{name}')} = 1\n",
        "visits.sessions": f"a{name.strip().split()[0]};b\nb;a\n" if name.strip() else "a;b\nb;a\n",
    }
    for run, place in ((f"one{name}", 0), (f"two{name}", 10), (f"three{name}", 40)):
        rows = [
            {"topic": t, "doc": doc, "start": place + i, "end": place + 20, "score": 1.0} for i, t in enumerate(topics)
        ]
        extra = [{"topic": f"unjudged{name}", "doc": f"else{name}", "start": 0, "end": 3, "score": 0.5}]
        contents[f"{place}.jsonl"] = _lines([{**row, "tag": run} for row in (*rows, *extra)])
    for at, measure in enumerate(("charR@5", "charP@5")):
        rows = [
            {
                "run": f"{run}{name}",
                "topic": topic,
                "measure": measure,
                "value": (at + i + j) / 9,
                "signature": f"{measure}|v:1",
            }
            for i, run in enumerate(("one", "two", "three"))
            for j, topic in enumerate((*topics, "all"))
        ]
        contents[f"saved{at}.json"] = json.dumps(rows)
    contents["saved.json"] = json.dumps(json.loads(contents["saved0.json"]) + json.loads(contents["saved1.json"]))
    for size, place in ((20, 0), (40, 10)):
        contents[f"runs/size={size}{in_path}.jsonl"] = contents[f"{place}.jsonl"]
    (folder / "xml").mkdir()
    (folder / "runs").mkdir()
    contents["xml/a.xml"] = "<article><sec>text</sec></article>"
    contents["xml/b.xml"] = "<article><sec>"
    made = {"runs": folder / "runs"}
    for file, content in contents.items():
        path = folder / (f"{in_path}{file}" if "/" not in file else file)
        path.write_text(content, encoding="utf-8", errors="surrogatepass")
        made[file] = path
    made["ledger.jsonl"] = folder / f"{in_path}ledger.jsonl"
    bp.compare(made["truth.jsonl"], [made["0.jsonl"], made["10.jsonl"]], "charR@5", ledger=made["ledger.jsonl"])
    return made


def invocations(files: dict[str, Path], out: Path) -> dict[str, list[tuple[int, list[object]]]]:
    """{command: [(exit code, arguments)]}; a command that can fail is called so that it does, too."""
    truth, runs = files["truth.jsonl"], [files[f"{place}.jsonl"] for place in (0, 10, 40)]
    topic = json.loads(truth.read_text(encoding="utf-8").splitlines()[0])["topic"]
    many = ["-m", "charR@5 charP@5"]
    found: dict[str, list[tuple[int, list[object]]]] = {
        "evaluate": [
            *(
                (0, [truth, *runs, *many, "-q", "-o", output])
                for output in ("table", "tsv", "csv", "json", "jsonl", "markdown", "latex")
            ),
            (0, [truth, *runs, "-m", "MRR"]),
            (2, [truth, files["other.jsonl"], *many]),
            (2, [truth, files["broken.jsonl"], *many]),
            (2, [truth, runs[0], "-m", f"no{topic}"]),
        ],
        "compare": [
            *(
                (1, [truth, *runs, *many, "--fail-under", "charR@5=0.99", "-o", output])
                for output in ("table", "tsv", "csv", "json", "jsonl", "markdown", "latex", "junit")
            ),
            (0, [files["saved.json"], "--fail-under", "charR@5=0"]),
            (2, [truth, *runs, *many, "--fail-if-worse", f"no{topic}"]),
            (2, [truth, *runs, "--fail-under", "MRR=0.5"]),
        ],
        "report": [(0, [truth, *runs, *many, "--html", out / "page.html"])],
        "plot": [(0, [truth, *runs, out / "plot.svg", *many, "--kind", "means"])],
        "explain": [
            *(
                (0, [truth, runs[0], "--topic", topic, "-m", measure])
                for measure in ("charR@5", "EPRUM", "MRR", "SetAP")
            ),
            (2, [truth, runs[0], "--topic", f"no{topic}", "-m", "charR@5"]),
        ],
        "sweep": [
            (0, [files["asked.jsonl"], "--documents", files["texts.jsonl"], "--grid", "size=20,40", *many]),
            (0, [truth, "--runs", files["runs"], *many]),
            (2, [files["asked.jsonl"], "--documents", files["texts.jsonl"], "--grid", f"size=20,no{topic}", *many]),
        ],
        "ideal": [(0, [truth, "-m", "EPRUM"])],
        "simulate": [(0, [truth, *runs, "-m", "EPRUM", "--readers", "50"])],
        "diff": [
            (1, [files["saved0.json"], files["saved.json"], "--fail-if-different"]),
            (2, [files["saved0.json"], files["truth.jsonl"]]),
        ],
        "correlate": [(0, [files["saved.json"]])],
        "stability": [(0, [truth, *runs, *many, "--splits", "5", "--resamples", "100"])],
        "power": [(0, [truth, *runs, "-m", "charR@5", "--resamples", "100"])],
        "fit": [(0, ["markov", files["visits.sessions"], "--held-out", "0"])],
        "check": [
            (0, [truth, *runs]),
            (2, [files["broken.jsonl"], files["lost.jsonl"]]),
            *((2, ["--track", files["strict.toml"], *runs, "-o", output]) for output in ("table", "tsv", "json")),
        ],
        "track": [
            (0, [files["track.toml"], *runs, "-o", out / "official"]),
            (2, [files["strict.toml"], *runs, "-o", out / "never"]),
            (2, [files["unknown.toml"], *runs, "-o", out / "never"]),
        ],
        "convert": [(0, [runs[0], out / "run.csv"]), (2, [files["broken.jsonl"], out / "run.tsv"])],
        "adopt": [
            (0, [files["golden.json"], runs[0], "--documents", files["texts.jsonl"], "-o", out / "adopted.jsonl"]),
            (2, [files["lost.jsonl"], "--documents", files["texts.jsonl"], "-o", out / "never.jsonl"]),
        ],
        "locate": [
            (0, [files["quotes.jsonl"], out / "located.jsonl", "--documents", files["texts.jsonl"]]),
            (2, [files["lost.jsonl"], out / "never.jsonl", "--documents", files["texts.jsonl"]]),
        ],
        "diagnose": [
            *((0, [truth, *runs, "-o", output]) for output in ("table", "tsv", "csv", "json", "markdown", "latex")),
            (0, [truth, *runs[:2], "--stages", "-k", "1", "-o", "table"]),
            (2, [truth, runs[0], "--stages"]),
        ],
        "abstention": [
            (0, [files["answers.jsonl"], *runs, "-o", output]) for output in ("table", "tsv", "csv", "json")
        ],
        "pool": [
            (0, [*runs, "-k", "2", "--documents", files["texts.jsonl"], "--truth", truth, "-o", out / "tasks.jsonl"]),
            (0, [files["boxed.jsonl"], "-o", out / "pages.jsonl"]),
        ],
        "annotate": [
            (0, [out / "tasks.jsonl", "--html", out / "judge.html"]),
            (0, [out / "pages.jsonl", "--html", out / "pages.html"]),
        ],
        "relocate": [
            (0, [truth, "--from", files["texts.jsonl"], "--to", files["newer.jsonl"], "-o", out / "new.jsonl"])
        ],
        "agreement": [(0, [files["annotated.jsonl"]])],
        "place": [
            (0, [files["boxed.jsonl"], out / "placed.jsonl", "--words", files["words.jsonl"]]),
            (2, [files["boxed.jsonl"], out / "never.jsonl", "--words", files["texts.jsonl"]]),
        ],
        "nuggets": [
            (0, [files["stated.jsonl"], runs[0], "--assigned", files["assigned.jsonl"], "-o", "table"]),
            (2, [truth, runs[0], "--assigned", files["assigned.jsonl"]]),
        ],
        "index": [(0, [files["xml/a.xml"].parent, out / "xml.index", "--jobs", "1"])],
        "list": [(0, ["formats"]), (2, [f"no{topic}"])],
        "show": [
            (0, ["measure", "EPRUM"]),
            (0, ["--bibtex", files["saved.json"]]),
            (2, ["measure", f"no{topic}"]),
        ],
        "conformance": [
            *((0, ["--values", files["values.json"], "-o", output]) for output in ("table", "tsv", "json", "markdown")),
            (0, ["--copy", out / "vectors.json"]),
            (2, ["--values", files["odd-values.json"]]),
            (2, ["--tool", f"no{topic}"]),
        ],
        "demo": [(0, []), (2, [f"no{topic}"])],
        "history": [
            *((0, [files["ledger.jsonl"], "-o", output]) for output in ("table", "tsv", "json", "markdown")),
            (0, [files["ledger.jsonl"], "--html", out / "history.html"]),
            (2, [files["ledger.jsonl"], "--ledger-head", "0123456789ab"]),
        ],
    }
    ours = {*commands.definitions()}  # a package that the tests install may bring more
    assert set(found) == ours
    return found
