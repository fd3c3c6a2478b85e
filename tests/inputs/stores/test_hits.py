"""Hits of stores: inner hits, objects of clients, several queries at once, and what is refused rather than misread."""

import json
from collections import namedtuple
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest
from many_cases import each

import berrypick as bp

GUIDE = "Plant in rows. Cut old canes in autumn. Pick the berries dry. Freeze what is left."
FAQ = "Which soil? Any soil will do. When to prune? After the harvest, to the ground."
TEXTS = {"guide": GUIDE, "faq": FAQ}
TRUTH = {"q": [("guide", 40, 61)]}  # Pick the berries dry.
WRONG = {"start": 0, "end": 14, "text": GUIDE[:14]}
RIGHT = {"start": 40, "end": 61, "text": GUIDE[40:61]}
SOURCE = {"source": "guide", **RIGHT}


def spans(run: Any, **options: Any) -> list[tuple[Any, ...]]:
    """(doc, start, end) of the results of topic q."""
    made = bp.run_from_objects(run, documents=TEXTS, **options)
    ranking = dict(made.rankings())["q"]
    names = [ranking.documents[i] for i in ranking.document]
    if ranking.start is None:
        return [(name,) for name in names]
    return list(zip(names, ranking.start.tolist(), ranking.end.tolist(), strict=True))


def both(tmp_path: Any, response: Any) -> list[tuple[Any, ...]]:
    """The results of a response that is given in Python, and the same as a file."""
    (tmp_path / "hits.json").write_text(json.dumps({"q": response}, indent=1))
    of_file = bp.read_run(tmp_path / "hits.json", "search-hits")
    ranking = dict(of_file.rankings())["q"]
    found = spans({"q": response})
    if ranking.start is not None:
        names = [ranking.documents[i] for i in ranking.document]
        assert list(zip(names, ranking.start.tolist(), ranking.end.tolist(), strict=True)) == found
    scores = ranking.score, dict(bp.run_from_objects({"q": response}, documents=TEXTS).rankings())["q"].score
    assert (scores[0] is None) == (scores[1] is None) and (scores[0] is None or (scores[0] == scores[1]).all())
    return found


def refused(tmp_path: Any, response: Any, match: str) -> None:
    """As a value and as a file, with the topic in both messages."""
    with pytest.raises(bp.BerrypickError, match=rf"topic q: .*{match}"):
        bp.evaluate(TRUTH, {"q": response}, "charR", documents=TEXTS)
    (tmp_path / "hits.json").write_text(json.dumps({"q": response}, indent=1))
    with pytest.raises(bp.InputError, match=rf"hits\.json:2: topic q: .*{match}"):
        bp.read_run(tmp_path / "hits.json", "search-hits")


def elastic(*hits: Any, **more: Any) -> dict[str, Any]:
    return {"took": 3, "timed_out": False, "_shards": {"total": 1, "failed": 0}, **more,
            "hits": {"total": {"value": len(hits)}, "max_score": None, "hits": list(hits)}}  # fmt: skip


def outer(name: str, source: Any = None, score: Any = 1.0, **inner: list[Any]) -> dict[str, Any]:
    lists = {key: {"hits": {"total": {"value": len(found)}, "hits": found}} for key, found in inner.items()}
    return {"_index": "i", "_id": name, "_score": score, **({} if source is None else {"_source": source}),
            **({"inner_hits": lists} if inner else {})}  # fmt: skip


def nested(name: str, number: int, source: Any, score: Any = 1.0, path: str = "chunks") -> dict[str, Any]:
    place = {"_nested": {"field": path, "offset": number}}
    return {"_index": "i", "_id": name, **place, "_score": score, "_source": source}


# --- inner hits -------------------------------------------------------------------------------------------------------


def test_inner_hits_are_the_results(tmp_path):
    """Without them the outer hit was the whole document: charR 1.0 for 0.0."""
    wrong = elastic(outer("guide", {"title": "Guide"}, chunks=[nested("guide", 0, WRONG)]))
    assert bp.evaluate(TRUTH, {"q": wrong}, "charR", documents=TEXTS).mean()["run"]["charR"] == 0
    right = elastic(outer("guide", {"title": "Guide"}, chunks=[nested("guide", 2, RIGHT)]))
    assert bp.evaluate(TRUTH, {"q": right}, "charR", documents=TEXTS).mean()["run"]["charR"] == 1
    assert both(tmp_path, right) == [("guide", 40, 61)]
    whole = {"title": "Guide", "text": ["all", "parts"], "page": 9, "chunks": [WRONG, RIGHT], "length": "12 min"}
    assert both(tmp_path, elastic(outer("guide", whole, chunks=[nested("guide", 2, RIGHT)]))) == [("guide", 40, 61)]


