"""Grids of chunkers and retrievers, and folders of runs."""

from __future__ import annotations

import dataclasses
import doctest
import itertools
import os
import sys
from functools import partial
from importlib.resources import files
from pathlib import Path
from xml.etree import ElementTree

import handmade
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import berrypick as bp
from berrypick.analysis.sweep import chunkers, retrievers, sweep_work
from berrypick.analysis.sweep import sweep as sweeping
from berrypick.analysis.sweep.chunkers import fixed, paragraphs, sentences
from berrypick.analysis.sweep.heatmap import Grid
from berrypick.analysis.sweep.retrievers import Chunk, bm25, fts5
from berrypick.analysis.sweep.sweep_settings import settings_in
from berrypick.data.errors import BerrypickError, UsageError
from berrypick.report.figures.export import svg_of
from berrypick.report.figures.heatmap_chart import contrast, heatmap, shade

TEXT = "The cat sat on the mat. It was a warm day.\n\nA dog ran past. The cat did not move."
DOCUMENTS = {"pets": TEXT, "trees": "Oaks grow slowly. Birches grow fast. A cat climbed a birch."}
QUERIES = {"cat": "Where did the cat sit?", "birch": "How fast do birches grow?"}
GOLD = handmade.span_truth({"cat": [("pets", 0, 23)], "birch": [("trees", 18, 36)]})


def swept(**changes):
    given = {"documents": DOCUMENTS, "truth": GOLD, "chunkers": fixed, "retrievers": fts5, "measures": "charR@2 IoU@2",
             "queries": QUERIES, "grid": {"size": [10, 20, 40], "overlap": [0, 5]}}  # fmt: skip
    return bp.sweep(**{**given, **changes})


# chunkers


@pytest.mark.parametrize("module", [chunkers, retrievers, sweeping])
def test_examples_in_docstrings(module):
    assert doctest.testmod(module).failed == 0


@given(st.text(max_size=60), st.integers(1, 20), st.integers(0, 19))
def test_fixed_chunks_cover_the_text(text, size, overlap):
    if overlap >= size:
        with pytest.raises(UsageError, match="overlap must be at least 0 and below the size"):
            fixed(text, size, overlap)
        return
    found = fixed(text, size, overlap)
    assert set(itertools.chain.from_iterable(range(*span) for span in found)) == set(range(len(text)))
    assert all(end - start == size for start, end in found[:-1])
    assert all(one[1] - other[0] == overlap for one, other in itertools.pairwise(found))
    assert all(0 <= start < end <= len(text) for start, end in found)


@given(st.text(alphabet="ab .!?\n。", max_size=60), st.integers(0, 30), st.sampled_from([sentences, paragraphs]))
def test_pieces_hold_all_but_white_space(text, size, chunker):
    found = chunker(text, size)
    inside = set(itertools.chain.from_iterable(range(*span) for span in found))
    assert all(text[i].isspace() for i in set(range(len(text))) - inside)
    assert all(one[1] <= other[0] for one, other in itertools.pairwise(found))
    assert all(text[start:end] == text[start:end].strip() != "" for start, end in found)
    alone = set(chunker(text))
    assert all(end - start <= size or (start, end) in alone for start, end in found)


def test_sentences_and_paragraphs():
    assert [TEXT[a:b] for a, b in sentences(TEXT)] == [
        "The cat sat on the mat.", "It was a warm day.", "A dog ran past.", "The cat did not move."
    ]  # fmt: skip
    assert len(paragraphs(TEXT)) == 2 and paragraphs(TEXT, size=1000) == [(0, len(TEXT))]
    assert [text for a, b in sentences('"Stop!" he said. "Why?"') for text in ['"Stop!" he said. "Why?"'[a:b]]] == [
        '"Stop!"', "he said.", '"Why?"'
    ]  # fmt: skip
    assert sentences("  ") == [] == paragraphs("") == fixed("")
    for wrong in (partial(sentences, "a", size=-1), partial(fixed, "a", size=0)):
        with pytest.raises(UsageError, match="size must be"):
            wrong()


