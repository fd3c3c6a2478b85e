"""One look-up for measures, user models and formats; classes of other packages; measures as values."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

import example_plugin
import numpy as np
import pytest

import berrypick as bp
from berrypick import formats, measures, users
from berrypick.evaluation.requested import resolve_measures
from berrypick.measures import EPRUM, Bpref, P, charP, epnav, parse_measure
from berrypick.users import Distance, FetchBrowse, Hierarchy

TRUTH = {"1": {"a": 1, "b": 1}, "2": {"a": 1}}
RUN = {"1": {"x": 3, "a": 2, "b": 1}, "2": {"a": 1}}


class Ranks(bp.Measure):
    """The number of ranks."""

    higher_is_better = False
    add: int = bp.parameter(0, "int", "what is added")
    plain: object = 1

    def compute(self, topic):
        return topic.ranking.ranks + self.add


@dataclass(frozen=True)
class Decorated(bp.Measure):
    weights: tuple[float, ...] = (1.0,)
    names: list[str] = field(default_factory=list)

    def compute(self, topic):
        return bp.Score(sum(self.weights))


# measures are values


def test_measures_and_user_models_are_imported_by_name():
    assert P.name() == "P" and issubclass(P, bp.Measure)
    assert epnav.name() == "epnav" and isinstance(epnav, type), "not the module of a similar name"
    assert Distance.name() == "distance" and FetchBrowse.name() == "fetch_browse" and Hierarchy.name() == "hierarchy"
    assert {"P", "EPRUM", "epnav"} <= set(dir(measures)) and {"Distance", "Hierarchy"} <= set(dir(users))
    assert measures.Coverage is not users.Coverage
    for package in (measures, users):
        with pytest.raises(AttributeError, match="Nonsense"):
            _ = package.Nonsense
        assert not hasattr(package, "_nonsense")


def test_every_measure_and_user_model_is_an_attribute():
    for registry in (measures.registry, users.registry):
        for cls in registry.built_in().values():
            assert getattr(import_module(registry.room.package), cls.__name__) is cls


def test_one_measure_reads_no_other_file():
    code = (
        "import sys; from berrypick.measures import P; import berrypick as bp;"
        "bp.evaluate({'1': {'a': 1}}, {'1': {'a': 1}}, [P @ 10, 'Bpref'], user='classical');"
        "print(*(m for m in ('berrypick.measures.readers.eprum', 'berrypick.users.distance', 'ir_measures',"
        " 'importlib.metadata') if m in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == []


def test_a_cut_off_is_set_with_at():
    assert P @ 10 == P(at=10) == parse_measure("P@10")
    assert P(rel=2) @ 10 == parse_measure("P(rel=2)@10")
    assert P @ np.int64(10) == P @ 10 and str(P @ np.int64(10)) == "P@10"
    assert P @ 5 @ 10 == P @ 10
    for wrong in (0, 1.5, "ten", True, float("nan")):
        with pytest.raises(bp.UsageError, match="P"):
            _ = P @ wrong
    with pytest.raises(bp.UsageError, match="takes no cut-off"):
        _ = Bpref @ 3


def test_a_missing_cut_off_is_refused_when_the_measure_is_used():
    incomplete = P(rel=2)
    for given in (incomplete, P, "P", [P]):
        with pytest.raises(bp.UsageError, match="P needs a cut-off, as in P@10"):
            bp.evaluate(TRUTH, RUN, given)
    with pytest.raises(bp.UsageError, match="P needs a cut-off"):
        incomplete.compute(bp.judge(TRUTH, RUN, "1"))


@pytest.mark.parametrize(
    ("measure", "text", "shown"),
    [
        (EPRUM(), "EPRUM", "EPRUM()"),
        (EPRUM(ideal="targets", user="hierarchy"), "EPRUM(user='hierarchy')", "EPRUM(user='hierarchy')"),
        (EPRUM @ 0.5, "EPRUM@0.5", "EPRUM@0.5"),
        (P(rel=2) @ 10, "P(rel=2)@10", "P(rel=2)@10"),
        (Ranks(add=2), "Ranks(add=2)", "Ranks(add=2)"),
        (Ranks(plain=None), "Ranks(plain=None)", "Ranks(plain=None)"),
        (Decorated(weights=(2.0,)), "Decorated(weights=(2.0,))", "Decorated(weights=(2.0,))"),
    ],
)
def test_text_leaves_out_defaults(measure, text, shown):
    assert str(measure) == text
    assert repr(measure) == shown
    assert eval(shown) == measure


def test_signatures_keep_all_parameters():
    spans = {"1": {"a#0-5": 1}}
    row = bp.evaluate(spans, spans, [EPRUM(user="distance(theta=0.01)")]).mean_rows[0]
    own = "EPRUM|ideal:targets|norm:product|law:exact|together:independent|"
    assert str(row.signature).startswith(f"{own}user:distance(theta=0.01,law=")
    assert "add:0|plain:1" in str(bp.evaluate(TRUTH, RUN, Ranks).mean_rows[0].signature)


def test_a_user_model_may_be_an_object_or_a_class():
    assert EPRUM(user=Hierarchy) == EPRUM(user="hierarchy(siblings=0)")
    assert EPRUM(user=Distance(theta=3)).user == str(Distance(theta=3))
    by_name = bp.evaluate(TRUTH, RUN, "EPRUM", user="hierarchy").mean()
    assert bp.evaluate(TRUTH, RUN, EPRUM, user=Hierarchy).mean() == by_name
    with pytest.raises(bp.UsageError, match="3 is not a user model"):
        bp.evaluate(TRUTH, RUN, "EPRUM", user=3)


def test_equality_hash_and_pickle_are_by_value():
    for one, other in (
        (P @ 3, P @ 4),
        (Ranks(), Ranks(add=1)),
        (Ranks(plain=2), Ranks(plain=3)),
        (Distance(), Distance(theta=1)),
    ):
        assert one != other and len({one, other, copy.copy(one)}) == 2
        again = pickle.loads(pickle.dumps(one))
        assert again == one and hash(again) == hash(one) and str(again) == str(one)


def test_an_unpickled_measure_is_complete_before_any_other_is_made(tmp_path):
    """Its class is no dataclass yet in a new process."""
    (tmp_path / "own.py").write_text(
        "import berrypick as bp\nclass Own(bp.Measure):\n    add: int = 0\n"
        "    def compute(self, topic): return self.add\n"
    )
    make = "import own, pickle, sys; sys.stdout.buffer.write(pickle.dumps([own.Own(add=1), own.Own(add=2)]))"
    sent = subprocess.run([sys.executable, "-c", make], cwd=tmp_path, capture_output=True, check=True).stdout
    read = "import pickle, sys; a, b = pickle.load(sys.stdin.buffer); print(a != b, a, b, len({a, b}))"
    done = subprocess.run([sys.executable, "-c", read], cwd=tmp_path, input=sent, capture_output=True, check=True)
    assert done.stdout.decode().split() == ["True", "Own(add=1)", "Own(add=2)", "2"]


def test_a_class_of_a_notebook_can_be_sent_to_workers():
    cloudpickle = pytest.importorskip("cloudpickle")
    code = (
        "import sys, cloudpickle, berrypick as bp\n"
        "class Own(bp.Measure):\n    add: int = bp.parameter(0, 'int', 'x', check=lambda v: v >= 0, must='0 or more')\n"
        "    def compute(self, topic): return topic.ranking.ranks + self.add\n"
        "def work(): return bp.score(Own(add=2), {'1': {'a': 1}}, {'1': {'a': 1}}), str(Own(add=2))\n"
        "sys.stdout.buffer.write(cloudpickle.dumps((work, Own(add=3))))"
    )
    sent = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout
    work, own = cloudpickle.loads(sent)
    assert work() == (3.0, "Own(add=2)")
    assert str(own) == "Own(add=3)" and own != type(own)() and type(own).parameters()[0].default == 0


def test_a_misspelt_parameter_gets_a_suggestion():
    with pytest.raises(bp.UsageError, match="P has no parameter rl; did you mean rel"):
        P(rl=2)
    with pytest.raises(bp.UsageError, match="Ranks has no parameter ad; did you mean add"):
        Ranks(ad=1)


def test_a_constructor_of_its_own_is_left_alone():
    class Own(bp.Measure):
        def __init__(self, **anything):
            object.__setattr__(self, "anything", anything)
            object.__setattr__(self, "at", None)

        def compute(self, topic):
            return len(self.anything)

    assert bp.score(Own(a=1, b=2), TRUTH, RUN) == 2


# what a class of another package needs


@pytest.mark.parametrize(("returned", "value"), [(3, 3.0), (None, None), (np.float32(0.5), 0.5), (True, 1.0)])
def test_compute_returns_a_number_none_or_a_score(returned, value):
    class Given(bp.Measure):
        def compute(self, topic):
            return returned

    class Scored(bp.Measure):
        def compute(self, topic):
            return bp.Score(returned, ("a note",))

    for measure in (Given, Scored):
        found = bp.evaluate(TRUTH, RUN, measure).per_topic()["run"][measure.__name__]["1"]
        assert found == value and type(found) in (float, type(None))
    assert any("a note" in note.text for note in bp.evaluate(TRUTH, RUN, Scored).notes)


@pytest.mark.parametrize("returned", ["much", float("nan"), float("inf"), [1, 2], np.zeros(2)])
def test_anything_else_is_one_message(returned):
    class Wrong(bp.Measure):
        def compute(self, topic):
            return returned

    with pytest.raises(bp.UsageError, match="Wrong: compute returned"):
        bp.evaluate(TRUTH, RUN, Wrong)


@pytest.mark.parametrize("text", ["needs less", "compute is not for this", "c"])
def test_the_words_of_a_message_do_not_decide_how_it_is_named(text):
    class c(bp.Measure):
        def compute(self, topic):
            raise bp.UsageError(text)

    with pytest.raises(bp.UsageError) as stopped:
        bp.evaluate(TRUTH, RUN, c)
    assert str(stopped.value) == f"c: {text}"


def test_an_error_in_the_class_is_one_message_that_says_where():
    class Broken(bp.Measure):
        def compute(self, topic):
            return topic.nonsense

    class Lost(bp.UserModel):
        def reach(self, ranking, targets, context):
            raise KeyError("x")

    with pytest.raises(
        bp.BerrypickError, match=r"Broken failed with AttributeError: .*nonsense.* \(.*test_registry.py:\d+\)"
    ) as error:
        bp.evaluate(TRUTH, RUN, Broken)
    assert isinstance(error.value.__cause__, AttributeError), "for those who want the traceback"
    with pytest.raises(bp.BerrypickError, match=r"EPRUM failed with KeyError: 'x'"):
        bp.evaluate(TRUTH, RUN, "EPRUM", user=Lost())
    with pytest.raises(bp.BerrypickError, match="Broken failed"):
        bp.explain(TRUTH, RUN, Broken, "1")


def test_parameterisations_are_columns_of_their_own():
    given = [Ranks, Ranks(add=1), Ranks(plain="x"), Decorated(weights=(1.0, 2.0)), Decorated, Decorated(names=["n"])]
    means = bp.evaluate({"1": {"a": 1}}, RUN, given).mean()["run"]
    assert means == {
        "Ranks": 3.0,
        "Ranks(add=1)": 4.0,
        "Ranks(plain='x')": 3.0,
        "Decorated(weights=(1.0, 2.0))": 3.0,
        "Decorated": 1.0,
        "Decorated(names=['n'])": 1.0,
    }


def test_two_measures_of_one_name_are_not_taken_for_one():
    def make(value):
        class Same(bp.Measure):
            def compute(self, topic):
                return value

        return Same

    one, other = make(1), make(2)
    assert len(resolve_measures([one, one()])) == 1
    with pytest.raises(bp.UsageError, match="two different measures are called Same"):
        resolve_measures([one, other])


def test_a_missing_topic_does_not_win_where_smaller_is_better():
    class Misses(bp.Measure):
        higher_is_better = False

        def compute(self, topic):
            return len(topic.targets) - len(topic.reach.rank)

    values = bp.evaluate(TRUTH, {"1": RUN["1"]}, Misses).per_topic()["run"]["Misses"]
    assert values == {"1": 0.0, "2": 1.0}


class Declared(Ranks):
    """The number of ranks, whoever reads them."""

    depends_on = ()


def test_what_is_declared_not_to_matter_is_not_in_the_signature():
    """A measure that declares nothing may depend on everything."""

    def signature(measure, user):
        return str(bp.evaluate(TRUTH, RUN, measure, user=user).mean_rows[0].signature)

    assert signature(Declared, "classical") == signature(Declared, "hierarchy")
    assert "user:" not in signature(Declared, "hierarchy")
    assert "user:hierarchy" in signature(Ranks, "hierarchy")


def test_a_plain_explanation():
    text = str(bp.explain(TRUTH, RUN, Ranks(add=1), "1"))
    assert text.startswith("Ranks(add=1,plain=1) for topic 1")
    for part in ("2 targets", "3 ranks", "Ranks(add=1) = 4"):
        assert part in text


def test_no_docstring_is_no_crash(tmp_path):
    assert Decorated.description() == "No description."
    page = tmp_path / "page.html"
    bp.write_report(TRUTH, [RUN, {"1": {"a": 1}, "2": {"x": 1}}], [Decorated, Ranks], html=page)
    assert "No description." in page.read_text() and "The number of ranks." in page.read_text()


def test_facts_annotated_like_fields_stay_facts():
    class Annotated(bp.Measure):
        higher_is_better: bool = False
        cutoff: str = "rank"
        more: int = 1

        def compute(self, topic):
            return self.at

    assert [p.name for p in Annotated.parameters()] == ["more"]
    assert str(Annotated(more=2) @ 3) == "Annotated(more=2)@3"
    assert not resolve_measures(Annotated @ 3)[0].info().higher_is_better


def test_a_subclass_with_the_decorator_keeps_the_fields_of_one_without():
    class Base(bp.Measure):
        first: int = 1

    @dataclass(frozen=True)
    class Derived(Base):
        second: int = 2

        def compute(self, topic):
            return 10 * self.first + self.second

    assert bp.score(Derived(first=3), TRUTH, RUN) == 32


def test_a_field_without_default_must_be_given():
    @bp.register
    class Needs(bp.Measure):
        k: int

        def compute(self, topic):
            return self.k

    assert bp.score("Needs(k=4)", TRUTH, RUN) == 4
    with pytest.raises(bp.UsageError, match="Needs needs the parameter k"):
        bp.score("Needs", TRUTH, RUN)


def test_references_of_another_package():
    from berrypick.data.references import bibtex, cited

    entry = "@article{own2024,\n  author = {Doe, Jo},\n  title = {Of ranks},\n  year = {2024},\n}"
    assert cited(entry) == "Doe, Jo (2024). Of ranks." and bibtex(entry) == entry + "\n"
    assert cited("Doe (2024), Of ranks") == "Doe (2024), Of ranks" and bibtex("Doe, 2024") == "% Doe, 2024\n"


# registering


def test_what_is_registered_is_known_by_name(berrypick, files):
    assert bp.register(Ranks) is Ranks
    assert bp.register(Ranks) is Ranks, "twice is no harm"
    assert bp.score("Ranks(add=2)", {"1": {"a": 1}}, RUN) == 5
    with pytest.raises(bp.UsageError, match="unknown measure Rnks; did you mean Ranks"):
        bp.score("Rnks", TRUTH, RUN)
    paths = files(t_qrels="1 0 a 1\n", r_run="1 Q0 a 1 1 x\n")
    assert "Ranks" in berrypick("list", "measures").out
    assert berrypick("evaluate", paths["t_qrels"], paths["r_run"], "-m", "Ranks(add=1)").code == 0
    assert "what is added" in berrypick("show", "measure", "Ranks").out
    assert measures.Ranks is Ranks


def test_a_registered_user_model_and_format(tmp_path):
    bp.register(example_plugin.Opener)
    bp.register(example_plugin.DoubleColonRun)
    path = tmp_path / "some"
    path.write_text("1::a::2.0::mine\n")
    assert bp.read_run(path).tag == "mine"
    assert bp.evaluate({"1": {"a": 1}}, path, "EPRUM(user='opener')").mean()["mine"] == {"EPRUM(user='opener')": 1.0}


def with_(base=bp.Measure, name="Own", **members):
    return type(name, (base,), {"compute": lambda self, topic: 1, "__module__": __name__, **members})


class Mutable(bp.Measure):
    weights: list = []

    def compute(self, topic):
        return 1


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (3, "not a class derived from bp.Measure, bp.UserModel or bp.Format"),
        (int, "int cannot be registered: it is not a class"),
        (P @ 3, "not a class"),
        (bp.Measure, "no method compute"),
        (with_(name="EPRUM"), "the name EPRUM is taken"),
        (with_(name="MAgP"), "the name MAgP is taken"),
        (with_(name="nDCG"), "the name nDCG is taken"),
        (with_(aliases=("charP",)), "the name charP is taken"),
        (with_(aliases="abc"), "aliases is a tuple"),
        (with_(name="_Own"), "its name '_Own'"),
        (with_(cutoff="depth"), "cutoff must be one of none, rank, level"),
        (Mutable, "mutable default"),
        (with_(bp.UserModel), "no method reach"),
        (with_(bp.UserModel, "Bep", reach=lambda *_: None), "the name bep is taken"),
        (with_(bp.Format), "format_name"),
        (with_(bp.Format, format_name="own"), "role is one of"),
        (with_(bp.Format, format_name="own", role="run"), "no method read"),
        (with_(bp.Format, format_name="trec-run", role="run", read=classmethod(lambda *_: 1)), "trec-run is taken"),
    ],
)  # fmt: skip
def test_what_cannot_be_registered(given, why):
    before = [registry.names() for registry in example_plugin.REGISTRIES]
    with pytest.raises(bp.UsageError, match=why):
        bp.register(given)
    assert [registry.names() for registry in example_plugin.REGISTRIES] == before


def test_another_class_of_a_registered_name_is_refused():
    bp.register(with_(name="Twice"))
    with pytest.raises(bp.UsageError, match="measure Twice cannot be registered: the name Twice is taken"):
        bp.register(with_(name="Twice"))


def test_a_cell_may_be_run_again():
    one, other = (with_(name="Cell", __module__="__main__") for _ in range(2))
    bp.register(one)
    bp.register(other)
    assert type(parse_measure("Cell")) is other


# one look-up


def test_every_name_that_is_offered_is_found():
    for registry in example_plugin.REGISTRIES:
        for name in registry.names():
            assert registry.find(name) is not None
            assert name not in registry.external()


def test_names_of_ir_measures_are_offered_and_taken():
    with pytest.raises(bp.UsageError, match="unknown measure nDGC; did you mean nDCG"):
        parse_measure("nDGC@10")
    assert str(parse_measure("nDCG@10")) == "nDCG@10"


@pytest.mark.parametrize("name", ["base", "_text", "__init__", "eprum", "Measure", "EPRUM.x", ""])
def test_what_is_no_measure(name):
    assert measures.registry.find(name) is None


def test_formats_by_class():
    assert formats.by_name(example_plugin.DoubleColonRun) is example_plugin.DoubleColonRun
    assert formats.by_name("trec-run") is formats.by_name(formats.by_name("trec-run"), "run")
    for wrong in (int, 3, None, ["trec-run"]):
        with pytest.raises(bp.UsageError, match="is not a format"):
            formats.by_name(wrong)
    with pytest.raises(bp.UsageError, match="trec-run is for a run, not a truth"):
        formats.by_name("trec-run", "truth")
    with pytest.raises(bp.UsageError, match="unknown format trec-rn; did you mean trec-run"):
        formats.by_name("trec-rn")


def test_a_format_that_only_reads(tmp_path, berrypick):
    @bp.register
    class Lengths(bp.Format):
        format_name = "own-lengths"
        role = "collection"

        @classmethod
        def read(cls, path, problems, **options):
            return bp.Collection({"a": float(Path(path).read_text())})

    path = tmp_path / "length"
    path.write_text("12")
    assert formats.read_collection(path, "own-lengths").lengths == {"a": 12.0}
    assert formats.read_collection(path, Lengths).lengths == {"a": 12.0}
    with pytest.raises(bp.UsageError, match="own-lengths is read, not written"):
        bp.write(bp.Collection({"a": 1.0}), tmp_path / "out", "own-lengths")
    bp.write(bp.Collection({"a": 1.0}), tmp_path / "out.tsv", "document-lengths")
    path.write_text("much")
    with pytest.raises(bp.BerrypickError, match="own-lengths failed with ValueError"):
        formats.read_collection(path, "own-lengths")
    assert berrypick("check", path, "--format", "own-lengths").code == 2
    assert berrypick("show", "format", "own-lengths").out.startswith("own-lengths: No description.")


# entry points


def distribution(folder: Path, name: str, points: dict[str, dict[str, str]], code: str) -> Path:
    """An installed package: a module, and what its installer writes beside it."""
    (folder / f"{name}.py").write_text(code)
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    groups = (
        f"[berrypick.{group}]\n" + "".join(f"{k} = {v}\n" for k, v in named.items()) for group, named in points.items()
    )
    (info / "entry_points.txt").write_text("\n".join(groups))
    return folder


SOUND = "import berrypick as bp\nclass Sound(bp.Measure):\n    def compute(self, topic): return 1\n"


def test_a_broken_entry_point_is_one_message_and_breaks_nothing_else(tmp_path, berrypick, files):
    distribution(tmp_path, "sound_one", {"measures": {"Sound": "sound_one:Sound"}}, SOUND)
    distribution(tmp_path, "broken_one", {"measures": {"Crash": "broken_one:Crash"}}, "import no_such_module\n")
    distribution(
        tmp_path,
        "wrong_one",
        {
            "measures": {"Nothing": "wrong_one:nothing", "Number": "wrong_one:number", "EPRUM": "wrong_one:EPRUM"},
            "users": {"number": "wrong_one:number"},
            "formats": {"number": "wrong_one:number"},
        },
        SOUND + "number = 3\nclass EPRUM(Sound): pass\n",
    )
    paths = files(t_qrels="1 0 a 1\n", r_run="1 Q0 a 1 1 x\n")
    with example_plugin.discoverable(tmp_path):
        assert bp.score("Sound", TRUTH, RUN) == 1
        assert bp.score("EPRUM", {"1": {"a": 1}}, {"1": {"x": 2, "a": 1}}) == 0.5, "ours"
        for name, why in {
            "Crash": "No module named 'no_such_module'",
            "Nothing": "nothing",
            "Number": "not a class",
        }.items():
            with pytest.raises(bp.UsageError, match=rf"measure {name} of \w+ \(.*\) cannot be used: .*{why}"):
                bp.score(name, TRUTH, RUN)
        with pytest.raises(bp.UsageError, match="did you mean Sound"):
            bp.score("Sund", TRUTH, RUN)
        listed = berrypick("list", "measures")
        assert listed.code == 0 and "Sound" in listed.out and "Crash" not in listed.out
        assert len(listed.err.splitlines()) == 4 and "the name EPRUM is taken" in listed.err
        with pytest.raises(bp.InputError, match=r"format number of wrong_one \(wrong_one:number\) cannot be used"):
            bp.read_run(tmp_path / "sound_one.py")
        assert "number" in berrypick("list", "users").err and "number" in berrypick("list", "formats").err
        done = berrypick("evaluate", paths["t_qrels"], paths["r_run"], "-m", "Crash")
        assert done.code == 2 and "Traceback" not in done.err and len(done.err.splitlines()) == 1
    assert measures.registry.find("Sound") is None


def test_of_two_packages_with_one_name_neither_is_chosen(tmp_path):
    for name in ("one_sound", "other_sound"):
        distribution(tmp_path, name, {"measures": {"Sound": f"{name}:Sound"}}, SOUND)
    with (
        example_plugin.discoverable(tmp_path),
        pytest.raises(bp.UsageError, match=r"measure Sound .* the name Sound is taken"),
    ):
        bp.score("Sound", TRUTH, RUN)


def test_a_package_may_register_what_its_entry_point_names(tmp_path):
    distribution(
        tmp_path,
        "both_ways",
        {"measures": {"Both": "both_ways:Both"}},
        SOUND.replace("Sound", "Both") + "bp.register(Both)\n",
    )
    with example_plugin.discoverable(tmp_path):
        assert bp.score("Both", TRUTH, RUN) == 1
        assert measures.registry.problems() == []
        assert measures.registry.names().count("Both") == 1


def test_entry_points_are_loaded_only_when_needed(tmp_path):
    distribution(
        tmp_path,
        "loud_one",
        {"measures": {"Loud": "loud_one:Loud"}, "formats": {"loud": "loud_one:Loud"}},
        "raise SystemError('loaded')\n",
    )
    path = tmp_path / "run"
    path.write_text("1 Q0 a 1 1 x\n")
    with example_plugin.discoverable(tmp_path):
        bp.evaluate({"1": {"a": 1}}, path, "EPRUM(user='hierarchy') Bpref AP P@10")
        assert "loud_one" not in sys.modules and not any(registry._broken for registry in example_plugin.REGISTRIES)
        assert charP in measures.registered().values() and measures.registry.problems()


def test_a_small_evaluation_loads_little(tmp_path):
    """Modules that a run of documents does not need would be compiled in a fresh checkout, for half a second."""
    (tmp_path / "t.qrels").write_text("1 0 a 1\n")
    (tmp_path / "r.run").write_text("1 Q0 a 1 2.0 mine\n")
    code = (
        "import sys; from berrypick.__main__ import main\n"
        "try:\n    main()\nexcept SystemExit:\n    print(*sorted(m for m in sys.modules if m.startswith('berrypick.')))"
    )
    asked = ["evaluate", str(tmp_path / "t.qrels"), str(tmp_path / "r.run"), "-m", "AP nDCG@10 P@10"]
    done = subprocess.run([sys.executable, "-c", code, *asked], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.splitlines()[-1].split())
    unneeded = ("rows.fields", "inputs.objects", "inputs.frames", "formats.spans.span_truth", "inputs.stores.stores",
                "statistics.statistics", "ideal.list_problem", "documents.tokens", "documents.xml.resolve",
                "users.pairs", "evaluation.levels", "documents.pages.page_units", "documents.xml.structure",
                "data.annotators", "testing", "analysis", "report")  # fmt: skip
    assert "berrypick.evaluation.scoring" in loaded and not {f"berrypick.{name}" for name in unneeded} & loaded
    assert len(loaded) < 140


@pytest.mark.parametrize("registry", [measures.registry, users.registry, formats.registry], ids=lambda one: one.what)
def test_descriptions_that_are_read_are_those_of_the_classes(registry):
    """Lists show what files say, without importing them."""
    for name, definition in registry.definitions().items():
        value = registry.load(definition)
        assert definition.description == value.description(), name
        assert definition.facts.get("role") == getattr(value, "role", None), name
