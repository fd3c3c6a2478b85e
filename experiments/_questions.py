"""The questions of chunking_evaluation: truth, texts and queries, for the experiments that retrieve chunks of them."""

from __future__ import annotations

import argparse
import csv
from typing import NamedTuple

import data

import berrypick as bp


class Questions(NamedTuple):
    """The judged references, the texts by document, and the question of each topic."""

    truth: bp.Truth
    texts: dict[str, str]
    queries: dict[str, str]

    @classmethod
    def read(cls, given: argparse.Namespace) -> Questions:
        """Read them from the folder that the arguments of an experiment name."""
        files = data.needed("chunking-evaluation", given.data, given.unchecked)
        truth = bp.read_truth(files["questions_df.csv"])
        with files["questions_df.csv"].open(newline="", encoding="utf-8") as file:
            questions = [row["question"] for row in csv.DictReader(file)]
        texts = {path.stem: path.read_bytes().decode() for name, path in files.items() if name.startswith("corpora/")}
        return cls(truth, texts, dict(zip(truth.topics, questions, strict=True)))