# retrievers


def chunk_list(*texts):
    return [Chunk("d", 0, len(text), text) for text in texts]


WORDS = st.lists(st.sampled_from(["red", "green", "blue", "apple", "pear", "the"]), min_size=1, max_size=6).map(
    " ".join
)


@given(st.lists(WORDS, min_size=1, max_size=12), WORDS)
def test_both_retrievers_give_the_same_scores(texts, query):
    one, other = (retriever(chunk_list(*texts), {"1": query}, depth=12)["1"] for retriever in (fts5, bm25))
    assert [score for _, score in one] == pytest.approx([score for _, score in other], abs=1e-9)
    assert dict(one) == pytest.approx(dict(other), abs=1e-9), "in any order where only rounding tells scores apart"


def test_bm25_has_parameters():
    chunks = chunk_list("red apple", "red red red and a long tail of other words", "pear", "plum", "fig")
    assert [place for place, _ in bm25(chunks, {"1": "red"}, b=0)["1"]] == [1, 0]
    assert [place for place, _ in bm25(chunks, {"1": "red"}, b=1)["1"]] == [0, 1]
    flat = dict(bm25(chunks, {"1": "red"}, k1=0)["1"])
    assert flat[0] == pytest.approx(flat[1])
    for wrong in ({"k1": -1}, {"b": 2}):
        with pytest.raises(UsageError, match="k1 must be 0 or more and b in"):
            bm25(chunks, {"1": "red"}, **wrong)


@pytest.mark.parametrize("retriever", [fts5, bm25])
def test_queries_are_words_and_no_language(retriever):
    chunks = chunk_list('say "hello" NEAR the door', "nothing", "more", "yet more", "still more")
    odd = {"quotes": '"hello" AND', "operators": "NEAR( * ^ : -hello", "empty": "", "signs": "?! ***", "none": "zebra"}
    found = retriever(chunks, odd)
    assert [place for place, _ in found["quotes"]] == [place for place, _ in found["operators"]] == [0]
    assert found["empty"] == found["signs"] == found["none"] == []
    assert retriever([], {"1": "hello"}) == {"1": []}
    assert retriever(chunk_list("a\udc80b \0 hello"), {"1": "hello \udc80"})["1"][0][0] == 0
    with pytest.raises(UsageError, match="depth must be at least 1"):
        retriever(chunks, odd, depth=0)


def test_stems_and_accents():
    chunks = chunk_list("Two cafés", "nothing", "else")
    assert fts5(chunks, {"1": "cafe"})["1"] == [] and fts5(chunks, {"1": "cafe"}, stem=True)["1"][0][0] == 0
    assert fts5(chunks, {"1": "CAFES"})["1"][0][0] == 0


def test_equal_scores_keep_the_order():
    for retriever in (fts5, bm25):
        found = retriever(chunk_list(*["same words"] * 5, *["other"] * 9), {"1": "same"}, depth=3)
        assert [place for place, _ in found["1"]] == [0, 1, 2]


# the grid


def test_every_setting_is_evaluated():
    found = swept()
    assert len(found) == 6 and len(found.rows) == 12
    assert [(row["size"], row["overlap"]) for row in found.rows[::2]] == [(a, b) for a in (10, 20, 40) for b in (0, 5)]
    first = found.rows[0]
    assert list(first) == [
        "chunker", "size", "overlap", "retriever", "run", "chunks", "measure", "value", "low", "high", "interval",
        "topics", "optimism", "signature",
    ]  # fmt: skip
    assert first["run"] == "size=10,overlap=0" and first["chunks"] == 15 and first["topics"] == 2


