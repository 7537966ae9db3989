"""What is said while the vectors of a picture that stands in for another are made."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from pages.shared.documents import quick_encoder


@pytest.mark.parametrize(
    ("done", "total", "said"),
    [(0, 0, "loading the model"), (0, 882, "loading the model"), (64, 1882, "64 of 1,882 sentences")],
)
def test_no_count_stands_still_while_the_model_is_loaded(done: int, total: int, said: str) -> None:
    run = SimpleNamespace(state="running", done=done, total=total, what="sentences", left_of_step=None)
    assert quick_encoder.words(run) == f"Drawn with static; all-MiniLM-L6-v2 follows: {said}"  # type: ignore[arg-type]