def test_inner_hits_are_ranked_by_outer_then_inner_rank(tmp_path):
    response = elastic(
        outer("1", {"source": "faq"}, 9.0, a=[nested("1", 0, {"start": 0, "end": 3}, 2.0),
                                              nested("1", 1, {"start": 3, "end": 6}, 1.0)],
              b=[nested("1", 2, {"start": 6, "end": 9}, 5.0)]),
        outer("2", {"source": "guide"}, 3.0, a=[], b=[nested("2", 0, {"start": 9, "end": 12}, 7.0)]),
    )  # fmt: skip
    assert both(tmp_path, response) == [("faq", 0, 3), ("faq", 6, 9), ("faq", 3, 6), ("guide", 9, 12)]
    ranking = dict(bp.run_from_objects({"q": response}).rankings())["q"]
    assert ranking.score.tolist() == [2.0, 5.0, 1.0, 7.0]


def test_inner_hits_inside_of_inner_hits(tmp_path):
    deepest = {
        **nested("guide", 0, {"title": "Section"}),
        "inner_hits": outer("", x=[nested("guide", 0, RIGHT)])["inner_hits"],
    }
    assert both(tmp_path, elastic(outer("guide", {}, sections=[deepest]))) == [("guide", 40, 61)]


def test_the_outer_hit_counts_where_it_has_no_inner_hits(tmp_path):
    for hit in (outer("c1", SOURCE), outer("c1", SOURCE, chunks=[])):
        assert both(tmp_path, elastic(hit)) == [("guide", 40, 61)]


def test_the_document_of_an_inner_hit(tmp_path):
    child = {"_index": "i", "_id": "c7", "_routing": "guide", "_score": 1.0, "_source": RIGHT}
    bare = {"_score": 1.0, "_source": RIGHT}
    named = {**child, "_source": {**RIGHT, "source": "guide"}}
    for hit in (child, bare, {**bare, "_id": "c7"}):
        assert both(tmp_path, elastic(outer("guide", {}, chunks=[hit]))) == [("guide", 40, 61)]
        assert both(tmp_path, elastic(outer("7", {"source": "guide"}, chunks=[hit]))) == [("guide", 40, 61)]
    assert both(tmp_path, elastic(outer("faq", {}, chunks=[named]))) == [("guide", 40, 61)]


def test_collapsed_documents_keep_their_own_names(tmp_path):
    group = [{"_index": "i", "_id": name, "_score": 1.0, "_source": {"author": "x"}} for name in ("guide", "faq")]
    assert both(tmp_path, elastic(outer("guide", {"author": "x"}, by_author=group))) == [("guide",), ("faq",)]


def test_inner_hits_that_say_no_place_are_refused(tmp_path):
    blind = nested("guide", 0, None)
    del blind["_source"]
    refused(tmp_path, elastic(outer("guide", {}, chunks=[blind])), "an inner hit of guide has neither offsets nor text")
    parent = {"_index": "i", "_id": "guide", "_score": 1.0, "_source": {"title": "Guide"}}
    chunk = outer("c1", SOURCE, parent=[parent])
    refused(tmp_path, elastic(chunk), "a hit in guide has offsets, and none of its inner hits has")
    for odd in ({"chunks": []}, {"chunks": {"hits": 3}}, "x"):
        refused(tmp_path, elastic({**outer("guide", {}), "inner_hits": odd}), "the inner_hits of a hit are not lists")


