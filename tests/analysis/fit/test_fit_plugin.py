"""User models that are learnt in a way of their own: the method fit of the class is found by the model's name."""

from __future__ import annotations

import example_plugin
import pytest

import berrypick as bp
from berrypick.data.results import Note
from berrypick.users.learnt import Learnt

TRUTH, RUN = {"1": {"a": 1}}, {"1": {"b": 2, "a": 1}}


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "opened.txt"
    path.write_text("1\n1\n1\n0\n")
    return path


@pytest.mark.slow
def test_the_model_of_another_package(installed_plugin, log, tmp_path, berrypick):
    with example_plugin.discoverable(installed_plugin):
        file = tmp_path / "reader.json"
        done = berrypick("fit", "picky", log, "-o", file, "-o", "csv")
        assert (done.code, done.out) == (0, "user,parameter,value,low,high\npicky(opens=0.75),opens,0.75,,\n")
        assert bp.score("EPRUM", TRUTH, RUN, user=file) == bp.score("EPRUM", TRUTH, RUN, user="picky(opens=0.75)")
        assert "picky" in berrypick("fit", "hierarchy", log).err
        assert "opened.txt" in berrypick("fit", "picky", log, "-o", "table").out
        with pytest.raises(bp.UsageError, match=r"links= is for markov.*; picky does not follow links"):
            bp.fit("picky", log, links="links.tsv")
        with pytest.raises(bp.UsageError, match="picky takes no parameters when it is fitted"):
            bp.fit("picky(opens=0.25)", log)
        log.write_text("often\n")
        done = berrypick("fit", "picky", log)
        assert done.code == 2 and done.err.startswith("berrypick: fit of the user model picky failed with ValueError")


class Certain(bp.UserModel):
    """Says all that can be said of what it learnt."""

    def reach(self, ranking, targets, context):
        raise NotImplementedError

    @classmethod
    def fit(cls, log, **how):
        if log == "wrong":
            return 5
        note = Note("few", f"{sorted(how)}")
        return Learnt(cls(), {"x": {"value": 1.0, "low": 0.5, "high": 2.0}}, {"sessions": 10}, notes=(note,))


def test_what_a_model_says_of_itself():
    found = bp.fit(Certain, ["any"], seed=3)
    assert found.parameters == {"x": {"value": 1.0, "low": 0.5, "high": 2.0}}
    assert found.reader.content["split"] == {
        "held_out": 0.2, "seed": 3, "training_sessions": 8, "held_out_sessions": 2
    }  # fmt: skip
    assert "links" in found.notes[0].text and "[0.5, 2]" in str(found)
    assert "8 sessions of the log; 2 sessions held out, seed 3" in str(found)
    with pytest.raises(bp.UsageError, match="returned int, not a user model"):
        bp.fit(Certain, "wrong")


def test_models_of_ours_by_their_class():
    from berrypick.users import Distance, Hierarchy

    log = [{"distance": d, "end": "gave_up"} for d in (5, 9, 12, 30)]
    one = Distance.fit(log, held_out=0)
    assert one.reader.content == bp.fit("distance", log, held_out=0).reader.content
    with pytest.raises(bp.UsageError, match="not hierarchy"):
        Hierarchy.fit(log)
