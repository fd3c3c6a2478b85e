"""What holds for every measure, found by itself: ours, and one of another package."""

import doctest
import importlib
import inspect
import math
import re
from dataclasses import replace

import example_plugin
import ir_measures
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from many_cases import each
from prepared_worlds import suiting

import berrypick as bp
from berrypick import measures
from berrypick.data import references
from berrypick.data.laws import LAWS
from berrypick.data.results import ALL
from berrypick.evaluation.requested import parse_measure
from berrypick.measures.base import as_score
from berrypick.tables.text import explanation

OURS = sorted(measures.registry.built_in().items())
MEASURES = [*OURS, ("Detours", example_plugin.Detours)]
SECTIONS = ["Formula", "Meaning", "Use", "Bounds", "Undefined", "Example"]

every_measure = each(["name", "cls"], MEASURES, ids=[name for name, _ in MEASURES])
every_measure_of_ours = each(["name", "cls"], OURS, ids=[name for name, _ in OURS])


def typed(cls, at="given"):
    """The measure as a person would type it."""
    cutoff = {"none": "", "rank": "@3", "level": "@0.5"}[cls.cutoff]
    return cls.name() + (cutoff if at == "given" or cls.cutoff_required else "")


def forms(cls):
    return list(dict.fromkeys([typed(cls), typed(cls, at="left out")]))


def sections(cls):
    """{title: text} of a docstring whose titles are underlined."""
    doc = inspect.getdoc(cls)
    parts = re.split(r"^(\w[\w ]*)\n-{3,}\n", doc, flags=re.MULTILINE)
    return dict(zip(parts[1::2], (part.strip() for part in parts[2::2]), strict=True))


def test_there_are_measures():
    assert {"EPRUM", "PRUM", "epnav", "ExpectedRatio", "T2I", "ESL", "ESLRF", "PT2I", "SegP", "SegR"} <= set(
        measures.registered()
    )


def test_files_with_measures_hold_nothing_else_that_looks_like_one():
    """Measures are found by the class statements of public files, without loading them."""
    assert all(one.load().name() == name for name, one in measures.registry.definitions().items())


@every_measure_of_ours
def test_a_file_holds_one_measure_named_like_it_or_a_family(name, cls):
    """The docstring of a module begins with its measures: ``SegP and SegR: ..``."""
    family = [one for one, other in OURS if other.__module__ == cls.__module__]
    assert len(family) > 1 or cls.__module__.rpartition(".")[2] == name.lower()
    head = importlib.import_module(cls.__module__).__doc__.partition(":")[0]
    assert set(re.findall(r"\w+", head)) - {"and"} == set(family)


@every_measure_of_ours
def test_its_page_has_all_sections_in_order(name, cls):
    found = sections(cls)
    assert list(found) == SECTIONS
    assert all(found.values())
    first = inspect.getdoc(cls).splitlines()[0]
    assert first.endswith(".") or ". " in first, "a first line that can stand alone"


@every_measure_of_ours
def test_its_example_is_true(name, cls):
    module = importlib.import_module(cls.__module__)
    parser = doctest.DocTestParser()
    test = parser.get_doctest(sections(cls)["Example"], dict(vars(module)), name, module.__file__, 0)
    assert test.examples, "an example that can be run"
    told = []
    failed = doctest.DocTestRunner(verbose=False).run(test, out=told.append).failed
    assert not failed, "".join(told)


def calls(name, source):
    """Whether a line of an example calls berrypick with a measure or user model of this name."""
    return re.search(rf"\bbp\.\w+\(.*\b{name}\b", source) is not None


@every_measure_of_ours
def test_its_example_calls_it(name, cls):
    examples = doctest.DocTestParser().get_examples(sections(cls)["Example"])
    assert any(calls(name, example.source) and example.want for example in examples), "an example that calls it"


def test_arithmetic_is_no_call():
    assert calls("charP", 'bp.score("charP", truth, run)') and calls("nxCG", 'round(bp.score("nxCG@3", t, r), 4)')
    assert not calls("charP", "120 / 300") and not calls("charP", 'bp.score("charPrecision", t, r)')


@every_measure
def test_its_parameters_are_documented(name, cls):
    for parameter in cls.parameters():
        assert parameter.help and parameter.help[-1] != ".", parameter.name
        assert parameter.kind in ("int", "number", "number or text", "bool", "text", "any") or "|" in parameter.kind
        assert parameter.check is None or parameter.must, "what a value must be is told"