def test_inner_hits_with_a_list_of_values_in_each_field(tmp_path):
    """What ``fields`` of a search return: of nested objects under their name, or with it before theirs."""
    values = {name: [value] for name, value in RIGHT.items()}
    for fields in ({"chunks": [values]}, {f"chunks.{name}": value for name, value in values.items()}):
        inner = {**nested("guide", 0, None), "fields": fields}
        del inner["_source"]
        assert both(tmp_path, elastic(outer("guide", chunks=[inner]))) == [("guide", 40, 61)]
    flat = {"_index": "i", "_id": "7", "_score": 1.0, "fields": {"source": ["guide"], **values}}
    assert both(tmp_path, elastic(flat)) == [("guide", 40, 61)]
    metadata = {f"metadata.{name}": [RIGHT[name]] for name in ("start", "end")}
    flat = {**flat, "fields": {"metadata.source": ["guide"], "text": [RIGHT["text"]], **metadata}}
    assert both(tmp_path, elastic(flat)) == [("guide", 40, 61)]
    two = {**flat, "fields": {**flat["fields"], "text": ["a", "b"]}}
    refused(tmp_path, elastic(two), "text has 2 texts")


# --- lengths, places, scores ------------------------------------------------------------------------------------------


def test_a_length_makes_a_span_only_without_a_text(tmp_path):
    """The length of the document, or in minutes: charR was 1.0 for what the text covers."""
    for length in (5000, 82, "12 min", None):
        hit = outer("1", {"source": "guide", "start": 40, "text": GUIDE[40:44], "length": length})
        assert both(tmp_path, elastic(hit)) == [("guide", 40, 44)]
    assert both(tmp_path, elastic(outer("1", {"source": "guide", "offset": 40, "length": 21}))) == [("guide", 40, 61)]
    assert both(tmp_path, elastic(outer("1", {"source": "guide", "offset": 40.0, "length": 21.0}))) == [
        ("guide", 40, 61)
    ]
    assert both(tmp_path, elastic(outer("guide", {"length": 5000}))) == [("guide",)]
    refused(
        tmp_path,
        elastic(outer("1", {"source": "guide", "start": 4, "length": "12 min"})),
        "length must be a number, not '12 min'",
    )


def test_two_places_in_one_hit_are_refused(tmp_path):
    hit = outer("1", {"source": "guide", "start": 3, "start_index": 40, "text": GUIDE[40:61]})
    refused(tmp_path, elastic(hit), "has 2 fields for the start, which differ: start, start_index")
    same = outer("1", {"source": "guide", "start": 40, "start_index": 40, "text": GUIDE[40:61]})
    assert both(tmp_path, elastic(same)) == [("guide", 40, 61)]


def test_fields_that_are_not_read_are_noted(tmp_path, berrypick):
    hit = {
        **outer("1", {"source": "guide", **RIGHT, "author": "x", "length": 9, "empty": None}),
        "highlight": {"text": ["<em>x</em>"]},
    }
    note = "unread: author, length, highlight"
    (tmp_path / "hits.json").write_text(json.dumps({"q": elastic(hit)}))
    for run in ({"q": elastic(hit)}, tmp_path / "hits.json"):
        results = bp.evaluate(TRUTH, run, "charR", documents=TEXTS)
        assert [one for one in results.notes if note in str(one)]
    assert note in berrypick("check", tmp_path / "hits.json").out


def test_scores_that_are_null_or_distances(tmp_path):
    def scores(response: Any) -> Any:
        both(tmp_path, response)
        found = dict(bp.run_from_objects({"q": response}).rankings())["q"].score
        return None if found is None else found.tolist()

    sources = [SOURCE, {"source": "guide", **WRONG}]
    assert scores(elastic(*(outer(str(i), one, None) for i, one in enumerate(sources)))) is None
    assert scores(elastic(outer("1", sources[0], 2.0), outer("2", sources[1], None))) is None
    points = [{"id": i, "version": 1, "score": 0.2 + i, "payload": one} for i, one in enumerate(sources)]
    assert scores({"result": points, "status": "ok"}) == [-0.2, -1.2]  # Euclid
    assert scores({"result": points[::-1], "status": "ok"}) == [1.2, 0.2]
    assert "scores rise down the lists" in " ".join(bp.run_from_objects({"q": points}).notes)
    third = {"id": 9, "version": 1, "score": 0.7, "payload": SOURCE}
    assert scores({"result": [*points, third], "status": "ok"}) is None  # reranked: neither scores nor distances
    assert "scores neither fall nor grow" in " ".join(bp.run_from_objects({"q": [*points, third]}).notes)
    milvus = [[{"id": i, "distance": 0.5, "entity": one} for i, one in enumerate(sources)]]
    assert scores(milvus) is None


# --- several queries, failures ----------------------------------------------------------------------------------------