def test_values_are_those_of_evaluate():
    found = swept(grid={"size": [30]})
    chunks = [Chunk(name, a, b, text[a:b]) for name, text in DOCUMENTS.items() for a, b in fixed(text, 30)]
    lists = {
        topic: [(chunks[place].document, chunks[place].start, chunks[place].end) for place, _ in ranked]
        for topic, ranked in fts5(chunks, QUERIES).items()
    }
    direct = bp.evaluate(GOLD, handmade.span_run(lists), "charR@2 IoU@2").mean()["run"]
    assert {row["measure"]: row["value"] for row in found.rows} == direct


def test_parameters_go_where_they_are_known():
    found = swept(
        chunkers=[fixed, sentences], retrievers=[fts5, bm25], grid={"size": [20, 40], "overlap": [0, 5], "k1": [0.5, 2]}
    )
    seen = [tuple(row[name] for name in ("chunker", "size", "overlap", "retriever", "k1")) for row in found.rows[::2]]
    cuts = [
        ("fixed", 20, 0),
        ("fixed", 20, 5),
        ("fixed", 40, 0),
        ("fixed", 40, 5),
        ("sentences", 20, None),
        ("sentences", 40, None),
    ]
    assert seen == [(*cut, *find) for cut in cuts for find in [("fts5", None), ("bm25", 0.5), ("bm25", 2)]]
    assert found.names[1] == "chunker=fixed,size=20,overlap=0,retriever=bm25,k1=0.5"


def test_functions_of_ones_own():
    def halves(text, share=0.5):
        cut = int(len(text) * share)
        return ((a, b) for a, b in [(0, cut), (cut, len(text))] if a < b)

    def first_come(chunks, queries):
        return dict.fromkeys(queries, chunks[:2])

    found = swept(chunkers=halves, retrievers=first_come, grid={"share": [0.25, np.float64(0.5)]})
    assert [row["share"] for row in found.rows[::2]] == [0.25, 0.5] and found.rows[0]["retriever"] == "first_come"
    named = swept(
        chunkers={"half": halves, "third": partial(halves, share=1 / 3)}, retrievers={"f": first_come}, grid={}
    )
    assert [(row["chunker"], row["retriever"]) for row in named.rows[::2]] == [("half", "f"), ("third", "f")]
    anything = swept(chunkers=lambda text, **given: [(0, given["n"])], retrievers=first_come, grid={"n": [1, 2]})
    assert [row["n"] for row in anything.rows[::2]] == [1, 2]


def test_what_a_retriever_may_give():
    for ranked in ([0, 1], [np.int64(0), np.int64(1)], [(0, 2.0), (1, 1.0)], iter([0, 1])):
        given = list(ranked)
        found = swept(retrievers=lambda chunks, queries, given=given: {"cat": given}, grid={"size": [40]})
        assert found.rows[0]["value"] == pytest.approx(0.5)  # the other topic is not answered and counts 0


def test_only_some():
    found = swept(only=lambda setting: setting["overlap"] < setting["size"] / 3)
    assert [(row["size"], row["overlap"]) for row in found.rows[::2]] == [(10, 0), (20, 0), (20, 5), (40, 0), (40, 5)]
    with pytest.raises(UsageError, match="only= accepts no setting of the grid"):
        swept(only=lambda setting: False)


def test_several_processes_find_the_same():
    # a function without a name can be used too where processes are forked
    one, two = (
        swept(chunkers={"f": lambda text, size: fixed(text, size)}, grid={"size": [10, 20]}, jobs=n) for n in (1, 2)
    )
    assert one == two
    assert swept() == swept(jobs=3)


def test_progress():
    for jobs in (1, 2):
        seen = []
        swept(jobs=jobs, progress=lambda done, of, seen=seen: seen.append((done, of)))
        assert seen == [(i, 6) for i in range(1, 7)]


def test_quotes_are_found_in_the_documents(tmp_path):
    (tmp_path / "gold.jsonl").write_text(
        '{"topic": "cat", "doc": "pets", "quote": "The cat sat on the mat."}\n'
        '{"topic": "birch", "doc": "trees", "quote": "Birches grow fast."}\n'
    )
    assert [row["value"] for row in swept(truth=tmp_path / "gold.jsonl").rows] == [row["value"] for row in swept().rows]