@every_measure
def test_it_declares_laws_that_are_known(name, cls):
    assert set(cls.laws) <= set(LAWS) and not cls.definition_problem()
    assert list(cls.laws) == [law for law in LAWS if law in cls.laws], "in the order of all laws"


@every_measure_of_ours
def test_its_references_are_in_the_bibliography(name, cls):
    assert cls.references
    for key in cls.references:
        assert key in references.entries()
        assert references.cited(key)


@every_measure
def test_it_prints_what_it_is(name, cls):
    for text in forms(cls):
        measure = parse_measure(text)
        assert type(measure) is cls
        assert parse_measure(str(measure)) == measure


@pytest.mark.parametrize(("name", "cls"), MEASURES, ids=[name for name, _ in MEASURES])
@settings(max_examples=10)
@given(data=st.data())
def test_it_prints_what_it_is_with_any_parameters(name, cls, data):
    values = {}
    for parameter in cls.parameters():
        kind = parameter.kind
        drawn = {
            "int": st.integers(1, 10**6),
            "number": st.one_of(st.integers(1, 1000), st.floats(1e-6, 1e6)),
            "bool": st.booleans(),
            "text": st.just("classical"),
        }.get(kind, st.sampled_from(kind.split("|")))
        if data.draw(st.booleans()):
            values[parameter.name] = data.draw(drawn)
    at = data.draw({"none": st.none(), "rank": st.integers(1, 10**9), "level": st.floats(0, 1)}[cls.cutoff])
    try:
        measure = cls(**values, **({} if at is None else {"at": at}))
    except bp.UsageError:
        return  # parameters that do not go together
    again = parse_measure(str(measure))
    assert (again.parameter_values(), again.at, str(again)) == (measure.parameter_values(), measure.at, str(measure))


@every_measure
def test_an_unknown_parameter_is_refused_and_the_nearest_named(name, cls):
    known = [parameter.name for parameter in cls.parameters()]
    at = typed(cls).removeprefix(name)
    with pytest.raises(bp.UsageError) as error:
        parse_measure(f"{name}(qqqq=1){at}")
    assert "qqqq" in str(error.value) and name in str(error.value)
    for parameter in known:
        if len(parameter) > 3:
            with pytest.raises(bp.UsageError, match=rf"did you mean .*\b{parameter}\b"):
                parse_measure(f"{name}({parameter + parameter[-1]}=1){at}")
        elif known:
            with pytest.raises(bp.UsageError, match=rf"\b{parameter}\b"):
                parse_measure(f"{name}(qqqq=1){at}")


@every_measure
def test_cut_offs_it_does_not_take_are_refused(name, cls):
    wrong = {"none": ["@1"], "rank": ["@0", "@1.5", "@-1"], "level": ["@1.5", "@-0.1", "@10"]}[cls.cutoff]
    for at in wrong:
        with pytest.raises(bp.UsageError):
            parse_measure(f"{name}{at}")
    if cls.cutoff_required:
        with pytest.raises(bp.UsageError, match="needs a cut-off"):
            parse_measure(name)


@every_measure
def test_it_has_values_within_its_bounds(name, cls):
    bounds = sections(cls).get("Bounds", "")
    least = -math.inf if "below 0" in bounds else 0.0
    most = math.inf if cls.why_above_one else 1.0
    seen = 0
    for seed in range(6):
        for text in forms(cls):
            for world in suiting(text, seed):
                results = world.evaluate(text)
                for row in results:
                    if row.value is not None:
                        seen += 1
                        assert isinstance(row.value, float) and math.isfinite(row.value)
                        assert least - 1e-9 <= row.value <= most + 1e-9, (world.name, seed, row)
    assert seen, "some value somewhere"


@every_measure
def test_a_topic_without_targets_is_undefined(name, cls):
    for text in forms(cls):
        for world in suiting(text):
            value = world.evaluate(text).per_topic()["run"][text]["3"]
            # 0 there, as the programs count
            defined = name.startswith("Highlight") or name in ("Selected", "Verified", "Abstracts")
            assert (value is None) != (defined or (name == "Abstained" and world.truth.topics["3"].unanswerable)), (
                world.name
            )


