"""The encoder static: exact, the same in any batch, near to its teacher; its file is the one that was made."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking import ChunkscopeError
from chunking.embedding import Static, embed, get_encoder, static
from chunking.embedding.vector_cache import VectorCache

SENTENCES = [
    "The tide turns twice a day, and the harbour with it.",
    "Boats wait for high water before they leave the port.",
    "Preheat the oven and grease a loaf tin.",
    "Knead the dough until it is smooth, then let it rise.",
]


def test_the_file_is_the_one_that_was_made() -> None:
    data = static.STATIC_FILE.read_bytes()
    assert hashlib.sha256(data).hexdigest() == static.STATIC_SHA256
    assert len(data) <= 8_000_000


def test_vectors_have_length_one_and_tell_topics_apart() -> None:
    vectors = get_encoder("static").encode(SENTENCES)
    assert vectors.shape == (4, Static.dimension) and vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-6)
    cosines = vectors @ vectors.T
    assert min(cosines[0, 1], cosines[2, 3]) > cosines[:2, 2:].max()


@given(st.lists(st.text(max_size=60), max_size=12), st.integers(0, 5))
def test_a_text_has_one_vector_in_any_company(texts: list[str], place: int) -> None:
    encoder = Static()
    together = encoder.encode(texts)
    assert np.isfinite(together).all()
    for number, text in enumerate(texts[place:], place):
        assert (encoder.encode([text])[0] == together[number]).all()


def test_the_numbers_are_the_same_on_every_machine() -> None:
    """Whole numbers are summed: no order and no instruction set changes a bit."""
    vector = Static().encode([SENTENCES[0]])[0]
    table = static._table()
    pieces = [piece for word in SENTENCES[0].split() for piece in table.tokenizer.encode(word).ids]
    exact = [sum(int(table.vectors[piece, axis]) for piece in pieces) for axis in range(Static.dimension)]
    length = sum(number * number for number in exact) ** 0.5
    assert vector.tolist() == [float(np.float32(number / length)) for number in exact]


@pytest.mark.parametrize("text", ["", "   ", "\N{OBJECT REPLACEMENT CHARACTER}", "\ud800"])
def test_a_text_that_says_nothing_has_a_vector(text: str) -> None:
    (vector,) = Static().encode([text])
    assert np.linalg.norm(vector) == pytest.approx(1)


def test_words_are_cut_as_the_teacher_cuts_them() -> None:
    texts = [*SENTENCES, "Naïve café, e-mail: x_1@y.org (v2.3)!", "東京タワー  \t x" + "y" * 120]
    teacher = get_encoder("all-MiniLM-L6-v2").token_counts(texts) - 2
    assert Static().token_counts(texts).tolist() == teacher.tolist()


def test_it_is_near_to_its_teacher() -> None:
    """Not the vectors, which have other axes, but the cosines between sentences."""
    mine = embed(SENTENCES, get_encoder("static"))
    true = embed(SENTENCES, get_encoder("all-MiniLM-L6-v2"))
    above = np.triu_indices(4, 1)
    assert np.corrcoef((mine @ mine.T)[above], (true @ true.T)[above])[0, 1] > 0.8


def test_a_damaged_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    damaged = tmp_path / "static.npz"
    damaged.write_bytes(static.STATIC_FILE.read_bytes()[:-1])
    monkeypatch.setattr(static, "STATIC_FILE", damaged)
    static._table.cache_clear()
    try:
        with pytest.raises(ChunkscopeError, match="not the ones of this version"):
            Static().encode(["text"])
    finally:
        monkeypatch.undo()
        static._table.cache_clear()


def test_neither_torch_nor_spacy_is_imported() -> None:
    code = (
        "import sys; from chunking.embedding import get_encoder; get_encoder('static').encode(['One sentence.']);"
        "print([name for name in ('torch', 'spacy', 'transformers', 'sentence_transformers') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_its_vectors_are_not_cached(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path / "vectors.sqlite3")
    embed(["The tide rises."], Static(), cache)
    assert not cache.get_many(Static.key, ["The tide rises."], Static.dimension)[1].any()
