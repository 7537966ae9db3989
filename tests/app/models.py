"""A model that encodes when it is let, in place of the usual one."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import pytest

from chunking.embedding import MiniLM
from chunking.runtime.arrays import Float32
from pages.shared.frame import runs


class SlowModel:
    """What stands for the model: it encodes when it is let, and counts what it was given."""

    def __init__(self) -> None:
        self.may = threading.Event()
        self.encoded = 0

    def encode(self, _: MiniLM, texts: Sequence[str]) -> Float32:
        assert self.may.wait(30)
        self.encoded += len(texts)
        vectors = np.random.default_rng(len(texts)).normal(size=(len(texts), MiniLM.dimension)).astype(np.float32)
        unit: Float32 = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit


@contextmanager
def slow_model(patch: pytest.MonkeyPatch) -> Iterator[SlowModel]:
    """Let texts be embedded by such a model, with nothing left in the queue before or after."""
    queue, slow = runs.runs("vectors"), SlowModel()
    earlier = list(queue._jobs.values())
    queue.forget()
    assert all(run.wait(120) for run in earlier), "an earlier test still embeds"
    patch.setattr(MiniLM, "encode", lambda encoder, texts: slow.encode(encoder, texts))
    yield slow
    slow.may.set()
    left = list(queue._jobs.values())
    queue.forget()
    # None may be left to load the real model once the patch has ended.
    assert all(run.wait(60) for run in left)