CHROMA = {"ids": [["1"], ["2"]], "documents": [["x"], ["y"]], "metadatas": [[{}], [{}]], "distances": [[0.1], [0.2]]}
POINT = {"id": 1, "version": 0, "score": 0.5, "payload": SOURCE}
HIT = outer("1", SOURCE)
SEVERAL = {
    "chroma": (CHROMA, "answers to 2 queries"),
    "chroma, ids alone": ({"ids": [["1"], ["2"]], "distances": None}, "answers to 2 queries"),
    "chroma, columns": ({"ids": [["1", "2"]], "documents": [["x"]], "metadatas": None}, "2 ids and 1 documents"),
    "chroma, mixed": ({"ids": ["1"], "documents": [["x"]]}, "1 ids and 1 documents"),
    "chroma, metadata": ({"ids": [["1"]], "metadatas": [["x"]]}, "the metadata of 1 is 'x'"),
    "chroma, ids": ({"ids": ["1", ["2"]], "documents": ["x", "y"]}, r"the id of a hit is \['2'\]"),
    "chroma, flat": ({"ids": ["1", "2"], "metadatas": [{}]}, "2 ids and 1 metadatas"),
    "msearch": ({"took": 1, "responses": [elastic(HIT), elastic(HIT)]}, "2 responses are given for one topic"),
    "qdrant batch": ({"result": [{"points": [POINT]}, {"points": [POINT]}], "status": "ok"}, "2 responses"),
    "qdrant search batch": ({"result": [[POINT], [POINT]], "status": "ok"}, "2 responses are given"),
    "a list": ([elastic(HIT), elastic(HIT)], "2 responses are given for one topic"),
    "milvus": ([[{"id": 1, "distance": 1.0, "entity": {}}], []], "2 lists of hits are given for one topic"),
    "weaviate": ({"data": {"Get": {"A": [], "B": []}}}, "answers to 2 queries"),
}
FAILED = {
    "elasticsearch": {"error": {"type": "index_not_found_exception"}, "status": 404},
    "in msearch": {"responses": [{"error": {"type": "x"}, "status": 400}]},
    "qdrant": {"status": {"error": "Not found"}, "time": 0.1},
    "weaviate": {"data": {"Get": {"A": [{"source": "guide"}]}}, "errors": [{"message": "partial"}]},
}


@pytest.mark.parametrize("what", SEVERAL)
def test_answers_to_several_queries_are_refused(tmp_path, what):
    refused(tmp_path, *SEVERAL[what])


@pytest.mark.parametrize("what", FAILED)
def test_failed_searches_are_refused(tmp_path, what):
    refused(tmp_path, FAILED[what], "the response says that the search failed")


def test_one_query_of_a_batch_is_read(tmp_path):
    alone = [{"responses": [elastic(HIT)]}, [elastic(HIT)], {"result": [{"points": [POINT]}], "status": "ok"},
             [{"points": [POINT]}], {"result": [[POINT]]}, [[{"pk": 1, "distance": 1, "entity": SOURCE}]]]  # fmt: skip
    for response in alone:
        assert both(tmp_path, response) == [("guide", 40, 61)]
    for empty in ({"result": [], "status": "ok", "time": 0.1}, {"matches": []}, {"points": []}, elastic(), [[]]):
        assert both(tmp_path, empty) == []


def test_incomplete_responses_are_noted(tmp_path, berrypick):
    late = elastic(HIT, timed_out=True)
    lost = elastic(HIT, _shards={"total": 3, "successful": 2, "failed": 1})
    found = bp.run_from_objects({"q": late, "r": lost, "s": elastic(HIT)})
    assert [note for note in found.notes if note.startswith("2 responses incomplete: the search timed out")]
    path = tmp_path / "hits.json"
    path.write_text(json.dumps({"q": late}))
    assert "1 response incomplete: the search timed out" in berrypick("check", path).out
    assert berrypick("check", path).code == 0


# --- other stores -----------------------------------------------------------------------------------------------------

STORES = {
    "pinecone": {"matches": [{"id": "7", "score": 0.9, "values": [], "metadata": SOURCE}], "namespace": ""},
    "pinecone, matches": [{"id": "7", "score": 0.9, "metadata": SOURCE}],
    "pinecone records": {"result": {"hits": [{"_id": "7", "_score": 0.9, "fields": SOURCE}]}, "usage": {}},
    "qdrant groups": {"result": {"groups": [{"id": "guide", "hits": [POINT]}]}, "status": "ok"},
    "milvus": [{"id": 7, "distance": 0.9, "entity": SOURCE}],
    "chroma": {"ids": [["7"]], "documents": [[RIGHT["text"]]], "distances": [[0.1]],
               "metadatas": [[{"source": "guide", "start": 40, "content": "html", "text": "summary"}]]},
}  # fmt: skip


