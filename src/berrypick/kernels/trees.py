"""Elements inside elements.

Elements are numbered in the order of their start tags; the elements inside one follow it without a gap. So each gets
two numbers, and ``a`` contains ``b`` (or is ``b``) exactly when ``start[a] <= start[b] < end[a]``. Two elements are
nested or apart, they never cross.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

import numpy as np

from berrypick.data.arrays import FloatArray, IntArray
from berrypick.kernels import native


def numbered(paths: Sequence[str]) -> tuple[IntArray, IntArray]:
    """Start and end numbers of elements from their paths, ``/article[1]/bdy[1]/sec[2]``; equal paths get equal numbers.

    The order is that of the texts with the slash before every other character: siblings may come in any order, but
    what is inside an element comes right after it.
    """
    keys = [path.replace("/", "\x01") for path in paths]
    order = sorted(set(keys))
    number = {key: i for i, key in enumerate(order)}
    start = np.fromiter((number[key] for key in keys), dtype=np.int64, count=len(keys))
    after = {key: bisect_left(order, key + "\x02", i) for key, i in number.items()}
    end = np.fromiter((after[key] for key in keys), dtype=np.int64, count=len(keys))
    return start, end


def nested_pairs(
    document: IntArray,
    start: IntArray,
    end: IntArray,
    other_document: IntArray,
    other_start: IntArray,
    other_end: IntArray,
) -> tuple[IntArray, IntArray]:
    """The pairs (i, j) of the same document where element i contains other element j, or j contains i, or they are the
    same; sorted by i, then j."""
    compiled = native()
    if compiled is not None:
        columns = (document, start, end, other_document, other_start, other_end)
        first, second = compiled.nested_pairs(*(np.ascontiguousarray(column, dtype=np.int64) for column in columns))
        return first, second
    pairs = [np.zeros((2, 0), dtype=np.int64)]
    rows, others = _by_document(document), _by_document(other_document)
    for code in rows.keys() & others.keys():
        i, j = rows[code][:, None], others[code][None, :]
        around = (start[i] <= other_start[j]) & (other_start[j] < end[i])
        inside = (other_start[j] <= start[i]) & (start[i] < other_end[j])
        row, column = np.nonzero(around | inside)
        pairs.append(np.stack([i[row, 0], j[0, column]]))
    first, second = np.concatenate(pairs, axis=1)
    order = np.lexsort((second, first))
    return first[order], second[order]


def _by_document(document: IntArray) -> dict[int, IntArray]:
    found: dict[int, list[int]] = {}
    for i, code in enumerate(document.tolist()):
        found.setdefault(code, []).append(i)
    return {code: np.array(rows, dtype=np.int64) for code, rows in found.items()}


def unseen_lengths(document: IntArray, start: IntArray, end: IntArray, length: FloatArray) -> FloatArray:
    """For each element in turn its length without what came before: 0 under an earlier element, else its length minus
    the outermost earlier elements inside it (not below 0: lengths may not add up)."""
    compiled = native()
    unseen = np.empty(len(document))
    if compiled is not None:
        columns = (np.ascontiguousarray(column, dtype=np.int64) for column in (document, start, end))
        compiled.unseen_lengths(*columns, np.ascontiguousarray(length, dtype=np.float64), unseen)
        return unseen
    outermost: dict[int, tuple[list[int], list[int], list[float]]] = {}  # apart from each other, in order
    for row, code in enumerate(document.tolist()):
        starts, ends, lengths = outermost.setdefault(code, ([], [], []))
        a, b = int(start[row]), int(end[row])
        low = bisect_right(starts, a) - 1  # the last one that starts here or before
        if low >= 0 and a < ends[low] and (starts[low] < a or b <= ends[low]):
            unseen[row] = 0.0
            continue
        low, high = bisect_left(starts, a), bisect_left(starts, b)
        unseen[row] = max(0.0, float(length[row]) - sum(lengths[low:high]))
        starts[low:high], ends[low:high], lengths[low:high] = [a], [b], [float(length[row])]
    return unseen
