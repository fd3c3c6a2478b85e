"""What gains depend on: which elements count."""

from part_reading_measure import reads
from prepared_worlds import suiting


def test_which_elements_count_is_observed_where_targets_or_gains_are_read():
    world = next(world for world in suiting("nxCG@3") if world.name == "elements")
    given = {"truth": world.truth, "run": world.run, "ignore_elements": "sec"}
    assert reads("ranking", **given) == set() and reads("targets", **given) == {"targets"}
    assert "ignore_elements" in reads("recall_base", **given)
    fields = dict(world.evaluate("nxCG@3", ignore_elements="sec").mean_rows[0].signature.fields)
    assert fields["ignore_elements"] == "sec" and fields["quant"]