def test_documents_from_a_folder(tmp_path):
    for name, text in DOCUMENTS.items():
        (tmp_path / f"{name}.txt").write_text(text)
    assert [row["value"] for row in swept(documents=tmp_path).rows] == [row["value"] for row in swept().rows]


def test_measures_that_need_tokens_or_all_chunks():
    found = swept(measures="PrecisionOmega", grid={"size": [10, 40]})
    assert found.rows[0]["value"] > found.rows[1]["value"] > 0
    assert swept(measures="epnav", effort="tokens", grid={"size": [20]}).rows[0]["value"] > 0


def test_whole_documents_as_gold():
    truth = handmade.document_truth({"cat": {"pets": 1}, "birch": {"trees": 1}})
    found = swept(truth=truth, measures="charR@2 AP", whole_documents=True)
    assert 0 < found.rows[0]["value"] < 1


# mistakes


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"truth": None}, "truth is missing: give the judgements"),
        ({"documents": None}, "documents are missing"),
        ({"queries": None}, "queries are missing"),
        ({"documents": {}}, "document pets is not in the documents given"),
        ({"documents": {**DOCUMENTS, "x": b"bytes"}}, "the text of x is a bytes, not a str"),
        ({"documents": {"pets": TEXT}}, "document trees is not in the documents given"),
        ({"documents": {**DOCUMENTS, "pets": "short"}}, "pets"),
        ({"queries": {"cat": "cat"}}, "1 judged topics have no query: birch"),
        ({"measures": "IoUU@2"}, "unknown measure IoUU; did you mean IoU?"),
        ({"jobs": 0}, "jobs must be at least 1, not 0"),
        ({"chunkers": []}, "no chunker given"),
        ({"chunkers": [fixed, fixed]}, "two chunkers are called fixed; give them names: chunkers={'one': ..., 'two'"),
        ({"chunkers": {"a": 3}}, "chunker a is not a function"),
        ({"grid": {"sise": [1]}}, "no chunker or retriever has a parameter sise"),
        ({"grid": {"size": 100}}, "the grid needs a list of values for size, as in {'size': [1, 2]}"),
        ({"grid": {"size": "100"}}, "the grid needs a list of values for size"),
        ({"grid": {"size": []}}, "the grid needs a list of values for size"),
        ({"grid": {"value": [1]}}, "value is a column of the table already"),
        ({"grid": {"size": [5], "overlap": [5]}}, "chunker fixed(size=5, overlap=5) on document pets: overlap must be"),
    ],
)
def test_mistakes_are_told(changes, message):
    with pytest.raises(BerrypickError) as error:
        swept(**changes)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([(0, 5), (3, 82)], ": chunk 2 is 3 to 82, the text has 81 characters"),
        ([(-1, 5)], ": chunk 1 is -1 to 5, the text has 81 characters"),
        ([(5, 3)], ": chunk 1 is 5 to 3, the text has 81 characters"),
        ([(5, 5)], ": chunk 1 is empty, 5 to 5"),
        (
            ["The dog"],
            ": chunk 1, 'The dog', is not in the text word for word, so its place is unknown: give a function that "
            "returns (start, end) pairs",
        ),
        ([(0, 1.5)], ": chunk 1 is (0, 1.5), expected (start, end), two whole numbers"),
        ([(0, 1, 2)], ": chunk 1 is (0, 1, 2), expected (start, end), two whole numbers"),
        ([7], ": chunk 1 is 7, expected (start, end), two whole numbers"),
        (None, ": gives None, expected (start, end) pairs"),
        (7, " failed: TypeError: 'int' object is not iterable"),
    ],
)
@pytest.mark.parametrize("jobs", [1, 2])
def test_mistakes_of_chunkers(given, message, jobs):
    def wrong(text, n):
        return given

    with pytest.raises(UsageError) as error:
        swept(chunkers=wrong, grid={"n": [1, 2]}, jobs=jobs)
    assert str(error.value) == f"chunker wrong(n=1) on document pets{message}"