@every_measure
def test_a_topic_missing_from_the_run_scores_as_an_empty_list(name, cls):
    """By the measure's own formula: nobody is better off with silence, and a junk result never raises a value."""
    for text in forms(cls):
        for world in suiting(text):
            value = world.evaluate(text).per_topic()["run"][text]["2"]
            judged = bp.judge(world.truth, world.run, "2", **world.options)
            assert not judged.answered and not len(judged.ranking)
            computed = as_score(parse_measure(text).compute(replace(judged, answered=True))).value
            assert value == (computed if computed is None else pytest.approx(computed, abs=1e-12)), world.name
            if name in ("Overlap", "Abstained", "charJudged", "CostAt", "Waste", "Drop"):
                assert value is None
            elif name not in ("ESL", "Missing", "PRUM", "PRecall", "GRP", "PT2I", "PrecisionOmega", "Detours"):
                assert value == 0.0, world.name


@every_measure
def test_the_mean_leaves_out_what_is_undefined(name, cls):
    for world in suiting(typed(cls)):
        results = world.evaluate(typed(cls))
        values = [v for v in results.per_topic()["run"][typed(cls)].values() if v is not None]
        expected = math.fsum(values) / (1 if cls.summed else len(values)) if values else None
        assert results.mean()["run"][typed(cls)] == expected


@every_measure
def test_signatures_hold_name_cut_off_and_parameters(name, cls):
    text = typed(cls)
    for world in suiting(text):
        for row in world.evaluate(text):
            parts = str(row.signature).split("|")
            assert parts[0] == text
            assert f"v:{bp.__version__}" in parts
            for parameter, value in parse_measure(text).parameter_values().items():
                assert any(part.startswith(f"{parameter}:") for part in parts), (parameter, value)


@every_measure
def test_it_explains_itself(name, cls):
    for text in forms(cls):
        for world in suiting(text):
            for topic in ("1", "2", "3"):
                told = explanation(world.explain(topic, text))
                assert name in told.splitlines()[0] and f"topic {topic}" in told.splitlines()[0]
                assert len(told.splitlines()) > 1
                assert not re.search(r"\bnan\b|\binf\b", told), told


@every_measure
def test_the_title_of_an_explanation_names_the_cut_off(name, cls):
    text = typed(cls)
    if "@" in text:
        world = suiting(text)[0]
        assert text.partition("@")[2] in explanation(world.explain("1", text)).splitlines()[0]


@every_measure
def test_its_curve_can_be_drawn(name, cls):
    for world in suiting(typed(cls)):
        curves = world.evaluate(typed(cls), curves=True).curves().get("run", {}).get(typed(cls), {})
        assert bool(curves.get("1")) == (cls.has_curve() and "1" in curves)
        for curve in curves.values():
            points = np.array(curve, dtype=np.float64).reshape(-1, 2)
            assert np.isfinite(points).all()
            assert (np.diff(points[:, 0]) > 0).all(), "from left to right"
        if curves:
            assert ALL in curves


@every_measure
def test_it_says_what_the_axes_of_its_curve_show(name, cls):
    assert cls.has_curve() == all(cls.curve_axes)


@every_measure
def test_other_names_mean_the_same(name, cls):
    for alias in cls.aliases:
        assert parse_measure(typed(cls).replace(name, alias, 1)) == parse_measure(typed(cls))


@every_measure_of_ours
def test_it_is_found_without_loading_others(name, cls):
    assert measures.registry.definitions()[name].load() is cls
    assert measures.registry.definitions()[name].facts.get("aliases", ()) == cls.aliases
    theirs = ir_measures.measures.registry
    assert all(name == theirs[alias].NAME for alias in cls.aliases if alias in theirs), "the same measure there"


@every_measure
def test_the_command_line_shows_it(name, cls, berrypick):
    page = berrypick("show", "measure", name)
    assert page.code == 0 and page.err == ""
    assert cls.description() in page.out
    for section in SECTIONS if (name, cls) in OURS else ():
        assert section in page.out
    for parameter in cls.parameters():
        assert parameter.help in page.out
    bibliography = berrypick("show", "measure", name, "--bibtex")
    assert bibliography.code == 0
    assert all(f"{{{key}," in bibliography.out for key in cls.references)


def test_the_list_names_all(berrypick):
    listed = berrypick("list", "measures")
    assert listed.code == 0
    for name, _ in MEASURES:
        assert re.search(rf"^{name}\s", listed.out, re.MULTILINE)


def test_no_measure_but_those_of_documents_has_the_name_of_one_of_ir_measures():
    """Ours are found by name before ir_measures is asked, which would have to be loaded for that."""
    known = measures.registry.definitions()
    ours = {name for name, one in known.items() if not one.module.startswith("berrypick.measures.documents.")}
    assert not ours & {*measures.document_measures.names()}
