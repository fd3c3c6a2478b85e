"""A field of a truth that says whether a row is relevant is its grade, under every name and in every carrier."""

import csv
import json
import re
from collections import namedtuple
from types import SimpleNamespace

import pandas
import polars
import pyarrow
import pytest
from many_cases import each

import berrypick as bp

NAMES = ["relevant", "is_relevant", "relevance", "relevance_label", "is_selected", "is_supporting", "is_positive",
         "label", "labels", "judgement", "judgment", "grade", "rel"]  # fmt: skip
#: A relevant and an irrelevant row, in the ways that people write them.
VALUES = {
    "numbers": (1, 0),
    "fractions": (0.5, 0.0),
    "booleans": (True, False),
    "words true": ("true", "FALSE"),
    "words yes": ("Yes", "no"),
    "words relevant": ("relevant", "Irrelevant"),
    "words not relevant": ("RELEVANT", "not relevant"),
    "words with dashes": ("relevant", "not-relevant"),
    "words positive": ("Positive", "negative"),
    "words support": ("support", "not_support"),
    "partially": ("Partially relevant", "irrelevant"),
}
TEXTS = {
    "guide": "Cut the old canes in autumn. Water the young ones in July.",
    "faq": "Nets keep birds away. Mulch keeps the roots cool.",
}
#: Topic, document, text and whether it is relevant.
JUDGED = [
    ("q1", "guide", "Cut the old canes in autumn.", True),
    ("q1", "guide", "Water the young ones in July.", False),
    ("q2", "faq", "Nets keep birds away.", False),
    ("q2", "faq", "Mulch keeps the roots cool.", True),
]
RUN = {"q1": [("guide", 0, 28)], "q2": [("faq", 0, 49)]}
#: q1 retrieves the relevant 28 characters and nothing else; q2 all 49 characters, of which 27 are relevant.
EXPECTED = {"charP": (1 + 27 / 49) / 2, "charR": 1.0}


def rows(name, yes, no):
    made = []
    for topic, document, text, relevant in JUDGED:
        start = TEXTS[document].index(text)
        place = {"topic": topic, "doc": document, "start": start, "end": start + len(text)}
        made.append({**place, name: yes if relevant else no})
    return made


def as_lines(records, folder):
    path = folder / "truth.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def as_json(records, folder):
    path = folder / "truth.json"
    path.write_text(json.dumps(records))
    return path


def as_csv(records, folder, mark=","):
    path = folder / "truth.csv"
    with path.open("w", newline="") as out:
        table = csv.DictWriter(out, list(records[0]), delimiter=mark)
        table.writeheader()
        table.writerows(records)
    return path


def as_parquet(records, folder):
    polars.DataFrame(records).write_parquet(folder / "truth.parquet")
    return folder / "truth.parquet"


def by_topic(records, folder):
    found = {}
    for record in records:
        found.setdefault(record["topic"], []).append({k: v for k, v in record.items() if k != "topic"})
    return found


def as_tuples(records, folder):
    names = [re.sub(r"\W", "_", name) for name in records[0]]
    made = namedtuple("Judged", names)
    return [made(*record.values()) for record in records]


def as_documents(records, folder):
    """As LangChain keeps what was judged: the grade is in the metadata."""
    found = {}
    for record in records:
        more = {k: v for k, v in record.items() if k not in ("topic", "doc", "start", "end")}
        metadata = {"source": record["doc"], "start_index": record["start"], **more}
        text = TEXTS[record["doc"]][record["start"] : record["end"]]
        found.setdefault(record["topic"], []).append(SimpleNamespace(page_content=text, metadata=metadata))
    return found


CARRIERS = {
    "JSON Lines": as_lines,
    "JSON": as_json,
    "CSV": as_csv,
    "CSV with semicolons": lambda records, folder: as_csv(records, folder, ";"),
    "Parquet": as_parquet,
    "records": lambda records, folder: records,
    "named tuples": as_tuples,
    "pandas": lambda records, folder: pandas.DataFrame(records),
    "polars": lambda records, folder: polars.DataFrame(records),
    "Arrow": lambda records, folder: pyarrow.Table.from_pylist(records),
    "by topic": by_topic,
    "documents": as_documents,
}
STYLES = {
    "camel": lambda name: re.sub(r"_(\w)", lambda match: match[1].upper(), name),
    "kebab": lambda name: name.replace("_", "-"),
    "upper": str.upper,
}


