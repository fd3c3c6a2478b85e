"""Each evaluation option is declared once, and appears wherever people meet options."""

from __future__ import annotations

import inspect
import typing
from pathlib import Path

import click
import pytest
from many_cases import each
from report_pages import Page

import berrypick as bp
from berrypick.cli import commands
from berrypick.cli.compare import compare_command
from berrypick.cli.evaluate import evaluate_command
from berrypick.cli.explain import explain_command
from berrypick.evaluation.options import EvaluationKeywords, SweepKeywords, options

OPTIONS = {option.name: option for option in options()}
COMMANDS = [evaluate_command, explain_command, compare_command, commands.get("report"), commands.get("plot")]
FUNCTIONS = {
    "evaluate": (bp.evaluate, ({"q": {"a": 1}}, {"q": {"a": 1.0}}, "AP")),
    "score": (bp.score, ("AP", {"q": {"a": 1}}, {"q": {"a": 1.0}})),
    "explain": (bp.explain, ({"q": {"a": 1}}, {"q": {"a": 1.0}}, "AP", "q")),
    "judge": (bp.judge, ({"q": {"a": 1}}, {"q": {"a": 1.0}}, "q")),
    "compare": (bp.compare, ({"q": {"a": 1}}, {"q": {"a": 1.0}}, "AP")),
    "sweep": (bp.sweep, ({"a": "text"}, {"q": {"a#0-1": 1}})),
    "write_report": (bp.write_report, ({"q": {"a": 1}}, {"q": {"a": 1.0}}, "AP")),
    "Evaluation.prepare": (bp.Evaluation.prepare, ({"q": {"a": 1}}, {"q": {"a": 1.0}}, "AP")),
}


@each("name", OPTIONS)
def test_it_has_help_and_a_flag_in_every_command(name):
    option = OPTIONS[name]
    assert option.help.endswith((".", "]")) and len(option.help) > 10 and option.label
    for command in COMMANDS:
        flags = {flag: one for one in command.params if isinstance(one, click.Option) for flag in one.opts}
        for flag in option.flags:
            assert flag in flags, f"{command.name} has no {flag}"
        assert flags[option.flags[0]].help == option.help
        if option.choices:
            assert tuple(flags[option.flags[0]].type.choices) == option.choices


def test_a_sweep_takes_all_but_the_documents():
    assert set(SweepKeywords.__annotations__) == set(EvaluationKeywords.__annotations__) - {"documents"}


def test_help_shows_types_as_people_write_them():
    shown = str(inspect.signature(bp.evaluate))
    assert "ForwardRef" not in shown and "berrypick." not in shown and "truth: '" not in shown
    assert "user: str | UserModel | PathLike[str] | None = None" in shown and shown.endswith("-> Results")


def test_other_names_are_accepted_and_never_suggested():
    judged, run, measure = FUNCTIONS["evaluate"][1]
    assert bp.evaluate(judged, run, metrics=measure).mean_rows
    with pytest.raises(bp.UsageError) as error:
        bp.evaluate(judged, run, metric=measure)
    assert "metrics" not in str(error.value)


@each("name", FUNCTIONS)
def test_signatures_list_the_options(name):
    parameters = inspect.signature(FUNCTIONS[name][0]).parameters
    for option in options():
        if option.name in parameters and not (name == "sweep" and option.name == "documents"):
            assert parameters[option.name].kind is inspect.Parameter.KEYWORD_ONLY
            assert parameters[option.name].default == option.default
        assert option.name in parameters
    assert not any(one.kind is one.VAR_KEYWORD for one in parameters.values())


def typed(name: str) -> str:
    """A typo: two letters in the middle swapped."""
    half = len(name) // 2
    return name[: half - 1] + name[half] + name[half - 1] + name[half + 1 :]


def typos():
    for name, (function, _) in FUNCTIONS.items():
        for parameter in inspect.signature(function).parameters.values():
            if parameter.kind is parameter.KEYWORD_ONLY and typed(parameter.name) != parameter.name != "by":
                yield name, parameter.name


@each(["name", "parameter"], typos())
def test_typos_get_a_suggestion(name, parameter, tmp_path):
    function, arguments = FUNCTIONS[name]
    required = {"html": tmp_path / "page.html"} if name == "write_report" and parameter != "html" else {}
    if name == "write_report" and parameter == "html":
        return  # without it Python itself says what is missing
    with pytest.raises(bp.UsageError) as error:
        function(*arguments, **required, **{typed(parameter): "x"})
    said = str(error.value)
    assert said.startswith(f"{name}() has no option '{typed(parameter)}'; did you mean ")
    assert parameter in said.split("did you mean ")[1].rstrip("?").split(" or ")
    assert not list(tmp_path.iterdir())


#: A value other than the default of every option, in an evaluation that it suits.
ELEMENTS, WEB, VIDEO = (Path(bp.__file__).parent / "demo" / name for name in ("campaign", "web", "video"))


def _ideal_element(truth: Path) -> str:
    """The first relevant element of an assessed topic, as a run."""
    for name, topic in bp.read_truth(truth).topics.items():
        for row in range(len(topic)):
            if topic.grade[row] > 0:
                return f"{name} Q0 {topic.document[row]} 1 1 ideal {topic.path[row]}\n"
    raise AssertionError("nothing is relevant")


