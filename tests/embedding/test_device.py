"""Where models run, and with which numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from chunking import ChunkscopeError
from chunking.embedding import MiniLM, configure_device, configure_precision, encoders


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    yield
    configure_device(None)
    configure_precision(None)


@pytest.fixture
def torch() -> Any:
    return pytest.importorskip("torch")


@pytest.mark.parametrize(
    ("cuda", "mps", "found"), [(True, True, "cuda"), (False, True, "mps"), (False, False, "cpu"), (True, False, "cuda")]
)
def test_auto_is_an_accelerator_where_there_is_one(
    torch: Any, monkeypatch: pytest.MonkeyPatch, cuda: bool, mps: bool, found: str
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: cuda)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: mps)
    assert encoders._device() == "cpu", "an accelerator is used only on request"
    configure_device("auto")
    assert encoders._device() == found


def test_a_device_that_is_not_there_is_refused(torch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    configure_device("cuda")
    with pytest.raises(ChunkscopeError, match="no device cuda"):
        encoders._device()


def test_the_environment_names_it_for_the_app(torch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setenv("CHUNKSCOPE_DEVICE", "cuda")
    assert encoders._device() == "cuda"
    monkeypatch.setenv("CHUNKSCOPE_DEVICE", "tpu")
    with pytest.raises(ChunkscopeError, match="Unknown device 'tpu'"):
        encoders._device()


def test_the_model_runs_on_the_configured_device() -> None:
    configure_device("cpu")
    encoder = MiniLM()
    (vector,) = encoder.encode(["The tide turns."])
    assert str(encoder._model.device) == "cpu"
    assert np.linalg.norm(vector) == pytest.approx(1)


def test_another_precision_gives_almost_the_same_vectors_under_a_key_of_its_own() -> None:
    usual = MiniLM()
    configure_precision("bfloat16")
    other = MiniLM()
    configure_precision(None)
    assert other.key == f"{usual.key}/bfloat16"
    texts = ["The tide turns.", "A letter came in the morning, and nobody read it."]
    cosines = (usual.encode(texts) * other.encode(texts)).sum(axis=1)
    assert str(next(other._model.parameters()).dtype) == "torch.bfloat16"
    assert cosines.min() > 0.999
    assert np.abs(usual.encode(texts) - other.encode(texts)).max() > 0
    (tokens,) = other.token_vectors(texts[:1])
    assert tokens.vectors.dtype == np.float32


def test_the_environment_names_the_precision(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHUNKSCOPE_PRECISION", "bfloat16")
    assert MiniLM().key.endswith("/bfloat16")
    assert encoders.worker_environment()["CHUNKSCOPE_PRECISION"] == "bfloat16"
    monkeypatch.setenv("CHUNKSCOPE_PRECISION", "int8")
    with pytest.raises(ChunkscopeError, match="Unknown precision 'int8'"):
        MiniLM()
