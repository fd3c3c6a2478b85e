"""Wikispeedia's sessions, read from $BERRYPICK_DATA: what a chain learns from them, and what it misses."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

import berrypick as bp


def test_a_chain_from_finished_games(data):
    """Smoothed shares beat every link alike by 0.6 nats a decision; plain shares find one decision in 12 impossible."""
    folder = data / "wikispeedia"
    found = bp.fit("markov", folder / "paths_finished.tsv", links=folder / "links.tsv")
    held = found.held_out
    assert held["decisions"] == 61040 and held["impossible"] == 0
    assert held["log_likelihood"] == pytest.approx(-2.98989, abs=1e-5)
    assert held["baseline_log_likelihood"] == pytest.approx(-3.59482, abs=1e-5)
    steps = [row for row in found.calibration if row["what"] == "takes a step" and row["from"] >= 0.002]
    assert all(0.8 < row["observed"] / row["predicted"] < 1.2 for row in steps)
    plain = bp.fit("markov", folder / "paths_finished.tsv").held_out
    assert plain["impossible"] / plain["decisions"] == pytest.approx(0.08149, abs=1e-5)


def test_what_belongs_to_a_start_is_missed_by_a_chain(data, monkeypatch):
    """The order of the readers in docs/explanation/fitted-readers.md, on a sample of the games."""
    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parents[3] / "experiments"))
    study = import_module("wikispeedia_readers")
    games = study.Games.read(study.needed("wikispeedia", data), 12_000)
    found = {}
    for reader in study.readers(games):
        likelihood = study.log_likelihoods(reader, games.decisions(games.held)).mean()
        found[reader.name] = likelihood, *study.reach(reader, games, 200)
    order = ["uniform", "first order", "second order", "goal"]
    likelihoods = [found[name][0] for name in order]
    assert likelihoods == sorted(likelihoods)
    assert found["depth"][0] > found["first order"][0]
    sees_any = {name: one[4] for name, one in found.items()}
    people = sees_any["first order"][1]
    assert people > 0.5
    shares = [sees_any[name][0] for name in order]
    assert shares == sorted(shares)
    assert sees_any["first order"][0] < people / 2 < sees_any["goal"][0]
