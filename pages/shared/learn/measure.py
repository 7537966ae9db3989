"""Agreement beyond chance of predictions, the reference and the engine."""

from __future__ import annotations

from functools import partial

from chunking.comparison.agreement import Chance, chance
from chunking.runtime.arrays import Int64

DRAWS, SEED = 1_000, 0
"""Random divisions by which chance is known."""

corrected_f1 = partial(chance, metric="f1", tolerance=0, draws=DRAWS, seed=SEED)


def pairs(own: Int64, engine: Int64, gold: Int64 | None, units: int) -> dict[str, Chance]:
    """Return boundary F1 of each pair of the learner, the engine and the reference, by the key of its title."""
    found = {} if gold is None else {"pair_own_gold": corrected_f1(gold, own, units)}
    found["pair_own_engine"] = corrected_f1(engine, own, units)
    if gold is not None:
        found["pair_engine_gold"] = corrected_f1(gold, engine, units)
    return found
