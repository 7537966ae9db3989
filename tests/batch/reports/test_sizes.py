from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.batch.reports import sizes


@given(st.lists(st.integers(0, 70_000), min_size=1, max_size=30))
def test_counts_say_what_the_chunks_do(tokens: list[int]) -> None:
    found = sizes.as_dict(Counter(tokens))
    assert (found["number"], found["min"], found["max"]) == (len(tokens), min(tokens), max(tokens))
    assert found["tokens"] == sum(tokens)
    assert found["mean"] == pytest.approx(np.mean(tokens), abs=1e-3)
    assert found["median"] == np.median(tokens)
    assert found["deviation"] == pytest.approx(np.std(tokens), abs=1e-3)
    assert sum(found["histogram"]["counts"]) == len(tokens)


def test_no_chunk_has_no_size() -> None:
    assert sizes.as_dict(Counter()) == {"number": 0}