@pytest.mark.parametrize("store", STORES)
def test_other_stores(tmp_path, store):
    assert both(tmp_path, STORES[store]) == [("guide", 40, 61)]


def test_a_match_without_metadata_is_called_by_its_id(tmp_path):
    assert both(tmp_path, {"matches": [{"id": "guide", "score": 0.9}]}) == [("guide",)]
    assert both(tmp_path, [{"id": "guide", "version": 0, "score": 0.9, "payload": None}]) == [("guide",)]


# --- objects of clients -----------------------------------------------------------------------------------------------


class Keyed:
    """As elastic-transport's ObjectApiResponse: like a dictionary, and none."""

    def __init__(self, body: dict[str, Any]) -> None:
        self.body, self.meta = body, SimpleNamespace(status=200)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["body"], name)

    def __getitem__(self, name: str) -> Any:
        return self.body[name]

    def __iter__(self) -> Any:
        return iter(self.body)


class Model:
    """As those of pydantic: iterates into pairs of names and values."""

    def __new__(cls, **fields: Any) -> Any:
        return object.__new__(type(cls.__name__, (cls,), {"model_fields": dict.fromkeys(fields)}))

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)

    def __iter__(self) -> Any:
        return iter(self.__dict__.items())


@dataclass
class Metadata:
    distance: float | None = None
    score: float | None = None


@dataclass
class Stored:
    uuid: str
    properties: dict[str, Any]
    metadata: Metadata = field(default_factory=Metadata)


@dataclass
class Return:
    objects: list[Stored]


class Struct:
    """As those of msgspec, which Pinecone's client returns."""

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)

    def __init_subclass__(cls, fields: str) -> None:
        cls.__struct_fields__ = tuple(fields.split())
        cls.__struct_encode_fields__ = tuple(name if name[-1] != "_" else f"_{name[:-1]}" for name in fields.split())


class Query(Struct, fields="matches namespace"):
    pass


class Scored(Struct, fields="id score values metadata"):
    pass


class Hit(Struct, fields="id_ score_ fields"):
    pass


class OpenModel:
    """As those of Pinecone's client before 8: fields by name in brackets, and None for any other attribute."""

    openapi_types: ClassVar[dict[str, Any]] = {}

    def __init__(self, **fields: Any) -> None:
        self.__dict__["_data_store"] = fields

    def __getattr__(self, name: str) -> Any:
        return self.__dict__["_data_store"].get(name)

    def __getitem__(self, name: str) -> Any:
        if name not in self.__dict__["_data_store"]:
            raise AttributeError(f"no attribute {name!r}")
        return self.__dict__["_data_store"][name]

    def to_dict(self) -> dict[str, Any]:
        held = self.__dict__["_data_store"].items()
        return {name: [one.to_dict() for one in value] if name == "matches" else value for name, value in held}


OBJECTS = {
    "pinecone before 8": OpenModel(matches=[OpenModel(id="7", score=0.9, values=[], metadata=SOURCE)], namespace=""),
    "elasticsearch": Keyed(elastic(HIT)),
    "qdrant": Model(points=[Model(**POINT)]),
    "qdrant, in a list": [Model(points=[Model(**POINT)])],
    "points": [Model(**POINT)],
    "weaviate": Return([Stored("7", SOURCE, Metadata(0.1))]),
    "pinecone": Query(matches=[Scored(id="7", score=0.9, values=[], metadata=SOURCE)], namespace=""),
    "pinecone records": SimpleNamespace(result=SimpleNamespace(hits=[Hit(id_="7", score_=0.9, fields=SOURCE)])),
    "namespace": SimpleNamespace(points=[SimpleNamespace(**POINT)]),
}


@pytest.mark.parametrize("client", OBJECTS)
def test_objects_of_clients(client):
    found = OBJECTS[client]
    assert spans({"q": found}) == [("guide", 40, 61)]
    by_name = bp.evaluate(TRUTH, {"mine": {"q": found}}, "charR", documents=TEXTS)
    assert by_name.mean() == {"mine": {"charR": 1.0}}
    if not isinstance(found, list):
        for given in (found, [found]):
            with pytest.raises(bp.UsageError, match="needs their topics"):
                bp.evaluate(TRUTH, given, "charR", documents=TEXTS)