def means(truth, **options):
    [found] = bp.evaluate(truth, RUN, "charP charR", **options).mean().values()
    return found


def unread(results):
    return [str(note) for note in results.notes if "unread" in str(note)]


@pytest.mark.slow
@each(["name", "carrier"], [(name, carrier) for name in NAMES for carrier in CARRIERS])
def test_every_name_in_every_carrier_with_every_value(name, carrier, tmp_path):
    for style, (yes, no) in VALUES.items():
        results = bp.evaluate(CARRIERS[carrier](rows(name, yes, no), tmp_path), RUN, "charP charR", documents=TEXTS)
        assert [*results.mean().values()] == [pytest.approx(EXPECTED)], style
        assert unread(results) == [], style


@each(["name", "style"], [(name, style) for name in NAMES if "_" in name for style in STYLES])
def test_case_and_style_do_not_matter(name, style, tmp_path):
    for carrier in ("JSON Lines", "CSV", "Parquet", "records", "pandas", "by topic"):
        truth = CARRIERS[carrier](rows(STYLES[style](name), True, False), tmp_path)
        assert means(truth) == pytest.approx(EXPECTED), carrier


@each("carrier", CARRIERS)
def test_relevant_is_two_where_partially_relevant_is_one(carrier, tmp_path):
    """nDCG tells grades apart: ideal 2 at rank 1 and 1 at rank 2, retrieved the other way round."""
    words = ("partially relevant", "relevant", "irrelevant")
    for order in (words, words[::-1]):
        records = [{"topic": "q", "doc": word.split()[0], "relevance_label": word} for word in order]
        if carrier == "documents":
            continue
        truth = CARRIERS[carrier](records, tmp_path)
        run = {"q": {"partially": 3.0, "relevant": 2.0, "irrelevant": 1.0}}
        graded = {"q": {"partially": 1, "relevant": 2, "irrelevant": 0}}
        value = bp.score("nDCG@3", truth, run)
        assert value == pytest.approx(bp.score("nDCG@3", graded, run))
        assert value == pytest.approx((1 + 2 / 1.5849625007) / (2 + 1 / 1.5849625007))


@each("carrier", [name for name in CARRIERS if name != "documents"])
def test_relevant_alone_is_one(carrier, tmp_path):
    truth = CARRIERS[carrier](rows("label", "relevant", "not relevant"), tmp_path)
    path = tmp_path / "written.jsonl"
    bp.read_truth(truth).write(path) if carrier in ("JSON Lines", "CSV") else None
    assert means(truth) == means(rows("grade", 1, 0))
    if path.exists():
        assert {json.loads(line)["grade"] for line in path.read_text().splitlines()} == {0, 1}


@each(["carrier", "bad"], [(carrier, bad) for carrier in CARRIERS for bad in ("maybe", None)])
def test_another_value_is_an_error_with_its_line(carrier, bad, tmp_path):
    records = rows("is_relevant", "yes", "no")
    records[2]["is_relevant"] = bad
    with pytest.raises(bp.InputError) as error:
        means(CARRIERS[carrier](records, tmp_path), documents=TEXTS)
    first = str(error.value).partition("\n")[0]
    assert ("is_relevant" in first or "grade is missing" in first) and (bad is None or "'maybe'" in first)
    line = {"CSV": 4, "CSV with semicolons": 4, "JSON": 1}.get(carrier, 3)
    assert f":{line}: " in first


def test_a_grade_is_missing_only_where_something_is_judged(tmp_path):
    """Rows that say that there is no answer, or that a document was judged as a whole, need no grade."""
    path = tmp_path / "truth.csv"
    path.write_text("topic,doc,start,end,relevant,is_impossible\nq1,guide,0,28,yes,\nq2,,,,,true\n")
    assert bp.read_truth(path).unanswerable == ("q2",)
    lines = [{"topic": "q1", "doc": "guide", "start": 0, "end": 28, "relevant": True},
             {"topic": "q2", "answer": None, "relevant": None}]  # fmt: skip
    assert bp.read_truth(as_lines(lines, tmp_path)).unanswerable == ("q2",)


# --- lists ------------------------------------------------------------------------------------------------------------

