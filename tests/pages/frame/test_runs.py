from __future__ import annotations

from typing import get_args

from pages.shared.frame import runs


def test_a_queue_is_the_same_however_it_is_asked_for() -> None:
    """What is deleted is forgotten in every queue, by name; a fifth queue would take the place of another."""
    assert runs.runs() is runs.runs("retrieval")
    assert len({id(runs.runs(queue)) for queue in get_args(runs.Queue)}) == len(get_args(runs.Queue))
    assert runs.runs() is runs.runs("retrieval")