Named = namedtuple("Named", "query_id doc_id score")


@dataclass
class Own:
    took: int = 3
    total: int = 2


class Words:
    """Iterates into texts, and is no list."""

    def __iter__(self) -> Any:
        return iter(["took", "hits"])


class Chunks:
    """As a response of an HTTP library: iterates into bytes."""

    def __iter__(self) -> Any:
        return iter([b'{"took"', b": 3}"])


@dataclass
class Circle:
    points: list[Any] = field(default_factory=list)


UNKNOWN = {
    "bytes": Chunks(),
    "like a dictionary": Keyed({"took": 3, "total": 2}),
    "pairs": Model(took=3, total="x"),
    "dataclass": Own(),
    "namespace": SimpleNamespace(took=3),
    "named tuple": Named("q", "guide", 2.0),
    "texts": Words(),
    "pairs of names and numbers": Model(guide=1.0),
    "a number": 3,
    "a text": "guide",
    "a class": Own,
    "an object": object(),
}


@each("what", UNKNOWN)
def test_unknown_objects_are_refused_by_name(what):
    given = UNKNOWN[what]
    with pytest.raises(
        bp.UsageError, match=rf"topic q: a dictionary of document to score .* not {type(given).__name__}"
    ):
        bp.run_from_objects({"q": given}, documents=TEXTS)
    if what not in ("a text", "texts", "bytes"):  # else these are names of files
        with pytest.raises(bp.UsageError, match=f"not {type(given).__name__}"):
            bp.evaluate(TRUTH, given, "charR", documents=TEXTS)


def test_a_frame_without_topics_has_the_results_of_one():
    """Any other would iterate into the names of its columns."""
    pandas = pytest.importorskip("pandas")
    assert spans({"q": pandas.DataFrame([SOURCE])}) == [("guide", 40, 61)]
    assert bp.evaluate(TRUTH, {"q": pandas.DataFrame([SOURCE])}, "charR").mean() == {"run": {"charR": 1.0}}
    for other in (pandas.DataFrame([{"price": 3}]), pandas.DataFrame([{"topic": "q", **SOURCE}])):
        with pytest.raises(bp.UsageError, match=r"topic q: .* not DataFrame"):
            bp.run_from_objects({"q": other}, documents=TEXTS)


def test_a_set_has_no_order():
    with pytest.raises(bp.UsageError, match="topic q: a set has no order"):
        bp.run_from_objects({"q": {("guide", 0, 5), ("guide", 5, 9)}})
    assert bp.evaluate({"q": {("guide", 40, 61)}}, {"q": [HIT]}, "charR").mean()["run"]["charR"] == 1


def test_lists_of_other_kinds_are_read():
    class Lazy:
        def __iter__(self) -> Any:
            return iter([HIT])

    for given in (iter([HIT]), {"a": HIT}.values(), Lazy(), (HIT,)):
        assert spans({"q": given}) == [("guide", 40, 61)]


@pytest.mark.slow
def test_hits_without_end_are_refused(tmp_path):
    circle = Circle()
    circle.points.append(SimpleNamespace(id=1, score=1.0, payload={"source": circle}))
    with pytest.raises(bp.InputError, match="topic q: a hit is nested too deeply, or holds itself"):
        spans({"q": circle})
    deep: dict[str, Any] = nested("guide", 0, RIGHT)
    for _ in range(3000):
        deep = {**nested("guide", 0, RIGHT), "inner_hits": {"x": {"hits": {"hits": [deep]}}}}
    with pytest.raises(bp.InputError, match=r"topic q: .* nested too deeply"):
        spans({"q": elastic(deep)})
    text = f'{{"q": {{"hits": {{"hits": [{{"_id": "1", "_score": 1, "inner_hits": {"[" * 9000}{"]" * 9000}}}]}}}}}}'
    (tmp_path / "deep.json").write_text(text)
    with pytest.raises(bp.InputError, match=r"deep\.json:"):
        bp.read_run(tmp_path / "deep.json")


