"""Every measure, user model and format keeps the laws that measures declare, on campaigns drawn at random."""

import drawn_campaigns
import example_plugin
import numpy as np
import pytest
from many_cases import at_length, each

import berrypick as bp
from berrypick import measures, users
from berrypick.data.laws import LAWS
from berrypick.measures.base import Measure

CLASSES = [*measures.registry.built_in().values(), example_plugin.Detours]
#: Of ir_measures' own, those that can be computed here.
THEIRS = ["infAP", "Compat(p=0.9)", "IPrec@0.1", "Accuracy@3", "NumRet", "NumRelRet", "NumRel", "NumQ", "BPM@3",
          "NERR10(max_rel=3)@3", "INST(max_rel=3)", "INSQ(max_rel=3)", "SDCG(max_rel=3)@3", "RBP(p=0.8)"]  # fmt: skip
#: Parameters that change which laws hold.
PARAMETERS = ["nDCG(judged_only=True)@3", "AP(judged_only=True)@3", "P(judged_only=True)@3", "EPRUM(r=1)",
              "EPRUM(rank=2)", "EPRUM(ideal='greedy')", "charR(counted='each')@3", "charP(counted='each')@3",
              "spanHit(iou=0.5)@3", "spanRR(share=0.5)"]  # fmt: skip


def typed(cls):
    """A measure as people type it, with and without a cut-off."""
    if not cls.cutoff_required:
        yield cls
    if cls.cutoff != "none":
        yield cls @ (3 if cls.cutoff == "rank" else 0.5)


OURS = [one for cls in CLASSES for one in typed(cls)]


def suiting(campaign, wanted, **options):
    """The measures that can be computed on a campaign."""
    return [one for one in wanted if suits(campaign, one, **options)]


#: By kind of campaign, measure of ours and reader, whether it can be computed there, whatever the seed.
SUITED = {}


def suits(campaign, one, **options):
    key = campaign.name, one, options.get("user")
    if key in SUITED:
        return SUITED[key]
    try:
        bp.evaluate(campaign.truth, campaign.run, one, **campaign.options, **options)
        found = True
    except bp.BerrypickError:
        found = False
    if not isinstance(one, str):  # those of others fail on some numbers
        SUITED[key] = found
    return found


#: Processes and carriers concern all measures alike, and are tried by tests of their own.
QUICK = tuple(law for law in LAWS if law not in ("jobs", "carrier"))


def check(campaign, wanted, seed, variants=4, only=QUICK, **options):
    """No declared law is broken; which measures were there, and which laws were tried."""
    chosen = suiting(campaign, wanted, **options)
    if not chosen:
        return set(), set()
    settings = {"variants": variants, "seed": seed, "only": only, **campaign.options, **options}
    found = bp.laws(campaign.truth, campaign.run, chosen, **settings)
    told = [str(one) for one in found.broken]
    assert not told, f"{campaign.name}, seed {seed}:\n" + "\n".join(told)
    return {row.measure for row in found.tried}, {row.law for row in found.tried}


def test_every_measure_keeps_its_laws():
    met, tried = set(), set()
    for campaign in drawn_campaigns.campaigns(5):
        names, laws = check(campaign, [*OURS, *PARAMETERS, *THEIRS], 5, variants=at_length(2, 3))
        met |= names
        tried |= laws
    assert tried == set(QUICK)
    missing = {cls.name() for cls in CLASSES} - {name.partition("@")[0] for name in met}
    assert not missing, "no campaign suits them"


#: Campaigns without results, of which the measures below have no value.
OF_OTHER_THINGS = ("beside units", "claims")


def test_every_carrier_gives_the_same_digits():
    for campaign in drawn_campaigns.campaigns(1):
        names, laws = check(campaign, ["charR@3", "charP", "EPRUM", "nDCG@3", "nxCG@3"], 1, only=("carrier",))
        assert (len(names) >= 2 and laws == {"carrier"}) or campaign.name in OF_OTHER_THINGS


@pytest.mark.slow
def test_every_carrier_gives_the_same_digits_of_every_measure():
    """Other kinds of campaigns go through the same carriers; above, for a few measures."""
    for campaign in list(drawn_campaigns.campaigns(0))[:: at_length(4, 1)]:
        check(campaign, [*OURS, *PARAMETERS, *THEIRS], 0, only=("carrier",))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, at_length(3, 8)))
def test_every_measure_keeps_its_laws_on_many_campaigns(seed):
    for campaign in drawn_campaigns.campaigns(seed):
        check(campaign, [*OURS, *PARAMETERS, *THEIRS], seed, variants=at_length(2, 6))


#: Laws that campaigns break seldom; the test below breaks them by hand.
SELDOM = {("ESL", "tie-order"), ("ESLRF", "tie-order"), ("spanAll", "split-span"),
          ("Drop", "relevant-added"),
          *((name, "split-span") for name in ("KiltP", "KiltR", "KiltRprec", "Selected")),
          *((name, "split-span") for name in ("All", "Enough", "EnoughRR", "Sets"))}  # fmt: skip


