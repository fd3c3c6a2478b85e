"""What intervals, tests and corrections are called: names that the command line shows before any is computed."""

from __future__ import annotations

from typing import Literal

IntervalName = Literal["expanded", "percentile", "bca"]
CorrectionName = Literal["holm", "bh", "none"]
INTERVALS: tuple[IntervalName, ...] = ("expanded", "percentile", "bca")
TestName = Literal["randomisation", "t"]
TESTS: tuple[TestName, ...] = ("randomisation", "t")
CORRECTIONS: tuple[CorrectionName, ...] = ("holm", "bh", "none")
