"""How alike the texts of pages are: the cosine of their words, rare words counting more."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from berrypick.data.arrays import FloatArray
from berrypick.documents.texts import Texts

_WORD = re.compile(r"\w+")


class WordVectors:
    """The words of pages as vectors of length 1: (1 + log count) x log(pages with a text/pages with the word).

    A page without a text is like no other one; words of all pages say nothing.
    """

    def __init__(self, units: Sequence[str], texts: Texts) -> None:
        from scipy import sparse

        codes: dict[str, int] = {}
        rows: list[int] = []
        columns: list[int] = []
        counts: list[int] = []
        having = [i for i, unit in enumerate(units) if unit in texts]
        for i in having:
            for word, count in Counter(_WORD.findall(texts[units[i]].casefold())).items():
                rows.append(i)
                columns.append(codes.setdefault(word, len(codes)))
                counts.append(count)
        #: Pages that have no text.
        self.missing = len(units) - len(having)
        column = np.array(columns, dtype=np.int64)
        pages = np.bincount(column, minlength=len(codes))
        rarity = math.log(max(len(having), 1)) - np.log(np.maximum(pages, 1))
        value = (1.0 + np.log(np.array(counts, dtype=np.float64))) * rarity[column]
        shape = (len(units), max(len(codes), 1))
        found = sparse.csr_matrix((value, (np.array(rows, dtype=np.int64), column)), shape=shape)
        length = np.sqrt(np.asarray(found.multiply(found).sum(axis=1)).ravel())
        self._words: Any = sparse.diags(np.divide(1.0, length, out=np.zeros(len(units)), where=length > 0)) @ found

    def like(self, page: int) -> FloatArray:
        """Return the cosine of every page with one, in [0, 1]."""
        found = np.asarray((self._words @ self._words[page].T).todense(), dtype=np.float64).ravel()
        return np.clip(found, 0.0, 1.0)


@lru_cache(maxsize=2)
def word_vectors(units: tuple[str, ...], texts: Texts) -> WordVectors:
    """Return the words of pages, counted once."""
    return WordVectors(units, texts)
