"""What a ledger tells: values over time, the best so far, breaks, and looks over truths that share topics."""

import json

import pytest

import berrypick as bp
from berrypick.analysis.ledger.ledger_file import Ledger
from berrypick.analysis.ledger.looks import level_of

HOSTILE = 'x"</script><script>alert(1)</script>\x1b[2J\n\u202eevil'


def truth_of(first, last):
    return {f"q{topic}": {"a": 1} for topic in range(first, last)}


def run(truth, hits):
    """A run that finds the answer to the first topics."""
    return {topic: {"a" if place < hits else "b": 1.0} for place, topic in enumerate(truth)}


def look(path, truth, hits, name, measures="RR", base=4, **options):
    return bp.compare(truth, {"base": run(truth, base), name: run(truth, hits)}, measures, ledger=path, **options)


@pytest.fixture
def path(tmp_path):
    """Three looks at ten topics, two at ten of which five are others, one at ten of which six are others."""
    path = tmp_path / "ledger.jsonl"
    first, second, third = truth_of(0, 10), truth_of(5, 15), truth_of(9, 19)
    for hits, name in ((3, "one"), (6, "two"), (5, "three")):
        look(path, first, hits, name, commit="c0ffee" if name == "two" else None)
    for hits, name in ((2, "four"), (8, "five")):
        look(path, second, hits, name)
    look(path, third, 7, "six", measures="RR P@1")
    return path


def test_values_best_so_far_and_breaks_by_hand(path):
    """The baseline has four hits of ten: it is the best until a run has six."""
    found = bp.history(path, "RR")
    points = found.points
    assert [(one.run, one.value, one.best, one.best_run) for one in points] == [
        ("one", 0.3, 0.4, "base"), ("two", 0.6, 0.6, "two"), ("three", 0.5, 0.6, "two"),
        ("four", 0.2, 0.4, "base"), ("five", 0.8, 0.8, "five"), ("six", 0.7, 0.7, "six"),
    ]  # fmt: skip
    assert [one.break_ for one in points] == [None, None, None, "truth", None, "truth"]
    assert [one.look for one in points] == [1, 2, 3, 1, 2, 1]
    # the first and the second truth share five of ten topics; the second and the third six; the first and third one
    assert [one.looks_similar for one in points] == [1, 2, 3, 4, 5, 3]
    assert [(one.looks, one.looks_similar) for one in found.looks] == [(3, 5), (2, 6), (1, 3)]
    assert found.looks[0].next_level == pytest.approx(level_of(4, 0.05))
    assert [len(part) for part in found.stretches("RR")] == [3, 2, 1]
    assert points[1].commit == "c0ffee" and found.head == Ledger.read(path).head and found.notes == ()
    assert all(one.low <= one.value <= one.high for one in points)


def test_costs_have_their_best_at_the_bottom(path):
    path.write_text(path.read_text().replace('"increasing": true', '"increasing": false'))
    points = bp.history(path, "RR").points
    assert [one.best for one in points] == [0.3, 0.3, 0.3, 0.2, 0.2, 0.4] and not points[0].increasing


def test_a_change_of_the_signature_is_a_break(path):
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    lines[1]["signature"] = lines[1]["signature"].replace("rel:1", "rel:2")
    lines[3]["signature"] = lines[3]["signature"].replace("rel:1", "rel:2")
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = bp.history(path, "RR")
    assert [one.break_ for one in found.points] == [
        None, "signature", "signature", "truth and signature", "signature", "truth",
    ]  # fmt: skip
    assert [one.look for one in found.points] == [1, 1, 2, 1, 1, 1]
    assert any("edited" in str(note) for note in found.notes), "and the ledger says that it was edited"


