"""Counts of transitions give the fit of the sessions that they count."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise

import pytest

import berrypick as bp
from berrypick.analysis.fit.transitions import steps_of, walked
from berrypick.data.errors import InputError, UsageError
from berrypick.data.navigation import ReachTable, Sessions
from berrypick.data.session_paths import Paths

PATHS = [["a", "b", "c"], ["a", "b", "<", "c"], ["a"], ["b", "a", "?"], ["c", "c", "b"]]
#: By hand. a: to b 2, to c 1 (after going back), ended 1; b: to c 1, to a 2 (one is a return), ended 1; c: to c 1, to
#: b 1, ended 2.
COUNTS = {("a", "b"): 2, ("a", "c"): 1, ("a", ""): 1, ("b", "c"): 1, ("b", "a"): 2, ("b", ""): 1, ("c", "c"): 1,
          ("c", "b"): 1, ("c", ""): 2}  # fmt: skip


def counted(paths):
    """Steps of sessions, counted one by one."""
    found = Counter()
    for path in paths:
        pages, ended = walked(path)
        found.update(pairwise(pages))
        if ended:
            found[pages[-1], ""] += 1
    return dict(found)


def drawn(seed, number=200):
    chance, pages = random.Random(seed), "abcdefgh"
    paths = []
    for _ in range(number):
        path, depth = [chance.choice(pages)], 1
        while chance.random() < 0.8:
            back = depth > 1 and chance.random() < 0.2
            path.append("<" if back else chance.choice(pages))
            depth += -1 if back else 1
        paths.append([*path, "?"] if chance.random() < 0.1 else path)
    return paths


def table(counts, chance=None):
    rows = [{"from": a, "to": b or None, "n": n} for (a, b), n in counts.items()]
    if chance is not None:
        chance.shuffle(rows)
    return rows


def same(one, other):
    for key in ("parameters", "weight", "visits"):
        assert one.reader.content[key] == other.reader.content[key], key
    assert sorted(one.reader.content["transitions"]) == sorted(other.reader.content["transitions"])
    assert one.reader.content["data"]["decisions"] == other.reader.content["data"]["decisions"]


def test_by_hand():
    assert counted(PATHS) == COUNTS
    pandas = pytest.importorskip("pandas")
    found = bp.fit("markov", pandas.DataFrame(table(COUNTS)), held_out=0)
    rows = {(a, b): p for a, b, p, *_ in found.reader.content["transitions"]}
    assert rows["a", "b"] == 2 / 4 and rows["b", "a"] == 2 / 4 and rows["c", "c"] == 1 / 4
    assert found.reader.content["visits"] == {"a": 4, "b": 4, "c": 4}
    assert found.parameters["leaving"]["value"] == pytest.approx(4 / 12, abs=1e-6)
    same(found, bp.fit("markov", PATHS, held_out=0))


def test_files_and_frames_of_the_same_counts(tmp_path):
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    duckdb = pytest.importorskip("duckdb")
    for seed in range(3):
        paths = drawn(seed)
        expected = bp.fit("markov", paths, held_out=0)
        frame = pandas.DataFrame(table(counted(paths), random.Random(seed)))
        frame.to_csv(tmp_path / "counts.csv", index=False)
        frame.to_parquet(tmp_path / "counts.parquet")
        made = [tmp_path / "counts.csv", tmp_path / "counts.parquet", frame, polars.from_pandas(frame),
                duckdb.sql("select * from frame"), frame.convert_dtypes()]  # fmt: skip
        fits = [bp.fit("markov", one, held_out=0) for one in made]
        for one in fits:
            same(one, expected)
            assert one.reader.content["data"]["checksum"] == fits[0].reader.content["data"]["checksum"]
        twice = pandas.concat([frame, frame])
        doubled = bp.fit("markov", twice, held_out=0)
        assert any("repeat a step" in str(note) for note in doubled.notes)
        assert doubled.reader.content["data"]["decisions"] == 2 * fits[0].reader.content["data"]["decisions"]


def test_packed_paths_are_those_walked_one_by_one():
    for seed in range(5):
        paths = drawn(seed, 60)
        packed = Paths.of(paths)
        assert packed == [tuple(path) for path in paths] and packed[3:5] == tuple(map(tuple, paths[3:5]))
        assert packed[-1] == tuple(paths[-1]) and len(packed) == 60
        units = Sessions(packed).units
        assert units == Sessions(tuple(map(tuple, paths))).units
        steps = steps_of(packed, units)
        expected = []
        for number, path in enumerate(paths):
            pages, ended = walked(path)
            names = [*pages, *(["-"] if ended else [])]
            expected += [(a, b, number) for a, b in pairwise(names)]
        names = (*units, "-")
        rows = zip(steps.source.tolist(), steps.target.tolist(), steps.session.tolist(), strict=True)
        assert [(names[a], names[b], n) for a, b, n in rows] == expected


def test_counts_as_navigation(tmp_path):
    path = tmp_path / "counts.csv"
    path.write_text("from,to,n\nc,a,2\nc,,3\n")
    assert bp.score("EPRUM", {"q": {"a": 1}}, {"q": {"c": 1}}, navigation=path) == pytest.approx(
        bp.score("EPRUM", {"q": {"a": 1}}, {"q": {"c": 1}}, navigation=ReachTable({("c", "a"): 0.4}), user="markov")
    )


def test_command(tmp_path, berrypick):
    path = tmp_path / "counts.csv"
    path.write_text("from,to,n\nhome,docs,120\nhome,,80\ndocs,home,30\ndocs,,90\n")
    done = berrypick("fit", "markov", path, "-o", tmp_path / "reader.json", "-o", "table")
    assert done.code == 0, done.err
    assert "none are held out" in done.err and "2 transitions between 2 pages" in done.out
    assert berrypick("check", path).code == 0
    other = tmp_path / "again.parquet"
    assert berrypick("convert", path, "-o", other).code == 0
    assert "reader.json" in done.err and bp.fit("markov", other, held_out=0).parameters


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("home,docs,-1\n", "not a whole number above 0"),
        ("home,docs,1.5\n", "not a whole number above 0"),
        ("home,docs,\n", "not a whole number above 0"),
        (",docs,1\n", "from is empty"),
        ("home,?,1\n", "is not a page"),
        ("home,docs,1\n", "cannot identify leaving"),
        ("home,,1\n", "cannot identify any transition"),
        ("", "no rows"),
    ],
)
def test_what_counts_nothing_is_refused(tmp_path, berrypick, rows, said):
    path = tmp_path / "counts.csv"
    path.write_text("from,to,n\n" + rows)
    done = berrypick("fit", "markov", path, "-o", tmp_path / "reader.json")
    assert done.code == 2 and said in done.err, done.err
    assert not (tmp_path / "reader.json").exists()


def test_names_of_pages_that_are_digits_stay_as_they_are(tmp_path):
    path = tmp_path / "counts.csv"
    path.write_text("from,to,n\n007,18446744073709551615,2\n1e3,,1\n")
    assert set(bp.read_navigation(path).units) == {"007", "18446744073709551615", "1e3"}


def test_links_need_sessions(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(table(COUNTS))
    (tmp_path / "links.tsv").write_text("a\tb\n")
    with pytest.raises(UsageError, match=r"links.* needs sessions"):
        bp.fit("markov", frame, links=tmp_path / "links.tsv")
    with pytest.raises(UsageError, match="lacks n"):
        bp.fit("markov", frame.rename(columns={"n": "times"}))
    with pytest.raises(InputError, match="from is empty"):
        bp.fit("markov", pandas.DataFrame([{"from": None, "to": "a", "n": 1}]))