def test_what_campaigns_break_seldom_is_broken_by_hand():
    one, two = {"q": {"d#0-10": 1}}, {"q": {"d#0-5": 1, "d#5-10": 1}}
    for name in ("spanAll", "All@1", "Enough@1", "EnoughRR", "Sets@1"):
        assert bp.score(name, one, {"q": {"d#0-7": 1}}) != bp.score(name, two, {"q": {"d#0-7": 1}})
    used, unused = ({"topic": "q", "doc": "d", "start": s, "end": s + 5, "used": s == 0} for s in (0, 5))
    assert bp.score("Drop", one, [used]) < bp.score("Drop", one, [used, unused]), "smaller is better"
    for name in ("KiltP@1", "KiltR@1", "KiltRprec", "Selected"):
        assert bp.score(name, one, one) != bp.score(name, one, two), "results are units of the truth, or they are not"
    near, far = ({"topic": "q", "doc": "d", "start": s, "end": s + 5, "rank": 1} for s in (0, 50))
    for name in ("ESL", "ESLRF"):
        measure, length = f"{name}(wanted=1,tolerance=15)", bp.Collection({"d": 100})
        values = [bp.score(measure, one, run, collection=length) for run in ([near, far], [far, near])]
        assert values[0] != values[1]


@pytest.mark.slow
def test_what_a_measure_does_not_declare_does_not_hold(monkeypatch):
    """Else it should declare it. A law is tried on campaigns until one breaks it."""
    broken, tried = set(), set()

    def not_yet_broken(self):
        return tuple(law for law in LAWS if (self.name(), law) in wanted - broken)

    monkeypatch.setattr("berrypick.testing.trials.smallest", lambda case, breaks, topic: case)
    monkeypatch.setattr(Measure, "kept_laws", not_yet_broken)
    for cls in CLASSES:
        for parent in cls.__mro__:
            if parent is not Measure and "kept_laws" in vars(parent):
                monkeypatch.delattr(parent, "kept_laws")
    wanted = {(cls.name(), law) for cls in CLASSES for law in QUICK if law not in cls.laws} - SELDOM
    for seed in range(8):
        for campaign in drawn_campaigns.campaigns(seed):
            open_ = {name for name, _ in wanted - broken}
            chosen = suiting(campaign, [one for one in OURS if one.name() in open_])
            if not chosen:
                continue
            settings = {"variants": 6, "seed": seed, "only": QUICK, **campaign.options}
            found = bp.laws(campaign.truth, campaign.run, chosen, **settings)
            broken |= {(one.measure.partition("@")[0], one.law) for one in found.broken}
            tried |= {(row.measure.partition("@")[0], row.law) for row in found.tried}
    assert not tried - broken, "these hold on every campaign, and are not declared"


#: User models with what they need, and the kind of campaign that suits them.
MODELS = [
    ("classical", "documents"),
    ("classical", "spans grouped"),
    ("coverage", "spans overlapping"),
    ("window(before=3,after=3)", "texts"),
    ("distance(theta=0.1)", "spans apart"),
    ("bep(A=0.5,L=50)", "spans apart"),
    ("t2i(tolerance=10)", "spans overlapping"),
    ("forage(gain=200,rate=0.1,present=0.5)", "spans overlapping"),
    ("fetch_browse", "spans apart"),
    ("fetch_browse", "spans grouped"),
    ("hierarchy", "elements"),
    ("parent(by='paragraph')", "texts"),
    ("table", "documents"),
    ("markov", "documents"),
    ("hyperlink", "documents"),
    ("seek", "documents"),
    ("opener", "spans apart"),
]
OF_READERS = ["EPRUM", "EPRUM@0.5", "PRUM", "ExpectedRatio", "ExpectedRatio@3", "epnav", "Coverage", "TBG", "spanRBP"]


@each(["user", "kind"], MODELS, ids=[f"{user} on {kind}" for user, kind in MODELS])
def test_every_user_model_keeps_the_laws_of_measures(user, kind, installed_plugin):
    with example_plugin.discoverable(installed_plugin):
        for seed in range(at_length(1, 2)):
            [campaign] = [one for one in drawn_campaigns.campaigns(seed) if one.name == kind]
            tables = drawn_campaigns.navigation(np.random.default_rng(seed))
            options = {"navigation": tables[user]} if user in tables else {}
            names, laws = check(campaign, OF_READERS, seed, at_length(2, 4), user=user, **options)
            assert "EPRUM" in names and {"truth-order", "document-names", "reach-raised"} <= laws


def test_no_user_model_is_forgotten():
    known = {user.partition("(")[0] for user, _ in MODELS}
    assert set(users.registry.built_in()) <= known


@pytest.mark.slow
def test_every_format_that_writes_is_a_carrier():
    """Each role, by a measure of what it holds."""
    from berrypick import formats
    from berrypick.testing.carriers import carriers
    from berrypick.testing.case import cases_of

    [campaign] = [one for one in drawn_campaigns.campaigns(0) if one.name == "texts"]
    evaluation = bp.Evaluation.prepare(campaign.truth, campaign.run, "charR", **campaign.options)
    [case] = cases_of(evaluation).values()
    named = " ".join(one.name for one in carriers(case))
    assert all(f" as {one.name()}" in named for one in formats.registry if one.role in ("run", "truth"))


def test_processes_give_the_same_digits():
    for campaign in drawn_campaigns.campaigns(0):
        names, laws = check(campaign, OURS, 0, only=("jobs",))
        assert names and laws == {"jobs"}
