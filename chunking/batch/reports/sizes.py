"""How large chunks are, from how many of them have how many tokens: such counts add up over the parts of a corpus."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt

from chunking.retrieval.reports.summary import sizes
from chunking.retrieval.search.passages import Passages


def expanded(counts: Counter[int]) -> npt.NDArray[Any]:
    """Return a value a chunk, ascending, in the smallest type that holds them."""
    values = sorted(counts)
    kind = np.min_scalar_type(values[-1] if values else 0)
    return np.repeat(np.array(values, dtype=kind), [counts[value] for value in values])


def as_dict(counts: Counter[int]) -> dict[str, Any]:
    """Return number, mean, median, deviation, extremes and histogram, see :mod:`chunking.retrieval.reports.summary`.

    Args:
        counts: how many chunks have how many tokens.
    """
    none = np.zeros(0, dtype=np.int64)
    return sizes(Passages("", none, none, none, none, expanded(counts)))
