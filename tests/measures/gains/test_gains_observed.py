"""Signatures of gains name which elements count."""

from part_reading_measure import signatures
from prepared_worlds import suiting


def test_which_elements_count_is_named_where_targets_or_gains_are_read():
    world = next(world for world in suiting("nxCG@3") if world.name == "elements")
    given = {"truth": world.truth, "run": world.run, "ignore_elements": "sec"}
    ranking, targets, gains = signatures("ranking", "targets", "recall_base", **given)
    assert not {"quant", "ignore_elements"} & dict(ranking.fields).keys()
    assert targets["ignore_elements"] == gains["ignore_elements"] == "sec" and targets["quant"] == gains["quant"]
