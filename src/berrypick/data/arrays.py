"""Names for the array types used everywhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
#: Positions on a document's line: whole characters (int64) or seconds (float64).
Positions = npt.NDArray[Any]
#: Codes, ranks and line numbers of a whole run: int32 where that holds them, which halves the memory of a run. Those
#: of one topic are int64.
Narrow = npt.NDArray[Any]