PASSAGES = [text for _, document, text, _ in JUDGED[:2]]
ASKED = {"question": "When are canes cut?"}
ANSWERED = [{**ASKED, "doc": "guide", "start": 0, "end": 58}]
#: Of the 58 characters retrieved the first passage has 28.
ONE_OF_TWO = {"charP": 28 / 58, "charR": 1.0}


def answered(truth):
    [found] = bp.evaluate(truth, ANSWERED, "charP charR", documents=TEXTS).mean().values()
    return found


def as_list_lines(record, folder):
    path = folder / "truth.jsonl"
    path.write_text(json.dumps(record) + "\n")
    return path


LISTS = {
    "JSON Lines": as_list_lines,
    "records": lambda record, folder: [record],
    "pandas": lambda record, folder: pandas.DataFrame([record]),
    "polars": lambda record, folder: polars.DataFrame([record]),
}


@pytest.mark.slow
@each(["name", "carrier"], [(name, carrier) for name in NAMES for carrier in LISTS])
def test_a_list_beside_a_list_of_passages(name, carrier, tmp_path):
    for passages in ("contexts", "context", "passages", "reference_contexts"):
        for values in ([1, 0], [True, False], ["yes", "no"], ["relevant", "irrelevant"]):
            record = {**ASKED, passages: PASSAGES, name: values}
            assert answered(LISTS[carrier](record, tmp_path)) == pytest.approx(ONE_OF_TWO), (passages, values)


@pytest.mark.slow
@each(["name", "carrier"], [(name, carrier) for name in NAMES for carrier in LISTS if carrier != "polars"])
def test_passages_as_objects(name, carrier, tmp_path):
    objects = [{"text": text, name: value} for text, value in zip(PASSAGES, (True, False), strict=True)]
    columns = {name: [1, 0], "passage_text": PASSAGES, "url": ["a", "b"]}
    for passages in ("contexts", "passages"):
        for held in (objects, columns):
            truth = LISTS[carrier]({**ASKED, passages: held}, tmp_path)
            assert answered(truth) == pytest.approx(ONE_OF_TWO), (passages, held)


def test_a_list_of_relevant_items_stays_one(tmp_path):
    run = {"q": {"a": 2.0, "b": 1.0}}
    for items in (["a"], [{"doc": "a"}]):
        assert bp.score("P@2", [{"topic": "q", "relevant": items}], run) == 0.5
    judged = [{"topic": "q", "doc": ["a", "b"], "relevant": ["no", "yes"]}]
    assert bp.score("P@1", judged, run) == 0.0
    judged = [{"topic": "q", "relevant": [{"doc": "a", "is_relevant": False}, {"doc": "b", "is_relevant": True}]}]
    assert (bp.score("P@1", judged, run), bp.score("P@2", judged, run)) == (0.0, 0.5)


def test_lists_of_other_lengths_are_refused():
    with pytest.raises(bp.InputError, match="labels is a list of 3, but there are 2 quotes"):
        answered([{**ASKED, "contexts": PASSAGES, "labels": [1, 0, 1]}])
    with pytest.raises(bp.InputError, match="labels is a list of 2, but there is 1 quote"):
        answered([{**ASKED, "quote": PASSAGES[0], "labels": [1, 0]}])
    with pytest.raises(bp.InputError, match="labels must be a number"):
        answered([{**ASKED, "contexts": PASSAGES, "labels": [1, "perhaps"]}])


def test_numbers_by_document_may_be_words():
    run = {"q": {"a": 2.0, "b": 1.0}}
    for yes, no in ((True, False), ("yes", "no"), ("relevant", "not relevant")):
        assert bp.score("P@1", {"q": {"a": no, "b": yes}}, run) == 0.0
        assert bp.score("P@2", {"q": {"a": no, "b": yes}}, run) == 0.5
    with pytest.raises(bp.UsageError, match="grade of a is 'perhaps'"):
        bp.score("P@1", {"q": {"a": "perhaps"}}, run)


# --- fields that may mean something else ------------------------------------------------------------------------------

OPEN = ("score", "rating", "target", "gold", "verdict")
FLAT = [name for name in CARRIERS if name not in ("documents", "JSON Lines", "CSV", "CSV with semicolons")]


