"""Every user model can be simulated, and where it has a walk, no reader draws each entry of reach for itself."""

import inspect
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from prepared_worlds import prepared, suiting, tables
from test_users import OURS, make_context, typed

import berrypick as bp
from berrypick import measures
from berrypick.measures.base import Measure
from berrypick.topics.judge import judge_topic
from berrypick.users import build
from berrypick.users.distance import Distance
from berrypick.users.walks import Draws, Readers, Visit, rows_of

READERS = 4096
#: Standard errors that chance does not make, with as many comparisons as there are here.
CHANCE = 5.5

every_model = pytest.mark.parametrize(("name", "cls"), OURS, ids=[name for name, _ in OURS])
#: A table of reach does not say what is seen together, nor does a goal for each target: readers are drawn there, and do
#: not walk.
DRAWN = {"table", "seek"}
WALKING = [(name, cls) for name, cls in OURS if name not in DRAWN]
walking_models = pytest.mark.parametrize(("name", "cls"), WALKING, ids=[name for name, _ in WALKING])


def judged_worlds(model, seeds):
    """Judged topics of all prepared worlds that a model can read; grouping readers get list items of two results."""
    for seed in seeds:
        for world in (one for one in prepared(seed) if not one.made_for):
            for navigation in [None, *tables(np.random.default_rng(seed)).values()]:
                if (navigation is not None) == bool(build(model).navigation):
                    options = {**world.options, "navigation": navigation, "user": model}
                    try:
                        judged = judge_topic(world.truth, world.run, "1", make_context(**options))
                        reach = judged.reach
                    except (bp.UsageError, bp.InputError):
                        continue
                    if reach.ranks:
                        yield world.name, judged


def visits(judged, ranking, seed=0, topic="1"):
    """{(rank, target): who sees it there}, of readers who walk down a list."""
    readers = Readers(Draws(seed, topic, 0, READERS), len(judged.targets))
    found = {}
    for visit in judged.context.user.walk(ranking, judged.targets, judged.context.reader, readers):
        assert visit.seen.shape == (len(visit.target), READERS)
        for x, seen in zip(visit.target.tolist(), visit.seen, strict=True):
            found[visit.rank, x] = found.get((visit.rank, x), False) | seen
        readers.see(visit)
    return found


def strongest_dependence(model, seeds=range(12)):
    """Standard errors by which two events of one list are more or less frequent together than by chance, at most."""
    strongest = 0.0
    for _, judged in judged_worlds(model, seeds):
        events = [seen for seen in visits(judged, judged.consulted).values() if 0.02 < seen.mean() < 0.98]
        if len(events) > 1:
            found = np.abs(np.corrcoef(np.array(events, dtype=float))[np.triu_indices(len(events), 1)])
            strongest = max(strongest, float(found.max()) * READERS**0.5)
    return strongest


@every_model
def test_it_has_a_walk_or_says_why_not(name, cls):
    assert cls.can_walk() == (name not in DRAWN) == (not build(typed(name)).no_walk())


@walking_models
def test_readers_of_a_single_result_see_what_reach_says(name, cls):
    compared = 0
    for world, judged in judged_worlds(typed(name), range(4)):
        for row in range(len(judged.consulted)):
            alone = judged.consulted.rows(np.array([row])).compacted()
            expected = build(typed(name)).reach_alone(alone.fresh(), judged.targets, judged.context.reader).dense()[0]
            found = visits(judged, alone, seed=row)
            for x, p in enumerate(expected.tolist()):
                share = float(np.mean(found.get((0, x), 0.0)))
                error = (p * (1 - p) / READERS) ** 0.5
                assert abs(share - p) <= CHANCE * error + 1e-12, (world, row, x, share, p)
                compared += 1
    assert compared > 20


#: Models whose defaults leave little to chance in the prepared worlds.
VARIED = {"t2i": "t2i(tolerance=15,spread=0.7)", "fetch_browse": "fetch_browse(of='distance')"}