def test_a_chunker_that_makes_nothing():
    with pytest.raises(UsageError, match=r"chunker none\(\) makes no chunks of these documents"):
        swept(chunkers={"none": lambda text: []}, grid={})


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([1], ": gives a list, expected {topic: ranked list}"),
        ({"dog": [1]}, ": gives results for topic 'dog', which has no query"),
        ({"cat": 1}, ": topic cat has 1, expected a ranked list"),
        ({"cat": "1"}, ": topic cat has '1', expected a ranked list"),
        ({"cat": [0, 99]}, ": result 2 of topic cat is chunk 99, there are chunks 0 to 14"),
        ({"cat": [-1]}, ": result 1 of topic cat is chunk -1, there are chunks 0 to 14"),
        ({"cat": ["x"]}, ": result 1 of topic cat is 'x', expected a chunk or its place in the list of chunks"),
        ({"cat": [(0, "x")]}, ": result 1 of topic cat has the score 'x', which is not a number"),
        ({"cat": []}, " finds nothing for any topic"),
        (None, " failed: ZeroDivisionError: division by zero"),
    ],
)
@pytest.mark.parametrize("jobs", [1, 2])
def test_mistakes_of_retrievers(given, message, jobs):
    def wrong(chunks, queries, n):
        return given if given is not None else 1 / 0

    with pytest.raises(UsageError) as error:
        swept(retrievers=wrong, grid={"size": [10], "n": [1, 2]}, jobs=jobs)
    assert str(error.value) == f"retriever wrong(n=1){message}"


# what is found


def test_best():
    found = swept(measures="charR@2 Overlap@2")
    values = {row["run"]: row["value"] for row in found.rows if row["measure"] == "charR@2"}
    assert found.best()["value"] == max(values.values()) == values[found.best()["run"]]
    assert found.best("Overlap@2")["value"] == 0
    with pytest.raises(UsageError, match=r"charP is not among the measures of this sweep; did you mean charR@2\?"):
        found.best("charP")


def test_table():
    lines = swept(grid={"size": [20, 40]}).table(places=2).splitlines()
    assert lines[0].split() == ["chunker", "size", "retriever", "chunks", "charR@2", "IoU@2"]
    assert lines[2].split()[:4] == ["fixed", "20", "fts5", "8"] and len(lines) == 4


def test_frames():
    found = swept(chunkers=[fixed, sentences])
    pandas, polars = found.to_pandas(), found.to_polars()
    assert len(pandas) == len(polars) == len(found.rows)
    assert list(pandas.columns) == polars.columns == list(found.rows[0])
    assert polars["overlap"].null_count() > 0


def test_it_cannot_be_changed_and_is_compared():
    found = swept()
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.names = ()
    compared = bp.compare(found.results, measures="IoU@2", baseline="size=40,overlap=0")
    assert compared.estimate("IoU@2", "size=10,overlap=0").value == found.rows[1]["value"]
    row = found.rows[1]
    one = compared.estimate("IoU@2", row["run"])
    assert (one.low, one.high) == (row["low"], row["high"])


def test_notebooks_see_a_table():
    odd = swept(chunkers={"<b>": fixed})
    assert "&lt;b&gt;" in odd._repr_html_() and "<b>" not in odd._repr_html_()
    assert str(odd).startswith(odd.table())


def test_heatmap():
    found = swept()
    text = found.heatmap("size", "overlap", "IoU@2", places=2)
    assert text.splitlines()[0] == "IoU@2" and text.splitlines()[1].split() == ["size", "\\", "overlap", "0", "5"]
    best = found.best("IoU@2")
    assert f"{best['value']:.2f}*" in text
    assert [line.split()[0] for line in text.splitlines()[3:]] == ["10", "20", "40"]