def given(tmp_path: Path) -> dict[str, tuple[typing.Any, dict[str, typing.Any]]]:
    """{option: (value, evaluation it suits)}"""
    documents = {"truth": {"q": {"a": 1}}, "runs": {"q": {"b": 2.0, "a": 1.0}}, "measures": "EPRUM PRUM"}
    documents["units"] = 9
    spans = {"truth": {"q": {"d#0-10": 1}}, "runs": {"q": {"d#0-20": 1.0}}, "measures": "EPRUM charP"}
    texts = {"d": "the cat sat on the mat. " * 5}
    elements = {"truth": ELEMENTS / "assessments.xml", "runs": [ELEMENTS / "runs" / "sections.xml"],
                "measures": "EPRUM", "collection": ELEMENTS / "collection"}  # fmt: skip
    pages = {"truth": WEB / "answers.qrels", "runs": [WEB / "exact.run"], "measures": "EPRUM"}
    chunks = tmp_path / "chunks.jsonl"
    chunks.write_text('{"topic": "all", "doc": "d", "start": 0, "end": 20, "rank": 1}\n', encoding="utf-8")
    ideal = tmp_path / "ideal.run"
    ideal.write_text(_ideal_element(elements["truth"]), encoding="utf-8")
    return {
        "user": ("coverage", spans),
        "navigation": (WEB / "clicks.tsv", pages),
        "collection": (VIDEO / "videos.tsv", {
            "truth": VIDEO / "segments.jsonl", "runs": [VIDEO / "shots.jsonl"], "measures": "EPRUM"}),
        "documents": (texts, spans),
        "fields": ({"grade": "rating"}, {**spans, "truth": [
            {"topic": "q", "doc": "d", "start": 0, "end": 10, "rating": 1}]}),
        "offsets": ("bytes", {**spans, "documents": texts}),
        "text_mismatch": ("note", {**spans, "documents": texts}),
        "copies": ("same", {**spans, "documents": texts}),
        "copies_least": (20, {**spans, "documents": texts, "copies": "same"}),
        "unplaced": ("irrelevant", {**spans, "documents": texts}),
        "quotes": ("fuzzy", {**spans, "documents": texts}),
        "chunks": (chunks, spans),
        "ignore_elements": ("emph,link", elements),
        "ideal_elements": (ideal, elements),
        "idealism": ("1=.5", documents),
        "effort": ("chars", {**spans, "measures": "Coverage(budget=9)"}),
        "tokenizer": ("words", {**spans, "measures": "Coverage(budget=9)", "documents": texts, "effort": "tokens"}),
        "units": (7, {**documents, "units": None}),
        "protocol": ("inex2010", {**elements, "measures": "AiP"}),
        "task": ("focused", {**elements, "measures": "AiP"}),
        "repair": ("drop-overlap", {**elements, "measures": "AiP"}),
        "duplicates": ("first", documents),
        "topics": ("run", documents),
        "stage": ("first", {**documents, "runs": [
            {"topic": "q", "doc": "a", "rank": rank, "stage": stage} for rank, stage in ((1, "first"), (1, "reranked"))
        ]}),
        "missing": ("absent", {**documents, "truth": {"q": {"a": 1}, "none": None}, "measures": "Abstained"}),
        "order": ("file", documents),
        "min_score": (1.5, documents),
        "by": ("doc", spans),
        "topic_table": ({"q": {"domain": "law"}}, {**spans, "by": "domain"}),
        "annotators": ("majority", spans),
        "unjudged": ("relevant", {**spans, "measures": "charP"}),
        "strict": (True, documents),
        "level": ("file", {**documents, "truth": {"q": {"a:1": 1}}, "runs": {"q": {"a:2": 1.0}}}),
        "id_pattern": (r"(?P<doc>\w)-(?P<start>\d+)-(?P<end>\d+)", {
            **spans, "truth": {"q": {"d-0-10": 1}}, "runs": {"q": {"d-0-20": 1.0}}}),
        "whole_documents": (True, {**spans, "runs": {"q": {"d": 1.0}}, "measures": "charP", "documents": texts}),
    }  # fmt: skip


@pytest.mark.parametrize("name", OPTIONS)
def test_it_appears_in_the_signature_and_in_the_report(name, tmp_path):
    pytest.importorskip("vl_convert")
    value, other = given(tmp_path)[name]
    option = OPTIONS[name]
    inputs = dict(other)
    truth, runs, measures = inputs.pop("truth"), inputs.pop("runs"), inputs.pop("measures")
    inputs = {key: one for key, one in inputs.items() if one is not None and key != name} | {name: value}
    results = bp.evaluate(truth, runs, measures, **inputs)
    keys = {key for row in results.mean_rows for key, _ in row.signature.fields}
    if option.signature:
        assert option.signature in keys
        assert any(row.signature.get(option.signature) for row in results.mean_rows)
    else:
        assert name not in keys
    bp.write_report(truth, runs, measures, html=tmp_path / "page.html", readers="none", **inputs)
    assert dict(Page(tmp_path / "page.html").overview["configuration"])[option.label]
