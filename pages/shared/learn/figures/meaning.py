"""Chapters 1 to 3: sentences, their vectors, and distances between neighbours."""

from __future__ import annotations

import numpy as np

from chunking.runtime.arrays import Float64, Int64
from pages.shared.components.stepped_table import SteppedTable, stepped_table
from pages.shared.frame import markup
from pages.shared.learn.figures.scene import Scene, bar, chart, choose, table
from pages.shared.learn.lesson import Lesson, cuts_of
from pages.shared.settings import controls

_SHOWN = 60
"""Sentences that a table lists at most."""
_NEAREST = 8

SIDES = {
    "single": "percentile:window=0",
    "window": "percentile:window=1",
    "block": "percentile:window=0;block=3",
}
"""What is compared at a gap, as settings without their percentile."""


def sentences(scene: Scene) -> Int64:
    """Show the sentences with their offsets."""
    texts, found = scene.texts, scene.lesson.workspace.sentences
    rows = [
        (str(number), f"{start:,}", f"{end:,}", markup.escape(text))
        for number, ((start, end), text) in enumerate(
            zip(found.spans[:_SHOWN].tolist(), found.texts[:_SHOWN], strict=True), 1
        )
    ]
    table(texts["characters"], rows, ("", texts["start"], texts["end"], texts["sentence"]))
    return scene.lesson.candidates.inside


def similarities(scene: Scene) -> Int64:
    """Show how similar the other sentences are to a chosen one."""
    lesson = scene.lesson
    chosen = controls.number(
        scene.texts["sentence"], 1, len(lesson), min(11, len(lesson)), name="sentence", slider=True
    )
    near = cosines(lesson)
    tables = {float(number): _nearest(scene, number - 1, near) for number in range(1, len(lesson) + 1)}
    stepped_table("_learn_nearest", "sentence", chosen, tables)
    return cuts_of(scene.run("percentile:window=0;percentile=85"))


def _nearest(scene: Scene, chosen: int, near: Float64) -> SteppedTable:
    """Return the sentences that are most similar to one."""
    found = scene.lesson.workspace.sentences.texts
    order = [other for other in np.argsort(-near[chosen], kind="stable").tolist() if other != chosen]
    rows = [(f"{near[chosen, other]:.2f}", bar(near[chosen, other]), found[other]) for other in order[:_NEAREST]]
    return {"caption": scene.texts["nearest"], "lead": found[chosen], "head": (), "rows": rows}


def cosines(lesson: Lesson) -> Float64:
    """Return the ``(n, n)`` cosine similarities of all sentences."""
    vectors = lesson.workspace.vectors(0).astype(np.float64)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    found: Float64 = unit @ unit.T
    return found


def neighbours(scene: Scene) -> Int64:
    """Show the semantic distances of single sentences, windows or blocks."""
    texts = scene.texts
    sides = controls.segments(
        texts["sides"], tuple(SIDES), name="sides", default="window", titles=lambda name: texts[name]
    )
    percentile = choose(scene, "percentile", "percentile", default=85.0)
    made = scene.run(f"{SIDES[sides]};percentile={percentile}")
    chart(scene, made)
    return cuts_of(made)