def test_heatmap_of_a_part():
    found = swept(chunkers=[fixed, sentences], retrievers=[fts5, bm25])
    with pytest.raises(UsageError, match="other parameters vary too, fix them with where"):
        found.heatmap("size", "overlap")
    text = found.heatmap("size", "overlap", where={"chunker": "fixed", "retriever": "bm25"})
    assert len(text.splitlines()) == 6
    assert "- " in found.heatmap("chunker", "overlap", where={"size": 20, "retriever": "bm25"})
    for wrong, message in [
        ({"rows": "sizes", "columns": "overlap"}, "sizes is not a parameter of this sweep; did you mean size?"),
        ({"rows": "size", "columns": "size"}, "a heat-map has two parameters, not size twice"),
        ({"rows": "size", "columns": "overlap", "where": {"chunker": "x"}}, "no such setting in this sweep"),
        ({"rows": "size", "columns": "overlap", "where": {"x": 1}}, "x is not a parameter of this sweep"),
    ]:
        with pytest.raises(UsageError) as error:
            found.heatmap(**wrong)
        assert str(error.value).startswith(message)


SVG = "{http://www.w3.org/2000/svg}"


def drawn(svg):
    """The texts of a picture, and the cells as (fill, colour of the text, text)."""
    picture = ElementTree.fromstring(svg)
    groups = {group.get("class", "").split(" layer")[0]: list(group) for group in picture.iter(f"{SVG}g")}
    marks = zip(groups["mark-rect role-mark"], groups["mark-text role-mark"], strict=True)
    cells = [(rect.get("fill"), text.get("fill"), text.text) for rect, text in marks]
    return {one.text for one in picture.iter(f"{SVG}text")}, cells


def rgb(colour):
    return (
        (0, 0, 0) if colour == "black" else (255, 255, 255) if colour == "white" else tuple(bytes.fromhex(colour[1:]))
    )


def test_picture_is_sound(tmp_path):
    found = swept(chunkers={"<fixed>": fixed}, retrievers={'a "b"': fts5, "c & d": bm25})
    found.write_svg(tmp_path / "map.svg", "size", "retriever", "IoU@2", where={"overlap": 0})
    words, cells = drawn((tmp_path / "map.svg").read_text(encoding="utf-8"))
    assert {"IoU@2", "size", "retriever", 'a "b"', "c & d", "10", "20", "40"} <= words
    assert sum(text.endswith(" *") for _, _, text in cells) >= 1 and len(cells) == 6
    assert list(tmp_path.iterdir()) == [tmp_path / "map.svg"]
    with pytest.raises(UsageError, match="cannot be written"):
        found.write_svg(tmp_path / "missing" / "map.svg", "size", "retriever", where={"overlap": 0})


def test_numbers_in_the_picture_can_be_read():
    cells = drawn(swept().svg("size", "overlap"))[1]
    assert len(cells) == 6
    for fill, ink, _ in cells:
        assert contrast(rgb(fill), rgb(ink)) >= 4.5
    assert contrast((0, 0, 0), (255, 255, 255)) == pytest.approx(21)


def test_every_shade_can_be_written_on():
    for share in range(101):
        assert max(contrast(shade(share / 100), ink) for ink in ((0, 0, 0), (255, 255, 255))) >= 4.5


def test_cells_without_a_value_are_empty():
    grid = Grid("a", "b", "AP", [0.1, 0.1 + 1e-9], [1], [[None], [0.25]], True)
    words, cells = drawn(svg_of(heatmap(grid, 2).to_dict()))
    assert {"0.1", "0.1 (2)"} <= words, "values that look alike are still two"
    assert [text for _, _, text in cells] in ([None, "0.25 *"], ["", "0.25 *"])