@pytest.mark.slow
@each(["name", "carrier"], [(name, carrier) for name in OPEN for carrier in CARRIERS if carrier != "documents"])
def test_an_open_field_is_refused_with_remedies_that_work(name, carrier, tmp_path):
    for yes, no in ((1, 0), (True, False), ("yes", "no")):
        truth = CARRIERS[carrier](rows(name, yes, no), tmp_path)
        with pytest.raises(bp.BerrypickError) as error:
            means(truth)
        assert f"grade={name}" in str(error.value)
        assert means(truth, fields=f"grade={name}") == pytest.approx(EXPECTED)
        assert means(truth, fields={"grade": name}) == pytest.approx(EXPECTED)
        assert means(truth, fields=f"{name}=") == means(rows("grade", 1, 1))


@each(["name", "carrier"], [(name, carrier) for name in OPEN[1:] for carrier in CARRIERS if carrier != "documents"])
def test_an_open_field_with_other_values_is_not_a_grade(name, carrier, tmp_path):
    truth = CARRIERS[carrier](rows(name, "Cut them in autumn.", "Berlin"), tmp_path)
    assert means(truth) == means(rows("grade", 1, 1))


@each("carrier", [name for name in CARRIERS if name != "documents"])
def test_an_open_field_beside_a_grade_is_not_one(carrier, tmp_path):
    records = [{**record, "rating": 3} for record in rows("relevant", True, False)]
    assert means(CARRIERS[carrier](records, tmp_path)) == pytest.approx(EXPECTED)


@each("carrier", [name for name in CARRIERS if name not in ("documents", "named tuples", "by topic")])
def test_score_is_the_grade_of_beir(carrier, tmp_path):
    records = [{"query-id": "q", "corpus-id": "a", "score": 0}, {"query-id": "q", "corpus-id": "b", "score": 1}]
    truth = CARRIERS[carrier](records, tmp_path)
    run = {"q": {"a": 2.0, "b": 1.0}}
    assert bp.evaluate(truth, run, "P@1 P@2").mean() == {"run": {"P@1": 0.0, "P@2": 0.5}}


# --- fields= and --fields ---------------------------------------------------------------------------------------------


@each("carrier", [name for name in CARRIERS if name not in ("documents", "by topic")])
def test_fields_names_every_role(carrier, tmp_path):
    new = {"topic": "thread", "doc": "page_name", "start": "first", "end": "last", "grade": "stars"}
    records = [{new[name]: value for name, value in row.items()} for row in rows("grade", 1, 0)]
    said = ",".join(f"{role}={name}" for role, name in new.items())
    assert means(CARRIERS[carrier](records, tmp_path), fields=said) == pytest.approx(EXPECTED)
    with pytest.raises(bp.BerrypickError, match="no field starz; did you mean stars"):
        means(CARRIERS[carrier](records, tmp_path), fields=said.replace("stars", "starz"))


def test_what_fields_must_be():
    truth = rows("score", 1, 0)
    for said, told in (
        ("gradee=score", "gradee is not a role; did you mean grade"),
        ("score", "is not ROLE=NAME"),
        ("grade=score,grade=rank", "grade is given twice"),
        ({"grade": 1}, "is not a role and the name of a field"),
        ("nothing=", "has no field nothing"),
    ):
        with pytest.raises(bp.UsageError, match=told):
            means(truth, fields=said)
    with pytest.raises(bp.UsageError, match="already read"):
        means(bp.Truth.from_records(rows("grade", 1, 0)), fields="grade=score")


def test_two_fields_of_relevance_agree_or_are_settled(tmp_path):
    records = [
        {**record, "label": "no" if not record["relevant"] else "yes"} for record in rows("relevant", True, False)
    ]
    assert means(records) == pytest.approx(EXPECTED)
    assert means(pandas.DataFrame(records)) == pytest.approx(EXPECTED)
    for record in records:
        record["label"] = "pruning"
    for truth in (records, pandas.DataFrame(records), as_lines(records, tmp_path), as_csv(records, tmp_path)):
        with pytest.raises(bp.BerrypickError, match="2 fields for the grade, which differ: label, relevant"):
            means(truth)
        assert means(truth, fields="grade=relevant") == pytest.approx(EXPECTED)
        assert means(truth, fields="label=") == pytest.approx(EXPECTED)
        results = bp.evaluate(truth, RUN, "charP", fields="grade=relevant", by="label")
        assert "label=pruning" in str(results) or "pruning" in str(results.to_records())