def test_responses_without_topics_are_refused():
    pinecone = {"matches": STORES["pinecone, matches"]}
    for given in (elastic(HIT), {"hits": {"hits": [HIT]}}, {"points": [POINT]}, [HIT], pinecone):
        with pytest.raises(bp.UsageError, match="needs their topics"):
            bp.evaluate(TRUTH, given, "charR", documents=TEXTS)
        with pytest.raises(bp.UsageError, match=r"needs their topics|results are a dictionary"):
            bp.run_from_objects(given)
        with pytest.raises(bp.UsageError, match="needs their topics"):
            bp.evaluate(given, {"q": [HIT]}, "charR", documents=TEXTS)


def test_the_field_of_the_document_is_named_for_hits_too():
    hit = outer("7", {"manual": "guide", "source": "other", **RIGHT})
    assert spans({"q": elastic(hit)}, doc="manual") == [("guide", 40, 61)]
    assert spans({"q": [hit]}, doc="manual") == [("guide", 40, 61)]
    assert spans({"q": [{"manual": "guide", "doc": "other", **RIGHT}]}, doc="manual") == [("guide", 40, 61)]
    with pytest.raises(bp.InputError, match="a result has no 'part'"):
        spans({"q": elastic(hit)}, doc="part")


def test_hits_in_a_truth_are_quotes():
    without = {name: value for name, value in HIT.items() if name != "_source"} | {
        "_source": {"source": "guide", "text": RIGHT["text"]}
    }
    for given in (elastic(HIT), [HIT], elastic(without)):
        assert bp.evaluate({"q": given}, {"q": [("guide", 40, 61)]}, "IoU", documents=TEXTS).mean()["run"]["IoU"] == 1


# --- the clients themselves -------------------------------------------------------------------------------------------

RAG = "{} is not installed: pip install --group rag"


@pytest.mark.slow
def test_real_responses_of_elasticsearch():
    transport = pytest.importorskip("elastic_transport", reason=RAG.format("elasticsearch"))
    body = elastic(outer("guide", {}, chunks=[nested("guide", 0, RIGHT)]))
    assert spans({"q": transport.ObjectApiResponse(body=body, meta=None)}) == [("guide", 40, 61)]
    dsl = pytest.importorskip("elasticsearch.dsl", reason=RAG.format("elasticsearch"))
    response = pytest.importorskip("elasticsearch.dsl.response")
    for found in (elastic(HIT), body):
        made = response.Response(dsl.Search(), found)
        assert spans({"q": made}) == spans({"q": list(made)}) == spans({"q": made.hits}) == [("guide", 40, 61)]


@pytest.mark.slow
def test_real_responses_of_qdrant():
    qdrant = pytest.importorskip("qdrant_client", reason=RAG.format("qdrant-client"))
    for distance, sign in (("COSINE", 1), ("EUCLID", -1)):
        client = qdrant.QdrantClient(":memory:")
        size = qdrant.models.VectorParams(size=2, distance=qdrant.models.Distance[distance])
        client.create_collection("chunks", vectors_config=size)
        sources = [SOURCE, {"source": "guide", **WRONG}]
        made = [qdrant.models.PointStruct(id=i, vector=[1.0, float(i)], payload=one) for i, one in enumerate(sources)]
        client.upsert("chunks", made)
        found = client.query_points("chunks", query=[1.0, 0.1], with_payload=True)
        for given in (found, found.points, found.model_dump()):
            assert spans({"q": given}) == [("guide", 40, 61), ("guide", 0, 14)]
            scores = dict(bp.run_from_objects({"q": given}).rankings())["q"].score
            assert scores[0] > scores[1] and scores[0] * sign > 0
        request = qdrant.models.QueryRequest(query=[1.0, 0.1], with_payload=True)
        assert len(spans({"q": client.query_batch_points("chunks", [request])})) == 2
        with pytest.raises(bp.InputError, match="topic q: 2 responses are given for one topic"):
            spans({"q": client.query_batch_points("chunks", [request, request])})
        groups = client.query_points_groups("chunks", query=[1.0, 0.1], group_by="start", with_payload=True)
        assert spans({"q": groups}) == [("guide", 40, 61), ("guide", 0, 14)]


def test_a_score_too_large_for_a_float_is_refused():
    with pytest.raises(bp.BerrypickError, match="score must be a number of at most") as raised:
        bp.evaluate({"q": {"a": 1}}, {"q": [{"_id": "a", "_score": 10**400}]}, "AP")
    assert len(str(raised.value)) < 500