def test_the_picture_in_the_docs_is_what_the_page_draws():
    web = files("berrypick") / "demo" / "web"
    lines = (web / "answers.qrels").read_text(encoding="utf-8").splitlines()
    queries = dict(line[2:].split(": ", 1) for line in lines if line.startswith("# "))
    grid = {"size": [20, 40, 80], "overlap": [0, 5, 10], "stem": [True]}
    inputs = (web / "pages.jsonl", web / "answers.qrels", fixed, fts5, "charR@5")
    found = bp.sweep(*inputs, grid=grid, queries=queries, whole_documents=True)
    kept = Path(__file__).resolve().parents[3] / "docs" / "pictures" / "sweep.svg"
    assert drawn(found.svg("size", "overlap", "charR@5")) == drawn(kept.read_text(encoding="utf-8"))


def test_darker_is_better():
    found = swept(measures="charR@2 Overlap@2")
    for measure, increasing in (("charR@2", True), ("Overlap@2", False)):
        cells = drawn(found.svg("size", "overlap", measure, places=6))[1]
        ordered = [sum(rgb(fill)) for fill, _, text in sorted(cells, key=lambda cell: float(cell[2].split()[0]))]
        assert ordered == sorted(ordered, reverse=increasing)


# folders of runs


def test_runs_are_kept_and_read_again(tmp_path):
    made = swept(chunkers=[fixed, sentences], keep=tmp_path / "kept", jobs=2)
    assert (tmp_path / "kept" / "chunker=fixed,size=10,overlap=0.jsonl").exists()
    for jobs in (1, 2):
        read = bp.sweep(truth=GOLD, runs=tmp_path / "kept", measures="charR@2 IoU@2", jobs=jobs)
        assert {(row["run"], row["measure"]): row["value"] for row in read.rows} == {
            (row["run"], row["measure"]): row["value"] for row in made.rows
        }
        assert read.rows[0]["chunks"] is None and read.parameters == ("chunker", "size", "overlap")


