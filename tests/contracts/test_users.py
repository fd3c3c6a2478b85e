"""What holds for every user model, found by itself: ours, and one of another package."""

import doctest
import importlib
import inspect
import re

import example_plugin
import numpy as np
import pytest
from many_cases import each
from prepared_worlds import LENGTHS, PAGES, prepared, tables

import berrypick as bp
from berrypick import users
from berrypick.data import references
from berrypick.evaluation.evaluation_context import prepare_context
from berrypick.evaluation.options import EvaluationOptions
from berrypick.topics.judge import judge_topic
from berrypick.users import ReaderContext, build

OURS = sorted(users.registry.built_in().items())
MODELS = [*OURS, ("opener", example_plugin.Opener)]


def typed(name):
    """The model as a person types it; where it is not known what positions count, tolerance has no default."""
    return {"t2i": "t2i(tolerance=300)"}.get(name, name)


every_model = each(["name", "cls"], MODELS, ids=[name for name, _ in MODELS])
every_model_of_ours = each(["name", "cls"], OURS, ids=[name for name, _ in OURS])


def make_context(**options):
    return prepare_context(EvaluationOptions.from_arguments(options))


def judged_by(model, seed=0):
    """(world, judged ranking, ReaderContext) wherever the model can read."""
    found, refused = [], []
    for world in (one for one in prepared(seed) if not one.made_for):  # those have nothing that readers reach
        for kind, navigation in [("none", None), *tables(np.random.default_rng(seed)).items()]:
            if (navigation is not None) != bool(build(model).navigation):
                continue
            try:
                options = {**world.options, "navigation": navigation, "user": model}
                results = bp.evaluate(world.truth, world.run, "ExpectedRatio", **options)
            except (bp.UsageError, bp.InputError) as error:
                refused.append(f"{world.name}, {kind}: {error}")
            else:
                found.append((world, navigation, results))
    assert found, f"no prepared world suits {model}: {refused}"
    return found


def test_the_models_of_the_interface_are_there():
    assert set(users.registered()) >= {
        "classical",
        "coverage",
        "hierarchy",
        "t2i",
        "distance",
        "bep",
        "fetch_browse",
        "window",
        "table",
    }


def test_files_with_user_models_hold_nothing_else_that_looks_like_one():
    """User models are found by the class statements of public files, without loading them."""
    assert all(one.load().name() == name for name, one in users.registry.definitions().items())


@every_model_of_ours
def test_one_file_per_model_named_like_it(name, cls):
    assert cls.__module__.rpartition(".")[2] == name
    assert importlib.import_module(cls.__module__).__doc__.startswith(f"{name}:")


@every_model
def test_it_says_what_the_reader_does_and_what_it_costs(name, cls):
    doc = inspect.getdoc(cls)
    assert len(doc.splitlines()) > 2
    assert "Effort:" in doc


@every_model
def test_an_example_calls_it_and_is_true(name, cls):
    examples = doctest.DocTestParser().get_examples(inspect.getdoc(cls))
    assert not examples or any(re.search(rf"\bbp\.\w+\(.*\b{name}\b", example.source) for example in examples)
    for test in doctest.DocTestFinder(recurse=False).find(cls, name, globs={}):
        assert doctest.DocTestRunner(verbose=False).run(test).failed == 0


@every_model
def test_its_parameters_are_documented(name, cls):
    for parameter in cls.parameters():
        assert parameter.help
        assert parameter.check is None or parameter.must


@every_model
def test_its_references_are_in_the_bibliography(name, cls):
    for key in cls.references:
        assert key in references.entries()


@every_model
def test_it_prints_what_it_is(name, cls):
    model = build(name)
    assert type(model) is cls
    assert build(str(model)) == model


@every_model
def test_an_unknown_parameter_is_refused_and_the_nearest_named(name, cls):
    with pytest.raises(bp.UsageError, match="nonsense"):
        build(f"{name}(nonsense=1)")
    for parameter in cls.parameters():
        if len(parameter.name) > 3:
            with pytest.raises(bp.UsageError, match=rf"did you mean .*\b{parameter.name}\b"):
                build(f"{name}({parameter.name + parameter.name[-1]}=1)")


@every_model
def test_a_misspelt_name_is_refused_and_the_nearest_named(name, cls):
    with pytest.raises(bp.UsageError, match=rf"did you mean .*\b{name}\b"):
        build(name + name[-1])


@every_model
def test_it_takes_no_cut_off(name, cls):
    with pytest.raises(bp.UsageError):
        build(f"{name}@3")


@every_model
def test_reach_is_a_probability(name, cls):
    for seed in range(5):
        for world, navigation, results in judged_by(typed(name), seed):
            for row in results:
                assert row.value is None or 0 <= row.value <= 1 + 1e-12, world.name
            context = make_context(
                user=typed(name), navigation=navigation, **world.options
            )  # what evaluate does inside
            judged = judge_topic(world.truth, world.run, "1", context)
            for reach in (judged.reach, judged.candidates.reach):
                assert reach.targets == len(judged.targets)
                assert ((reach.probability > 0) & (reach.probability <= 1)).all()
                assert not judged.context.user.certain or (reach.probability == 1).all()
                assert len(set(zip(reach.rank.tolist(), reach.target.tolist(), strict=True))) == len(reach.rank)
            assert judged.reach.ranks == judged.items.ranks
            assert judged.candidates.reach.ranks == len(judged.candidates.names)
            assert judged.candidates.names[: len(judged.targets)] != [] and len(set(judged.candidates.names)) == len(
                judged.candidates.names
            ), "each candidate at most once"


@every_model
def test_a_target_that_is_retrieved_is_reached(name, cls):
    """Whatever the reader does, a candidate that is a target reaches itself."""
    for world, navigation, _ in judged_by(typed(name)):
        judged = judge_topic(
            world.truth,
            world.run,
            "1",
            make_context(user=typed(name), navigation=navigation, **world.options),
        )
        reach, names = judged.candidates.reach.dense(), judged.targets.names()
        for x, target in enumerate(names):
            assert reach[list(judged.candidates.names).index(target), x] == 1.0, (world.name, target)


@every_model
def test_effort_is_positive(name, cls):
    for seed in range(5):
        for world, navigation, _ in judged_by(typed(name), seed):
            if world.name == "elements":
                continue  # no places, no lengths
            judged = judge_topic(
                world.truth,
                world.run,
                "1",
                make_context(user=typed(name), navigation=navigation, **world.options),
            )
            effort = build(typed(name)).effort(judged.ranking, judged.targets, ReaderContext(LENGTHS, navigation))
            assert effort.shape == (judged.ranking.ranks,)
            assert (effort > 0).all() and np.isfinite(effort).all(), world.name


@every_model
def test_signatures_name_it(name, cls):
    for _, _, results in judged_by(typed(name)):
        assert all(f"user:{build(typed(name))}" in str(row.signature).split("|") for row in results)


@every_model
def test_the_command_line_shows_it(name, cls, berrypick):
    page = berrypick("show", "user", name)
    assert page.code == 0 and page.err == ""
    assert page.out.startswith(f"{name}:")
    for parameter in cls.parameters():
        assert parameter.help in page.out


def test_the_list_names_all(berrypick):
    listed = berrypick("list", "users")
    assert listed.code == 0
    for name, _ in MODELS:
        assert re.search(rf"^{name}\s", listed.out, re.MULTILINE)


def test_navigation_names_known_pages():
    """The prepared tables speak of the prepared pages."""
    for navigation in tables(np.random.default_rng(0)).values():
        assert set(navigation.units) <= set(PAGES)