def test_merged_branches_are_shown_by_time_and_counted_once(path, tmp_path):
    ours, theirs = tmp_path / "ours.jsonl", tmp_path / "theirs.jsonl"
    for one, hits, name in ((ours, 9, "ours"), (theirs, 10, "theirs")):
        one.write_bytes(path.read_bytes())
        look(one, truth_of(0, 10), hits, name)
    path.write_bytes(ours.read_bytes() + theirs.read_bytes())
    found = bp.history(path, "RR")
    assert [(one.run, one.look) for one in found.points[-2:]] == [("ours", 4), ("theirs", 5)]
    assert found.notes == () and found.looks[0].looks == 5
    lines = path.read_bytes().splitlines()
    path.write_bytes(b"\n".join(lines).replace(lines[-1], lines[-1].replace(b'"time": "2', b'"time": "1')) + b"\n")
    assert bp.history(path, "RR").points[0].run == "theirs", "an earlier time comes first"
    path.write_bytes(path.read_bytes().replace(b'"time": "1', b'"time": "soon 1'))
    found = bp.history(path, "RR")
    assert [note.text for note in found.notes if "time" in note.text] == [
        "1 line without a readable time: shown in the order of the ledger"
    ]


def test_the_command(berrypick, path, tmp_path):
    done = berrypick("history", path, "-m", "RR", "-o", "table")
    assert done.code == 0, done.err
    assert "RR, truth" in done.out and "10 topics; the truth changed" in done.out
    assert "similar truths" in done.out and "c0ffee" in done.out and "P@1" not in done.out
    rows = json.loads(berrypick("history", path, "-o", "json").out)
    assert {row["measure"] for row in rows} == {"RR", "P@1"} and rows[3]["break"] == "truth"
    assert {"time", "run", "value", "low", "high", "topics", "verdict", "look", "looks_similar", "best", "commit",
            "signature"} <= set(rows[0])  # fmt: skip
    page, picture = tmp_path / "h.html", tmp_path / "h.svg"
    done = berrypick("history", path, "--html", page, "--plot", picture)
    assert done.code == 0 and page.read_text().startswith("<!doctype html>") and "<svg" in picture.read_text()
    done = berrypick("history", path, "-m", "RRR")
    assert done.code == 2 and "the ledger has no look by RRR" in done.err
    assert berrypick("history", path, "--ledger-head", Ledger.read(path).head).code == 0
    done = berrypick("history", path, "--ledger-head", "0" * 32)
    assert done.code == 2 and "is missing" in done.err
    before = path.read_bytes()
    for wrong in (["--html", path], ["--plot", path.with_suffix(".txt")]):
        assert berrypick("history", path, *wrong).code == 2
    assert path.read_bytes() == before
    empty = tmp_path / "empty.jsonl"
    empty.write_text("")
    done = berrypick("history", empty)
    assert done.code == 2 and "has no looks" in done.err
    assert "history" in berrypick("--help").out.partition("Look")[2].partition("Judge")[0]


def test_hostile_names_stay_text(berrypick, tmp_path):
    path, page = tmp_path / "l.jsonl", tmp_path / "h.html"
    look(path, truth_of(0, 5), 3, HOSTILE, commit=HOSTILE)
    text = path.read_text().replace('"truth": "', '"truth": "<b>').replace('"time": "', '"time": "<i>')
    path.write_text(text)
    done = berrypick("history", path, "--html", page, "-o", "table")
    assert done.code == 0 and "\x1b[2J" not in done.out and "\u202e" not in done.out
    content = page.read_text()
    assert "<script>alert" not in content and "<i>" not in content and "<b>" not in content
    assert "http://" not in content and "https://" not in content
    assert bp.history(path).points[0].run == HOSTILE
    bp.history(path).plot().to_dict()


def test_many_looks_have_a_page(path, tmp_path):
    """The page is cut to the last looks, and says so."""
    [line] = [json.loads(one) for one in path.read_text().splitlines()[:1]]
    many = tmp_path / "many.jsonl"
    rows = ({**line, "run_sum": str(i), "run": f"r{i}", "level": level_of(i + 1, 0.05)} for i in range(500))
    many.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = bp.history(many)
    assert found.points[-1].look == 500
    assert "\t2e-07\t" in found.table("tsv", 4), "levels are no zeros"
    found.write_html(tmp_path / "h.html")
    assert "the ledger has 100 earlier ones" in (tmp_path / "h.html").read_text()