def halves(text, **others):
    return [(0, len(text) // 2), (len(text) // 2, len(text))]


@pytest.mark.parametrize(
    "name", ["a/b", "a\\b", "..", "nul", "a\0b", "a ", " ", "a:b", "a\nb", "\ud800", "50%", "a,b=c", "é"]
)
def test_odd_names_are_kept_and_read_again(tmp_path, name):
    chunkers = {name: halves, "a": halves, "": halves}
    for grid in ({}, {name or "size": [name, "other"]}):
        folder = tmp_path / f"kept{len(grid)}"
        made = swept(chunkers=chunkers, keep=folder, grid=grid)
        read = bp.sweep(truth=GOLD, runs=folder, measures="charR@2 IoU@2")
        assert sorted(read.names) == sorted(made.names)
        assert {str(setting["chunker"]) for setting in read.settings} == {name, "a", ""}
        assert not any(":" in file.name for file in folder.iterdir()), "a stream of a file, on Windows"


def test_names_that_are_too_long(tmp_path):
    for name in ("x" * 300, "é" * 50):
        with pytest.raises(UsageError, match=r"cannot be kept: its settings make a file name of 3.. bytes, and 255 is"):
            swept(chunkers={name: halves, "other": halves}, keep=tmp_path / "kept", grid={})
        assert not (tmp_path / "kept").exists()
        assert len(swept(chunkers={name: halves, "other": halves}, grid={}).names) == 2
    longest = "x" * (255 - len("chunker=.jsonl"))
    swept(chunkers={longest: halves, "other": halves}, keep=tmp_path / "kept", grid={})
    assert len(list((tmp_path / "kept").iterdir())) == 2


def test_folders_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "file", tmp_path / "file" / "inside", "a\0b"):
        with pytest.raises(UsageError, match=r"keep=: the folder .* cannot be made"):
            swept(keep=folder)


def test_no_run_replaces_another(tmp_path, monkeypatch):
    """A file system that does not tell upper from lower case."""
    monkeypatch.setattr(sweep_work, "file_of", lambda folder, name: Path(folder) / f"{name.lower()}.jsonl")
    with pytest.raises(UsageError, match="this file system ignores case"):
        swept(chunkers={"A": halves, "a": halves}, keep=tmp_path / "kept", grid={})


@pytest.mark.parametrize("values", [[10.0000001, 10.0000002], [10, "10"], [10, 10], [None, ""]])
def test_settings_of_one_name(tmp_path, values):
    with pytest.raises(UsageError, match=r"2 settings of the grid are called .*size="):
        swept(chunkers=halves, grid={"size": values}, keep=tmp_path / "kept")
    assert not (tmp_path / "kept").exists()


@pytest.mark.parametrize(
    ("path", "settings"),
    [
        ("size=200,overlap=50.jsonl", {"size": 200, "overlap": 50}),
        ("b=0.5.jsonl", {"b": 0.5}),
        ("b=0.5", {"b": 0.5}),
        ("b=0.5.tsv.gz", {"b": 0.5}),
        ("retriever=bm25/size=200.run", {"retriever": "bm25", "size": 200}),
        ("dense, size=1e3.jsonl", {"name": "dense", "size": 1000.0}),
        ("stem=True,model=a%2Fb.jsonl", {"stem": True, "model": "a/b"}),
        ("my.system.jsonl", {"name": "my.system"}),
    ],
)
def test_settings_in_names(path, settings):
    assert settings_in(path) == settings


def test_settings_that_are_wrong():
    with pytest.raises(UsageError, match="size is set twice"):
        settings_in("size=1/size=2.jsonl")
    with pytest.raises(UsageError, match="value is a column of the table already"):
        settings_in("value=1.jsonl")


def line(start, tag):
    return f'{{"topic": "cat", "doc": "pets", "start": {start}, "end": {start + 10}, "rank": 1, "tag": "{tag}"}}\n'


def test_folders(tmp_path):
    for folder, size in itertools.product(("retriever=b", "retriever=a"), (1000, 200)):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / f"size={size}.jsonl").write_text(line(size // 100, "same"))
    (tmp_path / ".hidden").write_text("nothing")
    found = bp.sweep(truth=GOLD, runs=tmp_path, measures="charR", documents=DOCUMENTS)
    assert [(row["retriever"], row["size"]) for row in found.rows] == [("a", 200), ("a", 1000), ("b", 200), ("b", 1000)]
    assert found.names[0] == "retriever=a,size=200" and found.rows[0]["value"] == pytest.approx(10 / 23 / 2)
    assert all(note.startswith("retriever=") for note in map(str, found.results.notes))
    assert "chunks" not in found.table()
    some = bp.sweep(truth=GOLD, runs=tmp_path, measures="charR", only=lambda setting: setting["size"] == 200)
    assert some.names == ("retriever=a", "retriever=b")


def test_folders_that_are_wrong(tmp_path):
    for wrong, message in [
        ({"runs": tmp_path}, "holds no runs"),
        ({"runs": tmp_path / "nothing"}, "is not a folder of runs"),
        ({"runs": tmp_path, "grid": {"size": [1]}}, "queries, words and grid need chunkers"),
    ]:
        with pytest.raises(UsageError, match=message):
            bp.sweep(truth=GOLD, measures="charR", **wrong)
    (tmp_path / "size=1.jsonl").write_text(line(0, "x"))
    (tmp_path / "size=1.json").write_text(line(0, "y"))
    with pytest.raises(UsageError, match=r"size=1.json and size=1.jsonl have the same settings"):
        bp.sweep(truth=GOLD, runs=tmp_path, measures="charR")


@pytest.mark.skipif(os.name == "nt" or sys.platform == "darwin", reason="names of files that are any bytes")
def test_names_of_runs_that_are_not_utf_8(tmp_path):
    path = os.path.join(os.fsencode(tmp_path), b"size=\xe9.run")
    with open(path, "wb") as out:
        out.write(b"1 Q0 a 1 1 r\n")
    with open(path.replace(b"\xe9", b"2"), "wb") as out:
        out.write(b"1 Q0 a 1 1 r\n")
    found = bp.sweep(truth={"1": {"a": 1}}, runs=tmp_path, measures="AP")
    assert len(found.results.runs) == 2