@pytest.mark.parametrize("command", ["evaluate", "compare"])
def test_commands_take_fields(command, tmp_path, berrypick):
    truth = as_lines(rows("score", 1, 0), tmp_path)
    run = tmp_path / "run.jsonl"
    places = [{"topic": topic, "doc": d, "start": a, "end": b} for topic, [(d, a, b)] in RUN.items()]
    run.write_text("".join(json.dumps({**place, "rank": 1}) + "\n" for place in places))
    refused = berrypick(command, truth, run, "-m", "charP", "-o", "json")
    assert refused.code == 2 and "--fields grade=score" in refused.err
    for said, value in (("grade=score", EXPECTED["charP"]), ("score=", (1 + 48 / 49) / 2)):
        done = berrypick(command, truth, run, "-m", "charP", "-o", "json", "--fields", said)
        assert done.code == 0
        assert [row["value"] for row in json.loads(done.out)] == [pytest.approx(value)]
    both = berrypick(command, truth, run, "-m", "charP", "-o", "json", "--fields", "grade=score", "--fields", "doc=doc")
    assert [row["value"] for row in json.loads(both.out)] == [pytest.approx(EXPECTED["charP"])]


def test_check_takes_fields(tmp_path, berrypick):
    truth = as_csv(rows("rating", 1, 0), tmp_path)
    refused = berrypick("check", truth)
    assert refused.code == 2 and "--fields grade=rating" in refused.out
    done = berrypick("check", truth, "--fields", "grade=rating")
    assert done.code == 0 and "4 judged spans, 2 relevant" in done.out
    lines = as_lines([*rows("is_relevant", True, False), {"topic": "q3", "doc": "d", "is_relevant": "maybe"}], tmp_path)
    wrong = berrypick("check", lines)
    assert wrong.code == 2 and "truth.jsonl:5: is_relevant must be" in wrong.out


# --- what stays -------------------------------------------------------------------------------------------------------


def test_a_run_may_have_fields_of_relevance(tmp_path):
    """Exports of judged results are runs where a run is expected; what they say of relevance is not read."""
    truth = rows("grade", 1, 0)
    for name in ("is_relevant", "relevant", "is_selected"):
        records = [{"topic": topic, "doc": d, "start": a, "end": b, "score": 1.0, name: False}
                   for topic, [(d, a, b)] in RUN.items()]  # fmt: skip
        for carrier in ("JSON Lines", "CSV", "Parquet", "records", "pandas"):
            run = CARRIERS[carrier](records, tmp_path)
            [found] = bp.evaluate(truth, run, "charP charR").mean().values()
            assert found == pytest.approx(EXPECTED), (name, carrier)
    run = [{"question": "q1", "retrieved": [{"doc": "guide", "start": 0, "end": 28}], "relevant": ["guide"]}]
    assert bp.score("charR", [{"topic": "q1", "doc": "guide", "start": 0, "end": 28}], run) == 1.0


def test_a_json_list_of_judgements(tmp_path, berrypick):
    path = tmp_path / "truth.json"
    path.write_text(json.dumps(rows("label", "yes", "perhaps"), indent=1))
    wrong = berrypick("check", path)
    assert wrong.code == 2 and "truth.json:10: label must be a number" in wrong.out
    path.write_text(json.dumps(rows("label", "yes", "no"), indent=1))
    right = berrypick("check", path)
    assert right.code == 0 and "span-list-truth, 2 topics, 4 judged spans, 2 relevant" in right.out


def test_labels_of_annotation_tools_keep_their_meaning(tmp_path):
    path = tmp_path / "export.jsonl"
    path.write_text('{"text": "Cut the old canes.", "label": [[0, 18, "relevant"]], "topic": "q1", "doc": "guide"}\n')
    assert bp.read_truth(path).format == "doccano"
    claim = '{"id": 7, "claim": "Jam sets.", "label": "SUPPORTS", "evidence": [[[1, 1, "Jam", 4]]]}\n'
    path.write_text(claim)
    assert bp.read_truth(path).format == "fever"


def test_a_field_that_differs_within_a_topic_is_no_group():
    records = [{**record, "stage": "a" if i % 2 else "b"} for i, record in enumerate(rows("relevant", True, False))]
    with pytest.raises(bp.BerrypickError, match="stage"):
        bp.evaluate(records, RUN, "charP", by="stage")