@walking_models
def test_readers_walk_and_do_not_flip_coins(name, cls):
    model = VARIED.get(name, name)
    worlds = list(judged_worlds(model, range(12)))
    if not all(np.isin(judged.reach.probability, (0.0, 1.0)).all() for _, judged in worlds):
        assert strongest_dependence(model) > 2 * CHANCE
    else:
        for _, judged in worlds:
            for seen in visits(judged, judged.consulted).values():
                assert seen.all() or not seen.any(), "what leaves nothing to chance is the same for all readers"


@dataclass(frozen=True)
class Coins(Distance):
    """Draws each entry of reach for itself."""

    def walk(self, ranking, targets, context, readers):
        reach = self.reach(ranking.fresh(), targets, context)
        for rank, (target, probability) in rows_of(reach.rank, reach.target, reach.probability):
            drawn = np.stack([readers.uniform(f"{rank} {x}") for x in target.tolist()])
            yield Visit(rank, target, drawn < probability[:, None])


def test_a_model_that_flips_coins_is_found_out():
    assert strongest_dependence(Coins()) < CHANCE
    assert strongest_dependence("distance") > 2 * CHANCE


@walking_models
def test_the_same_reader_does_the_same_from_the_same_result(name, cls):
    """Common random numbers: at another rank, after other results, unless these have shown the target before."""
    for _, judged in judged_worlds(typed(name), range(3)):
        ranking = judged.consulted
        both = visits(judged, ranking)
        for row in range(len(ranking)):
            rank = int(ranking.rank[row])
            alone = visits(judged, ranking.rows(np.array([row])).compacted())
            before = {x: seen for (k, x), seen in both.items() if k < rank}
            if (ranking.rank == rank).sum() == 1:
                for (_, x), seen in alone.items():
                    new = ~before.get(x, np.zeros(READERS, dtype=bool))
                    others = [y for y in before if y != x]
                    if not others or name not in ("t2i", "forage"):
                        assert (both[rank, x] == seen)[new].all()


SIMULATED = sorted(name for name, cls in measures.registry.built_in().items() if cls.has_readers())
#: They view as the measure says, whatever the user model.
VIEWERS = ("T2I", "ESL", "ESLRF", "PT2I")


def form(name):
    """The measure as a person types it; where it is not known what positions count, some have no default."""
    cls = measures.registry.find(name)
    at = {"rank": "@3", "level": "@0.5"}[cls.cutoff] if cls.cutoff_required else ""
    return {"TBG": "TBG(h=100)"}.get(name, f"{name}(tolerance=15)" if name in VIEWERS else name) + at


@pytest.mark.parametrize("name", SIMULATED)
def test_readers_who_leave_nothing_to_chance_get_the_value(name):
    """In every prepared world that suits the measure; those who stop at random get it on average."""
    certain = measures.registry.find(name).walks or name in VIEWERS
    compared = 0
    for seed in range(3):
        for world in suiting(form(name), seed):
            found = bp.simulate(world.truth, world.run, form(name), readers=2000, per_topic=True, **world.options)
            for row in found:
                assert abs(row.difference) <= (0 if certain else CHANCE * row.error) + 1e-9, (world.name, row)
                compared += 1
    assert compared > 3


def sources(cls):
    """The files of a measure and of the classes it derives from, which measures of a family may share."""
    parents = [one for one in cls.__mro__ if one.__module__.startswith("berrypick.measures.") and one is not Measure]
    return [Path(inspect.getfile(one)).read_text(encoding="utf-8") for one in parents]


def test_every_measure_that_reads_reach_is_simulated():
    reading = {
        Path(inspect.getfile(cls))
        for cls in measures.registry.built_in().values()
        if any(re.search(r"judged\.(reach|levels)\b", text) for text in sources(cls))
    }
    walking = {Path(inspect.getfile(measures.registry.find(name))) for name in SIMULATED
               if measures.registry.find(name).walks}  # fmt: skip
    assert reading == walking and len(walking) >= 5
